// Runs of machines on quasistatic circuits: the arms of the source compared with independent solutions (tests/data,
// tests/problems/arm_reference.h), orders of the integrators, balances, rotary actuators, bleed, elements, rejected commands.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "machine/observe.h"
#include "machine/start.h"
#include "problems/arm_reference.h"
#include "problems/quasistatic_reference.h"
#include "problems/reference_table.h"
#include "results/run_case.h"
#include "support/allocation_counter.h"
#include "support/channels.h"
#include "support/machines.h"

namespace trunnion {
namespace {

using problems::read_reference_table;
using problems::ReferenceTable;
using test::Channels;
using test::load_example;
using test::model_from;
using test::watch;
using Settings = std::vector<std::string>;

constexpr double kAreaA = 0.024, kAreaB = 0.012, kStiffness = 5e7;  // [m2], [N/m] of the arms
constexpr double kForce = kAreaA * 42e6 + kAreaB * 40e6;            // [N] F_hM + F_rM
constexpr double kFlow = 500 / 6e4;                                 // [m3/s]

Settings with(Settings set, const std::vector<std::string>& more) {
  set.insert(set.end(), more.begin(), more.end());
  return set;
}

struct Errors {
  double angle = 0, piston = 0, force = 0, pressure = 0;  // [rad], [m], [N], [Pa]
};

/// Largest errors of a run between two times, where the table has rows.
Errors errors_of(const std::shared_ptr<const CompiledModel>& model, const std::string& table_name, double end, double begin = 0) {
  const ReferenceTable table = read_reference_table(table_name);
  Runner run(model);
  Channels at(model);
  Errors e;
  for (std::size_t row = 0; row < table.rows.size() && table.at(row, "time") < end + 1e-9; ++row) {
    run.advance(table.at(row, "time"));
    if (run.state().time < begin - 1e-9) continue;
    at.read(run.state());
    for (const std::string& column : table.columns) {
      if (column == "time") continue;
      double& error = column.ends_with("angle")      ? e.angle
                      : column.ends_with("piston")   ? e.piston
                      : column.ends_with("force")    ? e.force
                      : column.ends_with("pressure") ? e.pressure
                                                     : e.angle;
      if (!column.ends_with("rate")) error = std::max(error, std::abs(at[column] - table.at(row, column)));
    }
  }
  return e;
}

struct Way {
  const char *constraints, *integrator, *form;
  double order;
  const char* step;
};
void PrintTo(const Way& way, std::ostream* out) { *out << way.constraints << " " << way.integrator << " " << way.form; }
Settings settings(const Way& way, const std::string& step) {
  return {std::string("solver.constraints=") + way.constraints, std::string("solver.integrator=") + way.integrator,
          std::string("quasistatic.circuit.form=") + way.form, "solver.step=" + step};
}

// ---------------------------------------------------------------- the arms against their references

class QuasistaticArm : public ::testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(
    Ways, QuasistaticArm,
    ::testing::Values(Way{"penalty", "trapezoidal", "differential", 2, "2"}, Way{"double_step", "trapezoidal", "differential", 2, "2"},
                      Way{"baumgarte", "trapezoidal", "differential", 2, "2"},
                      Way{"double_step", "semi_implicit_euler", "differential", 1, "0.5"},
                      Way{"double_step", "euler", "differential", 1, "0.5"}, Way{"ali1", "euler", "differential", 1, "0.5"},
                      Way{"penalty", "trapezoidal", "discrete", 1, "0.5"}, Way{"double_step", "trapezoidal", "discrete", 1, "0.5"},
                      Way{"double_step", "semi_implicit_euler", "discrete", 1, "0.5"}, Way{"double_step", "euler", "discrete", 1, "0.5"},
                      Way{"double_step", "rk4", "discrete", 1, "0.5"}));

TEST_P(QuasistaticArm, FollowsTheReferenceWithItsOrder) {
  const Way& way = GetParam();
  const double step = std::stod(way.step);
  const auto error = [&](double h) {
    return errors_of(load_example("arm_regeneration", settings(way, std::to_string(h) + " ms")), "arm_regeneration", 3).angle;
  };
  const double coarse = error(step), fine = error(step / 4);
  EXPECT_NEAR(std::log(coarse / fine) / std::log(4), way.order, 0.3) << coarse << " " << fine;
}

TEST(QuasistaticArmOrder, ErrorsOfBothEulerRulesAreAlike) {
  const auto error = [](const char* integrator) {
    const Way way{"double_step", integrator, "differential", 1, ""};
    return errors_of(load_example("arm_regeneration", settings(way, "0.5 ms")), "arm_regeneration", 3);
  };
  const Errors semi = error("semi_implicit_euler"), euler = error("euler");
  EXPECT_LT(semi.angle, 2 * euler.angle) << semi.angle << " " << euler.angle;
  EXPECT_LT(semi.piston, 2 * euler.piston) << semi.piston << " " << euler.piston;
}

/// Angle at 1.6 s from one state at 0.8 s, by steps of h, h/2, h/4: the valves are open and no relief opens or closes.
TEST(QuasistaticArmOrder, IsThatOfTheRuleBetweenCorners) {
  Runner begin(load_example("arm_regeneration", {"solver.constraints=double_step", "solver.integrator=rk4", "solver.step=0.1 ms"}));
  begin.advance(0.8);
  const auto order = [&](const Way& way, double step) {
    double angle[3];
    for (int k = 0; k < 3; ++k) {
      Runner run(load_example("arm_regeneration", settings(way, std::to_string(step / (1 << k)) + " ms")));
      run.restore(begin.state());
      run.advance(1.6);
      angle[k] = run.state().q()[0];
    }
    return std::log2(std::abs((angle[0] - angle[1]) / (angle[1] - angle[2])));
  };
  EXPECT_NEAR(order({"penalty", "trapezoidal", "differential", 2, ""}, 4), 2, 0.1);
  for (const char* constraints : {"double_step", "baumgarte", "ali1"})
    EXPECT_NEAR(order({constraints, "rk4", "differential", 4, ""}, 10), 4, 0.5) << constraints;
}

TEST(QuasistaticArms, FollowTheirReferences) {
  struct Case {
    const char *example, *table;
    Settings set;
    double end;
  };
  const Case cases[] = {{"arm_quasistatic", "arm_quasistatic", {}, 8},
                        {"arm_regeneration", "arm_regeneration", {}, 3},
                        {"arm_regeneration", "arm_regeneration_shut", {"signals.regeneration=0"}, 3},
                        {"two_arms_one_pump", "two_arms_one_pump", {}, 3},
                        {"two_arms_one_pump", "two_arms_one_driven", {"signals.lever_2=0"}, 3}};
  for (const Case& c : cases)
    for (const Way& way : {Way{"penalty", "trapezoidal", "differential", 0, ""}, Way{"double_step", "trapezoidal", "differential", 0, ""},
                           Way{"baumgarte", "trapezoidal", "differential", 0, ""}, Way{"ali1", "rk4", "differential", 0, ""},
                           Way{"double_step", "cvode", "differential", 0, ""}, Way{"baumgarte", "ida", "differential", 0, ""},
                           Way{"penalty", "trapezoidal", "discrete", 0, ""}}) {
      const std::string integrator = way.integrator;
      const bool discrete = way.form == std::string("discrete"), own_steps = integrator == "cvode" || integrator == "ida";
      const Errors e = errors_of(load_example(c.example, with(c.set, settings(way, own_steps ? "20 ms" : "1 ms"))), c.table, c.end);
      const double scale = discrete ? 200 : 1;
      EXPECT_LT(e.angle, scale * 2e-5) << c.table << " " << integrator;
      EXPECT_LT(e.piston, scale * 1e-5) << c.table << " " << integrator;
    }
}

// ---------------------------------------------------------------- the procedure of section 4.3

/// Runs of form `discrete`, step by step. `apart`: at the end of a step p and f are those that moved the arm over it; otherwise those that
/// will move it over the next one.
void expect_the_papers_procedure(const problems::ArmCase& c, double end, problems::ArmRule rule, const Settings& set, bool apart) {
  constexpr double kStep = 1e-3;
  const std::vector<problems::ArmsSample> samples = problems::arm_procedure(c, end, kStep, rule, !apart);
  const bool rk4 = rule == problems::ArmRule::rk4;
  const auto model =
      load_example(c.example, with(c.set, with({"solver.step=1 ms", "solver.constraints=double_step", "quasistatic.circuit.form=discrete",
                                                std::string("solver.integrator=") + (rk4 ? "rk4" : "semi_implicit_euler")},
                                               set)));
  Runner run(model);
  Channels at(model);
  Errors e;
  for (std::size_t k = 1; k < samples.size(); ++k) {
    run.step();
    ASSERT_NEAR(run.state().time, samples[k].t, 1e-9);
    at.read(run.state());
    for (std::size_t j = 0; j < c.arms.size(); ++j) {
      const std::string suffix = c.arms.size() > 1 ? "_" + std::to_string(j + 1) : "";
      const problems::ArmSample& oil = samples[apart ? k - 1 : k].arms[j];
      e.angle = std::max(e.angle, std::abs(at["arm" + suffix + ".angle"] - samples[k].arms[j].angle));
      e.piston = std::max(e.piston, std::abs(at["lift" + suffix + ".piston"] - oil.piston));
      e.force = std::max(e.force, std::abs(at["lift" + suffix + ".force"] - oil.force));
    }
  }
  const std::string what = c.example + (set.empty() ? "" : " " + set.back());
  EXPECT_LT(e.angle, 1e-9) << what;
  EXPECT_LT(e.piston, 1e-9) << what;
  EXPECT_LT(e.force, 1e-9 * kForce) << what;
}

TEST(QuasistaticArms, ExplicitStepsOfTheDiscreteFormAreThePapersProcedure) {
  for (const auto rule : {problems::ArmRule::semi_implicit_euler, problems::ArmRule::rk4}) {
    expect_the_papers_procedure(problems::regenerating_arm(), 1, rule, {}, false);
    expect_the_papers_procedure(problems::two_arms(), 1.2, rule, {}, false);
  }
  expect_the_papers_procedure(problems::holding_arm(), 3.5, problems::ArmRule::semi_implicit_euler, {}, false);
}

/// The oil first, with the length at the beginning of the step, then the mechanism with its force.
TEST(QuasistaticArms, CosimulationInTurnIsThePapersProcedure) {
  const auto in_turn = [](const std::string& integrator) {
    return Settings{"solver.coupling=cosimulation",
                    "coupling={variables: velocity_force, scheme: gauss_seidel, order: hydraulics_first, extrapolation: 0, "
                    "hydraulics: {step: 1 ms" +
                        integrator + "}}"};
  };
  for (const char* integrator : {"", ", integrator: euler", ", integrator: rk4", ", integrator: trapezoidal"})
    expect_the_papers_procedure(problems::regenerating_arm(), 1, problems::ArmRule::semi_implicit_euler, in_turn(integrator), true);
  expect_the_papers_procedure(problems::regenerating_arm(), 1, problems::ArmRule::rk4, in_turn(""), true);
  expect_the_papers_procedure(problems::two_arms(), 1.2, problems::ArmRule::semi_implicit_euler, in_turn(""), true);
  expect_the_papers_procedure(problems::holding_arm(), 3.5, problems::ArmRule::semi_implicit_euler, in_turn(""), true);
}

TEST(QuasistaticArms, HoldsWithShutValvesAndYieldsAtTheRelief) {
  for (const char* form : {"differential", "discrete"}) {
    const auto model = load_example("arm_quasistatic", {std::string("quasistatic.circuit.form=") + form});
    Channels start(model);
    start.read(start_state(*model), Side::right);
    const double p_0 = start["lift.piston"], l_0 = start["lift.length"];
    double locked = 0, stretch = 0, p_6 = 0, held_again = 0, yields = 0, deepest = 0;
    watch(model, 8, [&](const Channels& at, const StateVector& s) {
      const double t = s.time, p = at["lift.piston"];
      if (t < 3 + 1e-9) locked = std::max(locked, std::abs(p - p_0)), stretch = std::max(stretch, std::abs(at["lift.length"] - l_0));
      if (std::abs(t - 6.001) < 1e-6) p_6 = p;
      if (t > 6.001 && t < 7.4) held_again = std::max(held_again, std::abs(p - p_6));
      deepest = std::min(deepest, at["lift.force"]);
      if (yields == 0 && t > 7 && at["lift.force"] < -kAreaB * 40e6 * (1 - 1e-9)) yields = t;
      if (t > 7 && yields == 0) EXPECT_EQ(at["lift.segment"], static_cast<double>(MeteringSegment::hold));
    });
    EXPECT_LT(locked, 1e-6) << form;
    EXPECT_LT(stretch, 3e-3) << form;
    EXPECT_LT(held_again, 1e-6) << form << " " << held_again;
    EXPECT_NEAR(yields, 7.404, 1.01e-3) << form;
    EXPECT_GE(deepest, -kAreaB * 40e6 * (1 + 1e-12)) << form;
  }
}

TEST(QuasistaticArms, RegenerationLowersTheArmFarther) {
  const auto angle = [](const char* set) {
    double at_end = 0;
    watch(load_example("arm_regeneration", {set}), 2, [&](const Channels& at, const StateVector&) { at_end = at["arm.angle"]; });
    return at_end;
  };
  EXPECT_LT(angle("title=open"), angle("signals.regeneration=0") - 0.5);
}

TEST(QuasistaticArms, TheSecondArmSlowsTheFirst) {
  const auto rate = [](const char* set) {  // of arm 1, mean while arm 2 is driven
    double at_1 = 0, at_2 = 0;
    watch(load_example("two_arms_one_pump", {set}), 2, [&](const Channels& at, const StateVector& s) {
      if (std::abs(s.time - 1) < 1e-9) at_1 = at["arm_1.angle"];
      at_2 = at["arm_1.angle"];
    });
    return at_2 - at_1;
  };
  const double both = rate("title=both"), alone = rate("signals.lever_2=0");
  EXPECT_GT(both, 0);
  EXPECT_LT(both, 0.8 * alone);
}

// ---------------------------------------------------------------- balances

constexpr const char* kRegeneration = "{area: 1 cm^2, discharge: 0.6}";  // over the lever, from 0 to 1
std::vector<std::pair<const char*, Settings>> circuits() {
  const std::string B_A = std::string("B_A=") + kRegeneration;
  return {{"arm_quasistatic", {}},
          {"arm_quasistatic", {"sources.tank.pressure=2 bar", "quasistatic.circuit.flow=100 L/min"}},
          {"arm_regeneration", {}},
          {"two_arms_one_pump", {}},
          {"two_arms_one_pump",
           {"quasistatic.circuit.actuators.lift_1." + B_A, "quasistatic.circuit.actuators.lift_2." + B_A,
            "signals.lever_1={steps: [[0.5 s, 0.8], [2 s, -0.3]]}"}}};
}

/// Conductance of one of the arms' valves at an opening.
double conductance(double opening) { return problems::paper_conductance() * opening; }

TEST(QuasistaticCircuit, EveryStateVisitedSatisfiesTheRawRelations) {
  for (const auto& [example, set] : circuits())
    for (const char* form : {"differential", "discrete"}) {
      const auto model = load_example(example, with(set, {std::string("quasistatic.circuit.form=") + form}));
      const QuasistaticCircuit& circuit = model->hydraulics.quasistatic.at(0);
      SCOPED_TRACE(std::string(example) + " " + form);
      long k = 0;
      watch(model, example == std::string("arm_quasistatic") ? 8 : 3, [&](const Channels& at, const StateVector& s) {
        const double p_T = at["tank.pressure"], P = at["circuit.pressure"] - p_T, none = 1e-12 * kFlow;
        double into_actuators = 0, loss_of_all = 0, work_of_all = 0;
        std::vector<problems::ActuatorReference> actuators;
        std::vector<double> beta, fbar;
        for (const QuasistaticPort& port : circuit.ports) {
          const std::string n = model->hydraulics.actuators[static_cast<std::size_t>(port.actuator)].name + ".";
          const double v = at[n + "piston_rate"], p_A = at[n + "pressure_A"] - p_T, p_B = at[n + "pressure_B"] - p_T;
          const double P_A = at[n + "flow_P_A"], P_B = at[n + "flow_P_B"], A_T = at[n + "flow_A_T"], B_T = at[n + "flow_B_T"],
                       relief_A = at[n + "relief_flow_A"], relief_B = at[n + "relief_flow_B"],
                       B_A = at.has(n + "flow_B_A") ? at[n + "flow_B_A"] : 0;
          const double moved = kFlow + kAreaA * std::abs(v);
          ASSERT_NEAR(P_A + B_A - A_T - relief_A, kAreaA * v, 1e-13 * moved) << "t = " << s.time;
          ASSERT_NEAR(P_B - B_A - B_T - relief_B, -kAreaB * v, 1e-13 * moved) << "t = " << s.time;
          const double f = at[n + "force"] - (kAreaA - kAreaB) * p_T;
          ASSERT_NEAR(kAreaA * p_A - kAreaB * p_B, f, 1e-12 * kForce) << "t = " << s.time;
          ASSERT_GE(std::min({P_A, P_B, A_T, B_T, B_A}), -none) << "t = " << s.time;
          const double P_c = std::max(P, P_A > 0 ? 0 : p_A);
          const double loss =
              P_A * (P_c - p_A) + P_B * (P - p_B) + A_T * p_A + B_T * p_B + B_A * (p_B - p_A) + relief_A * p_A + relief_B * p_B;
          ASSERT_NEAR(at[n + "power_loss"], loss, 1e-10 * (kFlow * 36e6 + kForce * std::abs(v))) << "t = " << s.time;
          ASSERT_GE(loss, -1e-9 * kFlow * 36e6) << "t = " << s.time;
          into_actuators += P_A + P_B;
          loss_of_all += at[n + "power_loss"];
          work_of_all += f * v;
          const double u = at[n + "spool"], c = conductance(std::max(u, 0.0)), d = conductance(std::max(-u, 0.0));
          const double a = port.regenerates ? conductance(port.a.spool == port.lever ? std::max(u, 0.0) : u) : 0;
          actuators.push_back({kAreaA, kAreaB, 42e6, 40e6, c, c, d, d, a});
          beta.push_back(2.5e6);  // any line through the point
          fbar.push_back(f - 2.5e6 * v);
        }
        ASSERT_NEAR(at["circuit.flow"], into_actuators + at["circuit.bleed_flow"] + at["circuit.relief_flow"], 1e-13 * kFlow);
        ASSERT_NEAR(at["circuit.power"], P * at["circuit.flow"], 1e-12 * kFlow * 36e6);
        ASSERT_NEAR(at["circuit.power"], loss_of_all + work_of_all + at["circuit.power_loss"], 1e-10 * kFlow * 36e6) << "t = " << s.time;
        if (k++ % 97 != 0) return;
        const problems::PumpReference pump{at["circuit.flow"], 36e6, conductance(example == std::string("two_arms_one_pump") ? 0.2 : 0.3)};
        const auto truth = problems::reference_lambda(actuators, pump, beta, fbar);
        for (std::size_t j = 0; j < truth.size(); ++j) {
          const std::string n = model->hydraulics.actuators[static_cast<std::size_t>(circuit.ports[j].actuator)].name + ".";
          ASSERT_NEAR(at[n + "piston_rate"], truth[j].v, 1e-10) << "t = " << s.time;
          ASSERT_NEAR(at[n + "force"] - (kAreaA - kAreaB) * p_T, truth[j].f, 1e-9 * kForce) << "t = " << s.time;
          ASSERT_NEAR(at[n + "flow_P_A"] + at[n + "flow_P_B"], truth[j].Q_p, 1e-9 * kFlow) << "t = " << s.time;
          ASSERT_NEAR(P, truth[j].P, 1e-9 * 36e6) << "t = " << s.time;
        }
      });
    }
}

TEST(QuasistaticCircuit, LedgerClosesWithTheStep) {
  for (const auto& [example, set] : circuits()) {
    const auto residual = [&, &example = example, &set = set](const char* step, const char* form) {
      const CaseResult result = run_case(load_example(example, with(set, {std::string("solver.step=") + step, "solver.duration=2.5 s",
                                                                          std::string("quasistatic.circuit.form=") + form})));
      EXPECT_FALSE(result.failure) << result.failure->what();
      return result.recorder->ledger().closed_to_percent();
    };
    const double coarse = residual("1 ms", "differential"), fine = residual("0.25 ms", "differential"),
                 discrete = residual("0.25 ms", "discrete");
    EXPECT_LT(coarse, 0.5) << example;
    EXPECT_LT(fine, coarse / 3) << example;
    EXPECT_LT(discrete, 2) << example;
  }
}

// ---------------------------------------------------------------- control of a run

std::vector<Settings> ways_to_run() {
  const std::string discrete = "quasistatic.circuit.form=discrete";
  return {{},
          {discrete},
          {"solver.constraints=double_step", "solver.integrator=rk4"},
          {"solver.constraints=ali1", "solver.integrator=semi_implicit_euler", discrete},
          {"solver.constraints=baumgarte"},
          {"solver.coupling=cosimulation", "coupling.variables=velocity_force", "coupling.scheme=jacobi"},
          {"solver.coupling=cosimulation", "coupling.variables=velocity_force", "coupling.prediction=interface_model"},
          {"solver.coupling=cosimulation", "coupling.variables=velocity_force", "coupling.scheme=gauss_seidel", discrete},
          {"solver.coupling=cosimulation", "coupling.scheme=sequential", "coupling.hydraulics.integrator=trapezoidal", discrete}};
}

/// The pressures that an evaluation solves are no unknowns of the differences; those and the motion are the same in every treatment, also
/// in the discrete form and where a control block moves the lever. A lever that is moved 10 ms longer is seen.
TEST(QuasistaticCircuit, ForwardDifferencesFollowTheExactTangent) {
  const Settings raised{"signals.lever.steps=[[0.1 s, -0.5], [0.3 s, 0.2], [0.45 s, 0]]", "solver.duration=0.6 s"},
      driven = with(
          raised, {"control={slow: {low_pass: {input: lever, time_constant: 20 ms}}}", "quasistatic.circuit.actuators.lift.command=slow"});
  for (const char* constraints : {"penalty", "double_step", "baumgarte"})
    for (const Settings& settings :
         {raised, driven, with(raised, {"quasistatic.circuit.form=discrete"}), with(raised, {"solver.step=0.1 ms"})}) {
      const Settings set = with(settings, {std::string("solver.constraints=") + constraints});
      Runner exact(load_example("arm_quasistatic", set)),
          difference(load_example("arm_quasistatic", with(set, {"solver.tangent=forward_difference"}))),
          other(load_example("arm_quasistatic", with(set, {"signals.lever.steps=[[0.1 s, -0.5], [0.3 s, 0.2], [0.46 s, 0]]"})));
      for (Runner* run : {&exact, &difference, &other}) run->advance(0.6);
      const int p = exact.model()->hydraulics.quasistatic[0].ports[0].state;
      EXPECT_NEAR(difference.state().q()[0], exact.state().q()[0], 1e-7) << constraints << settings.back();
      EXPECT_NEAR(difference.state().y()[p], exact.state().y()[p], 1e-6) << constraints << settings.back();
      EXPECT_LE(difference.statistics().iterations, exact.statistics().iterations + exact.statistics().steps / 2) << constraints;
      EXPECT_GT(std::abs(other.state().q()[0] - exact.state().q()[0]), 1e-4) << constraints << settings.back();
    }
}

TEST(QuasistaticCircuit, SaveRestoreContinueEqualsContinue) {
  for (const auto& [example, set] : {circuits()[2], circuits()[4]})
    for (const Settings& way : ways_to_run()) {
      const auto model = load_example(example, with(set, way));
      Runner whole(model);
      std::vector<StateVector> saved;
      for (double middle : {0.3, 0.5, 0.7}) {
        whole.advance(middle);
        saved.push_back(whole.state());
      }
      whole.advance(0.9);
      for (const StateVector& middle : saved) {
        Runner other(model);
        other.advance(0.1);
        other.restore(middle);
        other.advance(0.9);
        EXPECT_TRUE(other.state() == whole.state()) << example << " " << middle.time << (way.empty() ? "" : way[0]);
      }
    }
}

TEST(QuasistaticCircuit, AStepAllocatesNothing) {
  if (!test::allocations_are_counted()) GTEST_SKIP() << "another operator new is in use";
  for (const auto& [example, set] : circuits())
    for (const Settings& way : ways_to_run()) {
      Runner run(load_example(example, with(set, way)));
      run.advance(0.45);  // by then the memory of a co-simulation has its full size
      const auto observer = make_observer(run.model());
      StateVector state = run.state();
      const double h = run.model()->description.solver.step;
      observer->observe(state, Side::left);
      const long before = test::allocations();
      for (int i = 0; i < 100; ++i) {  // across the jump of the levers
        ASSERT_TRUE(run.stepper().step(state, h).ok());
        state.time += h;
        observer->observe(state, Side::left);
      }
      ASSERT_TRUE(run.stepper().restart(state));
      EXPECT_EQ(test::allocations(), before) << example << (way.empty() ? "" : way[0]);
    }
}

/// The co-simulations `ways` of the circuits, with the settings `more`, end where the whole does, within tolerance(way).
void expect_like_the_whole(const std::vector<Settings>& ways, const Settings& more, double (*tolerance)(const Settings& way)) {
  for (const auto& [example, set] : {circuits()[0], circuits()[2], circuits()[3]}) {
    const auto end = [&, &example = example, &set = set](const Settings& way) {
      Runner run(load_example(example, with(set, with({"solver.step=0.5 ms"}, way))));
      run.advance(example == std::string("arm_quasistatic") ? 3.5 : 1.5);
      return run.state().q()[0];
    };
    const double whole = end({});
    for (const Settings& way : ways)
      EXPECT_NEAR(end(with(with({"solver.coupling=cosimulation", "coupling.variables=velocity_force"}, more), way)), whole, tolerance(way))
          << example << " " << way.back();
  }
}

TEST(QuasistaticCircuit, CosimulatedFollowsTheWhole) {
  expect_like_the_whole({{"coupling.scheme=jacobi"},
                         {"coupling.scheme=gauss_seidel"},
                         {"coupling.scheme=iterated_jacobi"},
                         {"coupling.prediction=interface_model"},
                         {"coupling.scheme=sequential"},
                         {"coupling.scheme=jacobi", "coupling.hydraulics.integrator=trapezoidal"}},
                        {}, [](const Settings& way) { return way.back().ends_with("iterated_jacobi") ? 1e-6 : 3e-5; });
}

/// (72) is of order 1, with the step of the oil.
TEST(QuasistaticCircuit, CosimulatedDiscreteFormFollowsTheWhole) {
  expect_like_the_whole({{"coupling.scheme=jacobi"},
                         {"coupling.scheme=gauss_seidel", "coupling.order=mechanism_first"},
                         {"coupling.scheme=iterated_jacobi"},
                         {"coupling.prediction=interface_model"},
                         {"coupling.scheme=sequential"},
                         {"coupling.scheme=jacobi", "coupling.hydraulics.integrator=trapezoidal"}},
                        {"quasistatic.circuit.form=discrete"}, [](const Settings&) { return 3e-3; });
}

/// Coupled without iteration, at a communication step at which polynomials are unstable: no missing length to be given back.
TEST(QuasistaticCircuit, SequentialCosimulationTakesLongSteps) {
  for (const auto& [example, set] : {circuits()[0], circuits()[2], circuits()[3]}) {
    const double end = example == std::string("arm_quasistatic") ? 3.5 : 1.5;
    const auto angle = [&, &example = example, &set = set](const Settings& way) {
      Runner run(load_example(example, with(set, way)));
      run.advance(end);
      return run.state().q()[0];
    };
    const double whole = angle({"solver.step=0.25 ms"});
    const auto off = [&](const char* step) {
      return std::abs(
          angle({"solver.step=1 ms", "solver.coupling=cosimulation", "coupling.scheme=sequential", std::string("coupling.step=") + step}) -
          whole);
    };
    EXPECT_LT(off("5 ms"), 5e-6) << example;
    EXPECT_LT(off("20 ms"), 3e-5) << example;
  }
}

// ---------------------------------------------------------------- inadmissible commands

TEST(QuasistaticCircuit, ACommandForBothDirectionsEndsTheRunByName) {
  // above 0.2 the valve from the pump to B opens in addition to the one to A: at 0.6 s
  const Settings both{"signals.lever={ramps: [[0.5 s, 0], [1 s, 1]]}",
                      "quasistatic.circuit.actuators.lift.P_B.opening=[[-1, 1], [0, 0], [0.2, 0], [1, 1]]", "solver.duration=2 s",
                      "signals.regeneration=0"};
  for (const Settings& way : ways_to_run()) {
    const CaseResult result = run_case(load_example("arm_regeneration", with(both, way)));
    ASSERT_TRUE(result.failure);
    const std::string text = result.failure->what();
    EXPECT_NEAR(result.failure->time(), 0.6, 2.1e-3) << text;
    EXPECT_EQ(result.failure->equations(), "quasistatic.circuit.actuators.lift");
    EXPECT_NE(text.find("its valves B_T and P_B are open together"), std::string::npos) << text;
    EXPECT_NE(text.find("try: commands, or curves `opening`"), std::string::npos) << text;
    EXPECT_NEAR(result.end_time, result.failure->time(), 1e-12);
    EXPECT_GT(result.statistics.steps, 500);
  }
  for (const auto& [constraints, integrator] : {std::pair{"double_step", "cvode"}, {"baumgarte", "ida"}, {"double_step", "euler"}}) {
    const CaseResult result = run_case(load_example("arm_regeneration", with(both, {std::string("solver.constraints=") + constraints,
                                                                                    std::string("solver.integrator=") + integrator})));
    ASSERT_TRUE(result.failure) << integrator;
    EXPECT_NEAR(result.failure->time(), 0.6, 2.1e-3) << integrator;
    EXPECT_EQ(result.failure->equations(), "quasistatic.circuit.actuators.lift");
  }
}

TEST(QuasistaticCircuit, CommandsAreRefusedAtTheStartAndBehindAJump) {
  const auto failure = [](const Settings& set) {
    try {
      Runner run(load_example("arm_regeneration", set));
      run.advance(1);
    } catch (const SimulationError& error) { return std::pair(error.time(), std::string(error.what())); }
    return std::pair(-1.0, std::string("it runs"));
  };
  const auto start = failure({"signals.lever=-0.5", "signals.regeneration=0.5"});
  EXPECT_EQ(start.first, 0);
  EXPECT_NE(start.second.find("its valves P_B and B_A are open together (0.5 and 0.5)"), std::string::npos) << start.second;
  const auto jump = failure({"signals.lever={steps: [[0.5 s, -0.5]]}"});
  EXPECT_NEAR(jump.first, 0.5, 1.1e-3);
  EXPECT_NE(jump.second.find("P_B and B_A"), std::string::npos) << jump.second;
  const auto flow =
      failure({"signals.lever={ramps: [[0, 0.001], [0.2 s, -0.001]]}", "quasistatic.circuit.flow=lever", "signals.regeneration=0"});
  EXPECT_NEAR(flow.first, 0.1, 1.1e-3);
  EXPECT_NE(flow.second.find("quasistatic.circuit.flow"), std::string::npos) << flow.second;
  EXPECT_NE(flow.second.find("non-negative"), std::string::npos) << flow.second;
}

}  // namespace
}  // namespace trunnion
