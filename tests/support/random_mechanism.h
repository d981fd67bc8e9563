// Random mechanisms for tests: a branched tree of every joint kind with loops that need not close, springs, loads and ports (lines, and coordinates of
// joints and loops), and optionally rows that hold for velocities alone.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <random>

#include "model/compile_parts.h"

namespace trunnion::test {

/// A mechanism together with the objects that its compilation refers to.
template <int D>
struct RandomMechanism {
  CompiledModel model;
  Mechanism<3> space;
  PointMap map;
  Mechanism<D> mechanism;
};

/// With couplings of velocities, blades and (in space) wheels, which need not be on their planes.
enum class VelocityRows { none, some };

/// Planar when D = 2 (every axis along z), spatial otherwise. Same seed, same mechanism.
template <int D>
std::unique_ptr<RandomMechanism<D>> random_mechanism(unsigned seed, int bodies = 7, VelocityRows velocity_rows = VelocityRows::none);

/// n numbers from [-1, 1] times scale.
std::vector<double> random_numbers(std::mt19937& random, int n, double scale);

}  // namespace trunnion::test
