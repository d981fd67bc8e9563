// Quasistatic circuits in the netlist.
// SPDX-License-Identifier: BSD-3-Clause
#include "hydraulics/quasistatic/quasistatic_circuit.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "hydraulics/circuit.h"

namespace trunnion {

namespace {

template <class S>
S opening_at(const CommandedOpening& opening, const S* spool) {
  return opening.spool < 0 ? S(1) : opening.curve(spool[opening.spool]);
}

void store(double value, double& out, double&) { out = value; }
void store(const Dual<1>& value, double& out, double& rate) {
  out = value.value;
  rate = value.d[0];
}

}  // namespace

QuasistaticWork::QuasistaticWork(const QuasistaticCircuit& circuit)
    : openings(circuit.ports.size()),
      beta(circuit.ports.size()),
      fbar(circuit.ports.size()),
      solution(circuit.metering.size()),
      flows(circuit.ports.size()),
      opening_changes(circuit.ports.size()),
      fbar_change(circuit.ports.size()),
      flow_changes(circuit.ports.size()) {}

template <class S>
void read_command(const QuasistaticCircuit& circuit, const S& flow, const S* spool, QuasistaticWork& work) {
  constexpr double kNegligible = 1e-9;  // of the flow of an open valve at the pump's relief pressure
  store(flow, work.flow, work.flow_change);
  if (work.flow < 0) {
    const MeteringActuator& a = circuit.metering.actuator(0);
    if (-work.flow <= kNegligible * std::max(a.c_ph, a.c_pr) * std::sqrt(circuit.metering.pump().relief)) work.flow = 0;
  }
  S resistance(0);  // sections in series: 1/u^2 = sum 1/u_j^2
  bool shut = false;
  for (std::size_t j = 0; j < circuit.ports.size(); ++j) {
    const QuasistaticPort& port = circuit.ports[j];
    MeteringOpenings &u = work.openings[j], &rate = work.opening_changes[j];
    store(opening_at(port.ph, spool), u.ph, rate.ph);
    store(opening_at(port.tr, spool), u.tr, rate.tr);
    store(opening_at(port.pr, spool), u.pr, rate.pr);
    store(opening_at(port.th, spool), u.th, rate.th);
    if (port.regenerates) store(opening_at(port.a, spool), u.a, rate.a);
    if (circuit.open_centre.points.empty()) continue;
    const S section = circuit.open_centre(abs(spool[port.lever]));
    shut = shut || !(section > 0);
    if (!shut) resistance += 1 / (section * section);
  }
  const S bleed = circuit.open_centre.points.empty() ? opening_at(circuit.bleed, spool) : shut ? S(0) : S(1 / sqrt(resistance));
  store(bleed, work.bleed, work.bleed_change);
}

namespace {

constexpr int kCommandsPerPort = 6;

}  // namespace

int commands_of(const QuasistaticCircuit& circuit) { return kCommandsPerPort * static_cast<int>(circuit.ports.size()) + 1; }

int command_of(const QuasistaticCircuit& circuit, int number) {
  if (number == kCommandsPerPort * static_cast<int>(circuit.ports.size())) return circuit.bleed.spool;
  const QuasistaticPort& port = circuit.ports[static_cast<std::size_t>(number / kCommandsPerPort)];
  const int spools[kCommandsPerPort] = {port.lever, port.ph.spool, port.tr.spool, port.pr.spool, port.th.spool, port.a.spool};
  const int spool = spools[number % kCommandsPerPort];
  return number % kCommandsPerPort > 0 && spool == port.lever ? -1 : spool;
}

void admit_command(QuasistaticWork& work) {
  if (work.flow < 0) work.flow = work.flow_change = 0;
  for (std::size_t j = 0; j < work.openings.size(); ++j) {
    MeteringOpenings &u = work.openings[j], &rate = work.opening_changes[j];
    struct Valve {
      double &opening, &change;
    };
    const Valve ph{u.ph, rate.ph}, tr{u.tr, rate.tr}, pr{u.pr, rate.pr}, th{u.th, rate.th}, a{u.a, rate.a};
    for (const auto& [x, y] : {std::pair{ph, th}, {tr, pr}, {ph, pr}, {pr, a}, {th, a}}) {
      const Valve& narrower = x.opening < y.opening ? x : y;
      if (x.opening > 0 && y.opening > 0) narrower.opening = narrower.change = 0;
    }
  }
}

template <class S>
void solve_rates(const QuasistaticCircuit& circuit, const S* s, const S* s_dot, const S* y, QuasistaticWork& work, S* v, S* f) {
  const std::size_t n = circuit.ports.size();
  for (std::size_t j = 0; j < n; ++j) {
    const QuasistaticPort& port = circuit.ports[j];
    f[j] = port.element.fbar(y[port.state], s[port.actuator], s_dot[port.actuator]);
    store(f[j], work.fbar[j], work.fbar_change[j]);
    work.beta[j] = port.element.damping;
  }
  circuit.metering.solve(work.command(), work.beta, work.fbar, work.solution);
  if constexpr (!std::is_same_v<S, double>) {
    recover_flows(circuit, work);
    change_flows(circuit.metering, work.command(), work.command_change(), work.beta, work.fbar_change, work.flows, work.pump,
                 work.flow_changes, work.pump_change);
  }
  for (std::size_t j = 0; j < n; ++j) {
    v[j] = work.solution.v[j];
    if constexpr (!std::is_same_v<S, double>) v[j].d[0] = work.flow_changes[j].v;
    f[j] += work.beta[j] * v[j];
  }
}

void set_discrete_states(const QuasistaticCircuit& circuit, const QuasistaticWork& work, const double* s, double* y) {
  for (std::size_t j = 0; j < circuit.ports.size() && circuit.discrete; ++j) {
    double* at = y + circuit.ports[j].state;
    at[kLastLength] = s[circuit.ports[j].actuator];
    at[kPistonRate] = work.solution.v[j];
    at[kElementForce] = work.solution.f[j];
  }
}

void recover_flows(const QuasistaticCircuit& circuit, QuasistaticWork& work) {
  circuit.metering.recover(work.command(), work.beta, work.fbar, work.solution, work.flows, work.pump);
}

template void read_command<double>(const QuasistaticCircuit&, const double&, const double*, QuasistaticWork&);
template void read_command<Dual<1>>(const QuasistaticCircuit&, const Dual<1>&, const Dual<1>*, QuasistaticWork&);
template void solve_rates<double>(const QuasistaticCircuit&, const double*, const double*, const double*, QuasistaticWork&, double*,
                                  double*);
template void solve_rates<Dual<1>>(const QuasistaticCircuit&, const Dual<1>*, const Dual<1>*, const Dual<1>*, QuasistaticWork&, Dual<1>*,
                                   Dual<1>*);

void solve_step(const QuasistaticCircuit& circuit, const double* s, const double* s_dot, const RateRelation& rule, double* y, double* ydot,
                QuasistaticWork& work) {
  const double h = rule.step, c = rule.factor;
  const auto predicted = [&](const QuasistaticPort& port) { return rule.y_begin[port.state] + rule.offset[port.state] / c; };
  for (std::size_t j = 0; j < circuit.ports.size(); ++j) {
    const QuasistaticPort& port = circuit.ports[j];
    const VirtualElement& e = port.element;
    const double *old = rule.y_begin + port.state, l = s[port.actuator];
    const LoadLine line = circuit.discrete ? e.implicit_load_line(old[0], old[kLastLength], l, h)
                                           : LoadLine{e.damping + e.stiffness / c, e.fbar(predicted(port), l, s_dot[port.actuator])};
    work.beta[j] = line.beta;
    work.fbar[j] = line.fbar;
  }
  circuit.metering.solve(work.command(), work.beta, work.fbar, work.solution);
  for (std::size_t j = 0; j < circuit.ports.size(); ++j) {
    const QuasistaticPort& port = circuit.ports[j];
    double *at = y + port.state, *rate = ydot + port.state;
    const double v = work.solution.v[j];
    if (circuit.discrete) {
      at[0] = rule.y_begin[port.state] + h * v;
      for (int k = 0; k < kDiscreteStates; ++k) rate[k] = 0;
    } else {
      at[0] = predicted(port) + v / c;
      rate[0] = v;
    }
  }
  set_discrete_states(circuit, work, s, y);
}

}  // namespace trunnion
