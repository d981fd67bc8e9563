// Random trees, loops, springs, loads, cylinders and joint ports.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/random_mechanism.h"

namespace trunnion::test {

std::vector<double> random_numbers(std::mt19937& random, int n, double scale) {
  std::uniform_real_distribution<double> uniform(-scale, scale);
  std::vector<double> x(n);
  for (double& value : x) value = uniform(random);
  return x;
}

namespace {

class Generator {
 public:
  Generator(unsigned seed, int bodies, bool planar)
      : random_(seed), bodies_(bodies), shift_(static_cast<int>(seed)), planar_(planar), plates_(seed % 3 == 1) {}

  Description generate(VelocityRows velocity_rows) {
    d_.gravity = vector(10);
    for (int i = 0; i < bodies_; ++i) add_body(i);
    for (int i = 0; i < 8; ++i) add_loop(i);
    add_couplings();
    for (int i = 0; i < 2; ++i) {
      SpringDescription spring;
      spring.between = {name(pick(bodies_)), i == 0 ? "ground" : name(pick(bodies_ - 1))};
      if (spring.between[0] == spring.between[1]) spring.between[1] = "ground";
      spring.at = {vector(1), vector(1)};
      spring.stiffness = 100;
      spring.damping = 20;
      spring.preload = 5;
      spring.rest = 0.7;
      d_.springs.emplace_back("s" + std::to_string(i), spring);
      ForceDescription force;
      force.body = name(pick(bodies_));
      force.at = vector(1);
      force.force = vector(50);
      force.torque = vector(50);
      force.frame = i == 0 ? ForceFrame::world : ForceFrame::body;
      d_.forces.emplace_back("f" + std::to_string(i), force);
      CylinderDescription cylinder;
      cylinder.base = {i == 0 ? "ground" : name(0), vector(1)};
      cylinder.rod_end = {name(bodies_ - 1 - i), vector(1)};
      d_.cylinders.emplace_back("c" + std::to_string(i), cylinder);
    }
    if (velocity_rows == VelocityRows::some) add_velocity_rows();
    add_joint_ports();
    for (int i = 0; i < 2; ++i) {  // within the depth where the resistance grows
      ForceDescription force;
      force.body = name(pick(bodies_));
      force.at = vector(1);
      force.soil = SoilDescription{40, 60, 1.5, {}, vector(1)};
      for (int k = 0; k < 3; ++k) force.soil->at[k] = 20 * force.soil->normal[k];
      d_.forces.emplace_back("soil" + std::to_string(i), force);
    }
    if (plates_) add_plates();
    return d_;
  }

 private:
  std::string name(int i) const { return "b" + std::to_string(i); }
  double number(double scale) { return random_numbers(random_, 1, scale)[0]; }
  int pick(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  Vec3d vector(double scale) { return {number(scale), number(scale), planar_ ? 0 : number(scale)}; }

  void add_body(int i) {
    const double mass = 1 + std::abs(number(5));
    InertiaShape shape{mass, vector(0.5), {0, 0, 0}, {0, 0, 0}};
    for (double& J : shape.moments) J = 1 + std::abs(number(1));
    if (!planar_)
      for (double& J : shape.products) J = number(0.2);
    d_.bodies.push_back({name(i), BodyDescription{{shape}}});
    JointDescription joint;
    joint.parent = i == 0 ? "ground" : name(std::max(0, i - 1 - pick(2)));
    joint.at = vector(1);
    joint.child_at = vector(0.3);
    constexpr JointKind kPlanar[] = {JointKind::revolute, JointKind::prismatic, JointKind::planar, JointKind::revolute};
    constexpr JointKind kSpatial[] = {JointKind::revolute,  JointKind::prismatic, JointKind::cylindrical,   JointKind::universal,
                                      JointKind::spherical, JointKind::planar,    JointKind::point_on_line, JointKind::free};
    joint.kind = planar_ ? kPlanar[i % 4] : kSpatial[(i + shift_) % 8];
    if (planar_) {
      joint.axis = joint.kind == JointKind::prismatic ? vector(1) : Vec3d{0, 0, i % 2 == 0 ? 1.0 : -1.0};
      joint.orientation = {0, 0, number(1)};
    } else {
      joint.axis = vector(1);
      joint.axes = {vector(1), vector(1)};
      joint.orientation = vector(1);
    }
    joint.coordinate = number(1);
    joint.rotation = vector(1);
    joint.position = vector(1);
    joint.displacement = number(1);
    joint.pair = Vec2d{number(1), number(1)};
    d_.joints.emplace_back(name(i), joint);
  }
  void add_loop(int i) {
    LoopDescription loop;
    loop.kind = static_cast<LoopKind>(i);
    loop.between = {name(bodies_ - 1), i % 2 == 0 ? "ground" : name(1)};
    loop.at = {vector(1), vector(1)};
    loop.axis = {vector(1), vector(1)};
    if (planar_) {  // in the plane or along its normal, as required by the kind
      const bool may_stand = loop.kind == LoopKind::cylindrical || loop.kind == LoopKind::planar || loop.kind == LoopKind::point_on_line;
      const bool stands = loop.kind == LoopKind::revolute || (may_stand && shift_ % 2 == 0);
      if (stands || (loop.kind == LoopKind::universal && shift_ % 2 == 0)) loop.axis[0] = {0, 0, 1};
      if (stands) loop.axis[1] = {0, 0, -1};
    }
    loop.distance = 0.8;
    d_.loops.emplace_back("l" + std::to_string(i), loop);
  }
  /// Between the one-axis joints, in a chain.
  void add_couplings() {
    std::string last;
    for (const auto& [name, joint] : d_.joints) {
      if (joint.kind != JointKind::revolute && joint.kind != JointKind::prismatic) continue;
      if (!last.empty()) d_.couplings.emplace_back("k" + name, CouplingDescription{{last, name}, number(2)});
      last = name;
    }
  }

  /// On every second coordinate of the joints and on all of the loop closures.
  void add_joint_ports() {
    for (std::size_t i = 0; i < d_.joints.size(); ++i) {
      JointDescription& joint = d_.joints[i].second;
      for (std::size_t k = i % 2; k < joint_parts(joint.kind).size(); k += 2)
        if (joint_parts(joint.kind)[k].kind != JointPartKind::spherical) joint.elements[k].friction.emplace();
    }
    for (auto& item : d_.loops)
      for (std::size_t k = 0; k < loop_parts(item.second.kind).size(); ++k) item.second.elements[k].friction.emplace();
  }

  /// On every second body a plate of its own node, to which some of what acted on the body is moved.
  void add_plates() {
    for (int i = 0; i < bodies_; i += 2) {
      const std::string plate = "p" + std::to_string(i);
      auto move = [&, moved = i % 4 == 0](std::string& body) mutable {
        if (body == name(i) && (moved = !moved)) body = plate;
      };
      for (auto& item : d_.joints) move(item.second.parent);
      for (auto& item : d_.loops)
        for (std::string& body : item.second.between) move(body);
      for (auto& item : d_.springs)
        for (std::string& body : item.second.between) move(body);
      for (auto& item : d_.forces) move(item.second.body);
      for (auto& item : d_.cylinders) {
        move(item.second.base.body);
        move(item.second.rod_end.body);
      }
      for (auto& item : d_.wheels) move(item.second.body);
      for (auto& item : d_.blades) move(item.second.on);
      JointDescription joint;
      joint.kind = JointKind::fixed;
      joint.parent = name(i);
      joint.at = vector(1);
      joint.child_at = vector(0.3);
      joint.orientation = planar_ ? Vec3d{0, 0, number(1)} : vector(1);
      d_.joints.emplace_back(plate, joint);
      d_.bodies.push_back({plate, BodyDescription{{InertiaShape{1.5, vector(0.5), {1, 2, 1.4}, {0, 0, 0}}}}});
      d_.record.channels.push_back(plate + ".reaction*");
    }
  }

  /// Wheels on the ground and on a body, with and without lateral slip; a blade on either; half of the couplings.
  void add_velocity_rows() {
    for (int i = 0; i < 2; ++i) {
      const std::string on = i == 0 ? "ground" : name(1), number_of = std::to_string(i);
      BladeDescription blade{name(bodies_ - 1 - i), vector(1), vector(1), on};
      d_.blades.emplace_back("blade" + number_of, blade);
      if (planar_) continue;
      WheelDescription wheel;
      wheel.body = name(bodies_ - 1 - i);
      wheel.at = vector(1);
      wheel.axis = vector(1);
      wheel.radius = 0.4;
      wheel.plane = on;
      wheel.plane_at = vector(1);
      wheel.plane_normal = vector(1);
      wheel.lateral_slip = i == 0 ? LateralSlip::none : LateralSlip::free;
      d_.wheels.emplace_back("wheel" + number_of, wheel);
    }
    for (std::size_t i = 0; i < d_.couplings.size(); i += 2) d_.couplings[i].second.level = CouplingLevel::velocity;
  }

  std::mt19937 random_;
  int bodies_;
  int shift_;  // which joint kind comes first
  bool planar_;
  bool plates_;
  Description d_;
};

}  // namespace

template <int D>
std::unique_ptr<RandomMechanism<D>> random_mechanism(unsigned seed, int bodies, VelocityRows velocity_rows) {
  auto result = std::make_unique<RandomMechanism<D>>();
  const Description d = Generator(seed, bodies, D == 2).generate(velocity_rows);
  result->model.description = d;
  compile_tree(d, true, result->model, result->space);
  result->map.space = &result->space;
  if constexpr (D == 2) {
    if (!find_plane(d, result->model, result->space, result->map.frames)) throw Error("the random mechanism is not planar");
    result->map.depth.assign(result->space.tree.nodes.size(), 0.0);
    project_tree(result->space, result->map.frames, result->mechanism);
  } else {
    result->mechanism = result->space;
  }
  compile_connections(d, result->map, {}, result->model, result->mechanism);
  for (ConstraintGroup<D>& g : result->mechanism.constraints)
    if (g.type == ConstraintType::coupling) g.distance = 0.3;  // instead of the value of the start
  return result;
}

template std::unique_ptr<RandomMechanism<2>> random_mechanism<2>(unsigned, int, VelocityRows);
template std::unique_ptr<RandomMechanism<3>> random_mechanism<3>(unsigned, int, VelocityRows);

}  // namespace trunnion::test
