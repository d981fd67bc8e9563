// Derivatives of eigenvalues compared with closed forms.
// SPDX-License-Identifier: BSD-3-Clause
#include "spectra/sensitivity.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/diagnostic.h"

namespace trunnion {
namespace {

using Complex = std::complex<double>;

/// m x'' + c x' + k x = 0, a leaking volume, p' = -g p, and a volume filled by the motion, q' = x'; in units in which A is badly scaled.
LinearModel oscillator(double m, double c, double k, double g) {
  LinearModel linear;
  linear.states = {{"mass.position", "m", "", 0}, {"mass.speed", "m/s", "", 0}, {"v1.pressure", "Pa", "", 0}, {"v2.pressure", "Pa", "", 0}};
  linear.A = Eigen::MatrixXd::Zero(4, 4);
  linear.A(0, 1) = 1;
  linear.A(1, 0) = -k / m;
  linear.A(1, 1) = -c / m;
  linear.A(2, 2) = -g;
  linear.A(2, 0) = 1e6;
  linear.A(3, 1) = 1e9;
  linear.drift = Eigen::VectorXd::Zero(4);
  return linear;
}

struct Result {
  Spectrum of;
  Sensitivity sensitivity;
  /// That of the eigenvalue closest to `value`.
  const EigenvalueSensitivity& at(Complex value) const {
    std::size_t nearest = 0;
    for (std::size_t i = 0; i < of.eigenvalues.size(); ++i)
      if (std::abs(of.eigenvalues[i].value - value) < std::abs(of.eigenvalues[nearest].value - value)) nearest = i;
    return sensitivity.of[nearest];
  }
};

Result differentiate(double p, const LinearModelAt& at) {
  const LinearModel linear = at(p);
  Result result{spectrum(linear.A, linear.states), {}};
  result.sensitivity = eigenvalue_sensitivity(linear, result.of, p, at);
  return result;
}

constexpr double kMass = 2, kDamping = 3, kStiffness = 500, kLeak = 7;
const double kDecay = kDamping / (2 * kMass), kDamped = std::sqrt(kStiffness / kMass - kDecay * kDecay);
const Complex kLambda(-kDecay, kDamped);

TEST(Sensitivity, OfAnOscillatorToItsStiffness) {
  const Result r = differentiate(kStiffness, [](double k) { return oscillator(kMass, kDamping, k, kLeak); });
  ASSERT_EQ(r.sensitivity.refusal, "");
  const Complex expected(0, 1 / (2 * kMass * kDamped));
  for (const Complex value : {kLambda, std::conj(kLambda)}) {
    const EigenvalueSensitivity& s = r.at(value);
    const Complex exact = value.imag() > 0 ? expected : std::conj(expected);
    EXPECT_EQ(s.refusal, "");
    EXPECT_LT(std::abs(s.derivative - exact), 1e-11 * std::abs(exact));
    EXPECT_LT(std::abs(s.derivative - exact), s.error + 1e-12 * std::abs(exact));
    EXPECT_LT(std::abs(s.relative - kStiffness * exact / value), 1e-11);
  }
  EXPECT_EQ(r.at(0).derivative, Complex(0));  // of the oil that follows the position
  EXPECT_EQ(r.at(0).refusal, "");
  EXPECT_LT(std::abs(r.at(-kLeak).derivative), 1e-12);
  EXPECT_EQ(r.at(-kLeak).refusal, "");
}

TEST(Sensitivity, OfAnOscillatorToItsMassInWhichItIsNotLinear) {
  const Result r = differentiate(kMass, [](double m) { return oscillator(m, kDamping, kStiffness, kLeak); });
  const EigenvalueSensitivity& s = r.at(kLambda);
  // 2 m lambda + c = i root, root^2 = 4 k m - c^2
  const double root = 2 * kMass * kDamped;
  const Complex exact = (Complex(0, 2 * kStiffness / root) - 2.0 * kLambda) / (2 * kMass);
  EXPECT_LT(std::abs(s.derivative - exact), 1e-10 * std::abs(exact));
  EXPECT_LT(std::abs(s.derivative - exact), s.error + 1e-12 * std::abs(exact));
  EXPECT_LT(s.error, 1e-9 * std::abs(exact));
}

TEST(Sensitivity, AtZeroFindsAStepThatShows) {
  const Result damping = differentiate(0, [](double c) { return oscillator(kMass, c, kStiffness, kLeak); });
  ASSERT_EQ(damping.sensitivity.refusal, "");
  const double omega = std::sqrt(kStiffness / kMass);
  EXPECT_LT(std::abs(damping.at(Complex(0, omega)).derivative - Complex(-1 / (2 * kMass))), 1e-10);
  EXPECT_EQ(damping.at(Complex(0, omega)).relative, Complex(0));
  // a pressure: its steps must be far larger
  const Result pressure = differentiate(0, [](double p) { return oscillator(kMass, kDamping, kStiffness + 1e-4 * p, kLeak); });
  EXPECT_LT(std::abs(pressure.at(kLambda).derivative - Complex(0, 1e-4 / (2 * kMass * kDamped))), 1e-14);
}

TEST(Sensitivity, ShrinksItsStepToWhereThereAreModels) {
  const Result r = differentiate(kStiffness, [](double k) {
    if (std::abs(k - kStiffness) > 0.01 * kStiffness) throw Error("the loop does not close");
    LinearModel linear = oscillator(kMass, kDamping, k, kLeak);
    if (std::abs(k - kStiffness) > 0.001 * kStiffness) linear.states[0].name = "other.position";
    return linear;
  });
  ASSERT_EQ(r.sensitivity.refusal, "");
  EXPECT_LE(r.sensitivity.step, 0.001 * kStiffness);
  EXPECT_LT(std::abs(r.at(kLambda).derivative - Complex(0, 1 / (2 * kMass * kDamped))), 1e-9);
}

TEST(Sensitivity, RefusesWhatCannotBeHad) {
  const auto bound = [](double c) {
    if (c < 0) throw Error("a damping is not negative");
    return oscillator(kMass, c, kStiffness, kLeak);
  };
  EXPECT_EQ(differentiate(0, bound).sensitivity.refusal, "it cannot be varied to both sides: a damping is not negative");
  const auto partition = [](double k) {
    LinearModel linear = oscillator(kMass, kDamping, k, kLeak);
    if (k > kStiffness) linear.states[0].name = "other.position";
    return linear;
  };
  EXPECT_EQ(differentiate(kStiffness, partition).sensitivity.refusal,
            "it cannot be varied to both sides: other coordinates are independent at a neighbouring value");
  // both poles at critical damping, where the derivative is infinite; the others have finite ones
  const double critical = kDamping * kDamping / (4 * kMass);
  const Result multiple = differentiate(critical, [](double k) { return oscillator(kMass, kDamping, k, kLeak); });
  EXPECT_NE(multiple.at(-kDecay).refusal.find("multiple"), std::string::npos);
  EXPECT_EQ(multiple.at(-kLeak).refusal, "");
  // zero at this value only
  const Result passing = differentiate(1, [](double p) { return oscillator(kMass, kDamping, kStiffness, p - 1); });
  EXPECT_NE(passing.at(0).refusal.find("zero here but not at neighbouring values"), std::string::npos);
  // a kink
  const Result kink = differentiate(
      1, [](double p) { return oscillator(kMass, kDamping, kStiffness + 300 * std::pow(std::abs(p - 1), 0.5) * (p > 1 ? 1 : -1), kLeak); });
  EXPECT_NE(kink.at(kLambda).refusal.find("not smooth"), std::string::npos);
}

/// Central differences alone converge here, but not to the derivative.
TEST(Sensitivity, RefusesKinksThatAreTheSameToBothSides) {
  const auto refusal = [](double p, const std::function<double(double)>& stiffness) {
    const Result r = differentiate(p, [&](double x) { return oscillator(kMass, kDamping, kStiffness + stiffness(x), kLeak); });
    EXPECT_EQ(r.at(-kLeak).refusal, "");
    EXPECT_EQ(r.at(-kLeak).derivative, Complex(0));
    const Complex lambda(-kDecay, std::sqrt((kStiffness + stiffness(p)) / kMass - kDecay * kDecay));
    return r.at(lambda).refusal;
  };
  const std::string two_sides = "the model is not smooth in this parameter: its one-sided derivatives differ";
  EXPECT_EQ(refusal(1, [](double p) { return 300 * std::abs(p - 1); }), two_sides);
  EXPECT_EQ(refusal(1, [](double p) { return (p > 1 ? 300 : 200) * (p - 1); }), two_sides);
  EXPECT_EQ(refusal(0, [](double p) { return 300 * std::abs(p); }), two_sides);
  EXPECT_EQ(refusal(1, [](double p) { return 300 * std::sqrt(std::abs(p - 1)); }), two_sides);
  EXPECT_EQ(refusal(1, [](double p) { return p == 1 ? 10 : 0; }), two_sides);
  EXPECT_EQ(refusal(1, [](double p) { return 100 * p * p * p; }), "");
}

TEST(Sensitivity, KnowsItsErrorBesideAKink) {
  for (const double distance : {0.04, 0.02, 0.01, 0.003, 0.001, 1e-6}) {
    const Result r = differentiate(
        1, [&](double p) { return oscillator(kMass, kDamping, kStiffness * p + 10 * std::max(0.0, p - 1 - distance), kLeak); });
    const EigenvalueSensitivity& s = r.at(kLambda);
    const Complex exact(0, kStiffness / (2 * kMass * kDamped));
    if (s.refusal.empty()) EXPECT_LE(std::abs(s.derivative - exact), s.error) << distance;
    if (distance > 0.015) EXPECT_EQ(s.refusal, "") << distance;
    if (distance < 0.002) EXPECT_NE(s.refusal, "") << distance;
  }
}

/// Near critical damping the derivative is large and rounding of A matters: omega^2 is a difference of two numbers.
TEST(Sensitivity, KnowsItsErrorNearAMultipleEigenvalue) {
  for (const double beside : {1e-2, 1e-4, 1e-6}) {
    const double k = kDamping * kDamping / (4 * kMass) * (1 + beside);
    const Result r = differentiate(k, [](double p) { return oscillator(kMass, kDamping, p, kLeak); });
    const double omega = static_cast<double>(std::sqrt(static_cast<long double>(k) / kMass - kDecay * kDecay));
    const EigenvalueSensitivity& s = r.at(Complex(-kDecay, omega));
    const Complex exact(0, 1 / (2 * kMass * omega));
    ASSERT_EQ(s.refusal, "") << beside;
    EXPECT_LE(std::abs(s.derivative - exact), s.error) << beside;
    EXPECT_LE(s.error, 1e-14 / beside * std::abs(exact)) << beside;
  }
}

}  // namespace
}  // namespace trunnion
