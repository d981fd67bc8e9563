// Laws of control blocks that are continuous in time and have modes: relay, timer, counter, sequence. Between two changes of their modes they are
// smooth; a change is located within a step (run/switch_search.h). Their forms between samples: control/discrete_laws.h.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "base/scalar.h"
#include "control/block.h"
#include "control/discrete_laws.h"
#include "control/expression_law.h"

namespace trunnion {

/// On above one level of its input, off below another one; mode: 1 or 0.
struct SwitchedRelayLaw {
  RelayLaw law;
  int inputs() const { return 1; }
  int modes() const { return 1; }
  template <class S>
  S value(const S* u, const S* x) const {
    return law.value(u, x);
  }
  bool direct(int) const { return false; }
  void start(const double* u, double* x) const { law.start(u, x); }
  void restart(const double* u, double, double* x) const { law.sample(u, 0, x); }
  bool stale(const double* u, const double* x) const { return is_true(*x) ? u[0] <= law.off : u[0] >= law.on; }
  double margin(const double* u, const double*, const double* x) const { return is_true(*x) ? u[0] - law.off : law.on - u[0]; }
};

/// Time [s] for which a condition has held; mode: whether it holds.
struct SwitchedTimerLaw {
  int inputs() const { return 1; }
  int states() const { return 1; }
  int modes() const { return 1; }
  template <class S>
  S value(const S*, const S* x) const {
    return x[0];
  }
  template <class S>
  void rates(const S*, const S* x, S* rate) const {
    rate[0] = x[1];
  }
  bool direct(int) const { return false; }
  void start(const double* u, double* x) const {
    x[0] = 0;
    x[1] = is_true(u[0]) ? 1 : 0;
  }
  bool start_depends(int) const { return false; }
  void restart(const double* u, double, double* x) const {
    x[1] = is_true(u[0]) ? 1 : 0;
    if (!is_true(u[0])) x[0] = 0;
  }
  bool stale(const double* u, const double* x) const { return is_true(u[0]) != is_true(x[1]); }
  double margin(const double*, const double* c, const double* x) const { return margin_of(c[0], x[1]); }
};

/// Number of times that a condition has begun to hold, 0 while another one holds; modes: whether each of them holds, and the number.
struct SwitchedCounterLaw {
  int inputs() const { return 2; }
  int modes() const { return 3; }
  template <class S>
  S value(const S*, const S* x) const {
    return x[2];
  }
  bool direct(int) const { return false; }
  void start(const double* u, double* x) const {
    for (int k = 0; k < 2; ++k) x[k] = is_true(u[k]) ? 1 : 0;
    x[2] = 0;
  }
  bool start_depends(int) const { return false; }
  void restart(const double* u, double, double* x) const {
    if (is_true(u[0]) && !is_true(x[0])) x[2] += 1;
    if (is_true(u[1])) x[2] = 0;
    for (int k = 0; k < 2; ++k) x[k] = is_true(u[k]) ? 1 : 0;
  }
  bool stale(const double* u, const double* x) const { return is_true(u[0]) != is_true(x[0]) || is_true(u[1]) != is_true(x[1]); }
  double margin(const double*, const double* c, const double* x) const { return min(margin_of(c[0], x[0]), margin_of(c[1], x[1])); }
};

/// Steps in their order, each until its condition holds; value: the number of the step from 1, after the last one 0. State: the time [s] in
/// the step, which is the last input of the conditions; mode: the step from 0.
struct SwitchedSequenceLaw {
  SequenceLaw law;
  int inputs() const { return law.names; }
  int states() const { return 1; }
  int modes() const { return 1; }
  template <class S>
  S value(const S* u, const S* x) const {
    return law.value(u, x + 1);
  }
  template <class S>
  void rates(const S*, const S* x, S* rate) const {
    rate[0] = S(x[1] < S(steps()) ? 1 : 0);
  }
  bool direct(int) const { return false; }
  void start(const double*, double* x) const { x[0] = x[1] = 0; }
  bool start_depends(int) const { return false; }
  /// Steps whose conditions hold at once are passed.
  void restart(const double* u, double, double* x) const {
    for (std::size_t k = 0; k < law.until.size() && stale(u, x); ++k) {
      x[1] = x[1] + 1 == steps() && law.repeat ? 0 : x[1] + 1;
      x[0] = 0;
    }
  }
  bool stale(const double* u, const double* x) const {
    double all[kMaxBlockInputs + 1];
    read(u, x[0], all);
    return x[1] < steps() && is_true(condition(x).value<double>(all, nullptr));
  }
  double margin(const double* u, const double* c, const double* x) const {
    if (!(x[1] < steps())) return 1;
    double all[kMaxBlockInputs + 1], excess[kMaxBlockInputs + 1];
    read(u, x[0], all);
    read(c, x[0] - 0.5, excess);
    return -condition(x).excess(all, excess);
  }

 private:
  double steps() const { return static_cast<double>(law.until.size()); }
  const ExpressionLaw& condition(const double* x) const { return law.until[static_cast<std::size_t>(x[1])]; }
  void read(const double* inputs, double elapsed, double* all) const {
    for (int i = 0; i < law.names; ++i) all[i] = inputs[i];
    all[law.names] = elapsed;
  }
};

}  // namespace trunnion
