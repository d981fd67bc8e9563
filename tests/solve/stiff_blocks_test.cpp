// Blocks with plateaus and ramps, as steps longer than their time constants meet them: against the rule's equation, solved by bisection.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>

#include "run/run.h"
#include "support/machines.h"

namespace trunnion {
namespace {

constexpr double kStep = 1e-2;  // [s]

/// A block that reads `wanted`, which swings; that is a function of time, or of a position without an effect, too.
std::string swinging(const std::string& block, double scale, bool by_position) {
  return fmt::format(R"(
trunnion: 1
bodies: {{weight: {{point_mass: {{mass: 1}}}}}}
joints: {{weight: {{prismatic: {{parent: ground, axis: x}}, position: 0.3 m, speed: 0.1 m/s}}}}
gravity: [0, 0, 0]
signals: {{swing: {{sine: {{amplitude: {:.17g}, frequency: 1.5 Hz, phase: 0.3 rad}}}}, none: 0}}
control: {{wanted: {{sum: {{inputs: [swing, {}], gains: [1, 0]}}}}, command: {}}}
solver: {{step: 10 ms, duration: 1 s, oil_rule: trapezoidal}}
)",
                     2e-3 * scale, by_position ? "weight.position" : "none", block);
}
double wanted(double t, double scale) { return 2e-3 * scale * std::sin(3 * std::numbers::pi * t + 0.3); }

double value_of(const Runner& run, const std::string& name) {
  const auto& names = run.model()->state_names;
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) throw std::runtime_error("no " + name);
  return run.state().y()[at - names.begin()];
}

/// x of x - before - h/2 f(x) = 0, f not rising.
double implicit(double before, const std::function<double(double)>& f, double size) {
  double low = before - 100 * size, high = before + 100 * size;
  for (int i = 0; i < 200; ++i) {
    const double x = (low + high) / 2;
    (x - before - kStep / 2 * f(x) > 0 ? high : low) = x;
  }
  return (low + high) / 2;
}

/// Every step of the trapezoidal rule; rate(t, x).
void expect_rule(const std::string& block, const std::string& state, double scale, const std::function<double(double, double)>& rate) {
  for (const bool by_position : {false, true}) {
    Runner run(test::model_from(swinging(block, scale, by_position)));
    double x = value_of(run, state), slope = rate(0, x);
    const double size = 2e-3 * scale;
    for (int n = 1; n <= 100; ++n) {
      const double t = n * kStep;
      run.advance(t);
      x = implicit(
          x + kStep / 2 * slope, [&](double at) { return rate(t, at); }, size);
      slope = rate(t, x);
      ASSERT_NEAR(value_of(run, state), x, 1e-9 * size) << block << " at " << t << " s";
    }
  }
}

TEST(StiffBlocks, RateLimitersKeepToTheirRule) {
  for (const double scale : {1.0, 1e-3, 1e3})
    for (const double time_constant : {50e-3, 2e-3, 0.5e-3, 0.1e-3}) {
      const double rise = 10e-3 * scale, fall = 4e-3 * scale;
      expect_rule(fmt::format("{{rate_limiter: {{input: wanted, rise: {:.17g}, fall: {:.17g}, time_constant: {:.17g} s}}}}", rise, fall,
                              time_constant),
                  "command.state", scale,
                  [&](double t, double x) { return std::clamp((wanted(t, scale) - x) / time_constant, -fall, rise); });
    }
}

TEST(StiffBlocks, PlayKeepsToItsRule) {
  for (const double scale : {1.0, 1e-3, 1e3})
    for (const double time_constant : {50e-3, 2e-3, 0.1e-3})
      for (const double play : {0.5e-3, 3e-3}) {  // half the width; of more than the swing nothing moves
        const double half = play * scale;
        expect_rule(fmt::format("{{backlash: {{input: wanted, width: {:.17g}, time_constant: {:.17g} s}}}}", 2 * half, time_constant),
                    "command.state", scale, [&](double t, double x) {
                      const double off = wanted(t, scale) - x;
                      return (off - std::clamp(off, -half, half)) / time_constant;
                    });
      }
}

TEST(StiffBlocks, ClampedIntegralPartsKeepToTheirRule) {
  for (const double scale : {1.0, 1e-3, 1e3})
    for (const double tracking : {20e-3, 2e-3, 0.1e-3}) {
      const double limit = 1e-3 * scale;
      expect_rule(fmt::format("{{pid: {{setpoint: wanted, measurement: none, gain: 0.3, integral_time: 50 ms, anti_windup: clamping, "
                              "tracking_time: {:.17g} s, min: {:.17g}, max: {:.17g}}}}}",
                              tracking, -limit, limit),
                  "command.state", scale, [&](double t, double I) {
                    const double e = wanted(t, scale), v = 0.3 * e + I, change = 0.3 / 50e-3 * e;
                    return change > 0 ? std::min(change, std::max((limit - v) / tracking, 0.0))
                                      : std::max(change, std::min((-limit - v) / tracking, 0.0));
                  });
    }
}

}  // namespace
}  // namespace trunnion
