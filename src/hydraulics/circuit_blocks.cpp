// The elimination of a circuit's unknowns by its block dR/dy: its factors, w = T^-T dF/dy of the port forces, and increments.
// SPDX-License-Identifier: BSD-3-Clause
#include "hydraulics/circuit.h"

namespace trunnion {

bool condense(const Hydraulics& netlist, HydraulicState& state, int* circuit) {
  for (std::size_t i = 0; i < netlist.circuits.size(); ++i) {
    const Circuit& c = netlist.circuits[i];
    const double* T = state.T.data() + c.block;
    SystemMatrix& block = state.block[i];
    block.assemble([&](auto& entry) {
      for (const Entry& e : block.entries()) entry(e.row, e.column) = T[e.row * c.size + e.column];
    });
    if (!block.factor()) {
      *circuit = static_cast<int>(i);
      return false;
    }
    block.solve_transposed(state.F_y_of_circuit[i].data(), static_cast<int>(c.acting.size()));
  }
  return true;
}

void eliminate(const Hydraulics& netlist, const std::vector<std::vector<int>>& rows, const double* ds, const double* dsdot,
               HydraulicState& state) {
  for (std::size_t circuit = 0; circuit < netlist.circuits.size(); ++circuit) {
    const Circuit& c = netlist.circuits[circuit];
    double* R = state.R.data() + c.offset;
    for (int k : c.actuators) {
      const double *R_s = state.R_s.data() + state.column[k], *R_v = state.R_v.data() + state.column[k];
      for (const int i : rows[k]) R[i] += R_s[i] * ds[k] + R_v[i] * dsdot[k];
    }
    for (int i = 0; i < c.size; ++i) R[i] = -R[i];
    state.block[circuit].solve(R);
  }
}

}  // namespace trunnion
