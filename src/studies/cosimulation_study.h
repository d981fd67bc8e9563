// Computation of `trunnion study cosimulation`: the largest stable communication step H of every combination of
//   coupling variables       velocity-force, velocity-pressure
//   prediction               Lagrange polynomials of order m, or the reduced interface model
//   mechanism                ALI1 with semi-implicit Euler, ALI3-P (penalty treatment with projections) with the trapezoidal rule
//   oil                      own integrator and step h; H is a multiple of h, as the paper's matching grids
// in a noninteractive Jacobi scheme, with the coupling residual and the energies of every run, compared with a monolithic reference.
// Stable: the run completes, and the length error of every cylinder at every communication point is below a limit.
// Source: Rahikainen, Gonzalez, Naya, Sopanen, Mikkola 2020 (co-simulation), section 4.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "description/description.h"

namespace trunnion {

/// Formulation of the mechanism: the two of section 2.1.
enum class MechanismTreatment { ali1, ali3p };

/// Integrator of the oil and its step [s].
struct OilIntegration {
  IntegratorKind integrator = IntegratorKind::rk4;
  double step = 1e-4;
  bool operator==(const OilIntegration&) const = default;
};

/// One coupling, without the communication step.
struct CouplingChoice {
  CouplingVariables variables = CouplingVariables::velocity_pressure;
  CouplingPrediction prediction = CouplingPrediction::polynomial;
  int order = 1;  // m of the polynomials; unused with the interface model
  MechanismTreatment treatment = MechanismTreatment::ali1;
  OilIntegration oil;
  bool operator==(const CouplingChoice&) const = default;
};

struct CosimulationRequest {
  Description machine;  // as read; its solver and coupling settings apply unless the study varies them
  std::vector<CouplingVariables> variables{CouplingVariables::velocity_force, CouplingVariables::velocity_pressure};
  std::vector<int> orders;  // m; empty: the paper's, 2 with one cylinder and 1 with several
  bool polynomials = true, interface_model = true;
  std::vector<MechanismTreatment> treatments{MechanismTreatment::ali1, MechanismTreatment::ali3p};
  std::vector<OilIntegration> oil;  // empty: the three integrators at 0.1 ms, the trapezoidal rule also at 0.2, 0.5 and 1 ms
  CoordinateKind coordinates = CoordinateKind::cartesian;
  /// Subsystem that evaluates friction, drag and end dampers with velocity-force; the paper: that of the force, which then has feedthrough
  /// from the extrapolated rate. With velocity-pressure always the mechanism.
  FrictionSide friction = FrictionSide::hydraulics;
  /// Order for the mechanism's own inputs; unset: that of the polynomials, 0 (held) with the interface model.
  std::optional<int> mechanism_order;
  double min_step = 2e-4, max_step = 20e-3;  // [s] ends of the scan
  double limit = 5e-3;                       // [m] of length errors
  bool quick = false;                        // a coarse scan, no bisection to the last step, fewer combinations
  int threads = 1;
};

/// Whether the machine can run with `scheme: parallel`.
inline bool has_parallel(const CosimulationRequest& request) { return request.machine.control.empty(); }

/// Result of one run; NaN: unknown.
struct CosimulationRun {
  double step = 0;      // [s] H
  std::string status;   // empty: completed; otherwise the reason of failure
  double end_time = 0;  // [s] reached
  bool stable = false;
  double length_error = std::nan("");       // [m] maximum over all cylinders
  double residual = std::nan("");           // [J] energy of all bonds at the end, signed (cosimulation/monitor.h)
  double absolute_residual = std::nan("");  // [J] sum of magnitudes over the steps
  double max_drift = std::nan("");          // [J] maximum |energy.drift|
  double step_seconds = std::nan("");       // [s] wall-clock time in steps per simulated second
};

/// A combination with its runs.
struct CouplingScan {
  CouplingChoice choice;
  std::vector<CosimulationRun> runs;     // by step
  std::optional<double> limit;           // [s] the largest stable step below the first unstable one; none: the first was unstable
  std::optional<double> first_unstable;  // [s] none: stable to the end of the scan
};

/// Lengths, rates and the energy balance over time.
struct CosimulationCourse {
  std::string label;
  std::optional<CouplingChoice> choice;  // none: monolithic
  CosimulationRun run;
  std::vector<double> time;                 // [s]
  std::vector<std::vector<double>> length;  // [m] per cylinder
  std::vector<std::vector<double>> rate;    // [m/s] per cylinder
  std::vector<double> drift;                // [J] energy.drift
};

/// A scheme beyond the paper.
struct SchemeRow {
  std::optional<CouplingScheme> scheme;  // none: monolithic
  CosimulationRun run;
};

struct CosimulationStudy {
  CosimulationRequest request;  // with all defaults set
  std::vector<std::string> cylinders;
  CosimulationCourse reference;  // monolithic, at kReferenceStep
  std::vector<CouplingScan> scans;
  /// Per variables of the request: magnitude of the residual for normalisation: ALI1, polynomial, Euler at the first oil step, H = 1 ms.
  std::vector<double> unit_residual;
  std::vector<SchemeRow> schemes;
  // time histories for figures
  std::vector<CosimulationCourse> cycle;       // H = 1 ms
  std::vector<CosimulationCourse> energy;      // velocity-force, Euler, polynomial
  std::vector<CosimulationCourse> prediction;  // polynomial, interface model; ALI1, velocity-force
  std::vector<CosimulationCourse> oil_steps;   // trapezoidal rule, several steps and H
};

inline constexpr double kReferenceStep = 1e-4;  // [s] of the monolithic reference

std::string name_of(IntegratorKind integrator);      // rk4
std::string name_of(CouplingVariables variables);    // velocity_force
std::string name_of(MechanismTreatment treatment);   // ALI1, ALI3-P
std::string name_of(const OilIntegration& oil);      // rk4 at 0.1 ms
std::string prediction_name(const CouplingChoice&);  // m = 2, interface model

/// The scan of a combination; null: there is none.
const CouplingScan* scan_of(const CosimulationStudy& study, const CouplingChoice& choice);

/// The machine with the settings of a combination and the communication step H [s].
Description coupled_machine(const CosimulationRequest& request, const CouplingChoice& choice, double H);

/// The steps of a scan [s]: multiples of the oil's step near preferred numbers, 20 (quick: 5) per decade, from min_step to max_step.
std::vector<double> scanned_steps(const CosimulationRequest& request, double oil_step);

/// Called occasionally from any thread, never concurrently: completed and total work.
using StudyProgress = std::function<void(int done, int all, const std::string& what)>;

/// Performs the study. Throws InputError if the machine cannot be coupled or has no cylinder, SimulationError if the reference fails; a
/// combination that fails is a result. Independent of the number of threads, except times.
CosimulationStudy cosimulation_study(CosimulationRequest request, const StudyProgress& progress = {});

/// One row per combination: its limits.
std::string limits_csv(const CosimulationStudy& study);
/// One row per run.
std::string runs_csv(const CosimulationStudy& study);
std::string schemes_csv(const CosimulationStudy& study);
std::string study_json(const CosimulationStudy& study, const std::string& model_file);
/// Tables for a terminal, with the criterion.
std::string study_text(const CosimulationStudy& study);

}  // namespace trunnion
