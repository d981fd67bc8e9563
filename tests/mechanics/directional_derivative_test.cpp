// Changes along a direction of (theta, v, a) compared with differences, on random mechanisms.
// SPDX-License-Identifier: BSD-3-Clause
#include "mechanics/directional_derivative.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "support/random_mechanism.h"

namespace trunnion {
namespace {

using test::random_mechanism;
using test::random_numbers;
using test::VelocityRows;

template <class T>
class VariationOf : public ::testing::Test {};
using Dimensions = ::testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
TYPED_TEST_SUITE(VariationOf, Dimensions);

/// A random mechanism at a point within a step, with a direction.
template <int D>
struct Situation {
  explicit Situation(unsigned seed)
      : owner(random_mechanism<D>(seed, 7, seed % 2 == 0 ? VelocityRows::some : VelocityRows::none)),
        m(owner->mechanism),
        random(seed + 1000),
        state(m) {
    const int nv = m.tree.nv;
    theta = random_numbers(random, nv, 0.4);
    v = random_numbers(random, nv, 2);
    a = random_numbers(random, nv, 5);
    d_theta = random_numbers(random, nv, 1);
    d_v = random_numbers(random, nv, 2);
    d_a = random_numbers(random, nv, 3);
    push = random_numbers(random, static_cast<int>(m.ports.size()), 50);
    multipliers = random_numbers(random, m.rows, 50);
    all.resize(m.constraints.size());
    std::iota(all.begin(), all.end(), 0);
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
    for (auto* factors : {&state.body_load, &state.soil}) std::fill(factors->begin(), factors->end(), 0.7);
    update_positions<D, double>(m, q.data(), x.data(), state);
    update_rates<D, double>(m, y.data(), z.data(), state);
    constraint_rates(m, y.data(), state);
    constraint_accelerations(m, z.data(), state);
    r.assign(y.size(), 0.0);
    inverse_dynamics<D, double>(m, q.data(), y.data(), true, state, r.data());
    add_port_forces(m, push.data(), state, r.data());
    add_constraint_forces(m, multipliers.data(), state, r.data());
  }
  struct Change {
    std::vector<double> Phi_dot, Phi_ddot, r, s, s_dot;
  };
  /// Central differences: error about e^2.
  Change difference() {
    constexpr double e = 1e-5;
    evaluate(e);
    Change up{state.Phi_dot, state.Phi_ddot, r, state.s, state.s_dot};
    evaluate(-e);
    const auto subtract = [&](std::vector<double>& x, const std::vector<double>& down) {
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = (x[i] - down[i]) / (2 * e);
    };
    subtract(up.Phi_dot, state.Phi_dot);
    subtract(up.Phi_ddot, state.Phi_ddot);
    subtract(up.r, r);
    subtract(up.s, state.s);
    subtract(up.s_dot, state.s_dot);
    evaluate(0);
    return up;
  }
  std::unique_ptr<test::RandomMechanism<D>> owner;
  const Mechanism<D>& m;
  std::mt19937 random;
  MechanismState<D> state;
  std::vector<double> theta, v, a, d_theta, d_v, d_a, push, multipliers, r;
  std::vector<int> all;  // groups of rows
};

void expect_same(const std::vector<double>& found, const std::vector<double>& expected, unsigned seed, const char* what) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], 1e-6 * (1 + std::abs(expected[i]))) << "seed " << seed << " " << what << " " << i;
}

TYPED_TEST(VariationOf, EverythingIsItsDifference) {
  constexpr int D = TypeParam::value;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Situation<D> x(seed);
    const typename Situation<D>::Change expected = x.difference();
    DirectionalDerivative<D> change(x.m);
    differentiate_places(x.m, x.d_theta.data(), x.state, change);
    differentiate_velocities(x.m, x.d_v.data(), x.state, change);
    differentiate_accelerations(x.m, x.d_a.data(), x.state, change);
    differentiate_row_rates(x.m, x.all, x.d_v.data(), x.state, change);
    differentiate_row_accelerations(x.m, x.all, x.d_a.data(), x.state, change);
    expect_same(change.Phi_dot, expected.Phi_dot, seed, "rate of row");
    expect_same(change.Phi_ddot, expected.Phi_ddot, seed, "acceleration of row");
    std::vector<double> dr(x.r.size());
    sum_forces(x.m, x.push.data(), x.multipliers.data(), x.state, change);
    differentiate_residual(x.m, x.d_theta.data(), x.d_v.data(), x.push.data(), x.multipliers.data(), x.state, change, dr.data());
    expect_same(dr, expected.r, seed, "residual");
    expect_same(change.s, expected.s, seed, "length of port");
    expect_same(change.s_dot, expected.s_dot, seed, "rate of port");
  }
}

/// Four directions swept together equal four single sweeps.
TYPED_TEST(VariationOf, DirectionsDoNotMeet) {
  constexpr int D = TypeParam::value;
  using S = Pack<4>;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Situation<D> x(seed);
    x.evaluate(0);
    const std::size_t n = x.r.size();
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<S> theta(n), v(n), a(n), dr(n);
    for (auto* list : {&theta, &v, &a})
      for (S& value : *list)
        for (int i = 0; i < 4; ++i) set_lane(value, i, uniform(x.random));
    DirectionalDerivative<D, S> together(x.m);
    DirectionalDerivative<D> alone(x.m);
    differentiate_places(x.m, theta.data(), x.state, together);
    differentiate_velocities(x.m, v.data(), x.state, together);
    differentiate_accelerations(x.m, a.data(), x.state, together);
    sum_forces(x.m, x.push.data(), x.multipliers.data(), x.state, together);
    differentiate_residual(x.m, theta.data(), v.data(), x.push.data(), x.multipliers.data(), x.state, together, dr.data());
    const auto of = [](const std::vector<S>& list, int i) {
      std::vector<double> values;
      for (const S& value : list) values.push_back(lane(value, i));
      return values;
    };
    for (int i = 0; i < 4; ++i) {
      differentiate_row_rates(x.m, x.all, v.data(), x.state, together, i);
      differentiate_row_accelerations(x.m, x.all, a.data(), x.state, together, i);
      const std::vector<double> theta_i = of(theta, i), v_i = of(v, i), a_i = of(a, i);
      differentiate_places(x.m, theta_i.data(), x.state, alone);
      differentiate_velocities(x.m, v_i.data(), x.state, alone);
      differentiate_accelerations(x.m, a_i.data(), x.state, alone);
      differentiate_row_rates(x.m, x.all, v_i.data(), x.state, alone);
      differentiate_row_accelerations(x.m, x.all, a_i.data(), x.state, alone);
      std::vector<double> dr_i(n);
      sum_forces(x.m, x.push.data(), x.multipliers.data(), x.state, alone);
      differentiate_residual(x.m, theta_i.data(), v_i.data(), x.push.data(), x.multipliers.data(), x.state, alone, dr_i.data());
      const auto expect_equal = [&](const std::vector<double>& found, const std::vector<double>& expected, const char* what) {
        double size = 1;
        for (double value : expected) size = std::max(size, std::abs(value));
        for (std::size_t k = 0; k < expected.size(); ++k)
          EXPECT_NEAR(found[k], expected[k], 1e-12 * size) << "seed " << seed << " direction " << i << " " << what << " " << k;
      };
      expect_equal(together.Phi_dot, alone.Phi_dot, "rate of row");
      expect_equal(together.Phi_ddot, alone.Phi_ddot, "acceleration of row");
      expect_equal(of(dr, i), dr_i, "residual");
      expect_equal(of(together.s, i), alone.s, "length of port");
      expect_equal(of(together.s_dot, i), alone.s_dot, "rate of port");
    }
  }
}

}  // namespace
}  // namespace trunnion
