// Interface model of a mechanism in its independent coordinates.
// SPDX-License-Identifier: BSD-3-Clause
#include "cosimulation/port_dynamics.h"

#include <algorithm>
#include <numeric>

namespace trunnion {

namespace {

std::vector<int> ports_of(const CompiledModel& model, std::vector<int> ports) {
  if (!ports.empty()) return ports;
  ports.resize(static_cast<std::size_t>(model.hydraulics.pistons));
  std::iota(ports.begin(), ports.end(), 0);
  return ports;
}

}  // namespace

template <int D>
PortDynamics<D>::PortDynamics(const CompiledModel& model, std::vector<int> ports)
    : model_(model),
      m_(std::get<Mechanism<D>>(model.mechanism)),
      ports_(ports_of(model, std::move(ports))),
      loops_(m_),
      inertia_(m_),
      a_(m_.tree.nv),
      r_(m_.tree.nv),
      A_(ports_.size() * m_.tree.nv),
      x_(m_.tree.nv) {
  // sized for the degrees of freedom at the start
  MechanismState<D> state(m_);
  update_positions(m_, model_.q_start.data(), static_cast<const double*>(nullptr), state);
  loops_.select_partition(state);
  inertia_.reserve(loops_.independent().size());
}

template <int D>
bool PortDynamics<D>::evaluate(const StateVector& at, const double* forces, MechanismState<D>& state, double* W, double* b) {
  const std::size_t ports = ports_.size(), nv = m_.tree.nv;
  update_inputs(m_, signals_at(model_, at), at.time, Side::right, state);
  update_positions(m_, at.q(), static_cast<const double*>(nullptr), state);
  if (!(loops_.load_partition(at.partition()) && loops_.factor_at(state)) && !loops_.select_partition(state)) return false;
  constraint_rates(m_, at.v(), state);
  // accelerations without port forces: a = a_rest - R (R^T M R)^-1 R^T r(a_rest)
  std::fill(a_.begin(), a_.end(), 0.0);
  loops_.solve_accelerations(at.v(), a_.data(), state);
  update_rates(m_, at.v(), a_.data(), state);
  inverse_dynamics(m_, at.q(), at.v(), true, state, r_.data());
  if (forces != nullptr) add_port_forces(m_, forces, state, r_.data(), model_.hydraulics.pistons);
  loops_.reduce();
  if (!inertia_.factor(loops_, state.tree)) return false;
  const std::size_t n = loops_.independent().size();
  for (std::size_t i = 0; i < ports; ++i) {
    const Range& path = m_.ports[ports_[i]].path;
    std::fill(a_.begin(), a_.end(), 0.0);
    for (int k = path.begin; k < path.end; ++k) a_[m_.paths[k].dof] = state.dofs[k].gradient;
    loops_.project(a_.data(), A_.data() + i * nv);
  }
  const auto product = [&](std::size_t port) {
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += A_[port * nv + k] * x_[k];
    return sum;
  };
  loops_.project(r_.data(), x_.data());
  inertia_.solve(x_.data());
  for (std::size_t i = 0; i < ports; ++i)
    b[i] = port_acceleration(m_.ports[ports_[i]], m_.paths.data(), state.tree, state.ports[ports_[i]]) - product(i);
  for (std::size_t j = 0; j < ports; ++j) {
    std::copy_n(A_.data() + j * nv, n, x_.begin());
    inertia_.solve(x_.data());
    for (std::size_t i = j; i < ports; ++i) W[i * ports + j] = W[j * ports + i] = product(i);
  }
  return true;
}

template class PortDynamics<2>;
template class PortDynamics<3>;

}  // namespace trunnion
