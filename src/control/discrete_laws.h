// Laws of control blocks that only samples change: relay, timer, counter, quantiser, noise, sequence. Their states move in
//   void sample(const double* u, double period, double* x) const
// and are constant between, so that they have no rates. Some have a form in continuous time as well: control/switched_laws.h.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "control/block.h"
#include "control/expression_law.h"

namespace trunnion {

/// On above one level of its input, off below another one; x: 1 or 0.
struct RelayLaw {
  double on = 0, off = 0, value_on = 1, value_off = 0;
  int inputs() const { return 1; }
  int states() const { return 1; }
  template <class S>
  S value(const S*, const S* x) const {
    return value_off + (value_on - value_off) * x[0];
  }
  void sample(const double* u, double, double* x) const { *x = u[0] >= on ? 1 : u[0] <= off ? 0 : *x; }
  void start(const double* u, double* x) const { *x = u[0] >= on ? 1 : 0; }
};

/// 1 at a sample at which a condition has changed, otherwise 0; x: the value, and whether the condition held.
struct EdgeLaw {
  bool rising = true, falling = false;
  int inputs() const { return 1; }
  int states() const { return 2; }
  template <class S>
  S value(const S*, const S* x) const {
    return x[0];
  }
  void sample(const double* u, double, double* x) const {
    const double now = is_true(u[0]) ? 1 : 0;
    x[0] = (rising && now > x[1]) || (falling && now < x[1]) ? 1 : 0;
    x[1] = now;
  }
  void start(const double* u, double* x) const {
    x[0] = 0;
    x[1] = is_true(u[0]) ? 1 : 0;
  }
  bool start_depends(int) const { return false; }
};

/// Time [s] for which a condition has held.
struct TimerLaw {
  int inputs() const { return 1; }
  int states() const { return 1; }
  template <class S>
  S value(const S*, const S* x) const {
    return x[0];
  }
  void sample(const double* u, double period, double* x) const { *x = is_true(u[0]) ? *x + period : 0; }
  void start(const double*, double* x) const { *x = 0; }
  bool start_depends(int) const { return false; }
};

/// Number of times that a condition has begun to hold; x: the number, and whether it held. A second input resets it.
struct CounterLaw {
  int inputs() const { return 2; }
  int states() const { return 2; }
  template <class S>
  S value(const S*, const S* x) const {
    return x[0];
  }
  void sample(const double* u, double, double* x) const {
    const double now = is_true(u[0]) ? 1 : 0;
    if (now > x[1]) x[0] += 1;
    if (is_true(u[1])) x[0] = 0;
    x[1] = now;
  }
  void start(const double* u, double* x) const {
    x[0] = 0;
    x[1] = is_true(u[0]) ? 1 : 0;
  }
  bool start_depends(int) const { return false; }
};

/// Its input in whole steps.
struct QuantiserLaw {
  double step = 1;
  int inputs() const { return 1; }
  int states() const { return 1; }
  template <class S>
  S value(const S*, const S* x) const {
    return x[0];
  }
  void sample(const double* u, double, double* x) const { *x = step * std::round(u[0] / step); }
  void start(const double* u, double* x) const { sample(u, 0, x); }
};

/// Uniformly distributed in (0, 1], a function of the seed and its number alone, the same in every thread: splitmix64 (Steele, Lea, Flood
/// 2014).
inline double uniform_number(std::uint64_t seed, std::uint64_t number) {
  std::uint64_t z = seed * 0x9e3779b97f4a7c15ULL + (number + 1) * 0xd1342543de82ef95ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  z ^= z >> 31;
  return (static_cast<double>(z >> 11) + 1) * 0x1p-53;
}

/// Normally distributed numbers by Box and Muller 1958.
struct NoiseLaw {
  double deviation = 1;
  std::uint64_t seed = 1;
  int inputs() const { return 1; }
  int states() const { return 2; }  // the number, and how many have been drawn
  template <class S>
  S value(const S* u, const S* x) const {
    return u[0] + x[0];
  }
  void sample(const double*, double, double* x) const {
    const auto k = static_cast<std::uint64_t>(x[1]);
    const double a = uniform_number(seed, 2 * k), b = uniform_number(seed, 2 * k + 1);
    x[0] = deviation * std::sqrt(-2 * std::log(a)) * std::cos(2 * std::numbers::pi * b);
    x[1] += 1;
  }
  void start(const double* u, double* x) const {
    x[1] = 0;
    sample(u, 0, x);
  }
};

/// Steps in their order, each until its condition holds; value: the number of the step from 1, after the last one 0. x: the step from 0,
/// and the time [s] in it, which is the last input of the conditions.
struct SequenceLaw {
  std::vector<ExpressionLaw> until;
  int names = 0;  // inputs before the time in the step
  bool repeat = false;
  int inputs() const { return names; }
  int states() const { return 2; }
  template <class S>
  S value(const S*, const S* x) const {
    return x[0] < S(static_cast<double>(until.size())) ? S(x[0] + 1.0) : S(0);
  }
  void sample(const double* u, double period, double* x) const {
    double all[kMaxBlockInputs + 1];
    for (int i = 0; i < names; ++i) all[i] = u[i];
    x[1] += period;
    all[names] = x[1];
    const auto step = static_cast<std::size_t>(x[0]);
    if (step >= until.size() || !is_true(until[step].value<double>(all, nullptr))) return;
    x[0] = step + 1 == until.size() && repeat ? 0 : x[0] + 1;
    x[1] = 0;
  }
  void start(const double*, double* x) const { x[0] = x[1] = 0; }
  bool start_depends(int) const { return false; }
};

/// One of several expressions, by the number of a step (the first input, from 1; 0: the last expression).
struct SelectLaw {
  std::vector<ExpressionLaw> values;  // of the steps, then after them; of the other inputs
  int names = 0;
  int inputs() const { return names + 1; }
  template <class S>
  S value(const S* u, const S*) const {
    const std::size_t last = values.size() - 1;
    std::size_t step = last;
    for (std::size_t k = 0; k < last; ++k)
      if (u[0] > S(static_cast<double>(k) + 0.5) && u[0] < S(static_cast<double>(k) + 1.5)) step = k;
    return values[step].value(u + 1, static_cast<const S*>(nullptr));
  }
};

}  // namespace trunnion
