// Descriptions of valves -> flow elements and components of the netlist.
// SPDX-License-Identifier: BSD-3-Clause
#include <utility>

#include "model/netlist_builder.h"

namespace trunnion {

void NetlistBuilder::add_valve(const std::string& name, const OrificeDescription& v) {
  Orifice o;
  o.name = name;
  o.A = node(v.A);
  o.B = node(v.B);
  o.zone = LaminarZone(v.laminar_limit);
  o.coefficient = orifice_coefficient(v, netlist_.fluid);
  if (v.signal) o.spool = add_spool(name, v.dynamics, *v.signal);
  o.opening.points = v.opening;
  std::get<std::vector<Orifice>>(netlist_.elements).push_back(o);
}

void NetlistBuilder::add_valve(const std::string& name, const CheckValveDescription& v) {
  OneWayValve valve{name, node(v.A), node(v.B), {}};
  valve.law.cracking = v.cracking_pressure;
  valve.law.coefficient = orifice_coefficient(v, netlist_.fluid, v.cracking_pressure);
  valve.law.zone = LaminarZone(v.laminar_limit);
  std::get<std::vector<OneWayValve>>(netlist_.elements).push_back(valve);
}

void NetlistBuilder::add_valve(const std::string& name, const ReliefValveDescription& v) {
  if (v.frequency || v.time_constant > 0) return add_component(name, "valves", plan_component(v, netlist_.fluid));
  OneWayValve valve{name, node(v.A), node(v.B), {}};
  valve.law.cracking = v.cracking_pressure;
  valve.law.gradient = v.gradient ? *v.gradient : *v.flow / *v.override_pressure;
  std::get<std::vector<OneWayValve>>(netlist_.elements).push_back(valve);
}

void NetlistBuilder::add_valve(const std::string& name, const SpoolValveDescription& v) {
  const int spool = add_spool(name, v.dynamics, v.signal);
  for (EdgePlan& edge : plan_edges(v, netlist_.fluid)) {
    Orifice o;
    o.name = name + "." + edge.name;
    o.A = node(edge.A);
    o.B = node(edge.B);
    o.coefficient = edge.coefficient;
    o.zone = LaminarZone(edge.laminar_limit);
    o.spool = spool;
    o.opening.points = std::move(edge.opening);
    std::get<std::vector<Orifice>>(netlist_.elements).push_back(std::move(o));
  }
}

void NetlistBuilder::add_valve(const std::string& name, const DirectionalValveDescription& v) {
  DirectionalValve valve;
  valve.name = name;
  valve.P = node(v.P);
  valve.T = node(v.T);
  valve.A = node(v.A);
  valve.B = node(v.B);
  valve.coefficient = nominal_coefficient(v.flow, v.at_pressure_drop) / v.at_signal;
  valve.dead_band = v.dead_band;
  valve.at_signal = v.at_signal;
  valve.zone = LaminarZone(v.laminar_limit);
  valve.spool = add_spool(name, v.dynamics, v.signal);
  std::get<std::vector<DirectionalValve>>(netlist_.elements).push_back(valve);
}

}  // namespace trunnion
