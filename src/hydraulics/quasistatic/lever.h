// From a lever to the openings of valves: straight lines between points, constant beyond the first and the last.
//   ph = tr = max(u_c, 0),  pr = th = max(-u_c, 0)                                                (67)
// is such a table, and so is any other plan: lap, float at an end stop, regeneration at half lever, an open centre (bleed over lever).
// Source of (67): Kikuuwe, Okada, Yoshihara, Doi, Nanjo, Yamashita (nonsmooth quasistatic hydraulics), section 3.4.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "hydraulics/quasistatic/metering_actuator.h"

namespace trunnion {

/// Openings of an actuator's valves over its lever.
class LeverMap {
 public:
  struct Point {
    double lever = 0;  // [-]
    MeteringOpenings openings;
  };

  /// (67), for u_c from -1 to 1.
  LeverMap();
  /// Points with rising lever. Throws Error naming the place if openings are not admissible there or on the way to the next point.
  explicit LeverMap(std::vector<Point> points);

  /// No allocation.
  MeteringOpenings at(double lever) const;
  const std::vector<Point>& points() const { return points_; }

 private:
  std::vector<Point> points_;
};

/// Opening of the bleed valve over a lever.
class BleedMap {
 public:
  struct Point {
    double lever = 0;    // [-]
    double opening = 0;  // [-] u_b
  };

  /// The same opening for all positions. Throws Error unless it is between 0 and 1.
  explicit BleedMap(double opening = 0) : BleedMap({{0, opening}}) {}
  /// Points with rising lever. Throws Error naming the place if an opening is not between 0 and 1.
  explicit BleedMap(std::vector<Point> points);

  /// No allocation.
  double at(double lever) const;
  const std::vector<Point>& points() const { return points_; }

 private:
  std::vector<Point> points_;
};

}  // namespace trunnion
