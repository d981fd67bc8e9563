// What the derivatives of all rules of a step share.
// SPDX-License-Identifier: BSD-3-Clause
#include "linearise/step_derivative.h"

#include <fmt/format.h>

#include <cmath>

#include "base/diagnostic.h"

namespace trunnion {

namespace {

constexpr double kRounded = 1e-14, kRoundedRate = 1e-12;  // relative to a position, to a velocity: rounding of the rule

}  // namespace

namespace step_derivative {

void refuse(double time, const char* what) {
  throw Error(
      fmt::format("step to t = {} s: {}; its derivative is that of one step of the model's solver, from a state on its "
                  "coordinates; chain the derivatives of the parts of a subdivided step",
                  time, what));
}

void singular(double time) {
  throw SimulationError(time, "the derivative of a step", "the discrete equations are singular", "a shorter step");
}

}  // namespace step_derivative

template <int D>
RuleDerivative<D>::RuleDerivative(const std::shared_ptr<const CompiledModel>& model)
    : model_(*model),
      m_(std::get<Mechanism<D>>(model->mechanism)),
      netlist_(model->hydraulics),
      start_(model),
      loops_(m_),
      place_(m_),
      oil_rows_(*model),
      turn_(m_.tree),
      change_(*model),
      theta_(model->layout.nv),
      increment_(model->layout.nv),
      partition_(model->layout.rows),
      step_partition_(model->layout.rows) {}

template <int D>
void RuleDerivative<D>::evaluate(const MinimalState& coordinates, const StateVector& before, const StateVector& after, double h,
                                 const StepOutcome& report, Eigen::MatrixXd& F, Eigen::MatrixXd& G) {
  before_ = &before;
  after_ = &after;
  h_ = h;
  coordinates.write_partition(partition_.data());
  independent_ = &coordinates.independent();
  velocity_dependent_ = &coordinates.velocity_dependent();
  states_ = &coordinates.first_order();
  differentiate_start();
  find_step_partition();
  configuration_difference(m_.tree, before.q(), after.q(), theta_.data());
  F.resize(size(), size());
  G.resize(size(), static_cast<Eigen::Index>(inputs().size()));
  F_ = &F;
  G_ = &G;
  differentiate(report.oil_rule);
}

/// Changes at the start by every state and input.
template <int D>
void RuleDerivative<D>::differentiate_start() {
  start_.set_reference(*before_, partition_.data(), Side::right);
  while (static_cast<int>(columns_.size()) < columns()) columns_.emplace_back(model_);
  for (int j = 0; j < columns(); ++j) {
    if (input_of(j) < 0)
      start_.state_change(j, false, change_);
    else
      start_.input_change(input_of(j), false, change_);
    Column& c = columns_[j];
    std::copy(change_.mechanism.theta.begin(), change_.mechanism.theta.end(), c.theta.begin());
    std::copy(change_.mechanism.v.begin(), change_.mechanism.v.end(), c.v.begin());
    std::copy(change_.mechanism.a.begin(), change_.mechanism.a.end(), c.a.begin());
    c.y = change_.y;
    c.ydot = change_.ydot;
    c.s = start_.port_change();
    c.inflow = start_.inflow_change();
  }
}

/// loops_ on the partition of the step, as the steppers find it.
template <int D>
void RuleDerivative<D>::find_step_partition() {
  if (!loops_.load_partition(before_->partition())) {
    update_positions(m_, before_->q(), static_cast<const double*>(nullptr), place_);
    if (!loops_.select_partition(place_))
      throw SimulationError(before_->time, "the derivative of a step", "the loops are in a singular configuration (dead point)",
                            "use another position");
  }
  loops_.write(step_partition_.data());
}

/// Rounding of the increment of a position over the step, [rad, m].
template <int D>
double RuleDerivative<D>::rounding_of(int v) const {
  const TreeNode<D>& n = m_.tree.nodes[m_.tree.dof_node[v]];
  return kRounded * (m_.unit(v) + (n.joint == NodeJoint::spherical ? 1 : std::abs(before_->q()[n.q])));
}

template <int D>
void RuleDerivative<D>::require_rule(const std::vector<int>& coordinates, double tolerance) {
  for (int v : coordinates) {
    const double mean = h_ / 2 * (before_->v()[v] + after_->v()[v]);
    if (!(std::abs(theta_[v] - mean) <= rounding_of(v) + kRoundedRate * std::abs(mean) + tolerance * m_.unit(v)))
      refuse_step("its positions are not those of the rule");
  }
}

template <int D>
void RuleDerivative<D>::set_oil_rows(const OilRule& rule, const StateVector& after, Reduction<D>& end) {
  const MechanismState<D>&from = start_.rates().work().mechanism, &to = end.rates().work().mechanism;
  oil_rows_.set(rule, h_, *before_, from.s.data(), from.s_dot.data(), after, to.s.data(), to.s_dot.data());
}

template class RuleDerivative<2>;
template class RuleDerivative<3>;

}  // namespace trunnion
