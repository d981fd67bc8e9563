// Coordinate partitioning: the loops stay closed to rounding, the motion is that of the penalty treatment and of an independent
// solution, the change along an independent coordinate is that of the closed machine, a singular configuration is reported.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "machine/start.h"
#include "problems/reference_table.h"
#include "run/make_stepper.h"
#include "run/run.h"
#include "solve/closed_loops.h"
#include "support/allocation_counter.h"
#include "support/machines.h"
#include "support/random_machine.h"

namespace trunnion {
namespace {

using problems::read_reference_table;
using problems::ReferenceTable;
using test::load_example;
using test::model_from;

std::shared_ptr<const CompiledModel> with(const std::string& example, const std::string& constraints, const std::string& step = "1 ms",
                                          std::vector<std::string> more = {}) {
  more.push_back("solver.constraints=" + constraints);
  more.push_back("solver.step=" + step);
  return load_example(example, more);
}

// ---------------------------------------------------------------- partition

/// Of a dense matrix, row by row.
std::vector<FullPivoting::Pivot> pivots_of(int rows, int columns, const std::vector<double>& A, int leading = -1) {
  FullPivoting elimination(rows, columns);
  elimination.start(rows, columns);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      if (const double value = A[static_cast<std::size_t>(i) * columns + j]; value != 0) elimination.set(i, j, value);
  return elimination.eliminate(1e-9, leading < 0 ? rows : leading);
}

TEST(Partition, FullPivotingTakesTheLargestEntryLeft) {
  const auto pivots = pivots_of(2, 3, {1, 2, 0, 4, -8, 1});
  ASSERT_EQ(pivots.size(), 2u);
  EXPECT_EQ(pivots[0].row, 1);
  EXPECT_EQ(pivots[0].column, 1);
  EXPECT_EQ(pivots[1].row, 0);
  EXPECT_EQ(pivots[1].column, 0);  // 1 + 2/8 * 4 = 2
  EXPECT_NEAR(pivots[1].size, 2, 1e-15);
}

TEST(Partition, LeadingRowsChooseAmongThemselvesFirst) {
  // the largest entry, 9, is in a row of the second group, and its column is used by then
  const auto pivots = pivots_of(3, 4, {1, 2, 0, 0, 0, 9, 1, 4, 0, 0, 3, 0}, 1);
  ASSERT_EQ(pivots.size(), 3u);
  EXPECT_EQ(pivots[0].row, 0);
  EXPECT_EQ(pivots[0].column, 1);
  EXPECT_EQ(pivots[1].row, 1);  // -4.5, 0, 1, 4
  EXPECT_EQ(pivots[1].column, 0);
  EXPECT_NEAR(pivots[1].size, 4.5, 1e-15);
  EXPECT_EQ(pivots[2].row, 2);
  EXPECT_EQ(pivots[2].column, 2);
  // a row implied by the leading ones has none
  EXPECT_EQ(pivots_of(3, 3, {1, 2, 0, 0, 1, 1, 1, 3, 1}, 2).size(), 2u);
}

TEST(Partition, RedundantRowsGetNoPivot) { EXPECT_EQ(pivots_of(4, 3, {1, 2, 3, 2, 4, 6, 0, 0, 0, 0.1, 0.7, -0.4}).size(), 2u); }

TEST(Partition, SparseEliminationFindsThePivotsOfADenseOne) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(-1, 1);
  FullPivoting elimination(12, 15);
  for (int trial = 0; trial < 50; ++trial) {
    const int rows = 3 + trial % 10, columns = rows + trial % 4;
    std::vector<double> A(static_cast<std::size_t>(rows) * columns);
    const auto at = [&](int i, int j) -> double& { return A[static_cast<std::size_t>(i) * columns + j]; };
    elimination.start(rows, columns);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) {
        if (i == 2)
          at(i, j) = at(0, j) - 2 * at(1, j);  // redundant
        else if (uniform(random) > 0.2)
          at(i, j) = std::round(8 * uniform(random)) / 4;  // with ties
        if (at(i, j) != 0) elimination.set(i, j, at(i, j));
      }
    const auto& found = elimination.eliminate(1e-9, rows);
    std::vector<char> row_done(rows), column_done(columns);
    for (const FullPivoting::Pivot& pivot : found) {
      int row = -1, column = -1;
      double size = 1e-9;
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j)
          if (row_done[i] == 0 && column_done[j] == 0 && std::abs(at(i, j)) > size) {
            size = std::abs(at(i, j));
            row = i;
            column = j;
          }
      ASSERT_EQ(pivot.row, row);
      ASSERT_EQ(pivot.column, column);
      EXPECT_DOUBLE_EQ(pivot.size, size);
      row_done[row] = column_done[column] = 1;
      for (int i = 0; i < rows; ++i) {
        const double factor = at(i, column) / at(row, column);
        if (row_done[i] == 0)
          for (int j = 0; j < columns; ++j) at(i, j) -= factor * at(row, j);
      }
    }
    double left = 0;
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j)
        if (row_done[i] == 0 && column_done[j] == 0) left = std::max(left, std::abs(at(i, j)));
    EXPECT_LT(left, 1e-9);
  }
}

/// Independent velocities by a state's partition.
std::vector<int> independent(const StateVector& s) {
  std::vector<int> free;
  for (int v = 0; v < s.layout().nv; ++v) {
    bool dependent = false;
    for (int i = 0; i < s.layout().rows; ++i) dependent = dependent || std::abs(s.partition()[i]) == v + 1;
    if (!dependent) free.push_back(v);
  }
  return free;
}

struct PartitionLog final : RunWatcher {
  std::vector<int> free;
  long changes = 0;
  void at(const StepRecord& m) override {
    const std::vector<int> now = independent(m.state);
    if (!free.empty() && now != free) ++changes;
    free = now;
  }
};

TEST(DoubleStep, KeepsTheIndependentCoordinatesOfThePaper) {
  for (const auto& [example, coordinate] : {std::pair{"four_bar_lift", 2}, std::pair{"quick_return", 3}}) {  // z3 lever, z4 crank
    Runner run(with(example, "double_step"));
    PartitionLog log;
    run.advance(10, &log);
    EXPECT_EQ(log.free, std::vector<int>{coordinate}) << example;
    EXPECT_EQ(log.changes, 0) << example;
  }
}

TEST(DoubleStep, TakesAnotherPartitionWhereOneFitsNoMore) {
  const auto model = model_from(R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {crank: {rod: {length: 1, mass: 3}}, rod: {rod: {length: 3, mass: 2}}, slider: {point_mass: {mass: 1}}}
joints:
  crank: {revolute: {parent: ground, axis: z}, angle: 60 deg, rate: 4, hold: true}
  rod: {revolute: {parent: crank, at: [1, 0, 0], axis: z}, angle: -77 deg}
  slider: {prismatic: {parent: ground, axis: x}, position: 3.3 m}
loops: {pin: {revolute: {between: [rod, slider], at: [[3, 0, 0], [0, 0, 0]], axis: z}}}
solver: {constraints: double_step, step: 1 ms, duration: 6 s}
)");
  // crank and rod depend on the slider: until it reverses at a dead centre
  StateVector state = start_state(*model);
  state.partition()[0] = 2;
  state.partition()[1] = 1;
  Runner run(model);
  run.restore(state);
  PartitionLog log;
  run.advance(6, &log);
  EXPECT_GT(log.changes, 0);
  EXPECT_EQ(run.statistics().repartitions, log.changes);
  EXPECT_EQ(run.statistics().independent, log.free);
  EXPECT_GT(run.statistics().repartition_time, 0);
  EXPECT_GT(run.state().q()[0], 4 * M_PI);
  EXPECT_LT(run.statistics().max_violation, 1e-13);
  EXPECT_LT(run.statistics().max_velocity_violation, 1e-13);
}

// ---------------------------------------------------------------- motion

class DoubleStepOf : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Examples, DoubleStepOf, ::testing::Values("four_bar", "four_bar_lift", "quick_return"));

TEST_P(DoubleStepOf, ClosesTheLoopsToRounding) {
  Runner run(with(GetParam(), "double_step"));
  run.advance(10);
  EXPECT_LT(run.statistics().max_violation, 1e-14 * 10);  // of machines of 10 m
  EXPECT_LT(run.statistics().max_velocity_violation, 1e-14);
  EXPECT_LE(run.statistics().max_iterations, 3);
  EXPECT_GT(run.statistics().position_iterations, 0);
}

TEST_P(DoubleStepOf, MovesAsThePenaltyTreatment) {
  Runner a(with(GetParam(), "double_step", "0.1 ms")), b(with(GetParam(), "penalty", "0.1 ms"));
  double difference = 0;
  for (int i = 1; i <= 100; ++i) {
    a.advance(0.1 * i);
    b.advance(0.1 * i);
    for (int k = 0; k < a.state().layout().nq; ++k) difference = std::max(difference, std::abs(a.state().q()[k] - b.state().q()[k]));
  }
  EXPECT_LT(difference, 1e-6);
}

TEST_P(DoubleStepOf, MultipliersAreThoseOfThePenaltyTreatment) {
  // at rest and in motion; relative to the largest
  Runner a(with(GetParam(), "double_step")), b(with(GetParam(), "penalty"));
  for (double t : {0.5, 1.2, 2.2, 6.8}) {
    a.advance(t);
    b.advance(t);
    double size = 0, difference = 0;
    for (int i = 0; i < a.state().layout().rows; ++i) {
      size = std::max(size, std::abs(b.state().multipliers()[i]));
      difference = std::max(difference, std::abs(a.state().multipliers()[i] - b.state().multipliers()[i]));
    }
    EXPECT_LT(difference, 1e-3 * size) << t;
  }
}

TEST_P(DoubleStepOf, ExactAndForwardDifferenceTangentsTakeTheSameSteps) {
  Runner a(with(GetParam(), "double_step")), b(with(GetParam(), "double_step", "1 ms", {"solver.tangent=forward_difference"}));
  a.advance(2);
  b.advance(2);
  for (int k = 0; k < a.state().layout().nq; ++k) EXPECT_NEAR(a.state().q()[k], b.state().q()[k], 1e-8);
  EXPECT_NEAR(a.statistics().mean_iterations(), b.statistics().mean_iterations(), 0.05);
}

TEST_P(DoubleStepOf, ContinuesASavedStateToTheLastBit) {
  const auto model = with(GetParam(), "double_step");
  Runner whole(model), part(model);
  whole.advance(1.2);
  part.restore(whole.state());
  whole.advance(1.7);
  part.advance(1.7);
  EXPECT_TRUE(whole.state() == part.state());
}

struct LiftErrors {
  double angle = 0, pressure = 0, smooth = 0;
};
LiftErrors lift_errors(const std::string& step) {
  const ReferenceTable table = read_reference_table("four_bar_lift");
  Runner run(with("four_bar_lift", "double_step", step));
  LiftErrors e;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const double t = table.at(row, "time");
    run.advance(t);
    const StateVector& s = run.state();
    const char* const angles[] = {"beam.angle", "link.angle", "lever.angle"};
    for (int i = 0; i < 3; ++i) {
      const double error = std::abs(s.q()[i] - table.at(row, angles[i]));
      e.angle = std::max(e.angle, error);
      if (t > 1.3 && t < 2.5) e.smooth = std::max(e.smooth, error);
      e.pressure = std::max(e.pressure, std::abs(s.y()[i] - table.at(row, "v" + std::to_string(i + 1) + ".pressure")));
    }
  }
  return e;
}

TEST(DoubleStep, FollowsTheReferenceOfTheLiftingFourBarWithOrderTwo) {
  const LiftErrors coarse = lift_errors("1 ms"), half = lift_errors("0.5 ms"), fine = lift_errors("0.25 ms");
  EXPECT_LT(coarse.angle, 3e-5);
  EXPECT_LT(coarse.pressure, 40e3);
  EXPECT_NEAR(std::log2(half.smooth / fine.smooth), 2.0, 0.15);
}

TEST(DoubleStep, FollowsTheReferenceOfTheSpatialSliderCrankWithOrderTwo) {
  const ReferenceTable table = read_reference_table("spatial_slider_crank");
  double error[2] = {0, 0};
  for (int k : {0, 1}) {
    Runner run(with("spatial_slider_crank", "double_step", k == 0 ? "1 ms" : "0.25 ms"));
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      run.advance(table.at(row, "time"));
      error[k] = std::max(error[k], std::abs(run.state().q()[0] - table.at(row, "crank.angle")));
    }
    EXPECT_LT(run.statistics().max_violation, 1e-14);
    EXPECT_LT(run.statistics().max_velocity_violation, 1e-14);
  }
  EXPECT_LT(error[0], 1e-4);
  EXPECT_NEAR(0.5 * std::log2(error[0] / error[1]), 2.0, 0.1);
}

TEST(DoubleStep, MachinesOfEverythingMoveAsWithThePenaltyTreatment) {
  // open trees, a prescribed motion, springs, loads, spherical joints, several circuits; the treatments differ by the rule's error in the
  // driven joint's rates, which one keeps and the other computes from the constraint
  for (bool spatial : {false, true}) {
    const std::string text = test::busy_machine(spatial);
    Runner a(model_from(text, {"solver.constraints=double_step"})), b(model_from(text));
    a.advance(0.1);
    b.advance(0.1);
    for (int k = 0; k < a.state().layout().nq; ++k) EXPECT_NEAR(a.state().q()[k], b.state().q()[k], 1e-8);
    for (int k = 0; k < a.state().layout().ny; ++k)
      EXPECT_NEAR(a.state().y()[k], b.state().y()[k], 1e-5 * (1 + std::abs(b.state().y()[k])));
    EXPECT_LT(a.statistics().max_violation, 1e-14);
  }
}

TEST(DoubleStep, ALoopClosedTwiceMovesAsIfClosedOnce) {
  Description d = load_model(std::string(TRUNNION_SOURCE_DIR) + "/examples/four_bar.yaml");
  d.solver.constraints = ConstraintKind::double_step;
  const auto once = compile(d);
  d.loops.emplace_back("again", d.loops[0].second);
  const auto twice = compile(d);
  ASSERT_EQ(twice->layout.rows, 4);
  Runner a(once), b(twice);
  a.advance(3);
  b.advance(3);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(a.state().q()[k], b.state().q()[k], 1e-11);
  EXPECT_EQ(independent(b.state()).size(), 1u);
  EXPECT_LT(b.statistics().max_violation, 1e-13);
  // the remaining rows carry the whole force
  for (int i = 0; i < 4; ++i) EXPECT_EQ(b.state().multipliers()[i] == 0, b.state().partition()[i] == 0) << i;
  for (int i = 0; i < 2; ++i) {
    const double force = a.state().multipliers()[i];
    EXPECT_NEAR(b.state().multipliers()[i] + b.state().multipliers()[i + 2], force, 1e-6 * std::abs(force));
  }
}

// ---------------------------------------------------------------- large groups of loops

/// Windows in a row, N of them: bars of 1 m and 1 kg, upright, their tips at 1 m/s. One coordinate is independent.
std::string ladder(int N, const std::string& constraints) {
  std::string bodies, joints, loops;
  for (int i = 0; i <= N; ++i) {
    const std::string v = "v" + std::to_string(i), h = "h" + std::to_string(i);
    bodies += "  " + v + ": {rod: {length: 1, mass: 1}}\n";
    joints +=
        "  " + v + ": {revolute: {parent: ground, at: [" + std::to_string(i) + ", 0, 0], axis: z}, angle: 90 deg, rate: -1, hold: true}\n";
    if (i == N) break;
    bodies += "  " + h + ": {rod: {length: 1, mass: 1}}\n";
    joints += "  " + h + ": {revolute: {parent: " + v + ", at: [1, 0, 0], axis: z}, angle: -90 deg, rate: 1, hold: true}\n";
    loops += "  l" + std::to_string(i) + ": {revolute: {between: [" + h + ", v" + std::to_string(i + 1) +
             "], at: [[1, 0, 0], [1, 0, 0]], axis: z}}\n";
  }
  return "trunnion: 1\ngravity: [0, -9.81, 0]\nbodies:\n" + bodies + "joints:\n" + joints + "loops:\n" + loops +
         "solver: {step: 0.5 ms, duration: 1 s, constraints: " + constraints + "}\n";
}

TEST(DoubleStep, ALadderOfManyWindowsTurnsAsItsEnergySays) {
  for (int N : {3, 40}) {  // dense, sparse
    const auto model = model_from(ladder(N, "double_step"));
    Runner run(model);
    run.advance(0.3);
    // J phi'^2 / 2 + m g sin(phi) constant, bars parallel throughout
    const double J = (N + 1) / 3.0 + N, m = (N + 1) / 2.0 + N, start = 0.5 * J + m * 9.81;
    double phi = M_PI / 2;
    constexpr int kSteps = 30000;  // midpoint rule on the energy's speed
    const auto speed = [&](double angle) { return -std::sqrt(2 * (start - m * 9.81 * std::sin(angle)) / J); };
    for (int i = 0; i < kSteps; ++i) phi += 0.3 / kSteps * speed(phi + 0.15 / kSteps * speed(phi));
    const StateVector& s = run.state();
    for (int i = 0; i < s.layout().nq; ++i) {
      const bool vertical = model->velocity_names[i][0] == 'v';
      EXPECT_NEAR(s.q()[i], vertical ? phi : -phi, 1e-6) << N << " " << model->velocity_names[i];
    }
    EXPECT_EQ(independent(s).size(), 1u);
    EXPECT_LT(run.statistics().max_violation, 1e-12);
    EXPECT_LT(run.statistics().max_velocity_violation, 1e-12);
  }
}

TEST(DoubleStep, ContinuesALadderToTheLastBit) {
  const auto model = model_from(ladder(20, "double_step"));
  Runner whole(model), part(model);
  whole.advance(0.1);
  part.restore(whole.state());
  whole.advance(0.2);
  part.advance(0.2);
  EXPECT_TRUE(whole.state() == part.state());
}

// ---------------------------------------------------------------- singular configurations

std::string parallelogram(const std::string& constraints) {
  return R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {left: {rod: {length: 1, mass: 2}}, coupler: {rod: {length: 2, mass: 4}}, right: {rod: {length: 1, mass: 2}}}
joints:
  left: {revolute: {parent: ground, axis: z}, angle: 60 deg, rate: -2, hold: true}
  coupler: {revolute: {parent: left, at: [1, 0, 0], axis: z}, angle: -60 deg, rate: 2}
  right: {revolute: {parent: coupler, at: [2, 0, 0], axis: z}, angle: -120 deg, rate: -2}
loops: {foot: {revolute: {between: [right, ground], at: [[1, 0, 0], [2, 0, 0]], axis: z}}}
solver: {step: 1 ms, duration: 1 s, constraints: )" +
         constraints + "}\n";
}

TEST(DoubleStep, NamesTheLoopAtADeadPointThatThePenaltyTreatmentPasses) {
  // all bars of the parallelogram in one line at 0.5236 s
  Runner penalty(model_from(parallelogram("penalty")));
  penalty.advance(1);
  EXPECT_LT(penalty.state().q()[0], -0.5);
  EXPECT_LT(penalty.statistics().max_violation, 1e-8);
  Runner partitioned(model_from(parallelogram("double_step")));
  try {
    partitioned.advance(1);
    FAIL() << "it should not get through";
  } catch (const SimulationError& error) {
    EXPECT_NEAR(error.time(), M_PI / 6, 2e-3);
    EXPECT_NE(std::string(error.what()).find("loops.foot"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("dead point"), std::string::npos) << error.what();
    EXPECT_NE(error.remedy().find("penalty"), std::string::npos) << error.remedy();
  }
}

TEST(DoubleStep, NamesTheLoopOfAParallelogramThatStartsFlat) {
  std::string text = parallelogram("double_step");
  for (const auto& [angle, flat] :
       {std::pair<std::string, std::string>{"angle: 60", "angle: 0"}, {"angle: -60", "angle: 0"}, {"angle: -120", "angle: -180"}})
    text.replace(text.find(angle), angle.size(), flat);
  Runner run(model_from(text));
  try {
    run.advance(0.1);
    FAIL() << "nothing tells where it goes";
  } catch (const SimulationError& error) {
    EXPECT_EQ(error.time(), 0);
    EXPECT_NE(std::string(error.what()).find("loops.foot"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("dead point"), std::string::npos) << error.what();
    EXPECT_NE(error.remedy().find("penalty"), std::string::npos) << error.remedy();
  }
}

// ---------------------------------------------------------------- the chain rule

/// Dependent quantities as functions of the free increments, compared with the column of closed_loops.
template <int D>
void expect_columns_are_differences(const CompiledModel& model, std::size_t velocity_rows = 0) {
  constexpr double e = 1e-5;
  const auto& m = std::get<Mechanism<D>>(model.mechanism);
  const int nv = m.tree.nv;
  MechanismState<D> state(m);
  ClosedLoops<D> loops(m);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> theta(nv), v(nv), a(nv), q(m.tree.nq);
  for (auto* x : {&theta, &v, &a})
    for (double& value : *x) value = uniform(random);
  for (int i = 0; i < nv; ++i) theta[i] *= 0.2 * m.unit(i);
  update_positions<D, double>(m, model.q_start.data(), nullptr, state);
  ASSERT_TRUE(loops.select_partition(state));
  const IncrementFactors f{3, 7};
  struct Result {
    std::vector<double> theta, v, a;
  };
  const auto at = [&](int k, double move) {
    Result r{theta, v, a};
    if (k >= 0) {
      const int i = loops.admissible()[k];
      r.theta[i] += move;
      if (std::binary_search(loops.independent().begin(), loops.independent().end(), i)) {
        r.v[i] += f.velocity * move;
        r.a[i] += f.acceleration * move;
      }
    }
    int iterations = 0;
    EXPECT_EQ(loops.close(model.q_start.data(), r.theta.data(), q.data(), true, state, &iterations), LoopStatus::closed);
    loops.solve_velocities(r.v.data(), state);
    loops.solve_accelerations(r.v.data(), r.a.data(), state);
    update_rates<D, double>(m, r.v.data(), r.a.data(), state);
    constraint_rates(m, r.v.data(), state);
    constraint_accelerations(m, r.a.data(), state);
    for (int i = 0; i < m.rows; ++i) {
      EXPECT_NEAR(state.Phi[i], 0, 1e-14);
      EXPECT_NEAR(state.Phi_dot[i], 0, 1e-13);
      EXPECT_NEAR(state.Phi_ddot[i], 0, 1e-10);
    }
    return r;
  };
  DirectionalDerivative<D> work(m);
  typename ClosedLoops<D>::Column column(nv);
  DirectionalDerivative<D, Pack<4>> work4(m);
  typename ClosedLoops<D>::template Columns<Pack<4>> columns(nv);
  EXPECT_EQ(loops.velocity_dependent().size(), velocity_rows);
  for (std::size_t k = 0; k < loops.admissible().size(); ++k) {
    const Result up = at(static_cast<int>(k), e), down = at(static_cast<int>(k), -e);
    at(-1, 0);
    loops.reduce();
    loops.columns(static_cast<int>(k), f, state, work, column);
    loops.columns(static_cast<int>(k - k % 4), f, state, work4, columns);
    for (int i = 0; i < nv; ++i) {
      EXPECT_NEAR(column.theta[i], (up.theta[i] - down.theta[i]) / (2 * e), 1e-7) << k << " " << i;
      EXPECT_NEAR(column.v[i], (up.v[i] - down.v[i]) / (2 * e), 1e-6) << k << " " << i;
      EXPECT_NEAR(column.a[i], (up.a[i] - down.a[i]) / (2 * e), 1e-5) << k << " " << i;
      const int in_pack = static_cast<int>(k % 4);
      EXPECT_NEAR(lane(columns.theta[i], in_pack), column.theta[i], 1e-12) << k << " " << i;
      EXPECT_NEAR(lane(columns.v[i], in_pack), column.v[i], 1e-11) << k << " " << i;
      EXPECT_NEAR(lane(columns.a[i], in_pack), column.a[i], 1e-9) << k << " " << i;
    }
  }
}

TEST(ClosedLoops, ColumnsAreTheDifferencesOfTheClosedMachine) {
  expect_columns_are_differences<2>(*load_example("four_bar"));
  expect_columns_are_differences<2>(*load_example("quick_return"));
  expect_columns_are_differences<3>(*load_example("spatial_slider_crank"));
}

TEST(ClosedLoops, ColumnsAreTheDifferencesOfTheMachineWithVelocityRows) {
  expect_columns_are_differences<3>(*load_example("rolling_disc"), 2);
  for (unsigned seed : {0u, 1u, 2u, 3u, 4u, 7u, 8u}) {
    SCOPED_TRACE(seed);
    const test::RandomMachine machine = test::random_machine(seed, true);
    const auto model = model_from(machine.text);
    if (model->planar)
      expect_columns_are_differences<2>(*model, 2);
    else
      expect_columns_are_differences<3>(*model, 4);
  }
}

// ---------------------------------------------------------------- cost

TEST(DoubleStep, DoesNotAllocate) {
  if (!test::allocations_are_counted()) GTEST_SKIP() << "another operator new is in use";
  std::vector<std::shared_ptr<const CompiledModel>> models;
  for (const char* example : {"four_bar", "four_bar_lift", "quick_return", "spatial_slider_crank", "slewing_crane"})
    models.push_back(with(example, "double_step"));
  models.push_back(with("quick_return", "double_step", "1 ms", {"solver.tangent=forward_difference"}));
  models.push_back(model_from(test::busy_machine(true), {"solver.constraints=double_step", "solver.oil_rule=alpha"}));
  models.push_back(model_from(ladder(20, "double_step")));
  for (const auto& model : models) {
    StateVector state = start_state(*model);
    const auto stepper = make_stepper(model);
    const long before = test::allocations();
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(stepper->step(state, model->description.solver.step).ok()) << model->title;
    ASSERT_TRUE(stepper->restart(state));
    EXPECT_EQ(test::allocations(), before) << model->title;
  }
}

}  // namespace
}  // namespace trunnion
