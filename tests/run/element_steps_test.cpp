// Warnings about steps that are too long for virtual elements. Reference: the runs themselves, which decay below the limit of a warning
// and grow above it.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/element_steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <regex>
#include <string>
#include <vector>

#include "machine/start.h"
#include "run/run.h"
#include "support/machines.h"

namespace trunnion {
namespace {

using test::load_example;
using Settings = std::vector<std::string>;

/// The arm, its valves closed, with a gravity so small that its element deflects by 1e-7 m: oscillations 1000 times as large are still
/// linear, far from the relief forces, which would bound them or let the arm fall to a position with another inertia at the port.
std::shared_ptr<const CompiledModel> arm(Settings set, double step, const char* key = "solver.step") {
  set.insert(set.end(), {"signals.lever=0", "signals.load=0", "gravity=[0, -1e-3, 0]", std::string(key) + "=" + std::to_string(step),
                         "solver.duration=20000"});
  return load_example("arm_quasistatic", set);
}

std::vector<std::string> warnings_of(const std::shared_ptr<const CompiledModel>& model) {
  return element_step_warnings(*model, start_state(*model));
}

/// The limit in a warning [s].
double limit_in(const std::string& warning) {
  std::smatch found;
  EXPECT_TRUE(std::regex_search(warning, found, std::regex("is longer than ([0-9.e-]+) s"))) << warning;
  return found.empty() ? 0 : std::stod(found[1]);
}

enum class Fate { dies, grows, neither };

std::ostream& operator<<(std::ostream& out, Fate fate) {
  return out << (fate == Fate::dies ? "dies" : fate == Fate::grows ? "grows" : "neither");
}

/// Whether oscillations become 1000 times smaller or larger than in the first 3 steps. 20000 steps suffice for any growth or decay of more
/// than log(1000) / 20000 = 3.5e-4 per step; 4 % off its limit the slowest method here has 2.3e-3 (euler, B/K = 10 ms), the fastest grows
/// by 0.33 per step, and is therefore checked in every step: relief valves open beyond 5000 times the first rates.
Fate fate_of(const std::shared_ptr<const CompiledModel>& model) {
  constexpr int kFirst = 3, kWindow = 100, kSteps = 20000;
  constexpr double kFactor = 1000;
  Runner run(model);
  double first = 0, largest = 0;
  for (int k = 0; k < kSteps; ++k) {
    run.step();
    const double rate = std::abs(run.state().v()[0]);
    if (k < kFirst) {
      first = std::max(first, rate);
      if (k == kFirst - 1) { EXPECT_GT(first, 1e-8); }  // oscillates at all, far above rounding
      continue;
    }
    if (!(rate < first * kFactor)) return Fate::grows;
    largest = std::max(largest, rate);
    if (k % kWindow != 0) continue;
    if (largest < first / kFactor) return Fate::dies;
    largest = 0;
  }
  return Fate::neither;
}

struct Method {
  Settings set;
  double too_long;  // [s] an unstable step
};

std::vector<Method> limited_methods() {
  std::vector<Method> list;
  for (const char* integrator : {"euler", "semi_implicit_euler", "rk4"})
    for (const char* form : {"differential", "discrete"})
      for (const char* damping : {"2.5e6", "8e6", "5e5"}) {
        // its limit is that of a yielding actuator; see below
        if (std::string(integrator) == "rk4" && std::string(form) == "differential" && std::string(damping) == "5e5") continue;
        list.push_back({{"solver.constraints=double_step", std::string("solver.integrator=") + integrator,
                         std::string("quasistatic.circuit.form=") + form,
                         std::string("quasistatic.circuit.actuators.lift.element.damping=") + damping},
                        0.5});
      }
  for (const char* scheme : {"scheme: jacobi", "scheme: gauss_seidel", "scheme: gauss_seidel, order: mechanism_first"})
    for (const char* order : {"0", "1"})
      list.push_back({{"solver.coupling=cosimulation",
                       std::string("coupling={variables: velocity_force, ") + scheme + ", extrapolation: " + order + "}"},
                      0.1});
  for (const char* scheme : {"scheme: jacobi", "scheme: gauss_seidel", "scheme: gauss_seidel, order: mechanism_first"})
    for (const char* rest : {"extrapolation: 0, hydraulics: {step: 1}", "extrapolation: 1, hydraulics: {step: 1}", "extrapolation: 1"})
      list.push_back({{"solver.coupling=cosimulation", "quasistatic.circuit.form=discrete",
                       std::string("coupling={variables: velocity_force, ") + scheme + ", " + rest + "}"},
                      0.1});
  for (const char* integrator : {"euler", "semi_implicit_euler", "rk4", "trapezoidal"})  // of the mechanism, with its own steps
    for (const char* rest : {"mechanism: {steps: 1}", "mechanism: {steps: 3}", "mechanism: {steps: 2, extrapolation: 2}"})
      list.push_back({{"solver.constraints=double_step", "solver.coupling=cosimulation", std::string("solver.integrator=") + integrator,
                       std::string("coupling={variables: velocity_force, scheme: gauss_seidel, extrapolation: 1, ") + rest + "}"},
                      0.1});
  return list;
}

TEST(ElementSteps, AreWarnedOfWhereTheRunTurnsUnstable) {
  for (const Method& method : limited_methods()) {
    const std::string what = testing::PrintToString(method.set);
    const std::vector<std::string> warnings = warnings_of(arm(method.set, method.too_long));
    ASSERT_EQ(warnings.size(), 1u) << what;
    EXPECT_TRUE(warnings[0].starts_with("quasistatic.circuit.actuators.lift.element: ")) << warnings[0];
    const double limit = limit_in(warnings[0]);
    const auto below = arm(method.set, 0.96 * limit), above = arm(method.set, 1.04 * limit);
    // below, the discrete form may be coarse, with a separate message; above it is not added
    const std::vector<std::string> left = warnings_of(below), again = warnings_of(above);
    const QuasistaticCircuit& circuit = below->hydraulics.quasistatic[0];
    const bool monolithic = below->description.solver.coupling == CouplingKind::monolithic;
    const bool coarse = monolithic && circuit.discrete && 0.96 * limit > circuit.ports[0].element.relaxation_time();
    ASSERT_EQ(left.size(), coarse ? 1u : 0u) << what;
    if (coarse) { EXPECT_EQ(left[0].find("is unstable"), std::string::npos) << left[0]; }
    ASSERT_EQ(again.size(), 1u) << what;
    EXPECT_NE(again[0].find("is unstable"), std::string::npos) << again[0];
    EXPECT_EQ(fate_of(below), Fate::dies) << what << " " << limit;
    EXPECT_EQ(fate_of(above), Fate::grows) << what << " " << limit;
  }
}

TEST(ElementSteps, CountAnActuatorThatYields) {
  // its valves closed and holding, rk4 is stable up to 86 ms; 2.785 B/K is the limit where a pull opens a relief valve at constant force
  const Settings set{"solver.constraints=double_step", "solver.integrator=rk4", "quasistatic.circuit.actuators.lift.element.damping=5e5"};
  const std::vector<std::string> warnings = warnings_of(arm(set, 0.5));
  ASSERT_EQ(warnings.size(), 1u);
  const double limit = limit_in(warnings[0]);
  EXPECT_NEAR(limit, 2.785 * 5e5 / 5e7, 1e-4);
  EXPECT_EQ(fate_of(arm(set, 1.04 * limit)), Fate::dies);
  const auto pull = [&](double step) {
    Settings all = set;
    all.insert(all.end(), {"signals.lever=0", "signals.load=-100000", "solver.step=" + std::to_string(step), "solver.duration=1"});
    const auto model = load_example("arm_quasistatic", all);
    const int piston = model->hydraulics.quasistatic[0].ports[0].state;
    Runner run(model);
    const double begin = run.state().y()[piston];
    for (int k = 0; k < 20; ++k) run.step();
    EXPECT_GT(std::abs(run.state().y()[piston] - begin), 0.1);  // [m] yields
  };
  EXPECT_NO_THROW(pull(0.96 * limit));
  EXPECT_THROW(pull(1.04 * limit), SimulationError);  // detected in the step that yields
}

TEST(ElementSteps, AreAnyWithMethodsWithoutALimit) {
  for (const Settings& set : {Settings{}, Settings{"solver.constraints=double_step"}, Settings{"solver.constraints=baumgarte"}}) {
    EXPECT_TRUE(warnings_of(arm(set, 0.5)).empty());
    EXPECT_EQ(fate_of(arm(set, 0.5)), Fate::dies);
  }
  EXPECT_TRUE(warnings_of(arm({"solver.constraints=double_step", "solver.integrator=cvode"}, 0.5)).empty());
  EXPECT_TRUE(warnings_of(load_example("four_bar", {})).empty());
}

TEST(ElementSteps, OfTheDiscreteFormAreCoarseBeyondTheRelaxationTime) {
  const Settings discrete{"quasistatic.circuit.form=discrete"};
  EXPECT_TRUE(warnings_of(arm(discrete, 0.049)).empty());
  const std::vector<std::string> warnings = warnings_of(arm(discrete, 0.051));
  ASSERT_EQ(warnings.size(), 1u);
  for (const char* word : {"0.051 s", "damping / stiffness = 0.05 s", "a larger damping"})
    EXPECT_NE(warnings[0].find(word), std::string::npos) << warnings[0];
  EXPECT_EQ(fate_of(arm(discrete, 0.5)), Fate::dies);  // stable all the same
}

TEST(ElementSteps, SayWhichDampingHelps) {
  const auto warning = [](const char* integrator, const char* damping) {
    return warnings_of(arm({"solver.constraints=double_step", std::string("solver.integrator=") + integrator,
                            std::string("quasistatic.circuit.actuators.lift.element.damping=") + damping},
                           0.5))
        .at(0);
  };
  EXPECT_NE(warning("euler", "5e5").find("a larger damping"), std::string::npos);
  EXPECT_NE(warning("euler", "8e6").find("a smaller damping"), std::string::npos);
  EXPECT_NE(warning("semi_implicit_euler", "5e5").find("a smaller damping"), std::string::npos);
}

TEST(ElementSteps, AreThoseOfTheOilInACosimulation) {
  // 2 B / K with euler. With constant forces over a communication step H, an oscillation at H = 2 B / K is undamped, too: linear coupling.
  const auto warnings_with = [](const char* order) {
    return warnings_of(arm({"solver.coupling=cosimulation",
                            std::string("coupling={variables: velocity_force, scheme: gauss_seidel, extrapolation: ") + order +
                                ", hydraulics: {integrator: euler, step: 1 ms}}",
                            "quasistatic.circuit.actuators.lift.element.damping=24e3"},
                           1e-3, "coupling.step"));
  };
  const std::vector<std::string> lines = warnings_with("1"), locked = warnings_with("0");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("step of the oil"), std::string::npos) << lines[0];
  EXPECT_DOUBLE_EQ(limit_in(lines[0]), 0.96e-3);
  ASSERT_EQ(locked.size(), 2u);
  EXPECT_NE(locked[0].find("communication step"), std::string::npos) << locked[0];
  EXPECT_NEAR(limit_in(locked[0]), 0.96e-3, 0.01e-3);  // growth of 1e-6 per step counts as none
  EXPECT_EQ(locked[1], lines[0]);
}

TEST(ElementSteps, OfTheDiscreteFormNeedRatesFromExtrapolatedLengths) {
  // lengths that are constant over a communication step of several steps of the oil have no difference quotient at its end
  const auto warnings_with = [](double step, const char* order, const char* oil_step) {
    return warnings_of(arm({"solver.coupling=cosimulation", "quasistatic.circuit.form=discrete",
                            std::string("coupling={variables: velocity_force, scheme: gauss_seidel, extrapolation: ") + order +
                                ", hydraulics: {step: " + oil_step + "}}"},
                           step));
  };
  const auto limit = [&](const char* order, const char* oil_step) {
    const auto warnings = warnings_with(0.1, order, oil_step);
    return warnings.size() == 1 ? limit_in(warnings[0]) : 0;
  };
  EXPECT_LT(limit("0", "1 ms"), 1.1e-3);
  EXPECT_GT(limit("0", "1"), 20e-3);
  EXPECT_GT(limit("1", "1 ms"), 10e-3);
  const auto warnings = warnings_with(0.01, "0", "1 ms");
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(warnings[0].ends_with("or coupling.hydraulics.step: 0.01 s")) << warnings[0];
  EXPECT_TRUE(warnings_with(0.01, "0", "10 ms").empty());
}

/// Corners of inputs lie within steps, where `penalty` alone passes impulses on.
TEST(MotionWarnings, NameInputsWhoseCornersHaveImpulses) {
  const auto warnings = [](const std::string& signal, const char* constraints) {
    return warnings_of(test::model_from(R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {c: {point_mass: {mass: 2}}, p: {rod: {length: 1, mass: 1}}}
joints: {c: {prismatic: {parent: ground, axis: x}, position: 0}, p: {revolute: {parent: c, axis: z}, angle: -90 deg}}
motions: {d: {joint: c, signal: u}}
)" + signal + R"(
solver: {step: 1 ms, duration: 1, constraints: )" +
                                        constraints + "}\n"));
  };
  const std::string input = "inputs: {u: {rate_limit: 1}}";
  for (const char* constraints : {"double_step", "baumgarte"}) {
    const std::vector<std::string> found = warnings(input, constraints);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NE(found[0].find("motions.d: its rate jumps where the input begins to move and stops"), std::string::npos) << found[0];
    EXPECT_EQ(warnings("signals: {u: {ramps: [[0, 0], [0.1, 0], [0.6, 1]]}}", constraints), std::vector<std::string>{});
  }
  EXPECT_EQ(warnings(input, "penalty"), std::vector<std::string>{});
}

TEST(ElementSteps, OfSeveralActuatorsAreNamedOneByOne) {
  const auto model = load_example("two_arms_one_pump", {"solver.constraints=double_step", "solver.integrator=euler", "solver.step=60 ms"});
  const std::vector<std::string> warnings = warnings_of(model);
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_NE(warnings[0].substr(0, 60), warnings[1].substr(0, 60));
}

}  // namespace
}  // namespace trunnion
