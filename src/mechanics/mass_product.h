// Product of the mass matrix and a vector in one sweep over the tree: with the inertias I of the subtrees, a coordinate's own motion
// b a acts on its whole subtree, that of outer coordinates is propagated as a force,
//   Z = sum over the coordinates before of b a,     (M a)_k = b_k . (I Z + F),     F_parent += F + I z,  z the joint's own share of Z
// so that M is not formed. Source: section 4 of the theory page, da alone.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "mechanics/tree.h"

namespace trunnion {

template <int D>
class MassProduct {
 public:
  explicit MassProduct(const Tree<D>& tree)
      : tree_(tree), Z_(tree.nodes.size(), Motion<D>::zero()), F_(tree.nodes.size(), Force<D>::zero()) {}
  /// out += M a, after accumulate(with_inertia).
  void add(const double* a, const TreeState<D>& state, double* out);

 private:
  Motion<D> own(std::size_t node, const double* a, const TreeState<D>& state) const;

  const Tree<D>& tree_;
  std::vector<Motion<D>> Z_;
  std::vector<Force<D>> F_;
};

}  // namespace trunnion
