// The ladder of N windows (tests/support/ladder.h), the public benchmark of machines with many loops.
// Reference: while the horizontal bars stay horizontal, as required by symmetry, all verticals have one angle phi from the ground's x,
// and the horizontals move as points do. With J = m L^2/3 of a vertical about its foot,
//   T = (N + 1) J phi'^2/2 + N m L^2 phi'^2/2,     V = ((N + 1)/2 + N) m g L sin phi
//   ((N + 1)/3 + N) L phi'' = -((N + 1)/2 + N) g cos phi
// integrated by the test itself.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <random>

#include "machine/analyse.h"
#include "machine/start.h"
#include "mechanics/mechanism.h"
#include "run/make_stepper.h"
#include "run/run.h"
#include "solve/implicit_stepper.h"
#include "solve/penalty.h"
#include "support/allocation_counter.h"
#include "support/ladder.h"
#include "support/machines.h"

namespace trunnion {
namespace {

constexpr double kPi = 3.14159265358979323846;

std::shared_ptr<const CompiledModel> ladder(int windows, const std::string& solver = "step: 1 ms, duration: 5 s") {
  return test::model_from(test::ladder_model(windows, solver));
}

/// phi and its rate at time t, by the classical Runge-Kutta method with a step far below the simulation's.
std::array<double, 2> closed_form(int windows, double t) {
  const double ratio = ((windows + 1) / 2.0 + windows) / ((windows + 1) / 3.0 + windows) * 9.81;
  const auto rate = [&](const std::array<double, 2>& x) { return std::array<double, 2>{x[1], -ratio * std::cos(x[0])}; };
  const auto moved = [](const std::array<double, 2>& x, const std::array<double, 2>& k, double h) {
    return std::array<double, 2>{x[0] + h * k[0], x[1] + h * k[1]};
  };
  std::array<double, 2> x{kPi / 2, -1};
  const int steps = static_cast<int>(std::lround(t / 1e-4));
  const double h = t / steps;
  for (int i = 0; i < steps; ++i) {
    const auto k1 = rate(x), k2 = rate(moved(x, k1, h / 2)), k3 = rate(moved(x, k2, h / 2)), k4 = rate(moved(x, k3, h));
    for (int k = 0; k < 2; ++k) x[k] += h / 6 * (k1[k] + 2 * k2[k] + 2 * k3[k] + k4[k]);
  }
  return x;
}

/// Kinetic and potential energy [J], of bars whose ends are (0, 0), (L, 0): from positions and velocities of their centres.
double energy(const CompiledModel& model, const StateVector& state) {
  const auto& m = std::get<Mechanism<2>>(model.mechanism);
  MechanismState<2> at(m);
  update_positions<2, double>(m, state.q(), nullptr, at);
  update_rates<2, double>(m, state.v(), state.a(), at);
  double sum = 0;
  for (std::size_t j = 1; j < m.tree.nodes.size(); ++j) {
    const NodeState<2>& node = at.tree.nodes[j];
    const Vec<2> center = node.r + node.R * Vec<2>(0.5, 0), velocity = node.V.at(center);
    sum += velocity.squaredNorm() / 2 + node.V.angular * node.V.angular / 24 + 9.81 * center.y();
  }
  return sum;
}

TEST(Ladder, HasOneDegreeOfFreedomAndNoRedundantRows) {
  for (int windows : {1, 8, 300}) {
    const auto model = ladder(windows);
    const Analysis a = analyse(*model);
    EXPECT_EQ(a.velocities, 2 * windows + 1);
    EXPECT_EQ(a.rank, 2 * windows);
    EXPECT_EQ(a.degrees_of_freedom, 1);
    EXPECT_TRUE(a.redundant.empty());
    EXPECT_TRUE(find_missing_inertia(*model).velocities.empty());
  }
}

/// Verticals given with random errors of five degrees, horizontals not given, the first bar locked: all follow it.
TEST(Ladder, AssemblyClosesARoughStart) {
  constexpr double kHeld = 1.2;
  Description d = parse_model(test::ladder_model(100, "step: 1 ms, duration: 5 s"), "test.yaml");
  std::mt19937 random(1);
  std::uniform_real_distribution<double> error(-0.09, 0.09);
  for (auto& [name, joint] : d.joints) {
    joint.rate.reset();
    joint.coordinate.reset();
    if (name[0] == 'v') joint.coordinate = kHeld + error(random);
  }
  d.joints.front().second.coordinate = kHeld;
  d.joints.front().second.rate = -2;
  d.joints.front().second.hold = true;
  const auto model = compile(d);
  for (const JointInfo& joint : model->joints) {
    const double sign = joint.name[0] == 'v' ? 1 : -1;
    EXPECT_NEAR(model->q_start[joint.q], sign * kHeld, 1e-11) << joint.name;
    EXPECT_NEAR(model->v_start[joint.v], -2 * sign, 1e-11) << joint.name;
  }
}

/// Through the two positions in which all bars are on one line, where the Jacobian loses rank in every window.
TEST(Ladder, FollowsTheClosedFormThroughSingularPositions) {
  for (int windows : {1, 10, 40}) {
    const auto model = ladder(windows, "step: 1 ms, duration: 2 s");
    Runner run(model);
    double worst = 0;
    bool passed = false;
    for (double t : {0.25, 0.5, 0.75, 1.0, 1.5, 2.0}) {
      run.advance(t);
      const double phi = closed_form(windows, t)[0];
      passed = passed || phi < -1.2 * kPi;
      for (const JointInfo& joint : model->joints)
        worst = std::max(worst, std::abs(run.state().q()[joint.q] - (joint.name[0] == 'v' ? phi : -phi)));
    }
    EXPECT_TRUE(passed);
    EXPECT_LT(worst, 1e-5) << windows;
  }
}

TEST(Ladder, KeepsItsEnergy) {
  const auto model = ladder(10);
  Runner run(model);
  const double start = energy(*model, run.state());
  const double swing = 2 * (11 / 2.0 + 10) * 9.81;  // of the potential energy, from top to bottom
  double worst = 0;
  for (int i = 1; i <= 500; ++i) {
    run.advance(0.01 * i);
    worst = std::max(worst, std::abs(energy(*model, run.state()) - start));
  }
  EXPECT_LT(worst, 1e-5 * swing);
  EXPECT_LT(run.statistics().max_violation, 1e-9);
}

TEST(Ladder, SparseAndDenseMatricesGiveTheSameMotion) {
  const auto model = ladder(12);
  StateVector dense = start_state(*model), sparse = dense;
  ImplicitStepper<2, Penalty> dense_step(model, MatrixStorage::dense), sparse_step(model, MatrixStorage::sparse);
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(dense_step.step(dense, 1e-3).ok());
    ASSERT_TRUE(sparse_step.step(sparse, 1e-3).ok());
  }
  for (int i = 0; i < model->layout.nq; ++i) EXPECT_NEAR(sparse.q()[i], dense.q()[i], 1e-9);
  for (int i = 0; i < model->layout.nv; ++i) EXPECT_NEAR(sparse.v()[i], dense.v()[i], 1e-7);
}

/// Nor where all bars are on one line: the preselected pivots are sufficient there, too.
TEST(Ladder, SparseStepsDoNotAllocate) {
  if (!test::allocations_are_counted()) GTEST_SKIP() << "another operator new is in use";
  const auto model = ladder(20);
  StateVector state = start_state(*model);
  const auto stepper = make_stepper(model);
  const long before = test::allocations();
  while (state.q()[0] > -0.1) ASSERT_TRUE(stepper->step(state, 1e-3).ok());
  ASSERT_TRUE(stepper->restart(state));
  EXPECT_EQ(test::allocations(), before);
}

TEST(Ladder, TheExampleIsTheGeneratorsModel) {
  std::ifstream file(std::string(TRUNNION_SOURCE_DIR) + "/examples/ladder.yaml", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text, test::ladder_model(8, "step: 1 ms, duration: 5 s"));
}

}  // namespace
}  // namespace trunnion
