// The files of `trunnion generate`: a recorded step with its start state, signals and a program that uses them, as C99.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/model.h"
#include "recording/record_run.h"

namespace trunnion {

struct GeneratedCode {
  std::map<std::string, std::string> files;  // texts by name
  // of the recorded run
  long steps = 0, others = 0;                  // all, and those left to the general step
  int ways = 0;                                // through a step
  int operations = 0;                          // in all ways together
  std::string failure;                         // why a run ended early; empty: none did
  std::vector<std::string> without_influence;  // parameters on which no step depends
};

/// Runs the model for its duration, records its steps and writes them as C with names that begin with `name`, a C identifier; numbers of
/// the model are constants there, but for `parameters`. The same model gives the same texts. Throws Error for machines whose step cannot be
/// recorded.
GeneratedCode generate_code(const std::shared_ptr<const CompiledModel>& model, const std::string& name,
                            const RecordedParameters& parameters = {});

}  // namespace trunnion
