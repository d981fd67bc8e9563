// MATLAB files.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/mat_file.h"

#include "external/matio.h"

#include <array>

#include "base/diagnostic.h"
#include "results/files.h"
#include "trunnion/version.h"

namespace trunnion {

namespace {

struct CloseFile {
  void operator()(mat_t* file) const { Mat_Close(file); }
};
struct FreeVariable {
  void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
};
using Variable = std::unique_ptr<matvar_t, FreeVariable>;

Variable created(matvar_t* variable) {
  if (variable == nullptr) throw Error("out of memory");
  return Variable(variable);
}

// The library copies its input; its interface is not const-correct.
template <class Matrix>
void* data_of(const Matrix& m) {
  return const_cast<typename Matrix::Scalar*>(m.data());
}

std::array<std::size_t, 2> size_of(const auto& m) { return {static_cast<std::size_t>(m.rows()), static_cast<std::size_t>(m.cols())}; }

Variable make(const char* name, const Eigen::MatrixXd& m) {
  auto dims = size_of(m);
  return created(Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims.data(), data_of(m), 0));
}

Variable make(const char* name, const Eigen::MatrixXcd& m) {
  auto dims = size_of(m);
  const Eigen::MatrixXd re = m.real(), im = m.imag();
  mat_complex_split_t parts{data_of(re), data_of(im)};
  return created(Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims.data(), &parts, MAT_F_COMPLEX));
}

Variable make(const char* name, const std::vector<Eigen::MatrixXd>& stack) {
  const Eigen::MatrixXd& first = stack.front();
  std::array<std::size_t, 3> dims{static_cast<std::size_t>(first.rows()), static_cast<std::size_t>(first.cols()), stack.size()};
  Eigen::VectorXd values(first.size() * static_cast<Eigen::Index>(stack.size()));
  for (std::size_t k = 0; k < stack.size(); ++k)
    values.segment(static_cast<Eigen::Index>(k) * first.size(), first.size()) =
        Eigen::Map<const Eigen::VectorXd>(stack[k].data(), first.size());
  return created(Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 3, dims.data(), data_of(values), 0));
}

Variable make(const char* name, const std::string& text) {
  std::array<std::size_t, 2> dims{text.empty() ? 0U : 1U, text.size()};
  return created(Mat_VarCreate(name, MAT_C_CHAR, MAT_T_UTF8, 2, dims.data(), const_cast<char*>(text.data()), 0));
}

Variable make(const char* name, const std::vector<std::string>& texts) {
  std::array<std::size_t, 2> dims{texts.size(), 1};
  Variable cell = created(Mat_VarCreate(name, MAT_C_CELL, MAT_T_CELL, 2, dims.data(), nullptr, 0));
  for (std::size_t i = 0; i < texts.size(); ++i) Mat_VarSetCell(cell.get(), static_cast<int>(i), make(nullptr, texts[i]).release());
  return cell;
}

}  // namespace

void write_mat(const std::vector<MatVariable>& variables, const std::string& path) {
  write_whole(path, [&](const std::string& temporary) {
    const std::string header = std::string("MATLAB 5.0 MAT-file, created by trunnion ") + kVersion;
    std::unique_ptr<mat_t, CloseFile> file(Mat_CreateVer(temporary.c_str(), header.c_str(), MAT_FT_MAT5));
    if (!file) throw Error("the file cannot be created");
    for (const MatVariable& variable : variables) {
      const Variable made = std::visit([&](const auto& value) { return make(variable.name.c_str(), value); }, variable.value);
      if (Mat_VarWrite(file.get(), made.get(), MAT_COMPRESSION_NONE) != 0)
        throw Error("the variable " + variable.name + " was not written");
    }
    if (Mat_Close(file.release()) != 0) throw Error("the file could not be closed");
  });
}

}  // namespace trunnion
