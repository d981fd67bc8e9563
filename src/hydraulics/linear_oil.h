// The oil of a machine linearised at the start of a communication step, for a mechanism that integrates with it:
//   p_dot = f + J (p - p_0) + f_s (s - s_0) + f_w (w - w_0),   per volume, s and w per port
// f and J follow the motion of the spools, on which no port acts back: they are given at the spool positions at equally spaced instants of
// the step, including the ends and midpoints of the mechanism's own steps, and are linear in time between. A jump of a command is thus
// followed at any step length.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace trunnion {

struct Hydraulics;
struct HydraulicState;

/// Volumes in the order of Hydraulics::volumes, ports in that of Hydraulics::actuators.
struct LinearOil {
  LinearOil(int volume_count, int port_count, int piece_count = 2)
      : volumes(volume_count),
        ports(port_count),
        pieces(piece_count),
        p(volumes),
        f(pieces + 1, std::vector<double>(volumes)),
        J(pieces + 1, std::vector<double>(volumes * volumes)),
        f_s(volumes * ports),
        f_w(volumes * ports),
        s(ports),
        w(ports) {}

  /// The instant at or before time t [s], and the fraction of the interval to the next one.
  std::pair<int, double> place(double t) const {
    const double x = step > 0 ? std::clamp((t - begin) / step, 0.0, 1.0) * pieces : 0;
    const int k = std::min(static_cast<int>(x), pieces - 1);
    return {k, x - k};
  }

  int volumes, ports, pieces;
  double begin = 0, step = 0;          // [s]
  std::vector<double> p;               // [Pa] p_0
  std::vector<std::vector<double>> f;  // [Pa/s] at the instants, pieces + 1 of them
  std::vector<std::vector<double>> J;  // [1/s] likewise
  std::vector<double> f_s, f_w;        // [Pa/(s m)], [Pa/m]  volumes x ports
  std::vector<double> s, w;            // [m], [m/s] s_0, w_0
};

// The functions below are for a netlist whose pressures follow it, at lengths s and rates s_dot of the ports; `state` has f and J at the
// time of evaluation, by set_linear_oil().

/// Sets f and J of a state at time t [s].
void set_linear_oil(const LinearOil& oil, double t, HydraulicState& state);
/// Rate of the pressure of volume i [Pa/s].
double linear_rate(const Hydraulics& netlist, const LinearOil& oil, std::size_t i, const double* s, const double* s_dot, const double* y,
                   const HydraulicState& state);
/// Residual p_dot - linear_rate of every volume with its derivatives; `factor` that of a step's rule.
void add_linear_oil(const Hydraulics& netlist, const LinearOil& oil, const double* s, const double* s_dot, const double* y,
                    const double* ydot, double factor, HydraulicState& state);

}  // namespace trunnion
