// SPDX-License-Identifier: BSD-3-Clause
#include "solve/closed_loops.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/lu.h"

namespace trunnion {

namespace {

constexpr double kRedundant = 1e-9;      // of a row: what elimination leaves of a redundant one
constexpr double kDead = 1e-6;           // of the largest pivot: a smaller one determines nothing
constexpr double kRedundantOpen = 1e-7;  // [m, -] what a redundant row may be open
constexpr double kRounding = 4e-15;      // [rad, m] correction that changes nothing,
constexpr double kExtent = 2e-16;        // of the machine's extent, where that is more
constexpr double kQuadratic = 1e-8;      // [rad, m] correction after which the error is its square: rounding
constexpr double kFar = 0.5;             // [rad, m] correction that no longer belongs to the same motion
constexpr int kIterations = 12;
constexpr std::size_t kDense = 32;  // rows of a group up to which its dependent block is dense

/// write(i, x_i) of x = J_d^-1 b, b_i = read(i), with the loops over a small block unrolled; x is scratch and may be what is read.
template <class Block, class Read, class Write>
TR_INLINE void solve_block(bool sparse, int rank, const Block& block, double* x, Read&& read, Write&& write) {
  const auto around = [&](auto n, auto&& solve) {
    for (int i = 0; i < n; ++i) x[i] = read(i);
    solve();
    for (int i = 0; i < n; ++i) write(i, x[i]);
  };
  if (sparse)
    around(rank, [&] { block.sparse.solve(x); });
  else
    lu_detail::with_size(rank, [&](auto n) { around(n, [&] { lu_detail::solve(block.LU.data(), n, block.pivot.data(), x); }); });
}

}  // namespace

template <int D>
ClosedLoops<D>::ClosedLoops(const Mechanism<D>& m)
    : m_(m),
      group_of_velocity_(m.tree.nv, -1),
      place_(m.tree.nv, 0),
      row_place_(m.rows, -1),
      row_in_group_(m.rows),
      column_in_group_(m.tree.nv),
      correction_(m.rows) {
  std::vector<double> reach(m.tree.nodes.size());  // [m] of a node from the reference point, at most
  double extent = 0;
  for (std::size_t j = 1; j < m.tree.nodes.size(); ++j) {
    const TreeNode<D>& n = m.tree.nodes[j];
    same_jacobian_ = same_jacobian_ && n.joint != NodeJoint::spherical;
    reach[j] = reach[n.parent] + n.r_PJ.norm() + n.r_BJ.norm();
    extent = std::max(extent, reach[j]);
  }
  rounding_ = std::max(kRounding, kExtent * extent);
  std::size_t rows = 0, columns = 0;
  for (LoopGroup& found : find_loop_groups(m)) {
    Group g;
    static_cast<LoopGroup&>(g) = std::move(found);
    const std::size_t r = g.rows.size(), c = g.velocities.size();
    std::size_t entries = 0;
    for (int i : g.constraints) entries += static_cast<std::size_t>(m.constraints[i].rows.size()) * m.constraints[i].path.size();
    for (std::size_t i = 0; i < r; ++i) row_in_group_[g.rows[i]] = static_cast<int>(i);
    for (std::size_t i = 0; i < c; ++i) {
      column_in_group_[g.velocities[i]] = static_cast<int>(i);
      group_of_velocity_[g.velocities[i]] = static_cast<int>(groups_.size());
      place_[g.velocities[i]] = -1 - static_cast<int>(i);
    }
    for (auto* list : {&g.row, &g.dependent, &g.driven}) list->reserve(r);
    for (auto* list : {&g.free_order, &g.rest_begin}) list->reserve(c + 1);
    for (auto* list : {&g.block, &g.rest}) list->reserve(entries);
    g.rest_begin.assign(c + 1, 0);
    g.sparse = r > kDense;
    if (!g.sparse) {
      for (Block* block : {&g.of_v, &g.of_q}) {
        block->LU.reserve(r * r);
        block->pivot.reserve(r);
        block->rest.reserve(entries);
        block->R.reserve(r * c);
      }
    }
    rows = std::max(rows, r);
    columns = std::max(columns, c);
    groups_.push_back(std::move(g));
  }
  x_.resize(rows);
  chosen_.resize(rows);
  elimination_ = FullPivoting(static_cast<int>(rows), static_cast<int>(columns));
  independent_.reserve(m.tree.nv);
  list_independent();
}

// ---------------------------------------------------------------- partition

/// Everything of a group that follows from its `row` and `dependent`.
template <int D>
void ClosedLoops<D>::set_partition(Group& g) {
  g.rank = static_cast<int>(g.row.size());
  for (int row : g.rows) row_place_[row] = -1;
  for (int v : g.velocities) place_[v] = -1;
  for (int i = 0; i < g.rank; ++i) {
    row_place_[g.row[i]] = i;
    place_[g.dependent[i]] = i;
  }
  std::size_t free = 0;
  for (int v : g.velocities)
    if (place_[v] < 0) place_[v] = -static_cast<int>(++free);
  // J = [J_d J_i] by entries; those of J_i sorted by column
  g.driven.clear();
  for (int i : g.constraints)
    if (m_.constraints[i].type == ConstraintType::coordinate && row_place_[m_.constraints[i].rows.begin] >= 0) g.driven.push_back(i);
  const std::size_t rank = g.rank;
  std::vector<int>& end = g.rest_begin;
  end.assign(free + 1, 0);
  g.block.clear();
  const auto for_each_entry = [&](auto&& body) {
    for (int i : g.constraints) {
      const ConstraintGroup<D>& c = m_.constraints[i];
      int from = c.jacobian;
      for (int row = c.rows.begin; row < c.rows.end; ++row)
        for (int k = c.path.begin; k < c.path.end; ++k, ++from)
          if (row_place_[row] >= 0) body(from, row_place_[row], place_[m_.paths[k].dof]);
    }
  };
  for_each_entry([&](int from, int row, int place) {
    if (place < 0)
      ++end[-1 - place];
    else
      g.block.push_back({from, static_cast<int>(row * rank) + place});
  });
  std::exclusive_scan(end.begin(), end.end(), end.begin(), 0);
  g.rest.resize(end.back());
  for_each_entry([&](int from, int row, int place) {
    if (place < 0) g.rest[end[-1 - place]++] = {from, row};
  });
  std::shift_right(end.begin(), end.end(), 1);
  end[0] = 0;
  for (Block* block : {&g.of_v, &g.of_q}) {
    block->rest.resize(g.rest.size());
    block->R.resize(rank * free);
    if (g.sparse) continue;
    block->LU.assign(rank * rank, 0.0);
    block->pivot.resize(rank);
  }
  if (!g.sparse) return;
  std::vector<int> row, column;
  for (const Copy& c : g.block) {
    row.push_back(c.to / g.rank);
    column.push_back(c.to % g.rank);
  }
  g.of_v.sparse.set_pattern(g.rank, row, column);
  if (!same_jacobian_) g.of_q.sparse = g.of_v.sparse;
  for (std::size_t i = 0; i < g.block.size(); ++i) g.block[i].to = g.of_v.sparse.slots()[i];
}

template <int D>
void ClosedLoops<D>::list_independent() {
  independent_.clear();
  for (Group& g : groups_) g.free_order.clear();
  for (int v = 0; v < m_.tree.nv; ++v) {
    const int group = group_of_velocity_[v];
    if (group >= 0 && place_[v] >= 0) continue;
    if (group >= 0) groups_[group].free_order.push_back(static_cast<int>(independent_.size()));
    independent_.push_back(v);
  }
}

template <int D>
bool ClosedLoops<D>::adopt(const double* partition) {
  bool changed = false, complete = true;
  for (Group& g : groups_) {
    std::size_t found = 0;
    bool same = true;
    for (int row : g.rows) {
      if (partition[row] == 0) continue;
      const int v = static_cast<int>(std::abs(partition[row])) - 1;
      same = same && found < g.row.size() && g.row[found] == row && g.dependent[found] == v;
      ++found;
    }
    complete = complete && found > 0;
    if (found == 0 || (same && found == g.row.size())) continue;
    changed = true;
    g.row.clear();
    g.dependent.clear();
    for (int row : g.rows)
      if (partition[row] != 0) {
        g.row.push_back(row);
        g.dependent.push_back(static_cast<int>(std::abs(partition[row])) - 1);
      }
    set_partition(g);
  }
  if (changed) list_independent();
  return complete;
}

template <int D>
bool ClosedLoops<D>::choose(const MechanismState<D>& state) {
  bool sound = true;
  for (Group& g : groups_) {
    elimination_.start(static_cast<int>(g.rows.size()), static_cast<int>(g.velocities.size()));
    for (int i : g.constraints) {
      const ConstraintGroup<D>& c = m_.constraints[i];
      const double* entry = state.jacobian.data() + c.jacobian;
      for (int row = c.rows.begin; row < c.rows.end; ++row)
        for (int k = c.path.begin; k < c.path.end; ++k) elimination_.set(row_in_group_[row], column_in_group_[m_.paths[k].dof], *entry++);
    }
    const std::vector<FullPivoting::Pivot>& pivots = elimination_.eliminate(kRedundant);
    if (pivots.empty() || pivots.back().size < kDead * pivots.front().size) {
      failed_row_ = g.rows[pivots.empty() ? 0 : pivots.back().row];
      sound = false;
    }
    // ascending by row, so that one partition has one description
    std::fill_n(chosen_.begin(), g.rows.size(), -1);
    for (const FullPivoting::Pivot& p : pivots) chosen_[p.row] = g.velocities[p.column];
    std::size_t found = 0;
    bool same = pivots.size() == g.row.size();
    for (std::size_t i = 0; same && i < g.rows.size(); ++i)
      if (chosen_[i] >= 0) {
        same = g.row[found] == g.rows[i] && g.dependent[found] == chosen_[i];
        ++found;
      }
    if (!same) {
      g.row.clear();
      g.dependent.clear();
      for (std::size_t i = 0; i < g.rows.size(); ++i)
        if (chosen_[i] >= 0) {
          g.row.push_back(g.rows[i]);
          g.dependent.push_back(chosen_[i]);
        }
      set_partition(g);
    }
    sound = sound && factor(g, state);
  }
  list_independent();
  return sound;
}

template <int D>
void ClosedLoops<D>::write(double* partition) const {
  std::fill(partition, partition + m_.rows, 0.0);
  for (const Group& g : groups_)
    for (int i = 0; i < g.rank; ++i) partition[g.row[i]] = g.sign * (1 + g.dependent[i]);
}

template <int D>
bool ClosedLoops<D>::turned_over(const double* partition) {
  for (const Group& g : groups_)
    for (int i = 0; i < g.rank; ++i)
      if (partition[g.row[i]] * g.sign < 0) {
        failed_row_ = g.row[i];
        return true;
      }
  return false;
}

// ---------------------------------------------------------------- positions, velocities, accelerations

/// Takes the blocks of one Jacobian and factors the dependent one.
template <int D>
bool ClosedLoops<D>::factor(const Group& g, const std::vector<double>& jacobian, Block& block) {
  for (std::size_t i = 0; i < g.rest.size(); ++i) block.rest[i] = jacobian[g.rest[i].from];
  double* values = g.sparse ? block.sparse.values().data() : block.LU.data();
  if (!g.sparse && g.block.size() < block.LU.size()) std::fill(block.LU.begin(), block.LU.end(), 0.0);
  for (const Copy& c : g.block) values[c.to] = jacobian[c.from];
  return g.sparse ? block.sparse.factor() : lu_factor(values, g.rank, block.pivot.data());
}

/// Factors the dependent blocks. False at a dead point.
template <int D>
bool ClosedLoops<D>::factor(Group& g, const MechanismState<D>& state) {
  failed_row_ = g.rank == 0 ? g.rows[0] : g.row[g.rank - 1];
  if (g.rank == 0 || (!same_jacobian_ && !factor(g, state.jacobian_q, g.of_q)) || !factor(g, state.jacobian, g.of_v)) return false;
  if (g.sparse) {
    const PivotedLu& LU = g.of_v.sparse;
    g.sign = LU.sign();
    failed_row_ = g.row[LU.weakest_row()];
    return LU.pivot_ratio() >= kDead;
  }
  return lu_detail::with_size(g.rank, [&](auto n) {
    const double* LU = g.of_v.LU.data();
    double smallest = std::numeric_limits<double>::infinity(), largest = 0;  // inverse pivots
    bool negative = false;
    for (int i = 0; i < n; ++i) {
      const double inverse = LU[i * n + i], size = std::abs(inverse);
      negative ^= (inverse < 0) != (g.of_v.pivot[i] != i);
      smallest = smallest < size ? smallest : size;
      largest = largest > size ? largest : size;
    }
    g.sign = negative ? -1 : 1;
    return smallest >= kDead * largest;
  });
}

/// x = J_d^-1 x, x = J_d^-T x.
template <int D>
void ClosedLoops<D>::solve(const Group& g, const Block& block, double* x) const {
  g.sparse ? block.sparse.solve(x) : lu_solve(block.LU.data(), g.rank, block.pivot.data(), x);
}
template <int D>
void ClosedLoops<D>::solve_transposed(const Group& g, double* x) const {
  g.sparse ? g.of_v.sparse.solve_transposed(x) : lu_solve_transposed(g.of_v.LU.data(), g.rank, g.of_v.pivot.data(), x);
}

template <int D>
bool ClosedLoops<D>::take(const MechanismState<D>& state) {
  for (Group& g : groups_)
    if (!factor(g, state)) return false;
  return true;
}

template <int D>
LoopStatus ClosedLoops<D>::close(const double* q, double* theta, double* q_end, bool to_rounding, MechanismState<D>& state,
                                 int* iterations) {
  bool last = groups_.empty();
  for (int iteration = 0;; ++iteration) {
    advance_configuration(m_.tree, q, theta, q_end);
    update_positions(m_, q_end, theta, state);
    double largest = 0;
    if (!take(state)) return LoopStatus::dead_point;
    if (last) break;
    double* x = correction_.data();
    for (const Group& g : groups_) {
      for (int i = 0; i < g.rank; ++i) x[i] = state.Phi[g.row[i]];
      solve(g, block_q(g), x);
      for (int i = 0; i < g.rank; ++i) largest = std::max(largest, std::abs(x[i]));
      x += g.rank;
    }
    if (largest <= rounding_) break;  // what was evaluated stands
    x = correction_.data();
    for (const Group& g : groups_)
      for (int i = 0; i < g.rank; ++i) theta[g.dependent[i]] -= *x++;
    ++*iterations;
    if (!(largest < kFar) || iteration >= kIterations) {
      failed_row_ = groups_[0].rows[0];
      for (int i = 0; i < m_.rows; ++i)
        if (std::abs(state.Phi[i]) > std::abs(state.Phi[failed_row_])) failed_row_ = i;
      return LoopStatus::open;
    }
    last = largest < kQuadratic;
    if (last && !to_rounding) return LoopStatus::closed;
  }
  for (int i = 0; i < m_.rows; ++i)
    if (std::abs(state.Phi[i]) > kRedundantOpen) {
      failed_row_ = i;
      return LoopStatus::dead_point;
    }
  return LoopStatus::closed;
}

template <int D>
void ClosedLoops<D>::remove(const double* d, double* x) const {
  for (const Group& g : groups_)
    solve_block(
        g.sparse, g.rank, g.of_v, x_.data(), [&](int i) { return d[g.row[i]]; }, [&](int i, double y) { x[g.dependent[i]] -= y; });
}

template <int D>
void ClosedLoops<D>::solve_velocities(double* v, MechanismState<D>& state) const {
  for (const Group& g : groups_) {
    std::fill_n(x_.data(), g.rank, 0.0);
    for (int i : g.driven) x_[row_place_[m_.constraints[i].rows.begin]] = state.motion[m_.constraints[i].motion].rate;
    for (std::size_t k = 0; k < g.free_order.size(); ++k) {
      const double v_i = v[independent_[g.free_order[k]]];
      for (int i = g.rest_begin[k]; i < g.rest_begin[k + 1]; ++i) x_[g.rest[i].to] -= g.of_v.rest[i] * v_i;
    }
    solve_block(
        g.sparse, g.rank, g.of_v, x_.data(), [&](int i) { return x_[i]; }, [&](int i, double y) { v[g.dependent[i]] = y; });
  }
}

template <int D>
void ClosedLoops<D>::solve_accelerations(const double* v, double* a, MechanismState<D>& state) const {
  update_rates(m_.tree, v, a, state.tree);
  if (groups_.empty()) return;
  constraint_accelerations(m_, a, state);
  remove(state.Phi_ddot.data(), a);
}

// ---------------------------------------------------------------- change

/// R = -J_d^-1 J_i.
template <int D>
void ClosedLoops<D>::reduce(const Group& g, Block& block) const {
  std::fill(block.R.begin(), block.R.end(), 0.0);
  double* x = block.R.data();
  for (std::size_t k = 0; k + 1 < g.rest_begin.size(); ++k, x += g.rank) {
    for (int i = g.rest_begin[k]; i < g.rest_begin[k + 1]; ++i) x[g.rest[i].to] = -block.rest[i];
    solve(g, block, x);
  }
}

template <int D>
double ClosedLoops<D>::reduce() {
  double largest = 0;
  for (Group& g : groups_) {
    reduce(g, g.of_v);
    if (!same_jacobian_) reduce(g, g.of_q);
    for (double entry : g.of_v.R) largest = std::max(largest, std::abs(entry));
  }
  return largest;
}

/// x += R y (block's R): y of the independent coordinates, x of all.
template <int D>
void ClosedLoops<D>::add_all(bool of_q, const double* y, double* x) const {
  for (std::size_t k = 0; k < independent_.size(); ++k) x[independent_[k]] += y[k];
  for (const Group& g : groups_) {
    const double* R = of_q ? block_q(g).R.data() : g.of_v.R.data();
    for (int k : g.free_order) {
      for (int i = 0; i < g.rank; ++i) x[g.dependent[i]] += R[i] * y[k];
      R += g.rank;
    }
  }
}

template <int D>
void ClosedLoops<D>::add_increment(const double* x, double* theta) const {
  add_all(true, x, theta);
}

template <int D>
void ClosedLoops<D>::add_rates(const double* x, double* v) const {
  add_all(false, x, v);
}

template <int D>
void ClosedLoops<D>::complete(std::span<const Group> groups, const MechanismState<D>& state, Variation<D>& work, Column& change) const {
  // -J_d^-1 (J_i x_i + what the rows change by otherwise)
  const auto solve_rates = [&](const std::vector<double>& rest, std::vector<double>& rate) {
    for (const Group& g : groups) {
      for (int i = 0; i < g.rank; ++i) x_[i] = -rest[g.row[i]];
      for (std::size_t k = 0; k < g.free_order.size(); ++k) {
        const double rate_i = rate[independent_[g.free_order[k]]];
        if (rate_i == 0) continue;
        for (int i = g.rest_begin[k]; i < g.rest_begin[k + 1]; ++i) x_[g.rest[i].to] -= g.of_v.rest[i] * rate_i;
      }
      solve_block(
          g.sparse, g.rank, g.of_v, x_.data(), [&](int i) { return x_[i]; }, [&](int i, double y) { rate[g.dependent[i]] = y; });
    }
  };
  vary_places(m_, change.theta.data(), state, work);
  for (const Group& g : groups) vary_row_rates(m_, g.constraints, nullptr, state, work);
  solve_rates(work.Phi_dot, change.v);
  vary_velocities(m_, change.v.data(), state, work);
  for (const Group& g : groups) vary_row_accelerations(m_, g.constraints, nullptr, state, work);
  solve_rates(work.Phi_ddot, change.a);
  vary_accelerations(m_, change.a.data(), state, work);
}

template <int D>
void ClosedLoops<D>::complete(const MechanismState<D>& state, Variation<D>& work, Column& change) const {
  complete(groups_, state, work, change);
}

template <int D>
void ClosedLoops<D>::column(int k, const IncrementFactors& f, const MechanismState<D>& state, Variation<D>& work, Column& out) const {
  for (auto* x : {&out.theta, &out.v, &out.a}) std::fill(x->begin(), x->end(), 0.0);
  const int v = independent_[k];
  out.theta[v] = 1;
  out.v[v] = f.velocity;
  out.a[v] = f.acceleration;
  std::span<const Group> touched;  // the group of v
  if (group_of_velocity_[v] >= 0) {
    touched = std::span(groups_).subspan(group_of_velocity_[v], 1);
    const Group& g = touched[0];
    const double* R = block_q(g).R.data() + static_cast<std::size_t>(-1 - place_[v]) * g.rank;
    for (int i = 0; i < g.rank; ++i) out.theta[g.dependent[i]] = R[i];
  }
  complete(touched, state, work, out);
}

template <int D>
void ClosedLoops<D>::project(const double* r, double* out) const {
  for (std::size_t k = 0; k < independent_.size(); ++k) out[k] = r[independent_[k]];
  for (const Group& g : groups_) {
    if (g.sparse) {  // R^T r_d = -J_i^T (J_d^-T r_d), whatever the number of columns
      for (int i = 0; i < g.rank; ++i) x_[i] = r[g.dependent[i]];
      solve_transposed(g, x_.data());
      for (std::size_t k = 0; k < g.free_order.size(); ++k)
        for (int i = g.rest_begin[k]; i < g.rest_begin[k + 1]; ++i) out[g.free_order[k]] -= g.of_v.rest[i] * x_[g.rest[i].to];
      continue;
    }
    const double* R = g.of_v.R.data();
    for (int k : g.free_order) {
      for (int i = 0; i < g.rank; ++i) out[k] += R[i] * r[g.dependent[i]];
      R += g.rank;
    }
  }
}

template <int D>
void ClosedLoops<D>::add_multipliers(const double* r, double* multipliers) const {
  for (const Group& g : groups_) {
    for (int i = 0; i < g.rank; ++i) x_[i] = r[g.dependent[i]];
    solve_transposed(g, x_.data());
    for (int i = 0; i < g.rank; ++i) multipliers[g.row[i]] -= x_[i];
  }
}

template <int D>
void ClosedLoops<D>::set_multipliers(const double* r, double* multipliers) const {
  std::fill(multipliers, multipliers + m_.rows, 0.0);
  add_multipliers(r, multipliers);
}

template class ClosedLoops<2>;
template class ClosedLoops<3>;

}  // namespace trunnion
