// Friction against velocity: driven and steady curves of a law.
// SPDX-License-Identifier: BSD-3-Clause
#include "friction/friction_curve.h"

#include <cmath>
#include <numbers>

#include "base/diagnostic.h"

namespace trunnion {

std::vector<FrictionPoint> friction_curve(const FrictionLaw& law, const std::function<double(double)>& velocity, double step, int steps) {
  if (!(step > 0)) throw Error("friction curve: the step must be greater than 0 s");
  if (steps < 0) throw Error("friction curve: the number of steps must not be negative");
  std::vector<FrictionPoint> curve(1);
  curve.reserve(std::size_t(steps) + 1);
  FrictionPoint point;
  point.velocity = velocity(0);
  FrictionStateValues rate{};
  point.force = force_and_rates(law, point.velocity, point.states.data(), rate.data());
  curve[0] = point;
  for (int i = 1; i <= steps; ++i) {
    const double previous = point.velocity;
    point.time = i * step;
    point.velocity = velocity(point.time);
    point.displacement += step / 2 * (previous + point.velocity);
    FrictionResponse response;
    respond_local(law, point.velocity, step / 2, point.states.data(), rate.data(), point.states.data(), response);
    point.force = response.force;
    rate = response.rate;
    curve.push_back(point);
  }
  return curve;
}

std::vector<FrictionPoint> friction_curve(const FrictionLaw& law, const FrictionCycle& cycle) {
  if (!(cycle.frequency > 0)) throw Error("friction curve: the frequency must be greater than 0 Hz");
  if (cycle.steps_per_cycle < 1) throw Error("friction curve: a cycle needs at least one step");
  if (!(cycle.cycles >= 0)) throw Error("friction curve: the number of cycles must not be negative");
  const auto velocity = [&](double t) { return cycle.amplitude * std::sin(2 * std::numbers::pi * cycle.frequency * t); };
  const double steps = std::round(cycle.cycles * cycle.steps_per_cycle);
  if (!(steps < 1e9)) throw Error("friction curve: more than 1e9 steps");
  return friction_curve(law, velocity, 1 / (cycle.frequency * cycle.steps_per_cycle), int(steps));
}

std::vector<FrictionPoint> steady_friction_curve(const FrictionLaw& law, double v_first, double v_last, int points) {
  if (points < 2) throw Error("friction curve: at least 2 points are needed");
  std::vector<FrictionPoint> curve(static_cast<std::size_t>(points));
  for (int i = 0; i < points; ++i) {
    FrictionPoint& point = curve[static_cast<std::size_t>(i)];
    const double s = double(i) / (points - 1);
    point.velocity = (1 - s) * v_first + s * v_last;
    point.states = friction_steady_states(law, point.velocity);
    point.force = friction_steady_force(law, point.velocity);
  }
  return curve;
}

}  // namespace trunnion
