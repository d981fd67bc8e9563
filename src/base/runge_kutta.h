// Coefficients of Runge-Kutta methods, for mechanism and hydraulics alike.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>

namespace trunnion {

/// The classical explicit method of order 4:  x_1 = x_0 + h sum_i weight_i k_i,   k_i the rate at x_0 + time_i h k_(i-1).
struct ClassicalRungeKutta {
  static constexpr std::array<double, 4> kWeight{1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  static constexpr std::array<double, 3> kTime{0.5, 0.5, 1};  // of the second stage and on
};

/// Its stages. add(weight): the present rate k contributes to the sum; stage(time): k at the start plus time h k, false: out of range.
template <class Add, class Stage>
bool classical_runge_kutta(Add&& add, Stage&& stage) {
  for (std::size_t i = 0;; ++i) {
    add(ClassicalRungeKutta::kWeight[i]);
    if (i == ClassicalRungeKutta::kTime.size()) return true;
    if (!stage(ClassicalRungeKutta::kTime[i])) return false;
  }
}

/// A diagonally implicit method whose first stage is the start of the step and whose last one is its end (ESDIRK, stiffly accurate):
///   x_s = x_0 + h sum_j<s a_sj x_dot_j + h gamma x_dot_s        s = 1 ... kStages;  x_dot_0 at the start
/// so that  x_dot_s = (x_s - x_0)/(h gamma) - sum_j<s w_sj x_dot_j,   w_sj = a_sj/gamma.
/// ESDIRK3(2)4L[2]SA, the implicit part of ARK3(2)4L[2]SA: order 3, stage order 2, L-stable.
/// Source: Kennedy, Carpenter 2003, Additive Runge-Kutta schemes for convection-diffusion-reaction equations, appendix.
struct Esdirk3 {
  static constexpr int kStages = 3;
  static constexpr double kGamma = 1767732205903.0 / 4055673282236.0;
  /// End of a stage, of the step.
  static constexpr std::array<double, kStages + 1> kTime{0, 2 * kGamma, 3.0 / 5, 1};
  /// a_sj for j < s.
  static constexpr std::array<std::array<double, kStages>, kStages + 1> kA{{
      {0, 0, 0},
      {kGamma, 0, 0},
      {2746238789719.0 / 10658868560708.0, -640167445237.0 / 6845629431997.0, 0},
      {1471266399579.0 / 7840856788654.0, -4482444167858.0 / 7529755066697.0, 11266239266428.0 / 11593286722821.0},
  }};
  static constexpr double weight(int stage, int j) { return kA[static_cast<std::size_t>(stage)][static_cast<std::size_t>(j)] / kGamma; }
  /// [1/s] d(rate)/d(value) in a stage of a step of h [s].
  static constexpr double factor(double h) { return 1 / (h * kGamma); }
  static constexpr double time(int stage) { return kTime[static_cast<std::size_t>(stage)]; }
};

}  // namespace trunnion
