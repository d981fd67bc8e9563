// Derivative of the projection of the velocities that ends a step of the augmented Lagrangian treatment, W (v - v1) = J^T mu, J v1 + Phi_t = 0; the
// equations are in linearise/step_map.h, of which this is a part.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "linearise/step_derivative.h"

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
  /// `motion`: at the motion of a step when it is set.
  ProjectionDerivative(const std::shared_ptr<const CompiledModel>& model, Reduction<D>& motion);

  /// Finds in which metric the step projected its velocities: W, or for slight violations the whole tangent.
  void set(const ProjectedStep& step, const OilRule& rule);
  /// `change`: v' from Newton's method to v1'; `increment`: its change of the increment of the configuration. In the central difference of
  /// J^T mu - W (v - v1) a signal acts through the states alone: what it adds directly is the violation times the change of a geometric
  /// stiffness.
  void apply(int input, const step_derivative::Column& from, const std::vector<double>& increment, typename Reduction<D>::Change& change);

 private:
  using Change = typename Reduction<D>::Change;
  void set_metric(const StateVector& motion, const double* theta, const double* y_begin, const double* offset);
  void multiply_metric(const double* x);
  double departure_from_metric();

  const CompiledModel& model_;
  const Mechanism<D>& m_;
  const Hydraulics& netlist_;
  Reduction<D>& motion_;
  Reduction<D> metric_, end_;
  HydraulicState metric_oil_;
  DirectionalDerivative<D> metric_variation_;
  RotationStep<D> turned_;  // where the metric is evaluated
  Change end_change_, projected_;
  ProjectedStep step_;
  bool whole_tangent_ = false;
  double factor_ = 0, weight_ = 0;  // of the oil's rule: of N, of Q_0
  std::vector<double> violation_, mu_, offset_, metric_y_, metric_ydot_, force_, reduced_, reduced_x_, bend_, nudged_theta_, nudged_y_,
      nudged_offset_;
  std::vector<int> reduced_pivot_;
  StateVector nudged_;
  std::vector<double> dr_, x_;
};

extern template class ProjectionDerivative<2>;
extern template class ProjectionDerivative<3>;

}  // namespace trunnion
