// Computation of `trunnion sensitivity`: derivatives of channels of a run with respect to numbers of the model file, over time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "results/response_sensitivity.h"
#include "studies/plot.h"

namespace trunnion {

struct SensitivityRequest {
  std::vector<std::string> parameters;  // paths of numbers in the model file
  std::vector<std::string> channels;    // names or patterns as of record.channels; none: those that the model records
  int points = 1000;                    // about so many instants, at steps of the run
  bool check = false;                   // by central differences of whole runs
  int threads = 1;                      // results do not depend on it
};

struct SensitivityStudy {
  struct Named {
    std::string name, unit;
    double value = 0;  // of a parameter, SI
  };
  std::vector<Named> parameters, channels;
  std::vector<double> times;  // [s]
  ResponseSensitivity response;
  /// Per parameter and channel: the largest distance to the nearer central differences of two increments, relative to the largest
  /// derivative, and what these resolve: of a distance that is no larger nothing is known but that. NaN: they do not resolve the
  /// derivative, or runs beside fail or are invalid. Empty: not checked.
  struct Distance {
    double value, noise;
    bool resolved() const { return value > noise; }
  };
  std::vector<std::vector<Distance>> distances;
  bool check_left_out = false;  // as the run ended early
};

/// A model that records the channels whose derivatives are wanted, and these: quantities of the machine. `wanted`: names or patterns as of
/// record.channels, those on request included; none: those that the model records. Throws InputError for others.
struct ObservedModel {
  std::shared_ptr<const CompiledModel> model;
  std::vector<SensitivityStudy::Named> channels;
};
ObservedModel observed(const std::shared_ptr<const CompiledModel>& given, const std::vector<std::string>& wanted);

/// Throws InputError, and Error as response_sensitivity() does.
SensitivityStudy sensitivity_study(const std::shared_ptr<const CompiledModel>& given, const SensitivityRequest& request);

/// sensitivity.csv: `time`, the channels, and for each of them and each parameter a column `CHANNEL by PARAMETER`, SI.
std::string sensitivity_csv(const SensitivityStudy& study);
/// sensitivity.json; definitions in docs/sensitivity.md.
std::string sensitivity_json(const SensitivityStudy& study, const std::string& model_file);
/// A panel per channel: p dy/dp of every parameter, or dy/dp where p is 0.
Plot sensitivity_plot(const SensitivityStudy& study);
/// A line per channel and parameter: lines for a terminal.
std::string sensitivity_text(const SensitivityStudy& study);

}  // namespace trunnion
