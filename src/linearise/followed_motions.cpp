// Motions that follow control blocks in a linear model.
// SPDX-License-Identifier: BSD-3-Clause
#include "linearise/reduction.h"

namespace trunnion {

/// Completes the mechanism's change where motions follow control blocks: their targets by the blocks' states, whose rates are accelerations
/// of the coordinates. `given` (null: zero): the same of prescribed motions, of rates and accelerations.
template <int D>
void Reduction<D>::change_followed_motions(Change& out, const double* rates, const double* accelerations) {
  if (!m_.follows_blocks()) return;
  std::vector<double>& position = followed_[0];
  const auto set = [&](std::vector<double>& rows, const double* given, const std::vector<double>& of, int state) {
    for (int i = 0; i < m_.rows; ++i) rows[i] = given != nullptr ? given[i] : 0;
    for (const ConstraintGroup<D>& g : m_.constraints)
      if (g.motion >= 0 && m_.motions[g.motion].follows_block()) {
        const PrescribedMotion& motion = m_.motions[g.motion];
        rows[g.rows.begin] -= (state > 0 ? motion.rate_scale : 1) * of[motion.state + state];
      }
  };
  set(position, nullptr, out.y, 0);
  set(followed_[1], rates, out.y, 1);
  rates_.loops().remove_positions(position.data(), out.mechanism.theta.data());
  change_mechanism(out, followed_[1].data(), accelerations);
  change_control(out);
  set(followed_[2], accelerations, out.ydot, 1);
  change_mechanism(out, followed_[1].data(), followed_[2].data());
}

template void Reduction<2>::change_followed_motions(Change&, const double*, const double*);
template void Reduction<3>::change_followed_motions(Change&, const double*, const double*);

}  // namespace trunnion
