// Steps by code that was generated for the model, compiled and loaded (compiled_code.h): of one machine, and of lanes.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/compiled_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "machine/start.h"
#include "recording/c_source.h"
#include "recording/compiled_code.h"
#include "recording/record_run.h"
#include "recording/recorded_machine.h"
#include "run/step_loop.h"
#include "solve/lane_step.h"

namespace trunnion {

namespace {

using recording::RecordedMachine;

constexpr double kSame = 1e-9;  // largest relative difference from the general step in the first one

/// What `make` gives for the code of a model, once in this process for all steppers of the model, and of models like it.
template <class Made, class Make>
std::shared_ptr<const Made> shared_by_model(const std::shared_ptr<const CompiledModel>& given, Make&& make) {
  const std::shared_ptr<const CompiledModel> model = model_of_code(given);
  static std::mutex mutex;
  static std::map<std::weak_ptr<const CompiledModel>, std::shared_ptr<const Made>, std::owner_less<>> known;
  const std::lock_guard lock(mutex);
  std::erase_if(known, [](const auto& entry) { return entry.first.expired(); });
  std::shared_ptr<const Made>& made = known[model];
  if (made == nullptr) made = make(model);
  return made;
}

std::shared_ptr<const CompiledCode> shared_code_of(const std::shared_ptr<const CompiledModel>& model) {
  return shared_by_model<CompiledCode>(model,
                                       [](const auto& own) { return std::make_shared<const CompiledCode>(code_of(own, CodeKind::step)); });
}

/// A number of a signal.
double part_of(const SignalValue& value, int derivative) {
  return derivative == 0 ? value.value : derivative == 1 ? value.rate : value.acceleration;
}

/// Relative to the largest number of its kind; of velocities and accelerations, which may be rounding errors of rest, their displacements
/// over a step, relative to the configuration. Infinite if courses of inputs differ.
double largest_difference(const StateVector& a, const StateVector& b, double h) {
  constexpr double kMoved = 1e-3;  // share of the configuration that is a displacement
  const StateLayout& n = a.layout();
  double largest = 0;
  const auto compare = [&](const double* x, const double* y, int count, double unit, double least) {
    double size = least, difference = 0;
    for (int i = 0; i < count; ++i) {
      if (!std::isfinite(x[i])) difference = std::numeric_limits<double>::infinity();
      size = std::max(size, unit * std::abs(y[i]));
      difference = std::max(difference, unit * std::abs(x[i] - y[i]));
    }
    if (difference > 0) largest = std::max(largest, difference / size);
    return size;
  };
  const double moved = kMoved * compare(a.q(), b.q(), n.nq, 1, 0);
  compare(a.v(), b.v(), n.nv, h, moved);
  compare(a.a(), b.a(), n.nv, h * h, moved);
  compare(a.y(), b.y(), n.ny, 1, 0);
  return std::equal(a.inputs(), a.inputs() + n.inputs, b.inputs()) ? largest : std::numeric_limits<double>::infinity();
}

/// The signals that the code needs, at the start (side 0) or the end of a step; take(i, number).
template <class Take>
void evaluate_signals(const CompiledCode& code, std::size_t side, const Signals& signals, double time, double h, Take&& take) {
  SignalValue value;
  int last = -1;
  for (std::size_t i = 0; i < code.signals[side].size(); ++i) {
    const SignalPart part = code.signals[side][i];
    if (part.signal != last)
      value = side == 0 ? signals.evaluate(part.signal, time, Side::right) : signals.evaluate(part.signal, time + h, Side::left);
    last = part.signal;
    take(i, part_of(value, part.derivative));
  }
}

// ---------------------------------------------------------------- lanes

class CompiledLanes final : public LaneStep {
 public:
  explicit CompiledLanes(const std::shared_ptr<const CompiledModel>& model)
      : code_(changes_between_steps(*model) ? none("samples and modes of control blocks change between steps")
                                            : code_of(model, CodeKind::lanes)),
        signals_(model->signals),
        numbers_(StateVector(model->layout).values().size()),
        works_(code_.step_of_lanes != nullptr) {
    if (works_) check(model);
  }

  bool works() const { return works_; }
  const std::string& remark() const { return code_.remark; }

  LaneStates states() const override {
    LaneStates states;
    states.x.resize(numbers_);
    states.prepared.resize(code_.prepared);
    for (const std::size_t side : {0, 1}) states.signals[side].resize(code_.signals[side].size());
    states.report.resize(RecordedMachine::report_size);
    return states;
  }

  std::optional<std::vector<double>> prepare(const CompiledModel& model) const override {
    std::vector<double> numbers;
    if (!code_.prepare_for(model, numbers)) return std::nullopt;
    return numbers;
  }

  LaneResult step(LaneStates& states, unsigned lanes, double h) const override {
    for (const std::size_t side : {0, 1}) {
      int evaluated = -1;  // the last lane of which
      for (int lane = 0; lane < kLaneCount; ++lane) {
        if ((lanes >> lane & 1U) == 0) continue;
        if (evaluated >= 0 && are_equal(states, lane, evaluated)) {
          for (LaneNumbers& number : states.signals[side]) at(number, lane) = at(number, evaluated);
        } else {
          evaluate_signals(code_, side, {signals_, states.inputs[static_cast<std::size_t>(lane)]}, at(states.time, lane), h,
                           [&](std::size_t i, double number) { at(states.signals[side][i], lane) = number; });
        }
        evaluated = lane;
      }
    }
    const unsigned without = code_.step_of_lanes(first(states.x), states.time.of.data(), h, first(states.signals[0]),
                                                 first(states.signals[1]), first(states.prepared), first(states.report), lanes);
    return {.done = lanes & ~without};
  }

 private:
  static double& at(LaneNumbers& numbers, int lane) { return numbers.of[static_cast<std::size_t>(lane)]; }
  static double* first(std::vector<LaneNumbers>& numbers) { return numbers.empty() ? nullptr : numbers.front().of.data(); }
  /// Whether the signals of two lanes have the same values.
  bool are_equal(LaneStates& states, int a, int b) const { return signals_.inputs() == 0 && at(states.time, a) == at(states.time, b); }

  static CompiledCode none(const char* why) {
    CompiledCode code;
    code.remark = fmt::format("no lanes: {}", why);
    return code;
  }
  /// Compares the first step of the model's run that the lanes have with the general one.
  void check(const std::shared_ptr<const CompiledModel>& model) {
    constexpr int kFirstSteps = 100, kLane = 3;
    works_ = false;
    const std::shared_ptr<const CompiledModel> general_model = by_general_steps(model);
    const std::optional<std::vector<double>> prepared = prepare(*general_model);
    StepLoop loop(general_model, start_state(*general_model));
    LaneStates states = this->states();
    for (std::size_t i = 0; prepared && i < states.prepared.size(); ++i) states.prepared[i].of.fill((*prepared)[i]);
    const double h = loop.schedule().step(), duration = general_model->description.solver.duration;
    for (int k = 0; prepared && k < kFirstSteps && !loop.schedule().reached(loop.state().time, duration); ++k) {
      if (loop.restart_due() && !loop.restart()) break;
      StateVector by_lanes = loop.state();
      for (std::size_t i = 0; i < states.x.size(); ++i) states.x[i].of.fill(by_lanes.values()[i]);
      states.time.of.fill(by_lanes.time);
      states.inputs[kLane] = by_lanes.inputs();
      const bool has = loop.ordinary_end(by_lanes.time) && step(states, 1U << kLane, h).done != 0;
      if (!loop.step(duration, nullptr).ok()) break;
      if (!has) continue;
      for (std::size_t i = 0; i < states.x.size(); ++i) by_lanes.values()[i] = at(states.x[i], kLane);
      const double difference = largest_difference(by_lanes, loop.state(), h);
      works_ = difference < kSame;
      if (!works_)
        code_.remark =
            fmt::format("no lanes: they differ from the general step by {:.2g} of the largest values in a first step", difference);
      return;
    }
    code_.remark = "no lanes: they have none of the first steps";
  }

  CompiledCode code_;
  SignalSet signals_;  // of all machines: no parameters of the code change signals (record_run.cpp)
  std::size_t numbers_;
  bool works_;
};

// ---------------------------------------------------------------- the stepper

class CompiledStep final : public Stepper {
 public:
  CompiledStep(std::shared_ptr<const CompiledModel> model, std::unique_ptr<Stepper> general)
      : model_(std::move(model)),
        general_(std::move(general)),
        code_(shared_code_of(model_)),
        remark_(code_->remark),
        in_use_(code_->step != nullptr),
        checked_(model_->layout),
        report_(RecordedMachine::report_size) {
    for (const std::size_t side : {0, 1}) signals_[side].resize(code_->signals[side].size() + 1);
    if (in_use_) prepare();
  }

  StepOutcome step(StateVector& state, double h) override {
    if (!in_use_) return general_->step(state, h);
    if (!is_checked_) return first_step(state, h);
    return compiled(state, h) ? report() : general_->step(state, h);
  }
  bool restart(StateVector& state) override { return general_->restart(state); }
  void accept(StateVector& state) override { general_->accept(state); }
  StepOutcome step_oil(StateVector& state, double h, const std::function<void(const StepOutcome&)>& part) override {
    return general_->step_oil(state, h, part);
  }
  const StepErrors* errors() const override { return general_->errors(); }
  std::string remark() const override { return remark_; }
  std::string unknown_name(int unknown) const override { return general_->unknown_name(unknown); }
  std::shared_ptr<const LaneStep> lanes(std::string& remark) const override {
    const auto lanes = shared_by_model<CompiledLanes>(model_, [](const auto& own) { return std::make_shared<const CompiledLanes>(own); });
    remark = lanes->remark();
    return lanes->works() ? lanes : nullptr;
  }

 private:
  void prepare() {
    if (code_->prepare_for(*model_, prepared_)) return;
    in_use_ = false;
    remark_ = "general step: values of solver.compiled_parameters change more than numbers of the compiled step";
  }

  /// Whether the code has this step; otherwise the state is unchanged.
  bool compiled(StateVector& state, double h) {
    for (const std::size_t side : {0, 1})
      evaluate_signals(*code_, side, signals_at(*model_, state), state.time, h,
                       [&](std::size_t i, double number) { signals_[side][i] = number; });
    return code_->step(state.values().data(), state.time, h, signals_[0].data(), signals_[1].data(), prepared_.data(), report_.data()) == 0;
  }

  /// Of a step by the code.
  StepOutcome report() const {
    StepOutcome outcome;
    outcome.compiled = true;
    outcome.iterations = static_cast<int>(report_[RecordedMachine::iterations]);
    outcome.position_iterations = static_cast<int>(report_[RecordedMachine::position_iterations]);
    outcome.violation = report_[RecordedMachine::violation];
    outcome.velocity_violation = report_[RecordedMachine::velocity_violation];
    outcome.penalty = report_[RecordedMachine::penalty];
    outcome.penalty_limited = report_[RecordedMachine::penalty_limited] != 0;
    outcome.oil_rule = {report_[RecordedMachine::oil_rho], report_[RecordedMachine::oil_euler] != 0};
    return outcome;
  }

  /// The first step that the code has, by both; the code is left aside if they differ.
  StepOutcome first_step(StateVector& state, double h) {
    checked_ = state;
    const StepOutcome general = general_->step(state, h);
    if (!general.ok() || !compiled(checked_, h)) return general;
    is_checked_ = true;
    const double difference = largest_difference(checked_, state, h);
    if (!(difference < kSame)) {
      in_use_ = false;
      remark_ = fmt::format("general step: the compiled one differs by {:.2g} of the largest values in the first step", difference);
      return general;
    }
    state = checked_;
    return report();
  }

  std::shared_ptr<const CompiledModel> model_;
  std::unique_ptr<Stepper> general_;
  std::shared_ptr<const CompiledCode> code_;
  std::string remark_;
  bool in_use_, is_checked_ = false;
  StateVector checked_;
  std::array<std::vector<double>, 2> signals_;  // arguments
  std::vector<double> prepared_;                // what depends on the parameters alone
  std::vector<double> report_;
};

}  // namespace

MakeCompiledStep compiled_step_factory() {
  return [](const std::shared_ptr<const CompiledModel>& model, std::unique_ptr<Stepper> general) -> std::unique_ptr<Stepper> {
    return std::make_unique<CompiledStep>(model, std::move(general));
  };
}

}  // namespace trunnion
