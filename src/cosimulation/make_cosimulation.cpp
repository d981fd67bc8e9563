// A machine -> its subsystems and their master.
// SPDX-License-Identifier: BSD-3-Clause
#include <set>

#include "cosimulation/cosimulation.h"

namespace trunnion {

namespace {

/// Corners of all signals that drive the machine.
std::vector<double> corners_of(const CompiledModel& model) {
  std::set<double> times;
  const auto add = [&](SignalIndex signal) {
    const std::vector<double> corners = model.signals.corners(signal);
    times.insert(corners.begin(), corners.end());
  };
  for (SignalIndex signal : model.hydraulics.used_signals) add(signal);
  std::visit(
      [&](const auto& mechanism) {
        for (SignalIndex signal : mechanism.force_signals) add(signal);
      },
      model.mechanism);
  return {times.begin(), times.end()};
}

CouplingPlan plan_of(const CompiledModel& model) {
  CouplingPlan plan;
  plan.settings = model.description.coupling;
  const Hydraulics& netlist = model.hydraulics;
  for (const int i : coupling_ports(netlist)) {
    using Kind = CouplingPlan::Port::Kind;
    const Actuator& a = netlist.actuators[static_cast<std::size_t>(i)];
    const bool piston = i < netlist.pistons;
    plan.ports.push_back({a.name, a.cylinder.area_A, a.cylinder.area_B, piston,
                          piston         ? Kind::piston
                          : a.drive >= 0 ? Kind::load
                                         : Kind::reading});
  }
  for (const QuasistaticCircuit& q : netlist.quasistatic)
    for (const QuasistaticPort& port : q.ports) plan.ports[port.actuator].has_pressures = false;
  plan.step = grid_step(model.description);
  plan.accept_capped = model.description.solver.accept_capped;
  plan.corners = corners_of(model);
  plan.actuators = static_cast<int>(netlist.actuators.size());
  plan.volumes = static_cast<int>(model.hydraulics.volumes.size());
  plan.mechanism_steps = mechanism_steps_of(model.description);
  return plan;
}

/// The machine with the settings implied by its scheme: sequential and parallel place the whole force on the hydraulic side.
std::shared_ptr<const CompiledModel> as_cut(const std::shared_ptr<const CompiledModel>& model) {
  const CouplingScheme scheme = model->description.coupling.scheme;
  if (scheme != CouplingScheme::sequential && scheme != CouplingScheme::parallel) return model;
  auto cut = std::make_shared<CompiledModel>(*model);
  cut->description.coupling.variables = CouplingVariables::velocity_force;
  cut->description.coupling.friction = FrictionSide::hydraulics;
  return cut;
}

/// The mechanism of `parallel` represents the oil by its pressures alone.
void check_linear_oil(const CompiledModel& model) {
  if (model.description.coupling.scheme != CouplingScheme::parallel) return;
  std::vector<Diagnostic> findings;
  for (const Component& c : model.hydraulics.components)
    if (!c.law->info().states.empty()) {
      const std::string path = c.section + "." + c.name;
      findings.push_back({span_of(model.description, path), path,
                          "it has internal states, and `parallel` passes only pressures to the mechanism",
                          "a machine without such components", "coupling.scheme: sequential"});
    }
  if (!findings.empty()) throw InputError(std::move(findings));
}

}  // namespace

std::unique_ptr<Stepper> make_cosimulation(const std::shared_ptr<const CompiledModel>& model) {
  const CosimulationDescription& settings = model->description.coupling;
  check_linear_oil(*model);
  const std::shared_ptr<const CompiledModel> cut = as_cut(model);
  std::vector<std::unique_ptr<HydraulicSubsystem>> oil;
  for (const HydraulicGroup& group : hydraulic_groups(*model)) {
    const SubsystemDescription own = group.settings != nullptr ? *group.settings : SubsystemDescription{};
    oil.push_back(make_hydraulic_subsystem(cut, group.circuits, own.integrator ? own.integrator : settings.integrator,
                                           own.step.value_or(settings.hydraulic_step)));
  }
  return std::make_unique<Cosimulation>(plan_of(*model), make_mechanism_subsystem(cut, settings.scheme == CouplingScheme::parallel),
                                        std::move(oil));
}

}  // namespace trunnion
