// Channels and powers of a machine, evaluated at a state.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine/observe.h"

#include <algorithm>

#include "machine/channels/actuators.h"
#include "machine/channels/constraints.h"
#include "machine/channels/joints.h"
#include "machine/channels/loads.h"
#include "machine/channels/motion.h"
#include "machine/channels/oil.h"
#include "machine/channels/quasistatic.h"
#include "machine/channels/reactions.h"
#include "machine/channels/signals.h"

namespace trunnion {

namespace {

/// States of control blocks: numbers of the state.
void declare_control_states(const CompiledModel& model, ChannelList& list) {
  for (const ControlBlock& block : model.hydraulics.control)
    for (int k = 1; k <= block.states(); ++k)
      list.add("control", model.state_names[block.output + k], "", "state of the control block", {ValuePlace::Array::y, block.output + k});
}
void declare_inputs(const CompiledModel& model, ChannelList& list) {
  for (int i = 0; i < static_cast<int>(model.signals.inputs()); ++i) {
    const auto& [name, input] = model.description.inputs[i];
    list.add("inputs", name + ".input", input.unit.c_str(), "input, set from outside", {ValuePlace::Array::input, i});
  }
}

/// All channels of a machine; members in the order of the ledger's entries.
struct MachineChannels {
  MachineChannels(const CompiledModel& model, std::vector<Channel>* offered)
      : list(model.description.record.channels, offered),
        centers(after_joints(model)),
        actuators(model, list),
        oil(model, list),
        quasistatic(model, list),
        loads(after_control(model)),
        constraints(model, list) {
    declare_inputs(model, list);
    motion.add_markers(model, list);
    if (offered == nullptr && model.description.record.channels.empty()) return;
    motion.offer_bodies(model, list);
    signals.offer(model, list);
    reactions.offer(model, list);
  }

  ChannelList list;
  CenterChannels centers;
  ActuatorChannels actuators;
  OilChannels oil;
  QuasistaticChannels quasistatic;
  LoadChannels loads;
  ConstraintChannels constraints;
  MotionChannels motion;
  SignalChannels signals;
  ReactionChannels reactions;

 private:
  CenterChannels after_joints(const CompiledModel& model) {
    declare_joints(model, list);
    return {model, list};
  }
  LoadChannels after_control(const CompiledModel& model) {
    declare_control_states(model, list);
    return {model, list};
  }
};

/// The readings of a machine on a scalar S; `Base` defines how a state is set.
template <int D, class S, class Base>
class MachineReadings : public Base {
 public:
  /// `offered` (may be null) receives all channels on request.
  explicit MachineReadings(std::shared_ptr<const CompiledModel> model, std::vector<Channel>* offered = nullptr)
      : model_(std::move(model)), declared_(*model_, offered), x_(*model_, this->ledger_), reaction_values_(x_.m) {
    this->channels_ = declared_.list.channels;
    this->entries_ = declared_.list.entries;
    this->ledger_.powers.resize(this->entries_.size());
    x_.cells.assign(static_cast<std::size_t>(declared_.list.cells), S(0));
    x_.attitude.assign(declared_.motion.motions.size(), {1, 0, 0, 0});
    for (const ValuePlace& place : declared_.list.places) this->sources_.push_back(x_.at(place));
  }

 protected:
  /// Everything at the state in x_ and the signals in x_.oil.
  void read(const SignalReading& signals) {
    place_machine(signals, x_);
    x_.ledger.stored = {};
    x_.ledger.impulse_loads.clear();
    x_.power = x_.ledger.powers.data();
    read_joints(x_);
    read_centers(declared_.centers, x_);
    read_actuators(declared_.actuators, x_);
    read_oil(declared_.oil, x_);
    read_quasistatic(declared_.quasistatic, x_);
    read_loads(declared_.loads, x_);
    read_constraints(declared_.constraints, x_);
    read_motions(declared_.motion, x_);
    read_signals(declared_.signals, signals, x_);
    read_reactions(declared_.reactions, signals, reaction_values_, x_);
  }
  const ValuePlace& place(std::size_t channel) const { return declared_.list.places[channel]; }
  SignalIndex input_signal(std::size_t number) const { return model_->signals.first_input() + static_cast<SignalIndex>(number); }

  std::shared_ptr<const CompiledModel> model_;
  MachineChannels declared_;
  MachineValues<D, S> x_;
  ReactionValues<D, S> reaction_values_;
};

template <int D>
class MachineObserver final : public MachineReadings<D, double, Observer> {
 public:
  using MachineReadings<D, double, Observer>::MachineReadings;
  void observe(const StateVector& state, Side side) override {
    const StateLayout& n = state.layout();
    MachineValues<D, double>& x = this->x_;
    std::copy_n(state.q(), n.nq, x.q.begin());
    std::copy_n(state.v(), n.nv, x.v.begin());
    std::copy_n(state.a(), n.nv, x.a.begin());
    std::copy_n(state.y(), n.ny, x.y.begin());
    std::copy_n(state.ydot(), n.ny, x.ydot.begin());
    std::copy_n(state.multipliers(), n.rows, x.multipliers.begin());
    const Signals signals = signals_at(*this->model_, state);
    for (SignalIndex i : x.netlist.used_signals) x.oil.signal[i] = signals.value(i, state.time, side);
    for (std::size_t i = 0; i < x.inputs.size(); ++i) x.inputs[i] = signals.value(this->input_signal(i), state.time, side);
    this->read({signals, state.time, side});
  }
  std::ptrdiff_t place_in_state(std::size_t channel) const override {
    const StateVector state(this->model_->layout);
    const ValuePlace& place = this->place(channel);
    const double* begin = nullptr;
    switch (place.array) {
      case ValuePlace::Array::q:
        begin = state.q();
        break;
      case ValuePlace::Array::v:
        begin = state.v();
        break;
      case ValuePlace::Array::a:
        begin = state.a();
        break;
      case ValuePlace::Array::y:
        begin = state.y();
        break;
      case ValuePlace::Array::multiplier:
        begin = state.multipliers();
        break;
      default:
        return -1;
    }
    return begin - state.values().data() + place.index;
  }
  int input_of(std::size_t channel) const override {
    const ValuePlace& place = this->place(channel);
    return place.array == ValuePlace::Array::input ? place.index : -1;
  }
  Observer::Oil oil() const override {
    return {&this->x_.netlist, this->x_.y.data(), this->x_.mechanism.s.data(), this->x_.outflow.data()};
  }
};

template <int D>
class MachineChangeObserver final : public MachineReadings<D, Dual<1>, ChangeObserver> {
 public:
  using S = Dual<1>;
  using MachineReadings<D, S, ChangeObserver>::MachineReadings;
  void observe(const StateVector& state, Side side, const StateChange& change) override {
    const StateLayout& n = state.layout();
    MachineValues<D, S>& x = this->x_;
    const auto take = [](const double* value, const double* rate, int size, std::vector<S>& out) {
      for (int i = 0; i < size; ++i) {
        out[i] = value[i];
        out[i].d[0] = rate[i];
      }
    };
    std::vector<S>& theta = x.a;  // scratch, first
    for (int i = 0; i < n.nv; ++i) {
      theta[i] = S(0);
      theta[i].d[0] = change.theta[i];
    }
    advance_configuration(x.m.tree, state.q(), theta.data(), x.q.data());
    take(state.v(), change.v, n.nv, x.v);
    take(state.a(), change.a, n.nv, x.a);
    take(state.y(), change.y, n.ny, x.y);
    take(state.ydot(), change.ydot, n.ny, x.ydot);
    take(state.multipliers(), change.multipliers, n.rows, x.multipliers);
    const Signals signals = signals_at(*this->model_, state);
    const SignalReading reading{signals, state.time, side, change.signal};
    for (SignalIndex i : x.netlist.used_signals) x.oil.signal[i] = reading.value<S>(i);
    for (std::size_t i = 0; i < x.inputs.size(); ++i) x.inputs[i] = reading.value<S>(this->input_signal(i));
    this->read(reading);
  }
};

/// Plane or space, whichever the model is compiled in.
template <template <int> class Reader, class Base>
std::unique_ptr<Base> make_reader(std::shared_ptr<const CompiledModel> model, std::vector<Channel>* offered = nullptr) {
  if (model->planar) return std::make_unique<Reader<2>>(std::move(model), offered);
  return std::make_unique<Reader<3>>(std::move(model), offered);
}

}  // namespace

std::vector<Channel> channels_on_request(const std::shared_ptr<const CompiledModel>& model) {
  std::vector<Channel> offered;
  (void)make_reader<MachineObserver, Observer>(model, &offered);
  return offered;
}

std::string how_to_request(const std::shared_ptr<const CompiledModel>& model, const std::string& name) {
  const std::vector<Channel> offered = channels_on_request(model);
  const bool found = std::any_of(offered.begin(), offered.end(), [&](const Channel& c) { return c.name == name; });
  return found ? "it is evaluated on request: record.channels=[\"*\", " + name + "]" : "";
}

std::size_t channel_of(const std::vector<Channel>& channels, const std::string& section, const std::string& part,
                       const std::string& quantity) {
  const std::string name = part + "." + quantity;
  std::size_t place = channels.size();
  for (std::size_t i = 0; i < channels.size(); ++i) {
    if (channels[i].name == section + "." + name) return i;
    if (channels[i].name == name) place = i;
  }
  return place;
}

std::unique_ptr<Observer> make_observer(std::shared_ptr<const CompiledModel> model) {
  return make_reader<MachineObserver, Observer>(std::move(model));
}
std::unique_ptr<ChangeObserver> make_change_observer(std::shared_ptr<const CompiledModel> model) {
  return make_reader<MachineChangeObserver, ChangeObserver>(std::move(model));
}

}  // namespace trunnion
