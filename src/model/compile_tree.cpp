// Description of bodies and joints -> nodes of the tree. Fixed joints merge bodies, a free joint becomes three slides and a
// ball; the plane of a planar machine is found from the joint axes.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "model/compile_parts.h"

namespace trunnion {

namespace {

constexpr double kParallel = 1e-9;  // [rad] how exactly axes of a planar machine must agree

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
  if (mass <= 0) return a;
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
  std::vector<std::string> placed{"ground"};
  while (order.size() < d.joints.size()) {
    const std::size_t before = order.size();
    for (std::size_t i = 0; i < d.joints.size(); ++i) {
      const auto& [name, joint] = d.joints[i];
      if (std::find(order.begin(), order.end(), static_cast<int>(i)) != order.end()) continue;
      if (std::find(placed.begin(), placed.end(), joint.parent) == placed.end()) continue;
      order.push_back(static_cast<int>(i));
      placed.push_back(name);
    }
    if (order.size() == before) throw Error("the joints do not form a tree from the ground");
  }
  return order;
}

/// Adds a node for one elementary joint.
TreeNode<3>& add_node(Mechanism<3>& m, int parent, NodeJoint joint, const Mat<3>& R_PJ, const Vec<3>& r_PJ) {
  Tree<3>& tree = m.tree;
  TreeNode<3> node;
  node.parent = parent;
  node.joint = joint;
  node.q = tree.nq;
  node.v = tree.nv;
  node.dofs = joint == NodeJoint::spherical ? 3 : 1;
  node.R_PJ.m = R_PJ;
  node.r_PJ = r_PJ;
  tree.nq += joint == NodeJoint::spherical ? 4 : 1;
  tree.nv += node.dofs;
  for (int i = 0; i < node.dofs; ++i) tree.dof_node.push_back(static_cast<int>(tree.nodes.size()));
  tree.nodes.push_back(node);
  return tree.nodes.back();
}

void start_value(Model& model, const std::optional<double>& coordinate, const std::optional<double>& rate, bool hold) {
  model.start.push_back({coordinate.has_value(), hold});
  model.q_start.push_back(coordinate.value_or(0));
  model.v_start.push_back(rate.value_or(0));
}

void start_rotation(Model& model, const JointDescription& joint) {
  const auto e = matrix_quaternion(roll_pitch_yaw(joint.rotation.value_or(Vec3d{})));
  model.q_start.insert(model.q_start.end(), e.begin(), e.end());
  const Vec<3> rate =
      roll_pitch_yaw(joint.orientation).transpose() * vec(joint.angular_velocity.value_or(Vec3d{}));  // parent's axes -> joint's
  for (int i = 0; i < 3; ++i) {
    model.start.push_back({joint.rotation.has_value(), joint.hold});
    model.v_start.push_back(rate[i]);
  }
}

void name_velocities(Model& model, const JointInfo& info) {
  static const char* const kAxes[] = {"x", "y", "z"};
  for (int i = 0; i < info.nv; ++i) {
    const bool slides = info.kind == JointKind::prismatic || (info.kind == JointKind::free && i < 3);
    std::string name = info.name + (slides ? ".speed" : ".rate");
    if (info.nv > 1) name += std::string("_") + kAxes[i % 3];
    model.velocity_names.push_back(name);
  }
}

/// The nodes of one joint behind the body it hangs on.
void add_joint(const std::string& name, const JointDescription& joint, Model& model, Mechanism<3>& m) {
  const BodyInfo parent = find_body(model, joint.parent);
  const Mat<3> R = parent.R_NB * roll_pitch_yaw(joint.orientation);
  const Vec<3> r = parent.r_NB + parent.R_NB * vec(joint.at), child_at = vec(joint.child_at);
  JointInfo info{name, joint.kind, parent.node, m.tree.nq, m.tree.nv, 0, 0};
  BodyInfo body;
  body.name = name;
  switch (joint.kind) {
    case JointKind::fixed:
      body.R_NB = R;
      body.r_NB = r - R * child_at;
      break;
    case JointKind::revolute:
      add_node(m, parent.node, NodeJoint::revolute, R, r).turn = vec(joint.axis).normalized();
      break;
    case JointKind::prismatic:
      add_node(m, parent.node, NodeJoint::prismatic, R, r).slide = vec(joint.axis).normalized();
      break;
    case JointKind::spherical:
      add_node(m, parent.node, NodeJoint::spherical, R, r);
      break;
    case JointKind::free: {
      int node = parent.node;
      for (int i = 0; i < 3; ++i) {  // slides along the parent's axes
        add_node(m, node, NodeJoint::prismatic, i == 0 ? parent.R_NB : Mat<3>::Identity(), i == 0 ? r : Vec<3>::Zero()).slide =
            Vec<3>::Unit(i);
        node = static_cast<int>(m.tree.nodes.size()) - 1;
        const std::optional<double> x = joint.position ? std::optional<double>((*joint.position)[i]) : std::nullopt;
        const std::optional<double> v = joint.velocity ? std::optional<double>((*joint.velocity)[i]) : std::nullopt;
        start_value(model, x, v, joint.hold);
      }
      add_node(m, node, NodeJoint::spherical, roll_pitch_yaw(joint.orientation), Vec<3>::Zero());
      break;
    }
  }
  if (joint.kind == JointKind::revolute || joint.kind == JointKind::prismatic) start_value(model, joint.coordinate, joint.rate, joint.hold);
  if (joint.kind == JointKind::spherical || joint.kind == JointKind::free) start_rotation(model, joint);
  if (joint.kind != JointKind::fixed) {
    info.node = body.node = static_cast<int>(m.tree.nodes.size()) - 1;
    m.tree.nodes.back().r_BJ = child_at;
  } else {
    body.node = parent.node;
  }
  info.nq = m.tree.nq - info.q;
  info.nv = m.tree.nv - info.v;
  name_velocities(model, info);
  model.joints.push_back(info);
  model.bodies.push_back(body);
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

bool parallel(const Vec<3>& a, const Vec<3>& b) { return a.cross(b).norm() < kParallel; }
bool perpendicular(const Vec<3>& a, const Vec<3>& b) { return std::abs(a.dot(b)) < kParallel; }

/// A normal that suits the joints: a revolute axis, or one perpendicular to the slides. Ground axes; zero if none is needed or possible.
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
  return first.cross(Vec<3>::Unit(std::abs(first.x()) < 0.9 ? 0 : 1)).normalized();
}

}  // namespace

const BodyInfo& find_body(const Model& model, const std::string& name) {
  static const BodyInfo kGround{"ground", 0, Mat<3>::Identity(), Vec<3>::Zero(), 0, Vec<3>::Zero()};
  if (name == "ground") return kGround;
  for (const BodyInfo& body : model.bodies)
    if (body.name == name) return body;
  throw Error("there is no body '" + name + "'");
}

void compile_tree(const Description& d, Model& model, Mechanism<3>& m) {
  m.tree.nodes.emplace_back();
  m.tree.gravity = vec(d.gravity);
  for (int i : tree_order(d)) add_joint(d.joints[i].first, d.joints[i].second, model, m);
  for (BodyInfo& body : model.bodies) {
    const int i = index_of(d.bodies, body.name);
    if (i >= 0) add_mass(d.bodies[i].second, body, m);
  }
  // the reference point lies amid the joints at the ground, so that a machine far from the origin loses no digits
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

std::optional<Plane> find_plane(const Description& d, const Model& model, const Mechanism<3>& m, std::vector<Mat<3>>& frames) {
  // axes of every node in ground axes with all coordinates at zero; turning about the normal changes no normal component
  std::vector<Mat<3>> R_0(m.tree.nodes.size(), Mat<3>::Identity());
  for (std::size_t j = 1; j < m.tree.nodes.size(); ++j) {
    if (m.tree.nodes[j].joint == NodeJoint::spherical) return std::nullopt;
    R_0[j] = R_0[m.tree.nodes[j].parent] * m.tree.nodes[j].R_PJ.m;
  }
  const Vec<3> normal = candidate_normal(m, R_0);
  for (std::size_t j = 1; j < m.tree.nodes.size(); ++j) {
    const TreeNode<3>& n = m.tree.nodes[j];
    if (n.joint == NodeJoint::revolute ? !parallel(R_0[j] * n.turn, normal) : !perpendicular(R_0[j] * n.slide, normal)) return std::nullopt;
  }
  const auto in_ground = [&](const std::string& body, const Vec3d& axis) {
    const BodyInfo& b = find_body(model, body);
    return Vec<3>(R_0[b.node] * b.R_NB * vec(axis).normalized());
  };
  for (const auto& item : d.loops) {
    const LoopDescription& loop = item.second;
    for (int i = 0; i < 2; ++i) {
      if (loop.kind == LoopKind::revolute && !parallel(in_ground(loop.between[i], loop.axis[i]), normal)) return std::nullopt;
      if (loop.kind == LoopKind::prismatic && !perpendicular(in_ground(loop.between[i], loop.axis[i]), normal)) return std::nullopt;
    }
  }
  // plane axes: ground x projected where possible, so that planar coordinates read like the user's
  Vec<3> e1 = Vec<3>::UnitX() - normal * normal.x();
  if (e1.norm() < 0.5) e1 = Vec<3>::UnitY() - normal * normal.y();
  e1.normalize();
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
