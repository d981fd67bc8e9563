// Sums and products of signals that contain the value of a control block. Reference: the same machine written with the blocks `sum` and
// `product`, and the values that a sum and a product have.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/diagnostic.h"
#include "results/run_case.h"
#include "run/run.h"
#include "schema/fingerprint.h"
#include "support/machines.h"
#include "support/servo.h"

namespace trunnion {
namespace {

using Settings = std::vector<std::string>;

constexpr double kJump = 0.1234;  // [s] between two steps

/// A slide under position control. The command of its valve, its correction and the factor of a load on the slide are sums and products.
std::string slide(const std::string& as_signals, const std::string& as_blocks, double scale = 1) {
  return test::servo(fmt::format(R"(
signals:
  target: {{sine: {{amplitude: 40 mm, frequency: 1 Hz, offset: 1 m, phase: -30 deg}}}}
  push: {{steps: [[0, 0], [{:.17g} s, 0.05]]}}
  share: {{sine: {{amplitude: 0.2, frequency: 3 Hz, offset: -0.1}}}}
  unit: 1e-7
{}
control:
  position: {{pid: {{setpoint: target, measurement: ram.length, gain: 8, integral_time: 0.4 s}}}}
  filtered: {{low_pass: {{input: side_A.pressure, time_constant: 30 ms}}}}
  opened: {{integrator: {{input: command, gain: 5, start: 1}}}}
{}
forces: {{drag: {{joint: slide, load: {:.17g} N, signal: factor}}}}
record: {{channels: ["*", {}, push.signal, share.signal, position.output, filtered.output, opened.output]}})",
                                 kJump, as_signals, as_blocks, 3000 * scale,
                                 as_blocks.empty() ? "command.signal, correction.signal, factor.signal" : "command.output"),
                     scale);
}
std::string with_signals(double scale = 1) {
  return slide(
      "  command: {sum: [correction, position, push]}\n  correction: {product: [filtered, share, unit]}\n"
      "  factor: {product: [opened, share, command]}",
      "", scale);
}
std::string with_blocks(double scale = 1) {
  return slide("",
               "  command: {sum: {inputs: [correction, position, push]}}\n  correction: {product: {inputs: [filtered, share, unit]}}\n"
               "  factor: {product: {inputs: [opened, share, command]}}",
               scale);
}
const std::vector<double>& column(const CaseResult& result, const std::string& name) {
  const Recording& r = result.recorder->recording();
  if (r.find(name) < 0) throw Error("no channel " + name);
  return r.columns[static_cast<std::size_t>(r.find(name))];
}

TEST(SignalsWithBlocks, AreTheBlocksOfTheSameForm) {
  for (const Settings& settings :
       {Settings{"solver.constraints=penalty"}, Settings{"solver.constraints=double_step"}, Settings{"solver.coordinates=cartesian"},
        Settings{"solver.constraints=baumgarte"}, Settings{"solver.integrator=esdirk3"}, Settings{"solver.integrator=bdf2"},
        Settings{"solver.constraints=double_step", "solver.integrator=rk4", "solver.step=0.1 ms", "solver.duration=0.3 s"},
        Settings{"solver.constraints=double_step", "solver.integrator=cvode"},
        Settings{"solver.coupling=cosimulation", "coupling.step=1 ms"}, Settings{"control.position.period=7 ms"},
        Settings{"solver.step=0.1 ms", "solver.duration=0.2 s"}, Settings{"solver.step=10 ms"}})
    for (const double scale : {1.0, 1e-3, 1e3}) {
      const CaseResult signals = run_case(test::model_from(with_signals(scale), settings)),
                       blocks = run_case(test::model_from(with_blocks(scale), settings));
      ASSERT_FALSE(signals.failure || blocks.failure) << settings[0] << scale;
      EXPECT_EQ(signals.recorder->recording().columns[0], blocks.recorder->recording().columns[0]) << settings[0] << scale;
      for (const char* channel : {"ram.length", "ram.rate", "side_A.pressure", "valve.spool", "opened.output"})
        EXPECT_EQ(column(signals, channel), column(blocks, channel)) << settings[0] << scale << channel;
      const std::vector<double>&command = column(signals, "command.signal"), &correction = column(signals, "correction.signal"),
            &factor = column(signals, "factor.signal"), &push = column(signals, "push.signal"), &share = column(signals, "share.signal"),
            &position = column(signals, "position.output"), &filtered = column(signals, "filtered.output"),
            &opened = column(signals, "opened.output");
      for (std::size_t i = 0; i < command.size(); ++i) {
        EXPECT_NEAR(command[i], correction[i] + position[i] + push[i], 1e-9) << settings[0] << scale << " " << i;
        EXPECT_NEAR(correction[i], filtered[i] * share[i] * 1e-7, 1e-9);
        EXPECT_NEAR(factor[i], opened[i] * share[i] * command[i], 1e-9);
      }
      EXPECT_GT(*std::max_element(factor.begin(), factor.end()), 0.005);
    }
  const CaseResult one = run_case(test::model_from(with_signals())),
                   other = run_case(test::model_from(with_blocks(), {"control.command.sum.gains=[1, 1, 1.001]"}));
  EXPECT_NE(column(one, "ram.length"), column(other, "ram.length"));
}

/// The steps of the operand that is a signal end steps of the run, as those of the operands of a block do.
TEST(SignalsWithBlocks, JumpWithTheirOperands) {
  const auto signals = test::model_from(with_signals()), blocks = test::model_from(with_blocks());
  EXPECT_EQ(signals->jumps, blocks->jumps);
  EXPECT_EQ(signals->force_jumps, blocks->force_jumps);
  ASSERT_FALSE(std::find(signals->jumps.begin(), signals->jumps.end(), kJump) == signals->jumps.end());
  Runner runner(signals), unsplit(test::model_from(with_signals(), {"solver.split_jumps=false"}));
  runner.advance(0.2);
  unsplit.advance(0.2);
  EXPECT_EQ(runner.statistics().steps, unsplit.statistics().steps + 1);
}

TEST(SignalsWithBlocks, BelongToTheStructure) {
  const auto fingerprint_of = [](const Settings& set) { return fingerprint(test::model_from(with_signals(), set)->description); };
  EXPECT_EQ(fingerprint_of({}), fingerprint_of({"signals.push.steps=[[0, 1]]"}));
  EXPECT_NE(fingerprint_of({}), fingerprint_of({"signals.command.sum=[position, push]"}));
  EXPECT_NE(fingerprint_of({}), fingerprint_of({"signals.factor={product: [push, share]}"}));  // a signal over time
}

std::string error_of(const std::string& text, const Settings& set = {}) {
  try {
    test::model_from(text, set);
  } catch (const InputError& error) { return error.what(); }
  return "";
}

TEST(SignalsWithBlocks, AreNamedInErrorsAsWritten) {
  const auto expect = [](const std::string& error, const std::vector<const char*>& parts) {
    for (const char* part : parts) EXPECT_NE(error.find(part), std::string::npos) << part << "\n" << error;
  };
  const std::string text = with_signals();
  expect(error_of(text, {"signals.command.sum=[correction, nobody]"}),
         {"signals.command.sum.1", "`nobody` is not the name of a signal, an input or a control block"});
  expect(error_of(text, {"control.filtered={gain: {input: command}}", "control.position={gain: {input: command}}"}),
         {"signals.command", "algebraic loop", "command -> correction -> filtered -> command"});
  expect(error_of(text, {"signals.correction={product: [filtered, command]}", "signals.command={sum: [correction, position]}",
                         "control.filtered={gain: {input: 2}}"}),
         {"the signal `command` refers to itself"});
  expect(error_of(text, {"motions={m: {joint: slide, signal: factor}}"}),
         {"motions.m.signal", "the signal `factor` contains the value of a control block", "follow a `low_pass` with `frequency`"});
  std::string many = "push";
  for (int i = 1; i < 32; ++i) many += ", push";
  EXPECT_EQ(error_of(text, {"signals.unit={sum: [" + many + ", push]}"}), "");  // over time
  EXPECT_EQ(error_of(text, {"signals.factor={sum: [" + many + "]}"}), "");
  expect(error_of(text, {"signals.factor={sum: [" + many + ", command]}"}),
         {"signals.factor", "found a list of 33, with the value of a control block", "at most 32 signals and blocks"});
}

/// A command of a sequence, whose name has a point, and an input.
TEST(SignalsWithBlocks, TakeCommandsOfSequencesAndInputs) {
  const auto model = test::model_from(R"(
trunnion: 1
bodies: {a: {rod: {length: 1, mass: 1}}}
joints: {a: {revolute: {parent: ground}}}
forces: {t: {joint: a, load: 1 N m, signal: both}}
inputs: {hand: 3}
signals: {both: {sum: [cycle.boom, hand]}}
control: {cycle: {sequence: {steps: [{until: elapsed > 0.05, set: {boom: 2}}, {until: elapsed > 1, set: {boom: 5}}]}}}
record: {channels: [both.signal]}
solver: {step: 10 ms, duration: 0.1 s}
)");
  const CaseResult result = run_case(model);
  ASSERT_FALSE(result.failure);
  EXPECT_NEAR(column(result, "both.signal").front(), 5, 1e-12);
  EXPECT_NEAR(column(result, "both.signal").back(), 8, 1e-12);
}

/// The delay of a sensor is one of its input: exact but for (frequency delay)^7 / 100800, and before its noise, range and steps.
TEST(Sensors, DelayTheirInput) {
  constexpr double kDelay = 20e-3, kRate = 2 * std::numbers::pi * 2;
  const auto errors = [&](const std::string& more) {
    const CaseResult run = run_case(test::model_from(fmt::format(R"(
trunnion: 1
bodies: {{weight: {{point_mass: {{mass: 1}}}}}}
joints: {{weight: {{prismatic: {{parent: ground, axis: x}}}}}}
gravity: [0, 0, 0]
signals: {{wave: {{sine: {{amplitude: 1, frequency: 2 Hz}}}}}}
control: {{measured: {{sensor: {{input: wave, delay: {:.17g} s{}}}}}}}
record: {{channels: ["*", measured.output]}}
solver: {{step: 0.5 ms, duration: 1 s}}
)",
                                                                 kDelay, more)));
    if (run.failure) throw Error("failed");
    const std::vector<double>&t = column(run, "time"), &w = column(run, "measured.output");
    double largest = 0;
    for (std::size_t i = 0; i < t.size(); ++i)
      if (t[i] > 10 * kDelay) largest = std::max(largest, std::abs(w[i] - std::sin(kRate * (t[i] - kDelay))));
    return largest;
  };
  EXPECT_LT(errors(""), 1e-4);
  EXPECT_NEAR(errors(", max: 0.5"), 0.5, 1e-2);
  EXPECT_GT(errors(", time_constant: 5 ms"), 0.05);
}

}  // namespace
}  // namespace trunnion
