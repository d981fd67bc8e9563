// Reference of the quasistatic actuators: the original relations solved by nested bracketing in extended precision, independent of the
// library and of all closed forms (Kikuuwe and others, nonsmooth quasistatic model of hydraulic actuators: (39), (91)-(93), (108), (114)).
//
//   orifice           Q = c R(dp), R(x) = sign(x) sqrt|x|, c = C a sqrt(2/rho) u              (39h)-(39l)
//   chamber           Q_in - Q_out - A sdot in N_[0, P_M](P): relief at P_M, suction at 0     (39n), (39o)
//   pump check        Q_p >= 0, P_c >= P, Q_p (P_c - P) = 0                                   (39m)
//   pump              Q - U_b R(P) - sum Q_p in N_(-inf, P_M](P)                              (39l), (114)
//   regeneration      Q_a = c_a max(R(P_r - P_h), 0), rod side to head side                   (91)
//   force             f = A_h P_h - A_r P_r                                                   (39r)
//
// Elimination, node by node. The chamber that the pump may feed is `supplied` (head in U+, rod in U-), the other `drained`; w is the
// piston's speed towards the drained one.
//   P_c       at most one feeding valve is open: Q_p > 0 implies P_c = P, otherwise P_c = P_supplied >= P; so Q_p = c R(max(P - P_s, 0)).
//   drained   given P_s, D(P_d) = A_d w - c_out R(P_d) - Q_a(P_d - P_s) decreases: the P_d with D in N_[0, P_M](P_d).
//   pump      given P_s, Q - U_b R(P) - c R(max(P - P_s, 0)) decreases in P: the P with this in N_(-inf, P_M](P).
//   supplied  G(P_s) = Q_p + Q_a - A_s w with both inserted decreases (eliminating a node keeps a network monotone).
//   speed     given, or (for Lambda) w = (f - fbar)/beta up to its sign with f from the two pressures: monotone as well, and strictly.
//   group     given P, every actuator separately; Q - U_b R(P) - sum Q_p,j(P) decreases: one more bracketing, the outermost.
// Unknowns are the roots of pressure drops where a flow is required, so that small flows keep their digits.
//
// Set-valued points. The network is maximal monotone, so Gamma(v) = [Gamma(v + 0), Gamma(v - 0)], for any cause of set values (closed
// valves, a closed bleed at A v = Q, regeneration without return, ...). Gamma is evaluated slightly to the right and to the left:
// at v (1 +- slack), or at +-1e-22 m/s for v = 0, where only the sign matters. [lower, upper] then contains every possible force of an
// evaluation with a relative error of `slack` in v; away from jumps its width is slack v Gamma'(v).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace trunnion::problems {

/// Areas, relief pressures and the conductances c u [m3/(s Pa^0.5)] of the valves: pump to head, rod to tank, pump to rod, head to
/// tank, regeneration. ph, tr or pr, th may be open, not both pairs; a only with the former. Otherwise std::invalid_argument.
struct ActuatorReference {
  double A_h = 0, A_r = 0;    // [m2]
  double P_hM = 0, P_rM = 0;  // [Pa]
  double ph = 0, tr = 0, pr = 0, th = 0, a = 0;

  double force_scale() const { return A_h * P_hM + A_r * P_rM; }  // [N] F_hM + F_rM
};

struct PumpReference {
  double Q = 0;      // [m3/s]
  double P_M = 0;    // [Pa]
  double bleed = 0;  // U_b [m3/(s Pa^0.5)]
};

/// C a sqrt(2/rho) of the paper's valves [m3/(s Pa^0.5)].
double paper_conductance();
/// The paper's actuator with openings from the command u_c (67) and the regeneration valve's opening; its pump with the bleed's opening.
ActuatorReference paper_actuator(double command, double regeneration = 0);
PumpReference paper_pump(double bleed);

/// One solution. Given v, flows and pressures need not be unique; the force is, except at jumps.
struct QuasistaticState {
  double v;    // [m/s]
  double f;    // [N]
  double P;    // [Pa] of the pump
  double P_h;  // [Pa]
  double P_r;  // [Pa]
  double Q_p;  // [m3/s] from the pump into this actuator
  double Q_a;  // [m3/s] through the regeneration valve
};

struct Interval {
  double lower, upper;
};

struct GammaReference {
  double lower, upper;                  // [N]
  QuasistaticState at_lower, at_upper;  // solutions right and left of v
};

/// Relative uncertainty of v (or Q): several roundings of a double.
inline constexpr double kRoundingSlack = 4e-15;

/// Gamma(v) and Gamma_reg(v) of one actuator on a pump.
GammaReference reference_gamma(const ActuatorReference&, const PumpReference&, double v, double slack = kRoundingSlack);

/// Gamma-hat(P, v): the pump's node fixed at P.
GammaReference reference_gamma_at_pressure(const ActuatorReference&, double P, double v, double slack = kRoundingSlack);

/// P of (114) for given velocities; an interval where it is not unique (closed bleed, sum of A v = Q), and for Q (1 +- slack) elsewhere.
/// With P in it, Gamma_mul is reference_gamma_at_pressure of each actuator at that P.
Interval reference_pressure(const std::vector<ActuatorReference>&, const PumpReference&, const std::vector<double>& v,
                            double slack = kRoundingSlack);

/// Lambda(beta, fbar): the unique solution of beta v + fbar in Gamma(v), beta > 0.
QuasistaticState reference_lambda(const ActuatorReference&, const PumpReference&, double beta, double fbar);

/// Lambda_mul: the same for several actuators on one pump; all states have the same P.
std::vector<QuasistaticState> reference_lambda(const std::vector<ActuatorReference>&, const PumpReference&, const std::vector<double>& beta,
                                               const std::vector<double>& fbar);

/// Actuators on a pump, a velocity and a relaxed force for each. Around the paper's values, log-uniform; often with closed valves or a
/// closed bleed, A_h = A_r or A_h < A_r, pump relief above and below the chambers' reliefs, v = 0, tiny |v| and A v = Q.
struct QuasistaticCase {
  std::vector<ActuatorReference> actuators;  // 1 to 3
  PumpReference pump;
  std::vector<double> v, beta, fbar;  // [m/s], [N s/m], [N]
};

/// Same seed, same case.
QuasistaticCase random_case(unsigned seed);

}  // namespace trunnion::problems
