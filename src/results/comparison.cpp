// SPDX-License-Identifier: BSD-3-Clause
#include "results/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/units.h"
#include "results/files.h"

namespace trunnion {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

const std::vector<ComparisonColumn>& standard_columns() {
  static const std::vector<ComparisonColumn> columns{
      {"steps", "", ""},
      {"iterations_mean", "iterations", "{:.3f}"},
      {"iterations_max", "most", "{:.0f}"},
      {"step_seconds", "time ms", "{:.2f}"},
      {"step_nanoseconds", "ns/step", "{:.0f}"},
      {"real_time_factor", "", ""},
      {"max_work", "max work J", "{:.2f}"},
      {"min_work", "min work J", "{:.2f}"},
      {"max_drift", "drift J", "{:.3g}"},
      {"drift_percent", "drift %", "{:.2g}"},
      {"max_drift_time", "at s", "{:.3f}"},
      {"closed_to_percent", "", ""},
      {"max_violation", "violation", "{:.1e}"},
      {"max_velocity_violation", "", ""},
      {"capped_steps", "", ""},
  };
  return columns;
}

/// In the order of standard_columns().
std::vector<double> standard_numbers(const CaseResult& r) {
  const RunStatistics& s = r.statistics;
  const Ledger& ledger = r.recorder->ledger();
  const Extremes &work = ledger.actuator_range(), &drift = ledger.drift_range();
  const bool up = drift.max >= -drift.min;
  const double peak = std::max(work.max, -work.min), size = up ? drift.max : -drift.min;
  return {static_cast<double>(s.steps),
          s.mean_iterations(),
          static_cast<double>(s.max_iterations),
          s.step_seconds,
          s.steps > 0 ? 1e9 * s.step_seconds / static_cast<double>(s.steps) : kNone,
          s.step_seconds > 0 ? r.end_time / s.step_seconds : kNone,
          work.max,
          work.min,
          size,
          peak > 0 ? 100 * size / peak : kNone,
          up ? drift.max_time : drift.min_time,
          ledger.closed_to_percent(),
          s.max_violation,
          s.max_velocity_violation,
          static_cast<double>(s.capped_steps)};
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells{""};
  bool inside = false;
  for (char c : line) {
    if (c == '"')
      inside = !inside;
    else if (c == ',' && !inside)
      cells.emplace_back();
    else if (c != '\r' && (c != ' ' || !cells.back().empty()))
      cells.back() += c;
  }
  for (std::string& cell : cells)
    while (!cell.empty() && cell.back() == ' ') cell.pop_back();
  return cells;
}

/// Pads every column to its widest cell; the first `left` columns to the left, numbers to the right.
std::string aligned(const std::vector<std::vector<std::string>>& lines, std::size_t left) {
  std::vector<std::size_t> width;
  for (const auto& line : lines)
    for (std::size_t k = 0; k < line.size(); ++k) {
      if (k >= width.size()) width.push_back(0);
      width[k] = std::max(width[k], line[k].size());
    }
  std::string text;
  for (const auto& line : lines) {
    std::string row;
    for (std::size_t k = 0; k < line.size(); ++k)
      row += k < left ? fmt::format("{:<{}}  ", line[k], width[k]) : fmt::format("{:>{}}  ", line[k], width[k]);
    while (!row.empty() && row.back() == ' ') row.pop_back();
    text += row + "\n";
  }
  return text;
}

std::string shown(double value, const ComparisonColumn& column) {
  if (std::isnan(value)) return "-";
  return fmt::format(fmt::runtime(column.format), column.name == "step_seconds" ? 1e3 * value : value);
}

/// The reference's figure of a column for a combination, or NaN.
double reference_number(const ComparisonReference& reference, const std::vector<std::string>& values, const std::string& column) {
  const auto at = std::find(reference.columns.begin(), reference.columns.end(), column);
  if (at == reference.columns.end()) return kNone;
  for (const ComparisonRow& row : reference.rows)
    if (row.values == values) return row.numbers[static_cast<std::size_t>(at - reference.columns.begin())];
  return kNone;
}

bool referred(const Comparison& c, const std::string& column) {
  return c.reference && std::find(c.reference->columns.begin(), c.reference->columns.end(), column) != c.reference->columns.end();
}

}  // namespace

Comparison make_comparison(std::vector<std::string> paths, std::vector<std::string> final_channels) {
  Comparison c{std::move(paths), std::move(final_channels), standard_columns(), {}, {}};
  for (const std::string& channel : c.final_channels) c.columns.push_back({"final." + channel, channel, "{:.9g}"});
  return c;
}

void add_row(Comparison& c, std::vector<std::string> values, const CaseResult& result) {
  ComparisonRow row{std::move(values), result.failure ? result.failure->what() : "completed", standard_numbers(result)};
  const auto last = result.recorder->last_values();
  for (const std::string& channel : c.final_channels) {
    const auto at = std::find_if(last.begin(), last.end(), [&](const auto& named) { return named.first == channel; });
    if (at == last.end()) throw Error("there is no channel '" + channel + "'");
    row.numbers.push_back(at->second);
  }
  c.rows.push_back(std::move(row));
}

ComparisonReference read_reference(const std::string& file, std::size_t varied) {
  std::ifstream in(file);
  if (!in) throw Error("cannot read " + file);
  ComparisonReference reference;
  const std::string stem = std::filesystem::path(file).stem().string();
  reference.label = stem.substr(stem.find_last_of("_-") + 1);
  bool header = true;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() <= varied) throw Error(fmt::format("{}:{}: expected {} varied values and at least one figure", file, number, varied));
    const auto split = cells.begin() + static_cast<std::ptrdiff_t>(varied);
    if (header) {
      reference.columns.assign(split, cells.end());
      header = false;
      continue;
    }
    ComparisonRow row{{cells.begin(), split}, "", {}};
    for (auto cell = split; cell != cells.end(); ++cell) {
      const QuantityText read = read_quantity(*cell);
      if (!cell->empty() && !read.quantity) throw Error(fmt::format("{}:{}: '{}' is no number", file, number, *cell));
      row.numbers.push_back(cell->empty() ? kNone : read.quantity->value);
    }
    row.numbers.resize(reference.columns.size(), kNone);
    reference.rows.push_back(std::move(row));
  }
  return reference;
}

std::string comparison_csv(const Comparison& c) {
  std::string text;
  for (const std::string& path : c.paths) text += quoted(path) + ",";
  text += "status";
  for (const ComparisonColumn& column : c.columns) {
    text += "," + column.name;
    if (referred(c, column.name)) text += "," + c.reference->label + "." + column.name;
  }
  text += "\n";
  for (const ComparisonRow& row : c.rows) {
    for (const std::string& value : row.values) text += quoted(value) + ",";
    text += quoted(row.status);
    const auto append = [&](double value) {
      text += ",";
      if (!std::isnan(value)) append_number(text, value);
    };
    for (std::size_t k = 0; k < c.columns.size(); ++k) {
      append(row.numbers[k]);
      if (referred(c, c.columns[k].name)) append(reference_number(*c.reference, row.values, c.columns[k].name));
    }
    text += "\n";
  }
  return text;
}

std::string comparison_json(const Comparison& c) {
  using Json = nlohmann::ordered_json;
  const auto number = [](double value) { return std::isnan(value) ? Json(nullptr) : Json(value); };
  Json rows = Json::array();
  for (const ComparisonRow& row : c.rows) {
    Json values = Json::object(), json{{"values", nullptr}, {"status", row.status}};
    for (std::size_t i = 0; i < c.paths.size(); ++i) values[c.paths[i]] = row.values[i];
    json["values"] = values;
    for (std::size_t k = 0; k < c.columns.size(); ++k) {
      json[c.columns[k].name] = number(row.numbers[k]);
      if (referred(c, c.columns[k].name))
        json[c.reference->label][c.columns[k].name] = number(reference_number(*c.reference, row.values, c.columns[k].name));
    }
    rows.push_back(json);
  }
  return Json{{"varied", c.paths}, {"rows", rows}}.dump(2) + "\n";
}

std::string comparison_table(const Comparison& c) {
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string> header;
  for (const std::string& path : c.paths) header.push_back(path.substr(path.find_last_of('.') + 1));
  for (const ComparisonColumn& column : c.columns) {
    if (column.title.empty()) continue;
    header.push_back(column.title);
    if (referred(c, column.name)) header.push_back(c.reference->label);
  }
  lines.push_back(header);
  for (const ComparisonRow& row : c.rows) {
    std::vector<std::string> line = row.values;
    for (std::size_t k = 0; k < c.columns.size(); ++k) {
      if (c.columns[k].title.empty()) continue;
      line.push_back(shown(row.numbers[k], c.columns[k]));
      if (referred(c, c.columns[k].name))
        line.push_back(shown(reference_number(*c.reference, row.values, c.columns[k].name), c.columns[k]));
    }
    lines.push_back(line);
  }
  std::string text = aligned(lines, c.paths.size());
  for (const ComparisonRow& row : c.rows)
    if (row.status != "completed") text += fmt::format("{}: {}\n", fmt::join(row.values, ", "), row.status);
  return text;
}

}  // namespace trunnion
