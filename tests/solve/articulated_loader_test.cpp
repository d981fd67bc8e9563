// The articulated loader of examples/: yaw mode on the trapped oil of its steering from a linear model derived here, its path from the
// kinematics of two axles on a joint, static loads of wheels and cylinders from moments, both treatments and the order of the rule.
//
//      rear axle      joint    front axle        a, b: from the joint to the front and to the rear axle
//         |---- b ------o------ a ---|           gamma: front frame from the rear one; omega_f = omega_r + d gamma/dt
//
// Neither axle's centre moves sideways:   omega_r = (v_r sin(gamma) - a dgamma/dt) / (a + b cos(gamma)),   v_r the speed of the rear
// axle's centre. A locked joint:   R_rear = (a + b cos(gamma)) / sin(gamma),   R_front = (b + a cos(gamma)) / sin(gamma).
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <vector>

#include "linearise/linear_model.h"
#include "machine/start.h"
#include "results/run_case.h"
#include "spectra/spectrum.h"
#include "support/machines.h"

namespace trunnion {
namespace {

using test::load_example;
using Settings = std::vector<std::string>;
using Point = std::complex<double>;  // x forward, z up from the front frame's origin; or x, y on the ground

// values of examples/parts/articulated_loader.yaml
constexpr double kGravity = 9.81, kDegree = std::numbers::pi / 180;
constexpr double kFront = 1.4, kRear = 1.6, kBase = kFront + kRear, kHalfTrack = 1, kRadius = 0.75;  // [m]
constexpr double kWheel = 300, kWheelSpin = 90, kWheelAcross = 50;                                   // [kg], [kg m2]

const std::vector<double>& column(const Recording& r, const std::string& name) {
  const int index = r.find(name);
  EXPECT_GE(index, 0) << name;
  return r.columns[static_cast<std::size_t>(std::max(index, 0))];
}
CaseResult run(const Settings& set) {
  CaseResult result = run_case(load_example("articulated_loader", set));
  EXPECT_FALSE(result.failure);
  return result;
}

// ---------------------------------------------------------------- weights of the frames

/// A body in the plane of the arm, front frame.
struct Part {
  double mass;
  Point centre;
  double yaw_inertia;  // about the vertical through its centre
};

/// The arm at an angle, with the bucket and its linkage in their start positions.
struct Front {
  double arm, bucket, rocker, link;  // [rad] joint angles
  Point pivot{0.35, 1.75}, along = std::polar(1.0, arm), of_bucket = std::polar(1.0, arm + bucket),
                           of_rocker = std::polar(1.0, arm + rocker), of_link = std::polar(1.0, arm + rocker + link);
  Point bucket_pin = pivot + along * 2.5, rocker_pin = pivot + along * Point(1.4, 0.3),
        link_pin = rocker_pin + of_rocker * Point(0.08, -0.5);

  static double yaw(double along_x, double along_z, Point direction) {  // of a body turned in this plane
    return along_x * direction.imag() * direction.imag() + along_z * direction.real() * direction.real();
  }
  std::vector<Part> moved() const {  // bodies carried by the arm, including itself
    constexpr double kLoad = 2000, kDiameter = 0.08;
    return {{800, pivot + along * Point(1.25, 0.05), yaw(90, 560, along)},
            {140, rocker_pin + of_rocker * Point(0, 0.02), yaw(15, 2, of_rocker)},
            {50, link_pin + of_link * (1.09 / 2),
             yaw(50 * kDiameter * kDiameter / 8, 50 * (1.09 * 1.09 / 12 + kDiameter * kDiameter / 16), of_link)},
            {750, bucket_pin + of_bucket * Point(0.45, 0.35), yaw(420, 480, of_bucket)},
            {kLoad, bucket_pin + of_bucket * Point(0.6, 0.45),
             yaw(kLoad / 12 * (2.2 * 2.2 + 0.7 * 0.7), kLoad / 12 * (0.9 * 0.9 + 2.2 * 2.2), of_bucket)}};
  }
  std::vector<Part> parts() const {
    std::vector<Part> all = moved();
    all.push_back({2300, {0.9, 0.95}, 1900});
    all.push_back({2 * kWheel, {kFront, kRadius}, 2 * kWheelAcross + 2 * kWheel * kHalfTrack * kHalfTrack});
    return all;
  }
};
/// Rear frame, axle and wheels.
std::vector<Part> rear_parts() {
  return {{6500, {-1.5, 1.2}, 7200},
          {700, {-kRear, kRadius}, 700 / 12.0 * (0.4 * 0.4 + 1.6 * 1.6)},
          {2 * kWheel, {-kRear, kRadius}, 2 * kWheelAcross + 2 * kWheel * kHalfTrack * kHalfTrack}};
}
Front front_at_start(const CaseResult& result) {
  const auto at = [&](const char* name) { return column(result.recorder->recording(), name).front(); };
  return {at("arm.angle"), at("bucket.angle"), at("rocker.angle"), at("link.angle")};
}

// ---------------------------------------------------------------- equilibrium

class ArticulatedLoaderAt : public ::testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(ArmAngles, ArticulatedLoaderAt, ::testing::Values(-35.0, 0.0, 30.0));

TEST_P(ArticulatedLoaderAt, StandsOnItsWheelsAndCylindersAsMomentsSay) {
  const CaseResult result = run({"solver.duration=2 ms", "parameters.arm_angle=" + std::to_string(GetParam()) + " deg",
                                 "parameters.bucket_angle=" + std::to_string(40 - GetParam()) + " deg"});
  const auto at = [&](const std::string& name) { return column(result.recorder->recording(), name).front(); };
  const Front front = front_at_start(result);
  // axles: moments about the rear one
  double mass = 0, moment = 0;
  std::vector<Part> all = front.parts();
  for (const Part& part : rear_parts()) all.push_back(part);
  for (const Part& part : all) {
    mass += part.mass;
    moment += part.mass * (part.centre.real() + kRear);
  }
  const double on_front = kGravity * moment / kBase;
  for (const char* side : {"left", "right"}) {
    EXPECT_NEAR(at(std::string("front_") + side + "_contact.normal_force"), on_front / 2, 1e-6 * on_front);
    EXPECT_NEAR(at(std::string("rear_") + side + "_contact.normal_force"), (kGravity * mass - on_front) / 2, 1e-6 * on_front);
  }
  // arm with all it carries, about its pivot: the two lift cylinders and the tilt cylinder, whose base is on the frame
  const auto cross = [](Point x, Point y) { return (std::conj(x) * y).imag(); };
  const auto lever = [&](Point base, Point end) { return cross(end - front.pivot, (end - base) / std::abs(end - base)); };
  const Point tilt_base(0.43, 1.38), tilt_end = front.rocker_pin + front.of_rocker * Point(-0.05, 0.55), lift_base(0.05, 0.45),
                                     lift_end = front.pivot + front.along * Point(0.8, -0.15);
  double weight = 0;
  for (const Part& part : front.moved()) weight += kGravity * part.mass * (part.centre - front.pivot).real();
  const double tilt = at("tilt.force"), lift = (weight - tilt * lever(tilt_base, tilt_end)) / (2 * lever(lift_base, lift_end));
  EXPECT_NEAR(at("lift_left.force"), lift, 1e-6 * lift);
  EXPECT_NEAR(at("lift_right.force"), lift, 1e-6 * lift);
  // bucket with the link, about the bucket's pin, the link about its own two ends: its force along the line of its ends and half its weight
  // at either
  const Point link_end = front.bucket_pin + front.of_bucket * Point(0.38, 0.235),
              u = (link_end - front.link_pin) / std::abs(link_end - front.link_pin);
  EXPECT_NEAR(std::abs(link_end - front.link_pin), 1.09, 1e-9);
  const std::vector<Part> moved = front.moved();
  const double half = kGravity * 50 / 2;
  const double carried =
      kGravity * (750 * (moved[3].centre - front.bucket_pin).real() + 2000 * (moved[4].centre - front.bucket_pin).real()) +
      half * (link_end - front.bucket_pin).real();
  const double pull = carried / cross(link_end - front.bucket_pin, u);  // along u, at the bucket; the reaction at the rocker
  const double on_rocker = -pull * cross(front.link_pin - front.rocker_pin, u) - half * (front.link_pin - front.rocker_pin).real() -
                           kGravity * 140 * (moved[1].centre - front.rocker_pin).real();
  const Point along_tilt = (tilt_end - tilt_base) / std::abs(tilt_end - tilt_base);
  EXPECT_NEAR(tilt, -on_rocker / cross(tilt_end - front.rocker_pin, along_tilt), 1e-6 * std::abs(tilt));
}

// ---------------------------------------------------------------- yaw mode

/// Roots near i sqrt(K/J) of   J s^2 + (c_oil + v c_1) s + k_0 + v^2 k_1 + K s / (s + 1/tau) = 0,   straight ahead at speed v.
///   omega_f = (v gamma + b gamma') / L,  omega_r = (v gamma - a gamma') / L,  L = a + b;  the joint's virtual work moves the frames by
///   b/L and -a/L
///   J = (b/L)^2 I_F + (a/L)^2 I_R about the axles' centres; a wheel at the half track t adds (spin / R^2) t^2 as it rolls
///   K = 2 D^2 / C: D = r (A_A + A_B) oil displaced per angle, C capacity of either side; tau = C / (2 G) of the leaks G from side to side
std::complex<double> yaw_mode(const Front& front, double v) {
  double I_f = 2 * kWheelSpin / (kRadius * kRadius) * kHalfTrack * kHalfTrack, I_r = I_f, S_f = 0,
         S_r = 0;  // first moments ahead of the axles
  for (const Part& p : front.parts()) {
    const double ahead = p.centre.real() - kFront;
    I_f += p.yaw_inertia + p.mass * ahead * ahead;
    S_f += p.mass * ahead;
  }
  for (const Part& p : rear_parts()) {
    const double ahead = p.centre.real() + kRear;
    I_r += p.yaw_inertia + p.mass * ahead * ahead;
    S_r += p.mass * ahead;
  }
  const double beta = kRear / kBase, alpha = kFront / kBase, J = beta * beta * I_f + alpha * alpha * I_r;
  const double c_speed = v * ((beta * I_f - alpha * I_r) / kBase + beta * beta * S_f + alpha * alpha * S_r);
  const double k_speed = v * v * (beta * S_f - alpha * S_r) / kBase;
  // oil and cylinders; the left cylinder from the joint
  const Point base(-0.8, 0.3), end(0.15, 0.36);
  const double length = std::abs(end - base), r = (std::conj(end) * (end - base)).imag() / length;  // d length / d gamma
  const double bend = ((std::conj(base) * end).real() - r * r) / length;                            // its second derivative
  const double A_A = std::numbers::pi / 4 * 0.07 * 0.07, A_B = A_A - std::numbers::pi / 4 * 0.04 * 0.04;
  const double D = std::abs(r) * (A_A + A_B), C = 1e-3 * (1 / 1.5e9 + 1 / 5e8) + (A_A + A_B) * 0.26 / 1.5e9, K = 2 * D * D / C;
  const double leak = 2 * 2e-12 / C, c = 2 * 6000 * r * r + c_speed, k = k_speed - 2 * 5e6 * (A_A - A_B) * bend;
  std::complex<double> s(0, std::sqrt(K / J));
  for (int i = 0; i < 50; ++i) s -= (J * s * s + c * s + k + K * s / (s + leak)) / (2 * J * s + c + K * leak / ((s + leak) * (s + leak)));
  return s;
}

TEST(ArticulatedLoader, YawsOnItsTrappedOilAsInClosedForm) {
  for (const double v : {2.0, 8.0}) {
    const auto model = load_example("articulated_loader", {"parameters.speed=" + std::to_string(v)});
    const LinearModel linear = linearise(model, start_state(*model));
    EXPECT_FALSE(linear.changes);  // steady motion
    const std::complex<double> expected = yaw_mode(front_at_start(run({"solver.duration=1 ms"})), v);
    double nearest = 1e9;
    for (const Eigenvalue& e : spectrum(linear.A, linear.states).eigenvalues) nearest = std::min(nearest, std::abs(e.value - expected));
    EXPECT_LT(nearest, 1e-6 * std::abs(expected)) << expected;
    EXPECT_NEAR(expected.imag() / (2 * std::numbers::pi), 3.93, 0.02);  // [Hz]
    EXPECT_GT(-expected.real() / std::abs(expected), 0.03);
  }
}

// ---------------------------------------------------------------- the manoeuvre

/// Radius of the circle through three points.
double radius_of(Point p, Point q, Point r) {
  const Point u = q - p, w = r - p;
  return std::abs(u) * std::abs(w) * std::abs(w - u) / (2 * std::abs((std::conj(u) * w).imag()));
}

class ArticulatedLoaderBy : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Treatments, ArticulatedLoaderBy, ::testing::Values("penalty", "double_step"),
                         [](const auto& p) { return p.param; });

TEST_P(ArticulatedLoaderBy, SteersAlongTheWayOfItsKinematics) {
  const CaseResult result = run({"solver.step=2 ms", "solver.duration=16 s", std::string("solver.constraints=") + GetParam()});
  const Recording& r = result.recorder->recording();
  const auto &t = column(r, "time"), &x = column(r, "rear.x"), &y = column(r, "rear.y"), &q_w = column(r, "rear.q_w"),
             &q_z = column(r, "rear.q_z"), &gamma = column(r, "front.angle"), &gamma_rate = column(r, "front.rate"),
             &left = column(r, "rear_left.rate"), &right = column(r, "rear_right.rate"), &arm = column(r, "arm.angle"),
             &oscillation = column(r, "rear_axle.angle");
  double heading = 0, most = 0, least = 0, off = 0, turned = 0, up = -1;
  Point axle(-kRear, 0);
  const auto yaw_rate = [&](std::size_t i) {
    return (kRadius * 0.5 * (left[i] + right[i]) * std::sin(gamma[i]) - kFront * gamma_rate[i]) / (kFront + kRear * std::cos(gamma[i]));
  };
  const auto rear_axle = [&](std::size_t i) { return Point(x[i], y[i]) - kRear * std::polar(1.0, 2 * std::atan2(q_z[i], q_w[i])); };
  const auto front_axle = [&](std::size_t i) {
    return Point(x[i], y[i]) + kFront * std::polar(1.0, 2 * std::atan2(q_z[i], q_w[i]) + gamma[i]);
  };
  for (std::size_t i = 1; i < t.size(); ++i) {  // the path from the speeds of the wheels and the joint, by the trapezoidal rule
    const double h = t[i] - t[i - 1], before = heading;
    heading += h / 2 * (yaw_rate(i - 1) + yaw_rate(i));
    axle += h * kRadius * 0.25 * (left[i - 1] + right[i - 1] + left[i] + right[i]) * std::polar(1.0, 0.5 * (before + heading));
    off = std::max(off, std::abs(axle - rear_axle(i)));
    turned = std::max(turned, std::abs(std::polar(1.0, heading) - std::polar(1.0, 2 * std::atan2(q_z[i], q_w[i]))));
    most = std::max(most, gamma[i]);
    least = std::min(least, gamma[i]);
    up = std::max(up, arm[i]);
    EXPECT_NEAR(oscillation[i], 0, 1e-9);  // level ground
  }
  EXPECT_LT(off, 1e-5);  // after 32 m
  EXPECT_LT(turned, 1e-8);
  EXPECT_GT(most, 30 * kDegree);
  EXPECT_LT(least, -30 * kDegree);
  EXPECT_GT(up, arm.front() + 35 * kDegree);
  // the joint locked to the left, then to the right: circles
  for (const double begin : {4.5, 13.0}) {
    const auto i = static_cast<std::size_t>(std::lround(begin / 0.002)), n = static_cast<std::size_t>(std::lround(1.4 / 0.002));
    double locked = 0;
    for (std::size_t k = i; k <= i + 2 * n; ++k) locked += gamma[k] / static_cast<double>(2 * n + 1);
    const double R_rear = (kFront + kRear * std::cos(locked)) / std::abs(std::sin(locked)),
                 R_front = (kRear + kFront * std::cos(locked)) / std::abs(std::sin(locked));
    EXPECT_NEAR(radius_of(rear_axle(i), rear_axle(i + n), rear_axle(i + 2 * n)), R_rear, 0.005 * R_rear);
    EXPECT_NEAR(radius_of(front_axle(i), front_axle(i + n), front_axle(i + 2 * n)), R_front, 0.005 * R_front);
  }
  for (const char* wheel : {"front_left", "front_right", "rear_left", "rear_right"})
    for (const double force : column(r, std::string(wheel) + "_contact.normal_force")) ASSERT_GT(force, 1e4) << wheel;  // none lifts off
  EXPECT_LT(result.recorder->ledger().closed_to_percent(), 1e-4);
  EXPECT_LT(result.statistics.max_violation, 1e-10);
  EXPECT_LT(result.statistics.max_velocity_violation, 1e-7);
  for (const CavitationRecord& c : result.statistics.cavitation) EXPECT_EQ(c.steps, 0);
}

TEST(ArticulatedLoader, TreatmentsAgreeAndErrorsAreOfOrderTwo) {
  const auto end = [](const char* step, const char* constraints) {
    const CaseResult result = run({"solver.duration=3 s", std::string("solver.step=") + step, "record.every=1000",
                                   std::string("solver.constraints=") + constraints, "solver.tolerance_position=1e-10"});
    const Recording& r = result.recorder->recording();
    return Eigen::Vector4d(column(r, "rear.x").back(), column(r, "rear.y").back(), column(r, "front.angle").back(),
                           column(r, "bucket.angle").back());
  };
  const Eigen::Vector4d fine = end("0.5 ms", "penalty"), medium = end("1 ms", "penalty"), coarse = end("2 ms", "penalty");
  EXPECT_LT((end("1 ms", "double_step") - medium).norm(), 1e-6);
  EXPECT_LT((medium - fine).norm(), 1e-5);
  EXPECT_NEAR(std::log2((coarse - medium).norm() / (medium - fine).norm()), 2.0, 0.1);
}

}  // namespace
}  // namespace trunnion
