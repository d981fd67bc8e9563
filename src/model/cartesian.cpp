// The machine in cartesian coordinates: bodies, joints as rows, auxiliary coordinates.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/cartesian.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "description/integrators.h"
#include "model/compile_parts.h"
#include "spatial/rotation3.h"

namespace trunnion {

namespace {

constexpr double kPoint = 1e-12;  // of m L^2, of L: a body without extent, a point at its centre

Vec<3> vec(const Vec3d& v) { return {v[0], v[1], v[2]}; }

// ---------------------------------------------------------------- positions and velocities

/// Absolute angle of every node in the plane and its rate, from the joints on the path to it.
std::vector<double> absolute_angles(const Tree<2>& tree, const double* x, bool rates) {
  std::vector<double> angle(tree.nodes.size(), 0.0);
  for (std::size_t j = 1; j < tree.nodes.size(); ++j) {
    const TreeNode<2>& n = tree.nodes[j];
    angle[j] = angle[n.parent] + (n.joint == NodeJoint::revolute ? n.turn * x[rates ? n.v : n.q] : 0);
  }
  return angle;
}

/// Coordinates and velocities of the bodies of `model`, whose tree is `tree`, and its auxiliary ones.
template <int D>
void set_coordinates(const CompiledModel& model, const Tree<D>& tree, const double* q, const double* v, double* q_out, double* v_out) {
  const CompiledModel& relative = *model.relative;
  const auto& m = std::get<Mechanism<D>>(relative.mechanism);
  TreeState<D> at(m.tree);
  const std::vector<double> still(static_cast<std::size_t>(m.tree.nv), 0.0);
  update_positions<D, double>(m.tree, q, nullptr, at);
  update_rates<D, double>(m.tree, v, still.data(), at);
  std::vector<double> angle, rate;
  if constexpr (D == 2) {
    angle = absolute_angles(m.tree, q, false);
    rate = absolute_angles(m.tree, v, true);
  }
  std::size_t place = 0;
  for (const JointInfo& joint : relative.joints) {
    if (joint.parts.empty()) continue;
    const NodeState<D>& node = at.nodes[joint.node];
    const JointInfo& placed = model.placements[place++];
    const bool point = placed.parts.back().joint == NodeJoint::prismatic;
    const Vec<D> origin = node.r + node.R * (point ? m.tree.nodes[joint.node].r_BC : tree.nodes[placed.node].r_BJ),
                 r = origin + m.reference;
    for (const JointPart& part : placed.parts) {
      if (part.joint == NodeJoint::prismatic) {
        q_out[part.q] = tree.nodes[part.node].slide.dot(r);
        v_out[part.v] = tree.nodes[part.node].slide.dot(node.V.at(origin));
      } else if constexpr (D == 2) {
        q_out[part.q] = angle[joint.node];
        v_out[part.v] = rate[joint.node];
      } else {
        const auto e = matrix_quaternion(node.R.m);
        std::copy(e.begin(), e.end(), q_out + part.q);
        for (int i = 0; i < 3; ++i) v_out[part.v + i] = node.V.angular[i];
      }
    }
  }
  for (std::size_t i = 0; i < model.joints.size(); ++i)
    for (std::size_t k = 0; k < model.joints[i].parts.size(); ++k)
      if (const JointPart& part = model.joints[i].parts[k]; part.reading < 0) {
        q_out[part.q] = q[relative.joints[i].parts[k].q];
        v_out[part.v] = v[relative.joints[i].parts[k].v];
      }
}

// ---------------------------------------------------------------- references to joint coordinates and bodies

/// Indices of the joint parts with friction or limits, or named by control blocks, springs, loads, motors, pumps, motions and couplings, by
/// joint.
std::set<std::pair<std::string, int>> named_coordinates(const Description& d) {
  std::set<std::pair<std::string, int>> named;
  const auto add = [&](const std::string& name) {
    const CoordinateName coordinate = split_coordinate(name);
    for (const auto& [body, joint] : d.joints)
      if (body == coordinate.joint) named.emplace(body, find_coordinate(joint.kind, coordinate.part));
  };
  for (const auto& item : d.springs)
    if (item.second.joint) add(*item.second.joint);
  for (const auto& item : d.forces)
    if (item.second.joint) add(*item.second.joint);
  for (const auto& item : d.motors) add(item.second.joint);
  for (const auto& item : d.pumps)
    if (!item.second.joint.empty()) add(item.second.joint);
  for (const CoordinatePlace& place : coordinates_with_elements(d))
    if (!place.of_loop) named.emplace(place.joint, static_cast<int>(place.part));
  for (const CoordinateReading& reading : coordinates_read_by_control(d))
    if (!reading.place.of_loop) named.emplace(reading.place.joint, static_cast<int>(reading.place.part));
  for (const auto& item : d.motions) add(item.second.joint);
  for (const auto& item : d.couplings)
    for (const std::string& name : item.second.joints) add(name);
  return named;
}

/// Whether everything attached to a body, except its own joint, is attached at a point and exerts only forces there.
bool acted_on_at(const Description& d, const std::string& body, const std::function<bool(const Vec3d&)>& at_point) {
  const auto stands_there = [&](const std::string& name, const Vec3d& at) { return name != body || at_point(at); };
  const auto named = [&](const auto& names) { return std::find(names.begin(), names.end(), body) != names.end(); };
  bool fits = true;
  for (const auto& item : d.joints) fits = fits && item.second.parent != body;
  for (const auto& item : d.loops) fits = fits && !named(item.second.between);
  for (const auto& item : d.wheels) fits = fits && item.second.body != body && item.second.plane != body;
  for (const auto& item : d.blades) fits = fits && item.second.body != body && item.second.on != body;
  for (const auto& item : d.markers) fits = fits && item.second.body != body && item.second.frame != body;
  for (const auto& item : d.springs)
    for (std::size_t i = 0; i < 2 && !item.second.joint; ++i) fits = fits && stands_there(item.second.between[i], item.second.at[i]);
  for (const auto& item : d.forces) {
    const ForceDescription& force = item.second;
    fits = fits && (force.joint || force.body != body || (at_point(force.at) && !force.torque && force.frame == ForceFrame::world));
  }
  for (const auto& item : d.cylinders) {
    fits = fits && stands_there(item.second.base.body, item.second.base.at);
    fits = fits && stands_there(item.second.rod_end.body, item.second.rod_end.at);
  }
  return fits;
}

// ---------------------------------------------------------------- the bodies' tree

const char* const kAxisName[] = {"x", "y", "z"};

/// Letter of the ground axis along a direction; otherwise the number of the plane's axis.
std::string axis_name(const Vec<3>& axis, int number) {
  for (int i = 0; i < 3; ++i)
    if (parallel(axis, Vec<3>::Unit(i))) return kAxisName[i];
  return std::to_string(number);
}

/// Centre of mass of every node together with what is fixed to it, in its frame.
std::vector<Vec<3>> common_centers(const Tree<3>& tree) {
  std::vector<double> mass;
  std::vector<Vec<3>> center;
  for (const TreeNode<3>& n : tree.nodes) {
    mass.push_back(n.mass);
    center.push_back(n.r_BC);
  }
  for (std::size_t j = tree.nodes.size() - 1; j > 0; --j) {
    const TreeNode<3>& n = tree.nodes[j];
    const auto parent = static_cast<std::size_t>(n.parent);
    if (n.joint != NodeJoint::fixed || !(mass[j] > 0)) continue;
    const Vec<3> r = n.r_PJ + n.R_PJ * Vec<3>(center[j] - n.r_BJ);
    center[parent] = (mass[parent] * center[parent] + mass[j] * r) / (mass[parent] + mass[j]);
    mass[parent] += mass[j];
  }
  return center;
}

class CartesianBuilder {
 public:
  CartesianBuilder(std::shared_ptr<const CompiledModel> relative, const PointMap& map)
      : relative_(*relative),
        before_(map),
        model_(std::make_shared<CompiledModel>(*relative)),
        d_(model_->description),
        named_(named_coordinates(d_)),
        at_(map.space->tree),
        R_0_(zero_orientations(map.space->tree)),
        centers_(common_centers(map.space->tree)) {
    model_->relative = std::move(relative);
    update_positions<3, double>(map.space->tree, relative_.q_start.data(), nullptr, at_);
  }

  std::shared_ptr<CompiledModel> build() {
    model_->constraints.clear();
    model_->velocity_names.clear();
    model_->coordinate_names.clear();
    model_->start.clear();
    space_.reference = before_.space->reference;
    space_.tree.gravity = before_.space->tree.gravity;
    space_.tree.nodes.emplace_back();
    map_.space = &space_;
    if (model_->planar) map_.frames.push_back(before_.frames[0]);
    add_slides_along();
    // all bodies, then what is attached to them
    node_.assign(before_.space->tree.nodes.size(), 0);
    for (const JointInfo& joint : relative_.joints) {
      if (!joint.parts.empty())
        add_body(joint);
      else if (before_.space->tree.carrier(joint.node) != joint.node)
        add_fixed(joint);
    }
    for (BodyInfo& body : model_->bodies) move(body);
    if (model_->planar)
      connect<2>();
    else
      connect<3>();
    return model_;
  }

 private:
  const JointDescription& description(const std::string& joint) const {
    return std::find_if(d_.joints.begin(), d_.joints.end(), [&](const auto& item) { return item.first == joint; })->second;
  }
  bool is_named(const std::string& joint, int part) const { return named_.contains({joint, part}); }

  /// Directions of the bodies' translations: ground axes, in the plane its axes, towards the positive ground axes.
  void add_slides_along() {
    if (!model_->planar) {
      for (int i = 0; i < 3; ++i) along_.push_back(Vec<3>::Unit(i));
      return;
    }
    for (int i = 0; i < 2; ++i) {
      Vec<3> axis = model_->plane.axes.col(i);
      Eigen::Index largest = 0;
      axis.cwiseAbs().maxCoeff(&largest);
      along_.push_back(axis[largest] < 0 ? Vec<3>(-axis) : axis);
    }
  }

  /// Adds a node; `old` gives its plane's axes (the ground's if 0).
  int add(int parent, NodeJoint joint, const Vec<3>& axis, const Mat<3>& R_PJ, const Vec<3>& r_PJ, int old) {
    add_node(space_.tree, parent, joint, axis, R_PJ, r_PJ);
    if (model_->planar) map_.frames.push_back(before_.frames[old]);
    for (int i = 0; i < space_.tree.nodes.back().dofs; ++i) model_->start.push_back({true, false, true});
    return static_cast<int>(space_.tree.nodes.size()) - 1;
  }

  /// Whether the child body of a joint needs no angle.
  bool is_point(const JointInfo& joint) const {
    const JointDescription& j = description(joint.name);
    const TreeNode<3>& n = before_.space->tree.nodes[joint.node];
    if (!model_->planar || j.kind != JointKind::revolute || !(n.mass > 0) || is_named(joint.name, 0)) return false;
    const Vec<3> arm = n.r_BC - vec(j.child_at), normal = before_.frames[joint.node].col(2);
    const double length = normal.cross(arm).norm();
    if (!(length > 0) || normal.dot(n.J_C * normal) > kPoint * n.mass * length * length) return false;
    for (const BodyInfo& body : relative_.bodies)
      if (body.node == joint.node && body.name != joint.name) return false;
    return acted_on_at(d_, joint.name, [&](const Vec3d& at) { return normal.cross(vec(at) - n.r_BC).norm() <= kPoint * length; });
  }

  /// Translations and rotation of a body, and its names, all relative to the ground.
  [[gnu::cold]] void add_body(const JointInfo& joint) {
    const TreeNode<3>& old = before_.space->tree.nodes[joint.node];
    const bool point = is_point(joint);
    // a channel name used by the joint stays with the joint
    const std::vector<JointPartName>& parts = joint_parts(description(joint.name).kind);
    const bool taken = std::any_of(parts.begin(), parts.end(), [](const JointPartName& p) { return std::string(p.position) == "x"; });
    JointInfo place{taken ? "bodies." + joint.name : joint.name, 0, space_.tree.nq, space_.tree.nv, 0, 0, {}};
    const NodeState<3>& s = at_.nodes[joint.node];
    Vec<3> r = -space_.reference;
    if (model_->planar) {  // at the centre's depth
      const Vec<3> normal = model_->plane.axes.col(2);
      r += normal * normal.dot(s.r + s.R * centers_[joint.node] + space_.reference);
    }
    int node = 0;
    for (std::size_t i = 0; i < along_.size(); ++i) {
      node = add(node, NodeJoint::prismatic, along_[i], Mat<3>::Identity(), i == 0 ? r : Vec<3>(Vec<3>::Zero()), 0);
      const std::string axis = axis_name(along_[i], static_cast<int>(i) + 1);
      name(place, node, axis, "velocity_" + axis, "acceleration_" + axis);
    }
    if (!point) {
      const bool plane = model_->planar;
      const Vec<3> turn = plane ? Vec<3>(R_0_[joint.node].transpose() * model_->plane.axes.col(2)) : Vec<3>(Vec<3>::Zero());
      node = add(node, plane ? NodeJoint::revolute : NodeJoint::spherical, turn, plane ? R_0_[joint.node] : Mat<3>(Mat<3>::Identity()),
                 Vec<3>::Zero(), joint.node);
      if (plane)
        name(place, node, "rotation", "rotation_rate", "rotation_acceleration");
      else
        name(place, node, "rotation_q", "rotation_rate", "rotation_acceleration");
    }
    TreeNode<3>& body = space_.tree.nodes[node];
    body.mass = old.mass;
    body.J_C = old.J_C;
    if (!point) {
      body.r_BC = old.r_BC;
      body.r_BJ = centers_[joint.node];
    }
    place.node = node_[joint.node] = node;
    place.nq = space_.tree.nq - place.q;
    place.nv = space_.tree.nv - place.v;
    if (point) points_.insert(joint.node);
    model_->placements.push_back(place);
  }
  /// The node of a fixed joint that has one: behind that of the body that carries it, once for all bodies on it.
  void add_fixed(const JointInfo& joint) {
    const TreeNode<3>& old = before_.space->tree.nodes[joint.node];
    if (node_[joint.node] != 0) return;
    const int node = node_[joint.node] = add(node_[old.parent], NodeJoint::fixed, Vec<3>::Zero(), old.R_PJ.m, old.r_PJ, joint.node);
    TreeNode<3>& body = space_.tree.nodes[node];
    body.mass = old.mass;
    body.J_C = old.J_C;
    body.r_BC = old.r_BC;
    body.r_BJ = old.r_BJ;
  }
  void name(JointInfo& place, int node, const std::string& position, const std::string& rate, const std::string& acceleration) {
    const TreeNode<3>& n = space_.tree.nodes[node];
    place.parts.push_back({n.joint, node, n.q, n.v, position, rate, acceleration, -1});
    const bool spherical = n.joint == NodeJoint::spherical;
    for (int i = 0; i < n.dofs; ++i) {
      const std::string axis = spherical ? std::string("_") + kAxisName[i] : "";
      model_->velocity_names.push_back(place.name + "." + rate + axis);
      model_->coordinate_names.push_back(place.name + "." + (spherical ? "rotation" : position) + axis);
    }
  }

  /// A body moves with its node; a point mass has its node's origin at its centre.
  void move(BodyInfo& body) const {
    if (points_.contains(body.node)) {
      body.r_NB -= body.r_NC;
      body.r_NC.setZero();
      body.has_orientation = false;
    }
    body.node = node_[body.node];
  }

  // ---------------------------------------------------------------- joints

  /// Position of a joint in its two bodies, nodes of the new tree.
  struct Lie {
    int A, B, old_A;
    Mat<3> R_AJ;
    Vec<3> r_AP, r_BQ;
  };
  Lie lie(const JointInfo& joint, const JointDescription& j) const {
    const BodyInfo& parent = find_body(*model_, j.parent);
    return {parent.node,
            node_[joint.node],
            find_body(relative_, j.parent).node,
            parent.R_NB * roll_pitch_yaw(j.orientation),
            place(map_, *model_, j.parent, j.at).r,
            vec(j.child_at)};
  }

  static std::optional<LoopKind> loop_kind(JointKind kind) {
    switch (kind) {
      case JointKind::revolute:
        return LoopKind::revolute;
      case JointKind::prismatic:
        return LoopKind::prismatic;
      case JointKind::cylindrical:
        return LoopKind::cylindrical;
      case JointKind::universal:
        return LoopKind::universal;
      case JointKind::planar:
        return LoopKind::planar;
      case JointKind::spherical:
        return LoopKind::spherical;
      case JointKind::point_on_line:
        return LoopKind::point_on_line;
      case JointKind::free:
      case JointKind::fixed:
        break;
    }
    return std::nullopt;
  }
  /// The loop closure equivalent to the joint.
  std::optional<LoopDescription> loop(const JointInfo& joint, const JointDescription& j) const {
    const std::optional<LoopKind> kind = loop_kind(j.kind);
    if (!kind) return std::nullopt;
    LoopDescription loop;
    loop.kind = *kind;
    loop.between = {j.parent, joint.name};
    loop.at = {j.at, j.child_at};
    const auto in_parent = [&](const Vec3d& axis) {
      const Vec<3> a = roll_pitch_yaw(j.orientation) * vec(axis);
      return Vec3d{a.x(), a.y(), a.z()};
    };
    const bool universal = j.kind == JointKind::universal;
    loop.axis = {in_parent(universal ? j.axes[0] : j.axis), universal ? j.axes[1] : j.axis};
    if (points_.contains(joint.node)) {
      const BodyInfo& body = find_body(relative_, joint.name);
      loop.kind = LoopKind::distance;
      loop.at[1] = {body.r_NC.x(), body.r_NC.y(), body.r_NC.z()};
    }
    return loop;
  }

  /// Axis of a part of the joint, joint frame.
  Vec<3> axis(const JointPart& part) const {
    const TreeNode<3>& n = before_.space->tree.nodes[part.node];
    return n.joint == NodeJoint::revolute ? n.turn : n.slide;
  }
  /// Reference direction of a rotating part on its parent side, perpendicular to its axis: positive rotation is towards axis x this, and
  /// a second axis that the first turns.
  static Vec<3> across(const JointDescription& j, std::size_t part, const Vec<3>& axis) {
    if (j.kind == JointKind::universal && part == 0) return vec(j.axes[1]).normalized().cross(axis);
    return normals(axis)[0];
  }

  /// Auxiliary coordinates of the joint up to the last part that needs one, and their rows.
  void add_auxiliary(const JointInfo& old, JointInfo& joint, const JointDescription& j, const Lie& l, JointRows& rows) {
    const bool chained = j.kind == JointKind::universal;
    int parent = l.A;
    bool first = true;
    for (std::size_t k = 0; k < joint.parts.size(); ++k) {
      JointPart& part = joint.parts[k];
      const bool later = chained && k == 0 && is_named(joint.name, 1);
      if (part.reading < 0 || !(is_named(joint.name, static_cast<int>(k)) || later)) continue;
      const Vec<3> c = axis(old.parts[k]);
      const int from = chained ? parent : l.A;
      const bool at_body = first || !chained;
      const int node = add(from, part.joint, c, at_body ? l.R_AJ : Mat<3>(Mat<3>::Identity()), at_body ? l.r_AP : Vec<3>(Vec<3>::Zero()),
                           old.parts[k].node);
      first = false;
      parent = node;
      const TreeNode<3>& n = space_.tree.nodes[node];
      part.node = node;
      part.q = n.q;
      part.v = n.v;
      part.reading = -1;
      model_->velocity_names.push_back(joint.name + "." + part.rate);
      model_->coordinate_names.push_back(joint.name + "." + part.position);
      if (part.joint == NodeJoint::prismatic) {
        rows.auxiliary.push_back({ConstraintType::point, {node, Vec<3>::Zero()}, {l.B, l.r_BQ}, c, Vec<3>::Zero()});
      } else {
        const Vec<3> e = across(j, k, c);
        rows.auxiliary.push_back({ConstraintType::direction, {node, Vec<3>::Zero()}, {l.B, Vec<3>::Zero()}, e, c.cross(e)});
      }
    }
  }

  /// A body's angle or quaternion in the coordinates; -1: the ground's.
  const JointPart* rotation(int node) const {
    for (const JointInfo& place : model_->placements)
      if (place.node == space_.tree.carrier(node)) return &place.parts.back();
    return nullptr;
  }

  template <int D>
  JointReading<D> reading(const JointInfo& old, std::size_t k, const JointDescription& j, const Lie& l) const {
    const JointPart& part = old.parts[k];
    const Vec<3> c = axis(part);
    JointReading<D> x;
    x.place.type = ConstraintType::point;
    x.place.line.node_A = l.A;
    x.place.line.node_B = l.B;
    x.place.line.r_AP = seen<D>(map_, l.A, l.r_AP);
    x.place.line.r_BQ = seen<D>(map_, l.B, l.r_BQ);
    x.place.rows = {0, 1};
    for (Vec<D>& a : x.place.axes) a.setZero();
    const JointPart *A = rotation(l.A), *B = rotation(l.B);
    if (part.joint != NodeJoint::spherical) x.start = relative_.q_start[part.q];
    if (part.joint == NodeJoint::prismatic) {
      x.kind = JointReadingKind::displacement;
      x.place.axes[0] = seen<D>(map_, l.A, l.R_AJ * c);
      return x;
    }
    x.q_A = A != nullptr ? A->q : -1;
    x.v_A = A != nullptr ? A->v : -1;
    x.q_B = B->q;
    x.v_B = B->v;
    if constexpr (D == 2) {
      x.turn = std::get<Mechanism<2>>(relative_.mechanism).tree.nodes[part.node].turn;
      if (!points_.contains(old.node)) return x;
      x.kind = JointReadingKind::pointing;
      x.place.line.r_BQ.setZero();
      x.place.rows = {0, 2};
      const Vec<3> arm = before_.space->tree.nodes[old.node].r_BC - vec(j.child_at);  // joint frame where the angle is zero
      const Vec<2> along = seen<2>(map_, l.A, l.R_AJ * arm).normalized();
      x.place.axes[0] = along;
      x.place.axes[1] = {-along.y(), along.x()};
    } else {
      if (part.joint == NodeJoint::spherical) {
        x.kind = JointReadingKind::spherical;
        x.R_AJ.m = l.R_AJ;
        Mat<3> R = l.R_AJ;  // in the axes of the node that has the quaternion
        for (int node = l.A; node != space_.tree.carrier(node); node = space_.tree.nodes[node].parent)
          R = space_.tree.nodes[node].R_PJ.m * R;
        x.e_AJ = matrix_quaternion(R);
        return x;
      }
      const bool second = j.kind == JointKind::universal && k == 1;
      const Vec<3> a0 = vec(j.axes[0]).normalized(), a1 = vec(j.axes[1]).normalized();
      // universal: the first angle rotates the second axis about the first; the second is measured about the second axis, fixed in B
      const Vec<3> e = j.kind == JointKind::universal ? (second ? a0 : a1) : normals(c)[0];
      x.from = l.R_AJ * e;
      x.to = e;
      x.axis_in_B = second;
      x.axis = second ? c : Vec<3>(l.R_AJ * c);
    }
    return x;
  }

  /// Whether a part is its body's own coordinate: an angle in the plane from the ground.
  bool is_own(const JointInfo& old, const JointPart& part, const Lie& l) const {
    return model_->planar && part.joint == NodeJoint::revolute && space_.tree.carrier(l.A) == 0 && !points_.contains(old.node) &&
           std::get<Mechanism<2>>(relative_.mechanism).tree.nodes[part.node].turn > 0;
  }

  template <int D>
  std::vector<JointRows> add_joints() {
    std::vector<JointReading<D>> readings;
    std::vector<JointRows> all;
    for (std::size_t i = 0; i < model_->joints.size(); ++i) {
      const JointInfo& old = relative_.joints[i];
      JointInfo& joint = model_->joints[i];
      joint.node = node_[old.node];
      joint.q = joint.v = joint.nq = joint.nv = 0;
      if (old.parts.empty()) continue;
      const JointDescription& j = description(joint.name);
      const Lie l = lie(old, j);
      for (std::size_t k = 0; k < joint.parts.size(); ++k) {
        JointPart& part = joint.parts[k];
        part.node = l.B;
        part.q = part.v = -1;
        if (is_own(old, old.parts[k], l)) {
          part.q = rotation(l.B)->q;
          part.v = rotation(l.B)->v;
          continue;
        }
        part.reading = static_cast<int>(readings.size());
        readings.push_back(reading<D>(old, k, j, l));
      }
      JointRows rows{joint.name, loop(old, j), {}};
      add_auxiliary(old, joint, j, l, rows);
      all.push_back(std::move(rows));
    }
    model_->readings = std::move(readings);
    return all;
  }

  template <int D>
  [[gnu::cold]] void connect() {
    const std::vector<JointRows> joints = add_joints<D>();
    Mechanism<D> m;
    if constexpr (D == 2) {
      map_.depth = depths(space_.tree, map_.frames);
      project_tree(space_, map_.frames, m);
      project_centers(space_.reference, map_, *model_);
    } else {
      m = space_;
    }
    model_->q_start.assign(static_cast<std::size_t>(space_.tree.nq), 0.0);
    model_->v_start.assign(static_cast<std::size_t>(space_.tree.nv), 0.0);
    set_coordinates<D>(*model_, m.tree, relative_.q_start.data(), relative_.v_start.data(), model_->q_start.data(), model_->v_start.data());
    compile_connections(d_, map_, joints, *model_, m);
    for (const PrescribedMotion& motion : m.motions) m.force_signals.push_back(motion.signal);
    MechanismState<D> start = start_positions(*model_, m);
    settle(*model_, start, m);
    model_->layout.nq = m.tree.nq;
    model_->layout.nv = m.tree.nv;
    model_->layout.motion_memory = motion_memory_size(model_->description.solver, m.tree.nv);
    model_->layout.rows = m.rows;
    model_->mechanism = std::move(m);
  }

  const CompiledModel& relative_;
  const PointMap& before_;  // the tree of joints
  std::shared_ptr<CompiledModel> model_;
  const Description& d_;
  const std::set<std::pair<std::string, int>> named_;
  TreeState<3> at_;              // the tree of joints at the start
  std::vector<Mat<3>> R_0_;      // and its orientations with all coordinates at zero
  std::vector<Vec<3>> centers_;  // of mass of its nodes with what is fixed to them
  Mechanism<3> space_;           // the bodies' tree
  PointMap map_;
  std::vector<Vec<3>> along_;  // slides, ground axes
  std::vector<int> node_;      // per node of the tree of joints: the body's
  std::set<int> points_;       // nodes of the tree of joints whose body has no angle
};

}  // namespace

std::shared_ptr<CompiledModel> compile_cartesian(const std::shared_ptr<const CompiledModel>& relative, const PointMap& map) {
  return CartesianBuilder(relative, map).build();
}

void set_cartesian(const CompiledModel& model, const double* q, const double* v, double* q_out, double* v_out) {
  if (model.planar)
    set_coordinates<2>(model, std::get<Mechanism<2>>(model.mechanism).tree, q, v, q_out, v_out);
  else
    set_coordinates<3>(model, std::get<Mechanism<3>>(model.mechanism).tree, q, v, q_out, v_out);
}

}  // namespace trunnion
