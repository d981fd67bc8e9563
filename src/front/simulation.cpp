// Simulations of the public interface: steps, inputs, parameters, reading, setting states.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "base/assert.h"
#include "front/content.h"
#include "linearise/step_columns.h"
#include "run/element_steps.h"

namespace trunnion {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

void require_finite(double value, const char* what) {
  if (!std::isfinite(value)) throw ModelError(std::string(what) + " must be a finite number");
}

/// f(kind, name, count, steps, first time) of all that happened.
template <class F>
void for_each_incident(const Incidents& all, F&& f) {
  for (const EndStopRecord& r : all.end_stops)
    if (r.strikes > 0) f(Incident::Kind::end_stop, r.name, r.strikes, r.steps, r.first_time);
  for (const ReliefRecord& r : all.reliefs)
    if (r.openings > 0) f(Incident::Kind::relief, r.name, r.openings, r.steps, r.first_time);
  for (const EmptyRecord& r : all.accumulators)
    if (r.steps > 0) f(Incident::Kind::accumulator_empty, r.name, 1, r.steps, r.first_time);
  for (const SwitchRecord& r : all.switches)
    if (!r.events.empty()) f(Incident::Kind::block_switch, r.name, r.on + r.off, 0, r.events.front().time);
}

std::string text_of(Incident::Kind kind, const std::string& name) {
  switch (kind) {
    case Incident::Kind::end_stop:
      return name + ": hit an end stop";
    case Incident::Kind::relief:
      return name + ": the relief valve opened";
    case Incident::Kind::block_switch:
      return name + ": the control block switched";
    case Incident::Kind::accumulator_empty:
      break;
  }
  return name + ": the accumulator is empty";
}

}  // namespace

// ---------------------------------------------------------------- snapshots

struct Snapshot::Content {
  std::uint64_t model = 0;  // fingerprint
  StateVector state;
  std::optional<Ledger> ledger;
};

double Snapshot::time() const { return content_ ? content_->state.time : 0; }

// ---------------------------------------------------------------- simulations

struct Simulation::Content final : RunWatcher {
  Content(std::shared_ptr<const Model> of, Start start)
      : model(std::move(of)),
        compiled(model->content().compiled),
        loop(std::make_unique<StepLoop>(compiled, model->content().start_of(compiled, start, &start_warnings))) {}

  // ---- what is kept in every step
  void at(const StepRecord& record) override {
    if (reader) reader->at(record);
    if (counter && record.side == Side::left) counter->count(record.state, record.report);
  }
  RunWatcher* watcher() { return reader || counter ? this : nullptr; }
  void begin_watching() {
    if (reader) reader->begin(loop->state());
    if (counter) counter->begin();
  }

  // ---- parameters
  bool changed() const { return own && own->changed(); }
  /// The machine with its parameters as set, in the present state, or at its start.
  void rebuild(std::optional<Start> start) {
    const bool reshaped = !own->same_mechanism();
    std::shared_ptr<const CompiledModel> next = own->compile();
    StateVector state = start ? model->content().start_of(next, *start, &start_warnings) : loop->state();
    if (!start && reshaped) close_loops(next, compiled, minimal ? minimal.get() : coordinates.get(), state);
    auto next_loop = std::make_unique<StepLoop>(next, std::move(state));
    const auto& inputs = next->description.inputs;
    for (std::size_t i = 0; i < inputs.size() && !start; ++i) {  // values that are held remain within their limits, which may be others
      const InputDescription& input = inputs[i].second;
      const double value = next_loop->input(static_cast<int>(i));
      if ((input.min && value < *input.min) || (input.max && value > *input.max)) next_loop->set_input(static_cast<int>(i), value, 0);
    }
    if (!start && !next_loop->restart()) throw next_loop->failure();
    compiled = std::move(next);
    loop = std::move(next_loop);
    observer.reset();
    if (minimal) coordinates = std::move(minimal);
    transition.reset();
    by_parameters.reset();
    own->take_into_use();
    forget();
    if (reader) {
      const Ledger ledger = reader->ledger();
      reader.emplace(compiled);
      if (start)
        reader->begin(loop->state());
      else
        reader->resume(loop->state(), ledger);
    }
    if (counter) {
      Incidents so_far = std::move(counter->statistics.incidents);
      counter.emplace(*loop);
      if (!start) counter->statistics.incidents = std::move(so_far);
    }
  }
  /// Before a step, or another minimal vector.
  void prepare() {
    if (changed()) rebuild(std::nullopt);
    forget();
  }
  void forget() { observed = inputs_set = false; }
  void forget_told() {
    told.clear();
    limit_told = late_told = false;
  }

  GridStep::Result advance(double end) {
    prepare();
    const GridStep::Result result = grid.advance(*loop, end, watcher());
    if (result == GridStep::Result::failed && reader) reader->stop_at(loop->state());
    send_new();
    return result;
  }

  // ---- messages
  void send_warnings() {
    for (std::string& text : model->warnings()) sink({Message::Severity::warning, loop->state().time, std::move(text)});
    send_start_warnings();
    if (std::string text = loop->stepper().remark(); !text.empty()) sink({Message::Severity::note, loop->state().time, std::move(text)});
    for (std::string& text : element_step_warnings(*compiled, loop->state()))
      sink({Message::Severity::warning, loop->state().time, std::move(text)});
  }
  void send_start_warnings() {
    for (const std::string& text : start_warnings) sink({Message::Severity::warning, 0, text});
  }
  /// What the last step brought. No allocation if that is nothing.
  void send_new() {
    if (!sink || !counter) return;
    const RunStatistics& now = counter->statistics;
    if (now.penalty_limited && !limit_told) {
      limit_told = true;
      sink({Message::Severity::warning, loop->state().time, limited_penalty_warning(compiled->description.solver, now)});
    }
    if (now.late_switches > 0 && !late_told) {
      late_told = true;
      sink({Message::Severity::warning, now.late_time, late_switch_warning(*compiled, now)});
    }
    std::size_t happened = 0;
    for_each_incident(now.incidents, [&](const auto&...) { ++happened; });
    if (happened == told.size()) return;
    for_each_incident(now.incidents, [&](Incident::Kind kind, const std::string& name, long, long, double first_time) {
      const auto same = [&](const auto& one) { return one.first == kind && one.second == name; };
      if (std::any_of(told.begin(), told.end(), same)) return;
      told.emplace_back(kind, name);
      sink({Message::Severity::note, first_time, text_of(kind, name)});
    });
  }

  // ---- reading
  /// Throws ModelError for a wrong number.
  double channel(int index) {
    if (channels == nullptr) channels = &model->content().channels();
    const auto number = static_cast<std::size_t>(index);
    if (index < 0 || number >= channels->places.size()) check_index(index, channels->places.size(), "channel");
    const ChannelPlace& place = channels->places[number];
    const StateVector& state = loop->state();
    switch (place.kind) {
      case ChannelPlace::Kind::time:
        return state.time;
      case ChannelPlace::Kind::state:
        return state.values()[place.index];
      case ChannelPlace::Kind::input:
        return loop->input(static_cast<int>(place.index));
      case ChannelPlace::Kind::observed:
        if (reader && !inputs_set) return reader->observer().value(place.index);
        observe();
        return observer->value(place.index);
      case ChannelPlace::Kind::kept:
        break;
    }
    if (!reader)
      throw ModelError("the channel '" + channels->infos[number].name +
                       "' is an integral over the run or belongs to a step, and is not kept; call attach_ledger() before the run");
    return reader->values()[number];
  }
  /// On the coordinates of the first call.
  MinimalState& minimal_vector(bool anew = false) {
    if (minimal && !anew) return *minimal;
    const StateVector& state = loop->state();
    if (minimal)
      minimal->select(state);
    else if (coordinates && !anew)
      minimal = std::make_unique<MinimalState>(compiled, state, *coordinates);
    else
      minimal = std::make_unique<MinimalState>(compiled, state);
    fill_infos(minimal->variables(), minimal_states);
    return *minimal;
  }
  void observe() {
    if (observed) return;
    if (!observer) observer = make_observer(compiled);
    observer->observe(loop->state(), loop->state().time > 0 ? Side::left : Side::right);
    observed = true;
  }

  StepColumns& columns_of(const std::vector<std::string>& parameters) {
    const MakeStepColumns make = step_columns_factory();
    if (make == nullptr) throw ModelError("the core library has no derivatives with respect to parameters; the whole library has them");
    if (!by_parameters || columns != parameters) by_parameters = make(*compiled, parameters);
    columns = parameters;
    return *by_parameters;
  }

  SingleUse use;
  std::shared_ptr<const Model> model;
  const Model::Content::Channels* channels = nullptr;  // of the model, once they are needed
  std::shared_ptr<const CompiledModel> compiled;       // the model's, or with own parameters
  std::unique_ptr<OwnParameters> own;
  std::vector<std::string> start_warnings;  // what is doubtful about the last start
  std::unique_ptr<StepLoop> loop;
  std::unique_ptr<Observer> observer;                  // made when first needed
  std::unique_ptr<MinimalState> minimal, coordinates;  // of the present machine; of the one before, whose coordinates it keeps
  std::vector<ChannelInfo> minimal_states;
  std::unique_ptr<TransitionMap> transition;
  std::unique_ptr<StepColumns> by_parameters;  // of the paths in columns
  std::vector<std::string> columns;
  bool observed = false;    // at the present state
  bool inputs_set = false;  // since the last step
  std::optional<ChannelReader> reader;
  std::optional<StepCounter> counter;
  GridStep grid;
  double seconds = 0;
  std::string error;
  std::function<bool(double)> progress;
  std::function<void(const Message&)> sink;
  std::vector<std::pair<Incident::Kind, std::string>> told;
  bool limit_told = false, late_told = false;
};

Simulation::Simulation(std::unique_ptr<Content> content) : content_(std::move(content)) {}
Simulation::Simulation(std::shared_ptr<const Model> model, Start start)
    : content_(translated([&] {
        if (!model) throw ModelError("a simulation needs a model");
        return std::make_unique<Content>(std::move(model), start);
      })) {}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

const std::shared_ptr<const CompiledModel>& Simulation::compiled() const {
  if (content_->changed()) content_->rebuild(std::nullopt);
  return content_->compiled;
}
const std::shared_ptr<const Model>& Simulation::model() const { return content_->model; }
double Simulation::time() const { return content_->loop->state().time; }
double Simulation::step_size() const { return content_->model->step_size(); }
double Simulation::duration() const { return content_->model->duration(); }

// ---- steps

StepReport Simulation::try_step() noexcept {
  const SingleUse::Scope use(content_->use);
  Content& c = *content_;
  StepReport report;
  try {
    const long before = c.grid.iterations;
    const GridStep::Result result = c.advance(std::numeric_limits<double>::infinity());
    report.iterations = static_cast<int>(c.grid.iterations - before);
    report.violation = c.grid.violation;
    report.subdivided = c.grid.subdivided;
    if (result == GridStep::Result::done) {
      if (!c.error.empty()) c.error.clear();
      return report;
    }
    c.error = c.grid.error();
  } catch (const std::exception& error) {
    try {
      c.error = error.what();
    } catch (...) {}  // out of memory: failed without a text
  }
  report.status = StepReport::Status::failed;
  return report;
}

std::string Simulation::error() const { return content_->error; }

void Simulation::step() { run_until(content_->loop->schedule().grid_point_after(time())); }

void Simulation::run_until(double end) {
  const SingleUse::Scope use(content_->use);
  require_finite(end, "the end of a run");
  Content& c = *content_;
  const auto begin = std::chrono::steady_clock::now();
  translated([&] {
    for (int i = 1; !c.loop->schedule().reached(time(), end); ++i) {
      const GridStep::Result result = c.advance(end);
      if (result == GridStep::Result::failed) {
        c.error = c.grid.error();
        throw SimulationError(*c.grid.failure());
      }
      if (i % kStepsBetweenReports == 0 && c.progress && !c.progress(time()))
        throw SimulationError(time(), "", "the run was cancelled by its progress hook", "");
    }
  });
  c.error.clear();
  c.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void Simulation::on_progress(std::function<bool(double)> hook) {
  const SingleUse::Scope use(content_->use);
  content_->progress = std::move(hook);
}

void Simulation::on_message(std::function<void(const Message&)> sink) {
  const SingleUse::Scope use(content_->use);
  Content& c = *content_;
  c.sink = std::move(sink);
  c.forget_told();
  if (!c.sink) return;
  attach_incidents();
  translated([&] { c.send_warnings(); });
}

void Simulation::restart(Start start) {
  const SingleUse::Scope use(content_->use);
  Content& c = *content_;
  translated([&] {
    if (c.changed()) {
      c.rebuild(start);
    } else {
      c.loop->restore(c.model->content().start_of(c.compiled, start, &c.start_warnings));
      c.begin_watching();
      if (c.counter) c.counter.emplace(*c.loop);
    }
  });
  c.forget_told();
  c.error.clear();
  c.forget();
  if (c.sink) translated([&] { c.send_start_warnings(); });
}

// ---- inputs and parameters

void Simulation::set(InputIndex input, double value) { set(input, value, 0); }
void Simulation::set(InputIndex input, double value, double slope) {
  const SingleUse::Scope use(content_->use);
  Content& c = *content_;
  const auto& inputs = c.model->content().inputs;
  if (input.number < 0 || static_cast<std::size_t>(input.number) >= inputs.size()) check_index(input.number, inputs.size(), "input");
  if (!std::isfinite(value) || !std::isfinite(slope))
    throw ModelError("input " + inputs[static_cast<std::size_t>(input.number)].name + " must be a finite number");
  if (slope != 0 && std::isfinite(inputs[static_cast<std::size_t>(input.number)].rate_limit))
    throw ModelError("input " + inputs[static_cast<std::size_t>(input.number)].name + " has a rate limit and accepts no slope");
  c.loop->set_input(input.number, value, slope);
  c.observed = false;
  c.inputs_set = true;
}
double Simulation::value(InputIndex input) const {
  check_index(input.number, content_->model->content().inputs.size(), "input");
  return content_->loop->input(input.number);
}

void Simulation::set_parameter(ParameterIndex parameter, double value) {
  const SingleUse::Scope use(content_->use);
  Content& c = *content_;
  check_index(parameter.number, c.model->parameters().size(), "parameter");
  if (!c.own) c.own = std::make_unique<OwnParameters>(*c.model);
  c.own->set(parameter.number, value);
}
double Simulation::value(ParameterIndex parameter) const {
  check_index(parameter.number, content_->model->parameters().size(), "parameter");
  const auto at = static_cast<std::size_t>(parameter.number);
  return content_->own ? content_->own->value(parameter.number) : content_->model->parameters()[at].value;
}

// ---- reading

double Simulation::value(ChannelIndex channel) const {
  const SingleUse::Scope use(content_->use);
  return content_->channel(channel.number);
}
void Simulation::read(const std::vector<ChannelIndex>& channels, double* out) const {
  const SingleUse::Scope use(content_->use);
  for (const ChannelIndex channel : channels) *out++ = content_->channel(channel.number);
}
void Simulation::attach_ledger() {
  Content& c = *content_;
  if (c.reader) return;
  translated([&] {
    c.reader.emplace(c.compiled);
    c.reader->begin(c.loop->state());
  });
}
void Simulation::attach_incidents() {
  if (!content_->counter) content_->counter.emplace(*content_->loop);
}
[[gnu::cold]] std::vector<Incident> Simulation::incidents() const {
  std::vector<Incident> list;
  if (!content_->counter) return list;
  for_each_incident(content_->counter->statistics.incidents,
                    [&](Incident::Kind kind, const std::string& name, long count, long steps, double first_time) {
                      list.push_back({kind, name, count, steps, first_time});
                    });
  return list;
}

const std::vector<ChannelInfo>& Simulation::channels() const { return content_->model->channels(); }
int Simulation::find(const std::string& channel) const { return content_->model->channel(channel).number; }
std::vector<double> Simulation::values() const {
  const Model::Content::Channels& all = content_->model->content().channels();
  std::vector<double> values(all.infos.size(), kNaN);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (content_->reader || all.places[i].kind != ChannelPlace::Kind::kept) values[i] = content_->channel(static_cast<int>(i));
  return values;
}

// ---- state

State Simulation::state() const {
  State state;
  read_state(state);
  return state;
}
void Simulation::read_state(State& state) const {
  const SingleUse::Scope use(content_->use);
  if (!state.content_) state.content_ = std::make_unique<State::Content>();
  state.content_->model = content_->model->fingerprint();
  state.content_->state = content_->loop->state();
}
void Simulation::set_state(const State& state) {
  const SingleUse::Scope use(content_->use);
  Content& c = *content_;
  if (state.empty() || state.fingerprint() != c.model->fingerprint())
    throw ModelError("the state belongs to another model: its structure or its names differ");
  translated([&] { c.loop->restore(state.content_->state); });
  c.begin_watching();
  c.forget();
}

const std::vector<ChannelInfo>& Simulation::minimal_states() const {
  translated([&] { (void)content_->minimal_vector(); });
  return content_->minimal_states;
}
std::vector<double> Simulation::minimal_state() const {
  std::vector<double> x(minimal_states().size());
  read_minimal_state(x.data());
  return x;
}
void Simulation::read_minimal_state(double* x) const {
  const SingleUse::Scope use(content_->use);
  translated([&] {
    const MinimalState& minimal = content_->minimal_vector();
    minimal.read(content_->loop->state(), {x, static_cast<std::size_t>(minimal.size())});
  });
}
void Simulation::set_minimal_state(const std::vector<double>& x) {
  const SingleUse::Scope use(content_->use);
  Content& c = *content_;
  translated([&] {
    c.prepare();
    MinimalState& minimal = c.minimal_vector();
    StateVector state = c.loop->state();
    minimal.set(x, state);
    c.loop->restore(state);
    if (c.compiled->layout.coupling > 0 && !c.loop->restart()) throw c.loop->failure();
  });
  c.begin_watching();
  c.forget();
}
void Simulation::select_coordinates() {
  translated([&] {
    if (content_->changed()) content_->rebuild(std::nullopt);
    (void)content_->minimal_vector(true);
  });
}

Snapshot Simulation::save() const {
  Snapshot snapshot;
  save(snapshot);
  return snapshot;
}
void Simulation::save(Snapshot& snapshot) const {
  const SingleUse::Scope use(content_->use);
  const Content& c = *content_;
  if (!snapshot.content_ || snapshot.content_.use_count() > 1) snapshot.content_ = std::make_shared<Snapshot::Content>();
  Snapshot::Content& to = *snapshot.content_;
  to.model = c.model->fingerprint();
  to.state = c.loop->state();
  if (!c.reader)
    to.ledger.reset();
  else if (to.ledger)
    *to.ledger = c.reader->ledger();
  else
    to.ledger.emplace(c.reader->ledger());
}
void Simulation::restore(const Snapshot& snapshot) {
  const SingleUse::Scope use(content_->use);
  Content& c = *content_;
  if (snapshot.empty() || snapshot.content_->model != c.model->fingerprint())
    throw ModelError("the snapshot belongs to another model: its structure or its names differ");
  translated([&] { c.loop->restore(snapshot.content_->state); });
  if (c.reader && snapshot.content_->ledger)
    c.reader->resume(snapshot.content_->state, *snapshot.content_->ledger);
  else if (c.reader)
    c.reader->begin(snapshot.content_->state);
  if (c.counter) c.counter->begin();
  c.forget();
}

Transition Simulation::transition(const std::vector<ParameterIndex>& parameters) const {
  const SingleUse::Scope use(content_->use);
  Content& c = *content_;
  for (const ParameterIndex i : parameters) check_index(i.number, c.model->parameters().size(), "parameter");
  const StepLoop& loop = *c.loop;
  if (!loop.last_step()) throw ModelError("there is no step to differentiate: make one after the state was set");
  return translated([&] {
    if (!c.transition) c.transition = std::make_unique<TransitionMap>(c.compiled, loop.before());
    c.transition->evaluate(loop.before(), loop.state(), loop.state().time - loop.before().time, *loop.last_step());
    Transition t;
    t.begin = loop.before().time, t.end = loop.state().time;
    fill_infos(c.transition->states(), t.states);
    fill_infos(c.transition->inputs(), t.inputs);
    fill_rows(c.transition->F(), t.F);
    fill_rows(c.transition->G(), t.G);
    for (const ParameterIndex i : parameters) t.parameters.push_back(c.model->parameters()[static_cast<std::size_t>(i.number)].name);
    Eigen::MatrixXd P(static_cast<Eigen::Index>(t.states.size()), 0);
    if (!parameters.empty())
      c.columns_of(t.parameters).by_parameters({c.transition->coordinates(), loop.before(), loop.state(), t.end - t.begin}, P);
    fill_rows(P, t.P);
    return t;
  });
}

long Simulation::steps() const { return content_->grid.steps; }
long Simulation::iterations() const { return content_->grid.iterations; }
double Simulation::step_seconds() const { return content_->seconds; }

}  // namespace trunnion
