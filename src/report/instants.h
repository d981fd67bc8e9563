// Which records of a run a report keeps. A page shows curves and motions as straight lines between the records it has; the records kept are
// those that these lines need most:
//   - the first, the last, and where a channel is greatest and least;
//   - some at even distances;
//   - then, one after the other, the record that is farthest from the line between its kept neighbours in any channel that is followed.
// Distances are measured in the channel's range, or in a thousandth of the largest range of all channels of its unit where that is more, so
// that rounding noise is not followed. Nor are channels that are rough by nature: what the solver did, accelerations, multipliers,
// residuals. In kind Ramer 1972, Douglas and Peucker 1973, for all curves at once. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "results/recording.h"

namespace trunnion {

/// Whether the lines of a page follow a channel; time is none.
bool is_followed(const Channel& channel);

class InstantOrder {
 public:
  /// Orders records of `recording` by need until `most` are there, or none is off the lines.
  InstantOrder(const Recording& recording, std::size_t most, bool (*follows)(const Channel&) = is_followed);

  /// The `count` records most needed, ascending; fewer where fewer are ordered.
  std::vector<std::size_t> first(std::size_t count) const;
  /// How many it takes to come below a deviation; all that are ordered where that is not enough.
  std::size_t needed(double deviation) const;
  /// How far the lines between these leave the other records of a followed channel, in ranges.
  double deviation(std::size_t count) const;

 private:
  std::vector<std::size_t> order_;
  std::vector<double> deviation_;  // [i]: what is left when order_[0] ... order_[i] are kept
};

}  // namespace trunnion
