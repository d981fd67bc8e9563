// Impulses of prescribed motions whose rate jumps.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/motion_impulses.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "machine/augmented_lagrangian.h"
#include "signals/rate_jump.h"

namespace trunnion {

namespace {

constexpr double kConverged = 1e-13;  // relative change of the constraint forces

template <int D>
class MotionImpulsesIn final : public MotionImpulses {
 public:
  explicit MotionImpulsesIn(std::shared_ptr<const CompiledModel> model)
      : model_(std::move(model)),
        m_(std::get<Mechanism<D>>(model_->mechanism)),
        state_(m_),
        lagrangian_(m_, {.stabilisation = {0.5, 0}, .alpha = {}, .tolerance = kConverged}),  // J a + gamma + dPhi/dt = 0
        no_forces_(m_.ports.size()) {
    for (auto* x : {&r_, &a_, &a_without_}) x->resize(static_cast<std::size_t>(m_.tree.nv));
    for (auto* x : {&multipliers_, &rates_}) x->resize(static_cast<std::size_t>(m_.rows));
  }

  bool pass(StateVector& state) override {
    const double step = grid_step(model_->description);
    const auto jumps = [&](const PrescribedMotion& motion) {
      return !motion.follows_block() && rate_jumps(model_->signals, motion.signal, state.time, step);
    };
    if (std::none_of(m_.motions.begin(), m_.motions.end(), jumps)) return true;
    update_inputs(m_, signals_at(*model_, state), state.time, Side::right, state_);
    update_positions(m_, state.q(), static_cast<const double*>(nullptr), state_);
    constraint_rates(m_, state.v(), state_);
    rates_ = state_.Phi_dot;
    std::fill(state_.Phi_dot.begin(), state_.Phi_dot.end(), 0.0);
    for (auto* x : {&a_, &multipliers_}) std::fill(x->begin(), x->end(), 0.0);
    if (!accelerate(state)) return false;
    a_without_ = a_;
    for (const ConstraintGroup<D>& g : m_.constraints)
      if (const auto row = static_cast<std::size_t>(g.rows.begin); g.motion >= 0 && jumps(m_.motions[static_cast<std::size_t>(g.motion)]))
        state_.Phi_dot[row] = rates_[row];
    if (!accelerate(state)) return false;
    for (std::size_t v = 0; v < a_.size(); ++v) state.v()[v] += a_[v] - a_without_[v];
    return true;
  }

 private:
  /// a_ for the rates dPhi/dt in state_.
  bool accelerate(const StateVector& state) {
    update_rates(m_, state.v(), a_.data(), state_);
    inverse_dynamics(m_, state.q(), state.v(), true, state_, r_.data());
    return lagrangian_.solve(state.q(), state.v(), no_forces_.data(), a_.data(), multipliers_.data(), state_, r_.data()) !=
           AugmentedLagrangianStatus::singular;
  }

  const std::shared_ptr<const CompiledModel> model_;
  const Mechanism<D>& m_;
  MechanismState<D> state_;
  AugmentedLagrangian<D> lagrangian_;
  std::vector<double> no_forces_, r_, a_, a_without_, multipliers_, rates_;
};

}  // namespace

std::unique_ptr<MotionImpulses> make_motion_impulses(const std::shared_ptr<const CompiledModel>& model) {
  return std::visit(
      [&]<int D>(const Mechanism<D>& m) -> std::unique_ptr<MotionImpulses> {
        const bool over_time =
            std::any_of(m.motions.begin(), m.motions.end(), [](const PrescribedMotion& motion) { return !motion.follows_block(); });
        if (!over_time) return nullptr;
        return std::make_unique<MotionImpulsesIn<D>>(model);
      },
      model->mechanism);
}

}  // namespace trunnion
