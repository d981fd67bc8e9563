// The public interface on top of the modules.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "file/model_file.h"
#include "results/files.h"
#include "results/run_case.h"
#include "schema/fingerprint.h"
#include "studies/equilibrium_files.h"
#include "studies/linear_study.h"
#include "trunnion/trunnion.h"

namespace trunnion {

namespace {

/// Calls f; converts internal errors to public ones.
template <class F>
auto translated(F&& f) {
  try {
    return f();
  } catch (const SimulationError& error) { throw RunError(error.what(), error.time()); } catch (const Error& error) {
    throw ModelError(error.what());
  }
}

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

std::vector<std::vector<double>> rows_of(const Eigen::MatrixXd& m) {
  std::vector<std::vector<double>> rows;
  for (Eigen::Index i = 0; i < m.rows(); ++i) {
    const Eigen::VectorXd row = m.row(i);
    rows.emplace_back(row.begin(), row.end());
  }
  return rows;
}

void copy(const std::vector<LinearVariable>& from, std::vector<ChannelInfo>& infos, std::vector<double>& references) {
  for (const LinearVariable& v : from) {
    infos.push_back({v.name, v.unit, v.meaning});
    references.push_back(v.reference);
  }
}

LinearSystem public_form(const LinearCase& c) {
  LinearSystem s;
  s.time = c.linear.time;
  copy(c.linear.states, s.states, s.x0);
  copy(c.linear.inputs, s.inputs, s.u0);
  copy(c.linear.outputs, s.outputs, s.y0);
  s.drift.assign(c.linear.drift.begin(), c.linear.drift.end());
  s.A = rows_of(c.linear.A), s.B = rows_of(c.linear.B), s.C = rows_of(c.linear.C), s.D = rows_of(c.linear.D);
  for (const Eigenvalue& e : c.spectrum.eigenvalues)
    s.eigenvalues.push_back({e.value.real(),
                             e.value.imag(),
                             e.frequency_hz,
                             e.damping_ratio.value_or(std::numeric_limits<double>::quiet_NaN()),
                             {e.participation.begin(), e.participation.end()}});
  s.stability = name_of(c.spectrum.stability.verdict);
  s.moving = c.motion == ReferenceMotion::moving;
  s.independent = c.linear.partition.independent;
  s.velocity_dependent = c.linear.partition.velocity_dependent;
  s.dependent = c.linear.partition.dependent;
  s.warnings = c.linear.warnings;
  return s;
}

}  // namespace

struct Snapshot::Content {
  std::uint64_t model;  // fingerprint
  State state;
  Ledger ledger;
};

double Snapshot::time() const { return content_->state.time; }

struct Simulation::Content {
  Content(const Description& description, Start start)
      : model(compile(description)), run(model, start_of(model, kind(start))), reader(model) {
    check_recorded_channels(model);
    fingerprint = trunnion::fingerprint(model->description);
    reader.begin(run.state());
    for (const Channel& channel : reader.channels()) channels.push_back({channel.name, channel.unit, channel.meaning});
  }
  /// Advances the run; after a failure, channels are those of the last valid state.
  template <class F>
  void advance(F&& f) {
    translated([&] {
      try {
        f();
      } catch (const SimulationError&) {
        reader.stop_at(run.state());
        throw;
      }
    });
  }

  std::shared_ptr<const Model> model;
  Runner run;
  ChannelReader reader;
  std::uint64_t fingerprint = 0;
  std::vector<ChannelInfo> channels;
};

Simulation::Simulation(std::unique_ptr<Content> content) : content_(std::move(content)) {}
Simulation::Simulation(const std::string& model_file, const std::vector<std::string>& overrides, Start start)
    : content_(translated([&] { return std::make_unique<Content>(load_model(model_file, parsed(overrides)), start); })) {}
Simulation Simulation::from_text(const std::string& text, const std::vector<std::string>& overrides, const std::string& name, Start start) {
  return Simulation(translated([&] { return std::make_unique<Content>(parse_model(text, name, parsed(overrides)), start); }));
}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

double Simulation::time() const { return content_->run.state().time; }
double Simulation::step_size() const { return grid_step(content_->model->description); }
double Simulation::duration() const { return content_->model->description.solver.duration; }

void Simulation::step() {
  content_->advance([&] { content_->run.step(&content_->reader); });
}
void Simulation::run_until(double end) {
  content_->advance([&] { content_->run.advance(end, &content_->reader); });
}

const std::vector<ChannelInfo>& Simulation::channels() const { return content_->channels; }

int Simulation::find(const std::string& channel) const {
  const std::vector<ChannelInfo>& all = content_->channels;
  const auto at = std::find_if(all.begin(), all.end(), [&](const ChannelInfo& c) { return c.name == channel; });
  if (at != all.end()) return static_cast<int>(at - all.begin());
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const ChannelInfo& c : all) names.push_back(c.name);
  const std::string near = nearest_name(channel, names);
  throw ModelError("there is no channel '" + channel + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"));
}

double Simulation::value(int channel) const {
  if (channel < 0 || static_cast<std::size_t>(channel) >= content_->channels.size())
    throw ModelError("there is no channel number " + std::to_string(channel));
  return content_->reader.values()[static_cast<std::size_t>(channel)];
}
std::vector<double> Simulation::values() const { return content_->reader.values(); }

LinearSystem Simulation::linearize(const std::vector<std::string>& outputs) const {
  return translated([&] {
    LinearOptions options;
    options.outputs = outputs;
    return public_form(make_linear_case(content_->model, content_->run.state(), StartKind::given, options));
  });
}

Snapshot Simulation::save() const {
  return Snapshot(std::make_shared<const Snapshot::Content>(
      Snapshot::Content{content_->fingerprint, content_->run.state(), content_->reader.ledger()}));
}
void Simulation::restore(const Snapshot& snapshot) {
  if (snapshot.content_->model != content_->fingerprint)
    throw ModelError("the snapshot belongs to another model: its structure or its names differ");
  translated([&] { content_->run.restore(snapshot.content_->state); });
  content_->reader.resume(snapshot.content_->state, snapshot.content_->ledger);
}

long Simulation::steps() const { return content_->run.statistics().steps; }
long Simulation::iterations() const { return content_->run.statistics().iterations; }
double Simulation::step_seconds() const { return content_->run.statistics().step_seconds; }

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
    SteadyOperation found = solve_steady(model, time);
    find_other_steady(model, found);
    write_steady(model, found, model_file, folder);
  });
}

void linearize_to_files(const std::string& model_file, const std::string& folder, const std::vector<std::string>& overrides,
                        const Linearization& what) {
  for (const double time : what.at) require_finite(time, "a time to linearise at");
  if (what.simulate) require_finite(*what.simulate, "the time to simulate from");
  translated([&] {
    LinearRequest request;
    request.model_file = model_file;
    request.overrides = parsed(overrides);
    request.start = kind(what.start);
    request.at = what.at;
    request.options.outputs = what.outputs;
    for (const std::string& text : what.vary) request.vary.push_back(split_vary(text));
    request.sensitivity = what.sensitivity;
    request.simulate = what.simulate;
    const std::string failure = linear_study(request, folder);
    if (!failure.empty()) throw RunError(failure, 0);
  });
}

}  // namespace trunnion
