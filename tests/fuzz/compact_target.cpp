// Fuzz target: compact forms of models.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/diagnostic.h"
#include "fuzz/targets.h"
#include "schema/compact.h"
#include "schema/schema.h"

namespace trunnion::fuzz {

void compact(std::string_view input) {
  refused_properly([&] {
    const Description description = parse_compact(input, "model.json", {200000, 4000, 64});  // large inputs end soon
    const std::string written = compact_text(description);
    try {
      require(compact_text(parse_compact(written, "written.json")) == written, "reading the compact form changes it");
    } catch (const InputError& error) { require(false, "the compact form as it was written is refused: " + std::string(error.what())); }
  });
}

}  // namespace trunnion::fuzz
