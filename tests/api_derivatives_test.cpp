// Derivatives of the public interface: of a step in its minimal states, inputs and parameters, and of a run with respect to parameters.
// Reference: differences of steps and runs.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "support/pushed_mass.h"
#include "trunnion/trunnion.h"

namespace {

using trunnion::Model;
using trunnion::ModelError;
using trunnion::Simulation;
using trunnion::test::kInputs;
using trunnion::test::pushed_mass;
using trunnion::test::with_valve;

TEST(Transitions, AreTheDerivativesOfTheLastStep) {
  const auto model = Model::from_text(with_valve(pushed_mass(kInputs), "time_constant: 20 ms"));
  const auto lever = model->input("lever");
  Simulation sim(model);
  EXPECT_THROW((void)sim.transition(), ModelError);
  sim.set(lever, 3);
  sim.run_until(0.2);
  const std::vector<double> x0 = sim.minimal_state();
  sim.set_minimal_state(x0);
  const trunnion::State before = sim.state();
  ASSERT_TRUE(sim.try_step().ok());
  const trunnion::Transition map = sim.transition();
  const std::vector<double> x1 = sim.minimal_state();
  ASSERT_EQ(map.F.size(), x0.size());
  EXPECT_EQ(map.end, sim.time());
  const auto after = [&](std::size_t state, double change) {
    std::vector<double> x = x0;
    x[state] += change;
    sim.set_state(before);
    sim.set_minimal_state(x);
    EXPECT_TRUE(sim.try_step().ok());
    return sim.minimal_state();
  };
  for (std::size_t j = 0; j < x0.size(); ++j) {
    const double h = 1e-6 * std::max(1.0, std::abs(x0[j]));
    const std::vector<double> up = after(j, h), down = after(j, -h);
    for (std::size_t i = 0; i < x0.size(); ++i) {
      const double scale = std::max(1.0, std::abs(x0[i])) / std::max(1.0, std::abs(x0[j]));
      EXPECT_NEAR(map.F[i][j], (up[i] - down[i]) / (2 * h), 1e-5 * scale) << map.states[i].name << " by " << map.states[j].name;
    }
  }
  const auto column = static_cast<std::size_t>(
      std::find_if(map.inputs.begin(), map.inputs.end(), [](const auto& input) { return input.name == "lever"; }) - map.inputs.begin());
  ASSERT_LT(column, map.inputs.size());
  std::vector<double> ends[2];
  for (int k = 0; k < 2; ++k) {
    sim.set_state(before);
    sim.set(lever, 3 + (k == 0 ? 1e-3 : -1e-3));
    EXPECT_TRUE(sim.try_step().ok());
    ends[k] = sim.minimal_state();
  }
  for (std::size_t i = 0; i < x0.size(); ++i)
    EXPECT_NEAR(map.G[i][column], (ends[0][i] - ends[1][i]) / 2e-3, 1e-5 * std::max(1.0, std::abs(x0[i]))) << map.states[i].name;
}

/// An input that acts through a sum and by itself, and one through a product alone.
class TransitionsOf : public testing::TestWithParam<const char*> {};

TEST_P(TransitionsOf, InputsActThroughAllSignalsThatDependOnThem) {
  std::string text = with_valve(pushed_mass("inputs: {lever: {default: 0, min: -10, max: 10}, trim: {default: 1}}\n"
                                            "signals: {command: {product: [lever, trim]}}\n"),
                                "time_constant: 20 ms");
  const auto model = Model::from_text(text, {GetParam()});
  Simulation sim(model);
  const auto lever = model->input("lever"), trim = model->input("trim");
  sim.set(lever, 3);
  sim.set(trim, 0.7);
  sim.run_until(0.2);
  sim.set_minimal_state(sim.minimal_state());
  const trunnion::State before = sim.state();
  ASSERT_TRUE(sim.try_step().ok());
  const trunnion::Transition map = sim.transition();
  for (const auto& [name, input, at] : {std::tuple{"lever", lever, 3.0}, std::tuple{"trim", trim, 0.7}}) {
    const auto column = static_cast<std::size_t>(
        std::find_if(map.inputs.begin(), map.inputs.end(), [&](const auto& of) { return of.name == name; }) - map.inputs.begin());
    ASSERT_LT(column, map.inputs.size()) << name;
    std::vector<double> ends[2];
    for (int k = 0; k < 2; ++k) {
      sim.set_state(before);
      sim.set(input, at + (k == 0 ? 1e-3 : -1e-3));
      EXPECT_TRUE(sim.try_step().ok());
      ends[k] = sim.minimal_state();
    }
    double largest = 0;
    for (std::size_t i = 0; i < map.states.size(); ++i) {
      const double difference = (ends[0][i] - ends[1][i]) / 2e-3;
      largest = std::max(largest, std::abs(difference));
      EXPECT_NEAR(map.G[i][column], difference, 1e-6 * std::abs(difference) + 1e-9) << map.states[i].name << " by " << name;
    }
    EXPECT_GT(largest, 0) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(, TransitionsOf,
                         testing::Values("solver.integrator=trapezoidal", "solver.integrator=esdirk3", "solver.integrator=bdf2"),
                         [](const auto& of) { return std::string(of.param).substr(18); });

/// A linear machine has one G, whether its input moves, has arrived, rests at its limit or has never been set; a change is added to its
/// course at both ends of the step.
TEST(Transitions, HaveInputsWithCoursesOfAnyKind) {
  const auto text = [](const char* command) {
    return std::string(R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {mass: {point_mass: {mass: 2 kg}}}
joints: {mass: {prismatic: {parent: ground, axis: x}}}
springs: {spring: {joint: mass, stiffness: 800 N/m, damping: 6 N s/m}}
control: {lag: {low_pass: {input: command, time_constant: 20 ms}}}
forces: {push: {joint: mass, load: 50 N, signal: lag}}
inputs: {command: )") +
           command + "}\nsolver: {step: 1 ms, duration: 1 s}\n";
  };
  for (const char* integrator : {"trapezoidal", "bdf2", "generalized_alpha", "esdirk3"}) {
    const std::vector<std::string> settings{std::string("solver.integrator=") + integrator};
    const auto column = [&](const char* command, double value, double time) {
      const auto model = Model::from_text(text(command), settings);
      Simulation sim(model);
      if (value != 0) sim.set(model->input("command"), value);
      sim.run_until(time);
      const trunnion::Transition map = sim.transition();
      EXPECT_EQ(map.inputs.size(), 1U);
      std::vector<double> G;
      for (const std::vector<double>& row : map.G) G.push_back(row.at(0));
      return G;
    };
    const std::vector<double> free = column("{}", 1.5, 0.3);
    ASSERT_EQ(free.size(), 3U);
    EXPECT_GT(std::abs(free[1]), 0) << integrator;
    for (const auto& [command, value, time] : {std::tuple{"{}", 0.0, 0.3},
                                               {"{rate_limit: 10 1/s}", 0.0, 0.3},
                                               {"{rate_limit: 10 1/s}", 1.5, 0.05},  // on its way
                                               {"{rate_limit: 10 1/s}", -1.5, 0.05},
                                               {"{rate_limit: 10 1/s}", 1.5, 0.3},  // arrived
                                               {"{rate_limit: 1e9 1/s}", 1.5, 0.3},
                                               {"{rate_limit: 10 1/s, max: 1}", 1.0, 0.3}}) {
      const std::vector<double> G = column(command, value, time);
      for (std::size_t i = 0; i < free.size(); ++i)
        EXPECT_NEAR(G[i], free[i], 1e-6 * std::abs(free[i])) << integrator << " " << command << " " << value << " " << time;
    }
  }
}

/// A state in the middle of a run has a memory of the oil beside its minimal vector.
TEST(Transitions, OfALaterStepIsThatOfTheFirstOneFromItsState) {
  const std::string text = with_valve(pushed_mass(kInputs), "time_constant: 20 ms");
  for (const char* integrator : {"trapezoidal", "esdirk3"}) {
    const auto model = Model::from_text(text, {std::string("solver.integrator=") + integrator});
    Simulation sim(model);
    sim.set(model->input("lever"), 3);
    for (int k = 0; k < 50; ++k) sim.step();
    const auto parameter = model->parameter("cylinders.ram.bore");
    const trunnion::Transition later = sim.transition({parameter});
    Simulation other(model);
    other.set_state(sim.state());
    other.set(model->input("lever"), 3);
    other.set_minimal_state(other.minimal_state());
    other.step();
    sim.step();
    const trunnion::Transition from_here = other.transition({parameter}), next = sim.transition({parameter});
    const auto near = [&](const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& b, const char* what) {
      for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t j = 0; j < a[i].size(); ++j)
          EXPECT_NEAR(a[i][j], b[i][j], 0.05 * std::abs(b[i][j]) + 1e-6)  // the lag of the rule
              << integrator << " " << what << " " << i << " " << j;
    };
    near(next.F, from_here.F, "F");
    near(next.G, from_here.G, "G");
    near(next.P, from_here.P, "P");
    EXPECT_LT(std::abs(later.F[0][0] - 1), 0.1);
  }
}

/// P against steps from the same minimal vector of models with other values.
TEST(Transitions, HaveColumnsOfParameters) {
  const std::string text = with_valve(pushed_mass(kInputs), "time_constant: 20 ms");
  const std::vector<std::string> names = {"cylinders.ram.bore",
                                          "bodies.mass.point_mass.mass",
                                          "springs.spring.stiffness",
                                          "fluid.bulk_modulus",
                                          "volumes.a.volume",
                                          "forces.push.load",
                                          "valves.spool.directional_4_3.time_constant"};
  for (const char* treatment : {"solver.constraints=penalty", "solver.constraints=double_step"}) {
    const auto model = Model::from_text(text, {treatment, "solver.oil_rule=trapezoidal"});
    Simulation sim(model);
    sim.set(model->input("lever"), 3);
    sim.set(model->input("command"), 0.5);
    sim.run_until(0.2);
    const std::vector<double> x0 = sim.minimal_state();
    sim.set_minimal_state(x0);
    const trunnion::State before = sim.state();
    ASSERT_TRUE(sim.try_step().ok());
    std::vector<trunnion::ParameterIndex> parameters;
    for (const std::string& name : names) parameters.push_back(model->parameter(name));
    const trunnion::Transition map = sim.transition(parameters);
    ASSERT_EQ(map.parameters, names);
    ASSERT_EQ(map.P.size(), x0.size());
    for (std::size_t j = 0; j < names.size(); ++j) {
      std::vector<double> ends[2];
      const double value = sim.value(parameters[j]), h = 1e-4 * value;
      for (int k = 0; k < 2; ++k) {
        Simulation other(model);
        other.set_state(before);
        other.set_parameter(parameters[j], value + (k == 0 ? h : -h));
        other.set_minimal_state(x0);
        EXPECT_TRUE(other.try_step().ok());
        ends[k] = other.minimal_state();
      }
      for (std::size_t i = 0; i < x0.size(); ++i) {
        const double difference = (ends[0][i] - ends[1][i]) / (2 * h);
        EXPECT_NEAR(map.P[i][j], difference, 1e-6 * std::abs(difference) + 1e-11 * std::abs(x0[i]) / h)
            << map.states[i].name << " by " << names[j];
      }
    }
  }
  Simulation sim(Model::from_text(text));
  sim.step();
  EXPECT_THROW((void)sim.transition({trunnion::ParameterIndex{100000}}), ModelError);
}

TEST(ResponseSensitivities, AreThoseOfTheRun) {
  const auto model =
      Model::from_text(with_valve(pushed_mass("signals: {command: {steps: [[0.1003 s, 1]]}, lever: {steps: [[0.2 s, 3]]}}\n"), ""));
  trunnion::SensitivityOptions options;
  options.parameters = {model->parameter("cylinders.ram.bore"), model->parameter("signals.command.steps.0.0")};
  options.channels = {"mass.position", "a.pressure"};
  options.times = {0, 0.15, 0.3, 0.5};
  const trunnion::Sensitivities exact = trunnion::response_sensitivities(model, options);
  ASSERT_EQ(exact.derivatives.size(), 2U);
  EXPECT_EQ(exact.times, options.times);
  EXPECT_EQ(exact.failure, "");
  for (std::size_t i = 0; i < 2; ++i) {
    const double value = model->parameters()[static_cast<std::size_t>(options.parameters[i].number)].value, h = 1e-4 * value;
    Simulation up(model), down(model);
    up.set_parameter(options.parameters[i], value + h);
    down.set_parameter(options.parameters[i], value - h);
    up.restart();
    down.restart();
    for (std::size_t k = 0; k < options.times.size(); ++k) {
      up.run_until(options.times[k]);
      down.run_until(options.times[k]);
      for (std::size_t c = 0; c < 2; ++c) {
        const double difference = (up.value(options.channels[c]) - down.value(options.channels[c])) / (2 * h);
        EXPECT_NEAR(exact.derivatives[i][c][k], difference, 1e-4 * std::abs(difference) + 1e-11 * std::abs(exact.values[c][k]) / h)
            << options.channels[c] << " by parameter " << i << " at " << options.times[k];
      }
    }
  }
  options.times = {0.3, 0.1};
  EXPECT_THROW((void)trunnion::response_sensitivities(model, options), ModelError);
  options.times = {0, 2};
  EXPECT_THROW((void)trunnion::response_sensitivities(model, options), ModelError);
  options.times = {0};
  options.channels = {"mass.positio"};
  EXPECT_THROW((void)trunnion::response_sensitivities(model, options), ModelError);
}

TEST(ResponseSensitivities, EndWhereTheProgressSaysSo) {
  const auto model =
      Model::from_text(with_valve(pushed_mass("signals: {command: {steps: [[0.1003 s, 1]]}, lever: {steps: [[0.2 s, 3]]}}\n"), ""));
  trunnion::SensitivityOptions options;
  options.parameters = {model->parameter("cylinders.ram.bore")};
  options.channels = {"mass.position"};
  options.times = {0.4};
  double last = 0;
  int calls = 0;
  const auto until = [&](double end) {
    calls = 0;
    options.progress = [&calls, &last, end](double time) {
      ++calls;
      last = time;
      return time < end;
    };
  };
  until(0.2);
  EXPECT_THROW((void)trunnion::response_sensitivities(model, options), trunnion::RunError);
  EXPECT_NEAR(last, 0.2, 0.03);
  const auto ends = [](const std::vector<std::vector<double>>&) { return trunnion::SumWeights{{{1}}}; };
  until(0.2);
  EXPECT_THROW((void)trunnion::response_gradients(model, options, ends), trunnion::RunError);
  EXPECT_NEAR(last, 0.2, 0.03);
  until(1);  // also on the way back
  EXPECT_EQ(trunnion::response_gradients(model, options, ends).failure, "");
  EXPECT_GT(calls, 2);
  EXPECT_LT(last, 0.03);
}

}  // namespace
