// The public interface on top of files and studies: reading models, writing results, linear models with their spectra.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include "base/units.h"
#include "file/csv.h"
#include "file/model_file.h"
#include "file/variation.h"
#include "front/c_interface.h"
#include "front/content.h"
#include "report/report.h"
#include "report/viewer_page.h"
#include "results/files.h"
#include "results/read_results.h"
#include "results/response_sensitivity.h"
#include "results/run_case.h"
#include "schema/fingerprint.h"
#include "studies/curve_family.h"
#include "studies/equilibrium_files.h"
#include "studies/linear_study.h"
#include "studies/steady_study.h"
#include "studies/sweep.h"
#include "trunnion/trunnion.h"

namespace trunnion {

namespace {

std::vector<Override> parsed(const std::vector<std::string>& overrides) {
  std::vector<Override> list;
  list.reserve(overrides.size());
  for (const std::string& text : overrides) list.push_back(parse_override(text));
  return list;
}

void require_finite(double value, const char* what) {
  if (!std::isfinite(value)) throw ModelError(std::string(what) + " must be a finite number");
}

StartKind kind(Start start) {
  constexpr StartKind kKinds[] = {StartKind::given, StartKind::equilibrium, StartKind::steady};
  return kKinds[static_cast<int>(start)];
}

std::vector<EigenvalueInfo> public_form(const std::vector<Eigenvalue>& eigenvalues) {
  std::vector<EigenvalueInfo> list;
  list.reserve(eigenvalues.size());
  for (const Eigenvalue& e : eigenvalues)
    list.push_back({e.value.real(),
                    e.value.imag(),
                    e.frequency_hz,
                    e.damping_ratio.value_or(std::numeric_limits<double>::quiet_NaN()),
                    {e.participation.begin(), e.participation.end()}});
  return list;
}

LinearSystem public_form(const LinearCase& c) {
  LinearSystem s;
  fill_system(c.linear, s);
  s.eigenvalues = public_form(c.spectrum.eigenvalues);
  s.stability = name_of(c.spectrum.stability.verdict);
  s.moving = c.motion == ReferenceMotion::moving;
  const SampledLoop& loop = c.sampled;
  s.sampled_loop.period = loop.period;
  s.sampled_loop.text = loop.period > 0 ? loop.spectrum.stability.text : loop.none;
  if (loop.period == 0) return s;
  s.sampled_loop.stability = name_of(loop.spectrum.stability.verdict);
  s.sampled_loop.eigenvalues = public_form(loop.spectrum.eigenvalues);
  fill_infos(loop.states, s.sampled_loop.states);
  fill_rows(loop.F, s.sampled_loop.F);
  return s;
}

std::shared_ptr<const Model> model_of(Description description) {
  std::shared_ptr<const CompiledModel> compiled = compile(std::move(description));
  check_recorded_channels(compiled);
  return std::make_shared<const Model>(std::make_unique<const Model::Content>(std::move(compiled)));
}

}  // namespace

std::shared_ptr<const Model> Model::load(const std::string& file, const std::vector<std::string>& overrides) {
  return translated([&] { return model_of(load_model(file, parsed(overrides))); });
}
std::shared_ptr<const Model> Model::from_text(const std::string& text, const std::vector<std::string>& overrides, const std::string& name) {
  return translated([&] { return model_of(parse_model(text, name, parsed(overrides))); });
}

Simulation::Simulation(const std::string& model_file, const std::vector<std::string>& overrides, Start start)
    : Simulation(Model::load(model_file, overrides), start) {
  attach_ledger();
}
Simulation Simulation::from_text(const std::string& text, const std::vector<std::string>& overrides, const std::string& name, Start start) {
  Simulation simulation(Model::from_text(text, overrides, name), start);
  simulation.attach_ledger();
  return simulation;
}

LinearSystem Simulation::linearize(const std::vector<std::string>& outputs, const std::vector<std::string>& independent) const {
  return translated([&] {
    LinearOptions options;
    options.outputs = outputs;
    options.independent = independent;
    return public_form(make_linear_case(compiled(), state().content()->state, StartKind::given, options));
  });
}

void run_to_files(const std::string& model_file, const std::string& folder, const std::vector<std::string>& overrides, Start start_at) {
  const auto start = std::chrono::steady_clock::now();
  translated([&] {
    const auto model = compile(load_model(model_file, parsed(overrides)));
    const ResultFolder lock(folder);
    CaseFiles files(model, model_file, folder, start);
    const CaseResult result = run_case(model, {}, kind(start_at), nullptr, false, nullptr, &files, false);
    files.finish(result);
    if (result.failure) throw SimulationError(*result.failure);
  });
}

void equilibrium_to_files(const std::string& model_file, const std::string& folder, const std::vector<std::string>& overrides,
                          double time) {
  require_finite(time, "the time of the signals");
  translated([&] {
    const auto model = compile(load_model(model_file, parsed(overrides)));
    write_equilibrium(model, solve_equilibrium(*model, time), model_file, folder);
  });
}

void steady_to_files(const std::string& model_file, const std::string& folder, const std::vector<std::string>& overrides, double time) {
  require_finite(time, "the time of the signals");
  translated([&] {
    const auto model = compile(load_model(model_file, parsed(overrides)));
    write_steady(model, steady_operation(model, time), model_file, folder);
  });
}

void linearize_to_files(const std::string& model_file, const std::string& folder, const std::vector<std::string>& overrides,
                        const Linearization& what) {
  for (const double time : what.at) require_finite(time, "a time to linearise at");
  if (what.simulate) require_finite(*what.simulate, "the time to simulate from");
  translated([&] {
    LinearStudyRequest request;
    request.model_file = model_file;
    request.overrides = parsed(overrides);
    request.start = kind(what.start);
    request.at = what.at;
    request.options.outputs = what.outputs;
    request.options.independent = what.independent;
    request.pairs = what.pairs;
    request.folders = what.folders;
    for (const std::string& text : what.vary) request.vary.push_back(split_vary(text));
    request.sensitivity = what.sensitivity;
    request.simulate = what.simulate;
    const std::string failure = linear_study(request, folder);
    if (!failure.empty()) throw RunError(failure, 0);
  });
}

void curve_to_files(const std::string& model_file, const std::string& folder, const std::vector<std::string>& overrides,
                    const std::string& actuator, const std::vector<std::string>& commands, const std::vector<std::string>& vary) {
  translated([&] {
    CurveRequest request;
    request.model_file = model_file;
    request.overrides = parsed(overrides);
    request.actuator = actuator;
    request.commands = commands;
    for (const std::string& text : vary) request.vary.push_back(split_vary(text));
    const CurveFamily family = curve_family(request);
    make_folder(folder);
    write_text(curve_csv(family), folder + "/curve.csv");
    write_text(curve_json(family, model_file), folder + "/curve.json");
  });
}

bool sweep_to_files(const std::string& model_file, const std::string& folder, const std::vector<std::string>& overrides,
                    const SweepOptions& options) {
  return translated([&] {
    SweepRequest request;
    request.model_file = model_file;
    request.overrides = parsed(overrides);
    request.vary = options.vary;
    request.pairs = options.pairs;
    request.sample = options.sample;
    request.kpis = options.kpi;
    request.start = kind(options.start);
    request.keep = options.keep == "all" ? SweepKeep::all : options.keep == "channels" ? SweepKeep::channels : SweepKeep::kpi;
    if (options.keep != word(request.keep)) throw Error("'" + options.keep + "' cannot be kept of a run; expected kpi, channels or all");
    if (options.threads < 0) throw Error("the number of threads of a sweep must not be negative");
    std::atomic<int> stop{0};
    SweepHooks hooks;
    hooks.stop = &stop;
    if (options.progress)
      hooks.progress = [&](std::size_t done, std::size_t, std::size_t all) {
        if (!options.progress(done, all)) stop = 1;
      };
    const int threads = options.threads > 0 ? options.threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    const SweepOutcome outcome = sweep_to_folder(request, folder, threads, options.overwrite, hooks);
    return outcome.done == outcome.runs;
  });
}

void report_to_file(const std::vector<std::string>& folders, const std::string& file, const std::vector<std::string>& channels) {
  translated([&] {
    if (viewer_page().empty())
      throw Error("this library was built without the report viewer (TRUNNION_VIEWER=OFF); rebuild it with node and npm");
    if (folders.empty()) throw Error("a report needs at least one folder of results");
    ReportRequest request;
    request.folders = folders;
    request.channels = channels;
    write_report(report_page(make_report(request), viewer_page()), file);
  });
}

double to_si(const std::string& text, const std::string& unit) {
  const QuantityText read = read_quantity(text);
  if (!read.quantity) throw ModelError("'" + text + "': " + read.problem + (read.hint.empty() ? "" : "; " + read.hint));
  if (!read.quantity->has_unit || unit == "SI") return read.quantity->value;
  const QuantityText wanted = read_quantity("1 " + unit);
  if (!unit.empty() && !wanted.quantity) return read.quantity->value;  // `N or N m`: the model checks it
  const Measure measure{"", "", "", wanted.quantity ? wanted.quantity->dimension : Dimension{}};
  if (!fits(read.quantity->dimension, measure))
    throw ModelError("'" + text + "' has the wrong unit; expected " + (unit.empty() ? "a number without a unit" : unit));
  return read.quantity->value;
}

// ---------------------------------------------------------------- runs in memory

namespace {

/// Calls a progress function every kStepsBetweenReports steps, and ends the run by a signal if it returns false.
class Reporter final : public RunWatcher {
 public:
  explicit Reporter(const std::function<bool(double)>& progress) : progress_(progress) {}
  void at(const StepRecord& step) override {
    if (++steps_ % kStepsBetweenReports == 0 && cancelled == 0 && !progress_(step.state.time)) cancelled = 2;
  }
  std::atomic<int> cancelled = 0;  // 2: as SIGINT

 private:
  const std::function<bool(double)>& progress_;
  long steps_ = 0;
};

}  // namespace

struct RunResult::Content {
  CaseResult result;
  std::vector<ChannelInfo> channels;
  std::optional<RunError> failure;
  std::chrono::steady_clock::time_point start;
  double wall_seconds = 0;
};

namespace {

/// Paths of the parameters.
std::vector<std::string> paths_of(const Model& model, const std::vector<ParameterIndex>& parameters) {
  std::vector<std::string> paths;
  for (const ParameterIndex i : parameters) {
    if (i.number < 0 || static_cast<std::size_t>(i.number) >= model.parameters().size())
      throw ModelError("there is no parameter number " + std::to_string(i.number));
    paths.push_back(model.parameters()[static_cast<std::size_t>(i.number)].name);
  }
  return paths;
}

/// The channels of the options at their times; throws ModelError for those that do not fit the model.
std::vector<SampledChannel> channels_of(const std::shared_ptr<const Model>& model, const SensitivityOptions& options) {
  if (!model) throw ModelError("sensitivities need a model");
  const double duration = model->content().compiled->description.solver.duration;
  for (std::size_t i = 0; i < options.times.size(); ++i)
    if (const double t = options.times[i]; !(i > 0 ? t > options.times[i - 1] : t >= 0) || !(t <= duration * (1 + kSameSampleTime)))
      throw ModelError("times of sensitivities must increase, from 0 to the end of the run at " + std::to_string(duration) + " s; number " +
                       std::to_string(i) + " is " + std::to_string(t) + " s");
  std::vector<SampledChannel> channels;
  for (const std::string& name : options.channels) {
    (void)model->channel(name);
    channels.push_back({name, options.times});
  }
  return channels;
}

/// Ends a run of derivatives where a progress function returns false.
std::function<void(double)> watch_of(const std::function<bool(double)>& progress) {
  if (!progress) return {};
  return [&progress](double time) {
    if (!progress(time)) throw SimulationError(time, "", "the run was cancelled by its progress hook", "");
  };
}

}  // namespace

Sensitivities response_sensitivities(const std::shared_ptr<const Model>& model, const SensitivityOptions& options) {
  return translated([&] {
    if (options.threads < 0) throw Error("the number of threads must not be negative");
    const std::vector<SampledChannel> channels = channels_of(model, options);
    ResponseSensitivity of = response_sensitivity(*model->content().compiled, paths_of(*model, options.parameters), channels,
                                                  options.threads, watch_of(options.progress));
    Sensitivities result{options.times, std::move(of.values), std::move(of.derivatives), std::move(of.failure)};
    if (!result.values.empty()) result.times.resize(result.values.front().size());
    return result;
  });
}

Gradients response_gradients(const std::shared_ptr<const Model>& model, const SensitivityOptions& options,
                             const std::function<SumWeights(const std::vector<std::vector<double>>& values)>& weigh) {
  return translated([&] {
    if (!weigh) throw Error("gradients need a function that gives the weights of their sums");
    const std::vector<SampledChannel> channels = channels_of(model, options);
    std::vector<std::string> paths = paths_of(*model, options.parameters);
    if (paths.empty())
      for (const ParameterInfo& parameter : model->parameters()) paths.push_back(parameter.name);
    ResponseGradient of = response_gradient(*model->content().compiled, paths, channels, weigh, watch_of(options.progress));
    Gradients result{options.times, std::move(of.values), std::move(of.gradients), std::move(of.failure)};
    if (!result.values.empty()) result.times.resize(result.values.front().size());
    return result;
  });
}

RunResult run_in_memory(const std::shared_ptr<const Model>& model, const RunOptions& options) {
  if (!model) throw ModelError("a run needs a model");
  if (options.duration && !(std::isfinite(*options.duration) && *options.duration > 0))
    throw ModelError("the duration of a run must be a finite number above 0 s");
  auto content = std::make_shared<RunResult::Content>();
  content->start = std::chrono::steady_clock::now();
  translated([&] {
    std::shared_ptr<const CompiledModel> compiled = model->content().compiled;
    if (options.duration || !options.input_file.empty()) {
      Description description = compiled->description;
      if (options.duration) description.solver.duration = *options.duration;
      if (!options.input_file.empty()) read_input_courses(description, options.input_file, limits_of({}).input_size);
      compiled = compile(std::move(description));
    }
    Reporter reporter(options.progress);
    const bool reports = options.progress != nullptr;
    content->result =
        run_case(compiled, {}, kind(options.start), reports ? &reporter : nullptr, false, reports ? &reporter.cancelled : nullptr);
  });
  content->wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - content->start).count();
  if (content->result.failure) content->failure = public_error(*content->result.failure);
  for (const Channel& channel : content->result.recorder->recording().channels)
    content->channels.push_back({channel.name, channel.unit, channel.meaning});
  RunResult result;
  result.content_ = std::move(content);
  return result;
}

namespace {

template <class Content>
const Content& run_of(const std::shared_ptr<Content>& content) {
  if (!content) throw ModelError("this result is of no run");
  return *content;
}

}  // namespace

const std::vector<ChannelInfo>& RunResult::channels() const { return run_of(content_).channels; }
std::size_t RunResult::rows() const { return run_of(content_).result.recorder->recording().rows(); }
const std::vector<double>& RunResult::values(std::size_t channel) const {
  const auto& columns = run_of(content_).result.recorder->recording().columns;
  if (channel >= columns.size()) throw ModelError("there is no recorded channel number " + std::to_string(channel));
  return columns[channel];
}
double RunResult::end_time() const { return run_of(content_).result.end_time; }
const std::optional<RunError>& RunResult::failure() const { return run_of(content_).failure; }
bool RunResult::cancelled() const { return run_of(content_).result.signal != 0; }
std::string RunResult::summary(const std::string& model_file) const {
  return summary_json(run_of(content_).result, model_file, run_of(content_).wall_seconds);
}
void RunResult::save(const std::string& folder, const std::string& model_file) const {
  translated([&] {
    const ResultFolder lock(folder);
    write_case(run_of(content_).result, model_file, folder, run_of(content_).start);
  });
}

RecordedRun read_recorded_run(const std::string& path) {
  return translated([&] {
    const StoredResults stored = find_results(path);
    Recording recording = stored.read({"*"});
    RecordedRun run{stored.file, stored.unfinished, {}, std::move(recording.columns)};
    for (Channel& c : recording.channels) run.channels.push_back({std::move(c.name), std::move(c.unit), std::move(c.meaning)});
    return run;
  });
}

}  // namespace trunnion

// ---------------------------------------------------------------- C

namespace {

using namespace trunnion;

template <class Make>
trunnion_status make_model(const char* text, const char* const* overrides, size_t count, trunnion_model** out, Make&& make) {
  return guarded([&] {
    trunnion_model*& result = required(out, "the result");
    result = nullptr;
    std::vector<std::string> list;
    if (count > 0) (void)required(overrides, "the list of overrides");
    for (size_t i = 0; i < count; ++i) list.emplace_back(&required(overrides[i], "an override"));
    result = new trunnion_model{make(std::string(&required(text, "the model")), list)};
  });
}

}  // namespace

extern "C" {

trunnion_status trunnion_model_load(const char* file, const char* const* overrides, size_t count, trunnion_model** out) {
  return make_model(file, overrides, count, out,
                    [](const std::string& name, const std::vector<std::string>& list) { return Model::load(name, list); });
}
trunnion_status trunnion_model_from_text(const char* text, const char* const* overrides, size_t count, trunnion_model** out) {
  return make_model(text, overrides, count, out,
                    [](const std::string& model, const std::vector<std::string>& list) { return Model::from_text(model, list); });
}

}  // extern "C"
