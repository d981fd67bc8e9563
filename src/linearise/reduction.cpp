// Linearised equations of a machine in its independent coordinates.
// SPDX-License-Identifier: BSD-3-Clause
#include "linearise/reduction.h"

#include <algorithm>
#include <numeric>

#include "base/diagnostic.h"
#include "linearise/variables.h"
#include "mechanics/applied.h"

namespace trunnion {

namespace {

/// A dual number with value `value` and derivative `rate`.
Dual<1> varied(double value, double rate) { return Dual<1>::chain(value, rate, Dual<1>::variable(0, 0)); }

}  // namespace

template <int D>
Reduction<D>::Change::Change(const CompiledModel& model)
    : mechanism(model.layout.nv), y(model.layout.ny), ydot(model.layout.ny), multipliers(model.layout.rows), signal(model.signals.size()) {}

template <int D>
Reduction<D>::Reduction(const std::shared_ptr<const CompiledModel>& model, ConstraintTreatment treatment,
                        const Stabilisation& stabilisation)
    : model_(model),
      m_(std::get<Mechanism<D>>(model->mechanism)),
      netlist_(model->hydraulics),
      rates_(model, treatment, stabilisation),
      at_(model->layout),
      variation_(m_),
      product_(m_.tree),
      flows_(netlist_),
      port_s_(netlist_.actuators.size()),
      port_v_(netlist_.actuators.size()),
      pistons_(netlist_.ny),
      element_force_(netlist_.actuators.size()),
      friction_(netlist_.actuators.size()),
      change_(*model),
      groups_(m_.constraints.size()),
      row_change_(m_.rows) {
  std::iota(groups_.begin(), groups_.end(), 0);
  const std::size_t nv = model->layout.nv, ports = netlist_.actuators.size();
  for (auto* x : {&theta_, &dr_, &x_, &residual_, &loads_}) x->resize(nv);
  for (auto* x : {&ds_, &dsdot_}) x->resize(ports);
  inflow_.resize(netlist_.nodes.size());
  constraint_.resize(m_.rows);
  row_values_.resize(m_.rows);
  for (auto& rows : followed_) rows.resize(m_.rows);
  ydot_.resize(netlist_.ny);
  commanded_.resize(netlist_.ny);
  fixed_.resize(netlist_.ny);
  varied_y_.resize(netlist_.control.empty() ? 0 : netlist_.ny);
  varied_ydot_.resize(varied_y_.size());
  is_spool_.assign(netlist_.ny, false);
  for (const Spool& spool : netlist_.spools) is_spool_[spool.state] = true;
  states_ = first_order_states(netlist_);
  for (const QuasistaticCircuit& q : netlist_.quasistatic)
    if (q.discrete)
      throw Error("quasistatic." + q.name +
                  ".form: a linear model has no discrete states; use `differential`, the same element as differential equations");
  find_inputs();
}

/// Signals in use, in the order of their index, but numbers that blocks read; those of prescribed motions with their derivatives.
template <int D>
void Reduction<D>::find_inputs() {
  std::vector<bool> used(model_->signals.size(), false), moves = used;
  for (SignalIndex i : netlist_.used_signals) used[i] = true;
  for (const ControlBlock& block : netlist_.control) {
    if (block.sampled()) used[block.signal] = true;  // it is held
    for (const BlockInput& input : block.inputs)
      if (input.kind == BlockInput::Kind::signal && model_->signals.names()[input.index].empty()) used[input.index] = false;
  }
  for_each_applied(m_, [&](const auto& element) {
    if constexpr (kHasFactor<decltype(element)>)
      if (element.signal >= 0) used[element.signal] = true;
  });
  for (const PrescribedMotion& motion : m_.motions)
    if (!motion.follows_block()) moves[motion.signal] = true;
  for (int i = 0; i < model_->signals.size(); ++i) {
    if (used[i] || moves[i]) inputs_.push_back({LinearInput::Kind::value, i});
    if (moves[i]) inputs_.insert(inputs_.end(), {{LinearInput::Kind::rate, i}, {LinearInput::Kind::acceleration, i}});
  }
}

// ---------------------------------------------------------------- reference

template <int D>
void Reduction<D>::set_reference(const StateVector& reference, const Reduction* like, std::span<const int> independent) {
  at_ = reference;
  const auto fail = [&](const char* cause, const char* remedy) { throw SimulationError(at_.time, "the linear model", cause, remedy); };
  MachineState<D>& work = rates_.work();
  update_positions(m_, at_.q(), static_cast<const double*>(nullptr), work.mechanism);
  if (like == nullptr && !rates_.loops().select_partition(work.mechanism))
    fail("the reference is a singular configuration (dead point) of the loops", "use another position");
  if (!independent.empty() && !rates_.loops().select_partition(work.mechanism, independent))
    fail("the loops do not determine the other coordinates by those that are to be independent here", "choose fewer or other ones");
  if (like != nullptr) {
    like->rates_.loops().write(at_.partition());
    rates_.loops().load_partition(at_.partition());
  }
  finish_reference(reference, Side::right);
}

template <int D>
void Reduction<D>::set_reference(const StateVector& reference, const double* partition, Side side) {
  at_ = reference;
  rates_.loops().load_partition(partition);
  finish_reference(reference, side);
}

/// The reference `reference` on the partition of the loops.
template <int D>
void Reduction<D>::finish_reference(const StateVector& reference, Side side) {
  const auto fail = [&](const char* cause, const char* remedy) { throw SimulationError(at_.time, "the linear model", cause, remedy); };
  MachineState<D>& work = rates_.work();
  StepOutcome report;
  std::fill(theta_.begin(), theta_.end(), 0.0);
  if (!rates_.place(reference.q(), theta_.data(), side, at_, report)) fail("the loops do not close", "check the start positions");
  // the increments of spherical joints start here
  update_positions(m_, at_.q(), static_cast<const double*>(nullptr), work.mechanism);
  rates_.loops().factor_at(work.mechanism);
  if (!rates_.accelerate(at_, report)) fail("the mass matrix is singular on the constraints", "give every moving body mass and inertia");
  rates_.residual(at_, residual_.data(), constraint_.data());
  sum_forces(m_, work.force.data(), at_.multipliers(), work.mechanism, variation_);
  set_oil(work.mechanism.s.data(), work.mechanism.s_dot.data(), at_.y());
}

template <int D>
void Reduction<D>::set_motion(const StateVector& motion, const double* partition, Side side) {
  const auto fail = [&](const char* cause) {
    throw SimulationError(motion.time, "the derivative of a step", cause, "use another position");
  };
  at_ = motion;
  rates_.loops().load_partition(partition);
  StepOutcome report;
  std::fill(theta_.begin(), theta_.end(), 0.0);
  if (!rates_.place(motion.q(), theta_.data(), side, at_, report)) fail("the motion is not that of a regular configuration");
  MachineState<D>& work = rates_.work();
  std::fill(at_.multipliers(), at_.multipliers() + m_.rows, 0.0);
  rates_.residual(at_, residual_.data(), constraint_.data());
  rates_.loops().reduce();
  rates_.loops().set_multipliers(residual_.data(), at_.multipliers());
  add_constraint_forces(m_, static_cast<const double*>(at_.multipliers()), work.mechanism, residual_.data());
  sum_forces(m_, work.force.data(), at_.multipliers(), work.mechanism, variation_);
  set_oil(work.mechanism.s.data(), work.mechanism.s_dot.data(), at_.y());
}

/// Local derivatives of hydraulics and friction at constant rates, without an integration rule.
template <int D>
void Reduction<D>::set_oil(const double* s, const double* s_dot, double* y) {
  HydraulicState& oil = rates_.work().hydraulics;
  evaluate_rates(netlist_, s, s_dot, y, ydot_.data(), oil);
  evaluate_slopes(netlist_, s, s_dot, y, ydot_.data(), oil);
  for (std::size_t i = 0; i < friction_.size(); ++i) {
    const Actuator& a = netlist_.actuators[i];
    FrictionResponse& f = friction_[i];
    f = {};
    respond(a.friction, s_dot[i], y + a.state, f);
    for (double& slope : f.force_x) slope *= friction_factor<double>(a, oil.pressure, y);
  }
}

template <int D>
void Reduction<D>::oil_slopes(double* s, double* s_dot, double* y, std::vector<double>& slopes) {
  set_oil(s, s_dot, y);
  const HydraulicState& oil = rates_.work().hydraulics;
  slopes.clear();
  for (const auto* list : {&oil.T, &oil.force_s, &oil.force_v}) slopes.insert(slopes.end(), list->begin(), list->end());
  for (const auto& force : oil.force_p) slopes.insert(slopes.end(), force.begin(), force.end());
  for (const FrictionResponse& f : friction_) {
    slopes.push_back(f.force_v);
    for (const auto* list : {&f.force_x, &f.rate_v}) slopes.insert(slopes.end(), list->begin(), list->end());
    for (const auto& row : f.rate_x) slopes.insert(slopes.end(), row.begin(), row.end());
  }
  Change& c = change_;
  for (const Spool& spool : netlist_.spools) {
    std::fill(c.y.begin(), c.y.end(), 0.0);
    std::fill(c.signal.begin(), c.signal.end(), 0.0);
    c.y[spool.state] = 1;
    change_flows(c, inflow_);
    slopes.insert(slopes.end(), inflow_.begin(), inflow_.end());
    std::fill(ds_.begin(), ds_.end(), 0.0);
    std::fill(dsdot_.begin(), dsdot_.end(), 0.0);
    change_quasistatic(c);
    slopes.insert(slopes.end(), element_force_.begin(), element_force_.end());
  }
}

template <int D>
void Reduction<D>::drift(double* rates) const {
  for (int v : velocities()) *rates++ = at_.v()[v];
  for (int v : velocities()) *rates++ = at_.a()[v];
  for (int v : velocity_dependent()) *rates++ = at_.v()[v];
  for (int i : states_) *rates++ = at_.ydot()[i];
}

// ---------------------------------------------------------------- changes

/// Signals and spools with their change.
template <int D>
void Reduction<D>::differentiate_inputs(const Change& change) {
  const HydraulicState& oil = rates_.work().hydraulics;
  for (SignalIndex i : netlist_.used_signals) flows_.signal[i] = varied(oil.signal[i], change.signal[i]);
  for (const ControlBlock& block : netlist_.control)
    flows_.signal[block.signal] = varied(oil.signal[block.signal], change.signal[block.signal]);
  std::copy(oil.length.begin(), oil.length.end(), flows_.length.begin());
  for (std::size_t i = 0; i < netlist_.spools.size(); ++i) flows_.spool[i] = varied(oil.spool[i], change.y[netlist_.spools[i].state]);
}

/// Values of control blocks and the rates of their states, due to all changes.
template <int D>
void Reduction<D>::change_control(Change& change) {
  if (netlist_.control.empty()) return;
  using S = Dual<1>;
  const MechanismState<D>& mech = rates_.work().mechanism;
  differentiate_inputs(change);
  for (std::size_t i = 0; i < netlist_.actuators.size(); ++i) {
    port_s_[i] = varied(mech.s[i], ds_[i]);
    port_v_[i] = varied(mech.s_dot[i], dsdot_[i]);
  }
  for (std::size_t i = 0; i < netlist_.nodes.size(); ++i) {
    const PressureNode& node = netlist_.nodes[i];
    flows_.pressure[i] = node.state < 0 ? flows_.signal[node.source] : varied(at_.y()[node.state], change.y[node.state]);
  }
  for (std::size_t i = 0; i < varied_y_.size(); ++i) varied_y_[i] = varied(at_.y()[i], change.y[i]);
  evaluate_blocks<S>(netlist_, port_s_.data(), port_v_.data(), varied_y_.data(), varied_ydot_.data(), flows_);
  for (const ControlBlock& block : netlist_.control) {
    change.signal[block.signal] = change.y[block.output] = varied_y_[block.output].d[0];
    for (int k = 1; k <= block.states(); ++k) change.ydot[block.output + k] = varied_ydot_[block.output + k].d[0];
  }
}

/// Net inflow of every node due to changes of spools, signals and source pressures at constant pressures of the volumes.
template <int D>
void Reduction<D>::change_flows(const Change& change, std::vector<double>& inflow) {
  using S = Dual<1>;
  const HydraulicState& oil = rates_.work().hydraulics;
  differentiate_inputs(change);
  for (std::size_t i = 0; i < netlist_.nodes.size(); ++i) {
    const PressureNode& node = netlist_.nodes[i];
    flows_.pressure[i] = node.state < 0 ? flows_.signal[node.source] : S(oil.pressure[i]);
  }
  std::fill(inflow.begin(), inflow.end(), 0.0);
  const FlowInputs<S> in = flows_.flow_inputs();
  for_each_element(netlist_, [&](const auto& element) {
    element.edges(in, [&](int A, int B, auto&& law) {
      const S Q = law(S(flows_.pressure[A] - flows_.pressure[B]));
      inflow[A] -= Q.d[0];
      inflow[B] += Q.d[0];
    });
  });
  ComponentValues<S> values;
  for (std::size_t i = 0; i < fixed_.size(); ++i) fixed_[i] = at_.y()[i];
  for (const Component& c : netlist_.components) {
    read_component(c, in, fixed_.data(), values);
    c.law->evaluate(values.inputs(), values.Q, values.rate);
    for_each_flow_path(c, values.Q, [&](int A, int B, const S& Q) {
      if (A >= 0) inflow[A] -= Q.d[0];
      if (B >= 0) inflow[B] += Q.d[0];
    });
    for (std::size_t k = 0; k < c.law->info().states.size(); ++k) commanded_[c.state + k] = values.rate[k].d[0];
  }
  for (const FlowSource& source : netlist_.flow_sources) {
    const double flow = source_slope(source, rates_.work().hydraulics) * change.signal[source.flow];
    if (source.to >= 0) inflow[source.to] += flow;
    if (source.from >= 0) inflow[source.from] -= flow;
  }
}

/// Rates of the first-order states due to their own change, that of the ports (ds_, dsdot_) and the net inflows inflow_; adds the changes
/// of the port forces to dr_.
template <int D>
void Reduction<D>::change_forces_and_rates(Change& change) {
  const HydraulicState& oil = rates_.work().hydraulics;
  for (std::size_t i = 0; i < netlist_.volumes.size(); ++i) {
    const PressureNode& node = netlist_.nodes[netlist_.volumes[i].node];
    const Circuit& c = netlist_.circuits[node.circuit];
    const double* T = oil.T.data() + c.block + static_cast<std::ptrdiff_t>(node.local) * c.size;
    double dR = -inflow_[netlist_.volumes[i].node];
    for (int k = 0; k < c.size; ++k) dR += T[k] * change.y[netlist_.unknown_state[c.offset + k]];
    for (int k : c.actuators) {
      const Actuator& a = netlist_.actuators[k];
      dR += oil.R_s[oil.column[k] + node.local] * ds_[k] + oil.R_v[oil.column[k] + node.local] * dsdot_[k];
      if (a.spool >= 0) dR += oil.by_fraction[k].of(netlist_.volumes[i].node, a) * change.y[netlist_.spools[a.spool].state];
    }
    change.ydot[node.state] = -dR / oil.capacity[netlist_.volumes[i].node];
  }
  const auto pressure = [&](int node) {
    return netlist_.nodes[node].state >= 0 ? change.y[netlist_.nodes[node].state] : change.signal[netlist_.nodes[node].source];
  };
  change_quasistatic(change);
  for (std::size_t i = 0; i < netlist_.actuators.size(); ++i) {
    const Actuator& a = netlist_.actuators[i];
    const FrictionResponse& f = friction_[i];
    double dF = oil.force_s[i] * ds_[i] + oil.force_v[i] * dsdot_[i] + element_force_[i];
    if (a.A >= 0) dF += oil.force_p[i][0] * pressure(a.A) + oil.force_p[i][1] * pressure(a.B);
    if (a.spool >= 0) dF += oil.by_fraction[i].force * change.y[netlist_.spools[a.spool].state];
    if (a.drive >= 0) dF += a.gain * change.signal[a.drive];
    for (int k = 0; k < a.friction_states; ++k) {
      dF -= f.force_x[k] * change.y[a.state + k];
      double rate = f.rate_v[k] * dsdot_[i];
      for (int l = 0; l < a.friction_states; ++l) rate += f.rate_x[k][l] * change.y[a.state + l];
      change.ydot[a.state + k] = rate;
    }
    for (int l = m_.ports[i].path.begin; l < m_.ports[i].path.end; ++l)
      dr_[m_.paths[l].dof] -= rates_.work().mechanism.dofs[l].gradient * dF;
  }
  for (const Component& c : netlist_.components) {
    if (c.law->info().states.empty()) continue;
    const Circuit& circuit = netlist_.circuits[c.circuit];
    for (std::size_t i = 0; i < c.law->info().states.size(); ++i) {
      const double* T = oil.T.data() + circuit.block + (c.local + static_cast<std::ptrdiff_t>(i)) * circuit.size;
      double& rate = change.ydot[c.state + i];
      rate = commanded_[c.state + i];
      for (int k = 0; k < circuit.size; ++k) rate -= T[k] * change.y[netlist_.unknown_state[circuit.offset + k]];
    }
  }
  for (const Spool& spool : netlist_.spools) {
    const double* y = at_.y() + spool.state;
    const Dual<1> varied_y[2] = {varied(y[0], change.y[spool.state]),
                                 spool.second_order() ? varied(y[1], change.y[spool.state + 1]) : Dual<1>(0)};
    Dual<1> rate[2];
    spool_rates(spool, varied(oil.signal[spool.signal], change.signal[spool.signal]), varied_y, rate);
    for (int k = 0; k < spool.states(); ++k) change.ydot[spool.state + k] = rate[k].d[0];
  }
}

/// Rates of the quasistatic circuits' p due to all changes, and the changes of their forces.
template <int D>
void Reduction<D>::change_quasistatic(Change& change) {
  if (netlist_.quasistatic.empty()) return;
  differentiate_inputs(change);
  const MechanismState<D>& mech = rates_.work().mechanism;
  for (std::size_t i = 0; i < netlist_.actuators.size(); ++i) {
    port_s_[i] = varied(mech.s[i], ds_[i]);
    port_v_[i] = varied(mech.s_dot[i], dsdot_[i]);
  }
  for (std::size_t k = 0; k < netlist_.quasistatic.size(); ++k) {
    const QuasistaticCircuit& q = netlist_.quasistatic[k];
    for (const QuasistaticPort& port : q.ports) pistons_[port.state] = varied(at_.y()[port.state], change.y[port.state]);
    read_command(q, flows_.signal[q.flow], flows_.spool.data(), flows_.quasistatic[k]);
    solve_rates(q, port_s_.data(), port_v_.data(), pistons_.data(), flows_.quasistatic[k], flows_.quasistatic_v.data(),
                flows_.quasistatic_f.data());
    for (std::size_t j = 0; j < q.ports.size(); ++j) {
      change.ydot[q.ports[j].state] = flows_.quasistatic_v[j].d[0];
      element_force_[q.ports[j].actuator] = flows_.quasistatic_f[j].d[0];
    }
  }
}

/// Accelerations (and multipliers) for dr_, added to those of the dependent coordinates already in `out`.
template <int D>
void Reduction<D>::solve(bool with_multipliers, Change& out) {
  ClosedLoops<D>& loops = rates_.loops();
  loops.project(dr_.data(), x_.data());
  for (std::size_t i = 0; i < velocities().size(); ++i) x_[i] = -x_[i];
  rates_.solve_reduced(x_.data());
  loops.add_rates(x_.data(), out.mechanism.a.data());
  if (!with_multipliers) return;
  std::fill(loads_.begin(), loads_.end(), 0.0);
  loops.add_rates(x_.data(), loads_.data());
  product_.add(loads_.data(), rates_.work().mechanism.tree, dr_.data());
  loops.set_multipliers(dr_.data(), out.multipliers.data());
}

/// Sets all changes to zero.
template <int D>
void Reduction<D>::clear(Change& out) {
  for (auto* x : {&out.mechanism.theta, &out.mechanism.v, &out.mechanism.a, &out.y, &out.ydot, &out.signal, &dr_, &ds_, &dsdot_, &inflow_,
                  &commanded_})
    std::fill(x->begin(), x->end(), 0.0);
}

/// Completes the mechanism's change, dr_ and the changes of the ports. `rates`, `accelerations`: see ClosedLoops::complete.
template <int D>
void Reduction<D>::change_mechanism(Change& out, const double* rates, const double* accelerations) {
  MachineState<D>& work = rates_.work();
  rates_.loops().complete(work.mechanism, variation_, out.mechanism, rates, accelerations);
  differentiate_residual(m_, out.mechanism.theta.data(), out.mechanism.v.data(), work.force.data(), at_.multipliers(), work.mechanism,
                         variation_, dr_.data());
  std::copy(variation_.s.begin(), variation_.s.end(), ds_.begin());
  std::copy(variation_.s_dot.begin(), variation_.s_dot.end(), dsdot_.begin());
}

template <int D>
void Reduction<D>::state_change(int j, bool with_multipliers, Change& out) {
  const ClosedLoops<D>& loops = rates_.loops();
  const int n = static_cast<int>(velocities().size()), first_state = 2 * n + static_cast<int>(velocity_dependent().size());
  clear(out);
  if (j < first_state) {
    std::fill(x_.begin(), x_.end(), 0.0);
    if (j >= n && j < 2 * n) {
      x_[j - n] = 1;
      loops.add_rates(x_.data(), out.mechanism.v.data());
    } else {
      const int v = j < n ? velocities()[j] : velocity_dependent()[j - 2 * n];
      x_[std::lower_bound(loops.admissible().begin(), loops.admissible().end(), v) - loops.admissible().begin()] = 1;
      loops.add_increment(x_.data(), out.mechanism.theta.data());
    }
    change_mechanism(out, nullptr, nullptr);
  } else {
    const int state = states_[j - first_state];
    out.y[state] = 1;
    if (is_spool_[state] && netlist_.control.empty()) change_flows(out, inflow_);
  }
  change_followed_motions(out);
  if (!netlist_.control.empty()) {
    change_control(out);
    change_flows(out, inflow_);
  }
  change_forces_and_rates(out);
  solve(with_multipliers, out);
}

template <int D>
void Reduction<D>::input_change(int j, bool with_multipliers, Change& out) {
  using Kind = LinearInput::Kind;
  const LinearInput& input = inputs_[j];
  clear(out);
  std::fill(constraint_.begin(), constraint_.end(), 0.0);
  bool moves = false;
  for (const ConstraintGroup<D>& g : m_.constraints)
    if (g.motion >= 0 && m_.motions[g.motion].signal == input.signal) {
      constraint_[g.rows.begin] = -1;  // Phi = q - f
      moves = true;
    }
  if (moves) {
    if (input.kind == Kind::value) rates_.loops().remove_positions(constraint_.data(), out.mechanism.theta.data());
    change_mechanism(out, input.kind == Kind::rate ? constraint_.data() : nullptr,
                     input.kind == Kind::acceleration ? constraint_.data() : nullptr);
  }
  if (input.kind == Kind::value) {
    out.signal[input.signal] = 1;
    for (const Spool& spool : netlist_.spools)
      if (spool.signal == input.signal && spool.is_signal()) out.y[spool.state] = 1;
    for (const ControlBlock& block : netlist_.control)
      if (block.signal == input.signal) out.y[block.output] = 1;
  }
  change_followed_motions(out, moves && input.kind == Kind::rate ? constraint_.data() : nullptr,
                          moves && input.kind == Kind::acceleration ? constraint_.data() : nullptr);
  change_control(out);
  if (input.kind == Kind::value || !netlist_.control.empty()) change_flows(out, inflow_);
  if (input.kind == Kind::value) { add_loads_of(m_, input.signal, rates_.work().mechanism, dr_.data()); }
  change_forces_and_rates(out);
  solve(with_multipliers, out);
}

// ---------------------------------------------------------------- other directions

/// constraint_: -1 in the rows that the input's signal drives, Phi = q - f. False: there are none.
template <int D>
bool Reduction<D>::set_driven_rows(int input) {
  std::fill(constraint_.begin(), constraint_.end(), 0.0);
  bool moves = false;
  for (const ConstraintGroup<D>& g : m_.constraints)
    if (input >= 0 && g.motion >= 0 && m_.motions[g.motion].signal == inputs_[input].signal) {
      constraint_[g.rows.begin] = -1;
      moves = true;
    }
  return moves;
}

template <int D>
void Reduction<D>::add_input_positions(int input, double* theta) {
  if (inputs_[input].kind == LinearInput::Kind::value && set_driven_rows(input)) rates_.loops().remove_positions(constraint_.data(), theta);
}

template <int D>
void Reduction<D>::begin_change(int input, Change& change) {
  for (auto* x : {&change.signal, &change.ydot, &dr_, &ds_, &dsdot_, &inflow_, &commanded_}) std::fill(x->begin(), x->end(), 0.0);
  for (const Spool& spool : netlist_.spools)
    if (spool.is_signal()) change.y[spool.state] = 0;
  for (const ControlBlock& block : netlist_.control) for_each_held(block, [&](int i) { change.y[i] = 0; });
  if (input < 0 || inputs_[input].kind != LinearInput::Kind::value) return;
  change.signal[inputs_[input].signal] = 1;
  for (const Spool& spool : netlist_.spools)
    if (spool.signal == inputs_[input].signal && spool.is_signal()) change.y[spool.state] = 1;
  for (const ControlBlock& block : netlist_.control)
    if (block.signal == inputs_[input].signal) change.y[block.output] = 1;
}

/// Forces and rates by the oil and the loads, after the motion's part of dr_.
template <int D>
void Reduction<D>::finish_change(int input, Change& change) {
  change_control(change);
  change_flows(change, inflow_);
  if (input >= 0 && inputs_[input].kind == LinearInput::Kind::value)
    add_loads_of(m_, inputs_[input].signal, rates_.work().mechanism, dr_.data());
  change_forces_and_rates(change);
}

/// Changes of Phi and its derivatives along a direction of which places and velocities are swept; a' as swept, null: not yet.
template <int D>
void Reduction<D>::change_rows(int input, const double* a, const Change& change) {
  const MechanismState<D>& mech = rates_.work().mechanism;
  differentiate_row_rates(m_, groups_, change.mechanism.v.data(), mech, variation_);
  differentiate_row_accelerations(m_, groups_, a, mech, variation_);
  const bool moves = set_driven_rows(input);
  std::vector<double>& moved = row_values_;
  linearised_constraints(m_, mech, change.mechanism.theta.data(), moved.data());
  for (int i = 0; i < m_.rows; ++i) {
    RowChange& row = row_change_[i];
    row = {m_.holonomic[i] != 0 ? moved[i] - mech.Phi[i] : 0, variation_.Phi_dot[i], variation_.Phi_ddot[i]};
    if (!moves) continue;
    using Kind = LinearInput::Kind;
    double& driven = inputs_[input].kind == Kind::value ? row.position : inputs_[input].kind == Kind::rate ? row.rate : row.acceleration;
    driven += constraint_[i];
  }
}

template <int D>
void Reduction<D>::rates_change(int input, Change& change) {
  using Kind = LinearInput::Kind;
  begin_change(input, change);
  std::fill(change.mechanism.a.begin(), change.mechanism.a.end(), 0.0);
  if (rates_.treatment() == ConstraintTreatment::closed) {
    const bool moves = set_driven_rows(input);
    change_mechanism(change, moves && inputs_[input].kind == Kind::rate ? constraint_.data() : nullptr,
                     moves && inputs_[input].kind == Kind::acceleration ? constraint_.data() : nullptr);
  } else {
    MachineState<D>& work = rates_.work();
    differentiate_places(m_, change.mechanism.theta.data(), work.mechanism, variation_);
    differentiate_velocities(m_, change.mechanism.v.data(), work.mechanism, variation_);
    change_rows(input, nullptr, change);
    for (int i = 0; i < m_.rows; ++i) {
      const auto [rate, position] = rates_.stabilisation(i);
      constraint_[i] = row_change_[i].acceleration + rate * row_change_[i].rate + position * row_change_[i].position;
    }
    rates_.loops().subtract_dependent(constraint_.data(), change.mechanism.a.data());
    differentiate_accelerations(m_, change.mechanism.a.data(), work.mechanism, variation_);
    differentiate_residual(m_, change.mechanism.theta.data(), change.mechanism.v.data(), work.force.data(), at_.multipliers(),
                           work.mechanism, variation_, dr_.data());
    std::copy(variation_.s.begin(), variation_.s.end(), ds_.begin());
    std::copy(variation_.s_dot.begin(), variation_.s_dot.end(), dsdot_.begin());
  }
  finish_change(input, change);
  solve(false, change);
}

template <int D>
void Reduction<D>::motion_change(int input, Change& change) {
  begin_change(input, change);
  MachineState<D>& work = rates_.work();
  differentiate_places(m_, change.mechanism.theta.data(), work.mechanism, variation_);
  differentiate_velocities(m_, change.mechanism.v.data(), work.mechanism, variation_);
  differentiate_accelerations(m_, change.mechanism.a.data(), work.mechanism, variation_);
  change_rows(input, change.mechanism.a.data(), change);
  differentiate_residual(m_, change.mechanism.theta.data(), change.mechanism.v.data(), work.force.data(), at_.multipliers(), work.mechanism,
                         variation_, dr_.data());
  std::copy(variation_.s.begin(), variation_.s.end(), ds_.begin());
  std::copy(variation_.s_dot.begin(), variation_.s_dot.end(), dsdot_.begin());
  finish_change(input, change);
}

template <int D>
void Reduction<D>::subtract_port_forces(const double* dF, double* dr) {
  for (std::size_t i = 0; i < m_.ports.size(); ++i)
    for (int l = m_.ports[i].path.begin; l < m_.ports[i].path.end; ++l)
      dr[m_.paths[l].dof] -= rates_.work().mechanism.dofs[l].gradient * dF[i];
}

template <int D>
void Reduction<D>::rates_of(const Change& change, double* column) const {
  const auto& mech = change.mechanism;
  const auto position_rate = [&](int v) {
    double rate = mech.v[v];
    if constexpr (D == 3) {
      const TreeNode<D>& n = m_.tree.nodes[m_.tree.dof_node[v]];
      if (n.joint == NodeJoint::spherical) {  // theta_dot = v' + omega x theta
        const Vec<3> omega(at_.v()[n.v], at_.v()[n.v + 1], at_.v()[n.v + 2]),
            theta(mech.theta[n.v], mech.theta[n.v + 1], mech.theta[n.v + 2]);
        rate += omega.cross(theta)[v - n.v];
      }
    }
    return rate;
  };
  for (int v : velocities()) *column++ = position_rate(v);
  for (int v : velocities()) *column++ = mech.a[v];
  for (int v : velocity_dependent()) *column++ = position_rate(v);
  for (int i : states_) *column++ = change.ydot[i];
}

template <int D>
void Reduction<D>::jacobian(std::vector<double>& A) {
  A.resize(static_cast<std::size_t>(size()) * size());
  for (int j = 0, n = size(); j < n; ++j) {
    state_change(j, false, change_);
    rates_of(change_, A.data() + static_cast<std::ptrdiff_t>(j) * n);
  }
}

template class Reduction<2>;
template class Reduction<3>;

}  // namespace trunnion
