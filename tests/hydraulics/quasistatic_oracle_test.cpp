// The quasistatic actuators compared with the reference that solves the original relations by nested bracketing: forces to 1e-9 of
// F_hM + F_rM on random circuits, including degenerate ones, with and without regeneration, alone and on one pump.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "hydraulics/quasistatic/metering_circuit.h"
#include "problems/quasistatic_reference.h"

namespace trunnion {
namespace {

using problems::ActuatorReference;
using problems::GammaReference;
using problems::QuasistaticCase;
using problems::QuasistaticState;

constexpr double kForceAccuracy = 1e-9;  // of F_hM + F_rM

/// Actuators with these conductances as the coefficients of open valves.
struct Circuit {
  std::vector<MeteringOpenings> openings;
  MeteringCommand command;
  MeteringCircuit circuit;
  MeteringSolution solution;

  Circuit(const std::vector<ActuatorReference>& actuators, const problems::PumpReference& pump)
      : circuit(constants_of(actuators), {pump.P_M, pump.bleed}), solution(static_cast<int>(actuators.size())) {
    const auto opening = [](double conductance) { return conductance > 0 ? 1.0 : 0.0; };
    for (const ActuatorReference& a : actuators)
      openings.push_back({opening(a.ph), opening(a.tr), opening(a.pr), opening(a.th), opening(a.a)});
    command = {pump.Q, opening(pump.bleed), openings};
  }
  static std::vector<MeteringActuator> constants_of(const std::vector<ActuatorReference>& actuators) {
    std::vector<MeteringActuator> all;
    for (const ActuatorReference& a : actuators) all.push_back({a.A_h, a.A_r, a.P_hM, a.P_rM, a.ph, a.tr, a.pr, a.th, a.a});
    return all;
  }
};

/// Of forces within `range`: the reference's is as wide as the rounding of v and Q, which matters at vertical pieces only.
void expect_forces(const Interval& own, double lower, double upper, double scale, bool exact, const std::string& where) {
  const double accuracy = kForceAccuracy * scale;
  EXPECT_LE(own.lower, own.upper) << where;
  EXPECT_GE(own.lower, lower - accuracy) << where;
  EXPECT_LE(own.upper, upper + accuracy) << where;
  if (!exact) return;
  EXPECT_NEAR(own.lower, lower, accuracy) << where;
  EXPECT_NEAR(own.upper, upper, accuracy) << where;
}

TEST(QuasistaticAgainstReference, GammaOfOneActuator) {
  int plain = 0, regenerating = 0, through_the_valve = 0, sets = 0, vertical = 0;
  for (unsigned seed = 0; plain < 2000 || regenerating < 2000; ++seed) {
    const QuasistaticCase c = problems::random_case(seed);
    for (std::size_t j = 0; j < c.actuators.size(); ++j) {
      const ActuatorReference& actuator = c.actuators[j];
      Circuit own({actuator}, c.pump);
      Interval f;
      own.circuit.forces(own.command, std::span(&c.v[j], 1), std::span(&f, 1), own.solution);
      const GammaReference reference = problems::reference_gamma(actuator, c.pump, c.v[j]);
      const bool jump = c.v[j] != 0 && reference.upper - reference.lower > kForceAccuracy * actuator.force_scale();
      expect_forces(f, reference.lower, reference.upper, actuator.force_scale(), !jump,
                    "case " + std::to_string(seed) + ", " + std::to_string(j));
      ++(actuator.a > 0 ? regenerating : plain);
      through_the_valve += reference.at_lower.Q_a > 0;
      sets += f.lower < f.upper;
      vertical += jump;
    }
  }
  EXPECT_GT(through_the_valve, 300);
  EXPECT_GT(sets, 300);
  EXPECT_GT(vertical, 20);
}

TEST(QuasistaticAgainstReference, LambdaOfOneActuator) {
  for (unsigned seed = 2000; seed < 3000; ++seed) {
    const QuasistaticCase c = problems::random_case(seed);
    const ActuatorReference& actuator = c.actuators[0];
    Circuit own({actuator}, c.pump);
    own.circuit.solve(own.command, std::span(&c.beta[0], 1), std::span(&c.fbar[0], 1), own.solution);
    const QuasistaticState reference = problems::reference_lambda(actuator, c.pump, c.beta[0], c.fbar[0]);
    const double scale = actuator.force_scale() + std::abs(c.fbar[0]);
    EXPECT_NEAR(own.solution.f[0], reference.f, kForceAccuracy * scale) << "case " << seed;
    EXPECT_NEAR(own.solution.v[0], reference.v, 1e-12 * scale / c.beta[0]) << "case " << seed;
  }
}

TEST(QuasistaticAgainstReference, LambdaOfSeveralActuatorsOnOnePump) {
  int several = 0, below_relief = 0;
  for (unsigned seed = 3000; seed < 3600; ++seed) {
    const QuasistaticCase c = problems::random_case(seed);
    const std::size_t n = c.actuators.size();
    Circuit own(c.actuators, c.pump);
    std::vector<MeteringFlows> flows(n);
    PumpFlows pump;
    own.circuit.solve(own.command, c.beta, c.fbar, own.solution);
    own.circuit.recover(own.command, c.beta, c.fbar, own.solution, flows, pump);
    const std::vector<QuasistaticState> reference = problems::reference_lambda(c.actuators, c.pump, c.beta, c.fbar);
    double flow_scale = c.pump.Q;
    for (std::size_t j = 0; j < n; ++j)
      flow_scale = std::max(flow_scale, std::abs(flows[j].v) * std::max(c.actuators[j].A_h, c.actuators[j].A_r));
    for (std::size_t j = 0; j < n; ++j) {
      const double scale = c.actuators[j].force_scale() + std::abs(c.fbar[j]);
      EXPECT_NEAR(own.solution.f[j], reference[j].f, kForceAccuracy * scale) << "case " << seed;
      EXPECT_NEAR(own.solution.v[j], reference[j].v, 1e-11 * scale / c.beta[j]) << "case " << seed;
      EXPECT_NEAR(flows[j].Q_a, reference[j].Q_a, 1e-9 * flow_scale) << "case " << seed;
    }
    several += n > 1;
    below_relief += pump.P < c.pump.P_M;
  }
  EXPECT_GT(several, 250);
  EXPECT_GT(below_relief, 200);
}

TEST(QuasistaticAgainstReference, GammaOfSeveralActuatorsOnOnePump) {
  for (unsigned seed = 4000; seed < 4400; ++seed) {
    const QuasistaticCase c = problems::random_case(seed);
    const std::size_t n = c.actuators.size();
    Circuit own(c.actuators, c.pump);
    std::vector<Interval> f(n);
    own.circuit.forces(own.command, c.v, f, own.solution);
    const problems::Interval P = problems::reference_pressure(c.actuators, c.pump, c.v);
    for (std::size_t j = 0; j < n; ++j) {
      const double lower_P = c.actuators[j].force_scale() * kForceAccuracy;
      GammaReference ends[] = {problems::reference_gamma_at_pressure(c.actuators[j], P.lower, c.v[j]),
                               problems::reference_gamma_at_pressure(c.actuators[j], P.upper, c.v[j])};
      const double lower = std::min(ends[0].lower, ends[1].lower), upper = std::max(ends[0].upper, ends[1].upper);
      const bool jump = c.v[j] != 0 && upper - lower > lower_P;
      expect_forces(f[j], lower, upper, c.actuators[j].force_scale(), !jump && P.upper - P.lower < 1e-9 * c.pump.P_M,
                    "case " + std::to_string(seed) + ", " + std::to_string(j));
    }
  }
}

}  // namespace
}  // namespace trunnion
