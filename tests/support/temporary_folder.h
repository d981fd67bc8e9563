// A folder of its own for every test and process, so that tests may run at the same time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace trunnion::test {

/// Path of a folder that no other test uses; not created.
inline std::string temporary_folder() {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  return ::testing::TempDir() + "trunnion_" + test->test_suite_name() + "_" + test->name() + "_" + std::to_string(getpid());
}

}  // namespace trunnion::test
