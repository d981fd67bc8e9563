// The force-velocity curve f in Gamma(v) of one actuator of a circuit, point by point; the velocities of the others are given.
//   Gamma(v) = [Gamma(v + 0), Gamma(v - 0)]: decreasing in v, with a vertical line where closed valves leave the force undetermined
// Points where a valve opens or closes are exact to the last bit: the states of all valves are compared at neighbouring
// points, and intervals with a change are bisected. Without regeneration each valve changes at most once on either side of rest, because
// the pressure of the pump decreases with |v|, and with it the force of the inlet, while that of the outlet increases; so none is missed.
// With regeneration the relief valve of an outlet may also close again; this is found if it is open over more than one grid interval.
// Source: Kikuuwe, Okada, Yoshihara, Doi, Nanjo, Yamashita (nonsmooth quasistatic hydraulics), sections 3.3, 5.1, 6.1; figures 3, 8, 12.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "hydraulics/quasistatic/metering_circuit.h"

namespace trunnion {

/// A point of the curve with all pressures and flows. A vertical line has two: its upper, then its lower end.
struct ForceVelocityPoint {
  MeteringFlows at;  // v, f, segment and all else; at the ends of a vertical line the limit from its side
  PumpFlows pump;
  Interval force;           // [N] Gamma(v); rotary actuators: [N m]
  bool breakpoint = false;  // a valve of the circuit opens or closes here
};

class ForceVelocityCurve {
 public:
  /// The curve of actuator `actuator` (its index in the circuit) under `command`, the others at velocities v (all of the circuit; the
  /// actuator's own is ignored). Keeps references to the circuit and to the command's openings. All functions throw Error for an
  /// inadmissible command.
  ForceVelocityCurve(const MeteringCircuit& circuit, const MeteringCommand& command, std::vector<double> v, int actuator);

  /// Rest, all breakpoints and `intervals` + 1 equally spaced points from `lower` to `upper` [m/s], lower < upper; ascending in v.
  std::vector<ForceVelocityPoint> points(double lower, double upper, int intervals);
  /// Where the relief valves of the chambers limit the force: the maximum v <= 0 with f = F_hM, the minimum v >= 0 with f = -F_rM.
  Interval saturation();
  /// Gamma(0) [N].
  Interval force_at_rest();
  /// The v nearest to 0 at zero force, 0 in Gamma(v).
  double free_velocity();

 private:
  struct Evaluation {
    MeteringFlows at;
    PumpFlows pump;
    std::vector<int> valves;  // open valves of the whole circuit
  };
  Evaluation evaluate(double v);
  template <class Predicate>
  double first_where(double direction, const Predicate& predicate);
  void add(double v, const Evaluation& left, const Evaluation& middle, const Evaluation& right,
           std::vector<ForceVelocityPoint>& points) const;
  void add_side(double lower, double upper, const std::vector<double>& grid, std::vector<ForceVelocityPoint>& points);

  const MeteringCircuit& circuit_;
  MeteringCommand command_;
  std::vector<double> v_;  // of all
  int actuator_;
  double F_hM_, F_rM_;                      // [N]
  std::vector<double> least_regeneration_;  // [m3/s] below it the regeneration valve counts as closed
  MeteringSolution solution_;
  std::vector<MeteringFlows> flows_;
};

}  // namespace trunnion
