// Force-velocity curves of quasistatic actuators.
// SPDX-License-Identifier: BSD-3-Clause
#include "hydraulics/quasistatic/force_velocity.h"

#include <algorithm>

namespace trunnion {

namespace {

constexpr double kBesideRest = 1e-30;   // [m/s] a velocity of which only the sign matters
constexpr double kNoPressure = 1e-20;   // [Pa] pressure drops of its flows are below this
constexpr double kNoFlow = 1e-24;       // [m3/s] its flows are below this
constexpr double kRegeneration = 1e-6;  // relative to the largest flow: rounding of the root of pressures
constexpr double kSamePlace = 1e-12;    // relative to the range: valves that change together
constexpr double kNear = 1e-9;          // relative to the range: grid points equal to breakpoints up to rounding
constexpr double kVertical = 1e-9;      // relative to F_hM + F_rM, between two sides of a point
constexpr int kMostChanges = 32;        // between two grid points: limit for repeatedly changing states

/// The adjacent numbers between which a predicate, false at `lower` and true at `upper`, becomes true.
template <class Predicate>
void bisect(double& lower, double& upper, const Predicate& predicate) {
  for (;;) {
    const double middle = lower + (upper - lower) / 2;
    if (!(middle > min(lower, upper) && middle < max(lower, upper))) return;
    (predicate(middle) ? upper : lower) = middle;
  }
}

/// A vertical line next to rest: the bleed valve is closed and the actuators use all the flow of the pump, at any pressure. `beyond`:
/// the side on which it is insufficient.
MeteringSegment starved_segment(double v, const MeteringFlows& beyond) {
  using enum MeteringSegment;
  if (v > 0) return beyond.rod_relief ? p1b : p1a;
  return beyond.head_relief ? m1b : m1a;
}

/// Removes the flows and pressure drops of the velocity next to rest.
void settle(MeteringFlows& at) {
  for (double* P : {&at.P_c, &at.P_h, &at.P_r})
    if (*P < kNoPressure) *P = 0;
  for (double* Q : {&at.Q_ph, &at.Q_pr, &at.Q_th, &at.Q_tr, &at.Q_ho, &at.Q_ro, &at.Q_a, &at.Q_p, &at.Q_hn, &at.Q_rn, &at.Q_t})
    if (abs(*Q) < kNoFlow) *Q = 0;
  at.Q_h = at.Q_r = 0;
}

}  // namespace

ForceVelocityCurve::ForceVelocityCurve(const MeteringCircuit& circuit, const MeteringCommand& command, std::vector<double> v, int actuator)
    : circuit_(circuit),
      command_(command),
      v_(std::move(v)),
      actuator_(actuator),
      F_hM_(circuit.actuator(actuator).area_h * circuit.actuator(actuator).relief_h),
      F_rM_(circuit.actuator(actuator).area_r * circuit.actuator(actuator).relief_r),
      solution_(circuit.size()),
      flows_(circuit.size()) {
  for (int j = 0; j < circuit.size(); ++j) {
    const MeteringActuator& a = circuit.actuator(j);
    least_regeneration_.push_back(kRegeneration * a.c_a * command.openings[j].a * sqrt(a.relief_r));
  }
}

ForceVelocityCurve::Evaluation ForceVelocityCurve::evaluate(double v) {
  Evaluation e;
  v_[actuator_] = v;
  circuit_.recover_at(command_, v_, solution_, flows_, e.pump);
  e.at = flows_[actuator_];
  for (int j = 0; j < circuit_.size(); ++j) {
    e.valves.push_back(static_cast<int>(flows_[j].segment));
    e.valves.push_back(flows_[j].Q_a > least_regeneration_[j] ? 1 : 0);
  }
  e.valves.push_back(e.pump.relief_open ? 1 : 0);
  return e;
}

/// The v of smallest magnitude in a direction, 1 or -1, from which on `predicate(f)` holds; 0 if it holds next to rest.
template <class Predicate>
double ForceVelocityCurve::first_where(double direction, const Predicate& predicate) {
  const auto holds = [&](double v) { return predicate(evaluate(v).at.f); };
  double lower = direction * kBesideRest, upper = direction;
  if (holds(lower)) return 0;
  while (!holds(upper) && abs(upper) < 1 / kBesideRest) upper *= 2;
  bisect(lower, upper, holds);
  return upper;
}

Interval ForceVelocityCurve::saturation() {
  return {first_where(-1, [&](double f) { return f >= F_hM_; }), first_where(1, [&](double f) { return f <= -F_rM_; })};
}

Interval ForceVelocityCurve::force_at_rest() { return {evaluate(kBesideRest).at.f, evaluate(-kBesideRest).at.f}; }

double ForceVelocityCurve::free_velocity() {
  const Interval rest = force_at_rest();
  if (rest.lower > 0) return first_where(1, [](double f) { return f <= 0; });
  if (rest.upper < 0) return first_where(-1, [](double f) { return f >= 0; });
  return 0;
}

void ForceVelocityCurve::add(double v, const Evaluation& left, const Evaluation& middle, const Evaluation& right,
                             std::vector<ForceVelocityPoint>& points) const {
  const bool vertical = left.at.f - right.at.f > kVertical * (F_hM_ + F_rM_);
  const auto append = [&](const Evaluation& e) {
    ForceVelocityPoint point{e.at, e.pump, vertical ? Interval(right.at.f, left.at.f) : Interval(e.at.f), true};
    point.at.v = v;
    point.at.segment = vertical && v != 0 ? starved_segment(v, v > 0 ? right.at : left.at) : middle.at.segment;
    if (v == 0) settle(point.at);
    points.push_back(point);
  };
  if (vertical) append(left);
  append(vertical ? right : middle);
}

/// From lower to upper, on one side of rest: both ends unless next to it, the grid points between, and breakpoints.
void ForceVelocityCurve::add_side(double lower, double upper, const std::vector<double>& grid, std::vector<ForceVelocityPoint>& points) {
  const double span = grid.back() - grid.front();
  std::vector<double> stops;
  for (double v : grid)
    if (v > lower && v < upper) stops.push_back(v);
  stops.push_back(upper);
  const auto append = [&](double v, const Evaluation& e) {
    if (abs(v) > kBesideRest) points.push_back({e.at, e.pump, e.at.f, false});
  };
  Evaluation from = evaluate(lower);
  append(lower, from);
  for (double stop : stops) {
    const Evaluation to = evaluate(stop);
    for (int changes = 0; from.valves != to.valves && changes < kMostChanges; ++changes) {
      double a = lower, b = stop;
      bisect(a, b, [&](double v) { return evaluate(v).valves != from.valves; });
      lower = std::min(stop, std::max(std::nextafter(b, stop), b + kSamePlace * span));
      const Evaluation next = evaluate(lower);
      add(b, evaluate(a), evaluate(b), next, points);
      from = next;
    }
    append(stop, to);
    lower = stop;
    from = to;
  }
}

std::vector<ForceVelocityPoint> ForceVelocityCurve::points(double lower, double upper, int intervals) {
  std::vector<double> grid;
  grid.reserve(static_cast<std::size_t>(intervals) + 1);
  for (int i = 0; i < intervals; ++i) grid.push_back(lower + (upper - lower) * i / intervals);
  grid.push_back(upper);
  std::vector<ForceVelocityPoint> all;
  if (lower < 0) add_side(lower, std::min(upper, -kBesideRest), grid, all);
  if (lower <= 0 && upper >= 0) add(0, evaluate(-kBesideRest), evaluate(0), evaluate(kBesideRest), all);
  if (upper > 0) add_side(std::max(lower, kBesideRest), upper, grid, all);

  // breakpoints replace adjacent grid points, except the ends
  std::vector<double> places;
  for (const ForceVelocityPoint& p : all)
    if (p.breakpoint) places.push_back(p.at.v);
  std::erase_if(all, [&](const ForceVelocityPoint& p) {
    if (p.breakpoint || p.at.v == lower || p.at.v == upper) return false;
    const auto next = std::lower_bound(places.begin(), places.end(), p.at.v);
    const double near = kNear * (upper - lower);
    return (next != places.end() && *next - p.at.v < near) || (next != places.begin() && p.at.v - *(next - 1) < near);
  });
  return all;
}

}  // namespace trunnion
