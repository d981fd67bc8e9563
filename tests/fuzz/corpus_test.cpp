// Every file of the corpus is read by its fuzz target: seeds, and inputs that once caused a crash.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "fuzz/targets.h"

namespace trunnion {
namespace {

class Corpus : public ::testing::TestWithParam<fuzz::Target> {};

TEST_P(Corpus, IsReadOrRefusedProperly) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(TRUNNION_SOURCE_DIR) + "/tests/fuzz/corpus/" + GetParam().name))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  EXPECT_FALSE(files.empty());
  for (const auto& path : files) {
    std::ifstream in(path, std::ios::binary);
    const std::string input{std::istreambuf_iterator<char>(in), {}};
    try {
      GetParam().read(input);
    } catch (const std::exception& error) { ADD_FAILURE() << path << ": " << error.what(); }
  }
}

INSTANTIATE_TEST_SUITE_P(Fuzz, Corpus, ::testing::ValuesIn(fuzz::kTargets), [](const auto& target) { return target.param.name; });

}  // namespace
}  // namespace trunnion
