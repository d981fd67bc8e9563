// Reference: the definitions of the kinds, central differences, and limits taken at a tiny distance.
// SPDX-License-Identifier: BSD-3-Clause
#include "signals/signal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "file/model_file.h"
#include "signals/rate_limit.h"

namespace trunnion {
namespace {

using Points = std::vector<std::array<double, 2>>;

/// One signal of every kind.
NamedList<SignalDescription> every_kind() {
  return {
      {"constant", ConstantSignal{3}},
      {"steps", StepsSignal{{{1, 10}, {2.5, 0}, {5, -10}}, -1}},
      {"ramps", RampsSignal{{{0, 1}, {1, 3}, {1, -2}, {4, 4}}}},
      {"table", TableSignal{{{0, 1}, {1, 2}, {4, 0}}, false}},
      {"smooth", TableSignal{{{0, 0}, {1, 1}, {1.5, 4}, {3, 5}, {4, 5}, {6, 2}}, true}},
      {"sine", SineSignal{2, 0.5, 0.3, 1, 1.25}},
      {"csv", CsvSignal{"f.csv", "1", "2", false, -2, {{0, 1}, {2, 5}}}},
      {"smooth_csv", CsvSignal{"f.csv", "1", "2", true, 10, {{0, 0}, {1, 1}, {2, 3}}}},
      {"sum", SumSignal{{"product", "ramps", "sine"}}},
      {"product", ProductSignal{{"sine", "smooth", "steps", "table"}}},
  };
}

struct Set {
  SignalSet signals;
  explicit Set(const NamedList<SignalDescription>& list) : signals(list) {}
  SignalValue at(const std::string& name, double t, Side side = Side::right) const {
    return signals.evaluate(signals.find(name), t, side, nullptr);
  }
  double value(const std::string& name, double t, Side side = Side::right) const { return at(name, t, side).value; }
  std::vector<double> jumps(const std::string& name) const { return signals.jumps(signals.find(name)); }
};

TEST(Signal, DerivativesAreThoseOfTheValue) {
  const Set s(every_kind());
  constexpr double kStep = 1e-4;
  for (const std::string& name : s.signals.names())
    for (double t = -0.537; t < 7; t += 0.0913) {  // no corner within a step
      const double before = s.value(name, t - kStep), now = s.value(name, t), after = s.value(name, t + kStep);
      // truncation: kStep^2 times a derivative of the product of four, up to 1e5, over 6 or 12; slopes reach 500
      EXPECT_NEAR(s.at(name, t).rate, (after - before) / (2 * kStep), 1e-4) << name << " at " << t;
      EXPECT_NEAR(s.at(name, t).acceleration, (after - 2 * now + before) / (kStep * kStep), 1e-2) << name << " at " << t;
      EXPECT_EQ(s.at(name, t).value, now);
    }
}

TEST(Signal, LimitsAreThoseFromEitherSide) {
  const Set s(every_kind());
  constexpr double kHair = 1e-9;
  for (const std::string& name : s.signals.names())
    for (double t : {0.0, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0}) {
      const SignalValue left = s.at(name, t, Side::left), right = s.at(name, t, Side::right);
      const SignalValue before = s.at(name, t - kHair), after = s.at(name, t + kHair);
      EXPECT_NEAR(left.value, before.value, 1e-6) << name << " at " << t;  // slopes up to 300
      EXPECT_NEAR(right.value, after.value, 1e-6) << name << " at " << t;
      if (name == "constant" || name == "steps" || name == "ramps" || name == "table" || name == "csv" || name == "sine") {
        EXPECT_NEAR(left.rate, before.rate, 1e-6) << name << " at " << t;
        EXPECT_NEAR(right.rate, after.rate, 1e-6) << name << " at " << t;
      }
    }
}

TEST(Signal, StepsHoldFromEachTimeOn) {
  const Set s(every_kind());
  EXPECT_EQ(s.value("steps", 0.999), -1);
  EXPECT_EQ(s.value("steps", 1, Side::left), -1);
  EXPECT_EQ(s.value("steps", 1, Side::right), 10);
  EXPECT_EQ(s.value("steps", 2.5, Side::left), 10);
  EXPECT_EQ(s.value("steps", 2.5, Side::right), 0);
  EXPECT_EQ(s.value("steps", 1e9), -10);
}

TEST(Signal, RampsJumpWhereTwoPointsShareATime) {
  const Set s(every_kind());
  EXPECT_EQ(s.value("ramps", -5), 1);
  EXPECT_DOUBLE_EQ(s.value("ramps", 0.25), 1.5);
  EXPECT_EQ(s.value("ramps", 1, Side::left), 3);
  EXPECT_EQ(s.value("ramps", 1, Side::right), -2);
  EXPECT_DOUBLE_EQ(s.value("ramps", 2.5), 1);
  EXPECT_EQ(s.value("ramps", 9), 4);
  EXPECT_EQ(s.at("ramps", 9).rate, 0);
}

TEST(Signal, AJumpAtTheFirstOrLastPointIsOne) {
  const Set s({{"first", RampsSignal{{{1, 0}, {1, 5}, {2, 6}}}}, {"last", RampsSignal{{{0, 0}, {1, 1}, {1, 7}}}}});
  EXPECT_EQ(s.value("first", 1, Side::left), 0);
  EXPECT_EQ(s.value("first", 1, Side::right), 5);
  EXPECT_EQ(s.at("first", 1, Side::left).rate, 0);
  EXPECT_EQ(s.value("last", 1, Side::left), 1);
  EXPECT_EQ(s.at("last", 1, Side::left).rate, 1);
  EXPECT_EQ(s.value("last", 1, Side::right), 7);
  EXPECT_EQ(s.at("last", 1, Side::right).rate, 0);
}

TEST(Signal, TablesPassTheirPointsAndHoldOutside) {
  const Set s(every_kind());
  for (const char* name : {"table", "smooth"}) {
    const bool smooth = std::string(name) == "smooth";
    const Points points = smooth ? Points{{0, 0}, {1, 1}, {1.5, 4}, {3, 5}, {4, 5}, {6, 2}} : Points{{0, 1}, {1, 2}, {4, 0}};
    for (const auto& [t, y] : points)
      for (Side side : {Side::left, Side::right}) EXPECT_DOUBLE_EQ(s.value(name, t, side), y) << name << t;
    EXPECT_EQ(s.value(name, -1), points.front()[1]);
    EXPECT_EQ(s.value(name, 10), points.back()[1]);
  }
  EXPECT_DOUBLE_EQ(s.value("table", 2.5), 1);
}

TEST(Signal, SmoothTablesHaveNoCornersAndKeepTheDataMonotone) {
  const Set s(every_kind());
  for (double t : {0.0, 1.0, 1.5, 3.0, 4.0, 6.0}) {
    EXPECT_NEAR(s.at("smooth", t, Side::left).rate, s.at("smooth", t, Side::right).rate, 1e-14) << t;
    EXPECT_NEAR(s.at("smooth", t - 1e-9).rate, s.at("smooth", t + 1e-9).rate, 1e-6) << t;
  }
  for (double t = 0; t < 3; t += 1e-3) ASSERT_GE(s.at("smooth", t).rate, -1e-14) << t;    // rising data
  for (double t = 3; t < 4; t += 1e-3) ASSERT_NEAR(s.value("smooth", t), 5, 1e-14) << t;  // flat data
  for (double t = 4; t < 6; t += 1e-3) ASSERT_LE(s.at("smooth", t).rate, 1e-14) << t;     // falling data
}

TEST(Signal, SineStandsStillBeforeItsStart) {
  const Set s(every_kind());
  const double start = 1 + 2 * std::sin(0.3);
  EXPECT_DOUBLE_EQ(s.value("sine", 0), start);
  EXPECT_EQ(s.at("sine", 0).rate, 0);
  EXPECT_DOUBLE_EQ(s.value("sine", 1.25), start);
  EXPECT_NEAR(s.value("sine", 1.25 + 2), start, 1e-15);  // a period of 2 s later
  EXPECT_NEAR(s.value("sine", 1.25 + 0.5), 1 + 2 * std::cos(0.3), 1e-15);
  EXPECT_DOUBLE_EQ(s.at("sine", 1.25 + 2).rate, 2 * std::numbers::pi * std::cos(0.3));
}

TEST(Signal, CsvPointsAreScaled) {
  const Set s(every_kind());
  EXPECT_EQ(s.value("csv", 0), -2);
  EXPECT_DOUBLE_EQ(s.value("csv", 1), -6);
  EXPECT_EQ(s.value("csv", 5), -10);
  EXPECT_DOUBLE_EQ(s.value("smooth_csv", 1), 10);
}

TEST(Signal, SumsAddAndProductsMultiply) {
  const Set s(every_kind());
  for (double t : {0.3, 1.7, 2.9, 4.4})
    for (Side side : {Side::left, Side::right}) {
      const double product = s.value("sine", t, side) * s.value("smooth", t, side) * s.value("steps", t, side) * s.value("table", t, side);
      EXPECT_DOUBLE_EQ(s.value("product", t, side), product);
      EXPECT_DOUBLE_EQ(s.value("sum", t, side), product + s.value("ramps", t, side) + s.value("sine", t, side));
    }
}

TEST(Signal, ASignalMayNameAnotherTwice) {
  const Set s({{"square", ProductSignal{{"t", "t"}}}, {"t", RampsSignal{{{0, 0}, {10, 10}}}}});
  EXPECT_DOUBLE_EQ(s.value("square", 3), 9);
  EXPECT_DOUBLE_EQ(s.at("square", 3).rate, 6);
  EXPECT_DOUBLE_EQ(s.at("square", 3).acceleration, 2);
}

TEST(Signal, JumpsAreCollectedInOrder) {
  const Set s(every_kind());
  EXPECT_EQ(s.jumps("steps"), (std::vector<double>{1, 2.5, 5}));
  EXPECT_EQ(s.jumps("ramps"), (std::vector<double>{1}));
  EXPECT_EQ(s.jumps("product"), (std::vector<double>{1, 2.5, 5}));
  EXPECT_EQ(s.jumps("sum"), (std::vector<double>{1, 2.5, 5}));
  for (const char* name : {"constant", "table", "smooth", "sine", "csv"}) EXPECT_TRUE(s.jumps(name).empty()) << name;
}

TEST(Signal, TwoPointsAlikeAtOneTimeAreNoJump) {
  const Set s({{"corner", RampsSignal{{{0, 0}, {1, 1}, {1, 1}, {2, 0}}}}});
  EXPECT_TRUE(s.jumps("corner").empty());
  EXPECT_EQ(s.at("corner", 1, Side::left).rate, 1);
  EXPECT_EQ(s.at("corner", 1, Side::right).rate, -1);
}

TEST(Signal, CyclesAndUnknownNamesAreRefused) {
  EXPECT_THROW(Set({{"a", SumSignal{{"b"}}}, {"b", ProductSignal{{"c"}}}, {"c", SumSignal{{"a"}}}}), Error);
  EXPECT_THROW(Set({{"a", SumSignal{{"a"}}}}), Error);
  EXPECT_THROW(Set({{"a", SumSignal{{"nobody"}}}}), Error);
}

TEST(Signal, PlainNumbersBecomeNamelessSignals) {
  SignalSet s(every_kind());
  const int size = s.size();
  const SignalIndex k = s.add_constant(7.5);
  EXPECT_EQ(k, size);
  EXPECT_EQ(s.evaluate(k, -3, Side::left, nullptr).value, 7.5);
  EXPECT_EQ(s.find(""), -1);
  EXPECT_EQ(s.find("nobody"), -1);
  EXPECT_EQ(s.find("steps"), 1);
}

TEST(Corners, AreWhereAValueOrASlopeJumps) {
  NamedList<SignalDescription> list;
  list.emplace_back("ramps", RampsSignal{{{{0.5, 0.0}}, {{0.8, 10.0}}, {{4.7, 10.0}}}});
  list.emplace_back("steps", StepsSignal{{{{1.0, 2.0}}, {{3.0, 4.0}}}, 0});
  list.emplace_back("smooth", TableSignal{{{{0.0, 0.0}}, {{1.5, 1.0}}, {{2.0, 0.0}}}, true});
  list.emplace_back("sine", SineSignal{1, 1, 0, 0, 0.25});
  list.emplace_back("all", SumSignal{{"ramps", "steps", "smooth", "sine"}});
  const SignalSet signals(list);
  const auto corners = [&](const char* name) { return signals.corners(signals.find(name)); };
  EXPECT_EQ(corners("ramps"), (std::vector{0.5, 0.8, 4.7}));
  EXPECT_EQ(corners("steps"), (std::vector{1.0, 3.0}));
  EXPECT_EQ(corners("smooth"), (std::vector{0.0, 2.0}));  // between them its slope is continuous
  EXPECT_EQ(corners("sine"), (std::vector{0.25}));
  EXPECT_EQ(corners("all"), (std::vector{0.0, 0.25, 0.5, 0.8, 1.0, 2.0, 3.0, 4.7}));
}

TEST(RateLimit, FollowsTheSignalWhereItMay) {
  const Points jump{{0, 0}, {1, 0}, {1, 2}, {5, 2}};  // at 1/s: reached at 3
  EXPECT_EQ(rate_limited(jump, 1), (Points{{0, 0}, {1, 0}, {3, 2}, {5, 2}}));
  EXPECT_EQ(rate_limited({{0, 0}, {1, 3}, {2, 3}}, 1.5), (Points{{0, 0}, {1, 1.5}, {2, 3}}));  // too steep, caught later
  EXPECT_EQ(rate_limited({{0, 0}, {1, 3}}, 1), (Points{{0, 0}, {1, 1}, {3, 3}}));              // caught after the end
  EXPECT_EQ(rate_limited({{0, 0}, {2, 1}, {4, 0}}, 1), (Points{{0, 0}, {2, 1}, {4, 0}}));      // slow enough
  EXPECT_EQ(rate_limited({{0, 4}}, 1), (Points{{0, 4}}));
  EXPECT_TRUE(rate_limited({}, 1).empty());
  // against a fine simulation of y' = clamp((u - y) / dt, -r, r)
  const Points u{{0, 1}, {0.5, 4}, {0.5, -2}, {1.5, 3}, {2, 3}, {2, 0}, {2.2, -3}, {4, 5}};
  for (const double rate : {0.7, 2.5, 6.0}) {
    const SignalSet set({{"u", RampsSignal{u}}, {"y", RampsSignal{rate_limited(u, rate)}}});
    constexpr double kStep = 1e-5;
    double y = 1, worst = 0;
    for (int i = 1; i <= 600000; ++i) {
      const double t = i * kStep;
      y += std::clamp(set.evaluate(0, t, Side::right, nullptr).value - y, -rate * kStep, rate * kStep);
      worst = std::max(worst, std::abs(y - set.evaluate(1, t, Side::right, nullptr).value));
    }
    EXPECT_LT(worst, 2e-4) << rate;  // of the simulation: the largest slope, 15/s, times its step
  }
}

}  // namespace
}  // namespace trunnion
