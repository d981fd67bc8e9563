// Reference solution of the cranes with one, two and three cylinders (examples/crane_single.yaml, crane_double.yaml, crane_triple.yaml),
// independent of the library. J. Rahikainen, F. Gonzalez, M. A. Naya, J. Sopanen, A. Mikkola (co-simulation), section 3; the third link
// with its cylinder is added.
//
//            Q                       boom O-Q: rod, point mass at Q; jib Q-R and stick R-S: massless, point masses at R and S
//    P ___--- \                      lift: ground B to P, the middle of the boom
//  O /  \lift  \ R __S              tilt: P to the middle of the jib; fold: jib to stick, 0.45 m from R on both
//        B                           x = (theta1, theta2, theta3), absolute from +x
//   M(x) x'' + h(x, x') = G(x) + sum_i F_i ds_i/dx                          Lagrange's equations
//   F_i = p_A A_A - p_B A_B - c sdot + F_d,   F_d = +-k (l_d - l) - c_d sdot within l <= l_d of either end, else 0
// The end dampers' force jumps at the boundaries of their zones; no step crosses one.
// In addition to the motion it integrates the work of pressure, drag and end dampers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

namespace trunnion::problems {

struct StoppedCylinderSample {
  double length, rate;                               // [m], [m/s]
  double force;                                      // [N] net force, extension positive
  double end_damper;                                 // [N] part of the end dampers in it
  std::array<double, 3> pressure;                    // [Pa] valve to throttle, piston side, rod side
  double spool;                                      // [V]
  double pressure_work, drag_work, end_damper_work;  // [J] integrals of force * rate; drag_work is dissipated by drag
};

struct CraneSample {
  double t;                                     // [s]
  std::vector<double> theta;                    // [rad] absolute, of boom, jib and stick
  std::vector<double> omega;                    // [rad/s]
  std::vector<StoppedCylinderSample> cylinder;  // lift, tilt, fold
  double kinetic, potential;                    // [J] potential relative to the start
};

/// Samples at 0, output_step, 2 output_step, ..., t_end, of the crane with 1, 2 or 3 `cylinders`, of which only the
/// last has a stick. output_step divides 0.1 s.
/// `tolerance` scales all error bounds (for convergence studies).
std::vector<CraneSample> crane_reference(int cylinders, double t_end = 10, double output_step = 1e-2, double tolerance = 1);

}  // namespace trunnion::problems
