// A separate folder for every test and process, so that tests may run concurrently.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace trunnion::test {

/// Path of an unused folder; not created.
inline std::string temporary_folder() {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  return ::testing::TempDir() + "trunnion_" + test->test_suite_name() + "_" + test->name() + "_" + std::to_string(getpid());
}

/// Contents of a file; fails the test if it is missing.
inline std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  EXPECT_TRUE(in) << file;
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Tests with their own folder, empty at the start and removed at the end.
class InFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  bool exists(const std::string& name) const { return std::filesystem::exists(folder_ / name); }

  const std::filesystem::path folder_ = temporary_folder();
};

}  // namespace trunnion::test
