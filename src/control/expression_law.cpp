// Expressions -> operations of control blocks.
// SPDX-License-Identifier: BSD-3-Clause
#include "control/expression_law.h"

#include <algorithm>

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

ExpressionLaw expression_law(const Expression& expression) {
  ExpressionLaw law{expression.terms, static_cast<int>(expression.names.size())};
  for (ExpressionTerm& t : law.terms)
    if (t.kind == ExpressionTerm::Kind::call) t.index = function_of(expression.functions[t.index]);
  return law;
}

}  // namespace trunnion
