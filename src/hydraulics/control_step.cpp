// Control blocks in a step: states and values, residuals, slopes, and the prediction.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>

#include "base/lu.h"
#include "hydraulics/circuit.h"
#include "hydraulics/control.h"

namespace trunnion {

namespace {

/// Whether an input changes in a step.
bool varies(const Hydraulics& netlist, const BlockInput& input) {
  return !input.ahead && (input.kind != BlockInput::Kind::pressure || netlist.nodes[input.index].state >= 0);
}
const ControlBlock& block_of(const Hydraulics& netlist, SignalIndex signal) { return netlist.control[netlist.block_of_signal[signal]]; }
const ControlBlock& block_of(const Hydraulics& netlist, const Spool& spool) { return netlist.control[spool.block]; }

/// A driven spool at the end of a step, at the value that drives it.
template <class S>
void follow(const Spool& spool, const RateRelation& rule, const S& value, S* x) {
  for (int k = 0; k < spool.states(); ++k) x[k] = rule.y_begin[spool.state + k];
  advance_spool(spool, rule.factor, rule.offset + spool.state, value, x);
}
/// ... and its slope there.
Dual<1> varied(const Spool& spool, const RateRelation& rule, const HydraulicState& state) {
  Dual<1> x[2];
  follow(spool, rule, Dual<1>::variable(state.signal[spool.signal], 0), x);
  return x[0];
}

/// Adds a slope in an unknown or a port to a row of a circuit.
TR_INLINE void add_slope(const Circuit& c, int row, const BlockOrigin& in, double slope, HydraulicState& state) {
  if (in.kind == BlockInput::Kind::position)
    state.R_s[state.column[in.index] + row] += slope;
  else if (in.kind == BlockInput::Kind::rate)
    state.R_v[state.column[in.index] + row] += slope;
  else
    state.T[c.block + row * c.size + in.index] += slope;
}
/// ... in a block's value.
TR_INLINE void add_slope(const Circuit& c, int row, const ControlBlock& in, double slope, HydraulicState& state) {
  for (std::size_t k = 0; k < in.origins.size(); ++k)
    add_slope(c, row, in.origins[k], slope * state.control.front().value_slope[static_cast<std::size_t>(in.slope) + k], state);
}

/// Whether an element with these nodes is connected to one.
template <class Nodes>
bool is_at(const Nodes& nodes, int node) {
  return std::any_of(nodes.begin(), nodes.end(), [&](const int* at) { return *at == node; });
}

/// Adds a flow's slope in a block's value to the balances of its nodes.
void add_command_slope(const Hydraulics& netlist, int A, int B, const ControlBlock& in, double slope, HydraulicState& state) {
  const auto add = [&](int node, double sign) {
    if (node < 0 || netlist.nodes[node].state < 0) return;
    const PressureNode& n = netlist.nodes[node];
    add_slope(netlist.circuits[n.circuit], n.local, in, sign * slope, state);
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
  /// In an input with that slope in a block's value.
  void add(S& input, double slope, const ControlBlock& in) {
    input.d[0] = slope;
    c.law->evaluate(varied.inputs(), varied.Q, varied.rate);
    input.d[0] = 0;
    for_each_flow_path(c, varied.Q, [&](int A, int B, const S& Q) { add_command_slope(netlist, A, B, in, Q.d[0], state); });
    if (c.circuit < 0) return;
    for (std::size_t k = 0; k < c.law->info().states.size(); ++k)
      add_slope(netlist.circuits[c.circuit], c.local + static_cast<int>(k), in, -varied.rate[k].d[0], state);
  }
};

/// Slopes of flows, rates and port forces in driven pressures of sources.
void add_source_slopes(const Hydraulics& netlist, const double* y, HydraulicState& state) {
  for (const int node : netlist.driven_sources) {
    const ControlBlock& by = block_of(netlist, netlist.nodes[node].source);
    if (!by.unknown) continue;  // constant
    for_each_element(netlist, [&](const auto& element) {
      if (!is_at(element_nodes(element), node)) return;
      for_each_flow(element, state.flow_inputs(), [&](const FlowEdge& e) {
        if (e.A == node) add_command_slope(netlist, e.A, e.B, by, e.slope, state);
        if (e.B == node) add_command_slope(netlist, e.A, e.B, by, -e.slope, state);
      });
    });
    for (const Component& c : netlist.components) {
      if (std::find(c.nodes.begin(), c.nodes.end(), node) == c.nodes.end()) continue;
      ComponentSlopes slopes(netlist, c, y, state);
      for (std::size_t i = 0; i < c.nodes.size(); ++i)
        if (c.nodes[i] == node) slopes.add(slopes.varied.p[i], 1, by);
    }
    for (int i = 0; i < netlist.pistons; ++i) {
      const Actuator& a = netlist.actuators[i];
      if (a.A == node) state.F_y[state.column[i] + by.local] += state.force_p[i][0];
      if (a.B == node) state.F_y[state.column[i] + by.local] += state.force_p[i][1];
    }
  }
}

/// Column of the flow (k < 0) or command k of a quasistatic circuit; -1: it is constant in a step.
int column_of(const Hydraulics& netlist, const QuasistaticCircuit& q, int k) {
  const int spool = k < 0 ? -1 : command_of(q, k), block = k < 0       ? netlist.block_of_signal[q.flow]
                                                           : spool < 0 ? -1
                                                                       : netlist.spools[spool].block;
  return block >= 0 && netlist.control[block].unknown ? netlist.control[block].local : -1;
}

/// Slopes of the states p of quasistatic circuits in driven flows and commands: p = ... + v/c at given load lines.
void add_metering_slopes(const Hydraulics& netlist, const RateRelation& rule, HydraulicState& state) {
  using S = Dual<1>;
  for (std::size_t i = 0; i < netlist.quasistatic.size(); ++i) {
    const QuasistaticCircuit& q = netlist.quasistatic[i];
    QuasistaticWork& work = state.quasistatic[i];
    const Circuit& c = netlist.circuits[netlist.actuators[q.ports.front().actuator].circuit];
    const double factor = q.discrete ? 1 / rule.step : rule.factor;
    bool known = false;
    for (int k = -1; k < commands_of(q); ++k) {
      const int column = column_of(netlist, q, k);
      if (column < 0) continue;
      if (!known) recover_flows(q, work);
      known = true;
      std::fill(work.fbar_change.begin(), work.fbar_change.end(), 0.0);
      std::copy(state.spool.begin(), state.spool.end(), state.control.front().spool.begin());
      S flow(state.signal[q.flow]);
      if (k < 0)
        flow.d[0] = 1;
      else
        state.control.front().spool[command_of(q, k)] = varied(netlist.spools[command_of(q, k)], rule, state);
      read_command<S>(q, flow, state.control.front().spool.data(), work);
      admit_command(work);
      change_flows(q.metering, work.command(), work.command_change(), work.beta, work.fbar_change, work.flows, work.pump, work.flow_changes,
                   work.pump_change);
      for (std::size_t j = 0; j < q.ports.size(); ++j)
        state.T[c.block + static_cast<std::ptrdiff_t>(q.ports[j].local) * c.size + column] -= work.flow_changes[j].v / factor;
    }
  }
}

/// Slopes of port forces that blocks drive.
void add_drive_slopes(const Hydraulics& netlist, HydraulicState& state) {
  for (std::size_t i = 0; i < netlist.actuators.size(); ++i)
    if (const Actuator& a = netlist.actuators[i]; a.drive >= 0)  // of one that follows a block, of the block's first state
      if (const ControlBlock& by = block_of(netlist, a.drive); by.unknown)
        state.F_y[state.column[i] + by.local + (a.follows ? 1 : 0)] += a.follows ? 1 : a.gain;
}

/// Slopes of motors, of flows and rates of components and of flow sources in driven commands.
void add_command_slopes(const Hydraulics& netlist, const double* y, HydraulicState& state) {
  for (std::size_t i = 0; i < netlist.actuators.size(); ++i) {
    const Actuator& a = netlist.actuators[i];
    if (a.spool < 0 || !netlist.spools[a.spool].driven()) continue;
    const ControlBlock& by = block_of(netlist, netlist.spools[a.spool]);
    if (!by.unknown) continue;  // constant
    const FractionSlopes& slopes = state.by_fraction[i];
    const double moved = state.control.front().spool[a.spool].d[0];
    add_command_slope(netlist, a.A, -1, by, moved * slopes.A, state);
    add_command_slope(netlist, a.B, -1, by, moved * slopes.B, state);
    state.F_y[state.column[i] + by.local] += moved * slopes.force;
  }
  for (const int component : state.control.front().driven_components) {
    const Component& c = netlist.components[component];
    ComponentSlopes slopes(netlist, c, y, state);
    for (std::size_t i = 0; i < c.spools.size(); ++i)
      if (const Spool& spool = netlist.spools[c.spools[i]]; spool.driven())
        slopes.add(slopes.varied.u[i], state.control.front().spool[c.spools[i]].d[0], block_of(netlist, spool));
  }
  for (const FlowSource& source : netlist.flow_sources) {
    if (netlist.block_of_signal[source.flow] < 0) continue;
    add_command_slope(netlist, source.from, source.to, block_of(netlist, source.flow), source_slope(source, state), state);
  }
}

/// Own rows of a block that is an unknown.
void add_block(const Hydraulics& netlist, const ControlBlock& b, const double* s, const double* s_dot, const double* y, const double* ydot,
               double factor, HydraulicState& state) {
  const Circuit& c = netlist.circuits[b.circuit];
  double *T = state.T.data() + c.block + b.local * c.size, *R = state.R.data() + c.offset + b.local;
  double u[kMaxBlockInputs];
  read_block<double>(b, s, s_dot, y, state, u);
  const int inputs = static_cast<int>(b.inputs.size());
  const auto set_residual = [&](int row, double number) {
    R[row] = (row == 0 ? y[b.output] : ydot[b.output + row]) - number;
    T[row * c.size + b.local + row] += row == 0 ? 1 : factor;
  };
  b.law->differentiate(
      u, y + b.output + 1, [&](int k) { return varies(netlist, b.inputs[k]); }, set_residual,
      [&](int row, int k, double slope) {
        if (k >= inputs) {
          T[row * c.size + b.local + 1 + k - inputs] -= slope;
          return;
        }
        const BlockInput& input = b.inputs[k];
        if (input.kind == BlockInput::Kind::pressure)
          T[row * c.size + netlist.nodes[input.index].local] -= slope;
        else if (input.kind != BlockInput::Kind::signal)
          add_slope(c, b.local + row, BlockOrigin{input.kind, input.index}, -slope, state);
        else if (const ControlBlock& read = block_of(netlist, input.index); input.state < 0)
          add_slope(c, b.local + row, read, -slope, state);
        else
          T[row * c.size + read.local + input.state - read.output] -= slope;
      });
}

/// Pressures and values that blocks read.
void load_inputs(const Hydraulics& netlist, const double* y, HydraulicState& state) {
  for (const ControlBlock& b : netlist.control) {
    state.signal[b.signal] = y[b.output];
    for (const BlockInput& input : b.inputs)
      if (input.kind == BlockInput::Kind::pressure && varies(netlist, input))
        state.pressure[input.index] = y[netlist.nodes[input.index].state];
  }
}

/// States x = before + f(u, x)/factor of a block at the end of a step, by Newton's method, with increments shortened where a law's plateaus
/// and ramps would lead it to and fro; then the value w = g(u, x).
class StatesOfBlock {
 public:
  StatesOfBlock(const ControlBlock& b, const double* u, const RateRelation& rule, double* y, double* ydot)
      : law_(*b.law),
        n_(law_.states()),
        u_(u),
        factor_(rule.factor),
        share_(1 / rule.factor),
        begin_(rule.y_begin + b.output + 1),
        offset_(rule.offset + b.output + 1),
        x_(y + b.output + 1),
        x_dot_(ydot + b.output + 1) {}

  /// The value; NaN: there is no solution. `du`: receives the slopes of the value in inputs that are wanted.
  template <class Wanted>
  double solve(Wanted&& wanted, double* du) {
    double last[kMaxBlockStates], change[kMaxBlockStates];
    for (int iteration = 0;; ++iteration) {
      if (!linearise(wanted, du)) return std::numeric_limits<double>::quiet_NaN();
      for (int i = 0; i < n_; ++i) {
        last[i] = x_[i];
        change[i] = residual(i, rate_[i]);
      }
      solve_tangent(change);
      double linear = value_, terms = 0;
      for (int i = 0; i < n_; ++i) {
        linear += g_x_[i] * change[i];
        terms += std::abs(g_x_[i]) * (std::abs(last[i]) + std::abs(change[i]));
      }
      move(last, change, 1);
      if (law_.linear()) {
        value_ = linear;
        break;
      }
      value_ = law_.evaluate(u_, x_, rate_);
      double error = std::abs(value_ - linear) - kLinear * (std::abs(value_) + terms);
      for (int i = 0; i < n_; ++i)
        error = std::max(error, std::abs(residual(i, rate_[i])) - kLinear * (std::abs(x_[i]) + std::abs(begin_[i]) +
                                                                             share_ * (std::abs(rate_[i]) + std::abs(offset_[i]))));
      if (error <= 0) break;
      if (iteration == kMostIterations) return std::numeric_limits<double>::quiet_NaN();
      double part = 1;
      for (int i = 0; i < kMostHalvings && is_farther(last, change); ++i) {
        part /= 2;
        move(last, change, part);
        value_ = law_.evaluate(u_, x_, rate_);
      }
    }
    for (int i = 0; i < n_; ++i) x_dot_[i] = factor_ * (x_[i] - begin_[i]) - offset_[i];
    for (int k = 0; k < law_.inputs(); ++k) {
      if (!wanted(k)) continue;
      solve_tangent(&f_u_[k * n_]);
      for (int i = 0; i < n_; ++i) du[k] += g_x_[i] * f_u_[k * n_ + i];
    }
    return value_;
  }

 private:
  static constexpr int kMostIterations = 50, kMostHalvings = 10;
  static constexpr double kLinear = 1e-10;  // difference from the linearised law, relative to its terms: no further iteration

  double residual(int i, double rate) const { return begin_[i] - x_[i] + share_ * (offset_[i] + rate); }
  void move(const double* from, const double* change, double part) {
    for (int i = 0; i < n_; ++i) x_[i] = from[i] + part * change[i];
  }
  /// Slopes at x, and the factored tangent of the states. False: it is singular.
  template <class Wanted>
  bool linearise(Wanted&& wanted, double* du) {
    const int inputs = law_.inputs();
    for (int i = 0; i < n_ * n_; ++i) T_[i] = i % (n_ + 1) == 0 ? 1 : 0;
    law_.differentiate(
        u_, x_, wanted, [&](int row, double number) { row == 0 ? value_ = number : rate_[row - 1] = number; },
        [&](int row, int k, double slope) {
          if (k >= inputs)
            row == 0 ? g_x_[k - inputs] = slope : T_[(row - 1) * n_ + k - inputs] -= share_ * slope;
          else
            row == 0 ? du[k] = slope : f_u_[k * n_ + row - 1] = share_ * slope;
        });
    if (n_ > 1) return lu_factor(T_, n_, pivot_);
    T_[0] = 1 / T_[0];
    return true;
  }
  void solve_tangent(double* b) const { n_ == 1 ? void(b[0] *= T_[0]) : lu_solve(T_, n_, pivot_, b); }
  /// Whether the next increment with this tangent would be as large as the last one, relative to the states.
  bool is_farther(const double* last, const double* change) const {
    double next[kMaxBlockStates], before = 0, now = 0;
    for (int i = 0; i < n_; ++i) next[i] = residual(i, rate_[i]);
    solve_tangent(next);
    for (int i = 0; i < n_; ++i) {
      const double size = std::abs(last[i]) + std::abs(change[i]) + std::numeric_limits<double>::min();
      before = std::max(before, std::abs(change[i]) / size);
      now = std::max(now, std::abs(next[i]) / size);
    }
    return !(now < before);
  }

  const BlockLaw& law_;
  int n_;
  const double* u_;
  double factor_, share_;  // [1/s] of the rule, [s] its inverse
  const double *begin_, *offset_;
  double *x_, *x_dot_;
  double value_ = 0, rate_[kMaxBlockStates + 1], g_x_[kMaxBlockStates], T_[kMaxBlockStates * kMaxBlockStates];
  Scratch<double, kMaxBlockStates * kMaxBlockInputs> f_u_;
  int pivot_[kMaxBlockStates];
};

/// Value and states of a block as functions of its inputs u; `du`: not null: receives the slopes of the value in inputs that vary.
double solve_block(const Hydraulics& netlist, const ControlBlock& b, const double* u, const RateRelation& rule, double* y, double* ydot,
                   double* du) {
  const auto wanted = [&](int k) { return du != nullptr && varies(netlist, b.inputs[k]); };
  if (b.states() > 0) return StatesOfBlock(b, u, rule, y, ydot).solve(wanted, du);
  const double* const modes = y + b.output + 1;
  if (du == nullptr) return b.law->value(u, modes);
  double value = 0;
  b.law->differentiate(
      u, modes, wanted, [&](int, double number) { value = number; }, [&](int, int k, double slope) { du[k] = slope; });
  return value;
}

/// The value of a block that is no unknown, with its slopes if asked for.
void find_block(const Hydraulics& netlist, const ControlBlock& b, const double* s, const double* s_dot, const RateRelation& rule,
                bool slopes, double* y, double* ydot, HydraulicState& state) {
  double u[kMaxBlockInputs], du[kMaxBlockInputs];
  read_block<double>(b, s, s_dot, y, state, u);
  y[b.output] = state.signal[b.signal] = solve_block(netlist, b, u, rule, y, ydot, slopes ? du : nullptr);
  if (!slopes) return;
  double* slope = state.control.front().value_slope.data();
  std::fill_n(slope + b.slope, b.origins.size(), 0.0);
  for (const BlockLink& link : b.links) slope[link.to] += du[link.input] * (link.from < 0 ? 1 : slope[link.from]);
}

/// A driven spool and its rates, with its slope if asked for.
void find_spool(const Spool& spool, std::size_t i, const RateRelation& rule, bool slopes, double* y, double* ydot, HydraulicState& state) {
  const double value = state.signal[spool.signal];
  if (slopes) {
    Dual<1> x[2];
    follow(spool, rule, Dual<1>::variable(value, 0), x);
    state.control.front().spool[i] = x[0];
    if (!spool.follows())
      for (int k = 0; k < spool.states(); ++k) y[spool.state + k] = x[k].value;
  } else if (!spool.follows()) {
    follow<double>(spool, rule, value, y + spool.state);
  }
  if (!spool.follows()) spool_rates(spool, value, y + spool.state, ydot + spool.state);
  state.spool[i] = y[spool.state];
}

}  // namespace

template <class Element>
void add_driven_element(const Hydraulics& netlist, const Element& element, HydraulicState& state) {
  using S = Dual<1>;
  const ControlBlock& by = block_of(netlist, netlist.spools[element.spool]);
  if (by.origins.empty()) return;  // constant
  const std::vector<S>& spools = state.control.front().spool;
  const S& command = spools[element.spool];
  if constexpr (requires { element.opening; }) {  // a flow in proportion to its opening
    const double slope = element.opening(command).d[0];
    if (!kRecording && slope == 0) return;  // most metering edges
    const double Q = orifice_flow(element.coefficient * slope, state.pressure[element.A] - state.pressure[element.B], element.zone);
    return add_command_slope(netlist, element.A, element.B, by, Q, state);
  }
  element.edges(FlowInputs<S>{nullptr, nullptr, spools.data()}, [&](int A, int B, auto&& law) {
    const S Q = law(S(state.pressure[A] - state.pressure[B]));
    add_command_slope(netlist, A, B, by, Q.d[0], state);
  });
}
template void add_driven_element(const Hydraulics&, const Orifice&, HydraulicState&);
template void add_driven_element(const Hydraulics&, const DirectionalValve&, HydraulicState&);

void predict_control(const Hydraulics& netlist, const double* s, const double* s_dot, double* y, double* ydot, const RateRelation& rule,
                     HydraulicState& state) {
  double u[kMaxBlockInputs], before[kMaxBlockStates + 1], increment[kMaxBlockStates + 1];
  const bool unknowns = std::any_of(netlist.control.begin(), netlist.control.end(), [](const ControlBlock& b) { return b.unknown; });
  load_inputs(netlist, y, state);
  for (const ControlBlock& b : netlist.control) {
    if (b.sampled()) continue;
    if (!b.unknown) {  // others follow at every iterate, but unknowns may read them
      if (b.origins.empty() || unknowns) find_block(netlist, b, s, s_dot, rule, false, y, ydot, state);
      continue;
    }
    read_block<double>(b, s, s_dot, y, state, u);
    double* const x = y + b.output + 1;
    if (const int states = b.states(); states > 0) {
      for (int k = 0; k < states; ++k) before[k] = rule.y_begin[b.output + 1 + k] + rule.offset[b.output + 1 + k] / rule.factor;
      advance_states(*b.law, u, 1 / rule.factor, before, x, increment);
    }
    y[b.output] = state.signal[b.signal] = b.law->value(u, x);
  }
  for (std::size_t i = 0; i < netlist.spools.size(); ++i)
    if (netlist.spools[i].driven() && block_of(netlist, netlist.spools[i]).origins.empty())
      find_spool(netlist.spools[i], i, rule, false, y, ydot, state);
}

void finish_control(const Hydraulics& netlist, const double* s, const double* s_dot, const RateRelation& rule, double* y, double* ydot,
                    HydraulicState& state) {
  load_inputs(netlist, y, state);
  follow_control(netlist, s, s_dot, rule, false, y, ydot, state);
}

void follow_control(const Hydraulics& netlist, const double* s, const double* s_dot, const RateRelation& rule, bool slopes, double* y,
                    double* ydot, HydraulicState& state) {
  for (const ControlBlock& b : netlist.control)
    if (!b.unknown && !b.origins.empty()) find_block(netlist, b, s, s_dot, rule, slopes, y, ydot, state);
  for (const int i : state.control.front().driven_spools)
    find_spool(netlist.spools[i], static_cast<std::size_t>(i), rule, slopes, y, ydot, state);
}

void add_control(const Hydraulics& netlist, const double* s, const double* s_dot, const double* y, const double* ydot,
                 const RateRelation& rule, HydraulicState& state) {
  for (const ControlBlock& b : netlist.control)
    if (b.unknown) add_block(netlist, b, s, s_dot, y, ydot, rule.factor, state);
  add_command_slopes(netlist, y, state);
  add_source_slopes(netlist, y, state);
  add_metering_slopes(netlist, rule, state);
  add_drive_slopes(netlist, state);
}

void set_control_residuals(const Hydraulics& netlist, const double* s, const double* s_dot, const double* y, const double* ydot,
                           HydraulicState& state) {
  double u[kMaxBlockInputs], rate[kMaxBlockStates + 1];
  for (const ControlBlock& b : netlist.control) {
    if (!b.unknown) continue;
    double* R = state.R.data() + netlist.circuits[b.circuit].offset + b.local;
    read_block<double>(b, s, s_dot, y, state, u);
    R[0] = y[b.output] - b.law->evaluate(u, y + b.output + 1, rate);
    const int states = b.states();
    for (int k = 1; k <= states; ++k) R[k] = ydot[b.output + k] - rate[k - 1];
  }
}

}  // namespace trunnion
