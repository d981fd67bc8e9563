// Cost of large models. Reference: four times the size takes about four times the processor time, not sixteen times.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <string>

#include "file/model_file.h"
#include "model/model.h"
#include "results/run_case.h"
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

}  // namespace
}  // namespace trunnion
