// The machine of an animated scene: bodies with their poses at recorded instants, and the points at which they are connected. Part of
// report/scene.h.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/compile_parts.h"
#include "report/result_files.h"
#include "spatial/spatial.h"

namespace trunnion::scene {

inline Vec<3> vec(const Vec3d& v) { return {v[0], v[1], v[2]}; }

/// Position of a body's own frame.
struct Pose {
  Mat<3> R = Mat<3>::Identity();
  Vec<3> r = Vec<3>::Zero();
  Vec<3> of(const Vec<3>& point) const { return r + R * point; }
};

/// A point of a body.
struct Mount {
  std::size_t body;
  Vec<3> at;
};

struct Box {
  Vec<3> min = Vec<3>::Constant(std::numeric_limits<double>::infinity()), max = -min;
  void add(const Vec<3>& p) {
    min = min.cwiseMin(p);
    max = max.cwiseMax(p);
  }
  double size() const { return (max - min).allFinite() ? (max - min).norm() : 0; }
};

class SceneMachine {
 protected:
  SceneMachine(const Description& description, const Recording& recording);

  /// Finds the recorded channel of every coordinate of the tree.
  void find_coordinates();

  /// Poses of all bodies at a record.
  void place(std::size_t row);

  std::size_t index(const std::string& name) const;
  Mount mount(const std::string& body, const Vec3d& at) const { return {index(body), vec(at)}; }
  Vec<3> placed(const Mount& m) const { return pose_[m.body].of(m.at); }
  double length(const CylinderDescription& c) const;
  /// Centre of mass in the body's own frame.
  Vec<3> center(std::size_t i) const;

  /// Connection points of every body.
  void collect_points();

  /// Size of the machine in its current pose.
  double extent() const;

  /// Bodies whose shapes stay in the line of a cylinder: its barrel and rod, drawn as the cylinder.
  void find_in_line(const std::vector<std::size_t>& rows);
  bool lies_along(std::size_t body, const CylinderDescription& c) const;
  /// Recorded magnitude of the soil resistance against the motion of its point; null if not a soil force.
  const std::vector<double>* resistance(const std::string& force) const;

  struct Coordinate {
    int q;
    const double* values;
  };

  Description d_;
  const Recording& recording_;
  CompiledModel model_;  // its tree only: bodies, joints, start
  Mechanism<3> space_;
  std::unique_ptr<TreeState<3>> tree_;
  std::vector<double> q_;
  std::vector<Coordinate> coordinates_;
  std::string missing_;
  std::vector<BodyInfo> bodies_;             // the first is the ground
  std::vector<std::string> names_;           // theirs
  std::vector<std::vector<Vec<3>>> points_;  // per body, its own frame
  std::vector<Pose> pose_;                   // per body, now
  std::vector<char> in_line_;                // per body
  double size_ = 1;                          // [m] of the machine
  std::optional<Plane> plane_;
};

}  // namespace trunnion::scene
