// Independent coordinates of a machine at its start.
// SPDX-License-Identifier: BSD-3-Clause
#include "solve/start_partition.h"

#include "solve/closed_loops.h"

namespace trunnion {

namespace {

template <int D>
StartPartition find_in(const CompiledModel& model) {
  const auto& m = std::get<Mechanism<D>>(model.mechanism);
  MechanismState<D> state(m);
  update_inputs(m, Signals(model.signals, nullptr), 0, Side::right, state);
  update_positions<D, double>(m, model.q_start.data(), nullptr, state);
  ClosedLoops<D> loops(m);
  StartPartition found;
  if (loops.select_partition(state)) {
    found.independent = loops.independent();
    found.velocity_dependent = loops.velocity_dependent();
    return found;
  }
  for (const ConstraintInfo& info : model.constraints)
    if (loops.failed_row() >= info.rows.begin && loops.failed_row() < info.rows.end) found.singular_configuration = info.path;
  return found;
}

}  // namespace

StartPartition find_start_partition(const CompiledModel& model) { return model.planar ? find_in<2>(model) : find_in<3>(model); }

}  // namespace trunnion
