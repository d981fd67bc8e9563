// Batches of machines.
// Reference: single simulations, bit for bit.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "trunnion/trunnion.h"

namespace {

using trunnion::Batch;
using trunnion::Model;
using trunnion::ModelError;
using trunnion::Simulation;

std::shared_ptr<const Model> crane() {
  return Model::from_text(R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {boom: {rod: {length: 3 m, mass: 200 kg}}}
joints: {boom: {revolute: {parent: ground, axis: z}, angle: 20 deg}}
fluid: {bulk_modulus: 1.5 GPa, density: 850 kg/m^3}
volumes: {a: {volume: 0.5 L}, b: {volume: 0.5 L, pressure: 1 MPa}}
sources: {pump: {pressure: 12 MPa}, tank: {pressure: 0.1 MPa}}
inputs: {lever: {min: -10, max: 10}}
valves: {spool: {directional_4_3: {P: pump, T: tank, A: a, B: b, flow: 20 L/min, at_pressure_drop: 3.5 MPa, at_signal: 10, time_constant: 20 ms}, signal: lever}}
cylinders:
  lift: {base: {body: ground, at: [0.5 m, -0.6 m, 0]}, rod_end: {body: boom, at: [1 m, 0, 0]}, bore: 60 mm, rod: 30 mm, A: a, B: b,
         chamber_length_A: 0.4 m, chamber_length_B: 0.4 m}
solver: {step: 1 ms, duration: 1 s}
)");
}

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
  options.values = {-1};
  EXPECT_THROW(Batch(model, 1, options), ModelError);
  options = {};
  options.inputs = {model->input("lever")};
  Batch fleet(model, 2, options);
  const double u[] = {0, NAN};
  EXPECT_THROW(fleet.set_inputs(u), ModelError);
  EXPECT_THROW((void)fleet.time(2), ModelError);
  EXPECT_THROW(fleet.set_state(0, trunnion::State()), ModelError);
}

}  // namespace
