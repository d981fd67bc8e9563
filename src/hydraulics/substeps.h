// Subdivides a step of the oil, after a jump or where its pressures deviate more than the rule resolves: the first substep by the implicit
// Euler rule, so short that no pressure moves by more than the tolerance, then the alpha rule with substeps limited by its error. Small
// volumes retain the peak pressure of a transient (a check valve closes behind it), so that the time after a jump must be resolved.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>

#include "hydraulics/oil_rule.h"

namespace trunnion {

/// Shares of the range of pressures in a circuit, and of the scale of a component's state: deviation from the rates above which a step is
/// subdivided, and the error of a substep.
inline constexpr double kOilJump = 0.01, kOilPartError = 0.003;

/// Covers h [s], the first substep at most `first`. attempt(rule, dt, last_resort) makes a substep and returns its error over
/// the tolerance, infinite if there is no solution; the substep is accepted, and `attempt` must keep it, if that is at most 1, or finite
/// as a last resort. False: there is no solution.
template <class Attempt>
bool go_in_parts(double h, double first, Attempt&& attempt) {
  constexpr double kShortest = 1e-10, kWhole = 1 - 1e-9;  // of h
  constexpr double kLess = 0.1, kMore = 4, kSafety = 0.8, kFailed = 0.125;
  constexpr int kMostAttempts = 2000;
  double t = 0, dt = std::clamp(first, kShortest * h, h);
  OilRule rule = OilRule::euler();
  for (int i = 0; i < kMostAttempts && t < h * kWhole; ++i) {
    dt = t + dt >= h * kWhole ? h - t : std::min(dt, (h - t) / 2);
    const bool last_resort = dt <= kShortest * h || i > kMostAttempts / 2;
    const double error = attempt(rule, dt, last_resort);
    const double change = kSafety * std::pow(error, rule.implicit_euler ? -0.5 : -1.0 / 3);
    if (!std::isfinite(error)) {
      if (last_resort) return false;
      dt *= kFailed;
    } else if (error > 1 && !last_resort) {
      dt *= std::clamp(change, kLess, kSafety);
    } else {
      t += dt;
      dt *= std::clamp(change, kSafety, kMore);
      rule = OilRule::alpha(kOilRho);
    }
  }
  return t >= h * kWhole;
}

}  // namespace trunnion
