// Reference solution of the spatial slider-crank (examples/spatial_slider_crank.yaml), independent of the library.
// One coordinate, the crank angle x. Crank pin P(x) turns about a skew axis a; slider S = (w + P_x, 0, 0), w^2 = L^2 - P_y^2 - P_z^2.
//   energy   T = m(x) xdot^2 / 2,  m = J_crank + m_s S'^2 + m_r |c'|^2 + J_r |n'|^2   (c: rod's centre, n: its direction)
//   motion   m xddot = -m' xdot^2 / 2 - V'
// The rod is a solid of revolution supported at two points of its axis: its spin about itself is constant, zero from rest, and
// its angular velocity is n x n'. Without mass it is a distance constraint.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

namespace trunnion::problems {

enum class RodName { massive, massless };

struct SliderCrankSample {
  double t;                                    // [s]
  double crank_angle, crank_rate;              // [rad], [rad/s]
  double slider_position, slider_speed;        // [m], [m/s]
  std::array<double, 3> pin;                   // [m] crank pin, world
  std::array<double, 3> rod_center;            // [m] world
  std::array<double, 3> rod_angular_velocity;  // [rad/s] world
  double kinetic, potential;                   // [J] potential relative to the start
};

/// Samples at 0, output_step, 2 output_step, ..., t_end. `tolerance` scales all error bounds (for convergence studies).
std::vector<SliderCrankSample> spatial_slider_crank_reference(RodName rod, double t_end = 3, double output_step = 1e-2,
                                                              double tolerance = 1);

}  // namespace trunnion::problems
