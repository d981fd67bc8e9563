// Reading two columns of a CSV file as points [time, value]: numbers with a decimal point, separated by comma,
// semicolon or tab; an optional header line; lines that begin with `#` and empty lines are skipped.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "description/description.h"
#include "file/input.h"

namespace trunnion {

/// Fills `signal.points` from its file in `folder` (`scale` is not applied). Findings about the content refer to the position in the CSV
/// file, findings about the choice of file and columns to `span`; `path` is the signal's name path. `limit`: maximum file size [bytes].
/// The content is quoted only if it is a table of numbers.
void read_csv_signal(CsvSignal& signal, const std::string& folder, const std::string& path, const SourceSpan& span,
                     std::vector<Diagnostic>& diagnostics, double limit = InputLimits{}.input_size);

/// Names of the columns in the header line of a CSV file; empty if the first line contains numbers or the file cannot be read.
std::vector<std::string> csv_header(const std::string& file);

/// Courses of a model's inputs from a CSV file with a header line: a column `time` [s] and columns named like inputs, in SI units; linear
/// between rows, constant outside; values beyond the limits of an input are refused, its `rate_limit` is applied. Throws InputError.
void read_input_courses(Description& description, const std::string& file, double limit = InputLimits{}.input_size);

}  // namespace trunnion
