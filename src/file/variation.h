// Values to try at paths of a model file: lists, ranges, pairs from a table, samples.
// All functions throw InputError that names the option.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.h"

namespace trunnion {

/// A path and its values, as texts of `--set`.
using VariedPath = std::pair<std::string, std::vector<std::string>>;

/// The ends of `a:b`, a range to take a sample of, in one unit.
struct ValueRange {
  double from = 0, to = 0;
  std::string unit;  // as written; may be empty
};

/// A number and the text after it, a unit.
struct NumberAndUnit {
  double number = 0;
  std::string unit;  // as written; may be empty
};
/// Nothing: the text is no number with a unit.
std::optional<NumberAndUnit> number_and_unit(const std::string& text);

/// A path with its values, or its range.
struct VariedValues {
  std::string path;
  std::vector<std::string> values;
  std::optional<ValueRange> range;  // then there are no values yet
};

/// Reads `path=v1,v2,...` (at commas outside brackets and quotes), of which a value may be `a:b:step`: a, a + step, ... to b, in one unit,
/// which is written with the last number or with all; or `path=a:b`. `option`: that errors name.
VariedValues read_variation(const std::string& text, const std::string& option = "--vary");

/// The same of values only: ranges without a step are refused.
VariedPath split_vary(const std::string& text, const std::string& option = "--vary");

/// All combinations of values, one value per variation; the last variation changes fastest.
std::vector<std::vector<std::string>> combinations(const std::vector<VariedPath>& variations);

/// A Latin hypercube sample: `lhs:N,seed` of the command line.
struct SampleRequest {
  std::size_t points = 0;
  std::uint64_t seed = 0;
};
SampleRequest read_sample(const std::string& text);

/// `points` rows with a value per range: every range is divided into as many equal parts, each with one value, uniformly distributed in its
/// part, and the parts of the ranges are paired at random. The same seed gives the same bits on any machine, and range k those of any
/// sample with as many points whose range k it is. Source: M. D. McKay, R. J. Beckman, W. J. Conover, Technometrics 21 (1979), 239-245.
std::vector<std::vector<std::string>> latin_hypercube(const std::vector<ValueRange>& ranges, const SampleRequest& request);

/// A table with a header line of paths and one row of values each: columns separated by commas, or by semicolons or tabs if the header has
/// such; a cell with a separator is quoted. Lines that begin with `#` and empty lines are skipped.
struct PairTable {
  std::vector<std::string> paths;
  std::vector<std::vector<std::string>> rows;
};
PairTable read_pairs(const std::string& file);

/// The values of all runs of a command.
struct VariedRows {
  std::vector<std::string> paths;
  std::vector<std::vector<std::string>> rows;  // per run, a value per path
  std::vector<std::size_t> sizes;              // of the nested loops, the last fastest: rows of the tables, values of each list
};
/// Rows of the pairs (`pairs`: a CSV file; empty: none), times those of `sample`, times all combinations of the lists. Refused: more than a
/// million, a path twice.
VariedRows varied_rows(const std::string& pairs, const std::vector<VariedPath>& lists, const PairTable& sample = {});
/// What is wrong with a model that has values of varied paths: it names --vary, and --pairs if there are any, instead of --set.
InputError of_varied(const InputError& error, const std::vector<std::string>& paths, const std::string& pairs);

}  // namespace trunnion
