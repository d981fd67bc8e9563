// SPDX-License-Identifier: BSD-3-Clause
#include "machine/channels/joints.h"

#include "mechanics/tree.h"

namespace trunnion {

namespace {

using Array = ValuePlace::Array;

struct JointWords {
  const char *section, *angle, *displacement, *quaternion, *angular_velocity;
};
constexpr JointWords kJointWords{"joints", "joint angle, not wrapped", "joint displacement", "unit quaternion of the joint's rotation",
                                 "angular velocity relative to the parent, axes of the joint at rotation zero"};
constexpr JointWords kPlacementWords{"bodies", "absolute angle of the body in the plane, not wrapped",
                                     "cartesian coordinate of the body's centre of mass", "unit quaternion of the body's rotation",
                                     "angular velocity, ground axes"};

ValuePlace position_of(const JointPart& part, int i = 0) {
  return part.reading < 0 ? ValuePlace{Array::q, part.q + i} : ValuePlace{Array::joint_position, 4 * part.reading + i};
}
ValuePlace rate_of(const JointPart& part, int i = 0) {
  return part.reading < 0 ? ValuePlace{Array::v, part.v + i} : ValuePlace{Array::joint_rate, 3 * part.reading + i};
}
ValuePlace acceleration_of(const JointPart& part, int i = 0) {
  return part.reading < 0 ? ValuePlace{Array::a, part.v + i} : ValuePlace{Array::joint_acceleration, 3 * part.reading + i};
}

/// One channel, or one per axis of a spherical joint.
template <class PlaceOf>
void add_part(const JointWords& words, const std::string& name, const JointPart& part, const char* unit, const std::string& meaning,
              const std::string& meaning_of_ball, PlaceOf&& place, ChannelList& list) {
  if (part.joint != NodeJoint::spherical) return list.add(words.section, name, unit, meaning, place(part, 0));
  for (int i = 0; i < 3; ++i) {
    const std::string axis = ChannelList::kAxis[i];
    list.add(words.section, name + "_" + axis, unit, meaning_of_ball + ", component " + axis, place(part, i));
  }
}

/// Channels of a joint or of a body's position: all positions, then all rates, then all accelerations.
[[gnu::cold]] void add_joint(const JointInfo& j, const JointWords& words, ChannelList& list) {
  for (const JointPart& part : j.parts) {
    const std::string name = j.name + "." + part.position;
    if (part.joint == NodeJoint::revolute) list.add(words.section, name, "rad", words.angle, position_of(part));
    if (part.joint == NodeJoint::prismatic) list.add(words.section, name, "m", words.displacement, position_of(part));
    if (part.joint != NodeJoint::spherical) continue;
    for (int i = 0; i < 4; ++i) {
      const std::string letter = ChannelList::kQuaternion[i];
      list.add(words.section, name + "_" + letter, "", std::string(words.quaternion) + ", part " + letter, position_of(part, i));
    }
  }
  for (const JointPart& part : j.parts)
    add_part(words, j.name + "." + part.rate, part, part.joint == NodeJoint::prismatic ? "m/s" : "rad/s", "rate of " + part.position,
             words.angular_velocity, rate_of, list);
  for (const JointPart& part : j.parts)
    add_part(words, j.name + "." + part.acceleration, part, part.joint == NodeJoint::prismatic ? "m/s^2" : "rad/s^2",
             "second derivative of " + part.position, "rate of the angular velocity", acceleration_of, list);
}

}  // namespace

void declare_joints(const CompiledModel& model, ChannelList& list) {
  for (const JointInfo& joint : model.joints) add_joint(joint, kJointWords, list);
  for (const JointInfo& place : model.placements) add_joint(place, kPlacementWords, list);
}

template <int D, class S>
void read_joints(MachineValues<D, S>& x) {
  const std::vector<JointReading<D>>& readings = joint_readings<D>(x.model);
  for (std::size_t i = 0; i < readings.size(); ++i) {
    x.joints[i] = read_joint<D, S>(readings[i], x.mechanism.tree, x.q.data(), x.v.data(), x.a.data(), x.near[i]);
    x.near[i] = value_of(x.joints[i].position[0]);
  }
}
template void read_joints(MachineValues<2, double>&);
template void read_joints(MachineValues<3, double>&);
template void read_joints(MachineValues<2, Dual<1>>&);
template void read_joints(MachineValues<3, Dual<1>>&);

CenterChannels::CenterChannels(const CompiledModel& model, ChannelList& list) {
  for (const BodyInfo& body : model.bodies) {
    if (!(body.mass > 0 && body.node > 0)) continue;
    Center c{&body, {}};
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string axis = ChannelList::kAxis[i];
      c.cells[i] = list.add("bodies", body.name + ".center_" + axis, "m", "centre of mass in the ground frame, " + axis);
    }
    centers.push_back(c);
  }
}

template <int D, class S>
void read_centers(const CenterChannels& channels, MachineValues<D, S>& x) {
  TreeState<D, S>& tree = x.mechanism.tree;
  if constexpr (kPlain<S>) {
    update_inertial_forces(x.m.tree, false, tree);
    x.ledger.stored.kinetic = kinetic_energy(x.m.tree, tree);
    x.ledger.stored.potential = potential_energy(x.m.tree, tree);
  }
  const Vec<D, S> reference = x.m.reference.template cast<S>();
  for (const CenterChannels::Center& c : channels.centers) {
    const NodeState<D, S>& node = tree.nodes[c.body->node];
    Vec<3, S> r;
    if constexpr (D == 3) {
      r = reference + node.r + node.R * Vec<3, S>(c.body->r_NC.template cast<S>());
    } else {
      const Vec<2, S> in_plane = reference + node.r + node.R * Vec<2, S>(S(c.body->r_NC_plane.x()), S(c.body->r_NC_plane.y()));
      r = x.model.plane.axes.template cast<S>() * Vec<3, S>(in_plane.x(), in_plane.y(), S(c.body->r_NC_plane.z()));
    }
    x.set(c.cells, r);
  }
}
TR_INSTANTIATE_READING(read_centers, CenterChannels)

}  // namespace trunnion
