// Laws of control blocks that only samples change: relay, timer, counter, quantiser, noise, sequence. Their states move in
//   void sample(const double* u, double period, double* x) const
// and are constant between, so that they have no rates. Some (`sampled` false) also exist in continuous time, where their numbers are modes
// and change within steps, and the time of timer and sequence has a rate.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
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
  bool sampled = true;
  int inputs() const { return 1; }
  int states() const { return sampled ? 1 : 0; }
  int modes() const { return 1 - states(); }
  template <class S>
  S value(const S*, const S* x) const {
    return value_off + (value_on - value_off) * x[0];
  }
  bool direct(int) const { return sampled; }
  void sample(const double* u, double, double* x) const { *x = u[0] >= on ? 1 : u[0] <= off ? 0 : *x; }
  void start(const double* u, double* x) const { *x = u[0] >= on ? 1 : 0; }
  void restart(const double* u, double, double* x) const {
    if (!sampled) sample(u, 0, x);
  }
  bool stale(const double* u, const double* x) const { return is_true(*x) ? u[0] <= off : u[0] >= on; }
  double margin(const double* u, const double*, const double* x) const { return is_true(*x) ? u[0] - off : on - u[0]; }
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

/// Time [s] for which a condition has held; x: the time, in continuous time also whether it holds.
struct TimerLaw {
  bool sampled = true;
  int inputs() const { return 1; }
  int states() const { return 1; }
  int modes() const { return sampled ? 0 : 1; }
  template <class S>
  S value(const S*, const S* x) const {
    return x[0];
  }
  template <class S>
  void rates(const S*, const S* x, S* rate) const {
    rate[0] = x[1];
  }
  bool direct(int) const { return sampled; }
  void sample(const double* u, double period, double* x) const { *x = is_true(u[0]) ? *x + period : 0; }
  void start(const double* u, double* x) const {
    *x = 0;
    restart(u, 0, x);
  }
  bool start_depends(int) const { return false; }
  void restart(const double* u, double, double* x) const {
    if (sampled) return;
    sample(u, 0, x);
    x[1] = is_true(u[0]) ? 1 : 0;
  }
  bool stale(const double* u, const double* x) const { return is_true(u[0]) != is_true(x[1]); }
  double margin(const double*, const double* c, const double* x) const { return margin_of(c[0], x[1]); }
};

/// Number of times that a condition has begun to hold; x: the number, and whether it held. A second input resets it; in continuous time x
/// also has whether that held.
struct CounterLaw {
  bool sampled = true;
  int inputs() const { return 2; }
  int states() const { return sampled ? 2 : 0; }
  int modes() const { return sampled ? 0 : 3; }
  template <class S>
  S value(const S*, const S* x) const {
    return x[0];
  }
  bool direct(int) const { return sampled; }
  void sample(const double* u, double, double* x) const {
    const double now = is_true(u[0]) ? 1 : 0;
    if (now > x[1]) x[0] += 1;
    if (is_true(u[1])) x[0] = 0;
    x[1] = now;
  }
  void start(const double* u, double* x) const {
    x[0] = 0;
    x[1] = 1;
    sample(u, 0, x);
    restart(u, 0, x);
  }
  bool start_depends(int) const { return false; }
  void restart(const double* u, double, double* x) const {
    if (sampled) return;
    sample(u, 0, x);
    x[2] = is_true(u[1]) ? 1 : 0;
  }
  bool stale(const double* u, const double* x) const { return is_true(u[0]) != is_true(x[1]) || is_true(u[1]) != is_true(x[2]); }
  double margin(const double*, const double* c, const double* x) const { return std::min(margin_of(c[0], x[1]), margin_of(c[1], x[2])); }
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
/// and the time [s] in it, which is the last input of the conditions; in continuous time first the time. There, steps whose conditions hold
/// at once are passed.
struct SequenceLaw {
  std::vector<ExpressionLaw> until;
  int names = 0;  // inputs before the time in the step
  bool repeat = false;
  bool sampled = true;
  int inputs() const { return names; }
  int states() const { return sampled ? 2 : 1; }
  int modes() const { return 2 - states(); }
  template <class S>
  S value(const S*, const S* x) const {
    const S& step = x[at_step()];
    return step < S(static_cast<double>(until.size())) ? S(step + 1.0) : S(0);
  }
  template <class S>
  void rates(const S*, const S* x, S* rate) const {
    rate[0] = S(x[1] < S(static_cast<double>(until.size())) ? 1 : 0);
  }
  bool direct(int) const { return sampled; }
  void sample(const double* u, double period, double* x) const {
    double &step = x[at_step()], &elapsed = x[1 - at_step()];
    elapsed += period;
    if (!stale(u, x)) return;
    step = step + 1 == static_cast<double>(until.size()) && repeat ? 0 : step + 1;
    elapsed = 0;
  }
  void start(const double*, double* x) const { x[0] = x[1] = 0; }
  bool start_depends(int) const { return false; }
  void restart(const double* u, double, double* x) const {
    for (std::size_t k = 0; k < until.size() && !sampled && stale(u, x); ++k) sample(u, 0, x);
  }
  /// Whether the condition of the step holds.
  bool stale(const double* u, const double* x) const {
    double all[kMaxBlockInputs + 1];
    const ExpressionLaw* const condition = read(u, x[1 - at_step()], x, all);
    return condition != nullptr && is_true(condition->value<double>(all, nullptr));
  }
  double margin(const double* u, const double* c, const double* x) const {
    double all[kMaxBlockInputs + 1], excess[kMaxBlockInputs + 1];
    read(u, x[0], x, all);
    const ExpressionLaw* const condition = read(c, x[0] - 0.5, x, excess);
    return condition != nullptr ? -condition->excess(all, excess) : 1;
  }

 private:
  int at_step() const { return sampled ? 0 : 1; }
  /// Inputs with the time in the step; returns the condition of the step, null after the last one.
  const ExpressionLaw* read(const double* from, double elapsed, const double* x, double* all) const {
    for (int i = 0; i < names; ++i) all[i] = from[i];
    all[names] = elapsed;
    const auto step = static_cast<std::size_t>(x[at_step()]);
    return step < until.size() ? &until[step] : nullptr;
  }
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
