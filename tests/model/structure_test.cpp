// Models that differ in parameters only: whether states and channels are the same, and the patterns they share.
// Reference: the channels themselves; models compiled apart.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "file/model_file.h"
#include "machine/observe.h"
#include "machine/start.h"
#include "model/model.h"
#include "schema/parameters.h"

namespace trunnion {
namespace {

std::vector<std::string> channel_names(const std::shared_ptr<const CompiledModel>& model) {
  const auto observer = make_observer(model);
  std::vector<std::string> names;
  for (const Channel& channel : observer->channels()) names.push_back(channel.name);
  return names;
}

std::vector<std::filesystem::path> examples() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(TRUNNION_SOURCE_DIR "/examples"))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

TEST(Structure, IsTheSameWhereStatesAndChannelsAre) {
  int same = 0, other = 0;
  for (const std::filesystem::path& file : examples()) {
    const auto original = compile(load_model(file.string()));
    const std::vector<std::string> names = channel_names(original);
    Description changed = original->description;
    for (const Parameter& parameter : parameters_of(changed)) {
      const double value = *parameter.value;
      *parameter.value = value == 0 ? 1e-3 : parameter.min_excluded ? 0.9 * value : 0;
      std::shared_ptr<const CompiledModel> model;
      try {
        model = compile(changed, original);
      } catch (const Error&) {}  // a machine that cannot be
      if (model) {
        const bool equal = model->layout == original->layout && channel_names(model) == names && model->planar == original->planar;
        EXPECT_EQ(same_structure(*model, *original), equal) << file << " " << parameter.path;
        ++(equal ? same : other);
      }
      *parameter.value = value;
    }
  }
  EXPECT_GT(same, 1000);
  EXPECT_GT(other, 20);
}

TEST(Structure, ModelsThatSharePatternsStartWithTheBitsOfOthers) {
  for (const std::filesystem::path& file : examples()) {
    const auto original = compile(load_model(file.string()));
    Description changed = original->description;
    changed.gravity[2] *= 1.25;
    changed.gravity[1] *= 1.25;
    const auto apart = compile(changed), sharing = compile(changed, original);
    EXPECT_EQ(sharing->hydraulics.patterns, original->hydraulics.patterns);
    EXPECT_NE(apart->hydraulics.patterns, original->hydraulics.patterns);
    EXPECT_TRUE(start_state(*apart) == start_state(*sharing)) << file;
  }
}

}  // namespace
}  // namespace trunnion
