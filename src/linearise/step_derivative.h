// The derivative of a step whose discrete equations are differentiated, part of linearise/step_map.h, which has the equations. What all
// rules share is here: changes at the start of the step by every state and input, the partition of the loops, the oil's rows. Each rule
// adds the equations at its end: double_step_derivative.cpp, all_coordinates_derivative.cpp (penalty, baumgarte), explicit_derivative.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "linearise/minimal_state.h"
#include "linearise/reduction.h"
#include "linearise/rotation_step.h"
#include "linearise/scaled_system.h"
#include "linearise/step_oil_rows.h"
#include "solve/stepper.h"

namespace trunnion {

/// F and G of a step, for signals that are read.
class StepDerivative {
 public:
  virtual ~StepDerivative() = default;
  virtual void evaluate(const MinimalState& coordinates, const StateVector& before, const StateVector& after, double h,
                        const StepOutcome& report, Eigen::MatrixXd& F, Eigen::MatrixXd& G) = 0;
  virtual const std::vector<LinearInput>& inputs() const = 0;
};

std::unique_ptr<StepDerivative> make_double_step_derivative(const std::shared_ptr<const CompiledModel>& model);
std::unique_ptr<StepDerivative> make_all_coordinates_derivative(const std::shared_ptr<const CompiledModel>& model);
std::unique_ptr<StepDerivative> make_explicit_derivative(const std::shared_ptr<const CompiledModel>& model);

namespace step_derivative {

/// Throw Error and SimulationError about the step to t = `time` [s].
[[noreturn]] void refuse(double time, const char* what);
[[noreturn]] void singular(double time);

/// Changes at the start of the step by one state or input.
struct Column {
  explicit Column(const CompiledModel& model)
      : theta(model.layout.nv),
        v(model.layout.nv),
        a(model.layout.nv),
        y(model.layout.ny),
        ydot(model.layout.ny),
        s(model.hydraulics.actuators.size()),
        inflow(model.hydraulics.nodes.size()),
        slope{std::vector<double>(model.layout.nv), std::vector<double>(model.layout.nv), std::vector<double>(model.layout.ny)},
        sum(slope) {}
  std::vector<double> theta, v, a, y, ydot, s, inflow;
  /// Of an explicit step: change of a rate of (theta, v, y) as it forms them, and of their weighted sum.
  struct Slope {
    std::vector<double> theta, v, y;
  } slope, sum;
};

}  // namespace step_derivative

template <int D>
class RuleDerivative : public StepDerivative {
 public:
  void evaluate(const MinimalState& coordinates, const StateVector& before, const StateVector& after, double h, const StepOutcome& report,
                Eigen::MatrixXd& F, Eigen::MatrixXd& G) final;
  const std::vector<LinearInput>& inputs() const final { return start_.inputs(); }

 protected:
  using Change = typename Reduction<D>::Change;
  using Column = step_derivative::Column;

  explicit RuleDerivative(const std::shared_ptr<const CompiledModel>& model);
  /// Writes F and G of the step set.
  virtual void differentiate(const OilRule& rule) = 0;

  int size() const { return static_cast<int>(2 * independent_->size() + velocity_dependent_->size() + states_->size()); }
  int columns() const { return size() + static_cast<int>(inputs().size()); }
  /// The input that column j stands for, -1: a state.
  int input_of(int j) const { return j < size() ? -1 : j - size(); }
  double& result(int i, int j) { return j < size() ? (*F_)(i, j) : (*G_)(i, j - size()); }

  [[noreturn]] void refuse_step(const char* what) const { step_derivative::refuse(after_->time, what); }
  [[noreturn]] void solve_failed() const { step_derivative::singular(after_->time); }
  void solve_system() {
    if (!system_.solve()) solve_failed();
  }

  /// dc = T^-1 (dx1 - exp(theta) dx0) into increment_; dx1 null: zero.
  const std::vector<double>& increment_change(const double* x_1, const double* x_0) {
    turn_.increment_change(x_1, x_0, increment_.data());
    return increment_;
  }
  /// theta = h/2 (v0 + v1), within `tolerance` [rad, of the extent] beyond rounding.
  void require_rule(const std::vector<int>& coordinates, double tolerance);
  void set_oil_rows(const OilRule& rule, const StateVector& after, Reduction<D>& end);

  const CompiledModel& model_;
  const Mechanism<D>& m_;
  const Hydraulics& netlist_;
  Reduction<D> start_;
  ClosedLoops<D> loops_;  // on the partition of the step
  MechanismState<D> place_;
  OilRows oil_rows_;
  RotationStep<D> turn_;  // at the end of the step or a stage
  ScaledSystem system_;
  Change change_;
  std::vector<Column> columns_;
  std::vector<double> theta_, increment_;  // increment over the step; its change
  std::vector<double> partition_, step_partition_;
  // of the evaluation in progress
  const StateVector *before_ = nullptr, *after_ = nullptr;
  double h_ = 0;
  const std::vector<int>*independent_ = nullptr, *velocity_dependent_ = nullptr, *states_ = nullptr;
  Eigen::MatrixXd *F_ = nullptr, *G_ = nullptr;

 private:
  void differentiate_start();
  void find_step_partition();
  double rounding_of(int v) const;
};

extern template class RuleDerivative<2>;
extern template class RuleDerivative<3>;

}  // namespace trunnion
