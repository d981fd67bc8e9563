// Random machines with closed loops and hydraulics, as model files: one to four loops, in the plane or in space, each moved by a
// cylinder on a circuit of its own. Loops hang on the ground, on each other's links or on a hanging load's frame; they keep away from
// dead points while their cylinders move by some centimetres. Where asked for, something rolls beside them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace trunnion::test {

struct RandomMachine {
  std::string text;  // of the model file
  int loops = 0;     // modules
  bool spatial = false;
  bool redundant = false;  // has constraint equations that others imply
};

/// Whether the machine also has constraints of velocities: a disc that rolls on a tilted plane (in space) or a sleigh on a blade (in the
/// plane), and a flywheel whose rate is tied to that of a link.
enum class VelocityConstraints { none, some };

/// Same seed, same machine. Seeds cycle through the number of loops and the kinds of modules, so that a few dozen have them all.
RandomMachine random_machine(unsigned seed, VelocityConstraints velocity_constraints = VelocityConstraints::none);

}  // namespace trunnion::test
