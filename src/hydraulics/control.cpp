// Control blocks in the circuits: values, residuals and slopes.
// SPDX-License-Identifier: BSD-3-Clause
#include "hydraulics/control.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/lu.h"
#include "control/discrete_laws.h"
#include "hydraulics/circuit.h"

namespace trunnion {

namespace {

/// Column of an input in its circuit's block; -1: a port, a signal over time or the pressure of a source.
int column_of(const Hydraulics& netlist, const BlockInput& input) {
  switch (input.kind) {
    case BlockInput::Kind::signal: {
      const int block = netlist.block_of_signal[input.index];
      if (block < 0) return -1;
      const ControlBlock& b = netlist.control[block];
      return b.local + (input.state >= 0 ? input.state - b.output : 0);
    }
    case BlockInput::Kind::pressure:
      return netlist.nodes[input.index].state >= 0 ? netlist.nodes[input.index].local : -1;
    default:
      return -1;
  }
}
bool reads_port(const BlockInput& input) { return input.kind == BlockInput::Kind::position || input.kind == BlockInput::Kind::rate; }

/// Whether some command of a component is driven.
bool is_driven(const Hydraulics& netlist, const Component& c) {
  return std::any_of(c.spools.begin(), c.spools.end(), [&](int spool) { return netlist.spools[spool].driven(); });
}
/// Column of a driven spool's position in its circuit's block.
int column_of(const Hydraulics& netlist, const Spool& spool) { return spool.follows() ? netlist.control[spool.block].local : spool.local; }

/// Column of a block's value, which is a signal.
int column_of_block(const Hydraulics& netlist, SignalIndex signal) { return netlist.control[netlist.block_of_signal[signal]].local; }

/// Whether an element with these nodes is connected to one.
template <class Nodes>
bool is_at(const Nodes& nodes, int node) {
  return std::any_of(nodes.begin(), nodes.end(), [&](const int* at) { return *at == node; });
}

/// Calls visit(element, spool) for the flow elements with a driven spool.
template <class Visit>
void for_each_driven_element(const Hydraulics& netlist, Visit&& visit) {
  for_each_element(netlist, [&](const auto& element) {
    if constexpr (requires { element.spool; })
      if (element.spool >= 0 && netlist.spools[element.spool].driven()) visit(element, element.spool);
  });
}

/// Writes residuals of the blocks and of driven lagged spools: sink(circuit, row, residual).
template <class Sink>
void for_each_residual(const Hydraulics& netlist, const double* s, const double* s_dot, const double* y, const double* ydot,
                       const RateRelation& rule, const OilValues<>& values, Sink&& sink) {
  double u[kMaxBlockInputs], rate[kMaxBlockStates + 1];
  for (const ControlBlock& b : netlist.control) {
    if (b.sampled()) {
      for (int k = 0; k < b.size(); ++k) sink(b.circuit, b.local + k, y[b.output + k] - rule.y_begin[b.output + k]);
      continue;
    }
    read_block<double>(b, s, s_dot, y, values, u);
    const double* x = y + b.output + 1;
    sink(b.circuit, b.local, y[b.output] - b.law->value(u, x));
    b.law->rates(u, x, rate);
    for (int k = 0; k < b.states(); ++k) sink(b.circuit, b.local + 1 + k, ydot[b.output + 1 + k] - rate[k]);
    for (int k = 1 + b.states(); k < b.size(); ++k) sink(b.circuit, b.local + k, y[b.output + k] - rule.y_begin[b.output + k]);
  }
  for (const Spool& spool : netlist.spools) {
    if (!spool.driven() || spool.follows()) continue;
    spool_rates(spool, values.signal[spool.signal], y + spool.state, rate);
    for (int k = 0; k < spool.states(); ++k) sink(netlist.control[spool.block].circuit, spool.local + k, ydot[spool.state + k] - rate[k]);
  }
}

/// Adds a flow's slope in a command at `column` to the balances of its nodes.
void add_command_slope(const Hydraulics& netlist, int A, int B, int column, double slope, HydraulicState& state) {
  const auto add = [&](int node, double sign) {
    if (node < 0 || netlist.nodes[node].state < 0) return;
    const PressureNode& n = netlist.nodes[node];
    const Circuit& c = netlist.circuits[n.circuit];
    state.T[c.block + n.local * c.size + column] += sign * slope;
  };
  add(A, 1);
  add(B, -1);
}

/// Slopes of a component's flows and rates in single inputs.
struct ComponentSlopes {
  using S = Dual<1>;
  const Hydraulics& netlist;
  const Component& c;
  HydraulicState& state;
  ComponentValues<S> varied;

  ComponentSlopes(const Hydraulics& of, const Component& component, const double* y, HydraulicState& at)
      : netlist(of), c(component), state(at) {
    ComponentValues<> values;
    read_component(c, state.flow_inputs(), y, values);
    std::copy_n(values.p, c.nodes.size(), varied.p);
    std::copy_n(values.x, c.law->info().states.size(), varied.x);
    std::copy_n(values.u, c.spools.size(), varied.u);
  }
  /// In an input that is the unknown of that column.
  void add(S& input, int column) {
    input.d[0] = 1;
    c.law->evaluate(varied.inputs(), varied.Q, varied.rate);
    input.d[0] = 0;
    for_each_flow_path(c, varied.Q, [&](int A, int B, const S& Q) { add_command_slope(netlist, A, B, column, Q.d[0], state); });
    if (c.circuit < 0) return;
    const Circuit& circuit = netlist.circuits[c.circuit];
    for (std::size_t k = 0; k < c.law->info().states.size(); ++k)
      state.T[circuit.block + (c.local + static_cast<std::ptrdiff_t>(k)) * circuit.size + column] -= varied.rate[k].d[0];
  }
};

/// Slopes of flows, rates and port forces in driven pressures of sources.
void add_source_slopes(const Hydraulics& netlist, const double* y, HydraulicState& state) {
  for (const int node : netlist.driven_sources) {
    const int column = column_of_block(netlist, netlist.nodes[node].source);
    for_each_element(netlist, [&](const auto& element) {
      if (!is_at(element_nodes(element), node)) return;
      for_each_flow(element, state.flow_inputs(), [&](const FlowEdge& e) {
        if (e.A == node) add_command_slope(netlist, e.A, e.B, column, e.slope, state);
        if (e.B == node) add_command_slope(netlist, e.A, e.B, column, -e.slope, state);
      });
    });
    for (const Component& c : netlist.components) {
      if (std::find(c.nodes.begin(), c.nodes.end(), node) == c.nodes.end()) continue;
      ComponentSlopes slopes(netlist, c, y, state);
      for (std::size_t i = 0; i < c.nodes.size(); ++i)
        if (c.nodes[i] == node) slopes.add(slopes.varied.p[i], column);
    }
    for (int i = 0; i < netlist.pistons; ++i) {
      const Actuator& a = netlist.actuators[i];
      if (a.A == node) state.F_y[state.column[i] + column] += state.force_p[i][0];
      if (a.B == node) state.F_y[state.column[i] + column] += state.force_p[i][1];
    }
  }
}

/// Slopes of port forces that blocks drive.
void add_drive_slopes(const Hydraulics& netlist, HydraulicState& state) {
  for (std::size_t i = 0; i < netlist.actuators.size(); ++i)
    if (const Actuator& a = netlist.actuators[i]; a.drive >= 0) state.F_y[state.column[i] + column_of_block(netlist, a.drive)] += a.gain;
}

/// Slopes of flows, of motors and of rates of components in driven commands.
void add_command_slopes(const Hydraulics& netlist, const double* y, HydraulicState& state) {
  using S = Dual<1>;
  for_each_driven_element(netlist, [&](const auto& element, int spool) {
    const int column = column_of(netlist, netlist.spools[spool]);
    S& command = state.varied_spool[spool];
    command = S::variable(state.spool[spool], 0);
    element.edges(FlowInputs<S>{nullptr, nullptr, state.varied_spool.data()}, [&](int A, int B, auto&& law) {
      const S Q = law(S(state.pressure[A] - state.pressure[B]));
      add_command_slope(netlist, A, B, column, Q.d[0], state);
    });
  });
  for (std::size_t i = 0; i < netlist.actuators.size(); ++i) {
    const Actuator& a = netlist.actuators[i];
    if (a.spool < 0 || !netlist.spools[a.spool].driven()) continue;
    const int column = column_of(netlist, netlist.spools[a.spool]);
    const FractionSlopes& slopes = state.by_fraction[i];
    add_command_slope(netlist, a.A, -1, column, slopes.A, state);
    add_command_slope(netlist, a.B, -1, column, slopes.B, state);
    state.F_y[state.column[i] + column] += slopes.force;
  }
  for (const Component& c : netlist.components) {
    if (!is_driven(netlist, c)) continue;
    ComponentSlopes slopes(netlist, c, y, state);
    for (std::size_t i = 0; i < c.spools.size(); ++i)
      if (const Spool& spool = netlist.spools[c.spools[i]]; spool.driven()) slopes.add(slopes.varied.u[i], column_of(netlist, spool));
  }
  for (const FlowSource& source : netlist.flow_sources) {
    const int block = netlist.block_of_signal[source.flow];
    if (block < 0) continue;
    const double liquid = source.from >= 0 ? state.liquid[source.from].value : 1;
    add_command_slope(netlist, source.from, source.to, netlist.control[block].local, liquid, state);
  }
}

/// A block's own rows.
void add_block_slopes(const Hydraulics& netlist, const ControlBlock& b, const double* s, const double* s_dot, const double* y,
                      double factor, HydraulicState& state) {
  const Circuit& c = netlist.circuits[b.circuit];
  const auto row_of = [&](int k) { return state.T.data() + c.block + (b.local + k) * c.size; };
  for (int k = 0; k < b.size(); ++k) row_of(k)[b.local + k] += b.has_rate(k) ? factor : 1;
  if (b.sampled()) return;
  double u[kMaxBlockInputs];
  read_block<double>(b, s, s_dot, y, state, u);
  const int inputs = b.law->inputs();
  b.law->differentiate(u, y + b.output + 1, [&](int row, int k, double slope) {
    if (k >= inputs) {
      row_of(row)[b.local + 1 + k - inputs] -= slope;
      return;
    }
    const BlockInput& input = b.inputs[static_cast<std::size_t>(k)];
    if (reads_port(input)) {
      std::vector<double>& slopes = input.kind == BlockInput::Kind::position ? state.R_s : state.R_v;
      slopes[state.column[input.index] + b.local + row] -= slope;
    } else if (const int column = column_of(netlist, input); column >= 0) {
      row_of(row)[column] -= slope;
    }
  });
}

/// Rows of a driven spool's states.
void add_spool_slopes(const Hydraulics& netlist, const Spool& spool, const double* y, double factor, HydraulicState& state) {
  using S = Dual<1>;
  const ControlBlock& b = netlist.control[spool.block];
  const Circuit& c = netlist.circuits[b.circuit];
  const int states = spool.states();
  for (int varied = 0; varied <= states; ++varied) {  // the last is the command
    S x[2], rate[2], u(state.signal[spool.signal]);
    for (int k = 0; k < states; ++k) x[k] = y[spool.state + k];
    (varied < states ? x[varied] : u).d[0] = 1;
    spool_rates(spool, u, x, rate);
    for (int k = 0; k < states; ++k)
      state.T[c.block + (spool.local + k) * c.size + (varied < states ? spool.local + varied : b.local)] -= rate[k].d[0];
  }
  for (int k = 0; k < states; ++k) state.T[c.block + (spool.local + k) * (c.size + 1)] += factor;
}

/// Time of sample k.
double sample_time(const ControlBlock& b, double k) {
  const double late = b.jitter > 0 ? b.jitter * (1 - uniform_number(b.seed, static_cast<std::uint64_t>(k))) : 0;
  return b.offset + k * b.period + late;
}

/// x = x_before + period f(u, x), by Newton's method; false: there is none.
bool advance_states(const ControlBlock& b, const double* u, double* x) {
  constexpr int kMostIterations = 50;
  constexpr double kConverged = 1e-12;  // of the largest state; the next increment is rounding
  if (b.law->discrete()) {
    b.law->sample(u, b.period, x);
    return true;
  }
  const int n = b.states();
  if (n == 0) return true;
  double before[kMaxBlockStates + 1], rate[kMaxBlockStates + 1], T[kMaxBlockStates * kMaxBlockStates + 1];
  int pivot[kMaxBlockStates + 1];
  std::copy_n(x, n, before);
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    b.law->rates(u, x, rate);
    for (int i = 0; i < n; ++i) rate[i] = before[i] + b.period * rate[i] - x[i];
    for (int i = 0; i < n * n; ++i) T[i] = i % (n + 1) == 0 ? 1 : 0;
    b.law->differentiate(u, x, [&](int row, int column, double slope) {
      if (row > 0 && column >= b.law->inputs()) T[(row - 1) * n + column - b.law->inputs()] -= b.period * slope;
    });
    if (!lu_factor(T, n, pivot)) return false;
    lu_solve(T, n, pivot, rate);
    double moved = 0, size = 0;
    for (int i = 0; i < n; ++i) {
      x[i] += rate[i];
      moved = std::max(moved, std::abs(rate[i]));
      size = std::max(size, std::abs(x[i]));
    }
    if (moved <= kConverged * size) return true;
  }
  return false;
}

}  // namespace

template <class S>
void read_block(const ControlBlock& block, const S* s, const S* s_dot, const S* y, const OilValues<S>& values, S* u) {
  for (const BlockInput& input : block.inputs) {
    switch (input.kind) {
      case BlockInput::Kind::signal:
        *u++ = input.state >= 0 ? y[input.state] : values.signal[input.index];
        break;
      case BlockInput::Kind::pressure:
        *u++ = values.pressure[input.index];
        break;
      case BlockInput::Kind::position:
        *u++ = s[input.index];
        break;
      case BlockInput::Kind::rate:
        *u++ = s_dot[input.index];
        break;
    }
  }
}

template <class S>
void evaluate_blocks(const Hydraulics& netlist, const S* s, const S* s_dot, S* y, S* ydot, OilValues<S>& values) {
  S u[kMaxBlockInputs];
  for (const ControlBlock& b : netlist.control) {
    std::fill_n(ydot + b.output, b.size(), S(0));
    if (!b.sampled()) {
      read_block<S>(b, s, s_dot, y, values, u);
      y[b.output] = b.law->value(u, y + b.output + 1);
    }
    values.signal[b.signal] = y[b.output];
  }
  for (const ControlBlock& b : netlist.control) {  // which may depend on values of blocks that come later
    if (b.sampled() || b.states() == 0) continue;
    read_block<S>(b, s, s_dot, y, values, u);
    b.law->rates(u, y + b.output + 1, ydot + b.output + 1);
  }
  for (const int node : netlist.driven_sources) values.pressure[node] = values.signal[netlist.nodes[node].source];
  for (std::size_t i = 0; i < netlist.spools.size(); ++i)
    if (netlist.spools[i].driven()) values.spool[i] = y[netlist.spools[i].state];
}
template void evaluate_blocks<double>(const Hydraulics&, const double*, const double*, double*, double*, OilValues<double>&);
template void evaluate_blocks<Dual<1>>(const Hydraulics&, const Dual<1>*, const Dual<1>*, Dual<1>*, Dual<1>*, OilValues<Dual<1>>&);

void add_control(const Hydraulics& netlist, const double* s, const double* s_dot, const double* y, const double* ydot,
                 const RateRelation& rule, HydraulicState& state) {
  set_control_residuals(netlist, s, s_dot, y, ydot, rule, state);
  for (const ControlBlock& b : netlist.control) add_block_slopes(netlist, b, s, s_dot, y, rule.factor, state);
  for (const Spool& spool : netlist.spools)
    if (spool.driven() && !spool.follows()) add_spool_slopes(netlist, spool, y, rule.factor, state);
  add_command_slopes(netlist, y, state);
  add_source_slopes(netlist, y, state);
  add_drive_slopes(netlist, state);
}

void set_control_residuals(const Hydraulics& netlist, const double* s, const double* s_dot, const double* y, const double* ydot,
                           const RateRelation& rule, HydraulicState& state) {
  for_each_residual(netlist, s, s_dot, y, ydot, rule, state,
                    [&](int circuit, int row, double residual) { state.R[netlist.circuits[circuit].offset + row] = residual; });
}

double fastest_rate(const ControlBlock& block, const double* s, const double* s_dot, const double* y, const OilValues<double>& values,
                    bool oscillations) {
  const int n = block.sampled() ? 0 : block.states();
  if (n == 0) return 0;
  double u[kMaxBlockInputs], A[kMaxBlockStates * kMaxBlockStates], B[kMaxBlockStates * kMaxBlockStates];
  read_block<double>(block, s, s_dot, y, values, u);
  block.law->differentiate(u, y + block.output + 1, [&](int row, int column, double slope) {
    if (row > 0 && column >= block.law->inputs()) A[(row - 1) * n + column - block.law->inputs()] = slope;
  });
  if (n == 1) return std::max(-A[0], double(0));
  if (n == 2) {
    const double real = (A[0] + A[3]) / 2, square = A[0] * A[3] - A[1] * A[2], split = real * real - square;
    if (split >= 0) return std::max(std::sqrt(split) - real, double(0));
    return oscillations || real >= 0 ? std::sqrt(square) : -square / real;
  }
  // Gelfand's formula with the power 2^kSquares
  constexpr int kSquares = 8;
  double rate = 0, power = 1;
  for (int k = 0; k <= kSquares; ++k, power /= 2) {
    const double size = std::abs(*std::max_element(A, A + n * n, [](double a, double b) { return std::abs(a) < std::abs(b); }));
    if (!(size > 0)) return 0;
    rate += power * std::log(size);
    for (int i = 0; i < n * n; ++i) A[i] /= size;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        B[i * n + j] = 0;
        for (int m = 0; m < n; ++m) B[i * n + j] += A[i * n + m] * A[m * n + j];
      }
    std::copy(B, B + n * n, A);
  }
  return std::exp(rate);
}

void start_blocks(const Hydraulics& netlist, const double* s, const double* s_dot, OilValues<double>& values, double* y) {
  double u[kMaxBlockInputs];
  // values of blocks whose states do not depend on inputs first: others may read them
  for (const ControlBlock& b : netlist.control) values.signal[b.signal] = std::numeric_limits<double>::quiet_NaN();
  const std::size_t rounds = netlist.control.size() + 1;  // a loop is closed by states that do not depend on inputs
  for (std::size_t round = 0; round < rounds; ++round)
    for (const ControlBlock& b : netlist.control) {
      read_block<double>(b, s, s_dot, y, values, u);
      bool known = true;
      for (int k = 0; k < b.law->inputs(); ++k) {
        if (!std::isnan(u[k])) continue;
        known = known && !b.law->start_depends(k);
        u[k] = 0;  // its states follow when it is known
      }
      b.law->start(u, y + b.output + 1);
      y[b.output] = known ? b.law->value(u, y + b.output + 1) : std::numeric_limits<double>::quiet_NaN();
      if (b.sampled()) y[b.next_sample()] = sample_time(b, b.offset > 0 ? 0 : 1);
      if (b.delayed()) {
        y[b.next_value()] = y[b.output];
        y[b.next_effect()] = y[b.next_sample()];
      }
      values.signal[b.signal] = y[b.output];
    }
}

bool sample_due(const Hydraulics& netlist, const double* y, double t, double near) { return next_sample(netlist, y) <= t + near; }

double next_sample(const Hydraulics& netlist, const double* y) {
  double next = std::numeric_limits<double>::infinity();
  for (const ControlBlock& b : netlist.control) {
    if (b.sampled()) next = std::min(next, y[b.next_sample()]);
    if (b.delayed()) next = std::min(next, y[b.next_effect()]);
  }
  return next;
}

namespace {

bool has_modes(const ControlBlock& b) { return !b.sampled() && b.law->modes() > 0; }

/// How far inputs hold as conditions: that of the blocks which they are, otherwise their value less 0.5.
void read_excess(const Hydraulics& netlist, const ControlBlock& b, const double* u, const double* excess, double* c) {
  for (int k = 0; k < b.law->inputs(); ++k) {
    const BlockInput& input = b.inputs[static_cast<std::size_t>(k)];
    const int block = input.kind == BlockInput::Kind::signal ? netlist.block_of_signal[input.index] : -1;
    c[k] = block >= 0 ? excess[block] : u[k] - 0.5;
  }
}

/// Values of all blocks with their states and modes as they are, those of continuous ones anew: also of blocks after a reader whose value does
/// not depend on theirs directly. `excess`: how far they hold as conditions; null: not asked for.
void find_values(const Hydraulics& netlist, const double* s, const double* s_dot, const double* y, OilValues<double>& values,
                 double* excess) {
  double u[kMaxBlockInputs], c[kMaxBlockInputs];
  for (std::size_t i = 0; i < netlist.control.size(); ++i) {
    const ControlBlock& b = netlist.control[i];
    values.signal[b.signal] = y[b.output];
    if (excess != nullptr) excess[i] = y[b.output] - 0.5;
  }
  for (std::size_t i = 0; i < netlist.control.size(); ++i) {
    const ControlBlock& b = netlist.control[i];
    if (b.sampled()) continue;
    const double* const x = y + b.output + 1;
    read_block<double>(b, s, s_dot, y, values, u);
    values.signal[b.signal] = b.law->value(u, x);
    if (excess == nullptr) continue;
    read_excess(netlist, b, u, excess, c);
    const double value = values.signal[b.signal] - 0.5;
    excess[i] = has_modes(b) ? value : b.law->margin(u, c, x, value);
  }
}

}  // namespace

bool modes_stale(const Hydraulics& netlist, const double* s, const double* s_dot, const double* y, OilValues<double>& values) {
  double u[kMaxBlockInputs];
  find_values(netlist, s, s_dot, y, values, nullptr);
  for (const ControlBlock& b : netlist.control) {
    if (!has_modes(b)) continue;
    read_block<double>(b, s, s_dot, y, values, u);
    if (b.law->stale(u, y + b.output + 1)) return true;
  }
  return false;
}

bool find_margins(const Hydraulics& netlist, const double* s, const double* s_dot, const double* y, OilValues<double>& values,
                  double* excess, double* margins) {
  double u[kMaxBlockInputs], c[kMaxBlockInputs];
  bool stale = false;
  find_values(netlist, s, s_dot, y, values, excess);
  for (std::size_t i = 0; i < netlist.control.size(); ++i) {
    const ControlBlock& b = netlist.control[i];
    margins[i] = 1;
    if (!has_modes(b)) continue;
    const double* const x = y + b.output + 1;
    read_block<double>(b, s, s_dot, y, values, u);
    read_excess(netlist, b, u, excess, c);
    const double margin = b.law->margin(u, c, x, 1);
    const bool changes = b.law->stale(u, x);  // at the level itself a margin may be on either side
    margins[i] = changes ? std::min(margin, double(0)) : std::max(margin, std::numeric_limits<double>::min());
    stale = stale || changes;
  }
  return stale;
}

namespace {

/// Samples a block at inputs u; false: its states have no solution.
bool take_sample(const ControlBlock& b, const double* u, double t, double near, double* y) {
  double* const x = y + b.output + 1;
  b.law->restart(u, b.delayed() ? y[b.next_value()] : y[b.output], x);
  if (!advance_states(b, u, x)) return false;
  const double due = y[b.next_sample()];
  y[b.next_sample()] = sample_time(b, std::floor((t + near - b.offset) / b.period) + 1);
  y[b.delayed() ? b.next_value() : b.output] = b.law->value(u, x);
  if (b.delayed()) y[b.next_effect()] = due + b.latency;
  return true;
}

}  // namespace

int sample_blocks(const Hydraulics& netlist, const double* s, const double* s_dot, double t, double near, double* y,
                  OilValues<double>& values) {
  const int most_passes = 100 + 2 * static_cast<int>(netlist.control.size());  // of modes that change each other for ever
  double u[kMaxBlockInputs];
  for (const ControlBlock& b : netlist.control) {
    if (b.delayed() && y[b.next_effect()] <= t + near) {
      y[b.output] = y[b.next_value()];
      y[b.next_effect()] = y[b.next_sample()];
    }
    values.signal[b.signal] = y[b.output];
  }
  const bool modes = std::any_of(netlist.control.begin(), netlist.control.end(), has_modes);
  if (modes) find_values(netlist, s, s_dot, y, values, nullptr);
  const auto evaluate = [&](const ControlBlock& b) {
    b.law->restart(u, y[b.output], y + b.output + 1);
    y[b.output] = b.law->value(u, y + b.output + 1);
    values.signal[b.signal] = y[b.output];
  };
  for (std::size_t i = 0; i < netlist.control.size(); ++i) {
    const ControlBlock& b = netlist.control[i];
    read_block<double>(b, s, s_dot, y, values, u);
    if (!b.sampled()) {
      evaluate(b);
    } else if (y[b.next_sample()] <= t + near && !take_sample(b, u, t, near, y)) {
      return static_cast<int>(i);
    }
    values.signal[b.signal] = y[b.output];
  }
  // a mode may change another one, of a block before it
  for (int pass = 0; pass < most_passes && modes && modes_stale(netlist, s, s_dot, y, values); ++pass)
    for (const ControlBlock& b : netlist.control) {
      if (b.sampled()) continue;
      read_block<double>(b, s, s_dot, y, values, u);
      evaluate(b);
    }
  return -1;
}

std::vector<std::string> entry_names(const ControlBlock& block) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& stem, int count) {
    for (int k = 1; k <= count; ++k) names.push_back(block.name + stem + (count == 1 ? "" : "_" + std::to_string(k)));
  };
  add(".state", block.states());
  add(".mode", block.law->modes());
  if (block.sampled()) names.push_back(block.name + ".next_sample");
  if (block.delayed()) names.insert(names.end(), {block.name + ".next_value", block.name + ".next_effect"});
  return names;
}

std::vector<ControlEntry> control_entries(const Hydraulics& netlist) {
  std::vector<ControlEntry> entries;
  if (netlist.control.empty()) return entries;
  for (const ControlBlock& b : netlist.control)
    for (int row = 0; row <= b.states(); ++row) {
      for (int k = 0; k < b.states(); ++k) entries.push_back({b.circuit, b.local + row, b.local + 1 + k});
      for (const BlockInput& input : b.inputs)
        if (const int column = column_of(netlist, input); column >= 0) entries.push_back({b.circuit, b.local + row, column});
    }
  for (const Spool& spool : netlist.spools) {
    if (!spool.driven() || spool.follows()) continue;
    const ControlBlock& b = netlist.control[spool.block];
    for (int row = 0; row < spool.states(); ++row) {
      entries.push_back({b.circuit, spool.local + row, b.local});
      for (int k = 0; k < spool.states(); ++k) entries.push_back({b.circuit, spool.local + row, spool.local + k});
    }
  }
  const auto add_nodes = [&](const auto& nodes, int column) {
    for (const int node : nodes)
      if (node >= 0 && netlist.nodes[node].state >= 0) entries.push_back({netlist.nodes[node].circuit, netlist.nodes[node].local, column});
  };
  const auto add_component = [&](const Component& c, int column) {
    add_nodes(c.nodes, column);
    for (std::size_t k = 0; k < c.law->info().states.size() && c.circuit >= 0; ++k)
      entries.push_back({c.circuit, c.local + static_cast<int>(k), column});
  };
  for_each_driven_element(netlist, [&](const auto& element, int spool) {
    std::vector<int> nodes;
    for (const int* node : element_nodes(element)) nodes.push_back(*node);
    add_nodes(nodes, column_of(netlist, netlist.spools[spool]));
  });
  for (const Actuator& a : netlist.actuators)
    if (a.spool >= 0 && netlist.spools[a.spool].driven())
      add_nodes(std::vector<int>{a.A, a.B}, column_of(netlist, netlist.spools[a.spool]));
  for (const Component& c : netlist.components)
    for (const int spool : c.spools) {
      if (!netlist.spools[spool].driven()) continue;
      add_component(c, column_of(netlist, netlist.spools[spool]));
    }
  for (const int node : netlist.driven_sources) {
    const int column = column_of_block(netlist, netlist.nodes[node].source);
    for_each_element(netlist, [&](const auto& element) {
      std::vector<int> nodes;
      for (const int* at : element_nodes(element)) nodes.push_back(*at);
      if (is_at(element_nodes(element), node)) add_nodes(nodes, column);
    });
    for (const Component& c : netlist.components)
      if (std::find(c.nodes.begin(), c.nodes.end(), node) != c.nodes.end()) add_component(c, column);
  }
  for (const FlowSource& source : netlist.flow_sources)
    if (const int block = netlist.block_of_signal[source.flow]; block >= 0)
      add_nodes(std::vector<int>{source.from, source.to}, netlist.control[block].local);
  return entries;
}

void add_control_rows(const Hydraulics& netlist, int port, std::vector<int>& rows) {
  for (const ControlBlock& b : netlist.control)
    if (std::any_of(b.inputs.begin(), b.inputs.end(), [&](const BlockInput& input) { return reads_port(input) && input.index == port; }))
      for (int k = 0; k <= b.states() && !b.sampled(); ++k) rows.push_back(b.local + k);
}

}  // namespace trunnion
