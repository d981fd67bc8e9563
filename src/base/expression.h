// Arithmetic expressions as text: `2 * (target - lift.length) + max(0, rate)`, parsed to postfix form. Names and functions have the meaning
// that their users give them.
//   operators   or, and, < <= > >=, + -, * /, unary - +, ^ (right-associative), by increasing precedence
//   names       letters, digits, `_` and `.`, beginning with a letter; others in quotes; names before `(` are functions; `pi` is a number
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace trunnion {

struct ExpressionTerm {
  enum class Kind {
    number,
    name,
    call,
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
    either
  };
  Kind kind = Kind::number;
  double number = 0;
  std::size_t index = 0;  // of the name, or of the function
  int arguments = 0;      // of a call
};

struct Expression {
  std::vector<ExpressionTerm> terms;          // postfix
  std::vector<std::string> names, functions;  // each once, in the order of their first use
};

/// What is wrong with an expression.
struct ExpressionError {
  std::string found, expected;
};

/// Throws ExpressionError.
Expression parse_expression(std::string_view text);

}  // namespace trunnion
