// Overrides: values set in the tree of a model file before it is read.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "file/model_file.h"
#include "schema/tree.h"

namespace trunnion {

/// Sets the override's value at its path; `order` counts overrides from 1. Keys that are not in the file are added and marked as such;
/// whether they are allowed is checked when the tree is read. A `*` in the path stands for any letters of a name in the tree, or any
/// element of a list; the value is set at every place that fits, of which there must be one. An element of a list that the file leaves
/// out, or writes otherwise (`inertia`), is that of `read`, the model as read from `root`, or empty.
void apply_override(FileTree& root, const FileTree& read, const Override& setting, int order, std::vector<Diagnostic>& diagnostics,
                    InputBudget& budget);

/// Whether an override may set an element of a list that the tree does not have.
bool reaches_into_lists(const Override& setting, const FileTree& root);

/// The names of a path, between its points.
std::vector<std::string> segments_of(const std::string& path);

/// The value at a path, with `*` the first that fits; or null.
const FileTree* value_at(const FileTree& root, const std::string& path);

}  // namespace trunnion
