// The oil of the hydraulic subsystem linearised over a communication step (hydraulics/linear_oil.h).
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "cosimulation/circuit_subsystem.h"

namespace trunnion {

void CircuitSubsystem::linearise(double h, LinearOil& oil) {
  oil.begin = time_;
  oil.step = h;
  for (std::size_t i = 0; i < n_; ++i) {
    ds_[i] = oil.s[cut_.ports[i]];
    dw_[i] = oil.w[cut_.ports[i]];
  }
  std::copy_n(x_.begin(), netlist_.ny, stage_.begin());
  for (std::size_t i = 0; i < netlist_.volumes.size(); ++i) oil.p[cut_.volumes[i]] = x_[i];
  for (int k = 0; k <= oil.pieces; ++k) {
    const double t = time_ + h * k / oil.pieces;
    if (k > 0) advance_spools(time_ + h * (k - 1) / oil.pieces, t);
    update_inputs(netlist_, signals(), t, k == 0 ? Side::right : Side::left, work_);
    linearise_here(oil, k);
  }
}

void CircuitSubsystem::advance_spools(double t_begin, double t_end) {
  const int steps = steps_within(t_end - t_begin, step_);
  const double h = (t_end - t_begin) / steps;
  for (const Spool& spool : netlist_.spools) {
    double reference = signals().value(spool.signal, t_begin, Side::right), rate[2];
    for (int k = 1; k <= steps; ++k) {
      const double next = signals().value(spool.signal, t_begin + k * h, Side::left);
      spool_rates(spool, reference, stage_.data() + spool.state, rate);
      advance_spool<double>(spool, 2 / h, rate, next, stage_.data() + spool.state);
      reference = next;
    }
  }
}

void CircuitSubsystem::linearise_here(LinearOil& oil, int instant) {
  double *y = stage_.data(), *ydot = sum_.data();
  set_following_spools(y);
  evaluate_rates(netlist_, ds_.data(), dw_.data(), y, ydot, work_);
  for (std::size_t i = 0; i < netlist_.volumes.size(); ++i) oil.f[instant][cut_.volumes[i]] = ydot[i];
  evaluate_slopes(netlist_, ds_.data(), dw_.data(), y, ydot, work_);
  for (std::size_t i = 0; i < netlist_.volumes.size(); ++i) {
    const PressureNode& row = netlist_.nodes[netlist_.volumes[i].node];
    const Circuit& c = netlist_.circuits[row.circuit];
    const double C = work_.capacity[netlist_.volumes[i].node];
    for (std::size_t j = 0; j < netlist_.volumes.size(); ++j) {
      const PressureNode& column = netlist_.nodes[netlist_.volumes[j].node];
      oil.J[instant][cut_.volumes[i] * oil.volumes + cut_.volumes[j]] =
          column.circuit == row.circuit ? -work_.T[c.block + row.local * c.size + column.local] / C : 0;
    }
    if (instant > 0) continue;
    for (std::size_t j = 0; j < n_; ++j) {
      const bool joined = netlist_.actuators[j].circuit == row.circuit;
      const std::size_t at = cut_.volumes[i] * oil.ports + cut_.ports[j];
      oil.f_s[at] = joined ? -work_.R_s[work_.column[j] + row.local] / C : 0;
      oil.f_w[at] = joined ? -work_.R_v[work_.column[j] + row.local] / C : 0;
    }
  }
}

}  // namespace trunnion
