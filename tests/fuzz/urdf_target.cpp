// Fuzz target: robots in URDF.
// SPDX-License-Identifier: BSD-3-Clause
#include "file/urdf.h"

#include "file/model_file.h"
#include "fuzz/targets.h"

namespace trunnion::fuzz {

void urdf(std::string_view input) {
  refused_properly([&] {
    const bool floating = input.size() % 2 == 1;
    const ImportedModel imported = import_urdf(std::string(input), "robot.urdf", floating);
    require(imported.text.find("\ninclude") == std::string::npos, "a robot that includes files");
    parse_model(imported.text, "robot.yaml");  // a robot may not be a valid machine, and be rejected with findings
  });
}

}  // namespace trunnion::fuzz
