// Batches by lanes against batches without: agreement, independence of neighbours, machines that leave the lanes.
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "front/lane_group.h"
#include "machine/start.h"
#include "recording/c_source.h"
#include "run/general_lanes.h"
#include "solve/lane_step.h"
#include "support/allocation_counter.h"
#include "support/driven_crane.h"
#include "support/environment.h"
#include "support/machines.h"
#include "support/program.h"
#include "support/temporary_folder.h"
#include "trunnion/trunnion.h"

namespace trunnion::test {
namespace {

namespace fs = std::filesystem;

using LanesOfBatches = WithCache;

/// The driven crane with a text replaced by another. Its code is recorded over a short run, so that machines leave the lanes often.
std::string crane_text(const std::string& compiled, const std::string& part = "", const std::string& by = "") {
  std::string text = kDrivenCrane;
  const std::string duration = "duration: 1 s";
  text.replace(text.find(duration), duration.size(), "duration: 30 ms, compiled: " + compiled);
  return text.replace(text.find(part), part.size(), by);
}
std::shared_ptr<const Model> crane(const std::string& compiled = "on") { return Model::from_text(crane_text(compiled)); }
/// Its code has the ways with other values of the lever.
std::string moving_crane(const std::string& compiled, bool lag = true) {
  return lag ? crane_text(compiled, "lever: {", "lever: {default: 5, ")
             : crane_text(compiled, "at_signal: 10, time_constant: 20 ms", "at_signal: 10");
}

/// What machine i of the fleets below does: its lever, its mass.
double lever_of(int machine, int call) { return machine - 3 + 0.5 * call; }
double mass_of(int machine) { return 150 + 20 * machine; }

/// Machines with these numbers after some calls.
Batch fleet_of(const std::shared_ptr<const Model>& model, Lanes lanes, const std::vector<int>& machines, bool own, int threads = 1,
               int calls = 5) {
  BatchOptions options;
  options.lanes = lanes;
  options.threads = threads;
  options.inputs = {model->input("lever")};
  options.outputs = {model->channel("boom.angle"), model->channel("lift.force"), model->channel("a.pressure"), model->channel("time")};
  if (own) options.parameters = {model->parameter("bodies.boom.rod.mass")};
  for (const int i : machines)
    if (own) options.values.push_back(mass_of(i));
  Batch fleet(model, static_cast<int>(machines.size()), options);
  for (int k = 0; k < calls; ++k) {
    std::vector<double> u;
    for (const int i : machines) u.push_back(lever_of(i, k));
    fleet.set_inputs(u.data());
    fleet.step(20);
  }
  return fleet;
}

/// The largest difference of an output, relative to its largest value.
double difference(Batch& a, Batch& b) {
  const std::size_t columns = a.options().outputs.size();
  std::vector<double> x(static_cast<std::size_t>(a.size()) * columns), y = x;
  a.read(x.data());
  b.read(y.data());
  double largest = 0;
  for (std::size_t k = 0; k < columns; ++k) {
    double size = 0, apart = 0;
    for (std::size_t i = k; i < x.size(); i += columns) {
      size = std::max(size, std::abs(y[i]));
      apart = std::max(apart, std::abs(x[i] - y[i]));
    }
    largest = std::max(largest, apart / size);
  }
  return largest;
}

const std::vector<int> kEleven{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

TEST_F(LanesOfBatches, AgreeWithSingleMachines) {
  for (const char* compiled : {"on", "off"})
    for (const bool own : {false, true}) {
      const auto model = crane(compiled);
      Batch by_lanes = fleet_of(model, Lanes::automatic, kEleven, own), single = fleet_of(model, Lanes::off, kEleven, own);
      EXPECT_TRUE(by_lanes.remark().starts_with("lanes: ")) << by_lanes.remark();
      EXPECT_EQ(single.remark(), "");
      EXPECT_LT(difference(by_lanes, single), 1e-9) << compiled << ", own parameters " << own;
      Batch others = fleet_of(model, Lanes::off, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, own);
      EXPECT_GT(difference(by_lanes, others), 1e-3);
    }
}

/// The crane with the angle of its boom under control, in continuous time or sampled.
std::string controlled_crane(const std::string& compiled, const std::string& more = "") {
  return crane_text(compiled, "signal: lever", "signal: held") +
         "control:\n  held: {pid: {setpoint: lever, measurement: boom.angle, gain: 2, integral_time: 0.5 s, min: -10, max: 10}" + more +
         "}\n";
}

TEST_F(LanesOfBatches, ControlBlocksAreInTheLanes) {
  Batch general = fleet_of(Model::from_text(controlled_crane("off")), Lanes::off, kEleven, true);
  for (const char* compiled : {"on", "off"}) {
    Batch by_lanes = fleet_of(Model::from_text(controlled_crane(compiled)), Lanes::automatic, kEleven, true);
    EXPECT_TRUE(by_lanes.remark().starts_with("lanes: ")) << by_lanes.remark();
    EXPECT_LT(difference(by_lanes, general), 1e-9) << compiled;
    Batch sampled = fleet_of(Model::from_text(controlled_crane(compiled, ", period: 5 ms")), Lanes::automatic, kEleven, false);
    EXPECT_NE(sampled.remark().find("no lanes: samples and modes of control blocks"), std::string::npos) << sampled.remark();
  }
}

TEST_F(LanesOfBatches, InputsThatAreSetAreThoseOfTheGeneralStep) {
  for (const bool lag : {true, false}) {
    const auto general_model = Model::from_text(moving_crane("off", lag)), compiled_model = Model::from_text(moving_crane("on", lag));
    Batch general = fleet_of(general_model, Lanes::off, {5, 6, 7, 8}, false),
          compiled = fleet_of(compiled_model, Lanes::off, {5, 6, 7, 8}, false),
          by_lanes = fleet_of(compiled_model, Lanes::automatic, {5, 6, 7, 8}, false);
    EXPECT_LT(difference(compiled, general), 1e-9) << "lag " << lag;
    EXPECT_LT(difference(by_lanes, general), 1e-9) << "lag " << lag;
  }
}

/// So that the agreement above is not that of general steps.
TEST_F(LanesOfBatches, StepsWithInputsThatAreSetAreThoseOfTheCode) {
  constexpr int kSteps = 100;
  const auto model = model_from(moving_crane("on"));
  StepLoop loop(model, start_state(*model));
  loop.set_input(0, 3, 0);
  const StateVector start = loop.state();
  const auto step = [&] {
    if (loop.restart_due()) EXPECT_TRUE(loop.restart());
    EXPECT_TRUE(loop.step(10, nullptr).ok());
    return loop.last_step()->compiled;
  };
  int compiled = 0;
  for (int k = 0; k < kSteps; ++k) compiled += step() ? 1 : 0;
  EXPECT_GT(compiled, kSteps / 2);
  EXPECT_EQ(loop.input(0), 3);
  std::string remark;
  const auto lanes = loop.stepper().lanes(remark);
  ASSERT_NE(lanes, nullptr) << remark;
  const auto prepared = lanes->prepare(*model);
  ASSERT_TRUE(prepared);
  StateVector state = start;
  int single = 0;
  std::array<LaneGroup::Machine, 1> machines{{{&state, &*prepared}}};
  LaneGroup(lanes).advance(machines, loop, kSteps, [&](int) {
    ++single;
    loop.restore(state);
    step();
    state = loop.state();
    return true;
  });
  EXPECT_LT(single, kSteps / 2);
}

TEST_F(LanesOfBatches, StepsDoNotAllocate) {
  if (!allocations_are_counted()) GTEST_SKIP() << "another operator new is in use";
  for (const char* compiled : {"on", "off"})
    for (const bool own : {false, true}) {
      Batch fleet = fleet_of(Model::from_text(moving_crane(compiled)), Lanes::automatic, {5, 6, 7, 8}, own);
      ASSERT_TRUE(fleet.remark().starts_with("lanes: ")) << fleet.remark();
      const long before = allocations();
      fleet.step(20);
      EXPECT_EQ(allocations(), before) << compiled << own;
    }
}

/// Adds 1 to a number; has no step of lane 1, and a wrong one of lane 2.
class CountingStep final : public LaneStep {
 public:
  explicit CountingStep(std::size_t numbers) : numbers_(numbers) {}
  LaneStates states() const override {
    LaneStates states;
    states.x.resize(numbers_);
    return states;
  }
  std::optional<std::vector<double>> prepare(const CompiledModel&) const override { return std::vector<double>(); }
  LaneResult step(LaneStates& states, unsigned lanes, double) const override {
    for (std::size_t k = 0; k < kLaneCount; ++k)
      if ((lanes >> k & 1U) != 0 && k != 1) states.x[0].of[k] = k == 2 ? std::nan("") : states.x[0].of[k] + 1;
    return {.done = lanes & ~2U};
  }

 private:
  std::size_t numbers_;
};

TEST_F(LanesOfBatches, StepsThatLanesDoNotHaveAreSingle) {
  const auto model = load_example("lever");
  const StepLoop loop(model, start_state(*model));
  std::array<StateVector, 4> states{loop.state(), loop.state(), loop.state(), loop.state()};
  const std::vector<double> none;
  std::array<LaneGroup::Machine, 4> machines;
  for (std::size_t i = 0; i < 4; ++i) machines[i] = {&states[i], &none};
  std::array<int, 4> singles{};
  const double first = loop.state().values()[0], h = loop.schedule().step();
  LaneGroup(std::make_shared<CountingStep>(loop.state().values().size())).advance(machines, loop, 3, [&](int k) {
    const auto i = static_cast<std::size_t>(k);
    EXPECT_EQ(states[i].values()[0], first + 10 * singles[i]) << "state of lane " << k << " changed";
    states[i].values()[0] += 10;
    states[i].time += h;
    return ++singles[i] < 2 || k != 2;  // lane 2 fails in its second one
  });
  EXPECT_EQ(singles, (std::array<int, 4>{0, 3, 2, 0}));
  EXPECT_EQ(states[0].values()[0], first + 3);
  EXPECT_EQ(states[1].values()[0], first + 30);
  EXPECT_EQ(states[2].values()[0], first + 20);
  EXPECT_EQ(states[3].values()[0], first + 3);
  EXPECT_NEAR(states[3].time, 3 * h, 1e-12);
  EXPECT_NEAR(states[2].time, 2 * h, 1e-12);
}

TEST_F(LanesOfBatches, SineAndCosineAreThoseOfTheCLibrary) {
  std::ofstream(path("turned.c")) << "#define LANES_IN_ARRAYS " << kLaneCount << "\n"
                                  << recording::lanes_declarations() << R"(
void turned(lanes_number *s, lanes_number *c, const lanes_number *x)
{
  for (int i = 0; i < LANES_IN_ARRAYS / LANES; ++i) s[i] = lanes_sin(x[i]), c[i] = lanes_cos(x[i]);
}
)";
  const char* const cc = std::getenv("CC");
  const std::string compiler = cc == nullptr || *cc == 0 ? "cc" : cc;
  ASSERT_EQ(
      std::system((compiler + " -std=c99 -O1 -march=native -ffp-contract=off -fno-math-errno -fno-trapping-math -fPIC -shared -w -o '" +
                   path("turned.so") + "' '" + path("turned.c") + "' -lm")
                      .c_str()),
      0);
  void* const library = dlopen(path("turned.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto turned = reinterpret_cast<void (*)(double*, double*, const double*)>(dlsym(library, "turned"));
  ASSERT_NE(turned, nullptr);
  constexpr double kUlp = 2.220446049250313e-16;
  const auto ulp_of = [](double x) { return std::exp2(std::ilogb(x)) * kUlp; };
  LaneNumbers x, s, c;
  double largest = 0;
  for (int i = 0; i < 200'000; ++i) {
    const double size = i % 4 == 0 ? 1e-3 : i % 4 == 1 ? 4 : i % 4 == 2 ? 1e3 : 1e8;
    for (int k = 0; k < kLaneCount; ++k) x.of[static_cast<std::size_t>(k)] = size * std::cos(1.0 + 0.7 * k + 1.618 * i);
    turned(s.of.data(), c.of.data(), x.of.data());
    for (std::size_t k = 0; k < kLaneCount; ++k) {
      const auto sine = static_cast<double>(std::sin(static_cast<long double>(x.of[k]))),
                 cosine = static_cast<double>(std::cos(static_cast<long double>(x.of[k])));
      largest = std::max({largest, std::abs(s.of[k] - sine) / ulp_of(sine), std::abs(c.of[k] - cosine) / ulp_of(cosine)});
    }
  }
  EXPECT_LE(largest, 1);
  EXPECT_GT(largest, 0) << "the C library's own";
  dlclose(library);
}

TEST_F(LanesOfBatches, BitsDependOnTheMachineAlone) {
  for (const char* compiled : {"on", "off"})
    for (const bool own : {false, true}) {
      const auto model = crane(compiled);
      const Batch all = fleet_of(model, Lanes::automatic, kEleven, own);
      std::vector<int> backwards(kEleven.rbegin(), kEleven.rend());
      const Batch turned = fleet_of(model, Lanes::automatic, backwards, own, 3);
      for (const int i : kEleven) EXPECT_EQ(turned.state(10 - i), all.state(i)) << i << compiled << own;
      EXPECT_EQ(fleet_of(model, Lanes::automatic, {6}, own).state(0), all.state(6)) << compiled << own;
    }
}

void expect_undisturbed(const std::shared_ptr<const Model>& model) {
  BatchOptions options;
  options.lanes = Lanes::automatic;
  options.inputs = {model->input("lever")};
  Batch fleet(model, 3, options), alone(model, 1, options);
  const std::array<double, 3> u{0, 10, 1};
  Simulation sim(model);
  for (int k = 0; k < 7; ++k) sim.step();
  for (Batch* batch : {&fleet, &alone}) {
    batch->set_state(0, sim.state());
    batch->set_inputs(u.data());
  }
  int failed = 0;
  for (int k = 0; k < 400 && failed == 0; ++k) {
    failed = fleet.step(20);
    alone.step(20);
  }
  ASSERT_EQ(failed, 1);
  EXPECT_NE(fleet.error(1).find("the piston leaves its cylinder"), std::string::npos) << fleet.error(1);
  const double stopped = fleet.time(1);
  fleet.step(20);
  alone.step(20);
  EXPECT_EQ(fleet.time(1), stopped);
  EXPECT_EQ(fleet.state(0), alone.state(0));
  EXPECT_GT(fleet.time(0), fleet.time(2));
}
TEST_F(LanesOfBatches, MachinesAtOtherTimesAndThoseThatFailDoNotDisturbOthers) {
  for (const char* compiled : {"on", "off"}) expect_undisturbed(crane(compiled));
}

/// Runs of examples, with jumps of signals, by a group: nearly all steps must be those of the lanes.
void expect_followed(const std::string& example, const std::string& compiled) {
  constexpr int kSteps = 1500;
  const auto model = load_example(example, {"solver.compiled=" + compiled, "solver.duration=1.5"});
  const auto general_model = load_example(example, {"solver.duration=1.5"});
  StepLoop loop(model, start_state(*model)), general(general_model, start_state(*general_model));
  std::string remark;
  const auto lanes = lanes_of(loop.stepper(), model, remark);
  ASSERT_NE(lanes, nullptr) << example << ": " << remark;
  const auto prepared = lanes->prepare(*model);
  ASSERT_TRUE(prepared);
  LaneGroup group(lanes);
  std::array<StateVector, 3> states{loop.state(), loop.state(), loop.state()};
  std::array<LaneGroup::Machine, 3> machines;
  for (std::size_t i = 0; i < 3; ++i) machines[i] = {&states[i], &*prepared};
  const auto step = [](StepLoop& of) {
    if (of.restart_due()) EXPECT_TRUE(of.restart());
    return of.step(10, nullptr).ok();
  };
  int single = 0;
  group.advance(machines, loop, kSteps, [&](int k) {
    ++single;
    StateVector& state = states[static_cast<std::size_t>(k)];
    loop.restore(state);
    EXPECT_TRUE(step(loop));
    state = loop.state();
    return true;
  });
  for (int k = 0; k < kSteps; ++k) ASSERT_TRUE(step(general));
  EXPECT_LT(single, 3 * kSteps / 20) << example;
  EXPECT_EQ(states[0], states[1]) << example;
  EXPECT_EQ(states[0], states[2]) << example;
  EXPECT_EQ(states[0].time, general.state().time);
  const StateLayout& n = model->layout;
  for (int i = 0; i < n.nq; ++i) EXPECT_NEAR(states[0].q()[i], general.state().q()[i], 1e-9) << example;
  for (int i = 0; i < n.ny; ++i)
    EXPECT_NEAR(states[0].y()[i], general.state().y()[i], 1e-6 * std::abs(general.state().y()[i]) + 1e-9) << example;
}

TEST_F(LanesOfBatches, FollowRunsOfExamples) {
  for (const char* compiled : {"on", "off"})
    for (const char* example : {"lever", "four_bar"}) expect_followed(example, compiled);
  for (const char* example : {"excavator", "slewing_crane", "articulated_loader", "arm_quasistatic"}) expect_followed(example, "off");
}

TEST_F(LanesOfBatches, WithoutCompiledStepsTheyAreThoseOfTheGeneralStep) {
  const Batch asked = fleet_of(crane("off"), Lanes::automatic, kEleven, false);
  EXPECT_EQ(asked.remark(), "lanes: the general step");
  const Environment none("CC", "/nowhere/cc");
  const Batch without = fleet_of(crane(), Lanes::automatic, kEleven, false);
  EXPECT_TRUE(without.remark().starts_with("lanes: the general step (no lanes: the compiler")) << without.remark();
  for (const int i : kEleven) EXPECT_EQ(without.state(i), asked.state(i));
}

TEST_F(LanesOfBatches, SayWhyThereAreNone) {
  const auto remark = [](const std::vector<std::string>& set, const char* example = "crane_single") {
    BatchOptions options;
    options.lanes = Lanes::automatic;
    return Batch(Model::load(std::string(TRUNNION_SOURCE_DIR) + "/examples/" + example + ".yaml", set), 2, options).remark();
  };
  EXPECT_EQ(remark({"solver.coupling=cosimulation"}), "no lanes: a co-simulation has none");
  EXPECT_EQ(remark({"solver.integrator=cvode", "solver.constraints=double_step"}), "no lanes: the steps of cvode are its own");
  EXPECT_EQ(remark({}, "excavator_operator"), "no lanes: samples and modes of control blocks change between steps");
}

TEST_F(LanesOfBatches, WrongCodeIsFound) {
  EXPECT_TRUE(fleet_of(crane(), Lanes::automatic, {1}, false).remark().starts_with("lanes: "));
  const std::string other = path("other");
  fs::create_directories(other);
  fs::copy(path("trunnion"), other + "/trunnion", fs::copy_options::recursive);
  fs::permissions(other + "/trunnion", fs::perms::owner_all);
  int wrong = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(other + "/trunnion")) {
    if (entry.path().extension() != ".c") continue;
    std::string text = text_of(entry.path());
    const std::string call = "mask[i] = lanes >> (part * LANES + i) & 1 ? -1 : 0;";
    if (text.find(call) == std::string::npos) continue;
    text.replace(text.find(call), call.size(), call + " x[3] += 1e-5;");
    std::ofstream(entry.path()) << text;
    const std::string library = fs::path(entry.path()).replace_extension(".so");
    ASSERT_EQ(std::system(("cc -O1 -march=native -fPIC -shared -w -o '" + library + "' '" + entry.path().string() + "' -lm").c_str()), 0);
    fs::permissions(library, fs::perms::owner_all);
    sign_library(library);
    ++wrong;
  }
  ASSERT_EQ(wrong, 1);
  const Environment cache("XDG_CACHE_HOME", other);
  const Batch refused = fleet_of(crane(), Lanes::automatic, kEleven, false),
              general = fleet_of(crane("off"), Lanes::automatic, kEleven, false);
  EXPECT_TRUE(refused.remark().starts_with("lanes: the general step (no lanes: they differ from the general step by ")) << refused.remark();
  for (const int i : kEleven) EXPECT_EQ(refused.state(i), general.state(i));
}

}  // namespace
}  // namespace trunnion::test
