// Step limit of explicit rules for the oil. Decay rates mu of pressures and friction states, from T = dR/dy and the capacities C,
//   mu >= eigenvalues of the symmetric pairs  [T_ii/C_i, T_ij/sqrt(C_i C_j); ., T_jj/C_j]
// and of the states of every control block, mu >= -trace(df/dx)/n,
// so that h mu beyond the stability bound of the rule (euler 2, rk4 2.785) guarantees instability. It may go unnoticed without this test:
// an orifice is stiff only below its laminar limit, and pressures chatter about that limit instead of growing.
// Source: Hairer, Wanner 1996, Solving Ordinary Differential Equations II, IV.2 (stability functions of Runge-Kutta methods).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "description/description.h"
#include "hydraulics/circuit.h"

namespace trunnion {

class ExplicitLimit {
 public:
  static constexpr double kEuler = 2, kRungeKutta = 2.785;  // bounds of h mu on the negative real axis

  /// `implicit_quasistatic`: pistons of quasistatic circuits are solved for implicitly and set no limit.
  ExplicitLimit(const Hydraulics& netlist, bool implicit_quasistatic);

  struct Step {
    double longest;  // [s] stable; infinity: any
    int state;       // in y, the one that sets it; -1: none
  };
  /// At lengths s, rates s_dot of the ports and first-order states y; `state`: scratch, with inputs set. No allocation.
  Step longest_step(IntegratorKind integrator, const double* s, const double* s_dot, const double* y, HydraulicState& state);

 private:
  const Hydraulics& netlist_;
  std::vector<double> capacity_;  // per circuit unknown [m3/Pa]; 1 for friction states
};

}  // namespace trunnion
