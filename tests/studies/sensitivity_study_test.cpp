// The files of `trunnion sensitivity`, and its check by differences.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/sensitivity_study.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/diagnostic.h"
#include "support/machines.h"

namespace trunnion {
namespace {

/// A force on a mass on a damper, switched on at 0.2 s.
constexpr const char* kPushed = R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {a: {point_mass: {mass: 2 kg}}}
joints: {a: {prismatic: {parent: ground, axis: x}, position: 0}}
springs: {s: {joint: a, stiffness: 0, damping: 3 N s/m}}
forces: {push: {joint: a, load: 10 N, signal: command}}
signals: {command: {steps: [[0.2003 s, 1]]}}
record: {channels: [a.position]}
solver: {step: 1 ms, duration: 1 s}
)";

SensitivityRequest request(std::vector<std::string> parameters) {
  SensitivityRequest request;
  request.parameters = std::move(parameters);
  request.points = 20;
  request.check = true;
  return request;
}

TEST(SensitivityStudy, WritesDerivativesAndTheirCheck) {
  const SensitivityStudy study =
      sensitivity_study(test::model_from(kPushed), request({"forces.push.load", "signals.command.steps.0.0", "springs.s.stiffness"}));
  ASSERT_EQ(study.channels.size(), 1U);
  EXPECT_EQ(study.times.size(), 21U);
  EXPECT_EQ(study.times.back(), 1);
  for (const auto& of : study.distances) EXPECT_LT(of[0].value, std::max(1e-5, of[0].noise));
  // x = F/c (tau - m/c (1 - exp(-c tau/m))) from 0.2003 s on: dx/dt0 = -v
  const double tau = 1 - 0.2003, decay = std::exp(-1.5 * tau);
  EXPECT_NEAR(study.response.derivatives[0][0].back(), (tau - (1 - decay) / 1.5) / 3, 1e-6);
  EXPECT_NEAR(study.response.derivatives[1][0].back(), -10.0 / 3 * (1 - decay), 1e-5);
  const auto json = nlohmann::json::parse(sensitivity_json(study, "pushed.yaml"));
  EXPECT_EQ(json["channels"]["a.position"]["derivatives"]["forces.push.load"]["unit"], "m/(N or N m)");
  EXPECT_NEAR(json["channels"]["a.position"]["derivatives"]["forces.push.load"]["final"].get<double>(),
              study.response.derivatives[0][0].back(), 1e-15);
  EXPECT_TRUE(json["failure"].is_null());
  const std::string csv = sensitivity_csv(study);
  EXPECT_EQ(csv.substr(0, csv.find('\n')),
            "time,a.position,a.position by forces.push.load,a.position by signals.command.steps.0.0,a.position by springs.s.stiffness");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 22);
  EXPECT_EQ(sensitivity_plot(study).panels.size(), 1U);
  EXPECT_NE(sensitivity_text(study).find("distance to differences"), std::string::npos);
  EXPECT_GT(json["channels"]["a.position"]["derivatives"]["forces.push.load"]["noise_of_differences"].get<double>(), 0);
}

/// The run is not differentiable by an instant that is found in whole steps only: the check says so.
TEST(SensitivityStudy, TheCheckShowsARunWithoutDerivative) {
  auto late = request({"signals.command.steps.0.0"});
  const SensitivityStudy study =
      sensitivity_study(test::model_from(kPushed, {"solver.split_jumps=false", "signals.command.steps.0.0=0.2 s"}), late);
  EXPECT_GT(study.distances[0][0].value, 0.5);
  EXPECT_TRUE(study.distances[0][0].resolved());
}

/// Of a distance below what the differences resolve only that is known, and no 0 is printed.
TEST(SensitivityStudy, TheCheckTellsItsNoise) {
  SensitivityStudy study;
  study.parameters = {{"p", "", 1}};
  study.channels = {{"a", "", 0}, {"b", "", 0}, {"c", "", 0}};
  study.times = {0};
  study.response.values = {{1}, {1}, {1}};
  study.response.derivatives = {{{1}, {1}, {1}}};
  study.distances = {{{1e-3, 2e-3}, {3e-3, 2e-3}, {std::nan(""), std::nan("")}}};
  const std::string text = sensitivity_text(study);
  EXPECT_NE(text.find(" < 2.0e-03\n"), std::string::npos) << text;
  EXPECT_NE(text.find(" 3.0e-03\n"), std::string::npos) << text;
  EXPECT_NE(text.find(" -\n"), std::string::npos) << text;
}

TEST(SensitivityStudy, RefusesUnknownChannels) {
  auto wrong = request({"forces.push.load"});
  wrong.channels = {"a.positio"};
  EXPECT_THROW((void)sensitivity_study(test::model_from(kPushed), wrong), InputError);
  EXPECT_THROW((void)sensitivity_study(test::model_from(kPushed), request({})), InputError);
}

}  // namespace
}  // namespace trunnion
