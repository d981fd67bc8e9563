// Results of a co-simulation study: names, CSV files, JSON, and a text for a terminal.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cosimulation/monitor.h"
#include "results/files.h"
#include "studies/cosimulation_study.h"
#include "studies/table.h"

namespace trunnion {

namespace {

const double kNone = std::nan("");
constexpr double kSame = 1e-9;  // relative: steps closer than this are equal

std::string name_of(CouplingScheme scheme) { return scheme == CouplingScheme::sequential ? "sequential" : "parallel"; }

std::string scheme_name(const SchemeRow& row) { return row.scheme ? name_of(*row.scheme) : "monolithic"; }

double relative_residual(const CosimulationStudy& study, const CouplingChoice& choice, const CosimulationRun& run) {
  const auto& variables = study.request.variables;
  const auto at = std::find(variables.begin(), variables.end(), choice.variables);
  return at == variables.end() ? kNone : std::abs(run.residual) / study.unit_residual[static_cast<std::size_t>(at - variables.begin())];
}

std::string ms(double seconds) { return fmt::format("{:g}", 1e3 * seconds); }

std::string limit_cell(const CouplingScan& scan) {
  if (scan.runs.empty()) return "not scanned";
  if (!scan.limit) return "< " + ms(scan.runs.front().step);
  return (scan.first_unstable ? "" : ">= ") + ms(*scan.limit);
}

std::string criterion(const CosimulationStudy& study) {
  return fmt::format(
      "Largest communication step H [ms] below which every scanned step is stable: the run ends, and every length stays within {:g} mm of "
      "the monolithic solution (trapezoidal rule, {:g} ms)",
      1e3 * study.request.limit, 1e3 * kReferenceStep);
}

constexpr const char* kBoundText = "<: unstable at the first step of the scan; >=: stable to its end";

/// Settings that were adjusted: the scanned range of H, and steps of the oil that do not divide H.
std::vector<std::string> adjustments(const CosimulationStudy& study) {
  const CosimulationRequest& request = study.request;
  std::vector<std::string> list;
  const auto add = [&](const std::string& text) {
    if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
  };
  const auto differ = [](double a, double b) { return std::abs(a - b) > kSame * b; };
  if (!has_parallel(request)) add("scheme `parallel` omitted: it does not support control blocks");
  if (request.quick) add("quick scan: 5 steps per decade, limits not refined by bisection");
  for (const OilIntegration& oil : request.oil) {
    const std::vector<double> steps = scanned_steps(request, oil.step);
    const std::string range = fmt::format("{} to {} ms", ms(request.min_step), ms(request.max_step));
    if (steps.empty())
      add(fmt::format("oil by {}: no multiple of its step from {}", name_of(oil), range));
    else if (differ(steps.front(), request.min_step) || differ(steps.back(), request.max_step))
      add(fmt::format("oil by {}: H from {} to {} ms instead of {}", name_of(oil), ms(steps.front()), ms(steps.back()), range));
  }
  const auto add_step = [&](double H, double h) {
    const double used = H / steps_within(H, h);
    if (differ(used, h)) add(fmt::format("H = {} ms: steps of the oil of {} ms instead of {} ms", ms(H), ms(used), ms(h)));
  };
  for (const auto* courses : {&study.cycle, &study.energy, &study.prediction, &study.oil_steps})
    for (const CosimulationCourse& course : *courses) add_step(course.run.step, course.choice->oil.step);
  for (const SchemeRow& row : study.schemes)
    if (row.scheme) add_step(row.run.step, request.oil.front().step);
  return list;
}

void append_cells(std::string& text, std::initializer_list<double> values) {
  for (const double value : values) {
    text += ",";
    if (!std::isnan(value)) append_number(text, value);
  }
}

std::string choice_cells(const CouplingChoice& c) {
  const bool polynomial = c.prediction == CouplingPrediction::polynomial;
  std::string text = fmt::format("{},{},{},{},{},", name_of(c.variables), polynomial ? "polynomial" : "interface_model",
                                 polynomial ? std::to_string(c.order) : "", name_of(c.treatment), name_of(c.oil.integrator));
  append_number(text, c.oil.step);
  return text;
}

constexpr const char* kChoiceHeader = "variables,prediction,order,treatment,oil_integrator,oil_step";

}  // namespace

std::string name_of(IntegratorKind integrator) {
  switch (integrator) {
    case IntegratorKind::euler:
      return "euler";
    case IntegratorKind::rk4:
      return "rk4";
    default:
      return "trapezoidal";
  }
}

std::string name_of(CouplingVariables variables) {
  return variables == CouplingVariables::velocity_force ? "velocity_force" : "velocity_pressure";
}

std::string name_of(MechanismTreatment treatment) { return treatment == MechanismTreatment::ali1 ? "ALI1" : "ALI3-P"; }

std::string name_of(const OilIntegration& oil) { return fmt::format("{} at {:g} ms", name_of(oil.integrator), 1e3 * oil.step); }

std::string prediction_name(const CouplingChoice& choice) {
  return choice.prediction == CouplingPrediction::polynomial ? fmt::format("m = {}", choice.order) : "interface model";
}

std::string limits_csv(const CosimulationStudy& study) {
  std::string text = std::string(kChoiceHeader) + ",limit,first_unstable\n";
  for (const CouplingScan& scan : study.scans) {
    text += choice_cells(scan.choice);
    append_cells(text, {scan.limit.value_or(kNone), scan.first_unstable.value_or(kNone)});
    text += "\n";
  }
  return text;
}

std::string runs_csv(const CosimulationStudy& study) {
  std::string text =
      std::string(kChoiceHeader) + ",step,status,stable,end_time,length_error,residual,relative_residual,absolute_residual,max_drift\n";
  for (const CouplingScan& scan : study.scans)
    for (const CosimulationRun& run : scan.runs) {
      append_number(text += choice_cells(scan.choice) + ",", run.step);
      text += "," + (run.status.empty() ? std::string("completed") : quoted(run.status)) + (run.stable ? ",yes" : ",no");
      append_cells(text, {run.end_time, run.length_error, run.residual, relative_residual(study, scan.choice, run), run.absolute_residual,
                          run.max_drift});
      text += "\n";
    }
  return text;
}

std::string schemes_csv(const CosimulationStudy& study) {
  std::string text = "scheme,step,status,length_error,max_drift,step_seconds\n";
  for (const SchemeRow& row : study.schemes) {
    append_number(text += scheme_name(row) + ",", row.run.step);
    text += "," + (row.run.status.empty() ? std::string("completed") : quoted(row.run.status));
    append_cells(text, {row.run.length_error, row.run.max_drift, row.run.step_seconds});
    text += "\n";
  }
  return text;
}

std::string study_json(const CosimulationStudy& study, const std::string& model_file) {
  using Json = nlohmann::ordered_json;
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); };
  const auto run_json = [&](const CosimulationRun& run) {
    return Json{{"step", run.step},
                {"status", run.status.empty() ? "completed" : run.status},
                {"stable", run.stable},
                {"end_time", run.end_time},
                {"length_error", number(run.length_error)},
                {"residual", number(run.residual)},
                {"absolute_residual", number(run.absolute_residual)},
                {"max_drift", number(run.max_drift)}};
  };
  Json scans = Json::array(), schemes = Json::array(), units = Json::object();
  for (const CouplingScan& scan : study.scans) {
    const CouplingChoice& c = scan.choice;
    const bool polynomial = c.prediction == CouplingPrediction::polynomial;
    Json json{{"variables", name_of(c.variables)},
              {"prediction", polynomial ? "polynomial" : "interface_model"},
              {"order", polynomial ? Json(c.order) : Json(nullptr)},
              {"treatment", name_of(c.treatment)},
              {"oil_integrator", name_of(c.oil.integrator)},
              {"oil_step", c.oil.step},
              {"limit", number(scan.limit.value_or(kNone))},
              {"first_unstable", number(scan.first_unstable.value_or(kNone))},
              {"runs", Json::array()}};
    for (const CosimulationRun& run : scan.runs) {
      Json one = run_json(run);
      one["relative_residual"] = number(relative_residual(study, c, run));
      json["runs"].push_back(one);
    }
    scans.push_back(json);
  }
  for (const SchemeRow& row : study.schemes) {
    Json one = run_json(row.run);
    one["scheme"] = scheme_name(row);
    one["step_seconds"] = number(row.run.step_seconds);
    schemes.push_back(one);
  }
  for (std::size_t i = 0; i < study.unit_residual.size(); ++i) units[name_of(study.request.variables[i])] = number(study.unit_residual[i]);
  return Json{{"model", model_file},
              {"cylinders", study.cylinders},
              {"criterion", criterion(study)},
              {"adjusted", adjustments(study)},
              {"length_limit", study.request.limit},
              {"reference_step", kReferenceStep},
              {"coordinates", study.request.coordinates == CoordinateKind::cartesian ? "cartesian" : "relative"},
              {"unit_residual", units},
              {"scans", scans},
              {"schemes", schemes}}
             .dump(2, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

std::string study_text(const CosimulationStudy& study) {
  const CosimulationRequest& request = study.request;
  std::string text = criterion(study) + ".\n" + kBoundText + ".\n";
  for (const std::string& line : adjustments(study)) text += "adjusted: " + line + "\n";
  for (const OilIntegration& oil : request.oil) {
    std::vector<std::vector<std::string>> lines{{"oil: " + name_of(oil)}};
    for (const CouplingVariables variables : request.variables)
      lines.front().push_back(variables == CouplingVariables::velocity_force ? "velocity-force" : "velocity-pressure");
    for (const CouplingScan& scan : study.scans) {
      const CouplingChoice& c = scan.choice;
      if (!(c.oil == oil) || c.variables != request.variables.front()) continue;
      std::vector<std::string> line{name_of(c.treatment) + ", " + prediction_name(c)};
      for (const CouplingVariables variables : request.variables) {
        CouplingChoice other = c;
        other.variables = variables;
        line.push_back(limit_cell(*scan_of(study, other)));
      }
      lines.push_back(line);
    }
    text += "\n" + aligned(lines, 1);
  }
  std::vector<std::vector<std::string>> lines{
      {"scheme, relative coordinates", "H [ms]", "length error [um]", "drift [J]", "time per second [ms]"}};
  for (const SchemeRow& row : study.schemes)
    lines.push_back({scheme_name(row), ms(row.run.step),
                     row.run.status.empty() ? fmt::format("{:.3g}", 1e6 * row.run.length_error) : "failed",
                     fmt::format("{:.2g}", row.run.max_drift), fmt::format("{:.2f}", 1e3 * row.run.step_seconds)});
  return text + "\n" + aligned(lines, 1);
}

}  // namespace trunnion
