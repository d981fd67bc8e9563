// Rolling discs, blades and coupled rates. Reference: closed forms of the disc's steady turn, of the Chaplygin sleigh and of wheels on
// inclines and treadmills; the disc's equations in three rates and two angles, derived by hand and integrated by a Runge-Kutta method.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "machine/observe.h"
#include "run/run.h"
#include "support/machines.h"

namespace trunnion {
namespace {

using test::model_from;

constexpr double kGravity = 9.81, kRadius = 0.3, kMass = 2;
constexpr double kSpin = kMass * kRadius * kRadius / 2, kTilt = kSpin / 2;  // moments of inertia about the axis and a diameter

/// A disc that rolls on z = 0; axis y, forward x. Start: lean to the left (towards +y) from upright, angular velocity, ground axes.
std::string disc(double lean, const Vec<3>& omega, const std::string& settings = "step: 1 ms, duration: 1 s",
                 const std::string& more = "") {
  return fmt::format(R"(
trunnion: 1
gravity: [0, 0, -9.81]
bodies: {{disc: {{mass: {}, inertia: [{}, {}, {}]}}}}
joints: {{disc: {{free: {{parent: ground}}, position: [0, 0, {}], rotation: [{}, 0, 0], angular_velocity: [{}, {}, {}]}}}}
wheels: {{rim: {{body: disc, axis: y, radius: {}{}}}}}
solver: {{{}}}
)",
                     kMass, kTilt, kSpin, kTilt, kRadius * std::cos(lean), -lean, omega.x(), omega.y(), omega.z(), kRadius, more, settings);
}

double channel(Observer& observer, const StateVector& state, const std::string& name) {
  observer.observe(state, Side::left);
  std::vector<double> values(observer.channels().size());
  observer.values(values.data());
  for (std::size_t i = 0; i < values.size(); ++i)
    if (observer.channels()[i].name == name) return values[i];
  ADD_FAILURE() << "no channel " << name;
  return 0;
}
double energy(Observer& observer, const StateVector& state) {
  observer.observe(state, Side::left);
  return observer.stored().kinetic + observer.stored().potential;
}

// ---------------------------------------------------------------- steady turn

/// Turning at rate W about the vertical with its centre on a circle of radius rho and its plane leaning in by `lean`:
///   W^2 cos(lean) (A sin(lean) + (C + m R^2) rho / R) = m g R sin(lean)
struct SteadyTurn {
  double lean, rho;
  double rate() const {
    const double moment = kTilt * std::sin(lean) + (kSpin + kMass * kRadius * kRadius) * rho / kRadius;
    return std::sqrt(kMass * kGravity * kRadius * std::tan(lean) / moment);
  }
  /// Forward along x at the start, the centre of the circle to the left.
  Vec<3> omega() const {
    const double W = rate(), spin = W * (rho / kRadius + std::sin(lean));
    return {0, spin * std::cos(lean), W - spin * std::sin(lean)};
  }
};

TEST(RollingDisc, TurnsSteadilyWithTheForcesOfAnyTurn) {
  const SteadyTurn turn{0.4, 1.1};
  const double W = turn.rate(), around = 2 * std::numbers::pi / W;
  const auto model = model_from(disc(turn.lean, turn.omega(), fmt::format("step: {:.17g}, duration: {:.17g}", around / 2000, around)));
  EXPECT_FALSE(model->planar);
  Runner run(model);
  const auto observer = make_observer(model);
  const StateVector start = run.state();
  EXPECT_NEAR(start.v()[0], W * turn.rho, 1e-12);  // follows from the turn: rolls forward along x
  EXPECT_NEAR(start.v()[1], 0, 1e-12);
  for (int quarter = 1; quarter <= 4; ++quarter) {
    run.advance(quarter * around / 4);
    const StateVector& s = run.state();
    const double angle = quarter * std::numbers::pi / 2;
    EXPECT_NEAR(s.q()[0] - start.q()[0], turn.rho * std::sin(angle), 2e-5);
    EXPECT_NEAR(s.q()[1] - start.q()[1], turn.rho * (1 - std::cos(angle)), 2e-5);
    EXPECT_NEAR(s.q()[2], kRadius * std::cos(turn.lean), 2e-6);
    EXPECT_NEAR(channel(*observer, s, "rim.normal_force"), kMass * kGravity, 1e-3);
    EXPECT_NEAR(channel(*observer, s, "rim.longitudinal_force"), 0, 1e-3);
    EXPECT_NEAR(channel(*observer, s, "rim.lateral_force"), kMass * W * W * turn.rho, 1e-3);  // pulls inwards
    // the contact lies outside of the centre's circle
    const double outside = turn.rho + kRadius * std::sin(turn.lean);
    EXPECT_NEAR(channel(*observer, s, "rim.contact_x"), outside * std::sin(angle), 2e-5);
    EXPECT_NEAR(channel(*observer, s, "rim.contact_y"), turn.rho - outside * std::cos(angle), 2e-5);
    EXPECT_NEAR(channel(*observer, s, "rim.contact_z"), 0, 1e-10);
    EXPECT_LT(channel(*observer, s, "rim.slip"), 1e-7);
  }
  EXPECT_LT(run.statistics().max_velocity_violation, 1e-7);
  EXPECT_LT(run.statistics().max_violation, 1e-10);
}

TEST(RollingDisc, StartSpeedsFollowFromOneThatIsStated) {
  const auto model = model_from(R"(
trunnion: 1
bodies: {disc: {cylinder: {length: 1 mm, radius: 0.3, mass: 2, axis: y}}}
joints: {disc: {free: {parent: ground}, position: [0, 0, 0.31], rotation: [0, 0, 0], velocity: [5, 0, 0]}}
wheels: {rim: {body: disc, axis: y, radius: 0.3}}
solver: {step: 1 ms, duration: 1 s}
)");
  const std::vector<double>&q = model->q_start, &v = model->v_start;
  EXPECT_NEAR(q[2], 0.3, 1e-12);  // assembled onto the plane
  const double expected[] = {5, 0, 0, 0, 5 / 0.3, 0};
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(v[i], expected[i], 1e-12) << i;
}

// ---------------------------------------------------------------- any motion

/// y = lean, heading, omega along forward, axis, up the disc; centre x, y. With triad t (forward), e (axis), w (from the contact to the
/// centre), w3 the turn about w and f2 = -w3 tan(lean) that of the triad about e:
///   (A + m R^2) w1' = -A f2 w3 + (C + m R^2) w2 w3 - m g R sin(lean)
///   (C + m R^2) w2' = -m R^2 w3 w1
///            A  w3' = A f2 w1 - C w1 w2
///   lean' = -w1, heading' = w3/cos(lean), v = R (w2 t - w1 e)
using Disc = std::array<double, 7>;
Disc rate(const Disc& y) {
  const double lean = y[0], heading = y[1], w1 = y[2], w2 = y[3], w3 = y[4], f2 = -w3 * std::tan(lean);
  const double mRR = kMass * kRadius * kRadius, side = kRadius * w1 * std::cos(lean);
  return {-w1,
          w3 / std::cos(lean),
          (-kTilt * f2 * w3 + (kSpin + mRR) * w2 * w3 - kMass * kGravity * kRadius * std::sin(lean)) / (kTilt + mRR),
          -mRR * w3 * w1 / (kSpin + mRR),
          (kTilt * f2 * w1 - kSpin * w1 * w2) / kTilt,
          kRadius * w2 * std::cos(heading) + side * std::sin(heading),
          kRadius * w2 * std::sin(heading) - side * std::cos(heading)};
}
Disc advance(Disc y, double time, int steps) {
  const double h = time / steps;
  const auto moved = [](const Disc& from, const Disc& along, double by) {
    Disc to = from;
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += by * along[i];
    return to;
  };
  for (int i = 0; i < steps; ++i) {
    const Disc a = rate(y), b = rate(moved(y, a, h / 2)), c = rate(moved(y, b, h / 2)), d = rate(moved(y, c, h));
    for (std::size_t k = 0; k < y.size(); ++k) y[k] += h / 6 * (a[k] + 2 * b[k] + 2 * c[k] + d[k]);
  }
  return y;
}

class RollingDiscBy : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Treatments, RollingDiscBy, ::testing::Values("penalty", "double_step", "baumgarte"));

TEST_P(RollingDiscBy, FollowsItsEquationsInMinimalCoordinatesWithOrderTwo) {
  const double lean = 0.3, w1 = 0.9, w2 = 7, w3 = 1.2;
  const Vec<3> e{0, std::cos(lean), -std::sin(lean)}, w{0, std::sin(lean), std::cos(lean)};
  const Vec<3> omega = Vec<3>(w1, 0, 0) + w2 * e + w3 * w;
  const Disc end = advance({lean, 0, w1, w2, w3, 0, 0}, 2, 40000);
  double error[2], energy_error[2];
  for (int k : {0, 1}) {
    const auto model = model_from(disc(lean, omega, fmt::format("step: {} ms, duration: 2 s, tolerance_position: 1e-11", k == 0 ? 2 : 0.5)),
                                  {std::string("solver.constraints=") + GetParam()});
    const auto observer = make_observer(model);
    Runner run(model);
    const double before = energy(*observer, run.state()), x = run.state().q()[0], y = run.state().q()[1];
    run.advance(2);
    const StateVector& s = run.state();
    error[k] =
        std::max({std::abs(s.q()[0] - x - end[5]), std::abs(s.q()[1] - y - end[6]), std::abs(s.q()[2] - kRadius * std::cos(end[0]))});
    energy_error[k] = std::abs(energy(*observer, s) - before) / before;
    if (GetParam() == std::string("baumgarte")) continue;  // leaves the rule's error
    const bool to_rounding = GetParam() == std::string("double_step");
    EXPECT_LT(run.statistics().max_velocity_violation, to_rounding ? 1e-13 : 1e-7);
    EXPECT_LT(run.statistics().max_violation, to_rounding ? 1e-14 : 1e-10);
  }
  EXPECT_LT(error[0], 1e-5);
  EXPECT_NEAR(0.5 * std::log2(error[0] / error[1]), 2.0, 0.05);
  EXPECT_LT(energy_error[1], energy_error[0] / 8);
}

TEST(RollingDisc, ForwardDifferencesGiveTheSameMotion) {
  const std::string text = disc(0.3, {0.9, 6, 1.5}, "step: 1 ms, duration: 0.3 s");
  Runner exact(model_from(text)), differences(model_from(text, {"solver.tangent=forward_difference"}));
  exact.advance(0.3);
  differences.advance(0.3);
  for (int i = 0; i < 7; ++i) EXPECT_NEAR(exact.state().q()[i], differences.state().q()[i], 5e-7) << i;  // tolerances of 300 steps
  EXPECT_LE(exact.statistics().iterations, differences.statistics().iterations);
}

TEST(RollingDisc, KeepsItsEnergyForLong) {
  const SteadyTurn turn{0.2, 2};
  const auto model = model_from(disc(turn.lean + 0.1, turn.omega(), "step: 2 ms, duration: 30 s"));  // nods and weaves
  const auto observer = make_observer(model);
  Runner run(model);
  const double before = energy(*observer, run.state());
  double worst = 0;
  for (int second = 1; second <= 30; ++second) {
    run.advance(second);
    worst = std::max(worst, std::abs(energy(*observer, run.state()) / before - 1));
  }
  EXPECT_LT(worst, 1e-4);
}

TEST(RollingDisc, DoesNotMatterWhereThePlaneLies) {
  // the same roll on a plane that is rotated and shifted with gravity and disc
  const double lean = 0.3;
  const Vec<3> omega{0.9, 6, 1.5};
  const auto level = model_from(disc(lean, omega));
  const Mat<3> R = (Eigen::AngleAxisd(0.7, Vec<3>(1, 2, -1).normalized())).toRotationMatrix();
  const Vec<3> shift(10, -4, 2), g = R * Vec<3>(0, 0, -kGravity), n = R.col(2), axis = R * Vec<3>(0, std::cos(lean), -std::sin(lean)),
                                 turn = R * omega, at = R * Vec<3>(0, 0, kRadius * std::cos(lean)) + shift;
  const auto text = [](const Vec<3>& x) { return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x.x(), x.y(), x.z()); };
  // the disc's own axes remain those of the ground at the start; its inertia tensor is rotated
  const Mat<3> J = kTilt * Mat<3>::Identity() + (kSpin - kTilt) * axis * axis.transpose();
  const auto tilted = model_from(fmt::format(
      "trunnion: 1\ngravity: {}\nbodies: {{disc: {{mass: {}, inertia: {{xx: {:.17g}, yy: {:.17g}, zz: {:.17g}, xy: {:.17g}, xz: {:.17g}, "
      "yz: {:.17g}}}}}}}\njoints: {{disc: {{free: {{parent: ground}}, position: {}, rotation: [0, 0, 0], angular_velocity: {}}}}}\nwheels: "
      "{{rim: {{body: disc, axis: {}, radius: {}, plane: {{at: {}, normal: {}}}}}}}\nsolver: {{step: 1 ms, duration: 1 s}}\n",
      text(g), kMass, J(0, 0), J(1, 1), J(2, 2), J(0, 1), J(0, 2), J(1, 2), text(at), text(turn), text(axis), kRadius, text(shift),
      text(n)));
  Runner a(level), b(tilted);
  a.advance(1);
  b.advance(1);
  const Vec<3> x(a.state().q()[0], a.state().q()[1], a.state().q()[2]), y(b.state().q()[0], b.state().q()[1], b.state().q()[2]);
  EXPECT_LT((R * x + shift - y).norm(), 1e-8);
}

// ---------------------------------------------------------------- straight runs

/// An upright disc on a plate that slides along x; the drive of the plate is in `plate`.
std::string on_plate(const std::string& gravity, const std::string& plate, const std::string& rest) {
  return fmt::format(R"(
trunnion: 1
gravity: {}
bodies:
  plate: {{box: {{size: [4, 1, 0.1], mass: 10}}}}
  disc:  {{mass: {}, inertia: [{}, {}, {}]}}
joints:
  plate: {{prismatic: {{parent: ground, at: [0, 0, 0.2], axis: x}}{}}}
  disc:  {{free: {{parent: ground}}, position: [0, 0, 0.55], rotation: [0, 0, 0]}}
wheels: {{rim: {{body: disc, axis: y, radius: {}, plane: {{body: plate, at: [0, 0, 0.05], normal: z}}}}}}
{}
solver: {{step: 1 ms, duration: 1 s}}
)",
                     gravity, kMass, kTilt, kSpin, kTilt, plate, kRadius, rest);
}

TEST(RollingDisc, RollsDownAnInclineAtTwoThirds) {
  // gravity is tilted instead of the plane; the plate is locked by a motion
  const auto model =
      model_from(on_plate("[2, 0, -9]", ", position: 0", "motions: {still: {joint: plate, signal: place}}\nsignals: {place: 0}"));
  Runner run(model);
  run.advance(1);
  EXPECT_NEAR(run.state().q()[1], 0.5 * 2 * 2 / 3, 1e-9);  // q: plate, then disc
  const auto observer = make_observer(model);
  EXPECT_NEAR(channel(*observer, run.state(), "rim.longitudinal_force"), -kMass * 2 / 3.0, 1e-6);  // resists it, and spins it up
  EXPECT_NEAR(channel(*observer, run.state(), "rim.normal_force"), kMass * 9, 1e-6);
}

TEST(RollingDisc, ATreadmillDragsItAlongWithAThird) {
  const auto model = model_from(on_plate("[0, 0, -9.81]", ", position: 0",
                                         "motions: {belt: {joint: plate, signal: way}}\nsignals: {way: {sine: {amplitude: 0.2, frequency: "
                                         "0.5, phase: -90 deg, offset: 0.2}}}"));
  Runner run(model);
  run.advance(1);
  EXPECT_NEAR(run.state().q()[0], 0.4, 1e-12);
  EXPECT_NEAR(run.state().q()[1], 0.4 / 3, 1e-6);
}

TEST(RollingDisc, AFreePlateGoesBackAsTheDiscGoesForth) {
  // a torque spins the disc up on a freely sliding plate: momentum stays zero, and the rim does not slip on the plate
  const auto model = model_from(on_plate("[0, 0, -9.81]", ", position: 0", "forces: {motor: {body: disc, torque: [0, 3, 0]}}"));
  Runner run(model);
  run.advance(0.5);
  // m x'' = F, M X'' = -F, C w' = T - R F, x' - X' = R w
  const double F = 3 * kRadius / kSpin / (1 / kMass + 1 / 10.0 + kRadius * kRadius / kSpin);
  EXPECT_NEAR(run.state().q()[1], F / kMass / 8, 1e-8);
  EXPECT_NEAR(run.state().q()[0], -F / 10 / 8, 1e-8);
}

TEST(RollingDisc, SlipsSidewaysWhereItMay) {
  const auto model = model_from(fmt::format(R"(
trunnion: 1
gravity: [0, 1.5, -9.81]
bodies: {{disc: {{mass: {}, inertia: [{}, {}, {}]}}}}
joints: {{disc: {{free: {{parent: ground}}, position: [0, 0, {}], rotation: [0, 0, 0], velocity: [1, 0, 0]}}}}
wheels: {{rim: {{body: disc, axis: y, radius: {}, lateral_slip: free}}}}
solver: {{step: 1 ms, duration: 0.1 s}}
)",
                                            kMass, kTilt, kSpin, kTilt, kRadius, kRadius));
  Runner run(model);
  run.advance(0.1);
  // no tilting moment: the plane's force passes through the centre
  EXPECT_NEAR(run.state().q()[1], 1.5 * 0.01 / 2, 1e-9);
  EXPECT_NEAR(run.state().q()[0], 0.1, 1e-9);
}

TEST_P(RollingDiscBy, FallingFlatEndsTheRunByName) {
  const auto model = model_from(disc(0.5, {0, 0, 0}, "step: 1 ms, duration: 3 s"), {std::string("solver.constraints=") + GetParam()});
  Runner run(model);
  try {
    run.advance(3);
    FAIL() << "the disc stands";
  } catch (const SimulationError& error) {
    EXPECT_NE(std::string(error.what()).find("rim"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("falls flat"), std::string::npos) << error.what();
  }
  EXPECT_LT(run.state().q()[2], 0.05);  // it did fall
}

// ---------------------------------------------------------------- bicycle

/// M x'' + v C x' + (g K_0 + v^2 K_2) x = 0 of lean and steer angle to the right, canonical matrices of the benchmark
/// (Meijaard, Papadopoulos, Ruina, Schwab 2007, section 5).
std::array<double, 4> benchmark_rate(const std::array<double, 4>& x, double v) {
  const Mat<2> M{{80.81722, 2.31941332208709}, {2.31941332208709, 0.29784188199686}};
  const Mat<2> K_0{{-80.95, -2.59951685249872}, {-2.59951685249872, -0.80329488458618}};
  const Mat<2> K_2{{0, 76.59734589573222}, {0, 2.65431523794604}};
  const Mat<2> C{{0, 33.86641391492494}, {-0.85035641456978, 1.68540397397560}};
  const Vec<2> q(x[0], x[1]), q_dot(x[2], x[3]), a = M.inverse() * -(v * C * q_dot + (kGravity * K_0 + v * v * K_2) * q);
  return {x[2], x[3], a[0], a[1]};
}

TEST(Bicycle, FollowsTheBenchmarkEquations) {
  constexpr double kLeanRate = 1e-3;
  for (const double v : {3.0, 5.0, 7.0}) {
    const auto model = test::load_example(
        "bicycle", {fmt::format("joints.frame.velocity.0={}", v), fmt::format("joints.frame.angular_velocity.0={}", kLeanRate)});
    Runner run(model);
    const auto observer = make_observer(model);
    EXPECT_NEAR(channel(*observer, run.state(), "rear_wheel.rate"), v / 0.3, 1e-9);
    EXPECT_NEAR(channel(*observer, run.state(), "front_wheel.rate"), v / 0.35, 1e-9);
    std::array<double, 4> x{0, 0, kLeanRate, 0};
    double largest = 0, error = 0;
    constexpr int kSubsteps = 20;
    for (int k = 1; k <= 100; ++k) {
      constexpr double h = 0.02 / kSubsteps;
      for (int i = 0; i < kSubsteps; ++i) {
        const auto moved = [&](const std::array<double, 4>& along, double by) {
          std::array<double, 4> to = x;
          for (int c = 0; c < 4; ++c) to[c] += by * along[c];
          return to;
        };
        const auto a = benchmark_rate(x, v), b = benchmark_rate(moved(a, h / 2), v), c = benchmark_rate(moved(b, h / 2), v),
                   d = benchmark_rate(moved(c, h), v);
        for (int n = 0; n < 4; ++n) x[n] += h / 6 * (a[n] + 2 * b[n] + 2 * c[n] + d[n]);
      }
      run.advance(0.02 * k);
      const double lean = 2 * channel(*observer, run.state(), "frame.q_x"), steer = -channel(*observer, run.state(), "fork.angle");
      largest = std::max({largest, std::abs(x[0]), std::abs(x[1])});
      error = std::max({error, std::abs(lean - x[0]), std::abs(steer - x[1])});
    }
    EXPECT_GT(largest, 1e-4);
    EXPECT_LT(error, 1e-3 * largest) << v << " m/s";
    EXPECT_LT(run.statistics().max_velocity_violation, 1e-7);
    EXPECT_LT(run.statistics().max_violation, 1e-10);
  }
}

TEST(Bicycle, RollsUprightAsWritten) {
  const auto model = test::load_example("bicycle");
  Runner run(model);
  run.advance(2);
  const auto observer = make_observer(model);
  EXPECT_NEAR(channel(*observer, run.state(), "frame.x"), 10, 1e-8);
  EXPECT_NEAR(channel(*observer, run.state(), "frame.q_w"), 1, 1e-12);
  EXPECT_NEAR(channel(*observer, run.state(), "fork.angle"), 0, 1e-9);
  // weights on the ground: moments about the rear contact
  const double front = kGravity * (85 * 0.3 + 4 * 0.9 + 3 * 1.02) / 1.02;
  EXPECT_NEAR(channel(*observer, run.state(), "front.normal_force"), front, 1e-5);
  EXPECT_NEAR(channel(*observer, run.state(), "rear.normal_force"), kGravity * 94 - front, 1e-5);
}

// ---------------------------------------------------------------- blades

/// A sleigh of mass m and inertia J on a blade, its centre of mass a in front of it. With V^2 = u^2 + k^2 w^2, k^2 = J/m + a^2:
///   u = V tanh(x), w = V/k sech(x), x = x_0 + a V t/k^2, and the heading turns by (k/a) 2 atan(tanh(x/2)) between two x
void follow_sleigh(const std::string& parent, const std::string& bodies, const std::string& joints, bool planar) {
  constexpr double m = 3, J = 0.5, a = 0.4, u_0 = 0.2, w_0 = 2;
  const double k = std::sqrt(J / m + a * a), V = std::sqrt(u_0 * u_0 + k * k * w_0 * w_0), x_0 = std::atanh(u_0 / V);
  double error[2] = {0, 0};
  for (int run_number : {0, 1}) {
    const auto model = model_from(fmt::format(R"(
trunnion: 1
gravity: [0, 0, 0]
bodies:
  sleigh: {{mass: {}, center_of_mass: [{}, 0, 0], inertia: [1, 1, {}]}}
{}joints:
{}  sleigh: {{planar: {{parent: {}, normal: z}}, position: [0, 0], angle: 0, velocity: [{}, 0], rate: {}}}
blades: {{skate: {{body: sleigh, at: [0, 0, 0], across: y}}}}
solver: {{step: {}, duration: 3, tolerance_position: 1e-11}}
)",
                                              m, a, J, bodies, joints, parent, u_0, w_0, run_number == 0 ? 0.002 : 0.0005));
    EXPECT_EQ(model->planar, planar);
    const auto observer = make_observer(model);
    Runner run(model);
    for (double t : {1.0, 2.0, 3.0}) {
      run.advance(t);
      const StateVector& s = run.state();
      const double x = x_0 + a * V * t / (k * k), w = V / k / std::cosh(x);
      const double heading = k / a * 2 * (std::atan(std::tanh(x / 2)) - std::atan(std::tanh(x_0 / 2)));
      const double found = channel(*observer, s, "sleigh.angle"), turn = channel(*observer, s, "sleigh.rate");
      error[run_number] = std::max({error[run_number], std::abs(found - heading), std::abs(turn - w)});
      EXPECT_LT(channel(*observer, s, "skate.slip"), 1e-7);
      // the blade pushes with m (u w + a w') to its side
      EXPECT_NEAR(channel(*observer, s, "skate.lateral_force"), m * (V * std::tanh(x) * w - a * a * V / (k * k) * w * std::tanh(x)), 1e-2);
    }
  }
  EXPECT_LT(error[0], 1e-5);
  EXPECT_NEAR(0.5 * std::log2(error[0] / error[1]), 2.0, 0.05);
}
TEST(Blade, ChaplyginSleigh) { follow_sleigh("ground", "", "", true); }
TEST(Blade, ChaplyginSleighInSpace) {  // a prismatic joint along the normal, without motion, makes the machine spatial
  follow_sleigh("lift", "  lift: {box: {size: [1, 1, 1], mass: 1}}\n", "  lift: {prismatic: {parent: ground, axis: z}, position: 0}\n",
                false);
}

// ---------------------------------------------------------------- coupled rates

TEST(VelocityCoupling, SharesAMomentWhateverTheAngles) {
  const auto model = model_from(R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {a: {mass: 1, inertia: [2, 2, 2]}, b: {mass: 1, inertia: [3, 3, 5]}}
joints:
  a: {revolute: {parent: ground, axis: z}, angle: 0.3, hold: true, rate: 1}
  b: {revolute: {parent: ground, at: [1, 0, 0], axis: z}, angle: 2}
couplings: {gear: {joints: [a, b], ratio: -4, level: velocity}}
forces: {motor: {joint: a, load: 3}}
solver: {step: 1 ms, duration: 1 s}
)");
  EXPECT_EQ(model->q_start[0], 0.3);
  EXPECT_EQ(model->q_start[1], 2);
  EXPECT_NEAR(model->v_start[0], 1, 1e-15);
  EXPECT_NEAR(model->v_start[1], -0.25, 1e-12);
  Runner run(model);
  run.advance(1);
  const double a = 3 / (2 + 5 / 16.0);
  EXPECT_NEAR(run.state().v()[0], 1 + a, 1e-9);
  EXPECT_NEAR(run.state().q()[0], 1.3 + a / 2, 1e-9);
  EXPECT_NEAR(run.state().q()[1], 2 - (1 + a / 2) / 4, 1e-9);
  EXPECT_NEAR(run.state().multipliers()[0], 3 - 2 * a, 1e-6);  // M a + B^T mu = Q
}

}  // namespace
}  // namespace trunnion
