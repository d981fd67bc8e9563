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
#include "base/text.h"
#include "results/files.h"
#include "results/hdf5_handle.h"
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

TEST_F(ReadResults, NamesAreUtf8WithoutControlCharacters) {
  for (const std::string& wrong : {std::string("\x1b[31mred"),
                                   std::string("\xc2\x9b"
                                               "31mred"),
                                   std::string("\xf6")}) {
    Recording recording = some_recording();
    recording.channels[1].name = "lift" + wrong;
    write_csv(recording, path("name.csv"));
    EXPECT_THROW((void)find_results(path("name.csv")), InputError);
    for (const char* part : {"name", "unit", "meaning"}) {
      recording = some_recording();
      (*part == 'n' ? recording.channels[1].name : *part == 'u' ? recording.channels[1].unit : recording.channels[1].meaning) += wrong;
      write_hdf5(recording, "trunnion: 1\n", path("name.h5"));
      EXPECT_THROW((void)find_results(path("name.h5")), InputError) << part;
    }
  }
}

/// A run that begins anew while its results are read.
TEST_F(ReadResults, AFileThatAnotherRunReplacedIsRefused) {
  for (const char* name : {"results.csv", "results.h5"}) {
    const auto write = [&](const Recording& recording) {
      if (fs::path(name).extension() == ".csv")
        write_csv(recording, path(name));
      else
        write_hdf5(recording, "trunnion: 1\n", path(name));
    };
    write(some_recording());
    const StoredResults stored = find_results(path(name));
    Recording other = some_recording();
    other.channels.resize(2), other.columns.resize(2);
    write(other);
    EXPECT_THROW((void)stored.read({"*"}), InputError) << name;
    EXPECT_EQ(stored.read({"lift.length"}).columns[1].size(), 3u) << name;
  }
}

/// results.h5 is written in chunks: until the first is full, or after a full disk, only the CSV file has records.
TEST_F(ReadResults, OfTwoUnfinishedFilesTheOneWithRecordsIsRead) {
  const auto write = [&](const char* name, std::size_t rows) {
    Recording recording = some_recording();
    for (auto& column : recording.columns) column.resize(rows);
    const std::string file = path(name);
    if (fs::path(name).extension() == ".csv")
      write_csv(recording, file);
    else
      write_hdf5(recording, "trunnion: 1\n", file);
    fs::rename(file, file + ".part");
  };
  const auto chosen = [&] { return fs::path(find_results(folder_.string()).file).filename().string(); };
  struct {
    std::size_t h5, csv;
    const char* file;
  } const cases[] = {{0, 3, "results.csv.part"}, {1, 3, "results.csv.part"}, {2, 3, "results.h5.part"}, {3, 3, "results.h5.part"},
                     {1, 1, "results.h5.part"},  {1, 0, "results.h5.part"},  {0, 0, "results.h5.part"}};
  for (const auto& c : cases) {
    write("results.h5", c.h5);
    write("results.csv", c.csv);
    EXPECT_EQ(chosen(), c.file) << c.h5 << ' ' << c.csv;
  }
  write_text("no HDF5", path("results.h5.part"));
  write("results.csv", 3);
  EXPECT_EQ(chosen(), "results.csv.part") << "a damaged file";
}

/// Stored bytes unpack to a limited number of values: a file of some kilobytes that promises more is damaged, and nothing is allocated.
TEST_F(ReadResults, MoreRowsThanAreStoredAreDamage) {
  Recording constant;
  constant.channels = {{"time", "s", ""}, {"zero", "m", ""}};
  constant.columns.assign(2, std::vector<double>(100000, 0.0));  // packs best
  write_hdf5(constant, "", path("constant.h5"));
  EXPECT_EQ(find_results(path("constant.h5")).read({"*"}).rows(), 100000u);
  for (const hsize_t rows : {hsize_t{1} << 16, hsize_t{1} << 22, hsize_t{1} << 60}) {
    write_hdf5(some_recording(), "", path("some.h5"));
    {
      const Hdf5Handle file(H5Fopen(path("some.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose),
          count(H5Dopen2(file, "rows", H5P_DEFAULT), H5Dclose), values(H5Dopen2(file, "values", H5P_DEFAULT), H5Dclose);
      const std::uint64_t promised = rows;
      const hsize_t size[2] = {rows, 4};
      check_hdf5(H5Dwrite(count, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &promised));
      check_hdf5(H5Dset_extent(values, size));
    }
    EXPECT_THROW((void)find_results(path("some.h5")).read({"*"}), InputError) << rows;
  }
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
