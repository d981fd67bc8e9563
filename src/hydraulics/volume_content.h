// The change of a volume's content over a step, (V_0 + V_1)/2 (g(p_1) - g(p_0)) + (chi_0 + chi_1)/2 (e_0 + e_1)/2 A (s_1 - s_0) for hose
// and chambers (circuit.h): its factors, for the residual with derivatives (circuit.cpp) and without (circuit_rates.cpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hydraulics/circuit.h"

namespace trunnion {

/// From the pressure p_0 to p_1.
TR_INLINE StrainChange strain_change(const Fluid& fluid, double p_0, double p_1) {
  const double pressure = p_1 - p_0;
  if (!fluid.varies(p_0) && !fluid.varies(p_1)) return {fluid.compressibility * pressure, pressure, 1};
  return {fluid.strain(p_1, 0) - fluid.strain(p_0, 0), pressure, (fluid.liquid_fraction(p_0) + fluid.liquid_fraction(p_1)) / 2};
}

/// Volume that a piston sweeps per area, or its rate, with the derivatives in position (or rate) and displacement fraction.
struct Sweep {
  double moved, share, per_fraction;
};
/// Over a step from the fraction e_0.
TR_INLINE Sweep sweep_between(double e_0, double e_1, double moved) {
  const double share = (e_0 + e_1) / 2;
  return {share * moved, share, moved / 2};
}

/// Mean size of a chamber over a step: `area` positive for chamber A, negative for chamber B; length at the end.
TR_INLINE double mean_size(const Cylinder& c, double area, double length, double moved) {
  return (area < 0 ? -1 : 1) * area * length - c.travel * area * moved / 2;
}
/// Change of its content; `liquid` of the volume that its sweep draws from.
TR_INLINE double chamber_change(double mean_size, double area, double moved, double strain, double liquid) {
  return mean_size * strain + liquid * area * moved;
}

}  // namespace trunnion
