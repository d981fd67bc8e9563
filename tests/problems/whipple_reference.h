// The benchmark bicycle, independent of the library: linearised equations of lean phi and steer delta at forward speed v,
//   M q'' + v C1 q' + (g K0 + v^2 K2) q = 0,   q = (phi, delta)
// Source: J. P. Meijaard, J. M. Papadopoulos, A. Ruina, A. L. Schwab, "Linearized dynamics equations for the balance and steer of a
// bicycle: a benchmark and review", Proceedings of the Royal Society A 463 (2007), table 1 (parameters), appendix A (coefficients),
// table 2 (eigenvalues).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>
#include <array>
#include <complex>
#include <vector>

namespace trunnion::problems {

/// The 25 parameters. x forwards, z down, origin at the rear contact; inertias about the centres of mass.
struct Whipple {
  double w = 1.02;                      // [m] wheel base
  double c = 0.08;                      // [m] trail
  double lambda = M_PI / 10;            // [rad] steer axis tilt
  double g = 9.81;                      // [m/s^2]
  double rR = 0.3, mR = 2;              // [m], [kg] rear wheel
  double IRxx = 0.0603, IRyy = 0.12;    // [kg m^2]
  double xB = 0.3, zB = -0.9, mB = 85;  // [m], [kg] rear frame with rider
  double IBxx = 9.2, IByy = 11, IBzz = 2.8, IBxz = 2.4;
  double xH = 0.9, zH = -0.7, mH = 4;  // front frame
  double IHxx = 0.05892, IHyy = 0.06, IHzz = 0.00708, IHxz = -0.00756;
  double rF = 0.35, mF = 3;  // front wheel
  double IFxx = 0.1405, IFyy = 0.28;
};

struct WhippleMatrices {
  Eigen::Matrix2d M, C1, K0, K2;
};

WhippleMatrices whipple_matrices(const Whipple& bicycle = {});

/// The four eigenvalues [1/s] at speed v [m/s]; descending real part, pairs together.
std::array<std::complex<double>, 4> whipple_eigenvalues(double v, const Whipple& bicycle = {});

/// Table 2 of the paper: v = 0, 1, ..., 10 m/s, sorted as above. One figure is off by 6e-13, see the source.
struct WhipplePublished {
  double v;
  std::array<std::complex<double>, 4> eigenvalues;
};
const std::vector<WhipplePublished>& whipple_published();

}  // namespace trunnion::problems
