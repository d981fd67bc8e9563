// SPDX-License-Identifier: BSD-3-Clause
#include "machine/channels/reactions.h"

#include <algorithm>

#include "mechanics/applied.h"
#include "mechanics/reaction.h"

namespace trunnion {

namespace {

using Cells = ReactionChannels::Cells;

const JointDescription& description_of(const CompiledModel& model, const JointInfo& joint) {
  const auto& all = model.description.joints;
  return std::find_if(all.begin(), all.end(), [&](const auto& item) { return item.first == joint.name; })->second;
}

/// Constraint groups of a named constraint, with the sign of their force on the body of node `on`.
void add_groups(const CompiledModel& model, const std::string& path, int on, Cells& c) {
  std::visit(
      [&](const auto& m) {
        for (std::size_t i = 0; i < m.constraints.size(); ++i)
          if (const auto& g = m.constraints[i]; model.constraints[g.joint].path == path && !g.of_coordinates())
            c.groups.emplace_back(static_cast<int>(i), g.line.node_B == on ? 1 : -1);
      },
      model.mechanism);
}

/// Declares the reactions of one model.
class ReactionDeclaration {
 public:
  ReactionDeclaration(const CompiledModel& model, ChannelList& list, std::vector<Cells>& reactions)
      : model_(model), list_(list), reactions_(reactions) {}

  void offer_joint(std::size_t number) {
    const JointInfo& joint = model_.joints[number];
    const JointDescription& d = description_of(model_, joint);
    if (d.kind == JointKind::free) return;
    offer("joints", joint.name, "of " + d.parent + " on " + joint.name, body_named(model_, d.parent), &model_.bodies[number],
          reaction_of_joint(model_, number));
  }

  void offer_loop(const std::string& name, const LoopDescription& loop) {
    offer("loops", name, "of " + loop.between[0] + " on " + loop.between[1], body_named(model_, loop.between[0]),
          body_named(model_, loop.between[1]), reaction_of_loop(model_, name, loop));
  }

 private:
  /// At the joint's point and at every marker of the two bodies, in the axes of ground and both bodies.
  void offer(const std::string& section, const std::string& name, const std::string& on, const BodyInfo* A, const BodyInfo* B,
             const Cells& c) {
    offer_at(section, name + ".reaction", on, "", A, B, c);
    for (const auto& [marker, point] : model_.description.markers) {
      const BodyInfo* const body = body_named(model_, point.body);
      if (body != A && body != B) continue;
      Cells moved = c;
      moved.point = {body, {point.at[0], point.at[1], point.at[2]}};
      offer_at(section, name + ".reaction_at_" + marker, on, " about " + marker, A, B, moved);
    }
  }
  [[gnu::cold]] void offer_at(const std::string& section, const std::string& stem, const std::string& on, const std::string& about,
                              const BodyInfo* A, const BodyInfo* B, const Cells& c) {
    const auto in_axes = [&](const BodyInfo* body, const std::string& in, const std::string& axes) {
      Cells r = c;
      r.axes = body;
      const std::string own = stem + in;
      const bool force = list_.offer_vector(section, own + ".force", own, "N", "force " + on + ", " + axes + " axes", r.force);
      const bool moment =
          list_.offer_vector(section, own + ".moment", own, "N m", "moment " + on + about + ", " + axes + " axes", r.moment);
      if (force || moment) reactions_.push_back(r);
    };
    in_axes(nullptr, "", "ground");
    for (const BodyInfo* body : {A, B})
      if (body != nullptr && body->has_orientation) in_axes(body, "_in_" + body->name, body->name + "'s");
  }

  const CompiledModel& model_;
  ChannelList& list_;
  std::vector<Cells>& reactions_;
};

/// Of springs, loads, ports and rows on a velocity coordinate.
template <int D, class S>
S load_on(int velocity, const ReactionValues<D, S>& work, const MachineValues<D, S>& x) {
  S load(0);
  for (std::size_t i = 0; i < x.m.ports.size(); ++i)
    if (x.m.ports[i].is_coordinate() && x.m.paths[x.m.ports[i].path.begin].dof == velocity) load += work.port_forces[i];
  for_each_applied(x.m, x.mechanism, [&](const auto& element, const auto& at) {
    if constexpr (kOnCoordinate<decltype(element)>)
      if (element.v == velocity) load += coordinate_load(element, at, x.q.data(), x.v.data());
  });
  for (const ConstraintGroup<D>& g : x.m.constraints)
    for (int k = 0; k < g.path.size() && g.of_coordinates(); ++k)
      if (x.m.paths[g.path.begin + k].dof == velocity)
        load -= x.mechanism.jacobian[static_cast<std::size_t>(g.jacobian) + static_cast<std::size_t>(k)] * x.multipliers[g.rows.begin];
  return load;
}

}  // namespace

template <int D, class S>
Force<D, S> reaction_wrench(const Cells& c, const ReactionValues<D, S>& work, const MachineValues<D, S>& x) {
  Force<D, S> wrench = Force<D, S>::zero();
  if (c.node > 0) wrench = work.wrenches[c.node];
  const auto add = [&](double sign, const Force<D, S>& part) {
    if (sign > 0)
      wrench += part;
    else
      wrench -= part;
  };
  for (const auto& [group, sign] : c.groups)
    add(-sign,
        row_wrench(x.m.constraints[group], x.mechanism.constraints[group], x.multipliers.data() + x.m.constraints[group].rows.begin));
  for (const auto& [port, sign] : c.ports) add(sign, joint_push<D, S>(x.m.ports[port], x.mechanism.ports[port], work.port_forces[port]));
  if constexpr (D == 2)
    if (c.angle >= 0) wrench.moment += load_on(c.angle, work, x);
  return wrench;
}

Cells reaction_of_joint(const CompiledModel& model, std::size_t number) {
  const JointInfo& joint = model.joints[number];
  const JointDescription& d = description_of(model, joint);
  const BodyInfo &child = model.bodies[number], *parent = body_named(model, d.parent);
  Cells c;
  if (model.relative == nullptr || d.kind == JointKind::fixed)
    c.node = joint.node;
  else
    add_groups(model, "joints." + joint.name, child.node, c);
  if (model.planar && model.relative != nullptr && !joint.parts.empty() && joint.parts[0].joint == NodeJoint::revolute &&
      joint.parts[0].node == child.node)
    c.angle = joint.parts[0].v;
  // where the joint has displacements, its point moves with the child
  const bool slides =
      std::any_of(joint.parts.begin(), joint.parts.end(), [](const JointPart& p) { return p.joint == NodeJoint::prismatic; });
  const Vec3d& at = slides ? d.child_at : d.at;
  c.point = {slides ? &child : parent, {at[0], at[1], at[2]}};
  return c;
}

Cells reaction_of_loop(const CompiledModel& model, const std::string& name, const LoopDescription& loop) {
  const BodyInfo* second = body_named(model, loop.between[1]);
  Cells c;
  const int on = second == nullptr ? 0 : second->node;
  add_groups(model, "loops." + name, on, c);
  std::visit(
      [&](const auto& m) {
        for (const JointPort& port : model.joint_ports)
          if (port.place.of_loop && port.place.joint == name) c.ports.emplace_back(port.port, m.ports[port.port].node_B == on ? 1 : -1);
      },
      model.mechanism);
  const Vec3d& at = loop.at[1];
  c.point = {second, {at[0], at[1], at[2]}};
  return c;
}

void ReactionChannels::offer(const CompiledModel& model, ChannelList& list) {
  ReactionDeclaration declaration(model, list, reactions);
  for (std::size_t i = 0; i < model.joints.size(); ++i) declaration.offer_joint(i);
  for (const auto& [name, loop] : model.description.loops) declaration.offer_loop(name, loop);
}

template <int D, class S>
void place_machine(const SignalReading& signals, MachineValues<D, S>& x) {
  update_inputs(x.m, signals.signals, signals.time, signals.side, x.mechanism);
  update_followed_motions<D, S>(x.m, x.y.data(), x.ydot.data(), x.mechanism);
  for (std::size_t i = 0; i < x.netlist.nodes.size(); ++i)
    if (x.netlist.nodes[i].state < 0) x.oil.pressure[i] = x.oil.signal[x.netlist.nodes[i].source];
  update_positions<D, S>(x.m, x.q.data(), nullptr, x.mechanism);
  update_rates<D, S>(x.m, x.v.data(), x.a.data(), x.mechanism);
  evaluate_forces<S>(x.netlist, x.mechanism.s.data(), x.mechanism.s_dot.data(), x.y.data(), x.oil);
}

template <int D, class S>
void find_reactions(const SignalReading& signals, ReactionValues<D, S>& work, MachineValues<D, S>& x) {
  for_each_factor(x.m, x.mechanism, [&](SignalIndex signal, S& factor) { factor = signals.value<S>(signal); });
  for (std::size_t i = 0; i < x.m.ports.size(); ++i) work.port_forces[i] = x.oil.ports[i].force;
  joint_wrenches<D, S>(x.m, work.port_forces.data(), x.multipliers.data(), x.mechanism, work.wrenches.data());
}

template <int D, class S>
void read_reactions(const ReactionChannels& channels, const SignalReading& signals, ReactionValues<D, S>& work, MachineValues<D, S>& x) {
  if (channels.reactions.empty()) return;
  find_reactions(signals, work, x);
  for (const Cells& c : channels.reactions) {
    const Force<D, S> wrench = reaction_wrench(c, work, x);
    const BodyMotion<S> body = motion_of(x, c.point.body);
    const Vec<3, S> r = body.position(body.R * Vec<3, S>(c.point.at.template cast<S>()));
    Vec<D, S> d;
    if constexpr (D == 3)
      d = r - x.m.reference.template cast<S>();
    else
      d = (x.model.plane.axes.transpose().template topRows<2>().template cast<S>() * r) - x.m.reference.template cast<S>();
    const Mat<3, S> back = motion_of(x, c.axes).R.transpose();
    x.set(c.force, back * in_space<D, S>(x.model, wrench.linear));
    x.set(c.moment, back * turn_in_space<D, S>(x.model, Angular<D, S>(wrench.moment - moment(d, wrench.linear))));
  }
}
#define TR_INSTANTIATE(D, S)                                                                                         \
  template void place_machine<D, S>(const SignalReading&, MachineValues<D, S>&);                                     \
  template void find_reactions<D, S>(const SignalReading&, ReactionValues<D, S>&, MachineValues<D, S>&);             \
  template Force<D, S> reaction_wrench<D, S>(const Cells&, const ReactionValues<D, S>&, const MachineValues<D, S>&); \
  template void read_reactions<D, S>(const ReactionChannels&, const SignalReading&, ReactionValues<D, S>&, MachineValues<D, S>&);
TR_INSTANTIATE(2, double)
TR_INSTANTIATE(3, double)
TR_INSTANTIATE(2, Dual<1>)
TR_INSTANTIATE(3, Dual<1>)
#undef TR_INSTANTIATE

}  // namespace trunnion
