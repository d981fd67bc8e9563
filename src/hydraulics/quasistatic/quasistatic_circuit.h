// A quasistatic circuit in a netlist: actuators with independent metering on one pump (metering_circuit.h), each behind a virtual
// viscoelastic element (virtual_element.h) at a port of the mechanism. Its entries in the machine's state y, per actuator:
//   differential   p                  p_dot = Lambda(B, K (p - l) - B l_dot)                     (70): any integrator
//   discrete       p, l, p_dot, f     of the end of the last step, where (72) changes them       (72): fixed steps only
// An implicit step solves p at its end exactly for given l and l_dot there. With the rule p_dot = c p - const (c = 2/h: trapezoidal)
//   p = p_pred + v/c,   v = Lambda(B + K/c, K (p_pred - l) - B l_dot)
// which is (72) for c = 1/h and the rate of l in place of its difference quotient. f never increases with l or l_dot.
// Source: paper "nonsmooth quasistatic hydraulics", sections 4.1 and 6.2.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "hydraulics/orifice.h"
#include "hydraulics/quasistatic/metering_change.h"
#include "hydraulics/quasistatic/virtual_element.h"
#include "signals/signal.h"

namespace trunnion {

struct RateRelation;

/// Opening of a valve over a spool's command.
struct CommandedOpening {
  int spool = -1;  // -1: fully open
  OpeningCurve curve;
};

/// One actuator of a circuit at its port.
struct QuasistaticPort {
  int actuator = 0;  // index of the port
  VirtualElement element;
  CommandedOpening ph, tr, pr, th, a;
  bool regenerates = false;
  int lever = -1;  // spool of its command
  int state = 0;   // index in y of p and the states after it
  int local = 0;   // index of p in the block of its netlist circuit
};
/// States that follow p in y in the discrete form.
enum DiscreteState { kLastLength = 1, kPistonRate, kElementForce, kDiscreteStates };

struct QuasistaticCircuit {
  std::string name;
  MeteringCircuit metering;
  SignalIndex flow = -1;  // of the pump [m3/s]
  CommandedOpening bleed;
  OpeningCurve open_centre;  // of a section of the bleed valve over |lever|; no points: none
  bool discrete = false;
  int tank = 0;  // node
  std::vector<QuasistaticPort> ports;
};

/// Results of an evaluation of a circuit; sized once.
struct QuasistaticWork {
  explicit QuasistaticWork(const QuasistaticCircuit& circuit);

  double flow = 0, bleed = 0;              // [m3/s], [-]
  std::vector<MeteringOpenings> openings;  // per actuator
  std::vector<double> beta, fbar;          // load lines, [N s/m], [N]
  MeteringSolution solution;
  MeteringCommand command() const { return {flow, bleed, openings}; }

  // every pressure and flow, and with a scalar that has derivatives: those of command and fbar, and of all flows
  std::vector<MeteringFlows> flows;
  PumpFlows pump;
  double flow_change = 0, bleed_change = 0;
  std::vector<MeteringOpenings> opening_changes;
  std::vector<double> fbar_change;
  std::vector<MeteringFlows> flow_changes;
  PumpFlows pump_change;
  MeteringCommand command_change() const { return {flow_change, bleed_change, opening_changes}; }
};

/// Count of a circuit's commands, and the spool of one by its number, each spool once; -1: no command.
int commands_of(const QuasistaticCircuit& circuit);
int command_of(const QuasistaticCircuit& circuit, int number);

/// Openings by spools and the pump's flow [m3/s], with their derivatives where the scalar has one. A flow that is negative by rounding,
/// as of a control block at its limit 0, is 0.
template <class S>
void read_command(const QuasistaticCircuit& circuit, const S& flow, const S* spool, QuasistaticWork& work);

/// Replaces a command that no state of the circuit allows by the nearest simple one, where the iterations of a step pass through it: a
/// negative flow by none; of two valves that cannot be open together the wider one stays.
void admit_command(QuasistaticWork& work);

/// Solves (70) at lengths s, rates sdot (per port of the machine) and states y: v [m/s] and f [N] per actuator. After read_command(). With
/// derivatives all pressures and flows are computed.
template <class S>
void solve_rates(const QuasistaticCircuit& circuit, const S* s, const S* s_dot, const S* y, QuasistaticWork& work, S* v, S* f);

/// Every pressure and flow at the last solution.
void recover_flows(const QuasistaticCircuit& circuit, QuasistaticWork& work);

/// Discrete states at p in y as left by a step that ends at rest there or continues uniformly: after solve_rates() of the same circuit
/// in equations.
void set_discrete_states(const QuasistaticCircuit& circuit, const QuasistaticWork& work, const double* s, double* y);

/// Solves the end of a step by its rule and writes y and ydot there. rule.factor > 0.
void solve_step(const QuasistaticCircuit& circuit, const double* s, const double* s_dot, const RateRelation& rule, double* y, double* ydot,
                QuasistaticWork& work);

}  // namespace trunnion
