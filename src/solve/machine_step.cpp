// The machine in an implicit step.
// SPDX-License-Identifier: BSD-3-Clause
#include "solve/machine_step.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hydraulics/substeps.h"

namespace trunnion {

template <int D>
MachineStep<D>::MachineStep(std::shared_ptr<const CompiledModel> machine)
    : model(std::move(machine)),
      m(std::get<Mechanism<D>>(model->mechanism)),
      netlist(model->hydraulics),
      work(*model),
      circuits(netlist, model->description.solver.tolerance_pressure, model->description.solver.tolerance_other),
      next(model->layout),
      motion_rule(make_motion_rule(model->description.solver, model->layout.nv)),
      consistent_(*model) {
  const std::size_t nv = model->layout.nv, nc = netlist.unknown_state.size(), ports = netlist.actuators.size();
  for (auto* x : {&theta, &v_offset, &a_offset, &increment}) x->resize(nv);
  for (auto* x : {&ds, &dsdot, &force_change_, &expected_force_}) x->resize(ports);
  for (auto* x : {&held_stiffness_, &held_damping_}) x->resize(ports * ports);
  circuit_increment.resize(nc);
  const OilRuleKind of_oil = model->description.solver.oil_rule;
  oil_rule_ = OilRule::alpha(of_oil == OilRuleKind::trapezoidal ? 1 : kOilRho);
  resolves_ = of_oil == OilRuleKind::automatic && !netlist.volumes.empty() && !model->description.solver.accept_capped;
  for (const ControlBlock& block : netlist.control)
    for (const BlockInput& input : block.inputs) reads_rates_ = reads_rates_ || input.kind == BlockInput::Kind::rate;
  per_unit_.resize(nv);
  for (std::size_t k = 0; k < nv; ++k) per_unit_[k] = 1 / m.unit(static_cast<int>(k));
}

template <int D>
void MachineStep<D>::begin(const StateVector& state, double h) {
  from = &state;
  h_ = h;
  acceleration_ = m.tree.gravity.norm() / m.extent;
  for (int i = 0; i < model->layout.nv; ++i) acceleration_ = std::max(acceleration_, scaled(state.a()[i], i));
  next = state;
  if (*next.oil_memory() == 0) {
    MechanismState<D>& mech = work.mechanism;
    update_positions(m, state.q(), static_cast<const double*>(nullptr), mech);
    update_rates(m, state.v(), state.a(), mech);
    start_oil_memory(netlist, h, mech.s.data(), mech.s_dot.data(), state.y(), state.ydot(), memory());
  }
}

template <int D>
void MachineStep<D>::begin_stage(int stage) {
  const StateVector& state = *from;
  MotionRelation relation{{}, theta.data(), v_offset.data(), a_offset.data()};
  motion_rule->begin(stage, state, h_, relation);
  factors = relation.factors;
  next.time = state.time + motion_rule->time(stage) * h_;
  update_inputs(*model, signals_at(*model, next), next.time, Side::left, work);
  if (consistent_.loads().any()) consistent_.loads().apply(motion_rule->time(stage) * h_, next);
  const auto memory_at_start = oil_memory(netlist, static_cast<const double*>(next.oil_memory()));
  const Signals signals = signals_at(*model, state);
  if (stages() > 1)
    circuits.begin_stage(stage, signals, state.time, h_, state.y(), state.ydot(), memory_at_start, next.y(), next.ydot(), work.hydraulics);
  else
    circuits.begin(oil_rule_, signals, state.time, h_, state.y(), state.ydot(), memory_at_start, next.y(), next.ydot(), work.hydraulics);
}

template <int D>
void MachineStep<D>::keep_stage(int stage) {
  MechanismState<D>& mech = work.mechanism;
  move();
  update_rates(m, next.v(), next.a(), mech);
  circuits.finish_local(mech.s.data(), mech.s_dot.data(), work.hydraulics);
  circuits.keep_stage(stage, mech.s.data());
  motion_rule->keep(stage, next);
}

template <int D>
void MachineStep<D>::add_port_force_change(const double* ds_of_ports, const double* dsdot_of_ports, double* dr) const {
  const std::size_t ports = netlist.actuators.size();
  const auto push = [&](std::size_t i, double dF) {
    for (int l = m.ports[i].path.begin; l < m.ports[i].path.end; ++l) dr[m.paths[l].dof] -= work.mechanism.dofs[l].gradient * dF;
  };
  const HydraulicState& oil = work.hydraulics;
  for (std::size_t i = 0; i < ports; ++i) push(i, oil.force_s[i] * ds_of_ports[i] + oil.force_v[i] * dsdot_of_ports[i]);
  for (const Circuit& c : netlist.circuits)
    for (int i : c.acting) {
      double dF = 0;
      for (int j : c.actuators) dF -= circuits.stiffness(i, j) * ds_of_ports[j] + circuits.damping(i, j) * dsdot_of_ports[j];
      push(i, dF);
    }
}

template <int D>
void MachineStep<D>::hold_tangent() {
  const HydraulicState& oil = work.hydraulics;
  const std::size_t ports = netlist.actuators.size();
  std::fill(held_stiffness_.begin(), held_stiffness_.end(), 0.0);
  std::fill(held_damping_.begin(), held_damping_.end(), 0.0);
  for (const Circuit& c : netlist.circuits)
    for (int i : c.acting)
      for (int j : c.actuators) {
        held_stiffness_[i * ports + j] = circuits.stiffness(i, j);
        held_damping_[i * ports + j] = circuits.damping(i, j);
      }
  for (std::size_t i = 0; i < ports; ++i) {
    held_stiffness_[i * ports + i] -= oil.force_s[i];
    held_damping_[i * ports + i] -= oil.force_v[i];
  }
}

template <int D>
void MachineStep<D>::advance_ports() {
  const std::size_t ports = netlist.actuators.size();
  for (std::size_t i = 0; i < ports; ++i) {
    expected_force_[i] = work.hydraulics.ports[i].force - circuits.residual(i);
    for (std::size_t j = 0; j < ports; ++j)
      expected_force_[i] -= held_stiffness_[i * ports + j] * ds[j] + held_damping_[i * ports + j] * dsdot[j];
  }
  for (std::size_t i = 0; i < ports; ++i) {
    work.mechanism.s[i] += ds[i];
    work.mechanism.s_dot[i] += dsdot[i];
  }
}

template <int D>
void MachineStep<D>::find_force_changes() {
  for (std::size_t i = 0; i < force_change_.size(); ++i)
    force_change_[i] = work.hydraulics.ports[i].force - circuits.residual(i) - expected_force_[i];
}

template <int D>
void MachineStep<D>::hold_solved_unknowns(double* J, std::size_t columns) const {
  for (const QuasistaticCircuit& q : netlist.quasistatic)
    for (const QuasistaticPort& port : q.ports) {
      const int unknown = netlist.circuits[netlist.actuators[port.actuator].circuit].offset + port.local;
      J[static_cast<std::size_t>(unknown) * (columns + 1)] = 1;
    }
}

template <int D>
void MachineStep<D>::finish_local_states() {
  if (!circuits.has_local_states()) return;
  update_rates(m, next.v(), next.a(), work.mechanism);
  circuits.finish_local(work.mechanism.s.data(), work.mechanism.s_dot.data(), work.hydraulics);
}

template <int D>
void MachineStep<D>::set_port_rates() {
  MechanismState<D>& mech = work.mechanism;
  const double* v = next.v();
  for (std::size_t i = 0; i < m.ports.size(); ++i) {
    double rate = 0;
    for (int k = m.ports[i].path.begin; k < m.ports[i].path.end; ++k) rate += mech.dofs[k].gradient * v[m.paths[k].dof];
    mech.s_dot[i] = rate;
  }
}

template <int D>
void MachineStep<D>::predict_blocks() {
  if (reads_rates_) set_port_rates();
  circuits.predict_control(work.mechanism.s.data(), work.mechanism.s_dot.data(), work.hydraulics);
}

template <int D>
void MachineStep<D>::finish_oil(bool moved) {
  MechanismState<D>& mech = work.mechanism;
  for (std::size_t i = 0; i < m.ports.size() && !moved; ++i) mech.s[i] += ds[i];
  set_port_rates();
  circuits.finish(mech.s.data(), mech.s_dot.data(), memory(), work.hydraulics);
}

template <int D>
StepOutcome MachineStep<D>::commit(StepOutcome report, StateVector& state) {
  if (!report.ok()) return report;
  report.oil_rule = stages() > 1 ? OilRule{} : oil_rule_;  // a Runge-Kutta rule is no alpha rule: balances by the trapezoidal rule
  motion_rule->finish(*from, h_, theta.data(), next);
  if (consistent_.loads().any()) consistent_.loads().advance(next, h_);
  if (resolves_ && circuits.jumped(kOilJump, work.hydraulics))
    report.status = StepStatus::unresolved;
  else
    state = next;
  return report;
}

/// In a substep the mechanism moves with its initial accelerations; at its end it has new ones, and the velocity of their mean.
template <int D>
StepOutcome MachineStep<D>::step_oil(StateVector& state, double h, const std::function<void(const StepOutcome&)>& part) {
  constexpr double kNone = std::numeric_limits<double>::infinity(), kWhole = 1 - 1e-9;
  const int nv = model->layout.nv;
  MechanismState<D>& mech = work.mechanism;
  HydraulicState& oil = work.hydraulics;
  const StateVector start = state;
  const std::vector<double> still(static_cast<std::size_t>(nv), 0.0);
  std::vector<double> kept_memory;
  StepOutcome report;
  const auto place = [&](double dt) {  // next, dt after `state`
    for (int i = 0; i < nv; ++i) {
      theta[i] = dt * (state.v()[i] + dt / 2 * state.a()[i]);
      next.v()[i] = state.v()[i] + dt * state.a()[i];
    }
    advance_configuration(m.tree, state.q(), theta.data(), next.q());
    update_positions(m, next.q(), theta.data(), mech);
    update_rates(m, next.v(), still.data(), mech);
  };
  next = state;
  place(0);
  update_inputs(*model, signals_at(*model, state), state.time, Side::right, work);
  evaluate_rates(netlist, mech.s.data(), mech.s_dot.data(), state.y(), state.ydot(), oil);
  const double first = circuits.part_length(2 * kOilPartError, state.y(), state.ydot(), oil);
  if (*state.oil_memory() == 0)
    start_oil_memory(netlist, std::min(first, h), mech.s.data(), mech.s_dot.data(), state.y(), state.ydot(),
                     oil_memory(netlist, state.oil_memory()));
  const auto attempt = [&](const OilRule& rule, double dt, bool last_resort) {
    report.status = StepStatus::converged;
    report.part_iterations += report.iterations;
    report.iterations = 0;
    next = state;
    next.time = std::min(state.time + dt, start.time + h);  // rounding of the sum of substeps must not pass a jump
    place(dt);
    if (!pistons_inside(*model, mech.s.data(), report)) return kNone;
    update_inputs(*model, signals_at(*model, next), next.time, Side::left, work);
    circuits.begin(rule, signals_at(*model, state), state.time, dt, state.y(), state.ydot(),
                   oil_memory(netlist, static_cast<const double*>(state.oil_memory())), next.y(), next.ydot(), oil);
    if (!circuits.solve(mech.s.data(), mech.s_dot.data(), model->description.solver.max_iterations, report.iterations, oil)) return kNone;
    circuits.finish_local(mech.s.data(), mech.s_dot.data(), oil);
    circuits.finish(mech.s.data(), mech.s_dot.data(), memory(), oil);
    const double error = circuits.part_error(oil) / kOilPartError;
    if (error > 1 && !last_resort) return error;
    circuits.keep_part();
    if (nv > 0) {
      const double* memory_at_end = next.oil_memory();
      kept_memory.assign(memory_at_end, memory_at_end + model->layout.oil_memory);
      if (!consistent_.solve(next, Side::left, work)) {
        report.status = StepStatus::singular;
        return kNone;
      }
      next.forget_history();  // of the motion
      std::copy(kept_memory.begin(), kept_memory.end(), next.oil_memory());
      for (int i = 0; i < nv; ++i) next.v()[i] = state.v()[i] + dt / 2 * (state.a()[i] + next.a()[i]);
    }
    report.oil_rule = rule;
    state = next;
    if (state.time < start.time + h * kWhole) part(report);
    return error;
  };
  if (go_in_parts(h, first, attempt)) return report;
  state = start;
  if (report.ok()) report.status = StepStatus::stalled;
  return report;
}

template class MachineStep<2>;
template class MachineStep<3>;

}  // namespace trunnion
