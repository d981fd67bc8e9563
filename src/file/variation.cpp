// Values to try at paths of a model file.
// SPDX-License-Identifier: BSD-3-Clause
#include "file/variation.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <set>

#include "base/diagnostic.h"
#include "base/text.h"
#include "base/units.h"
#include "file/input.h"

namespace trunnion {

namespace {

constexpr std::size_t kMostValues = 1'000'000;  // of a range, of a sample
constexpr double kMostRuns = 1e6;

[[noreturn]] void refuse(const std::string& option, const std::string& path, const std::string& found, const std::string& expected,
                         const std::string& hint = "") {
  throw InputError({Diagnostic{{option, 0, 0}, path, found, expected, hint}});
}

/// Parts between separators outside brackets and quotes.
std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  int depth = 0;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '{' || c == '(') {
      ++depth;
    } else if (c == ']' || c == '}' || c == ')') {
      --depth;
    } else if (c == separator && depth == 0) {
      parts.emplace_back();
      continue;
    }
    parts.back() += c;
  }
  return parts;
}

std::string in_unit(const std::string& number, const std::string& unit) { return unit.empty() ? number : number + " " + unit; }

/// The numbers of `a:b` or `a:b:step`; empty: the value is none of these.
std::vector<double> numbers_of(const std::string& option, const std::string& path, const std::string& value, std::string& unit) {
  const std::vector<std::string> parts = split(value, ':');
  if (parts.size() < 2 || parts.size() > 3) return {};
  std::vector<NumberAndUnit> read;
  for (const std::string& part : parts) {
    const auto number = number_and_unit(part);
    if (!number) return {};
    read.push_back(*number);
  }
  unit = read.back().unit;
  std::vector<double> numbers;
  for (const NumberAndUnit& number : read) {
    if (!number.unit.empty() && number.unit != unit)
      refuse(option, path, fmt::format("the range `{}` mixes units", trimmed(value)), "one unit, such as 50:80:5 mm");
    numbers.push_back(number.number);
  }
  return numbers;
}

/// a, a + step, ... to b, with 12 digits, so that 0.1:0.5:0.1 has 0.3.
void add_steps(const std::string& option, const std::string& path, const std::string& value, const std::vector<double>& numbers,
               const std::string& unit, std::vector<std::string>& values) {
  constexpr double kNear = 1e-9;  // of a step: the end belongs to the range
  const double a = numbers[0], b = numbers[1], step = numbers[2];
  if (!(step != 0) || (b - a) * step < 0)
    refuse(option, path, fmt::format("the steps of `{}` do not lead from its begin to its end", trimmed(value)),
           "a step above 0 for a rising range, such as 50:80:5 mm, below 0 for a falling one");
  const double steps = std::floor((b - a) / step + kNear);
  if (!(steps < static_cast<double>(kMostValues)))
    refuse(option, path, fmt::format("the range `{}` has too many values", trimmed(value)), fmt::format("at most {}", kMostValues));
  for (std::size_t i = 0; i <= static_cast<std::size_t>(steps); ++i) {
    const double number = std::fma(static_cast<double>(i), step, a);
    values.push_back(in_unit(fmt::format("{:.12g}", std::abs(number) > kNear * std::abs(step) ? number : 0.0), unit));
  }
}

// ---------------------------------------------------------------- random numbers

/// SplitMix64: equal on all machines. Source: G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014, figure 16.
class RandomBits {
 public:
  explicit RandomBits(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
  /// 0 to n - 1, all equally probable.
  std::uint64_t below(std::uint64_t n) {
    const std::uint64_t most = UINT64_MAX - UINT64_MAX % n;
    std::uint64_t bits = next();
    while (bits >= most) bits = next();
    return bits % n;
  }
  /// 0 to 1, without 1.
  double fraction() { return static_cast<double>(next() >> 11U) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace

std::optional<NumberAndUnit> number_and_unit(const std::string& text) {
  const std::string part(trimmed(text));
  const char* const begin = part.data() + (part.starts_with('+') ? 1 : 0);
  NumberAndUnit read;
  const auto [end, error] = std::from_chars(begin, part.data() + part.size(), read.number);
  if (error != std::errc{} || !read_quantity(part).quantity) return std::nullopt;
  read.unit = trimmed(std::string(end, part.data() + part.size()));
  return read;
}

VariedValues read_variation(const std::string& text, const std::string& option) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    refuse(option, "", "found `" + text + "`", "path=v1,v2,..., such as solver.step=1ms,2ms, or path=a:b:step");
  VariedValues variation;
  variation.path = text.substr(0, equals);
  const std::vector<std::string> values = split(text.substr(equals + 1), ',');
  for (const std::string& value : values) {
    if (trimmed(value).empty()) refuse(option, variation.path, "a value is empty", "values separated by commas");
    std::string unit;
    const std::vector<double> numbers = numbers_of(option, variation.path, value, unit);
    if (numbers.size() == 3) {
      add_steps(option, variation.path, value, numbers, unit, variation.values);
    } else if (numbers.size() == 2) {
      if (values.size() > 1 || !(numbers[0] < numbers[1]))
        refuse(option, variation.path, fmt::format("the range `{}` {}", trimmed(value), values.size() > 1 ? "has no step" : "is empty"),
               values.size() > 1 ? "a:b:step in a list of values" : "a:b with a below b");
      variation.range = {numbers[0], numbers[1], unit};
    } else {
      variation.values.push_back(value);
    }
    if (variation.values.size() > kMostValues)
      refuse(option, variation.path, "there are too many values", fmt::format("at most {}", kMostValues));
  }
  return variation;
}

VariedPath split_vary(const std::string& text, const std::string& option) {
  VariedValues variation = read_variation(text, option);
  if (variation.range)
    refuse(option, variation.path, "the range has no step", "a:b:step, such as 50:80:5 mm", "a:b is for samples of a sweep");
  return {std::move(variation.path), std::move(variation.values)};
}

std::vector<std::vector<std::string>> combinations(const std::vector<VariedPath>& variations) {
  std::vector<std::vector<std::string>> all{{}};
  for (const auto& [path, values] : variations) {
    std::vector<std::vector<std::string>> longer;
    for (const auto& row : all)
      for (const std::string& value : values) {
        longer.push_back(row);
        longer.back().push_back(value);
      }
    all = std::move(longer);
  }
  return all;
}

SampleRequest read_sample(const std::string& text) {
  const auto wrong = [&](const std::string& found) {
    refuse("--sample", "", found, "lhs:N,SEED, such as lhs:1000,1: points and a whole number");
  };
  constexpr std::string_view kKind = "lhs:";
  const std::size_t comma = text.find(',');
  if (!text.starts_with(kKind) || comma == std::string::npos) wrong("found `" + text + "`");
  SampleRequest request;
  const auto number = [&](std::string_view part, auto& out) {
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), out);
    if (error != std::errc{} || end != part.data() + part.size()) wrong("found `" + text + "`");
  };
  const std::string_view view = text;
  number(view.substr(kKind.size(), comma - kKind.size()), request.points);
  number(view.substr(comma + 1), request.seed);
  if (request.points < 1 || request.points > kMostValues) wrong(fmt::format("a sample of {} points", request.points));
  return request;
}

std::vector<std::vector<std::string>> latin_hypercube(const std::vector<ValueRange>& ranges, const SampleRequest& request) {
  const std::size_t n = request.points;
  std::vector<std::vector<std::string>> rows(n);
  for (std::size_t k = 0; k < ranges.size(); ++k) {
    RandomBits bits(RandomBits(request.seed).next() + k);
    std::vector<std::size_t> part(n);
    std::iota(part.begin(), part.end(), std::size_t{0});
    for (std::size_t i = n; i > 1; --i) std::swap(part[i - 1], part[bits.below(i)]);
    for (std::size_t i = 0; i < n; ++i) {
      const double share = (static_cast<double>(part[i]) + bits.fraction()) / static_cast<double>(n);
      const double value = std::fma(ranges[k].to - ranges[k].from, share, ranges[k].from);
      rows[i].push_back(in_unit(number_text(value), ranges[k].unit));
    }
  }
  return rows;
}

PairTable read_pairs(const std::string& file) {
  std::string text = file_text(file, "table of values");
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  PairTable table;
  char separator = ',';
  const auto wrong = [&](int line, const std::string& found, const std::string& expected) {
    throw InputError({Diagnostic{{file, line, 1}, "", found, expected, ""}});
  };
  int number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line(trimmed(text.substr(begin, end - begin)));
    begin = end + 1;
    ++number;
    if (line.empty() || line.front() == '#') continue;
    if (table.paths.empty()) separator = line.find(';') != std::string::npos ? ';' : line.find('\t') != std::string::npos ? '\t' : ',';
    std::vector<std::string> cells;
    for (const std::string& cell : split(line, separator)) {
      cells.emplace_back(trimmed(cell));
      std::string& last = cells.back();
      if (last.size() > 1 && last.front() == '"' && last.back() == '"') last = last.substr(1, last.size() - 2);
      if (last.empty()) wrong(number, "a cell is empty", table.paths.empty() ? "a path in every column" : "a value in every column");
    }
    if (table.paths.empty()) {
      if (std::set<std::string>(cells.begin(), cells.end()).size() < cells.size()) wrong(number, "a path occurs twice", "every path once");
      table.paths = std::move(cells);
    } else if (cells.size() != table.paths.size()) {
      wrong(number, fmt::format("the line has {} columns", cells.size()), fmt::format("{}, as in the header line", table.paths.size()));
    } else {
      table.rows.push_back(std::move(cells));
    }
  }
  if (table.rows.empty())
    wrong(1, "the file has no rows of values", "a header line with paths such as cylinders.lift.bore, and a row per run");
  return table;
}

namespace {

/// Every row followed by every row of `more`.
void multiply(VariedRows& varied, const std::vector<std::vector<std::string>>& more) {
  std::vector<std::vector<std::string>> all;
  all.reserve(varied.rows.size() * more.size());
  for (const auto& row : varied.rows)
    for (const auto& next : more) {
      all.push_back(row);
      all.back().insert(all.back().end(), next.begin(), next.end());
    }
  varied.rows = std::move(all);
}

}  // namespace

VariedRows varied_rows(const std::string& pairs, const std::vector<VariedPath>& lists, const PairTable& sample) {
  VariedRows varied;
  varied.rows.emplace_back();
  const PairTable table = pairs.empty() ? PairTable{} : read_pairs(pairs);
  double runs = 1;
  for (const PairTable* t : {&table, &sample}) {
    if (t->paths.empty()) continue;
    varied.paths.insert(varied.paths.end(), t->paths.begin(), t->paths.end());
    varied.sizes.push_back(t->rows.size());
    runs *= static_cast<double>(t->rows.size());
  }
  for (const auto& [path, values] : lists) {
    varied.paths.push_back(path);
    varied.sizes.push_back(values.size());
    runs *= static_cast<double>(values.size());
  }
  if (runs > kMostRuns) refuse("--vary", "", fmt::format("there are {:.3g} runs", runs), fmt::format("at most {:.0f}", kMostRuns));
  if (std::set<std::string>(varied.paths.begin(), varied.paths.end()).size() < varied.paths.size())
    refuse("--vary", "", "a path occurs twice", "every path once");
  for (const std::string& pattern : varied.paths)
    for (const std::string& path : varied.paths)
      if (&pattern != &path && matches_pattern(pattern, path))
        refuse("--vary", "", fmt::format("`{}` contains `{}`, which is varied, too", pattern, path), "every number in one path");
  for (const PairTable* t : {&table, &sample})
    if (!t->paths.empty()) multiply(varied, t->rows);
  multiply(varied, combinations(lists));
  return varied;
}

InputError of_varied(const InputError& error, const std::vector<std::string>& paths, const std::string& pairs) {
  std::vector<Diagnostic> findings = error.diagnostics();
  for (Diagnostic& d : findings)
    if (d.span.file == "--set" && std::find(paths.begin(), paths.end(), d.path) != paths.end())
      d.span.file = pairs.empty() ? "--vary" : "--vary, --pairs";
  return InputError(std::move(findings));
}

}  // namespace trunnion
