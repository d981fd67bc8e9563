// Other programs, run to their end.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace trunnion {

struct ProcessResult {
  int code = -1;     // its exit code, 128: it was ended by a signal; -1: it could not be started
  int error = 0;     // errno if it could not be started
  std::string text;  // what it wrote, output and error output
};

/// Runs a program found by PATH, `words`: its name and arguments, in `folder`, without input.
ProcessResult run_process(const std::string& folder, std::vector<std::string> words);

}  // namespace trunnion
