// Control blocks as elements of the netlist. Each has one value w and states x:
//   R_w = w - g(u, x) = 0,   R_x = x_dot - f(u, x)
// Its inputs u are pressures of nodes, lengths and rates of ports, signals, and values of other blocks. The control loop is solved with
// the oil in one Newton iteration. By the rule of a step value and states are functions of the inputs, with their exact slopes in what
// these depend on (its origins), and no unknowns; of blocks in loops, with many origins, or that drive forces or source pressures they are
// unknowns of the circuit that the block reads or drives. The value stands for a signal; a spool whose signal is a block's value is driven:
// it equals the value, or by the rule of a step is a function of it.
// A sampled block holds value and states x between its samples t_k = offset + k period. At a sample
//   x_k = x_(k-1) + period f(u_k, x_k),   w_k = g(u_k, x_k)          backward differences
// With jitter sample k is later by a random part of it, the same in every run; with a latency w_k takes effect that time after its sample.
// Modes of a law (control/block.h) are constant between restarts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "control/block.h"
#include "signals/signal.h"

namespace trunnion {

struct Hydraulics;
struct HydraulicState;
struct RateRelation;
template <class S>
struct OilValues;

/// What a block reads.
struct BlockInput {
  enum class Kind : unsigned char { signal, pressure, position, rate };
  Kind kind = Kind::signal;
  bool ahead = false;  // a signal that nothing in a step changes: over time, of a sampled block, or of one that reads such signals alone
  int index = 0;       // of the signal, the node or the port
  int state = -1;      // of the block whose value is that signal: read this entry of y instead; -1: the value
};

/// What a block's value depends on in a step: an unknown of its circuit, or a port's length or rate.
struct BlockOrigin {
  BlockInput::Kind kind = BlockInput::Kind::signal;  // of an unknown: pressure, or signal for the value of a block
  int index = 0;                                     // of an unknown: column in the circuit's block; otherwise of the port
  bool operator==(const BlockOrigin&) const = default;
  bool is_port() const { return kind == BlockInput::Kind::position || kind == BlockInput::Kind::rate; }
};
/// How an input contributes to the slope of a value in an origin: slopes are those of ControlWork::value_slope.
struct BlockLink {
  int input, to;
  int from;  // of the block that the input is; -1: the input is the origin itself
};

struct ControlBlock {
  std::string name;
  std::shared_ptr<const BlockLaw> law;
  std::vector<BlockInput> inputs;
  SignalIndex signal = -1;  // that its value stands for
  int output = 0;           // index in y of its value; its states follow
  double period = 0;        // [s] sampled; 0: continuous in time
  double offset = 0;        // [s] first sample
  double latency = 0;       // [s] from a sample until its value takes effect
  double jitter = 0;        // [s] largest lateness of a sample
  std::uint64_t seed = 1;   // of the jitter
  int followed_port = -1;   // of the coordinate that follows it: its states start there; -1: none
  int circuit = 0;
  bool unknown = true;               // whether value and states are unknowns of a step
  int local = 0;                     // of its value in the circuit's block; its states follow
  std::vector<BlockOrigin> origins;  // of an unknown: itself; none: nothing in a step changes it
  std::vector<BlockLink> links;      // of its inputs to them
  int slope = 0;                     // of its value in the first origin; the others follow

  int states() const { return law->states(); }
  bool sampled() const { return period > 0; }
  bool delayed() const { return latency > 0; }
  /// Whether it has samples or modes.
  bool changes_between_steps() const { return sampled() || law->modes() > 0; }
  /// Whether it is continuous, but nothing in a step changes its value.
  bool known() const {
    for (const BlockInput& input : inputs)
      if (!input.ahead) return false;
    return !sampled() && states() == 0 && law->modes() == 0;
  }
  /// Entries of y: value, states, modes; sampled: the time of the next sample [s]; delayed: the value to come, and when [s].
  int size() const { return 1 + states() + law->modes() + (sampled() ? 1 : 0) + (delayed() ? 2 : 0); }
  /// Whether entry k has a rate of its own; others are constant in a step, or the value.
  bool has_rate(int k) const { return !sampled() && k > 0 && k <= states(); }
  int next_sample() const { return output + 1 + states() + law->modes(); }
  int next_value() const { return next_sample() + 1; }
  int next_effect() const { return next_sample() + 2; }
};
/// Names of a block's entries after the value: `.state` or `.state_1` ..., `.mode`, `.next_sample`, `.next_value`, `.next_effect`.
std::vector<std::string> entry_names(const ControlBlock& block);
/// Calls visit(k) for each entry k that is constant in a step: all of a sampled block, modes of a continuous one.
template <class Visit>
TR_INLINE void for_each_constant(const ControlBlock& block, Visit&& visit) {
  const int size = block.size();
  for (int k = block.sampled() ? 0 : 1 + block.states(); k < size; ++k) visit(k);
}
/// Calls visit(index in y) for each entry without a rate: those, and the value.
template <class Visit>
void for_each_held(const ControlBlock& block, Visit&& visit) {
  if (!block.sampled()) visit(block.output);
  for_each_constant(block, [&](int k) { visit(block.output + k); });
}

/// Inputs of a block, at most kMaxBlockInputs, into u.
template <class S>
void read_block(const ControlBlock& block, const S* s, const S* s_dot, const S* y, const OilValues<S>& values, S* u);

/// Values of all blocks from their states in y, in the order of their dependence, into `values` and y; rates of their states into ydot,
/// and 0 for the values. Pressures and signals are inputs.
template <class S>
void evaluate_blocks(const Hydraulics& netlist, const S* s, const S* s_dot, S* y, S* ydot, OilValues<S>& values);

/// Of every block whether its value and states are unknowns of a step, its origins and links; before the unknowns have their places.
void choose_unknown_blocks(Hydraulics& netlist);
/// Places of unknowns among the origins.
void place_origins(Hydraulics& netlist);

/// At the start of a step's iterations, at predicted pressures and ports: all that nothing in a step changes; and the states of blocks that
/// are unknowns as their rates move them, and the values that follow, into y: what follows from a small increment of the rest is then
/// small, too. Signals are inputs.
void predict_control(const Hydraulics& netlist, const double* s, const double* s_dot, double* y, double* ydot, const RateRelation& rule,
                     HydraulicState& state);
/// In a step, at pressures and signals in `state` and blocks that are unknowns in y: values and states of the other blocks, and driven
/// spools, into y and ydot and the state. `slopes`: also their slopes, into the ControlWork.
void follow_control(const Hydraulics& netlist, const double* s, const double* s_dot, const RateRelation& rule, bool slopes, double* y,
                    double* ydot, HydraulicState& state);
/// At the end of a step: the same from its y.
void finish_control(const Hydraulics& netlist, const double* s, const double* s_dot, const RateRelation& rule, double* y, double* ydot,
                    HydraulicState& state);
/// In a step: slopes of the flows of an orifice or a directional valve in the command of its driven spool.
template <class Element>
void add_driven_element(const Hydraulics& netlist, const Element& element, HydraulicState& state);
/// In a step, after follow_control(): residuals of blocks that are unknowns, and the other slopes in what blocks drive.
void add_control(const Hydraulics& netlist, const double* s, const double* s_dot, const double* y, const double* ydot,
                 const RateRelation& rule, HydraulicState& state);
/// Their residuals alone, into R.
void set_control_residuals(const Hydraulics& netlist, const double* s, const double* s_dot, const double* y, const double* ydot,
                           HydraulicState& state);

/// Magnitude [1/s] of the fastest pole of a block, by which explicit steps are limited; 0 if it has no states or is sampled. A lightly
/// damped pair limits Euler's steps more, as |pole|^2 over its decay rate; `oscillations`: of an integrator that is stable on the imaginary
/// axis, too.
double fastest_rate(const ControlBlock& block, const double* s, const double* s_dot, const double* y, const OilValues<double>& values,
                    bool oscillations);

/// A Newton iteration for x = before + period f(u, x); writes its increment, too. False: there is none.
bool advance_states(const BlockLaw& law, const double* u, double period, const double* before, double* x, double* increment);

/// Values and states at the start, at the inputs' pressures and signals in `values`: writes y. A quantity that is not known there is NaN
/// and makes all that depends on it NaN.
void start_blocks(const Hydraulics& netlist, const double* s, const double* s_dot, OilValues<double>& values, double* y);

/// Whether a block is to be sampled at time t, or a sample takes effect; `near` [s]: closer times are equal.
bool sample_due(const Hydraulics& netlist, const double* y, double t, double near);
/// The first time [s] at which a block is to be sampled or a sample takes effect, infinite without sampled blocks.
double next_sample(const Hydraulics& netlist, const double* y);
/// Whether a restart would change a mode of a continuous block, at the pressures, signals and ports of y.
bool modes_stale(const Hydraulics& netlist, const double* s, const double* s_dot, const double* y, OilValues<double>& values);
/// How far each block is from that (BlockLaw::margin), not positive exactly where a mode would change; 1 for blocks without modes. Returns
/// whether one would. `excess` is scratch of the same size.
bool find_margins(const Hydraulics& netlist, const double* s, const double* s_dot, const double* y, OilValues<double>& values,
                  double* excess, double* margins);
/// Samples the blocks that are due, at the pressures, signals and ports of time t; modes of all others are set, and they are evaluated in
/// between. Writes y. Returns the number of a block whose states have no solution there, by which y is incomplete; -1: none.
int sample_blocks(const Hydraulics& netlist, const double* s, const double* s_dot, double t, double near, double* y,
                  OilValues<double>& values);

/// An entry of a circuit's block.
struct ControlEntry {
  int circuit, row, column;
};
/// Entries that add_control adds.
std::vector<ControlEntry> control_entries(const Hydraulics& netlist);
/// Adds the rows of the circuit's unknowns that depend on a port's length or rate directly.
void add_control_rows(const Hydraulics& netlist, int port, std::vector<int>& rows);

}  // namespace trunnion
