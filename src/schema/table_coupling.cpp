// The table, part 5: co-simulation of mechanism and hydraulics.
// SPDX-License-Identifier: BSD-3-Clause
#include "schema/table_parts.h"

namespace trunnion {

namespace {

void describe_mechanism(Visitor& v, CosimulationDescription& c) {
  v.leaf({"extrapolation", "Extrapolation order of its inputs, 0 to 3; default: as for the hydraulic inputs", kNumber, kNonNegative},
         &c.mechanism_extrapolation);
  v.leaf({"steps", "Steps per communication step; default: 1, with `sequential` and `parallel` as many as keep each within `solver.step`",
          kNumber, kPositive},
         &c.mechanism_steps);
}

void describe_hydraulics(Visitor& v, CosimulationDescription& c) {
  v.leaf({"integrator",
          "Integrator of the hydraulics: `euler`, `rk4` or `trapezoidal`; default: `rk4`, and `trapezoidal` in communication steps "
          "where `rk4` is unstable or does not resolve the rates"},
         choice(c.integrator, integrator_words()));
  v.leaf({"oil_rule", "Time rule of the hydraulics with `trapezoidal`, as `solver.oil_rule`"}, choice(c.oil_rule, oil_rule_words()));
  v.leaf({"step", "Maximum step; adjusted to divide the communication step", kTime, kPositive}, &c.hydraulic_step);
}

void describe_control(Visitor& v, CouplingControlDescription& c) {
  v.leaf({"tolerance", "Target residual energy of a step, relative to the energy transferred through the bonds", kNumber, kPositive},
         &c.tolerance);
  v.leaf({"min_step", "Minimum communication step; `coupling.step` is the maximum", kTime, kPositive}, &c.min_step);
  v.leaf({"corners", "Communication points at the corners of the command signals"}, &c.corners);
}

void describe_subsystem(Visitor& v, SubsystemDescription& s) {
  v.leaf({"parts", "Cylinders or volumes; the subsystem comprises their complete circuits", kNumber, kRequired}, &s.parts);
  v.leaf({"integrator", "Integrator; default: `coupling.hydraulics.integrator`"}, choice(s.integrator, integrator_words()));
  v.leaf({"step", "Maximum step; default: `coupling.hydraulics.step`", kTime, kPositive}, &s.step);
}

void describe_settings(Visitor& v, CosimulationDescription& c) {
  v.leaf({"scheme", "Execution order of the subsystems in a communication step"}, choice(c.scheme, coupling_scheme_words()));
  v.leaf({"step", "Communication step, the time grid of the run; default: `solver.step`", kTime, kPositive}, &c.step);
  v.leaf({"variables", "Exchanged variables: cylinder rates and forces, or cylinder rates and chamber pressures"},
         choice(c.variables, coupling_variable_words()));
  v.leaf({"acceleration", "The mechanism also publishes accelerations, for the extrapolation"}, &c.acceleration);
  v.leaf({"friction", "Subsystem that evaluates friction, viscous drag and end dampers of the cylinders"},
         choice(c.friction, friction_side_words()));
  v.leaf({"prediction", "Prediction of the mechanism's motion between communication points"},
         choice(c.prediction, coupling_prediction_words()));
  v.leaf({"extrapolation", "Order of the polynomials for the hydraulic inputs, 0 to 3", kNumber, kNonNegative}, &c.extrapolation);
  v.group({"mechanism", "The mechanical subsystem"}, {true, {}, [&c](Visitor& w) { describe_mechanism(w, c); }});
  v.group({"hydraulics", "The hydraulic subsystems"}, {true, {}, [&c](Visitor& w) { describe_hydraulics(w, c); }});
  v.leaf({"order", "First subsystem with `gauss_seidel`"}, choice(c.order, {"hydraulics_first", "mechanism_first"}));
  v.leaf({"residual_rule", "Quadrature of the residual power of the bonds over a communication step"},
         choice(c.residual_rule, {"trapezoidal", "rectangular"}));
  v.leaf({"max_iterations", "Maximum number of passes through a communication step with `iterated_jacobi`", kNumber, kPositive},
         &c.max_iterations);
  v.leaf({"tolerance", "Relative change of the outputs at which `iterated_jacobi` stops", kNumber, kPositive}, &c.tolerance);
  v.leaf({"threads", "Threads that advance subsystems in parallel; results do not depend on it", kNumber, kPositive}, &c.threads);
  v.group({"control", "Communication step control by the energy residual of the bonds"},
          {c.control.has_value(), [&c] { c.control.emplace(); }, [&c](Visitor& w) { describe_control(w, *c.control); }});
  v.section({"subsystems", "Circuits combined in one subsystem or with settings of their own; every other circuit is a subsystem"},
            named_items(c.subsystems, describe_subsystem), nullptr);
}

}  // namespace

void describe_coupling(Visitor& v, Description& d) {
  v.group({"coupling", "Co-simulation of mechanism and hydraulics, for `solver.coupling: cosimulation`"},
          {true, {}, [&d](Visitor& w) { describe_settings(w, d.coupling); }});
}

const std::vector<const char*>& coupling_scheme_words() {
  static const std::vector<const char*> words{"jacobi", "gauss_seidel", "iterated_jacobi", "sequential", "parallel"};
  return words;
}
const std::vector<const char*>& coupling_variable_words() {
  static const std::vector<const char*> words{"velocity_force", "velocity_pressure"};
  return words;
}
const std::vector<const char*>& coupling_prediction_words() {
  static const std::vector<const char*> words{"polynomial", "interface_model"};
  return words;
}
const std::vector<const char*>& friction_side_words() {
  static const std::vector<const char*> words{"mechanism", "hydraulics"};
  return words;
}

}  // namespace trunnion
