// Response of a linear model to piecewise linear inputs by the matrix exponential.
// SPDX-License-Identifier: BSD-3-Clause
#include "spectra/response.h"

#include <unsupported/Eigen/MatrixFunctions>

#include "spectra/spectrum.h"

namespace trunnion {

LinearResponse::LinearResponse(const LinearModel& linear) : A_(linear.A), C_(linear.C), D_(linear.D), scale_(balance(A_)) {
  const Eigen::Index n = linear.A.rows(), inputs = linear.B.cols();
  const Eigen::VectorXd inverse = scale_.cwiseInverse();
  B_.resize(n, inputs + 1);
  B_ << inverse.asDiagonal() * linear.B, inverse.cwiseProduct(linear.drift);
  x_ = Eigen::VectorXd::Zero(n);
  y0_.resize(static_cast<Eigen::Index>(linear.outputs.size()));
  for (Eigen::Index i = 0; i < y0_.size(); ++i) y0_[i] = linear.outputs[static_cast<std::size_t>(i)].reference;
}

const LinearResponse::Transition& LinearResponse::transition(double h) {
  if (const auto known = transitions_.find(h); known != transitions_.end()) return known->second;
  const Eigen::Index n = A_.rows(), m = B_.cols();
  // inputs scaled so that their columns are of size 1: the exponential is then as accurate as A h allows
  Eigen::VectorXd size(m);
  for (Eigen::Index j = 0; j < m; ++j) {
    const double largest = h * B_.col(j).lpNorm<Eigen::Infinity>();
    size[j] = largest > 0 ? largest : 1;
  }
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(n + 2 * m, n + 2 * m);
  M.topLeftCorner(n, n) = h * A_;
  M.block(0, n, n, m) = h * B_ * size.cwiseInverse().asDiagonal();
  M.block(n, n + m, m, m).setIdentity();
  const Eigen::MatrixXd E = M.exp();
  const auto in_states = scale_.asDiagonal();
  return transitions_
      .emplace(h, Transition{in_states * E.topLeftCorner(n, n) * scale_.cwiseInverse().asDiagonal(),
                             in_states * E.block(0, n, n, m) * size.asDiagonal(), in_states * E.block(0, n + m, n, m) * size.asDiagonal()})
      .first->second;
}

void LinearResponse::step(double h, const Eigen::VectorXd& u0, const Eigen::VectorXd& u1) {
  const Transition& t = transition(h);
  const Eigen::Index m = u0.size();
  x_ = t.state * x_ + t.constant.leftCols(m) * u0 + t.constant.col(m) + t.ramp.leftCols(m) * (u1 - u0);
}

Eigen::VectorXd LinearResponse::outputs(const Eigen::VectorXd& u) const { return y0_ + C_ * x_ + D_ * u; }

}  // namespace trunnion
