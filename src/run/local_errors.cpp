// Sums of local errors, step by step.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/local_errors.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace trunnion {

LocalErrors::LocalErrors(const Model& model)
    : q_(static_cast<std::size_t>(model.layout.nv), -1),
      coordinates_(q_.size()),
      pressures_(model.hydraulics.volumes.size()),
      change_(pressures_.size()),
      stretch_(model.description.solver.duration / kStretches) {
  std::visit(
      [&](const auto& m) {
        for (std::size_t i = 1; i < m.tree.nodes.size(); ++i)
          if (const auto& node = m.tree.nodes[i]; node.dofs == 1) q_[static_cast<std::size_t>(node.v)] = node.q;
      },
      model.mechanism);
}

double LocalErrors::Record::persistent() const {
  std::array<double, kStretches> sorted = in_stretch;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  sorted[0] = sorted[1] = sorted[2];
  return std::accumulate(sorted.begin(), sorted.end(), 0.0);
}

void LocalErrors::widen(Record& record, double value) {
  record.least = std::min(record.least, value);
  record.most = std::max(record.most, value);
}

void LocalErrors::begin(const State& state) {
  for (std::size_t v = 0; v < q_.size(); ++v)
    if (q_[v] >= 0) coordinates_[v] = {0, state.q()[q_[v]], state.q()[q_[v]], {}};
  for (std::size_t i = 0; i < pressures_.size(); ++i) pressures_[i] = {0, state.y()[i], state.y()[i], {}};
  length_ = 0;
}

void LocalErrors::step(const State& from, const State& to, bool in_parts) {
  constexpr double kSameLength = 1e-6;
  const double h = to.time - from.time;
  const auto stretch = std::min(kStretches - 1, static_cast<std::size_t>(std::max(0.0, from.time / stretch_)));
  for (std::size_t v = 0; v < q_.size(); ++v) {
    if (q_[v] < 0) continue;
    const double error = h * h / 12 * std::abs(to.a()[v] - from.a()[v]);
    coordinates_[v].error += error;
    coordinates_[v].in_stretch[stretch] += error;
    widen(coordinates_[v], to.q()[q_[v]]);
  }
  const bool counts = !in_parts && std::abs(h - length_) < kSameLength * h;
  for (std::size_t i = 0; i < pressures_.size(); ++i) {
    const double change = to.ydot()[i] - from.ydot()[i];
    if (counts) pressures_[i].error = std::max(pressures_[i].error, h / 9 * std::abs(change - change_[i]));
    change_[i] = change;
    widen(pressures_[i], to.y()[i]);
  }
  length_ = in_parts ? 0 : h;
}

}  // namespace trunnion
