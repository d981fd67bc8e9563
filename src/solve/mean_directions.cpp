// The directions of a velocity projection at both ends of a step.
// SPDX-License-Identifier: BSD-3-Clause
#include "solve/mean_directions.h"

namespace trunnion {

template <int D>
MeanDirections<D>::MeanDirections(const Mechanism<D>& m) : m_(m), place_(m), still_(m.tree.nv), reversed_(m.tree.nv), opposite_(m.rows) {
  place_.tree.nodes[0].A = Motion<D>::zero();
}

/// r += M v at the positions of place_.
template <int D>
void MeanDirections<D>::add_momentum(const double* v, double* r) {
  update_rates(m_.tree, static_cast<const double*>(still_.data()), v, place_.tree);
  update_inertial_forces(m_.tree, false, place_.tree);
  accumulate(m_.tree, place_.tree, false, r);
}

template <int D>
void MeanDirections<D>::add_differences(const double* q_begin, const double* q_end, const double* jacobian, const double* w,
                                        const double* kappa, double* r) {
  const double* no_increment = nullptr;
  update_positions(m_.tree, q_end, no_increment, place_.tree);
  add_momentum(w, r);
  for (int k = 0; k < m_.tree.nv; ++k) reversed_[k] = -w[k];
  update_positions(m_, q_begin, no_increment, place_);
  add_momentum(reversed_.data(), r);
  add_constraint_forces(m_, kappa, static_cast<const double*>(place_.jacobian.data()), r);
  for (int i = 0; i < m_.rows; ++i) opposite_[i] = -kappa[i];
  add_constraint_forces(m_, static_cast<const double*>(opposite_.data()), jacobian, r);
}

template class MeanDirections<2>;
template class MeanDirections<3>;

}  // namespace trunnion
