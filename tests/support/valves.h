// Valves of usual sizes, one description of each law, and their flows at given pressures.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "hydraulics/orifice.h"
#include "model/component_plan.h"
#include "support/component_law.h"

namespace trunnion::test {

inline constexpr double kBar = 1e5, kFlowUnit = 1e-3 / 60;  // [Pa], [m3/s] a litre per minute
inline const Fluid kOil;

/// Flows and rates at pressures of the nodes and states.
inline ComponentPoint at(const ComponentLaw& law, std::vector<double> p, std::vector<double> x = {}) {
  ComponentPoint point{std::move(p), std::move(x), {}, {}, {}, {}};
  evaluate(law, point);
  return point;
}
template <class V>
ComponentPoint at(const V& valve, std::vector<double> p, std::vector<double> x = {}) {
  return at(*plan_component(valve, kOil).law, std::move(p), std::move(x));
}
/// The first flow.
template <class V>
double flow(const V& valve, const std::vector<double>& p) {
  return at(valve, p).Q[0];
}

/// Zero of a decreasing function.
template <class F>
double root(F f, double low, double high) {
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (f(middle) > 0 ? low : high) = middle;
  }
  return (low + high) / 2;
}

/// Flow through a sharp edge of a nominal size, beyond its laminar zone.
inline double turbulent(double flow, double at, double dp) { return flow * std::sqrt(dp / at); }

/// Of a nominal size.
template <class V>
V sized(double flow, double at_pressure_drop) {
  V valve;
  valve.flow = flow;
  valve.at_pressure_drop = at_pressure_drop;
  return valve;
}

inline ReliefValveDescription relief_valve(double frequency = 100, double damping = 0.3) {
  ReliefValveDescription valve;
  valve.cracking_pressure = 200 * kBar;
  valve.flow = 60 * kFlowUnit;
  valve.override_pressure = 20 * kBar;
  valve.frequency = frequency;
  valve.damping = damping;
  return valve;
}
inline PilotCheckValveDescription pilot_check_valve() {
  auto valve = sized<PilotCheckValveDescription>(40 * kFlowUnit, 5 * kBar);
  valve.setting = 1 * kBar;
  valve.range = 2 * kBar;
  valve.pilot_ratio = 4;
  return valve;
}
inline CounterbalanceValveDescription counterbalance_valve() {
  auto valve = sized<CounterbalanceValveDescription>(60 * kFlowUnit, 20 * kBar);
  valve.setting = 250 * kBar;
  valve.range = 30 * kBar;
  valve.pilot_ratio = 3;
  valve.cracking_pressure = 2 * kBar;
  return valve;
}
inline ReducingValveDescription reducing_valve() {
  auto valve = sized<ReducingValveDescription>(30 * kFlowUnit, 10 * kBar);
  valve.setting = 30 * kBar;
  valve.range = 4 * kBar;
  return valve;
}
inline CompensatorDescription compensator(CompensatorDescription::Kind kind) {
  auto valve = sized<CompensatorDescription>(120 * kFlowUnit, 5 * kBar);
  valve.kind = kind;
  valve.setting = 10 * kBar;
  valve.range = 1 * kBar;
  return valve;
}
inline FlowDividerDescription flow_divider() {
  auto valve = sized<FlowDividerDescription>(60 * kFlowUnit, 16 * kBar);
  valve.share = 0.3;
  valve.range = 0.5 * kBar;
  valve.time_constant = 4e-3;
  return valve;
}
inline PriorityValveDescription priority_valve() {
  auto valve = sized<PriorityValveDescription>(80 * kFlowUnit, 5 * kBar);
  valve.setting = 7 * kBar;
  valve.range = 2 * kBar;
  return valve;
}
inline ShuttleValveDescription shuttle_valve() {
  auto valve = sized<ShuttleValveDescription>(5 * kFlowUnit, 5 * kBar);
  valve.range = 0.5 * kBar;
  return valve;
}
inline ResistanceDescription resistance() {
  ResistanceDescription valve;
  valve.flow = 60 * kFlowUnit;
  valve.at_pressure_drop = 4 * kBar;
  valve.laminar_share = 0.25;
  return valve;
}

inline ReliefValveDescription lagged_relief() {
  ReliefValveDescription valve;
  valve.cracking_pressure = 200 * kBar;
  valve.flow = 60 * kFlowUnit;
  valve.override_pressure = 20 * kBar;
  valve.time_constant = 5e-3;
  return valve;
}

}  // namespace trunnion::test
