// Expressions -> operations of control blocks.
// SPDX-License-Identifier: BSD-3-Clause
#include "control/expression_law.h"

#include <algorithm>

#include "base/scalar.h"
#include "control/block.h"

namespace trunnion {

namespace {

/// Number of a function; kFunctions.size(): there is none.
std::size_t function_of(const std::string& name) {
  const auto& all = ExpressionLaw::kFunctions;
  return static_cast<std::size_t>(
      std::find_if(all.begin(), all.end(), [&](const ExpressionLaw::NamedFunction& f) { return name == f.name; }) - all.begin());
}

}  // namespace

std::string problem_of(const Expression& expression) {
  const auto& all = ExpressionLaw::kFunctions;
  int depth = 0, deepest = 0;
  for (const ExpressionTerm& t : expression.terms) {
    if (t.kind == ExpressionTerm::Kind::call) {
      const std::string& name = expression.functions[t.index];
      const std::size_t function = function_of(name);
      if (function == all.size()) {
        std::string known;
        for (const ExpressionLaw::NamedFunction& other : all) known += std::string(known.empty() ? "" : ", ") + other.name;
        return "there is no function `" + name + "`; functions are " + known;
      }
      if (t.arguments != all[function].arguments)
        return "`" + name + "` has " + std::to_string(all[function].arguments) + " arguments, found " + std::to_string(t.arguments);
    }
    depth += 1 - ExpressionLaw::arguments_of(t);
    deepest = std::max(deepest, depth);
  }
  if (deepest > kMaxExpressionDepth) return "the expression is nested too deeply";
  if (expression.names.size() > static_cast<std::size_t>(kMaxBlockInputs))
    return "the expression reads " + std::to_string(expression.names.size()) + " quantities; at most " + std::to_string(kMaxBlockInputs);
  return "";
}

/// Of a comparison the difference of its sides, of `and` and `or` the smaller and the larger excess, of other terms the value less 0.5.
double ExpressionLaw::excess(const double* u, const double* c) const {
  double stack[kMaxExpressionDepth + 2] = {}, over[kMaxExpressionDepth + 2] = {};  // a term may have up to three arguments
  int n = 0;
  for (const ExpressionTerm& t : terms) {
    n -= arguments_of(t);
    double* const x = stack + n;
    double* const by = over + n;
    ++n;
    const double first = by[0], second = by[1], difference = x[0] - x[1];
    const bool chosen = holds(x[0]);
    const auto function = static_cast<Function>(t.index);
    x[0] = t.kind == Kind::number ? t.number
           : t.kind == Kind::name ? u[t.index]
           : t.kind == Kind::call ? apply(function, x)
                                  : apply(t.kind, x);
    by[0] = x[0] - 0.5;
    if (t.kind == Kind::name) by[0] = c[t.index];
    if (t.kind == Kind::less || t.kind == Kind::less_equal) by[0] = -difference;
    if (t.kind == Kind::greater || t.kind == Kind::greater_equal) by[0] = difference;
    if (t.kind == Kind::both) by[0] = min(first, second);
    if (t.kind == Kind::either) by[0] = max(first, second);
    if (t.kind == Kind::call && function == Function::invert) by[0] = -first;
    if (t.kind == Kind::call && function == Function::choose) by[0] = chosen ? second : by[2];
  }
  return over[0];
}

ExpressionLaw expression_law(const Expression& expression) {
  ExpressionLaw law{expression.terms, static_cast<int>(expression.names.size())};
  for (ExpressionTerm& t : law.terms)
    if (t.kind == ExpressionTerm::Kind::call) t.index = function_of(expression.functions[t.index]);
  return law;
}

}  // namespace trunnion
