// The public interface as used by an application.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "support/temporary_folder.h"
#include "trunnion/trunnion.h"

namespace {

const std::string kFourBar = std::string(TRUNNION_SOURCE_DIR) + "/examples/four_bar.yaml";

TEST(Simulation, StepsAndReadsChannels) {
  trunnion::Simulation machine(kFourBar, {"solver.duration=1.1 s"});
  EXPECT_EQ(machine.time(), 0);
  EXPECT_EQ(machine.step_size(), 1e-3);
  EXPECT_EQ(machine.duration(), 1.1);
  EXPECT_EQ(machine.channels().front().name, "time");
  EXPECT_EQ(machine.channels()[1].unit, "rad");
  const int angle = machine.find("crank.angle");
  const double start = machine.value(angle);
  EXPECT_NEAR(start, 60 * 3.14159265358979323846 / 180, 1e-15);
  machine.step();
  EXPECT_EQ(machine.steps(), 1);
  EXPECT_EQ(machine.value("time"), machine.time());
  machine.run();
  EXPECT_EQ(machine.time(), 1.1);
  EXPECT_NE(machine.value(angle), start);
  EXPECT_EQ(machine.steps(), 1100);
  EXPECT_GE(machine.iterations(), 1100);
  EXPECT_GT(machine.step_seconds(), 0);
  EXPECT_EQ(machine.values().size(), machine.channels().size());
}

TEST(Simulation, SnapshotsBringBackStateAndEnergies) {
  trunnion::Simulation machine(kFourBar);
  machine.run_until(1.0);  // at a jump
  const trunnion::Snapshot saved = machine.save();
  EXPECT_EQ(saved.time(), 1.0);
  machine.run_until(1.2);
  const std::vector<double> expected = machine.values();
  machine.run_until(1.5);
  machine.restore(saved);
  EXPECT_EQ(machine.time(), 1.0);
  machine.run_until(1.2);
  EXPECT_EQ(machine.values(), expected);
  trunnion::Simulation other(kFourBar);
  other.restore(saved);
  other.run_until(1.2);
  EXPECT_EQ(other.values(), expected);
}

TEST(Simulation, SnapshotsOfOtherModelsAreRefused) {
  const auto model = [](const std::string& body, const std::string& mass, const std::string& joint = "revolute: {parent: ground}") {
    return "trunnion: 1\nbodies: {" + body + ": {rod: {length: 1, mass: " + mass + "}}}\njoints: {" + body + ": {" + joint +
           "}}\nsolver: {step: 1 ms, duration: 1 s}\n";
  };
  auto machine = trunnion::Simulation::from_text(model("arm", "1"));
  machine.run_until(0.1);
  const trunnion::Snapshot saved = machine.save();
  auto heavier = trunnion::Simulation::from_text(model("arm", "2"), {"solver.step=2 ms", "title=another"});
  heavier.restore(saved);  // numbers are free
  EXPECT_EQ(heavier.time(), machine.time());
  EXPECT_EQ(heavier.value("arm.angle"), machine.value("arm.angle"));
  for (const std::string& other : {model("boom", "1"), model("arm", "1", "prismatic: {parent: ground, axis: x}")}) {
    auto different = trunnion::Simulation::from_text(other);
    EXPECT_THROW(different.restore(saved), trunnion::ModelError) << other;
    EXPECT_EQ(different.time(), 0);
  }
}

TEST(Simulation, NumbersThatAreNotFiniteAreRefused) {
  const double wrong[] = {std::nan(""), HUGE_VAL, -HUGE_VAL};
  trunnion::Simulation machine(kFourBar);
  for (const double value : wrong) {
    EXPECT_THROW(machine.run_until(value), trunnion::ModelError);
    EXPECT_THROW(trunnion::equilibrium_to_files(kFourBar, trunnion::test::temporary_folder(), {}, value), trunnion::ModelError);
    trunnion::Linearization what;
    what.at = {value};
    EXPECT_THROW(trunnion::linearize_to_files(kFourBar, trunnion::test::temporary_folder(), {}, what), trunnion::ModelError);
    what.at.clear();
    what.simulate = value;
    EXPECT_THROW(trunnion::linearize_to_files(kFourBar, trunnion::test::temporary_folder(), {}, what), trunnion::ModelError);
  }
  EXPECT_FALSE(std::filesystem::exists(trunnion::test::temporary_folder()));
  EXPECT_EQ(machine.time(), 0);
}

TEST(Simulation, StopsBeforeValuesThatAreNotFinite) {
  auto machine = trunnion::Simulation::from_text(
      "trunnion: 1\nbodies: {m: {point_mass: {mass: 1}}}\njoints: {m: {prismatic: {parent: ground, axis: x}}}\n"
      "signals: {s: {steps: [[5 ms, 1e157]]}}\nforces: {f: {joint: m, load: 1, signal: s}}\nsolver: {step: 1 ms, duration: 0.01}\n");
  EXPECT_THROW(machine.run(), trunnion::RunError);
  EXPECT_EQ(machine.time(), 0.005);
  EXPECT_EQ(machine.value("time"), 0.005);
  for (const double value : machine.values()) EXPECT_TRUE(std::isfinite(value));
}

TEST(Simulation, BeginsAtRestIfAskedTo) {
  const std::string arm = R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {arm: {rod: {length: 2 m, mass: 10 kg}}}
joints: {arm: {revolute: {parent: ground, axis: z}, angle: 20 deg}}
)";
  const trunnion::Simulation given = trunnion::Simulation::from_text(arm);
  EXPECT_NEAR(given.value("arm.angle"), 20 * 3.14159265358979323846 / 180, 1e-15);
  trunnion::Simulation rest = trunnion::Simulation::from_text(arm, {}, "arm", trunnion::Start::equilibrium);
  EXPECT_NEAR(rest.value("arm.angle"), -3.14159265358979323846 / 2, 1e-14);
  rest.run_until(0.1);
  EXPECT_NEAR(rest.value("arm.rate"), 0, 1e-13);
  const std::string folder = trunnion::test::temporary_folder();
  trunnion::equilibrium_to_files(kFourBar, folder);
  EXPECT_TRUE(std::filesystem::exists(folder + "/equilibrium.json"));
  const trunnion::Simulation again(folder + "/equilibrium.yaml");
  EXPECT_NEAR(again.value("v1.pressure"), 2753284.892633, 1e-3);
  std::filesystem::remove_all(folder);
  EXPECT_THROW(trunnion::equilibrium_to_files(kFourBar, folder, {"volumes.v1.pressure=2MPa"}), trunnion::ModelError);
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(Simulation, LinearizesAtAnyTime) {
  trunnion::Simulation machine = trunnion::Simulation::from_text(R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {bob: {point_mass: {mass: 2 kg, at: [0, -0.5 m, 0]}}}
joints: {bob: {revolute: {parent: ground, axis: z}, angle: 0}}
forces: {push: {joint: bob, load: 3 N m, signal: command}}
signals: {command: {steps: [[1 s, 1]]}}
solver: {step: 1 ms, duration: 2 s}
)");
  const trunnion::LinearSystem rest = machine.linearize({"bob.angle"});
  ASSERT_EQ(rest.A.size(), 2U);
  EXPECT_EQ(rest.states[0].name, "bob.angle");
  EXPECT_EQ(rest.states[1].unit, "rad/s");
  EXPECT_NEAR(rest.A[1][0], -9.81 / 0.5, 1e-13);
  EXPECT_NEAR(rest.B[1][0], 3 / (2 * 0.25), 1e-13);
  EXPECT_EQ(rest.C, (std::vector<std::vector<double>>{{1, 0}}));
  ASSERT_EQ(rest.eigenvalues.size(), 2U);
  EXPECT_NEAR(rest.eigenvalues[0].im, std::sqrt(9.81 / 0.5), 1e-13);
  EXPECT_EQ(rest.stability, "undamped");
  EXPECT_FALSE(rest.moving);
  EXPECT_EQ(rest.independent, std::vector<std::string>{"bob.angle"});
  machine.run_until(1.25);
  const trunnion::LinearSystem pushed = machine.linearize();
  EXPECT_EQ(pushed.time, 1.25);
  EXPECT_EQ(pushed.u0, std::vector<double>{1});
  EXPECT_NEAR(pushed.A[1][0], -9.81 / 0.5 * std::cos(machine.value("bob.angle")), 1e-12);
  EXPECT_NEAR(pushed.drift[0], machine.value("bob.rate"), 1e-14);
  EXPECT_TRUE(pushed.moving);
  EXPECT_GT(pushed.outputs.size(), 3U);
  EXPECT_THROW((void)machine.linearize({"bob.angel"}), trunnion::ModelError);
}

TEST(Simulation, LinearizesDiscreteElementsByTheirEquations) {
  trunnion::Simulation arm(std::string(TRUNNION_SOURCE_DIR) + "/examples/arm_regeneration.yaml", {"quasistatic.circuit.form=discrete"});
  arm.run_until(1.3);
  const trunnion::LinearSystem linear = arm.linearize({"arm.angle"});
  ASSERT_EQ(linear.states.size(), 3U);
  EXPECT_EQ(linear.states[2].name, "lift.piston");
  EXPECT_EQ(linear.x0[2], arm.value("lift.piston"));
  EXPECT_LT(linear.A[2][2], 0);  // it follows the arm
  ASSERT_FALSE(linear.warnings.empty());
  EXPECT_NE(linear.warnings.back().find("quasistatic.circuit.form: discrete states cannot be linearised"), std::string::npos);
}

TEST(Simulation, LinearizesIntoExistingStorage) {
  trunnion::Simulation machine{trunnion::Model::load(kFourBar)};
  trunnion::LinearSystem system;
  const trunnion::LinearRequest request{{"crank.angle", "lift.force"}};
  machine.linearize(request, system);
  const double *A = system.A[0].data(), *D = system.D[0].data();
  machine.run_until(0.05);
  machine.linearize(request, system);
  EXPECT_EQ(system.A[0].data(), A);
  EXPECT_EQ(system.D[0].data(), D);
  const trunnion::LinearSystem whole = machine.linearize(request.outputs);
  EXPECT_EQ(system.time, whole.time);
  for (const auto part : {&trunnion::LinearSystem::A, &trunnion::LinearSystem::B, &trunnion::LinearSystem::C, &trunnion::LinearSystem::D})
    EXPECT_EQ(system.*part, whole.*part);
  for (const auto part :
       {&trunnion::LinearSystem::x0, &trunnion::LinearSystem::u0, &trunnion::LinearSystem::y0, &trunnion::LinearSystem::drift})
    EXPECT_EQ(system.*part, whole.*part);
  ASSERT_EQ(system.outputs.size(), 2U);
  EXPECT_EQ(system.outputs[1].name, "lift.force");
  EXPECT_TRUE(system.eigenvalues.empty());
  EXPECT_EQ(system.independent, whole.independent);
  EXPECT_THROW(machine.linearize({{"crank.angel"}}, system), trunnion::ModelError);
  EXPECT_EQ(system.A, whole.A);  // as before
}

TEST(Simulation, SendsMessages) {
  using trunnion::Message;
  std::vector<Message> messages;
  const auto sink = [&](const Message& message) { messages.push_back(message); };
  const std::string text = R"(
trunnion: 1
bodies: {mass: {point_mass: {mass: 100 kg}}}
joints: {mass: {prismatic: {parent: ground, axis: x}}}
volumes: {v: {volume: 1 L, pressure: 10 bar}}
sources: {tank: {pressure: 1 bar}}
pumps: {pump: {S: tank, P: v, displacement: 10 cm^3/rev, speed: 1500 rpm}}
valves: {limit: {relief: {A: v, B: tank, cracking_pressure: 100 bar, flow: 100 L/min, override: 10 bar}}}
solver: {step: 1 ms, duration: 1 s}
)";
  trunnion::Simulation circuit = trunnion::Simulation::from_text(text);
  circuit.on_message(sink);
  circuit.run_until(0.005);
  EXPECT_TRUE(messages.empty());
  circuit.run();
  ASSERT_EQ(messages.size(), 1U);  // not in each step
  EXPECT_EQ(messages[0].severity, Message::Severity::note);
  EXPECT_EQ(messages[0].text, "limit: the relief valve opened");
  ASSERT_EQ(circuit.incidents().size(), 1U);
  EXPECT_EQ(messages[0].time, circuit.incidents()[0].first_time);
  EXPECT_GT(messages[0].time, 0.005);
  // Incidents stay when a number of the machine changes, and end with the run that they are of.
  circuit.set_parameter(circuit.model()->parameter("volumes.v.volume"), 2e-3);
  circuit.run_until(1.01);
  EXPECT_EQ(circuit.incidents().size(), 1U);
  EXPECT_EQ(messages.size(), 1U);
  circuit.restart();
  EXPECT_TRUE(circuit.incidents().empty());
  circuit.run_until(0.2);
  EXPECT_EQ(circuit.incidents().size(), 1U);
  EXPECT_EQ(messages.size(), 2U);  // of the new run
  circuit.restart();               // nothing is compiled
  EXPECT_TRUE(circuit.incidents().empty());
  circuit.on_message({});

  messages.clear();
  trunnion::Simulation stiff{trunnion::Model::load(kFourBar, {"solver.penalty=1e300"})};
  stiff.on_message(sink);
  const std::size_t at_once = messages.size();
  stiff.run_until(0.02);
  ASSERT_EQ(messages.size(), at_once + 1);
  EXPECT_EQ(messages.back().severity, Message::Severity::warning);
  EXPECT_NE(messages.back().text.find("solver.penalty: 1e+300 is outside the limits"), std::string::npos) << messages.back().text;

  messages.clear();
  const std::string no_angle = std::string(text).replace(text.find("cm^3/rev"), 8, "cm^3");
  trunnion::Simulation doubtful = trunnion::Simulation::from_text(no_angle);
  const std::vector<std::string> warnings = doubtful.model()->warnings();
  ASSERT_FALSE(warnings.empty());
  doubtful.on_message(sink);
  ASSERT_EQ(messages.size(), warnings.size());
  EXPECT_EQ(messages[0].text, warnings[0]);

  trunnion::Simulation thrown = trunnion::Simulation::from_text(text);
  thrown.on_message([](const Message&) { throw std::runtime_error("enough"); });
  EXPECT_THROW(thrown.run(), std::runtime_error);
  EXPECT_LT(thrown.time(), 1);
}

/// A relay whose held mode the machine would leave at once.
TEST(Simulation, SendsWhatIsDoubtfulAboutASteadyStart) {
  using trunnion::Message;
  const auto model = trunnion::Model::from_text(R"(
trunnion: 1
bodies: {arm: {rod: {length: 2 m, mass: 10 kg}}}
joints: {arm: {revolute: {parent: ground, axis: [0, -1, 0]}, angle: 20 deg}}
springs: {b: {joint: arm, stiffness: 300, damping: 20, rest: 0}}
forces: {motor: {joint: arm, load: 1 N m, signal: torque}}
solver: {step: 1 ms, duration: 1 s}
control: {torque: {relay: {input: arm.angle, on: 0.5, off: 0.4, value_on: 0, value_off: 260}}}
)");
  std::vector<Message> messages;
  const auto sink = [&](const Message& message) { messages.push_back(message); };
  const auto doubtful = [&] {
    return std::count_if(messages.begin(), messages.end(), [](const Message& m) {
      return m.severity == Message::Severity::warning && m.time == 0 && m.text.starts_with("torque.mode: ");
    });
  };
  for (int i = 0; i < 2; ++i) {  // the second one takes the start that the first one found
    messages.clear();
    trunnion::Simulation steady(model, trunnion::Start::steady);
    steady.on_message(sink);
    EXPECT_EQ(doubtful(), 1);
    steady.run_until(0.01);
    steady.restart(trunnion::Start::given);
    EXPECT_EQ(doubtful(), 1);
    steady.set_parameter(model->parameter("bodies.arm.rod.mass"), 10.001);
    steady.restart(trunnion::Start::steady);
    EXPECT_EQ(doubtful(), 2);
    steady.restart(trunnion::Start::steady);
    EXPECT_EQ(doubtful(), 3);
  }
  messages.clear();
  trunnion::Simulation given(model);
  given.on_message(sink);
  EXPECT_EQ(doubtful(), 0);
}

TEST(LinearizeToFiles, WritesWhatIsAskedFor) {
  const std::string folder = trunnion::test::temporary_folder();
  trunnion::Linearization what;
  what.start = trunnion::Start::equilibrium;
  what.outputs = {"crank.angle"};
  what.vary = {"cylinders.lift.bore=80 mm,90 mm"};
  what.sensitivity = {"cylinders.lift.bore"};
  what.simulate = 0.05;
  trunnion::linearize_to_files(kFourBar, folder, {"solver.duration=0.1 s"}, what);
  for (const char* name :
       {"linear.json", "linear.csv", "eigenvalues.csv", "linear.mat", "root_locus.csv", "sensitivity.csv", "simulate.csv"})
    EXPECT_TRUE(std::filesystem::exists(folder + "/" + name)) << name;
  std::filesystem::remove_all(folder);
  trunnion::Linearization along;
  along.at = {0.05, 0.1};
  along.folders = true;
  trunnion::linearize_to_files(kFourBar, folder, {"solver.duration=0.1 s"}, along);
  for (const char* name : {"linear_over_time.mat", "over_time.json", "at_0.1/linear.json"})
    EXPECT_TRUE(std::filesystem::exists(folder + "/" + name)) << name;
  std::filesystem::remove_all(folder);
  what.at = {0.2};
  EXPECT_THROW(trunnion::linearize_to_files(kFourBar, folder, {"solver.duration=0.1 s"}, what), trunnion::ModelError);
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(Simulation, ErrorsSayWhatIsWrong) {
  EXPECT_THROW(trunnion::Simulation("nowhere.yaml"), trunnion::ModelError);
  try {
    trunnion::Simulation(kFourBar, {"solver.stepp=1", "solver.duration=-1"});
    FAIL();
  } catch (const trunnion::ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("solver.stepp"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("solver.duration"), std::string::npos);
  }
  trunnion::Simulation machine(kFourBar, {"solver.max_iterations=1", "solver.divisions=0"});
  try {
    machine.find("crank.angel");
    FAIL();
  } catch (const trunnion::ModelError& error) { EXPECT_NE(std::string(error.what()).find("crank.angle"), std::string::npos); }
  EXPECT_THROW((void)machine.value(-1), trunnion::ModelError);
  try {
    machine.run();
    FAIL();
  } catch (const trunnion::RunError& error) {
    EXPECT_EQ(error.time(), machine.time());
    EXPECT_EQ(error.time(), 1);
  }
  trunnion::Simulation ball = trunnion::Simulation::from_text(
      "trunnion: 1\nbodies: {b: {sphere: {radius: 1 m, mass: 1 kg}}}\njoints: {b: {free: {parent: ground}}}\nsolver: {step: 1 ms}\n");
  EXPECT_THROW(ball.restore(machine.save()), trunnion::ModelError);
}

TEST(Simulation, FallsFreely) {
  trunnion::Simulation ball = trunnion::Simulation::from_text(
      "trunnion: 1\ngravity: [0, 0, -10]\nbodies: {b: {sphere: {radius: 1 m, mass: 1 kg}}}\njoints: {b: {free: {parent: ground}, velocity: "
      "[3, 0, 4]}}\nsolver: {step: 10 ms}\n");
  ball.run_until(0.8);
  EXPECT_NEAR(ball.value("b.x"), 3 * 0.8, 1e-12);
  EXPECT_NEAR(ball.value("b.z"), 4 * 0.8 - 5 * 0.64, 1e-12);
  EXPECT_NEAR(ball.value("b.center_z"), ball.value("b.z"), 1e-15);
}

TEST(ReadRecordedRun, GivesTheBitsOfTheRunAndItsUnits) {
  const std::filesystem::path folder = trunnion::test::temporary_folder();
  const trunnion::RunResult run = trunnion::run_in_memory(trunnion::Model::load(kFourBar, {"solver.duration=0.3 s"}));
  run.save(folder.string());
  const auto compare = [&](const trunnion::RecordedRun& stored, bool units) {
    ASSERT_EQ(stored.channels.size(), run.channels().size());
    for (std::size_t k = 0; k < stored.channels.size(); ++k) {
      EXPECT_EQ(stored.channels[k].name, run.channels()[k].name);
      EXPECT_EQ(stored.channels[k].unit, units || k == 0 ? run.channels()[k].unit : "");
      EXPECT_EQ(stored.values[k], run.values(k)) << stored.channels[k].name;
    }
  };
  compare(trunnion::read_recorded_run(folder.string()), true);
  EXPECT_TRUE(trunnion::read_recorded_run((folder / "results.csv").string()).file.ends_with("results.csv"));
  std::filesystem::remove(folder / "results.h5");
  std::filesystem::rename(folder / "results.csv", folder / "results.csv.part");
  const trunnion::RecordedRun killed = trunnion::read_recorded_run(folder.string());
  EXPECT_TRUE(killed.unfinished);
  compare(killed, false);
  std::filesystem::remove_all(folder);
  EXPECT_THROW((void)trunnion::read_recorded_run(folder.string()), trunnion::ModelError);
}

TEST(Simulation, CallsItsProgressFunctionEveryStepsBetweenReports) {
  trunnion::Simulation machine(kFourBar);
  std::vector<long> steps;
  machine.on_progress([&](double) {
    steps.push_back(machine.steps());
    return steps.size() < 3;
  });
  EXPECT_THROW(machine.run_until(1), trunnion::RunError);
  EXPECT_EQ(steps,
            (std::vector<long>{trunnion::kStepsBetweenReports, 2 * trunnion::kStepsBetweenReports, 3 * trunnion::kStepsBetweenReports}));
  EXPECT_EQ(machine.steps(), 3 * trunnion::kStepsBetweenReports);
}

TEST(RunToFiles, WritesResultsAndThrowsAfterwards) {
  const std::string folder = trunnion::test::temporary_folder();
  std::filesystem::remove_all(folder);
  trunnion::run_to_files(kFourBar, folder + "/good", {"solver.duration=0.1 s"});
  EXPECT_THROW(trunnion::run_to_files(kFourBar, folder + "/bad", {"solver.max_iterations=1", "solver.divisions=0"}), trunnion::RunError);
  for (const char* name :
       {"/good/results.csv", "/good/results.h5", "/good/summary.json", "/bad/results.csv", "/bad/results.h5", "/bad/summary.json"})
    EXPECT_TRUE(std::filesystem::exists(folder + name)) << name;
  std::filesystem::remove_all(folder);
}

}  // namespace
