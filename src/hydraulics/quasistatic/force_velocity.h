// The force-velocity curve f in Gamma(v) of one actuator of a circuit, point by point; the velocities of the others are given.
//   Gamma(v) = [Gamma(v + 0), Gamma(v - 0)]: it falls with v, by a vertical line where valves that nothing passes leave the force open
// Places where a valve opens or shuts are points of the curve, to the last bit: the states of all valves are compared at neighbouring
// points and between two that differ bisected. Without regeneration each valve changes once at most on either side of rest, because the
// pressure of the pump falls with |v|, and with it the force of the inlet, while that of the outlet rises; so none is missed. With
// regeneration the relief valve of an outlet may also shut again; it is found where it is open for longer than from one point to the next.
// Source: Kikuuwe, Okada, Yoshihara, Doi, Nanjo, Yamashita (nonsmooth quasistatic hydraulics), sections 3.3, 5.1, 6.1; figures 3, 8, 12.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "hydraulics/quasistatic/metering_circuit.h"

namespace trunnion {

/// A point of the curve with all pressures and flows there. A vertical line has two: its upper, then its lower end.
struct ForceVelocityPoint {
  MeteringFlows at;  // v, f, segment and all else; at the ends of a vertical line in the limit from its side
  PumpFlows pump;
  Interval force;           // [N] Gamma(v); rotary actuators: [N m]
  bool breakpoint = false;  // a valve of the circuit opens or shuts here
};

class ForceVelocityCurve {
 public:
  /// The curve of actuator `actuator` (its index in the circuit) under `command`, the others at velocities v (all of the circuit; the
  /// actuator's own counts for nothing). Keeps references to the circuit and to the command's openings. All functions throw Error for a
  /// command that cannot be.
  ForceVelocityCurve(const MeteringCircuit& circuit, const MeteringCommand& command, std::vector<double> v, int actuator);

  /// Rest, all breakpoints and `intervals` + 1 points evenly from `lower` to `upper` [m/s], lower < upper; ascending in v.
  std::vector<ForceVelocityPoint> points(double lower, double upper, int intervals);
  /// Where the relief valves of the chambers hold the force: the greatest v with f = F_hM, not above 0, the least with f = -F_rM, not
  /// below.
  Interval saturation();
  /// Gamma(0) [N].
  Interval force_at_rest();
  /// The v nearest to 0 that takes no force, 0 in Gamma(v).
  double free_velocity();

 private:
  struct Evaluation {
    MeteringFlows at;
    PumpFlows pump;
    std::vector<int> valves;  // what is open, of the whole circuit
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
  std::vector<double> least_regeneration_;  // [m3/s] below it the regeneration valve counts as shut
  MeteringSolution solution_;
  std::vector<MeteringFlows> flows_;
};

}  // namespace trunnion
