// Local errors of a run: the error added by each step, estimated from the states and rates at its ends.
//   fixed steps, any rule: the defect of the step in a quadrature that is more accurate than the rule
//     coordinates   |q_1 - q_0 - h/2 (v_0 + v_1) - h^2/12 (a_0 - a_1)|                Hermite, exact to order 4
//     rotations     the same of the rotation vector log(R_1 R_0^T) with the angular velocities v, less h^2/12 v_1 x v_0 (Magnus)
//     pressures     half of |p_2 - p_0 - h/3 (p_dot_0 + 4 p_dot_1 + p_dot_2)|         Simpson over two steps, exact to order 4
//     coordinates of semi_implicit_euler, whose errors of positions and velocities cancel (its velocities belong half a step earlier, where
//     the leapfrog method has them):  h^2/24 |a_1 - a_0|, and once the shift of half a step, h/2 |v|
//   variable steps: the integrator's own estimates (solve/multistep.h)
// Local errors of coordinates are summed: approximately the error of a coordinate at the end if errors neither grow nor decay, such as the
// phase of a lightly damped oscillation; an overestimate if damping reduces them. Pressures lose their errors within a few steps: their
// maximum is used. Subdivided steps have an error control of their own and do not contribute to pressures.
// Sources: Hairer, Norsett, Wanner 1993, Solving Ordinary Differential Equations I, II.3 (local errors, and their sum); Iserles, Munthe-Kaas,
// Norsett, Zanna 2000, Lie-group methods, Acta Numerica 9 (Magnus series).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include "model/model.h"
#include "model/state.h"
#include "solve/stepper.h"

namespace trunnion {

class LocalErrors {
 public:
  static constexpr std::size_t kStretches = 10;
  struct Record {
    double error = 0;                             // [rad, m] summed; [Pa] the largest
    double least = 0, most = 0;                   // smallest and largest value so far
    double shift = 0;                             // in `error`: the part that does not accumulate
    std::array<double, kStretches> in_stretch{};  // of coordinates: summed within each of equal stretches of the run
    double range() const { return most - least; }
    /// The sum without the effect of one or two jerks: the two worst stretches are replaced by the third.
    double persistent() const;
  };

  LocalErrors() = default;
  explicit LocalErrors(const CompiledModel& model);

  void begin(const StateVector& state);
  /// A step, or a part of one, from one state to another.
  void step(const StateVector& from, const StateVector& to, bool in_parts);
  /// A step that began at time `begin` [s], with its integrator's estimates.
  void step(double begin, const StateVector& to, const StepErrors& errors);

  /// Per velocity; of a spherical joint the integrals of its angular velocity [rad].
  const std::vector<Record>& coordinates() const { return coordinates_; }
  /// Per volume.
  const std::vector<Record>& pressures() const { return pressures_; }

 private:
  /// A spherical joint: its first velocity and the first number of its quaternion.
  struct Rotation {
    int v, q;
    std::array<double, 4> last{};    // quaternion at the end of the step before
    std::array<double, 3> turned{};  // [rad] integrals of the angular velocity
  };

  void widen(const StateVector& state);
  void add(Record& coordinate, double error, double time) const;

  std::vector<int> q_;  // per velocity: its coordinate, or -1: of a rotation
  std::vector<Rotation> rotations_;
  std::vector<Record> coordinates_, pressures_;
  struct Defect {
    double trapezoid = 0;  // p_1 - p_0 - h/2 (p_dot_0 + p_dot_1) [Pa]
    double change = 0;     // p_dot_1 - p_dot_0 [Pa/s]
  };
  std::vector<Defect> before_;  // per volume: of the previous step
  bool staggered_ = false;      // steps of semi_implicit_euler
  double length_ = 0;           // [s] of the previous step; 0: none valid
  double stretch_ = 1;          // [s]
};

}  // namespace trunnion
