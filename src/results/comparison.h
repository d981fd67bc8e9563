// Runs of one model with varied values, side by side: one row per combination.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/run_case.h"

namespace trunnion {

/// A column of numbers, in compare.csv (times of the clock: compare_times.csv) under `name` and on the terminal, where it is shown, under
/// `title`.
struct ComparisonColumn {
  std::string name;     // iterations_mean
  std::string title;    // as printed; empty: in the files only
  std::string format;   // of a number on the terminal, as in fmt: "{:.2f}"
  bool needed = false;  // printed even if it holds zeros alone
  bool timed = false;   // differs from run to run of the same input
};

struct ComparisonRow {
  std::vector<std::string> values;  // of the varied paths, as given
  std::string status;               // completed, or why not
  bool completed() const { return status == "completed"; }
  std::vector<double> numbers;           // per column; NaN: none
  std::vector<long> histogram;           // [i]: steps that took i iterations
  std::vector<std::string> independent;  // coordinates at the end, where the treatment partitions
};

/// Figures of others; from a CSV with names of columns in its first line. A column named like a varied path tells for which value a row
/// holds, a column `model` for which model file (its name without folder and extension); all other columns are figures.
struct ComparisonReference {
  std::string label;                 // paper
  std::vector<std::string> columns;  // figures
  struct Row {
    std::vector<std::string> values;  // per varied path; empty: any
    std::vector<double> numbers;      // per column; NaN: none
  };
  std::vector<Row> rows;
};

struct Comparison {
  std::vector<std::string> paths;           // varied
  std::vector<std::string> final_channels;  // whose end values are shown
  std::vector<std::string> differences;     // channels whose greatest difference from the first row is shown
  std::vector<ComparisonColumn> columns;
  std::vector<ComparisonRow> rows;
  std::optional<ComparisonReference> reference;
  std::vector<double> first_times;                 // [s] of the first row's records
  std::vector<std::vector<double>> first_columns;  // per channel of `differences`
};

/// An empty comparison over `paths`; end values of `final_channels` and differences of `differences` are columns too.
Comparison make_comparison(std::vector<std::string> paths, std::vector<std::string> final_channels,
                           std::vector<std::string> differences = {});
/// Throws Error for channels that a run with this recorder does not have or, in `differences`, does not record.
void check_channels(const Comparison& comparison, Recorder& recorder);
/// Appends a run. One that failed has no differences, for it ended before it could differ; nor has any where the first one failed.
/// Throws what check_channels throws.
void add_row(Comparison& comparison, std::vector<std::string> values, const CaseResult& result);

/// Reads figures to compare with, those of `model` (examples/four_bar.yaml: four_bar). Lines that begin with # are comments; the label is
/// the last word of the file's name (`four_bar_friction_paper.csv`: paper). Throws Error.
ComparisonReference read_reference(const std::string& file, const std::string& model, const std::vector<std::string>& paths);

/// All columns but times of the clock: equal input gives equal bytes.
std::string comparison_csv(const Comparison& comparison);
/// Times of the clock in the same rows.
std::string comparison_times_csv(const Comparison& comparison);
std::string comparison_json(const Comparison& comparison);
/// Aligned columns for a terminal, figures of the reference beside ours.
std::string comparison_table(const Comparison& comparison);

}  // namespace trunnion
