// Batches of machines.
// Reference: single simulations, bit for bit.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "support/driven_crane.h"
#include "trunnion/trunnion.h"

namespace {

using trunnion::Batch;
using trunnion::Model;
using trunnion::ModelError;
using trunnion::Simulation;

std::shared_ptr<const Model> crane() { return Model::from_text(trunnion::test::kDrivenCrane); }

TEST(Batch, EqualsSingleSimulationsForAnyNumberOfThreads) {
  const auto model = crane();
  const auto lever = model->input("lever");
  const auto mass = model->parameter("bodies.boom.rod.mass");
  const std::vector<trunnion::ChannelIndex> outputs{model->channel("boom.angle"), model->channel("lift.force"),
                                                    model->channel("a.pressure"), model->channel("lever.input"), model->channel("time")};
  constexpr int kMachines = 7;
  std::vector<double> masses(kMachines);
  for (int i = 0; i < kMachines; ++i) masses[static_cast<std::size_t>(i)] = 150 + 20 * i;
  for (const bool own : {false, true}) {
    std::vector<double> expected;
    for (int i = 0; i < kMachines; ++i) {
      Simulation sim(model);
      if (own) sim.set_parameter(mass, masses[static_cast<std::size_t>(i)]);
      sim.restart();
      for (int k = 0; k < 5; ++k) {
        sim.set(lever, i - 3 + 0.5 * k);
        for (int n = 0; n < 20; ++n) sim.step();
      }
      for (const auto channel : outputs) expected.push_back(sim.value(channel));
    }
    for (const int threads : {1, 2, 3}) {
      trunnion::BatchOptions options;
      options.threads = threads;
      options.inputs = {lever};
      options.outputs = outputs;
      if (own) options.parameters = {mass}, options.values = masses;
      Batch fleet(model, kMachines, options);
      std::vector<double> u(kMachines), y(kMachines * outputs.size());
      for (int k = 0; k < 5; ++k) {
        for (int i = 0; i < kMachines; ++i) u[static_cast<std::size_t>(i)] = i - 3 + 0.5 * k;
        fleet.set_inputs(u.data());
        EXPECT_EQ(fleet.step(20), 0);
      }
      fleet.read(y.data());
      EXPECT_EQ(y, expected) << threads << " threads, own parameters " << own;
    }
  }
}

TEST(Batch, AFailedMachineKeepsItsStateAndLeavesTheOthersAlone) {
  const auto model = crane();
  trunnion::BatchOptions options;
  options.threads = 2;
  options.inputs = {model->input("lever")};
  options.outputs = {model->channel("boom.angle")};
  Batch fleet(model, 3, options);
  const double u[] = {0, 10, 1};
  fleet.set_inputs(u);
  int failed = 0;
  for (int k = 0; k < 400 && failed == 0; ++k) failed = fleet.step(20);
  ASSERT_EQ(failed, 1);
  ASSERT_TRUE(fleet.failed(1));
  EXPECT_NE(fleet.error(1).find("the piston leaves its cylinder"), std::string::npos) << fleet.error(1);
  const double stopped = fleet.time(1);
  EXPECT_EQ(fleet.step(5), 1);
  EXPECT_EQ(fleet.time(1), stopped);
  EXPECT_GT(fleet.time(0), stopped);
  double y[3];
  fleet.read(y);
  for (const double angle : y) EXPECT_TRUE(std::isfinite(angle));
  const unsigned char mask[] = {0, 1, 0};
  const double before = fleet.time(0);
  fleet.reset(mask);
  EXPECT_EQ(fleet.time(1), 0);
  EXPECT_FALSE(fleet.failed(1));
  EXPECT_EQ(fleet.time(0), before);
  EXPECT_EQ(fleet.state(1), Simulation(model).state());
}

/// Limits of inputs, and whether they act at once, are those of each machine.
TEST(Batch, InputsFollowTheParametersOfTheirMachine) {
  const std::string file = TRUNNION_SOURCE_DIR "/examples/lever_driven.yaml";
  const auto free = Model::load(file), limited = Model::load(file, {"inputs.command.rate_limit=20"});
  struct Case {
    const std::shared_ptr<const Model>& model;
    const char* path;
    double value, input;
  };
  for (const Case& c : {Case{free, "inputs.command.max", 2, 5},
                        {free, "inputs.command.min", -1, -5},
                        {limited, "inputs.command.rate_limit", 5, 5},
                        {limited, "inputs.command.default", 1, 5},
                        {free, "valves.valve.directional_4_3.time_constant", 0, 1}})
    for (const auto lanes : {trunnion::Lanes::off, trunnion::Lanes::automatic}) {
      trunnion::BatchOptions options;
      options.inputs = {c.model->input("command")};
      options.outputs = {c.model->channel("command.input"), c.model->channel("piston_side.pressure"), c.model->channel("lever.angle")};
      options.parameters = {c.model->parameter(c.path)};
      options.values = {c.value};
      options.lanes = lanes;
      Batch fleet(c.model, 1, options);
      Simulation single(c.model);
      single.set_parameter(options.parameters[0], c.value);
      single.restart();
      fleet.step(10);
      fleet.set_inputs(&c.input);
      fleet.step(50);
      single.run_until(0.01);
      single.set(options.inputs[0], c.input);
      single.run_until(0.06);
      double y[3];
      fleet.read(y);
      for (std::size_t k = 0; k < 3; ++k) {
        const double expected = single.value(options.outputs[k]);
        if (lanes == trunnion::Lanes::off)
          EXPECT_EQ(y[k], expected) << c.path;
        else
          EXPECT_NEAR(y[k], expected, 1e-9 * std::abs(expected)) << c.path;
      }
    }
}

TEST(Batch, AMachineWithoutAStartIsNamedAndAllStayAsTheyAre) {
  const auto model = Model::load(TRUNNION_SOURCE_DIR "/examples/four_bar_lift.yaml");
  trunnion::BatchOptions options;
  options.parameters = {model->parameter("loops.E.revolute.at.0.0")};  // length of the lever; from 4.9 m on the loop cannot be closed
  options.values = {2, 2, 2.01, 2};
  for (const int threads : {1, 2}) {
    options.threads = threads;
    Batch fleet(model, 4, options);
    EXPECT_EQ(fleet.step(3), 0);
    const double apart = 20;
    fleet.set_parameters(2, &apart);
    fleet.set_parameters(3, &apart);
    const trunnion::State first = fleet.state(0), third = fleet.state(2);
    try {
      fleet.reset();
      FAIL() << "a start was found";
    } catch (const ModelError& error) { EXPECT_TRUE(std::string(error.what()).starts_with("machine 2: ")) << error.what(); }
    EXPECT_EQ(fleet.state(0), first);
    EXPECT_EQ(fleet.state(2), third);
    EXPECT_EQ(fleet.step(1), 0);
    const unsigned char others[] = {1, 1, 0, 0};
    fleet.reset(others);
    EXPECT_EQ(fleet.time(1), 0);
    EXPECT_GT(fleet.time(2), 0);
    const double near = 2.01;
    fleet.set_parameters(2, &near);
    fleet.set_parameters(3, &near);
    fleet.reset();
    EXPECT_EQ(fleet.state(2), fleet.state(3));
  }
  options.values = {2, 20, 2, 20};
  try {
    const Batch fleet(model, 4, options);
    FAIL() << "a start was found";
  } catch (const ModelError& error) { EXPECT_TRUE(std::string(error.what()).starts_with("machine 1: ")) << error.what(); }
}

/// Threads beyond the machines are not started.
TEST(Batch, AnyNumberOfThreadsIsTaken) {
  trunnion::BatchOptions options;
  options.threads = 1000000;
  Batch fleet(crane(), 2, options);
  fleet.step(3);
  EXPECT_GT(fleet.time(1), 0);
}

TEST(Batch, MisuseIsRefused) {
  const auto model = crane();
  EXPECT_THROW(Batch(nullptr, 1), ModelError);
  EXPECT_THROW(Batch(model, 0), ModelError);
  trunnion::BatchOptions options;
  options.inputs = {trunnion::InputIndex{5}};
  EXPECT_THROW(Batch(model, 1, options), ModelError);
  options = {};
  options.outputs = {model->channel("energy.drift")};
  EXPECT_THROW(Batch(model, 1, options), ModelError);
  options = {};
  options.parameters = {model->parameter("bodies.boom.rod.mass")};
  options.values = {1, 2};
  EXPECT_THROW(Batch(model, 1, options), ModelError);
  options.parameters.push_back(options.parameters.front());
  EXPECT_THROW(Batch(model, 1, options), ModelError);
  options.parameters.pop_back();
  options.values = {-1};
  try {
    const Batch fleet(model, 1, options);
    FAIL() << "a negative mass was taken";
  } catch (const ModelError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("machine 0: bodies.boom.rod.mass")) << error.what();
  }
  options = {};
  options.inputs = {model->input("lever")};
  Batch fleet(model, 2, options);
  const double u[] = {0, NAN};
  EXPECT_THROW(fleet.set_inputs(u), ModelError);
  EXPECT_THROW((void)fleet.time(2), ModelError);
  EXPECT_THROW(fleet.set_state(0, trunnion::State()), ModelError);
}

}  // namespace
