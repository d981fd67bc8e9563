// Reference tables of tests/data: CSV with one comment line (source, accuracy), one line of channel names, numbers.
// The accompanying tests recompute them; with TRUNNION_WRITE_TABLES set in the environment they rewrite them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace trunnion::problems {

struct ReferenceTable {
  std::string comment;                    // without the leading `# `
  std::vector<std::string> columns;       // channel names, `time` first
  std::vector<std::vector<double>> rows;  // SI

  /// Index of a column; throws std::out_of_range with its name if it is missing.
  std::size_t index(const std::string& column) const;
  double at(std::size_t row, const std::string& column) const { return rows[row][index(column)]; }
};

/// Reads tests/data/NAME.csv; throws std::runtime_error if it cannot.
ReferenceTable read_reference_table(const std::string& name);

/// Writes tests/data/NAME.csv; `decimals` per column, trailing zeros dropped.
void write_reference_table(const std::string& name, const ReferenceTable& table, const std::vector<int>& decimals);

/// True if the tables are to be rewritten.
bool tables_are_to_be_written();

}  // namespace trunnion::problems
