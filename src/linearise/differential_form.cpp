// Changes the form of quasistatic circuits.
// SPDX-License-Identifier: BSD-3-Clause
#include "linearise/differential_form.h"

#include <algorithm>

namespace trunnion {

std::shared_ptr<const CompiledModel> differential_form(const std::shared_ptr<const CompiledModel>& model) {
  const auto& circuits = model->hydraulics.quasistatic;
  if (std::none_of(circuits.begin(), circuits.end(), [](const QuasistaticCircuit& q) { return q.discrete; })) return model;
  Description d = model->description;
  for (auto& [name, circuit] : d.quasistatic) circuit.form = VirtualElementForm::differential;
  return compile(std::move(d));
}

StateVector in_form(const CompiledModel& other, const CompiledModel& model, const StateVector& state) {
  StateVector in(other.layout);
  in.time = state.time;
  std::copy_n(state.q(), other.layout.nq, in.q());
  std::copy_n(state.v(), other.layout.nv, in.v());
  std::copy_n(state.inputs(), other.layout.inputs, in.inputs());
  auto at = model.state_names.begin();  // states of both are in the same order
  for (std::size_t i = 0; i < other.state_names.size(); ++i)
    if (const auto found = std::find(at, model.state_names.end(), other.state_names[i]); found != model.state_names.end()) {
      in.y()[i] = state.y()[found - model.state_names.begin()];
      at = found + 1;
    }
  return in;
}

}  // namespace trunnion
