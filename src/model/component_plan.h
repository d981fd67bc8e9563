// A hydraulic component of a description, prepared for the netlist: law, nodes, commands.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "description/description.h"
#include "hydraulics/component.h"
#include "hydraulics/fluid.h"

namespace trunnion {

/// A command of a component, applied through a spool of the netlist.
struct CommandPlan {
  NumberOrSignal signal;
  SpoolDynamics dynamics;
  std::string name;  // of its channel, after that of the component; empty: the component's
};
struct ComponentPlan {
  std::shared_ptr<const ComponentLaw> law;
  std::vector<std::string> nodes;  // in the order of the law
  std::vector<CommandPlan> commands;
  double start = std::numeric_limits<double>::quiet_NaN();  // Component::start
};

// Power: model/plan_power.cpp
/// Fluid at its temperature. Throws Error if its density or bulk modulus is not positive.
Fluid make_fluid(const FluidDescription& d);
/// A pump driven by a speed.
ComponentPlan plan_component(const PumpDescription& d, const Fluid& fluid);
/// A pump on the shaft of a joint, as a motor: forward rotation displaces from S to P.
MotorDescription shaft_pump(const PumpDescription& d);
ComponentPlan plan_component(const AccumulatorDescription& d, const Fluid& fluid);
/// A line of n segments: n laws in series between A, n - 1 volumes and B. Half a volume belongs to A and half to B.
struct LineParts {
  std::shared_ptr<const ComponentLaw> segment;
  double volume = 0;                // [m3] of a segment
  double wall_compressibility = 0;  // [1/Pa]
};
LineParts line_parts(const LineDescription& d, const Fluid& fluid);

// Valves: model/plan_valves.cpp
/// C [m3/(s Pa^0.5)] of an orifice; `lost` is the ineffective part of its nominal pressure drop.
double orifice_coefficient(const OrificeSize& size, const Fluid& fluid, double lost = 0);
/// The same of a description with the members of an OrificeSize.
template <class Sized>
requires requires(const Sized& s) { s.at_pressure_drop; }
double orifice_coefficient(const Sized& s, const Fluid& fluid, double lost = 0) {
  return orifice_coefficient(OrificeSize{s.diameter, s.area, s.discharge, s.flow, s.at_pressure_drop, s.laminar_limit}, fluid, lost);
}
/// Metering edge of a spool: an orifice with its own opening.
struct EdgePlan {
  std::string name;  // "P_A"
  std::string A, B;  // nodes
  double coefficient = 0;
  double laminar_limit = 0;
  std::vector<std::array<double, 2>> opening;
};
std::vector<EdgePlan> plan_edges(const SpoolValveDescription& valve, const Fluid& fluid);
ComponentPlan plan_component(const ReliefValveDescription& valve, const Fluid& fluid);  // with a frequency or a time constant
ComponentPlan plan_component(const PilotCheckValveDescription& valve, const Fluid& fluid);
ComponentPlan plan_component(const CounterbalanceValveDescription& valve, const Fluid& fluid);
ComponentPlan plan_component(const ShuttleValveDescription& valve, const Fluid& fluid);
ComponentPlan plan_component(const ReducingValveDescription& valve, const Fluid& fluid);
ComponentPlan plan_component(const CompensatorDescription& valve, const Fluid& fluid);
ComponentPlan plan_component(const FlowDividerDescription& valve, const Fluid& fluid);
ComponentPlan plan_component(const PriorityValveDescription& valve, const Fluid& fluid);
ComponentPlan plan_component(const ResistanceDescription& valve, const Fluid& fluid);
ComponentPlan plan_component(const LaminarRestrictionDescription& valve, const Fluid& fluid);

}  // namespace trunnion
