// Closed loops: control blocks solved with mechanism and oil, against independent solutions and the algebra of linear systems.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <complex>
#include <numbers>

#include "base/diagnostic.h"
#include "linearise/linear_model.h"
#include "machine/observe.h"
#include "machine/start.h"
#include "model/description_at.h"
#include "run/run.h"
#include "support/allocation_counter.h"
#include "support/linear_algebra.h"
#include "support/machines.h"
#include "support/servo.h"

namespace trunnion {
namespace {

constexpr double kPi = std::numbers::pi;

using test::servo;
const char* const kControl = test::kServoControl;

/// The same machine by its own equations: x, v, p_A, p_B, spool, its rate, integral part, filtered difference, filtered pressure.
struct ServoEquations {
  using State = std::array<double, 9>;
  static State rates(double t, const State& y) {
    const auto [x, v, pA, pB, U, U_rate, I, z, f] = y;
    const double target = 1 + 0.04 * std::sin(2 * kPi * t - kPi / 6), measured = x + 0.5, beta = 1500e6, AA = 19.6e-4, AB = 11.6e-4;
    const double derivative = 12 * 5 * (-measured - z);
    const double u = 12 * (target - measured) + I + derivative + 5e-9 * f - 5e-9 * pA;
    const double C = 40e-3 / 60 / std::sqrt(3.5e6) * std::abs(U);
    const auto flow = [&](double from, double to) { return C * std::sqrt(from - to); };
    const double QA = U > 0 ? flow(16e6, pA) : -flow(pA, 1e5), QB = U > 0 ? -flow(pB, 1e5) : flow(16e6, pB), leak = 2e-12 * (pA - pB);
    const double w = 2 * kPi * 80;
    return {v,
            (pA * AA - pB * AB - 4000 * v) / 500,
            beta / (0.2e-3 + AA * (0.3 + x - 0.5)) * (QA - leak - AA * v),
            beta / (0.2e-3 + AB * (0.3 - x + 0.5)) * (QB + leak + AB * v),
            U_rate,
            w * w * (u - U) - 2 * 0.8 * w * U_rate,
            12 / 0.4 * (target - measured),
            (-measured - z) / (0.015 / 5),
            (pA - f) / 0.03};
  }
  static State start() {
    const double u = 12 * (1 + 0.04 * std::sin(-kPi / 6) - 1) + 5e-9 * 5e6 - 5e-9 * 5e6;
    return {0.5, 0, 5e6, 8e6, u, 0, 0, -1, 5e6};
  }
  /// Positions of the slide at k ms.
  static std::vector<double> positions(int count) {
    constexpr int kParts = 50;
    const double h = 1e-3 / kParts;
    State y = start();
    std::vector<double> x{y[0]};
    for (int i = 0; i < count * kParts; ++i) {
      const auto ahead = [&](const State& slope, double length) {
        State at = y;
        for (std::size_t k = 0; k < at.size(); ++k) at[k] += length * slope[k];
        return at;
      };
      const double t = i * h;
      const State a = rates(t, y), b = rates(t + h / 2, ahead(a, h / 2)), c = rates(t + h / 2, ahead(b, h / 2)),
                  d = rates(t + h, ahead(c, h));
      for (std::size_t k = 0; k < y.size(); ++k) y[k] += h / 6 * (a[k] + 2 * b[k] + 2 * c[k] + d[k]);
      if ((i + 1) % kParts == 0) x.push_back(y[0]);
    }
    return x;
  }
};

std::vector<double> end_state(const std::shared_ptr<const CompiledModel>& model, double end = 1) {
  Runner run(model);
  run.advance(end);
  const StateVector& s = run.state();
  std::vector<double> all(s.q(), s.q() + model->layout.nq);
  all.insert(all.end(), s.y(), s.y() + model->layout.ny);
  return all;
}

/// Largest error of the slide's position over 1 s.
double servo_error(const std::vector<double>& exact, const std::vector<std::string>& set) {
  Runner run(test::model_from(servo(kControl), set));
  double error = 0;
  for (std::size_t k = 0; k < exact.size(); k += 4) {
    run.advance(1e-3 * static_cast<double>(k));
    error = std::max(error, std::abs(run.state().q()[0] - exact[k]));
  }
  return error;
}

TEST(Control, ServoConvergesToItsOwnEquationsAtOrderTwo) {
  const std::vector<double> exact = ServoEquations::positions(1000);
  const double coarse = servo_error(exact, {"solver.step=2 ms"}), fine = servo_error(exact, {"solver.step=1 ms"}),
               finest = servo_error(exact, {"solver.step=0.5 ms"});
  EXPECT_LT(fine, 1e-5);
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.25);
  EXPECT_NEAR(std::log2(fine / finest), 2, 0.15);
  // another gain is found
  EXPECT_GT(servo_error(exact, {"control.position.pid.gain=12.2"}), 10 * fine);
}

TEST(Control, OtherIntegratorsAndTreatmentsAgree) {
  const std::vector<double> exact = ServoEquations::positions(1000);
  EXPECT_LT(servo_error(exact, {"solver.integrator=cvode", "solver.constraints=double_step"}), 1e-8);
  EXPECT_LT(servo_error(exact, {"solver.integrator=ida", "solver.constraints=baumgarte"}), 1e-7);
  EXPECT_LT(servo_error(exact, {"solver.integrator=rk4", "solver.constraints=double_step", "solver.step=0.1 ms"}), 1e-8);
  for (const char* integrator : {"bdf2", "generalized_alpha", "hht", "esdirk3"})
    EXPECT_LT(servo_error(exact, {std::string("solver.integrator=") + integrator, "solver.step=0.5 ms"}), 2e-5) << integrator;
  EXPECT_LT(servo_error(exact, {"solver.coordinates=cartesian"}), 1e-5);
  EXPECT_LT(servo_error(exact, {"solver.constraints=double_step"}), 1e-5);
}

TEST(Control, TheTangentIsExact) {
  const auto exact = test::model_from(servo(kControl)),
             difference = test::model_from(servo(kControl), {"solver.tangent=forward_difference"});
  Runner a(exact), b(difference);
  a.advance(1);
  b.advance(1);
  EXPECT_LE(a.statistics().iterations, 3.1 * static_cast<double>(a.statistics().steps));
  for (int i = 0; i < exact->layout.ny; ++i)
    EXPECT_NEAR(a.state().y()[i], b.state().y()[i], 1e-7 * (1 + std::abs(a.state().y()[i]))) << exact->state_names[i];
}

TEST(Control, HoldsAtEveryScale) {
  const std::vector<double> reference = end_state(test::model_from(servo(kControl)));
  for (const double scale : {1e-3, 1e3}) {
    const std::vector<double> scaled = end_state(test::model_from(servo(kControl, scale)));
    for (std::size_t i = 0; i < reference.size(); ++i)
      EXPECT_NEAR(scaled[i], reference[i], 1e-6 * (1e-3 + std::abs(reference[i]))) << scale << " " << i;
  }
}

// ---------------------------------------------------------------- linear models

/// Eigenvalues of A whose states have these units.
std::vector<std::complex<double>> eigenvalues(const Eigen::MatrixXd& A, const std::vector<double>& units) {
  const Eigen::Map<const Eigen::VectorXd> unit(units.data(), A.rows());
  const Eigen::VectorXcd values = test::eigenvalues(unit.cwiseInverse().asDiagonal() * A * unit.asDiagonal());
  return {values.begin(), values.end()};
}
/// Largest relative distance of an eigenvalue from the nearest of another list.
double farthest(const std::vector<std::complex<double>>& list, const std::vector<std::complex<double>>& others) {
  double largest = 0;
  for (const auto& a : list) {
    double nearest = 1e300;
    for (const auto& b : others) nearest = std::min(nearest, std::abs(a - b) / std::abs(a));
    largest = std::max(largest, nearest);
  }
  return largest;
}
Eigen::Index index_of(const std::vector<LinearVariable>& list, const std::string& name) {
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i].name == name) return static_cast<Eigen::Index>(i);
  ADD_FAILURE() << "no " << name;
  return 0;
}
LinearModel linear_at_start(const std::shared_ptr<const CompiledModel>& model) { return linearise(model, start_state(*model)); }

TEST(Control, ClosedLoopEigenvaluesAreThoseOfTheAlgebraOnTheOpenLoop) {
  const LinearModel closed = linear_at_start(test::model_from(servo(kControl)));
  // the open loop: the command is a signal of the same value
  const LinearModel open =
      linear_at_start(test::model_from(servo(fmt::format("signals: {{command: {:.17g}}}", ServoEquations::start()[4]))));
  const Eigen::Index n = open.A.rows(), u = index_of(open.inputs, "valve.signal");
  const Eigen::VectorXd B = open.B.col(u);
  const Eigen::RowVectorXd length = open.C.row(index_of(open.outputs, "ram.length")),
                           pressure = open.C.row(index_of(open.outputs, "side_A.pressure"));
  // u = -12 y + I + 60 (-y - z) + 5e-9 f - 5e-9 p
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n + 3, n + 3);
  const Eigen::RowVectorXd feedback = -72 * length - 5e-9 * pressure;
  A.topLeftCorner(n, n) = open.A + B * feedback;
  A.block(0, n, n, 1) = B;
  A.block(0, n + 1, n, 1) = -60 * B;
  A.block(0, n + 2, n, 1) = 5e-9 * B;
  A.block(n, 0, 1, n) = -12 / 0.4 * length;
  A.block(n + 1, 0, 1, n) = -5 / 0.015 * length;
  A(n + 1, n + 1) = -5 / 0.015;
  A.block(n + 2, 0, 1, n) = pressure / 0.03;
  A(n + 2, n + 2) = -1 / 0.03;
  // x, v, p_A, p_B, then in the order of the closed loop I, z, f, spool, its rate, and here spool, its rate, I, z, f
  const auto expected = eigenvalues(A, {1e-3, 0.1, 1e6, 1e6, 1, 500, 1e-2, 1e-3, 1e6}),
             found = eigenvalues(closed.A, {1e-3, 0.1, 1e6, 1e6, 1e-2, 1e-3, 1e6, 1, 500}),
             open_values = eigenvalues(open.A, {1e-3, 0.1, 1e6, 1e6, 1, 500});
  ASSERT_EQ(expected.size(), found.size());
  EXPECT_LT(farthest(expected, found), 1e-9);
  EXPECT_GT(farthest(open_values, found), 1e-2);  // the open loop's are not
}

TEST(Control, ABlockHeldOpensTheLoop) {
  // sampled, it is an input of the linear model
  const LinearModel open = linear_at_start(test::model_from(servo(kControl), {"control.command.period=1 s"}));
  const LinearModel plain =
      linear_at_start(test::model_from(servo(fmt::format("signals: {{command: {:.17g}}}", ServoEquations::start()[4]))));
  const Eigen::Index u = index_of(open.inputs, "command.output"), v = index_of(plain.inputs, "valve.signal");
  EXPECT_NEAR(open.inputs[static_cast<std::size_t>(u)].reference, ServoEquations::start()[4], 1e-12);
  for (std::size_t i = 0; i < plain.states.size(); ++i) {
    const Eigen::Index row = index_of(open.states, plain.states[i].name), own = static_cast<Eigen::Index>(i);
    EXPECT_NEAR(open.B(row, u), plain.B(own, v), 1e-12 * (1 + std::abs(plain.B(own, v)))) << plain.states[i].name;
    for (std::size_t j = 0; j < plain.states.size(); ++j) {
      const double expected = plain.A(own, static_cast<Eigen::Index>(j));
      EXPECT_NEAR(open.A(row, index_of(open.states, plain.states[j].name)), expected, 1e-12 * (1 + std::abs(expected)));
    }
  }
}

// ---------------------------------------------------------------- what blocks read and drive

/// The directional and the derivative of a run agree: a linear model predicts small changes of a closed loop of every kind.
const char* const kEveryUser = R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies:
  boom: {rod: {length: 3 m, mass: 300 kg}}
  slide: {point_mass: {mass: 60 kg}}
joints:
  boom: {revolute: {parent: ground, axis: z}, angle: 20 deg, hold: true}
  slide: {prismatic: {parent: boom, at: [1.5 m, 0, 0], axis: x}, position: 0.4 m, speed: 0.1 m/s, hold: true}
springs: {slide: {joint: slide, stiffness: 30 kN/m, damping: 400 N s/m}}
fluid: {density: 870 kg/m^3, bulk_modulus: 1500 MPa}
volumes:
  supply: {volume: 1 L, pressure: 9 MPa}
  head: {volume: 0.2 L, pressure: 6 MPa}
  rod: {volume: 0.2 L, pressure: 4 MPa}
  bleed: {volume: 0.1 L, pressure: 1 MPa}
sources: {tank: {pressure: 1 bar}, feed: {flow: feed_flow, to: bleed}}
pumps: {pump: {S: tank, P: supply, displacement: 20 cm^3/rev, speed: 1500 rpm, fraction: fraction, time_constant: 20 ms}}
valves:
  main: {directional_4_3: {P: supply, T: tank, A: head, B: rod, flow: 30 L/min, at_signal: 1, time_constant: 15 ms}, signal: boom_control}
  drain: {orifice: {A: bleed, B: tank, area: 3 mm^2}, signal: opening}
  relief: {relief: {A: supply, B: tank, cracking_pressure: 20 MPa, flow: 60 L/min, override: 5 bar}}
cylinders:
  lift: {base: {body: ground, at: [0.2 m, -0.8 m, 0]}, rod_end: {body: boom, at: [0.9 m, 0, 0]}, A: head, B: rod, bore: 60 mm, rod: 40 mm,
         chamber_length_A: 0.3 m, chamber_length_B: 0.4 m, leakage: 1e-12 m^3/(s Pa)}
signals: {wanted: {sine: {amplitude: 0.05, frequency: 0.8 Hz, offset: 0.36}}}
control:
  boom_control: {pid: {setpoint: wanted, measurement: boom.angle, gain: 3, integral_time: 1 s, min: -1, max: 1}}
  damped: {gain: {input: boom.rate, gain: 0.2}}
  load: {maximum: {inputs: [head.pressure, rod.pressure]}}
  margin: {sum: {inputs: [load, supply.pressure], gains: [1, -1], offset: 2e6}}
  fraction: {integrator: {input: margin, gain: 2e-7, start: 0.3, min: 0.05, max: 1}}
  shake: {product: {inputs: [slide.position, slide.speed]}}
  feed_flow: {gain: {input: shake, gain: 1e-4, offset: 5e-5}}
  opening: {table: {input: bleed.pressure, points: [[0, 0.3], [2e6, 0.5], [5e6, 1]]}}
record: {channels: ["*", damped.output, shake.output]}
solver: {step: 1 ms, duration: 0.5 s}
)";

TEST(Control, EveryReadingAndEveryUserIsInTheTangent) {
  const std::vector<std::string> fine{"solver.tolerance_pressure=1e-4", "solver.tolerance_other=1e-11", "solver.tolerance_position=1e-12"};
  std::vector<std::string> difference = fine, cartesian = fine, reference = fine;
  difference.push_back("solver.tangent=forward_difference");
  cartesian.push_back("solver.coordinates=cartesian");
  reference.insert(reference.end(), {"solver.integrator=cvode", "solver.constraints=double_step"});
  const auto model = test::model_from(kEveryUser, fine);
  Runner exact(model);
  exact.advance(0.5);
  EXPECT_LE(exact.statistics().iterations, 4 * exact.statistics().steps);
  const auto same = [&](const std::vector<std::string>& set, double tolerance) {
    const auto other = test::model_from(kEveryUser, set);
    Runner run(other);
    run.advance(0.5);
    for (int i = 0; i < model->layout.ny; ++i)
      EXPECT_NEAR(run.state().y()[i], exact.state().y()[i], tolerance * (1e-2 + std::abs(exact.state().y()[i])))
          << model->state_names[i] << " " << set.back();
  };
  same(difference, 1e-6);
  same(cartesian, 1e-5);
  same(reference, 1e-3);
  std::vector<std::string> other = fine;
  other.push_back("control.fraction.integrator.gain=2.2e-7");
  const auto changed = test::model_from(kEveryUser, other);
  Runner run(changed);
  run.advance(0.5);
  EXPECT_GT(std::abs(run.state().y()[0] - exact.state().y()[0]), 1e-2 * exact.state().y()[0]);
}

TEST(Control, StepsDoNotAllocate) {
  if (!test::allocations_are_counted()) GTEST_SKIP();
  for (const char* period : {"", "10 ms"}) {
    std::vector<std::string> set;
    if (*period != 0) set = {std::string("control.position.period=") + period};
    Runner run(test::model_from(servo(kControl), set));
    run.advance(0.1);
    const long before = test::allocations();
    run.advance(0.3);
    EXPECT_EQ(test::allocations(), before) << period;
  }
}

TEST(Control, ARunContinuesFromASavedStateBitForBit) {
  for (const char* period : {"", "7 ms"}) {
    std::vector<std::string> set;
    if (*period != 0) set = {std::string("control.position.period=") + period};
    const auto model = test::model_from(servo(kControl), set);
    Runner whole(model), first(model);
    whole.advance(0.5);
    first.advance(0.21);
    Runner second(model, first.state());
    second.advance(0.5);
    EXPECT_EQ(whole.state().values(), second.state().values()) << period;
  }
}

// ---------------------------------------------------------------- sampled

TEST(Control, ASampledLoopIsTheDiscretisedAlgebra) {
  // a volume filled by a flow source: p' = Q/C is exact; Q = gain (r - p) + I, sampled with backward differences
  const char* const text = R"(
trunnion: 1
fluid: {density: 870 kg/m^3, bulk_modulus: 1500 MPa}
volumes: {v: {volume: 1 L, pressure: 5 MPa}}
sources: {feed: {flow: command, to: v}}
control: {command: {pid: {setpoint: 6e6, measurement: v.pressure, gain: 2e-12, integral_time: 0.3 s}, period: 20 ms, offset: 5 ms}}
solver: {step: 1 ms, duration: 1 s}
)";
  const auto model = test::model_from(text);
  Runner run(model);
  double p = 5e6, I = 0, Q = 2e-12 * 1e6, t = 0;  // before the first sample the value at the start
  for (int k = 0; k < 40; ++k) {
    const double sample = 5e-3 + 20e-3 * k;
    p += 1500e6 / 1e-3 * Q * (sample - t);
    t = sample;
    I += (k == 0 ? 5e-3 : 20e-3) * 2e-12 / 0.3 * (6e6 - p);  // the first one counts the time since the start
    Q = 2e-12 * (6e6 - p) + I;
    run.advance(sample + 4e-3);
    EXPECT_NEAR(run.state().y()[0], p + 1500e6 / 1e-3 * Q * 4e-3, 1e-9 * p) << sample;
    const auto name = std::find(model->state_names.begin(), model->state_names.end(), "command.output");
    EXPECT_NEAR(run.state().y()[name - model->state_names.begin()], Q, 1e-9 * std::abs(Q) + 1e-16) << sample;
  }
}

TEST(Control, TheErrorOfSamplingIsHalfAPeriodOfDelay) {
  const auto position = [](const std::vector<std::string>& set) {
    Runner run(test::model_from(servo(kControl), set));
    std::vector<double> x;
    for (int k = 1; k <= 50; ++k) {
      run.advance(0.02 * k);
      x.push_back(run.state().q()[0]);
    }
    return x;
  };
  const auto distance = [](const std::vector<double>& a, const std::vector<double>& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
    return largest;
  };
  const std::vector<double> continuous = position({});
  const std::vector<double> coarse = position({"control.command.period=4 ms"}), fine = position({"control.command.period=2 ms"});
  EXPECT_NEAR(distance(coarse, continuous) / distance(fine, continuous), 2, 0.3);
  // the continuous loop with a delay of half a period in the command
  std::string delayed = kControl;
  delayed.replace(delayed.find("  command:"), 10, "  command: {delay: {input: undelayed, time: 1 ms}}\n  undelayed:");
  Runner run(test::model_from(servo(delayed)));
  double error = 0;
  for (int k = 1; k <= 50; ++k) {
    run.advance(0.02 * k);
    error = std::max(error, std::abs(run.state().q()[0] - fine[static_cast<std::size_t>(k - 1)]));
  }
  EXPECT_LT(error, 0.1 * distance(fine, continuous));
}

/// Values of blocks at 1 ms after every sample of 10 ms, in a machine without mechanism and oil flow.
std::vector<double> course_of(const std::string& block, const std::string& blocks, int samples) {
  const auto model =
      test::model_from("trunnion: 1\nfluid: {density: 870, bulk_modulus: 1500 MPa}\nvolumes: {v: {volume: 1 L, pressure: 1 bar}}\n" +
                       blocks + "\nsolver: {step: 1 ms, duration: 10 s}\n");
  Runner run(model);
  const auto at = std::find(model->state_names.begin(), model->state_names.end(), block + ".output");
  if (at == model->state_names.end()) throw Error("no " + block);
  std::vector<double> values;
  for (int k = 0; k < samples; ++k) {
    run.advance(0.01 * k + 1e-3);
    values.push_back(run.state().y()[at - model->state_names.begin()]);
  }
  return values;
}

TEST(Control, LogicIsEvaluatedAtSamples) {
  const std::string wave = "signals: {u: {steps: [[5 ms, 0.6], [25 ms, 0.9], [45 ms, 0.6], [65 ms, 0.2], [85 ms, 0.95], [105 ms, 0.1]]}}\n";
  EXPECT_EQ(course_of("r", wave + "control: {r: {relay: {input: u, on: 0.8, off: 0.4, value_on: 3, value_off: -1}, period: 10 ms}}", 12),
            (std::vector<double>{-1, -1, -1, 3, 3, 3, 3, -1, -1, 3, 3, -1}));
  EXPECT_EQ(course_of("c", wave + "control: {c: {counter: {input: u}, period: 10 ms}}", 12),
            (std::vector<double>{0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2}));
  const std::vector<double> timer = course_of("t", wave + "control: {t: {timer: {input: u}, period: 10 ms}}", 12);
  const std::vector<double> expected{0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0, 0, 0.01, 0.02, 0};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(timer[i], expected[i], 1e-12) << i;
  const std::vector<double> steps = course_of("q", wave + "control: {q: {quantiser: {input: u, step: 0.25}, period: 10 ms}}", 8);
  const std::vector<double> whole{0, 0.5, 0.5, 1, 1, 0.5, 0.5, 0.25};
  for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_NEAR(steps[i], whole[i], 1e-12) << i;
}

TEST(Control, ASequenceRunsThroughItsSteps) {
  const std::string text = R"(
signals: {u: {ramps: [[0, 0], [1 s, 10]]}}
control:
  cycle:
    sequence:
      steps:
        - {until: "u > 0.35", set: {boom: 0.5, arm: u}}
        - {until: elapsed >= 0.03, set: {boom: -1}}
        - {until: u > 0.95 and elapsed > 0.005, set: {arm: 7}}
    period: 10 ms
  seen: {expression: cycle.boom + 10 * cycle}
)";
  EXPECT_EQ(course_of("cycle", text, 13), (std::vector<double>{1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 0, 0, 0}));
  EXPECT_EQ(course_of("cycle.boom", text, 13), (std::vector<double>{0.5, 0.5, 0.5, 0.5, -1, -1, -1, -1, -1, -1, -1, -1, -1}));
  EXPECT_EQ(course_of("seen", text, 11), (std::vector<double>{10.5, 10.5, 10.5, 10.5, 19, 19, 19, 29, 29, 29, -1}));
  const std::vector<double> arm = course_of("cycle.arm", text, 10);
  for (int k = 0; k < 10; ++k)
    EXPECT_NEAR(arm[static_cast<std::size_t>(k)], k < 7 ? 0.1 * k + 0.01 : 7, 1e-9) << k;  // continuous between samples
  std::string again = text;
  again.replace(again.find("      steps:"), 12, "      repeat: true\n      steps:");
  EXPECT_EQ(course_of("cycle", again, 13)[10], 1);
}

// ---------------------------------------------------------------- errors

std::string error_of(const std::string& text) {
  try {
    test::model_from(text);
  } catch (const InputError& error) { return error.what(); }
  return "";
}

TEST(Control, MistakesAreNamed) {
  const auto with = [](const std::string& blocks) { return error_of(servo("signals: {target: 1}\ncontrol: {" + blocks + "}")); };
  const std::string loop = with("command: {sum: {inputs: [a, target]}}, a: {gain: {input: b}}, b: {product: {inputs: [command, target]}}");
  EXPECT_NE(loop.find("algebraic loop"), std::string::npos) << loop;
  for (const char* member : {"command", "a ->", "b ->"}) EXPECT_NE(loop.find(member), std::string::npos) << loop;
  const std::string misspelt = with("command: {gain: {input: ram.lenght}}");
  EXPECT_NE(misspelt.find("did you mean `ram.length`?"), std::string::npos) << misspelt;
  EXPECT_NE(with("command: {gain: {input: ram.force}}").find("quantity that blocks can read"), std::string::npos);
  EXPECT_NE(with("command: {maximum: {inputs: [ram.length, 0.2 m]}}").find("`signals: {constant: 0.2 m}`"), std::string::npos);
  EXPECT_NE(with("command: {transfer_function: {input: target, numerator: [1, 2, 3], denominator: [1, 2]}}").find("proper"),
            std::string::npos);
  EXPECT_NE(with("command: {sum: {inputs: [target], gains: [1, 2]}}").find("one for each input"), std::string::npos);
  EXPECT_NE(with("command: {state_space: {inputs: [target], A: [[1, 2]], B: [[1]], C: [1]}}").find("A is square"), std::string::npos);
  EXPECT_NE(with("command: {saturation: {input: target, min: 2, max: 1}}").find("more than the minimum"), std::string::npos);
  EXPECT_NE(with("target: {gain: {input: 1}}, command: {gain: {input: 1}}").find("already used in `signals`"), std::string::npos);
  EXPECT_EQ(with("command: {gain: {input: target}}"), "");
  EXPECT_NE(with("command: {expression: 2 * (target - ram.lenght)}").find("did you mean `ram.length`?"), std::string::npos);
  EXPECT_NE(with("command: {expression: 2 * (target}").find("expected `)`"), std::string::npos);
  EXPECT_NE(with("command: {quantiser: {input: target, step: 1}}").find("`period`"), std::string::npos);
  EXPECT_NE(with("command: {relay: {input: target, on: 1, off: 1}, period: 1 ms}").find("less than `on`"), std::string::npos);
  EXPECT_NE(with("c: {sequence: {steps: [{until: target > 2, set: {a: ram.leng}}]}, period: 1 ms}, command: {gain: {input: c.a}}")
                .find("ram.leng"),
            std::string::npos);
  EXPECT_NE(with("c: {sequence: {steps: [{until: target > 2, set: {a: 1}}]}, period: 1 ms}, command: {gain: {input: c.b}}")
                .find("did you mean `c.a`?"),
            std::string::npos);
  std::string many = "c: {sequence: {steps: [{until: elapsed > 1, set: {a: ram.length";
  std::string volumes = "volumes:\n";
  for (int i = 0; i < 40; ++i) {
    many += " + w" + std::to_string(i) + ".pressure";
    volumes += "  w" + std::to_string(i) + ": {volume: 1 L, pressure: 1 bar}\n";
  }
  std::string long_sequence = servo("control: {" + many + "}}]}, period: 1 ms}, command: {gain: {input: c.a}}}");
  long_sequence.replace(long_sequence.find("volumes:\n"), 9, volumes);
  EXPECT_NE(error_of(long_sequence).find("at most 3"), std::string::npos) << error_of(long_sequence);
  const std::string motion = error_of(servo("control: {command: {gain: {input: 1}}}\nmotions: {push: {joint: slide, signal: command}}"));
  EXPECT_NE(motion.find("follow a `low_pass` with `frequency`"), std::string::npos) << motion;
  std::string unknown = servo("control: {command: {gain: {input: side_A.pressure, gain: 1e-7}}}");
  unknown.replace(unknown.find("pressure: 5 MPa"), 15, "pressure: equilibrium");
  EXPECT_NO_THROW(test::model_from(unknown));
  EXPECT_THROW(start_state(*test::model_from(unknown)), InputError);
}

/// Commands that are flat around 0 are not independent of the pressure: none is guessed.
TEST(Control, ACommandByAnUnknownPressureIsRefusedWhateverItsCharacteristic) {
  const auto start = [](const std::string& command) {
    std::string text = servo("control: {command: {" + command + "}}");
    text.replace(text.find("pressure: 5 MPa"), 15, "pressure: equilibrium");
    return start_state(*test::model_from(text));
  };
  EXPECT_THROW(start("relay: {input: side_A.pressure, on: 2e6, off: 1e6}, period: 10 ms"), InputError);
  EXPECT_THROW(start("saturation: {input: side_A.pressure, min: 2e6, max: 3e6}"), InputError);
  EXPECT_THROW(start("expression: 'if(side_A.pressure > 1e5, 0.1, 0)'"), InputError);
  EXPECT_THROW(start("low_pass: {input: side_A.pressure, time_constant: 1 s}"), InputError);
  EXPECT_NO_THROW(start("integrator: {input: side_A.pressure}"));
  EXPECT_NO_THROW(start("derivative: {input: side_A.pressure, time_constant: 10 ms}"));
  std::string flow =
      "trunnion: 1\nfluid: {density: 870, bulk_modulus: 1500 MPa}\nvolumes: {v: {volume: 1 L}}\nsources: {feed: {flow: f, to: v}}\n"
      "control: {f: {gain: {input: v.pressure, gain: 1e-12}}}\n";
  try {
    start_state(*test::model_from(flow));
    ADD_FAILURE();
  } catch (const InputError& error) { EXPECT_NE(std::string(error.what()).find("control.f"), std::string::npos) << error.what(); }
}

/// A parameter that is 0 does not change the order of states, so that models share patterns.
TEST(Control, ParametersDoNotChangeTheStructure) {
  const char* const blocks =
      "signals: {target: 1}\ncontrol: {command: {sum: {inputs: [b, target], gains: [%, 1e-3]}}, b: {lead_lag: {input: ram.length, gain: 1, "
      "lead: @ s, lag: 1}}}";
  const auto model = [&](const std::string& gain, const std::string& lead) {
    std::string text = blocks;
    text.replace(text.find('%'), 1, gain);
    text.replace(text.find('@'), 1, lead);
    return test::model_from(servo(text));
  };
  const auto zero = model("0", "0"), other = model("0.01", "0.1");
  EXPECT_TRUE(same_structure(*zero, *other));
  EXPECT_EQ(zero->state_names, other->state_names);
  const auto shared = compile(other->description, zero);
  Runner a(other), b(shared);
  a.advance(0.2);
  b.advance(0.2);
  EXPECT_EQ(a.state().values(), b.state().values());
}

TEST(Control, ASampleWithoutSolutionEndsTheRunAndKeepsTheState) {
  // x' = 16 x: the pole is the inverse of the period, which is a binary number
  const auto model = test::model_from(
      servo("control: {command: {state_space: {inputs: [ram.length], A: [[16]], B: [[0]], C: [1e-6], start: [1]}, period: 62.5 ms}}"));
  Runner run(model);
  try {
    run.advance(0.1);
    ADD_FAILURE() << "no error";
  } catch (const SimulationError& error) {
    EXPECT_NE(std::string(error.what()).find("control.command"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("period"), std::string::npos) << error.what();
  }
  EXPECT_NEAR(run.state().time, 0.0625, 1e-12);
  for (const double value : run.state().values()) EXPECT_TRUE(std::isfinite(value));
}

/// The same loop with the command in other units, and values beyond those of pressures.
TEST(Control, UnitsOfValuesDoNotMatter) {
  const std::vector<double> reference = end_state(test::model_from(servo(kControl)));
  for (const double unit : {1e-9, 1e9}) {
    std::string text =
        servo(fmt::format("signals: {{target: {{sine: {{amplitude: 40 mm, frequency: 1 Hz, offset: 1 m, phase: -30 deg}}}}}}\ncontrol:\n"
                          "  position: {{pid: {{setpoint: target, measurement: ram.length, gain: {0:.17g}, integral_time: 0.4 s, "
                          "derivative_time: 15 ms, filter: 5}}}}\n"
                          "  filtered: {{low_pass: {{input: side_A.pressure, time_constant: 30 ms}}}}\n"
                          "  command: {{sum: {{inputs: [position, filtered, side_A.pressure], gains: [1, {1:.17g}, {2:.17g}]}}}}\n"
                          "  power: {{product: {{inputs: [side_A.pressure, side_B.pressure]}}}}",
                          12 * unit, 5e-9 * unit, -5e-9 * unit));
    text.replace(text.find("at_signal: 1,"), 13, fmt::format("at_signal: {:.17g},", unit));
    const std::vector<double> found = end_state(test::model_from(text));
    EXPECT_NEAR(found[0], reference[0], 1e-9) << unit;
    for (std::size_t i = 1; i < 3; ++i) EXPECT_NEAR(found[i], reference[i], 1e-6 * reference[i]) << unit << " " << i;
  }
}

TEST(Control, ALoopIsClosedByStatesNotByBlocksAlone) {
  EXPECT_EQ(error_of(servo("control: {command: {gain: {input: lag, gain: -1}}, lag: {low_pass: {input: command, time_constant: 1 s}}}")),
            "");
  EXPECT_EQ(error_of(servo("control: {command: {gain: {input: b}, period: 1 ms}, b: {gain: {input: command}}}")), "");
}

TEST(Control, ADescriptionOfAStateHasTheIntegrals) {
  const auto model = test::model_from(servo(kControl));
  Runner run(model);
  run.advance(0.3);
  const auto again = compile(description_at(*model, run.state()));
  const StateVector start = start_state(*again);
  const auto i = std::find(model->state_names.begin(), model->state_names.end(), "position.state_1") - model->state_names.begin();
  EXPECT_NE(start.y()[i], 0) << std::get<PidBlock>(again->description.control[0].second.law).start;
  EXPECT_EQ(start.y()[i], run.state().y()[i]);
}

}  // namespace
}  // namespace trunnion
