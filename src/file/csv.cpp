// Two columns of a CSV file as points of a signal.
// SPDX-License-Identifier: BSD-3-Clause
#include "file/csv.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <unordered_map>

#include "base/text.h"
#include "base/units.h"

namespace trunnion {

namespace {

constexpr std::string_view kAroundCells = " \t\r\"";

std::vector<std::string> cells_of(const std::string& line, char separator) {
  std::vector<std::string> cells;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = line.find(separator, begin);
    cells.emplace_back(trimmed(std::string_view(line).substr(begin, end == std::string::npos ? end : end - begin), kAroundCells));
    if (end == std::string::npos) return cells;
    begin = end + 1;
  }
}

bool is_bare_number(const std::string& cell) {
  const QuantityText read = read_quantity(cell);
  return read.quantity && !read.quantity->has_unit;
}

char separator_of(const std::string& line) {
  return line.find(';') != std::string::npos ? ';' : line.find('\t') != std::string::npos ? '\t' : ',';
}

/// Lines of a text in order, without the byte order mark that spreadsheets put before it.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
  }
  bool next(std::string& line) {
    if (rest_.empty()) return false;
    const std::size_t end = rest_.find('\n');
    line = rest_.substr(0, end);
    rest_ = end == std::string_view::npos ? std::string_view{} : rest_.substr(end + 1);
    return true;
  }

 private:
  std::string_view rest_;
};

bool is_header(const std::vector<std::string>& cells) {
  return std::none_of(cells.begin(), cells.end(), [](const std::string& cell) { return is_bare_number(cell); });
}

/// One pass over one file.
class CsvReader {
 public:
  CsvReader(CsvSignal& signal, std::string file, const std::string& path, const SourceSpan& span, std::vector<Diagnostic>& diagnostics)
      : signal_(signal), file_(std::move(file)), path_(path), span_(span), diagnostics_(diagnostics) {}

  void read(double limit) {
    std::string text;
    try {
      text = file_text(file_, "file", limit);
    } catch (const InputError& error) {
      const Diagnostic& why = error.diagnostics().front();
      diagnostics_.push_back({span_, path_ + ".file", "the file `" + file_ + "` cannot be used: " + why.found, "",
                              why.hint.empty() ? "paths are relative to the folder of the model file" : why.hint});
      return;
    }
    has_numbers_ = holds_numbers(text);
    Lines lines(text);
    bool good = true;
    for (std::string line; good && lines.next(line);) {
      ++line_;
      const std::string_view content = trimmed(line, kAroundCells);
      if (content.empty() || content.front() == '#') continue;
      good = columns_known_ ? data_line(line) : first_line(line);
    }
    if (good && signal_.points.empty()) good = fail("the file has no data", "at least one line of numbers");
    if (!good) signal_.points.clear();
  }

  /// Line of a point, from 1.
  int line_of(std::size_t point) const { return lines_[point]; }

 private:
  /// Whether one of the first two lines has a plain number, so that the file is a table and not an unrelated text.
  static bool holds_numbers(const std::string& text) {
    Lines lines(text);
    int seen = 0;
    for (std::string line; seen < 2 && lines.next(line);) {
      const std::string_view content = trimmed(line, kAroundCells);
      if (content.empty() || content.front() == '#') continue;
      if (!is_header(cells_of(line, separator_of(line)))) return true;
      ++seen;
    }
    return false;
  }

  /// Content of a cell; not shown for a file of another kind.
  std::string quoted(const std::string& cell) const { return has_numbers_ ? "`" + cell + "`" : "the text"; }

  bool fail(const std::string& found, const std::string& expected = "", const std::string& hint = "") {
    diagnostics_.push_back({{file_, line_, 1}, path_, found, expected, hint});
    return false;
  }

  bool first_line(const std::string& line) {
    separator_ = separator_of(line);
    columns_known_ = true;
    const std::vector<std::string> cells = cells_of(line, separator_);
    columns_ = cells.size();
    const bool header = is_header(cells);
    if (!column(cells, header, signal_.time, "time", time_) || !column(cells, header, signal_.value, "value", value_)) return false;
    return header || data_line(line);
  }

  // The index of the column called `wanted`, by name or number from 1.
  bool column(const std::vector<std::string>& cells, bool header, const std::string& wanted, const char* key, std::size_t& index) {
    if (const auto it = std::find(cells.begin(), cells.end(), wanted); header && it != cells.end()) {
      index = static_cast<std::size_t>(it - cells.begin());
      return true;
    }
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
    if (error == std::errc{} && end == wanted.data() + wanted.size() && number >= 1 && number <= cells.size()) {
      index = number - 1;
      return true;
    }
    const std::string near = header && has_numbers_ ? nearest_name(wanted, cells) : "";
    diagnostics_.push_back({span_, path_ + "." + key, "`" + file_ + "` has no column `" + wanted + "`",
                            header ? "a name of its header line, or a number from 1 to " + std::to_string(cells.size())
                                   : "a number from 1 to " + std::to_string(cells.size()) + ", as the file has no header line",
                            near.empty() ? "" : "did you mean `" + near + "`?"});
    return false;
  }

  bool data_line(const std::string& line) {
    const std::vector<std::string> cells = cells_of(line, separator_);
    for (std::size_t i = columns_; i < cells.size(); ++i)
      if (!cells[i].empty())
        return fail("the line has " + std::to_string(cells.size()) + " columns",
                    "at most " + std::to_string(columns_) + ", as in the first line",
                    "decimals have a point; columns may be separated by `;`");
    std::array<double, 2> point{};
    if (!cell(cells, time_, point[0]) || !cell(cells, value_, point[1])) return false;
    if (!signal_.points.empty()) {
      const double before = signal_.points.back()[0];
      if (point[0] < before || (signal_.smooth && point[0] == before))
        return fail("the time " + quoted(cells[time_]) + " is not later than the one before", "increasing times");
    }
    signal_.points.push_back(point);
    lines_.push_back(line_);
    return true;
  }

  bool cell(const std::vector<std::string>& cells, std::size_t index, double& out) {
    if (index >= cells.size())
      return fail("the line has only " + std::to_string(cells.size()) + " columns", "column " + std::to_string(index + 1));
    const QuantityText read = read_quantity(cells[index]);
    if (!read.quantity)
      return has_numbers_ ? fail("column " + std::to_string(index + 1) + ": " + read.problem, "a number", read.hint)
                          : fail("column " + std::to_string(index + 1) + " is not a number", "a table of numbers");
    if (read.quantity->has_unit)
      return fail("column " + std::to_string(index + 1) + ": " + quoted(cells[index]) + " has a unit", "a plain number",
                  "give the unit in `scale`, as in scale: 1 bar");
    out = read.quantity->value;
    return true;
  }

  CsvSignal& signal_;
  std::string file_;
  const std::string& path_;
  const SourceSpan& span_;
  std::vector<Diagnostic>& diagnostics_;
  std::vector<int> lines_;  // of the points
  int line_ = 0;
  char separator_ = ',';
  bool columns_known_ = false, has_numbers_ = false;
  std::size_t columns_ = 0, time_ = 0, value_ = 1;
};

}  // namespace

void read_csv_signal(CsvSignal& signal, const std::string& folder, const std::string& path, const SourceSpan& span,
                     std::vector<Diagnostic>& diagnostics, double limit) {
  const std::string file = (std::filesystem::path(folder) / signal.file).string();
  signal.points.clear();
  CsvReader(signal, file, path, span, diagnostics).read(limit);
}

std::vector<std::string> csv_header(const std::string& file) {
  std::string text;
  try {
    text = file_text(file, "file");
  } catch (const InputError&) { return {}; }
  Lines lines(text);
  for (std::string line; lines.next(line);) {
    const std::string_view content = trimmed(line, kAroundCells);
    if (content.empty() || content.front() == '#') continue;
    std::vector<std::string> cells = cells_of(line, separator_of(line));
    if (is_header(cells)) return cells;
    break;
  }
  return {};
}

void read_input_courses(Description& description, const std::string& file, double limit) {
  const SourceSpan option{"--input", 0, 0};
  std::vector<Diagnostic> findings;
  (void)file_text(file, "file of inputs", limit);  // refuses what is no readable text
  const std::vector<std::string> header = csv_header(file);
  if (header.empty())
    throw InputError({Diagnostic{{file, 1, 1}, "", "the file has no header line", "a column `time` and columns named like inputs", ""}});
  const char* const expected = "a column `time` and columns named like inputs";
  // without it the file is another one, of which nothing is quoted
  if (std::find(header.begin(), header.end(), "time") == header.end())
    throw InputError(
        {Diagnostic{{file, 1, 1}, "", "the file has no column `time`", "a column `time` [s] and columns named like inputs", ""}});
  auto source = std::make_shared<DescriptionSource>(source_of(description));
  std::vector<std::string> names;
  for (const auto& [name, input] : description.inputs) names.push_back(name);
  std::unordered_map<std::string_view, int> seen;
  constexpr std::size_t kMostWrongColumns = 20;
  for (const std::string& column : header) {
    if (findings.size() >= kMostWrongColumns) break;
    if (const int times = ++seen[column]; times > 1) {
      if (times == 2) findings.push_back({{file, 1, 1}, "", "two columns are named `" + column + "`", expected, ""});
      continue;
    }
    if (column == "time") continue;
    const auto number = static_cast<std::size_t>(std::find(names.begin(), names.end(), column) - names.begin());
    const std::string path = "inputs." + column;
    if (number == names.size()) {
      const std::string near = nearest_name(column, names);
      findings.push_back({{file, 1, 1},
                          "",
                          "the model has no input `" + column + "`",
                          expected,
                          names.empty()  ? "the model has no inputs; declare them in its section `inputs`"
                          : near.empty() ? ""
                                         : "did you mean `" + near + "`?"});
      continue;
    }
    const InputDescription& input = description.inputs[number].second;
    CsvSignal signal;
    signal.file = file;
    signal.time = "time";
    signal.value = column;
    CsvReader reader(signal, file, path, option, findings);
    reader.read(limit);
    for (std::size_t i = 0; i < signal.points.size(); ++i) {
      const auto& [time, value] = signal.points[i];
      const bool low = input.min && value < *input.min;
      if (!low && !(input.max && value > *input.max)) continue;
      findings.push_back({{file, reader.line_of(i), 0},
                          path,
                          "the value " + number_text(value) + " at " + number_text(time) + " s is outside the limits",
                          (low ? "at least " : "at most ") + number_text(low ? *input.min : *input.max),
                          ""});
      break;
    }
    source->courses[column] = std::move(signal.points);
  }
  if (!findings.empty()) throw InputError(std::move(findings));
  source->input_file = file;
  description.source = std::move(source);
}

}  // namespace trunnion
