// Description of bodies and joints -> nodes of the tree. Fixed joints merge bodies, unless their reaction is recorded; every other joint is a
// chain of elementary ones (rotation, translation, spherical); the plane of a planar machine is found from the joint axes.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "model/compile_parts.h"

namespace trunnion {

namespace {

Vec<3> vec(const Vec3d& v) { return {v[0], v[1], v[2]}; }

struct MassProperties {
  double mass = 0;
  Vec<3> com = Vec<3>::Zero();
  Mat<3> J = Mat<3>::Zero();  // about com
};

MassProperties mass_of(const RodShape& s) {
  const double across = s.mass * (s.length * s.length / 12 + s.diameter * s.diameter / 16), along = s.mass * s.diameter * s.diameter / 8;
  return {s.mass, {s.length / 2, 0, 0}, Vec<3>(along, across, across).asDiagonal()};
}
MassProperties mass_of(const BoxShape& s) {
  const double x = s.size[0] * s.size[0], y = s.size[1] * s.size[1], z = s.size[2] * s.size[2];
  return {s.mass, vec(s.at), Mat<3>((s.mass / 12 * Vec<3>(y + z, x + z, x + y)).asDiagonal())};
}
MassProperties mass_of(const CylinderShape& s) {
  const Vec<3> axis = vec(s.axis).normalized();
  const double r2 = s.radius * s.radius, along = s.mass * r2 / 2, across = s.mass * (3 * r2 + s.length * s.length) / 12;
  return {s.mass, vec(s.at), across * Mat<3>::Identity() + (along - across) * axis * axis.transpose()};
}
MassProperties mass_of(const SphereShape& s) { return {s.mass, vec(s.at), 0.4 * s.mass * s.radius * s.radius * Mat<3>::Identity()}; }
MassProperties mass_of(const PointMassShape& s) { return {s.mass, vec(s.at), Mat<3>::Zero()}; }
MassProperties mass_of(const InertiaShape& s) {
  Mat<3> J;
  J << s.moments[0], s.products[0], s.products[1], s.products[0], s.moments[1], s.products[2], s.products[1], s.products[2], s.moments[2];
  return {s.mass, vec(s.center_of_mass), J};
}

/// Tensor about another point at offset d from the centre of mass.
Mat<3> steiner(double mass, const Vec<3>& d) { return mass * (d.squaredNorm() * Mat<3>::Identity() - d * d.transpose()); }

MassProperties combine(const MassProperties& a, const MassProperties& b) {
  const double mass = a.mass + b.mass;
  if (mass <= 0) return {0, a.com, a.J + b.J};  // rotors without mass: it has no centre
  const Vec<3> com = (a.mass * a.com + b.mass * b.com) / mass;
  return {mass, com, a.J + b.J + steiner(a.mass, a.com - com) + steiner(b.mass, b.com - com)};
}

MassProperties mass_of(const BodyDescription& body) {
  MassProperties total;
  for (const ShapeDescription& shape : body.shapes) total = combine(total, std::visit([](const auto& s) { return mass_of(s); }, shape));
  return total;
}

/// Bodies in an order in which parents come first.
std::vector<int> tree_order(const Description& d) {
  std::vector<int> order;
  std::vector<bool> done(d.joints.size(), false);
  std::unordered_set<std::string> placed{"ground"};
  while (order.size() < d.joints.size()) {
    const std::size_t before = order.size();
    for (std::size_t i = 0; i < d.joints.size(); ++i) {
      const auto& [name, joint] = d.joints[i];
      if (done[i] || !placed.contains(joint.parent)) continue;
      done[i] = true;
      order.push_back(static_cast<int>(i));
      placed.insert(name);
    }
    if (order.size() == before) throw Error("the joints do not form a tree from the ground");
  }
  return order;
}

/// An elementary joint of a composition: direction and start value. A spherical part takes its start from the joint.
struct Element {
  Vec<3> axis = Vec<3>::Zero();  // joint frame
  std::optional<double> start, start_rate;
};

std::optional<double> component(const std::optional<Vec2d>& v, std::size_t i) { return v ? std::optional((*v)[i]) : std::nullopt; }
std::optional<double> component(const std::optional<Vec3d>& v, std::size_t i) { return v ? std::optional((*v)[i]) : std::nullopt; }

/// One for each of joint_parts(j.kind).
std::vector<Element> elements(const JointDescription& j) {
  const Vec<3> axis = vec(j.axis).normalized();
  switch (j.kind) {
    case JointKind::fixed:
      return {};
    case JointKind::revolute:
    case JointKind::prismatic:
      return {{axis, j.coordinate, j.rate}};
    case JointKind::cylindrical:
      return {{axis, j.displacement, j.speed}, {axis, j.coordinate, j.rate}};
    case JointKind::universal:
      return {{vec(j.axes[0]).normalized(), component(j.pair, 0), component(j.pair_rate, 0)},
              {vec(j.axes[1]).normalized(), component(j.pair, 1), component(j.pair_rate, 1)}};
    case JointKind::planar: {
      const Vec<3> x = first_plane_axis(axis), y = axis.cross(x);
      return {{x, component(j.pair, 0), component(j.pair_rate, 0)},
              {y, component(j.pair, 1), component(j.pair_rate, 1)},
              {axis, j.coordinate, j.rate}};
    }
    case JointKind::spherical:
      return {Element{}};
    case JointKind::point_on_line:
      return {{axis, j.coordinate, j.rate}, Element{}};
    case JointKind::free: {  // translations along the parent's axes
      const Mat<3> R_JP = roll_pitch_yaw(j.orientation).transpose();
      return {{R_JP.col(0), component(j.position, 0), component(j.velocity, 0)},
              {R_JP.col(1), component(j.position, 1), component(j.velocity, 1)},
              {R_JP.col(2), component(j.position, 2), component(j.velocity, 2)},
              Element{}};
    }
  }
  return {};
}

NodeJoint node_joint(JointPartKind kind) {
  switch (kind) {
    case JointPartKind::angle:
      return NodeJoint::revolute;
    case JointPartKind::displacement:
      return NodeJoint::prismatic;
    case JointPartKind::spherical:
      break;
  }
  return NodeJoint::spherical;
}

void start_rotation(CompiledModel& model, const JointDescription& joint) {
  const auto e = matrix_quaternion(roll_pitch_yaw(joint.rotation.value_or(Vec3d{})));
  model.q_start.insert(model.q_start.end(), e.begin(), e.end());
  const Vec<3> rate =
      roll_pitch_yaw(joint.orientation).transpose() * vec(joint.angular_velocity.value_or(Vec3d{}));  // parent's axes -> joint's
  for (int i = 0; i < 3; ++i) {
    model.start.push_back({joint.rotation.has_value(), joint.hold, joint.angular_velocity.has_value()});
    model.v_start.push_back(rate[i]);
  }
}

/// Start values and names of one elementary joint, the tree's last node.
void add_part(const JointDescription& joint, const Element& element, const JointPartName& name, const Tree<3>& tree, JointInfo& info,
              CompiledModel& model) {
  const TreeNode<3>& node = tree.nodes.back();
  info.node = static_cast<int>(tree.nodes.size()) - 1;
  info.parts.push_back({node.joint, info.node, node.q, node.v, name.position, name.rate, name.acceleration});
  const std::string rate = info.name + "." + name.rate;
  if (node.joint == NodeJoint::spherical) {
    start_rotation(model, joint);
    for (const char* axis : {"_x", "_y", "_z"}) model.velocity_names.push_back(rate + axis);
    for (const char* axis : {"_x", "_y", "_z"}) model.coordinate_names.push_back(info.name + ".rotation" + axis);
  } else {
    model.start.push_back({element.start.has_value(), joint.hold, element.start_rate.has_value()});
    model.q_start.push_back(element.start.value_or(0));
    model.v_start.push_back(element.start_rate.value_or(0));
    model.velocity_names.push_back(rate);
    model.coordinate_names.push_back(info.name + "." + name.position);
  }
}

/// Whether a pattern of `record.channels` can name the reaction of a joint.
bool records_reaction(const Description& d, const std::string& joint) {
  const std::string own = joint + ".reaction", full = "joints." + own;
  return std::any_of(d.record.channels.begin(), d.record.channels.end(),
                     [&](const std::string& pattern) { return pattern.starts_with(own) || pattern.starts_with(full); });
}

/// The nodes of one joint after its parent body: one per elementary joint, all at the joint's position. `own_node`: of a fixed one, too.
void add_joint(const std::string& name, const JointDescription& joint, bool own_node, CompiledModel& model, Tree<3>& tree) {
  const BodyInfo& parent = find_body(model, joint.parent);
  const Mat<3> R = parent.R_NB * roll_pitch_yaw(joint.orientation);
  const Vec<3> r = parent.r_NB + parent.R_NB * vec(joint.at), child_at = vec(joint.child_at);
  JointInfo info{name, parent.node, tree.nq, tree.nv, 0, 0, {}};
  BodyInfo body;
  body.name = name;
  const std::vector<JointPartName>& parts = joint_parts(joint.kind);
  const std::vector<Element> places = elements(joint);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    add_node(tree, info.node, node_joint(parts[i].kind), places[i].axis, i == 0 ? R : Mat<3>::Identity(), i == 0 ? r : Vec<3>::Zero());
    add_part(joint, places[i], parts[i], tree, info, model);
  }
  if (parts.empty() && own_node) {
    add_node(tree, info.node, NodeJoint::fixed, Vec<3>::Zero(), R, r);
    info.node = static_cast<int>(tree.nodes.size()) - 1;
  }
  if (info.node == parent.node) {  // fixed: the bodies share a node
    body.R_NB = R;
    body.r_NB = r - R * child_at;
  } else {
    tree.nodes.back().r_BJ = child_at;
  }
  body.node = info.node;
  info.nq = tree.nq - info.q;
  info.nv = tree.nv - info.v;
  model.body_numbers.emplace(name, model.bodies.size());
  model.joints.push_back(std::move(info));
  model.bodies.push_back(std::move(body));
}

/// Puts a body's mass on its node.
void add_mass(const BodyDescription& description, BodyInfo& body, Mechanism<3>& m) {
  const MassProperties own = mass_of(description);
  body.mass = own.mass;
  body.r_NC = body.r_NB + body.R_NB * own.com;
  if (body.node == 0) return;
  TreeNode<3>& node = m.tree.nodes[body.node];
  const MassProperties total = combine({node.mass, node.r_BC, node.J_C}, {own.mass, body.r_NC, body.R_NB * own.J * body.R_NB.transpose()});
  node.mass = total.mass;
  node.r_BC = total.com;
  node.J_C = total.J;
}

/// A normal compatible with the joints: a revolute axis, or one perpendicular to the translations. Ground axes; zero if none
/// is needed or possible.
Vec<3> candidate_normal(const Mechanism<3>& m, const std::vector<Mat<3>>& R_0) {
  Vec<3> first = Vec<3>::Zero();
  for (std::size_t j = 1; j < m.tree.nodes.size(); ++j) {
    const TreeNode<3>& n = m.tree.nodes[j];
    if (n.joint == NodeJoint::revolute) return R_0[j] * n.turn;
    if (n.joint != NodeJoint::prismatic) continue;
    const Vec<3> slide = R_0[j] * n.slide;
    if (first.isZero())
      first = slide;
    else if (!parallel(first, slide))
      return first.cross(slide).normalized();
  }
  if (first.isZero()) return Vec<3>::UnitZ();
  if (!parallel(first, m.tree.gravity)) return first.cross(m.tree.gravity).normalized();  // any plane along it: that of gravity
  return first.cross(Vec<3>::Unit(std::abs(first.x()) < 0.9 ? 0 : 1)).normalized();
}

}  // namespace

void add_node(Tree<3>& tree, int parent, NodeJoint joint, const Vec<3>& axis, const Mat<3>& R_PJ, const Vec<3>& r_PJ) {
  const bool spherical = joint == NodeJoint::spherical;
  TreeNode<3> node;
  node.parent = parent;
  node.joint = joint;
  node.q = tree.nq;
  node.v = tree.nv;
  node.dofs = spherical ? 3 : joint == NodeJoint::fixed ? 0 : 1;
  node.R_PJ.m = R_PJ;
  node.aligned = R_PJ == Mat<3>::Identity();
  node.r_PJ = r_PJ;
  if (joint == NodeJoint::revolute) node.turn = axis;
  if (joint == NodeJoint::prismatic) node.slide = axis;
  tree.nq += spherical ? 4 : node.dofs;
  tree.nv += node.dofs;
  for (int i = 0; i < node.dofs; ++i) tree.dof_node.push_back(static_cast<int>(tree.nodes.size()));
  tree.nodes.push_back(node);
}

const BodyInfo& find_body(const CompiledModel& model, const std::string& name) {
  static const BodyInfo kGround{"ground", 0, Mat<3>::Identity(), Vec<3>::Zero(), 0, Vec<3>::Zero()};
  if (name == "ground") return kGround;
  const auto number = model.body_numbers.find(name);
  if (number == model.body_numbers.end()) throw Error("there is no body '" + name + "'");
  return model.bodies[number->second];
}

Vec<3> first_plane_axis(const Vec<3>& normal) {
  const Vec<3> x = Vec<3>::UnitX() - normal * normal.x();
  return (x.norm() < 0.5 ? Vec<3>(Vec<3>::UnitY() - normal * normal.y()) : x).normalized();
}

bool moves_in_plane(LoopKind kind, const Vec<3>& axis_A, const Vec<3>& axis_B, const Vec<3>& normal) {
  const bool along_A = parallel(axis_A, normal), along_B = parallel(axis_B, normal);
  const bool across_A = perpendicular(axis_A, normal), across_B = perpendicular(axis_B, normal);
  switch (kind) {
    case LoopKind::revolute:
      return along_A && along_B;
    case LoopKind::prismatic:
      return across_A && across_B;
    case LoopKind::cylindrical:
    case LoopKind::planar:
      return (along_A && along_B) || (across_A && across_B);
    case LoopKind::universal:
      return (along_A && across_B) || (across_A && along_B) || (across_A && across_B);
    case LoopKind::point_on_line:
      return along_A || across_A;
    case LoopKind::spherical:
    case LoopKind::distance:
      return true;
  }
  return false;
}

void compile_tree(const Description& d, bool nodes_of_fixed, CompiledModel& model, Mechanism<3>& m) {
  m.tree.nodes.emplace_back();
  m.tree.gravity = vec(d.gravity);
  for (int i : tree_order(d)) {
    const auto& [name, joint] = d.joints[i];
    add_joint(name, joint, nodes_of_fixed && joint.kind == JointKind::fixed && records_reaction(d, name), model, m.tree);
  }
  std::unordered_map<std::string, const BodyDescription*> described;
  for (const auto& [name, body] : d.bodies) described.emplace(name, &body);
  for (BodyInfo& body : model.bodies)
    if (const auto it = described.find(body.name); it != described.end()) add_mass(*it->second, body, m);
  // the reference point is the centre of the joints at the ground, so that a machine far from the origin loses no digits
  int roots = 0;
  for (std::size_t j = 1; j < m.tree.nodes.size(); ++j)
    if (m.tree.nodes[j].parent == 0) {
      m.reference += m.tree.nodes[j].r_PJ;
      ++roots;
    }
  if (roots > 0) m.reference /= roots;
  for (std::size_t j = 1; j < m.tree.nodes.size(); ++j)
    if (m.tree.nodes[j].parent == 0) m.tree.nodes[j].r_PJ -= m.reference;
}

namespace {

/// Of numbers with derivatives: whether these vanish, too. A machine that its parameters move out of the plane is spatial.
bool stays_zero([[maybe_unused]] double x) {
#ifdef TRUNNION_TANGENTS
  for (int i = 0; i < tangents::kVariables; ++i)
    if (std::abs(x.partial(i)) > kParallel.value()) return false;
#endif
  return true;
}
bool stays_parallel(const Vec<3>& a, const Vec<3>& b) {
  const Vec<3> c = a.cross(b);
  return parallel(a, b) && stays_zero(c.x()) && stays_zero(c.y()) && stays_zero(c.z());
}
bool stays_perpendicular(const Vec<3>& a, const Vec<3>& b) { return perpendicular(a, b) && stays_zero(a.dot(b)); }

}  // namespace

namespace {

/// Whether friction follows loads of joints or reactions of fixed joints are recorded, and gravity or a force acts across the plane: a planar
/// mechanism would lack that load. in_ground(body, vector): ground axes.
template <class InGround>
bool loads_across(const Description& d, const Tree<3>& tree, const Vec<3>& normal, const InGround& in_ground) {
  const std::vector<CoordinatePlace> places = coordinates_with_elements(d);
  if (std::none_of(tree.nodes.begin(), tree.nodes.end(), [](const TreeNode<3>& n) { return n.joint == NodeJoint::fixed; }) &&
      std::none_of(places.begin(), places.end(), [&](const CoordinatePlace& place) {
        const CoordinateElements& elements = *elements_of(d, place);
        return elements.friction && elements.friction->nominal_load;
      }))
    return false;
  const auto across = [&](const Vec<3>& force) { return std::abs(force.dot(normal)) > kParallel * force.norm(); };
  return across(vec(d.gravity)) || std::any_of(d.forces.begin(), d.forces.end(), [&](const auto& item) {
           const ForceDescription& f = item.second;
           return f.force && across(f.frame == ForceFrame::world ? vec(*f.force) : in_ground(f.body, *f.force));
         });
}

}  // namespace

std::optional<Plane> find_plane(const Description& d, const CompiledModel& model, const Mechanism<3>& m, std::vector<Mat<3>>& frames) {
  if (!d.wheels.empty()) return std::nullopt;  // a wheel can lean
  // axes of every node in ground axes with all coordinates at zero; rotation about the normal changes no normal component
  std::vector<Mat<3>> R_0(m.tree.nodes.size(), Mat<3>::Identity());
  for (std::size_t j = 1; j < m.tree.nodes.size(); ++j) {
    if (m.tree.nodes[j].joint == NodeJoint::spherical) return std::nullopt;
    R_0[j] = R_0[m.tree.nodes[j].parent] * m.tree.nodes[j].R_PJ.m;
  }
  const Vec<3> normal = candidate_normal(m, R_0);
  for (std::size_t j = 1; j < m.tree.nodes.size(); ++j) {
    const TreeNode<3>& n = m.tree.nodes[j];
    if (n.joint == NodeJoint::revolute ? !stays_parallel(R_0[j] * n.turn, normal) : !stays_perpendicular(R_0[j] * n.slide, normal))
      return std::nullopt;
  }
  const auto to_ground = [&](const std::string& body, const Vec3d& vector) {
    const BodyInfo& b = find_body(model, body);
    return Vec<3>(R_0[b.node] * b.R_NB * vec(vector));
  };
  if (loads_across(d, m.tree, normal, to_ground)) return std::nullopt;
  const auto in_ground = [&](const std::string& body, const Vec3d& axis) { return Vec<3>(to_ground(body, axis).normalized()); };
  for (const auto& item : d.loops) {
    const LoopDescription& loop = item.second;
    if (!moves_in_plane(loop.kind, in_ground(loop.between[0], loop.axis[0]), in_ground(loop.between[1], loop.axis[1]), normal))
      return std::nullopt;
  }
  for (const auto& item : d.blades)
    if (!stays_perpendicular(in_ground(item.second.body, item.second.across), normal)) return std::nullopt;
  for (const auto& item : d.forces)
    if (item.second.soil && !stays_perpendicular(vec(item.second.soil->normal).normalized(), normal)) return std::nullopt;
  // plane axes: ground x projected if possible, so that planar coordinates resemble the user's
  const Vec<3> e1 = first_plane_axis(normal);
  const Vec<3> up =
      normal.z() < -0.5 || (std::abs(normal.z()) <= 0.5 && (normal.y() < -0.5 || (std::abs(normal.y()) <= 0.5 && normal.x() < 0)))
          ? Vec<3>(-normal)
          : normal;
  Plane plane;
  plane.axes << e1, up.cross(e1), up;
  frames.clear();
  for (const Mat<3>& R : R_0) frames.push_back(R.transpose() * plane.axes);
  return plane;
}

void project_tree(const Mechanism<3>& space, const std::vector<Mat<3>>& frames, Mechanism<2>& plane) {
  const auto flat = [](const Mat<3>& frame, const Vec<3>& v) { return Vec<2>((frame.transpose() * v).head<2>()); };
  plane.tree.nq = space.tree.nq;
  plane.tree.nv = space.tree.nv;
  plane.tree.dof_node = space.tree.dof_node;
  plane.tree.gravity = flat(frames[0], space.tree.gravity);
  plane.reference = flat(frames[0], space.reference);
  plane.tree.nodes.clear();
  for (std::size_t j = 0; j < space.tree.nodes.size(); ++j) {
    const TreeNode<3>& n = space.tree.nodes[j];
    const Mat<3>& frame = frames[j];
    TreeNode<2> p;
    p.parent = n.parent;
    p.joint = n.joint;
    p.q = n.q;
    p.v = n.v;
    p.dofs = n.dofs;
    p.r_PJ = flat(frames[n.parent], n.r_PJ);
    p.turn = std::round(frame.col(2).dot(n.turn));
    p.slide = flat(frame, n.slide);
    p.r_BJ = flat(frame, n.r_BJ);
    p.mass = n.mass;
    p.r_BC = flat(frame, n.r_BC);
    p.J_C = frame.col(2).dot(n.J_C * frame.col(2));
    plane.tree.nodes.push_back(p);
  }
}

}  // namespace trunnion
