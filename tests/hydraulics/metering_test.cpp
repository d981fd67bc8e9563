// A circuit of metering edges, open centre, reliefs and checks on a pump of fixed flow, run with the step. Reference: flows and
// pressures of the steady motions in closed form, the energy ledger, the same machine co-simulated.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "machine/observe.h"
#include "model/machines.h"
#include "results/run_case.h"
#include "support/machines.h"

namespace trunnion {
namespace {

using test::metering_machine;
using test::model_from;

constexpr double kTank = 1e5, kFlow = 500 / 6e4, kHead = 0.024, kRod = 0.012;
const double kEdge = 0.6 * 1e-4 * std::sqrt(2 / 850.0);  // c of an open edge
constexpr double kRelief = kFlow / 1e6;                  // flow per pressure above the cracking pressure

/// Pressure drop of an open edge.
double drop(double Q) { return std::pow(Q / kEdge, 2); }

/// All channels after a run to `end`.
std::map<std::string, double> steady(const std::string& rest, double end, const std::vector<std::string>& set = {}) {
  const auto model = model_from(metering_machine(rest + "solver: {step: 1 ms, duration: 3 s}\n"), set);
  const StateVector state = test::run(model, end);
  const auto observer = make_observer(model);
  observer->observe(state, Side::left);
  std::vector<double> values(observer->channels().size());
  observer->values(values.data());
  std::map<std::string, double> all;
  for (std::size_t i = 0; i < values.size(); ++i) all[observer->channels()[i].name] = values[i];
  return all;
}

void expect_near(const std::map<std::string, double>& at, const std::string& channel, double value, double tolerance) {
  ASSERT_TRUE(at.contains(channel)) << channel;
  EXPECT_NEAR(at.at(channel), value, tolerance) << channel;
}

TEST(MeteringCircuit, ExtendsAtThePumpsFlow) {
  const auto at = steady("signals: {lever: 1}\nforces: {load: {joint: mass, load: -100 kN}}\n", 1.5);
  const double v = kFlow / kHead, p_r = kTank + drop(kRod * v), p_h = (1e5 + kRod * p_r) / kHead, p_s = p_h + drop(kFlow);
  expect_near(at, "mass.speed", v, 1e-6 * v);
  expect_near(at, "rod.pressure", p_r, 1e-5 * p_r);
  expect_near(at, "head.pressure", p_h, 1e-5 * p_h);
  expect_near(at, "supply.pressure", p_s, 1e-5 * p_s);
  expect_near(at, "line.pressure", p_s + 2e5, 1e-5 * p_s);
  for (const char* edge : {"ph.flow", "pump_check.flow", "pump.flow", "lift.flow_A"}) expect_near(at, edge, kFlow, 1e-6 * kFlow);
  expect_near(at, "tr.flow", kFlow / 2, 1e-6 * kFlow);
  for (const char* shut : {"bleed.flow", "pr.flow", "th.flow", "pump_relief.flow", "head_relief.flow", "rod_relief.flow",
                           "head_suction.flow", "rod_suction.flow"})
    EXPECT_EQ(at.at(shut), 0) << shut;
  expect_near(at, "ph.opening", 1, 0);
  expect_near(at, "pr.opening", 0, 0);
  expect_near(at, "pump.power", kFlow * (p_s + 2e5 - kTank), 1e-5 * kFlow * p_s);
}

TEST(MeteringCircuit, RetractsThroughTheOtherEdges) {
  const double Q = kFlow / 5, v = Q / kRod, p_h = kTank + drop(kHead * v), p_r = (kHead * p_h + 2e4) / kRod;
  const auto at = steady("signals: {lever: -2}\nforces: {load: {joint: mass, load: 20 kN}}\n", 2, {"sources.pump.flow=100 L/min"});
  expect_near(at, "mass.speed", -v, 1e-6 * v);
  expect_near(at, "head.pressure", p_h, 1e-5 * p_h);
  expect_near(at, "rod.pressure", p_r, 1e-5 * p_r);
  expect_near(at, "supply.pressure", p_r + drop(Q), 1e-5 * p_r);
  expect_near(at, "pr.opening", 1, 0);  // no edge opens wider than its size
  expect_near(at, "ph.opening", 0, 0);
}

TEST(MeteringCircuit, StallsAtThePumpRelief) {
  const auto at = steady("signals: {lever: 1, still: 2 m}\nmotions: {wall: {joint: mass, signal: still}}\n", 1.5);
  expect_near(at, "pump_relief.flow", kFlow, 1e-6 * kFlow);
  for (const char* node : {"line.pressure", "supply.pressure", "head.pressure"}) expect_near(at, node, kTank + 37e6, 1000);
  expect_near(at, "pump_relief.power_loss", kFlow * 37e6, 1e-5 * kFlow * 37e6);
  EXPECT_EQ(at.at("head_relief.flow"), 0);
}

TEST(MeteringCircuit, IdlesThroughTheOpenCentreAndHoldsItsLoad) {
  const auto at = steady("signals: {lever: 0}\nforces: {load: {joint: mass, load: -300 kN}}\n", 1.5, {"solver.step=0.5 ms"});
  expect_near(at, "line.pressure", kTank + drop(kFlow), 1e-5 * drop(kFlow));
  expect_near(at, "bleed.flow", kFlow, 1e-6 * kFlow);
  for (const char* edge : {"ph.flow", "tr.flow", "pr.flow", "th.flow"}) EXPECT_EQ(at.at(edge), 0) << edge;
  EXPECT_LT(std::abs(at.at("mass.position") - 2), 0.02);  // compression of the oil under 300 kN, and its oscillation
}

TEST(MeteringCircuit, GivesWayThroughAChamberReliefAndDrawsOnTheOtherSide) {
  // speed v of retraction at which the head's relief and the rod's suction balance the load; the latter within its laminar zone
  const double F = 1030e3, suction = std::sqrt(0.3e5) * std::sqrt(2e5) / kFlow;  // [Pa s/m3]
  const double v = (F - kHead * (kTank + 42e6) + kRod * kTank) / (kHead * kHead / kRelief + kRod * kRod * suction);
  const auto at = steady("signals: {lever: 0}\nforces: {load: {joint: mass, load: -1030 kN}}\n", 1);
  expect_near(at, "mass.speed", -v, 1e-5 * v);
  expect_near(at, "head.pressure", kTank + 42e6 + kHead * v / kRelief, 100);
  expect_near(at, "rod.pressure", kTank - kRod * v * suction, 10);
  expect_near(at, "head_relief.flow", kHead * v, 1e-5 * kHead * v);
  expect_near(at, "rod_suction.flow", kRod * v, 1e-5 * kHead * v);
}

TEST(MeteringCircuit, SmallVolumesKeepTheSteadyMotion) {
  // stiff nodes between check and edges: 20 mL at 1 ms
  const std::vector<std::string> small{"volumes.line.volume=20 mL", "volumes.supply.volume=20 mL"};
  const auto at = steady("signals: {lever: {ramps: [[0, 0], [0.3 s, 1]]}}\nforces: {load: {joint: mass, load: -100 kN}}\n", 2, small);
  expect_near(at, "mass.speed", kFlow / kHead, 1e-4 * kFlow / kHead);
  EXPECT_EQ(at.at("pump_relief.flow"), 0);
}

TEST(MeteringCircuit, JumpsOfTheLeverPassHoweverSmallTheVolumes) {
  // centre and edges close and open at once in front of the running pump: kinks of all laws in one step
  for (const auto& [line, supply] : {std::pair{"20 mL", "10 mL"}, {"1 mL", "100 mL"}, {"100 mL", "1 mL"}}) {
    const CaseResult result =
        run_case(model_from(metering_machine("signals: {lever: {steps: [[0.1 s, 1], [0.4 s, -1], [0.6 s, 0], [0.8 s, 0.5]]}}\n"
                                             "forces: {load: {joint: mass, load: -100 kN}}\n"
                                             "solver: {step: 1 ms, duration: 1 s}\n"),
                            {std::string("volumes.line.volume=") + line, std::string("volumes.supply.volume=") + supply}));
    ASSERT_FALSE(result.failure) << line << ", " << supply << ": " << result.failure->what();
    EXPECT_LT(result.recorder->ledger().closed_to_percent(), 0.01) << line;
  }
}

TEST(MeteringCircuit, LagOfAnEdgeIsThatOfItsTimeConstant) {
  const auto at = steady("signals: {lever: {steps: [[0.1 s, 1]]}}\n", 0.15, {"valves.ph.orifice.time_constant=50 ms"});
  expect_near(at, "ph.opening", 1 - std::exp(-1.0), 1e-4);  // (h / tau)^2 / 12
  expect_near(at, "tr.opening", 1, 0);
}

TEST(MeteringCircuit, EnergyLedgerCloses) {
  const auto residual = [&](const char* step) {
    const CaseResult result = run_case(model_from(metering_machine("signals: {lever: {sine: {frequency: 0.5 Hz}}}\n"
                                                                   "forces: {load: {joint: mass, load: -100 kN}}\n"
                                                                   "solver: {duration: 2 s}\n"),
                                                  {step}));
    EXPECT_FALSE(result.failure) << result.failure->what();
    return result.recorder->ledger().closed_to_percent();
  };
  const double coarse = residual("solver.step=1 ms"), fine = residual("solver.step=0.25 ms");
  EXPECT_LT(coarse, 0.2);
  EXPECT_LT(fine, coarse / 6);  // kinks between steps reduce the order
}

/// Displacement of the mass after 0.5 s.
double way(const std::vector<std::string>& set) {
  const auto model = model_from(metering_machine("signals: {lever: {ramps: [[0, 0], [0.3 s, 0.8]]}}\n"
                                                 "forces: {load: {joint: mass, load: -100 kN}}\n"),
                                set);
  return test::coordinate(*model, test::run(model, 0.5), "mass") - 2;
}

TEST(MeteringCircuit, CutAtItsOilFollowsTheWhole) {
  const double whole = way({"solver.step=0.1 ms"});
  EXPECT_GT(whole, 0.02);
  const std::vector<std::string> cut{"solver.coupling=cosimulation", "solver.step=0.5 ms", "solver.constraints=double_step"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), cut.begin(), cut.end());
    return way(more);
  };
  EXPECT_NEAR(with({"coupling.scheme=jacobi", "coupling.hydraulics.integrator=rk4", "coupling.hydraulics.step=0.02 ms"}), whole,
              1e-3 * whole);
  EXPECT_NEAR(with({"coupling.scheme=sequential", "coupling.hydraulics.integrator=trapezoidal", "coupling.hydraulics.step=0.1 ms"}), whole,
              1e-3 * whole);
  EXPECT_NEAR(with({"coupling.scheme=parallel", "coupling.hydraulics.integrator=trapezoidal", "coupling.hydraulics.step=0.1 ms"}), whole,
              1e-2 * whole);
}

}  // namespace
}  // namespace trunnion
