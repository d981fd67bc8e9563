// Values fitted to recordings. Reference: the true values of a recording; the closed form of a damped oscillator; the spread of fits over
// many recordings with noise.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/fit.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>
#include <random>

#include "base/diagnostic.h"
#include "base/units.h"
#include "results/files.h"
#include "support/machines.h"
#include "support/temporary_folder.h"

namespace trunnion {
namespace {

const std::string kArm = std::string(TRUNNION_SOURCE_DIR) + "/examples/arm_quasistatic.yaml";
const std::string kElement = "quasistatic.circuit.actuators.lift.element.";
constexpr double kStiffness = 5e7, kDamping = 2.5e6;  // [N/m], [N s/m] of the example
constexpr double kTankForce = 1e5 * (0.024 - 0.012);  // [N] of the bench: pressures are absolute, the element is not stretched at first

class Fitting : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = test::temporary_folder();
    make_folder(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& text, const std::string& name = "recording.csv") const {
    write_text(text, folder_ + "/" + name);
    return folder_ + "/" + name;
  }
  /// A run of the arm, held by its element, with noise.
  std::string recording(double force_noise = 0, double length_noise = 0, unsigned seed = 0) const {
    static const CaseResult result = run_case(test::load_example("arm_quasistatic", {"solver.duration=0.6"}));
    const Recording& r = result.recorder->recording();
    std::mt19937 random(seed);
    std::normal_distribution<double> noise;
    std::string text = "time,lift.force,lift.length\n";
    for (std::size_t i = 0; i < r.rows(); i += 5)
      text += fmt::format("{},{},{}\n", r.columns[0][i], column(r, "lift.force")[i] + force_noise * noise(random),
                          column(r, "lift.length")[i] + length_noise * noise(random));
    return file(text);
  }
  static const std::vector<double>& column(const Recording& r, const std::string& name) {
    return r.columns[static_cast<std::size_t>(r.find(name))];
  }
  /// Fit of K and B of the arm from other values.
  static FitRequest request(const std::string& reference, const std::vector<std::string>& set = {}) {
    FitRequest request;
    request.model_file = kArm;
    for (const std::string& text : set) request.overrides.push_back(parse_override(text));
    request.parameters = {kElement + "stiffness", kElement + "damping"};
    request.reference = reference;
    return request;
  }
  static std::vector<std::string> from(double K, double B) {
    return {kElement + "stiffness=" + std::to_string(K), kElement + "damping=" + std::to_string(B)};
  }

  std::string folder_;
};

/// A mass on a slider, held by a cylinder; `more`: its excitation.
std::string bench(const std::string& more) {
  return more + R"(
trunnion: 1
bodies: {load: {point_mass: {mass: 2000 kg}}}
joints: {load: {prismatic: {parent: ground, axis: x}, position: 2 m}}
fluid: {density: 850 kg/m^3, bulk_modulus: 1500 MPa}
sources: {tank: {pressure: 1 bar}}
cylinders: {lift: {base: {body: ground}, rod_end: {body: load}, area_A: 0.024 m^2, area_B: 0.012 m^2}}
quasistatic:
  circuit:
    tank: tank
    flow: 500 L/min
    relief: 36 MPa
    bleed: {area: 1 cm^2, discharge: 0.6, command: 0.3}
    actuators:
      lift:
        command: 0
        relief_A: 42 MPa
        relief_B: 40 MPa
        P_A: {area: 1 cm^2, discharge: 0.6}
        B_T: {area: 1 cm^2, discharge: 0.6}
        P_B: {area: 1 cm^2, discharge: 0.6}
        A_T: {area: 1 cm^2, discharge: 0.6}
        element: {stiffness: 1e6, damping: 1e5}
solver: {step: 0.25 ms, duration: 0.5 s}
)";
}

std::string findings_of(const FitRequest& request) {
  try {
    (void)fit(request);
  } catch (const InputError& error) { return error.what(); }
  return "no finding";
}

TEST_F(Fitting, GivesBackTheValuesOfARun) {
  const std::string reference = recording();
  for (const auto& [K, B] : {std::pair{2e7, 6e6}, std::pair{2e8, 1e6}}) {
    const Fit result = fit(request(reference, from(K, B)));
    EXPECT_TRUE(result.converged) << result.status;
    EXPECT_LT(result.iterations, 20);
    EXPECT_LE(result.runs, result.iterations + 8);  // a run with its derivatives for every iteration; differences once
    EXPECT_DOUBLE_EQ(result.parameters[0].error(), std::hypot(result.parameters[0].standard_error, result.parameters[0].step_error));
    EXPECT_NEAR(result.parameters[0].value / kStiffness, 1, 1e-6);
    EXPECT_NEAR(result.parameters[1].value / kDamping, 1, 1e-6);
    EXPECT_EQ(result.parameters[0].start, K);
    EXPECT_EQ(result.parameters[0].unit, "N/m or N m/rad");
    EXPECT_EQ(result.parameters[1].unit, "N s/m or N m s/rad");
    EXPECT_TRUE(result.parameters[0].positive);
    ASSERT_EQ(result.channels.size(), 2u);
    EXPECT_EQ(result.channels[0].times.size(), 121u);
    EXPECT_LT(result.channels[0].rms, 1e-2);  // [N]
    EXPECT_GT(result.channels[0].rms_start, 1e3);
    EXPECT_TRUE(result.warnings.empty()) << testing::PrintToString(result.warnings);
  }
}

/// A jump that acts in whole steps only: the run changes where it passes the end of a step, and not beside.
TEST_F(Fitting, TakesDifferencesWhereARunIsNotDifferentiable) {
  const std::string text = R"(trunnion: 1
gravity: [0, 0, -9.81]
bodies: {a: {point_mass: {mass: 2 kg}}}
joints: {a: {prismatic: {parent: ground, axis: z}}}
forces: {f: {joint: a, load: 30 N, signal: on}}
signals: {on: {steps: [[0, 0], [0.05 s, 1]]}}
solver: {step: 1 ms, duration: 0.3 s, split_jumps: false}
)";
  FitRequest request;
  request.model_file = file(text, "push.yaml");
  request.parameters = {"signals.on.steps.1.0"};
  const CaseResult truth = run_case(compile(load_model(request.model_file, {parse_override("signals.on.steps.1.0=0.06 s")})));
  const Recording& r = truth.recorder->recording();
  std::string rows = "time,a.position\n";
  for (std::size_t i = 0; i < r.rows(); i += 5) rows += fmt::format("{},{}\n", r.columns[0][i], column(r, "a.position")[i]);
  request.reference = file(rows);
  const Fit result = fit(request);
  const bool warned = std::any_of(result.warnings.begin(), result.warnings.end(),
                                  [](const std::string& w) { return w.find("not differentiable") != std::string::npos; });
  EXPECT_TRUE(warned) << testing::PrintToString(result.warnings);
}

TEST_F(Fitting, DoesNotDependOnThreads) {
  FitRequest one = request(recording(), from(2e7, 6e6)), four = one;
  four.threads = 4;
  const Fit a = fit(one), b = fit(four);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(a.parameters[i].value, b.parameters[i].value);
  EXPECT_EQ(fit_json(a, "m", "r"), fit_json(b, "m", "r"));
}

TEST_F(Fitting, FindsAnOscillatorOfClosedForm) {
  // M l_ddot = -K (l - p) - B l_dot + F + T from rest, the actuator holding; T: the tank's pressure on the area of the rod
  const double M = 2000, K = 3e6, B = 4e4, F = 5e4 + kTankForce, w = std::sqrt(K / M - B * B / (4 * M * M)), d = B / (2 * M);
  const std::string model = file(bench("forces: {push: {body: load, force: [50 kN, 0, 0]}}"), "mass.yaml");
  std::string text = "# bench: milliseconds, millimetres, kilonewtons\nt;travel;F\n";
  for (int i = 0; i <= 100; ++i) {
    const double t = 5e-3 * i, c = std::cos(w * t), s = std::sin(w * t), e = std::exp(-d * t);
    const double x = F / K * (1 - e * (c + d / w * s)), v = F / K * e * (w + d * d / w) * s;
    text += fmt::format("{};{};{}\n", 1e3 * t, 1e3 * (2 + x), 1e-3 * (kTankForce - K * x - B * v));
  }
  FitRequest locked = request(file(text));
  locked.model_file = model;
  locked.time = "t:ms";
  locked.channels = {"lift.length=travel:mm", "lift.force=3:kN"};
  // The trapezoidal rule shows s = -d + i w, |s|^2 = K / M, where the model has (2/h) tanh(h s / 2) = s (1 - (h s)^2 / 12). With
  // e = (h |s|)^2 / 12 the error of K is 2 e and that of B at most e |s| / d (none of the rest position F / K), and half of the step
  // leaves a quarter, except for a part (h |s|)^2 = 1e-4 of it.
  double off[2][2] = {};
  for (int half = 0; half < 2; ++half) {
    const double h = 2.5e-4 / (1 + half), error = h * h * K / M / 12;
    locked.overrides = {parse_override(fmt::format("solver.step={}", h))};
    const Fit result = fit(locked);
    EXPECT_TRUE(result.converged) << result.status;
    off[half][0] = result.parameters[0].value / K - 1;
    off[half][1] = result.parameters[1].value / B - 1;
    EXPECT_LT(std::abs(off[half][0]), 2 * error);
    EXPECT_LT(std::abs(off[half][1]), std::sqrt(K / M) / d * error);
    EXPECT_NEAR(result.channels[0].recorded[0], 2, 1e-12);
    EXPECT_EQ(result.channels[1].column, "3");
  }
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(off[0][i] / off[1][i], 4, 4e-3);
}

TEST_F(Fitting, FindsWhatADrivenCylinderShows) {
  // f = -K (l - l_0) - B l_dot + T, the actuator holding, l given; T: the tank's pressure on the area of the rod
  const double K = 3e6, B = 4e4, a = 0.01, w = 2 * std::numbers::pi * 4;
  const std::string model = file(bench("motions: {drive: {joint: load, signal: travel}}\n"
                                       "signals: {travel: {sine: {amplitude: 10 mm, frequency: 4 Hz, offset: 2 m}}}"),
                                 "driven.yaml");
  std::string text = "time,lift.force\n";
  for (int i = 0; i <= 100; ++i) {
    const double t = 5e-3 * i;
    text += fmt::format("{},{}\n", t, kTankForce - K * a * std::sin(w * t) - B * a * w * std::cos(w * t));
  }
  FitRequest driven = request(file(text));
  driven.model_file = model;
  // double_step has the rate of the motion to rounding; penalty leaves a violation of 1e-7 m/s of a w = 0.25 m/s, the relative error of B
  for (const auto& [constraints, tolerance] : {std::pair{"double_step", 1e-10}, std::pair{"penalty", 1e-6}}) {
    driven.overrides = {parse_override(fmt::format("solver.constraints={}", constraints))};
    const Fit result = fit(driven);
    EXPECT_TRUE(result.converged) << result.status;
    EXPECT_NEAR(result.parameters[0].value / K, 1, tolerance) << constraints;
    EXPECT_NEAR(result.parameters[1].value / B, 1, tolerance) << constraints;
  }
}

/// A recording of steps of 1 ms, fitted with steps of 5 ms.
TEST_F(Fitting, TheErrorByTheStepIsWhatACoarseStepDoesToTheValues) {
  const Fit result = fit(request(recording(), {"solver.step=5 ms"}));
  const double truth[] = {kStiffness, kDamping};
  double largest = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    const FittedParameter& p = result.parameters[i];
    const double off = std::abs(p.value - truth[i]);
    largest = std::max(largest, off / truth[i]);
    if (off > 1e-5 * truth[i]) EXPECT_NEAR(p.step_error / off, 1, 0.35) << p.path << " " << off << " " << p.step_error;
  }
  EXPECT_GT(largest, 1e-4);
  EXPECT_LT(fit(request(recording())).parameters[0].step_error, 0.1 * result.parameters[0].step_error);
}

TEST_F(Fitting, StandardErrorsAreTheSpreadOverRecordings) {
  double square[2] = {}, mean[2] = {};
  constexpr int kRecordings = 40;
  for (unsigned seed = 0; seed < kRecordings; ++seed) {
    const Fit result = fit(request(recording(2e3, 1e-5, seed + 1)));
    const double truth[] = {kStiffness, kDamping};
    for (int i = 0; i < 2; ++i) {
      const FittedParameter& p = result.parameters[static_cast<std::size_t>(i)];
      const double off = (p.value - truth[i]) / p.standard_error;
      EXPECT_LT(std::abs(off), 4.5) << p.path << " " << seed;
      EXPECT_LT(p.standard_error, 0.1 * p.value);
      square[i] += off * off / kRecordings;
      mean[i] += off / kRecordings;
    }
    EXPECT_NEAR(result.channels[0].rms, 2e3, 600);
    EXPECT_NEAR(result.channels[1].rms, 1e-5, 3e-6);
  }
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(std::sqrt(square[i]), 1, 0.35);
    EXPECT_LT(std::abs(mean[i]), 0.6);
  }
}

TEST_F(Fitting, SaysWhatTheRecordingDoesNotTell) {
  FitRequest blind = request(recording());
  blind.parameters.push_back("quasistatic.circuit.relief");  // the valves are closed
  const Fit nothing = fit(blind);
  ASSERT_EQ(nothing.warnings.size(), 1u);
  EXPECT_NE(nothing.warnings[0].find("quasistatic.circuit.relief has no influence"), std::string::npos);
  EXPECT_TRUE(std::isnan(nothing.parameters[0].standard_error));
  // the load is 1 N times the force times the signal
  FitRequest twins = request(recording());
  twins.parameters = {"signals.swing.sine.amplitude", "forces.tip.force.1"};
  const Fit together = fit(twins);
  ASSERT_EQ(together.warnings.size(), 1u);
  EXPECT_NE(together.warnings[0].find("only a combination of signals.swing.sine.amplitude, forces.tip.force.1"), std::string::npos)
      << together.warnings[0];
  EXPECT_NE(fit_text(together).find("WARNING the recording determines only"), std::string::npos);
}

TEST_F(Fitting, NumbersThatMayBeNegativeCrossZero) {
  FitRequest angle = request(recording(), {"joints.arm.angle=20 deg", "solver.duration=0.6"});
  angle.parameters = {"joints.arm.angle"};
  const Fit result = fit(angle);
  EXPECT_FALSE(result.parameters[0].positive);
  EXPECT_NEAR(result.parameters[0].value, -std::numbers::pi / 6, 1e-8);
  EXPECT_EQ(result.parameters[0].unit, "rad");
}

TEST_F(Fitting, RunsThatFailAreStepsTooFar) {
  // The oscillating force pulls the piston further out the softer the element is (with little damping: the example's would hold it), and
  // the cylinder ends 5 % beyond the displacement at the true stiffness: with 0.8 of the true stiffness the run fails.
  constexpr double K = 1e6, B = 2e4;
  const std::vector<std::string> truth = from(K, B);
  const CaseResult soft = run_case(test::load_example("arm_quasistatic", {"solver.duration=0.6", truth[0], truth[1]}));
  const Recording& r = soft.recorder->recording();
  const std::vector<double>& length = column(r, "lift.length");
  const double way = *std::max_element(length.begin(), length.end()) - length[0];
  const std::string chamber_A = "cylinders.lift.chamber_length_A=2",
                    chamber_B = fmt::format("cylinders.lift.chamber_length_B={}", 1.05 * way);
  std::string text = "time,lift.force\n";
  for (std::size_t i = 0; i < r.rows(); i += 5) text += fmt::format("{},{}\n", r.columns[0][i], column(r, "lift.force")[i]);
  const std::string reference = file(text);
  const auto start = [&](double k) {
    const std::vector<std::string> values = from(k, B);
    return request(reference, {values[0], values[1], chamber_A, chamber_B});
  };
  EXPECT_THROW((void)fit(start(0.8 * K)), SimulationError);
  // The residuals scale with 1/K: from ten times K their slope in ln K leads to a step of -9 instead of -ln 10, beyond which runs
  // fail.
  const Fit result = fit(start(10 * K));
  EXPECT_GT(result.failed_runs, 0);
  EXPECT_TRUE(result.converged) << result.status;
  EXPECT_NEAR(result.parameters[0].value / K, 1, 1e-9);  // the recording is a run of the model without noise
  EXPECT_NEAR(result.parameters[1].value / B, 1, 1e-9);
}

/// The recording has 400 N of Coulomb friction, but the static friction of the model is 300 N, above which runs are invalid.
TEST_F(Fitting, SaysWhereRunsBesideAreInvalid) {
  const CaseResult other = run_case(
      test::load_example("lever", {"solver.duration=2", "cylinders.lift.friction.static=600", "cylinders.lift.friction.coulomb=400"}));
  const Recording& r = other.recorder->recording();
  std::string text = "time,lever.angle\n";
  for (std::size_t i = 0; i < r.rows(); i += 10) text += fmt::format("{},{}\n", r.columns[0][i], column(r, "lever.angle")[i]);
  FitRequest request;
  request.model_file = std::string(TRUNNION_SOURCE_DIR) + "/examples/lever.yaml";
  request.overrides.push_back(parse_override("solver.duration=2"));
  request.parameters = {"cylinders.lift.friction.coulomb"};
  request.reference = file(text);
  const Fit result = fit(request);
  EXPECT_LE(result.parameters[0].value, 300 * (1 + 1e-9));
  const auto names_it = [](const std::string& w) { return w.find("still fall with a larger cylinders.lift.friction.coulomb") != w.npos; };
  EXPECT_TRUE(std::any_of(result.warnings.begin(), result.warnings.end(), names_it));
}

TEST_F(Fitting, AStartThatFailsIsASimulationError) {
  // the oscillating force pulls the piston out beyond chamber B
  const std::vector<std::string> set{"cylinders.lift.chamber_length_A=2", "cylinders.lift.chamber_length_B=0.1 mm"};
  EXPECT_THROW((void)fit(request(recording(), set)), SimulationError);
}

TEST_F(Fitting, FilesHoldTheResult) {
  const Fit result = fit(request(recording(2e3, 1e-5), from(2e7, 6e6)));
  const auto json = nlohmann::json::parse(fit_json(result, "arm.yaml", "recording.csv"));
  EXPECT_EQ(json["parameters"][kElement + "stiffness"]["value"], result.parameters[0].value);
  EXPECT_EQ(json["parameters"][kElement + "stiffness"]["start"], 2e7);
  EXPECT_EQ(json["correlation"][kElement + "stiffness"][kElement + "stiffness"], 1);
  EXPECT_EQ(json["channels"]["lift.force"]["points"], 121);
  const std::string csv = fit_csv(result);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 2 * 121);
  EXPECT_EQ(fit_plot(result).panels.size(), 2u);
  // the model and the lines --set hold the values to the last bit
  const Description d = parse_model(write_model(result.model->description), "fit.yaml");
  EXPECT_EQ(number_text(result.parameters[0].value), number_text(*d.quasistatic[0].second.actuators[0].second.element.stiffness));
  EXPECT_NE(fit_text(result).find("--set " + kElement + "stiffness=" + number_text(result.parameters[0].value)), std::string::npos);
}

TEST_F(Fitting, WrongRequestsAreNamed) {
  const std::string good = recording();
  struct Case {
    std::function<void(FitRequest&)> change;
    std::vector<std::string> words;
  };
  const std::vector<Case> cases = {
      {[](FitRequest& r) { r.parameters.clear(); }, {"--parameters", "no parameters are given"}},
      {[](FitRequest& r) { r.parameters = {"quasistatic.circuit.tank"}; }, {"--parameters", "quasistatic.circuit.tank", "a number"}},
      {[](FitRequest& r) { r.parameters = {"quasistatic.circuit.flwo"}; }, {"--parameters", "flwo"}},
      {[](FitRequest& r) { r.parameters = {"solver.max_iterations"}; }, {"--parameters", "whole number"}},
      {[](FitRequest& r) { r.parameters.push_back(r.parameters[0]); }, {"--parameters", "more than once"}},
      {[](FitRequest& r) { r.reference = "nowhere.csv"; }, {"--reference", "nowhere.csv"}},
      {[](FitRequest& r) { r.channels = {"lift.fource=lift.force"}; },
       {"--channels", "no channel 'lift.fource'", "did you mean 'lift.force'?"}},
      {[](FitRequest& r) { r.channels = {"lift.force=F"}; }, {"--reference", "has no column `F`"}},
      {[](FitRequest& r) { r.channels = {"lift.force=lift.force:kM"}; }, {"--channels", "`kM` is not a unit"}},
      {[](FitRequest& r) { r.channels = {"lift.force=lift.force:bar"}; }, {"--channels", "`lift.force:bar` has the wrong unit", "SI N"}},
      {[](FitRequest& r) {
         r.channels = {"lift.force", "lift.force=lift.force"};
       },
       {"--channels", "lift.force is given more than once"}},
      {[](FitRequest& r) { r.time = "time:kg"; }, {"--time", "`time:kg` has the wrong unit"}},
      {[](FitRequest& r) { r.time = "clock"; }, {"--reference", "has no column `clock`"}},
      {[](FitRequest& r) {
         r.overrides.push_back({"solver.duration", "0.5"});
       },
       {"lasts until 0.6 s", "0.5 s", "--set solver.duration=0.6"}},
      {[&](FitRequest& r) { r.reference = file("time,lift.force\n-1,2\n0,3\n1,4\n", "early.csv"); }, {"begins at -1 s"}},
      {[&](FitRequest& r) { r.reference = file("time,lift.force\n0,3\n", "one.csv"); }, {"1 points for 2 parameters"}},
      {[&](FitRequest& r) { r.reference = file("time,lift.force\n0,3\n1,x\n", "x.csv"); }, {"x.csv:3"}},
      {[&](FitRequest& r) { r.reference = file("time,lift.force\n1,3\n0.5,2\n", "back.csv"); }, {"back.csv:3", "not later"}},
      {[&](FitRequest& r) { r.reference = file("time,F\n0,3\n1,2\n", "names.csv"); }, {"no column of", "--channels CHANNEL=COLUMN"}},
      {[](FitRequest& r) { r.max_iterations = 0; }, {"--max-iterations"}},
  };
  for (const Case& c : cases) {
    FitRequest wrong = request(good);
    c.change(wrong);
    const std::string text = findings_of(wrong);
    for (const std::string& word : c.words) EXPECT_NE(text.find(word), std::string::npos) << word << "\n" << text;
  }
}

}  // namespace
}  // namespace trunnion
