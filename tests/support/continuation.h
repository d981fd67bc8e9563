// Runs that are continued from a saved state, for tests of elements.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "run/run.h"
#include "support/allocation_counter.h"

namespace trunnion::test {

/// A run to 0.5 s and one that is saved at 0.21 s and continued end in the same bits, and steps from 0.5 to 0.7 s allocate nothing.
inline void expect_to_continue_and_not_to_allocate(const std::shared_ptr<const CompiledModel>& model) {
  Runner whole(model), first(model);
  whole.advance(0.5);
  first.advance(0.21);
  Runner second(model, first.state());
  second.advance(0.5);
  EXPECT_EQ(whole.state().values(), second.state().values());
  if (!allocations_are_counted()) return;
  const long before = allocations();
  whole.advance(0.7);
  EXPECT_EQ(allocations(), before);
}

}  // namespace trunnion::test
