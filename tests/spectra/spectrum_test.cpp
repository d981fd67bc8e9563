// Eigenvalues, vectors, participations and verdicts compared with matrices built from known ones.
// SPDX-License-Identifier: BSD-3-Clause
#include "spectra/spectrum.h"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>
#include <limits>
#include <random>

#include "base/diagnostic.h"
#include "support/linear_algebra.h"

namespace trunnion {
namespace {

using Complex = std::complex<double>;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The polynomial with these roots, without its leading 1, lowest power first; and its companion matrix.
MatrixXd companion(const std::vector<std::complex<long double>>& roots) {
  std::vector<std::complex<long double>> c{1};
  for (const auto& root : roots) {
    c.insert(c.begin(), 0);
    for (std::size_t i = 0; i + 1 < c.size(); ++i) c[i] -= root * c[i + 1];
  }
  const auto n = static_cast<Eigen::Index>(roots.size());
  MatrixXd A = MatrixXd::Zero(n, n);
  for (Eigen::Index i = 0; i + 1 < n; ++i) A(i, i + 1) = 1;
  for (Eigen::Index i = 0; i < n; ++i) A(n - 1, i) = -static_cast<double>(c[static_cast<std::size_t>(i)].real());
  return A;
}

MatrixXd random_matrix(Eigen::Index n, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  return MatrixXd::NullaryExpr(n, n, [&] { return uniform(generator); });
}

MatrixXd random_rotation(Eigen::Index n, unsigned seed) { return Eigen::HouseholderQR<MatrixXd>(random_matrix(n, seed)).householderQ(); }

/// Blocks along the diagonal.
MatrixXd diagonal(const std::vector<MatrixXd>& blocks) {
  Eigen::Index n = 0;
  for (const auto& block : blocks) n += block.rows();
  MatrixXd A = MatrixXd::Zero(n, n);
  n = 0;
  for (const auto& block : blocks) {
    A.block(n, n, block.rows(), block.rows()) = block;
    n += block.rows();
  }
  return A;
}

MatrixXd jordan(Eigen::Index size, double value) {
  MatrixXd J = MatrixXd::Identity(size, size) * value;
  for (Eigen::Index i = 0; i + 1 < size; ++i) J(i, i + 1) = 1;
  return J;
}

MatrixXd one(double value) { return MatrixXd::Constant(1, 1, value); }
MatrixXd pair(double re, double im) { return (MatrixXd(2, 2) << re, im, -im, re).finished(); }

std::vector<Complex> values(const Spectrum& s) {
  std::vector<Complex> out;
  for (const Eigenvalue& e : s.eigenvalues) out.push_back(e.value);
  return out;
}

void expect_values(const Spectrum& s, const std::vector<Complex>& expected, double relative) {
  ASSERT_EQ(s.eigenvalues.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_LE(std::abs(s.eigenvalues[i].value - expected[i]), relative * std::abs(expected[i]))
        << s.eigenvalues[i].value << " instead of " << expected[i];
}

/// Each pair of vectors belongs to its eigenvalue, and left and right ones of different eigenvalues are orthogonal.
void expect_vectors(const MatrixXd& A, const Spectrum& s, double tolerance) {
  // in the scale in which all components of all vectors are equal, errors are relative to the subtracted terms
  for (const Eigenvalue& e : s.eigenvalues) {
    if (e.chain <= 1) {
      const Eigen::VectorXcd residual = A * e.right - e.value * e.right;
      const VectorXd size = A.cwiseAbs() * e.right.cwiseAbs() + std::abs(e.value) * e.right.cwiseAbs();
      for (Eigen::Index i = 0; i < A.rows(); ++i) EXPECT_LE(std::abs(residual[i]), tolerance * size[i]) << e.value << " row " << i;
    }
    for (const Eigenvalue& other : s.eigenvalues) {
      const bool same = &e == &other;
      const double sum = e.left.cwiseAbs().dot(other.right.cwiseAbs());
      EXPECT_LE(std::abs(e.left.dot(other.right) - Complex(same ? 1.0 : 0.0)), tolerance * std::max(sum, 1.0)) << e.value << other.value;
    }
  }
}

std::vector<LinearVariable> states(const std::vector<std::pair<const char*, const char*>>& names) {
  std::vector<LinearVariable> out;
  for (const auto& [name, unit] : names) out.push_back({name, unit, "", 0});
  return out;
}

/// A four-bar on trapped oil: angle, rate, three pressures, spool; its second null vector contains oil only.
struct TrappedOil {
  std::vector<LinearVariable> states = linear_states({{"crank.angle", "rad"},
                                                      {"crank.rate", "rad/s"},
                                                      {"v1.pressure", "Pa"},
                                                      {"v2.pressure", "Pa"},
                                                      {"v3.pressure", "Pa"},
                                                      {"valve.spool", ""}});
  MatrixXd A = MatrixXd::Zero(6, 6);
  static std::vector<LinearVariable> linear_states(const std::vector<std::pair<const char*, const char*>>& names) {
    return trunnion::states(names);
  }
  TrappedOil() {
    const double nu1 = -3.7, nu2 = -51.3, nu3 = 2.1e-5, nu4 = -1.7e-5, nu5 = -8.3e3, nu6 = -1.3e9 / 3, nu7 = 1.9e3, nu8 = 2.3e9 / 7;
    A(0, 1) = 1;
    A.row(1) << nu1, nu2, nu3, nu3, nu4, 0;
    A(1, 2) = 0;
    A.row(2) << 0, 0, nu5, -nu5, 0, 0;
    A.row(3) << 0, nu6, nu7, -nu7, 0, 0;
    A(4, 1) = nu8;
    A(5, 5) = -219.911485751;
  }
};

TEST(Spectrum, OfACompanionMatrixAreItsRoots) {
  const Spectrum s = spectrum(companion({-1.0L, -2.0L, -3.0L, {-0.5L, 4.0L}, {-0.5L, -4.0L}, 0.25L}));
  expect_values(s, {0.25, {-0.5, 4}, {-0.5, -4}, -1.0, -2.0, -3.0}, 1e-12);
}

TEST(Spectrum, DescribesEachEigenvalue) {
  const Spectrum s = spectrum(diagonal({pair(-3, 4), one(0.5), one(0)}));
  expect_values(s, {0.5, 0.0, {-3, 4}, {-3, -4}}, 1e-15);
  EXPECT_DOUBLE_EQ(s.eigenvalues[2].frequency_hz, 4 / (2 * M_PI));
  EXPECT_DOUBLE_EQ(s.eigenvalues[2].damping_ratio.value(), 0.6);
  EXPECT_DOUBLE_EQ(s.eigenvalues[2].time_constant.value(), 1.0 / 3);
  EXPECT_DOUBLE_EQ(s.eigenvalues[0].damping_ratio.value(), -1);
  EXPECT_DOUBLE_EQ(s.eigenvalues[0].time_constant.value(), 2);
  EXPECT_FALSE(s.eigenvalues[1].damping_ratio.has_value());
  EXPECT_FALSE(s.eigenvalues[1].time_constant.has_value());
  EXPECT_EQ(s.eigenvalues[1].chain, 1);
  EXPECT_EQ(s.eigenvalues[2].chain, 0);
}

TEST(Spectrum, KeepsItsDigitsInBadUnits) {
  const std::vector<Complex> expected{{-0.25, 7}, {-0.25, -7}, -1.0, -3.5, -90.0, -1100.0};
  const MatrixXd T = random_matrix(6, 1) + 3 * MatrixXd::Identity(6, 6);
  const MatrixXd A =
      T * diagonal({pair(-0.25, 7), one(-1), one(-3.5), one(-90), one(-1100)}) * test::solve(T, MatrixXd::Identity(T.rows(), T.cols()));
  VectorXd D(6);
  D << 3e-8, 7e6, 1, 3.7e9, 1.1e-5, 2.3e2;
  const MatrixXd scaled = D.cwiseInverse().asDiagonal() * A * D.asDiagonal();
  const Spectrum plain = spectrum(A), s = spectrum(scaled);
  expect_values(s, expected, 1e-12);
  expect_vectors(scaled, s, 1e-12);
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_LT((s.eigenvalues[i].participation - plain.eigenvalues[i].participation).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(Spectrum, StiffAndSlowEigenvaluesBesideNullChains) {
  const std::vector<MatrixXd> blocks{jordan(3, 0), jordan(2, 0), one(0), one(-1e4), one(-1e-3), pair(-2, 30), one(-219)};
  const std::vector<Complex> expected{0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1e-3, {-2, 30}, {-2, -30}, -219.0, -1e4};
  for (unsigned seed = 0; seed < 20; ++seed) {
    const MatrixXd T = random_rotation(11, seed) + 0.3 * random_matrix(11, seed + 100);
    const MatrixXd A = T * diagonal(blocks) * test::solve(T, MatrixXd::Identity(T.rows(), T.cols()));
    const Spectrum s = spectrum(A);
    ASSERT_EQ(s.stability.null_chains, (std::vector<int>{3, 2, 1})) << seed;
    expect_values(s, expected, 1e-7);  // 1e-3 has lost seven digits next to 1e4, with any algorithm
    EXPECT_EQ(s.stability.verdict, Verdict::drifting);
    for (int i = 0; i < 6; ++i) EXPECT_EQ(s.eigenvalues[static_cast<std::size_t>(i)].value, Complex(0, 0));
    expect_vectors(A, s, 1e-7);
    for (const Eigenvalue& e : s.eigenvalues) {  // A maps each step of the chains to the previous ones
      if (e.chain == 0) continue;
      for (Eigen::Index i = 0; i < 11; ++i)  // exact zeros
        EXPECT_TRUE(e.right[i] == 0.0 || std::abs(e.right[i]) > 1e-11 * e.right.cwiseAbs().maxCoeff());
      Eigen::VectorXcd rest = A * e.right;
      const VectorXd size = A.cwiseAbs() * e.right.cwiseAbs();
      for (const Eigenvalue& lower : s.eigenvalues)
        if (lower.chain > 0 && lower.chain < e.chain) rest -= lower.right * lower.left.dot(A * e.right);
      EXPECT_LT(rest.cwiseAbs().maxCoeff(), 1e-12 * size.maxCoeff());
    }
  }
}

TEST(Spectrum, MachinesWithCyclicCoordinatesHaveExactZeros) {
  // a slider without spring on a stiff neighbour, a freely rotating wheel, a spool; nothing is on an axis of a rotation
  MatrixXd A = MatrixXd::Zero(7, 7);
  A(0, 3) = A(1, 4) = A(2, 5) = 1;
  A.row(3) << 0, -4e7, 0, 0, -800, 0, 3;
  A.row(4) << 0, -9e7, 0, 0, -1300, 0, 1;
  A(6, 6) = -219.9;
  const Spectrum s = spectrum(A, states({{"slider.position", "m"},
                                         {"mass.position", "m"},
                                         {"wheel.angle", "rad"},
                                         {"slider.speed", "m/s"},
                                         {"mass.speed", "m/s"},
                                         {"wheel.rate", "rad/s"},
                                         {"valve.spool", ""}}));
  EXPECT_EQ(s.stability.null_chains, (std::vector<int>{2, 2}));
  EXPECT_EQ(s.stability.verdict, Verdict::drifting);
  const double re = -650, im = std::sqrt(9e7 - 650.0 * 650);
  expect_values(s, {0.0, 0.0, 0.0, 0.0, -219.9, {re, im}, {re, -im}}, 1e-13);
  expect_vectors(A, s, 1e-12);
}

TEST(Spectrum, RoundingInACyclicColumnIsNone) {
  // without the states' sizes, x' = v, v' = 1e-15 x has the eigenvalues +-3e-8
  const auto names = states({{"x.position", "m"}, {"y.position", "m"}, {"x.speed", "m/s"}, {"y.speed", "m/s"}});
  MatrixXd A = MatrixXd::Zero(4, 4);
  A(0, 2) = A(1, 3) = 1;
  A.row(2) << 1e-15, -30, 0, -2;
  A.row(3) << -2e-15, -50, 0, -3;
  const Spectrum s = spectrum(A, names);
  EXPECT_EQ(s.stability.null_chains, (std::vector<int>{2}));
  const auto why = explain_null(s, A, names);
  ASSERT_EQ(why.size(), 2u);
  EXPECT_EQ(why[0].text, "cyclic: nothing depends on x.position");
  EXPECT_EQ(why[1].text, "drift: x.speed stays constant and x.position grows with time");
}

TEST(Spectrum, SlowOilBesideAVolumeOfADropSurvives) {
  // 1e10/s in one rate, 1e-3/s in another
  MatrixXd A(3, 3);
  A << -1e10, 1e10, 0, 2e-3, -3e-3, 0, 1, 0, 0;
  const Spectrum s = spectrum(A);
  EXPECT_EQ(s.stability.null_chains, (std::vector<int>{1}));
  // characteristic equation: l^2 + (1e10 + 3e-3) l + 1e7 = 0
  const double slow = -2e7 / (1e10 + 3e-3) / (1 + std::sqrt(1 - 4e7 / ((1e10 + 3e-3) * (1e10 + 3e-3))));
  expect_values(s, {0.0, slow, 1e7 / slow}, 1e-5);
}

TEST(Spectrum, ADefectiveEigenvalueHasNoDerivative) {
  const MatrixXd T = random_matrix(5, 3) + 3 * MatrixXd::Identity(5, 5);
  const MatrixXd A = T * diagonal({jordan(2, -2), one(-5), pair(-1, 1)}) * test::solve(T, MatrixXd::Identity(T.rows(), T.cols()));
  for (const MatrixXd& matrix : {A, diagonal({jordan(2, -2), one(-5), pair(-1, 1)})}) {
    const Spectrum s = spectrum(matrix);
    ASSERT_EQ(s.eigenvalues.size(), 5u);
    EXPECT_EQ(s.stability.verdict, Verdict::asymptotically_stable);
    for (const Eigenvalue& e : s.eigenvalues) {
      const bool defective = std::abs(e.value + 2.0) < 1e-3;
      EXPECT_EQ(e.simple, !defective) << e.value;
      EXPECT_EQ(eigenvalue_change(e, A).has_value(), !defective);
      EXPECT_TRUE(e.right.allFinite() && e.left.allFinite() && e.participation.allFinite());
      EXPECT_TRUE(std::isfinite(e.condition) && std::isfinite(e.error));
      if (defective) EXPECT_LE(std::abs(e.value + 2.0), e.error);
    }
  }
  EXPECT_FALSE(spectrum(2.0 * MatrixXd::Identity(2, 2)).eigenvalues[0].simple);  // multiple, though not defective
}

TEST(Spectrum, PairsAreExactlyConjugateAndStandTogether) {
  const Spectrum s = spectrum(random_matrix(30, 7));
  for (std::size_t i = 0; i < 30; ++i) {
    const Eigenvalue& e = s.eigenvalues[i];
    if (i > 0) EXPECT_GE(s.eigenvalues[i - 1].value.real(), e.value.real());
    if (e.value.imag() <= 0) continue;
    ASSERT_LT(i + 1, 30u);
    const Eigenvalue& twin = s.eigenvalues[i + 1];
    EXPECT_EQ(twin.value, std::conj(e.value));
    EXPECT_EQ(twin.right, e.right.conjugate());
    EXPECT_EQ(twin.left, e.left.conjugate());
    EXPECT_EQ(twin.participation, e.participation);
  }
  expect_vectors(random_matrix(30, 7), s, 1e-11);
}

TEST(Spectrum, ParticipationsAreThoseOfTheStates) {
  // two oscillators and an uncoupled spool
  MatrixXd A = MatrixXd::Zero(5, 5);
  A(0, 1) = A(2, 3) = 1;
  A.row(1) << -100, -0.5, 0, 0, 0;
  A.row(3) << 1e-4, 0, -4, -0.2, 0;
  A(4, 4) = -200;
  const Spectrum s = spectrum(A);
  ASSERT_EQ(s.eigenvalues.size(), 5u);
  for (const Eigenvalue& e : s.eigenvalues) {
    EXPECT_DOUBLE_EQ(e.participation.maxCoeff(), 1);
    Complex sum = 0;
    for (Eigen::Index i = 0; i < 5; ++i) sum += std::conj(e.left[i]) * e.right[i];
    EXPECT_NEAR(std::abs(sum - 1.0), 0, 1e-12);
    Eigen::Index most = 0;
    e.participation.maxCoeff(&most);
    EXPECT_NEAR(std::abs(e.right[most] - 1.0), 0, 1e-6);
  }
  EXPECT_LT(s.eigenvalues[0].participation.head(2).maxCoeff(), 1e-5);  // the slow oscillator
  EXPECT_NEAR(s.eigenvalues[0].participation[2], s.eigenvalues[0].participation[3], 1e-9);
  EXPECT_EQ(s.eigenvalues[4].participation, (VectorXd(5) << 0, 0, 0, 0, 1).finished());
}

TEST(Spectrum, DerivativesAreThoseOfDifferences) {
  const TrappedOil oil;
  MatrixXd dA = MatrixXd::Zero(6, 6);
  dA(1, 0) = 0.7;
  dA(1, 1) = -3;
  dA(2, 2) = -100;
  dA(2, 3) = 100;
  dA(5, 5) = 2;
  constexpr double kStep = 1e-3;
  const Spectrum s = spectrum(oil.A, oil.states), plus = spectrum(oil.A + kStep * dA, oil.states),
                 minus = spectrum(oil.A - kStep * dA, oil.states);
  for (std::size_t i = 0; i < 6; ++i) {
    const auto change = eigenvalue_change(s.eigenvalues[i], dA);
    ASSERT_EQ(change.has_value(), s.eigenvalues[i].chain == 0);
    if (!change) continue;
    const Complex difference = (plus.eigenvalues[i].value - minus.eigenvalues[i].value) / (2 * kStep);
    EXPECT_LT(std::abs(*change - difference), 1e-6 * std::max(std::abs(difference), 1.0)) << s.eigenvalues[i].value;
  }
  const Spectrum single = spectrum(diagonal({one(0), one(-1)}));  // a single null eigenvalue has one, too
  EXPECT_DOUBLE_EQ(eigenvalue_change(single.eigenvalues[0], one(3).replicate(2, 2)).value().real(), 3);
}

TEST(Spectrum, TrappedOilIsExplained) {
  const TrappedOil oil;
  const Spectrum s = spectrum(oil.A, oil.states);
  EXPECT_EQ(s.stability.null_chains, (std::vector<int>{1, 1}));
  EXPECT_EQ(s.stability.verdict, Verdict::stable_but_null);
  EXPECT_EQ(s.stability.text, "stable except for 2 null eigenvalues");
  expect_vectors(oil.A, s, 1e-11);
  // the other four: -1/tau and the roots of det(l I - A) / (l^2 (l + 1/tau))
  const double a = oil.A(1, 1), k = oil.A(1, 0) + oil.A(1, 4) * oil.A(4, 1), c = oil.A(2, 3), d = oil.A(3, 2),
               f = oil.A(1, 3) * oil.A(3, 1);
  int cubic = 0;
  for (const Eigenvalue& e : s.eigenvalues) {
    if (e.chain > 0) continue;
    const Complex l = e.value;
    if (std::abs(l + 219.911485751) < 1e-9) continue;
    const Complex residual = (l * l - a * l - k) * (l + c + d) - f * (l + c);
    EXPECT_LT(std::abs(residual), 1e-11 * (std::abs(l * l * l) + std::abs(a * l * l) + std::abs(k * l) + std::abs(k - f) * (c + d)));
    ++cubic;
  }
  EXPECT_EQ(cubic, 3);
  const auto why = explain_null(s, oil.A, oil.states);
  ASSERT_EQ(why.size(), 2u);
  EXPECT_EQ(why[0].kind, NullKind::trapped_oil);
  EXPECT_EQ(why[1].kind, NullKind::trapped_oil);
  EXPECT_EQ(why[0].text, "trapped oil: v3.pressure moves with crank.angle without changing the rates");
  EXPECT_EQ(why[1].text, "trapped oil: v1.pressure, v2.pressure and v3.pressure move together without changing the rates");
}

TEST(Spectrum, NeutralPositionsAndOthersAreExplained) {
  // two angles on one torsion spring; a volume driven by them
  const auto names = states({{"a.angle", "rad"}, {"b.angle", "rad"}, {"v.pressure", "Pa"}});
  MatrixXd A(3, 3);
  A << -2, 2, 0, 1, -1, 0, 1e9, 0, 0;
  A(2, 0) = 0;
  const Spectrum s = spectrum(A, names);
  expect_values(s, {0.0, 0.0, -3.0}, 1e-14);
  std::vector<std::string> texts;
  for (const auto& why : explain_null(s, A, names)) texts.push_back(why.text);
  std::sort(texts.begin(), texts.end());
  EXPECT_EQ(texts, (std::vector<std::string>{"neutral: a.angle and b.angle move together without changing the rates",
                                             "nothing depends on v.pressure"}));
}

TEST(Spectrum, VerdictsSayWhich) {
  EXPECT_EQ(spectrum(diagonal({one(-1), pair(-2, 1)})).stability.text, "asymptotically stable");
  const LinearStability undamped = spectrum(companion({{0.0L, 3.0L}, {0.0L, -3.0L}, -1.0L})).stability;
  EXPECT_EQ(undamped.verdict, Verdict::undamped);
  EXPECT_EQ(undamped.undamped, (std::vector<int>{0, 1}));
  const LinearStability unstable = spectrum(diagonal({one(-1), pair(2.5, 1), one(0), jordan(2, 0)})).stability;
  EXPECT_EQ(unstable.verdict, Verdict::unstable);
  EXPECT_EQ(unstable.unstable, (std::vector<int>{0, 1}));
  EXPECT_EQ(unstable.text,
            "unstable: 2 eigenvalues with positive real part, the largest 2.5/s; 3 null eigenvalues, the longest chain 2: "
            "a disturbance grows with time");
  EXPECT_EQ(spectrum(diagonal({one(-1), one(0)})).stability.text, "stable except for 1 null eigenvalue");
  EXPECT_STREQ(name_of(Verdict::stable_but_null), "stable_but_null");
}

TEST(Spectrum, OfTheSmallestMatrices) {
  EXPECT_TRUE(spectrum(MatrixXd(0, 0)).eigenvalues.empty());
  EXPECT_EQ(values(spectrum(one(0))), std::vector<Complex>{0.0});
  EXPECT_EQ(values(spectrum(one(-3))), std::vector<Complex>{-3.0});
  const Spectrum zero = spectrum(MatrixXd::Zero(3, 3));
  EXPECT_EQ(zero.stability.null_chains, (std::vector<int>{1, 1, 1}));
  expect_vectors(MatrixXd::Zero(3, 3), zero, 1e-15);
}

TEST(Spectrum, RefusesWhatIsNoMatrixOfAMachine) {
  EXPECT_THROW(spectrum(MatrixXd::Zero(2, 3)), Error);
  EXPECT_THROW(spectrum(MatrixXd::Zero(2, 2), states({{"a.angle", "rad"}})), Error);
  EXPECT_THROW(spectrum(MatrixXd::Constant(2, 2, std::numeric_limits<double>::quiet_NaN())), Error);
}

}  // namespace
}  // namespace trunnion
