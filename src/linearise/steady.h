// Steady operation: where a machine stands, or turns at a constant rate, while its pumps run and oil flows.
//   f(x) = 0 in the independent coordinates and the first-order states:  a_i = 0,  dp/dt = 0,  rates of components and spools = 0
//   v_i = 0 of coordinates that anything depends on; a coordinate on which nothing depends (a shaft, a vertical swing axis) keeps its
//   position, and its rate is solved for
// with signals at one time; prescribed motions move as they say, and coordinates that they move are named among what is open unless nothing
// depends on them: the solution is one of that instant. Friction states of actuators that rest are zero, as at rest
// (machine/equilibrium.h): friction would hold the machine anywhere within its band.
//
// How: implicit Euler with the exact tangent of the linear model (linearise/reduction.h) and one Newton step each,
//   (1/dt - A) dx = f,     d = (1/dt - A)^-1 (f_1 - dx/dt),     theta = |d|/|dx|
// from the start, with steps that grow as long as the second Newton correction d is small against the first: at first it follows the
// machine in time, at last it is Newton's method. So that it ends where the machine would, not on a branch that it never comes to, and
// what nothing decides (oil locked in between closed valves) keeps what it has.
// Sources: Kelley, Keyes 1998 (pseudo-transient continuation); Deuflhard 2004, Newton Methods for Nonlinear Problems (the contraction).
// Derivation: docs/theory.md, Steady operation.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/model.h"
#include "model/state.h"

namespace trunnion {

/// States of one kind that steadiness leaves open, alone or in combinations.
struct OpenStates {
  std::vector<std::string> states;
  std::string why;
};

/// Another steady operation of the same machine, and the states that tell it apart, with their values there [SI].
struct OtherSteady {
  std::vector<std::pair<std::string, double>> states;
};

struct SteadyOperation {
  State state;                       // rates zero but those of `turning` and of prescribed motions; in the coordinates of Model::relative
  std::vector<double> movement;      // per velocity: increment from the model's start [rad, m]; of coordinates that turn: 0
  std::vector<int> turning;          // velocities on which nothing else depends
  std::vector<OpenStates> open;      // several solutions: this one is as near to the start as the machine comes to rest
  std::vector<OtherSteady> others;   // of find_other_steady()
  double growth = 0;                 // [1/s] largest real part of the eigenvalues apart from `open`; positive: it would not stay there
  std::vector<std::string> growing;  // then: states with the largest share in what grows
  double residual = 0;               // largest rate that is left [1/s], in units: 1 mrad, a thousandth of the machine's extent, 0.1 bar
  std::string residual_at;           // its state
  int iterations = 0;                // linear solves
};

/// Solves with signals at `time` (right limit). Dense, for machines of up to some hundred states. Throws SimulationError, which names the
/// state that stays furthest from steady, where there is no steady operation or none is found; InputError as compile() does.
SteadyOperation solve_steady(const std::shared_ptr<const Model>& model, double time = 0);

/// Searches for stable solutions apart from `found` by starting from other pressures: all low, all high, and high where `found` has low
/// ones. Nothing is searched where found.open already says that there are many. A search: what it does not find may exist.
void find_other_steady(const std::shared_ptr<const Model>& model, SteadyOperation& found);

/// The state of a run that starts in steady operation at time 0, in the model's own coordinates.
State steady_state(const std::shared_ptr<const Model>& model);

}  // namespace trunnion
