// Reference solution of the hydraulic four-bar (examples/four_bar.yaml), independent of the library.
// S. Jaiswal, J. Sopanen, A. Mikkola, Nonlinear Dynamics 104 (2021): one generalised coordinate, the crank angle x.
//   loop      2 e^(ix) + 8 e^(i phi2) + 5 e^(i phi3) = 10 in closed form (triangle of tip, end and pivot E)
//   energy    T = m(x) xdot^2 / 2, V(x):   m xddot = -m' xdot^2 / 2 - V' + s' (A_A p2 - A_B p3 - F_mu)
//   cylinder  s = 2 cos(x/2), as mount and crank centre are both 1 m from the origin
// and three pressures, the states of the friction law, and the work of pressure and friction as integrals.
// Over 10 s the errors are below 1e-12 rad and 1e-4 Pa, those of the film below 1e-10: the accompanying test varies the
// tolerance and compares with an independently written solution.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace trunnion::problems {

enum class FrictionName { bengisu_akay, brown_mcphee, lugre, modified_lugre };

/// `bengisu_akay`, ... as in a model file.
const char* name_of(FrictionName friction);

struct FourBarSample {
  double t;                             // [s]
  double z1, z2, z3;                    // [rad] joint angles, relative
  double rate1, rate2, rate3;           // [rad/s] their rates
  double p1, p2, p3;                    // [Pa] valve to throttle, piston side, rod side
  double spool;                         // [V]
  double s, sdot;                       // [m], [m/s] cylinder length and rate
  double friction;                      // [N] positive with positive rate
  double force;                         // [N] net force of the cylinder on the mechanism, extension positive
  double bristle, film;                 // [m], [-] states of the LuGre laws, 0 where there are none
  double kinetic, potential;            // [J] potential relative to the start
  double pressure_work, friction_work;  // [J] integrals of (A_A p2 - A_B p3) sdot and F_mu sdot; net work is the difference
};

/// Samples at 0, output_step, 2 output_step, ..., t_end. `tolerance` scales all error bounds (for convergence studies).
std::vector<FourBarSample> four_bar_reference(FrictionName friction, double t_end = 10, double output_step = 1e-3, double tolerance = 1);

}  // namespace trunnion::problems
