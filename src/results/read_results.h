// Results of a run, read back: results.h5 with units and descriptions, or results.csv with names only; of an unfinished or killed run
// from results.h5.part or results.csv.part.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "results/recording.h"

namespace trunnion {

/// A recording in a file.
struct StoredResults {
  std::string file;               // results.h5 or results.csv, with its folder
  bool unfinished = false;        // its name ends in .part
  std::vector<Channel> channels;  // all stored channels, `time` first; from CSV without unit and description

  /// `time` and the channels that match one of the patterns, in the order of the file. Throws InputError where the file cannot be read.
  Recording read(const std::vector<std::string>& patterns) const;
  /// The model file with all settings; empty if only results.csv exists.
  std::string model() const;
};

/// `path`, or `path`.part of an unfinished run if it is newer or the only one; empty if neither exists.
std::string result_file(const std::string& path);

/// Of `path`, a folder or a file that ends in .h5 or .csv, with .part or without. Throws InputError if there are no results.
StoredResults find_results(const std::string& path);

}  // namespace trunnion
