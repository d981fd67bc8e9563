// A linear model with its reference and analysis: eigenvalues, stability, reasons of null eigenvalues, whether the reference is at rest.
// Source: Nonlinear Dynamics 111 (2023), doi 10.1007/s11071-023-08345-6 (linearisation), section 3.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "linearise/linear_model.h"
#include "results/run_case.h"
#include "spectra/sampled_loop.h"
#include "spectra/spectrum.h"

namespace trunnion {

/// Motion of the reference.
enum class ReferenceMotion {
  rest,    // f0 = 0: an equilibrium
  steady,  // f0 moves states on which nothing depends, A f0 = 0: the linear model is the same at all times
  moving   // the linear model holds for a short time; its eigenvalues, frozen at an instant, do not determine stability
};

struct LinearCase {
  std::shared_ptr<const CompiledModel> model;  // in differential form (linearise/differential_form.h), as are reference and linear
  StartKind start = StartKind::given;
  LinearMethod method = LinearMethod::reduced;
  StateVector reference;
  LinearModel linear;
  ReferenceMotion motion = ReferenceMotion::rest;
  std::vector<int> drifting;  // states that f0 moves, fastest first
  Spectrum spectrum;
  SampledLoop sampled;  // of sampled control blocks, whose values are inputs of `linear`
  std::vector<NullExplanation> null;
  /// Counterpart only, per eigenvalue: it corresponds to no eigenvalue of the exact reduction, but to a dependent coordinate that the
  /// differences treat as free. Empty for other methods.
  std::vector<bool> spurious;
};

/// Eigenvalues of the machine with all its loops closed, and their states: of the sampled loop where there is one.
struct ClosedModes {
  const Spectrum& spectrum;
  const std::vector<LinearVariable>& states;
};
ClosedModes closed_modes(const LinearCase& c);

/// Linearises about `reference`, a state as returned by start_of. `start`: origin of the reference, or of the run that led to it. Throws
/// what linearise throws.
LinearCase make_linear_case(const std::shared_ptr<const CompiledModel>& model, const StateVector& reference, StartKind start,
                            const LinearOptions& options);

/// The same for an existing linear model.
LinearCase make_linear_case(const std::shared_ptr<const CompiledModel>& model, const StateVector& reference, StartKind start,
                            LinearMethod method, LinearModel linear);

/// Runs from the start through `times` [s], ascending and not beyond solver.duration, and passes on the state at each. A time between two
/// steps is reached by a shorter step on a copy, so that the run is that of `trunnion run` for any times. Throws SimulationError.
void states_at(const std::shared_ptr<const CompiledModel>& model, StartKind start, const std::vector<double>& times,
               const std::function<void(const StateVector&)>& use);

/// Of every eigenvalue of the exact reduction the index of the nearest one of the counterpart, each used once: the largest ones choose
/// first.
std::vector<std::size_t> nearest_eigenvalues(const Spectrum& counterpart, const Spectrum& exact);

/// The two or three states with the largest participation in an eigenvalue, largest first.
std::vector<int> main_states(const Eigenvalue& eigenvalue);

/// `rest`, `steady`, `moving`.
const char* name_of(ReferenceMotion motion);

/// Sizes, partition, eigenvalues, explanations, verdict, warnings: lines for a terminal.
std::string linear_text(const LinearCase& c);

/// linear.json; keys in docs/results.md.
std::string linear_json(const LinearCase& c, const std::string& model_file);
/// linear.csv: A, B and C, D below them, labelled.
std::string linear_csv(const LinearCase& c);
/// Appends `,re,im,frequency_hz,damping_ratio,time_constant` of an eigenvalue [1/s, Hz, -, s]; empty if undefined.
void append_eigenvalue(std::string& text, const Eigenvalue& eigenvalue);
/// eigenvalues.csv: one row per eigenvalue.
std::string eigenvalues_csv(const LinearCase& c);

/// Removes what was written to a folder before and is not written anew: linear models along a run, responses, a found zero.
void remove_linear_cases(const std::string& folder);
/// Linear models along a run as one file, `linear_over_time.mat`: A, B, C, D, drift, x0, u0, y0 with time as the last dimension, instead of
/// those written there before. False, and no file: their states, inputs or outputs differ.
bool write_linear_stack(const std::vector<LinearCase>& cases, const std::string& folder);

/// Writes linear.json, linear.csv, eigenvalues.csv and linear.mat into `folder`.
void write_linear_case(const LinearCase& c, const std::string& model_file, const std::string& folder);

}  // namespace trunnion
