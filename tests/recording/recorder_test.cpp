// Recordings of evaluations, and their text in C.
// SPDX-License-Identifier: BSD-3-Clause
#include "recording/recorder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <stdexcept>
#include <utility>

#include "recording/c_source.h"
#include "recording/evaluation.h"

namespace recording {
namespace {

constexpr int kDone = 0;

/// Follows f at x; what it gives.
Real follow(Recorder& recording, Real x, const std::function<Number(const Number&)>& f, std::vector<Recorder::Turn> turns = {}) {
  recording.begin(std::move(turns));
  const Number y = f(recording.input({InputKind::state, 0}, x));
  recording.end(kDone, {y});
  return y.value();
}

CFunction function(const Recorder& recording) { return c_function(recording, "f", {.converged = kDone, .numbers = 1}); }
std::string text(const Recorder& recording) { return function(recording).text; }
bool has(const Recorder& recording, const std::string& part) { return text(recording).find(part) != std::string::npos; }

TEST(Recorder, EqualOperationsAndThoseOnConstantsAreNotRepeated) {
  Recorder recording;
  const auto f = [](const Number& x) { return sin(x) * sin(x) + (x + 0) * 1 - x * 0 + Number(2) * Number(3); };
  EXPECT_DOUBLE_EQ(follow(recording, 0.5, f), std::sin(0.5) * std::sin(0.5) + 0.5 + 6);
  EXPECT_EQ(function(recording).operations, 4);  // the sine, its square, two sums
  EXPECT_DOUBLE_EQ(follow(recording, 0.7, f), std::sin(0.7) * std::sin(0.7) + 0.7 + 6);
  EXPECT_EQ(recording.ways(), 1);
  EXPECT_TRUE(has(recording, "sin(v0)"));
  EXPECT_TRUE(has(recording, "+ 6.0"));
}

TEST(Recorder, LimitedFunctionsHaveTheWaysTakenMost) {
  Recorder recording;
  const auto f = [](const Number& x) -> Number {
    if (x < 0) return sin(cos(x)) + 2;
    return x > 2 ? x * x : x;
  };
  for (const Real x : {1.0, 1.5, 1.7, 3.0, 2.5, -1.0}) follow(recording, x, f);
  const CFunction all = function(recording), most = c_function(recording, "f", {.converged = kDone, .numbers = 1, .most_operations = 5});
  EXPECT_EQ(all.ways, 3);
  EXPECT_EQ(most.ways, 2);
  EXPECT_LT(most.operations, all.operations);
  EXPECT_NE(all.text.find("sin("), std::string::npos);
  EXPECT_EQ(most.text.find("sin("), std::string::npos);
  EXPECT_EQ(c_function(recording, "f", {.converged = kDone, .numbers = 0, .others = true}).text.find("x[0] ="), std::string::npos);
}

TEST(Recorder, EvaluationsFollowWhatIsRecorded) {
  Recorder recording;
  const auto f = [](const Number& x) -> Number {
    if (x < 0) return sin(x) + select(x < -1, Number(2), x);
    return x > 2 ? x * x / 3 : pow(x, Number(0.3)) - 1;
  };
  Evaluation evaluation(recording);
  const auto end = [&](Real x) { return evaluation.follow([&](const Input&) { return x; }); };
  EXPECT_EQ(end(1), -1);
  for (const Real x : {1.0, -0.5}) follow(recording, x, f);
  for (const Real x : {1.0, 0.25, 1.99, -0.5, -2.0}) {
    const int last = end(x);
    ASSERT_GE(last, 0) << x;
    EXPECT_TRUE(recording.blocks()[static_cast<std::size_t>(last)].ends);
    EXPECT_EQ(evaluation.result(0), f(x).value()) << x;
    EXPECT_TRUE(evaluation.close_turns().empty());
  }
  EXPECT_EQ(end(3), -1);
  ASSERT_GE(end(2), 0);
  ASSERT_EQ(evaluation.close_turns().size(), 1U);  // at 2 rounding errors decide
  const Recorder::Turn turn = evaluation.close_turns().front();
  follow(recording, 2, f, {turn});
  EXPECT_GE(end(3), 0);
  EXPECT_EQ(evaluation.result(0), 3);
  const long visits = recording.blocks()[static_cast<std::size_t>(evaluation.way().back())].visits;
  recording.count_visit(evaluation.way());
  EXPECT_EQ(recording.blocks()[static_cast<std::size_t>(evaluation.way().back())].visits, visits + 1);
}

TEST(Recorder, WaysBeyondTheLimitAreInTheTable) {
  Recorder recording;
  const auto f = [](const Number& x) -> Number {
    if (x < 0) return sin(cos(x)) + 2;
    return x > 2 ? x * x : x;
  };
  for (const Real x : {1.0, 1.5, 1.7, 3.0, 2.5, -1.0}) follow(recording, x, f);
  const CFunction all = c_function(recording, "f", {.converged = kDone, .numbers = 1, .table = true});
  EXPECT_EQ(all.table.text, "");
  const CFunction most = c_function(recording, "f", {.converged = kDone, .numbers = 1, .most_operations = 5, .table = true});
  EXPECT_EQ(most.ways, 2);
  EXPECT_EQ(most.table.ways, 1);
  EXPECT_NE(most.table.text.find("f_by_table("), std::string::npos);
  for (std::size_t i = 0; i < recording.blocks().size(); ++i)
    EXPECT_TRUE(!recording.blocks()[i].ends || most.blocks[i] != most.table.blocks[i]) << i;
}

TEST(Recorder, BranchesAreWays) {
  Recorder recording;
  const auto f = [](const Number& x) -> Number {
    if (x < 0) return -x;
    return x > 2 ? x * x : x;
  };
  follow(recording, -1, f);
  EXPECT_TRUE(has(recording, "return 1;"));  // of positive numbers nothing is known
  follow(recording, 1, f);
  follow(recording, 3, f);
  EXPECT_EQ(recording.ways(), 3);
  EXPECT_FALSE(has(recording, "return 1;"));
  follow(recording, 4, f);
  EXPECT_EQ(recording.ways(), 3);
}

TEST(Recorder, SelectionsAreNoBranches) {
  Recorder recording;
  const auto f = [](const Number& x) { return select(x < 0, -x, x * x); };
  EXPECT_EQ(follow(recording, -2, f), 2);
  EXPECT_EQ(follow(recording, 3, f), 9);
  EXPECT_EQ(recording.ways(), 1);
  EXPECT_TRUE(has(recording, "? "));
}

TEST(Recorder, TurnsLeadToTheOtherSide) {
  Recorder recording;
  const auto f = [](const Number& x) -> Number {
    if (x < 0) return -x;
    return x * x;
  };
  follow(recording, 1, f);
  EXPECT_TRUE(recording.open_turns().empty());  // this branch never went the other way
  follow(recording, 1, f, {{0, true}});
  EXPECT_EQ(recording.ways(), 2);
  EXPECT_FALSE(has(recording, "return 1;"));
  EXPECT_TRUE(has(recording, "= -v0"));
}

TEST(Recorder, NearlyEqualNumbersAreCloseTurns) {
  Recorder recording;
  const auto f = [](const Number& x) -> Number {
    if (x < 1) return -x;
    return x * x;
  };
  follow(recording, 2, f);
  EXPECT_TRUE(recording.close_turns().empty());
  follow(recording, 1 + 1e-12, f);
  ASSERT_EQ(recording.close_turns().size(), 1u);
  EXPECT_TRUE(recording.close_turns().front().side);
}

TEST(Recorder, WhatDependsOnParametersAloneIsPrepared) {
  Recorder recording;
  Number factor;
  const auto prepare = [&](Real p) {
    recording.begin_preparation();
    const Number parameter = recording.input({InputKind::parameter, 0}, p);
    factor = parameter < 0 ? -parameter : sin(parameter);
    recording.end_preparation();
  };
  const auto f = [&](const Number& x) { return x * (cos(factor) + 1) + select(factor < 2, x, 0); };
  prepare(0.5);
  EXPECT_DOUBLE_EQ(follow(recording, 3, f), 3 * (std::cos(std::sin(0.5)) + 1) + 3);
  prepare(0.7);
  EXPECT_DOUBLE_EQ(follow(recording, 3, f), 3 * (std::cos(std::sin(0.7)) + 1) + 3);
  EXPECT_EQ(recording.ways(), 1);
  const CFunction code = function(recording);
  EXPECT_EQ(code.text.find("cos("), std::string::npos);
  EXPECT_NE(code.text.find(" != 0) ? v"), std::string::npos) << code.text;
  EXPECT_NE(code.preparation.find("= cos("), std::string::npos);
  EXPECT_NE(code.preparation.find(") return 1;"), std::string::npos);
  EXPECT_EQ(code.prepared, 2);  // the cosine plus one, the comparison
  EXPECT_THROW(prepare(-1), std::runtime_error);
}

TEST(Recorder, MemoryOfAnEvaluationIsFound) {
  Recorder recording;
  Number kept = 1;
  const auto f = [&](const Number& x) { return std::exchange(kept, x * 2) + x; };
  follow(recording, 1, f);
  EXPECT_THROW(follow(recording, 2, f), std::runtime_error);
}

TEST(Recorder, PlainMemoryIsFound) {
  Recorder recording;
  Real factor = 1;
  const auto f = [&](const Number& x) { return x * ++factor; };
  follow(recording, 1, f);
  EXPECT_THROW(follow(recording, 2, f), std::runtime_error);
}

TEST(Recorder, NumbersThatLeaveTheRecordingAreFound) {
  Recorder recording;
  EXPECT_THROW(follow(recording, 1.5, [](const Number& x) { return x * static_cast<int>(x); }), std::runtime_error);
}

}  // namespace
}  // namespace recording
