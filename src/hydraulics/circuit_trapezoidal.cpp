// SPDX-License-Identifier: BSD-3-Clause
#include "hydraulics/circuit_trapezoidal.h"

#include <algorithm>

namespace trunnion {

CircuitTrapezoidal::CircuitTrapezoidal(const Hydraulics& hydraulics, double tolerance_pressure, double tolerance_other)
    : h_(hydraulics),
      ports_(hydraulics.actuators.size()),
      tolerance_(hydraulics.unknown_state.size()),
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
