// Derivative of an explicit step: the chain rule over its stages.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <optional>

#include "base/lu.h"
#include "base/runge_kutta.h"
#include "linearise/step_derivative.h"
#include "solve/explicit_step.h"

namespace trunnion {

namespace {

constexpr double kSameStep = 1e-9;  // relative: a state that the same step gives again

template <int D>
class ExplicitDerivative final : public RuleDerivative<D> {
 public:
  explicit ExplicitDerivative(const std::shared_ptr<const CompiledModel>& model)
      : RuleDerivative<D>(model),
        closed_(model->description.solver.constraints == ConstraintKind::double_step),
        end_(model),
        stepper_(model),
        stages_(model->description.solver.integrator == IntegratorKind::rk4 ? 4 : 1, StateVector(model->layout)),
        motion_state_(model->layout),
        chart_(model->layout.nv),
        x_(model->layout.nv) {
    if (!closed_) motion_.emplace(model, ConstraintTreatment::stabilised, stabilisation_of(*model));
  }

 private:
  using Base = RuleDerivative<D>;
  using Base::after_, Base::before_, Base::change_, Base::columns, Base::columns_, Base::h_, Base::increment_, Base::increment_change,
      Base::independent_, Base::input_of, Base::loops_, Base::m_, Base::model_, Base::netlist_, Base::refuse_step, Base::result, Base::size,
      Base::solve_failed, Base::solve_system, Base::states_, Base::step_partition_, Base::system_, Base::theta_, Base::turn_,
      Base::velocity_dependent_;
  using typename Base::Column;

  bool is_closed() const { return closed_; }
  /// Where the derivatives of the rates in a stage are taken.
  Reduction<D>& stage() { return is_closed() ? end_ : *motion_; }

  /// The stage at `at`.
  void set_stage(const StateVector& at) {
    stage().set_reference(at, step_partition_.data(), Side::left);
    configuration_difference(m_.tree, before_->q(), at.q(), theta_.data());
    turn_.set(theta_.data());
    if (!is_closed() || !turn_.has_spherical_joints()) return;
    // change of the increments of free positions by those of the tangent space
    const std::vector<int>& free = end_.rates().loops().admissible();
    const std::size_t n = free.size();
    chart_matrix_.resize(n * n);
    chart_pivot_.resize(n);
    for (std::size_t k = 0; k < n; ++k) {
      std::fill(chart_.begin(), chart_.end(), 0.0);
      std::fill(x_.begin(), x_.end(), 0.0);
      chart_[k] = 1;
      end_.rates().loops().add_increment(chart_.data(), x_.data());
      const std::vector<double>& c = increment_change(x_.data(), nullptr);
      for (std::size_t i = 0; i < n; ++i) chart_matrix_[i * n + k] = c[free[i]];
    }
    if (!lu_factor(chart_matrix_.data(), static_cast<int>(n), chart_pivot_.data())) solve_failed();
  }

  /// change_: positions and velocities of the stage for changes `along` times `slope` since the start; dtheta of the step in x_.
  void place_change(const Column& from, int input, double along, const typename Column::Slope& slope) {
    const int nv = m_.tree.nv;
    for (int v = 0; v < nv; ++v) {
      x_[v] = along * slope.theta[v];
      change_.mechanism.v[v] = from.v[v] + along * slope.v[v];
    }
    std::vector<double>& moved = change_.mechanism.theta;
    if (!is_closed()) {
      turn_.end_change(x_.data(), from.theta.data(), moved.data());
      return;
    }
    const std::vector<int>& free = end_.rates().loops().admissible();
    std::fill(moved.begin(), moved.end(), 0.0);
    if (input >= 0) end_.add_input_positions(input, moved.data());
    const std::vector<double>& c = increment_change(moved.data(), from.theta.data());
    for (std::size_t k = 0; k < free.size(); ++k) chart_[k] = x_[free[k]] - c[free[k]];
    if (turn_.has_spherical_joints()) lu_solve(chart_matrix_.data(), static_cast<int>(free.size()), chart_pivot_.data(), chart_.data());
    end_.rates().loops().add_increment(chart_.data(), moved.data());
    increment_change(moved.data(), from.theta.data());
    std::copy(increment_.begin(), increment_.end(), x_.begin());
  }

  void set_state_change(const Column& from, double along, const std::vector<double>& slope) {
    for (int i = 0; i < netlist_.ny; ++i) change_.y[i] = from.y[i] + along * slope[i];
  }

  /// Reads the column of F or G from positions and velocities in change_ and y of the first-order states.
  void write_column(int j, const std::vector<double>& y) {
    int i = 0;
    for (int v : *independent_) result(i++, j) = change_.mechanism.theta[v];
    for (int v : *independent_) result(i++, j) = change_.mechanism.v[v];
    for (int v : *velocity_dependent_) result(i++, j) = change_.mechanism.theta[v];
    for (int k : *states_) result(i++, j) = y[k];
  }

  void differentiate(const OilRule&) override {
    const IntegratorKind integrator = model_.description.solver.integrator;
    stepper_.record_stages(&stages_);
    motion_state_ = *before_;
    const StepOutcome report = stepper_.step(motion_state_, h_);
    if (!report.ok()) refuse_step("the step cannot be repeated");
    const auto same = [&](const double* x, const double* y, int n) {
      for (int i = 0; i < n; ++i)
        if (!(std::abs(x[i] - y[i]) <= kSameStep * (1 + std::abs(y[i])))) refuse_step("it is not that of the rule");
    };
    same(motion_state_.q(), after_->q(), model_.layout.nq);
    same(motion_state_.v(), after_->v(), model_.layout.nv);
    same(motion_state_.y(), after_->y(), model_.layout.ny);
    for (Column& c : columns_) {
      c.slope.theta = c.v;
      c.slope.v = c.a;
      c.slope.y = c.ydot;
    }
    if (integrator == IntegratorKind::semi_implicit_euler) {
      semi_implicit_euler();
      return;
    }
    if (is_closed()) require_first_stage(integrator == IntegratorKind::rk4 ? h_ / 2 : h_);
    if (integrator == IntegratorKind::rk4) runge_kutta();
    set_stage(*after_);
    for (int j = 0; j < columns(); ++j) {
      const Column& c = columns_[j];
      place_change(c, input_of(j), h_, c.slope);
      set_state_change(c, h_, c.slope.y);
      y_ = change_.y;
      if (is_closed()) end_.rates_change(input_of(j), change_);
      write_column(j, y_);
    }
  }

  /// The partition of the step is that of its start.
  void require_first_stage(double h) {
    configuration_difference(m_.tree, before_->q(), stages_.front().q(), theta_.data());
    for (int v : loops_.independent())
      if (!(std::abs(theta_[v] - h * before_->v()[v]) <= kSameStep * (m_.unit(v) + std::abs(theta_[v]))))
        refuse_step("it changed its independent coordinates");
  }

  /// slope of every column: the weighted sum of those of the stages.
  void runge_kutta() {
    const auto add_to = [](double weight, const std::vector<double>& x, std::vector<double>& sum) {
      for (std::size_t i = 0; i < x.size(); ++i) sum[i] += weight * x[i];
    };
    for (Column& c : columns_)
      for (auto* x : {&c.sum.theta, &c.sum.v, &c.sum.y}) std::fill(x->begin(), x->end(), 0.0);
    const auto add = [&](double weight) {
      for (Column& c : columns_) {
        add_to(weight, c.slope.theta, c.sum.theta);
        add_to(weight, c.slope.v, c.sum.v);
        add_to(weight, c.slope.y, c.sum.y);
      }
    };
    std::size_t i = 0;
    classical_runge_kutta(add, [&](double time) {
      set_stage(stages_[i++]);
      for (int j = 0; j < columns(); ++j) {
        Column& c = columns_[j];
        place_change(c, input_of(j), time * h_, c.slope);
        set_state_change(c, time * h_, c.slope.y);
        stage().rates_change(input_of(j), change_);
        turn_.rate_change(stage().reference().v(), x_.data(), change_.mechanism.v.data(), c.slope.theta.data());
        c.slope.v = change_.mechanism.a;
        c.slope.y = change_.ydot;
      }
      return true;
    });
    for (Column& c : columns_) std::swap(c.slope, c.sum);
  }

  /// theta = h v_1, y_1 = y_0 + h ydot(theta, v_1, y_0); p of quasistatic circuits by implicit Euler at the end.
  void semi_implicit_euler() {
    if (is_closed()) {
      configuration_difference(m_.tree, before_->q(), after_->q(), theta_.data());
      for (int v : loops_.independent())
        if (!(std::abs(theta_[v] - h_ * after_->v()[v]) <= kSameStep * (m_.unit(v) + std::abs(theta_[v]))))
          refuse_step("it changed its independent coordinates");
    }
    for (Column& c : columns_)
      for (int v = 0; v < m_.tree.nv; ++v) c.slope.theta[v] = c.v[v] + h_ * c.a[v];
    StateVector& between = motion_state_;
    between = *after_;
    std::copy_n(before_->y(), netlist_.ny, between.y());
    set_stage(between);
    for (int j = 0; j < columns(); ++j) {
      Column& c = columns_[j];
      place_change(c, input_of(j), h_, c.slope);
      change_.y = c.y;
      stage().rates_change(input_of(j), change_);
      for (int i = 0; i < netlist_.ny; ++i) c.sum.y[i] = c.y[i] + h_ * change_.ydot[i];
      write_column(j, c.sum.y);
    }
    if (!netlist_.quasistatic.empty()) implicit_pistons();
  }

  /// (1 - h dp_dot/dp) p' = p_0' + h p_dot' by all others.
  void implicit_pistons() {
    pistons_.clear();
    for (const QuasistaticCircuit& q : netlist_.quasistatic)
      for (const QuasistaticPort& port : q.ports) pistons_.push_back(port.state);
    const int n = static_cast<int>(pistons_.size());
    set_stage(*after_);
    system_.resize(n, columns());
    for (int k = 0; k < n; ++k) {
      for (auto* x : {&change_.mechanism.theta, &change_.mechanism.v, &change_.y}) std::fill(x->begin(), x->end(), 0.0);
      change_.y[pistons_[k]] = 1;
      stage().rates_change(-1, change_);
      for (int i = 0; i < n; ++i) system_.A(i, k) = (i == k ? 1 : 0) - h_ * change_.ydot[pistons_[i]];
    }
    for (int j = 0; j < columns(); ++j) {
      Column& c = columns_[j];
      place_change(c, input_of(j), h_, c.slope);
      change_.y = c.sum.y;
      for (int i : pistons_) change_.y[i] = 0;
      stage().rates_change(input_of(j), change_);
      for (int i = 0; i < n; ++i) system_.b(i, j) = c.y[pistons_[i]] + h_ * change_.ydot[pistons_[i]];
    }
    solve_system();
    const int first = size() - static_cast<int>(states_->size());
    for (int j = 0; j < columns(); ++j)
      for (int i = 0; i < n; ++i) {
        const auto at = std::find(states_->begin(), states_->end(), pistons_[i]) - states_->begin();
        result(first + static_cast<int>(at), j) = system_.solution(j)[i];
      }
  }

  const bool closed_;
  Reduction<D> end_;
  std::optional<Reduction<D>> motion_;
  ExplicitStep<D> stepper_;
  std::vector<StateVector> stages_;
  StateVector motion_state_;
  std::vector<double> chart_, chart_matrix_, x_, y_;
  std::vector<int> chart_pivot_, pistons_;
};

}  // namespace

std::unique_ptr<StepDerivative> make_explicit_derivative(const std::shared_ptr<const CompiledModel>& model) {
  if (model->planar) return std::make_unique<ExplicitDerivative<2>>(model);
  return std::make_unique<ExplicitDerivative<3>>(model);
}

}  // namespace trunnion
