// Reading two columns of a CSV file as points [time, value]: numbers with a decimal point, separated by comma,
// semicolon or tab; an optional header line; lines that begin with `#` and empty lines are skipped.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "description/description.h"
#include "file/input.h"

namespace trunnion {

/// Fills `signal.points` from its file in `folder`, as they stand there (`scale` is not applied). Findings about the file's content stand
/// at their place in the CSV file, findings about the choice of file and columns at `span`; `path` is the signal's name path. `limit`: the
/// largest file [bytes]. What the file holds is quoted only once it has proved to be a table of numbers.
void read_csv_signal(CsvSignal& signal, const std::string& folder, const std::string& path, const SourceSpan& span,
                     std::vector<Diagnostic>& diagnostics, double limit = InputLimits{}.input_size);

/// Names of the columns in the header line of a CSV file; none where the first line holds numbers or the file cannot be read.
std::vector<std::string> csv_header(const std::string& file);

}  // namespace trunnion
