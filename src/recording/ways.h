// Ways through a recording that code has, and what they need.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "recording/c_source.h"
#include "recording/recorder.h"

namespace recording {

class Ways {
 public:
  /// Those most taken, whole, as many as may be; one at least.
  static Ways most_taken(const Recorder& recording, const FunctionLayout& layout);
  static Ways none(const Recorder& recording, const FunctionLayout& layout) { return {recording, layout}; }
  /// Those with results that these lack.
  Ways others() const;

  const Recorder& recording() const { return *r_; }
  const FunctionLayout& layout() const { return layout_; }
  bool has(std::size_t block) const { return taken_[block]; }
  const std::vector<bool>& blocks() const { return taken_; }
  bool needs(int node) const { return needed_[static_cast<std::size_t>(node)]; }
  bool has_results(const Block& block) const { return block.ends && block.status == layout_.converged; }
  std::size_t result_count(const Block& block) const;
  /// Whether a result is the state's number at the start.
  bool unchanged(const Block& block, std::size_t result) const;
  /// The block on a side of a branch; -1: not one of these.
  int next(const Block& block, int side) const {
    const int next = block.next[static_cast<std::size_t>(side)];
    return next >= 0 && taken_[static_cast<std::size_t>(next)] ? next : -1;
  }
  /// Ways with results, and operations.
  int count() const;
  int operations() const;
  /// Operations of the longest one.
  int longest() const;
  /// Gives each prepared operation that blocks use a place.
  void add_places(std::map<int, int>& places) const;

 private:
  Ways(const Recorder& recording, const FunctionLayout& layout);
  /// Adds the ways to these blocks: the most visited first, as long as they are within the limits of operations; one at least.
  void add(const std::vector<std::size_t>& ends, std::size_t most_operations, std::size_t most_unvisited);
  void find_needed();

  const Recorder* r_;
  FunctionLayout layout_;
  std::vector<bool> taken_, needed_;  // blocks, operations
};

}  // namespace recording
