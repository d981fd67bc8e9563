// The response of a linear model to its inputs, exact for inputs that are linear within each step:
//   x' = f0 + A x + B u,   u(t) = u0 + (u1 - u0) t / h   for 0 <= t <= h
//   x(h) = e^(A h) x(0) + G (f0 + B u0) + H B (u1 - u0),   G = int_0^h e^(A s) ds,   H = int_0^h e^(A s) (h - s) / h ds
// All three are blocks of one exponential (C. F. Van Loan, IEEE Transactions on Automatic Control 23 (1978), 395-404):
//       ( A h  B h  0 )         ( e^(A h)  G B  H B )
//   exp (  0    0   I )    =    (    0      I    I  )
//       (  0    0   0 )         (    0      0    I  )
// It is computed for the balanced matrix: states of a machine differ by ten orders of magnitude (angles, pressures).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>
#include <map>

#include "linearise/linear_model.h"

namespace trunnion {

class LinearResponse {
 public:
  explicit LinearResponse(const LinearModel& linear);

  /// Deviation of the states from the reference.
  const Eigen::VectorXd& x() const { return x_; }
  void start(const Eigen::VectorXd& x) { x_ = x; }
  /// Advances by h [s] under inputs (deviations) linear from u0 to u1. Step lengths used before cost two products.
  void step(double h, const Eigen::VectorXd& u0, const Eigen::VectorXd& u1);
  /// Values of the outputs, not deviations, at x() and u.
  Eigen::VectorXd outputs(const Eigen::VectorXd& u) const;

  struct Transition {
    Eigen::MatrixXd state, constant, ramp;  // e^(A h); G (B, f0); H B
  };
  /// Over h [s]; computed once.
  const Transition& transition(double h);

 private:
  Eigen::MatrixXd A_, B_, C_, D_;  // A_, B_ in balanced states; B_ with the drift as its last column
  Eigen::VectorXd scale_;          // states = scale * balanced states
  Eigen::VectorXd x_, y0_;
  std::map<double, Transition> transitions_;  // per step length
};

}  // namespace trunnion
