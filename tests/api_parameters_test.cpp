// Parameters set one after the other in one simulation, which keeps what they do not touch.
// Reference: models built with the same values, bit for bit.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "schema/parameters.h"
#include "trunnion/trunnion.h"

namespace {

using trunnion::Model;
using trunnion::ModelError;
using trunnion::Simulation;

constexpr int kSteps = 2;
using Values = std::optional<std::vector<double>>;  // nothing: refused

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

/// All channels at the start and after some steps.
std::vector<double> values_of(Simulation& sim) {
  std::vector<double> values = sim.values();
  for (int i = 0; i < kSteps && sim.try_step().ok(); ++i) {
    const std::vector<double> more = sim.values();
    values.insert(values.end(), more.begin(), more.end());
  }
  return values;
}

Values built(const Model& model, const std::vector<std::string>& paths, const std::vector<double>& values) {
  try {
    trunnion::Description description = model.description();
    trunnion::set_values(description, paths, values);
    Simulation sim(Model::build(description));
    return values_of(sim);
  } catch (const std::runtime_error&) { return std::nullopt; }
}

Values restarted(Simulation& sim) {
  try {
    sim.restart();
    return values_of(sim);
  } catch (const std::runtime_error&) { return std::nullopt; }
}

/// Sets every so many parameters in turn, in pairs, and both back; also values that are refused.
void expect_values_of_built_models(const std::string& name, std::size_t every, const std::vector<std::string>& overrides = {}) {
  const auto model = Model::load(std::string(TRUNNION_SOURCE_DIR) + "/examples/" + name + ".yaml", overrides);
  const auto& parameters = model->parameters();
  Simulation sim(model);
  const std::vector<double> original = values_of(sim);
  int compared = 0, moved = 0;
  std::vector<trunnion::ParameterIndex> set;
  std::vector<std::string> paths;
  std::vector<double> values;
  for (std::size_t i = 0; i < parameters.size(); i += every) {
    const trunnion::ParameterIndex parameter{static_cast<int>(i)};
    const double before = parameters[i].value, value = before == 0 ? 1e-5 : before * (1 - 1e-4);
    if (!std::isfinite(before) || value < parameters[i].min || value > parameters[i].max) continue;
    EXPECT_THROW(sim.set_parameter(parameter, std::nan("")), ModelError);
    sim.set_parameter(parameter, value);
    set.push_back(parameter), paths.push_back(parameters[i].name), values.push_back(value);
    const Values expected = built(*model, paths, values), found = restarted(sim);
    if (expected && found) {
      EXPECT_TRUE(same_bits(*found, *expected)) << name << ": " << paths.back();
      ++compared;
      moved += same_bits(*found, original) ? 0 : 1;
      if (set.size() < 2) continue;
    }
    for (const trunnion::ParameterIndex at : set) sim.set_parameter(at, parameters[static_cast<std::size_t>(at.number)].value);
    set.clear(), paths.clear(), values.clear();
    const Values back = restarted(sim);
    ASSERT_TRUE(back) << name << ": back after " << parameters[i].name;
    EXPECT_TRUE(same_bits(*back, original)) << name << ": back after " << parameters[i].name;
  }
  EXPECT_GT(compared, 5) << name;
  EXPECT_GT(moved, 5) << name;  // the channels are seen to depend on what is set
}

TEST(ParametersOneAfterTheOther, HaveTheBitsOfABuiltModel) {
  for (const char* name : {"four_bar", "crane_single", "hydrostatic_drive", "position_servo"}) expect_values_of_built_models(name, 3);
}

TEST(ParametersOneAfterTheOther, HaveTheBitsOfABuiltModelInEveryKindOfSolver) {
  for (const char* solver : {"solver.coordinates=cartesian", "solver.coupling=cosimulation", "solver.constraints=double_step"})
    expect_values_of_built_models("four_bar", 5, {solver});
}

}  // namespace
