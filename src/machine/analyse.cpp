// Degrees of freedom, redundant constraints and missing inertia by elimination.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine/analyse.h"

#include <Eigen/Sparse>
#include <algorithm>
#include <cmath>
#include <map>

#include "machine/evaluate.h"
#include "mechanics/row_elimination.h"

namespace trunnion {

namespace {

constexpr double kNoInertia = 1e-15;  // of the largest inertia: rounding of a zero
constexpr double kCancelled = 1e-12;  // of a coordinate's inertia with all others fixed: a smaller remainder is rounding

using Sparse = Eigen::SparseMatrix<double>;

/// Entries of M and rows of Phi_q at the assembled start.
template <int D>
struct Matrices {
  [[gnu::cold]] explicit Matrices(const CompiledModel& model)
      : tree(std::get<Mechanism<D>>(model.mechanism).tree),
        holonomic(std::get<Mechanism<D>>(model.mechanism).holonomic),
        J(std::get<Mechanism<D>>(model.mechanism).rows) {
    const auto& m = std::get<Mechanism<D>>(model.mechanism);
    MechanismState<D> state(m);
    std::vector<double> zero(tree.nv, 0.0), r(tree.nv, 0.0);
    update_inputs(m, Signals(model.signals, nullptr), 0, Side::right, state);
    update_positions<D, double>(m, model.q_start.data(), nullptr, state);
    update_rates<D, double>(m, zero.data(), zero.data(), state);
    inverse_dynamics<D, double>(m, model.q_start.data(), zero.data(), true, state, r.data());
    mass_matrix(tree, state.tree, M);
    for (const ConstraintGroup<D>& g : m.constraints)
      for (int row = 0; row < g.rows.size(); ++row)
        for (int k = 0; k < g.path.size(); ++k)
          J[g.rows.begin + row][m.paths[g.path.begin + k].dof] += state.jacobian[g.jacobian + row * g.path.size() + k];
  }

  const Tree<D>& tree;
  const std::vector<char>& holonomic;  // per row
  RecordedEntries M;
  std::vector<std::map<int, double>> J;
};

using Elimination = RowElimination<double>;

/// Fills rank and redundant rows; returns the remainders of the others.
[[gnu::cold]] std::vector<Elimination::Kept> eliminate_rows(const CompiledModel& model, const std::vector<char>& holonomic,
                                                            const std::vector<std::map<int, double>>& J, Analysis& a) {
  Elimination elimination(a.velocities);
  std::map<std::string, std::vector<int>> found;
  const auto eliminate = [&](const ConstraintInfo& info, bool positions) {
    for (int i = info.rows.begin; i < info.rows.end; ++i)
      if ((holonomic[i] != 0) == positions && !elimination.add(J[i])) found[info.path].push_back(i - info.rows.begin + 1);
    a.rank = elimination.rank();
  };
  for (const ConstraintInfo& info : model.constraints) eliminate(info, true);
  a.position_degrees_of_freedom = a.velocities - a.rank;
  for (const ConstraintInfo& info : model.constraints) eliminate(info, false);
  a.degrees_of_freedom = a.velocities - a.rank;
  for (const ConstraintInfo& info : model.constraints)
    if (auto it = found.find(info.path); it != found.end()) {
      std::sort(it->second.begin(), it->second.end());
      a.redundant.push_back({info.path, it->second});
    }
  return elimination.kept();
}

/// Coordinates with a vanishing pivot in M = L^T D L, tips first. Elimination causes no fill-in: row k has entries at the coordinates
/// that carry it, and those carry each other.
template <int D>
[[gnu::cold]] std::vector<int> vanishing_pivots(const Matrices<D>& at) {
  const Tree<D>& tree = at.tree;
  std::vector<int> depth(tree.nv), parent(tree.nv);  // coordinates that carry this one; the last of them
  for (std::size_t j = 1; j < tree.nodes.size(); ++j)
    for (int k = tree.nodes[j].v; k < tree.nodes[j].v + tree.nodes[j].dofs; ++k) {
      const int carrier = tree.carrier(tree.nodes[j].parent);
      const TreeNode<D>& before = tree.nodes[carrier];
      parent[k] = k > tree.nodes[j].v ? k - 1 : carrier > 0 ? before.v + before.dofs - 1 : -1;
      depth[k] = parent[k] < 0 ? 0 : depth[parent[k]] + 1;
    }
  std::vector<std::vector<double>> row(tree.nv);  // by depth, the diagonal last
  for (int k = 0; k < tree.nv; ++k) row[k].assign(depth[k] + 1, 0.0);
  for (std::size_t i = 0; i < at.M.entries.size(); ++i) {
    const Entry& e = at.M.entries[i];
    if (depth[e.column] <= depth[e.row]) row[e.row][depth[e.column]] += at.M.values[i];
  }
  std::vector<double> own(tree.nv);
  for (int k = 0; k < tree.nv; ++k) own[k] = row[k].back();
  const double largest = own.empty() ? 0 : *std::max_element(own.begin(), own.end());
  std::vector<int> found;
  for (int k = tree.nv - 1; k >= 0; --k) {
    const double pivot = row[k].back();
    if (pivot <= kCancelled * own[k] || pivot <= kNoInertia * largest) {
      found.push_back(k);
      continue;
    }
    for (int i = parent[k]; i >= 0; i = parent[i]) {
      const double factor = row[k][depth[i]] / pivot;
      for (int j = 0; j <= depth[i]; ++j) row[i][j] -= factor * row[k][j];
    }
  }
  return found;
}

/// Whether some velocity that the kept rows allow has no inertia: M with those rows as further inertia is singular.
template <int D>
[[gnu::cold]] bool moves_nothing(const Matrices<D>& at, const std::vector<Elimination::Kept>& rows) {
  const int n = at.tree.nv;
  Eigen::VectorXd own = Eigen::VectorXd::Zero(n);
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t i = 0; i < at.M.entries.size(); ++i) {
    const Entry& e = at.M.entries[i];
    entries.emplace_back(e.row, e.column, at.M.values[i]);
    if (e.row == e.column) own[e.row] += at.M.values[i];
  }
  const double largest = std::max(own.maxCoeff(), 1e-300);
  for (const Elimination::Kept& row : rows)
    for (const auto& [i, a] : row.entries)
      for (const auto& [k, b] : row.entries) entries.emplace_back(i, k, largest * a * b);
  Sparse A(n, n);
  A.setFromTriplets(entries.begin(), entries.end());
  const Eigen::SimplicialLDLT<Sparse> factors(A);
  if (factors.info() != Eigen::Success) return true;
  const Eigen::VectorXd pivots = factors.permutationPinv() * factors.vectorD(), diagonal = A.diagonal();
  const double bound = kNoInertia * diagonal.maxCoeff();
  for (int i = 0; i < n; ++i)
    if (pivots[i] <= kCancelled * diagonal[i] || pivots[i] <= bound) return true;
  return false;
}

template <int D>
[[gnu::cold]] Analysis analyse_in(const CompiledModel& model) {
  const Matrices<D> at(model);
  Analysis a;
  a.velocities = at.tree.nv;
  a.rows = static_cast<int>(at.J.size());
  eliminate_rows(model, at.holonomic, at.J, a);
  return a;
}

template <int D>
[[gnu::cold]] MissingInertia missing_inertia_in(const CompiledModel& model) {
  const Matrices<D> at(model);
  MissingInertia missing;
  for (int k : vanishing_pivots(at)) missing.velocities.insert(missing.velocities.begin(), model.velocity_names[k]);
  if (missing.velocities.empty()) return missing;
  // including the inertia of the constraint rows
  Analysis a;
  a.velocities = at.tree.nv;
  missing.singular = moves_nothing(at, eliminate_rows(model, at.holonomic, at.J, a));
  return missing;
}

}  // namespace

Analysis analyse(const CompiledModel& model) { return model.planar ? analyse_in<2>(model) : analyse_in<3>(model); }

MissingInertia find_missing_inertia(const CompiledModel& model) {
  return model.planar ? missing_inertia_in<2>(model) : missing_inertia_in<3>(model);
}

}  // namespace trunnion
