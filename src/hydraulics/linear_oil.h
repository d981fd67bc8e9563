// The oil of a machine linearised at the start of a communication step, for a mechanism that integrates with it:
//   p_dot = f + J (p - p_0) + f_s (s - s_0) + f_w (w - w_0),   per volume, s and w per port
// f and J follow the motion of the spools, which no port acts back on: they are given at the spool positions of the start, of the middle
// and of the end of the step, and are quadratic in time between.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

namespace trunnion {

/// Volumes in the order of Hydraulics::volumes, ports in that of Hydraulics::actuators.
struct LinearOil {
  LinearOil(int volume_count, int port_count)
      : volumes(volume_count), ports(port_count), p(volumes), f_s(volumes * ports), f_w(volumes * ports), s(ports), w(ports) {
    for (auto& x : f) x.resize(volumes);
    for (auto& x : J) x.resize(volumes * volumes);
  }

  /// Shares of start, middle and end in f and J at time t [s].
  std::array<double, 3> weights(double t) const {
    const double x = step > 0 ? (t - begin) / step : 0;
    return {(1 - x) * (1 - 2 * x), 4 * x * (1 - x), x * (2 * x - 1)};
  }

  int volumes, ports;
  double begin = 0, step = 0;            // [s]
  std::vector<double> p;                 // [Pa] p_0
  std::array<std::vector<double>, 3> f;  // [Pa/s] at the start, in the middle, at the end
  std::array<std::vector<double>, 3> J;  // [1/s] alike
  std::vector<double> f_s, f_w;          // [Pa/(s m)], [Pa/m]  volumes x ports
  std::vector<double> s, w;              // [m], [m/s] s_0, w_0
};

}  // namespace trunnion
