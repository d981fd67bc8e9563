// The default treatment of constraints is invariant to mass, length, step and penalty factor of the machine.
// Reference: a machine whose masses are multiplied by m and lengths by L moves as the original does with times multiplied by L^0.5, under
// the same gravity. Small samples; tools/scale.py measures more (docs/validation.md, section Scale).
//
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "machine/start.h"
#include "mechanics/penalty_factors.h"
#include "results/run_case.h"
#include "run/run.h"
#include "support/machines.h"

namespace trunnion {
namespace {

constexpr double kGravity = 9.81;

/// A slider-crank under its own weight: crank L, rod 2 L, members of mass m, n steps per (L/g)^0.5 for `units` of that time.
std::string slider_crank(double m, double L, int n, double units, const std::string& solver = "") {
  const double unit = std::sqrt(L / kGravity);
  return fmt::format(R"(
trunnion: 1
gravity: [0, -{g:.17g}, 0]
bodies: {{a: {{rod: {{length: {L:.17g}, mass: {m:.17g}}}}}, b: {{rod: {{length: {L2:.17g}, mass: {m:.17g}}}}}, s: {{point_mass: {{mass: {m:.17g}}}}}}}
joints:
  a: {{revolute: {{parent: ground}}, angle: 1, hold: true}}
  b: {{revolute: {{parent: a, at: [{L:.17g}, 0, 0]}}}}
  s: {{prismatic: {{parent: ground, axis: x}}}}
loops: {{l: {{revolute: {{between: [b, s], at: [[{L2:.17g}, 0, 0], [0, 0, 0]]}}}}}}
solver: {{step: {h:.17g}, duration: {T:.17g}{solver}}}
)",
                     fmt::arg("g", kGravity), fmt::arg("L", L), fmt::arg("L2", 2 * L), fmt::arg("m", m), fmt::arg("h", unit / n),
                     fmt::arg("T", units * unit), fmt::arg("solver", solver));
}

struct End {
  double angle = 0, penalty = 0;  // of the crank; [N/m]
  int iterations = 0;             // maximum in a step
  bool limited = false;
};
End run_to_end_of(const std::string& text) {
  const auto model = test::model_from(text);
  Runner run(model);
  run.advance(model->description.solver.duration);
  return {run.state().q()[0], run.statistics().penalty, run.statistics().max_iterations, run.statistics().penalty_limited};
}

constexpr double kUnits = 4;

double slider_crank_truth() {
  static const double angle = [] {
    const double fine = run_to_end_of(slider_crank(1, 1, 6400, kUnits, ", constraints: double_step")).angle,
                 coarse = run_to_end_of(slider_crank(1, 1, 3200, kUnits, ", constraints: double_step")).angle;
    return fine + (fine - coarse) / 3;
  }();
  return angle;
}

TEST(Scale, ErrorOfTheDefaultIsThatOfDoubleStepAndTheSameForAllMassesAndLengths) {
  for (const int n : {64, 320}) {
    const double error = run_to_end_of(slider_crank(1, 1, n, kUnits)).angle - slider_crank_truth(),
                 other = run_to_end_of(slider_crank(1, 1, n, kUnits, ", constraints: double_step")).angle - slider_crank_truth();
    EXPECT_LT(std::abs(error), 1.2 * std::abs(other)) << n;
    EXPECT_GT(std::abs(error), 1e-9) << n;
    for (const double m : {1e-6, 1e-3, 1e6})
      for (const double L : {0.01, 1.0, 100.0})
        for (const char* treatment : {"", ", constraints: double_step"}) {
          const double scaled = run_to_end_of(slider_crank(m, L, n, kUnits, treatment)).angle - slider_crank_truth();
          const double expected = *treatment != '\0' ? other : error;
          EXPECT_NEAR(scaled, expected, 0.01 * std::abs(expected)) << n << " steps, " << m << " kg, " << L << " m" << treatment;
        }
  }
}

/// Two slider-cranks side by side that have nothing to do with each other, the first of 1 cm and 1 mg.
std::string beside(double m, double L) {
  const auto parts = [](const char* name, double x, double mass, double length) {
    return std::array<std::string, 3>{
        fmt::format("  a{0}: {{rod: {{length: {2}, mass: {1}}}}}\n  b{0}: {{rod: {{length: {3}, mass: {1}}}}}\n  s{0}: {{point_mass: "
                    "{{mass: {1}}}}}\n",
                    name, mass, length, 2 * length),
        fmt::format("  a{0}: {{revolute: {{parent: ground, at: [{1}, 0, 0]}}, angle: 1, hold: true}}\n"
                    "  b{0}: {{revolute: {{parent: a{0}, at: [{2}, 0, 0]}}}}\n  s{0}: {{prismatic: {{parent: ground, at: [{1}, 0, 0], "
                    "axis: x}}}}\n",
                    name, x, length),
        fmt::format("  l{0}: {{revolute: {{between: [b{0}, s{0}], at: [[{1}, 0, 0], [0, 0, 0]]}}}}\n", name, 2 * length)};
  };
  const auto tiny = parts("1", 0, 1e-6, 0.01), other = m > 0 ? parts("2", 5, m, L) : std::array<std::string, 3>{};
  return "trunnion: 1\ngravity: [0, -9.81, 0]\nbodies:\n" + tiny[0] + other[0] + "joints:\n" + tiny[1] + other[1] + "loops:\n" + tiny[2] +
         other[2] + "solver: {step: 0.2 ms, duration: 0.2 s}\n";
}

TEST(Scale, MachinesSideBySideDoNotMeet) {
  const double alone = run_to_end_of(beside(0, 1)).angle;
  for (const double m : {1e-9, 1.0, 1e6})
    for (const double L : {0.1, 30.0}) EXPECT_NEAR(run_to_end_of(beside(m, L)).angle, alone, 1e-5) << m << " kg, " << L << " m";
}

/// A body without mass that a motion moves meets nothing that would give a penalty factor its size.
TEST(Scale, AMotionMovesABodyWithoutMassBesideOthers) {
  const auto model = test::model_from(R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {frame: {mass: 0, inertia: [0, 0, 0]}, rod: {rod: {length: 1, mass: 2}}}
joints: {frame: {revolute: {parent: ground}}, rod: {revolute: {parent: ground, at: [3, 0, 0]}}}
motions: {turn: {joint: frame, signal: way}}
signals: {way: {sine: {amplitude: 0.5, frequency: 1 Hz}}}
solver: {step: 1 ms, duration: 0.3 s}
)");
  Runner run(model);
  run.advance(0.3);
  EXPECT_NEAR(run.state().q()[0], 0.5 * std::sin(0.6 * std::numbers::pi), 1e-12);
}

TEST(Scale, PenaltyFactorHasNoInfluenceOnTheMotion) {
  for (const double m : {1e-6, 1e6})
    for (const int n : {64, 640}) {
      const End automatic = run_to_end_of(slider_crank(m, 1, n, kUnits));
      const double error = std::abs(automatic.angle - slider_crank_truth());
      ASSERT_GT(automatic.penalty, 0);
      for (const double factor : {1e-4, 1e-2, 1e2, 1e4}) {
        const End given = run_to_end_of(slider_crank(m, 1, n, kUnits, fmt::format(", penalty: {:.17g}", factor * automatic.penalty)));
        EXPECT_NEAR(given.angle, automatic.angle, 0.05 * error) << m << " kg, " << n << " steps, penalty times " << factor;
        EXPECT_EQ(given.limited, factor > 10) << factor;
      }
    }
}

TEST(Scale, HeavyMembersAndTinyStepsConverge) {
  const double unit = std::sqrt(1 / kGravity);
  for (const double m : {1e-6, 1.0, 1e6}) {
    const int n = static_cast<int>(unit / 1e-7);
    const End end = run_to_end_of(slider_crank(m, 1, n, 1000.0 / n));
    EXPECT_LE(end.iterations, 2) << m;
    // falls from rest: within 1e-4 s by about 1e-8 rad
    EXPECT_NEAR(end.angle, 1, 1e-7) << m;
  }
}

TEST(Scale, PenaltyBeyondItsLimitsIsLimitedWithAWarning) {
  const std::string frozen = slider_crank(1, 1, 100, 1, ", penalty: 1e300"), free = slider_crank(1, 1, 100, 1);
  const CaseResult result = run_case(test::model_from(frozen));
  ASSERT_FALSE(result.failure);
  ASSERT_EQ(result.warnings.size(), 1u);
  EXPECT_NE(result.warnings[0].find("solver.penalty: 1e+300"), std::string::npos) << result.warnings[0];
  EXPECT_NE(result.warnings[0].find("auto"), std::string::npos) << result.warnings[0];
  EXPECT_NEAR(run_to_end_of(frozen).angle, run_to_end_of(free).angle, 1e-8);
  EXPECT_GT(std::abs(run_to_end_of(free).angle - 1), 0.1);  // it moves
  EXPECT_TRUE(run_case(test::model_from(free)).warnings.empty());
}

/// Four-bar whose loop has coordinates of very different inertia.
TEST(Scale, FactorsFollowWhatAConstraintMeets) {
  const auto model = test::model_from(slider_crank(1, 1, 64, 1));
  const auto& m = std::get<Mechanism<2>>(model->mechanism);
  MechanismState<2> state(m);
  update_positions<2, double>(m, model->q_start.data(), nullptr, state);
  std::vector<double> K{4, 2, 8}, c(m.rows);
  const std::vector<double> compliance{0.25, 0.5, 0.125};
  row_compliances(m, compliance.data(), state, c.data());
  double largest = 0;
  for (int i = 0; i < m.rows; ++i) {
    double expected = 0;
    const ConstraintGroup<2>& g = m.constraints[0];
    for (int k = 0; k < g.path.size(); ++k) {
      const double J = state.jacobian[g.jacobian + i * g.path.size() + k];
      expected += J * J / K[m.paths[g.path.begin + k].dof];
    }
    EXPECT_NEAR(c[i], expected, 1e-14 * expected);
    largest = std::max(largest, expected);
  }
  PenaltyFactors<2> automatic(m), given(m, 3.0), huge(m, 1e300);
  for (PenaltyFactors<2>* factors : {&automatic, &given, &huge}) factors->set(state, K.data());
  EXPECT_NEAR(automatic[0] * largest, PenaltyFactors<2>::kRatio, 1e-6);
  EXPECT_EQ(automatic[0], automatic[1]);
  EXPECT_TRUE(given.limited());  // 3 is below a hundred times the stiffness
  EXPECT_NEAR(given.ratio(), PenaltyFactors<2>::kSmallestRatio, 1e-9);
  EXPECT_NEAR(huge.ratio(), PenaltyFactors<2>::kLargestRatio, 1);
  EXPECT_FALSE(automatic.limited());
  std::vector<double> none{0, 0, 8};  // massless members
  automatic.set(state, none.data());
  EXPECT_TRUE(std::isfinite(automatic[0]));
  EXPECT_GT(automatic[0], 0);
}

/// Whether the energy ledger closes with a motion that does work: over whole periods the table's kinetic energy returns.
TEST(Scale, WorkOfAMotionOverWholePeriodsIsZero) {
  const char* table = R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {table: {mass: 1000, inertia: [1, 1, 1]}}
joints: {table: {prismatic: {parent: ground, axis: x}}}
motions: {shake: {joint: table, signal: s}}
signals: {s: {sine: {amplitude: 10 mm, frequency: 2 Hz}}}
)";
  for (const char* step : {"5 ms", "1 ms"}) {
    const CaseResult result = run_case(test::model_from(std::string(table) + "solver: {step: " + step + ", duration: 5 s}"));
    ASSERT_FALSE(result.failure);
    const std::vector<std::pair<std::string, double>> last = result.recorder->last_values();
    const auto external = std::find_if(last.begin(), last.end(), [](const auto& x) { return x.first == "energy.external"; });
    ASSERT_NE(external, last.end());
    EXPECT_NEAR(external->second, 0, 1e-6) << step;  // of 7.9 J; multipliers of the unprojected accelerations gave 10 and 2 J
  }
}

/// Multipliers of a prescribed motion belong to the accelerations at the same instant.
TEST(Scale, MultipliersOfAPrescribedMotionAreOfSecondOrder) {
  const auto error = [](const std::string& step) {
    const auto model = test::model_from(R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {a: {rod: {length: 1, mass: 2}}, b: {rod: {length: 0.7, mass: 1.5}}}
joints: {a: {revolute: {parent: ground}, angle: 0.3}, b: {revolute: {parent: a, at: [1, 0, 0]}, angle: -0.8, rate: 1}}
motions: {drive: {joint: a, signal: s}}
signals: {s: {sine: {amplitude: 0.5, frequency: 1.5 Hz, offset: 0.3}}}
solver: {duration: 0.4, step: )" + step +
                                        "}");
    Runner run(model);
    run.advance(0.4);
    StateVector truth = run.state();  // the equations themselves, at the same positions and velocities
    make_consistent(*model, truth);
    return std::abs(run.state().multipliers()[0] - truth.multipliers()[0]) / std::abs(truth.multipliers()[0]);
  };
  const double coarse = error("2 ms"), fine = error("1 ms");
  EXPECT_LT(coarse, 1e-4);
  EXPECT_LT(fine, coarse / 3.5);
}

/// A slider-crank moved to and fro at its crank against a spring and a damper: double-step is exact but for the quadrature of powers.
std::string driven_slider_crank(const std::string& solver) {
  return R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {a: {rod: {length: 1, mass: 3}}, b: {rod: {length: 2, mass: 5}}, s: {point_mass: {mass: 2}}}
joints:
  a: {revolute: {parent: ground}, angle: 1}
  b: {revolute: {parent: a, at: [1, 0, 0]}, angle: -1.43}
  s: {prismatic: {parent: ground, axis: x}, position: 2.35}
loops: {l: {revolute: {between: [b, s], at: [[2, 0, 0], [0, 0, 0]]}}}
motions: {drive: {joint: a, signal: to_and_fro}}
springs: {recoil: {joint: s, stiffness: 200, damping: 5, rest: 2}}
signals: {to_and_fro: {sine: {amplitude: 0.8, frequency: 1 Hz, offset: 1}}}
solver: {duration: 0.7, )" +
         solver + "}";
}

double last_value(const CaseResult& result, const std::string& channel) {
  for (const auto& [name, value] : result.recorder->last_values())
    if (name == channel) return value;
  ADD_FAILURE() << channel;
  return 0;
}

/// Positions follow the velocities to fourth order in the constraints' directions; by the rule alone velocities keep a violation of
/// h^2/12 J d2v/dt2, 2.4e-5 m/s at 1 ms, and the work of the damper has 7 times the error of double-step.
TEST(Scale, VelocitiesOfBaumgarteHoldInMachinesDrivenByMotions) {
  const auto damped = [](const std::string& solver) {
    const CaseResult result = run_case(test::model_from(driven_slider_crank(solver)));
    EXPECT_FALSE(result.failure) << solver;
    return last_value(result, "energy.damping");
  };
  const double truth = damped("step: 0.1 ms, constraints: double_step");
  for (const char* step : {"step: 2 ms", "step: 1 ms"}) {
    const double error = damped(std::string(step) + ", constraints: baumgarte") - truth,
                 other = damped(std::string(step) + ", constraints: double_step") - truth;
    EXPECT_GT(std::abs(other), 1e-7) << step;
    EXPECT_LT(std::abs(error), 1.5 * std::abs(other)) << step;
  }
  double violation[2];
  for (int k : {0, 1}) {
    Runner run(test::model_from(driven_slider_crank(k == 0 ? "step: 2 ms, constraints: baumgarte" : "step: 1 ms, constraints: baumgarte")));
    run.advance(0.7);
    violation[k] = run.statistics().max_velocity_violation;
  }
  EXPECT_LT(violation[1], 6e-6);
  EXPECT_NEAR(std::log2(violation[0] / violation[1]), 2, 0.1);
}

/// The increment of a spherical joint is a rotation vector: what its rate has more than the angular velocity is of the same order.
TEST(Scale, VelocitiesOfBaumgarteHoldWithSphericalJoints) {
  const auto violation = [](const std::string& step, const std::string& tangent) {
    Runner run(
        test::load_example("spatial_slider_crank", {"solver.constraints=baumgarte", "solver.step=" + step, "solver.tangent=" + tangent}));
    run.advance(1);
    return run.statistics().max_velocity_violation;
  };
  const double coarse = violation("2 ms", "exact"), fine = violation("1 ms", "exact");
  EXPECT_LT(fine, 2.5e-6);  // 1.2e-5 by the rule alone, 3.8e-6 without the commutator
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1);
  EXPECT_NEAR(violation("1 ms", "forward_difference"), fine, 0.01 * fine);
}

/// Constants far beyond the step: there positions follow velocities by the rule, which is stable for all.
TEST(Scale, StrongStabilisationIsStable) {
  const auto end = [](const std::string& constants) {
    Runner run(
        test::load_example("spatial_slider_crank", {"solver.constraints=baumgarte", "solver.step=5 ms", "solver.baumgarte=" + constants}));
    run.advance(2);
    EXPECT_LT(run.statistics().max_violation, 1e-5) << constants;
    return run.state().q()[0];
  };
  const double moderate = end("[50, 50]");
  for (const char* constants : {"[350, 350]", "[800, 800]", "[2000, 2000]", "[1e5, 1e5]"})
    EXPECT_NEAR(end(constants), moderate, 2e-3) << constants;
}

/// A loop of any size closes in assembly, from default start values.
TEST(Scale, AssemblyClosesLoopsOfAnySize) {
  for (const double L : {1e-4, 0.01, 1.0, 20.0, 100.0, 1e4}) {
    const auto model = test::model_from(slider_crank(1, L, 64, 1));
    const double slide = L * (std::cos(1.0) + std::sqrt(4 - std::sin(1.0) * std::sin(1.0)));
    EXPECT_NEAR(model->q_start[2], slide, 1e-12 * std::max(L, 1.0)) << L;
    EXPECT_TRUE(model->moved_starts.empty()) << L;
  }
}

TEST(Scale, AssemblyNamesTheGivenValuesThatItMoves) {
  const std::string text = slider_crank(1, 1, 64, 1);
  const auto with = [&](const std::string& b) {
    std::string changed = text;
    const std::string from = "parent: a, at: [1, 0, 0]}";
    changed.replace(changed.find(from), from.size(), from + ", angle: " + b);
    return test::model_from(changed)->moved_starts;
  };
  const double exact = -1 - std::asin(std::sin(1.0) / 2);
  EXPECT_TRUE(with(fmt::format("{:.17g}", exact)).empty());
  EXPECT_TRUE(with(fmt::format("{:.4f}", exact)).empty());  // as typically written
  const std::vector<MovedStart> moved = with("-1.3");
  ASSERT_EQ(moved.size(), 1u);
  EXPECT_EQ(moved[0].name, "b.angle");
  EXPECT_NEAR(moved[0].change, exact + 1.3, 1e-12);
}

/// Crank angle and a multiplier of the slider-crank at the end, with a penalty of `ratio` times a member's stiffness 4 m/h^2.
std::array<double, 2> end_with(const char* multipliers, int n, double ratio) {
  constexpr double kMass = 2;
  const double h = std::sqrt(1 / kGravity) / n;
  const auto model = test::model_from(
      slider_crank(kMass, 1, n, 3, fmt::format(", multipliers: {}, penalty: {:.17g}", multipliers, ratio * 4 / (h * h) * kMass)));
  Runner run(model);
  run.advance(model->description.solver.duration);
  return {run.state().q()[0], run.state().multipliers()[0]};
}

/// The iteration of the papers, for comparison. It does not converge where the penalty is below the stiffness at the constraint, and brings rounding of
/// the positions times the penalty into the multipliers where it is far above.
TEST(Scale, PlainMultipliersDependOnThePenalty) {
  const auto refined = end_with("refined", 300, 1e4), plain = end_with("plain", 300, 1e4);
  EXPECT_NEAR(plain[0], refined[0], 1e-7);  // without the mean directions of the velocity projection
  EXPECT_NEAR(end_with("refined", 300, 1e-2)[0], refined[0], 1e-6);
  EXPECT_THROW(end_with("plain", 300, 1e-2), SimulationError);
  EXPECT_NEAR(end_with("refined", 300, 1e9)[1], refined[1], 1e-4 * std::abs(refined[1]));
  EXPECT_GT(std::abs(end_with("plain", 300, 1e9)[1] - plain[1]), 1e-2 * std::abs(plain[1]));
}

/// They belong to the accelerations before their projection: first order (docs/theory.md, section 7).
TEST(Scale, PlainMultipliersAreOfFirstOrder) {
  const double exact = end_with("refined", 3200, 1e4)[1];
  const auto error = [&](const char* multipliers, int n) { return std::abs(end_with(multipliers, n, 1e4)[1] - exact); };
  EXPECT_NEAR(error("plain", 200) / error("plain", 400), 2, 0.2);
  EXPECT_NEAR(error("refined", 200) / error("refined", 400), 4, 0.5);
  EXPECT_GT(error("plain", 400), 20 * error("refined", 400));
}

}  // namespace
}  // namespace trunnion
