// Frequency responses, zeros, margins and modes compared with closed forms.
// SPDX-License-Identifier: BSD-3-Clause
#include "spectra/frequency_response.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace trunnion {
namespace {

using Complex = std::complex<double>;
constexpr double kPi = std::numbers::pi;

/// Two masses on springs and dampers, the first pushed, and a pressure beside them that nothing reaches; states in units of `unit`.
///   m x1'' = u - k x1 - d x1' - c (x1 - x2),   m x2'' = -k x2 - d x2' - c (x2 - x1),   p' = -7 p + x1
struct TwoMasses {
  double m = 2, k = 300, d = 0.8, c = 90, gain = 1000;
  LinearModel model(const Eigen::VectorXd& unit) const {
    LinearModel linear;
    for (const char* name : {"x1.position", "x2.position", "x1.speed", "x2.speed", "p.pressure"})
      linear.states.push_back({name, "", "", 0});
    linear.inputs = {{"push.signal", "", "", 0}, {"both.signal", "", "", 0}};
    linear.outputs = {{"x1.position", "m", "", 0}, {"x2.position", "m", "", 0}, {"difference", "m", "", 0}};
    Eigen::MatrixXd A(5, 5), B(5, 2), C(3, 5);
    A << 0, 0, 1, 0, 0,                     //
        0, 0, 0, 1, 0,                      //
        -(k + c) / m, c / m, -d / m, 0, 0,  //
        c / m, -(k + c) / m, 0, -d / m, 0,  //
        1, 0, 0, 0, -7;
    B << 0, 0, 0, 0, gain / m, 1 / m, 0, 1 / m, 0, 0;
    C << 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, -1, 0, 0, 0;
    linear.A = unit.cwiseInverse().asDiagonal() * A * unit.asDiagonal();
    linear.B = unit.cwiseInverse().asDiagonal() * B;
    linear.C = C * unit.asDiagonal();
    linear.D = Eigen::MatrixXd::Zero(3, 2);
    linear.drift = Eigen::VectorXd::Zero(5);
    return linear;
  }
  Complex one(Complex s) const { return m * s * s + d * s + k + c; }
  Complex own(Complex s) const { return gain * one(s) / (one(s) * one(s) - c * c); }  // x1 over u
};
std::vector<Eigen::VectorXd> units() {
  Eigen::VectorXd pascals(5);
  pascals << 1, 1e-8, 1e6, 1, 1e9;
  return {Eigen::VectorXd::Ones(5), pascals};
}

TEST(FrequencyResponse, IsTheTransferFunctionInAnyUnits) {
  const TwoMasses of;
  for (const Eigen::VectorXd& unit : units()) {
    const TransferPath path(of.model(unit), 0, 0);
    for (const double f : {0.001, 0.7, 1.9, 2.0, 2.5, 30.0, 1e4}) {
      const Complex s(0, 2 * kPi * f), exact = of.own(s);
      EXPECT_LT(std::abs(path.at(s) - exact), 1e-11 * std::abs(exact)) << f;
    }
  }
}

TEST(FrequencyResponse, ZerosAreThoseOfTheTransferFunction) {
  const TwoMasses of;
  // of the driven mass: the other one as an absorber, and the eigenvalue of the pressure, which cancels
  const double decay = of.d / (2 * of.m);
  const Complex absorber(-decay, std::sqrt((of.k + of.c) / of.m - decay * decay));
  for (const Eigen::VectorXd& unit : units()) {
    const LinearModel linear = of.model(unit);
    const TransferPath own(linear, 0, 0), other(linear, 0, 1);
    ASSERT_EQ(own.zeros().size(), 3u);
    EXPECT_LT(std::abs(own.zeros()[0] + 7.0), 1e-8);
    EXPECT_LT(std::abs(own.zeros()[1] - absorber), 1e-8 * std::abs(absorber));
    EXPECT_EQ(own.zeros()[2], std::conj(own.zeros()[1]));
    EXPECT_EQ(other.zeros().size(), 1u);  // that of the pressure
  }
}

TEST(FrequencyResponse, ModesThatAreNotReachedOrSeenAreFound) {
  const TwoMasses of;
  for (const Eigen::VectorXd& unit : units()) {
    const LinearModel linear = of.model(unit);
    const Spectrum s = spectrum(linear.A);
    const auto parts_of = [&](int input, int output) {
      return mode_participations(linear, s, input, output, TransferPath(linear, input, output));
    };
    const auto pushed = parts_of(0, 0), both = parts_of(1, 2), together = parts_of(1, 0);
    const double in_phase = of.k / of.m, against = (of.k + 2 * of.c) / of.m;
    int masses = 0;
    for (std::size_t i = 0; i < s.eigenvalues.size(); ++i) {
      const Complex lambda = s.eigenvalues[i].value;
      if (std::abs(lambda + 7.0) < 1e-6) {  // the pressure is reached, but not seen
        EXPECT_GT(pushed[i].controllability, 0.01);
        EXPECT_EQ(pushed[i].observability, 0);
        EXPECT_TRUE(pushed[i].cancelled);
        continue;
      }
      ++masses;
      const bool is_in_phase = std::abs(std::norm(lambda) - in_phase) < std::abs(std::norm(lambda) - against);
      EXPECT_FALSE(pushed[i].cancelled);
      EXPECT_GT(pushed[i].controllability * pushed[i].observability, 0.5);
      // equal pushes reach the motion in phase alone, the difference shows the other one alone
      EXPECT_EQ(together[i].controllability > 1e-6, is_in_phase) << lambda;
      EXPECT_EQ(both[i].observability > 1e-6, !is_in_phase) << lambda;
    }
    EXPECT_EQ(masses, 4);
    // the sum of the parts is the response
    const Complex at(0, 14);
    Complex sum = 0;
    for (std::size_t i = 0; i < pushed.size(); ++i) sum += pushed[i].residue / (at - s.eigenvalues[i].value);
    EXPECT_LT(std::abs(sum - of.own(at)), 1e-9 * std::abs(of.own(at)));
  }
}

/// K / (s (1 + s/a)^2): gain margin 2 a / K at w = a; phase margin at |G| = 1.
LinearModel servo(double K, double a) {
  LinearModel linear;
  for (const char* name : {"a", "b", "c"}) linear.states.push_back({name, "", "", 0});
  linear.inputs = {{"u", "", "", 0}};
  linear.outputs = {{"y", "", "", 0}};
  linear.A.resize(3, 3);
  linear.A << 0, a, 0, 0, -a, a, 0, 0, -a;
  linear.B.resize(3, 1);
  linear.B << 0, 0, K / a;
  linear.C.resize(1, 3);
  linear.C << a, 0, 0;
  linear.C /= a;
  linear.B *= a;
  linear.D = Eigen::MatrixXd::Zero(1, 1);
  linear.drift = Eigen::VectorXd::Zero(3);
  return linear;
}

TEST(FrequencyResponse, MarginsAreThoseOfAServo) {
  for (const double a : {0.5, 40.0}) {
    const double K = 0.6 * a;
    const LinearModel linear = servo(K, a);
    const Spectrum s = spectrum(linear.A);
    const FrequencyResponse r = frequency_response(TransferPath(linear, 0, 0), resolving_frequencies(s, 0, 0));
    ASSERT_EQ(r.gain_margins.size(), 1u);
    EXPECT_NEAR(r.gain_margins[0].frequency, a / (2 * kPi), 1e-9 * a);
    EXPECT_NEAR(r.gain_margins[0].margin, 2 * a / K, 1e-9);
    ASSERT_EQ(r.phase_margins.size(), 1u);
    const double w = 2 * kPi * r.phase_margins[0].frequency;
    EXPECT_NEAR(K / (w * (1 + w * w / (a * a))), 1, 1e-9);
    EXPECT_NEAR(r.phase_margins[0].margin, kPi / 2 - 2 * std::atan(w / a), 1e-9);
    EXPECT_NEAR(r.phase.back(), -3 * kPi / 2, 0.2);  // continuous
    // twice the critical gain: no margin left
    const FrequencyResponse beyond = frequency_response(TransferPath(servo(4 * a, a), 0, 0), resolving_frequencies(s, 0, 0));
    EXPECT_LT(beyond.gain_margins.at(0).margin, 1);
    EXPECT_LT(beyond.phase_margins.at(0).margin, 0);
  }
}

/// A mass on a spring behind a fast lag: with high gain the crossings lie far above its oscillation, where the shown frequencies end.
TEST(FrequencyResponse, MarginsAreFoundBeyondTheFrequenciesShown) {
  constexpr double m = 10, k = 100, c = 10, lag = 1e-4, gain = 2e5;
  LinearModel linear;
  for (const char* name : {"x", "v", "f"}) linear.states.push_back({name, "", "", 0});
  linear.inputs = {{"u", "", "", 0}};
  linear.outputs = {{"x", "", "", 0}};
  linear.A = Eigen::Matrix3d{{0, 1, 0}, {-k / m, -c / m, 1 / m}, {0, 0, -1 / lag}};
  linear.B = Eigen::Vector3d(0, 0, gain / lag);
  linear.C = Eigen::RowVector3d(1, 0, 0);
  linear.D = Eigen::MatrixXd::Zero(1, 1);
  linear.drift = Eigen::VectorXd::Zero(3);
  const TransferPath path(linear, 0, 0);
  const std::vector<double> shown = resolving_frequencies(spectrum(linear.A), 0, 0);
  const FrequencyResponse r = frequency_response(path, shown, true, true);
  EXPECT_EQ(r.frequency, shown);
  const double w = std::sqrt((k * lag + c) / (m * lag));  // where the imaginary part vanishes
  EXPECT_LT(shown.back(), w / (2 * kPi));
  ASSERT_EQ(r.gain_margins.size(), 1U);
  EXPECT_NEAR(r.gain_margins[0].frequency, w / (2 * kPi), 1e-9 * w);
  EXPECT_NEAR(r.gain_margins[0].margin, (w * w * (m + c * lag) - k) / gain, 1e-9);
  ASSERT_EQ(r.phase_margins.size(), 1U);
  const double at = 2 * kPi * r.phase_margins[0].frequency;
  EXPECT_NEAR(gain / std::abs(Complex(k - m * at * at, c * at) * Complex(1, lag * at)), 1, 1e-9);
  EXPECT_LT(r.phase_margins[0].margin, 0);
  EXPECT_TRUE(frequency_response(path, shown).phase_margins.empty());
}

/// A double integrator has the phase -180 degrees at every frequency: its imaginary part is rounding, no crossing.
TEST(FrequencyResponse, RoundingIsNoCrossing) {
  LinearModel linear;
  linear.A = Eigen::Matrix2d{{0, 1}, {0, 0}};
  linear.B = Eigen::Vector2d(0, 1 / 3.0);
  linear.C = Eigen::RowVector2d(0.7, 0);
  linear.D = Eigen::MatrixXd::Zero(1, 1);
  const FrequencyResponse r = frequency_response(TransferPath(linear, 0, 0), {0.1, 1.0, 10.0}, true, true);
  EXPECT_TRUE(r.gain_margins.empty());
  EXPECT_EQ(r.phase_margins.size(), 1U);
}

/// A pushed mass beside another one: a path without zeros that carries nothing.
TEST(FrequencyResponse, APathThatTransmitsNothingHasNoZeros) {
  TwoMasses of;
  of.c = 0;
  const TransferPath path(of.model(Eigen::VectorXd::Ones(5)), 0, 0), none(of.model(Eigen::VectorXd::Ones(5)), 0, 1);
  EXPECT_FALSE(path.zeros().empty());
  EXPECT_TRUE(none.zeros().empty());
  const FrequencyResponse r = frequency_response(none, {0.1, 1.0, 10.0}, true, true);
  EXPECT_TRUE(r.phase_margins.empty());
  for (std::size_t i = 0; i < r.value.size(); ++i) {
    EXPECT_EQ(r.value[i], 0.0);
    EXPECT_EQ(r.phase[i], 0.0);
  }
}

/// Two free masses on a soft spring, the first one pushed, in relative coordinates beside a fast pressure: at its eigenvalue the parts of
/// the second one's position cancel, which at their own frequencies they do not.
TEST(FrequencyResponse, ASlowPathBesideAFastStateIsNoDeadOne) {
  constexpr double k = 1, m1 = 10, m2 = 3, fast = 1e9;
  LinearModel linear;  // x1, d = x2 - x1, their rates, a pressure; output: x2
  linear.A = Eigen::MatrixXd::Zero(5, 5);
  linear.A(0, 2) = linear.A(1, 3) = 1;
  linear.A(2, 1) = k / m1, linear.A(3, 1) = -k * (1 / m1 + 1 / m2), linear.A(4, 4) = -fast;
  linear.B = Eigen::VectorXd::Zero(5);
  linear.B(2) = 1 / m1, linear.B(3) = -1 / m1;
  linear.C = Eigen::RowVectorXd::Zero(5);
  linear.C(0) = linear.C(1) = 1;
  linear.D = Eigen::MatrixXd::Zero(1, 1);
  const TransferPath path(linear, 0, 0);
  for (const double w : {0.01, 0.3, 2.0}) {
    const Complex s(0, w), exact = k / (m1 * m2 * s * s * s * s + k * (m1 + m2) * s * s);  // x2 over a force on m1
    EXPECT_LT(std::abs(path.at(s) - exact), 1e-9 * std::abs(exact)) << w;
  }
}

TEST(FrequencyResponse, FrequenciesResolveALightlyDampedOscillation) {
  TwoMasses of;
  of.d = 1e-4;
  const LinearModel linear = of.model(Eigen::VectorXd::Ones(5));
  const FrequencyResponse r = frequency_response(TransferPath(linear, 0, 0), resolving_frequencies(spectrum(linear.A), 0.1, 10));
  EXPECT_EQ(r.frequency.front(), 0.1);
  EXPECT_EQ(r.frequency.back(), 10);
  double largest = 0, peak = 0;
  for (const Complex G : r.value) largest = std::max(largest, std::abs(G));
  const double w = std::sqrt(of.k / of.m);
  peak = of.gain / (2 * of.d * w);  // half of the push moves the masses in phase
  EXPECT_NEAR(largest, peak, 0.01 * peak);
}

TEST(FrequencyResponse, TheRangeOfFrequenciesScalesWithTheMachine) {
  const TwoMasses of;
  LinearModel slow = of.model(Eigen::VectorXd::Ones(5));
  const std::vector<double> own = resolving_frequencies(spectrum(slow.A), 0, 0);
  EXPECT_LT(own.front(), 0.2);  // below the pressure's 7/s
  EXPECT_GT(own.back(), 20);    // above the oscillations at 1.95 and 2.5 Hz
  for (const double faster : {1e-6, 1e6}) {
    const std::vector<double> scaled = resolving_frequencies(spectrum(faster * slow.A), 0, 0);
    EXPECT_NEAR(scaled.front(), faster * own.front(), 1e-6 * faster * own.front());
    EXPECT_NEAR(scaled.back(), faster * own.back(), 1e-6 * faster * own.back());
  }
}

TEST(FrequencyResponse, OfAPathWithoutEffectIsZero) {
  LinearModel linear = TwoMasses().model(Eigen::VectorXd::Ones(5));
  linear.B.setZero();
  const TransferPath path(linear, 0, 0);
  EXPECT_EQ(path.at({0, 1}), 0.0);
  EXPECT_TRUE(path.zeros().empty());
}

}  // namespace
}  // namespace trunnion
