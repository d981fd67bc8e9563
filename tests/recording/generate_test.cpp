// `trunnion generate`: generated code against the general step.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "machine/start.h"
#include "recording/generated_files.h"
#include "recording/record_run.h"
#include "run/run.h"
#include "schema/parameters.h"
#include "support/machines.h"
#include "support/program.h"
#include "support/temporary_folder.h"

namespace trunnion::test {
namespace {

using Generate = InFolder;

struct GeneratedCase {
  const char* example;
  std::vector<std::string> set;
  double duration;
};

/// Lines of numbers.
std::vector<std::vector<double>> numbers_of(const std::string& text) {
  std::vector<std::vector<double>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream values(line);
    rows.emplace_back();
    for (std::string value; std::getline(values, value, ',');) rows.back().push_back(std::stod(value));
  }
  return rows;
}

/// Compiles and runs the code; its rows.
std::vector<std::vector<double>> run_code(const std::string& folder, const GeneratedCode& code) {
  EXPECT_EQ(code.failure, "");
  for (const auto& [name, text] : code.files) std::ofstream(folder + "/" + name) << text;
  EXPECT_EQ(std::system(("cd '" + folder + "' && make -s CFLAGS='-O0 -Wall -Wextra -Werror' && ./host > rows.csv").c_str()), 0)
      << code.code.ways;
  return numbers_of(text_of(folder + "/rows.csv"));
}

/// The code's state along the run and that of the general step, relative to each number's largest.
void compare(const std::string& example, const std::vector<std::vector<double>>& rows, const std::shared_ptr<const CompiledModel>& model) {
  Runner run(model);
  std::vector<double> largest(run.state().values().size(), 1e-3), worst(largest.size(), 0);
  const StateLayout& n = model->layout;
  const auto compared = static_cast<std::size_t>(n.nq + n.nv);  // accelerations and rates lose digits
  ASSERT_GT(rows.size(), 50u) << example;
  for (const std::vector<double>& row : rows) {
    run.advance(row.front());
    ASSERT_NEAR(run.state().time, row.front(), 1e-9) << example;
    ASSERT_EQ(row.size(), run.state().values().size() + 1) << example;
    for (std::size_t i = 0; i < row.size() - 1; ++i) {
      largest[i] = std::max(largest[i], std::abs(run.state().values()[i]));
      worst[i] = std::max(worst[i], std::abs(run.state().values()[i] - row[i + 1]));
    }
  }
  for (std::size_t i = 0; i < compared; ++i) EXPECT_LT(worst[i], 1e-9 * largest[i]) << example << ", number " << i;
  const auto y = static_cast<std::size_t>(n.nq + 2 * n.nv);
  for (std::size_t i = y; i < y + static_cast<std::size_t>(n.ny); ++i)
    EXPECT_LT(worst[i], 1e-7 * largest[i]) << example << ", number " << i;
}

void compare(const std::string& folder, const GeneratedCase& c) {
  std::vector<std::string> set = c.set;
  set.push_back("solver.duration=" + std::to_string(c.duration));
  const auto model = load_example(c.example, set);
  compare(c.example, run_code(folder, generate_code(model, "machine")), model);
}

double* number_of(Description& description, const std::string& path) {
  for (const Parameter& parameter : parameters_of(description))
    if (parameter.path == path) return parameter.value;
  ADD_FAILURE() << path;
  return nullptr;
}

/// A host that sets parameters, and the start state of the model that has these values.
std::string host_with(const std::vector<double>& parameters, const std::vector<double>& start) {
  std::string values, state;
  for (const double x : parameters) values += fmt::format("{:.17g}, ", x);
  for (const double x : start) state += fmt::format("{:.17g}, ", x);
  return fmt::format(R"(#include "machine.h"
#include <stdio.h>
int main(void)
{{
  static const double p[] = {{{}}}, x[] = {{{}}};
  machine_machine m;
  int i, step, status = MACHINE_DONE;
  machine_start(&m);
  for (i = 0; i < MACHINE_PARAMETERS; ++i) machine_set_parameter(&m, i, p[i]);
  for (i = 0; i < MACHINE_NUMBERS; ++i) m.x[i] = x[i];
  for (step = 0; step <= 1000; ++step) {{
    if (step % 10 == 0) {{
      printf("%.17g", m.t);
      for (i = 0; i < MACHINE_NUMBERS; ++i) printf(",%.17g", m.x[i]);
      printf("\n");
    }}
    if (step < 1000) status = machine_step(&m);
    if (status != MACHINE_DONE) {{
      fprintf(stderr, "t = %g s: status %d\n", m.t, status);
      return status;
    }}
  }}
  return 0;
}}
)",
                     values, state);
}

/// Code recorded at two rows of values, run at values between them, against the general step of the model that has these.
void compare_between(const std::string& folder, const std::string& example, const RecordedParameters& parameters,
                     const std::vector<double>& between) {
  const auto model = load_example(example, {"solver.duration=1 s"});
  GeneratedCode code = generate_code(model, "machine", parameters);
  EXPECT_TRUE(code.without_influence.empty());
  Description description = model->description;
  for (std::size_t i = 0; i < between.size(); ++i) *number_of(description, parameters.paths[i]) = between[i];
  const auto changed = compile(std::move(description));
  code.files["host.c"] = host_with(between, start_state(*changed).values());
  const std::vector<std::vector<double>> rows = run_code(folder, code);
  compare(example, rows, changed);
  // and not those of the model as it was
  Runner before(model);
  before.advance(1);
  const auto velocity = static_cast<std::size_t>(model->layout.nq);
  ASSERT_FALSE(rows.empty());
  EXPECT_GT(std::abs(before.state().values()[velocity] - rows.back()[velocity + 1]), 1e-6);
}

TEST_F(Generate, ParametersOfALeverAreArguments) {
  compare_between(folder_, "lever",
                  {{"bodies.lever.rod.mass", "cylinders.lift.bore", "cylinders.lift.friction.coulomb", "cylinders.lift.base.at.1"},
                   {{110, 0.052, 120, -0.81}, {90, 0.048, 90, -0.79}}},
                  {105, 0.051, 110, -0.805});
}
TEST_F(Generate, ParametersOfACraneAreArguments) {
  compare_between(folder_, "crane_single", {{"fluid.bulk_modulus", "gravity.1"}, {{1.4e9, -9.7}, {1.6e9, -9.9}}}, {1.45e9, -9.8});
}

TEST_F(Generate, ARunWithoutJumpsKnowsHowToStartAgain) {
  const std::string source = generate_code(load_example("lever_driven", {"solver.duration=0.1 s"}), "machine").files.at("machine.c");
  const std::size_t begin = source.find("static int restart("), end = source.find("static int signals_at_start(");
  ASSERT_LT(begin, end);
  EXPECT_NE(source.substr(begin, end - begin).find("return 0;"), std::string::npos);
}

TEST_F(Generate, ParametersThatAreNoInputsOfAStepAreRefusedOrNamed) {
  const auto model = load_example("lever", {"solver.duration=0.1 s"});
  try {
    generate_code(model, "machine", {{"signals.command.ramps.1.1"}, {}});
    ADD_FAILURE();
  } catch (const Error& e) { EXPECT_NE(std::string(e.what()).find("signals.command.ramps.1.1"), std::string::npos) << e.what(); }
  const GeneratedCode code = generate_code(model, "machine", {{"volumes.rod_side.pressure", "bodies.lever.rod.mass"}, {}});
  EXPECT_EQ(code.without_influence, std::vector<std::string>{"volumes.rod_side.pressure"});
}

TEST_F(Generate, CodeOfALever) { compare(folder_, {"lever", {}, 1}); }
TEST_F(Generate, CodeOfACrane) { compare(folder_, {"crane_single", {}, 2}); }
TEST_F(Generate, CodeOfACraneWithDoubleStep) { compare(folder_, {"crane_single", {"solver.constraints=double_step"}, 1}); }
TEST_F(Generate, CodeOfACraneByGeneralizedAlpha) { compare(folder_, {"crane_single", {"solver.integrator=generalized_alpha"}, 0.5}); }
TEST_F(Generate, CodeOfAFourBarMechanism) { compare(folder_, {"four_bar", {}, 0.5}); }
TEST_F(Generate, CodeOfASlewingCrane) { compare(folder_, {"slewing_crane", {}, 0.3}); }

TEST_F(Generate, WaysInTablesGiveTheSameNumbers) {
  const auto model = load_example("crane_single", {"solver.duration=0.5 s"});
  const RecordedParameters gravity{{"gravity.1"}, {}};
  for (const RecordedParameters& parameters : {RecordedParameters(), gravity}) {
    const GeneratedCode all = generate_code(model, "machine", parameters), few = generate_code(model, "machine", parameters, 1);
    EXPECT_EQ(all.table.ways, 0);
    EXPECT_EQ(all.code.steps, all.steps);
    EXPECT_EQ(few.code.ways, 1);
    EXPECT_GT(few.table.ways, 1);
    EXPECT_LT(few.code.operations, all.code.operations / 2);
    EXPECT_GT(few.table.steps, 0);
    EXPECT_EQ(few.code.steps + few.table.steps, few.steps);
    EXPECT_FALSE(few.first_without);
    const auto rows = run_code(folder_, few);
    EXPECT_EQ(rows, run_code(folder_, all));
    EXPECT_EQ(rows.size(), 101u);
  }
}

/// A step in which pressures jump is subdivided by the program and has no way.
TEST_F(Generate, TheFirstStepWithoutAWayIsWhereTheHostStops) {
  const GeneratedCode code = generate_code(load_example("arm_lumped", {"solver.duration=3 s"}), "machine");
  ASSERT_TRUE(code.first_without);
  EXPECT_GT(code.others, 0);
  EXPECT_EQ(code.code.steps + code.table.steps, code.steps - code.others);
  for (const auto& [name, text] : code.files) std::ofstream(folder_ / name) << text;
  EXPECT_NE(std::system(("cd '" + folder_.string() + "' && make -s && ./host > rows.csv 2> stopped").c_str()), 0);
  const std::string stopped = text_of(folder_ / "stopped");
  EXPECT_TRUE(stopped.starts_with(fmt::format("t = {:g} s: ", *code.first_without))) << stopped << *code.first_without;
}

TEST_F(Generate, CodeOfAMachineWithControlBlocks) { compare(folder_, {"active_damping", {}, 3}); }

TEST_F(Generate, TheSameModelGivesTheSameTexts) {
  const auto model = load_example("lever", {"solver.duration=0.5"});
  EXPECT_EQ(generate_code(model, "lever").files, generate_code(model, "lever").files);
}

TEST_F(Generate, WhatHasNoRecordedStepIsRefused) {
  const auto refused = [](const char* example, const std::vector<std::string>& set) -> std::string {
    try {
      generate_code(load_example(example, set), "machine");
    } catch (const std::exception& e) { return e.what(); }
    return "";
  };
  EXPECT_NE(refused("excavator_operator", {}).find("a sampled control block has no generated code"), std::string::npos);
  const std::string modes = refused("position_servo", {"control.approach={relay: {input: steps, on: 0.1, off: 0.05}}"});
  EXPECT_NE(modes.find("control.approach: a control block with modes"), std::string::npos) << modes;
  EXPECT_NE(refused("lever", {"solver.integrator=rk4", "solver.constraints=double_step"}).find("solver.integrator"), std::string::npos);
  for (const char* constraints : {"double_step", "baumgarte"})
    for (const char* example : {"rolling_disc", "four_bar_lift"}) {
      const std::string rows = refused(example, {std::string("solver.constraints=") + constraints, "solver.duration=3 ms"});
      EXPECT_NE(rows.find(std::string("solver.constraints: ") + constraints + " of a machine with loops"), std::string::npos) << rows;
    }
}

/// Signals within the step are not known to the code.
TEST_F(Generate, IntegratorsThatReadSignalsWithinTheStepAreRefused) {
  const auto esdirk = load_example("lever", {"solver.integrator=esdirk3", "solver.duration=0.1 s"});
  try {
    generate_code(esdirk, "machine");
    ADD_FAILURE() << "no error";
  } catch (const std::exception& e) { EXPECT_NE(std::string(e.what()).find("within the step"), std::string::npos) << e.what(); }
}

/// A mass pushed by a smooth table, each of whose parts is a formula.
TEST_F(Generate, SmoothTablesHaveAllTheirParts) {
  const auto model = test::model_from(R"(
trunnion: 1
bodies: {m: {point_mass: {mass: 1 kg}}}
joints: {m: {prismatic: {parent: ground, axis: x}}}
forces: {push: {body: m, force: [1, 0, 0], signal: command}}
signals: {command: {table: [[0, 0], [0.3, 0.4], [0.45, 0.4], [1, -0.2], [2, 0]], smooth: true}}
solver: {step: 1 ms, duration: 1 s}
)");
  compare("smooth", run_code(folder_, generate_code(model, "machine")), model);
}

/// The sum of the time and a step may lie beyond the jump at which the step ends: its signals are those before the jump.
TEST_F(Generate, StepsThatEndAtAJumpHaveTheSignalsBeforeIt) {
  for (const double h : {1e-3, 1e-4}) {
    std::string jumps;
    int last = 0, number = 0;
    for (int k = 1; number < 8; ++k) {
      if (k < last + 30 || ((k - 1) * h + h > k * h) != (number % 4 > 0)) continue;  // three of four are beyond
      jumps += fmt::format("{}[{:.17g}, {}]", jumps.empty() ? "" : ", ", k * h, number % 2 == 0 ? 1 : -1);
      last = k, ++number;
    }
    ASSERT_LT(last, 480) << h;
    const auto model = test::model_from(fmt::format(R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {{m: {{point_mass: {{mass: 1 kg}}}}}}
joints: {{m: {{prismatic: {{parent: ground, axis: x}}}}}}
volumes: {{a: {{volume: 1 L, pressure: 1 MPa}}, b: {{volume: 1 L, pressure: 1 MPa}}}}
sources: {{pump: {{pressure: 10 MPa}}, tank: {{pressure: 1 bar}}}}
valves: {{valve: {{directional_4_3: {{P: pump, T: tank, A: a, B: b, flow: 1 L/min, at_signal: 1, time_constant: 5 ms}}, signal: command}}}}
forces: {{push: {{joint: m, load: 1 N, signal: command}}}}
signals: {{command: {{steps: [{}]}}}}
solver: {{step: {}, duration: {}}}
)",
                                                    jumps, h, 500 * h));
    compare("jumps", run_code(folder_, generate_code(model, "machine")), model);
  }
}

/// A pendulum under a slide whose rate jumps, between points of the grid and on one.
TEST_F(Generate, MotionsPassOnTheirImpulses) {
  const auto model = test::model_from(R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {c: {point_mass: {mass: 2}}, p: {rod: {length: 1, mass: 1}}}
joints: {c: {prismatic: {parent: ground, axis: x}, position: 0}, p: {revolute: {parent: c, axis: z}, angle: -60 deg}}
motions: {d: {joint: c, signal: u}}
signals: {u: {ramps: [[0, 0], [0.1003, 0], [0.3, 0.4], [0.4, 0.4]]}}
solver: {step: 1 ms, duration: 0.5 s}
)");
  compare("slide", run_code(folder_, generate_code(model, "machine")), model);
}

/// Where the rounding of the time is larger than a billionth of a step.
TEST_F(Generate, LateStepsGoOn) {
  const auto model = test::model_from(R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {m: {point_mass: {mass: 2 kg}}}
joints: {m: {prismatic: {parent: ground, axis: x}, speed: 1}}
solver: {step: 0.1 ms, duration: 0.1 s}
)");
  GeneratedCode code = generate_code(model, "machine");
  code.files["host.c"] = R"(#include "machine.h"
#include <stdio.h>
int main(void)
{
  long i;
  machine_machine m;
  machine_start(&m);
  m.t = 1024;
  for (i = 0; i < 100000; ++i)
    if (machine_step(&m) != MACHINE_DONE) return 1;
  printf("%.17g,%.17g\n", m.t, m.x[0]);
  return 0;
}
)";
  const auto rows = run_code(folder_, code);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_NEAR(rows[0][0], 1034, 1e-9);
  EXPECT_NEAR(rows[0][1], 10, 1e-9);
}

/// A value beyond the limits of an input is its limit.
TEST_F(Generate, InputsKeepTheirLimits) {
  const auto model = test::model_from(R"(
trunnion: 1
bodies: {m: {point_mass: {mass: 1 kg}}}
joints: {m: {prismatic: {parent: ground, axis: x}}}
forces: {push: {body: m, force: [1, 0, 0], signal: command}}
inputs: {command: {min: -1, max: 2}}
solver: {step: 1 ms, duration: 0.1 s}
)");
  GeneratedCode code = generate_code(model, "machine");
  code.files["host.c"] = R"(#include "machine.h"
#include <stdio.h>
int main(void)
{
  int i;
  const double set[] = {50, -7, 1.5};
  machine_machine m;
  machine_start(&m);
  for (i = 0; i < 3; ++i) {
    machine_set(&m, 0, set[i]);
    printf("%.17g,%.17g\n", set[i], m.u[0]);
  }
  return 0;
}
)";
  EXPECT_EQ(run_code(folder_, code), (std::vector<std::vector<double>>{{50, 2}, {-7, -1}, {1.5, 1.5}}));
}

#ifdef TRUNNION_PROGRAM
TEST_F(Generate, ProgramWritesTheFiles) {
  const std::string model = std::string(TRUNNION_SOURCE_DIR) + "/examples/lever.yaml";
  const Outcome done = call_program(folder_, "generate '" + model + "' --set 'solver.duration=0.2 s' -o code");
  EXPECT_EQ(done.code, 0) << done.output;
  EXPECT_TRUE(done.printed("200 steps of the run")) << done.output;
  EXPECT_TRUE(done.printed("for 100 % of the steps")) << done.output;
  const Outcome tables = call_program(folder_, "generate '" + model + "' --set 'solver.duration=0.2 s' -o tables --operations 1");
  EXPECT_TRUE(tables.printed("in tables: ")) << tables.output;
  for (const char* file : {"lever.h", "lever.c", "host.c", "makefile"}) EXPECT_TRUE(exists(std::string("code/") + file)) << file;
  EXPECT_EQ(call_program(folder_, "generate '" + model + "' --set solver.coupling=gauss_seidel").code, 2);
  const std::string some = "generate '" + model + "' --set 'solver.duration=0.1 s' -o more --parameter ";
  const Outcome more = call_program(folder_, some + "'cylinders.*.bore=52 mm,4.8 cm' --parameter volumes.rod_side.pressure");
  EXPECT_EQ(more.code, 0) << more.output;
  EXPECT_TRUE(more.printed("parameters: 2; without influence on a step: volumes.rod_side.pressure")) << more.output;
  EXPECT_TRUE(more.printed("300 steps of the run")) << more.output;
  const Outcome unknown = call_program(folder_, some + "cylinders.lift.bor");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(unknown.printed("did you mean `cylinders.lift.bore`?")) << unknown.output;
  EXPECT_EQ(call_program(folder_, some + "'cylinders.lift.bore=5 kg'").code, 2);
  std::filesystem::copy_file(model, path("host.yaml"));
  const Outcome host = call_program(folder_, "generate host.yaml --set 'solver.duration=0.01 s' -o host");
  EXPECT_EQ(host.code, 0) << host.output;
  EXPECT_EQ(std::system(("make -s -C '" + path("host") + "'").c_str()), 0);
}
#endif

}  // namespace
}  // namespace trunnion::test
