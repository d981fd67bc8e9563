// Coordinate partitioning in an implicit step.
// Source: Jaiswal, Rahikainen, Khadim, Sopanen, Mikkola 2021 (formulations), (30), (35), (37), (38), (48).
// SPDX-License-Identifier: BSD-3-Clause
#include "solve/double_step.h"

#include <algorithm>
#include <cmath>

#include "base/forward_difference.h"
#include "base/lu.h"

namespace trunnion {

namespace {

constexpr int kDragging = 3;  // iterations after which the mechanism's tangent is recomputed

/// Scales the rows from `first` on of a system A x = b to the size of those before, for pivoting.
void scale_rows(int n, int first, double* A, double* b) {
  double size = 0;
  for (int i = 0; i < first * n; ++i) size = std::max(size, std::abs(A[i]));
  if (size == 0) return;
  for (int i = first * n; i < n * n; ++i) A[i] *= size;
  for (int i = first; i < n; ++i) b[i] *= size;
}

}  // namespace

template <int D>
DoubleStep<D>::DoubleStep(MachineStep<D>& step)
    : step_(step),
      model_(*step.model),
      m_(step.m),
      netlist_(step.netlist),
      loops_(m_),
      keeper_(model_, loops_),
      variation_(m_),
      variation4_(m_),
      column_(m_.tree.nv),
      column4_(m_.tree.nv),
      dr1_(m_.tree.nv),
      dr4_(m_.tree.nv),
      response_(m_.tree.nv) {
  const std::size_t nv = model_.layout.nv, nc = netlist_.unknown_state.size();
  update_positions(m_, model_.q_start.data(), static_cast<const double*>(nullptr), step_.work.mechanism);
  loops_.select_partition(step_.work.mechanism);
  make_room();
  if (model_.description.solver.tangent == TangentKind::forward_difference) {
    full_.resize((nv + nc) * (nv + nc));
    full_pivot_.resize(nv + nc);
    for (auto* x : {&base_, &changed_}) x->resize(nv + nc);
    theta_kept_.resize(nv);
  }
}

/// For the number of unknown increments. Allocates if it is larger than before.
template <int D>
void DoubleStep<D>::make_room() {
  const std::size_t n = loops_.admissible().size(), ports = netlist_.actuators.size();
  if (n <= g_.size()) return;
  if (m_.velocity_rows > 0) de_.resize(n * m_.velocity_rows);
  for (auto* x : {&dr_mechanism_, &dr_}) x->resize(n * model_.layout.nv);
  for (auto* x : {&ds_column_, &dsdot_column_}) x->resize(n * ports);
  G_.resize(n * n);
  g_.resize(n);
  pivot_.resize(n);
}

// ---------------------------------------------------------------- loops

template <int D>
bool DoubleStep<D>::close(bool to_rounding, StepOutcome& report) {
  const LoopStatus status =
      loops_.close(step_.from->q(), step_.theta.data(), step_.next.q(), to_rounding, step_.work.mechanism, &report.position_iterations);
  if (status != LoopStatus::closed) keeper_.fail(status, report);
  return status == LoopStatus::closed;
}

/// v and a of the independent coordinates and ydot by the rule, the others by the constraints.
template <int D>
void DoubleStep<D>::set_dependent_rates() {
  step_.set_rates();
  loops_.solve_velocities(step_.next.v(), step_.work.mechanism);
  loops_.solve_accelerations(step_.next.v(), step_.next.a(), step_.work.mechanism);
}

// ---------------------------------------------------------------- Newton

/// Residual of the mechanism and the oil, and R.
template <int D>
void DoubleStep<D>::evaluate_reduced() {
  update_accelerations(m_.tree, step_.next.v(), step_.next.a(), step_.work.mechanism.tree);
  update_line_rates(m_, step_.work.mechanism);
  evaluate_forces(model_, m_, step_.end_point(), step_.circuits.rule(), step_.work);
  fit_ = loops_.reduce();
}

/// e = theta_ad - (v_ad - v_offset) / f_v: the rule for given velocities.
template <int D>
void DoubleStep<D>::kinematic_residuals(double* e) const {
  for (int v : loops_.velocity_dependent()) *e++ = step_.theta[v] - (step_.next.v()[v] - step_.v_offset[v]) / step_.factors.velocity;
}

/// The mechanism's part of the tangent: along every unknown increment, change of r at constant port forces, of the ports, and of e.
template <int D>
void DoubleStep<D>::update_tangent() {
  loops_.set_multipliers(step_.work.r.data(), step_.work.multipliers.data());
  if (loops_.admissible().size() == 1)
    update_columns(variation_, column_, dr1_);
  else
    update_columns(variation4_, column4_, dr4_);
}

template <int D>
template <class S>
void DoubleStep<D>::update_columns(DirectionalDerivative<D, S>& variation, typename ClosedLoops<D>::template Columns<S>& columns,
                                   std::vector<S>& dr) {
  const std::size_t nv = model_.layout.nv, ports = netlist_.actuators.size(), n = loops_.admissible().size();
  sum_forces(m_, step_.work.force.data(), step_.work.multipliers.data(), step_.work.mechanism, variation);
  for (std::size_t first = 0; first < n; first += kLanes<S>) {
    loops_.columns(static_cast<int>(first), step_.factors, step_.work.mechanism, variation, columns);
    differentiate_residual(m_, columns.theta.data(), columns.v.data(), step_.work.force.data(), step_.work.multipliers.data(),
                           step_.work.mechanism, variation, dr.data());
    for (std::size_t k = first; k < std::min(n, first + kLanes<S>); ++k) {
      const int i = static_cast<int>(k - first);
      for (std::size_t v = 0; v < nv; ++v) dr_mechanism_[k * nv + v] = lane(dr[v], i);
      for (std::size_t p = 0; p < ports; ++p) {
        ds_column_[k * ports + p] = lane(variation.s[p], i);
        dsdot_column_[k * ports + p] = lane(variation.s_dot[p], i);
      }
      for (std::size_t e = 0; e < loops_.velocity_dependent().size(); ++e) {
        const int v = loops_.velocity_dependent()[e];
        de_[e * n + k] = lane(columns.theta[v], i) - lane(columns.v[v], i) / step_.factors.velocity;
      }
    }
  }
}

/// dr along an unknown increment: the mechanism's part and the change of the port forces.
template <int D>
void DoubleStep<D>::add_port_forces_of(int k) {
  const std::size_t nv = model_.layout.nv, ports = netlist_.actuators.size();
  double* dr = dr_.data() + k * nv;
  std::copy_n(dr_mechanism_.data() + k * nv, nv, dr);
  step_.add_port_force_change(ds_column_.data() + k * ports, dsdot_column_.data() + k * ports, dr);
}

/// Newton increment with the exact tangent: step_.increment (per entry of admissible()), step_.circuit_increment.
template <int D>
bool DoubleStep<D>::solve_exact(bool fresh) {
  const std::size_t nv = model_.layout.nv, n = loops_.admissible().size(), f = loops_.independent().size();
  evaluate_reduced();
  if (fresh) update_tangent();
  if (!step_.condense_ports()) return false;
  step_.add_port_residuals();
  for (std::size_t k = 0; k < n; ++k) {
    add_port_forces_of(static_cast<int>(k));
    loops_.project(dr_.data() + k * nv, g_.data());
    for (std::size_t i = 0; i < f; ++i) G_[i * n + k] = g_[i];
  }
  loops_.project(step_.work.r.data(), step_.increment.data());
  if (f < n) {
    std::copy_n(de_.data(), (n - f) * n, G_.data() + f * n);
    kinematic_residuals(step_.increment.data() + f);
    scale_rows(static_cast<int>(n), static_cast<int>(f), G_.data(), step_.increment.data());
  }
  for (std::size_t i = 0; i < n; ++i) step_.increment[i] = -step_.increment[i];
  if (!lu_factor(G_.data(), static_cast<int>(n), pivot_.data())) return false;
  lu_solve(G_.data(), static_cast<int>(n), pivot_.data(), step_.increment.data());
  find_port_increments();
  step_.eliminate_circuits();
  return true;
}

/// step_.ds, step_.dsdot of the ports from step_.increment.
template <int D>
void DoubleStep<D>::find_port_increments() {
  const std::size_t ports = netlist_.actuators.size();
  std::fill(step_.ds.begin(), step_.ds.end(), 0.0);
  std::fill(step_.dsdot.begin(), step_.dsdot.end(), 0.0);
  for (std::size_t k = 0; k < loops_.admissible().size(); ++k) {
    for (std::size_t i = 0; i < ports; ++i) {
      step_.ds[i] += ds_column_[k * ports + i] * step_.increment[k];
      step_.dsdot[i] += dsdot_column_[k * ports + i] * step_.increment[k];
    }
  }
}

/// dr -= s_k dF_i.
template <int D>
void DoubleStep<D>::add_port_forces(const double* dF, double* dr) const {
  for (std::size_t i = 0; i < m_.ports.size(); ++i)
    for (int l = m_.ports[i].path.begin; l < m_.ports[i].path.end; ++l)
      dr[m_.paths[l].dof] -= step_.work.mechanism.dofs[l].gradient * dF[i];
}

/// step_.increment, step_.ds, step_.dsdot for changes dF of the port forces only, with the last tangent; returns the largest increment,
/// scaled.
template <int D>
double DoubleStep<D>::respond_to_forces(const double* dF) {
  std::fill(response_.begin(), response_.end(), 0.0);
  add_port_forces(dF, response_.data());
  std::fill(step_.increment.begin(), step_.increment.end(), 0.0);
  loops_.project(response_.data(), step_.increment.data());
  for (double& x : step_.increment) x = -x;
  lu_solve(G_.data(), static_cast<int>(loops_.admissible().size()), pivot_.data(), step_.increment.data());
  find_port_increments();
  double largest = 0;
  for (std::size_t i = 0; i < loops_.admissible().size(); ++i)
    largest = std::max(largest, step_.scaled(step_.increment[i], loops_.admissible()[i]));
  return largest;
}

/// Adds the effect of the increments to the residual from which the multipliers are computed.
template <int D>
void DoubleStep<D>::advance_residual() {
  const std::size_t nv = model_.layout.nv;
  for (std::size_t k = 0; k < loops_.admissible().size(); ++k)
    for (std::size_t i = 0; i < nv; ++i) step_.work.r[i] += dr_[k * nv + i] * step_.increment[k];
}

/// As above, with forward differences of the whole reduced residual, (40), (41).
template <int D>
bool DoubleStep<D>::solve_forward_difference() {
  const std::size_t a = loops_.admissible().size(), f = loops_.independent().size(), nc = step_.circuit_increment.size(), n = a + nc;
  StepOutcome ignored;
  const auto residual = [&](double* out) {
    set_dependent_rates();
    evaluate_reduced();
    loops_.project(step_.work.r.data(), out);
    std::copy(step_.work.hydraulics.R.begin(), step_.work.hydraulics.R.end(), out + f);
    kinematic_residuals(out + f + nc);
  };
  double kept = 0;
  const auto add = [&](std::size_t j) {
    double& x = j < a ? step_.theta[loops_.admissible()[j]] : step_.next.y()[netlist_.unknown_state[j - a]];
    kept = x;
    const double size = difference_size(j < a ? step_.position(loops_.admissible()[j]) : kept);
    x += size;
    return j >= a || close(true, ignored) ? size : 0;
  };
  const auto restore = [&](std::size_t j) {
    if (j < a) step_.theta = theta_kept_;
    if (j >= a) step_.next.y()[netlist_.unknown_state[j - a]] = kept;
    return j >= a || close(true, ignored);
  };
  theta_kept_ = step_.theta;
  if (!close(true, ignored) || !forward_differences(n, n, full_.data(), base_.data(), changed_.data(), add, restore, residual))
    return false;
  step_.hold_solved_unknowns(full_.data() + f * n + a, n);
  std::fill(dr_.begin(), dr_.end(), 0.0);
  scale_rows(static_cast<int>(n), static_cast<int>(f + nc), full_.data(), base_.data());
  for (double& value : base_) value = -value;
  if (!lu_factor(full_.data(), static_cast<int>(n), full_pivot_.data())) return false;
  lu_solve(full_.data(), static_cast<int>(n), full_pivot_.data(), base_.data());
  std::copy_n(base_.begin(), a, step_.increment.begin());
  std::copy_n(base_.begin() + static_cast<std::ptrdiff_t>(a), nc, step_.circuit_increment.begin());
  return true;
}

/// Adds the increments to the unknowns and the resulting ones to the dependent coordinates; returns the largest over its tolerance.
template <int D>
double DoubleStep<D>::apply_increment(StepOutcome& report) {
  double largest = 0;
  loops_.add_increment(step_.increment.data(), step_.theta.data());
  step_.largest_position_increment = 0;
  for (std::size_t i = 0; i < loops_.admissible().size(); ++i)
    step_.raise_position(step_.increment[i], loops_.admissible()[i], report, largest);
  step_.apply_circuit_increment(report, largest);
  return largest;
}

// ---------------------------------------------------------------- step

/// Checks of a converged step, and the partition for the next one.
template <int D>
void DoubleStep<D>::finish(StepOutcome& report) {
  if (!step_.within_stroke(report)) return;
  constraint_rates(m_, step_.next.v(), step_.work.mechanism);
  if (!keeper_.keep(fit_, step_.work.mechanism, step_.next.partition(), report)) return;
  step_.finish_local_states();
  step_.finish_oil(true);
  report.violation = largest_of(step_.work.mechanism.Phi);
  report.velocity_violation = largest_of(step_.work.mechanism.Phi_dot);
}

template <int D>
bool DoubleStep<D>::begin(StepOutcome& report) {
  make_room();
  if (!close(false, report)) return false;
  set_dependent_rates();
  step_.predict_control();
  step_.set_circuit_rates();
  return true;
}

template <int D>
std::optional<double> DoubleStep<D>::increment(int iteration, StepOutcome& report) {
  const bool fresh = iteration == 1 || iteration > kDragging;
  if (!(model_.description.solver.tangent == TangentKind::exact ? solve_exact(fresh) : solve_forward_difference())) return std::nullopt;
  double size = apply_increment(report);
  advance_residual();
  if (size < 1) return size;
  step_.set_circuit_rates();
  step_.iterate_hydraulics_only(
      report, size, [&](const double* dF) { return respond_to_forces(dF); },
      [&](const double* dF) {
        loops_.add_increment(step_.increment.data(), step_.theta.data());
        add_port_forces(dF, step_.work.r.data());
        advance_residual();
      });
  return size;
}

template <int D>
NewtonArrival DoubleStep<D>::arrive(bool last, bool /*capped*/, StepOutcome& report) {
  if (last) loops_.set_multipliers(step_.work.r.data(), step_.next.multipliers());
  if (!close(last, report)) return NewtonArrival::unreachable;
  set_dependent_rates();
  return NewtonArrival::accepted;
}

template class DoubleStep<2>;
template class DoubleStep<3>;

}  // namespace trunnion
