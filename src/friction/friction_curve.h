// Friction against velocity: a law driven by a given slip velocity, for figures and tests.
// A slow cycle shows the Stribeck curve and the hysteresis (more force when accelerating than when decelerating), a very short one
// presliding. Qualitatively reproduces figure 9b of Jaiswal, Sopanen, Mikkola 2021 (friction).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "friction/friction.h"

namespace trunnion {

/// Sinusoidal slip v(t) = amplitude sin(2 pi frequency t), started at rest with all states zero.
struct FrictionCycle {
  double amplitude = 0.05;    // [m/s] maximum speed
  double frequency = 1;       // [Hz]
  double cycles = 2;          // [-]   number of cycles
  int steps_per_cycle = 500;  // [-]   equal time steps
};

/// One point of a friction curve; states the law does not have are zero.
struct FrictionPoint {
  double time = 0;               // [s]
  double velocity = 0;           // [m/s]
  double displacement = 0;       // [m]  slip since the start
  double force = 0;              // [N]  positive with positive velocity
  FrictionStateValues states{};  //      bristle [m], film [-], or one bristle [m] per element
};

/// The law for any slip velocity [m/s] over time [s], from zero states; trapezoidal rule for states and displacement.
/// Returns steps + 1 points, the first at time 0. Throws Error unless step > 0 and steps >= 0.
std::vector<FrictionPoint> friction_curve(const FrictionLaw& law, const std::function<double(double)>& velocity, double step, int steps);

/// The law for a sinusoidal cycle. Throws Error for an invalid cycle.
std::vector<FrictionPoint> friction_curve(const FrictionLaw& law, const FrictionCycle& cycle);

/// Steady sliding at `points` (at least 2) equally spaced speeds from v_first to v_last; time and displacement stay zero.
std::vector<FrictionPoint> steady_friction_curve(const FrictionLaw& law, double v_first, double v_last, int points);

}  // namespace trunnion
