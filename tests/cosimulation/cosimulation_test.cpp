// The master on oscillators split at their springs (oscillator.h): every scheme converges to the monolithic system with the order of its
// inputs; saving and restoring, threads, step control and iteration do not change the results they must preserve.
// SPDX-License-Identifier: BSD-3-Clause
#include "cosimulation/cosimulation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "cosimulation/oscillator.h"
#include "support/allocation_counter.h"

namespace trunnion::test {
namespace {

constexpr double kEnd = 1.0;  // [s]

/// Largest error of a position of the mechanism at the end.
double error(const Oscillator& o, const CosimulationDescription& settings, int steps) {
  const double h = kEnd / steps;
  const auto master = make_oscillator(o, settings, h);
  StateVector state = o.start(), whole = o.start();
  for (int i = 0; i < steps; ++i) {
    const StepOutcome report = master->step(state, h);
    EXPECT_TRUE(report.ok());
  }
  solve_as_one(o, whole, kEnd, 4000);
  double largest = 0;
  for (int i = 0; i < o.ports; ++i) largest = std::max(largest, std::abs(state.q()[i] - whole.q()[i]));
  return largest;
}

double order(const Oscillator& o, const CosimulationDescription& settings, int steps) {
  return std::log2(error(o, settings, steps) / error(o, settings, 2 * steps));
}

struct OrderCase {
  const char* name;
  double order;
  int steps;
  std::function<void(CosimulationDescription&)> set;
};

class SchemeOrder : public ::testing::TestWithParam<OrderCase> {};

TEST_P(SchemeOrder, IsThatOfWhatThePartsAreTold) {
  CosimulationDescription settings;
  GetParam().set(settings);
  for (int ports : {1, 2}) {
    Oscillator o;
    o.ports = ports;
    o.still = true;
    const double coarse = error(o, settings, GetParam().steps), fine = error(o, settings, 2 * GetParam().steps);
    EXPECT_NEAR(std::log2(coarse / fine), GetParam().order, 0.15) << ports << " cylinders, " << coarse << " " << fine;
  }
}

using D = CosimulationDescription;
OrderCase polynomial(const char* name, CouplingScheme scheme, int m, int steps) {
  return {name, m + 1.0, steps, [=](D& d) {
            d.scheme = scheme;
            d.extrapolation = m;
          }};
}

INSTANTIATE_TEST_SUITE_P(Of, SchemeOrder,
                         ::testing::Values(polynomial("jacobi_0", CouplingScheme::jacobi, 0, 800),
                                           polynomial("jacobi_1", CouplingScheme::jacobi, 1, 400),
                                           polynomial("jacobi_2", CouplingScheme::jacobi, 2, 200),
                                           polynomial("jacobi_3", CouplingScheme::jacobi, 3, 400),
                                           polynomial("gauss_seidel_0", CouplingScheme::gauss_seidel, 0, 800),
                                           polynomial("gauss_seidel_1", CouplingScheme::gauss_seidel, 1, 400),
                                           polynomial("gauss_seidel_2", CouplingScheme::gauss_seidel, 2, 200),
                                           OrderCase{"gauss_seidel_mechanism_first", 2, 400,
                                                     [](D& d) {
                                                       d.scheme = CouplingScheme::gauss_seidel;
                                                       d.order = CouplingOrder::mechanism_first;
                                                     }},
                                           polynomial("iterated_0", CouplingScheme::iterated_jacobi, 0, 800),
                                           polynomial("iterated_1", CouplingScheme::iterated_jacobi, 1, 200),
                                           polynomial("iterated_2", CouplingScheme::iterated_jacobi, 2, 200),
                                           OrderCase{"accelerations_raise_it_by_one", 3, 200,
                                                     [](D& d) {
                                                       d.acceleration = true;
                                                       d.mechanism_extrapolation = 2;
                                                     }},
                                           OrderCase{"the_lower_one_counts", 1, 800, [](D& d) { d.mechanism_extrapolation = 0; }},
                                           OrderCase{"interface_model", 2, 200,
                                                     [](D& d) {
                                                       d.prediction = CouplingPrediction::interface_model;
                                                       d.mechanism_extrapolation = 1;
                                                     }},
                                           OrderCase{"sequential", 4, 100, [](D& d) { d.scheme = CouplingScheme::sequential; }}),
                         [](const auto& parameter) { return std::string(parameter.param.name); });

/// With a damper in the spring there is direct feedthrough from the rate; the orders are unchanged.
TEST(Cosimulation, FeedThroughDoesNotCostTheOrder) {
  Oscillator o;
  o.c = 0.8;
  o.still = true;
  CosimulationDescription settings;
  for (int m : {0, 1, 2}) {
    settings.extrapolation = m;
    EXPECT_NEAR(order(o, settings, 400), m + 1, 0.15) << m;
  }
}

/// The converged iteration is implicit: stable like the monolithic system where a single pass is not.
TEST(Cosimulation, IterationIsMoreAccurateThanOnePass) {
  Oscillator o;
  CosimulationDescription jacobi, iterated;
  iterated.scheme = CouplingScheme::iterated_jacobi;
  EXPECT_LT(error(o, iterated, 100), 0.3 * error(o, jacobi, 100));
}

TEST(Cosimulation, IterationThatDoesNotEndFailsOrIsCounted) {
  Oscillator o;
  CosimulationDescription settings;
  settings.scheme = CouplingScheme::iterated_jacobi;
  settings.max_iterations = 2;
  settings.tolerance = 1e-15;
  StateVector state = o.start();
  const StateVector before = state;
  const auto master = make_oscillator(o, settings, 0.05);
  const StepOutcome report = master->step(state, 0.05);
  EXPECT_EQ(report.status, StepStatus::stalled);
  EXPECT_EQ(report.iterations, 2);
  EXPECT_TRUE(state == before);
  EXPECT_TRUE(master->unknown_name(report.worst).starts_with("coupling variable port0.")) << master->unknown_name(report.worst);
}

std::vector<CosimulationDescription> schemes() {
  std::vector<CosimulationDescription> all(7);
  all[1].scheme = CouplingScheme::gauss_seidel;
  all[2].scheme = CouplingScheme::iterated_jacobi;
  all[2].extrapolation = 2;
  all[3].scheme = CouplingScheme::sequential;
  all[4].prediction = CouplingPrediction::interface_model;
  all[5].acceleration = true;
  all[5].extrapolation = 3;
  all[6].control.emplace();
  return all;
}

TEST(Cosimulation, SaveRestoreAndContinueIsContinue) {
  Oscillator o;
  o.ports = 2;
  for (const CosimulationDescription& settings : schemes()) {
    StateVector straight = o.start();
    const auto master = make_oscillator(o, settings, 0.02);
    StateVector saved;
    for (int i = 0; i < 12; ++i) {
      if (i == 5) saved = straight;
      ASSERT_TRUE(master->step(straight, i == 3 ? 0.007 : 0.02).ok());
    }
    const auto other = make_oscillator(o, settings, 0.02);
    for (int i = 5; i < 12; ++i) ASSERT_TRUE(other->step(saved, 0.02).ok());
    EXPECT_TRUE(saved == straight) << int(settings.scheme);
  }
}

TEST(Cosimulation, ThreadsChangeNoBit) {
  Oscillator o;
  o.ports = 2;
  for (CosimulationDescription settings : schemes()) {
    std::vector<StateVector> ends;
    for (int threads : {1, 2, 3}) {
      settings.threads = threads;
      const auto master = make_oscillator(o, settings, 0.02);
      ends.push_back(o.start());
      for (int i = 0; i < 15; ++i) ASSERT_TRUE(master->step(ends.back(), 0.02).ok());
      EXPECT_TRUE(ends.back() == ends.front()) << threads << " " << int(settings.scheme);
    }
  }
}

TEST(Cosimulation, AStepAllocatesNothing) {
  if (!allocations_are_counted()) GTEST_SKIP();
  Oscillator o;
  o.ports = 2;
  for (CosimulationDescription settings : schemes()) {
    for (int threads : {1, 2}) {
      settings.threads = threads;
      const auto master = make_oscillator(o, settings, 0.02);
      StateVector state = o.start();
      for (int i = 0; i < 3; ++i) master->step(state, 0.02);
      const long before = allocations();
      for (int i = 0; i < 10; ++i) master->step(state, 0.02);
      master->restart(state);
      EXPECT_EQ(allocations(), before) << int(settings.scheme) << " " << threads;
    }
  }
}

TEST(Cosimulation, AFailedStepLeavesTheStateAsItWas) {
  Oscillator o;
  o.fail_at = 0.05;
  for (const CosimulationDescription& settings : schemes()) {
    const auto master = make_oscillator(o, settings, 0.02);
    StateVector state = o.start(), before = state;
    StepOutcome report;
    for (int i = 0; i < 5 && report.ok(); ++i) {
      before = state;
      report = master->step(state, 0.02);
    }
    EXPECT_EQ(report.status, StepStatus::unstable);
    EXPECT_TRUE(state == before);
    EXPECT_EQ(master->unknown_name(report.worst), "the oil");
  }
}

/// After a jump of forces the history is invalid: the order restarts from 0, and the acceleration is that of the right limit.
TEST(Cosimulation, AJumpOfForcesStartsTheHistoryAnew) {
  Oscillator o;
  CosimulationDescription settings;
  settings.extrapolation = 3;
  const auto master = make_oscillator(o, settings, 0.02);
  StateVector state = o.start();
  for (int i = 0; i < 6; ++i) master->step(state, 0.02);
  EXPECT_EQ(state.coupling()[CouplingMemory::points], 5);
  state.y()[0] += 0.1;  // jumps the force
  ASSERT_TRUE(master->restart(state));
  EXPECT_EQ(state.coupling()[CouplingMemory::points], 1);
  StateVector consistent = state;
  o.accelerate(consistent);
  EXPECT_NEAR(state.a()[0], consistent.a()[0], 1e-12);
  const CouplingMemory layout(1, false);
  EXPECT_NEAR(state.coupling()[layout.point(0) + layout.effort(0)], o.force(state.q()[0], state.v()[0], state.y()[0], state.y()[1]), 1e-12);
}

/// Steps of very different length: points that are too close are skipped.
TEST(Cosimulation, AStepCutShortDoesNotDisturb) {
  Oscillator o;
  CosimulationDescription settings;
  settings.extrapolation = 3;
  const auto error_with = [&](double cut) {
    const auto master = make_oscillator(o, settings, 0.01);
    StateVector state = o.start(), whole = state;
    for (int i = 0; i < 100; ++i) {
      if (i == 50 && cut > 0) {
        master->step(state, cut);
        master->step(state, 0.01 - cut);
      } else {
        master->step(state, 0.01);
      }
    }
    solve_as_one(o, whole, 1.0, 4000);
    return std::abs(state.q()[0] - whole.q()[0]);
  };
  EXPECT_LT(error_with(1e-9), 2 * error_with(0));
}

// ---------------------------------------------------------------- monitors

/// A step by hand: one port, constant inputs (order 0), so that every number of (17)-(24) can be written down.
TEST(Monitors, AStepByHand) {
  Oscillator o;
  CosimulationDescription settings;
  settings.extrapolation = 0;
  const double h = 0.05;
  const auto master = make_oscillator(o, settings, h);
  StateVector state = o.start();
  const double w0 = state.v()[0], F0 = o.force(state.q()[0], w0, state.y()[0], state.y()[1]);
  const double s0 = state.q()[0];
  ASSERT_TRUE(master->step(state, h).ok());
  const double w1 = state.v()[0], F1 = o.force(s0, w0, state.y()[0], state.y()[1]);  // the oil's inputs are still s0, w0
  const CouplingMemory layout(1, false);
  const double* bond = state.coupling() + layout.bond(0);
  const double residual = F1 * w0 - F0 * w1;
  EXPECT_NEAR(bond[0], F1 * w1, 1e-12);
  EXPECT_NEAR(bond[1], residual, 1e-12);
  EXPECT_NEAR(bond[2], h / 2 * (0 + residual), 1e-14);
  EXPECT_NEAR(bond[3], std::abs(h / 2 * residual), 1e-14);
  EXPECT_NEAR(bond[4], h / 2 * (std::abs(F0 * w0) + std::abs(F1 * w1)), 1e-13);
  const double s1 = state.q()[0];
  ASSERT_TRUE(master->step(state, h).ok());
  const double w2 = state.v()[0], F2 = o.force(s1, w1, state.y()[0], state.y()[1]), second = F2 * w1 - F1 * w2;
  bond = state.coupling() + layout.bond(0);
  EXPECT_NEAR(bond[2], h / 2 * residual + h / 2 * (residual + second), 1e-14);
  EXPECT_EQ(state.coupling()[CouplingMemory::steps], 2);
  EXPECT_NEAR(state.coupling()[CouplingMemory::residual_energy], bond[2], 1e-15);
  // by the rectangular rule: the same motion and powers
  settings.residual_rule = ResidualRule::rectangular;
  const auto other = make_oscillator(o, settings, h);
  StateVector again = o.start();
  ASSERT_TRUE(other->step(again, h).ok() && other->step(again, h).ok());
  bond = again.coupling() + layout.bond(0);
  EXPECT_EQ(again.v()[0], state.v()[0]);
  EXPECT_NEAR(bond[1], second, 1e-12);
  EXPECT_NEAR(bond[2], h * (residual + second), 1e-14);
  EXPECT_NEAR(bond[3], h * (std::abs(residual) + std::abs(second)), 1e-14);
}

TEST(Monitors, PressuresCountWithTheirAreas) {
  const CouplingMemory layout(1, true);
  EXPECT_EQ(layout.bonds(), 2);
  std::vector<double> memory(layout.size());
  // chambers push with 3 N and pull with 1 N at 0.5 m/s; inputs were 2.5 N, -1.5 N and 0.4 m/s
  const std::vector<BondSample> bonds{{3, 0.5, 2.5, 0.4}, {-1, 0.5, -1.5, 0.4}};
  add_to_monitors(layout, memory.data(), bonds.data(), 0.1, 0.1, ResidualRule::trapezoidal);
  EXPECT_NEAR(memory[layout.bond(0) + 1], 3 * 0.4 - 2.5 * 0.5, 1e-15);
  EXPECT_NEAR(memory[layout.bond(1) + 1], -1 * 0.4 + 1.5 * 0.5, 1e-15);
  EXPECT_NEAR(memory[CouplingMemory::residual_power], -0.05 + 0.35, 1e-15);
  EXPECT_NEAR(memory[CouplingMemory::work], 0.05 * (1.5 + 0.5), 1e-15);
}

TEST(Monitors, ACouplingThatBecomesUnstableIsSaidToBe) {
  Oscillator o;
  CosimulationDescription settings;
  settings.extrapolation = 2;
  const auto run = [&](double h) {
    const auto master = make_oscillator(o, settings, h);
    StateVector state = o.start();
    while (state.time < 4 - h / 2 && master->step(state, h).ok()) {}
    return state;
  };
  EXPECT_EQ(run(0.01).coupling()[CouplingMemory::lost], 0);
  EXPECT_EQ(run(0.4).coupling()[CouplingMemory::lost], 1);
}

// ---------------------------------------------------------------- step control

TEST(StepControl, TakesShortStepsWhereTheResidualAsksForThem) {
  Oscillator o;
  CosimulationDescription settings;
  settings.extrapolation = 2;
  settings.control.emplace();
  settings.control->min_step = 1e-4;
  const auto run = [&](double tolerance) {
    settings.control->tolerance = tolerance;
    const auto master = make_oscillator(o, settings, 0.1);
    StateVector state = o.start(), whole = state;
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(master->step(state, 0.1).ok());
    EXPECT_NEAR(state.time, 1.0, 1e-15);
    solve_as_one(o, whole, 1.0, 4000);
    return std::pair{state.coupling()[CouplingMemory::steps], std::abs(state.q()[0] - whole.q()[0])};
  };
  const auto coarse = run(1e-2), fine = run(1e-5);
  EXPECT_GT(fine.first, 3 * coarse.first);
  EXPECT_LT(fine.second, 0.01 * coarse.second);
}

}  // namespace
}  // namespace trunnion::test
