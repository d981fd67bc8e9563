// Reference of the linearised four-bar (examples/four_bar_linear.yaml): linear model and nonlinear motion, independent of the library.
// Nonlinear Dynamics 111 (2023), doi 10.1007/s11071-023-08345-6, section 4, with one generalised coordinate, the crank angle x = phi2:
//   loop      L2 u2 + L3 u3 + L4 u4 = (L1, 0) with unit vectors, closed by the intersection of two circles
//   motion    m(x) w' = -m'(x) w^2 / 2 - V'(x) + s'(x) (A_2 p2 - A_3 p3 - F_mu(sdot)) + M_2(t),   F_mu by (8)
//   oil       (74), (75); spool (4)
// The Jacobian of the six rates is by slopes (problems/slope.h) in long double, so exact to rounding; its eigenvalues are -1/tau and the
// roots of the characteristic polynomial of the others,
//   ((l^2 - a l - k) D - f_2 (e + g_2 l) (l - j_11)) (l - j_33) - f_3 (h + g_3 l) D = 0,   D = (l - j_11) (l - j_22) - j_12 j_21,
//   w' = k x + a w + f_2 p2 + f_3 p3,   p1' = j_11 p1 + j_12 p2,   p2' = e x + g_2 w + j_21 p1 + j_22 p2,   p3' = h x + g_3 w + j_33 p3
// in long double. The accompanying test compares with a solution in forty digits.
// With slopes of slopes, everything is differentiated with respect to a parameter as well, also exactly: the reference by the implicit
// function theorem (Newton's steps in slopes), the Jacobian, and the eigenvalues as roots of the polynomial, l_p = -P_p / P_l.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>
#include <array>
#include <complex>
#include <vector>

#include "problems/hydraulics_reference.h"

namespace trunnion::problems {

/// The machine in numbers P; values of the example. Positions are those of the example's file: along the frame's x axis.
template <class P>
struct FourBarLinearMachine {
  P gravity = -9.81;                                                       // [m/s2] along y
  P ground_end = 10, crank_end = 2, coupler_end = 8, rocker_end = 5;       // [m] where the joints are: between pivots L1, L2, L3, L4
  P crank_rod = 2, coupler_rod = 8, rocker_rod = 5;                        // [m] lengths of the slender rods that are the bodies
  P crank_mass = 2, coupler_mass = 8, rocker_mass = 5;                     // [kg]
  P angle = 1.047197551196597746L;                                         // [rad] of the crank, as assembled
  P cylinder_base = -1, cylinder_end = 1;                                  // [m] on the ground, on the crank
  P chamber_a = 0.7320508075688772, chamber_b = 0.2679491924311228;        // [m] as assembled: (73), c1 + c2 = 1 m, l = 1 m
  P p1 = 0, p2 = 0, p3 = 3.5e6;                                            // [Pa]; p1 and p2 if given
  P coulomb = 210, static_force = 830, stribeck = 1.25e-2, viscous = 330;  // [N], [N], [m/s], [N s/m]
  P spool = 0, spool_time = 4.547284088339867e-3;                          // [V], [s]
  P spring = 0, spring_rest = 0;                                           // [N m/rad], [rad] about the crank's pivot; the example has none
  PaperCircuit<P> oil;
};

/// With Coulomb and static friction and viscous coefficient `friction` times the values of the first scenario (1, 1/10, 1/100).
template <class P>
FourBarLinearMachine<P> four_bar_linear_machine(double friction) {
  FourBarLinearMachine<P> machine;
  for (P* force : {&machine.coulomb, &machine.static_force, &machine.viscous}) *force = *force * friction;
  return machine;
}

/// Reference of the linearisation.
enum class FourBarReference {
  locked,  // equilibrium at the assembled angle: p1 = p2 balance it
  free,    // equilibrium at given pressures: the angle adapts
  given    // at rest at the assembled angle with given pressures, not necessarily balanced
};

struct FourBarLinear {
  double angle = 0;       // [rad] of the reference
  double p2 = 0;          // [Pa] p1 = p2 at the equilibrium, by virtual work
  double p2_printed = 0;  // [Pa] the same by (83), with plus before its last term; of the example alone
  Eigen::Matrix<double, 6, 6>
      jacobian;                       // of the rates of (phi2, omega2, p1, p2, p3, U); at U = 0 the last column as the valve opens to U > 0
  Eigen::Matrix<double, 6, 1> rates;  // at the reference: of an equilibrium zero to rounding
  std::array<std::complex<double>, 6> eigenvalues;  // descending real part, pairs together
  std::array<std::complex<double>, 6> derivatives;  // of the eigenvalues, along the slopes of the machine
};

using Parameter = SlopeOf<long double>;

FourBarLinear four_bar_linear_reference(const FourBarLinearMachine<Parameter>& machine, FourBarReference reference);
/// The example.
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
