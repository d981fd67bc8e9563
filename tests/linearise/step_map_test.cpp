// The derivative of a step is compared with central differences of the step itself, for every constraint treatment, integrator and rule of
// the oil, on machines with oil, friction states, spools, open chains, closed loops in space, wheels and quasistatic circuits.
// SPDX-License-Identifier: BSD-3-Clause
#include "linearise/step_map.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>

#include "base/diagnostic.h"
#include "linearise/outer_input.h"
#include "linearise/rotation_step.h"
#include "linearise/step_columns.h"
#include "machine/start.h"
#include "run/run.h"
#include "support/allocation_counter.h"
#include "support/machines.h"
#include "support/random_machine.h"

namespace trunnion {
namespace {

using test::load_example;
using test::model_from;
using test::quintic;
using test::with_outer_input;
using Models = std::function<std::shared_ptr<const CompiledModel>(double)>;  // the machine with an input changed

/// A size of a state that it moves by.
double size_of(const LinearVariable& state) {
  if (state.unit == "Pa") return 1e5;
  if (state.name.ends_with("bristle")) return 1e-5;
  if (state.name.ends_with("film")) return 1e-2;
  return 0.1;
}

/// A machine, a state on its coordinates, and the step from there.
class StepAt {
 public:
  StepAt(std::shared_ptr<const CompiledModel> model, const StateVector& state)
      : model_(std::move(model)), stepper_(make_stepper(model_)), minimal_(model_, state), before_(state) {
    x_.resize(static_cast<std::size_t>(minimal_.size()));
    minimal_.read(before_, x_);
    minimal_.set(x_, before_);
    before_.forget_history();
    after_ = step(*stepper_, minimal_, before_, 0, 0);
    linear_.independent = minimal_.independent();
    linear_.velocity_dependent = minimal_.velocity_dependent();
    linear_.first_order = minimal_.first_order();
    linear_.states.resize(x_.size());
  }
  const StateVector& before() const { return before_; }
  const StateVector& after() const { return after_; }
  const StepOutcome& report() const { return report_; }
  double h() const { return model_->description.solver.step; }
  const std::vector<LinearVariable>& states() const { return minimal_.variables(); }

  /// Derivative of the state after with respect to state j, times its size.
  Eigen::VectorXd by_state(int j, int steps = 1) {
    if (steps > 1) after_ = step(*stepper_, minimal_, before_, 0, 0, steps);
    return derivative(size_of(states()[static_cast<std::size_t>(j)]),
                      [&](double change) { return step(*stepper_, minimal_, before_, j, change, steps); });
  }
  /// With respect to the input by which the machines of `other` differ, times `size`.
  Eigen::VectorXd by_input(double size, const Models& other) {
    return derivative(size, [&](double change) {
      const auto model = other(change);
      MinimalState minimal(model, before_);
      EXPECT_EQ(minimal.independent(), minimal_.independent());
      return step(*make_stepper(model), minimal, before_, 0, 0);
    });
  }

 private:
  StateVector step(Stepper& stepper, MinimalState& minimal, StateVector at, int j, double change, int steps = 1) {
    std::vector<double> x = x_;
    x[static_cast<std::size_t>(j)] += change;
    minimal.set(x, at);
    EXPECT_TRUE(stepper.restart(at));
    StepOutcome report;
    for (int i = 0; i < steps && report.ok(); ++i) {
      report = stepper.step(at, h());
      if (report.status == StepStatus::unresolved) {  // the same equations: pressures moved far
        stepper.accept(at);
        report.status = StepStatus::converged;
      }
    }
    if (change == 0) {
      report_ = report;
      EXPECT_TRUE(report.ok()) << static_cast<int>(report.status) << " " << stepper.unknown_name(report.worst);
    } else if (!report.ok()) {
      at.v()[0] = at.y()[0] = std::nan("");  // too far: this increment is not used
    }
    return at;
  }

  /// Sixth-order central differences over the increments at which they change least from one to the next.
  template <class At>
  Eigen::VectorXd derivative(double size, At&& at) {
    const auto n = static_cast<Eigen::Index>(x_.size());
    Eigen::VectorXd last, best = Eigen::VectorXd::Zero(n), smallest = Eigen::VectorXd::Constant(n, 1e300);
    for (double h : {3e-2, 1e-2, 3e-3, 1e-3, 1e-4, 1e-5}) {
      const auto moved = [&](double change) { return linear_state(*model_, linear_, after_, at(change * h * size)); };
      Eigen::VectorXd d = (45 * (moved(1) - moved(-1)) - 9 * (moved(2) - moved(-2)) + moved(3) - moved(-3)) / (60 * h);
      if (!d.allFinite()) d.setConstant(std::nan(""));
      if (last.size() > 0)
        for (Eigen::Index i = 0; i < n; ++i)
          if (const double change = std::abs(d[i] - last[i]); change < smallest[i]) {
            smallest[i] = change;
            best[i] = d[i];
          }
      last = d;
    }
    EXPECT_LT(smallest.maxCoeff(), 1e300) << "no increment is short enough";
    return best;
  }

  std::shared_ptr<const CompiledModel> model_;
  std::unique_ptr<Stepper> stepper_;
  MinimalState minimal_;
  StateVector before_, after_;
  StepOutcome report_;
  LinearModel linear_;
  std::vector<double> x_;
};

/// The tolerances of Newton's method at which differences of steps have enough digits.
std::vector<std::string> tight(const std::vector<std::string>& set) {
  std::vector<std::string> all{"solver.tolerance_position=1e-13", "solver.max_iterations=40", "solver.tolerance_pressure=1e-6 Pa",
                               "solver.tolerance_other=1e-11"};
  all.insert(all.end(), set.begin(), set.end());
  return all;
}

/// Largest difference of F from that by differences, of each row's largest entry; states in their sizes.
/// Its scale is at least `floor` of the row of F itself, however little the step changes.
double largest_error(const std::shared_ptr<const CompiledModel>& model, const StateVector& state, double floor, bool verbose = false) {
  StepAt at(model, state);
  TransitionMap map(model, at.before());
  map.evaluate(at.before(), at.after(), at.h(), at.report());
  const auto n = static_cast<Eigen::Index>(at.states().size());
  Eigen::MatrixXd exact = map.F(), difference(n, n);
  for (Eigen::Index j = 0; j < n; ++j) {
    difference.col(j) = at.by_state(static_cast<int>(j));
    exact.col(j) *= size_of(at.states()[static_cast<std::size_t>(j)]);
  }
  double largest = 0;
  for (Eigen::Index i = 0; i < n; ++i) {
    double scale = std::max(1e-12, floor * exact.row(i).cwiseAbs().maxCoeff());  // of what the step changes
    for (Eigen::Index j = 0; j < n; ++j)
      scale = std::max(scale, std::abs(exact(i, j) - (i == j ? size_of(at.states()[static_cast<std::size_t>(i)]) : 0)));
    for (Eigen::Index j = 0; j < n; ++j) {
      const double error = std::abs(exact(i, j) - difference(i, j)) / scale;
      if (verbose && error > 1e-6)
        std::cout << "  " << at.states()[static_cast<std::size_t>(i)].name << " by " << at.states()[static_cast<std::size_t>(j)].name
                  << ": " << exact(i, j) << " " << difference(i, j) << " error " << error << "\n";
      largest = std::max(largest, error);
    }
  }
  return largest;
}

/// Largest difference of the columns of G, of a row's size in F and G together.
double largest_input_error(const std::shared_ptr<const CompiledModel>& model, const StateVector& state) {
  StepAt at(model, state);
  TransitionMap map(model, at.before());
  map.evaluate(at.before(), at.after(), at.h(), at.report());
  const LinearModel linear = linearise(model, at.before());
  EXPECT_EQ(linear.inputs.size(), map.inputs().size());
  const double t = at.before().time, h = at.h();
  double largest = 0;
  for (std::size_t j = 0; j < map.inputs().size(); ++j) {
    EXPECT_EQ(map.inputs()[j].name, linear.inputs[j].name);
    const LinearInput& input = linear.signals[j];
    const SignalValue a = model->signals.evaluate(input.signal, t, Side::right, nullptr),
                      b = model->signals.evaluate(input.signal, t + h, Side::left, nullptr);
    const std::string& unit = map.inputs()[j].unit;
    // a rate that does not belong to the value is a violation; a large one would be removed in another metric
    const bool slight = input.kind == LinearInput::Kind::rate && model->description.solver.constraints == ConstraintKind::penalty;
    const double size = unit == "Pa" ? 1e5 : unit == "m^3/s" ? 1e-5 : slight ? 1e-6 : 0.1;
    TimePolynomial course;
    const Eigen::VectorXd difference = at.by_input(size, [&](double change) {
      SignalValue from = a, to = b;
      for (SignalValue* x : {&from, &to})
        (input.kind == LinearInput::Kind::rate           ? x->rate
         : input.kind == LinearInput::Kind::acceleration ? x->acceleration
                                                         : x->value) += change;
      course = quintic(t, h, from, to);
      return with_outer_input(*model, input.signal, &course);
    });
    const Eigen::VectorXd exact = map.G().col(static_cast<Eigen::Index>(j)) * size;
    EXPECT_GT(exact.cwiseAbs().maxCoeff(), 0) << map.inputs()[j].name;
    for (Eigen::Index i = 0; i < exact.size(); ++i) {
      double row = 0;
      for (Eigen::Index k = 0; k < exact.size(); ++k)
        row = std::max(row, std::abs(map.F()(i, k)) * size_of(at.states()[static_cast<std::size_t>(k)]));
      const double scale = std::max(1e-2 * row, std::abs(exact[i]));
      const double error = std::abs(exact[i] - difference[i]) / scale;
      if (error > 1e-6 && std::getenv("STEP_MAP_VERBOSE") != nullptr)
        std::cout << "  " << at.states()[static_cast<std::size_t>(i)].name << " by " << map.inputs()[j].name << ": " << exact[i] << " "
                  << difference[i] << " error " << error << "\n";
      largest = std::max(largest, error);
    }
  }
  return largest;
}

/// Largest difference of F by equations from that by numbers with derivatives, of an entry or of the state's size.
double largest_disagreement(const std::shared_ptr<const CompiledModel>& model, const StateVector& state) {
  StepAt at(model, state);
  TransitionMap map(model, at.before());
  map.evaluate(at.before(), at.after(), at.h(), at.report());
  Eigen::MatrixXd F;
  step_columns_factory()(*model, {})->by_states({map.coordinates(), at.before(), at.after(), at.h()}, F);
  EXPECT_EQ(F.rows(), map.F().rows());
  double largest = 0;
  for (Eigen::Index j = 0; j < F.cols(); ++j)
    for (Eigen::Index i = 0; i < F.rows(); ++i) {
      const double size = size_of(at.states()[static_cast<std::size_t>(j)]) / size_of(at.states()[static_cast<std::size_t>(i)]);
      largest = std::max(largest, std::abs(F(i, j) - map.F()(i, j)) * size / (1 + std::abs(map.F()(i, j)) * size));
    }
  return largest;
}

StateVector state_at(const std::shared_ptr<const CompiledModel>& model, double time) {
  Runner run(model);
  if (time > 0) run.advance(time);
  return run.state();
}

const bool kVerbose = std::getenv("STEP_MAP_VERBOSE") != nullptr;

void expect_derivative_at(const std::string& name, const StateVector& state, const std::vector<std::string>& set, double floor,
                          double tolerance = 1e-6) {
  const auto model = load_example(name, tight(set));
  StateVector own(model->layout);
  if (!(own.layout() == state.layout())) {
    ADD_FAILURE() << name << ": another layout";
    return;
  }
  const double error = largest_error(model, state, floor, kVerbose);
  if (kVerbose) std::cout << name << " " << fmt::format("{}", fmt::join(set, " ")) << ": " << error << std::endl;
  EXPECT_LT(error, tolerance) << name << " at " << state.time << " s, " << fmt::format("{}", fmt::join(set, ", "));
}
void expect_derivative(const std::string& name, double time, const std::vector<std::string>& set, double floor, double tolerance = 1e-6) {
  expect_derivative_at(name, state_at(load_example(name, tight(set)), time), set, floor, tolerance);
}

struct Case {
  const char* name;
  double time;
  std::vector<std::string> set;
  double tolerance = 1e-6;
};
constexpr double kRoll = 1e-4;  // of differences of the roll of the light rod between spherical joints, which have few digits

/// Oil with spools; friction states; open chains; loops in space; wheels and other velocity-level constraints; redundant rows; absolute
/// coordinates; quasistatic circuits.
const Case kCases[] = {{"four_bar_lift", 1.3, {}},
                       {"four_bar", 1.3, {}},
                       {"four_bar", 1.3, {"cylinders.lift.friction.model=lugre"}},
                       {"four_bar", 1.3, {"cylinders.lift.friction.model=modified_lugre", "cylinders.lift.friction.states=local"}},
                       {"quick_return", 1.3, {}},
                       {"lever", 0.6, {}},
                       {"crane_single", 1.3, {}},
                       {"crane_single", 1.3, {"solver.coordinates=cartesian"}},
                       {"crane_double", 1.3, {}},
                       {"slewing_crane", 1.1, {}},
                       {"excavator",
                        1.1,
                        {"signals.boom={ramps: [[0.2 s, 0], [0.5 s, 0.6]]}", "signals.swing={ramps: [[0.2 s, 0], [0.6 s, 0.7]]}",
                         "signals.arm={ramps: [[0.2 s, 0], [0.5 s, 0.5]]}", "signals.bucket={ramps: [[0.2 s, 0], [0.5 s, 0.4]]}",
                         "solver.tolerance_position=1e-11", "solver.tolerance_pressure=1e-4 Pa", "solver.tolerance_other=1e-9"}},
                       {"spatial_slider_crank", 0.4, {}, kRoll},
                       {"rolling_disc", 0.7, {}},
                       {"bicycle", 0.3, {}},
                       {"ladder", 0.2, {}},
                       {"arm_quasistatic", 1.1, {}},
                       {"two_arms_one_pump", 1.5, {}}};

void expect_derivatives(const std::vector<std::string>& settings, double floor) {
  for (const Case& c : kCases) {
    std::vector<std::string> set = c.set;
    set.insert(set.end(), settings.begin(), settings.end());
    expect_derivative(c.name, c.time, set, floor, c.tolerance);
  }
}

TEST(StepMap, IsTheDerivativeOfDoubleStep) {
  for (const char* rule : {"auto", "trapezoidal"})
    expect_derivatives({"solver.constraints=double_step", std::string("solver.oil_rule=") + rule}, 1e-2);
}

TEST(StepMap, IsTheDerivativeOfPenalty) {
  for (const char* rule : {"auto", "trapezoidal"})
    expect_derivatives({"solver.constraints=penalty", std::string("solver.oil_rule=") + rule}, 1);
}

/// Steps long enough that the directions of the projections turn: their mean is taken, with every combination of the metrics. Differences
/// of the roll of the light rod between spherical joints have few digits, also without the mean.
TEST(StepMap, IsTheDerivativeOfPenaltyWithMeanDirections) {
  struct Steps {
    const char* name;
    double time;
    const char* step;
    double tolerance = 1e-6;
  };
  for (const Steps& c : {Steps{"four_bar", 1.3, "20 ms"}, Steps{"four_bar_lift", 1.3, "20 ms"}, Steps{"quick_return", 1.3, "10 ms"},
                         Steps{"quick_return", 1.3, "40 ms"}, Steps{"rolling_disc", 0.7, "10 ms"},
                         Steps{"spatial_slider_crank", 0.4, "2 ms", 2e-5}, Steps{"spatial_slider_crank", 0.4, "8 ms", 1e-4}}) {
    const auto model =
        load_example(c.name, tight({std::string("solver.step=") + c.step, "solver.constraints=penalty", "solver.oil_rule=trapezoidal"}));
    const StateVector state = state_at(load_example(c.name), c.time);
    const double error = largest_error(model, state, 1, kVerbose), input_error = largest_input_error(model, state);
    const double disagreement = largest_disagreement(model, state);
    if (kVerbose) std::cout << c.name << " " << c.step << ": " << error << " " << input_error << " " << disagreement << std::endl;
    EXPECT_LT(error, c.tolerance) << c.name << " " << c.step;
    EXPECT_LT(input_error, c.tolerance) << c.name << " " << c.step;
    EXPECT_LT(disagreement, 1e-7) << c.name << " " << c.step;
  }
  for (const bool spatial : {false, true}) {  // with prescribed motions
    const auto model = model_from(test::busy_machine(spatial), tight({"solver.constraints=penalty", "solver.step=5 ms"}));
    const StateVector state = state_at(model, 0.02);
    const double error = largest_error(model, state, 1, kVerbose), input_error = largest_input_error(model, state);
    if (kVerbose) std::cout << "busy " << spatial << ": " << error << " " << input_error << std::endl;
    EXPECT_LT(error, 1e-6) << spatial;
    EXPECT_LT(input_error, 1e-6) << spatial;
  }
}

TEST(StepMap, IsTheDerivativeOfExplicitSteps) {
  for (const char* integrator : {"rk4", "euler", "semi_implicit_euler"})
    for (const char* constraints : {"double_step", "baumgarte", "ali1"})
      for (const Case& c : kCases) {
        if (c.name == std::string("excavator")) continue;  // its poppets allow steps of half a microsecond only
        // where an implicit run is
        const StateVector state = state_at(load_example(c.name, c.set), c.time);
        std::vector<std::string> set = c.set;
        const bool stiff = !load_example(c.name, c.set)->hydraulics.volumes.empty();
        for (const std::string& more : {std::string("solver.integrator=") + integrator, std::string("solver.constraints=") + constraints,
                                        std::string("solver.step=") + (stiff ? "10 us" : "0.5 ms")})
          set.push_back(more);
        expect_derivative_at(c.name, state, set, 1e-4);
      }
}

/// Commands of motors and pumps on shafts, throttles that depend on lengths.
TEST(StepMap, IsTheDerivativeWithVariableMotorsAndCushions) {
  for (const char* text : {test::kShaftDrive, test::kCushionedCylinder})
    for (const char* constraints : {"double_step", "penalty", "rk4"}) {
      const bool explicit_steps = constraints == std::string("rk4");
      const auto implicit = model_from(text, tight({}));
      std::vector<std::string> set{explicit_steps ? "solver.constraints=double_step" : std::string("solver.constraints=") + constraints};
      if (explicit_steps) set.insert(set.end(), {"solver.integrator=rk4", "solver.step=10 us"});
      const auto model = model_from(text, tight(set));
      const StateVector state = state_at(implicit, 0.12);
      EXPECT_LT(largest_error(model, state, explicit_steps ? 1e-4 : 1, kVerbose), 1e-6) << constraints;
      EXPECT_LT(largest_input_error(model, state), 1e-6) << constraints;
    }
}

TEST(StepMap, IsTheDerivativeOnRandomMachines) {
  for (const int seed : {2, 3, 4}) {
    const std::string text = test::random_machine(static_cast<unsigned>(seed), seed % 3 == 2).text;
    for (const char* constraints : {"double_step", "penalty"}) {
      const auto model = model_from(text, tight({std::string("solver.constraints=") + constraints}));
      const double error = largest_error(model, state_at(model, 0.3), 1, kVerbose);
      if (kVerbose) std::cout << seed << " " << constraints << ": " << error << std::endl;
      EXPECT_LT(error, 1e-6) << "seed " << seed << ", " << constraints;
    }
  }
}

/// ali1 keeps redundant rows, the map drops them: the same accelerations where the rows agree.
TEST(StepMap, IsTheDerivativeWithRedundantRows) {
  int found = 0;
  for (unsigned seed = 1; found < 2 && seed < 40; ++seed) {
    const test::RandomMachine machine = test::random_machine(seed);
    if (!machine.redundant) continue;
    ++found;
    const StateVector state = state_at(model_from(machine.text), 0.3);
    for (const char* constraints : {"ali1", "baumgarte"})
      for (const char* integrator : {"rk4", "semi_implicit_euler"}) {
        const auto model = model_from(machine.text, tight({std::string("solver.constraints=") + constraints,
                                                           std::string("solver.integrator=") + integrator, "solver.step=10 us"}));
        const double error = largest_error(model, state, 1e-4, kVerbose);
        if (kVerbose) std::cout << "redundant " << seed << " " << constraints << " " << integrator << ": " << error << std::endl;
        EXPECT_LT(error, 1e-6) << "seed " << seed << ", " << constraints;
      }
  }
  EXPECT_EQ(found, 2);
}

/// All treatments approximate the same flow; their local errors, and those of the derivatives, are of third order.
TEST(StepMap, DiffersBetweenTreatmentsByThirdOrder) {
  const std::pair<const char*, double> machines[] = {{"four_bar_lift", 8e-4}, {"quick_return", 1.6e-3}, {"spatial_slider_crank", 8e-3}};
  for (const auto& [machine, longest] : machines) {
    const char* name = machine;
    const StateVector state = state_at(load_example(name), name == std::string("spatial_slider_crank") ? 0.4 : 1.3);
    const auto map_of = [&](const char* constraints, const char* integrator, double h) {
      const auto model = load_example(name, tight({std::string("solver.constraints=") + constraints,
                                                   std::string("solver.integrator=") + integrator, fmt::format("solver.step={:.17g}", h)}));
      StepAt at(model, state);
      TransitionMap map(model, at.before());
      map.evaluate(at.before(), at.after(), at.h(), at.report());
      Eigen::VectorXd sizes(map.F().rows());
      for (Eigen::Index i = 0; i < sizes.size(); ++i) sizes[i] = size_of(at.states()[static_cast<std::size_t>(i)]);
      return Eigen::MatrixXd(sizes.cwiseInverse().asDiagonal() * map.F() * sizes.asDiagonal());
    };
    for (const char* other : {"penalty"}) {
      double before = 0;
      for (const double h : {longest, longest / 2, longest / 4}) {
        const double apart = (map_of(other, "trapezoidal", h) - map_of("double_step", "trapezoidal", h)).cwiseAbs().maxCoeff();
        if (kVerbose) std::cout << name << " " << other << " " << h << ": " << apart << " " << before / apart << std::endl;
        if (before == 0) {
          EXPECT_GT(apart, 1e-9) << name << " " << other;
        } else {
          EXPECT_GT(before / apart, 6) << name << " " << other << " " << h;
        }
        before = apart;
      }
    }
  }
}

/// With the trapezoidal rule of the oil a run carries nothing from step to step beside its minimal vector but rounding and tolerances: the
/// derivatives of its steps chain. The rule `auto` carries its lag, which they hold.
TEST(StepMap, OfARunIsTheProductOfItsSteps) {
  constexpr int kSteps = 10;
  const auto error_of = [&](const std::string& constraints, const std::string& rule) {
    const auto model = load_example("four_bar_lift", tight({"solver.constraints=" + constraints, "solver.oil_rule=" + rule}));
    StepAt at(model, state_at(model, 1.3));
    const auto stepper = make_stepper(model);
    TransitionMap map(model, at.before());
    Eigen::MatrixXd F, G;
    StateVector state = at.before();
    for (int i = 0; i < kSteps; ++i) {
      const StateVector from = state;
      const StepOutcome report = stepper->step(state, at.h());
      EXPECT_TRUE(report.ok());
      map.evaluate(from, state, at.h(), report);
      if (i == 0) {
        F = map.F();
        G = map.G();
      } else {
        TransitionMap::chain(map, F, G);
      }
    }
    EXPECT_EQ(G.rows(), F.rows());
    Eigen::MatrixXd difference(F.rows(), F.cols());
    for (Eigen::Index j = 0; j < F.cols(); ++j) {
      difference.col(j) = at.by_state(static_cast<int>(j), kSteps);
      F.col(j) *= size_of(at.states()[static_cast<std::size_t>(j)]);
    }
    double largest = 0;
    for (Eigen::Index i = 0; i < F.rows(); ++i)
      largest = std::max(largest, (F.row(i) - difference.row(i)).cwiseAbs().maxCoeff() / F.row(i).cwiseAbs().maxCoeff());
    if (kVerbose) std::cout << constraints << " " << rule << " over a run: " << largest << std::endl;
    return largest;
  };
  for (const char* constraints : {"double_step", "penalty"}) EXPECT_LT(error_of(constraints, "trapezoidal"), 1e-5) << constraints;
  EXPECT_LT(error_of("double_step", "auto"), 0.05);
}

/// Lever, flow, tank and bleed valve of its circuit and the soil at its tip by control blocks.
const std::vector<std::string> kDrivenArm{
    "control={lever_by: {pid: {setpoint: -0.3, measurement: arm.angle, gain: -4, integral_time: 2 s}}, flow_by: {sum: {inputs: [demand], "
    "gains: [6e-3], offset: 2e-3}}, demand: {low_pass: {input: fast, time_constant: 50 ms}}, fast: {expression: 'hypot(lever_by, 0.02)'}, "
    "tank_by: {sum: {inputs: [lift.length, lift.rate], gains: [2e5, 1e5], offset: 2e5}}, bleed_by: {gain: {input: demand, gain: -0.3, "
    "offset: 0.5}}, hardness: {sum: {inputs: [lever_by, arm.rate], gains: [-0.5, 1], offset: 0.7}}}",
    "quasistatic.circuit.actuators.lift.command=lever_by",
    "quasistatic.circuit.flow=flow_by",
    "sources.tank.pressure=tank_by",
    "quasistatic.circuit.bleed.command=bleed_by",
    "forces.tip={body: arm, at: [3, 0, 0], soil: {force: 20 kN, depth: 3 m, speed: 0.3 m/s, normal: y}, signal: hardness}"};

/// Rules that are not differentiated by equations, and control blocks.
TEST(StepMap, OfOtherRulesAndControlledMachinesIsThatOfDifferences) {
  struct Steps {
    const char* name;
    double time;
    std::vector<std::string> set;
    double tolerance = 1e-6;
  };
  std::vector<std::string> cartesian = kDrivenArm;
  cartesian.emplace_back("solver.coordinates=cartesian");
  const std::vector<Steps> cases = {{"four_bar_lift", 1.3, {"solver.constraints=baumgarte"}},
                                    {"four_bar_lift", 1.3, {"solver.integrator=esdirk3"}},
                                    {"four_bar_lift", 1.3, {"solver.integrator=bdf2", "solver.constraints=double_step"}},
                                    {"four_bar_lift", 1.3, {"solver.integrator=generalized_alpha"}},
                                    {"slewing_crane", 0.4, {"solver.integrator=esdirk3", "solver.constraints=double_step"}},
                                    {"spatial_slider_crank", 0.4, {"solver.integrator=hht"}, 1e-4},
                                    {"position_servo", 0.5, {}},
                                    {"active_damping", 1.2, {}},
                                    {"arm_quasistatic", 0.4, kDrivenArm},
                                    {"arm_quasistatic", 0.4, cartesian}};
  for (const Steps& c : cases) {
    const auto model = load_example(c.name, tight(c.set));
    const double error = largest_error(model, state_at(model, c.time), 1e-3, kVerbose);
    if (kVerbose) std::cout << c.name << " " << fmt::format("{}", fmt::join(c.set, " ")) << ": " << error << std::endl;
    EXPECT_LT(error, c.tolerance) << c.name << " " << fmt::format("{}", fmt::join(c.set, " "));
  }
}

TEST(StepMap, EquationsAndNumbersWithDerivativesAgree) {
  for (const char* name : {"four_bar_lift", "slewing_crane", "spatial_slider_crank", "quick_return"})
    for (const char* constraints : {"double_step", "penalty"}) {
      const auto model = load_example(name, tight({std::string("solver.constraints=") + constraints}));
      EXPECT_LT(largest_disagreement(model, state_at(model, 0.4)), 2e-6) << name << " " << constraints;
    }
}

TEST(StepMap, RefusesWhatHasNoDerivative) {
  const auto refused = [](const std::vector<std::string>& set, const std::string& part, const char* name = "crane_single") {
    const auto model = load_example(name, set);
    try {
      TransitionMap map(model, start_state(*model));
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
      return;
    }
    ADD_FAILURE() << part << " is not refused";
  };
  refused({"solver.integrator=cvode", "solver.constraints=double_step"}, "cvode");
  refused({"solver.integrator=ida", "solver.constraints=baumgarte"}, "ida");
  refused({"solver.coupling=cosimulation"}, "co-simulation");
  refused({"quasistatic.circuit.form=discrete"}, "discrete", "arm_quasistatic");

  const auto model = load_example("four_bar_lift", {"solver.constraints=double_step"});
  StepAt at(model, state_at(model, 1.3));
  TransitionMap map(model, at.before());
  const auto step_refused = [&](const StateVector& after, double h, StepOutcome report, const std::string& part) {
    try {
      map.evaluate(at.before(), after, h, report);
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
      return;
    }
    ADD_FAILURE() << part << " is not refused";
  };
  StepOutcome subdivided = at.report(), stalled = at.report();
  subdivided.parts = 2;
  stalled.status = StepStatus::stalled;
  step_refused(at.after(), at.h(), subdivided, "subdivided");
  step_refused(at.after(), at.h(), stalled, "did not converge");
  step_refused(at.after(), 2 * at.h(), at.report(), "does not lead");
  StateVector halves = at.before();  // the same time by two steps
  const auto stepper = make_stepper(model);
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(stepper->step(halves, at.h() / 2).ok());
  halves.time = at.after().time;
  step_refused(halves, at.h(), at.report(), "not those of the rule");
  const auto penalty = load_example("four_bar_lift", {"solver.constraints=penalty"});
  TransitionMap other(penalty, at.before());
  EXPECT_THROW(other.evaluate(at.before(), halves, at.h(), at.report()), Error);
}

TEST(StepMap, AllocatesNothingAfterTheFirstCall) {
  if (!test::allocations_are_counted()) GTEST_SKIP() << "another operator new is in use";
  for (const char* constraints : {"double_step", "penalty"})
    for (const char* name : {"four_bar", "slewing_crane", "spatial_slider_crank"}) {
      const auto model = load_example(name, {std::string("solver.constraints=") + constraints, "solver.step=2 ms"});
      StepAt at(model, state_at(model, 0.4));
      TransitionMap map(model, at.before());
      map.evaluate(at.before(), at.after(), at.h(), at.report());
      const long before = test::allocations();
      map.evaluate(at.before(), at.after(), at.h(), at.report());
      EXPECT_EQ(test::allocations(), before) << name << " " << constraints;
    }
}

TEST(StepMap, TangentOfTheExponentialMapChangesAsItsDifferences) {
  for (const double size : {1e-3, 0.02, 0.04, 0.3, 2.5}) {
    const Vec<3> theta = size * Vec<3>(0.6, -0.64, 0.48), dtheta(0.3, 0.2, -0.5), x(0.1, 0.7, -0.4);
    const double e = 1e-4;
    const Vec<3> difference = (exponential_tangent(theta + e * dtheta) - exponential_tangent(theta - e * dtheta)) * x / (2 * e);
    EXPECT_LT((exponential_tangent_change(theta, dtheta, x) - difference).norm(), 1e-8) << size;
  }
}

TEST(StepMap, HasTheInputsOfLinearModels) {
  for (bool spatial : {false, true})
    for (const char* constraints : {"double_step", "penalty"}) {
      const auto model = model_from(test::busy_machine(spatial), tight({std::string("solver.constraints=") + constraints}));
      const double error = largest_input_error(model, state_at(model, 0.02));
      if (kVerbose) std::cout << constraints << " " << spatial << " inputs: " << error << "\n";
      EXPECT_LT(error, 1e-6) << constraints << spatial;
    }
}

}  // namespace
}  // namespace trunnion
