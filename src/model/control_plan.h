// Control blocks of a description, prepared for the netlist.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "control/block.h"
#include "description/description.h"

namespace trunnion {

/// A block prepared for the netlist.
struct BlockPlan {
  std::string name;
  std::shared_ptr<const BlockLaw> law;
  std::vector<NumberOrSignal> inputs;  // in the order of the law
  double period = 0, offset = 0;       // [s]
  double latency = 0, jitter = 0;      // [s]
  std::uint64_t seed = 1;
  int state = -1;  // the input is this state of the block that it names, which precedes it; -1: its value
};
/// Law and inputs of an operator: src/model/plan_operator.cpp. Its states are the reference coordinates, then their rates.
BlockPlan plan_operator(const Description& d, const std::string& name, const OperatorBlock& b);
/// All blocks, then the signals that contain the value of one (blocks_of_signals()). A sequence is one of its steps, and one for each of its
/// commands; an operator is one, and two for each of its joints.
std::vector<BlockPlan> plan_control(const Description& d);
/// The law of a single block. Sizes and orders are those of the description, which has been checked (schema/check_control.cpp); inputs:
/// block_inputs().
std::shared_ptr<const BlockLaw> plan_block(const BlockDescription& block);

}  // namespace trunnion
