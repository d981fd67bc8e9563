// The cranes of the co-simulation paper, and the one with a third link, monolithic, compared with independent solutions:
// minimal coordinates, Radau IIA, boundaries of the end dampers located (tests/problems/crane_reference.h; tables in tests/data). As
// printed, an end damper's force jumps at the boundary of its zone. A step does not locate it, so that the error made there depends on
// its position in the step; the order is measured before the first stop.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "file/model_file.h"
#include "problems/reference_table.h"
#include "run/run.h"

namespace trunnion {
using problems::read_reference_table;
using problems::ReferenceTable;

namespace {

constexpr double kFirstStop = 3.2;  // [s] before any cylinder of any crane reaches an end damper

std::shared_ptr<const CompiledModel> crane(const std::string& name, const std::vector<std::string>& settings = {}) {
  std::vector<Override> overrides;
  for (const std::string& setting : settings) overrides.push_back(parse_override(setting));
  return compile(load_model(std::string(TRUNNION_SOURCE_DIR) + "/examples/" + name + ".yaml", overrides));
}

/// Length [m] of a cylinder from the joint angles, by the cosine law: lift, tilt, fold.
double length_of(int cylinder, const StateVector& s) {
  const double c = std::cos(s.q()[cylinder]);
  return std::sqrt(cylinder == 0 ? 1 - std::sqrt(0.75) * c : cylinder == 1 ? 0.3125 + 0.25 * c : 0.405 + 0.405 * c);
}
constexpr const char* kCylinders[] = {"lift", "tilt", "fold"};
constexpr const char* kBodies[] = {"boom", "jib", "stick"};

/// Largest differences to the table.
struct Errors {
  double length = 0, early_length = 0;  // [m] of all cylinders; before the first stop
  double angle = 0;                     // [rad] of boom, jib and stick
  double pressure = 0;                  // [Pa]
};

Errors compare(const std::string& name, const std::vector<std::string>& settings) {
  const auto model = crane(name, settings);
  const ReferenceTable table = read_reference_table(name);
  Runner run(model);
  Errors e;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const double t = table.at(row, "time");
    run.advance(t);
    const StateVector& s = run.state();
    double length = 0;
    for (int i = 0; i < static_cast<int>(model->hydraulics.actuators.size()); ++i)
      length = std::max(length, std::abs(length_of(i, s) - table.at(row, std::string(kCylinders[i]) + ".length")));
    e.length = std::max(e.length, length);
    if (t < kFirstStop) e.early_length = std::max(e.early_length, length);
    for (int i = 0; i < model->layout.nv; ++i)
      e.angle = std::max(e.angle, std::abs(s.q()[i] - table.at(row, std::string(kBodies[i]) + ".angle")));
    for (std::size_t i = 0; i < model->hydraulics.volumes.size(); ++i)
      e.pressure = std::max(e.pressure, std::abs(s.y()[i] - table.at(row, model->hydraulics.nodes[i].name + ".pressure")));
  }
  return e;
}

class Crane : public ::testing::TestWithParam<const char*> {};

TEST_P(Crane, AtOneMillisecondFollowsTheReference) {
  const Errors e = compare(GetParam(), {"solver.step=1 ms"});
  EXPECT_LT(e.length, 1e-6);
  EXPECT_LT(e.angle, 1e-5);
  EXPECT_LT(e.pressure, 5e3);
}

TEST_P(Crane, AtATenthOfAMillisecondFollowsTheReference) {
  const Errors e = compare(GetParam(), {"solver.step=0.1 ms"});
  EXPECT_LT(e.length, 1e-7);
  EXPECT_LT(e.angle, 5e-7);
  EXPECT_LT(e.pressure, 500);
}

TEST_P(Crane, ConvergesWithOrderTwoBeforeTheFirstStop) {
  const Errors coarse = compare(GetParam(), {"solver.step=1 ms"}), fine = compare(GetParam(), {"solver.step=0.25 ms"});
  EXPECT_NEAR(0.5 * std::log2(coarse.early_length / fine.early_length), 2.0, 0.05);
}

TEST_P(Crane, RestStaysAtRest) {
  Runner run(crane(GetParam()));
  run.advance(0.3);
  EXPECT_NEAR(run.state().q()[0], 30 * M_PI / 180, 1e-13);
  EXPECT_NEAR(run.state().q()[1], 240 * M_PI / 180, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Cylinders, Crane, ::testing::Values("crane_single", "crane_double", "crane_triple"),
                         [](const auto& parameter) { return std::string(parameter.param).substr(6); });

TEST(CraneStart, PressuresBalanceTheWeight) {
  const double area_A = M_PI / 4 * 0.08 * 0.08, area_B = area_A - M_PI / 4 * 0.035 * 0.035;
  const Runner one(crane("crane_single")), two(crane("crane_double"));
  for (const Runner* run : {&one, &two}) {
    EXPECT_NEAR(run->state().y()[0] * area_A - 3.5e6 * area_B, 8829.0, 1e-6);
    EXPECT_DOUBLE_EQ(run->state().y()[0], run->state().y()[2]);  // through the open throttle
  }
  EXPECT_NEAR(two.state().y()[3] * area_A, 3.5e6 * area_B, 1e-6);  // the jib hangs straight down
}

/// An open chain has no loop to treat: the treatments differ by rounding and by their termination.
TEST(CraneTreatments, AgreeOnAnOpenChain) {
  Runner penalty(crane("crane_double")), double_step(crane("crane_double", {"solver.constraints=double_step"})),
      baumgarte(crane("crane_double", {"solver.constraints=baumgarte"}));
  for (int i = 1; i <= 100; ++i) {
    for (Runner* run : {&penalty, &double_step, &baumgarte}) run->advance(0.1 * i);
    for (int k = 0; k < 2; ++k) {
      EXPECT_NEAR(penalty.state().q()[k], double_step.state().q()[k], 1e-7) << 0.1 * i;
      EXPECT_NEAR(penalty.state().q()[k], baumgarte.state().q()[k], 1e-7) << 0.1 * i;
    }
  }
}

}  // namespace
}  // namespace trunnion
