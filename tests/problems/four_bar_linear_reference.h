// Reference of the linearised four-bar (examples/four_bar_linear.yaml): linear model and nonlinear motion, independent of the library.
// Nonlinear Dynamics 111 (2023), doi 10.1007/s11071-023-08345-6, section 4, with one generalised coordinate, the crank angle x = phi2:
//   loop      L2 u2 + L3 u3 + L4 u4 = (L1, 0) with unit vectors, closed by the intersection of two circles
//   motion    m(x) w' = -m'(x) w^2 / 2 - V'(x) + s'(x) (A_2 p2 - A_3 p3 - F_mu(sdot)) + M_2(t),   F_mu by (8)
//   oil       (74), (75); spool (4)
// The Jacobian of the six rates is by complex step, so exact to rounding; its eigenvalues are two zeros, -1/tau and the roots of
//   (l^2 - a l - k) (l + c + d) - f (l + c) = 0,   a = J_ww, k = J_wx + J_w3 J_3w, c = -J_11, d = J_21, f = J_w2 J_2w
// in long double. The test beside this file compares with a solution in forty digits.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>
#include <array>
#include <complex>
#include <vector>

namespace trunnion::problems {

struct FourBarLinear {
  double p2 = 0;                         // [Pa] p1 = p2 at the equilibrium, by virtual work
  double p2_printed = 0;                 // [Pa] the same by (83), with plus before its last term
  Eigen::Matrix<double, 6, 6> jacobian;  // of the rates of (phi2, omega2, p1, p2, p3, U); the last column as the valve opens to U > 0
  Eigen::Matrix<double, 6, 1> rates;     // at the reference: zero to rounding
  std::array<std::complex<double>, 6> eigenvalues;  // descending real part, pairs together
};

/// Coulomb and static friction and viscous coefficient are `friction` times the values of the first scenario (1, 1/10, 1/100).
FourBarLinear four_bar_linear_reference(double friction);

struct FourBarLinearSample {
  double t;             // [s]
  double phi2, omega2;  // [rad], [rad/s]
  double p1, p2, p3;    // [Pa]
  double s, sdot;       // [m], [m/s]
  double friction;      // [N] of the cylinder
  double kinetic;       // [J]
  double potential;     // [J] relative to the start
  double work;          // [J] of cylinder and torque, integrated
};

/// The nonlinear motion from the equilibrium under `pulse` times the torque (92), valve closed. Samples at 0, output_step, ...; 1 s and
/// 1.5 s must be among them. `tolerance` scales all error bounds.
std::vector<FourBarLinearSample> four_bar_linear_motion(double friction, double pulse = 1, double t_end = 3, double output_step = 1e-2,
                                                        double tolerance = 1);

}  // namespace trunnion::problems
