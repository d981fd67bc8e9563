// Texts in C of what a recording consists of.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "recording/c_source.h"
#include "recording/recorder.h"

namespace recording {

class Ways;

/// Of an operation; %0, %1, %2: operands.
const char* operation_text(Op op);
std::string literal(Real x);
/// Of a function's argument; lanes: side by side.
std::string input_text(const Input& input, const FunctionLayout& layout, bool lanes);
std::string element_text(const char* array, std::ptrdiff_t place, bool lanes);

/// The function `name`_by_table, with the arguments of `name`: the same ways as tables of operations, which it reads and follows. `places`
/// in k of prepared operations.
std::string table_function(const Ways& ways, const std::map<int, int>& places, const std::string& name);

}  // namespace recording
