// Fuzz target: model files.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/diagnostic.h"
#include "file/model_file.h"
#include "fuzz/targets.h"
#include "machine/analyse.h"
#include "machine/start.h"
#include "model/model.h"
#include "run/element_steps.h"
#include "solve/start_partition.h"

namespace trunnion::fuzz {

namespace {

/// Small, so that large inputs end soon.
const std::vector<Override> kLimits{{"limits.input_size", "200000"},
                                    {"limits.includes", "2"},
                                    {"limits.values", "4000"},
                                    {"limits.text_size", "40000"},
                                    {"limits.parts", "20"}};

/// As `trunnion check`.
void check(const Description& description) {
  const std::shared_ptr<const CompiledModel> model = compile(description);
  analyse(*model);
  find_start_partition(*model);
  if (find_missing_inertia(*model).singular) return;
  element_step_warnings(*model, start_state(*model));
}

}  // namespace

void model(std::string_view input) {
  refused_properly([&] {
    const Description description = parse_model(std::string(input), "model.yaml", kLimits);
    const std::string written = write_model(description);
    try {
      parse_model(written, "written.yaml");
    } catch (const InputError& error) { require(false, "the model as it was written is refused: " + std::string(error.what())); }
    check(description);
  });
}

}  // namespace trunnion::fuzz
