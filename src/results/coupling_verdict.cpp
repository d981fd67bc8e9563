// Verdict on a co-simulation by thresholds.
// SPDX-License-Identifier: BSD-3-Clause
#include "results/coupling_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trunnion {

namespace {

constexpr double kOil = 0.1, kEnergy = 1;           // [%]
constexpr double kResidual = 0.08, kCounts = 1e-3;  // of the work through the bonds; of the energy transferred
constexpr double kDifference = 0.005;               // of a stroke

}  // namespace

std::vector<std::string> coupling_faults(const CompiledModel& model, const CouplingReport& coupling, const Ledger& ledger,
                                         const RunStatistics& statistics, const MonolithicBeside* beside) {
  std::vector<std::string> faults;
  if (beside != nullptr && !beside->failure() && !beside->names().empty()) {
    for (std::size_t i = 0; i < beside->names().size(); ++i) {
      const Extremes& range = beside->ranges()[i];
      const Cylinder& c = model.hydraulics.actuators[i].cylinder;
      const double largest = std::max(range.max, -range.min), stroke = c.chamber_A(c.length_0) + c.chamber_B(c.length_0);
      const bool turns = !(stroke > 0);  // a motor or pump
      const double whole = turns ? 2 * std::numbers::pi : stroke;
      if (!(largest <= kDifference * whole))
        faults.push_back(fmt::format("{} is {:.2g} {} from the monolithic run, {:.2g} % of {}", beside->names()[i], largest,
                                     beside->channels()[i].unit, 100 * largest / whole, turns ? "a revolution" : "its stroke"));
    }
    return faults;
  }
  const double oil = ledger.oil_error().value_or(0), energy = ledger.energy_error().value_or(0), drift = ledger.drift_error().value_or(0);
  if (oil > kOil) faults.push_back(fmt::format("the oil balance error is {:.2g} % of the oil transferred", oil));
  if (coupling.absolute_energy > kResidual * coupling.work &&
      coupling.absolute_energy > std::max(kCounts * ledger.absolute_work(), ledger.rounding()))
    faults.push_back(fmt::format("residuals are {:.2g} % of the work through the bonds", 100 * coupling.absolute_energy / coupling.work));
  if (energy > kEnergy) faults.push_back(fmt::format("the energy balance error is {:.2g} % of the energy transferred", energy));
  if (drift > kEnergy) faults.push_back(fmt::format("the mechanism's energy drifts by {:.2g} % of the energy transferred", drift));
  if (model.description.coupling.oil_rule == OilRuleKind::trapezoidal)
    for (std::size_t i = 0; i < statistics.alternation.size(); ++i)
      if (const AlternationRecord& a = statistics.alternation[i]; a.steps > 0)
        faults.push_back(
            fmt::format("{} oscillates from step to step in {} steps, by up to {:.3g} Pa; coupling.hydraulics.oil_rule: auto does not",
                        model.hydraulics.nodes[model.hydraulics.volumes[i].node].name, a.steps, a.largest));
  return faults;
}

}  // namespace trunnion
