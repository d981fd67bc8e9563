// Linear model by central differences of the whole machine.
// SPDX-License-Identifier: BSD-3-Clause
#include "linearise/counterpart.h"

#include <algorithm>
#include <cmath>

#include "base/diagnostic.h"
#include "linearise/reduction.h"
#include "linearise/variables.h"

namespace trunnion {

namespace {

void fail(double time, const char* cause) {
  throw SimulationError(time, "the counterpart of the linear model", cause, "use another position or a smaller step");
}

}  // namespace

template <int D>
CounterpartDifferences<D>::CounterpartDifferences(const std::shared_ptr<const CompiledModel>& model, const StateVector& reference)
    : rates_(model, ConstraintTreatment::stabilised),
      reference_(reference),
      at_(reference),
      theta_(model->layout.nv),
      v_(model->layout.nv) {
  states_ = first_order_states(model->hydraulics);
  above_.resize(size());
  update_positions(rates_.mechanism(), reference_.q(), static_cast<const double*>(nullptr), rates_.work().mechanism);
  if (!rates_.loops().select_partition(rates_.work().mechanism))
    fail(reference.time, "the reference is a singular configuration (dead point) of the loops");
}

/// F with component j moved by `change`.
template <int D>
void CounterpartDifferences<D>::evaluate(int j, double change, double* F) {
  const int nv = static_cast<int>(theta_.size());
  at_ = reference_;
  std::fill(theta_.begin(), theta_.end(), 0.0);
  if (j >= 0 && j < nv) theta_[j] = change;
  if (j >= nv && j < 2 * nv) at_.v()[j - nv] += change;
  if (j >= 2 * nv) at_.y()[states_[j - 2 * nv]] += change;
  StepOutcome report;
  if (!rates_.place(reference_.q(), theta_.data(), Side::right, at_, report))
    fail(at_.time, "the loops cannot be closed at the perturbed position");
  if (!rates_.accelerate(at_, report)) fail(at_.time, "the mass matrix is singular on the constraints");
  // spherical joint: increment from the moving reference, theta_dot = T^-1 (omega - exp(theta) omega_0), with omega_0 the drift
  std::copy_n(at_.v(), nv, v_.begin());
  const auto for_each_ball = [&](auto&& body) {
    if constexpr (D == 3)
      for (const TreeNode<D>& n : rates_.mechanism().tree.nodes)
        if (n.joint == NodeJoint::spherical) body(n.v, Vec<3>(reference_.v()[n.v], reference_.v()[n.v + 1], reference_.v()[n.v + 2]));
  };
  for_each_ball([&](int v, const Vec<3>& omega) {
    const double upright[4] = {1, 0, 0, 0};
    double e[4];
    quaternion_rotate(upright, Vec<3>(theta_[v], theta_[v + 1], theta_[v + 2]), e);
    const Vec<3> turned = quaternion_matrix(e) * omega;
    for (int i = 0; i < 3; ++i) v_[v + i] -= turned[i];
  });
  increment_rates(rates_.mechanism().tree, theta_.data(), v_.data(), F);
  for_each_ball([&](int v, const Vec<3>& omega) {
    for (int i = 0; i < 3; ++i) F[v + i] += omega[i];
  });
  std::copy_n(at_.a(), nv, F + nv);
  for (std::size_t i = 0; i < states_.size(); ++i) F[2 * nv + static_cast<int>(i)] = at_.ydot()[states_[i]];
}

template <int D>
void CounterpartDifferences<D>::jacobian(double step, double* J) {
  const int n = size(), nv = static_cast<int>(theta_.size());
  for (int j = 0; j < n; ++j) {
    double* column = J + static_cast<std::ptrdiff_t>(j) * n;
    const double h = j < 2 * nv ? step : step * std::max(1.0, std::abs(reference_.y()[states_[j - 2 * nv]]));
    evaluate(j, h, above_.data());
    evaluate(j, -h, column);
    for (int i = 0; i < n; ++i) column[i] = (above_[i] - column[i]) / (2 * h);
  }
}

template class CounterpartDifferences<2>;
template class CounterpartDifferences<3>;

}  // namespace trunnion
