// The alarms of the program: each faulty run must raise the right one, and correct runs none. Reference: the fault introduced in each
// machine.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "file/model_file.h"
#include "results/run_case.h"
#include "support/machines.h"

namespace trunnion {
namespace {

using Settings = std::vector<std::string>;
using test::kPendulum;
using test::kSpinningBody;
using test::kStoppedPump;

const char* const kSliderCrank = R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {crank: {rod: {length: 0.2, mass: 1}}, rod: {rod: {length: 0.5, mass: 1}}, slider: {mass: 1, inertia: [1, 1, 1]}}
joints:
  crank: {revolute: {parent: ground}, angle: 60 deg}
  rod: {revolute: {parent: crank, at: [0.2, 0, 0]}, angle: -80 deg}
  slider: {prismatic: {parent: ground, axis: x}}
loops: {pin: {revolute: {between: [rod, slider], at: [[0.5, 0, 0], [0, 0, 0]]}}}
signals: {slow: {ramps: [[0, 0.5], [1, 0.6]]}, out: {ramps: [[0, 0.6], [1, 2]]}, far: {constant: 2}, turn: {ramps: [[0, 1], [1, 2]]}}
motions: {m: {joint: slider, signal: slow}}
solver: {step: 1 ms, duration: 0.2}
)";

const char* const kGear = R"(
trunnion: 1
bodies: {a: {rod: {length: 1, mass: 1, diameter: 0.1}}, b: {rod: {length: 1, mass: 1, diameter: 0.1}}}
joints: {a: {revolute: {parent: ground}}, b: {revolute: {parent: ground, at: [1, 0, 0]}}}
couplings: {g: {joints: [a, b], ratio: 2}}
signals: {x: {ramps: [[0, 0], [1, 1]]}, y: {ramps: [[0, 0], [1, 3]]}}
motions: {m: {joint: a, signal: x}, n: {joint: b, signal: y}}
solver: {step: 1 ms, duration: 1}
)";

const char* const kDrive = R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {drum: {inertia: [1, 1, 1], mass: 5}}
joints: {drum: {revolute: {parent: ground}}}
volumes: {inlet: {volume: 1 L, pressure: 1 bar}}
sources: {pump: {pressure: 100 bar}, tank: {pressure: 1 bar}}
valves: {throttle: {orifice: {A: pump, B: inlet, diameter: 3 mm}}}
motors: {drive: {joint: drum, displacement: 100 cm^3/rev, volume: 0.05 L, viscous: 2 N m s/rad, A: inlet, B: tank}}
solver: {step: 0.5 ms, duration: 0.2}
)";

std::string spring_at(const char* points) {
  return std::string(R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {a: {rod: {length: 1, mass: 1}}}
joints: {a: {revolute: {parent: ground}, angle: 0}}
springs: {s: {between: [ground, a], at: )") +
         points + R"(, stiffness: 100}}
solver: {step: 1 ms, duration: 0.1}
)";
}

/// All messages of a run: errors of its input, its failure, its warnings and coupling problems.
std::string alarms(const std::string& machine, const Settings& set) {
  std::vector<Override> overrides;
  for (const std::string& text : set) overrides.push_back(parse_override(text));
  try {
    const bool example = machine.find('\n') == std::string::npos;
    const std::string folder = std::string(TRUNNION_SOURCE_DIR) + "/examples/";
    const auto model =
        compile(example ? load_model(folder + machine + ".yaml", overrides) : parse_model(machine, "machine.yaml", overrides));
    check_recorded_channels(model);
    const CaseResult result = run_case(model);
    std::string text = result.failure ? std::string(result.failure->what()) + "\n" : "";
    for (const std::string& warning : result.warnings) text += warning + "\n";
    for (const std::string& fault : result.coupling_faults) text += fault + "\n";
    return text;
  } catch (const InputError& error) { return error.what(); }
}

struct Alarm {
  const char* what;
  std::string machine;  // an example's name or a text
  Settings set;
  const char* says;
};

const std::vector<Alarm> kWrong{
    // steps that are too long
    {"a pendulum in steps of most of its period", kPendulum, {"solver.step=1 s", "solver.duration=50"}, "the energy balance"},
    {"the same, semi-implicitly",
     kPendulum,
     {"solver.step=1 s", "solver.duration=50", "solver.constraints=double_step", "solver.integrator=semi_implicit_euler"},
     "the energy balance"},
    {"explicit Euler gains energy",
     kPendulum,
     {"solver.step=20 ms", "solver.duration=10", "solver.constraints=double_step", "solver.integrator=euler"},
     "the energy balance"},
    {"a body that turns 3 rad a step", kSpinningBody, {}, "the energy balance"},
    {"the same, allowed", kSpinningBody, {"solver.allow_open_balance=true"}, "the energy balance"},
    {"a step longer than the run", kPendulum, {"solver.step=2 s"}, "longer than the duration"},
    {"a step of half the run", kPendulum, {"solver.step=0.5 s"}, "longer than a tenth of the duration"},
    {"an explicit step on stiff oil",
     "four_bar",
     {"solver.constraints=double_step", "solver.integrator=rk4", "solver.duration=0.1"},
     "too long"},
    {"explicit Euler on stiff oil",
     "crane_single",
     {"solver.constraints=double_step", "solver.integrator=euler", "solver.duration=0.1"},
     "too long"},
    // wrong units
    {"a displacement per nothing", kDrive, {"motors.drive.displacement=100 cm^3"}, "no angle"},
    {"an orifice of 1 m", kDrive, {"valves.throttle.orifice.diameter=1"}, "a diameter of an orifice"},
    {"a supply of 1e5 bar", kDrive, {"sources.pump.pressure=1e5 bar"}, "below 10000 bar"},
    {"oil of 15 Pa", kDrive, {"fluid.bulk_modulus=15"}, "1.5 GPa"},
    {"a hose of 150 Pa", "four_bar", {"volumes.v1.hose.bulk_modulus=150", "solver.duration=0.01"}, "150 MPa"},
    {"a bore of 50 m", "lever", {"cylinders.lift.bore=50", "solver.duration=0.01"}, "a bore below 3 m"},
    {"litres as cubic metres", kDrive, {"volumes.inlet.volume=1000"}, "below 100 m^3"},
    {"L/min as m^3/s", "four_bar", {"valves.valve.directional_4_3.flow=24", "solver.duration=0.01"}, "60000 L/min"},
    {"kg/L as kg/m^3", kDrive, {"fluid.density=0.85"}, "850 kg/m^3"},
    {"cm^3 as m^3", kDrive, {"motors.drive.displacement=100"}, "below 1 m^3/rad"},
    {"volts as millivolts", "four_bar", {"valves.valve.directional_4_3.at_signal=0.01", "solver.duration=0.01"}, "fully open at 0.01"},
    {"a mass in seconds", kPendulum, {"bodies.a.rod.mass=1 s"}, "expected a mass"},
    // motions, constraints, geometry
    {"a motion that leaves the reach", kSliderCrank, {"motions.m.signal=out"}, "motions within reach of the mechanism (here m = 0.69"},
    {"a motion that starts out of reach", kSliderCrank, {"motions.m.signal=far"}, "the coordinate cannot reach the prescribed value"},
    {"a motion of a coordinate that is moved already",
     kSliderCrank,
     {"motions.m.joint=crank", "motions.m.signal=far", "joints.crank.hold=true"},
     "motions.m"},
    {"motions that a gear cannot follow", kGear, {}, "consistent motions"},
    {"a signal that jumps as a motion", kSliderCrank, {"signals.slow.ramps=[[0, 0.5], [0.1, 0.5], [0.1, 0.6]]"}, "jumps"},
    {"a spring without length", spring_at("[[1, 0, 0], [1, 0, 0]]"), {}, "its ends coincide"},
    {"a spring between axes", spring_at("[[0, 0, 0], [0, 0, 0]]"), {}, "its ends coincide"},
    {"a frozen mechanism",
     "four_bar_lift",
     {"solver.penalty=1e300", "solver.duration=0.05"},
     "solver.penalty: 1e+300 is outside the limits"},
    {"a mechanism that falls apart", "four_bar_lift", {"solver.penalty=1e-3", "solver.duration=0.05"}, "is outside the limits"},
    {"frozen multipliers",
     "four_bar_lift",
     {"solver.constraints=ali1", "solver.integrator=semi_implicit_euler", "solver.step=0.05 ms", "solver.ali1.alpha=1e300",
      "solver.duration=0.01"},
     "solver.ali1.alpha"},
    // broken couplings, stiff explicit oil
    {"a coupling by a far extrapolation of stiff oil",
     "excavator",
     {"solver.coupling=cosimulation", "coupling.step=2 ms", "solver.duration=1.5"},
     "residuals are"},
    {"a coupling that lets lengths go apart",
     "crane_double",
     {"solver.coupling=cosimulation", "coupling.variables=velocity_force", "coupling.extrapolation=0", "coupling.step=5 ms",
      "coupling.hydraulics.integrator=trapezoidal"},
     "the oil balance error is"},
    {"explicit steps of stiff oil",
     "excavator",
     {"solver.coupling=cosimulation", "coupling.scheme=sequential", "coupling.hydraulics.integrator=rk4",
      "coupling.hydraulics.step=0.02 ms", "solver.duration=0.5"},
     "the explicit step is too long"},
    {"a pressure that an explicit step takes below vacuum",
     "crane_single",
     {"solver.coupling=cosimulation", "coupling.variables=velocity_force", "coupling.extrapolation=0", "coupling.step=8 ms",
      "solver.duration=1"},
     "below vacuum"},
    {"the papers' oil after a pump has stopped", kStoppedPump, {"solver.oil_rule=trapezoidal"}, "the oil balance: an error of"},
    // settings and names
    {"a channel that does not exist", kPendulum, {"record.channels=[a.angel]"}, "did you mean 'a.angle'?"},
    {"too few iterations", "four_bar", {"solver.max_iterations=1", "solver.divisions=0", "solver.duration=1.2"}, "no convergence"},
    {"a virtual element that is too stiff",
     "arm_quasistatic",
     {"solver.constraints=double_step", "solver.integrator=rk4", "solver.step=5 ms", "solver.duration=0.01"},
     "is longer than"},
    {"a combination that does not exist", kPendulum, {"solver.integrator=cvode", "solver.constraints=penalty"}, "is not supported"},
};

TEST(Alarms, WrongRunsRing) {
  EXPECT_GE(kWrong.size(), 30U);
  for (const Alarm& a : kWrong) {
    const std::string text = alarms(a.machine, a.set);
    EXPECT_NE(text.find(a.says), std::string::npos) << a.what << ": " << (text.empty() ? "no alarm" : text);
  }
}

TEST(Alarms, RightRunsDoNotRing) {
  const Settings brief{"solver.duration=0.1"};
  const auto with = [&](Settings more) {
    more.push_back("solver.duration=0.1");
    return more;
  };
  std::vector<Alarm> right;
  for (const char* example : {"arm_lumped",
                              "arm_quasistatic",
                              "arm_regeneration",
                              "articulated_loader",
                              "bicycle",
                              "crane_double",
                              "crane_single",
                              "crane_triple",
                              "excavator",
                              "excavator_lumped",
                              "excavator_quasistatic",
                              "forwarder_crane",
                              "four_bar",
                              "four_bar_lift",
                              "four_bar_linear",
                              "ladder",
                              "lever",
                              "quick_return",
                              "rolling_disc",
                              "slewing_crane",
                              "spatial_slider_crank",
                              "stick_slip",
                              "two_arms_one_pump"})
    right.push_back({example, example, brief, ""});
  right.push_back({"at rest", kPendulum, {"joints.a.angle=-90 deg"}, ""});
  right.push_back({"swings", kPendulum, {"solver.duration=20"}, ""});
  right.push_back({"swings, resolved explicitly", kPendulum, {"solver.constraints=double_step", "solver.integrator=rk4"}, ""});
  right.push_back({"spins, resolved", kSpinningBody, {"solver.step=0.01 ms", "solver.duration=0.05"}, ""});
  right.push_back({"motion within reach", kSliderCrank, {}, ""});
  right.push_back({"spring with a length", spring_at("[[0, 1, 0], [1, 0, 0]]"), {}, ""});
  right.push_back({"motor with one side on a source", kDrive, {}, ""});
  right.push_back({"double-step", "four_bar_lift", with({"solver.constraints=double_step"}), ""});
  right.push_back({"Baumgarte", "four_bar_lift", with({"solver.constraints=baumgarte"}), ""});
  right.push_back({"cartesian", "crane_single", with({"solver.coordinates=cartesian"}), ""});
  right.push_back({"reference", "lever", with({"solver.constraints=double_step", "solver.integrator=cvode"}), ""});
  right.push_back({"the oil's own rule after a pump has stopped", kStoppedPump, {}, ""});
  right.push_back({"co-simulation of stiff oil", "excavator", with({"solver.coupling=cosimulation", "coupling.scheme=sequential"}), ""});
  right.push_back(
      {"co-simulation of stiff oil, extrapolated", "excavator", with({"solver.coupling=cosimulation", "coupling.step=1 ms"}), ""});
  right.push_back({"co-simulation", "crane_single", with({"solver.coupling=cosimulation"}), ""});
  right.push_back({"co-simulation of order 0", "crane_single",
                   with({"solver.coupling=cosimulation", "coupling.extrapolation=0", "coupling.step=1 ms",
                         "coupling.hydraulics.integrator=trapezoidal"}),
                   ""});
  EXPECT_GE(right.size(), 30U);
  for (const Alarm& a : right) EXPECT_EQ(alarms(a.machine, a.set), "") << a.what;
}

}  // namespace
}  // namespace trunnion
