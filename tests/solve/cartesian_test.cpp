// Machines in Cartesian coordinates move as in relative ones: every example and random machines, with each treatment of the constraints
// and each integrator; the meaning of joint coordinates (springs, loads, motions, couplings, channels) is the same in both.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "linearise/linear_model.h"
#include "machine/analyse.h"
#include "machine/equilibrium.h"
#include "machine/observe.h"
#include "machine/start.h"
#include "results/run_case.h"
#include "run/run.h"
#include "spectra/spectrum.h"
#include "support/allocation_counter.h"
#include "support/ladder.h"
#include "support/machines.h"
#include "support/random_machine.h"

namespace trunnion {
namespace {

using Settings = std::vector<std::string>;
const std::string kCartesian = "solver.coordinates=cartesian";

Settings with(Settings settings, const std::string& more) {
  settings.push_back(more);
  return settings;
}

/// Channels of a run by name, read during the run as in a recording.
class Reader {
 public:
  explicit Reader(const std::shared_ptr<const CompiledModel>& model) : model_(model), run_(model), observer_(make_observer(model)) {}
  void advance(double t, int parts = 10) {
    const double begin = run_.state().time;
    for (int i = 1; i <= parts; ++i) {
      run_.advance(begin + (t - begin) * i / parts);
      observer_->observe(run_.state(), Side::left);
    }
  }
  std::map<std::string, double> values(const StateVector& state) {
    observer_->observe(state, Side::left);
    std::vector<double> x(observer_->channels().size());
    observer_->values(x.data());
    std::map<std::string, double> named;
    for (std::size_t i = 0; i < x.size(); ++i) named[observer_->channels()[i].name] = x[i];
    return named;
  }
  std::map<std::string, double> values() { return values(run_.state()); }
  Runner& run() { return run_; }
  const CompiledModel& model() const { return *model_; }

 private:
  std::shared_ptr<const CompiledModel> model_;
  Runner run_;
  std::unique_ptr<Observer> observer_;
};

/// Largest differences of joint coordinates and rates, pressures relative to 1 MPa, all by channel.
struct Difference {
  double position = 0, rate = 0, pressure = 0;
};
Difference difference(const CompiledModel& relative, Reader& a, Reader& b) {
  const auto x = a.values(), y = b.values();
  Difference d;
  for (const JointInfo& joint : relative.joints)
    for (const JointPart& part : joint.parts) {
      const bool ball = part.joint == NodeJoint::spherical;
      for (const char* suffix : {"_w", "_x", "_y", "_z"}) {
        const std::string end = ball ? suffix : "";
        const std::string name = joint.name + "." + part.position + end;
        d.position = std::max(d.position, std::abs(x.at(name) - y.at(name)));
        const std::string rate = joint.name + "." + part.rate + end;
        if (!ball || suffix[1] != 'w') d.rate = std::max(d.rate, std::abs(x.at(rate) - y.at(rate)));
      }
    }
  for (const Volume& volume : relative.hydraulics.volumes) {
    const std::string name = relative.hydraulics.nodes[volume.node].name + ".pressure";
    d.pressure = std::max(d.pressure, std::abs(x.at(name) - y.at(name)) / 1e6);
  }
  return d;
}

Difference families_apart(const std::shared_ptr<const CompiledModel>& relative, const std::shared_ptr<const CompiledModel>& cartesian,
                          double end) {
  Reader a(relative), b(cartesian);
  Difference worst;
  for (int i = 1; i <= 4; ++i) {
    a.advance(end * i / 4);
    b.advance(end * i / 4);
    const Difference d = difference(*relative, a, b);
    worst = {std::max(worst.position, d.position), std::max(worst.rate, d.rate), std::max(worst.pressure, d.pressure)};
  }
  return worst;
}

// ---------------------------------------------------------------- coordinates and rows

TEST(Cartesian, CraneOfTheMultibodyLiteratureHasFiveCoordinatesAndThreeRows) {
  const auto model = test::load_example("crane_single", {kCartesian});
  EXPECT_EQ(model->layout.nv, 5);
  EXPECT_EQ(model->layout.nq, 5);
  EXPECT_EQ(model->layout.rows, 3);
  const std::vector<std::string> names{"boom.x", "boom.y", "boom.rotation", "jib.x", "jib.y"};
  EXPECT_EQ(model->coordinate_names, names);
  const Analysis a = analyse(*model);
  EXPECT_EQ(a.degrees_of_freedom, 2);
  EXPECT_TRUE(a.redundant.empty());
  // boom: rod of 200 kg and point mass of 250 kg at its tip; its centre of mass at (200 0.5 + 250 1) / 450 m
  const double angle = std::numbers::pi / 6, center = 350.0 / 450;
  const double expected[] = {center * std::cos(angle), center * std::sin(angle), angle, std::cos(angle), std::sin(angle) - 0.5};
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(model->q_start[i], expected[i], 1e-15) << names[i];
}

TEST(Cartesian, LinkWithACylinderAtItsMiddleKeepsItsAngle) {
  const auto model = test::load_example("crane_double", {kCartesian});
  EXPECT_EQ(model->layout.nv, 6);
  EXPECT_EQ(model->layout.rows, 4);
  EXPECT_EQ(analyse(*model).degrees_of_freedom, 2);
  const MissingInertia missing = find_missing_inertia(*model);
  EXPECT_EQ(missing.velocities, std::vector<std::string>{"jib.rotation_rate"});
  EXPECT_FALSE(missing.singular);
}

TEST(Cartesian, PlaneOtherThanXYNamesItsAxes) {
  const auto model = test::model_from(R"(
trunnion: 1
bodies: {arm: {mass: 2 kg, center_of_mass: [1, 0, 0.2], inertia: [1, 2, 3]}}
joints: {arm: {revolute: {parent: ground, at: [5, 1, 2], axis: [0, -1, 0]}, angle: 30 deg, rate: 0.2}}
solver: {step: 1 ms, duration: 1 s, coordinates: cartesian}
)");
  const std::vector<std::string> names{"arm.x", "arm.z", "arm.rotation"};
  EXPECT_EQ(model->coordinate_names, names);
  const double c = std::cos(std::numbers::pi / 6), s = std::sin(std::numbers::pi / 6);  // about -y: x rotates towards z
  EXPECT_NEAR(model->q_start[0], 5 + c - 0.2 * s, 1e-14);
  EXPECT_NEAR(model->q_start[1], 2 + s + 0.2 * c, 1e-14);
  EXPECT_NEAR(std::abs(model->q_start[2]), std::numbers::pi / 6, 1e-14);
  EXPECT_NEAR(model->v_start[0], -0.2 * (s + 0.2 * c), 1e-14);
  EXPECT_NEAR(model->v_start[1], 0.2 * (c - 0.2 * s), 1e-14);
}

// ---------------------------------------------------------------- motion

struct Example {
  const char* name;
  double end;  // [s]
};
constexpr Example kExamples[] = {
    {"crane_single", 3},  {"crane_double", 3},         {"four_bar", 2},     {"four_bar_lift", 1}, {"quick_return", 2},
    {"slewing_crane", 2}, {"spatial_slider_crank", 2}, {"rolling_disc", 1}, {"bicycle", 1},       {"lever", 1}};

TEST(Cartesian, ExamplesMoveAsInRelativeCoordinatesByTheVariableStepReference) {
  for (const Example& e : kExamples) {
    const Settings settings{"solver.constraints=double_step", "solver.integrator=cvode", "solver.step=10 ms"};
    const Difference d =
        families_apart(test::load_example(e.name, settings), test::load_example(e.name, with(settings, kCartesian)), e.end);
    EXPECT_LT(d.position, 1e-7) << e.name;
    EXPECT_LT(d.rate, 1e-5) << e.name;
    EXPECT_LT(d.pressure, 1e-5) << e.name;
  }
}

TEST(Cartesian, LadderMovesAsInRelativeCoordinates) {
  const std::string solver = "constraints: double_step, integrator: cvode, step: 10 ms, duration: 1 s";
  const std::string text = test::ladder_model(3, solver);
  const Difference d = families_apart(test::model_from(text), test::model_from(text, {kCartesian}), 0.3);
  EXPECT_LT(d.position, 1e-7);
}

struct Treatment {
  const char *constraints, *integrator;
  double step;  // [s]
  double bound;
};
constexpr Treatment kTreatments[] = {{"penalty", "trapezoidal", 1e-4, 1e-6},
                                     {"double_step", "trapezoidal", 1e-4, 1e-6},
                                     {"baumgarte", "trapezoidal", 1e-4, 1e-6},
                                     {"double_step", "rk4", 1e-4, 1e-7},
                                     {"baumgarte", "rk4", 1e-4, 1e-7},
                                     {"double_step", "semi_implicit_euler", 1e-5, 1e-4},
                                     {"baumgarte", "semi_implicit_euler", 1e-5, 1e-4},
                                     {"double_step", "euler", 1e-5, 1e-3},
                                     {"baumgarte", "euler", 1e-5, 1e-3},
                                     {"baumgarte", "ida", 1e-2, 1e-7}};

TEST(Cartesian, EveryTreatmentAndIntegratorFollowsTheReference) {
  for (const char* example : {"crane_single", "crane_double", "slewing_crane"}) {
    const double end = 0.1;
    Reader reference(test::load_example(example, {"solver.constraints=double_step", "solver.integrator=cvode", "solver.step=10 ms"}));
    reference.advance(end);
    for (const Treatment& t : kTreatments) {
      Reader run(test::load_example(example, {kCartesian, std::string("solver.constraints=") + t.constraints,
                                              std::string("solver.integrator=") + t.integrator, "solver.step=" + std::to_string(t.step)}));
      run.advance(end);
      EXPECT_LT(difference(reference.model(), reference, run).position, t.bound) << example << " " << t.constraints << " " << t.integrator;
    }
  }
}

TEST(Cartesian, TrapezoidalFamiliesApproachEachOtherWithOrderTwo) {
  const auto apart = [](const char* step) {
    const Settings settings{std::string("solver.step=") + step};
    return families_apart(test::load_example("crane_double", settings), test::load_example("crane_double", with(settings, kCartesian)), 2)
        .position;
  };
  const double coarse = apart("2 ms"), fine = apart("0.5 ms");
  EXPECT_GT(coarse, 1e-9);
  EXPECT_NEAR(std::log2(coarse / fine) / 2, 2, 0.3) << coarse << " " << fine;
}

TEST(Cartesian, RandomMachinesMoveAsInRelativeCoordinates) {
  for (unsigned seed = 0; seed < (test::allocations_are_counted() ? 6u : 2u); ++seed) {
    const test::RandomMachine machine = test::random_machine(seed, seed % 2 == 1);
    const Settings settings{"solver.constraints=double_step", "solver.integrator=cvode", "solver.step=10 ms"};
    const auto relative = test::model_from(machine.text, settings), cartesian = test::model_from(machine.text, with(settings, kCartesian));
    EXPECT_EQ(analyse(*relative).degrees_of_freedom, analyse(*cartesian).degrees_of_freedom) << seed;
    const Difference d = families_apart(relative, cartesian, 0.2);
    EXPECT_LT(d.position, 1e-7) << seed;
    EXPECT_LT(d.rate, 1e-5) << seed;
  }
}

// ---------------------------------------------------------------- joint coordinates

/// All joint kinds in space with springs, loads, couplings and motions on their coordinates.
const char* const kEveryJoint = R"(
trunnion: 1
gravity: [1, -3, -9.81]
bodies:
  a: {mass: 3 kg, center_of_mass: [0.2, -0.1, 0.3], inertia: [4, 5, 6]}
  b: {mass: 2 kg, center_of_mass: [0.1, 0.3, -0.1], inertia: [2, 3, 2.5]}
  c: {mass: 2.5 kg, center_of_mass: [-0.1, 0.2, 0.1], inertia: [1, 1.2, 1.4]}
  d: {mass: 1.5 kg, center_of_mass: [0.3, 0.1, 0.1], inertia: [1, 1.1, 0.9]}
  e: {mass: 1.2 kg, center_of_mass: [0.2, 0.1, 0.2], inertia: [1, 1.1, 0.9]}
  f: {mass: 1.1 kg, center_of_mass: [0.1, 0.1, 0.2], inertia: [0.7, 1.1, 0.9]}
  g: {mass: 1.3 kg, center_of_mass: [0.2, 0, 0.1], inertia: [0.8, 1.1, 0.9]}
  h: {mass: 1.4 kg, center_of_mass: [0.1, 0.1, 0], inertia: [0.9, 1.1, 0.9]}
joints:
  a: {revolute: {parent: ground, at: [0.3, 0.1, 0], axis: [1, 2, 2]}, angle: 3.0, rate: 1}
  b: {cylindrical: {parent: a, at: [0.5, 0, 0.1], child_at: [0.1, 0, 0], orientation: [0.3, 0.2, -0.4], axis: [0, 1, 2]}, position: 0.2, angle: -0.5, rate: 0.7}
  c: {universal: {parent: b, at: [0.4, 0.2, 0], child_at: [0, 0.1, 0], orientation: [0.1, 0.5, 0.4], axes: [x, y]}, angles: [0.4, -0.7], rates: [0.3, -0.2]}
  d: {prismatic: {parent: c, at: [0.1, 0.2, 0.3], orientation: [0.4, 0, 0.2], axis: [2, 1, 1]}, position: 0.3, speed: 0.4}
  e: {planar: {parent: a, at: [0, 0.4, 0.1], orientation: [0.2, 0.1, 0.3], normal: [1, 0, 1]}, position: [0.1, -0.2], angle: 0.6, rate: 0.4}
  f: {spherical: {parent: e, at: [0.3, 0, 0.1], child_at: [0.1, 0, 0], orientation: [0.1, 0.2, 0.3]}, rotation: [0.3, 0.2, -0.5], angular_velocity: [0.3, -0.4, 0.2]}
  g: {point_on_line: {parent: b, at: [0.1, 0.1, 0.4], orientation: [0.2, 0.1, 0.3], axis: [1, 1, 0]}, position: 0.2, rotation: [0.2, 0.1, 0.4]}
  h: {free: {parent: d, at: [0.5, 0.1, 0], orientation: [0.4, 0.1, 0.3]}, position: [0.1, 0.2, 0.1], velocity: [0.2, -0.1, 0.3], angular_velocity: [0.2, 0.3, 0.1]}
springs:
  s1: {joint: a, stiffness: 20, damping: 1, preload: 2}
  s2: {joint: b.position, stiffness: 50, damping: 2}
  s3: {joint: c.angle_2, stiffness: 10, damping: 0.5, rest: 0.1}
  s4: {joint: e.angle, stiffness: 12, damping: 0.5}
  s5: {joint: e.y, stiffness: 30, damping: 0.5}
  s6: {joint: g.position, stiffness: 40, damping: 1}
forces:
  l1: {joint: b.angle, load: 3, signal: sine}
  l2: {joint: c.angle_1, load: 2}
  l3: {joint: d, load: -4, signal: sine}
motions: {drive: {joint: e.x, signal: path}}
couplings: {gear: {joints: [b.angle, d], ratio: 0.5, level: velocity}}
signals:
  sine: {sine: {amplitude: 0.5, frequency: 2 Hz, offset: 0.8}}
  path: {sine: {amplitude: 0.05, frequency: 1 Hz, offset: 0.1}}
solver: {constraints: double_step, integrator: cvode, step: 10 ms, duration: 1 s}
)";

TEST(Cartesian, EveryJointKindKeepsTheMeaningOfItsCoordinates) {
  const auto relative = test::model_from(kEveryJoint), cartesian = test::model_from(kEveryJoint, {kCartesian});
  EXPECT_EQ(cartesian->layout.nv - cartesian->layout.rows + analyse(*cartesian).rows - analyse(*cartesian).rank,
            analyse(*relative).degrees_of_freedom);
  Reader a(relative), b(cartesian);
  for (const double t : {0.0, 0.1, 0.3, 0.5}) {
    if (t > 0) {
      a.advance(t, 30);
      b.advance(t, 30);
    }
    const auto x = a.values(), y = b.values();
    for (const auto& [name, value] : x) {
      if (name.find("multiplier") != std::string::npos || name.find("violation") != std::string::npos) continue;
      const double size = name.find("acceleration") != std::string::npos ? 1e-4 : 1e-6;
      ASSERT_TRUE(y.contains(name)) << name;
      EXPECT_NEAR(y.at(name), value, size) << name << " at " << t;
    }
  }
}

TEST(Cartesian, BusyMachinesMoveAlike) {
  for (const bool spatial : {false, true}) {
    const std::string text = test::busy_machine(spatial);
    const Settings settings{"solver.constraints=double_step", "solver.integrator=cvode", "solver.step=5 ms"};
    const auto relative = test::model_from(text, settings), cartesian = test::model_from(text, with(settings, kCartesian));
    const Difference d = families_apart(relative, cartesian, 0.1);
    EXPECT_LT(d.position, 1e-7) << spatial;
    EXPECT_LT(d.rate, 1e-5) << spatial;
    EXPECT_LT(d.pressure, 1e-4) << spatial;
  }
}

// ---------------------------------------------------------------- equilibrium, linear models, steps

TEST(Cartesian, RestIsTheSame) {
  for (const char* example : {"crane_single", "crane_double", "four_bar_lift", "slewing_crane"}) {
    const auto relative = test::load_example(example), cartesian = test::load_example(example, {kCartesian});
    const StateVector a = equilibrium_state(*relative), b = equilibrium_state(*cartesian);
    for (int i = 0; i < relative->layout.ny; ++i) EXPECT_NEAR(a.y()[i], b.y()[i], 1e-6 * std::max(1.0, std::abs(a.y()[i]))) << example;
    for (int i = 0; i < cartesian->layout.nv; ++i) EXPECT_NEAR(b.a()[i], 0, 1e-7) << example << " " << cartesian->velocity_names[i];
  }
}

TEST(Cartesian, LinearModelsHaveTheSameEigenvalues) {
  for (const char* example : {"crane_single", "crane_double", "four_bar_linear", "slewing_crane"}) {
    const auto eigenvalues = [&](const Settings& settings) {
      const auto model = test::load_example(example, settings);
      const LinearModel linear = linearise(model, equilibrium_state(*model));
      std::vector<std::complex<double>> values;
      for (const Eigenvalue& e : spectrum(linear.A, linear.states).eigenvalues) values.push_back(e.value);
      return values;
    };
    const auto relative = eigenvalues({}), cartesian = eigenvalues({kCartesian});
    ASSERT_EQ(relative.size(), cartesian.size()) << example;
    for (const auto& value : relative) {
      double nearest = 1e300;
      for (const auto& other : cartesian) nearest = std::min(nearest, std::abs(value - other));
      EXPECT_LT(nearest, 1e-8 * std::max(1.0, std::abs(value))) << example << " " << value;
    }
  }
}

TEST(Cartesian, LedgerClosesWithOrderTwo) {
  for (const bool spatial : {false, true}) {
    const auto residual = [&](const char* step) {
      const CaseResult result = run_case(test::model_from(test::busy_machine(spatial), {kCartesian, step, "solver.oil_rule=alpha"}));
      EXPECT_FALSE(result.failure);
      const Extremes range = result.recorder->ledger().residual_range();
      return std::max(std::abs(range.min), std::abs(range.max));
    };
    const double coarse = residual("solver.step=0.2 ms"), fine = residual("solver.step=0.1 ms");
    EXPECT_GT(coarse / fine, 3.5) << spatial;
    EXPECT_LT(coarse / fine, 4.5) << spatial;
  }
}

TEST(Cartesian, ModelsWithoutConstraintsInRelativeCoordinatesStartWithTheSameAccelerations) {
  const auto relative = test::load_example("crane_single"), cartesian = test::load_example("crane_single", {kCartesian});
  Reader a(relative), b(cartesian);
  const auto x = a.values(start_state(*relative)), y = b.values(start_state(*cartesian));
  for (const char* name : {"boom.acceleration", "jib.acceleration"}) EXPECT_NEAR(x.at(name), y.at(name), 1e-8) << name;
}

TEST(Cartesian, StepAllocatesNothing) {
  if (!test::allocations_are_counted()) GTEST_SKIP();
  for (const char* constraints : {"penalty", "double_step", "baumgarte"}) {
    Runner run(test::load_example("crane_double", {kCartesian, std::string("solver.constraints=") + constraints}));
    run.advance(0.01);
    const long before = test::allocations();
    run.advance(0.1);
    EXPECT_EQ(test::allocations(), before) << constraints;
  }
}

}  // namespace
}  // namespace trunnion
