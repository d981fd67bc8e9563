// A netlist that follows a LinearOil: rates of its pressures, and their residuals in a step.
// SPDX-License-Identifier: BSD-3-Clause
#include "hydraulics/linear_oil.h"

#include "hydraulics/circuit_rows.h"

namespace trunnion {

void set_linear_oil(const LinearOil& oil, double t, HydraulicState& state) {
  const auto [k, share] = oil.place(t);
  const auto mean = [left = k, next = share](const std::vector<std::vector<double>>& at, std::vector<double>& out) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = (1 - next) * at[left][i] + next * at[left + 1][i];
  };
  mean(oil.f, state.linear_f);
  mean(oil.J, state.linear_J);
}

double linear_rate(const Hydraulics& netlist, const LinearOil& oil, std::size_t i, const double* s, const double* s_dot, const double* y,
                   const HydraulicState& state) {
  const std::size_t volumes = netlist.volumes.size(), ports = netlist.actuators.size();
  const int circuit = netlist.nodes[netlist.volumes[i].node].circuit;
  double rate = state.linear_f[i];
  for (std::size_t j = 0; j < volumes; ++j)
    if (const PressureNode& other = netlist.nodes[netlist.volumes[j].node]; other.circuit == circuit)
      rate += state.linear_J[i * volumes + j] * (y[other.state] - oil.p[j]);
  for (int k : netlist.circuits[circuit].actuators)
    rate += oil.f_s[i * ports + k] * (s[k] - oil.s[k]) + oil.f_w[i * ports + k] * (s_dot[k] - oil.w[k]);
  return rate;
}

void add_linear_oil(const Hydraulics& netlist, const LinearOil& oil, const double* s, const double* s_dot, const double* y,
                    const double* ydot, double factor, HydraulicState& state) {
  const std::size_t volumes = netlist.volumes.size(), ports = netlist.actuators.size();
  for (std::size_t i = 0; i < volumes; ++i) {
    const PressureNode& node = netlist.nodes[netlist.volumes[i].node];
    const BlockRow row = row_of(netlist, node, state);
    for (std::size_t j = 0; j < volumes; ++j)
      if (const PressureNode& other = netlist.nodes[netlist.volumes[j].node]; other.circuit == node.circuit)
        row.T[other.local] -= state.linear_J[i * volumes + j];
    for (int k : netlist.circuits[node.circuit].actuators) {
      state.R_s[state.column[k] + row.local] -= oil.f_s[i * ports + k];
      state.R_v[state.column[k] + row.local] -= oil.f_w[i * ports + k];
    }
    state.capacity[netlist.volumes[i].node] = 1;
    *row.R += ydot[node.state] - linear_rate(netlist, oil, i, s, s_dot, y, state);
    row.T[row.local] += factor;
  }
}

}  // namespace trunnion
