// Table, part 3: the co-simulation of mechanism and oil.
// SPDX-License-Identifier: BSD-3-Clause
#include "file/table_parts.h"

namespace trunnion {

namespace {

void describe_mechanism(Visitor& v, CosimulationDescription& c) {
  v.leaf({"extrapolation", "Order 0 to 3 of its inputs; left out: as of the hydraulic ones", kNumber, kNonNegative},
         &c.mechanism_extrapolation);
  v.leaf({"steps",
          "Its steps in a communication step; left out: 1, and with `sequential` and `parallel` as many as make them no longer than "
          "`solver.step`",
          kNumber, kPositive},
         &c.mechanism_steps);
}

void describe_hydraulics(Visitor& v, CosimulationDescription& c) {
  v.leaf({"integrator",
          "Integration of the oil: `euler`, `rk4` or `trapezoidal`; left out: `rk4`, and `trapezoidal` in communication steps in which "
          "that is unstable"},
         choice(c.integrator, integrator_words()));
  v.leaf({"oil_rule", "Time rule of the oil with `trapezoidal`, as `solver.oil_rule`"}, choice(c.oil_rule, oil_rule_words()));
  v.leaf({"step", "Its largest step; it is made to fit into the communication step", kTime, kPositive}, &c.hydraulic_step);
}

void describe_control(Visitor& v, CouplingControlDescription& c) {
  v.leaf({"tolerance", "Residual energy aimed at in a step, of the energy that goes through the bonds", kNumber, kPositive}, &c.tolerance);
  v.leaf({"min_step", "Shortest communication step; `coupling.step` is the longest", kTime, kPositive}, &c.min_step);
  v.leaf({"corners", "Communication points at the corners of the command signals"}, &c.corners);
}

void describe_subsystem(Visitor& v, SubsystemDescription& s) {
  v.leaf({"parts", "Cylinders or volumes; their whole circuits belong to it", kNumber, kRequired}, &s.parts);
  v.leaf({"integrator", "Integration; left out: as of all"}, choice(s.integrator, integrator_words()));
  v.leaf({"step", "Largest step; left out: as of all", kTime, kPositive}, &s.step);
}

void describe_settings(Visitor& v, CosimulationDescription& c) {
  v.leaf({"scheme", "In which order the subsystems go through a communication step"}, choice(c.scheme, coupling_scheme_words()));
  v.leaf({"step", "Communication step, the run's time grid; left out: `solver.step`", kTime, kPositive}, &c.step);
  v.leaf({"variables", "What is exchanged: rates of the cylinders against their forces, or against chamber pressures"},
         choice(c.variables, coupling_variable_words()));
  v.leaf({"acceleration", "The mechanism hands out accelerations, too, for the extrapolation"}, &c.acceleration);
  v.leaf({"friction", "Who evaluates friction, viscous drag and end dampers of the cylinders"}, choice(c.friction, friction_side_words()));
  v.leaf({"prediction", "What the oil assumes of the mechanism between communication points"},
         choice(c.prediction, coupling_prediction_words()));
  v.leaf({"extrapolation", "Order 0 to 3 of the polynomials for the hydraulic inputs", kNumber, kNonNegative}, &c.extrapolation);
  v.group({"mechanism", "The mechanical subsystem"}, {true, {}, [&c](Visitor& w) { describe_mechanism(w, c); }});
  v.group({"hydraulics", "The hydraulic subsystems"}, {true, {}, [&c](Visitor& w) { describe_hydraulics(w, c); }});
  v.leaf({"order", "Who goes first with `gauss_seidel`"}, choice(c.order, {"hydraulics_first", "mechanism_first"}));
  v.leaf({"max_iterations", "Most passes through a communication step with `iterated_jacobi`", kNumber, kPositive}, &c.max_iterations);
  v.leaf({"tolerance", "Relative change of the outputs at which `iterated_jacobi` ends", kNumber, kPositive}, &c.tolerance);
  v.leaf({"threads", "Threads that advance subsystems side by side; results do not depend on it", kNumber, kPositive}, &c.threads);
  v.group({"control", "Communication steps within `step` chosen by the energy residual of the bonds"},
          {c.control.has_value(), [&c] { c.control.emplace(); }, [&c](Visitor& w) { describe_control(w, *c.control); }});
  v.section({"subsystems", "Circuits joined to one subsystem, or with settings of their own; any other circuit is a subsystem by itself"},
            named_items(c.subsystems, describe_subsystem), nullptr);
}

}  // namespace

void describe_coupling(Visitor& v, Description& d) {
  v.group({"coupling", "How mechanism and oil are solved apart, for `solver.coupling: cosimulation`"},
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
