// Pumps, accumulators, lines, and the oil over pressure and temperature. Reference: closed forms and hand-calculated values, balance of
// power, differences.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "hydraulics/components/accumulator.h"
#include "hydraulics/components/line.h"
#include "hydraulics/components/pump.h"
#include "hydraulics/fluid.h"
#include "model/component_plan.h"
#include "support/component_law.h"

namespace trunnion {
namespace {

constexpr double kPi = std::numbers::pi, kUnlimited = std::numeric_limits<double>::infinity();
using Law = std::shared_ptr<const ComponentLaw>;

double between(std::mt19937& random, double low, double high) { return std::uniform_real_distribution<>(low, high)(random); }

ComponentPoint at(const Law& law, std::vector<double> p, std::vector<double> x, std::vector<double> u) {
  ComponentPoint point{std::move(p), std::move(x), std::move(u), {}, {}, {}};
  evaluate(*law, point);
  return point;
}

// ---------------------------------------------------------------- pump

constexpr double kD = 45e-6 / (2 * kPi);  // 45 cm3/rev

PumpConstants lossless() {
  PumpConstants c;
  c.displacement = kD;
  return c;
}
PumpConstants lossy() {
  PumpConstants c = lossless();
  c.set_losses(0.95, 0.92, 200, 25e6, 0.4);
  return c;
}
/// All control functions, and a prime mover whose torque decreases to either side of 150 rad/s.
PumpConstants full() {
  PumpConstants c = lossy();
  c.cut_off = 28e6;
  c.margin = 2e6;
  c.band = 1e6;
  c.torque = 150;
  c.least = 0.02;
  c.time_constant = 0.02;
  c.up_rate = 10;
  c.down_rate = 20;
  c.inertia = 0.8;
  c.full_torque = 250;
  c.droop = 10;
  c.torque_limit.points = {{80, 180}, {150, 260}, {220, 200}};
  return c;
}

TEST(Pump, HasItsEfficienciesAtTheirPoint) {
  for (double share : {0.0, 0.4, 1.0}) {
    PumpConstants c = lossless();
    c.set_losses(0.95, 0.92, 200, 25e6, share);
    const Law pump = component_law(Pump<PumpControl::none, false>(c));
    const ComponentPoint point = at(pump, {2e5, 252e5}, {}, {1, 200});
    EXPECT_NEAR(point.Q[0], 0.95 * kD * 200, 1e-15) << share;
    EXPECT_NEAR(power(*pump, point, PowerKind::supply), kD * 25e6 / 0.92 * 200, 1e-8) << share;
    EXPECT_NEAR(point.Q[0] * 25e6 / power(*pump, point, PowerKind::supply), 0.95 * 0.92, 1e-13) << share;
  }
}

TEST(Pump, LosesByTheLawsOfWilson) {
  // G = 0.05 D 200/25e6, c = 0.4 (1/0.92 - 1) D 25e6/200, f = 0.6 (1/0.92 - 1); at half displacement, 100 rad/s and 10 MPa
  const Law pump = component_law(Pump<PumpControl::none, false>(lossy()));
  const ComponentPoint point = at(pump, {1e5, 101e5}, {}, {0.5, 100});
  const double loss = 1 / 0.92 - 1;
  EXPECT_NEAR(point.Q[0], kD * (0.5 * 100 - 0.05 * 200 * 10 / 25), 1e-16);
  const double torque = kD * (0.5 * 10e6 + 0.4 * loss * 25e6 * 100 / 200 + 0.6 * loss * 10e6);
  EXPECT_NEAR(point.power[0], torque * 100, 1e-8);
}

TEST(Pump, DrawsAndDrivesTheOtherWayRound) {
  const Law pump = component_law(Pump<PumpControl::none, false>(lossless()));
  EXPECT_DOUBLE_EQ(at(pump, {1e5, 1e7}, {}, {-0.5, 200}).Q[0], -100 * kD);          // over centre
  EXPECT_DOUBLE_EQ(at(pump, {1e7, 1e5}, {}, {1, 200}).power[0], -kD * 99e5 * 200);  // as a motor it drives the shaft
  EXPECT_EQ(at(component_law(Pump<PumpControl::none, false>(lossy())), {1e5, 1e7}, {}, {1, 0}).power[0], 0);  // at rest: friction yields
}

TEST(Pump, WithoutDisplacementLeaksOnly) {
  const Law pump = component_law(Pump<PumpControl::none, false>(lossy()));
  EXPECT_NEAR(at(pump, {0, 25e6}, {}, {0, 200}).Q[0], -0.05 * kD * 200, 1e-17);
}

/// Steady displacement of a control.
template <PumpControl control>
double resting(const PumpConstants& c, std::vector<double> p, double limit = 1) {
  const Law pump = component_law(Pump<control, false>(c));
  double e = -1;
  const double u[] = {limit, 200};
  pump->start(p.data(), u, &e);
  EXPECT_EQ(at(pump, std::move(p), {e}, {limit, 200}).rate[0], 0);
  return e;
}

TEST(Pump, LoadSensingKeepsItsMarginToThatOfTheBand) {
  PumpConstants c = full();
  c.cut_off = c.torque = kUnlimited;
  for (double e : {0.1, 0.5, 0.9}) EXPECT_NEAR(resting<PumpControl::load_sensing>(c, {1e5, 9e6 + 2e6 - e * 1e6, 9e6}), e, 1e-9) << e;
  EXPECT_EQ(resting<PumpControl::load_sensing>(c, {1e5, 9e6, 9e6}), 1);         // not reached: full displacement
  EXPECT_EQ(resting<PumpControl::load_sensing>(c, {1e5, 9e6, 9e6}, 0.6), 0.6);  // up to its limit
  EXPECT_EQ(resting<PumpControl::load_sensing>(c, {1e5, 9e6, 1e6}), 0.02);      // exceeded: the minimum
}

TEST(Pump, CutOffTakesTheDisplacementAway) {
  const PumpConstants c = full();
  EXPECT_EQ(resting<PumpControl::pressure>(c, {1e5, 28e6}), 0.02);
  EXPECT_NEAR(resting<PumpControl::pressure>(c, {1e5, 27.7e6}), 0.3, 1e-9);
  EXPECT_NEAR(resting<PumpControl::load_sensing>(c, {1e5, 27.7e6, 27.6e6}), 0.3, 1e-9);  // the smaller of both
}

TEST(Pump, TorqueLimitKeepsDisplacementTimesPressure) {
  PumpConstants c = full();
  c.cut_off = kUnlimited;
  for (double dp : {22e6, 25e6, 40e6}) EXPECT_NEAR(resting<PumpControl::pressure>(c, {1e5, dp + 1e5}) * kD * dp, 150, 1e-9) << dp;
  EXPECT_EQ(resting<PumpControl::pressure>(c, {1e5, 20e6}), 1);  // 143 N m
  EXPECT_EQ(resting<PumpControl::pressure>(c, {1e7, 1e5}), 1);
}

TEST(Pump, DisplacementFollowsWithItsLagAndNoFaster) {
  const Law pump = component_law(Pump<PumpControl::pressure, false>(full()));
  const auto rate = [&](double e, double p) { return at(pump, {1e5, p}, {e}, {1, 200}).rate[0]; };
  EXPECT_NEAR(rate(0.2, 27.7e6), (0.3 - 0.2) / 0.02, 1e-8);
  EXPECT_NEAR(rate(0.4, 27.7e6), (0.3 - 0.4) / 0.02, 1e-8);
  EXPECT_EQ(rate(0.1, 10e6), 10);
  EXPECT_EQ(rate(1, 30e6), -20);
}

TEST(Pump, GovernorDroopsWithTorque) {
  PumpConstants c = full();
  for (const auto& [p, u] : {std::pair{1e5, 180.0}, {15e6, 180.0}, {25e6, 180.0}, {25e6, 120.0}}) {
    const Law pump = component_law(Pump<PumpControl::none, true>(c));
    double w = 0;
    const double pressures[] = {1e5, p}, commands[] = {1, u};
    pump->start(pressures, commands, &w);
    const double dp = p - 1e5, torque = kD * dp + c.viscous * w + c.coulomb * kD * dp;
    EXPECT_NEAR(w, u - 10 * torque / 250, 1e-9) << p;
    EXPECT_NEAR(at(pump, {1e5, p}, {w}, {1, u}).rate[0], 0, 1e-9) << p;
  }
}

TEST(Pump, StallsWhereTheTorqueIsBeyondThatOfItsPrimeMover) {
  PumpConstants c = lossless();
  c.inertia = 0.8;
  c.full_torque = 250;
  c.droop = 10;
  c.torque_limit.points = {{80, 180}, {150, 260}, {220, 200}};
  const Law pump = component_law(Pump<PumpControl::none, true>(c));
  const double p = 300 / kD;  // 300 N m
  const auto rate = [&](double w) { return at(pump, {0, p}, {w}, {1, 180}).rate[0]; };
  EXPECT_NEAR(rate(115), (220 - 300) / 0.8, 1e-9);  // half way between 180 and 260 N m
  EXPECT_NEAR(rate(20), (180 - 300) / 0.8, 1e-9);
  EXPECT_NEAR(rate(175), (125 - 300) / 0.8, 1e-9);  // governed: 5/10 of 250 N m
  EXPECT_NEAR(rate(200), -300 / 0.8, 1e-9);         // above its set speed it does not brake
}

// ---------------------------------------------------------------- accumulator

Law gas(double exponent) { return component_law(Accumulator(GasCharge{0.01, 1e7, exponent}, 1e-6, LaminarZone(1e5))); }
Law spring() { return component_law(Accumulator(SpringCharge{0.002, 2e6, 6e6}, 1e-6, LaminarZone(1e5))); }

double oil_at(const Law& law, double p) {
  double x = -1;
  law->start(&p, nullptr, &x);
  return x;
}

TEST(Accumulator, IsothermalGasHalvesAtTwiceThePressure) {
  EXPECT_DOUBLE_EQ(oil_at(gas(1), 2e7), 0.005);
  EXPECT_DOUBLE_EQ(oil_at(gas(1), 4e7), 0.0075);
  EXPECT_EQ(oil_at(gas(1), 0.9e7), 0);
}

TEST(Accumulator, AdiabaticGasTakesLess) {
  EXPECT_NEAR(oil_at(gas(1.4), 2e7), 0.01 * (1 - std::exp2(-1 / 1.4)), 1e-17);
  EXPECT_NEAR(oil_at(gas(1.4), 2e7), 3.9049e-3, 1e-7);  // by hand
}

TEST(Accumulator, RestsAtThePressureOfItsCharge) {
  const auto rests = [](const Law& law, double p) { EXPECT_NEAR(at(law, {p}, {oil_at(law, p)}, {}).Q[0], 0, 1e-15 * p) << p; };
  for (double p : {1.01e7, 1.3e7, 3e7}) rests(gas(1), p), rests(gas(1.4), p);
  for (double p : {2.1e6, 4e6, 5.9e6}) rests(spring(), p);
}

TEST(Accumulator, FillsAndEmptiesThroughItsNeck) {
  // gas at 2e7 Pa, 1 MPa to either side: C sqrt(1e6)
  EXPECT_NEAR(at(gas(1), {2.1e7}, {0.005}, {}).Q[0], 1e-3, 1e-12);
  EXPECT_NEAR(at(gas(1), {1.9e7}, {0.005}, {}).Q[0], -1e-3, 1e-12);
}

TEST(Accumulator, GivesNothingWhenEmpty) {
  for (const Law& law : {gas(1), gas(1.4), spring()}) {
    for (double oil : {0.0, -1e-7, -1e-4}) EXPECT_EQ(at(law, {1e5}, {oil}, {}).Q[0], 0) << oil;
    const double full = at(law, {1e5}, {4e-4}, {}).Q[0];
    EXPECT_LT(full, 0);
  }
  // the last 1 % of its volume in proportion; the spring's pressure there is 2 MPa + 4 MPa V / 2 L
  const double half = 0.005 * 0.002;
  EXPECT_NEAR(at(spring(), {1e5}, {half}, {}).Q[0], -0.5e-6 * std::sqrt(2e6 + 4e6 * 0.005 - 1e5), 1e-15);
  EXPECT_GT(at(gas(1), {1.1e7}, {0.0}, {}).Q[0], 0);  // and fills again
}

TEST(Accumulator, SpringIsFullAtItsVolume) {
  EXPECT_EQ(at(spring(), {2e7}, {0.002}, {}).Q[0], 0);
  EXPECT_GT(at(spring(), {2e7}, {0.00197}, {}).Q[0], 0);
  EXPECT_DOUBLE_EQ(oil_at(spring(), 4e6), 0.001);
}

TEST(Accumulator, GasStaysFiniteWherePressuresOvershoot) {
  const GasCharge charge{0.01, 1e7, 1.4};
  double last = 0;
  for (double oil = -0.02; oil < 0.03; oil += 1e-5) {
    const double p = charge.pressure(oil);
    EXPECT_TRUE(p > last && std::isfinite(p)) << oil;
    last = p;
  }
  const auto slope = [&](double oil) { return charge.pressure(Dual<1>::variable(oil, 0)).d[0]; };
  EXPECT_NEAR(slope(0.0099 + 1e-12), slope(0.0099 - 1e-12), 1e-6 * slope(0.0099));
}

// ---------------------------------------------------------------- line

TEST(Line, LaminarFrictionIsHagenPoiseuilles) {
  // 2 m of 12 mm, 850 kg/m3, 40 mPa s, 20 L/min: Re 752, 0.524 bar
  const LineSegment line(2, 0.012, 850, 0.04);
  EXPECT_NEAR(line.friction(20 / 6e4), 52396.68908375155, 1e-7);
  EXPECT_NEAR(line.friction(-20 / 6e4), -52396.68908375155, 1e-7);
}

TEST(Line, TurbulentFrictionIsBlasius) {
  // the same with 4 mPa s, 100 L/min: Re 37578, f = 0.3164 Re^-1/4 = 0.02272, f L/d rho v^2/2 = 3.496 bar
  const LineSegment line(2, 0.012, 850, 0.004);
  EXPECT_NEAR(line.friction(100 / 6e4), 349568.8836856004, 1e-6);
}

TEST(Line, FrictionIsContinuousWhereTheLawsMeet) {
  const LineSegment line(2, 0.012, 850, 0.04);
  const double Re = std::pow(64 / 0.3164, 4.0 / 3), Q = Re * kPi * 0.012 * 0.04 / (4 * 850);
  EXPECT_NEAR(Re, 1187.4, 0.1);
  const double laminar = 128 * 0.04 * 2 * Q / (kPi * std::pow(0.012, 4));
  for (double share : {1 - 1e-12, 1.0, 1 + 1e-12}) EXPECT_NEAR(line.friction(share * Q), laminar, 1e-9 * laminar);
  EXPECT_GT(line.friction(1.5 * Q), 1.5 * laminar);
  EXPECT_DOUBLE_EQ(line.friction(0.5 * Q), 0.5 * laminar);
  EXPECT_GT(line.friction(Dual<1>::variable(0, 0)).d[0], 0);  // damped at rest
}

TEST(Line, OilGathersSpeedByItsMass) {
  // A (p_A - p_B) = rho A L / A Q_dot
  const Law line = component_law(LineSegment(2, 0.012, 850, 0.04));
  EXPECT_NEAR(at(line, {2e6, 1e6}, {0}, {}).rate[0], 1e6 * kPi * 0.006 * 0.006 / (850 * 2), 1e-12);
}

TEST(Line, PartsShareLengthAndVolume) {
  LineDescription d;
  d.length = 10;
  d.diameter = 0.02;
  d.segments = 5;
  d.bulk_modulus = 2e9;
  const LineParts parts = line_parts(d, Fluid());
  EXPECT_NEAR(parts.volume * 5, kPi * 1e-4 * 10, 1e-18);
  EXPECT_DOUBLE_EQ(parts.wall_compressibility, 5e-10);
  EXPECT_NEAR(at(parts.segment, {2e6, 1e6}, {0}, {}).rate[0] * (850 * 2) / (kPi * 1e-4), 1e6, 1e-6);
}

// ---------------------------------------------------------------- every law

struct NamedLaw {
  std::string name;
  Law law;
  DrawPoint draw;
};

std::vector<NamedLaw> laws() {
  std::vector<NamedLaw> list;
  const auto pump = [&](const char* name, const Law& law) {
    list.push_back({name, law, [law](std::mt19937& random) {
                      ComponentPoint point;
                      for (std::size_t i = 0; i < law->info().nodes.size(); ++i) point.p.push_back(between(random, 1e5, 3e7));
                      if (point.p.size() > 2) point.p[2] = point.p[1] - between(random, 0, 4e6);  // within reach of the control
                      for (const ComponentState& state : law->info().states)
                        point.x.push_back(state.scale > 1 ? between(random, -20, 250) : between(random, -0.1, 1.1));
                      point.u = {between(random, -1, 1), between(random, -50, 250)};
                      return point;
                    }});
  };
  pump("pump", component_law(Pump<PumpControl::none, false>(full())));
  pump("pump, pressure", component_law(Pump<PumpControl::pressure, false>(full())));
  pump("pump, load sensing", component_law(Pump<PumpControl::load_sensing, false>(full())));
  pump("pump, prime mover", component_law(Pump<PumpControl::none, true>(full())));
  pump("pump, pressure, prime mover", component_law(Pump<PumpControl::pressure, true>(full())));
  pump("pump, load sensing, prime mover", component_law(Pump<PumpControl::load_sensing, true>(full())));
  const auto accumulator = [&](const char* name, const Law& law, double volume) {
    list.push_back({name, law, [volume](std::mt19937& random) {
                      return ComponentPoint{{between(random, 1e5, 3e7)}, {between(random, -0.02, 1.02) * volume}, {}, {}, {}, {}};
                    }});
  };
  accumulator("gas, isothermal", gas(1), 0.01);
  accumulator("gas, adiabatic", gas(1.4), 0.01);
  accumulator("spring", spring(), 0.002);
  list.push_back(
      {"line", component_law(LineSegment(2, 0.012, 850, 0.01)), [](std::mt19937& random) {
         return ComponentPoint{{between(random, 1e5, 3e7), between(random, 1e5, 3e7)}, {between(random, -3e-3, 3e-3)}, {}, {}, {}, {}};
       }});
  return list;
}

TEST(PowerComponents, PowersBalanceAnywhere) {
  for (const auto& [name, law, draw] : laws()) expect_balance(name, *law, draw);
}

TEST(PowerComponents, DerivativesAreExact) {
  for (const auto& [name, law, draw] : laws()) expect_slopes(name, *law, draw);
}

// ---------------------------------------------------------------- oil over pressure and temperature

Fluid stiff(double air = 0.02) {
  Fluid f;
  f.saturation_pressure = 1e5;
  f.free_air = air;
  f.stiffening = 10;
  return f;
}

TEST(StiffeningFluid, ModulusGrowsWithPressure) {
  const Fluid f = stiff();
  for (double p : {1e5, 1e6, 3e7, 1e8}) EXPECT_NEAR(1 / f.compressibility_at(p), 1.5e9 + 10 * p, 1e-6) << p;
  EXPECT_NEAR(f.compressibility_at(Dual<1>::variable(3e7, 0)).d[0], -10 / std::pow(1.8e9, 2), 1e-30);
  EXPECT_NEAR(f.compressibility_at(5e4), 1 / (1.5e9 + 5e5) + 0.02 / 1e5 * 3 / (1.01 * 1.01), 1e-21);
}

TEST(StiffeningFluid, StrainIsTheIntegralOfCompressibility) {
  const Fluid f = stiff();
  const double wall = 2e-10;
  EXPECT_EQ(f.strain(1e5, wall), 0);
  // ln((B + b p)/(B + b p_s))/b + (p - p_s)/B_wall
  EXPECT_NEAR(f.strain(3e7, wall), std::log((1.5e9 + 3e8) / (1.5e9 + 1e6)) / 10 + 2.99e7 * wall, 1e-15);
  for (double p : {1e3, 3e4, 9.9e4, 2e5, 3e7}) {
    const double h = 1e-4 * p, slope = f.compressibility_at(p) + wall;
    EXPECT_NEAR((f.strain(p + h, wall) - f.strain(p - h, wall)) / (2 * h), slope, 1e-6 * slope) << p;
  }
}

TEST(StiffeningFluid, PressureIsTheInverseOfStrain) {
  for (double air : {0.02, 1e-6, 0.0})
    for (double p : {1.0, 1e3, 9.9e4, 1e5, 2e5, 3e7, 2e8}) {
      const Fluid f = stiff(air);
      EXPECT_NEAR(f.pressure_at(f.strain(p, 2e-9), 2e-9), p, 1e-7 * p) << air;
      EXPECT_NEAR(f.pressure_at(f.strain(p, 0), 0), p, 1e-7 * p) << air;
    }
}

TEST(StiffeningFluid, StepsAcrossSaturationKeepTheStrain) {
  const Fluid f = stiff();
  for (const auto& [p, dp] : {std::pair{2e6, -3e6}, std::pair{1e6, -1e8}, std::pair{3e4, -1e5}, std::pair{3e4, 1e7}}) {
    const double moved = f.advance(p, dp, 1e-9), change = (f.compressibility_at(p) + 1e-9) * dp;
    EXPECT_GT(moved, 0);
    EXPECT_NEAR(f.strain(moved, 1e-9) - f.strain(p, 1e-9), change, 1e-9 * std::abs(change)) << p;
  }
}

TEST(FluidOverTemperature, IsThatOfTheReferenceUnlessTold) {
  FluidDescription d;
  d.second_viscosity = ViscosityPoint{};
  d.thermal_expansion = 7e-4;
  d.modulus_change = -8e6;
  for (const FluidDescription& same : {FluidDescription{}, d}) {
    const Fluid f = make_fluid(same);
    EXPECT_EQ(f.density, 850);
    EXPECT_EQ(f.compressibility, 1 / 1.5e9);
    EXPECT_EQ(f.saturation_pressure, kVacuumLimit);
    EXPECT_EQ(f.stiffening, 0);
    EXPECT_NEAR(f.viscosity, 46e-6 * 850, 1e-12);
  }
}

TEST(FluidOverTemperature, ExpandsAndSoftens) {
  FluidDescription d;
  d.temperature = 353.15;  // 40 K warmer
  d.thermal_expansion = 7e-4;
  d.modulus_change = -8e6;
  const Fluid f = make_fluid(d);
  EXPECT_DOUBLE_EQ(f.density, 850 / 1.028);
  EXPECT_DOUBLE_EQ(1 / f.compressibility, 1.18e9);
  EXPECT_DOUBLE_EQ(f.viscosity, 46e-6 * 850 / 1.028);
  d.modulus_change = -4e7;
  EXPECT_THROW(make_fluid(d), Error);
}

TEST(FluidOverTemperature, ThinsByWalthersLaw) {
  // an oil of 46 mm2/s at 40 degC and 6.8 at 100 degC, other points by hand from lg lg (nu + 0.7) = a - b lg T
  FluidDescription d;
  d.second_viscosity = ViscosityPoint{373.15, 6.8e-6};
  for (const auto& [degrees, nu] :
       {std::pair{20, 133.8381805212746}, {40, 46.0}, {60, 20.62274755695607}, {80, 11.102610625126944}, {100, 6.8}}) {
    d.temperature = 273.15 + degrees;
    EXPECT_NEAR(make_fluid(d).viscosity / 850 * 1e6, nu, 1e-9 * nu) << degrees;
  }
}

}  // namespace
}  // namespace trunnion
