// SPDX-License-Identifier: BSD-3-Clause
#include "base/sparse_lu.h"

#include <klu.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/diagnostic.h"

namespace trunnion {

namespace {

/// Largest entry of a column of A over the largest of U there: below it, other pivots are chosen. Digits lost at most, where
/// a matrix with a strong diagonal loses none.
constexpr double kGrowth = 1e-5;

}  // namespace

struct SparseLu::Klu {
  klu_common common{};
  klu_symbolic* symbolic = nullptr;
  klu_numeric* chosen = nullptr;   // pivots chosen in advance
  klu_numeric* rescue = nullptr;   // pivots chosen for the values last factored, where those above are of no use
  klu_numeric* factors = nullptr;  // one of the two: the values last factored

  Klu() {
    klu_defaults(&common);
    common.scale = 2;  // rows by their largest entry
  }
  Klu(const Klu&) = delete;
  Klu& operator=(const Klu&) = delete;
  ~Klu() {
    klu_free_numeric(&rescue, &common);
    klu_free_numeric(&chosen, &common);
    klu_free_symbolic(&symbolic, &common);
  }

  /// Whether every pivot is a number other than zero.
  bool regular(const klu_numeric* numeric) const {
    const auto* diagonal = static_cast<const double*>(numeric->Udiag);
    return std::all_of(diagonal, diagonal + numeric->n, [](double pivot) { return std::isfinite(pivot) && pivot != 0; });
  }
};

SparseLu::SparseLu(int n, std::span<const Entry> entries)
    : n_(n), column_begin_(static_cast<std::size_t>(n) + 1, 0), slots_(entries.size()), klu_(std::make_unique<Klu>()) {
  std::vector<int> order(entries.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](int i) { return std::pair(entries[i].column, entries[i].row); };
  std::sort(order.begin(), order.end(), [&](int i, int j) { return key(i) < key(j); });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Entry& e = entries[order[i]];
    if (i == 0 || key(order[i - 1]) != key(order[i])) {
      row_.push_back(e.row);
      ++column_begin_[static_cast<std::size_t>(e.column) + 1];
    }
    slots_[order[i]] = static_cast<int>(row_.size()) - 1;
  }
  std::partial_sum(column_begin_.begin(), column_begin_.end(), column_begin_.begin());
  values_.assign(row_.size(), 1.0);

  Klu& k = *klu_;
  k.symbolic = klu_analyze(n_, column_begin_.data(), row_.data(), &k.common);
  if (k.symbolic == nullptr || k.symbolic->structural_rank < n_)
    throw Error("a linear system has unknowns that no equation of their own determines");
  // the diagonal of the ordering, dominant
  std::vector<int> diagonal_row(n_);
  for (int i = 0; i < n_; ++i) diagonal_row[k.symbolic->Q[i]] = k.symbolic->P[i];
  for (int j = 0; j < n_; ++j)
    for (int i = column_begin_[j]; i < column_begin_[j + 1]; ++i)
      if (row_[i] == diagonal_row[j]) values_[i] = n_ + 1;
  if (!choose_pivots()) throw Error("the pattern of a linear system cannot be factored");
  std::fill(values_.begin(), values_.end(), 0.0);
}

SparseLu::~SparseLu() = default;
SparseLu::SparseLu(SparseLu&&) noexcept = default;
SparseLu& SparseLu::operator=(SparseLu&&) noexcept = default;

double SparseLu::operations() const { return klu_->symbolic->est_flops; }

bool SparseLu::choose_pivots() {
  Klu& k = *klu_;
  klu_numeric* numeric = klu_factor(column_begin_.data(), row_.data(), values_.data(), k.symbolic, &k.common);
  if (numeric == nullptr || !k.regular(numeric)) {
    klu_free_numeric(&numeric, &k.common);
    return false;
  }
  klu_free_numeric(&k.chosen, &k.common);
  k.chosen = k.factors = numeric;
  return true;
}

bool SparseLu::factor() {
  Klu& k = *klu_;
  k.factors = nullptr;
  if (klu_refactor(column_begin_.data(), row_.data(), values_.data(), k.symbolic, k.chosen, &k.common) != 0 && k.regular(k.chosen) &&
      klu_rgrowth(column_begin_.data(), row_.data(), values_.data(), k.symbolic, k.chosen, &k.common) != 0 && k.common.rgrowth > kGrowth) {
    k.factors = k.chosen;
    return true;
  }
  klu_free_numeric(&k.rescue, &k.common);
  k.rescue = klu_factor(column_begin_.data(), row_.data(), values_.data(), k.symbolic, &k.common);
  if (k.rescue == nullptr || !k.regular(k.rescue)) return false;
  k.factors = k.rescue;
  return true;
}

void SparseLu::solve(double* b) const { klu_solve(klu_->symbolic, klu_->factors, n_, 1, b, &klu_->common); }
void SparseLu::solve_transposed(double* b) const { klu_tsolve(klu_->symbolic, klu_->factors, n_, 1, b, &klu_->common); }

}  // namespace trunnion
