// Selection of the records that a report keeps. A page interpolates curves and motions linearly between its records; kept are
//   - the first, the last, and the maximum and minimum of each channel;
//   - some at even distances;
//   - then, successively, the record that is farthest from the line between its kept neighbours in any followed channel.
// Distances are relative to the channel's range, or to a thousandth of the largest range of all channels of its unit if that is more, so
// that rounding noise is ignored. Channels that are rough by nature are not followed: solver statistics, accelerations, multipliers,
// residuals. Like Ramer 1972, Douglas and Peucker 1973, for all curves at once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "results/recording.h"

namespace trunnion {

/// Whether the interpolation follows a channel; false for time.
bool is_followed(const Channel& channel);

class InstantOrder {
 public:
  /// Orders records of `recording` by importance until there are `most`, or no deviation remains.
  InstantOrder(const Recording& recording, std::size_t most, bool (*follows)(const Channel&) = is_followed);

  /// The `count` most important records, ascending; fewer if fewer are ordered.
  std::vector<std::size_t> first(std::size_t count) const;
  /// Number of records for a given deviation; all ordered ones if that is not enough.
  std::size_t needed(double deviation) const;
  /// Maximum deviation of the other records of a followed channel from the lines between these, in ranges.
  double deviation(std::size_t count) const;

 private:
  std::vector<std::size_t> order_;
  std::vector<double> deviation_;  // [i]: remaining when order_[0] ... order_[i] are kept
};

}  // namespace trunnion
