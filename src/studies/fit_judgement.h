// What the Jacobian at the fitted values shows: standard errors, correlation, errors due to the step, and warnings. Part of studies/fit.h,
// which has the equations.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "studies/fit.h"
#include "studies/fit_misfit.h"

namespace trunnion {

/// Standard errors, correlation and warnings from the Jacobian of residuals r.
void judge_fit(const Misfit& misfit, const Eigen::VectorXd& x, const Eigen::VectorXd& r, const Eigen::MatrixXd& J, Fit& fit);

/// Effect of the step of the runs on the values: with half the step the residuals differ, and their minimum is at J^+ times the
/// difference; the error relative to step zero is 2^p/(2^p - 1) times that, p the order of the rule. Standard errors do not include it.
void estimate_step_errors(const Misfit& misfit, const Eigen::VectorXd& x, const Eigen::VectorXd& r, const Eigen::MatrixXd& J, Fit& fit);

}  // namespace trunnion
