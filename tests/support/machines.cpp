// SPDX-License-Identifier: BSD-3-Clause
#include "support/machines.h"

namespace trunnion::test {
namespace {

std::vector<Override> overrides(const std::vector<std::string>& set) {
  std::vector<Override> all;
  for (const std::string& text : set) all.push_back(parse_override(text));
  return all;
}

}  // namespace

std::shared_ptr<const CompiledModel> load_example(const std::string& name, const std::vector<std::string>& set) {
  return compile(load_model(std::string(TRUNNION_SOURCE_DIR) + "/examples/" + name + ".yaml", overrides(set)));
}

std::shared_ptr<const CompiledModel> model_from(const std::string& text, const std::vector<std::string>& set) {
  return compile(parse_model(text, "test.yaml", overrides(set)));
}

double channel_at(const std::shared_ptr<const CompiledModel>& model, const StateVector& state, const std::string& name) {
  const auto observer = make_observer(model);
  observer->observe(state, Side::left);
  for (std::size_t i = 0; i < observer->channels().size(); ++i)
    if (observer->channels()[i].name == name) return observer->value(i);
  ADD_FAILURE() << "no channel " << name;
  return 0;
}

}  // namespace trunnion::test
