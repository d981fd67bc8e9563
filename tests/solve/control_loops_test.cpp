// Loops that only filters close: their start, steady where a steady state exists, and what follows, against closed forms.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <stdexcept>
#include <string>

#include "machine/start.h"
#include "run/channel_reader.h"
#include "run/run.h"
#include "support/machines.h"

namespace trunnion {
namespace {

std::string loops(const std::string& control, double reference = 1, double later = 2) {
  return fmt::format(R"(
trunnion: 1
bodies: {{weight: {{point_mass: {{mass: 1}}}}}}
joints: {{weight: {{prismatic: {{parent: ground, axis: x}}}}}}
gravity: [0, 0, 0]
signals: {{reference: {{steps: [[0, {:.17g}], [0.1, {:.17g}]]}}}}
control: {{{}}}
solver: {{step: 1 ms, duration: 1 s}}
)",
                     reference, later, control);
}

double value_of(const CompiledModel& model, const StateVector& state, const std::string& name) {
  const auto at = std::find(model.state_names.begin(), model.state_names.end(), name);
  if (at == model.state_names.end()) throw std::runtime_error("no " + name);
  return state.y()[at - model.state_names.begin()];
}

/// The first sample of blocks with an offset counts the time since the start, as a later one that since the sample before.
TEST(SampledBlocks, TheFirstOneCountsTheTimeSinceTheStart) {
  for (const double offset : {0.0, 0.001, 0.03, 0.0999}) {
    const std::string when = fmt::format("period: 0.1, offset: {}", offset);
    const auto model = test::model_from(loops(fmt::format("i: {{integrator: {{input: reference}}, {0}}}, t: {{timer: {{input: reference}}, "
                                                          "{0}}}, f: {{low_pass: {{input: reference, time_constant: "
                                                          "50 ms}}, {0}}}, s: {{sequence: {{steps: [{{until: elapsed > 0.35, set: {{a: "
                                                          "1}}}}, {{until: elapsed > 9, set: {{a: 2}}}}]}}, {0}}}",
                                                          when),
                                              1, 1));
    Runner run(model, start_state(*model));
    for (int k = 1; k < 9; ++k) {
      const double last = 0.1 * (k - 1) + offset + (offset > 0 ? 0 : 0.1);  // sample before k/10 + 0.095 at the latest
      run.advance(last + 1e-3);
      EXPECT_NEAR(value_of(*model, run.state(), "i.output"), last, 1e-9) << offset << " " << k;
      EXPECT_NEAR(value_of(*model, run.state(), "t.output"), last, 1e-9) << offset << " " << k;
      EXPECT_NEAR(value_of(*model, run.state(), "f.output"), 1, 1e-9) << offset << " " << k;
      EXPECT_EQ(value_of(*model, run.state(), "s.output"), last > 0.35 ? 2 : 1) << offset << " " << k;
    }
  }
}

/// At the start, whatever the order of the blocks in the file.
double start_of(const std::string& first, const std::string& second, const std::string& name, double reference = 1) {
  double found[2];
  for (const bool swapped : {false, true}) {
    const auto model = test::model_from(loops(swapped ? second + ", " + first : first + ", " + second, reference));
    found[swapped ? 1 : 0] = value_of(*model, start_state(*model), name);
  }
  EXPECT_NEAR(found[0], found[1], 1e-12 * std::abs(found[0]));
  return found[0];
}

/// b = a / (T s + 1), a = r + g b: b = r / (1 - g), and its time constant is T / (1 - g).
TEST(ControlLoops, OfAFilterStartSteadyAndFollowTheirPole) {
  const double T = 0.05;
  for (const double g : {0.5, -1.0, -3.0, -50.0})
    for (const double reference : {1.0, 1e-6, -1e7}) {
      const std::string a = fmt::format("a: {{sum: {{inputs: [reference, b], gains: [1, {}]}}}}", g);
      const std::string b = fmt::format("b: {{low_pass: {{input: a, time_constant: {} s}}}}", T);
      EXPECT_NEAR(start_of(a, b, "b.output", reference), reference / (1 - g), 1e-12 * std::abs(reference)) << g;
      EXPECT_NEAR(start_of(a, b, "a.output", reference), reference / (1 - g), 1e-12 * std::abs(reference)) << g;
      Runner run(test::model_from(loops(a + ", " + b, reference, 2 * reference)));
      run.advance(0.1);
      EXPECT_NEAR(value_of(*run.model(), run.state(), "b.output"), reference / (1 - g), 1e-9 * std::abs(reference)) << g;
      run.advance(0.12);
      const double expected = reference / (1 - g) * (2 - std::exp(-0.02 * (1 - g) / T));
      EXPECT_NEAR(value_of(*run.model(), run.state(), "b.output"), expected, 2e-3 * std::abs(expected)) << g;
    }
}

/// Positive feedback of gain 1 integrates: there is no steady state, and the filter starts at the input 0.
TEST(ControlLoops, WithoutASteadyStateStartAtZero) {
  const std::string a = "a: {sum: {inputs: [reference, b]}}", b = "b: {low_pass: {input: a, time_constant: 50 ms}}";
  EXPECT_EQ(start_of(a, b, "b.output"), 0);
  EXPECT_EQ(start_of(a, b, "a.output"), 1);
  Runner run(test::model_from(loops(a + ", " + b)));
  run.advance(0.1);
  EXPECT_NEAR(value_of(*run.model(), run.state(), "b.output"), 0.1 / 50e-3, 1e-9);
}

/// b = S / (T s + 1), S = clamp(r - 5 b, -0.2, 0.2): b = r / 6 within |r| < 0.24, and 0.2 where the limit holds, for r > 1.2.
TEST(ControlLoops, WithLimitsStartAtTheirSteadyState) {
  const std::string a = "a: {sum: {inputs: [reference, b], gains: [1, -5]}}, s: {saturation: {input: a, min: -0.2, max: 0.2}}";
  const std::string b = "b: {low_pass: {input: s, frequency: 3 Hz}}";
  EXPECT_NEAR(start_of(a, b, "b.output", 0.12), 0.02, 1e-12);
  EXPECT_NEAR(start_of(a, b, "b.output", 3), 0.2, 1e-12);
  EXPECT_NEAR(start_of(a, b, "b.output", -7), -0.2, 1e-12);
}

/// Two loops, one within the other, and a reader of both.
TEST(ControlLoops, WithinLoopsAndTheirReadersStartSteady) {
  const std::string inner = "e: {sum: {inputs: [reference, y, x], gains: [1, -2, -3]}}, x: {low_pass: {input: e, time_constant: 10 ms}}";
  const std::string outer =
      "y: {transfer_function: {input: x, numerator: [4], denominator: [1e-2, 0.3, 1]}}, "
      "z: {sum: {inputs: [x, y], gains: [1, 10]}}";
  // x = r - 2 y - 3 x, y = 4 x
  EXPECT_NEAR(start_of(inner, outer, "x.output"), 1.0 / 12, 1e-12);
  EXPECT_NEAR(start_of(inner, outer, "z.output"), 41.0 / 12, 1e-12);
}

/// A loop without a steady state, and a reader of the other one that is 0 in a steady state.
TEST(ControlLoops, StartOneByOne) {
  const std::string steady =
      "d: {sum: {inputs: [reference, e], gains: [1, -1]}}, e: {low_pass: {input: d, time_constant: 1 s}}, "
      "slope: {derivative: {input: e, time_constant: 10 ms}}";
  const std::string integrating = "p: {sum: {inputs: [e, q]}}, q: {low_pass: {input: p, time_constant: 1 s}}";
  for (const char* name : {"d.output", "e.output"}) EXPECT_NEAR(start_of(steady, integrating, name), 0.5, 1e-12) << name;
  EXPECT_EQ(start_of(steady, integrating, "q.output"), 0);
  EXPECT_EQ(start_of(steady, integrating, "p.output"), 0.5);
  EXPECT_NEAR(start_of(steady, integrating, "slope.output"), 0, 1e-9);
  Runner run(test::model_from(loops(steady + ", " + integrating, 1, 1)));
  run.advance(0.01);
  EXPECT_NEAR(value_of(*run.model(), run.state(), "slope.output"), 0, 1e-9);
}

TEST(ControlLoops, OfSampledBlocksStartSteady) {
  const std::string a = "a: {sum: {inputs: [reference, b], gains: [1, -1]}, period: 10 ms}";
  const std::string b = "b: {low_pass: {input: a, time_constant: 50 ms}, period: 10 ms, offset: 3 ms}";
  EXPECT_NEAR(start_of(a, b, "b.output"), 0.5, 1e-12);
  Runner run(test::model_from(loops(a + ", " + b)));
  run.advance(0.099);
  EXPECT_NEAR(value_of(*run.model(), run.state(), "b.output"), 0.5, 1e-12);
}

/// i' = -5 i, and s_k = s_(k-1) + r.
TEST(ControlLoops, OfABlockThatReadsItself) {
  const auto at = [](const std::string& control, const std::string& name, double time) {
    Runner run(test::model_from(loops(control, 1, 1)));
    run.advance(time);
    return value_of(*run.model(), run.state(), name);
  };
  EXPECT_NEAR(at("i: {integrator: {input: i, gain: -5, start: 1}}", "i.output", 0.5), std::exp(-2.5), 1e-6);
  EXPECT_EQ(at("b: {low_pass: {input: b, time_constant: 1 s}}", "b.output", 0.1), 0);
  const double counted = at("s: {sum: {inputs: [s, reference]}, period: 10 ms}", "s.output", 0.055);
  EXPECT_EQ(counted - at("s: {sum: {inputs: [s, reference]}, period: 10 ms}", "s.output", 0.005), 5);
  EXPECT_NO_THROW(at("n: {counter: {input: n}}, t: {timer: {input: t}}, r: {relay: {input: r, on: 1, off: 0}}", "n.output", 0.05));
}

/// x_k = x_(k-1) + T clamp((u - x_k)/tau, -fall, rise), which is clamp((x_(k-1) + T/tau u)/(1 + T/tau), x_(k-1) - T fall, x_(k-1) + T rise).
TEST(ControlLoops, SampledRateLimitersHaveASolution) {
  for (const double T : {1e-3, 5e-3, 20e-3, 100e-3}) {
    std::string text =
        loops(fmt::format("limited: {{rate_limiter: {{input: wave, rise: 4, fall: 2, time_constant: 1 ms}}, period: {} s}}", T));
    text.replace(text.find("signals: {"), 10, "signals: {wave: {sine: {amplitude: 1, frequency: 1 Hz}}, ");
    Runner run(test::model_from(text));
    double x = 0;
    const double ratio = T / 1e-3;
    for (int k = 1; k * T < 0.99; ++k) {
      run.advance(k * T + T / 2);
      x = std::clamp((x + ratio * std::sin(2 * std::numbers::pi * k * T)) / (1 + ratio), x - T * 2, x + T * 4);
      ASSERT_NEAR(value_of(*run.model(), run.state(), "limited.output"), x, 1e-9) << T << " " << k;
    }
  }
}

/// A braking profile: the root has no slope at the target.
TEST(ControlLoops, RootsAreTakenAtZero) {
  std::string text = loops(
      "e: {sum: {inputs: [reference, weight.position], gains: [1, -1]}}, v: {expression: 'sign(e)*sqrt(abs(e))'}, "
      "u: {pid: {setpoint: v, measurement: weight.speed, gain: 40}}",
      0, 0.5);
  text += "forces: {drive: {joint: weight, load: 1 N, signal: u}}\n";
  Runner run(test::model_from(text));
  run.advance(5);
  EXPECT_NEAR(run.state().q()[0], 0.5, 1e-4);
}

/// A loop that reads a pressure which is to be determined is no more known than the pressure.
TEST(ControlLoops, OfAnUnknownPressureAreRefused) {
  const std::string text =
      "trunnion: 1\nfluid: {density: 870, bulk_modulus: 1500 MPa}\nvolumes: {v: {volume: 1 L}}\nsources: {feed: {flow: f, to: v}}\n"
      "control: {f: {sum: {inputs: [v.pressure, g], gains: [1e-12, -1]}}, g: {low_pass: {input: f, time_constant: 1 s}}}\n";
  try {
    start_state(*test::model_from(text));
    ADD_FAILURE() << "no error";
  } catch (const InputError& error) { EXPECT_NE(std::string(error.what()).find("control.f"), std::string::npos) << error.what(); }
}

/// A value that becomes no number ends a run with the name of the block in which it arises, whatever drives and integrates.
TEST(ControlValues, ThatAreNoNumbersAreNamed) {
  const auto error_of = [](const std::string& control, const std::string& solver, const std::string& more = "") {
    const std::string text = R"(
trunnion: 1
bodies: {weight: {point_mass: {mass: 1}}}
joints: {weight: {prismatic: {parent: ground, axis: x}, speed: 1 m/s}}
gravity: [0, 0, 0]
signals: {falling: {table: [[0, 0.1], [0.1, -0.1]]}}
forces: {push: {joint: weight, load: 1 N, signal: pushed}}
control: {pushed: {gain: {input: cause, gain: 2}}, )" +
                             control + "}\nsolver: {step: 1 ms, duration: 1 s" + solver + "}\n" + more;
    Runner run(test::model_from(text));
    try {
      run.advance(1);
    } catch (const SimulationError& error) { return std::string(error.what()); }
    return std::string("none");
  };
  for (const char* solver :
       {"", ", integrator: esdirk3", ", constraints: double_step, integrator: rk4", ", constraints: double_step, integrator: cvode"})
    for (const char* control : {"cause: {expression: \"sqrt(falling)\"}", "cause: {expression: \"log(falling)\"}",
                                "cause: {expression: \"(0.05 - weight.position)^1.5\"}",
                                "cause: {integrator: {input: inner}}, inner: {expression: \"1/(max(falling, 0))\"}",
                                "cause: {expression: \"sqrt(falling)\", period: 7 ms}"}) {
      const std::string error = error_of(control, solver), block = std::strstr(control, "inner") != nullptr ? "inner" : "cause";
      EXPECT_NE(error.find("control." + block), std::string::npos) << control << solver << ": " << error;
      EXPECT_NE(error.find("not a finite number"), std::string::npos) << error;
    }
  const auto at_start = test::model_from(loops("twice: {gain: {input: cause, gain: 2}}, cause: {expression: \"log(0 * reference)\"}"));
  try {
    ChannelReader(at_start).begin(start_state(*at_start));
    ADD_FAILURE() << "a run starts without a number";
  } catch (const SimulationError& error) { EXPECT_NE(std::string(error.what()).find("control.cause"), std::string::npos) << error.what(); }
  // no numbers are no loops, which would be tried for ever
  for (const char* cause :
       {"cause: {expression: \"sqrt(-1 - reference^2)\"}", "raw: {expression: \"1 / (0 * reference)\"}, cause: {expression: raw - raw}",
        "cause: {sum: {inputs: [cause_lag, bad]}}, cause_lag: {low_pass: {input: cause, time_constant: 1}}, bad: {expression: sqrt(-1)}"}) {
    const auto model = test::model_from(loops(std::string("twice: {gain: {input: cause, gain: 2}}, ") + cause));
    EXPECT_THROW(ChannelReader(model).begin(start_state(*model)), SimulationError) << cause;
  }
  // another cause is not blamed on a block
  const std::string other = error_of("cause: {expression: falling}", ", constraints: double_step, integrator: rk4",
                                     "springs: {stiff: {joint: weight, stiffness: 1e12, rest: 0}}\n");
  EXPECT_NE(other, "none");
  EXPECT_EQ(other.find("not a finite number"), std::string::npos) << other;
}

}  // namespace
}  // namespace trunnion
