// Overrides: values put into the tree of a model file before it is read.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "file/model_file.h"
#include "file/tree.h"

namespace trunnion {

/// Puts the override's value at its path; `order` counts overrides from 1. Keys that the file does not have are added
/// and marked so; whether they may stand there is found when the tree is read.
void apply_override(FileTree& root, const Override& setting, int order, std::vector<Diagnostic>& diagnostics, InputBudget& budget);

/// What stands at a path, or null.
const FileTree* value_at(const FileTree& root, const std::string& path);

}  // namespace trunnion
