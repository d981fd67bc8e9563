// The co-simulation study. Reference: its underlying runs, its criterion applied again, and the definitions of the paper.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/cosimulation_study.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "file/model_file.h"
#include "results/run_case.h"
#include "studies/cosimulation_figures.h"
#include "support/machines.h"
#include "support/temporary_folder.h"

namespace trunnion {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// The crane's first second: the cylinder starts to move.
CosimulationRequest short_request(const std::string& example = "crane_single") {
  CosimulationRequest request;
  request.machine = load_model(std::string(TRUNNION_SOURCE_DIR) + "/examples/" + example + ".yaml",
                               {parse_override("solver.duration=1 s"), parse_override("record.channels=[lift.length]")});
  request.quick = true;
  request.min_step = 1e-3;
  request.max_step = 10e-3;
  request.threads = 2;
  return request;
}

/// Computed once: two cylinders, both cores.
const CosimulationStudy& study() {
  static const CosimulationStudy made = [] {
    CosimulationRequest request = short_request();
    request.oil = {{IntegratorKind::rk4, 1e-4}};
    return cosimulation_study(request);
  }();
  return made;
}

TEST(CosimulationStudy, ScansPreferredNumbersOnTheOilsGrid) {
  CosimulationRequest request;
  request.min_step = 2e-4;
  request.max_step = 20e-3;
  const std::vector<double> steps = scanned_steps(request, 1e-4);
  EXPECT_NEAR(steps.front(), 2e-4, 1e-12);
  EXPECT_NEAR(steps.back(), 20e-3, 1e-12);
  EXPECT_GT(steps.size(), 18U);
  EXPECT_TRUE(std::is_sorted(steps.begin(), steps.end()));
  bool one = false;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    EXPECT_NEAR(steps[i] / 1e-4, std::round(steps[i] / 1e-4), 1e-6);
    if (i > 0) EXPECT_LE(steps[i] / steps[i - 1], 1.51);
    one = one || std::abs(steps[i] - 1e-3) < 1e-12;
  }
  EXPECT_TRUE(one);
  for (const double H : scanned_steps(request, 1e-3)) EXPECT_NEAR(H / 1e-3, std::round(H / 1e-3), 1e-9);
  request.quick = true;
  EXPECT_LT(scanned_steps(request, 1e-4).size(), 14U);
}

TEST(CosimulationStudy, CombinationsAreThoseOfThePaper) {
  const CosimulationRequest request = short_request();
  CouplingChoice choice{
      CouplingVariables::velocity_force, CouplingPrediction::polynomial, 2, MechanismTreatment::ali3p, {IntegratorKind::euler, 1e-4}};
  Description d = coupled_machine(request, choice, 2e-3);
  EXPECT_EQ(d.solver.coupling, CouplingKind::cosimulation);
  EXPECT_EQ(d.solver.coordinates, CoordinateKind::cartesian);
  EXPECT_EQ(d.solver.constraints, ConstraintKind::penalty);
  EXPECT_EQ(d.solver.integrator, IntegratorKind::trapezoidal);
  EXPECT_EQ(d.coupling.scheme, CouplingScheme::jacobi);
  EXPECT_EQ(d.coupling.step, 2e-3);
  EXPECT_EQ(mechanism_steps_of(d), 1);
  EXPECT_EQ(d.coupling.extrapolation, 2);
  EXPECT_EQ(d.coupling.mechanism_extrapolation, 2);
  EXPECT_EQ(d.coupling.friction, FrictionSide::hydraulics);  // direct feedthrough from the rate
  EXPECT_EQ(d.coupling.integrator, IntegratorKind::euler);
  choice.variables = CouplingVariables::velocity_pressure;
  choice.prediction = CouplingPrediction::interface_model;
  choice.treatment = MechanismTreatment::ali1;
  d = coupled_machine(request, choice, 2e-3);
  EXPECT_EQ(d.solver.constraints, ConstraintKind::ali1);
  EXPECT_EQ(d.solver.integrator, IntegratorKind::semi_implicit_euler);
  EXPECT_EQ(d.coupling.friction, FrictionSide::mechanism);
  EXPECT_EQ(d.coupling.mechanism_extrapolation, 0);
}

TEST(CosimulationStudy, HasEveryCombinationAndItsCriterionHolds) {
  ASSERT_EQ(study().scans.size(), 8U);  // variables, treatment, prediction
  EXPECT_EQ(study().cylinders, std::vector<std::string>{"lift"});
  for (const CouplingScan& scan : study().scans) {
    EXPECT_EQ(scan.choice.order, scan.choice.prediction == CouplingPrediction::polynomial ? 2 : 0);
    ASSERT_FALSE(scan.runs.empty());
    std::optional<double> limit, first;
    for (const CosimulationRun& run : scan.runs) {
      EXPECT_EQ(run.stable, run.status.empty() && run.length_error < 5e-3) << run.status;
      if (!run.stable && !first) first = run.step;
      if (run.stable && !first) limit = run.step;
    }
    EXPECT_EQ(scan.limit, limit);
    EXPECT_EQ(scan.first_unstable, first);
  }
}

TEST(CosimulationStudy, LengthErrorsAreThoseOfARunByItself) {
  const CouplingScan& scan = study().scans.front();
  const CosimulationRun& run = scan.runs.front();
  const auto course = [](Description d, const char* every) {
    d.record.channels = {"lift.length"};
    d.record.every = std::atoi(every);
    return run_case(compile(d)).recorder->recording();
  };
  Description fine = study().request.machine;
  fine.solver.step = 1e-4;
  const Recording reference = course(fine, "10"), coupled = course(coupled_machine(study().request, scan.choice, run.step), "1");
  ASSERT_EQ(run.step, 1e-3);
  ASSERT_EQ(reference.rows(), coupled.rows());
  double error = 0;
  for (std::size_t i = 0; i < coupled.rows(); ++i) error = std::max(error, std::abs(coupled.columns[1][i] - reference.columns[1][i]));
  EXPECT_NEAR(run.length_error, error, 1e-10);
}

TEST(CosimulationStudy, ResidualsHaveTheSignOfThoseOfARunByItself) {
  int missing = 0, excess = 0;
  for (const CouplingScan& scan : study().scans) {
    const CosimulationRun& run = scan.runs.front();
    const CaseResult own = run_case(compile(coupled_machine(study().request, scan.choice, run.step)));
    const double energy = own.coupling->residual_energy;
    EXPECT_NEAR(run.residual, energy, 1e-9 * std::abs(energy)) << prediction_name(scan.choice);
    ++(run.residual > 0 ? missing : excess);
  }
  EXPECT_GT(missing, 0);
  EXPECT_GT(excess, 0);
}

TEST(CosimulationStudy, ErrorsShrinkWithTheStep) {
  for (const CouplingScan& scan : study().scans) {
    if (scan.runs.size() < 2 || !scan.runs[1].stable) continue;
    EXPECT_LT(scan.runs[0].length_error, scan.runs[1].length_error) << prediction_name(scan.choice);
  }
}

TEST(CosimulationStudy, IsTheSameForAnyNumberOfThreads) {
  CosimulationRequest request = short_request();
  request.machine.solver.duration = 0.6;
  request.oil = {{IntegratorKind::rk4, 1e-4}};
  request.treatments = {MechanismTreatment::ali3p};
  const CosimulationStudy two = cosimulation_study(request);
  request.threads = 1;
  const CosimulationStudy one = cosimulation_study(request);
  EXPECT_EQ(runs_csv(one), runs_csv(two));
  EXPECT_EQ(limits_csv(one), limits_csv(two));
  const auto f1 = study_figures(one), f2 = study_figures(two);
  ASSERT_EQ(f1.size(), f2.size());
  for (std::size_t i = 0; i < f1.size(); ++i) EXPECT_EQ(plot_csv(f1[i].plot), plot_csv(f2[i].plot)) << f1[i].name;
}

TEST(CosimulationStudy, AFailedRunIsAResult) {
  CosimulationRequest request = short_request();
  request.machine.solver.duration = 0.8;
  request.variables = {CouplingVariables::velocity_force};
  request.treatments = {MechanismTreatment::ali3p};
  request.interface_model = false;
  request.oil = {{IntegratorKind::euler, 5e-3}};  // far beyond its stability limit
  request.min_step = 5e-3;
  request.max_step = 20e-3;
  const CosimulationStudy s = cosimulation_study(request);
  ASSERT_EQ(s.scans.size(), 1U);
  EXPECT_FALSE(s.scans[0].limit);
  EXPECT_NE(study_text(s).find("< 5"), std::string::npos) << study_text(s);
}

TEST(CosimulationStudy, FilesSayTheCriterionAndReadBack) {
  const Json json = Json::parse(study_json(study(), "crane.yaml"));
  EXPECT_NE(json["criterion"].get<std::string>().find("within 5 mm of the monolithic solution"), std::string::npos);
  ASSERT_EQ(json["scans"].size(), 8U);
  EXPECT_EQ(json["scans"][0]["variables"], "velocity_force");
  EXPECT_EQ(json["scans"][0]["runs"].size(), study().scans[0].runs.size());
  EXPECT_EQ(json["schemes"].size(), 7U);
  EXPECT_EQ(json["schemes"][1]["scheme"], "sequential");
  EXPECT_LT(json["schemes"][1]["length_error"].get<double>(), 2e-6);  // H = 10 ms
  const std::string text = study_text(study());
  for (const char* word : {"Largest communication step H [ms]", "velocity-pressure", "ALI3-P, interface model", "sequential"})
    EXPECT_NE(text.find(word), std::string::npos) << word << "\n" << text;
  std::istringstream lines(runs_csv(study()));
  std::string line;
  std::getline(lines, line);
  const auto cells = std::count(line.begin(), line.end(), ',');
  std::size_t rows = 0, runs = 0;
  for (; std::getline(lines, line); ++rows)
    if (line.find('"') == std::string::npos) EXPECT_EQ(std::count(line.begin(), line.end(), ','), cells) << line;
  for (const CouplingScan& scan : study().scans) runs += scan.runs.size();
  EXPECT_EQ(rows, runs);
}

TEST(CosimulationStudy, FiguresNameThoseOfThePaper) {
  const std::string list = figures_csv(study_figures(study()));
  for (const char* line : {"work_cycle.svg,", "residual_velocity_force_rk4.svg,", "residual_velocity_pressure_rk4.svg,",
                           "energy_balance.svg,", "prediction.svg,", "residual_integrators_velocity_pressure.svg,", "oil_step_1ms.svg,",
                           "oil_step_4ms.svg,", ",9c\n", ",9d\n", ",11\n", ",12b\n", ",13a\n", ",8\n"})
    EXPECT_NE(list.find(line), std::string::npos) << line << "\n" << list;
}

TEST(CosimulationStudy, ResidualsAreInUnitsOfThePapersFirstCombination) {
  // the combination, run separately
  const CosimulationRequest& request = study().request;
  const CouplingChoice unit{
      CouplingVariables::velocity_force, CouplingPrediction::polynomial, 2, MechanismTreatment::ali1, {IntegratorKind::euler, 1e-4}};
  Runner run(compile(coupled_machine(request, unit, 1e-3)));
  run.advance(1);
  const auto channels = run_case(compile(coupled_machine(request, unit, 1e-3))).recorder->last_values();
  double energy = 0;
  for (const auto& [name, value] : channels)
    if (name == "coupling.energy_residual") energy = value;
  EXPECT_GT(std::abs(energy), 0);
  EXPECT_NEAR(study().unit_residual[0], std::abs(energy), 1e-9 * std::abs(energy));
}

TEST(CosimulationStudy, SaysWhatWasAdjusted) {
  CosimulationStudy s;
  s.request = short_request();
  s.request.oil = {{IntegratorKind::rk4, 3e-4}, {IntegratorKind::rk4, 1e-4}};
  CosimulationCourse course;
  course.choice.emplace().oil = s.request.oil.front();
  course.run.step = 1e-3;
  s.cycle = s.energy = {course};
  const auto lines = [&] { return Json::parse(study_json(s, ""))["adjusted"].get<std::vector<std::string>>(); };
  EXPECT_EQ(lines(), (std::vector<std::string>{"quick scan: 5 steps per decade, limits not refined by bisection",
                                               "oil by rk4 at 0.3 ms: H from 1.5 to 9.9 ms instead of 1 to 10 ms",
                                               "H = 1 ms: steps of the oil of 0.25 ms instead of 0.3 ms"}));
  EXPECT_NE(study_text(s).find("adjusted: quick scan"), std::string::npos);
  s.request.quick = false;
  s.request.oil = {{IntegratorKind::rk4, 1e-4}};
  s.cycle = s.energy = {};
  EXPECT_TRUE(lines().empty());
}

TEST(CosimulationStudy, WrongInputIsRefused) {
  CosimulationRequest request = short_request();
  request.machine.cylinders.clear();
  EXPECT_THROW((void)cosimulation_study(request), Error);
  request = short_request();
  request.polynomials = request.interface_model = false;
  EXPECT_THROW((void)cosimulation_study(request), Error);
}

}  // namespace
}  // namespace trunnion
