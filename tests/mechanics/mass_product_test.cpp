// The product of the mass matrix and a vector in one sweep compared with the matrix.
// SPDX-License-Identifier: BSD-3-Clause
#include "mechanics/mass_product.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/random_mechanism.h"

namespace trunnion {
namespace {

template <int D>
void expect_product_of_the_matrix() {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto random = test::random_mechanism<D>(seed);
    const Mechanism<D>& m = random->mechanism;
    const int n = m.tree.nv;
    std::mt19937 numbers(seed);
    const std::vector<double> q = random->model.q_start, v = test::random_numbers(numbers, n, 1), a = test::random_numbers(numbers, n, 1);
    MechanismState<D> state(m);
    std::vector<double> r(n), M(static_cast<std::size_t>(n) * n), product(n, 0.5);
    update_positions<D, double>(m, q.data(), nullptr, state);
    update_rates<D, double>(m, v.data(), a.data(), state);
    inverse_dynamics<D, double>(m, q.data(), v.data(), true, state, r.data());
    DenseEntries entries{M.data(), n};
    mass_matrix(m.tree, state.tree, entries);
    MassProduct<D>(m.tree).add(a.data(), state.tree, product.data());
    for (int i = 0; i < n; ++i) {
      double expected = 0.5, size = 0;
      for (int k = 0; k < n; ++k) {
        expected += M[static_cast<std::size_t>(i) * n + k] * a[k];
        size += std::abs(M[static_cast<std::size_t>(i) * n + k] * a[k]);
      }
      EXPECT_NEAR(product[i], expected, 1e-13 * (1 + size)) << "seed " << seed << " row " << i;
    }
  }
}

TEST(MassProduct, IsThatOfTheMatrix) {
  expect_product_of_the_matrix<2>();
  expect_product_of_the_matrix<3>();
}

}  // namespace
}  // namespace trunnion
