// Pictures of channels of one run or several: one panel for each unit, the runs over each other.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "results/plot.h"

namespace trunnion {

struct ChannelPlotRequest {
  std::vector<std::string> runs;      // folders of results, or files
  std::vector<std::string> channels;  // names or patterns (`*.pressure`), in the order of the panels
  std::string against;                // the channel along x; empty: time
  std::string from, to;               // times, as `500 ms`; empty: all
  std::vector<std::string> units;     // to draw in instead of SI: `bar`, `deg`, each for all quantities that it fits
  std::string title;
  double width = 150, height = 80;  // [mm] of a panel
};

/// Throws InputError where a run, a channel or a unit is none.
Plot channel_plot(const ChannelPlotRequest& request);

}  // namespace trunnion
