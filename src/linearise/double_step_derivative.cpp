// Derivative of a double-step with the trapezoidal rule: the rule in the independent coordinates, and changes by the chain rule of the
// loops.
// SPDX-License-Identifier: BSD-3-Clause
#include "linearise/step_derivative.h"

namespace trunnion {

namespace {

template <int D>
class DoubleStepDerivative final : public RuleDerivative<D> {
 public:
  explicit DoubleStepDerivative(const std::shared_ptr<const CompiledModel>& model) : RuleDerivative<D>(model), end_(model) {}

 private:
  using Base = RuleDerivative<D>;
  using Base::after_, Base::change_, Base::columns, Base::columns_, Base::h_, Base::increment_change, Base::input_of, Base::loops_,
      Base::model_, Base::oil_rows_, Base::partition_, Base::require_rule, Base::result, Base::set_oil_rows, Base::size, Base::solve_system,
      Base::states_, Base::system_, Base::theta_, Base::turn_;
  using typename Base::Column;

  void differentiate(const OilRule& rule) override {
    require_rule(loops_.independent(), 0);
    require_rule(loops_.velocity_dependent(), model_.description.solver.tolerance_position);
    turn_.set(theta_.data());
    end_.set_reference(*after_, partition_.data(), Side::left);
    set_oil_rows(rule, *after_, end_);
    const int n = size();
    system_.resize(n, columns());
    // sign -1 for the right side
    const auto add_end = [&](auto&& entry) {
      const double* x_1 = change_.mechanism.theta.data();
      const std::vector<double>& c = increment_change(x_1, nullptr);
      int i = 0;
      for (int v : loops_.independent()) entry(i++) += c[v] - h_ / 2 * change_.mechanism.v[v];
      for (int v : loops_.independent()) entry(i++) += change_.mechanism.v[v] - h_ / 2 * change_.mechanism.a[v];
      for (int v : loops_.velocity_dependent()) entry(i++) += c[v] - h_ / 2 * change_.mechanism.v[v];
      for (int k : *states_)
        entry(i++) += oil_rows_.end(k, change_.y.data(), change_.ydot.data(), end_.port_change().data(), end_.inflow_change().data());
    };
    for (int k = 0; k < n; ++k) {
      for (int i = 0; i < n; ++i) system_.A(i, k) = 0;
      end_.state_change(k, false, change_);
      add_end([&](int i) -> double& { return system_.A(i, k); });
    }
    for (int j = 0; j < columns(); ++j) {
      for (int i = 0; i < n; ++i) system_.b(i, j) = 0;
      if (input_of(j) >= 0) {
        end_.input_change(input_of(j), false, change_);
        add_end([&](int i) -> double& { return system_.b(i, j); });
      }
      const Column& from = columns_[j];
      const std::vector<double>& c = increment_change(nullptr, from.theta.data());
      int i = 0;
      for (int v : loops_.independent()) system_.b(i++, j) += c[v] - h_ / 2 * from.v[v];
      for (int v : loops_.independent()) system_.b(i++, j) += -from.v[v] - h_ / 2 * from.a[v];
      for (int v : loops_.velocity_dependent()) system_.b(i++, j) += c[v] - h_ / 2 * from.v[v];
      for (int k : *states_) system_.b(i++, j) += oil_rows_.begin(k, from.y.data(), from.ydot.data(), from.s.data(), from.inflow.data());
      for (i = 0; i < n; ++i) system_.b(i, j) = -system_.b(i, j);
    }
    solve_system();
    for (int j = 0; j < columns(); ++j)
      for (int i = 0; i < n; ++i) result(i, j) = system_.solution(j)[i];
  }

  Reduction<D> end_;
};

}  // namespace

std::unique_ptr<StepDerivative> make_double_step_derivative(const std::shared_ptr<const CompiledModel>& model) {
  if (model->planar) return std::make_unique<DoubleStepDerivative<2>>(model);
  return std::make_unique<DoubleStepDerivative<3>>(model);
}

}  // namespace trunnion
