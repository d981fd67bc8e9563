// Result files read back: recordings of runs, tables, JSON. Functions throw InputError that names the file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "results/recording.h"

namespace trunnion {

using ReportJson = nlohmann::ordered_json;

/// Stored data of a run by `trunnion run`.
struct StoredRun {
  Recording recording;  // without rows if nothing was recorded
  std::string model;    // the model file with all settings; empty if only results.csv exists
};

/// results.h5 of `folder`; if missing, results.csv, without units and model.
StoredRun read_run(const std::string& folder);

/// A CSV file with a header line, as text.
struct TextTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  /// Index of a column, or -1.
  int find(const std::string& name) const;
};
TextTable read_table(const std::string& path);
/// `{"columns": [...], "rows": [[...]]}`; cells that are numbers as numbers, empty ones as null.
ReportJson table_json(const TextTable& table);
/// The number in a cell; NaN if empty.
double cell_number(const std::string& cell);

ReportJson read_json(const std::string& path);

}  // namespace trunnion
