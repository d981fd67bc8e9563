// Exact tangents compared with dual numbers, rates with differences, on random planar and spatial mechanisms.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "support/random_mechanism.h"

namespace trunnion {
namespace {

using test::random_mechanism;
using test::random_numbers;
using test::VelocityRows;

template <class T>
class Mechanics : public ::testing::Test {};
using Dimensions = ::testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
TYPED_TEST_SUITE(Mechanics, Dimensions);

constexpr double kPenalty = 1e4;

/// A point of a random mechanism within a step.
template <int D>
struct Situation {
  explicit Situation(unsigned seed)
      : owner(random_mechanism<D>(seed, 7, seed % 2 == 0 ? VelocityRows::some : VelocityRows::none)),
        m(owner->mechanism),
        random(seed + 1000) {
    const int nv = m.tree.nv;
    q0 = owner->model.q_start;
    theta = random_numbers(random, nv, 0.4);
    v = random_numbers(random, nv, 2);
    a = random_numbers(random, nv, 5);
    lambda = random_numbers(random, m.rows, 30);
  }
  std::unique_ptr<test::RandomMechanism<D>> owner;
  const Mechanism<D>& m;
  std::mt19937 random;
  std::vector<double> q0, theta, v, a, lambda;
  IncrementFactors factors{3, 7};
};

/// Penalty factors of the rows, of different sizes.
template <int D>
std::vector<double> penalties(const Mechanism<D>& m) {
  std::vector<double> factor(m.rows);
  for (int i = 0; i < m.rows; ++i) factor[i] = kPenalty * (1 + i % 3);
  return factor;
}

/// A port law F(s, sdot) for the test.
template <class S>
S push(const S& s, const S& s_dot) {
  return 40.0 * s * s - 15.0 * s_dot * s;
}

/// The whole residual at theta + delta: r of the mechanism, ports and constraints.
template <int D, class S>
std::vector<S> residual(const Situation<D>& x, const std::vector<S>& delta, MechanismState<D, S>& state) {
  const int nv = x.m.tree.nv;
  std::vector<S> theta(nv), v(nv), a(nv), q(x.m.tree.nq), r(nv, S(0));
  for (int i = 0; i < nv; ++i) {
    theta[i] = x.theta[i] + delta[i];
    v[i] = x.v[i] + x.factors.velocity * delta[i];
    a[i] = x.a[i] + x.factors.acceleration * delta[i];
  }
  advance_configuration<D, S>(x.m.tree, x.q0.data(), theta.data(), q.data());
  for (auto* factors : {&state.body_load, &state.soil}) std::fill(factors->begin(), factors->end(), 0.7);
  update_positions<D, S>(x.m, q.data(), theta.data(), state);
  update_rates<D, S>(x.m, v.data(), a.data(), state);
  inverse_dynamics<D, S>(x.m, q.data(), v.data(), true, state, r.data());
  std::vector<S> force(x.m.ports.size()), multipliers(x.m.rows);
  for (std::size_t i = 0; i < force.size(); ++i) force[i] = push(state.s[i], state.s_dot[i]);
  update_violations<D, S>(x.m, v.data(), x.factors, state);
  for (int i = 0; i < x.m.rows; ++i) multipliers[i] = x.lambda[i] + penalties(x.m)[i] * state.violation[i];
  add_port_forces<D, S>(x.m, force.data(), state, r.data());
  add_constraint_forces<D, S>(x.m, multipliers.data(), state, r.data());
  return r;
}

TYPED_TEST(Mechanics, TangentOfTheWholeResidualIsExact) {
  constexpr int D = TypeParam::value;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Situation<D> x(seed);
    const int nv = x.m.tree.nv;
    MechanismState<D> state(x.m);
    const std::vector<double> r = residual<D, double>(x, std::vector<double>(nv, 0.0), state);
    std::vector<double> T(static_cast<std::size_t>(nv) * nv), multipliers(x.m.rows);
    DenseEntries entries{T.data(), nv};
    inverse_dynamics_tangent(x.m, x.factors, state, entries);
    for (std::size_t i = 0; i < x.m.ports.size(); ++i) {
      using S = Dual<2>;
      const S F = push(S::variable(state.s[i], 0), S::variable(state.s_dot[i], 1));
      add_port_force_tangent(x.m, x.m.ports[i], state.ports[i], state.dofs.data() + x.m.ports[i].path.begin, F.value, F.d[0], F.d[1],
                             x.factors, state.tree, entries);
    }
    for (int i = 0; i < x.m.rows; ++i) multipliers[i] = x.lambda[i] + penalties(x.m)[i] * state.violation[i];
    add_constraint_curvature(x.m, multipliers.data(), state, entries);
    add_penalty(x.m, penalties(x.m).data(), state, entries);
    update_rate_gradients(x.m, state);
    add_velocity_row_penalty(x.m, penalties(x.m).data(), x.factors, state, entries);

    MechanismState<D, Dual<1>> dual_state(x.m);
    double scale = 0;
    for (double entry : T) scale = std::max(scale, std::abs(entry));
    for (int k = 0; k < nv; ++k) {
      std::vector<Dual<1>> delta(nv, Dual<1>(0.0));
      delta[k] = Dual<1>::variable(0, 0);
      const std::vector<Dual<1>> column = residual<D, Dual<1>>(x, delta, dual_state);
      for (int i = 0; i < nv; ++i) {
        ASSERT_NEAR(column[i].value, r[i], 1e-9 * scale);
        ASSERT_NEAR(column[i].d[0], T[static_cast<std::size_t>(i) * nv + k], 1e-11 * scale)
            << "seed " << seed << " row " << i << " column " << k;
      }
    }
  }
}

/// Recorded entries add up to the dense tangent, in the same order at all configurations.
TYPED_TEST(Mechanics, TangentIsTheSameInEveryStorage) {
  constexpr int D = TypeParam::value;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    Situation<D> x(seed);
    const int nv = x.m.tree.nv;
    MechanismState<D> state(x.m);
    const std::vector<double> multipliers(x.m.rows, 30.0);
    const auto assemble = [&](auto& T) {
      inverse_dynamics_tangent(x.m, x.factors, state, T);
      for (std::size_t i = 0; i < x.m.ports.size(); ++i)
        add_port_force_tangent(x.m, x.m.ports[i], state.ports[i], state.dofs.data() + x.m.ports[i].path.begin, 20.0, 3.0, 4.0, x.factors,
                               state.tree, T);
      add_penalty(x.m, penalties(x.m).data(), state, T);
      add_constraint_curvature(x.m, multipliers.data(), state, T);
      add_velocity_row_penalty(x.m, penalties(x.m).data(), x.factors, state, T);
      mass_matrix(x.m.tree, state.tree, T);
    };
    RecordedEntries pattern;
    assemble(pattern);  // no state yet
    residual<D, double>(x, std::vector<double>(nv, 0.0), state);
    RecordedEntries recorded;
    assemble(recorded);
    ASSERT_EQ(recorded.entries.size(), pattern.entries.size());
    std::vector<double> dense(static_cast<std::size_t>(nv) * nv, 0.0), sum(dense);
    DenseEntries T{dense.data(), nv};
    assemble(T);
    for (std::size_t i = 0; i < recorded.entries.size(); ++i) {
      const Entry& e = recorded.entries[i];
      ASSERT_TRUE(e.row == pattern.entries[i].row && e.column == pattern.entries[i].column);
      sum[static_cast<std::size_t>(e.row) * nv + e.column] += recorded.values[i];
    }
    double scale = 0;
    for (double entry : dense) scale = std::max(scale, std::abs(entry));
    for (std::size_t i = 0; i < sum.size(); ++i) EXPECT_NEAR(sum[i], dense[i], 1e-14 * scale);
  }
}

TYPED_TEST(Mechanics, MassMatrixIsTheShareOfAccelerationInTheResidual) {
  constexpr int D = TypeParam::value;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    Situation<D> x(seed);
    const int nv = x.m.tree.nv;
    MechanismState<D> state(x.m);
    std::vector<double> M(static_cast<std::size_t>(nv) * nv, 0.0), zero(nv, 0.0), base(nv), r(nv);
    update_positions<D, double>(x.m, x.q0.data(), nullptr, state);
    update_rates<D, double>(x.m, x.v.data(), zero.data(), state);
    inverse_dynamics<D, double>(x.m, x.q0.data(), x.v.data(), true, state, base.data());
    DenseEntries entries{M.data(), nv};
    mass_matrix(x.m.tree, state.tree, entries);
    for (int k = 0; k < nv; ++k) {
      std::vector<double> unit(nv, 0.0);
      unit[k] = 1;
      update_rates<D, double>(x.m, x.v.data(), unit.data(), state);
      inverse_dynamics<D, double>(x.m, x.q0.data(), x.v.data(), false, state, r.data());
      for (int i = 0; i < nv; ++i) EXPECT_NEAR(r[i] - base[i], M[static_cast<std::size_t>(i) * nv + k], 1e-9);
    }
  }
}

/// Evaluates something along the motion q(t) = q0 (+) (v t + a t^2/2), v(t) = v + a t.
template <int D, class F>
void along_motion(const Situation<D>& x, double t, MechanismState<D>& state, F&& read) {
  const int nv = x.m.tree.nv;
  std::vector<double> theta(nv), v(nv), q(x.m.tree.nq);
  for (int i = 0; i < nv; ++i) {
    theta[i] = x.v[i] * t + x.a[i] * t * t / 2;
    v[i] = x.v[i] + x.a[i] * t;
  }
  advance_configuration<D, double>(x.m.tree, x.q0.data(), theta.data(), q.data());
  update_positions<D, double>(x.m, q.data(), nullptr, state);
  update_rates<D, double>(x.m, v.data(), x.a.data(), state);
  read(v);
}

TYPED_TEST(Mechanics, RatesAreTimeDerivativesOfPositions) {
  constexpr int D = TypeParam::value;
  constexpr double e = 1e-5;  // central differences: error about e^2
  for (unsigned seed = 1; seed <= 10; ++seed) {
    Situation<D> x(seed);
    MechanismState<D> state(x.m);
    std::vector<double> s[3], s_dot[3], Phi[3], Phi_dot[3];
    for (int i : {0, 2, 1})
      along_motion(x, (i - 1) * e, state, [&](const std::vector<double>& v) {
        constraint_rates(x.m, v.data(), state);
        s[i] = state.s;
        s_dot[i] = state.s_dot;
        Phi[i] = state.Phi;
        Phi_dot[i] = state.Phi_dot;
      });
    for (std::size_t i = 0; i < x.m.ports.size(); ++i) {
      EXPECT_NEAR(s_dot[1][i], (s[2][i] - s[0][i]) / (2 * e), 1e-6);
      EXPECT_NEAR(port_acceleration(x.m.ports[i], x.m.paths.data(), state.tree, state.ports[i]), (s_dot[2][i] - s_dot[0][i]) / (2 * e),
                  1e-5);
    }
    constraint_accelerations(x.m, x.a.data(), state);
    for (int i = 0; i < x.m.rows; ++i) {
      if (x.m.holonomic[i] != 0)
        EXPECT_NEAR(Phi_dot[1][i], (Phi[2][i] - Phi[0][i]) / (2 * e), 1e-6) << "row " << i;
      else
        EXPECT_EQ(Phi[1][i], 0) << "row " << i;
      EXPECT_NEAR(state.Phi_ddot[i], (Phi_dot[2][i] - Phi_dot[0][i]) / (2 * e), 1e-5) << "row " << i;
    }
  }
}

/// Every kind of port occurs in the mechanisms of these tests.
TYPED_TEST(Mechanics, PortsAreLinesCoordinatesDisplacementsAndAngles) {
  constexpr int D = TypeParam::value;
  for (unsigned seed = 1; seed <= 4; ++seed) {
    Situation<D> x(seed);
    int number[4] = {}, sliding = 0;
    for (const Port<D>& port : x.m.ports) {
      ++number[static_cast<int>(port.kind)];
      sliding += port.is_coordinate() && port.slides ? 1 : 0;
    }
    EXPECT_EQ(number[static_cast<int>(PortKind::line)], 2);
    EXPECT_EQ(number[static_cast<int>(PortKind::displacement)], 3);
    EXPECT_EQ(number[static_cast<int>(PortKind::angle)], 4);
    EXPECT_GT(sliding, 0);
    EXPECT_GT(number[static_cast<int>(PortKind::coordinate)], sliding);
  }
}

/// A coordinate is read at the port that it has already; another one gets a port.
TYPED_TEST(Mechanics, AJointCoordinateIsReadAtOnePort) {
  constexpr int D = TypeParam::value;
  const auto owner = random_mechanism<D>(3, 7, VelocityRows::none);
  Mechanism<D>& m = owner->mechanism;
  const Description& d = owner->model.description;
  std::size_t ports = m.ports.size();
  ASSERT_FALSE(owner->model.joint_ports.empty());
  for (const JointPort& port : std::vector<JointPort>(owner->model.joint_ports))
    EXPECT_EQ(joint_port(port.place, owner->map, owner->model, m), port.port) << port.place.label();
  EXPECT_EQ(m.ports.size(), ports);
  int added = 0;
  for (const auto& [name, joint] : d.joints)
    for (std::size_t k = 0; k < joint_parts(joint.kind).size(); ++k) {
      const auto place = place_of_coordinate(d, name + "." + joint_parts(joint.kind)[k].position);
      ASSERT_EQ(place.has_value(), joint_parts(joint.kind)[k].kind != JointPartKind::spherical) << name;
      if (!place || joint.elements[k].friction) continue;
      ++added;
      EXPECT_EQ(joint_port(*place, owner->map, owner->model, m), static_cast<int>(ports)) << place->label();
      EXPECT_EQ(joint_port(*place, owner->map, owner->model, m), static_cast<int>(ports)) << place->label();
      const Port<D>& port = m.ports[ports++];
      EXPECT_TRUE(port.is_coordinate());
      EXPECT_EQ(port.slides, place->name.kind == JointPartKind::displacement);
    }
  EXPECT_GT(added, 1);
  EXPECT_EQ(m.ports.size(), ports);
  EXPECT_FALSE(place_of_coordinate(d, "b0.nothing"));
}

TYPED_TEST(Mechanics, LinearisedViolationsAreTheirDifference) {
  constexpr int D = TypeParam::value;
  constexpr double e = 1e-5;
  for (unsigned seed = 2; seed <= 20; seed += 2) {
    Situation<D> x(seed);
    ASSERT_GT(x.m.velocity_rows, 0);
    MechanismState<D> state(x.m);
    const std::vector<double> direction = random_numbers(x.random, x.m.tree.nv, 1);
    std::vector<double> violation[3], delta(direction), linear(x.m.rows);
    for (int i : {0, 2, 1}) {
      for (std::size_t k = 0; k < delta.size(); ++k) delta[k] = (i - 1) * e * direction[k];
      residual<D, double>(x, delta, state);
      violation[i] = state.violation;
    }
    update_rate_gradients(x.m, state);
    linearised_violations(x.m, x.factors, state, direction.data(), linear.data());
    for (int i = 0; i < x.m.rows; ++i) {
      const double change = (violation[2][i] - violation[0][i]) / (2 * e);
      EXPECT_NEAR(linear[i] - violation[1][i], change, 1e-6 * (1 + std::abs(change))) << "seed " << seed << " row " << i;
    }
  }
}

TYPED_TEST(Mechanics, PowerOfInertiaAndGravityIsTheRateOfMechanicalEnergy) {
  constexpr int D = TypeParam::value;
  constexpr double e = 1e-5;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    Situation<D> x(seed);
    MechanismState<D> state(x.m);
    double energy[2];
    for (int i : {0, 1})
      along_motion(x, (2 * i - 1) * e, state, [&](const std::vector<double>&) {
        update_inertial_forces(x.m.tree, false, state.tree);
        energy[i] = kinetic_energy(x.m.tree, state.tree) + potential_energy(x.m.tree, state.tree);
      });
    along_motion(x, 0, state, [&](const std::vector<double>& v) {
      std::vector<double> r(v.size(), 0.0);
      update_inertial_forces(x.m.tree, false, state.tree);
      accumulate<D, double>(x.m.tree, state.tree, false, r.data());
      double power = 0;
      for (std::size_t i = 0; i < v.size(); ++i) power += v[i] * r[i];
      EXPECT_NEAR(power, (energy[1] - energy[0]) / (2 * e), 1e-6 * (1 + std::abs(power)));
    });
  }
}

TYPED_TEST(Mechanics, IdealConstraintsDoNoWork) {
  // Jacobian and rate agree: the multipliers' power is lambda . (Phi_q v)
  constexpr int D = TypeParam::value;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    Situation<D> x(seed);
    MechanismState<D> state(x.m);
    along_motion(x, 0, state, [&](const std::vector<double>& v) {
      std::vector<double> force(v.size(), 0.0);
      add_constraint_forces<D, double>(x.m, x.lambda.data(), state, force.data());
      constraint_rates(x.m, v.data(), state);
      double power = 0, expected = 0;
      for (std::size_t i = 0; i < v.size(); ++i) power += force[i] * v[i];
      for (int i = 0; i < x.m.rows; ++i) expected += x.lambda[i] * state.Phi_dot[i];
      EXPECT_NEAR(power, expected, 1e-10 * (1 + std::abs(expected)));
    });
  }
}

}  // namespace
}  // namespace trunnion
