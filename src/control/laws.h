// The laws of the control blocks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "control/block.h"

namespace trunnion {

/// offset + sum of gain_i u_i.
struct SumLaw {
  std::vector<double> gains;
  double offset = 0;
  int inputs() const { return static_cast<int>(gains.size()); }
  template <class S>
  S value(const S* u, const S*) const {
    S sum(offset);
    for (std::size_t i = 0; i < gains.size(); ++i) sum += gains[i] * u[i];
    return sum;
  }
};

struct ProductLaw {
  int count = 0;
  int inputs() const { return count; }
  template <class S>
  S value(const S* u, const S*) const {
    S product(1);
    for (int i = 0; i < count; ++i) product = product * u[i];
    return product;
  }
};

/// Least or greatest of its inputs.
struct ExtremeLaw {
  int count = 0;
  bool greatest = false;
  int inputs() const { return count; }
  template <class S>
  S value(const S* u, const S*) const {
    S extreme = u[0];
    for (int i = 1; i < count; ++i) extreme = greatest ? max(extreme, u[i]) : min(extreme, u[i]);
    return extreme;
  }
};

/// Piecewise linear through points, with given slopes outside.
struct PiecewiseLinearLaw {
  std::vector<std::array<double, 2>> points;
  double slope_before = 0, slope_after = 0;
  int inputs() const { return 1; }
  template <class S>
  S value(const S* u, const S*) const {
    std::size_t i = 0;
    while (i < points.size() && u[0] > points[i][0]) ++i;
    if (i == 0) return points.front()[1] + slope_before * (u[0] - points.front()[0]);
    const auto& from = points[i - 1];
    const double slope = i == points.size() ? slope_after : (points[i][1] - from[1]) / (points[i][0] - from[0]);
    return from[1] + slope * (u[0] - from[0]);
  }
};

/// Bilinear over a grid, constant outside: inputs x and y; values: a row for each x, with a number for each y.
struct BilinearLaw {
  std::vector<double> x, y;
  std::vector<std::vector<double>> values;
  int inputs() const { return 2; }
  template <class S>
  S value(const S* u, const S*) const {
    std::size_t i = 0, j = 0;
    const S a = share(x, u[0], i), b = share(y, u[1], j);
    const auto at = [&](std::size_t row) { return S(values[row][j] + (values[row][j + 1] - values[row][j]) * b); };
    const S low = at(i);
    return low + (at(i + 1) - low) * a;
  }

 private:
  /// The interval that contains u, and the share of it before u.
  template <class S>
  static S share(const std::vector<double>& grid, const S& u, std::size_t& interval) {
    while (interval + 2 < grid.size() && u > grid[interval + 1]) ++interval;
    return min(S(max(S((u - grid[interval]) / (grid[interval + 1] - grid[interval])), 0.0)), 1.0);
  }
};

/// A linear system with one output: x' = A x + B u, value = C x + D u.
struct LinearLaw {
  int order = 0, count = 1;
  std::vector<double> A, B, C, D;  // row by row
  bool passes = true;              // false: D is 0
  std::vector<double> x_start;     // empty: steady at the inputs of the start, given by `steady`
  std::vector<double> steady;      // order x inputs: -A^-1 B
  int inputs() const { return count; }
  int states() const { return order; }
  bool linear() const { return true; }
  static std::size_t place(int row, int column, int columns) {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column);
  }
  template <class S>
  S value(const S* u, const S* x) const {
    S sum(0);
    for (int j = 0; j < order; ++j) sum += C[static_cast<std::size_t>(j)] * x[j];
    for (int j = 0; j < count; ++j) sum += D[static_cast<std::size_t>(j)] * u[j];
    return sum;
  }
  template <class S>
  void rates(const S* u, const S* x, S* rate) const {
    for (int i = 0; i < order; ++i) {
      rate[i] = S(0);
      for (int j = 0; j < order; ++j) rate[i] += A[place(i, j, order)] * x[j];
      for (int j = 0; j < count; ++j) rate[i] += B[place(i, j, count)] * u[j];
    }
  }
  bool direct(int) const { return passes; }
  /// Not if a steady input does not pass.
  bool start_depends(int input) const {
    constexpr double kNegligible = 1e-12;
    const double through = D[static_cast<std::size_t>(input)];
    double gain = through, size = std::abs(through);
    for (int i = 0; i < order && x_start.empty(); ++i) {
      const double part = C[static_cast<std::size_t>(i)] * steady[place(i, input, count)];
      gain += part;
      size += std::abs(part);
    }
    return std::abs(gain) > kNegligible * size;
  }
  void start(const double* u, double* x) const {
    for (int i = 0; i < order; ++i) {
      x[i] = x_start.empty() ? 0 : x_start[static_cast<std::size_t>(i)];
      for (int j = 0; j < count && x_start.empty(); ++j)
        if (const double share = steady[place(i, j, count)]; share != 0) x[i] += share * u[j];
    }
  }
};

struct Limits {
  double min = -std::numeric_limits<double>::infinity(), max = std::numeric_limits<double>::infinity();
  bool any() const { return min > -std::numeric_limits<double>::infinity() || max < std::numeric_limits<double>::infinity(); }
  template <class S>
  TR_INLINE S operator()(const S& x) const {
    return trunnion::max(S(trunnion::min(x, max)), min);
  }
};

/// Integral of gain u; its value is the state within limits, and the state returns to them: x' = gain u + (limited x - x)/tracking.
/// With hand-over two more inputs, manual and automatic, and a mode: 1 automatic; 0 manual, where x' = (manual - x)/tracking and the value
/// is `manual` within limits. Automatic begins at the last value.
struct IntegratorLaw {
  double gain = 1, begin = 0;
  Limits limits;
  double tracking = 1;  // [s]
  bool hands_over = false;
  int inputs() const { return hands_over ? 3 : 1; }
  int states() const { return 1; }
  bool linear() const { return !limits.any(); }
  int modes() const { return hands_over ? 1 : 0; }
  template <class S>
  S value(const S* u, const S* x) const {
    return is_manual(x) ? limits(u[1]) : limits(x[0]);
  }
  template <class S>
  void rates(const S* u, const S* x, S* rate) const {
    rate[0] = is_manual(x) ? S((limits(u[1]) - x[0]) / tracking) : S(gain * u[0] + (limits(x[0]) - x[0]) / tracking);
  }
  bool direct(int input) const { return input > 0; }
  void start(const double* u, double* x) const {
    x[0] = begin;
    if (!hands_over) return;
    x[1] = is_true(u[2]) ? 1 : 0;
    if (is_manual(x)) x[0] = limits(u[1]);
  }
  bool start_depends(int input) const { return input > 0; }
  void restart(const double* u, double value, double* x) const {
    if (!hands_over) return;
    if (is_manual(x) && is_true(u[2])) x[0] = value;
    x[1] = is_true(u[2]) ? 1 : 0;
  }
  bool stale(const double* u, const double* x) const { return hands_over && is_true(u[2]) == is_manual(x); }
  /// Without a mode: how far its value holds as a condition.
  double margin(const double* u, const double* c, const double* x) const { return hands_over ? margin_of(c[2], x[1]) : value(u, x) - 0.5; }

 private:
  template <class S>
  bool is_manual(const S* x) const {
    return hands_over && !is_true(value_of(x[1]));
  }
};

/// Inputs: set point r, measurement y, feedforward. States: the integral part I if it has one, the filtered difference z if it has a
/// derivative part: z' = (weight r - y - z)/filter, D = derivative (weight r - y - z). v: the value without limits.
///   back-calculation  I' = integral (r - y) + (limited v - v)/tracking
///   clamping          I' = integral (r - y), of which at most (max - v)/tracking or 0 upwards, and (min - v)/tracking or 0 downwards: of
///                     conditional integration the form without a jump, which would let a value slide along its limit
/// With hand-over two more inputs, manual and automatic, and a mode: 1 automatic; 0 manual, where I' = (value - v)/tracking and the value
/// is `manual` within limits. Automatic begins with the I of which v is the last value.
struct PidLaw {
  double gain = 1, setpoint_weight = 1, derivative_weight = 0;
  double integral = 0;                // [1/s] gain/integral_time; 0: none
  double derivative = 0, filter = 0;  // gain derivative_time/filter; [s] time constant of the filter
  double tracking = 1;                // [s]
  double begin = 0;                   // I at the start
  Limits limits;
  bool integrates = false, differentiates = false, clamps = false, hands_over = false;
  int inputs() const { return hands_over ? 5 : 3; }
  int states() const { return (integrates ? 1 : 0) + (differentiates ? 1 : 0); }
  bool linear() const { return !limits.any(); }
  int modes() const { return hands_over ? 1 : 0; }
  template <class S>
  TR_INLINE S unlimited(const S* u, const S* x) const {
    S v = gain * (setpoint_weight * u[0] - u[1]) + u[2];
    if (integrates) v = v + x[0];
    if (differentiates) v = v + derivative * (derivative_weight * u[0] - u[1] - x[integrates ? 1 : 0]);
    return v;
  }
  /// Its value, of which v is that without limits under automatic control.
  template <class S>
  S limited(const S* u, const S* x, const S& v) const {
    return limits(is_manual(x) ? u[3] : v);
  }
  template <class S>
  S value(const S* u, const S* x) const {
    return limited(u, x, unlimited(u, x));
  }
  template <class S>
  S evaluate(const S* u, const S* x, S* rate) const {
    const S v = unlimited(u, x), w = limited(u, x, v);
    if (integrates) rate[0] = integral_rate(u, x, v, w);
    if (differentiates) rate[integrates ? 1 : 0] = (derivative_weight * u[0] - u[1] - x[integrates ? 1 : 0]) / filter;
    return w;
  }
  void start(const double* u, double* x) const {
    if (integrates) x[0] = begin;
    if (differentiates) x[integrates ? 1 : 0] = derivative_weight * u[0] - u[1];
    if (!hands_over) return;
    x[states()] = is_true(u[4]) ? 1 : 0;
    if (is_manual(x)) set_integral(u, limits(u[3]), x);
  }
  void restart(const double* u, double value, double* x) const {
    if (!hands_over) return;
    if (is_manual(x) && is_true(u[4])) set_integral(u, value, x);
    x[states()] = is_true(u[4]) ? 1 : 0;
  }
  bool stale(const double* u, const double* x) const { return hands_over && is_true(u[4]) == is_manual(x); }
  /// Without a mode: how far its value holds as a condition.
  double margin(const double* u, const double* c, const double* x) const {
    return hands_over ? margin_of(c[4], x[states()]) : value(u, x) - 0.5;
  }

 private:
  template <class S>
  TR_INLINE bool is_manual(const S* x) const {
    return hands_over && !is_true(value_of(x[states()]));
  }
  /// I' at v and the value w.
  template <class S>
  TR_INLINE S integral_rate(const S* u, const S* x, const S& v, const S& w) const {
    if (is_manual(x)) return (w - v) / tracking;
    const S change = integral * (u[0] - u[1]);
    if (!limits.any()) return change;
    if (!clamps) return change + (w - v) / tracking;
    return change > S(0) ? min(change, S(max(S((limits.max - v) / tracking), 0.0)))
                         : max(change, S(min(S((limits.min - v) / tracking), 0.0)));
  }
  /// I of which v is a value.
  void set_integral(const double* u, double value, double* x) const {
    x[0] = 0;
    x[0] = value - unlimited(u, x);
  }
};

/// x' = clamp((u - x)/time_constant, -fall, rise); its value is x.
struct RateLimiterLaw {
  double rise = 0, fall = 0, time_constant = 0;
  int inputs() const { return 1; }
  int states() const { return 1; }
  template <class S>
  S value(const S*, const S* x) const {
    return x[0];
  }
  template <class S>
  void rates(const S* u, const S* x, S* rate) const {
    rate[0] = max(S(min(S((u[0] - x[0]) / time_constant), rise)), -fall);
  }
  bool direct(int) const { return false; }
  void start(const double* u, double* x) const { x[0] = u[0]; }
};

/// Play: x' = the distance of u from x - play .. x + play, over time_constant; its value is x.
struct BacklashLaw {
  double play = 0, time_constant = 0;  // half the width; [s]
  int inputs() const { return 1; }
  int states() const { return 1; }
  template <class S>
  S value(const S*, const S* x) const {
    return x[0];
  }
  template <class S>
  void rates(const S* u, const S* x, S* rate) const {
    const S off = u[0] - x[0];
    rate[0] = (off - max(S(min(off, play)), -play)) / time_constant;
  }
  bool direct(int) const { return false; }
  void start(const double* u, double* x) const { x[0] = u[0]; }
};

}  // namespace trunnion
