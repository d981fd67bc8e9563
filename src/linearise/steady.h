// Steady operation: the machine is at rest, or turns at a constant rate, while its pumps run and oil flows.
//   f(x) = 0 in the independent coordinates and the first-order states:  a_i = 0,  dp/dt = 0,  rates of components and spools = 0
//   v_i = 0 of coordinates that anything depends on; a coordinate on which nothing depends (a shaft, a vertical swing axis) keeps its
// with signals at one time. Prescribed motions keep their velocity; the coordinates that they move are listed as open unless nothing
// depends on them: the solution then holds at that instant only. Friction states of actuators at rest are zero (machine/equilibrium.h):
// friction would hold the machine anywhere within its band.
//
// Method: implicit Euler with the exact tangent of the linear model (linearise/reduction.h) and one Newton step each,
//   (1/dt - A) dx = f,     d = (1/dt - A)^-1 (f_1 - dx/dt),     theta = |d|/|dx|
// from the start, with steps that grow as long as the second Newton correction d is small against the first. At first it follows the
// machine in time, finally it becomes Newton's method. It thus ends where the machine would, not on another branch, and undetermined
// quantities keep their start values; oil trapped between closed valves its content (linearise/locked_oil.h).
//
// Sampled control blocks rest where the same blocks rest continuously: the solution is that of continuous_form() (differential_form.h).
// Values that only samples change (quantisers, relays, sequences), and modes, are those of the start.
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

/// States of one kind that steady operation leaves undetermined, alone or in combinations.
struct OpenStates {
  std::vector<std::string> states;
  std::string why;
  bool leaves = false;  // the machine leaves the state found
};

/// Another steady operation of the same machine, and the states that distinguish it, with their values there [SI].
struct OtherSteady {
  std::vector<std::pair<std::string, double>> states;
};

struct SteadyOperation {
  StateVector state;                 // rates zero except `turning` and prescribed motions; in the coordinates of CompiledModel::relative
  std::vector<double> movement;      // per velocity: increment from the model's start [rad, m]; of coordinates that turn: 0
  std::vector<int> turning;          // velocities on which nothing else depends
  std::vector<std::string> at_rest;  // friction states of actuators at rest, which are zero and no states here
  std::vector<OpenStates> open;      // several solutions: this one is as near to the start as the machine comes to rest
  std::vector<OtherSteady> others;   // of find_other_steady()
  double growth = 0;                 // [1/s] largest real part of the eigenvalues apart from `open`; positive: unstable
  std::vector<std::string> growing;  // if unstable: states with the largest share in the growing mode
  bool continuous = false;           // growth is that with sampled blocks continuous
  bool sampled = false;              // growth is that of their sampled loop (judge_samples, studies/steady_study.h)
  std::string unsolved;              // why no solution with sampled blocks continuous is found; they are held then
  bool holds = true;                 // no sample and no mode would change; otherwise they are in `open`
  double residual = 0;               // largest remaining rate [1/s], in units: 1 mrad, a thousandth of the machine's extent, 0.1 bar
  std::string residual_at;           // its state
  int iterations = 0;                // linear solves
};

/// Solves with signals at `time` (right limit). Dense, for machines of up to some hundred states. Throws SimulationError, which names the
/// state farthest from steady, if no steady operation exists or is found; InputError as compile() does.
SteadyOperation solve_steady(const std::shared_ptr<const CompiledModel>& model, double time = 0);

/// Searches for other stable solutions by starting from other pressures: all low, all high, and high where those of `found` are low. No
/// search if found.open already reports infinitely many. Other solutions may exist that are not found.
void find_other_steady(const std::shared_ptr<const CompiledModel>& model, SteadyOperation& found);

/// The state of a run that starts in steady operation at time 0, in the model's own coordinates. `warnings`: of what the machine would leave.
StateVector steady_state(const std::shared_ptr<const CompiledModel>& model, std::vector<std::string>* warnings = nullptr);

}  // namespace trunnion
