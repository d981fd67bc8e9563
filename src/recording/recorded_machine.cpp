// Steps of the machine with recording numbers.
// SPDX-License-Identifier: BSD-3-Clause
#include "recording/recorded_machine.h"

#include "model/model.h"
#include "model/state.h"
#include "recording/inputs.h"
#include "run/motion_impulses.h"
#include "schema/compact.h"
#include "schema/parameters.h"
#include "solve/make_monolithic_stepper.h"
#include "solve/right_limit.h"

namespace recording {

namespace {

/// The description with parameters as inputs of a recording in progress.
trunnion::Description with_inputs(const std::string& compact, Recorder& recording, const std::vector<std::string>& parameters) {
  trunnion::Description description = trunnion::parse_compact(compact);
  for (const trunnion::Parameter& parameter : trunnion::parameters_of(description))
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (parameters[i] == parameter.path)
        *parameter.value = recording.input({InputKind::parameter, static_cast<int>(i)}, parameter.value->value());
  return description;
}

}  // namespace

struct RecordedMachine::Machine {
  explicit Machine(const trunnion::Description& description)
      : model(trunnion::compile(description)),
        stepper(trunnion::make_monolithic_stepper(model)),
        impulses(trunnion::make_motion_impulses(model)),
        state(model->layout) {}

  std::shared_ptr<const trunnion::CompiledModel> model;
  std::unique_ptr<trunnion::Stepper> stepper;
  std::unique_ptr<trunnion::MotionImpulses> impulses;
  trunnion::StateVector state;
};

RecordedMachine::RecordedMachine(const std::string& compact, Recorder& recording, const std::vector<std::string>& parameters)
    : recording_(recording) {
  set_signals_are_inputs(true);
  recording.begin_preparation();
  try {
    machine_ = std::make_unique<Machine>(with_inputs(compact, recording, parameters));
  } catch (...) {
    recording.abandon();
    throw;
  }
  recording.end_preparation();
}
RecordedMachine::~RecordedMachine() = default;

int RecordedMachine::size() const { return static_cast<int>(machine_->state.values().size()); }
int RecordedMachine::converged() { return static_cast<int>(trunnion::StepStatus::converged); }

/// Runs evaluation(report) from a state and ends the recording with the state that it leaves, and the report. Courses of inputs are numbers
/// of the state that evaluations leave alone; what follows from them is in the signals.
template <class Evaluation>
int RecordedMachine::follow_from(const Real* state, Real time, Real h, std::vector<Recorder::Turn> turns, Evaluation&& evaluation) {
  Machine& m = *machine_;
  Recorder& recording = recording_;
  recording.begin(std::move(turns));
  set_signals_are_inputs(true, time, time + h);
  std::vector<Number>& x = m.state.values();
  const auto first_input = static_cast<int>(m.state.inputs() - x.data()), inputs = m.model->layout.inputs;
  const auto is_course = [&](int i) { return i >= first_input && i < first_input + inputs; };
  for (int i = 0; i < size(); ++i)
    x[static_cast<std::size_t>(i)] = is_course(i) ? Number(state[i]) : recording.input({InputKind::state, i}, state[i]);
  m.state.time = recording.input({InputKind::time}, time);
  try {
    std::vector<Number> results;
    const int status = evaluation(results);
    results.insert(results.begin(), x.begin(), x.end());
    for (int i = first_input; is_course(i); ++i) results[static_cast<std::size_t>(i)] = recording.input({InputKind::state, i}, state[i]);
    recording.end(status, results);
    return status;
  } catch (...) {
    recording.abandon();
    throw;
  }
}

int RecordedMachine::follow(const Real* state, Real time, Real h, std::vector<Recorder::Turn> turns) {
  return follow_from(state, time, h, std::move(turns), [&](std::vector<Number>& report) {
    const trunnion::StepOutcome outcome = machine_->stepper->step(machine_->state, recording_.input({InputKind::step}, h));
    report.resize(report_size);
    report[iterations] = outcome.iterations;
    report[position_iterations] = outcome.position_iterations;
    report[violation] = outcome.violation;
    report[velocity_violation] = outcome.velocity_violation;
    report[penalty] = outcome.penalty;
    report[penalty_limited] = outcome.penalty_limited ? 1 : 0;
    report[oil_rho] = outcome.oil_rule.rho;
    report[oil_euler] = outcome.oil_rule.implicit_euler ? 1 : 0;
    return static_cast<int>(outcome.status);
  });
}

int RecordedMachine::follow_restart(const Real* state, Real time) {
  return follow_from(state, time, 0, {}, [&](std::vector<Number>&) {
    trunnion::set_signal_spools(*machine_->model, machine_->state);
    const bool passed = machine_->impulses == nullptr || machine_->impulses->pass(machine_->state);
    return passed && machine_->stepper->restart(machine_->state) ? converged() : static_cast<int>(trunnion::StepStatus::singular);
  });
}

void RecordedMachine::follow_signals(const std::vector<Input>& signals, bool at_end, Real time) {
  recording_.begin();
  set_signals_are_inputs(false);
  const Number t = recording_.input({InputKind::time}, time);
  std::vector<Number> values;
  for (const Input& input : signals) {
    const trunnion::SignalValue value =
        machine_->model->signals.evaluate(input.index, t, at_end ? trunnion::Side::left : trunnion::Side::right, nullptr);
    values.push_back(input.derivative == 0 ? value.value : input.derivative == 1 ? value.rate : value.acceleration);
  }
  recording_.end(converged(), values);
}

}  // namespace recording
