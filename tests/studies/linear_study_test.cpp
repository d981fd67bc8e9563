// Linear studies: files read back, references, root loci, sensitivities, the linear model compared with a run.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/linear_study.h"

#include <gtest/gtest.h>
#include <matio.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/units.h"
#include "model/machines.h"
#include "support/linear_studies.h"
#include "support/machines.h"

namespace trunnion {
namespace {

namespace fs = std::filesystem;
using test::cells_of;
using test::text_of;
using Complex = std::complex<double>;
using Json = nlohmann::json;

class LinearStudy : public test::LinearStudyFolder {};

// ---------------------------------------------------------------- files

TEST_F(LinearStudy, WritesTheLinearModelOfAnOscillator) {
  EXPECT_EQ(run(), "");
  const Json j = json("linear.json");
  EXPECT_EQ(j["states"], (Json{"mass.position", "mass.speed"}));
  EXPECT_EQ(j["inputs"].size(), 1U);
  ASSERT_EQ(j["A"].size(), 2U);
  EXPECT_EQ(j["A"][0], (Json{0.0, 1.0}));
  EXPECT_NEAR(j["A"][1][0], -kStiffness / kMass, 1e-12);
  EXPECT_NEAR(j["A"][1][1], -kDamping / kMass, 1e-14);
  EXPECT_NEAR(j["B"][1][0], 20 / kMass, 1e-14);
  EXPECT_EQ(j["C"].size(), j["outputs"].size());
  EXPECT_EQ(j["D"].size(), j["outputs"].size());
  EXPECT_NEAR(j["drift"][1], -0.1 * kStiffness / kMass, 1e-12);
  EXPECT_EQ(j["reference"]["states"][0], 0.1);
  EXPECT_EQ(j["reference"]["motion"], "moving");
  EXPECT_EQ(j["units"]["states"], (Json{"m", "m/s"}));
  EXPECT_EQ(j["sizes"]["n"], 1);
  EXPECT_EQ(j["partition"]["independent"], Json::array({"mass.position"}));
  ASSERT_EQ(j["eigenvalues"].size(), 2U);
  const Json& e = j["eigenvalues"][0];
  EXPECT_NEAR(e["re"], -kDecay, 1e-13);
  EXPECT_NEAR(e["im"], kDamped, 1e-12);
  EXPECT_NEAR(e["frequency_hz"], kDamped / (2 * std::acos(-1.0)), 1e-13);
  EXPECT_NEAR(e["damping_ratio"], kDecay / std::sqrt(kStiffness / kMass), 1e-14);
  EXPECT_NEAR(e["time_constant"], 1 / kDecay, 1e-13);
  EXPECT_EQ(e["participation"].size(), 2U);
  EXPECT_EQ(j["stability"]["verdict"], "asymptotically_stable");
  EXPECT_EQ(j["settings"]["springs"]["spring"]["stiffness"], 500);
}

TEST_F(LinearStudy, EveryFileSaysTheSame) {
  use_four_bar();
  request_.options.outputs = {"crank.angle", "lift.force", "v3.pressure"};
  EXPECT_EQ(run(), "");
  const Json j = json("linear.json");
  const std::size_t n = j["states"].size(), m = j["inputs"].size();
  EXPECT_EQ(n, 6U);
  EXPECT_EQ(j["outputs"], (Json{"crank.angle", "lift.force", "v3.pressure"}));
  // CSV: stacked matrices
  const auto csv = cells_of(out("linear.csv"));
  ASSERT_EQ(csv.size(), 1 + n + 3);
  EXPECT_EQ(csv[0][4], j["states"][0]);
  EXPECT_EQ(csv[0][4 + n], j["inputs"][0]);
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_EQ(csv[1 + i].size(), 4 + n + m);
    EXPECT_EQ(csv[1 + i][0], "d/dt " + j["states"][i].get<std::string>());
    EXPECT_EQ(std::stod(csv[1 + i][2]), j["reference"]["states"][i]);
    for (std::size_t k = 0; k < n; ++k) EXPECT_EQ(std::stod(csv[1 + i][4 + k]), j["A"][i][k]);
    for (std::size_t k = 0; k < m; ++k) EXPECT_EQ(std::stod(csv[1 + i][4 + n + k]), j["B"][i][k]);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(csv[1 + n + i][0], j["outputs"][i]);
    for (std::size_t k = 0; k < n; ++k) EXPECT_EQ(std::stod(csv[1 + n + i][4 + k]), j["C"][i][k]);
    for (std::size_t k = 0; k < m; ++k) EXPECT_EQ(std::stod(csv[1 + n + i][4 + n + k]), j["D"][i][k]);
  }
  const auto eigenvalues = cells_of(out("eigenvalues.csv"));
  ASSERT_EQ(eigenvalues.size(), 1 + n);
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_EQ(std::stod(eigenvalues[1 + i][1]), j["eigenvalues"][i]["re"]);
    EXPECT_EQ(std::stod(eigenvalues[1 + i][2]), j["eigenvalues"][i]["im"]);
  }
  // MATLAB
  mat_t* file = Mat_Open(out("linear.mat").c_str(), MAT_ACC_RDONLY);
  ASSERT_NE(file, nullptr);
  const auto same = [&](const char* name, const Json& rows, std::size_t height, std::size_t width) {
    matvar_t* v = Mat_VarRead(file, name);
    ASSERT_NE(v, nullptr) << name;
    EXPECT_EQ(v->dims[0], height) << name;
    EXPECT_EQ(v->dims[1], width) << name;
    for (std::size_t i = 0; i < height; ++i)
      for (std::size_t k = 0; k < width; ++k) EXPECT_EQ(static_cast<const double*>(v->data)[i + k * height], rows[i][k]) << name;
    Mat_VarFree(v);
  };
  same("A", j["A"], n, n);
  same("B", j["B"], n, m);
  same("C", j["C"], 3, n);
  same("D", j["D"], 3, m);
  const auto names = [&](const char* name, const Json& expected) {
    matvar_t* v = Mat_VarRead(file, name);
    ASSERT_NE(v, nullptr) << name;
    ASSERT_EQ(v->dims[0], expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const matvar_t* cell = Mat_VarGetCell(v, static_cast<int>(i));
      EXPECT_EQ(std::string(static_cast<const char*>(cell->data), cell->dims[1]), expected[i]);
    }
    Mat_VarFree(v);
  };
  names("states", j["states"]);
  names("inputs", j["inputs"]);
  names("outputs", j["outputs"]);
  names("state_units", j["units"]["states"]);
  matvar_t* v = Mat_VarRead(file, "eigenvalues");
  ASSERT_NE(v, nullptr);
  ASSERT_TRUE(v->isComplex);
  for (std::size_t i = 0; i < n; ++i)
    EXPECT_EQ(static_cast<const double*>(static_cast<const mat_complex_split_t*>(v->data)->Re)[i], j["eigenvalues"][i]["re"]);
  Mat_VarFree(v);
  Mat_Close(file);
}

TEST_F(LinearStudy, PrintsWhatMatters) {
  use_four_bar();
  std::string text;
  StudyHooks hooks;
  hooks.print = [&](const std::string& more) { text += more; };
  EXPECT_EQ(linear_study(request_, out("").string(), hooks), "");
  for (const char* word : {"about the equilibrium: 6 states", "6 = 2n - 2m - l + r + u: n = 3 velocities, m = 2 holonomic", "at rest",
                           "is zero", "valve.spool", "stability", "linear.mat"})
    EXPECT_NE(text.find(word), std::string::npos) << word << "\n" << text;
}

// ---------------------------------------------------------------- times of a run

/// The counterpart has an eigenvalue for every position and velocity of the tree; those removed by the loops are spurious.
TEST_F(LinearStudy, SpuriousEigenvaluesOfTheCounterpartAreCalledSo) {
  request_.model_file = std::string(TRUNNION_SOURCE_DIR) + "/examples/four_bar_linear.yaml";
  request_.start = StartKind::equilibrium;
  const std::size_t exact = [&] {
    run();
    return json("linear.json")["eigenvalues"].size();
  }();
  EXPECT_FALSE(json("linear.json")["eigenvalues"][0].contains("spurious"));
  request_.options.method = LinearMethod::counterpart;
  std::string text;
  StudyHooks hooks;
  hooks.print = [&](const std::string& part) { text += part; };
  linear_study(request_, (folder_ / "out").string(), hooks);
  const Json eigenvalues = json("linear.json")["eigenvalues"];
  std::size_t spurious = 0;
  for (const Json& e : eigenvalues) {
    if (!e["spurious"].get<bool>()) continue;
    ++spurious;
    EXPECT_LT(std::abs(Complex(e["re"], e["im"])), 1) << e["re"];  // null except for the differences
  }
  EXPECT_EQ(spurious, eigenvalues.size() - exact);
  EXPECT_EQ(spurious, 4U);  // one loop, two equations
  EXPECT_NE(text.find("spurious: due to a dependent coordinate"), std::string::npos) << text;
  EXPECT_NE(text.find("4 eigenvalues: the counterpart treats dependent coordinates as free"), std::string::npos) << text;
}

/// J theta_dd = -m g L/2 sin: the linear model depends on the angle and not on the rate.
/// Figure 14 of the paper: rounding at small increments, curvature at large ones.
TEST_F(LinearStudy, CounterpartsOfSeveralIncrementsAreOneTable) {
  request_.model_file = std::string(TRUNNION_SOURCE_DIR) + "/examples/four_bar_linear.yaml";
  request_.start = StartKind::equilibrium;
  request_.options.method = LinearMethod::counterpart;
  request_.increments = {1e-2, 1e-12, 1e-6};
  request_.options.step = 1e-2;
  EXPECT_EQ(run(), "");
  EXPECT_TRUE(fs::exists(out("differences.svg")));
  const auto rows = cells_of(out("differences.csv"));
  ASSERT_EQ(rows.size(), 1U + 3 * 6);
  std::map<std::string, double> largest;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].size(), 9U);
    EXPECT_EQ(rows[i][8], "completed");
    const double exact = std::stod(rows[i][2]),
                 error = std::hypot(std::stod(rows[i][4]) - exact, std::stod(rows[i][5]) - std::stod(rows[i][3]));
    EXPECT_NEAR(std::stod(rows[i][6]), error, 1e-12 * std::abs(exact));
    if (exact == 0) continue;
    EXPECT_NEAR(std::stod(rows[i][7]), error / std::abs(exact), 1e-12);
    largest[rows[i][0]] = std::max(largest[rows[i][0]], std::stod(rows[i][7]));
  }
  ASSERT_EQ(largest.size(), 3U);
  EXPECT_LT(largest["1e-06"], 1e-5);
  EXPECT_GT(largest["0.01"], 100 * largest["1e-06"]);
  EXPECT_GT(largest["1e-12"], 10 * largest["1e-06"]);
  request_.increments = {1e300, 1e-5};  // the first one that works gives the linear model
  request_.options.step = 1e300;
  EXPECT_NE(run().find("--difference-step 1e+300: "), std::string::npos);
  EXPECT_TRUE(fs::exists(out("linear.json")));
  request_.increments = {1e-3, -1};
  EXPECT_NE(refusal().find("--difference-step"), std::string::npos);
  request_.increments = {1e-3, 1e-4};
  request_.at = {0.1, 0.2};
  EXPECT_NE(refusal().find("at most one time --at"), std::string::npos);
  request_.at.clear();
  request_.options.method = LinearMethod::reduced;
  EXPECT_NE(refusal().find("--method counterpart"), std::string::npos);
}

TEST_F(LinearStudy, ChosenCoordinatesAreTheStates) {
  use_four_bar();
  request_.options.independent = {"rocker.angle"};
  EXPECT_EQ(run(), "");
  EXPECT_EQ(json("linear.json")["partition"]["independent"], Json::array({"rocker.angle"}));
  request_.options.independent = {"rocker.angel"};
  EXPECT_NE(refusal().find("did you mean rocker.angle?"), std::string::npos) << refusal();
  request_.options = {};
  request_.options.independent = {"rocker.angle"};
  request_.options.method = LinearMethod::counterpart;
  EXPECT_NE(refusal().find("--independent"), std::string::npos);
}

TEST_F(LinearStudy, FrozenEigenvaluesNameWhatTheyDependOn) {
  request_.model_file = write("swinging.yaml", R"(trunnion: 1
gravity: [0, -9.81, 0]
bodies: {a: {rod: {length: 1, mass: 1}}}
joints: {a: {revolute: {parent: ground}, angle: 20 deg, rate: 1}}
)");
  std::string text;
  StudyHooks hooks;
  hooks.print = [&](const std::string& part) { text += part; };
  linear_study(request_, (folder_ / "out").string(), hooks);
  EXPECT_EQ(json("linear.json")["reference"]["depends_on"], Json::array({"a.angle"}));
  EXPECT_NE(text.find("A depends on a.angle"), std::string::npos) << text;
  EXPECT_NE(text.find("frozen at this instant: they depend on a.angle"), std::string::npos) << text;
}

TEST_F(LinearStudy, TakesTheEquationsOfADiscreteElement) {
  request_.model_file = std::string(TRUNNION_SOURCE_DIR) + "/examples/arm_quasistatic.yaml";
  EXPECT_EQ(run(), "");
  const Json equations = json("linear.json");
  request_.overrides = {{"quasistatic.circuit.form", "discrete"}};
  EXPECT_EQ(run(), "");
  const Json discrete = json("linear.json");
  EXPECT_EQ(discrete["A"], equations["A"]);
  ASSERT_EQ(discrete["warnings"].size(), equations["warnings"].size() + 1);
  EXPECT_NE(discrete["warnings"].back().get<std::string>().find("quasistatic.circuit.form: discrete states cannot be linearised"),
            std::string::npos);
  // along a run: at the states of the discrete run
  request_.at = {3.5};
  EXPECT_EQ(run(), "");
  const auto model = test::load_example("arm_quasistatic", {"quasistatic.circuit.form=discrete"});
  Runner of_the_form(model);
  of_the_form.advance(3.5);
  const Json there = json("linear.json");
  ASSERT_EQ(there["states"], (Json{"arm.angle", "arm.rate", "lift.piston"}));
  EXPECT_EQ(there["reference"]["states"][0], of_the_form.state().q()[0]);
  EXPECT_EQ(there["reference"]["states"][2], of_the_form.state().y()[model->hydraulics.quasistatic[0].ports[0].state]);
}

TEST_F(LinearStudy, StatesAtTimesAreThoseOfTheRun) {
  const auto model = test::machine(std::string(kOscillator).substr(12));
  Runner run(model);
  run.advance(1.5);
  std::vector<StateVector> alone, among;
  states_at(model, StartKind::given, {1.5}, [&](const StateVector& s) { alone.push_back(s); });
  states_at(model, StartKind::given, {0, 0.12345678, 0.5, 0.50003, 1.5}, [&](const StateVector& s) { among.push_back(s); });
  ASSERT_EQ(among.size(), 5U);
  EXPECT_TRUE(alone[0] == run.state());
  EXPECT_TRUE(among[4] == run.state());
  EXPECT_EQ(among[0].time, 0);
  EXPECT_EQ(among[1].time, 0.12345678);
  const double t = 0.12345678, x = 0.1 * std::exp(-kDecay * t) * (std::cos(kDamped * t) + kDecay / kDamped * std::sin(kDamped * t));
  EXPECT_NEAR(among[1].q()[0], x, 1e-7);
}

TEST_F(LinearStudy, SeveralTimesHaveFoldersAndATable) {
  request_.at = {0.5, 0, 0.5, 1.25};
  request_.folders = true;
  EXPECT_EQ(run(), "");
  for (const char* file : {"at_0/linear.json", "at_0.5/linear.mat", "at_1.25/eigenvalues.csv", "over_time.csv"})
    EXPECT_TRUE(fs::exists(out(file))) << file;
  const Json table = json("over_time.json");
  EXPECT_EQ(table["varied"], Json::array({"time"}));
  ASSERT_EQ(table["points"].size(), 3U);
  EXPECT_EQ(table["points"][1]["values"]["time"], "0.5");
  EXPECT_NEAR(table["points"][2]["eigenvalues"][0]["im"], kDamped, 1e-10);
  EXPECT_EQ(json("at_0.5/linear.json")["time"], 0.5);
  // the signal that jumps at 0.5 s has its right limit
  EXPECT_EQ(json("at_0.5/linear.json")["reference"]["inputs"][0], 1);
  // models written before go with the next ones, other files do not
  std::ofstream(out("at_0/mine.txt")) << "mine";
  request_.at = {1};
  EXPECT_EQ(run(), "");
  EXPECT_TRUE(fs::exists(out("at_0/mine.txt")));
  for (const char* file : {"at_0/linear.json", "at_0.5", "at_1.25", "linear_over_time.mat"}) EXPECT_FALSE(fs::exists(out(file))) << file;
}

TEST_F(LinearStudy, ARunThatFailsKeepsTheModelsBefore) {
  request_.model_file = std::string(TRUNNION_SOURCE_DIR) + "/examples/four_bar.yaml";
  request_.overrides = {{"solver.max_iterations", "1"}, {"solver.divisions", "0"}};
  request_.at = {0.5, 1.2};
  EXPECT_NE(run().find("failed at t = 1 s"), std::string::npos);
  EXPECT_TRUE(fs::exists(out("linear_over_time.mat")));
  EXPECT_FALSE(fs::exists(out("at_0.5")));
  EXPECT_EQ(json("over_time.json")["points"].size(), 1U);
  request_.at = {1.2};
  EXPECT_THROW(run(), SimulationError);
}

// ---------------------------------------------------------------- sensitivities

TEST_F(LinearStudy, ModelsAlongARunAreOneFile) {
  request_.at = {0.1, 0.6, 1.0};
  request_.folders = true;
  EXPECT_EQ(run(), "");
  mat_t* file = Mat_Open(out("linear_over_time.mat").string().c_str(), MAT_ACC_RDONLY);
  ASSERT_NE(file, nullptr);
  const auto numbers = [&](const char* name, std::vector<std::size_t> sizes) {
    matvar_t* v = Mat_VarRead(file, name);
    EXPECT_EQ(std::vector<std::size_t>(v->dims, v->dims + v->rank), sizes) << name;
    std::size_t n = 1;
    for (const std::size_t size : sizes) n *= size;
    const double* data = static_cast<const double*>(v->data);
    std::vector<double> values(data, data + n);
    Mat_VarFree(v);
    return values;
  };
  const std::vector<double> A = numbers("A", {2, 2, 3}), x0 = numbers("x0", {2, 1, 3}), time = numbers("time", {3, 1});
  Mat_Close(file);
  EXPECT_EQ(time, (std::vector<double>{0.1, 0.6, 1.0}));
  for (std::size_t k = 0; k < 3; ++k) {
    const Json j = json("at_" + std::string(k == 0 ? "0.1" : k == 1 ? "0.6" : "1") + "/linear.json");
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(x0[2 * k + i], j["reference"]["states"][i]);
      for (std::size_t m = 0; m < 2; ++m) EXPECT_EQ(A[4 * k + 2 * m + i], j["A"][i][m]);
    }
  }
}

TEST_F(LinearStudy, SensitivitiesOfAnOscillator) {
  request_.sensitivity = {"springs.spring.stiffness", "springs.spring.damping", "bodies.mass.point_mass.mass"};
  EXPECT_EQ(run(), "");
  const Json j = json("sensitivity.json");
  const Complex lambda(-kDecay, kDamped);
  const double root = 2 * kMass * kDamped;
  const std::vector<Complex> exact{
      {0, 1 / root}, {-1 / (2 * kMass), -kDamping / (2 * kMass * root)}, (Complex(0, 2 * kStiffness / root) - 2.0 * lambda) / (2 * kMass)};
  ASSERT_EQ(j["parameters"].size(), 3U);
  for (std::size_t p = 0; p < 3; ++p) {
    const Json& s = j["parameters"][p]["eigenvalues"][0];
    const Complex derivative(s["derivative"]["re"], s["derivative"]["im"]), relative(s["relative"]["re"], s["relative"]["im"]);
    EXPECT_LT(std::abs(derivative - exact[p]), 1e-9 * std::abs(exact[p])) << p;
    EXPECT_LT(std::abs(relative - j["parameters"][p]["value"].get<double>() * exact[p] / lambda), 1e-8) << p;
    EXPECT_LE(s["error"], 1e-8 * std::abs(exact[p])) << p;
  }
  const auto rows = cells_of(out("sensitivity.csv"));
  ASSERT_EQ(rows.size(), 7U);
  EXPECT_EQ(rows[1][0], "springs.spring.stiffness");
  EXPECT_EQ(std::stod(rows[1][6]), j["parameters"][0]["eigenvalues"][0]["derivative"]["im"]);
}

TEST_F(LinearStudy, SensitivitiesOfAHydraulicMachineAreTheDifferencesOfItsEigenvalues) {
  use_four_bar();
  // geometry, mass, oil, friction, a start value and a source, all with the equilibrium that moves with them
  request_.sensitivity = {"cylinders.lift.bore",
                          "bodies.coupler.rod.mass",
                          "fluid.bulk_modulus",
                          "volumes.v1.hose.volume",
                          "joints.crank.angle",
                          "cylinders.lift.friction.viscous",
                          "volumes.v3.pressure",
                          "valves.throttle.orifice.diameter",
                          "valves.valve.directional_4_3.time_constant"};
  EXPECT_EQ(run(), "");
  const Json j = json("sensitivity.json");
  const auto eigenvalues = [&](const std::string& path, double p) {
    const auto model = compile(load_model(request_.model_file, {{path, number_text(p)}}));
    return make_linear_case(model, start_of(model, StartKind::equilibrium), StartKind::equilibrium, {}).spectrum.eigenvalues;
  };
  for (const Json& parameter : j["parameters"]) {
    ASSERT_EQ(parameter["refusal"], "") << parameter["path"];
    const double p = parameter["value"], h = 1e-4 * p;
    const auto before = eigenvalues(parameter["path"], p - h), after = eigenvalues(parameter["path"], p + h);
    for (std::size_t i = 0; i < j["eigenvalues"].size(); ++i) {
      const Complex value(j["eigenvalues"][i]["re"], j["eigenvalues"][i]["im"]);
      const Json& s = parameter["eigenvalues"][i];
      ASSERT_EQ(s["refusal"], "") << parameter["path"] << i;
      const Complex derivative(s["derivative"]["re"], s["derivative"]["im"]);
      const Complex difference = (after[i].value - before[i].value) / (2 * h);
      EXPECT_LE(std::abs(derivative - difference), 1e-5 * std::abs(difference) + 1e-9 * std::abs(value) / p)
          << parameter["path"] << " " << value << " " << derivative << " " << difference;
      if (value == 0.0) EXPECT_EQ(derivative, 0.0);
    }
  }
}

// ---------------------------------------------------------------- compared with a run

TEST_F(LinearStudy, TheLinearModelBesideALinearMachineIsTheMachine) {
  request_.simulate = 0.65;  // within the pulse
  request_.options.outputs = {"mass.position", "mass.acceleration"};
  EXPECT_EQ(run(), "");
  const auto rows = cells_of(out("simulate.csv"));
  EXPECT_EQ(rows[0],
            (std::vector<std::string>{"time", "mass.position", "mass.position.linear", "mass.acceleration", "mass.acceleration.linear"}));
  ASSERT_EQ(rows.size(), 20002U);
  EXPECT_EQ(rows[6500][2], "");
  double first_x = 0, first_v = 0;
  for (std::size_t i = 6501; i < rows.size(); ++i) {
    const double t = std::stod(rows[i][0]), x = std::stod(rows[i][1]), linear = std::stod(rows[i][2]);
    EXPECT_NEAR(linear, x, 2e-7) << t;  // error of the steps
    EXPECT_NEAR(std::stod(rows[i][4]), std::stod(rows[i][3]), 1e-4) << t;
    // after the pulse the closed form from the state at 0.8 s
    if (std::abs(t - 0.8) < 1e-9) {
      first_x = linear;
      first_v = (std::stod(rows[i + 1][2]) - std::stod(rows[i - 1][2])) / 2e-4 + 0.25e-4 * 20 / kMass;
    }
    if (t < 0.8 + 1e-9) continue;
    const double s = t - 0.8;
    const double closed =
        std::exp(-kDecay * s) * (first_x * std::cos(kDamped * s) + (first_v + kDecay * first_x) / kDamped * std::sin(kDamped * s));
    ASSERT_NEAR(linear, closed, 1e-7) << t;
  }
}

TEST_F(LinearStudy, TheLinearModelBesideAPendulumIsRightToTheThirdPower) {
  const auto largest = [&](double push) {
    const auto model = test::machine(
        "gravity: [0, -9.81, 0]\nbodies: {bob: {point_mass: {mass: 1 kg, at: [0, -1 m, 0]}}}\njoints: {bob: {revolute: "
        "{parent: ground, axis: z}, angle: 0}}\nforces: {push: {joint: bob, load: " +
        std::to_string(push) +
        " N m, signal: pulse}}\nsignals: {pulse: {steps: [[0 s, 1], [0.5 s, 0]]}}\nsolver: {step: 0.2 ms, "
        "duration: 2 s}\n");
    const StateVector rest = start_of(model, StartKind::given);
    const LinearCase c = make_linear_case(model, rest, StartKind::given, {});
    return run_beside(model, rest, c.linear, rest, 0.5).channels[0].largest_difference;
  };
  const double once = largest(2), half = largest(1);
  EXPECT_GT(once, 1e-4);
  EXPECT_NEAR(once / half, 8, 0.8);
}

/// The difference to the linear model is compared with a run that has an integration error.
TEST_F(LinearStudy, TheRunBesideStatesItsOwnError) {
  const auto text = [](const char* step) {
    const auto model = test::load_example("four_bar_linear", {step, "solver.duration=1"});
    const StateVector start = start_of(model, StartKind::given);
    const LinearCase c = make_linear_case(model, start, StartKind::given, {});
    return linear_run_text(run_beside(model, start, c.linear, start, 0.2));
  };
  EXPECT_NE(text("solver.step=1 ms").find("local error  accumulated:"), std::string::npos) << text("solver.step=1 ms");
}

// ---------------------------------------------------------------- invalid requests

TEST_F(LinearStudy, PathsHaveTheirFrequencyAndStepResponses) {
  request_.options.outputs = {"mass.position", "mass.speed"};
  request_.frequency.inputs = {"push.factor"};
  request_.frequency.step = 3;
  request_.frequency.bode = request_.frequency.nyquist = true;
  EXPECT_EQ(run(), "");
  const auto exact = [](Complex s) { return 20.0 / (kMass * s * s + kDamping * s + kStiffness); };
  const auto rows = cells_of(out("frequency.csv"));
  ASSERT_EQ(rows[0].size(), 9u);
  EXPECT_EQ(rows[0][1], "push.factor -> mass.position.magnitude");
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const Complex G = exact({0, 2 * M_PI * std::stod(rows[i][0])});
    ASSERT_NEAR(std::stod(rows[i][1]), std::abs(G), 1e-10 * std::abs(G));
    ASSERT_NEAR(std::stod(rows[i][2]), std::arg(G) * 180 / M_PI, 1e-7);
  }
  const Json paths = json("frequency.json")["paths"];
  ASSERT_EQ(paths.size(), 2u);
  EXPECT_NEAR(paths[0]["static_gain"].get<double>(), 20 / kStiffness, 1e-9);
  EXPECT_NEAR(paths[1]["static_gain"].get<double>(), 0, 1e-9);
  EXPECT_EQ(paths[0]["zeros"].size(), 0u);
  ASSERT_EQ(paths[1]["zeros"].size(), 1u);
  EXPECT_NEAR(paths[1]["zeros"][0]["re"].get<double>(), 0, 1e-9);
  const auto steps = cells_of(out("step.csv"));
  ASSERT_EQ(steps.size(), 1002u);
  for (std::size_t i = 1; i < steps.size(); ++i) {
    const double t = std::stod(steps[i][0]),
                 x = 20 / kStiffness * (1 - std::exp(-kDecay * t) * (std::cos(kDamped * t) + kDecay / kDamped * std::sin(kDamped * t)));
    ASSERT_NEAR(std::stod(steps[i][1]), x, 1e-12) << t;
  }
}

TEST_F(LinearStudy, WrongPathsAreRefused) {
  request_.frequency.bode = true;
  EXPECT_NE(refusal().find("--bode: error: no input is given; expected --input NAME"), std::string::npos) << refusal();
  request_.frequency.inputs = {"push.factr"};
  EXPECT_NE(refusal().find("--input: error: no output is given"), std::string::npos) << refusal();
  request_.options.outputs = {"mass.position"};
  EXPECT_NE(refusal().find("did you mean 'push.factor'?"), std::string::npos) << refusal();
  EXPECT_FALSE(fs::exists(out("linear.json")));
  request_.frequency.inputs = {"push.factor"};
  request_.frequency.step = -1;
  request_.frequency.from = 0;
  EXPECT_NE(refusal().find("two positive frequencies"), std::string::npos) << refusal();
  request_.frequency.from = 3;
  request_.frequency.to = 2;
  EXPECT_NE(refusal().find("a positive duration"), std::string::npos) << refusal();
  EXPECT_NE(refusal().find("the lower one first"), std::string::npos) << refusal();
}

TEST_F(LinearStudy, WrongRequestsAreRefusedWithReasons) {
  const LinearStudyRequest good = request_;
  const auto refused = [&](auto&& change) {
    request_ = good;
    change(request_);
    return refusal();
  };
  const std::string beyond = refused([](LinearStudyRequest& r) { r.at = {1, 3}; });
  EXPECT_NE(beyond.find("--at: error: 3 s is not within the run, which lasts from 0 to 2 s"), std::string::npos) << beyond;
  EXPECT_NE(refused([](LinearStudyRequest& r) { r.at = {-1}; }).find("--at"), std::string::npos);
  EXPECT_NE(refused([](LinearStudyRequest& r) { r.at = {std::nan("")}; }).find("--at"), std::string::npos);
  EXPECT_NE(refused([](LinearStudyRequest& r) { r.simulate = 2.5; }).find("--simulate: error: 2.5 s"), std::string::npos);
  const std::string channels = refused([](LinearStudyRequest& r) { r.options.outputs = {"mass.positon", "other"}; });
  EXPECT_NE(channels.find("there is no channel 'mass.positon'; did you mean 'mass.position'?"), std::string::npos) << channels;
  EXPECT_NE(channels.find("'other'"), std::string::npos) << channels;
  EXPECT_NE(refused([](LinearStudyRequest& r) {
              r.at = {0, 1}, r.simulate = 1;
            }).find("--simulate: error: it needs one reference"),
            std::string::npos);
  EXPECT_NE(refused([](LinearStudyRequest& r) { r.at = {0, 1}, r.vary = {{"solver.step", {"1 ms"}}}; }).find("--vary"), std::string::npos);
  EXPECT_NE(refused([](LinearStudyRequest& r) { r.at = {1}, r.sensitivity = {"springs.spring.stiffness"}; }).find("--sensitivity"),
            std::string::npos);
  EXPECT_NE(
      refused([](LinearStudyRequest& r) { r.sensitivity = {"springs.spring.stifness"}; }).find("did you mean `springs.spring.stiffness`"),
      std::string::npos);
  EXPECT_NE(refused([](LinearStudyRequest& r) { r.vary = {{"springs.spring.stifness", {"1"}}}; }).find("did you mean"), std::string::npos);
  const auto counterpart = [](LinearStudyRequest& r) {
    r.options.method = LinearMethod::counterpart, r.simulate = 1, r.sensitivity = {"gravity.1"};
  };
  EXPECT_NE(refused(counterpart).find("--simulate"), std::string::npos);
  EXPECT_NE(refused(counterpart).find("--sensitivity"), std::string::npos);
  EXPECT_NE(refused([](LinearStudyRequest& r) { r.increments = {0}; }).find("--difference-step"), std::string::npos);
  EXPECT_FALSE(fs::exists(out("")));
}

}  // namespace
}  // namespace trunnion
