// Reactions of fixed joints: against Newton's and Euler's equations of the fixed bodies, from the motion of their centres; and machines with
// such bodies against the same without their reactions.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "machine/observe.h"
#include "results/run_case.h"
#include "run/channel_reader.h"
#include "run/recorded_channels.h"
#include "support/machines.h"

namespace trunnion {
namespace {

using Settings = std::vector<std::string>;

const char* const kReactions =
    "record.channels=['*', foot.reaction*, plate.reaction*, sensor.reaction*, tool.reaction*, plate.reaction_at_plate_center*, "
    "sensor.reaction_at_flange*, sensor.reaction_at_sensor_center*, tool.reaction_at_sensor_center*, plate.angular_velocity_*, "
    "plate.angular_acceleration_*, sensor.angular_velocity_*, sensor.angular_acceleration_*, plate.attitude_*, sensor.attitude_*]";

/// A column on a foot, an arm, on which a plate is fixed and on it, turned, a sensor that carries a tool. In the plane all axes are z.
std::string robot(bool spatial, double size = 1, double weight = 1) {
  const std::string turned = spatial ? "[0.4, -0.3, 0.5]" : "[0, 0, 0.5]";
  return fmt::format(
      R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies:
  foot: {{box: {{size: [{0:.17g}, {0:.17g}, {0:.17g}], mass: {1:.17g}}}}}
  arm: {{rod: {{length: {2:.17g}, mass: {3:.17g}}}}}
  plate: {{mass: {4:.17g}, center_of_mass: [{5:.17g}, {6:.17g}, 0], inertia: [{7:.17g}, {8:.17g}, {9:.17g}]}}
  sensor: {{mass: {10:.17g}, center_of_mass: [0, {6:.17g}, 0], inertia: [{8:.17g}, {7:.17g}, {9:.17g}]}}
  tool: {{mass: {3:.17g}, center_of_mass: [{5:.17g}, 0, 0], inertia: [{7:.17g}, {9:.17g}, {9:.17g}]}}
joints:
  foot: {{fixed: {{parent: ground, at: [{6:.17g}, 0, 0]}}}}
  arm: {{revolute: {{parent: foot, at: [0, {0:.17g}, 0], axis: {11}}}, angle: 0.4, rate: 0.7}}
  plate: {{fixed: {{parent: arm, at: [{2:.17g}, 0, 0], orientation: {12}}}}}
  sensor: {{fixed: {{parent: plate, at: [{5:.17g}, 0, {13:.17g}], orientation: {12}, child_at: [{6:.17g}, 0, 0]}}}}
  tool: {{{14}}}
markers:
  plate_center: {{body: plate, at: [{5:.17g}, {6:.17g}, 0]}}
  sensor_center: {{body: sensor, at: [0, {6:.17g}, 0]}}
  flange: {{body: sensor, at: [{6:.17g}, 0, 0]}}
  push_at: {{body: plate, at: [0, {5:.17g}, 0]}}
forces:
  push: {{body: plate, at: [0, {5:.17g}, 0], force: [{15:.17g}, {16:.17g}, {17:.17g}]}}
springs:
  tool: {{joint: tool{18}, damping: {19:.17g}}}
solver: {{step: {20:.17g}, duration: {21:.17g}, tolerance_position: 1e-13, tolerance_other: 1e-13}}
)",
      0.3 * size, 20 * weight, 0.8 * size, 6 * weight, 2 * weight, 0.15 * size, 0.05 * size, 0.02 * weight * size * size,
      0.03 * weight * size * size, 0.04 * weight * size * size, weight, spatial ? "[0.2, 0.3, 1]" : "z", turned, spatial ? 0.1 * size : 0.0,
      spatial ? fmt::format("universal: {{parent: sensor, at: [{:.17g}, 0, 0], axes: [z, y]}}, angles: [0.3, 0.2], rates: [1, -0.5]",
                            0.2 * size)
              : fmt::format("revolute: {{parent: sensor, at: [{:.17g}, 0, 0], axis: z}}, angle: 0.3, rate: 1", 0.2 * size),
      30 * weight, 10 * weight, spatial ? -20 * weight : 0.0, spatial ? ".angle_1" : "", 0.01 * weight * size * size * std::sqrt(1 / size),
      1e-3 * std::sqrt(size), 0.2 * std::sqrt(size));
}

class Values {
 public:
  Values(const Recording& r, std::size_t row) : r_(r), row_(row) {}
  double operator()(const std::string& name) const {
    const int at = r_.find(name);
    if (at < 0) ADD_FAILURE() << "no channel " << name;
    return at < 0 ? HUGE_VAL : r_.columns[static_cast<std::size_t>(at)][row_];
  }
  Vec<3> vector(const std::string& stem) const { return {(*this)(stem + "_x"), (*this)(stem + "_y"), (*this)(stem + "_z")}; }
  Mat<3> attitude(const std::string& body) const {
    const Eigen::Quaterniond e((*this)(body + ".attitude_w"), (*this)(body + ".attitude_x"), (*this)(body + ".attitude_y"),
                               (*this)(body + ".attitude_z"));
    return e.toRotationMatrix();
  }

 private:
  const Recording& r_;
  std::size_t row_;
};

/// Largest residual of both bodies' equations over a run, of the largest force and moment; `carried`: without the tool's reaction.
double residual(const CaseResult& run, bool carried = true) {
  const Recording& r = run.recorder->recording();
  const Description& d = run.model->description;
  double off = 0, force = 0, moment = 0, off_moment = 0;
  for (std::size_t row = 0; row < r.rows(); row += 7) {
    const Values at(r, row);
    const Vec<3> gravity(d.gravity[0], d.gravity[1], d.gravity[2]);
    const auto check = [&](const std::string& body, const Vec<3>& applied, const Vec<3>& applied_moment) {
      const auto& shape = std::get<InertiaShape>(d.bodies.find(body)->shapes[0]);
      const Mat<3> R = at.attitude(body),
                   J = R * Mat<3>(Vec<3>(shape.moments[0], shape.moments[1], shape.moments[2]).asDiagonal()) * R.transpose();
      const Vec<3> w = at.vector(body + ".angular_velocity"), alpha = at.vector(body + ".angular_acceleration");
      const Vec<3> F = shape.mass * (at.vector(body + "_center.acceleration") - gravity), M = J * alpha + w.cross(J * w);
      const Vec<3> on = at.vector(body + ".reaction.force"), on_moment = at.vector(body + ".reaction_at_" + body + "_center.moment");
      off = std::max(off, (F - on - applied).norm());
      off_moment = std::max(off_moment, (M - on_moment - applied_moment).norm());
      force = std::max(force, on.norm());
      moment = std::max(moment, on_moment.norm());
    };
    const auto across = [&](const std::string& to, const std::string& from) -> Vec<3> {
      return at.vector(to + ".position") - at.vector(from + ".position");
    };
    const auto& push = *d.forces.find("push");
    const Vec<3> f(push.force->at(0), push.force->at(1), push.force->at(2));
    const Vec<3> sensor = at.vector("sensor.reaction.force"), tool = carried ? at.vector("tool.reaction.force") : Vec<3>(0, 0, 0);
    const Vec<3> tool_moment = carried ? at.vector("tool.reaction_at_sensor_center.moment") : Vec<3>(0, 0, 0);
    // moments of a reaction about another point: by its moment about the flange
    check("plate", f - sensor,
          across("push_at", "plate_center").cross(f) - at.vector("sensor.reaction_at_flange.moment") -
              across("flange", "plate_center").cross(sensor));
    check("sensor", -tool, -tool_moment);
  }
  return std::max(off / force, off_moment / moment);
}

TEST(FixedReaction, BalancesTheFreeBodies) {
  for (const bool spatial : {false, true})
    for (const Settings& settings :
         {Settings{"solver.constraints=penalty"}, Settings{"solver.constraints=double_step"}, Settings{"solver.coordinates=cartesian"},
          Settings{"solver.coordinates=cartesian", "solver.constraints=double_step"},
          Settings{"solver.integrator=rk4", "solver.constraints=double_step"}}) {
      Settings all = settings;
      all.emplace_back(kReactions);
      const CaseResult run = run_case(test::model_from(robot(spatial), all));
      ASSERT_FALSE(run.failure) << spatial << settings.back();
      const double bound = settings.size() == 1 && settings[0].ends_with("cartesian") ? 1e-6 : 1e-10;
      EXPECT_LT(residual(run), bound) << spatial << settings.back();
      EXPECT_GT(residual(run, false), 0.01);  // a wrong balance is seen
    }
}

TEST(FixedReaction, OfAMachineOfAnySize) {
  for (const double size : {0.01, 10.0})
    for (const double weight : {1e-3, 1e3}) {
      const CaseResult run = run_case(test::model_from(robot(true, size, weight), {kReactions}));
      ASSERT_FALSE(run.failure) << size << " " << weight;
      EXPECT_LT(residual(run), 1e-10) << size << " " << weight;
    }
}

TEST(FixedReaction, CarriesTheWeightToTheGround) {
  const CaseResult run =
      run_case(test::model_from(robot(false), {kReactions, "forces.push.force=[0, 0, 0]", "joints.arm.angle=-90 deg", "joints.arm.rate=0",
                                               "joints.plate.fixed.orientation=[0, 0, 0]", "joints.tool.rate=0", "solver.duration=1 ms"}));
  const Values at(run.recorder->recording(), 0);
  // the foot alone is weighed where nothing accelerates: its own weight, and what the arm's pin carries
  const Vec<3> foot = at.vector("foot.reaction.force");
  EXPECT_GT(foot.y(), 20 * 9.81);
  EXPECT_LT(foot.y(), (20 + 6 + 2 + 1 + 6) * 9.81);
}

/// A jib that turns in a horizontal plane: its foot carries the weight across it.
TEST(FixedReaction, CarriesWhatActsAcrossAPlane) {
  const char* const jib = R"(
trunnion: 1
gravity: [0, 0, -9.81]
bodies: {foot: {box: {size: [1, 1, 1], mass: 100}}, jib: {rod: {length: 2, mass: 50}}}
joints: {foot: {fixed: {parent: ground}}, jib: {revolute: {parent: foot, at: [0, 0, 1], axis: z}, rate: 0.1}}
record: {channels: ["*", "foot.reaction*"]}
solver: {step: 1 ms, duration: 10 ms}
)";
  for (const char* coordinates : {"solver.coordinates=relative", "solver.coordinates=cartesian"}) {
    const CaseResult run = run_case(test::model_from(jib, {coordinates}));
    ASSERT_FALSE(run.failure) << coordinates;
    const Values at(run.recorder->recording(), run.recorder->recording().rows() - 1);
    EXPECT_NEAR(at("foot.reaction.force_z"), 150 * 9.81, 1e-6) << coordinates;
    EXPECT_NEAR(at("foot.reaction.moment_y"), -50 * (9.81 + 0.1 * 0.1), 1e-3) << coordinates;  // and of the turning mass 1 m above
  }
  EXPECT_TRUE(test::model_from(jib, {"record.channels=['*']"})->planar);
}

/// The same motion with and without recorded reactions, in all of its channels.
TEST(FixedReaction, ChangesNoMotion) {
  for (const bool spatial : {false, true})
    for (const char* coordinates : {"solver.coordinates=relative", "solver.coordinates=cartesian"}) {
      const CaseResult with = run_case(test::model_from(robot(spatial), {coordinates, kReactions})),
                       without = run_case(test::model_from(robot(spatial), {coordinates}));
      ASSERT_FALSE(with.failure || without.failure);
      const Recording &a = with.recorder->recording(), &b = without.recorder->recording();
      const double bound = with.model->layout.rows > 0 ? 1e-6 : 1e-11;  // the factors of rows follow the masses of nodes
      std::size_t compared = 0;
      for (std::size_t i = 0; i < b.channels.size(); ++i) {
        const std::string& name = b.channels[i].name;
        // multipliers are components in the axes of the parent's node
        if (name.starts_with("energy.") || name.starts_with("solver.") || name.find("violation") != std::string::npos ||
            name.find("multiplier") != std::string::npos)
          continue;
        const int at = a.find(name);
        ASSERT_GE(at, 0) << name;
        for (std::size_t row = 0; row < b.rows(); ++row) {
          const double x = b.columns[i][row];
          ASSERT_NEAR(a.columns[static_cast<std::size_t>(at)][row], x, bound * (1 + std::abs(x))) << name << spatial << coordinates;
        }
        ++compared;
      }
      EXPECT_GT(compared, 20U);
      EXPECT_EQ(with.model->layout.nv, without.model->layout.nv);
    }
}

TEST(FixedReaction, IsOfferedWhereItIsNotRecorded) {
  const auto model = test::model_from(robot(true));
  EXPECT_NE(how_to_request(model, "plate.reaction.force_x"), "");
  EXPECT_EQ(std::get<Mechanism<3>>(model->mechanism).tree.nodes.size(), 4U);  // ground, arm, two of the tool
  const auto recorded = test::model_from(robot(true), {"record.channels=[sensor.reaction.force_x]"});
  EXPECT_EQ(std::get<Mechanism<3>>(recorded->mechanism).tree.nodes.size(), 5U);
  EXPECT_NO_THROW(check_recorded_channels(recorded));
  EXPECT_THROW(check_recorded_channels(test::model_from(robot(true), {"record.channels=[sensor.reactions*]"})), InputError);
}

}  // namespace
}  // namespace trunnion
