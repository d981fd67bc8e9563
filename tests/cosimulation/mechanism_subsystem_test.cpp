// The mechanism without its oil: with inputs recorded from a fine monolithic run it moves as the machine does; saved and restored it
// continues bit for bit. Its interface model and linear oil: interface_model_test.cpp, mechanism_linear_oil_test.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>

#include "cosimulation/mechanism_cases.h"
#include "cosimulation/mechanism_cut.h"
#include "cosimulation/mechanism_subsystem.h"
#include "machine/start.h"
#include "run/run.h"
#include "support/allocation_counter.h"

namespace trunnion {
namespace {

using test::Border;
using test::cut_at;
using test::inputs_at;
using test::kBorders;
using test::kBristles;
using test::kTreatments;
using test::load_example;
using test::locked;
using test::model_from;
using test::Ports;
using test::ports_at;
using test::Settings;
using test::Treatment;
using test::treatment;
using test::with;

// ---------------------------------------------------------------- recorded oil

constexpr double kSpacing = 0.25e-3;  // [s] of recorded states
constexpr int kPoints = 5;            // interpolated by a polynomial

/// States of a fine monolithic run, every `spacing` from `begin` to `end` [s].
std::vector<StateVector> record(const std::shared_ptr<const CompiledModel>& fine, double begin, double end, double spacing = kSpacing) {
  Runner run(fine);
  run.advance(begin);
  std::vector<StateVector> states{run.state()};
  const long count = std::lround((end - begin) / spacing);
  for (long i = 1; i <= count; ++i) {
    run.advance(begin + static_cast<double>(i) * spacing);
    states.push_back(run.state());
  }
  return states;
}

/// The polynomial through kPoints values `spacing` [s] apart, the first at `begin`.
TimePolynomial course_through(const std::array<double, kPoints>& values, double begin, double spacing) {
  using Matrix = Eigen::Matrix<double, kPoints, kPoints>;
  static const Matrix kInverse = [] {
    Matrix V;
    for (int i = 0; i < kPoints; ++i)
      for (int k = 0; k < kPoints; ++k) V(i, k) = std::pow(i, k);
    return Matrix(V.inverse());
  }();
  const Eigen::Matrix<double, kPoints, 1> c = kInverse * Eigen::Map<const Eigen::Matrix<double, kPoints, 1>>(values.data());
  TimePolynomial course;
  course.begin = begin;
  for (int k = 0; k < kPoints; ++k) course.c[k] = c[k] / std::pow(spacing, k);
  return course;
}

/// A recorded run, and the inputs of a machine's mechanism during it.
struct Record {
  const std::vector<StateVector>& states;
  std::vector<std::vector<double>> inputs;
  Record(const CompiledModel& machine, const std::vector<StateVector>& run) : states(run) {
    for (const StateVector& state : run) inputs.push_back(inputs_at(machine, state));
  }
};

/// Polynomials over kPoints states from the i-th on, `stride` apart.
std::vector<TimePolynomial> courses_over(const Record& record, std::size_t i, std::size_t stride) {
  std::vector<TimePolynomial> courses;
  for (std::size_t input = 0; input < record.inputs[0].size(); ++input) {
    std::array<double, kPoints> y{};
    for (int k = 0; k < kPoints; ++k) y[k] = record.inputs[i + k * stride][input];
    courses.push_back(course_through(y, record.states[i].time, record.states[i + stride].time - record.states[i].time));
  }
  return courses;
}

/// The state of a machine with another integrator, which has another memory.
StateVector state_of(const CompiledModel& machine, const StateVector& recorded) {
  const StateLayout& n = machine.layout;
  StateVector state(n);
  state.time = recorded.time;
  std::copy_n(recorded.q(), n.nq + 2 * n.nv + 2 * n.ny + 2 * n.rows, state.q());
  return state;
}

// ---------------------------------------------------------------- motion

struct Case {
  const char* example;
  Settings settings;
  double begin, end;  // [s]
};
/// Largest error of the coordinates at the communication points, step = stride (kPoints - 1) spacings.
double motion_error(const std::shared_ptr<const CompiledModel>& machine, const Record& record, std::size_t stride) {
  const std::vector<StateVector>& truth = record.states;
  const auto mechanism = make_mechanism_subsystem(machine);
  const std::size_t step = stride * (kPoints - 1);
  StateVector state = state_of(*machine, truth[0]);
  mechanism->restore(state);
  double error = 0;
  for (std::size_t i = 0; i + step < truth.size(); i += step) {
    const std::vector<TimePolynomial> courses = courses_over(record, i, stride);
    mechanism->set_inputs(courses.data());
    const StepOutcome report = mechanism->do_step(truth[i + step].time - truth[i].time);
    EXPECT_TRUE(report.ok()) << static_cast<int>(report.status);
    if (!report.ok()) return 1;
    mechanism->save(state);
    for (int k = 0; k < machine->layout.nq; ++k) error = std::max(error, std::abs(state.q()[k] - truth[i + step].q()[k]));
    for (int k = 0; k < machine->layout.nv; ++k) error = std::max(error, 0.1 * std::abs(state.v()[k] - truth[i + step].v()[k]));
  }
  return error;
}

const std::vector<StateVector>& recorded(const Case& c) {
  static std::map<std::string, std::vector<StateVector>> all;
  std::vector<StateVector>& states = all[std::string(c.example) + (c.settings.empty() ? "" : c.settings[0])];
  if (states.empty())
    states = record(
        load_example(c.example, with(c.settings, {"solver.constraints=double_step", "solver.integrator=rk4", "solver.step=0.05 ms"})),
        c.begin, c.end);
  return states;
}

class Follows : public ::testing::TestWithParam<Treatment> {};
/// Rules with a memory, which the machine's state has.
constexpr Treatment kWithMemory[] = {{"penalty", "bdf2", 2}, {"double_step", "bdf2", 2}, {"double_step", "hht", 2}};
INSTANTIATE_TEST_SUITE_P(MechanismSubsystem, Follows, ::testing::ValuesIn(kTreatments));
INSTANTIATE_TEST_SUITE_P(WithMemory, Follows, ::testing::ValuesIn(kWithMemory));

TEST_P(Follows, TheMonolithicMotionToTheOrderOfItsRule) {
  const Treatment& t = GetParam();
  const bool implicit = t.order == 2;
  const Case four_bar{"four_bar", implicit ? kBristles : Settings{}, 0.95, 1.15};  // bristles are too stiff for explicit rules
  for (const Case& c : {Case{"crane_double", {}, 0.3, 0.5}, four_bar, Case{"slewing_crane", {}, 0.3, 0.5}}) {
    const auto machine = load_example(c.example, with(c.settings, treatment(t)));
    for (const Border& border : kBorders) {
      const auto cut = cut_at(machine, border);
      const Record data(*cut, recorded(c));
      const double fine = motion_error(cut, data, 1);
      EXPECT_LT(fine, t.order == 4 ? 3e-7 : implicit ? 1e-3 : 1e-1) << c.example;
      if (t.order == 4) continue;  // the error of the polynomials
      const double coarse = motion_error(cut, data, 2);
      EXPECT_NEAR(std::log2(coarse / fine), t.order, 0.3) << c.example << ": " << coarse << ", " << fine;
    }
  }
}

TEST(MechanismSubsystem, HasLoadsAndMotionsAndLeavesJumpsOfValvesToTheOil) {
  for (const bool spatial : {false, true}) {
    const std::string text = test::busy_machine(spatial);
    const std::vector<std::string> without{"cylinders.lift.friction.pressure_A=0", "cylinders.lift.friction.pressure_B=0",
                                           "cylinders.ram.friction.pressure_A=0"};  // which a border of forces does not know
    const auto with = [&](std::vector<std::string> set) {
      set.insert(set.end(), without.begin(), without.end());
      return set;
    };
    const auto fine = model_from(text, with({"solver.constraints=double_step", "solver.integrator=rk4", "solver.step=0.05 ms"}));
    const std::vector<StateVector> truth = record(fine, 0, 0.05, 0.05e-3);
    for (const Border& border : kBorders) {
      const Record data(*cut_at(fine, border), truth);
      for (const Treatment& t : kTreatments) {
        const auto cut = cut_at(model_from(text, with(treatment(t))), border);
        EXPECT_LT(motion_error(cut, data, 1), t.order > 1 ? 2e-4 : 1e-2) << t.constraints << " " << t.integrator;
      }
    }
  }
  // a load that jumps at 1 s, a valve at 2 s
  const auto machine = model_from(R"(
trunnion: 1
bodies: {arm: {rod: {length: 2 m, mass: 50 kg}}}
joints: {arm: {revolute: {parent: ground, at: [0, 0, 0], axis: y}, angle: 30 deg}}
forces: {push: {joint: arm, load: 5 N m, signal: at_1}}
signals: {at_1: {steps: [[1 s, 1]]}, at_2: {steps: [[2 s, 1]]}}
fluid: {density: 850 kg/m^3, bulk_modulus: 1500 MPa}
volumes: {a: {hose: {volume: 0.1 L}, pressure: 3 MPa}, b: {hose: {volume: 0.1 L}, pressure: 3 MPa}}
sources: {tank: {pressure: 0.1 MPa}}
valves: {drain: {orifice: {A: a, B: tank, diameter: 1 mm}, signal: at_2}}
cylinders: {lift: {base: {body: ground, at: [1 m, 0, -1 m]}, rod_end: {body: arm, at: [1 m, 0, 0]}, A: a, B: b, bore: 40 mm, rod: 20 mm, chamber_length_A: 0.3 m, chamber_length_B: 0.3 m}}
)");
  ASSERT_EQ(machine->force_jumps, (std::vector<double>{1, 2}));
  const std::vector<TimePolynomial> inputs(count_inputs(*machine));
  EXPECT_EQ(cut_fed(*machine, inputs).model->force_jumps, std::vector<double>{1});
  EXPECT_EQ(cut_fed(*machine, inputs).model->jumps, std::vector<double>{1});
  EXPECT_EQ(cut_on_linear_oil(*machine, nullptr).model->force_jumps, std::vector<double>{1});
}

// ---------------------------------------------------------------- states

TEST(MechanismSubsystem, GoesOnBitForBitWhereItWasSaved) {
  const std::vector<StateVector>& truth = recorded({"four_bar", kBristles, 0.95, 1.15});
  std::vector<Treatment> treatments(std::begin(kTreatments), std::end(kTreatments));
  treatments.insert(treatments.end(), std::begin(kWithMemory), std::end(kWithMemory));
  for (const Treatment& t : treatments)
    for (const Border& border : kBorders)
      for (const int steps : {1, 3}) {
        const auto machine = cut_at(load_example("four_bar", with(kBristles, treatment(t))), border, steps);
        const Record data(*machine, truth);
        const auto first = make_mechanism_subsystem(machine), second = make_mechanism_subsystem(machine);
        StateVector a = state_of(*machine, truth[0]), b = a;
        const auto advance = [&](MechanismSubsystem& mechanism, StateVector& state, std::size_t i) {
          mechanism.set_inputs(courses_over(data, 4 * i, 1).data());
          ASSERT_TRUE(mechanism.do_step(1e-3).ok());
          mechanism.save(state);
          state.time += 1e-3;
        };
        first->restore(a);
        for (std::size_t i = 0; i < 20; ++i) advance(*first, a, i);
        second->restore(b);
        for (std::size_t i = 0; i < 10; ++i) advance(*second, b, i);
        const auto third = make_mechanism_subsystem(machine);
        third->restore(b);
        for (std::size_t i = 10; i < 20; ++i) {
          advance(*third, b, i);
          if (i == 14) {  // a step rolled back
            StateVector other = b;
            advance(*third, other, 3);
            third->restore(b);
          }
        }
        EXPECT_TRUE(a == b) << t.constraints << " " << t.integrator;
        // the oil's states are not part of it
        EXPECT_EQ(a.y()[0], truth[0].y()[0]);
        const bool has_friction = border.friction == FrictionSide::mechanism;
        const int bristle = machine->hydraulics.actuators[0].state;
        EXPECT_EQ(a.y()[bristle] != truth[0].y()[bristle], has_friction);
      }
}

TEST(MechanismSubsystem, NamesItsInputsAndOutputs) {
  const auto machine = load_example("crane_double");
  const auto names = [](const std::vector<CouplingVariable>& list) {
    Settings out;
    for (const CouplingVariable& x : list) out.push_back(x.name + " " + x.unit);
    return out;
  };
  const auto pressures = make_mechanism_subsystem(cut_at(machine, kBorders[0])),
             sum = make_mechanism_subsystem(cut_at(machine, kBorders[1])), forces = make_mechanism_subsystem(cut_at(machine, kBorders[2]));
  EXPECT_EQ(names(pressures->inputs()), (Settings{"lift.pressure_A Pa", "lift.pressure_B Pa", "tilt.pressure_A Pa", "tilt.pressure_B Pa"}));
  EXPECT_EQ(names(sum->inputs()), (Settings{"lift.pressure_force N", "tilt.pressure_force N"}));
  EXPECT_EQ(names(forces->inputs()), (Settings{"lift.force N", "tilt.force N"}));
  EXPECT_EQ(names(forces->outputs()), (Settings{"lift.length m", "lift.rate m/s", "lift.acceleration m/s2", "tilt.length m",
                                                "tilt.rate m/s", "tilt.acceleration m/s2"}));
  // forces and outputs are those of the machine
  StateVector state = start_state(*machine);
  state.v()[0] = 0.1;
  const Ports expected = ports_at(*machine, state);
  for (MechanismSubsystem* mechanism : {pressures.get(), sum.get(), forces.get()}) {
    const Border& border = mechanism == pressures.get() ? kBorders[0] : mechanism == sum.get() ? kBorders[1] : kBorders[2];
    mechanism->restore(state);
    mechanism->set_inputs(locked(*cut_at(machine, border), state).data());
    std::vector<double> F(2), values(6);
    mechanism->port_forces(F.data());
    mechanism->get_outputs(values.data());
    for (int i : {0, 1}) {
      EXPECT_NEAR(F[i], expected.force[i], 1e-8 * (1 + std::abs(expected.force[i])));
      EXPECT_EQ(values[3 * i], expected.s[i]);
      EXPECT_EQ(values[3 * i + 1], expected.w[i]);
    }
  }
}

TEST(MechanismSubsystem, AllocatesNothing) {
  if (!test::allocations_are_counted()) GTEST_SKIP();
  for (const Treatment& t : kTreatments) {
    const auto machine = cut_at(load_example("four_bar", with(kBristles, treatment(t))), kBorders[1], 2);
    StateVector state = start_state(*machine);
    const std::vector<TimePolynomial> courses = locked(*machine, state);
    const auto mechanism = make_mechanism_subsystem(machine);
    std::vector<double> W(1), b(1), F(1), outputs(3);
    const auto use = [&] {
      mechanism->restore(state);
      mechanism->set_inputs(courses.data());
      EXPECT_TRUE(mechanism->restart());
      EXPECT_TRUE(mechanism->do_step(1e-3).ok());
      mechanism->get_outputs(outputs.data());
      mechanism->port_forces(F.data());
      EXPECT_TRUE(mechanism->interface_model(W.data(), b.data()));
      mechanism->save(state);
      state.time += 1e-3;
    };
    const long before = test::allocations();
    for (int i = 0; i < 10; ++i) use();
    EXPECT_EQ(test::allocations(), before) << t.constraints << " " << t.integrator;
  }
}

}  // namespace
}  // namespace trunnion
