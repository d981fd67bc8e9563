// Reference solution of a slewing crane (examples/slewing_crane.yaml), independent of the library and spatial.
//
//        boom (turns about -y of the column, angle b)        z up; column turns about z by the angle a
//         \___ tip                                           load: rigid body with a full inertia tensor, hung at the tip
//    P o==      |                                                  by a spherical joint: swings in two planes and twists
//      |  \     o load                                       lift cylinder: column to boom, in the plane of the boom
//   column \                                                 slew cylinder: ground to an arm of the column, horizontal
//
// Kane's equations in the speeds u = (a', b', w), w the load's angular velocity in the world:
//   sum over bodies  Jv^T (m (a_com - g)) + Jw^T (J alpha + w x J w) = s_u^T F,   a_com = Jv u' + bias, alpha = Jw u' + bias
// with each cylinder on its own circuit (valve, throttle, three volumes) and Brown-McPhee friction.
// In addition to the motion it integrates the cylinders' work and the slewing moment, to check energy and angular momentum.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

namespace trunnion::problems {

struct CraneCylinderSample {
  double length, rate;             // [m], [m/s]
  double force, friction;          // [N] net force, extension positive; friction positive with positive rate
  double work;                     // [J] integral of force * rate
  double spool;                    // [V]
  std::array<double, 3> pressure;  // [Pa] valve to throttle, piston side, rod side
};

struct SlewingCraneSample {
  double t;                                     // [s]
  double column_angle, column_rate;             // [rad], [rad/s]
  double boom_angle, boom_rate;                 // [rad], [rad/s]
  std::array<double, 3> load_position;          // [m] centre of mass, world
  std::array<double, 4> load_quaternion;        // w, x, y, z; turns load axes into world axes
  std::array<double, 3> load_angular_velocity;  // [rad/s] world
  CraneCylinderSample lift, slew;
  double kinetic, potential;  // [J] potential relative to the start
  double angular_momentum_z;  // [kg m2/s] of the machine about the column's axis
  double slewing_impulse;     // [kg m2/s] integral of the slew cylinder's moment about that axis
};

/// Properties of the load, for tests of its equations of motion.
struct CraneLoad {
  double mass;                                   // [kg]
  std::array<double, 3> center_of_mass;          // [m] load frame, from the spherical joint
  std::array<std::array<double, 3>, 3> inertia;  // [kg m2] about the centre of mass, load frame
};
CraneLoad slewing_crane_load();

/// Samples at 0, output_step, 2 output_step, ..., t_end. `tolerance` scales all error bounds (for convergence studies).
std::vector<SlewingCraneSample> slewing_crane_reference(double t_end = 4, double output_step = 1e-2, double tolerance = 1);

}  // namespace trunnion::problems
