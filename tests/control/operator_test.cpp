// Operator model: set points by inverse kinematics against forward kinematics in closed form, within limited rates; the machine follows.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "base/diagnostic.h"
#include "model/control_plan.h"
#include "run/run.h"
#include "schema/schema.h"
#include "support/allocation_counter.h"
#include "support/machines.h"

namespace trunnion {
namespace {

using Point = Eigen::Vector3d;

constexpr double kDegree = std::numbers::pi / 180;

/// Boom, arm and bucket of 3, 2 and 1 m in a plane.
std::string digger(const std::string& control, double size = 1) {
  return fmt::format(R"(
trunnion: 1
gravity: [0, 0, 0]
bodies:
  boom:   {{rod: {{length: {0:.17g} m, mass: 100 kg}}}}
  arm:    {{rod: {{length: {1:.17g} m, mass: 60 kg}}}}
  bucket: {{rod: {{length: {2:.17g} m, mass: 30 kg}}}}
joints:
  boom:   {{revolute: {{parent: ground, at: [{3:.17g} m, {4:.17g} m, 0], axis: z}}, angle: 50 deg}}
  arm:    {{revolute: {{parent: boom, at: [{0:.17g} m, 0, 0], axis: z}}, angle: -70 deg}}
  bucket: {{revolute: {{parent: arm, at: [{1:.17g} m, 0, 0], axis: z}}, angle: -60 deg}}
{5}
solver: {{step: 2 ms, duration: 30 s}}
)",
                     3 * size, 2 * size, size, 0.4 * size, 0.7 * size, control);
}
/// Its tool by closed form.
Point digger_tool(const double* q, double size = 1) {
  const double a = q[0], b = a + q[1], c = b + q[2];
  return size * Point(0.4 + 3 * std::cos(a) + 2 * std::cos(b) + std::cos(c), 0.7 + 3 * std::sin(a) + 2 * std::sin(b) + std::sin(c), 0);
}
const std::vector<Point> kTrench{{4.4, 1, 0}, {4.4, -0.5, 0}, {3, -0.5, 0}, {2.6, 1.2, 0}};
const char* const kTrenchPath = "path: [[4.4, 1, 0], [4.4, -0.5, 0], [3, -0.5, 0], [2.6, 1.2, 0]]";

std::string operator_block(const std::string& keys, const std::string& joints = "[boom, arm, bucket]") {
  return "control: {op: {operator: {body: bucket, at: [1 m, 0, 0], joints: " + joints + ", " + keys + "}, period: 10 ms}}";
}

/// An operator without its machine: other coordinates are as given.
class Reference {
 public:
  Reference(const std::string& text, double speed, std::vector<double> measured, double period = 0.01)
      : plan_(plan_control(parse_model(text, "test.yaml")).front()), u_{speed}, x_(kMaxBlockStates + 1), period_(period) {
    u_.insert(u_.end(), measured.begin(), measured.end());
    if (plan_.law->inputs() != static_cast<int>(u_.size())) throw Error("wrong number of coordinates");
    plan_.law->start(u_.data(), x_.data());
  }
  void sample() { plan_.law->sample(u_.data(), period_, x_.data()); }
  void measure(std::size_t coordinate, double value) { u_[1 + coordinate] = value; }
  int joints() const { return (plan_.law->states() - 2) / 2; }
  const double* q() const { return x_.data(); }
  double rate(int k) const { return x_[static_cast<std::size_t>(joints() + k)]; }
  double covered() const { return plan_.law->value(u_.data(), x_.data()); }
  bool approaches() const { return x_[static_cast<std::size_t>(2 * joints() + 1)] > 0.5; }
  const std::vector<double>& states() const { return x_; }

 private:
  BlockPlan plan_;
  std::vector<double> u_, x_;
  double period_;
};

/// Where a path is after that length.
Point point_on(const std::vector<Point>& path, double length) {
  for (std::size_t i = 1; i < path.size(); ++i) {
    const double part = (path[i] - path[i - 1]).norm();
    if (length <= part) return path[i - 1] + length / part * (path[i] - path[i - 1]);
    length -= part;
  }
  return path.back();
}
double length_of(const std::vector<Point>& path) {
  double length = 0;
  for (std::size_t i = 1; i < path.size(); ++i) length += (path[i] - path[i - 1]).norm();
  return length;
}

/// What happened on a path.
struct Course {
  double largest_rate = 0, largest_error = 0;  // over the maximum; [m] from the point of the path at the length covered
  int slow = 0, samples = 0;                   // samples on the path with less than the full speed; all of them
  std::vector<double> nearest;                 // [m] to each point of the path
};
Course follow(Reference& reference, const std::vector<Point>& path, double step, const std::vector<double>& max_rates,
              const std::function<Point(const double*)>& tool, int most = 20000) {
  Course course;
  course.nearest.assign(path.size(), std::numeric_limits<double>::infinity());
  double before = 0;
  while (course.samples < most && (reference.approaches() || reference.covered() < length_of(path) * (1 - 1e-12))) {
    reference.sample();
    ++course.samples;
    const Point r = tool(reference.q());
    for (int k = 0; k < reference.joints(); ++k)
      course.largest_rate = std::max(course.largest_rate, std::abs(reference.rate(k)) / max_rates[static_cast<std::size_t>(k)]);
    for (std::size_t i = 0; i < path.size(); ++i) course.nearest[i] = std::min(course.nearest[i], (r - path[i]).norm());
    if (reference.approaches()) continue;
    course.largest_error = std::max(course.largest_error, (r - point_on(path, reference.covered())).norm());
    const double ahead = reference.covered() - before;
    EXPECT_GE(ahead, 0);
    EXPECT_LE(ahead, step * (1 + 1e-9));
    if (ahead < step * (1 - 1e-9)) ++course.slow;
    before = reference.covered();
  }
  return course;
}

const std::vector<double> kDiggerStart{50 * kDegree, -70 * kDegree, -60 * kDegree};

TEST(Operator, ReachesEveryPointOfItsPathWithinTheMaximumRates) {
  for (const char* attitude : {"", ", attitude: [-80 deg, -95 deg, -100 deg, -170 deg]"})
    for (const double limit : {2.0, 0.12}) {
      Reference reference(digger(operator_block(fmt::format("{}, speed: 0.4 m/s, max_rates: [{}]{}", kTrenchPath, limit, attitude))), 0.4,
                          kDiggerStart);
      const double away = (digger_tool(kDiggerStart.data()) - kTrench[0]).norm();
      EXPECT_NEAR(reference.covered(), -away, 1e-12);
      const Course course =
          follow(reference, kTrench, 0.004, std::vector<double>(3, limit), [](const double* q) { return digger_tool(q); });
      EXPECT_DOUBLE_EQ(reference.covered(), length_of(kTrench));
      EXPECT_LE(course.largest_rate, 1 + 1e-12);
      EXPECT_LT(course.largest_error, 1e-5);
      for (const double nearest : course.nearest) EXPECT_LT(nearest, 0.0021);
      EXPECT_LT((digger_tool(reference.q()) - kTrench.back()).norm(), 1e-5);
      const int at_full_speed = static_cast<int>((away + length_of(kTrench)) / 0.004);
      if (limit < 1) {
        EXPECT_GT(course.largest_rate, 0.97);
        EXPECT_GT(course.slow, 100);
        EXPECT_GT(course.samples, at_full_speed + 50);
      } else if (*attitude == 0) {
        EXPECT_LE(course.slow, 2);  // the first one, which ends the approach, and the last one
        EXPECT_NEAR(course.samples, at_full_speed, 4);
      }
      if (*attitude != 0) EXPECT_NEAR(reference.q()[0] + reference.q()[1] + reference.q()[2], -170 * kDegree, 1e-6);
    }
}

/// Rates that limit nothing.
TEST(Operator, FollowsThePathWhateverTheMaximumRates) {
  for (const char* rates : {"1e3", "1e6", "1e9"}) {
    SCOPED_TRACE(rates);
    Reference reference(digger(operator_block(fmt::format("{}, speed: 0.4 m/s, max_rates: [{}]", kTrenchPath, rates))), 0.4, kDiggerStart);
    const Course course = follow(reference, kTrench, 0.004, {1e9, 1e9, 1e9}, [](const double* q) { return digger_tool(q); });
    EXPECT_DOUBLE_EQ(reference.covered(), length_of(kTrench));
    EXPECT_LT(course.largest_error, 1e-5);
  }
}

/// A speed that follows the operator's own set points, by blocks that stand before or after it.
TEST(Operator, SlowsDownWhereItsOwnSetPointsAreFarAway) {
  for (const char* where : {"before", "after"}) {
    const std::string block = operator_block(fmt::format("{}, speed: pace, max_rates: [2]", kTrenchPath)),
                      pace = "pace: {expression: '0.4*max(0, 1 - 5*abs(op.boom - boom.angle))'}";
    const std::string list = block.substr(block.find('{') + 1, block.size() - block.find('{') - 2);
    Runner run(test::model_from(digger("control: {" + (*where == 'b' ? pace + ", " + list : list + ", " + pace) + "}")));
    run.advance(2);
    const auto& names = run.model()->state_names;
    const auto state = [&](const std::string& name) {
      return run.state().y()[std::find(names.begin(), names.end(), name) - names.begin()];
    };
    EXPECT_GT(std::abs(state("op.boom.output") - 50 * kDegree), 0.1) << where;  // the boom stays, and 0.2 rad away the operator waits
    EXPECT_LT(std::abs(state("op.boom.output") - 50 * kDegree), 0.21) << where;
  }
}

TEST(Operator, KeepsTheAttitudeAlongThePath) {
  Reference reference(digger(operator_block(std::string(kTrenchPath) + ", speed: 0.4 m/s, max_rates: [1, 1, 1], attitude: [-95 deg]")), 0.4,
                      kDiggerStart);
  double largest = 0;
  for (int i = 0; i < 3000; ++i) {
    reference.sample();
    if (!reference.approaches())
      largest = std::max(largest, std::abs(reference.q()[0] + reference.q()[1] + reference.q()[2] + 95 * kDegree));
  }
  EXPECT_DOUBLE_EQ(reference.covered(), length_of(kTrench));
  EXPECT_LT(largest, 1e-5);
}

/// Of more joints than conditions, those move least that need most of their maximum rates.
TEST(Operator, MovesSlowJointsLeast) {
  const auto moved = [](const char* rates) {
    Reference reference(digger(operator_block(std::string("path: [[4.4, 1, 0]], speed: 0.1 m/s, max_rates: ") + rates)), 0.1, kDiggerStart);
    for (int i = 0; i < 4000; ++i) reference.sample();
    EXPECT_FALSE(reference.approaches());
    EXPECT_LT((digger_tool(reference.q()) - kTrench[0]).norm(), 1e-5);
    return std::abs(reference.q()[0] - kDiggerStart[0]);
  };
  EXPECT_LT(moved("[0.03, 1, 1]"), 0.2 * moved("[1, 1, 1]"));
}

TEST(Operator, WaitsWhereItCannotReach) {
  // the reach is 6 m from (0.4, 0.7)
  Reference reference(digger(operator_block("path: [[5.4, 0.7, 0], [8, 0.7, 0]], speed: 0.4 m/s, max_rates: [0.5]")), 0.4, kDiggerStart);
  for (int i = 0; i < 4000; ++i) reference.sample();
  EXPECT_FALSE(reference.approaches());
  EXPECT_NEAR(reference.covered(), 1, 2e-3);
  EXPECT_NEAR((digger_tool(reference.q()) - Point(6.4, 0.7, 0)).norm(), 0, 2e-3);
  const std::vector<double> before(reference.q(), reference.q() + 3);
  for (int i = 0; i < 1000; ++i) reference.sample();
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(reference.q()[k], before[static_cast<std::size_t>(k)], 0.02);
    EXPECT_LT(std::abs(reference.rate(k)), 1e-3);
  }
  EXPECT_LE(reference.covered(), 1 + 1e-6);
  // before the first point: as near as possible
  Reference away(digger(operator_block("path: [[6.4, 8.7, 0]], speed: 0.4 m/s, max_rates: [0.5]")), 0.4, kDiggerStart);
  for (int i = 0; i < 6000; ++i) away.sample();
  EXPECT_TRUE(away.approaches());
  EXPECT_NEAR(away.covered(), -4, 1e-3);
  EXPECT_NEAR((digger_tool(away.q()) - Point(4, 5.5, 0)).norm(), 0, 0.05);
}

/// Slewing column, boom and telescope.
std::string crane(const std::string& keys) {
  return R"(
trunnion: 1
bodies:
  column:    {point_mass: {mass: 500 kg}}
  boom:      {rod: {length: 4 m, mass: 200 kg}}
  telescope: {rod: {length: 3 m, mass: 100 kg}}
joints:
  column:    {revolute: {parent: ground, at: [1 m, 2 m, 0.5 m], axis: z}, angle: 10 deg}
  boom:      {revolute: {parent: column, at: [0.2 m, 0, 1.5 m], axis: [0, -1, 0]}, angle: 30 deg}
  telescope: {prismatic: {parent: boom, at: [1 m, 0, 0.1 m], axis: x}, position: 0.5 m}
control: {op: {operator: {body: telescope, at: [3 m, 0, -0.2 m], )" +
         keys + "}, period: 20 ms}}\n";
}
Point crane_tool(double slew, double boom, double out) {
  const double x = 4 + out, z = -0.1, reach = 0.2 + x * std::cos(boom) - z * std::sin(boom);
  return {1 + reach * std::cos(slew), 2 + reach * std::sin(slew), 2 + x * std::sin(boom) + z * std::cos(boom)};
}

TEST(Operator, MovesASlewingCraneInSpace) {
  const std::vector<Point> path{{4, 5, 3}, {4, 5, 4.5}, {2, 6, 4}, {-2, 5, 3}};
  Reference reference(crane("joints: [telescope, column, boom], path: [[4, 5, 3], [4, 5, 4.5], [2, 6, 4], [-2, 5, 3]], speed: 0.5 m/s, "
                            "max_rates: [0.15 m/s, 8 deg/s, 6 deg/s]"),
                      0.5, {0.5, 10 * kDegree, 30 * kDegree}, 0.02);
  const Course course =
      follow(reference, path, 0.01, {0.15, 8 * kDegree, 6 * kDegree}, [](const double* q) { return crane_tool(q[1], q[2], q[0]); });
  EXPECT_DOUBLE_EQ(reference.covered(), length_of(path));
  EXPECT_LE(course.largest_rate, 1 + 1e-12);
  EXPECT_GT(course.largest_rate, 0.9);
  EXPECT_GT(course.slow, 20);
  EXPECT_LT(course.largest_error, 1e-5);
  for (const double nearest : course.nearest) EXPECT_LT(nearest, 0.0051);
}

/// A coordinate that is not the operator's is as measured: the plane of boom and telescope turns with the column.
TEST(Operator, ReadsTheOtherJointsOnTheWay) {
  const double reach = 4.5, slew = 40 * kDegree;
  const auto at = [&](double angle, double height) { return Point(1 + reach * std::cos(angle), 2 + reach * std::sin(angle), height); };
  const Point a = at(slew, 3), b = at(slew, 4.5);
  Reference reference(
      crane(fmt::format("joints: [boom, telescope], path: [[{:.17g}, {:.17g}, 3], [{:.17g}, {:.17g}, 4.5]], speed: 0.2 m/s, "
                        "max_rates: [0.5]",
                        a.x(), a.y(), b.x(), b.y())),
      0.2, {30 * kDegree, 0.5, slew}, 0.02);
  const Course course = follow(reference, {a, b}, 0.004, {0.5, 0.5}, [&](const double* q) { return crane_tool(slew, q[0], q[1]); });
  EXPECT_LT(course.largest_error, 1e-5);
  EXPECT_DOUBLE_EQ(reference.covered(), 1.5);
  // the column turns on: the nearest point of the plane
  reference.measure(2, slew + 0.3);
  for (int i = 0; i < 400; ++i) reference.sample();
  const Point tool = crane_tool(slew + 0.3, reference.q()[0], reference.q()[1]);
  EXPECT_NEAR(std::hypot(tool.x() - 1, tool.y() - 2), reach * std::cos(0.3), 1e-5);
  EXPECT_NEAR(tool.z(), 4.5, 1e-5);
}

TEST(Operator, RepeatsAClosedPath) {
  const std::vector<Point> lap{{4, 0, 0}, {4, 1, 0}, {3, 1, 0}, {4, 0, 0}};
  Reference reference(digger(operator_block("path: [[4, 0, 0], [4, 1, 0], [3, 1, 0]], speed: 0.4 m/s, max_rates: [3], repeat: true")), 0.4,
                      kDiggerStart);
  for (int i = 0; i < 6000; ++i) {
    reference.sample();
    if (reference.approaches()) continue;
    const double whole = length_of(lap), length = reference.covered() - whole * std::floor(reference.covered() / whole);
    ASSERT_LT((digger_tool(reference.q()) - point_on(lap, length)).norm(), 1e-5);
  }
  EXPECT_GT(reference.covered(), 5 * length_of(lap));
}

/// Lengths ten times as large, or all times: the same angles.
TEST(Operator, IsTheSameAtEveryScale) {
  const auto run = [](double size, double time) {
    const std::string keys = fmt::format(
        "path: [[{0:.17g}, {1:.17g}, 0], [{0:.17g}, {2:.17g}, 0], [{3:.17g}, {2:.17g}, 0]], speed: 1, "
        "max_rates: [{4:.17g}], attitude: [-80 deg, -95 deg, -120 deg]",
        4.4 * size, size, -0.5 * size, 3 * size, 0.12 / time);
    std::string text = operator_block(keys);
    text.replace(text.find("at: [1 m"), 8, fmt::format("at: [{:.17g} m", size));
    Reference reference(digger(text, size), 0.4 * size / time, kDiggerStart, 0.01 * time);
    std::vector<double> all;
    for (int i = 0; i < 900; ++i) {
      reference.sample();
      all.insert(all.end(), reference.q(), reference.q() + 3);
    }
    EXPECT_FALSE(reference.approaches());
    return all;
  };
  const std::vector<double> one = run(1, 1);
  for (const auto& [size, time] : {std::pair{10.0, 1.0}, {1e-3, 1.0}, {1.0, 10.0}, {10.0, 10.0}}) {
    const std::vector<double> other = run(size, time);
    for (std::size_t i = 0; i < one.size(); ++i) ASSERT_NEAR(other[i], one[i], 1e-7) << size << " " << time << " " << i;
  }
}

// ---------------------------------------------------------------- the machine

/// The digger with a controlled torque on every joint.
std::string controlled(const std::string& keys, const std::string& more = "") {
  std::string forces = "forces:\n", blocks = "control:\n";
  const std::pair<const char*, double> gains[] = {{"boom", 8e5}, {"arm", 1.5e5}, {"bucket", 1e4}};
  for (const auto& [joint, gain] : gains) {
    forces += fmt::format("  {0}_motor: {{joint: {0}, load: 1 N m, signal: {0}_torque}}\n", joint);
    blocks += fmt::format(
        "  {0}_torque: {{pid: {{setpoint: op.{0}, measurement: {0}.angle, gain: {1}, derivative_time: 0.08 s, filter: 10, "
        "derivative_weight: 1}}}}\n",
        joint, gain);
  }
  return forces + blocks + "  op: {operator: {body: bucket, at: [1 m, 0, 0], joints: [boom, arm, bucket], " + keys + "}, period: 10 ms" +
         more + "}\n";
}

double value_of(const Runner& run, const std::string& name) {
  const auto& names = run.model()->state_names;
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) throw Error("no " + name);
  return run.state().y()[at - names.begin()];
}

TEST(Operator, LeadsTheMachineAlongThePath) {
  const std::vector<Point> path{{4.4, 1, 0}, {4.4, -0.5, 0}, {3, -0.5, 0}};
  for (const char* more : {"", ", latency: 5 ms"}) {
    Runner run(
        test::model_from(digger(controlled("path: [[4.4, 1, 0], [4.4, -0.5, 0], [3, -0.5, 0]], speed: 0.5 m/s, max_rates: [0.4]", more))));
    for (int k = 0; k < 3; ++k)
      EXPECT_EQ(value_of(run, std::string("op.") + (k == 0 ? "boom" : k == 1 ? "arm" : "bucket") + ".output"), run.state().q()[k]);
    double largest = 0;
    for (int i = 1; i <= 120; ++i) {
      run.advance(0.1 * i);
      const double covered = value_of(run, "op.output");
      EXPECT_LE(std::abs(value_of(run, "op.boom.rate.output")), 0.4 * (1 + 1e-12));
      if (covered > 0) largest = std::max(largest, (digger_tool(run.state().q()) - point_on(path, covered)).norm());
    }
    EXPECT_DOUBLE_EQ(value_of(run, "op.output"), length_of(path));
    EXPECT_GT(largest, 1e-4);  // it lags
    EXPECT_LT(largest, 0.06);
    EXPECT_LT((digger_tool(run.state().q()) - path.back()).norm(), 1e-3);
  }
}

TEST(Operator, WaitsWhileItsSpeedIsZero) {
  std::string text = controlled("path: [[4.4, 1, 0], [4.4, -0.5, 0]], speed: pace, max_rates: [0.4]");
  text += "signals: {pace: {steps: [[0, 0.5], [2 s, 0], [3 s, 0.5]]}}\n";
  Runner run(test::model_from(digger(text)));
  run.advance(2.02);
  const double waits = value_of(run, "op.output");
  EXPECT_GT(waits, 0);
  EXPECT_LT(waits, 1.4);
  run.advance(2.99);
  EXPECT_EQ(value_of(run, "op.output"), waits);
  run.advance(9);
  EXPECT_DOUBLE_EQ(value_of(run, "op.output"), 1.5);
}

TEST(Operator, ContinuesFromASavedStateBitForBit) {
  const auto model = test::model_from(digger(controlled("path: [[4.4, 1, 0], [4.4, -0.5, 0]], speed: 0.5 m/s, max_rates: [0.4]")));
  Runner whole(model), first(model);
  whole.advance(4);
  first.advance(2.014);
  Runner second(model, first.state());
  second.advance(4);
  EXPECT_EQ(whole.state().values(), second.state().values());
}

TEST(Operator, IsTheSameInCartesianCoordinates) {
  const std::string text = digger(controlled("path: [[4.4, 1, 0], [4.4, -0.5, 0]], speed: 0.5 m/s, max_rates: [0.4]"));
  Runner relative(test::model_from(text)), cartesian(test::model_from(text, {"solver.coordinates=cartesian"}));
  for (Runner* run : {&relative, &cartesian}) run->advance(3);
  for (const char* name : {"op.boom.output", "op.arm.output", "op.bucket.rate.output"})
    EXPECT_NEAR(value_of(relative, name), value_of(cartesian, name), 1e-9) << name;
}

TEST(Operator, StepsDoNotAllocate) {
  if (!test::allocations_are_counted()) GTEST_SKIP();
  Runner run(test::model_from(digger(controlled("path: [[4.4, 1, 0], [4.4, -0.5, 0]], speed: 0.5 m/s, max_rates: [0.4]"))));
  run.advance(0.1);
  const long before = test::allocations();
  run.advance(0.5);
  EXPECT_EQ(test::allocations(), before);
}

TEST(Operator, IsWrittenAndReadAgain) {
  const std::string keys =
      std::string(kTrenchPath) + ", speed: 0.4 m/s, max_rates: [20 deg/s, 0.3, 0.5], attitude: [-90 deg], repeat: true";
  const std::string text = write_model(parse_model(digger(operator_block(keys)), "test.yaml"));
  EXPECT_NE(text.find("max_rates: ["), std::string::npos) << text;
  EXPECT_EQ(write_model(parse_model(text, "again.yaml")), text);
}

// ---------------------------------------------------------------- errors

std::string error_of(const std::string& text) {
  try {
    test::model_from(text);
  } catch (const InputError& error) { return error.what(); }
  return "";
}

TEST(Operator, MistakesAreNamed) {
  const auto with = [](const std::string& keys, const std::string& joints = "[boom, arm, bucket]") {
    return error_of(digger(operator_block(keys, joints)));
  };
  const std::string path = "path: [[4.4, 1, 0]], ", rates = "max_rates: [0.4], ", speed = "speed: 0.4, ";
  const auto expect = [](const std::string& found, std::initializer_list<const char*> parts) {
    for (const char* part : parts) EXPECT_NE(found.find(part), std::string::npos) << part << "\n" << found;
  };
  EXPECT_EQ(with(path + rates + "speed: 0.4"), "");
  EXPECT_EQ(with(path + rates + "speed: 0.4", "[boom, arm]"), "");
  expect(with(path + rates + "speed: 0.4", "[boom, stick]"), {"test.yaml:", "control.op.operator.joints.1", "`stick` is not the name of"});
  expect(with(path + rates + "speed: 0.4", "[boom]"), {"control.op.operator.joints", "found a list of 1", "2 to 5 joints"});
  expect(with(path + rates + speed + "attitude: [0]", "[boom, arm]"),
         {"control.op.operator.joints", "fewer joints than conditions", "at least 3"});
  expect(with(path + rates + "speed: 0.4", "[boom, boom]"), {"joints.1", "in the list already"});
  expect(with(path + rates + "speed: 0.4", "[]"), {"operator.joints", "2 to 5 joints"});
  expect(with(path + rates + "speed: 0"), {"operator.speed", "greater than 0"});
  expect(with(path + speed + "max_rates: [0.4, -1, 2]"), {"max_rates.1", "greater than 0"});
  expect(with(path + speed + "max_rates: [0.4, 1]"), {"max_rates", "found 2", "3 rates"});
  expect(with(path + speed + "max_rates: [0.4 N]"), {"max_rates.0", "different dimension"});
  expect(with(path + rates + speed + "attitude: [0, 1]"), {"operator.attitude", "1 angles, one for each point"});
  expect(with(rates + speed + "path: []"), {"operator.path", "one point or more"});
  expect(with(rates + speed + "path: [[1, 2]]"), {"operator.path.0", "3 numbers"});
  expect(with(rates + speed + "path: [[4, 1, 0], [4, 1, 0]]"), {"operator.path.1", "the point is the one before"});
  expect(with(rates + speed + "path: [[4, 1, 0], [4, 2, 0], [4, 1, 0]], repeat: true"), {"operator.path.0", "the last one"});
  expect(with(rates + speed + "path: [[4 kg, 1, 0]]"), {"path.0.0", "different dimension"});
  std::string text = digger(operator_block(path + rates + "speed: 0.4"));
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string other = text;
    other.replace(other.find(from), from.size(), to);
    return error_of(other);
  };
  expect(replaced(", period: 10 ms", ""), {"control.op", "an operator changes only at samples", "`period`"});
  expect(replaced("body: bucket", "body: buckets"), {"operator.body", "did you mean `bucket`?"});
  expect(replaced("body: bucket", "body: arm"), {"joints.2", "`bucket` does not move `arm`", "on the way from the ground"});
  expect(replaced("arm:    {revolute: {parent: boom, at: [3 m, 0, 0], axis: z}, angle: -70 deg}", "arm: {spherical: {parent: boom}}"),
         {"joint `arm` on the way from the ground rotates about three axes"});
  expect(replaced("arm:    {revolute: {parent: boom, at: [3 m, 0, 0], axis: z}, angle: -70 deg}",
                  "arm: {universal: {parent: boom, axes: [y, z]}}"),
         {"the joint `arm` has several coordinates"});
}

}  // namespace
}  // namespace trunnion
