// Partition of closed loops.
// SPDX-License-Identifier: BSD-3-Clause
#include "solve/loop_partition.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace trunnion {

namespace {

constexpr double kRedundant = 1e-9;  // relative to a row: remainder of a redundant one after elimination
constexpr int kUnrolled = 6;         // maximum rows of a group with a dense dependent block,
constexpr int kDense = 32;           // and, if half of its entries can be nonzero

}  // namespace

template <int D>
LoopPartition<D>::LoopPartition(const Mechanism<D>& m)
    : m_(m),
      group_of_velocity_(m.tree.nv, -1),
      row_place_(m.rows, -1),
      column_in_group_(m.tree.nv),
      unit_(m.tree.nv),
      row_unit_(m.rows, m.extent),
      row_in_group_(m.rows) {
  for (int k = 0; k < m.tree.nv; ++k) unit_[k] = m.unit(k);
  for (const ConstraintGroup<D>& g : m.constraints)
    for (int row = g.rows.begin; row < g.rows.end; ++row)
      if (g.of_coordinates())
        row_unit_[row] = unit_[m.paths[g.path.begin].dof];
      else if (g.type == ConstraintType::direction)
        row_unit_[row] = 1;
  std::size_t rows = 0, columns = 0;
  for (LoopGroup& found : find_loop_groups(m)) {
    Group g;
    static_cast<LoopGroup&>(g) = std::move(found);
    const std::size_t r = g.rows.size(), c = g.velocities.size();
    std::size_t entries = 0;
    for (int i : g.constraints) entries += static_cast<std::size_t>(m.constraints[i].rows.size()) * m.constraints[i].path.size();
    for (std::size_t i = 0; i < r; ++i) row_in_group_[g.rows[i]] = static_cast<int>(i);
    for (std::size_t i = 0; i < c; ++i) {
      const int v = g.velocities[i];
      column_in_group_[v] = static_cast<int>(i);
      group_of_velocity_[v] = static_cast<int>(groups_.size());
      g.has_spherical = g.has_spherical || m.tree.nodes[m.tree.dof_node[v]].joint == NodeJoint::spherical;
    }
    for (auto* list : {&g.row, &g.dependent}) list->reserve(r);
    for (auto* list : {&g.independent, &g.admissible}) list->reserve(c);
    g.driven.reserve(r);
    const bool two_blocks = g.has_spherical || g.holonomic < static_cast<int>(r);
    for (Block* block : {&g.velocity_block, &g.position_block}) {
      block->place.assign(c, -1);
      if (block == &g.position_block && !two_blocks) continue;
      block->rest_begin.reserve(c + 1);
      for (auto* list : {&block->dependent, &block->rest}) list->reserve(entries);
      if (static_cast<int>(r) > kDense) continue;
      block->LU.reserve(r * r);
      block->pivot.reserve(r);
      block->rest_values.reserve(entries);
      block->R.reserve(r * c);
    }
    rows = std::max(rows, r);
    columns = std::max(columns, c);
    groups_.push_back(std::move(g));
  }
  chosen_.resize(rows);
  elimination_ = FullPivoting(static_cast<int>(rows), static_cast<int>(columns));
  for (auto* list : {&independent_, &admissible_, &velocity_dependent_, &dependent_}) list->reserve(m.tree.nv);
  list_coordinates();
}

/// Computes everything of a group that follows from its `row` and `dependent`.
template <int D>
void LoopPartition<D>::set_partition(Group& g) {
  const int rank = static_cast<int>(g.row.size());
  for (int row : g.rows) row_place_[row] = -1;
  for (int i = 0; i < rank; ++i) row_place_[g.row[i]] = i;
  const int holonomic = static_cast<int>(std::count_if(g.row.begin(), g.row.end(), [&](int row) { return m_.holonomic[row] != 0; }));
  g.driven.clear();
  for (int i : g.constraints)
    if (const ConstraintGroup<D>& c = m_.constraints[i]; c.type == ConstraintType::coordinate && row_place_[c.rows.begin] >= 0)
      g.driven.push_back({c.motion, row_place_[c.rows.begin]});
  g.two_blocks = g.has_spherical || holonomic < rank;
  set_block(g, rank, g.velocity_block);
  if (g.two_blocks) set_block(g, holonomic, g.position_block);
}

/// The entries of a group's first `rank` pivots, J = [J_d J_i]; those of J_i sorted by column.
template <int D>
void LoopPartition<D>::set_block(Group& g, int rank, Block& block) {
  block.rank = rank;
  std::fill(block.place.begin(), block.place.end(), -1);
  for (int i = 0; i < rank; ++i) block.place[column_in_group_[g.dependent[i]]] = i;
  int others = 0;
  for (int& place : block.place)
    if (place < 0) place = -(++others);
  std::vector<int>& end = block.rest_begin;
  end.assign(others + 1, 0);
  block.dependent.clear();
  const auto for_each_entry = [&](auto&& body) {
    for (int i : g.constraints) {
      const ConstraintGroup<D>& c = m_.constraints[i];
      int from = c.jacobian;
      for (int row = c.rows.begin; row < c.rows.end; ++row)
        for (int k = c.path.begin; k < c.path.end; ++k, ++from)
          if (const int place = row_place_[row]; place >= 0 && place < rank)
            body(from, place, block.place[column_in_group_[m_.paths[k].dof]]);
    }
  };
  for_each_entry([&](int from, int /*row*/, int place) {
    if (place < 0)
      ++end[-1 - place];
    else
      block.dependent.push_back({from, 0});
  });
  const int entries = static_cast<int>(block.dependent.size());
  block.is_sparse = rank > kDense || (rank > kUnrolled && 2 * entries < rank * rank);
  std::exclusive_scan(end.begin(), end.end(), end.begin(), 0);
  block.rest.resize(end.back());
  for_each_entry([&](int from, int row, int place) {
    if (place < 0) block.rest[end[-1 - place]++] = {from, row};
  });
  std::shift_right(end.begin(), end.end(), 1);
  end[0] = 0;
  block.rest_values.resize(block.rest.size());
  block.R.resize(static_cast<std::size_t>(rank) * others);
  if (!block.is_sparse) {
    Copy* copy = block.dependent.data();
    for_each_entry([&](int, int row, int place) {
      if (place >= 0) (copy++)->to = row * rank + place;
    });
    block.LU.assign(static_cast<std::size_t>(rank) * rank, 0.0);
    block.pivot.resize(rank);
    return;
  }
  std::vector<int> rows, columns;
  for_each_entry([&](int, int row, int place) {
    if (place < 0) return;
    rows.push_back(row);
    columns.push_back(place);
  });
  block.sparse.set_pattern(rank, rows, columns);
  for (std::size_t i = 0; i < block.dependent.size(); ++i) block.dependent[i].to = block.sparse.slots()[i];
}

template <int D>
void LoopPartition<D>::list_coordinates() {
  for (auto* list : {&independent_, &admissible_, &velocity_dependent_, &dependent_}) list->clear();
  for (Group& g : groups_)
    for (auto* list : {&g.independent, &g.admissible}) list->clear();
  for (int v = 0; v < m_.tree.nv; ++v) {
    Group* g = group_of_velocity_[v] >= 0 ? &groups_[group_of_velocity_[v]] : nullptr;
    const int at = column_in_group_[v];
    if (g != nullptr && g->positions().place[at] >= 0) {
      dependent_.push_back(v);
      continue;
    }
    if (g != nullptr) g->admissible.push_back(static_cast<int>(admissible_.size()));
    admissible_.push_back(v);
    if (g != nullptr && g->velocity_block.place[at] >= 0) {
      velocity_dependent_.push_back(v);
      continue;
    }
    if (g != nullptr) g->independent.push_back(static_cast<int>(independent_.size()));
    independent_.push_back(v);
  }
}

template <int D>
bool LoopPartition<D>::load_partition(const double* partition) {
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
  if (changed) list_coordinates();
  return complete;
}

/// Pivots of a group's Jacobian without the columns of `independent`.
template <int D>
const std::vector<FullPivoting::Pivot>& LoopPartition<D>::eliminate(const Group& g, const MechanismState<D>& state,
                                                                    std::span<const int> independent) {
  elimination_.start(static_cast<int>(g.rows.size()), static_cast<int>(g.velocities.size()));
  for (int i : g.constraints) {
    const ConstraintGroup<D>& c = m_.constraints[i];
    const double* entry = state.jacobian.data() + c.jacobian;
    for (int row = c.rows.begin; row < c.rows.end; ++row)
      for (int k = c.path.begin; k < c.path.end; ++k, ++entry) {
        const int v = m_.paths[k].dof;
        if (std::find(independent.begin(), independent.end(), v) == independent.end())
          elimination_.set(row_in_group_[row], column_in_group_[v], *entry * unit_[v] / row_unit_[row]);
      }
  }
  return elimination_.eliminate(kRedundant, g.holonomic);
}

template <int D>
bool LoopPartition<D>::select(const MechanismState<D>& state, std::span<const int> independent) {
  bool sound = true;
  for (Group& g : groups_) {
    const std::size_t rank = independent.empty() ? 0 : eliminate(g, state, {}).size();
    const std::vector<FullPivoting::Pivot>& pivots = eliminate(g, state, independent);
    if (pivots.size() < rank) {
      failed_row_ = g.rows[0];
      sound = false;
    }
    const auto velocity_rows =
        std::find_if(pivots.begin(), pivots.end(), [&](const FullPivoting::Pivot& p) { return p.row >= g.holonomic; });
    for (const auto& [begin, end] : {std::pair(pivots.begin(), velocity_rows), std::pair(velocity_rows, pivots.end())})
      if (begin != end && std::prev(end)->size < kDead * begin->size) {
        failed_row_ = g.rows[std::prev(end)->row];
        sound = false;
      }
    if (pivots.empty() || (g.holonomic > 0 && velocity_rows == pivots.begin())) {
      failed_row_ = g.rows[0];
      sound = false;
    }
    // in the order of rows, so that a partition has a unique description
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
  }
  list_coordinates();
  return sound;
}

template <int D>
void LoopPartition<D>::write(double* partition) const {
  std::fill(partition, partition + m_.rows, 0.0);
  for (const Group& g : groups_)
    for (int i = 0; i < g.velocity_block.rank; ++i) partition[g.row[i]] = sign_of(g, i) * (1 + g.dependent[i]);
}

template <int D>
bool LoopPartition<D>::determinant_changed_sign(const double* partition) {
  for (const Group& g : groups_)
    for (int i = 0; i < g.velocity_block.rank; ++i)
      if (partition[g.row[i]] * sign_of(g, i) < 0) {
        failed_row_ = g.row[i];
        return true;
      }
  return false;
}

template class LoopPartition<2>;
template class LoopPartition<3>;

}  // namespace trunnion
