// Comparison tables of runs over varied values.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/units.h"
#include "file/input.h"
#include "results/files.h"
#include "studies/table.h"

namespace trunnion {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kSameTime = 1e-9;  // [s] record times no further apart are equal

/// The data of each run.
struct StandardColumn {
  ComparisonColumn column;
  double (*number)(const CaseResult& result);
};

const Ledger& ledger_of(const CaseResult& r) { return r.recorder->ledger(); }
bool drifts_up(const CaseResult& r) { return ledger_of(r).drift_range().max >= -ledger_of(r).drift_range().min; }
double largest_drift(const CaseResult& r) { return std::max(ledger_of(r).drift_range().max, -ledger_of(r).drift_range().min); }
double ratio(double a, double b) { return b > 0 ? a / b : kNone; }

const std::vector<StandardColumn>& standard_columns() {
  using R = const CaseResult&;
  static const std::vector<StandardColumn> columns{
      {{"steps", "", ""}, [](R r) { return static_cast<double>(r.statistics.steps); }},
      {{"iterations_mean", "iterations", "{:.3f}"}, [](R r) { return r.statistics.mean_iterations(); }},
      {{"iterations_max", "most", "{:.0f}"}, [](R r) { return static_cast<double>(r.statistics.max_iterations); }},
      {{"position_iterations_mean", "position", "{:.3f}"}, [](R r) { return r.statistics.mean_position_iterations(); }},
      {{"step_seconds", "time ms", "{:.2f}", false, true}, [](R r) { return r.statistics.step_seconds; }},
      {{"step_cpu_seconds", "", "", false, true}, [](R r) { return r.statistics.step_cpu_seconds; }},
      {{"step_nanoseconds", "ns/step", "{:.0f}", false, true},
       [](R r) { return ratio(1e9 * r.statistics.step_seconds, static_cast<double>(r.statistics.steps)); }},
      {{"real_time_factor", "", "", false, true}, [](R r) { return ratio(r.end_time, r.statistics.step_seconds); }},
      {{"max_work", "max work J", "{:.2f}"}, [](R r) { return ledger_of(r).actuator_range().max; }},
      {{"max_work_time", "", ""}, [](R r) { return ledger_of(r).actuator_range().max_time; }},
      {{"min_work", "min work J", "{:.2f}"}, [](R r) { return ledger_of(r).actuator_range().min; }},
      {{"min_work_time", "", ""}, [](R r) { return ledger_of(r).actuator_range().min_time; }},
      {{"max_drift", "drift J", "{:.3g}"}, largest_drift},
      {{"drift_percent", "drift %", "{:.2g}"}, [](R r) { return ledger_of(r).drift_of_work().value_or(kNone); }},
      {{"max_drift_time", "at s", "{:.3f}"},
       [](R r) { return drifts_up(r) ? ledger_of(r).drift_range().max_time : ledger_of(r).drift_range().min_time; }},
      {{"closed_to_percent", "", ""}, [](R r) { return ledger_of(r).closed_to_percent(); }},
      {{"max_violation", "violation", "{:.1e}"}, [](R r) { return r.statistics.max_violation; }},
      {{"max_violation_time", "", ""}, [](R r) { return r.statistics.max_violation_time; }},
      {{"max_velocity_violation", "rate", "{:.1e}"}, [](R r) { return r.statistics.max_velocity_violation; }},
      {{"max_velocity_violation_time", "", ""}, [](R r) { return r.statistics.max_velocity_violation_time; }},
      {{"capped_steps", "capped", "{:.0f}"}, [](R r) { return static_cast<double>(r.statistics.capped_steps); }},
      {{"repartitions", "repartitions", "{:.0f}"}, [](R r) { return static_cast<double>(r.statistics.repartitions); }},
  };
  return columns;
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

std::string shown(double value, const ComparisonColumn& column) {
  if (std::isnan(value)) return "-";
  return fmt::format(fmt::runtime(column.format), column.name == "step_seconds" ? 1e3 * value : value);
}

/// Whether two values of a path are equal: the same text, or the same quantity ("1 ms", "0.001 s").
bool same_value(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const QuantityText x = read_quantity(a), y = read_quantity(b);
  return x.quantity && y.quantity && x.quantity->value == y.quantity->value && x.quantity->has_unit == y.quantity->has_unit;
}

/// The reference's figure of a column for a combination, or NaN.
double reference_number(const ComparisonReference& reference, const std::vector<std::string>& values, const std::string& column) {
  const auto at = std::find(reference.columns.begin(), reference.columns.end(), column);
  if (at == reference.columns.end()) return kNone;
  const auto fits = [](const std::string& wanted, const std::string& value) { return wanted.empty() || same_value(wanted, value); };
  for (const ComparisonReference::Row& row : reference.rows)
    if (std::equal(row.values.begin(), row.values.end(), values.begin(), values.end(), fits))
      return row.numbers[static_cast<std::size_t>(at - reference.columns.begin())];
  return kNone;
}

bool referred(const Comparison& c, const std::string& column) {
  return c.reference && std::find(c.reference->columns.begin(), c.reference->columns.end(), column) != c.reference->columns.end();
}

}  // namespace

Comparison make_comparison(std::vector<std::string> paths, std::vector<std::string> final_channels, std::vector<std::string> differences) {
  Comparison c;
  c.paths = std::move(paths);
  c.final_channels = std::move(final_channels);
  c.differences = std::move(differences);
  for (const StandardColumn& standard : standard_columns()) c.columns.push_back(standard.column);
  for (const std::string& channel : c.final_channels) c.columns.push_back({"final." + channel, channel, "{:.9g}", true});
  for (const std::string& channel : c.differences) c.columns.push_back({"difference." + channel, channel + " differs by", "{:.2g}", true});
  c.first_columns.resize(c.differences.size());
  return c;
}

namespace {

/// Maximum |difference| of a channel from the first row at the times that both recorded; NaN if none.
double difference(const Comparison& c, std::size_t k, const Recording& recording) {
  const std::vector<double>&times = recording.columns.front(),
        &values = recording.columns[static_cast<std::size_t>(recording.find(c.differences[k]))];
  double greatest = kNone;
  for (std::size_t i = 0, j = 0; i < times.size(); ++i) {
    const double near = kSameTime * std::max(1.0, times[i]);
    while (j < c.first_times.size() && c.first_times[j] < times[i] - near) ++j;
    if (j == c.first_times.size()) break;
    if (c.first_times[j] <= times[i] + near) greatest = std::fmax(greatest, std::abs(values[i] - c.first_columns[k][j]));
  }
  return greatest;
}

/// The first run, or null.
const ComparisonRow* first_run(const Comparison& c) {
  const auto first = std::find_if(c.rows.begin(), c.rows.end(), [](const ComparisonRow& row) { return row.possible; });
  return first == c.rows.end() ? nullptr : &*first;
}

}  // namespace

void check_channels(const Comparison& c, Recorder& recorder) {
  std::vector<std::string> names;
  for (const Channel& channel : recorder.reader().channels()) names.push_back(channel.name);
  for (const auto* list : {&c.final_channels, &c.differences})
    for (const std::string& channel : *list) {
      if (std::find(names.begin(), names.end(), channel) != names.end()) continue;
      const std::string near = nearest_name(channel, names);
      throw Error("there is no channel '" + channel + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"));
    }
  for (const std::string& channel : c.differences)
    if (recorder.recording().find(channel) < 0) throw Error("the channel '" + channel + "' is not recorded; add it to record.channels");
}

void add_row(Comparison& c, std::vector<std::string> values, const CaseResult& result) {
  check_channels(c, *result.recorder);
  ComparisonRow row;
  row.values = std::move(values);
  row.status = result.failure ? result.failure->what() : "completed";
  row.histogram = result.statistics.histogram;
  row.independent = independent_names(result);
  for (const StandardColumn& standard : standard_columns()) row.numbers.push_back(standard.number(result));
  const auto last = result.recorder->last_values();
  for (const std::string& channel : c.final_channels)
    row.numbers.push_back(std::find_if(last.begin(), last.end(), [&](const auto& named) { return named.first == channel; })->second);
  const Recording& recording = result.recorder->recording();
  const ComparisonRow* const first = first_run(c);
  if (first == nullptr && !recording.columns.empty()) {
    c.first_times = recording.columns.front();
    for (std::size_t k = 0; k < c.differences.size(); ++k)
      c.first_columns[k] = recording.columns[static_cast<std::size_t>(recording.find(c.differences[k]))];
  }
  const bool whole = row.completed() && (first == nullptr || first->completed());
  for (std::size_t k = 0; k < c.differences.size(); ++k) row.numbers.push_back(whole ? difference(c, k, recording) : kNone);
  c.rows.push_back(std::move(row));
}

void add_impossible(Comparison& c, std::vector<std::string> values, const std::string& why) {
  ComparisonRow& row = c.rows.emplace_back();
  row.values = std::move(values);
  row.status = "impossible: " + why;
  row.possible = false;
  row.numbers.assign(c.columns.size(), kNone);
}

std::size_t impossible_rows(const Comparison& c) {
  return static_cast<std::size_t>(std::count_if(c.rows.begin(), c.rows.end(), [](const ComparisonRow& row) { return !row.possible; }));
}

namespace {

/// Meaning of a column of a reference file.
struct ReferenceColumn {
  enum class Kind { model, value, figure } kind;
  std::size_t index;  // of the varied path, or of the column
};

ReferenceColumn reference_column(const std::string& name, const std::string& place, const std::vector<std::string>& paths,
                                 ComparisonReference& reference) {
  using Kind = ReferenceColumn::Kind;
  if (name == "model") return {Kind::model, 0};
  const auto path = std::find(paths.begin(), paths.end(), name);
  if (path != paths.end()) return {Kind::value, static_cast<std::size_t>(path - paths.begin())};
  if (name.find('.') != std::string::npos && !name.starts_with("final.") && !name.starts_with("difference."))
    throw Error(fmt::format("{}: the reference values depend on `{}`, which is not varied here; add --vary {}=...", place, name, name));
  reference.columns.push_back(name);
  return {Kind::figure, reference.columns.size() - 1};
}

}  // namespace

ComparisonReference read_reference(const std::string& file, const std::string& model, const std::vector<std::string>& paths) {
  using Kind = ReferenceColumn::Kind;
  const std::string text = file_text(file, "file");
  check_text(text, file);  // its names are printed
  std::istringstream in(text);
  ComparisonReference reference;
  const std::string stem = std::filesystem::path(file).stem().string();
  reference.label = stem.substr(stem.find_last_of("_-") + 1);
  std::vector<ReferenceColumn> columns;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    const std::string place = fmt::format("{}:{}", file, ++number);
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string> cells = cells_of(line);
    if (columns.empty()) {
      for (const std::string& name : cells) columns.push_back(reference_column(name, place, paths, reference));
      continue;
    }
    if (cells.size() != columns.size()) throw Error(fmt::format("{}: expected {} cells, found {}", place, columns.size(), cells.size()));
    ComparisonReference::Row row{std::vector<std::string>(paths.size()), std::vector<double>(reference.columns.size(), kNone)};
    bool of_model = true;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (columns[i].kind == Kind::model) of_model = cells[i] == model;
      if (columns[i].kind == Kind::value) row.values[columns[i].index] = cells[i];
      if (columns[i].kind != Kind::figure || cells[i].empty()) continue;
      const QuantityText read = read_quantity(cells[i]);
      if (!read.quantity) throw Error(fmt::format("{}: '{}' is not a number", place, cells[i]));
      row.numbers[columns[i].index] = read.quantity->value;
    }
    if (of_model) reference.rows.push_back(std::move(row));
  }
  if (reference.rows.empty()) throw Error(fmt::format("{} has no values for the model `{}`", file, model));
  return reference;
}

namespace {

/// The columns selected by `wanted`, after the varied values and the status.
template <class Wanted>
std::string columns_csv(const Comparison& c, Wanted wanted) {
  std::string text;
  for (const std::string& path : c.paths) text += quoted(path) + ",";
  text += "status";
  for (const ComparisonColumn& column : c.columns) {
    if (!wanted(column)) continue;
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
      if (!wanted(c.columns[k])) continue;
      append(row.numbers[k]);
      if (referred(c, c.columns[k].name)) append(reference_number(*c.reference, row.values, c.columns[k].name));
    }
    text += "\n";
  }
  return text;
}

}  // namespace

std::string comparison_csv(const Comparison& c) {
  return columns_csv(c, [](const ComparisonColumn& column) { return !column.timed; });
}

std::string comparison_times_csv(const Comparison& c) {
  return columns_csv(c, [](const ComparisonColumn& column) { return column.timed; });
}

std::string comparison_json(const Comparison& c) {
  using Json = nlohmann::ordered_json;
  const auto number = [](double value) { return std::isnan(value) ? Json(nullptr) : Json(value); };
  Json rows = Json::array();
  for (const ComparisonRow& row : c.rows) {
    Json values = Json::object(), json{{"values", nullptr}, {"status", row.status}};
    for (std::size_t i = 0; i < c.paths.size(); ++i) values[c.paths[i]] = row.values[i];
    json["values"] = values;
    Json histogram = Json::object();
    for (std::size_t i = 0; i < row.histogram.size(); ++i)
      if (row.histogram[i] > 0) histogram[std::to_string(i)] = row.histogram[i];
    json["iterations_histogram"] = histogram;
    json["independent"] = row.independent.empty() ? Json(nullptr) : Json(row.independent);
    for (std::size_t k = 0; k < c.columns.size(); ++k) {
      json[c.columns[k].name] = number(row.numbers[k]);
      if (referred(c, c.columns[k].name))
        json[c.reference->label][c.columns[k].name] = number(reference_number(*c.reference, row.values, c.columns[k].name));
    }
    rows.push_back(json);
  }
  return Json{{"varied", c.paths}, {"rows", rows}}.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

namespace {

/// Columns shown on a terminal: those with a title and information.
std::vector<std::size_t> shown_columns(const Comparison& c) {
  std::vector<std::size_t> shown;
  for (std::size_t k = 0; k < c.columns.size(); ++k) {
    const auto says = [&](const ComparisonRow& row) { return row.numbers[k] != 0 && !std::isnan(row.numbers[k]); };
    const bool needed = c.columns[k].needed || referred(c, c.columns[k].name);
    if (!c.columns[k].title.empty() && (needed || std::any_of(c.rows.begin(), c.rows.end(), says))) shown.push_back(k);
  }
  return shown;
}

}  // namespace

std::string comparison_table(const Comparison& c) {
  const std::vector<std::size_t> columns = shown_columns(c);
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string> header;
  for (const std::string& path : c.paths) header.push_back(path.substr(path.find_last_of('.') + 1));
  const bool all_completed = std::all_of(c.rows.begin(), c.rows.end(), [](const ComparisonRow& row) { return row.completed(); });
  if (!all_completed) header.push_back("status");
  for (std::size_t k : columns) {
    header.push_back(c.columns[k].title);
    if (referred(c, c.columns[k].name)) header.push_back(c.reference->label);
  }
  lines.push_back(header);
  for (const ComparisonRow& row : c.rows) {
    std::vector<std::string> line = row.values;
    if (!all_completed) line.push_back(row.completed() ? "completed" : row.possible ? "FAILED" : "impossible");
    for (std::size_t k : columns) {
      line.push_back(shown(row.numbers[k], c.columns[k]));
      if (referred(c, c.columns[k].name))
        line.push_back(shown(reference_number(*c.reference, row.values, c.columns[k].name), c.columns[k]));
    }
    lines.push_back(line);
  }
  std::string text = aligned(lines, c.paths.size() + (all_completed ? 0 : 1));
  for (const ComparisonRow& row : c.rows)
    if (!row.completed()) text += fmt::format("{}: {}\n", fmt::join(row.values, ", "), row.status);
  if (const ComparisonRow* const first = first_run(c); !c.differences.empty() && first != nullptr && !first->completed())
    text += "no differences: the first run, their reference, failed\n";
  return text;
}

}  // namespace trunnion
