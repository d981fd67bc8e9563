// Cost of large models. Reference: four times the size takes about four times the processor time, not sixteen times.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <string>

#include "file/model_file.h"
#include "machine/start.h"
#include "model/model.h"
#include "results/run_case.h"
#include "schema/plausibility.h"
#include "schema/schema.h"
#include "signals/signal.h"
#include "solve/start_partition.h"
#include "support/ladder.h"

namespace trunnion {
namespace {

/// Processor time [s], minimum of three.
template <class F>
double seconds_of(F&& f) {
  double least = 1e300;
  for (int i = 0; i < 3; ++i) {
    const std::clock_t begin = std::clock();
    f();
    least = std::min(least, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  return least;
}

constexpr double kLinear = 13;  // including cache effects; quadratic cost: 16

TEST(LargeModels, PartsAreExpandedInLinearTime) {
  const auto text = [](int count) {
    return "trunnion: 1\ntemplates:\n  t:\n    parameters: {x: 0}\n    bodies: {$(part): {rod: {length: 1, mass: 1}}}\n"
           "    joints: {$(part): {revolute: {parent: ground, at: [$(x), 0, 0], axis: z}}}\n"
           "parts: {a: {template: t, count: " +
           std::to_string(count) + ", x: $(2 * index)}}\n";
  };
  const double small = seconds_of([&] { parse_model(text(1500), "model.yaml"); });
  const double large = seconds_of([&] { parse_model(text(6000), "model.yaml"); });
  EXPECT_LT(large, kLinear * small);
}

TEST(LargeModels, ParametersAreFoundInLinearTime) {
  const auto text = [](int count) {
    std::string all = "trunnion: 1\nparameters:\n  p0: 1\n";
    for (int i = 1; i < count; ++i) all += "  p" + std::to_string(i) + ": $(p" + std::to_string(i - 1) + ")\n";
    return all;
  };
  const double small = seconds_of([&] { parse_model(text(2500), "model.yaml"); });
  const double large = seconds_of([&] { parse_model(text(10000), "model.yaml"); });
  EXPECT_LT(large, kLinear * small);
}

TEST(LargeModels, NamesAreResolvedAndSummariesWrittenInLinearTime) {
  double load[2], summary[2];
  for (const int i : {0, 1}) {
    const std::string text = test::ladder_model(i == 0 ? 250 : 1000, "step: 1 ms, duration: 1 ms");
    std::shared_ptr<const CompiledModel> model;
    load[i] = seconds_of([&] { model = compile(parse_model(text, "ladder.yaml")); });
    const CaseResult result = run_case(model);
    summary[i] = seconds_of([&] { EXPECT_FALSE(summary_json(result, "ladder.yaml", 0).empty()); });
  }
  EXPECT_LT(load[1], kLinear * load[0]);
  EXPECT_LT(summary[1], kLinear * summary[0]);
}

struct PartKind {
  const char* name;
  std::string parts;  // of one copy
  int few;            // copies of which the cost is well above that of an empty model
};
void PrintTo(const PartKind& kind, std::ostream* out) { *out << kind.name; }

class LargeKinds : public ::testing::TestWithParam<PartKind> {};

TEST_P(LargeKinds, AreCheckedInLinearTime) {
  const auto text = [&](int count) {
    return "trunnion: 1\nfluid: {density: 850 kg/m^3, bulk_modulus: 1500 MPa}\ntemplates:\n  t:\n    parameters: {x: 0}\n"
           "    bodies: {$(part): {rod: {length: 1, mass: 1}}}\n"
           "    joints: {$(part): {revolute: {parent: ground, at: [$(x), 0, 0], axis: z}}}\n"
           "    volumes: {A_$(part): {volume: 1 L, pressure: 1 MPa}, B_$(part): {volume: 1 L, pressure: 1 MPa}}\n" +
           GetParam().parts + "parts: {a: {template: t, count: " + std::to_string(count) +
           ", x: $(2 * index)}}\nsolver: {step: 1 ms, duration: 1 s}\n";
  };
  const auto load = [](const std::string& model) {
    const auto compiled = compile(parse_model(model, "model.yaml"));
    start_state(*compiled);
    plausibility_warnings(compiled->description);
  };
  const double small = seconds_of([&, model = text(GetParam().few)] { load(model); });
  const double large = seconds_of([&, model = text(4 * GetParam().few)] { load(model); });
  EXPECT_LT(large, kLinear * small);
}

INSTANTIATE_TEST_SUITE_P(
    LargeModels, LargeKinds,
    ::testing::Values(
        PartKind{"cylinders",
                 "    cylinders: {c_$(part): {base: {body: ground, at: [$(x + 0.2), -0.8, 0]}, rod_end: {body: $(part), at: [0.8, 0, 0]}, "
                 "A: A_$(part), B: B_$(part), bore: 50 mm, rod: 30 mm, chamber_length_A: 0.1 m, chamber_length_B: 0.4 m}}\n",
                 1000},
        PartKind{"lines", "    lines: {l_$(part): {A: A_$(part), B: B_$(part), length: 1, diameter: 10 mm}}\n", 2000},
        PartKind{"joint_loads", "    forces: {f_$(part): {joint: $(part), load: 1}}\n", 2000},
        PartKind{"signals", "    signals: {q_$(part): 1}\n    forces: {f_$(part): {joint: $(part), load: 1, signal: q_$(part)}}\n", 1500}),
    [](const auto& kind) { return std::string(kind.param.name); });

/// Signals of which each is the sum of `copies` times the one before; the last one commands a valve.
std::string chain_of_sums(int count, int copies) {
  std::string all =
      "trunnion: 1\nfluid: {density: 850 kg/m^3, bulk_modulus: 1500 MPa}\nvolumes: {v: {volume: 1 L, pressure: 1 MPa}, w: {volume: 1 L, "
      "pressure: 1 MPa}}\nsources: {pump: {pressure: 10 MPa}, tank: {pressure: 1 bar}}\nvalves: {valve: {directional_4_3: {P: pump, T: "
      "tank, "
      "A: v, B: w, flow: 10 L/min, time_constant: 5 ms}, signal: s" +
      std::to_string(count) + "}}\nsolver: {step: 1 ms, duration: 1 s}\nsignals:\n  s0: {constant: 1e-9}\n";
  for (int i = 1; i <= count; ++i) {
    const std::string before = "s" + std::to_string(i - 1);
    all += "  s" + std::to_string(i) + ": {sum: [" + before + (copies > 1 ? ", " + before : "") + "]}\n";
  }
  return all;
}

TEST(LargeModels, LongChainsOfSignalsAreChecked) {  // without recursion
  const Description d = parse_model(chain_of_sums(50000, 1), "model.yaml");
  EXPECT_TRUE(check_description(d).empty());
  plausibility_warnings(d);
}

TEST(LargeModels, LongChainsOfSignalsAreCompiledInAnyOrder) {  // in time that grows with their length: seconds at most
  const Description d = parse_model(chain_of_sums(50000, 1), "model.yaml");
  NamedList<SignalDescription> reversed;
  for (std::size_t i = d.signals.size(); i-- > 0;) reversed.emplace_back(d.signals[i].first, d.signals[i].second);
  const SignalSet signals(reversed);
  EXPECT_EQ(signals.find("s0"), 50000);
  EXPECT_EQ(signals.find("s50001"), -1);
  EXPECT_EQ(signals.find(""), -1);
  EXPECT_TRUE(signals.constant(signals.find("s0")));
}

TEST(LargeModels, TheRangeOfASignalIsComputedOnceForAllItsUsers) {  // 2^40 ways to the first signal
  const Description d = parse_model(chain_of_sums(40, 2), "model.yaml");
  bool reported = false;
  for (const std::string& warning : plausibility_warnings(d)) reported = reported || warning.find("reaches 1099.5") != std::string::npos;
  EXPECT_TRUE(reported);
}

TEST(LargeModels, LoopsOfMoreRowsThanAnIndexSquaredHoldsAreFactored) {  // 47000 rows: their square exceeds 2^31
  const auto model = compile(parse_model(test::ladder_model(23500, "step: 1 ms, duration: 1 ms"), "ladder.yaml"));
  EXPECT_EQ(find_start_partition(*model).independent.size(), 1u);
}

}  // namespace
}  // namespace trunnion
