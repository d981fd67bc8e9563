// Plots of channels of one or several runs.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/channel_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>

#include "base/diagnostic.h"
#include "base/text.h"
#include "base/units.h"
#include "results/read_results.h"

namespace trunnion {

namespace {

[[noreturn]] void refuse(const std::string& option, const std::string& found, const std::string& expected, const std::string& hint = "") {
  throw InputError({Diagnostic{{option, 0, 0}, "", found, expected, hint}});
}

// ---------------------------------------------------------------- units

/// The unit of an axis: it shows the value of a channel over `factor`.
struct DrawnUnit {
  std::string unit;
  double factor = 1;
};

/// The requested units, and which of them were used.
class Units {
 public:
  explicit Units(const std::vector<std::string>& wanted) {
    for (const std::string& unit : wanted) {
      const QuantityText read = read_quantity("1 " + unit);
      if (!read.quantity || !read.quantity->has_unit)
        refuse("--unit", "`" + unit + "` is not a unit", "one such as bar, mm, deg or L/min", read.hint);
      units_.push_back({unit, *read.quantity});
    }
  }
  DrawnUnit of(const std::string& si) {
    const QuantityText read = read_quantity("1 " + si);
    for (Wanted& w : units_)
      if (!si.empty() && read.quantity && read.quantity->dimension == w.one.dimension) {
        w.used = true;
        return {w.text, w.one.value};
      }
    return {si, 1};
  }
  void refuse_unused() const {
    for (const Wanted& w : units_)
      if (!w.used) refuse("--unit", "none of the channels can be drawn in `" + w.text + "`", "a unit of their quantities");
  }

 private:
  struct Wanted {
    std::string text;
    Quantity one;
    bool used = false;
  };
  std::vector<Wanted> units_;
};

/// The quantity of a unit, for panels whose channels have different meanings.
std::string quantity_of(const std::string& unit) {
  constexpr std::array<std::array<const char*, 2>, 12> kQuantities{{{"Pa", "pressure"},
                                                                    {"m", "length"},
                                                                    {"m/s", "speed"},
                                                                    {"m/s^2", "acceleration"},
                                                                    {"rad", "angle"},
                                                                    {"rad/s", "angular rate"},
                                                                    {"rad/s^2", "angular acceleration"},
                                                                    {"N", "force"},
                                                                    {"N m", "torque"},
                                                                    {"J", "energy"},
                                                                    {"W", "power"},
                                                                    {"m^3/s", "volume flow"}}};
  for (const auto& [known, quantity] : kQuantities)
    if (unit == known) return quantity;
  return "value";
}

/// A meaning up to its first comma or similar: a label.
std::string label_of(const Channel& channel) {
  return channel.meaning.empty() ? channel.name : channel.meaning.substr(0, channel.meaning.find_first_of(",;("));
}

// ---------------------------------------------------------------- runs

struct Run {
  std::string label;
  Recording recording;
  std::size_t first = 0, last = 0;  // rows from `first` to before `last`
};

std::string short_name(const std::string& path) {
  std::filesystem::path p = std::filesystem::path(path).lexically_normal();
  if (!p.has_filename()) p = p.parent_path();
  if (p.extension() == ".csv" || p.extension() == ".h5") p = p.has_parent_path() ? p.parent_path() : p.stem();
  std::string name = p.filename().string();
  constexpr const char* kOrdinary = "_results";
  if (name.ends_with(kOrdinary)) name.resize(name.size() - std::string(kOrdinary).size());
  return name;
}

double time_of(const std::string& option, const std::string& text, double otherwise) {
  if (text.empty()) return otherwise;
  const QuantityText read = read_quantity(text);
  if (!read.quantity) refuse(option, read.problem, "a time, such as 1.5 or 500 ms", read.hint);
  if (read.quantity->has_unit && !fits(read.quantity->dimension, kTime))
    refuse(option, "`" + text + "` is not a time", "one such as 500 ms");
  return read.quantity->value;
}

/// Reports channels missing in a file, unless patterns match.
void check_channels(const StoredResults& stored, const std::vector<std::string>& patterns) {
  std::vector<std::string> names;
  for (const Channel& c : stored.channels) names.push_back(c.name);
  for (const std::string& pattern : patterns) {
    if (std::any_of(names.begin(), names.end(), [&](const std::string& n) { return matches_pattern(pattern, n); })) continue;
    const std::string near = nearest_name(pattern, names);
    refuse(stored.file, "there is no channel `" + pattern + "`",
           "a name such as `" + names[std::min<std::size_t>(1, names.size() - 1)] + "`, or a pattern such as `*.pressure`",
           near.empty() ? "" : "did you mean `" + near + "`?");
  }
}

std::vector<Run> read_runs(const ChannelPlotRequest& request, std::vector<std::string>& notes) {
  std::vector<std::string> patterns = request.channels;
  if (!request.against.empty()) patterns.push_back(request.against);
  const double infinity = std::numeric_limits<double>::infinity();
  const double from = time_of("--from", request.from, -infinity), to = time_of("--to", request.to, infinity);
  if (from > to) refuse("--from", "found `" + request.from + "`, after --to `" + request.to + "`", "a time below that of --to");
  std::vector<Run> runs;
  std::set<std::string> labels;
  for (const std::string& path : request.runs) {
    const StoredResults stored = find_results(path);
    check_channels(stored, patterns);
    Run run{short_name(path), stored.read(patterns)};
    if (!labels.insert(run.label).second) run.label = path;
    const std::vector<double>& time = run.recording.columns.front();
    constexpr double kSameMultiple = 1e-9;  // of k times the step
    const auto earlier = [](double a, double b) { return a < b - kSameMultiple * std::abs(b); };
    run.first = static_cast<std::size_t>(std::lower_bound(time.begin(), time.end(), from, earlier) - time.begin());
    run.last = static_cast<std::size_t>(std::upper_bound(time.begin(), time.end(), to, earlier) - time.begin());
    if (run.first >= run.last && !time.empty())
      refuse(stored.file,
             "there is no record from " + (request.from.empty() ? "the start" : request.from) + " to " +
                 (request.to.empty() ? "the end" : request.to),
             fmt::format("times within {:g} s and {:g} s", time.front(), time.back()));
    if (stored.unfinished)
      notes.push_back(fmt::format("{}: the run continues, or its program was killed; it has records up to {:g} s", stored.file,
                                  time.empty() ? 0 : time.back()));
    runs.push_back(std::move(run));
  }
  return runs;
}

/// Channels of all runs that a pattern matches, each once.
void add_matching(const std::vector<Run>& runs, const std::string& pattern, std::vector<Channel>& chosen) {
  for (const Run& run : runs)
    for (const Channel& c : run.recording.channels) {
      const bool there = std::any_of(chosen.begin(), chosen.end(), [&](const Channel& k) { return k.name == c.name; });
      if (!there && matches_pattern(pattern, c.name) && (c.name != "time" || pattern == "time")) chosen.push_back(c);
    }
}

std::vector<double> values_of(const Run& run, int channel, double factor) {
  const std::vector<double>& column = run.recording.columns[static_cast<std::size_t>(channel)];
  std::vector<double> values(column.begin() + static_cast<std::ptrdiff_t>(run.first),
                             column.begin() + static_cast<std::ptrdiff_t>(run.last));
  for (double& v : values) v /= factor;
  return values;
}

/// Whether a label and its unit fit on the axis of a panel of this size [mm].
bool fits_beside(const std::string& label, double size) {
  constexpr double kLetter = 1.8, kMargins = 18;  // [mm] approximate width of a letter; panel length minus axis length
  constexpr std::size_t kUnit = 6;
  return static_cast<double>(label.size() + kUnit) * kLetter <= size - kMargins;
}

/// Name and meaning of a channel for its axis label; the name alone if both are too long.
std::string fitting(const std::string& name, const std::string& meaning, double size) {
  const std::string whole = name + ": " + meaning;
  return fits_beside(whole, size) ? whole : name;
}

/// Colours distinguish channels and dashes runs, where there are several of both. More curves than styles: a colour scale from dark to
/// light.
void choose_looks(PlotPanel& panel, const std::vector<std::size_t>& channel, const std::vector<std::size_t>& run, bool several_of_both) {
  constexpr std::size_t kStyles = 8;
  const std::size_t n = panel.curves.size();
  for (std::size_t k = 0; k < n; ++k) {
    PlotCurve& curve = panel.curves[k];
    curve.style = static_cast<int>(several_of_both ? channel[k] : k);
    if (several_of_both) curve.dash = static_cast<int>(run[k]);
    if (n <= kStyles || several_of_both) continue;
    curve.shade = static_cast<double>(k) / static_cast<double>(n - 1);
    curve.dashed = false;
  }
}

PlotPanel panel_of(const std::vector<Channel>& channels, const std::vector<Run>& runs, const Channel& along, const DrawnUnit& x,
                   const DrawnUnit& y, double width, double height) {
  PlotPanel panel;
  panel.x = {along.name, x.unit, false, {}, {}};
  if (along.name != "time" && !along.meaning.empty()) panel.x.label = fitting(along.name, label_of(along), width);
  std::set<std::string> meanings;
  for (const Channel& c : channels) meanings.insert(label_of(c));
  panel.y = {meanings.size() == 1 ? *meanings.begin() : quantity_of(channels.front().unit), y.unit, false, {}, {}};
  if (channels.size() > 1 && !fits_beside(panel.y.label, height)) panel.y.label = quantity_of(channels.front().unit);
  if (channels.size() == 1 && !channels[0].meaning.empty()) panel.y.label = fitting(channels[0].name, panel.y.label, height);
  std::vector<std::size_t> of_channel, of_run;
  for (std::size_t c = 0; c < channels.size(); ++c)
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const int column = runs[r].recording.find(channels[c].name), along_x = runs[r].recording.find(along.name);
      if (column < 0 || along_x < 0) continue;  // a pattern that matches in another run
      PlotCurve curve;
      curve.x = values_of(runs[r], along_x, x.factor);
      curve.y = values_of(runs[r], column, y.factor);
      if (channels.size() > 1 || runs.size() > 1)  // otherwise the axis label names it
        curve.label = runs.size() == 1 ? channels[c].name : channels.size() == 1 ? runs[r].label : channels[c].name + ", " + runs[r].label;
      panel.curves.push_back(std::move(curve));
      of_channel.push_back(c), of_run.push_back(r);
    }
  choose_looks(panel, of_channel, of_run, channels.size() > 1 && runs.size() > 1);
  if (along.name == "time" && !panel.curves.empty()) {  // no empty margin at the curves
    panel.x.min = std::numeric_limits<double>::infinity(), panel.x.max = -std::numeric_limits<double>::infinity();
    for (const PlotCurve& curve : panel.curves)
      if (!curve.x.empty()) panel.x.min = std::min(*panel.x.min, curve.x.front()), panel.x.max = std::max(*panel.x.max, curve.x.back());
    if (!(*panel.x.min < *panel.x.max)) panel.x.min.reset(), panel.x.max.reset();
  }
  return panel;
}

/// Makes axes logarithmic: points that are not positive on one become gaps, and a note has their number. Refuses panels without points.
void make_logarithmic(Plot& plot, const ChannelPlotRequest& request) {
  for (PlotPanel& panel : plot.panels) {
    panel.x.logarithmic = request.log_x, panel.y.logarithmic = request.log_y;
    if (request.log_x && panel.x.min && !(*panel.x.min > 0)) panel.x.min.reset();
    std::size_t drawn = 0;
    for (PlotCurve& curve : panel.curves) {
      std::size_t left_out = 0;
      for (std::size_t i = 0; i < curve.x.size(); ++i) {
        if ((request.log_x && curve.x[i] <= 0) || (request.log_y && curve.y[i] <= 0)) curve.x[i] = curve.y[i] = std::nan(""), ++left_out;
        if (std::isfinite(curve.x[i]) && std::isfinite(curve.y[i])) ++drawn;
      }
      const std::string& name = curve.label.empty() ? panel.y.label : curve.label;
      if (left_out > 0)
        plot.notes.push_back(fmt::format("{}: {} of {} points are not positive and left out", name, left_out, curve.x.size()));
    }
    if (drawn == 0) refuse("--log", fmt::format("{}: no point is positive", panel.y.label), "positive values on a logarithmic axis");
  }
}

}  // namespace

Plot channel_plot(const ChannelPlotRequest& request) {
  if (request.runs.empty()) refuse("plot", "no run is given", "the folder of a run");
  if (request.channels.empty()) refuse("plot", "no channel is given", "a name such as `lift.length`, or a pattern such as `*.pressure`");
  Plot plot;
  const std::vector<Run> runs = read_runs(request, plot.notes);
  Units units(request.units);
  const std::string along = request.against.empty() ? "time" : request.against;
  std::vector<Channel> x, chosen;
  add_matching(runs, along, x);
  if (x.size() != 1) refuse("--against", "`" + along + "` matches several channels", "one channel");
  for (const std::string& pattern : request.channels) add_matching(runs, pattern, chosen);
  if (chosen.empty()) refuse("plot", "nothing to plot", "channels other than `time`");
  const DrawnUnit x_unit = units.of(x[0].unit);
  plot.title = request.title;
  constexpr double kMillimetre = 96 / 25.4;  // [px]
  plot.panel_width = kMillimetre * request.width, plot.panel_height = kMillimetre * request.height;
  plot.resolution = 2;
  while (!chosen.empty()) {
    const DrawnUnit y_unit = units.of(chosen.front().unit);
    const auto rest =
        std::stable_partition(chosen.begin(), chosen.end(), [&](const Channel& c) { return units.of(c.unit).unit == y_unit.unit; });
    plot.panels.push_back(panel_of({chosen.begin(), rest}, runs, x[0], x_unit, y_unit, request.width, request.height));
    chosen.erase(chosen.begin(), rest);
  }
  if (request.log_x || request.log_y) make_logarithmic(plot, request);
  for (std::size_t k = 0; k + 1 < plot.panels.size(); ++k) plot.panels[k].x.label = plot.panels[k].x.unit = "";  // lowest only
  units.refuse_unused();
  return plot;
}

}  // namespace trunnion
