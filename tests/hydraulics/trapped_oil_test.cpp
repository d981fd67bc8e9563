// Small machines with closed-form solutions of the oil, run with the step: trapped oil, steady flow, leakage, dead head.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "model/machines.h"

namespace trunnion {
namespace {

using test::coordinate;
using test::machine;
using test::MachineRun;
using test::pressure;
using test::rate;
using test::run;

/// A slider of 1000 kg on a horizontal cylinder, both valves closed. A: 50 cm2, B: 40 cm2, 1 L hoses, bulk modulus 1.5 GPa.
std::string trapped(const std::string& start_A, const std::string& rest) {
  return R"(
bodies: {mass: {point_mass: {mass: 1000}}}
joints: {mass: {prismatic: {parent: ground, axis: x}, position: 1 m}}
volumes:
  a: {hose: {volume: 1 L}, pressure: )" +
         start_A + R"(}
  b: {hose: {volume: 1 L}, pressure: 5 MPa}
cylinders: {c: {base: {body: ground}, rod_end: {body: mass}, A: a, B: b, area_A: 50 cm^2, area_B: 40 cm^2, chamber_length_A: 0.4, chamber_length_B: 0.6}}
)" + rest;
}

constexpr double kArea_A = 50e-4, kArea_B = 40e-4, kModulus = 1.5e9, kMass = 1000, kVolume_A = 1e-3 + kArea_A * 0.4,
                 kVolume_B = 1e-3 + kArea_B * 0.6;

TEST(TrappedOil, CarriesAMassAsASpring) {
  const double stiffness = kModulus * (kArea_A * kArea_A / kVolume_A + kArea_B * kArea_B / kVolume_B), step = 1e-4;
  // 0.5 kPa above balance: the amplitude is 2.5 N / k, 1e-7 m, so that the spring is linear to 1e-6
  const auto model = machine(trapped("4.0005 MPa", "solver: {step: 0.1 ms, tolerance_position: 1e-13, tolerance_pressure: 1e-6}"));
  const double amplitude = 500 * kArea_A / stiffness;
  // the trapezoidal rule keeps the amplitude and lengthens the period: tan(w' h / 2) = w h / 2
  const double w = std::sqrt(stiffness / kMass), slowed = 2 / step * std::atan(w * step / 2);
  EXPECT_NEAR(slowed / w, 1, 1e-4);  // by (w h)^2 / 12
  MachineRun r(model);
  for (int i = 1; i <= 1000; ++i) {
    r.step();
    const double t = i * step;
    ASSERT_NEAR(coordinate(*model, r.state(), "mass") - 1, amplitude * (1 - std::cos(slowed * t)), 1e-4 * amplitude) << "t = " << t;
    ASSERT_NEAR(rate(*model, r.state(), "mass"), amplitude * w * std::sin(slowed * t), 1e-4 * amplitude * w) << "t = " << t;
  }
}

/// Moved by `motion` from 1 m; V grows from V_0 by A times the displacement x of the piston.
TEST(TrappedOil, PressureFollowsTheLogarithmOfTheVolume) {
  const auto model = machine(trapped("20 MPa", R"(
motions: {stroke: {joint: mass, signal: way}}
signals: {way: {sine: {amplitude: 2 mm, frequency: 1 Hz, offset: 1 m}}}
)"));
  MachineRun r(model);
  for (double t : {0.1, 0.25, 0.6, 0.75}) {
    r.advance(t);
    const double x = 2e-3 * std::sin(2 * std::numbers::pi * t);
    ASSERT_NEAR(coordinate(*model, r.state(), "mass"), 1 + x, 1e-10);
    // V/B pdot = -Vdot: p = p_0 - B ln(V/V_0), one chamber grows by A_A x, the other shrinks by A_B x;
    // error of the rule: (w h)^2 / 12 of changes of 5 MPa, 17 Pa
    EXPECT_NEAR(pressure(*model, r.state(), "a"), 20e6 - kModulus * std::log(1 + kArea_A * x / kVolume_A), 20) << t;
    EXPECT_NEAR(pressure(*model, r.state(), "b"), 5e6 - kModulus * std::log(1 - kArea_B * x / kVolume_B), 20) << t;
  }
}

TEST(TrappedOil, StaysUnderPressureHoweverMuchIsDrawn) {
  const auto model = machine("fluid: {saturation_pressure: 1 bar, free_air: 0.01}\n" + trapped("1 MPa", R"(
motions: {stroke: {joint: mass, signal: way}}
signals: {way: {table: [[0, 1 m], [0.2 s, 1.3 m], [0.4 s, 1 m]], smooth: true}}
)"));
  MachineRun r(model);
  const double p_s = 1e5, phi = 0.01, p_0 = 1e6;
  const auto balance = [&](double p, double x) {  // the liquid's volume minus its expansion
    const double q = std::min(p, p_s), air = phi * (p_s / q - 2 + q / p_s);
    return (1 + kArea_A * x / kVolume_A) / (1 + air) - std::exp((p_0 - p) / kModulus);
  };
  for (double t : {0.05, 0.1, 0.2}) {
    r.advance(t);
    const double x = coordinate(*model, r.state(), "mass") - 1, p = pressure(*model, r.state(), "a");
    ASSERT_GT(p, 0);
    ASSERT_LT(p, p_s);
    // of the volume, which grows by half; the trapezoidal rule on smooth strains
    EXPECT_NEAR(balance(p, x), 0, 5e-5) << "p = " << p << " at " << t;
  }
  const CavitationRecord& drawn = r.statistics().cavitation[0];
  EXPECT_GT(drawn.steps, 150);
  EXPECT_GT(drawn.first_time, 0);
  EXPECT_LT(drawn.first_time, 0.05);
  EXPECT_GT(drawn.lowest_pressure, 1.8e3);  // phi (p_s / p - 2) = 0.5: 1.9 kPa
  EXPECT_LT(drawn.lowest_pressure, 3e3);
  EXPECT_EQ(r.statistics().cavitation[1].steps, 0);  // compression of the other side
  r.advance(0.4);                                    // and back: the air is dissolved again; 2e-5 of the volume are 0.03 MPa
  EXPECT_NEAR(pressure(*model, r.state(), "a"), p_0, 1e5);
}

/// V dchi/dt = -chi Q: a source that draws from a closed volume delivers a decreasing liquid fraction.
TEST(TrappedOil, AFlowSourceTakesNoMoreLiquidThanThereIs) {
  const auto model = machine(R"(
fluid: {saturation_pressure: 0.5 bar, free_air: 0.01}
volumes: {full: {volume: 1 L, pressure: 0.5 bar}, next: {volume: 1 L, pressure: 10 bar}}
sources: {pump: {flow: 60 L/min, from: full, to: next}}
bodies: {mass: {point_mass: {mass: 1 kg}}}
joints: {mass: {prismatic: {parent: ground, axis: x}}}
solver: {step: 1 ms}
)");
  MachineRun r(model);
  for (double t : {0.5, 2.0, 5.0}) {
    r.advance(t);
    const double p = pressure(*model, r.state(), "full"), air = 0.01 * (5e4 / p - 2 + p / 5e4);
    EXPECT_NEAR(1 / (1 + air), std::exp(-t), 1e-4) << t;
    EXPECT_NEAR(pressure(*model, r.state(), "next"), 10e5 + 1.5e9 * (1 - std::exp(-t)), 1e-4 * 1.5e9) << t;
  }
}

TEST(TrappedOil, ClosedValvesThatAMassPullsOnDoNotFail) {
  const auto model = machine(trapped("1 bar", R"(
fluid: {saturation_pressure: 0.5 bar}
forces: {pull: {joint: mass, load: 300 kN}}
solver: {step: 1 ms}
)"));
  MachineRun r(model);
  r.advance(0.3);
  EXPECT_GT(r.statistics().cavitation[0].lowest_pressure, 0);
  EXPECT_GT(r.statistics().cavitation[0].steps, 10);
}

TEST(TrappedOil, LeakageLetsThePressuresMeet) {
  // locked: C_a pa' = -G (pa - pb), C_b pb' = G (pa - pb)
  const auto model = machine(R"(
bodies: {mass: {point_mass: {mass: 1000}}}
joints: {mass: {prismatic: {parent: ground, axis: x}, position: 1 m}}
motions: {still: {joint: mass, signal: one}}
signals: {one: 1 m}
volumes: {a: {hose: {volume: 1 L}, pressure: 20 MPa}, b: {hose: {volume: 1 L}, pressure: 5 MPa}}
cylinders: {c: {base: {body: ground}, rod_end: {body: mass}, A: a, B: b, area_A: 50 cm^2, area_B: 40 cm^2, chamber_length_A: 0.4, chamber_length_B: 0.6, leakage: 2e-11 m^3/(s Pa)}}
solver: {step: 1 ms, tolerance_pressure: 1e-4, oil_rule: trapezoidal}
)");
  const double C_a = kVolume_A / kModulus, C_b = kVolume_B / kModulus, k = 2e-11 * (1 / C_a + 1 / C_b), h = 1e-3;
  const StateVector s = run(model, 0.1);
  const double factor = std::pow((1 - k * h / 2) / (1 + k * h / 2), 100);  // of the trapezoidal rule, exactly
  EXPECT_NEAR(factor, std::exp(-k * 0.1), 1e-3);
  EXPECT_NEAR(pressure(*model, s, "a") - pressure(*model, s, "b"), 15e6 * factor, 1);
  EXPECT_NEAR(C_a * pressure(*model, s, "a") + C_b * pressure(*model, s, "b"), C_a * 20e6 + C_b * 5e6, 1e-6 * C_a);
}

TEST(TrappedOil, APistonThatLeavesItsCylinderIsReported) {
  for (const std::string end : {"0.55 m", "1.65 m"}) {  // chambers of 0.4 m and 0.6 m at 1 m
    const auto model =
        machine(trapped("5 MPa", "motions: {stroke: {joint: mass, signal: way}}\nsignals: {way: {ramps: [[0, 1 m], [1, " + end +
                                     "]]}}\nsources: {tank: {pressure: 5 MPa}}\nvalves:\n  one: {orifice: {A: a, B: tank, diameter: 20 "
                                     "mm}}\n  two: {orifice: {A: b, B: tank, "
                                     "diameter: 20 mm}}\n"));
    MachineRun r(model);
    try {
      r.advance(1);
      FAIL() << "no error";
    } catch (const SimulationError& error) {
      EXPECT_NE(std::string(error.what()).find("cylinders.c"), std::string::npos) << error.what();
      EXPECT_NEAR(error.time(), end == "0.55 m" ? 0.4 / 0.45 : 0.6 / 0.65, 2e-3);  // a step
    }
  }
}

// ---------------------------------------------------------------- flow

TEST(SteadyFlow, TwoOrificesInSeriesShareThePressureDrop) {
  const auto model = machine(R"(
bodies: {mass: {point_mass: {mass: 1}}}
joints: {mass: {prismatic: {parent: ground, axis: x}}}
volumes: {v: {hose: {volume: 0.1 L}, pressure: 1 MPa}}
sources: {pump: {pressure: 10 MPa}, tank: {pressure: 1 bar}}
valves:
  first: {orifice: {A: pump, B: v, diameter: 2 mm, discharge: 0.7}}
  second: {orifice: {A: v, B: tank, diameter: 1.5 mm, discharge: 0.6}}
solver: {step: 1 ms, duration: 1}
)");
  // C1^2 (p1 - p) = C2^2 (p - p2)
  const double c1 = std::pow(0.7 * 4, 2), c2 = std::pow(0.6 * 2.25, 2), p = (c1 * 10e6 + c2 * 1e5) / (c1 + c2);
  EXPECT_NEAR(pressure(*model, run(model, 1), "v"), p, 1e-2);  // tolerance_pressure
}

TEST(DeadHead, PressureRisesByTheFlowOverTheCapacity) {
  const auto model = machine(R"(
bodies: {mass: {point_mass: {mass: 1}}}
joints: {mass: {prismatic: {parent: ground, axis: x}}}
volumes: {v: {hose: {volume: 1 L, bulk_modulus: 300 MPa}, pressure: 8 MPa}}
sources: {tank: {pressure: 1 bar}, pump: {flow: 30 L/min, to: v}}
valves: {shut: {orifice: {A: v, B: tank, diameter: 4 mm}, signal: opening}}
signals: {opening: {ramps: [[20 ms, 1], [21 ms, 0]]}}
solver: {step: 1 ms}
)");
  MachineRun r(model);
  r.advance(31e-3);  // after the kink
  const double at_closing = pressure(*model, r.state(), "v");
  ASSERT_TRUE(std::isfinite(at_closing));
  EXPECT_GT(at_closing, 1e5);
  r.advance(0.131);
  const double rise = 5e-4 / (1e-3 * (1 / 1.5e9 + 1 / 3e8)) * 0.1;
  EXPECT_NEAR(pressure(*model, r.state(), "v") - at_closing, rise, 1e-6 * rise);
}

TEST(DeadHead, AValveMayCloseBetweenTwoStepsAndJump) {
  const auto model = machine(R"(
bodies: {mass: {point_mass: {mass: 1}}}
joints: {mass: {prismatic: {parent: ground, axis: x}}}
volumes: {v: {hose: {volume: 1 L, bulk_modulus: 300 MPa}, pressure: 8 MPa}}
sources: {tank: {pressure: 1 bar}, pump: {flow: 30 L/min, to: v}}
valves: {shut: {orifice: {A: v, B: tank, diameter: 4 mm}, signal: opening}}
signals: {opening: {steps: [[20.4 ms, 0]], before: 1}}
solver: {step: 1 ms}
)");
  MachineRun r(model);
  r.advance(20.4e-3);
  const double at_closing = pressure(*model, r.state(), "v");
  r.advance(0.1204);
  EXPECT_NEAR(pressure(*model, r.state(), "v") - at_closing, 5e-4 / (1e-3 * (1 / 1.5e9 + 1 / 3e8)) * 0.1, 1e4);  // of 12.5 MPa
}

// ---------------------------------------------------------------- balance of oil

/// Inflow from the sources, by the test's own orifice law, compared with the content of the volumes, from pressures and lengths
/// alone: sum over steps of C(s, mean) dp + A ds. Both sums are of second order.
double imbalance(double step) {
  const auto model = machine(R"(
gravity: [-9.81, 0, 0]
bodies: {mass: {point_mass: {mass: 500}}}
joints: {mass: {prismatic: {parent: ground, axis: x}, position: 1 m}}
volumes:
  a: {hose: {volume: 0.2 L, bulk_modulus: 150 MPa}, pressure: equilibrium}
  b: {hose: {volume: 0.3 L, bulk_modulus: 150 MPa}, pressure: 3 MPa}
sources: {pump: {pressure: 12 MPa}, tank: {pressure: 1 bar}}
valves:
  in: {orifice: {A: pump, B: a, diameter: 2 mm, discharge: 0.8}, signal: opening}
  out: {orifice: {A: b, B: tank, diameter: 2 mm, discharge: 0.8}, signal: opening}
cylinders: {c: {base: {body: ground}, rod_end: {body: mass}, A: a, B: b, area_A: 50 cm^2, area_B: 40 cm^2, chamber_length_A: 0.2, chamber_length_B: 0.8, viscous: 20000}}
signals: {opening: {table: [[0.1 s, 0], [0.4 s, 1], [0.8 s, 0.2]], smooth: true}}
solver: {tolerance_position: 1e-10, tolerance_pressure: 1e-4, step: )" +
                             std::to_string(step) + "}\n");
  const double C = 0.8 * std::numbers::pi / 4 * 4e-6 * std::sqrt(2.0 / 850), beta = 1 / 1.5e9;
  const auto orifice = [&](double opening, double dp) {
    return opening * C * (std::abs(dp) < 2e5 ? dp / std::sqrt(2e5) : std::copysign(std::sqrt(std::abs(dp)), dp));
  };
  const auto net_inflow = [&](const StateVector& s) {
    const double u = Signals(model->signals, nullptr).value(model->signals.find("opening"), s.time, Side::right);
    return orifice(u, 12e6 - pressure(*model, s, "a")) - orifice(u, pressure(*model, s, "b") - 1e5);
  };
  MachineRun r(model);
  double entered = 0, stored = 0, passed = 0;
  for (StateVector last = r.state(); r.state().time < 1 - 1e-9; last = r.state()) {
    r.step();
    const StateVector& now = r.state();
    const double h = now.time - last.time, s = (coordinate(*model, now, "mass") + coordinate(*model, last, "mass")) / 2,
                 ds = coordinate(*model, now, "mass") - coordinate(*model, last, "mass");
    entered += h / 2 * (net_inflow(last) + net_inflow(now));
    passed += h * std::abs(net_inflow(now));
    stored += (0.2e-3 * (beta + 1 / 1.5e8) + 50e-4 * (0.2 + s - 1) * beta) * (pressure(*model, now, "a") - pressure(*model, last, "a")) +
              50e-4 * ds;
    stored += (0.3e-3 * (beta + 1 / 1.5e8) + 40e-4 * (0.8 - s + 1) * beta) * (pressure(*model, now, "b") - pressure(*model, last, "b")) -
              40e-4 * ds;
  }
  EXPECT_GT(coordinate(*model, r.state(), "mass"), 1.02);  // it has moved
  return (entered - stored) / passed;
}

TEST(OilBalance, WhatEntersIsWhatIsStored) {
  const double coarse = imbalance(2e-3), fine = imbalance(1e-3);
  EXPECT_LT(std::abs(fine), 1e-5);
  EXPECT_LT(std::abs(fine), 0.35 * std::abs(coarse));  // second order
}

// ---------------------------------------------------------------- several circuits

TEST(Circuits, WorkAsIfEachWereAlone) {
  const std::string part = R"(
    base: {body: ground, at: [0, %, 0]}, rod_end: {body: m%}, A: a%, B: b%, area_A: 50 cm^2, area_B: 40 cm^2, chamber_length_A: 0.4, chamber_length_B: 0.6, viscous: 5000,
    friction: {model: lugre, coulomb: 210, static: 830, stribeck_velocity: 0.0125, viscous: 330, bristle_stiffness: 5.77e6, bristle_damping: 2.28e4})";
  const auto numbered = [](std::string text, const std::string& number) {
    for (std::size_t i = text.find('%'); i != std::string::npos; i = text.find('%')) text.replace(i, 1, number);
    return text;
  };
  const auto text = [&](const std::vector<std::string>& numbers) {
    std::string bodies, joints, volumes, valves, cylinders;
    for (const std::string& n : numbers) {
      bodies += numbered("  m%: {point_mass: {mass: 100%}}\n", n);
      joints += numbered("  m%: {prismatic: {parent: ground, at: [0, %, 0], axis: x}, position: 1 m}\n", n);
      volumes += numbered("  a%: {hose: {volume: 1 L}, pressure: 4 MPa}\n  b%: {hose: {volume: 1 L}, pressure: 5 MPa}\n", n);
      valves += numbered(
          "  v%: {directional_4_3: {P: pump, T: tank, A: a%, B: b%, flow: 2% L/min, at_pressure_drop: 35 bar, at_signal: 1, time_constant: "
          "3 ms}, signal: u}\n",
          n);
      cylinders += "  " + numbered("c%: {" + part + "}\n", n);
    }
    return "bodies:\n" + bodies + "joints:\n" + joints + "volumes:\n" + volumes +
           "sources: {pump: {pressure: 8 MPa}, tank: {pressure: 1 bar}}\nvalves:\n" + valves + "cylinders:\n" + cylinders +
           "signals: {u: {steps: [[0.1, 1], [0.3, -0.5]]}}\nsolver: {tolerance_position: 1e-10, tolerance_pressure: 1e-4}\n";
  };
  const auto both = machine(text({"1", "3"})), one = machine(text({"1"})), three = machine(text({"3"}));
  EXPECT_EQ(both->hydraulics.circuits.size(), 2u);
  const StateVector s = run(both, 0.5), s1 = run(one, 0.5), s3 = run(three, 0.5);
  EXPECT_GT(std::abs(coordinate(*both, s, "m1") - coordinate(*both, s, "m3")), 5e-4);  // different from each other
  EXPECT_NEAR(coordinate(*both, s, "m1"), coordinate(*one, s1, "m1"), 1e-9);           // both within the tolerances
  EXPECT_NEAR(coordinate(*both, s, "m3"), coordinate(*three, s3, "m3"), 1e-9);
  EXPECT_NEAR(pressure(*both, s, "b1"), pressure(*one, s1, "b1"), 1);
  EXPECT_NEAR(pressure(*both, s, "a3"), pressure(*three, s3, "a3"), 1);
}

TEST(Circuits, TwoCylindersInParallelAreOneOfTwiceTheSize) {
  const auto text = [](const std::string& volumes, const std::string& cylinders) {
    return "gravity: [-9.81, 0, 0]\nbodies: {m: {point_mass: {mass: 300}}}\njoints: {m: {prismatic: {parent: ground, axis: x}, position: 1 "
           "m}}\nvolumes: {" +
           volumes +
           "}\nsources: {pump: {pressure: 9 MPa}, tank: {pressure: 1 bar}}\nvalves: {v: {directional_4_3: {P: pump, T: tank, A: a, B: b, "
           "flow: 20 L/min, at_pressure_drop: 35 bar, "
           "at_signal: 1, time_constant: 3 ms}, signal: u}}\ncylinders: {" +
           cylinders + "}\nsignals: {u: {steps: [[0.1, 1], [0.3, -0.5]]}}\nsolver: {tolerance_position: 1e-10, tolerance_pressure: 1e-4}\n";
  };
  const std::string volumes = "a: {hose: {volume: 1 L}, pressure: equilibrium}, b: {hose: {volume: 1 L}, pressure: 2 MPa}";
  const auto cylinder = [](int area_A, int area_B) {
    return "{base: {body: ground}, rod_end: {body: m}, A: a, B: b, area_A: " + std::to_string(area_A) +
           " cm^2, area_B: " + std::to_string(area_B) +
           " cm^2, chamber_length_A: 0.4, chamber_length_B: 0.6, viscous: " + std::to_string(area_A * 1000) + "}";
  };
  const auto twins = machine(text(volumes, "one: " + cylinder(10, 8) + ", two: " + cylinder(10, 8))),
             single = machine(text(volumes, "one: " + cylinder(20, 16)));
  const StateVector s = run(twins, 0.5), t = run(single, 0.5);
  EXPECT_GT(std::abs(coordinate(*single, t, "m") - 1), 0.01);
  EXPECT_NEAR(coordinate(*twins, s, "m"), coordinate(*single, t, "m"), 1e-10);
  EXPECT_NEAR(pressure(*twins, s, "a"), pressure(*single, t, "a"), 1e-2);
}

/// A flow source draws from its other end where its flow is negative: with both exchanged and the sign changed it is the same source, also
/// while it empties one volume and fills it again.
TEST(FlowSources, MayBeTurnedRound) {
  const auto pressures = [](const std::string& source, int sign) {
    const auto model = machine("sources: {T: {pressure: 1 bar}, q: {flow: s, " + source + "}}\nsignals: {s: {ramps: [[0 s, " +
                               std::to_string(sign * 1e-5) + "], [2 s, " + std::to_string(sign * 1e-5) + "], [2.1 s, " +
                               std::to_string(-sign * 1e-5) + R"(]]}}
volumes: {v: {volume: 0.1 L, pressure: 1 bar}, w: {volume: 10 mL, pressure: 1 bar}}
valves: {r: {relief: {A: v, B: T, cracking_pressure: 10 bar, gradient: 1e-10}}}
solver: {step: 1 ms}
)");
    MachineRun r(model);
    std::vector<double> all;
    for (int i = 1; i <= 4500; ++i) {
      r.step();
      if (i % 500 == 0)
        for (const char* name : {"v", "w"}) all.push_back(pressure(*model, r.state(), name));
    }
    return all;
  };
  const std::vector<double> one = pressures("to: v, from: w", 1), other = pressures("to: w, from: v", -1);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(one[i], other[i], 1e-6 * one[i] + 1e-6) << i;
  EXPECT_LT(one[3], 1e4);   // w is empty after 1 s ...
  EXPECT_GT(one[17], 5e4);  // ... and full again
}

}  // namespace
}  // namespace trunnion
