// Robots in the Unified Robot Description Format as model files.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace trunnion {

struct ImportedModel {
  std::string text;                   // the model file
  std::vector<std::string> changed;   // renamed or converted items, one sentence each
  std::vector<std::string> left_out;  // items that were not imported, one sentence each
};

/// Reads URDF text: links become bodies, joints become joints named after their child, `mimic` a coupling, damping a damper. The root
/// is fixed to the ground, or free if `floating`. `file` is named in findings. Throws InputError with all findings.
ImportedModel import_urdf(const std::string& text, const std::string& file, bool floating);

}  // namespace trunnion
