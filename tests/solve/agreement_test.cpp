// All constraint treatments compute the same motion: random machines with closed loops and hydraulics, including redundant
// equations and velocity-level constraints, run for a second at 0.1 ms with each of them and with the variable-step references.
// The environment variable TRUNNION_SEEDS sets the number of machines.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "machine/analyse.h"
#include "run/run.h"
#include "support/allocation_counter.h"
#include "support/machines.h"
#include "support/random_machine.h"

namespace trunnion {
namespace {

constexpr int kSeeds = 15, kSeedsUnderSanitizers = 2, kVelocitySeeds = 4, kQuasistaticSeeds = 6;
constexpr double kAngle = 1e-6;     // [rad, m]
constexpr double kPressure = 1e-3;  // of the pressure

struct Treatment {
  const char *constraints, *integrator;
};
constexpr Treatment kTreatments[] = {{"double_step", "cvode"},     {"penalty", "trapezoidal"}, {"double_step", "trapezoidal"},
                                     {"baumgarte", "trapezoidal"}, {"baumgarte", "ida"},       {"ali1", "cvode"}};

StateVector final_state(const std::string& text, const Treatment& t, double end) {
  std::vector<std::string> set{std::string("solver.constraints=") + t.constraints, std::string("solver.integrator=") + t.integrator};
  if (t.integrator != std::string("trapezoidal")) set.emplace_back("solver.step=10 ms");  // the references choose their own, shorter ones
  Runner run(test::model_from(text, set));
  run.advance(end);
  return run.state();
}

template <int D>
double largest_difference(const CompiledModel& model, const StateVector& a, const StateVector& b) {
  const auto& tree = std::get<Mechanism<D>>(model.mechanism).tree;
  std::vector<double> difference(tree.nv);
  configuration_difference(tree, a.q(), b.q(), difference.data());
  double largest = 0;
  for (double x : difference) largest = std::max(largest, std::abs(x));
  return largest;
}

void expect_agreement(const std::string& text, double end = 1) {
  const auto model = test::model_from(text);
  const StateVector first = final_state(text, kTreatments[0], end);
  for (std::size_t i = 1; i < std::size(kTreatments); ++i) {
    const Treatment& t = kTreatments[i];
    const StateVector other = final_state(text, t, end);
    const double angle = model->planar ? largest_difference<2>(*model, first, other) : largest_difference<3>(*model, first, other);
    EXPECT_LT(angle, kAngle) << t.constraints << " " << t.integrator;
    for (std::size_t k = 0; k < model->hydraulics.volumes.size(); ++k)
      EXPECT_NEAR(other.y()[k], first.y()[k], kPressure * first.y()[k])
          << t.constraints << " " << t.integrator << " " << model->state_names[k];
    for (const QuasistaticCircuit& q : model->hydraulics.quasistatic)
      for (const QuasistaticPort& port : q.ports)
        EXPECT_NEAR(other.y()[port.state], first.y()[port.state], kAngle)
            << t.constraints << " " << t.integrator << " " << model->state_names[static_cast<std::size_t>(port.state)];
  }
}

TEST(Treatments, AgreeOnRandomMachinesWithLoopsAndHydraulics) {
  const char* asked = std::getenv("TRUNNION_SEEDS");
  const int seeds = asked != nullptr ? std::atoi(asked) : test::allocations_are_counted() ? kSeeds : kSeedsUnderSanitizers;
  int spatial = 0, redundant = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    const test::RandomMachine machine = test::random_machine(static_cast<unsigned>(seed));
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto model = test::model_from(machine.text);
    EXPECT_EQ(model->planar, !machine.spatial);
    EXPECT_EQ(!analyse(*model).redundant.empty(), machine.redundant);
    spatial += machine.spatial ? 1 : 0;
    redundant += machine.redundant ? 1 : 0;
    expect_agreement(machine.text);
  }
  if (seeds < 10) return;
  EXPECT_GE(3 * spatial, seeds);
  EXPECT_GT(redundant, seeds / 10);
}

TEST(Treatments, AgreeOnRandomMachinesWithVelocityConstraints) {
  const char* asked = std::getenv("TRUNNION_SEEDS");
  const int seeds = asked != nullptr ? std::atoi(asked) : test::allocations_are_counted() ? kVelocitySeeds : 1;
  for (int seed = 0; seed < seeds; ++seed) {
    const test::RandomMachine machine = test::random_machine(static_cast<unsigned>(seed), true);
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto model = test::model_from(machine.text);
    const Analysis a = analyse(*model);
    EXPECT_EQ(a.position_degrees_of_freedom - a.degrees_of_freedom, machine.velocity_rows);
    EXPECT_EQ(model->planar, !machine.spatial);
    expect_agreement(machine.text, 0.3);
  }
}

TEST(Treatments, AgreeOnRandomMachinesOnAQuasistaticCircuit) {
  const int seeds = test::allocations_are_counted() ? kQuasistaticSeeds : 1;
  for (int seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_agreement(test::random_machine(static_cast<unsigned>(seed), seed % 3 == 2, test::RandomOil::quasistatic).text, 0.5);
  }
}

TEST(Treatments, AgreeWhereACavityCollapses) {
  if (!test::allocations_are_counted()) GTEST_SKIP() << "takes long with sanitizers";
  const test::RandomMachine machine = test::random_machine(199);  // chamber A is drawn below saturation and refills at 0.59 s
  Runner run(test::model_from(machine.text));
  run.advance(1);
  const auto& records = run.statistics().cavitation;
  EXPECT_TRUE(std::any_of(records.begin(), records.end(), [](const CavitationRecord& r) { return r.steps > 0; }));
  EXPECT_LE(run.statistics().max_iterations, 4);
  expect_agreement(machine.text);
}

}  // namespace
}  // namespace trunnion
