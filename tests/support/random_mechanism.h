// Random mechanisms for tests: a branched tree of every joint kind with loops that need not close, springs, loads and ports, and where
// asked for with rows that hold for velocities alone.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <random>

#include "model/compile_parts.h"

namespace trunnion::test {

/// A mechanism together with what its compilation needs to stay alive.
template <int D>
struct RandomMechanism {
  Model model;
  Mechanism<3> space;
  PointMap map;
  Mechanism<D> mechanism;
};

/// Whether there are couplings of velocities, blades and (in space) wheels, none of which need be on its plane.
enum class VelocityRows { none, some };

/// In the plane when D = 2 (every axis along z), in space otherwise. Same seed, same mechanism.
template <int D>
std::unique_ptr<RandomMechanism<D>> random_mechanism(unsigned seed, int bodies = 7, VelocityRows velocity_rows = VelocityRows::none);

/// n numbers from [-1, 1] times scale.
std::vector<double> random_numbers(std::mt19937& random, int n, double scale);

}  // namespace trunnion::test
