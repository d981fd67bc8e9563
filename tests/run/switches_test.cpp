// Modes of control blocks that change within steps: relay, timer, counter, sequence and hand-over without samples. References: closed
// forms of linear and exponential courses, own integrations, the period of a pendulum.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "linearise/linear_model.h"
#include "machine/start.h"
#include "results/response_sensitivity.h"
#include "run/channel_samples.h"
#include "run/run.h"
#include "run/switch_search.h"
#include "schema/parameters.h"
#include "support/allocation_counter.h"
#include "support/machines.h"
#include "trunnion/batch.h"
#include "trunnion/simulation.h"

namespace trunnion {
namespace {

using Event = SwitchRecord::Event;

/// Blocks beside a volume at rest.
std::string blocks(const std::string& control, const std::string& more = "") {
  return "trunnion: 1\nfluid: {density: 870, bulk_modulus: 1500 MPa}\nvolumes: {v: {volume: 1 L, pressure: 1 bar}}\ncontrol: {" + control +
         "}\n" + more + "solver: {step: 7 ms, duration: 3 s}\n";
}
/// A level that rises by 1.5 and falls by 1 per second between 0.3 and 0.7.
std::string level(double scale = 1) {
  return blocks(
      fmt::format("heat: {{relay: {{input: level, on: {:.17g}, off: {:.17g}, value_on: {:.17g}, value_off: {:.17g}}}}}, level: "
                  "{{integrator: {{input: heat, start: {:.17g}}}}}",
                  0.7 * scale, 0.3 * scale, -scale, 1.5 * scale, 0.4 * scale));
}
/// A temperature that approaches 1 and 0 with a time constant of 0.2 s between 0.3 and 0.7.
const char* const kThermostat =
    "heat: {relay: {input: temperature, on: 0.7, off: 0.3, value_on: 0, value_off: 1}}, difference: {sum: {inputs: [heat, temperature], "
    "gains: [1, -1]}}, temperature: {integrator: {input: difference, gain: 5, start: 0.4}}";

const SwitchRecord& record(const RunStatistics& statistics, const std::string& name) {
  for (const SwitchRecord& r : statistics.incidents.switches)
    if (r.name == name) return r;
  throw Error("no " + name);
}
std::vector<Event> events(const std::string& text, const std::string& name, const std::vector<std::string>& set = {}) {
  Runner run(test::model_from(text, set));
  run.advance(run.model()->description.solver.duration);
  return record(run.statistics(), name).events;
}
double value_of(const Runner& run, const std::string& name) {
  const auto& names = run.model()->state_names;
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) throw Error("no " + name);
  return run.state().y()[at - names.begin()];
}
/// Largest error of the instants.
double error_of(const std::vector<Event>& found, const std::vector<double>& exact) {
  if (found.size() < exact.size()) return 1;
  double error = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) error = std::max(error, std::abs(found[i].time - exact[i]));
  return error;
}
std::vector<double> level_times() {
  std::vector<double> times{0.2};
  while (times.size() < 8) times.push_back(times.back() + (times.size() % 2 == 1 ? 0.4 : 0.4 / 1.5));
  return times;
}
std::vector<double> thermostat_times() {
  std::vector<double> times{0.2 * std::log(0.6 / 0.3)};
  while (times.size() < 12) times.push_back(times.back() + 0.2 * std::log(0.7 / 0.3));
  return times;
}

// ---------------------------------------------------------------- instants

TEST(Switches, InstantsOfLinearCoursesAreExact) {
  const std::vector<double> exact = level_times();
  for (const char* step : {"solver.step=0.7 ms", "solver.step=7 ms", "solver.step=70 ms"}) {
    const std::vector<Event> found = events(level(), "heat", {step});
    EXPECT_LT(error_of(found, exact), 1e-8) << step;
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i].on, i % 2 == 0);
  }
  EXPECT_GT(error_of(events(level(), "heat", {"solver.split_jumps=false"}), exact), 1e-3);
  for (const double scale : {1e-6, 1e6}) EXPECT_LT(error_of(events(level(scale), "heat"), exact), 1e-8) << scale;
}

TEST(Switches, ErrorsFallWithTheSquareOfTheStep) {
  const std::vector<double> exact = thermostat_times();
  const auto error = [&](const std::string& step, const std::vector<std::string>& more = {}) {
    std::vector<std::string> set{"solver.step=" + step};
    set.insert(set.end(), more.begin(), more.end());
    return error_of(events(blocks(kThermostat), "heat", set), exact);
  };
  const double coarse = error("8 ms"), fine = error("2 ms"), finest = error("0.5 ms");
  EXPECT_LT(finest, 2e-6);
  EXPECT_NEAR(std::log(coarse / fine) / std::log(4), 2, 0.1);
  EXPECT_NEAR(std::log(fine / finest) / std::log(4), 2, 0.1);
  EXPECT_GT(error("0.5 ms", {"solver.split_jumps=false"}), 100 * finest);
}

TEST(Switches, OtherIntegratorsAgree) {
  const std::vector<double> exact = thermostat_times();
  const std::string text = blocks(kThermostat);
  EXPECT_LT(error_of(events(text, "heat", {"solver.integrator=rk4", "solver.constraints=double_step"}), exact), 1e-7);
  EXPECT_LT(error_of(events(text, "heat", {"solver.integrator=cvode", "solver.constraints=double_step"}), exact), 1e-5);
  EXPECT_LT(error_of(events(text, "heat", {"solver.integrator=ida", "solver.constraints=baumgarte"}), exact), 1e-5);
}

/// A pump that a pressure switch turns on and off, an accumulator and a consumer.
const char* const kPressureSwitch = R"(
trunnion: 1
fluid: {density: 870 kg/m^3, bulk_modulus: 1500 MPa}
volumes: {v: {volume: 2 L, pressure: 120 bar}}
accumulators: {store: {P: v, gas: {volume: 2 L, precharge: 80 bar}, neck: {diameter: 20 mm}}}
sources: {feed: {flow: pump, to: v}, tank: {pressure: 1 bar}}
valves: {consumer: {orifice: {A: v, B: tank, flow: 10 L/min, at_pressure_drop: 100 bar}}}
control: {pump: {relay: {input: v.pressure, on: 140 bar, off: 110 bar, value_on: 0, value_off: 5e-4}}}
solver: {step: 2 ms, duration: 12 s}
)";

/// Pressures at which the relay changes.
struct PressuresAtSwitches final : RunWatcher {
  std::vector<double> pressures;
  void at(const StepRecord& step) override {
    if (step.side == Side::right && step.state.time > 0) pressures.push_back(step.state.y()[0]);
  }
};

TEST(Switches, APressureSwitchActsAtItsPressures) {
  const auto pressures = [](const std::vector<std::string>& set) {
    Runner run(test::model_from(kPressureSwitch, set));
    PressuresAtSwitches watcher;
    run.advance(12, &watcher);
    return watcher.pressures;
  };
  const std::vector<double> found = pressures({});
  ASSERT_GE(found.size(), 4U);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], i % 2 == 0 ? 140e5 : 110e5, 1) << i;
  const std::vector<double> late = pressures({"solver.split_jumps=false"});
  double largest = 0;
  for (std::size_t i = 0; i < late.size(); ++i) largest = std::max(largest, std::abs(late[i] - (i % 2 == 0 ? 140e5 : 110e5)));
  EXPECT_GT(largest, 100);
}

/// A force of 2 N on 1 kg away from 0, from 0.5 m on back to it, until 0.2 m: accelerations are constant.
TEST(Switches, AForceReversesAtItsPositions) {
  const auto text = [](double mass) {
    return fmt::format(
        "trunnion: 1\ngravity: [0, 0, 0]\nfluid: {{density: 870, bulk_modulus: 1500 MPa}}\nvolumes: {{v: {{volume: 1 L, pressure: 1 "
        "bar}}}}\nbodies: {{m: {{point_mass: {{mass: {0:.17g}}}}}}}\njoints: {{m: {{prismatic: {{parent: ground, axis: x}}}}}}\nforces: "
        "{{f: "
        "{{joint: m, load: {0:.17g}, signal: push}}}}\ncontrol: {{push: {{relay: {{input: m.position, on: 0.5, off: 0.2, value_on: -2, "
        "value_off: 2}}}}}}\nsolver: {{step: 7 ms, duration: 3 s}}\n",
        mass);
  };
  const std::vector<double> exact{std::sqrt(0.5), std::sqrt(2.0) + std::sqrt(0.8)};
  for (const double mass : {1e-3, 1.0, 1e4}) {
    for (const char* integrator : {"trapezoidal", "rk4", "generalized_alpha"})
      EXPECT_LT(
          error_of(events(text(mass), "push", {std::string("solver.integrator=") + integrator, "solver.constraints=double_step"}), exact),
          1e-8)
          << mass << " " << integrator;
    EXPECT_LT(error_of(events(text(mass), "push", {"solver.step=70 ms"}), exact), 1e-8) << mass;
  }
  EXPECT_GT(error_of(events(text(1), "push", {"solver.split_jumps=false"}), exact), 1e-4);
}

TEST(Switches, CountTheSwingsOfAPendulum) {
  const std::string text =
      std::string(test::kPendulum) +
      "fluid: {density: 870, bulk_modulus: 1500 MPa}\nvolumes: {v: {volume: 1 L, pressure: 1 bar}}\ncontrol: {swings: {counter: "
      "{input: returns}}, returns: {expression: a.rate > 0}}\n";
  constexpr double kQuarter = 1.8540746773013719;  // complete elliptic integral at sin(pi/4): an amplitude of a right angle
  const double period = 4 * kQuarter * std::sqrt(2.0 / 3 / 9.81);
  const std::vector<Event> found = events(text, "swings", {"solver.duration=10 s"});
  std::vector<double> begins;
  for (const Event& e : found)
    if (e.on) begins.push_back(e.time);
  ASSERT_EQ(begins.size(), static_cast<std::size_t>(std::floor(10 / period + 0.5)));
  for (std::size_t k = 0; k < begins.size(); ++k) EXPECT_NEAR(begins[k], (static_cast<double>(k) + 0.5) * period, 1e-4) << k;
  Runner run(test::model_from(text, {"solver.duration=10 s"}));
  run.advance(10);
  EXPECT_EQ(value_of(run, "swings.output"), static_cast<double>(begins.size()));
}

/// x' = 5 (1 - x) by an integrator whose input is a block that depends on it, and so comes after it.
TEST(Switches, RatesDependOnValuesOfBlocksThatComeLater) {
  const auto model = test::model_from(
      blocks("difference: {sum: {inputs: [x], gains: [-1], offset: 1}}, x: {integrator: {input: difference, gain: 5, start: 0.4}}"),
      {"solver.integrator=rk4", "solver.constraints=double_step"});
  Runner run(model);
  run.advance(0.7);
  EXPECT_NEAR(value_of(run, "x.state"), 1 - 0.6 * std::exp(-3.5), 1e-8);
  const LinearModel linear = linearise(model, run.state());
  ASSERT_GE(linear.A.rows(), 1);
  EXPECT_NEAR(linear.A(linear.A.rows() - 1, linear.A.rows() - 1), -5, 1e-9);
}

/// A pendulum that a relay pushes by its angle, against the variable-step reference.
TEST(Switches, OfAMachineAreOfOrderTwoAndThoseOfTheReference) {
  const std::string text =
      "trunnion: 1\ngravity: [0, -9.81, 0]\nfluid: {density: 870, bulk_modulus: 1500 MPa}\nvolumes: {v: {volume: 1 L, pressure: 1 "
      "bar}}\nbodies: {a: {rod: {length: 1, mass: 1}}}\njoints: {a: {revolute: {parent: ground}, angle: 0}}\nforces: {m: {joint: a, load: "
      "1 N m, signal: push}}\ncontrol: {push: {relay: {input: a.angle, on: -0.7, off: -2.2, value_on: 1, value_off: -2}}}\nsolver: {step: "
      "2 "
      "ms, duration: 5 s}\n";
  const auto end = [&](const std::vector<std::string>& set) {
    Runner run(test::model_from(text, set));
    run.advance(4);
    return std::pair(run.state().q()[0], record(run.statistics(), "push").events.at(0).time);
  };
  const auto exact = end({"solver.integrator=cvode", "solver.constraints=double_step"}), coarse = end({"solver.step=4 ms"}),
             fine = end({"solver.step=1 ms"});
  EXPECT_NEAR(std::log(std::abs((coarse.first - exact.first) / (fine.first - exact.first))) / std::log(4), 2, 0.1);
  EXPECT_NEAR(std::log(std::abs((coarse.second - exact.second) / (fine.second - exact.second))) / std::log(4), 2, 0.1);
  EXPECT_NEAR(fine.first, exact.first, 1e-6);
}

// ---------------------------------------------------------------- other blocks

const char* const kRamp = "signals: {u: {ramps: [[0, 0], [1 s, 1], [2 s, 0], [3 s, 1]]}}\n";

TEST(Switches, TimersRunFromCrossingToCrossing) {
  Runner run(test::model_from(blocks("t: {timer: {input: high}}, high: {expression: u > 0.3 and not (u > 0.8)}", kRamp)));
  run.advance(0.5);
  EXPECT_NEAR(value_of(run, "t.output"), 0.2, 1e-9);
  run.advance(0.79999);
  EXPECT_NEAR(value_of(run, "t.output"), 0.49999, 1e-9);
  run.advance(0.81);
  EXPECT_EQ(value_of(run, "t.output"), 0);
  run.advance(1.6);
  EXPECT_NEAR(value_of(run, "t.output"), 0.4, 1e-9);
}

TEST(Switches, CountersAreResetWhileTheirConditionHolds) {
  Runner run(
      test::model_from(blocks("n: {counter: {input: high, reset: low}}, high: {expression: u > 0.33}, low: {expression: u < 0.1}", kRamp)));
  run.advance(1.5);
  EXPECT_EQ(value_of(run, "n.output"), 1);
  run.advance(1.95);
  EXPECT_EQ(value_of(run, "n.output"), 0);
  run.advance(3);
  EXPECT_EQ(value_of(run, "n.output"), 1);
}

TEST(Switches, StepsOfSequencesEndAtTheirInstants) {
  const std::string text = blocks(
      "s: {sequence: {repeat: true, steps: [{until: u > 0.4321, set: {a: 1}}, {until: elapsed > 0.1234, set: {a: 2}}, {until: elapsed > "
      "0.5 and u < 0.7, set: {a: 3}}]}}",
      kRamp);
  const std::vector<Event> found = events(text, "s");
  // 0.4321; + 0.1234; u falls below 0.7 at 1.3 (0.5 s are over at 1.0555); then u is above 0.4321 at once
  EXPECT_LT(error_of(found, {0.4321, 0.5555, 1.3, 1.4234}), 1e-8);
  Runner run(test::model_from(text));
  run.advance(1.35);
  EXPECT_EQ(value_of(run, "s.a.output"), 2);
  EXPECT_NEAR(value_of(run, "s.state"), 0.05, 1e-9);
}

TEST(Switches, ASwitchMayBringAnother) {
  // `second` follows `first` at once, though it opens a loop with it
  const std::string text = blocks(
      "first: {relay: {input: total, on: 0.5, off: 0.1}}, total: {sum: {inputs: [u, second], gains: [1, 0.01]}}, second: {relay: {input: "
      "first, on: 0.9, off: 0.2}}",
      kRamp);
  EXPECT_LT(error_of(events(text, "first"), {0.5}), 1e-8);
  EXPECT_LT(error_of(events(text, "second"), {0.5}), 1e-8);
}

// ---------------------------------------------------------------- hand-over

constexpr double kStiffness = 1500e6 / 1e-3;  // [Pa/m3]
const char* const kHandOver = R"(
trunnion: 1
fluid: {density: 870 kg/m^3, bulk_modulus: 1500 MPa}
volumes: {v: {volume: 1 L, pressure: 5 MPa}}
sources: {feed: {flow: command, to: v}}
control:
  command: {pid: {setpoint: 7e6, measurement: v.pressure, gain: 2e-11, integral_time: 50 ms, manual: 2e-6, automatic: near}}
  near: {expression: v.pressure > 6e6}
solver: {step: 1 ms, duration: 1 s, tolerance_pressure: 1e-5, tolerance_other: 1e-15}
)";

/// Pressure [Pa] at t by own equations: a constant flow to 6 MPa, then p' = K v, v = gain (r - p) + I from the same flow on.
double pressure_by_hand_over(double t) {
  const double begin = 1e6 / (kStiffness * 2e-6);
  if (t < begin) return 5e6 + kStiffness * 2e-6 * t;
  constexpr int kParts = 20000;
  const double h = (t - begin) / kParts;
  std::array<double, 2> y{6e6, 2e-6 - 2e-11 * 1e6};
  const auto rates = [](const std::array<double, 2>& at) {
    const double e = 7e6 - at[0];
    return std::array{kStiffness * (2e-11 * e + at[1]), 2e-11 / 0.05 * e};
  };
  for (int i = 0; i < kParts; ++i) {
    const auto ahead = [&](const std::array<double, 2>& slope, double length) {
      return std::array{y[0] + length * slope[0], y[1] + length * slope[1]};
    };
    const auto a = rates(y), b = rates(ahead(a, h / 2)), c = rates(ahead(b, h / 2)), d = rates(ahead(c, h));
    for (std::size_t k = 0; k < 2; ++k) y[k] += h / 6 * (a[k] + 2 * b[k] + 2 * c[k] + d[k]);
  }
  return y[0];
}

TEST(Switches, AHandOverUnderAConditionOfTheStateIsOfOrderTwo) {
  EXPECT_LT(error_of(events(kHandOver, "command"), {1e6 / (kStiffness * 2e-6)}), 1e-8);
  const double exact = pressure_by_hand_over(0.38);
  const auto error = [&](const std::vector<std::string>& set) {
    Runner run(test::model_from(kHandOver, set));
    run.advance(0.38);
    return std::abs(value_of(run, "v.pressure") - exact);
  };
  const double coarse = error({"solver.step=2 ms", "solver.oil_rule=trapezoidal"}),
               fine = error({"solver.step=0.5 ms", "solver.oil_rule=trapezoidal"});
  EXPECT_NEAR(std::log(coarse / fine) / std::log(4), 2, 0.1);
  EXPECT_GT(error({"solver.step=0.7 ms", "solver.split_jumps=false"}), 10 * fine);
}

// ---------------------------------------------------------------- bounds

/// A level that is held at 0.5 by a relay without hysteresis.
const char* const kChatters =
    "slide: {relay: {input: level, on: 0.5, off: 0.499999999999, value_on: -1, value_off: 1}}, level: {integrator: {input: slide}}";

TEST(Switches, ChatteringIsBoundedAndReported) {
  Runner run(test::model_from(blocks(kChatters)));
  run.advance(1);
  EXPECT_NEAR(value_of(run, "level.output"), 0.5, 0.008);
  const RunStatistics& s = run.statistics();
  EXPECT_GT(s.late_switches, 10);
  EXPECT_LT(s.steps, 18 * 143);
  EXPECT_EQ(record(s, "slide").events.size(), SwitchRecord::kMostKept);
  EXPECT_NE(late_switch_warning(*run.model(), s).find("control.slide: modes of control blocks change too often"), std::string::npos);
  Runner calm(test::model_from(level()));
  calm.advance(3);
  EXPECT_EQ(calm.statistics().late_switches, 0);
}

TEST(Switches, ARunContinuesBitForBit) {
  for (const std::string& text : {level(), blocks(kThermostat), blocks(kChatters), std::string(kPressureSwitch)}) {
    const auto model = test::model_from(text);
    for (const double middle : {0.2, 0.2005, 0.7}) {
      Runner whole(model), first(model);
      whole.advance(middle);
      whole.advance(1.4);
      first.advance(middle);
      Runner second(model, first.state());
      second.advance(1.4);
      EXPECT_EQ(whole.state().values(), second.state().values()) << middle;
    }
  }
}

/// Machines of a batch share a loop; each step of one begins where that of another one ended.
TEST(Switches, ABatchEqualsSingleSimulations) {
  for (const char* off : {"0.3", "0.699999999999"}) {
    const auto model = Model::from_text(blocks(
        std::string("heat: {relay: {input: level, on: 0.7, off: ") + off +
            ", value_on: -1, value_off: 1}}, level: {integrator: {input: driven, start: 0.4}}, driven: {product: {inputs: [heat, gain]}}",
        "inputs: {gain: {default: 1}}\n"));
    BatchOptions options;
    options.threads = 2;
    options.inputs = {model->input("gain")};
    options.outputs = {model->channel("level.state"), model->channel("time")};
    Batch fleet(model, 5, options);
    const std::vector<double> gains{0.5, 0.9, 1.3, 2, 7};
    std::vector<double> found(2 * gains.size()), expected;
    fleet.set_inputs(gains.data());
    EXPECT_EQ(fleet.step(100), 0);
    fleet.read(found.data());
    for (const double gain : gains) {
      Simulation single(model);
      single.set(model->input("gain"), gain);
      for (int n = 0; n < 100; ++n) single.step();
      for (const auto channel : options.outputs) expected.push_back(single.value(channel));
    }
    EXPECT_EQ(found, expected) << off;
  }
}

TEST(Switches, AreAmongTheIncidents) {
  Simulation run = Simulation::from_text(level());
  std::vector<Message> messages;
  run.on_message([&](const Message& message) { messages.push_back(message); });
  run.run_until(1);
  const std::vector<Incident> incidents = run.incidents();
  ASSERT_EQ(incidents.size(), 1U);
  EXPECT_EQ(incidents[0].kind, Incident::Kind::block_switch);
  EXPECT_EQ(incidents[0].name, "heat");
  EXPECT_EQ(incidents[0].count, 3);  // at 0.2, 0.6 and 0.867 s
  EXPECT_NEAR(incidents[0].first_time, 0.2, 1e-8);
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(messages[0].text, "heat: the control block switched");
  Simulation sliding = Simulation::from_text(blocks(kChatters));
  messages.clear();
  sliding.on_message([&](const Message& message) { messages.push_back(message); });
  sliding.run_until(1);
  const auto warns = [](const Message& m) { return m.severity == Message::Severity::warning; };
  EXPECT_EQ(std::count_if(messages.begin(), messages.end(), warns), 1);
}

TEST(Switches, MakeNoAllocation) {
  if (!test::allocations_are_counted()) return;
  const auto model = test::model_from(level());
  StepLoop loop(model, start_state(*model));
  const auto advance = [&](double end) {
    while (!loop.schedule().reached(loop.state().time, end)) {
      if (loop.restart_due() && !loop.restart()) return;
      loop.step(end, nullptr);
    }
  };
  advance(0.3);
  const long before = test::allocations();
  advance(2);
  EXPECT_EQ(test::allocations(), before);
}

TEST(Switches, TheSearchFindsTheFirstCrossingOfSeveral) {
  const std::vector<std::function<double(double)>> margins{[](double t) { return 0.7 - t; }, [](double t) { return 0.1 - t * t * t; },
                                                           [](double) { return 1.0; }, [](double t) { return t < 0.9 ? 0.5 : -0.5; }};
  SwitchSearch search(margins.size());
  const auto fill = [&](double* to, double t) {
    for (std::size_t i = 0; i < margins.size(); ++i) to[i] = margins[i](t);
  };
  fill(search.low_margins(), 0);
  fill(search.high_margins(), 1);
  ASSERT_TRUE(search.begin(1, 1e-10, 1e-6));
  int repeats = 0;
  while (const std::optional<double> length = search.next()) {
    fill(search.tried_margins(), *length);
    search.tried(*length);
    ++repeats;
  }
  EXPECT_NEAR(search.found(), std::cbrt(0.1), 1e-9);
  EXPECT_LE(margins[1](search.found()), 0);
  EXPECT_EQ(search.block(), 1);
  EXPECT_TRUE(search.crossed());
  EXPECT_LE(repeats, 20);  // halving alone takes 33
}

/// Levels that are reached and kept, corners at a level, and jumps of a condition of any size: there secants do not help.
TEST(Switches, AtCornersAndJumpsAreFoundByHalving) {
  struct {
    const char *course, *blocks;
    double exact;
  } const cases[] = {{"[[0.2 s, 0], [0.3, 1], [0.5, 1], [0.6031 s, 0]]", "r: {relay: {input: u, on: 0.5, off: 0}}", 0.6031},
                     {"[[0.5031 s, 0], [1.5031 s, 1]]", "c: {expression: u > 0}, r: {relay: {input: c, on: 0.5, off: 0.2}}", 0.5031},
                     {"[[0.5031 s, 0], [1.5031 s, 1]]", "r: {relay: {input: u, on: 1e-5, off: -1}}", 0.50311},
                     {"[[0 s, 0], [1 s, 1]]", "c: {expression: 'if(u > 0.3, 1, 0)'}, r: {relay: {input: c, on: 0.5, off: 0.2}}", 0.3},
                     {"[[0 s, 0], [1 s, 1]]", "c: {expression: 'if(u > 0.3, 1e6, 0)'}, r: {relay: {input: c, on: 0.5, off: 0.2}}", 0.3},
                     {"[[0 s, 0], [1 s, 1]]", "c: {expression: 'if(u > 0.3, 24, 0)'}, r: {relay: {input: c, on: 2, off: 1}}", 0.3}};
  for (const auto& [course, control, exact] : cases)
    for (const char* step : {"0.7 ms", "7 ms", "70 ms"}) {
      SCOPED_TRACE(fmt::format("{}, {}", control, step));
      const std::vector<Event> found =
          events(blocks(control, fmt::format("signals: {{u: {{ramps: {}}}}}\n", course)), "r", {fmt::format("solver.step={}", step)});
      ASSERT_FALSE(found.empty());
      EXPECT_NEAR(found.back().time, exact, 3e-9);
    }
}

/// However many there are, and in whatever order they stand.
TEST(Switches, FollowEachOtherAtTheSameInstant) {
  for (const bool backward : {false, true}) {
    std::string control = "level: {integrator: {input: u}}";
    for (int i = 0; i < 40; ++i) {
      const std::string input = i == 0 ? "level" : fmt::format("r{}", i - 1),
                        one = fmt::format("r{}: {{relay: {{input: {}, on: 0.5, off: -1}}}}", i, input);
      control = backward ? one + ", " + control : control + ", " + one;
    }
    EXPECT_LE(error_of(events(blocks(control, "signals: {u: 1}\n"), "r39"), {0.5}), 3e-9) << backward;
  }
}

// ---------------------------------------------------------------- derivatives

TEST(Switches, SensitivitiesIncludeTheInstants) {
  const auto model = test::model_from(blocks(kThermostat));
  const std::vector<SampledChannel> channels{{"temperature.state", {0.1, 0.5, 0.9, 1.3}}};
  const std::vector<std::string> paths{"control.heat.relay.on", "control.temperature.integrator.gain"};
  const ResponseSensitivity exact = response_sensitivity(*model, paths, channels);
  ASSERT_EQ(exact.failure, "");
  for (std::size_t i = 0; i < paths.size(); ++i) {
    constexpr double kIncrement = 1e-5;
    const auto values = [&](double change) {
      Description description = model->description;
      set_values(description, {paths[i]}, {(i == 0 ? 0.7 : 5) + change});
      const auto other = compile(std::move(description));
      ChannelSamples samples(other, channels);
      Runner run(other, start_state(*other));
      samples.begin(run.state());
      run.advance(samples.last_time(), &samples);
      return samples.values()[0];
    };
    const std::vector<double> up = values(kIncrement), down = values(-kIncrement);
    for (std::size_t k = 0; k < up.size(); ++k)
      EXPECT_NEAR(exact.derivatives[i][0][k], (up[k] - down[k]) / (2 * kIncrement), 1e-6) << paths[i] << " " << k;
  }
  EXPECT_GT(std::abs(exact.derivatives[0][0].back()), 0.1);
  const ResponseGradient backward = response_gradient(*model, paths, channels, [](const auto&) {
    return SumWeights{{{0, 0, 0, 1}}, {{0, 0, 1, 0}}};
  });
  for (std::size_t i = 0; i < paths.size(); ++i) {
    EXPECT_NEAR(backward.gradients[0][i], exact.derivatives[i][0][3], 1e-9) << i;
    EXPECT_NEAR(backward.gradients[1][i], exact.derivatives[i][0][2], 1e-9) << i;
  }
}

TEST(Switches, StepsAtThemHaveNoDerivativeAtAFixedLength) {
  trunnion::Simulation run = trunnion::Simulation::from_text(level());
  run.run_until(0.196);
  EXPECT_NO_THROW(run.transition());
  run.run_until(0.203);  // its last part begins at 0.2 s
  try {
    (void)run.transition();
    FAIL() << "no error";
  } catch (const trunnion::ModelError& error) { EXPECT_NE(std::string(error.what()).find("mode of a control block"), std::string::npos); }
}

// ---------------------------------------------------------------- errors

TEST(Switches, HaveClearErrors) {
  const auto error = [](const std::string& control) -> std::string {
    try {
      test::model_from(blocks(control, kRamp));
    } catch (const InputError& e) { return e.what(); }
    return "";
  };
  EXPECT_EQ(error("r: {relay: {input: u, on: 1, off: 0}}"), "");
  EXPECT_NE(error("r: {relay: {input: u, on: 1, off: 1}}").find("control.r.relay.off"), std::string::npos);
  EXPECT_NE(error("r: {edge: {input: u}}").find("`period`"), std::string::npos);
  EXPECT_NE(error("r: {relay: {input: u, on: 1, off: 0}, latency: 1 ms}").find("control.r.latency"), std::string::npos);
}

}  // namespace
}  // namespace trunnion
