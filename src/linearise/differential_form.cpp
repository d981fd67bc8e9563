// Changes the form of quasistatic circuits and of sampled blocks.
// SPDX-License-Identifier: BSD-3-Clause
#include "linearise/differential_form.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/diagnostic.h"

namespace trunnion {

namespace {

/// In the coordinates of `model`, which may be those of joints of a machine in cartesian ones.
std::shared_ptr<const CompiledModel> compile_like(const CompiledModel& model, Description d) {
  std::shared_ptr<const CompiledModel> compiled = compile(std::move(d));
  return model.relative || !compiled->relative ? compiled : compiled->relative;
}

}  // namespace

[[gnu::cold]] std::shared_ptr<const CompiledModel> differential_form(const std::shared_ptr<const CompiledModel>& model) {
  const auto& circuits = model->hydraulics.quasistatic;
  if (std::none_of(circuits.begin(), circuits.end(), [](const QuasistaticCircuit& q) { return q.discrete; })) return model;
  Description d = model->description;
  for (auto& [name, circuit] : d.quasistatic) circuit.form = VirtualElementForm::differential;
  return compile_like(*model, std::move(d));
}

[[gnu::cold]] std::shared_ptr<const CompiledModel> continuous_form(const std::shared_ptr<const CompiledModel>& model) {
  Description d = model->description;
  bool changes = false;
  for (auto& [name, block] : d.control) {
    const auto& blocks = model->hydraulics.control;
    auto* const sensor = std::get_if<SensorBlock>(&block.law);
    if (std::holds_alternative<OperatorBlock>(block.law) || (sensor != nullptr && sensor->deviation > 0)) continue;
    bool rounds = sensor != nullptr && sensor->resolution;  // then it rests within half a step of its input
    if (rounds) sensor->resolution.reset();
    if (const auto* quantiser = std::get_if<QuantiserBlock>(&block.law)) {
      const NumberOrSignal input = quantiser->input;
      block.law = GainBlock{.input = input};
      rounds = true;
    }
    const auto own = [&, &of = name](const ControlBlock& b) { return b.name == of && b.sampled() && (rounds || !b.law->discrete()); };
    if (std::none_of(blocks.begin(), blocks.end(), own)) continue;
    block.period.reset();
    block.offset = block.latency = block.jitter = 0;
    changes = true;
  }
  if (!changes) return model;
  try {
    return compile_like(*model, std::move(d));
  } catch (const InputError&) {  // an algebraic loop
    return model;
  }
}

[[gnu::cold]] void take_form(const CompiledModel& model, const StateVector& state, const CompiledModel& other, StateVector& into) {
  into.time = state.time;
  std::copy_n(state.q(), other.layout.nq, into.q());
  std::copy_n(state.v(), other.layout.nv, into.v());
  std::copy_n(state.inputs(), other.layout.inputs, into.inputs());
  const auto begin = model.state_names.begin(), end = model.state_names.end();
  auto at = begin;  // most states of both are in the same order
  for (std::size_t i = 0; i < other.state_names.size(); ++i) {
    auto found = std::find(at, end, other.state_names[i]);
    if (found == end) found = std::find(begin, at, other.state_names[i]);
    if (found == end || *found != other.state_names[i]) continue;
    into.y()[i] = state.y()[found - begin];
    at = found + 1;
  }
}

StateVector in_form(const CompiledModel& other, const CompiledModel& model, const StateVector& state) {
  StateVector in(other.layout);
  take_form(model, state, other, in);
  return in;
}

}  // namespace trunnion
