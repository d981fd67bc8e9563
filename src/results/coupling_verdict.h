// Whether a co-simulation may be trusted: what is wrong with it, by figures that it has itself. Thresholds are from 540 runs of the cranes
// of the paper on co-simulation beside monolithic ones (docs/cosimulation.md, Monitors). SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "cosimulation/monitor.h"
#include "results/monolithic_beside.h"

namespace trunnion {

/// Sentences, none for a good coupling:
///   the oil balance open by more than 0.1 % of the oil transferred     lengths that mechanism and oil do not share
///   residual energies of more than 8 % of the work through the bonds
///   the energy balance open, or the drift, by more than 1 % of the energy transferred
/// Where a monolithic run is `beside` (or null) and came to its end, the difference of a length by more than 0.5 % of the stroke, and
/// nothing else.
std::vector<std::string> coupling_faults(const Model& model, const CouplingReport& coupling, const Ledger& ledger,
                                         const MonolithicBeside* beside);

}  // namespace trunnion
