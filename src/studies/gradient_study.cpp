// Gradients of channels at instants of a run, as files.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/gradient_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include "base/diagnostic.h"
#include "results/files.h"
#include "run/channel_samples.h"
#include "schema/parameters.h"
#include "studies/table.h"

namespace trunnion {

namespace {

/// Whether a pattern names the path, or what it is part of: `cylinders.lift`.
bool names(std::string_view pattern, std::string_view path) {
  for (std::size_t end = path.size(); end != std::string_view::npos && end > 0; end = path.rfind('.', end - 1))
    if (fits_path(pattern, path.substr(0, end))) return true;
  return false;
}

}  // namespace

GradientStudy gradient_study(const std::shared_ptr<const CompiledModel>& given, const std::vector<std::string>& parameters,
                             const std::vector<std::string>& channels, const std::vector<double>& times) {
  const auto [model, of_machine] = observed(given, channels);
  GradientStudy study;
  Description description = model->description;
  const std::vector<Parameter> known = parameters_of(description);
  for (const std::string& pattern : parameters)
    if (std::none_of(known.begin(), known.end(), [&](const Parameter& p) { return names(pattern, p.path); }))
      throw InputError(
          {{{"--parameters", 0, 0}, pattern, "the model has no such parameter", "the path of a number of the model file", ""}});
  std::vector<std::string> paths;
  for (const Parameter& p : known) {
    if (!parameters.empty() &&
        std::none_of(parameters.begin(), parameters.end(), [&](const auto& pattern) { return names(pattern, p.path); }))
      continue;
    study.parameters.push_back({p.path, p.unit, *p.value});
    paths.push_back(p.path);
  }
  const double duration = model->description.solver.duration;
  for (std::size_t i = 0; i < times.size(); ++i)
    if (!((i > 0 ? times[i] > times[i - 1] : times[i] >= 0) && times[i] <= duration * (1 + kSameSampleTime)))
      throw InputError({{{"--at", 0, 0},
                         "",
                         fmt::format("instant {} is {} s", i + 1, times[i]),
                         fmt::format("increasing times from 0 to the end of the run at {} s", duration),
                         ""}});
  std::vector<SampledChannel> sampled;
  sampled.reserve(of_machine.size());
  for (const SensitivityStudy::Named& channel : of_machine)
    sampled.push_back({channel.name, times.empty() ? std::vector<double>{duration} : times});
  const ResponseGradient of = response_gradient(*model, paths, sampled, [&](const std::vector<std::vector<double>>& values) {
    SumWeights weights;  // each value alone
    for (std::size_t c = 0; c < values.size(); ++c)
      for (std::size_t k = 0; k < values[c].size(); ++k) {
        weights.emplace_back();
        for (const auto& row : values) weights.back().emplace_back(row.size(), 0.0);
        weights.back()[c][k] = 1;
      }
    return weights;
  });
  study.failure = of.failure;
  std::size_t sum = 0;
  for (std::size_t c = 0; c < sampled.size() && of.failure.empty(); ++c)
    for (std::size_t k = 0; k < of.values[c].size(); ++k)
      study.values.push_back({sampled[c].name, of_machine[c].unit, sampled[c].times[k], of.values[c][k], of.gradients[sum++]});
  return study;
}

std::string gradient_csv(const GradientStudy& study) {
  std::string text = "parameter,value,unit";
  for (const GradientStudy::Value& y : study.values) text += "," + quoted(fmt::format("{} at {} s", y.channel, y.time));
  text += "\n";
  for (std::size_t i = 0; i < study.parameters.size(); ++i) {
    text += quoted(study.parameters[i].name) + ",";
    append_number(text, study.parameters[i].value);
    text += "," + quoted(study.parameters[i].unit);
    for (const GradientStudy::Value& y : study.values) append_number(text += ",", y.gradient[i]);
    text += "\n";
  }
  return text;
}

std::string gradient_text(const GradientStudy& study, std::size_t most) {
  std::string text;
  for (const GradientStudy::Value& y : study.values) {
    text += fmt::format("{} at {} s: {:.6g} {}\n", y.channel, y.time, y.value, y.unit);
    std::vector<std::size_t> order(study.parameters.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto effect = [&](std::size_t i) { return std::abs(y.gradient[i] * study.parameters[i].value); };  // of one that is 0 none
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return effect(a) > effect(b); });
    std::vector<std::vector<std::string>> lines{{"parameter", "value", "unit", "dy/dp", "p dy/dp"}};
    for (const std::size_t i : order) {
      if (lines.size() > most || effect(i) == 0) break;
      const SensitivityStudy::Named& p = study.parameters[i];
      lines.push_back({p.name, fmt::format("{:.6g}", p.value), p.unit, fmt::format("{:.6g}", y.gradient[i]),
                       fmt::format("{:.6g}", y.gradient[i] * p.value)});
    }
    text += aligned(lines, 1);
  }
  return text;
}

}  // namespace trunnion
