// Definitions of mechanism.h, included where they are instantiated.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "mechanics/applied.h"
#include "mechanics/constraint.inl.h"
#include "mechanics/mechanism.h"
#include "mechanics/tree.inl.h"

namespace trunnion {

template <int D, class S>
void update_inputs(const Mechanism<D>& m, const Signals& signals, double t, Side side, MechanismState<D, S>& state) {
  for (std::size_t i = 0; i < m.motions.size(); ++i) {
    if (m.motions[i].follows_block()) continue;
    const SignalValue value = signals.evaluate(m.motions[i].signal, t, side);
    state.motion[i] = {value.value, value.rate, value.acceleration};
  }
  for_each_factor(m, state, [&](SignalIndex signal, S& factor) { factor = signal < 0 ? 1.0 : signals.value(signal, t, side); });
}

template <int D, class S>
TR_FLATTEN void update_positions(const Mechanism<D>& m, const S* q, const S* increment, MechanismState<D, S>& state) {
  update_positions(m.tree, q, increment, state.tree);
  const PathDof* paths = m.paths.data();
  for (std::size_t i = 0; i < m.ports.size(); ++i) {
    update_port(m.ports[i], paths, state.tree, q, state.ports[i], state.dofs.data() + m.ports[i].path.begin);
    state.s[i] = state.ports[i].length;
  }
  for (std::size_t i = 0; i < m.springs.size(); ++i)
    update_line(m.springs[i].line, paths, state.tree, state.springs[i], state.dofs.data() + m.springs[i].line.path.begin);
  for (std::size_t i = 0; i < m.constraints.size(); ++i) {
    const ConstraintGroup<D>& g = m.constraints[i];
    update_constraint(g, paths, state.tree, q, state.motion.data(), state.constraints[i], state.dofs.data() + g.path.begin,
                      state.Phi.data() + g.rows.begin, state.jacobian.data() + g.jacobian,
                      state.jacobian_q.empty() ? nullptr : state.jacobian_q.data() + g.jacobian);
  }
}

template <int D, class S>
void update_rates(const Mechanism<D>& m, const S* v, const S* a, MechanismState<D, S>& state) {
  update_rates(m.tree, v, a, state.tree);
  update_line_rates(m, state);
}

template <int D, class S>
TR_FLATTEN void update_line_rates(const Mechanism<D>& m, MechanismState<D, S>& state) {
  for (std::size_t i = 0; i < m.ports.size(); ++i) {
    update_port_rate(m.ports[i], m.paths.data(), state.tree, state.ports[i], state.dofs.data() + m.ports[i].path.begin);
    state.s_dot[i] = state.ports[i].rate;
  }
  for (std::size_t i = 0; i < m.springs.size(); ++i) update_line_rate(m.springs[i].line, state.tree, state.springs[i]);
}

template <int D, class S>
TR_FLATTEN void inverse_dynamics(const Mechanism<D>& m, const S* q, const S* v, bool with_inertia, MechanismState<D, S>& state, S* r) {
  update_inertial_forces(m.tree, with_inertia, state.tree);
  std::fill(r, r + m.tree.nv, S(0));
  for_each_applied(m, state, [&](const auto& element, const auto& at) {
    if constexpr (!kOnCoordinate<decltype(element)>)
      if (moves_with_body(element))
        for_each_wrench(element, at, state.tree, [&](int node, const Force<D, S>& W) { state.tree.nodes[node].F -= W; });
  });
  accumulate(m.tree, state.tree, with_inertia, r);
  for_each_applied(m, state, [&](const auto& element, const auto& at) {
    if constexpr (kOnCoordinate<decltype(element)>)
      r[element.v] -= coordinate_load(element, at, q, v);
    else if (!moves_with_body(element))
      act(m, element, at, state, r);
  });
}

template <int D>
void add_loads_of(const Mechanism<D>& m, SignalIndex signal, const MechanismState<D>& state, double* r) {
  for_each_applied(m, state, [&](const auto& element, const auto&) {
    if constexpr (kHasFactor<decltype(element)>) {
      if (element.signal != signal) return;
      if constexpr (kOnCoordinate<decltype(element)>)
        r[element.v] -= coordinate_load<double>(element, 1.0, nullptr, nullptr);
      else
        act(m, element, 1.0, state, r);
    }
  });
}

template <int D, class S>
void add_port_forces(const Mechanism<D>& m, const S* force, const MechanismState<D, S>& state, S* r, std::size_t first) {
  for (std::size_t i = first; i < m.ports.size(); ++i)
    for (int k = m.ports[i].path.begin; k < m.ports[i].path.end; ++k) r[m.paths[k].dof] -= force[i] * state.dofs[k].gradient;
}

template <int D, class S>
void add_constraint_forces(const Mechanism<D>& m, const S* multipliers, const S* jacobian, S* r) {
  for (const ConstraintGroup<D>& g : m.constraints) {
    const S* J = jacobian + g.jacobian;
    for (int row = g.rows.begin; row < g.rows.end; ++row, J += g.path.size())
      for (int k = 0; k < g.path.size(); ++k) r[m.paths[g.path.begin + k].dof] += J[k] * multipliers[row];
  }
}

template <int D, class S>
void add_constraint_forces(const Mechanism<D>& m, const S* multipliers, const MechanismState<D, S>& state, S* r) {
  add_constraint_forces(m, multipliers, state.jacobian.data(), r);
}

template <int D>
void jacobian_product(const Mechanism<D>& m, const double* jacobian, const double* x, double* result) {
  for (const ConstraintGroup<D>& g : m.constraints) {
    const double* J = jacobian + g.jacobian;
    for (int row = g.rows.begin; row < g.rows.end; ++row, J += g.path.size()) {
      result[row] = 0;
      for (int k = 0; k < g.path.size(); ++k) result[row] += J[k] * x[m.paths[g.path.begin + k].dof];
    }
  }
}

template <int D>
void row_compliances(const Mechanism<D>& m, const double* compliance, const MechanismState<D>& state, double* result) {
  for (const ConstraintGroup<D>& g : m.constraints) {
    const double* J = state.jacobian.data() + g.jacobian;
    for (int row = g.rows.begin; row < g.rows.end; ++row, J += g.path.size()) {
      result[row] = 0;
      for (int k = 0; k < g.path.size(); ++k) result[row] += J[k] * J[k] * compliance[m.paths[g.path.begin + k].dof];
    }
  }
}

template <int D, class Entries>
TR_FLATTEN void add_port_force_tangent(const Mechanism<D>& m, const Port<D>& port, const LineState<D>& s, const LineDof<D>* dofs,
                                       double force, double force_s, double force_v, const IncrementFactors& f, const TreeState<D>& tree,
                                       Entries& T) {
  if (port.kind == PortKind::line) return add_line_slopes(port, m.paths.data(), s, dofs, force, force_s, force_v, f, tree, T);
  add_push_slopes<D>(m.paths.data(), port.path, dofs, force_s, force_v, f, T);
  if (!port.is_coordinate()) add_joint_curvature(port, m.paths.data(), tree, s, dofs, -force, T);
}

template <int D, class Entries>
TR_FLATTEN void inverse_dynamics_tangent(const Mechanism<D>& m, const IncrementFactors& f, MechanismState<D>& state, Entries& T) {
  inverse_dynamics_tangent(m.tree, state.tree, f.velocity, f.acceleration, T);
  for_each_applied(m, state, [&](const auto& element, const auto& at) { add_slopes(m, element, at, f, state, T); });
  for (std::size_t i = 0; i < m.ports.size(); ++i)
    update_port_rate_gradient(m.ports[i], m.paths.data(), state.tree, state.ports[i], state.dofs.data() + m.ports[i].path.begin);
}

template <int D, class Entries>
TR_FLATTEN void add_penalty(const Mechanism<D>& m, const double* factor, const double* jacobian, const double* jacobian_q, Entries& T) {
  for (const ConstraintGroup<D>& g : m.constraints) {
    const int n = g.path.size();
    const double* J = jacobian + g.jacobian;
    const double* J_q = jacobian_q + g.jacobian;
    const PathDof* path = m.paths.data() + g.path.begin;
    for (int k = 0; k < n; ++k)
      for (int l = 0; l < n; ++l) {
        double product = 0;
        for (int row = 0; row < g.rows.size(); ++row) product += factor[g.rows.begin + row] * J[row * n + k] * J_q[row * n + l];
        T(path[k].dof, path[l].dof) += product;
      }
  }
}

template <int D, class Entries>
void add_penalty(const Mechanism<D>& m, const double* factor, const MechanismState<D>& state, Entries& T) {
  add_penalty(m, factor, state.jacobian.data(), state.increment_jacobian(), T);
}

template <int D, class Entries>
TR_FLATTEN void add_constraint_curvature(const Mechanism<D>& m, const double* multipliers, const MechanismState<D>& state, Entries& T) {
  for (std::size_t i = 0; i < m.constraints.size(); ++i) {
    const ConstraintGroup<D>& g = m.constraints[i];
    add_constraint_curvature(g, m.paths.data(), state.tree, state.constraints[i], state.dofs.data() + g.path.begin,
                             multipliers + g.rows.begin, T);
  }
}

template <int D>
void linearised_constraints(const Mechanism<D>& m, const MechanismState<D>& state, const double* increment, double* result) {
  for (const ConstraintGroup<D>& g : m.constraints) {
    const double* J = state.increment_jacobian() + g.jacobian;
    for (int row = g.rows.begin; row < g.rows.end; ++row, J += g.path.size()) {
      result[row] = state.Phi[row];
      for (int k = 0; k < g.path.size(); ++k) result[row] += J[k] * increment[m.paths[g.path.begin + k].dof];
    }
  }
}

template <int D>
int singular_wheel_row(const Mechanism<D>& m, const MechanismState<D>& state, double ahead) {
  constexpr double kFlat = 1e-3;  // [rad] between disc and plane
  if (m.velocity_rows == 0) return -1;
  for (std::size_t i = 0; i < m.constraints.size(); ++i) {
    const ConstraintGroup<D>& g = m.constraints[i];
    if (g.type != ConstraintType::wheel) continue;
    const ConstraintState<D>& s = state.constraints[i];
    double sine = s.line.length;
    if constexpr (D == 3)
      if (ahead > 0) {
        const Vec<D> turn = state.tree.nodes[g.line.node_B].V.angular - state.tree.nodes[g.line.node_A].V.angular;
        sine += ahead * std::min(0.0, -s.axes[0].dot(s.line.u) * s.axes[1].dot(turn));  // ds/dt = -c t_1 . omega
      }
    if (!(sine > kFlat)) return g.rows.begin;
  }
  return -1;
}

template <int D, class S>
void update_violations(const Mechanism<D>& m, const S* v, const IncrementFactors& f, MechanismState<D, S>& state) {
  std::copy(state.Phi.begin(), state.Phi.end(), state.violation.begin());
  if (m.velocity_rows == 0) return;
  constraint_rates(m, v, state);
  for (int i = 0; i < m.rows; ++i)
    if (m.holonomic[i] == 0) state.violation[i] = state.Phi_dot[i] * (1 / f.velocity);
}

template <int D>
void update_rate_gradients(const Mechanism<D>& m, MechanismState<D>& state) {
  if (m.velocity_rows == 0) return;
  for (std::size_t i = 0; i < m.constraints.size(); ++i)
    if (const ConstraintGroup<D>& g = m.constraints[i]; g.holds_velocities_alone())
      set_rate_gradients(g, m.paths.data(), state.tree, state.constraints[i], state.rate_gradient.data() + g.jacobian);
}

template <int D, class Entries>
void add_velocity_row_penalty(const Mechanism<D>& m, const double* factor, const IncrementFactors& f, const MechanismState<D>& state,
                              Entries& T) {
  if (m.velocity_rows == 0) return;
  for (const ConstraintGroup<D>& g : m.constraints) {
    const int n = g.path.size();
    const PathDof* path = m.paths.data() + g.path.begin;
    for (int row = g.holonomic; row < g.rows.size(); ++row) {
      const double* J = state.jacobian.data() + g.jacobian + row * n;
      const double* J_q = state.increment_jacobian() + g.jacobian + row * n;
      const double* G = state.rate_gradient.data() + g.jacobian + row * n;
      for (int k = 0; k < n; ++k)
        for (int l = 0; l < n; ++l)
          T(path[k].dof, path[l].dof) += factor[g.rows.begin + row] * J[k] * (G[l] * (1 / f.velocity) + J[l] - J_q[l]);
    }
  }
}

template <int D>
void linearised_violations(const Mechanism<D>& m, const IncrementFactors& f, const MechanismState<D>& state, const double* increment,
                           double* result) {
  linearised_constraints(m, state, increment, result);
  if (m.velocity_rows == 0) return;
  for (const ConstraintGroup<D>& g : m.constraints) {
    const int n = g.path.size();
    for (int row = g.holonomic; row < g.rows.size(); ++row) {
      const double* J = state.jacobian.data() + g.jacobian + row * n;
      const double* G = state.rate_gradient.data() + g.jacobian + row * n;
      double& psi = result[g.rows.begin + row] = state.violation[g.rows.begin + row];
      for (int k = 0; k < n; ++k) psi += (J[k] + G[k] * (1 / f.velocity)) * increment[m.paths[g.path.begin + k].dof];
    }
  }
}

template <int D, class S>
void constraint_rates(const Mechanism<D>& m, const S* v, MechanismState<D, S>& state) {
  for (const ConstraintGroup<D>& g : m.constraints) {
    const S* J = state.jacobian.data() + g.jacobian;
    const S Phi_t = g.type == ConstraintType::coordinate ? -state.motion[g.motion].rate : S(0);
    for (int row = g.rows.begin; row < g.rows.end; ++row, J += g.path.size()) {
      S rate = Phi_t;
      for (int k = 0; k < g.path.size(); ++k) rate += J[k] * v[m.paths[g.path.begin + k].dof];
      state.Phi_dot[row] = rate;
    }
  }
}

template <int D>
TR_FLATTEN void constraint_accelerations(const Mechanism<D>& m, const double* a, MechanismState<D>& state) {
  for (std::size_t i = 0; i < m.constraints.size(); ++i)
    constraint_acceleration(m.constraints[i], state.tree, a, m.paths.data(), state.motion.data(), state.constraints[i],
                            state.Phi_ddot.data() + m.constraints[i].rows.begin);
}

/// Instantiates all assembly into matrices, for one kind of entries.
#define TR_INSTANTIATE_ENTRIES(D, Entries)                                                                                              \
  template void inverse_dynamics_tangent<D, Entries>(const Mechanism<D>&, const IncrementFactors&, MechanismState<D>&, Entries&);       \
  template void mass_matrix<D, Entries>(const Tree<D>&, const TreeState<D>&, Entries&);                                                 \
  template void add_port_force_tangent<D, Entries>(const Mechanism<D>&, const Port<D>&, const LineState<D>&, const LineDof<D>*, double, \
                                                   double, double, const IncrementFactors&, const TreeState<D>&, Entries&);             \
  template void add_penalty<D, Entries>(const Mechanism<D>&, const double*, const MechanismState<D>&, Entries&);                        \
  template void add_penalty<D, Entries>(const Mechanism<D>&, const double*, const double*, const double*, Entries&);                    \
  template void add_velocity_row_penalty<D, Entries>(const Mechanism<D>&, const double*, const IncrementFactors&,                       \
                                                     const MechanismState<D>&, Entries&);                                               \
  template void add_constraint_curvature<D, Entries>(const Mechanism<D>&, const double*, const MechanismState<D>&, Entries&);

}  // namespace trunnion
