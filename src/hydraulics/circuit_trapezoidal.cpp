// SPDX-License-Identifier: BSD-3-Clause
#include "hydraulics/circuit_trapezoidal.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trunnion {

namespace {

constexpr double kNear = 50;  // [Pa] of a stop
constexpr int kBisections = 60;
constexpr double kBeyond = 100;  // [Pa] beyond a cracking pressure: the valve's slope is that of the open one

/// The pressure drop at which Newton's method stops on its way from dp to next.
double stop_between(const OneWayValve& valve, double dp, double next) {
  const double open = valve.law.cracking + kBeyond;
  return dp <= valve.law.cracking && next > open ? open : next;
}
template <class Element>
double stop_between(const Element& orifice, double dp, double next) {
  const double limit = orifice.zone.limit;
  return (dp > limit && next < -limit) || (dp < -limit && next > limit) ? 0 : next;
}
double stop_between(const Leakage&, double, double next) { return next; }

}  // namespace

CircuitTrapezoidal::CircuitTrapezoidal(const Hydraulics& hydraulics, double tolerance_pressure, double tolerance_other)
    : h_(hydraulics),
      ports_(hydraulics.actuators.size()),
      tolerance_(hydraulics.unknown_state.size()),
      share_(hydraulics.circuits.size()),
      residual_(ports_),
      stiffness_(ports_ * ports_),
      damping_(ports_ * ports_),
      local_states_(!hydraulics.quasistatic.empty()) {
  for (std::size_t i = 0; i < tolerance_.size(); ++i)
    tolerance_[i] = h_.unknown_state[i] < static_cast<int>(h_.volumes.size()) ? tolerance_pressure : tolerance_other;
  for (const Actuator& a : h_.actuators) local_states_ = local_states_ || (a.friction_local && a.friction_states > 0);
}

void CircuitTrapezoidal::begin(const SignalSet& signals, double t, double h, const double* y_begin, const double* ydot_begin, double* y,
                               double* ydot, const HydraulicState& state) {
  y_ = y;
  ydot_ = ydot;
  rule_ = {h, 2 / h, y_begin, ydot_begin};
  for (int i : h_.unknown_state) {
    const bool pressure = i < static_cast<int>(h_.volumes.size());
    y[i] = pressure ? h_.fluid.advance(y[i], h * ydot[i], h_.volumes[i].walls_of_all) : y[i] + h * ydot[i];
  }
  for (const Spool& spool : h_.spools) {
    const double begin = signals.value(spool.signal, t, Side::right), end = state.signal[spool.signal];
    y[spool.state] = advance_spool(y[spool.state], begin, end, spool.time_constant, h);
    ydot[spool.state] = spool.time_constant > 0 ? (end - y[spool.state]) / spool.time_constant : 0;
  }
}

void CircuitTrapezoidal::set_rates(HydraulicState& state) {
  for (int i : h_.unknown_state) ydot_[i] = rule_.factor * (y_[i] - rule_.y_begin[i]) - rule_.ydot_begin[i];
  update_pressure_rates(h_, rule_, y_, ydot_, state);
}

double CircuitTrapezoidal::moved(int node, const double* increment, double share, const HydraulicState& state) const {
  const PressureNode& n = h_.nodes[node];
  if (n.state < 0) return state.pressure[node];
  return h_.fluid.advance(y_[n.state], share * increment[h_.circuits[n.circuit].offset + n.local], h_.volumes[node].walls_of_all);
}

template <class Way>
double CircuitTrapezoidal::share_until(double stop, Way&& way) {
  const double from = way(0.0), to = way(1.0);
  double share = (stop - from) / (to - from), least = 0, most = 1;  // exact as long as no air is free
  for (int i = 0; i < kBisections && std::abs(way(share) - stop) > kNear; ++i) {
    ((way(share) - stop) * (to - from) > 0 ? most : least) = share;
    share = (least + most) / 2;
  }
  return share;
}

void CircuitTrapezoidal::limit(const double* increment, const HydraulicState& state) {
  std::fill(share_.begin(), share_.end(), 1.0);
  const auto stop_at = [&](int node, double share) {
    if (h_.nodes[node].state >= 0) share_[h_.nodes[node].circuit] = std::min(share_[h_.nodes[node].circuit], share);
  };
  const double liquid = h_.fluid.saturation_pressure + kBeyond;
  for (std::size_t i = 0; i < h_.volumes.size(); ++i) {
    const int node = h_.volumes[i].node;
    const auto p = [&](double share) { return moved(node, increment, share, state); };
    if (h_.fluid.cavitates(p(0)) && p(1) > liquid) stop_at(node, share_until(liquid, p));
  }
  for_each_element(h_, [&](const auto& element) {
    element.edges(state.flow_inputs(), [&](int A, int B, auto&& law) {
      const auto drop = [&](double share) { return moved(A, increment, share, state) - moved(B, increment, share, state); };
      const double to = drop(1), stop = stop_between(element, drop(0), to);
      if (stop == to || law(std::numeric_limits<double>::max()) == 0) return;  // a shut edge has no say
      const double share = share_until(stop, drop);
      for (int node : {A, B}) stop_at(node, share);
    });
  });
}

bool CircuitTrapezoidal::condense_ports(HydraulicState& state) {
  int circuit = 0;
  if (!condense(h_, state, &circuit)) return false;
  for (const Circuit& c : h_.circuits)
    for (int i : c.actuators) {
      const double* w = state.F_y.data() + state.column[i];
      double wR = 0;
      for (int k = 0; k < c.size; ++k) wR += w[k] * state.R[c.offset + k];
      residual_[i] = wR;
      for (int j : c.actuators) {
        const double *R_s = state.R_s.data() + state.column[j], *R_v = state.R_v.data() + state.column[j];
        double stiffness = 0, damping = 0;
        for (int k = 0; k < c.size; ++k) {
          stiffness += w[k] * R_s[k];
          damping += w[k] * R_v[k];
        }
        stiffness_[i * ports_ + j] = stiffness;
        damping_[i * ports_ + j] = damping;
      }
    }
  return true;
}

}  // namespace trunnion
