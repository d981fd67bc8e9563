// Places of values in the model file.
// SPDX-License-Identifier: BSD-3-Clause
#include "description/description.h"

namespace trunnion {

SourceSpan Description::span(std::string path) const {
  while (true) {
    if (const auto it = spans.find(path); it != spans.end()) return it->second;
    const std::size_t dot = path.rfind('.');
    if (dot == std::string::npos) break;
    path.resize(dot);
  }
  const auto root = spans.find("");
  return root == spans.end() ? SourceSpan{} : root->second;
}

}  // namespace trunnion
