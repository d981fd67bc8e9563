// Which rows of a constraint Jacobian depend on those before them: elimination with the largest entry of each remainder as its pivot.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

namespace trunnion {

/// Real: a plain number also where `double` is another one.
template <class Real>
class RowElimination {
 public:
  static constexpr auto kDependent = Real(1e-9);  // of a row's norm: remainder of a redundant row

  using Row = std::map<int, Real>;  // entries by column
  /// What is left of a row, scaled to 1 at `pivot`, its largest entry.
  struct Kept {
    int pivot;
    Row entries;
  };

  explicit RowElimination(int columns) : owner_(static_cast<std::size_t>(columns), -1) {}

  /// False: the row depends on those before, or is zero.
  bool add(Row row) {
    const Real before = norm(row);
    for (std::size_t k; (k = first_owner(row)) < kept_.size();) {
      const Real factor = row[kept_[k].pivot];
      for (const auto& [column, entry] : kept_[k].entries) row[column] -= factor * entry;
      row.erase(kept_[k].pivot);
    }
    if (norm(row) <= kDependent * before) return false;
    const auto largest =
        std::max_element(row.begin(), row.end(), [](const auto& x, const auto& y) { return std::abs(x.second) < std::abs(y.second); });
    const auto [pivot, size] = *largest;
    for (auto& item : row) item.second /= size;
    owner_[static_cast<std::size_t>(pivot)] = rank();
    kept_.push_back({pivot, std::move(row)});
    return true;
  }

  int rank() const { return static_cast<int>(kept_.size()); }
  const std::vector<Kept>& kept() const { return kept_; }

 private:
  static Real norm(const Row& row) {
    Real square = 0;
    for (const auto& item : row) square += item.second * item.second;
    return std::sqrt(square);
  }
  /// The first kept row at whose pivot `row` has an entry; a kept row has zeros at the pivots before its own.
  std::size_t first_owner(const Row& row) const {
    int first = rank();
    for (const auto& item : row)
      if (const int owner = owner_[static_cast<std::size_t>(item.first)]; owner >= 0) first = std::min(first, owner);
    return static_cast<std::size_t>(first);
  }

  std::vector<Kept> kept_;
  std::vector<int> owner_;  // of a pivot; -1: none
};

}  // namespace trunnion
