// Penalty factors of the constraint rows, scaled to the stiffness at each constraint, so that results are independent of the machine's
// size:
//   alpha = kRatio / max c_i over the rows of a group,   c_i = sum_k J_ik^2 / K_k       c_i: compliance of row i
// K_k resists a change of coordinate k alone: 4/h^2 M_kk and stiffnesses in a step, M_kk for accelerations. kRatio is then the ratio of
// the penalty to the stiffness that a constraint meets, and one solve leaves 1/(1 + kRatio) of a violation. Light bodies between heavy ones
// only transmit forces, and the constraint meets the heavy ones: so K_k is at least a small share of the largest of the coordinates that the
// tree and constraints connect with k; mechanisms side by side do not meet. One factor serves all
// rows of a group: the gradient of a single row may vanish during the motion, and a factor of its own would grow without bound there. A
// given factor is limited to kSmallestRatio ... kLargestRatio; below, violations hardly decrease; above, rounding dominates the machine's
// own stiffness.
//
// Derivation: docs/theory.md, section 7.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "base/system_matrix.h"
#include "mechanics/mechanism.h"

namespace trunnion {

template <int D>
class PenaltyFactors {
 public:
  static constexpr double kRatio = 3e8, kSmallestRatio = 1e2, kLargestRatio = 5e8;

  /// `given`: factor of all rows instead [N/m, N m/rad; of accelerations kg, kg m2], limited to between these ratios.
  explicit PenaltyFactors(const Mechanism<D>& m, std::optional<double> given = {}, double smallest_ratio = kSmallestRatio,
                          double largest_ratio = kLargestRatio);

  /// Sets the factors for the Jacobian of `state` and stiffnesses K per velocity; entries of K that are too small are raised.
  void set(const MechanismState<D>& state, double* K);

  const double* data() const { return factor_.data(); }
  double operator[](int row) const { return factor_[row]; }
  double inverse(int row) const { return inverse_[row]; }  // 1 / factor; 0 for a row that moves nothing
  double ratio() const { return ratio_; }                  // the largest of any row
  double largest() const { return largest_; }              // factor; 0: no rows
  bool limited() const { return limited_; }                // whether a given factor was outside its limits

 private:
  const Mechanism<D>& m_;
  std::optional<double> stated_;
  double smallest_ratio_, largest_ratio_;
  std::vector<double> factor_, inverse_, c_;  // per row
  std::vector<double> compliance_;            // per velocity: 1 / K
  std::vector<int> part_;                     // per velocity: the connected part of the mechanism that it belongs to
  std::vector<double> largest_in_;            // per part: stiffness
  double ratio_ = 0, largest_ = 0;
  bool limited_ = false;
};

/// Scratch, sized once.
struct EffectiveMultipliers {
  template <int D>
  explicit EffectiveMultipliers(const Mechanism<D>& m) : force(m.tree.nv), rows(m.rows), left(m.rows) {}
  std::vector<double> force;       // per velocity
  std::vector<double> rows, left;  // per row
};

/// Multipliers without a part that has no effect, J^T lambda = 0, where rows are redundant. There violations that disagree, if only by
/// rounding, never vanish, and lambda would accumulate over the steps.
///   lambda_(i+1) = lambda_i + alpha J P^-1 J^T (lambda - lambda_i),   lambda_0 = 0,   J^T alpha J in the factored P
/// Each pass leaves 1/(1 + x) of the effective part, x the penalty's ratio to the stiffness that all rows together meet: 3e8 for a row alone,
/// but 1e2 where a row moves a light body before the others hold it. `passes`: at most. `jacobian_q`: J per position increment.
template <int D>
void drop_idle_multipliers(const Mechanism<D>& m, const PenaltyFactors<D>& alpha, const SystemMatrix& P, const double* jacobian,
                           const double* jacobian_q, int passes, double* multipliers, EffectiveMultipliers& work);

}  // namespace trunnion
