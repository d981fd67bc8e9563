// Transfer paths of a linear model: frequency response, zeros, margins, modes, step response; files and pictures.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "spectra/frequency_response.h"
#include "studies/linear_case.h"
#include "studies/plot.h"

namespace trunnion {

/// What is asked about paths from inputs to outputs. Names are those of the command line.
struct FrequencyRequest {
  std::vector<std::string> inputs;  // of the linear model, by name; none: nothing is asked
  bool bode = false, nyquist = false;
  std::optional<double> step;          // [s] duration of the step response
  std::optional<double> from{}, to{};  // [Hz] range; unset: resolving_frequencies, and margins at every frequency
};

/// A path from an input to an output.
struct FrequencyPath {
  LinearVariable input, output;
  std::optional<double> static_gain;  // G(0); none if G has a pole there
  std::vector<std::complex<double>> zeros;
  FrequencyResponse response;
  std::vector<ModeParticipation> modes;  // per eigenvalue
  std::vector<double> step;              // response to a unit step, at FrequencyStudy::times

  std::string name() const { return input.name + " -> " + output.name; }
};
struct FrequencyStudy {
  std::vector<FrequencyPath> paths;
  std::vector<double> times;  // [s] of the step responses
  std::vector<Eigenvalue> eigenvalues;
};

/// All paths from the inputs to the outputs of the linear model. Throws InputError for unknown inputs.
FrequencyStudy frequency_study(const LinearCase& c, const FrequencyRequest& request);

/// One row per frequency: `frequency_hz`, then per path magnitude, phase [degrees], real and imaginary part.
std::string frequency_csv(const FrequencyStudy& study);
std::string frequency_json(const FrequencyStudy& study);
/// `time`, then per path the response to a unit step of its input.
std::string step_csv(const FrequencyStudy& study);
/// Static gains, margins, and the modes of every path: lines for a terminal.
std::string frequency_text(const FrequencyStudy& study);

Plot bode_plot(const FrequencyStudy& study);
Plot nyquist_plot(const FrequencyStudy& study);
Plot step_plot(const FrequencyStudy& study);

}  // namespace trunnion
