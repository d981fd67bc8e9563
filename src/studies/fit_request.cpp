// What a fit is asked for: values of the model file and channels of the recording.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/fit_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "file/csv.h"
#include "run/channel_samples.h"
#include "run/recorded_channels.h"
#include "schema/parameters.h"

namespace trunnion {

namespace {

class FitFindings {
 public:
  void add(const std::string& option, const std::string& found, const std::string& expected = "", const std::string& hint = "") {
    list_.push_back({{option, 0, 0}, "", found, expected, hint});
  }
  std::vector<Diagnostic>& list() { return list_; }
  void throw_any() {
    if (!list_.empty()) throw InputError(std::move(list_));
  }

 private:
  std::vector<Diagnostic> list_;
};

// ---------------------------------------------------------------- recording

/// A column of the recording and its unit in SI units.
struct RecordedColumn {
  std::string name;
  double unit = 1;
};

/// `COLUMN[:UNIT]`, of a quantity in `si`; empty: of any unit, such as a signal's.
RecordedColumn read_column(const std::string& text, const std::string& si, const std::string& option, FitFindings& findings) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return {text, 1};
  const std::string unit = text.substr(colon + 1);
  const QuantityText read = read_quantity("1 " + unit);
  if (!read.quantity || !read.quantity->has_unit) {
    findings.add(option, fmt::format("`{}` is not a unit", unit), "a unit such as kN, bar or mm after the name of the column", read.hint);
    return {text.substr(0, colon), 1};
  }
  const QuantityText wanted = read_quantity("1 " + si);
  if (!si.empty() && wanted.quantity && !fits(read.quantity->dimension, Measure{"", "", "", wanted.quantity->dimension}))
    findings.add(option, fmt::format("`{}` has the wrong unit", text), fmt::format("a unit of its quantity, in SI {}", si));
  return {text.substr(0, colon), read.quantity->value};
}

/// Recorded values of a channel, SI.
FittedChannel read_channel(const FitRequest& request, const std::string& name, const RecordedColumn& time, const RecordedColumn& column,
                           FitFindings& findings) {
  CsvSignal signal;
  signal.file = request.reference;
  signal.time = time.name;
  signal.value = column.name;
  signal.smooth = true;  // times increase strictly
  read_csv_signal(signal, "", name, {"--reference", 0, 0}, findings.list());
  FittedChannel channel;
  channel.name = name;
  channel.column = column.name;
  for (const auto& point : signal.points) {
    channel.times.push_back(point[0] * time.unit);
    channel.recorded.push_back(point[1] * column.unit);
  }
  double mean = 0, square = 0;
  const auto n = static_cast<double>(channel.recorded.size());
  for (double x : channel.recorded) mean += x / n;
  for (double x : channel.recorded) square += (x - mean) * (x - mean) / n;
  channel.scale = square > 0 ? std::sqrt(square) : mean != 0 ? std::abs(mean) : 1;
  return channel;
}

std::vector<FittedChannel> read_recording(const FitRequest& request, const std::shared_ptr<const CompiledModel>& model,
                                          FitFindings& findings) {
  const std::vector<std::string> header = csv_header(request.reference);
  const auto has = [&](const std::string& name) { return std::find(header.begin(), header.end(), name) != header.end(); };
  RecordedColumn time{has("time") ? "time" : "1", 1};
  if (!request.time.empty()) time = read_column(request.time, "s", "--time", findings);
  const ChannelReader reader(model);
  std::vector<std::string> known;
  for (const Channel& c : reader.channels()) known.push_back(c.name);
  known.erase(known.begin());  // time
  const auto unit_of = [&](const std::string& name) -> const std::string& {
    return reader.channels()[static_cast<std::size_t>(std::find(known.begin(), known.end(), name) - known.begin()) + 1].unit;
  };
  std::vector<FittedChannel> channels;
  for (const std::string& text : request.channels) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const std::string near = nearest_name(name, known);
      findings.add("--channels", fmt::format("there is no channel '{}'", name),
                   near.empty() ? "the name of a channel such as " + known.front() : "",
                   near.empty() ? "" : "did you mean '" + near + "'?");
      continue;
    }
    const RecordedColumn column =
        equals == std::string::npos ? RecordedColumn{name, 1} : read_column(text.substr(equals + 1), unit_of(name), "--channels", findings);
    channels.push_back(read_channel(request, name, time, column, findings));
    const FittedChannel& last = channels.back();
    if (std::count_if(channels.begin(), channels.end(), [&](const FittedChannel& c) {
          return c.name == last.name && !c.recorded.empty() && c.recorded == last.recorded;
        }) > 1)
      findings.add("--channels", fmt::format("the recording `{}` of {} is given more than once", last.column, last.name));
  }
  if (request.channels.empty())
    for (const std::string& name : header)
      if (name != time.name && std::find(known.begin(), known.end(), name) != known.end())
        channels.push_back(read_channel(request, name, time, {name, 1}, findings));
  if (channels.empty() && findings.list().empty())
    findings.add("--reference", fmt::format("no column of `{}` has the name of a channel", request.reference),
                 "names of channels in its first line, or --channels CHANNEL=COLUMN",
                 header.empty() ? "the file has no header line, or cannot be read" : "");
  for (FittedChannel& channel : channels) channel.unit = unit_of(channel.name);
  return channels;
}

void check_times(const std::vector<FittedChannel>& channels, const CompiledModel& model, FitFindings& findings) {
  const double duration = model.description.solver.duration;
  for (const FittedChannel& channel : channels) {
    if (channel.times.empty()) continue;
    const double first = channel.times.front(), last = channel.times.back();
    if (first < 0)
      findings.add("--reference", fmt::format("the recording of {} begins at {:g} s", channel.name, first),
                   "times from 0, the start of the run");
    if (last > duration * (1 + kSameSampleTime))
      findings.add("--reference",
                   fmt::format("the recording of {} lasts until {:g} s, and the run ends at {:g} s", channel.name, last, duration), "",
                   fmt::format("--set solver.duration={:g}", last));
  }
}

// ---------------------------------------------------------------- parameters

/// The value at `path` as the model file has it. Throws InputError.
FittedParameter read_parameter(const FitRequest& request, const Description& description, const std::string& path) {
  FittedParameter p;
  p.path = path;
  p.start = p.value = number_at(request.model_file, request.overrides, path, "--parameters");
  p.unit = unit_at(description, path);
  if (p.start > 0) try {
      std::vector<Override> negative = request.overrides;
      negative.push_back({path, number_text(-p.start)});
      (void)load_model(request.model_file, negative);
    } catch (const InputError&) { p.positive = true; }
  return p;
}

std::vector<FittedParameter> read_parameters(const FitRequest& request, const Description& description, FitFindings& findings) {
  std::vector<FittedParameter> parameters;
  for (const std::string& path : request.parameters) {
    if (std::count(request.parameters.begin(), request.parameters.end(), path) > 1) {
      findings.add("--parameters", fmt::format("{} is given more than once", path));
      break;
    }
    try {
      parameters.push_back(read_parameter(request, description, path));
    } catch (const InputError& error) {
      findings.list().insert(findings.list().end(), error.diagnostics().begin(), error.diagnostics().end());
    }
  }
  return parameters;
}

}  // namespace

bool are_parameters(Description description, const std::vector<std::string>& paths) {
  const std::vector<Parameter> parameters = parameters_of(description);
  return std::all_of(paths.begin(), paths.end(), [&](const std::string& path) {
    return std::any_of(parameters.begin(), parameters.end(), [&](const Parameter& parameter) { return parameter.path == path; });
  });
}

Fit read_fit(const FitRequest& request) {
  Description description = load_model(request.model_file, request.overrides);
  if (description.solver.compiled != CompiledKind::off && are_parameters(description, request.parameters))  // one code for all runs
    description.solver.compiled_parameters.insert(description.solver.compiled_parameters.end(), request.parameters.begin(),
                                                  request.parameters.end());
  Fit fit;
  fit.model = compile(description);
  check_recorded_channels(fit.model);
  FitFindings findings;
  if (request.parameters.empty()) findings.add("--parameters", "no parameters are given", "paths of numbers in the model file");
  if (request.max_iterations < 1) findings.add("--max-iterations", fmt::format("found {}", request.max_iterations), "1 or more");
  fit.parameters = read_parameters(request, description, findings);
  fit.channels = read_recording(request, fit.model, findings);
  check_times(fit.channels, *fit.model, findings);
  std::size_t points = 0;
  for (const FittedChannel& channel : fit.channels) points += channel.times.size();
  if (findings.list().empty() && points < fit.parameters.size())
    findings.add("--reference", fmt::format("{} points for {} parameters", points, fit.parameters.size()), "at least as many points");
  findings.throw_any();
  return fit;
}

}  // namespace trunnion
