// Laws of control blocks: transfer functions in closed form, values, derivatives by differences, start values.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>

#include "control/expression_law.h"
#include "model/control_plan.h"
#include "support/linear_algebra.h"

namespace trunnion {
namespace {

using Complex = std::complex<double>;

/// Slopes of a law at u, x: rows value and rates, columns inputs and states.
Eigen::MatrixXd slopes_of(const BlockLaw& law, const std::vector<double>& u, const std::vector<double>& x) {
  Eigen::MatrixXd slopes = Eigen::MatrixXd::Zero(law.states() + 1, law.inputs() + law.states());
  law.differentiate(
      u.data(), x.data(), [](int) { return true; }, [](int, double) {},
      [&](int row, int column, double slope) { slopes(row, column) = slope; });
  return slopes;
}

/// The transfer function from input `input` of a linear law.
Complex response(const BlockLaw& law, Complex s, int input = 0) {
  const int n = law.states(), m = law.inputs();
  const Eigen::MatrixXd all =
      slopes_of(law, std::vector<double>(static_cast<std::size_t>(m), 0.3), std::vector<double>(static_cast<std::size_t>(n) + 1, 0.1));
  const Eigen::MatrixXcd A = all.block(1, m, n, n).cast<Complex>(), I = Eigen::MatrixXcd::Identity(n, n);
  const Eigen::VectorXcd B = all.block(1, input, n, 1).cast<Complex>();
  const Eigen::RowVectorXcd C = all.block(0, m, 1, n).cast<Complex>();
  const Complex direct(all(0, input), 0);
  return n == 0 ? direct : Complex((C * test::solve(Eigen::MatrixXcd(s * I - A), Eigen::MatrixXcd(B)))(0)) + direct;
}

void expect_transfer(const BlockLawDescription& law, const std::function<Complex(Complex)>& G) {
  const auto block = plan_block({.law = law});
  for (const double w : {0.01, 0.7, 3.0, 40.0, 900.0}) {
    const Complex s(0.02 * w, w), found = response(*block, s), exact = G(s);
    EXPECT_LT(std::abs(found - exact), 1e-10 * std::abs(exact)) << "at " << w << " rad/s";
  }
  // a block of twice the gain is found wrong
  EXPECT_GT(std::abs(response(*block, {0, 3}) - 2.0 * G({0, 3})), 1e-3 * std::abs(G({0, 3})));
}

TEST(ControlLaws, HaveTheirTransferFunctions) {
  const double w = 2 * std::numbers::pi * 5;
  expect_transfer(TransferFunctionBlock{"u", {2, 3}, {0.5, 0.2, 4, 1}},
                  [](Complex s) { return (2.0 * s + 3.0) / (0.5 * s * s * s + 0.2 * s * s + 4.0 * s + 1.0); });
  expect_transfer(TransferFunctionBlock{"u", {4, 1, 3}, {2, 0, 7}},
                  [](Complex s) { return (4.0 * s * s + s + 3.0) / (2.0 * s * s + 7.0); });
  expect_transfer(TransferFunctionBlock{"u", {3}, {2, 0, 0}}, [](Complex s) { return 1.5 / (s * s); });
  expect_transfer(LowPassBlock{.input = "u", .time_constant = 0.02}, [](Complex s) { return 1.0 / (1.0 + 0.02 * s); });
  expect_transfer(LowPassBlock{.input = "u", .frequency = 5, .damping = 0.3},
                  [=](Complex s) { return w * w / (s * s + 0.6 * w * s + w * w); });
  expect_transfer(LeadLagBlock{"u", 3, 0.4, 0.01}, [](Complex s) { return 3.0 * (1.0 + 0.4 * s) / (1.0 + 0.01 * s); });
  expect_transfer(NotchBlock{"u", 5, 0.5, 0.1}, [=](Complex s) { return (s * s + 0.1 * w * s + w * w) / (s * s + w * s + w * w); });
  expect_transfer(DerivativeBlock{"u", 0.03}, [](Complex s) { return s / (1.0 + 0.03 * s); });
  expect_transfer(IntegratorBlock{.input = "u", .gain = 4}, [](Complex s) { return 4.0 / s; });
  expect_transfer(StateSpaceBlock{{"u"}, {{0, 1}, {-9, -2}}, {{0}, {3}}, {1, 0.5}, {0.2}, {}},
                  [](Complex s) { return 3.0 * (1.0 + 0.5 * s) / (s * s + 2.0 * s + 9.0) + 0.2; });
}

TEST(ControlLaws, ApproximateADelay) {
  // [3/3]: relative error of the phase below 1e-5 up to w T = 1, the error of order n has the order 2n + 1
  for (int n = 1; n <= 6; ++n) {
    const auto law = plan_block({.law = DelayBlock{"u", 0.1, n}});
    const auto error = [&](double w) { return std::abs(response(*law, {0, w}) - std::exp(Complex(0, -0.1 * w))); };
    EXPECT_NEAR(std::abs(response(*law, {0, 17})), 1, 1e-9) << n;  // all-pass
    if (n <= 3) EXPECT_NEAR(std::log2(error(8) / error(4)), 2 * n + 1, 0.3) << n;
  }
}

TEST(ControlLaws, PidIsItsThreeParts) {
  PidBlock b{.setpoint = "r",
             .measurement = "y",
             .gain = 4,
             .integral_time = 0.5,
             .derivative_time = 0.2,
             .filter = 8,
             .setpoint_weight = 0.6,
             .derivative_weight = 0.3};
  const auto law = plan_block({.law = b});
  for (const double w : {0.1, 3.0, 50.0}) {
    const Complex s(0, w), I = 4.0 / (0.5 * s), D = 4.0 * 0.2 * s / (1.0 + 0.2 / 8 * s);
    EXPECT_LT(std::abs(response(*law, s, 0) - (2.4 + I + 0.3 * D)), 1e-12 * std::abs(I + D));
    EXPECT_LT(std::abs(response(*law, s, 1) + (4.0 + I + D)), 1e-12 * std::abs(I + D));
    EXPECT_LT(std::abs(response(*law, s, 2) - 1.0), 1e-12);
  }
  // limited: the integral part follows within the tracking time
  b.max = 1;
  const auto limited = plan_block({.law = b});
  const double u[] = {2, 0, 0}, x[] = {0.5, 0.6};
  double rate[2];
  limited->evaluate(u, x, rate);
  const double v = 2.4 * 2 + 0.5 + 32 * (0.3 * 2 - 0.6);
  EXPECT_DOUBLE_EQ(limited->value(u, x), 1);
  EXPECT_NEAR(rate[0], 4 / 0.5 * 2 + (1 - v) / std::sqrt(0.5 * 0.2), 1e-12);
}

TEST(ControlLaws, OfOneInputHaveTheirValues) {
  const auto value = [](const BlockLawDescription& law, double u) { return plan_block({.law = law})->value(&u, nullptr); };
  EXPECT_DOUBLE_EQ(value(GainBlock{"u", 3, 0.5}, 2), 6.5);
  const SaturationBlock saturation{"u", -2, 1};
  EXPECT_DOUBLE_EQ(value(saturation, -5), -2);
  EXPECT_DOUBLE_EQ(value(saturation, 0.3), 0.3);
  EXPECT_DOUBLE_EQ(value(saturation, 5), 1);
  const DeadZoneBlock zone{"u", -2, 1};
  EXPECT_DOUBLE_EQ(value(zone, -5), -3);
  EXPECT_DOUBLE_EQ(value(zone, 0.3), 0);
  EXPECT_DOUBLE_EQ(value(zone, 5), 4);
  const DeadBandCompensationBlock band{"u", 0.2, 0.3, 0.01};
  EXPECT_NEAR(value(band, 0), 0, 1e-16);
  EXPECT_DOUBLE_EQ(value(band, 0.5), 0.7);
  EXPECT_DOUBLE_EQ(value(band, -0.5), -0.8);
  EXPECT_DOUBLE_EQ(value(band, 0.005), 0.105);
  const TableBlock table{"u", {{0, 1}, {1, 3}, {3, 0}}};
  EXPECT_DOUBLE_EQ(value(table, -1), 1);
  EXPECT_DOUBLE_EQ(value(table, 0.5), 2);
  EXPECT_DOUBLE_EQ(value(table, 2), 1.5);
  EXPECT_DOUBLE_EQ(value(table, 9), 0);
}

TEST(ControlLaws, OfSeveralInputsHaveTheirValues) {
  const double u[] = {2, -3, 5};
  const auto value = [&](const BlockLawDescription& law) { return plan_block({.law = law})->value(u, nullptr); };
  EXPECT_DOUBLE_EQ(value(SumBlock{{"a", "b", "c"}, {}, 1}), 5);
  EXPECT_DOUBLE_EQ(value(SumBlock{{"a", "b", "c"}, {1, 2, -1}, 0}), -9);
  EXPECT_DOUBLE_EQ(value(ProductBlock{{"a", "b", "c"}}), -30);
  EXPECT_DOUBLE_EQ(value(MinimumBlock{{"a", "b", "c"}}), -3);
  EXPECT_DOUBLE_EQ(value(MaximumBlock{{"a", "b", "c"}}), 5);
}

TEST(ControlLaws, ATableOfTwoInputsIsBilinearOnItsGrid) {
  const auto law = plan_block({.law = Table2dBlock{{"a", "b"}, {0, 1, 4}, {-1, 1}, {{0, 2}, {3, -1}, {5, 7}}}});
  const auto value = [&](double x, double y) {
    const double u[] = {x, y};
    return law->value(u, nullptr);
  };
  EXPECT_DOUBLE_EQ(value(0, -1), 0);
  EXPECT_DOUBLE_EQ(value(1, 1), -1);
  EXPECT_DOUBLE_EQ(value(4, 1), 7);
  EXPECT_DOUBLE_EQ(value(0.25, 0), 0.75 * 1 + 0.25 * 1);
  EXPECT_DOUBLE_EQ(value(2.5, -0.5), 0.5 * (0.75 * 3 + 0.25 * -1) + 0.5 * (0.75 * 5 + 0.25 * 7));
  EXPECT_DOUBLE_EQ(value(-3, 0), 1);
  EXPECT_DOUBLE_EQ(value(9, 9), 7);
  EXPECT_DOUBLE_EQ(value(1, -7), 3);
  // rows are those of x
  const auto turned = plan_block({.law = Table2dBlock{{"b", "a"}, {-1, 1}, {0, 1, 4}, {{0, 3, 5}, {2, -1, 7}}}});
  for (const double x : {-0.3, 0.4, 2.2, 5.0})
    for (const double y : {-1.5, -0.2, 0.9}) {
      const double u[] = {y, x};
      EXPECT_NEAR(turned->value(u, nullptr), value(x, y), 1e-14);
    }
}

TEST(ControlLaws, HaveExactDerivatives) {
  const std::vector<BlockLawDescription> laws{
      GainBlock{"u", 3, 0.5},
      SumBlock{{"a", "b"}, {2, -1}, 0},
      ProductBlock{{"a", "b", "c"}},
      MinimumBlock{{"a", "b"}},
      PidBlock{.setpoint = "r", .measurement = "y", .gain = 4, .integral_time = 0.5, .derivative_time = 0.2, .max = 1},
      PidBlock{.setpoint = "r",
               .measurement = "y",
               .gain = 4,
               .integral_time = 0.5,
               .max = 0.503,  // approached: v is below it by 0.003
               .anti_windup = AntiWindup::clamping},
      Table2dBlock{{"a", "b"}, {0, 0.3, 1}, {-1, 0.1, 2}, {{0, 2, 1}, {3, -1, 4}, {5, 7, -3}}},
      IntegratorBlock{.input = "u", .max = 0.05},
      RateLimiterBlock{"u", 30, {}, 0.01},
      RateLimiterBlock{"u", 3, {}, 0.01},
      BacklashBlock{"u", 0.1, 0.01},
      BacklashBlock{"u", 1, 0.01},
      TableBlock{"u", {{0, 1}, {1, 3}, {3, 0}}},
      ExpressionBlock{"a * b ^ 2 / sqrt(c) - max(a, b) + if(a > c, sin(a), cos(b)) + clamp(a, 0, 1) * exp(-c)"},
      ExpressionBlock{"abs(-a) ^ b + tanh(3 * c) - min(a, 2) * sign(b) + atan2(a, b * c)"},
      ExpressionBlock{"asin(a) * acos(b) + tan(c) / hypot(a, b) - log(a + c) * pi"},
      ExpressionBlock{"sqrt(max(a - 1, 0)) + asin(clamp(a, 1, 2)) * b + hypot(max(-a, 0), 0)"},
      TransferFunctionBlock{"u", {2, 3}, {0.5, 0.2, 4, 1}}};
  constexpr double kChange = 1e-6;
  for (const BlockLawDescription& description : laws) {
    const auto law = plan_block({.law = description});
    std::vector<double> u{0.31, 0.23, 0.11}, x{0.07, 0.13, -0.2};
    u.resize(static_cast<std::size_t>(law->inputs()));
    const Eigen::MatrixXd slopes = slopes_of(*law, u, x);
    double rates[kMaxBlockStates + 1];
    EXPECT_DOUBLE_EQ(law->evaluate(u.data(), x.data(), rates), law->value(u.data(), x.data())) << description.index();
    const auto at = [&] {
      Eigen::VectorXd all(law->states() + 1);
      all[0] = law->evaluate(u.data(), x.data(), all.data() + 1);
      return all;
    };
    for (int k = 0; k < law->inputs() + law->states(); ++k) {
      double& varied = k < law->inputs() ? u[static_cast<std::size_t>(k)] : x[static_cast<std::size_t>(k - law->inputs())];
      const double kept = varied;
      varied = kept + kChange;
      const Eigen::VectorXd above = at();
      varied = kept - kChange;
      const Eigen::VectorXd difference = (above - at()) / (2 * kChange);
      varied = kept;
      EXPECT_LT((slopes.col(k) - difference).norm(), 1e-7 * (1 + slopes.col(k).norm())) << description.index() << " " << k;
      if (k < law->inputs()) EXPECT_TRUE(law->direct(k) || slopes(0, k) == 0) << description.index();
    }
  }
}

double value_of(const std::string& expression, const std::vector<double>& u = {}) {
  return plan_block({.law = ExpressionBlock{expression}})->value(u.data(), nullptr);
}

TEST(ControlLaws, ExpressionsHaveTheirPrecedence) {
  EXPECT_DOUBLE_EQ(value_of("1 + 2 * 3 - 4 / 8"), 6.5);
  EXPECT_DOUBLE_EQ(value_of("2 ^ 3 ^ 2"), 512);
  EXPECT_DOUBLE_EQ(value_of("-2 ^ 2"), -4);
  EXPECT_DOUBLE_EQ(value_of("(1 + 2) * -3"), -9);
  EXPECT_DOUBLE_EQ(value_of("1.5e3"), 1500);
  EXPECT_DOUBLE_EQ(value_of("1 < 2 and 3 > 4 or 2 >= 2"), 1);
  EXPECT_DOUBLE_EQ(value_of("1 < 2 and (3 > 4 or 2 <= 1)"), 0);
  EXPECT_DOUBLE_EQ(value_of("not(1 > 2) + if(0, 5, 7)"), 8);
  EXPECT_DOUBLE_EQ(value_of("2 * pi + 'pi'", {3}), 2 * std::numbers::pi + 3);  // in quotes a name
  EXPECT_DOUBLE_EQ(value_of("asin(1) + acos(1)"), std::numbers::pi / 2);
  EXPECT_DOUBLE_EQ(value_of("hypot(3, -4) + log(exp(2)) + tan(0)"), 7);
  EXPECT_DOUBLE_EQ(value_of("lift.length * 2 + 'odd-name' - lift.length", {3, 4}), 7);  // names in the order of their first use
  EXPECT_DOUBLE_EQ(value_of("order + android", {1, 2}), 3);                             // operators as words are no beginnings of names
}

TEST(ControlLaws, ConditionsSayHowFarTheyHold) {
  const auto excess = [](const std::string& text, const std::vector<double>& u) {
    std::vector<double> c;
    for (const double x : u) c.push_back(x - 0.5);
    return expression_law(parse_expression(text)).excess(u.data(), c.data());
  };
  EXPECT_DOUBLE_EQ(excess("a > 2", {5}), 3);
  EXPECT_DOUBLE_EQ(excess("a >= 2", {1.5}), -0.5);
  EXPECT_DOUBLE_EQ(excess("2 * a < b + 1", {1, 4}), 3);
  EXPECT_DOUBLE_EQ(excess("a > 1 and a < 4", {3.5}), 0.5);
  EXPECT_DOUBLE_EQ(excess("a > 1 or b > 2", {0.75, 0}), -0.25);
  EXPECT_DOUBLE_EQ(excess("not(a > 2)", {5}), -3);
  EXPECT_DOUBLE_EQ(excess("if(a > 0, b > 1, b > 2)", {1, 5}), 4);
  EXPECT_DOUBLE_EQ(excess("if(a > 0, b > 1, b > 2)", {-1, 5}), 3);
  EXPECT_DOUBLE_EQ(excess("a", {0.75}), 0.25);
  EXPECT_DOUBLE_EQ(excess("a + b", {0.75, 1}), 1.25);
}

TEST(ControlLaws, MistakesInExpressionsAreNamed) {
  const auto problem = [](const std::string& text) -> std::string {
    try {
      return problem_of(parse_expression(text));
    } catch (const ExpressionError& error) { return error.found + "; expected " + error.expected; }
  };
  EXPECT_EQ(problem("a + 1"), "");
  EXPECT_NE(problem("a + ").find("ends early"), std::string::npos);
  EXPECT_NE(problem("a + (b").find("expected `)`"), std::string::npos);
  EXPECT_NE(problem("a b").find("found `b`"), std::string::npos);
  EXPECT_NE(problem("a = 1").find("found `= 1`"), std::string::npos);
  EXPECT_NE(problem("maximum(1, 2)").find("there is no function `maximum`"), std::string::npos);
  EXPECT_NE(problem("max(1, 2, 3)").find("2 arguments, found 3"), std::string::npos);
  EXPECT_NE(problem("").find("ends early"), std::string::npos);
  EXPECT_NE(problem("'a").find("between two quotes"), std::string::npos);
  EXPECT_NE(problem(std::string(300, '(') + "1").find("fewer nested"), std::string::npos);
  std::string many = "a0";
  for (int i = 1; i < 40; ++i) many += " + a" + std::to_string(i);
  EXPECT_NE(problem(many).find("reads 40 quantities"), std::string::npos);
  std::string deep = "1";
  for (int i = 0; i < 90; ++i) deep = "1 + (" + deep + ")";
  EXPECT_NE(problem(deep).find("nested too deeply"), std::string::npos);
}

TEST(ControlLaws, NoiseIsNormalAndRepeats) {
  const auto law = plan_block({.law = NoiseBlock{"u", 2, 7}}), other = plan_block({.law = NoiseBlock{"u", 2, 8}});
  const double u = 10;
  double x[2], z[2], sum = 0, squares = 0, cubes = 0, product = 0, last = 0, across = 0;
  law->start(&u, x);
  other->start(&u, z);
  constexpr int kCount = 100000;
  for (int i = 0; i < kCount; ++i) {
    law->sample(&u, 0, x);
    other->sample(&u, 0, z);
    const double e = law->value(&u, x) - u;
    sum += e;
    squares += e * e;
    cubes += e * e * e;
    product += e * last;
    across += e * (other->value(&u, z) - u);
    last = e;
  }
  EXPECT_NEAR(sum / kCount, 0, 0.03);
  EXPECT_NEAR(std::sqrt(squares / kCount), 2, 0.03);
  EXPECT_NEAR(cubes / kCount, 0, 0.3);
  EXPECT_NEAR(product / kCount, 0, 0.06);
  EXPECT_NEAR(across / kCount, 0, 0.06);
  double again[2];
  law->start(&u, again);
  for (int i = 0; i < kCount; ++i) law->sample(&u, 0, again);
  EXPECT_EQ(again[0], x[0]);
}

/// Against the play operator: x stays where it is within half the width of u, and is taken along at its edges.
TEST(ControlLaws, BacklashIsPlay) {
  constexpr double kWidth = 0.4, kTime = 1e-4, h = 1e-5, kRate = 6;
  const auto law = plan_block({.law = BacklashBlock{"u", kWidth, kTime}});
  double u = 0, x = 0, play = 0, farthest = 0;
  law->start(&u, &x);
  for (int i = 1; i <= 200000; ++i) {
    u = std::sin(kRate * i * h) + 0.3 * std::sin(2.3 * kRate * i * h);
    double rate = 0;
    law->evaluate(&u, &x, &rate);
    x += h * rate;
    play = std::clamp(play, u - kWidth / 2, u + kWidth / 2);
    farthest = std::max(farthest, std::abs(law->value(&u, &x) - play));
  }
  EXPECT_LT(farthest, 1.7 * kRate * kTime);  // that of its lag
  EXPECT_GT(farthest, 0.1 * kRate * kTime);
}

TEST(ControlLaws, StartSteadyAtTheirInput) {
  for (const BlockLawDescription& description :
       std::vector<BlockLawDescription>{LowPassBlock{.input = "u", .time_constant = 0.02}, LowPassBlock{.input = "u", .frequency = 5},
                                        NotchBlock{"u", 5, 0.5, 0.1}, LeadLagBlock{"u", 3, 0.4, 0.01}, DelayBlock{"u", 0.1, 4},
                                        DerivativeBlock{"u", 0.03}, RateLimiterBlock{"u", 1, {}, 0.01}, BacklashBlock{"u", 0.2, 0.01}}) {
    const auto law = plan_block({.law = description});
    const double u = 0.7;
    double x[kMaxBlockStates], rate[kMaxBlockStates];
    law->start(&u, x);
    law->evaluate(&u, x, rate);
    for (int i = 0; i < law->states(); ++i) EXPECT_NEAR(rate[i], 0, 1e-9) << description.index();
    const double gain = std::holds_alternative<LeadLagBlock>(description)      ? 3
                        : std::holds_alternative<DerivativeBlock>(description) ? 0
                                                                               : 1;
    EXPECT_NEAR(law->value(&u, x), gain * u, 1e-9) << description.index();
  }
}

}  // namespace
}  // namespace trunnion
