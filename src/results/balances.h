// Whether the balances of a run close: energy ledger figures against limits.
//   above kDoubtfulPercent of the energy or oil transferred     a warning
//   above kFailedPercent                                        the run fails, unless solver.allow_open_balance; its results are kept
// The ledger integrates powers by the trapezoidal rule on the steps, so it measures only runs whose states are those of its steps:
// monolithic ones of fixed step. Variable-step integrators and the subsystems of a co-simulation take steps that the ledger does not see;
// their figures measure the output grid and are not judged.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "description/description.h"
#include "machine/ledger.h"

namespace trunnion {

/// Whether the ledger of such a run measures the run itself.
bool balances_are_judged(const Description& description);

struct BalanceVerdict {
  std::vector<std::string> warnings;
  std::optional<SimulationError> failure;
};

/// Of a run that ended at `time` [s].
BalanceVerdict judge_balances(const Description& description, const Ledger& ledger, double time);

}  // namespace trunnion
