// The linear model is the derivative of the nonlinear machine: compared with central differences of consistently perturbed states, on
// the examples and on random machines with loops and hydraulics, at the start and during motion.
// SPDX-License-Identifier: BSD-3-Clause
#include "linearise/linear_model.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <filesystem>

#include "linearise/reduction.h"
#include "machine/analyse.h"
#include "machine/observe.h"
#include "machine/start.h"
#include "problems/whipple_reference.h"
#include "run/run.h"
#include "spectra/spectrum.h"
#include "support/allocation_counter.h"
#include "support/machines.h"
#include "support/random_machine.h"

namespace trunnion {
namespace {

/// The machine at states near a reference: perturbed in the independent quantities, closed, consistent.
template <int D>
class Neighbour {
 public:
  Neighbour(const std::shared_ptr<const CompiledModel>& model, const LinearModel& linear, Reduction<D>& reduction)
      : model_(model),
        linear_(linear),
        rates_(model, ConstraintTreatment::closed),
        reference_(reduction.reference()),
        observer_(make_observer(model)) {
    reduction.rates().loops().write(reference_.partition());
    EXPECT_TRUE(rates_.loops().load_partition(reference_.partition()) || model->layout.rows == 0);
  }

  /// Rates of the states, then the outputs, with state j perturbed by `change`.
  Eigen::VectorXd at(int j, double change) {
    StateVector s = reference_;
    const int n = static_cast<int>(linear_.independent.size()), a = static_cast<int>(linear_.velocity_dependent.size());
    std::vector<double> theta(model_->layout.nv, 0.0);
    if (j < n) theta[linear_.independent[j]] = change;
    if (j >= n && j < 2 * n) s.v()[linear_.independent[j - n]] += change;
    if (j >= 2 * n && j < 2 * n + a) theta[linear_.velocity_dependent[j - 2 * n]] = change;
    if (j >= 2 * n + a) s.y()[linear_.first_order[j - 2 * n - a]] += change;
    StepOutcome report;
    EXPECT_TRUE(rates_.place(reference_.q(), theta.data(), Side::right, s, report));
    EXPECT_TRUE(rates_.accelerate(s, report));
    rates_.set_state_rates(s);
    observer_->observe(s, Side::right);
    std::vector<double> channels(observer_->channels().size());
    observer_->values(channels.data());
    std::vector<double> result;
    // positions as increments from the moving reference: theta_dot = v - exp(theta) omega_0 + omega_0; the tangent of theta is neglected
    // as it is of second order there
    std::vector<double> position(s.v(), s.v() + model_->layout.nv);
    if constexpr (D == 3)
      for (const TreeNode<D>& node : rates_.mechanism().tree.nodes)
        if (node.joint == NodeJoint::spherical) {
          const Vec<3> omega(reference_.v()[node.v], reference_.v()[node.v + 1], reference_.v()[node.v + 2]),
              turn(theta[node.v], theta[node.v + 1], theta[node.v + 2]);
          for (int i = 0; i < 3; ++i) position[node.v + i] += omega.cross(turn)[i];
        }
    for (int v : linear_.independent) result.push_back(position[v]);
    for (int v : linear_.independent) result.push_back(s.a()[v]);
    for (int v : linear_.velocity_dependent) result.push_back(position[v]);
    for (int i : linear_.first_order) result.push_back(s.ydot()[i]);
    for (const LinearVariable& output : linear_.outputs)
      for (std::size_t i = 0; i < channels.size(); ++i)
        if (observer_->channels()[i].name == output.name) result.push_back(channels[i]);
    return Eigen::Map<Eigen::VectorXd>(result.data(), static_cast<Eigen::Index>(result.size()));
  }

 private:
  std::shared_ptr<const CompiledModel> model_;
  const LinearModel& linear_;
  MachineRates<D> rates_;
  StateVector reference_;
  std::unique_ptr<Observer> observer_;
};

/// Derivatives of an output that are zero up to rounding.
double nothing(const LinearVariable& output) {
  return std::max(1e-6 * std::abs(output.reference), output.unit.starts_with("N") ? 1e-2 : 1e-4);
}

/// Reference size of a state.
double size_of(const LinearVariable& state) {
  if (state.unit == "Pa") return 1e5;
  if (state.name.ends_with("bristle")) return 1e-5;
  if (state.name.ends_with("film")) return 1e-2;
  return 0.1;
}

template <int D>
void expect_derivative(const std::shared_ptr<const CompiledModel>& model, const StateVector& reference, double tolerance,
                       double step = 2e-4) {
  const LinearModel linear = linearise(model, reference);
  // a reference that is consistent to rounding
  Reduction<D> reduction(model);
  reduction.set_reference(reference);
  Neighbour<D> near(model, linear, reduction);
  const auto n = static_cast<Eigen::Index>(linear.states.size());
  Eigen::MatrixXd exact(n + linear.C.rows(), n), difference(exact.rows(), n);
  exact << linear.A, linear.C;
  for (Eigen::Index j = 0; j < n; ++j) {
    const double size = size_of(linear.states[static_cast<std::size_t>(j)]), h = step * size;
    const int k = static_cast<int>(j);
    // sixth order: kinks of the square-root law are far away, its curvature is not
    difference.col(j) =
        (45 * (near.at(k, h) - near.at(k, -h)) - 9 * (near.at(k, 2 * h) - near.at(k, -2 * h)) + near.at(k, 3 * h) - near.at(k, -3 * h)) /
        (60 * h) * size;
    exact.col(j) *= size;
  }
  const auto middle = near.at(0, 0);
  const bool redundant = !analyse(*model).redundant.empty();  // the distribution over several equal rows depends on rounding
  for (Eigen::Index i = 0; i < exact.rows(); ++i) {
    if (redundant && i >= n && linear.outputs[static_cast<std::size_t>(i - n)].name.find(".multiplier_") != std::string::npos) continue;
    const double scale =
        std::max(exact.row(i).cwiseAbs().maxCoeff(), i < n ? 1e-4 : nothing(linear.outputs[static_cast<std::size_t>(i - n)]));
    const double rounding = 2e-15 / step * std::abs(middle[i]);  // of the differences, divided by their increments
    for (Eigen::Index j = 0; j < n; ++j)
      EXPECT_NEAR(exact(i, j), difference(i, j), tolerance * scale + rounding)
          << (i < n ? "rate of " + linear.states[static_cast<std::size_t>(i)].name : linear.outputs[static_cast<std::size_t>(i - n)].name)
          << " by " << linear.states[static_cast<std::size_t>(j)].name;
  }
}

void expect_derivative_at(const std::shared_ptr<const CompiledModel>& model, double time, double tolerance = 1e-6, double step = 2e-4) {
  Runner run(model);
  if (time > 0) run.advance(time);
  if (model->planar)
    expect_derivative<2>(model, run.state(), tolerance, step);
  else
    expect_derivative<3>(model, run.state(), tolerance, step);
}

TEST(LinearModel, IsTheDerivativeOfAMeteringCircuitWithReliefsAndChecks) {
  // extending, at a stop of its load, and pulled along
  const std::string solver = "solver: {step: 0.5 ms, duration: 2 s}\n";
  expect_derivative_at(test::model_from(test::metering_machine("signals: {lever: {ramps: [[0, 0.3], [0.2 s, 0.8]]}}\n"
                                                               "forces: {load: {joint: mass, load: -100 kN}}\n" +
                                                               solver)),
                       0.15);
  expect_derivative_at(test::model_from(test::metering_machine("signals: {lever: {ramps: [[0, 0], [0.1 s, 0.7]]}}\n"
                                                               "forces: {load: {joint: mass, load: -1200 kN}}\n" +
                                                               solver)),
                       0.3);
  expect_derivative_at(test::model_from(test::metering_machine("signals: {lever: {ramps: [[0, -0.1], [0.2 s, -0.6]]}}\n"
                                                               "forces: {load: {joint: mass, load: 60 kN}}\n" +
                                                               solver),
                                        {"valves.ph.orifice.time_constant=20 ms", "valves.th.orifice.time_constant=30 ms"}),
                       0.2);
}

/// The arms of the quasistatic circuits: valves open, held, the pump's relief valve open or (less flow) closed, regeneration, two on a
/// pump.
TEST(LinearModel, IsTheDerivativeOfQuasistaticCircuits) {
  const std::string lift = "quasistatic.circuit.actuators.lift.", B_A = "B_A={area: 1 cm^2, discharge: 0.6}",
                    first = "quasistatic.circuit.actuators.lift_1.", second = "quasistatic.circuit.actuators.lift_2.";
  struct Case {
    const char* example;
    std::vector<std::string> set;
    double time;
  };
  const Case cases[] = {
      {"arm_quasistatic", {}, 1.1},
      {"arm_quasistatic", {}, 4.2},
      {"arm_quasistatic", {"quasistatic.circuit.flow=100 L/min", lift + "time_constant=50 ms"}, 4.2},
      {"arm_quasistatic", {"sources.tank.pressure=1 MPa"}, 7.8},
      {"arm_regeneration", {}, 1.3},
      {"arm_regeneration", {"quasistatic.circuit.flow=200 L/min"}, 1.3},
      {"two_arms_one_pump", {}, 1.5},
      {"two_arms_one_pump", {"quasistatic.circuit.flow=200 L/min"}, 1.5},
      {"two_arms_one_pump", {"quasistatic.circuit.flow=300 L/min", "signals.lever_1=0.6", first + B_A, second + B_A}, 1.4}};
  for (const Case& c : cases) {
    SCOPED_TRACE(std::string(c.example) + " " + std::to_string(c.time) + (c.set.empty() ? "" : " " + c.set[0]));
    expect_derivative_at(test::load_example(c.example, c.set), c.time, 1e-6);
  }
}

/// Control blocks in the places of signals: soil and quasistatic circuits.
TEST(LinearModel, IsTheDerivativeOfPlacesThatFollowBlocks) {
  const std::string soil = R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {boom: {rod: {length: 2 m, mass: 40 kg}}, arm: {inertia: [5, 7, 8], mass: 15 kg, center_of_mass: [0.6 m, 0, 0]}}
joints: {boom: {revolute: {parent: ground, axis: z}, angle: 10 deg, rate: -0.3 rad/s}, arm: ARM}
forces: {cut: {body: arm, at: [1.1 m, -0.1 m, 0], soil: {force: 120 N, depth: 0.9 m, speed: 0.5 m/s, normal: NORMAL}, signal: hardness}}
control:
  hardness: {sum: {inputs: [rate, low], gains: [-0.5, 1], offset: 0.7}}
  rate: {low_pass: {input: boom.rate, time_constant: 50 ms}}
  low: {expression: '0.3 * boom.rate^2 - 0.4 * sin(boom.angle)'}
solver: {step: 1 ms, duration: 1 s}
)";
  const auto with = [&](const std::string& arm, const std::string& normal) {
    std::string text = soil;
    text.replace(text.find("ARM"), 3, arm);
    text.replace(text.find("NORMAL"), 6, normal);
    return test::model_from(text);
  };
  expect_derivative_at(with("{revolute: {parent: boom, at: [2 m, 0, 0], axis: z}, angle: -50 deg}", "y"), 0.3);
  expect_derivative_at(with("{spherical: {parent: boom, at: [2 m, 0, 0]}, rotation: [0.3, -0.2, -0.7], angular_velocity: [0.4, 0.7, -0.5]}",
                            "[0.2, 1, 0.1]"),
                       0.3);
  const std::vector<std::string> arm{
      "control={lever_by: {pid: {setpoint: -0.3, measurement: arm.angle, gain: -4, integral_time: 2 s}}, flow_by: {sum: {inputs: [demand], "
      "gains: [6e-3], offset: 2e-3}}, demand: {low_pass: {input: fast, time_constant: 50 ms}}, fast: {expression: 'hypot(lever_by, "
      "0.02)'}, "
      "tank_by: {sum: {inputs: [lift.length, lift.rate], gains: [2e5, 1e5], offset: 2e5}}, bleed_by: {gain: {input: demand, gain: -0.3, "
      "offset: 0.5}}}",
      "quasistatic.circuit.actuators.lift.command=lever_by", "quasistatic.circuit.flow=flow_by", "sources.tank.pressure=tank_by",
      "quasistatic.circuit.bleed.command=bleed_by"};
  expect_derivative_at(test::load_example("arm_quasistatic", arm), 0.4);
  std::vector<std::string> lagged = arm;
  lagged.emplace_back("quasistatic.circuit.actuators.lift.time_constant=60 ms");
  expect_derivative_at(test::load_example("arm_quasistatic", lagged), 0.4);
}

TEST(LinearModel, OfAQuasistaticCircuitKnowsItsKinks) {
  const auto model = test::load_example("arm_quasistatic");
  const LinearModel linear = linearise(model, start_state(*model));
  EXPECT_EQ(linear.sizes.p, 1);
  EXPECT_EQ(linear.sizes.f, 0);
  EXPECT_EQ(linear.states.size(), 3U);
  const auto kink = std::find_if(linear.warnings.begin(), linear.warnings.end(),
                                 [](const std::string& w) { return w.find("lift.spool = 0 is on a kink") != std::string::npos; });
  EXPECT_NE(kink, linear.warnings.end());
  // a valve that may not open: the regeneration valve while the rod retracts
  const auto retracting = test::load_example("arm_regeneration", {"signals.lever=-0.5", "signals.regeneration=0"});
  EXPECT_NO_THROW(linearise(retracting, start_state(*retracting)));
}

TEST(LinearModel, OfARunOfTheDiscreteFormIsThatOfItsEquationsThere) {
  for (const char* example : {"arm_regeneration", "two_arms_one_pump"}) {
    const auto discrete = test::load_example(example, {"quasistatic.circuit.form=discrete"}), equations = test::load_example(example);
    Runner run(discrete);
    run.advance(1.3);
    StateVector there(equations->layout);
    there.time = run.state().time;
    std::copy_n(run.state().q(), equations->layout.nq, there.q());
    std::copy_n(run.state().v(), equations->layout.nv, there.v());
    for (std::size_t i = 0; i < equations->state_names.size(); ++i)
      there.y()[i] = run.state().y()[std::find(discrete->state_names.begin(), discrete->state_names.end(), equations->state_names[i]) -
                                     discrete->state_names.begin()];
    const LinearModel found = linearise(discrete, run.state()), expected = linearise(equations, there);
    EXPECT_EQ(found.A, expected.A) << example;
    EXPECT_EQ(found.B, expected.B) << example;
    EXPECT_EQ(found.C, expected.C) << example;
    ASSERT_EQ(found.warnings.size(), expected.warnings.size() + 1) << example;
    EXPECT_TRUE(found.warnings.back().starts_with("quasistatic.circuit.form: discrete states cannot be linearised")) << example;
  }
}

TEST(LinearModel, WarnsAtTheLimitOfAJointByTheNameOfItsChannel) {
  const auto model = test::model_from(R"(
trunnion: 1
gravity: [0, 0, -9.81]
bodies: {slide: {mass: 2, inertia: [1, 1, 1]}, mass: {mass: 3, inertia: [1, 1, 1]}}
joints:
  slide: {cylindrical: {parent: ground, axis: z}, position: 1 m, limits: {position: {minimum: 1 m, stiffness: 1e4}}}
  mass: {prismatic: {parent: ground, axis: x}, speed: 0.25, friction: {model: bengisu_akay, coulomb: 2, static: 3, stribeck_velocity: 0.25, decay: 20}}
solver: {step: 1 ms, duration: 1 s}
)");
  std::vector<std::string> kinks;
  for (const std::string& warning : linearise(model, start_state(*model)).warnings)
    if (const std::size_t end = warning.find(" is on a kink"); end != std::string::npos) kinks.push_back(warning.substr(0, end));
  EXPECT_EQ(kinks, (std::vector<std::string>{"slide.position = 1", "mass.speed = 0.25"}));
  const auto observer = make_observer(model);
  for (const char* name : {"slide.position", "mass.speed"})
    EXPECT_TRUE(std::any_of(observer->channels().begin(), observer->channels().end(), [&](const Channel& c) { return c.name == name; }))
        << name;
}

TEST(LinearModel, IndependentCoordinatesCanBeChosen) {
  const auto model = test::load_example("four_bar_linear");
  const StateVector start = start_state(*model);
  const LinearModel pivoted = linearise(model, start);
  const auto sorted = [](const LinearModel& linear) {
    std::vector<std::complex<double>> values;
    for (const Eigenvalue& e : spectrum(linear.A, linear.states).eigenvalues) values.push_back(e.value);
    return values;
  };
  const std::vector<std::complex<double>> expected = sorted(pivoted);
  for (const std::string name : {"crank.angle", "coupler.angle", "rocker.angle"}) {
    LinearOptions options;
    options.independent = {name};
    const LinearModel chosen = linearise(model, start, options);
    EXPECT_EQ(chosen.partition.independent, std::vector<std::string>{name});
    EXPECT_EQ(chosen.states.front().name, name);
    const std::vector<std::complex<double>> found = sorted(chosen);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_LT(std::abs(found[i] - expected[i]), 1e-9 * std::abs(expected[i]) + 1e-9) << name;
  }
  LinearOptions two;
  two.independent = {"crank.angle", "rocker.angle"};
  EXPECT_THROW(linearise(model, start, two), SimulationError);
  LinearOptions unknown;
  unknown.independent = {"crank.angel"};
  EXPECT_THROW(linearise(model, start, unknown), InputError);
}

TEST(LinearModel, IsTheDerivativeOfTheExamplesOnTheirWay) {
  for (bool spatial : {false, true}) expect_derivative_at(test::model_from(test::busy_machine(spatial)), 0.05);
  for (const auto& [name, time] : std::initializer_list<std::pair<const char*, double>>{{"four_bar", 1.7},
                                                                                        {"four_bar_lift", 1.3},
                                                                                        {"quick_return", 1.3},
                                                                                        {"slewing_crane", 1.1},
                                                                                        {"crane_single", 1.3},
                                                                                        {"crane_double", 1.3},
                                                                                        {"spatial_slider_crank", 0.4},
                                                                                        {"lever", 0.6},
                                                                                        {"rolling_disc", 0.7},
                                                                                        {"bicycle", 0.3},
                                                                                        {"ladder", 0.2}}) {
    SCOPED_TRACE(name);
    expect_derivative_at(test::load_example(name), time);
  }
}

/// Column of an input compared with machines of `other(change)`, at `time`.
template <int D, class Other>
void expect_input_derivative(const std::shared_ptr<const CompiledModel>& model, double time, const std::string& input, double value,
                             double size, Other&& other) {
  SCOPED_TRACE(input);
  StateVector reference = start_state(*model);
  reference.time = time;
  const LinearModel linear = linearise(model, reference);
  Reduction<D> reduction(model);
  reduction.set_reference(reference);
  const auto at = [&](double change) { return Neighbour<D>(other(change), linear, reduction).at(0, 0); };
  const Eigen::VectorXd difference = (8 * (at(size) - at(-size)) - at(2 * size) + at(-2 * size)) / (12 * size);
  std::size_t j = 0;
  while (j < linear.inputs.size() && linear.inputs[j].name != input) ++j;
  ASSERT_LT(j, linear.inputs.size());
  EXPECT_NEAR(linear.inputs[j].reference, value, 1e-12 * std::abs(value) + 1e-15);
  const auto n = static_cast<Eigen::Index>(linear.states.size()), column = static_cast<Eigen::Index>(j);
  Eigen::VectorXd exact(n + linear.D.rows());
  exact << linear.B.col(column), linear.D.col(column);
  EXPECT_GT(exact.cwiseAbs().maxCoeff(), 0);
  for (Eigen::Index i = 0; i < exact.size(); ++i) {
    const double reference_size = i < n ? std::abs(linear.drift[i]) + linear.A.row(i).cwiseAbs().maxCoeff()
                                        : nothing(linear.outputs[static_cast<std::size_t>(i - n)]) * 1e6;
    EXPECT_NEAR(exact[i], difference[i], 1e-6 * std::abs(exact[i]) + 1e-10 * reference_size / size)
        << (i < n ? linear.states[static_cast<std::size_t>(i)].name : linear.outputs[static_cast<std::size_t>(i - n)].name);
  }
}

template <int D>
void expect_inputs(std::string text) {
  const auto replace = [&](const std::string& from, const std::string& to) { text.replace(text.find(from), from.size(), to); };
  replace("signal: gust}\n  jet", "signal: wind}\n  jet");
  replace("load: 40 N m, signal: gust", "load: 40 N m, signal: motor");
  replace("time_constant: 20 ms}, signal: gust", "time_constant: 20 ms}, signal: command");
  replace("signals:\n", "signals:\n  wind: 0.7\n  motor: 0.5\n  command: 3\n  hole: 0.6\n");
  replace("11.313708498984761 mm}, signal: gust", "11.313708498984761 mm}, signal: hole");
  const auto expect = [&](const std::string& input, const std::string& path, double value, double size) {
    expect_input_derivative<D>(test::model_from(text), 0, input, value, size,
                               [&](double change) { return test::model_from(text, {path + "=" + std::to_string(value + change)}); });
  };
  expect("pump.pressure", "sources.pump.pressure", 12e6, 1e4);
  expect("tank.pressure", "sources.tank.pressure", 1e5, 1e3);
  expect("gear.flow", "sources.gear.flow", 5e-5, 1e-6);
  expect("valve.signal", "signals.command", 3, 0.01);
  expect("throttle.signal", "signals.hole", 0.6, 0.01);
  expect("wind.factor", "signals.wind", 0.7, 0.01);
  expect("motor.factor", "signals.motor", 0.5, 0.01);
  // the same start and another motion: value and rate at 0.05 s
  const auto way = [&](double value, double rate) {
    return test::model_from(text, {fmt::format("signals.path={{ramps: [[0, 0.1], [0.04, {:.17g}], [0.06, {:.17g}]]}}", value - 0.01 * rate,
                                               value + 0.01 * rate)});
  };
  expect_input_derivative<D>(way(0.1, 0), 0.05, "drive.motion", 0.1, 1e-3, [&](double change) { return way(0.1 + change, 0); });
  expect_input_derivative<D>(way(0.1, 0), 0.05, "drive.motion.rate", 0, 5e-5, [&](double change) { return way(0.1, change); });
  replace("time_constant: 20 ms", "time_constant: 0 ms");
  expect("valve.signal", "signals.command", 3, 0.01);
}

TEST(LinearModel, HasLeversAndThePumpOfAQuasistaticCircuitAsInputs) {
  for (const char* flow : {"0.0085", "0.003"}) {  // the pump's relief valve open, closed
    const std::vector<std::string> base{"signals.lever=0.5", "signals.regeneration=0.3", std::string("quasistatic.circuit.flow=") + flow,
                                        "sources.tank.pressure=0.1 MPa", "joints.arm.rate=-1"};
    const auto machine = [&](const std::string& set) {
      std::vector<std::string> all = base;
      if (!set.empty()) all.push_back(set);
      return test::load_example("arm_regeneration", all);
    };
    const auto expect = [&](const std::string& input, const std::string& path, double value, double size) {
      expect_input_derivative<2>(machine(""), 0, input, value, size,
                                 [&](double change) { return machine(fmt::format("{}={:.17g}", path, value + change)); });
    };
    expect("lift.signal", "signals.lever", 0.5, 1e-3);
    expect("lift.B_A.signal", "signals.regeneration", 0.3, 1e-3);
    expect("circuit.bleed.signal", "quasistatic.circuit.bleed.command", 0.3, 1e-3);
    if (flow == std::string("0.003")) expect("circuit.flow", "quasistatic.circuit.flow", 0.003, 1e-6);
    expect("tank.pressure", "sources.tank.pressure", 1e5, 1e3);
  }
}

TEST(LinearModel, IsTheDerivativeOfVariableMotorsPumpsOnShaftsAndCushions) {
  for (const char* text : {test::kShaftDrive, test::kCushionedCylinder}) expect_derivative_at(test::model_from(text), 0.12);
  for (const auto& [input, path, value] : {std::tuple{"drive.fraction.signal", "signals.share.sine.offset", 0.75},
                                           std::tuple{"main.fraction.signal", "signals.swash.sine.offset", 0.6}})
    expect_input_derivative<2>(test::model_from(test::kShaftDrive), 0, input, value, 1e-3, [&](double change) {
      return test::model_from(test::kShaftDrive, {fmt::format("{}={:.17g}", path, value + change)});
    });
}

TEST(LinearModel, HasSourcesSignalsOpeningsLoadsAndMotionsAsInputs) {
  expect_inputs<2>(test::busy_machine(false));
  expect_inputs<3>(test::busy_machine(true));
}

/// A number cannot be moved, a signal can; the equations are those of both.
TEST(LinearModel, HasNoInputsForNumbersThatControlBlocksRead) {
  const auto controlled = [](const std::string& target) {
    const auto model = test::model_from(R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {cart: {point_mass: {mass: 2 kg}}}
joints: {cart: {prismatic: {parent: ground, axis: x}}}
signals: {target: {constant: 0.5}}
control: {position: {pid: {setpoint: )" +
                                        target + R"(, measurement: cart.position, gain: 10, derivative_time: 0.1}}}
forces: {push: {joint: cart, load: 1 N, signal: position}}
solver: {step: 1 ms, duration: 1 s}
)");
    return linearise(model, start_state(*model));
  };
  const LinearModel number = controlled("0.5"), signal = controlled("target");
  EXPECT_TRUE(number.inputs.empty());
  ASSERT_EQ(signal.inputs.size(), 1U);
  EXPECT_EQ(signal.inputs[0].name, "target");
  EXPECT_EQ(number.A, signal.A);
  EXPECT_NEAR(signal.B(1, 0), 10.0 / 2, 1e-12);
}

/// A moving cart pulls a mass by a spring: its acceleration causes its own inertia force and a pull.
TEST(LinearModel, TakesTheAccelerationOfAMotionAsAnInput) {
  const auto model = test::model_from(R"(
trunnion: 1
bodies: {cart: {point_mass: {mass: 2 kg}}, rider: {point_mass: {mass: 3 kg}}}
joints:
  cart:  {prismatic: {parent: ground, axis: x}, position: 0}
  rider: {prismatic: {parent: cart, axis: x}, position: 0}
motions: {drive: {joint: cart, signal: path}}
signals: {path: {sine: {amplitude: 0.1 m, frequency: 1 Hz}}}
solver: {step: 1 ms, duration: 1 s}
)");
  LinearOptions options;
  options.outputs = {"cart.acceleration", "drive.multiplier_1"};
  const LinearModel linear = linearise(model, start_state(*model), options);
  ASSERT_EQ(linear.inputs.size(), 3u);
  EXPECT_EQ(linear.inputs[2].name, "drive.motion.acceleration");
  ASSERT_EQ(linear.states.size(), 2u);
  EXPECT_EQ(linear.states[1].name, "rider.speed");
  EXPECT_NEAR(linear.B(1, 2), -1, 1e-14);  // it stays behind
  EXPECT_NEAR(linear.D(0, 2), 1, 1e-14);
  EXPECT_NEAR(linear.D(1, 2), -2, 1e-13);  // M a + Phi_q^T lambda = 0
}

TEST(LinearModel, AllocatesNothingForOneReferenceAfterTheOther) {
  if (!test::allocations_are_counted()) GTEST_SKIP() << "another operator new is in use";
  for (const char* name : {"bicycle", "slewing_crane"}) {
    const auto model = test::load_example(name);
    const StateVector start = start_state(*model);
    Reduction<3> reduction(model);
    std::vector<double> A;
    const auto compute = [&] {
      reduction.set_reference(start);
      reduction.jacobian(A);
    };
    compute();
    const long before = test::allocations();
    compute();
    EXPECT_EQ(test::allocations(), before) << name;
  }
}

TEST(LinearModel, HasTheEigenvaluesOfTheBenchmarkBicycle) {
  for (const problems::WhipplePublished& published : problems::whipple_published()) {
    SCOPED_TRACE(std::to_string(published.v) + " m/s");
    const auto model = test::load_example("bicycle", {"joints.frame.velocity.0=" + std::to_string(published.v)});
    const LinearModel linear = linearise(model, start_state(*model));
    EXPECT_FALSE(linear.changes);
    EXPECT_TRUE(linear.warnings.empty());
    EXPECT_EQ(linear.sizes.m, 2);
    EXPECT_EQ(linear.sizes.l, 4);
    ASSERT_EQ(linear.states.size(), 10u);  // 2n - 2m - l
    const Spectrum s = spectrum(linear.A, linear.states);
    std::vector<std::complex<double>> found;
    for (const Eigenvalue& e : s.eigenvalues)
      if (e.value != 0.0) found.push_back(e.value);
    ASSERT_EQ(found.size(), 4u);  // speed, path and wheel angles: unconstrained
    for (std::size_t i = 0; i < 4; ++i) EXPECT_LT(std::abs(found[i] - published.eigenvalues[i]), 1e-11) << found[i];
  }
}

TEST(LinearModel, IsTheDerivativeOfRandomMachinesWithLoopsAndHydraulics) {
  const char* asked = std::getenv("TRUNNION_SEEDS");
  const int seeds = asked != nullptr ? std::atoi(asked) : test::allocations_are_counted() ? 50 : 5;
  for (int seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_derivative_at(test::model_from(test::random_machine(static_cast<unsigned>(seed), seed % 3 == 2).text), 0.3);
  }
}

TEST(LinearModel, IsTheDerivativeOfRandomMachinesOnAQuasistaticCircuit) {
  const int seeds = test::allocations_are_counted() ? 12 : 3;
  for (int seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_derivative_at(
        test::model_from(test::random_machine(static_cast<unsigned>(seed), seed % 3 == 2, test::RandomOil::quasistatic).text), 0.3, 3e-6,
        1e-5);  // elements are stiff: kinks are near
  }
}

}  // namespace
}  // namespace trunnion
