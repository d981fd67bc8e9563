// The files of `trunnion generate`: a recorded step with its start state, signals and a program that uses them, as C99.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/model.h"
#include "recording/record_run.h"

namespace trunnion {

struct GeneratedCode {
  std::map<std::string, std::string> files;  // texts by name
  // of the recorded run
  long steps = 0, others = 0;  // all, and those that no code has: subdivided, or not converged
  struct Part {
    int ways = 0, operations = 0, longest = 0;  // operations: of all ways together, and of the longest one
    long steps = 0;                             // of the run, on these ways
  };
  Part code, table;                            // compiled ways, and those in tables
  std::optional<double> first_without;         // [s] when the first step began that has no way
  std::string failure;                         // why a run ended early; empty: none did
  std::vector<std::string> without_influence;  // parameters on which no step depends
};

/// Of the compiled ways; more take the compiler longer than their use is worth.
inline constexpr std::size_t kMostOperations = 150'000;

/// Runs the model for its duration, records its steps and writes them as C with names that begin with `name`, a C identifier; numbers of
/// the model are constants there, but for `parameters`. Of the ways those taken most become functions, up to `most_operations`, others tables.
/// The same model gives the same texts. Throws Error for machines whose step cannot be recorded.
GeneratedCode generate_code(const std::shared_ptr<const CompiledModel>& model, const std::string& name,
                            const RecordedParameters& parameters = {}, std::size_t most_operations = kMostOperations,
                            const RecordingProgress& progress = {});

}  // namespace trunnion
