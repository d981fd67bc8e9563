// Co-simulated machines with control blocks, compared with their monolithic runs: blocks belong to the hydraulic side, read the mechanism
// through the coupling, and drive loads through bonds.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "model/coupling_memory.h"
#include "results/run_case.h"
#include "support/allocation_counter.h"
#include "support/machines.h"

namespace trunnion::test {
namespace {

using Settings = std::vector<std::string>;

Settings cosimulated(Settings more) {
  more.insert(more.begin(), "solver.coupling=cosimulation");
  return more;
}

/// A crane that a valve moves to an angle, with an arm that a motor without oil moves, and wind that depends on the motion.
const char* const kArm = R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies:
  boom: {shapes: [{rod: {length: 4 m, mass: 250 kg}}, {point_mass: {mass: 400 kg, at: [4 m, 0, 0]}}]}
  arm: {rod: {length: 1.5 m, mass: 40 kg}}
joints:
  boom: {revolute: {parent: ground, axis: z}, angle: 15 deg, hold: true}
  arm: {revolute: {parent: boom, at: [4 m, 0, 0], axis: z}, angle: -60 deg,
        friction: {model: lugre, coulomb: 5, static: 8, viscous: 3, bristle_stiffness: 1e4, bristle_damping: 20, stribeck_velocity: 0.05}}
fluid: {density: 870 kg/m^3, bulk_modulus: 1400 MPa}
volumes:
  head: {volume: 0.6 L, pressure: 11.1 MPa}
  rod:  {volume: 0.6 L, pressure: 10.05 MPa}
sources: {pump: {pressure: 21 MPa}, tank: {pressure: 2 bar}}
valves:
  main: {directional_4_3: {P: pump, T: tank, A: head, B: rod, flow: 40 L/min, at_pressure_drop: 3.5 MPa, at_signal: 1,
                           time_constant: 10 ms},
         signal: lift_angle}
cylinders:
  lift: {base: {body: ground, at: [0.35 m, -0.9 m, 0]}, rod_end: {body: boom, at: [1.1 m, -0.1 m, 0]}, A: head, B: rod, bore: 80 mm,
         rod: 50 mm, chamber_length_A: 0.3 m, chamber_length_B: 0.5 m, viscous: 8 kN s/m}
forces:
  motor: {joint: arm, load: 1 N m, signal: torque}
  wind: {body: boom, at: [2 m, 0, 0], force: [1 N, 0, 0], signal: gust}
signals:
  target: {table: [[0.1 s, 15 deg], [0.6 s, 20 deg]], smooth: true}
  arm_target: {table: [[0.1 s, -60 deg], [0.5 s, -30 deg], [0.9 s, -50 deg]], smooth: true}
control:
  lift_angle: {pid: {setpoint: target, measurement: boom.angle, gain: 4, integral_time: 2 s, min: -1, max: 1}}
  torque: {pid: {setpoint: arm_target, measurement: arm.angle, gain: 4000, integral_time: 0.5 s, derivative_time: 0.2 s}}
  gust: {expression: "200*sin(3*boom.angle)*boom.rate"}
solver: {step: 1 ms, duration: 0.8 s}
)";

using Model = std::shared_ptr<const CompiledModel>;

/// Positions at some times of a run.
std::vector<double> positions(const Model& model, double end) {
  Runner run(model);
  std::vector<double> all;
  for (int i = 1; i <= 40; ++i) {
    run.advance(end * i / 40);
    all.insert(all.end(), run.state().q(), run.state().q() + run.model()->layout.nq);
  }
  return all;
}
double farthest(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

/// A machine by its settings.
struct Machine {
  const char* name;
  Model (*with)(const Settings&);
  double end, step;  // [s]; [ms] longest of two communication steps
};
Model arm(const Settings& set) { return model_from(kArm, set); }
const Machine kMachines[] = {
    {"position_servo", [](const Settings& set) { return load_example("position_servo", set); }, 1.2, 0.5},
    {"active_damping", [](const Settings& set) { return load_example("active_damping", set); }, 1.6, 2},
    {"driven_loads", arm, 0.8, 2},
};
class ControlledCosimulation : public ::testing::TestWithParam<Machine> {};

/// As without control: order m + 1.
TEST_P(ControlledCosimulation, ConvergesWithTheOrderOfTheExtrapolation) {
  const Machine& machine = GetParam();
  const std::vector<double> exact = positions(machine.with({"solver.step=0.05 ms"}), machine.end);
  for (const int m : {0, 1}) {
    const auto error = [&](double step) {
      return farthest(exact, positions(machine.with(cosimulated({"coupling.extrapolation=" + std::to_string(m),
                                                                 "coupling.step=" + std::to_string(step) + " ms"})),
                                       machine.end));
    };
    const double fine = error(machine.step / 2), coarse = error(machine.step);
    EXPECT_NEAR(std::log2(coarse / fine), m + 1, 0.2) << m << ": " << coarse << " " << fine;
  }
}

TEST_P(ControlledCosimulation, OfEverySchemeIsCloseToTheMonolithicRun) {
  const Machine& machine = GetParam();
  const std::vector<double> exact = positions(machine.with({"solver.step=0.05 ms"}), machine.end);
  const auto range = std::minmax_element(exact.begin(), exact.end());
  for (const Settings& settings :
       {Settings{"coupling.variables=velocity_force", "coupling.friction=hydraulics"}, Settings{"coupling.scheme=gauss_seidel"},
        Settings{"coupling.scheme=gauss_seidel", "coupling.order=mechanism_first"}, Settings{"coupling.scheme=iterated_jacobi"},
        Settings{"coupling.prediction=interface_model"}, Settings{"coupling.scheme=sequential"},
        Settings{"coupling.hydraulics.integrator=trapezoidal"}, Settings{"coupling.acceleration=true"},
        Settings{"coupling.control.tolerance=1e-4", "coupling.control.min_step=0.1 ms"}})
    EXPECT_LT(farthest(exact, positions(machine.with(cosimulated(settings)), machine.end)), 1e-4 * (*range.second - *range.first))
        << settings.front();
}

/// Sampled blocks included: communication steps end at their samples.
TEST_P(ControlledCosimulation, ContinuesFromItsStateAndThreadsChangeNoBit) {
  const Machine& machine = GetParam();
  const std::string block = machine.with({})->hydraulics.control.back().name;
  for (const Settings& settings :
       {Settings{}, Settings{"control." + block + ".period=3.3 ms", "control." + block + ".latency=1 ms"},
        Settings{"coupling.scheme=iterated_jacobi"}, Settings{"coupling.scheme=sequential", "control." + block + ".period=3.3 ms"}}) {
    Settings threads = settings;
    threads.emplace_back("coupling.threads=2");
    const Model model = machine.with(cosimulated(settings));
    Runner whole(model), first(model), threaded(machine.with(cosimulated(threads)));
    whole.advance(0.1);
    first.advance(0.037);
    Runner second(model, first.state());
    second.advance(0.1);
    threaded.advance(0.1);
    EXPECT_EQ(whole.state().values(), second.state().values());
    EXPECT_EQ(whole.state().values(), threaded.state().values());
    if (!allocations_are_counted()) continue;
    const long before = allocations();
    whole.advance(0.12);
    EXPECT_EQ(allocations(), before);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, ControlledCosimulation, ::testing::ValuesIn(kMachines),
                         [](const auto& parameter) { return std::string(parameter.param.name); });

/// Driven loads exchange power, what blocks read does not.
TEST(ControlledBonds, AreThoseOfCylindersAndDrivenLoads) {
  for (const char* variables : {"velocity_pressure", "velocity_force"}) {
    const Model model = arm(cosimulated({std::string("coupling.variables=") + variables}));
    EXPECT_EQ(coupling_memory(*model).ports, 5);  // cylinder, angles of boom and arm, two loads
    EXPECT_EQ(hydraulic_groups(*model).size(), 2u);
    const CaseResult result = run_case(model);
    ASSERT_FALSE(result.failure);
    EXPECT_EQ(result.coupling_faults, std::vector<std::string>{});
    std::vector<std::string> names;
    for (const CouplingReport::Bond& bond : result.coupling->bonds) {
      names.push_back(bond.name);
      EXPECT_GT(bond.work, 0.01) << bond.name;
      EXPECT_LT(bond.absolute_energy, 1e-3 * bond.work) << bond.name;
    }
    EXPECT_EQ(names, model->description.coupling.variables == CouplingVariables::velocity_force
                         ? (std::vector<std::string>{"lift", "motor", "wind"})
                         : (std::vector<std::string>{"lift.A", "lift.B", "motor", "wind"}));
    EXPECT_GE(result.recorder->recording().find("motor.coupling_energy_residual"), 0);
    EXPECT_EQ(result.recorder->recording().find("boom.coupling_energy_residual"), -1);
  }
}

/// A mechanism and its controller, without oil.
TEST(ControlledMechanism, IsCoupledWithItsControllerAlone) {
  const std::string text = R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {slide: {point_mass: {mass: 2 kg}}}
joints: {slide: {prismatic: {parent: ground, axis: x}, position: 0.1 m}}
forces: {s: {joint: slide, load: 1 N, signal: f}}
control: {f: {sum: {inputs: [slide.position, slide.speed], gains: [-200, -3]}}}
solver: {step: 1 ms, duration: 1 s, tolerance_position: 1e-13, tolerance_other: 1e-13}
)";
  const double w = std::sqrt(100 - 0.75 * 0.75), exact = 0.1 * std::exp(-0.75) * (std::cos(w) + 0.75 / w * std::sin(w));
  for (const auto& [scheme, most] : {std::pair{"jacobi", 4e-5}, {"gauss_seidel", 3e-5}, {"iterated_jacobi", 5e-6}, {"sequential", 2e-6}}) {
    Runner run(model_from(text, cosimulated({std::string("coupling.scheme=") + scheme})));
    run.advance(1);
    EXPECT_NEAR(run.state().q()[0], exact, most) << scheme;
  }
}

/// An explicit integrator does not hide that a block is too fast for it.
TEST(ControlledCosimulations, TakeStiffBlocksByTheTrapezoidalRule) {
  std::string text = kArm;
  text.insert(text.find("  gust:"), "  fast: {low_pass: {input: head.pressure, time_constant: 25 us}}\n");
  const CaseResult good = run_case(model_from(text, cosimulated({}))),
                   bad = run_case(model_from(text, cosimulated({"coupling.hydraulics.integrator=rk4"})));
  EXPECT_FALSE(good.failure);
  ASSERT_TRUE(bad.failure);
  const std::string why = bad.failure->what();
  EXPECT_NE(why.find("fast.state: the explicit step is too long"), std::string::npos) << why;
  EXPECT_NE(why.find("coupling.hydraulics.step"), std::string::npos) << why;
}

/// Of a lightly damped pair of poles the decay says little: its circular frequency limits explicit steps.
TEST(ControlledCosimulations, TakeFastOscillationsOfBlocksByTheTrapezoidalRule) {
  for (const char* form : {"low_pass: {input: head.pressure, frequency: 8 kHz, damping: 0.1}",
                           "transfer_function: {input: head.pressure, numerator: [1], denominator: [4e-13, 4.4e-9, 1.004e-3, 1]}"}) {
    std::string text = kArm;
    text.insert(text.find("  gust:"), std::string("  fast: {") + form + "}\n");
    const CaseResult good = run_case(model_from(text, cosimulated({}))),
                     bad = run_case(model_from(text, cosimulated({"coupling.hydraulics.integrator=rk4"})));
    EXPECT_FALSE(good.failure) << form;
    ASSERT_TRUE(bad.failure) << form;
    EXPECT_NE(std::string(bad.failure->what()).find("the explicit step is too long"), std::string::npos) << bad.failure->what();
  }
}

TEST(ControlledCosimulations, OfTheParallelSchemeAreRefused) {
  try {
    arm(cosimulated({"coupling.scheme=parallel"}));
    FAIL();
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("coupling.scheme: `parallel`"), std::string::npos) << text;
    EXPECT_NE(text.find("control blocks"), std::string::npos) << text;
    EXPECT_NE(text.find("sequential (nearest)"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace trunnion::test
