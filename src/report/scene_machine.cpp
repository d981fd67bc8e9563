// Poses and connection points of a recorded machine.
// SPDX-License-Identifier: BSD-3-Clause
#include "report/scene_machine.h"

#include <algorithm>

namespace trunnion::scene {

namespace {

constexpr double kInLine = 1e-3;  // of the machine's size, [rad]: a shape in line with a cylinder is replaced by the cylinder

}  // namespace

SceneMachine::SceneMachine(const Description& description, const Recording& recording) : d_(description), recording_(recording) {
  compile_tree(d_, false, model_, space_);
  std::vector<Mat<3>> frames;
  plane_ = find_plane(d_, model_, space_, frames);
  tree_ = std::make_unique<TreeState<3>>(space_.tree);
  q_ = model_.q_start;
  bodies_.push_back(find_body(model_, "ground"));
  bodies_.insert(bodies_.end(), model_.bodies.begin(), model_.bodies.end());
  for (const BodyInfo& body : bodies_) names_.push_back(body.name);
  pose_.resize(names_.size());
  find_coordinates();
  if (missing_.empty() && recording_.rows() == 0) missing_ = "the run recorded nothing";
  points_.resize(names_.size());
  collect_points();
}

void SceneMachine::find_coordinates() {
  std::vector<std::string> gone;
  const auto find = [&](const std::string& joint, const std::string& quantity, int q) {
    const std::size_t channel = channel_of(recording_.channels, "joints", joint, quantity);
    if (channel == recording_.channels.size())
      gone.push_back(joint + "." + quantity);
    else
      coordinates_.push_back({q, recording_.columns[channel].data()});
  };
  for (const JointInfo& joint : model_.joints)
    for (const JointPart& part : joint.parts) {
      if (part.joint != NodeJoint::spherical) {
        find(joint.name, part.position, part.q);
        continue;
      }
      constexpr const char* kPart[] = {"_w", "_x", "_y", "_z"};
      for (int i = 0; i < 4; ++i) find(joint.name, part.position + kPart[i], part.q + i);
    }
  if (gone.empty()) return;
  missing_ = "joint coordinates were not recorded: ";
  constexpr std::size_t kShown = 6;
  for (std::size_t i = 0; i < std::min(gone.size(), kShown); ++i) missing_ += (i > 0 ? ", " : "") + gone[i];
  if (gone.size() > kShown) missing_ += " and " + std::to_string(gone.size() - kShown) + " more";
  missing_ += "; add them to `record.channels` and run again for an animation";
}

void SceneMachine::place(std::size_t row) {
  for (const Coordinate& c : coordinates_) q_[c.q] = c.values[row];
  update_positions<3, double>(space_.tree, q_.data(), nullptr, *tree_);
  for (std::size_t i = 1; i < names_.size(); ++i) {
    const BodyInfo& body = bodies_[i];
    const NodeState<3>& node = tree_->nodes[body.node];
    pose_[i] = {node.R.m * body.R_NB, node.r + node.R * body.r_NB};
    if (body.node > 0) pose_[i].r += space_.reference;
  }
}

std::size_t SceneMachine::index(const std::string& name) const {
  return static_cast<std::size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
}

double SceneMachine::length(const CylinderDescription& c) const {
  return (placed(mount(c.rod_end.body, c.rod_end.at)) - placed(mount(c.base.body, c.base.at))).norm();
}

Vec<3> SceneMachine::center(std::size_t i) const {
  const BodyInfo& body = bodies_[i];
  return body.R_NB.transpose() * (body.r_NC - body.r_NB);
}

void SceneMachine::collect_points() {
  const auto add = [&](const std::string& body, const Vec3d& at) { points_[index(body)].push_back(vec(at)); };
  for (const auto& [name, joint] : d_.joints) {
    add(joint.parent, joint.at);
    add(name, joint.child_at);
  }
  for (const auto& [name, loop] : d_.loops)
    for (std::size_t i = 0; i < 2; ++i) add(loop.between[i], loop.at[i]);
  for (const auto& [name, c] : d_.cylinders) {
    add(c.base.body, c.base.at);
    add(c.rod_end.body, c.rod_end.at);
  }
  for (const auto& [name, spring] : d_.springs)
    for (std::size_t i = 0; i < 2 && !spring.joint; ++i) add(spring.between[i], spring.at[i]);
  for (const auto& [name, wheel] : d_.wheels) add(wheel.body, wheel.at);
  for (const auto& [name, blade] : d_.blades) add(blade.body, blade.at);
  for (const auto& [name, marker] : d_.markers)
    if (marker.trace) add(marker.body, marker.at);
  for (const auto& [name, force] : d_.forces)
    if (!force.joint && (force.force || resistance(name) != nullptr)) add(force.body, force.at);
}

double SceneMachine::extent() const {
  Box box;
  for (std::size_t i = 0; i < names_.size(); ++i)
    for (const Vec<3>& p : points_[i]) box.add(pose_[i].of(p));
  for (std::size_t i = 1; i < names_.size(); ++i)
    if (bodies_[i].mass > 0) box.add(pose_[i].of(center(i)));
  return box.size() > 0 ? box.size() : 1;
}

void SceneMachine::find_in_line(const std::vector<std::size_t>& rows) {
  in_line_.assign(names_.size(), 1);
  for (const std::size_t row : {rows.front(), rows[rows.size() / 2], rows.back()}) {
    place(row);
    for (std::size_t i = 0; i < names_.size(); ++i) {
      bool along = false;
      for (const auto& [name, c] : d_.cylinders) along = along || lies_along(i, c);
      in_line_[i] = in_line_[i] != 0 && along ? 1 : 0;
    }
  }
}

bool SceneMachine::lies_along(std::size_t body, const CylinderDescription& c) const {
  const Vec<3> base = placed(mount(c.base.body, c.base.at)), line = (placed(mount(c.rod_end.body, c.rod_end.at)) - base).normalized();
  const auto on_line = [&](const Vec<3>& p) { return line.cross(pose_[body].of(p) - base).norm() <= kInLine * size_; };
  const auto& points = points_[body];
  return body > 0 && bodies_[body].mass > 0 && on_line(center(body)) && std::all_of(points.begin(), points.end(), on_line);
}

const std::vector<double>* SceneMachine::resistance(const std::string& force) const {
  const std::size_t i = channel_of(recording_.channels, "forces", force, "resistance");
  return i < recording_.channels.size() ? &recording_.columns[i] : nullptr;
}

}  // namespace trunnion::scene
