// A separate folder for every test and process, so that tests may run concurrently.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace trunnion::test {

/// Path of an unused folder; not created.
std::string temporary_folder();

/// Contents of a file; fails the test if it is missing.
std::string text_of(const std::filesystem::path& file);

/// Tests with their own folder, empty at the start and removed at the end.
class InFolder : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;
  std::string path(const std::string& name) const;
  bool exists(const std::string& name) const;

  const std::filesystem::path folder_ = temporary_folder();
};

}  // namespace trunnion::test
