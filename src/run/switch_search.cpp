// The search for the first change of a mode within a step.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/switch_search.h"

#include <algorithm>

namespace trunnion {

double SwitchSearch::first_root(double low_weight, double high_weight) {
  double first = high_;
  block_ = -1;
  for (std::size_t i = 0; i < low_margins_.size(); ++i) {
    const double before = low_weight * low_margins_[i], after = high_weight * high_margins_[i];
    if (!(before > 0) || after > 0) continue;
    const double root = low_ + (high_ - low_) * (before / (before - after));
    if (block_ >= 0 && !(root < first)) continue;
    first = root;
    block_ = static_cast<int>(i);
  }
  return first;
}

bool SwitchSearch::begin(double whole, double close, double shortest) {
  whole_ = high_ = width_ = whole;
  low_ = 0;
  close_ = close;
  shortest_ = shortest;
  low_weight_ = high_weight_ = 1;
  repeats_ = last_side_ = 0;
  crossed_ = false;
  first_root(1, 1);
  return block_ >= 0;
}

std::optional<double> SwitchSearch::next() {
  const double root = first_root(1, 1);
  crossed_ = high_ - root <= close_ || high_ - low_ <= close_;
  const bool at_end = high_ == whole_ && low_ >= whole_ - 2 * shortest_;
  if (crossed_ || at_end || high_ <= shortest_ || repeats_ >= kMostRepeats) return std::nullopt;
  double length = first_root(low_weight_, high_weight_) + close_ / 2;
  if (++repeats_ % 3 == 0) {
    if (high_ - low_ > width_ / 2) length = low_ + (high_ - low_) / 2;
    width_ = high_ - low_;
  }
  // the ends of steps keep a distance from each other
  const double most = high_ == whole_ ? whole_ - shortest_ : high_ - close_ / 2;
  return std::max(std::min(length, most), std::max(low_ + close_ / 2, shortest_));
}

void SwitchSearch::tried(double length) {
  bool stale = false;
  for (std::size_t i = 0; i < low_margins_.size(); ++i) stale = stale || (low_margins_[i] > 0 && !(tried_margins_[i] > 0));
  if (stale) {
    high_ = length;
    std::swap(high_margins_, tried_margins_);
    high_weight_ = 1;
    low_weight_ = last_side_ > 0 ? low_weight_ / 2 : 1;
    last_side_ = 1;
  } else {
    low_ = length;
    std::swap(low_margins_, tried_margins_);
    low_weight_ = 1;
    high_weight_ = last_side_ < 0 ? high_weight_ / 2 : 1;
    last_side_ = -1;
  }
}

}  // namespace trunnion
