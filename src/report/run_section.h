// A run as a section of a report: its channels at the kept instants, its scene, its summary and its model.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <set>
#include <string>
#include <vector>

#include "report/data_block.h"

namespace trunnion {

/// Options of a run in a page.
struct RunShare {
  std::size_t bytes = 0;              // maximum text size of its block, unless `every` is set
  long every = 0;                     // every how many records one is kept; 0: the most important ones, as many as fit
  std::vector<std::string> channels;  // names, or patterns with * and ?; empty: all
};

struct RunSection {
  ReportJson json;
  std::string block;  // packed
  std::size_t records = 0, kept = 0;
  double deviation = 0;            // of lines between kept records, in ranges
  std::vector<std::string> names;  // of all channels recorded
  std::set<std::string> matched;   // patterns of the options that match one
};

/// `folder` holds a summary.json. Throws InputError for damaged files.
RunSection run_section(const std::string& folder, const std::string& name, int block, const RunShare& share);

}  // namespace trunnion
