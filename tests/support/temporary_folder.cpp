// SPDX-License-Identifier: BSD-3-Clause
#include "support/temporary_folder.h"

#include <unistd.h>

#include <iterator>

namespace trunnion::test {

std::string temporary_folder() {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  return ::testing::TempDir() + "trunnion_" + test->test_suite_name() + "_" + test->name() + "_" + std::to_string(getpid());
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  EXPECT_TRUE(in) << file;
  return {std::istreambuf_iterator<char>(in), {}};
}

void InFolder::SetUp() {
  std::filesystem::remove_all(folder_);
  std::filesystem::create_directories(folder_);
}

void InFolder::TearDown() { std::filesystem::remove_all(folder_); }

std::string InFolder::path(const std::string& name) const { return (folder_ / name).string(); }

bool InFolder::exists(const std::string& name) const { return std::filesystem::exists(folder_ / name); }

}  // namespace trunnion::test
