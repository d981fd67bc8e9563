// Error estimates: accumulated local errors, and errors measured by halving the step.
// SPDX-License-Identifier: BSD-3-Clause
#include "results/error_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "description/integrators.h"

namespace trunnion {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kDoubtful = 1;          // [%] of a range
constexpr double kMinMotion = 1e-5;      // [rad], of the machine's extent: less counts as no motion
constexpr long kManySteps = 200;         // enough to distinguish persistent from transient errors
constexpr double kMinPressure = 1e4;     // [Pa]
constexpr double kRoundingRange = 1e-9;  // of the size of its unit: a smaller range is rounding

Json worst_json(const WorstError& worst) {
  return {{"channel", worst.channel}, {"error", worst.error}, {"unit", worst.unit}, {"percent_of_range", worst.percent}};
}

/// The size of the values in a unit, for channels that are rounding: at rest all rates, powers and flows are, in a planar or symmetric
/// machine whole kinds of forces. So rates are at least those of changes by the whole value within the run, and so on.
class UnitSizes {
 public:
  void add(const std::string& unit, double size) { at_least(unit, size); }
  void relate(double duration) {
    at_least("N m", sizes_["N"] * sizes_["m"]);
    if (!(duration > 0)) return;
    for (const std::string unit : {"m", "rad"}) {
      at_least(unit + "/s", sizes_[unit] / duration);
      at_least(unit + "/s^2", sizes_[unit] / (duration * duration));
    }
    at_least("W", sizes_["J"] / duration);
    if (sizes_["Pa"] > 0) at_least("m^3/s", sizes_["J"] / duration / sizes_["Pa"]);
  }
  /// Of a unit, or of several: `N or N m`.
  double of(const std::string& unit) {
    const std::string_view kOr = " or ";
    double size = sizes_[unit];
    for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + kOr.size()) {
      end = unit.find(kOr, begin);
      size = std::max(size, sizes_[unit.substr(begin, end - begin)]);
    }
    return size;
  }

 private:
  void at_least(const std::string& unit, double size) { sizes_[unit] = std::max(sizes_[unit], size); }
  std::map<std::string, double> sizes_;
};

}  // namespace

std::optional<AccumulatedErrors> accumulated_errors(const CompiledModel& model, const RunStatistics& statistics) {
  const LocalErrors& errors = statistics.local_errors;
  if (errors.coordinates().empty() && errors.pressures().empty()) return std::nullopt;
  AccumulatedErrors found;
  const auto take = [](WorstError& worst, const LocalErrors::Record& record, double least, const std::string& channel, const char* unit) {
    const double percent = 100 * record.error / std::max(record.range(), least);
    if (record.error > 0 && percent > worst.percent) worst = {channel, unit, record.error, percent};
  };
  std::visit(
      [&](const auto& m) {
        for (std::size_t v = 0; v < errors.coordinates().size(); ++v) {
          const char* unit = m.tree.nodes[m.tree.dof_node[v]].joint == NodeJoint::prismatic ? "m" : "rad";
          const LocalErrors::Record& record = errors.coordinates()[v];
          const double least = kMinMotion * m.unit(static_cast<int>(v));
          take(found.coordinate, record, least, model.coordinate_names[v], unit);
          if (statistics.steps >= kManySteps && 100 * record.persistent() > kDoubtful * std::max(record.range(), least))
            take(found.persistent, record, least, model.coordinate_names[v], unit);
        }
      },
      model.mechanism);
  for (std::size_t i = 0; i < errors.pressures().size(); ++i)
    take(found.pressure, errors.pressures()[i], kMinPressure, model.state_names[i], "Pa");
  return found;
}

const WorstError* MeasuredErrors::worst() const {
  const auto found =
      std::max_element(channels.begin(), channels.end(), [](const WorstError& a, const WorstError& b) { return a.percent < b.percent; });
  return found == channels.end() ? nullptr : &*found;
}

MeasuredErrors measured_errors(const CompiledModel& model, const Recording& run, const Recording& halved, double step, int order) {
  constexpr double kSameTime = 1e-6;
  const double whole = std::pow(2, order) / (std::pow(2, order) - 1);
  std::vector<std::pair<std::size_t, std::size_t>> rows;
  for (std::size_t i = 0, k = 0; i < run.rows(); ++i) {
    while (k < halved.rows() && halved.columns[0][k] < run.columns[0][i] - kSameTime * step) ++k;
    if (k < halved.rows() && halved.columns[0][k] < run.columns[0][i] + kSameTime * step) rows.emplace_back(i, k++);
  }
  MeasuredErrors found{step / 2, order, {}};
  if (run.rows() == 0) return found;
  UnitSizes sizes;
  sizes.add("rad", 1);
  sizes.add("m", std::visit([](const auto& m) { return m.extent; }, model.mechanism));
  std::vector<double> ranges(run.channels.size());
  for (std::size_t c = 1; c < run.channels.size(); ++c) {
    const auto [low, high] = std::minmax_element(run.columns[c].begin(), run.columns[c].end());
    ranges[c] = *high - *low;
    sizes.add(run.channels[c].unit, std::max(std::abs(*low), std::abs(*high)));
  }
  sizes.relate(run.columns[0].back() - run.columns[0].front());
  for (std::size_t c = 1; c < run.channels.size(); ++c) {
    const int other = halved.find(run.channels[c].name);
    const double range = ranges[c];
    if (other < 0 || run.channels[c].error || !(range > kRoundingRange * sizes.of(run.channels[c].unit))) continue;
    const std::vector<double>&a = run.columns[c], &b = halved.columns[static_cast<std::size_t>(other)];
    double largest = 0;
    for (const auto& [i, k] : rows) largest = std::max(largest, std::abs(a[i] - b[k]));
    found.channels.push_back({run.channels[c].name, run.channels[c].unit, whole * largest, 100 * whole * largest / range});
  }
  return found;
}

double step_for(double step, double percent, int order) {
  const double wished = step * std::pow(kDoubtful / std::max(percent, kDoubtful), 1.0 / order),
               decade = std::pow(10, std::floor(std::log10(wished)));
  for (double factor : {5.0, 2.0})
    if (factor * decade <= wished) return factor * decade;
  return decade;
}

int order_of(const SolverDescription& solver) { return solver.coupling == CouplingKind::monolithic ? integrator_of(solver).order : 0; }

std::vector<std::string> error_warnings(const std::optional<AccumulatedErrors>& accumulated, const SolverDescription& solver) {
  if (solver.coupling == CouplingKind::cosimulation) return {};  // the coupling's verdict assesses it
  if (!accumulated || !(accumulated->persistent.percent > kDoubtful)) return {};
  const WorstError& c = accumulated->persistent;
  const int order = order_of(solver);
  const std::string remedy = order > 0 ? fmt::format("solver.step {:g} s would keep it below 1 %, and `run --estimate-error` measures it",
                                                     step_for(solver.step, c.percent, order))
                                       : fmt::format("a solver.reference_tolerance of {:g} would keep it below 1 %",
                                                     step_for(solver.reference_tolerance, c.percent, 1));
  return {fmt::format("the error of {} may reach {:.2g} % of its range (accumulated local errors, {:.3g} {}); {}", c.channel, c.percent,
                      c.error, c.unit, remedy)};
}

std::vector<std::string> error_warnings(const CompiledModel& model, const MeasuredErrors& measured, double step) {
  const WorstError* worst = nullptr;
  for (const WorstError& c : measured.channels)
    if (std::find(model.coordinate_names.begin(), model.coordinate_names.end(), c.channel) != model.coordinate_names.end() &&
        (worst == nullptr || c.percent > worst->percent))
      worst = &c;
  if (worst == nullptr || !(worst->percent > kDoubtful)) return {};
  return {
      fmt::format("the error of {} is about {:.2g} % of its range (by halving the step, {:.3g} {}); "
                  "solver.step {:g} s would keep it below 1 %",
                  worst->channel, worst->percent, worst->error, worst->unit, step_for(step, worst->percent, measured.order))};
}

nlohmann::ordered_json error_json(const std::optional<AccumulatedErrors>& accumulated, const std::optional<MeasuredErrors>& measured) {
  Json json = Json::object();
  if (accumulated)
    json["accumulated_local"] = {{"coordinate", worst_json(accumulated->coordinate)},
                                 {"pressure_of_one_step", worst_json(accumulated->pressure)}};
  if (measured) {
    Json channels = Json::object();
    for (const WorstError& c : measured->channels)
      channels[c.channel] = {{"error", c.error}, {"unit", c.unit}, {"percent_of_range", c.percent}};
    json["by_half_the_step"] = {{"step", measured->step}, {"channels", channels}};
  }
  return json.empty() ? Json(nullptr) : json;
}

std::string error_text(const std::optional<AccumulatedErrors>& accumulated, const std::optional<MeasuredErrors>& measured) {
  std::string text;
  const auto part = [](const WorstError& c) { return fmt::format("{} {:.2g} % of its range", c.channel, c.percent); };
  if (accumulated && (accumulated->coordinate.error > 0 || accumulated->pressure.error > 0))
    text += fmt::format("  local error  {}{}{}\n",
                        accumulated->coordinate.error > 0 ? "accumulated: " + part(accumulated->coordinate) + " at most" : "",
                        accumulated->coordinate.error > 0 && accumulated->pressure.error > 0 ? "; " : "",
                        accumulated->pressure.error > 0 ? "of one step: " + part(accumulated->pressure) : "");
  if (measured)
    text += measured->worst() == nullptr ? "  error        by halving the step: none, no channel changes by more than rounding\n"
                                         : fmt::format("  error        by halving the step: largest in {}; all channels in summary.json\n",
                                                       part(*measured->worst()));
  return text;
}

}  // namespace trunnion
