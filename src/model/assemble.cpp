// Assembly: projection of the start configuration and velocity onto the constraints.
//   minimise 1/2 theta^T W theta  subject to Phi(q_stated (+) theta) = 0, held coordinates fixed
//   then     1/2 (v - v_given)^T W (v - v_given)  subject to Phi_q v + Phi_t = 0, B v = 0
// by Newton steps on  [W Phi_q^T; Phi_q 0] [delta; mu] = [-W theta; -Phi],  W the diagonal of the mass matrix; coordinates
// without a given value have a negligible weight. Each step is the minimum-norm solution of a sparse system: the orthogonal
// factorisation of its transpose drops redundant rows. Long steps are damped.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <Eigen/Sparse>
#include <algorithm>
#include <cmath>
#include <span>

#include "model/compile_parts.h"

namespace trunnion {

namespace {

constexpr double kFreeWeight = 1e-6;         // of a coordinate without given value
constexpr double kLargestViolation = 1e-12;  // [-, m; of the mechanism's extent where that is more] a closed loop
constexpr double kLargestStep = 0.5;         // [rad, of the extent] of one Newton step
constexpr double kRedundant = 1e-9;  // of a row's norm: remainder of a redundant row, whose positions are closed to kLargestViolation
constexpr double kFinished = 1e-13;  // [rad, of the extent] a negligible Newton step
constexpr double kMoved = 1e-3;      // [rad, of the extent; of the largest rate] a smaller change of a given value is rounding
constexpr int kIterations = 200;
constexpr int kNearest = 100;   // of them: strongly curved constraints may let those for the nearest configuration turn about it for ever
constexpr int kRatePasses = 3;  // each reduces the error by the factor kFreeWeight

using Sparse = Eigen::SparseMatrix<double>;
using Factors = Eigen::SparseQR<Sparse, Eigen::COLAMDOrdering<int>>;

template <int D>
struct Assembler {
  const Mechanism<D>& m;
  CompiledModel& model;
  MechanismState<D>& state;
  Eigen::VectorXd weight;
  std::vector<int> moving;  // velocity indices that are not held
  std::vector<int> column;  // per velocity: its index among those, or -1
  Sparse analysed;          // a matrix with the pattern for which the factors' order of elimination was found
  Factors factors;          // of the last matrix of factorise
  Eigen::VectorXd norms;    // of its columns

  Assembler(const Mechanism<D>& mechanism, CompiledModel& target, MechanismState<D>& start)
      : m(mechanism), model(target), state(start), weight(mechanism.tree.nv), column(mechanism.tree.nv, -1) {
    for (int i = 0; i < m.tree.nv; ++i)
      if (!model.start[i].locked) {
        column[i] = static_cast<int>(moving.size());
        moving.push_back(i);
      }
    update(model.q_start);
    set_weights();
    factors.setPivotThreshold(kRedundant);
  }

  void update(const std::vector<double>& q) {
    update_positions<D, double>(m, q.data(), nullptr, state);
    // unset distances and the relative position of coupled coordinates follow from assembly;
    // velocity rows do not constrain positions
    for (const ConstraintGroup<D>& g : m.constraints) {
      const bool open = std::isnan(g.distance);
      if (open) state.Phi[g.rows.begin] = 0;
      const auto J = state.jacobian.begin() + g.jacobian;
      std::fill(J + (open ? 0 : g.holonomic * g.path.size()), J + g.rows.size() * g.path.size(), 0.0);
    }
  }

  /// For positions; with `rates` for velocities, by which rates are given.
  void set_weights(bool rates = false) {
    const int n = m.tree.nv;
    std::vector<double> zero(n, 0.0), r(n, 0.0);
    update_rates<D, double>(m, zero.data(), zero.data(), state);
    inverse_dynamics<D, double>(m, model.q_start.data(), zero.data(), true, state, r.data());
    for (int i = 0; i < n; ++i) weight[i] = own_inertia(m.tree, state.tree, i);
    const double largest = n > 0 ? std::max(weight.maxCoeff(), 1e-100) : 1;
    for (int i = 0; i < n; ++i) {
      const bool given = rates ? model.start[i].rate_given : model.start[i].given;
      weight[i] = std::max(weight[i], 1e-9 * largest) * (given ? 1 : kFreeWeight);
    }
  }

  /// W^-1/2 J^T: Jacobian per velocity in the moving coordinates, each divided by the root of its weight; a column per row.
  Sparse scaled_rows() const {
    std::vector<Eigen::Triplet<double>> entries;
    for (const ConstraintGroup<D>& g : m.constraints)
      for (int row = 0; row < g.rows.size(); ++row)
        for (int k = 0; k < g.path.size(); ++k) {
          const int i = m.paths[g.path.begin + k].dof;
          const double entry = state.jacobian[g.jacobian + row * g.path.size() + k] / std::sqrt(weight[i]);
          if (column[i] >= 0 && entry != 0) entries.emplace_back(column[i], g.rows.begin + row, entry);
        }
    Sparse A(static_cast<Eigen::Index>(moving.size()), m.rows);
    A.setFromTriplets(entries.begin(), entries.end());
    return A;
  }

  /// 1 / sqrt(W) of the moving coordinates.
  Eigen::VectorXd scale() const {
    Eigen::VectorXd s(moving.size());
    for (std::size_t i = 0; i < moving.size(); ++i) s[static_cast<Eigen::Index>(i)] = 1 / std::sqrt(weight[moving[i]]);
    return s;
  }

  /// The columns of A, the rows of the Jacobian, with norm 1: the remainder of a redundant one is small against it, whatever its unit.
  /// The order of elimination is found once for matrices of one pattern.
  void factorise(const Sparse& A) {
    Sparse unit = A;
    norms.setOnes(A.cols());
    for (int row = 0; row < static_cast<int>(A.cols()); ++row) {
      const double norm = A.col(row).norm();
      if (!(norm > 0)) continue;
      norms[row] = norm;
      unit.col(row) *= 1 / norm;
    }
    const auto starts = [](const Sparse& matrix) { return std::span(matrix.outerIndexPtr(), static_cast<std::size_t>(matrix.cols()) + 1); };
    const auto rows = [](const Sparse& matrix) { return std::span(matrix.innerIndexPtr(), static_cast<std::size_t>(matrix.nonZeros())); };
    if (!std::ranges::equal(starts(A), starts(analysed)) || !std::ranges::equal(rows(A), rows(analysed))) {
      factors.analyzePattern(A);
      analysed = A;
    }
    factors.factorize(unit);
  }

  /// Solves the weighted step: minimise 1/2 (x - x0)^T W (x - x0) with J x = c; returns x over the moving coordinates.
  /// A: scaled_rows(); `factored`: whether the factors are its own, set by the first step that needs them.
  Eigen::VectorXd weighted(const Sparse& A, const Eigen::VectorXd& x0, const Eigen::VectorXd& c, bool& factored) {
    // in z = sqrt(W) (x - x0): the smallest z with A^T z = b = c - J x0. With A P = Q R: R^T (Q^T z) = P^T b
    const Eigen::VectorXd b = c - A.transpose() * x0.cwiseQuotient(scale());
    if (A.nonZeros() == 0 || (!kTangents && b.isZero(0))) return x0;
    if (!factored) factorise(A);
    factored = true;
    const Eigen::VectorXd scaled = b.cwiseQuotient(norms);
    const Eigen::Index rank = factors.rank();
    const Eigen::SparseMatrix<double, Eigen::RowMajor> R = factors.matrixR();  // whose entries are unsorted
    Eigen::VectorXd z = Eigen::VectorXd::Zero(A.rows());
    z.head(rank) = Sparse(R.topLeftCorner(rank, rank))
                       .transpose()
                       .triangularView<Eigen::Lower>()
                       .solve(Eigen::VectorXd(factors.colsPermutation().transpose() * scaled).head(rank));
    z = factors.matrixQ() * z;
    return x0 + scale().cwiseProduct(z);
  }

  /// If that step is too long, far from closure or near a singular configuration: minimise |Phi + J x|^2 + mu x^T W x with mu so
  /// large that the step is short enough (Levenberg, Marquardt). The given start values are ignored here.
  Eigen::VectorXd short_step(const Sparse& A) const {
    Sparse identity(m.rows, m.rows);
    identity.setIdentity();
    const Sparse G = Sparse(A.transpose()) * A + 0.0 * identity;  // with every diagonal entry in the pattern
    for (double mu = 1e-9 * G.diagonal().maxCoeff();; mu *= 4) {
      const Eigen::SimplicialLDLT<Sparse> damped(G + mu * identity);
      const Eigen::VectorXd x = scale().cwiseProduct(Eigen::VectorXd(A * damped.solve(-Phi())));
      if (!(size(x) > kLargestStep)) return x;
    }
  }

  double violation() const {
    double worst = 0;
    for (double value : state.Phi) worst = std::max(worst, std::isfinite(value) ? std::abs(value) : 1e300);
    return worst;
  }
  /// Largest entry over the moving coordinates [rad, of the extent].
  double size(const Eigen::VectorXd& x) const {
    double largest = 0;
    for (std::size_t i = 0; i < moving.size(); ++i) {
      const double scaled = std::abs(x[static_cast<Eigen::Index>(i)]) / m.unit(moving[i]);
      if (!(scaled <= largest)) largest = scaled;  // NaN included
    }
    return largest;
  }
  double closed() const { return kLargestViolation * (std::isfinite(m.extent) ? std::max(1.0, m.extent) : 1); }
  Eigen::VectorXd Phi() const { return Eigen::Map<const Eigen::VectorXd>(state.Phi.data(), m.rows); }
};

[[noreturn]] void report_open_loops(const Description& d, const CompiledModel& model, const std::vector<double>& Phi, double closed) {
  std::vector<Diagnostic> findings;
  std::string motions;
  for (const auto& [name, motion] : d.motions) motions += (motions.empty() ? "" : ", ") + ("motions." + name);
  for (const ConstraintInfo& info : model.constraints) {
    double worst = 0;
    for (int i = info.rows.begin; i < info.rows.end; ++i) worst = std::max(worst, std::isfinite(Phi[i]) ? std::abs(Phi[i]) : HUGE_VAL);
    if (worst < closed) continue;
    if (info.path.starts_with("motions."))
      findings.push_back(
          {span_of(d, info.path), info.path,
           fmt::format("the coordinate cannot reach the prescribed value at the start: {:.6g} m or rad remain after assembly", worst),
           "a signal that starts within the range of the mechanism",
           d.motions.size() > 1 ? "check that " + motions + " do not contradict each other" : ""});
    else
      findings.push_back(
          {span_of(d, info.path), info.path, fmt::format("does not close at the start: {:.6g} m (or 1) remain after assembly", worst),
           "start values from which the loop can be closed",
           "check lengths and start values, or release a coordinate that is held" +
               (motions.empty() ? std::string() : "; the start values of " + motions + " may be out of range or contradict each other")});
  }
  throw InputError(std::move(findings));
}

/// Names the given start values that were moved to close the loops.
template <int D>
void report_moved(const Mechanism<D>& m, const std::vector<double>& given, const std::vector<double>& v_given, CompiledModel& model) {
  std::vector<double> moved(m.tree.nv);
  configuration_difference(m.tree, given.data(), model.q_start.data(), moved.data());
  double largest_rate = 0;
  for (int k = 0; k < m.tree.nv; ++k) largest_rate = std::max(largest_rate, std::abs(v_given[k]) / m.unit(k));
  for (int k = 0; k < m.tree.nv; ++k) {
    const StartCoordinate& start = model.start[k];
    const bool length = m.tree.nodes[m.tree.dof_node[k]].joint == NodeJoint::prismatic;
    if (start.given && !start.locked && std::abs(moved[k]) > kMoved * m.unit(k))
      model.moved_starts.push_back({model.coordinate_names[k], moved[k], length ? "m" : "rad"});
    if (const double change = model.v_start[k] - v_given[k];
        start.rate_given && !start.locked && std::abs(change) > kMoved * largest_rate * m.unit(k))
      model.moved_starts.push_back({model.velocity_names[k], change, length ? "m/s" : "rad/s"});
  }
}

}  // namespace

template <int D>
void assemble(const Description& d, const Mechanism<D>& m, CompiledModel& model, MechanismState<D>& start) {
  if (m.rows == 0) return;
  Assembler<D> a(m, model, start);
  const std::vector<double> given = model.q_start, v_given = model.v_start;
  std::vector<double> q = given, theta(m.tree.nv), step(m.tree.nv);
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    // the increment x = delta from q: nearest to the given start values means x0 = -theta
    configuration_difference(m.tree, given.data(), q.data(), theta.data());
    Eigen::VectorXd x0 = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(a.moving.size()));  // later: nearest to the last configuration
    for (std::size_t i = 0; i < a.moving.size() && iteration < kNearest; ++i) x0[static_cast<Eigen::Index>(i)] = -theta[a.moving[i]];
    bool factored = false;
    const Sparse A = a.scaled_rows();
    Eigen::VectorXd x = a.weighted(A, x0, -a.Phi(), factored);
    const double size = a.size(x);
    if (!(size < 1e300)) break;
    if (size > kLargestStep) x = a.short_step(A);
    std::fill(step.begin(), step.end(), 0.0);
    for (std::size_t i = 0; i < a.moving.size(); ++i) step[a.moving[i]] = x[static_cast<Eigen::Index>(i)];
    std::vector<double> next(q.size());
    advance_configuration<D, double>(m.tree, q.data(), step.data(), next.data());
    q = next;
    a.update(q);
    if (size < kFinished) break;
  }
  if (!(a.violation() < a.closed())) report_open_loops(d, model, a.state.Phi, a.closed());
  model.q_start = q;

  // velocities: J v = -Phi_t, including velocity rows and those open for the configuration; held coordinates keep their
  // given rates
  std::vector<double> locked(m.tree.nv, 0.0);
  for (int i = 0; i < m.tree.nv; ++i)
    if (model.start[i].locked) locked[i] = model.v_start[i];
  update_positions<D, double>(m, q.data(), nullptr, a.state);
  a.set_weights(true);
  constraint_rates(m, locked.data(), a.state);
  const Eigen::VectorXd c = -Eigen::Map<const Eigen::VectorXd>(a.state.Phi_dot.data(), m.rows);
  Eigen::VectorXd v(a.moving.size());
  for (std::size_t i = 0; i < a.moving.size(); ++i) v[static_cast<Eigen::Index>(i)] = model.v_start[a.moving[i]];
  // free rates have no reference value: restarting from the result keeps the given ones exact
  bool factored = false;
  const Sparse A = a.scaled_rows();
  for (int pass = 0; pass < kRatePasses; ++pass) {
    for (std::size_t i = 0; i < a.moving.size(); ++i)
      if (model.start[a.moving[i]].rate_given) v[static_cast<Eigen::Index>(i)] = model.v_start[a.moving[i]];
    v = a.weighted(A, v, c, factored);
  }
  for (std::size_t i = 0; i < a.moving.size(); ++i) model.v_start[a.moving[i]] = v[static_cast<Eigen::Index>(i)];
  report_moved(m, given, v_given, model);
}

template void assemble<2>(const Description&, const Mechanism<2>&, CompiledModel&, MechanismState<2>&);
template void assemble<3>(const Description&, const Mechanism<3>&, CompiledModel&, MechanismState<3>&);

}  // namespace trunnion
