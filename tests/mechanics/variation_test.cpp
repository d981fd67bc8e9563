// Changes along a direction of (theta, v, a) against differences and against the exact tangent, on random mechanisms.
// SPDX-License-Identifier: BSD-3-Clause
#include "mechanics/variation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/random_mechanism.h"

namespace trunnion {
namespace {

using testing::random_mechanism;
using testing::random_numbers;

template <class T>
class VariationOf : public ::testing::Test {};
using Dimensions = ::testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
TYPED_TEST_SUITE(VariationOf, Dimensions);

/// A random mechanism some way along a step, with a direction.
template <int D>
struct Situation {
  explicit Situation(unsigned seed) : owner(random_mechanism<D>(seed)), m(owner->mechanism), random(seed + 1000), state(m) {
    const int nv = m.tree.nv;
    theta = random_numbers(random, nv, 0.4);
    v = random_numbers(random, nv, 2);
    a = random_numbers(random, nv, 5);
    d_theta = random_numbers(random, nv, 1);
    d_v = random_numbers(random, nv, 2);
    d_a = random_numbers(random, nv, 3);
  }
  /// Positions, rates and constraints at the point, moved by `e` along the direction.
  void evaluate(double e) {
    std::vector<double> q(m.tree.nq), x(theta), y(v), z(a);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] += e * d_theta[i];
      y[i] += e * d_v[i];
      z[i] += e * d_a[i];
    }
    advance_configuration<D, double>(m.tree, owner->model.q_start.data(), x.data(), q.data());
    for (double& load : state.body_load) load = 0.7;
    update_positions<D, double>(m, q.data(), x.data(), state);
    update_rates<D, double>(m, y.data(), z.data(), state);
    constraint_rates(m, y.data(), state);
    constraint_accelerations(m, z.data(), state);
    r.assign(y.size(), 0.0);
    inverse_dynamics<D, double>(m, q.data(), y.data(), true, state, r.data());
  }
  std::unique_ptr<testing::RandomMechanism<D>> owner;
  const Mechanism<D>& m;
  std::mt19937 random;
  MechanismState<D> state;
  std::vector<double> theta, v, a, d_theta, d_v, d_a, r;
};

TYPED_TEST(VariationOf, ConstraintRatesAndAccelerationsIsTheirDifference) {
  constexpr int D = TypeParam::value;
  constexpr double e = 1e-5;  // central differences: error about e^2
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Situation<D> x(seed);
    x.evaluate(e);
    const std::vector<double> rate = x.state.Phi_dot, acceleration = x.state.Phi_ddot;
    x.evaluate(-e);
    std::vector<double> rate_change(x.m.rows), acceleration_change(x.m.rows);
    for (int i = 0; i < x.m.rows; ++i) {
      rate_change[i] = (rate[i] - x.state.Phi_dot[i]) / (2 * e);
      acceleration_change[i] = (acceleration[i] - x.state.Phi_ddot[i]) / (2 * e);
    }
    x.evaluate(0);
    Variation<D> rates(x.m), accelerations(x.m);
    vary_rates(x.m, x.d_theta.data(), x.d_v.data(), x.state, rates);
    vary_accelerations(x.m, x.d_theta.data(), x.d_v.data(), x.d_a.data(), x.state, accelerations);
    for (int i = 0; i < x.m.rows; ++i) {
      EXPECT_NEAR(rates.Phi_dot[i], rate_change[i], 1e-6 * (1 + std::abs(rate_change[i]))) << "seed " << seed << " row " << i;
      EXPECT_NEAR(accelerations.Phi_ddot[i], acceleration_change[i], 1e-6 * (1 + std::abs(acceleration_change[i])))
          << "seed " << seed << " row " << i;
    }
  }
}

TYPED_TEST(VariationOf, InverseDynamicsInRatesIsTheTangentsShare) {
  constexpr int D = TypeParam::value;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Situation<D> x(seed);
    const int nv = x.m.tree.nv;
    x.evaluate(0);
    const IncrementFactors factors{3, 7};
    std::vector<double> T(static_cast<std::size_t>(nv) * nv), T_0(T.size()), v(x.d_v), a(x.d_v), dr(nv, 0.0);
    DenseEntries entries_0{T_0.data(), nv}, entries{T.data(), nv};
    inverse_dynamics_tangent(x.m, {0, 0}, x.state, entries_0);
    inverse_dynamics_tangent(x.m, factors, x.state, entries);
    for (int i = 0; i < nv; ++i) {
      v[i] *= factors.velocity;
      a[i] *= factors.acceleration;
    }
    Variation<D> work(x.m);
    add_rate_tangent(x.m, v.data(), a.data(), x.state, work, dr.data());
    for (int i = 0; i < nv; ++i) {
      double expected = 0;
      for (int k = 0; k < nv; ++k)
        expected += (T[static_cast<std::size_t>(i) * nv + k] - T_0[static_cast<std::size_t>(i) * nv + k]) * x.d_v[k];
      EXPECT_NEAR(dr[i], expected, 1e-10 * (1 + std::abs(expected))) << "seed " << seed << " row " << i;
    }
  }
}

}  // namespace
}  // namespace trunnion
