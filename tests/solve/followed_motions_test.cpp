// Motions that follow control blocks: against the same motions over time, the algebra of the closed loop, and between integrators.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <complex>
#include <numbers>

#include "base/diagnostic.h"
#include "linearise/linear_model.h"
#include "machine/start.h"
#include "run/channel_reader.h"
#include "run/run.h"
#include "support/continuation.h"
#include "support/linear_algebra.h"
#include "support/machines.h"

namespace trunnion {
namespace {

using Settings = std::vector<std::string>;

struct Course {
  std::vector<double> end;  // values of the channels at the end
  std::vector<std::string> names;
  double residual = 0, external = 0;  // [J]
  RunStatistics statistics;
};
Course course_of(const std::shared_ptr<const CompiledModel>& model, double end = 1) {
  Runner run(model);
  ChannelReader reader(model);
  reader.begin(run.state());
  run.advance(end, &reader);
  Course course;
  course.end = reader.values();
  for (const auto& channel : reader.channels()) course.names.push_back(channel.name);
  const Ledger& ledger = reader.ledger();
  course.residual = std::max(ledger.residual_range().max, -ledger.residual_range().min);
  course.external = ledger.totals().external;
  course.statistics = run.statistics();
  return course;
}
double value_of(const Course& course, const std::string& name) {
  for (std::size_t i = 0; i < course.names.size(); ++i)
    if (course.names[i] == name) return course.end[i];
  ADD_FAILURE() << "no channel " << name;
  return 0;
}
/// Largest relative difference of the channels of the first, of values below 1 the difference; `motion`: of coordinates and their rates alone.
double distance(const Course& a, const Course& b, bool motion = false) {
  double largest = 0;
  for (std::size_t i = 0; i < a.names.size(); ++i) {
    const std::string& name = a.names[i];
    if (name.starts_with("energy.") || name.starts_with("solver.") || name.find("violation") != std::string::npos) continue;
    if (motion && !name.ends_with(".angle") && !name.ends_with(".rate") && name.find(".center_") == std::string::npos) continue;
    largest = std::max(largest, std::abs(value_of(b, name) - a.end[i]) / std::max(1.0, std::abs(a.end[i])));
  }
  return largest;
}

// ---------------------------------------------------------------- over time

constexpr double kOmega = 2 * std::numbers::pi * 2, kDamping = 0.9, kSwing = 2 * std::numbers::pi * 0.7;
std::complex<double> filter_at(double w) {
  return kOmega * kOmega / std::complex<double>(kOmega * kOmega - w * w, 2 * kDamping * kOmega * w);
}

/// Two arms of which the first is moved; it starts in the steady oscillation of the filter.
std::string arms(bool spatial, bool by_block, double scale = 1) {
  const std::complex<double> H = filter_at(kSwing);
  const double amplitude = 0.6 * std::abs(H), phase = std::arg(H);
  return fmt::format(R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies:
  boom: {{rod: {{length: 2 m, mass: {0:.17g} kg}}}}
  arm: {{inertia: [{1:.17g}, {2:.17g}, {3:.17g}], mass: {4:.17g}, center_of_mass: [0.6 m, 0, 0]}}
joints:
  boom: {{revolute: {{parent: ground, axis: z}}, angle: {6:.17g}, rate: {7:.17g}}}
  arm: {5}
signals: {{s: {{sine: {{amplitude: 0.6, frequency: 0.7 Hz}}}}, same: {{sine: {{amplitude: {8:.17g}, frequency: 0.7 Hz, phase: {9:.17g} rad}}}}}}
{10}
record: {{channels: ["*", "boom.reaction*", "arm.reaction*"]}}
solver: {{step: 1 ms, duration: 1 s, tolerance_position: 1e-13, tolerance_other: 1e-13}}
)",
                     40 * scale, 5 * scale, 7 * scale, 8 * scale, 15 * scale,
                     spatial
                         ? "{spherical: {parent: boom, at: [2 m, 0, 0]}, rotation: [0.3, -0.2, -0.7], angular_velocity: [0.4, 0.7, -0.5]}"
                         : "{revolute: {parent: boom, at: [2 m, 0, 0], axis: z}, angle: -50 deg}",
                     amplitude * std::sin(phase), amplitude * kSwing * std::cos(phase), amplitude, phase,
                     by_block ? "motions: {swing: {joint: boom, signal: smooth}}\ncontrol: {wanted: {gain: {input: s}}, smooth: {low_pass: "
                                "{input: wanted, frequency: 2 Hz, damping: 0.9}}}"
                              : "motions: {swing: {joint: boom, signal: same}}");
}
const std::vector<Settings> kWays{{"solver.constraints=penalty"},
                                  {"solver.tangent=forward_difference"},
                                  {"solver.integrator=bdf2"},
                                  {"solver.integrator=generalized_alpha"},
                                  {"solver.integrator=hht"},
                                  {"solver.integrator=esdirk3"},
                                  {"solver.integrator=rk4", "solver.constraints=double_step"},
                                  {"solver.integrator=rk4", "solver.constraints=baumgarte"},
                                  {"solver.integrator=rk4", "solver.constraints=ali1"},
                                  {"solver.integrator=cvode", "solver.constraints=double_step", "solver.reference_tolerance=1e-10"}};
std::string words(const Settings& set) { return fmt::format("{}", fmt::join(set, " ")); }
Settings with(Settings a, const Settings& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(FollowedMotions, AreTheSameMotionsAsOverTime) {
  for (const bool spatial : {false, true})
    for (const Settings& way : kWays) {
      const Course over_time = course_of(test::model_from(arms(spatial, false), way)),
                   by_block = course_of(test::model_from(arms(spatial, true), way));
      EXPECT_LT(distance(over_time, by_block), 2e-4) << spatial << words(way);
      EXPECT_NEAR(by_block.external, over_time.external, 1e-4 * std::abs(over_time.external)) << words(way);
      EXPECT_LT(by_block.residual, 1.01 * over_time.residual + 1e-4 * std::abs(over_time.external)) << words(way);
      if (spatial || &way != &kWays[0]) continue;
      for (const char* wrong : {"control.wanted.gain.gain=-1", "control.smooth.low_pass.damping=0.91"})
        EXPECT_GT(distance(over_time, course_of(test::model_from(arms(spatial, true), with(way, {wrong})))), 1e-3) << words(way);
    }
}

TEST(FollowedMotions, ConvergeWithTheOrderOfTheRule) {
  for (const bool spatial : {false, true})
    for (const char* integrator : {"trapezoidal", "bdf2"}) {
      const auto at = [&](bool by_block, const char* step) {
        return course_of(test::model_from(arms(spatial, by_block),
                                          {std::string("solver.step=") + step, std::string("solver.integrator=") + integrator}));
      };
      const Course exact = course_of(test::model_from(
          arms(spatial, false), {"solver.integrator=cvode", "solver.constraints=double_step", "solver.reference_tolerance=1e-11"}));
      const double coarse = distance(exact, at(true, "4 ms"), true), fine = distance(exact, at(true, "2 ms"), true);
      EXPECT_NEAR(std::log2(coarse / fine), 2, 0.35) << spatial << integrator << " " << coarse << " " << fine;
    }
}

// ---------------------------------------------------------------- in a loop

/// A cart that follows a block, which reads the load on a spring that it carries.
std::string cart(double scale, double gain) {
  return fmt::format(R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies:
  cart: {{point_mass: {{mass: {0:.17g} kg}}}}
  load: {{point_mass: {{mass: {1:.17g} kg}}}}
joints:
  cart: {{prismatic: {{parent: ground, axis: x}}}}
  load: {{prismatic: {{parent: cart, axis: x}}, position: 0.1 m}}
springs: {{link: {{joint: load, stiffness: {2:.17g} N/m, damping: {3:.17g} N s/m, rest: 0}}}}
motions: {{drive: {{joint: cart, signal: target}}}}
control:
  wanted: {{sum: {{inputs: [load.position, load.speed], gains: [{4:.17g}, {5:.17g}]}}}}
  target: {{low_pass: {{input: wanted, frequency: 3 Hz, damping: 0.6}}}}
solver: {{step: 1 ms, duration: 1 s, tolerance_position: 1e-13, tolerance_other: 1e-13}}
)",
                     70 * scale, 20 * scale, 2000 * scale, 10 * scale, gain, 0.2 * gain);
}
Eigen::Matrix4d cart_matrix(double gain) {  // z, z', u, u'
  const double w = 2 * std::numbers::pi * 3, k = 100, c = 0.5;
  Eigen::Matrix4d A = Eigen::Matrix4d::Zero();
  A(0, 1) = A(2, 3) = 1;
  A.row(3) << w * w * gain, w * w * 0.2 * gain, -w * w, -2 * 0.6 * w;
  A.row(1) = -A.row(3);
  A(1, 0) -= k;
  A(1, 1) -= c;
  return A;
}
double farthest(const Eigen::VectorXcd& list, const Eigen::VectorXcd& others) {
  double largest = 0;
  for (const auto& a : list) {
    double nearest = 1e300;
    for (const auto& b : others) nearest = std::min(nearest, std::abs(a - b) / std::abs(a));
    largest = std::max(largest, nearest);
  }
  return largest;
}
const double kGain = 0.7;

TEST(FollowedMotions, HaveTheEigenvaluesOfTheirLoop) {
  for (const double scale : {1e-3, 1.0, 1e3}) {
    const auto model = test::model_from(cart(scale, kGain));
    const LinearModel linear = linearise(model, start_state(*model));
    ASSERT_EQ(linear.A.rows(), 5 - 1);
    const Eigen::VectorXcd found = test::eigenvalues(linear.A);
    EXPECT_LT(farthest(test::eigenvalues(cart_matrix(kGain)), found), 1e-9) << scale;
    EXPECT_LT(farthest(found, test::eigenvalues(cart_matrix(kGain))), 1e-9) << scale;
    EXPECT_GT(farthest(test::eigenvalues(cart_matrix(-kGain)), found), 1e-2);
  }
}

/// z, z', u, u' at time t.
Eigen::Vector4d exact_cart(double gain, double t) {
  const test::Eigenpairs modes = test::eigen(cart_matrix(gain));
  const Eigen::VectorXcd z = test::solve(modes.vectors, Eigen::MatrixXcd(Eigen::Vector4d(0.1, 0, 0, 0).cast<std::complex<double>>()));
  return (modes.vectors * (modes.values * t).array().exp().matrix().cwiseProduct(z)).real();
}
double cart_error(const Settings& set, double scale = 1, double gain = kGain) {
  const Course course = course_of(test::model_from(cart(scale, gain), set));
  const Eigen::Vector4d exact = exact_cart(kGain, 1);
  return (Eigen::Vector4d(value_of(course, "load.position"), value_of(course, "load.speed"), value_of(course, "cart.position"),
                          value_of(course, "cart.speed")) -
          exact)
      .norm();
}

TEST(FollowedMotions, InALoopConvergeToItsAlgebra) {
  for (const Settings& way : kWays) {
    const bool fourth = way[0] == "solver.integrator=rk4" || way[0] == "solver.integrator=cvode";
    EXPECT_LT(cart_error(way), fourth ? 1e-6 : 3e-4) << words(way);
    EXPECT_GT(cart_error(way, 1, 0.9 * kGain), 3e-3) << words(way);
  }
  for (const double scale : {1e-3, 1.0, 1e3}) {
    const double coarse = cart_error({"solver.step=2 ms"}, scale), fine = cart_error({"solver.step=1 ms"}, scale),
                 finest = cart_error({"solver.step=0.1 ms"}, scale);
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1) << scale << " " << coarse << " " << fine;
    EXPECT_LT(finest, fine / 80) << scale;
    EXPECT_LT(cart_error({"solver.step=10 ms"}, scale), 130 * fine) << scale;
  }
}

/// Newton's method converges as with the motion over time.
TEST(FollowedMotions, AreInTheTangent) {
  for (const char* step : {"1 ms", "10 ms"}) {
    const std::string length = std::string("solver.step=") + step;
    const Course loop = course_of(test::model_from(cart(1, kGain), {length})),
                 arm = course_of(test::model_from(arms(true, true), {length})),
                 over_time = course_of(test::model_from(arms(true, false), {length}));
    EXPECT_LE(loop.statistics.iterations, 2.1 * static_cast<double>(loop.statistics.steps));  // linear
    EXPECT_LE(arm.statistics.iterations, over_time.statistics.iterations + arm.statistics.steps);
  }
}

TEST(FollowedMotions, FollowSampledBlocksContinueAndDoNotAllocate) {
  for (const char* setting : {"control.wanted.period=7 ms", "solver.integrator=esdirk3"})
    test::expect_to_continue_and_not_to_allocate(test::model_from(cart(1, kGain), {setting}));
  const Course course = course_of(test::model_from(cart(1, kGain), {"control.wanted.period=1 ms"}));
  EXPECT_NEAR(value_of(course, "cart.position"), exact_cart(kGain, 1)[2], 5e-3);
}

// ---------------------------------------------------------------- start and errors

TEST(FollowedMotions, StartWhereTheirJointsAre) {
  const auto model = test::model_from(cart(1, kGain), {"joints.cart.position=0.3 m", "joints.cart.speed=-0.2 m/s"});
  const StateVector state = start_state(*model);
  EXPECT_NEAR(test::channel_at(model, state, "cart.position"), 0.3, 1e-15);
  EXPECT_NEAR(test::channel_at(model, state, "cart.speed"), -0.2, 1e-15);
  EXPECT_NEAR(test::channel_at(model, state, "target.state_1"), 0.3, 1e-15);
  const double w = 2 * std::numbers::pi * 3;
  EXPECT_NEAR(test::channel_at(model, state, "target.state_2"), -0.2 / w, 1e-15);
}

std::string error_of(const Settings& set) {
  try {
    start_state(*test::model_from(cart(1, kGain), set));
  } catch (const InputError& error) { return error.what(); }
  return "";
}

TEST(FollowedMotions, WhatIsNotAvailableIsRefusedByName) {
  EXPECT_EQ(error_of({}), "");
  const auto refused = [](const Settings& set, const char* instead) {
    const std::string error = error_of(set);
    EXPECT_NE(error.find("motions.drive.signal"), std::string::npos) << words(set) << error;
    EXPECT_NE(error.find(instead), std::string::npos) << words(set) << error;
  };
  const char* const filter = "let it follow a `low_pass` with `frequency`, without `period`, that reads it";
  refused({"motions.drive.signal=wanted"}, filter);
  refused({"control.target.period=1 ms"}, filter);
  refused({"control.target={low_pass: {input: wanted, time_constant: 1 s}}"}, filter);
  refused({"signals={s: {sum: [target]}}", "motions.drive.signal=s"}, filter);
  refused({"solver.coordinates=cartesian"}, "relative");
  refused({"solver.constraints=double_step"}, "rk4");
  refused({"solver.constraints=baumgarte"}, "rk4");
  refused({"solver.integrator=semi_implicit_euler", "solver.constraints=double_step"}, "another integrator");
}

}  // namespace
}  // namespace trunnion
