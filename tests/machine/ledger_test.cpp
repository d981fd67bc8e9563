// The energy ledger of whole runs. Reference: its channels integrated independently, conservation, the order of the integration rule.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine/ledger.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "results/run_case.h"
#include "support/machines.h"

namespace trunnion {
namespace {

using test::busy_machine;
using test::load_example;
using test::model_from;

const std::vector<double>& column(const Recording& r, const std::string& name) {
  const int index = r.find(name);
  EXPECT_GE(index, 0) << name;
  return r.columns[static_cast<std::size_t>(std::max(index, 0))];
}

double largest(const Extremes& e) { return std::max(e.max, -e.min); }

TEST(Ledger, WorkAndDriftAreThoseOfTheChannels) {
  const CaseResult result = run_case(load_example("four_bar", {"solver.duration=3 s"}));
  ASSERT_FALSE(result.failure);
  const Recording& r = result.recorder->recording();
  const auto &time = column(r, "time"), &force = column(r, "lift.force"), &rate = column(r, "lift.rate"),
             &kinetic = column(r, "energy.kinetic"), &potential = column(r, "energy.potential"), &drift = column(r, "energy.drift"),
             &work = column(r, "energy.actuator_work");
  double sum = 0, lowest = 0, lowest_time = 0;
  for (std::size_t k = 1; k < time.size(); ++k) {
    sum += 0.5 * (time[k] - time[k - 1]) * (force[k] * rate[k] + force[k - 1] * rate[k - 1]);
    ASSERT_NEAR(work[k], sum, 1e-9);
    ASSERT_NEAR(drift[k], kinetic[k] + potential[k] - kinetic[0] - potential[0] - sum, 1e-8);
    if (sum < lowest) {
      lowest = sum;
      lowest_time = time[k];
    }
  }
  const Extremes& range = result.recorder->ledger().actuator_ranges().front();
  EXPECT_NEAR(range.min, lowest, 1e-9);
  EXPECT_EQ(range.min_time, lowest_time);
}

TEST(Ledger, ResidualIsOfSecondOrder) {
  for (bool spatial : {false, true}) {
    const auto residual = [&](const char* step) {
      const CaseResult result = run_case(model_from(busy_machine(spatial), {step, "solver.oil_rule=alpha"}));  // parts: smaller
      EXPECT_FALSE(result.failure);
      return largest(result.recorder->ledger().residual_range());
    };
    const double coarse = residual("solver.step=0.2 ms"), fine = residual("solver.step=0.1 ms");
    EXPECT_GT(coarse / fine, 3.5);
    EXPECT_LT(coarse / fine, 4.5);
  }
}

TEST(Ledger, FourBarClosesAndDriftsLessThanPublished) {
  const CaseResult result = run_case(load_example("four_bar"));
  const Ledger& ledger = result.recorder->ledger();
  EXPECT_LT(ledger.closed_to_percent(), 1e-3);
  EXPECT_LT(largest(ledger.drift_range()) / largest(ledger.actuator_range()), 0.0037);  // the paper's 0.37 %
  EXPECT_NEAR(-ledger.actuator_range().min, 121, 0.005 * 121);                          // the paper's 121 J
  // the actuator's work equals the oil's loss: the balance of the whole machine closes
  const LedgerTotals& t = ledger.totals();
  EXPECT_NEAR(t.supply - t.tank_return, t.throttling + t.friction + t.oil + t.actuator, 1e-4 * t.supply);
}

/// A machine at rest has no drift in percent: rounding over rounding; a moving one has.
TEST(Ledger, RoundingIsNoShare) {
  for (const bool moves : {false, true}) {
    const CaseResult result = run_case(load_example("four_bar", {moves ? "solver.duration=3" : "solver.duration=0.02"}));
    ASSERT_FALSE(result.failure);
    const Ledger& ledger = result.recorder->ledger();
    EXPECT_EQ(ledger.drift_of_work().has_value(), moves) << largest(ledger.actuator_range());
    EXPECT_GT(largest(ledger.drift_range()), 0);
  }
}

TEST(Ledger, PendulumKeepsItsEnergy) {
  const CaseResult result = run_case(model_from(R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {rod: {rod: {length: 1 m, mass: 2 kg}}}
joints: {rod: {revolute: {parent: ground, axis: z}, angle: 10 deg}}
solver: {step: 1 ms, duration: 5 s}
)"));
  const Ledger& ledger = result.recorder->ledger();
  EXPECT_LT(ledger.closed_to_percent(), 1e-3);
  EXPECT_EQ(ledger.totals().actuator, 0);
  EXPECT_DOUBLE_EQ(ledger.drift(), ledger.residual());
}

TEST(Ledger, AJumpOfALoadCountsFromItsRightLimit) {
  // constant force from 0.25 s on, along a slide: work = F x to rounding, because the power is linear in time
  const CaseResult result = run_case(model_from(R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {block: {point_mass: {mass: 2 kg}}}
joints: {block: {prismatic: {parent: ground, axis: x}, position: 0, speed: 1 m/s}}
forces: {push: {joint: block, load: 6 N, signal: on}}
signals: {on: {steps: [[0.25 s, 1]]}}
solver: {step: 0.1 s, duration: 1 s}
)"));
  const double t = 0.75, x = t + 0.5 * 3 * t * t;
  EXPECT_NEAR(result.recorder->ledger().totals().external, 6 * x, 1e-12);
  EXPECT_NEAR(result.recorder->ledger().residual(), 0, 1e-12);
}

TEST(Extremes, StartAtZeroAndKeepTheFirstOfEquals) {
  Extremes e;
  e.add(-1, 1);
  e.add(2, 2);
  e.add(2, 3);
  e.add(-0.5, 4);
  EXPECT_EQ(e.max, 2);
  EXPECT_EQ(e.max_time, 2);
  EXPECT_EQ(e.min, -1);
  EXPECT_EQ(e.min_time, 1);
}

}  // namespace
}  // namespace trunnion
