// Rigid limits of joints. Reference: the restitution that is asked for, the bounces of a point mass in closed form, the same machine in
// other coordinates, treatments and integrators.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "hydraulics/cylinder.h"
#include "linearise/linear_model.h"
#include "machine/equilibrium.h"
#include "machine/observe.h"
#include "machine/start.h"
#include "model/description_at.h"
#include "results/run_case.h"
#include "run/element_steps.h"
#include "solve/motion_rule.h"
#include "support/allocation_counter.h"
#include "support/linear_algebra.h"
#include "support/machines.h"

namespace trunnion {
namespace {

using test::channel_at;
using test::model_from;
using Settings = std::vector<std::string>;

constexpr double kSteps = 24, kStepsExplicit = 100;  // of a contact, as documented

const EndDamper& law_of(const CompiledModel& model) { return model.hydraulics.actuators.at(0).cylinder.damper; }
// ---------------------------------------------------------------- one strike

struct Strike {
  double after = 0;  // [-] speed over that before
  double depth = 0;  // [m]
};
/// A point mass on a slide meets its limit after `steps` steps.
Strike strike(double e, double speed, double mass, double h, double steps, Settings settings = {}, double duration = 600) {
  const double limit = speed * h * steps;
  settings.push_back(fmt::format("solver.step={:.17g}", h));
  const auto model = model_from(fmt::format(R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {{a: {{point_mass: {{mass: {:.17g}}}}}}}
joints: {{a: {{prismatic: {{parent: ground, axis: x}}, position: 0, speed: {:.17g}, limits: {{maximum: {:.17g}, rigid: true, restitution: {:.17g}}}}}}}
solver: {{step: 1 ms, duration: 1 s}}
)",
                                            mass, speed, limit, e),
                                settings);
  Runner run(model);
  Strike found;
  for (int i = 0; i < duration; ++i) {
    run.advance(h * (i + 1));
    found.depth = std::max(found.depth, run.state().q()[0] - limit);
  }
  found.after = -run.state().v()[0] / speed;
  return found;
}

TEST(RigidLimits, TheSpeedAfterAStrikeIsTheRestitutionAtEveryScale) {
  double worst = 0;
  for (const double e : {0.0, 0.05, 0.3, 0.5, 0.9})
    for (const double h : {1e-2, 1e-3, 1e-4})
      for (const double speed : {0.1, 1.0, 100.0})
        for (const double mass : {1e-3, 1.0, 1e3}) {
          const double phase = std::fmod(speed + mass + 0.37 * h * 1e4, 1.0);
          const Strike s = strike(e, speed, mass, h, 3 + phase);
          EXPECT_NEAR(s.after, e, 0.03) << "speed " << speed << " mass " << mass << " step " << h;
          EXPECT_LT(s.depth, speed * kSteps * h / std::numbers::pi * 1.01);
          if (e > 0) worst = std::max(worst, std::abs(s.after - e));
        }
  EXPECT_LT(worst, 0.01);
  EXPECT_GT(strike(0.4, 1, 1, 1e-3, 3).after, 0.33) << "a wrong restitution passes";
}

/// Its steps lengthen oscillations, which the limit takes back.
TEST(RigidLimits, EulerReturnsNoMoreThanOthers) {
  for (const double e : {0.3, 0.5, 0.9, 0.99})
    for (const double h : {1e-2, 1e-4}) {
      const Strike s = strike(e, 1, 2, h, 3.4, {"solver.constraints=double_step", "solver.integrator=euler"});
      EXPECT_NEAR(s.after, e, 0.01) << e << " " << h;
    }
}

TEST(RigidLimits, AnyMomentWithinAStepIsAlike) {
  for (const double e : {0.0, 0.1, 0.3, 0.9})
    for (int i = 0; i < 12; ++i) EXPECT_NEAR(strike(e, 1, 1, 1e-3, 3 + (i + 0.5) / 12).after, e, e > 0 ? 0.007 : 0.03) << e << " " << i;
}

TEST(RigidLimits, EveryIntegratorMeetsTheRestitution) {
  for (const char* integrator :
       {"trapezoidal", "bdf2", "generalized_alpha", "hht", "esdirk3", "rk4", "semi_implicit_euler", "cvode", "ida"})
    for (const double e : {0.0, 0.3, 0.9}) {
      const bool is_explicit = integrator == std::string("rk4") || integrator == std::string("semi_implicit_euler");
      const double n = is_explicit ? kStepsExplicit : kSteps;
      const Strike s = strike(e, 2, 5, 1e-3, 3.4,
                              {integrator == std::string("ida") ? "solver.constraints=baumgarte" : "solver.constraints=double_step",
                               std::string("solver.integrator=") + integrator},
                              50 * n);
      EXPECT_NEAR(s.after, e, integrator == std::string("bdf2") ? 0.045 : 0.03) << integrator;
      EXPECT_LT(s.depth, 2 * n * 1e-3 / std::numbers::pi * 1.01) << integrator;
    }
}

/// The law: e does not depend on the inertia, so a start far from the strike costs accuracy only.
TEST(RigidLimits, IsPassiveAtTenTimesAndATenthOfTheInertia) {
  const auto model = model_from(R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {a: {point_mass: {mass: 1}}, b: {point_mass: {mass: 1}}}
joints:
  a: {prismatic: {parent: ground, axis: x}, position: 0, speed: 1, limits: {maximum: 3.3 mm, rigid: true, restitution: 0.5}}
  b: {prismatic: {parent: a, axis: x}, position: 0, speed: -1}
solver: {step: 1 ms, duration: 1 s}
)");
  // body b hangs free on the slide of a and moves at rest in space: of the inertia 2 kg at the start only 1 kg strikes
  Runner run(model);
  run.advance(0.6);
  EXPECT_NEAR(run.state().v()[0], -0.5, 0.02);
  for (const double ratio : {0.1, 0.3, 3.0, 10.0})
    for (const double e : {0.0, 0.3, 0.9}) {
      CompiledModel other = *model_from(R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {a: {point_mass: {mass: 1}}}
joints: {a: {prismatic: {parent: ground, axis: x}, position: 0, speed: 1, limits: {maximum: 3.3 mm, rigid: true}}}
solver: {step: 1 ms, duration: 1 s}
)",
                                        {fmt::format("joints.a.limits.restitution={}", e)});
      EndDamper& law = other.hydraulics.actuators.at(0).cylinder.damper;
      law.stiffness /= ratio;
      law.damping /= ratio;
      Runner strike(std::make_shared<const CompiledModel>(other));
      strike.advance(3);
      const double after = -strike.state().v()[0];
      EXPECT_GE(after, 0) << ratio << " " << e;
      EXPECT_LT(after, e >= 0.3 ? e + 0.2 : 0.9) << ratio << " " << e;
    }
}

TEST(RigidLimits, ALimitPushesBetweenTwoSprings) {
  const EndDamper d{4e5, 3e4, 1, DamperLaw::continuous, true, 0.3};
  for (double x = 1e-4; x < 0.02; x *= 3)
    for (double v = -3; v <= 3; v += 0.05) {
      const double F = end_damper_force(d, 1 - x, -v);
      EXPECT_GE(F, 0.3 * 4e5 * x * (1 - 1e-12));
      EXPECT_LE(F, 4e5 * x / 0.3 * (1 + 1e-12));
      EXPECT_GE((F - 4e5 * x) * v, 0) << "energy from nowhere";
      const Dual<2> both = end_damper_force(d, Dual<2>(1 - x) + Dual<2>::variable(0, 0), Dual<2>::variable(-v, 1));
      const double step = 1e-9;
      EXPECT_NEAR(both.d[0], (end_damper_force(d, 1 - x + step, -v) - end_damper_force(d, 1 - x - step, -v)) / (2 * step), 1e3);
      EXPECT_NEAR(both.d[1], (end_damper_force(d, 1 - x, -v + step) - end_damper_force(d, 1 - x, -v - step)) / (2 * step), 1e2);
    }
  EXPECT_EQ(end_damper_force(d, 1.0, -1.0), 0);  // begins at zero at any speed
  EXPECT_EQ(end_damper_force(d, 1.1, -1.0), 0);
  EXPECT_LT(end_damper_force(d, 1 - 1e-9, -10.0), 2e-3);
}

// ---------------------------------------------------------------- under gravity

/// A mass 1 m above its limit.
std::string faller(double e, const std::string& settings) {
  return fmt::format(R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {{mass: {{point_mass: {{mass: 3}}}}}}
joints: {{mass: {{prismatic: {{parent: ground, axis: y}}, position: 1 m, limits: {{minimum: 0, rigid: true, restitution: {}}}}}}}
solver: {{{}}}
)",
                     e, settings);
}

/// Strike n at t_1 (1 + 2 e + ... + 2 e^(n-1)), the rise after it to e^(2 n) m.
TEST(RigidLimits, BouncesTendToThoseOfARigidStopInProportionToTheStep) {
  const double e = 0.6, t_1 = std::sqrt(2 / 9.81), third = t_1 * (1 + 2 * e + 2 * e * e);
  std::vector<double> time_error, height_error;
  for (const double h : {1e-3, 5e-4, 2.5e-4, 1.25e-4}) {
    const CaseResult result = run_case(model_from(faller(e, fmt::format("step: {}, duration: 1.5", h))));
    ASSERT_FALSE(result.failure);
    const Recording& r = result.recorder->recording();
    const auto &t = r.columns[static_cast<std::size_t>(r.find("time"))], &s = r.columns[static_cast<std::size_t>(r.find("mass.position"))];
    int strikes = 0;
    double top = 0, at = 0;
    for (std::size_t i = 1; i < s.size(); ++i) {
      if (s[i] < 0 && s[i - 1] >= 0 && ++strikes == 3) at = t[i - 1] + (t[i] - t[i - 1]) * s[i - 1] / (s[i - 1] - s[i]);
      if (strikes == 2) top = std::max(top, s[i]);
    }
    time_error.push_back(std::abs(at - third));
    height_error.push_back(std::abs(top - std::pow(e, 4)));
    EXPECT_LT(time_error.back(), 60 * h);
  }
  for (std::size_t i = 1; i < time_error.size(); ++i) EXPECT_NEAR(time_error[i - 1] / time_error[i], 2, 0.4) << i;
  EXPECT_LT(height_error.back(), height_error.front() / 3);
  EXPECT_LT(height_error.back(), 2e-3);
}

TEST(RigidLimits, ALoadRestsOnItWithoutDrift) {
  for (const double e : {0.0, 0.5})
    for (const char* settings : {"step: 1 ms, duration: 1 s", "step: 1 ms, duration: 1 s, constraints: double_step, integrator: rk4",
                                 "step: 1 ms, duration: 1 s, integrator: generalized_alpha"}) {
      const auto model = model_from(faller(e, settings));
      Runner run(model);
      run.advance(8);
      const double sag = 3 * 9.81 / law_of(*model).stiffness;
      EXPECT_NEAR(run.state().q()[0], -sag, 1e-6 * sag) << settings;
      const double before = run.state().q()[0];
      run.advance(20);
      EXPECT_NEAR(run.state().q()[0], before, 1e-9 * sag) << settings;
      EXPECT_NEAR(channel_at(model, run.state(), "mass.limit_force"), 3 * 9.81, 1e-6) << settings;
    }
  const auto model = model_from(faller(0.2, "step: 1 ms, duration: 1 s"));
  EXPECT_NEAR(law_of(*model).stiffness, 3 * std::pow(std::numbers::pi / (kSteps * 1e-3), 2), 1e-9 * law_of(*model).stiffness);
  const Equilibrium rest = solve_equilibrium(*model);
  EXPECT_NEAR(channel_at(model, rest.state, "mass.position"), -3 * 9.81 / law_of(*model).stiffness, 1e-9);
  EXPECT_TRUE(description_at(*model, rest.state).joints[0].second.elements[0].limits->rigid);
  EXPECT_FALSE(description_at(*model, rest.state).joints[0].second.elements[0].limits->stiffness);
}

TEST(RigidLimits, LosesTheEnergyThatIsBooked) {
  const auto result_at = [](const char* step) { return run_case(model_from(faller(0.5, fmt::format("step: {}, duration: 0.8", step)))); };
  const CaseResult coarse = result_at("1 ms"), fine = result_at("0.1 ms");
  for (const CaseResult* result : {&coarse, &fine}) {
    ASSERT_FALSE(result->failure);
    const Ledger& ledger = result->recorder->ledger();
    const double lost = 3 * 9.81 * (1 - std::pow(0.5, 2));
    EXPECT_NEAR(ledger.totals().damping, lost, (result == &fine ? 0.003 : 0.03) * lost);
    EXPECT_LT(ledger.closed_to_percent(), 1e-7);
    const Recording& r = result->recorder->recording();
    for (const double force : r.columns[static_cast<std::size_t>(r.find("mass.limit_force"))]) EXPECT_GE(force, 0);
    ASSERT_EQ(result->statistics.incidents.end_stops.size(), 1u);
    EXPECT_NEAR(result->statistics.incidents.end_stops[0].speed, std::sqrt(2 * 9.81), 0.04);
  }
}

// ---------------------------------------------------------------- the ledger

/// Largest residual of the energy balance over the energy transferred.
double open_share(const CaseResult& result) {
  EXPECT_FALSE(result.failure);
  EXPECT_FALSE(result.statistics.incidents.end_stops.empty()) << "nothing strikes";
  return result.recorder->ledger().closed_to_percent() / 100;
}

/// Two slides between limits, 60 steps apart at their speed, of which one moves on the other if `chain`.
std::string slides(double mass, double h, double e, double gravity, const std::string& more = "", bool chain = false) {
  const double speed = 0.7, way = 30.3 * speed * h;
  return fmt::format(R"(
trunnion: 1
gravity: [0, {}, 0]
bodies: {{a: {{point_mass: {{mass: {:.17g}}}}}, b: {{point_mass: {{mass: {:.17g}}}}}}}
joints:
  a: {{prismatic: {{parent: ground, axis: y}}, position: 0, speed: {}, limits: {{minimum: {:.17g}, maximum: {:.17g}, rigid: true, restitution: {}}}{}}}
  b: {{prismatic: {{parent: {}, axis: y}}, position: 0, speed: {}, limits: {{minimum: {:.17g}, maximum: {:.17g}, rigid: true, restitution: {}}}{}}}
solver: {{step: {:.17g}, duration: {:.17g}}}
)",
                     -gravity, mass, 3 * mass, speed, -way, way, e, more, chain ? "a" : "ground", -speed, -1.1 * way, 1.1 * way, e, more, h,
                     1000 * h);
}

TEST(RigidLimits, TheLedgerClosesAtEveryScale) {
  double worst = 0;
  for (const double e : {0.0, 0.3, 0.9, 0.999})
    for (const double h : {1e-2, 1e-3, 1e-4})
      for (const double mass : {1e-3, 1.0, 1e3})
        for (const bool chain : {false, true})
          worst =
              std::max(worst, open_share(run_case(model_from(slides(mass, h, e, 9.81, "", chain), {"solver.tolerance_position=1e-10"}))));
  EXPECT_LT(worst, 1e-9);
}

TEST(RigidLimits, TheLedgerClosesInEveryTreatmentAndCoordinates) {
  for (const char* constraints : {"penalty", "double_step", "baumgarte"})
    for (const char* coordinates : {"relative", "cartesian"})
      EXPECT_LT(open_share(run_case(model_from(slides(2, 1e-3, 0.3, 9.81, "", true), {std::string("solver.constraints=") + constraints,
                                                                                      std::string("solver.coordinates=") + coordinates}))),
                1e-9)
          << constraints << " " << coordinates;
}

/// By the impulses of each rule; gravity has a rest of the rule's own.
TEST(RigidLimits, TheLedgerClosesByTheRuleOfTheIntegrator) {
  for (const char* integrator : {"trapezoidal", "bdf2", "generalized_alpha", "hht", "semi_implicit_euler", "euler"})
    for (const double e : {0.0, 0.3, 0.9}) {
      const Settings settings{"solver.constraints=double_step", std::string("solver.integrator=") + integrator};
      EXPECT_LT(open_share(run_case(model_from(slides(2, 1e-3, e, 0), settings))), 1e-9) << integrator << " " << e;
    }
}

/// Where a force jumps the lags of the rule are kept; jumps divide steps.
TEST(RigidLimits, TheLedgerClosesAcrossJumpsAndStepsOfOtherLengths) {
  const char* const jumps = R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {a: {point_mass: {mass: 1}}}
joints: {a: {prismatic: {parent: ground, axis: x}, position: 0, speed: 1, limits: {minimum: -7 mm, maximum: 10.3 mm, rigid: true, restitution: 0.8}}}
forces: {f: {joint: a, load: 20, signal: u}}
signals: {u: {table: [[0, 0], [0.0173, 0], [0.0173, 1], [0.04037, 1], [0.04037, -1], [0.09, -1], [0.09, 0.5]]}}
solver: {step: 1 ms, duration: 0.1507 s}
)";
  for (const char* integrator : {"trapezoidal", "bdf2", "generalized_alpha", "hht"})
    EXPECT_LT(open_share(run_case(model_from(jumps, {std::string("solver.integrator=") + integrator}))), 1e-9) << integrator;
}

/// Friction of joints and dampers of springs act in a strike, too.
TEST(RigidLimits, TheLedgerClosesWithLoadsThatLastThroughAStrike) {
  const std::string springs =
      "springs: {s: {joint: a, stiffness: 500, damping: 3}, t: {between: [a, b], at: [[0, 0, 0], [1, 0, 0]], stiffness: 50, damping: 1}}\n";
  const std::string dry = ", friction: {model: coulomb_viscous, coulomb: 0.3, viscous: 2, stribeck_velocity: 0.02}",
                    bristles =
                        ", friction: {model: lugre, coulomb: 0.3, static: 0.4, stribeck_velocity: 0.02, bristle_stiffness: 1e4, "
                        "bristle_damping: 10}";
  for (const std::string& model : {slides(2, 1e-3, 0.8, 0, dry), slides(2, 1e-3, 0.8, 0, bristles), slides(2, 1e-3, 0.8, 0) + springs})
    for (const char* integrator : {"trapezoidal", "generalized_alpha"})
      EXPECT_LT(open_share(run_case(model_from(model, {std::string("solver.integrator=") + integrator}))), 1e-6) << integrator << model;
}

/// A strike lasts the same number of steps whatever their length: the integral of its power is no measure of the step.
TEST(RigidLimits, StrikesAreNoRuleErrors) {
  for (const double e : {0.0, 0.1, 0.9})
    for (const double h : {5e-3, 1e-3, 1e-4})
      for (const double mass : {2e-3, 2.0, 2e3})
        for (const bool chain : {false, true}) {
          const CaseResult result = run_case(model_from(slides(mass, h, e, 9.81, "", chain)));
          ASSERT_FALSE(result.failure);
          EXPECT_LT(result.recorder->ledger().energy_rule_error().value(), 0.05) << e << " " << h << " " << mass << " " << chain;
        }
}

/// Before and after strikes the rule error is that of the powers, in a machine with another, elastic part that the step hardly resolves.
TEST(RigidLimits, RuleErrorsAreFoundBesideStrikes) {
  const auto error = [](const char* limits, double step) {
    const CaseResult result = run_case(model_from(fmt::format(R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {{a: {{point_mass: {{mass: 1}}}}, b: {{point_mass: {{mass: 1}}}}}}
joints:
  a: {{prismatic: {{parent: ground, axis: x}}, speed: 10 m/s}}
  b: {{prismatic: {{parent: ground, axis: y}}{}}}
springs: {{s: {{joint: a, stiffness: 100, damping: 4}}}}
solver: {{step: {}, duration: 1 s, allow_open_balance: true}}
)",
                                                              limits, step)));
    EXPECT_FALSE(result.failure);
    return result.recorder->ledger().energy_rule_error().value();
  };
  const char* const strikes = ", position: 0.5 m, limits: {minimum: 0, rigid: true, restitution: 0.5}";
  const char* const rests = ", position: 0, limits: {minimum: 0, rigid: true, restitution: 0.5}";
  for (const double step : {0.1, 0.05}) {
    EXPECT_GT(error("", step), 1);
    EXPECT_GT(error(strikes, step), 0.5 * error("", step));
    EXPECT_GT(error(rests, step), 0.5 * error("", step));
  }
  EXPECT_LT(error(strikes, 1e-3), 0.05);
}

/// Machines without rigid limits have the powers alone.
TEST(RigidLimits, TheLedgerOfOtherMachinesHasNoImpulses) {
  const auto loads = [](const char* limits) {
    const auto model = model_from(fmt::format(R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {{a: {{point_mass: {{mass: 1}}}}}}
joints: {{a: {{prismatic: {{parent: ground, axis: x}}, position: 0, speed: 1, limits: {{maximum: 1 mm, {}}}}}}}
springs: {{s: {{joint: a, damping: 3}}}}
solver: {{step: 1 ms, duration: 1 s}}
)",
                                              limits));
    const auto observer = make_observer(model);
    observer->observe(start_state(*model), Side::right);
    return observer->impulse_loads().size();
  };
  EXPECT_EQ(loads("stiffness: 1e5, damping: 1e3, depth: 1 mm"), 0u);
  EXPECT_EQ(loads("rigid: true"), 2u);
}

/// A ledger with the weights of another rule, or with none, does not close.
TEST(RigidLimits, TheLedgerOfAnotherRuleStaysOpen) {
  const auto open = [](const char* integrator, const std::optional<ImpulseRule>& rule) {
    const auto model = model_from(slides(2, 1e-3, 0.5, 0), {std::string("solver.integrator=") + integrator});
    Runner run(model);
    const auto observer = make_observer(model);
    observer->observe(run.state(), Side::right);
    Ledger ledger;
    ledger.begin(*observer, 0, rule);
    for (int i = 0; i < 400; ++i) {
      run.step();
      const long before = test::allocations();
      observer->observe(run.state(), Side::left);
      ledger.step(*observer, run.state().time, {}, false);
      EXPECT_EQ(test::allocations(), before);
    }
    return ledger.closed_to_percent() / 100;
  };
  const auto rule_of = [](const char* integrator) {
    return impulse_rule_of(model_from(slides(2, 1e-3, 0.5, 0), {std::string("solver.integrator=") + integrator})->description);
  };
  for (const char* integrator : {"trapezoidal", "bdf2", "hht"}) EXPECT_LT(open(integrator, rule_of(integrator)), 1e-9) << integrator;
  EXPECT_GT(open("trapezoidal", {}), 1e-3);
  EXPECT_GT(open("trapezoidal", rule_of("bdf2")), 1e-3);
  EXPECT_GT(open("bdf2", rule_of("trapezoidal")), 1e-3);
  EXPECT_GT(open("hht", rule_of("trapezoidal")), 1e-4);
  EXPECT_FALSE(rule_of("esdirk3"));
  Description coupled = model_from(slides(2, 1e-3, 0.5, 0), {"solver.integrator=bdf2"})->description;
  EXPECT_GT(impulse_rule_of(coupled)->carried(1, 1), 0);
  coupled.solver.coupling = CouplingKind::cosimulation;
  EXPECT_GT(impulse_rule_of(coupled)->carried(1, 1), 0);
  coupled.coupling.mechanism_steps = 2;
  EXPECT_FALSE(impulse_rule_of(coupled));
  // Newton's method stops at a tolerance of the position: 1e-7 m in 0.1 ms are 0.001 of the speed
  const auto by_tolerance = [](const char* tolerance) {
    return open_share(run_case(model_from(slides(1, 1e-4, 0.3, 9.81, "", true), {std::string("solver.tolerance_position=") + tolerance})));
  };
  EXPECT_GT(by_tolerance("1e-7"), 1e-6);
  EXPECT_LT(by_tolerance("1e-9"), 1e-7);
}

/// Where the inertia changes in a strike, the discrete step conserves energy in proportion to the step.
TEST(RigidLimits, TheLedgerOfAChainClosesInProportionToTheStep) {
  const char* const chain = R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {a: {rod: {length: 1, mass: 10}}, b: {rod: {length: 1, mass: 10}}}
joints:
  a: {revolute: {parent: ground, axis: z}, angle: 60 deg, limits: {minimum: -20 deg, maximum: 100 deg, rigid: true, restitution: 0.3}}
  b: {revolute: {parent: a, at: [1, 0, 0], axis: z}, angle: -30 deg, limits: {minimum: -60 deg, maximum: 60 deg, rigid: true, restitution: 0.5}}
solver: {step: 1 ms, duration: 1 s}
)";
  const auto share = [&](const char* step) { return open_share(run_case(model_from(chain, {std::string("solver.step=") + step}))); };
  EXPECT_LT(share("1 ms"), 5e-5);
  EXPECT_LT(share("0.1 ms"), 5e-6);
}

/// At the stop the machine is a spring and a damper as fast as the step.
TEST(RigidLimits, ALinearModelAtTheStopIsThatOfItsSpringAndDamper) {
  const auto model = model_from(faller(0.3, "step: 1 ms, duration: 1 s"));
  const Equilibrium rest = solve_equilibrium(*model);
  const LinearModel linear = linearise(model, rest.state);
  const Eigen::VectorXcd poles = test::eigenvalues(linear.A);
  ASSERT_EQ(poles.size(), 2);
  const double w = std::numbers::pi / (kSteps * 1e-3), slow = std::max(poles[0].real(), poles[1].real()),
               fast = std::min(poles[0].real(), poles[1].real());
  EXPECT_NEAR(slow, -w * (4 - std::sqrt(15)), 1e-6 * w);
  EXPECT_NEAR(fast, -w * (4 + std::sqrt(15)), 1e-6 * w);
  EXPECT_TRUE(linear.warnings.empty()) << linear.warnings[0];
}

// ---------------------------------------------------------------- machines

/// Crank, coupler and rocker in a plane or on a fixed base in space; the pin that closes the loop strikes its limit.
std::string linkage(bool spatial, const char* limits) {
  const std::string axis = spatial ? "y" : "z", far = spatial ? "[1.2, 0, 0]" : "[1.2, 0, 0]", turn = spatial ? "[0, -1, 0]" : "[0, 0, 1]";
  return std::string("trunnion: 1\n") + (spatial ? "gravity: [0, 0, -9.81]\n" : "gravity: [0, -9.81, 0]\n") +
         "bodies:\n  crank: {rod: {length: 0.5, diameter: 0.05, mass: 4}}\n  coupler: {rod: {length: 1, diameter: 0.05, mass: 6}}\n"
         "  rocker: {rod: {length: 0.8, diameter: 0.05, mass: 8}}\njoints:\n  crank: {revolute: {parent: ground, axis: " +
         turn + "}, angle: 70 deg, rate: 4, hold: true}\n  coupler: {revolute: {parent: crank, at: [0.5, 0, 0], axis: " + turn +
         "}, angle: -60 deg}\n  rocker: {revolute: {parent: ground, at: " + far + ", axis: " + turn +
         "}, angle: 100 deg}\nloops: {pin: {revolute: {between: [coupler, rocker], at: [[1, 0, 0], [0.8, 0, 0]], axis: " + axis +
         "}, limits: " + limits + "}}\nsolver: {step: 0.2 ms, duration: 1 s}\n";
}
/// Angle and rate of the pin after its strike, and the deepest it went beyond a limit.
struct PinStrike {
  double angle = 0, rate = 0, deepest = -1;
};
PinStrike pin_strike(bool spatial, double sign, const Settings& settings) {
  const char* const limits = spatial ? "{minimum: -75 deg, maximum: 120 deg, rigid: true, restitution: 0.5}"
                                     : "{minimum: -120 deg, maximum: 75 deg, rigid: true, restitution: 0.5}";
  const auto model = model_from(linkage(spatial, limits), settings);
  Runner run(model);
  const auto observer = make_observer(model);
  PinStrike found;
  for (int i = 1; i <= 60; ++i) {
    run.advance(0.005 * i);
    found.deepest = std::max(found.deepest, sign * channel_at(model, run.state(), "pin.angle") - 75 * std::numbers::pi / 180);
  }
  found.angle = sign * channel_at(model, run.state(), "pin.angle");
  found.rate = sign * channel_at(model, run.state(), "pin.rate");
  return found;
}

TEST(RigidLimits, ALoopStrikesAlikeInEveryTreatmentAndCoordinates) {
  for (const bool spatial : {false, true}) {
    const double sign = spatial ? -1 : 1;
    const PinStrike exact = pin_strike(spatial, sign, {"solver.constraints=double_step", "solver.integrator=cvode"});
    EXPECT_GT(exact.deepest, 0);
    EXPECT_LT(exact.deepest, 0.03);
    EXPECT_LT(exact.rate, -1) << "it comes back";
    for (const Settings& c :
         {Settings{"solver.constraints=penalty"}, Settings{"solver.constraints=double_step"},
          Settings{"solver.constraints=double_step", "solver.coordinates=cartesian"},
          Settings{"solver.constraints=double_step", "solver.integrator=generalized_alpha"}, Settings{"solver.constraints=baumgarte"}}) {
      const PinStrike other = pin_strike(spatial, sign, c);
      EXPECT_NEAR(other.angle, exact.angle, 5e-3) << c[0];
      EXPECT_NEAR(other.rate, exact.rate, 0.1) << c[0];
    }
  }
}

TEST(RigidLimits, BelongToTheMechanismOfACoSimulation) {
  const std::string boom = R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {boom: {rod: {length: 2, mass: 100}}}
joints: {boom: {revolute: {parent: ground, axis: z}, angle: 20 deg, limits: {minimum: 5 deg, rigid: true, restitution: 0.2}}}
fluid: {density: 850 kg/m^3, bulk_modulus: 1500 MPa}
volumes: {a: {volume: 0.5 L, pressure: equilibrium}, b: {volume: 0.5 L, pressure: 2 MPa}}
sources: {pump: {pressure: 8 MPa}, tank: {pressure: 0.1 MPa}}
valves: {v: {directional_4_3: {P: pump, T: tank, A: a, B: b, flow: 40 L/min, at_pressure_drop: 35 bar, at_signal: 10}, signal: u}}
cylinders: {lift: {base: {body: ground, at: [0.6, -0.8, 0]}, rod_end: {body: boom, at: [1, 0, 0]}, A: a, B: b, bore: 50 mm, rod: 30 mm, chamber_length_A: 0.4, chamber_length_B: 0.4, viscous: 2000}}
signals: {u: {table: [[0, 0], [0.1, -8]], smooth: true}}
solver: {step: 0.5 ms, duration: 1.5 s}
)";
  const auto end_of = [&](const Settings& settings) {
    const auto model = model_from(boom, settings);
    Runner run(model);
    run.advance(1.5);
    EXPECT_GT(channel_at(model, run.state(), "boom.limit_torque"), 500);
    return channel_at(model, run.state(), "boom.angle");
  };
  const double exact = end_of({});
  EXPECT_LT(exact, 5 * std::numbers::pi / 180);
  for (const char* scheme : {"jacobi", "gauss_seidel", "sequential"})
    EXPECT_NEAR(end_of({"solver.coupling=cosimulation", std::string("coupling.scheme=") + scheme}), exact, 1e-4) << scheme;
}

/// In a co-simulation the step is that of the mechanism.
TEST(RigidLimits, FollowTheStepOfTheMechanism) {
  const char* const text = R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {boom: {rod: {length: 2, mass: 100}}}
joints: {boom: {revolute: {parent: ground, axis: z}, angle: 20 deg, limits: {minimum: 0, rigid: true}}}
solver: {step: 1 ms, duration: 1 s}
)";
  const double I = 100 * 4 / 3.0, k = I * std::pow(std::numbers::pi / (kSteps * 1e-3), 2);
  EXPECT_NEAR(law_of(*model_from(text)).stiffness, k, 2e-3 * k);
  EXPECT_NEAR(law_of(*model_from(text, {"solver.step=2 ms"})).stiffness, k / 4, 2e-3 * k);
  EXPECT_NEAR(law_of(*model_from(text, {"solver.constraints=double_step", "solver.integrator=rk4"})).stiffness,
              k * std::pow(kSteps / kStepsExplicit, 2), 2e-3 * k);
  const auto model = model_from(text);
  Runner run(model);
  run.advance(3);
  EXPECT_NEAR(channel_at(model, run.state(), "boom.angle"), -100 * 9.81 / law_of(*model).stiffness, 1e-6);
}

/// A start beyond the limit is thrown back; one that rests there is not.
TEST(RigidLimits, AStartBeyondIsReportedUnlessItRests) {
  const auto warnings = [](const std::string& angle) {
    const auto model = model_from(fmt::format(R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {{arm: {{mass: 2, center_of_mass: [0.5, 0, 0], inertia: [0.2, 0.2, 0.2]}}}}
joints: {{arm: {{revolute: {{parent: ground, axis: z}}, angle: {} rad, limits: {{minimum: -0.5 rad, rigid: true}}}}}}
solver: {{step: 1 ms, duration: 0.3 s}}
)",
                                              angle));
    return element_step_warnings(*model, start_state(*model));
  };
  ASSERT_EQ(warnings("-0.51").size(), 1u);
  EXPECT_NE(warnings("-0.51")[0].find("joints.arm: the start is 0.01 rad beyond a rigid limit"), std::string::npos) << warnings("-0.51")[0];
  EXPECT_EQ(warnings("-0.49"), std::vector<std::string>{});
  const double w = std::numbers::pi / (kSteps * 1e-3), rest = 2 * 9.81 * 0.5 * std::cos(0.5) / (0.7 * w * w);
  EXPECT_EQ(warnings(fmt::format("{:.17g}", -0.5 - rest)), std::vector<std::string>{});
}

/// Behind a gear restitution is that of all inertia that strikes.
TEST(RigidLimits, WhatCouplingsTieToTheCoordinateStrikes) {
  const auto returned = [](double ratio, double e, double h) {
    const auto model = model_from(fmt::format(R"(
trunnion: 1
bodies: {{a: {{mass: 1, inertia: [0.1, 0.1, 0.1]}}, b: {{mass: 1, inertia: [0.1, 0.1, 0.1]}}, c: {{point_mass: {{mass: 1}}}}}}
joints:
  a: {{revolute: {{parent: ground, axis: z}}, angle: -0.02, rate: 1, limits: {{maximum: 0, rigid: true, restitution: {1:.17g}}}}}
  b: {{revolute: {{parent: ground, at: [1, 0, 0], axis: z}}}}
  c: {{prismatic: {{parent: ground, axis: x}}}}
couplings: {{g: {{joints: [b, a], ratio: {0:.17g}}}}}
signals: {{s: {{sine: {{amplitude: 0.1, frequency: 1 Hz}}}}}}
motions: {{m: {{joint: c, signal: s}}}}
solver: {{step: {2:.17g}, duration: 0.3}}
)",
                                              ratio, e, h));
    Runner run(model);
    run.advance(0.3);
    return -channel_at(model, run.state(), "a.rate");
  };
  for (const double ratio : {1.0, -10.0, 30.0})
    for (const double h : {1e-3, 1e-4}) {
      EXPECT_NEAR(returned(ratio, 0, h), 0, 0.04) << ratio << " " << h;
      EXPECT_NEAR(returned(ratio, 0.3, h), 0.3, 0.01) << ratio << " " << h;
    }
}

}  // namespace
}  // namespace trunnion
