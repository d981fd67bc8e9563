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
#include "tangents/gradient_run.h"
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

/// The compact form of a model that has derivatives.
std::string differentiable(const CompiledModel& model, const std::vector<std::string>& parameters) {
  if (std::vector<Diagnostic> findings = sensitivity_findings(model); !findings.empty()) throw InputError(std::move(findings));
  check_parameters(model.description, parameters);
  Description description = model.description;
  description.solver.compiled = CompiledKind::off;
  return compact_text(description);
}
std::vector<tangents::Response> responses_of(const std::vector<SampledChannel>& channels) {
  std::vector<tangents::Response> wanted;
  wanted.reserve(channels.size());
  for (const SampledChannel& channel : channels) wanted.push_back({channel.name, channel.times, {}, {}});
  return wanted;
}

/// One weight for every value.
void check_weights(const SumWeights& weights, const std::vector<std::vector<double>>& values) {
  for (std::size_t j = 0; j < weights.size(); ++j) {
    bool fits = weights[j].size() == values.size();
    for (std::size_t c = 0; fits && c < values.size(); ++c) fits = weights[j][c].size() == values[c].size();
    if (!fits)
      throw Error(
          fmt::format("the weights of sum {} do not fit the values: expected {} channels with one weight per time", j, values.size()));
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
                                         const std::vector<SampledChannel>& channels, int threads,
                                         const std::function<void(double)>& watch) {
  const std::string compact = differentiable(model, parameters);
  // a run for so many parameters at a time
  static_assert(kParametersOfRun == tangents::kVariables);
  constexpr std::size_t kTogether = kParametersOfRun;
  const std::size_t runs = std::max<std::size_t>(1, (parameters.size() + kTogether - 1) / kTogether);
  std::vector<std::vector<tangents::Response>> responses(runs, responses_of(channels));
  std::vector<std::string> failures(runs);
  // what one parameter moves out of the plane has other multipliers, also by the others
  const auto follow = [&](const std::vector<std::string>& together, std::vector<tangents::Response>& of) {
    bool in_plane = false;
    std::string failure = tangents::follow_run(compact, together, of, in_plane, watch);
    if (in_plane == model.planar || together.size() < 2) return failure;
    for (std::size_t i = 0; i < together.size(); ++i) {
      std::vector<tangents::Response> alone = responses_of(channels);
      failure = tangents::follow_run(compact, {together[i]}, alone, in_plane, watch);
      for (std::size_t c = 0; c < of.size(); ++c) {
        if (in_plane) of[c].values = alone[c].values;
        of[c].derivatives[i] = std::move(alone[c].derivatives[0]);
      }
    }
    return failure;
  };
  try {
    for_each_parallel(runs, threads, [&](std::size_t i) {
      const auto first = parameters.begin() + static_cast<std::ptrdiff_t>(std::min(parameters.size(), i * kTogether)),
                 last = parameters.begin() + static_cast<std::ptrdiff_t>(std::min(parameters.size(), (i + 1) * kTogether));
      failures[i] = follow({first, last}, responses[i]);
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

ResponseGradient response_gradient(const CompiledModel& model, const std::vector<std::string>& parameters,
                                   const std::vector<SampledChannel>& channels,
                                   const std::function<SumWeights(const std::vector<std::vector<double>>& values)>& weigh,
                                   const std::function<void(double)>& watch) {
  const std::string compact = differentiable(model, parameters);
  const std::vector<std::string> stored{"energy.kinetic", "energy.potential", "energy.spring", "energy.cylinder"};
  for (const SampledChannel& channel : channels) {
    if (channel.name.starts_with("solver."))
      throw InputError({{{}, channel.name, "the channel describes the steps, not the machine", "a quantity of the machine", ""}});
    if (channel.name.starts_with("energy.") && std::count(stored.begin(), stored.end(), channel.name) == 0)
      throw InputError({{{},
                         channel.name,
                         "the channel sums over the run",
                         "a channel that follows from the state, such as a power instead of its energy",
                         "forward sensitivities have energies"}});
  }
  std::vector<tangents::Response> responses = responses_of(channels);
  ResponseGradient result;
  const auto take_values = [&] {
    result.values.clear();
    for (const tangents::Response& response : responses) result.values.push_back(response.values);
  };
  try {
    result.failure = tangents::follow_gradients(
        compact, parameters, responses,
        [&] {
          take_values();
          SumWeights weights = weigh(result.values);
          check_weights(weights, result.values);
          return weights;
        },
        result.gradients, watch);
  } catch (const Error&) { throw; } catch (const std::runtime_error& error) {  // of the core with other numbers
    throw Error(error.what());
  }
  take_values();
  return result;
}

}  // namespace trunnion
