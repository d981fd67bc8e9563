// A recording evaluated with plain numbers, as its C code evaluates it: without recording anything, where the way is known.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>
#include <vector>

#include "recording/recorder.h"

namespace recording {

class Evaluation {
 public:
  /// `recording` may grow, and outlives this. The values of its parameters.
  explicit Evaluation(const Recorder& recording, std::vector<Real> parameters = {});

  /// Evaluates with value_of(input) for every input that is no parameter. The last block of the way; -1: it leaves the recording.
  template <class ValueOf>
  int follow(ValueOf&& value_of) {
    grow();
    for (const auto& [node, input] : inputs_)
      value_[static_cast<std::size_t>(node)] = value_of(recording_.inputs()[static_cast<std::size_t>(input)]);
    return evaluate();
  }
  /// The blocks of the last way.
  const std::vector<int>& way() const { return way_; }
  /// Sides of its branches that are not recorded, where rounding errors may take them.
  const std::vector<Recorder::Turn>& close_turns() const { return close_; }
  /// Of the last way's results.
  Real result(std::size_t number) const {
    return value_[static_cast<std::size_t>(recording_.blocks()[static_cast<std::size_t>(way_.back())].results[number])];
  }

 private:
  void grow();
  int evaluate();
  void evaluate(int node);

  const Recorder& recording_;
  std::vector<Real> parameters_;
  std::vector<Real> value_;                  // per operation
  std::vector<std::pair<int, int>> inputs_;  // operations and what they read
  std::size_t prepared_ = 0;                 // operations that are evaluated
  std::vector<int> way_;
  std::vector<Recorder::Turn> close_;
};

}  // namespace recording
