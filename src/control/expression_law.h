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

namespace trunnion {

/// Largest number of values held during an evaluation.
inline constexpr int kMaxExpressionDepth = 64;

struct ExpressionLaw {
  enum class Operation : unsigned char {
    number,
    input,
    add,
    subtract,
    multiply,
    divide,
    power,
    negate,
    less,
    less_equal,
    greater,
    greater_equal,
    both,
    either,
    invert,
    choose,
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
    direction
  };
  struct Term {
    Operation operation;
    double number = 0;
    int input = 0;
  };
  struct Function {
    const char* name;
    int arguments;
    Operation operation;
  };
  static constexpr std::array<Function, 13> kFunctions{{{"min", 2, Operation::minimum},
                                                        {"max", 2, Operation::maximum},
                                                        {"clamp", 3, Operation::clamp},
                                                        {"abs", 1, Operation::magnitude},
                                                        {"sign", 1, Operation::sign},
                                                        {"sqrt", 1, Operation::root},
                                                        {"exp", 1, Operation::exponential},
                                                        {"sin", 1, Operation::sine},
                                                        {"cos", 1, Operation::cosine},
                                                        {"tanh", 1, Operation::hyperbolic_tangent},
                                                        {"atan2", 2, Operation::direction},
                                                        {"not", 1, Operation::invert},
                                                        {"if", 3, Operation::choose}}};

  std::vector<Term> terms;  // postfix
  int count = 0;            // of inputs: the names of the expression in their order

  int inputs() const { return count; }
  template <class S>
  S value(const S* u, const S*) const {
    S stack[kMaxExpressionDepth];
    int n = 0;
    for (const Term& t : terms) {
      if (t.operation == Operation::number) {
        stack[n++] = S(t.number);
        continue;
      }
      if (t.operation == Operation::input) {
        stack[n++] = u[t.input];
        continue;
      }
      n -= arguments_of(t.operation);
      stack[n] = apply(t.operation, stack + n);
      ++n;
    }
    return stack[0];
  }

  static int arguments_of(Operation operation) {
    for (const Function& f : kFunctions)
      if (f.operation == operation) return f.arguments;
    return operation == Operation::negate ? 1 : 2;
  }

 private:
  template <class S>
  static S apply(Operation operation, const S* x) {
    using std::sqrt, std::exp, std::sin, std::cos, std::tanh, std::atan2;
    const auto holds = [](const S& condition) { return condition > S(0.5); };
    switch (operation) {
      case Operation::add:
        return x[0] + x[1];
      case Operation::subtract:
        return x[0] - x[1];
      case Operation::multiply:
        return x[0] * x[1];
      case Operation::divide:
        return x[0] / x[1];
      case Operation::power:
        return raised(x[0], x[1]);
      case Operation::negate:
        return S(0) - x[0];
      case Operation::less:
        return S(x[0] < x[1] ? 1 : 0);
      case Operation::less_equal:
        return S(x[0] <= x[1] ? 1 : 0);
      case Operation::greater:
        return S(x[0] > x[1] ? 1 : 0);
      case Operation::greater_equal:
        return S(x[0] >= x[1] ? 1 : 0);
      case Operation::both:
        return S(holds(x[0]) && holds(x[1]) ? 1 : 0);
      case Operation::either:
        return S(holds(x[0]) || holds(x[1]) ? 1 : 0);
      case Operation::invert:
        return S(holds(x[0]) ? 0 : 1);
      case Operation::choose:
        return holds(x[0]) ? x[1] : x[2];
      case Operation::minimum:
        return min(x[0], x[1]);
      case Operation::maximum:
        return max(x[0], x[1]);
      case Operation::clamp:
        return min(S(max(x[0], x[1])), x[2]);
      case Operation::magnitude:
        return x[0] < S(0) ? S(S(0) - x[0]) : x[0];
      case Operation::sign:
        return S(x[0] > S(0) ? 1 : x[0] < S(0) ? -1 : 0);
      case Operation::root:
        return sqrt(x[0]);
      case Operation::exponential:
        return exp(x[0]);
      case Operation::sine:
        return sin(x[0]);
      case Operation::cosine:
        return cos(x[0]);
      case Operation::hyperbolic_tangent:
        return tanh(x[0]);
      case Operation::direction:
        return atan2(x[0], x[1]);
      default:
        return x[0];
    }
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
