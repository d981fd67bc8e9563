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

/// A length that opens the loops: they close at the same independent positions and velocities, whatever applies it first; the next step
/// does not pull them together.
TEST(ParametersInMotion, LengthsThatOpenLoopsCloseThemAgain) {
  for (const std::vector<std::string>& solver :
       std::vector<std::vector<std::string>>{{},
                                             {"solver.constraints=double_step"},
                                             {"solver.constraints=baumgarte"},
                                             {"solver.constraints=ali1", "solver.integrator=rk4", "solver.step=10 us"},
                                             {"solver.coordinates=cartesian"}}) {
    const auto model = Model::load(std::string(TRUNNION_SOURCE_DIR) + "/examples/four_bar.yaml", solver);
    const std::string constraints = solver.empty() ? "" : solver[0];
    const auto length = model->parameter("loops.E.revolute.at.0.0"), height = model->parameter("loops.E.revolute.at.0.1");
    const auto names = [](const Simulation& sim) {
      std::vector<std::string> list;
      for (const auto& info : sim.minimal_states()) list.push_back(info.name);
      return list;
    };
    Simulation steps(model);
    steps.run_until(0.1);
    const std::vector<double> x = steps.minimal_state();
    const std::vector<std::string> states = names(steps);
    const trunnion::State whole = steps.state();
    const double before = steps.value(length);

    Simulation minimal(model), given(model);
    minimal.set_state(whole);
    EXPECT_EQ(names(minimal), states);
    minimal.set_parameter(length, before + 0.02);
    given.set_parameter(length, before + 0.02);
    given.set_state(whole);
    EXPECT_EQ(names(given), states);
    steps.set_parameter(length, before + 0.02);
    steps.step();
    minimal.set_minimal_state(x);
    EXPECT_EQ(minimal.minimal_state(), x) << constraints;
    (void)given.linearize();
    EXPECT_EQ(names(given), states);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(given.minimal_state()[i], x[i], 1e-9 * (1 + std::abs(x[i]))) << states[i];
    minimal.step();
    given.step();
    // another length in between, and a state from before
    Simulation other(model);
    other.set_state(whole);
    other.set_parameter(height, other.value(height) + 0.03);
    other.step();
    other.set_parameter(height, model->parameters()[static_cast<std::size_t>(height.number)].value);
    other.set_state(whole);
    other.set_parameter(length, before + 0.02);
    other.step();
    EXPECT_EQ(names(steps), states);
    const std::vector<double> a = steps.minimal_state(), b = minimal.minimal_state(), c = given.minimal_state(), d = other.minimal_state();
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double size = 1 + std::abs(x[i]);
      EXPECT_NEAR(a[i], x[i], 0.02 * size) << constraints << ' ' << states[i];
      EXPECT_NEAR(b[i], a[i], 1e-6 * size) << constraints << ' ' << states[i];
      EXPECT_NEAR(c[i], a[i], 1e-6 * size) << constraints << ' ' << states[i];
      EXPECT_NEAR(d[i], a[i], 1e-6 * size) << constraints << ' ' << states[i];
    }
  }
}

}  // namespace
