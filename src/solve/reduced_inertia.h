// The inertia of a mechanism in its independent coordinates, R^T M R, factored. M is not formed: M times a column of R is one sweep over
// the tree.
// Source: Jaiswal, Rahikainen, Khadim, Sopanen, Mikkola 2021 (formulations), (16), (17).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "mechanics/mass_product.h"
#include "solve/closed_loops.h"

namespace trunnion {

template <int D>
class ReducedInertia {
 public:
  explicit ReducedInertia(const Mechanism<D>& m);
  /// For n independent coordinates; allocates if n is larger than before.
  void reserve(std::size_t n) { G_.reserve(n * n); }
  /// After inverse_dynamics(with inertia) and ClosedLoops::reduce(). False where it is singular.
  bool factor(const ClosedLoops<D>& loops, const TreeState<D>& state);
  /// x = (R^T M R)^-1 x.
  void solve(double* x) const;
  /// out += M a, after inverse_dynamics(with inertia).
  void add_product(const double* a, const TreeState<D>& state, double* out) { product_.add(a, state, out); }

 private:
  MassProduct<D> product_;
  std::vector<double> unit_, g_;     // per independent coordinate
  std::vector<double> column_, Mc_;  // a column of R, and M times it
  std::vector<double> G_;
  std::vector<int> pivot_;
  int n_ = 0;
};

}  // namespace trunnion
