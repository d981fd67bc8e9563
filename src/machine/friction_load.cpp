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

constexpr double kMissed = 0.2;   // of the load: a step whose extrapolation is not its load
constexpr double kSlight = 1e-3;  // of the nominal load: the friction of a smaller one does not matter
constexpr double kShort = 0.01;   // of the regular step
constexpr int kTurns = 8;         // such steps in a row, too much and too little in turn: a single blow causes up to four

Vec<3> vector_of(const Vec3d& v) { return {v[0], v[1], v[2]}; }

}  // namespace

/// The joints, and how their loads are found.
class FrictionLoads::Reader {
 public:
  /// The reaction of one joint, and its axis if the friction's load is normal to it.
  struct LoadedJoint {
    const Actuator* actuator = nullptr;
    double nominal = 1;  // [N]
    ReactionChannels::Cells reaction;
    const BodyInfo* body = nullptr;  // in which the axis is fixed; null: the ground
    Vec<3> axis = Vec<3>::Zero();    // zero: the load is the whole force
    double load = 0;                 // found last, in units of the nominal load

    void place(const CompiledModel& model, const CoordinatePlace& at);
    /// Counts steps that missed the load to the other side than the step before.
    void count_turn(double applied, double time, double& turns) const;
  };

  virtual ~Reader() = default;
  virtual void find(const StateVector& state, Side side) = 0;
  std::vector<LoadedJoint> joints;
};

void FrictionLoads::Reader::LoadedJoint::count_turn(double applied, double time, double& turns) const {
  const double miss = load - applied;
  if (!(std::abs(miss) > kMissed * std::max({load, applied, kSlight})))
    turns = 0;
  else
    turns = (miss > 0 ? 1 : -1) * (miss * turns < 0 ? std::abs(turns) + 1 : 1);
  if (std::abs(turns) > kTurns)
    throw SimulationError(
        time, std::string("friction of ") + actuator->section + "." + actuator->name,
        "the load that it follows turns from step to step: friction changes it by more than a third of itself, or the step is too long",
        "a smaller friction at `nominal_load`, a shorter step, or a constant friction without that key");
}

void FrictionLoads::Reader::LoadedJoint::place(const CompiledModel& model, const CoordinatePlace& at) {
  bool turns = false;
  if (at.of_loop) {
    const auto& [name, loop] = model.description.loops[at.number];
    reaction = reaction_of_loop(model, name, loop);
    body = body_named(model, loop.between[0]);
    axis = vector_of(loop.axis[0]);
    turns = loop.kind == LoopKind::revolute || loop.kind == LoopKind::universal;
  } else {
    const JointDescription& d = model.description.joints[at.number].second;
    reaction = reaction_of_joint(model, model.body_numbers.at(at.joint));
    body = body_named(model, d.parent);
    axis = roll_pitch_yaw(d.orientation) * vector_of(d.axis);
    turns = d.kind == JointKind::revolute || d.kind == JointKind::universal;
  }
  axis *= turns ? 0 : 1 / axis.norm();
}

template <int D>
class FrictionLoads::ReaderIn final : public Reader {
 public:
  explicit ReaderIn(const CompiledModel& model) : x_(model, ledger_), reactions_(x_.m) {}
  void find(const StateVector& state, Side side) override {
    const StateLayout& n = state.layout();
    std::copy_n(state.q(), n.nq, x_.q.begin());
    std::copy_n(state.v(), n.nv, x_.v.begin());
    std::copy_n(state.a(), n.nv, x_.a.begin());
    std::copy_n(state.y(), n.ny, x_.y.begin());
    std::copy_n(state.multipliers(), n.rows, x_.multipliers.begin());
    const Signals signals = signals_at(x_.model, state);
    for (const SignalIndex i : x_.netlist.used_signals) x_.oil.signal[i] = signals.value(i, state.time, side);
    const SignalReading reading{signals, state.time, side};
    place_machine(reading, x_);
    find_reactions(reading, reactions_, x_);
    for (LoadedJoint& joint : joints) {
      const Vec<3> force = in_space<D, double>(x_.model, reaction_wrench(joint.reaction, reactions_, x_).linear),
                   axis = motion_of(x_, joint.body).R * joint.axis;
      joint.load = (force - axis * axis.dot(force)).norm() / joint.nominal;
    }
  }

 private:
  LedgerValues<double> ledger_;
  MachineValues<D, double> x_;
  ReactionValues<D, double> reactions_;
};

FrictionLoads::FrictionLoads(const CompiledModel& model) : model_(model), shortest_(kShort * grid_step(model.description)) {
  for (const JointPort& port : model.joint_ports) {
    const Actuator& a = model.hydraulics.actuators[port.port];
    if (a.load < 0) continue;
    if (reader_ == nullptr) {
      if (model.planar)
        reader_ = std::make_unique<ReaderIn<2>>(model);
      else
        reader_ = std::make_unique<ReaderIn<3>>(model);
    }
    Reader::LoadedJoint& joint = reader_->joints.emplace_back();
    joint.actuator = &a;
    joint.nominal = *elements_of(model.description, port.place)->friction->nominal_load;
    joint.place(model, port.place);
  }
}

FrictionLoads::~FrictionLoads() = default;

void FrictionLoads::apply(double time, StateVector& state) const {
  for (const Reader::LoadedJoint& joint : reader_->joints) {
    const int k = joint.actuator->load;
    state.y()[k + kAppliedLoad] = std::max(0.0, state.y()[k + kFoundLoad] + time * state.ydot()[k + kFoundLoad]);
  }
}

void FrictionLoads::advance(StateVector& state, double h) {
  reader_->find(state, Side::left);
  for (const Reader::LoadedJoint& joint : reader_->joints) {
    double *y = state.y() + joint.actuator->load, *ydot = state.ydot() + joint.actuator->load;
    joint.count_turn(y[kAppliedLoad], state.time, ydot[kAppliedLoad]);
    if (h >= shortest_) ydot[kFoundLoad] = (joint.load - y[kFoundLoad]) / h;
    y[kFoundLoad] = joint.load;
  }
}

bool FrictionLoads::settled(StateVector& state, Side side, int pass) {
  constexpr int kPasses = 60;
  constexpr double kAgreed = 1e-12, kNearly = 1e-3;  // of the loads, or of nominal ones if those are larger; accelerations have rounding
  const double change = renew(state, side);
  if (change <= kAgreed) return true;
  if (pass + 1 < kPasses) return false;
  if (change < kNearly) return true;
  throw SimulationError(state.time, "friction of joints that follows their loads",
                        "no load agrees with its friction: the friction changes the load by more than itself",
                        "a smaller friction at `nominal_load`, or a constant one without that key");
}

double FrictionLoads::renew(StateVector& state, Side side) {
  reader_->find(state, side);
  double change = 0;
  for (const Reader::LoadedJoint& joint : reader_->joints) {
    double *y = state.y() + joint.actuator->load, *ydot = state.ydot() + joint.actuator->load;
    change = std::max(change, std::abs(joint.load - y[kAppliedLoad]) / std::max(joint.load, 1.0));
    y[kAppliedLoad] = y[kFoundLoad] = joint.load;
    ydot[kAppliedLoad] = ydot[kFoundLoad] = 0;
  }
  return change;
}

void refuse_friction_loads(const CompiledModel& model, const char* problem, const char* remedy) {
  for (const JointPort& port : model.joint_ports) {
    const Actuator& a = model.hydraulics.actuators[port.port];
    if (a.load < 0) continue;
    std::string path = a.section;
    path.append(".").append(port.place.joint).append(".friction");
    if (!port.place.alone) path.append(".").append(port.place.name.position);
    path += ".nominal_load";
    throw InputError({{span_of(model.description, path), path, problem, "a friction without that key", remedy}});
  }
}

}  // namespace trunnion
