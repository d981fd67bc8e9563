// Sums of local errors, step by step.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/local_errors.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "spatial/rotation3.h"

namespace trunnion {

namespace {

/// From one quaternion to another, in the parent's frame [rad].
Vec<3> turn(const double* from, const double* to) {
  return rotation_vector(Mat<3>(quaternion_matrix(to) * quaternion_matrix(from).transpose()));
}

}  // namespace

LocalErrors::LocalErrors(const CompiledModel& model)
    : q_(static_cast<std::size_t>(model.layout.nv), -1),
      coordinates_(q_.size()),
      pressures_(model.hydraulics.volumes.size()),
      before_(pressures_.size()),
      staggered_(model.description.solver.coupling == CouplingKind::monolithic &&
                 model.description.solver.integrator == IntegratorKind::semi_implicit_euler),
      stretch_(model.description.solver.duration / kStretches) {
  std::visit(
      [&](const auto& m) {
        for (std::size_t i = 1; i < m.tree.nodes.size(); ++i)
          if (const auto& node = m.tree.nodes[i]; node.joint == NodeJoint::spherical)
            rotations_.push_back({node.v, node.q});
          else if (node.dofs == 1)
            q_[static_cast<std::size_t>(node.v)] = node.q;
      },
      model.mechanism);
}

double LocalErrors::Record::persistent() const {
  std::array<double, kStretches> sorted = in_stretch;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  sorted[0] = sorted[1] = sorted[2];
  return std::accumulate(sorted.begin(), sorted.end(), shift);
}

void LocalErrors::widen(const StateVector& state) {
  const auto include = [](Record& record, double value) {
    record.least = std::min(record.least, value);
    record.most = std::max(record.most, value);
  };
  for (std::size_t v = 0; v < q_.size(); ++v)
    if (q_[v] >= 0) include(coordinates_[v], state.q()[q_[v]]);
  for (Rotation& r : rotations_) {
    const Vec<3> theta = turn(r.last.data(), state.q() + r.q);
    std::copy_n(state.q() + r.q, 4, r.last.begin());
    for (int i = 0; i < 3; ++i) include(coordinates_[static_cast<std::size_t>(r.v + i)], r.turned[static_cast<std::size_t>(i)] += theta[i]);
  }
  for (std::size_t i = 0; i < pressures_.size(); ++i) include(pressures_[i], state.y()[i]);
}

void LocalErrors::add(Record& coordinate, double error, double time) const {
  coordinate.error += error;
  coordinate.in_stretch[std::min(kStretches - 1, static_cast<std::size_t>(std::max(0.0, time / stretch_)))] += error;
}

void LocalErrors::begin(const StateVector& state) {
  for (std::size_t v = 0; v < q_.size(); ++v) coordinates_[v] = q_[v] < 0 ? Record() : Record{0, state.q()[q_[v]], state.q()[q_[v]], 0, {}};
  for (Rotation& r : rotations_) {
    std::copy_n(state.q() + r.q, 4, r.last.begin());
    r.turned = {};
  }
  for (std::size_t i = 0; i < pressures_.size(); ++i) pressures_[i] = {0, state.y()[i], state.y()[i], 0, {}};
  length_ = 0;
}

void LocalErrors::step(const StateVector& from, const StateVector& to, bool in_parts) {
  constexpr double kSameLength = 1e-6;
  const double h = to.time - from.time;
  const auto moved = [&](std::size_t v) { return h / 2 * (from.v()[v] + to.v()[v]) + h * h / 12 * (from.a()[v] - to.a()[v]); };
  for (std::size_t v = 0; v < q_.size(); ++v)
    if (staggered_) {
      Record& record = coordinates_[v];
      const double shift = std::max(record.shift, h / 2 * std::abs(to.v()[v]));
      record.error += shift - std::exchange(record.shift, shift);
      add(record, h * h / 24 * std::abs(to.a()[v] - from.a()[v]), from.time);
    } else if (q_[v] >= 0) {
      add(coordinates_[v], std::abs(to.q()[q_[v]] - from.q()[q_[v]] - moved(v)), from.time);
    }
  for (const Rotation& r : rotations_) {
    if (staggered_) break;
    const Eigen::Map<const Vec<3>> v_0(from.v() + r.v), v_1(to.v() + r.v);
    const Vec<3> theta = turn(from.q() + r.q, to.q() + r.q) - h * h / 12 * v_1.cross(v_0);
    for (int i = 0; i < 3; ++i) {
      const auto v = static_cast<std::size_t>(r.v + i);
      add(coordinates_[v], std::abs(theta[i] - moved(v)), from.time);
    }
  }
  const bool counts = !in_parts && std::abs(h - length_) < kSameLength * h;
  for (std::size_t i = 0; i < pressures_.size(); ++i) {
    const Defect defect{to.y()[i] - from.y()[i] - h / 2 * (from.ydot()[i] + to.ydot()[i]), to.ydot()[i] - from.ydot()[i]};
    // the trapezoids of both steps, and their difference from Simpson's rule: a jump of rates between the steps does not contribute
    const double two = before_[i].trapezoid + defect.trapezoid + h / 6 * (defect.change - before_[i].change);
    if (counts) pressures_[i].error = std::max(pressures_[i].error, std::abs(two) / 2);
    before_[i] = defect;
  }
  length_ = in_parts ? 0 : h;
  widen(to);
}

void LocalErrors::step(double begin, const StateVector& to, const StepErrors& errors) {
  for (std::size_t v = 0; v < q_.size(); ++v) add(coordinates_[v], errors.coordinates[v], begin);
  for (std::size_t i = 0; i < pressures_.size(); ++i) pressures_[i].error = std::max(pressures_[i].error, errors.pressures[i]);
  widen(to);
}

}  // namespace trunnion
