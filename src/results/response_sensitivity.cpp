// Derivatives of the channels of a run.
// SPDX-License-Identifier: BSD-3-Clause
#include "results/response_sensitivity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/diagnostic.h"
#include "base/parallel.h"
#include "description/integrators.h"
#include "schema/compact.h"
#include "schema/parameters.h"
#include "tangents/tangent_run.h"

namespace trunnion {

namespace {

void check_parameters(Description description, const std::vector<std::string>& parameters) {
  std::vector<std::string> known;
  for (const Parameter& parameter : parameters_of(description)) known.push_back(parameter.path);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string& path = parameters[i];
    if (std::count(parameters.begin(), parameters.end(), path) > 1)
      throw InputError({{{}, path, "the parameter is given more than once", "", "give it once"}});
    if (std::find(known.begin(), known.end(), path) != known.end()) continue;
    const std::string near = nearest_name(path, known);
    throw InputError({{{},
                       path,
                       "the model has no such parameter",
                       "the path of a number that changes neither counts nor names, outside of solver and record",
                       near.empty() ? "" : "did you mean '" + near + "'?"}});
  }
}

}  // namespace

std::vector<Diagnostic> sensitivity_findings(const CompiledModel& model) {
  const Description& description = model.description;
  const SolverDescription& solver = description.solver;
  std::vector<Diagnostic> findings;
  const auto add = [&](const std::string& path, const std::string& found, const std::string& hint) {
    findings.push_back({span_of(description, path), path, found, "", hint});
  };
  if (!integrator_of(solver).has_fixed_step())
    add("solver.integrator", fmt::format("runs by {} have no derivatives: its steps follow their errors", integrator_of(solver).word),
        "use an integrator of fixed steps, such as trapezoidal");
  if (solver.coupling != CouplingKind::monolithic)
    add("solver.coupling", "runs of a co-simulation have no derivatives", "use `monolithic`");
  return findings;
}

ResponseSensitivity response_sensitivity(const CompiledModel& model, const std::vector<std::string>& parameters,
                                         const std::vector<SampledChannel>& channels, int threads) {
  if (std::vector<Diagnostic> findings = sensitivity_findings(model); !findings.empty()) throw InputError(std::move(findings));
  check_parameters(model.description, parameters);
  Description description = model.description;
  description.solver.compiled = CompiledKind::off;
  const std::string compact = compact_text(description);
  std::vector<tangents::Response> wanted;
  wanted.reserve(channels.size());
  for (const SampledChannel& channel : channels) wanted.push_back({channel.name, channel.times, {}, {}});
  // a run for so many parameters at a time
  static_assert(kParametersOfRun == tangents::kVariables);
  constexpr std::size_t kTogether = kParametersOfRun;
  const std::size_t runs = std::max<std::size_t>(1, (parameters.size() + kTogether - 1) / kTogether);
  std::vector<std::vector<tangents::Response>> responses(runs, wanted);
  std::vector<std::string> failures(runs);
  try {
    for_each_parallel(runs, threads, [&](std::size_t i) {
      const auto first = parameters.begin() + static_cast<std::ptrdiff_t>(std::min(parameters.size(), i * kTogether)),
                 last = parameters.begin() + static_cast<std::ptrdiff_t>(std::min(parameters.size(), (i + 1) * kTogether));
      failures[i] = tangents::follow_run(compact, {first, last}, responses[i]);
    });
  } catch (const Error&) { throw; } catch (const std::runtime_error& error) {  // of the core with other numbers
    if (const std::string text = error.what(); model.planar && text.starts_with("there is no channel"))
      throw Error(fmt::format("{} where a parameter moves the machine out of its plane (one of {})", text, fmt::join(parameters, ", ")));
    throw Error(error.what());
  }
  ResponseSensitivity result;
  result.failure = failures.front();
  for (const tangents::Response& response : responses.front()) result.values.push_back(response.values);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    std::vector<std::vector<double>>& derivatives = result.derivatives.emplace_back();
    for (tangents::Response& response : responses[i / kTogether]) derivatives.push_back(std::move(response.derivatives[i % kTogether]));
  }
  return result;
}

}  // namespace trunnion
