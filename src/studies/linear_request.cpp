// What is wrong with the request of a study of linear models, and the models that it names.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/linear_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text.h"
#include "machine/observe.h"

namespace trunnion {

namespace {

class Findings {
 public:
  void add(const std::string& option, const std::string& found, const std::string& expected = "", const std::string& hint = "") {
    list_.push_back({{option, 0, 0}, "", found, expected, hint});
  }
  void throw_any() {
    if (!list_.empty()) throw InputError(std::move(list_));
  }

 private:
  std::vector<Diagnostic> list_;
};

void check_time(Findings& findings, const char* option, double time, double duration) {
  if (!(time >= 0) || time > duration)
    findings.add(option, fmt::format("{:g} s is not within the run, which lasts from 0 to {:g} s", time, duration), "",
                 time > duration ? "a longer one: --set solver.duration=..." : "");
}

void check_outputs(Findings& findings, const LinearStudyRequest& request, const std::shared_ptr<const CompiledModel>& model) {
  if (request.options.outputs.empty()) return;
  std::vector<std::string> names;
  const auto observer = make_observer(model);
  for (const Channel& channel : observer->channels()) names.push_back(channel.name);
  for (const std::string& output : request.options.outputs) {
    if (std::find(names.begin(), names.end(), output) != names.end()) continue;
    if (const std::string how = how_to_request(model, output); !how.empty()) {
      findings.add("--output", fmt::format("the channel '{}' is not among those of the model", output), "", how);
      continue;
    }
    const std::string near = nearest_name(output, names);
    findings.add("--output", fmt::format("there is no channel '{}'", output),
                 near.empty() ? "the name of a channel such as " + names.front() : "", near.empty() ? "" : "did you mean '" + near + "'?");
  }
}

void check_differences(Findings& findings, const LinearStudyRequest& request) {
  for (const double increment : request.increments)
    if (!(increment > 0) || !std::isfinite(increment))
      findings.add("--difference-step", fmt::format("found {:g}", increment), "a positive number");
  if (request.increments.size() < 2) return;
  if (request.options.method != LinearMethod::counterpart)
    findings.add("--difference-step", "several are compared with the exact linear model by the counterpart", "--method counterpart");
  if (request.at.size() > 1)
    findings.add("--difference-step", "several are compared at one reference, several are given", "at most one time --at");
}

void check_coordinates(Findings& findings, const LinearStudyRequest& request, const CompiledModel& model) {
  if (request.options.independent.empty()) return;
  if (request.options.method == LinearMethod::counterpart)
    findings.add("--independent", "the counterpart has all coordinates as states", "--method reduced");
  try {
    (void)velocities_of(model, request.options.independent);
  } catch (const InputError& error) {
    for (const Diagnostic& d : error.diagnostics())
      findings.add("--independent", fmt::format("{}: {}", d.path, d.found), d.expected, d.hint);
  }
}

void check_frequency(Findings& findings, const LinearStudyRequest& request) {
  const FrequencyRequest& f = request.frequency;
  if (f.inputs.empty()) {
    if (f.bode || f.nyquist || f.step)
      findings.add(f.bode ? "--bode" : f.nyquist ? "--nyquist" : "--step", "no input is given", "--input NAME");
    if (f.from || f.to) findings.add("--frequencies", "no input is given", "--input NAME");
    return;
  }
  if (request.options.outputs.empty()) findings.add("--input", "no output is given", "--output CHANNEL");
  if (request.at.size() > 1)
    findings.add("--input", "a frequency response needs one reference, several are given", "at most one time --at");
  if (request.options.method == LinearMethod::counterpart) findings.add("--input", "the counterpart has no inputs", "--method reduced");
  if (f.step && !(*f.step > 0)) findings.add("--step", fmt::format("found {:g} s", *f.step), "a positive duration");
  if ((f.from && !(*f.from > 0)) || (f.to && !(*f.to > 0)) || (f.from && f.to && *f.from >= *f.to))
    findings.add("--frequencies", fmt::format("found {:g} and {:g} Hz", f.from.value_or(0), f.to.value_or(0)),
                 "two positive frequencies, the lower one first");
}

void check_search(Findings& findings, const LinearStudyRequest& request) {
  const ModeSearchRequest& f = *request.find;
  if (!(f.range.from != f.range.to)) findings.add("--find-zero", fmt::format("the range of {} is empty", f.path), "PATH=A:B");
  if (!(std::abs(f.damping_ratio) < 1))
    findings.add("--damping-ratio", fmt::format("found {:g}", f.damping_ratio), "a number between -1 and 1");
  if (request.at.size() > 1) findings.add("--find-zero", "it needs one reference, several are given", "at most one time --at");
  if (request.options.method == LinearMethod::counterpart)
    findings.add("--find-zero", "the counterpart has eigenvalues of dependent coordinates", "--method reduced");
}

}  // namespace

bool varies(const LinearStudyRequest& request) { return !request.vary.empty() || !request.pairs.empty(); }

void check_request(const LinearStudyRequest& request, const std::shared_ptr<const CompiledModel>& model) {
  Findings findings;
  const bool counterpart = request.options.method == LinearMethod::counterpart;
  const double duration = model->description.solver.duration;
  for (double time : request.at) check_time(findings, "--at", time, duration);
  if (request.simulate) check_time(findings, "--simulate", *request.simulate, duration);
  check_outputs(findings, request, model);
  check_differences(findings, request);
  check_coordinates(findings, request, *model);
  if (request.at.size() > 1) {
    if (request.simulate) findings.add("--simulate", "it needs one reference, several are given", "at most one time --at");
    if (varies(request)) findings.add("--vary", "a root locus needs one time, several are given", "at most one time --at");
  }
  check_frequency(findings, request);
  if (request.simulate && counterpart)
    findings.add("--simulate", "the counterpart's states are not independent: it cannot be simulated", "--method reduced");
  if (!request.sensitivity.empty() && counterpart)
    findings.add("--sensitivity", "the counterpart is not accurate enough to be differentiated", "--method reduced");
  if (!request.sensitivity.empty() && !request.at.empty())
    findings.add("--sensitivity", "the state at a time of a run has the accuracy of its steps only, too low to be differentiated",
                 "the start, --equilibrium or --steady");
  if (request.find) check_search(findings, request);
  findings.throw_any();
}

ValueRange search_range(const LinearStudyRequest& request) {
  const ModeSearchRequest& f = *request.find;
  (void)number_at(request.model_file, request.overrides, f.path, "--find-zero");  // the path is that of a number
  const auto si = [&](double end) {
    std::vector<Override> overrides = request.overrides;
    overrides.push_back({f.path, fmt::format("{:.17g} {}", end, f.range.unit)});
    try {
      return number_at(request.model_file, overrides, f.path, "--find-zero");
    } catch (const InputError& error) {
      std::vector<Diagnostic> findings = error.diagnostics();
      for (Diagnostic& d : findings)
        if (d.path == f.path) d.span.file = "--find-zero";
      throw InputError(std::move(findings));
    }
  };
  return {si(f.range.from), si(f.range.to), ""};
}

std::shared_ptr<const CompiledModel> load_requested(const LinearStudyRequest& request, const std::vector<Override>& more) {
  std::vector<Override> overrides = request.overrides;
  overrides.insert(overrides.end(), more.begin(), more.end());
  std::shared_ptr<const CompiledModel> model = compile(load_model(request.model_file, overrides));
  check_recorded_channels(model);
  return model;
}

LinearStudyRequest with_values(const LinearStudyRequest& request, const std::vector<std::string>& paths,
                               const std::vector<std::string>& values) {
  LinearStudyRequest of = request;
  for (std::size_t i = 0; i < values.size(); ++i) of.overrides.push_back({paths[i], values[i]});
  return of;
}

void check_values(const LinearStudyRequest& request, const VariedRows& varied) {
  std::optional<InputError> first;
  bool possible = false;
  for (const auto& values : varied.rows) {
    double duration = 0;
    try {
      duration = load_model(request.model_file, with_values(request, varied.paths, values).overrides).solver.duration;
    } catch (const InputError& error) {
      if (!first) first = of_varied(error, varied.paths, request.pairs);
      continue;
    }
    possible = true;
    Findings findings;
    if (request.simulate) check_time(findings, "--simulate", *request.simulate, duration);
    for (const double time : request.at) check_time(findings, "--at", time, duration);
    findings.throw_any();
  }
  if (!possible && first) throw InputError(*first);
}

}  // namespace trunnion
