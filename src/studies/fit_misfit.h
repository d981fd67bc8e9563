// The misfit of a fit, r(x), for Eigen's Levenberg-Marquardt method: runs at x, residuals, and the Jacobian by derivatives of a run,
// differences or corrections. Part of studies/fit.h, which defines x and r.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "run/channel_samples.h"
#include "studies/fit.h"

namespace trunnion {

/// The problem for Eigen's solver: residuals and Jacobian at x. Counts runs in the fit.
class Misfit {
 public:
  using Vector = Eigen::VectorXd;
  using Matrix = Eigen::MatrixXd;

  Misfit(const FitRequest& request, Fit& fit);

  Eigen::Index values() const { return points_; }
  Vector start() const { return Vector::Ones(static_cast<Eigen::Index>(fit_.parameters.size())); }

  double parameter(std::size_t i, double x) const;
  /// dp/dx at x.
  double slope(std::size_t i, double x) const;

  /// `refined`: with half the step.
  std::shared_ptr<const CompiledModel> model_at(const Vector& x, bool refined = false) const;

  /// Channels of the run at x. Throws InputError, SimulationError.
  std::vector<std::vector<double>> run_at(const Vector& x, bool refined = false) const;

  /// Residuals of the channels of a run.
  Vector residuals(const std::vector<std::vector<double>>& values) const;

  /// The run at x.
  void remember(const Vector& x, const std::vector<std::vector<double>>& values) { known_.emplace_back(x, residuals(values)); }

  int operator()(const Vector& x, Vector& r);

  /// The Jacobian for a step of the search: the exact one where the run has derivatives; otherwise that before, corrected by what the last
  /// step did (C. G. Broyden, Math. Comp. 19 (1965) 577-593), one-sided differences if that step went elsewhere than foreseen, or central
  /// ones; < 0 if runs fail.
  int df(const Vector& x, Matrix& J);
  /// Whether the last Jacobian was exact or one of central differences: the minimum of others is beside that of the residuals.
  bool is_central() const { return kind_ == Jacobian::central; }
  /// The next one will be.
  void want_central() { kind_ = Jacobian::wanted; }
  /// Exact, or by central differences; false if runs fail.
  bool central(const Vector& x, Matrix& J);

 private:
  static constexpr double kFarOff = 1e20;      // residual of a run that fails
  static constexpr double kDifference = 1e-4;  // of x: its effect is far above the tolerance of the iteration in a step
  static constexpr double kForeseen = 0.1;     // error of the foreseen change of the residuals, relative to the change
  static constexpr int kMostCorrections = 10;
  static constexpr std::size_t kKept = 4;

  static double span(const FittedParameter& p) { return p.start != 0 ? std::abs(p.start) : 1; }

  std::optional<Vector> attempt(const Vector& x) const;

  /// The residuals at x, from the runs before if possible; nothing: the run fails.
  std::optional<Vector> value_at(const Vector& x);

  /// Corrects J_ by the step to x, where the residuals are r. False: it would not be good enough.
  bool correct(const Vector& x, const Vector& r);

  /// Whether exact columns are those of one-sided differences, as they are not where a run is not differentiable. Then J_ has them.
  bool agrees(const Vector& x);

  /// What a run with derivatives gave; `unknown`: whether a run without them does better.
  enum class Derived { all, unknown, no_run };

  /// By the derivatives of a run, with its residuals where they are wanted.
  Derived exact(const Vector& x, Matrix& J, std::optional<Vector>* r) const;

  /// Central differences, or one-sided ones: to the other side where a run fails. False: both sides do.
  bool differences(const Vector& x, bool central, Matrix& J);

  const FitRequest& request_;
  Fit& fit_;
  Eigen::Index points_ = 0;
  std::vector<SampledChannel> channels_;
  bool exact_ = false;                            // runs have derivatives
  bool are_parameters_ = false;                   // what is fitted leaves the structure of the model
  bool together_ = false;                         // one run gives the residuals and all their derivatives
  bool accepted_ = true;                          // the last step of the search was: the next one probably will be
  Vector derived_at_;                             // where a run did
  Matrix derived_;                                // the derivatives there
  std::vector<std::pair<Vector, Vector>> known_;  // x and residuals of the last runs
  // of the last step of the search
  Vector x_, r_;
  Matrix J_;
  int corrections_ = 0;  // of J_
  enum class Jacobian { one_sided, corrected, wanted, central };
  Jacobian kind_ = Jacobian::one_sided;  // of J_; wanted: the next one is central
};

}  // namespace trunnion
