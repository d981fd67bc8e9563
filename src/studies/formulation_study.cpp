// Work and precision over treatments, coordinates, integrators and steps.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/formulation_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <optional>

#include "base/diagnostic.h"
#include "base/parallel.h"
#include "description/integrators.h"
#include "results/run_case.h"
#include "schema/table.h"
#include "studies/table.h"

namespace trunnion {

namespace {

constexpr double kWhole = 1e-6;                // tolerance of a whole number of steps
constexpr double kReferenceTolerance = 1e-10;  // of the reference's local errors, or solver.reference_tolerance if smaller
constexpr int kExact = 40;                     // order for which measured_errors() takes the second run as exact

template <class T>
void drop_repeated(std::vector<T>& list) {
  std::vector<T> kept;
  for (const T& x : list)
    if (std::find(kept.begin(), kept.end(), x) == kept.end()) kept.push_back(x);
  list = std::move(kept);
}

void fill_in(FormulationRequest& r) {
  if (r.treatments.empty())
    r.treatments = {ConstraintKind::penalty, ConstraintKind::double_step, ConstraintKind::baumgarte, ConstraintKind::ali1};
  if (r.coordinates.empty()) r.coordinates = {CoordinateKind::relative, CoordinateKind::cartesian};
  if (r.integrators.empty())
    for (std::size_t i = 0; i < kIntegrators.size(); ++i)
      if (kIntegrators[i].has_fixed_step()) r.integrators.push_back(static_cast<IntegratorKind>(i));
  if (r.steps.empty()) r.steps = {4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4};
  std::sort(r.steps.begin(), r.steps.end(), std::greater<>());
  drop_repeated(r.treatments);
  drop_repeated(r.coordinates);
  drop_repeated(r.integrators);
  drop_repeated(r.steps);
  for (const double step : r.steps) {
    const double ratio = r.steps.front() / step;
    if (std::abs(ratio - std::round(ratio)) > kWhole * ratio)
      throw Error(
          fmt::format("a step of {:g} s has no common record times with {:g} s, which is no multiple of it", step, r.steps.front()));
  }
}

/// The machine with recorded channels and times that all runs have in common.
Description recorded(const FormulationRequest& r, const std::vector<std::string>& channels, double step) {
  Description d = r.machine;
  d.solver.coupling = CouplingKind::monolithic;
  d.solver.step = step;
  d.record.channels = channels;
  d.record.every = static_cast<int>(std::lround(r.steps.front() / step));
  return d;
}

std::shared_ptr<const CompiledModel> in_relative_coordinates(Description machine) {
  machine.solver.coordinates = CoordinateKind::relative;
  return compile(std::move(machine));
}

/// Joint coordinates, without rotations of spherical joints, and pressures.
std::vector<std::string> channels_of(const std::shared_ptr<const CompiledModel>& model) {
  std::vector<std::string> channels;
  std::visit(
      [&](const auto& m) {
        for (std::size_t v = 0; v < model->coordinate_names.size(); ++v)
          if (m.tree.nodes[m.tree.dof_node[v]].joint != NodeJoint::spherical) channels.push_back(model->coordinate_names[v]);
      },
      model->mechanism);
  for (std::size_t i = 0; i < model->hydraulics.volumes.size(); ++i) channels.push_back(model->state_names[i]);
  return channels;
}

/// Rigid limits are those of the step: the reference has much shorter ones.
CaseResult run_reference(const FormulationRequest& r, const std::vector<std::string>& channels, const CompiledModel& machine) {
  constexpr double kShorter = 10;
  const std::vector<Actuator>& ports = machine.hydraulics.actuators;
  const bool rigid = std::any_of(ports.begin(), ports.end(), [](const Actuator& a) { return a.cylinder.damper.rigid; });
  Description d = recorded(r, channels, rigid ? r.steps.back() / kShorter : r.steps.front());
  d.solver.coordinates = CoordinateKind::relative;
  d.solver.constraints = ConstraintKind::double_step;
  d.solver.integrator = IntegratorKind::cvode;
  d.solver.reference_tolerance = std::min(d.solver.reference_tolerance, kReferenceTolerance);
  CaseResult result = run_case(compile(std::move(d)));
  if (result.failure) throw SimulationError(*result.failure);
  return result;
}

void run_one(const FormulationRequest& r, const std::vector<std::string>& channels, const CaseResult& reference, FormulationRun& run) {
  Description d = recorded(r, channels, run.step);
  d.solver.constraints = run.constraints;
  d.solver.coordinates = run.coordinates;
  d.solver.integrator = run.integrator;
  try {
    const auto model = compile(std::move(d));
    for (int i = 0; i < r.repeats; ++i) {
      const CaseResult result = run_case(model);
      if (result.failure) throw SimulationError(*result.failure);
      run.cpu_per_second = std::fmin(run.cpu_per_second, result.statistics.step_cpu_seconds / result.end_time);
      run.iterations_per_step = result.statistics.mean_iterations();
      if (i > 0) continue;
      const MeasuredErrors errors =
          measured_errors(*reference.model, result.recorder->recording(), reference.recorder->recording(), run.step, kExact);
      for (const WorstError& error : errors.channels) {
        double& worst = error.unit == "Pa" ? run.pressure_error : run.coordinate_error;
        worst = std::fmax(worst, error.percent);
      }
    }
  } catch (const InputError& error) {
    run.status = FormulationRun::Status::impossible;
    run.reason = error.diagnostics().front().found;
  } catch (const SimulationError& failure) {
    run.status = FormulationRun::Status::failed;
    run.reason = failure.what();
  }
}

const char* word_of(const FormulationRun& run) {
  switch (run.status) {
    case FormulationRun::Status::impossible:
      return "impossible";
    case FormulationRun::Status::failed:
      return "failed";
    default:
      return "completed";
  }
}

std::string choice_text(const FormulationRun& run) {
  return fmt::format("{},{},{},{:g}", constraint_words()[std::size_t(run.constraints)], coordinate_words()[std::size_t(run.coordinates)],
                     integrator_of(run.integrator).word, run.step);
}

/// Range of positive values, by powers of ten.
struct DecadeRange {
  double least = std::numeric_limits<double>::infinity(), largest = 0;
  void include(double x) {
    least = std::min(least, x);
    largest = std::max(largest, x);
  }
  std::optional<double> lower() const { return largest > 0 ? std::optional(std::pow(10, std::floor(std::log10(least)))) : std::nullopt; }
  std::optional<double> upper() const {  // above `lower` even of a single power
    return largest > 0 ? std::optional(std::pow(10, 1 + std::floor(std::log10(largest)))) : std::nullopt;
  }
};

std::string cell(double value) { return std::isnan(value) ? "" : fmt::format("{:.6g}", value); }

}  // namespace

FormulationStudy formulation_study(FormulationRequest request, const FormulationProgress& progress) {
  fill_in(request);
  FormulationStudy study;
  study.request = std::move(request);
  const FormulationRequest& r = study.request;
  const std::shared_ptr<const CompiledModel> machine = in_relative_coordinates(r.machine);
  const std::vector<std::string> channels = channels_of(machine);
  const CaseResult reference = run_reference(r, channels, *machine);
  for (const ConstraintKind constraints : r.treatments)
    for (const CoordinateKind coordinates : r.coordinates)
      for (const IntegratorKind integrator : r.integrators)
        for (const double step : r.steps) {
          FormulationRun run;
          run.constraints = constraints;
          run.coordinates = coordinates;
          run.integrator = integrator;
          run.step = step;
          study.runs.push_back(run);
        }
  int done = 0;
  std::mutex mutex;
  for_each_parallel(study.runs.size(), r.threads, [&](std::size_t i) {
    run_one(r, channels, reference, study.runs[i]);
    const std::lock_guard lock(mutex);
    if (progress) progress(++done, static_cast<int>(study.runs.size()));
  });
  return study;
}

std::string formulations_csv(const FormulationStudy& study) {
  std::string text =
      "constraints,coordinates,integrator,step,status,coordinate_error_percent,pressure_error_percent,iterations_per_step,reason\n";
  for (const FormulationRun& run : study.runs)
    text += fmt::format("{},{},{},{},{},{}\n", choice_text(run), word_of(run), cell(run.coordinate_error), cell(run.pressure_error),
                        cell(run.iterations_per_step), quoted(run.reason));
  return text;
}

std::string formulation_times_csv(const FormulationStudy& study) {
  std::string text = "constraints,coordinates,integrator,step,cpu_per_simulated_second\n";
  for (const FormulationRun& run : study.runs) text += fmt::format("{},{}\n", choice_text(run), cell(run.cpu_per_second));
  return text;
}

std::string formulations_text(const FormulationStudy& study) {
  const FormulationRequest& r = study.request;
  std::vector<std::vector<std::string>> lines{{"constraints", "coordinates", "integrator"}};
  for (const double step : r.steps) lines[0].push_back(fmt::format("{:g} ms", 1e3 * step));
  for (std::size_t i = 0; i < study.runs.size(); i += r.steps.size()) {
    const FormulationRun& first = study.runs[i];
    lines.push_back({constraint_words()[std::size_t(first.constraints)], coordinate_words()[std::size_t(first.coordinates)],
                     integrator_of(first.integrator).word});
    for (std::size_t k = 0; k < r.steps.size(); ++k) {
      const FormulationRun& run = study.runs[i + k];
      lines.back().push_back(run.status == FormulationRun::Status::impossible ? "-"
                             : run.status == FormulationRun::Status::failed   ? "failed"
                             : std::isnan(run.coordinate_error)               ? "at rest"
                                                                              : fmt::format("{:.2g}", run.coordinate_error));
    }
  }
  return "largest error of a joint coordinate [% of its range] by step; -: the combination does not exist; at rest: none moves\n" +
         aligned(lines, 3);
}

Plot formulations_plot(const FormulationStudy& study) {
  const FormulationRequest& r = study.request;
  Plot plot;
  plot.title = "precision over work";
  plot.columns = static_cast<int>(r.coordinates.size());
  DecadeRange time, error;  // of all panels, which are compared
  for (const ConstraintKind constraints : r.treatments)
    for (const CoordinateKind coordinates : r.coordinates) {
      PlotPanel panel;
      std::string impossible;
      for (std::size_t k = 0; k < r.integrators.size(); ++k) {
        PlotCurve curve;
        curve.look = CurveLook::line_and_points;
        curve.style = static_cast<int>(k);
        curve.label = integrator_of(r.integrators[k]).word;
        bool possible = false;
        for (const FormulationRun& run : study.runs) {
          if (run.constraints != constraints || run.coordinates != coordinates || run.integrator != r.integrators[k]) continue;
          possible = possible || run.status != FormulationRun::Status::impossible;
          if (run.status != FormulationRun::Status::completed || !(run.coordinate_error > 0) || !(run.cpu_per_second > 0)) continue;
          curve.x.push_back(run.cpu_per_second);
          curve.y.push_back(run.coordinate_error);
          time.include(run.cpu_per_second);
          error.include(run.coordinate_error);
        }
        if (!possible) impossible += (impossible.empty() ? "; not with " : ", ") + curve.label;
        panel.curves.push_back(std::move(curve));
      }
      panel.title =
          fmt::format("{}, {}{}", constraint_words()[std::size_t(constraints)], coordinate_words()[std::size_t(coordinates)], impossible);
      plot.panels.push_back(std::move(panel));
    }
  for (PlotPanel& panel : plot.panels) {
    panel.x = {"processor time per simulated second", "s", true, time.lower(), time.upper()};
    panel.y = {"largest error of a coordinate", "% of range", true, error.lower(), error.upper()};
  }
  return plot;
}

}  // namespace trunnion
