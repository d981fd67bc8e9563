// Description of loops, motions, couplings, wheels, blades, springs, loads and cylinder mounts -> constraint groups, lines, paths.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "model/compile_parts.h"

namespace trunnion {

namespace {
Vec<3> vec(const Vec3d& v) { return {v[0], v[1], v[2]}; }
}  // namespace

PlacedPoint place(const PointMap& map, const CompiledModel& model, const std::string& body, const Vec3d& at) {
  const BodyInfo& b = find_body(model, body);
  Vec<3> r = b.r_NB + b.R_NB * vec(at);
  if (b.node == 0) r -= map.space->reference;
  return {b.node, r};
}

std::vector<Mat<3>> zero_orientations(const Tree<3>& tree) {
  std::vector<Mat<3>> R(tree.nodes.size(), Mat<3>::Identity());
  for (std::size_t j = 1; j < tree.nodes.size(); ++j) R[j] = R[tree.nodes[j].parent] * tree.nodes[j].R_PJ.m;
  return R;
}

std::array<Vec<3>, 2> normals(const Vec<3>& axis) {
  const Vec<3> helper = Vec<3>::Unit(std::abs(axis.x()) < 0.9 ? 0 : 1);
  const Vec<3> n1 = axis.cross(helper).normalized();
  return {n1, axis.cross(n1)};
}

Vec<3> direction(const CompiledModel& model, const std::string& body, const Vec3d& axis) {
  return find_body(model, body).R_NB * vec(axis).normalized();
}

const JointPart& find_part(const CompiledModel& model, const std::string& name) {
  const CoordinateName coordinate = split_coordinate(name);
  if (const auto number = model.body_numbers.find(coordinate.joint); number != model.body_numbers.end())
    for (const JointPart& part : model.joints[number->second].parts)
      if (part.joint != NodeJoint::spherical && (coordinate.part.empty() || coordinate.part == part.position)) return part;
  throw Error("there is no joint coordinate '" + name + "'");
}

namespace {

constexpr double kDepth = 1e-9;  // [m] points of a planar loop
constexpr double kUnset = std::numeric_limits<double>::quiet_NaN();

/// Nodes from the ground's child down to `node`.
std::vector<int> branch(const Tree<3>& tree, int node) {
  std::vector<int> nodes;
  for (; node > 0; node = tree.nodes[node].parent) nodes.push_back(node);
  std::reverse(nodes.begin(), nodes.end());
  return nodes;
}

/// Appends the path between two nodes: branch B, then branch A, without common ancestors.
template <int D>
Range add_path(const Tree<3>& tree, int node_A, int node_B, Mechanism<D>& m) {
  const std::vector<int> A = branch(tree, node_A), B = branch(tree, node_B);
  std::size_t common = 0;
  while (common < A.size() && common < B.size() && A[common] == B[common]) ++common;
  Range range{static_cast<int>(m.paths.size()), 0};
  const auto add = [&](const std::vector<int>& nodes, int sign) {
    for (std::size_t i = common; i < nodes.size(); ++i)
      for (int k = 0; k < tree.nodes[nodes[i]].dofs; ++k) m.paths.push_back({tree.nodes[nodes[i]].v + k, nodes[i], sign});
  };
  add(B, 1);
  add(A, -1);
  range.end = static_cast<int>(m.paths.size());
  return range;
}

}  // namespace

template <int D>
Line<D> make_line(const PointMap& map, const PlacedPoint& P, const PlacedPoint& Q, Mechanism<D>& m) {
  Line<D> line;
  line.node_A = P.node;
  line.node_B = Q.node;
  line.r_AP = seen<D>(map, P.node, P.r);
  line.r_BQ = seen<D>(map, Q.node, Q.r);
  if constexpr (D == 2)
    line.depth = map.depth[Q.node] + map.frames[Q.node].col(2).dot(Q.r) - map.depth[P.node] - map.frames[P.node].col(2).dot(P.r);
  line.path = add_path(map.space->tree, P.node, Q.node, m);
  return line;
}

namespace {

/// Adds a group of rows on its path; the first `holonomic` rows constrain positions.
template <int D>
ConstraintGroup<D>& add_rows(ConstraintGroup<D> g, int rows, int holonomic, Mechanism<D>& m) {
  g.rows = {m.rows, m.rows + rows};
  g.holonomic = holonomic;
  g.jacobian = m.jacobian_size;
  m.rows += rows;
  m.jacobian_size += rows * g.path.size();
  m.velocity_rows += rows - holonomic;
  for (int i = 0; i < rows; ++i) m.holonomic.push_back(i < holonomic ? 1 : 0);
  m.constraints.push_back(g);
  return m.constraints.back();
}

template <int D>
ConstraintGroup<D> new_group(ConstraintType type, int joint) {
  ConstraintGroup<D> g;
  g.type = type;
  g.joint = joint;
  for (Vec<D>& axis : g.axes) axis.setZero();
  return g;
}

/// Builds the rows of loop closures.
template <int D>
class LoopBuilder {
 public:
  LoopBuilder(const PointMap& map, const CompiledModel& model, Mechanism<D>& m)
      : map_(map), model_(model), m_(m), R_0_(zero_orientations(map.space->tree)), start_(map.space->tree) {
    update_positions<3, double>(map.space->tree, model.q_start.data(), nullptr, start_);
  }

  void add(const std::string& path, const LoopDescription& loop, int index) {
    path_ = path;
    // body A is the one with the shorter branch: its axes carry the rows
    std::array<int, 2> order{0, 1};
    const bool ordered = loop.kind == LoopKind::point_on_line;  // the line is the first body's
    if (!ordered && moving_nodes(node(loop, 0)) > moving_nodes(node(loop, 1))) order = {1, 0};
    P_ = place(map_, model_, loop.between[order[0]], loop.at[order[0]]);
    Q_ = place(map_, model_, loop.between[order[1]], loop.at[order[1]]);
    axis_A_ = direction(model_, loop.between[order[0]], loop.axis[order[0]]);
    axis_B_ = direction(model_, loop.between[order[1]], loop.axis[order[1]]);
    joint_ = index;
    if (loop.kind == LoopKind::distance)
      add_distance(loop);
    else if (const std::optional<Vec<3>> normal = plane(loop.kind))
      add_in_plane(loop.kind, *normal);
    else
      add_in_space(loop.kind);
  }

 private:
  int node(const LoopDescription& loop, int i) const { return find_body(model_, loop.between[i]).node; }
  /// Of the branch from the ground to a node.
  std::ptrdiff_t moving_nodes(int node) const {
    const std::vector<int> nodes = branch(map_.space->tree, node);
    return std::count_if(nodes.begin(), nodes.end(), [&](int j) { return map_.space->tree.nodes[j].joint != NodeJoint::fixed; });
  }

  /// Whether every joint between the two bodies keeps them parallel to the plane with that normal (ground axes, coordinates at zero).
  bool bodies_move_in_plane(const Vec<3>& normal) const {
    const Tree<3>& tree = map_.space->tree;
    return std::all_of(between_.begin(), between_.end(), [&](int j) {
      const TreeNode<3>& n = tree.nodes[j];
      if (n.joint == NodeJoint::revolute) return parallel(R_0_[j] * n.turn, normal);
      if (n.joint == NodeJoint::fixed) return true;
      return n.joint == NodeJoint::prismatic && perpendicular(R_0_[j] * n.slide, normal);
    });
  }

  /// Normal of a plane in which the loop moves, in A's axes, if there is one: fewer equations close it.
  std::optional<Vec<3>> plane(LoopKind kind) {
    if (D == 3 && kind == LoopKind::spherical) return std::nullopt;
    const Tree<3>& tree = map_.space->tree;
    std::vector<int> A = branch(tree, P_.node), B = branch(tree, Q_.node);
    std::size_t common = 0;
    while (common < A.size() && common < B.size() && A[common] == B[common]) ++common;
    between_.assign(A.begin() + static_cast<std::ptrdiff_t>(common), A.end());
    between_.insert(between_.end(), B.begin() + static_cast<std::ptrdiff_t>(common), B.end());
    const Mat<3>&R_A = R_0_[P_.node], &R_B = R_0_[Q_.node];
    const auto n = normals(axis_A_);
    std::vector<Vec<3>> candidates{R_A * axis_A_, R_A * n[0], R_A * n[1]};
    for (int j : between_)
      if (tree.nodes[j].joint == NodeJoint::revolute) candidates.push_back(R_0_[j] * tree.nodes[j].turn);
    if (D == 2) candidates = {map_.frames[0].col(2)};
    for (const Vec<3>& normal : candidates)
      if (bodies_move_in_plane(normal) && moves_in_plane(kind, R_A * axis_A_, R_B * axis_B_, normal)) return R_A.transpose() * normal;
    return std::nullopt;
  }

  ConstraintGroup<D>& add_group(ConstraintType type, int rows) {
    ConstraintGroup<D> g = new_group<D>(type, joint_);
    g.line = make_line(map_, P_, Q_, m_);
    g.path = g.line.path;
    return add_rows(g, rows, rows, m_);
  }
  /// Rows perpendicular to the axis do not constrain an offset along it: the two points must have the same depth.
  void check_depth(const Vec<3>& axis_in_A) const {
    const NodeState<3>&A = start_.nodes[P_.node], &B = start_.nodes[Q_.node];
    const double offset = (A.R * axis_in_A).dot(B.r + B.R * Q_.r - A.r - A.R * P_.r);
    if (std::abs(offset) < kDepth) return;
    throw InputError({{span_of(model_.description, path_), path_,
                       fmt::format("cannot close: its points lie {:.6g} m apart along the axis of a planar motion", offset),
                       "two points at the same depth", "correct one of the two points in `at`"}});
  }
  void add_points(const std::vector<Vec<3>>& axes_in_A) {
    ConstraintGroup<D>& g = add_group(ConstraintType::point, static_cast<int>(axes_in_A.size()));
    for (std::size_t i = 0; i < axes_in_A.size(); ++i) g.axes[i] = seen<D>(map_, P_.node, axes_in_A[i]);
  }
  void add_direction(const Vec<3>& in_A, const Vec<3>& in_B) {
    ConstraintGroup<D>& g = add_group(ConstraintType::direction, 1);
    g.axes[0] = seen<D>(map_, P_.node, in_A);
    g.axes[1] = seen<D>(map_, Q_.node, in_B);
  }

  /// Rows of a loop whose bodies stay parallel to the plane with that normal (A's axes).
  void add_in_plane(LoopKind kind, const Vec<3>& normal) {
    const Vec<3> across = normal.cross(axis_A_);  // to an axis in the plane
    const bool along = parallel(axis_A_, normal);
    const auto n = normals(normal);
    const std::vector<Vec<3>> plane_axes =
        D == 3 ? std::vector<Vec<3>>{n[0], n[1]} : std::vector<Vec<3>>{map_.frames[P_.node].col(0), map_.frames[P_.node].col(1)};
    switch (kind) {
      case LoopKind::universal:
        if (perpendicular(axis_A_, normal) && perpendicular(R_0_[P_.node] * normal, R_0_[Q_.node] * axis_B_))
          add_direction(axis_A_, axis_B_);  // both axes lie in the plane: their angle constrains the bodies
        [[fallthrough]];
      case LoopKind::revolute:
      case LoopKind::spherical:
        check_depth(normal);
        add_points(plane_axes);
        break;
      case LoopKind::prismatic:
        add_points({across});
        add_direction(across, axis_B_);
        break;
      case LoopKind::cylindrical:  // revolute or prismatic
        if (along) return add_points(plane_axes);
        add_points({across});
        add_direction(across, axis_B_);
        break;
      case LoopKind::planar:  // nothing, or a planar joint with the axis as its normal
        if (along) return check_depth(normal);
        add_points({axis_A_});
        add_direction(across, axis_B_);
        break;
      case LoopKind::point_on_line:
        if (along) return add_points(plane_axes);
        check_depth(normal);
        add_points({across});
        break;
      case LoopKind::distance:
        break;
    }
  }

  void add_in_space(LoopKind kind) {
    const std::vector<Vec<3>> all{Vec<3>::UnitX(), Vec<3>::UnitY(), Vec<3>::UnitZ()};
    const auto n = normals(axis_A_);
    const auto keep_axes_parallel = [&] {
      add_direction(n[0], axis_B_);
      add_direction(n[1], axis_B_);
    };
    switch (kind) {
      case LoopKind::revolute:
        add_points(all);
        keep_axes_parallel();
        break;
      case LoopKind::prismatic: {
        add_points({n[0], n[1]});
        keep_axes_parallel();
        // a direction of B that is perpendicular to n[0] at the start: prevents rotation of B about the axis
        const Vec<3> keep = start_.nodes[Q_.node].R.m.transpose() * (start_.nodes[P_.node].R.m * n[1]);
        add_direction(n[0], (keep - axis_B_ * axis_B_.dot(keep)).normalized());
        break;
      }
      case LoopKind::cylindrical:
        add_points({n[0], n[1]});
        keep_axes_parallel();
        break;
      case LoopKind::universal:
        add_points(all);
        add_direction(axis_A_, axis_B_);
        break;
      case LoopKind::planar:
        add_points({axis_A_});
        keep_axes_parallel();
        break;
      case LoopKind::spherical:
        add_points(all);
        break;
      case LoopKind::point_on_line:
        add_points({n[0], n[1]});
        break;
      case LoopKind::distance:
        break;
    }
  }
  void add_distance(const LoopDescription& loop) {
    ConstraintGroup<D>& g = add_group(ConstraintType::distance, 1);
    g.distance = loop.distance.value_or(kUnset);
  }

  const PointMap& map_;
  const CompiledModel& model_;
  Mechanism<D>& m_;
  std::vector<Mat<3>> R_0_;
  TreeState<3> start_;
  PlacedPoint P_{}, Q_{};
  Vec<3> axis_A_, axis_B_;
  std::vector<int> between_;  // nodes that move the bodies relative to each other
  std::string path_;
  int joint_ = 0;
};

template <int D>
void add_auxiliary_row(const AuxiliaryRow& row, int index, const PointMap& map, Mechanism<D>& m) {
  ConstraintGroup<D> g = new_group<D>(row.type, index);
  g.line = make_line(map, row.P, row.Q, m);
  g.path = g.line.path;
  g.axes[0] = seen<D>(map, row.P.node, row.axis_P);
  if (row.type == ConstraintType::direction) g.axes[1] = seen<D>(map, row.Q.node, row.axis_Q);
  add_rows(g, 1, 1, m);
}

template <int D>
void add_motion(const std::string& name, const MotionDescription& motion, CompiledModel& model, Mechanism<D>& m) {
  const JointPart& joint = find_part(model, motion.joint);
  ConstraintGroup<D> g = new_group<D>(ConstraintType::coordinate, static_cast<int>(model.constraints.size()));
  g.path = {static_cast<int>(m.paths.size()), static_cast<int>(m.paths.size()) + 1};
  m.paths.push_back({joint.v, joint.node, 1});
  g.q = joint.q;
  g.motion = static_cast<int>(m.motions.size());
  m.motions.push_back({name, model.signals.find(motion.signal), joint.v});
  model.constraints.push_back({"motions." + name, name, add_rows(g, 1, 1, m).rows});
}

template <int D>
void add_coupling(const std::string& name, const CouplingDescription& coupling, CompiledModel& model, Mechanism<D>& m) {
  const JointPart &a = find_part(model, coupling.joints[0]), &b = find_part(model, coupling.joints[1]);
  const bool positions = coupling.level == CouplingLevel::position;
  ConstraintGroup<D> g =
      new_group<D>(positions ? ConstraintType::coupling : ConstraintType::velocity_coupling, static_cast<int>(model.constraints.size()));
  g.path = {static_cast<int>(m.paths.size()), static_cast<int>(m.paths.size()) + 2};
  m.paths.push_back({a.v, a.node, 1});
  m.paths.push_back({b.v, b.node, 1});
  g.q = a.q;
  g.q_driver = b.q;
  g.ratio = coupling.ratio;
  if (positions) g.distance = kUnset;
  model.constraints.push_back({"couplings." + name, name, add_rows(g, 1, positions ? 1 : 0, m).rows});
}

/// Rows between a body A and a point of a body B.
template <int D>
ConstraintGroup<D> contact_group(ConstraintType type, const PlacedPoint& A, const PlacedPoint& B, const PointMap& map,
                                 const CompiledModel& model, Mechanism<D>& m) {
  ConstraintGroup<D> g = new_group<D>(type, static_cast<int>(model.constraints.size()));
  g.line = make_line(map, A, B, m);
  g.path = g.line.path;
  return g;
}

[[noreturn]] void report_fixed(const CompiledModel& model, const std::string& path, const std::string& A, const std::string& B) {
  throw InputError({{span_of(model.description, path), path, fmt::format("`{}` and `{}` cannot move relative to each other", B, A),
                     "two bodies with a movable joint between them", ""}});
}

template <int D>
void add_wheel(const std::string& name, const WheelDescription& d, const PointMap& map, CompiledModel& model, Mechanism<D>& m) {
  const std::string path = "wheels." + name;
  const PlacedPoint P = place(map, model, d.plane, d.plane_at), C = place(map, model, d.body, d.at);
  if (m.tree.carrier(P.node) == m.tree.carrier(C.node)) report_fixed(model, path, d.plane, d.body);
  const int rows = d.lateral_slip == LateralSlip::none ? 3 : 2;
  ConstraintGroup<D> g = contact_group(ConstraintType::wheel, P, C, map, model, m);
  g.axes[0] = seen<D>(map, P.node, direction(model, d.plane, d.plane_normal));
  g.axes[1] = seen<D>(map, C.node, direction(model, d.body, d.axis));
  g.distance = d.radius;
  model.constraints.push_back({path, name, add_rows(g, rows, 1, m).rows});
}

template <int D>
void add_blade(const std::string& name, const BladeDescription& d, const PointMap& map, CompiledModel& model, Mechanism<D>& m) {
  const std::string path = "blades." + name;
  const PlacedPoint P = place(map, model, d.on, {}), Q = place(map, model, d.body, d.at);
  if (m.tree.carrier(P.node) == m.tree.carrier(Q.node)) report_fixed(model, path, d.on, d.body);
  ConstraintGroup<D> g = contact_group(ConstraintType::blade, P, Q, map, model, m);
  g.axes[0] = seen<D>(map, Q.node, direction(model, d.body, d.across));
  model.constraints.push_back({path, name, add_rows(g, 1, 0, m).rows});
}

template <int D>
void add_spring(const std::string& name, const SpringDescription& d, const PointMap& map, const CompiledModel& model, Mechanism<D>& m) {
  const SpringLaw law{d.stiffness, d.damping, d.preload, d.rest.value_or(kUnset)};
  if (d.joint) {
    const JointPart& joint = find_part(model, *d.joint);
    m.joint_springs.push_back({law, name, joint.q, joint.v});
    return;
  }
  const Line<D> line = make_line(map, place(map, model, d.between[0], d.at[0]), place(map, model, d.between[1], d.at[1]), m);
  m.springs.push_back({law, name, line});
}

bool is_driven(const ForceDescription& f, const Description& d) { return f.signal && names_block(d, *f.signal); }

template <int D>
AppliedWrench<D> applied_wrench(const ForceDescription& d, const PointMap& map, const CompiledModel& model) {
  const BodyInfo& body = find_body(model, d.body);
  AppliedWrench<D> load;
  load.node = body.node;
  load.in_body = d.frame == ForceFrame::body;
  load.r_BP = seen<D>(map, body.node, place(map, model, d.body, d.at).r);
  const int frame_node = load.in_body ? body.node : 0;
  const Mat<3> R = load.in_body ? body.R_NB : Mat<3>::Identity();
  load.force = seen<D>(map, frame_node, R * vec(d.force.value_or(Vec3d{})));
  const Vec<3> torque = R * vec(d.torque.value_or(Vec3d{}));
  if constexpr (D == 2)
    load.torque = map.frames[frame_node].col(2).dot(torque);
  else
    load.torque = torque;
  return load;
}

template <int D>
SoilLaw<D> soil_law(const ForceDescription& d, const PointMap& map, const CompiledModel& model) {
  SoilLaw<D> soil;
  soil.node = find_body(model, d.body).node;
  soil.r_BP = seen<D>(map, soil.node, place(map, model, d.body, d.at).r);
  soil.force = d.soil->force;
  soil.depth = d.soil->depth;
  soil.speed = d.soil->speed;
  soil.r_O = seen<D>(map, 0, place(map, model, "ground", d.soil->at).r);
  soil.normal = seen<D>(map, 0, direction(model, "ground", d.soil->normal));
  return soil;
}

template <int D>
void add_load(const std::string& name, const ForceDescription& d, const PointMap& map, const CompiledModel& model, Mechanism<D>& m) {
  if (is_driven(d, model.description)) return;  // a port
  const SignalIndex signal = d.signal ? model.signals.find(*d.signal) : -1;
  if (signal >= 0) m.force_signals.push_back(signal);
  if (d.joint) {
    m.joint_loads.push_back({name, find_part(model, *d.joint).v, d.load.value_or(0), signal});
    return;
  }
  const Range path = add_path(map.space->tree, 0, find_body(model, d.body).node, m);
  if (d.soil) m.soils.push_back({soil_law<D>(d, map, model), name, signal, path});
  if (!d.force && !d.torque) return;
  BodyLoad<D> load{applied_wrench<D>(d, map, model), name, signal, path};
  m.body_loads.push_back(load);
}

/// A load that a control block drives, as a port; one with soil and a force as two.
template <int D>
void add_driven_load(const std::string& name, const ForceDescription& d, const PointMap& map, CompiledModel& model, Mechanism<D>& m) {
  if (!is_driven(d, model.description)) return;
  const auto add = [&](Port<D> port, double factor) {
    model.driven_loads.push_back({name, *d.signal, static_cast<int>(m.ports.size()), factor});
    m.ports.push_back(std::move(port));
  };
  if (d.joint) return add(make_joint_port(*place_of_coordinate(model.description, *d.joint), map, model, m), d.load.value_or(0));
  const auto port_of = [&](PortKind kind) {
    Port<D> port;
    port.kind = kind;
    port.node_B = find_body(model, d.body).node;
    port.path = add_path(map.space->tree, 0, port.node_B, m);
    return port;
  };
  if (d.soil) {
    Port<D> port = port_of(PortKind::soil);
    port.soil = soil_law<D>(d, map, model);
    add(std::move(port), 1);
  }
  if (!d.force && !d.torque) return;
  Port<D> port = port_of(PortKind::load);
  port.load = applied_wrench<D>(d, map, model);
  add(std::move(port), 1);
}

/// The port of a coordinate that follows a control block.
template <int D>
void add_followed_motion(int number, const PointMap& map, CompiledModel& model, Mechanism<D>& m) {
  const auto& [name, motion] = model.description.motions[static_cast<std::size_t>(number)];
  if (!m.motions[static_cast<std::size_t>(number)].follows_block()) return;
  model.driven_loads.push_back({name, motion.signal, static_cast<int>(m.ports.size()), 0, number});
  m.ports.push_back(make_joint_port(*place_of_coordinate(model.description, motion.joint), map, model, m));
}

}  // namespace

template <int D>
void compile_connections(const Description& d, const PointMap& map, const std::vector<JointRows>& joints, CompiledModel& model,
                         Mechanism<D>& m) {
  LoopBuilder<D> loops(map, model, m);
  for (const JointRows& joint : joints) {
    const int first = m.rows, index = static_cast<int>(model.constraints.size());
    const std::string path = "joints." + joint.name;
    if (joint.loop) loops.add(path, *joint.loop, index);
    for (const AuxiliaryRow& row : joint.auxiliary) add_auxiliary_row(row, index, map, m);
    if (m.rows > first) model.constraints.push_back({path, joint.name, {first, m.rows}});
  }
  for (const auto& [name, loop] : d.loops) {
    const int first = m.rows;
    loops.add("loops." + name, loop, static_cast<int>(model.constraints.size()));
    model.constraints.push_back({"loops." + name, name, {first, m.rows}});
  }
  for (const auto& [name, motion] : d.motions) add_motion(name, motion, model, m);
  for (const auto& [name, coupling] : d.couplings) add_coupling(name, coupling, model, m);
  for (const auto& [name, wheel] : d.wheels) add_wheel(name, wheel, map, model, m);
  for (const auto& [name, blade] : d.blades) add_blade(name, blade, map, model, m);
  for (const auto& [name, spring] : d.springs) add_spring(name, spring, map, model, m);
  for (const auto& [name, load] : d.forces) add_load(name, load, map, model, m);
  for (const auto& item : d.cylinders) {
    const CylinderDescription& c = item.second;
    m.ports.push_back({make_line(map, place(map, model, c.base.body, c.base.at), place(map, model, c.rod_end.body, c.rod_end.at), m)});
  }
  model.joint_ports.clear();
  for (const auto& item : d.motors) add_joint_port(*place_of_coordinate(d, item.second.joint), map, model, m);
  for (const auto& item : d.pumps)
    if (!item.second.joint.empty()) add_joint_port(*place_of_coordinate(d, item.second.joint), map, model, m);
  for (const CoordinatePlace& coordinate : coordinates_with_elements(d)) add_joint_port(coordinate, map, model, m);
  for (const CoordinateReading& reading : coordinates_read_by_control(d)) joint_port(reading.place, map, model, m);
  model.marker_ports.clear();
  for (const MarkerReading& reading : markers_read_by_control(d)) add_marker_port(reading, map, model, m);
  model.driven_loads.clear();
  for (const auto& [name, load] : d.forces) add_driven_load(name, load, map, model, m);
  for (std::size_t i = 0; i < d.motions.size(); ++i) add_followed_motion(static_cast<int>(i), map, model, m);
  if (const double lever = largest_lever(m); lever > 0) m.extent = lever;
}

template Line<2> make_line<2>(const PointMap&, const PlacedPoint&, const PlacedPoint&, Mechanism<2>&);
template Line<3> make_line<3>(const PointMap&, const PlacedPoint&, const PlacedPoint&, Mechanism<3>&);
template void compile_connections<2>(const Description&, const PointMap&, const std::vector<JointRows>&, CompiledModel&, Mechanism<2>&);
template void compile_connections<3>(const Description&, const PointMap&, const std::vector<JointRows>&, CompiledModel&, Mechanism<3>&);

}  // namespace trunnion
