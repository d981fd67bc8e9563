// Machines in space compared with independent solutions: a slewing crane with two cylinders and a load on a spherical joint, a spatial
// slider-crank with a loop, bodies with closed-form motion.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "file/model_file.h"
#include "machine/evaluate.h"
#include "problems/reference_table.h"
#include "run/run.h"

namespace trunnion {
using problems::read_reference_table;
using problems::ReferenceTable;

namespace {

std::shared_ptr<const CompiledModel> load(const std::string& path, const std::vector<std::string>& settings = {}) {
  std::vector<Override> overrides;
  for (const std::string& setting : settings) overrides.push_back(parse_override(setting));
  return compile(load_model(std::string(TRUNNION_SOURCE_DIR) + "/" + path, overrides));
}
std::shared_ptr<const CompiledModel> parse(const std::string& text) { return compile(parse_model(text, "test.yaml")); }

/// Position of a body's centre of mass in the ground frame.
Vec<3> centre(const CompiledModel& model, const StateVector& state, const std::string& body) {
  const auto& m = std::get<Mechanism<3>>(model.mechanism);
  MechanismState<3> work(m);
  update_positions<3, double>(m, state.q(), nullptr, work);
  for (const BodyInfo& b : model.bodies)
    if (b.name == body) return work.tree.nodes[b.node].r + work.tree.nodes[b.node].R * b.r_NC + m.reference;
  return Vec<3>::Zero();
}

double crane_error(const std::string& step, double* pressure) {
  const auto model = load("examples/slewing_crane.yaml", {"solver.step=" + step});
  EXPECT_FALSE(model->planar);
  const ReferenceTable table = read_reference_table("slewing_crane");
  Runner run(model);
  double worst = 0;
  *pressure = 0;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    run.advance(table.at(row, "time"));
    const StateVector& s = run.state();
    worst = std::max({worst, std::abs(s.q()[0] - table.at(row, "column.angle")), std::abs(s.q()[1] - table.at(row, "boom.angle"))});
    const Vec<3> r = centre(*model, s, "load");
    worst = std::max({worst, std::abs(r.x() - table.at(row, "load.x")), std::abs(r.y() - table.at(row, "load.y")),
                      std::abs(r.z() - table.at(row, "load.z"))});
    for (std::size_t i = 0; i < model->hydraulics.volumes.size(); ++i)
      *pressure = std::max(*pressure, std::abs(s.y()[i] - table.at(row, model->hydraulics.nodes[i].name + ".pressure")));
  }
  return worst;
}

TEST(SlewingCrane, FollowsTheReferenceWithOrderTwo) {
  double p_coarse = 0, p_fine = 0;
  const double coarse = crane_error("1 ms", &p_coarse), fine = crane_error("0.25 ms", &p_fine);
  EXPECT_LT(coarse, 2e-5);  // rad and m
  EXPECT_LT(p_coarse, 5e3);
  EXPECT_NEAR(0.5 * std::log2(coarse / fine), 2.0, 0.1);
  EXPECT_LT(p_fine, p_coarse / 8);
}

void follow_slider_crank(const std::string& model_path, const std::string& table_name) {
  const ReferenceTable table = read_reference_table(table_name);
  double error[2] = {0, 0};
  for (int k : {0, 1}) {
    const auto model = load(model_path, {k == 0 ? "solver.step=1 ms" : "solver.step=0.25 ms"});
    Runner run(model);
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      run.advance(table.at(row, "time"));
      error[k] = std::max(error[k], std::abs(run.state().q()[0] - table.at(row, "crank.angle")));
    }
    EXPECT_LT(run.statistics().max_violation, 1e-10);
    EXPECT_LT(run.statistics().max_velocity_violation, 1e-7);
  }
  EXPECT_LT(error[0], 1e-4);
  EXPECT_NEAR(0.5 * std::log2(error[0] / error[1]), 2.0, 0.1);
}

TEST(SpatialSliderCrank, FollowsTheReferenceWithASphericalLoop) {
  follow_slider_crank("examples/spatial_slider_crank.yaml", "spatial_slider_crank");
}
TEST(SpatialSliderCrank, FollowsTheReferenceWithAConstantDistance) {
  follow_slider_crank("tests/data/spatial_slider_crank_distance.yaml", "spatial_slider_crank_distance");
}

TEST(FreeBody, SymmetricTopPrecessesAsInClosedForm) {
  // torque-free symmetric top: in the ground frame the axis turns about the angular momentum with rate L / J_across
  const auto model = parse(R"(
trunnion: 1
gravity: [0, 0, 0]
bodies:
  top: {mass: 2 kg, center_of_mass: [0, 0, 0], inertia: [0.03, 0.03, 0.05]}
joints:
  top: {free: {parent: ground}, position: [1, 2, 3], rotation: [0.3, 0, 0], velocity: [0.5, -0.25, 1], angular_velocity: [2, 1, 8]}
solver: {step: 0.5 ms, duration: 2 s}
)");
  const Mat<3> R_0 = axis_angle(Vec<3>::UnitX().eval(), 0.3);
  const Vec<3> w(2, 1, 8), J(0.03, 0.03, 0.05);
  const Vec<3> L = R_0 * J.asDiagonal() * R_0.transpose() * w, axis_0 = R_0.col(2);
  Runner run(model);
  run.advance(2.0);
  const StateVector& s = run.state();
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(s.q()[i], (std::array<double, 3>{1 + 2 * 0.5, 2 - 2 * 0.25, 3 + 2 * 1.0})[i], 1e-9);
  const Vec<3> axis = axis_angle(Vec<3>(L.normalized()), L.norm() / 0.03 * 2.0) * axis_0;
  EXPECT_LT((quaternion_matrix(s.q() + 3).col(2) - axis).norm(), 5e-4);  // 2 s at 9 rad/s precession, second order in the step
}

TEST(FreeBody, TumblingKeepsEnergyToSecondOrder) {
  const std::string text = R"(
trunnion: 1
gravity: [0, 0, 0]
bodies:
  block: {box: {size: [0.3, 0.2, 0.1], mass: 5}}
joints:
  block: {spherical: {parent: ground}, rotation: [0.1, 0.2, 0.3], angular_velocity: [0.1, 6, 0.2]}
solver: {duration: 4 s, step: )";
  double drift[2];
  for (int k : {0, 1}) {
    const auto model = parse(text + (k == 0 ? "1 ms}" : "0.5 ms}"));
    const auto& m = std::get<Mechanism<3>>(model->mechanism);
    MechanismState<3> work(m);
    const auto energy = [&](const StateVector& s) {
      update_positions<3, double>(m, s.q(), nullptr, work);
      update_rates<3, double>(m, s.v(), s.a(), work);
      update_inertial_forces(m.tree, false, work.tree);
      return kinetic_energy(m.tree, work.tree);
    };
    Runner run(model);
    const double start = energy(run.state());
    drift[k] = 0;
    for (int i = 1; i <= 400; ++i) {
      run.advance(0.01 * i);
      drift[k] = std::max(drift[k], std::abs(energy(run.state()) / start - 1));
    }
  }
  EXPECT_LT(drift[0], 1e-4);
  EXPECT_LT(drift[1], drift[0] / 3.5);
}

TEST(Pendulum, PeriodIsTheEllipticIntegral) {
  // released at 90 deg: T = 4 K(1/sqrt 2) sqrt(L/g) for a point mass
  const auto model = parse(R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {bob: {point_mass: {mass: 1, at: [0, -1, 0]}}}
joints: {bob: {revolute: {parent: ground, axis: z}, angle: 90 deg}}
solver: {step: 1 ms, duration: 5 s}
)");
  const double period = 4 * 1.8540746773013719 / std::sqrt(9.81);
  Runner run(model);
  run.advance(period);
  EXPECT_NEAR(run.state().q()[0], M_PI / 2, 2e-6);
}

TEST(Loops, FourBarInSpaceMovesAsInThePlane) {
  // a separate body on a spherical joint makes the machine spatial; the loop itself stays planar: two rows
  const Description planar = load_model(std::string(TRUNNION_SOURCE_DIR) + "/examples/four_bar.yaml");
  Description spatial = planar;
  spatial.bodies.push_back({"bob", BodyDescription{{SphereShape{0.1, 1, {0, -1, 0}}}}});
  JointDescription joint;
  joint.kind = JointKind::spherical;
  joint.parent = "ground";
  joint.angular_velocity = Vec3d{1, 2, 0.5};
  spatial.joints.push_back({"bob", joint});
  const auto flat = compile(planar), full = compile(spatial);
  EXPECT_TRUE(flat->planar);
  EXPECT_FALSE(full->planar);
  EXPECT_EQ(flat->layout.rows, 2);
  EXPECT_EQ(full->layout.rows, 2);
  Runner a(flat), b(full);
  for (int i = 1; i <= 40; ++i) {
    a.advance(0.1 * i);
    b.advance(0.1 * i);
    EXPECT_NEAR(a.state().q()[0], b.state().q()[0], 1e-9);
    EXPECT_NEAR(a.state().y()[2], b.state().y()[2], 10);
  }
}

TEST(Motion, PrescribedCoordinateFollowsItsSignalExactly) {
  const auto model = parse(R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {arm: {rod: {length: 1, mass: 2}}, tip: {rod: {length: 1, mass: 1}}}
joints:
  arm: {revolute: {parent: ground, axis: z}}
  tip: {revolute: {parent: arm, at: [1, 0, 0], axis: z}, angle: -90 deg}
motions: {drive: {joint: arm, signal: swing}}
signals: {swing: {sine: {amplitude: 0.5, frequency: 0.7}}}
solver: {step: 1 ms, duration: 3 s}
)");
  Runner run(model);
  for (int i = 1; i <= 300; ++i) {
    run.advance(0.01 * i);
    const double w = 2 * M_PI * 0.7, t = run.state().time;
    EXPECT_NEAR(run.state().q()[0], 0.5 * std::sin(w * t), 1e-10);
    EXPECT_NEAR(run.state().v()[0], 0.5 * w * std::cos(w * t), 1e-7);
    EXPECT_NEAR(run.state().a()[0], -0.5 * w * w * std::sin(w * t), 1e-4);
  }
}

}  // namespace
}  // namespace trunnion
