// Derivatives of channels of a run, as files.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/sensitivity_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/diagnostic.h"
#include "base/parallel.h"
#include "machine/start.h"
#include "results/files.h"
#include "run/recorded_channels.h"
#include "schema/parameters.h"
#include "studies/table.h"

namespace trunnion {

namespace {

/// Of a parameter, of the differences: the effect of a long one is far above the tolerance of a step, a short one has less curvature.
constexpr double kDifferences[] = {1e-4, 1e-5};
using Distance = SensitivityStudy::Distance;
constexpr Distance kUnresolved{std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
constexpr double kNoise = 1e-10;  // of a channel, which they do not resolve: tolerances of the steps

/// Largest magnitude.
double largest(const std::vector<double>& values) {
  double size = 0;
  for (const double x : values) size = std::max(size, std::abs(x));
  return size;
}

/// Instants at steps of the run, evenly, with the start and the end.
std::vector<double> instants(const Description& description, int points) {
  const double h = grid_step(description), duration = description.solver.duration;
  const auto stride = static_cast<long>(std::max(1.0, std::ceil(duration / h / std::max(points, 1))));
  std::vector<double> times;
  for (long i = 0; static_cast<double>(i) * h < duration * (1 - 1e-9); i += stride) times.push_back(static_cast<double>(i) * h);
  times.push_back(duration);
  return times;
}

/// The model with another value of a parameter.
std::shared_ptr<const CompiledModel> with_value(const CompiledModel& model, const std::string& path, double value) {
  Description description = model.description;
  set_values(description, {path}, {value});
  return compile(std::move(description));
}
/// Its smallest value.
double least(const CompiledModel& model, const std::string& path) {
  Description description = model.description;
  for (const Parameter& parameter : parameters_of(description))
    if (parameter.path == path) return parameter.min;
  return -std::numeric_limits<double>::infinity();
}

std::vector<std::vector<double>> values_of_run(const std::shared_ptr<const CompiledModel>& model,
                                               const std::vector<SampledChannel>& channels) {
  ChannelSamples samples(model, channels);
  Runner run(model, start_state(*model));
  samples.begin(run.state());
  if (run.state().time < samples.last_time()) run.advance(samples.last_time(), &samples);
  return std::move(samples.values());
}

/// Per channel, for one parameter and an increment h of it: central differences, at its smallest value one-sided ones of second order.
std::vector<Distance> distances(const CompiledModel& model, const SensitivityStudy::Named& parameter, double h,
                                const std::vector<SampledChannel>& channels, const std::vector<std::vector<double>>& derivatives) try {
  const bool central = parameter.value - h >= least(model, parameter.name);
  const auto run = [&](double change) { return values_of_run(with_value(model, parameter.name, parameter.value + change), channels); };
  const std::vector<std::vector<double>> up = run(h), other = run(central ? -h : 2 * h), here = central ? other : run(0);
  std::vector<Distance> result;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    double size = 0, distance = 0;
    for (std::size_t k = 0; k < derivatives[c].size(); ++k) {
      const double difference = central ? (up[c][k] - other[c][k]) / (2 * h) : (4 * up[c][k] - other[c][k] - 3 * here[c][k]) / (2 * h);
      size = std::max({size, std::abs(difference), std::abs(derivatives[c][k])});
      distance = std::max(distance, std::abs(difference - derivatives[c][k]));
    }
    const double noise = kNoise * largest(up[c]) / h;
    result.push_back(size == 0 ? Distance{0, 0} : noise >= size ? kUnresolved : Distance{distance / size, noise / size});
  }
  return result;
} catch (const Error&) {  // there are no runs beside
  return std::vector<Distance>(channels.size(), kUnresolved);
}

/// The smaller of two that are known: of a distance, or of the noise that it is below.
const Distance& nearer(const Distance& a, const Distance& b) {
  if (std::isnan(a.value) || std::isnan(b.value)) return std::isnan(a.value) ? b : a;
  return std::max(a.value, a.noise) <= std::max(b.value, b.noise) ? a : b;
}

/// The smallest over all increments.
std::vector<Distance> distances(const CompiledModel& model, const SensitivityStudy::Named& parameter,
                                const std::vector<SampledChannel>& channels, const std::vector<std::vector<double>>& derivatives) {
  std::vector<Distance> result(channels.size(), kUnresolved);
  for (const double relative : kDifferences) {
    const double h = relative * (parameter.value == 0 ? 1 : std::abs(parameter.value));
    const std::vector<Distance> found = distances(model, parameter, h, channels, derivatives);
    for (std::size_t c = 0; c < channels.size(); ++c) result[c] = nearer(result[c], found[c]);
  }
  return result;
}

/// By which derivatives are multiplied to be compared.
double scale(const SensitivityStudy::Named& parameter) { return parameter.value == 0 ? 1 : std::abs(parameter.value); }

/// `1.2e-06`, or what the differences resolve: `< 3.0e-08`.
std::string text_of(const Distance& distance) {
  if (std::isnan(distance.value)) return "-";
  return distance.resolved() || distance.noise == 0 ? fmt::format("{:.1e}", distance.value) : fmt::format("< {:.1e}", distance.noise);
}

std::string per(const std::string& unit, const std::string& by) {
  if (by.empty()) return unit;
  const bool composite = by.find_first_of(" /") != std::string::npos;
  return (unit.empty() ? "1" : unit) + (composite ? "/(" + by + ")" : "/" + by);
}

}  // namespace

ObservedModel observed(const std::shared_ptr<const CompiledModel>& given, const std::vector<std::string>& wanted) {
  ObservedModel result{given, {}};
  if (!wanted.empty()) {
    std::vector<std::string> known;
    for (const auto& list : {ChannelReader(given).channels(), channels_on_request(given)})
      for (const Channel& channel : list) known.push_back(channel.name);
    for (const std::string& pattern : wanted) {
      if (std::any_of(known.begin(), known.end(), [&](const std::string& name) { return names_channel(pattern, name); })) continue;
      const std::string near = nearest_name(pattern, known);
      throw InputError({{{"--channels", 0, 0},
                         "",
                         fmt::format("there is no channel '{}'", pattern),
                         "the name of a channel such as " + known[1 % known.size()],
                         near.empty() ? "" : "did you mean '" + near + "'?"}});
    }
    Description description = given->description;
    description.record.channels = wanted;
    result.model = compile(std::move(description));
  }
  const ChannelReader reader(result.model);
  for (const std::size_t i : recorded_channels(result.model, reader)) {
    const Channel& channel = reader.channels()[i];
    if (channel.name == "time" || channel.error || channel.name.starts_with("solver.")) continue;
    result.channels.push_back({channel.name, channel.unit, 0});
  }
  if (result.channels.empty())
    throw InputError({{{"--channels", 0, 0},
                       "",
                       "no channel is a quantity of the machine",
                       "such as " + reader.channels()[1 % reader.channels().size()].name,
                       ""}});
  return result;
}

SensitivityStudy sensitivity_study(const std::shared_ptr<const CompiledModel>& given, const SensitivityRequest& request) {
  if (request.parameters.empty())
    throw InputError({{{"--parameters", 0, 0}, "", "no parameters are given", "paths of numbers in the model file", ""}});
  const auto [model, of_machine] = observed(given, request.channels);
  SensitivityStudy study;
  study.times = instants(model->description, request.points);
  study.channels = of_machine;
  std::vector<SampledChannel> channels;
  for (const SensitivityStudy::Named& channel : study.channels) channels.push_back({channel.name, study.times});
  study.response = response_sensitivity(*model, request.parameters, channels, request.threads);
  Description description = model->description;
  for (const std::string& path : request.parameters)
    for (const Parameter& parameter : parameters_of(description))
      if (parameter.path == path) study.parameters.push_back({path, parameter.unit, *parameter.value});
  study.times.resize(study.response.values.empty() ? 0 : study.response.values.front().size());
  study.check_left_out = request.check && !study.response.failure.empty();
  if (request.check && !study.check_left_out) {
    study.distances.resize(study.parameters.size());
    for_each_parallel(study.parameters.size(), request.threads, [&, &model = model](std::size_t i) {
      study.distances[i] = distances(*model, study.parameters[i], channels, study.response.derivatives[i]);
    });
  }
  return study;
}

std::string sensitivity_csv(const SensitivityStudy& study) {
  std::string text = "time";
  for (const auto& channel : study.channels) text += "," + quoted(channel.name);
  for (const auto& channel : study.channels)
    for (const auto& parameter : study.parameters) text += "," + quoted(channel.name + " by " + parameter.name);
  text += "\n";
  for (std::size_t k = 0; k < study.times.size(); ++k) {
    append_number(text, study.times[k]);
    for (std::size_t c = 0; c < study.channels.size(); ++c) append_number(text += ",", study.response.values[c][k]);
    for (std::size_t c = 0; c < study.channels.size(); ++c)
      for (std::size_t i = 0; i < study.parameters.size(); ++i) append_number(text += ",", study.response.derivatives[i][c][k]);
    text += "\n";
  }
  return text;
}

std::string sensitivity_json(const SensitivityStudy& study, const std::string& model_file) {
  using Json = nlohmann::ordered_json;
  Json parameters = Json::object(), channels = Json::object();
  for (const auto& parameter : study.parameters) parameters[parameter.name] = {{"value", parameter.value}, {"unit", parameter.unit}};
  for (std::size_t c = 0; c < study.channels.size(); ++c) {
    Json of = Json::object();
    for (std::size_t i = 0; i < study.parameters.size(); ++i) {
      const std::vector<double>& d = study.response.derivatives[i][c];
      Json entry{{"largest", largest(d)},
                 {"final", d.empty() ? Json(nullptr) : Json(d.back())},
                 {"unit", per(study.channels[c].unit, study.parameters[i].unit)}};
      if (!study.distances.empty()) {
        const Distance& distance = study.distances[i][c];
        const bool known = !std::isnan(distance.value);
        entry["distance_to_differences"] = known ? Json(distance.value) : Json(nullptr);
        entry["noise_of_differences"] = known ? Json(distance.noise) : Json(nullptr);
      }
      of[study.parameters[i].name] = entry;
    }
    channels[study.channels[c].name] = {{"unit", study.channels[c].unit}, {"derivatives", of}};
  }
  return Json{{"model", model_file},
              {"end_time", study.times.empty() ? Json(nullptr) : Json(study.times.back())},
              {"failure", study.response.failure.empty() ? Json(nullptr) : Json(study.response.failure)},
              {"parameters", parameters},
              {"channels", channels}}
             .dump(2, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

Plot sensitivity_plot(const SensitivityStudy& study) {
  Plot plot;
  plot.panel_width = 720;
  plot.title = "Sensitivities p dy/dp";
  for (std::size_t c = 0; c < study.channels.size(); ++c) {
    PlotPanel panel;
    panel.x = {"time", "s", false, {}, {}};
    panel.y = {study.channels[c].name, study.channels[c].unit, false, {}, {}};
    for (std::size_t i = 0; i < study.parameters.size(); ++i) {
      const SensitivityStudy::Named& parameter = study.parameters[i];
      PlotCurve curve{parameter.name, study.times, study.response.derivatives[i][c]};
      for (double& y : curve.y) y *= scale(parameter);
      if (parameter.value == 0) curve.label += " (0: for 1 " + parameter.unit + ")";
      panel.curves.push_back(std::move(curve));
    }
    plot.panels.push_back(std::move(panel));
  }
  return plot;
}

std::string sensitivity_text(const SensitivityStudy& study) {
  std::vector<std::vector<std::string>> lines{{"channel", "by parameter", "largest", "at the end", "unit"}};
  if (!study.distances.empty()) lines.front().emplace_back("distance to differences");
  for (std::size_t c = 0; c < study.channels.size(); ++c)
    for (std::size_t i = 0; i < study.parameters.size(); ++i) {
      const std::vector<double>& d = study.response.derivatives[i][c];
      lines.push_back({study.channels[c].name, study.parameters[i].name, fmt::format("{:.6g}", largest(d)),
                       d.empty() ? "-" : fmt::format("{:.6g}", d.back()), per(study.channels[c].unit, study.parameters[i].unit)});
      if (!study.distances.empty()) lines.back().push_back(text_of(study.distances[i][c]));
    }
  return aligned(lines, 2) + (study.check_left_out ? "not compared with differences: the run ended early\n" : "");
}

}  // namespace trunnion
