// The mechanical part of a machine as a separate model: the machine's mechanism, joints, constraints, and layout of q, v and rows, with
// replaced oil at its ports:
//   fed            cylinders between pressure sources whose signals are inputs (SignalSet::add_input); no volumes, valves, spools
//     velocity_pressure   both chambers of each; areas and all laws of the cylinder unchanged
//     velocity_force      one source per cylinder acting on a unit area, so that the pressure is the force [N]; friction, viscous drag
//                         and end dampers unchanged, or absent if the hydraulic side has them
//                  loads that control blocks drive follow one input each, their force
//   on linear oil  volumes whose pressures follow a LinearOil; circuits, areas and all cylinder laws unchanged; no valves, spools
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "model/model.h"

namespace trunnion {

struct MechanismCut {
  std::shared_ptr<CompiledModel> model;
  std::vector<int> states;  // per y of the cut: index in the machine's y
};

/// The mechanism of `machine` fed by `inputs`, one TimePolynomial per cylinder (velocity_force) or two, of chambers A and B
/// (velocity_pressure), and one per driven load, in the order of Hydraulics::actuators. `inputs` must outlive the cut and not move.
MechanismCut cut_fed(const CompiledModel& machine, const std::vector<TimePolynomial>& inputs);
/// Number of these inputs.
std::size_t count_inputs(const CompiledModel& machine);
/// The mechanism of `machine` on the linear oil that Hydraulics::linear_oil of the cut points to; here `oil`.
MechanismCut cut_on_linear_oil(const CompiledModel& machine, const LinearOil* oil);

}  // namespace trunnion
