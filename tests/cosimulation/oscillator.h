// Masses coupled by springs, split at the springs: a mechanism of n masses (coupled inertia, one port each) and n "oils",
// each a mass behind a spring and damper. Small enough for a monolithic solution, and every scheme can be verified by hand.
//   mechanism   M w' = F - K s + P(t),  s' = w              outputs s, w, w'
//   oil i       m v' = -F_i - k_0 x, x' = v                 output F_i = -k (s_i - x) - c (w_i - v)
// Both sides integrate with many Runge-Kutta steps, so that the remaining error is that of the coupling.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "cosimulation/cosimulation.h"

namespace trunnion::test {

struct Oscillator {
  int ports = 1;
  double c = 0;            // [N s/m] damper between: direct feedthrough from the rate
  int substeps = 40;       // relative to a communication step
  bool still = false;      // at the start
  double fail_at = 1e300;  // [s] the first oil fails

  static constexpr double k = 60, k_0 = 25, m = 1.5;
  static double M(int i, int j) { return i == j ? 2.0 + i : 0.5; }
  static double K(int i) { return 8.0 + 3 * i; }
  /// Accelerates the first mass so slowly that the first steps, with low-order polynomials, are negligible.
  static double load(int i, double t) { return i == 0 ? 40 * std::pow(1 - std::cos(2.5 * t), 2) : 0; }
  /// M w' for given forces of the oils.
  static double pull(int j, double t, double F, double s) { return F - K(j) * s + load(j, t); }
  /// W = M^-1 for one and two ports.
  double W(int i, int j) const {
    if (ports == 1) return 1 / M(0, 0);
    const double det = M(0, 0) * M(1, 1) - M(0, 1) * M(1, 0);
    return (i == j ? M(1 - i, 1 - i) : -M(0, 1)) / det;
  }
  double force(double s, double w, double x, double v) const { return -k * (s - x) - c * (w - v); }

  StateLayout layout() const { return {ports, ports, 2 * ports, 0, CouplingMemory(ports, false).size()}; }
  StateVector start() const {
    StateVector state(layout());
    for (int i = 0; i < ports; ++i) {
      state.q()[i] = still ? 0 : 0.3 - 0.1 * i;
      state.v()[i] = still ? 0 : -0.4;
      state.y()[2 * i] = still ? 0 : 0.1;
      state.y()[2 * i + 1] = still ? 0 : 0.7 + 0.2 * i;
    }
    accelerate(state);
    return state;
  }
  void accelerate(StateVector& state) const {
    for (int i = 0; i < ports; ++i) {
      state.a()[i] = 0;
      for (int j = 0; j < ports; ++j)
        state.a()[i] +=
            W(i, j) * pull(j, state.time, force(state.q()[j], state.v()[j], state.y()[2 * j], state.y()[2 * j + 1]), state.q()[j]);
    }
  }
};

/// One Runge-Kutta step of z' = f(t, z).
template <class F>
void runge_kutta(double t, double h, std::vector<double>& z, const F& f) {
  const std::size_t n = z.size();
  std::array<double, 16> k{}, sum{}, at{};
  const double share[] = {1, 2, 2, 1}, offset[] = {0, 0.5, 0.5, 1};
  for (int stage = 0; stage < 4; ++stage) {
    for (std::size_t i = 0; i < n; ++i) at[i] = z[i] + offset[stage] * h * k[i];
    f(t + offset[stage] * h, at.data(), k.data());
    for (std::size_t i = 0; i < n; ++i) sum[i] += share[stage] * k[i];
  }
  for (std::size_t i = 0; i < n; ++i) z[i] += h / 6 * sum[i];
}

/// All masses at once.
inline void solve_as_one(const Oscillator& o, StateVector& state, double h, int steps) {
  const int n = o.ports;
  std::vector<double> z(4 * static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i)
    z[4 * i] = state.q()[i], z[4 * i + 1] = state.v()[i], z[4 * i + 2] = state.y()[2 * i], z[4 * i + 3] = state.y()[2 * i + 1];
  for (int step = 0; step < steps; ++step)
    runge_kutta(state.time + step * h / steps, h / steps, z, [&](double t, const double* at, double* rate) {
      for (int i = 0; i < n; ++i) {
        const double* p = at + 4 * i;
        const double F = o.force(p[0], p[1], p[2], p[3]);
        rate[4 * i] = p[1];
        rate[4 * i + 1] = 0;
        for (int j = 0; j < n; ++j) {
          const double* r = at + 4 * j;
          rate[4 * i + 1] += o.W(i, j) * Oscillator::pull(j, t, o.force(r[0], r[1], r[2], r[3]), r[0]);
        }
        rate[4 * i + 2] = p[3];
        rate[4 * i + 3] = (-F - Oscillator::k_0 * p[2]) / Oscillator::m;
      }
    });
  for (int i = 0; i < n; ++i)
    state.q()[i] = z[4 * i], state.v()[i] = z[4 * i + 1], state.y()[2 * i] = z[4 * i + 2], state.y()[2 * i + 1] = z[4 * i + 3];
  state.time += h;
}

class OscillatorMechanism final : public MechanismSubsystem {
 public:
  explicit OscillatorMechanism(const Oscillator& o) : o_(o), courses_(o.ports), z_(2 * static_cast<std::size_t>(o.ports)), a_(o.ports) {}
  void restore(const StateVector& machine) override {
    time_ = machine.time;
    for (int i = 0; i < o_.ports; ++i) z_[2 * i] = machine.q()[i], z_[2 * i + 1] = machine.v()[i], a_[i] = machine.a()[i];
  }
  void save(StateVector& machine) const override {
    for (int i = 0; i < o_.ports; ++i) machine.q()[i] = z_[2 * i], machine.v()[i] = z_[2 * i + 1], machine.a()[i] = a_[i];
  }
  void set_inputs(const TimePolynomial* courses) override { std::copy_n(courses, courses_.size(), courses_.begin()); }
  StepOutcome do_step(double h) override {
    for (int k = 0; k < o_.substeps; ++k)
      runge_kutta(time_ + k * h / o_.substeps, h / o_.substeps, z_, [this](double t, const double* z, double* rate) {
        for (int i = 0; i < o_.ports; ++i) rate[2 * i] = z[2 * i + 1], rate[2 * i + 1] = acceleration(i, t, z);
      });
    time_ += h;
    return {.status = restart() ? StepStatus::converged : StepStatus::singular, .iterations = 1};
  }
  void get_outputs(double* values) const override {
    for (int i = 0; i < o_.ports; ++i) *values++ = z_[2 * i], *values++ = z_[2 * i + 1], *values++ = a_[i];
  }
  bool restart() override {
    for (int i = 0; i < o_.ports; ++i) a_[i] = acceleration(i, time_, z_.data());
    return true;
  }
  bool interface_model(double* W, double* b) override {
    for (int i = 0; i < o_.ports; ++i) {
      b[i] = 0;
      for (int j = 0; j < o_.ports; ++j) {
        W[o_.ports * i + j] = o_.W(i, j);
        b[i] += o_.W(i, j) * Oscillator::pull(j, time_, 0, z_[2 * j]);
      }
    }
    return true;
  }
  void port_forces(double* F) override {
    for (int i = 0; i < o_.ports; ++i) F[i] = courses_[i].value(time_);
  }
  void set_linear_oil(const LinearOil*) override {}

 private:
  double acceleration(int i, double t, const double* z) const {
    double a = 0;
    for (int j = 0; j < o_.ports; ++j) a += o_.W(i, j) * Oscillator::pull(j, t, courses_[j].value(t), z[2 * j]);
    return a;
  }
  const Oscillator o_;
  std::vector<TimePolynomial> courses_;
  double time_ = 0;
  std::vector<double> z_, a_;
};

/// A subset of the oils.
class OscillatorOil final : public HydraulicSubsystem {
 public:
  OscillatorOil(const Oscillator& o, std::vector<int> ports)
      : o_(o), ports_(std::move(ports)), courses_(2 * ports_.size()), z_(kStates * ports_.size()), end_rate_(ports_.size()) {
    for (auto* list : {&impulse_, &moment_, &displacement_}) list->resize(ports_.size());
  }
  const std::vector<int>& ports() const override { return ports_; }
  void restore(const StateVector& machine) override {
    time_ = machine.time;
    for (std::size_t i = 0; i < ports_.size(); ++i)
      for (int k = 0; k < 2; ++k) z_[kStates * i + k] = machine.y()[2 * ports_[i] + k];
  }
  void save(StateVector& machine) const override {
    for (std::size_t i = 0; i < ports_.size(); ++i)
      for (int k = 0; k < 2; ++k) machine.y()[2 * ports_[i] + k] = z_[kStates * i + k];
  }
  void set_inputs(const TimePolynomial* courses) override { std::copy_n(courses, courses_.size(), courses_.begin()); }
  void set_interface_model(const InterfaceModel* model) override {
    model_ = model;
    if (model == nullptr) return;
    for (std::size_t i = 0; i < ports_.size(); ++i) z_[kStates * i + 5] = model->s[i], z_[kStates * i + 6] = model->w[i];
  }
  /// Per port x, v, impulse, moment of impulse, displacement, and length and rate of the model.
  StepOutcome do_step(double h) override {
    if (time_ + h > o_.fail_at) return {.status = StepStatus::unstable};
    for (std::size_t i = 0; i < ports_.size(); ++i)
      for (int k = 2; k < 5; ++k) z_[kStates * i + k] = 0;
    const double begin = time_;
    for (int k = 0; k < o_.substeps; ++k)
      runge_kutta(begin + k * h / o_.substeps, h / o_.substeps, z_, [&](double t, const double* z, double* rate) {
        std::array<double, 2> F{};
        for (std::size_t i = 0; i < ports_.size(); ++i) {
          const double* p = z + kStates * i;
          F[i] = o_.force(length(i, t, p), rate_of(i, t, p), p[0], p[1]);
          double* r = rate + kStates * i;
          r[0] = p[1];
          r[1] = (-F[i] - Oscillator::k_0 * p[0]) / Oscillator::m;
          r[2] = F[i];
          r[3] = F[i] * (t - begin);
          r[4] = rate_of(i, t, p) + (model_ != nullptr ? model_->rate_offset[i] : 0);
          r[5] = p[6];
          r[6] = 0;
        }
        if (model_ == nullptr) return;
        const auto n = static_cast<int>(ports_.size());
        for (int i = 0; i < n; ++i) {
          rate[kStates * i + 6] = model_->b[i] + model_->b_rate[i] * (t - begin);
          for (int j = 0; j < n; ++j) rate[kStates * i + 6] += (model_->W[n * i + j] + model_->W_rate[n * i + j] * (t - begin)) * F[j];
        }
      });
    time_ += h;
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      const double* p = z_.data() + kStates * i;
      impulse_[i] = p[2], moment_[i] = p[3], displacement_[i] = p[4];
      end_rate_[i] = rate_of(i, time_, p);
    }
    return {};
  }
  void get_outputs(double* values) const override {
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      const double* p = z_.data() + kStates * i;
      *values++ = o_.force(length(i, time_, p), rate_of(i, time_, p), p[0], p[1]);
    }
  }
  bool restart() override { return true; }
  const double* impulse() const override { return impulse_.data(); }
  const double* impulse_moment() const override { return moment_.data(); }
  const double* displacement() const override { return displacement_.data(); }
  const double* rate() const override { return end_rate_.data(); }
  void linearise(double, LinearOil&) override {}

 private:
  static constexpr std::size_t kStates = 7;
  double length(std::size_t i, double t, const double* p) const { return model_ != nullptr ? p[5] : courses_[2 * i].value(t); }
  double rate_of(std::size_t i, double t, const double* p) const { return model_ != nullptr ? p[6] : courses_[2 * i + 1].value(t); }

  const Oscillator o_;
  const std::vector<int> ports_;
  std::vector<TimePolynomial> courses_;
  const InterfaceModel* model_ = nullptr;
  double time_ = 0;
  std::vector<double> z_, impulse_, moment_, displacement_, end_rate_;
};

/// `together`: the oils form one subsystem.
inline std::unique_ptr<Cosimulation> make_oscillator(const Oscillator& o, const CosimulationDescription& settings, double step) {
  CouplingPlan plan;
  plan.settings = settings;
  plan.settings.variables = CouplingVariables::velocity_force;
  plan.step = step;
  for (int i = 0; i < o.ports; ++i) plan.ports.push_back({"port" + std::to_string(i), 1e-4, 1e-4});
  const bool together = settings.scheme == CouplingScheme::sequential || settings.prediction == CouplingPrediction::interface_model;
  std::vector<std::unique_ptr<HydraulicSubsystem>> oils;
  if (together) {
    std::vector<int> all(o.ports);
    std::iota(all.begin(), all.end(), 0);
    oils.push_back(std::make_unique<OscillatorOil>(o, all));
  } else {
    for (int i = 0; i < o.ports; ++i) oils.push_back(std::make_unique<OscillatorOil>(o, std::vector{i}));
  }
  return std::make_unique<Cosimulation>(plan, std::make_unique<OscillatorMechanism>(o), std::move(oils));
}

}  // namespace trunnion::test
