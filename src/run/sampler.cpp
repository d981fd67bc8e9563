// Samples of control blocks.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/sampler.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "machine/evaluate.h"

namespace trunnion {

namespace {

/// Of blocks in the order of dependence that whose value, or else whose states or rates, are not finite; -1: none.
[[gnu::cold]] int first_not_finite(const std::vector<ControlBlock>& blocks, const std::vector<double>& y,
                                   const std::vector<double>& rates) {
  const auto wrong = [&](const std::vector<double>& numbers, int begin, int count) {
    return std::any_of(numbers.begin() + begin, numbers.begin() + begin + count, [](double number) { return !std::isfinite(number); });
  };
  for (const bool values : {true, false})
    for (std::size_t i = 0; i < blocks.size(); ++i)
      if (const int at = blocks[i].output, n = blocks[i].states();
          values ? wrong(y, at, 1) : wrong(y, at + 1, n) || wrong(rates, at + 1, n))
        return static_cast<int>(i);
  return -1;
}

template <int D>
class SamplerOf final : public Sampler {
 public:
  explicit SamplerOf(std::shared_ptr<const CompiledModel> model)
      : model_(std::move(model)),
        m_(std::get<Mechanism<D>>(model_->mechanism)),
        work_(*model_),
        y_(static_cast<std::size_t>(model_->layout.ny)),
        excess_(model_->hydraulics.control.size()) {
    for (const ControlBlock& block : model_->hydraulics.control) has_modes_ = has_modes_ || (!block.sampled() && block.law->modes() > 0);
  }

  bool due(double near, const StateVector& state) override {
    const Hydraulics& netlist = model_->hydraulics;
    if (sample_due(netlist, state.y(), state.time, near)) return true;
    if (!has_modes_) return false;
    load(state, Side::right);
    return modes_stale(netlist, work_.mechanism.s.data(), work_.mechanism.s_dot.data(), y_.data(), work_.hydraulics);
  }

  bool has_modes() const override { return has_modes_; }

  bool find_margins(const StateVector& state, Side side, double* margins) override {
    load(state, side);
    return trunnion::find_margins(model_->hydraulics, work_.mechanism.s.data(), work_.mechanism.s_dot.data(), y_.data(), work_.hydraulics,
                                  excess_.data(), margins);
  }

  int sample(double near, StateVector& state) override {
    load(state, Side::right);
    const MechanismState<D>& mech = work_.mechanism;
    const int failed = sample_blocks(model_->hydraulics, mech.s.data(), mech.s_dot.data(), state.time, near, y_.data(), work_.hydraulics);
    if (failed < 0) std::copy(y_.begin(), y_.end(), state.y());
    return failed;
  }

  [[gnu::cold]] int not_finite(StateVector state, double ahead) override {
    const std::vector<double> q(state.q(), state.q() + model_->layout.nq);
    std::vector<double> increment(static_cast<std::size_t>(model_->layout.nv));
    for (int v = 0; v < model_->layout.nv; ++v) increment[static_cast<std::size_t>(v)] = ahead * state.v()[v];
    advance_configuration(m_.tree, q.data(), increment.data(), state.q());
    state.time += ahead;
    load(state, Side::left);
    std::vector<double> rates(y_.size());
    evaluate_blocks(model_->hydraulics, work_.mechanism.s.data(), work_.mechanism.s_dot.data(), y_.data(), rates.data(), work_.hydraulics);
    return first_not_finite(model_->hydraulics.control, y_, rates);
  }

 private:
  void load(const StateVector& state, Side side) {
    MechanismState<D>& mech = work_.mechanism;
    HydraulicState& oil = work_.hydraulics;
    update_inputs(*model_, signals_at(*model_, state), state.time, side, work_);
    update_positions(m_, state.q(), static_cast<const double*>(nullptr), mech);
    update_rates(m_, state.v(), state.a(), mech);
    for (const Volume& volume : model_->hydraulics.volumes)
      oil.pressure[volume.node] = state.y()[model_->hydraulics.nodes[volume.node].state];
    std::copy_n(state.y(), y_.size(), y_.begin());
  }

  std::shared_ptr<const CompiledModel> model_;
  const Mechanism<D>& m_;
  MachineState<D> work_;
  std::vector<double> y_, excess_;  // excess_: per block
  bool has_modes_ = false;          // of continuous blocks
};

}  // namespace

[[gnu::cold]] std::unique_ptr<Sampler> make_sampler(const std::shared_ptr<const CompiledModel>& model) {
  const auto& blocks = model->hydraulics.control;
  if (std::none_of(blocks.begin(), blocks.end(), [](const ControlBlock& b) { return b.sampled() || b.law->modes() > 0; })) return nullptr;
  return make_any_sampler(model);
}

[[gnu::cold]] std::unique_ptr<Sampler> make_any_sampler(const std::shared_ptr<const CompiledModel>& model) {
  if (model->planar) return std::make_unique<SamplerOf<2>>(model);
  return std::make_unique<SamplerOf<3>>(model);
}

[[gnu::cold]] SimulationError not_finite_block(const CompiledModel& model, const ControlBlock& block, double t, const char* when) {
  return {t, block_path(model.description, block.name), std::string("its value ") + when + " is not a finite number",
          "an expression that is finite there, without divisions by 0, roots and logarithms of negative numbers"};
}

}  // namespace trunnion
