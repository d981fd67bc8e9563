// Random machines. Everything is laid out in ground axes: at the start every body's frame is parallel to the ground's with its origin at
// the body's joint, so that all coordinates are zero at the start and points of a body are differences of positions.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/random_machine.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>
#include <vector>

namespace trunnion::test {

namespace {

using Vector = Eigen::Vector3d;

struct Place {
  std::string body;
  Vector origin;  // of the body's frame
};

std::string text_of(const Vector& x) { return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x.x(), x.y(), x.z()); }

/// Whether the joints of a machine have friction and limits.
bool has_friction(unsigned seed) { return seed % 4 == 1; }

class Builder {
 public:
  Builder(unsigned seed, RandomOil oil) : random_(seed * 7919u + 17u), seed_(seed), oil_(oil) {}

  RandomMachine build(bool velocity_constraints) {
    out_.loops = 1 + static_cast<int>(seed_ % 4);
    out_.spatial = seed_ % 5 >= 2;
    Place carrier{"ground", Vector::Zero()};
    for (int i = 0; i < out_.loops; ++i) {
      const bool on_ground = i == 0 || number(0, 1) < 0.6;
      const Vector place = on_ground ? Vector(4.0 * i, 0, 0) : next_point_;
      module(i, on_ground ? Place{"ground", Vector::Zero()} : next_, place);
    }
    if (out_.spatial) hang_load();
    if (velocity_constraints) {
      couple_a_flywheel();
      pull_a_sled();
      if (out_.spatial) pull_a_disc();
      rest_ += "springs:\n" + springs_;
    }
    const std::string circuits =
        oil_ == RandomOil::lumped
            ? "volumes:\n" + volumes_ + "valves:\n" + valves_
            : fmt::format(
                  "quasistatic:\n  oil:\n    tank: tank\n    flow: {:.17g}\n    relief: 12 MPa\n    bleed: {{flow: {:.17g}, "
                  "at_pressure_drop: 35 bar, command: {:.17g}}}\n    actuators:\n{}",
                  number(1.5e-4, 2.5e-4) * out_.loops, 2e-4 * out_.loops, number(0.1, 0.6), metering_);
    out_.text = fmt::format(
        "trunnion: 1\ntitle: random machine {}\ngravity: [0, -9.81, 0]\nbodies:\n{}joints:\n{}loops:\n{}{}"
        "fluid: {{density: 850, bulk_modulus: 1500 MPa}}\nsources: {{pump: {{pressure: 12 MPa}}, tank: {{pressure: 0.1 MPa}}}}\n"
        "{}cylinders:\n{}signals:\n{}solver: {{step: 0.1 ms, duration: 1 s}}\n",
        seed_, bodies_, joints_, loops_, rest_, circuits, cylinders_, signals_);
    return out_;
  }

 private:
  double number(double from, double to) { return std::uniform_real_distribution<double>(from, to)(random_); }
  int pick(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  Vector tilted(const Vector& axis, double angle) {
    const Vector other = Vector(number(-1, 1), number(-1, 1), number(-1, 1)).normalized();
    return Eigen::AngleAxisd(angle, axis.cross(other).normalized()) * axis;
  }

  /// A round bar between two points.
  Place bar(const std::string& name, const Vector& from, const Vector& to) {
    const Vector along = to - from;
    const double mass = number(2, 8), L2 = along.squaredNorm(), r2 = 0.05 * 0.05;
    const Eigen::Matrix3d d = along * along.transpose() / L2;
    const Eigen::Matrix3d J = mass * ((L2 / 12 + r2 / 4) * (Eigen::Matrix3d::Identity() - d) + r2 / 2 * d);
    bodies_ += fmt::format(
        "  {}: {{mass: {:.17g}, center_of_mass: {}, inertia: {{xx: {:.17g}, yy: {:.17g}, zz: {:.17g}, xy: {:.17g}, xz: {:.17g}, yz: "
        "{:.17g}}}}}\n",
        name, mass, text_of(0.5 * along), J(0, 0), J(1, 1), J(2, 2), J(0, 1), J(0, 2), J(1, 2));
    return {name, from};
  }
  void joint(const Place& child, const std::string& kind, const Place& parent, const std::string& axis) {
    joints_ += fmt::format("  {}: {{{}: {{parent: {}, at: {}{}}}{}}}\n", child.body, kind, parent.body,
                           text_of(child.origin - parent.origin), axis, resistance(kind, false));
  }
  /// Friction of one joint in two, by one law after the other, and limits that one in four presses against from the start.
  std::string resistance(const std::string& kind, bool loop) {
    if (!has_friction(seed_)) return "";
    const unsigned n = resisted_++;
    const bool turns = kind == "revolute";
    if (kind == "universal" && !loop)
      return ", friction: {angle_2: {model: brown_mcphee, coulomb: 2, static: 3, stribeck_velocity: 0.05}}, "
             "limits: {angle_1: {maximum: -0.3, stiffness: 20, damping: 4, depth: 0.3}}";
    if (!turns && kind != "prismatic") return "";
    const char* const laws[] = {"lugre", "coulomb_viscous", "bengisu_akay", "brown_mcphee"};
    const double size = turns ? 1 : 20;
    std::string text;
    if (n % 2 == 0)
      text += fmt::format(
          ", friction: {{model: {}, coulomb: {}, static: {}, stribeck_velocity: 0.05, viscous: {}, decay: 20, bristle_stiffness: {}, "
          "bristle_damping: {}}}",
          laws[n / 2 % 4], 3 * size, 4 * size, size / 2, 2000 * size, 20 * size);
    if (n % 4 == 1)
      text += fmt::format(", limits: {{minimum: 0.4{}, stiffness: {}, damping: {}, depth: 0.4}}", loop && turns ? ", maximum: 2" : "",
                          20 * size, 3 * size);
    return text;
  }
  void revolute(const Place& child, const Place& parent, const Vector& axis) {
    last_hinge_ = child.body;
    joint(child, "revolute", parent, ", axis: " + text_of(axis));
  }
  void loop(int i, const std::string& kind, const Place& a, const Place& b, const Vector& point, const std::string& rest) {
    loops_ += fmt::format("  l{}: {{{}: {{between: [{}, {}], at: [{}, {}]{}}}{}}}\n", i, kind, a.body, b.body, text_of(point - a.origin),
                          text_of(point - b.origin), rest, resistance(kind, true));
  }

  void module(int i, const Place& base, const Vector& at) {
    normal_ = out_.spatial ? tilted(Vector::UnitZ(), number(0.2, 0.6)) : Vector::UnitZ();
    along_ = Vector::UnitY().cross(normal_).normalized();
    up_ = normal_.cross(along_);
    // planar kinds first, then spatial ones
    const int kind = out_.spatial ? static_cast<int>((seed_ / 5 + 3u * static_cast<unsigned>(i)) % 8) : pick(3);
    if (kind == 0) four_bar(i, base, at);
    if (kind == 1) slider(i, base, at);
    if (kind == 2) linked_arms(i, base, at);
    if (kind == 3 || kind == 4) four_bar(i, base, at, kind == 3 ? "spherical" : "universal");
    if (kind == 5 || kind == 6) bars_with_balls(i, base, at, kind == 6);
    if (kind == 7) bricard(i, base, at);
  }

  Vector polar(double radius, double angle) const { return radius * (std::cos(angle) * along_ + std::sin(angle) * up_); }

  /// Crank, coupler and rocker; the closure is between coupler and rocker or below the rocker. A spherical joint there has one equation
  /// more than the plane, a redundant one; the additional ones of a universal joint are dropped when the machine is compiled.
  void four_bar(int i, const Place& base, const Vector& A, const std::string& closure = "revolute") {
    const Vector B = A + number(1, 1.5) * along_, C = A + polar(number(0.6, 1), number(1.2, 1.9)),
                 D = B + polar(number(0.6, 1), number(1.2, 1.9));
    const std::string n = std::to_string(i);
    const std::string axis = closure == "revolute"    ? ", axis: " + text_of(normal_)
                             : closure == "universal" ? ", axes: [" + text_of(normal_) + ", " + text_of(along_) + "]"
                                                      : "";
    const Place crank = bar("crank" + n, A, C), coupler = bar("coupler" + n, C, D);
    revolute(crank, base, normal_);
    revolute(coupler, crank, normal_);
    if (pick(2) == 0) {
      const Place rocker = bar("rocker" + n, B, D);
      revolute(rocker, base, normal_);
      loop(i, closure, coupler, rocker, D, axis);
    } else {
      const Place rocker = bar("rocker" + n, D, B);
      revolute(rocker, coupler, normal_);
      loop(i, closure, rocker, base, B, axis);
    }
    out_.redundant = out_.redundant || closure == "spherical";
    drive(i, base, A - number(0.7, 1) * along_, crank, A + 0.6 * (C - A));
    next_ = coupler;
    next_point_ = 0.5 * (C + D);
  }

  void slider(int i, const Place& base, const Vector& A) {
    const double reach = number(0.5, 0.8), angle = number(1.2, 1.9);
    const Vector C = A + polar(reach, angle), P = A + (reach * std::cos(angle) + number(1, 1.4)) * along_;
    const std::string n = std::to_string(i);
    const Place crank = bar("crank" + n, A, C), rod = bar("rod" + n, C, P), block = bar("block" + n, P, P + 0.3 * along_);
    revolute(crank, base, normal_);
    revolute(rod, crank, normal_);
    joint(block, "prismatic", base, ", axis: " + text_of(along_));
    loop(i, "revolute", rod, block, P, ", axis: " + text_of(normal_));
    drive(i, base, P + 1.1 * along_, block, P + 0.3 * along_);
    next_ = crank;
    next_point_ = C;
  }

  /// Two arms whose ends keep their distance; in space about skew axes.
  void linked_arms(int i, const Place& base, const Vector& A) {
    const Vector B = A + number(1, 1.5) * along_, C = A + polar(number(0.6, 1), number(1.2, 1.9)),
                 D = B + polar(number(0.6, 1), number(1.2, 1.9));
    const std::string n = std::to_string(i);
    const Place left = bar("left" + n, A, C), right = bar("right" + n, B, D);
    revolute(left, base, normal_);
    revolute(right, base, out_.spatial ? tilted(normal_, number(0.1, 0.4)) : normal_);
    loops_ +=
        fmt::format("  l{}: {{distance: {{between: [{}, {}], at: [{}, {}]}}}}\n", i, left.body, right.body, text_of(C - A), text_of(D - B));
    drive(i, base, A - number(0.7, 1) * along_, left, A + 0.6 * (C - A));
    next_ = right;
    next_point_ = D;
  }

  /// Crank and rocker about skew axes, the rod between two spherical joints (free to spin about itself) or a universal and a spherical
  /// joint.
  void bars_with_balls(int i, const Place& base, const Vector& A, bool universal) {
    const Vector B = A + number(1, 1.5) * along_ + number(-0.3, 0.3) * normal_, C = A + polar(number(0.6, 1), number(1.2, 1.9)),
                 D = B + polar(number(0.6, 1), number(1.2, 1.9));
    const std::string n = std::to_string(i);
    const Place crank = bar("crank" + n, A, C), rod = bar("rod" + n, C, D), rocker = bar("rocker" + n, B, D);
    revolute(crank, base, normal_);
    if (universal)
      joint(rod, "universal", crank, ", axes: [" + text_of(normal_) + ", " + text_of(normal_.cross(D - C).normalized()) + "]");
    else
      joint(rod, "spherical", crank, "");
    revolute(rocker, base, tilted(normal_, number(0.1, 0.4)));
    loop(i, "spherical", rod, rocker, D, "");
    drive(i, base, A - number(0.7, 1) * along_, crank, A + 0.6 * (C - A));
    next_ = rocker;
    next_point_ = D;
  }

  /// Six hinges, each perpendicular to its two links, on the edges of a cube: mobile only because of its dimensions (Bricard 1897).
  void bricard(int i, const Place& base, const Vector& at) {
    const double L = number(0.8, 1.2);
    const std::string n = std::to_string(i);
    const Vector corner[] = {{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
    Eigen::Matrix3d turn;
    turn << along_, up_, normal_;
    const auto place = [&](int k) { return Vector(at + L * (turn * corner[k % 6])); };
    Place last = base;
    std::vector<Place> links;
    for (int k = 0; k < 5; ++k) {
      const Place link = bar(fmt::format("link{}{}", n, "abcde"[k]), place(k), place(k + 1));
      revolute(link, last, (place(k) - place(k + 5)).cross(place(k + 1) - place(k)).normalized());
      links.push_back(last = link);
    }
    loop(i, "revolute", last, base, place(5), ", axis: " + text_of((place(5) - place(4)).cross(place(0) - place(5)).normalized()));
    out_.redundant = true;
    drive(i, base, at + turn * Vector(1.2, 0.9, 0.4), links[1], place(2));
    next_ = links[0];
    next_point_ = place(1);
  }

  /// A cylinder between two points and its circuit: pump, valve, throttle to chamber A, chamber B straight; or on the quasistatic circuit.
  void drive(int i, const Place& base, const Vector& from, const Place& rod_end, const Vector& to) {
    const char* const friction[] = {"none", "coulomb_viscous", "bengisu_akay", "brown_mcphee", "lugre"};
    const double A = number(1.2e-3, 2.2e-3);
    for (int k = 1; k <= 3; ++k)
      volumes_ += fmt::format("  v{}{}: {{hose: {{volume: {:.17g}, bulk_modulus: 150 MPa}}, pressure: {}}}\n", i, "abc"[k - 1],
                              number(0.5e-4, 1.5e-4), k == 3 ? "3.5 MPa" : "equilibrium");
    valves_ += fmt::format(
        "  valve{0}: {{directional_4_3: {{P: pump, T: tank, A: v{0}a, B: v{0}c, flow: {1:.17g}, at_signal: 10, time_constant: 20 ms}}, "
        "signal: u{0}}}\n"
        "  throttle{0}: {{orifice: {{A: v{0}a, B: v{0}b, diameter: {2:.17g}}}}}\n",
        i, number(1e-4, 2.5e-4), number(4e-3, 7e-3));
    cylinders_ += fmt::format(
        "  c{0}: {{base: {{body: {1}, at: {2}}}, rod_end: {{body: {3}, at: {4}}}, {9}area_A: {5:.17g}, area_B: {6:.17g},\n"
        "    chamber_length_A: 0.4, chamber_length_B: 0.4, bulk_modulus: 30000 MPa, viscous: {7:.17g},\n"
        "    friction: {{model: {8}, coulomb: 120, static: 180, stribeck_velocity: 0.03, viscous: 300, decay: 60, bristle_stiffness: 1e6,\n"
        "      bristle_damping: 3000}}}}\n",
        i, base.body, text_of(from - base.origin), rod_end.body, text_of(to - rod_end.origin), A, number(0.6, 0.9) * A, number(2e3, 5e3),
        friction[(seed_ + static_cast<unsigned>(i)) % 5], oil_ == RandomOil::lumped ? fmt::format("A: v{0}b, B: v{0}c, ", i) : "");
    if (oil_ == RandomOil::quasistatic) meter(i);
    if (pick(2) == 0)
      signals_ += fmt::format("  u{}: {{sine: {{amplitude: {:.17g}, frequency: {:.17g}}}}}\n", i, number(3, 8), number(0.4, 1.2));
    else
      signals_ += fmt::format("  u{}: {{steps: [[0.1 s, {:.17g}]]}}\n", i, (pick(2) == 0 ? -1 : 1) * number(2, 5));
  }

  /// Its actuator on the quasistatic circuit: independent metering over its signal, sometimes regeneration, lag, another element.
  void meter(int i) {
    const auto valve = [&](const char* name, const char* opening) {
      return fmt::format("        {}: {{flow: {:.17g}, at_pressure_drop: 35 bar, opening: {}}}\n", name, number(1e-4, 3e-4), opening);
    };
    const char *const out = "[[0, 0], [10, 1]]", *const in = "[[-10, 1], [0, 0]]";
    metering_ += fmt::format("      c{0}:\n        command: u{0}\n        relief_A: {1:.17g}\n        relief_B: {2:.17g}\n", i,
                             number(8e6, 16e6), number(8e6, 16e6));
    metering_ += valve("P_A", out) + valve("B_T", out) + valve("P_B", in) + valve("A_T", in);
    if (pick(3) == 0) metering_ += valve("B_A", out);
    if (pick(2) == 0) metering_ += "        time_constant: 20 ms\n";
    metering_ += pick(2) == 0
                     ? fmt::format("        element: {{stiffness: {:.17g}, damping: {:.17g}}}\n", number(2e6, 6e6), number(4e4, 1e5))
                     : "        element: {settling_time: 60 ms}\n";
  }

  void hang_load() {
    const Place load = bar("load", next_point_, next_point_ - 0.8 * Vector::UnitY());
    joint(load, "spherical", next_, "");
  }

  /// On the ground, its rate in a fixed ratio to that of the last hinge.
  void couple_a_flywheel() {
    const std::string hinge = last_hinge_;
    const Vector at(-3, 0, 0);
    revolute(bar("flywheel", at - 0.3 * Vector::UnitX(), at + 0.5 * Vector::UnitX()), {"ground", Vector::Zero()}, normal_);
    rest_ += fmt::format("couplings: {{gear: {{joints: [flywheel, {}], ratio: {:.17g}, level: velocity}}}}\n", hinge, number(-2, 2));
    ++out_.velocity_rows;
  }
  /// Free in the plane or in space, on a blade, at the end of a spring.
  void pull_a_sled() {
    const Place sled = bar("sled", next_point_ + Vector(0.6, -0.9, 0), next_point_ + Vector(1.2, -0.9, 0));
    joint(sled, out_.spatial ? "free" : "planar", {"ground", Vector::Zero()}, out_.spatial ? "" : ", normal: z");
    rest_ += fmt::format("blades: {{runner: {{body: sled, at: [{:.17g}, 0, 0], across: y}}}}\n", number(0, 0.3));
    springs_ += spring("sled_spring", sled, 400);
    ++out_.velocity_rows;
  }
  /// Rolling over the ground, at the end of a spring.
  void pull_a_disc() {
    const double R = number(0.2, 0.4), lean = number(-0.2, 0.2), spin = number(9, 14);
    const Place disc{"disc", next_point_ + Vector(-0.5, -0.8, 1.5)};
    bodies_ += fmt::format("  disc: {{cylinder: {{length: 0.02, radius: {:.17g}, mass: 3, axis: z}}}}\n", R);
    joints_ +=
        fmt::format("  disc: {{free: {{parent: ground}}, position: {}, rotation: [{:.17g}, 0, 0], angular_velocity: [0, 0.3, {:.17g}]}}\n",
                    text_of(disc.origin), lean, -spin);
    rest_ += fmt::format("wheels: {{rim: {{body: disc, axis: z, radius: {:.17g}, plane: {{at: {}, normal: y}}}}}}\n", R,
                         text_of(disc.origin - R * std::cos(lean) * Vector::UnitY()));
    springs_ += spring("disc_spring", disc, 30);
    out_.velocity_rows += 2;
  }
  std::string spring(const std::string& name, const Place& end, double stiffness) {
    return fmt::format("  {}: {{between: [{}, {}], at: [{}, [0, 0, 0]], stiffness: {:.17g}, damping: {:.17g}, rest: {:.17g}}}\n", name,
                       next_.body, end.body, text_of(next_point_ - next_.origin), stiffness, 0.1 * stiffness,
                       0.8 * (end.origin - next_point_).norm());
  }

  std::mt19937 random_;
  unsigned seed_, resisted_ = 0;
  RandomMachine out_;
  RandomOil oil_;
  std::string bodies_, joints_, loops_, volumes_, valves_, metering_, cylinders_, signals_;
  std::string rest_, springs_, last_hinge_;
  Vector normal_, along_, up_;  // axes of the present module
  Place next_;                  // where the next module or load may be attached
  Vector next_point_;
};

}  // namespace

RandomMachine random_machine(unsigned seed, bool velocity_constraints, RandomOil oil) {
  return Builder(seed, oil).build(velocity_constraints);
}

}  // namespace trunnion::test
