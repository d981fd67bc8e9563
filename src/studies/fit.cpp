// Parameter estimation from a recording: the search.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/fit.h"

#include <Eigen/Core>
#include <cmath>
#include <limits>
#include <unsupported/Eigen/NonLinearOptimization>

#include "studies/fit_judgement.h"
#include "studies/fit_misfit.h"
#include "studies/fit_request.h"

namespace trunnion {

namespace {

double rms_of(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum / static_cast<double>(a.size()));
}

const char* words_of(Eigen::LevenbergMarquardtSpace::Status status) {
  using namespace Eigen::LevenbergMarquardtSpace;
  switch (status) {
    case RelativeReductionTooSmall:
      return "the residuals converged";
    case RelativeErrorTooSmall:
    case RelativeErrorAndReductionTooSmall:
      return "the parameters converged";
    case CosinusTooSmall:
    case GtolTooSmall:
      return "the gradient of the residuals vanishes";
    case FtolTooSmall:
    case XtolTooSmall:
      return "the accuracy limit of the residuals is reached";
    case UserAsked:
      return "no derivatives: the runs at neighbouring values fail";
    default:
      return "maximum number of iterations reached";
  }
}

/// From x to the minimum. Counts iterations in the fit.
Eigen::LevenbergMarquardtSpace::Status search(Misfit& misfit, int max_iterations, const FitProgress& progress, Eigen::VectorXd& x,
                                              Fit& fit) {
  using Status = Eigen::LevenbergMarquardtSpace::Status;
  Eigen::LevenbergMarquardt<Misfit> method(misfit);
  constexpr double kExact = 1e-13;
  constexpr double kReduced = 1e-10;  // of the sum of squares: 1e-5 standard errors times the square root of the points
  method.parameters.factor = 1;       // the first step changes no parameter by much more than a factor of e
  method.parameters.ftol = kReduced;
  method.parameters.xtol = kExact;
  method.parameters.maxfev = std::numeric_limits<int>::max();
  Status status = method.minimizeInit(x);
  const double points = std::sqrt(static_cast<double>(misfit.values()));
  constexpr double kExactFit = 1e-12;  // rms of r: exact fit
  while (status == Status::NotStarted || status == Status::Running) {
    if (fit.iterations == max_iterations) return Status::TooManyFunctionEvaluation;
    if (method.fnorm <= kExactFit * points) return Status::GtolTooSmall;
    status = method.minimizeOneStep(x);
    ++fit.iterations;
    if (status != Status::Running && status != Status::UserAsked && !misfit.is_central()) {
      misfit.want_central();
      status = method.minimizeInit(x);
    }
    if (progress) progress(fit.iterations, method.fnorm / points);
  }
  return status;
}

}  // namespace

Fit fit(const FitRequest& request, const FitProgress& progress) {
  Fit fit = read_fit(request);
  Misfit misfit(request, fit);
  Eigen::VectorXd x = misfit.start();
  const std::vector<std::vector<double>> first = misfit.run_at(x);  // throws if it fails
  ++fit.runs;
  misfit.remember(x, first);
  for (std::size_t c = 0; c < fit.channels.size(); ++c) {
    fit.channels[c].at_start = first[c];
    fit.channels[c].rms_start = rms_of(first[c], fit.channels[c].recorded);
  }
  using Status = Eigen::LevenbergMarquardtSpace::Status;
  const Status status = search(misfit, request.max_iterations, progress, x, fit);
  fit.status = words_of(status);
  fit.converged = status != Status::UserAsked && status != Status::TooManyFunctionEvaluation;

  for (std::size_t i = 0; i < fit.parameters.size(); ++i) fit.parameters[i].value = misfit.parameter(i, x(static_cast<Eigen::Index>(i)));
  fit.model = misfit.model_at(x);
  std::vector<std::vector<double>> last = misfit.run_at(x);
  ++fit.runs;
  const Eigen::VectorXd r = misfit.residuals(last);
  for (std::size_t c = 0; c < fit.channels.size(); ++c) {
    fit.channels[c].fitted = std::move(last[c]);
    fit.channels[c].rms = rms_of(fit.channels[c].fitted, fit.channels[c].recorded);
  }
  if (!fit.converged) fit.warnings.push_back("not converged: " + fit.status);
  Eigen::MatrixXd J(misfit.values(), x.size());
  if (misfit.central(x, J)) {
    judge_fit(misfit, x, r, J, fit);
    estimate_step_errors(misfit, x, r, J, fit);
  }
  return fit;
}

}  // namespace trunnion
