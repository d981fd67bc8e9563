// SPDX-License-Identifier: BSD-3-Clause
#include "solve/closed_loops.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/lu.h"

namespace trunnion {

namespace {

constexpr double kRedundant = 1e-9;      // of a row: what elimination leaves of a redundant one
constexpr double kDead = 1e-6;           // of the largest pivot: a smaller one determines nothing
constexpr double kRedundantOpen = 1e-7;  // [m, -] what a redundant row may be open
constexpr double kRounding = 4e-15;      // [rad, m] correction that changes nothing
constexpr double kQuadratic = 1e-8;      // [rad, m] correction after which the error is its square: rounding
constexpr double kFar = 0.5;             // [rad, m] correction that no longer belongs to the same motion
constexpr int kIterations = 12;

}  // namespace

template <int D>
ClosedLoops<D>::ClosedLoops(const Mechanism<D>& m) : m_(m), column_(m.tree.nv, -1), scratch_a_(m.tree.nv, 0.0) {
  for (const TreeNode<D>& n : m.tree.nodes) same_jacobian_ = same_jacobian_ && n.joint != NodeJoint::spherical;
  std::size_t rows = 0, columns = 0, entries = 0;
  for (LoopGroup& found : find_loop_groups(m)) {
    Group g;
    static_cast<LoopGroup&>(g) = std::move(found);
    const std::size_t r = g.rows.size(), c = g.velocities.size();
    for (std::size_t i = 0; i < c; ++i) column_[g.velocities[i]] = static_cast<int>(i);
    g.J.resize(r * c);
    if (!same_jacobian_) g.J_q.resize(r * c);
    g.LU.resize(r * r);
    g.LU_q.resize(r * r);
    g.pivot.resize(r);
    g.pivot_q.resize(r);
    for (auto* list : {&g.row, &g.row_place}) list->reserve(r);
    for (auto* list : {&g.dependent, &g.dependent_place, &g.free, &g.free_place}) list->reserve(c);
    g.R.resize(r * c);
    g.R_q.resize(r * c);
    rows = std::max(rows, r);
    columns = std::max(columns, c);
    entries = std::max(entries, r * c);
    groups_.push_back(std::move(g));
  }
  x_.resize(rows);
  correction_.resize(m.rows);
  row_size_.resize(rows);
  row_order_.resize(rows);
  column_order_.resize(columns);
  scratch_.resize(entries);
  for (auto* list : {&independent_, &group_of_, &place_of_}) list->reserve(m.tree.nv);
  list_independent();
}

// ---------------------------------------------------------------- partition

/// Lists of a group from its `row` and `dependent`.
template <int D>
void ClosedLoops<D>::set_partition(Group& g) {
  g.rank = static_cast<int>(g.row.size());
  for (auto* list : {&g.row_place, &g.dependent_place, &g.free, &g.free_place}) list->clear();
  for (int row : g.row) g.row_place.push_back(static_cast<int>(std::lower_bound(g.rows.begin(), g.rows.end(), row) - g.rows.begin()));
  for (int v : g.dependent) g.dependent_place.push_back(column_[v]);
  for (int v : g.velocities)
    if (std::find(g.dependent.begin(), g.dependent.end(), v) == g.dependent.end()) {
      g.free.push_back(v);
      g.free_place.push_back(column_[v]);
    }
}

template <int D>
void ClosedLoops<D>::list_independent() {
  independent_.clear();
  group_of_.clear();
  place_of_.clear();
  for (int v = 0; v < m_.tree.nv; ++v) {
    int group = -1, place = 0;
    bool dependent = false;
    for (std::size_t i = 0; column_[v] >= 0 && i < groups_.size(); ++i) {
      const Group& g = groups_[i];
      if (!std::binary_search(g.velocities.begin(), g.velocities.end(), v)) continue;
      group = static_cast<int>(i);
      const auto at = std::find(g.free.begin(), g.free.end(), v);
      dependent = at == g.free.end();
      place = static_cast<int>(at - g.free.begin());
    }
    if (dependent) continue;
    independent_.push_back(v);
    group_of_.push_back(group);
    place_of_.push_back(place);
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
    if (same && found == g.row.size()) continue;
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
    gather(g, state);
    const int rows = static_cast<int>(g.rows.size()), columns = static_cast<int>(g.velocities.size());
    std::copy(g.J.begin(), g.J.end(), scratch_.begin());
    const int rank =
        eliminate_with_full_pivoting(scratch_.data(), rows, columns, kRedundant, row_order_.data(), column_order_.data(), row_size_.data());
    const auto pivot = [&](int i) { return std::abs(scratch_[static_cast<std::size_t>(row_order_[i]) * columns + column_order_[i]]); };
    if (rank == 0 || pivot(rank - 1) < kDead * pivot(0)) {
      failed_row_ = g.rows[row_order_[std::max(rank - 1, 0)]];
      sound = false;
    }
    g.row.clear();
    g.dependent.clear();
    for (int row = 0; row < rows; ++row)  // ascending by row, so that one partition has one description
      for (int i = 0; i < rank; ++i)
        if (row_order_[i] == row) {
          g.row.push_back(g.rows[row]);
          g.dependent.push_back(g.velocities[column_order_[i]]);
        }
    set_partition(g);
    sound = sound && factor(g);
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

template <int D>
void ClosedLoops<D>::gather(Group& g, const MechanismState<D>& state) {
  const std::size_t columns = g.velocities.size();
  const auto fill = [&](const std::vector<double>& from, std::vector<double>& J) {
    std::fill(J.begin(), J.end(), 0.0);
    double* row = J.data();
    for (int i : g.constraints) {
      const ConstraintGroup<D>& c = m_.constraints[i];
      const double* entry = from.data() + c.jacobian;
      for (int k = 0; k < c.rows.size(); ++k, row += columns)
        for (int j = c.path.begin; j < c.path.end; ++j) row[column_[m_.paths[j].dof]] += *entry++;
    }
  };
  fill(state.jacobian, g.J);
  if (!same_jacobian_) fill(state.jacobian_q, g.J_q);
}

/// Factors the dependent blocks. False at a dead point.
template <int D>
bool ClosedLoops<D>::factor(Group& g) {
  const std::size_t columns = g.velocities.size();
  const auto block = [&](const std::vector<double>& J, std::vector<double>& LU, std::vector<int>& pivot) {
    double* entry = LU.data();
    for (int i = 0; i < g.rank; ++i)
      for (int j = 0; j < g.rank; ++j) *entry++ = J[g.row_place[i] * columns + g.dependent_place[j]];
    return lu_factor(LU.data(), g.rank, pivot.data());
  };
  if (!block(g.J, g.LU, g.pivot) || (!same_jacobian_ && !block(g.J_q, g.LU_q, g.pivot_q))) {
    failed_row_ = g.row.empty() ? g.rows[0] : g.row[g.rank - 1];
    return false;
  }
  double smallest = std::numeric_limits<double>::infinity(), largest = 0;  // inverse pivots
  g.sign = 1;
  for (int i = 0; i < g.rank; ++i) {
    const double inverse = g.LU[static_cast<std::size_t>(i) * g.rank + i];
    if ((inverse < 0) != (g.pivot[i] != i)) g.sign = -g.sign;
    smallest = std::min(smallest, std::abs(inverse));
    if (std::abs(inverse) > largest) {
      largest = std::abs(inverse);
      failed_row_ = g.row[i];
    }
  }
  return smallest >= kDead * largest;
}

template <int D>
LoopStatus ClosedLoops<D>::close(const double* q, double* theta, double* q_end, bool to_rounding, MechanismState<D>& state,
                                 int* iterations) {
  bool last = groups_.empty();
  for (int iteration = 0;; ++iteration) {
    advance_configuration(m_.tree, q, theta, q_end);
    update_positions(m_, q_end, theta, state);
    double largest = 0;
    for (Group& g : groups_) {
      gather(g, state);
      if (!factor(g)) return LoopStatus::dead_point;
    }
    if (last) break;
    double* x = correction_.data();
    for (const Group& g : groups_) {
      for (int i = 0; i < g.rank; ++i) x[i] = state.Phi[g.row[i]];
      lu_solve(same_jacobian_ ? g.LU.data() : g.LU_q.data(), g.rank, same_jacobian_ ? g.pivot.data() : g.pivot_q.data(), x);
      for (int i = 0; i < g.rank; ++i) largest = std::max(largest, std::abs(x[i]));
      x += g.rank;
    }
    if (largest <= kRounding) break;  // what was evaluated stands
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
bool ClosedLoops<D>::take(const MechanismState<D>& state) {
  for (Group& g : groups_) {
    gather(g, state);
    if (!factor(g)) return false;
  }
  return true;
}

template <int D>
void ClosedLoops<D>::remove(const double* d, double* x) const {
  for (const Group& g : groups_) {
    for (int i = 0; i < g.rank; ++i) x_[i] = d[g.row[i]];
    lu_solve(g.LU.data(), g.rank, g.pivot.data(), x_.data());
    for (int i = 0; i < g.rank; ++i) x[g.dependent[i]] -= x_[i];
  }
}

template <int D>
void ClosedLoops<D>::solve_velocities(double* v, MechanismState<D>& state) const {
  constraint_rates(m_, v, state);
  remove(state.Phi_dot.data(), v);
}

template <int D>
void ClosedLoops<D>::solve_accelerations(const double* v, double* a, MechanismState<D>& state) const {
  if (groups_.empty()) return;
  update_rates(m_.tree, v, a, state.tree);
  constraint_accelerations(m_, a, state);
  remove(state.Phi_ddot.data(), a);
}

// ---------------------------------------------------------------- change

/// R = -J_d^-1 J_i, column by column.
template <int D>
void ClosedLoops<D>::columns_of(const Group& g, const std::vector<double>& J, const std::vector<double>& LU, const std::vector<int>& pivot,
                                std::vector<double>& R) const {
  const std::size_t columns = g.velocities.size();
  double* x = R.data();
  for (std::size_t k = 0; k < g.free.size(); ++k, x += g.rank) {
    for (int i = 0; i < g.rank; ++i) x[i] = -J[g.row_place[i] * columns + g.free_place[k]];
    lu_solve(LU.data(), g.rank, pivot.data(), x);
  }
}

template <int D>
double ClosedLoops<D>::reduce() {
  double largest = 0;
  for (Group& g : groups_) {
    columns_of(g, g.J, g.LU, g.pivot, g.R);
    if (!same_jacobian_) columns_of(g, g.J_q, g.LU_q, g.pivot_q, g.R_q);
    for (std::size_t i = 0; i < g.rank * g.free.size(); ++i) largest = std::max(largest, std::abs(g.R[i]));
  }
  return largest;
}

template <int D>
void ClosedLoops<D>::add_increment(const double* x, double* theta) const {
  for (std::size_t k = 0; k < independent_.size(); ++k) {
    theta[independent_[k]] += x[k];
    if (group_of_[k] < 0) continue;
    const Group& g = groups_[group_of_[k]];
    const double* R = (same_jacobian_ ? g.R : g.R_q).data() + static_cast<std::size_t>(place_of_[k]) * g.rank;
    for (int i = 0; i < g.rank; ++i) theta[g.dependent[i]] += R[i] * x[k];
  }
}

template <int D>
void ClosedLoops<D>::add_rates(const double* x, double* v) const {
  for (std::size_t k = 0; k < independent_.size(); ++k) {
    if (x[k] == 0) continue;
    v[independent_[k]] += x[k];
    if (group_of_[k] < 0) continue;
    const Group& g = groups_[group_of_[k]];
    const double* R = g.R.data() + static_cast<std::size_t>(place_of_[k]) * g.rank;
    for (int i = 0; i < g.rank; ++i) v[g.dependent[i]] += R[i] * x[k];
  }
}

template <int D>
bool ClosedLoops<D>::column(int k, const IncrementFactors& f, const MechanismState<D>& state, Variation<D>& work, Column& out) {
  for (auto* x : {&out.theta, &out.v, &out.v_rest, &out.a_rest}) std::fill(x->begin(), x->end(), 0.0);
  out.theta[independent_[k]] = 1;
  out.v[independent_[k]] = f.velocity;
  if (group_of_[k] < 0) return false;
  const Group& g = groups_[group_of_[k]];
  const std::size_t begin = static_cast<std::size_t>(place_of_[k]) * g.rank;
  const double* R_q = (same_jacobian_ ? g.R : g.R_q).data() + begin;
  for (int i = 0; i < g.rank; ++i) out.theta[g.dependent[i]] = R_q[i];
  const auto solve = [&](const std::vector<double>& rate) {
    for (int i = 0; i < g.rank; ++i) x_[i] = rate[g.row[i]];
    lu_solve(g.LU.data(), g.rank, g.pivot.data(), x_.data());
  };
  // v' = f_v R x - J_d^-1 d(J v)/dtheta theta: from what the constraints' rates become with the dependent v' at zero
  vary_rates(m_, out.theta.data(), out.v.data(), state, work);
  solve(work.Phi_dot);
  for (int i = 0; i < g.rank; ++i) {
    out.v[g.dependent[i]] = -x_[i];
    out.v_rest[g.dependent[i]] = -x_[i] - f.velocity * R_q[i];
  }
  // a' alike
  scratch_a_[independent_[k]] = f.acceleration;
  vary_accelerations(m_, out.theta.data(), out.v.data(), scratch_a_.data(), state, work);
  scratch_a_[independent_[k]] = 0;
  solve(work.Phi_ddot);
  for (int i = 0; i < g.rank; ++i) out.a_rest[g.dependent[i]] = -x_[i] - f.acceleration * R_q[i];
  return true;
}

template <int D>
void ClosedLoops<D>::project(const double* r, double* out) const {
  for (std::size_t k = 0; k < independent_.size(); ++k) {
    out[k] = r[independent_[k]];
    if (group_of_[k] < 0) continue;
    const Group& g = groups_[group_of_[k]];
    const double* R = g.R.data() + static_cast<std::size_t>(place_of_[k]) * g.rank;
    for (int i = 0; i < g.rank; ++i) out[k] += R[i] * r[g.dependent[i]];
  }
}

template <int D>
void ClosedLoops<D>::add_multipliers(const double* r, double* multipliers) const {
  for (const Group& g : groups_) {
    for (int i = 0; i < g.rank; ++i) x_[i] = r[g.dependent[i]];
    lu_solve_transposed(g.LU.data(), g.rank, g.pivot.data(), x_.data());
    for (int i = 0; i < g.rank; ++i) multipliers[g.row[i]] -= x_[i];
  }
}

template class ClosedLoops<2>;
template class ClosedLoops<3>;

}  // namespace trunnion
