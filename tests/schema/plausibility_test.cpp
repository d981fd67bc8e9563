// Warnings about possible but implausible values. Reference: the expected texts.
// SPDX-License-Identifier: BSD-3-Clause
#include "schema/plausibility.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "file/model_file.h"
#include "model/model.h"
#include "results/run_case.h"

namespace trunnion {
namespace {

/// A drum on a motor and a lever on a cylinder, all plausible.
std::string machine(const std::string& displacement = "10 cm^3/rev") {
  return R"(trunnion: 1
gravity: [0, -9.81, 0]
bodies: {drum: {inertia: [1, 1, 1], mass: 5}, lever: {rod: {length: 2 m, mass: 100 kg}}}
joints: {drum: {revolute: {parent: ground}}, lever: {revolute: {parent: ground}, angle: 20 deg}}
volumes: {a: {volume: 0.1 L, pressure: 50 bar}, b: {volume: 0.1 L, pressure: 50 bar}}
sources: {pump: {pressure: 100 bar}, tank: {pressure: 1 bar}}
valves:
  valve: {directional_4_3: {P: pump, T: tank, A: a, B: b, flow: 10 L/min, at_signal: 10}, signal: command}
  throttle: {orifice: {A: a, B: tank, diameter: 1 mm}}
motors: {drive: {joint: drum, displacement: )" +
         displacement + R"(, volume: 0.05 L, A: a, B: b}}
cylinders:
  lift: {base: {body: ground, at: [0.2, -0.8, 0]}, rod_end: {body: lever, at: [0.8, 0, 0]}, A: a, B: b, bore: 50 mm, rod: 30 mm,
         chamber_length_A: 0.1, chamber_length_B: 0.4}
signals: {half: {constant: 5}, wave: {sine: {amplitude: 5, frequency: 1}}, command: {sum: [half, wave]}}
solver: {step: 1 ms, duration: 1}
)";
}

std::vector<std::string> warnings_of(const std::string& text, const std::vector<std::string>& set = {}) {
  std::vector<Override> overrides;
  for (const std::string& s : set) overrides.push_back(parse_override(s));
  return plausibility_warnings(parse_model(text, "machine.yaml", overrides));
}

TEST(Plausibility, ASoundMachineHasNoWarnings) { EXPECT_EQ(warnings_of(machine()), std::vector<std::string>{}); }

TEST(Plausibility, OfASignalWithTheValueOfAControlBlockIsNotKnown) {
  ASSERT_EQ(warnings_of(machine(), {"signals.half.constant=500"}).size(), 1U);
  EXPECT_TRUE(warnings_of(machine(), {"signals.half.constant=500", "signals.command.sum=[half, wave, held]",
                                      "control={held: {gain: {input: lift.length, gain: -2000}}}"})
                  .empty());
}

TEST(Plausibility, PartsWithoutEffectAreNamed) {
  const auto said = [](const std::vector<std::string>& set) {
    const std::vector<std::string> list = warnings_of(machine(), set);
    return list.size() == 1 ? list[0] : std::to_string(list.size()) + " warnings";
  };
  EXPECT_NE(said({"springs={s: {between: [lever, lever], at: [[0, 0, 0], [1, 0, 0]], stiffness: 1e3}}"}).find("springs.s"),
            std::string::npos);
  EXPECT_EQ(said({"springs={s: {between: [lever, ground], at: [[0, 0, 0], [0, 1, 0]], stiffness: 1e3}}"}), "0 warnings");
  EXPECT_NE(said({"forces={f: {body: ground, force: [0, 0, 1]}}"}).find("forces.f.body"), std::string::npos);
  const std::string friction = said({"cylinders.lift.friction={coulomb: 100 N, static: 150 N}"});
  EXPECT_NE(friction.find("cylinders.lift.friction.coulomb"), std::string::npos) << friction;
  EXPECT_NE(friction.find("without a `model`"), std::string::npos) << friction;
  for (const char* law : {"none", "coulomb_viscous"})
    EXPECT_EQ(said({std::string("cylinders.lift.friction={coulomb: 100 N, static: 150 N, model: ") + law + "}"}), "0 warnings");
}

TEST(Plausibility, ValuesWithoutTheKeyThatTheyBelongToAreNamed) {
  struct Case {
    const char *set, *path, *found;  // path null: no warning
  };
  for (const Case& c :
       {Case{"cylinders.lift.friction={viscous: 300 N s/m}", "cylinders.lift.friction.viscous", "no friction acts without a `model`"},
        Case{"cylinders.lift.friction={viscous: 0, stribeck_velocity: 1 cm/s}", "cylinders.lift.friction.stribeck_velocity",
             "no friction acts without a `model`"},
        Case{"joints.lever.friction={viscous: 3 N m s/rad}", "joints.lever.friction.viscous", "no friction acts without a `model`"},
        Case{"cylinders.lift.friction={viscous: 0}", nullptr, ""},
        Case{"cylinders.lift.friction={viscous: 300 N s/m, model: none}", nullptr, ""},
        Case{"joints.lever.limits={maximum: 1, depth: 1 deg}", "joints.lever.limits.depth", "the depth at which `damping` acts"},
        Case{"joints.lever.limits={maximum: 1, depth: 1 deg, damping: 0}", nullptr, ""},
        Case{"joints.lever.limits={maximum: 1, depth: 1 deg, damping: 10 N m s/rad}", nullptr, ""},
        Case{"cylinders.lift.end_damper={length: 5 mm}", "cylinders.lift.end_damper", "exerts no force"},
        Case{"cylinders.lift.end_damper={length: 5 mm, stiffness: 1e7 N/m}", nullptr, ""},
        Case{"springs={s: {joint: lever, rest: 0}}", "springs.s", "exerts no force"},
        Case{"springs={s: {joint: lever, rest: 0, preload: 5 N m}}", nullptr, ""},
        Case{"valves.valve.directional_4_3.damping=0.5", "valves.valve.directional_4_3.damping", "without a `frequency`"},
        Case{"valves.valve.directional_4_3.frequency=20 Hz", nullptr, ""}}) {
    const std::vector<std::string> list = warnings_of(machine(), {c.set});
    if (c.path == nullptr) {
      EXPECT_EQ(list, std::vector<std::string>{}) << c.set;
      continue;
    }
    ASSERT_EQ(list.size(), 1U) << c.set;
    EXPECT_NE(list[0].find(std::string(c.path) + ": "), std::string::npos) << list[0];
    EXPECT_NE(list[0].find(c.found), std::string::npos) << list[0];
  }
}

TEST(Plausibility, AValueWithoutEffectIsNamedWithItsLine) {
  std::string text = machine();
  const std::string lever = "lever: {revolute: {parent: ground}, angle: 20 deg";
  text.replace(text.find(lever), lever.size(), lever + ",\n  limits: {maximum: 1, depth: 1 deg}");
  const std::vector<std::string> list = warnings_of(text);
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].rfind("machine.yaml:5:", 0), 0U) << list[0];
}

TEST(Plausibility, WhatIsSaidToHaveNoEffectHasNone) {
  constexpr double kTolerance = 1e-7;  // [m] of positions in Newton's method, whose residuals differ in rounding
  const auto last_length = [](const std::string& set) {
    std::vector<Override> overrides{parse_override("solver.duration=0.1")};
    if (!set.empty()) overrides.push_back(parse_override(set));
    const CaseResult result = run_case(compile(parse_model(machine(), "machine.yaml", overrides)));
    EXPECT_FALSE(result.failure) << set;
    const Recording& r = result.recorder->recording();
    for (std::size_t i = 0; i < r.channels.size(); ++i)
      if (r.channels[i].name == "lift.length") return r.columns[i].back();
    return std::nan("");
  };
  const double plain = last_length("");
  for (const char* idle : {"cylinders.lift.friction={viscous: 3e4 N s/m}", "joints.lever.friction={viscous: 3e4 N m s/rad}",
                           "springs={s: {joint: lever, rest: 0}}", "valves.valve.directional_4_3.damping=0.1"})
    EXPECT_NEAR(last_length(idle), plain, kTolerance) << idle;
  EXPECT_GT(std::abs(last_length("cylinders.lift.friction={viscous: 3e4 N s/m, model: coulomb_viscous}") - plain), 100 * kTolerance);
  // the machine starts beyond this limit
  const std::string limits = "joints.lever.limits={maximum: 19.5 deg, stiffness: 1e5 N m/rad, depth: ";
  const double shallow = last_length(limits + "1 deg}");
  EXPECT_NEAR(last_length(limits + "5 deg}"), shallow, kTolerance);
  EXPECT_GT(std::abs(shallow - plain), 100 * kTolerance);
}

TEST(Plausibility, ADisplacementNeedsAnAngle) {
  const std::vector<std::string> list = warnings_of(machine("10 cm^3"));
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].rfind("machine.yaml:10:", 0), 0U) << list[0];
  for (const char* part : {"motors.drive.displacement", "no angle", "cm^3/rev", "by 2 pi"})
    EXPECT_NE(list[0].find(part), std::string::npos) << list[0];
  EXPECT_TRUE(warnings_of(machine("1.6 cm^3/rad")).empty());
  EXPECT_TRUE(warnings_of(machine("1.6e-6")).empty());
}

TEST(Plausibility, WrongUnitsAreNamed) {
  struct Case {
    const char *set, *path, *expected;
  };
  for (const Case& c : {Case{"valves.throttle.orifice.diameter=1", "valves.throttle.orifice.diameter", "below 0.5 m"},
                        Case{"sources.pump.pressure=1e5 bar", "sources.pump.pressure", "below 10000 bar"},
                        Case{"volumes.a.pressure=2e10", "volumes.a.pressure", "below 10000 bar"},
                        Case{"fluid.bulk_modulus=15", "fluid.bulk_modulus", "1.5 GPa"},
                        Case{"volumes.a.bulk_modulus=150", "volumes.a.bulk_modulus", "150 MPa"},
                        Case{"cylinders.lift.bore=50", "cylinders.lift.bore", "below 3 m"},
                        Case{"volumes.a.volume=500", "volumes.a.volume", "below 100 m^3"},
                        Case{"valves.valve.directional_4_3.flow=24", "valves.valve.directional_4_3.flow", "60000 L/min"},
                        Case{"fluid.density=0.85", "fluid.density", "850 kg/m^3"},
                        Case{"motors.drive.displacement=10", "motors.drive.displacement", "below 1 m^3/rad"}}) {
    const std::vector<std::string> list = warnings_of(machine(), {c.set});
    ASSERT_EQ(list.size(), 1U) << c.set;
    EXPECT_NE(list[0].find(std::string(c.path) + ": "), std::string::npos) << list[0];
    EXPECT_NE(list[0].find("is implausible; expected"), std::string::npos) << list[0];
    EXPECT_NE(list[0].find(c.expected), std::string::npos) << list[0];
  }
}

TEST(Plausibility, CommandsBeyondTheOpenValveAreFoundThroughSumsAndProducts) {
  const std::vector<std::string> list = warnings_of(machine(), {"signals.half.constant=6"});
  ASSERT_EQ(list.size(), 1U);
  for (const char* part : {"valves.valve.signal", "`command` reaches 11", "fully open at 10"})
    EXPECT_NE(list[0].find(part), std::string::npos) << list[0];
  std::string product = machine();
  product.replace(product.find("sum: [half"), 3, "product");
  EXPECT_EQ(warnings_of(product).size(), 1U);  // 25
  EXPECT_TRUE(warnings_of(product, {"signals.half.constant=2"}).empty());
}

TEST(Plausibility, NominalFlowsOfLaminarOrificesAreFound) {
  const auto found = [](const char* valve) {
    std::vector<std::string> list = warnings_of(fmt::format(R"(
trunnion: 1
volumes: {{v: {{volume: 1 L, pressure: 10 bar}}}}
sources: {{tank: {{pressure: 1 bar}}}}
valves: {{x: {{{}}}}}
solver: {{step: 1 ms, duration: 1 s}}
)",
                                                            valve));
    std::erase_if(list, [](const std::string& text) { return text.find("which is not met") == std::string::npos; });
    return list;
  };
  EXPECT_TRUE(found("check: {A: v, B: tank, flow: 12 L/min, at_pressure_drop: 5 bar, cracking_pressure: 3 bar}").empty());
  EXPECT_TRUE(found("check: {A: v, B: tank, flow: 12 L/min, at_pressure_drop: 2.3 bar, cracking_pressure: 0.3 bar}").empty());
  EXPECT_TRUE(found("check: {A: v, B: tank, diameter: 2 mm, cracking_pressure: 3 bar}").empty());
  EXPECT_TRUE(found("orifice: {A: v, B: tank, flow: 12 L/min, at_pressure_drop: 2 bar}").empty());
  const std::vector<std::string> check = found("check: {A: v, B: tank, flow: 12 L/min, at_pressure_drop: 4 bar, cracking_pressure: 3 bar}"),
                                 orifice = found("orifice: {A: v, B: tank, flow: 12 L/min, at_pressure_drop: 1 bar}");
  ASSERT_EQ(check.size(), 1U);
  EXPECT_NE(check[0].find("valves.x.check.laminar_limit"), std::string::npos) << check[0];
  ASSERT_EQ(orifice.size(), 1U);
  EXPECT_NE(orifice[0].find("valves.x.orifice.laminar_limit"), std::string::npos) << orifice[0];
}

TEST(Plausibility, FractionsBeyondTheFullDisplacementAreFound) {
  const auto found = [](double high) {
    std::vector<std::string> list = warnings_of(fmt::format(R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {{a: {{mass: 1, inertia: [1, 1, 1]}}}}
joints: {{a: {{revolute: {{parent: ground, axis: z}}}}}}
signals: {{swash: {{ramps: [[0, 0], [1, {}]]}}}}
volumes: {{v: {{volume: 1 L, pressure: 10 bar}}, w: {{volume: 1 L, pressure: 10 bar}}}}
sources: {{tank: {{pressure: 1 bar}}}}
motors: {{drive: {{joint: a, A: v, B: w, displacement: 10 cm^3/rev, fraction: swash}}}}
pumps: {{main: {{S: tank, P: v, displacement: 10 cm^3/rev, speed: 1500 rpm, fraction: swash}}}}
solver: {{step: 1 ms, duration: 1 s}}
)",
                                                            high));
    std::erase_if(list, [](const std::string& text) { return text.find("the displacement is full at 1") == std::string::npos; });
    return list;
  };
  EXPECT_TRUE(found(1).empty());
  EXPECT_TRUE(found(-1).empty());
  for (const double high : {1.5, -3.0}) {
    const std::vector<std::string> list = found(high);
    ASSERT_EQ(list.size(), 2U);
    EXPECT_NE(list[0].find("motors.drive.fraction"), std::string::npos) << list[0];
    EXPECT_NE(list[1].find("pumps.main.fraction"), std::string::npos) << list[1];
  }
}

TEST(Plausibility, StepsThatResolveNothingAndRunsWithoutEnd) {
  const auto only = [](const char* step) {
    const std::vector<std::string> list = warnings_of(machine(), {std::string("solver.step=") + step});
    return list.size() == 1 ? list[0] : "";
  };
  EXPECT_NE(only("2 s").find("longer than the duration"), std::string::npos);
  EXPECT_NE(only("0.2 s").find("longer than a tenth"), std::string::npos);
  EXPECT_EQ(only("0.1 s"), "");
  EXPECT_NE(only("1e-10 s").find("1e+10 steps"), std::string::npos) << only("1e-10 s");
}

TEST(Plausibility, PulsesBetweenTwoEndsOfStepsAreFound) {
  const auto said = [](const std::string& signal, const char* step = "1 ms") {
    const std::vector<std::string> list = warnings_of(machine(), {"signals.wave=" + signal, std::string("solver.step=") + step});
    EXPECT_LT(list.size(), 2U);
    return list.empty() ? "" : list[0];
  };
  const char* const pulse = "{table: [[0, 0], [0.5002, 0], [0.5005, 2], [0.5008, 0]]}";
  EXPECT_NE(said(pulse).find("signals.wave: from 0.5 s to 0.501 s"), std::string::npos) << said(pulse);
  EXPECT_NE(said(pulse).find("goes to 2 and back"), std::string::npos) << said(pulse);
  EXPECT_EQ(said(pulse, "0.1 ms"), "");
  EXPECT_NE(said("{table: [[0, 0], [0.5, 0], [0.5005, 2], [0.501, 0]], smooth: true}"), "");
  // resolved, at the start, after the end, and a jump, where a step ends
  for (const char* signal :
       {"{table: [[0, 0], [0.5, 0], [0.5055, 2], [0.511, 0]]}", "{table: [[0, 0], [0.0002, 2]]}",
        "{table: [[0, 0], [1.0002, 0], [1.0005, 2], [1.0008, 0]]}", "{table: [[0, 0], [0.5002, 0], [0.5002, 2], [0.5008, 2], [0.5008, 0]]}",
        "{table: [[0, 0], [0.5005, 1], [1, 0]]}"})
    EXPECT_EQ(said(signal), "") << signal;
}

TEST(Plausibility, TheExamplesHaveNoWarnings) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(TRUNNION_SOURCE_DIR) + "/examples")) {
    if (entry.path().extension() != ".yaml") continue;
    ++count;
    EXPECT_EQ(plausibility_warnings(load_model(entry.path().string())), std::vector<std::string>{}) << entry.path();
  }
  EXPECT_GT(count, 20);
}

}  // namespace
}  // namespace trunnion
