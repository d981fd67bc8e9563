// The machine of a run as a picture that moves: bodies from their shapes with their pose at every instant, cylinders, joints, wheels,
// springs and forces. Poses come from the tree of joints that the model compiles to, always in space, at the recorded joint coordinates;
// these are channels in either kind of coordinates. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "report/data_block.h"

namespace trunnion {

class Scene {
 public:
  Scene() = default;
  virtual ~Scene() = default;
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  /// Why there is no scene; empty if there is one.
  virtual const std::string& missing() const = 0;
  /// The scene at these records; of channels it refers to those in `channels`.
  virtual ReportJson json(const std::vector<std::size_t>& rows, const std::set<std::string>& channels, DataBlock& block) = 0;
};

/// `description` has been checked (parse_model); `recording` outlives the scene.
std::unique_ptr<Scene> make_scene(const Description& description, const Recording& recording);

}  // namespace trunnion
