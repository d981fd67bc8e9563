// Other steady states than the one found: searches from other start pressures.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/diagnostic.h"
#include "linearise/steady.h"

namespace trunnion {

namespace {

constexpr double kOtherSolution = 1e-2;  // of the largest pressure; [rad, extents]
constexpr double kPressure = 1e4;        // [Pa] smallest scale of pressures
constexpr double kLowest = 1e4;          // [Pa] lowest start pressure of a search

}  // namespace

[[gnu::cold]] void find_other_steady(const std::shared_ptr<const CompiledModel>& model, SteadyOperation& found) {
  if (model->relative) return find_other_steady(model->relative, found);
  const auto volumes = static_cast<std::ptrdiff_t>(model->description.volumes.size());  // come first; those inside lines follow
  if (volumes == 0 || !found.open.empty()) return;
  const double *p = found.state.y(), *end = p + volumes, low = *std::min_element(p, end), high = *std::max_element(p, end);
  // positions and pressures of a solution, each with its threshold for a different solution
  const auto differences = [&](const SteadyOperation& a, const SteadyOperation& b) {
    OtherSteady other;
    for (std::ptrdiff_t i = 0; i < volumes; ++i)
      if (std::abs(a.state.y()[i] - b.state.y()[i]) > kOtherSolution * std::max(high, kPressure))
        other.states.emplace_back(model->state_names[i], a.state.y()[i]);
    std::visit(
        [&](const auto& m) {
          for (std::size_t i = 1; i < m.tree.nodes.size(); ++i)  // but the ground
            if (const auto& node = m.tree.nodes[i]; node.dofs == 1 &&
                                                    std::find(a.turning.begin(), a.turning.end(), node.v) == a.turning.end() &&
                                                    std::abs(a.state.q()[node.q] - b.state.q()[node.q]) > kOtherSolution * m.unit(node.v))
              other.states.emplace_back(model->coordinate_names[node.v], a.state.q()[node.q]);
        },
        model->mechanism);
    return other;
  };
  std::vector<SteadyOperation> known{found};
  const auto search = [&](const auto& pressure) {
    Description d = model->description;
    for (std::size_t i = 0; i < d.volumes.size(); ++i) d.volumes[i].second.pressure = {false, pressure(found.state.y()[i])};
    try {
      SteadyOperation other = solve_steady(compile(std::move(d)), found.state.time);
      if (!other.growing.empty() || !other.open.empty()) return;
      if (std::all_of(known.begin(), known.end(), [&](const SteadyOperation& k) { return !differences(other, k).states.empty(); })) {
        found.others.push_back(differences(other, found));
        known.push_back(std::move(other));
      }
    } catch (const Error&) {  // none found from there
    }
  };
  search([&](double) { return std::max(low / 2, kLowest); });
  search([&](double) { return 2 * high; });
  search([&](double here) { return low + high - here; });
}

}  // namespace trunnion
