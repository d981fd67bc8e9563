// The evaluation of circuits at random states. Reference: the pressure equations written out for one volume, differences of the
// residuals and forces, a dense solution of the whole linear system.
// SPDX-License-Identifier: BSD-3-Clause
#include "hydraulics/circuit.h"
#include "hydraulics/oil_rule.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <random>

#include "cosimulation/mechanism_cut.h"
#include "hydraulics/control.h"
#include "hydraulics/linear_oil.h"
#include "model/machines.h"
#include "support/linear_algebra.h"
#include "support/machines.h"

namespace trunnion {
namespace {

using test::machine;
using test::state_index;

/// Three cylinders and a motor: two on one circuit, two on another; every element, every friction law with states, low pressures.
std::shared_ptr<const CompiledModel> everything() {
  static const auto kModel = machine(R"(
bodies: {a: {point_mass: {mass: 10}}, b: {point_mass: {mass: 10}}, c: {point_mass: {mass: 10}}, d: {mass: 10, inertia: [1, 1, 1]}}
joints:
  a: {prismatic: {parent: ground, axis: x}, position: 1 m}
  b: {prismatic: {parent: ground, axis: x}, position: 1 m}
  c: {prismatic: {parent: ground, axis: x}, position: 1 m}
  d: {revolute: {parent: ground, axis: z}, angle: 1}
fluid: {saturation_pressure: 1 bar, free_air: 0.01}
volumes:
  v1: {hose: {volume: 3e-5 m^3, bulk_modulus: 150 MPa}, pressure: 3 MPa}
  v2: {hose: {volume: 8e-5 m^3, bulk_modulus: 150 MPa}, pressure: 3 MPa}
  v3: {hose: {volume: 5e-5 m^3}, pressure: 3 MPa}
  v4: {hose: {volume: 4e-5 m^3}, pressure: 3 MPa}
  w1: {hose: {volume: 6e-5 m^3, bulk_modulus: 200 MPa}, pressure: 3 MPa}
  w2: {hose: {volume: 5e-5 m^3}, pressure: 3 MPa}
sources: {pump: {pressure: 18 MPa}, tank: {pressure: 1 bar}, feed: {flow: 5 L/min, to: v1, from: v4}}
valves:
  valve: {directional_4_3: {P: pump, T: tank, A: v1, B: v3, flow: 24 L/min, at_pressure_drop: 35 bar, at_signal: 10, dead_band: 0.5, time_constant: 5 ms}, signal: u}
  throttle: {orifice: {A: v1, B: v2, diameter: 6 mm}}
  cross: {orifice: {A: v4, B: v3, area: 3 mm^2}, signal: opening}
  edge: {orifice: {A: w1, B: w2, area: 2 mm^2, opening: [[-9, 0], [-2, 0.1], [3, 0.8], [9, 1]], time_constant: 3 ms}, signal: u}
  relief: {relief: {A: v3, B: tank, cracking_pressure: 6 MPa, flow: 20 L/min, override: 2 MPa}}
  check: {check: {A: v2, B: v4, cracking_pressure: 2 bar, diameter: 5 mm}}
  suction: {check: {A: tank, B: w2, diameter: 5 mm}}
  other: {directional_4_3: {P: pump, T: tank, A: w1, B: w2, flow: 20 L/min, at_pressure_drop: 35 bar, at_signal: 10}, signal: u2}
cylinders:
  one:
    base: {body: ground}
    rod_end: {body: a}
    A: v2
    B: v3
    bore: 80 mm
    rod: 35 mm
    chamber_length_A: 0.4 m
    chamber_length_B: 0.6 m
    bulk_modulus: 31500 MPa
    viscous: 200 N s/m
    leakage: 1e-13 m^3/(s Pa)
    end_damper: {stiffness: 4e5, damping: 3e4, length: 0.3 m}
    friction: {model: modified_lugre, coulomb: 210, static: 830, stribeck_velocity: 0.0125, viscous: 330, bristle_stiffness: 5.77e6, bristle_damping: 2.28e4, film_velocity: 0.032, film_time_up: 0.05, film_time_down: 0.2, film_time_dwell: 20}
  two:
    base: {body: ground}
    rod_end: {body: b}
    A: v4
    B: v2
    bore: 60 mm
    rod: 30 mm
    chamber_length_A: 0.4 m
    chamber_length_B: 0.6 m
    end_damper: {stiffness: 4e5, damping: 3e4, length: 0.3 m, law: rahikainen_2020}
    friction: {model: lugre, states: local, coulomb: 210, static: 830, stribeck_velocity: 0.0125, viscous: 330, bristle_stiffness: 5.77e6, bristle_damping: 2.28e4}
  three:
    base: {body: ground}
    rod_end: {body: c}
    A: w1
    B: w2
    bore: 70 mm
    rod: 40 mm
    chamber_length_A: 0.4 m
    chamber_length_B: 0.6 m
    viscous: 100 N s/m
    friction: {model: lugre, coulomb: 210, static: 830, stribeck_velocity: 0.0125, viscous: 330, bristle_stiffness: 5.77e6, bristle_damping: 2.28e4}
motors:
  four: {joint: d, A: w1, B: w2, displacement_A: 0.004, displacement_B: 0.003, chamber_angle_A: 1.5, chamber_angle_B: 0.5,
    bulk_modulus: 31500 MPa, viscous: 100, leakage: 1e-13, friction: {model: lugre, coulomb: 210, static: 830, stribeck_velocity: 0.0125,
    viscous: 330, bristle_stiffness: 5.77e6, bristle_damping: 2.28e4}}
signals: {u: 3, u2: -4, opening: 0.6}
)");
  return kModel;
}

/// What commands and lengths change: variable motors driven by control blocks with and without a lag, one between a volume and a source, a pump
/// on a shaft, a plunger, cushions at both ends; low pressures.
std::shared_ptr<const CompiledModel> commanded() {
  static const auto kModel = machine(R"(
bodies: {a: {point_mass: {mass: 10}}, b: {point_mass: {mass: 10}}, c: {mass: 10, inertia: [1, 1, 1]}, d: {mass: 10, inertia: [1, 1, 1]}}
joints:
  a: {prismatic: {parent: ground, axis: x}, position: 1 m}
  b: {prismatic: {parent: ground, axis: x}, position: 1 m}
  c: {revolute: {parent: ground, axis: z}, angle: 1}
  d: {revolute: {parent: ground, axis: z}, angle: 1}
fluid: {saturation_pressure: 1 bar, free_air: 0.01}
volumes:
  v1: {volume: 3e-5 m^3, pressure: 3 MPa}
  v2: {volume: 8e-5 m^3, pressure: 3 MPa}
  v3: {volume: 5e-5 m^3, pressure: 3 MPa}
  v4: {volume: 4e-5 m^3, pressure: 3 MPa}
  w1: {volume: 6e-5 m^3, pressure: 3 MPa}
  w2: {volume: 5e-5 m^3, pressure: 3 MPa}
  case: {volume: 5e-5 m^3, pressure: 3 MPa}
sources: {tank: {pressure: 1 bar}}
cylinders:
  one:
    base: {body: ground}
    rod_end: {body: a}
    A: v1
    B: v2
    bore: 80 mm
    rod: 35 mm
    chamber_length_A: 0.4 m
    chamber_length_B: 0.6 m
    cushion_A: {node: v3, length: 0.35 m, port: {diameter: 10 mm}, throttle: {diameter: 2 mm}, check: {diameter: 6 mm}}
    cushion_B: {node: tank, length: 0.7 m, port: {diameter: 8 mm}, throttle: {area: 1 mm^2}}
  two: {base: {body: ground}, rod_end: {body: b}, A: v4, plunger: 60 mm, chamber_length_A: 0.4 m}
motors:
  three: {joint: c, A: w1, B: w2, displacement_A: 0.004, displacement_B: 0.003, fraction: e, time_constant: 20 ms, volume: 20 mL, leakage: 1e-13,
    coulomb: 0.05, case_drain: {node: case, leakage: 1e-13}, friction: {model: lugre, coulomb: 210, static: 830, stribeck_velocity: 0.0125,
    viscous: 330, bristle_stiffness: 5.77e6, bristle_damping: 2.28e4}}
  four: {joint: c, A: v4, B: tank, displacement: 0.002, fraction: f}
pumps:
  five: {joint: d, S: w2, P: v3, displacement: 0.003, fraction: e, losses: {leakage: 1e-13, viscous: 100, coulomb: 0.03}}
control:
  scaled: {gain: {input: w1.pressure, gain: 1e-7}}
  e: {low_pass: {input: scaled, time_constant: 50 ms}}
  f: {expression: "0.3 + 5e-8*v4.pressure + 0.1*two.length"}
)");
  return kModel;
}

/// Commands by blocks that are functions of pressures, lengths and rates, also through the states of other blocks: of valves with and without a
/// lag, of a pump and of a flow; `e` and `crowded` are unknowns, which read such functions.
std::shared_ptr<const CompiledModel> following() {
  static const auto kModel = machine(R"(
bodies: {a: {point_mass: {mass: 10}}, d: {mass: 10, inertia: [1, 1, 1]}}
joints:
  a: {prismatic: {parent: ground, axis: x}, position: 1 m}
  d: {revolute: {parent: ground, axis: z}, angle: 1}
fluid: {saturation_pressure: 1 bar, free_air: 0.01}
volumes:
  v1: {volume: 3e-5 m^3, pressure: 3 MPa}
  v2: {volume: 8e-5 m^3, pressure: 3 MPa}
  w1: {volume: 6e-5 m^3, pressure: 3 MPa}
  w2: {volume: 5e-5 m^3, pressure: 3 MPa}
sources: {supply: {pressure: 18 MPa}, tank: {pressure: 1 bar}, feed: {flow: flow, to: w1, from: v2}}
valves:
  valve: {directional_4_3: {P: supply, T: tank, A: v1, B: v2, flow: 24 L/min, at_pressure_drop: 35 bar, at_signal: 10, time_constant: 5 ms}, signal: steer}
  edge: {orifice: {A: v1, B: w1, area: 2 mm^2, opening: [[-90, 0], [90, 1]]}, signal: lag}
  second: {orifice: {A: v2, B: w2, area: 2 mm^2, opening: [[-90, 0], [90, 1]], frequency: 20 Hz, damping: 0.7}, signal: crowded}
cylinders:
  one: {base: {body: ground}, rod_end: {body: a}, A: v1, B: v2, bore: 80 mm, rod: 35 mm, chamber_length_A: 0.4 m, chamber_length_B: 0.6 m}
motors:
  three: {joint: d, A: w1, B: w2, displacement: 0.004, fraction: e, volume: 20 mL}
pumps:
  five: {S: w2, P: v2, displacement: 20 cm^3/rev, speed: 1500 rpm, fraction: share, losses: {leakage: 4e-12, viscous: 0.15, coulomb: 0.03}}
control:
  scaled: {gain: {input: v1.pressure, gain: 1e-7}}
  lag: {low_pass: {input: scaled, time_constant: 2 ms}}
  steer: {pid: {setpoint: lag, measurement: one.rate, feedforward: one.length, gain: 2, integral_time: 0.1 s, derivative_time: 5 ms, min: -1e4, max: 1e4}}
  share: {expression: "0.5 + 1e-8*w2.pressure*one.length"}
  flow: {gain: {input: steer, gain: 1e-5}}
  e: {low_pass: {input: steer, time_constant: 50 ms}}
  crowded: {expression: "1e-7*(w1.pressure + w2.pressure) + steer"}
)");
  return kModel;
}

/// A linear oil of that size, at 0.4 of its step from its beginning at time 0.
const LinearOil& some_linear_oil() {
  static const LinearOil kOil = [] {
    LinearOil oil(6, 4);
    oil.begin = -0.8e-3;
    oil.step = 2e-3;
    std::mt19937 random(7);
    std::uniform_real_distribution<double> unit(-1, 1);
    const auto fill = [&](std::vector<double>& x, double size, double mean = 0) {
      for (double& value : x) value = mean + size * unit(random);
    };
    for (auto& x : oil.f) fill(x, 1e8);
    for (auto& x : oil.J) fill(x, 300);
    fill(oil.f_s, 1e9);
    fill(oil.f_w, 1e9);
    fill(oil.p, 1e6, 5e6);
    fill(oil.s, 0.1, 1);
    fill(oil.w, 0.1);
    return oil;
  }();
  return kOil;
}
/// The same on linear oil.
std::shared_ptr<const CompiledModel> everything_linear() {
  static const std::shared_ptr<const CompiledModel> kModel = cut_on_linear_oil(*everything(), &some_linear_oil()).model;
  return kModel;
}

/// A random point of the step's Newton iteration.
struct CircuitPoint {
  const Hydraulics& h;
  const CompiledModel& model;
  HydraulicState state;
  std::vector<double> s, s_dot, s_begin, y, y_begin, offset, scale;
  RateRelation rule;

  CircuitPoint(const CompiledModel& m, unsigned seed)
      : h(m.hydraulics), model(m), state(m.hydraulics), y(m.hydraulics.ny), y_begin(y), offset(y), scale(y.size(), 1.0) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> unit(-1, 1);
    for (std::size_t i = 0; i < h.actuators.size(); ++i) {
      s.push_back(1 + 0.25 * unit(random));
      const double moved = 1e-3 * unit(random);
      s_begin.push_back(s.back() - moved - (moved < 0 ? -5e-5 : 5e-5));  // a motor draws from the other side as it turns back: a kink
      const double v = unit(random);
      s_dot.push_back((v < 0 ? -1 : 1) * std::exp(-6 + 6 * std::abs(v)));  // 2.5 mm/s to 1 m/s
    }
    for (std::size_t i = 0; i < y.size(); ++i) {
      const std::string& name = m.state_names[i];
      if (name.ends_with("pressure")) {
        y[i] = unit(random) > 0 ? 8e6 + 6e6 * unit(random) : std::exp(std::log(3e4) + unit(random));  // some below saturation
        scale[i] = y[i];
        offset[i] = (m.hydraulics.linear_oil != nullptr ? 1e7 : 1e-4) * unit(random);
      } else if (name.ends_with("bristle")) {
        y[i] = 1e-4 * unit(random);
        scale[i] = 1e-4;
        offset[i] = 0.01 * unit(random);
      } else {
        y[i] = name.ends_with("film") ? 0.4 + 0.3 * unit(random) : 8 * unit(random);
        offset[i] = 0.1 * unit(random);
      }
      y_begin[i] = y[i] * (1 - 0.01 * unit(random));
    }
    rule = {1e-3, OilRule::alpha(0.5).factor(1e-3), y_begin.data(), offset.data(), s_begin.data()};
    update_inputs(h, Signals(m.signals, nullptr), 0, Side::right, state);
  }
  /// ydot by the rule, then everything, or R and the forces only.
  void evaluate(bool with_derivatives = true) {
    std::vector<double> ydot(y.size()), y_now = y;
    for (std::size_t i = 0; i < y.size(); ++i) ydot[i] = rule.factor * (y[i] - y_begin[i]) - offset[i];
    if (with_derivatives)
      evaluate_hydraulics(h, s.data(), s_dot.data(), y_now.data(), ydot.data(), rule, state);
    else
      evaluate_residual(h, s.data(), s_dot.data(), y_now.data(), ydot.data(), rule, state);
  }
  /// All results of an evaluation: residuals, then port forces.
  Eigen::VectorXd results() {
    evaluate();
    Eigen::VectorXd all(state.R.size() + state.ports.size());
    for (std::size_t i = 0; i < state.R.size(); ++i) all[static_cast<Eigen::Index>(i)] = state.R[i];
    for (std::size_t i = 0; i < state.ports.size(); ++i) all[static_cast<Eigen::Index>(state.R.size() + i)] = state.ports[i].force;
    return all;
  }
  /// Fourth-order central differences of the results in x.
  Eigen::VectorXd difference(double& x, double step) {
    const double kept = x;
    const auto at = [&](double k) {
      x = kept + k * step;
      return results();
    };
    const Eigen::VectorXd slope = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * step);
    x = kept;
    return slope;
  }
};

/// The circuits' derivatives as one dense matrix: rows R then F, columns y of circuit unknowns, then s, then s_dot.
Eigen::MatrixXd assembled(CircuitPoint& p) {
  p.evaluate();
  const Hydraulics& h = p.h;
  const auto n = static_cast<Eigen::Index>(h.unknown_state.size()), ports = static_cast<Eigen::Index>(h.actuators.size());
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(n + ports, n + 2 * ports);
  for (const Circuit& c : h.circuits) {
    for (int i = 0; i < c.size; ++i)
      for (int j = 0; j < c.size; ++j) J(c.offset + i, c.offset + j) = p.state.T[c.block + i * c.size + j];
    for (int k : c.actuators)
      for (int i = 0; i < c.size; ++i) {
        J(c.offset + i, n + k) = p.state.R_s[p.state.column[k] + i];
        J(c.offset + i, n + ports + k) = p.state.R_v[p.state.column[k] + i];
        J(n + k, c.offset + i) = p.state.F_y[p.state.column[k] + i];
      }
  }
  for (Eigen::Index k = 0; k < ports; ++k) {
    J(n + k, n + k) = p.state.force_s[k];
    J(n + k, n + ports + k) = p.state.force_v[k];
  }
  return J;
}

TEST(Circuit, VolumesJoinedByElementsFormABlockAndSourcesSeparate) {
  const Hydraulics& h = everything()->hydraulics;
  ASSERT_EQ(h.circuits.size(), 2u);
  EXPECT_EQ(h.circuits[0].size, 4 + 2);  // v1 to v4; bristle and film of `one`; those of `two` are local
  EXPECT_EQ(h.circuits[1].size, 2 + 1 + 1);
  EXPECT_EQ(h.circuits[0].actuators, (std::vector<int>{0, 1}));
  EXPECT_EQ(h.circuits[1].actuators, (std::vector<int>{2, 3}));
  EXPECT_EQ(h.ny, 6 + 2 + 1 + 1 + 1 + 4);  // pressures, friction states, spools
  EXPECT_EQ(everything()->state_names[state_index(*everything(), "two.bristle")], "two.bristle");
}

TEST(Circuit, BlocksAreUnknownsOnlyInLoopsWithManyOriginsOrBehindForces) {
  const Hydraulics& h = following()->hydraulics;
  std::vector<std::string> unknown;
  for (const ControlBlock& b : h.control)
    if (b.unknown) unknown.push_back(b.name);
  std::sort(unknown.begin(), unknown.end());
  EXPECT_EQ(unknown, (std::vector<std::string>{"crowded", "e"}));
  std::size_t blocks = 0;
  for (const ControlBlock& b : h.control) blocks += b.unknown ? 1 + static_cast<std::size_t>(b.states()) : 0;
  EXPECT_EQ(h.unknown_state.size(), 4 + blocks);  // pressures
}

TEST(Circuit, AllDerivativesAreThoseOfTheResidualsAndForces) {
  for (unsigned seed = 0; seed < 160; ++seed) {
    CircuitPoint p(seed < 40 ? *everything() : seed < 60 ? *everything_linear() : seed < 120 ? *commanded() : *following(), seed);
    const Eigen::MatrixXd J = assembled(p);
    const auto n = static_cast<Eigen::Index>(p.h.unknown_state.size()), ports = static_cast<Eigen::Index>(p.s.size());
    Eigen::MatrixXd scaled(J.rows(), J.cols()), differences(J.rows(), J.cols());
    const auto column = [&](Eigen::Index j, double& x, double size) {
      scaled.col(j) = J.col(j) * size;
      differences.col(j) = p.difference(x, 1e-4 * size) * size;
    };
    for (Eigen::Index j = 0; j < n; ++j) column(j, p.y[p.h.unknown_state[j]], p.scale[p.h.unknown_state[j]]);
    for (Eigen::Index k = 0; k < ports; ++k) {
      column(n + k, p.s[k], 0.1);
      column(n + ports + k, p.s_dot[k], std::abs(p.s_dot[k]));
    }
    // each equation has its own unit: errors relative to the row's largest derivative; rounding 1e-16 / 1e-4, truncation less
    for (Eigen::Index i = 0; i < J.rows(); ++i) {
      const double size = scaled.row(i).cwiseAbs().maxCoeff();
      for (Eigen::Index j = 0; j < J.cols(); ++j)
        EXPECT_NEAR(scaled(i, j) / size, differences(i, j) / size, 1e-9) << "seed " << seed << " row " << i << " column " << j;
    }
  }
}

TEST(Circuit, ResidualsAloneAreThoseWithDerivatives) {
  for (unsigned seed = 0; seed < 160; ++seed) {
    CircuitPoint p(seed < 40 ? *everything() : seed < 60 ? *everything_linear() : seed < 120 ? *commanded() : *following(), seed);
    const Eigen::MatrixXd J = assembled(p);
    const std::vector<double> R = p.state.R;
    const std::vector<PortForces<>> ports = p.state.ports;
    p.state.R.assign(R.size(), 1e300);
    p.evaluate(false);
    const auto n = static_cast<Eigen::Index>(R.size());
    for (Eigen::Index i = 0; i < n; ++i) {
      double size = 0;
      for (Eigen::Index j = 0; j < n; ++j) size += std::abs(J(i, j)) * p.scale[p.h.unknown_state[j]];
      EXPECT_NEAR(p.state.R[i], R[i], 1e-11 * size) << "seed " << seed << " row " << i;
    }
    for (std::size_t i = 0; i < ports.size(); ++i)
      if (!p.h.actuators[i].friction_local)
        EXPECT_NEAR(p.state.ports[i].force, ports[i].force, 1e-11 * 1e6) << "seed " << seed << " port " << i;
  }
}

/// The pattern of a block is determined without values: no state may have an entry outside.
TEST(Circuit, BlocksHaveEntriesOnlyWhereTheyMay) {
  for (const auto& model :
       {everything(), everything_linear(), commanded(), following(), test::load_example("excavator"),
        test::load_example("excavator_lumped"), test::load_example("two_arms_one_pump"), test::load_example("four_bar")})
    for (unsigned seed = 0; seed < 40; ++seed) {
      CircuitPoint p(*model, seed);
      p.evaluate();
      for (std::size_t i = 0; i < p.h.circuits.size(); ++i) {
        const Circuit& c = p.h.circuits[i];
        std::vector<double> T(p.state.T.begin() + c.block, p.state.T.begin() + c.block + c.size * c.size);
        for (const Entry& e : p.state.block[i].entries()) T[e.row * c.size + e.column] = 0;
        EXPECT_EQ(std::count(T.begin(), T.end(), 0.0), c.size * c.size) << model->description.title << " seed " << seed;
      }
    }
  HydraulicState excavator(test::load_example("excavator")->hydraulics);
  ASSERT_EQ(excavator.block.size(), 1U);
  EXPECT_TRUE(excavator.block[0].sparse());
}

TEST(Circuit, CondensationEqualsTheDenseSolveOfTheWholeSystem) {
  const auto sparse = test::load_example("excavator_lumped");
  for (unsigned seed = 0; seed < 60; ++seed) {
    CircuitPoint p(seed < 40 ? *everything() : *sparse, seed);
    Eigen::MatrixXd J = assembled(p);
    const auto n = static_cast<Eigen::Index>(p.h.unknown_state.size()), ports = static_cast<Eigen::Index>(p.s.size());
    const Eigen::VectorXd R = Eigen::Map<const Eigen::VectorXd>(p.state.R.data(), n);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> unit(-1, 1);
    Eigen::VectorXd d(2 * ports);  // ds, dsdot
    for (Eigen::Index k = 0; k < ports; ++k) {
      d[k] = 1e-3 * unit(random);
      d[ports + k] = unit(random);
    }
    // scaled to unknowns of size 1, so that the dense solve is accurate
    Eigen::VectorXd unit_of(n);
    for (Eigen::Index i = 0; i < n; ++i) unit_of[i] = p.scale[p.h.unknown_state[i]];
    const Eigen::MatrixXd T = J.topLeftCorner(n, n) * unit_of.asDiagonal();
    const Eigen::VectorXd dy = unit_of.cwiseProduct(Eigen::VectorXd(test::solve(T, -R - J.topRightCorner(n, 2 * ports) * d)));
    const Eigen::VectorXd dF = J.bottomLeftCorner(ports, n) * dy;  // through the oil

    int circuit = -1;
    ASSERT_TRUE(condense(p.h, p.state, &circuit));
    for (const Circuit& c : p.h.circuits)
      for (int i : c.actuators) {
        const double* w = p.state.F_y.data() + p.state.column[i];
        double change = 0, size = 0;
        for (int k = 0; k < c.size; ++k) {
          double row = p.state.R[c.offset + k];
          for (int j : c.actuators) row += p.state.R_s[p.state.column[j] + k] * d[j] + p.state.R_v[p.state.column[j] + k] * d[ports + j];
          change -= w[k] * row;
          size += std::abs(w[k] * row);
        }
        EXPECT_NEAR(change, dF[i], 1e-10 * size) << "seed " << seed << " port " << i;
      }
    std::vector<std::vector<int>> rows(ports);
    for (const Circuit& c : p.h.circuits)
      for (int i : c.actuators)
        for (int k = 0; k < c.size; ++k) rows[static_cast<std::size_t>(i)].push_back(k);
    eliminate(p.h, rows, d.data(), d.data() + ports, p.state);
    for (Eigen::Index i = 0; i < n; ++i)
      EXPECT_NEAR(p.state.R[i] / unit_of[i], dy[i] / unit_of[i], 1e-9 * (dy.cwiseQuotient(unit_of)).cwiseAbs().maxCoeff()) << i;
  }
}

TEST(Circuit, ABlockWithoutCapacityIsNamed) {
  CircuitPoint p(*everything(), 1);
  p.evaluate();
  const Circuit& c = p.h.circuits[1];
  std::fill(p.state.T.begin() + c.block, p.state.T.begin() + c.block + c.size * c.size, 0.0);
  int circuit = -1;
  EXPECT_FALSE(condense(p.h, p.state, &circuit));
  EXPECT_EQ(circuit, 1);
}

TEST(Circuit, PortForceIsPressureTimesAreaLessFrictionAndViscousPlusDampers) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    CircuitPoint p(*everything(), seed);
    evaluate_forces(p.h, p.s.data(), p.s_dot.data(), p.y.data(), p.state);
    for (std::size_t i = 0; i < p.s.size(); ++i) {
      const Actuator& a = p.h.actuators[i];
      const Cylinder& c = a.cylinder;
      const auto pressure = [&](int node) { return p.y[p.h.nodes[node].state]; };
      const double rate[2] = {}, oil = pressure(a.A) * c.area_A - pressure(a.B) * c.area_B;
      double rates[2] = {rate[0], rate[1]};
      const double friction = force_and_rates(a.friction, p.s_dot[i], p.y.data() + a.state, rates);
      const double damper = c.damper.length > 0 ? end_dampers_force(c.damper, 0.4 + (p.s[i] - 1), 0.6 - (p.s[i] - 1), p.s_dot[i]) : 0;
      EXPECT_NEAR(p.state.ports[i].force, oil - friction - c.viscous * p.s_dot[i] + damper, 1e-9 * std::abs(oil));
      EXPECT_NEAR(p.state.ports[i].friction, friction, 1e-10);  // summed in another order
      EXPECT_EQ(p.state.ports[i].viscous, c.viscous * p.s_dot[i]);
      EXPECT_NEAR(p.state.ports[i].damper, damper, 1e-9 * std::abs(damper));
    }
  }
}

/// The rates of the explicit form give zero residual of the implicit one.
TEST(Circuit, ExplicitRatesSolveTheImplicitEquations) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    CircuitPoint p(*everything(), seed);
    std::vector<double> ydot(p.y.size());
    evaluate_rates(p.h, p.s.data(), p.s_dot.data(), p.y.data(), ydot.data(), p.state);
    std::vector<double> y = p.y;
    p.rule.factor = 0;  // no step: local states are unchanged
    p.rule.y_begin = p.y.data();
    evaluate_hydraulics(p.h, p.s.data(), p.s_dot.data(), y.data(), ydot.data(), p.rule, p.state);
    for (std::size_t i = 0; i < p.state.R.size(); ++i) {
      const bool is_pressure = p.h.unknown_state[i] < static_cast<int>(p.h.volumes.size());
      EXPECT_NEAR(p.state.R[i], 0, is_pressure ? 1e-16 : 1e-15) << i;  // [m3/s] of flows up to 1e-2, [m/s] of speeds up to 1
    }
    EXPECT_DOUBLE_EQ(ydot[state_index(p.model, "valve.spool")], (3 - p.y[state_index(p.model, "valve.spool")]) / 5e-3);
    EXPECT_DOUBLE_EQ(ydot[state_index(p.model, "edge.spool")], (3 - p.y[state_index(p.model, "edge.spool")]) / 3e-3);
    EXPECT_EQ(ydot[state_index(p.model, "other.spool")], 0);
  }
}

TEST(Circuit, PressureRateIsNetInflowOverCapacity) {
  const auto model = machine(R"(
bodies: {a: {point_mass: {mass: 10}}}
joints: {a: {prismatic: {parent: ground, axis: x}, position: 1 m}}
volumes: {v: {hose: {volume: 2 L, bulk_modulus: 150 MPa}, pressure: 3 MPa}}
sources: {pump: {pressure: 7 MPa}, tank: {pressure: 0}, feed: {flow: 1e-4 m^3/s, to: v}, draw: {flow: -3e-5 m^3/s, to: v}}
valves: {in: {orifice: {A: pump, B: v, flow: 1e-4 m^3/s, at_pressure_drop: 1 MPa}}}
cylinders: {c: {base: {body: ground}, rod_end: {body: a}, A: v, B: tank, area_A: 50 cm^2, area_B: 40 cm^2, chamber_length_A: 0.4, chamber_length_B: 0.6, bulk_modulus: 3e10}}
)");
  HydraulicState state(model->hydraulics);
  update_inputs(model->hydraulics, Signals(model->signals, nullptr), 0, Side::right, state);
  const double s = 1.1, s_dot = 0.02;
  double y = 3e6, ydot = 0;
  evaluate_rates(model->hydraulics, &s, &s_dot, &y, &ydot, state);
  const double inflow = 1e-4 * std::sqrt(4.0) + 1e-4 - 3e-5 - 50e-4 * 0.02;
  const double capacity = 2e-3 * (1 / 1.5e9 + 1 / 1.5e8) + 50e-4 * 0.5 * (1 / 1.5e9 + 1 / 3e10);
  EXPECT_NEAR(ydot, inflow / capacity, 1e-13 * std::abs(ydot));
}

TEST(Circuit, LinearOilHasItsOwnPressureRates) {
  const LinearOil& oil = some_linear_oil();
  CircuitPoint p(*everything_linear(), 3);
  ASSERT_EQ(p.h.ny, 6 + 2 + 1 + 1 + 1);  // no spools
  std::vector<double> ydot(p.y.size());
  evaluate_rates(p.h, p.s.data(), p.s_dot.data(), p.y.data(), ydot.data(), p.state);
  // circuits of the netlist: v1 to v4 with `one` and `two`, w1 and w2 with `three` and `four`
  const double x = 0.4;
  for (int i = 0; i < 6; ++i) {
    const auto at = [&](const std::vector<std::vector<double>>& a, int k) {  // in the first of two pieces
      return a[0][k] + 2 * x * (a[1][k] - a[0][k]);
    };
    double rate = at(oil.f, i);
    for (int j = 0; j < 6; ++j)
      if ((i < 4) == (j < 4)) rate += at(oil.J, i * 6 + j) * (p.y[j] - oil.p[j]);
    for (int k = 0; k < 4; ++k)
      if ((i < 4) == (k < 2)) rate += oil.f_s[i * 4 + k] * (p.s[k] - oil.s[k]) + oil.f_w[i * 4 + k] * (p.s_dot[k] - oil.w[k]);
    EXPECT_NEAR(ydot[i], rate, 1e-12 * 1e9) << i;
  }
}

}  // namespace
}  // namespace trunnion
