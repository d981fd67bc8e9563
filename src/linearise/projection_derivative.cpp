// Derivative of the projection of the velocities.
// SPDX-License-Identifier: BSD-3-Clause
#include "linearise/projection_derivative.h"

#include <algorithm>
#include <cmath>

#include "base/lu.h"

namespace trunnion {

namespace {

constexpr double kSameMetric = 1e-3;          // relative to the violation of the velocities: tolerance of its direction
constexpr double kIncrementRounding = 1e-13;  // [rad, of the extent] rounding of the step's increments, as far as the direction shows it
constexpr double kSlight = 1e-5;              // as in solve/penalty.cpp
constexpr double kNudge = 1e-4;               // relative size of central differences of the projection's metric

}  // namespace

template <int D>
ProjectionDerivative<D>::ProjectionDerivative(const std::shared_ptr<const CompiledModel>& model, Reduction<D>& motion)
    : model_(*model),
      m_(std::get<Mechanism<D>>(model->mechanism)),
      netlist_(model->hydraulics),
      motion_(motion),
      metric_(model, ConstraintTreatment::stabilised, Stabilisation{}),
      end_(model),
      metric_oil_(netlist_),
      metric_variation_(m_),
      turned_(m_.tree),
      end_change_(*model),
      projected_(*model),
      dr_(model->layout.nv),
      x_(model->layout.nv) {}

/// metric_, metric_oil_, metric_variation_, turned_: the metrics of the projection where the mechanism is at `motion`, the increment of
/// the step theta, and the step began with the states y_begin and offsets of their rates.
template <int D>
void ProjectionDerivative<D>::set_metric(const StateVector& motion, const double* theta, const double* y_begin, const double* offset) {
  turned_.set(theta);
  metric_.set_motion(motion, step_.partition, Side::left);
  MachineState<D>& work = metric_.rates().work();
  update_inputs(netlist_, signals_at(model_, motion), motion.time, Side::left, metric_oil_);
  metric_y_.assign(motion.y(), motion.y() + netlist_.ny);
  metric_ydot_.assign(motion.ydot(), motion.ydot() + netlist_.ny);
  const RateRelation relation{step_.h, factor_, y_begin, offset, step_.s_0};
  evaluate_hydraulics(netlist_, work.mechanism.s.data(), work.mechanism.s_dot.data(), metric_y_.data(), metric_ydot_.data(), relation,
                      metric_oil_);
  int circuit = 0;
  if (whole_tangent_ && !condense(netlist_, metric_oil_, &circuit)) step_derivative::singular(step_.after->time);
  if (!whole_tangent_) std::fill(work.multipliers.begin(), work.multipliers.end(), 0.0);
  sum_forces(m_, work.force.data(), whole_tangent_ ? metric_.reference().multipliers() : work.multipliers.data(), work.mechanism,
             metric_variation_);
}

/// dr_ = W x, or with whole_tangent_ T x.
template <int D>
void ProjectionDerivative<D>::multiply_metric(const double* x) {
  MachineState<D>& work = metric_.rates().work();
  turned_.tangent(x, end_change_.mechanism.theta.data());
  for (int v = 0; v < m_.tree.nv; ++v) {
    end_change_.mechanism.v[v] = 2 / step_.h * x[v];
    end_change_.mechanism.a[v] = 4 / (step_.h * step_.h) * x[v];
  }
  differentiate_places(m_, end_change_.mechanism.theta.data(), work.mechanism, metric_variation_);
  differentiate_velocities(m_, end_change_.mechanism.v.data(), work.mechanism, metric_variation_);
  differentiate_accelerations(m_, end_change_.mechanism.a.data(), work.mechanism, metric_variation_);
  if (!whole_tangent_) std::fill(work.multipliers.begin(), work.multipliers.end(), 0.0);
  differentiate_residual(m_, end_change_.mechanism.theta.data(), end_change_.mechanism.v.data(), work.force.data(),
                         whole_tangent_ ? metric_.reference().multipliers() : work.multipliers.data(), work.mechanism, metric_variation_,
                         dr_.data());
  const HydraulicState& oil = metric_oil_;
  const std::vector<double>&ds = metric_variation_.s, &dsdot = metric_variation_.s_dot;
  force_.resize(ds.size());
  for (std::size_t i = 0; i < ds.size(); ++i) force_[i] = oil.force_s[i] * ds[i] + oil.force_v[i] * dsdot[i];
  if (whole_tangent_)
    for (const Circuit& c : netlist_.circuits)
      for (int i : c.actuators)
        for (int j : c.actuators)
          for (int k = 0; k < c.size; ++k)
            force_[i] -= oil.F_y[oil.column[i] + k] * (oil.R_s[oil.column[j] + k] * ds[j] + oil.R_v[oil.column[j] + k] * dsdot[j]);
  metric_.subtract_port_forces(force_.data(), dr_.data());
}

/// The largest velocity by which the projection of the step differs from that in the metric set, given its reduced matrix.
template <int D>
double ProjectionDerivative<D>::departure_from_metric() {
  ClosedLoops<D>& loops = motion_.rates().loops();
  const int n = static_cast<int>(loops.independent().size());
  reduced_.resize(static_cast<std::size_t>(n) * n);
  reduced_pivot_.resize(n);
  reduced_x_.resize(m_.tree.nv);
  for (int k = 0; k < n; ++k) {
    std::fill(reduced_x_.begin(), reduced_x_.end(), 0.0);
    std::fill(x_.begin(), x_.end(), 0.0);
    reduced_x_[k] = 1;
    loops.add_rates(reduced_x_.data(), x_.data());
    multiply_metric(x_.data());
    loops.project(dr_.data(), reduced_x_.data());
    for (int i = 0; i < n; ++i) reduced_[static_cast<std::size_t>(i) * n + k] = reduced_x_[i];
  }
  if (!lu_factor(reduced_.data(), n, reduced_pivot_.data())) step_derivative::singular(step_.after->time);
  multiply_metric(violation_.data());
  loops.project(dr_.data(), reduced_x_.data());
  lu_solve(reduced_.data(), n, reduced_pivot_.data(), reduced_x_.data());
  double largest = 0;
  for (int i = 0; i < n; ++i) largest = std::max(largest, std::abs(reduced_x_[i]) / m_.unit(loops.independent()[i]));
  return largest;
}

template <int D>
void ProjectionDerivative<D>::set(const ProjectedStep& step, const OilRule& rule) {
  step_ = step;
  const int nv = m_.tree.nv;
  factor_ = rule.factor(step_.h);
  weight_ = rule.offset(1, 0);
  violation_.resize(nv);
  double size = 0, fastest = 0;
  for (int v = 0; v < nv; ++v) {
    violation_[v] = step_.motion->v()[v] - step_.after->v()[v];
    size = std::max(size, std::abs(violation_[v]) / m_.unit(v));
    fastest = std::max(fastest, (std::abs(step_.after->v()[v]) + step_.h * std::abs(step_.after->a()[v])) / m_.unit(v));
  }
  offset_.assign(static_cast<std::size_t>(netlist_.ny), 0.0);
  const auto memory = oil_memory(netlist_, step_.before->oil_memory());
  const double carried = *memory.step > 0 ? OilRule::carried(step_.h, *memory.step) : 0;
  for (int i = static_cast<int>(netlist_.volumes.size()); i < netlist_.ny; ++i)
    offset_[i] = rule.offset(step_.before->ydot()[i], carried * memory.lag[i]);
  end_.set_reference(*step_.after, step_.partition, Side::left);
  double departure[2];
  for (const bool whole : {false, true}) {
    whole_tangent_ = whole;
    set_metric(*step_.motion, step_.theta, step_.before->y(), offset_.data());
    departure[whole ? 1 : 0] = departure_from_metric();
  }
  const double rounding = kIncrementRounding * (1 + fastest * step_.h) / step_.h;
  const bool both = std::max(departure[0], departure[1]) < kSameMetric * size + rounding;
  const bool possible = m_.velocity_rows == 0 && model_.description.solver.tangent == TangentKind::exact;
  whole_tangent_ = possible && (both ? size <= kSlight * fastest : departure[1] < departure[0]);
  if (!(departure[whole_tangent_ ? 1 : 0] < kSameMetric * size + rounding))
    step_derivative::refuse(step_.after->time, "its velocities were not projected by the rule");
  set_metric(*step_.motion, step_.theta, step_.before->y(), offset_.data());
  departure_from_metric();
  // W (v - v1) = J^T mu
  multiply_metric(violation_.data());
  mu_.resize(m_.rows);
  motion_.rates().loops().set_multipliers(dr_.data(), mu_.data());
  for (double& x : mu_) x = -x;
}

template <int D>
void ProjectionDerivative<D>::apply(int input, const step_derivative::Column& from, const std::vector<double>& increment, Change& change) {
  ClosedLoops<D>& loops = motion_.rates().loops();
  const int nv = m_.tree.nv, n = static_cast<int>(loops.independent().size());
  // sizes of the nudge
  double largest = 0;
  for (int v = 0; v < nv; ++v)
    largest = std::max({largest, std::abs(change.mechanism.theta[v]) / m_.unit(v), std::abs(change.mechanism.v[v]) / m_.unit(v)});
  for (int i = 0; i < netlist_.ny; ++i) largest = std::max(largest, std::abs(change.y[i]) / std::max(std::abs(step_.after->y()[i]), 1e-6));
  const double nudge = largest > 0 ? kNudge / largest : 0;
  x_.assign(increment.begin(), increment.end());
  bend_.assign(static_cast<std::size_t>(nv), 0.0);
  if (nudge > 0 && largest_of(violation_) > 0)
    for (const double side : {1.0, -1.0}) {
      const double e = side * nudge;
      nudged_ = *step_.motion;
      nudged_theta_.resize(nv);
      for (int v = 0; v < nv; ++v) nudged_theta_[v] = e * change.mechanism.theta[v];
      advance_configuration(m_.tree, static_cast<const double*>(step_.motion->q()), static_cast<const double*>(nudged_theta_.data()),
                            nudged_.q());
      for (int v = 0; v < nv; ++v) {
        nudged_.v()[v] += e * change.mechanism.v[v];
        nudged_.a()[v] += e * change.mechanism.a[v];
        nudged_theta_[v] = step_.theta[v] + e * x_[v];
      }
      nudged_y_.resize(netlist_.ny);
      nudged_offset_.resize(netlist_.ny);
      for (int i = 0; i < netlist_.ny; ++i) {
        nudged_.y()[i] += e * change.y[i];
        nudged_y_[i] = step_.before->y()[i] + e * from.y[i];
        nudged_offset_[i] = offset_[i] + e * weight_ * from.ydot[i];
      }
      set_metric(nudged_, nudged_theta_.data(), nudged_y_.data(), nudged_offset_.data());
      multiply_metric(violation_.data());
      for (int v = 0; v < nv; ++v) dr_[v] = -dr_[v];
      add_constraint_forces(m_, static_cast<const double*>(mu_.data()), metric_.rates().work().mechanism, dr_.data());
      for (int v = 0; v < nv; ++v) bend_[v] += dr_[v] / (2 * e);
    }
  set_metric(*step_.motion, step_.theta, step_.before->y(), offset_.data());
  // v1' at w' = 0
  Change& end = projected_;
  end.mechanism.theta = change.mechanism.theta;
  std::fill(end.mechanism.v.begin(), end.mechanism.v.end(), 0.0);
  end.y = change.y;
  end_.rates_change(input, end);
  for (int v = 0; v < nv; ++v) x_[v] = change.mechanism.v[v] - end.mechanism.v[v];
  multiply_metric(x_.data());
  for (int v = 0; v < nv; ++v) dr_[v] -= bend_[v];
  loops.project(dr_.data(), reduced_x_.data());
  lu_solve(reduced_.data(), n, reduced_pivot_.data(), reduced_x_.data());
  change.mechanism.v = end.mechanism.v;
  loops.add_rates(reduced_x_.data(), change.mechanism.v.data());
}

template class ProjectionDerivative<2>;
template class ProjectionDerivative<3>;

}  // namespace trunnion
