// Product of the mass matrix and a vector.
// SPDX-License-Identifier: BSD-3-Clause
#include "mechanics/mass_product.h"

namespace trunnion {

template <int D>
Motion<D> MassProduct<D>::own(std::size_t node, const double* a, const TreeState<D>& state) const {
  const TreeNode<D>& n = tree_.nodes[node];
  Motion<D> z = Motion<D>::zero();
  for (int i = n.v; i < n.v + n.dofs; ++i) z += state.dofs[i].b * a[i];
  return z;
}

template <int D>
void MassProduct<D>::add(const double* a, const TreeState<D>& state, double* out) {
  const std::size_t nodes = tree_.nodes.size();
  for (std::size_t j = 1; j < nodes; ++j) {
    Z_[j] = Z_[tree_.nodes[j].parent];
    Z_[j] += own(j, a, state);
    F_[j] = Force<D>::zero();
  }
  for (std::size_t j = nodes - 1; j > 0; --j) {
    const TreeNode<D>& n = tree_.nodes[j];
    const Force<D> f = state.nodes[j].I * Z_[j] + F_[j];
    for (int i = n.v; i < n.v + n.dofs; ++i) out[i] += dot(state.dofs[i].b, f);
    if (n.parent != 0) F_[n.parent] += F_[j] + state.nodes[j].I * own(j, a, state);
  }
}

template class MassProduct<2>;
template class MassProduct<3>;

}  // namespace trunnion
