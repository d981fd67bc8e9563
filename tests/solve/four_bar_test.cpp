// The four-bar of the friction paper compared with an independent solution: minimal coordinate, Radau IIA of
// order 9, switching instants and kinks located (tests/problems/four_bar_reference.h; tables in tests/data).
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "file/model_file.h"
#include "problems/reference_table.h"
#include "run/run.h"

namespace trunnion {
using problems::read_reference_table;
using problems::ReferenceTable;

namespace {

const char* const kModels[] = {"bengisu_akay", "brown_mcphee", "lugre", "modified_lugre"};

std::shared_ptr<const CompiledModel> four_bar(const std::vector<std::string>& settings) {
  std::vector<Override> overrides;
  for (const std::string& setting : settings) overrides.push_back(parse_override(setting));
  return compile(load_model(std::string(TRUNNION_SOURCE_DIR) + "/examples/four_bar.yaml", overrides));
}

/// Largest differences to the reference over the rows of its table.
struct Errors {
  double angle = 0;     // [rad]
  double pressure = 0;  // [Pa] over the three volumes
  double violation = 0, velocity_violation = 0;
  std::vector<double> angle_at;  // [rad] signed, per row
};

Errors compare(const std::string& friction, const std::string& step, const std::vector<std::string>& more = {}) {
  std::vector<std::string> settings{"cylinders.lift.friction.model=" + friction, "solver.step=" + step};
  settings.insert(settings.end(), more.begin(), more.end());
  const auto model = four_bar(settings);
  const ReferenceTable table = read_reference_table("four_bar_" + friction);
  Runner run(model);
  Errors e;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    run.advance(table.at(row, "time"));
    const StateVector& s = run.state();
    e.angle_at.push_back(s.q()[0] - table.at(row, "crank.angle"));
    e.angle = std::max(e.angle, std::abs(e.angle_at.back()));
    for (int i = 0; i < 3; ++i)
      e.pressure = std::max(e.pressure, std::abs(s.y()[i] - table.at(row, "v" + std::to_string(i + 1) + ".pressure")));
  }
  e.violation = run.statistics().max_violation;
  e.velocity_violation = run.statistics().max_velocity_violation;
  return e;
}

class FourBar : public ::testing::TestWithParam<const char*> {};

TEST_P(FourBar, AtOneMillisecondFollowsTheReference) {
  const Errors e = compare(GetParam(), "1 ms");
  EXPECT_LT(e.angle, 6e-5);
  EXPECT_LT(e.pressure, 120e3);
}

TEST_P(FourBar, AtATenthOfAMillisecondFollowsTheReference) {
  const Errors e = compare(GetParam(), "0.1 ms");
  EXPECT_LT(e.angle, 1e-6);
  EXPECT_LT(e.pressure, 2e3);
}

TEST_P(FourBar, KeepsTheLoopClosedThroughout) {
  const Errors e = compare(GetParam(), "1 ms");
  EXPECT_LT(e.violation, 1e-10);
  EXPECT_LT(e.velocity_violation, 1e-7);
}

TEST_P(FourBar, ConvergesWithOrderTwoAwayFromKinks) {
  // rows during motion and rest, half a second or more after a switch of the valve
  const Errors coarse = compare(GetParam(), "0.5 ms"), fine = compare(GetParam(), "0.25 ms");
  double sum_coarse = 0, sum_fine = 0;
  for (std::size_t row = 0; row < coarse.angle_at.size(); ++row) {
    const double t = 0.01 * static_cast<double>(row);
    if ((t > 1.5 && t < 2.5) || (t > 5.5 && t < 8.0)) {
      sum_coarse += coarse.angle_at[row] * coarse.angle_at[row];
      sum_fine += fine.angle_at[row] * fine.angle_at[row];
    }
  }
  EXPECT_NEAR(0.5 * std::log2(sum_coarse / sum_fine), 2.0, 0.1);
}

INSTANTIATE_TEST_SUITE_P(FrictionModels, FourBar, ::testing::ValuesIn(kModels),
                         [](const auto& parameter) { return std::string(parameter.param); });

TEST(FourBarTangent, ForwardDifferencesLeadToTheSameMotion) {
  for (const char* friction : kModels) {
    Runner exact(four_bar({std::string("cylinders.lift.friction.model=") + friction}));
    Runner difference(four_bar({std::string("cylinders.lift.friction.model=") + friction, "solver.tangent=forward_difference"}));
    for (int i = 1; i <= 100; ++i) {
      exact.advance(0.1 * i);
      difference.advance(0.1 * i);
      EXPECT_NEAR(exact.state().q()[0], difference.state().q()[0], 1e-6) << friction;
    }
  }
}

TEST(FourBarFriction, LocalIntegrationOfItsStatesIsTheMonolithicSolution) {
  for (const char* friction : {"lugre", "modified_lugre"}) {
    Runner monolithic(four_bar({std::string("cylinders.lift.friction.model=") + friction}));
    Runner local(four_bar({std::string("cylinders.lift.friction.model=") + friction, "cylinders.lift.friction.states=local"}));
    for (int i = 1; i <= 100; ++i) {
      monolithic.advance(0.1 * i);
      local.advance(0.1 * i);
      EXPECT_NEAR(monolithic.state().q()[0], local.state().q()[0], 1e-7) << friction;
    }
  }
}

TEST(FourBarStart, PressuresBalanceTheWeight) {
  const auto model = four_bar({});
  const Runner run(model);
  // -386.00 N by virtual work, p3 = 3.5 MPa
  const double area_A = M_PI / 4 * 0.08 * 0.08, area_B = area_A - M_PI / 4 * 0.035 * 0.035;
  EXPECT_NEAR(run.state().y()[0] * area_A - 3.5e6 * area_B, -386.004887437, 1e-5);
  EXPECT_DOUBLE_EQ(run.state().y()[0], run.state().y()[1]);
  EXPECT_DOUBLE_EQ(run.state().q()[0], 60 * M_PI / 180);  // locked
}

TEST(FourBarStart, RestStaysAtRest) {
  Runner run(four_bar({}));
  run.advance(1.0);
  EXPECT_NEAR(run.state().q()[0], 60 * M_PI / 180, 1e-12);
  EXPECT_NEAR(run.state().y()[1], 2753284.89263, 1e-2);
}

}  // namespace
}  // namespace trunnion
