// Loads and pressures of sources that control blocks drive: against the same loads over time, springs, and closed forms.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "base/diagnostic.h"
#include "linearise/linear_model.h"
#include "machine/start.h"
#include "results/run_case.h"
#include "run/run.h"
#include "support/continuation.h"
#include "support/machines.h"

namespace trunnion {
namespace {

/// Two arms, of which the second bears loads of every kind, with factors from `a`, `b`, `c`. `spatial`: it hangs on a spherical joint.
std::string arms(bool spatial, const std::string& factors, double scale = 1) {
  return fmt::format(R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies:
  boom: {{rod: {{length: 2 m, mass: {0:.17g} kg}}}}
  arm: {{inertia: [{1:.17g}, {2:.17g}, {3:.17g}], mass: {4:.17g}, center_of_mass: [0.6 m, 0, 0]}}
joints:
  boom: {{revolute: {{parent: ground, axis: z}}, angle: 30 deg, rate: 0.3 rad/s}}
  arm: {5}
forces:
  push: {{joint: boom, load: {6:.17g} N m, signal: a}}
  wind: {{body: arm, at: [1 m, 0.2 m, 0], force: [{7:.17g} N, {8:.17g} N, 0], torque: [0, 0, {9:.17g} N m], signal: b}}
  jet: {{body: arm, at: [0.9 m, -0.1 m, 0], force: [{8:.17g} N, {7:.17g} N, 0], torque: [0, 0, {6:.17g} N m], frame: body, signal: c}}
{10}
record: {{channels: ["*", push.factor, push.load, wind.factor, "boom.reaction*", "arm.reaction*"]}}
solver: {{step: 2 ms, duration: 1 s, tolerance_position: 1e-13, tolerance_other: 1e-13}}
)",
                     40 * scale, 5 * scale, 7 * scale, 8 * scale, 15 * scale,
                     spatial
                         ? "{spherical: {parent: boom, at: [2 m, 0, 0]}, rotation: [0.3, -0.2, 0.5], angular_velocity: [0.4, 0.7, -0.5]}"
                         : "{revolute: {parent: boom, at: [2 m, 0, 0], axis: z}, angle: -50 deg}",
                     30 * scale, 20 * scale, -12 * scale, 8 * scale, factors);
}
const char* const kOverTime =
    "signals: {a: {sine: {amplitude: 1, frequency: 2 Hz, offset: 0.5}}, b: {sine: {amplitude: 0.8, frequency: 1.3 Hz}}, c: {sine: "
    "{amplitude: "
    "1, frequency: 0.7 Hz, phase: 40 deg}}}";
const char* const kByBlocks =
    "signals: {s_a: {sine: {amplitude: 1, frequency: 2 Hz, offset: 0.5}}, s_b: {sine: {amplitude: 0.8, frequency: 1.3 Hz}}, s_c: {sine: "
    "{amplitude: 1, frequency: 0.7 Hz, phase: 40 deg}}}\ncontrol: {a: {gain: {input: s_a}}, b: {gain: {input: s_b}}, c: {gain: {input: "
    "s_c}}}";
/// Loads that follow the motion.
std::string in_a_loop(bool spatial) {
  return fmt::format(
      "control: {{a: {{pid: {{setpoint: 0.4, measurement: boom.angle, gain: 6, integral_time: 0.5 s, derivative_time: 0.2 s}}}}, b: "
      "{{expression: 'boom.rate * cos(boom.angle) + 0.3'}}, c: {{low_pass: {{input: {}, time_constant: 0.1 s}}}}}}",
      spatial ? "boom.rate" : "arm.angle");
}

/// Angle and rate of the boom and the centre of the arm at the end, in any coordinates.
std::vector<double> end_of(const std::shared_ptr<const CompiledModel>& model) {
  const CaseResult result = run_case(model);
  if (result.failure) throw Error("failed");
  const Recording& r = result.recorder->recording();
  std::vector<double> all;
  for (const char* name : {"boom.angle", "boom.rate", "arm.center_x", "arm.center_y", "arm.center_z"})
    all.push_back(r.columns[static_cast<std::size_t>(r.find(name))].back());
  return all;
}
double farthest(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

TEST(DrivenLoads, AreTheSameLoadsAsOverTime) {
  for (const bool spatial : {false, true})
    for (const char* setting : {"solver.constraints=penalty", "solver.constraints=double_step", "solver.coordinates=cartesian"}) {
      const CaseResult over_time = run_case(test::model_from(arms(spatial, kOverTime), {setting})),
                       by_blocks = run_case(test::model_from(arms(spatial, kByBlocks), {setting}));
      ASSERT_FALSE(over_time.failure || by_blocks.failure);
      const Recording &expected = over_time.recorder->recording(), &found = by_blocks.recorder->recording();
      std::size_t compared = 0;
      for (std::size_t i = 0; i < expected.channels.size(); ++i) {
        const std::string& name = expected.channels[i].name;
        const int at = found.find(name);
        ASSERT_GE(at, 0) << name;
        if (name.starts_with("energy.") || name.starts_with("solver.") || name.find("violation") != std::string::npos) continue;
        const std::vector<double>&x = expected.columns[i], &y = found.columns[static_cast<std::size_t>(at)];
        double size = 0;
        for (const double value : x) size = std::max(size, std::abs(value));
        for (std::size_t k = 0; k < x.size(); ++k) ASSERT_NEAR(y[k], x[k], 1e-6 * (1e-3 + size)) << name << " " << setting << " " << k;
        ++compared;
      }
      EXPECT_GT(compared, 15U);
      // powers: the balance of both closes equally
      const double balance = over_time.recorder->ledger().residual_range().max, other = by_blocks.recorder->ledger().residual_range().max;
      EXPECT_NEAR(other, balance, 1e-3 * (1e-3 + std::abs(balance)));
      EXPECT_NEAR(by_blocks.recorder->ledger().totals().external, over_time.recorder->ledger().totals().external,
                  1e-5 * std::abs(over_time.recorder->ledger().totals().external));
      // a factor that differs is seen
      const CaseResult wrong = run_case(test::model_from(arms(spatial, kByBlocks), {setting, "control.c.gain.gain=1.001"}));
      EXPECT_GT(farthest(wrong.recorder->recording().columns[1], expected.columns[1]), 1e-6);
    }
}

TEST(DrivenLoads, OfAllIntegratorsAgree) {
  for (const bool spatial : {false, true}) {
    const std::string text = arms(spatial, in_a_loop(spatial));
    const std::vector<double> exact =
        end_of(test::model_from(text, {"solver.integrator=cvode", "solver.constraints=double_step", "solver.reference_tolerance=1e-10"}));
    const auto error = [&](const std::vector<std::string>& set) { return farthest(end_of(test::model_from(text, set)), exact); };
    EXPECT_LT(error({"solver.integrator=rk4", "solver.constraints=double_step", "solver.step=0.5 ms"}), 1e-7);
    const double coarse = error({"solver.step=2 ms"}), fine = error({"solver.step=1 ms"});
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.2) << spatial;
    EXPECT_LT(fine, 2e-3);
    EXPECT_LT(error({"solver.coordinates=cartesian", "solver.step=1 ms"}), 2e-3);
    EXPECT_LT(error({"solver.constraints=double_step", "solver.step=1 ms"}), 2e-3);
    EXPECT_GT(error({"solver.step=1 ms", "control.a.pid.gain=6.1"}), 5 * fine);
  }
}

TEST(DrivenLoads, AreInTheTangent) {
  for (const bool spatial : {false, true})
    for (const char* setting : {"solver.constraints=penalty", "solver.coordinates=cartesian"}) {
      const std::string text = arms(spatial, in_a_loop(spatial));
      Runner a(test::model_from(text, {setting})), b(test::model_from(text, {setting, "solver.tangent=forward_difference"}));
      a.advance(1);
      b.advance(1);
      EXPECT_LE(a.statistics().iterations, 3.2 * static_cast<double>(a.statistics().steps)) << spatial << setting;
      EXPECT_LE(a.statistics().iterations, b.statistics().iterations + a.statistics().steps / 4);
      // in cartesian coordinates both close the constraints to a tolerance
      const double tolerance = a.model()->layout.rows > 0 ? 5e-6 : 1e-9;
      for (int i = 0; i < a.model()->layout.nq; ++i) EXPECT_NEAR(a.state().q()[i], b.state().q()[i], tolerance) << i;
      for (int i = 0; i < a.model()->layout.ny; ++i)
        EXPECT_NEAR(a.state().y()[i], b.state().y()[i], 10 * tolerance * (1 + std::abs(a.state().y()[i]))) << a.model()->state_names[i];
    }
}

/// Largest difference between a linear model and central differences of the accelerations, relative to its largest entry.
double error_of_linear(const std::shared_ptr<const CompiledModel>& model, const StateVector& at) {
  const LinearModel linear = linearise(model, at);
  const int n = model->layout.nv;
  constexpr double kChange = 1e-5;
  double error = 0, size = 0;
  for (int j = 0; j < 2 * n; ++j) {
    std::vector<double> a[2];
    for (const int side : {0, 1}) {
      StateVector moved = at;
      (j < n ? moved.q()[j] : moved.v()[j - n]) += side == 0 ? kChange : -kChange;
      make_consistent(*model, moved);
      a[side].assign(moved.a(), moved.a() + n);
    }
    for (int i = 0; i < n; ++i) {
      const double difference = (a[0][static_cast<std::size_t>(i)] - a[1][static_cast<std::size_t>(i)]) / (2 * kChange);
      error = std::max(error, std::abs(linear.A(n + i, j) - difference));
      size = std::max(size, std::abs(difference));
    }
  }
  return error / size;
}

TEST(DrivenLoads, AreInTheLinearModel) {
  const auto model = test::model_from(arms(false, in_a_loop(false)));
  Runner run(model);
  run.advance(0.3);
  EXPECT_LT(error_of_linear(model, run.state()), 1e-7);
  // the same loads over time have another one
  const auto open = test::model_from(arms(false, kOverTime));
  const LinearModel closed = linearise(model, run.state());
  StateVector same = start_state(*open);
  std::copy_n(run.state().q(), 2, same.q());
  std::copy_n(run.state().v(), 2, same.v());
  make_consistent(*open, same);
  EXPECT_GT((linearise(open, same).A.topRows(4) - closed.A.topLeftCorner(4, 4)).norm(), 1);
  // a sampled block is an input: its column is that of the same load over time
  const auto held = test::model_from(arms(false, kByBlocks), {"control.b.period=1 s"}), free = test::model_from(arms(false, kOverTime));
  const LinearModel by_block = linearise(held, start_state(*held)), over_time = linearise(free, start_state(*free));
  const auto column = [](const LinearModel& linear, const std::string& name) -> Eigen::VectorXd {
    for (std::size_t i = 0; i < linear.inputs.size(); ++i)
      if (linear.inputs[i].name == name) return linear.B.col(static_cast<Eigen::Index>(i));
    ADD_FAILURE() << name;
    return Eigen::VectorXd::Zero(4);
  };
  EXPECT_LT((column(by_block, "b.output") - column(over_time, "wind.factor")).norm(), 1e-10 * column(over_time, "wind.factor").norm());
}

TEST(DrivenLoads, ActAsASpringAndDamper) {
  const std::string machine =
      "trunnion: 1\ngravity: [0, 0, 0]\nbodies: {slide: {point_mass: {mass: 2 kg}}}\njoints: {slide: {prismatic: {parent: ground, axis: "
      "x}, "
      "position: 0.1 m}}\nsolver: {step: 1 ms, duration: 1 s, tolerance_position: 1e-14}\n";
  const auto spring = test::model_from(machine + "springs: {s: {joint: slide, stiffness: 200 N/m, damping: 3 N s/m, rest: 0}}\n"),
             driven = test::model_from(machine +
                                       "forces: {s: {joint: slide, load: 1 N, signal: f}}\ncontrol: {f: {sum: {inputs: "
                                       "[slide.position, slide.speed], gains: [-200, -3]}}}\n");
  Runner a(spring), b(driven);
  for (int k = 1; k <= 10; ++k) {
    a.advance(0.1 * k);
    b.advance(0.1 * k);
    EXPECT_NEAR(a.state().q()[0], b.state().q()[0], 1e-11);
  }
  EXPECT_LT((linearise(spring, start_state(*spring)).A - linearise(driven, start_state(*driven)).A).norm(), 1e-9);
}

TEST(DrivenLoads, OfASampledBlockAreConstantBetween) {
  const auto model = test::model_from(
      "trunnion: 1\ngravity: [0, 0, 0]\nbodies: {slide: {point_mass: {mass: 2 kg}}}\njoints: {slide: {prismatic: {parent: ground, axis: "
      "x}, "
      "position: 0.1 m}}\nforces: {s: {joint: slide, load: 1 N, signal: f}}\ncontrol: {f: {sum: {inputs: [slide.position, slide.speed], "
      "gains: [-200, -3]}, period: 20 ms}}\nsolver: {step: 1 ms, duration: 1 s}\n");
  Runner run(model);
  double x = 0.1, v = 0;
  for (int k = 0; k < 40; ++k) {
    const double a = (-200 * x - 3 * v) / 2, h = 0.02;
    x += h * v + h * h / 2 * a;
    v += h * a;
    run.advance(0.02 * (k + 1));
    EXPECT_NEAR(run.state().q()[0], x, 1e-12) << k;
    EXPECT_NEAR(run.state().v()[0], v, 1e-11) << k;
  }
}

TEST(DrivenLoads, HoldAtEveryScaleContinueAndDoNotAllocate) {
  const std::string text = arms(true, in_a_loop(true));
  const std::vector<double> reference = end_of(test::model_from(text));
  for (const double scale : {1e-3, 1e3})
    EXPECT_LT(farthest(end_of(test::model_from(arms(true, in_a_loop(true), scale))), reference), 1e-7) << scale;
  test::expect_to_continue_and_not_to_allocate(test::model_from(text, {"control.b.period=7 ms"}));
}

TEST(DrivenLoads, CountInTheEquilibrium) {
  // a pendulum that a load of a constant block holds: torque m g L/2 cos(angle)
  const std::string text =
      "trunnion: 1\ngravity: [0, -9.81, 0]\nbodies: {a: {rod: {length: 1, mass: 1}}}\njoints: {a: {revolute: {parent: ground}, angle: -60 "
      "deg}}\nforces: {t: {joint: a, load: 2 N m, signal: f}}\ncontrol: {f: {gain: {input: 0.9}}}\nsolver: {step: 1 ms, duration: 1 s}\n";
  const CaseResult result = run_case(test::model_from(text), {}, StartKind::equilibrium);
  ASSERT_FALSE(result.failure);
  const Recording& r = result.recorder->recording();
  EXPECT_NEAR(1.8, 9.81 / 2 * std::cos(r.columns[static_cast<std::size_t>(r.find("a.angle"))].back()), 1e-8);
}

// ---------------------------------------------------------------- pressures of sources

/// A slide on a cylinder whose pump pressure follows the larger chamber pressure.
const char* const kLoadSensing = R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {slide: {point_mass: {mass: 300 kg}}}
joints: {slide: {prismatic: {parent: ground, axis: x}, position: 0.5 m, hold: true}}
springs: {load: {joint: slide, stiffness: 40 kN/m, damping: 2 kN s/m, rest: 0.5 m}}
fluid: {density: 870 kg/m^3, bulk_modulus: 1500 MPa}
volumes: {side_A: {volume: 0.2 L, pressure: 2 MPa}, side_B: {volume: 0.2 L, pressure: 1.5 MPa}}
sources: {pump: {pressure: supply}, tank: {pressure: back}}
valves:
  valve: {directional_4_3: {P: pump, T: tank, A: side_A, B: side_B, flow: 40 L/min, at_pressure_drop: 3.5 MPa, at_signal: 1, time_constant: 20 ms}, signal: command}
  bleed: {resistance: {A: pump, B: side_B, flow: 1 L/min, at_pressure_drop: 50 bar, laminar_share: 0.5}}
  relief: {relief: {A: side_A, B: tank, cracking_pressure: 3 MPa, flow: 60 L/min, override: 5 bar}}
cylinders:
  ram: {base: {body: ground, at: [-0.5 m, 0, 0]}, rod_end: {body: slide}, A: side_A, B: side_B, area_A: 19.6 cm^2, area_B: 11.6 cm^2,
        chamber_length_A: 0.3 m, chamber_length_B: 0.3 m, leakage: 2e-12 m^3/(s Pa)}
  rest: {base: {body: ground, at: [1.5 m, 0, 0]}, rod_end: {body: slide}, A: pump, B: tank, area_A: 2 cm^2, area_B: 1 cm^2,
        chamber_length_A: 0.3 m, chamber_length_B: 0.3 m}
signals: {command: {sine: {amplitude: 0.6, frequency: 1.5 Hz}}}
control:
  load: {maximum: {inputs: [side_A.pressure, side_B.pressure]}}
  supply: {low_pass: {input: wanted, time_constant: 30 ms}}
  wanted: {sum: {inputs: [load, ram.rate], gains: [1, 1e6], offset: 2e6}}
  back: {sum: {inputs: [side_A.pressure], gains: [0.02], offset: 1e5}}
record: {channels: ["*", supply.output, back.output]}
solver: {step: 1 ms, duration: 0.6 s, tolerance_pressure: 1e-4, tolerance_other: 1e-11, tolerance_position: 1e-13}
)";

TEST(DrivenPressures, AreInTheTangent) {
  const auto model = test::model_from(kLoadSensing);
  Runner exact(model);
  exact.advance(0.6);
  EXPECT_LE(exact.statistics().iterations, 4.2 * static_cast<double>(exact.statistics().steps));
  const auto same = [&](const std::vector<std::string>& set, double tolerance) {
    const auto other = test::model_from(kLoadSensing, set);
    Runner run(other);
    run.advance(0.6);
    for (int i = 0; i < model->layout.ny; ++i)
      EXPECT_NEAR(run.state().y()[i], exact.state().y()[i], tolerance * (1e-2 + std::abs(exact.state().y()[i])))
          << model->state_names[i] << " " << set.back();
    EXPECT_NEAR(run.state().q()[0], exact.state().q()[0], tolerance);
  };
  same({"solver.tangent=forward_difference"}, 1e-6);
  same({"solver.coordinates=cartesian"}, 1e-5);
  same({"solver.integrator=cvode", "solver.constraints=double_step"}, 2e-3);
  same({"solver.integrator=rk4", "solver.constraints=double_step", "solver.step=20 us"}, 2e-3);
  Runner other(test::model_from(kLoadSensing, {"control.back.sum.gains=[0.04]"}));
  other.advance(0.6);
  EXPECT_GT(std::abs(other.state().y()[0] - exact.state().y()[0]), 5e-3 * exact.state().y()[0]);
}

TEST(DrivenPressures, HaveTheEigenvaluesOfTheirLoop) {
  // p' = B/V K (p_s - p), p_s = c - 0.5 p; and a piston on a source: m x'' = -A p_s, p_s = 1e5 + k x
  const auto text = [](const char* block) {
    return std::string(
               "trunnion: 1\ngravity: [0, 0, 0]\nbodies: {slide: {point_mass: {mass: 3 kg}}}\njoints: {slide: {prismatic: {parent: ground, "
               "axis: x}, position: 1 m}}\nfluid: {density: 870, bulk_modulus: 1500 MPa}\nvolumes: {v: {volume: 1 L, pressure: 1 "
               "MPa}}\nsources: {s: {pressure: f}, t: {pressure: 1 bar}}\nvalves: {r: {resistance: {A: s, B: v, flow: 6 L/min, "
               "at_pressure_drop: 1 MPa, laminar_share: 1}}}\ncylinders: {c: {base: {body: ground}, rod_end: {body: slide}, A: s, B: t, "
               "area_A: 2 cm^2, area_B: 1 cm^2, chamber_length_A: 1 m, chamber_length_B: 1 m}}\nsolver: {step: 1 ms, duration: 1 "
               "s}\ncontrol: "
               "{f: {sum: ") +
           block + "}}\n";
  };
  const auto linear = [](const std::string& model_text) {
    const auto model = test::model_from(model_text);
    return linearise(model, start_state(*model));
  };
  const double rate = 1500e6 / 1e-3 * (6e-3 / 60 / 1e6);
  const LinearModel oil = linear(text("{inputs: [v.pressure], gains: [-0.5], offset: 1.5e6}"));
  ASSERT_EQ(oil.A.rows(), 3);
  EXPECT_NEAR(oil.A(2, 2), -1.5 * rate, 1e-6 * rate);
  EXPECT_NEAR(oil.A(1, 2), 2e-4 * -0.5 / 3, 1e-12);  // the piston feels the pressure at once
  const LinearModel spring = linear(text("{inputs: [c.length, c.rate], gains: [-5e6, -1e4], offset: 6e6}"));
  EXPECT_NEAR(spring.A(1, 0), 2e-4 * -5e6 / 3, 1e-6);
  EXPECT_NEAR(spring.A(1, 1), 2e-4 * -1e4 / 3, 1e-9);
  EXPECT_NEAR(spring.A(2, 0), -5e6 * rate, 1e-3 * rate);
}

// ---------------------------------------------------------------- errors

std::string error_of(const std::string& text) {
  try {
    start_state(*test::model_from(text));
  } catch (const InputError& error) { return error.what(); }
  return "";
}

TEST(DrivenLoads, MistakesAreNamed) {
  const std::string head =
      "trunnion: 1\nbodies: {a: {rod: {length: 1, mass: 1}}}\njoints: {a: {revolute: {parent: ground}}}\nfluid: {density: 870, "
      "bulk_modulus: "
      "1500 MPa}\nvolumes: {v: {volume: 1 L, pressure: 1 bar}}\ncontrol: {f: {gain: {input: v.pressure, gain: 1e-5}}}\n";
  EXPECT_EQ(error_of(head + "forces: {t: {joint: a, load: 1 N m, signal: f}}\n"), "");
  const std::string motion = error_of(head + "motions: {m: {joint: a, signal: f}}\n");
  EXPECT_NE(motion.find("control block"), std::string::npos) << motion;
  EXPECT_NE(motion.find("motions.m.signal"), std::string::npos) << motion;
  const std::string misspelt = error_of(head + "forces: {t: {joint: a, load: 1 N m, signal: g}}\n");
  EXPECT_NE(misspelt.find("`g` is not the name of a signal, an input or a control block"), std::string::npos) << misspelt;
  std::string unknown = head + "forces: {t: {joint: a, load: 1 N m, signal: f}}\n";
  unknown.replace(unknown.find(", pressure: 1 bar"), 17, "");
  unknown += "sources: {s: {flow: 0, to: v}}\n";
  EXPECT_NE(error_of(unknown).find("factor of the load `t`"), std::string::npos) << error_of(unknown);
  std::string source = head + "sources: {s: {pressure: f}}\nvalves: {o: {orifice: {A: s, B: v, area: 1 mm^2}}}\n";
  EXPECT_EQ(error_of(source), "");
  source.replace(source.find(", pressure: 1 bar"), 17, "");
  EXPECT_NE(error_of(source).find("pressure of `s`"), std::string::npos) << error_of(source);
}

}  // namespace
}  // namespace trunnion
