// Expressions: recursive descent by precedence.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/expression.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numbers>

namespace trunnion {

namespace {

constexpr int kDeepest = 100;

class ExpressionParser {
 public:
  explicit ExpressionParser(std::string_view text) : text_(text) {}

  Expression parse() {
    level(0);
    skip();
    if (at_ < text_.size()) wrong("an operator, or the end of the expression");
    return std::move(out_);
  }

 private:
  using Kind = ExpressionTerm::Kind;
  struct Operator {
    const char* word;
    Kind kind;
  };
  static constexpr int kLevels = 5;
  /// Binary operators, which associate to the left, by increasing precedence; longer words first.
  static const std::array<std::vector<Operator>, kLevels>& operators() {
    static const std::array<std::vector<Operator>, kLevels> all{{
        {{"or", Kind::either}},
        {{"and", Kind::both}},
        {{"<=", Kind::less_equal}, {">=", Kind::greater_equal}, {"<", Kind::less}, {">", Kind::greater}},
        {{"+", Kind::add}, {"-", Kind::subtract}},
        {{"*", Kind::multiply}, {"/", Kind::divide}},
    }};
    return all;
  }

  [[noreturn]] void wrong(const std::string& expected) const {
    throw ExpressionError{at_ < text_.size() ? "found `" + std::string(text_.substr(at_)) + "`" : "the expression ends early", expected};
  }
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
  }
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_part(char c) { return is_letter(c) || is_digit(c) || c == '.'; }

  bool accept(std::string_view word) {
    skip();
    if (text_.substr(at_, word.size()) != word) return false;
    const std::size_t end = at_ + word.size();
    if (is_letter(word[0]) && end < text_.size() && is_part(text_[end])) return false;  // the beginning of a name
    at_ = end;
    return true;
  }
  void add(Kind kind, double number = 0, std::size_t index = 0, int arguments = 0) {
    out_.terms.push_back({kind, number, index, arguments});
  }
  static std::size_t index_of(const std::string& name, std::vector<std::string>& list) {
    const auto found = std::find(list.begin(), list.end(), name);
    if (found != list.end()) return static_cast<std::size_t>(found - list.begin());
    list.push_back(name);
    return list.size() - 1;
  }

  void level(int precedence) {
    if (precedence == kLevels) return sign();
    if (precedence == 0 && ++depth_ > kDeepest) wrong("fewer nested brackets");
    level(precedence + 1);
    const std::vector<Operator>& list = operators()[static_cast<std::size_t>(precedence)];
    while (true) {
      const auto found = std::find_if(list.begin(), list.end(), [&](const Operator& o) { return accept(o.word); });
      if (found == list.end()) break;
      level(precedence + 1);
      add(found->kind);
    }
    if (precedence == 0) --depth_;
  }
  void sign() {
    bool negative = false;
    while (true) {
      if (accept("-"))
        negative = !negative;
      else if (!accept("+"))
        break;
    }
    atom();
    if (accept("^")) {
      if (++depth_ > kDeepest) wrong("fewer nested powers");
      sign();
      --depth_;
      add(Kind::power);
    }
    if (negative) add(Kind::negate);
  }
  void atom() {
    constexpr const char* kExpected = "a number, a name, a function or a bracket";
    skip();
    if (at_ >= text_.size()) wrong(kExpected);
    const char c = text_[at_];
    if (accept("(")) {
      level(0);
      if (!accept(")")) wrong("`)`");
    } else if (is_digit(c) || c == '.') {
      double value = 0;
      const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
      if (error != std::errc{}) wrong("a number");
      at_ = static_cast<std::size_t>(end - text_.data());
      add(Kind::number, value);
    } else if (c == '\'' || c == '"') {
      const std::size_t end = text_.find(c, at_ + 1);
      if (end == std::string_view::npos) wrong("a name between two quotes");
      add(Kind::name, 0, index_of(std::string(text_.substr(at_ + 1, end - at_ - 1)), out_.names));
      at_ = end + 1;
    } else if (is_letter(c)) {
      std::size_t end = at_;
      while (end < text_.size() && is_part(text_[end])) ++end;
      const std::string name(text_.substr(at_, end - at_));
      at_ = end;
      if (accept("("))
        call(name);
      else if (name == "pi")
        add(Kind::number, std::numbers::pi);
      else
        add(Kind::name, 0, index_of(name, out_.names));
    } else {
      wrong(kExpected);
    }
  }
  void call(const std::string& name) {
    const std::size_t index = index_of(name, out_.functions);
    int arguments = 0;
    while (!accept(")")) {
      if (arguments > 0 && !accept(",")) wrong("`,` or `)`");
      level(0);
      ++arguments;
    }
    add(Kind::call, 0, index, arguments);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  Expression out_;
};

}  // namespace

Expression parse_expression(std::string_view text) { return ExpressionParser(text).parse(); }

}  // namespace trunnion
