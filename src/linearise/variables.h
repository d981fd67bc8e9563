// Names, units and meanings of the states and inputs of linear models, shared by everything that uses the minimal vector of a machine.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

#include "linearise/linear_model.h"
#include "machine/observe.h"

namespace trunnion {

/// Indices in y of the first-order states of a linear model: all but spools that are their signals, and the values of control blocks.
std::vector<int> first_order_states(const Hydraulics& netlist);

/// Names of states, from the channels that record them; `model` and `channels` must outlive it.
class VariableNames {
 public:
  VariableNames(const CompiledModel& model, const std::vector<Channel>& channels);
  /// The states x = (x_ai, v_ai, x_ad, y) with their values in `at`: velocity indices of x_ai and x_ad, indices in y of the first-order
  /// states. The value of a rotation increment of a spherical joint is 0.
  std::vector<LinearVariable> states(const StateVector& at, const std::vector<int>& independent, const std::vector<int>& velocity_dependent,
                                     const std::vector<int>& first_order) const;

 private:
  LinearVariable variable(const std::string& name, double reference) const;

  const CompiledModel& model_;
  std::map<std::string, const Channel*> channels_;
};

/// The inputs with their values in the state `at`, signals by their limit on `side`. A signal with several readers keeps its own name.
std::vector<LinearVariable> input_variables(const CompiledModel& model, const StateVector& at, const std::vector<LinearInput>& inputs,
                                            Side side);
/// The sampled control block whose value is the input; null: none.
const ControlBlock* held_block(const CompiledModel& model, const LinearInput& input);
/// Adds the inputs of the model that act through sums and products only.
void add_composite_inputs(const CompiledModel& model, std::vector<LinearInput>& inputs);
bool is_model_input(const CompiledModel& model, const LinearInput& input);
/// The change of a signal per change of an input of the model, in the state `at`.
double slope_by_input(const CompiledModel& model, const StateVector& at, const LinearInput& of, const LinearInput& input, Side side);
/// Adds `weight` times the columns of `inputs`, of which `direct` has those of the first ones, each signal alone: an input of the model
/// acts through all signals that depend on it, by the chain rule. No allocation.
void add_columns_of_inputs(const CompiledModel& model, const StateVector& at, const std::vector<LinearInput>& inputs, Side side,
                           const Eigen::MatrixXd& direct, double weight, Eigen::MatrixXd& columns);
/// Value of an input.
double input_value(const Signals& signals, const LinearInput& input, double time, Side side);
/// Names of the coordinates of velocities.
std::vector<std::string> coordinate_list(const CompiledModel& model, const std::vector<int>& velocities);

}  // namespace trunnion
