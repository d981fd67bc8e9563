// First-order changes of quasistatic actuators.
// SPDX-License-Identifier: BSD-3-Clause
#include "hydraulics/quasistatic/metering_change.h"

namespace trunnion {

namespace {

/// dQ = own + slope d(dp) of a valve.
struct ValveChange {
  double own = 0, slope = 0;  // [m3/s], [m3/(s Pa)]
};
ValveChange valve_change(double Q, double drop, double u, double du) {
  if (!(Q > 0 && drop > 0 && u > 0)) return {};
  return {Q / u * du, Q / (2 * drop)};
}

/// A quantity a + b dP.
struct InPressure {
  double at_rest = 0, slope = 0;
  double operator()(double dP) const { return at_rest + slope * dP; }
};

/// An actuator's valves, and the pressures of its chambers as functions of the pump's.
struct ActuatorChange {
  ValveChange ph, pr, th, tr, a;
  InPressure P_h, P_r;
};

ActuatorChange actuator_change(const MeteringActuator& actuator, const MeteringOpenings& u, const MeteringOpenings& du, double beta,
                               double dfbar, const MeteringFlows& at, double P) {
  ActuatorChange c;
  c.ph = valve_change(at.Q_ph, P - at.P_h, u.ph, du.ph);
  c.pr = valve_change(at.Q_pr, P - at.P_r, u.pr, du.pr);
  c.th = valve_change(at.Q_th, at.P_h, u.th, du.th);
  c.tr = valve_change(at.Q_tr, at.P_r, u.tr, du.tr);
  c.a = valve_change(at.Q_a, at.P_r - at.P_h, u.a, du.a);
  const double A_h = actuator.area_h, A_r = actuator.area_r;
  if (at.segment == MeteringSegment::hold) {  // no motion: the pressurised chamber carries the load
    (at.P_r == 0 ? c.P_h : c.P_r).at_rest = at.P_r == 0 ? dfbar / A_h : -dfbar / A_r;
    return c;
  }
  // M (dP_h, dP_r) = own + along dP
  double M[2][2] = {{A_h * A_h / beta + c.ph.slope + c.th.slope + c.a.slope, -A_h * A_r / beta - c.a.slope},
                    {-A_h * A_r / beta - c.a.slope, A_r * A_r / beta + c.pr.slope + c.tr.slope + c.a.slope}};
  double own[2] = {A_h * dfbar / beta + c.ph.own - c.th.own + c.a.own, -A_r * dfbar / beta + c.pr.own - c.tr.own - c.a.own},
         along[2] = {c.ph.slope, c.pr.slope};
  const bool kept[2] = {at.head_relief || at.head_suction, at.rod_relief || at.rod_suction};
  for (int i = 0; i < 2; ++i)
    if (kept[i]) {
      M[i][0] = M[i][1] = own[i] = along[i] = 0;
      M[i][i] = 1;
    }
  const double determinant = M[0][0] * M[1][1] - M[0][1] * M[1][0];
  const auto solve = [&](const double* b, double& x, double& y) {
    x = (b[0] * M[1][1] - b[1] * M[0][1]) / determinant;
    y = (b[1] * M[0][0] - b[0] * M[1][0]) / determinant;
  };
  solve(own, c.P_h.at_rest, c.P_r.at_rest);
  solve(along, c.P_h.slope, c.P_r.slope);
  return c;
}

/// Of the flow that an actuator draws from the pump.
InPressure intake(const ActuatorChange& c) {
  const auto through = [](const ValveChange& valve, const InPressure& chamber) {
    return InPressure{valve.own - valve.slope * chamber.at_rest, valve.slope * (1 - chamber.slope)};
  };
  const InPressure ph = through(c.ph, c.P_h), pr = through(c.pr, c.P_r);
  return {ph.at_rest + pr.at_rest, ph.slope + pr.slope};
}

}  // namespace

void change_flows(const MeteringCircuit& circuit, const MeteringCommand& command, const MeteringCommand& command_change,
                  std::span<const double> beta, std::span<const double> fbar_change, std::span<const MeteringFlows> flows,
                  const PumpFlows& pump, std::span<MeteringFlows> flow_changes, PumpFlows& pump_change) {
  const auto change_of = [&](int j) {
    return actuator_change(circuit.actuator(j), command.openings[j], command_change.openings[j], beta[j], fbar_change[j], flows[j], pump.P);
  };
  const ValveChange bleed = valve_change(pump.Q_bleed, pump.P, command.bleed, command_change.bleed);
  InPressure taken{bleed.own, bleed.slope};
  for (int j = 0; j < circuit.size(); ++j) {
    const InPressure q = intake(change_of(j));
    taken.at_rest += q.at_rest;
    taken.slope += q.slope;
  }
  const bool free = !pump.relief_open && taken.slope > 0;
  const double dP = free ? (command_change.flow - taken.at_rest) / taken.slope : 0;

  pump_change = {};
  pump_change.P = dP;
  pump_change.Q = command_change.flow;
  pump_change.Q_bleed = bleed.own + bleed.slope * dP;
  for (int j = 0; j < circuit.size(); ++j) {
    const MeteringActuator& actuator = circuit.actuator(j);
    const MeteringFlows& at = flows[j];
    const ActuatorChange c = change_of(j);
    MeteringFlows d;
    d.P_h = c.P_h(dP);
    d.P_r = c.P_r(dP);
    d.f = actuator.area_h * d.P_h - actuator.area_r * d.P_r;
    d.v = at.segment == MeteringSegment::hold ? 0 : (d.f - fbar_change[j]) / beta[j];
    d.P_c = at.Q_p > 0 || at.P_c == pump.P ? dP : at.P_c == at.P_h ? d.P_h : d.P_r;
    d.Q_ph = c.ph.own + c.ph.slope * (dP - d.P_h);
    d.Q_pr = c.pr.own + c.pr.slope * (dP - d.P_r);
    d.Q_th = c.th.own + c.th.slope * d.P_h;
    d.Q_tr = c.tr.own + c.tr.slope * d.P_r;
    d.Q_a = c.a.own + c.a.slope * (d.P_r - d.P_h);
    d.Q_p = d.Q_ph + d.Q_pr;
    d.Q_h = actuator.area_h * d.v;
    d.Q_r = -actuator.area_r * d.v;
    d.Q_hn = d.Q_ph - d.Q_th;
    d.Q_rn = d.Q_pr - d.Q_tr;
    d.Q_t = d.Q_th + d.Q_tr;
    d.Q_ho = d.Q_hn + d.Q_a - d.Q_h;
    d.Q_ro = d.Q_rn - d.Q_a - d.Q_r;
    pump_change.Q_p += d.Q_p;
    flow_changes[j] = d;
  }
  pump_change.Q_relief = pump_change.Q - pump_change.Q_p - pump_change.Q_bleed;
}

}  // namespace trunnion
