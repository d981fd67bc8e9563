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
#include "support/pushed_mass.h"
#include "support/temporary_folder.h"
#include "trunnion/trunnion.h"

namespace {

using trunnion::Model;
using trunnion::ModelError;
using trunnion::Simulation;
using trunnion::test::kInputs;
using trunnion::test::pushed_mass;
using trunnion::test::with_valve;

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
    auto expected = Simulation::from_text(with_valve(pushed_mass(signals), dynamics), solver);
    auto driven = Simulation::from_text(with_valve(pushed_mass(kInputs), dynamics), solver);
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
      with_valve(pushed_mass("signals: {command: {ramps: [[0, 0], [0.2 s, 0.3], [0.5 s, -0.2]]}, lever: {ramps: [[0, 0], [0.4 s, 4]]}}\n"),
                 ""),
      {GetParam()});
  auto driven = Simulation::from_text(with_valve(pushed_mass(kInputs), ""), {GetParam()});
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
  auto sim = Simulation::from_text(with_valve(pushed_mass(kInputs), ""));
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
  auto sim = Simulation::from_text(with_valve(
      pushed_mass("inputs: {command: {unit: \"\", default: 0.5, min: 0, max: 2, rate_limit: 4 1/s}, lever: {min: -1, max: 1}}\n"), ""));
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

/// A limit that falls below a held value takes it along.
TEST(Inputs, FollowTheirLimits) {
  auto sim = Simulation::from_text(with_valve(pushed_mass("inputs: {command: {min: 0, max: 2}, lever: {min: -1, max: 1}}\n"), ""));
  const auto command = sim.model()->input("command");
  sim.set(command, 1.5);
  sim.run_until(0.1);
  sim.set_parameter(sim.model()->parameter("inputs.command.max"), 1.2);
  sim.run_until(0.2);
  EXPECT_EQ(sim.value(command), 1.2);
  EXPECT_EQ(sim.value("command.input"), 1.2);
}

TEST(Inputs, AreInputsOfLinearModelsAlsoThroughProducts) {
  const std::string direct = with_valve(pushed_mass(kInputs), "");
  std::string scaled =
      with_valve(pushed_mass("inputs: {stick: 0, other: 0}\nsignals: {command: {sum: [stick, bias]}, bias: 0.1, gain: 3, lever: "
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
  std::ofstream(folder + "/m.yaml") << with_valve(pushed_mass(kInputs), "");
  std::ofstream(folder + "/u.csv") << "time,lever\n0,0\n0.4,4\n0.4,2\n0.6,2\n";
  const auto run = [&](const std::string& arguments) { return trunnion::test::call_program(folder, arguments); };
  const auto done = run("run " + folder + "/m.yaml --input " + folder + "/u.csv -q -o " + folder + "/r");
  ASSERT_EQ(done.code, 0) << done.output;
  auto expected = Simulation::from_text(
      with_valve(pushed_mass("signals: {command: 0, lever: {ramps: [[0, 0], [0.4 s, 4], [0.4 s, 2], [0.6 s, 2]]}}\n"), ""));
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
      (void)Model::from_text(with_valve(pushed_mass(inputs), ""));
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
  const std::string text = with_valve(pushed_mass(kInputs), "");
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
  const auto model = Model::from_text(with_valve(pushed_mass(kInputs), "frequency: 5 Hz, damping: 0.7"));
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

/// A value that is set to itself, or set back, leaves the run as it is; so does one that was refused in between.
TEST(Parameters, ThatAreSetBackLeaveTheRun) {
  const auto model = Model::from_text(with_valve(pushed_mass(kInputs), "frequency: 5 Hz, damping: 0.7"));
  const auto bore = model->parameter("cylinders.ram.bore"), leakage = model->parameter("cylinders.ram.leakage");
  Simulation sim(model), undisturbed(model);
  for (Simulation* one : {&sim, &undisturbed}) one->run_until(0.05);
  const double right = sim.value(bore);
  sim.set_parameter(bore, right);
  sim.set_parameter(bore, 1.3 * right);
  sim.set_parameter(bore, right);
  sim.set_parameter(leakage, 1e-12);  // another structure
  EXPECT_FALSE(sim.try_step().ok());
  sim.set_parameter(leakage, 0);
  for (Simulation* one : {&sim, &undisturbed}) one->run_until(0.1);
  EXPECT_TRUE(sim.state() == undisturbed.state());
}

TEST(Parameters, MayBeInfiniteWhereTheModelHasThemSo) {
  const auto model = Model::from_text(with_valve(pushed_mass(kInputs), "frequency: 5 Hz, damping: 0.7"));
  const auto walls = model->parameter("cylinders.ram.bulk_modulus"), bore = model->parameter("cylinders.ram.bore");
  Simulation sim(model), undisturbed(model);
  ASSERT_TRUE(std::isinf(sim.value(walls)));
  sim.set_parameter(walls, 1e9);
  sim.run_until(0.05);
  sim.set_parameter(walls, std::numeric_limits<double>::infinity());
  sim.restart();
  for (Simulation* one : {&sim, &undisturbed}) one->run_until(0.05);
  EXPECT_TRUE(sim.state() == undisturbed.state());
  EXPECT_THROW(sim.set_parameter(walls, -std::numeric_limits<double>::infinity()), ModelError);
  EXPECT_THROW(sim.set_parameter(bore, std::numeric_limits<double>::infinity()), ModelError);
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
  const auto model = Model::from_text(with_valve(pushed_mass(kInputs), "time_constant: 20 ms"));
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
  Simulation sim(Model::from_text(with_valve(pushed_mass(kInputs), "")));
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
    Simulation sim(Model::from_text(with_valve(pushed_mass(kInputs), "")));
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
  Simulation cancelled(Model::from_text(with_valve(pushed_mass(kInputs), "")));
  cancelled.on_progress([&](double) { return ++calls < 3; });
  EXPECT_THROW(cancelled.run(), trunnion::RunError);
  EXPECT_EQ(calls, 3);
  EXPECT_NEAR(cancelled.time(), 0.192, 1e-12);
}

TEST(States, OfOtherModelsAreRefused) {
  Simulation sim(Model::from_text(with_valve(pushed_mass(kInputs), "")));
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
  for (std::size_t i = 0; i < bytes.size(); ++i)
    for (const int bits : {0x01, 0x7f}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ bits);
      EXPECT_THROW((void)trunnion::State::from_bytes(damaged), ModelError) << i;
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

}  // namespace
