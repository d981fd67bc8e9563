// Mechanisms without their oil, for tests: variables of the coupling, treatments of the constraints, and what the machine gives the
// mechanism.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <memory>
#include <ostream>
#include <string>
#include <variant>
#include <vector>

#include "cosimulation/mechanism_subsystem.h"
#include "machine/evaluate.h"
#include "support/machines.h"

namespace trunnion::test {

using Settings = std::vector<std::string>;

/// Variables of the coupling.
struct Border {
  CouplingVariables variables = CouplingVariables::velocity_pressure;
  FrictionSide friction = FrictionSide::mechanism;
};
inline constexpr Border kBorders[] = {{CouplingVariables::velocity_pressure, FrictionSide::mechanism},
                                      {CouplingVariables::velocity_force, FrictionSide::mechanism},
                                      {CouplingVariables::velocity_force, FrictionSide::hydraulics}};

/// The machine with these variables, and `mechanism_steps` per communication step.
inline std::shared_ptr<const CompiledModel> cut_at(const std::shared_ptr<const CompiledModel>& machine, const Border& border,
                                                   int mechanism_steps = 1) {
  auto model = std::make_shared<CompiledModel>(*machine);
  model->description.coupling.variables = border.variables;
  model->description.coupling.friction = border.friction;
  model->description.coupling.mechanism_steps = mechanism_steps;
  return model;
}

/// Of a node [Pa].
inline double pressure(const CompiledModel& machine, int node, const StateVector& state) {
  const PressureNode& n = machine.hydraulics.nodes[node];
  return n.state >= 0 ? state.y()[n.state] : Signals(machine.signals, nullptr).value(n.source, state.time, Side::right);
}

/// Length and rate of every cylinder.
template <int D>
void place(const CompiledModel& machine, const StateVector& state, MechanismState<D>& mech) {
  const auto& m = std::get<Mechanism<D>>(machine.mechanism);
  update_inputs(m, Signals(machine.signals, nullptr), state.time, Side::right, mech);
  update_positions(m, state.q(), static_cast<const double*>(nullptr), mech);
  update_rates(m, state.v(), state.a(), mech);
}
/// Lengths, rates and forces of the ports.
struct Ports {
  std::vector<double> s, w, force;
};
inline Ports ports_at(const CompiledModel& machine, const StateVector& state) {
  return std::visit(
      [&]<int D>(const Mechanism<D>& m) -> Ports {
        MechanismState<D> mech(m);
        place(machine, state, mech);
        HydraulicState oil(machine.hydraulics);
        update_inputs(machine.hydraulics, Signals(machine.signals, nullptr), state.time, Side::right, oil);
        evaluate_forces<double>(machine.hydraulics, mech.s.data(), mech.s_dot.data(), state.y(), oil);
        Ports ports{mech.s, mech.s_dot, {}};
        for (const PortForces<>& port : oil.ports) ports.force.push_back(port.force);
        return ports;
      },
      machine.mechanism);
}

/// Inputs of the mechanism of `machine` in a state of the machine.
inline std::vector<double> inputs_at(const CompiledModel& machine, const StateVector& state) {
  const CosimulationDescription& coupling = machine.description.coupling;
  std::vector<double> inputs;
  const Ports ports = ports_at(machine, state);
  for (std::size_t i = 0; i < pistons_of(machine.hydraulics).size(); ++i) {
    const Actuator& a = machine.hydraulics.actuators[i];
    const double p_A = pressure(machine, a.A, state), p_B = pressure(machine, a.B, state);
    if (coupling.variables == CouplingVariables::velocity_pressure) {
      inputs.push_back(p_A);
      inputs.push_back(p_B);
    } else {
      inputs.push_back(coupling.friction == FrictionSide::mechanism ? p_A * a.cylinder.area_A - p_B * a.cylinder.area_B : ports.force[i]);
    }
  }
  return inputs;
}

/// A combination of solver.constraints and solver.integrator, and the order of its error.
struct Treatment {
  const char *constraints, *integrator;
  double order;
};
inline void PrintTo(const Treatment& t, std::ostream* out) { *out << t.constraints << " " << t.integrator; }

inline Settings with(Settings settings, const Settings& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}
inline const Settings kBristles{"cylinders.lift.friction.model=lugre"};
inline Settings treatment(const Treatment& t) {
  return {std::string("solver.constraints=") + t.constraints, std::string("solver.integrator=") + t.integrator};
}

inline constexpr Treatment kTreatments[] = {{"penalty", "trapezoidal", 2},   {"double_step", "trapezoidal", 2},
                                            {"baumgarte", "trapezoidal", 2}, {"double_step", "semi_implicit_euler", 1},
                                            {"baumgarte", "euler", 1},       {"ali1", "semi_implicit_euler", 1},
                                            {"double_step", "rk4", 4}};

/// Constant inputs of a state.
inline std::vector<TimePolynomial> locked(const CompiledModel& machine, const StateVector& state) {
  std::vector<TimePolynomial> courses;
  for (double value : inputs_at(machine, state)) {
    courses.emplace_back();
    courses.back().begin = state.time;
    courses.back().c[0] = value;
  }
  return courses;
}

}  // namespace trunnion::test
