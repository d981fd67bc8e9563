// Robots in the Unified Robot Description Format as model files.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace trunnion {

struct ImportedModel {
  std::string text;                   // the model file
  std::vector<std::string> changed;   // what has another name or another form there, one sentence each
  std::vector<std::string> left_out;  // what was not taken over, one sentence each
};

/// Reads URDF text: links become bodies, joints become joints named after their child, `mimic` a coupling, damping a damper. The root
/// stands on the ground, or moves freely if `floating`. `file` stands in findings. Throws InputError with all findings.
ImportedModel import_urdf(const std::string& text, const std::string& file, bool floating);

}  // namespace trunnion
