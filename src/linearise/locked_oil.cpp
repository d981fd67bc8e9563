// SPDX-License-Identifier: BSD-3-Clause
#include "linearise/locked_oil.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include "hydraulics/volume_content.h"

namespace trunnion {

namespace {

constexpr double kNoFlow = 1e-14;  // of the largest entry of a row: no flow
constexpr double kSame = 1e-9;     // of the flows of a group: they come from within

}  // namespace

LockedOil::LockedOil(const Hydraulics& netlist)
    : netlist_(netlist),
      amount_(static_cast<std::size_t>(netlist.ny), 0),
      excess_(netlist.volumes.size(), 0.0),
      group_(amount_.size()),
      open_(amount_.size()) {
  for (const Component& c : netlist.components)
    for (std::size_t k = 0; k < c.law->info().states.size(); ++k)
      amount_[static_cast<std::size_t>(c.state) + k] = std::string_view(c.law->info().states[k].unit) == "m^3" ? 1 : 0;
}

int LockedOil::root(int state) const {
  while (group_[static_cast<std::size_t>(state)] != state) state = group_[static_cast<std::size_t>(state)];
  return state;
}

void LockedOil::begin_step(const Reference& at) {
  std::iota(group_.begin(), group_.end(), 0);
  std::fill(open_.begin(), open_.end(), 0);
  connect(at);
  y_.assign(at.state.y(), at.state.y() + netlist_.ny);
  s_ = at.s;
}

void LockedOil::connect(const Reference& at) {
  const Eigen::Index n = at.A.rows(), first = n - static_cast<Eigen::Index>(at.states.size());
  const auto state = [&](Eigen::Index i) { return at.states[static_cast<std::size_t>(i - first)]; };
  Eigen::VectorXd weight = Eigen::VectorXd::Zero(n);  // [m3] of a unit
  for (Eigen::Index i = first; i < n; ++i)
    if (is_pressure(state(i)))
      weight[i] = at.capacity[netlist_.volumes[state(i)].node] * at.units[i];
    else if (amount_[state(i)] != 0)
      weight[i] = at.units[i];
  const Eigen::VectorXd rounding = kNoFlow * at.A.rowwise().lpNorm<Eigen::Infinity>();
  for (Eigen::Index i = first; i < n; ++i)
    for (Eigen::Index j = first; j < n && weight[i] > 0; ++j)
      if (weight[j] > 0 && std::abs(at.A(i, j)) > rounding[i]) {
        const int from = root(state(i)), to = root(state(j));
        group_[from] = to;
        if (open_[from] != 0) open_[to] = 1;
      }
  std::vector<double> values(static_cast<std::size_t>(oil_memory_size(netlist_)));
  const OilMemory<> now = oil_memory(netlist_, values.data());
  start_oil_memory(netlist_, 1, at.s.data(), at.s_dot.data(), at.state.y(), at.state.ydot(), now);
  std::vector<double> sum(group_.size()), size(group_.size());
  for (Eigen::Index j = first; j <= n; ++j) {  // flows by each state, and those that there are
    std::fill(sum.begin(), sum.end(), 0.0);
    std::fill(size.begin(), size.end(), 0.0);
    for (Eigen::Index i = first; i < n; ++i) {
      if (weight[i] == 0) continue;
      const int of = root(state(i));
      const double flow = j < n ? weight[i] * at.A(i, j) : is_pressure(state(i)) ? now.inflow[state(i)] : weight[i] * at.rates[i];
      sum[of] += flow;
      size[of] += std::max(std::abs(flow), weight[i] * (j < n ? rounding[i] / kSame : std::abs(at.rates[i])));
    }
    for (std::size_t of = 0; of < sum.size(); ++of)
      if (std::abs(sum[of]) > kSame * size[of]) open_[of] = 1;
  }
}

void LockedOil::end_step(const Reference& at) {
  if (netlist_.linear_oil != nullptr) return;
  connect(at);
  std::vector<StrainChange> strain(netlist_.nodes.size());
  std::vector<double> change(excess_.size()), sum(group_.size(), 0.0), capacity(group_.size(), 0.0);
  content_changes(netlist_, y_.data(), s_.data(), at.state.y(), at.s.data(), change.data(), strain.data());
  for (const int y : at.states)
    if (is_pressure(y)) {
      sum[root(y)] += excess_[y] + change[y];
      capacity[root(y)] += at.capacity[netlist_.volumes[y].node];
    } else if (amount_[y] != 0) {
      sum[root(y)] += at.state.y()[y] - y_[y];
    }
  for (const int y : at.states)
    if (is_pressure(y)) {
      const int of = root(y);
      excess_[y] = open_[of] != 0 ? 0 : sum[of] * at.capacity[netlist_.volumes[y].node] / capacity[of];
    }
}

Eigen::VectorXd LockedOil::excess(const Reference& at) const {
  const Eigen::Index n = at.A.rows(), first = n - static_cast<Eigen::Index>(at.states.size());
  Eigen::VectorXd excess = Eigen::VectorXd::Zero(n);
  for (Eigen::Index i = first; i < n; ++i)
    if (const int y = at.states[static_cast<std::size_t>(i - first)]; is_pressure(y))
      excess[i] = excess_[y] / (at.capacity[netlist_.volumes[y].node] * at.units[i]);
  return excess;
}

}  // namespace trunnion
