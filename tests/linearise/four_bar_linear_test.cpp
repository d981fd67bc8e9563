// The four-bar of the linearisation paper compared with an independent solution in one coordinate
// (tests/problems/four_bar_linear_reference.h): linear model, eigenvalues, and the nonlinear motion under the torque.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "machine/equilibrium.h"
#include "machine/start.h"
#include "problems/four_bar_linear_reference.h"
#include "problems/reference_table.h"
#include "run/run.h"
#include "spectra/response.h"
#include "spectra/spectrum.h"
#include "support/machines.h"

namespace trunnion {
namespace {

struct Scenario {
  double friction;
  const char* table;
  std::vector<std::string> set;

  std::shared_ptr<const CompiledModel> model(const std::string& step = "1 ms") const {
    std::vector<std::string> all = set;
    all.push_back("solver.step=" + step);
    return test::load_example("four_bar_linear", all);
  }
};

std::vector<std::string> friction(const char* coulomb, const char* static_force, const char* viscous) {
  return {std::string("cylinders.lift.friction.coulomb=") + coulomb, std::string("cylinders.lift.friction.static=") + static_force,
          std::string("cylinders.lift.friction.viscous=") + viscous};
}

class FourBarLinear : public ::testing::TestWithParam<Scenario> {};

TEST_P(FourBarLinear, EigenvaluesAreThoseOfTheReference) {
  const auto model = GetParam().model();
  const problems::FourBarLinear reference = problems::four_bar_linear_reference(GetParam().friction);
  for (const StateVector& state : {start_state(*model), equilibrium_state(*model)}) {
    const LinearModel linear = linearise(model, state);
    const Spectrum s = spectrum(linear.A, linear.states);
    ASSERT_EQ(s.eigenvalues.size(), 6u);
    for (std::size_t i = 0; i < 6; ++i)
      EXPECT_LE(std::abs(s.eigenvalues[i].value - reference.eigenvalues[i]), 1e-11 * std::abs(reference.eigenvalues[i])) << i;
    EXPECT_EQ(s.stability.text, "stable except for 2 null eigenvalues");
    for (const NullExplanation& why : explain_null(s, linear.A, linear.states)) EXPECT_EQ(why.kind, NullKind::trapped_oil);
  }
}

/// Its state may be another angle than the crank's, with a constant ratio at rest; all else is equal.
TEST_P(FourBarLinear, MatrixIsThatOfTheReference) {
  const auto model = GetParam().model();
  const LinearModel linear = linearise(model, start_state(*model));
  const auto& J = problems::four_bar_linear_reference(GetParam().friction).jacobian;
  ASSERT_EQ(linear.A.rows(), 6);
  Eigen::VectorXd ratio = Eigen::VectorXd::Ones(6);
  ratio[0] = ratio[1] = J(4, 1) / linear.A(4, 1);
  const Eigen::MatrixXd A = ratio.cwiseInverse().asDiagonal() * linear.A * ratio.asDiagonal();
  Eigen::VectorXd size(6);  // of a significant state
  size << 1, 1, 1e5, 1e5, 1e5, 1;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) {
      const double row = (J.row(i).transpose().cwiseAbs().cwiseProduct(size)).maxCoeff();
      EXPECT_NEAR(A(i, j), J(i, j), 1e-12 * std::abs(J(i, j)) + 1e-13 * row / size[j]) << i << j;
    }
  EXPECT_LT(linear.drift.cwiseQuotient(size).cwiseAbs().maxCoeff(), 1e-9);
}

struct Errors {
  double angle = 0, pressure = 0;
};

Errors compare(const Scenario& scenario, const std::string& step) {
  const problems::ReferenceTable table = problems::read_reference_table(scenario.table);
  Runner run(scenario.model(step));
  Errors e;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    run.advance(table.at(row, "time"));
    e.angle = std::max(e.angle, std::abs(run.state().q()[0] - table.at(row, "crank.angle")));
    for (int i = 0; i < 3; ++i)
      e.pressure = std::max(e.pressure, std::abs(run.state().y()[i] - table.at(row, "v" + std::to_string(i + 1) + ".pressure")));
  }
  return e;
}

TEST_P(FourBarLinear, MotionFollowsTheReferenceWithOrderTwo) {
  const bool overdamped = GetParam().friction == 1;
  const Errors coarse = compare(GetParam(), overdamped ? "0.5 ms" : "0.2 ms"),
               fine = compare(GetParam(), overdamped ? "0.25 ms" : "0.1 ms");
  EXPECT_LT(fine.angle, overdamped ? 1e-8 : 3e-7);  // of 4.5e-5 rad
  EXPECT_LT(fine.pressure, overdamped ? 20 : 500);
  EXPECT_NEAR(std::log2(coarse.angle / fine.angle), 2, 0.1);
  EXPECT_NEAR(std::log2(coarse.pressure / fine.pressure), 2, 0.1);
}

/// The paper's further coordinates, length and direction of the cylinder, are outputs: s = sqrt(3) m, alpha = 30 deg at the crank's 60 deg.
TEST(FourBarLinearOutputs, LengthAndDirectionOfTheCylinderAreNoStates) {
  const auto model = test::load_example("four_bar_linear");
  LinearOptions options;
  options.outputs = {"crank.angle", "lift.length", "lift.angle"};
  const LinearModel linear = linearise(model, start_state(*model), options);
  EXPECT_NEAR(linear.outputs[1].reference, std::sqrt(3), 1e-12);
  EXPECT_NEAR(linear.outputs[2].reference, M_PI / 6, 1e-12);
  // of the triangle with sides 1, 1 and s: s^2 = 2 + 2 cos(phi), alpha = phi / 2
  EXPECT_NEAR(linear.C(1, 0) / linear.C(0, 0), -std::sin(M_PI / 3) / std::sqrt(3), 1e-12);
  EXPECT_NEAR(linear.C(2, 0) / linear.C(0, 0), 0.5, 1e-12);
}

/// Largest difference [rad] of the crank angles of nonlinear and linear motion from 1.5 s on, for `pulse` times the torque; the linear
/// one starts at the nonlinear state (94).
double nonlinear_part(double pulse) {
  std::vector<std::string> set = friction("2.1", "8.3", "3.3");
  for (const char* more :
       {"solver.constraints=double_step", "solver.integrator=cvode", "solver.reference_tolerance=1e-12", "solver.step=10 ms"})
    set.emplace_back(more);
  set.push_back(fmt::format("forces.pulse.torque=[0, 0, {:.17g}]", pulse));
  const auto model = test::load_example("four_bar_linear", set);
  const StateVector rest = start_state(*model);
  LinearOptions options;
  options.outputs = {"crank.angle"};
  const LinearModel linear = linearise(model, rest, options);
  Runner run(model);
  run.advance(1.5);
  LinearResponse response(linear);
  response.start(linear_state(*model, linear, rest, run.state()));
  const Eigen::VectorXd u = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(linear.inputs.size()));
  double largest = 0;
  for (int k = 1; k <= 150; ++k) {
    run.advance(1.5 + 0.01 * k);
    response.step(0.01, u, u);
    largest = std::max(largest, std::abs(run.state().q()[0] - response.outputs(u)[0]));
  }
  return largest;
}

/// The error of the linear model is of second order in the disturbance.
TEST(FourBarLinearResponse, DiffersFromTheNonlinearOneInSecondOrder) {
  double before = nonlinear_part(1);
  EXPECT_LT(before, 1e-5);  // of 4.5e-5 rad
  for (double pulse : {0.5, 0.25, 0.125}) {
    const double after = nonlinear_part(pulse);
    EXPECT_GT(after, 1e-12) << pulse;  // above the error of the integration
    EXPECT_GT(before / after, 3.5) << pulse;
    before = after;
  }
}

INSTANTIATE_TEST_SUITE_P(Scenarios, FourBarLinear,
                         ::testing::Values(Scenario{1, "four_bar_linear", {}},
                                           Scenario{0.1, "four_bar_linear_tenth", friction("21", "83", "33")},
                                           Scenario{0.01, "four_bar_linear_hundredth", friction("2.1", "8.3", "3.3")}),
                         [](const auto& parameter) { return std::string(parameter.param.table); });

}  // namespace
}  // namespace trunnion
