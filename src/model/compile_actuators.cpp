// Descriptions of cylinders, motors, and what acts on coordinates of joints -> actuators of the netlist with their friction and limits.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "model/netlist_builder.h"

namespace trunnion {

void NetlistBuilder::add_cylinder(const std::string& name, const CylinderDescription& c, double length) {
  Actuator a;
  a.cylinder.chamber_A0 = c.chamber_length_A.value_or(1);
  a.cylinder.chamber_B0 = c.chamber_length_B.value_or(c.plunger ? kNever : 1);
  a.cylinder.travel = c.chamber_length_A ? 1 : 0;  // unlimited stroke
  if (c.plunger) {
    a.cylinder.area_A = circle_area(*c.plunger);
    a.B = node(c.A);
  } else {
    a.cylinder.area_A = c.area_A ? *c.area_A : circle_area(c.bore.value_or(0));
    a.cylinder.area_B = c.area_B ? *c.area_B : circle_area(c.bore.value_or(0)) - circle_area(c.rod.value_or(0));
  }
  add_cushion(name + ".cushion_A", c.A, c.cushion_A, a.cylinder.chamber_A0 - length, 1);
  add_cushion(name + ".cushion_B", c.B, c.cushion_B, a.cylinder.chamber_B0 + length, -1);
  add_actuator(name, c, length, std::move(a));
}

void NetlistBuilder::add_cushion(const std::string& name, const std::string& chamber, const std::optional<CushionDescription>& c,
                                 double l_0, double sign) {
  if (!c) return;
  Orifice o;
  o.name = name;
  o.section = "cylinders";
  o.A = node(chamber);
  o.B = node(c->node);
  o.zone = LaminarZone(c->port.laminar_limit);
  o.coefficient = orifice_coefficient(c->port, netlist_.fluid);
  const double least = orifice_coefficient(c->throttle, netlist_.fluid) / o.coefficient;
  if (least > 1) {
    const std::string place = "cylinders." + name + ".throttle";
    throw InputError({{span_of(d_, place), place, "the throttle is larger than the open port", "a smaller throttle", ""}});
  }
  o.cushion = {static_cast<int>(netlist_.actuators.size()), c->length, least, l_0, sign};
  std::get<std::vector<Orifice>>(netlist_.elements).push_back(std::move(o));
  netlist_.cushions = true;
  if (!c->check) return;
  OneWayValve valve{name + ".check", node(c->node), node(chamber), {}, "cylinders"};
  valve.law.coefficient = orifice_coefficient(*c->check, netlist_.fluid);
  valve.law.zone = LaminarZone(c->check->laminar_limit);
  std::get<std::vector<OneWayValve>>(netlist_.elements).push_back(std::move(valve));
}

void NetlistBuilder::add_motor(const std::string& name, const char* section, const MotorDescription& c, double angle) {
  Actuator a;
  a.section = section;
  a.is_rotary = true;
  a.cylinder.area_A = c.displacement ? *c.displacement : c.displacement_A.value_or(0);
  a.cylinder.area_B = c.displacement ? *c.displacement : c.displacement_B.value_or(0);
  a.cylinder.travel = c.chamber_angle_A ? 1 : 0;
  a.cylinder.chamber_A0 = c.chamber_angle_A ? *c.chamber_angle_A : c.volume / a.cylinder.area_A;
  a.cylinder.chamber_B0 = c.chamber_angle_B ? *c.chamber_angle_B : c.volume / a.cylinder.area_B;
  a.cylinder.coulomb = c.coulomb;
  if (const auto* command = std::get_if<std::string>(&c.fraction); command == nullptr || !command->empty())
    a.spool = add_spool(name + ".fraction", c.time_constant, c.fraction);
  if (c.case_drain) {
    const auto drain = [&](const char* side, const std::string& from, const char* meaning) {
      std::get<std::vector<Leakage>>(netlist_.elements)
          .push_back({name + ".case_leakage_" + side, node(from), node(c.case_drain->node), c.case_drain->leakage, "motors", meaning});
    };
    drain("A", c.A, "leakage from side A into the case");
    drain("B", c.B, "leakage from side B into the case");
  }
  add_actuator(name, c, angle, std::move(a));
}

template <class ActuatorDescription>
void NetlistBuilder::add_actuator(const std::string& name, const ActuatorDescription& c, double start, Actuator a) {
  a.name = name;
  a.A = node(c.A.empty() ? tank_of(name) : c.A);
  if (a.B < 0) a.B = node(c.B.empty() ? tank_of(name) : c.B);
  a.cylinder.length_0 = start;
  a.cylinder.wall_compressibility = wall(c.bulk_modulus);
  a.cylinder.viscous = c.viscous;
  if (c.end_damper) a.cylinder.damper = {c.end_damper->stiffness, c.end_damper->damping, c.end_damper->length, c.end_damper->law};
  a.cylinder.friction_A = c.friction.pressure_A;
  a.cylinder.friction_B = c.friction.pressure_B;
  add_friction(name + ".", c.friction, a);
  if (c.leakage > 0) std::get<std::vector<Leakage>>(netlist_.elements).push_back({name + ".leakage", a.A, a.B, c.leakage, a.section});
  netlist_.actuators.push_back(std::move(a));
}

void NetlistBuilder::add_friction(const std::string& stem, const FrictionDescription& friction, Actuator& a) {
  a.friction = make_friction(friction);
  a.friction_states = friction_states(a.friction);
  a.friction_local = friction.states == FrictionStates::local;
  a.state = static_cast<int>(model_.y_start.size());
  FrictionStateValues start_of{friction.start_bristle, friction.start_film};
  if (friction.model == FrictionKind::maxwell_slip) start_of.fill(friction.start_bristle);
  if (friction.model == FrictionKind::maxwell_slip)
    std::copy(friction.start_bristles.begin(), friction.start_bristles.end(), start_of.begin());
  for (const double* x = start_of.data(); const FrictionStateInfo& info : friction_state_info(a.friction)) {
    const std::string name = stem + std::string(info.name);
    const bool taken = std::find(model_.state_names.begin(), model_.state_names.end(), name) != model_.state_names.end();
    add_state(taken ? std::string(a.section) + "." + name : name, *x++);
  }
}

void NetlistBuilder::add_joint_actuator(const JointPort& port, double start) {
  Actuator a;
  a.name = port.place.label();
  a.section = port.place.of_loop ? "loops" : "joints";
  a.is_rotary = port.place.name.kind == JointPartKind::angle;
  a.cylinder.length_0 = start;
  a.cylinder.travel = 0;
  a.state = static_cast<int>(model_.y_start.size());
  if (const CoordinateElements* elements = elements_of(d_, port.place)) {
    if (elements->limits) set_limits(*elements->limits, limit_law(model_, port.place, port.port, *elements->limits), a.cylinder);
    const CoordinatePlace& at = port.place;
    if (elements->friction) {
      const std::string stem = at.joint + "." + (at.alone ? "" : at.name.position + std::string("_"));
      add_friction(stem, *elements->friction, a);
      if (elements->friction->nominal_load) add_load(stem, a);
    }
  }
  netlist_.actuators.push_back(std::move(a));
}

void NetlistBuilder::add_marker_actuator(const MarkerPort& port) {
  Actuator a;
  a.name = d_.markers[port.marker].first;
  a.section = "markers";
  a.cylinder.travel = 0;
  a.state = static_cast<int>(model_.y_start.size());
  netlist_.actuators.push_back(std::move(a));
}

void NetlistBuilder::add_load(const std::string& stem, Actuator& a) {
  a.load = static_cast<int>(model_.y_start.size());
  add_state(stem + "friction_load", 1);
  add_state(stem + "friction_load_found", 1);
}

void NetlistBuilder::add_driven_load(const DrivenLoad& load) {
  Actuator a;
  a.name = load.name;
  a.section = load.motion >= 0 ? "motions" : "forces";
  a.follows = load.motion >= 0;
  a.cylinder.travel = 0;
  a.state = static_cast<int>(model_.y_start.size());
  a.drive = signal(load.signal);
  a.gain = load.factor;
  netlist_.actuators.push_back(std::move(a));
}

void NetlistBuilder::set_limits(const LimitsDescription& limits, const EndDamper& law, Cylinder& c) {
  c.damper = law;
  c.travel = 1;
  c.chamber_A0 = limits.minimum ? c.length_0 - *limits.minimum + c.damper.length : kNever;
  c.chamber_B0 = limits.maximum ? *limits.maximum - c.length_0 + c.damper.length : kNever;
}

}  // namespace trunnion
