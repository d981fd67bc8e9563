// Results read back. Reference: the written data, to the last bit.
// SPDX-License-Identifier: BSD-3-Clause
#include "results/read_results.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>

#include "base/diagnostic.h"
#include "results/files.h"
#include "support/program.h"
#include "support/temporary_folder.h"

namespace trunnion {
namespace {

namespace fs = std::filesystem;

Recording some_recording() {
  Recording recording;
  recording.channels = {{"time", "s", "time"},
                        {"lift.length", "m", "distance between the mounts"},
                        {"a.pressure", "Pa", "absolute pressure"},
                        {"a.ratio", "", "no unit"}};
  recording.columns = {{0, 0.1, 0.2}, {1.0 / 3, -1e-300, 2}, {1e5, std::numeric_limits<double>::infinity(), 3e5}, {0, std::nan(""), 1}};
  return recording;
}

using ReadResults = test::InFolder;

void expect_equal(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) << i;
}

TEST_F(ReadResults, BothFormatsGiveBackWhatWasWritten) {
  const Recording written = some_recording();
  write_hdf5(written, "trunnion: 1\n", path("results.h5"));
  write_csv(written, path("results.csv"));
  for (const char* name : {"results.h5", "results.csv"}) {
    const StoredResults stored = find_results(path(name));
    EXPECT_EQ(stored.channels.size(), 4u) << name;
    const Recording read = stored.read({"*"});
    ASSERT_EQ(read.channels.size(), 4u) << name;
    EXPECT_EQ(read.channels[0].name, "time");
    for (std::size_t k = 0; k < 4; ++k) {
      const int at = read.find(written.channels[k].name);
      ASSERT_GE(at, 0) << written.channels[k].name;
      expect_equal(read.columns[static_cast<std::size_t>(at)], written.columns[k]);
    }
  }
}

TEST_F(ReadResults, UnitsAndMeaningsComeFromTheHdf5FileOfTheFolder) {
  write_hdf5(some_recording(), "trunnion: 1\n", path("results.h5"));
  write_csv(some_recording(), path("results.csv"));
  const Recording read = find_results(folder_.string()).read({"*.pressure"});
  ASSERT_EQ(read.channels.size(), 2u);
  EXPECT_EQ(read.channels[1].name, "a.pressure");
  EXPECT_EQ(read.channels[1].unit, "Pa");
  EXPECT_EQ(read.channels[1].meaning, "absolute pressure");
  fs::remove(path("results.h5"));
  const Recording bare = find_results(folder_.string()).read({"a.*"});
  ASSERT_EQ(bare.channels.size(), 3u);
  EXPECT_EQ(bare.channels[0].unit, "s");
  EXPECT_EQ(bare.channels[1].unit, "");
}

TEST_F(ReadResults, WhatIsNoResultIsRefusedByName) {
  const auto refused = [](const std::string& where) {
    try {
      (void)find_results(where).read({"*"});
    } catch (const Error& error) { return std::string(error.what()); }
    return std::string("accepted");
  };
  EXPECT_NE(refused(path("nowhere")).find("there is no such folder or file"), std::string::npos);
  EXPECT_NE(refused(folder_.string()).find("neither results.h5 nor results.csv"), std::string::npos);
  write_text("no HDF5", path("results.h5"));
  EXPECT_NE(refused(path("results.h5")).find("not an HDF5 file"), std::string::npos);
  write_text("a,b\n1,2\n", path("results.csv"));
  EXPECT_NE(refused(path("results.csv")).find("no channel `time`"), std::string::npos);
  write_text("time,b\n1\n", path("results.csv"));
  EXPECT_NE(refused(path("results.csv")).find("line 2 has 1 cells of 2"), std::string::npos);
  write_text("time,b\n1,x\n", path("results.csv"));
  EXPECT_NE(refused(path("results.csv")).find("line 2 has no number"), std::string::npos);
  write_text("", path("results.csv"));
  EXPECT_NE(refused(path("results.csv")).find("empty"), std::string::npos);
}

TEST(Patterns, EachStarStandsForAnyCharacters) {
  EXPECT_TRUE(matches_pattern("*", ""));
  EXPECT_TRUE(matches_pattern("*.pressure", "v1.pressure"));
  EXPECT_TRUE(matches_pattern("lift.*", "lift.flow_A"));
  EXPECT_TRUE(matches_pattern("l*.*_A", "lift.flow_A"));
  EXPECT_TRUE(matches_pattern("*aab", "aaaab"));
  EXPECT_TRUE(matches_pattern("lift.force", "lift.force"));
  EXPECT_FALSE(matches_pattern("lift.force", "lift.forces"));
  EXPECT_FALSE(matches_pattern("*.pressure", "v1.pressure_A"));
  EXPECT_FALSE(matches_pattern("", "a"));
  EXPECT_TRUE(matches_pattern("", ""));
}

#ifdef TRUNNION_PROGRAM

// In a separate process: the library may do anything with such a file.
TEST_F(ReadResults, DamagedHdf5FilesAreAnsweredWithOneMessage) {
  write_hdf5(some_recording(), "trunnion: 1\n", path("whole.h5"));
  const std::string whole = test::text_of(path("whole.h5"));
  std::mt19937 random(1);
  for (int i = 0; i < 60; ++i) {
    std::string damaged = whole;
    if (i % 3 == 0)
      damaged.resize(random() % whole.size());
    else
      for (int k = 0; k < (i % 3 == 1 ? 2 : 200); ++k) damaged[random() % damaged.size()] = static_cast<char>(random());
    std::ofstream(path("results.h5"), std::ios::binary) << damaged;
    const test::Outcome outcome = test::call_program(folder_, "plot results.h5 '*' -o plot.csv");
    EXPECT_TRUE(outcome.code == 0 || outcome.code == 2) << i << ": " << outcome.code << " " << outcome.output;
    EXPECT_EQ(outcome.output.find("HDF5-DIAG"), std::string::npos);
    if (outcome.code == 2) EXPECT_EQ(std::count(outcome.output.begin(), outcome.output.end(), '\n'), 1) << outcome.output;
  }
}

#endif

}  // namespace
}  // namespace trunnion
