// Whether a co-simulation is trustworthy, judged by its own figures. The thresholds are from 548 runs of the cranes of the paper on
// co-simulation compared with monolithic ones (docs/cosimulation.md, Monitors).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "cosimulation/monitor.h"
#include "results/monolithic_beside.h"
#include "run/run.h"

namespace trunnion {

/// Sentences, none for a good coupling:
///   an oil balance error above 0.1 % of the oil transferred     different motions of pistons in mechanism and hydraulics
///   residual energies of more than 8 % of the work through the bonds
///   an energy balance error, or a drift, above 1 % of the energy transferred
///   pressures that alternate from step to step under `oil_rule: trapezoidal`, which keeps errors after jumps: the balances, of the
///   coupling alone or by the same rule, do not see them
/// If a monolithic run `beside` (may be null) completed, only the difference of a length by more than 0.5 % of the stroke.
std::vector<std::string> coupling_faults(const CompiledModel& model, const CouplingReport& coupling, const Ledger& ledger,
                                         const RunStatistics& statistics, const MonolithicBeside* beside);

}  // namespace trunnion
