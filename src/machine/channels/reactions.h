// Channels of the forces and moments that joints and loop closures transmit, on request.
// Source: Newton and Euler's equations of the free bodies, mechanics/reaction.h.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "machine/channels/motion.h"
#include "machine/channels/signals.h"
#include "mechanics/wrench.h"

namespace trunnion {

struct ReactionChannels {
  void offer(const CompiledModel& model, ChannelList& list);
  /// A point fixed in a body (null: the ground).
  struct BodyPoint {
    const BodyInfo* body = nullptr;
    Vec<3> at = Vec<3>::Zero();
  };
  struct Cells {
    int node = 0;                                // whose joint it is; 0: of the groups
    std::vector<std::pair<int, double>> groups;  // of constraints, and sign
    std::vector<std::pair<int, double>> ports;   // of a loop closure's friction and limits, and sign
    int angle = -1;  // in the plane: the velocity that is both the joint's and its body's, without rows; -1: none
    BodyPoint point;
    const BodyInfo* axes = nullptr;  // null: the ground's
    std::array<int, 3> force{-1, -1, -1}, moment{-1, -1, -1};
  };
  std::vector<Cells> reactions;
};

/// The reaction of a joint of the tree, by its number among the model's joints, and of a loop closure: where its forces are, and its point.
ReactionChannels::Cells reaction_of_joint(const CompiledModel& model, std::size_t number);
ReactionChannels::Cells reaction_of_loop(const CompiledModel& model, const std::string& name, const LoopDescription& loop);

/// Scratch, sized once.
template <int D, class S>
struct ReactionValues {
  explicit ReactionValues(const Mechanism<D>& m) : port_forces(m.ports.size()), wrenches(m.tree.nodes.size()) {}
  std::vector<S> port_forces;
  std::vector<Force<D, S>> wrenches;  // per node
};

/// Positions, rates and forces of the machine at the state in x and the signals in x.oil.
template <int D, class S>
void place_machine(const SignalReading& signals, MachineValues<D, S>& x);
/// After place_machine(): the forces of all joints into `work`; overwrites the force stage of the tree.
template <int D, class S>
void find_reactions(const SignalReading& signals, ReactionValues<D, S>& work, MachineValues<D, S>& x);
/// The wrench of one of them, about the reference point, in the axes of the tree.
template <int D, class S>
Force<D, S> reaction_wrench(const ReactionChannels::Cells& c, const ReactionValues<D, S>& work, const MachineValues<D, S>& x);
/// After all other readings: overwrites the force stage of the tree.
template <int D, class S>
void read_reactions(const ReactionChannels& channels, const SignalReading& signals, ReactionValues<D, S>& work, MachineValues<D, S>& x);

}  // namespace trunnion
