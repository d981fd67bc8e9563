// Resistances of soil and quasistatic circuits that control blocks drive: against the same over time, and against integrators and
// differences.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/diagnostic.h"
#include "hydraulics/circuit.h"
#include "machine/evaluate.h"
#include "machine/start.h"
#include "results/run_case.h"
#include "run/run.h"
#include "support/continuation.h"
#include "support/machines.h"

namespace trunnion {
namespace {

using Settings = std::vector<std::string>;

/// Two arms over ground, of which the second cuts at its tip. `spatial`: it is attached by a spherical joint; the ground is inclined.
std::string digger(bool spatial, const std::string& factor, double scale = 1) {
  return fmt::format(R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies:
  boom: {{rod: {{length: 2 m, mass: {0:.17g} kg}}}}
  arm: {{inertia: [{1:.17g}, {2:.17g}, {3:.17g}], mass: {4:.17g}, center_of_mass: [0.6 m, 0, 0]}}
joints:
  boom: {{revolute: {{parent: ground, axis: z}}, angle: 10 deg, rate: -0.3 rad/s}}
  arm: {5}
forces:
  cut: {{body: arm, at: [1.1 m, -0.1 m, 0], soil: {{force: {6:.17g} N, depth: 0.6 m, speed: 0.5 m/s, at: [0, -0.2 m, 0], normal: {7}}},
        signal: hardness}}
{8}
record: {{channels: ["*", cut.factor, "boom.reaction*", "arm.reaction*"]}}
solver: {{step: 2 ms, duration: 1 s, tolerance_position: 1e-13, tolerance_other: 1e-13}}
)",
                     40 * scale, 5 * scale, 7 * scale, 8 * scale, 15 * scale,
                     spatial
                         ? "{spherical: {parent: boom, at: [2 m, 0, 0]}, rotation: [0.3, -0.2, -0.7], angular_velocity: [0.4, 0.7, -0.5]}"
                         : "{revolute: {parent: boom, at: [2 m, 0, 0], axis: z}, angle: -50 deg}",
                     120 * scale, spatial ? "[0.2, 1, 0.1]" : "y", factor);
}
const char* const kOverTime = "signals: {hardness: {sine: {amplitude: 0.8, frequency: 1.3 Hz, offset: 1}}}";
const char* const kByBlock =
    "signals: {s: {sine: {amplitude: 0.8, frequency: 1.3 Hz, offset: 1}}}\ncontrol: {hardness: {gain: {input: s, gain: 1}}}";
/// Harder the faster and the lower the boom.
const char* const kInALoop =
    "control: {hardness: {sum: {inputs: [rate, low], gains: [-0.5, 1], offset: 0.7}}, rate: {low_pass: {input: boom.rate, time_constant: "
    "50 ms}}, low: {expression: '0.3 * boom.rate^2 - 0.4 * sin(boom.angle)'}}";

std::vector<double> end_of(const std::shared_ptr<const CompiledModel>& model, const std::vector<const char*>& channels) {
  const CaseResult result = run_case(model);
  if (result.failure) throw Error("failed");
  const Recording& r = result.recorder->recording();
  std::vector<double> all;
  for (const char* name : channels) all.push_back(r.columns[static_cast<std::size_t>(r.find(name))].back());
  return all;
}
std::vector<double> end_of_digger(const std::shared_ptr<const CompiledModel>& model) {
  return end_of(model, {"boom.angle", "boom.rate", "arm.center_x", "arm.center_y", "arm.center_z"});
}
double farthest(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

/// Largest difference of two runs in the channels of the first, of each channel's largest value, at least of 1e-3.
double distance(const CaseResult& a, const CaseResult& b, std::size_t* compared = nullptr) {
  if (a.failure || b.failure) return HUGE_VAL;
  const Recording &expected = a.recorder->recording(), &found = b.recorder->recording();
  double largest = 0;
  for (std::size_t i = 0; i < expected.channels.size(); ++i) {
    const std::string& name = expected.channels[i].name;
    if (name.starts_with("energy.") || name.starts_with("solver.") || name.find("violation") != std::string::npos) continue;
    const int at = found.find(name);
    if (at < 0) {
      ADD_FAILURE() << "no channel " << name;
      continue;
    }
    const std::vector<double>&x = expected.columns[i], &y = found.columns[static_cast<std::size_t>(at)];
    double size = 0;
    for (const double value : x) size = std::max(size, std::abs(value));
    for (std::size_t k = 0; k < x.size(); ++k) largest = std::max(largest, std::abs(y[k] - x[k]) / (1e-3 + size));
    if (compared != nullptr) ++*compared;
  }
  return largest;
}

// ---------------------------------------------------------------- soil

TEST(DrivenSoil, IsTheSameResistanceAsOverTime) {
  for (const bool spatial : {false, true})
    for (const Settings& settings :
         {Settings{"solver.constraints=penalty"}, Settings{"solver.constraints=double_step"}, Settings{"solver.coordinates=cartesian"},
          Settings{"solver.constraints=baumgarte"}, Settings{"solver.integrator=rk4", "solver.constraints=double_step"},
          Settings{"solver.integrator=generalized_alpha"}, Settings{"solver.integrator=esdirk3"}}) {
      const CaseResult over_time = run_case(test::model_from(digger(spatial, kOverTime), settings)),
                       by_block = run_case(test::model_from(digger(spatial, kByBlock), settings));
      std::size_t compared = 0;
      EXPECT_LT(distance(over_time, by_block, &compared), 1e-5) << spatial << settings.back();
      EXPECT_GT(compared, 15U);
      ASSERT_FALSE(over_time.failure || by_block.failure);
      const double lost = over_time.recorder->ledger().totals().damping;
      EXPECT_GT(lost, 5);
      EXPECT_NEAR(by_block.recorder->ledger().totals().damping, lost, 1e-5 * lost);
      EXPECT_NEAR(by_block.recorder->ledger().totals().external, 0, 1e-9);
      // a factor that differs is seen
      Settings wrong = settings;
      wrong.emplace_back("control.hardness.gain.gain=1.001");
      EXPECT_GT(distance(over_time, run_case(test::model_from(digger(spatial, kByBlock), wrong))), 3e-5) << spatial << settings.back();
    }
}

TEST(DrivenSoil, OfAllIntegratorsAgrees) {
  for (const bool spatial : {false, true}) {
    const std::string text = digger(spatial, kInALoop);
    const auto run = [&](const Settings& set) { return end_of_digger(test::model_from(text, set)); };
    const std::vector<double> exact =
        run({"solver.integrator=cvode", "solver.constraints=double_step", "solver.reference_tolerance=1e-10"});
    const auto error = [&](const Settings& set) { return farthest(run(set), exact); };
    EXPECT_LT(error({"solver.integrator=rk4", "solver.constraints=double_step", "solver.step=0.5 ms"}), 1e-6);
    const double coarse = error({"solver.step=2 ms"}), fine = error({"solver.step=1 ms"});
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.25) << spatial << " " << coarse << " " << fine;
    EXPECT_LT(fine, 1e-3);
    EXPECT_LT(error({"solver.coordinates=cartesian", "solver.step=1 ms"}), 1e-3);
    EXPECT_LT(error({"solver.constraints=double_step", "solver.step=1 ms"}), 1e-3);
    EXPECT_GT(error({"solver.step=1 ms", "control.hardness.sum.offset=0.8"}), 5 * fine);
  }
}

TEST(DrivenSoil, IsInTheTangent) {
  for (const bool spatial : {false, true})
    for (const char* setting : {"solver.constraints=penalty", "solver.coordinates=cartesian"}) {
      const std::string text = digger(spatial, kInALoop);
      Runner a(test::model_from(text, {setting})), b(test::model_from(text, {setting, "solver.tangent=forward_difference"}));
      a.advance(1);
      b.advance(1);
      EXPECT_LE(a.statistics().iterations, 3.3 * static_cast<double>(a.statistics().steps)) << spatial << setting;
      EXPECT_LE(a.statistics().iterations, b.statistics().iterations + a.statistics().steps / 4);
      const double tolerance = a.model()->layout.rows > 0 ? 5e-6 : 1e-9;
      for (int i = 0; i < a.model()->layout.nq; ++i) EXPECT_NEAR(a.state().q()[i], b.state().q()[i], tolerance) << i;
      for (int i = 0; i < a.model()->layout.ny; ++i)
        EXPECT_NEAR(a.state().y()[i], b.state().y()[i], 10 * tolerance * (1 + std::abs(a.state().y()[i]))) << a.model()->state_names[i];
    }
}

TEST(DrivenSoil, HoldsAtEveryScaleContinuesAndDoesNotAllocate) {
  const std::vector<double> reference = end_of_digger(test::model_from(digger(true, kInALoop)));
  for (const double scale : {1e-3, 1e3})
    EXPECT_LT(farthest(end_of_digger(test::model_from(digger(true, kInALoop, scale))), reference), 1e-7) << scale;
  test::expect_to_continue_and_not_to_allocate(test::model_from(digger(true, kInALoop), {"control.rate.period=7 ms"}));
}

/// Together with a force, each by a port of its own, and coupled with the controller alone.
TEST(DrivenSoil, CanBeBesideAForceAndInACosimulation) {
  const Settings both{"forces.cut.force=[20 N, 30 N, 0]"};
  const CaseResult over_time = run_case(test::model_from(digger(false, kOverTime), both)),
                   by_block = run_case(test::model_from(digger(false, kByBlock), both));
  EXPECT_LT(distance(over_time, by_block), 1e-5);
  const std::vector<double> exact = end_of_digger(test::model_from(digger(false, kInALoop)));
  const auto error = [&](const char* H) {
    return farthest(
        end_of_digger(test::model_from(digger(false, kInALoop),
                                       {"solver.coupling=cosimulation", fmt::format("coupling={{scheme: iterated_jacobi, step: {}}}", H)})),
        exact);
  };
  EXPECT_LT(error("2 ms"), 2e-3);
}

// ---------------------------------------------------------------- quasistatic circuits

/// The arm with its lever, its pump's flow and its tank by blocks, and a bleed valve.
const Settings kSignals{
    "signals={s_lever: {sine: {amplitude: -0.4, frequency: 0.7 Hz}}, s_flow: {sine: {amplitude: 2e-3, frequency: 0.4 Hz, offset: 5e-3}}, "
    "s_tank: {sine: {amplitude: 3e5, frequency: 0.5 Hz, offset: 5e5}}, s_bleed: {sine: {amplitude: 0.1, frequency: 0.6 Hz, offset: 0.3}}, "
    "wanted: {sine: {amplitude: 0.15, frequency: 0.5 Hz, offset: -0.45}}, load: {sine: {amplitude: 10000, frequency: 1 Hz}}}",
    "solver.duration=2 s", "solver.tolerance_other=1e-12", "solver.tolerance_position=1e-12"};
Settings with(Settings a, const Settings& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
Settings places(const char* lever, const char* flow, const char* tank, const char* bleed) {
  return {std::string("quasistatic.circuit.actuators.lift.command=") + lever, std::string("quasistatic.circuit.flow=") + flow,
          std::string("sources.tank.pressure=") + tank, std::string("quasistatic.circuit.bleed.command=") + bleed};
}
const Settings kArmOverTime = with(kSignals, places("s_lever", "s_flow", "s_tank", "s_bleed")),
               kArmByBlocks =
                   with(with(kSignals,
                             {"control={lever_by: {gain: {input: s_lever}}, flow_by: {gain: {input: s_flow}}, tank_by: "
                              "{gain: {input: s_tank}}, bleed_by: {gain: {input: s_bleed}}, valve_by: {expression: 'max(s_lever, 0)'}}"}),
                        places("lever_by", "flow_by", "tank_by", "bleed_by"));
/// Position control of the arm, with a flow on demand and a tank under the weight of its oil.
const Settings kArmInALoop =
    with(with(kSignals, {"control={lever_by: {pid: {setpoint: wanted, measurement: arm.angle, gain: -4, integral_time: 2 s, min: -1, max: "
                         "1}}, flow_by: {sum: {inputs: [demand], gains: [6e-3], offset: 2e-3}}, demand: {low_pass: {input: fast, "
                         "time_constant: 50 ms}}, fast: {expression: 'hypot(lever_by, 0.02)'}, tank_by: {sum: {inputs: [lift.length, "
                         "lift.rate], gains: [2e5, 1e5], offset: 2e5}}, bleed_by: {gain: {input: demand, gain: -0.3, offset: 0.5}}, "
                         "valve_by: {expression: 'max(lever_by, 0)'}}"}),
         places("lever_by", "flow_by", "tank_by", "bleed_by"));

TEST(DrivenMetering, IsTheSameCircuitAsOverTime) {
  for (const Settings& settings :
       {Settings{"solver.constraints=penalty"}, Settings{"solver.constraints=double_step"}, Settings{"solver.coordinates=cartesian"},
        Settings{"quasistatic.circuit.actuators.lift.time_constant=60 ms"}, Settings{"quasistatic.circuit.form=discrete"},
        Settings{"solver.integrator=rk4", "solver.constraints=double_step"}, Settings{"solver.integrator=esdirk3"}}) {
    const CaseResult over_time = run_case(test::load_example("arm_quasistatic", with(kArmOverTime, settings))),
                     by_blocks = run_case(test::load_example("arm_quasistatic", with(kArmByBlocks, settings)));
    std::size_t compared = 0;
    EXPECT_LT(distance(over_time, by_blocks, &compared), 1e-5) << settings.back();
    EXPECT_GT(compared, 20U);
    for (const char* wrong : {"control.lever_by.gain.gain=1.01", "control.flow_by.gain.gain=1.01", "control.tank_by.gain.gain=1.01",
                              "control.bleed_by.gain.gain=1.01"})
      EXPECT_GT(distance(over_time, run_case(test::load_example("arm_quasistatic", with(with(kArmByBlocks, settings), {wrong})))), 1e-4)
          << wrong << settings.back();
  }
}

TEST(DrivenMetering, OfAllIntegratorsAgrees) {
  const auto run = [](const Settings& set) {
    return end_of(test::load_example("arm_quasistatic", with(kArmInALoop, set)),
                  {"arm.angle", "arm.rate", "lift.piston", "lever_by.state", "demand.state"});
  };
  const std::vector<double> exact = run({"solver.integrator=cvode", "solver.constraints=double_step", "solver.reference_tolerance=1e-10"});
  const auto error = [&](const Settings& set) { return farthest(run(set), exact); };
  const double coarse = error({"solver.step=4 ms"}), fine = error({"solver.step=2 ms"});
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.5) << coarse << " " << fine;
  EXPECT_LT(fine, 1e-3);
  EXPECT_LT(error({"solver.coordinates=cartesian", "solver.step=1 ms"}), 1e-3);
  EXPECT_LT(error({"solver.integrator=rk4", "solver.constraints=double_step", "solver.step=0.5 ms"}), 1e-5);
  EXPECT_GT(error({"solver.step=2 ms", "control.lever_by.pid.gain=-4.1"}), 5 * fine);
}

/// A step solves the states p for its iterates; the block of derivatives has their slopes in all that blocks command.
TEST(DrivenMetering, IsInTheTangent) {
  const std::string lift = "quasistatic.circuit.actuators.lift.";
  for (const Settings& settings : {Settings{}, Settings{lift + "time_constant=60 ms"}, Settings{"quasistatic.circuit.form=discrete"},
                                   Settings{lift + "P_A.command=valve_by", lift + "B_A={area: 0.5 cm^2, command: valve_by}"}}) {
    const auto model = test::load_example("arm_quasistatic", with(kArmInALoop, settings));
    Runner run(model);
    run.advance(1.1);  // the arm rises
    const Hydraulics& netlist = model->hydraulics;
    HydraulicState state(netlist);
    update_inputs(netlist, signals_at(*model, run.state()), 1.1, Side::left, state);
    std::vector<double> begin(run.state().y(), run.state().y() + netlist.ny), offset(static_cast<std::size_t>(netlist.ny), 0.0);
    std::vector<double> ydot(begin.size()), s(netlist.actuators.size(), begin[0]), s_dot(s.size(), 0.05);
    const RateRelation rule{1e-3, 2000, begin.data(), offset.data(), s.data()};
    const QuasistaticPort& port = netlist.quasistatic[0].ports[0];
    s[static_cast<std::size_t>(port.actuator)] = begin[static_cast<std::size_t>(port.state)] - 1.5e-3;
    if (netlist.quasistatic[0].discrete)
      begin[static_cast<std::size_t>(port.state + kLastLength)] = s[static_cast<std::size_t>(port.actuator)] - 5e-5;
    std::vector<double> y;
    const auto p_at = [&](int unknown, double change) {
      y = begin;
      y[static_cast<std::size_t>(unknown)] += change;
      evaluate_hydraulics(netlist, s.data(), s_dot.data(), y.data(), ydot.data(), rule, state);
      return y[static_cast<std::size_t>(port.state)];
    };
    const Circuit& c = netlist.circuits[netlist.actuators[port.actuator].circuit];
    int slopes = 0;
    for (int k = 0; k < c.size; ++k) {
      const int unknown = netlist.unknown_state[c.offset + k];
      if (unknown == port.state) continue;
      const double change = 1e-5 * (1e-3 + std::abs(begin[static_cast<std::size_t>(unknown)])),
                   difference = (p_at(unknown, change) - p_at(unknown, -change)) / (2 * change);
      p_at(unknown, 0);
      const double slope = -state.T[static_cast<std::size_t>(c.block + port.local * c.size + k)];
      EXPECT_NEAR(slope, difference, 1e-5 * std::abs(difference) + 1e-10) << model->state_names[static_cast<std::size_t>(unknown)];
      slopes += std::abs(difference) > 1e-9 ? 1 : 0;
    }
    EXPECT_GE(slopes, 2) << fmt::format("{}", fmt::join(settings, " "));  // flow and lever
    Runner loop(test::load_example("arm_quasistatic", kArmInALoop));
    loop.advance(2);
    EXPECT_LE(loop.statistics().iterations, 2.1 * static_cast<double>(loop.statistics().steps));
  }
}

TEST(DrivenMetering, ContinuesAndDoesNotAllocate) {
  test::expect_to_continue_and_not_to_allocate(test::load_example("arm_quasistatic", with(kArmInALoop, {"control.demand.period=7 ms"})));
}

/// A controller at its limit 0 stops the pump; a negative flow that it means ends the run.
TEST(DrivenMetering, IterationsMayPassANegativeFlowButNoStepEndsThere) {
  const auto run = [](const std::string& flow, const char* integrator) {
    return run_case(test::load_example(
        "arm_quasistatic", with(with(kSignals, {std::string("solver.integrator=") + integrator, "control={flow_by: " + flow + "}"}),
                                places("s_lever", "flow_by", "s_tank", "s_bleed"))));
  };
  for (const char* integrator : {"trapezoidal", "esdirk3"}) {
    const CaseResult limited = run("{pid: {setpoint: 0.09, measurement: lift.rate, gain: 0.05, min: 0, max: 8e-3}}", integrator);
    ASSERT_FALSE(limited.failure) << limited.failure->what();
    const Recording& r = limited.recorder->recording();
    const std::vector<double>& flow = r.columns[static_cast<std::size_t>(r.find("circuit.flow"))];
    EXPECT_EQ(std::count_if(flow.begin(), flow.end(), [](double Q) { return Q < 0; }), 0);
    const CaseResult negative = run("{expression: '2e-3 - 0.02 * hypot(lift.rate, 0)'}", integrator);
    ASSERT_TRUE(negative.failure) << integrator;
    EXPECT_NE(std::string(negative.failure->what()).find("quasistatic.circuit.flow"), std::string::npos) << negative.failure->what();
  }
}

// ---------------------------------------------------------------- a limit of a pump, and errors

TEST(DrivenFractionLimit, OfAPumpWithAControlIsInTheTangent) {
  const std::string text = R"(
trunnion: 1
volumes: {line: {volume: 2 L, pressure: 8 MPa}}
sources: {tank: {pressure: 1 bar}, load: {pressure: 10 MPa}}
pumps:
  main: {S: tank, P: line, displacement: 110 cm^3/rev, speed: 1800 rpm, fraction: limit, time_constant: 20 ms, losses: {leakage: 1e-11},
         control: {pressure: 32 MPa, load_sensing: {LS: load, margin: 20 bar}, band: 5 bar, time_constant: 10 ms}}
valves: {meter: {orifice: {A: line, B: load, flow: 600 L/min, at_pressure_drop: 20 bar}}}
signals: {swing: {sine: {amplitude: 0.2, frequency: 2 Hz, offset: 0.4}}}
control: {limit: {sum: {inputs: [swing, line.pressure], gains: [1, -1e-8], offset: 0.1}}}
solver: {step: 1 ms, duration: 0.5 s, tolerance_pressure: 1e-3, tolerance_other: 1e-11}
)";
  Runner exact(test::model_from(text)), difference(test::model_from(text, {"solver.tangent=forward_difference"}));
  exact.advance(0.5);
  difference.advance(0.5);
  EXPECT_LE(exact.statistics().iterations, 4 * exact.statistics().steps);
  for (int i = 0; i < exact.model()->layout.ny; ++i)
    EXPECT_NEAR(exact.state().y()[i], difference.state().y()[i], 1e-7 * (1 + std::abs(exact.state().y()[i])));
  Runner other(test::model_from(text, {"control.limit.sum.offset=0.2"}));
  other.advance(0.5);
  EXPECT_GT(std::abs(other.state().y()[0] - exact.state().y()[0]), 1e4);
}

std::string error_of(const std::string& text) {
  try {
    start_state(*test::model_from(text));
  } catch (const InputError& error) { return error.what(); }
  return "";
}

TEST(ControlPlaces, WhatCannotFollowABlockSaysWhatToDo) {
  const std::string head =
      "trunnion: 1\nbodies: {a: {rod: {length: 1, mass: 1}}}\njoints: {a: {revolute: {parent: ground}}}\ncontrol: {f: {gain: {input: "
      "0.1}}}\n";
  const std::string motion = error_of(head + "motions: {m: {joint: a, signal: f}}\n");
  EXPECT_NE(motion.find("motions.m.signal"), std::string::npos) << motion;
  EXPECT_NE(motion.find("let it follow a `low_pass` with `frequency`, without `period`, that reads it"), std::string::npos) << motion;
  const std::string sum = error_of(head + "signals: {s: {sum: [f]}}\nmotions: {m: {joint: a, signal: s}}\n");
  EXPECT_NE(sum.find("the signal `s` contains the value of a control block"), std::string::npos) << sum;
}

}  // namespace
}  // namespace trunnion
