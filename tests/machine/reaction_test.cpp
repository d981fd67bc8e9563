// Reactions of joints. Reference: Newton's and Euler's equations of every free body in space, written out here: positions by the chain of
// joints, accelerations by differences along the motion, and all joint forces at once from one linear system, without multipliers.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>

#include "machine/observe.h"
#include "machine/start.h"
#include "run/channel_reader.h"
#include "run/recorded_channels.h"
#include "run/run.h"
#include "support/allocation_counter.h"
#include "support/machines.h"

namespace trunnion {
namespace {

using test::busy_machine;
using test::load_example;
using test::model_from;
using Values = std::map<std::string, double>;

Vec<3> vec(const Vec3d& v) { return {v[0], v[1], v[2]}; }

Values read(Observer& observer, const StateVector& state) {
  observer.observe(state, Side::left);
  Values values;
  for (std::size_t i = 0; i < observer.channels().size(); ++i) values[observer.channels()[i].name] = observer.value(i);
  return values;
}
Vec<3> vector_of(const Values& values, const std::string& stem) {
  return {values.at(stem + "_x"), values.at(stem + "_y"), values.at(stem + "_z")};
}

struct Wrench {
  Vec<3> force, moment;  // at the joint's point, ground axes
};

/// The free bodies of a machine of revolute and prismatic joints with revolute loops.
class FreeBodies {
 public:
  FreeBodies(const CompiledModel& model, const Values& values)
      : model_(model.relative != nullptr ? *model.relative : model), values_(values) {
    constexpr double h = 3e-4;  // [s] between positions of the differences
    const Poses at[] = {poses(-2 * h), poses(-h), poses(0), poses(h), poses(2 * h)};
    const auto first = [&](auto&& of) {
      const decltype(of(at[0])) derivative = ((of(at[3]) - of(at[1])) * 8 - (of(at[4]) - of(at[0]))) / (12 * h);
      return derivative;
    };
    const auto second = [&](auto&& of) {
      const decltype(of(at[0])) derivative = ((of(at[3]) + of(at[1])) * 16 - (of(at[4]) + of(at[0])) - of(at[2]) * 30) / (12 * h * h);
      return derivative;
    };
    for (const auto& item : model_.description.joints) {
      Body b;
      b.pose = at[2].at(item.first);
      const auto turn = [&](const Poses& p) -> Mat<3> { return p.at(item.first).R; };
      const Mat<3> R_t = first(turn), R_tt = second(turn), W = R_t * b.pose.R.transpose();
      const Mat<3> alpha = R_tt * b.pose.R.transpose() - W * W;
      b.w = Vec<3>(W(2, 1) - W(1, 2), W(0, 2) - W(2, 0), W(1, 0) - W(0, 1)) / 2;
      b.alpha = Vec<3>(alpha(2, 1) - alpha(1, 2), alpha(0, 2) - alpha(2, 0), alpha(1, 0) - alpha(0, 1)) / 2;
      b.v = first([&](const Poses& p) -> Vec<3> { return p.at(item.first).r; });
      mass_of(item.first, b);
      const Vec<3> c = b.center;
      b.a_C = second([&](const Poses& p) -> Vec<3> { return p.at(item.first).r + p.at(item.first).R * c; });
      number_[item.first] = static_cast<int>(bodies_.size());
      bodies_.push_back(b);
    }
    solve();
  }
  const std::map<std::string, Wrench>& joints() const { return joints_; }
  const std::map<std::string, Wrench>& loops() const { return loops_; }
  double residual() const { return residual_; }  // relative to the largest entry
  const Vec<3>& angular_velocity(const std::string& body) const { return bodies_[static_cast<std::size_t>(number_.at(body))].w; }

 private:
  struct Pose {
    Mat<3> R = Mat<3>::Identity();
    Vec<3> r = Vec<3>::Zero();
  };
  using Poses = std::map<std::string, Pose>;
  struct Body {
    Pose pose;
    Vec<3> v, w, alpha, a_C, center;
    double mass = 0;
    Mat<3> J;
  };
  /// All bodies after the time t along q + v t + a t^2 / 2.
  Poses poses(double t) const {
    Poses all{{"ground", {}}};
    while (all.size() <= model_.description.joints.size())
      for (const auto& [name, joint] : model_.description.joints) {
        if (all.contains(name) || !all.contains(joint.parent)) continue;
        const bool turns = joint.kind == JointKind::revolute;
        const double x = values_.at(name + (turns ? ".angle" : ".position")) + t * values_.at(name + (turns ? ".rate" : ".speed")) +
                         t * t / 2 * values_.at(name + ".acceleration");
        const Pose& parent = all.at(joint.parent);
        const Vec<3> axis = vec(joint.axis).normalized();
        const Mat<3> R_J = parent.R * roll_pitch_yaw(joint.orientation);
        Pose pose{R_J, parent.r + parent.R * vec(joint.at)};
        if (turns)
          pose.R = R_J * Eigen::AngleAxisd(x, axis).toRotationMatrix();
        else
          pose.r += R_J * axis * x;
        pose.r -= pose.R * vec(joint.child_at);
        all[name] = pose;
      }
    return all;
  }
  void mass_of(const std::string& name, Body& b) const {
    const Description& d = model_.description;
    for (const auto& [body, description] : d.bodies) {
      if (body != name) continue;
      b.center.setZero();
      b.J.setZero();
      for (const ShapeDescription& shape : description.shapes) {  // one of the two that the machines here have
        if (const auto* s = std::get_if<InertiaShape>(&shape)) {
          b.mass = s->mass;
          b.center = vec(s->center_of_mass);
          b.J = Mat<3>(vec(s->moments).asDiagonal());
        } else {
          const auto& rod = std::get<RodShape>(shape);
          b.mass = rod.mass;
          b.center = {rod.length / 2, 0, 0};
          const double across = rod.mass * (rod.length * rod.length / 12 + rod.diameter * rod.diameter / 16);
          b.J = Mat<3>(Vec<3>(rod.mass * rod.diameter * rod.diameter / 8, across, across).asDiagonal());
        }
      }
    }
  }
  const Pose& pose(const std::string& body) const {
    static const Pose kGround;
    return body == "ground" ? kGround : bodies_[static_cast<std::size_t>(number_.at(body))].pose;
  }
  Vec<3> point(const std::string& body, const Vec3d& at) const { return pose(body).r + pose(body).R * vec(at); }

  /// Adds a wrench (force through r, moment) on a body to a column.
  void add(Eigen::Ref<Eigen::VectorXd> column, const std::string& body, const Vec<3>& r, const Vec<3>& force, const Vec<3>& moment) const {
    if (body == "ground") return;
    const int i = number_.at(body);
    const Body& b = bodies_[static_cast<std::size_t>(i)];
    column.segment<3>(6 * i) += force;
    column.segment<3>(6 * i + 3) += moment + (r - b.pose.r - b.pose.R * b.center).cross(force);
  }
  void add_pair(Eigen::Ref<Eigen::VectorXd> column, const std::string& from, const std::string& on, const Vec<3>& r, const Vec<3>& force,
                const Vec<3>& moment) const {
    add(column, on, r, force, moment);
    add(column, from, r, -force, -moment);
  }

  void solve() {
    const Description& d = model_.description;
    const auto n = static_cast<Eigen::Index>(6 * bodies_.size());
    Eigen::VectorXd known = Eigen::VectorXd::Zero(n);  // m a and dH/dt, minus applied forces
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const Body& b = bodies_[i];
      const Mat<3> J = b.pose.R * b.J * b.pose.R.transpose();
      const auto k = static_cast<Eigen::Index>(6 * i);
      known.segment<3>(k) = b.mass * (b.a_C - vec(d.gravity));
      known.segment<3>(k + 3) = J * b.alpha + b.w.cross(J * b.w);
    }
    Eigen::VectorXd applied = Eigen::VectorXd::Zero(n);
    for (const auto& [name, c] : d.cylinders) {
      const Vec<3> P = point(c.base.body, c.base.at), Q = point(c.rod_end.body, c.rod_end.at);
      add(applied, c.rod_end.body, Q, values_.at(name + ".force") * (Q - P).normalized(), Vec<3>::Zero());
      add(applied, c.base.body, P, -values_.at(name + ".force") * (Q - P).normalized(), Vec<3>::Zero());
    }
    for (const auto& [name, f] : d.forces) {
      if (!f.soil) continue;
      const Body& b = bodies_[static_cast<std::size_t>(number_.at(f.body))];
      const Vec<3> r = point(f.body, f.at), v = b.v + b.w.cross(r - b.pose.r);
      add(applied, f.body, r, -values_.at(name + ".resistance") * v.normalized(), Vec<3>::Zero());
    }
    // unknowns: per joint five numbers of its wrench, and what is known of the sixth; per loop two forces in its plane
    struct Unknown {
      bool loop;
      std::string name, from, on;
      Vec<3> r, force, moment;
    };
    std::vector<Unknown> unknowns;
    std::map<std::string, Wrench> drives;
    const Vec<3> none = Vec<3>::Zero();
    for (const auto& [name, joint] : d.joints) {
      const bool turns = joint.kind == JointKind::revolute;
      const Mat<3> R_J = pose(joint.parent).R * roll_pitch_yaw(joint.orientation);
      const Vec<3> r = turns ? point(joint.parent, joint.at) : point(name, joint.child_at), axis = R_J * vec(joint.axis).normalized();
      const Vec<3> n1 = axis.unitOrthogonal(), n2 = axis.cross(n1);
      for (const Vec<3>& e : {n1, n2}) {
        unknowns.push_back({false, name, joint.parent, name, r, e, none});
        unknowns.push_back({false, name, joint.parent, name, r, none, e});
      }
      unknowns.push_back({false, name, joint.parent, name, r, turns ? axis : none, turns ? none : axis});
      joints_[name] = {none, none};
      double torque = 0;
      for (const auto& [motor, m] : d.motors)
        if (m.joint == name) torque += values_.at(motor + ".torque");
      for (const auto& [load, f] : d.forces)
        if (f.joint == name) torque += *f.load;
      if (turns) joints_[name].moment = torque * axis;
      add_pair(applied, joint.parent, name, r, none, joints_[name].moment);
    }
    for (const auto& [name, loop] : d.loops) {
      const Vec<3> r = point(loop.between[1], loop.at[1]), axis = pose(loop.between[0]).R * vec(loop.axis[0]).normalized();
      const Vec<3> n1 = axis.unitOrthogonal();
      for (const Vec<3>& e : {n1, Vec<3>(axis.cross(n1))}) unknowns.push_back({true, name, loop.between[0], loop.between[1], r, e, none});
      loops_[name] = {none, none};
    }
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, static_cast<Eigen::Index>(unknowns.size()));
    for (std::size_t k = 0; k < unknowns.size(); ++k) {
      const Unknown& u = unknowns[k];
      add_pair(A.col(static_cast<Eigen::Index>(k)), u.from, u.on, u.r, u.force, u.moment);
    }
    const Eigen::VectorXd b = known - applied, x = A.colPivHouseholderQr().solve(b);
    residual_ = (A * x - b).lpNorm<Eigen::Infinity>() / b.lpNorm<Eigen::Infinity>();
    for (std::size_t k = 0; k < unknowns.size(); ++k) {
      const Unknown& u = unknowns[k];
      Wrench& sum = (u.loop ? loops_ : joints_)[u.name];
      sum.force += x[static_cast<Eigen::Index>(k)] * u.force;
      sum.moment += x[static_cast<Eigen::Index>(k)] * u.moment;
    }
  }

  const CompiledModel& model_;
  const Values& values_;
  std::vector<Body> bodies_;
  std::map<std::string, int> number_;
  std::map<std::string, Wrench> joints_, loops_;
  double residual_ = 0;
};

/// Name of the reaction of a loop, whose joint may have the same name.
std::string loop_name(const Description& d, const std::string& loop) {
  for (const auto& item : d.joints)
    if (item.first == loop) return "loops." + loop;
  return loop;
}

/// Channels of all bodies and reactions of a machine, in addition to its others.
std::string requests(const Description& d, const std::string& suffix = "") {
  std::string text = "record.channels=[\"*\"";
  for (const auto& item : d.joints) text += ", " + item.first + ".reaction" + suffix + "*, " + item.first + ".angular_velocity_*";
  for (const auto& item : d.loops) text += ", " + loop_name(d, item.first) + ".reaction" + suffix + "*";
  return text + "]";
}
constexpr double kSmall = 1e-4;  // forces of joints below this share of the machine's largest are compared with that

/// Largest relative difference of the reactions from those of the free bodies; forces of the model times `sign`.
double largest_error(const CompiledModel& model, const Values& values, double sign = 1) {
  const FreeBodies free(model, values);
  double largest = 0, machine = 0;
  for (const auto& item : free.joints()) machine = std::max(machine, item.second.force.norm());
  const auto compare = [&](const std::string& name, const Wrench& wrench) {
    const Vec<3> force = sign * vector_of(values, name + ".reaction.force"), moment = sign * vector_of(values, name + ".reaction.moment");
    const double error =
        std::max((force - wrench.force).norm() / std::max(kSmall * machine, wrench.force.norm()),
                 (moment - wrench.moment).norm() / std::max({kSmall * machine, wrench.force.norm(), wrench.moment.norm()}));
    largest = std::max(largest, error);
  };
  for (const auto& [name, wrench] : free.joints()) compare(name, wrench);
  for (const auto& [name, wrench] : free.loops()) compare(loop_name(model.description, name), wrench);
  EXPECT_LT(free.residual(), 1e-6);
  return largest;
}

/// Of a run at several times; `consistent`: with the accelerations and multipliers that satisfy the equations at those positions and
/// velocities, from which those of a step can differ by terms of second order.
double largest_error_of_run(const std::shared_ptr<const CompiledModel>& model, const std::vector<double>& times, bool consistent) {
  const auto observer = make_observer(model);
  Runner run(model);
  double largest = 0;
  for (const double time : times) {
    run.advance(time);
    StateVector state = run.state();
    if (consistent) make_consistent(*model, state);
    const Values values = read(*observer, state);
    largest = std::max(largest, largest_error(*model, values));
    EXPECT_GT(largest_error(*model, values, -1), 1) << "a wrong sign passes";
    const FreeBodies free(*model, values);
    for (const auto& item : model->description.joints) {
      const Vec<3> w = vector_of(values, item.first + ".angular_velocity");
      EXPECT_NEAR((w - free.angular_velocity(item.first)).norm(), 0, 1e-7 * (1 + w.norm())) << item.first;
    }
  }
  return largest;
}

TEST(Reaction, PinLoadsOfTheExcavatorAreThoseOfItsFreeBodies) {
  const auto plain = load_example("excavator");
  const auto model = load_example("excavator", {requests(plain->description), "solver.duration=20"});
  EXPECT_FALSE(model->planar);
  EXPECT_LT(largest_error_of_run(model, {0.001, 0.35, 1, 2.45, 3.7, 4.5, 5.05, 6.8, 7.6, 8.7, 9.1}, false), 1e-6);
}

/// A crank and rocker, driven at the crank, on a turning table or in a plane; its masses and load times `m`. Statically determinate also
/// in space, because the loop transmits no force along its axis.
std::string linkage(bool spatial, double m) {
  const auto mass = [&](double value) { return std::to_string(value * m); };
  const std::string base = spatial ? "table" : "ground";
  return "trunnion: 1\ntitle: linkage\nbodies:\n" +
         (spatial ? "  table: {mass: " + mass(20) + ", center_of_mass: [0.1, 0.05, 0.2], inertia: [" + mass(2) + ", " + mass(3) + ", " +
                        mass(4) + "]}\n"
                  : std::string()) +
         "  crank: {rod: {length: 0.5, diameter: 0.05, mass: " + mass(4) +
         "}}\n  coupler: {rod: {length: 1, diameter: 0.05, mass: " + mass(6) + "}}\n  rocker: {mass: " + mass(8) +
         ", center_of_mass: [0.4, 0, 0.1], inertia: [" + mass(0.1) + ", " + mass(0.6) + ", " + mass(0.5) + "]}\njoints:\n" +
         (spatial ? "  table: {revolute: {parent: ground, axis: z}, rate: 1.5}\n" : "") + "  crank: {revolute: {parent: " + base +
         ", at: [0, 0, 0.5], axis: [0, -1, 0]}, angle: 70 deg, rate: 4, hold: true}\n"
         "  coupler: {revolute: {parent: crank, at: [0.5, 0, 0], axis: [0, -1, 0]}, angle: -60 deg}\n  rocker: {revolute: {parent: " +
         base +
         ", at: [1.2, 0, 0.5], axis: [0, -1, 0]}, angle: 100 deg}\n"
         "loops: {pin: {point_on_line: {between: [coupler, rocker], at: [[1, 0, 0], [0.8, 0, 0]], axis: y}}}\n"
         "forces: {drive: {joint: crank, load: " +
         mass(30) +
         "}}\n"
         "solver: {step: 1 ms, duration: 1 s}\n";
}

struct LinkageCase {
  bool spatial;
  double mass;
  const char *coordinates, *constraints, *integrator;
};
class ReactionsOfALinkage : public testing::TestWithParam<LinkageCase> {};

TEST_P(ReactionsOfALinkage, AreThoseOfItsFreeBodies) {
  const LinkageCase& c = GetParam();
  const std::string text = linkage(c.spatial, c.mass);
  const auto model =
      model_from(text, {requests(model_from(text)->description), std::string("solver.coordinates=") + c.coordinates,
                        std::string("solver.constraints=") + c.constraints, std::string("solver.integrator=") + c.integrator});
  EXPECT_EQ(model->planar, !c.spatial);
  EXPECT_LT(largest_error_of_run(model, {0.001, 0.1, 0.27, 0.4, 0.71, 1}, true), 1e-6);
  EXPECT_LT(largest_error_of_run(model, {0.001, 0.1, 0.27, 0.4, 0.71, 1}, false), 1e-4);
}
INSTANTIATE_TEST_SUITE_P(Both, ReactionsOfALinkage,
                         testing::Values(LinkageCase{true, 1, "relative", "penalty", "trapezoidal"},
                                         LinkageCase{true, 1000, "relative", "penalty", "trapezoidal"},
                                         LinkageCase{true, 0.001, "relative", "penalty", "trapezoidal"},
                                         LinkageCase{true, 1, "relative", "double_step", "trapezoidal"},
                                         LinkageCase{true, 1, "cartesian", "penalty", "trapezoidal"},
                                         LinkageCase{true, 1000, "cartesian", "penalty", "trapezoidal"},
                                         LinkageCase{true, 0.001, "cartesian", "penalty", "trapezoidal"},
                                         LinkageCase{false, 1, "relative", "penalty", "trapezoidal"},
                                         LinkageCase{false, 1, "cartesian", "penalty", "trapezoidal"},
                                         LinkageCase{false, 1, "relative", "double_step", "trapezoidal"}),
                         [](const testing::TestParamInfo<LinkageCase>& item) {
                           const LinkageCase& c = item.param;
                           return std::string(c.spatial ? "space" : "plane") +
                                  (c.mass > 1   ? "_heavy_"
                                   : c.mass < 1 ? "_light_"
                                                : "_") +
                                  c.coordinates + "_" + c.constraints;
                         });

/// All values of a run at its end.
Values end_of(const std::string& text, const std::vector<std::string>& set, double time) {
  const auto model = model_from(text, set);
  const auto observer = make_observer(model);
  Runner run(model);
  run.advance(time);
  return read(*observer, run.state());
}

TEST(Reaction, IsOfSecondOrderInTheStep) {
  const std::string text = linkage(true, 1);
  const std::string request = requests(model_from(text)->description);
  const auto at_step = [&](const char* step) { return end_of(text, {request, std::string("solver.step=") + step}, 0.4); };
  const Values finest = at_step("0.125 ms"), coarse = at_step("4 ms"), fine = at_step("2 ms");
  for (const char* name : {"crank.reaction.force", "pin.reaction.force", "table.reaction.moment", "coupler.reaction.force"}) {
    const double error = (vector_of(coarse, name) - vector_of(finest, name)).norm(),
                 half = (vector_of(fine, name) - vector_of(finest, name)).norm();
    EXPECT_GT(error, 1e-6 * vector_of(finest, name).norm()) << name;  // above rounding
    EXPECT_NEAR(std::log2(error / half), 2, 0.15) << name;
  }
}

TEST(Reaction, IsTheSameInBothCoordinatesForEveryElement) {
  for (const bool spatial : {false, true}) {
    const std::string text = busy_machine(spatial);
    const std::string request = "record.channels=[\"*\", base.reaction*, arm.reaction*, weight.reaction*, weight.reaction_in_arm*]";
    const Values relative = end_of(text, {request, "solver.step=0.1 ms"}, 0.02),
                 cartesian = end_of(text, {request, "solver.step=0.1 ms", "solver.coordinates=cartesian"}, 0.02);
    for (const char* joint : {"base", "arm", "weight"})
      for (const char* part : {".reaction.force", ".reaction.moment"}) {
        const Vec<3> a = vector_of(relative, std::string(joint) + part), b = vector_of(cartesian, std::string(joint) + part);
        EXPECT_NEAR((a - b).norm(), 0, 1e-4 * (a.norm() + 10)) << joint << part << " " << a.transpose() << " | " << b.transpose();
      }
    EXPECT_GT(vector_of(relative, "arm.reaction.force").norm(), 10);
  }
}

TEST(Reaction, IsGivenInTheAxesOfBothBodiesAndAtMarkers) {
  const std::string text = linkage(true, 1) + "markers: {tip: {body: rocker, at: [0.8, 0.1, 0.2]}}\n";
  const auto model = model_from(text, {"record.channels=[\"*\", rocker.reaction*, rocker.reaction_in_rocker*, rocker.reaction_in_table*, "
                                       "rocker.reaction_at_tip*, rocker.reaction_at_tip_in_rocker*, rocker.attitude_*, rocker.origin_*]"});
  const auto observer = make_observer(model);
  Runner run(model);
  run.advance(0.2);
  const Values values = read(*observer, run.state());
  const Eigen::Quaterniond q(values.at("rocker.attitude_w"), values.at("rocker.attitude_x"), values.at("rocker.attitude_y"),
                             values.at("rocker.attitude_z"));
  EXPECT_NEAR(q.norm(), 1, 1e-12);
  const Vec<3> force = vector_of(values, "rocker.reaction.force"), moment = vector_of(values, "rocker.reaction.moment");
  EXPECT_NEAR((q * vector_of(values, "rocker.reaction_in_rocker.force") - force).norm(), 0, 1e-9 * force.norm());
  EXPECT_NEAR(vector_of(values, "rocker.reaction_in_table.force").norm(), force.norm(), 1e-9 * force.norm());
  EXPECT_GT((vector_of(values, "rocker.reaction_in_table.force") - force).norm(), 0.1 * force.norm());
  const Vec<3> tip = vector_of(values, "tip.position"), pin = vector_of(values, "rocker.origin");  // child_at is zero
  const Vec<3> about_tip = vector_of(values, "rocker.reaction_at_tip.moment");
  EXPECT_NEAR((moment + (pin - tip).cross(force) - about_tip).norm(), 0, 1e-9 * force.norm());
  EXPECT_NEAR((q * vector_of(values, "rocker.reaction_at_tip_in_rocker.moment") - about_tip).norm(), 0, 1e-9 * force.norm());
}

TEST(Reaction, IsEvaluatedOnlyOnRequest) {
  const std::string text = linkage(true, 1);
  const auto names = [&](const std::string& request) {
    std::vector<std::string> found;
    const auto observer = make_observer(model_from(text, {"record.channels=[" + request + "]"}));
    for (const Channel& c : observer->channels()) found.push_back(c.name);
    return found;
  };
  const std::vector<std::string> plain = names("");
  EXPECT_EQ(names("\"*\""), plain);
  EXPECT_EQ(names("crank.*, crank.re*, pin.*"), plain);
  EXPECT_EQ(names("crank.reaction*").size(), plain.size() + 6);
  EXPECT_EQ(names("pin.reaction.force_*").size(), plain.size() + 3);
  EXPECT_EQ(names("pin.reaction_in_coupler.moment_y").size(), plain.size() + 1);
  EXPECT_EQ(names("crank.angular_velocity_*").size(), plain.size() + 3);
  EXPECT_EQ(names("drive.factor, drive.load").size(), plain.size() + 2);
  const auto model = model_from(text);
  const std::vector<Channel> offered = channels_on_request(model);
  EXPECT_EQ(make_observer(model)->channels().size(), plain.size());
  for (const char* name : {"pin.reaction_in_rocker.force_x", "table.origin_z", "coupler.attitude_w"})
    EXPECT_TRUE(std::any_of(offered.begin(), offered.end(), [&](const Channel& c) { return c.name == name; })) << name;
  EXPECT_NE(how_to_request(model, "pin.reaction.force_x").find("\"*\", pin.reaction.force_x"), std::string::npos);
  EXPECT_EQ(how_to_request(model, "pin.reaction.force_q"), "");
  try {
    check_recorded_channels(model_from(text, {"record.channels=[crank.reaction.force_q]"}));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(error.diagnostics()[0].hint.find("crank.reaction.force_"), std::string::npos) << error.diagnostics()[0].hint;
  }
}

TEST(Reaction, IsReadWithoutAllocation) {
  if (!test::allocations_are_counted()) GTEST_SKIP() << "another operator new is in use";
  const std::string text = linkage(true, 1);
  const auto model = model_from(text, {requests(model_from(text)->description)});
  const auto observer = make_observer(model);
  Runner run(model);
  run.advance(0.01);
  observer->observe(run.state(), Side::left);
  const long before = test::allocations();
  observer->observe(run.state(), Side::left);
  EXPECT_EQ(test::allocations(), before);
}

// ---------------------------------------------------------------- markers

/// Position and attitude of a marker at t along the motion of a state; of a machine without constraint errors in it.
TEST(Marker, VelocityAndAccelerationAreDerivativesInEveryFrame) {
  for (const bool spatial : {false, true})
    for (const char* coordinates : {"relative", "cartesian"}) {
      const std::string text =
          busy_machine(spatial) +
          "markers:\n  tip: {body: weight, at: [0.3, 0.1, -0.2]}\n  seen: {body: weight, at: [0.3, 0.1, -0.2], frame: arm}\n"
          "  still: {body: ground, at: [1, 2, 3], frame: base}\n";
      const auto model = model_from(text, {"solver.step=0.1 ms", std::string("solver.coordinates=") + coordinates});
      const auto observer = make_observer(model);
      Runner run(model);
      std::vector<Values> around;
      for (int i = 0; i < 5; ++i) {
        run.advance(0.01 + 1e-4 * i);
        around.push_back(read(*observer, run.state()));
      }
      for (const std::string marker : {"tip", "seen", "still"}) {
        const auto rate = [&](const std::string& stem) -> Vec<3> {
          const auto at = [&](std::size_t i) { return vector_of(around[i], marker + stem); };
          return ((at(3) - at(1)) * 8 - (at(4) - at(0))) / (12 * 1e-4);
        };
        const Vec<3> v = vector_of(around[2], marker + ".velocity"), a = vector_of(around[2], marker + ".acceleration");
        EXPECT_NEAR((rate(".position") - v).norm(), 0, 1e-5 * (1 + v.norm())) << marker << spatial << coordinates;
        EXPECT_NEAR((rate(".velocity") - a).norm(), 0, 1e-3 * (1 + a.norm())) << marker << spatial << coordinates;
        EXPECT_GT(v.norm(), 1e-3) << marker;
        Eigen::Vector4d e, e_t;
        constexpr const char* kPart[] = {"w", "x", "y", "z"};
        for (int k = 0; k < 4; ++k) {
          const auto at = [&](std::size_t i) { return around[i].at(marker + ".attitude_" + kPart[k]); };
          e[k] = at(2);
          e_t[k] = ((at(3) - at(1)) * 8 - (at(4) - at(0))) / (12 * 1e-4);
        }
        // w = 2 e_t e*, vector part
        const Vec<3> u = e.tail<3>(), u_t = e_t.tail<3>(), w = 2 * (u_t * e[0] - u * e_t[0] - u_t.cross(u));
        EXPECT_NEAR((w - vector_of(around[2], marker + ".angular_velocity")).norm(), 0, 1e-5 * (1 + w.norm()))
            << marker << spatial << coordinates;
      }
    }
}

}  // namespace
}  // namespace trunnion
