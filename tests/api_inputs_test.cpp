// Inputs and parameters of the public interface.
// Reference: the same machine with signals in its file, the same parameters by overrides, closed forms.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <tuple>

#include "base/assert.h"
#include "file/model_file.h"
#include "results/run_case.h"
#include "support/allocation_counter.h"
#include "support/program.h"
#include "support/temporary_folder.h"
#include "trunnion/trunnion.h"

namespace {

using trunnion::Model;
using trunnion::ModelError;
using trunnion::Simulation;

/// A mass on a spring under a force of 1 N times `command`, and a valve with dynamics and one without between two sources and a cylinder.
std::string machine(const std::string& values) {
  return R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {mass: {point_mass: {mass: 200 kg}}}
joints: {mass: {prismatic: {parent: ground, axis: x}, position: 0.5 m}}
springs: {spring: {joint: mass, stiffness: 200 N/m, damping: 5 N s/m, rest: 0.5 m}}
forces: {push: {joint: mass, load: 100 N, signal: command}}
fluid: {bulk_modulus: 1.5 GPa, density: 850 kg/m^3}
volumes: {a: {volume: 0.2 L, pressure: 2 MPa}, b: {volume: 0.2 L, pressure: 2 MPa}}
sources: {pump: {pressure: 8 MPa}, tank: {pressure: 0.1 MPa}}
valves: {spool: {directional_4_3: {P: pump, T: tank, A: a, B: b, flow: 20 L/min, at_pressure_drop: 3.5 MPa, at_signal: 10TIMES}, signal: lever}}
cylinders:
  ram: {base: {body: ground, at: [-0.5 m, 0, 0]}, rod_end: {body: mass}, bore: 40 mm, rod: 20 mm, A: a, B: b,
        chamber_length_A: 0.5 m, chamber_length_B: 0.5 m}
)" + values +
         "solver: {step: 1 ms, duration: 1 s}\n";
}

std::string with(std::string text, const std::string& times) {
  text.replace(text.find("TIMES"), 5, times.empty() ? times : ", " + times);
  return text;
}

const char* const kInputs = "inputs: {command: {unit: \"\"}, lever: {default: 0, min: -10, max: 10}}\n";

/// All channels but those of inputs.
std::vector<double> values_of(const Simulation& sim) {
  std::vector<double> values;
  for (std::size_t i = 0; i < sim.channels().size(); ++i)
    if (!sim.channels()[i].name.ends_with(".input")) values.push_back(sim.value(static_cast<int>(i)));
  return values;
}

class Inputs : public testing::TestWithParam<const char*> {};

TEST_P(Inputs, SetAtTheTimesOfStepsGiveTheBitsOfTheSignal) {
  const std::string signals =
      "signals: {command: {steps: [[0.125 s, 0.3], [0.5 s, -0.2]]}, lever: {steps: [[0.125 s, 4], [0.375 s, -6]]}}\n";
  for (const char* dynamics : {"time_constant: 20 ms", "frequency: 5 Hz, damping: 0.7", ""}) {
    const std::vector<std::string> solver{GetParam(), "solver.step=0.0009765625"};  // 1/1024 s: times are exact
    auto expected = Simulation::from_text(with(machine(signals), dynamics), solver);
    auto driven = Simulation::from_text(with(machine(kInputs), dynamics), solver);
    const auto command = driven.model()->input("command"), lever = driven.model()->input("lever");
    while (driven.time() < 0.8) {
      const double t = driven.time();
      if (t == 0.125) driven.set(command, 0.3), driven.set(lever, 4);
      if (t == 0.375) driven.set(lever, -6);
      if (t == 0.5) driven.set(command, -0.2);
      driven.step();
      expected.step();
    }
    EXPECT_EQ(values_of(driven), values_of(expected)) << dynamics;
    EXPECT_EQ(driven.value("lever.input"), -6);
  }
}

TEST_P(Inputs, SlopesAreRamps) {
  auto expected = Simulation::from_text(
      with(machine("signals: {command: {ramps: [[0, 0], [0.2 s, 0.3], [0.5 s, -0.2]]}, lever: {ramps: [[0, 0], [0.4 s, 4]]}}\n"), ""),
      {GetParam()});
  auto driven = Simulation::from_text(with(machine(kInputs), ""), {GetParam()});
  const auto command = driven.model()->input("command"), lever = driven.model()->input("lever");
  driven.set(command, 0, 0.3 / 0.2);
  driven.set(lever, 0, 10);
  driven.run_until(0.2);
  driven.set(command, 0.3, -0.5 / 0.3);
  driven.run_until(0.4);
  driven.set(lever, 4);
  driven.run_until(0.45);
  expected.run_until(0.45);
  const std::vector<double> a = values_of(driven), b = values_of(expected);
  for (std::size_t i = 0; i < a.size(); ++i)  // slopes are rounded differently
    if (!driven.channels()[i].name.starts_with("energy.rule"))
      EXPECT_NEAR(a[i], b[i], 1e-7 * (1e-3 + std::abs(b[i]))) << driven.channels()[i].name;
}

INSTANTIATE_TEST_SUITE_P(Solvers, Inputs,
                         testing::Values("solver.constraints=penalty", "solver.constraints=double_step", "solver.coordinates=cartesian"));

TEST(Inputs, OfASnapshotAreRestoredBetweenSetAndStep) {
  auto sim = Simulation::from_text(with(machine(kInputs), ""));
  const auto command = sim.model()->input("command");
  sim.run_until(0.1);
  sim.set(command, 0.7);
  const trunnion::Snapshot saved = sim.save();
  const trunnion::State state = sim.state();
  sim.run_until(0.2);
  const std::vector<double> expected = sim.values();
  sim.restore(saved);
  sim.run_until(0.2);
  EXPECT_EQ(sim.values(), expected);
  Simulation other(sim.model());
  other.set_state(trunnion::State::from_bytes(state.bytes()));
  other.run_until(0.2);
  EXPECT_EQ(other.value("mass.position"), sim.value("mass.position"));
  EXPECT_EQ(other.state(), sim.state());
  EXPECT_FALSE(other.state() == state);
}

TEST(Inputs, AreLimitedInRangeAndRate) {
  auto sim = Simulation::from_text(
      with(machine("inputs: {command: {unit: \"\", default: 0.5, min: 0, max: 2, rate_limit: 4 1/s}, lever: {min: -1, max: 1}}\n"), ""));
  const auto command = sim.model()->input("command"), lever = sim.model()->input("lever");
  EXPECT_EQ(sim.value(command), 0.5);
  EXPECT_EQ(sim.model()->inputs()[0].rate_limit, 4);
  sim.set(command, 7);  // limited to 2, reached after 0.375 s
  sim.set(lever, -3);
  EXPECT_EQ(sim.value(lever), -1);
  EXPECT_EQ(sim.value(command), 0.5);
  sim.run_until(0.1);
  EXPECT_NEAR(sim.value("command.input"), 0.9, 1e-14);
  sim.run_until(0.5);
  EXPECT_EQ(sim.value(command), 2);
  sim.set(command, 1);
  sim.run_until(0.6);
  EXPECT_NEAR(sim.value(command), 1.6, 1e-14);
  EXPECT_THROW(sim.set(command, 1, 0.1), ModelError);
  EXPECT_THROW(sim.set(command, std::nan("")), ModelError);
  EXPECT_THROW(sim.set(trunnion::InputIndex{2}, 0), ModelError);
  EXPECT_THROW((void)sim.model()->input("comand"), ModelError);
}

TEST(Inputs, AreInputsOfLinearModelsAlsoThroughProducts) {
  const std::string direct = with(machine(kInputs), "");
  std::string scaled = with(machine("inputs: {stick: 0, other: 0}\nsignals: {command: {sum: [stick, bias]}, bias: 0.1, gain: 3, lever: "
                                    "{product: [other, gain]}}\n"),
                            "");
  auto a = Simulation::from_text(direct), b = Simulation::from_text(scaled);
  const auto column = [](const trunnion::LinearSystem& s, const std::string& name) {
    std::vector<double> values;
    for (std::size_t j = 0; j < s.inputs.size(); ++j)
      if (s.inputs[j].name == name)
        for (const auto& row : s.B) values.push_back(row[j]);
    return values;
  };
  a.set(a.model()->input("command"), 0.1);
  a.set(a.model()->input("lever"), 3);
  b.set(b.model()->input("other"), 1);
  const auto x = a.linearize(), y = b.linearize();
  ASSERT_FALSE(column(x, "command").empty());
  EXPECT_EQ(column(x, "command"), column(y, "stick"));
  const std::vector<double> lever = column(x, "lever"), other = column(y, "other");
  ASSERT_EQ(lever.size(), other.size());
  for (std::size_t i = 0; i < lever.size(); ++i) EXPECT_NEAR(other[i], 3 * lever[i], 1e-12 * std::abs(other[i]));
}

TEST(Inputs, OfACsvFileAreLinearBetweenRowsAndHeldAtTheEnd) {
  const std::string folder = trunnion::test::temporary_folder();
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/m.yaml") << with(machine(kInputs), "");
  std::ofstream(folder + "/u.csv") << "time,lever\n0,0\n0.4,4\n0.4,2\n0.6,2\n";
  const auto run = [&](const std::string& arguments) { return trunnion::test::call_program(folder, arguments); };
  const auto done = run("run " + folder + "/m.yaml --input " + folder + "/u.csv -q -o " + folder + "/r");
  ASSERT_EQ(done.code, 0) << done.output;
  auto expected =
      Simulation::from_text(with(machine("signals: {command: 0, lever: {ramps: [[0, 0], [0.4 s, 4], [0.4 s, 2], [0.6 s, 2]]}}\n"), ""));
  expected.run();
  std::ifstream csv(folder + "/r/results.csv");
  std::string header, line, last;
  std::getline(csv, header);
  while (std::getline(csv, line)) last = line;
  const auto cell = [&](const std::string& name) {
    std::istringstream names(header), values(last);
    std::string n, v;
    while (std::getline(names, n, ',') && std::getline(values, v, ','))
      if (n.starts_with(name)) return std::stod(v);
    return std::nan("");
  };
  EXPECT_EQ(cell("lever.input"), 2);
  EXPECT_EQ(cell("mass.position"), expected.value("mass.position"));
  std::ofstream(folder + "/wrong.csv") << "time,levr\n0,0\n1,20\n";
  const auto wrong = run("run " + folder + "/m.yaml --input " + folder + "/wrong.csv -q -o " + folder + "/w");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.output.find("did you mean `lever`?"), std::string::npos) << wrong.output;
  std::ofstream(folder + "/far.csv") << "time,lever\n0,0\n1,20\n";
  const auto far = run("run " + folder + "/m.yaml --input " + folder + "/far.csv -q -o " + folder + "/w");
  EXPECT_EQ(far.code, 2);
  EXPECT_NE(far.output.find("at most 10"), std::string::npos) << far.output;
  std::ofstream(folder + "/other.csv") << "root:x:secret\nabc:y:hidden\n";  // a file of another kind is not quoted
  const auto other = run("run " + folder + "/m.yaml --input " + folder + "/other.csv -q -o " + folder + "/w");
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.output.find("has no column `time`"), std::string::npos) << other.output;
  EXPECT_EQ(other.output.find("secret"), std::string::npos) << other.output;
  for (const char* twice : {"time,lever,lever\n0,0,0\n", "time,lever,time\n0,0,0\n"}) {
    std::ofstream(folder + "/twice.csv") << twice;
    const auto doubled = run("run " + folder + "/m.yaml --input " + folder + "/twice.csv -q -o " + folder + "/w");
    EXPECT_EQ(doubled.code, 2);
    const std::size_t first = doubled.output.find("two columns are named");
    EXPECT_NE(first, std::string::npos) << doubled.output;
    EXPECT_EQ(doubled.output.find("two columns are named", first + 1), std::string::npos) << doubled.output;
  }
  std::filesystem::remove_all(folder);
}

TEST(Inputs, ThatCannotBeAreRefused) {
  const auto message = [](const std::string& inputs) -> std::string {
    try {
      (void)Model::from_text(with(machine(inputs), ""));
    } catch (const ModelError& error) {
      EXPECT_FALSE(error.findings().empty());
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message("inputs: {command: 0, lever: 0}\n"), "");
  EXPECT_NE(message("inputs: {command: {unit: bar}, lever: 0}\n").find("inputs.command.unit"), std::string::npos);
  EXPECT_NE(message("inputs: {command: {min: 2, max: 1}, lever: 0}\n").find("maximum"), std::string::npos);
  EXPECT_NE(message("inputs: {command: {default: 3, max: 1}, lever: 0}\n").find("outside the limits"), std::string::npos);
  EXPECT_NE(message("inputs: {command: 0, lever: 0}\nsignals: {lever: 1}\n").find("already used"), std::string::npos);
  EXPECT_NE(message("inputs: {command: 0}\n").find("did you mean") + message("inputs: {command: 0}\n").find("lever"), std::string::npos);
  EXPECT_NE(message("inputs: {command: 0, lever: 0, m: 0}\nmotions: {m: {joint: mass, signal: m}}\n").find("rate_limit"),
            std::string::npos);
}

TEST(Parameters, GiveTheBitsOfOverrides) {
  const std::string text = with(machine(kInputs), "");
  const auto model = Model::from_text(text);
  for (const auto& [path, value] : std::vector<std::pair<std::string, double>>{{"bodies.mass.point_mass.mass", 120},
                                                                               {"cylinders.ram.bore", 0.05},
                                                                               {"springs.spring.stiffness", 900},
                                                                               {"volumes.a.pressure", 3e6},
                                                                               {"fluid.bulk_modulus", 1e9},
                                                                               {"joints.mass.position", 0.6},
                                                                               {"gravity.0", -1.5}}) {
    Simulation changed(model);
    trunnion::ParameterIndex parameter;
    try {
      parameter = model->parameter(path);
    } catch (const ModelError& error) {
      ADD_FAILURE() << error.what();
      continue;
    }
    changed.set_parameter(parameter, value);
    EXPECT_EQ(changed.value(parameter), value);
    changed.restart();
    Simulation expected(Model::from_text(text, {path + "=" + std::to_string(value)}));
    changed.run_until(0.2);
    expected.run_until(0.2);
    EXPECT_EQ(changed.value("mass.position"), expected.value("mass.position")) << path;
    EXPECT_EQ(changed.value("a.pressure"), expected.value("a.pressure")) << path;
  }
}

TEST(Parameters, ThatChangeTheStructureAreRefused) {
  const auto model = Model::from_text(with(machine(kInputs), "frequency: 5 Hz, damping: 0.7"));
  for (const auto& [path, wrong] : {std::pair{"cylinders.ram.leakage", 1e-12}}) {  // adds an element with channels
    const auto parameter = model->parameter(path);
    Simulation sim(model);
    const double right = sim.value(parameter);
    sim.run_until(0.05);
    const trunnion::State before = sim.state();
    sim.set_parameter(parameter, wrong);
    EXPECT_FALSE(sim.try_step().ok()) << path;
    EXPECT_NE(sim.error().find("structure"), std::string::npos) << path << " " << sim.error();
    EXPECT_THROW(sim.restart(), ModelError) << path;
    EXPECT_TRUE(sim.state() == before) << path;
    sim.set_parameter(parameter, right);
    sim.run_until(0.1);
    EXPECT_EQ(sim.time(), 0.1);
  }
}

TEST(Parameters, TakeEffectDuringARun) {
  const auto model = Model::from_text(R"(
trunnion: 1
gravity: [-2, 0, 0]
bodies: {mass: {point_mass: {mass: 3 kg}}}
joints: {mass: {prismatic: {parent: ground, axis: x}}}
solver: {step: 10 ms, duration: 2 s}
)");
  Simulation sim(model);
  sim.run_until(0.5);
  sim.set_parameter(model->parameter("gravity.0"), 4);
  EXPECT_NEAR(sim.value(model->channel("mass.speed")), -1, 1e-13);  // not before the next step
  sim.run_until(1);
  EXPECT_NEAR(sim.value("mass.speed"), -1 + 0.5 * 4, 1e-13);
  EXPECT_NEAR(sim.value("mass.position"), -0.25 - 0.5 + 0.5, 1e-13);
  EXPECT_THROW(sim.set_parameter(model->parameter("bodies.mass.point_mass.mass"), 0), ModelError);
  EXPECT_THROW(sim.set_parameter(model->parameter("bodies.mass.point_mass.mass"), std::nan("")), ModelError);
  EXPECT_EQ(sim.value(model->parameter("bodies.mass.point_mass.mass")), 3);
  EXPECT_THROW((void)model->parameter("bodies.mass.point_mass.masss"), ModelError);
}

TEST(Steps, AllocateNothingWithInputsAndOutputs) {
  if (!trunnion::test::allocations_are_counted()) GTEST_SKIP() << "another operator new is in use";
  const auto model = Model::from_text(with(machine(kInputs), "time_constant: 20 ms"));
  Simulation sim(model);
  const auto command = model->input("command"), lever = model->input("lever");
  const std::vector<trunnion::ChannelIndex> outputs{model->channel("mass.position"), model->channel("a.pressure"),
                                                    model->channel("ram.force"), model->channel("ram.length")};
  std::vector<double> y(outputs.size());
  trunnion::State state;
  trunnion::Snapshot snapshot;
  bool ledger = false;
  const auto round = [&](int i) {
    sim.set(command, 0.1 * std::sin(i));
    sim.set(lever, 2 * std::cos(0.1 * i));
    const trunnion::StepReport report = sim.try_step();
    ASSERT_TRUE(report.ok());
    sim.read(outputs, y.data());
    sim.read_state(state);
    if (i % 10 == 0 && !ledger) sim.set_state(state);  // which begins a ledger anew
    sim.save(snapshot);
    if (i % 10 == 5) sim.restore(snapshot);
  };
  for (const bool kept : {false, true}) {
    ledger = kept;
    if (ledger) sim.attach_ledger();
    for (int i = 0; i < 20; ++i) round(i);
    const long before = trunnion::test::allocations();
    for (int i = 20; i < 60; ++i) round(i);
    EXPECT_EQ(trunnion::test::allocations(), before) << ledger;
  }
}

TEST(Snapshots, ThatAreWrittenAgainLeaveTheirCopies) {
  Simulation sim(Model::from_text(with(machine(kInputs), "")));
  trunnion::Snapshot snapshot;
  EXPECT_TRUE(snapshot.empty());
  EXPECT_THROW(sim.restore(snapshot), ModelError);
  sim.run_until(0.1);
  sim.save(snapshot);
  const trunnion::Snapshot copy = snapshot;
  sim.run_until(0.2);
  sim.save(snapshot);
  EXPECT_EQ(copy.time(), 0.1);
  EXPECT_EQ(snapshot.time(), 0.2);
  sim.restore(copy);
  EXPECT_EQ(sim.time(), 0.1);
}

TEST(SimulationDeathTest, UseByTwoThreadsAtOnceEndsTheProgram) {
  if (!trunnion::assertions_are_checked()) GTEST_SKIP() << "this build has no assertions";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto together = [] {
    Simulation sim(Model::from_text(with(machine(kInputs), "")));
    sim.on_progress([&](double) {  // inside a run
      std::thread([&] { (void)sim.try_step(); }).join();
      return true;
    });
    sim.run();
  };
  EXPECT_DEATH(together(), "entered");
}

TEST(Steps, ThatFailSayWhyAndKeepTheState) {
  const auto model =
      Model::load(std::string(TRUNNION_SOURCE_DIR) + "/examples/four_bar.yaml", {"solver.max_iterations=1", "solver.divisions=0"});
  Simulation sim(model);
  trunnion::StepReport report;
  while ((report = sim.try_step()).ok()) {}
  EXPECT_EQ(report.status, trunnion::StepReport::Status::failed);
  EXPECT_EQ(sim.time(), 1);
  EXPECT_NE(sim.error().find("no convergence"), std::string::npos) << sim.error();
  EXPECT_THROW((void)sim.value("energy.drift"), ModelError);
  int calls = 0;
  Simulation cancelled(Model::from_text(with(machine(kInputs), "")));
  cancelled.on_progress([&](double) { return ++calls < 3; });
  EXPECT_THROW(cancelled.run(), trunnion::RunError);
  EXPECT_EQ(calls, 3);
  EXPECT_NEAR(cancelled.time(), 0.192, 1e-12);
}

TEST(States, OfOtherModelsAreRefused) {
  Simulation sim(Model::from_text(with(machine(kInputs), "")));
  const trunnion::Model& model = *sim.model();
  Simulation other(Model::load(std::string(TRUNNION_SOURCE_DIR) + "/examples/four_bar.yaml"));
  EXPECT_THROW(sim.set_state(other.state()), ModelError);
  EXPECT_THROW(sim.set_state(trunnion::State()), ModelError);
  EXPECT_EQ(sim.state().velocities().size(), 1U);
  EXPECT_EQ(model.fingerprint(), sim.state().fingerprint());
  std::string bytes = sim.state().bytes();
  EXPECT_EQ(trunnion::State::from_bytes(bytes), sim.state());
  EXPECT_THROW((void)trunnion::State::from_bytes(bytes.substr(0, bytes.size() - 1)), ModelError);
  EXPECT_THROW((void)trunnion::State::from_bytes("TRSTATE1"), ModelError);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {  // damaged bytes are refused or give a state, but never crash
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x7f);
    try {
      (void)trunnion::State::from_bytes(damaged).time();
    } catch (const ModelError&) {}
  }
}

TEST(Simulation, EqualsARunOfTheProgramBitForBit) {
  for (const char* example : {"four_bar", "excavator", "crane_single", "bicycle", "excavator_quasistatic"}) {
    const std::string file = std::string(TRUNNION_SOURCE_DIR) + "/examples/" + example + ".yaml";
    const std::vector<std::string> overrides{"solver.duration=0.3 s"};
    trunnion::Description description = trunnion::load_model(file, {{"solver.duration", "0.3 s"}});
    const trunnion::CaseResult run = trunnion::run_case(trunnion::compile(std::move(description)));
    Simulation plain(Model::load(file, overrides)), kept(file, overrides);
    plain.run();
    kept.run();
    const trunnion::Recording& recording = run.recorder->recording();
    ASSERT_EQ(recording.channels.size(), kept.channels().size());
    for (std::size_t i = 0; i < recording.channels.size(); ++i) {
      const std::string& name = recording.channels[i].name;
      EXPECT_EQ(kept.value(name), recording.columns[i].back()) << example << " " << name;
      if (!name.starts_with("energy.") && !name.starts_with("solver."))
        EXPECT_EQ(plain.value(name), kept.value(name)) << example << " " << name;
    }
  }
}

TEST(States, AreSetByTheirMinimalVector) {
  const auto model = Model::load(std::string(TRUNNION_SOURCE_DIR) + "/examples/four_bar.yaml");
  Simulation sim(model), other(model);
  sim.run_until(0.4);
  const std::vector<double> x = sim.minimal_state();
  ASSERT_EQ(x.size(), sim.minimal_states().size());
  EXPECT_EQ(sim.minimal_states()[0].unit, "rad");
  other.set_minimal_state(x);
  const std::vector<double> y = other.minimal_state();
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(y[i], x[i], 1e-9 * (1 + std::abs(x[i]))) << sim.minimal_states()[i].name;
  EXPECT_EQ(other.time(), 0);
  for (const char* angle : {"crank.angle", "coupler.angle"})
    if (std::any_of(model->channels().begin(), model->channels().end(), [&](const auto& c) { return c.name == angle; }))
      EXPECT_NEAR(other.value(angle), sim.value(angle), 1e-8) << angle;
  const trunnion::State before = other.state();
  EXPECT_THROW(other.set_minimal_state({1.0}), ModelError);
  std::vector<double> wrong = x;
  wrong[0] = std::nan("");
  EXPECT_THROW(other.set_minimal_state(wrong), ModelError);
  EXPECT_EQ(other.state(), before);
}

TEST(Transitions, AreTheDerivativesOfTheLastStep) {
  const auto model = Model::from_text(with(machine(kInputs), "time_constant: 20 ms"));
  const auto lever = model->input("lever");
  Simulation sim(model);
  EXPECT_THROW((void)sim.transition(), ModelError);
  sim.set(lever, 3);
  sim.run_until(0.2);
  const std::vector<double> x0 = sim.minimal_state();
  sim.set_minimal_state(x0);
  const trunnion::State before = sim.state();
  ASSERT_TRUE(sim.try_step().ok());
  const trunnion::Transition map = sim.transition();
  const std::vector<double> x1 = sim.minimal_state();
  ASSERT_EQ(map.F.size(), x0.size());
  EXPECT_EQ(map.end, sim.time());
  const auto after = [&](std::size_t state, double change) {
    std::vector<double> x = x0;
    x[state] += change;
    sim.set_state(before);
    sim.set_minimal_state(x);
    EXPECT_TRUE(sim.try_step().ok());
    return sim.minimal_state();
  };
  for (std::size_t j = 0; j < x0.size(); ++j) {
    const double h = 1e-6 * std::max(1.0, std::abs(x0[j]));
    const std::vector<double> up = after(j, h), down = after(j, -h);
    for (std::size_t i = 0; i < x0.size(); ++i) {
      const double scale = std::max(1.0, std::abs(x0[i])) / std::max(1.0, std::abs(x0[j]));
      EXPECT_NEAR(map.F[i][j], (up[i] - down[i]) / (2 * h), 1e-5 * scale) << map.states[i].name << " by " << map.states[j].name;
    }
  }
  const auto column = static_cast<std::size_t>(
      std::find_if(map.inputs.begin(), map.inputs.end(), [](const auto& input) { return input.name == "lever"; }) - map.inputs.begin());
  ASSERT_LT(column, map.inputs.size());
  std::vector<double> ends[2];
  for (int k = 0; k < 2; ++k) {
    sim.set_state(before);
    sim.set(lever, 3 + (k == 0 ? 1e-3 : -1e-3));
    EXPECT_TRUE(sim.try_step().ok());
    ends[k] = sim.minimal_state();
  }
  for (std::size_t i = 0; i < x0.size(); ++i)
    EXPECT_NEAR(map.G[i][column], (ends[0][i] - ends[1][i]) / 2e-3, 1e-5 * std::max(1.0, std::abs(x0[i]))) << map.states[i].name;
}

/// An input that acts through a sum and by itself, and one through a product alone.
class TransitionsOf : public testing::TestWithParam<const char*> {};

TEST_P(TransitionsOf, InputsActThroughAllSignalsThatDependOnThem) {
  std::string text = with(machine("inputs: {lever: {default: 0, min: -10, max: 10}, trim: {default: 1}}\n"
                                  "signals: {command: {product: [lever, trim]}}\n"),
                          "time_constant: 20 ms");
  const auto model = Model::from_text(text, {GetParam()});
  Simulation sim(model);
  const auto lever = model->input("lever"), trim = model->input("trim");
  sim.set(lever, 3);
  sim.set(trim, 0.7);
  sim.run_until(0.2);
  sim.set_minimal_state(sim.minimal_state());
  const trunnion::State before = sim.state();
  ASSERT_TRUE(sim.try_step().ok());
  const trunnion::Transition map = sim.transition();
  for (const auto& [name, input, at] : {std::tuple{"lever", lever, 3.0}, std::tuple{"trim", trim, 0.7}}) {
    const auto column = static_cast<std::size_t>(
        std::find_if(map.inputs.begin(), map.inputs.end(), [&](const auto& of) { return of.name == name; }) - map.inputs.begin());
    ASSERT_LT(column, map.inputs.size()) << name;
    std::vector<double> ends[2];
    for (int k = 0; k < 2; ++k) {
      sim.set_state(before);
      sim.set(input, at + (k == 0 ? 1e-3 : -1e-3));
      EXPECT_TRUE(sim.try_step().ok());
      ends[k] = sim.minimal_state();
    }
    double largest = 0;
    for (std::size_t i = 0; i < map.states.size(); ++i) {
      const double difference = (ends[0][i] - ends[1][i]) / 2e-3;
      largest = std::max(largest, std::abs(difference));
      EXPECT_NEAR(map.G[i][column], difference, 1e-6 * std::abs(difference) + 1e-9) << map.states[i].name << " by " << name;
    }
    EXPECT_GT(largest, 0) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(, TransitionsOf,
                         testing::Values("solver.integrator=trapezoidal", "solver.integrator=esdirk3", "solver.integrator=bdf2"),
                         [](const auto& of) { return std::string(of.param).substr(18); });

/// A state in the middle of a run has a memory of the oil beside its minimal vector.
TEST(Transitions, OfALaterStepIsThatOfTheFirstOneFromItsState) {
  const std::string text = with(machine(kInputs), "time_constant: 20 ms");
  for (const char* integrator : {"trapezoidal", "esdirk3"}) {
    const auto model = Model::from_text(text, {std::string("solver.integrator=") + integrator});
    Simulation sim(model);
    sim.set(model->input("lever"), 3);
    for (int k = 0; k < 50; ++k) sim.step();
    const auto parameter = model->parameter("cylinders.ram.bore");
    const trunnion::Transition later = sim.transition({parameter});
    Simulation other(model);
    other.set_state(sim.state());
    other.set(model->input("lever"), 3);
    other.set_minimal_state(other.minimal_state());
    other.step();
    sim.step();
    const trunnion::Transition from_here = other.transition({parameter}), next = sim.transition({parameter});
    const auto near = [&](const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& b, const char* what) {
      for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t j = 0; j < a[i].size(); ++j)
          EXPECT_NEAR(a[i][j], b[i][j], 0.05 * std::abs(b[i][j]) + 1e-6)  // the lag of the rule
              << integrator << " " << what << " " << i << " " << j;
    };
    near(next.F, from_here.F, "F");
    near(next.G, from_here.G, "G");
    near(next.P, from_here.P, "P");
    EXPECT_LT(std::abs(later.F[0][0] - 1), 0.1);
  }
}

/// P against steps from the same minimal vector of models with other values.
TEST(Transitions, HaveColumnsOfParameters) {
  const std::string text = with(machine(kInputs), "time_constant: 20 ms");
  const std::vector<std::string> names = {"cylinders.ram.bore",
                                          "bodies.mass.point_mass.mass",
                                          "springs.spring.stiffness",
                                          "fluid.bulk_modulus",
                                          "volumes.a.volume",
                                          "forces.push.load",
                                          "valves.spool.directional_4_3.time_constant"};
  for (const char* treatment : {"solver.constraints=penalty", "solver.constraints=double_step"}) {
    const auto model = Model::from_text(text, {treatment, "solver.oil_rule=trapezoidal"});
    Simulation sim(model);
    sim.set(model->input("lever"), 3);
    sim.set(model->input("command"), 0.5);
    sim.run_until(0.2);
    const std::vector<double> x0 = sim.minimal_state();
    sim.set_minimal_state(x0);
    const trunnion::State before = sim.state();
    ASSERT_TRUE(sim.try_step().ok());
    std::vector<trunnion::ParameterIndex> parameters;
    for (const std::string& name : names) parameters.push_back(model->parameter(name));
    const trunnion::Transition map = sim.transition(parameters);
    ASSERT_EQ(map.parameters, names);
    ASSERT_EQ(map.P.size(), x0.size());
    for (std::size_t j = 0; j < names.size(); ++j) {
      std::vector<double> ends[2];
      const double value = sim.value(parameters[j]), h = 1e-4 * value;
      for (int k = 0; k < 2; ++k) {
        Simulation other(model);
        other.set_state(before);
        other.set_parameter(parameters[j], value + (k == 0 ? h : -h));
        other.set_minimal_state(x0);
        EXPECT_TRUE(other.try_step().ok());
        ends[k] = other.minimal_state();
      }
      for (std::size_t i = 0; i < x0.size(); ++i) {
        const double difference = (ends[0][i] - ends[1][i]) / (2 * h);
        EXPECT_NEAR(map.P[i][j], difference, 1e-6 * std::abs(difference) + 1e-11 * std::abs(x0[i]) / h)
            << map.states[i].name << " by " << names[j];
      }
    }
  }
  Simulation sim(Model::from_text(text));
  sim.step();
  EXPECT_THROW((void)sim.transition({trunnion::ParameterIndex{100000}}), ModelError);
}

TEST(ResponseSensitivities, AreThoseOfTheRun) {
  const auto model = Model::from_text(with(machine("signals: {command: {steps: [[0.1003 s, 1]]}, lever: {steps: [[0.2 s, 3]]}}\n"), ""));
  trunnion::SensitivityOptions options;
  options.parameters = {model->parameter("cylinders.ram.bore"), model->parameter("signals.command.steps.0.0")};
  options.channels = {"mass.position", "a.pressure"};
  options.times = {0, 0.15, 0.3, 0.5};
  const trunnion::Sensitivities exact = trunnion::response_sensitivities(model, options);
  ASSERT_EQ(exact.derivatives.size(), 2U);
  EXPECT_EQ(exact.times, options.times);
  EXPECT_EQ(exact.failure, "");
  for (std::size_t i = 0; i < 2; ++i) {
    const double value = model->parameters()[static_cast<std::size_t>(options.parameters[i].number)].value, h = 1e-4 * value;
    Simulation up(model), down(model);
    up.set_parameter(options.parameters[i], value + h);
    down.set_parameter(options.parameters[i], value - h);
    up.restart();
    down.restart();
    for (std::size_t k = 0; k < options.times.size(); ++k) {
      up.run_until(options.times[k]);
      down.run_until(options.times[k]);
      for (std::size_t c = 0; c < 2; ++c) {
        const double difference = (up.value(options.channels[c]) - down.value(options.channels[c])) / (2 * h);
        EXPECT_NEAR(exact.derivatives[i][c][k], difference, 1e-4 * std::abs(difference) + 1e-11 * std::abs(exact.values[c][k]) / h)
            << options.channels[c] << " by parameter " << i << " at " << options.times[k];
      }
    }
  }
  options.times = {0.3, 0.1};
  EXPECT_THROW((void)trunnion::response_sensitivities(model, options), ModelError);
  options.times = {0, 2};
  EXPECT_THROW((void)trunnion::response_sensitivities(model, options), ModelError);
  options.times = {0};
  options.channels = {"mass.positio"};
  EXPECT_THROW((void)trunnion::response_sensitivities(model, options), ModelError);
}

TEST(ResponseSensitivities, EndWhereTheProgressSaysSo) {
  const auto model = Model::from_text(with(machine("signals: {command: {steps: [[0.1003 s, 1]]}, lever: {steps: [[0.2 s, 3]]}}\n"), ""));
  trunnion::SensitivityOptions options;
  options.parameters = {model->parameter("cylinders.ram.bore")};
  options.channels = {"mass.position"};
  options.times = {0.4};
  double last = 0;
  int calls = 0;
  const auto until = [&](double end) {
    calls = 0;
    options.progress = [&calls, &last, end](double time) {
      ++calls;
      last = time;
      return time < end;
    };
  };
  until(0.2);
  EXPECT_THROW((void)trunnion::response_sensitivities(model, options), trunnion::RunError);
  EXPECT_NEAR(last, 0.2, 0.03);
  const auto ends = [](const std::vector<std::vector<double>>&) { return trunnion::SumWeights{{{1}}}; };
  until(0.2);
  EXPECT_THROW((void)trunnion::response_gradients(model, options, ends), trunnion::RunError);
  EXPECT_NEAR(last, 0.2, 0.03);
  until(1);  // also on the way back
  EXPECT_EQ(trunnion::response_gradients(model, options, ends).failure, "");
  EXPECT_GT(calls, 2);
  EXPECT_LT(last, 0.03);
}

}  // namespace
