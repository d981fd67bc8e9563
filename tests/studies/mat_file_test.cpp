// MATLAB files written by linear studies.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/mat_file.h"

#include <gtest/gtest.h>
#include <matio.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/diagnostic.h"
#include "support/temporary_folder.h"

namespace trunnion {
namespace {

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A variable of an open file as text: class, size and numbers.
std::string read(mat_t* file, const char* name) {
  matvar_t* v = Mat_VarRead(file, name);
  if (v == nullptr) return "none";
  std::string text = std::to_string(v->dims[0]) + "x" + std::to_string(v->dims[1]);
  const std::size_t n = v->dims[0] * v->dims[1];
  if (v->class_type == MAT_C_CELL) {
    for (std::size_t i = 0; i < n; ++i) {
      const matvar_t* cell = Mat_VarGetCell(v, static_cast<int>(i));
      text += " '";
      if (cell->nbytes > 0) text += std::string(static_cast<const char*>(cell->data), cell->dims[0] * cell->dims[1]);
      text += "'";
    }
  } else if (v->isComplex) {
    const auto* parts = static_cast<const mat_complex_split_t*>(v->data);
    for (std::size_t i = 0; i < n; ++i)
      text += " " + std::to_string(static_cast<const double*>(parts->Re)[i]) + "+" +
              std::to_string(static_cast<const double*>(parts->Im)[i]) + "i";
  } else {
    for (std::size_t i = 0; i < n; ++i) text += " " + std::to_string(static_cast<const double*>(v->data)[i]);
  }
  Mat_VarFree(v);
  return text;
}

TEST(MatFile, ReadsBack) {
  const std::string folder = test::temporary_folder(), path = folder + "/m.mat";
  std::filesystem::create_directories(folder);
  Eigen::MatrixXd a(2, 3);
  a << 1, 2, 3, 4, 5, 6;
  Eigen::MatrixXcd z(2, 1);
  z << std::complex<double>(-1, 2), std::complex<double>(-1, -2);
  const std::vector<MatVariable> variables{{"A", a},
                                           {"z", z},
                                           {"names", std::vector<std::string>{"crank.angle", "", "v1.pressure"}},
                                           {"B", Eigen::MatrixXd(2, 0)},
                                           {"none", std::vector<std::string>{}},
                                           {"last", Eigen::MatrixXd(Eigen::MatrixXd::Constant(1, 1, 0.5))}};
  write_mat(variables, path);
  mat_t* file = Mat_Open(path.c_str(), MAT_ACC_RDONLY);
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(Mat_GetVersion(file), MAT_FT_MAT5);
  EXPECT_EQ(read(file, "A"), "2x3 1.000000 4.000000 2.000000 5.000000 3.000000 6.000000");
  EXPECT_EQ(read(file, "z"), "2x1 -1.000000+2.000000i -1.000000+-2.000000i");
  EXPECT_EQ(read(file, "names"), "3x1 'crank.angle' '' 'v1.pressure'");
  EXPECT_EQ(read(file, "B"), "2x0");
  EXPECT_EQ(read(file, "none"), "0x1");
  EXPECT_EQ(read(file, "last"), "1x1 0.500000");
  Mat_Close(file);
  const std::string first = bytes_of(path);
  write_mat(variables, path);
  EXPECT_EQ(bytes_of(path), first);
  EXPECT_THROW(write_mat(variables, folder + "/nowhere/m.mat"), Error);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace trunnion
