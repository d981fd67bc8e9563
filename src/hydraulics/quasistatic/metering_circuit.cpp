// Solution of actuators with independent metering on one pump.
// SPDX-License-Identifier: BSD-3-Clause
#include "hydraulics/quasistatic/metering_circuit.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/diagnostic.h"
#include "hydraulics/quasistatic/bracketed_root.h"

namespace trunnion {

namespace {

/// Flow [share of Q] that is indistinguishable from zero.
constexpr double kFlowRounding = 8 * std::numeric_limits<double>::epsilon();

TR_INLINE double square(double x) { return x * x; }

/// The pump's excess flow over bleed valve and actuators at P, (114b), with its derivative; leaves the actuators' states at P.
struct Excess {
  double value = 0, slope = 0;  // [m3/s], [m3/(s Pa)]
};
Excess excess_at(double P, const PumpSupply& supply, std::span<const LoadCurve> curves, std::span<StrokeState> states) {
  const double root = sqrt(P);
  Excess e{supply.flow - supply.bleed * root, supply.bleed > 0 ? -supply.bleed / (2 * root) : 0};
  for (std::size_t j = 0; j < curves.size(); ++j) {
    states[j] = curves[j].at(P, states[j]);
    e.value -= states[j].q;
    e.slope -= states[j].q_P;
  }
  return e;
}

/// Row of table 1.
MeteringSegment segment_of(const Stroke& stroke, const StrokeState& s, bool pump_relieves) {
  using enum MeteringSegment;
  const bool extends = stroke.sign > 0;
  if (s.w == 0) return hold;
  if (s.w < 0) return extends ? hM : rM;
  const bool b = s.outlet == StrokeState::Outlet::relieving;
  switch (s.inlet) {
    case StrokeState::Inlet::sucking:
      return b ? (extends ? rM : hM) : extends ? p3 : m3;
    case StrokeState::Inlet::relieving:
      return extends ? (b ? p0b : p0a) : b ? m0b : m0a;
    default:
      if (pump_relieves) return extends ? (b ? p2b : p2a) : b ? m2b : m2a;
      return extends ? (b ? p1b : p1a) : b ? m1b : m1a;
  }
}

/// Pressures and flows of a state: metering valves carry the flows of the chambers, saturated chambers those of their pressures.
MeteringFlows flows_of(const Stroke& stroke, const StrokeState& s, const MeteringActuator& actuator, double P, bool pump_relieves) {
  const double A_in = stroke.area_in, A_out = stroke.area_out, y = s.w - s.v_a;
  const double P_in = s.F / A_in, P_out = s.F_out / A_out;
  double relief_in = 0, Q_out = 0, relief_out = 0;  // suction is negative relief
  if (s.inlet == StrokeState::Inlet::relieving) relief_in = max(0, s.q - A_in * s.x);
  if (s.inlet == StrokeState::Inlet::sucking) relief_in = min(0, s.q - A_in * s.x);
  if (s.outlet == StrokeState::Outlet::metering) Q_out = A_out * y;
  if (s.outlet == StrokeState::Outlet::sucking) relief_out = A_out * y;
  if (s.outlet == StrokeState::Outlet::relieving) {
    Q_out = A_out * stroke.h_out * sqrt(s.F_out);
    relief_out = max(0, A_out * y - Q_out);
  }

  MeteringFlows q;
  q.v = stroke.sign * s.w + 0.0;  // no negative zero
  q.f = stroke.sign * (s.F - s.F_out);
  q.P_c = stroke.h_in > 0 ? max(P, P_in) : P;
  const bool extends = stroke.sign > 0;
  (extends ? q.P_h : q.P_r) = P_in;
  (extends ? q.P_r : q.P_h) = P_out;
  (extends ? q.Q_ph : q.Q_pr) = s.q;
  (extends ? q.Q_tr : q.Q_th) = Q_out;
  (extends ? q.Q_ho : q.Q_ro) = relief_in;
  (extends ? q.Q_ro : q.Q_ho) = relief_out;
  q.Q_a = actuator.area_r * s.v_a;
  q.Q_p = s.q;
  q.Q_h = actuator.area_h * q.v;
  q.Q_r = -actuator.area_r * q.v;
  q.Q_hn = q.Q_ph - q.Q_th;
  q.Q_rn = q.Q_pr - q.Q_tr;
  q.Q_t = q.Q_th + q.Q_tr;
  q.head_relief = q.Q_ho > 0;
  q.head_suction = q.Q_ho < 0;
  q.rod_relief = q.Q_ro > 0;
  q.rod_suction = q.Q_ro < 0;
  q.pump_check = q.Q_p > 0;
  q.segment = segment_of(stroke, s, pump_relieves);
  return q;
}

/// Gamma(0): all forces possible at rest while the inlet's check valve sees P.
Interval forces_at_rest(const Stroke& s, const MeteringOpenings& u, double P) {
  if (u.th > 0 && u.tr > 0) return Interval(0);  // float
  const double k = s.area_out / s.area_in, least = s.h_in > 0 ? min(s.F_in_max, s.area_in * P) : 0;
  // a closed outlet holds up to its relief valve, unless it drains through the regeneration valve
  const auto lower = [&](double F) { return F - (s.h_out > 0 ? 0 : s.h_a > 0 ? min(s.F_out_max, k * F) : s.F_out_max); };
  return {min(lower(least), lower(project(least, s.F_in_max, s.F_out_max / k))), s.F_in_max};
}

}  // namespace

MeteringSolution::MeteringSolution(int actuators)
    : v(actuators),
      f(actuators),
      v_fbar(static_cast<std::size_t>(actuators) * actuators),
      curve_(actuators),
      state_(actuators),
      breakpoint_(static_cast<std::size_t>(actuators) * (LoadCurve::kMostPieces + 1) + 1) {}

MeteringCircuit::MeteringCircuit(std::vector<MeteringActuator> actuators, const MeteringPump& pump)
    : actuators_(std::move(actuators)), pump_(pump) {
  if (actuators_.empty()) throw Error("a metering circuit needs an actuator");
  for (std::size_t j = 0; j < actuators_.size(); ++j) {
    if (const std::string fault = fault_of(actuators_[j]); !fault.empty()) throw Error(fmt::format("actuator {}: {}", j + 1, fault));
    constants_.emplace_back(actuators_[j]);
  }
  if (const std::string fault = fault_of(pump_); !fault.empty()) throw Error("pump: " + fault);
}

PumpSupply MeteringCircuit::supply(const MeteringCommand& command) const {
  if (!(command.flow >= 0 && command.flow < kInfinity))
    throw Error(fmt::format("flow of the pump is {:g} m3/s, must be zero or positive", command.flow));
  if (!(command.bleed >= 0 && command.bleed <= 1))
    throw Error(fmt::format("opening of the bleed valve is {:g}, must be between 0 and 1", command.bleed));
  return {command.flow, pump_.c_bleed * command.bleed, pump_.relief};
}

/// The direction in which the pump may feed; both valves to the tank open (float): the direction of motion.
Stroke MeteringCircuit::stroke(int j, const MeteringOpenings& u, bool extends) const {
  if (!admissible(u)) throw Error(fmt::format("openings of actuator {}: {}", j + 1, fault_of(u)));
  const RegularisedOpenings h = constants_[j].regularise(u);
  const bool retraction = u.th > 0 && u.tr > 0 ? !extends : u.th > 0 || u.pr > 0;
  return retraction ? constants_[j].retraction(h) : constants_[j].extension(h);
}

bool MeteringCircuit::is_single(const MeteringCommand& command) const {
  return size() == 1 && (command.openings[0].a == 0 || actuators_[0].c_a == 0);
}

void MeteringCircuit::build(const MeteringCommand& command, std::span<const double> v, MeteringSolution& s) const {
  for (int j = 0; j < size(); ++j) {
    const Stroke along = stroke(j, command.openings[j], v[j] >= 0);
    s.curve_[j].build(along, along.sign * v[j], 0);
    s.state_[j] = {};
  }
}

void MeteringCircuit::build(const MeteringCommand& command, std::span<const double> beta, std::span<const double> fbar,
                            MeteringSolution& s) const {
  for (int j = 0; j < size(); ++j) {
    const Stroke along = stroke(j, command.openings[j], fbar[j] <= 0);
    s.curve_[j].build(along, -along.sign * fbar[j] / beta[j], 1 / beta[j]);
    s.state_[j] = {};
  }
}

/// All P of (114), (123), unique unless the flow of the pump is used up over a range of P; leaves the actuators' states at the lowest.
Interval MeteringCircuit::find_pressure(const PumpSupply& supply, MeteringSolution& s) const {
  const double none = kFlowRounding * supply.flow;
  const auto excess = [&](double P) { return excess_at(P, supply, s.curve_, s.state_); };
  const double at_relief = excess(supply.relief).value;
  if (at_relief > none) return supply.relief;
  if (supply.flow == 0) {  // zero excess holds over a range of P where valves are closed: the lowest
    excess(0);
    return Interval(0);
  }
  int count = 0;
  for (const LoadCurve& curve : s.curve_)
    for (int i = 0; i < curve.breakpoints() && curve.breakpoint(i) < supply.relief; ++i) s.breakpoint_[count++] = curve.breakpoint(i);
  std::sort(s.breakpoint_.begin(), s.breakpoint_.begin() + count);
  s.breakpoint_[count] = supply.relief;

  // the first breakpoint without excess
  int low = -1, high = count;
  double at_low = supply.flow, at_high = at_relief;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    const double value = excess(s.breakpoint_[middle]).value;
    (value > none ? low : high) = middle;
    (value > none ? at_low : at_high) = value;
  }
  Interval P = s.breakpoint_[high];
  if (at_high < -none) {
    // as functions of the root of P most flows are linear
    const double lower = low < 0 ? 0 : sqrt(s.breakpoint_[low]), upper = sqrt(P.upper);
    const auto deficit = [&](double root, double& slope) {
      const Excess e = excess(root * root);
      slope = -2 * root * e.slope;
      return -e.value;
    };
    const double start = lower + (upper - lower) * at_low / (at_low - at_high);
    return square(bracketed_root(lower, upper, start, none, deficit));
  }
  for (int next = high + 1; next <= count && abs(excess(s.breakpoint_[next]).value) <= none; ++next) P.upper = s.breakpoint_[next];
  excess(P.lower);
  return P;
}

void MeteringCircuit::solve(const MeteringCommand& command, std::span<const double> beta, std::span<const double> fbar,
                            MeteringSolution& s) const {
  const PumpSupply pump = supply(command);
  if (is_single(command)) {
    const MeteringOpenings& u = command.openings[0];
    if (!admissible(u)) throw Error("openings of actuator 1: " + fault_of(u));
    const LoadPoint point = point_on_load_line(constants_[0], constants_[0].regularise(u), pump, beta[0], fbar[0]);
    s.v[0] = point.v;
    s.f[0] = point.f;
    s.v_fbar[0] = point.v_fbar;
    return;
  }
  build(command, beta, fbar, s);
  const double P = find_pressure(pump, s).lower;

  // dv_j = w_v,j dv0_j + w_P,j dP with dP = -sum_i q_v,i dv0_i / (U_b / (2 sqrt(P)) + sum_i q_P,i), or 0 at the relief pressure
  double stiffness = pump.bleed > 0 ? pump.bleed / (2 * sqrt(P)) : 0;
  for (const StrokeState& state : s.state_) stiffness += state.q_P;
  const double yielding = P < pump.relief && stiffness > 0 ? 1 / stiffness : 0;
  const int n = size();
  for (int j = 0; j < n; ++j) {
    const StrokeState& state = s.state_[j];
    const double sign = s.curve_[j].stroke().sign;
    s.v[j] = sign * state.w + 0.0;  // no negative zero
    s.f[j] = beta[j] * s.v[j] + fbar[j];
    const double row = sign * state.w_P * yielding;
    for (int i = 0; i < n; ++i) s.v_fbar[j * n + i] = row * s.state_[i].q_v * s.curve_[i].stroke().sign / beta[i];
    s.v_fbar[j * n + j] -= state.w_v / beta[j];
  }
}

void MeteringCircuit::recover(const MeteringCommand& command, std::span<const double> beta, std::span<const double> fbar,
                              MeteringSolution& s, std::span<MeteringFlows> flows, PumpFlows& pump_flows) const {
  const PumpSupply pump = supply(command);
  build(command, beta, fbar, s);
  fill(pump, find_pressure(pump, s).lower, s, flows, pump_flows);
}

void MeteringCircuit::recover_at(const MeteringCommand& command, std::span<const double> v, MeteringSolution& s,
                                 std::span<MeteringFlows> flows, PumpFlows& pump_flows) const {
  const PumpSupply pump = supply(command);
  build(command, v, s);
  fill(pump, find_pressure(pump, s).lower, s, flows, pump_flows);
}

void MeteringCircuit::fill(const PumpSupply& supply, double P, MeteringSolution& s, std::span<MeteringFlows> flows, PumpFlows& pump) const {
  pump = {};
  pump.P = P;
  pump.Q = supply.flow;
  pump.Q_bleed = supply.bleed * sqrt(P);
  for (const StrokeState& state : s.state_) pump.Q_p += state.q;
  const double excess = pump.Q - pump.Q_p - pump.Q_bleed;
  pump.relief_open = P >= supply.relief && excess > 0;
  if (pump.relief_open) {
    pump.Q_relief = excess;
  } else {  // rounding of P: to where flow changes most with it and no velocity depends on it
    double steepest = supply.bleed > 0 ? supply.bleed / (2 * sqrt(P)) : 0;
    double* flow = steepest > 0 ? &pump.Q_bleed : nullptr;
    for (StrokeState& state : s.state_) {
      const bool passes = state.inlet == StrokeState::Inlet::sucking || state.inlet == StrokeState::Inlet::relieving;
      if (!passes || !(state.q_P > steepest)) continue;
      steepest = state.q_P;
      flow = &state.q;
    }
    if (flow) *flow += excess;
    if (flow != &pump.Q_bleed) pump.Q_p += flow ? excess : 0;
  }
  for (int j = 0; j < size(); ++j) flows[j] = flows_of(s.curve_[j].stroke(), s.state_[j], actuators_[j], P, pump.relief_open);
}

void MeteringCircuit::forces(const MeteringCommand& command, std::span<const double> v, std::span<Interval> f, MeteringSolution& s) const {
  const PumpSupply pump = supply(command);
  if (is_single(command)) {
    const MeteringOpenings& u = command.openings[0];
    if (!admissible(u)) throw Error("openings of actuator 1: " + fault_of(u));
    f[0] = chamber_forces(constants_[0], constants_[0].regularise(u), pump, v[0]).f();
    return;
  }
  build(command, v, s);
  const Interval P = find_pressure(pump, s);
  for (int j = 0; j < size(); ++j) {
    const Stroke& along = s.curve_[j].stroke();
    Interval g = forces_at_rest(along, command.openings[j], P.lower);
    if (v[j] != 0) {
      const StrokeState& lowest = s.state_[j];
      const StrokeState highest = P.lower < P.upper ? s.curve_[j].at(P.upper) : lowest;
      g = {lowest.F - lowest.F_out, highest.F - highest.F_out};
    }
    f[j] = along.sign > 0 ? g : Interval(-g.upper, -g.lower);
  }
}

}  // namespace trunnion
