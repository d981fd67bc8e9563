// Reading files from outside: kind of file, size, and limits of expansion.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/diagnostic.h"

namespace trunnion {

struct Override;
struct FileTree;

/// Limits of reading a model. `--set limits.NAME=NUMBER` sets one; a model file cannot.
struct InputLimits {
  double input_size = 256e6;  // [bytes] a model file together with what it includes; a CSV file of a signal
  double includes = 1000;     // included files, counted each time
  double values = 4e6;        // values read or created: numbers, texts, lists and mappings, including those of aliases and copied parts
  double text_size = 64e6;    // [bytes] inserted by $(...)
  double parts = 1e6;         // instances of templates; `count` of one
};

inline constexpr const char* kLimitsPrefix = "limits.";  // of override paths

/// The limits set by overrides. Throws InputError for wrong names and values.
InputLimits limits_of(const std::vector<Override>& overrides);

/// Position of something counted. Refers to texts of the caller, as most positions are never shown.
struct InputPlace {
  const std::string& file;
  int line, column;
  const std::string& path;
};

/// Counts the resources of reading one model; throws InputError above a limit.
class InputBudget {
 public:
  explicit InputBudget(const InputLimits& limits = {}) : limits_(limits) {}

  void add_input(std::size_t bytes, const InputPlace& at);
  void add_include(const InputPlace& at);
  void add_values(std::size_t count, const InputPlace& at);
  void add_text(std::size_t bytes, const InputPlace& at);
  void add_part(const InputPlace& at);
  /// A copy of a whole tree.
  void add_copy(const FileTree& tree, const InputPlace& at);

  const InputLimits& limits() const { return limits_; }

 private:
  InputLimits limits_;
  std::size_t input_ = 0, includes_ = 0, values_ = 0, text_ = 0, parts_ = 0;
};

/// Content of a regular file; throws InputError for other kinds of file (devices, pipes, folders) and more than `limit` bytes (0: no
/// limit). `what` names the file in messages, `option` the option that allows more.
std::string file_text(const std::string& path, const std::string& what = "model file", double limit = 0,
                      const std::string& option = "--set limits.input_size=BYTES");

/// Throws InputError with the position of the first byte that is not UTF-8 or is a control character other than tab and line end.
void check_text(const std::string& text, const std::string& file);

}  // namespace trunnion
