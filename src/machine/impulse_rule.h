// The impulse of a force over a step, by the rule that integrates the accelerations:
//   mean_1 = end F_1 + begin F_0 + memory mean_0,   impulse = h (share_end mean_1 + share_begin mean_0)
// Where the mean of the accelerations by these weights gives the step's velocities, M (v_1 - v_0) is the sum of all impulses, and for
// constant inertia the change of the kinetic energy is the sum of the works impulse (v_0 + v_1)/2, to rounding, whatever the forces are
// within the step. A lag mean - F is carried into the next step like the rule's own (hydraulics/oil_rule.h).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

#include "hydraulics/oil_rule.h"

namespace trunnion {

/// Weights of a rule; by default those of the trapezoidal one.
struct ImpulseRule {
  double end = 1, begin = 0, memory = 0;
  double share_end = 0.5, share_begin = 0.5;
  double growth = std::numeric_limits<double>::infinity();  // of a step, beyond which it begins without memory

  /// Share of the lag after a step of h_before [s] at the start of a step of h; h_before = 0: unknown.
  double carried(double h, double h_before) const { return h_before > 0 && h <= growth * h_before ? OilRule::carried(h, h_before) : 0; }
  double mean(double force_begin, double force_end, double mean_begin) const {
    return end * force_end + begin * force_begin + memory * mean_begin;
  }
  double impulse(double h, double mean_begin, double mean_end) const { return h * (share_end * mean_end + share_begin * mean_begin); }
};

}  // namespace trunnion
