// A description whose start values are those of a state.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/description_at.h"

#include <algorithm>

#include "model/compile_parts.h"

namespace trunnion {

namespace {

template <class T>
T& named(NamedList<T>& list, const std::string& name) {
  return std::find_if(list.begin(), list.end(), [&](const auto& item) { return item.first == name; })->second;
}

/// Start values of one joint; parts in the order of `elements` in compile_tree.cpp.
void set_joint(const JointInfo& info, const double* q, JointDescription& j) {
  j.rate.reset();
  j.speed.reset();
  j.pair_rate.reset();
  j.velocity.reset();
  j.angular_velocity.reset();
  const auto value = [&](std::size_t part) { return q[info.parts[part].q]; };
  switch (j.kind) {
    case JointKind::fixed:
    case JointKind::spherical:
      break;
    case JointKind::revolute:
    case JointKind::prismatic:
    case JointKind::point_on_line:
      j.coordinate = value(0);
      break;
    case JointKind::cylindrical:
      j.displacement = value(0);
      j.coordinate = value(1);
      break;
    case JointKind::universal:
      j.pair = Vec2d{value(0), value(1)};
      break;
    case JointKind::planar:
      j.pair = Vec2d{value(0), value(1)};
      j.coordinate = value(2);
      break;
    case JointKind::free:
      j.position = Vec3d{value(0), value(1), value(2)};
      break;
  }
  if (!info.parts.empty() && info.parts.back().joint == NodeJoint::spherical)
    j.rotation = roll_pitch_yaw_of(quaternion_matrix<double>(q + info.parts.back().q));
}

template <int D>
void set_lengths(const CompiledModel& model, const StateVector& state, Description& d) {
  const auto& m = std::get<Mechanism<D>>(model.mechanism);
  MechanismState<D> at(m);
  update_inputs(m, signals_at(model, state), state.time, Side::right, at);
  update_positions<D, double>(m, state.q(), nullptr, at);
  for (std::size_t i = 0; i < d.cylinders.size(); ++i) {
    const Cylinder& c = model.hydraulics.actuators[i].cylinder;
    CylinderDescription& cylinder = d.cylinders[i].second;
    if (cylinder.chamber_length_A) cylinder.chamber_length_A = c.chamber_A(at.s[i]);
    if (cylinder.chamber_length_B) cylinder.chamber_length_B = c.chamber_B(at.s[i]);
  }
  for (std::size_t i = 0; i < d.motors.size(); ++i) {
    MotorDescription& motor = d.motors[i].second;
    const std::size_t port = d.cylinders.size() + i;
    const Cylinder& c = model.hydraulics.actuators[port].cylinder;
    if (motor.chamber_angle_A) motor.chamber_angle_A = c.chamber_A(at.s[port]);
    if (motor.chamber_angle_B) motor.chamber_angle_B = c.chamber_B(at.s[port]);
  }
  for (const PointSpring<D>& spring : m.springs) named(d.springs, spring.name).rest = spring.rest;
  for (const JointSpring& spring : m.joint_springs) named(d.springs, spring.name).rest = spring.rest;
  for (const ConstraintGroup<D>& g : m.constraints)
    if (g.type == ConstraintType::distance) named(d.loops, model.constraints[g.joint].name).distance = g.distance;
}

}  // namespace

Description description_at(const CompiledModel& model, const StateVector& state, const std::vector<int>& turning) {
  Description d = model.description;
  for (const JointInfo& info : model.joints) {
    set_joint(info, state.q(), named(d.joints, info.name));
    if (info.nv == 1 && std::find(turning.begin(), turning.end(), info.v) != turning.end())
      named(d.joints, info.name).rate = state.v()[info.v];
  }
  for (auto& [name, valve] : d.valves)  // spools are at their commands
    std::visit(
        [](auto& kind) {
          if constexpr (requires { kind.dynamics.start; }) kind.dynamics.start.reset();
        },
        valve);
  std::size_t given = 0;  // volumes of the file come first, then those inside lines
  for (auto& [name, volume] : d.volumes)
    volume.pressure = {false, state.y()[model.hydraulics.nodes[model.hydraulics.volumes[given++].node].state]};
  for (auto& [name, line] : d.lines) {
    const std::string first = line.segments == 1 ? name : name + ".1";
    const auto segment = std::find_if(model.hydraulics.components.begin(), model.hydraulics.components.end(),
                                      [&first](const Component& c) { return c.name == first; });
    line.start_flow = state.y()[segment->state];
  }
  const auto set_friction = [&](FrictionDescription& friction, const Actuator& a) {
    if (friction.model == FrictionKind::maxwell_slip)
      friction.start_bristles.assign(state.y() + a.state, state.y() + a.state + a.friction_states);
    else if (a.friction_states > 0)
      friction.start_bristle = state.y()[a.state];
    if (friction.model == FrictionKind::modified_lugre) friction.start_film = state.y()[a.state + 1];
  };
  for (std::size_t i = 0; i < d.cylinders.size(); ++i) set_friction(d.cylinders[i].second.friction, model.hydraulics.actuators[i]);
  for (std::size_t i = 0; i < d.motors.size(); ++i)
    set_friction(d.motors[i].second.friction, model.hydraulics.actuators[d.cylinders.size() + i]);
  for (const JointPort& port : model.joint_ports) {
    if (port.port < model.hydraulics.pistons) continue;
    CoordinateElements& elements = elements_at(d, port.place);
    const Actuator& a = model.hydraulics.actuators[port.port];
    if (elements.friction) set_friction(*elements.friction, a);
    if (elements.limits && !elements.limits->rigid)
      elements.limits->stiffness = a.cylinder.damper.stiffness;  // a default follows from the start
  }
  for (const ControlBlock& block : model.hydraulics.control) {  // filters start steady at their inputs
    const double* x = state.y() + block.output + 1;
    BlockDescription* const description = d.control.find(block.name);
    if (description == nullptr) continue;  // a command of a sequence, a part of a sensor
    auto& law = description->law;
    if (auto* pid = std::get_if<PidBlock>(&law); pid != nullptr && pid->integral_time) pid->start = *x;
    if (auto* integrator = std::get_if<IntegratorBlock>(&law)) integrator->start = *x;
    if (auto* system = std::get_if<StateSpaceBlock>(&law)) system->start.assign(x, x + block.states());
  }
  if (model.planar)
    set_lengths<2>(model, state, d);
  else
    set_lengths<3>(model, state, d);
  return d;
}

}  // namespace trunnion
