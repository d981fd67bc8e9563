// Comparison of runs of one model with varied values: one row per combination.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/run_case.h"

namespace trunnion {

/// A column of numbers, in compare.csv (wall-clock times: compare_times.csv) under `name` and on the terminal under `title`.
struct ComparisonColumn {
  std::string name;     // iterations_mean
  std::string title;    // as printed; empty: in the files only
  std::string format;   // of a number on the terminal, as in fmt: "{:.2f}"
  bool needed = false;  // printed even if it contains only zeros
  bool timed = false;   // differs between runs of the same input
};

struct ComparisonRow {
  std::vector<std::string> values;  // of the varied paths, as given
  std::string status;               // completed, or why not
  bool possible = true;             // false: there is no such model, and no run
  bool completed() const { return status == "completed"; }
  std::vector<double> numbers;           // per column; NaN: not available
  std::vector<long> histogram;           // [i]: number of steps with i iterations
  std::vector<std::string> independent;  // coordinates at the end, if the treatment partitions
};

/// Published values; from a CSV with column names in its first line. A column named like a varied path gives the value for which a row
/// holds, a column `model` the model file (its name without folder and extension); all other columns are results.
struct ComparisonReference {
  std::string label;                 // paper
  std::vector<std::string> columns;  // result columns
  struct Row {
    std::vector<std::string> values;  // per varied path; empty: any
    std::vector<double> numbers;      // per column; NaN: not available
  };
  std::vector<Row> rows;
};

struct Comparison {
  std::vector<std::string> paths;           // varied
  std::vector<std::string> final_channels;  // whose final values are shown
  std::vector<std::string> differences;     // channels whose maximum difference from the first row is shown
  std::vector<ComparisonColumn> columns;
  std::vector<ComparisonRow> rows;
  std::optional<ComparisonReference> reference;
  std::vector<double> first_times;                 // [s] of the first row's records
  std::vector<std::vector<double>> first_columns;  // per channel of `differences`
};

/// An empty comparison over `paths`; final values of `final_channels` and differences of `differences` are columns, too.
Comparison make_comparison(std::vector<std::string> paths, std::vector<std::string> final_channels,
                           std::vector<std::string> differences = {});
/// Throws Error for channels that a run with this recorder does not have or, in `differences`, does not record.
void check_channels(const Comparison& comparison, Recorder& recorder);
/// Appends a run. A failed run has no differences, as it ended before it could differ; nor has any run if the first one failed. Throws
/// what check_channels throws.
void add_row(Comparison& comparison, std::vector<std::string> values, const CaseResult& result);

/// Appends a combination of which there is no model: without numbers, and never the first run.
void add_impossible(Comparison& comparison, std::vector<std::string> values, const std::string& why);
/// Number of such combinations.
std::size_t impossible_rows(const Comparison& comparison);

/// Reads reference values of `model` (examples/four_bar.yaml: four_bar). Lines that begin with # are comments; the label is the last word
/// of the file's name (`four_bar_friction_paper.csv`: paper). Throws Error.
ComparisonReference read_reference(const std::string& file, const std::string& model, const std::vector<std::string>& paths);

/// All columns but wall-clock times: equal input gives equal bytes.
std::string comparison_csv(const Comparison& comparison);
/// Wall-clock times in the same rows.
std::string comparison_times_csv(const Comparison& comparison);
std::string comparison_json(const Comparison& comparison);
/// Aligned columns for a terminal, reference values next to the computed ones.
std::string comparison_table(const Comparison& comparison);

}  // namespace trunnion
