// Valves of a description -> their laws, nodes and metering edges.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/diagnostic.h"
#include "hydraulics/components/counterbalance_valve.h"
#include "hydraulics/components/flow_divider.h"
#include "hydraulics/components/pilot_check_valve.h"
#include "hydraulics/components/pressure_compensator.h"
#include "hydraulics/components/priority_valve.h"
#include "hydraulics/components/reducing_valve.h"
#include "hydraulics/components/relief_valve.h"
#include "hydraulics/components/resistance.h"
#include "hydraulics/components/shuttle_valve.h"
#include "model/component_plan.h"

namespace trunnion {

namespace {

template <class Valve>
SpringSpool spring_spool(double preload, double range, const Valve& motion) {
  return {preload, range, 1, 2 * std::numbers::pi * motion.frequency.value_or(0), motion.damping};
}

/// A law with a spring-loaded spool, with or without inertia; `complete` sets its specific parameters.
template <template <bool> class Law, class Valve, class F>
ComponentPlan plan_spring_valve(const Valve& valve, const Fluid& fluid, std::vector<std::string> nodes, F complete) {
  const auto fill = [&](auto law) -> std::shared_ptr<const ComponentLaw> {
    law.spool = spring_spool(valve.setting, valve.range, valve);
    law.coefficient = orifice_coefficient(valve, fluid);
    law.zone = LaminarZone(valve.laminar_limit);
    complete(law);
    return component_law(law);
  };
  return {valve.frequency ? fill(Law<true>()) : fill(Law<false>()), std::move(nodes), {}};
}

}  // namespace

double orifice_coefficient(const OrificeSize& size, const Fluid& fluid, double lost) {
  if (size.flow) return nominal_coefficient(*size.flow, *size.at_pressure_drop - lost);
  return orifice_coefficient(size.discharge, size.area ? *size.area : circle_area(size.diameter.value_or(0)), fluid.density);
}

std::vector<EdgePlan> plan_edges(const SpoolValveDescription& valve, const Fluid& fluid) {
  std::vector<EdgePlan> edges;
  for (const auto& [name, edge] : valve.edges) {
    const auto nodes = edge_nodes(valve, name);
    if (!nodes) throw Error("the edge '" + name + "' does not connect two ports");
    EdgePlan plan{name, nodes->first, nodes->second, 0, edge.laminar_limit, edge.opening};
    if (edge.areas.empty()) {
      plan.coefficient = orifice_coefficient(edge, fluid);
    } else {
      double largest = 0;
      for (const auto& [signal, area] : edge.areas) largest = std::max(largest, area);
      plan.coefficient = orifice_coefficient(edge.discharge, largest, fluid.density);
      plan.opening = edge.areas;
      for (auto& [signal, opening] : plan.opening) opening = largest > 0 ? opening / largest : 0;
    }
    edges.push_back(std::move(plan));
  }
  return edges;
}

ComponentPlan plan_component(const ReliefValveDescription& valve, const Fluid&) {
  const auto fill = [&](auto law) {
    law.spool = spring_spool(valve.cracking_pressure, *valve.override_pressure, valve);
    law.coefficient = nominal_coefficient(*valve.flow, valve.cracking_pressure + *valve.override_pressure);
    law.zone = LaminarZone(valve.laminar_limit);
    return law;
  };
  if (valve.frequency) return {component_law(fill(ReliefValve())), {valve.A, valve.B}, {}};
  LaggedReliefValve law = fill(LaggedReliefValve());
  law.time_constant = valve.time_constant;
  return {component_law(law), {valve.A, valve.B}, {}};
}

ComponentPlan plan_component(const PilotCheckValveDescription& valve, const Fluid& fluid) {
  return plan_spring_valve<PilotCheckValve>(valve, fluid, {valve.A, valve.B, valve.X},
                                            [&](auto& law) { law.pilot_ratio = valve.pilot_ratio; });
}

ComponentPlan plan_component(const CounterbalanceValveDescription& valve, const Fluid& fluid) {
  return plan_spring_valve<CounterbalanceValve>(valve, fluid, {valve.A, valve.B, valve.X, valve.drain.empty() ? valve.B : valve.drain},
                                                [&](auto& law) {
                                                  law.pilot_ratio = valve.pilot_ratio;
                                                  law.check.cracking = valve.cracking_pressure;
                                                  law.check.coefficient = law.coefficient;
                                                  law.check.zone = law.zone;
                                                });
}

ComponentPlan plan_component(const ShuttleValveDescription& valve, const Fluid& fluid) {
  return {component_law(ShuttleValve{orifice_coefficient(valve, fluid), LaminarZone(valve.laminar_limit), valve.range}),
          {valve.X, valve.Y, valve.Z},
          {}};
}

ComponentPlan plan_component(const ReducingValveDescription& valve, const Fluid& fluid) {
  return plan_spring_valve<ReducingValve>(valve, fluid, {valve.A, valve.B, valve.T}, [&](auto& law) {
    law.relief_from = 1 + valve.overlap / valve.range;
    if (valve.relieving) law.spool.travel = law.relief_from + 1;
  });
}

ComponentPlan plan_component(const CompensatorDescription& valve, const Fluid& fluid) {
  return plan_spring_valve<PressureCompensator>(valve, fluid, {valve.A, valve.B, valve.LS}, [&](auto& law) {
    law.post = valve.kind == CompensatorDescription::Kind::post;
    law.load_check = valve.load_check;
  });
}

ComponentPlan plan_component(const FlowDividerDescription& valve, const Fluid& fluid) {
  // half open, metering orifice and edge in series have 1/sqrt(2) of the coefficient of either
  const double metering = std::numbers::sqrt2 * orifice_coefficient(valve, fluid);
  FlowDivider law;
  law.metering_A = valve.share * metering;
  law.metering_B = (1 - valve.share) * metering;
  law.zone = LaminarZone(valve.laminar_limit);
  law.range = valve.range;
  law.time_constant = valve.time_constant;
  return {component_law(law), {valve.P, valve.A, valve.B}, {}};
}

ComponentPlan plan_component(const PriorityValveDescription& valve, const Fluid& fluid) {
  return plan_spring_valve<PriorityValve>(valve, fluid, {valve.P, valve.CF, valve.EF, valve.LS}, [](auto&) {});
}

ComponentPlan plan_component(const LaminarRestrictionDescription& valve, const Fluid& fluid) {
  Resistance law;
  const double drag = fluid.viscosity * valve.length;
  law.linear = valve.diameter ? 128 * drag / (std::numbers::pi * std::pow(*valve.diameter, 4))
                              : 12 * drag / (*valve.width * std::pow(*valve.height, 3));
  return {component_law(law), {valve.A, valve.B}, {}};
}

ComponentPlan plan_component(const ResistanceDescription& valve, const Fluid&) {
  Resistance law;
  law.linear = valve.laminar_share * valve.at_pressure_drop / valve.flow;
  law.quadratic = (1 - valve.laminar_share) * valve.at_pressure_drop / (valve.flow * valve.flow);
  return {component_law(law), {valve.A, valve.B}, {}};
}

}  // namespace trunnion
