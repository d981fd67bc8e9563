// Key figures: what names and functions of expressions mean, and their evaluation.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/kpi.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/diagnostic.h"
#include "base/expression.h"

namespace trunnion {

namespace {

constexpr double kNoFigure = std::numeric_limits<double>::quiet_NaN();
constexpr std::array<const char*, 9> kFigureWords{"max", "min", "mean", "rms", "range", "initial", "final", "integral", "at"};
constexpr const char* kFunctionList = "max, min, mean, rms, range, initial, final, integral, at(course, time), abs, sqrt";
/// What is wrong with a definition.
struct WrongKpi {
  std::string found, expected, hint;
};

[[noreturn]] void wrong_kpi(const std::string& found, const std::string& expected, const std::string& hint = "") {
  throw WrongKpi{found, expected, hint};
}

}  // namespace

template <class Read>
double KpiSet::value_of(const Terms& expression, double* stack, const Read& read) {
  double* top = stack - 1;
  for (const Term& term : expression) {
    switch (term.operation) {
      case Operation::number:
        *++top = term.number;
        break;
      case Operation::channel:
      case Operation::figure:
        *++top = read(term.index);
        break;
      case Operation::negate:
        *top = -*top;
        break;
      case Operation::abs:
        *top = std::abs(*top);
        break;
      case Operation::sqrt:
        *top = std::sqrt(*top);
        break;
      case Operation::add:
        --top, *top += top[1];
        break;
      case Operation::subtract:
        --top, *top -= top[1];
        break;
      case Operation::multiply:
        --top, *top *= top[1];
        break;
      case Operation::divide:
        --top, *top /= top[1];
        break;
      case Operation::power:
        --top, *top = std::pow(*top, top[1]);
        break;
    }
  }
  return *top;
}

/// Operands of a parsed expression, from left to right: values of key figures, or courses.
class KpiTranslator {
 public:
  KpiTranslator(KpiSet& set, const Expression& parsed, double duration) : set_(set), parsed_(parsed), duration_(duration) {}

  KpiSet::Terms translate() {
    for (const ExpressionTerm& term : parsed_.terms) add(term);
    const Operand result = pop();
    if (!result.channel.empty())
      wrong_kpi("`" + result.channel + "` is a course over time",
                "a number of it: max(" + result.channel + "), final(" + result.channel + "), ...",
                std::string("the functions are ") + kFunctionList);
    return result.terms;
  }

 private:
  using Operation = KpiSet::Operation;
  struct Operand {
    KpiSet::Terms terms;
    std::string channel, figure;  // one of those in it; empty: there is none
  };

  Operand pop() {
    Operand last = std::move(operands_.back());
    operands_.pop_back();
    set_.deepest_ = std::max(set_.deepest_, last.terms.size());  // an upper limit
    return last;
  }
  void add(const ExpressionTerm& term) {
    using Kind = ExpressionTerm::Kind;
    switch (term.kind) {
      case Kind::number:
        return operands_.push_back({{{Operation::number, term.number, 0}}, "", ""});
      case Kind::name:
        return channel(parsed_.names[term.index]);
      case Kind::call:
        return call(parsed_.functions[term.index], term.arguments);
      case Kind::negate:
        return unary(Operation::negate);
      case Kind::add:
        return binary(Operation::add);
      case Kind::subtract:
        return binary(Operation::subtract);
      case Kind::multiply:
        return binary(Operation::multiply);
      case Kind::divide:
        return binary(Operation::divide);
      case Kind::power:
        return binary(Operation::power);
      default:
        wrong_kpi("comparisons, `and` and `or` are not possible", "numbers, channels, + - * / ^ and functions");
    }
  }
  void channel(const std::string& name) {
    const auto known = std::find(set_.channels_.begin(), set_.channels_.end(), name);
    operands_.push_back({{{Operation::channel, 0, static_cast<std::size_t>(known - set_.channels_.begin())}}, name, ""});
    if (known == set_.channels_.end()) set_.channels_.push_back(name);
  }
  void unary(Operation operation) { operands_.back().terms.push_back({operation, 0, 0}); }
  void binary(Operation operation) {
    const Operand right = pop();
    Operand& left = operands_.back();
    left.terms.insert(left.terms.end(), right.terms.begin(), right.terms.end());
    if (left.channel.empty()) left.channel = right.channel;
    if (left.figure.empty()) left.figure = right.figure;
    unary(operation);
  }
  void call(const std::string& name, int arguments) {
    const auto word = std::find(kFigureWords.begin(), kFigureWords.end(), name);
    const bool of_values = name == "abs" || name == "sqrt";
    if (word == kFigureWords.end() && !of_values) {
      const std::string near = nearest_name(name, {kFigureWords.begin(), kFigureWords.end()});
      wrong_kpi("there is no function `" + name + "`", std::string("one of ") + kFunctionList,
                near.empty() ? "" : "did you mean `" + near + "`?");
    }
    const int wanted = name == "at" ? 2 : 1;
    if (arguments != wanted)
      wrong_kpi(fmt::format("`{}` has {} arguments", name, arguments), wanted == 2 ? "at(course, time)" : name + "(course)");
    if (of_values) return unary(name == "abs" ? Operation::abs : Operation::sqrt);
    const double time = name == "at" ? number_of_seconds(pop()) : 0;
    Operand course = pop();
    if (!course.figure.empty()) wrong_kpi("`" + course.figure + "` inside of another function", "channels, numbers, abs and sqrt there");
    set_.figures_.push_back({static_cast<KpiSet::Function>(word - kFigureWords.begin()), std::move(course.terms), time});
    operands_.push_back({{{Operation::figure, 0, set_.figures_.size() - 1}}, "", name});
  }
  double number_of_seconds(const Operand& time) const {
    if (!time.channel.empty() || !time.figure.empty()) wrong_kpi("the time of `at` is not a number", "a number of seconds, such as 1.5");
    std::vector<double> stack(time.terms.size());
    const double value = KpiSet::value_of(time.terms, stack.data(), [](std::size_t) { return kNoFigure; });
    if (!(value >= 0 && value <= duration_))
      wrong_kpi(fmt::format("the time {:g} s is outside the run", value), fmt::format("0 to {:g} s", duration_));
    return value;
  }

  KpiSet& set_;
  const Expression& parsed_;
  double duration_;
  std::vector<Operand> operands_;
};

KpiSet::KpiSet(const std::vector<std::string>& definitions, double duration) {
  std::vector<Diagnostic> findings;
  for (const std::string& definition : definitions) {
    const std::size_t equals = definition.find('=');
    const auto refuse = [&](const std::string& name, const WrongKpi& why) {
      findings.push_back({{"--kpi", 0, 0}, name, why.found, why.expected, why.hint});
    };
    if (equals == std::string::npos || equals == 0) {
      refuse("", {"found `" + definition + "`", "name=expression, such as p_max=max(lift_A.pressure)", ""});
      continue;
    }
    const std::string name = definition.substr(0, equals);
    const bool plain = name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string::npos &&
                       name.find_first_of("0123456789") != 0;
    if (!plain) refuse(name, {"the name has other characters than letters, digits and `_`", "a name such as p_max", ""});
    if (std::find(names_.begin(), names_.end(), name) != names_.end()) refuse(name, {"the name occurs twice", "every name once", ""});
    names_.push_back(name);
    expressions_.push_back(definition.substr(equals + 1));
    try {
      const Expression parsed = parse_expression(expressions_.back());
      results_.push_back(KpiTranslator(*this, parsed, duration).translate());
    } catch (const WrongKpi& why) { refuse(name, why); } catch (const ExpressionError& error) {
      refuse(name, {error.found, error.expected, ""});
    }
  }
  if (!findings.empty()) throw InputError(std::move(findings));
}

KpiValues::KpiValues(const KpiSet& set) : set_(set), accumulators_(set.figures_.size()), stack_(set.deepest_) {}

void KpiValues::add(double time, const double* channels) {
  if (!any_) begin_ = time_ = time;
  const auto read = [channels](std::size_t i) { return channels[i]; };
  for (std::size_t i = 0; i < accumulators_.size(); ++i) {
    const KpiSet::Figure& figure = set_.figures_[i];
    add(figure, accumulators_[i], time, KpiSet::value_of(figure.course, stack_.data(), read));
  }
  time_ = time;
  any_ = true;
}

void KpiValues::add(const KpiSet::Figure& figure, Accumulator& c, double time, double value) const {
  using Function = KpiSet::Function;
  if (!any_) c = {value, value, value, value, 0, 0, value, time >= figure.time};
  const double h = time - time_, before = c.last;
  switch (figure.function) {
    case Function::max:
    case Function::min:
    case Function::range:
      c.max = value > c.max || std::isnan(value) ? value : c.max;  // a value that is not finite stays
      c.min = value < c.min || std::isnan(value) ? value : c.min;
      break;
    case Function::mean:
    case Function::integral:
      c.integral += h * (before + value) / 2;
      break;
    case Function::rms:
      c.squares += h * (before * before + value * value) / 2;
      break;
    case Function::at:
      if (!c.passed && time >= figure.time) {
        c.passed = true;
        c.there = time > figure.time && h > 0 ? before + (value - before) * ((figure.time - time_) / h) : value;
      }
      break;
    case Function::initial:
    case Function::final:
      break;
  }
  c.last = value;
}

double KpiValues::result(const KpiSet::Figure& figure, const Accumulator& c) const {
  using Function = KpiSet::Function;
  const double length = time_ - begin_;
  switch (figure.function) {
    case Function::max:
      return c.max;
    case Function::min:
      return c.min;
    case Function::range:
      return c.max - c.min;
    case Function::mean:
      return length > 0 ? c.integral / length : c.last;
    case Function::rms:
      return length > 0 ? std::sqrt(c.squares / length) : std::abs(c.last);
    case Function::integral:
      return c.integral;
    case Function::initial:
      return c.first;
    case Function::final:
      return c.last;
    case Function::at:
      break;
  }
  return c.passed ? c.there : kNoFigure;
}

std::vector<double> KpiValues::results() {
  std::vector<double> figures(accumulators_.size(), kNoFigure), results;
  for (std::size_t i = 0; i < accumulators_.size() && any_; ++i) figures[i] = result(set_.figures_[i], accumulators_[i]);
  for (const KpiSet::Terms& expression : set_.results_)
    results.push_back(KpiSet::value_of(expression, stack_.data(), [&](std::size_t i) { return figures[i]; }));
  return results;
}

}  // namespace trunnion
