// Steps of several machines of one model side by side: the core, compiled with lanes::Number (prelude.h).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lanes/number.h"

namespace lanes {

class LaneMachine {
 public:
  /// `compact`: the model (schema/compact.h), with these values of all its parameters (schema/parameters.h), SI; empty: its own in all lanes.
  /// Throws std::exception for models that do not compile.
  LaneMachine(const std::string& compact, const std::vector<Number>& parameters);
  ~LaneMachine();

  /// Numbers of the state (StateVector::values()).
  int size() const;
  struct Result {
    unsigned done = 0;    // lanes whose step ended, all by the same way
    unsigned behind = 0;  // that go other ways; these and the rest of the lanes, which have no step here, are unchanged
  };
  /// Advances the machines in `lanes` (bit k: lane k) by h [s], from and to `x`, the numbers of their states, as far as they go the way of
  /// the first of them. `ways`: a number for the way of each, as far as it is known. No allocation.
  Result step(Number* x, const Number& time, Real h, unsigned lanes, std::uint64_t* ways);

 private:
  struct Machine;
  std::unique_ptr<Machine> machine_;
};

}  // namespace lanes
