// Instantiations of the mechanics: plane and space, on plain numbers and on dual numbers; tangents into dense matrices.
// SPDX-License-Identifier: BSD-3-Clause
#include "mechanics/mechanism.inl.h"

namespace trunnion {

#define TR_INSTANTIATE_SCALAR(D, S)                                                                               \
  template void advance_configuration<D, S>(const Tree<D>&, const double*, const S*, S*);                         \
  template void update_positions<D, S>(const Tree<D>&, const S*, const S*, TreeState<D, S>&);                     \
  template void update_rates<D, S>(const Tree<D>&, const S*, const S*, TreeState<D, S>&);                         \
  template void update_accelerations<D, S>(const Tree<D>&, const S*, const S*, TreeState<D, S>&);                 \
  template void update_inertial_forces<D, S>(const Tree<D>&, bool, TreeState<D, S>&);                             \
  template void accumulate<D, S>(const Tree<D>&, TreeState<D, S>&, bool, S*);                                     \
  template void update_inputs<D, S>(const Mechanism<D>&, const SignalSet&, double, Side, MechanismState<D, S>&);  \
  template void update_positions<D, S>(const Mechanism<D>&, const S*, const S*, MechanismState<D, S>&);           \
  template void update_rates<D, S>(const Mechanism<D>&, const S*, const S*, MechanismState<D, S>&);               \
  template void update_line_rates<D, S>(const Mechanism<D>&, MechanismState<D, S>&);                              \
  template void inverse_dynamics<D, S>(const Mechanism<D>&, const S*, const S*, bool, MechanismState<D, S>&, S*); \
  template void add_port_forces<D, S>(const Mechanism<D>&, const S*, const MechanismState<D, S>&, S*);            \
  template void add_constraint_forces<D, S>(const Mechanism<D>&, const S*, const MechanismState<D, S>&, S*);      \
  template void constraint_rates<D, S>(const Mechanism<D>&, const S*, MechanismState<D, S>&);                     \
  template void update_violations<D, S>(const Mechanism<D>&, const S*, const IncrementFactors&, MechanismState<D, S>&);
#define TR_INSTANTIATE(D)                                                                                                                 \
  TR_INSTANTIATE_SCALAR(D, double)                                                                                                        \
  TR_INSTANTIATE_SCALAR(D, Dual<1>)                                                                                                       \
  TR_INSTANTIATE_ENTRIES(D, DenseEntries)                                                                                                 \
  template void configuration_difference<D>(const Tree<D>&, const double*, const double*, double*);                                       \
  template void add_loads_of<D>(const Mechanism<D>&, SignalIndex, const MechanismState<D>&, double*);                                     \
  template double kinetic_energy<D>(const Tree<D>&, const TreeState<D>&);                                                                 \
  template double potential_energy<D>(const Tree<D>&, const TreeState<D>&);                                                               \
  template void linearised_constraints<D>(const Mechanism<D>&, const MechanismState<D>&, const double*, double*);                         \
  template int fallen_wheel<D>(const Mechanism<D>&, const MechanismState<D>&, double);                                                    \
  template void update_rate_gradients<D>(const Mechanism<D>&, MechanismState<D>&);                                                        \
  template void linearised_violations<D>(const Mechanism<D>&, const IncrementFactors&, const MechanismState<D>&, const double*, double*); \
  template void constraint_accelerations<D>(const Mechanism<D>&, const double*, MechanismState<D>&);

TR_INSTANTIATE(2)
TR_INSTANTIATE(3)

}  // namespace trunnion
