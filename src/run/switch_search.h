// The first instant within a step at which a mode of a control block changes, by margins (control/block.h) at the ends of repeated steps of
// different lengths from the same state:
//   the bracket [low, high] begins as the whole step: at `low` no mode is stale, at `high` one is
//   the next length is the first root of the margins' secants, by the Illinois rule (Dowell, Jarratt 1971), a little beyond it, so that
//   the end found is on the far side of the crossing, and then a little before it, so that it is the first such end; half the bracket
//   where two lengths have not made it half as long
// Lengths are plain numbers, also where others have derivatives.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace trunnion {

class SwitchSearch {
 public:
  /// Steps after which the end of the bracket is taken: halving to kClose needs 33, three for each half at most.
  static constexpr int kMostRepeats = 120;
  /// Relative to a step of the grid: how close a found end is, and the shortest length between two ends.
  static constexpr double kClose = 1e-10, kShortest = 1e-6;

  explicit SwitchSearch(std::size_t blocks) : low_margins_(blocks), high_margins_(blocks), tried_margins_(blocks) {}

  double* low_margins() { return low_margins_.data(); }
  double* high_margins() { return high_margins_.data(); }
  double* tried_margins() { return tried_margins_.data(); }
  /// Of a step of `whole` [s], with margins at its ends. False: no block that is stale at its end was not at its start.
  bool begin(double whole, double close, double shortest);
  /// The next length to try [s], after which tried() is to be called; none: the search has ended.
  std::optional<double> next();
  /// The margins at the end of a step of that length.
  void tried(double length);

  /// Where the search ended [s], and the block that changes there.
  double found() const { return high_; }
  int block() const { return block_; }
  /// Whether that is where its margin changes its sign, not a length to which it was limited.
  bool crossed() const { return crossed_; }

 private:
  /// First root of secants between the margins times these weights; sets block_.
  double first_root(double low_weight, double high_weight);

  std::vector<double> low_margins_, high_margins_, tried_margins_;  // per block
  double whole_ = 0, low_ = 0, high_ = 0, close_ = 0, shortest_ = 0;
  double low_weight_ = 1, high_weight_ = 1, width_ = 0;
  int repeats_ = 0, slow_ = 0, block_ = -1, last_side_ = 0;
  bool crossed_ = false;
};

}  // namespace trunnion
