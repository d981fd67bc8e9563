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
constexpr double kNudge = 1e-4;               // relative size of central differences of the metric and the average

}  // namespace

template <int D>
ProjectionDerivative<D>::ProjectionDerivative(const std::shared_ptr<const CompiledModel>& model)
    : model_(*model),
      m_(std::get<Mechanism<D>>(model->mechanism)),
      netlist_(model->hydraulics),
      metric_(model, ConstraintTreatment::stabilised, Stabilisation{}),
      end_(model),
      metric_oil_(netlist_),
      metric_variation_(m_),
      turned_(m_.tree),
      end_change_(*model),
      projected_(*model),
      place_(m_),
      mean_(m_) {
  for (auto* x : {&violation_, &acceleration_, &bend_, &w_, &pull_, &average_, &average_change_, &dr_, &x_}) x->resize(m_.tree.nv);
  for (auto* x : {&mu_, &kappa_, &rows_, &rates_, &accelerations_}) x->resize(m_.rows);
}

/// metric_, metric_oil_, metric_variation_, turned_: the metrics of the projections there.
template <int D>
void ProjectionDerivative<D>::set_metric(const Place& place, bool whole_tangent) {
  whole_tangent_ = whole_tangent;
  const StateVector& motion = place.motion;
  turned_.set(place.theta.data());
  metric_.set_motion(motion, step_.partition, Side::left);
  MachineState<D>& work = metric_.rates().work();
  update_inputs(netlist_, signals_at(model_, motion), motion.time, Side::left, metric_oil_);
  metric_y_.assign(motion.y(), motion.y() + netlist_.ny);
  metric_ydot_.assign(motion.ydot(), motion.ydot() + netlist_.ny);
  const RateRelation relation{step_.h, factor_, place.y_begin.data(), place.offset.data(), step_.s_0};
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

/// R^T W R of the metric set; `of_increments`: of projections that are made in increments of the configuration, R^T W T(theta)^-1 R.
template <int D>
void ProjectionDerivative<D>::factor_metric(bool of_increments, ReducedMatrix& matrix) {
  const ClosedLoops<D>& loops = metric_.rates().loops();
  const int n = static_cast<int>(loops.independent().size());
  matrix.A.resize(static_cast<std::size_t>(n) * n);
  matrix.pivot.resize(n);
  reduced_x_.resize(m_.tree.nv);
  for (int k = 0; k < n; ++k) {
    std::fill(reduced_x_.begin(), reduced_x_.end(), 0.0);
    std::fill(x_.begin(), x_.end(), 0.0);
    reduced_x_[k] = 1;
    loops.add_rates(reduced_x_.data(), x_.data());
    if (of_increments) turned_.increment_change(x_.data(), nullptr, x_.data());
    multiply_metric(x_.data());
    loops.project(dr_.data(), reduced_x_.data());
    for (int i = 0; i < n; ++i) matrix.A[static_cast<std::size_t>(i) * n + k] = reduced_x_[i];
  }
  if (!lu_factor(matrix.A.data(), n, matrix.pivot.data())) step_derivative::singular(step_.after->time);
}

/// reduced_x_: the rates x of the independent coordinates, R^T W R x = R^T r.
template <int D>
void ProjectionDerivative<D>::solve_reduced(const ReducedMatrix& matrix, const double* r) {
  metric_.rates().loops().project(r, reduced_x_.data());
  lu_solve(matrix.A.data(), static_cast<int>(matrix.pivot.size()), matrix.pivot.data(), reduced_x_.data());
}

/// The largest rate by which a projection that changes rates by x differs from that in the metric set.
template <int D>
double ProjectionDerivative<D>::departure_from_metric(const ReducedMatrix& matrix, const std::vector<double>& x) {
  multiply_metric(x.data());
  solve_reduced(matrix, dr_.data());
  const std::vector<int>& independent = metric_.rates().loops().independent();
  double largest = 0;
  for (std::size_t i = 0; i < independent.size(); ++i) largest = std::max(largest, std::abs(reduced_x_[i]) / m_.unit(independent[i]));
  return largest;
}

/// x_: the change of rates that changes the pivot rows by -d, projected in the metric set; rows_: its multipliers, W x_ + J^T rows_ = 0.
template <int D>
void ProjectionDerivative<D>::project_rows(const std::vector<double>& d, bool of_increments, const ReducedMatrix& matrix) {
  ClosedLoops<D>& loops = metric_.rates().loops();
  const auto multiply = [&] {
    pull_ = x_;
    if (of_increments) turned_.increment_change(x_.data(), nullptr, pull_.data());
    multiply_metric(pull_.data());
  };
  std::fill(x_.begin(), x_.end(), 0.0);
  loops.subtract_dependent(d.data(), x_.data());
  multiply();
  solve_reduced(matrix, dr_.data());
  for (double& x : reduced_x_) x = -x;
  loops.add_rates(reduced_x_.data(), x_.data());
  multiply();
  x_ = pull_;
  loops.set_multipliers(dr_.data(), rows_.data());
}

/// average_: c there, with `share` of rates_ and accelerations_ added to the rows.
template <int D>
void ProjectionDerivative<D>::find_average(const Place& place, double share) {
  const double half = step_.h / 2, factor = 4 / (step_.h * step_.h);
  const bool turned = turned_.has_spherical_joints();
  ClosedLoops<D>& loops = metric_.rates().loops();
  set_metric(place, velocities_whole_);
  factor_metric(false, nearby_);
  place_ = metric_.rates().work().mechanism;
  constraint_rates(m_, place.motion.v(), place_);
  for (int i = 0; i < m_.rows; ++i) place_.Phi_dot[i] += share * rates_[i];
  project_rows(place_.Phi_dot, false, nearby_);
  for (int v = 0; v < m_.tree.nv; ++v) {
    w_[v] = x_[v];
    average_[v] = place.motion.v()[v] + x_[v];
  }
  kappa_ = rows_;
  update_rates(m_.tree, static_cast<const double*>(average_.data()), place.motion.a(), place_.tree);
  constraint_accelerations(m_, place.motion.a(), place_);
  for (int i = 0; i < m_.rows; ++i) place_.Phi_ddot[i] += share * accelerations_[i];
  if (accelerations_whole_ != velocities_whole_) {
    set_metric(place, accelerations_whole_);
    factor_metric(false, nearby_);
  }
  if (turned) factor_metric(true, nearby_of_increments_);
  project_rows(place_.Phi_ddot, turned, turned ? nearby_of_increments_ : nearby_);
  for (int v = 0; v < m_.tree.nv; ++v) w_[v] -= half * x_[v];
  for (int i = 0; i < m_.rows; ++i) kappa_[i] = (half * rows_[i] - kappa_[i]) / factor;
  std::fill(pull_.begin(), pull_.end(), 0.0);
  mean_.add_differences(place.q_begin.data(), place.motion.q(), metric_.rates().work().mechanism.jacobian.data(), w_.data(), kappa_.data(),
                        pull_.data());
  solve_reduced(nearby_, pull_.data());
  for (double& x : reduced_x_) x *= 0.5 * factor;
  std::fill(average_.begin(), average_.end(), 0.0);
  loops.add_rates(reduced_x_.data(), average_.data());
}

template <int D>
void ProjectionDerivative<D>::set(const ProjectedStep& step, const OilRule& rule) {
  step_ = step;
  const int nv = m_.tree.nv;
  const double h = step_.h;
  factor_ = rule.factor(h);
  weight_ = rule.offset(1, 0);
  at_.motion = *step_.motion;
  at_.q_begin.assign(step_.before->q(), step_.before->q() + m_.tree.nq);
  at_.theta.assign(step_.theta, step_.theta + nv);
  at_.y_begin.assign(step_.before->y(), step_.before->y() + netlist_.ny);
  at_.offset.assign(static_cast<std::size_t>(netlist_.ny), 0.0);
  const auto memory = oil_memory(netlist_, step_.before->oil_memory());
  const double carried = *memory.step > 0 ? OilRule::carried(h, *memory.step) : 0;
  for (int i = static_cast<int>(netlist_.volumes.size()); i < netlist_.ny; ++i)
    at_.offset[i] = rule.offset(step_.before->ydot()[i], carried * memory.lag[i]);
  std::fill(rates_.begin(), rates_.end(), 0.0);
  std::fill(accelerations_.begin(), accelerations_.end(), 0.0);

  double fastest = 0, fastest_change = 0;
  for (int v = 0; v < nv; ++v) {
    violation_[v] = step_.motion->v()[v] - step_.after->v()[v];
    acceleration_[v] = step_.motion->a()[v] - step_.after->a()[v];
    const double rate = std::abs(step_.after->v()[v]) / m_.unit(v), change = std::abs(step_.after->a()[v]) / m_.unit(v);
    fastest = std::max(fastest, rate + h * change);
    fastest_change = std::max(fastest_change, change + 2 / h * rate);
  }
  const double rounding = kIncrementRounding * (1 + fastest * h) / h;
  const auto size_of = [&](const std::vector<double>& x) {
    double size = 0;
    for (int v = 0; v < nv; ++v) size = std::max(size, std::abs(x[v]) / m_.unit(v));
    return size;
  };
  const bool possible = m_.velocity_rows == 0 && model_.description.solver.tangent == TangentKind::exact;
  // whether the projection that changed rates by a violation of that size was in the whole tangent; where both fit, as the step chooses
  const auto in_whole_tangent = [&](const double departure[2], double size, double rounded, double reference) {
    const bool both = std::max(departure[0], departure[1]) < kSameMetric * size + rounded;
    return possible && (both ? size <= kSlight * reference : departure[1] < departure[0]);
  };
  double departure[2], of_accelerations[2], of_average[2];  // in W, in the whole tangent
  for (const bool whole : {false, true}) {
    set_metric(at_, whole);
    factor_metric(false, reduced_);
    departure[whole ? 1 : 0] = departure_from_metric(reduced_, violation_);
    of_accelerations[whole ? 1 : 0] = departure_from_metric(reduced_, acceleration_);
  }
  accelerations_whole_ = in_whole_tangent(of_accelerations, size_of(acceleration_), 4 / h * rounding, fastest_change);
  averaged_ = false;
  if (model_.description.solver.multipliers != MultiplierIteration::plain && mean_.turn(step_.theta) > MeanDirections<D>::kLeastTurn) {
    for (const bool whole : {false, true}) {
      velocities_whole_ = whole;
      find_average(at_, 0);
      set_metric(at_, whole);
      factor_metric(false, reduced_);
      for (int v = 0; v < nv; ++v) x_[v] = violation_[v] + average_[v];
      of_average[whole ? 1 : 0] = departure_from_metric(reduced_, x_);
    }
    averaged_ = std::min(of_average[0], of_average[1]) < std::min(departure[0], departure[1]);
  }
  velocities_whole_ = in_whole_tangent(averaged_ ? of_average : departure, size_of(violation_), rounding, fastest);
  projected_state_ = *step_.after;
  if (averaged_) {
    find_average(at_, 0);
    for (int v = 0; v < nv; ++v) {
      projected_state_.v()[v] -= average_[v];
      violation_[v] += average_[v];
    }
  }
  end_.set_reference(projected_state_, step_.partition, Side::left);
  set_metric(at_, velocities_whole_);
  factor_metric(false, reduced_);
  if (!(departure_from_metric(reduced_, violation_) < kSameMetric * size_of(violation_) + rounding))
    step_derivative::refuse(step_.after->time, "its velocities were not projected by the rule");
  // W (v - v1) = J^T mu
  multiply_metric(violation_.data());
  metric_.rates().loops().set_multipliers(dr_.data(), mu_.data());
  for (double& x : mu_) x = -x;
}

/// nudged_: the place by e times the changes.
template <int D>
void ProjectionDerivative<D>::nudge(double e, const step_derivative::Column& from, const std::vector<double>& increment,
                                    const Change& change) {
  const int nv = m_.tree.nv;
  nudged_ = at_;
  const auto turn = [&](const std::vector<double>& theta, const double* q, double* to) {
    for (int v = 0; v < nv; ++v) x_[v] = e * theta[v];
    advance_configuration(m_.tree, q, static_cast<const double*>(x_.data()), to);
  };
  turn(change.mechanism.theta, at_.motion.q(), nudged_.motion.q());
  turn(from.theta, at_.q_begin.data(), nudged_.q_begin.data());
  for (int v = 0; v < nv; ++v) {
    nudged_.motion.v()[v] += e * change.mechanism.v[v];
    nudged_.motion.a()[v] += e * change.mechanism.a[v];
    nudged_.theta[v] += e * increment[v];
  }
  for (int i = 0; i < netlist_.ny; ++i) {
    nudged_.motion.y()[i] += e * change.y[i];
    nudged_.y_begin[i] += e * from.y[i];
    nudged_.offset[i] += e * weight_ * from.ydot[i];
  }
}

template <int D>
void ProjectionDerivative<D>::apply(int input, const step_derivative::Column& from, const std::vector<double>& increment, Change& change) {
  const int nv = m_.tree.nv;
  // v1' at w'=0
  Change& end = projected_;
  end.mechanism.theta = change.mechanism.theta;
  std::fill(end.mechanism.v.begin(), end.mechanism.v.end(), 0.0);
  end.y = change.y;
  end_.rates_change(input, end);
  // prescribed motions
  const auto take_rows = [&](LinearInput::Kind kind, std::vector<double>& rows) {
    const double* driven = metric_.driven_rows(input, kind);
    for (int i = 0; i < m_.rows; ++i) rows[i] = driven == nullptr ? 0 : driven[i];
    return driven != nullptr;
  };
  const bool moved = take_rows(LinearInput::Kind::rate, rates_), pushed = take_rows(LinearInput::Kind::acceleration, accelerations_);
  // sizes of the nudge
  double largest = 0;
  for (int v = 0; v < nv; ++v) {
    largest = std::max({largest, std::abs(change.mechanism.theta[v]) / m_.unit(v), std::abs(change.mechanism.v[v]) / m_.unit(v)});
    if (moved || pushed)
      largest = std::max({largest, std::abs(end.mechanism.v[v]) / m_.unit(v), step_.h / 2 * std::abs(end.mechanism.a[v]) / m_.unit(v)});
  }
  for (int i = 0; i < netlist_.ny; ++i) largest = std::max(largest, std::abs(change.y[i]) / std::max(std::abs(step_.after->y()[i]), 1e-6));
  const double nudge_size = largest > 0 ? kNudge / largest : 0;
  std::fill(average_change_.begin(), average_change_.end(), 0.0);
  std::fill(bend_.begin(), bend_.end(), 0.0);
  if (nudge_size > 0 && largest_of(violation_) > 0)
    for (const double side : {1.0, -1.0}) {
      const double e = side * nudge_size;
      nudge(e, from, increment, change);
      set_metric(nudged_, velocities_whole_);
      multiply_metric(violation_.data());
      for (int v = 0; v < nv; ++v) dr_[v] = -dr_[v];
      add_constraint_forces(m_, static_cast<const double*>(mu_.data()), metric_.rates().work().mechanism, dr_.data());
      for (int v = 0; v < nv; ++v) bend_[v] += dr_[v] / (2 * e);
      if (!averaged_) continue;
      find_average(nudged_, e);
      for (int v = 0; v < nv; ++v) average_change_[v] += average_[v] / (2 * e);
    }
  set_metric(at_, velocities_whole_);
  for (int v = 0; v < nv; ++v) x_[v] = change.mechanism.v[v] - end.mechanism.v[v];
  multiply_metric(x_.data());
  for (int v = 0; v < nv; ++v) dr_[v] -= bend_[v];
  solve_reduced(reduced_, dr_.data());
  change.mechanism.v = end.mechanism.v;
  metric_.rates().loops().add_rates(reduced_x_.data(), change.mechanism.v.data());
  for (int v = 0; v < nv; ++v) change.mechanism.v[v] += average_change_[v];
}

template class ProjectionDerivative<2>;
template class ProjectionDerivative<3>;

}  // namespace trunnion
