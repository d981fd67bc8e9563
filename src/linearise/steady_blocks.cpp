// Sampled control blocks and modes in steady operation.
// SPDX-License-Identifier: BSD-3-Clause
#include "linearise/steady_blocks.h"

#include <algorithm>
#include <cmath>

#include "hydraulics/control.h"
#include "linearise/differential_form.h"
#include "machine/start.h"
#include "solve/machine_rates.h"

namespace trunnion {

[[gnu::cold]] StateVector with_samples(const CompiledModel& model, const CompiledModel& continuous, const StateVector& steady) {
  StateVector state = start_near_rest(model, steady.time);
  take_form(continuous, steady, model, state);
  for (const ControlBlock& b : model.hydraulics.control)
    if (b.delayed()) state.y()[b.next_value()] = state.y()[b.output];
  make_consistent(model, state);
  return state;
}

namespace {

constexpr double kHeld = 1e-11;  // of a value, in units of the steady solution: what it leaves

/// How far the values of the blocks, at a sample w = g(u, x + T f(u, x)), are determined: by the tolerance of the solution, and rounding of
/// what they read, |g_u| du + T |g_x| |f_u| du. A state that moves by more is not at rest, however large its inputs are.
[[gnu::cold]] std::vector<double> tolerances(const Hydraulics& netlist, const double* s, const double* s_dot, const double* y,
                                             const OilValues<double>& values) {
  constexpr double kSolved = 1e-9;  // of inputs and values
  std::vector<double> found(netlist.control.size(), kHeld);
  double u[kMaxBlockInputs], by_input[kMaxBlockStates + 1][kMaxBlockInputs], by_state[kMaxBlockStates + 1];
  for (std::size_t i = 0; i < found.size(); ++i) {
    const ControlBlock& b = netlist.control[i];
    const int inputs = b.law->inputs();
    read_block<double>(b, s, s_dot, y, values, u);
    b.law->differentiate(
        u, y + b.output + 1, [](int) { return true; }, [](int, double) {},
        [&](int row, int column, double slope) {
          if (column < inputs)
            by_input[row][column] = std::abs(slope);
          else if (row == 0)
            by_state[column - inputs] = std::abs(slope);
        });
    found[i] += kSolved * std::abs(y[b.output]);
    for (int k = 0; k < inputs; ++k) {
      double gain = by_input[0][k];
      for (int n = 0; n < b.states() && !b.law->discrete(); ++n) gain += b.period * by_state[n] * by_input[n + 1][k];
      const BlockInput& input = b.inputs[static_cast<std::size_t>(k)];
      const int block = input.kind == BlockInput::Kind::signal ? netlist.block_of_signal[input.index] : -1;
      found[i] += gain * (kSolved * std::abs(u[k]) + (block >= 0 ? found[static_cast<std::size_t>(block)] : 0));
    }
  }
  return found;
}

template <int D>
[[gnu::cold]] void find_held(const CompiledModel& model, SteadyOperation& s) {
  const Hydraulics& netlist = model.hydraulics;
  StateVector state = s.state;
  MachineState<D> work(model);
  ConsistentRates<D>(model).solve(state, Side::right, work);
  std::vector<double> y(state.y(), state.y() + netlist.ny), excess(netlist.control.size()), margins(excess.size());
  const double *length = work.mechanism.s.data(), *rate = work.mechanism.s_dot.data();
  std::vector<std::string> values, modes;
  if (find_margins(netlist, length, rate, y.data(), work.hydraulics, excess.data(), margins.data()))
    for (std::size_t i = 0; i < margins.size(); ++i)
      if (!(margins[i] > 0)) modes.push_back(netlist.control[i].name + ".mode");
  const std::vector<double> tolerance = tolerances(netlist, length, rate, state.y(), work.hydraulics);
  for (const ControlBlock& b : netlist.control)
    if (b.sampled()) y[b.next_sample()] = state.time;
  sample_blocks(netlist, length, rate, state.time, 0, y.data(), work.hydraulics);
  for (std::size_t i = 0; i < tolerance.size(); ++i) {
    const ControlBlock& b = netlist.control[i];
    const double held = state.y()[b.output], next = b.sampled() ? y[b.delayed() ? b.next_value() : b.output] : held;
    if (!(std::abs(next - held) <= tolerance[i])) values.push_back(b.name + ".output");
  }
  s.holds = values.empty() && modes.empty();
  const std::string why = s.unsolved.empty() ? "" : "; with the sampled blocks continuous: " + s.unsolved;
  if (!values.empty()) s.open.push_back({values, "a sample would change the value, which is held here: no steady operation" + why, true});
  if (!modes.empty()) s.open.push_back({modes, "the mode is held at its start; it would switch: no steady operation", true});
}

}  // namespace

void find_held_blocks(const CompiledModel& model, SteadyOperation& s) {
  if (model.hydraulics.control.empty()) return;
  model.planar ? find_held<2>(model, s) : find_held<3>(model, s);
}

}  // namespace trunnion
