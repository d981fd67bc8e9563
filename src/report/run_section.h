// A run as a section of a report: its channels at the instants kept, its scene, its summary and its model.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <set>
#include <string>
#include <vector>

#include "report/data_block.h"

namespace trunnion {

/// What of a run a page takes.
struct RunShare {
  std::size_t bytes = 0;              // text of its block at most, unless `every` is set
  long every = 0;                     // every how many records one is kept; 0: as many as fit, those most needed
  std::vector<std::string> channels;  // names, or patterns with * and ?; empty: all
};

struct RunSection {
  ReportJson json;
  std::string block;  // packed
  std::size_t records = 0, kept = 0;
  double deviation = 0;            // of lines between those kept, in ranges
  std::vector<std::string> names;  // of all channels recorded
  std::set<std::string> matched;   // patterns of the share that fit one
};

/// `folder` holds a summary.json. Throws InputError for files that are damaged.
RunSection run_section(const std::string& folder, const std::string& name, int block, const RunShare& share);

}  // namespace trunnion
