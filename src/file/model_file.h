// The model file: text -> Description and back, all from the table in schema/table.h.
// Every function that reads throws InputError with all findings at once (a syntax error is reported alone).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "description/description.h"
#include "file/input.h"
#include "schema/schema.h"

namespace trunnion {

/// `--set path=value`: the value text is read as YAML as in the file; list elements are addressed by index from 0.
/// A path may name any value of a named item in the file, whether the value itself is given or not.
/// `limits.NAME=NUMBER` sets a limit of file/input.h.
struct Override {
  std::string path;   // cylinders.lift.friction.model
  std::string value;  // "7.6 MPa", "lugre", "[0, 0, -9.81]"
};

/// Reads a model from text. `file_name` is named in findings; CSV files are relative to it.
Description parse_model(const std::string& text, const std::string& file_name, const std::vector<Override>& overrides = {});

/// Reads a model file.
Description load_model(const std::string& path, const std::vector<Override>& overrides = {});

/// Splits `path=value` at the first `=`.
Override parse_override(const std::string& text);

/// The number [SI, rad] at `path` of a model file with `overrides`, or its default, as replaced by an override of this path.
/// `option` is named in findings. Throws InputError if the path does not exist or is not a number, or if the number must be whole.
double number_at(const std::string& file, const std::vector<Override>& overrides, const std::string& path, const std::string& option);

/// JSON Schema (draft 2020-12) of the model file.
std::string json_schema();

/// Reference documentation of the model file in Markdown.
std::string model_file_reference();

}  // namespace trunnion
