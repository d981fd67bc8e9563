// The interface model of a mechanism, w_dot = b + W F: against dense linear algebra and closed forms, after steps of every treatment, and
// where there is none.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "cosimulation/mechanism_cases.h"
#include "cosimulation/mechanism_subsystem.h"
#include "machine/start.h"
#include "run/run.h"
#include "support/random_machine.h"

namespace trunnion {
namespace {

using test::Border;
using test::cut_at;
using test::kBorders;
using test::kTreatments;
using test::load_example;
using test::locked;
using test::model_from;
using test::ports_at;
using test::Treatment;
using test::treatment;

/// Everything by dense linear algebra from sweeps: accelerations for given port forces.
struct Oracle {
  Eigen::MatrixXd A, W;  // ds/dq; W
  Eigen::VectorXd b;
};
Oracle oracle_at(const CompiledModel& machine, const StateVector& state) {
  return std::visit(
      [&]<int D>(const Mechanism<D>& m) -> Oracle {
        const int nv = m.tree.nv, ports = static_cast<int>(m.ports.size()), rows = m.rows;
        MechanismState<D> mech(m);
        update_inputs(m, Signals(machine.signals, nullptr), state.time, Side::right, mech);
        const auto sweep = [&](const double* q, const double* v, const Eigen::VectorXd& a, Eigen::VectorXd& r, Eigen::VectorXd& Phi_ddot) {
          update_positions(m, q, static_cast<const double*>(nullptr), mech);
          update_rates(m, v, a.data(), mech);
          inverse_dynamics(m, q, v, false, mech, r.data());
          constraint_rates(m, v, mech);
          constraint_accelerations(m, a.data(), mech);
          Phi_ddot = Eigen::Map<const Eigen::VectorXd>(mech.Phi_ddot.data(), rows);
        };
        // M a - Q and Phi_q a + gamma are affine in a; s_dot is linear in v
        Eigen::VectorXd r0(nv), r(nv), gamma(rows), Phi_ddot(rows), unit = Eigen::VectorXd::Zero(nv);
        Eigen::MatrixXd K = Eigen::MatrixXd::Zero(nv + rows, nv + rows);
        sweep(state.q(), state.v(), unit, r0, gamma);
        Oracle oracle;
        oracle.A.resize(ports, nv);
        for (int k = 0; k < nv; ++k) {
          unit[k] = 1;
          sweep(state.q(), state.v(), unit, r, Phi_ddot);
          K.col(k) << r - r0, Phi_ddot - gamma;
          update_rates(m, unit.data(), unit.data(), mech);
          oracle.A.col(k) = Eigen::Map<const Eigen::VectorXd>(mech.s_dot.data(), ports);
          unit[k] = 0;
        }
        K.topRightCorner(nv, rows) = K.bottomLeftCorner(rows, nv).transpose();
        Eigen::MatrixXd right = Eigen::MatrixXd::Zero(nv + rows, ports + 1);
        right.topLeftCorner(nv, ports) = oracle.A.transpose();
        // friction and limits of joints belong to the mechanism
        const int pistons = machine.hydraulics.pistons;
        const std::vector<double> force = ports_at(machine, state).force;
        for (int i = pistons; i < ports; ++i) r0 -= oracle.A.row(i).transpose() * force[static_cast<std::size_t>(i)];
        right.col(ports) << -r0, -gamma;
        // multipliers of redundant rows are not unique, accelerations are; both kinds of rows are scaled equally
        const double size = K.topLeftCorner(nv, nv).cwiseAbs().maxCoeff();
        K.bottomRows(rows) *= size;
        K.rightCols(rows) *= size;
        right.bottomRows(rows) *= size;
        Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver;
        solver.setThreshold(1e-10);
        solver.compute(K);
        const Eigen::MatrixXd a = solver.solve(right).topRows(nv);
        EXPECT_LT((K * solver.solve(right) - right).norm(), 1e-7 * right.norm());
        oracle.W = (oracle.A * a.leftCols(ports)).topLeftCorner(pistons, pistons).eval();
        // b: s_ddot by a difference of s_dot along the motion with these accelerations
        const auto s_dot = [&](double dt) {
          Eigen::VectorXd theta(nv), v(nv), q(m.tree.nq);
          for (int k = 0; k < nv; ++k) {
            theta[k] = dt * state.v()[k] + dt * dt / 2 * a(k, ports);
            v[k] = state.v()[k] + dt * a(k, ports);
          }
          advance_configuration(m.tree, state.q(), theta.data(), q.data());
          update_positions(m, q.data(), static_cast<const double*>(nullptr), mech);
          update_rates(m, v.data(), v.data(), mech);
          return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(mech.s_dot.data(), ports));
        };
        constexpr double dt = 1e-5;
        oracle.b = ((s_dot(dt) - s_dot(-dt)) / (2 * dt)).head(pistons).eval();
        return oracle;
      },
      machine.mechanism);
}

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Interface {
  RowMajor W;
  Eigen::VectorXd b, force, acceleration;
};
/// W and b of a subsystem, and forces and accelerations there.
Interface interface_of(MechanismSubsystem& mechanism) {
  const auto ports = static_cast<Eigen::Index>(mechanism.outputs().size() / 3);
  Interface out{RowMajor(ports, ports), Eigen::VectorXd(ports), Eigen::VectorXd(ports), Eigen::VectorXd(ports)};
  EXPECT_TRUE(mechanism.interface_model(out.W.data(), out.b.data()));
  mechanism.port_forces(out.force.data());
  std::vector<double> values(mechanism.outputs().size());
  mechanism.get_outputs(values.data());
  for (Eigen::Index i = 0; i < ports; ++i) out.acceleration[i] = values[3 * i + 2];
  return out;
}

void expect_interface(const std::shared_ptr<const CompiledModel>& machine, const StateVector& state, const std::string& what) {
  const auto mechanism = make_mechanism_subsystem(machine);
  mechanism->restore(state);
  mechanism->set_inputs(locked(*machine, state).data());
  ASSERT_TRUE(mechanism->restart()) << what;
  const Interface found = interface_of(*mechanism);
  const Oracle expected = oracle_at(*machine, state);
  EXPECT_LT((found.W - expected.W).norm(), 1e-8 * expected.W.norm()) << what;
  EXPECT_EQ(found.W, found.W.transpose()) << what;
  const Eigen::VectorXd eigenvalues = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(found.W).eigenvalues();
  EXPECT_GT(eigenvalues.minCoeff(), -1e-12 * eigenvalues.maxCoeff()) << what;
  EXPECT_LT((found.b - expected.b).norm(), 1e-6 * (1 + expected.b.norm())) << what;
  // equal to the accelerations of the mechanism
  EXPECT_LT((found.acceleration - found.b - found.W * found.force).norm(), 1e-7 * (1 + found.acceleration.norm())) << what;
}

TEST(InterfaceModel, AgreesWithDenseLinearAlgebra) {
  for (const char* example : {"crane_single", "crane_double", "four_bar", "slewing_crane", "four_bar_lift"})
    for (const char* constraints : {"penalty", "double_step", "baumgarte"}) {
      const auto machine = load_example(example, {std::string("solver.constraints=") + constraints, "solver.integrator=trapezoidal"});
      Runner run(machine);
      for (double t : {0.0, 1.3}) {
        run.advance(t);
        expect_interface(machine, run.state(), std::string(example) + " " + constraints);
      }
    }
  for (const char* example : {"crane_double", "four_bar", "slewing_crane"}) {
    const auto machine = load_example(example, {"solver.coordinates=cartesian"});
    Runner run(machine);
    run.advance(0.05);
    expect_interface(machine, run.state(), std::string(example) + " in Cartesian coordinates");
  }
  for (const bool spatial : {false, true}) {
    const auto machine = model_from(test::busy_machine(spatial));
    Runner run(machine);
    run.advance(0.05);
    expect_interface(machine, run.state(), "busy machine");
  }
}

TEST(InterfaceModel, AgreesOnLoopsAndRedundantRows) {
  int redundant = 0;
  for (unsigned seed = 0; seed < 24; ++seed) {
    const test::RandomMachine random = test::random_machine(seed, seed % 2 == 1);
    redundant += random.redundant ? 1 : 0;
    const auto machine = model_from(random.text, {"solver.constraints=double_step"});
    Runner run(machine);
    run.advance(0.004);
    expect_interface(machine, run.state(), "seed " + std::to_string(seed));
  }
  EXPECT_GT(redundant, 3);
}

TEST(InterfaceModel, NeedsInertiaOnlyWhereTheConstraintsLetMove) {
  // a massless rocker: M is singular, but not on the loop
  auto light = std::make_shared<CompiledModel>(*load_example("four_bar", {"solver.constraints=double_step"}));
  TreeNode<2>& rocker = std::get<Mechanism<2>>(light->mechanism).tree.nodes.back();
  rocker.mass = 0;
  rocker.J_C = 0;
  expect_interface(light, start_state(*light), "rocker without mass");
}

TEST(InterfaceModel, OfTheCraneIsItsClosedForm) {
  // absolute angles: M = [m L^2/3 + m_p L^2 + m_h L^2, m_h L l cos d; ., m_h l^2], d = theta_1 - theta_2
  const double L = 1, l = 0.5, m = 200, m_p = 250, m_h = 100, theta_1 = M_PI / 6, theta_2 = 3 * M_PI / 2;
  Eigen::Matrix2d M;
  M << (m / 3 + m_p + m_h) * L * L, m_h * L * l * std::cos(theta_1 - theta_2), 0, m_h * l * l;
  M(1, 0) = M(0, 1);
  // lift: from B to the middle of the first link; tilt: from there to the middle of the second one
  const auto along = [](double theta) { return Eigen::Vector2d(std::cos(theta), std::sin(theta)); };
  const auto across = [](double theta) { return Eigen::Vector2d(-std::sin(theta), std::cos(theta)); };
  const Eigen::Vector2d lift = 0.5 * along(theta_1) - Eigen::Vector2d(std::sqrt(0.75), 0),
                        tilt = 0.5 * along(theta_1) + 0.25 * along(theta_2);
  Eigen::Matrix2d A;
  A << lift.normalized().dot(0.5 * across(theta_1)), 0, tilt.normalized().dot(0.5 * across(theta_1)),
      tilt.normalized().dot(0.25 * across(theta_2));
  const Eigen::Matrix2d W = A * M.inverse() * A.transpose();
  for (const char* example : {"crane_single", "crane_double"}) {
    const auto machine = load_example(example);
    const auto mechanism = make_mechanism_subsystem(machine);
    mechanism->restore(start_state(*machine));
    const Interface found = interface_of(*mechanism);
    const Eigen::Index ports = found.W.rows();
    EXPECT_LT((found.W - W.topLeftCorner(ports, ports)).norm(), 1e-12 * W.norm()) << example;
  }
}

TEST(InterfaceModel, HoldsAfterAStepOfEveryTreatment) {
  for (const Treatment& t : kTreatments)
    for (const Border& border : kBorders) {
      const auto machine = cut_at(load_example("four_bar", treatment(t)), border);
      const auto mechanism = make_mechanism_subsystem(machine);
      const StateVector start = start_state(*machine);
      mechanism->restore(start);
      mechanism->set_inputs(locked(*machine, start).data());
      for (int i = 0; i < 5; ++i) ASSERT_TRUE(mechanism->do_step(1e-3).ok());
      const Interface found = interface_of(*mechanism);
      // the accelerations of the step satisfy its equations to the tolerance of its iteration
      EXPECT_LT((found.acceleration - found.b - found.W * found.force).norm(), 1e-4) << t.constraints << " " << t.integrator;
    }
}

TEST(InterfaceModel, SaysWhereThereIsNone) {
  // the links aligned up to rounding: the loop hardly determines its coordinates
  const auto machine = load_example("four_bar");
  StateVector state = start_state(*machine);
  state.q()[0] = state.q()[2] = 0;
  state.q()[1] = 1e-7;
  const auto mechanism = make_mechanism_subsystem(machine);
  mechanism->restore(state);
  double W = 0, b = 0;
  EXPECT_FALSE(mechanism->interface_model(&W, &b));
}

}  // namespace
}  // namespace trunnion
