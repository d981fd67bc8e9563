// Steady operation. Reference: closed forms of circuits with flow; the time stepper, which must hold the solution for a second, and
// with which the linear model about it is compared.
// SPDX-License-Identifier: BSD-3-Clause
#include "linearise/steady.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "file/model_file.h"
#include "linearise/linear_model.h"
#include "machine/equilibrium.h"
#include "machine/start.h"
#include "model/description_at.h"
#include "results/run_case.h"
#include "run/run.h"
#include "studies/equilibrium_files.h"
#include "support/linear_algebra.h"
#include "support/machines.h"

namespace trunnion {
namespace {

using test::load_example;
using test::model_from;

constexpr const char* kFluid = "trunnion: 1\nfluid: {density: 850 kg/m^3, bulk_modulus: 1500 MPa}\n";
constexpr double kTank = 1e5, kRevolution = 2 * std::numbers::pi, kLitrePerMinute = 1e-3 / 60;

double value(const CompiledModel& model, const StateVector& state, const std::string& name) {
  const auto found = std::find(model.state_names.begin(), model.state_names.end(), name);
  EXPECT_NE(found, model.state_names.end()) << name;
  return state.y()[found - model.state_names.begin()];
}
double rate(const CompiledModel& model, const StateVector& state, const std::string& name) {
  const auto found = std::find(model.velocity_names.begin(), model.velocity_names.end(), name);
  EXPECT_NE(found, model.velocity_names.end()) << name;
  return state.v()[found - model.velocity_names.begin()];
}

/// The model with its commands constant at their values at a time; `open`: without start pressures.
std::shared_ptr<const CompiledModel> frozen(const std::shared_ptr<const CompiledModel>& model, double time, bool open) {
  Description d = model->description;
  for (auto& [name, signal] : d.signals)
    signal = ConstantSignal{Signals(model->signals, nullptr).value(model->signals.find(name), time, Side::right)};
  if (open)
    for (auto& [name, volume] : d.volumes) volume.pressure = {true, 0};
  return compile(d);
}

/// The maximum change of a pressure over a second from a state, relative to the pressure.
double drift(const std::shared_ptr<const CompiledModel>& model, const StateVector& from, std::string* where = nullptr) {
  Runner run(model, from);
  double most = 0;
  for (int k = 1; k <= 10; ++k) {
    run.advance(0.1 * k);
    for (std::size_t i = 0; i < model->hydraulics.volumes.size(); ++i)
      if (const double change = std::abs(run.state().y()[i] / from.y()[i] - 1); !(change <= most)) {
        most = change;
        if (where != nullptr) *where = model->state_names[i];
      }
  }
  return most;
}

// ---------------------------------------------------------------- closed forms

TEST(Steady, APumpAgainstItsReliefAndABleed) {
  const auto model = model_from(std::string(kFluid) + R"(
volumes: {line: {volume: 1 L, pressure: 5 bar}, free: {volume: 1 mL}}
sources: {tank: {pressure: 1 bar}, pump: {flow: 60 L/min, to: line}}
valves:
  relief: {relief: {A: line, B: tank, cracking_pressure: 200 bar, gradient: 2 L/min/bar}}
  bleed: {orifice: {A: line, B: free, flow: 10 L/min, at_pressure_drop: 100 bar}}
  rest: {orifice: {A: free, B: tank, flow: 10 L/min, at_pressure_drop: 100 bar}}
)");
  const SteadyOperation s = solve_steady(model);
  const double p = value(*model, s.state, "line.pressure");
  EXPECT_NEAR(value(*model, s.state, "free.pressure"), (p + kTank) / 2, 1e-6 * p);
  const double drop = (p - kTank) / 2,
               flow = 10 * kLitrePerMinute * std::sqrt(drop / 100e5) + 2 * kLitrePerMinute * (p - kTank - 200e5) / 1e5;
  EXPECT_NEAR(flow, 60 * kLitrePerMinute, 1e-9 * flow);
  EXPECT_TRUE(s.open.empty());
  EXPECT_TRUE(s.growing.empty());
  EXPECT_LT(s.growth, -1);
}

std::shared_ptr<const CompiledModel> controlled_arm(const std::string& control) {
  return model_from(R"(
trunnion: 1
bodies: {arm: {rod: {length: 2 m, mass: 10 kg}}}
joints: {arm: {revolute: {parent: ground, axis: [0, -1, 0]}, angle: 20 deg}}
springs: {b: {joint: arm, stiffness: 300, damping: 20, rest: 0}}
forces: {motor: {joint: arm, load: 1 N m, signal: torque}}
solver: {step: 1 ms, duration: 1 s}
control: {)" + control +
                    "}\n");
}

/// Where the same blocks rest continuously; a run from there stays, samples or not.
TEST(Steady, SampledBlocksRestWhereContinuousOnesDo) {
  for (const auto& [control, rests] : std::vector<std::pair<std::string, double>>{
           {"torque: {expression: 400 * (0.5 - arm.angle)@}", 0},
           {"torque: {low_pass: {input: error, time_constant: 50 ms}@}, error: {expression: 400 * (0.5 - arm.angle)@}", 0},
           {"torque: {pid: {setpoint: 0.5, measurement: arm.angle, gain: 100, integral_time: 1 s}@}", 0.5},
           {"torque: {pid: {setpoint: 0.5, measurement: seen, gain: 100, integral_time: 1 s, derivative_time: 0.1 s}@}, "
            "seen: {sensor: {input: arm.angle, time_constant: 5 ms}@}",
            0.5}}) {
    for (const char* sampling : {"", ", period: 10 ms", ", period: 7 ms, offset: 2 ms, latency: 3 ms, jitter: 1 ms"}) {
      std::string text = control;
      for (std::size_t at; (at = text.find('@')) != std::string::npos;) text.replace(at, 1, sampling);
      const auto model = controlled_arm(text);
      const SteadyOperation s = solve_steady(model);
      EXPECT_TRUE(s.open.empty()) << text;
      EXPECT_TRUE(s.holds);
      EXPECT_EQ(s.continuous, *sampling != '\0');
      const double angle = s.state.q()[0];
      if (rests == 0)
        EXPECT_NEAR(400 * (0.5 - angle), 300 * angle + 98.1 * std::cos(angle), 1e-6) << text;
      else
        EXPECT_NEAR(angle, rests, 1e-9) << text;
      Runner run(model, steady_state(model));
      run.advance(0.5);
      EXPECT_NEAR(run.state().q()[0], angle, 1e-9) << text;
    }
  }
}

/// A value that rests at 0 as a difference of large ones, in both kinds of coordinates.
TEST(Steady, SampledErrorsOfPressuresRestAtZero) {
  for (const char* coordinates : {"relative", "cartesian"})
    for (const char* sampling : {"", ", period: 5 ms"}) {
      std::string text = std::string(kFluid) + R"(
bodies: {load: {point_mass: {mass: 100 kg}}}
joints: {load: {prismatic: {parent: ground, axis: y}, position: 0.3 m}}
volumes: {line: {volume: 1 L, pressure: 50 bar}}
sources: {tank: {pressure: 1 bar}, pump: {pressure: 200 bar}}
valves:
  inlet: {orifice: {A: pump, B: line, flow: 20 L/min, at_pressure_drop: 10 bar}, signal: opening}
  bleed: {orifice: {A: line, B: tank, flow: 5 L/min, at_pressure_drop: 10 bar}}
springs: {rest: {joint: load, stiffness: 1e5, damping: 1e3, rest: 0.3 m}}
control:
  opening: {pid: {setpoint: 0, measurement: filtered, gain: 1e-8, integral_time: 0.1 s, start: 0.2, min: 0, max: 1}@}
  filtered: {low_pass: {input: error, time_constant: 20 ms}@}
  error: {expression: line.pressure - 9123456@}
solver: {step: 1 ms, duration: 1 s, coordinates: )" +
                         std::string(coordinates) + "}\n";
      for (std::size_t at; (at = text.find('@')) != std::string::npos;) text.replace(at, 1, sampling);
      const auto model = model_from(text);
      const SteadyOperation s = solve_steady(model);
      EXPECT_TRUE(s.holds) << coordinates << sampling;
      EXPECT_TRUE(s.open.empty());
      const StateVector state = steady_state(model);
      EXPECT_NEAR(value(*model, state, "line.pressure"), 9123456, 1e-3);
      EXPECT_LT(drift(model, state), 1e-9) << coordinates << sampling;
      EXPECT_NEAR(s.state.q()[0], 0.3, 1e-9);
    }
}

/// Integral parts that a sample would move on are no rest, however large the pressures that they read.
TEST(Steady, SampledIntegralsThatRunAwayAreNoRest) {
  for (const char* gain : {"1e-6", "1e-9", "1e-12"})
    for (const char* opening :
         {"{integrator: {input: line.pressure, gain: GAIN, start: 0.2}, period: 5 ms}",
          "{pid: {setpoint: 3e7, measurement: line.pressure, gain: GAIN, integral_time: 1 s, start: 0.2}, period: 5 ms}"}) {
      std::string control = opening;
      control.replace(control.find("GAIN"), 4, gain);
      const SteadyOperation s = solve_steady(model_from(std::string(kFluid) + R"(
volumes: {line: {volume: 1 L, pressure: 50 bar}}
sources: {tank: {pressure: 1 bar}, pump: {pressure: 100 bar}}
valves:
  inlet: {orifice: {A: pump, B: line, flow: 20 L/min, at_pressure_drop: 10 bar}, signal: opening}
  bleed: {orifice: {A: line, B: tank, flow: 5 L/min, at_pressure_drop: 10 bar}}
control: {opening: )" + control + "}\n"));
      EXPECT_FALSE(s.holds) << control;
      ASSERT_EQ(s.open.size(), 1U) << control;
      EXPECT_EQ(s.open[0].states, std::vector<std::string>{"opening.output"});
      EXPECT_NE(s.open[0].why.find("continuous: simulation failed"), std::string::npos) << s.open[0].why;
    }
}

/// Values that only samples change and modes are held: where they would change the machine does not stay, and they are named.
TEST(Steady, HeldBlocksThatWouldChangeAreNamed) {
  const auto arm = [](const std::string& control) { return solve_steady(controlled_arm("torque: " + control)); };
  for (const char* held : {"{quantiser: {input: turn, step: 0.1}, period: 10 ms}, turn: {expression: 400 * (0.5 - arm.angle)}",
                           "{integrator: {input: 1}, period: 10 ms}"}) {
    const SteadyOperation s = arm(held);
    ASSERT_EQ(s.open.size(), 1U) << held;
    EXPECT_EQ(s.open[0].states, std::vector<std::string>{"torque.output"});
    EXPECT_FALSE(s.holds);
  }
  EXPECT_TRUE(arm("{saturation: {input: 50, max: 60}, period: 10 ms}").open.empty());
  // off below 0.5 rad: 300 angle + 98.1 cos(angle) is 223 at 0.45 rad, 260 at 0.6 rad
  EXPECT_TRUE(arm("{relay: {input: arm.angle, on: 0.5, off: 0.4, value_on: 0, value_off: 223}}").open.empty());
  const std::string switching = "torque: {relay: {input: arm.angle, on: 0.5, off: 0.4, value_on: 0, value_off: 260}}";
  std::vector<std::string> warnings;
  (void)steady_state(controlled_arm(switching), &warnings);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_TRUE(warnings[0].starts_with("torque.mode: ")) << warnings[0];
  const SteadyOperation relay = solve_steady(controlled_arm(switching));
  ASSERT_EQ(relay.open.size(), 1U);
  EXPECT_EQ(relay.open[0].states, std::vector<std::string>{"torque.mode"});
}

/// A controller with an integral part behind a sensor with a resolution rests at its set point, within a step of the sensor.
TEST(Steady, QuantisersRestAtTheirInputs) {
  for (const char* seen :
       {"{sensor: {input: arm.angle, resolution: 1e-3}, period: 5 ms}", "{quantiser: {input: arm.angle, step: 1e-3}, period: 5 ms}"}) {
    const auto model = controlled_arm(
        "torque: {pid: {setpoint: 0.5004, measurement: seen, gain: 100, integral_time: 1 s}, period: 10 ms}, seen: " + std::string(seen));
    const SteadyOperation s = solve_steady(model);
    EXPECT_NEAR(s.state.q()[0], 0.5004, 1e-9) << seen;
    EXPECT_FALSE(s.holds);
    Runner run(model, steady_state(model));
    run.advance(1);
    EXPECT_NEAR(run.state().q()[0], 0.5004, 2e-3) << seen;
  }
}

/// A speed on which nothing depends grows for ever under a force: no steady operation, down to 1e-6 m/s^2.
TEST(Steady, WhatSpeedsUpForEverHasNone) {
  const auto sliding = [](double mass, double load, double damping) {
    return model_from(fmt::format(R"(
trunnion: 1
parameters: {{m: {0}}}
gravity: [0, 0, 0]
bodies: {{slide: {{box: {{size: [0.4 m, 0.3 m, 0.3 m], mass: $(m)}}}}, still: {{box: {{size: [0.4 m, 0.3 m, 0.3 m], mass: $(m)}}}}}}
joints: {{slide: {{prismatic: {{parent: ground, axis: x}}}}, still: {{prismatic: {{parent: ground, axis: x}}}}}}
springs: {{hold: {{joint: still, stiffness: $(10 * m), damping: $(m)}}, drag: {{joint: slide, damping: {2}}}}}
forces: {{push: {{joint: slide, load: {1}}}}}
)",
                                  mass, load, damping));
  };
  for (const double mass : {1e-3, 1.0, 1e3}) {
    for (const double acceleration : {1e-6, 1.0, 1e3}) {
      EXPECT_THROW(solve_steady(sliding(mass, acceleration * mass, 0)), SimulationError) << mass << ' ' << acceleration;
      const SteadyOperation damped = solve_steady(sliding(mass, acceleration * mass, 2 * mass));
      EXPECT_NEAR(damped.state.v()[0], acceleration / 2, 1e-9 * acceleration) << mass;
    }
    EXPECT_NO_THROW(solve_steady(sliding(mass, 0, 0))) << mass;  // free, but not pushed
  }
}

/// The same of two bodies with a spring between them, however stiff: their momentum grows.
TEST(Steady, WhatSpeedsUpTogetherHasNone) {
  const auto coupled = [](double mass, double stiffness, double load) {
    return model_from(fmt::format(R"(
trunnion: 1
parameters: {{m: {0}}}
gravity: [0, 0, 0]
bodies: {{a: {{box: {{size: [0.4 m, 0.3 m, 0.3 m], mass: $(m)}}}}, b: {{box: {{size: [0.4 m, 0.3 m, 0.3 m], mass: $(3 * m)}}}}}}
joints: {{a: {{prismatic: {{parent: ground, axis: x}}}}, b: {{prismatic: {{parent: a, axis: x}}}}}}
springs: {{shaft: {{joint: b, stiffness: {1}, damping: $(100 * m)}}}}
forces: {{push: {{joint: a, load: {2}}}}}
)",
                                  mass, stiffness, load));
  };
  for (const double mass : {1e-3, 1.0, 1e3})
    for (const double stiffness : {1e2, 1e6, 1e8}) {
      for (const double acceleration : {1e-3, 1.0, 1e3})
        EXPECT_THROW(solve_steady(coupled(mass, stiffness * mass, acceleration * mass)), SimulationError)
            << mass << ' ' << stiffness << ' ' << acceleration;
      EXPECT_NO_THROW(solve_steady(coupled(mass, stiffness * mass, 0))) << mass << ' ' << stiffness;
    }
}

/// Engine and pump through an orifice: M_e = (w_set - w) M_full/droop equals D dp, and Q = D w the orifice flow.
TEST(Steady, AnEngineDroopsUnderItsPump) {
  const auto model = model_from(std::string(kFluid) + R"(
volumes: {line: {volume: 1 L}}
sources: {tank: {pressure: 1 bar}}
pumps: {p: {S: tank, P: line, displacement: 50 cm^3/rev, speed: 1500 rpm, prime_mover: {inertia: 1, torque: 300 N m, droop: 100 rpm}}}
valves: {hole: {orifice: {A: line, B: tank, flow: 60 L/min, at_pressure_drop: 100 bar}}}
)");
  const SteadyOperation s = solve_steady(model);
  const double D = 50e-6 / kRevolution, w = value(*model, s.state, "p.speed"), dp = value(*model, s.state, "line.pressure") - kTank;
  const double w_set = 1500 * kRevolution / 60, droop = 100 * kRevolution / 60;
  EXPECT_NEAR((w_set - w) * 300 / droop, D * dp, 1e-7 * D * dp);
  EXPECT_NEAR(D * w, 60 * kLitrePerMinute * std::sqrt(dp / 100e5), 1e-9 * D * w);
  EXPECT_LT(w, w_set - 0.2 * droop);
}

/// A pump that keeps 20 bar over a metering orifice, whose load is a relief valve downstream.
std::shared_ptr<const CompiledModel> load_sensing(double opening, const char* step = "1 ms") {
  return model_from(std::string(kFluid) + R"(
volumes: {line: {volume: 1 L}, load: {volume: 1 L}}
sources: {tank: {pressure: 1 bar}}
pumps: {p: {S: tank, P: line, displacement: 100 cm^3/rev, speed: 1500 rpm, control: {load_sensing: {LS: load, margin: 20 bar}, band: 4 bar}}}
valves:
  meter: {orifice: {A: line, B: load, flow: 90 L/min, at_pressure_drop: 18 bar}, signal: u}
  bleed: {orifice: {A: load, B: tank, flow: 1 L/min, at_pressure_drop: 100 bar}}
  leak: {orifice: {A: line, B: tank, flow: 1 L/min, at_pressure_drop: 100 bar}}
  back: {relief: {A: load, B: tank, cracking_pressure: 120 bar, gradient: 10 L/min/bar}}
signals: {u: )" + std::to_string(opening) +
                    "}\nsolver: {step: " + step + ", duration: 1 s}\n");
}

/// e = (p_LS + margin - p)/band.
TEST(Steady, ALoadSensingPumpDeliversWhatItsMeteringHolePasses) {
  for (double u : {0.0, 0.3, 1.0}) {
    const auto model = load_sensing(u);
    const SteadyOperation s = solve_steady(model);
    const double p = value(*model, s.state, "line.pressure"), p_L = value(*model, s.state, "load.pressure");
    const double e = value(*model, s.state, "p.fraction"), leak = kLitrePerMinute * std::sqrt((p - kTank) / 100e5);
    EXPECT_NEAR(e, (p_L + 20e5 - p) / 4e5, 1e-9) << u;
    EXPECT_NEAR(e * 100e-6 * 25, u * 90 * kLitrePerMinute * std::sqrt((p - p_L) / 18e5) + leak, 1e-9 * 100e-6 * 25) << u;
    if (u == 0)
      EXPECT_NEAR(p_L, kTank, 1);  // standby
    else
      EXPECT_GT(p_L, 121e5);
  }
}

/// (p_edge - p_load - p_set)/range = s closes the compensator until C (1 - s) f equals the flow of the metering edge.
TEST(Steady, ACompensatedFlowHardlyFeelsItsLoad) {
  double flow[2];
  for (int k : {0, 1}) {
    const auto model = model_from(std::string(kFluid) + R"(
volumes: {edge: {volume: 10 mL}, load: {volume: 1 L}}
sources: {supply: {pressure: 200 bar}, tank: {pressure: 1 bar}}
valves:
  compensator: {compensator: {kind: pre, A: supply, B: edge, LS: load, setting: 8 bar, range: 2 bar, flow: 100 L/min, at_pressure_drop: 10 bar}}
  meter: {orifice: {A: edge, B: load, flow: 40 L/min, at_pressure_drop: 10 bar}}
  back: {relief: {A: load, B: tank, cracking_pressure: )" +
                                  std::string(k == 0 ? "50" : "150") + " bar, gradient: 20 L/min/bar}}\n");
    const SteadyOperation s = solve_steady(model);
    const double edge = value(*model, s.state, "edge.pressure"), load = value(*model, s.state, "load.pressure");
    const double spool = (edge - load - 8e5) / 2e5;
    flow[k] = 40 * kLitrePerMinute * std::sqrt((edge - load) / 10e5);
    EXPECT_NEAR(100 * kLitrePerMinute * (1 - spool) * std::sqrt((200e5 - edge) / 10e5), flow[k], 1e-6 * flow[k]);
    EXPECT_NEAR(20 * kLitrePerMinute * (load - kTank - (k == 0 ? 50e5 : 150e5)) / 1e5, flow[k], 1e-6 * flow[k]);
  }
  EXPECT_NEAR(flow[1] / flow[0], 1, 0.02);
}

/// Pump, motor and a shaft with drag: D_p w_p = D_m w and D_m dp = c w.
TEST(Steady, AHydrostaticDriveTurnsAtItsSpeed) {
  const auto model = model_from(std::string(kFluid) + R"(
gravity: [0, 0, 0]
bodies: {shaft: {mass: 10 kg, inertia: [1, 1, 1]}}
joints: {shaft: {revolute: {parent: ground, axis: z}}}
springs: {drag: {joint: shaft, stiffness: 0, damping: 3 N m s/rad}}
volumes: {a: {volume: 1 L}, b: {volume: 1 L}}
sources: {tank: {pressure: 10 bar}}
pumps: {p: {S: b, P: a, displacement: 20 cm^3/rev, speed: 1500 rpm}}
motors: {m: {joint: shaft, A: a, B: b, displacement: 100 cm^3/rev, volume: 0.1 L}}
valves: {charge: {check: {A: tank, B: b, flow: 60 L/min, at_pressure_drop: 3 bar}}, bleed: {resistance: {A: b, B: tank, flow: 1 L/min, at_pressure_drop: 10 bar}}}
)");
  const SteadyOperation s = solve_steady(model);
  const double w = 1500 * kRevolution / 60 * 20 / 100;
  EXPECT_NEAR(rate(*model, s.state, "shaft.rate"), w, 1e-9 * w);
  EXPECT_NEAR((value(*model, s.state, "a.pressure") - value(*model, s.state, "b.pressure")) * 100e-6 / kRevolution, 3 * w, 1e-7 * w);
  EXPECT_NEAR(value(*model, s.state, "b.pressure"), 10e5, 1);
  EXPECT_EQ(s.turning, std::vector<int>{0});
  EXPECT_NEAR(s.movement[0], 0, 1e-15);
}

/// A free shaft keeps its speed; one with a spring is at rest; one with an offset arm comes to rest below.
TEST(Steady, WhatAnythingDependsOnRests) {
  const auto model = model_from(R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {free: {mass: 1 kg, inertia: [1, 1, 1]}, sprung: {mass: 1 kg, inertia: [1, 1, 1]}, arm: {rod: {length: 1 m, mass: 2 kg}}}
joints:
  free: {revolute: {parent: ground, axis: z}, angle: 10 deg, rate: 3}
  sprung: {revolute: {parent: ground, axis: z}, angle: 10 deg, rate: 3}
  arm: {revolute: {parent: ground, axis: z}, angle: 0}
springs: {s: {joint: sprung, stiffness: 10 N m/rad, rest: 0 deg}, d: {joint: arm, stiffness: 0, damping: 1 N m s/rad}}
)");
  const SteadyOperation s = solve_steady(model);
  EXPECT_EQ(rate(*model, s.state, "free.rate"), 3);
  EXPECT_EQ(rate(*model, s.state, "sprung.rate"), 0);
  EXPECT_EQ(s.turning.size(), 1U);
  EXPECT_NEAR(s.movement[1], -std::numbers::pi / 18, 1e-9);
  EXPECT_NEAR(s.movement[2], -std::numbers::pi / 2, 1e-9);
  ASSERT_EQ(s.open.size(), 1U);
  EXPECT_EQ(s.open[0].states, std::vector<std::string>{"free.rate"});
}

/// A weight on a spring and a cylinder, with the pressure of a pump over an orifice: 2 m g lift it by a tenth of its length. Any mass and
/// size.
TEST(Steady, DoesNotDependOnTheSizeOfTheMachine) {
  for (double mass : {1e-3, 1.0, 1e3})
    for (double length : {0.01, 1.0, 10.0}) {
      const double area = 2 * mass * 9.81 / 100e5, stiffness = 10 * mass * 9.81 / length, flow = area * length;
      const auto model = model_from(fmt::format(
          "{}gravity: [0, 0, -9.81]\nbodies: {{w: {{point_mass: {{mass: {}}}}}, far: {{point_mass: {{mass: {}, at: [{}, 0, 0]}}}}}}\n"
          "joints: {{w: {{prismatic: {{parent: ground, axis: z}}, position: {} m}}, far: {{fixed: {{parent: ground}}}}}}\n"
          "springs: {{s: {{joint: w, stiffness: {} N/m, damping: {} N s/m, rest: {} m}}}}\n"
          "volumes: {{a: {{volume: {} m^3}}}}\nsources: {{tank: {{pressure: 0 bar}}, pump: {{flow: {} m^3/s, to: a}}}}\n"
          "valves: {{hole: {{orifice: {{A: a, B: tank, flow: {} m^3/s, at_pressure_drop: 100 bar}}}}}}\n"
          "cylinders: {{c: {{base: {{body: ground}}, rod_end: {{body: w}}, A: a, B: tank, area_A: {} m^2, area_B: {} m^2, "
          "chamber_length_A: {} m, "
          "chamber_length_B: {} m}}}}\n",
          kFluid, mass, mass, length, length, stiffness, 0.1 * std::sqrt(stiffness * mass), length, flow, flow, flow, area, area / 2,
          length, length));
      const SteadyOperation s = solve_steady(model);
      EXPECT_NEAR(s.movement[0], 0.1 * length, 1e-6 * length) << mass << " kg, " << length << " m";
      EXPECT_TRUE(s.open.empty() && s.growing.empty()) << mass << " kg, " << length << " m";
    }
}

/// A coordinate with a prescribed motion is named, and its friction counts, unless nothing depends on it.
TEST(Steady, WhatAMotionMovesHoldsAtAnInstantOnly) {
  const auto driven = [](const char* gravity) {
    return model_from(std::string(kFluid) + "gravity: " + gravity + R"(
bodies: {arm: {rod: {length: 1 m, mass: 10 kg}}}
joints: {arm: {revolute: {parent: ground, axis: z}, angle: 0}}
motions: {m: {joint: arm, signal: angle}}
volumes: {a: {volume: 1 L, pressure: 10 bar}}
sources: {tank: {pressure: 10 bar}}
valves: {hole: {orifice: {A: a, B: tank, diameter: 5 mm}}}
motors: {m: {joint: arm, A: a, B: tank, displacement: 100 cm^3/rev, volume: 0.1 L,
  friction: {model: lugre, coulomb: 30 N m, static: 50 N m, stribeck_velocity: 0.05 rad/s, viscous: 1 N m s/rad, bristle_stiffness: 4000, bristle_damping: 20}}}
signals: {angle: {ramps: [[0, 0], [10, 20]]}}
)");
  };
  const auto model = driven("[0, -9.81, 0]");
  const SteadyOperation s = solve_steady(model);
  ASSERT_FALSE(s.open.empty());
  EXPECT_EQ(s.open[0].states, std::vector<std::string>{"arm.angle"});
  EXPECT_NEAR(value(*model, s.state, "m.bristle"), 30.0 / 4000, 0.1 * 30 / 4000);
}

/// Each of two volumes opens the other's outlet: the one that is high first stays high. From equal pressures neither wins.
TEST(Steady, OtherSolutionsAreNamed) {
  const auto latch = [](const char* first, const char* second) {
    return model_from(std::string(kFluid) + R"(
volumes: {a: {volume: 1 L}, b: {volume: 0.1 L, pressure: )" +
                      first + R"(}, c: {volume: 0.1 L, pressure: )" + second + R"(}}
sources: {tank: {pressure: 1 bar}, pump: {flow: 30 L/min, to: a}}
valves:
  relief: {relief: {A: a, B: tank, cracking_pressure: 100 bar, flow: 30 L/min, override: 2 bar}}
  to_b: {orifice: {A: a, B: b, diameter: 0.5 mm}}
  to_c: {orifice: {A: a, B: c, diameter: 0.5 mm}}
  empties_b: {pilot_check: {A: tank, B: b, X: c, diameter: 5 mm}}
  empties_c: {pilot_check: {A: tank, B: c, X: b, diameter: 5 mm}}
)");
  };
  for (const bool swapped : {false, true}) {
    const auto model = swapped ? latch("1 bar", "50 bar") : latch("50 bar", "1 bar");
    SteadyOperation s = solve_steady(model);
    const char *high = swapped ? "c.pressure" : "b.pressure", *low = swapped ? "b.pressure" : "c.pressure";
    EXPECT_GT(value(*model, s.state, high), 90e5);
    EXPECT_LT(value(*model, s.state, low), 5e5);
    find_other_steady(model, s);
    ASSERT_EQ(s.others.size(), 1);
    ASSERT_EQ(s.others[0].states.size(), 2);
    EXPECT_EQ(s.others[0].states[0].first, "b.pressure");
    EXPECT_NEAR(s.others[0].states[0].second, value(*model, s.state, "c.pressure"), 1e-3 * 100e5);
    EXPECT_NE(steady_text(model, s).find("another solution       b.pressure"), std::string::npos) << steady_text(model, s);
  }
  auto model = load_example("excavator");
  SteadyOperation one = solve_steady(model);
  find_other_steady(model, one);
  EXPECT_TRUE(one.others.empty());
}

/// States without pressures to follow from: flow in lines, bristles, rates of shafts.
TEST(Steady, TheModelWithItsStartValuesStartsInIt) {
  const auto model = model_from(std::string(kFluid) + R"(
bodies: {drum: {mass: 10, center_of_mass: [0, 0, 0], inertia: [0.5, 0.5, 0.5]}}
joints: {drum: {revolute: {parent: ground, axis: z}, angle: 0}}
volumes: {a: {volume: 1 L}, b: {volume: 1 L}}
sources: {tank: {pressure: 1 bar}, pump: {flow: 30 L/min, to: a}}
lines: {hose: {A: a, B: b, length: 10 m, diameter: 12 mm, segments: 3}, back: {A: b, B: tank, length: 4 m, diameter: 6 mm}}
motors: {m: {joint: drum, A: b, B: tank, displacement: 100 cm^3/rev, volume: 0.1 L,
  friction: {model: lugre, coulomb: 30 N m, static: 50 N m, stribeck_velocity: 0.05 rad/s, viscous: 1 N m s/rad, bristle_stiffness: 4000, bristle_damping: 20}}}
)");
  const SteadyOperation s = solve_steady(model);
  const auto again = compile(description_at(*model, s.state, s.turning));
  const StateVector start = start_state(*again);
  for (int i = 0; i < model->layout.ny; ++i)
    EXPECT_NEAR(start.y()[i], s.state.y()[i], 1e-12 * std::abs(s.state.y()[i])) << model->state_names[i];
  EXPECT_GT(value(*again, start, "hose.2.flow_state"), 29 * kLitrePerMinute);
  EXPECT_GT(value(*again, start, "m.bristle"), 0.9 * 30 / 4000);
  EXPECT_LT(drift(again, start), 1e-6);
  // at rest, lines have no flow and friction no force
  const Equilibrium rest = solve_equilibrium(*compile([&] {
    Description d = again->description;
    std::erase_if(d.sources, [](const auto& source) { return source.first == "pump"; });
    for (auto& [name, volume] : d.volumes) volume.pressure = {true, 0};
    return d;
  }()));
  EXPECT_EQ(value(*again, rest.state, "hose.2.flow_state"), 0);
  EXPECT_EQ(value(*again, rest.state, "m.bristle"), 0);
}

// ---------------------------------------------------------------- rejections

TEST(Steady, APumpWithoutAWayBackIsRefusedByName) {
  const auto model = model_from(std::string(kFluid) + R"(
volumes: {line: {volume: 1 L}, other: {volume: 1 L}}
sources: {pump: {flow: 60 L/min, to: line}, tank: {pressure: 1 bar}}
valves: {hole: {orifice: {A: other, B: tank, diameter: 1 mm}}}
)");
  try {
    solve_steady(model);
    FAIL() << "there is none";
  } catch (const SimulationError& error) {
    EXPECT_EQ(error.equations(), "line.pressure");
    EXPECT_NE(std::string(error.what()).find("no steady operation"), std::string::npos) << error.what();
  }
}

/// A relief valve with a poppet that oscillates on its small volume: steady, but unstable.
TEST(Steady, ASteadyStateThatTheMachineWouldLeaveIsCalledUnstable) {
  const auto ring = [](const char* damping) {
    return model_from(std::string(kFluid) + R"(
volumes: {line: {volume: 20 mL}}
sources: {tank: {pressure: 1 bar}, pump: {flow: 10 L/min, to: line}}
valves: {relief: {relief: {A: line, B: tank, cracking_pressure: 100 bar, flow: 20 L/min, override: 2 bar, frequency: 100 Hz, damping: )" +
                      std::string(damping) + "}}}\n");
  };
  const auto model = ring("0.05");
  const SteadyOperation s = solve_steady(model);
  EXPECT_NEAR(value(*model, s.state, "relief.spool"), 0.5, 0.02);
  EXPECT_GT(s.growth, 1);
  EXPECT_TRUE(std::any_of(s.growing.begin(), s.growing.end(), [](const std::string& name) { return name.starts_with("relief."); }));
  EXPECT_GT(drift(model,
                  [&] {
                    StateVector off = steady_state(model);
                    off.y()[0] *= 1.001;
                    return off;
                  }()),
            0.01);
  EXPECT_LT(solve_steady(ring("20")).growth, 0);
}

// ---------------------------------------------------------------- held

TEST(Steady, ExamplesStandStillInIt) {
  for (const char* name : {"arm_lumped", "articulated_loader", "crane_double", "excavator", "excavator_lumped", "forwarder_crane",
                           "four_bar_lift", "four_bar_linear", "lever", "quick_return", "slewing_crane"})
    for (bool open : {false, true}) {
      const auto model = frozen(load_example(name), 0, open);
      std::string where;
      EXPECT_LT(drift(model, steady_state(model), &where), 1e-6) << name << (open ? ", pressures left out: " : ": ") << where;
    }
}

/// No volumes: coordinates and the elements' pistons must be at rest, in the differential and in the discrete form, which are the same
/// machine.
TEST(Steady, QuasistaticCircuitsStandStillInIt) {
  for (const char* name : {"arm_quasistatic", "excavator_quasistatic"}) {
    std::vector<double> places;
    for (const char* form : {"differential", "discrete"}) {
      Description d = load_example(name)->description;
      for (auto& [circuit, q] : d.quasistatic)
        q.form = std::string(form) == "discrete" ? VirtualElementForm::discrete : VirtualElementForm::differential;
      const auto model = frozen(compile(d), 0, false);
      const StateVector steady = steady_state(model);
      Runner run(model, steady);
      run.advance(1);
      for (int i = 0; i < model->layout.nq; ++i) {
        EXPECT_NEAR(run.state().q()[i], steady.q()[i], 1e-9) << name << ' ' << form << ' ' << i;
        if (std::string(form) == "differential") places.push_back(steady.q()[i]);
        EXPECT_NEAR(steady.q()[i], places[static_cast<std::size_t>(i)], 1e-12) << name;
      }
      for (int i = 0; i < model->layout.ny; ++i)
        EXPECT_NEAR(run.state().y()[i], steady.y()[i], 1e-6 * std::max(1.0, std::abs(steady.y()[i])))
            << name << ' ' << model->state_names[i];
    }
  }
}

/// Their pressures given, and omitted; also with the drive at full speed.
TEST(Steady, ModelsOfNewcomersNeedNoStatedPressures) {
  for (const auto& [name, time] :
       {std::pair{"scissor_lift", 0.0}, {"knuckle_boom_loader", 0.0}, {"hydrostatic_drive", 0.0}, {"hydrostatic_drive", 5.0}})
    for (bool open : {false, true}) {
      const auto model =
          frozen(compile(load_model(std::string(TRUNNION_SOURCE_DIR) + "/tests/data/steady/" + name + ".yaml", {})), time, open);
      std::string where;
      const StateVector steady = steady_state(model);
      EXPECT_LT(drift(model, steady, &where), 1e-6) << name << (open ? ", pressures left out: " : ": ") << where;
      if (time == 5.0) EXPECT_NEAR(rate(*model, steady, "chassis.speed"), 4.4127964, 1e-6);  // final state of a run from standstill
    }
}

/// A start that is not steady fails.
TEST(Steady, TheTestOfStandingStillFindsAStartThatIsNot) {
  const auto model = frozen(load_example("excavator"), 0, false);
  EXPECT_GT(drift(model, start_of(model, StartKind::given)), 1e-3);
  const auto moving = load_example("excavator", {"solver.duration=1"});
  EXPECT_GT(drift(moving, steady_state(moving)), 1e-3);  // its commands continue
}

TEST(Steady, CartesianCoordinatesStartAtTheSameState) {
  const auto relative = frozen(load_example("lever"), 0, true),
             cartesian = frozen(load_example("lever", {"solver.coordinates=cartesian"}), 0, true);
  const StateVector a = steady_state(relative), b = steady_state(cartesian);
  for (std::size_t i = 0; i < relative->hydraulics.volumes.size(); ++i) EXPECT_NEAR(a.y()[i], b.y()[i], 1e-6 * a.y()[i]);
  EXPECT_LT(drift(cartesian, b), 1e-6);
}

// ---------------------------------------------------------------- linear models

/// The response of A to a small pressure perturbation of the steady state equals that of a run.
TEST(Steady, LinearModelsAboutItAreDifferencesOfRuns) {
  const double push = 100, T = 0.01;  // [Pa], [s]
  constexpr int kSteps = 20000;       // of the midpoint rule
  for (const auto& model : {load_sensing(0.3, "0.02 ms"), frozen(load_example("excavator", {"solver.step=0.05 ms"}), 0, false)}) {
    const StateVector at = steady_state(model);
    const LinearModel linear = linearise(model, at);
    EXPECT_LT(linear.drift.lpNorm<Eigen::Infinity>(), 1) << model->title;  // [Pa/s] of 1e6 Pa
    const Eigen::MatrixXd I = Eigen::MatrixXd::Identity(linear.A.rows(), linear.A.cols()), half = T / kSteps / 2 * linear.A;
    const Eigen::MatrixXd G = test::solve(Eigen::MatrixXd(I - half), Eigen::MatrixXd(I + half));
    StateVector pushed = at;
    pushed.y()[0] += push;
    Runner run(model, pushed), still(model, at);
    run.advance(T);
    still.advance(T);
    Eigen::VectorXd x = linear_state(*model, linear, at, pushed);
    for (int k = 0; k < kSteps; ++k) x = (G * x).eval();
    const Eigen::VectorXd found = linear_state(*model, linear, still.state(), run.state());
    const auto first = static_cast<Eigen::Index>(2 * linear.independent.size() + linear.velocity_dependent.size());
    for (Eigen::Index k = 0; k < static_cast<Eigen::Index>(model->hydraulics.volumes.size()); ++k)
      EXPECT_NEAR(found[first + k], x[first + k], 0.01 * push) << model->title << " " << linear.states[first + k].name;
    EXPECT_GT(x.cwiseAbs().maxCoeff(), 0.05 * push);
  }
}

}  // namespace
}  // namespace trunnion
