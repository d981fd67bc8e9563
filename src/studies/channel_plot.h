// Plots of channels of one or several runs: one panel per unit, the runs overlaid.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "studies/plot.h"

namespace trunnion {

struct ChannelPlotRequest {
  std::vector<std::string> runs;      // folders of results, or files
  std::vector<std::string> channels;  // names or patterns (`*.pressure`), in the order of the panels
  std::string against;                // the channel on the x axis; empty: time
  std::string from, to;               // times, as `500 ms`; empty: all
  std::vector<std::string> units;     // to use instead of SI: `bar`, `deg`, each for all matching quantities
  std::string title;
  double width = 150, height = 80;    // [mm] of a panel
  bool log_x = false, log_y = false;  // logarithmic axes: values that are not positive are left out, with a note
};

/// Throws InputError for an unknown run, channel or unit.
Plot channel_plot(const ChannelPlotRequest& request);

}  // namespace trunnion
