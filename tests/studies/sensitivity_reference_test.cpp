// Sensitivities of the four-bar's eigenvalues compared with exact differentiation of an independent solution in one coordinate
// (tests/problems/four_bar_linear_reference.h).
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/units.h"
#include "problems/four_bar_linear_reference.h"
#include "studies/linear_study.h"
#include "support/temporary_folder.h"

namespace trunnion {
namespace {

using problems::FourBarLinear;
using problems::FourBarReference;
using problems::Parameter;
using Machine = problems::FourBarLinearMachine<Parameter>;

/// A number of the model file, and its place in the reference.
struct Number {
  const char* path;
  Parameter& (*of)(Machine&);
};

// geometry, inertia, friction, and oil, with the pressures that balance them
const std::vector<Number> kHeld = {
    {"joints.crank.angle", [](Machine& m) -> Parameter& { return m.angle; }},
    {"joints.rocker.revolute.at.0", [](Machine& m) -> Parameter& { return m.coupler_end; }},
    {"loops.E.revolute.at.1.0", [](Machine& m) -> Parameter& { return m.ground_end; }},
    {"bodies.coupler.rod.mass", [](Machine& m) -> Parameter& { return m.coupler_mass; }},
    {"bodies.rocker.rod.length", [](Machine& m) -> Parameter& { return m.rocker_rod; }},
    {"cylinders.lift.base.at.0", [](Machine& m) -> Parameter& { return m.cylinder_base; }},
    {"cylinders.lift.bore", [](Machine& m) -> Parameter& { return m.oil.bore; }},
    {"cylinders.lift.friction.coulomb", [](Machine& m) -> Parameter& { return m.coulomb; }},
    {"cylinders.lift.friction.stribeck_velocity", [](Machine& m) -> Parameter& { return m.stribeck; }},
    {"fluid.bulk_modulus", [](Machine& m) -> Parameter& { return m.oil.bulk_oil; }},
    {"fluid.density", [](Machine& m) -> Parameter& { return m.oil.density; }},
    {"volumes.v2.hose.volume", [](Machine& m) -> Parameter& { return m.oil.hose[1]; }},
    {"volumes.v3.hose.bulk_modulus", [](Machine& m) -> Parameter& { return m.oil.bulk_hose[2]; }},
    {"valves.throttle.orifice.diameter", [](Machine& m) -> Parameter& { return m.oil.throttle; }},
    {"valves.valve.directional_4_3.time_constant", [](Machine& m) -> Parameter& { return m.spool_time; }},
};
// parameters that move the crank's equilibrium; none that the start of the loop depends on
const std::vector<Number> kFree = {
    {"gravity.1", [](Machine& m) -> Parameter& { return m.gravity; }},
    {"bodies.crank.rod.mass", [](Machine& m) -> Parameter& { return m.crank_mass; }},
    {"bodies.coupler.rod.length", [](Machine& m) -> Parameter& { return m.coupler_rod; }},
    {"bodies.rocker.rod.mass", [](Machine& m) -> Parameter& { return m.rocker_mass; }},
    {"cylinders.lift.rod_end.at.0", [](Machine& m) -> Parameter& { return m.cylinder_end; }},
    {"cylinders.lift.rod", [](Machine& m) -> Parameter& { return m.oil.rod; }},
    {"cylinders.lift.chamber_length_A", [](Machine& m) -> Parameter& { return m.chamber_a; }},
    {"cylinders.lift.friction.static", [](Machine& m) -> Parameter& { return m.static_force; }},
    {"volumes.v3.pressure", [](Machine& m) -> Parameter& { return m.p3; }},
    {"springs.hold.stiffness", [](Machine& m) -> Parameter& { return m.spring; }},
    {"springs.hold.rest", [](Machine& m) -> Parameter& { return m.spring_rest; }},
};
// parameters of the open valve only
const std::vector<Number> kOpen = {
    {"sources.pump.pressure", [](Machine& m) -> Parameter& { return m.oil.supply; }},
    {"sources.tank.pressure", [](Machine& m) -> Parameter& { return m.oil.tank; }},
    {"valves.valve.directional_4_3.flow", [](Machine& m) -> Parameter& { return m.oil.flow; }},
    {"valves.valve.directional_4_3.at_pressure_drop", [](Machine& m) -> Parameter& { return m.oil.drop; }},
    {"signals.command.constant", [](Machine& m) -> Parameter& { return m.spool; }},
    {"volumes.v1.pressure", [](Machine& m) -> Parameter& { return m.p1; }},
    {"cylinders.lift.friction.viscous", [](Machine& m) -> Parameter& { return m.viscous; }},
};
constexpr double kBalance = 2820478.9709541711;  // [Pa] p1 = p2 of the equilibrium

class FourBarSensitivity : public testing::Test {
 protected:
  FourBarSensitivity() {
    request_.model_file = std::string(TRUNNION_SOURCE_DIR) + "/examples/four_bar_linear.yaml";
    request_.start = StartKind::equilibrium;
    set_friction(1);
  }
  void TearDown() override { std::filesystem::remove_all(test::temporary_folder()); }

  void set(const std::string& path, const Parameter& value) {
    request_.overrides.push_back({path, number_text(problems::value_of(value))});
  }
  void set_friction(double friction) {
    machine_ = problems::four_bar_linear_machine<Parameter>(friction);
    set("cylinders.lift.friction.coulomb", machine_.coulomb);
    set("cylinders.lift.friction.static", machine_.static_force);
    set("cylinders.lift.friction.viscous", machine_.viscous);
  }
  /// The crank is at rest by these pressures and a torsion spring.
  void release(double p1, double p2) {
    machine_.spring = 1000;
    machine_.spring_rest = 0.9;
    std::ifstream example(request_.model_file);
    std::stringstream text;
    text << example.rdbuf() << "springs: {hold: {joint: crank, stiffness: 1000, rest: 0.9}}\n";
    std::filesystem::create_directories(test::temporary_folder());
    request_.model_file = test::temporary_folder() + "/four_bar.yaml";
    std::ofstream(request_.model_file) << text.str();
    request_.overrides.push_back({"joints.crank.hold", "false"});
    set("joints.coupler.angle", -0.6615563037892266), set("joints.rocker.angle", -1.633337088591388);  // closes the loop to rounding
    set("volumes.v1.pressure", machine_.p1 = p1), set("volumes.v2.pressure", machine_.p2 = p2);
  }
  /// The crank, as if at rest, during flow of the oil.
  void start_with(double command, double p1, double p2) {
    request_.start = StartKind::given;
    set("signals.command.constant", machine_.spool = command);
    set("volumes.v1.pressure", machine_.p1 = p1), set("volumes.v2.pressure", machine_.p2 = p2);
  }

  LinearCase linear_case() const {
    const auto model = compile(load_model(request_.model_file, request_.overrides));
    return make_linear_case(model, start_of(model, request_.start), request_.start, {});
  }
  void compare(const std::vector<Number>& numbers, FourBarReference reference) {
    request_.sensitivity.clear();
    for (const Number& number : numbers) request_.sensitivity.emplace_back(number.path);
    const LinearCase c = linear_case();
    const SensitivityTable table = sensitivities(request_, c);
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      SCOPED_TRACE(numbers[k].path);
      Machine machine = machine_;
      Parameter& p = numbers[k].of(machine);
      p.slope = 1;
      const FourBarLinear exact = problems::four_bar_linear_reference(machine, reference);
      EXPECT_NEAR(c.reference.q()[0], exact.angle, 1e-12);
      const Sensitivity& s = table.rows[k];
      const double value = problems::value_of(p);
      EXPECT_NEAR(s.value, value, 1e-15 * std::abs(value));
      ASSERT_EQ(s.refusal, "");
      ASSERT_EQ(s.of.size(), 6U);
      for (std::size_t i = 0; i < 6; ++i) {
        EXPECT_EQ(s.of[i].refusal, "");
        const double error = std::abs(s.of[i].derivative - exact.derivatives[i]), size = std::abs(exact.derivatives[i]),
                     unit = std::abs(exact.eigenvalues[i] / value);  // the derivative of an eigenvalue proportional to p
        EXPECT_LE(error, 1e-10 * size + 1e-12 * unit) << exact.eigenvalues[i];
        EXPECT_LE(error, s.of[i].error + 1e-15 * size) << exact.eigenvalues[i];
        EXPECT_LE(s.of[i].error, 1e-8 * size + 1e-10 * unit) << exact.eigenvalues[i];
      }
    }
  }
  Sensitivity of(const std::string& path) {
    request_.sensitivity = {path};
    return sensitivities(request_, linear_case()).rows[0];
  }

  Machine machine_;
  LinearStudyRequest request_;
};

TEST_F(FourBarSensitivity, AtTheEquilibriumIsThatOfExactDifferentiation) {
  for (const double friction : {1.0, 0.1, 0.01}) {
    SCOPED_TRACE(friction);
    set_friction(friction);
    compare(kHeld, FourBarReference::locked);
  }
}

TEST_F(FourBarSensitivity, MovesWithTheAngleOfRest) {
  set_friction(0.01);
  release(2.8e6, 2.8e6);
  compare(kFree, FourBarReference::free);
  // with another pressure on one side of the throttle there is flow
  EXPECT_NE(of("volumes.v1.pressure").refusal.find("it cannot be varied to both sides"), std::string::npos);
  EXPECT_NE(of("volumes.v1.pressure").refusal.find("oil flows"), std::string::npos);
}

TEST_F(FourBarSensitivity, OfAnOpenValveIsThatOfExactDifferentiation) {
  start_with(4, kBalance, kBalance);
  compare(kOpen, FourBarReference::given);
}

TEST_F(FourBarSensitivity, IsRefusedAtAShutValveAndWhereFlowBecomesTurbulent) {
  start_with(0, kBalance, kBalance);
  const LinearCase shut = linear_case();
  const Sensitivity command = of("signals.command.constant");
  ASSERT_EQ(command.of.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    const Eigenvalue& e = shut.spectrum.eigenvalues[i];
    const std::string& refusal = command.of[i].refusal;
    if (e.chain > 0)
      EXPECT_NE(refusal.find("zero here but not at neighbouring values"), std::string::npos) << refusal;
    else if (std::abs(e.value + 1 / problems::value_of(machine_.spool_time)) < 1e-9)
      EXPECT_EQ(refusal, "");  // of the spool, on which nothing acts
    else
      EXPECT_NE(refusal.find("not smooth"), std::string::npos) << e.value << refusal;
  }
  start_with(0, kBalance + problems::kLaminarLimit, kBalance);
  int refused = 0;
  for (const EigenvalueSensitivity& s : of("volumes.v1.pressure").of) refused += s.refusal.find("not smooth") != std::string::npos;
  EXPECT_EQ(refused, 3);
}

}  // namespace
}  // namespace trunnion
