// SPDX-License-Identifier: BSD-3-Clause
#include "solve/double_step_trapezoidal.h"

#include <algorithm>
#include <cmath>

#include "base/lu.h"

namespace trunnion {

namespace {

constexpr int kDragging = 3;  // iterations after which the mechanism's tangent is computed anew

double largest_of(const std::vector<double>& x) {
  double size = 0;
  for (double value : x) size = std::max(size, std::abs(value));
  return size;
}

}  // namespace

template <int D>
DoubleStepTrapezoidal<D>::DoubleStepTrapezoidal(std::shared_ptr<const Model> model)
    : MonolithicTrapezoidal<D>(std::move(model)), loops_(m_), keeper_(*model_, loops_), variation_(m_) {
  const std::size_t nv = model_->layout.nv, nc = h_.unknown_state.size(), ports = h_.actuators.size();
  for (auto* x : {&column_.theta, &column_.v, &column_.v_rest, &column_.a_rest, &g_}) x->resize(nv);
  for (auto* x : {&T_, &dr_mechanism_, &dr_, &G_}) x->resize(nv * nv);
  ds_column_.resize(nv * ports);
  dsdot_column_.resize(nv * ports);
  pivot_.resize(nv);
  if (model_->description.solver.tangent == TangentKind::forward_difference) {
    full_.resize((nv + nc) * (nv + nc));
    full_pivot_.resize(nv + nc);
    for (auto* x : {&base_, &changed_, &sizes_}) x->resize(nv + nc);
    theta_kept_.resize(nv);
  }
}

// ---------------------------------------------------------------- loops

template <int D>
bool DoubleStepTrapezoidal<D>::close(bool to_rounding, StepReport& report) {
  const LoopStatus status = loops_.close(from_->q(), theta_.data(), next_.q(), to_rounding, work_.mechanism, &report.position_iterations);
  if (status != LoopStatus::closed) keeper_.fail(status, report);
  return status == LoopStatus::closed;
}

/// v and a of the independent coordinates and ydot by the rule, of the dependent ones by the constraints.
template <int D>
void DoubleStepTrapezoidal<D>::set_dependent_rates() {
  this->set_rates();
  loops_.solve_velocities(next_.v(), work_.mechanism);
  loops_.solve_accelerations(next_.v(), next_.a(), work_.mechanism);
}

// ---------------------------------------------------------------- Newton

/// Residual of the mechanism and the oil, and R.
template <int D>
void DoubleStepTrapezoidal<D>::evaluate_reduced() {
  this->evaluate_at(0);
  fit_ = loops_.reduce();
}

/// Change of r at constant port forces, and of the ports, along an independent coordinate.
template <int D>
void DoubleStepTrapezoidal<D>::update_column(int k) {
  const std::size_t nv = model_->layout.nv, ports = h_.actuators.size();
  const MechanismState<D>& mech = work_.mechanism;
  double *dr = dr_mechanism_.data() + k * nv, *ds = ds_column_.data() + k * ports, *dsdot = dsdot_column_.data() + k * ports;
  const bool rest = loops_.column(k, factors_, mech, variation_, column_);
  std::fill(dr, dr + nv, 0.0);
  for (std::size_t l = 0; l < nv; ++l)
    if (column_.theta[l] != 0)
      for (std::size_t i = 0; i < nv; ++i) dr[i] += T_[i * nv + l] * column_.theta[l];
  if (rest) add_rate_tangent(m_, column_.v_rest.data(), column_.a_rest.data(), mech, variation_, dr);
  for (std::size_t i = 0; i < ports; ++i) {
    ds[i] = dsdot[i] = 0;
    for (int l = m_.ports[i].path.begin; l < m_.ports[i].path.end; ++l) {
      const LineDof<D>& c = mech.dofs[l];
      const int v = m_.paths[l].dof;
      ds[i] += c.gradient_q * column_.theta[v];
      dsdot[i] += c.rate_gradient * column_.theta[v] + c.gradient * column_.v[v];
    }
  }
}

/// The mechanism's share of the tangent.
template <int D>
void DoubleStepTrapezoidal<D>::update_tangent() {
  MechanismState<D>& mech = work_.mechanism;
  loops_.add_multipliers(work_.r.data(), work_.multipliers.data());
  inverse_dynamics_tangent(m_, factors_, mech, T_.data());
  for (std::size_t i = 0; i < m_.ports.size(); ++i)
    add_line_curvature(m_.ports[i], m_.paths.data(), mech.tree, mech.ports[i], mech.dofs.data() + m_.ports[i].path.begin,
                       -work_.hydraulics.ports[i].force, T_.data(), model_->layout.nv);
  add_constraint_curvature(m_, work_.multipliers.data(), mech, T_.data());
  for (std::size_t k = 0; k < loops_.independent().size(); ++k) update_column(static_cast<int>(k));
}

/// dr along an independent coordinate: the mechanism's share and the change of the port forces.
template <int D>
void DoubleStepTrapezoidal<D>::add_port_forces_of(int k) {
  const std::size_t nv = model_->layout.nv, ports = h_.actuators.size();
  double* dr = dr_.data() + k * nv;
  std::copy_n(dr_mechanism_.data() + k * nv, nv, dr);
  this->add_port_force_change(ds_column_.data() + k * ports, dsdot_column_.data() + k * ports, dr);
}

/// Newton increment with the exact tangent: increment_ (per independent coordinate), circuit_increment_; multipliers with them.
template <int D>
bool DoubleStepTrapezoidal<D>::solve_exact(bool fresh) {
  const std::size_t nv = model_->layout.nv, ports = h_.actuators.size(), n = loops_.independent().size();
  evaluate_reduced();
  if (fresh) update_tangent();
  if (!this->condense_ports()) return false;
  this->add_port_residuals();
  for (std::size_t k = 0; k < n; ++k) {
    add_port_forces_of(static_cast<int>(k));
    loops_.project(dr_.data() + k * nv, g_.data());
    for (std::size_t i = 0; i < n; ++i) G_[i * n + k] = g_[i];
  }
  loops_.project(work_.r.data(), increment_.data());
  for (std::size_t i = 0; i < n; ++i) increment_[i] = -increment_[i];
  if (!lu_factor(G_.data(), static_cast<int>(n), pivot_.data())) return false;
  lu_solve(G_.data(), static_cast<int>(n), pivot_.data(), increment_.data());
  // back to the oil and to the multipliers
  std::fill(ds_.begin(), ds_.end(), 0.0);
  std::fill(dsdot_.begin(), dsdot_.end(), 0.0);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < ports; ++i) {
      ds_[i] += ds_column_[k * ports + i] * increment_[k];
      dsdot_[i] += dsdot_column_[k * ports + i] * increment_[k];
    }
    for (std::size_t i = 0; i < nv; ++i) work_.r[i] += dr_[k * nv + i] * increment_[k];
  }
  this->eliminate_circuits();
  loops_.add_multipliers(work_.r.data(), next_.multipliers());
  return true;
}

/// The same with forward differences of the whole reduced residual, (40), (41).
template <int D>
bool DoubleStepTrapezoidal<D>::solve_forward_difference() {
  const std::size_t f = loops_.independent().size(), nc = circuit_increment_.size(), n = f + nc;
  StepReport ignored;
  const auto residual = [&](double* out) {
    set_dependent_rates();
    evaluate_reduced();
    loops_.project(work_.r.data(), out);
    std::copy(work_.hydraulics.R.begin(), work_.hydraulics.R.end(), out + f);
  };
  const auto increment_size = [](double x) { return 1e-8 * std::max(1e-2, std::abs(x)); };
  theta_kept_ = theta_;
  for (std::size_t j = 0; j < n; ++j) {
    double size = 0;
    if (j < f) {
      const int v = loops_.independent()[j];
      const TreeNode<D>& node = m_.tree.nodes[m_.tree.dof_node[v]];
      size = increment_size(node.dofs == 1 ? from_->q()[node.q] + theta_[v] : theta_[v]);
      theta_[v] += size;
      if (!close(true, ignored)) return false;
      residual(changed_.data());
      theta_ = theta_kept_;
      if (!close(true, ignored)) return false;
    } else {
      double& y = next_.y()[h_.unknown_state[j - f]];
      const double kept = y;
      size = increment_size(kept);
      y += size;
      residual(changed_.data());
      y = kept;
    }
    for (std::size_t i = 0; i < n; ++i) full_[i * n + j] = changed_[i];
    sizes_[j] = size;
  }
  residual(base_.data());  // last: what it leaves in the scratch goes on
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) full_[i * n + j] = (full_[i * n + j] - base_[i]) / sizes_[j];
  loops_.add_multipliers(work_.r.data(), next_.multipliers());
  for (double& value : base_) value = -value;
  if (!lu_factor(full_.data(), static_cast<int>(n), full_pivot_.data())) return false;
  lu_solve(full_.data(), static_cast<int>(n), full_pivot_.data(), base_.data());
  std::copy(base_.begin(), base_.begin() + static_cast<std::ptrdiff_t>(f), increment_.begin());
  std::copy(base_.begin() + static_cast<std::ptrdiff_t>(f), base_.begin() + static_cast<std::ptrdiff_t>(n), circuit_increment_.begin());
  return true;
}

/// Adds the increments to the unknowns, and to the dependent coordinates what they bring about; returns the largest over its tolerance.
template <int D>
double DoubleStepTrapezoidal<D>::apply_increment(StepReport& report) {
  double largest = 0;
  const double position = model_->description.solver.tolerance_position;
  loops_.add_increment(increment_.data(), theta_.data());
  for (std::size_t i = 0; i < loops_.independent().size(); ++i)
    this->raise(std::abs(increment_[i]) / position, loops_.independent()[i], report, largest);
  this->apply_circuit_increment(report, largest);
  return largest;
}

// ---------------------------------------------------------------- step

/// Checks of a converged step, and the partition the next one starts from.
template <int D>
void DoubleStepTrapezoidal<D>::finish(StepReport& report) {
  if (!this->within_stroke(report) || !keeper_.keep(fit_, work_.mechanism, next_.partition(), report)) return;
  this->finish_friction();
  constraint_rates(m_, next_.v(), work_.mechanism);
  report.violation = largest_of(work_.mechanism.Phi);
  report.velocity_violation = largest_of(work_.mechanism.Phi_dot);
}

template <int D>
StepReport DoubleStepTrapezoidal<D>::attempt(const State& state, double h) {
  const SolverDescription& solver = model_->description.solver;
  StepReport report;
  this->begin(state, h);
  if (!close(false, report)) return report;
  set_dependent_rates();
  double size = 0;
  for (;;) {
    ++report.iterations;
    const bool fresh = report.iterations == 1 || report.iterations > kDragging;
    const bool solved = solver.tangent == TangentKind::exact ? solve_exact(fresh) : solve_forward_difference();
    if (!solved) {
      report.status = StepStatus::singular;
      return report;
    }
    size = apply_increment(report);
    if (!std::isfinite(size)) {
      report.status = StepStatus::diverged;
      return report;
    }
    const bool last = size < 1 || report.iterations >= solver.max_iterations;
    if (!close(last, report)) return report;
    set_dependent_rates();
    if (last) break;
  }
  if (size >= 1) {
    report.status = solver.accept_capped ? StepStatus::capped : StepStatus::stalled;
    if (!report.ok()) return report;
  }
  finish(report);
  return report;
}

template <int D>
StepReport DoubleStepTrapezoidal<D>::step(State& state, double h) {
  const StepReport report = keeper_.step(state, work_.mechanism, [&] { return attempt(state, h); });
  if (report.ok()) state = next_;
  return report;
}

template class DoubleStepTrapezoidal<2>;
template class DoubleStepTrapezoidal<3>;

}  // namespace trunnion
