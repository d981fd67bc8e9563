// Reference solutions of the arms on quasistatic hydraulics (examples/arm_quasistatic.yaml, arm_regeneration.yaml, two_arms_one_pump.yaml),
// independent of the library. Minimal coordinates, per arm theta, omega and p:
//   (J + M L_g^2) theta_dd = -M g L_g cos(theta) + f dl/dtheta + L_f cos(theta) f_ey         (79), (80), (89)
//   p_d = Lambda(B, K (p - l) - B l_d),   f = K (p - l) + B (p_d - l_d)                      (68), (70); several arms: (119)
// Lambda is that of quasistatic_reference.h, the original relations by bracketing. Radau IIA between jumps of the inputs; and the paper's
// own procedure with its fixed steps.
// Source: Kikuuwe and others, nonsmooth quasistatic model of hydraulic actuators, sections 4.3, 5.2 and 6.2.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace trunnion::problems {

/// Inputs of an arm; steps are right-continuous here and split at `jumps` of the case.
struct ArmInputs {
  double start_angle = 0;                     // [rad]
  std::function<double(double t)> command;    // u_c [-]
  std::function<double(double t)> tip_force;  // f_ey [N]
};

struct ArmCase {
  std::string example;           // its model file
  std::vector<std::string> set;  // and settings
  double bleed = 0;              // u_b [-]
  double regeneration = 0;       // u_a [-] while u_c > 0
  std::vector<ArmInputs> arms;   // those on the pump
  std::vector<double> jumps;     // [s] of the inputs, ascending
  double end = 0;                // [s]
};

/// Figure 6; figure 10 with u_a = 0.5 or 0; figure 13 with arm 2 driven or not.
ArmCase holding_arm();
ArmCase regenerating_arm(bool open = true);
ArmCase two_arms(bool both_driven = true);

struct ArmSample {
  double angle, rate;             // theta [rad], [rad/s]
  double length, length_rate;     // l [m], [m/s]
  double piston, piston_rate;     // p [m], [m/s]
  double force;                   // f [N]
  double pressure_h, pressure_r;  // [Pa]
  double flow_p, flow_a;          // [m3/s] from the pump, regeneration
  double work, load_work;         // [J] integrals of f l_d and of f_ey's power
};
struct ArmsSample {
  double t = 0;         // [s]; at a jump: before it
  double pressure = 0;  // P [Pa]
  std::vector<ArmSample> arms;
};

/// Samples at 0, output_step, ... up to `end`. `tolerance` scales all error bounds.
std::vector<ArmsSample> arm_reference(const ArmCase& c, double end, double output_step = 20e-3, double tolerance = 1);

/// Rule that moves an arm over a step.
enum class ArmRule { semi_implicit_euler, rk4 };

/// The simulation procedure of section 4.3 with steps of h [s]. At the beginning of each:
///   1. l at the angle that the last step led to
///   2. v = Lambda(B + h K, K (p - l) - B (l - l_last) / h),  p <- p + h v,  f = K (p - l) + B (v - (l - l_last) / h)         (72)
///   3. theta and omega over the step by (79) with this f, constant, and f_ey
/// The rule of 3. is not given in the paper. Samples at 0, h, ... up to `end`: theta and omega before 3., p and f after 2.; work is not
/// computed. At a jump commands are those after it, or (`late`) before it.
std::vector<ArmsSample> arm_procedure(const ArmCase& c, double end, double h, ArmRule rule, bool late);

/// (J + M L_g^2) omega^2 / 2 and M g L_g sin(theta) [J].
double arm_energy(const ArmSample& sample);

/// The force at which the rod side's relief valve opens, -F_rM [N].
inline constexpr double kRodRelief = -0.012 * 40e6;

}  // namespace trunnion::problems
