// The forwarder crane of examples/: static forces from a potential written down here, its four-bar linkage and the position of the log
// from trigonometry, its sway from the compound pendulum, both treatments and the order of the rule.
//                    O---- outer --[extension_1]--[extension_2]--.      plane of the booms, x along the inner boom from its hinge,
//      inner   ___/ P\  |                                        |      complex numbers; P rocker's pivot, B its end, C the link's end
//         __/   jib   B-C                                      hanger
//   hinge/|_lift                                               rotator
//      pillar                                                  grapple, log
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>
#include <ostream>
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
using Point = std::complex<double>;

constexpr double kGravity = 9.81, kDegree = std::numbers::pi / 180;

const std::vector<double>& column(const Recording& r, const std::string& name) {
  const int index = r.find(name);
  EXPECT_GE(index, 0) << name;
  return r.columns[static_cast<std::size_t>(std::max(index, 0))];
}
double start_value(const CaseResult& result, const std::string& name) { return column(result.recorder->recording(), name).front(); }

CaseResult run(Settings set) {
  CaseResult result = run_case(load_example("forwarder_crane", set));
  EXPECT_FALSE(result.failure);
  return result;
}

// ---------------------------------------------------------------- in the plane of the booms

/// Positions in the pillar's frame: inner and outer angle, displacement of either section.
struct Booms {
  double inner, outer, section;
  Point hinge{0, 1.8}, along = std::polar(1.0, inner), beyond = std::polar(1.0, inner + outer);
  Point knee = hinge + 3.5 * along;
  Point tip() const { return knee + beyond * Point(1.8 + 2 * section, -0.1); }
  // lift cylinder
  Point lift_base{0.3, 0.3}, lift_end = hinge + along * Point(0.75, -0.2);
  // linkage: the lower intersection of the two circles
  Point pivot = hinge + along * Point(3.1, -0.08), link_end = knee + beyond * Point(0.33, -0.2),
        jib_base = hinge + along * Point(1.25, -0.4);
  Point rocker_end() const {
    const Point d = link_end - pivot;
    const double a = (0.48 * 0.48 - 0.42 * 0.42 + std::norm(d)) / (2 * std::abs(d));
    return pivot + d / std::abs(d) * Point(a, -std::sqrt(0.48 * 0.48 - a * a));
  }
  double lift() const { return std::abs(lift_end - lift_base); }
  double jib() const { return std::abs(rocker_end() - jib_base); }
  double telescope() const { return 1.9 + section; }

  /// Potential energy; suspended masses count at the tip. A cylinder: 0.6 of its mass in the barrel, 0.4 in the rod, each a homogeneous
  /// bar.
  double potential() const {
    const auto cylinder = [](Point base, Point end, double mass, double size) {
      const Point u = (end - base) / std::abs(end - base);
      return 0.6 * mass * (base + 0.5 * size * u).imag() + 0.4 * mass * (end - 0.5 * size * u).imag();
    };
    const double moment = 300 * (hinge + 1.65 * along).imag() + 150 * (knee + beyond * Point(0.75, 0.03)).imag() +
                          60 * (knee + beyond * (0.9 + section)).imag() + 45 * (knee + beyond * (0.95 + 2 * section)).imag() +
                          18 * 0.5 * (pivot + rocker_end()).imag() + 14 * 0.5 * (rocker_end() + link_end).imag() +
                          cylinder(lift_base, lift_end, 75, 0.95) + cylinder(jib_base, rocker_end(), 55, 0.8) +
                          (20 + 45 + 150 + 200) * tip().imag();
    return kGravity * moment;
  }
};

double slope(const std::function<double(double)>& f) { return (f(1e-5) - f(-1e-5)) / 2e-5; }

struct Pose {
  double inner, outer, section;  // [deg], [deg], [m]
};
void PrintTo(const Pose& pose, std::ostream* out) { *out << pose.inner << " deg, " << pose.outer << " deg, " << pose.section << " m"; }
class ForwarderCraneAt : public ::testing::TestWithParam<Pose> {};
INSTANTIATE_TEST_SUITE_P(Poses, ForwarderCraneAt, ::testing::Values(Pose{20, -80, 0.05}, Pose{40, -25, 1.55}, Pose{5, -100, 0.8}));

/// In equilibrium a cylinder's force times its displacement is the change of the potential.
TEST_P(ForwarderCraneAt, RestsOnTheForcesOfTheWeights) {
  const Pose pose = GetParam();
  const auto booms = [&](double inner, double outer, double section) {
    return Booms{pose.inner * kDegree + inner, pose.outer * kDegree + outer, pose.section + section};
  };
  const CaseResult result =
      run({"solver.duration=10 ms", "parameters.inner_start=" + std::to_string(pose.inner) + " deg",
           "parameters.outer_start=" + std::to_string(pose.outer) + " deg", "parameters.telescope_start=" + std::to_string(pose.section)});
  const Booms here = booms(0, 0, 0);
  EXPECT_NEAR(start_value(result, "lift.length"), here.lift(), 1e-9);
  EXPECT_NEAR(start_value(result, "jib.length"), here.jib(), 1e-9);
  EXPECT_NEAR(start_value(result, "telescope.length"), here.telescope(), 1e-12);
  const double lift = slope([&](double d) { return booms(d, 0, 0).potential(); }) / slope([&](double d) { return booms(d, 0, 0).lift(); });
  const double jib = slope([&](double d) { return booms(0, d, 0).potential(); }) / slope([&](double d) { return booms(0, d, 0).jib(); });
  const double telescope = slope([&](double d) { return booms(0, 0, d).potential(); });
  EXPECT_NEAR(start_value(result, "lift.force"), lift, 1e-6 * std::abs(lift));
  EXPECT_NEAR(start_value(result, "jib.force"), jib, 1e-6 * std::abs(jib));
  EXPECT_NEAR(start_value(result, "telescope.force"), telescope, 1e-6 * std::abs(telescope));
  EXPECT_GT(lift, 2e4);
  for (const char* still : {"pillar.rate", "inner.rate", "outer.rate", "extension_1.speed", "hanger.rate", "rotator.rate", "grapple.rate"})
    EXPECT_NEAR(column(result.recorder->recording(), still).back(), 0, 1e-8) << still;
}

// ---------------------------------------------------------------- sway

/// The eigenvalue closest to that of I phi'' + c phi' + m g d phi = 0.
void expect_sway(const Spectrum& s, double inertia, double moment, double damping) {
  const std::complex<double> half(-damping / (2 * inertia), 0);
  const std::complex<double> expected = half + std::sqrt(half * half - kGravity * moment / inertia);
  double nearest = 1e9;
  for (const Eigenvalue& e : s.eigenvalues) nearest = std::min(nearest, std::abs(e.value - expected));
  EXPECT_LT(nearest, 0.01 * std::abs(expected)) << expected;
}

/// Suspended bodies, below the upper pin (along the boom) and below the lower one (across): the crane on its oil moves little with them.
TEST(ForwarderCrane, SwaysAsACompoundPendulum) {
  const auto model = load_example("forwarder_crane");
  const LinearModel linear = linearise(model, start_state(*model));
  const Spectrum s = spectrum(linear.A, linear.states);
  constexpr double kLog = 200 / 12.0 * 16 + 200 / 4.0 * 0.14 * 0.14;  // about a diameter; about its axis 200 * 0.14^2 / 2
  const auto sum = [](double hanger, double rotator, double grapple, double log, double power) {
    return 20 * std::pow(hanger, power) + 45 * std::pow(rotator, power) + 150 * std::pow(grapple, power) + 200 * std::pow(log, power);
  };
  expect_sway(s, 0.2 + 0.7 + 12 + 200 * 0.14 * 0.14 / 2 + sum(0.12, 0.4, 0.9, 1.3, 2), sum(0.12, 0.4, 0.9, 1.3, 1), 250);
  expect_sway(s, 0.7 + 14 + kLog + sum(0, 0.15, 0.65, 1.05, 2), sum(0, 0.15, 0.65, 1.05, 1), 250);
}

// ---------------------------------------------------------------- the cycle

Mat<3> about(const Vec<3>& axis, double angle) { return Eigen::AngleAxisd(angle, axis).toRotationMatrix(); }

class ForwarderCraneBy : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Treatments, ForwarderCraneBy, ::testing::Values("penalty", "double_step"), [](const auto& p) { return p.param; });

TEST_P(ForwarderCraneBy, ReachesLiftsSlewsAndLowers) {
  const CaseResult result = run({"solver.step=2 ms", "record.every=25", std::string("solver.constraints=") + GetParam()});
  const Recording& r = result.recorder->recording();
  const auto &t = column(r, "time"), &slew = column(r, "pillar.angle"), &inner = column(r, "inner.angle"),
             &outer = column(r, "outer.angle"), &first = column(r, "extension_1.position"), &second = column(r, "extension_2.position"),
             &along = column(r, "hanger.angle"), &across = column(r, "rotator.angle"), &turn = column(r, "grapple.angle"),
             &x = column(r, "grapple.center_x"), &y = column(r, "grapple.center_y"), &z = column(r, "grapple.center_z"),
             &lift = column(r, "lift.length"), &jib = column(r, "jib.length");
  const Vec<3> lifts(0, -1, 0);
  double reach = 0, height = 0, sway_along = 0, sway_across = 0, trailing = 0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    const Booms booms{inner[i], outer[i], first[i]};
    EXPECT_NEAR(second[i], first[i], 1e-9);  // the chain
    EXPECT_NEAR(lift[i], booms.lift(), 1e-9);
    EXPECT_NEAR(jib[i], booms.jib(), 1e-9);
    // the load below the tip, rotated by both pins and the rotator
    const Mat<3> R_hanger = about(Vec<3>::UnitZ(), slew[i]) * about(lifts, inner[i] + outer[i] + along[i]);
    const Mat<3> R_rotator = R_hanger * about(Vec<3>::UnitX(), across[i]), R = R_rotator * about(Vec<3>::UnitZ(), turn[i]);
    const Vec<3> tip = about(Vec<3>::UnitZ(), slew[i]) * Vec<3>(booms.tip().real(), 0, booms.tip().imag() + 1.2);
    const Vec<3> load =
        tip + R_hanger * Vec<3>(0, 0, -0.25) + R_rotator * Vec<3>(0, 0, -0.3) + R * Vec<3>(0, 0, -(150 * 0.35 + 200 * 0.75) / 350);
    EXPECT_LT((load - Vec<3>(x[i], y[i], z[i])).norm(), 1e-8) << t[i];
    reach = std::max(reach, booms.tip().real());
    height = std::max(height, z[i]);
    sway_along = std::max(sway_along, std::abs(inner[i] + outer[i] + along[i]));
    sway_across = std::max(sway_across, std::abs(across[i]));
    if (t[i] > 8 && t[i] < 8.6) trailing = std::min(trailing, across[i]);
  }
  EXPECT_GT(reach, 8);
  EXPECT_GT(height, z.front() + 3.5);
  EXPECT_LT(z.back(), height - 2.5);
  EXPECT_NEAR(slew.back(), 90 * kDegree, 2 * kDegree);
  EXPECT_GT(sway_along, 0.1);
  EXPECT_GT(sway_across, 0.2);
  EXPECT_LT(trailing, -0.1);  // behind, as the pillar starts to the left
  EXPECT_LT(result.recorder->ledger().closed_to_percent(), 1e-4);
  EXPECT_LT(result.statistics.max_violation, 1e-10);
  EXPECT_LE(result.statistics.max_iterations, 4);
  for (const CavitationRecord& c : result.statistics.cavitation) EXPECT_EQ(c.steps, 0);
}

TEST(ForwarderCrane, TreatmentsAgreeAndErrorsAreOfOrderTwo) {
  const auto end = [](const char* step, const char* constraints) {
    const CaseResult result = run({"solver.duration=3 s", std::string("solver.step=") + step, "record.every=1000",
                                   std::string("solver.constraints=") + constraints, "solver.tolerance_position=1e-10"});
    const Recording& r = result.recorder->recording();
    return Eigen::Vector4d(column(r, "grapple.center_x").back(), column(r, "grapple.center_z").back(), column(r, "outer.angle").back(),
                           column(r, "hanger.angle").back());
  };
  const Eigen::Vector4d fine = end("0.5 ms", "penalty"), medium = end("1 ms", "penalty"), coarse = end("2 ms", "penalty");
  EXPECT_LT((end("1 ms", "double_step") - medium).norm(), 1e-7);
  EXPECT_LT((medium - fine).norm(), 1e-5);
  EXPECT_NEAR(std::log2((coarse - medium).norm() / (medium - fine).norm()), 2.0, 0.1);
}

}  // namespace
}  // namespace trunnion
