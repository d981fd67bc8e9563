// Parameter estimation from a recording.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/fit.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <unsupported/Eigen/NonLinearOptimization>

#include "base/decompositions.h"
#include "base/parallel.h"
#include "base/units.h"
#include "file/csv.h"
#include "results/error_estimate.h"
#include "results/files.h"
#include "results/response_sensitivity.h"
#include "run/channel_samples.h"
#include "schema/parameters.h"
#include "studies/table.h"

namespace trunnion {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// ---------------------------------------------------------------- request

class FitFindings {
 public:
  void add(const std::string& option, const std::string& found, const std::string& expected = "", const std::string& hint = "") {
    list_.push_back({{option, 0, 0}, "", found, expected, hint});
  }
  std::vector<Diagnostic>& list() { return list_; }
  void throw_any() {
    if (!list_.empty()) throw InputError(std::move(list_));
  }

 private:
  std::vector<Diagnostic> list_;
};

/// A column of the recording and its unit in SI units.
struct RecordedColumn {
  std::string name;
  double unit = 1;
};

/// `COLUMN[:UNIT]`
RecordedColumn read_column(const std::string& text, const std::string& option, FitFindings& findings) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return {text, 1};
  const std::string unit = text.substr(colon + 1);
  const QuantityText read = read_quantity("1 " + unit);
  if (!read.quantity || !read.quantity->has_unit) {
    findings.add(option, fmt::format("`{}` is not a unit", unit), "a unit such as kN, bar or mm after the name of the column", read.hint);
    return {text.substr(0, colon), 1};
  }
  return {text.substr(0, colon), read.quantity->value};
}

/// Recorded values of a channel, SI.
FittedChannel read_channel(const FitRequest& request, const std::string& name, const RecordedColumn& time, const RecordedColumn& column,
                           FitFindings& findings) {
  CsvSignal signal;
  signal.file = request.reference;
  signal.time = time.name;
  signal.value = column.name;
  signal.smooth = true;  // times increase strictly
  read_csv_signal(signal, "", name, {"--reference", 0, 0}, findings.list());
  FittedChannel channel;
  channel.name = name;
  channel.column = column.name;
  for (const auto& point : signal.points) {
    channel.times.push_back(point[0] * time.unit);
    channel.recorded.push_back(point[1] * column.unit);
  }
  double mean = 0, square = 0;
  const auto n = static_cast<double>(channel.recorded.size());
  for (double x : channel.recorded) mean += x / n;
  for (double x : channel.recorded) square += (x - mean) * (x - mean) / n;
  channel.scale = square > 0 ? std::sqrt(square) : mean != 0 ? std::abs(mean) : 1;
  return channel;
}

std::vector<FittedChannel> read_recording(const FitRequest& request, const std::shared_ptr<const CompiledModel>& model,
                                          FitFindings& findings) {
  const std::vector<std::string> header = csv_header(request.reference);
  const auto has = [&](const std::string& name) { return std::find(header.begin(), header.end(), name) != header.end(); };
  RecordedColumn time{has("time") ? "time" : "1", 1};
  if (!request.time.empty()) time = read_column(request.time, "--time", findings);
  const ChannelReader reader(model);
  std::vector<std::string> known;
  for (const Channel& c : reader.channels()) known.push_back(c.name);
  known.erase(known.begin());  // time
  std::vector<FittedChannel> channels;
  for (const std::string& text : request.channels) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const std::string near = nearest_name(name, known);
      findings.add("--channels", fmt::format("there is no channel '{}'", name),
                   near.empty() ? "the name of a channel such as " + known.front() : "",
                   near.empty() ? "" : "did you mean '" + near + "'?");
      continue;
    }
    const RecordedColumn column =
        equals == std::string::npos ? RecordedColumn{name, 1} : read_column(text.substr(equals + 1), "--channels", findings);
    channels.push_back(read_channel(request, name, time, column, findings));
  }
  if (request.channels.empty())
    for (const std::string& name : header)
      if (name != time.name && std::find(known.begin(), known.end(), name) != known.end())
        channels.push_back(read_channel(request, name, time, {name, 1}, findings));
  if (channels.empty() && findings.list().empty())
    findings.add("--reference", fmt::format("no column of `{}` has the name of a channel", request.reference),
                 "names of channels in its first line, or --channels CHANNEL=COLUMN",
                 header.empty() ? "the file has no header line, or cannot be read" : "");
  for (FittedChannel& channel : channels)
    channel.unit =
        reader.channels()[static_cast<std::size_t>(std::find(known.begin(), known.end(), channel.name) - known.begin()) + 1].unit;
  return channels;
}

void check_times(const std::vector<FittedChannel>& channels, const CompiledModel& model, FitFindings& findings) {
  const double duration = model.description.solver.duration;
  for (const FittedChannel& channel : channels) {
    if (channel.times.empty()) continue;
    const double first = channel.times.front(), last = channel.times.back();
    if (first < 0)
      findings.add("--reference", fmt::format("the recording of {} begins at {:g} s", channel.name, first),
                   "times from 0, the start of the run");
    if (last > duration * (1 + kSameSampleTime))
      findings.add("--reference",
                   fmt::format("the recording of {} lasts until {:g} s, and the run ends at {:g} s", channel.name, last, duration), "",
                   fmt::format("--set solver.duration={:g}", last));
  }
}

// ---------------------------------------------------------------- runs

/// Whether all paths are parameters of the model.
bool are_parameters(Description description, const std::vector<std::string>& paths) {
  const std::vector<Parameter> parameters = parameters_of(description);
  return std::all_of(paths.begin(), paths.end(), [&](const std::string& path) {
    return std::any_of(parameters.begin(), parameters.end(), [&](const Parameter& parameter) { return parameter.path == path; });
  });
}

/// The problem for Eigen's solver: residuals and Jacobian at x.
class Misfit {
 public:
  using Vector = Eigen::VectorXd;
  using Matrix = Eigen::MatrixXd;

  Misfit(const FitRequest& request, Fit& fit) : request_(request), fit_(fit) {
    for (const FittedChannel& channel : fit.channels) {
      points_ += static_cast<Eigen::Index>(channel.times.size());
      channels_.push_back({channel.name, channel.times});
    }
    are_parameters_ = are_parameters(fit.model->description, request.parameters);
    exact_ = are_parameters_ && request.start == StartKind::given && sensitivity_findings(*fit.model).empty();
  }

  Eigen::Index values() const { return points_; }
  Vector start() const { return Vector::Ones(static_cast<Eigen::Index>(fit_.parameters.size())); }

  double parameter(std::size_t i, double x) const {
    const FittedParameter& p = fit_.parameters[i];
    return p.positive ? p.start * std::exp(x - 1) : p.start + (x - 1) * span(p);
  }
  /// dp/dx at x.
  double slope(std::size_t i, double x) const {
    const FittedParameter& p = fit_.parameters[i];
    return p.positive ? parameter(i, x) : span(p);
  }

  /// `refined`: with half the step.
  std::shared_ptr<const CompiledModel> model_at(const Vector& x, bool refined = false) const {
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

  /// Channels of the run at x. Throws InputError, SimulationError.
  std::vector<std::vector<double>> run_at(const Vector& x, bool refined = false) const {
    const std::shared_ptr<const CompiledModel> model = model_at(x, refined);
    ChannelSamples samples(model, channels_);
    Runner run(model, start_of(model, request_.start));
    samples.begin(run.state());
    if (run.state().time < samples.last_time()) run.advance(samples.last_time(), &samples);
    return std::move(samples.values());
  }

  /// Residuals of the channels of a run.
  Vector residuals(const std::vector<std::vector<double>>& values) const {
    Vector r(points_);
    Eigen::Index k = 0;
    for (std::size_t c = 0; c < fit_.channels.size(); ++c)
      for (std::size_t i = 0; i < fit_.channels[c].times.size(); ++i)
        r(k++) = (values[c][i] - fit_.channels[c].recorded[i]) / fit_.channels[c].scale;
    return r;
  }

  /// The run at x.
  void remember(const Vector& x, const std::vector<std::vector<double>>& values) { known_.emplace_back(x, residuals(values)); }

  int operator()(const Vector& x, Vector& r) {
    const std::optional<Vector> at = value_at(x);
    r = at ? *at : Vector::Constant(points_, kFarOff);
    return 0;
  }

  /// The Jacobian for a step of the search: the exact one where the run has derivatives; otherwise that before, corrected by what the last step
  /// did (C. G. Broyden, Math. Comp. 19 (1965) 577-593), one-sided differences if that step went elsewhere than foreseen, or central ones; < 0
  /// if runs fail.
  int df(const Vector& x, Matrix& J) {
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
  /// Whether the last Jacobian was exact or one of central differences: the minimum of others is beside that of the residuals.
  bool is_central() const { return kind_ == Jacobian::central; }
  /// The next one will be.
  void want_central() { kind_ = Jacobian::wanted; }
  /// Exact, or by central differences; false if runs fail.
  bool central(const Vector& x, Matrix& J) {
    if (!is_central() || x != x_) return (exact_ && exact(x, J, nullptr) == Derived::all) || differences(x, true, J);
    J = J_;
    return true;
  }

 private:
  static constexpr double kFarOff = 1e20;      // residual of a run that fails
  static constexpr double kDifference = 1e-4;  // of x: its effect is far above the tolerance of the iteration in a step
  static constexpr double kForeseen = 0.1;     // error of the foreseen change of the residuals, relative to the change
  static constexpr int kMostCorrections = 10;
  static constexpr std::size_t kKept = 4;

  static double span(const FittedParameter& p) { return p.start != 0 ? std::abs(p.start) : 1; }

  std::optional<Vector> attempt(const Vector& x) const {
    try {
      const Vector r = residuals(run_at(x));
      if (r.allFinite()) return r;
    } catch (const Error&) {  // an invalid model or a run that fails: the step is rejected and shortened
    }
    return std::nullopt;
  }

  /// The residuals at x, from the runs before if possible; nothing: the run fails.
  std::optional<Vector> value_at(const Vector& x) {
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

  /// Corrects J_ by the step to x, where the residuals are r. False: it would not be good enough.
  bool correct(const Vector& x, const Vector& r) {
    if (J_.size() == 0 || corrections_ >= kMostCorrections) return false;
    const Vector step = x - x_, change = r - r_, error = change - J_ * step;
    if (step.squaredNorm() == 0 || error.norm() > kForeseen * change.norm()) return false;
    J_ += error * step.transpose() / step.squaredNorm();
    ++corrections_;
    kind_ = Jacobian::corrected;
    return true;
  }

  /// Whether exact columns are those of one-sided differences, as they are not where a run is not differentiable. Then J_ has them.
  bool agrees(const Vector& x) {
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

  /// What a run with derivatives gave; `unknown`: whether a run without them does better.
  enum class Derived { all, unknown, no_run };

  /// By the derivatives of a run, with its residuals where they are wanted.
  Derived exact(const Vector& x, Matrix& J, std::optional<Vector>* r) const {
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

  /// Central differences, or one-sided ones: to the other side where a run fails. False: both sides do.
  bool differences(const Vector& x, bool central, Matrix& J) {
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

// ---------------------------------------------------------------- identifiability

/// Standard errors, correlation and warnings from the Jacobian of residuals r.
void judge(const Misfit& misfit, const Eigen::VectorXd& x, const Eigen::VectorXd& r, const Eigen::MatrixXd& J, Fit& fit) {
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

/// Effect of the step of the runs on the values: with half the step the residuals differ, and their minimum is at J^+ times the
/// difference; the error relative to step zero is 2^p/(2^p - 1) times that, p the order of the rule. Standard errors do not include it.
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

}  // namespace

Fit fit(const FitRequest& request, const FitProgress& progress) {
  Description description = load_model(request.model_file, request.overrides);
  if (description.solver.compiled != CompiledKind::off && are_parameters(description, request.parameters))  // one code for all runs
    description.solver.compiled_parameters.insert(description.solver.compiled_parameters.end(), request.parameters.begin(),
                                                  request.parameters.end());
  Fit fit;
  fit.model = compile(description);
  check_recorded_channels(fit.model);
  FitFindings findings;
  if (request.parameters.empty()) findings.add("--parameters", "no parameters are given", "paths of numbers in the model file");
  if (request.max_iterations < 1) findings.add("--max-iterations", fmt::format("found {}", request.max_iterations), "1 or more");
  for (const std::string& path : request.parameters) {
    if (std::count(request.parameters.begin(), request.parameters.end(), path) > 1) {
      findings.add("--parameters", fmt::format("{} is given more than once", path));
      break;
    }
    try {
      FittedParameter p;
      p.path = path;
      p.start = p.value = number_at(request.model_file, request.overrides, path, "--parameters");
      p.unit = unit_at(description, path);
      if (p.start > 0) try {
          std::vector<Override> negative = request.overrides;
          negative.push_back({path, number_text(-p.start)});
          (void)load_model(request.model_file, negative);
        } catch (const InputError&) { p.positive = true; }
      fit.parameters.push_back(std::move(p));
    } catch (const InputError& error) {
      findings.list().insert(findings.list().end(), error.diagnostics().begin(), error.diagnostics().end());
    }
  }
  fit.channels = read_recording(request, fit.model, findings);
  check_times(fit.channels, *fit.model, findings);
  Misfit misfit(request, fit);
  if (findings.list().empty() && misfit.values() < misfit.start().size())
    findings.add("--reference", fmt::format("{} points for {} parameters", misfit.values(), misfit.start().size()),
                 "at least as many points");
  findings.throw_any();

  Eigen::VectorXd x = misfit.start();
  const std::vector<std::vector<double>> first = misfit.run_at(x);  // throws if it fails
  ++fit.runs;
  misfit.remember(x, first);
  for (std::size_t c = 0; c < fit.channels.size(); ++c) {
    fit.channels[c].at_start = first[c];
    fit.channels[c].rms_start = rms_of(first[c], fit.channels[c].recorded);
  }
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
    if (fit.iterations == request.max_iterations) {
      status = Status::TooManyFunctionEvaluation;
      break;
    }
    if (method.fnorm <= kExactFit * points) {
      status = Status::GtolTooSmall;
      break;
    }
    status = method.minimizeOneStep(x);
    ++fit.iterations;
    if (status != Status::Running && status != Status::UserAsked && !misfit.is_central()) {
      misfit.want_central();
      status = method.minimizeInit(x);
    }
    if (progress) progress(fit.iterations, method.fnorm / points);
  }
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
    judge(misfit, x, r, J, fit);
    estimate_step_errors(misfit, x, r, J, fit);
  }
  return fit;
}

// ---------------------------------------------------------------- files

std::string fit_text(const Fit& fit) {
  std::string text = fmt::format("{} after {} iterations and {} runs{}: {}\n", fit.converged ? "fitted" : "NOT CONVERGED", fit.iterations,
                                 fit.runs, fit.failed_runs > 0 ? fmt::format(", {} of them failed", fit.failed_runs) : "", fit.status);
  std::vector<std::vector<std::string>> lines{{"parameter", "start", "fitted", "standard error", "error due to the step", "both", "unit"}};
  for (const FittedParameter& p : fit.parameters)
    lines.push_back({p.path, fmt::format("{:.6g}", p.start), fmt::format("{:.9g}", p.value),
                     std::isnan(p.standard_error) ? "-" : fmt::format("{:.2g}", p.standard_error),
                     std::isnan(p.step_error) ? "-" : fmt::format("{:.2g}", p.step_error),
                     std::isnan(p.error()) ? "-" : fmt::format("{:.2g}", p.error()), p.unit});
  text += aligned(lines, 1);
  lines = {{"channel", "points", "rms at the start", "rms", "unit"}};
  for (const FittedChannel& c : fit.channels)
    lines.push_back({c.name, fmt::format("{}", c.times.size()), fmt::format("{:.4g}", c.rms_start), fmt::format("{:.4g}", c.rms), c.unit});
  text += aligned(lines, 1);
  for (const std::string& warning : fit.warnings) text += fmt::format("WARNING {}\n", warning);
  for (const FittedParameter& p : fit.parameters) text += fmt::format("--set {}={}\n", p.path, number_text(p.value));
  return text;
}

std::string fit_json(const Fit& fit, const std::string& model_file, const std::string& reference) {
  using Json = nlohmann::ordered_json;
  const auto number = [](double value) { return std::isnan(value) ? Json(nullptr) : Json(value); };
  const std::size_t n = fit.parameters.size();
  Json parameters = Json::object(), channels = Json::object(), correlation = Json::object();
  for (std::size_t i = 0; i < n; ++i) {
    const FittedParameter& p = fit.parameters[i];
    parameters[p.path] = {{"start", p.start},
                          {"value", p.value},
                          {"standard_error", number(p.standard_error)},
                          {"step_error", number(p.step_error)},
                          {"error", number(p.error())},
                          {"unit", p.unit},
                          {"logarithmic", p.positive}};
    for (std::size_t j = 0; j < n; ++j)
      correlation[p.path][fit.parameters[j].path] = number(fit.correlation.empty() ? kUnknown : fit.correlation[i * n + j]);
  }
  for (const FittedChannel& c : fit.channels)
    channels[c.name] = {{"column", c.column}, {"points", c.times.size()}, {"scale", c.scale}, {"rms_start", c.rms_start}, {"rms", c.rms},
                        {"unit", c.unit}};
  return Json{{"model", model_file},          {"reference", reference}, {"converged", fit.converged},     {"status", fit.status},
              {"iterations", fit.iterations}, {"runs", fit.runs},       {"failed_runs", fit.failed_runs}, {"parameters", parameters},
              {"correlation", correlation},   {"channels", channels},   {"warnings", fit.warnings}}
             .dump(2, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

std::string fit_csv(const Fit& fit) {
  std::string text = "channel,time,recorded,start,fitted\n";
  for (const FittedChannel& c : fit.channels)
    for (std::size_t i = 0; i < c.times.size(); ++i) {
      text += quoted(c.name);
      for (double x : {c.times[i], c.recorded[i], c.at_start[i], c.fitted[i]}) append_number(text += ",", x);
      text += "\n";
    }
  return text;
}

Plot fit_plot(const Fit& fit) {
  Plot plot;
  plot.panel_width = 720;
  for (const FittedParameter& p : fit.parameters)
    plot.title += fmt::format("{}{} = {:.4g}", plot.title.empty() ? "" : ", ", p.path.substr(p.path.rfind('.') + 1), p.value);
  for (const FittedChannel& c : fit.channels) {
    constexpr std::size_t kMarks = 60;  // as many as can be distinguished
    const std::size_t every = std::max<std::size_t>(1, c.times.size() / kMarks);
    std::vector<double> times, recorded;
    for (std::size_t i = 0; i < c.times.size(); i += every) times.push_back(c.times[i]), recorded.push_back(c.recorded[i]);
    plot.panels.push_back({"",
                           {"time", "s", false, {}, {}},
                           {c.name, c.unit, false, {}, {}},
                           {{"recorded", times, recorded, CurveLook::points, 0},
                            {"at the start", c.times, c.at_start, CurveLook::line, 1},
                            {"fitted", c.times, c.fitted, CurveLook::line, 2}}});
  }
  return plot;
}

}  // namespace trunnion
