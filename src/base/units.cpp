// Reading quantities: a number by std::from_chars, then a small recursive descent over the unit.
// A unit's factor is kept as numerator and denominator, so that `35 mm` becomes exactly the double 0.035.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/units.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "base/diagnostic.h"
#include "base/text.h"

namespace trunnion {

namespace {

constexpr double kPi = 3.14159265358979323846;

struct Unit {
  const char* name;
  double numerator, denominator;  // value in SI = number * numerator / denominator + offset
  Dimension dimension;
  double offset = 0;  // of a scale with a zero point other than SI
};

constexpr Dimension kL{1, 0, 0}, kM{0, 1, 0}, kT{0, 0, 1}, kRad{0, 0, 0, 0, 0, 1}, kV3{3, 0, 0};
constexpr Dimension kN{1, 1, -2}, kPa{-1, 1, -2}, kJ{2, 1, -2}, kW{2, 1, -3}, kPerS{0, 0, -1};
constexpr Dimension kAmp{0, 0, 0, 1}, kVolt{0, 0, 0, 0, 1}, kRadPerS{0, 0, -1, 0, 0, 1}, kKelvin{0, 0, 0, 0, 0, 0, 1};

constexpr Unit kUnits[] = {
    {"m", 1, 1, kL},
    {"mm", 1, 1e3, kL},
    {"cm", 1, 1e2, kL},
    {"km", 1e3, 1, kL},
    {"um", 1, 1e6, kL},
    {"in", 254, 1e4, kL},
    {"ft", 3048, 1e4, kL},
    {"s", 1, 1, kT},
    {"ms", 1, 1e3, kT},
    {"us", 1, 1e6, kT},
    {"min", 60, 1, kT},
    {"h", 3600, 1, kT},
    {"kg", 1, 1, kM},
    {"g", 1, 1e3, kM},
    {"mg", 1, 1e6, kM},
    {"t", 1e3, 1, kM},
    {"lb", 0.45359237, 1, kM},
    {"N", 1, 1, kN},
    {"mN", 1, 1e3, kN},
    {"kN", 1e3, 1, kN},
    {"MN", 1e6, 1, kN},
    {"lbf", 4.4482216152605, 1, kN},
    {"Pa", 1, 1, kPa},
    {"kPa", 1e3, 1, kPa},
    {"MPa", 1e6, 1, kPa},
    {"GPa", 1e9, 1, kPa},
    {"bar", 1e5, 1, kPa},
    {"mbar", 1e2, 1, kPa},
    {"psi", 6894.757293168361, 1, kPa},
    {"rad", 1, 1, kRad},
    {"mrad", 1, 1e3, kRad},
    {"deg", kPi, 180, kRad},
    {"°", kPi, 180, kRad},
    {"Hz", 1, 1, kPerS},
    {"rev", 2 * kPi, 1, kRad},
    {"kHz", 1e3, 1, kPerS},
    {"rpm", kPi, 30, kRadPerS},
    {"L", 1, 1e3, kV3},
    {"l", 1, 1e3, kV3},
    {"mL", 1, 1e6, kV3},
    {"ml", 1, 1e6, kV3},
    {"cc", 1, 1e6, kV3},
    {"uL", 1, 1e9, kV3},
    {"gal", 3.785411784, 1e3, kV3},  // US
    {"J", 1, 1, kJ},
    {"kJ", 1e3, 1, kJ},
    {"MJ", 1e6, 1, kJ},
    {"W", 1, 1, kW},
    {"mW", 1, 1e3, kW},
    {"kW", 1e3, 1, kW},
    {"MW", 1e6, 1, kW},
    {"V", 1, 1, kVolt},
    {"mV", 1, 1e3, kVolt},
    {"A", 1, 1, kAmp},
    {"mA", 1, 1e3, kAmp},
    {"cSt", 1, 1e6, {2, 0, -1}},
    {"K", 1, 1, kKelvin},
    {"degC", 1, 1, kKelvin, 273.15},
    {"°C", 1, 1, kKelvin, 273.15},
};

struct UnitValue {
  double numerator = 1, denominator = 1;
  Dimension dimension;
  double offset = 0;
};

UnitValue power(const UnitValue& u, int n) {
  UnitValue r;
  for (int i = 0; i < std::abs(n); ++i) {
    r.numerator *= n > 0 ? u.numerator : u.denominator;
    r.denominator *= n > 0 ? u.denominator : u.numerator;
  }
  const Dimension& d = u.dimension;
  r.dimension = {d.length * n, d.mass * n, d.time * n, d.current * n, d.voltage * n, d.angle * n, d.temperature * n};
  return r;
}

UnitValue product(const UnitValue& a, const UnitValue& b) {
  const Dimension &p = a.dimension, &q = b.dimension;
  return {a.numerator * b.numerator,
          a.denominator * b.denominator,
          {p.length + q.length, p.mass + q.mass, p.time + q.time, p.current + q.current, p.voltage + q.voltage, p.angle + q.angle,
           p.temperature + q.temperature}};
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// Recursive descent over a unit text; the first problem ends it.
class UnitReader {
 public:
  explicit UnitReader(std::string_view text) : text_(text) {}

  std::optional<UnitValue> read() {
    const auto value = read_product(0);
    if (problem.empty() && at_ < text_.size()) problem = "the unit `" + std::string(text_) + "` cannot be read";
    if (!problem.empty()) return std::nullopt;
    return value;
  }

  std::string problem, hint;

 private:
  static constexpr int kDeepest = 8;   // nested parentheses
  static constexpr int kHighest = 9;   // exponent
  static constexpr int kFactors = 16;  // in one product

  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  bool take(std::string_view token) {
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  UnitValue fail(const std::string& what) {
    if (problem.empty()) problem = what;
    return {};
  }
  UnitValue fail_as_scale() {
    hint = "temperature differences are in K";
    return fail("a temperature scale cannot be part of the unit `" + std::string(text_) + "`");
  }

  UnitValue read_product(int depth) {
    if (depth > kDeepest) return fail("the unit has too many parentheses");
    UnitValue value = read_factor(depth);
    bool divided = false;
    for (int count = 1; problem.empty(); ++count) {
      skip_blanks();
      if (at_ >= text_.size() || text_[at_] == ')') return value;
      if (count == kFactors) return fail("the unit has too many factors");
      const bool quotient = take("/");
      if (!quotient && !take("*")) take("·");
      if (divided && !quotient) {
        hint = "put the divisor in parentheses, as in m^3/(s Pa), or write the quotient last, as in N s/m";
        return fail("the unit `" + std::string(text_) + "` is ambiguous");
      }
      divided = divided || quotient;
      skip_blanks();
      const UnitValue factor = read_factor(depth);
      if (value.offset != 0 || factor.offset != 0) return fail_as_scale();
      value = product(value, power(factor, quotient ? -1 : 1));
    }
    return value;
  }

  UnitValue read_factor(int depth) {
    if (take("(")) {
      const UnitValue inner = read_product(depth + 1);
      skip_blanks();
      if (!take(")")) return fail("a parenthesis is not closed in the unit `" + std::string(text_) + "`");
      return power(inner, read_exponent());
    }
    if (take("1")) return {};
    const std::size_t begin = at_;
    while (at_ < text_.size() && !is_digit(text_[at_]) && !is_blank(text_[at_]) &&
           std::string_view("*/^()-+.,").find(text_[at_]) == std::string_view::npos && text_.substr(at_, 2) != "·")
      ++at_;
    const std::string name(text_.substr(begin, at_ - begin));
    if (name.empty()) return fail("the unit `" + std::string(text_) + "` cannot be read");
    for (const Unit& unit : kUnits)
      if (name == unit.name) {
        UnitValue value = power({unit.numerator, unit.denominator, unit.dimension}, read_exponent());
        if (unit.offset != 0 && value.dimension != unit.dimension) return fail_as_scale();
        value.offset = unit.offset;
        return value;
      }
    const std::string near = nearest_unit(name);
    if (!near.empty()) hint = "did you mean `" + near + "`?";
    return fail("the unit `" + name + "` is not known");
  }

  int read_exponent() {
    const bool caret = take("^");
    const std::size_t begin = at_;
    if (at_ < text_.size() && text_[at_] == '-') ++at_;
    const std::size_t digits = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    if (at_ == digits) {
      at_ = begin;
      if (caret) fail("`^` must be followed by a whole number in the unit `" + std::string(text_) + "`");
      return 1;
    }
    int n = 0;
    const auto result = std::from_chars(text_.data() + begin, text_.data() + at_, n);
    if (result.ec != std::errc{} || std::abs(n) > kHighest) fail("the exponent in the unit `" + std::string(text_) + "` is too large");
    return problem.empty() ? n : 1;
  }

  static std::string nearest_unit(const std::string& name) {
    if (name == "l/min" || name == "lpm") return "L/min";
    if (name == "gpm") return "gal/min";
    return nearest_name(name, unit_names());
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

QuantityText failed(std::string problem, std::string hint = "") { return {std::nullopt, std::move(problem), std::move(hint)}; }

// `3,5 MPa`: the same with a decimal point.
QuantityText decimal_comma(std::string_view text) {
  std::string better(text);
  std::replace(better.begin(), better.end(), ',', '.');
  return failed("`" + std::string(text) + "` has a decimal comma", "write a decimal point: " + better);
}

}  // namespace

QuantityText read_quantity(std::string_view text) {
  text = trimmed(text);
  const std::string quoted = "`" + std::string(text) + "`";
  std::string_view body = text;
  if (!body.empty() && body.front() == '+') body.remove_prefix(1);
  const std::string_view unsigned_body = !body.empty() && body.front() == '-' && body.size() == text.size() ? body.substr(1) : body;
  const bool digit_first = !unsigned_body.empty() && is_digit(unsigned_body[0]);
  const bool point_first = unsigned_body.size() > 1 && unsigned_body[0] == '.' && is_digit(unsigned_body[1]);
  if (!digit_first && !point_first) return failed(quoted + " is not a number");

  Quantity q;
  const auto [end, error] = std::from_chars(body.data(), body.data() + body.size(), q.value);
  if (error != std::errc{}) return failed(quoted + " is outside the range of numbers");
  const std::string_view rest = trimmed(body.substr(static_cast<std::size_t>(end - body.data())));
  if (rest.empty()) return {q, "", ""};
  if (rest.size() > 1 && rest[0] == ',' && is_digit(rest[1])) return decimal_comma(text);

  UnitReader reader(rest);
  const auto unit = reader.read();
  if (!unit) return failed(quoted + " cannot be read: " + reader.problem, reader.hint);
  q.value = q.value * unit->numerator / unit->denominator;
  if (unit->offset != 0) q.value += unit->offset;
  q.dimension = unit->dimension;
  q.has_unit = true;
  if (!std::isfinite(q.value)) return failed(quoted + " is outside the range of numbers");
  return {q, "", ""};
}

bool fits(const Dimension& found, const Measure& measure) {
  if (measure.any) return true;
  const auto same = [&](Dimension expected) {
    Dimension f = found;
    const bool pure_rate = f.length == 0 && f.mass == 0 && f.time != 0;
    if (!pure_rate) f.angle = expected.angle = 0;
    return f == expected;
  };
  return same(measure.dimension) || (measure.other && same(*measure.other));
}

std::string number_text(double value) {
  if (std::isinf(value)) return value > 0 ? ".inf" : "-.inf";
  if (std::isnan(value)) return ".nan";
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return std::string(buffer.data(), end);
}

const std::vector<std::string>& unit_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Unit& unit : kUnits) list.emplace_back(unit.name);
    return list;
  }();
  return names;
}

}  // namespace trunnion
