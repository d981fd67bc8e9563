// Anti-windup and hand-over of controllers, times of samples: against independent integrations of the same equations.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <thread>

#include "base/diagnostic.h"
#include "linearise/linear_model.h"
#include "machine/start.h"
#include "model/description_at.h"
#include "run/run.h"
#include "support/allocation_counter.h"
#include "support/machines.h"
#include "support/servo.h"

namespace trunnion {
namespace {

// ---------------------------------------------------------------- a pressure under control

constexpr double kStiffness = 1500e6 / 1e-3;  // [Pa/m3] of the volume

/// A volume of 1 L with a given flow out of it, which is negative, fed by `command`.
std::string pressure_loop(const std::string& blocks, double scale = 1) {
  return fmt::format(R"(
trunnion: 1
fluid: {{density: 870 kg/m^3, bulk_modulus: 1500 MPa}}
volumes: {{v: {{volume: {0:.17g} L, pressure: 5 MPa}}}}
sources: {{feed: {{flow: command, to: v}}, drain: {{flow: drawn, to: v}}}}
signals:
  drawn: {{sine: {{amplitude: -{1:.17g}, frequency: 2 Hz, offset: -{1:.17g}}}}}
  hand: {{sine: {{amplitude: {1:.17g}, frequency: 1.5 Hz, offset: {2:.17g}}}}}
  target: {{steps: [[0, 5 MPa], [0.1 s, 7 MPa], [0.6 s, 4 MPa]]}}
  auto: {{steps: [[0, 0], [0.4 s, 1]]}}
  ready: {{ramps: [[0, 0], [0.8 s, 1]]}}
control: {{{3}}}
solver: {{step: 1 ms, duration: 1 s, tolerance_pressure: 1e-5, tolerance_other: 1e-15}}
)",
                     scale, 1e-6 * scale, 2e-6 * scale, blocks);
}
double drawn(double t) { return 1e-6 + 1e-6 * std::sin(4 * std::numbers::pi * t); }
double by_hand(double t) { return 2e-6 + 1e-6 * std::sin(3 * std::numbers::pi * t); }

std::string controller(const std::string& more, double scale = 1) {
  return fmt::format(
      "command: {{pid: {{setpoint: target, measurement: v.pressure, gain: {0:.17g}, integral_time: 50 ms, min: {1:.17g}, max: "
      "{2:.17g}{3}}}}}",
      2e-11 * scale, -1.5e-5 * scale, 2e-5 * scale, more.empty() ? "" : ", " + more);
}

double value_of(const Runner& run, const std::string& name) {
  const auto& names = run.model()->state_names;
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) throw Error("no " + name);
  return run.state().y()[at - names.begin()];
}

/// p and I by their own equations; I' = integral_rate(I, e, v).
struct PressureEquations {
  std::function<double(double e, double v)> integral_rate;
  double target(double t) const { return t < 0.1 ? 5e6 : t < 0.6 ? 7e6 : 4e6; }
  static double limited(double v) { return std::clamp(v, -1.5e-5, 2e-5); }
  std::array<double, 2> rates(double t, double target_now, const std::array<double, 2>& y, bool manual) const {
    const double e = target_now - y[0], v = 2e-11 * e + y[1];
    if (manual) return {kStiffness * (by_hand(t) - drawn(t)), 0};
    return {kStiffness * (limited(v) - drawn(t)), integral_rate(e, v)};
  }
  /// Pressures at k 10 ms up to 1 s; automatic from `automatic` on, with the I of which the last value is the manual one.
  std::vector<double> pressures(double automatic = 0) const {
    constexpr int kParts = 400;
    constexpr double h = 0.01 / kParts;
    std::array<double, 2> y{5e6, 0};
    std::vector<double> p{y[0]};
    for (int i = 0; i < 100 * kParts; ++i) {
      const double t = i * h, r = target(t + h / 2);
      const bool manual = t + h / 2 < automatic;
      const auto ahead = [&](const std::array<double, 2>& slope, double length) {
        return std::array{y[0] + length * slope[0], y[1] + length * slope[1]};
      };
      const auto a = rates(t, r, y, manual), b = rates(t + h / 2, r, ahead(a, h / 2), manual),
                 c = rates(t + h / 2, r, ahead(b, h / 2), manual), d = rates(t + h, r, ahead(c, h), manual);
      for (std::size_t k = 0; k < 2; ++k) y[k] += h / 6 * (a[k] + 2 * b[k] + 2 * c[k] + d[k]);
      if (manual) y[1] = by_hand(t + h) - 2e-11 * (target(t + h / 2) - y[0]);
      if ((i + 1) % kParts == 0) p.push_back(y[0]);
    }
    return p;
  }
};

double largest_error(const std::vector<double>& exact, const std::string& text, const std::vector<std::string>& set = {}) {
  Runner run(test::model_from(text, set));
  double error = 0;
  for (std::size_t k = 1; k < exact.size(); ++k) {
    run.advance(0.01 * static_cast<double>(k));
    error = std::max(error, std::abs(value_of(run, "v.pressure") - exact[k]));
  }
  return error;
}

// ---------------------------------------------------------------- anti-windup

double clamped(double e, double v, double time) {
  const double change = 2e-11 / 0.05 * e;
  return change > 0 ? std::min(change, std::max((2e-5 - v) / time, 0.0)) : std::max(change, std::min((-1.5e-5 - v) / time, 0.0));
}

TEST(AntiWindup, ClampingConvergesToItsOwnEquationsAtOrderTwo) {
  const std::string text = pressure_loop(controller("anti_windup: clamping"));
  const std::vector<double> exact = PressureEquations{[](double e, double v) { return clamped(e, v, 1e-3); }}.pressures();
  const double coarse = largest_error(exact, text, {"solver.step=1 ms"}), fine = largest_error(exact, text, {"solver.step=0.25 ms"});
  EXPECT_LT(fine, 100);
  EXPECT_GT(std::log(coarse / fine) / std::log(4), 1.5);
  // back-calculation is another law
  EXPECT_GT(largest_error(exact, pressure_loop(controller(""))), 100 * coarse);
  const std::vector<double> back =
      PressureEquations{[](double e, double v) { return 2e-11 / 0.05 * e + (PressureEquations::limited(v) - v) / 0.05; }}.pressures();
  EXPECT_LT(largest_error(back, pressure_loop(controller(""))), 1e3);
}

TEST(AntiWindup, ClampingIsConditionalIntegrationForShortTimes) {
  const std::vector<double> exact = PressureEquations{[](double e, double v) {
                                      return (e > 0 && v >= 2e-5) || (e < 0 && v <= -1.5e-5) ? 0 : 2e-11 / 0.05 * e;
                                    }}.pressures();
  const auto error = [&](const char* time) {
    return largest_error(exact, pressure_loop(controller(std::string("anti_windup: clamping, tracking_time: ") + time)),
                         {"solver.step=0.2 ms"});
  };
  const double long_time = error("4 ms"), short_time = error("1 ms");
  EXPECT_LT(short_time, 0.35 * long_time);
  EXPECT_LT(short_time, 0.02e6);
}

TEST(AntiWindup, IntegralPartsDoNotWindUp) {
  const auto overshoot = [](const std::string& more) {
    Runner run(test::model_from(pressure_loop(controller(more))));
    double highest = 0;
    for (int k = 0; k < 60; ++k) {
      run.advance(0.01 * k);
      highest = std::max(highest, value_of(run, "v.pressure"));
    }
    return highest - 7e6;
  };
  const double without = overshoot("tracking_time: 1e6 s");
  EXPECT_LT(overshoot("anti_windup: clamping"), 0.5 * without);
  EXPECT_LT(overshoot("anti_windup: clamping, start: 0"), 0.5 * without);
}

TEST(AntiWindup, ASampledControllerStopsIntegratingBeyondItsLimits) {
  const auto model = test::model_from(pressure_loop(controller("anti_windup: clamping")), {"control.command.period=10 ms"});
  Runner run(model);
  int stopped = 0, moved = 0;
  for (int k = 1; k < 100; ++k) {
    run.advance(0.01 * k);
    const double I = value_of(run, "command.state"),
                 e = (k < 10   ? 5e6
                      : k < 60 ? 7e6
                               : 4e6) -
                     value_of(run, "v.pressure"),
                 v = 2e-11 * e + I;
    run.advance(0.01 * k + 1e-3);
    const double next = value_of(run, "command.state");
    if ((v >= 2e-5 && e > 0) || (v <= -1.5e-5 && e < 0)) {
      EXPECT_EQ(next, I) << k;
      ++stopped;
    } else {
      EXPECT_GT((next - I) * e, 0) << k;
      EXPECT_LT(2e-11 * e + next, 2e-5) << k;
      EXPECT_GT(2e-11 * e + next, -1.5e-5) << k;
      ++moved;
    }
  }
  EXPECT_GT(stopped, 5);
  EXPECT_GT(moved, 5);
}

// ---------------------------------------------------------------- hand-over

const char* const kByHand = "manual: hand, automatic: auto";

/// Change of the command from just before a time to just after it.
double jump_at(double time, const std::string& text, const std::vector<std::string>& set = {}, const std::string& block = "command") {
  Runner run(test::model_from(text, set));
  run.advance(time);
  const double before = value_of(run, block + ".output");
  run.advance(time + 1e-7);
  return std::abs(value_of(run, block + ".output") - before);
}

TEST(HandOver, HasNoJumpAndThenFollowsItsOwnEquationsAtOrderTwo) {
  const std::string text = pressure_loop(controller(kByHand));
  EXPECT_LT(jump_at(0.4, text), 1e-10);
  EXPECT_LT(jump_at(0.4, text, {"control.command.pid.tracking_time=1 s"}), 1e-10);
  // a selection between both values jumps
  const std::string chosen = pressure_loop(controller("").replace(0, 7, "free") + ", command: {expression: 'if(auto > 0.5, free, hand)'}");
  EXPECT_GT(jump_at(0.4, chosen), 1e-5);
  const std::vector<double> exact =
      PressureEquations{[](double e, double v) { return 2e-11 / 0.05 * e + (PressureEquations::limited(v) - v) / 0.05; }}.pressures(0.4);
  const double coarse = largest_error(exact, text, {"solver.step=0.5 ms"}), fine = largest_error(exact, text, {"solver.step=0.125 ms"});
  EXPECT_LT(fine, 5);
  EXPECT_NEAR(std::log(coarse / fine) / std::log(4), 2, 0.2);
  EXPECT_GT(largest_error(exact, chosen), 100 * coarse);
}

TEST(HandOver, OfOtherIntegratorsAgrees) {
  const std::string text = pressure_loop(controller(kByHand));
  const std::vector<double> exact =
      PressureEquations{[](double e, double v) { return 2e-11 / 0.05 * e + (PressureEquations::limited(v) - v) / 0.05; }}.pressures(0.4);
  EXPECT_LT(largest_error(exact, text, {"solver.integrator=cvode", "solver.constraints=double_step"}), 50);
  EXPECT_LT(largest_error(exact, text, {"solver.integrator=rk4", "solver.constraints=double_step", "solver.step=0.2 ms"}), 50);
  EXPECT_LT(largest_error(exact, text, {"solver.tangent=forward_difference"}), 1e3);
}

TEST(HandOver, OfConditionsAndInputsHasNoJump) {
  // a condition that a block computes: it takes effect at the end of the step
  const std::string condition = pressure_loop(controller("manual: hand, automatic: done") + ", done: {expression: ready > 0.5}");
  Runner run(test::model_from(condition));
  double before = 0, largest = 0;
  for (int k = 1; k <= 500; ++k) {
    run.advance(1e-3 * k);
    const double now = value_of(run, "command.output");
    if (k > 390 && k < 420) largest = std::max(largest, std::abs(now - before));
    before = now;
  }
  EXPECT_EQ(value_of(run, "command.mode"), 1);
  EXPECT_LT(largest, 2e-6);  // of one step; the selection jumps by 2e-5
  // an input that is set
  std::string set = pressure_loop(controller("manual: hand, automatic: switch"));
  set += "inputs: {switch: {default: 0}}\n";
  const auto model = test::model_from(set);
  Runner start(model);
  start.advance(0.4);
  StateVector state = start.state();
  const double manual = value_of(start, "command.output");
  set_input(*model, state, 0, 1, 0);
  Runner after(model, state);
  after.advance(0.4 + 1e-7);
  EXPECT_EQ(value_of(after, "command.mode"), 1);
  EXPECT_LT(std::abs(value_of(after, "command.output") - manual), 1e-10);
  // back to manual
  StateVector again = after.state();
  set_input(*model, again, 0, 0, 0);
  Runner back(model, again);
  back.advance(0.45);
  EXPECT_NEAR(value_of(back, "command.output"), by_hand(0.45), 1e-12);
}

TEST(HandOver, OfASampledControllerContinuesWithOneIntegralStep) {
  const auto model = test::model_from(pressure_loop(controller(kByHand)), {"control.command.period=10 ms"});
  Runner run(model);
  run.advance(0.395);
  const double before = value_of(run, "command.output");
  EXPECT_NEAR(before, by_hand(0.39), 1e-15);
  run.advance(0.4);
  const double e = 7e6 - value_of(run, "v.pressure");
  run.advance(0.401);
  const double step = value_of(run, "command.output") - before;
  EXPECT_NEAR(step, 0.01 * 2e-11 / 0.05 * e, 1e-3 * std::abs(step));
  const auto chosen = test::model_from(
      pressure_loop(controller("").replace(0, 7, "free") + ", command: {expression: 'if(auto > 0.5, free, hand)', period: 10 ms}"),
      {"control.free.period=10 ms"});
  Runner other(chosen);
  other.advance(0.395);
  const double was = value_of(other, "command.output");
  other.advance(0.401);
  EXPECT_GT(std::abs(value_of(other, "command.output") - was), 3 * std::abs(step));
}

/// The filtered difference advances in the sample of the hand-over, too; it is no part of the jump.
TEST(HandOver, OfASampledControllerWithADerivativePartHasNoJump) {
  for (const char* period : {"1 ms", "10 ms", "100 ms"})
    for (const char* integral : {"integral_time: 1e6 s", "integral_time: 1 s"}) {
      Runner run(test::model_from(fmt::format(R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {{b: {{point_mass: {{mass: 1}}}}}}
joints: {{b: {{prismatic: {{parent: ground, axis: x}}}}}}
signals: {{y: {{ramps: [[0, 0], [2, -2]]}}, auto: {{steps: [[0, 0], [1.05, 1]]}}, hand: {{constant: 0.3}}}}
control: {{u: {{pid: {{setpoint: 0, measurement: y, gain: 1, {}, derivative_time: 1 s, filter: 100, manual: hand, automatic: auto}}, period: {}}}}}
solver: {{step: 1 ms, duration: 2 s}}
)",
                                              integral, period)));
      const double T = period[0] == '1' && period[1] == ' ' ? 1e-3 : period[2] == '0' ? 0.1 : 0.01;
      const double first = T * std::ceil(1.05 / T - 1e-6), T_i = integral[15] == '1' && integral[16] == 'e' ? 1e6 : 1;
      run.advance(first - 1e-3);
      EXPECT_NEAR(value_of(run, "u.output"), 0.3, 1e-12) << period << integral;
      run.advance(first + 5e-4);
      EXPECT_NEAR(value_of(run, "u.output"), 0.3 + T / T_i * first, 2e-3 * T / T_i + 1e-12) << period << integral;
      run.advance(first + 5 * T + 5e-4);  // then by its equations: the ramp, and the integral
      double expected = 0.3;
      for (int k = 0; k <= 5; ++k) expected += T / T_i * (first + k * T) + (k > 0 ? T : 0);
      EXPECT_NEAR(value_of(run, "u.output"), expected, 2e-2 * T / T_i + 1e-2 * T) << period << integral;
    }
}

TEST(HandOver, OfAnIntegrator) {
  const std::string blocks =
      "command: {integrator: {input: error, gain: 2e-11, min: -3e-6, max: 4e-6, manual: hand, automatic: auto}}, error: {sum: {inputs: "
      "[target, v.pressure], gains: [1, -1]}}";
  EXPECT_LT(jump_at(0.4, pressure_loop(blocks)), 1e-11);
  Runner run(test::model_from(pressure_loop(blocks)));
  run.advance(0.3);
  EXPECT_NEAR(value_of(run, "command.output"), by_hand(0.3), 1e-15);
  run.advance(0.41);
  EXPECT_GT(std::abs(value_of(run, "command.output") - by_hand(0.41)), 1e-7);
}

TEST(HandOver, IsTheSameAtEveryScaleAndAfterARestart) {
  const auto end = [](double scale) {
    Runner run(test::model_from(pressure_loop(controller(kByHand, scale), scale)));
    run.advance(1);
    return value_of(run, "v.pressure");
  };
  for (const double scale : {1e-3, 1e3}) EXPECT_NEAR(end(scale), end(1), 10) << scale;
  const auto model = test::model_from(pressure_loop(controller(kByHand)));
  for (const double middle : {0.211, 0.4, 0.7}) {
    Runner whole(model), first(model);
    whole.advance(1);
    first.advance(middle);
    Runner second(model, first.state());
    second.advance(1);
    EXPECT_EQ(whole.state().values(), second.state().values()) << middle;
  }
}

TEST(HandOver, LinearModelsAreThoseOfTheMode) {
  const auto model = test::model_from(pressure_loop(controller(kByHand)));
  Runner run(model);
  run.advance(0.2);
  const LinearModel manual = linearise(model, run.state());
  ASSERT_EQ(manual.A.rows(), 2);  // pressure and integral part
  EXPECT_NEAR(manual.A(1, 1), -1 / 0.05, 1e-9);
  EXPECT_NEAR(manual.A(0, 0), 0, 1e-9);
  run.advance(0.5);
  const LinearModel automatic = linearise(model, run.state());
  EXPECT_NEAR(automatic.A(0, 0), -kStiffness * 2e-11, 1e-6);
  EXPECT_NEAR(automatic.A(0, 1), kStiffness, 1e-3);
  EXPECT_NEAR(automatic.A(1, 0), -2e-11 / 0.05, 1e-18);
}

// ---------------------------------------------------------------- times of samples

/// Sample times and values of a block over a run: of `next_sample` as it changes.
std::vector<double> sample_times(const std::shared_ptr<const CompiledModel>& model, double end) {
  Runner run(model);
  std::vector<double> times{value_of(run, "command.next_sample")};
  for (int k = 1; 1e-3 * k <= end; ++k) {
    run.advance(1e-3 * k + 0.5e-6);
    const double next = value_of(run, "command.next_sample");
    if (next != times.back()) times.push_back(next);
  }
  return times;
}

TEST(Samples, TakeEffectAfterTheirLatency) {
  // p' = Q/C, Q = gain (r - p) + I by backward differences at every sample, 7 ms later, with lateness up to 3 ms
  const std::string text =
      "trunnion: 1\nfluid: {density: 870 kg/m^3, bulk_modulus: 1500 MPa}\nvolumes: {v: {volume: 1 L, pressure: 5 MPa}}\nsources: {feed: "
      "{flow: command, to: v}}\ncontrol: {command: {pid: {setpoint: 6e6, measurement: v.pressure, gain: 1e-12, integral_time: 0.3 s}, "
      "period: 20 ms, offset: 5 ms, latency: 7 ms, jitter: 3 ms, seed: 4}}\nsolver: {step: 1 ms, duration: 1 s}\n";
  const auto model = test::model_from(text);
  const std::vector<double> times = sample_times(model, 0.9);
  Runner run(model);
  double p = 5e6, I = 0, Q = 1e-12 * 1e6, t = 0;
  const auto to = [&](double time) {
    p += kStiffness * Q * (time - t);
    t = time;
  };
  for (int k = 0; k < 40; ++k) {
    const double sample = times[static_cast<std::size_t>(k)];
    EXPECT_GE(sample, 0.005 + 0.02 * k);
    EXPECT_LT(sample, 0.008 + 0.02 * k);
    to(sample);
    I += (k == 0 ? 5e-3 : 20e-3) * 1e-12 / 0.3 * (6e6 - p);
    const double next = 1e-12 * (6e6 - p) + I;
    to(sample + 7e-3);
    Q = next;
    run.advance(sample + 7e-3);
    EXPECT_NEAR(value_of(run, "v.pressure"), p, 1e-9 * p) << k;
    run.advance(sample + 8e-3);
    EXPECT_NEAR(value_of(run, "command.output"), Q, 1e-9 * std::abs(Q) + 1e-16) << k;
  }
  Runner other(test::model_from(text, {"control.command.latency=6 ms"}));
  other.advance(t + 1e-3);
  EXPECT_GT(std::abs(value_of(other, "v.pressure") - value_of(run, "v.pressure")), 1e-7 * p);
}

TEST(Samples, AreLateUniformlyByTheirSeedAndNumberAlone) {
  const std::string text =
      "trunnion: 1\nfluid: {density: 870, bulk_modulus: 1500 MPa}\nvolumes: {v: {volume: 1 L, pressure: 1 bar}}\ncontrol: {command: {gain: "
      "{input: v.pressure}, period: 2 ms, jitter: 1.5 ms}}\nsolver: {step: 1 ms, duration: 10 s}\n";
  const auto model = test::model_from(text), other = test::model_from(text, {"control.command.seed=2"});
  const std::vector<double> times = sample_times(model, 8), of_other = sample_times(other, 8);
  ASSERT_GE(times.size(), 3900U);
  double sum = 0, squares = 0, product = 0, across = 0, last = 0;
  const std::size_t n = 3900;
  for (std::size_t k = 0; k < n; ++k) {
    const double late = (times[k] - 2e-3 * static_cast<double>(k + 1)) / 1.5e-3;
    EXPECT_GE(late, -1e-9);
    EXPECT_LT(late, 1);
    sum += late;
    squares += late * late;
    product += (late - 0.5) * last;
    across += (late - 0.5) * ((of_other[k] - 2e-3 * static_cast<double>(k + 1)) / 1.5e-3 - 0.5);
    last = late - 0.5;
  }
  const double count = static_cast<double>(n);
  EXPECT_NEAR(sum / count, 0.5, 0.02);
  EXPECT_NEAR(squares / count, 1.0 / 3, 0.02);
  EXPECT_NEAR(product / count, 0, 0.006);
  EXPECT_NEAR(across / count, 0, 0.006);
  // in threads, with another step, and from a saved state
  std::vector<double> in_thread[2];
  std::thread a([&] { in_thread[0] = sample_times(model, 1); }), b([&] { in_thread[1] = sample_times(model, 1); });
  a.join();
  b.join();
  EXPECT_EQ(in_thread[0], in_thread[1]);
  EXPECT_TRUE(std::equal(in_thread[0].begin(), in_thread[0].end(), times.begin()));
  const std::vector<double> finer = sample_times(test::model_from(text, {"solver.step=0.7 ms"}), 1);
  EXPECT_EQ(finer, in_thread[0]);
}

TEST(Samples, ContinueFromASavedStateBitForBit) {
  const auto model = test::model_from(test::servo(test::kServoControl),
                                      {"control.command.period=7 ms", "control.command.latency=3 ms", "control.command.jitter=2 ms"});
  Runner whole(model), first(model);
  whole.advance(0.5);
  for (const double middle : {0.02, 0.2, 0.351}) {
    first.advance(middle);
    Runner second(model, first.state());
    second.advance(0.5);
    EXPECT_EQ(whole.state().values(), second.state().values()) << middle;
  }
  if (!test::allocations_are_counted()) return;
  Runner run(model);
  run.advance(0.1);
  const long before = test::allocations();
  run.advance(0.3);
  EXPECT_EQ(test::allocations(), before);
}

/// Positions of the servo at k 20 ms.
std::vector<double> servo_positions(const std::string& control, const std::vector<std::string>& set = {}) {
  Runner run(test::model_from(test::servo(control), set));
  std::vector<double> x;
  for (int k = 1; k <= 50; ++k) {
    run.advance(0.02 * k);
    x.push_back(run.state().q()[0]);
  }
  return x;
}
double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

TEST(Samples, DelayByHalfAPeriodAndTheirLatency) {
  const std::vector<double> continuous = servo_positions(test::kServoControl);
  const auto delayed = [&](const char* time) {
    std::string text = test::kServoControl;
    text.replace(text.find("  command:"), 10, fmt::format("  command: {{delay: {{input: undelayed, time: {}}}}}\n  undelayed:", time));
    return servo_positions(text);
  };
  const std::vector<double> late = servo_positions(test::kServoControl, {"control.command.period=2 ms", "control.command.latency=1.5 ms"});
  const double size = distance(late, continuous);
  EXPECT_LT(distance(late, delayed("2.5 ms")), 0.06 * size);
  EXPECT_GT(distance(late, delayed("1 ms")), 0.4 * size);
  EXPECT_GT(distance(late, delayed("1.5 ms")), 0.2 * size);
  const std::vector<double> irregular =
      servo_positions(test::kServoControl, {"control.command.period=1 ms", "control.command.jitter=0.9 ms"});
  EXPECT_LT(distance(irregular, delayed("0.5675 ms")), 0.15 * distance(irregular, continuous));
}

// ---------------------------------------------------------------- errors

std::string error_of(const std::string& block) {
  try {
    test::model_from(pressure_loop(block));
  } catch (const InputError& error) { return error.what(); }
  return "";
}

TEST(Samples, AndHandOverHaveClearErrors) {
  const auto names = [](const std::string& block, std::initializer_list<const char*> parts) {
    const std::string error = error_of(block);
    for (const char* part : parts) EXPECT_NE(error.find(part), std::string::npos) << block << "\n" << error;
  };
  EXPECT_EQ(error_of(controller(kByHand)), "");
  names(controller("manual: hand"), {"control.command.pid.manual", "`automatic`"});
  names(controller("automatic: auto"), {"control.command.pid.automatic", "`manual`"});
  names(controller("manual: hnd, automatic: auto"), {"did you mean `hand`?"});
  names("command: {pid: {setpoint: target, measurement: v.pressure, gain: 1, manual: hand, automatic: auto}}", {"`integral_time`"});
  names("command: {pid: {setpoint: target, measurement: v.pressure, gain: 1, integral_time: 1 s, anti_windup: clamping}}",
        {"`min` or `max`"});
  names("command: {pid: {setpoint: target, measurement: v.pressure, gain: 1, start: 0.2}}",
        {"control.command.pid.start", "`integral_time`"});
  names("command: {pid: {setpoint: target, measurement: v.pressure, gain: 1, tracking_time: 1 s}}",
        {"control.command.pid.tracking_time", "`integral_time`"});
  names("command: {integrator: {input: target, manual: hand}}", {"control.command.integrator.manual"});
  names(controller("anti_windup: clamp"), {"clamping"});
  names("command: {gain: {input: target}, latency: 1 ms}", {"control.command.latency", "`period`"});
  names("command: {gain: {input: target}, jitter: 1 ms}", {"control.command.jitter", "`period`"});
  names("command: {gain: {input: target}, period: 2 ms, jitter: 2 ms}", {"control.command.jitter", "less than the period"});
  names("command: {gain: {input: target}, period: 2 ms, latency: 2.5 ms}", {"control.command.latency", "at most the period"});
  names("command: {gain: {input: target}, period: 2 ms, latency: 1.5 ms, jitter: 1 ms}", {"control.command.latency", "jitter"});
  EXPECT_EQ(error_of("command: {gain: {input: target}, period: 2 ms, latency: 2 ms}"), "");
  names("command: {table_2d: {inputs: [target], x: [0, 1], y: [0, 1], values: [[1, 2], [3, 4]]}}", {"table_2d.inputs", "2 inputs"});
  names("command: {table_2d: {inputs: [target, hand], x: [0, 0], y: [0, 1], values: [[1, 2], [3, 4]]}}", {"table_2d.x", "increasing"});
  names("command: {table_2d: {inputs: [target, hand], x: [0], y: [0, 1], values: [[1, 2]]}}", {"table_2d.x", "two numbers"});
  names("command: {table_2d: {inputs: [target, hand], x: [0, 1], y: [0, 1], values: [[1, 2]]}}", {"table_2d.values", "2 rows"});
  names("command: {table_2d: {inputs: [target, hand], x: [0, 1], y: [0, 1], values: [[1, 2], [3]]}}", {"table_2d.values.1", "2 numbers"});
  names("command: {sensor: {input: target, deviation: 1}}", {"noise of a sensor changes only at samples"});
  names("command: {sensor: {input: target, resolution: 1}}", {"whole steps of a sensor change only at samples"});
  names("command: {sensor: {input: target, min: 2, max: 1}}", {"control.command.sensor.max", "more than the minimum"});
  names("command: {edge: {input: auto}}", {"an edge changes only at samples", "`period`"});
  names("command: {edge: {input: auto, direction: up}, period: 1 ms}", {"rising"});
}

// ---------------------------------------------------------------- sensors

/// Values of block `s` at 1 ms after every sample, in a machine whose pressure does not change.
std::vector<double> sensor_values(const std::string& blocks, const std::string& block = "s") {
  Runner run(
      test::model_from("trunnion: 1\nfluid: {density: 870, bulk_modulus: 1500 MPa}\nvolumes: {v: {volume: 1 L, pressure: 1 bar}}\nsignals: "
                       "{u: {sine: {amplitude: 3, frequency: 4 Hz}}}\ncontrol: {" +
                       blocks + "}\nsolver: {step: 1 ms, duration: 1 s}\n"));
  std::vector<double> values;
  for (int k = 0; k < 80; ++k) {
    run.advance(0.01 * k + 1e-3);
    values.push_back(value_of(run, block + ".output"));
  }
  return values;
}

TEST(Sensors, AreTheirPartsOneAfterTheOther) {
  const std::vector<double> sensor = sensor_values(
      "s: {sensor: {input: u, time_constant: 20 ms, deviation: 0.3, noise_seed: 5, min: -1.5, max: 2, resolution: 0.25}, period: 10 ms}");
  EXPECT_EQ(sensor,
            sensor_values("a: {low_pass: {input: u, time_constant: 20 ms}}, b: {noise: {input: a, deviation: 0.3, seed: 5}, period: 10 "
                          "ms}, c: {saturation: {input: b, min: -1.5, max: 2}}, s: {quantiser: {input: c, step: 0.25}, period: 10 ms}"));
  EXPECT_EQ(*std::max_element(sensor.begin(), sensor.end()), 2);
  EXPECT_EQ(*std::min_element(sensor.begin(), sensor.end()), -1.5);
  EXPECT_NE(sensor,
            sensor_values("s: {sensor: {input: u, time_constant: 20 ms, deviation: 0.3, noise_seed: 6, min: -1.5, max: 2, resolution: "
                          "0.25}, period: 10 ms}"));
  // parts that are not given do nothing; one limit
  const std::vector<double> plain = sensor_values("s: {sensor: {input: u, max: 1}}");
  for (int k = 0; k < 80; ++k)
    EXPECT_NEAR(plain[static_cast<std::size_t>(k)], std::min(3 * std::sin(8 * std::numbers::pi * (0.01 * k + 1e-3)), 1.0), 1e-9) << k;
  // jitter: all parts at one instant; the last one with a latency
  const std::string irregular = "s: {sensor: {input: u, deviation: 0.1, resolution: 0.01}, period: 10 ms, jitter: 5 ms, latency: 3 ms}";
  EXPECT_EQ(sensor_values(irregular),
            sensor_values(
                "b: {noise: {input: u, deviation: 0.1}, period: 10 ms, jitter: 5 ms}, s: {quantiser: {input: b, step: 0.01}, period: 10 "
                "ms, jitter: 5 ms, latency: 3 ms}"));
}

TEST(Sensors, AndSequencesStandInDescriptionsOfStates) {
  const auto model =
      test::model_from(pressure_loop(controller("") + ", s: {sensor: {input: v.pressure, time_constant: 1 ms, deviation: 1, resolution: "
                                                      "1}, period: 1 ms}, c: {sequence: {steps: [{until: elapsed "
                                                      "> 1, set: {a: 1, b: v.pressure}}]}, period: 1 ms}"));
  Runner run(model);
  run.advance(0.3);
  const auto again = compile(description_at(*model, run.state()));
  EXPECT_EQ(start_state(*again).y()[0], run.state().y()[0]);
}

// ---------------------------------------------------------------- known ahead of a step

TEST(BlocksOfSignals, AreTheSignalOfTheirValue) {
  const std::string wave = "signals: {SIGNAL: {sine: {amplitude: 0.2, frequency: 3 Hz, offset: 0.02}}}\n",
                    blocks =
                        "control: {double: {gain: {input: wave, gain: 2}}, square: {product: {inputs: [double, wave]}}, "
                        "command: {expression: \"double/2 + 0*square\"}}\n";
  const auto named = [&](const char* name) { return std::string(wave).replace(wave.find("SIGNAL"), 6, name); };
  const std::string by_signal = test::servo(named("command")), by_blocks = test::servo(named("wave") + blocks);
  const std::vector<std::vector<std::string>> all = {{"solver.step=1 ms"},
                                                     {"solver.tangent=forward_difference"},
                                                     {"solver.integrator=esdirk3"},
                                                     {"solver.constraints=baumgarte"},
                                                     {"solver.step=0.1 ms"},
                                                     {"solver.step=10 ms"},
                                                     {"solver.constraints=double_step", "solver.integrator=cvode"}};
  for (const std::vector<std::string>& settings : all) {
    Runner a(test::model_from(by_signal, settings)), b(test::model_from(by_blocks, settings));
    const double tolerance = settings.size() > 1 ? 1e4 : 1e-2;  // [Pa] of CVODE by its own steps
    for (int k = 1; k <= 20; ++k) {
      a.advance(0.05 * k);
      b.advance(0.05 * k);
      const double u = 0.02 + 0.2 * std::sin(6 * std::numbers::pi * a.state().time);
      EXPECT_NEAR(value_of(b, "double.output"), 2 * u, 1e-14);
      EXPECT_NEAR(value_of(b, "square.output"), 2 * u * u, 1e-14);
      EXPECT_NEAR(value_of(b, "command.output"), u, 1e-14);
      for (const char* pressure : {"side_A.pressure", "side_B.pressure"})
        EXPECT_NEAR(value_of(b, pressure), value_of(a, pressure), tolerance) << settings[0] << " " << k;
    }
  }
}

// ---------------------------------------------------------------- logic

TEST(Samples, EdgesAreSeenOnce) {
  const auto course = [](const char* direction) {
    const auto model = test::model_from(
        std::string(
            "trunnion: 1\nfluid: {density: 870, bulk_modulus: 1500 MPa}\nvolumes: {v: {volume: 1 L, pressure: 1 bar}}\nsignals: {u: "
            "{steps: [[0, 0], [15 ms, 1], [45 ms, 0], [62 ms, 1], [63 ms, 0], [75 ms, 1]]}}\ncontrol: {e: {edge: {input: u, "
            "direction: ") +
        direction + "}, period: 10 ms}}\nsolver: {step: 1 ms, duration: 1 s}\n");
    Runner run(model);
    std::string seen;
    for (int k = 0; k < 10; ++k) {
      run.advance(0.01 * k + 1e-3);
      seen += value_of(run, "e.output") > 0.5 ? '1' : '0';
    }
    return seen;
  };
  EXPECT_EQ(course("rising"), "0010000010");
  EXPECT_EQ(course("falling"), "0000010000");
  EXPECT_EQ(course("both"), "0010010010");
}

}  // namespace
}  // namespace trunnion
