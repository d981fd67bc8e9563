// SPDX-License-Identifier: BSD-3-Clause
#include "machine/channels/actuators.h"

#include <algorithm>

namespace trunnion {

namespace {

using Array = ValuePlace::Array;

struct ActuatorWords {
  const char *position, *position_unit, *position_meaning, *rate_unit, *rate_meaning;
  const char *force, *force_unit, *force_meaning, *power_meaning, *bristle_unit;
};
constexpr ActuatorWords kCylinderWords{"length",
                                       "m",
                                       "distance between the mounts",
                                       "m/s",
                                       "rate of the length, positive when extending",
                                       "force",
                                       "N",
                                       "net force on the mechanism, positive when pushing",
                                       "power on the mechanism, force times rate",
                                       "m"};
constexpr ActuatorWords kMotorWords{"angle",
                                    "rad",
                                    "joint angle",
                                    "rad/s",
                                    "rate of the joint angle",
                                    "torque",
                                    "N m",
                                    "net torque on the mechanism, positive when turning the joint forward",
                                    "power on the mechanism, torque times rate",
                                    "rad"};

void add_friction_states(const std::string& section, const std::string& stem, const Actuator& a, const char* bristle_unit,
                         ChannelList& list) {
  const auto states = friction_state_info(a.friction);
  for (std::size_t k = 0; k < states.size(); ++k) {
    const bool bristle = states[k].unit == "m";
    const char* const of_bristle = states[k].name != "bristle" ? "deflection of an element of the friction law"
                                   : a.A >= 0                  ? "mean deflection of the seal's bristles"
                                                               : "mean deflection of the bristles";
    list.add(section, stem + std::string(states[k].name), bristle ? bristle_unit : "",
             bristle ? of_bristle : "thickness of the lubricating film, relative", {Array::y, a.state + static_cast<int>(k)});
  }
}

ActuatorChannels::Piston add_piston(const CompiledModel& model, int i, ChannelList& list) {
  const Actuator& a = model.hydraulics.actuators[static_cast<std::size_t>(i)];
  const ActuatorWords& w = a.is_rotary ? kMotorWords : kCylinderWords;
  const std::string section = a.section, n = a.name;
  list.add(section, n + "." + w.position, w.position_unit, w.position_meaning, {Array::port_position, i});
  list.add(section, n + ".rate", w.rate_unit, w.rate_meaning, {Array::port_rate, i});
  ActuatorChannels::Piston cells{};
  cells.angle = model.planar && !a.is_rotary
                    ? list.add(section, n + ".angle", "rad", "direction from base to rod end, from ground x projected into the plane")
                    : -1;
  list.add(section, n + "." + w.force, w.force_unit, w.force_meaning, {Array::port_force, i});
  list.add(section, n + ".friction", w.force_unit, "seal friction, positive with positive rate", {Array::port_friction, i});
  if (a.cylinder.viscous > 0)
    list.add(section, n + ".viscous", w.force_unit, "viscous drag, positive with positive rate", {Array::port_viscous, i});
  if (a.cylinder.damper.length > 0)
    list.add(section, n + ".end_damper", w.force_unit, std::string(w.force) + " of the end dampers, positive when pushing",
             {Array::port_damper, i});
  cells.power = list.add(section, n + ".power", "W", w.power_meaning);
  cells.flow_A = list.add(section, n + ".flow_A", "m^3/s", "displaced flow into chamber A");
  cells.flow_B = a.cylinder.area_B > 0 ? list.add(section, n + ".flow_B", "m^3/s", "displaced flow out of chamber B") : -1;
  if (a.spool >= 0) {
    const Spool& spool = model.hydraulics.spools[static_cast<std::size_t>(a.spool)];
    list.add(section, spool.name + ".spool", "", "acting command, in the unit of its signal", {Array::y, spool.state});
  }
  add_friction_states(section, n + ".", a, w.bristle_unit, list);
  list.add_entry(n, Account::actuator);
  list.add_entry(n, Account::friction);
  return cells;
}

/// Position and rate of a coordinate that is not one of the tree; friction and limits, if it has any.
[[gnu::cold]] bool add_joint_elements(const CompiledModel& model, const JointPort& port, ChannelList& list,
                                      ActuatorChannels::Joint& cells) {
  const CoordinatePlace& place = port.place;
  const Actuator& a = model.hydraulics.actuators[static_cast<std::size_t>(port.port)];
  const bool is_angle = a.is_rotary;
  const std::string section = a.section, load = is_angle ? "torque" : "force", unit = is_angle ? "N m" : "N",
                    stem = place.joint + (place.alone ? std::string(".") : "." + std::string(place.name.position) + "_");
  if (place.of_loop) {
    list.add(section, place.joint + "." + place.name.position, is_angle ? "rad" : "m",
             is_angle ? "angle of the second body relative to the first" : "displacement of the second body along the axis",
             {Array::port_position, port.port});
    list.add(section, place.joint + "." + place.name.rate, is_angle ? "rad/s" : "m/s", std::string("rate of ") + place.name.position,
             {Array::port_rate, port.port});
  }
  const CoordinateElements* elements = elements_of(model.description, place);
  if (elements == nullptr) return false;
  cells.actuator = port.port;
  if (elements->friction) {
    list.add(section, stem + "friction_" + load, unit.c_str(), "friction " + load + ", positive with positive rate",
             {Array::port_friction, port.port});
    if (a.load >= 0)
      list.add(section, stem + "friction_load", "", "load of the joint over `nominal_load`: factor of its friction",
               {Array::y, a.load + kAppliedLoad});
    cells.power = list.add(section, stem + "friction_power", "W", "power taken by friction, " + load + " times rate");
  }
  if (elements->limits)
    list.add(section, stem + "limit_" + load, unit.c_str(), load + " of the limits, positive towards larger values",
             {Array::port_damper, port.port});
  add_friction_states(section, stem, a, is_angle ? "rad" : "m", list);
  list.add_entry(section + "." + a.name, Account::damping);
  return true;
}

/// Energies of bristles and dampers are functions of the state, added to `stored`; the rest of their power is heat.
template <int D, class S>
S actuator_heat(const MachineValues<D, S>& x, int i, S& stored) {
  const Actuator& a = x.netlist.actuators[i];
  const PortForces<S>& port = x.oil.ports[i];
  const S &s = x.mechanism.s[i], &rate = x.mechanism.s_dot[i];
  S heat = port.viscous * rate - port.damper * rate;
  if (a.cylinder.coulomb > 0) heat += a.cylinder.drag(x.oil.pressure[a.A], x.oil.pressure[a.B], rate) * rate;
  if constexpr (kPlain<S>) {
    if (a.load >= 0) {  // its bristles take over more load or release it at every instant: no function of the state is their energy
      heat += port.friction * rate;
    } else {  // what pressures add to the friction is heat: bristles store what they would without
      const double* const states = x.y.data() + a.state;
      const double factor = friction_factor(a, x.oil.pressure, x.y.data());
      heat += friction_dissipated_power(a.friction, rate, states) + (1 - 1 / factor) * port.friction * rate;
      stored += friction_stored_energy(a.friction, states);
    }
  }
  const EndDamper& d = a.cylinder.damper;
  const S x_A = max(S(d.length - a.cylinder.chamber_A(s)), 0.0), x_B = max(S(d.length - a.cylinder.chamber_B(s)), 0.0);
  stored += 0.5 * d.stiffness * (x_A * x_A + x_B * x_B);
  return heat - d.stiffness * (x_B - x_A) * rate;
}

}  // namespace

ActuatorChannels::ActuatorChannels(const CompiledModel& model, ChannelList& list) {
  for (int i = 0; i < model.hydraulics.pistons; ++i) pistons.push_back(add_piston(model, i, list));
  for (const JointPort& port : model.joint_ports) {
    if (port.port < model.hydraulics.pistons) continue;
    Joint cells;
    if (add_joint_elements(model, port, list, cells)) joints.push_back(cells);
  }
}

template <int D, class S>
void read_actuators(const ActuatorChannels& channels, MachineValues<D, S>& x) {
  std::fill(x.outflow.begin(), x.outflow.end(), S(0));
  for (int i = 0; i < x.netlist.pistons; ++i) {
    const Actuator& a = x.netlist.actuators[i];
    const ActuatorChannels::Piston& cells = channels.pistons[i];
    const S &rate = x.mechanism.s_dot[i], swept = fraction_of(a, x.oil.spool) * rate;
    if constexpr (D == 2)
      if (cells.angle >= 0) x.set(cells.angle, atan2(x.mechanism.ports[i].u.y(), x.mechanism.ports[i].u.x()));
    x.set(cells.power, x.add_power(x.oil.ports[i].force * rate));
    x.set(cells.flow_A, a.cylinder.area_A * swept);
    x.set(cells.flow_B, a.cylinder.area_B * swept);
    const auto add_source = [&](int node, double area) {
      if (x.netlist.nodes[node].state < 0) x.outflow[node] += area * swept;
    };
    add_source(a.A, a.cylinder.area_A);
    add_source(a.B, -a.cylinder.area_B);
    x.add_power(actuator_heat(x, i, x.ledger.stored.cylinder));
  }
  for (const ActuatorChannels::Joint& c : channels.joints) {
    x.set(c.power, x.oil.ports[c.actuator].friction * x.mechanism.s_dot[c.actuator]);
    const S before = x.ledger.stored.spring;
    x.add_power(actuator_heat(x, c.actuator, x.ledger.stored.spring));
    const PortForces<S>& port = x.oil.ports[c.actuator];
    x.add_impulse_load(port.damper - port.friction - port.viscous, x.mechanism.s_dot[c.actuator], x.ledger.stored.spring - before,
                       x.netlist.actuators[c.actuator].cylinder.damper.rigid ? port.damper : S(0.0));
  }
}
TR_INSTANTIATE_READING(read_actuators, ActuatorChannels)

}  // namespace trunnion
