// Inertia in independent coordinates.
// SPDX-License-Identifier: BSD-3-Clause
#include "solve/reduced_inertia.h"

#include <algorithm>

#include "base/lu.h"

namespace trunnion {

template <int D>
ReducedInertia<D>::ReducedInertia(const Mechanism<D>& m) : product_(m.tree), pivot_(m.tree.nv) {
  for (auto* x : {&unit_, &g_, &column_, &Mc_}) x->resize(m.tree.nv);
}

template <int D>
bool ReducedInertia<D>::factor(const ClosedLoops<D>& loops, const TreeState<D>& state) {
  const std::size_t n = loops.independent().size();
  n_ = static_cast<int>(n);
  G_.resize(n * n);
  for (std::size_t k = 0; k < n; ++k) {
    std::fill(column_.begin(), column_.end(), 0.0);
    std::fill(Mc_.begin(), Mc_.end(), 0.0);
    unit_[k] = 1;
    loops.add_rates(unit_.data(), column_.data());
    unit_[k] = 0;
    product_.add(column_.data(), state, Mc_.data());
    loops.project(Mc_.data(), g_.data());
    for (std::size_t i = 0; i < n; ++i) G_[i * n + k] = g_[i];
  }
  return lu_factor(G_.data(), n_, pivot_.data());
}

template <int D>
void ReducedInertia<D>::solve(double* x) const {
  lu_solve(G_.data(), n_, pivot_.data(), x);
}

template class ReducedInertia<2>;
template class ReducedInertia<3>;

}  // namespace trunnion
