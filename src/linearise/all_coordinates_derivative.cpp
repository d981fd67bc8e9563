// Derivative of a step with the trapezoidal rule on all coordinates: the augmented Lagrangian treatment, and Baumgarte's without
// constraints.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>
#include <optional>

#include "linearise/projection_derivative.h"
#include "linearise/step_derivative.h"

namespace trunnion {

namespace {

template <int D>
class AllCoordinatesDerivative final : public RuleDerivative<D> {
 public:
  explicit AllCoordinatesDerivative(const std::shared_ptr<const CompiledModel>& model)
      : RuleDerivative<D>(model),
        baumgarte_(model->description.solver.constraints == ConstraintKind::baumgarte),
        motion_(model, ConstraintTreatment::stabilised, baumgarte_ ? stabilisation_of(*model) : Stabilisation{}),
        motion_state_(model->layout),
        dr_(model->layout.nv),
        x_(model->layout.nv) {
    if (!baumgarte_) projection_.emplace(model);
  }

 private:
  using Base = RuleDerivative<D>;
  using Base::after_, Base::before_, Base::change_, Base::columns, Base::columns_, Base::h_, Base::increment_, Base::increment_change,
      Base::independent_, Base::input_of, Base::m_, Base::oil_rows_, Base::require_rule, Base::result, Base::set_oil_rows, Base::size,
      Base::solve_system, Base::start_, Base::states_, Base::step_partition_, Base::system_, Base::theta_, Base::turn_,
      Base::velocity_dependent_;
  using typename Base::Column;

  /// Whether the step projects its velocities.
  bool projected() const { return projection_.has_value() && m_.rows > 0; }

  /// motion_state_: the end of the step as Newton's method leaves it, v and a of all coordinates by the rule.
  void set_motion_state() {
    motion_state_ = *after_;
    for (int v = 0; v < m_.tree.nv; ++v) {
      motion_state_.v()[v] = 2 / h_ * theta_[v] - before_->v()[v];
      motion_state_.a()[v] = 4 / (h_ * h_) * theta_[v] - 4 / h_ * before_->v()[v] - before_->a()[v];
    }
  }

  /// change_: v' and a' of all coordinates by the rule for dx1 of all (null: zero) and a column at the start (null: zero).
  void set_rule_change(const double* x_1, const Column* from) {
    const std::vector<double>& c = increment_change(x_1, from == nullptr ? nullptr : from->theta.data());
    for (int v = 0; v < m_.tree.nv; ++v) {
      change_.mechanism.theta[v] = x_1 == nullptr ? 0 : x_1[v];
      change_.mechanism.v[v] = 2 / h_ * c[v] - (from == nullptr ? 0 : from->v[v]);
      change_.mechanism.a[v] = 4 / (h_ * h_) * c[v] - (from == nullptr ? 0 : 4 / h_ * from->v[v] + from->a[v]);
    }
  }

  void differentiate(const OilRule& rule) override {
    turn_.set(theta_.data());
    set_motion_state();
    if (baumgarte_ || m_.rows == 0) {
      every_.resize(static_cast<std::size_t>(m_.tree.nv));
      std::iota(every_.begin(), every_.end(), 0);
      require_rule(every_, 0);
    }
    motion_.set_motion(motion_state_, step_partition_.data(), Side::left);
    set_oil_rows(rule, motion_state_, motion_);
    ClosedLoops<D>& loops = motion_.rates().loops();
    const int nv = m_.tree.nv, n = nv + static_cast<int>(states_->size());
    system_.resize(n, columns());
    const auto rows = [&](auto&& entry) {  // of change_, after motion_change()
      int i = 0;
      loops.project(motion_.residual_change().data(), dr_.data());
      for (; i < static_cast<int>(loops.independent().size()); ++i) entry(i) = dr_[i];
      for (int row = 0; row < m_.rows; ++row) {
        if (step_partition_[row] == 0) continue;
        if (baumgarte_) {
          const auto [rate, position] = motion_.rates().stabilisation(row);
          entry(i++) =
              motion_.acceleration_row_change(row) + rate * motion_.rate_row_change(row) + position * motion_.position_row_change(row);
        } else {
          entry(i++) = m_.holonomic[row] != 0 ? motion_.position_row_change(row) : motion_.rate_row_change(row);
        }
      }
      for (int k : *states_)
        entry(i++) = oil_rows_.end(k, change_.y.data(), change_.ydot.data(), motion_.port_change().data(), motion_.inflow_change().data());
    };
    for (int k = 0; k < n; ++k) {
      std::fill(change_.y.begin(), change_.y.end(), 0.0);
      std::fill(x_.begin(), x_.end(), 0.0);
      if (k < nv)
        x_[k] = 1;
      else
        change_.y[(*states_)[k - nv]] = 1;
      set_rule_change(x_.data(), nullptr);
      motion_.motion_change(-1, change_);
      rows([&](int i) -> double& { return system_.A(i, k); });
    }
    for (int j = 0; j < columns(); ++j) {
      const Column& from = columns_[j];
      std::fill(change_.y.begin(), change_.y.end(), 0.0);
      set_rule_change(nullptr, &from);
      motion_.motion_change(input_of(j), change_);
      rows([&](int i) -> double& { return system_.b(i, j); });
      int i = nv;
      for (int k : *states_) system_.b(i++, j) += oil_rows_.begin(k, from.y.data(), from.ydot.data(), from.s.data(), from.inflow.data());
      for (i = 0; i < n; ++i) system_.b(i, j) = -system_.b(i, j);
    }
    solve_system();
    if (projected())
      projection_->set(
          {before_, after_, &motion_state_, h_, theta_.data(), step_partition_.data(), start_.rates().work().mechanism.s.data()}, rule);
    for (int j = 0; j < columns(); ++j) {
      const double* x = system_.solution(j);
      const Column& from = columns_[j];
      std::fill(change_.y.begin(), change_.y.end(), 0.0);
      for (std::size_t k = 0; k < states_->size(); ++k) change_.y[(*states_)[k]] = x[nv + static_cast<int>(k)];
      set_rule_change(x, &from);
      if (projected()) projection_->apply(input_of(j), from, increment_, change_);
      int i = 0;
      for (int v : *independent_) result(i++, j) = x[v];
      for (int v : *independent_) result(i++, j) = change_.mechanism.v[v];
      for (int v : *velocity_dependent_) result(i++, j) = x[v];
      for (int k : *states_) result(i++, j) = change_.y[k];
    }
  }

  const bool baumgarte_;
  Reduction<D> motion_;
  std::optional<ProjectionDerivative<D>> projection_;
  StateVector motion_state_;
  std::vector<int> every_;
  std::vector<double> dr_, x_;
};

}  // namespace

std::unique_ptr<StepDerivative> make_all_coordinates_derivative(const std::shared_ptr<const CompiledModel>& model) {
  if (model->planar) return std::make_unique<AllCoordinatesDerivative<2>>(model);
  return std::make_unique<AllCoordinatesDerivative<3>>(model);
}

}  // namespace trunnion
