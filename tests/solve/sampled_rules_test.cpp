// Rules with a memory where every step begins at a jump: blocks that are sampled in every step. References: the exact motion between two
// samples, and the variable-step method with the same samples.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "run/run.h"
#include "solve/motion_rule.h"
#include "support/machines.h"

namespace trunnion {
namespace {

using Settings = std::vector<std::string>;

constexpr double kStiffness = 100, kDamping = 0.5, kGain = 50, kEnd = 2;  // of 1 kg, to kEnd [s]

/// A mass on a spring and a damper; a block takes its position at every end of a step and holds a force against it.
std::shared_ptr<const CompiledModel> sampled_oscillator(double h, double scale, const Settings& settings) {
  return test::model_from(fmt::format(R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {{m: {{point_mass: {{mass: {1:.17g}}}}}}}
joints: {{m: {{prismatic: {{parent: ground, axis: x}}, speed: 1}}}}
springs: {{s: {{joint: m, stiffness: {2:.17g}, damping: {3:.17g}, rest: 0}}}}
control: {{u: {{gain: {{input: m.position, gain: {4:.17g}}}, period: {0:.17g}}}}}
forces: {{f: {{joint: m, load: 1, signal: u}}}}
solver: {{step: {0:.17g}, duration: {5}}}
)",
                                      h, scale, kStiffness * scale, kDamping * scale, -kGain * scale, kEnd),
                          settings);
}

/// Largest error of the position.
double error_of_oscillator(double h, double scale, const Settings& settings) {
  Runner run(sampled_oscillator(h, scale, settings));
  std::array<double, 2> x{0, 1};  // position, rate
  double error = 0;
  for (int k = 1; k <= std::lround(kEnd / h); ++k) {
    constexpr int kParts = 50;
    const double force = -kGain * x[0], dt = h / kParts;
    const auto rate = [&](const std::array<double, 2>& y) {
      return std::array<double, 2>{y[1], force - kStiffness * y[0] - kDamping * y[1]};
    };
    for (int i = 0; i < kParts; ++i) {  // Taylor series of a linear system
      std::array<double, 2> term = x;
      for (int n = 1; n <= 6; ++n) {
        const std::array<double, 2> next = n == 1 ? rate(term) : std::array<double, 2>{term[1], -kStiffness * term[0] - kDamping * term[1]};
        for (std::size_t j = 0; j < 2; ++j) x[j] += term[j] = next[j] * dt / n;
      }
    }
    run.advance(k * h);
    error = std::max(error, std::abs(run.state().q()[0] - x[0]));
  }
  return error;
}

TEST(RulesAtSamples, KeepTheirOrder) {
  for (const char* integrator : {"trapezoidal", "bdf2", "generalized_alpha", "hht"})
    for (const char* constraints : {"penalty", "double_step", "baumgarte"})
      for (const double scale : {1e-3, 1.0, 1e3}) {
        const Settings settings{std::string("solver.integrator=") + integrator, std::string("solver.constraints=") + constraints,
                                "solver.tolerance_position=1e-12"};
        const double coarse = error_of_oscillator(0.01, scale, settings), fine = error_of_oscillator(0.0025, scale, settings);
        EXPECT_NEAR(std::log2(coarse / fine) / 2, 2, 0.2) << integrator << " " << constraints << " " << coarse << " " << fine;
      }
}

/// A volume between a proportional valve, whose command a block sets in every step, and a leak; its pressure follows a sine.
double error_of_pressure(double h, const Settings& settings) {
  const std::string text = fmt::format(R"(
trunnion: 1
fluid: {{density: 850 kg/m^3, bulk_modulus: 1500 MPa}}
sources: {{pump: {{pressure: 16 MPa}}, tank: {{pressure: 1 bar}}}}
volumes: {{a: {{volume: 2 L, pressure: 6 MPa}}, b: {{volume: 1 L, pressure: 5 MPa}}, d: {{volume: 1 L, pressure: 1 bar}}}}
valves:
  v: {{directional_4_3: {{P: pump, T: tank, A: a, B: d, flow: 40 L/min, at_pressure_drop: 3.5 MPa, at_signal: 1, time_constant: 20 ms}}, signal: u}}
  between: {{resistance: {{A: a, B: b, flow: 20 L/min, at_pressure_drop: 1 MPa}}}}
  leak: {{resistance: {{A: b, B: tank, flow: 15 L/min, at_pressure_drop: 5 MPa}}}}
  other: {{resistance: {{A: d, B: tank, flow: 15 L/min, at_pressure_drop: 5 MPa}}}}
signals: {{wanted: {{sine: {{amplitude: 1 MPa, frequency: 1.5 Hz, offset: 6 MPa}}}}}}
control:
  u: {{pid: {{setpoint: wanted, measurement: a.pressure, gain: 5e-8, integral_time: 0.3 s, min: -1, max: 1}}, period: {0:.17g}}}
solver: {{step: {0:.17g}, duration: 1}}
)",
                                       h);
  const auto end_of = [&](const Settings& set) {
    const auto model = test::model_from(text, set);
    Runner run(model);
    std::vector<double> pressures;
    for (int k = 1; k <= 10; ++k) {
      run.advance(0.1 * k);
      pressures.push_back(test::channel_at(model, run.state(), "a.pressure"));
    }
    return pressures;
  };
  const std::vector<double> exact =
                                end_of({"solver.integrator=cvode", "solver.constraints=double_step", "solver.reference_tolerance=1e-11"}),
                            found = end_of(settings);
  double error = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) error = std::max(error, std::abs(found[i] - exact[i]));
  return error;
}

TEST(RulesAtSamples, KeepTheOrderOfTheOil) {
  for (const Settings& settings : {Settings{}, Settings{"solver.oil_rule=trapezoidal"}}) {
    const double coarse = error_of_pressure(0.0025, settings), fine = error_of_pressure(0.00125, settings);
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.3) << coarse << " " << fine;
    EXPECT_LT(fine, 150);
  }
}

}  // namespace
}  // namespace trunnion
