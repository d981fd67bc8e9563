// Invariants of compiled models: hold for every example and random machine, and each violation is named.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/validate.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "file/model_file.h"

namespace trunnion {
namespace {

TEST(Validate, EveryExampleHolds) {
  int models = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TRUNNION_SOURCE_DIR "/examples")) {
    if (entry.path().extension() != ".yaml") continue;
    for (const char* coordinates : {"relative", "cartesian"}) {
      const auto model = compile(load_model(entry.path().string(), {parse_override(std::string("solver.coordinates=") + coordinates)}));
      const std::vector<std::string> violated = validate(*model);
      EXPECT_TRUE(violated.empty()) << entry.path() << " " << coordinates << ": " << violated.front();
      ++models;
    }
  }
  EXPECT_GT(models, 40);
}

TEST(Validate, EachViolationIsNamed) {
  const auto right = compile(load_model(TRUNNION_SOURCE_DIR "/examples/crane_single.yaml"));
  const auto expect = [&](const char* named, const std::function<void(CompiledModel&)>& spoil) {
    CompiledModel wrong = *right;
    spoil(wrong);
    const std::vector<std::string> violated = validate(wrong);
    EXPECT_FALSE(violated.empty()) << named;
    bool found = false;
    for (const std::string& text : violated) found = found || text.find(named) != std::string::npos;
    EXPECT_TRUE(found) << named;
  };
  const auto mechanism = [](CompiledModel& m) -> Mechanism<2>& { return std::get<Mechanism<2>>(m.mechanism); };
  expect("volumes come first", [](CompiledModel& m) { std::swap(m.hydraulics.nodes.front(), m.hydraulics.nodes.back()); });
  expect("distinct states", [](CompiledModel& m) { m.hydraulics.unknown_state.back() = m.hydraulics.unknown_state.front(); });
  expect("circuits follow each other", [](CompiledModel& m) { m.hydraulics.circuits.back().offset += 1; });
  expect("circuits cover", [](CompiledModel& m) { m.hydraulics.circuits.back().size -= 1; });
  expect("an actuator has two nodes", [](CompiledModel& m) { m.hydraulics.actuators.front().A = -1; });
  expect("a spool's states are states", [](CompiledModel& m) { m.hydraulics.spools.back().state = m.hydraulics.ny; });
  expect("parents come before",
         [&](CompiledModel& m) { mechanism(m).tree.nodes.back().parent = static_cast<int>(mechanism(m).tree.nodes.size()); });
  expect("in the order of the tree", [&](CompiledModel& m) { mechanism(m).tree.nodes.back().v += 1; });
  expect("paths lead over the tree", [&](CompiledModel& m) { mechanism(m).paths.back().dof = mechanism(m).tree.nv; });
  expect("every actuator has a port", [&](CompiledModel& m) { mechanism(m).ports.pop_back(); });
  expect("the layout is the mechanism's", [](CompiledModel& m) { m.layout.nv += 1; });
  expect("the layout is the oil's", [](CompiledModel& m) { m.layout.ny += 1; });
  expect("start values are complete", [](CompiledModel& m) { m.q_start.pop_back(); });
  expect("ascending order", [](CompiledModel& m) { m.jumps = {2, 1}; });
}

}  // namespace
}  // namespace trunnion
