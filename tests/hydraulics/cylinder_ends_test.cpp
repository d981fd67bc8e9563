// Plungers and cushioned cylinders. Reference: a double-acting cylinder with a chamber at tank, closed forms of the throttle, balances of energy
// and oil, convergence, other treatments and coordinates, and the same machine with other units of mass.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/diagnostic.h"
#include "machine/equilibrium.h"
#include "model/machines.h"
#include "results/run_case.h"
#include "studies/equilibrium_files.h"
#include "support/machines.h"
#include "trunnion/trunnion.h"

namespace trunnion {
namespace {

using test::coordinate;
using test::kCushionedCylinder;
using test::model_from;
using test::pressure;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_TRUE(at != std::string::npos && text.find(from, at + 1) == std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// ---------------------------------------------------------------- plunger

std::string lift(const std::string& cylinder) {
  return R"(
trunnion: 1
gravity: [0, 0, -9.81]
bodies: {load: {point_mass: {mass: 800}}}
joints: {load: {prismatic: {parent: ground, axis: z}, position: 1 m}}
volumes: {v: {volume: 0.2 L, pressure: 30 bar}}
sources: {tank: {pressure: 0.1 Pa}, pump: {flow: 6 L/min, to: v}}
cylinders: {ram: {base: {body: ground}, rod_end: {body: load}, A: v, chamber_length_A: 200 mm, bulk_modulus: 30000 MPa, viscous: 500,
  friction: {model: lugre, coulomb: 210, static: 830, stribeck_velocity: 0.0125, viscous: 330, bristle_stiffness: 5.77e6, bristle_damping: 2.28e4}, )" +
         cylinder + "}}\nsolver: {step: 1 ms, duration: 0.5 s}\n";
}

TEST(Plunger, IsACylinderWithoutTheOtherChamber) {
  const std::string cylinder = "bore: 60 mm, rod: 0 mm, B: tank, chamber_length_B: 400 mm";
  for (const char* constraints : {"penalty", "double_step"}) {
    const std::vector<std::string> set{std::string("solver.constraints=") + constraints};
    const auto plunger = model_from(lift("plunger: 60 mm"), set), both = model_from(lift(cylinder), set);
    const StateVector x = test::run(plunger, 0.5), y = test::run(both, 0.5);
    EXPECT_GT(std::abs(coordinate(*plunger, x, "load") - 1), 0.01);
    EXPECT_NEAR(coordinate(*plunger, x, "load"), coordinate(*both, y, "load"), 1e-9);
    EXPECT_NEAR(pressure(*plunger, x, "v"), pressure(*both, y, "v"), 1e-7 * pressure(*both, y, "v"));
  }
  const auto model = model_from(lift("plunger: 60 mm"));
  const CaseResult run = run_case(model);
  EXPECT_LT(run.recorder->ledger().closed_to_percent(), 0.01);
  EXPECT_LT(run.recorder->ledger().oil_error().value_or(100), 1e-8);
  EXPECT_EQ(model->hydraulics.actuators[0].cylinder.area_B, 0);
  EXPECT_GE(piston_outside(model->hydraulics, std::vector<double>{0.79}.data()), 0);  // its inner end
  EXPECT_LT(piston_outside(model->hydraulics, std::vector<double>{5.0}.data()), 0);   // no outer one
}

TEST(Plunger, HoldsItsLoadAtRest) {
  std::string text = replaced(lift("plunger: 60 mm"), ", pump: {flow: 6 L/min, to: v}", "");
  text = replaced(text, ", pressure: 30 bar", "");
  text = replaced(text, "position: 1 m", "position: 1 m, hold: true");
  const auto model = model_from(text);
  const Equilibrium rest = solve_equilibrium(*model, 0);
  EXPECT_NEAR(pressure(*model, rest.state, "v"), 800 * 9.81 / (std::numbers::pi / 4 * 0.06 * 0.06), 1);
  EXPECT_NE(equilibrium_text(model, rest).find(" N, chamber 0."), std::string::npos) << equilibrium_text(model, rest);
  EXPECT_NE(equilibrium_json(model, rest, "").find("\"chamber_length_B\": null"), std::string::npos);
}

TEST(Plunger, EndsItsRunAtTheEndOfItsStroke) {
  const auto model = model_from(lift("plunger: 60 mm, chamber_length_B: 5 mm"));
  EXPECT_THROW(test::run(model, 0.5), SimulationError);
}

void expect_refused_cylinder(const std::string& text, const std::string& path, const std::string& words) {
  try {
    compile(parse_model(text, "model.yaml"));
    ADD_FAILURE() << "accepted: " << path << " " << words;
  } catch (const InputError& error) {
    ASSERT_EQ(error.diagnostics().size(), 1U) << error.what();
    EXPECT_EQ(error.diagnostics()[0].path, path);
    EXPECT_NE(error.diagnostics()[0].text().find(words), std::string::npos) << error.what();
  }
}

TEST(Plunger, WrongInputIsReported) {
  expect_refused_cylinder(lift("plunger: 60 mm, B: tank"), "cylinders.ram.B", "a plunger has no chamber B");
  expect_refused_cylinder(lift("plunger: 60 mm, leakage: 1e-13"), "cylinders.ram.leakage", "a plunger has no chamber B");
  std::string pressed = lift("plunger: 60 mm");
  pressed.replace(pressed.find("model: lugre"), 12, "model: lugre, pressure_B: 1e-6 1/Pa");
  expect_refused_cylinder(pressed, "cylinders.ram.friction.pressure_B", "a plunger has no chamber B");
  expect_refused_cylinder(lift("plunger: 60 mm, bore: 60 mm, rod: 0, chamber_length_B: 1 m"), "cylinders.ram", "mutually exclusive");
  expect_refused_cylinder(replaced(lift("plunger: 60 mm"), "A: v, chamber_length_A: 200 mm", "A: v"), "cylinders.ram.chamber_length_A",
                          "missing");
}

// ---------------------------------------------------------------- cushions

TEST(Cushion, ThrottlesTheOilNearTheEndAndNotBefore) {
  Simulation sim = Simulation::from_text(kCushionedCylinder);
  const double rho = 850, port = 0.8 * std::numbers::pi / 4 * 0.008 * 0.008, throttle = 0.8 * std::numbers::pi / 4 * 0.0015 * 0.0015;
  double highest = 0, shortest = 1;
  while (sim.time() < 0.2 - 1e-9) {
    sim.step();
    const double l = 0.08 + sim.value("mass.position") - 1, x = std::clamp(l / 0.06, 0.0, 1.0);
    const double area = throttle + (port - throttle) * x * x * (3 - 2 * x), drop = sim.value("head.pressure") - sim.value("line.pressure");
    EXPECT_NEAR(sim.value("ram.cushion_A.opening"), area / port, 1e-12);
    if (std::abs(drop) > 2e5)
      EXPECT_NEAR(sim.value("ram.cushion_A.flow"), (drop > 0 ? 1 : -1) * area * std::sqrt(2 * std::abs(drop) / rho), 1e-9);
    highest = std::max(highest, sim.value("head.pressure"));
    shortest = std::min(shortest, l);
  }
  EXPECT_GT(highest, 44e5);   // the mass is braked
  EXPECT_GT(shortest, 0);     // before the end
  EXPECT_LT(shortest, 0.03);  // in the zone
  EXPECT_LT(std::abs(sim.value("mass.speed")), 0.22);
  // without the cushion it is not
  Simulation open = Simulation::from_text(kCushionedCylinder, {"cylinders.ram.cushion_A.throttle.diameter=8 mm"});
  open.run_until(0.2);
  EXPECT_GT(std::abs(open.value("mass.speed")), 0.35);
}

std::vector<double> cushioned_end(std::vector<std::string> set, const std::string& text = kCushionedCylinder) {
  set.insert(set.end(), {"solver.tolerance_pressure=1e-4 Pa", "solver.tolerance_position=1e-12"});
  Simulation sim = Simulation::from_text(text, set);
  sim.run_until(0.2);
  return {10 * sim.value("mass.position"),  sim.value("mass.speed"),          sim.value("head.pressure") / 1e6,
          sim.value("line.pressure") / 1e6, sim.value("lift.pressure") / 1e6, 10 * sim.value("load.position")};
}
double largest_difference(const std::vector<double>& x, const std::vector<double>& y) {
  double most = 0;
  for (std::size_t i = 0; i < x.size(); ++i) most = std::max(most, std::abs(x[i] - y[i]) / (1 + std::abs(y[i])));
  return most;
}

TEST(Cushion, ConvergesWithOrderTwoAndIsTheSameInOtherTreatments) {
  const std::vector<double> truth = cushioned_end({"solver.step=10 us", "solver.constraints=double_step"});
  for (const char* constraints : {"penalty", "double_step"}) {
    const std::string treatment = std::string("solver.constraints=") + constraints;
    const double coarse = largest_difference(cushioned_end({"solver.step=0.4 ms", treatment}), truth),
                 fine = largest_difference(cushioned_end({"solver.step=0.2 ms", treatment}), truth);
    EXPECT_LT(fine, 1e-3) << constraints;
    EXPECT_GT(coarse / fine, 3) << constraints << " " << coarse << " " << fine;
  }
  for (const std::vector<std::string>& set :
       std::vector<std::vector<std::string>>{{"solver.coordinates=cartesian", "solver.step=0.1 ms"},
                                             {"solver.integrator=esdirk3", "solver.step=0.1 ms"},
                                             {"solver.integrator=rk4", "solver.constraints=double_step", "solver.step=10 us"},
                                             {"solver.integrator=ida", "solver.constraints=baumgarte"}})
    EXPECT_LT(largest_difference(cushioned_end(set), truth), 2e-3) << fmt::format("{}", fmt::join(set, " "));
  EXPECT_GT(largest_difference(cushioned_end({"cylinders.ram.cushion_A.length=58 mm"}), truth), 4e-3);
}

TEST(Cushion, BalancesOfEnergyAndOilAreClosed) {
  const auto at = [](const char* step) { return run_case(model_from(kCushionedCylinder, {std::string("solver.step=") + step})); };
  const CaseResult coarse = at("0.2 ms"), fine = at("0.1 ms");
  EXPECT_LT(fine.recorder->ledger().oil_error().value_or(100), 1e-6);
  EXPECT_LT(fine.recorder->ledger().closed_to_percent(), 0.05);
  EXPECT_LT(fine.recorder->ledger().closed_to_percent(), 0.5 * coarse.recorder->ledger().closed_to_percent());
}

/// The piston leaves its end at full flow through the check valve, and slowly without it.
TEST(Cushion, StartsOffThroughItsCheckValve) {
  const auto position = [](bool check) {
    std::string text = kCushionedCylinder;
    text = replaced(text, "speed: -0.35 m/s", "speed: 0 m/s");
    text = replaced(text, "chamber_length_A: 80 mm", "chamber_length_A: 2 mm");
    text = replaced(text, "line: {volume: 0.3 L, pressure: 30 bar}", "line: {volume: 0.3 L, pressure: 60 bar}");
    text = replaced(text, "out: {orifice: {A: line, B: tank, diameter: 4 mm}}", "out: {orifice: {A: pump, B: line, diameter: 6 mm}}");
    text = replaced(text, "rod: {volume: 0.1 L, pressure: 50 bar}", "rod: {volume: 0.1 L, pressure: 1 bar}");
    text = replaced(text, "in: {orifice: {A: pump, B: rod, diameter: 4 mm}}", "in: {orifice: {A: rod, B: tank, diameter: 6 mm}}");
    text = replaced(text, "throttle: {diameter: 1.5 mm}}",
                    std::string("throttle: {diameter: 1 mm}") + (check ? ", check: {diameter: 8 mm}}" : "}"));
    Simulation sim = Simulation::from_text(text);
    sim.run_until(0.1);
    if (check) EXPECT_GT(sim.value("ram.cushion_A.check.flow"), 0);
    return sim.value("mass.position") - 1;
  };
  EXPECT_GT(position(true), 0.02);
  EXPECT_LT(position(false), 0.3 * position(true));
}

TEST(Cushion, IsTheSameOfMachinesAThousandTimesLighterAndHeavier) {
  const std::vector<double> reference = cushioned_end({"solver.step=0.2 ms"});
  for (const double k : {1e-3, 1e3}) {
    std::vector<std::string> set{"solver.step=0.2 ms"};
    const auto scaled = [&](const char* path, double value, double power = 1) {
      set.push_back(fmt::format("{}={:.17g}", path, std::pow(k, power) * value));
    };
    scaled("bodies.mass.point_mass.mass", 500), scaled("bodies.load.point_mass.mass", 100);
    scaled("springs.weight.stiffness", 30e3), scaled("springs.weight.damping", 500), scaled("springs.weight.preload", 10e3);
    scaled("volumes.head.volume", 20e-6), scaled("volumes.line.volume", 0.3e-3), scaled("volumes.rod.volume", 0.1e-3);
    scaled("volumes.lift.volume", 20e-6), scaled("cylinders.ram.viscous", 200);
    scaled("cylinders.ram.bore", 0.05, 0.5), scaled("cylinders.ram.rod", 0.03, 0.5), scaled("cylinders.plunger.plunger", 0.06, 0.5);
    scaled("cylinders.ram.cushion_A.port.diameter", 0.008, 0.5), scaled("cylinders.ram.cushion_A.throttle.diameter", 0.0015, 0.5);
    scaled("valves.out.orifice.diameter", 0.004, 0.5), scaled("valves.in.orifice.diameter", 0.004, 0.5);
    scaled("valves.up.orifice.diameter", 0.002, 0.5);
    EXPECT_LT(largest_difference(cushioned_end(set), reference), 1e-6) << k;
  }
}

TEST(Cushion, WrongInputIsReported) {
  const std::string text = kCushionedCylinder;
  expect_refused_cylinder(replaced(text, "throttle: {diameter: 1.5 mm}", "throttle: {diameter: 9 mm}"), "cylinders.ram.cushion_A.throttle",
                          "larger than the open port");
  expect_refused_cylinder(replaced(text, "{node: line,", "{node: head,"), "cylinders.ram.cushion_A.node", "the node of the chamber itself");
  expect_refused_cylinder(replaced(text, "{node: line,", "{node: lime,"), "cylinders.ram.cushion_A.node", "did you mean `line`?");
  expect_refused_cylinder(replaced(text, "A: head", "A: pump"), "cylinders.ram.cushion_A", "not on a volume");
  expect_refused_cylinder(replaced(text, "port: {diameter: 8 mm}, ", ""), "cylinders.ram.cushion_A.port", "missing");
  const std::string once = write_model(parse_model(text, "model.yaml"));
  EXPECT_EQ(write_model(parse_model(once, "again.yaml")), once);
  EXPECT_NE(once.find("cushion_A"), std::string::npos);
}

}  // namespace
}  // namespace trunnion
