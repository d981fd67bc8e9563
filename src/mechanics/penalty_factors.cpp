// Penalty factors of the constraint rows.
// SPDX-License-Identifier: BSD-3-Clause
#include "mechanics/penalty_factors.h"

#include <algorithm>
#include <numeric>

namespace trunnion {

namespace {

constexpr double kSmallestShare = 1e-6;  // relative to the largest stiffness, angles and lengths compared by the mechanism's extent

/// Per velocity the number of its part: coordinates that the tree or a constraint connects.
template <int D>
std::vector<int> connected_parts(const Mechanism<D>& m, int& count) {
  std::vector<int> root(static_cast<std::size_t>(m.tree.nv));
  std::iota(root.begin(), root.end(), 0);
  const auto root_of = [&](int k) {
    while (root[k] != k) k = root[k] = root[root[k]];
    return k;
  };
  const auto connect = [&](int a, int b) { root[root_of(a)] = root_of(b); };
  for (int k = 0; k < m.tree.nv; ++k) {
    const TreeNode<D>& node = m.tree.nodes[m.tree.dof_node[k]];
    if (k > node.v) connect(k, node.v);
    if (const int parent = m.tree.carrier(node.parent); parent != 0) connect(node.v, m.tree.nodes[parent].v);
  }
  for (const ConstraintGroup<D>& g : m.constraints)
    for (int i = g.path.begin; i < g.path.end; ++i) connect(m.paths[i].dof, m.paths[g.path.begin].dof);
  std::vector<int> part(root.size()), number(root.size(), -1);
  count = 0;
  for (int k = 0; k < m.tree.nv; ++k) {
    int& its = number[root_of(k)];
    if (its < 0) its = count++;
    part[k] = its;
  }
  return part;
}

}  // namespace

template <int D>
PenaltyFactors<D>::PenaltyFactors(const Mechanism<D>& m, std::optional<double> given, double smallest_ratio, double largest_ratio)
    : m_(m),
      stated_(given),
      smallest_ratio_(smallest_ratio),
      largest_ratio_(largest_ratio),
      factor_(m.rows),
      inverse_(m.rows),
      c_(m.rows),
      compliance_(m.tree.nv) {
  int parts = 0;
  part_ = connected_parts(m, parts);
  largest_in_.resize(parts);
}

template <int D>
void PenaltyFactors<D>::set(const MechanismState<D>& state, double* K) {
  const auto square = [&](int k) { return m_.unit(k) * m_.unit(k); };
  std::fill(largest_in_.begin(), largest_in_.end(), 0.0);
  double largest = 0;
  for (int k = 0; k < m_.tree.nv; ++k) {
    largest_in_[part_[k]] = std::max(largest_in_[part_[k]], K[k] * square(k));
    largest = std::max(largest, K[k] * square(k));
  }
  for (double& of_part : largest_in_)  // nothing but bodies without mass, moved by motions
    of_part = select(of_part > 0, of_part, largest);
  for (int k = 0; k < m_.tree.nv; ++k) {
    if (const double least = kSmallestShare * largest_in_[part_[k]]; !(K[k] * square(k) > least)) K[k] = least / square(k);
    compliance_[k] = 1 / K[k];
  }
  row_compliances(m_, compliance_.data(), state, c_.data());
  ratio_ = largest_ = 0;
  limited_ = false;
  for (const ConstraintGroup<D>& g : m_.constraints) {
    double compliance = 0;
    for (int row = g.rows.begin; row < g.rows.end; ++row) compliance = std::max(compliance, c_[row]);
    double factor = compliance > 0 ? kRatio / compliance : 0;
    if (stated_ && compliance > 0) {
      factor = std::clamp(*stated_, smallest_ratio_ / compliance, largest_ratio_ / compliance);
      limited_ = limited_ || factor != *stated_;
    }
    const double inverse = factor > 0 ? 1 / factor : 0;
    for (int row = g.rows.begin; row < g.rows.end; ++row) {
      factor_[row] = factor;
      inverse_[row] = inverse;
    }
    ratio_ = std::max(ratio_, factor * compliance);
    largest_ = std::max(largest_, factor);
  }
}

template <int D>
void drop_idle_multipliers(const Mechanism<D>& m, const PenaltyFactors<D>& alpha, const SystemMatrix& P, const double* jacobian,
                           const double* jacobian_q, int passes, double* multipliers, EffectiveMultipliers& work) {
  constexpr double kNegligible = 1e-14;  // of the force
  std::copy_n(multipliers, work.left.size(), work.left.begin());
  std::fill_n(multipliers, work.left.size(), 0.0);
  double first = 0;
  for (int pass = 0; pass < passes; ++pass) {
    std::fill(work.force.begin(), work.force.end(), 0.0);
    add_constraint_forces(m, static_cast<const double*>(work.left.data()), jacobian, work.force.data());
    if (!kRecording) {
      double size = 0;
      for (const double f : work.force) size = std::max(size, std::abs(f));
      if (pass == 0) first = size;
      if (size <= kNegligible * first) return;
    }
    P.solve(work.force.data());
    jacobian_product(m, jacobian_q, work.force.data(), work.rows.data());
    for (std::size_t i = 0; i < work.left.size(); ++i) {
      const double part = alpha[static_cast<int>(i)] * work.rows[i];
      multipliers[i] += part;
      work.left[i] -= part;
    }
  }
}

#define TR_INSTANTIATE(D)                                                                                                                  \
  template class PenaltyFactors<D>;                                                                                                        \
  template void drop_idle_multipliers<D>(const Mechanism<D>&, const PenaltyFactors<D>&, const SystemMatrix&, const double*, const double*, \
                                         int, double*, EffectiveMultipliers&);
TR_INSTANTIATE(2)
TR_INSTANTIATE(3)
#undef TR_INSTANTIATE

}  // namespace trunnion
