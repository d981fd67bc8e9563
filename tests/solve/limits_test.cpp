// Machines at the limits of their oil: vacuum, ends of stroke.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "file/model_file.h"
#include "run/run.h"

namespace trunnion {
namespace {

std::shared_ptr<const CompiledModel> lever(const std::vector<std::string>& settings) {
  std::vector<Override> overrides;
  for (const std::string& setting : settings) overrides.push_back(parse_override(setting));
  return compile(load_model(std::string(TRUNNION_SOURCE_DIR) + "/examples/lever.yaml", overrides));
}

TEST(Limits, AMachineThatDrawsItsOilApartStaysAtPositivePressure) {
  // the valve opens suddenly, the weight outruns the oil: 11 steps of 1 ms below saturation
  for (const char* step : {"1 ms", "0.3 ms", "0.1 ms"}) {
    Runner run(lever({"signals.command={constant: 10}", std::string("solver.step=") + step}));
    run.advance(1.0);
    long below = 0;
    for (std::size_t i = 0; i < run.model()->hydraulics.volumes.size(); ++i) {
      EXPECT_GT(run.state().y()[i], 0) << step;
      below += run.statistics().cavitation[i].steps;
      EXPECT_GT(run.statistics().cavitation[i].lowest_pressure, 0) << step;
    }
    EXPECT_GT(below, 0) << step;
  }
}

TEST(Limits, TheMotionThroughCavitationConverges) {
  double angle[3];
  int k = 0;
  for (const char* step : {"1 ms", "0.25 ms", "0.0625 ms"}) {
    Runner run(lever({"signals.command={constant: 10}", std::string("solver.step=") + step}));
    run.advance(0.5);
    angle[k++] = run.state().q()[0];
  }
  EXPECT_LT(std::abs(angle[1] - angle[2]), 0.5 * std::abs(angle[0] - angle[2]));
  EXPECT_NEAR(angle[1], angle[2], 1e-4);
}

TEST(Limits, APistonThatLeavesItsCylinderStopsTheRunByName) {
  Runner run(lever({"signals.command={constant: 10}"}));
  try {
    run.advance(10);
    FAIL() << "the stroke is 0.4 m";
  } catch (const SimulationError& error) {
    EXPECT_EQ(error.equations(), "cylinders.lift");
    EXPECT_NE(std::string(error.what()).find("end_damper"), std::string::npos) << error.what();
    EXPECT_NEAR(error.time(), 3.29, 0.02);
  }
}

}  // namespace
}  // namespace trunnion
