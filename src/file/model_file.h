// The model file: text -> Description and back, all from the one table in file/table.h.
// Every function that reads throws InputError with all findings at once (a syntax error stands alone).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "description/description.h"
#include "file/input.h"

namespace trunnion {

/// `--set path=value`: the value text is read as YAML as in the file; list elements are addressed by index from 0.
/// A path may name any value of a named item that stands in the file, whether the value itself does or not.
/// `limits.NAME=NUMBER` sets a limit of file/input.h.
struct Override {
  std::string path;   // cylinders.lift.friction.model
  std::string value;  // "7.6 MPa", "lugre", "[0, 0, -9.81]"
};

/// Reads a model from text. `file_name` stands in the findings, and CSV files are looked up beside it.
Description parse_model(const std::string& text, const std::string& file_name, const std::vector<Override>& overrides = {});

/// Reads a model file.
Description load_model(const std::string& path, const std::vector<Override>& overrides = {});

/// Splits `path=value` at the first `=`.
Override parse_override(const std::string& text);

/// Splits `path=v1,v2,...` into the path and the value texts, at commas outside of brackets and quotes.
std::pair<std::string, std::vector<std::string>> split_vary(const std::string& text);

/// A path and the values that it takes in turn.
using VariedPath = std::pair<std::string, std::vector<std::string>>;

/// All combinations of values, one value per variation; the last variation changes fastest.
std::vector<std::vector<std::string>> combinations(const std::vector<VariedPath>& variations);

/// The number [SI, rad] at `path` of a model file with `overrides`, or its default: what an override of this path replaces.
/// `option` stands in the findings. Throws InputError where there is no such path, no number, or one that must be whole.
double number_at(const std::string& file, const std::vector<Override>& overrides, const std::string& path, const std::string& option);

/// SI unit of the value at `path` (of its elements, where it is a list); empty for plain numbers and where there is no such value.
std::string unit_at(const Description& description, const std::string& path);

/// The description with signals from CSV files as tables: it can be written into another folder.
Description without_csv_files(Description description);

/// What is wrong with a description beyond the form of its values: names that lead nowhere, a tree that is none,
/// impossible inertias, friction laws without their parameters, solver choices that do not go together.
/// `parse_model` has done this already; for descriptions built in code.
std::vector<Diagnostic> check_description(const Description& description);

/// The whole description as YAML in SI units, defaults written out; reads back as the same description.
std::string write_model(const Description& description);

/// The same as JSON text.
std::string write_model_json(const Description& description);

/// JSON Schema (draft 2020-12) of the model file.
std::string json_schema();

/// Reference documentation of the model file in Markdown.
std::string model_file_reference();

}  // namespace trunnion
