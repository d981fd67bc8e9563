// Runs of one model with varied values, side by side: one row per combination.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/run_case.h"

namespace trunnion {

/// A column of numbers, in compare.csv under `name` and on the terminal, where it is shown, under `title`.
struct ComparisonColumn {
  std::string name;    // iterations_mean
  std::string title;   // as printed; empty: in the files only
  std::string format;  // of a number on the terminal, as in fmt: "{:.2f}"
};

struct ComparisonRow {
  std::vector<std::string> values;  // of the varied paths, as given
  std::string status;               // completed, or why not
  std::vector<double> numbers;      // per column; NaN: none
};

/// Figures of others for the same combinations; from a CSV whose first columns hold the varied values.
struct ComparisonReference {
  std::string label;  // paper
  std::vector<std::string> columns;
  std::vector<ComparisonRow> rows;
};

struct Comparison {
  std::vector<std::string> paths;           // varied
  std::vector<std::string> final_channels;  // whose end values are shown
  std::vector<ComparisonColumn> columns;
  std::vector<ComparisonRow> rows;
  std::optional<ComparisonReference> reference;
};

/// An empty comparison over `paths`; end values of `final_channels` are columns too.
Comparison make_comparison(std::vector<std::string> paths, std::vector<std::string> final_channels);
/// Appends a run.
void add_row(Comparison& comparison, std::vector<std::string> values, const CaseResult& result);

/// Reads figures to compare with. Lines that begin with # are comments; the label is the last word of the file's name
/// (`four_bar_friction_paper.csv`: paper). Throws Error.
ComparisonReference read_reference(const std::string& file, std::size_t varied);

std::string comparison_csv(const Comparison& comparison);
std::string comparison_json(const Comparison& comparison);
/// Aligned columns for a terminal, figures of the reference beside ours.
std::string comparison_table(const Comparison& comparison);

}  // namespace trunnion
