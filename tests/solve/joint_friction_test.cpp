// Friction and limits of joints. Reference: closed forms (amplitudes of an oscillator with Coulomb friction, contact with a spring), the
// single equation of motion integrated by a Runge-Kutta method, the same machine in other coordinates, treatments and units of mass.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "cosimulation/cosimulation.h"
#include "linearise/steady.h"
#include "machine/equilibrium.h"
#include "machine/observe.h"
#include "machine/start.h"
#include "model/description_at.h"
#include "results/run_case.h"
#include "schema/schema.h"
#include "support/machines.h"
#include "trunnion/simulation.h"

namespace trunnion {
namespace {

using test::channel_at;
using test::model_from;
using Settings = std::vector<std::string>;

const std::vector<double>& column(const Recording& r, const std::string& name) {
  const int index = r.find(name);
  EXPECT_GE(index, 0) << name;
  return r.columns[static_cast<std::size_t>(std::max(index, 0))];
}
double largest(const Extremes& e) { return std::max(e.max, -e.min); }

/// Maxima and minima of a column, each of the parabola through three points.
std::vector<double> turning_points(const std::vector<double>& x) {
  std::vector<double> found;
  for (std::size_t i = 1; i + 1 < x.size(); ++i) {
    const double a = x[i] - x[i - 1], b = x[i + 1] - x[i];
    if (a * b < 0) found.push_back(x[i] - (a + b) * (a + b) / (8 * (b - a)));
  }
  return found;
}

/// x'' = f(x, x') by the classical Runge-Kutta method.
std::pair<double, double> integrate(double x, double v, double duration, int steps, const std::function<double(double, double)>& f) {
  const double h = duration / steps;
  for (int i = 0; i < steps; ++i) {
    const double k1 = v, l1 = f(x, v), k2 = v + h / 2 * l1, l2 = f(x + h / 2 * k1, k2), k3 = v + h / 2 * l2, l3 = f(x + h / 2 * k2, k3),
                 k4 = v + h * l3, l4 = f(x + h * k3, k4);
    x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    v += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
  }
  return {x, v};
}

// ---------------------------------------------------------------- one degree of freedom

constexpr double kInertia = 0.5, kStiffness = 20, kTorque = 0.8;

/// A disc on a torsion spring with friction, released at 1 rad; everything that has a mass times `m`.
std::string oscillator(const std::string& friction, double m = 1, const std::string& settings = "step: 0.5 ms, duration: 2.6 s") {
  return fmt::format(R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {{disc: {{mass: {:.17g}, inertia: [{:.17g}, {:.17g}, {:.17g}]}}}}
joints: {{disc: {{revolute: {{parent: ground, axis: z}}, angle: 1 rad, friction: {{{}}}}}}}
springs: {{torsion: {{joint: disc, stiffness: {:.17g}, rest: 0}}}}
solver: {{{}}}
)",
                     m, m, m, kInertia * m, friction, kStiffness * m, settings);
}
std::string coulomb(double m = 1, double torque = kTorque, double smooth = 2e-3) {
  return fmt::format("model: coulomb_viscous, coulomb: {:.17g}, stribeck_velocity: {:.17g}", torque * m, smooth);
}
std::string lugre(double m = 1) {
  return fmt::format(
      "model: lugre, coulomb: {0:.17g}, static: {0:.17g}, stribeck_velocity: 0.01, bristle_stiffness: {1:.17g}, "
      "bristle_damping: {2:.17g}",
      kTorque * m, 4e3 * m, 20 * m);
}

/// Every half swing loses 2 T / k, whatever its amplitude; the disc stops where the spring is weaker than the friction.
TEST(JointFriction, AmplitudeFallsByTheSameAmountEveryHalfSwing) {
  const double loss = 2 * kTorque / kStiffness;
  const auto errors = [&](const std::string& friction) {
    const CaseResult result = run_case(model_from(oscillator(friction)));
    EXPECT_FALSE(result.failure);
    const std::vector<double> found = turning_points(column(result.recorder->recording(), "disc.angle"));
    EXPECT_GE(found.size(), 4u);
    double worst = 0;
    for (std::size_t n = 0; n < std::min<std::size_t>(found.size(), 4); ++n)
      worst = std::max(worst, std::abs(std::abs(found[n]) - (1 - loss * static_cast<double>(n + 1))));
    return worst / loss;
  };
  EXPECT_LT(errors(coulomb()), 2e-3);  // of the smooth law below its speed
  EXPECT_LT(errors(lugre()), 1e-2);    // of the bristles' deflection
  EXPECT_GT(errors(coulomb(1, 1.02 * kTorque)), 1e-2) << "a wrong torque passes";
}

TEST(JointFriction, LaysTheDiscToRestWithinItsBand) {
  const auto model = model_from(oscillator(lugre()), {"solver.duration=20"});
  Runner run(model);
  run.advance(20);
  const double angle = channel_at(model, run.state(), "disc.angle");
  EXPECT_LT(std::abs(channel_at(model, run.state(), "disc.rate")), 1e-6);
  EXPECT_LT(std::abs(angle), kTorque / kStiffness);
  EXPECT_NEAR(channel_at(model, run.state(), "disc.friction_torque"), -kStiffness * angle, 1e-6);
  EXPECT_NEAR(channel_at(model, run.state(), "disc.bristle") * 4e3, -kStiffness * angle, 1e-6);
}

TEST(JointFriction, HoldsAPendulumBelowItsStaticTorqueOnly) {
  const auto model = [](double angle) {
    return model_from(fmt::format(R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {{rod: {{rod: {{length: 1, mass: 2}}}}}}
joints: {{rod: {{revolute: {{parent: ground, axis: z}}, angle: {:.17g}, friction: {{model: lugre, coulomb: 3, static: 4, stribeck_velocity: 0.05, bristle_stiffness: 1e4, bristle_damping: 100, start_bristle: {:.17g}}}}}}}
solver: {{step: 1 ms, duration: 3 s}}
)",
                                  angle, -0.95 * 2 * 9.81 * 0.5 * std::cos(angle) / 1e4));
  };
  const double moment = 2 * 9.81 * 0.5, sticks = std::acos(4 / moment);  // from the horizontal: m g l cos(angle) = static torque
  for (const double beyond : {0.02, -0.02}) {
    const auto machine = model(sticks + beyond);
    Runner run(machine);
    run.advance(3);
    const double moved = std::abs(channel_at(machine, run.state(), "rod.angle") - sticks - beyond);
    if (beyond > 0) {
      EXPECT_LT(moved, 1e-3);
    } else {
      EXPECT_GT(moved, 0.5);
    }
  }
}

/// The equation of motion with a smooth law, integrated otherwise: order 2, and the same for any size of the masses.
TEST(JointFriction, ConvergesToTheEquationOfMotion) {
  const double T = 0.8, smooth = 0.4;
  const auto exact =
      integrate(1, 0, 2, 200000, [&](double x, double v) { return (-kStiffness * x - T * std::tanh(4 * v / smooth)) / kInertia; });
  for (const double m : {1.0, 1e3, 1e-3}) {
    const auto error = [&](const char* step) {
      const auto model = model_from(oscillator(coulomb(m, T, smooth), m), {std::string("solver.step=") + step, "solver.duration=2"});
      Runner run(model);
      run.advance(2);
      return std::abs(run.state().q()[0] - exact.first);
    };
    const double coarse = error("4 ms"), fine = error("1 ms");
    EXPECT_LT(fine, 1e-5) << m;
    EXPECT_NEAR(std::log2(coarse / fine) / 2, 2, 0.15) << m << ": " << coarse << " " << fine;
  }
}

TEST(JointFriction, IsTheSameForAnySizeOfTheMasses) {
  for (const auto& friction :
       {std::function<std::string(double)>(lugre), std::function<std::string(double)>([](double m) { return coulomb(m); })}) {
    std::map<double, double> angle;
    for (const double m : {1e-3, 1.0, 1e3}) {
      Runner run(model_from(oscillator(friction(m), m)));
      run.advance(2);
      angle[m] = run.state().q()[0];
    }
    EXPECT_NEAR(angle[1e-3], angle[1], 1e-8);
    EXPECT_NEAR(angle[1e3], angle[1], 1e-8);
  }
}

// ---------------------------------------------------------------- limits

/// A mass that falls onto the limit of its slide at 1 m.
std::string faller(const std::string& limits, double mass = 3) {
  return fmt::format(R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {{mass: {{point_mass: {{mass: {:.17g}}}}}}}
joints: {{mass: {{prismatic: {{parent: ground, axis: y}}, position: 2 m, limits: {{{}}}}}}}
solver: {{step: 0.1 ms, duration: 1 s}}
)",
                     mass, limits);
}

TEST(JointLimits, AMassBouncesWithItsEnergyAndTheDepthOfTheSpring) {
  const double m = 3, k = 3e4, g = 9.81;
  for (const double scale : {1.0, 1e3, 1e-3}) {
    const auto model = model_from(faller(fmt::format("minimum: 1 m, stiffness: {:.17g}", k * scale), m * scale), {"solver.duration=1.2"});
    const CaseResult result = run_case(model);
    ASSERT_FALSE(result.failure);
    const std::vector<double> found = turning_points(column(result.recorder->recording(), "mass.position"));
    ASSERT_GE(found.size(), 2u);
    const double depth = (m * g + std::sqrt(m * g * m * g + 2 * k * m * g * 1)) / k;  // k x^2/2 - m g x = m g h
    EXPECT_NEAR(found[0], 1 - depth, 1e-5) << scale;
    EXPECT_NEAR(found[1], 2, 2e-4) << scale;  // as high as before
    EXPECT_LT(result.recorder->ledger().closed_to_percent(), 1e-3);
    EXPECT_NEAR(result.recorder->ledger().totals().damping, 0, 1e-6 * scale);
  }
}

/// With damping: the equation of motion integrated otherwise, and the energy lost is the ledger's.
TEST(JointLimits, DampingTakesTheEnergyThatIsBooked) {
  const double m = 3, k = 3e4, c = 600, depth = 0.02, g = 9.81, duration = 0.75;
  const auto exact = integrate(2, 0, duration, 750000, [&](double s, double v) {
    const double x = 1 - s;
    return -g + (x > 0 ? std::max(0.0, k * x - c * v * x / depth) : 0) / m;
  });
  const CaseResult result = run_case(model_from(faller(fmt::format("minimum: 1 m, stiffness: {}, damping: {}, depth: {}", k, c, depth)),
                                                {fmt::format("solver.duration={}", duration)}));
  ASSERT_FALSE(result.failure);
  const Recording& r = result.recorder->recording();
  EXPECT_NEAR(column(r, "mass.position").back(), exact.first, 1e-4);
  EXPECT_NEAR(column(r, "mass.speed").back(), exact.second, 1e-3);
  const Ledger& ledger = result.recorder->ledger();
  const double lost = m * g * (2 - exact.first) - m * exact.second * exact.second / 2;
  EXPECT_GT(lost, 1);
  EXPECT_NEAR(ledger.totals().damping, lost, 1e-3 * lost);
  EXPECT_LT(ledger.closed_to_percent(), 1e-2);
  for (const double force : column(r, "mass.limit_force")) EXPECT_GE(force, 0);  // a limit does not pull
  // strikes are counted with their speed
  ASSERT_EQ(result.statistics.incidents.end_stops.size(), 1u);
  EXPECT_EQ(result.statistics.incidents.end_stops[0].name, "mass");
  EXPECT_EQ(result.statistics.incidents.end_stops[0].strikes, 2);
  EXPECT_NEAR(result.statistics.incidents.end_stops[0].first_time, std::sqrt(2 / g), 2e-4);
  EXPECT_NEAR(result.statistics.incidents.end_stops[0].speed, std::sqrt(2 * g), 0.01);
}

/// The default bends by a thousandth under a weight at the radius of gyration, at every scale.
TEST(JointLimits, DefaultStiffnessFollowsFromInertiaAndGravity) {
  for (const double scale : {1.0, 1e3, 1e-3})
    for (const double size : {1.0, 1e2, 1e-2}) {
      const auto model = model_from(fmt::format(R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {{rod: {{rod: {{length: {0:.17g}, mass: {1:.17g}}}}}}}
joints: {{rod: {{revolute: {{parent: ground, axis: z}}, angle: 0, limits: {{minimum: 0}}}}}}
solver: {{step: 1 ms, duration: 1 s}}
)",
                                                size, 2 * scale));
      const Equilibrium rest = solve_equilibrium(*model);
      EXPECT_LT(channel_at(model, rest.state, "rod.angle"), 0);
      EXPECT_NEAR(channel_at(model, rest.state, "rod.angle"), -0.5 * std::sqrt(3) / 1000, 1e-6) << scale << " " << size;
      EXPECT_NEAR(channel_at(model, rest.state, "rod.limit_torque"), 2 * scale * 9.81 * size / 2, 1e-5 * scale * size);
    }
}

TEST(JointLimits, DefaultStiffnessNeedsALever) {
  try {
    model_from(faller("minimum: 1 m"));
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    ASSERT_EQ(error.diagnostics().size(), 1u);
    EXPECT_EQ(error.diagnostics()[0].path, "joints.mass.limits.stiffness");
  }
}

/// The default would follow from the new start: the folded arm moves less inertia than the stretched one.
TEST(JointLimits, DefaultStiffnessStaysWhereTheMachineStartsElsewhere) {
  const auto model = model_from(R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {arm: {rod: {length: 1, mass: 2}}, fore: {rod: {length: 1, mass: 2}}}
joints:
  arm: {revolute: {parent: ground, axis: z}, angle: 0, limits: {minimum: 0}}
  fore: {revolute: {parent: arm, at: [1, 0, 0], axis: z}, angle: -30 deg}
solver: {step: 1 ms, duration: 1 s}
)");
  const auto stiffness = [](const CompiledModel& m) { return m.hydraulics.actuators.at(0).cylinder.damper.stiffness; };
  const Equilibrium rest = solve_equilibrium(*model);
  Description there = description_at(*model, rest.state);
  const auto again = compile(parse_model(write_model(there), "equilibrium.yaml"));
  EXPECT_EQ(stiffness(*again), stiffness(*model));
  EXPECT_NEAR(channel_at(again, start_state(*again), "arm.limit_torque"), channel_at(model, rest.state, "arm.limit_torque"), 1e-9);
  there.joints[0].second.elements[0].limits->stiffness.reset();
  EXPECT_LT(stiffness(*compile(there)), 0.9 * stiffness(*model)) << "nothing to keep";
}

/// A joint and a loop of one name: the body hits the joint's limit above, then the loop's below.
TEST(JointLimits, StrikesOfTwoEndStopsOfOneNameAreCountedSeparately) {
  const std::string text = R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {lift: {point_mass: {mass: 3}}}
joints: {lift: {prismatic: {parent: ground, axis: y}, position: 1, speed: 3, limits: {maximum: 1.2, stiffness: 3e4}}}
loops: {lift: {point_on_line: {between: [ground, lift], at: [[0, 0, 0], [0, 0, 0]], axis: y}, limits: {minimum: 0.6, stiffness: 3e4}}}
solver: {step: 0.1 ms, duration: 0.4 s}
)";
  const CaseResult result = run_case(model_from(text));
  ASSERT_FALSE(result.failure);
  const nlohmann::json stops = nlohmann::json::parse(summary_json(result, "", 0))["end_stops"];
  ASSERT_EQ(stops.size(), 2u) << stops;
  EXPECT_EQ(stops["lift"]["strikes"], 1);
  EXPECT_EQ(stops["loops.lift"]["strikes"], 1);
  const double g = 9.81, up = std::sqrt(9 - 2 * g * 0.2), rises = (3 - up) / g;
  EXPECT_NEAR(stops["lift"]["first_time"], rises, 2e-4);
  // half a period of the stop, and down by 0.6 m
  const double falls = 3.14159265358979323846 * std::sqrt(3 / 3e4) + (std::sqrt(up * up + 2 * g * 0.6) - up) / g;
  EXPECT_NEAR(stops["loops.lift"]["first_time"], rises + falls, 2e-3);
  Simulation simulation = Simulation::from_text(text);
  std::vector<std::string> messages;
  simulation.on_message([&](const Message& message) {
    if (message.severity == Message::Severity::note) messages.push_back(message.text);
  });
  simulation.run();
  EXPECT_EQ(messages, (std::vector<std::string>{"lift: hit an end stop", "loops.lift: hit an end stop"}));
}

// ---------------------------------------------------------------- loops, both coordinates, all steppers

/// Crank, coupler and rocker; friction in every joint and in the pin that closes the loop, a limit of the rocker. On a turning table,
/// which has friction, too, or in a plane.
std::string linkage(bool spatial) {
  const std::string base = spatial ? "table" : "ground", axis = spatial ? "y" : "z", up = spatial ? "[0, 0, 0.5]" : "[0, 0.5, 0]",
                    far = spatial ? "[1.2, 0, 0.5]" : "[1.2, 0.5, 0]", turn = spatial ? "[0, -1, 0]" : "[0, 0, 1]";
  const std::string law = "friction: {model: brown_mcphee, coulomb: 2, static: 3, stribeck_velocity: 0.2, viscous: 0.4}",
                    bristles =
                        "friction: {model: lugre, coulomb: 2, static: 3, stribeck_velocity: 0.2, viscous: 0.4, bristle_stiffness: 2000, "
                        "bristle_damping: 20}";
  return std::string("trunnion: 1\n") + (spatial ? "gravity: [0, 0, -9.81]\n" : "gravity: [0, -9.81, 0]\n") + "bodies:\n" +
         (spatial ? "  table: {mass: 20, center_of_mass: [0.1, 0.05, 0.2], inertia: [2, 3, 4]}\n" : "") +
         "  crank: {rod: {length: 0.5, diameter: 0.05, mass: 4}}\n  coupler: {rod: {length: 1, diameter: 0.05, mass: 6}}\n"
         "  rocker: {rod: {length: 0.8, diameter: 0.05, mass: 8}}\njoints:\n" +
         (spatial ? "  table: {revolute: {parent: ground, axis: z}, rate: 1.5, " + bristles + "}\n" : "") +
         "  crank: {revolute: {parent: " + base + ", at: " + up + ", axis: " + turn + "}, angle: 70 deg, rate: 4, hold: true, " + bristles +
         "}\n  coupler: {revolute: {parent: crank, at: [0.5, 0, 0], axis: " + turn + "}, angle: -60 deg, " + law +
         "}\n  rocker: {revolute: {parent: " + base + ", at: " + far + ", axis: " + turn + "}, angle: 100 deg, " + law +
         ", limits: {maximum: 110 deg, stiffness: 400, damping: 20, depth: 0.1}}\nloops: {pin: {revolute: {between: [coupler, rocker], at: "
         "[[1, 0, 0], [0.8, 0, 0]], axis: " +
         axis + "}, " + bristles + "}}\nsolver: {step: 0.5 ms, duration: 0.6 s}\n";
}

std::map<std::string, double> end_of(const std::string& text, const Settings& settings, double end = 0.6) {
  const auto model = model_from(text, settings);
  Runner run(model);
  run.advance(end);
  const auto observer = make_observer(model);
  observer->observe(run.state(), Side::left);
  std::map<std::string, double> values;
  for (std::size_t i = 0; i < observer->channels().size(); ++i) values[observer->channels()[i].name] = observer->value(i);
  return values;
}

TEST(JointFriction, ActsAlikeInRelativeAndCartesianCoordinates) {
  for (const bool spatial : {false, true}) {
    const Settings settings{"solver.constraints=double_step", "solver.integrator=cvode", "solver.step=10 ms"};
    Settings cartesian = settings;
    cartesian.emplace_back("solver.coordinates=cartesian");
    const auto a = end_of(linkage(spatial), settings), b = end_of(linkage(spatial), cartesian);
    for (const char* name : {"crank.angle", "rocker.angle", "coupler.rate", "pin.angle", "pin.rate", "pin.friction_torque", "pin.bristle",
                             "crank.friction_torque", "rocker.friction_torque", "rocker.limit_torque"})
      EXPECT_NEAR(a.at(name), b.at(name), 1e-6 * (1 + std::abs(a.at(name)))) << name << (spatial ? " in space" : "");
    EXPECT_GT(std::abs(a.at("pin.friction_torque")), 0.5);
    if (spatial) { EXPECT_NEAR(a.at("table.friction_torque"), b.at("table.friction_torque"), 1e-6); }
  }
}

TEST(JointFriction, ActsAlikeInEveryTreatmentAndIntegrator) {
  for (const bool spatial : {false, true}) {
    const auto exact = end_of(linkage(spatial), {"solver.constraints=double_step", "solver.integrator=cvode", "solver.step=10 ms"});
    const Settings cases[] = {
        {"solver.constraints=penalty"},
        {"solver.constraints=double_step"},
        {"solver.constraints=baumgarte"},
        {"solver.constraints=double_step", "solver.integrator=bdf2"},
        {"solver.constraints=double_step", "solver.integrator=esdirk3"},
        {"solver.constraints=penalty", "solver.integrator=generalized_alpha"},
        {"solver.constraints=baumgarte", "solver.integrator=rk4", "solver.step=50 us"},
        {"solver.constraints=ali1", "solver.integrator=rk4", "solver.step=50 us"},
        {"solver.tangent=forward_difference"},
        {"joints.crank.friction.states=local", "loops.pin.friction.states=local"},
    };
    for (const Settings& c : cases) {
      const auto values = end_of(linkage(spatial), c);
      for (const char* name : {"crank.angle", "rocker.angle", "pin.angle"})
        EXPECT_NEAR(values.at(name), exact.at(name), 2e-5) << name << " " << c[0] << (c.size() > 1 ? " " + c[1] : "") << spatial;
    }
    // without the friction of the pin it ends elsewhere
    const auto wrong = end_of(linkage(spatial), {"loops.pin.friction.model=none"});
    EXPECT_GT(std::abs(wrong.at("rocker.angle") - exact.at("rocker.angle")), 1e-3);
  }
}

TEST(JointFriction, TheAngleOfALoopIsThatBetweenItsBodies) {
  const auto planar = end_of(linkage(false), {}), spatial = end_of(linkage(true), {});
  EXPECT_NEAR(planar.at("pin.angle"), planar.at("rocker.angle") - planar.at("crank.angle") - planar.at("coupler.angle"), 1e-9);
  // about y, while the joints turn about -y
  EXPECT_NEAR(spatial.at("pin.angle"), -(spatial.at("rocker.angle") - spatial.at("crank.angle") - spatial.at("coupler.angle")), 1e-9);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// The turn in which start coordinates are written is no property of the machine; that of the limits selects the turn of the angle.
TEST(JointLimits, TheAngleOfALoopIsCountedInTheTurnOfItsLimits) {
  constexpr double kTurn = 2 * 3.14159265358979323846;
  for (const bool spatial : {false, true}) {
    const auto at_the_end = [&](double turns, bool limits, const std::string& coupler, const char* coordinates) {
      const double low = (spatial ? -85 : 75) + 360 * turns, high = (spatial ? -75 : 85) + 360 * turns;
      std::string text = replaced(linkage(spatial), "angle: -60 deg", "angle: " + coupler);
      if (limits)
        text = replaced(text, "loops: {pin: {",
                        fmt::format("loops: {{pin: {{limits: {{minimum: {} deg, maximum: {} deg, stiffness: 300}}, ", low, high));
      return end_of(text, {std::string("solver.coordinates=") + coordinates}, 0.1);
    };
    for (const bool limits : {false, true}) {
      const auto exact = at_the_end(0, limits, "-60 deg", "relative");
      EXPECT_LT(std::abs(exact.at("pin.angle")), kTurn / 2);
      if (limits) { EXPECT_GT(std::abs(exact.at("pin.limit_torque")), 1); }
      for (const char* coordinates : {"relative", "cartesian"})
        for (const char* coupler : {"-60 deg", "300 deg", "-420 deg"})
          for (const double turns : {0.0, 1.0, -2.0}) {
            if (turns != 0 && !limits) continue;
            const auto values = at_the_end(turns, limits, coupler, coordinates);
            const std::string of = std::string(spatial ? "space, " : "plane, ") + coordinates + ", coupler " + coupler;
            EXPECT_NEAR(values.at("pin.angle"), exact.at("pin.angle") + kTurn * turns, 2e-5) << of;
            EXPECT_NEAR(values.at("rocker.angle"), exact.at("rocker.angle"), 2e-5) << of;
            if (limits) { EXPECT_NEAR(values.at("pin.limit_torque"), exact.at("pin.limit_torque"), 0.02) << of; }
          }
    }
  }
}

/// Zero of the angles of a universal loop: from the components of its axes in the frames of its bodies, to whatever they are fixed.
TEST(JointFriction, TheAnglesOfAUniversalLoopBeginInTheFramesOfItsBodies) {
  const auto values = end_of(R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {arm: {mass: 2, inertia: [1, 1, 1]}, plate: {mass: 1, inertia: [1, 1, 1]}}
joints:
  arm: {universal: {parent: ground, axes: [z, x]}, angles: [20 deg, 30 deg]}
  plate: {fixed: {parent: arm, orientation: [40 deg, 0, 0]}}
loops: {u: {universal: {between: [ground, plate], at: [[0, 0, 0], [0, 0, 0]], axes: [z, x]}, friction: {angle_1: {coulomb: 1}, angle_2: {coulomb: 1}}}}
solver: {step: 1 ms, duration: 1 s}
)",
                             {}, 0.0);
  constexpr double kDegree = 3.14159265358979323846 / 180;
  EXPECT_NEAR(values.at("u.angle_1"), (20 - 90) * kDegree, 1e-12);  // from y = z x X of the ground to the plate's x
  EXPECT_NEAR(values.at("u.angle_2"), (30 + 40) * kDegree, 1e-12);  // from z of the ground to z = x x Y of the plate, about x
}

TEST(JointFriction, ItsWorkIsInTheLedger) {
  for (const bool spatial : {false, true}) {
    const auto residual = [&](const char* step) {
      const CaseResult result = run_case(model_from(linkage(spatial), {step}));
      EXPECT_FALSE(result.failure);
      const Ledger& ledger = result.recorder->ledger();
      EXPECT_GT(ledger.totals().damping, 1);
      EXPECT_EQ(ledger.totals().friction, 0);
      return largest(ledger.residual_range()) / ledger.absolute_work();
    };
    const double coarse = residual("solver.step=0.4 ms"), fine = residual("solver.step=0.1 ms");
    EXPECT_LT(residual("solver.step=0.05 ms"), 1e-6);
    EXPECT_NEAR(std::log2(coarse / fine) / 2, 2, 0.4) << coarse << " " << fine;
  }
  // the channels' power is that of the ledger's entries, bristles apart
  const CaseResult result = run_case(model_from(oscillator(coulomb())));
  const Recording& r = result.recorder->recording();
  const auto &time = column(r, "time"), &power = column(r, "disc.friction_power");
  double sum = 0;
  for (std::size_t i = 1; i < time.size(); ++i) sum += (time[i] - time[i - 1]) / 2 * (power[i] + power[i - 1]);
  EXPECT_NEAR(sum, result.recorder->ledger().totals().damping, 1e-9 * sum);
}

TEST(JointFriction, ASavedStateContinuesBitForBit) {
  const auto model = model_from(linkage(true));
  Runner run(model), again(model);
  run.advance(0.2);
  const StateVector saved = run.state();
  run.advance(0.4);
  again.restore(saved);
  again.advance(0.4);
  EXPECT_EQ(run.state().values(), again.state().values());
}

/// About its axis a loop transmits its friction alone, and the reaction contains it.
TEST(JointFriction, IsPartOfTheReactions) {
  for (const char* coordinates : {"relative", "cartesian"}) {
    const auto values = end_of(linkage(false), {std::string("solver.coordinates=") + coordinates,
                                                "record.channels=[\"*\", pin.reaction*, coupler.reaction*, rocker.reaction*]"});
    EXPECT_NEAR(values.at("pin.reaction.moment_z"), -values.at("pin.friction_torque"), 1e-9);
    const double tolerance = coordinates == std::string("relative") ? 1e-7 : 1e-5;
    EXPECT_NEAR(values.at("coupler.reaction.moment_z"), -values.at("coupler.friction_torque"), tolerance);
    EXPECT_NEAR(values.at("rocker.reaction.moment_z"), -values.at("rocker.friction_torque") + values.at("rocker.limit_torque"), tolerance);
  }
}

TEST(JointFriction, SteadyOperationTurnsAgainstIt) {
  const auto shaft = model_from(R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {shaft: {mass: 1, inertia: [1, 1, 1]}}
joints: {shaft: {revolute: {parent: ground, axis: z}, angle: 0, rate: 1, friction: {model: coulomb_viscous, coulomb: 3, stribeck_velocity: 0.1, viscous: 0.5}}}
forces: {drive: {joint: shaft, load: 10}}
solver: {step: 1 ms, duration: 1 s}
)");
  const SteadyOperation steady = solve_steady(shaft);
  EXPECT_NEAR(channel_at(shaft, steady.state, "shaft.rate"), (10 - 3) / 0.5, 1e-6);
}

/// In a co-simulation they belong to the mechanism: no bond, no subsystem, and the motion is that of the monolithic machine.
TEST(JointFriction, BelongsToTheMechanismOfACoSimulation) {
  const std::string boom = R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {boom: {rod: {length: 2, mass: 100}}}
joints: {boom: {revolute: {parent: ground, axis: z}, angle: 20 deg, friction: {model: lugre, coulomb: 40, static: 60, stribeck_velocity: 0.02, bristle_stiffness: 2e4, bristle_damping: 300}}}
fluid: {density: 850 kg/m^3, bulk_modulus: 1500 MPa}
volumes: {a: {volume: 0.5 L, pressure: equilibrium}, b: {volume: 0.5 L, pressure: 2 MPa}}
sources: {pump: {pressure: 8 MPa}, tank: {pressure: 0.1 MPa}}
valves: {v: {directional_4_3: {P: pump, T: tank, A: a, B: b, flow: 10 L/min, at_pressure_drop: 35 bar, at_signal: 10}, signal: u}}
cylinders: {lift: {base: {body: ground, at: [0.6, -0.8, 0]}, rod_end: {body: boom, at: [1, 0, 0]}, A: a, B: b, bore: 50 mm, rod: 30 mm, chamber_length_A: 0.4, chamber_length_B: 0.4, viscous: 2000}}
signals: {u: {table: [[0, 0], [0.2, 6]], smooth: true}}
solver: {step: 1 ms, duration: 0.5 s}
)";
  const auto exact = end_of(boom, {}, 0.5);
  EXPECT_GT(std::abs(exact.at("boom.friction_torque")), 20);
  for (const char* scheme : {"jacobi", "gauss_seidel", "iterated_jacobi", "sequential", "parallel"}) {
    const Settings settings{"solver.coupling=cosimulation", std::string("coupling.scheme=") + scheme};
    const auto model = model_from(boom, settings);
    EXPECT_EQ(hydraulic_groups(*model).size(), 1u) << scheme;
    EXPECT_EQ(coupling_memory(*model).ports, 1) << scheme;
    const auto values = end_of(boom, settings, 0.5);
    EXPECT_NEAR(values.at("boom.angle"), exact.at("boom.angle"), 2e-4) << scheme;
    EXPECT_NEAR(values.at("boom.bristle"), exact.at("boom.bristle"), 1e-4) << scheme;
    EXPECT_FALSE(values.contains("boom.coupling_power_residual"));
  }
}

}  // namespace
}  // namespace trunnion
