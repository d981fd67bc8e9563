// Kinematics of closed loops in independent coordinates.
// SPDX-License-Identifier: BSD-3-Clause
#include "solve/closed_loops.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/lu.h"

namespace trunnion {

namespace {

constexpr double kRedundantOpen = 1e-7;          // [-, of the extent, of the extent per s] tolerated violation of a redundant row
constexpr double kImplied = 100;                 // relative to the other rows' violation: that tolerated for a redundant row
constexpr double kNegligibleCorrection = 4e-15;  // [rad, of the extent] negligible correction,
constexpr double kReach = 2e-16;                 // or relative to the machine's reach, if larger
constexpr double kQuadratic = 1e-8;              // [rad, of the extent] correction with a quadratic error below rounding
constexpr double kFar = 0.5;                     // [rad, of the extent] maximum correction of the same motion
constexpr int kIterations = 12;

/// write(i, x_i) of x = J_d^-1 b, b_i = read(i), with the loops over a small block unrolled; x is scratch and may alias the input.
template <class Block, class Read, class Write>
TR_INLINE void solve_block(const Block& block, double* x, Read&& read, Write&& write) {
  const auto around = [&](auto n, auto&& solve) {
    for (int i = 0; i < n; ++i) x[i] = read(i);
    solve();
    for (int i = 0; i < n; ++i) write(i, x[i]);
  };
  if (block.is_sparse)
    around(block.rank, [&] { block.sparse.solve(x); });
  else
    lu_detail::with_size(block.rank, [&](auto n) { around(n, [&] { lu_detail::solve(block.LU.data(), n, block.pivot.data(), x); }); });
}

}  // namespace

template <int D>
ClosedLoops<D>::ClosedLoops(const Mechanism<D>& m) : LoopPartition<D>(m), correction_(m.rows) {
  std::vector<double> reach(m.tree.nodes.size());  // [m] maximum distance of a node from the reference point
  double farthest = 0;
  for (std::size_t j = 1; j < m.tree.nodes.size(); ++j) {
    const TreeNode<D>& n = m.tree.nodes[j];
    reach[j] = reach[n.parent] + n.r_PJ.norm() + n.r_BJ.norm();
    farthest = std::max(farthest, reach[j]);
  }
  rounding_ = std::max(kNegligibleCorrection, kReach * farthest / m.extent);
  std::size_t rows = 0;
  for (const Group& g : groups_) rows = std::max(rows, g.rows.size());
  x_.resize(rows);
}

template <int D>
bool ClosedLoops<D>::select_partition(const MechanismState<D>& state, std::span<const int> independent) {
  return this->select(state, independent) && factor_at(state);
}

// ---------------------------------------------------------------- factors

/// The row with the smallest pivot of a dense block.
template <int D>
int ClosedLoops<D>::weakest_row(const Block& block) {
  const int n = block.rank;
  int row = 0;
  for (int i = 1; i < n; ++i)
    if (std::abs(block.LU[i * n + i]) > std::abs(block.LU[row * n + row])) row = i;  // inverse pivots
  for (int i = row; i >= 0; --i)
    if (row == i)
      row = block.pivot[i];
    else if (row == block.pivot[i])
      row = i;
  return row;
}

template <int D>
double ClosedLoops<D>::find_weakest_row() {
  double weakest = 1;
  for (const Group& g : groups_) {
    const Block& block = g.velocity_block;
    double ratio = 1;
    if (block.is_sparse) {
      ratio = block.sparse.pivot_ratio();
    } else {
      double smallest = std::numeric_limits<double>::infinity(), largest = 0;  // inverse pivots
      for (int i = 0; i < block.rank; ++i) {
        smallest = std::min(smallest, std::abs(block.LU[i * block.rank + i]));
        largest = std::max(largest, std::abs(block.LU[i * block.rank + i]));
      }
      if (largest > 0) ratio = smallest / largest;
    }
    if (ratio >= weakest) continue;
    weakest = ratio;
    failed_row_ = g.row[block.is_sparse ? block.sparse.weakest_row() : weakest_row(block)];
  }
  return weakest;
}

/// Loads one Jacobian of a group and factors its dependent block. False at a singular configuration.
template <int D>
bool ClosedLoops<D>::factor(const Group& g, const std::vector<double>& jacobian, Block& block) {
  for (std::size_t i = 0; i < block.rest.size(); ++i) block.rest_values[i] = jacobian[block.rest[i].from];
  double* values = block.is_sparse ? block.sparse.values().data() : block.LU.data();
  if (!block.is_sparse && block.dependent.size() < block.LU.size()) std::fill(block.LU.begin(), block.LU.end(), 0.0);
  for (const Copy& c : block.dependent) values[c.to] = jacobian[c.from];
  if (block.is_sparse) {
    const bool done = block.sparse.factor();
    block.sign = block.sparse.sign();
    if (done && block.sparse.pivot_ratio() >= kDead) return true;
    failed_row_ = g.row[block.sparse.weakest_row()];
    return false;
  }
  return lu_detail::with_size(block.rank, [&](auto n) {
    if (!lu_detail::factor(values, n, block.pivot.data())) {
      failed_row_ = g.row[n - 1];
      return false;
    }
    double smallest = std::numeric_limits<double>::infinity(), largest = 0;  // inverse pivots
    bool negative = false;
    for (int i = 0; i < n; ++i) {
      const double inverse = values[i * n + i], size = std::abs(inverse);
      negative ^= (inverse < 0) != (block.pivot[i] != i);
      smallest = smallest < size ? smallest : size;
      largest = largest > size ? largest : size;
    }
    block.sign = negative ? -1 : 1;
    if (smallest >= kDead * largest) return true;
    failed_row_ = g.row[weakest_row(block)];
    return false;
  });
}

/// Factors the dependent blocks of position increments. False at a singular configuration.
template <int D>
bool ClosedLoops<D>::factor_positions(const MechanismState<D>& state) {
  for (Group& g : groups_) {
    if (g.row.empty()) {
      failed_row_ = g.rows[0];
      return false;
    }
    if (!(g.two_blocks ? factor(g, g.has_spherical ? state.jacobian_q : state.jacobian, g.position_block)
                       : factor(g, state.jacobian, g.velocity_block)))
      return false;
  }
  return true;
}

/// Those of rates, if different.
template <int D>
bool ClosedLoops<D>::factor_rates(const MechanismState<D>& state) {
  for (Group& g : groups_)
    if (g.two_blocks && !factor(g, state.jacobian, g.velocity_block)) return false;
  return true;
}

/// x = J_d^-1 x, x = J_d^-T x.
template <int D>
void ClosedLoops<D>::solve(const Block& block, double* x) {
  block.is_sparse ? block.sparse.solve(x) : lu_solve(block.LU.data(), block.rank, block.pivot.data(), x);
}
template <int D>
void ClosedLoops<D>::solve_transposed(const Block& block, double* x) {
  block.is_sparse ? block.sparse.solve_transposed(x) : lu_solve_transposed(block.LU.data(), block.rank, block.pivot.data(), x);
}

template <int D>
bool ClosedLoops<D>::factor_at(const MechanismState<D>& state) {
  return factor_positions(state) && factor_rates(state);
}

// ---------------------------------------------------------------- positions, velocities, accelerations

template <int D>
LoopStatus ClosedLoops<D>::close(const double* q, double* theta, double* q_end, bool to_rounding, MechanismState<D>& state,
                                 int* iterations) {
  bool last = groups_.empty();
  for (int iteration = 0;; ++iteration) {
    advance_configuration(m_.tree, q, theta, q_end);
    update_positions(m_, q_end, theta, state);
    double largest = 0;
    if (!factor_positions(state)) return LoopStatus::singular_configuration;
    if (last) break;
    double* x = correction_.data();
    for (const Group& g : groups_) {
      const Block& block = g.positions();
      for (int i = 0; i < block.rank; ++i) x[i] = state.Phi[g.row[i]];
      solve(block, x);
      for (int i = 0; i < block.rank; ++i) largest = std::max(largest, std::abs(x[i]) / unit_[g.dependent[i]]);
      x += block.rank;
    }
    if (largest <= rounding_ && (!kTangents || iteration > 0)) break;  // the evaluation remains valid
    x = correction_.data();
    for (const Group& g : groups_)
      for (int i = 0; i < g.positions().rank; ++i) theta[g.dependent[i]] -= *x++;
    ++*iterations;
    if (!(largest < kFar) || iteration >= kIterations) {
      failed_row_ = groups_[0].rows[0];
      for (int i = 0; i < m_.rows; ++i)
        if (std::abs(state.Phi[i]) > std::abs(state.Phi[failed_row_])) failed_row_ = i;
      return LoopStatus::open;
    }
    last = largest < kQuadratic;
    if (last && !to_rounding) return factor_rates(state) ? LoopStatus::closed : LoopStatus::singular_configuration;
  }
  if (!factor_rates(state)) return LoopStatus::singular_configuration;
  for (int i = 0; i < m_.rows; ++i)
    if (std::abs(state.Phi[i]) > kRedundantOpen * row_unit_[i]) {
      failed_row_ = i;
      return LoopStatus::singular_configuration;
    }
  return LoopStatus::closed;
}

template <int D>
void ClosedLoops<D>::subtract_dependent(const double* d, double* x) const {
  for (const Group& g : groups_)
    solve_block(
        g.velocity_block, x_.data(), [&](int i) { return d[g.row[i]]; }, [&](int i, double y) { x[g.dependent[i]] -= y; });
}

template <int D>
void ClosedLoops<D>::remove_positions(const double* d, double* theta) const {
  for (const Group& g : groups_)
    solve_block(
        g.positions(), x_.data(), [&](int i) { return d[g.row[i]]; }, [&](int i, double y) { theta[g.dependent[i]] -= y; });
}

template <int D>
void ClosedLoops<D>::solve_velocities(double* v, MechanismState<D>& state) const {
  for (const Group& g : groups_) {
    const Block& block = g.velocity_block;
    std::fill_n(x_.data(), block.rank, 0.0);
    for (const Copy& c : g.driven) x_[c.to] = state.motion[c.from].rate;
    for (std::size_t k = 0; k < g.independent.size(); ++k) {
      const double v_i = v[independent_[g.independent[k]]];
      for (int i = block.rest_begin[k]; i < block.rest_begin[k + 1]; ++i) x_[block.rest[i].to] -= block.rest_values[i] * v_i;
    }
    solve_block(
        block, x_.data(), [&](int i) { return x_[i]; }, [&](int i, double y) { v[g.dependent[i]] = y; });
  }
}

template <int D>
bool ClosedLoops<D>::redundant_rates_hold(const MechanismState<D>& state) {
  if (m_.velocity_rows == 0) return true;
  double allowed = kRedundantOpen * m_.extent;
  for (int i = 0; i < m_.rows; ++i)
    if (row_place_[i] >= 0) allowed = std::max(allowed, kImplied * std::abs(state.Phi_dot[i]));
  for (int i = 0; i < m_.rows; ++i)
    if (m_.holonomic[i] == 0 && row_place_[i] < 0 && !(std::abs(state.Phi_dot[i]) <= allowed)) {
      failed_row_ = i;
      return false;
    }
  return true;
}

template <int D>
void ClosedLoops<D>::solve_accelerations(const double* v, double* a, MechanismState<D>& state) const {
  update_rates(m_.tree, v, a, state.tree);
  if (groups_.empty()) return;
  constraint_accelerations(m_, a, state);
  subtract_dependent(state.Phi_ddot.data(), a);
}

// ---------------------------------------------------------------- change

/// R = -J_d^-1 J_i; raises `largest` to its largest entry, coordinates in their units.
template <int D>
void ClosedLoops<D>::reduce(const Group& g, const std::vector<int>& columns, const std::vector<int>& velocities, Block& block,
                            double& largest) const {
  std::fill(block.R.begin(), block.R.end(), 0.0);
  double* x = block.R.data();
  for (std::size_t k = 0; k + 1 < block.rest_begin.size(); ++k, x += block.rank) {
    for (int i = block.rest_begin[k]; i < block.rest_begin[k + 1]; ++i) x[block.rest[i].to] = -block.rest_values[i];
    solve(block, x);
    const double unit = unit_[velocities[columns[k]]];
    for (int i = 0; i < block.rank; ++i) largest = std::max(largest, std::abs(x[i]) * unit / unit_[g.dependent[i]]);
  }
}

template <int D>
double ClosedLoops<D>::reduce() {
  double largest = 0;
  for (Group& g : groups_) {
    reduce(g, g.independent, independent_, g.velocity_block, largest);
    if (g.two_blocks) reduce(g, g.admissible, admissible_, g.position_block, largest);
  }
  return largest;
}

/// The dependent entries of x += R y: `columns` maps the group's columns to entries of y.
template <int D>
void ClosedLoops<D>::add_dependent(const Group& g, const Block& block, const std::vector<int>& columns, const double* y, double* x) {
  const double* R = block.R.data();
  for (int k : columns) {
    for (int i = 0; i < block.rank; ++i) x[g.dependent[i]] += R[i] * y[k];
    R += block.rank;
  }
}

template <int D>
void ClosedLoops<D>::add_increment(const double* x, double* theta) const {
  for (std::size_t k = 0; k < admissible_.size(); ++k) theta[admissible_[k]] += x[k];
  for (const Group& g : groups_) add_dependent(g, g.positions(), g.admissible, x, theta);
}

template <int D>
void ClosedLoops<D>::add_rates(const double* x, double* v) const {
  for (std::size_t k = 0; k < independent_.size(); ++k) v[independent_[k]] += x[k];
  for (const Group& g : groups_) add_dependent(g, g.velocity_block, g.independent, x, v);
}

/// `groups`: per lane, those moved by its coordinates.
template <int D>
template <class S>
void ClosedLoops<D>::complete(const std::array<std::span<const Group>, kLanes<S>>& groups, const MechanismState<D>& state,
                              DirectionalDerivative<D, S>& work, Columns<S>& change, const double* rates,
                              const double* accelerations) const {
  // -J_d^-1 (J_i x_i + other changes of the rows)
  const auto solve_rates = [&](int i, const Group& g, const std::vector<double>& rest, const double* given, std::vector<S>& rate) {
    const Block& block = g.velocity_block;
    for (int row = 0; row < block.rank; ++row) x_[row] = -rest[g.row[row]];
    if (given != nullptr)
      for (int row = 0; row < block.rank; ++row) x_[row] -= given[g.row[row]];
    for (std::size_t k = 0; k < g.independent.size(); ++k) {
      const double rate_i = lane(rate[independent_[g.independent[k]]], i);
      if (rate_i == 0) continue;
      for (int entry = block.rest_begin[k]; entry < block.rest_begin[k + 1]; ++entry)
        x_[block.rest[entry].to] -= block.rest_values[entry] * rate_i;
    }
    solve_block(
        block, x_.data(), [&](int row) { return x_[row]; }, [&](int row, double y) { set_lane(rate[g.dependent[row]], i, y); });
  };
  const S* none = nullptr;
  differentiate_places(m_, change.theta.data(), state, work);
  for (int i = 0; i < kLanes<S>; ++i) {
    for (const Group& g : groups[i]) differentiate_row_rates(m_, g.constraints, none, state, work, i);
    for (const Group& g : groups[i]) solve_rates(i, g, work.Phi_dot, rates, change.v);
  }
  differentiate_velocities(m_, change.v.data(), state, work);
  for (int i = 0; i < kLanes<S>; ++i) {
    for (const Group& g : groups[i]) differentiate_row_accelerations(m_, g.constraints, none, state, work, i);
    for (const Group& g : groups[i]) solve_rates(i, g, work.Phi_ddot, accelerations, change.a);
  }
  differentiate_accelerations(m_, change.a.data(), state, work);
}

template <int D>
void ClosedLoops<D>::complete(const MechanismState<D>& state, DirectionalDerivative<D>& work, Column& change, const double* rates,
                              const double* accelerations) const {
  complete<double>({groups_}, state, work, change, rates, accelerations);
}

template <int D>
template <class S>
void ClosedLoops<D>::columns(int first, const IncrementFactors& f, const MechanismState<D>& state, DirectionalDerivative<D, S>& work,
                             Columns<S>& out) const {
  for (auto* x : {&out.theta, &out.v, &out.a}) std::fill(x->begin(), x->end(), S(0));
  std::array<std::span<const Group>, kLanes<S>> groups;
  const int count = std::min(kLanes<S>, static_cast<int>(admissible_.size()) - first);
  for (int k = 0; k < count; ++k) {
    const int v = admissible_[first + k], at = column_in_group_[v], group = group_of_velocity_[v];
    set_lane(out.theta[v], k, 1);
    bool independent = true;
    if (group >= 0) {
      const Group& g = groups_[group];
      groups[k] = std::span(groups_).subspan(group, 1);
      const Block& block = g.positions();
      const double* R = block.R.data() + static_cast<std::size_t>(-1 - block.place[at]) * block.rank;
      for (int i = 0; i < block.rank; ++i) set_lane(out.theta[g.dependent[i]], k, R[i]);
      independent = g.velocity_block.place[at] < 0;
    }
    if (!independent) continue;
    set_lane(out.v[v], k, f.velocity);
    set_lane(out.a[v], k, f.acceleration);
  }
  complete<S>(groups, state, work, out, nullptr, nullptr);
}

template <int D>
void ClosedLoops<D>::project(const double* r, double* out) const {
  for (std::size_t k = 0; k < independent_.size(); ++k) out[k] = r[independent_[k]];
  for (const Group& g : groups_) {
    const Block& block = g.velocity_block;
    if (block.is_sparse) {  // R^T r_d = -J_i^T (J_d^-T r_d), for any number of columns
      for (int i = 0; i < block.rank; ++i) x_[i] = r[g.dependent[i]];
      solve_transposed(block, x_.data());
      for (std::size_t k = 0; k < g.independent.size(); ++k)
        for (int i = block.rest_begin[k]; i < block.rest_begin[k + 1]; ++i)
          out[g.independent[k]] -= block.rest_values[i] * x_[block.rest[i].to];
      continue;
    }
    const double* R = block.R.data();
    for (int k : g.independent) {
      for (int i = 0; i < block.rank; ++i) out[k] += R[i] * r[g.dependent[i]];
      R += block.rank;
    }
  }
}

template <int D>
void ClosedLoops<D>::add_multipliers(const double* r, double* multipliers) const {
  for (const Group& g : groups_) {
    for (int i = 0; i < g.velocity_block.rank; ++i) x_[i] = r[g.dependent[i]];
    solve_transposed(g.velocity_block, x_.data());
    for (int i = 0; i < g.velocity_block.rank; ++i) multipliers[g.row[i]] -= x_[i];
  }
}

template <int D>
void ClosedLoops<D>::set_multipliers(const double* r, double* multipliers) const {
  std::fill(multipliers, multipliers + m_.rows, 0.0);
  add_multipliers(r, multipliers);
}

#define TR_INSTANTIATE(D, S)                                                                                                     \
  template void ClosedLoops<D>::columns<S>(int, const IncrementFactors&, const MechanismState<D>&, DirectionalDerivative<D, S>&, \
                                           Columns<S>&) const;
template class ClosedLoops<2>;
template class ClosedLoops<3>;
TR_INSTANTIATE(2, double)
TR_INSTANTIATE(3, double)
TR_INSTANTIATE(2, Pack<4>)
TR_INSTANTIATE(3, Pack<4>)

}  // namespace trunnion
