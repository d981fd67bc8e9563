// Detection of strikes of end dampers and limits, empty accumulators, open relief valves and blocks that switch.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/incidents.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "hydraulics/components/accumulator.h"
#include "hydraulics/components/relief_valve.h"

namespace trunnion {

namespace {

/// Oil [m3] retained by an accumulator's poppet.
double kept_back(const AccumulatorDescription& d) {
  const auto* gas = std::get_if<GasDescription>(&d.charge);
  return kAccumulatorShut * (gas != nullptr ? gas->volume : std::get<SpringChargeDescription>(d.charge).volume);
}

}  // namespace

IncidentWatch::IncidentWatch(const CompiledModel& model) : model_(&model) {
  const Hydraulics& netlist = model.hydraulics;
  for (std::size_t i = 0; i < netlist.actuators.size(); ++i) {
    if (!(netlist.actuators[i].cylinder.damper.length > 0)) continue;
    actuators_.push_back(static_cast<int>(i));
  }
  for (const Component& c : netlist.components) {
    for (const auto& [name, d] : model.description.accumulators) {
      if (c.section != "accumulators" || c.name != name) continue;
      stores_.push_back(&c);
      least_.push_back(kept_back(d));
    }
    if (&c.law->info() == &ReliefValve::info()) reliefs_.push_back({nullptr, &c});
  }
  for (const OneWayValve& valve : std::get<std::vector<OneWayValve>>(netlist.elements))
    if (valve.law.gradient > 0) reliefs_.push_back({&valve, nullptr});
  for (const ControlBlock& b : netlist.control)
    if (!b.sampled() && b.law->modes() > 0) modes_.push_back(b.output + 1 + b.states());
  last_modes_.resize(modes_.size());
  last_.resize(actuators_.size());
  inside_.resize(actuators_.size());
  empty_.resize(stores_.size());
  open_.resize(reliefs_.size());
  if (actuators_.empty()) return;
  lengths_ = std::visit(
      []<int D>(const Mechanism<D>& mechanism) -> std::function<const double*(const StateVector&)> {
        return [&mechanism, work = std::make_shared<MechanismState<D>>(mechanism)](const StateVector& state) {
          update_positions(mechanism, state.q(), static_cast<const double*>(nullptr), *work);
          return work->s.data();
        };
      },
      model.mechanism);
}

Incidents IncidentWatch::nothing() const {
  Incidents list;
  for (int i : actuators_) {
    const Actuator& a = model_->hydraulics.actuators[static_cast<std::size_t>(i)];
    const auto same = [&](const EndStopRecord& r) { return r.name == a.name; };
    const bool taken = std::any_of(list.end_stops.begin(), list.end_stops.end(), same);
    list.end_stops.push_back({taken ? std::string(a.section) + "." + a.name : a.name, a.is_rotary});
  }
  for (const Component* c : stores_) list.accumulators.push_back({c->name});
  for (const Relief& r : reliefs_) list.reliefs.push_back({r.valve != nullptr ? r.valve->name : r.component->name});
  for (const ControlBlock& b : model_->hydraulics.control) {
    if (b.sampled() || b.law->modes() == 0) continue;
    SwitchRecord& record = list.switches.emplace_back();
    record.name = b.name;
    record.events.reserve(SwitchRecord::kMostKept);
  }
  return list;
}

double IncidentWatch::pressure(int node, const StateVector& state) const {
  const PressureNode& n = model_->hydraulics.nodes[static_cast<std::size_t>(node)];
  if (n.state >= 0) return state.y()[n.state];
  if (const int block = model_->hydraulics.block_of_signal[n.source]; block >= 0)
    return state.y()[model_->hydraulics.control[block].output];
  return signals_at(*model_, state).value(n.source, state.time, Side::left);
}

double IncidentWatch::depth(std::size_t stop) const {
  const int port = actuators_[stop];
  const Cylinder& c = model_->hydraulics.actuators[static_cast<std::size_t>(port)].cylinder;
  return c.damper.length - std::min(c.chamber_A(s_[port]), c.chamber_B(s_[port]));
}

double IncidentWatch::flow(std::size_t relief, const StateVector& state) const {
  const auto& [valve, component] = reliefs_[relief];
  if (valve != nullptr) return one_way_flow(valve->law, pressure(valve->A, state) - pressure(valve->B, state));
  ComponentValues<> values;
  for (std::size_t i = 0; i < component->nodes.size(); ++i) values.p[i] = pressure(component->nodes[i], state);
  std::copy_n(state.y() + component->state, component->law->info().states.size(), values.x);
  component->law->evaluate(values.inputs(), values.Q, values.rate);
  return values.Q[0];
}

void IncidentWatch::begin(const StateVector& state) {
  time_ = state.time;
  if (lengths_) s_ = lengths_(state);
  for (std::size_t i = 0; i < actuators_.size(); ++i) {
    last_[i] = s_[actuators_[i]];
    inside_[i] = depth(i) > 0;
  }
  for (std::size_t i = 0; i < stores_.size(); ++i) empty_[i] = state.y()[stores_[i]->state] <= least_[i];
  for (std::size_t i = 0; i < reliefs_.size(); ++i) open_[i] = flow(i, state) > 0;
  for (std::size_t i = 0; i < modes_.size(); ++i) last_modes_[i] = state.y()[modes_[i]];
}

void IncidentWatch::step(const StateVector& state, Incidents& incidents) {
  const double t = state.time;
  if (lengths_) s_ = lengths_(state);
  for (std::size_t i = 0; i < actuators_.size(); ++i) {
    EndStopRecord& r = incidents.end_stops[i];
    const double x = depth(i), s = s_[actuators_[i]];
    if (x > 0) {
      if (!inside_[i]) {
        if (r.strikes++ == 0) r.first_time = t;
        if (t > time_) r.speed = std::max(r.speed, std::abs(s - last_[i]) / (t - time_));
      }
      ++r.steps;
      if (x > r.depth) {
        r.depth = x;
        r.depth_time = t;
      }
    }
    inside_[i] = x > 0;
    last_[i] = s;
  }
  for (std::size_t i = 0; i < stores_.size(); ++i) {
    EmptyRecord& r = incidents.accumulators[i];
    const bool empty = state.y()[stores_[i]->state] <= least_[i];
    if (empty && (r.steps > 0 || !empty_[i]) && r.steps++ == 0) r.first_time = t;
    empty_[i] = empty;
  }
  for (std::size_t i = 0; i < reliefs_.size(); ++i) {
    ReliefRecord& r = incidents.reliefs[i];
    const double Q = flow(i, state);
    if (Q > 0) {
      if (r.steps++ == 0) r.first_time = t;
      if (!open_[i]) ++r.openings;
      if (Q > r.flow) {
        r.flow = Q;
        r.flow_time = t;
      }
    }
    open_[i] = Q > 0;
  }
  for (std::size_t i = 0; i < modes_.size(); ++i) {  // which change between two steps
    const double mode = state.y()[modes_[i]], change = mode - std::exchange(last_modes_[i], mode);
    if (change == 0) continue;
    SwitchRecord& r = incidents.switches[i];
    ++(change > 0 ? r.on : r.off);
    if (r.events.size() < SwitchRecord::kMostKept) r.events.push_back({time_, change > 0});
  }
  time_ = t;
}

}  // namespace trunnion
