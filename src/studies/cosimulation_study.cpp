// Co-simulation study: stable communication steps, residuals and energies.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/cosimulation_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>

#include "base/parallel.h"
#include "cosimulation/monitor.h"
#include "results/recording.h"
#include "results/run_case.h"

namespace trunnion {

namespace {

const double kNone = std::nan("");
constexpr double kFigureStep = 1e-3;  // [s] H of the work cycle, at which residuals are normalised to one
constexpr int kBeyond = 3;            // consecutive unstable steps that end a scan
constexpr double kSame = 1e-9;        // relative: steps closer than this are equal
constexpr std::array kPreferred20{1.0, 1.12, 1.25, 1.4, 1.6, 1.8, 2.0, 2.24, 2.5, 2.8, 3.15, 3.55, 4.0, 4.5, 5.0, 5.6, 6.3, 7.1, 8.0, 9.0};
constexpr std::array kPreferred5{1.0, 1.6, 2.5, 4.0, 6.3};
constexpr std::array kSchemeSteps{10e-3, 20e-3, 40e-3};

// ---------------------------------------------------------------- one run

/// Lengths and rates of a reference at any time: cubics through lengths and rates.
class ReferenceLength {
 public:
  explicit ReferenceLength(const CosimulationCourse& course) : course_(course) {}
  /// Times must ascend from call to call.
  double at(double t, std::size_t cylinder) {
    const std::vector<double>& time = course_.time;
    while (i_ + 2 < time.size() && time[i_ + 1] <= t) ++i_;
    const double h = time[i_ + 1] - time[i_], x = std::clamp((t - time[i_]) / h, 0.0, 1.0);
    const std::vector<double>&s = course_.length[cylinder], &w = course_.rate[cylinder];
    const double a = (1 + 2 * x) * (1 - x) * (1 - x), b = x * x * (3 - 2 * x), c = x * (1 - x) * (1 - x), d = -x * x * (1 - x);
    return a * s[i_] + b * s[i_ + 1] + h * (c * w[i_] + d * w[i_ + 1]);
  }

 private:
  const CosimulationCourse& course_;
  std::size_t i_ = 0;
};

/// Observes every communication point of a run.
class StudyWatcher final : public RunWatcher {
 public:
  /// `reference`: null for the reference itself; `course`: receives the recorded time histories; null: none.
  StudyWatcher(const std::shared_ptr<const CompiledModel>& model, const CosimulationCourse* reference, CosimulationCourse* course)
      : reader_(model), course_(course) {
    const std::vector<Channel>& channels = reader_.channels();
    for (const auto& [name, cylinder] : model->description.cylinders) {
      length_.push_back(channel_of(channels, "cylinders", name, "length"));
      rate_.push_back(channel_of(channels, "cylinders", name, "rate"));
    }
    drift_ = channel_of(channels, "", "energy", "drift");
    if (reference != nullptr) reference_.emplace(*reference);
    if (course_ == nullptr) return;
    course_->length.resize(length_.size());
    course_->rate.resize(length_.size());
  }

  void begin(const StateVector& state) {
    reader_.begin(state);
    read();
  }
  void at(const StepRecord& step) override {
    reader_.at(step);
    if (step.side == Side::left) read();
  }

  double length_error() const { return length_error_; }
  double max_drift() const { return max_drift_; }

 private:
  void read() {
    const std::vector<double>& values = reader_.values();
    const double t = values.front();
    max_drift_ = std::fmax(max_drift_, std::abs(values[drift_]));
    for (std::size_t k = 0; reference_ && k < length_.size(); ++k) {
      const double error = std::abs(values[length_[k]] - reference_->at(t, k));
      length_error_ = error <= length_error_ ? length_error_ : error;  // NaN is kept
    }
    if (course_ == nullptr) return;
    course_->time.push_back(t);
    for (std::size_t k = 0; k < length_.size(); ++k) {
      course_->length[k].push_back(values[length_[k]]);
      course_->rate[k].push_back(values[rate_[k]]);
    }
    course_->drift.push_back(values[drift_]);
  }

  ChannelReader reader_;
  CosimulationCourse* course_;
  std::optional<ReferenceLength> reference_;
  std::vector<std::size_t> length_, rate_;
  std::size_t drift_ = 0;
  double length_error_ = 0, max_drift_ = 0;
};

/// Runs a machine to its end. A failure is a status.
CosimulationRun run_machine(const Description& description, double H, double limit, const CosimulationCourse* reference,
                            CosimulationCourse* course = nullptr) {
  const auto model = compile(description);
  CosimulationRun run;
  run.step = H;
  StudyWatcher watcher(model, reference, course);
  try {
    Runner runner(model, start_of(model, StartKind::given));
    watcher.begin(runner.state());
    try {
      run_to_end(runner, &watcher);
    } catch (const SimulationError& failure) { run.status = failure.what(); }
    run.end_time = runner.state().time;
    if (const auto coupling = coupling_report(*model, runner.state().coupling())) {
      run.residual = coupling->residual_energy;
      run.absolute_residual = coupling->absolute_energy;
    }
    run.step_seconds = run.end_time > 0 ? runner.statistics().step_seconds / run.end_time : kNone;
  } catch (const SimulationError& failure) { run.status = failure.what(); }  // failed at the start
  if (reference != nullptr) run.length_error = watcher.length_error();
  run.max_drift = watcher.max_drift();
  run.stable = run.status.empty() && run.length_error < limit;
  if (course != nullptr) course->run = run;
  return run;
}

Description monolithic_machine(const Description& machine, double step) {
  Description d = machine;
  d.solver.coupling = CouplingKind::monolithic;
  d.solver.coordinates = CoordinateKind::relative;
  d.solver.constraints = ConstraintKind::penalty;
  d.solver.integrator = IntegratorKind::trapezoidal;
  d.solver.step = step;
  d.record = {};
  return d;
}

Description scheme_machine(const CosimulationRequest& request, CouplingScheme scheme, double H) {
  CouplingChoice choice;
  choice.treatment = MechanismTreatment::ali3p;
  choice.oil = request.oil.front();
  CosimulationRequest own = request;
  own.coordinates = CoordinateKind::relative;
  Description d = coupled_machine(own, choice, H);
  d.solver.step = request.machine.solver.step;
  d.coupling.scheme = scheme;
  d.coupling.mechanism_steps = request.machine.coupling.mechanism_steps;
  return d;
}

// ---------------------------------------------------------------- the sweep

void fill_in(CosimulationRequest& request) {
  if (request.machine.cylinders.empty()) throw Error("the machine has no cylinder to couple");
  if (request.orders.empty()) request.orders = {request.machine.cylinders.size() == 1 ? 2 : 1};
  if (!request.oil.empty()) return;
  using enum IntegratorKind;
  request.oil = {{rk4, 1e-4}};
  if (!request.quick)
    request.oil = {{euler, 1e-4}, {rk4, 1e-4}, {trapezoidal, 1e-4}, {trapezoidal, 2e-4}, {trapezoidal, 5e-4}, {trapezoidal, 1e-3}};
}

std::vector<CouplingChoice> choices_of(const CosimulationRequest& request) {
  std::vector<CouplingChoice> choices;
  for (const OilIntegration& oil : request.oil)
    for (const CouplingVariables variables : request.variables)
      for (const MechanismTreatment treatment : request.treatments) {
        for (const int order : request.orders)
          if (request.polynomials) choices.push_back({variables, CouplingPrediction::polynomial, order, treatment, oil});
        if (request.interface_model) choices.push_back({variables, CouplingPrediction::interface_model, 0, treatment, oil});
      }
  return choices;
}

/// Counts completed runs and reports them, one at a time.
class Counter {
 public:
  Counter(const StudyProgress& progress, std::size_t all) : progress_(progress), all_(static_cast<int>(all)) {}
  void done(const std::string& what) {
    const std::lock_guard lock(mutex_);
    ++done_;
    if (progress_) progress_(done_, all_, what);
  }

 private:
  const StudyProgress& progress_;
  std::mutex mutex_;
  int done_ = 0, all_;
};

CouplingScan scan(const CosimulationRequest& request, const CouplingChoice& choice, const CosimulationCourse& reference) {
  CouplingScan result{choice, {}, {}, {}};
  const auto run = [&](double H) -> const CosimulationRun& {
    return result.runs.emplace_back(run_machine(coupled_machine(request, choice, H), H, request.limit, &reference));
  };
  int beyond = 0;
  for (const double H : scanned_steps(request, choice.oil.step)) {
    const bool stable = run(H).stable;
    if (stable && !result.first_unstable) result.limit = H;
    if (!stable && !result.first_unstable) result.first_unstable = H;
    beyond = stable ? 0 : beyond + 1;
    if (beyond == kBeyond) break;
  }
  if (result.limit && result.first_unstable && !request.quick) {
    long low = std::lround(*result.limit / choice.oil.step), high = std::lround(*result.first_unstable / choice.oil.step);
    while (high - low > 1) {
      const long middle = (low + high) / 2;
      (run(static_cast<double>(middle) * choice.oil.step).stable ? low : high) = middle;
    }
    result.limit = static_cast<double>(low) * choice.oil.step;
    result.first_unstable = static_cast<double>(high) * choice.oil.step;
  }
  std::sort(result.runs.begin(), result.runs.end(), [](const auto& a, const auto& b) { return a.step < b.step; });
  return result;
}

/// The largest preferred step at which both are stable; the smallest scanned one if none is.
double common_step(const CosimulationStudy& study, const CouplingChoice& a, const CouplingChoice& b) {
  const std::vector<double> steps = scanned_steps(study.request, a.oil.step);
  double step = steps.front();
  for (const double H : steps) {
    const auto stable = [&](const CouplingChoice& choice) {
      const CouplingScan* s = scan_of(study, choice);
      return s == nullptr || (s->limit && H <= *s->limit * (1 + kSame));
    };
    if (stable(a) && stable(b)) step = H;
  }
  return step;
}

/// A time history still to be simulated.
struct WantedCourse {
  std::vector<CosimulationCourse>* into;
  CouplingChoice choice;
  double H;
  std::string label;
};

std::string step_name(double H) { return fmt::format("H = {:g} ms", 1e3 * H); }

void run_courses(CosimulationStudy& study, const StudyProgress& progress) {
  const CosimulationRequest& request = study.request;
  const OilIntegration& first = request.oil.front();
  const int order = request.orders.front();
  std::vector<WantedCourse> wanted;
  for (const MechanismTreatment treatment : request.treatments) {
    const CouplingVariables variables = request.variables.back();
    for (const CouplingPrediction prediction : {CouplingPrediction::polynomial, CouplingPrediction::interface_model}) {
      if (prediction == CouplingPrediction::interface_model && !request.interface_model) continue;
      const CouplingChoice choice{variables, prediction, prediction == CouplingPrediction::polynomial ? order : 0, treatment, first};
      wanted.push_back({&study.cycle, choice, kFigureStep, name_of(treatment) + ", " + prediction_name(choice)});
    }
  }
  const CouplingVariables force = request.variables.front();
  const OilIntegration euler{IntegratorKind::euler, first.step};
  for (const MechanismTreatment treatment : request.treatments) {
    const CouplingChoice choice{force, CouplingPrediction::polynomial, order, treatment, euler};
    for (const double H : {0.5e-3, 1e-3, 2e-3}) wanted.push_back({&study.energy, choice, H, name_of(treatment) + ", " + step_name(H)});
  }
  const MechanismTreatment treatment = request.treatments.front();
  if (request.interface_model) {
    const CouplingChoice polynomial{force, CouplingPrediction::polynomial, order, treatment, first};
    const CouplingChoice model{force, CouplingPrediction::interface_model, 0, treatment, first};
    const double H = common_step(study, polynomial, model);
    for (const CouplingChoice& choice : {polynomial, model}) wanted.push_back({&study.prediction, choice, H, prediction_name(choice)});
  }
  for (const double H : {1e-3, 4e-3})
    for (const double h : {1e-4, 5e-4, 1e-3}) {
      const CouplingChoice choice{
          request.variables.back(), CouplingPrediction::polynomial, order, treatment, {IntegratorKind::trapezoidal, h}};
      wanted.push_back({&study.oil_steps, choice, H, fmt::format("h = {:g} ms", 1e3 * h)});
    }
  std::vector<CosimulationCourse> courses(wanted.size());
  Counter counter(progress, wanted.size());
  for_each_parallel(wanted.size(), request.threads, [&](std::size_t i) {
    const WantedCourse& w = wanted[i];
    courses[i].label = w.label;
    courses[i].choice = w.choice;
    run_machine(coupled_machine(request, w.choice, w.H), w.H, request.limit, &study.reference, &courses[i]);
    counter.done("time histories for figures");
  });
  for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i].into->push_back(std::move(courses[i]));
}

/// Sequential, because they are timed.
void run_schemes(CosimulationStudy& study, const StudyProgress& progress) {
  const CosimulationRequest& request = study.request;
  std::vector<CouplingScheme> schemes{CouplingScheme::sequential};
  if (has_parallel(request)) schemes.push_back(CouplingScheme::parallel);
  Counter counter(progress, 1 + schemes.size() * kSchemeSteps.size());
  const auto add = [&](std::optional<CouplingScheme> scheme, const Description& machine, double H) {
    study.schemes.push_back({scheme, run_machine(machine, H, request.limit, &study.reference)});
    counter.done("sequential and parallel schemes");
  };
  add({}, monolithic_machine(request.machine, kFigureStep), kFigureStep);
  for (const CouplingScheme scheme : schemes)
    for (const double H : kSchemeSteps) add(scheme, scheme_machine(request, scheme, H), H);
}

}  // namespace

const CouplingScan* scan_of(const CosimulationStudy& study, const CouplingChoice& choice) {
  const auto at = std::find_if(study.scans.begin(), study.scans.end(), [&](const CouplingScan& s) { return s.choice == choice; });
  return at == study.scans.end() ? nullptr : &*at;
}

Description coupled_machine(const CosimulationRequest& request, const CouplingChoice& choice, double H) {
  Description d = request.machine;
  const bool ali1 = choice.treatment == MechanismTreatment::ali1, polynomial = choice.prediction == CouplingPrediction::polynomial;
  d.solver.coupling = CouplingKind::cosimulation;
  d.solver.coordinates = request.coordinates;
  d.solver.constraints = ali1 ? ConstraintKind::ali1 : ConstraintKind::penalty;
  d.solver.integrator = ali1 ? IntegratorKind::semi_implicit_euler : IntegratorKind::trapezoidal;
  d.solver.step = H;
  d.record = {};
  CosimulationDescription& c = d.coupling;
  c.scheme = CouplingScheme::jacobi;
  c.step = H;
  c.variables = choice.variables;
  const bool force = choice.variables == CouplingVariables::velocity_force;
  c.friction = force ? request.friction : FrictionSide::mechanism;
  c.prediction = choice.prediction;
  c.extrapolation = polynomial ? choice.order : 0;
  c.mechanism_extrapolation = request.mechanism_order.value_or(c.extrapolation);
  c.integrator = choice.oil.integrator;
  c.hydraulic_step = choice.oil.step;
  c.mechanism_steps = 1;
  c.threads = 1;
  c.control.reset();
  for (auto& [name, subsystem] : c.subsystems) {
    subsystem.integrator.reset();
    subsystem.step.reset();
  }
  return d;
}

std::vector<double> scanned_steps(const CosimulationRequest& request, double oil_step) {
  std::vector<double> steps;
  const auto add = [&](double wish) {
    const double H = std::max(1.0, std::round(wish / oil_step)) * oil_step;
    if (H < request.min_step * (1 - kSame) || H > request.max_step * (1 + kSame)) return;
    if (steps.empty() || H > steps.back() * (1 + kSame)) steps.push_back(H);
  };
  for (double decade = std::pow(10, std::floor(std::log10(request.min_step))); decade < 2 * request.max_step; decade *= 10) {
    if (request.quick)
      for (const double x : kPreferred5) add(x * decade);
    else
      for (const double x : kPreferred20) add(x * decade);
  }
  add(request.max_step);
  return steps;
}

CosimulationStudy cosimulation_study(CosimulationRequest request, const StudyProgress& progress) {
  fill_in(request);
  CosimulationStudy study;
  study.request = std::move(request);
  const CosimulationRequest& own = study.request;
  for (const auto& [name, cylinder] : own.machine.cylinders) study.cylinders.push_back(name);
  const std::vector<CouplingChoice> choices = choices_of(own);
  if (choices.empty()) throw Error("no combination is left to run: choose orders, the interface model, or both");
  for (const CouplingChoice& choice : choices) (void)compile(coupled_machine(own, choice, own.max_step));  // wrong input shows at once

  if (progress) progress(0, 1, "monolithic reference");
  study.reference.label = "monolithic";
  {
    const CosimulationRun run =
        run_machine(monolithic_machine(own.machine, kReferenceStep), kReferenceStep, own.limit, nullptr, &study.reference);
    if (!run.status.empty()) throw Error("the monolithic reference fails: " + run.status);
  }
  study.scans.resize(choices.size());
  study.unit_residual.resize(own.variables.size());
  Counter counter(progress, choices.size() + own.variables.size());
  for_each_parallel(choices.size() + own.variables.size(), own.threads, [&](std::size_t i) {
    if (i < choices.size()) {
      study.scans[i] = scan(own, choices[i], study.reference);
    } else {
      const CouplingChoice unit{own.variables[i - choices.size()],
                                CouplingPrediction::polynomial,
                                own.orders.front(),
                                MechanismTreatment::ali1,
                                {IntegratorKind::euler, own.oil.front().step}};
      study.unit_residual[i - choices.size()] =
          std::abs(run_machine(coupled_machine(own, unit, kFigureStep), kFigureStep, own.limit, &study.reference).residual);
    }
    counter.done("scans");
  });
  run_courses(study, progress);
  run_schemes(study, progress);
  return study;
}

}  // namespace trunnion
