// Identifiability of fitted values.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/fit_judgement.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/decompositions.h"
#include "results/error_estimate.h"

namespace trunnion {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

void judge_fit(const Misfit& misfit, const Eigen::VectorXd& x, const Eigen::VectorXd& r, const Eigen::MatrixXd& J, Fit& fit) {
  constexpr double kSingular = 1e-10;   // of the eigenvalues of the correlated columns
  constexpr double kCorrelated = 0.99;  // magnitude of a correlation
  constexpr double kUncertain = 0.5;    // standard error of the logarithm
  constexpr double kStill = 0.01;       // of x
  const Eigen::Index n = x.size();
  const std::size_t size = fit.parameters.size();
  const auto name = [&](Eigen::Index i) { return fit.parameters[static_cast<std::size_t>(i)].path; };
  fit.correlation.assign(size * size, kUnknown);
  for (FittedParameter& p : fit.parameters) p.standard_error = kUnknown;
  const Eigen::VectorXd length = J.colwise().norm();
  bool blind = false;
  for (Eigen::Index i = 0; i < n; ++i)
    if (!(length(i) > kSingular * std::sqrt(static_cast<double>(r.size())))) {
      blind = true;
      fit.warnings.push_back(fmt::format("{} has no influence on the recorded channels; omit it, or record other channels", name(i)));
    }
  if (blind) return;
  const Eigen::MatrixXd unit = J * length.cwiseInverse().asDiagonal();
  const SymmetricEigen modes = symmetric_eigen(unit.transpose() * unit);
  if (!(modes.values(0) > kSingular)) {
    constexpr double kPart = 0.1;
    std::vector<std::string> together;
    for (Eigen::Index i = 0; i < n; ++i)
      if (std::abs(modes.vectors(i, 0)) > kPart) together.push_back(name(i));
    fit.warnings.push_back(fmt::format("the recording determines only a combination of {}; omit one of them, or record other channels",
                                       fmt::join(together, ", ")));
    return;
  }
  const Eigen::MatrixXd inverse = modes.vectors * modes.values.cwiseInverse().asDiagonal() * modes.vectors.transpose();
  // at a minimum the step that the linearised residuals ask for is none
  const Eigen::VectorXd step = -(inverse * (unit.transpose() * r)).cwiseQuotient(length);
  for (Eigen::Index i = 0; i < n && fit.failed_runs > 0; ++i)
    if (std::abs(step(i)) > kStill)
      fit.warnings.push_back(fmt::format(
          "the search ended beside values whose runs fail or are invalid: the residuals still fall with a {} {}; try other start values",
          step(i) > 0 ? "larger" : "smaller", name(i)));
  const double freedom = static_cast<double>(r.size() - n) / static_cast<double>(r.size());
  Eigen::MatrixXd noise = Eigen::MatrixXd::Zero(n, n);
  Eigen::Index begin = 0;
  for (const FittedChannel& channel : fit.channels) {
    const auto rows = static_cast<Eigen::Index>(channel.times.size());
    const double variance = freedom > 0 ? r.segment(begin, rows).squaredNorm() / (static_cast<double>(rows) * freedom) : kUnknown;
    noise += variance * unit.middleRows(begin, rows).transpose() * unit.middleRows(begin, rows);
    begin += rows;
  }
  const Eigen::MatrixXd covariance = inverse * noise * inverse;
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    FittedParameter& p = fit.parameters[k];
    const double error = std::sqrt(covariance(i, i)) / length(i);  // of x
    p.standard_error = error * std::abs(misfit.slope(k, x(i)));
    if (p.positive ? error > kUncertain : p.standard_error > kUncertain * std::abs(p.value))
      fit.warnings.push_back(fmt::format("{} is poorly determined: its standard error is {:.2g} % of its value", p.path,
                                         100 * p.standard_error / std::abs(p.value)));
    for (Eigen::Index j = 0; j < n; ++j) {
      // of the estimates; of equal noise in all channels where unavailable
      const double scale = std::sqrt(covariance(i, i) * covariance(j, j));
      const double c = scale > 0 ? covariance(i, j) / scale : inverse(i, j) / std::sqrt(inverse(i, i) * inverse(j, j));
      fit.correlation[k * size + static_cast<std::size_t>(j)] = i == j ? 1 : c;
      if (j < i && std::abs(c) > kCorrelated)
        fit.warnings.push_back(
            fmt::format("the recording hardly distinguishes {} from {}: their correlation is {:.4f}", name(j), name(i), c));
    }
  }
}

void estimate_step_errors(const Misfit& misfit, const Eigen::VectorXd& x, const Eigen::VectorXd& r, const Eigen::MatrixXd& J, Fit& fit) {
  constexpr double kWorthWhile = 1e-3;  // of a value
  const int order = order_of(fit.model->description.solver);
  if (order == 0) return;
  Eigen::VectorXd refined;
  try {
    refined = misfit.residuals(misfit.run_at(x, true));
  } catch (const SimulationError&) { return; }
  ++fit.runs;
  const double whole = std::pow(2, order) / (std::pow(2, order) - 1);
  const Eigen::VectorXd moved = smallest_solution(J, r - refined, 1e-10);
  for (std::size_t i = 0; i < fit.parameters.size(); ++i) {
    FittedParameter& p = fit.parameters[i];
    const auto k = static_cast<Eigen::Index>(i);
    p.step_error = std::abs(whole * misfit.slope(i, x(k)) * moved(k));
    if (p.step_error > p.standard_error && p.step_error > kWorthWhile * std::abs(p.value))
      fit.warnings.push_back(
          fmt::format("the error of {} due to the step of the runs is about {:.2g}, its standard error {:.2g}: try a smaller solver.step",
                      p.path, p.step_error, p.standard_error));
  }
}

}  // namespace trunnion
