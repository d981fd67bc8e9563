// The mechanism without its oil: with inputs recorded from a fine monolithic run it moves as the machine does; its port quantities
// agree with dense linear algebra and with closed forms; saved and restored it continues bit for bit.
// SPDX-License-Identifier: BSD-3-Clause
#include "cosimulation/mechanism_subsystem.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>

#include "cosimulation/mechanism_cut.h"
#include "hydraulics/linear_oil.h"
#include "machine/start.h"
#include "run/run.h"
#include "solve/make_monolithic_stepper.h"
#include "support/allocation_counter.h"
#include "support/machines.h"
#include "support/random_machine.h"

namespace trunnion {
namespace {

using test::load_example;
using test::model_from;

using Settings = std::vector<std::string>;

/// Variables of the coupling.
struct Border {
  CouplingVariables variables = CouplingVariables::velocity_pressure;
  FrictionSide friction = FrictionSide::mechanism;
};
constexpr Border kBorders[] = {{CouplingVariables::velocity_pressure, FrictionSide::mechanism},
                               {CouplingVariables::velocity_force, FrictionSide::mechanism},
                               {CouplingVariables::velocity_force, FrictionSide::hydraulics}};

std::shared_ptr<const CompiledModel> cut_at(const std::shared_ptr<const CompiledModel>& machine, const Border& border,
                                            int mechanism_steps = 1) {
  auto model = std::make_shared<CompiledModel>(*machine);
  model->description.coupling.variables = border.variables;
  model->description.coupling.friction = border.friction;
  model->description.coupling.mechanism_steps = mechanism_steps;
  return model;
}

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

double pressure(const CompiledModel& machine, int node, const StateVector& state) {
  const PressureNode& n = machine.hydraulics.nodes[node];
  return n.state >= 0 ? state.y()[n.state] : Signals(machine.signals, nullptr).value(n.source, state.time, Side::right);
}

/// Length and rate of every cylinder.
template <int D>
void place(const CompiledModel& machine, const StateVector& state, MechanismState<D>& mech) {
  const auto& m = std::get<Mechanism<D>>(machine.mechanism);
  update_inputs(m, Signals(machine.signals, nullptr), state.time, Side::right, mech);
  update_positions(m, state.q(), static_cast<const double*>(nullptr), mech);
  update_rates(m, state.v(), state.a(), mech);
}
struct Ports {
  std::vector<double> s, w, force;
};
Ports ports_at(const CompiledModel& machine, const StateVector& state) {
  return std::visit(
      [&]<int D>(const Mechanism<D>& m) -> Ports {
        MechanismState<D> mech(m);
        place(machine, state, mech);
        HydraulicState oil(machine.hydraulics);
        update_inputs(machine.hydraulics, Signals(machine.signals, nullptr), state.time, Side::right, oil);
        evaluate_forces<double>(machine.hydraulics, mech.s.data(), mech.s_dot.data(), state.y(), oil);
        Ports ports{mech.s, mech.s_dot, {}};
        for (const PortForces<>& port : oil.ports) ports.force.push_back(port.force);
        return ports;
      },
      machine.mechanism);
}

/// Inputs of the mechanism of `machine` in a state of the machine.
std::vector<double> inputs_at(const CompiledModel& machine, const StateVector& state) {
  const CosimulationDescription& coupling = machine.description.coupling;
  std::vector<double> inputs;
  const Ports ports = ports_at(machine, state);
  for (std::size_t i = 0; i < pistons_of(machine.hydraulics).size(); ++i) {
    const Actuator& a = machine.hydraulics.actuators[i];
    const double p_A = pressure(machine, a.A, state), p_B = pressure(machine, a.B, state);
    if (coupling.variables == CouplingVariables::velocity_pressure) {
      inputs.push_back(p_A);
      inputs.push_back(p_B);
    } else {
      inputs.push_back(coupling.friction == FrictionSide::mechanism ? p_A * a.cylinder.area_A - p_B * a.cylinder.area_B : ports.force[i]);
    }
  }
  return inputs;
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

// ---------------------------------------------------------------- motion

struct Treatment {
  const char *constraints, *integrator;
  double order;
};
struct Case {
  const char* example;
  Settings settings;
  double begin, end;  // [s]
};
void PrintTo(const Treatment& t, std::ostream* out) { *out << t.constraints << " " << t.integrator; }

Settings with(Settings settings, const Settings& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}
const Settings kBristles{"cylinders.lift.friction.model=lugre"};
Settings treatment(const Treatment& t) {
  return {std::string("solver.constraints=") + t.constraints, std::string("solver.integrator=") + t.integrator};
}

constexpr Treatment kTreatments[] = {{"penalty", "trapezoidal", 2},   {"double_step", "trapezoidal", 2},
                                     {"baumgarte", "trapezoidal", 2}, {"double_step", "semi_implicit_euler", 1},
                                     {"baumgarte", "euler", 1},       {"ali1", "semi_implicit_euler", 1},
                                     {"double_step", "rk4", 4}};

/// Largest error of the coordinates at the communication points, step = stride (kPoints - 1) spacings.
double motion_error(const std::shared_ptr<const CompiledModel>& machine, const Record& record, std::size_t stride) {
  const std::vector<StateVector>& truth = record.states;
  const auto mechanism = make_mechanism_subsystem(machine);
  const std::size_t step = stride * (kPoints - 1);
  mechanism->restore(truth[0]);
  StateVector state = truth[0];
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
INSTANTIATE_TEST_SUITE_P(MechanismSubsystem, Follows, ::testing::ValuesIn(kTreatments));

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

// ---------------------------------------------------------------- W and b

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

/// Constant inputs of a state.
std::vector<TimePolynomial> locked(const CompiledModel& machine, const StateVector& state) {
  std::vector<TimePolynomial> courses;
  for (double value : inputs_at(machine, state)) {
    courses.emplace_back();
    courses.back().begin = state.time;
    courses.back().c[0] = value;
  }
  return courses;
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

// ---------------------------------------------------------------- states

TEST(MechanismSubsystem, GoesOnBitForBitWhereItWasSaved) {
  const std::vector<StateVector>& truth = recorded({"four_bar", kBristles, 0.95, 1.15});
  for (const Treatment& t : kTreatments)
    for (const Border& border : kBorders)
      for (const int steps : {1, 3}) {
        const auto machine = cut_at(load_example("four_bar", with(kBristles, treatment(t))), border, steps);
        const Record data(*machine, truth);
        const auto first = make_mechanism_subsystem(machine), second = make_mechanism_subsystem(machine);
        StateVector a = truth[0], b = truth[0];
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

// ---------------------------------------------------------------- on linear oil

/// Pressure rates of a machine's volumes.
Eigen::VectorXd pressure_rates(const CompiledModel& machine, double t, const std::vector<double>& s, const std::vector<double>& w,
                               std::vector<double> y) {
  HydraulicState oil(machine.hydraulics);
  update_inputs(machine.hydraulics, Signals(machine.signals, nullptr), t, Side::right, oil);
  std::vector<double> ydot(y.size());
  evaluate_rates(machine.hydraulics, s.data(), w.data(), y.data(), ydot.data(), oil);
  return Eigen::Map<const Eigen::VectorXd>(ydot.data(), static_cast<Eigen::Index>(machine.hydraulics.volumes.size()));
}

/// The machine's oil linearised at a state by differences, for a step h; spools move by the trapezoidal rule.
LinearOil linearised(const CompiledModel& machine, const StateVector& state, double h) {
  const Hydraulics& oil = machine.hydraulics;
  const auto volumes = static_cast<int>(oil.volumes.size()), ports = static_cast<int>(oil.actuators.size());
  LinearOil out(volumes, ports);
  const Ports at = ports_at(machine, state);
  out.begin = state.time;
  out.step = h;
  out.s = at.s;
  out.w = at.w;
  std::copy_n(state.y(), volumes, out.p.begin());
  for (int i = 0; i < 3; ++i) {
    const double t = state.time + i * h / 2;
    std::vector<double> y(state.y(), state.y() + oil.ny);
    for (const Spool& spool : oil.spools) {
      double rate[2];
      spool_rates(spool, Signals(machine.signals, nullptr).value(spool.signal, state.time, Side::right), y.data() + spool.state, rate);
      if (i > 0)
        advance_spool(spool, 2 / (t - state.time), rate, Signals(machine.signals, nullptr).value(spool.signal, t, Side::left),
                      y.data() + spool.state);
    }
    const auto rates = [&] { return pressure_rates(machine, t, out.s, out.w, y); };
    const auto difference = [&](double& x, double size) {
      const double kept = x;
      x = kept + size;
      const Eigen::VectorXd up = rates();
      x = kept - size;
      const Eigen::VectorXd down = rates();
      x = kept;
      return Eigen::VectorXd((up - down) / (2 * size));
    };
    Eigen::Map<Eigen::VectorXd>(out.f[i].data(), volumes) = rates();
    Eigen::Map<RowMajor> J(out.J[i].data(), volumes, volumes), f_s(out.f_s.data(), volumes, ports), f_w(out.f_w.data(), volumes, ports);
    for (int k = 0; k < volumes; ++k) J.col(k) = difference(y[k], 10);
    if (i > 0) continue;
    for (int k = 0; k < ports; ++k) {
      f_s.col(k) = difference(out.s[k], 1e-6);
      f_w.col(k) = difference(out.w[k], 1e-6);
    }
  }
  return out;
}

TEST(MechanismOnLinearOil, ReproducesTheMonolithicStepButForTheSquareOfTheChange) {
  for (const auto& [example, time] : {std::pair{"crane_double", 0.5}, std::pair{"four_bar", 1.01}, std::pair{"slewing_crane", 1.0}}) {
    Runner run(load_example(example, {"solver.constraints=double_step"}));
    run.advance(time);
    for (const Treatment& t : kTreatments) {
      if (t.order == 1) continue;
      const auto machine = load_example(example, treatment(t));
      StateVector begin = run.state();
      std::fill_n(begin.partition(), machine->layout.rows, 0.0);
      make_consistent(*machine, begin);
      const auto error = [&](double h) {
        const auto mechanism = make_mechanism_subsystem(machine, true);
        const LinearOil oil = linearised(*machine, begin, h);
        StateVector together = begin, apart = begin;
        mechanism->restore(begin);
        mechanism->set_linear_oil(&oil);
        EXPECT_TRUE(mechanism->do_step(h).ok());
        mechanism->save(apart);
        EXPECT_TRUE(make_monolithic_stepper(machine)->step(together, h).ok());
        double size = 0;
        for (int i = 0; i < machine->layout.nv; ++i) size = std::max(size, std::abs(apart.v()[i] - together.v()[i]));
        return size;
      };
      // pressures differ by h^3, velocities by h^4
      const double h = t.order == 4 ? 5e-5 : 1e-3, coarse = error(2 * h), fine = error(h);
      EXPECT_TRUE(fine < 1e-11 || std::log2(coarse / fine) > 2.7)
          << example << " " << t.constraints << " " << t.integrator << ": " << coarse << ", " << fine;
      EXPECT_LT(fine, 1.5e-5) << example << " " << t.constraints << " " << t.integrator;
    }
  }
}

TEST(MechanismOnLinearOil, TakesPressuresFromTheOilAndAllocatesNothing) {
  for (const Treatment& t : kTreatments) {
    if (t.order != 2) continue;  // too stiff for them
    const auto machine = cut_at(load_example("crane_double", treatment(t)), kBorders[2], 2);
    const StateVector start = start_state(*machine);
    const auto mechanism = make_mechanism_subsystem(machine, true);
    LinearOil oil = linearised(*machine, start, 1e-3);
    mechanism->restore(start);
    mechanism->set_linear_oil(&oil);
    ASSERT_TRUE(mechanism->inputs().empty());
    std::vector<double> F(2), F_higher(2);
    mechanism->port_forces(F.data());
    const Ports expected = ports_at(*machine, start);
    for (int i : {0, 1}) EXPECT_NEAR(F[i], expected.force[i], 1e-9 * (1 + std::abs(F[i])));
    const Actuator& lift = machine->hydraulics.actuators[0];
    oil.p[machine->hydraulics.nodes[lift.A].state] += 1e5;
    mechanism->set_linear_oil(&oil);
    mechanism->port_forces(F_higher.data());
    EXPECT_NEAR(F_higher[0] - F[0], 1e5 * lift.cylinder.area_A, 1e-6);
    StateVector state = start;
    const long before = test::allocations();
    for (int i = 0; i < 3; ++i) {
      mechanism->restore(state);
      mechanism->set_linear_oil(&oil);
      ASSERT_TRUE(mechanism->do_step(1e-3).ok());
      mechanism->save(state);
      state.time += 1e-3;
      oil.begin = state.time;
    }
    EXPECT_EQ(test::allocations(), before);
    for (int i = 0; i < machine->layout.ny; ++i) EXPECT_EQ(state.y()[i], start.y()[i]);  // no friction states here
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
