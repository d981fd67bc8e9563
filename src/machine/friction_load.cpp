// Loads of joints that friction follows.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine/friction_load.h"

#include <algorithm>
#include <cmath>

#include "base/diagnostic.h"
#include "machine/channels/reactions.h"
#include "spatial/rotation3.h"

namespace trunnion {

namespace {

constexpr double kMissed = 0.2;  // of the load: a step whose extrapolation is not its load
constexpr int kTurns = 8;        // such steps in a row, too much and too little in turn: a single blow causes up to four

/// The reaction of one joint, and its axis if the friction's load is normal to it.
struct LoadedJoint {
  std::string name;
  ReactionChannels::Cells reaction;
  const BodyInfo* body = nullptr;  // in which the axis is fixed; null: the ground
  Vec<3> axis = Vec<3>::Zero();    // zero: the load is the whole force
  double nominal = 1;              // [N]
  int state = 0;                   // in y
  double load = 0;                 // found last, in units of the nominal load
};

/// Counts steps that missed the load to the other side than the step before.
void count_turn(const LoadedJoint& joint, double applied, double time, double& turns) {
  const double miss = joint.load - applied;
  if (!(std::abs(miss) > kMissed * std::max(joint.load, applied)))
    turns = 0;
  else
    turns = (miss > 0 ? 1 : -1) * (miss * turns < 0 ? std::abs(turns) + 1 : 1);
  if (std::abs(turns) > kTurns)
    throw SimulationError(
        time, "friction of " + joint.name,
        "the load that it follows turns from step to step: friction changes the load by more than a third of itself, or the step "
        "is too long for the load",
        "a smaller friction at `nominal_load`, a shorter step, or a constant friction without that key");
}

Vec<3> vector_of(const Vec3d& v) { return {v[0], v[1], v[2]}; }

LoadedJoint joint_at(const CompiledModel& model, const JointPort& port) {
  const CoordinatePlace& place = port.place;
  LoadedJoint joint;
  joint.name = (place.of_loop ? "loops." : "joints.") + place.label();
  joint.nominal = *elements_of(model.description, place)->friction->nominal_load;
  joint.state = model.hydraulics.actuators[port.port].load;
  if (place.of_loop) {
    const auto& [name, loop] = model.description.loops[place.number];
    joint.reaction = reaction_of_loop(model, name, loop);
    joint.body = body_named(model, loop.between[0]);
    if (loop.kind != LoopKind::revolute && loop.kind != LoopKind::universal) joint.axis = vector_of(loop.axis[0]).normalized();
    return joint;
  }
  const JointDescription& d = model.description.joints[place.number].second;
  joint.reaction = reaction_of_joint(model, model.body_numbers.at(place.joint));
  joint.body = body_named(model, d.parent);
  if (d.kind != JointKind::revolute && d.kind != JointKind::universal)
    joint.axis = roll_pitch_yaw(d.orientation) * vector_of(d.axis).normalized();
  return joint;
}

}  // namespace

template <int D>
struct FrictionLoads<D>::Work {
  explicit Work(const CompiledModel& model) : values(model, ledger), reactions(values.m) {}
  LedgerValues<double> ledger;
  MachineValues<D, double> values;
  ReactionValues<D, double> reactions;
  std::vector<LoadedJoint> joints;
};

template <int D>
FrictionLoads<D>::FrictionLoads(const CompiledModel& model) : model_(model) {
  for (const JointPort& port : model.joint_ports) {
    if (model.hydraulics.actuators[port.port].load < 0) continue;
    if (work_ == nullptr) work_ = std::make_unique<Work>(model);
    work_->joints.push_back(joint_at(model, port));
  }
}

template <int D>
FrictionLoads<D>::~FrictionLoads() = default;

template <int D>
void FrictionLoads<D>::find(const StateVector& state, Side side) {
  MachineValues<D, double>& x = work_->values;
  const StateLayout& n = state.layout();
  std::copy_n(state.q(), n.nq, x.q.begin());
  std::copy_n(state.v(), n.nv, x.v.begin());
  std::copy_n(state.a(), n.nv, x.a.begin());
  std::copy_n(state.y(), n.ny, x.y.begin());
  std::copy_n(state.multipliers(), n.rows, x.multipliers.begin());
  const Signals signals = signals_at(model_, state);
  for (const SignalIndex i : x.netlist.used_signals) x.oil.signal[i] = signals.value(i, state.time, side);
  const SignalReading reading{signals, state.time, side};
  place_machine(reading, x);
  find_reactions(reading, work_->reactions, x);
  for (LoadedJoint& joint : work_->joints) {
    const Vec<3> force = in_space<D, double>(model_, reaction_wrench(joint.reaction, work_->reactions, x).linear),
                 axis = motion_of(x, joint.body).R * joint.axis;
    joint.load = (force - axis * axis.dot(force)).norm() / joint.nominal;
  }
}

template <int D>
void FrictionLoads<D>::apply(double time, StateVector& state) const {
  for (const LoadedJoint& joint : work_->joints) {
    const double *y = state.y() + joint.state, *ydot = state.ydot() + joint.state;
    state.y()[joint.state + kAppliedLoad] = std::max(0.0, y[kFoundLoad] + time * ydot[kFoundLoad]);
  }
}

template <int D>
void FrictionLoads<D>::advance(StateVector& state, double h) {
  find(state, Side::left);
  for (const LoadedJoint& joint : work_->joints) {
    double& found = state.y()[joint.state + kFoundLoad];
    count_turn(joint, state.y()[joint.state + kAppliedLoad], state.time, state.ydot()[joint.state + kAppliedLoad]);
    state.ydot()[joint.state + kFoundLoad] = (joint.load - found) / h;
    found = joint.load;
  }
}

template <int D>
double FrictionLoads<D>::renew(StateVector& state, Side side) {
  find(state, side);
  double change = 0;
  for (const LoadedJoint& joint : work_->joints) {
    double *y = state.y() + joint.state, *ydot = state.ydot() + joint.state;
    change = std::max(change, std::abs(joint.load - y[kAppliedLoad]) / std::max(joint.load, 1.0));
    y[kAppliedLoad] = y[kFoundLoad] = joint.load;
    ydot[kAppliedLoad] = ydot[kFoundLoad] = 0;
  }
  return change;
}

void refuse_friction_loads(const CompiledModel& model, const char* problem, const char* remedy) {
  std::vector<Diagnostic> findings;
  for (const JointPort& port : model.joint_ports) {
    if (model.hydraulics.actuators[port.port].load < 0) continue;
    const CoordinatePlace& place = port.place;
    const std::string path = std::string(place.of_loop ? "loops." : "joints.") + place.joint + ".friction" +
                             (place.alone ? std::string() : "." + std::string(place.name.position)) + ".nominal_load";
    findings.push_back({span_of(model.description, path), path, problem, "a friction without that key", remedy});
  }
  if (!findings.empty()) throw InputError(std::move(findings));
}

template class FrictionLoads<2>;
template class FrictionLoads<3>;

}  // namespace trunnion
