// Key figures: text to postfix expressions, and their evaluation.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/kpi.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

#include "base/diagnostic.h"
#include "base/units.h"

namespace trunnion {

namespace {

constexpr double kNoFigure = std::numeric_limits<double>::quiet_NaN();
constexpr std::array<const char*, 9> kFigureWords{"max", "min", "mean", "rms", "range", "initial", "final", "integral", "at"};
constexpr const char* kFunctionList = "max, min, mean, rms, range, initial, final, integral, at(course, time), abs, sqrt";
constexpr int kDeepestBrackets = 100;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// What is wrong with a definition.
struct WrongKpi {
  std::string found, expected, hint;
};

}  // namespace

/// Recursive descent: sum -> product -> power -> sign -> atom.
class KpiParser {
 public:
  KpiParser(KpiSet& set, std::string_view text, double duration) : set_(set), text_(text), duration_(duration) {}

  KpiSet::Expression parse() {
    KpiSet::Expression expression;
    sum(expression);
    skip();
    if (at_ < text_.size()) wrong("found `" + std::string(text_.substr(at_)) + "`", "the end of the expression, or + - * / ^");
    return expression;
  }

 private:
  using Operation = KpiSet::Operation;

  [[noreturn]] static void wrong(const std::string& found, const std::string& expected, const std::string& hint = "") {
    throw WrongKpi{found, expected, hint};
  }
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool accept(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void require(char c) {
    if (!accept(c))
      wrong(at_ < text_.size() ? "found `" + std::string(text_.substr(at_)) + "`" : "the expression ends early", fmt::format("`{}`", c));
  }
  void add(KpiSet::Expression& out, Operation operation, double number = 0, std::size_t index = 0) {
    out.push_back({operation, number, index});
    set_.deepest_ = std::max(set_.deepest_, out.size());  // an upper limit
  }

  void sum(KpiSet::Expression& out) {
    if (++depth_ > kDeepestBrackets) wrong("brackets are nested too deeply", fmt::format("at most {}", kDeepestBrackets));
    product(out);
    while (true) {
      const bool plus = accept('+');
      if (!plus && !accept('-')) break;
      product(out);
      add(out, plus ? Operation::add : Operation::subtract);
    }
    --depth_;
  }
  void product(KpiSet::Expression& out) {
    sign(out);
    while (true) {
      const bool times = accept('*');
      if (!times && !accept('/')) return;
      sign(out);
      add(out, times ? Operation::multiply : Operation::divide);
    }
  }
  void sign(KpiSet::Expression& out) {
    bool negative = false;
    while (true) {
      if (accept('-'))
        negative = !negative;
      else if (!accept('+'))
        break;
    }
    atom(out);
    if (accept('^')) {
      if (++depth_ > kDeepestBrackets) wrong("powers are nested too deeply", fmt::format("at most {}", kDeepestBrackets));
      sign(out);
      --depth_;
      add(out, Operation::power);
    }
    if (negative) add(out, Operation::negate);
  }
  void atom(KpiSet::Expression& out) {
    skip();
    if (at_ >= text_.size()) wrong("the expression ends early", "a function such as max(lift.force), or a number");
    const char c = text_[at_];
    if (accept('(')) {
      sum(out);
      return require(')');
    }
    if (is_digit(c) || c == '.') return number(out);
    if (c == '\'' || c == '"') {
      const std::size_t end = text_.find(c, at_ + 1);
      if (end == std::string_view::npos) wrong("a quote is not closed", fmt::format("{}name{}", c, c));
      const std::string name(text_.substr(at_ + 1, end - at_ - 1));
      at_ = end + 1;
      return channel(name, out);
    }
    if (!is_letter(c)) wrong("found `" + std::string(text_.substr(at_)) + "`", "a function such as max(lift.force), or a number");
    std::size_t end = at_;
    while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]) || text_[end] == '.')) ++end;
    const std::string name(text_.substr(at_, end - at_));
    at_ = end;
    if (accept('(')) return function(name, out);
    channel(name, out);
  }
  void number(KpiSet::Expression& out) {
    double value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc{}) wrong("found `" + std::string(text_.substr(at_)) + "`", "a number");
    at_ = static_cast<std::size_t>(end - text_.data());
    add(out, Operation::number, value);
  }
  void channel(const std::string& name, KpiSet::Expression& out) {
    if (!in_course_)
      wrong("`" + name + "` is a course over time", "a number of it: max(" + name + "), final(" + name + "), ...",
            std::string("the functions are ") + kFunctionList);
    const auto known = std::find(set_.channels_.begin(), set_.channels_.end(), name);
    add(out, Operation::channel, 0, static_cast<std::size_t>(known - set_.channels_.begin()));
    if (known == set_.channels_.end()) set_.channels_.push_back(name);
  }
  void function(const std::string& name, KpiSet::Expression& out) {
    if (name == "abs" || name == "sqrt") {
      sum(out);
      require(')');
      return add(out, name == "abs" ? Operation::abs : Operation::sqrt);
    }
    const auto word = std::find(kFigureWords.begin(), kFigureWords.end(), name);
    if (word == kFigureWords.end()) {
      const std::string near = nearest_name(name, {kFigureWords.begin(), kFigureWords.end()});
      wrong("there is no function `" + name + "`", std::string("one of ") + kFunctionList,
            near.empty() ? "" : "did you mean `" + near + "`?");
    }
    if (in_course_) wrong("`" + name + "` inside of another function", "channels, numbers, abs and sqrt there");
    KpiSet::Figure figure{static_cast<KpiSet::Function>(word - kFigureWords.begin()), {}, 0};
    in_course_ = true;
    sum(figure.course);
    in_course_ = false;
    if (figure.function == KpiSet::Function::at) {
      require(',');
      figure.time = time();
    }
    require(')');
    set_.figures_.push_back(std::move(figure));
    add(out, Operation::figure, 0, set_.figures_.size() - 1);
  }
  /// A time up to the closing bracket.
  double time() {
    const std::size_t end = std::min(text_.find(')', at_), text_.size());
    const QuantityText read = read_quantity(text_.substr(at_, end - at_));
    const std::string found = fmt::format("the time `{}`", text_.substr(at_, end - at_));
    if (!read.quantity || (read.quantity->has_unit && !fits(read.quantity->dimension, kTime)))
      wrong(found, "a time, such as 1.5 or 500 ms");
    if (read.quantity->value < 0 || read.quantity->value > duration_)
      wrong(found + " is outside the run", fmt::format("0 to {:g} s", duration_));
    at_ = end;
    return read.quantity->value;
  }

  KpiSet& set_;
  std::string_view text_;
  double duration_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool in_course_ = false;
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
    const bool plain = !is_digit(name.front()) && std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c); });
    if (!plain) refuse(name, {"the name has other characters than letters, digits and `_`", "a name such as p_max", ""});
    if (std::find(names_.begin(), names_.end(), name) != names_.end()) refuse(name, {"the name occurs twice", "every name once", ""});
    names_.push_back(name);
    expressions_.push_back(definition.substr(equals + 1));
    try {
      results_.push_back(KpiParser(*this, expressions_.back(), duration).parse());
    } catch (const WrongKpi& why) { refuse(name, why); }
  }
  if (!findings.empty()) throw InputError(std::move(findings));
}

template <class Read>
double KpiSet::value_of(const Expression& expression, double* stack, const Read& read) {
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
  for (const KpiSet::Expression& expression : set_.results_)
    results.push_back(KpiSet::value_of(expression, stack_.data(), [&](std::size_t i) { return figures[i]; }));
  return results;
}

}  // namespace trunnion
