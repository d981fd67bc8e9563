// Verdicts on balances. Reference: machines with known energy, run with steps that cannot resolve them.
// SPDX-License-Identifier: BSD-3-Clause
#include "results/balances.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "results/run_case.h"
#include "support/machines.h"

namespace trunnion {
namespace {

using Json = nlohmann::json;
using test::kPendulum;
using test::kSpinningBody;
using test::kStoppedPump;

TEST(Balances, ABodyThatGainsEnergyFromNothingFails) {
  const CaseResult result = run_case(test::model_from(kSpinningBody));
  ASSERT_TRUE(result.failure);
  const std::string text = result.failure->what();
  EXPECT_EQ(result.failure->equations(), "the energy balance") << text;
  EXPECT_NE(text.find("solver.allow_open_balance: true"), std::string::npos) << text;
  EXPECT_EQ(result.end_time, 0.3);
  EXPECT_EQ(result.recorder->recording().rows(), 301U);  // all results are kept
  EXPECT_GT(result.recorder->ledger().closed_to_percent(), 20);
  EXPECT_LE(result.recorder->ledger().closed_to_percent(), 100);
  // with a resolving step it conserves energy; the balance is relative to that energy although no power acts
  const CaseResult fine = run_case(test::model_from(kSpinningBody, {"solver.step=0.01 ms", "solver.duration=0.05"}));
  EXPECT_FALSE(fine.failure) << fine.failure->what();
  EXPECT_LT(fine.recorder->ledger().closed_to_percent(), 1);
}

TEST(Balances, AnOpenBalanceMayBeAllowed) {
  const CaseResult failed = run_case(test::model_from(kPendulum, {"solver.step=1 s", "solver.duration=50"}));
  ASSERT_TRUE(failed.failure);
  EXPECT_NE(std::string(failed.failure->what()).find("smaller solver.step (now 1 s)"), std::string::npos) << failed.failure->what();
  const CaseResult allowed =
      run_case(test::model_from(kPendulum, {"solver.step=1 s", "solver.duration=50", "solver.allow_open_balance=true"}));
  EXPECT_FALSE(allowed.failure);
  ASSERT_FALSE(allowed.warnings.empty());
  EXPECT_EQ(allowed.warnings.back().rfind("the energy balance: an error of ", 0), 0U) << allowed.warnings.back();
  EXPECT_EQ(failed.recorder->recording().columns, allowed.recorder->recording().columns);
}

TEST(Balances, AStepLongerThanTheRunIsTheRun) {
  const CaseResult failed = run_case(test::model_from(kPendulum, {"solver.step=1 s", "solver.duration=50"}));
  const BalanceVerdict verdict = judge_balances(failed.model->description, failed.recorder->ledger(), 0.7);
  ASSERT_TRUE(verdict.failure);
  EXPECT_NE(std::string(verdict.failure->what()).find("smaller solver.step (now 0.7 s)"), std::string::npos) << verdict.failure->what();
}

TEST(Balances, BetweenOneAndTwentyPercentIsAWarning) {
  const CaseResult result = run_case(test::model_from(kPendulum, {"solver.step=0.3 s", "solver.duration=3.3"}));
  EXPECT_FALSE(result.failure) << result.failure->what();
  EXPECT_GT(result.recorder->ledger().closed_to_percent(), 1);
  EXPECT_LT(result.recorder->ledger().closed_to_percent(), 20);
  ASSERT_FALSE(result.warnings.empty());
  EXPECT_EQ(result.warnings.back().rfind("the energy balance", 0), 0U) << result.warnings.back();
}

TEST(Balances, PressuresThatSwingAreARuleError) {
  const CaseResult papers = run_case(test::model_from(kStoppedPump, {"solver.oil_rule=trapezoidal"}));
  ASSERT_TRUE(papers.failure);
  EXPECT_EQ(papers.failure->equations(), "the oil balance");
  EXPECT_LT(*papers.recorder->ledger().oil_error(), 1e-6);
  EXPECT_GT(*papers.recorder->ledger().oil_rule_error(), 20);
  const CaseResult right = run_case(test::model_from(kStoppedPump));
  EXPECT_FALSE(right.failure) << right.failure->what();
  EXPECT_EQ(right.warnings, std::vector<std::string>{});
  EXPECT_LT(*right.recorder->ledger().oil_rule_error(), 0.1);
}

/// Rule errors of energy and oil decrease with the square of the step.
TEST(Balances, RuleErrorsAreOfSecondOrder) {
  const auto errors = [](const char* step) {
    const CaseResult r = run_case(test::load_example("four_bar", {step, "solver.duration=2"}));
    EXPECT_FALSE(r.failure);
    return std::pair(*r.recorder->ledger().energy_rule_error(), *r.recorder->ledger().oil_rule_error());
  };
  const auto [energy, oil] = errors("solver.step=1 ms");
  const auto [half_energy, half_oil] = errors("solver.step=0.5 ms");
  EXPECT_GT(energy / half_energy, 3);
  EXPECT_LT(energy / half_energy, 5);
  EXPECT_GT(oil / half_oil, 3);
  EXPECT_LT(oil / half_oil, 5);
}

/// Rounding relative to rounding is not a result.
TEST(Balances, AMachineAtRestHasNoFigure) {
  const CaseResult result = run_case(test::model_from(kPendulum, {"joints.a.angle=-90 deg", "solver.step=1 ms", "solver.duration=1"}));
  EXPECT_FALSE(result.failure);
  EXPECT_EQ(result.recorder->ledger().energy_error(), std::nullopt);
  EXPECT_EQ(result.recorder->ledger().oil_error(), std::nullopt);
  EXPECT_EQ(result.recorder->ledger().closed_to_percent(), 0);
  EXPECT_TRUE(Json::parse(summary_json(result, "", 0))["energy"]["closed_to_percent"].is_null());
  EXPECT_NE(summary_text(result, 0).find("no energy was transferred"), std::string::npos) << summary_text(result, 0);
}

/// Two motions that a gear cannot follow both: the constraints are violated and drive the machine.
TEST(Balances, ContradictoryMotionsAreNamed) {
  const CaseResult result = run_case(test::model_from(R"(
trunnion: 1
bodies: {a: {rod: {length: 1, mass: 1, diameter: 0.1}}, b: {rod: {length: 1, mass: 1, diameter: 0.1}}}
joints: {a: {revolute: {parent: ground}}, b: {revolute: {parent: ground, at: [1, 0, 0]}}}
couplings: {g: {joints: [a, b], ratio: 2}}
signals: {x: {ramps: [[0, 0], [1, 1]]}, y: {ramps: [[0, 0], [1, 3]]}}
motions: {m: {joint: a, signal: x}, n: {joint: b, signal: y}}
solver: {step: 1 ms, duration: 1}
)"));
  ASSERT_TRUE(result.failure);
  EXPECT_EQ(result.failure->equations(), "the constraints");
  EXPECT_NE(std::string(result.failure->what()).find("consistent motions"), std::string::npos) << result.failure->what();
}

TEST(Balances, OnlyRunsWhoseStepsTheLedgerSeesAreJudged) {
  EXPECT_TRUE(balances_are_judged(test::load_example("four_bar")->description));
  EXPECT_FALSE(
      balances_are_judged(test::load_example("four_bar", {"solver.constraints=double_step", "solver.integrator=cvode"})->description));
  EXPECT_FALSE(balances_are_judged(test::load_example("four_bar", {"solver.coupling=cosimulation"})->description));
}

/// A motor between a volume and the tank: it removes its displacement from the volume.
TEST(Balances, OilThatAMotorTakesIsCounted) {
  const CaseResult result = run_case(test::model_from(R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {drum: {inertia: [1, 1, 1], mass: 5}}
joints: {drum: {revolute: {parent: ground}}}
volumes: {inlet: {volume: 1 L, pressure: 1 bar}}
sources: {pump: {pressure: 100 bar}, tank: {pressure: 1 bar}}
valves: {throttle: {orifice: {A: pump, B: inlet, diameter: 3 mm}}}
motors: {drive: {joint: drum, displacement: 100 cm^3/rev, volume: 0.05 L, viscous: 2 N m s/rad, A: inlet, B: tank}}
solver: {step: 0.5 ms, duration: 2}
)"));
  EXPECT_FALSE(result.failure) << result.failure->what();
  ASSERT_TRUE(result.recorder->ledger().oil_error());
  EXPECT_LT(*result.recorder->ledger().oil_error(), 0.5);
  EXPECT_NE(summary_text(result, 0).find("peak net work of the motors"), std::string::npos) << summary_text(result, 0);
  EXPECT_EQ(result.warnings, std::vector<std::string>{});
}

}  // namespace
}  // namespace trunnion
