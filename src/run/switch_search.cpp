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
  whole_ = high_ = whole;
  low_ = width_ = 0;
  close_ = close;
  shortest_ = shortest;
  low_weight_ = high_weight_ = 1;
  repeats_ = slow_ = last_side_ = 0;
  crossed_ = false;
  first_root(1, 1);
  return block_ >= 0;
}

std::optional<double> SwitchSearch::next() {
  const double width = high_ - low_;
  first_root(1, 1);
  crossed_ = width <= 2 * close_;
  const bool at_end = high_ == whole_ && low_ >= whole_ - 2 * shortest_;
  if (crossed_ || at_end || high_ <= shortest_ || repeats_ >= kMostRepeats) return std::nullopt;
  slow_ = repeats_ > 0 && width > width_ / 2 ? slow_ + 1 : 0;
  width_ = width;
  ++repeats_;
  double length = first_root(low_weight_, high_weight_) + close_ / 2;
  if (slow_ >= 2) {  // a kink, a jump, a margin that stays at 0
    length = low_ + width / 2;
    slow_ = 0;
  }
  // close to an end of the bracket its other side is tried; the ends of steps keep a distance from each other
  const double most = high_ == whole_ ? whole_ - shortest_ : high_ - close_;
  return std::max(std::min(length, most), std::max(low_ + close_, shortest_));
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
