// Control blocks: laws with inputs u, states x, modes m and one value.
//   value = g(u, x, m)
//   x_dot = f(u, x, m)
// Modes are numbers that only a restart changes: a jump of a force or signal, a sample, a crossing (run/switch_search.h). They follow the
// states in x.
// A law is written once, on any scalar; its exact derivatives come from dual numbers. It is a class with
//   int inputs() const, states() const;
//   template <class S> S value(const S* u, const S* x) const;
//   template <class S> void rates(const S* u, const S* x, S* rate) const;     if it has states
//   template <class S> S evaluate(const S* u, const S* x, S* rate) const;     instead of rates: these and the value, which share their work
//   bool linear() const;               whether both are linear in the states, at any inputs and modes; default: no
//   bool direct(int input) const;      whether g may depend on that input, for any values of its parameters; default: yes
//   void start(const double* u, double* x) const;                             states at the start
//   bool start_depends(int input) const;   whether the value at the start depends on that input; default: yes
//   void sample(const double* u, double period, double* x) const;             instead of rates: control/discrete_laws.h
//   int modes() const;                                                        if it has modes, and then:
//   void restart(const double* u, double value, double* x) const;             modes, and states that jump with them; `value`: the last one
//   bool stale(const double* u, const double* x) const;                       whether a restart would change a mode
//   double margin(const double* u, const double* c, const double* x) const;   how far it is from that: positive before, not positive when
//                         it is stale, continuous where inputs are. c: how far inputs hold as conditions, their excess over 0.5
//   double excess(const double* u, const double* c) const;   without modes: how far its value holds as a condition; default: value - 0.5
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <utility>

#include "base/dual.h"
#include "base/scratch.h"

namespace trunnion {

/// Maximum inputs, states and modes of a block: scratch of its users.
inline constexpr int kMaxBlockInputs = 32, kMaxBlockStates = 12, kMaxBlockModes = 3;
/// Joints of an operator: two states for each, and two more.
inline constexpr int kMaxOperatorJoints = (kMaxBlockStates - 2) / 2;

inline bool is_true(double condition) { return condition > 0.5; }
/// How far a condition is from a change, from its excess over 0.5; `held`: the mode that says whether it held.
inline double margin_of(double excess, double held) { return is_true(held) ? excess : -excess; }

/// A block's law, type-erased.
class BlockLaw {
 public:
  BlockLaw(int inputs, int states, int modes, bool linear = false) : inputs_(inputs), states_(states), modes_(modes), linear_(linear) {}
  virtual ~BlockLaw() = default;
  int inputs() const { return inputs_; }
  int states() const { return states_; }
  int modes() const { return modes_; }
  /// Whether value and rates are known to be linear in the states, at any inputs and modes.
  bool linear() const { return linear_; }
  virtual bool direct(int input) const = 0;
  virtual void start(const double* u, double* x) const = 0;
  virtual bool start_depends(int input) const = 0;
  virtual double value(const double* u, const double* x) const = 0;
  /// The value, and the rates.
  virtual double evaluate(const double* u, const double* x, double* rate) const = 0;
  virtual Dual<1> evaluate(const Dual<1>* u, const Dual<1>* x, Dual<1>* rate) const = 0;

  /// Whether only samples change its states.
  virtual bool discrete() const = 0;
  virtual void sample(const double* u, double period, double* x) const = 0;
  virtual void restart(const double* u, double value, double* x) const = 0;
  virtual bool stale(const double* u, const double* x) const = 0;
  /// With modes its margin, of an expression how far it holds as a condition, otherwise `value`.
  virtual double margin(const double* u, const double* c, const double* x, double value) const = 0;

  /// The value and every rate, is(row, number) with row 0 for the value, then the rates, and their derivatives, slope(row, column, d);
  /// columns: inputs for which is_wanted(input), states.
  template <class Wanted, class Is, class Slope>
  void differentiate(const double* u, const double* x, Wanted&& is_wanted, Is&& is, Slope&& slope) const {
    Scratch<Dual<1>, kMaxBlockInputs> varied_u;
    Scratch<Dual<1>, kMaxBlockStates + kMaxBlockModes> varied_x;
    Scratch<Dual<1>, kMaxBlockStates + 1> rate;
    const int n = inputs(), m = states(), held = modes();
    for (int i = 0; i < n; ++i) varied_u[i] = u[i];
    for (int i = 0; i < m + held; ++i) varied_x[i] = x[i];
    for (int i = 0; i < m; ++i) rate[i] = Dual<1>();
    bool known = false;
    const auto take = [&](const auto& value, const auto* rates, auto&& number) {
      for (int row = 0; row <= m && !known; ++row) is(row, number(row == 0 ? value : rates[row - 1]));
      known = true;
    };
    for (int column = 0; column < n + m; ++column) {
      if (column < n && !is_wanted(column)) continue;
      Dual<1>& varied = column < n ? varied_u[column] : varied_x[column - n];
      varied.d[0] = 1;
      const Dual<1> value = evaluate(varied_u.data(), varied_x.data(), rate.data());
      varied.d[0] = 0;
      take(value, rate.data(), [](const Dual<1>& a) { return a.value; });
      slope(0, column, value.d[0]);
      for (int row = 0; row < m; ++row) slope(row + 1, column, rate[row].d[0]);
    }
    if (known) return;
    double rates[kMaxBlockStates + 1];
    take(evaluate(u, x, rates), rates, [](double a) { return a; });
  }

 private:
  int inputs_, states_, modes_;
  bool linear_;
};

namespace detail {

template <class Law>
class BlockLawOf final : public BlockLaw {
 public:
  explicit BlockLawOf(Law law) : BlockLaw(law.inputs(), states_of(law), modes_of(law), is_linear(law)), law_(std::move(law)) {}
  bool direct(int input) const override {
    if constexpr (requires { law_.direct(input); }) return law_.direct(input);
    return true;
  }
  void start(const double* u, double* x) const override {
    if constexpr (requires { law_.start(u, x); }) law_.start(u, x);
  }
  bool start_depends(int input) const override {
    if constexpr (requires { law_.start_depends(input); }) return law_.start_depends(input);
    return true;
  }
  bool discrete() const override {
    return requires(const double* u, double* x) { law_.sample(u, 0.0, x); };
  }
  void sample(const double* u, double period, double* x) const override {
    if constexpr (requires { law_.sample(u, period, x); }) law_.sample(u, period, x);
  }
  void restart(const double* u, double value, double* x) const override {
    if constexpr (requires { law_.restart(u, value, x); }) law_.restart(u, value, x);
  }
  bool stale(const double* u, const double* x) const override {
    if constexpr (requires { law_.stale(u, x); }) return law_.stale(u, x);
    return false;
  }
  double margin(const double* u, const double* c, const double* x, double value) const override {
    if constexpr (requires { law_.margin(u, c, x); })
      return law_.margin(u, c, x);
    else if constexpr (requires { law_.excess(u, c); })
      return law_.excess(u, c);
    else
      return value;
  }
  double value(const double* u, const double* x) const override { return law_.value(u, x); }
  double evaluate(const double* u, const double* x, double* rate) const override { return find(u, x, rate); }
  Dual<1> evaluate(const Dual<1>* u, const Dual<1>* x, Dual<1>* rate) const override { return find(u, x, rate); }

 private:
  template <class S>
  TR_INLINE S find(const S* u, const S* x, S* rate) const {
    if constexpr (requires { law_.evaluate(u, x, rate); }) {
      return law_.evaluate(u, x, rate);
    } else {
      if constexpr (requires { law_.rates(u, x, rate); }) law_.rates(u, x, rate);
      return law_.value(u, x);
    }
  }
  static int states_of(const Law& law) {
    if constexpr (requires { law.states(); }) return law.states();
    return 0;
  }
  static int modes_of(const Law& law) {
    if constexpr (requires { law.modes(); }) return law.modes();
    return 0;
  }
  static bool is_linear(const Law& law) {
    if constexpr (requires { law.linear(); }) return law.linear();
    return false;
  }
  Law law_;
};

}  // namespace detail

template <class Law>
std::shared_ptr<const BlockLaw> block_law(Law law) {
  return std::make_shared<detail::BlockLawOf<Law>>(std::move(law));
}

}  // namespace trunnion
