// Memory of a co-simulation: layout, subsystems and their circuits.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/coupling_memory.h"

#include "model/model.h"

namespace trunnion {

namespace {

/// The circuits of a volume or cylinder that a subsystem names.
int circuit_of(const Hydraulics& netlist, const std::string& part) {
  for (const Actuator& a : pistons_of(netlist))
    if (a.name == part) return a.circuit;
  for (const Volume& v : netlist.volumes)
    if (netlist.nodes[v.node].name == part) return netlist.nodes[v.node].circuit;
  throw Error("there is no cylinder or volume '" + part + "'");
}

std::string name_of_circuit(const Hydraulics& netlist, int circuit) {
  for (const Actuator& a : pistons_of(netlist))
    if (a.circuit == circuit) return a.name;
  for (const Volume& v : netlist.volumes)
    if (netlist.nodes[v.node].circuit == circuit) return netlist.nodes[v.node].name;
  for (const ControlBlock& b : netlist.control)
    if (b.circuit == circuit) return b.name;
  return "circuit";
}

bool has_control(const Hydraulics& netlist, int circuit) {
  return std::any_of(netlist.control.begin(), netlist.control.end(), [&](const ControlBlock& b) { return b.circuit == circuit; });
}

bool lockstep(const CosimulationDescription& c) {
  return c.scheme == CouplingScheme::sequential || c.scheme == CouplingScheme::parallel ||
         c.prediction == CouplingPrediction::interface_model;
}

}  // namespace

bool exchanges_pressures(const CosimulationDescription& c) {
  return c.variables == CouplingVariables::velocity_pressure && c.scheme != CouplingScheme::sequential &&
         c.scheme != CouplingScheme::parallel;
}

std::vector<int> coupling_ports(const Hydraulics& netlist) {
  std::vector<int> ports;
  for (int i = 0; i < static_cast<int>(netlist.actuators.size()); ++i)
    if (i < netlist.pistons || has_control(netlist, netlist.actuators[static_cast<std::size_t>(i)].circuit)) ports.push_back(i);
  return ports;
}

CouplingMemory coupling_memory(const CompiledModel& model) {
  const Hydraulics& netlist = model.hydraulics;
  const int loads = static_cast<int>(model.driven_loads.size()), ports = static_cast<int>(coupling_ports(netlist).size());
  return {netlist.pistons, exchanges_pressures(model.description.coupling), ports - netlist.pistons - loads, loads};
}

std::vector<HydraulicGroup> hydraulic_groups(const CompiledModel& model) {
  const Hydraulics& netlist = model.hydraulics;
  std::vector<HydraulicGroup> groups;
  constexpr int kMechanism = -2;  // what acts on joint coordinates and is not read by control blocks belongs to the mechanism
  std::vector<int> owner(netlist.circuits.size(), -1);
  for (std::size_t i = static_cast<std::size_t>(netlist.pistons); i < netlist.actuators.size(); ++i)
    if (const int circuit = netlist.actuators[i].circuit; !has_control(netlist, circuit))
      owner[static_cast<std::size_t>(circuit)] = kMechanism;
  std::vector<Diagnostic> findings;
  for (const auto& [name, subsystem] : model.description.coupling.subsystems) {
    groups.push_back({name, {}, &subsystem});
    const int self = static_cast<int>(groups.size()) - 1;
    for (std::size_t i = 0; i < subsystem.parts.size(); ++i) {
      const int circuit = circuit_of(netlist, subsystem.parts[i]);
      int& of = owner[static_cast<std::size_t>(circuit)];
      if (of == self) continue;
      if (of >= 0) {
        const std::string path = "coupling.subsystems." + name + ".parts." + std::to_string(i);
        findings.push_back(
            {span_of(model.description, path), path,
             "the circuit of `" + subsystem.parts[i] + "` is already in the subsystem `" + groups[static_cast<std::size_t>(of)].name + "`",
             "each circuit in one subsystem", "parts that can exchange oil, or that control blocks connect, are in one circuit"});
        continue;
      }
      of = self;
      groups.back().circuits.push_back(circuit);
    }
  }
  if (!findings.empty()) throw InputError(std::move(findings));
  for (HydraulicGroup& group : groups) std::sort(group.circuits.begin(), group.circuits.end());
  for (std::size_t i = 0; i < owner.size(); ++i)
    if (owner[i] == -1) groups.push_back({name_of_circuit(netlist, static_cast<int>(i)), {static_cast<int>(i)}, nullptr});
  if (!lockstep(model.description.coupling) || groups.empty()) return groups;
  HydraulicGroup all{"oil", {}, nullptr};
  for (std::size_t i = 0; i < owner.size(); ++i)
    if (owner[i] != kMechanism) all.circuits.push_back(static_cast<int>(i));
  return {all};
}

}  // namespace trunnion
