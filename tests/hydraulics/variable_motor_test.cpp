// Motors of variable displacement, case drains, and pumps on shafts. Reference: closed forms, the pump law at the same speed, the balances of
// energy and oil, other treatments, coordinates and integrators, and the same machine with other units of mass.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/diagnostic.h"
#include "machine/equilibrium.h"
#include "model/machines.h"
#include "results/run_case.h"
#include "support/allocation_counter.h"
#include "support/machines.h"
#include "trunnion/trunnion.h"

namespace trunnion {
namespace {

using test::kShaftDrive;
using test::model_from;
using test::pressure;
using test::rate;

/// Replaces the only occurrence of `from`.
std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_TRUE(at != std::string::npos && text.find(from, at + 1) == std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// ---------------------------------------------------------------- closed forms

TEST(VariableMotor, HasItsFractionOfTorqueAndFlow) {
  for (const double e : {-1.0, -0.3, 0.0, 0.6, 1.0}) {
    Simulation sim = Simulation::from_text(fmt::format(R"(
trunnion: 1
bodies: {{wheel: {{mass: 10, inertia: [2, 2, 4]}}}}
joints: {{wheel: {{revolute: {{parent: ground, axis: z}}}}}}
sources: {{a: {{pressure: 30 bar}}, b: {{pressure: 10 bar}}}}
motors: {{drive: {{joint: wheel, A: a, B: b, displacement_A: 1e-4, displacement_B: 0.8e-4, fraction: {}}}}}
solver: {{step: 1 ms, duration: 1 s}}
)",
                                                       e));
    const double torque = e * (1e-4 * 30e5 - 0.8e-4 * 10e5), t = 0.5;
    sim.run_until(t);
    EXPECT_NEAR(sim.value("drive.torque"), torque, 1e-9);
    EXPECT_NEAR(sim.value("wheel.rate"), torque / 4 * t, 1e-9);
    EXPECT_NEAR(sim.value("drive.flow_A"), e * 1e-4 * torque / 4 * t, 1e-15);
    EXPECT_NEAR(sim.value("drive.flow_B"), e * 0.8e-4 * torque / 4 * t, 1e-15);
    EXPECT_EQ(sim.value("drive.fraction.spool"), e);
  }
}

TEST(VariableMotor, TurnsFasterAtASmallerFraction) {
  // 60 L/min through e 100 cm3/rad with leakage of both sides into the case
  for (const double e : {0.25, 0.5, 1.0}) {
    Simulation sim = Simulation::from_text(fmt::format(R"(
trunnion: 1
bodies: {{wheel: {{mass: 10, inertia: [2, 2, 4]}}}}
joints: {{wheel: {{revolute: {{parent: ground, axis: z}}, rate: {:.17g}}}}}
springs: {{drag: {{joint: wheel, stiffness: 0, damping: 30}}}}
volumes: {{a: {{volume: 0.1 L, pressure: 30 bar}}, case: {{volume: 0.1 L, pressure: 2 bar}}}}
sources: {{b: {{pressure: 10 bar}}, tank: {{pressure: 1 bar}}, pump: {{flow: 60 L/min, to: a}}}}
motors: {{drive: {{joint: wheel, A: a, B: b, displacement: 1e-4, fraction: u, volume: 20 mL, case_drain: {{node: case, leakage: 1e-11}}}}}}
valves: {{drain: {{laminar: {{A: case, B: tank, width: 50 mm, height: 0.1 mm, length: 20 mm}}}}}}
signals: {{u: {}}}
solver: {{step: 1 ms, duration: 20 s}}
)",
                                                       10 / e, e));
    sim.run_until(20);
    const double w = sim.value("wheel.rate"), p_A = sim.value("a.pressure"), p = sim.value("case.pressure");
    EXPECT_NEAR(e * 1e-4 * (p_A - 10e5), 30 * w, 1e-4);
    EXPECT_NEAR(1e-3, e * 1e-4 * w + 1e-11 * (p_A - p), 1e-10);
    EXPECT_NEAR(sim.value("drive.case_leakage_A.flow"), 1e-11 * (p_A - p), 1e-15);
    EXPECT_NEAR(sim.value("drive.case_leakage_B.flow"), 1e-11 * (10e5 - p), 1e-15);
    // the gap: w h^3 / (12 mu l), mu the default viscosity
    const double mu = 46e-6 * 850;
    EXPECT_NEAR(sim.value("drain.flow"), 0.05 * 1e-12 / (12 * mu * 0.02) * (p - 1e5), 1e-10);
    EXPECT_NEAR(sim.value("drain.flow"), 1e-11 * (p_A + 10e5 - 2 * p), 1e-10);
    EXPECT_GT(std::abs(w - 10 / e), 0.05);  // the leakage is seen
  }
}

TEST(VariableMotor, HoldsALoadAtRestWithItsFraction) {
  const auto model = model_from(R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {arm: {point_mass: {mass: 20, at: [0.5, 0, 0]}}}
joints: {arm: {revolute: {parent: ground, axis: z}, angle: 0, hold: true}}
volumes: {a: {volume: 0.1 L}, b: {volume: 0.1 L, pressure: 2 MPa}}
motors: {swing: {joint: arm, A: a, B: b, displacement: 100 cm^3/rad, fraction: 0.4, volume: 0.1 L}}
)");
  const Equilibrium rest = solve_equilibrium(*model, 0);
  EXPECT_NEAR(pressure(*model, rest.state, "a"), 2e6 + 20 * 9.81 * 0.5 / 0.4e-4, 1e-3);
}

// ---------------------------------------------------------------- balances

/// Shaft power, hydraulic power and losses of the pumps and the motor, at every instant.
TEST(ShaftPump, ShaftPowerIsHydraulicPowerAndLosses) {
  Simulation sim = Simulation::from_text(kShaftDrive);
  double largest = 0;
  while (sim.time() < 0.5) {
    sim.step();
    const auto v = [&](const char* name) { return sim.value(name); };
    // pump from b to a: power on the shaft = e D w (p_S - p_P) less friction
    const double D = 71e-6 / (2 * std::numbers::pi), w = v("main.rate"), dp = v("a.pressure") - v("b.pressure");
    const double losses = 0.05 * w * w + 0.02 * D * std::abs(dp) * w;
    EXPECT_NEAR(-v("main.power"), v("main.flow_B") * dp + losses, 1e-9 * std::abs(v("main.power")));
    EXPECT_NEAR(v("main.flow_A"), v("main.fraction.spool") * D * w, 1e-15);
    EXPECT_EQ(v("main.flow_A"), v("main.flow_B"));
    EXPECT_NEAR(v("main.leakage.flow"), -2e-12 * dp, 1e-15);
    const double turned = v("drive.rate");
    EXPECT_NEAR(v("drive.power"), v("drive.flow_A") * dp - 0.05 * turned * turned - 0.03 * D * std::abs(dp) * turned,
                1e-9 * std::abs(v("drive.power")));
    largest = std::max(largest, losses);
  }
  EXPECT_GT(largest, 1e3);
}

struct Closure {
  double energy, oil;  // [%]
};
Closure closure(const std::string& text, const std::vector<std::string>& set) {
  const CaseResult r = run_case(model_from(text, set));
  EXPECT_FALSE(r.failure);
  return {r.recorder->ledger().closed_to_percent(), r.recorder->ledger().oil_error().value_or(100)};
}

TEST(VariableMotor, OilBalanceIsExactAndEnergyClosesWithTheStep) {
  for (const char* constraints : {"penalty", "double_step"})
    for (const char* coordinates : {"relative", "cartesian"}) {
      const std::vector<std::string> set{std::string("solver.constraints=") + constraints,
                                         std::string("solver.coordinates=") + coordinates};
      const auto at = [&](const char* step) {
        std::vector<std::string> all = set;
        all.insert(all.end(), {std::string("solver.step=") + step, "solver.tolerance_pressure=1e-3 Pa"});
        return closure(kShaftDrive, all);
      };
      const Closure coarse = at("2 ms"), fine = at("1 ms");
      EXPECT_LT(coarse.oil, 1e-8) << constraints << " " << coordinates;
      EXPECT_LT(fine.oil, 1e-8);
      EXPECT_LT(fine.energy, 0.02);
      EXPECT_LT(fine.energy, 0.4 * coarse.energy) << coarse.energy << " " << fine.energy;
    }
}

// ---------------------------------------------------------------- order, treatments, coordinates, integrators

/// Rates of both shafts and the pressures at the end.
std::vector<double> end_of(const std::string& text, std::vector<std::string> set, double end = 0.4) {
  set.insert(set.end(), {"solver.tolerance_pressure=1e-4 Pa", "solver.tolerance_position=1e-12", "solver.tolerance_other=1e-10"});
  Simulation sim = Simulation::from_text(text, set);
  sim.run_until(end);
  return {sim.value("engine.rate"), sim.value("wheel.rate"), sim.value("a.pressure") / 1e6, sim.value("b.pressure") / 1e6,
          sim.value("case.pressure") / 1e4};
}
double apart(const std::vector<double>& x, const std::vector<double>& y) {
  double most = 0;
  for (std::size_t i = 0; i < x.size(); ++i) most = std::max(most, std::abs(x[i] - y[i]) / (1 + std::abs(y[i])));
  return most;
}

TEST(VariableMotor, ConvergesWithOrderTwo) {
  const std::vector<double> truth = end_of(kShaftDrive, {"solver.step=50 us", "solver.constraints=double_step"});
  for (const char* constraints : {"penalty", "double_step"})
    for (const char* rule : {"auto", "trapezoidal"}) {
      const auto error = [&](const char* step) {
        return apart(end_of(kShaftDrive, {std::string("solver.step=") + step, std::string("solver.constraints=") + constraints,
                                          std::string("solver.oil_rule=") + rule}),
                     truth);
      };
      const double coarse = error("2 ms"), fine = error("1 ms");
      EXPECT_LT(fine, 2e-4) << constraints << " " << rule;
      EXPECT_GT(coarse / fine, 3.2) << constraints << " " << rule << " " << coarse << " " << fine;
      EXPECT_LT(coarse / fine, 5) << constraints << " " << rule << " " << coarse << " " << fine;
    }
}

TEST(VariableMotor, IsTheSameInCartesianCoordinatesAndWithOtherIntegrators) {
  const std::vector<double> truth = end_of(kShaftDrive, {"solver.step=50 us", "solver.constraints=double_step"});
  for (const std::vector<std::string>& set :
       std::vector<std::vector<std::string>>{{"solver.coordinates=cartesian"},
                                             {"solver.coordinates=cartesian", "solver.constraints=double_step"},
                                             {"solver.integrator=esdirk3"},
                                             {"solver.integrator=bdf2"},
                                             {"solver.integrator=generalized_alpha"},
                                             {"solver.integrator=rk4", "solver.constraints=double_step", "solver.step=20 us"},
                                             {"solver.integrator=cvode", "solver.constraints=double_step"},
                                             {"solver.integrator=ida", "solver.constraints=baumgarte"}})
    EXPECT_LT(apart(end_of(kShaftDrive, set), truth), 5e-4) << fmt::format("{}", fmt::join(set, " "));
  // the check sees a displacement that is wrong by 1 %
  EXPECT_GT(apart(end_of(with(kShaftDrive, "offset: 0.75", "offset: 0.7575"), {}), truth), 2e-3);
}

TEST(VariableMotor, IsTheSameOfMachinesAThousandTimesLighterAndHeavier) {
  // masses, volumes, displacements, flows and loads in proportion: the same pressures and speeds
  const std::vector<double> reference = end_of(kShaftDrive, {});
  for (const double k : {1e-3, 1e3}) {
    std::vector<std::string> set;
    const auto scaled = [&](const char* path, double value) { set.push_back(fmt::format("{}={:.17g}", path, k * value)); };
    scaled("bodies.engine.mass", 10), scaled("bodies.wheel.mass", 10);
    set.push_back(fmt::format("bodies.engine.inertia=[{0},{0},{1:.17g}]", k, 0.6 * k));
    set.push_back(fmt::format("bodies.wheel.inertia=[{0:.17g},{0:.17g},{1:.17g}]", 0.2 * k, 0.3 * k));
    scaled("springs.governor.damping", 5), scaled("springs.windage.damping", 0.5), scaled("forces.throttle.load", 900);
    for (const char* volume : {"volumes.a.volume", "volumes.b.volume", "volumes.charge.volume", "volumes.case.volume"})
      scaled(volume, 0.5e-3);
    const double rev = 1e-6 / (2 * std::numbers::pi);
    scaled("pumps.main.displacement", 71 * rev), scaled("pumps.feed.displacement", 14 * rev), scaled("motors.drive.displacement", 71 * rev);
    scaled("pumps.main.losses.leakage", 2e-12), scaled("pumps.main.losses.viscous", 0.05), scaled("motors.drive.volume", 1e-4);
    scaled("motors.drive.viscous", 0.05), scaled("motors.drive.leakage", 1e-12), scaled("motors.drive.case_drain.leakage", 3e-12);
    scaled("valves.limit.resistance.flow", 25 / 6e4), scaled("valves.fill_a.resistance.flow", 2 / 6e4);
    scaled("valves.fill_b.resistance.flow", 20 / 6e4);
    set.push_back(fmt::format("valves.drain.laminar.diameter={:.17g}", 8e-3 * std::pow(k, 0.25)));
    EXPECT_LT(apart(end_of(kShaftDrive, set), reference), 1e-7) << k;
  }
}

/// A jump of the fraction: the step begins with its right limit.
TEST(VariableMotor, FollowsAJumpOfItsCommand) {
  const std::string jumps = with(kShaftDrive, "share: {sine: {amplitude: -0.08, frequency: 1.5 Hz, offset: 0.75}}",
                                 "share: {steps: [[0, 0.75], [0.1037 s, 0.6], [0.25 s, 0.7]]}");
  const std::vector<double> truth = end_of(jumps, {"solver.step=50 us", "solver.constraints=double_step"});
  EXPECT_LT(apart(end_of(jumps, {"solver.step=1 ms"}), truth), 1e-3);
  EXPECT_LT(closure(jumps, {"solver.tolerance_pressure=1e-3 Pa"}).oil, 1e-8);
}

// ---------------------------------------------------------------- runs

TEST(VariableMotor, ContinuesBitForBitAndAllocatesNothingInAStep) {
  Simulation whole = Simulation::from_text(kShaftDrive), first = Simulation::from_text(kShaftDrive);
  whole.run_until(0.3);
  first.run_until(0.17);
  const auto state = first.state();
  Simulation second = Simulation::from_text(kShaftDrive);
  second.set_state(state);
  second.run_until(0.3);
  for (const char* name : {"wheel.rate", "engine.rate", "a.pressure", "b.pressure", "drive.torque", "main.power"})
    EXPECT_EQ(whole.value(name), second.value(name)) << name;
  if (!test::allocations_are_counted()) return;
  const long before = test::allocations();
  for (int i = 0; i < 50; ++i) whole.step();
  EXPECT_EQ(test::allocations(), before);
}

/// A pressure controller of the motor's displacement: the loop is solved with the oil.
TEST(VariableMotor, FollowsAControlBlockThatReadsItsPressure) {
  const std::string controlled = with(with(kShaftDrive, "fraction: share, ", "fraction: command, time_constant: 30 ms, "),
                                      "solver:", "control: {command: {expression: \"0.3 + 1e-7*(a.pressure - b.pressure)\"}}\nsolver:");
  const std::vector<double> truth = end_of(controlled, {"solver.step=50 us", "solver.constraints=double_step"});
  for (const char* constraints : {"penalty", "double_step"}) {
    const double coarse = apart(end_of(controlled, {"solver.step=2 ms", std::string("solver.constraints=") + constraints}), truth),
                 fine = apart(end_of(controlled, {"solver.step=1 ms", std::string("solver.constraints=") + constraints}), truth);
    EXPECT_LT(fine, 2e-4) << constraints;
    EXPECT_GT(coarse / fine, 3.2) << constraints << " " << coarse << " " << fine;
  }
  EXPECT_LT(apart(end_of(controlled, {"solver.coordinates=cartesian"}), truth), 5e-4);
  EXPECT_LT(closure(controlled, {"solver.tolerance_pressure=1e-3 Pa"}).oil, 1e-8);
  const auto model = model_from(controlled);
  const StateVector end = test::run(model, 0.4);
  const double e = test::value(*model, end, "drive.fraction.spool");
  EXPECT_GT(std::abs(e - 0.3), 0.05);
  // exact tangent: few iterations
  const CaseResult r = run_case(model);
  EXPECT_LE(r.statistics.max_iterations, 5);
}

// ---------------------------------------------------------------- pumps on shafts

/// The same pump at a speed, and on a joint whose angle is prescribed; its suction line starves.
std::string starving_pump(bool on_joint) {
  return std::string(R"(
trunnion: 1
bodies: {shaft: {mass: 1, inertia: [1, 1, 1]}}
joints: {shaft: {revolute: {parent: ground, axis: z}, rate: 100 rad/s}}
motions: {turning: {joint: shaft, signal: angle}}
fluid: {saturation_pressure: 0.5 bar, free_air: 0.01}
volumes: {suction: {volume: 30 mL, pressure: 1 bar}, line: {volume: 0.2 L, pressure: 10 bar}}
sources: {tank: {pressure: 1 bar}, supply: {flow: inflow, to: suction}}
valves: {load: {orifice: {A: line, B: tank, diameter: 3 mm}}}
signals:
  angle: {ramps: [[0, 0 rad], [10 s, 1000 rad]]}
  inflow: {ramps: [[0, 24 L/min], [50 ms, 24 L/min], [100 ms, 4 L/min], [200 ms, 4 L/min], [250 ms, 24 L/min]]}
  speed: 100 rad/s
pumps: {pump: {S: suction, P: line, displacement: 4e-6, fraction: 0.95, losses: {leakage: 1e-12, viscous: 0.01, coulomb: 0.03}, )") +
         (on_joint ? "joint: shaft" : "speed: speed") + "}}\nsolver: {step: 0.25 ms, duration: 0.4 s}\n";
}
TEST(ShaftPump, IsThePumpAtTheSpeedOfItsShaft) {
  Simulation fixed = Simulation::from_text(starving_pump(false)), shaft = Simulation::from_text(starving_pump(true));
  double lowest = 1e9, least = 1e9;
  while (fixed.time() < 0.4) {
    fixed.step();
    shaft.step();
    for (const char* name : {"suction.pressure", "line.pressure"})
      EXPECT_NEAR(shaft.value(name), fixed.value(name), 0.01 * fixed.value(name) + 200) << name << " " << fixed.time();
    const double loss = -shaft.value("pump.leakage.flow") - 1e-12 * (shaft.value("line.pressure") - shaft.value("suction.pressure"));
    EXPECT_NEAR(loss, 0, 1e-15);
    if (fixed.value("suction.pressure") > 0.6e5)
      EXPECT_NEAR(-shaft.value("pump.power"), fixed.value("pump.shaft_power"), 0.01 * std::abs(fixed.value("pump.shaft_power")));
    lowest = std::min(lowest, fixed.value("suction.pressure"));
    least = std::min(least, fixed.value("line.pressure"));
  }
  EXPECT_LT(lowest, 0.4e5);  // a cavity
  EXPECT_LT(least, 4e5);     // and less delivery
}

TEST(ShaftPump, OfAMotorThatIsDrivenReturnsItsWork) {
  // two machines of the same size on one shaft, one as a motor and one as a pump between the same lines: nothing turns without losses
  Simulation sim = Simulation::from_text(R"(
trunnion: 1
bodies: {shaft: {mass: 1, inertia: [1, 1, 1]}}
joints: {shaft: {revolute: {parent: ground, axis: z}, rate: 50}}
sources: {high: {pressure: 200 bar}, low: {pressure: 10 bar}}
motors: {motor: {joint: shaft, A: high, B: low, displacement: 1e-5}}
pumps: {pump: {joint: shaft, S: low, P: high, displacement: 2e-5, fraction: 0.5}}
solver: {step: 1 ms, duration: 1 s}
)");
  sim.run_until(1);
  EXPECT_NEAR(sim.value("shaft.rate"), 50, 1e-9);
  EXPECT_NEAR(sim.value("motor.power"), 190e5 * 1e-5 * 50, 1e-6);
  EXPECT_NEAR(sim.value("pump.power"), -190e5 * 1e-5 * 50, 1e-6);
  EXPECT_NEAR(sim.value("high.flow"), 0, 1e-15);
}

// ---------------------------------------------------------------- input

void expect_refused(const std::string& text, const std::string& path, const std::string& words, std::size_t findings = 1) {
  try {
    parse_model(text, "model.yaml");
    ADD_FAILURE() << "accepted: " << path << " " << words;
  } catch (const InputError& error) {
    ASSERT_EQ(error.diagnostics().size(), findings) << error.what();
    EXPECT_EQ(error.diagnostics()[0].path, path);
    EXPECT_NE(error.diagnostics()[0].text().find(words), std::string::npos) << error.what();
    EXPECT_GT(error.diagnostics()[0].span.line, 0);
  }
}

TEST(VariableMotor, WrongInputIsReported) {
  const std::string drive = kShaftDrive;
  expect_refused(with(drive, "fraction: share", "fraction: 1.2"), "motors.drive.fraction", "a number from -1 to 1");
  expect_refused(with(drive, "fraction: share", "fraction: shore"), "motors.drive.fraction", "did you mean `share`?");
  expect_refused(with(drive, "fraction: share, volume: 0.1 L", "fraction: share, chamber_angle_A: 1, chamber_angle_B: 1"),
                 "motors.drive.fraction", "vane");
  expect_refused(with(drive, "fraction: share, ", "time_constant: 10 ms, "), "motors.drive.time_constant", "`fraction` in addition");
  expect_refused(with(drive, "{node: case,", "{node: a,"), "motors.drive.case_drain.node", "`a` at A already");
  expect_refused(with(drive, "coulomb: 0.03", "coulomb: -0.03"), "motors.drive.coulomb", "not less than 0");
  expect_refused(with(drive, "joint: engine, S: tank", "joint: engines, S: tank"), "pumps.feed.joint", "did you mean `engine`?");
  expect_refused(with(drive, "S: tank, P: charge, ", "S: tank, P: charge, control: {pressure: 200 bar}, "), "pumps.feed.control",
                 "control block");
  expect_refused(with(drive, "S: tank, P: charge, ", "S: tank, P: charge, prime_mover: {inertia: 1, torque: 1, droop: 1}, "),
                 "pumps.feed.prime_mover", "driven by the joint");
  expect_refused(with(drive, "joint: engine, S: tank", "joint: engine, speed: 3, S: tank"), "pumps.feed", "mutually exclusive");
  expect_refused(with(drive, "joint: engine, S: tank", "S: tank"), "pumps.feed", "`speed` or `joint`");
  const auto coupled = [&](const std::string& coupling) {
    return with(drive, "duration: 0.5 s}", "duration: 0.5 s, coupling: cosimulation}\ncoupling: " + coupling);
  };
  expect_refused(coupled("{variables: velocity_pressure}"), "coupling.variables", "motors.drive", 2);
  expect_refused(coupled("{scheme: parallel}"), "coupling.scheme", "sequential", 2);
}

TEST(VariableMotor, IsReadBackAsWritten) {
  const std::string once = write_model(parse_model(kShaftDrive, "model.yaml"));
  EXPECT_EQ(write_model(parse_model(once, "again.yaml")), once);
  for (const char* kept : {"fraction: share", "coulomb: 0.03", "joint: engine", "node: case"})
    EXPECT_NE(once.find(kept), std::string::npos) << kept;
}

}  // namespace
}  // namespace trunnion
