// Descriptions of quasistatic circuits -> their actuators, valves and virtual elements.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "model/netlist_builder.h"

namespace trunnion {

const std::string& NetlistBuilder::tank_of(const std::string& actuator) const {
  for (const auto& [name, q] : d_.quasistatic)
    for (const auto& item : q.actuators)
      if (item.first == actuator) return q.tank;
  throw Error("`" + actuator + "` has neither chambers on nodes nor a quasistatic circuit");
}

CommandedOpening NetlistBuilder::opening(const std::string& name, const MeteringValveDescription& m, int lever) {
  return {has_command(m) ? add_spool(name, 0, m.command) : lever, {m.opening}};
}

VirtualElement NetlistBuilder::element(const VirtualElementDescription& e, const Cylinder& c) const {
  const auto capacity = [&](double area, double length, double line) {
    return (area * length + line) * netlist_.fluid.compressibility + area * length * c.wall_compressibility;
  };
  VirtualElement element;
  element.stiffness = e.stiffness ? *e.stiffness
                                  : oil_stiffness(c.area_A, capacity(c.area_A, c.chamber_A0, e.line_volume_A), c.area_B,
                                                  capacity(c.area_B, c.chamber_B0, e.line_volume_B));
  element.damping = e.damping ? *e.damping : settling_damping(element.stiffness, *e.settling_time);
  return element;
}

void NetlistBuilder::add_quasistatic(const std::string& name, const QuasistaticDescription& q) {
  std::vector<MeteringActuator> actuators;
  std::vector<QuasistaticPort> ports;
  for (const auto& [actuator, m] : q.actuators) {
    const auto at =
        std::find_if(netlist_.actuators.begin(), netlist_.actuators.end(), [&n = actuator](const Actuator& a) { return a.name == n; });
    const Cylinder& c = at->cylinder;
    MeteringActuator constants;
    constants.area_h = c.area_A;
    constants.area_r = c.area_B;
    constants.relief_h = m.relief_A;
    constants.relief_r = m.relief_B;
    constants.c_ph = orifice_coefficient(m.P_A, netlist_.fluid);
    constants.c_tr = orifice_coefficient(m.B_T, netlist_.fluid);
    constants.c_pr = orifice_coefficient(m.P_B, netlist_.fluid);
    constants.c_th = orifice_coefficient(m.A_T, netlist_.fluid);
    constants.c_a = m.B_A ? orifice_coefficient(*m.B_A, netlist_.fluid) : 0;
    actuators.push_back(constants);
    QuasistaticPort port;
    port.actuator = static_cast<int>(at - netlist_.actuators.begin());
    port.lever = add_spool(actuator, m.time_constant, m.command);
    port.ph = opening(actuator + ".P_A", m.P_A, port.lever);
    port.tr = opening(actuator + ".B_T", m.B_T, port.lever);
    port.pr = opening(actuator + ".P_B", m.P_B, port.lever);
    port.th = opening(actuator + ".A_T", m.A_T, port.lever);
    port.regenerates = m.B_A.has_value();
    if (m.B_A) port.a = opening(actuator + ".B_A", *m.B_A, port.lever);
    port.element = element(m.element, c);
    port.state = add_state(actuator + ".piston", c.length_0);
    if (q.form == VirtualElementForm::discrete) {
      add_state(actuator + ".last_length", c.length_0);
      add_state(actuator + ".piston_rate", 0);
      add_state(actuator + ".element_force", 0);
    }
    ports.push_back(port);
  }
  QuasistaticCircuit circuit{name,
                             MeteringCircuit(actuators, {q.relief, q.bleed ? orifice_coefficient(*q.bleed, netlist_.fluid) : 0}),
                             signal(q.flow),
                             q.bleed ? opening(name + ".bleed", *q.bleed, -1) : CommandedOpening{},
                             {q.open_centre},
                             q.form == VirtualElementForm::discrete,
                             node(q.tank),
                             std::move(ports)};
  netlist_.quasistatic.push_back(std::move(circuit));
}

}  // namespace trunnion
