// Reference: the definitions of the spatial products in components, Newton-Euler for a single body, and the plane as the part of
// space in which only z rotates and x, y move.
// SPDX-License-Identifier: BSD-3-Clause
#include "spatial/spatial.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

#include "spatial/rotation3.h"

namespace trunnion {
namespace {

constexpr double kSumTolerance = 1e-13;  // sums of some ten products of numbers up to 3

template <int D>
class Random {
 public:
  double number() { return uniform_(engine_); }
  Vec<D> vector() {
    Vec<D> v;
    for (int i = 0; i < D; ++i) v[i] = number();
    return v;
  }
  Angular<D> angular() {
    if constexpr (D == 2)
      return number();
    else
      return Vec<3>(number(), number(), number());
  }
  Motion<D> motion() { return {angular(), vector()}; }
  Force<D> force() { return {angular(), vector()}; }
  /// Tensor about the centre of mass of some rigid body.
  Tensor<D> tensor() {
    if constexpr (D == 2)
      return 0.1 + std::abs(number());
    else {
      const Mat<3> R = axis_angle(Vec<3>(vector().normalized()), number());
      const double a = 0.1 + std::abs(number()), b = 0.1 + std::abs(number()), c = 0.1 + std::abs(number());
      return R * Vec<3>(b + c, a + c, a + b).asDiagonal() * R.transpose();
    }
  }
  Inertia<D> inertia() { return Inertia<D>::of(0.5 + std::abs(number()), vector(), tensor()); }

 private:
  std::mt19937 engine_{42};
  std::uniform_real_distribution<double> uniform_{-1.5, 1.5};
};

double size(double a) { return std::abs(a); }
double size(const Vec<3>& a) { return a.cwiseAbs().maxCoeff(); }
template <int D>
double size(const Motion<D>& m) {
  return std::max(size(m.angular), m.linear.cwiseAbs().maxCoeff());
}
template <int D>
double size(const Force<D>& f) {
  return std::max(size(f.moment), f.linear.cwiseAbs().maxCoeff());
}

template <class Dimension>
class Spatial : public testing::Test {};
template <int D>
using Dim = std::integral_constant<int, D>;
using Dimensions = testing::Types<Dim<2>, Dim<3>>;
TYPED_TEST_SUITE(Spatial, Dimensions);

TYPED_TEST(Spatial, MotionProductIsAntisymmetricAndObeysJacobi) {
  constexpr int D = TypeParam::value;
  Random<D> random;
  for (int i = 0; i < 50; ++i) {
    const auto a = random.motion(), b = random.motion(), c = random.motion();
    EXPECT_LT(size(cross(a, b) + cross(b, a)), kSumTolerance);
    EXPECT_LT(size(cross(a, cross(b, c)) + cross(b, cross(c, a)) + cross(c, cross(a, b))), kSumTolerance);
  }
}

TYPED_TEST(Spatial, ForceProductIsDualToMotionProduct) {
  constexpr int D = TypeParam::value;
  Random<D> random;
  for (int i = 0; i < 50; ++i) {
    const auto a = random.motion(), b = random.motion();
    const auto f = random.force();
    EXPECT_NEAR(dot(cross(a, b), f), -dot(b, cross(a, f)), kSumTolerance);
  }
}

TYPED_TEST(Spatial, PowerDoesNotDependOnTheReferencePoint) {
  constexpr int D = TypeParam::value;
  Random<D> random;
  for (int i = 0; i < 50; ++i) {
    const auto V = random.motion();
    const auto F = random.force();
    const Vec<D> r = random.vector();  // the new reference point
    const Motion<D> V_r{V.angular, V.at(r)};
    const Force<D> F_r{F.moment - moment(r, F.linear), F.linear};
    EXPECT_NEAR(dot(V, F), dot(V_r, F_r), kSumTolerance);
  }
}

TYPED_TEST(Spatial, InertiaIsSymmetricAndPositive) {
  constexpr int D = TypeParam::value;
  Random<D> random;
  for (int i = 0; i < 50; ++i) {
    const auto I = random.inertia();
    const auto v = random.motion(), w = random.motion();
    EXPECT_NEAR(dot(v, I * w), dot(w, I * v), 10 * kSumTolerance);
    EXPECT_GT(dot(v, I * v), 0);
  }
}

TYPED_TEST(Spatial, KineticEnergyIsThatOfTheCentreOfMassAndOfTurning) {
  constexpr int D = TypeParam::value;
  Random<D> random;
  for (int i = 0; i < 50; ++i) {
    const double m = 0.5 + std::abs(random.number());
    const Vec<D> r_c = random.vector();
    const Tensor<D> J_c = random.tensor();
    const auto V = random.motion();
    const double turning = dot(V.angular, Angular<D>(J_c * V.angular));
    EXPECT_NEAR(dot(V, Inertia<D>::of(m, r_c, J_c) * V), m * V.at(r_c).squaredNorm() + turning, 10 * kSumTolerance);
  }
}

TYPED_TEST(Spatial, CoriolisOperatorIsItsDefinition) {
  constexpr int D = TypeParam::value;
  Random<D> random;
  for (int i = 0; i < 100; ++i) {
    const auto I = random.inertia();
    const auto V = random.motion(), w = random.motion();
    const auto B = Coriolis<D>::of(I, V, I * V);
    const Force<D> defined = cross(V, I * w) + cross(w, I * V) + I * cross(w, V);
    EXPECT_LT(size(B * w - defined), 10 * kSumTolerance);
  }
}

TYPED_TEST(Spatial, CoriolisOperatorOfTheOwnVelocityIsTwiceTheGyroscopicForce) {
  constexpr int D = TypeParam::value;
  Random<D> random;
  for (int i = 0; i < 50; ++i) {
    const auto I = random.inertia();
    const auto V = random.motion();
    const Force<D> gyroscopic = cross(V, I * V);
    EXPECT_LT(size(Coriolis<D>::of(I, V, I * V) * V - gyroscopic - gyroscopic), 10 * kSumTolerance);
  }
}

TYPED_TEST(Spatial, CoriolisOperatorTransposesAndAdds) {
  constexpr int D = TypeParam::value;
  Random<D> random;
  for (int i = 0; i < 50; ++i) {
    const auto I1 = random.inertia(), I2 = random.inertia();
    const auto V1 = random.motion(), V2 = random.motion(), b = random.motion(), w = random.motion();
    const auto B1 = Coriolis<D>::of(I1, V1, I1 * V1), B2 = Coriolis<D>::of(I2, V2, I2 * V2);
    EXPECT_NEAR(dot(b, B1 * w), dot(w.angular, B1.transpose_times(b)), 10 * kSumTolerance);
    auto B = B1;
    B += B2;
    EXPECT_LT(size(B * w - (B1 * w + B2 * w)), 10 * kSumTolerance);
  }
}

/// The wrench that moves a free body at given velocity and acceleration, from the rate of change of momentum.
TYPED_TEST(Spatial, InertialForceIsTheRateOfMomentum) {
  constexpr int D = TypeParam::value;
  Random<D> random;
  const double m = 2;
  const Vec<D> r_c = random.vector();
  const Tensor<D> J = random.tensor();
  const auto V = random.motion(), A = random.motion();
  const auto momentum_at = [&](double t) {  // the body advanced by time t, to second order
    const Angular<D> turn = V.angular * t + A.angular * (t * t / 2);
    const Motion<D> now = V + A * t;
    const Vec<D> v_c = V.at(r_c), a_c = A.at(r_c) + cross(V.angular, v_c);
    const Vec<D> r = r_c + v_c * t + a_c * (t * t / 2);
    if constexpr (D == 2) {
      (void)turn;
      return Inertia<D>::of(m, r, J) * now;
    } else {
      const double angle = turn.norm();
      const Mat<3> R = axis_angle(Vec<3>(turn / angle), angle);
      return Inertia<D>::of(m, r, R * J * R.transpose()) * now;
    }
  };
  constexpr double kStep = 1e-5;
  const Force<D> change = momentum_at(kStep) - momentum_at(-kStep),
                 f = Inertia<D>::of(m, r_c, J) * A + cross(V, Inertia<D>::of(m, r_c, J) * V);
  // error of central differences: kStep^2 times third derivatives of size 10, and rounding over kStep
  EXPECT_LT((change.linear / (2 * kStep) - f.linear).norm(), 3e-9);
  EXPECT_LT(size(Angular<D>(change.moment / (2 * kStep) - f.moment)), 3e-9);
}

// ---------------------------------------------------------------- the plane in space

Motion<3> in_space(const Motion<2>& m) { return {{0, 0, m.angular}, {m.linear.x(), m.linear.y(), 0}}; }
Force<3> in_space(const Force<2>& f) { return {{0, 0, f.moment}, {f.linear.x(), f.linear.y(), 0}}; }

TEST(Plane, IsTheRestrictionOfSpace) {
  Random<2> random;
  for (int i = 0; i < 50; ++i) {
    const auto a = random.motion(), b = random.motion();
    const auto f = random.force();
    const double m = 0.5 + std::abs(random.number()), J = random.tensor();
    const Vec<2> c = random.vector();
    const Inertia<2> I = Inertia<2>::of(m, c, J);
    const Inertia<3> I3 = Inertia<3>::of(m, {c.x(), c.y(), 0}, Vec<3>(1, 1, J).asDiagonal());
    EXPECT_LT(size(in_space(cross(a, b)) - cross(in_space(a), in_space(b))), kSumTolerance);
    EXPECT_LT(size(in_space(cross(a, f)) - cross(in_space(a), in_space(f))), kSumTolerance);
    EXPECT_LT(size(in_space(I * a) - I3 * in_space(a)), kSumTolerance);
    EXPECT_NEAR(dot(a, f), dot(in_space(a), in_space(f)), kSumTolerance);
    const auto B = Coriolis<2>::of(I, a, I * a);
    const auto B3 = Coriolis<3>::of(I3, in_space(a), I3 * in_space(a));
    EXPECT_LT(size(in_space(B * b) - B3 * in_space(b)), 10 * kSumTolerance);
    const auto transposed = B3.transpose_times(in_space(b));
    EXPECT_NEAR(B.transpose_times(b), transposed.z(), 10 * kSumTolerance);
  }
}

TEST(Plane, RotationsTurnAndCompose) {
  const Rotation<2> R = Rotation<2>::about(0.3), S = Rotation<2>::about(-1.1);
  const Vec<2> v(0.7, -0.2);
  EXPECT_LT((R * v - Eigen::Rotation2Dd(0.3) * v).norm(), kSumTolerance);
  EXPECT_LT(((R * S) * v - R * (S * v)).norm(), kSumTolerance);
  EXPECT_LT((R.inverse() * (R * v) - v).norm(), kSumTolerance);
}

}  // namespace
}  // namespace trunnion
