// Order of elimination and pivots by KLU.
// SPDX-License-Identifier: BSD-3-Clause
#include <klu.h>

#include <algorithm>
#include <cmath>

#include "base/sparse_pivots.h"

namespace trunnion {

namespace {

class KluPivots final : public SparsePivots {
 public:
  KluPivots(int n, const int* begin, const int* row) : n_(n), begin_(const_cast<int*>(begin)), row_(const_cast<int*>(row)) {
    klu_defaults(&common_);
    common_.scale = 2;  // rows by their largest entry
    symbolic_ = klu_analyze(n_, begin_, row_, &common_);
    if (symbolic_ != nullptr && !std::equal(symbolic_->P, symbolic_->P + n_, symbolic_->Q) && has_diagonal()) {
      // pivots off a diagonal without zeros: the largest block instead
      klu_free_symbolic(&symbolic_, &common_);
      common_.btf = 0;
      symbolic_ = klu_analyze(n_, begin_, row_, &common_);
    }
    if (symbolic_ == nullptr || symbolic_->structural_rank < n_) return;
    row_of.assign(symbolic_->P, symbolic_->P + n_);
    column_of.assign(symbolic_->Q, symbolic_->Q + n_);
  }
  ~KluPivots() override {
    klu_free_numeric(&numeric_, &common_);
    klu_free_symbolic(&symbolic_, &common_);
  }

  bool factor(const double* values) override {
    forget();
    numeric_ = klu_factor(begin_, row_, const_cast<double*>(values), symbolic_, &common_);  // reads them
    if (numeric_ == nullptr) return false;
    const auto* diagonal = static_cast<const double*>(numeric_->Udiag);
    return std::all_of(diagonal, diagonal + n_, [](double pivot) { return std::isfinite(pivot) && pivot != 0; });
  }
  void solve(double* b) override { klu_solve(symbolic_, numeric_, n_, 1, b, &common_); }
  void solve_transposed(double* b) override { klu_tsolve(symbolic_, numeric_, n_, 1, b, &common_); }
  void forget() override { klu_free_numeric(&numeric_, &common_); }

 private:
  bool has_diagonal() const {
    for (int i = 0; i < n_; ++i)
      if (std::find(row_ + begin_[i], row_ + begin_[i + 1], i) == row_ + begin_[i + 1]) return false;
    return true;
  }

  int n_;
  int *begin_, *row_;  // KLU reads them
  klu_common common_{};
  klu_symbolic* symbolic_ = nullptr;
  klu_numeric* numeric_ = nullptr;
};

}  // namespace

std::unique_ptr<SparsePivots> make_sparse_pivots(int n, const int* column_begin, const int* row) {
  return std::make_unique<KluPivots>(n, column_begin, row);
}

}  // namespace trunnion
