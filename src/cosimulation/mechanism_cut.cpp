// Extracts the mechanism of a machine.
// SPDX-License-Identifier: BSD-3-Clause
#include "cosimulation/mechanism_cut.h"

#include <numeric>

#include "model/compile_parts.h"
#include "model/coupling_memory.h"

namespace trunnion {

namespace {

constexpr double kNoSaturation = -1e300;  // [Pa] linear oil has no free air

bool publishes_forces(const CompiledModel& machine) { return machine.description.coupling.variables == CouplingVariables::velocity_force; }

void finish(const CompiledModel& machine, MechanismCut& cut) {
  CompiledModel& model = *cut.model;
  Hydraulics& netlist = model.hydraulics;
  netlist.ny = static_cast<int>(cut.states.size());
  netlist.signals = model.signals.size();
  model.layout.ny = netlist.ny;
  model.layout.coupling = 0;
  model.description.solver.coupling = CouplingKind::monolithic;
  model.relative.reset();  // model with the complete oil
  model.y_start.assign(cut.states.size(), 0);
  model.state_names.clear();
  for (int state : cut.states) model.state_names.push_back(machine.state_names[state]);
  collect_jumps(model);
}

}  // namespace

std::size_t count_inputs(const CompiledModel& machine) { return static_cast<std::size_t>(coupling_memory(machine).bonds()); }

MechanismCut cut_fed(const CompiledModel& machine, const std::vector<TimePolynomial>& inputs) {
  MechanismCut cut{std::make_shared<CompiledModel>(machine), {}};
  CompiledModel& model = *cut.model;
  const bool forces = publishes_forces(machine), bare = forces && machine.description.coupling.friction == FrictionSide::hydraulics;
  const TimePolynomial* input = inputs.data();
  Hydraulics h;
  h.fluid = machine.hydraulics.fluid;
  h.pistons = machine.hydraulics.pistons;
  const auto add_input = [&] { return h.used_signals.emplace_back(model.signals.add_feed(input++)); };
  const auto add_source = [&](const std::string& name) {
    add_input();
    h.nodes.push_back({name, -1, -1, -1, h.used_signals.back()});
    return static_cast<int>(h.nodes.size()) - 1;
  };
  int block = 0;
  for (Actuator a : machine.hydraulics.actuators) {
    const bool piston = static_cast<int>(h.actuators.size()) < h.pistons;
    if (piston) {
      a.A = add_source(a.name + (forces ? "" : ".A"));
      a.B = forces ? a.A : add_source(a.name + ".B");
    }
    a.spool = -1;
    if (a.drive >= 0) {
      a.drive = add_input();
      a.gain = 1;
    }
    if (piston && forces) {
      a.cylinder.coulomb = a.cylinder.friction_A = a.cylinder.friction_B = 0;
      a.cylinder.area_A = 1;
      a.cylinder.area_B = 0;
    }
    if (piston && bare) {
      a.friction = NoFriction{};
      a.friction_states = 0;
      a.cylinder.viscous = 0;
      a.cylinder.damper = {};
    }
    // a circuit with its friction states only
    Circuit circuit;
    circuit.size = a.friction_local ? 0 : a.friction_states;
    circuit.offset = static_cast<int>(h.unknown_state.size());
    circuit.block = block;
    circuit.actuators = circuit.acting = {static_cast<int>(h.actuators.size())};
    block += circuit.size * circuit.size;
    const int first = a.state;
    a.state = static_cast<int>(cut.states.size());
    a.circuit = static_cast<int>(h.circuits.size());
    a.local = 0;
    for (int k = 0; k < a.friction_states; ++k) {
      cut.states.push_back(first + k);
      if (!a.friction_local) h.unknown_state.push_back(a.state + k);
    }
    h.circuits.push_back(std::move(circuit));
    h.actuators.push_back(std::move(a));
  }
  model.hydraulics = std::move(h);
  finish(machine, cut);
  return cut;
}

MechanismCut cut_on_linear_oil(const CompiledModel& machine, const LinearOil* oil) {
  MechanismCut cut{std::make_shared<CompiledModel>(machine), {}};
  Hydraulics& netlist = cut.model->hydraulics;
  // spools are the last states, so that volumes and friction keep their indices
  cut.states.resize(machine.hydraulics.ny);
  for (const Spool& spool : machine.hydraulics.spools) cut.states.resize(cut.states.size() - spool.states());
  std::iota(cut.states.begin(), cut.states.end(), 0);
  netlist.elements = {};
  netlist.flow_sources.clear();
  netlist.components.clear();
  netlist.spools.clear();
  netlist.fluid.saturation_pressure = kNoSaturation;
  netlist.fluid.free_air = 0;
  netlist.used_signals.clear();
  for (const PressureNode& node : netlist.nodes)
    if (node.source >= 0) netlist.used_signals.push_back(node.source);
  netlist.linear_oil = oil;
  finish(machine, cut);
  return cut;
}

}  // namespace trunnion
