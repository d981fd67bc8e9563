// What the time rules of fixed implicit steps err by, estimated from the rates at both ends of every step:
//   coordinates, trapezoidal rule     h^3/12 x'''   = h^2/12 |a_1 - a_0|
//   pressures, the oil's rule         h^3/9 p'''    = h/9 |dp_dot - (dp_dot of the step before)|     rho = 1/2: hydraulics/oil_rule.h
// Local errors of coordinates are summed: about what a coordinate is off by at the end where errors neither grow nor die away, as the phase
// of a light oscillation, and more than that where damping forgets them. Pressures forget within a few steps: of theirs the largest
// counts. Steps in parts have an error control of their own, and do not count for pressures.
// Source: Hairer, Norsett, Wanner 1993, Solving Ordinary Differential Equations I, II.3 (local errors, and their sum).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include "model/model.h"
#include "model/state.h"

namespace trunnion {

class LocalErrors {
 public:
  static constexpr std::size_t kStretches = 10;
  struct Record {
    double error = 0;                             // [rad, m] summed; [Pa] the largest
    double least = 0, most = 0;                   // values on the way
    std::array<double, kStretches> in_stretch{};  // of coordinates: summed within each of equal stretches of the run
    double range() const { return most - least; }
    /// The sum without what a jerk or two left that pass: the two worst stretches count like the third.
    double persistent() const;
  };

  LocalErrors() = default;
  explicit LocalErrors(const Model& model);

  void begin(const State& state);
  /// A step, or a part of one, from one state to another.
  void step(const State& from, const State& to, bool in_parts);

  /// Per velocity; 0 of balls, which have no coordinate of one number.
  const std::vector<Record>& coordinates() const { return coordinates_; }
  /// Per volume.
  const std::vector<Record>& pressures() const { return pressures_; }

 private:
  static void widen(Record& record, double value);

  std::vector<int> q_;  // per velocity: its coordinate, or -1
  std::vector<Record> coordinates_, pressures_;
  std::vector<double> change_;  // per volume: of p_dot in the step before [Pa/s]
  double length_ = 0;           // [s] of that step; 0: none that counts
  double stretch_ = 1;          // [s]
};

}  // namespace trunnion
