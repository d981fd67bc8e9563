// Description of oil, pumps, accumulators and lines -> their laws.
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "hydraulics/components/accumulator.h"
#include "hydraulics/components/line.h"
#include "hydraulics/components/pump.h"
#include "model/component_plan.h"

namespace trunnion {

namespace {

/// Kinematic viscosity [m2/s] at temperature T by Walther's law through two points, lg lg(nu + 0.7) = a - b lg T with nu in mm2/s
/// (Walther 1931; ASTM D341).
double walther(const ViscosityPoint& at, const ViscosityPoint& other, double T) {
  const auto level = [](double nu) { return std::log10(std::log10(nu * 1e6 + 0.7)); };
  const double share = std::log10(T / at.temperature) / std::log10(other.temperature / at.temperature);
  const double z = level(at.viscosity) + share * (level(other.viscosity) - level(at.viscosity));
  return (std::pow(10, std::pow(10, z)) - 0.7) * 1e-6;
}

template <PumpControl control>
std::shared_ptr<const ComponentLaw> pump_law(const PumpDescription& d, PumpConstants constants) {
  if (d.prime_mover) return component_law(Pump<control, true>(std::move(constants)));
  return component_law(Pump<control, false>(std::move(constants)));
}

void set_control(const PumpControlDescription& d, PumpConstants& c) {
  c.band = d.band;
  c.least = d.min_fraction;
  c.time_constant = d.time_constant;
  if (d.pressure) c.cut_off = *d.pressure;
  if (d.load_sensing) c.margin = d.load_sensing->margin;
  if (d.torque) c.torque = *d.torque;
  if (d.up_time) c.up_rate = 1 / *d.up_time;
  if (d.down_time) c.down_rate = 1 / *d.down_time;
}

/// Displacement and losses.
PumpConstants pump_constants(const PumpDescription& d) {
  PumpConstants c;
  c.displacement = d.displacement;
  if (const auto* at = std::get_if<PumpEfficiencies>(&d.losses)) {
    c.set_losses(at->volumetric, at->mechanical, at->at_speed, at->at_pressure, at->viscous_share);
  } else {
    const auto& losses = std::get<PumpLosses>(d.losses);
    c.leakage = losses.leakage;
    c.viscous = losses.viscous;
    c.coulomb = losses.coulomb;
  }
  return c;
}

}  // namespace

Fluid make_fluid(const FluidDescription& d) {
  const double T = d.temperature.value_or(d.reference_temperature), warmer = T - d.reference_temperature;
  Fluid fluid;
  fluid.density = d.density / (1 + d.thermal_expansion * warmer);
  fluid.compressibility = 1 / (d.bulk_modulus + d.modulus_change * warmer);
  if (!(fluid.density > 0) || !(fluid.compressibility > 0))
    throw Error("density or bulk modulus of the fluid is not positive at its temperature");
  fluid.saturation_pressure = d.saturation_pressure > 0 ? d.saturation_pressure : kVacuumLimit;
  fluid.free_air = d.free_air;
  fluid.stiffening = d.stiffening;
  const double nu = d.second_viscosity ? walther({d.reference_temperature, d.viscosity}, *d.second_viscosity, T) : d.viscosity;
  fluid.viscosity = nu * fluid.density;
  return fluid;
}

ComponentPlan plan_component(const PumpDescription& d, const Fluid& fluid) {
  PumpConstants c = pump_constants(d);
  c.fluid = fluid;
  if (d.control) set_control(*d.control, c);
  if (const auto& mover = d.prime_mover) {
    c.inertia = mover->inertia;
    c.full_torque = mover->torque;
    c.droop = mover->droop;
    c.torque_limit.points = mover->torque_limit;
    if (c.torque_limit.points.empty()) c.torque_limit.points = {{0, mover->torque}};
  }
  ComponentPlan plan;
  plan.nodes = {d.S, d.P};
  if (!d.control) {
    plan.law = pump_law<PumpControl::none>(d, std::move(c));
  } else if (!d.control->load_sensing) {
    plan.law = pump_law<PumpControl::pressure>(d, std::move(c));
  } else {
    plan.nodes.push_back(d.control->load_sensing->LS);
    plan.law = pump_law<PumpControl::load_sensing>(d, std::move(c));
  }
  SpoolDynamics lag;
  lag.time_constant = d.time_constant;
  plan.commands = {{d.fraction, lag, d.control ? "fraction_limit" : "fraction"}, {d.speed, {}, d.prime_mover ? "set_speed" : "speed"}};
  return plan;
}

MotorDescription shaft_pump(const PumpDescription& d) {
  const PumpConstants c = pump_constants(d);
  MotorDescription motor;
  motor.joint = d.joint;
  motor.A = d.S;
  motor.B = d.P;
  motor.displacement = c.displacement;
  motor.fraction = d.fraction;
  motor.time_constant = d.time_constant;
  motor.leakage = c.leakage;
  motor.viscous = c.viscous;
  motor.coulomb = c.coulomb;
  return motor;
}

ComponentPlan plan_component(const AccumulatorDescription& d, const Fluid& fluid) {
  const double C = orifice_coefficient(d.neck, fluid);
  const LaminarZone zone(d.neck.laminar_limit);
  const auto law = [&](const auto& charge) { return component_law(Accumulator(charge, C, zone)); };
  ComponentPlan plan;
  plan.nodes = {d.P};
  if (const auto* gas = std::get_if<GasDescription>(&d.charge)) {
    plan.law = law(GasCharge{gas->volume, gas->precharge, gas->exponent});
  } else {
    const auto& spring = std::get<SpringChargeDescription>(d.charge);
    plan.law = law(SpringCharge{spring.volume, spring.pressure_empty, spring.pressure_full});
  }
  return plan;
}

LineParts line_parts(const LineDescription& d, const Fluid& fluid) {
  const double length = d.length / d.segments;
  LineParts parts;
  parts.volume = circle_area(d.diameter) * length;
  parts.wall_compressibility = 1 / d.bulk_modulus;
  parts.segment = component_law(LineSegment(length, d.diameter, fluid.density, fluid.viscosity));
  return parts;
}

}  // namespace trunnion
