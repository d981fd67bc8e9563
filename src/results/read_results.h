// What a run left in its folder, read back: results.h5 with units and meanings, or results.csv with names alone.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "results/recording.h"

namespace trunnion {

/// Whether a name has the form of a pattern, in which each `*` stands for any characters.
bool matches_pattern(const std::string& pattern, const std::string& name);

/// A recording in a file.
struct StoredResults {
  std::string file;               // results.h5 or results.csv, with its folder
  std::vector<Channel> channels;  // all that are stored, `time` first; from CSV without unit and meaning

  /// `time` and the channels that match one of the patterns, in the order of the file. Throws InputError where the file cannot be read.
  Recording read(const std::vector<std::string>& patterns) const;
  /// The model file with all settings; empty where only results.csv is there.
  std::string model() const;
};

/// Of `path`, a folder or a file that ends in .h5 or .csv. Throws InputError where there are no results.
StoredResults find_results(const std::string& path);

}  // namespace trunnion
