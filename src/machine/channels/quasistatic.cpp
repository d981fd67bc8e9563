// SPDX-License-Identifier: BSD-3-Clause
#include "machine/channels/quasistatic.h"

namespace trunnion {

namespace {

using Array = ValuePlace::Array;

QuasistaticChannels::Port add_port(const Hydraulics& netlist, const QuasistaticPort& port, ChannelList& list) {
  const std::string n = netlist.actuators[port.actuator].name;
  const bool rotary = netlist.actuators[port.actuator].is_rotary;
  const auto add = [&](const char* name, const char* unit, const char* meaning) {
    return list.add("quasistatic", n + name, unit, meaning);
  };
  const auto flow = [&](const char* name, const char* meaning) { return add(name, "m^3/s", meaning); };
  list.add("quasistatic", n + ".spool", "", "acting command, in the unit of its signal", {Array::y, netlist.spools[port.lever].state});
  list.add("quasistatic", n + ".piston", rotary ? "rad" : "m", "position of the actuator proper, behind its virtual element",
           {Array::y, port.state});
  QuasistaticChannels::Port c{};
  c.rate = add(".piston_rate", rotary ? "rad/s" : "m/s", "rate of the piston");
  c.pressure_A = add(".pressure_A", "Pa", "absolute pressure in chamber A");
  c.pressure_B = add(".pressure_B", "Pa", "absolute pressure in chamber B");
  c.P_A = flow(".flow_P_A", "flow from the pump to chamber A");
  c.P_B = flow(".flow_P_B", "flow from the pump to chamber B");
  c.A_T = flow(".flow_A_T", "flow from chamber A through its valve to the tank");
  c.B_T = flow(".flow_B_T", "flow from chamber B through its valve to the tank");
  c.relief_A = flow(".relief_flow_A", "flow of the relief valve of chamber A; negative: suction from the tank");
  c.relief_B = flow(".relief_flow_B", "flow of the relief valve of chamber B; negative: suction from the tank");
  c.B_A = port.regenerates ? flow(".flow_B_A", "regeneration: flow from chamber B to chamber A") : -1;
  c.segment = add(".segment", "",
                  "segment of the force-velocity curve: 0 hold, 1 to 8 extending +0a +0b +1a +1b +2a +2b +3 -FrM, 9 to 16 retracting "
                  "-0a -0b -1a -1b -2a -2b -3 FhM");
  c.loss = add(".power_loss", "W", "power dissipated in its valves");
  c.element = add(".element_power", "W", "power dissipated in the virtual element");
  list.add_entry(n + ".valves", Account::throttling);
  list.add_entry(n + ".element", Account::friction);
  return c;
}

}  // namespace

[[gnu::cold]] QuasistaticChannels::QuasistaticChannels(const CompiledModel& model, ChannelList& list) {
  for (const QuasistaticCircuit& q : model.hydraulics.quasistatic) {
    Circuit& cells = circuits.emplace_back();
    for (const QuasistaticPort& port : q.ports) cells.ports.push_back(add_port(model.hydraulics, port, list));
    const auto add = [&](const char* name, const char* unit, const char* meaning) {
      return list.add("quasistatic", q.name + name, unit, meaning);
    };
    cells.pressure = add(".pressure", "Pa", "absolute pressure at the pump");
    cells.flow = add(".flow", "m^3/s", "flow of the pump");
    cells.bleed = add(".bleed_flow", "m^3/s", "flow of the bleed valve");
    cells.relief = add(".relief_flow", "m^3/s", "flow of the pump's relief valve");
    cells.power = add(".power", "W", "power of the pump into the oil");
    cells.loss = add(".power_loss", "W", "power dissipated in its bleed and relief valves");
    list.add_entry(q.name, Account::supply);
    list.add_entry(q.name + ".valves", Account::throttling);
  }
}

template <int D, class S>
void read_quasistatic(const QuasistaticChannels& channels, MachineValues<D, S>& x) {
  const auto number = [](double value, double change) {
    if constexpr (kPlain<S>)
      return value;
    else
      return S::chain(value, change, S::variable(0, 0));
  };
  for (std::size_t i = 0; i < x.netlist.quasistatic.size(); ++i) {
    const QuasistaticCircuit& q = x.netlist.quasistatic[i];
    const QuasistaticChannels::Circuit& cells = channels.circuits[i];
    QuasistaticWork& work = x.oil.quasistatic[i];
    if (q.discrete) {  // any line through the point of the last step
      read_command(q, x.oil.signal[q.flow], x.oil.spool.data(), work);
      for (std::size_t j = 0; j < q.ports.size(); ++j) {
        const QuasistaticPort& port = q.ports[j];
        work.beta[j] = port.element.damping;
        work.fbar[j] = value_of(x.y[port.state + kElementForce]) - work.beta[j] * value_of(x.y[port.state + kPistonRate]);
      }
    }
    if (kPlain<S> || q.discrete) recover_flows(q, work);
    const S tank = x.oil.pressure[q.tank], P = number(work.pump.P, work.pump_change.P);
    for (std::size_t j = 0; j < q.ports.size(); ++j) {
      const QuasistaticPort& port = q.ports[j];
      const QuasistaticChannels::Port& c = cells.ports[j];
      const MeteringFlows &at = work.flows[j], &d = work.flow_changes[j];
      const S rate = number(at.v, d.v);
      x.set(c.rate, rate);
      x.set(c.pressure_A, tank + number(at.P_h, d.P_h));
      x.set(c.pressure_B, tank + number(at.P_r, d.P_r));
      x.set(c.P_A, number(at.Q_ph, d.Q_ph));
      x.set(c.P_B, number(at.Q_pr, d.Q_pr));
      x.set(c.A_T, number(at.Q_th, d.Q_th));
      x.set(c.B_T, number(at.Q_tr, d.Q_tr));
      x.set(c.relief_A, number(at.Q_ho, d.Q_ho));
      x.set(c.relief_B, number(at.Q_ro, d.Q_ro));
      x.set(c.B_A, number(at.Q_a, d.Q_a));
      x.set(c.segment, static_cast<double>(at.segment));
      x.set(c.loss, x.add_power(P * number(at.Q_p, d.Q_p) - rate * number(at.f, d.f)));
      const S stretch = x.y[port.state] - x.mechanism.s[port.actuator], slip = rate - x.mechanism.s_dot[port.actuator];
      x.ledger.stored.cylinder += 0.5 * port.element.stiffness * stretch * stretch;
      x.set(c.element, x.add_power(port.element.damping * slip * slip));
    }
    const S flow = number(work.pump.Q, work.pump_change.Q), bleed = number(work.pump.Q_bleed, work.pump_change.Q_bleed),
            relief = number(work.pump.Q_relief, work.pump_change.Q_relief);
    x.set(cells.pressure, tank + P);
    x.set(cells.flow, flow);
    x.set(cells.bleed, bleed);
    x.set(cells.relief, relief);
    x.set(cells.power, x.add_power(P * flow));
    x.set(cells.loss, x.add_power(P * (bleed + relief)));
  }
}
TR_INSTANTIATE_READING(read_quasistatic, QuasistaticChannels)

}  // namespace trunnion
