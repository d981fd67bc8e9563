// SPDX-License-Identifier: BSD-3-Clause
#include "machine/channels/motion.h"

#include <algorithm>

namespace trunnion {

namespace {

/// A unit quaternion (w, x, y, z) of a rotation matrix, by its largest part.
template <class S>
std::array<S, 4> quaternion_of(const Mat<3, S>& R) {
  const std::array<S, 4> square{S(1) + R(0, 0) + R(1, 1) + R(2, 2), S(1) + R(0, 0) - R(1, 1) - R(2, 2), S(1) - R(0, 0) + R(1, 1) - R(2, 2),
                                S(1) - R(0, 0) - R(1, 1) + R(2, 2)};
  int largest = 0;
  for (int i = 1; i < 4; ++i)
    if (value_of(square[i]) > value_of(square[largest])) largest = i;
  const std::array<S, 3> odd{R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1)};
  const auto even = [&](int i, int j) { return S(R(i, j) + R(j, i)); };
  std::array<S, 4> e;
  if (largest == 0)
    e = {square[0], odd[0], odd[1], odd[2]};
  else
    for (int i = 0; i < 4; ++i) e[i] = i == 0 ? odd[largest - 1] : i == largest ? square[i] : even(i - 1, largest - 1);
  const S scale = S(0.5) / sqrt(square[largest]);
  for (S& part : e) part = part * scale;
  return e;
}

/// The unit quaternion, with the sign that continues the last one.
template <int D, class S>
void read_attitude(const std::array<int, 4>& cells, const Mat<3, S>& R, std::array<double, 4>& last, MachineValues<D, S>& x) {
  const std::array<S, 4> attitude = quaternion_of<S>(R);
  double along = 0;
  for (int i = 0; i < 4; ++i) along += last[i] * value_of(attitude[i]);
  for (int i = 0; i < 4; ++i) {
    const S part = along < 0 ? S(-attitude[i]) : attitude[i];
    last[i] = value_of(part);
    x.set(cells[i], part);
  }
}

}  // namespace

[[gnu::cold]] void MotionChannels::add_markers(const CompiledModel& model, ChannelList& list) {
  for (const auto& [name, marker] : model.description.markers) {
    Cells c;
    c.body = body_named(model, marker.body);
    c.frame = body_named(model, marker.frame);
    for (int i = 0; i < 3; ++i) c.at[i] = marker.at[i];
    const std::string in = marker.frame == "ground" ? "in the ground frame, " : "relative to " + marker.frame + ", its axes, ";
    const std::string stem = name + ".";
    const auto vector = [&](const char* quantity, const char* unit, const char* meaning, std::array<int, 3>& cells) {
      for (std::size_t i = 0; i < 3; ++i)
        cells[i] = list.add("markers", stem + quantity + "_" + ChannelList::kAxis[i], unit,
                            std::string(meaning) + " " + in + ChannelList::kAxis[i]);
    };
    vector("position", "m", "position of the point", c.position);
    vector("velocity", "m/s", "velocity of the point", c.velocity);
    vector("acceleration", "m/s^2", "acceleration of the point", c.acceleration);
    vector("angular_velocity", "rad/s", "angular velocity of its body", c.angular_velocity);
    for (std::size_t i = 0; i < 4; ++i)
      c.attitude[i] = list.add("markers", stem + "attitude_" + ChannelList::kQuaternion[i], "",
                               std::string("unit quaternion of its body's rotation ") + in + "part " + ChannelList::kQuaternion[i]);
    motions.push_back(c);
  }
}

void MotionChannels::offer_bodies(const CompiledModel& model, ChannelList& list) {
  for (const BodyInfo& body : model.bodies) {
    if (!body.has_orientation) continue;
    Cells c;
    c.body = &body;
    bool any = false;
    const auto vector = [&](const char* quantity, const char* unit, const char* meaning, std::array<int, 3>& cells) {
      const std::string stem = body.name + "." + quantity;
      any = list.offer_vector("bodies", stem, stem + "_", unit, meaning, cells) || any;
    };
    vector("origin", "m", "origin of the body in the ground frame", c.position);
    vector("velocity", "m/s", "velocity of the body's origin, ground axes", c.velocity);
    vector("acceleration", "m/s^2", "acceleration of the body's origin, ground axes", c.acceleration);
    vector("angular_velocity", "rad/s", "absolute angular velocity of the body, ground axes", c.angular_velocity);
    vector("angular_acceleration", "rad/s^2", "absolute angular acceleration of the body, ground axes", c.angular_acceleration);
    const std::string stem = body.name + ".attitude_";
    for (std::size_t i = 0; i < 4; ++i) {
      const std::string letter = ChannelList::kQuaternion[i];
      c.attitude[i] = list.offer("bodies", stem + letter, stem, "", "unit quaternion of the body's rotation, part " + letter);
      any = any || c.attitude[i] >= 0;
    }
    if (any) motions.push_back(c);
  }
}

template <int D, class S>
BodyMotion<S> motion_of(const MachineValues<D, S>& x, const BodyInfo* body) {
  BodyMotion<S> motion;
  if (body == nullptr) return motion;
  if (body->node == 0) {
    motion.R = body->R_NB.template cast<S>();
    motion.r = body->r_NB.template cast<S>();
    return motion;
  }
  const NodeState<D, S>& node = x.mechanism.tree.nodes[body->node];
  Vec<D, S> d;  // from the reference point
  if constexpr (D == 3) {
    d = node.r + node.R * Vec<3, S>(body->r_NB.template cast<S>());
    motion.R = node.R.m * body->R_NB.template cast<S>();
    motion.r = x.m.reference.template cast<S>() + d;
  } else {
    const Mat<3, S> axes = x.model.plane.axes.template cast<S>();
    d = node.r + node.R * Vec<2, S>(S(body->r_NB_plane.x()), S(body->r_NB_plane.y()));
    Mat<3, S> turned = Mat<3, S>::Identity();
    turned.template topLeftCorner<2, 2>() << node.R.c, -node.R.s, node.R.s, node.R.c;
    motion.R = axes * turned * body->R_NB_plane.template cast<S>();
    const Vec<2, S> r = x.m.reference.template cast<S>() + d;
    motion.r = axes * Vec<3, S>(r.x(), r.y(), S(body->r_NB_plane.z()));
  }
  const Vec<D, S> v = node.V.at(d);
  motion.v = in_space<D, S>(x.model, v);
  motion.w = turn_in_space<D, S>(x.model, node.V.angular);
  motion.a = in_space<D, S>(x.model, Vec<D, S>(node.A.at(d) + cross(node.V.angular, v) + x.m.tree.gravity.template cast<S>()));
  motion.alpha = turn_in_space<D, S>(x.model, node.A.angular);
  return motion;
}
template BodyMotion<double> motion_of(const MachineValues<2, double>&, const BodyInfo*);
template BodyMotion<double> motion_of(const MachineValues<3, double>&, const BodyInfo*);
template BodyMotion<Dual<1>> motion_of(const MachineValues<2, Dual<1>>&, const BodyInfo*);
template BodyMotion<Dual<1>> motion_of(const MachineValues<3, Dual<1>>&, const BodyInfo*);

template <int D, class S>
void read_motions(const MotionChannels& channels, MachineValues<D, S>& x) {
  for (std::size_t k = 0; k < channels.motions.size(); ++k) {
    const MotionChannels::Cells& c = channels.motions[k];
    const BodyMotion<S> body = motion_of(x, c.body), frame = motion_of(x, c.frame);
    const Vec<3, S> d = body.R * Vec<3, S>(c.at.template cast<S>()), e = body.position(d) - frame.r;
    const Mat<3, S> back = frame.R.transpose();
    const Vec<3, S> u = body.velocity(d) - frame.velocity(e), turn = body.w - frame.w;
    x.set(c.position, back * e);
    x.set(c.velocity, back * u);
    x.set(c.acceleration, back * Vec<3, S>(body.acceleration(d) - frame.acceleration(e) - frame.w.cross(u) * S(2)));
    x.set(c.angular_velocity, back * turn);
    x.set(c.angular_acceleration, back * Vec<3, S>(body.alpha - frame.alpha - frame.w.cross(turn)));
    const bool read = std::any_of(c.attitude.begin(), c.attitude.end(), [](int cell) { return cell >= 0; });
    if (read) read_attitude<D, S>(c.attitude, back * body.R, x.attitude[k], x);
  }
}
TR_INSTANTIATE_READING(read_motions, MotionChannels)

}  // namespace trunnion
