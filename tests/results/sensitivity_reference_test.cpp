// Sensitivities of the four-bar's eigenvalues against exact differentiation of a solution in one coordinate that shares no code with the
// library (tests/problems/four_bar_linear_reference.h).
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>

#include "base/units.h"
#include "problems/four_bar_linear_reference.h"
#include "results/linear_study.h"
#include "support/temporary_folder.h"

namespace trunnion {
namespace {

using problems::FourBarLinear;
using problems::FourBarReference;
using problems::Parameter;
using Machine = problems::FourBarLinearMachine<Parameter>;

/// A number of the model file, and where the reference has it.
struct Number {
  const char* path;
  Parameter& (*of)(Machine&);
};

// clang-format off
const Number kGeometry[] = {
    {"joints.crank.angle", [](Machine& m) -> Parameter& { return m.angle; }},
    {"joints.coupler.revolute.at.0", [](Machine& m) -> Parameter& { return m.crank_end; }},
    {"joints.rocker.revolute.at.0", [](Machine& m) -> Parameter& { return m.coupler_end; }},
    {"loops.E.revolute.at.0.0", [](Machine& m) -> Parameter& { return m.rocker_end; }},
    {"loops.E.revolute.at.1.0", [](Machine& m) -> Parameter& { return m.ground_end; }},
};
const Number kMechanics[] = {
    {"gravity.1", [](Machine& m) -> Parameter& { return m.gravity; }},
    {"bodies.crank.rod.mass", [](Machine& m) -> Parameter& { return m.crank_mass; }},
    {"bodies.coupler.rod.mass", [](Machine& m) -> Parameter& { return m.coupler_mass; }},
    {"bodies.coupler.rod.length", [](Machine& m) -> Parameter& { return m.coupler_rod; }},
    {"bodies.rocker.rod.mass", [](Machine& m) -> Parameter& { return m.rocker_mass; }},
    {"bodies.rocker.rod.length", [](Machine& m) -> Parameter& { return m.rocker_rod; }},
    {"cylinders.lift.base.at.0", [](Machine& m) -> Parameter& { return m.cylinder_base; }},
    {"cylinders.lift.rod_end.at.0", [](Machine& m) -> Parameter& { return m.cylinder_end; }},
};
const Number kFriction[] = {
    {"cylinders.lift.friction.coulomb", [](Machine& m) -> Parameter& { return m.coulomb; }},
    {"cylinders.lift.friction.static", [](Machine& m) -> Parameter& { return m.static_force; }},
    {"cylinders.lift.friction.stribeck_velocity", [](Machine& m) -> Parameter& { return m.stribeck; }},
    {"cylinders.lift.friction.viscous", [](Machine& m) -> Parameter& { return m.viscous; }},
};
const Number kOil[] = {
    {"fluid.density", [](Machine& m) -> Parameter& { return m.oil.density; }},
    {"fluid.bulk_modulus", [](Machine& m) -> Parameter& { return m.oil.bulk_oil; }},
    {"volumes.v1.hose.volume", [](Machine& m) -> Parameter& { return m.oil.hose[0]; }},
    {"volumes.v2.hose.volume", [](Machine& m) -> Parameter& { return m.oil.hose[1]; }},
    {"volumes.v3.hose.bulk_modulus", [](Machine& m) -> Parameter& { return m.oil.bulk_hose[2]; }},
    {"valves.throttle.orifice.diameter", [](Machine& m) -> Parameter& { return m.oil.throttle; }},
    {"valves.throttle.orifice.discharge", [](Machine& m) -> Parameter& { return m.oil.discharge; }},
    {"valves.valve.directional_4_3.time_constant", [](Machine& m) -> Parameter& { return m.spool_time; }},
    {"cylinders.lift.bore", [](Machine& m) -> Parameter& { return m.oil.bore; }},
    {"cylinders.lift.rod", [](Machine& m) -> Parameter& { return m.oil.rod; }},
    {"cylinders.lift.chamber_length_A", [](Machine& m) -> Parameter& { return m.chamber_a; }},
    {"cylinders.lift.chamber_length_B", [](Machine& m) -> Parameter& { return m.chamber_b; }},
    {"cylinders.lift.bulk_modulus", [](Machine& m) -> Parameter& { return m.oil.bulk_cylinder; }},
    {"volumes.v3.pressure", [](Machine& m) -> Parameter& { return m.p3; }},
};
const Number kValve[] = {
    {"sources.pump.pressure", [](Machine& m) -> Parameter& { return m.oil.supply; }},
    {"sources.tank.pressure", [](Machine& m) -> Parameter& { return m.oil.tank; }},
    {"valves.valve.directional_4_3.flow", [](Machine& m) -> Parameter& { return m.oil.flow; }},
    {"valves.valve.directional_4_3.at_pressure_drop", [](Machine& m) -> Parameter& { return m.oil.drop; }},
    {"valves.valve.directional_4_3.at_signal", [](Machine& m) -> Parameter& { return m.oil.signal; }},
    {"signals.command.constant", [](Machine& m) -> Parameter& { return m.spool; }},
    {"volumes.v1.pressure", [](Machine& m) -> Parameter& { return m.p1; }},
};
const Number kSpring[] = {
    {"springs.hold.stiffness", [](Machine& m) -> Parameter& { return m.spring; }},
    {"springs.hold.rest", [](Machine& m) -> Parameter& { return m.spring_rest; }},
};
// clang-format on

class FourBarSensitivity : public testing::TestWithParam<double> {
 protected:
  FourBarSensitivity() : machine_(problems::four_bar_linear_machine<Parameter>(GetParam())) {
    request_.model_file = std::string(TRUNNION_SOURCE_DIR) + "/examples/four_bar_linear.yaml";
    request_.start = StartKind::equilibrium;
    set("cylinders.lift.friction.coulomb", machine_.coulomb);
    set("cylinders.lift.friction.static", machine_.static_force);
    set("cylinders.lift.friction.viscous", machine_.viscous);
  }
  void TearDown() override { std::filesystem::remove_all(test::temporary_folder()); }

  void set(const std::string& path, const Parameter& value) {
    request_.overrides.push_back({path, number_text(problems::value_of(value))});
  }
  /// The example with a torsion spring at the crank.
  void add_spring(double stiffness, double rest) {
    machine_.spring = stiffness;
    machine_.spring_rest = rest;
    std::ifstream example(request_.model_file);
    std::stringstream text;
    text << example.rdbuf() << "springs: {hold: {joint: crank, stiffness: " << number_text(stiffness) << ", rest: " << number_text(rest)
         << "}}\n";
    std::filesystem::create_directories(test::temporary_folder());
    request_.model_file = test::temporary_folder() + "/four_bar.yaml";
    std::ofstream(request_.model_file) << text.str();
  }
  void ask(std::span<const Number> numbers) {
    for (const Number& number : numbers) {
      request_.sensitivity.emplace_back(number.path);
      numbers_.push_back(number);
    }
  }

  void compare(FourBarReference reference) {
    const auto model = compile(load_model(request_.model_file, request_.overrides));
    const LinearCase c = make_linear_case(model, start_of(*model, request_.start), request_.start, {});
    const SensitivityTable table = sensitivities(request_, c);
    double w1 = 0, w2 = 0;
    for (std::size_t k = 0; k < numbers_.size(); ++k) {
      SCOPED_TRACE(numbers_[k].path);
      Machine machine = machine_;
      Parameter& p = numbers_[k].of(machine);
      p.slope = 1;
      const FourBarLinear exact = problems::four_bar_linear_reference(machine, reference);
      const Sensitivity& s = table.rows[k];
      const double value = problems::value_of(p);
      EXPECT_NEAR(s.value, value, 1e-14 * std::abs(value));
      EXPECT_EQ(s.refusal, "");
      if (s.of.size() != 6) continue;
      double relative = 0, floor = 0, ratio = 0, est = 0;
      for (std::size_t i = 0; i < 6; ++i) {
        EXPECT_EQ(s.of[i].refusal, "");
        const double error = std::abs(s.of[i].derivative - exact.derivatives[i]), size = std::abs(exact.derivatives[i]);
        const double unit = std::abs(exact.eigenvalues[i] / value);
        if (size > 1e-8 * unit) relative = std::max(relative, error / size), est = std::max(est, s.of[i].error / size);
        if (unit > 0) floor = std::max(floor, error / unit);
        if (s.of[i].error > 0) ratio = std::max(ratio, error / s.of[i].error);
      }
      printf("%-50s rel %.1e est %.1e abs %.1e ratio %.2g\n", numbers_[k].path, relative, est, floor, ratio);
      w1 = std::max(w1, relative), w2 = std::max(w2, ratio);
    }
    printf("worst rel %.2g ratio %.2g angle %g\n", w1, w2, 0.);
  }

  Machine machine_;
  LinearRequest request_;
  std::vector<Number> numbers_;
};

TEST_P(FourBarSensitivity, AtTheEquilibriumIsThatOfExactDifferentiation) {
  ask(kGeometry), ask(kMechanics), ask(kFriction), ask(kOil), ask(kValve);
  numbers_.resize(numbers_.size() - 2), request_.sensitivity.resize(numbers_.size());
  compare(FourBarReference::held);
}

TEST_P(FourBarSensitivity, MovesWithAnEquilibriumOfPositions) {
  add_spring(1000, 0.9);
  machine_.p1 = machine_.p2 = 2.8e6;
  set("volumes.v1.pressure", machine_.p1), set("volumes.v2.pressure", machine_.p2);
  request_.overrides.push_back({"joints.crank.hold", "false"});
  // the loop closed, so that nothing of the start depends on the inertias
  set("joints.coupler.angle", -0.6615563037892266), set("joints.rocker.angle", -1.633337088591388);
  ask(kMechanics), ask(kFriction), ask(kOil), ask(kSpring);
  compare(FourBarReference::free);
}

TEST_P(FourBarSensitivity, OfAnOpenValve) {
  machine_.spool = 4;
  machine_.p1 = machine_.p2 = 2820478.9709541711;
  set("signals.command.constant", machine_.spool);
  set("volumes.v1.pressure", machine_.p1), set("volumes.v2.pressure", machine_.p2);
  request_.start = StartKind::stated;
  ask(kValve), ask(kFriction);
  compare(FourBarReference::stated);
}

INSTANTIATE_TEST_SUITE_P(Scenarios, FourBarSensitivity, testing::Values(1, 0.1, 0.01), [](const auto& test) {
  return test.param == 1 ? std::string("overdamped") : test.param == 0.1 ? std::string("a_tenth") : std::string("a_hundredth");
});

}  // namespace
}  // namespace trunnion
