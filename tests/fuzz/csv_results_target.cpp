// Fuzz target: results in CSV files.
// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/report_folders.h"
#include "fuzz/targets.h"
#include "report/result_files.h"
#include "results/read_results.h"

namespace trunnion::fuzz {

namespace {

constexpr std::array kFiles{"results.csv",         "compare.csv",       "history.csv", "root_locus.csv", "over_time.csv",
                            "sensitivity.csv",     "simulate.csv",      "limits.csv",  "schemes.csv",    "runs.csv",
                            "figures/figures.csv", "figures/drift.csv", "curve.csv",   "fit.csv"};

}  // namespace

void csv_results(std::string_view input) {
  const auto [file, text] = split_name(input, kFiles);
  if (file == kFiles.front()) {
    for (const char* name : {"/some.csv", "/some.csv.part"})
      refused_properly([&, text = text] {
        const std::string path = scratch_folder() + name;
        write_file(path, text);
        const Recording recording = find_results(path).read({"*"});
        for (const auto& column : recording.columns) require(column.size() == recording.rows(), "columns of different lengths");
      });
    refused_properly([&] {
      const TextTable table = read_table(scratch_folder() + "/some.csv");
      for (const auto& row : table.rows) require(row.size() == table.columns.size(), "rows of different lengths");
      table_json(table);
    });
  }
  refused_properly([&, file = file, text = text] { report_with(file, text); });
}

}  // namespace trunnion::fuzz
