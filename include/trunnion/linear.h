// Linear models of a machine.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "trunnion/model.h"

namespace trunnion {

/// An eigenvalue of a linear model.
struct EigenvalueInfo {
  double re = 0, im = 0;              ///< [1/s]; exactly 0 where a disturbance neither grows nor decays
  double frequency_hz = 0;            ///< |im| / 2 pi
  double damping_ratio = 0;           ///< -re / |eigenvalue|; NaN if null
  std::vector<double> participation;  ///< of each state, the largest 1
};

/// What a linear model is to contain.
struct LinearRequest {
  std::vector<std::string> outputs{};      ///< names of channels; empty: all but violations and slips
  std::vector<std::string> independent{};  ///< coordinates that are to be independent; pivoting completes them
};

/// The column of a state in A and C, or of an input in B and D, on the other side of a kink at the reference, as at the spool of a closed
/// valve.
struct OtherSideInfo {
  std::string name;       ///< of the state or the input
  bool is_input = false;  ///< a column of B and D
  bool above = false;     ///< it holds above the reference; otherwise below. The model holds at it, and on the side without an entry
  std::vector<double> rates, outputs;  ///< of A or B, of C or D
};

/// The loop that sampled control blocks close about the reference, exact over their common period: z1 = F z0.
struct SampledLoopInfo {
  double period = 0;                        ///< [s] 0: no sampled blocks, no map (`text`), or not asked for, as the eigenvalues
  std::vector<ChannelInfo> states;          ///< of the linear model, then values, values to come and states of the sampled blocks
  std::vector<std::vector<double>> F;       ///< by rows, just before the first sample of the period
  std::vector<EigenvalueInfo> eigenvalues;  ///< ln(z) / period of the eigenvalues z of F, but of those that a period forgets
  std::string stability;                    ///< as of LinearSystem; empty without a period
  std::string text;                         ///< the same as a sentence, or why there is no period
};

/// Linear model of a machine about a reference, in deviations from it: x' = drift + A x + B u, y = y0 + C x + D u.
struct LinearSystem {
  double time = 0;                                   ///< [s] of the reference
  std::vector<ChannelInfo> states, inputs, outputs;  ///< positions are increments
  std::vector<double> x0, u0, y0;                    ///< values at the reference
  std::vector<double> drift;                         ///< rates of the states at the reference; zero at an equilibrium
  std::vector<std::vector<double>> A, B, C, D;       ///< by rows
  std::vector<EigenvalueInfo> eigenvalues;           ///< by descending real part; empty if they were not asked for
  std::string stability;                             ///< asymptotically_stable, stable_but_null, drifting, undamped, unstable; or empty
  bool moving = false;                               ///< the reference moves, the model changes: eigenvalues hold for this instant
  std::vector<std::string> independent;              ///< coordinates with a position and a velocity among the states
  std::vector<std::string> velocity_dependent;       ///< coordinates with a position only
  std::vector<std::string> dependent;                ///< coordinates determined by closed loops
  std::vector<OtherSideInfo> other_sides;            ///< of states and inputs on a kink
  SampledLoopInfo sampled_loop;                      ///< of sampled control blocks, whose values are inputs here
  std::vector<std::string> warnings;
};

/// Derivative of a step: dx1 = F dx0 + G du + P dp in the minimal vector of the state before and after it (Simulation::minimal_states); du
/// is added to an input at both ends of the step.
struct Transition {
  double begin = 0, end = 0;                 // [s]
  std::vector<ChannelInfo> states, inputs;   // inputs: signals that elements read, each alone, and the model's, which act through those
  std::vector<std::string> parameters;       // paths, as asked for
  std::vector<std::vector<double>> F, G, P;  // by rows
};

}  // namespace trunnion
