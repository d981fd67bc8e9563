// The directions of velocity projections at both ends of a step. At its end they change the velocities by w = W^-1 J^T kappa with
// multipliers kappa; along the mean of the directions at both ends they change them further, by
//   1/2 W^-1 (dM w - dJ^T kappa)    d: end of the step minus its start
// Here: the forces in the parentheses. For solve/penalty.h and its derivative; docs/theory.md, section 7.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <vector>

#include "base/newton.h"
#include "mechanics/mechanism.h"

namespace trunnion {

template <int D>
class MeanDirections {
 public:
  static constexpr double kLeastTurn = 1e-3;  // [rad, of the machine's length] turn within a step that matters

  explicit MeanDirections(const Mechanism<D>& m);
  /// The largest increment of a step [rad, of the machine's length], as far as the directions may turn in it.
  double turn(const double* theta) const {
    double largest = 0;
    for (int k = 0; k < m_.tree.nv; ++k) largest = larger(largest, std::abs(theta[k]) / m_.unit(k));
    return largest;
  }
  /// r += dM w - dJ^T kappa for a step from q_begin to q_end; `jacobian`: J at q_end.
  void add_differences(const double* q_begin, const double* q_end, const double* jacobian, const double* w, const double* kappa, double* r);

 private:
  void add_momentum(const double* v, double* r);

  const Mechanism<D>& m_;
  MechanismState<D> place_;  // the position stage at one end, without gravity
  std::vector<double> still_, reversed_, opposite_;
};

extern template class MeanDirections<2>;
extern template class MeanDirections<3>;

}  // namespace trunnion
