// The machine in cartesian coordinates: every body has absolute coordinates, those of its centre of mass and its rotation, and every
// joint is a set of constraint rows. The same Mechanism type as in relative coordinates:
//   plane   x, y, rotation             rows of a revolute joint: 2, of a prismatic joint: 2
//   space   x, y, z, quaternion        rows as of the loop closure of the same kind
//   point mass, plane: x, y            one distance row to its revolute joint
// A planar body without rotational inertia on a revolute joint needs no angle if all forces act on its centre of mass.
// Joint coordinates named by springs, loads, motions and couplings are auxiliary ones: a massless joint on the parent body, connected
// to the child by one row. All other joint coordinates are computed from the bodies (mechanics/joint_reading.h).
// Source: Rahikainen, Gonzalez, Naya, Sopanen, Mikkola 2020 (co-simulation), section 2.1 and table of its examples' coordinates.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "model/model.h"

namespace trunnion {

struct PointMap;

/// `relative`, compiled in relative coordinates with the tree in `map.space`, in cartesian ones. Its start is that of `relative`.
std::shared_ptr<CompiledModel> compile_cartesian(const std::shared_ptr<const CompiledModel>& relative, const PointMap& map);

/// Configuration and velocities of `model` (cartesian) at those of `model.relative`.
void set_cartesian(const CompiledModel& model, const double* q, const double* v, double* q_out, double* v_out);

}  // namespace trunnion
