// Lane machines for every processor that the one in use can stand for: against the general step, and with other neighbours.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "lanes/lane_machine.h"
#include "machine/start.h"
#include "schema/compact.h"
#include "solve/make_monolithic_stepper.h"
#include "support/machines.h"

namespace trunnion::test {
namespace {

constexpr double kStep = 1e-4;  // [s]
constexpr int kSteps = 50;

using Numbers = std::vector<lanes::Row>;

/// Machines differ in their pressures.
void disturb(const CompiledModel& model, StateVector& state, int number) {
  for (std::size_t i = 0; i < model.hydraulics.volumes.size(); ++i) state.y()[i] *= 1 + 1e-3 * number;
}

/// Lane k is machine first + k.
Numbers by_lanes(lanes::MakeLaneMachine* make, const CompiledModel& model, int first) {
  const auto machine = make(compact_text(model.description), {});
  StateVector state = start_state(model);
  Numbers x(state.values().size());
  for (int k = 0; k < lanes::kMachines; ++k) {
    StateVector own = state;
    disturb(model, own, first + k);
    for (std::size_t i = 0; i < x.size(); ++i) x[i].of[k] = own.values()[i];
  }
  EXPECT_EQ(machine->size(), static_cast<int>(x.size()));
  std::uint64_t ways[lanes::kMachines] = {};
  for (int n = 0; n < kSteps; ++n) {
    lanes::Row time;
    time.of.fill(n * kStep);
    unsigned left = 255;
    while (left != 0) {
      const auto result = machine->step(x.data(), time, kStep, left, ways);
      if (result.done == 0) {
        ADD_FAILURE() << "no step";
        return x;
      }
      left &= ~result.done;
    }
  }
  return x;
}

TEST(LanesOfProcessors, StepAsTheGeneralStepDoesWithAnyNeighbours) {
  const auto model = load_example("four_bar");
  const auto list = lanes::machines_by_processor();
  if (list.empty()) GTEST_SKIP() << "the processor has no lanes";
  std::vector<std::vector<double>> single;
  for (int k = 0; k <= lanes::kMachines; ++k) {
    const auto stepper = make_monolithic_stepper(model);
    StateVector state = start_state(*model);
    disturb(*model, state, k);
    for (int n = 0; n < kSteps; ++n) ASSERT_TRUE(stepper->step(state, kStep).ok());
    single.push_back(state.values());
  }
  for (const lanes::ProcessorLanes& processor : list) {
    SCOPED_TRACE(processor.instructions);
    const Numbers x = by_lanes(processor.make, *model, 0), next = by_lanes(processor.make, *model, 1);
    const auto motion = static_cast<std::size_t>(model->layout.nq + model->layout.nv);
    for (std::size_t i = 0; i < x.size(); ++i)
      for (int k = 0; k < lanes::kMachines; ++k) {
        const double expected = single[static_cast<std::size_t>(k)][i];
        if (i < motion) { EXPECT_NEAR(x[i].of[k], expected, 1e-12 * std::max(1.0, std::abs(expected))) << "number " << i; }
        if (k > 0) { EXPECT_EQ(x[i].of[k], next[i].of[k - 1]) << "number " << i; }
      }
    EXPECT_NE(x[0].of[0], x[0].of[1]);
  }
}

}  // namespace
}  // namespace trunnion::test
