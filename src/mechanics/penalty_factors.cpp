// Penalty factors of the constraint rows.
// SPDX-License-Identifier: BSD-3-Clause
#include "mechanics/penalty_factors.h"

#include <algorithm>

namespace trunnion {

namespace {

constexpr double kSmallestShare = 1e-6;  // relative to the largest stiffness, angles and lengths compared by the mechanism's extent

}  // namespace

template <int D>
void PenaltyFactors<D>::set(const MechanismState<D>& state, double* K) {
  const auto square = [&](int k) { return m_.unit(k) * m_.unit(k); };
  double largest = 0;
  for (int k = 0; k < m_.tree.nv; ++k) largest = std::max(largest, K[k] * square(k));
  for (int k = 0; k < m_.tree.nv; ++k) {
    if (const double least = kSmallestShare * largest; !(K[k] * square(k) > least)) K[k] = least / square(k);
    compliance_[k] = 1 / K[k];
  }
  row_compliances(m_, compliance_.data(), state, c_.data());
  ratio_ = largest_ = 0;
  limited_ = false;
  for (const ConstraintGroup<D>& g : m_.constraints) {
    double compliance = 0;
    for (int row = g.rows.begin; row < g.rows.end; ++row) compliance = std::max(compliance, c_[row]);
    double factor = compliance > 0 ? kRatio / compliance : 0;
    if (stated_ && compliance > 0) {
      factor = std::clamp(*stated_, smallest_ratio_ / compliance, largest_ratio_ / compliance);
      limited_ = limited_ || factor != *stated_;
    }
    const double inverse = factor > 0 ? 1 / factor : 0;
    for (int row = g.rows.begin; row < g.rows.end; ++row) {
      factor_[row] = factor;
      inverse_[row] = inverse;
    }
    ratio_ = std::max(ratio_, factor * compliance);
    largest_ = std::max(largest_, factor);
  }
}

template class PenaltyFactors<2>;
template class PenaltyFactors<3>;

}  // namespace trunnion
