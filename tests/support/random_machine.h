// Random machines with closed loops and hydraulics, as model files: one to four loops, planar or spatial, each moved by a
// cylinder on its own circuit. Loops are attached to the ground, to each other's links or to a suspended load's frame; they avoid
// singular configurations while their cylinders move by some centimetres. With velocity-level constraints, a flywheel is coupled to a link
// by their rates, and springs connect the links to a sled on a blade and, in space, to a rolling disc. Every fourth machine
// (seed 4 n + 1) has friction and limits in its joints and loops.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace trunnion::test {

struct RandomMachine {
  std::string text;  // of the model file
  int loops = 0;     // modules
  bool spatial = false;
  bool redundant = false;  // has redundant constraint equations
  int velocity_rows = 0;   // constraint equations that hold for velocities alone
};

/// A lumped circuit for each cylinder, or one quasistatic circuit for all.
enum class RandomOil { lumped, quasistatic };

/// Same seed, same machine. Seeds cycle through the number of loops and the kinds of modules, so that a few dozen cover all.
RandomMachine random_machine(unsigned seed, bool velocity_constraints = false, RandomOil oil = RandomOil::lumped);

}  // namespace trunnion::test
