// Derivative of the projection of the velocities that ends a step of the augmented Lagrangian treatment, W (v - v1) = J^T mu,
// J v1 + Phi_t = 0; the equations are in linearise/step_map.h, of which this is a part. Where the step takes the mean of the directions at
// its ends, v1 changes further, by
//   c = 1/2 W^-1 (dM w - dJ^T kappa)    within the constraints, solve/mean_directions.h
// kappa and w follow from both projections, which are made here as the step makes them, from v' and a' of the rule. c is of the size of the
// violations times the turn of the directions, and is differentiated by central differences.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "linearise/step_derivative.h"
#include "solve/mean_directions.h"

namespace trunnion {

/// A step of h [s] whose velocities were projected.
struct ProjectedStep {
  const StateVector *before = nullptr, *after = nullptr;
  const StateVector* motion = nullptr;  // its end as Newton's method leaves it
  double h = 0;
  const double* theta = nullptr;      // increment of the configuration
  const double* partition = nullptr;  // as StateVector::partition has it
  const double* s_0 = nullptr;        // [m] lengths of the ports before
};

template <int D>
class ProjectionDerivative {
 public:
  explicit ProjectionDerivative(const std::shared_ptr<const CompiledModel>& model);

  /// Finds in which metric the step projected its velocities and accelerations, W, or for slight violations the whole tangent, and whether
  /// it averaged the directions.
  void set(const ProjectedStep& step, const OilRule& rule);
  /// `change`: v' from Newton's method to v1'; `increment`: its change of the increment of the configuration. In the central differences of
  /// J^T mu - W (v - v1) and c a signal acts through the states and prescribed motions alone: what it adds directly is the violation times
  /// the change of a geometric stiffness.
  void apply(int input, const step_derivative::Column& from, const std::vector<double>& increment, typename Reduction<D>::Change& change);

 private:
  using Change = typename Reduction<D>::Change;
  /// What the metrics depend on, and the start of the step.
  struct Place {
    StateVector motion;
    std::vector<double> q_begin, theta, y_begin, offset;  // configuration, increment, states before and offsets of their rates
  };
  struct ReducedMatrix {
    std::vector<double> A;
    std::vector<int> pivot;
  };
  void set_metric(const Place& place, bool whole_tangent);
  void multiply_metric(const double* x);
  void factor_metric(bool of_increments, ReducedMatrix& matrix);
  void solve_reduced(const ReducedMatrix& matrix, const double* r);
  double departure_from_metric(const ReducedMatrix& matrix, const std::vector<double>& x);
  void project_rows(const std::vector<double>& d, bool of_increments, const ReducedMatrix& matrix);
  void find_average(const Place& place, double share);
  void nudge(double e, const step_derivative::Column& from, const std::vector<double>& increment, const Change& change);

  const CompiledModel& model_;
  const Mechanism<D>& m_;
  const Hydraulics& netlist_;
  Reduction<D> metric_, end_;
  HydraulicState metric_oil_;
  DirectionalDerivative<D> metric_variation_;
  RotationStep<D> turned_;  // where the metric is evaluated
  Change end_change_, projected_;
  ProjectedStep step_;
  bool whole_tangent_ = false;                                   // the metric set
  bool velocities_whole_ = false, accelerations_whole_ = false;  // those of the step
  bool averaged_ = false;                                        // whether the step averaged the directions
  double factor_ = 0, weight_ = 0;                               // of the oil's rule: of N, of Q_0
  Place at_, nudged_;                                            // of the step; beside it
  MechanismState<D> place_;
  MeanDirections<D> mean_;
  StateVector projected_state_;                            // the end of the step without c
  ReducedMatrix reduced_, nearby_, nearby_of_increments_;  // of the step's metric of velocities; of find_average()
  // per velocity, per row, and per entry of independent()
  std::vector<double> violation_, acceleration_, bend_, w_, pull_, average_, average_change_, dr_, x_;
  std::vector<double> mu_, kappa_, rows_, rates_, accelerations_;  // the last two: changes of the rows' rates by a unit of the input
  std::vector<double> reduced_x_, metric_y_, metric_ydot_, force_;
};

extern template class ProjectionDerivative<2>;
extern template class ProjectionDerivative<3>;

}  // namespace trunnion
