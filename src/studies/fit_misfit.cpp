// Residuals of a fit and their Jacobian.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/fit_misfit.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/parallel.h"
#include "base/units.h"
#include "results/response_sensitivity.h"
#include "studies/fit_request.h"

namespace trunnion {

Misfit::Misfit(const FitRequest& request, Fit& fit) : request_(request), fit_(fit) {
  for (const FittedChannel& channel : fit.channels) {
    points_ += static_cast<Eigen::Index>(channel.times.size());
    channels_.push_back({channel.name, channel.times});
  }
  are_parameters_ = are_parameters(fit.model->description, request.parameters);
  exact_ = are_parameters_ && request.start == StartKind::given && sensitivity_findings(*fit.model).empty();
}

double Misfit::parameter(std::size_t i, double x) const {
  const FittedParameter& p = fit_.parameters[i];
  return p.positive ? p.start * std::exp(x - 1) : p.start + (x - 1) * span(p);
}

double Misfit::slope(std::size_t i, double x) const {
  const FittedParameter& p = fit_.parameters[i];
  return p.positive ? parameter(i, x) : span(p);
}

std::shared_ptr<const CompiledModel> Misfit::model_at(const Vector& x, bool refined) const {
  std::vector<Override> overrides = request_.overrides;
  if (refined) overrides.push_back({"solver.step", number_text(fit_.model->description.solver.step / 2)});
  for (std::size_t i = 0; i < fit_.parameters.size(); ++i)
    overrides.push_back({fit_.parameters[i].path, number_text(parameter(i, x(static_cast<Eigen::Index>(i))))});
  Description description = load_model(request_.model_file, overrides);
  if (!refined && are_parameters_) {
    description.solver.compiled_parameters = fit_.model->description.solver.compiled_parameters;
    std::shared_ptr<const CompiledModel> model = compile(description, fit_.model);
    if (same_structure(*model, *fit_.model)) return model;
  }
  return compile(std::move(description));
}

std::vector<std::vector<double>> Misfit::run_at(const Vector& x, bool refined) const {
  const std::shared_ptr<const CompiledModel> model = model_at(x, refined);
  ChannelSamples samples(model, channels_);
  Runner run(model, start_of(model, request_.start));
  samples.begin(run.state());
  if (run.state().time < samples.last_time()) run.advance(samples.last_time(), &samples);
  return std::move(samples.values());
}

Misfit::Vector Misfit::residuals(const std::vector<std::vector<double>>& values) const {
  Vector r(points_);
  Eigen::Index k = 0;
  for (std::size_t c = 0; c < fit_.channels.size(); ++c)
    for (std::size_t i = 0; i < fit_.channels[c].times.size(); ++i)
      r(k++) = (values[c][i] - fit_.channels[c].recorded[i]) / fit_.channels[c].scale;
  return r;
}

int Misfit::operator()(const Vector& x, Vector& r) {
  const std::optional<Vector> at = value_at(x);
  r = at ? *at : Vector::Constant(points_, kFarOff);
  return 0;
}

int Misfit::df(const Vector& x, Matrix& J) {
  const std::optional<Vector> here = value_at(x);
  if (!here) return -1;
  accepted_ = true;
  const bool first = exact_ && J_.size() == 0;
  if (first) {
    exact_ = agrees(x);
    together_ = exact_ && fit_.parameters.size() <= kParametersOfRun && fit_.model->description.solver.compiled == CompiledKind::off;
  }
  if (exact_) {
    if (!first && exact(x, J_, nullptr) != Derived::all && !differences(x, true, J_)) return -1;
    kind_ = Jacobian::central;
  } else if (kind_ == Jacobian::wanted || !correct(x, *here)) {
    const bool central = kind_ == Jacobian::wanted;
    if (!differences(x, central, J_)) return -1;
    corrections_ = 0;
    kind_ = central ? Jacobian::central : Jacobian::one_sided;
  }
  x_ = x;
  r_ = *here;
  J = J_;
  return 0;
}

bool Misfit::central(const Vector& x, Matrix& J) {
  if (!is_central() || x != x_) return (exact_ && exact(x, J, nullptr) == Derived::all) || differences(x, true, J);
  J = J_;
  return true;
}

std::optional<Misfit::Vector> Misfit::attempt(const Vector& x) const {
  try {
    const Vector r = residuals(run_at(x));
    if (r.allFinite()) return r;
  } catch (const Error&) {  // an invalid model or a run that fails: the step is rejected and shortened
  }
  return std::nullopt;
}

std::optional<Misfit::Vector> Misfit::value_at(const Vector& x) {
  for (const auto& [at, r] : known_)
    if (at == x) return r;
  std::optional<Vector> r;
  derived_at_.resize(0);
  Derived found = Derived::unknown;
  if (together_ && accepted_) found = exact(x, derived_, &r);
  accepted_ = false;
  if (found == Derived::all) derived_at_ = x;
  if (found == Derived::unknown) {
    r = attempt(x);
    ++fit_.runs;
  }
  fit_.failed_runs += r ? 0 : 1;
  if (!r) return r;
  if (known_.size() == kKept) known_.erase(known_.begin());
  known_.emplace_back(x, *r);
  return r;
}

bool Misfit::correct(const Vector& x, const Vector& r) {
  if (J_.size() == 0 || corrections_ >= kMostCorrections) return false;
  const Vector step = x - x_, change = r - r_, error = change - J_ * step;
  if (step.squaredNorm() == 0 || error.norm() > kForeseen * change.norm()) return false;
  J_ += error * step.transpose() / step.squaredNorm();
  ++corrections_;
  kind_ = Jacobian::corrected;
  return true;
}

bool Misfit::agrees(const Vector& x) {
  constexpr double kApart = 0.1, kResolved = 1e-6;  // of a column; of the residuals' size, where differences resolve it
  Matrix J, by_differences;
  if (exact(x, J, nullptr) != Derived::all || !differences(x, false, by_differences)) return false;
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const double size = std::max(J.col(i).norm(), by_differences.col(i).norm());
    if (size > kResolved * std::sqrt(static_cast<double>(points_)) && (J.col(i) - by_differences.col(i)).norm() > kApart * size) {
      fit_.warnings.push_back(fmt::format("runs are not differentiable with respect to {} at its start: differences of runs are used",
                                          fit_.parameters[static_cast<std::size_t>(i)].path));
      return false;
    }
  }
  J_ = J;
  return true;
}

Misfit::Derived Misfit::exact(const Vector& x, Matrix& J, std::optional<Vector>* r) const {
  if (r == nullptr && x.size() == derived_at_.size() && x == derived_at_) {
    J = derived_;
    return Derived::all;
  }
  const std::size_t n = fit_.parameters.size();
  fit_.runs += static_cast<int>((n + kParametersOfRun - 1) / kParametersOfRun);
  try {
    const ResponseSensitivity response = response_sensitivity(*model_at(x), request_.parameters, channels_, request_.threads);
    if (!response.failure.empty()) return Derived::no_run;
    J.resize(points_, x.size());
    for (std::size_t i = 0; i < n; ++i) {
      const auto column = static_cast<Eigen::Index>(i);
      const double by_x = slope(i, x(column));
      Eigen::Index k = 0;
      for (std::size_t c = 0; c < channels_.size(); ++c)
        for (const double derivative : response.derivatives[i][c]) J(k++, column) = derivative * by_x / fit_.channels[c].scale;
    }
    if (!J.allFinite()) return Derived::unknown;
    if (r == nullptr) return Derived::all;
    Vector residual = residuals(response.values);
    if (!residual.allFinite()) return Derived::no_run;
    *r = std::move(residual);
    return Derived::all;
  } catch (const InputError&) { return Derived::no_run; } catch (const Error&) {
    return Derived::unknown;
  }
}

bool Misfit::differences(const Vector& x, bool central, Matrix& J) {
  const std::optional<Vector> here = value_at(x);
  const auto n = static_cast<std::size_t>(x.size());
  std::vector<std::optional<Vector>> up(n), down(n);
  const auto moved = [&](std::size_t i, double difference) {
    Vector to = x;
    to(static_cast<Eigen::Index>(i)) += difference;
    return attempt(to);
  };
  for_each_parallel(central ? 2 * n : n, request_.threads, [&](std::size_t job) {
    const std::size_t i = job % n;
    if (job < n) up[i] = moved(i, kDifference);
    if (job >= n || (!central && !up[i])) down[i] = moved(i, -kDifference);
  });
  J.resize(points_, x.size());
  bool good = true;
  for (std::size_t i = 0; i < n; ++i) {
    fit_.runs += central || !up[i] ? 2 : 1;
    fit_.failed_runs += (up[i] ? 0 : 1) + (!down[i] && (central || !up[i]) ? 1 : 0);
    auto column = J.col(static_cast<Eigen::Index>(i));
    if (up[i] && down[i])
      column = (*up[i] - *down[i]) / (2 * kDifference);
    else if (here && up[i])
      column = (*up[i] - *here) / kDifference;
    else if (here && down[i])
      column = (*here - *down[i]) / kDifference;
    else
      good = false;
  }
  return good;
}

}  // namespace trunnion
