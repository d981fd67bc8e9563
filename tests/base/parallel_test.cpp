// Jobs on several threads.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/parallel.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace trunnion {
namespace {

TEST(Parallel, EveryJobRunsOnce) {
  for (const int threads : {1, 2, 7}) {
    std::vector<std::atomic<int>> count(100);
    for_each_parallel(count.size(), threads, [&](std::size_t i) { ++count[i]; });
    for (const auto& n : count) EXPECT_EQ(n, 1);
  }
  for_each_parallel(0, 3, [](std::size_t) { FAIL(); });
}

TEST(Parallel, TheFirstFailureIsThrown) {
  for (const int threads : {1, 3}) {
    try {
      for_each_parallel(50, threads, [](std::size_t i) {
        if (i == 4 || i == 5) throw std::runtime_error(std::to_string(i));
      });
      FAIL();
    } catch (const std::runtime_error& failure) { EXPECT_EQ(std::string(failure.what()), "4"); }
  }
}

}  // namespace
}  // namespace trunnion
