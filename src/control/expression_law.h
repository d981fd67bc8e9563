// Expressions of control blocks: a list of operations from a closed set, evaluated on any scalar.
// Conditions have the value 1 where they hold, otherwise 0, and no derivative.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "base/dual.h"
#include "base/expression.h"
#include "base/scratch.h"

namespace trunnion {

/// Largest number of values held during an evaluation.
inline constexpr int kMaxExpressionDepth = 64;

struct ExpressionLaw {
  using Kind = ExpressionTerm::Kind;
  enum class Function : unsigned char {
    minimum,
    maximum,
    clamp,
    magnitude,
    sign,
    root,
    exponential,
    sine,
    cosine,
    hyperbolic_tangent,
    direction,
    invert,
    choose,
    arc_sine,
    arc_cosine,
    tangent,
    hypotenuse,
    logarithm
  };
  struct NamedFunction {
    const char* name;
    int arguments;
  };
  /// In the order of Function.
  static constexpr std::array<NamedFunction, 18> kFunctions{{{"min", 2},
                                                             {"max", 2},
                                                             {"clamp", 3},
                                                             {"abs", 1},
                                                             {"sign", 1},
                                                             {"sqrt", 1},
                                                             {"exp", 1},
                                                             {"sin", 1},
                                                             {"cos", 1},
                                                             {"tanh", 1},
                                                             {"atan2", 2},
                                                             {"not", 1},
                                                             {"if", 3},
                                                             {"asin", 1},
                                                             {"acos", 1},
                                                             {"tan", 1},
                                                             {"hypot", 2},
                                                             {"log", 1}}};

  std::vector<ExpressionTerm> terms;  // postfix; index: of an input, or a Function
  int count = 0;                      // of inputs: the names of the expression in their order

  int inputs() const { return count; }
  template <class S>
  S value(const S* u, const S*) const {
    Scratch<S, kMaxExpressionDepth> values;
    S* const stack = values.data();
    int n = 0;
    for (const ExpressionTerm& t : terms) {
      if (t.kind == Kind::number) {
        stack[n++] = S(t.number);
      } else if (t.kind == Kind::name) {
        stack[n++] = u[t.index];
      } else {
        n -= arguments_of(t);
        stack[n] = t.kind == Kind::call ? apply(static_cast<Function>(t.index), stack + n) : apply(t.kind, stack + n);
        ++n;
      }
    }
    return stack[0];
  }

  /// How far the expression holds as a condition, continuous where the operands of its comparisons are; c: the same of its inputs.
  double excess(const double* u, const double* c) const;

  /// Values that a term takes.
  static int arguments_of(const ExpressionTerm& t) {
    if (t.kind == Kind::number || t.kind == Kind::name) return 0;
    return t.kind == Kind::call ? t.arguments : t.kind == Kind::negate ? 1 : 2;
  }

 private:
  template <class S>
  static bool holds(const S& condition) {
    return condition > S(0.5);
  }
  template <class S>
  static S apply(Kind kind, const S* x) {
    switch (kind) {
      case Kind::add:
        return x[0] + x[1];
      case Kind::subtract:
        return x[0] - x[1];
      case Kind::multiply:
        return x[0] * x[1];
      case Kind::divide:
        return x[0] / x[1];
      case Kind::power:
        return raised(x[0], x[1]);
      case Kind::negate:
        return S(0) - x[0];
      case Kind::less:
        return S(x[0] < x[1] ? 1 : 0);
      case Kind::less_equal:
        return S(x[0] <= x[1] ? 1 : 0);
      case Kind::greater:
        return S(x[0] > x[1] ? 1 : 0);
      case Kind::greater_equal:
        return S(x[0] >= x[1] ? 1 : 0);
      case Kind::both:
        return S(holds(x[0]) && holds(x[1]) ? 1 : 0);
      case Kind::either:
        return S(holds(x[0]) || holds(x[1]) ? 1 : 0);
      default:
        return x[0];
    }
  }
  template <class S>
  static S apply(Function function, const S* x) {
    using std::exp, std::sin, std::cos, std::tanh, std::atan2;
    switch (function) {
      case Function::minimum:
        return min(x[0], x[1]);
      case Function::maximum:
        return max(x[0], x[1]);
      case Function::clamp:
        return min(S(max(x[0], x[1])), x[2]);
      case Function::magnitude:
        return x[0] < S(0) ? S(S(0) - x[0]) : x[0];
      case Function::sign:
        return S(x[0] > S(0) ? 1 : x[0] < S(0) ? -1 : 0);
      case Function::root:
        return chained(std::sqrt(value_of(x[0])), value_of(x[0]) > 0 ? 0.5 / std::sqrt(value_of(x[0])) : 0, x[0]);
      case Function::exponential:
        return exp(x[0]);
      case Function::sine:
        return sin(x[0]);
      case Function::cosine:
        return cos(x[0]);
      case Function::hyperbolic_tangent:
        return tanh(x[0]);
      case Function::direction:
        return atan2(x[0], x[1]);
      case Function::invert:
        return S(holds(x[0]) ? 0 : 1);
      case Function::choose:
        return holds(x[0]) ? x[1] : x[2];
      case Function::arc_sine:
        return chained(std::asin(value_of(x[0])), 1 / std::sqrt(1 - value_of(x[0]) * value_of(x[0])), x[0]);
      case Function::arc_cosine:
        return chained(std::acos(value_of(x[0])), -1 / std::sqrt(1 - value_of(x[0]) * value_of(x[0])), x[0]);
      case Function::tangent:
        return sin(x[0]) / cos(x[0]);
      case Function::hypotenuse: {
        const double length = std::hypot(value_of(x[0]), value_of(x[1]));
        return length > 0 ? chained(length, value_of(x[0]) / length, x[0]) + chained(0, value_of(x[1]) / length, x[1]) : S(length);
      }
      case Function::logarithm:
        return chained(std::log(value_of(x[0])), 1 / value_of(x[0]), x[0]);
    }
    return x[0];
  }
  /// A function of x; where x does not change its slope may be infinite, such as in sqrt(max(x, 0)).
  static double chained(double value, double, double) { return value; }
  static Dual<1> chained(double value, double slope, const Dual<1>& x) {
    Dual<1> result(value);
    if (x.d[0] != 0) result.d[0] = slope * x.d[0];
    return result;
  }
  static double raised(double x, double n) { return std::pow(x, n); }
  static Dual<1> raised(const Dual<1>& x, const Dual<1>& n) {
    Dual<1> result = pow(x, n.value);
    if (n.d[0] != 0) result.d[0] += result.value * std::log(x.value) * n.d[0];
    return result;
  }
};

/// What an expression lacks to be a control block; empty: nothing.
std::string problem_of(const Expression& expression);
/// The law of an expression without problems.
ExpressionLaw expression_law(const Expression& expression);

}  // namespace trunnion
