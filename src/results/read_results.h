// What a run left in its folder, read back: results.h5 with units and meanings, or results.csv with names alone; of a run that goes on or
// was killed what there is, from results.h5.part or results.csv.part.
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
  bool unfinished = false;        // one that ends in .part
  std::vector<Channel> channels;  // all that are stored, `time` first; from CSV without unit and meaning

  /// `time` and the channels that match one of the patterns, in the order of the file. Throws InputError where the file cannot be read.
  Recording read(const std::vector<std::string>& patterns) const;
  /// The model file with all settings; empty where only results.csv is there.
  std::string model() const;
};

/// `path`, or `path`.part of a run that has not ended where that is newer or alone; empty where there is neither.
std::string result_file(const std::string& path);

/// Of `path`, a folder or a file that ends in .h5 or .csv, with .part or without. Throws InputError where there are no results.
StoredResults find_results(const std::string& path);

}  // namespace trunnion
