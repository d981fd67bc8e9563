// Result files read back. Reference: the original recording, to the last bit.
// SPDX-License-Identifier: BSD-3-Clause
#include "results/files.h"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "base/diagnostic.h"
#include "results/read_results.h"
#include "support/temporary_folder.h"

namespace trunnion {
namespace {

Recording awkward_numbers() {
  Recording r;
  r.channels = {{"time", "s", "time"}, {"a.b", "Pa", "a pressure"}, {"c", "", "a number"}};
  r.columns = {{0, 0.1, 0.2}, {1.0 / 3, -2.2250738585072014e-308, 7.6e6}, {1e300, -0.0, std::numeric_limits<double>::denorm_min()}};
  return r;
}

class Folder : public testing::Test {
 protected:
  void SetUp() override { make_folder(path_); }
  void TearDown() override { std::filesystem::remove_all(path_); }
  std::string path_ = test::temporary_folder() + "/deep";
};

TEST_F(Folder, CsvReadsBackBitForBit) {
  const Recording r = awkward_numbers();
  const std::string file = path_ + "/r.csv";
  write_csv(r, file);
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line, "time,a.b,c");
  for (std::size_t row = 0; row < 3; ++row) {
    ASSERT_TRUE(std::getline(in, line));
    std::stringstream cells(line);
    for (std::size_t k = 0; k < 3; ++k) {
      std::string cell;
      std::getline(cells, cell, ',');
      EXPECT_EQ(std::strtod(cell.c_str(), nullptr), r.columns[k][row]) << cell;
    }
  }
  EXPECT_FALSE(std::getline(in, line));
  EXPECT_FALSE(std::filesystem::exists(file + ".part"));
}

TEST_F(Folder, Hdf5FilesOfEqualRunsAreEqual) {
  write_hdf5(awkward_numbers(), "trunnion: 1\n", path_ + "/a.h5");
  write_hdf5(awkward_numbers(), "trunnion: 1\n", path_ + "/b.h5");
  EXPECT_EQ(test::text_of(path_ + "/a.h5"), test::text_of(path_ + "/b.h5"));
  // written within a second, the resolution of times in HDF5: there must be none
  const hid_t file = H5Fopen((path_ + "/a.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  for (const char* name : {"values", "rows", "model", "channels", "units", "descriptions"}) {
    H5O_info_t info{};
    ASSERT_GE(H5Oget_info_by_name(file, name, &info, H5P_DEFAULT), 0) << name;
    EXPECT_EQ(info.atime, 0) << name;
    EXPECT_EQ(info.mtime, 0) << name;
    EXPECT_EQ(info.ctime, 0) << name;
    EXPECT_EQ(info.btime, 0) << name;
  }
  H5Fclose(file);
}

TEST_F(Folder, CsvHasTheFewestDigitsAndNoLocale) {
  write_csv(awkward_numbers(), path_ + "/r.csv");
  EXPECT_EQ(test::text_of(path_ + "/r.csv"),
            "time,a.b,c\n0,0.3333333333333333,1e+300\n0.1,-2.2250738585072014e-308,-0\n0.2,7600000,5e-324\n");
}

TEST_F(Folder, NumbersThatAreNoneAreWritten) {
  std::string text;
  for (double x : {std::nan(""), std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()})
    append_number(text += ' ', x);
  EXPECT_EQ(text, " nan inf -inf");
}

std::vector<std::string> texts(hid_t file, const char* name) {
  const hid_t set = H5Dopen2(file, name, H5P_DEFAULT), type = H5Dget_type(set), space = H5Dget_space(set);
  const std::size_t size = H5Tget_size(type), count = static_cast<std::size_t>(H5Sget_simple_extent_npoints(space));
  std::string all(size * count, '\0');
  H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data());
  H5Sclose(space);
  H5Tclose(type);
  H5Dclose(set);
  std::vector<std::string> list;
  for (std::size_t i = 0; i < count; ++i) list.emplace_back(all.substr(i * size, size).c_str());
  return list;
}

/// The rows of `values`, decompressed by the library's own filters.
std::vector<double> values_of(hid_t file, hsize_t (&size)[2]) {
  const hid_t set = H5Dopen2(file, "values", H5P_DEFAULT), space = H5Dget_space(set);
  H5Sget_simple_extent_dims(space, size, nullptr);
  std::vector<double> values(size[0] * size[1]);
  EXPECT_GE(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  H5Sclose(space);
  H5Dclose(set);
  return values;
}

TEST_F(Folder, Hdf5HoldsChannelsUnitsAndTheModel) {
  const Recording r = awkward_numbers();
  const std::string file = path_ + "/r.h5", model(100000, 'x');  // longer than an attribute may be
  write_hdf5(r, model, file);
  const hid_t f = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(f, 0);
  hsize_t size[2];
  const std::vector<double> values = values_of(f, size);
  ASSERT_EQ(size[0], 3u);
  ASSERT_EQ(size[1], 3u);
  const std::vector<std::string> names = texts(f, "channels"), units = texts(f, "units"), descriptions = texts(f, "descriptions");
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(values[i * 3 + k], r.columns[k][i]);
    EXPECT_EQ(names.at(k), r.channels[k].name);
    EXPECT_EQ(units.at(k), r.channels[k].unit);
    EXPECT_EQ(descriptions.at(k), r.channels[k].meaning);
  }
  const hid_t set = H5Dopen2(f, "model", H5P_DEFAULT), type = H5Dget_type(set);
  std::string text(H5Tget_size(type), '\0');
  H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data());
  EXPECT_EQ(std::string(text.c_str()), model);
  H5Tclose(type);
  H5Dclose(set);
  H5Fclose(f);
}

/// Noise, smooth curves, constants, steps, zeros, NaN, infinity, and more rows than some chunks.
TEST_F(Folder, Hdf5PiecesReadBackBitForBitWithPlainFilters) {
  for (const std::size_t rows : {1u, 255u, 256u, 257u, 3000u}) {
    Recording r;
    std::uint64_t noise = 1;
    const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
    for (int k = 0; k < 11; ++k) {
      r.channels.push_back({"c" + std::to_string(k), "", ""});
      r.columns.emplace_back();
      for (std::size_t i = 0; i < rows; ++i) {
        noise = noise * 6364136223846793005u + 1442695040888963407u;
        const double t = static_cast<double>(i) / 100;
        const double of[] = {t,
                             std::bit_cast<double>(noise),
                             std::sin(t),
                             7.25,
                             0,
                             -0.0,
                             i < rows / 2 ? 1.0 : 2.0,
                             std::nan(""),
                             HUGE_VAL,
                             static_cast<double>(i % 3),
                             i == 100 ? 1e9 : 1 / 3.0};
        r.columns.back().push_back(of[k]);
      }
    }
    const std::string file = path_ + "/p.h5";
    write_hdf5(r, "", file);
    const hid_t f = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    hsize_t size[2];
    const std::vector<double> values = values_of(f, size);
    ASSERT_EQ(size[0], rows);
    for (std::size_t k = 0; k < 11; ++k)
      for (std::size_t i = 0; i < rows; ++i) ASSERT_EQ(bits(values[i * 11 + k]), bits(r.columns[k][i])) << rows << ' ' << k << ' ' << i;
    H5Fclose(f);
    std::filesystem::remove(file);
  }
}

TEST_F(Folder, RowsOfARunThatGoesOnCanBeRead) {
  const Recording r = awkward_numbers();
  const std::string csv = path_ + "/results.csv", h5 = path_ + "/results.h5";
  const auto rows_in = [&](const std::string& file) {  // of a copy: a process does not open an HDF5 file twice
    const std::string copy = path_ + "/copy" + file.substr(file.rfind('/') + 1);
    std::filesystem::copy_file(file, copy, std::filesystem::copy_options::overwrite_existing);
    const std::size_t rows = find_results(copy).read({"*"}).rows();
    std::filesystem::remove(copy);
    return rows;
  };
  {
    const auto text = new_csv(csv, r.channels), packed = new_hdf5(h5, r.channels, "model", 100);
    EXPECT_EQ(rows_in(csv + ".part"), 0u);
    EXPECT_EQ(rows_in(h5 + ".part"), 0u);
    const double row[] = {0.5, 1, 2};
    for (int i = 0; i < 300; ++i) {
      text->add(row);
      packed->add(row);
    }
    text->flush();
    EXPECT_EQ(rows_in(csv + ".part"), 300u);
    EXPECT_EQ(rows_in(h5 + ".part"), 256u);                  // complete chunks
    std::ofstream(csv + ".part", std::ios::app) << "0.6,1";  // an incomplete row
    EXPECT_EQ(rows_in(csv + ".part"), 300u);
    packed->finish();
    EXPECT_EQ(rows_in(h5), 300u);
    const StoredResults found = find_results(path_);
    EXPECT_EQ(found.file, h5);
    EXPECT_FALSE(found.unfinished);
    EXPECT_EQ(found.model(), "model");
  }
  EXPECT_FALSE(std::filesystem::exists(csv));  // not finished: it is kept
  EXPECT_EQ(rows_in(csv + ".part"), 300u);
  std::filesystem::remove(h5);
  EXPECT_TRUE(find_results(path_).unfinished);
}

TEST_F(Folder, WhatCannotBeWrittenIsAnErrorWithItsName) {
  const auto message = [](auto&& write) -> std::string {
    try {
      write();
    } catch (const Error& error) { return error.what(); }
    return "no error";
  };
  const std::string nowhere = path_ + "/missing/r";
  EXPECT_NE(message([&] { write_csv(awkward_numbers(), nowhere); }).find(nowhere), std::string::npos);
  EXPECT_NE(message([&] { write_hdf5(awkward_numbers(), "", nowhere); }).find(nowhere), std::string::npos);
}

TEST_F(Folder, AFileInPlaceOfAFolderIsWrongInput) {
  write_text("a file", path_ + "/file");
  for (const char* name : {"/file", "/file/folder"}) {
    const std::string folder = path_ + name;
    const auto expect_refusal = [&](auto&& make) {
      try {
        make();
        ADD_FAILURE() << folder;
      } catch (const InputError& error) {
        EXPECT_EQ(error.what(), folder + ": error: the folder cannot be created: `" + path_ +
                                    "/file` is not a folder; expected a folder that can be written");
      }
    };
    expect_refusal([&] { make_folder(folder); });
    expect_refusal([&] { const ResultFolder made(folder); });
  }
  make_folder(path_);  // one that is there
}

}  // namespace
}  // namespace trunnion
