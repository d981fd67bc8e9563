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
  virtual ~LaneMachine() = default;

  /// Numbers of the state (StateVector::values()).
  virtual int size() const = 0;
  struct Result {
    unsigned done = 0;    // lanes whose step ended, all by the same way
    unsigned behind = 0;  // that go other ways; these and the rest of the lanes, which have no step here, are unchanged
  };
  /// Advances the machines in `lanes` (bit k: lane k) by h [s], from and to `x`, the numbers of their states, as far as they go the way of
  /// the first of them. `ways`: a number for the way of each, as far as it is known. No allocation.
  virtual Result step(Number* x, const Number& time, Real h, unsigned lanes, std::uint64_t* ways) = 0;
};

/// `compact`: the model (schema/compact.h), with these values of all its parameters (schema/parameters.h), SI; empty: its own in all lanes.
/// Throws std::exception for models that do not compile.
using MakeLaneMachine = std::unique_ptr<LaneMachine>(const std::string& compact, const std::vector<Number>& parameters);

/// Lane machines for processors with these instructions.
struct ProcessorLanes {
  const char* instructions;
  MakeLaneMachine* make;
};
/// Those of this build that the processor in use can execute, the fastest first; at least one.
std::vector<ProcessorLanes> machines_by_processor();

}  // namespace lanes
