// Keeps the partition of the coordinates between steps.
// SPDX-License-Identifier: BSD-3-Clause
#include "solve/partition_keeper.h"

namespace trunnion {

namespace {

constexpr double kFit = 10;  // maximum rate of a dependent coordinate by an independent one, above which the partition is selected again

}  // namespace

/// Selects the partition at the start of the step. False at a singular configuration.
template <int D>
bool PartitionKeeper<D>::choose_at(const StateVector& state, MechanismState<D>& scratch) {
  update_positions(m_, state.q(), static_cast<const double*>(nullptr), scratch);
  if (!loops_.select_partition(scratch)) return false;
  loops_.write(start_.data());
  return true;
}

template <int D>
bool PartitionKeeper<D>::take(const StateVector& state, MechanismState<D>& scratch, bool* known) {
  const bool has_one = loops_.load_partition(state.partition());
  if (known != nullptr) *known = has_one;
  std::copy(state.partition(), state.partition() + m_.rows, start_.begin());
  return has_one || choose_at(state, scratch);
}

template <int D>
bool PartitionKeeper<D>::keep(double fit, const MechanismState<D>& end, double* partition, StepOutcome& report) {
  if (loops_.determinant_changed_sign(start_.data()) || !loops_.redundant_rates_hold(end) ||
      (fit > kFit && !loops_.select_partition(end))) {
    fail(StepStatus::singular_configuration, report);
    return false;
  }
  loops_.write(partition);
  return true;
}

template <int D>
void PartitionKeeper<D>::fail(StepStatus status, StepOutcome& report) const {
  report.status = status;
  report.worst = unknown_of_row(model_, loops_.failed_row());
}

template class PartitionKeeper<2>;
template class PartitionKeeper<3>;

}  // namespace trunnion
