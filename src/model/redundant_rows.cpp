// Redundant rows of constraints. Idle ones are those that no motion of the tree changes, as of the second hinge of a door: the joints of the
// tree imply them. Their coefficients are zero but for rounding, which must not count as a direction.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/plain_number.h"
#include "mechanics/mechanism.h"
#include "mechanics/row_elimination.h"
#include "model/compile_parts.h"

namespace trunnion {

namespace {

constexpr double kVanished = 1e-13;  // relative to the terms that cancel in a coefficient
constexpr int kConfigurations = 2;   // in which coefficients of idle rows vanish, besides the start

/// Whether the coefficients of a row vanish in the present configuration. `offset` [m]: the largest of lengths that cancel in the points.
template <int D>
bool vanishes(const Mechanism<D>& m, const ConstraintGroup<D>& g, const ConstraintState<D>& s, int row, double offset,
              const MechanismState<D>& state) {
  const int n = g.path.size();
  double lever = offset;
  if (g.type != ConstraintType::direction) lever += s.line.r_Q.template lpNorm<1>();
  if (g.type == ConstraintType::distance) lever += s.line.r_P.template lpNorm<1>();
  for (int k = 0; k < n; ++k) {
    const auto& b = state.tree.dofs[m.paths[g.path.begin + k].dof].b;
    double turning = 0;
    if constexpr (D == 3)
      turning = b.angular.template lpNorm<1>();
    else
      turning = std::abs(b.angular);
    const double terms = g.type == ConstraintType::direction ? turning : b.linear.template lpNorm<1>() + turning * lever;  // of unit axes
    if (std::abs(state.jacobian[g.jacobian + row * n + k]) > kVanished * terms) return false;
  }
  return true;
}

}  // namespace

template <int D>
void mark_idle_rows(const Description& d, const std::vector<double>& q, MechanismState<D>& state, Mechanism<D>& m) {
  // points of a planar machine lose their heights, and with them what their rounding is relative to
  double offset = std::isfinite(m.extent) ? m.extent : 0;
  for (const auto& [name, loop] : d.loops)
    for (const Vec3d& point : loop.at)
      for (const double x : point) offset = std::max(offset, std::abs(x));
  const auto keep_vanishing = [&] {
    bool any = false;
    for (std::size_t i = 0; i < m.constraints.size(); ++i) {
      ConstraintGroup<D>& g = m.constraints[i];
      for (int row = 0; row < g.rows.size(); ++row) {
        bool& idle = g.idle[static_cast<std::size_t>(row)];
        idle = idle && vanishes(m, g, state.constraints[i], row, offset, state);
        any = any || idle;
      }
    }
    return any;
  };
  for (ConstraintGroup<D>& g : m.constraints) std::fill_n(g.idle.begin(), g.of_coordinates() ? 0 : g.rows.size(), true);
  bool any = keep_vanishing();
  if (!any) return;
  std::vector<double> theta(static_cast<std::size_t>(m.tree.nv)), other(q.size());
  for (int n = 1; n <= kConfigurations && any; ++n) {
    for (int k = 0; k < m.tree.nv; ++k) theta[static_cast<std::size_t>(k)] = m.unit(k) * std::sin(2.3 * k + n);  // no special one
    advance_configuration(m.tree, q.data(), theta.data(), other.data());
    update_positions(m, other.data(), static_cast<const double*>(nullptr), state);
    any = keep_vanishing();
  }
  for (ConstraintGroup<D>& g : m.constraints) g.has_idle = std::any_of(g.idle.begin(), g.idle.end(), [](bool idle) { return idle; });
  update_positions(m, q.data(), static_cast<const double*>(nullptr), state);
}

template <int D>
bool has_redundant_rows(const Mechanism<D>& m, const std::vector<double>& q) {
  if (m.rows == 0) return false;
  MechanismState<D> state(m);
  update_positions(m, q.data(), static_cast<const double*>(nullptr), state);
  using Real = decltype(plain_number(double()));
  std::vector<typename RowElimination<Real>::Row> J(static_cast<std::size_t>(m.rows));
  for (const ConstraintGroup<D>& g : m.constraints)
    for (int row = 0; row < g.rows.size(); ++row)
      for (int k = 0; k < g.path.size(); ++k)
        J[g.rows.begin + row][m.paths[g.path.begin + k].dof] += plain_number(state.jacobian[g.jacobian + row * g.path.size() + k]);
  RowElimination<Real> elimination(m.tree.nv);
  for (auto& row : J)
    if (!elimination.add(std::move(row))) return true;
  return false;
}

template bool has_redundant_rows<2>(const Mechanism<2>&, const std::vector<double>&);
template bool has_redundant_rows<3>(const Mechanism<3>&, const std::vector<double>&);
template void mark_idle_rows<2>(const Description&, const std::vector<double>&, MechanismState<2>&, Mechanism<2>&);
template void mark_idle_rows<3>(const Description&, const std::vector<double>&, MechanismState<3>&, Mechanism<3>&);

}  // namespace trunnion
