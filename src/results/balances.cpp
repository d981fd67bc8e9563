// Verdict on the energy and oil balances of a run.
// SPDX-License-Identifier: BSD-3-Clause
#include "results/balances.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "description/integrators.h"

namespace trunnion {

namespace {

constexpr double kDoubtfulPercent = 1, kFailedPercent = 20;  // [%]

struct BalanceFigure {
  const char* equations;
  std::optional<double> percent;
  std::string cause, remedy;
};

}  // namespace

bool balances_are_judged(const Description& d) {
  return d.solver.coupling == CouplingKind::monolithic && integrator_of(d.solver).has_fixed_step();
}

BalanceVerdict judge_balances(const Description& d, const Ledger& ledger, double time) {
  BalanceVerdict verdict;
  if (!balances_are_judged(d)) return verdict;
  const std::string smaller = fmt::format("a smaller solver.step (now {:g} s)", std::min(d.solver.step, time));
  const std::array<BalanceFigure, 3> figures{{
      {"the constraints", ledger.constraint_error(), "their work is {:.3g} % of the energy transferred; it should be zero",
       "consistent motions, couplings and loops, or " + smaller},
      {"the energy balance", ledger.energy_rule_error(), "an error of {:.3g} % of the energy transferred", smaller},
      {"the oil balance", ledger.oil_rule_error(), "an error of {:.3g} % of the oil transferred", smaller},
  }};
  for (const BalanceFigure& figure : figures) {
    if (!figure.percent || *figure.percent <= kDoubtfulPercent) continue;
    const std::string cause = fmt::format(fmt::runtime(figure.cause), *figure.percent);
    if (*figure.percent <= kFailedPercent || d.solver.allow_open_balance || verdict.failure) {
      verdict.warnings.push_back(fmt::format("{}: {}; try {}", figure.equations, cause, figure.remedy));
      continue;
    }
    verdict.failure = SimulationError(time, figure.equations, cause,
                                      figure.remedy + ", or solver.allow_open_balance: true to accept the run; its results are kept");
  }
  return verdict;
}

}  // namespace trunnion
