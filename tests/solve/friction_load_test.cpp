// Friction in proportion to the load of a joint. Reference: single equations of motion with the reaction of Newton's law, solved and
// integrated by a Runge-Kutta method; closed forms of a slide; the same machine in other coordinates and treatments.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "linearise/linear_model.h"
#include "linearise/steady.h"
#include "linearise/step_map.h"
#include "machine/equilibrium.h"
#include "machine/observe.h"
#include "machine/start.h"
#include "results/response_sensitivity.h"
#include "results/run_case.h"
#include "run/element_steps.h"
#include "run/make_stepper.h"
#include "run/run.h"
#include "support/allocation_counter.h"
#include "support/machines.h"
#include "trunnion/simulation.h"

namespace trunnion {
namespace {

using test::channel_at;
using test::model_from;
using Settings = std::vector<std::string>;

/// Heat of everything that the mechanism loses [W].
double power_of_damping(const std::shared_ptr<const CompiledModel>& model, const StateVector& state) {
  const auto observer = make_observer(model);
  observer->observe(state, Side::left);
  double sum = 0;
  for (std::size_t i = 0; i < observer->entries().size(); ++i)
    if (observer->entries()[i].account == Account::damping) sum += observer->powers()[i];
  return sum;
}

// ---------------------------------------------------------------- a pendulum on a pin

constexpr double kMass = 2, kArm = 0.5, kInertia = 0.2, kGravity = 9.81;     // about the centre of mass
constexpr double kTorque = 1.5, kLoad = 20, kSmooth = 0.4, kViscous = 0.05;  // of the pin at its nominal load
constexpr double kDuration = 1.6;

/// Everything with a mass times `m`.
std::string pendulum(double m, const std::string& load) {
  return fmt::format(R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {{arm: {{mass: {:.17g}, center_of_mass: [0.5, 0, 0], inertia: [{:.17g}, {:.17g}, {:.17g}]}}}}
joints: {{arm: {{revolute: {{parent: ground, axis: z}}, angle: 0.3 rad, friction: {{model: coulomb_viscous, coulomb: {:.17g}, stribeck_velocity: 0.4, viscous: {:.17g}{}}}}}}}
solver: {{step: 1 ms, duration: 1.6 s}}
)",
                     kMass * m, kInertia * m, kInertia * m, kInertia * m, kTorque * m, kViscous * m, load);
}
std::string with_load(double m) { return pendulum(m, fmt::format(", nominal_load: {:.17g}", kLoad * m)); }

/// Angle and rate at the end, and the work of the friction, from the balance of moments about the pin and Newton's law for its force.
std::array<double, 3> pendulum_alone() {
  const auto law = [](double w) { return kTorque * std::tanh(4 * w / kSmooth) + kViscous * w; };
  const auto rates = [&](const std::array<double, 3>& x) -> std::array<double, 3> {
    double a = 0, torque = 0;
    for (int i = 0; i < 200; ++i) {  // the force contains the acceleration
      const double radial = -kMass * kArm * x[1] * x[1] + kMass * kGravity * std::sin(x[0]),
                   across = kMass * kArm * a + kMass * kGravity * std::cos(x[0]);
      torque = std::hypot(radial, across) / kLoad * law(x[1]);
      a = (-kMass * kGravity * kArm * std::cos(x[0]) - torque) / (kInertia + kMass * kArm * kArm);
    }
    return {x[1], a, torque * x[1]};
  };
  std::array<double, 3> x{0.3, 0, 0};
  constexpr int kSteps = 8000;
  const double h = kDuration / kSteps;
  const auto moved = [](const std::array<double, 3>& at, double by, const std::array<double, 3>& k) {
    return std::array<double, 3>{at[0] + by * k[0], at[1] + by * k[1], at[2] + by * k[2]};
  };
  for (int i = 0; i < kSteps; ++i) {
    const auto k1 = rates(x), k2 = rates(moved(x, h / 2, k1)), k3 = rates(moved(x, h / 2, k2)), k4 = rates(moved(x, h, k3));
    for (std::size_t j = 0; j < 3; ++j) x[j] += h / 6 * (k1[j] + 2 * k2[j] + 2 * k3[j] + k4[j]);
  }
  return x;
}

double angle_at_end(const std::string& text, const Settings& settings) {
  const auto model = model_from(text, settings);
  Runner run(model);
  run.advance(kDuration);
  return channel_at(model, run.state(), "arm.angle");
}

TEST(FrictionLoad, PendulumConvergesWithOrderTwoInEveryTreatment) {
  const double exact = pendulum_alone()[0];
  const Settings treatments[] = {{"solver.constraints=penalty"},
                                 {"solver.constraints=double_step"},
                                 {"solver.constraints=baumgarte"},
                                 {"solver.coordinates=cartesian"},
                                 {"solver.coordinates=cartesian", "solver.constraints=double_step"},
                                 {"solver.integrator=generalized_alpha"},
                                 {"solver.integrator=hht"},
                                 {"solver.integrator=bdf2"},
                                 {"solver.integrator=esdirk3"}};
  for (const Settings& treatment : treatments) {
    const auto error = [&](double step) {
      Settings settings = treatment;
      settings.push_back(fmt::format("solver.step={:.17g}", step));
      return std::abs(angle_at_end(with_load(1), settings) - exact);
    };
    const double coarse = error(4e-3), middle = error(2e-3), fine = error(1e-3);
    EXPECT_LT(fine, 2e-5) << treatment[0];
    EXPECT_GT(std::log2(coarse / middle), 1.7) << treatment[0] << ": " << coarse << " " << middle << " " << fine;
    EXPECT_GT(std::log2(middle / fine), 1.8) << treatment[0] << ": " << coarse << " " << middle << " " << fine;
  }
  EXPECT_GT(std::abs(angle_at_end(pendulum(1, ""), {}) - exact), 1e-2) << "a constant load passes";
  EXPECT_GT(std::abs(angle_at_end(with_load(1), {"joints.arm.friction.nominal_load=20.1"}) - exact), 1e-4) << "a wrong load passes";
}

TEST(FrictionLoad, PendulumIsTheSameForAnySizeOfTheMasses) {
  const double angle = angle_at_end(with_load(1), {});
  for (const double m : {1e-3, 1e3}) EXPECT_NEAR(angle_at_end(with_load(m), {}), angle, 1e-9) << m;
}

TEST(FrictionLoad, WorkIsBooked) {
  const double work = pendulum_alone()[2];
  for (const char* step : {"2 ms", "0.25 ms"}) {
    const CaseResult result = run_case(model_from(with_load(1), {std::string("solver.step=") + step}));
    ASSERT_FALSE(result.failure);
    const Ledger& ledger = result.recorder->ledger();
    const bool fine = step[0] == '0';
    EXPECT_NEAR(ledger.totals().damping, work, (fine ? 1e-6 : 1e-4) * work) << step;
    EXPECT_LT(ledger.closed_to_percent(), fine ? 1e-4 : 1e-2) << step;
  }
}

TEST(FrictionLoad, StartAgreesWithItsAccelerations) {
  const auto model =
      model_from(with_load(1), {"joints.arm.rate=3 rad/s", "record.channels=[\"*\", arm.reaction.force_x, arm.reaction.force_y]"});
  const StateVector start = start_state(*model);
  const double R = std::hypot(channel_at(model, start, "arm.reaction.force_x"), channel_at(model, start, "arm.reaction.force_y")), w = 3;
  EXPECT_NEAR(channel_at(model, start, "arm.friction_load") * kLoad, R, 1e-9 * R);
  EXPECT_NEAR(channel_at(model, start, "arm.friction_torque"), R / kLoad * (kTorque * std::tanh(4 * w / kSmooth) + kViscous * w), 1e-9);
}

/// The memory is in the state: a run that goes on from a copy, and one from a snapshot, have the same bits.
TEST(FrictionLoad, ContinuesBitForBit) {
  const auto model = model_from(with_load(1));
  Runner whole(model), half(model);
  whole.advance(0.8), half.advance(0.8);
  Runner rest(model, half.state());
  whole.advance(1.2), rest.advance(1.2);
  EXPECT_EQ(whole.state(), rest.state());
  Simulation simulation = Simulation::from_text(with_load(1));
  simulation.run_until(0.5);
  const Snapshot kept = simulation.save();
  simulation.run_until(1);
  const double angle = simulation.value("arm.angle");
  simulation.restore(kept);
  simulation.run_until(1);
  EXPECT_EQ(simulation.value("arm.angle"), angle);
}

TEST(FrictionLoad, StepsAllocateNothing) {
  const auto model = model_from(with_load(1));
  Runner run(model);
  run.advance(0.01);
  const auto stepper = make_stepper(model);
  StateVector state = run.state();
  stepper->step(state, 1e-3);
  stepper->restart(state);
  if (!test::allocations_are_counted()) GTEST_SKIP();
  const long before = test::allocations();
  stepper->step(state, 1e-3);
  stepper->restart(state);
  stepper->step(state, 1e-3);
  EXPECT_EQ(test::allocations(), before);
}

/// Any law: its force is that of the law times the factor, and the ledger is closed.
TEST(FrictionLoad, EveryLawFollows) {
  const std::string bristles = "coulomb: 1.5, static: 2, stribeck_velocity: 0.1, bristle_stiffness: 2000, bristle_damping: 5, viscous: 0.1";
  const std::string laws[] = {
      "model: coulomb_viscous, " + bristles,
      "model: bengisu_akay, decay: 4, " + bristles,
      "model: brown_mcphee, " + bristles,
      "model: lugre, " + bristles,
      "model: lugre, states: local, " + bristles,
      "model: dahl, " + bristles,
      "model: modified_lugre, film_velocity: 0.1, film_time_up: 0.1, film_time_down: 0.1, film_time_dwell: 0.1, " + bristles,
      "model: set_valued, " + bristles,
      "model: maxwell_slip, element_forces: [1, 2], element_stiffnesses: [2, 1], " + bristles};
  for (const std::string& law : laws) {
    const std::string text = fmt::format(R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {{arm: {{mass: 2, center_of_mass: [0.5, 0, 0], inertia: [0.2, 0.2, 0.2]}}}}
joints: {{arm: {{revolute: {{parent: ground, axis: z}}, angle: 0.3 rad, friction: {{{}, nominal_load: 20}}}}}}
solver: {{step: 0.2 ms, duration: 1.6 s}}
)",
                                         law);
    const CaseResult result = run_case(model_from(text));
    ASSERT_FALSE(result.failure) << law;
    EXPECT_LT(result.recorder->ledger().closed_to_percent(), 1e-3) << law;
    // at a constant factor of 1 the torque of the law itself, by the states that the run has
    const auto model = model_from(text);
    Runner run(model);
    run.advance(0.4);
    StateVector one = run.state();
    const Actuator& a = model->hydraulics.actuators[0];
    const double f = one.y()[a.load + kAppliedLoad], torque = channel_at(model, one, "arm.friction_torque");
    EXPECT_GT(f, 0.3) << law;
    one.y()[a.load + kAppliedLoad] = 1;
    EXPECT_NEAR(torque, f * channel_at(model, one, "arm.friction_torque"), 1e-12 * std::abs(torque)) << law;
    one.y()[a.load + kAppliedLoad] = 0;
    EXPECT_EQ(channel_at(model, one, "arm.friction_torque"), 0) << law;
    EXPECT_TRUE(std::isfinite(power_of_damping(model, one))) << law;
  }
}

/// The nominal load is arbitrary: friction, its stiffness and the load in any measure are the same law, with the same motion and heat.
TEST(FrictionLoad, TheHeatDoesNotDependOnTheMeasureOfTheLoad) {
  for (const double mass : {3e-3, 3.0, 3e3})
    for (const double measure : {1e-3, 1.0, 1e3, 1e5}) {
      const double scale = mass * measure;
      const CaseResult result = run_case(model_from(fmt::format(R"(
trunnion: 1
gravity: [0, 0, -9.81]
bodies: {{block: {{box: {{size: [0.1, 0.1, 0.1], mass: {:.17g}}}}}}}
joints: {{block: {{prismatic: {{parent: ground, axis: x}}, speed: 0.5 m/s, friction: {{model: lugre, coulomb: {:.17g}, static: {:.17g},
  stribeck_velocity: 0.01, nominal_load: {:.17g}, bristle_stiffness: {:.17g}, bristle_damping: {:.17g}}}}}}}
solver: {{step: 1 ms, duration: 1 s}}
)",
                                                                mass, 2 * scale, 2 * scale, 10 * scale, 1e4 * scale, 10 * scale)));
      ASSERT_FALSE(result.failure) << mass << " " << measure;
      const Ledger& ledger = result.recorder->ledger();
      const double moving = mass * 0.5 * 0.5 / 2;
      EXPECT_NEAR(ledger.totals().damping, moving, 1e-3 * moving) << mass << " " << measure;
      EXPECT_LT(ledger.closed_to_percent(), 0.1) << mass << " " << measure;
      EXPECT_EQ(ledger.stored().spring, 0);
    }
}

/// A four-bar linkage on a side slope: the forces across its plane can be shared in many ways, which a warning says.
TEST(FrictionLoad, OfLoopsWithForcesAcrossTheirPlaneIsDoubtful) {
  const auto warnings = [](const char* across, const char* coordinates) {
    const std::string friction = "friction: {model: coulomb_viscous, coulomb: 1 N m, nominal_load: 100}";
    const auto model = model_from(fmt::format(R"(
trunnion: 1
gravity: [0, -9.81, {0}]
bodies: {{a: {{rod: {{length: 1, mass: 3}}}}, b: {{rod: {{length: 2, mass: 3}}}}, c: {{rod: {{length: 1.5, mass: 3}}}}}}
joints:
  a: {{revolute: {{parent: ground, axis: z}}, angle: 1, hold: true, {1}}}
  b: {{revolute: {{parent: a, at: [1, 0, 0], axis: z}}}}
  c: {{revolute: {{parent: ground, at: [2, 0, 0], axis: z}}, angle: 1.5}}
loops: {{l: {{revolute: {{between: [b, c], at: [[2, 0, 0], [1.5, 0, 0]], axis: z}}, {1}}}}}
solver: {{step: 1 ms, duration: 1 s, coordinates: {2}}}
)",
                                              across, friction, coordinates));
    return element_step_warnings(*model, start_state(*model));
  };
  EXPECT_TRUE(warnings("0", "relative").empty());
  EXPECT_TRUE(warnings("9.81", "cartesian").empty());
  const std::vector<std::string> found = warnings("9.81", "relative");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_NE((found[0] + found[1]).find("joints.a.friction.nominal_load"), std::string::npos) << found[0];
  EXPECT_NE((found[0] + found[1]).find("loops.l.friction.nominal_load"), std::string::npos) << found[1];
}

// ---------------------------------------------------------------- a slide

/// A block on an inclined slide, pressed onto it by a force that grows: the friction follows the force normal to the slide.
std::string slide(bool spatial, const std::string& kind, const std::string& friction) {
  return fmt::format(R"(
trunnion: 1
gravity: [0, -9.81, 0]
signals: {{growing: {{ramps: [[0 s, 0], [2 s, 1]]}}}}
bodies:
  {}block: {{mass: 3, inertia: [1, 1, 1]}}
joints:
  {}block: {{{}: {{parent: {}, axis: [0.8, -0.6, 0]}}, {}: 2, friction: {}}}
forces: {{press: {{body: block, force: [-60 N, -80 N, 0], signal: growing}}}}
solver: {{step: 1 ms, duration: 1 s}}
)",
                     spatial ? "top: {mass: 1, inertia: [1, 1, 1]}\n  " : "",
                     spatial ? "top: {spherical: {parent: ground, at: [0, 3, 0]}}\n  " : "", kind, "ground", "speed", friction);
}

TEST(FrictionLoad, SlideFollowsTheForceNormalToItsAxis) {
  const double m = 3, mu = 0.2, g = 9.81, T = 1;
  // the direction of sliding (0.8, -0.6), the force pressing (-60, -80) is normal to it: N = m g 0.8 + 100 t / 2
  const double drive = g * 0.6, x_exact = 2 * T + drive * T * T / 2 - mu * (g * 0.8 * T * T / 2 + 100 / 2.0 / m * T * T * T / 6),
               v_exact = 2 + drive * T - mu * (g * 0.8 * T + 100 / 2.0 / m * T * T / 2);
  const std::string law = "{model: coulomb_viscous, coulomb: 10, stribeck_velocity: 1 mm/s, nominal_load: 50 N}";
  for (const bool spatial : {false, true})
    for (const bool cylindrical : {false, true}) {
      if (cylindrical && !spatial) continue;
      const auto model =
          model_from(slide(spatial, cylindrical ? "cylindrical" : "prismatic", cylindrical ? "{position: " + law + "}" : law));
      EXPECT_EQ(model->planar, !spatial);
      for (const char* coordinates : {"relative", "cartesian"}) {
        const auto in = model_from(slide(spatial, cylindrical ? "cylindrical" : "prismatic", cylindrical ? "{position: " + law + "}" : law),
                                   {std::string("solver.coordinates=") + coordinates});
        Runner run(in);
        run.advance(T);
        EXPECT_NEAR(channel_at(in, run.state(), "block.position"), x_exact, 2e-5) << coordinates << cylindrical << spatial;
        EXPECT_NEAR(channel_at(in, run.state(), "block.speed"), v_exact, 1e-5) << coordinates << cylindrical << spatial;
      }
    }
}

// ---------------------------------------------------------------- loops, both coordinates, all treatments

/// A four-bar linkage with friction in every pin, the closing one too.
std::string linkage(const std::string& more = "") {
  const std::string law =
      "friction: {model: brown_mcphee, coulomb: 0.6, static: 0.8, stribeck_velocity: 0.3, viscous: 0.05, nominal_load: 40 N}";
  return R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies:
  crank: {rod: {length: 0.5, diameter: 0.05, mass: 4}}
  coupler: {rod: {length: 1, diameter: 0.05, mass: 6}}
  rocker: {rod: {length: 0.8, diameter: 0.05, mass: 5}}
joints:
  crank: {revolute: {parent: ground, axis: z}, angle: 70 deg, hold: true, )" +
         law + R"(}
  coupler: {revolute: {parent: crank, at: [0.5, 0, 0], axis: z}, )" +
         law + R"(}
  rocker: {revolute: {parent: ground, at: [1.2, 0, 0], axis: z}, angle: 100 deg, )" +
         law + R"(}
loops: {E: {revolute: {between: [coupler, rocker], at: [[1, 0, 0], [0.8, 0, 0]], axis: z}, )" +
         law + R"(}}
record: {channels: ["*", crank.reaction.force_x, crank.reaction.force_y, E.reaction.force_x, E.reaction.force_y, coupler.reaction.force_x, coupler.reaction.force_y]}
solver: {step: 0.5 ms, duration: 1 s}
)" + more;
}

TEST(FrictionLoad, TreatmentsAndCoordinatesAgreeOnALoop) {
  const auto at_end = [](const Settings& settings) {
    const auto model = model_from(linkage(), settings);
    Runner run(model);
    run.advance(1);
    for (const char* joint : {"crank", "coupler"}) {  // the factor is the reaction of the state, up to the extrapolation
      const std::string name = joint;
      const double R = std::hypot(channel_at(model, run.state(), name + ".reaction.force_x"),
                                  channel_at(model, run.state(), name + ".reaction.force_y"));
      EXPECT_NEAR(channel_at(model, run.state(), name + ".friction_load"), R / 40, 1e-3 * R / 40) << name << settings[0];
    }
    const double R = std::hypot(channel_at(model, run.state(), "E.reaction.force_x"), channel_at(model, run.state(), "E.reaction.force_y")),
                 nominal = *model->description.loops[0].second.elements[0].friction->nominal_load;
    EXPECT_NEAR(channel_at(model, run.state(), "E.friction_load"), R / nominal, 1e-3 * R / nominal) << settings[0];
    return channel_at(model, run.state(), "crank.angle");
  };
  const double angle = at_end({"solver.constraints=penalty", "solver.step=0.25 ms"});
  for (const Settings& settings :
       {Settings{"solver.constraints=penalty"}, Settings{"solver.constraints=double_step"}, Settings{"solver.constraints=baumgarte"},
        Settings{"solver.coordinates=cartesian", "solver.constraints=penalty"}})
    EXPECT_NEAR(at_end(settings), angle, 2e-5) << settings[0];
  EXPECT_GT(std::abs(at_end({"loops.E.friction.nominal_load=44", "solver.step=0.25 ms"}) - angle), 1e-4) << "a wrong load passes";
}

TEST(FrictionLoad, EquilibriumAndLinearModelsHoldIt) {
  const auto model = model_from(with_load(1));
  const Equilibrium rest = solve_equilibrium(*model);
  EXPECT_NEAR(channel_at(model, rest.state, "arm.angle"), -std::numbers::pi / 2, 1e-6);
  EXPECT_NEAR(channel_at(model, rest.state, "arm.friction_load"), kMass * kGravity / kLoad, 1e-9);
  const LinearModel linear = linearise(model, rest.state);
  ASSERT_EQ(linear.states.size(), 2u);
  // slope of the law at rest, at the load of the weight
  EXPECT_NEAR(linear.A(1, 1), -kMass * kGravity / kLoad * (4 * kTorque / kSmooth + kViscous) / (kInertia + kMass * kArm * kArm), 1e-6);
}

TEST(FrictionLoad, SensitivitiesContainIt) {
  const auto model = model_from(with_load(1));
  const std::vector<std::string> paths{"joints.arm.friction.nominal_load", "bodies.arm.mass"};
  const ResponseSensitivity exact = response_sensitivity(*model, paths, {{"arm.angle", {kDuration}}});
  ASSERT_EQ(exact.failure, "");
  const double values[] = {kLoad, kMass};
  for (std::size_t i = 0; i < paths.size(); ++i) {
    constexpr double kChange = 1e-4;
    const auto at = [&](double factor) { return angle_at_end(with_load(1), {fmt::format("{}={:.17g}", paths[i], factor * values[i])}); };
    const double difference = (at(1 + kChange) - at(1 - kChange)) / (2 * kChange * values[i]);
    EXPECT_GT(std::abs(difference), 1e-3) << paths[i];
    EXPECT_NEAR(exact.derivatives[i][0].back(), difference, 1e-5 * std::abs(difference)) << paths[i];
  }
}

/// Samples of a controller at any distance from the regular steps: a step much shorter than the others has no rate of the load.
TEST(FrictionLoad, ShortStepsDoNotChangeIt) {
  const auto angle = [](const std::string& period, const Settings& settings) {
    const std::string control = fmt::format(R"(
forces: {{motor: {{joint: arm, load: 1 N m, signal: torque}}}}
control: {{torque: {{pid: {{setpoint: 0.3, measurement: arm.angle, gain: 20, derivative_time: 0.05 s}}, period: {} ms}}}}
)",
                                            period);
    return angle_at_end(with_load(1) + control, settings);
  };
  const Settings treatments[] = {{}, {"solver.constraints=baumgarte"}, {"solver.coordinates=cartesian"}, {"solver.integrator=esdirk3"}};
  for (const Settings& settings : treatments) {
    const double regular = angle("3.3333333333333333", settings);
    for (const char* period : {"3.33333", "3.33333333", "3.333333333333"})
      EXPECT_NEAR(angle(period, settings), regular, 2e-4) << period << " " << (settings.empty() ? "" : settings[0]);
  }
}

/// Loads found at a restart have the rounding of its accelerations, and loads of nearly zero nothing but rounding.
TEST(FrictionLoad, RoundingDoesNotEndRuns) {
  const auto failure = [](const std::string& text, const Settings& settings) -> std::string {
    const CaseResult result = run_case(model_from(text, settings));
    return result.failure ? result.failure->what() : "";
  };
  const std::string sampled = R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies:
  arm: {mass: 2, center_of_mass: [0.5, 0, 0], inertia: [0.2, 0.2, 0.2]}
  two: {mass: 1, center_of_mass: [0.3, 0, 0], inertia: [0.05, 0.05, 0.05]}
joints:
  arm: {revolute: {parent: ground, axis: z}, angle: 0.3 rad}
  two: {revolute: {parent: arm, at: [1, 0, 0], axis: z}, angle: 0.5 rad, friction: {model: coulomb_viscous, coulomb: 0.02, stribeck_velocity: 0.05, nominal_load: 20}}
forces: {motor: {joint: arm, load: 1 N m, signal: torque}}
control: {torque: {gain: {input: arm.rate, gain: -1}, period: 2 ms}}
solver: {step: 1 ms, duration: 1 s, coordinates: cartesian}
)";
  EXPECT_EQ(failure(sampled, {}), "");
  EXPECT_EQ(failure(sampled, {"solver.constraints=double_step"}), "");
  const std::string unloaded = R"(
trunnion: 1
gravity: [0, 0, 0]
bodies:
  a: {mass: 3, center_of_mass: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}
  b: {mass: 3, center_of_mass: [0.3, 0.1, 0], inertia: [0.1, 0.2, 0.15]}
joints:
  a: {prismatic: {parent: ground, axis: [1, 2, 3]}, speed: 1 m/s, friction: {model: coulomb_viscous, coulomb: 1, stribeck_velocity: 0.1, viscous: 0.01, nominal_load: 20}}
  b: {spherical: {parent: a, at: [0.3, 0.1, 0.2]}}
solver: {step: 1 ms, duration: 0.5 s}
)";
  for (const char* constraints : {"penalty", "baumgarte"})
    EXPECT_EQ(failure(unloaded, {std::string("solver.constraints=") + constraints}), "");
}

/// Friction that reduces its load by 0.6 of itself: the extrapolation has no limit for short steps, and the run says so instead of going
/// on.
TEST(FrictionLoad, RunEndsWhereFrictionChangesItsLoadTooMuch) {
  const auto text = [](double torque) {
    return fmt::format(R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {{arm: {{mass: 2, center_of_mass: [0.5, 0, 0], inertia: [0.5, 0.5, 0.5]}}}}
joints: {{arm: {{revolute: {{parent: ground, axis: z}}, angle: -0.2 rad, rate: 2 rad/s, friction: {{model: coulomb_viscous, coulomb: {}, stribeck_velocity: 0.01, nominal_load: 20}}}}}}
solver: {{step: 1 ms, duration: 0.1 s}}
)",
                       torque);
  };
  const auto failure = [&](double torque) -> std::string {
    const CaseResult result = run_case(model_from(text(torque)));
    return result.failure ? result.failure->what() : "";
  };
  EXPECT_EQ(failure(4), "");
  EXPECT_NE(failure(12).find("friction of joints.arm"), std::string::npos) << failure(12);
  EXPECT_NE(failure(12).find("turns from step to step"), std::string::npos) << failure(12);
  Simulation sim(Model::from_text(text(12)));  // without anybody who watches its steps
  while (sim.time() < 0.1 && sim.try_step().ok()) {}
  EXPECT_NE(sim.error().find("turns from step to step"), std::string::npos) << sim.error();
  EXPECT_LT(sim.time(), 0.1);
}

// ---------------------------------------------------------------- what is refused

std::string refusal(const std::function<void()>& what) {
  try {
    what();
  } catch (const InputError& error) { return error.diagnostics().at(0).path + ": " + error.what(); }
  return "";
}

TEST(FrictionLoad, IsRefusedByNameWhereItHasNoMeaning) {
  const auto expect = [](const std::string& found, const std::string& path, const char* words) {
    EXPECT_EQ(found.rfind(path + ": ", 0), 0u) << found;
    EXPECT_NE(found.find(words), std::string::npos) << found;
  };
  const std::string path = "joints.arm.friction.nominal_load";
  const auto model = [](const Settings& settings) { return refusal([&] { model_from(with_load(1), settings); }); };
  expect(model({"solver.constraints=baumgarte", "solver.integrator=rk4"}), path, "`rk4` have no reaction forces until their end");
  expect(model({"solver.constraints=double_step", "solver.integrator=cvode"}), path, "`cvode`");
  expect(model({"solver.coupling=cosimulation"}), path, "co-simulation");
  expect(model({"joints.arm.friction.nominal_load=0"}), path, "greater than 0");
  expect(model({"joints.arm.friction.nominal_load=3 m"}), path, "different dimension");
  expect(refusal([] {
           model_from(R"(
trunnion: 1
bodies: {arm: {mass: 2, inertia: [0.2, 0.2, 0.2]}}
joints: {arm: {planar: {parent: ground, normal: z}, friction: {x: {model: coulomb_viscous, coulomb: 1, nominal_load: 3}}}}
solver: {step: 1 ms, duration: 1 s}
)");
         }),
         "joints.arm.friction.x.nominal_load", "no load that its friction could follow");
  const auto machine = model_from(with_load(1));
  expect(refusal([&] { solve_steady(machine); }), path, "steady operation");
  expect(refusal([&] { TransitionMap map(machine, start_state(*machine)); }), path, "no derivative of its step");
}

/// m a = -mu N with N = m g or the press, in whatever direction they act: a plane along the slide contains them, or the machine is spatial.
TEST(FrictionLoad, ActsInEveryDirectionAcrossASlide) {
  const char* const axes[] = {"x", "y", "z"};
  for (int slide = 0; slide < 3; ++slide)
    for (int across = 0; across < 3; ++across)
      for (const bool gravity : {true, false}) {
        if (slide == across) continue;
        double g[3] = {0, 0, 0}, press[3] = {0, 0, 0};
        (gravity ? g : press)[across] = gravity ? -9.81 : 19.62;
        const auto model = model_from(fmt::format(R"(
trunnion: 1
gravity: [{}, {}, {}]
bodies: {{cart: {{box: {{size: [0.2 m, 0.2 m, 0.2 m], mass: 2 kg}}}}}}
joints:
  cart: {{prismatic: {{parent: ground, axis: {}}}, position: 0, speed: 1 m/s, friction: {{model: coulomb_viscous, coulomb: 4 N, stribeck_velocity: 1 mm/s, nominal_load: 20 N}}}}
forces: {{press: {{body: cart, force: [{}, {}, {}]}}}}
solver: {{step: 1 ms, duration: 0.3 s}}
)",
                                                  g[0], g[1], g[2], axes[slide], press[0], press[1], press[2]));
        Runner run(model);
        run.advance(0.3);
        EXPECT_NEAR(run.state().v()[0], 1 - 0.2 * 9.81 * 0.3, 1e-6) << axes[slide] << " " << axes[across];
      }
}

/// A turntable with its axis along gravity: the pin's friction follows the weight, which is along its axis.
TEST(FrictionLoad, OfForcesAlongTheAxisIsNotLost) {
  const auto end = [](const char* gravity) {
    Runner run(model_from(fmt::format(R"(
trunnion: 1
gravity: {}
bodies: {{table: {{mass: 100, inertia: [1, 1, 2]}}}}
joints: {{table: {{revolute: {{parent: ground, axis: z}}, rate: 1 rad/s, friction: {{model: coulomb_viscous, coulomb: 1, stribeck_velocity: 1e-3, nominal_load: 981}}}}}}
solver: {{step: 1 ms, duration: 0.5 s}}
)",
                                      gravity)));
    run.advance(0.5);
    return run.state().v()[0];
  };
  EXPECT_NEAR(end("[0, 0, -9.81]"), end("[0, -9.81, 0]"), 1e-9);
  EXPECT_NEAR(end("[0, 0, -9.81]"), 1 - 0.5 / 2, 1e-3);
}

}  // namespace
}  // namespace trunnion
