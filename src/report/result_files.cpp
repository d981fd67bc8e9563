// Reading of result files for reports.
// SPDX-License-Identifier: BSD-3-Clause
#include "report/result_files.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <string_view>

#include "base/diagnostic.h"
#include "file/model_file.h"
#include "results/read_results.h"

namespace trunnion {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void damaged(const std::string& path, const std::string& reason) {
  throw InputError({{{path, 0, 0}, "", "the file is damaged: " + reason, "a file written by `trunnion`", "write the results again"}});
}

/// Calls cell(row, column, text) for every cell.
template <class Cell>
void for_each_cell(std::string_view text, Cell&& cell) {
  std::size_t row = 0, column = 0;
  std::string unquoted;
  for (std::size_t at = 0; at < text.size();) {
    std::string_view content;
    if (text[at] == '"') {
      unquoted.clear();
      for (++at; at < text.size() && (text[at] != '"' || (at + 1 < text.size() && text[at + 1] == '"')); ++at) {
        if (text[at] == '"') ++at;
        unquoted += text[at];
      }
      at = std::min(text.size(), at + 1);
      content = unquoted;
    } else {
      const std::size_t end = std::min(text.size(), text.find_first_of(",\n", at));
      content = text.substr(at, end - at);
      at = end;
    }
    cell(row, column, content);
    const bool line_ends = at >= text.size() || text[at] == '\n';
    if (!line_ends && at + 1 == text.size()) cell(row, column + 1, std::string_view());
    ++at;
    row += line_ends ? 1 : 0;
    column = line_ends ? 0 : column + 1;
  }
}

double number_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : std::nan("");
}

}  // namespace

StoredRun read_run(const std::string& folder) {
  if (result_file(folder + "/results.h5").empty() && result_file(folder + "/results.csv").empty()) return {};
  const StoredResults stored = find_results(folder);
  return {stored.read({"*"}), stored.model()};
}

int TextTable::find(const std::string& name) const {
  const auto at = std::find(columns.begin(), columns.end(), name);
  return at == columns.end() ? -1 : static_cast<int>(at - columns.begin());
}

TextTable read_table(const std::string& path) {
  TextTable table;
  for_each_cell(file_text(path, "file"), [&](std::size_t row, std::size_t, std::string_view cell) {
    if (row > table.rows.size()) table.rows.emplace_back();
    (row == 0 ? table.columns : table.rows.back()).emplace_back(cell);
  });
  for (auto& row : table.rows) row.resize(table.columns.size());
  return table;
}

double cell_number(const std::string& cell) { return number_of(cell); }

ReportJson table_json(const TextTable& table) {
  ReportJson rows = ReportJson::array();
  for (const auto& row : table.rows) {
    ReportJson cells = ReportJson::array();
    for (const std::string& cell : row) {
      const double value = number_of(cell);
      if (cell.empty())
        cells.push_back(nullptr);
      else
        cells.push_back(std::isfinite(value) ? ReportJson(value) : ReportJson(cell));
    }
    rows.push_back(std::move(cells));
  }
  return ReportJson{{"columns", table.columns}, {"rows", std::move(rows)}};
}

ReportJson read_json(const std::string& path) {
  constexpr int kDeepest = 200;  // limit for the recursion of JSON writers
  const auto check_depth = [&](int depth, ReportJson::parse_event_t, const ReportJson&) {
    if (depth > kDeepest) damaged(path, "its objects and lists are nested too deeply");
    return true;
  };
  try {
    return ReportJson::parse(file_text(path, "file"), check_depth);
  } catch (const ReportJson::exception&) { damaged(path, "it is not complete JSON"); }
}

}  // namespace trunnion
