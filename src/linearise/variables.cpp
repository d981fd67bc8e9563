// Names of the states and inputs of linear models.
// SPDX-License-Identifier: BSD-3-Clause
#include "linearise/variables.h"

#include <algorithm>

#include "mechanics/applied.h"

namespace trunnion {

std::vector<int> first_order_states(const Hydraulics& netlist) {
  std::vector<bool> follows(netlist.ny, false);
  for (const Spool& spool : netlist.spools) follows[spool.state] = spool.follows();
  for (const ControlBlock& block : netlist.control) for_each_held(block, [&](int i) { follows[i] = true; });
  for (const Actuator& a : netlist.actuators)  // loads of joints are held
    for (int k = 0; a.load >= 0 && k < kFrictionLoadStates; ++k) follows[a.load + k] = true;
  std::vector<int> states;
  for (int i = 0; i < netlist.ny; ++i)
    if (!follows[i]) states.push_back(i);
  return states;
}

namespace {

/// Value of the one-axis coordinate that velocity v moves; 0 for a spherical joint.
double coordinate_value(const CompiledModel& model, const StateVector& state, int v) {
  return std::visit(
      [&](const auto& m) {
        const auto& n = m.tree.nodes[m.tree.dof_node[v]];
        return n.joint == NodeJoint::spherical ? 0 : state.q()[n.q];
      },
      model.mechanism);
}

/// The input that reads each signal: name, unit and meaning. Signals with several readers keep their own name.
std::vector<LinearVariable> signal_readers(const CompiledModel& model) {
  std::vector<LinearVariable> readers(model.signals.size());
  const auto read = [&](SignalIndex signal, const std::string& name, const char* unit, const std::string& meaning) {
    if (signal < 0) return;
    LinearVariable& reader = readers[signal];
    if (reader.name.empty()) {
      reader = {name, unit, meaning, 0};
      return;
    }
    reader.name = model.signals.names()[signal];
    if (reader.unit != unit) reader.unit = "";
    reader.meaning += "; " + meaning;
  };
  const Hydraulics& netlist = model.hydraulics;
  for (const PressureNode& node : netlist.nodes)
    if (node.state < 0) read(node.source, node.name + ".pressure", "Pa", "pressure of source " + node.name);
  for (const FlowSource& source : netlist.flow_sources) read(source.flow, source.name + ".flow", "m^3/s", "flow of source " + source.name);
  for (const QuasistaticCircuit& q : netlist.quasistatic) read(q.flow, q.name + ".flow", "m^3/s", "flow of the pump of " + q.name);
  for (const Spool& spool : netlist.spools) read(spool.signal, spool.name + ".signal", "", "signal of valve " + spool.name);
  for (const ControlBlock& block : netlist.control)
    if (block.sampled()) readers[block.signal] = {block.name + ".output", "", "value of control block " + block.name, 0};
  std::visit(
      [&](const auto& m) {
        for_each_applied(m, [&](const auto& element) {
          if constexpr (kHasFactor<decltype(element)>) read(element.signal, element.name + ".factor", "", "factor of load " + element.name);
        });
        for (const auto& motion : m.motions) read(motion.signal, motion.name + ".motion", "rad or m", "prescribed motion " + motion.name);
      },
      model.mechanism);
  for (int i = 0; i < model.signals.inputs(); ++i) {
    const auto& [name, input] = model.description.inputs[static_cast<std::size_t>(i)];
    readers[model.signals.first_input() + i] = {name, input.unit, "input " + name, 0};
  }
  for (std::size_t i = 0; i < std::min(readers.size(), model.signals.names().size()); ++i)  // those that only control blocks read
    if (const std::string& name = model.signals.names()[i]; readers[i].name.empty() && !name.empty())
      readers[i] = {name, "", "signal " + name, 0};
  return readers;
}

std::string suffix(LinearInput::Kind kind) {
  switch (kind) {
    case LinearInput::Kind::rate:
      return ".rate";
    case LinearInput::Kind::acceleration:
      return ".acceleration";
    default:
      return "";
  }
}

}  // namespace

VariableNames::VariableNames(const CompiledModel& model, const std::vector<Channel>& channels) : model_(model) {
  for (const Channel& channel : channels) channels_[channel.name] = &channel;
}

LinearVariable VariableNames::variable(const std::string& name, double reference) const {
  const auto found = channels_.find(name);
  if (found == channels_.end()) return {name, "rad", "increment of the rotation about an axis of the joint at rotation zero", reference};
  return {name, found->second->unit, found->second->meaning, reference};
}

std::vector<LinearVariable> VariableNames::states(const StateVector& at, const std::vector<int>& independent,
                                                  const std::vector<int>& velocity_dependent, const std::vector<int>& first_order) const {
  std::vector<LinearVariable> states;
  const auto add_positions = [&](const std::vector<int>& velocities) {
    for (int v : velocities) states.push_back(variable(model_.coordinate_names[v], coordinate_value(model_, at, v)));
  };
  add_positions(independent);
  for (int v : independent) states.push_back(variable(model_.velocity_names[v], at.v()[v]));
  add_positions(velocity_dependent);
  for (int i : first_order) states.push_back(variable(model_.state_names[i], at.y()[i]));
  return states;
}

const ControlBlock* held_block(const CompiledModel& model, const LinearInput& input) {
  if (model.hydraulics.control.empty()) return nullptr;
  const int block = model.hydraulics.block_of_signal[input.signal];
  return block < 0 ? nullptr : &model.hydraulics.control[block];
}

std::vector<LinearVariable> input_variables(const CompiledModel& model, const StateVector& at, const std::vector<LinearInput>& inputs,
                                            Side side) {
  const std::vector<LinearVariable> readers = signal_readers(model);
  std::vector<LinearVariable> variables;
  for (const LinearInput& input : inputs) {
    LinearVariable variable = readers[input.signal];
    variable.name += suffix(input.kind);
    if (input.kind == LinearInput::Kind::rate) variable.meaning += ", its rate";
    if (input.kind == LinearInput::Kind::acceleration) variable.meaning += ", its acceleration";
    const ControlBlock* block = held_block(model, input);
    variable.reference = block != nullptr ? at.y()[block->output] : input_value(signals_at(model, at), input, at.time, side);
    variables.push_back(variable);
  }
  return variables;
}

void add_composite_inputs(const CompiledModel& model, std::vector<LinearInput>& inputs) {
  const std::size_t read = inputs.size();
  for (int i = 0; i < model.signals.inputs(); ++i) {
    const SignalIndex signal = model.signals.first_input() + i;
    bool direct = false, acts = false;
    for (std::size_t j = 0; j < read; ++j) {
      direct = direct || inputs[j].signal == signal;
      acts = acts || model.signals.depends_on(inputs[j].signal, signal);
    }
    if (acts && !direct) inputs.push_back({LinearInput::Kind::value, signal});
  }
}

bool is_model_input(const CompiledModel& model, const LinearInput& input) {
  const int number = input.signal - model.signals.first_input();
  return input.kind == LinearInput::Kind::value && number >= 0 && number < model.signals.inputs();
}

double slope_by_input(const CompiledModel& model, const StateVector& at, const LinearInput& of, const LinearInput& input, Side side) {
  if (of.kind != LinearInput::Kind::value) return 0;
  return model.signals.slope(of.signal, input.signal - model.signals.first_input(), at.time, side, at.inputs());
}

void add_columns_of_inputs(const CompiledModel& model, const StateVector& at, const std::vector<LinearInput>& inputs, Side side,
                           const Eigen::MatrixXd& direct, double weight, Eigen::MatrixXd& columns) {
  for (Eigen::Index j = 0; j < columns.cols(); ++j) {
    if (j < direct.cols()) columns.col(j) += weight * direct.col(j);
    const LinearInput& input = inputs[static_cast<std::size_t>(j)];
    if (!is_model_input(model, input)) continue;
    for (Eigen::Index k = 0; k < direct.cols(); ++k)
      if (k != j) columns.col(j) += weight * slope_by_input(model, at, inputs[static_cast<std::size_t>(k)], input, side) * direct.col(k);
  }
}

double input_value(const Signals& signals, const LinearInput& input, double time, Side side) {
  const SignalValue value = signals.evaluate(input.signal, time, side);
  switch (input.kind) {
    case LinearInput::Kind::rate:
      return value.rate;
    case LinearInput::Kind::acceleration:
      return value.acceleration;
    default:
      return value.value;
  }
}

std::vector<std::string> coordinate_list(const CompiledModel& model, const std::vector<int>& velocities) {
  std::vector<std::string> names;
  names.reserve(velocities.size());
  for (int v : velocities) names.push_back(model.coordinate_names[v]);
  return names;
}

}  // namespace trunnion
