// The numbers of a machine that channels and powers are read from, and those computed for them, on a scalar.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <type_traits>
#include <variant>
#include <vector>

#include "hydraulics/circuit.h"
#include "machine/channels/channel_list.h"
#include "mechanics/joint_reading.h"
#include "model/model.h"

namespace trunnion {

/// Energies [J] that are functions of the state.
template <class S = double>
struct StoredEnergy {
  S kinetic{};
  S potential{};  // of gravity, zero at the machine's reference point
  S spring{};     // springs of the mechanism, preload included
  S cylinder{};   // seal bristles and springs of end dampers
};

/// A load whose work in a step is that of its impulse: of joints, and of springs' dampers, in machines with rigid limits.
struct ImpulseLoad {
  int entry = 0;           // of the ledger, which has its heat: -force rate less the rate of `energy`
  double force = 0;        // [N, N m] in the direction of its coordinate
  double rate = 0;         // [m/s, rad/s] of the coordinate
  double energy = 0;       // [J] stored in the element, part of StoredEnergy
  double limit_power = 0;  // [W] of its limit, if that is rigid
};

/// Whether powers and energies are read, too.
template <class S>
inline constexpr bool kPlain = std::is_same_v<S, double>;

/// Results beside the channels.
template <class S>
struct LedgerValues {
  std::vector<S> powers;  // [W] per entry
  StoredEnergy<S> stored;
  std::vector<S> violations;    // per named constraint: the largest |Phi|
  double constraint_power = 0;  // [W]
  std::vector<ImpulseLoad> impulse_loads;
  [[gnu::noinline]] void add_impulse_load(const S* entry, const S& force, const S& rate, const S& energy, const S& limit) {
    if constexpr (kPlain<S>) impulse_loads.push_back({static_cast<int>(entry - powers.data()), force, rate, energy, limit * rate});
  }
};

/// Readings of the joints whose coordinates are not those of the tree; machines in relative coordinates have none.
template <int D>
const std::vector<JointReading<D>>& joint_readings(const CompiledModel& model) {
  static const std::vector<JointReading<D>> kNone;
  const auto* readings = std::get_if<std::vector<JointReading<D>>>(&model.readings);
  return readings != nullptr ? *readings : kNone;
}

template <int D, class S>
struct MachineValues {
  MachineValues(const CompiledModel& compiled, LedgerValues<S>& ledger_values)
      : model(compiled),
        m(std::get<Mechanism<D>>(compiled.mechanism)),
        netlist(compiled.hydraulics),
        ledger(ledger_values),
        q(compiled.layout.nq),
        v(compiled.layout.nv),
        a(compiled.layout.nv),
        y(compiled.layout.ny),
        ydot(compiled.layout.ny),
        multipliers(compiled.layout.rows),
        inputs(compiled.signals.inputs()),
        outflow(netlist.nodes.size()),
        mechanism(m),
        oil(netlist),
        joints(joint_readings<D>(compiled).size()) {
    ledger.violations.resize(compiled.constraints.size());
    for (const JointReading<D>& reading : joint_readings<D>(compiled)) near.push_back(reading.start);
    for (const Actuator& port : netlist.actuators) has_rigid_limits = has_rigid_limits || port.cylinder.damper.rigid;
  }
  MachineValues(const MachineValues&) = delete;
  MachineValues& operator=(const MachineValues&) = delete;

  /// Writes a computed channel; -1: not requested.
  void set(int cell, const S& value) {
    if (cell >= 0) cells[static_cast<std::size_t>(cell)] = value;
  }
  void set(const std::array<int, 3>& own, const Vec<3, S>& value) {
    for (int i = 0; i < 3; ++i) set(own[static_cast<std::size_t>(i)], value[i]);
  }
  /// Writes the power of the next ledger entry, and returns it.
  const S& add_power(const S& value) { return *power++ = value; }
  /// The load of the entry written last.
  void add_impulse_load(const S& force, const S& rate, const S& energy, const S& limit = S(0)) {
    if (kPlain<S> && has_rigid_limits) ledger.add_impulse_load(power - 1, force, rate, energy, limit);
  }
  const S* at(const ValuePlace& place) const;

  const CompiledModel& model;
  const Mechanism<D>& m;
  const Hydraulics& netlist;
  LedgerValues<S>& ledger;
  std::vector<S> q, v, a, y, ydot, multipliers;  // the observed state
  std::vector<S> inputs;
  std::vector<S> outflow;  // per node [m3/s]; of sources including flow to their pistons
  std::vector<S> cells;    // computed channels
  MechanismState<D, S> mechanism;
  OilValues<S> oil;
  std::vector<JointValue<S>> joints;            // joint coordinates computed from the bodies' poses
  std::vector<double> near;                     // their last values, for continuous angles
  std::vector<std::array<double, 4>> attitude;  // quaternions read before, for their signs
  S* power = nullptr;                           // next entry to write
  bool has_rigid_limits = false;
};

template <int D, class S>
const S* MachineValues<D, S>::at(const ValuePlace& place) const {
  using Array = ValuePlace::Array;
  const auto i = static_cast<std::size_t>(place.index);
  switch (place.array) {
    case Array::cell:
      return &cells[i];
    case Array::q:
      return &q[i];
    case Array::v:
      return &v[i];
    case Array::a:
      return &a[i];
    case Array::y:
      return &y[i];
    case Array::multiplier:
      return &multipliers[i];
    case Array::signal:
      return &oil.signal[i];
    case Array::input:
      return &inputs[i];
    case Array::pressure:
      return &oil.pressure[i];
    case Array::outflow:
      return &outflow[i];
    case Array::port_position:
      return &mechanism.s[i];
    case Array::port_rate:
      return &mechanism.s_dot[i];
    case Array::port_force:
      return &oil.ports[i].force;
    case Array::port_friction:
      return &oil.ports[i].friction;
    case Array::port_viscous:
      return &oil.ports[i].viscous;
    case Array::port_damper:
      return &oil.ports[i].damper;
    case Array::spring_length:
      return &mechanism.springs[i].length;
    case Array::joint_position:
      return &joints[i / 4].position[i % 4];
    case Array::joint_rate:
      return &joints[i / 3].rate[i % 3];
    case Array::joint_acceleration:
      return &joints[i / 3].acceleration[i % 3];
    case Array::violation:
      return &ledger.violations[i];
  }
  return nullptr;
}

/// Instantiates a function of all readings: R(const Channels&, MachineValues<D, S>&).
#define TR_INSTANTIATE_READING(function, Channels)                     \
  template void function(const Channels&, MachineValues<2, double>&);  \
  template void function(const Channels&, MachineValues<3, double>&);  \
  template void function(const Channels&, MachineValues<2, Dual<1>>&); \
  template void function(const Channels&, MachineValues<3, Dual<1>>&);

}  // namespace trunnion
