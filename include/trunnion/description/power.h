// Fluid, pumps, accumulators and lines of a description.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "trunnion/description/values.h"
#include "trunnion/description/valves.h"

namespace trunnion {

/// A second point of the oil's viscosity over temperature.
struct ViscosityPoint {
  double temperature = 373.15;  ///< [K]
  double viscosity = 6.8e-6;    ///< [m2/s] kinematic
};
/// Oil. Laws: docs/elements/fluid.md.
struct FluidDescription {
  double density = 850;                              ///< [kg/m3] at the reference temperature
  double bulk_modulus = 1.5e9;                       ///< [Pa] at the reference temperature and zero pressure
  double stiffening = 0;                             ///< [-] increase of the bulk modulus per pressure
  double saturation_pressure = 0;                    ///< [Pa] absolute; below it dissolved air is released
  double free_air = 0.005;                           ///< [-] volume fraction of the released air, at saturation pressure
  double viscosity = 46e-6;                          ///< [m2/s] kinematic, at the reference temperature
  double reference_temperature = 313.15;             ///< [K]
  std::optional<double> temperature{};               ///< [K] of the oil; unset: the reference temperature
  double thermal_expansion = 0;                      ///< [1/K]
  double modulus_change = 0;                         ///< [Pa/K]
  std::optional<ViscosityPoint> second_viscosity{};  ///< unset: the same viscosity at any temperature
};

/// Losses of a pump by its efficiencies at one operating point, at full displacement.
struct PumpEfficiencies {
  double volumetric = 1, mechanical = 1;  ///< [-]
  double at_speed = 0, at_pressure = 0;   ///< [rad/s], [Pa]
  double viscous_share = 0.5;             ///< [-] fraction of that torque loss proportional to speed; the rest to pressure
};
/// Losses of a pump by coefficients.
struct PumpLosses {
  double leakage = 0;  ///< [m3/(s Pa)] from P to S
  double viscous = 0;  ///< [N m s/rad]
  double coulomb = 0;  ///< [-] of the torque at full displacement
};
/// Keeps the pump's pressure above that of a node.
struct LoadSensingDescription {
  std::string LS{};   ///< node
  double margin = 0;  ///< [Pa]
};
/// Pressure control of the pump's displacement.
struct PumpControlDescription {
  std::optional<double> pressure{};  ///< [Pa] absolute, cut-off
  std::optional<LoadSensingDescription> load_sensing{};
  std::optional<double> torque{};     ///< [N m] maximum at the shaft, without losses
  double band = 5e5;                  ///< [Pa] pressure change from zero to full displacement
  double min_fraction = 0;            ///< [-] minimum displacement as a fraction of the full displacement
  double time_constant = 0.01;        ///< [s]
  std::optional<double> up_time{};    ///< [s] minimum, zero to full
  std::optional<double> down_time{};  ///< [s] minimum, full to zero
};
/// An engine or motor with a governor on the pump's shaft.
struct PrimeMoverDescription {
  double inertia = 0;                                 ///< [kg m2] including the pump
  double torque = 0;                                  ///< [N m] full
  double droop = 0;                                   ///< [rad/s] speed drop at full torque
  std::vector<std::array<double, 2>> torque_limit{};  ///< [speed, torque], linear between, constant outside; empty: full torque
};
/// Pump from S to P; its displacement may be controlled, its shaft driven by a prime mover.
struct PumpDescription {
  std::string S{}, P{};
  double displacement = 0;        ///< [m3/rad] full
  NumberOrSignal speed = 0.0;     ///< [rad/s]; with a prime mover: governor setting
  std::string joint{};            ///< coordinate, an angle: the joint whose shaft drives it; empty: by `speed`
  NumberOrSignal fraction = 1.0;  ///< [-] of the full displacement; with a control: its upper limit
  double time_constant = 0;       ///< [s] of the fraction
  std::variant<PumpLosses, PumpEfficiencies> losses{};
  std::optional<PumpControlDescription> control{};
  std::optional<PrimeMoverDescription> prime_mover{};
};

/// Gas of an accumulator.
struct GasDescription {
  double volume = 0;      ///< [m3] of the gas without oil
  double precharge = 0;   ///< [Pa] absolute pressure of the gas without oil
  double exponent = 1.4;  ///< [-] polytropic: 1 isothermal, 1.4 adiabatic
};
/// Spring of an accumulator.
struct SpringChargeDescription {
  double volume = 0;                             ///< [m3] of oil, full
  double pressure_empty = 0, pressure_full = 0;  ///< [Pa] absolute
};
/// Accumulator on node P, behind an orifice.
struct AccumulatorDescription {
  std::string P{};
  std::variant<GasDescription, SpringChargeDescription> charge{};
  OrificeSize neck{};
};

/// Pipe or hose with fluid inertia and friction.
struct LineDescription {
  std::string A{}, B{};
  double length = 0, diameter = 0;  ///< [m]
  int segments = 1;
  double bulk_modulus = std::numeric_limits<double>::infinity();  ///< [Pa] of its wall
  double start_flow = 0;                                          ///< [m3/s] from A to B
};

}  // namespace trunnion
