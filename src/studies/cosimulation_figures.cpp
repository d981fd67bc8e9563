// Figures of a co-simulation study.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/cosimulation_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.h"
#include "results/files.h"
#include "studies/table.h"

namespace trunnion {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr double kZoom = 0.15;        // [s] each side of the largest difference
constexpr double kResidualTop = 1e5;  // of the unit: a larger residual counts as diverged
constexpr double kRoom = 1.2;         // axis limit over the largest value of the stable curves
constexpr double kBeyond = 100;       // times the top: drawn value of a diverged run
constexpr std::size_t kEvery = 10;    // one in kEvery points of the reference is drawn

std::string words(CouplingVariables variables) {
  return variables == CouplingVariables::velocity_force ? "velocity-force" : "velocity-pressure";
}

std::vector<double> scaled(const std::vector<double>& values, double factor) {
  std::vector<double> out(values);
  for (double& value : out) value *= factor;
  return out;
}

/// Figure numbers of the paper: with one cylinder, with two.
std::string paper_figure(const CosimulationStudy& study, const std::string& single, const std::string& pair) {
  return study.cylinders.size() == 1 ? single : study.cylinders.size() == 2 ? pair : "";
}

/// The reference in the unit of an axis, every kEvery-th point.
PlotCurve reference_curve(const CosimulationStudy& study, const std::vector<double>& values, double factor) {
  PlotCurve curve{"monolithic", {}, {}, CurveLook::line, 0};
  for (std::size_t i = 0; i < values.size(); i += kEvery) {
    curve.x.push_back(study.reference.time[i]);
    curve.y.push_back(factor * values[i]);
  }
  return curve;
}

/// One panel per cylinder, curves of the simulations and the reference.
std::vector<PlotPanel> cylinder_panels(const CosimulationStudy& study, const std::vector<const CosimulationCourse*>& courses, bool rates,
                                       double from = 0, double to = 0) {
  std::vector<PlotPanel> panels;
  for (std::size_t k = 0; k < study.cylinders.size(); ++k) {
    PlotPanel panel;
    panel.title = study.cylinders[k];
    panel.x = {"time", "s", false, {}, {}};
    panel.y = {rates ? "rate" : "length", rates ? "mm/s" : "mm", false, {}, {}};
    if (to > from) {
      panel.x.min = from;
      panel.x.max = to;
    }
    const std::vector<double>& reference = rates ? study.reference.rate[k] : study.reference.length[k];
    double low = kInfinity, high = -kInfinity;  // the axis is that of the reference; diverged curves leave it
    for (std::size_t i = 0; i < reference.size(); ++i) {
      const double t = study.reference.time[i];
      if (to > from && (t < from || t > to)) continue;
      low = std::min(low, reference[i]);
      high = std::max(high, reference[i]);
    }
    const double margin = std::max({0.15 * (high - low), 1e-4});
    panel.y.min = 1e3 * (low - (rates ? 2.5 : 1) * margin);
    panel.y.max = 1e3 * (high + (rates ? 2.5 : 1) * margin);
    panel.curves.push_back(reference_curve(study, reference, 1e3));
    int style = 1;
    for (const CosimulationCourse* course : courses)
      panel.curves.push_back(
          {course->label, course->time, scaled(rates ? course->rate[k] : course->length[k], 1e3), CurveLook::line, style++});
    panels.push_back(std::move(panel));
  }
  return panels;
}

/// One panel per cylinder: lengths of the simulations minus those of the reference.
std::vector<PlotPanel> difference_panels(const CosimulationStudy& study, const std::vector<const CosimulationCourse*>& courses) {
  std::vector<PlotPanel> panels;
  double largest = 0;  // of those that have not diverged
  for (const CosimulationCourse* course : courses)
    if (course->run.stable) largest = std::max(largest, course->run.length_error);
  for (std::size_t k = 0; k < study.cylinders.size(); ++k) {
    PlotPanel panel;
    panel.title = study.cylinders[k] + ": difference from the monolithic solution";
    panel.x = {"time", "s", false, {}, {}};
    panel.y = {"length minus monolithic", "mm", false, {}, {}};
    const double range = 1e3 * kRoom * (largest > 0 ? largest : study.request.limit);
    panel.y.min = -range;
    panel.y.max = range;
    int style = 1;
    for (const CosimulationCourse* course : courses) {
      PlotCurve curve{course->label, course->time, {}, CurveLook::line, style++};
      const std::vector<double>&time = study.reference.time, &length = study.reference.length[k];
      for (std::size_t i = 0, j = 0; i < course->time.size(); ++i) {
        const double t = course->time[i];
        while (j + 2 < time.size() && time[j + 1] <= t) ++j;
        const double share = (t - time[j]) / (time[j + 1] - time[j]);  // steps of the reference are short: linear interpolation
        curve.y.push_back(1e3 * (course->length[k][i] - length[j] - share * (length[j + 1] - length[j])));
      }
      panel.curves.push_back(std::move(curve));
    }
    panels.push_back(std::move(panel));
  }
  return panels;
}

std::vector<const CosimulationCourse*> all_of(const std::vector<CosimulationCourse>& courses) {
  std::vector<const CosimulationCourse*> pointers;
  pointers.reserve(courses.size());
  for (const CosimulationCourse& course : courses) pointers.push_back(&course);
  return pointers;
}

void append(std::vector<PlotPanel>& panels, std::vector<PlotPanel> more) {
  for (PlotPanel& panel : more) panels.push_back(std::move(panel));
}

/// Residual over H of one scan.
PlotCurve residual_curve(const CosimulationStudy& study, const CouplingScan& scan, const std::string& label, int style) {
  PlotCurve curve{label, {}, {}, CurveLook::line_and_points, style};
  const auto& variables = study.request.variables;
  const auto at = std::find(variables.begin(), variables.end(), scan.choice.variables) - variables.begin();
  const double unit = study.unit_residual[static_cast<std::size_t>(at)];
  for (const CosimulationRun& run : scan.runs) {
    const double residual = std::abs(run.residual) / unit;
    curve.x.push_back(1e3 * run.step);
    curve.y.push_back(std::isfinite(residual) && run.stable ? residual : std::fmax(residual, kBeyond * kResidualTop));
    if (!run.stable) break;  // diverged
  }
  return curve;
}

PlotPanel residual_panel(const std::string& title, const CosimulationStudy& study) {
  PlotPanel panel;
  panel.title = title;
  panel.x = {"communication step H", "ms", true, 1e3 * study.request.min_step, 1e3 * study.request.max_step};
  panel.y = {"energy residual at the end, relative", "", true, {}, kResidualTop};
  return panel;
}

/// The steps at which scans of an oil integration come first: those of the paper's figures.
bool is_first_step(const CosimulationStudy& study, const OilIntegration& oil) {
  for (const OilIntegration& other : study.request.oil)
    if (other.integrator == oil.integrator) return other == oil;
  return false;
}

void add_cycle(const CosimulationStudy& study, std::vector<StudyFigure>& figures) {
  StudyFigure f{
      "work_cycle",
      fmt::format("lengths of the cylinders: monolithic, and co-simulated with H = 1 ms, {}", words(study.request.variables.back())),
      paper_figure(study, "8", "14"),
      {}};
  f.plot.columns = 2;
  f.plot.panel_width = 620;
  const auto lengths = cylinder_panels(study, all_of(study.cycle), false), differences = difference_panels(study, all_of(study.cycle));
  for (std::size_t k = 0; k < lengths.size(); ++k) append(f.plot.panels, {lengths[k], differences[k]});
  figures.push_back(std::move(f));
}

void add_residuals(const CosimulationStudy& study, std::vector<StudyFigure>& figures) {
  const CosimulationRequest& request = study.request;
  for (const OilIntegration& oil : request.oil) {
    if (!is_first_step(study, oil)) continue;
    for (const CouplingVariables variables : request.variables) {
      const int row = oil.integrator == IntegratorKind::euler ? 0 : oil.integrator == IntegratorKind::rk4 ? 1 : 2;
      const char letter = static_cast<char>('a' + 2 * row + (variables == CouplingVariables::velocity_pressure ? 1 : 0));
      StudyFigure f{fmt::format("residual_{}_{}", name_of(variables), name_of(oil.integrator)),
                    fmt::format("energy residual at the end over H: {}, oil by {}", words(variables), name_of(oil)),
                    paper_figure(study, fmt::format("9{}", letter), fmt::format("15{}", letter)),
                    {}};
      PlotPanel panel = residual_panel(fmt::format("{}, oil by {}", words(variables), name_of(oil)), study);
      int style = 0;
      for (const CouplingScan& scan : study.scans)
        if (scan.choice.oil == oil && scan.choice.variables == variables) {
          panel.curves.push_back(residual_curve(study, scan, name_of(scan.choice.treatment) + ", " + prediction_name(scan.choice), style));
          ++style;
        }
      f.plot.panels = {std::move(panel)};
      f.plot.panel_width = 640;
      figures.push_back(std::move(f));
    }
  }
}

void add_integrators(const CosimulationStudy& study, std::vector<StudyFigure>& figures) {
  const CosimulationRequest& request = study.request;
  for (const CouplingVariables variables : request.variables) {
    const char letter = variables == CouplingVariables::velocity_pressure ? 'b' : 'a';
    StudyFigure f{fmt::format("residual_integrators_{}", name_of(variables)),
                  fmt::format("energy residual at the end over H for each integrator of the oil: {}, m = {}", words(variables),
                              request.orders.front()),
                  paper_figure(study, fmt::format("12{}", letter), fmt::format("16{}", letter)),
                  {}};
    f.plot.columns = static_cast<int>(request.treatments.size());
    for (const MechanismTreatment treatment : request.treatments) {
      PlotPanel panel = residual_panel(fmt::format("{}, {}, m = {}", words(variables), name_of(treatment), request.orders.front()), study);
      int style = 0;
      for (const CouplingScan& scan : study.scans) {
        const CouplingChoice& c = scan.choice;
        if (c.variables != variables || c.treatment != treatment || c.prediction != CouplingPrediction::polynomial ||
            c.order != request.orders.front() || !is_first_step(study, c.oil))
          continue;
        panel.curves.push_back(residual_curve(study, scan, name_of(c.oil), style++));
      }
      f.plot.panels.push_back(std::move(panel));
    }
    figures.push_back(std::move(f));
  }
}

void add_energy(const CosimulationStudy& study, std::vector<StudyFigure>& figures) {
  StudyFigure f{"energy_balance",
                fmt::format("kinetic and potential energy minus the work of the cylinders over time: {}, oil by Euler at {:g} ms, m = {}",
                            words(study.request.variables.front()), 1e3 * study.request.oil.front().step, study.request.orders.front()),
                paper_figure(study, "10", ""),
                {}};
  f.plot.columns = static_cast<int>(study.request.treatments.size());
  f.plot.panel_width = 620;
  for (const MechanismTreatment treatment : study.request.treatments) {
    PlotPanel panel;
    panel.title = name_of(treatment);
    panel.x = {"time", "s", false, {}, {}};
    panel.y = {"energy balance", "J", false, {}, {}};
    panel.curves.push_back(reference_curve(study, study.reference.drift, 1));
    double largest = 0;
    int style = 1;
    for (const CosimulationCourse& course : study.energy) {
      if (course.choice->treatment != treatment) continue;
      if (course.run.stable) largest = std::max(largest, course.run.max_drift);
      panel.curves.push_back({course.label, course.time, course.drift, CurveLook::line, style++});
    }
    if (largest > 0) {
      panel.y.min = -kRoom * largest;
      panel.y.max = kRoom * largest;
    }
    f.plot.panels.push_back(std::move(panel));
  }
  figures.push_back(std::move(f));
}

/// The time at which the rate of any cylinder is farthest from the reference.
double worst_time(const CosimulationStudy& study, const CosimulationCourse& course) {
  double worst = 0, time = 0;
  for (std::size_t k = 0; k < study.cylinders.size(); ++k)
    for (std::size_t i = 0, j = 0; i < course.time.size(); ++i) {
      while (j + 1 < study.reference.time.size() && study.reference.time[j] < course.time[i]) ++j;
      const double difference = std::abs(course.rate[k][i] - study.reference.rate[k][j]);
      if (difference > worst) {
        worst = difference;
        time = course.time[i];
      }
    }
  return time;
}

void add_prediction(const CosimulationStudy& study, std::vector<StudyFigure>& figures) {
  if (study.prediction.empty()) return;
  const CosimulationCourse& model = study.prediction.back();
  StudyFigure f{
      "prediction",
      fmt::format("polynomials against the interface model, rates and lengths: {}, {}, H = {:g} ms; the right half near the largest "
                  "difference",
                  words(model.choice->variables), name_of(model.choice->treatment), 1e3 * model.run.step),
      paper_figure(study, "11", ""),
      {}};
  f.plot.title = fmt::format("{}, {}, H = {:g} ms", words(model.choice->variables), name_of(model.choice->treatment), 1e3 * model.run.step);
  f.plot.columns = 2;
  const double at = worst_time(study, model);
  const auto courses = all_of(study.prediction);
  const double from = std::max(0.0, at - kZoom), to = at + kZoom;
  for (const bool rates : {true, false}) {
    const std::vector<PlotPanel> whole = cylinder_panels(study, courses, rates), near = cylinder_panels(study, courses, rates, from, to);
    for (std::size_t k = 0; k < whole.size(); ++k) append(f.plot.panels, {whole[k], near[k]});
  }
  figures.push_back(std::move(f));
}

void add_oil_steps(const CosimulationStudy& study, std::vector<StudyFigure>& figures) {
  char letter = 'a';
  for (std::size_t i = 0; i < study.oil_steps.size();) {
    const double H = study.oil_steps[i].run.step;
    std::vector<const CosimulationCourse*> courses;
    for (; i < study.oil_steps.size() && study.oil_steps[i].run.step == H; ++i) courses.push_back(&study.oil_steps[i]);
    const CouplingChoice& choice = *courses.front()->choice;
    StudyFigure f{fmt::format("oil_step_{:g}ms", 1e3 * H),
                  fmt::format("lengths with steps h of the oil, trapezoidal rule, H = {:g} ms: {}, {}, {}", 1e3 * H,
                              words(choice.variables), name_of(choice.treatment), prediction_name(choice)),
                  paper_figure(study, fmt::format("13{}", letter), fmt::format("17{}", letter)),
                  {}};
    f.plot.title =
        fmt::format("{}, {}, {}, H = {:g} ms", words(choice.variables), name_of(choice.treatment), prediction_name(choice), 1e3 * H);
    f.plot.columns = 2;
    const auto lengths = cylinder_panels(study, courses, false), differences = difference_panels(study, courses);
    for (std::size_t k = 0; k < lengths.size(); ++k) append(f.plot.panels, {lengths[k], differences[k]});
    figures.push_back(std::move(f));
    ++letter;
  }
}

}  // namespace

std::vector<StudyFigure> study_figures(const CosimulationStudy& study) {
  std::vector<StudyFigure> figures;
  add_cycle(study, figures);
  add_residuals(study, figures);
  add_energy(study, figures);
  add_prediction(study, figures);
  add_integrators(study, figures);
  add_oil_steps(study, figures);
  return figures;
}

std::string figures_csv(const std::vector<StudyFigure>& figures) {
  std::string text = "file,shows,paper\n";
  for (const StudyFigure& f : figures) text += f.name + ".svg," + quoted(f.shows) + "," + f.paper + "\n";
  return text;
}

std::string write_figures(const std::vector<StudyFigure>& figures, const std::string& folder, int threads) {
  make_folder(folder);
  std::vector<std::string> reasons(figures.size());
  for_each_parallel(figures.size(), threads, [&](std::size_t i) {
    write_text(plot_csv(figures[i].plot), folder + "/" + figures[i].name + ".csv");
    reasons[i] = draw(figures[i].plot, folder + "/" + figures[i].name + ".svg");
  });
  write_text(figures_csv(figures), folder + "/figures.csv");
  for (const std::string& reason : reasons)
    if (!reason.empty()) return reason;
  return "";
}

}  // namespace trunnion
