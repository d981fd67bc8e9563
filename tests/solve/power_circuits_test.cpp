// Pumps, accumulators, lines and the oil in circuits, run with the step: the models of tests/data/components compared with their closed
// forms, as in tools/closed_forms.py. Reference: the closed forms, written out here.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "trunnion/trunnion.h"

namespace trunnion {
namespace {

constexpr double kPi = std::numbers::pi, kModulus = 1.5e9, kDensity = 850, kTank = 1e5;
constexpr double kD = 45e-6 / (2 * kPi);  // [m3/rad] of 45 cm3/rev

Simulation component(const std::string& name, const std::vector<std::string>& set = {}) {
  return Simulation(std::string(TRUNNION_SOURCE_DIR) + "/tests/data/components/" + name + ".yaml", set);
}
double at(Simulation& run, double t, const std::string& channel) {
  run.run_until(t);
  return run.value(channel);
}
/// Root of an increasing function.
double root(const std::function<double(double)>& f, double low, double high) {
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (f(middle) < 0 ? low : high) = middle;
  }
  return low;
}
/// The ledger at the end, relative to the work done.
void expect_closed(const Simulation& run, double share = 1e-6) {
  double work = 0;
  for (const char* name : {"energy.supply", "energy.throttling", "energy.oil"}) work = std::max(work, std::abs(run.value(name)));
  EXPECT_LT(std::abs(run.value("energy.residual")), share * work) << run.value("energy.residual") << " J of " << work << " J";
}

TEST(PowerCircuit, VesselBlowsDownThroughAHole) {
  Simulation run = component("blow_down");
  const double C = 0.6 * kPi / 4 * 1e-6 * std::sqrt(2 / kDensity), V = 5e-3;
  for (double t : {0.2, 0.6, 1.0})
    EXPECT_NEAR(at(run, t, "vessel.pressure"), kTank + std::pow(std::sqrt(20e6 - kTank) - C * kModulus * t / (2 * V), 2), 20) << t;
  expect_closed(run);
}

TEST(PowerCircuit, StiffOilIsPressedTogether) {
  Simulation run = component("stiff_oil");
  const double closed = ((kModulus + 10 * kTank) * std::exp(10 * 1e-4 / 10e-3) - kModulus) / 10;
  EXPECT_NEAR(at(run, 1, "vessel.pressure"), closed, 1e-6 * closed);
  expect_closed(run);
}

TEST(PowerCircuit, NoOilIsLostWhereItsModulusChangesWithinAStep) {
  // 100 cm3 compressed to 300 bar within three steps, held by a relief valve, released within a step
  Simulation run = Simulation::from_text(R"(
trunnion: 1
fluid: {stiffening: 10}
volumes: {v: {volume: 0.1 L, pressure: 10 bar}}
sources: {in: {flow: in, to: v}, tank: {pressure: 1 bar}}
valves:
  relief: {relief: {A: v, B: tank, cracking_pressure: 300 bar, gradient: 5 L/min/bar}}
  out: {orifice: {A: v, B: tank, diameter: 3 mm}, signal: out}
signals:
  in: {ramps: [[0, 0 L/min], [1 ms, 60 L/min], [20 ms, 60 L/min], [21 ms, 0 L/min]]}
  out: {ramps: [[30 ms, 0], [31 ms, 1]]}
solver: {step: 1 ms, duration: 50 ms, oil_rule: trapezoidal}
)");
  const auto inflow = [&] { return run.value("in.flow") - run.value("relief.flow") - run.value("out.flow"); };
  const auto oil = [](double p) { return 1e-4 * std::log(kModulus + 10 * p) / 10; };
  double taken = 0, last = inflow(), highest = 0;
  while (run.time() < 0.05 - 1e-9) {
    run.step();
    taken += 1e-3 * (last + inflow()) / 2;
    last = inflow();
    const double p = run.value("v.pressure");
    highest = std::max(highest, p);
    EXPECT_NEAR(oil(p) - oil(10e5), taken, 1e-6 * 1e-4 * 0.01) << run.time();  // of the received and supplied oil
  }
  EXPECT_GT(highest, 30e6);
  EXPECT_LT(run.value("v.pressure"), 2e5);
}

TEST(PowerCircuit, GasAccumulatorFillsByItsPolytropicChange) {
  for (double n : {1.0, 1.4}) {
    Simulation run = component("accumulator", {"accumulators.store.gas.exponent=" + std::to_string(n)});
    const auto oil = [&](double p) { return 10e-3 * (1 - std::pow(10e6 / p, 1 / n)); };
    const double start = oil(12e6);
    EXPECT_NEAR(run.value("store.oil"), start, 1e-12);
    const double closed = root([&](double p) { return oil(p) - start + 1e-3 * (p - 12e6) / kModulus - 3e-3; }, 12e6, 1e8);
    EXPECT_NEAR(at(run, 3.5, "node.pressure"), closed, 1e-6 * closed) << n;
    EXPECT_NEAR(run.value("store.oil"), oil(closed), 1e-9) << n;
    expect_closed(run);
  }
}

TEST(PowerCircuit, SpringAccumulatorFillsInProportion) {
  Simulation run = component("spring_accumulator");
  EXPECT_NEAR(at(run, 1.5, "node.pressure"), 2.5e6 + 1e-3 / (2e-3 / 4e6 + 1e-3 / kModulus), 10);
  expect_closed(run);
}

TEST(PowerCircuit, EmptyAccumulatorGivesNothingMore) {
  // an orifice drains all oil: the last of it slowly, with no oil left and none missing
  Simulation run = Simulation::from_text(R"(
trunnion: 1
volumes: {node: {volume: 1 L, pressure: 12 MPa}}
sources: {tank: {pressure: 1 bar}}
valves: {hole: {orifice: {A: node, B: tank, diameter: 6 mm}}}
accumulators: {store: {P: node, gas: {volume: 10 L, precharge: 10 MPa}, neck: {diameter: 20 mm}}}
solver: {step: 1 ms, duration: 3 s}
)");
  const double begun = run.value("store.oil");
  double drawn = 0, last = run.value("hole.flow");
  while (run.time() < 3) {
    run.step();
    drawn += 1e-3 * (last + run.value("hole.flow")) / 2;
    last = run.value("hole.flow");
    ASSERT_GE(run.value("store.oil"), 0) << run.time();
    ASSERT_GT(run.value("node.pressure"), 0.99e5) << run.time();
  }
  EXPECT_LT(run.value("store.oil"), 1e-6);
  EXPECT_NEAR(run.value("node.pressure"), kTank, 1);
  EXPECT_NEAR(drawn, begun - run.value("store.oil") + 1e-3 * 119e5 / kModulus, 2e-3 * begun);
  expect_closed(run, 1e-3);
}

TEST(PowerCircuit, OilInAPipeSetsOffByItsInertiaAgainstItsFriction) {
  Simulation run = component("pipe_flow");
  const double inertia = kDensity * 2 / (kPi * 0.006 * 0.006), friction = 128 * 0.04 * 2 / (kPi * std::pow(0.012, 4)),
               dp = 52396.68908375155;
  for (double t : {0.01, 0.1, 0.3, 2.0})
    EXPECT_NEAR(at(run, t, "pipe.flow"), dp / friction * (1 - std::exp(-t * friction / inertia)), 1e-5 * dp / friction) << t;
  expect_closed(run);
  Simulation turbulent = component("pipe_flow", {"fluid.viscosity=4.7 mm^2/s", "sources.a.pressure=1.35 MPa"});
  const double v = std::pow(0.35e6 / (0.3164 * std::pow(0.012 / 4.7e-6, -0.25) * 2 / 0.012 * kDensity / 2), 1 / 1.75);
  EXPECT_NEAR(at(turbulent, 2, "pipe.flow"), v * kPi * 0.006 * 0.006, 1e-6 * v * kPi * 0.006 * 0.006);
}

TEST(PowerCircuit, ShuttingAValveRaisesThePressureByJoukowskysRise) {
  Simulation run = component("water_hammer");
  const double sound = std::sqrt(kModulus / kDensity), v = at(run, 0.6, "shut_off.flow") / (kPi / 4 * 0.05 * 0.05);
  EXPECT_NEAR(v, 1, 0.1);
  const double before = run.value("end.pressure");
  run.run_until(0.608);
  double sum = 0;
  int count = 0;
  for (; run.time() < 0.6 + 2 * 20 / sound - 0.004; ++count) run.step(), sum += run.value("end.pressure");
  EXPECT_GT(count, 50);
  EXPECT_NEAR(sum / count - before, kDensity * sound * v, 5e-3 * kDensity * sound * v);
}

TEST(PowerCircuit, ALineSwingsAtTheFrequenciesOfItsChain) {
  // closed at one end, n segments: f_k = n c / (pi L) sin((2k - 1) pi / 4n)
  for (int n : {1, 2, 5}) {
    Simulation run = component("water_hammer", {"lines.pipe.segments=" + std::to_string(n), "signals.open=0", "volumes.end.volume=1 mm^3"});
    const LinearSystem linear = run.linearize();
    std::vector<double> found;
    for (const EigenvalueInfo& e : linear.eigenvalues)
      if (e.im > 0) found.push_back(e.frequency_hz);
    std::sort(found.begin(), found.end());
    ASSERT_EQ(found.size(), static_cast<std::size_t>(n));
    for (int k = 1; k <= n; ++k) {
      const double closed = n * std::sqrt(kModulus / kDensity) / (kPi * 20) * std::sin((2 * k - 1) * kPi / (4 * n));
      EXPECT_NEAR(found[static_cast<std::size_t>(k - 1)], closed, 1e-5 * closed) << n << " " << k;
    }
  }
}

TEST(PowerCircuit, PumpHasItsNominalPoint) {
  Simulation run = component("pump");
  EXPECT_NEAR(at(run, 1, "line.pressure"), 251e5, 10);
  EXPECT_NEAR(run.value("main.flow"), 0.95 * 45e-6 * 30, 1e-9);
  EXPECT_NEAR(run.value("main.shaft_power"), kD * 250e5 / 0.92 * 60 * kPi, 1e-6 * 4e4);
  EXPECT_NEAR(run.value("main.power_loss"), (1 / 0.92 - 0.95) * kD * 250e5 * 60 * kPi, 1e-6 * 4e4);
  expect_closed(run);
}

TEST(PowerCircuit, ControlHoldsItsMarginStandsByAndIsCutOff) {
  Simulation run = component("pump_control");
  const double full = 110e-6 * 30, leakage = 1e-11, band = 5e5;
  const auto resting = [&](double set, const std::function<double(double)>& consumer) {
    return set - band * root([&](double e) { return e * full - leakage * (set - band * e - kTank) - consumer(set - band * e); }, 0, 1);
  };
  const double C = 1e-3 / std::sqrt(20e5);
  EXPECT_NEAR(at(run, 1, "line.pressure"), resting(12e6, [&](double p) { return C * std::sqrt(p - 10e6); }), 100);
  EXPECT_NEAR(run.value("main.fraction") * full,
              C * std::sqrt(run.value("line.pressure") - 10e6) + leakage * (run.value("line.pressure") - kTank), 1e-8);
  EXPECT_NEAR(at(run, 2, "line.pressure"), resting(12e6, [](double) { return 0; }), 100);
  EXPECT_NEAR(at(run, 4, "line.pressure"), resting(32e6, [](double) { return 0; }), 100);
  expect_closed(run, 1e-4);
}

TEST(PowerCircuit, PrimeMoverDroopsAndStalls) {
  Simulation run = component("prime_mover");
  const auto torque = [&](double dp) { return 1.04 * kD * dp; };
  EXPECT_NEAR(run.value("main.speed"), 180 - 10 * torque(99e5) / 250, 1e-9);  // starts in balance
  EXPECT_NEAR(at(run, 2, "main.speed"), 180 - 10 * torque(199e5) / 250, 1e-6);
  const double begun = at(run, 2.5, "main.speed");
  EXPECT_NEAR(at(run, 3, "main.speed") - begun, 0.5 * (250 - torque(399e5)) / 0.8, 1e-6);
  expect_closed(run);
}

}  // namespace
}  // namespace trunnion
