// Files of a fit: text, JSON, CSV, plot.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/units.h"
#include "results/files.h"
#include "studies/fit.h"
#include "studies/table.h"

namespace trunnion {

std::string fit_text(const Fit& fit) {
  std::string text = fmt::format("{} after {} iterations and {} runs{}: {}\n", fit.converged ? "fitted" : "NOT CONVERGED", fit.iterations,
                                 fit.runs, fit.failed_runs > 0 ? fmt::format(", {} of them failed", fit.failed_runs) : "", fit.status);
  std::vector<std::vector<std::string>> lines{{"parameter", "start", "fitted", "standard error", "error due to the step", "both", "unit"}};
  for (const FittedParameter& p : fit.parameters)
    lines.push_back({p.path, fmt::format("{:.6g}", p.start), fmt::format("{:.9g}", p.value),
                     std::isnan(p.standard_error) ? "-" : fmt::format("{:.2g}", p.standard_error),
                     std::isnan(p.step_error) ? "-" : fmt::format("{:.2g}", p.step_error),
                     std::isnan(p.error()) ? "-" : fmt::format("{:.2g}", p.error()), p.unit});
  text += aligned(lines, 1);
  lines = {{"channel", "points", "rms at the start", "rms", "unit"}};
  for (const FittedChannel& c : fit.channels)
    lines.push_back({c.name, fmt::format("{}", c.times.size()), fmt::format("{:.4g}", c.rms_start), fmt::format("{:.4g}", c.rms), c.unit});
  text += aligned(lines, 1);
  for (const std::string& warning : fit.warnings) text += fmt::format("WARNING {}\n", warning);
  for (const FittedParameter& p : fit.parameters) text += fmt::format("--set {}={}\n", p.path, number_text(p.value));
  return text;
}

std::string fit_json(const Fit& fit, const std::string& model_file, const std::string& reference) {
  using Json = nlohmann::ordered_json;
  const auto number = [](double value) { return std::isnan(value) ? Json(nullptr) : Json(value); };
  const std::size_t n = fit.parameters.size();
  Json parameters = Json::object(), channels = Json::object(), correlation = Json::object();
  for (std::size_t i = 0; i < n; ++i) {
    const FittedParameter& p = fit.parameters[i];
    parameters[p.path] = {{"start", p.start},
                          {"value", p.value},
                          {"standard_error", number(p.standard_error)},
                          {"step_error", number(p.step_error)},
                          {"error", number(p.error())},
                          {"unit", p.unit},
                          {"logarithmic", p.positive}};
    for (std::size_t j = 0; j < n; ++j)
      correlation[p.path][fit.parameters[j].path] = number(fit.correlation.empty() ? std::nan("") : fit.correlation[i * n + j]);
  }
  for (const FittedChannel& c : fit.channels)
    channels[c.name] = {{"column", c.column}, {"points", c.times.size()}, {"scale", c.scale}, {"rms_start", c.rms_start}, {"rms", c.rms},
                        {"unit", c.unit}};
  return Json{{"model", model_file},          {"reference", reference}, {"converged", fit.converged},     {"status", fit.status},
              {"iterations", fit.iterations}, {"runs", fit.runs},       {"failed_runs", fit.failed_runs}, {"parameters", parameters},
              {"correlation", correlation},   {"channels", channels},   {"warnings", fit.warnings}}
             .dump(2, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

std::string fit_csv(const Fit& fit) {
  std::string text = "channel,time,recorded,start,fitted\n";
  for (const FittedChannel& c : fit.channels)
    for (std::size_t i = 0; i < c.times.size(); ++i) {
      text += quoted(c.name);
      for (double x : {c.times[i], c.recorded[i], c.at_start[i], c.fitted[i]}) append_number(text += ",", x);
      text += "\n";
    }
  return text;
}

Plot fit_plot(const Fit& fit) {
  Plot plot;
  plot.panel_width = 720;
  for (const FittedParameter& p : fit.parameters)
    plot.title += fmt::format("{}{} = {:.4g}", plot.title.empty() ? "" : ", ", p.path.substr(p.path.rfind('.') + 1), p.value);
  for (const FittedChannel& c : fit.channels) {
    constexpr std::size_t kMarks = 60;  // as many as can be distinguished
    const std::size_t every = std::max<std::size_t>(1, c.times.size() / kMarks);
    std::vector<double> times, recorded;
    for (std::size_t i = 0; i < c.times.size(); i += every) times.push_back(c.times[i]), recorded.push_back(c.recorded[i]);
    plot.panels.push_back({"",
                           {"time", "s", false, {}, {}},
                           {c.name, c.unit, false, {}, {}},
                           {{"recorded", times, recorded, CurveLook::points, 0},
                            {"at the start", c.times, c.at_start, CurveLook::line, 1},
                            {"fitted", c.times, c.fitted, CurveLook::line, 2}}});
  }
  return plot;
}

}  // namespace trunnion
