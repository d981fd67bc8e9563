// Files embedded in the program by cmake/embed.cmake.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace trunnion::cli {

struct EmbeddedText {
  const char* name;  // templates/pendulum.yaml
  const char* text;
};

const std::vector<EmbeddedText>& embedded_texts();

}  // namespace trunnion::cli
