// Result files read back. Truth: the recording they were written from, to the last bit.
// SPDX-License-Identifier: BSD-3-Clause
#include "results/files.h"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "base/diagnostic.h"
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

TEST_F(Folder, CsvHasSeventeenDigitsAndNoLocale) {
  EXPECT_EQ(csv_text(awkward_numbers()).substr(0, 77), "time,a.b,c\n0,0.33333333333333331,1.0000000000000001e+300\n0.10000000000000001,");
}

TEST_F(Folder, NumbersThatAreNoneAreWritten) {
  std::string text;
  for (double x : {std::nan(""), std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()})
    append_number(text += ' ', x);
  EXPECT_EQ(text, " nan inf -inf");
}

std::string attribute(hid_t object, const char* name) {
  const hid_t a = H5Aopen(object, name, H5P_DEFAULT), type = H5Aget_type(a);
  std::string text(H5Tget_size(type), '\0');
  H5Aread(a, type, text.data());
  H5Tclose(type);
  H5Aclose(a);
  return text.c_str();
}

TEST_F(Folder, Hdf5HoldsChannelsUnitsAndTheModel) {
  const Recording r = awkward_numbers();
  const std::string file = path_ + "/r.h5", model(100000, 'x');  // longer than an attribute may be
  write_hdf5(r, model, file);
  const hid_t f = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(f, 0);
  for (std::size_t k = 0; k < 3; ++k) {
    const hid_t set = H5Dopen2(f, r.channels[k].name.c_str(), H5P_DEFAULT);
    ASSERT_GE(set, 0);
    std::vector<double> values(3);
    H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    EXPECT_EQ(values, r.columns[k]);
    EXPECT_EQ(attribute(set, "unit"), r.channels[k].unit);
    EXPECT_EQ(attribute(set, "description"), r.channels[k].meaning);
    H5Dclose(set);
  }
  const hid_t set = H5Dopen2(f, "model", H5P_DEFAULT), type = H5Dget_type(set);
  std::string text(H5Tget_size(type), '\0');
  H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data());
  EXPECT_EQ(std::string(text.c_str()), model);
  EXPECT_EQ(attribute(f, "program").rfind("trunnion ", 0), 0U);
  H5Tclose(type);
  H5Dclose(set);
  H5Fclose(f);
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
  write_text("a file", path_ + "/file");
  EXPECT_NE(message([&] { make_folder(path_ + "/file/folder"); }).find("file/folder"), std::string::npos);
}

}  // namespace
}  // namespace trunnion
