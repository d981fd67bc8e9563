// Steps of several machines of one model side by side: the core, compiled with lanes::Number (prelude.h).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lanes/number.h"

namespace lanes {

inline constexpr int kMachines = 8;

/// The same number of every machine.
struct alignas(kMachines * sizeof(Real)) Row {
  std::array<Real, kMachines> of{};
};

class LaneMachine {
 public:
  virtual ~LaneMachine() = default;

  /// Numbers of the state (StateVector::values()).
  virtual int size() const = 0;
  struct Result {
    unsigned done = 0;    // machines whose step ended
    unsigned behind = 0;  // that go other ways; these and the rest of the machines, which have no step here, are unchanged
  };
  /// Advances the machines in `lanes` (bit k: machine k) by h [s], from and to `x`, the numbers of their states, as far as they go the way
  /// of the first of them, or of the first in their vector where a vector of the processor has fewer lanes. `ways`: a number for the way of
  /// each, as far as it is known. No allocation.
  virtual Result step(Row* x, const Row& time, Real h, unsigned lanes, std::uint64_t* ways) = 0;
};

/// `compact`: the model (schema/compact.h), with these values of all its parameters (schema/parameters.h), SI; empty: its own for all machines.
/// Throws std::exception for models that do not compile.
using MakeLaneMachine = std::unique_ptr<LaneMachine>(const std::string& compact, const std::vector<Row>& parameters);

/// Lane machines for processors with these instructions.
struct ProcessorLanes {
  const char* instructions;
  MakeLaneMachine* make;
};
/// Those of this build that the processor in use can execute, the fastest first; none if its vectors are too short to gain by them.
std::vector<ProcessorLanes> machines_by_processor();

}  // namespace lanes
