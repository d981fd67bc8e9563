// Oil without its mechanism: compared with the whole machine for prescribed cylinder motion, with a mass whose interface model is
// exact, and with itself at finer steps.
// SPDX-License-Identifier: BSD-3-Clause
#include "cosimulation/hydraulic_subsystem.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "file/model_file.h"
#include "machine/evaluate.h"
#include "machine/start.h"
#include "model/model.h"
#include "run/make_stepper.h"
#include "run/run.h"
#include "support/allocation_counter.h"
#include "support/machines.h"

namespace trunnion {
namespace {

using test::allocations;
using test::allocations_are_counted;

constexpr double kLength = 1, kAmplitude = 0.005, kFrequency = 3;  // of the cylinder: 1 m + 5 mm sin(2 pi 3 Hz t)
constexpr double kMass = 300;

const char* const kCircuit = R"(
fluid: {density: 850 kg/m^3, bulk_modulus: 1500 MPa}
volumes:
  v1: {hose: {volume: 0.1 L, bulk_modulus: 300 MPa}, pressure: 6 MPa}
  v2: {hose: {volume: 0.2 L, bulk_modulus: 300 MPa}, pressure: 3 MPa}
  v3: {hose: {volume: 0.1 L, bulk_modulus: 300 MPa}, pressure: 8 MPa}
sources:
  pump: {pressure: supply}
  tank: {pressure: 0.1 MPa}
valves:
  valve:    {directional_4_3: {P: pump, T: tank, A: v3, B: v2, flow: 24 L/min, at_pressure_drop: 35 bar, at_signal: 10, time_constant: 5 ms}, signal: command}
  throttle: {orifice: {A: v3, B: v1, diameter: 3 mm, discharge: 0.8}}
cylinders:
  lift:
    base: {body: ground, at: [-1 m, 0, 0]}
    rod_end: {body: block, at: [0, 0, 0]}
    A: v1
    B: v2
    bore: 63 mm
    rod: 35 mm
    chamber_length_A: 0.2 m
    chamber_length_B: 0.3 m
    bulk_modulus: 31500 MPa
    viscous: 2000 N s/m
    leakage: 1e-12 m^3/(s Pa)
    end_damper: {stiffness: 1e5 N/m, damping: 2e3 N s/m, length: 0.21 m}
)";

std::string lugre(const std::string& states) {
  return "    friction: {model: lugre, coulomb: 210 N, static: 830 N, stribeck_velocity: 12.5 mm/s, viscous: 330 N s/m, bristle_stiffness: "
         "5.77e6 N/m, bristle_damping: 2.28e4 N s/m, states: " +
         states + "}\n";
}
const std::string kLuGre = lugre("monolithic"), kLocalLuGre = lugre("local");

struct Options {
  std::string command = "{sine: {amplitude: 6, frequency: 4 Hz, offset: 1}}";
  std::string supply = "{sine: {amplitude: 1 MPa, frequency: 7 Hz, offset: 14 MPa}}";
  std::string friction;
  bool moved = true;  // by a prescribed motion; otherwise a free mass under gravity
  std::string solver = "step: 0.1 ms, duration: 1 s";
  CouplingVariables variables = CouplingVariables::velocity_pressure;
  FrictionSide side = FrictionSide::hydraulics;
};

std::shared_ptr<const CompiledModel> machine(const Options& options = {}) {
  const std::string text =
      std::string("trunnion: 1\ngravity: [-9.81, 0, 0]\nbodies: {block: {box: {size: [1, 1, 1], mass: 300 kg}}}\n") +
      "joints: {block: {prismatic: {parent: ground, at: [0, 0, 0], axis: x}, position: 0 m" + (options.moved ? "" : ", speed: 0.1 m/s") +
      "}}\n" + (options.moved ? "motions: {drive: {joint: block, signal: path}}\n" : "") + kCircuit + options.friction +
      "signals:\n  command: " + options.command + "\n  supply: " + options.supply +
      (options.moved ? "\n  path: {sine: {amplitude: 5 mm, frequency: 3 Hz}}" : "") + "\nsolver: {" + options.solver + "}\n";
  Description d = parse_model(text, "test.yaml", {});
  d.coupling.variables = options.variables;
  d.coupling.friction = options.side;
  return compile(d);
}

/// Length and rate of the cylinder as polynomials about t.
std::array<TimePolynomial, 2> motion_at(double t) {
  const double w = 2 * std::numbers::pi * kFrequency;
  std::array<TimePolynomial, 2> courses;
  double factor = kAmplitude;  // amplitude w^k / k!
  for (std::size_t k = 0; k <= TimePolynomial::kCoefficients; ++k) {
    const double derivative = factor * std::sin(w * t + std::numbers::pi / 2 * static_cast<double>(k));
    if (k < TimePolynomial::kCoefficients) courses[0].c[k] = derivative;
    if (k > 0) courses[1].c[k - 1] = static_cast<double>(k) * derivative;
    factor *= w / static_cast<double>(k + 1);
  }
  courses[0].c[0] += kLength;
  for (TimePolynomial& course : courses) course.begin = t;
  return courses;
}

struct Totals {
  double impulse = 0, moment = 0, displacement = 0;
};

/// The oil of `model` with the motion of motion_at(), by communication steps of H to `end`.
StateVector run_oil(const std::shared_ptr<const CompiledModel>& model, std::optional<IntegratorKind> integrator, double step, double H,
                    double end, Totals* totals = nullptr) {
  const auto oil = make_hydraulic_subsystem(model, {0}, integrator, step);
  StateVector state = start_state(*model);
  oil->restore(state);
  const int steps = static_cast<int>(std::lround(end / H));
  for (int i = 0; i < steps; ++i) {
    oil->set_inputs(motion_at(i * H).data());
    const StepOutcome report = oil->do_step(H);
    EXPECT_TRUE(report.ok()) << name_of_unknown(*model, report.worst);
    if (totals == nullptr) continue;
    totals->impulse += oil->impulse()[0];
    totals->moment += oil->impulse_moment()[0] + i * H * oil->impulse()[0];
    totals->displacement += oil->displacement()[0];
  }
  state.time = end;
  oil->save(state);
  return state;
}

double pressure_difference(const StateVector& a, const StateVector& b) {
  double largest = 0;
  for (int i = 0; i < 3; ++i) largest = std::max(largest, std::abs(a.y()[i] - b.y()[i]));
  return largest;
}

StateVector run_machine(const std::shared_ptr<const CompiledModel>& model, double h, double end) {
  const auto stepper = make_stepper(model);
  StateVector state = start_state(*model);
  for (int i = 0; i < std::lround(end / h); ++i) {
    EXPECT_TRUE(stepper->step(state, h).ok());
    state.time = (i + 1) * h;
  }
  return state;
}

TEST(HydraulicSubsystem, FollowsTheMachineWhoseCylinderIsMoved) {
  for (const std::string& friction : {std::string(), kLuGre, kLocalLuGre}) {
    Options options;
    options.friction = friction;
    const auto model = machine(options);
    const double h = 2e-4, end = 0.05;
    // same equations as the machine's trapezoidal step, except for its rate, which also follows the trapezoidal rule
    const StateVector whole = run_machine(model, h, end);
    EXPECT_GT(pressure_difference(whole, start_state(*model)), 1e5);
    const StateVector oil = run_oil(model, IntegratorKind::trapezoidal, h, 5 * h, end);
    EXPECT_LT(pressure_difference(whole, oil), 30);
    for (int i = 0; i < model->layout.ny; ++i)
      EXPECT_NEAR(oil.y()[i], whole.y()[i], 1e-5 * std::abs(whole.y()[i]) + 1e-9) << model->state_names[i];
    // and Runge's method agrees with it to the order of the trapezoidal rule
    const StateVector accurate = run_oil(model, IntegratorKind::rk4, 1e-4, 1e-3, end);
    const double coarse = pressure_difference(whole, accurate), fine = pressure_difference(run_machine(model, h / 2, end), accurate);
    EXPECT_LT(coarse, 100);
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.3);
  }
}

/// A closed chamber drawn out below saturation and back: its pressure is that of the start again, as no oil has left it. No flow makes rk4
/// unstable, and at the instant at which the chamber is full again its stages are on both sides of it.
TEST(HydraulicSubsystem, TheDefaultRuleLeavesCavitation) {
  const double start = 5e5, half_period = 0.5 / kFrequency;
  const auto model = compile(parse_model(R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {block: {box: {size: [1, 1, 1], mass: 300 kg}}}
joints: {block: {prismatic: {parent: ground, at: [0, 0, 0], axis: x}, position: 0 m}}
motions: {drive: {joint: block, signal: path}}
fluid: {density: 850 kg/m^3, bulk_modulus: 1500 MPa}
volumes: {closed: {hose: {volume: 0.1 L, bulk_modulus: 300 MPa}, pressure: 5 bar}}
sources: {tank: {pressure: 1 bar}}
cylinders:
  lift: {base: {body: ground, at: [-1 m, 0, 0]}, rod_end: {body: block, at: [0, 0, 0]}, A: closed, B: tank, bore: 63 mm, rod: 35 mm,
         chamber_length_A: 0.2 m, chamber_length_B: 0.3 m}
signals: {path: {sine: {amplitude: 5 mm, frequency: 3 Hz}}}
solver: {step: 0.1 ms, duration: 1 s}
)",
                                         "test.yaml", {}));
  for (const int steps : {10000, 1000, 150}) {
    const double h = half_period / steps;
    const auto error_of = [&](std::optional<IntegratorKind> integrator) {
      return std::abs(run_oil(model, integrator, h, h, half_period).y()[0] - start);
    };
    EXPECT_LT(error_of(std::nullopt), 0.01 * start) << h;
  }
}

/// A check valve between two small volumes opens and closes within the steps of rk4: stable at both ends of every communication step, it
/// passed nothing for ever.
TEST(HydraulicSubsystem, TheDefaultRulePassesACheckValve) {
  const std::string pressureless, beside = R"(
  hi: {orifice: {A: H, B: w, diameter: 1e-3}}
  lo: {check: {A: a, B: w, diameter: 1e-3}})";
  for (const char* const step : {"1 ms", "0.3 ms", "0.1 ms"})
    for (const double share : {1.0, 0.1})  // of a flow of 2e-4 m3/s
      for (const std::string& more : {pressureless, beside}) {
        const auto model = compile(parse_model(
            fmt::format(R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {{m: {{mass: 200, inertia: [1, 1, 1]}}}}
joints: {{m: {{prismatic: {{parent: ground, at: [0, 0, 0], axis: x}}, position: 1.0}}}}
fluid: {{density: 850, bulk_modulus: 1.4e9}}
sources: {{T: {{pressure: 1e5}}, q: {{flow: sq, to: ch}}{}}}
signals: {{sq: {{ramps: [[0, 0], [0.1, {}]]}}}}
volumes: {{ch: {{volume: 3e-4, pressure: 1.2e6}}, a: {{volume: 6e-4, pressure: 1.3e6}}{}}}
valves:
  ka: {{check: {{A: ch, B: a, flow: 1e-3, at_pressure_drop: 2e5, laminar_limit: 5e4}}}}
  out: {{orifice: {{A: a, B: T, diameter: {}}}}}{}
cylinders:
  c: {{base: {{body: ground, at: [0, 0, 0]}}, rod_end: {{body: m, at: [0, 0, 0]}}, A: a, B: a, area_A: 1e-3, area_B: 1e-3,
      chamber_length_A: 0.01, chamber_length_B: 0.01}}
solver: {{duration: {}, coupling: cosimulation, step: {}}}
)",
                        more.empty() ? "" : ", H: {pressure: 2e7}", 2e-4 * share, more.empty() ? "" : ", w: {volume: 1e-3, pressure: 2e7}",
                        2.2e-3 * std::sqrt(share), more, 0.1 + 0.2 / share, step),
            "test.yaml", {}));
        Runner run(model);
        run.advance(0.1 + 0.2 / share);
        const double ch = run.state().y()[0], a = run.state().y()[1];
        EXPECT_NEAR(ch - a, 2e4 * share, 1e2 * share) << step << more;  // laminar: 2e-4 of 1e-3 sqrt(0.5/2) at 0.5 bar
        EXPECT_NEAR(a, 19.382e5, 1e3) << step << more;
      }
}

/// Ratio between two step sizes and their halves.
double order(const std::shared_ptr<const CompiledModel>& model, IntegratorKind integrator, double h, double end) {
  const StateVector exact = run_oil(model, IntegratorKind::rk4, 1e-5, end, end);
  const double coarse = pressure_difference(run_oil(model, integrator, h, end, end), exact),
               fine = pressure_difference(run_oil(model, integrator, h / 2, end, end), exact);
  return std::log2(coarse / fine);
}

TEST(HydraulicSubsystem, RulesHaveTheirOrder) {
  Options options;
  options.command = "4";  // a spool at rest; no orifice near its laminar zone
  options.supply = "14 MPa";
  const auto model = machine(options);
  EXPECT_NEAR(order(model, IntegratorKind::euler, 1e-4, 4e-3), 1, 0.15);
  EXPECT_NEAR(order(model, IntegratorKind::trapezoidal, 2e-4, 4e-3), 2, 0.15);
  EXPECT_NEAR(order(model, IntegratorKind::rk4, 4e-4, 4e-3), 4, 0.3);
}

TEST(HydraulicSubsystem, IntegralsAreThoseOfAFineQuadrature) {
  const auto model = machine();
  const double H = 2e-3, end = 0.02;
  Totals exact;
  run_oil(model, IntegratorKind::rk4, 5e-6, 2e-3, end, &exact);
  EXPECT_NEAR(exact.displacement, kAmplitude * std::sin(2 * std::numbers::pi * kFrequency * end), 1e-12);
  const auto error = [&](IntegratorKind integrator, double step) {
    Totals totals;
    run_oil(model, integrator, step, H, end, &totals);
    EXPECT_NEAR(totals.displacement, exact.displacement, integrator == IntegratorKind::euler ? 5e-5 : 1e-8);
    EXPECT_NEAR(totals.moment, exact.moment, (integrator == IntegratorKind::euler ? 2e-2 : 1e-3) * std::abs(exact.moment));
    return std::abs(totals.impulse - exact.impulse) + std::abs(totals.moment - exact.moment) / end;
  };
  EXPECT_NEAR(std::log2(error(IntegratorKind::trapezoidal, 2e-4) / error(IntegratorKind::trapezoidal, 1e-4)), 2, 0.3);
  EXPECT_LT(error(IntegratorKind::rk4, 2e-4), 1e-3 * error(IntegratorKind::euler, 2e-4));
}

/// The free mass: W = 1/m and b = -g at all times.
struct OneMass {
  explicit OneMass(const std::shared_ptr<const CompiledModel>& m, IntegratorKind integrator, double step)
      : model(m), oil(make_hydraulic_subsystem(m, {0}, integrator, step)), state(start_state(*m)) {
    port.W[0] = 1 / kMass;
    port.b[0] = -9.81;
    port.s[0] = kLength;
    port.w[0] = 0.1;
    oil->restore(state);
    oil->set_interface_model(&port);
  }
  /// One communication step; the balance of momentum and the displacement give the port's state at its end.
  void step(double H) {
    port.begin = state.time;
    const StepOutcome report = oil->do_step(H);
    EXPECT_TRUE(report.ok());
    const double w = port.w[0];
    port.w[0] += oil->impulse()[0] / kMass - 9.81 * H;
    // s_end = s + H w + integral of (H - tau) w_dot
    port.s[0] += H * w + (H * oil->impulse()[0] - oil->impulse_moment()[0]) / kMass - 9.81 / 2 * H * H;
    state.time += H;
    oil->save(state);
  }

  std::shared_ptr<const CompiledModel> model;
  std::unique_ptr<HydraulicSubsystem> oil;
  StateVector state;
  InterfaceModel port{1};
};

TEST(HydraulicSubsystem, WithTheInterfaceModelOfOneMassIsTheMachine) {
  for (const std::string& friction : {std::string(), kLuGre, kLocalLuGre}) {
    Options options;
    options.moved = false;
    options.friction = friction;
    const auto model = machine(options);
    const double H = 0.01, end = 0.1, h = 2e-4;
    const auto error = [&](IntegratorKind integrator, double step, const StateVector& whole) {
      OneMass mass(model, integrator, step);
      for (int i = 0; i < std::lround(end / H); ++i) mass.step(H);
      return std::array{pressure_difference(mass.state, whole), std::abs(mass.port.s[0] - kLength - whole.q()[0]),
                        std::abs(mass.port.w[0] - whole.v()[0])};
    };
    const StateVector coarse = run_machine(model, h, end), fine = run_machine(model, h / 20, end);
    EXPECT_GT(std::abs(fine.q()[0]), 2e-3);
    // second order, towards the machine
    const auto a = error(IntegratorKind::trapezoidal, h, fine), b = error(IntegratorKind::trapezoidal, h / 2, fine);
    EXPECT_NEAR(std::log2(a[0] / b[0]), 2, 0.4) << friction;
    EXPECT_LT(a[1], 2e-6);
    EXPECT_LT(error(IntegratorKind::rk4, h / 4, fine)[0], a[0] / 50);
    EXPECT_LT(error(IntegratorKind::rk4, h / 4, fine)[1], 1e-7);
    EXPECT_LT(error(IntegratorKind::euler, h / 20, fine)[1], 1e-4);
    // close to the machine's own step, which does not restart rates at communication points
    EXPECT_LT(error(IntegratorKind::trapezoidal, h, coarse)[0], a[0] + 1e3);
  }
}

TEST(HydraulicSubsystem, AnExtraRateIsSeenByTheOilAlone) {
  Options options;
  options.moved = false;
  for (IntegratorKind integrator : {IntegratorKind::rk4, IntegratorKind::trapezoidal}) {
    OneMass mass(machine(options), integrator, 1e-4);
    const double H = 2e-3, s = mass.port.s[0];
    mass.port.rate_offset[0] = 0.03;
    mass.step(H);
    EXPECT_NEAR(mass.oil->displacement()[0], mass.port.s[0] - s + 0.03 * H, 1e-7);
    OneMass plain(machine(options), integrator, 1e-4);
    plain.step(H);
    EXPECT_LT(mass.state.y()[0], plain.state.y()[0] - 1e4);  // extension draws oil from A
    EXPECT_GT(mass.state.y()[1], plain.state.y()[1] + 1e3);
  }
}

TEST(HydraulicSubsystem, RestsWhereNothingDrivesIt) {
  Options options;
  options.command = "0";
  options.supply = "10 MPa";
  options.moved = false;
  const auto model = machine(options);
  for (IntegratorKind integrator : {IntegratorKind::euler, IntegratorKind::rk4, IntegratorKind::trapezoidal}) {
    const auto oil = make_hydraulic_subsystem(model, {0}, integrator, 1e-4);
    StateVector state = start_state(*model);
    for (int i = 0; i < 3; ++i) state.y()[i] = 5e6;
    oil->restore(state);
    std::array<TimePolynomial, 2> still;
    still[0].c[0] = kLength;
    oil->set_inputs(still.data());
    ASSERT_TRUE(oil->do_step(0.05).ok());
    oil->save(state);
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(state.y()[i], 5e6, 1e-3);
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(state.ydot()[i], 0, 1);
  }
}

TEST(HydraulicSubsystem, HandsOutForceOrPressuresWithFrictionOnEitherSide) {
  for (CouplingVariables variables : {CouplingVariables::velocity_force, CouplingVariables::velocity_pressure})
    for (FrictionSide side : {FrictionSide::hydraulics, FrictionSide::mechanism}) {
      Options options;
      options.friction = kLuGre;
      options.variables = variables;
      options.side = side;
      const auto model = machine(options);
      const auto oil = make_hydraulic_subsystem(model, {0}, IntegratorKind::rk4, 1e-4);
      StateVector state = start_state(*model);
      const StateVector before = state;
      oil->restore(state);
      oil->set_inputs(motion_at(0).data());
      const double H = 2e-3;
      ASSERT_TRUE(oil->do_step(H).ok());
      oil->save(state);
      std::vector<double> out(oil->outputs().size());
      oil->get_outputs(out.data());
      const double A = std::numbers::pi / 4 * 0.063 * 0.063, B = A - std::numbers::pi / 4 * 0.035 * 0.035;
      const double p_A = state.y()[0], p_B = state.y()[1], pressures = p_A * A - p_B * B;
      const int bristle = model->hydraulics.actuators[0].state;
      if (side == FrictionSide::mechanism) {
        EXPECT_EQ(state.y()[bristle], before.y()[bristle]);
        EXPECT_EQ(state.ydot()[bristle], before.ydot()[bristle]);
      } else {
        EXPECT_GT(state.y()[bristle], 1e-6);
      }
      if (variables == CouplingVariables::velocity_pressure) {
        ASSERT_EQ(out.size(), 2U);
        EXPECT_EQ(out[0], p_A);
        EXPECT_EQ(out[1], p_B);
        EXPECT_FALSE(oil->outputs()[0].feed_through || oil->outputs()[1].feed_through);
      } else if (side == FrictionSide::mechanism) {
        ASSERT_EQ(out.size(), 1U);
        EXPECT_DOUBLE_EQ(out[0], pressures);
        EXPECT_FALSE(oil->outputs()[0].feed_through);
      } else {
        ASSERT_EQ(out.size(), 1U);
        const auto [length, rate] = motion_at(H);
        const double l_A = 0.2 + length.c[0] - kLength, w = rate.c[0], x = 0.21 - l_A;
        ASSERT_GT(x, 0);
        const double damper = 1e5 * x - 2e3 * w * x / 0.21;
        const double g = 210 + (830 - 210) * std::exp(-w * w / (0.0125 * 0.0125)), q = state.y()[bristle];
        const double friction = 5.77e6 * q + 2.28e4 * (w - 5.77e6 * w / g * q) + 330 * w;
        EXPECT_NEAR(out[0], pressures - friction - 2000 * w + damper, 1e-6 * std::abs(pressures));
        EXPECT_TRUE(oil->outputs()[0].feed_through);
        // inputs set after the step have no effect
        oil->set_inputs(motion_at(0.1).data());
        std::vector<double> again(1);
        oil->get_outputs(again.data());
        EXPECT_EQ(out, again);
      }
    }
}

TEST(HydraulicSubsystem, IntegralsKnowAllLawsWhicheverSideTheyBelongTo) {
  Totals totals[2];
  for (FrictionSide side : {FrictionSide::hydraulics, FrictionSide::mechanism}) {
    Options options;
    options.friction = kLuGre;
    options.side = side;
    const auto model = machine(options);
    const auto oil = make_hydraulic_subsystem(model, {0}, IntegratorKind::trapezoidal, 1e-4);
    oil->restore(start_state(*model));
    oil->set_inputs(motion_at(0).data());
    ASSERT_TRUE(oil->do_step(5e-3).ok());
    totals[static_cast<int>(side)] = {oil->impulse()[0], oil->impulse_moment()[0], oil->displacement()[0]};
  }
  EXPECT_EQ(totals[0].impulse, totals[1].impulse);
  EXPECT_EQ(totals[0].moment, totals[1].moment);
  EXPECT_EQ(totals[0].displacement, totals[1].displacement);
}

TEST(HydraulicSubsystem, ContinuesBitForBitAndAllocatesNothing) {
  Options options;
  options.friction = kLuGre;
  const auto model = machine(options);
  for (IntegratorKind integrator : {IntegratorKind::euler, IntegratorKind::rk4, IntegratorKind::trapezoidal}) {
    const auto oil = make_hydraulic_subsystem(model, {0}, integrator, 5e-5), other = make_hydraulic_subsystem(model, {0}, integrator, 5e-5);
    StateVector state = start_state(*model), middle = state, end = state;
    LinearOil linear(3, 1);
    const double H = 1e-3;
    oil->restore(state);
    const auto courses = motion_at(0), next = motion_at(H);
    double out[2];
    const long before = allocations();
    oil->set_inputs(courses.data());
    ASSERT_TRUE(oil->do_step(H).ok());
    oil->save(middle);
    oil->get_outputs(out);
    linear.s[0] = kLength;
    oil->linearise(H, linear);
    oil->set_inputs(next.data());
    ASSERT_TRUE(oil->do_step(H).ok());
    oil->save(end);
    const long after = allocations();
    if (allocations_are_counted()) EXPECT_EQ(after, before);
    // from the saved state, in another instance; rolled back, in the same
    middle.time = H;
    for (HydraulicSubsystem* again : {other.get(), oil.get()}) {
      StateVector repeated = middle;
      again->restore(repeated);
      again->set_inputs(next.data());
      ASSERT_TRUE(again->do_step(H).ok());
      again->save(repeated);
      EXPECT_EQ(repeated.values(), end.values());
    }
    // same with an interface model
    InterfaceModel port(1);
    port.W[0] = 1 / kMass;
    port.s[0] = kLength;
    oil->restore(state);
    const long before_port = allocations();
    oil->set_interface_model(&port);
    ASSERT_TRUE(oil->do_step(H).ok());
    const long after_port = allocations();
    if (allocations_are_counted()) EXPECT_EQ(after_port, before_port);
  }
}

TEST(HydraulicSubsystem, LinearisedOilHasTheDerivativesOfItsRates) {
  const auto model = machine();
  const auto oil = make_hydraulic_subsystem(model, {0}, IntegratorKind::trapezoidal, 1e-4);
  StateVector state = start_state(*model);
  state.time = 0.01;
  oil->restore(state);
  LinearOil linear(3, 1);
  const double s = 1.01, w = 0.07, H = 4e-3;
  linear.s[0] = s;
  linear.w[0] = w;
  oil->linearise(H, linear);
  // spool positions by the exact solution for the sine, from the start position
  const double a = 6, omega = 2 * std::numbers::pi * 4, tau = 5e-3, U_0 = state.y()[model->hydraulics.spools[0].state];
  const auto steady = [&](double t) {
    return 1 + a / (1 + omega * omega * tau * tau) * (std::sin(omega * t) - omega * tau * std::cos(omega * t));
  };
  HydraulicState work(model->hydraulics);
  std::vector<double> y(model->layout.ny), ydot(model->layout.ny);
  for (int third = 0; third < 3; ++third) {
    const double t = 0.01 + H / 2 * third, U = steady(t) + (U_0 - steady(0.01)) * std::exp(-(t - 0.01) / tau);
    const auto rates = [&](double dp, int volume, double ds, double dw) {
      std::copy_n(state.y(), y.size(), y.begin());
      y[model->hydraulics.spools[0].state] = U;
      if (volume >= 0) y[volume] += dp;
      update_inputs(model->hydraulics, Signals(model->signals, nullptr), t, Side::right, work);
      const double length = s + ds, rate = w + dw;
      evaluate_rates(model->hydraulics, &length, &rate, y.data(), ydot.data(), work);
      return std::array{ydot[0], ydot[1], ydot[2]};
    };
    const auto f = rates(0, -1, 0, 0);
    double size = 0;
    for (double x : f) size = std::max(size, std::abs(x));
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(linear.f[third][i], f[i], 2e-4 * size);
      for (int j = 0; j < 3; ++j) {
        const double difference = (rates(100, j, 0, 0)[i] - rates(-100, j, 0, 0)[i]) / 200;
        EXPECT_NEAR(linear.J[third][3 * i + j], difference, 2e-4 * (std::abs(difference) + 1));
      }
      if (third > 0) continue;
      const double by_s = (rates(0, -1, 1e-5, 0)[i] - rates(0, -1, -1e-5, 0)[i]) / 2e-5,
                   by_w = (rates(0, -1, 0, 1e-4)[i] - rates(0, -1, 0, -1e-4)[i]) / 2e-4;
      EXPECT_NEAR(linear.f_s[i], by_s, 1e-5 * std::abs(by_s) + 1);
      EXPECT_NEAR(linear.f_w[i], by_w, 1e-5 * std::abs(by_w) + 1);
    }
    EXPECT_EQ(linear.p[third], state.y()[third]);
  }
  EXPECT_NE(linear.f_s[0], 0);
  EXPECT_NE(linear.f_w[1], 0);
}

TEST(HydraulicSubsystem, CircuitsThatShareNothingAreAloneTogether) {
  const auto model = test::load_example("crane_double");
  for (IntegratorKind integrator : {IntegratorKind::rk4, IntegratorKind::trapezoidal}) {
    StateVector together = start_state(*model), alone = together;
    const auto both = make_hydraulic_subsystem(model, {0, 1}, integrator, 1e-4);
    ASSERT_EQ(both->ports(), (std::vector{0, 1}));
    together.time = alone.time = 0.6;
    std::array<TimePolynomial, 4> courses;
    for (int i : {0, 1}) {
      courses[2 * i].c[0] = model->hydraulics.actuators[i].cylinder.length_0;
      courses[2 * i].c[1] = courses[2 * i + 1].c[0] = i == 0 ? 0.05 : -0.02;
      courses[2 * i].begin = courses[2 * i + 1].begin = 0.6;
    }
    both->restore(together);
    both->set_inputs(courses.data());
    ASSERT_TRUE(both->do_step(5e-3).ok());
    both->save(together);
    for (int i : {0, 1}) {
      const auto one = make_hydraulic_subsystem(model, {i}, integrator, 1e-4);
      ASSERT_EQ(one->ports(), std::vector{i});
      EXPECT_EQ(one->inputs()[0].name, i == 0 ? "lift.length" : "tilt.length");
      one->restore(alone);
      one->set_inputs(courses.data() + 2 * i);
      ASSERT_TRUE(one->do_step(5e-3).ok());
      one->save(alone);
      EXPECT_NEAR(one->impulse()[0], both->impulse()[i], 1e-6 * std::abs(both->impulse()[i]));
    }
    for (int i = 0; i < model->layout.ny; ++i) EXPECT_NEAR(alone.y()[i], together.y()[i], 0.01) << model->state_names[i];
    EXPECT_GT(std::abs(together.y()[0] - model->y_start[1]), 1e4);
  }
}

TEST(HydraulicSubsystem, SaysWhatFailedInTheNamesOfTheMachine) {
  const auto model = test::load_example("crane_double");
  const auto oil = make_hydraulic_subsystem(model, {1}, IntegratorKind::rk4, 1e-4);
  const auto run = [&](double rate, double H) {
    std::array<TimePolynomial, 2> courses;
    courses[0].c[0] = model->hydraulics.actuators[1].cylinder.length_0;
    courses[0].c[1] = courses[1].c[0] = rate;
    oil->restore(start_state(*model));
    oil->set_inputs(courses.data());
    return oil->do_step(H);
  };
  StepOutcome report = run(-1, 0.1);  // 50 mm are left
  EXPECT_FALSE(report.ok());
  report = run(1e5, 1e-4);
  EXPECT_EQ(report.status, StepStatus::below_vacuum);
  EXPECT_EQ(name_of_unknown(*model, report.worst), oil->unknown_name(report.worst));
  EXPECT_TRUE(name_of_unknown(*model, report.worst) == "w1.pressure" || name_of_unknown(*model, report.worst) == "w2.pressure")
      << name_of_unknown(*model, report.worst);
  const auto implicit = make_hydraulic_subsystem(model, {1}, IntegratorKind::trapezoidal, 1e-4);
  std::array<TimePolynomial, 2> courses;
  courses[0].c[0] = model->hydraulics.actuators[1].cylinder.length_0 - 0.051;
  implicit->restore(start_state(*model));
  implicit->set_inputs(courses.data());
  report = implicit->do_step(1e-3);
  EXPECT_EQ(report.status, StepStatus::end_of_stroke);
  EXPECT_EQ(name_of_unknown(*model, report.worst), "cylinders.tilt");
  InterfaceModel port(2);
  EXPECT_THROW(oil->set_interface_model(&port), Error);
}

}  // namespace
}  // namespace trunnion
