// solver.compiled: steps by generated code against general steps, and what happens where there is no code.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>

#include "base/diagnostic.h"
#include "recording/record_run.h"
#include "run/run.h"
#include "schema/parameters.h"
#include "studies/sweep.h"
#include "support/environment.h"
#include "support/machines.h"
#include "support/program.h"
#include "support/temporary_folder.h"

namespace trunnion::test {
namespace {

namespace fs = std::filesystem;

class Compiled : public WithCache {
 protected:
  std::string cache() const { return path("trunnion"); }
  /// The file in the cache with this ending.
  std::string file(const std::string& ending) const {
    for (const fs::directory_entry& entry : fs::directory_iterator(cache()))
      if (entry.path().extension() == ending) return entry.path();
    return "";
  }
};

constexpr double kDuration = 0.5;

std::unique_ptr<Runner> run_of(const char* example, const std::string& compiled, std::vector<std::string> set = {}) {
  set.push_back("solver.compiled=" + compiled);
  set.push_back("solver.duration=" + std::to_string(kDuration));
  auto run = std::make_unique<Runner>(load_example(example, set));
  run->advance(kDuration);
  return run;
}

double largest_difference(const Runner& a, const Runner& b, int begin, int end) {
  double size = 0, difference = 0;
  for (int i = begin; i < end; ++i) {
    const double x = a.state().values()[static_cast<std::size_t>(i)], y = b.state().values()[static_cast<std::size_t>(i)];
    size = std::max(size, std::abs(y));
    difference = std::max(difference, std::abs(x - y));
  }
  return size > 0 ? difference / size : difference;
}

TEST_F(Compiled, StepsAreThoseOfTheGeneralStep) {
  for (const char* example : {"crane_single", "lever", "forwarder_crane"}) {
    const auto general = run_of(example, "off"), compiled = run_of(example, "on");
    const StateLayout& n = general->model()->layout;
    EXPECT_EQ(general->stepper().remark(), "");
    EXPECT_TRUE(compiled->stepper().remark().starts_with("compiled step: ")) << compiled->stepper().remark();
    EXPECT_EQ(general->statistics().compiled_steps, 0);
    EXPECT_GT(static_cast<double>(compiled->statistics().compiled_steps), 0.5 * static_cast<double>(compiled->statistics().steps))
        << example;
    EXPECT_EQ(compiled->statistics().steps, general->statistics().steps);
    EXPECT_NEAR(compiled->statistics().mean_iterations(), general->statistics().mean_iterations(), 0.02) << example;
    EXPECT_NEAR(compiled->statistics().max_violation, general->statistics().max_violation,
                1e-3 * general->statistics().max_violation + 1e-14);
    EXPECT_LT(largest_difference(*compiled, *general, 0, n.nq), 1e-10) << example;
    EXPECT_LT(largest_difference(*compiled, *general, n.nq + 2 * n.nv, n.nq + 2 * n.nv + n.ny), 1e-7) << example;
    EXPECT_EQ(run_of(example, "on")->state(), compiled->state()) << example << ": from the cache, bit for bit";
  }
}

/// Continuous blocks are in the code; samples, latencies and modes are constant in a step, and change between steps.
TEST_F(Compiled, StepsOfMachinesWithControlBlocks) {
  struct Case {
    const char* example;
    std::vector<std::string> set;
  };
  for (Case c :
       {Case{"active_damping", {}}, Case{"active_damping", {"control.angle.period=5 ms", "control.angle.latency=2 ms"}},
        Case{"active_damping", {"control.lever={relay: {input: boom.angle, on: 16 deg, off: 15 deg, value_on: 0.1, value_off: 0.3}}"}}}) {
    c.set.emplace_back("signals.target={ramps: [[0 s, 15 deg], [1 s, 25 deg]]}");
    const auto general = run_of(c.example, "off", c.set), compiled = run_of(c.example, "on", c.set);
    const StateLayout& n = general->model()->layout;
    EXPECT_TRUE(compiled->stepper().remark().starts_with("compiled step: ")) << compiled->stepper().remark();
    EXPECT_GT(static_cast<double>(compiled->statistics().compiled_steps), 0.9 * static_cast<double>(compiled->statistics().steps));
    EXPECT_EQ(compiled->statistics().steps, general->statistics().steps);
    EXPECT_LT(largest_difference(*compiled, *general, 0, n.nq), 1e-12);
    for (const ControlBlock& block : general->model()->hydraulics.control) {
      const int begin = n.nq + 2 * n.nv + block.output;
      EXPECT_LT(largest_difference(*compiled, *general, begin, begin + block.size()), 1e-9) << block.name;
    }
  }
}

/// Steps of a large machine differ in their numbers of iterations, not in what its valves, motors and stops do, which are selections.
TEST(RecordedRun, WaysOfAMachineWithManyValvesAreFew) {
  const std::unique_ptr<RecordedSteps> run =
      record_run(load_example("excavator", {"solver.duration=1.5 s"}), {.most_operations = 1e7, .other_ways = false}, {});
  long followed = 0;
  std::vector<long> visits;
  for (const recording::Block& block : run->step.blocks())
    if (block.ends) visits.push_back(block.visits);
  std::sort(visits.rbegin(), visits.rend());
  ASSERT_GT(visits.size(), 10U);
  followed = std::accumulate(visits.begin(), visits.end(), 0L);
  const long most = std::accumulate(visits.begin(), visits.begin() + 10, 0L);
  EXPECT_GT(followed, 200);
  EXPECT_GT(static_cast<double>(most), 0.8 * static_cast<double>(followed)) << "of " << visits.size() << " ways";
}

TEST_F(Compiled, CacheBelongsToItsUser) {
  run_of("lever", "on");
  struct stat info {};
  ASSERT_EQ(stat(cache().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  const auto first = fs::last_write_time(file(".so"));
  EXPECT_TRUE(run_of("lever", "on")->stepper().remark().starts_with("compiled step: "));
  EXPECT_EQ(fs::last_write_time(file(".so")), first) << "compiled again";
  const auto general = run_of("lever", "off");
  fs::permissions(file(".so"), fs::perms::group_write, fs::perm_options::add);
  const auto refused = run_of("lever", "on");
  EXPECT_NE(refused->stepper().remark().find("only its user can write to"), std::string::npos) << refused->stepper().remark();
  EXPECT_EQ(refused->state(), general->state());
  std::ofstream(file(".model"), std::ios::app) << " ";  // of another model with the same hash
  EXPECT_TRUE(run_of("lever", "on")->stepper().remark().starts_with("compiled step: "));
  EXPECT_GT(fs::last_write_time(file(".so")), first);
  fs::permissions(cache(), fs::perms::others_write, fs::perm_options::add);
  EXPECT_NE(run_of("lever", "on")->stepper().remark().find("is not a folder"), std::string::npos);
}

/// A run with other values of parameters, as a simulation makes it when they are set.
std::unique_ptr<Runner> run_like(const std::shared_ptr<const CompiledModel>& model, const std::map<std::string, double>& values,
                                 CompiledKind compiled) {
  Description description = model->description;
  description.solver.compiled = compiled;
  for (const Parameter& parameter : parameters_of(description))
    if (const auto value = values.find(parameter.path); value != values.end()) *parameter.value = value->second;
  auto run = std::make_unique<Runner>(compile(std::move(description), model));
  run->advance(kDuration);
  return run;
}

TEST_F(Compiled, ModelsThatDifferInParametersOfTheCodeShareIt) {
  const auto model = load_example("lever", {"solver.compiled=on", "solver.duration=" + std::to_string(kDuration),
                                            "solver.compiled_parameters=[bodies.*.rod.mass, cylinders.lift.bore]"});
  for (const double scale : {1.0, 1.05, 0.9}) {
    const std::map<std::string, double> values{{"bodies.lever.rod.mass", 100 * scale}, {"cylinders.lift.bore", 0.05 * scale}};
    const auto compiled = run_like(model, values, CompiledKind::on), general = run_like(model, values, CompiledKind::off);
    EXPECT_TRUE(compiled->stepper().remark().starts_with("compiled step: ")) << compiled->stepper().remark();
    EXPECT_GT(static_cast<double>(compiled->statistics().compiled_steps), 0.5 * static_cast<double>(compiled->statistics().steps)) << scale;
    const StateLayout& n = model->layout;
    EXPECT_LT(largest_difference(*compiled, *general, 0, n.nq), 1e-10) << scale;
    EXPECT_LT(largest_difference(*compiled, *general, n.nq + 2 * n.nv, n.nq + 2 * n.nv + n.ny), 1e-7) << scale;
  }
  const auto codes = [&] {
    return std::count_if(fs::directory_iterator(cache()), fs::directory_iterator(),
                         [](const fs::directory_entry& entry) { return entry.path().extension() == ".so"; });
  };
  EXPECT_EQ(codes(), 1);
  const auto other = run_like(model, {{"bodies.lever.rod.mass", 90}, {"fluid.density", 860}}, CompiledKind::on);
  EXPECT_TRUE(other->stepper().remark().starts_with("compiled step: "));
  EXPECT_EQ(codes(), 2) << "the density is no parameter of the code";
}

TEST_F(Compiled, ParametersThatAreNoneAreFindings) {
  try {
    load_example("lever", {"solver.compiled_parameters=[cylinders.lift.bor]"});
    ADD_FAILURE();
  } catch (const InputError& e) { EXPECT_NE(std::string(e.what()).find("cylinders.lift.bore"), std::string::npos) << e.what(); }
}

TEST_F(Compiled, ASweepHasOneCode) {
  SweepRequest request;
  request.model_file = std::string(TRUNNION_SOURCE_DIR) + "/examples/lever.yaml";
  request.vary = {"cylinders.lift.bore=45mm,50mm,55mm", "bodies.lever.rod.mass=90,110"};
  request.kpis = {"p=max(piston_side.pressure)", "x=final(lever.angle)"};
  const auto table = [&](const char* compiled) {
    request.overrides = {{"solver.duration", "0.5"}, {"solver.compiled", compiled}};
    EXPECT_EQ(sweep_to_folder(request, path(compiled), 2, false).completed, 6u);
    return text_of(path(compiled) + "/sweep.csv");
  };
  std::istringstream general(table("off")), compiled(table("on"));
  EXPECT_EQ(std::count_if(fs::directory_iterator(cache()), fs::directory_iterator(),
                          [](const fs::directory_entry& entry) { return entry.path().extension() == ".so"; }),
            1);
  std::string a, b;
  int rows = 0;
  for (; std::getline(general, a) && std::getline(compiled, b); ++rows) {
    std::istringstream as(a), bs(b);
    for (std::string x, y; std::getline(as, x, ',') && std::getline(bs, y, ',');) {
      if (x == y) continue;
      EXPECT_NEAR(std::stod(x), std::stod(y), 1e-7 * std::abs(std::stod(x)));
    }
  }
  EXPECT_EQ(rows, 7);
}

TEST_F(Compiled, WithoutACompilerTheGeneralStepIsUsed) {
  const Environment compiler("CC", path("no_compiler"));
  const auto run = run_of("lever", "on");
  EXPECT_NE(run->stepper().remark().find("no_compiler` cannot be started"), std::string::npos) << run->stepper().remark();
  EXPECT_EQ(run->statistics().compiled_steps, 0);
  EXPECT_EQ(run->state(), run_of("lever", "off")->state());
}

TEST_F(Compiled, MachinesWithoutARecordedStepSayWhy) {
  const std::vector<std::string> explicit_steps{"solver.integrator=rk4", "solver.constraints=double_step"};
  const auto run = run_of("lever", "on", explicit_steps);
  EXPECT_NE(run->stepper().remark().find("solver.integrator"), std::string::npos) << run->stepper().remark();
  EXPECT_EQ(run->state(), run_of("lever", "off", explicit_steps)->state());
}

TEST_F(Compiled, AutoTakesWhatIsThere) {
  const auto before = run_of("lever", "auto");
  EXPECT_NE(before->stepper().remark().find("less time than making"), std::string::npos) << before->stepper().remark();
  const auto made = run_of("lever", "on"), after = run_of("lever", "auto");
  EXPECT_GT(after->statistics().compiled_steps, 0);
  EXPECT_EQ(after->state(), made->state());
}

TEST_F(Compiled, CosimulationIsRefused) {
  try {
    load_example("crane_single", {"solver.compiled=on", "solver.coupling=cosimulation"});
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("a co-simulation has no compiled step"), std::string::npos) << e.what();
  }
}

#ifdef TRUNNION_PROGRAM
TEST_F(Compiled, WrongCodeIsFoundInTheFirstStep) {  // by another process: loaded code stays loaded
  const std::string run =
      "run '" + std::string(TRUNNION_SOURCE_DIR) + "/examples/lever.yaml' --set solver.compiled=on --set solver.duration=0.2 -o r";
  EXPECT_TRUE(call_program(folder_, run).printed("steps by the compiled step"));
  const std::string library = file(".so"), wrong = path("wrong.c");
  std::string text = text_of(file(".c"));
  const std::string call = "return step(x, t, h, s, e, 0, k, r);";
  ASSERT_NE(text.find(call), std::string::npos);
  text.replace(text.find(call), call.size(), "const int status = step(x, t, h, s, e, 0, k, r); x[0] += 1e-6; return status;");
  std::ofstream(wrong) << text;
  ASSERT_EQ(std::system(("cc -O1 -fPIC -shared -o '" + library + "' '" + wrong + "' -lm").c_str()), 0);
  sign_library(library);
  const Outcome outcome = call_program(folder_, run);
  EXPECT_TRUE(outcome.printed("general step: the compiled one differs by")) << outcome.output;
  EXPECT_TRUE(outcome.printed("done")) << outcome.output;
}

/// Damaged libraries are not loaded, which could end the program, but made again.
TEST_F(Compiled, DamagedCodeIsMadeAgain) {
  const std::string run =
      "run '" + std::string(TRUNNION_SOURCE_DIR) + "/examples/lever.yaml' --set solver.compiled=on --set solver.duration=0.2 -o r";
  EXPECT_TRUE(call_program(folder_, run).printed("steps by the compiled step"));
  const std::string library = file(".so");
  const auto size = fs::file_size(library);
  const auto runs_with = [&](const std::string& damage) {
    const Outcome outcome = call_program(folder_, run);
    EXPECT_EQ(outcome.code, 0) << damage << outcome.output;
    EXPECT_TRUE(outcome.printed("steps by the compiled step")) << damage << outcome.output;
    EXPECT_EQ(fs::file_size(library), size) << damage;
  };
  for (const std::uintmax_t rest : {std::uintmax_t{0}, std::uintmax_t{100}, size / 4, size / 2, size - 1}) {
    fs::resize_file(library, rest);
    runs_with(fmt::format("{} bytes of {}", rest, size));
  }
  for (const std::uintmax_t place : {size / 8, size / 2}) {
    std::fstream bytes(library, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(static_cast<std::streamoff>(place));
    bytes << "damaged";
    bytes.close();
    runs_with(fmt::format("at byte {}", place));
  }
}

/// Of compilations that fail, and in time of those that were killed.
TEST_F(Compiled, NothingIsLeftOfFailedCompilations) {
  const std::string lever = "run '" + std::string(TRUNNION_SOURCE_DIR) + "/examples/lever.yaml' --set solver.compiled=on -o r --set ";
  const auto count = [&] { return std::distance(fs::directory_iterator(cache()), fs::directory_iterator()); };
  for (const char* compiler : {"false", "no-compiler-of-this-name"}) {
    const Environment cc("CC", compiler);
    EXPECT_TRUE(call_program(folder_, lever + "solver.duration=0.1").printed("general step, as there is no compiled one")) << compiler;
    EXPECT_EQ(count(), 0) << compiler;
  }
  const std::string killed = cache() + "/00.123.c", at_work = cache() + "/00.124.c";
  for (const std::string& path : {killed, at_work}) std::ofstream(path) << "int x;";
  fs::last_write_time(killed, fs::file_time_type::clock::now() - std::chrono::hours(2));
  EXPECT_TRUE(call_program(folder_, lever + "solver.duration=0.2").printed("steps by the compiled step"));
  EXPECT_FALSE(fs::exists(killed));
  EXPECT_TRUE(fs::exists(at_work));
  EXPECT_EQ(count(), 4);
}

TEST_F(Compiled, SummaryNamesTheChoice) {
  const Outcome run = call_program(folder_, "run '" + std::string(TRUNNION_SOURCE_DIR) +
                                                "/examples/lever.yaml' --set solver.compiled=on --set solver.duration=0.2 -o r");
  EXPECT_EQ(run.code, 0) << run.output;
  EXPECT_TRUE(run.printed("steps by the compiled step: ")) << run.output;
  EXPECT_NE(text_of(folder_ / "r/summary.json").find("\"compiled\": \"compiled step: "), std::string::npos);
}
#endif

}  // namespace
}  // namespace trunnion::test
