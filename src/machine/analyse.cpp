// SPDX-License-Identifier: BSD-3-Clause
#include "machine/analyse.h"

#include <Eigen/Dense>
#include <cmath>

#include "machine/evaluate.h"

namespace trunnion {

namespace {

constexpr double kDependent = 1e-9;   // of a row's norm: what is left of a redundant row
constexpr double kNoInertia = 1e-15;  // of the largest inertia: rounding of a zero
constexpr double kCancelled = 1e-12;  // of a coordinate's inertia with all others fixed: what is left of it is rounding

struct Matrices {
  Eigen::MatrixXd M, J;
};

template <int D>
Matrices matrices(const Model& model) {
  const auto& m = std::get<Mechanism<D>>(model.mechanism);
  const int n = m.tree.nv;
  MechanismState<D> state(m);
  std::vector<double> zero(static_cast<std::size_t>(n), 0.0), r(static_cast<std::size_t>(n), 0.0);
  update_inputs(m, model.signals, 0, Side::right, state);
  update_positions<D, double>(m, model.q_start.data(), nullptr, state);
  update_rates<D, double>(m, zero.data(), zero.data(), state);
  inverse_dynamics<D, double>(m, model.q_start.data(), zero.data(), true, state, r.data());
  Matrices out{Eigen::MatrixXd::Zero(n, n), Eigen::MatrixXd::Zero(m.rows, n)};
  mass_matrix(m.tree, state.tree, out.M.data(), n);  // symmetric: the order of storage does not matter
  for (const ConstraintGroup<D>& g : m.constraints)
    for (int row = 0; row < g.rows.size(); ++row)
      for (int k = 0; k < g.path.size(); ++k)
        out.J(g.rows.begin + row, m.paths[g.path.begin + k].dof) += state.jacobian[g.jacobian + row * g.path.size() + k];
  return out;
}

/// Fills rank and redundant rows; returns an orthonormal basis of the row space, one vector per column.
Eigen::MatrixXd eliminate_rows(const Model& model, const Eigen::MatrixXd& J, Analysis& a) {
  Eigen::MatrixXd basis = Eigen::MatrixXd::Zero(J.cols(), std::min(J.rows(), J.cols()));
  for (const ConstraintInfo& info : model.constraints) {
    std::vector<int> redundant;
    for (int i = info.rows.begin; i < info.rows.end; ++i) {
      Eigen::VectorXd row = J.row(i).transpose();
      const double norm = row.norm();
      const auto known = basis.leftCols(a.rank);
      for (int pass = 0; pass < 2; ++pass) row -= known * (known.transpose() * row);
      if (row.norm() <= kDependent * norm || a.rank == basis.cols())
        redundant.push_back(i - info.rows.begin + 1);
      else
        basis.col(a.rank++) = row.normalized();
    }
    if (!redundant.empty()) a.redundant.push_back({info.path, redundant});
  }
  return basis.leftCols(a.rank);
}

/// Coordinates with a vanishing pivot in M = L^T D L.
std::vector<Eigen::Index> vanishing_pivots(Eigen::MatrixXd M) {
  std::vector<Eigen::Index> found;
  const Eigen::VectorXd own = M.diagonal();
  const double largest = own.size() > 0 ? own.maxCoeff() : 0;
  for (Eigen::Index k = M.rows() - 1; k >= 0; --k) {
    const double pivot = M(k, k);
    if (pivot <= kCancelled * own[k] || pivot <= kNoInertia * largest) {
      found.push_back(k);
      continue;
    }
    for (Eigen::Index i = 0; i < k; ++i) {
      if (M(k, i) == 0) continue;  // another branch
      const double factor = M(k, i) / pivot;
      for (Eigen::Index j = 0; j < k; ++j) M(i, j) -= factor * M(k, j);
    }
  }
  return found;
}

template <int D>
Analysis analyse_in(const Model& model) {
  const Matrices at = matrices<D>(model);
  Analysis a;
  a.velocities = static_cast<int>(at.M.rows());
  a.rows = static_cast<int>(at.J.rows());
  eliminate_rows(model, at.J, a);
  a.degrees_of_freedom = a.velocities - a.rank;
  return a;
}

template <int D>
MissingInertia missing_inertia_in(const Model& model) {
  const Matrices at = matrices<D>(model);
  MissingInertia missing;
  for (Eigen::Index k : vanishing_pivots(at.M))
    missing.velocities.insert(missing.velocities.begin(), model.velocity_names[static_cast<std::size_t>(k)]);
  if (missing.velocities.empty()) return missing;
  // with what the constraints hold
  Analysis a;
  const Eigen::MatrixXd rows = eliminate_rows(model, at.J, a);
  const double largest = std::max(at.M.diagonal().maxCoeff(), 1e-300);
  missing.singular = !vanishing_pivots(at.M + largest * rows * rows.transpose()).empty();
  return missing;
}

}  // namespace

Analysis analyse(const Model& model) { return model.planar ? analyse_in<2>(model) : analyse_in<3>(model); }

MissingInertia find_missing_inertia(const Model& model) {
  return model.planar ? missing_inertia_in<2>(model) : missing_inertia_in<3>(model);
}

}  // namespace trunnion
