// The animated machine of a run: bodies from their shapes with their pose at every instant, cylinders, joints, wheels, springs and
// forces. Poses are computed from the spatial joint tree of the compiled model at the recorded joint coordinates, which are channels in
// both kinds of coordinates.
// SPDX-License-Identifier: BSD-3-Clause
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
  /// Meshes that could not be read, and why; bodies are drawn without them.
  virtual const std::vector<std::string>& unread() const = 0;
  /// Bytes of all meshes in the text of a page, whatever the records.
  virtual std::size_t mesh_size() const = 0;
  /// The scene at these records; channels that it refers to are among `channels`.
  virtual ReportJson json(const std::vector<std::size_t>& rows, const std::set<std::string>& channels, DataBlock& block) = 0;
};

/// `description` must be valid (parse_model); `recording` must outlive the scene.
std::unique_ptr<Scene> make_scene(const Description& description, const Recording& recording);

}  // namespace trunnion
