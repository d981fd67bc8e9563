// Batches of the public interface. Scratch carries no information from step to step, so that a machine is its state: each thread advances
// its machines with one set of scratch; only machines with parameters of their own have a model, and scratch, of their own.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_set>
#include <vector>

#include "base/assert.h"
#include "cosimulation/workers.h"
#include "front/content.h"
#include "front/lane_group.h"
#include "run/general_lanes.h"
#include "trunnion/batch.h"

namespace trunnion {

namespace {

/// The first number that is there more than once; -1: none.
template <class Index>
int given_twice(const std::vector<Index>& list) {
  std::unordered_set<int> seen;
  for (const Index i : list)
    if (!seen.insert(i.number).second) return i.number;
  return -1;
}

int threads_of(int wanted) {
  if (wanted < 0) throw ModelError("the number of threads of a batch must not be negative");
  return wanted > 0 ? wanted : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

std::shared_ptr<const LaneStep> lanes_of(const StepLoop& loop, std::string& remark) {
  return lanes_of(loop.stepper(), loop.shared_model(), remark);
}

/// What f() throws, with the number of the machine.
template <class F>
void of_machine(std::size_t number, F&& f) {
  const auto named = [&](const char* what) { return "machine " + std::to_string(number) + ": " + what; };
  try {
    translated(f);
  } catch (const RunError& error) {
    throw RunError(named(error.what()), error.time(), error.equations(), error.remedy());
  } catch (const ModelError& error) { throw ModelError(named(error.what()), error.findings()); }
}

/// The model, whose compiled steps have the parameters of the batch as arguments: all machines share one code.
std::shared_ptr<const Model> with_arguments(std::shared_ptr<const Model> model, const std::vector<ParameterIndex>& parameters) {
  const CompiledModel& compiled = *model->content().compiled;
  if (compiled.description.solver.compiled == CompiledKind::off || parameters.empty()) return model;
  Description description = compiled.description;
  for (const ParameterIndex i : parameters)
    description.solver.compiled_parameters.push_back(model->parameters()[static_cast<std::size_t>(i.number)].name);
  return std::make_shared<const Model>(std::make_unique<const Model::Content>(compile(description)));
}

}  // namespace

struct Batch::Content {
  struct Machine {
    StateVector state;
    std::unique_ptr<StepLoop> loop;      // with parameters of its own; null: that of the thread
    std::unique_ptr<StepLoop> next;      // during a reset: the one at its start
    std::unique_ptr<Observer> observer;  // the same, made when first needed
    std::unique_ptr<OwnParameters> own;
    std::vector<double> prepared;  // for lanes, if it has a loop of its own
    std::uint64_t way = 0;         // by lanes
    bool by_lanes = false;
    std::string error;
    bool failed = false;
  };
  /// What a thread needs to advance and read machines.
  struct Tools {
    std::unique_ptr<StepLoop> loop;
    std::unique_ptr<Observer> observer;
    std::unique_ptr<LaneGroup> lanes;       // null: without, or groups have their own
    std::vector<LaneGroup::Machine> group;  // side by side
    std::vector<std::size_t> numbers;       // of these machines
    GridStep grid;
  };

  [[gnu::cold]] Content(std::shared_ptr<const Model> of, int n, BatchOptions given)
      : model(std::move(of)), options(std::move(given)), workers(std::min(threads_of(options.threads), n)) {
    if (!model) throw ModelError("a batch needs a model");
    if (n < 1) throw ModelError("a batch needs at least one machine");
    for (const InputIndex i : options.inputs) check_index(i.number, model->inputs().size(), "input");
    const Model::Content::Channels& channels = model->content().channels();
    for (const ChannelIndex i : options.outputs) {
      check_index(i.number, channels.infos.size(), "channel");
      const ChannelPlace& place = channels.places[static_cast<std::size_t>(i.number)];
      if (place.kind == ChannelPlace::Kind::kept)
        throw ModelError("the channel '" + channels.infos[static_cast<std::size_t>(i.number)].name +
                         "' is an integral over the run or belongs to a step, and is not kept in a batch");
      observes = observes || place.kind == ChannelPlace::Kind::observed;
    }
    for (const ParameterIndex i : options.parameters) check_index(i.number, model->parameters().size(), "parameter");
    if (const int twice = given_twice(options.inputs); twice >= 0)
      throw ModelError("the input '" + model->inputs()[static_cast<std::size_t>(twice)].name + "' is given twice");
    if (const int twice = given_twice(options.parameters); twice >= 0)
      throw ModelError("the parameter '" + model->parameters()[static_cast<std::size_t>(twice)].name + "' is given twice");
    const std::size_t wanted = options.parameters.size() * static_cast<std::size_t>(n);
    if (!options.values.empty() && options.values.size() != wanted)
      throw ModelError("a batch of " + std::to_string(n) + " machines with " + std::to_string(options.parameters.size()) +
                       " parameters needs " + std::to_string(wanted) + " values");
    model = with_arguments(std::move(model), options.parameters);
    start = model->content().start_of(model->content().compiled, options.start);
    const int threads = std::min(threads_of(options.threads), n);
    tools.resize(static_cast<std::size_t>(threads));
    for (Tools& tool : tools) tool.loop = std::make_unique<StepLoop>(model->content().compiled, start);
    machines.resize(static_cast<std::size_t>(n));
    for (Machine& machine : machines) machine.state = start;
    if (options.lanes == Lanes::automatic) find_lanes();
    for (std::size_t i = 0; i < machines.size() && !options.values.empty(); ++i)
      set_parameters(i, options.values.data() + i * options.parameters.size());
    if (!options.values.empty()) reset(nullptr);
  }

  [[gnu::cold]] void find_lanes() {
    lanes = lanes_of(*tools.front().loop, remark);
    if (!lanes) return;
    std::optional<std::vector<double>> numbers = lanes->prepare(*model->content().compiled);
    if (numbers) prepared = std::move(*numbers);
    for (Machine& machine : machines) machine.by_lanes = numbers.has_value();
    if (!options.parameters.empty() && lanes->has_ways())
      for (std::size_t i = 0; i < machines.size(); i += kLaneCount) groups.push_back(std::make_unique<LaneGroup>(lanes));
    for (Tools& tool : tools) {
      if (groups.empty()) tool.lanes = std::make_unique<LaneGroup>(lanes);
      tool.group.reserve(machines_at_once());
      tool.numbers.reserve(machines_at_once());
    }
  }

  /// With a loop of its own.
  void find_lanes(Machine& machine) const {
    std::string ignored;
    machine.by_lanes = lanes && lanes_of(*machine.loop, ignored) == lanes;
    std::optional<std::vector<double>> numbers;
    if (machine.by_lanes) numbers = lanes->prepare(machine.loop->model());
    machine.by_lanes = numbers.has_value();
    if (numbers) machine.prepared = std::move(*numbers);
  }

  void set_parameters(std::size_t number, const double* values) {
    of_machine(number, [&] {
      auto own = std::make_unique<OwnParameters>(*model);
      for (std::size_t k = 0; k < options.parameters.size(); ++k) own->set(options.parameters[k].number, values[k]);
      machines[number].own = std::move(own);
    });
  }

  /// Calls work(machine, tools) on the threads for every machine, or every so many machines.
  template <class Work>
  void for_each(Work&& work, std::size_t at_once = 1) {
    std::atomic<std::size_t> next{0};
    auto share = [&](int thread) {
      for (std::size_t i = next.fetch_add(at_once); i < machines.size(); i = next.fetch_add(at_once))
        work(i, tools[static_cast<std::size_t>(thread)]);
    };
    workers.run(static_cast<int>(tools.size()), share);
  }

  /// All or none: machines are changed once each has its start.
  void reset(const unsigned char* mask) {
    find_starts(mask);
    for_each([&](std::size_t i, Tools&) {
      if (mask != nullptr && mask[i] == 0) return;
      Machine& machine = machines[i];
      if (machine.next) {
        machine.loop = std::move(machine.next);
        machine.state = machine.loop->state();
        machine.observer.reset();
        if (lanes) find_lanes(machine);
      } else {
        machine.state = start;
      }
      machine.failed = false;
      machine.error.clear();
    });
  }
  void find_starts(const unsigned char* mask) {
    std::mutex failing;
    std::size_t first = machines.size();  // of those without a start
    std::exception_ptr why;
    for_each([&](std::size_t i, Tools&) {
      Machine& machine = machines[i];
      if (!machine.own || (mask != nullptr && mask[i] == 0)) return;
      try {
        of_machine(i, [&] {
          std::shared_ptr<const CompiledModel> compiled = machine.own->compile();
          machine.own->take_into_use();
          const StateVector at_start = model->content().start_of(compiled, options.start);
          machine.next = std::make_unique<StepLoop>(std::move(compiled), at_start);
        });
      } catch (...) {
        const std::lock_guard lock(failing);
        if (i < first) why = std::current_exception();
        first = std::min(first, i);
      }
    });
    if (!why) return;
    for (Machine& machine : machines) machine.next.reset();
    std::rethrow_exception(why);
  }

  /// Machines that a thread advances side by side.
  std::size_t machines_at_once() const {
    constexpr std::size_t kMost = 256;
    if (!lanes) return 1;
    if (!lanes->has_ways() || !groups.empty()) return kLaneCount;
    const std::size_t share = (machines.size() + tools.size() - 1) / tools.size();
    return std::clamp<std::size_t>((share + kLaneCount - 1) / kLaneCount * kLaneCount, kLaneCount, kMost);
  }

  /// The machines from number `first` on, `count` of them.
  void step_by_lanes(std::size_t first, std::size_t count, Tools& tool, int steps) {
    tool.group.clear();
    tool.numbers.clear();
    for (std::size_t i = first; i < std::min(first + count, machines.size()); ++i) {
      Machine& machine = machines[i];
      if (machine.failed) continue;
      if (!machine.by_lanes) {
        step(machine, tool, steps);
        continue;
      }
      tool.group.push_back({&machine.state, machine.loop ? &machine.prepared : &prepared, machine.way});
      tool.numbers.push_back(i);
    }
    if (tool.group.empty()) return;
    const auto single = [&](int k) {
      Machine& machine = machines[tool.numbers[static_cast<std::size_t>(k)]];
      step(machine, tool, 1);
      return !machine.failed;
    };
    LaneGroup& states = groups.empty() ? *tool.lanes : *groups[first / kLaneCount];
    states.advance(tool.group, *tool.loop, steps, std::ref(single));  // by reference: without an allocation
    for (std::size_t k = 0; k < tool.group.size(); ++k) machines[tool.numbers[k]].way = tool.group[k].way;
  }

  static StepLoop& loop_of(Machine& machine, Tools& tool) { return machine.loop ? *machine.loop : *tool.loop; }

  void step(Machine& machine, Tools& tool, int steps) {
    if (machine.failed) return;
    StepLoop& loop = loop_of(machine, tool);
    loop.restore(machine.state);
    for (int k = 0; k < steps && !machine.failed; ++k) {
      machine.failed = tool.grid.advance(loop, std::numeric_limits<double>::infinity(), nullptr) == GridStep::Result::failed;
      if (machine.failed) machine.error = tool.grid.error();
    }
    machine.state = loop.state();
  }

  void read(Machine& machine, Tools& tool, double* out) const {
    const Model::Content::Channels& channels = model->content().channels();
    const std::shared_ptr<const CompiledModel>& compiled = machine.loop ? machine.loop->shared_model() : model->content().compiled;
    Observer* observer = nullptr;
    if (observes) {
      std::unique_ptr<Observer>& made = machine.loop ? machine.observer : tool.observer;
      if (!made) made = make_observer(compiled);
      observer = made.get();
      observer->observe(machine.state, machine.state.time > 0 ? Side::left : Side::right);
    }
    for (const ChannelIndex index : options.outputs) {
      const ChannelPlace& place = channels.places[static_cast<std::size_t>(index.number)];
      switch (place.kind) {
        case ChannelPlace::Kind::time:
          *out++ = machine.state.time;
          break;
        case ChannelPlace::Kind::state:
          *out++ = machine.state.values()[place.index];
          break;
        case ChannelPlace::Kind::input:
          *out++ = signals_at(*compiled, machine.state)
                       .value(compiled->signals.first_input() + static_cast<int>(place.index), machine.state.time, Side::right);
          break;
        case ChannelPlace::Kind::observed:
          *out++ = observer->value(place.index);
          break;
        case ChannelPlace::Kind::kept:
          break;  // refused at construction
      }
    }
  }

  SingleUse use;
  std::shared_ptr<const Model> model;
  BatchOptions options;
  StateVector start;
  bool observes = false;                           // outputs beyond the state
  std::shared_ptr<const LaneStep> lanes;           // null: without
  std::vector<double> prepared;                    // for them, of the model
  std::vector<std::unique_ptr<LaneGroup>> groups;  // of machines with parameters of their own; empty: those of the threads
  std::string remark;
  std::vector<Machine> machines;
  std::vector<Tools> tools;  // per thread
  Workers workers;
};

Batch::Batch(std::shared_ptr<const Model> model, int machines, BatchOptions options)
    : content_(translated([&] { return std::make_unique<Content>(std::move(model), machines, std::move(options)); })) {}
Batch::Batch(Batch&&) noexcept = default;
Batch& Batch::operator=(Batch&&) noexcept = default;
Batch::~Batch() = default;

int Batch::size() const { return static_cast<int>(content_->machines.size()); }
const BatchOptions& Batch::options() const { return content_->options; }
const std::string& Batch::remark() const { return content_->remark; }

namespace {

template <class Machines>
auto& machine_at(Machines& machines, int number) {
  check_index(number, machines.size(), "machine");
  return machines[static_cast<std::size_t>(number)];
}

}  // namespace

double Batch::time(int machine) const { return machine_at(content_->machines, machine).state.time; }
bool Batch::failed(int machine) const { return machine_at(content_->machines, machine).failed; }
std::string Batch::error(int machine) const { return machine_at(content_->machines, machine).error; }

void Batch::set_inputs(const double* values) {
  const SingleUse::Scope use(content_->use);
  const std::size_t columns = content_->options.inputs.size();
  for (std::size_t i = 0; i < content_->machines.size() * columns; ++i)
    if (!std::isfinite(values[i]))
      throw ModelError("input " + content_->model->inputs()[static_cast<std::size_t>(content_->options.inputs[i % columns].number)].name +
                       " of machine " + std::to_string(i / columns) + " must be a finite number");
  content_->for_each([&](std::size_t i, Content::Tools&) {
    Content::Machine& machine = content_->machines[i];
    const CompiledModel& own = machine.loop ? machine.loop->model() : *content_->model->content().compiled;
    for (std::size_t k = 0; k < columns; ++k) set_input(own, machine.state, content_->options.inputs[k].number, values[i * columns + k], 0);
  });
}

int Batch::step(int steps) {
  const SingleUse::Scope use(content_->use);
  if (steps < 0) throw ModelError("the number of steps must not be negative");
  if (content_->lanes) {
    const std::size_t count = content_->machines_at_once();
    content_->for_each([&](std::size_t i, Content::Tools& tool) { content_->step_by_lanes(i, count, tool, steps); }, count);
  } else {
    content_->for_each([&](std::size_t i, Content::Tools& tool) { content_->step(content_->machines[i], tool, steps); });
  }
  int failed = 0;
  for (const Content::Machine& machine : content_->machines) failed += machine.failed ? 1 : 0;
  return failed;
}

void Batch::read(double* values) const {
  const SingleUse::Scope use(content_->use);
  const std::size_t columns = content_->options.outputs.size();
  const auto read = [&](std::size_t i, Content::Tools& tool) { content_->read(content_->machines[i], tool, values + i * columns); };
  if (content_->observes) return content_->for_each(read);
  for (std::size_t i = 0; i < content_->machines.size(); ++i) read(i, content_->tools.front());  // copies: threads would cost more
}

void Batch::reset(const unsigned char* mask) {
  const SingleUse::Scope use(content_->use);
  translated([&] { content_->reset(mask); });
}

void Batch::set_parameters(int machine, const double* values) {
  const SingleUse::Scope use(content_->use);
  check_index(machine, content_->machines.size(), "machine");
  content_->set_parameters(static_cast<std::size_t>(machine), values);
}

State Batch::state(int machine) const {
  const SingleUse::Scope use(content_->use);
  State state;
  state.set_content(State::Content{content_->model->fingerprint(), machine_at(content_->machines, machine).state});
  return state;
}
void Batch::set_state(int machine, const State& state) {
  if (state.empty() || state.fingerprint() != content_->model->fingerprint())
    throw ModelError("the state belongs to another model: its structure or its names differ");
  const SingleUse::Scope use(content_->use);
  Content::Machine& to = machine_at(content_->machines, machine);
  to.state = state.content()->state;
  to.failed = false;
  to.error.clear();
}

}  // namespace trunnion
