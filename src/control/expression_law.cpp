// Expressions -> operations of control blocks.
// SPDX-License-Identifier: BSD-3-Clause
#include "control/expression_law.h"

#include <algorithm>

#include "control/block.h"

namespace trunnion {

namespace {

using Operation = ExpressionLaw::Operation;
using Kind = ExpressionTerm::Kind;

const ExpressionLaw::Function* function_of(const std::string& name) {
  const auto found = std::find_if(ExpressionLaw::kFunctions.begin(), ExpressionLaw::kFunctions.end(),
                                  [&](const ExpressionLaw::Function& f) { return name == f.name; });
  return found == ExpressionLaw::kFunctions.end() ? nullptr : &*found;
}

Operation operation_of(Kind kind) {
  switch (kind) {
    case Kind::add:
      return Operation::add;
    case Kind::subtract:
      return Operation::subtract;
    case Kind::multiply:
      return Operation::multiply;
    case Kind::divide:
      return Operation::divide;
    case Kind::power:
      return Operation::power;
    case Kind::negate:
      return Operation::negate;
    case Kind::less:
      return Operation::less;
    case Kind::less_equal:
      return Operation::less_equal;
    case Kind::greater:
      return Operation::greater;
    case Kind::greater_equal:
      return Operation::greater_equal;
    case Kind::both:
      return Operation::both;
    case Kind::either:
      return Operation::either;
    case Kind::name:
      return Operation::input;
    default:
      return Operation::number;
  }
}

}  // namespace

std::string problem_of(const Expression& expression) {
  int depth = 0, deepest = 0;
  for (const ExpressionTerm& t : expression.terms) {
    if (t.kind == Kind::call) {
      const std::string& name = expression.functions[t.index];
      const ExpressionLaw::Function* f = function_of(name);
      if (f == nullptr) {
        std::string known;
        for (const ExpressionLaw::Function& other : ExpressionLaw::kFunctions) known += std::string(known.empty() ? "" : ", ") + other.name;
        return "there is no function `" + name + "`; functions are " + known;
      }
      if (t.arguments != f->arguments)
        return "`" + name + "` has " + std::to_string(f->arguments) + " arguments, found " + std::to_string(t.arguments);
      depth += 1 - t.arguments;
    } else {
      const Operation operation = operation_of(t.kind);
      depth += operation == Operation::number || operation == Operation::input ? 1 : 1 - ExpressionLaw::arguments_of(operation);
    }
    deepest = std::max(deepest, depth);
  }
  if (deepest > kMaxExpressionDepth) return "the expression is nested too deeply";
  if (expression.names.size() > static_cast<std::size_t>(kMaxBlockInputs))
    return "the expression reads " + std::to_string(expression.names.size()) + " quantities; at most " + std::to_string(kMaxBlockInputs);
  return "";
}

ExpressionLaw expression_law(const Expression& expression) {
  ExpressionLaw law;
  law.count = static_cast<int>(expression.names.size());
  for (const ExpressionTerm& t : expression.terms)
    law.terms.push_back({t.kind == Kind::call ? function_of(expression.functions[t.index])->operation : operation_of(t.kind), t.number,
                         static_cast<int>(t.index)});
  return law;
}

}  // namespace trunnion
