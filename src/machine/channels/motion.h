// Channels of the motion of bodies in space: markers, and bodies on request.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "machine/channels/values.h"

namespace trunnion {

/// Null: the ground.
inline const BodyInfo* body_named(const CompiledModel& model, const std::string& name) {
  const auto number = model.body_numbers.find(name);
  return number == model.body_numbers.end() ? nullptr : &model.bodies[number->second];
}

/// Motion of a body in space: its origin, ground axes.
template <class S>
struct BodyMotion {
  Mat<3, S> R = Mat<3, S>::Identity();
  Vec<3, S> r = Vec<3, S>::Zero(), v = Vec<3, S>::Zero(), a = Vec<3, S>::Zero();
  Vec<3, S> w = Vec<3, S>::Zero(), alpha = Vec<3, S>::Zero();

  Vec<3, S> position(const Vec<3, S>& d) const { return r + d; }
  Vec<3, S> velocity(const Vec<3, S>& d) const { return v + w.cross(d); }
  Vec<3, S> acceleration(const Vec<3, S>& d) const { return a + alpha.cross(d) + w.cross(w.cross(d)); }
};
/// After update_positions and update_rates; null: the ground.
template <int D, class S>
BodyMotion<S> motion_of(const MachineValues<D, S>& x, const BodyInfo* body);

/// A vector of the mechanism in space.
template <int D, class S>
Vec<3, S> in_space(const CompiledModel& model, const Vec<D, S>& v) {
  if constexpr (D == 3)
    return v;
  else
    return model.plane.axes.template leftCols<2>().template cast<S>() * v;
}
template <int D, class S>
Vec<3, S> turn_in_space(const CompiledModel& model, const Angular<D, S>& w) {
  if constexpr (D == 3)
    return w;
  else
    return model.plane.axes.col(2).template cast<S>() * w;
}

struct MotionChannels {
  struct Cells {
    const BodyInfo *body = nullptr, *frame = nullptr;  // null: the ground
    Vec<3> at = Vec<3>::Zero();                        // [m] body frame
    std::array<int, 3> position{-1, -1, -1}, velocity{-1, -1, -1}, acceleration{-1, -1, -1}, angular_velocity{-1, -1, -1},
        angular_acceleration{-1, -1, -1};  // -1: not requested
    std::array<int, 4> attitude{-1, -1, -1, -1};
  };
  /// A marker has its channels without a request: it is one.
  void add_markers(const CompiledModel& model, ChannelList& list);
  /// Bodies that have an orientation.
  void offer_bodies(const CompiledModel& model, ChannelList& list);
  std::vector<Cells> motions;
};
template <int D, class S>
void read_motions(const MotionChannels& channels, MachineValues<D, S>& x);

}  // namespace trunnion
