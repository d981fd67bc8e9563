// Set-valued friction and friction that grows with pressure, in machines. Reference: the closed form of stick-slip on a spring with Coulomb friction,
// the same machine by other integrators, treatments and in other units of mass.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "results/run_case.h"
#include "support/machines.h"

namespace trunnion {
namespace {

using test::model_from;
using Settings = std::vector<std::string>;

const std::vector<double>& column(const Recording& r, const std::string& name) {
  const int index = r.find(name);
  EXPECT_GE(index, 0) << name;
  return r.columns[static_cast<std::size_t>(std::max(index, 0))];
}

/// A block on a spring of 100 N/m per kg that is drawn at 20 mm/s.
std::string block(double mass, const char* stribeck_velocity) {
  return fmt::format(R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {{block: {{point_mass: {{mass: {0}}}}}}}
joints:
  block: {{prismatic: {{parent: ground, axis: x}}, position: 0, hold: true, friction: {{model: set_valued, coulomb: {1}, static: {2}, stribeck_velocity: {3},
    bristle_stiffness: {4}, bristle_damping: {5}}}}}
springs: {{pull: {{joint: block, stiffness: {6}, rest: 0}}}}
forces: {{feed: {{joint: block, load: {6}, signal: path}}}}
signals: {{path: {{table: [[0, 0], [20, 0.4]]}}}}
solver: {{step: 0.2 ms, duration: 6 s}}
)",
                     mass, 2 * mass, 3 * mass, stribeck_velocity, 1e6 * mass, 2000 * mass, 100 * mass);
}

/// Mean time between the starts of slips, at half the speed of the closed form.
double period(const std::string& machine, const Settings& set = {}) {
  const CaseResult result = run_case(model_from(machine, set));
  EXPECT_FALSE(result.failure) << result.failure->what();
  const Recording& r = result.recorder->recording();
  const std::vector<double>&t = column(r, "time"), &v = column(r, "block.speed");
  std::vector<double> starts;
  for (std::size_t i = 1; i < t.size(); ++i)
    if (v[i - 1] < 0.05 && v[i] >= 0.05) starts.push_back(t[i - 1] + (t[i] - t[i - 1]) * (0.05 - v[i - 1]) / (v[i] - v[i - 1]));
  EXPECT_GE(starts.size(), 3U);
  return (starts.back() - starts.front()) / static_cast<double>(starts.size() - 1);
}

TEST(StickSlip, HasThePeriodOfTheClosedForm) {
  const double k = 100, omega = 10, D = 1, V = 0.02;  // of 1 kg; D = F_s - F_c
  const double expected = 2 * D / (k * V) + 2 / omega * (std::numbers::pi - std::atan(D * omega / (k * V)));
  const double coarse = period(block(1, "1 mm/s")) / expected - 1, fine = period(block(1, "0.1 mm/s")) / expected - 1;
  EXPECT_NEAR(fine, 0, 0.005);  // the Stribeck velocity tends to 0
  EXPECT_GT(coarse, 3 * fine);
  EXPECT_GT(fine, 0);
  const double lugre = period(block(1, "0.1 mm/s"), {"joints.block.friction.model=lugre"}) / expected - 1;
  EXPECT_GT(std::abs(lugre), 0.005);  // which yields before
}

TEST(StickSlip, IsTheSameByOtherRulesTreatmentsAndMasses) {
  const double expected = period(block(1, "0.1 mm/s"));
  for (const double mass : {1e-3, 1e3}) EXPECT_NEAR(period(block(mass, "0.1 mm/s")), expected, 1e-6 * expected) << mass;
  for (const Settings& set : {Settings{"joints.block.friction.states=local"}, Settings{"solver.constraints=double_step"},
                              Settings{"solver.coordinates=cartesian"}, Settings{"solver.integrator=esdirk3"},
                              Settings{"solver.constraints=double_step", "solver.integrator=rk4"},
                              Settings{"solver.constraints=double_step", "solver.integrator=cvode"}})
    EXPECT_NEAR(period(block(1, "0.1 mm/s"), set), expected, 4e-3 * expected) << set.back();
}

/// Held on a slope by friction below F_s for 20 s: the displacement is that of the element.
TEST(StickSlip, HoldsOnASlope) {
  const std::string slope = R"(
trunnion: 1
gravity: [5, -8, 0]
bodies: {block: {point_mass: {mass: 10}}}
joints: {block: {prismatic: {parent: ground, axis: x}, position: 0, friction: {model: set_valued, coulomb: 60, static: 120, stribeck_velocity: 1 mm/s, bristle_stiffness: 1e6,
  bristle_damping: 6000}}}
solver: {step: 1 ms, duration: 20 s}
)";
  const auto end_of = [&](const char* model) {
    const CaseResult result = run_case(model_from(slope, {std::string("joints.block.friction.model=") + model}));
    return column(result.recorder->recording(), "block.position").back();
  };
  EXPECT_NEAR(end_of("set_valued"), 50 / 1e6, 1e-12);
  EXPECT_GT(end_of("brown_mcphee"), 1e-3);  // creeps
}

/// A cylinder at constant speed: the friction is that of the law, times the factor of the pressures.
TEST(SealPressure, MultipliesTheFriction) {
  const std::string machine = R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {rod: {point_mass: {mass: 5}}}
joints: {rod: {prismatic: {parent: ground, axis: x}, position: 1, hold: true}}
fluid: {density: 850, bulk_modulus: 1500 MPa}
volumes: {a: {volume: 0.1 L, pressure: 3 MPa}, b: {volume: 0.1 L, pressure: 2 MPa}}
sources: {feed: {flow: 2 L/min, to: a}, tank: {pressure: 1 bar}}
valves: {out: {orifice: {A: b, B: tank, diameter: 1.5 mm}}}
cylinders: {lift: {base: {body: ground}, rod_end: {body: rod}, A: a, B: b, bore: 40 mm, rod: 25 mm, chamber_length_A: 0.1, chamber_length_B: 0.4,
  friction: {model: MODEL, coulomb: 200, static: 200, stribeck_velocity: 5 mm/s, viscous: 5000, bristle_stiffness: 1e6, bristle_damping: 1e4, film_velocity: 0.01, film_time_up: 20 ms,
    film_time_down: 20 ms, film_time_dwell: 1, decay: 100, element_forces: [1, 1], element_stiffnesses: [2, 1], pressure_A: 0.2 1/MPa, pressure_B: 0.5 1/MPa}}}
solver: {step: 0.5 ms, duration: 0.6 s}
)";
  for (const char* model : {"brown_mcphee", "lugre", "modified_lugre", "set_valued", "maxwell_slip"}) {
    std::string text = machine;
    text.replace(text.find("MODEL"), 5, model);
    const Settings without{"cylinders.lift.friction.pressure_A=0", "cylinders.lift.friction.pressure_B=0"};
    const auto run = [&](const Settings& set) {
      CaseResult result = run_case(model_from(text, set));
      EXPECT_FALSE(result.failure) << model;
      EXPECT_LT(result.recorder->ledger().closed_to_percent(), 0.2) << model;
      return result;
    };
    const auto end = [](const CaseResult& result, const char* channel) { return column(result.recorder->recording(), channel).back(); };
    const CaseResult with = run({});
    const double friction = end(with, "lift.friction"), factor = 1 + 0.2e-6 * end(with, "a.pressure") + 0.5e-6 * end(with, "b.pressure");
    EXPECT_GT(factor, 1.15);
    EXPECT_NEAR(friction / end(run(without), "lift.friction"), factor, 2e-3 * factor) << model;
    for (const Settings& set : {Settings{"solver.constraints=double_step", "solver.integrator=rk4", "solver.step=0.02 ms"},
                                Settings{"cylinders.lift.friction.states=local"}, Settings{"solver.tangent=forward_difference"}})
      EXPECT_NEAR(end(run(set), "lift.friction"), friction, 2e-4 * 1000) << model << set.back();
  }
}

TEST(SealPressure, IsRefusedWhereThePressuresAreNotKnown) {
  const auto refusal = [](const std::string& example, const Settings& set) -> std::string {
    try {
      test::load_example(example, set);
    } catch (const InputError& e) { return e.what(); }
    return "";
  };
  EXPECT_NE(refusal("arm_quasistatic", {"cylinders.lift.friction.pressure_A=1e-8"}).find("does not depend on pressures"),
            std::string::npos);
  const Settings forces{"cylinders.lift.friction.pressure_A=1e-8", "solver.coupling=cosimulation", "coupling.variables=velocity_force"};
  Settings mechanism = forces;
  mechanism.emplace_back("coupling.friction=mechanism");
  EXPECT_NE(refusal("crane_single", mechanism).find("does not receive the pressures"), std::string::npos);
  Settings hydraulics = forces;
  hydraulics.emplace_back("coupling.friction=hydraulics");
  EXPECT_EQ(refusal("crane_single", hydraulics), "");
}

}  // namespace
}  // namespace trunnion
