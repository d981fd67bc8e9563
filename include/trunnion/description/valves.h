// Valves of a description: orifices, one-way valves, directional valves, valves with a spring-loaded spool, resistances.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "trunnion/description/values.h"

namespace trunnion {

/// Size of an orifice: diameter or area, or a nominal flow at a pressure drop. One of the three is given.
struct OrificeSize {
  std::optional<double> diameter{}, area{};          ///< [m], [m2]
  double discharge = 0.8;                            ///< [-]
  std::optional<double> flow{}, at_pressure_drop{};  ///< [m3/s], [Pa]
  double laminar_limit = 2e5;                        ///< [Pa]
};
/// Dynamics of a command: none, first-order lag, or second-order spool with a limited rate.
struct SpoolDynamics {
  double time_constant = 0;            ///< [s] first order; 0: no lag
  std::optional<double> frequency{};   ///< [Hz] second order, natural frequency
  double damping = 0.7;                ///< [-] damping ratio
  std::optional<double> rate_limit{};  ///< [signal unit/s]
  std::optional<double> start{};       ///< [signal unit] position at the start; unset: at the command
};
/// Orifice between two nodes, always open or opened by a signal: throttle, bleed, one metering edge of a valve.
struct OrificeDescription {
  std::string A{}, B{};
  std::optional<double> diameter{}, area{};                    ///< [m], [m2] either, or `flow`; see OrificeSize
  double discharge = 0.8;                                      ///< [-]
  std::optional<double> flow{}, at_pressure_drop{};            ///< [m3/s], [Pa]
  double laminar_limit = 2e5;                                  ///< [Pa]
  std::optional<std::string> signal{};                         ///< command; unset: open
  std::vector<std::array<double, 2>> opening{{0, 0}, {1, 1}};  ///< [signal, opening from 0 to 1], linear between, constant outside
  SpoolDynamics dynamics{};
};
/// Flow from A to B above the cracking pressure, no reverse flow.
struct CheckValveDescription {
  std::string A{}, B{};
  std::optional<double> diameter{}, area{};          ///< [m], [m2] either, or `flow`; see OrificeSize
  double discharge = 0.8;                            ///< [-]
  std::optional<double> flow{}, at_pressure_drop{};  ///< [m3/s], [Pa]
  double laminar_limit = 2e5;                        ///< [Pa]
  double cracking_pressure = 0;                      ///< [Pa]
};
/// Closed below its cracking pressure; above it the flow from A to B is proportional to the excess pressure. With a frequency: a poppet
/// with dynamics, and an orifice behind it.
struct ReliefValveDescription {
  std::string A{}, B{};
  double cracking_pressure = 0;                       ///< [Pa]
  std::optional<double> flow{}, override_pressure{};  ///< [m3/s] at [Pa] above the cracking pressure
  std::optional<double> gradient{};                   ///< [m3/(s Pa)] otherwise
  std::optional<double> frequency{};                  ///< [Hz] natural frequency of spool or poppet on its spring; unset: no inertia
  double damping = 0.7;                               ///< [-] damping ratio
  double time_constant = 0;                           ///< [s] of the opening otherwise; 0: no lag
  double laminar_limit = 2e5;                         ///< [Pa] with a frequency or a time constant
};
/// 4/3 directional valve with four equal edges.
struct DirectionalValveDescription {
  std::string P{}, T{}, A{}, B{};
  double flow = 0, at_pressure_drop = 35e5, at_signal = 10;  ///< [m3/s] per edge, [Pa], [signal unit]
  SpoolDynamics dynamics{};
  double dead_band = 0;        ///< [signal unit]
  double laminar_limit = 2e5;  ///< [Pa]
  std::string signal{};
};

/// A port of a spool valve.
struct PortDescription {
  std::string node{};
};
/// Metering edge of a spool, between the ports given by its name.
struct SpoolEdgeDescription {
  std::optional<double> diameter{}, area{};                    ///< [m], [m2] either, or `flow`; see OrificeSize
  double discharge = 0.8;                                      ///< [-]
  std::optional<double> flow{}, at_pressure_drop{};            ///< [m3/s], [Pa]
  double laminar_limit = 2e5;                                  ///< [Pa]
  std::vector<std::array<double, 2>> opening{{0, 0}, {1, 1}};  ///< [signal, opening from 0 to 1], linear between, constant outside
  std::vector<std::array<double, 2>> areas{};                  ///< [signal, m2] otherwise; empty: by size and opening
};
/// Proportional directional valve with any ports; each edge has its own opening table, which includes overlap.
struct SpoolValveDescription {
  NamedList<PortDescription> ports{};
  NamedList<SpoolEdgeDescription> edges{};  ///< P_A: from port P to port A
  SpoolDynamics dynamics{};
  std::string signal{};
};
// Valves with a spring-loaded spool or poppet: it starts to move at `setting`; full travel at `range` above.

/// Check valve from A to B, opened for reverse flow by pressure at X.
struct PilotCheckValveDescription {
  std::string A{}, B{}, X{};
  double setting = 0;                                ///< [Pa] at which it starts to move
  double range = 1e5;                                ///< [Pa] above the setting for full travel
  std::optional<double> diameter{}, area{};          ///< [m], [m2] either, or `flow`; see OrificeSize
  double discharge = 0.8;                            ///< [-]
  std::optional<double> flow{}, at_pressure_drop{};  ///< [m3/s], [Pa]
  double laminar_limit = 2e5;                        ///< [Pa]
  std::optional<double> frequency{};                 ///< [Hz] natural frequency of spool or poppet on its spring; unset: no inertia
  double damping = 0.7;                              ///< [-] damping ratio
  double pilot_ratio = 3;                            ///< [-] pilot piston to seat
};
/// Holds a load at A; opened to B by the pressures of the load and of the pilot X; free flow from B to A.
struct CounterbalanceValveDescription {
  std::string A{}, B{}, X{};
  std::string drain{};                               ///< of the spring chamber; empty: B
  double setting = 0;                                ///< [Pa] at which it starts to move
  double range = 20e5;                               ///< [Pa] above the setting for full travel
  std::optional<double> diameter{}, area{};          ///< [m], [m2] either, or `flow`; see OrificeSize
  double discharge = 0.8;                            ///< [-]
  std::optional<double> flow{}, at_pressure_drop{};  ///< [m3/s], [Pa]
  double laminar_limit = 2e5;                        ///< [Pa]
  std::optional<double> frequency{};                 ///< [Hz] natural frequency of spool or poppet on its spring; unset: no inertia
  double damping = 0.7;                              ///< [-] damping ratio
  double pilot_ratio = 3;                            ///< [-]
  double cracking_pressure = 0;                      ///< [Pa] of the check valve from B to A
};
/// Connects Z with the one of X and Y that has the higher pressure.
struct ShuttleValveDescription {
  std::string X{}, Y{}, Z{};
  std::optional<double> diameter{}, area{};          ///< [m], [m2] either, or `flow`; see OrificeSize
  double discharge = 0.8;                            ///< [-]
  std::optional<double> flow{}, at_pressure_drop{};  ///< [m3/s], [Pa]
  double laminar_limit = 2e5;                        ///< [Pa]
  double range = 1e5;                                ///< [Pa] difference that moves the shuttle from seat to seat
};
/// Limits the pressure at B to its setting above T.
struct ReducingValveDescription {
  std::string A{}, B{}, T{};
  double setting = 0;                                ///< [Pa] at which it starts to move
  double range = 5e5;                                ///< [Pa] above the setting for full travel
  std::optional<double> diameter{}, area{};          ///< [m], [m2] either, or `flow`; see OrificeSize
  double discharge = 0.8;                            ///< [-]
  std::optional<double> flow{}, at_pressure_drop{};  ///< [m3/s], [Pa]
  double laminar_limit = 2e5;                        ///< [Pa]
  std::optional<double> frequency{};                 ///< [Hz] natural frequency of spool or poppet on its spring; unset: no inertia
  double damping = 0.7;                              ///< [-] damping ratio
  bool relieving = false;                            ///< relieves B to T if its pressure rises further
  double overlap = 0;                                ///< [Pa] between closing A to B and opening B to T
};
/// Controls a pressure drop: upstream of a metering edge outlet B above LS, downstream of one inlet A above LS.
struct CompensatorDescription {
  enum class Kind { pre, post };
  Kind kind = Kind::pre;
  std::string A{}, B{}, LS{};
  double setting = 0;                                ///< [Pa] at which it starts to move
  double range = 2e5;                                ///< [Pa] above the setting for full travel
  std::optional<double> diameter{}, area{};          ///< [m], [m2] either, or `flow`; see OrificeSize
  double discharge = 0.8;                            ///< [-]
  std::optional<double> flow{}, at_pressure_drop{};  ///< [m3/s], [Pa]
  double laminar_limit = 2e5;                        ///< [Pa]
  std::optional<double> frequency{};                 ///< [Hz] natural frequency of spool or poppet on its spring; unset: no inertia
  double damping = 0.7;                              ///< [-] damping ratio
  bool load_check = true;
};
/// Divides the flow from P between A and B independent of their pressures; combines flows in the same ratio.
struct FlowDividerDescription {
  std::string P{}, A{}, B{};
  std::optional<double> diameter{}, area{};          ///< [m], [m2] either, or `flow`; see OrificeSize
  double discharge = 0.8;                            ///< [-]
  std::optional<double> flow{}, at_pressure_drop{};  ///< [m3/s], [Pa]
  double laminar_limit = 2e5;                        ///< [Pa]
  double share = 0.5;                                ///< [-] of A
  double range = 1e5;                                ///< [Pa] difference of the metering pressure drops for full spool travel
  double time_constant = 5e-3;                       ///< [s]
};
/// Serves CF first, with its setting above LS; the rest flows to EF.
struct PriorityValveDescription {
  std::string P{}, CF{}, EF{}, LS{};
  double setting = 0;                                ///< [Pa] at which it starts to move
  double range = 2e5;                                ///< [Pa] above the setting for full travel
  std::optional<double> diameter{}, area{};          ///< [m], [m2] either, or `flow`; see OrificeSize
  double discharge = 0.8;                            ///< [-]
  std::optional<double> flow{}, at_pressure_drop{};  ///< [m3/s], [Pa]
  double laminar_limit = 2e5;                        ///< [Pa]
  std::optional<double> frequency{};                 ///< [Hz] natural frequency of spool or poppet on its spring; unset: no inertia
  double damping = 0.7;                              ///< [-] damping ratio
};
/// Filter, cooler, hose: a pressure drop with a linear and a quadratic part.
struct ResistanceDescription {
  std::string A{}, B{};
  double flow = 0, at_pressure_drop = 0;  ///< [m3/s] at [Pa]
  double laminar_share = 0.1;             ///< [-] fraction of that pressure drop that is linear in the flow
};
/// Laminar restriction: a bore (diameter), or a gap between two surfaces (width, height).
struct LaminarRestrictionDescription {
  std::string A{}, B{};
  std::optional<double> diameter{};         ///< [m]
  std::optional<double> width{}, height{};  ///< [m] across the flow
  double length = 0;                        ///< [m] along the flow
};
/// A valve of any kind.
using ValveDescription = std::variant<OrificeDescription, DirectionalValveDescription, CheckValveDescription, ReliefValveDescription,
                                      SpoolValveDescription, PilotCheckValveDescription, CounterbalanceValveDescription,
                                      ShuttleValveDescription, ReducingValveDescription, CompensatorDescription, FlowDividerDescription,
                                      PriorityValveDescription, ResistanceDescription, LaminarRestrictionDescription>;

}  // namespace trunnion
