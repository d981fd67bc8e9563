// Plots as gnuplot scripts and pictures.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <numbers>
#include <numeric>
#include <string_view>

#include "base/diagnostic.h"
#include "base/text.h"
#include "external/process.h"
#include "file/input.h"
#include "results/files.h"
#include "studies/table.h"

namespace trunnion {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Style {
  const char* colour;
  const char* dash;
  int mark;  // point types of gnuplot's terminals svg, pngcairo and pdfcairo
};
constexpr std::array<Style, 8> kStyles{{
    {"#000000", "solid", 6},
    {"#D55E00", "(10,4)", 8},
    {"#0072B2", "(10,3,2,3)", 4},
    {"#009E73", "(3,3)", 12},
    {"#CC79A7", "(14,3,2,3,2,3)", 10},
    {"#E69F00", "(6,6)", 7},
    {"#56B4E9", "(12,3,6,3)", 9},
    {"#666666", "(2,5)", 5},
}};

/// Viridis at equal distances, without its lightest end.
constexpr std::array<std::array<double, 3>, 5> kScale{{{68, 1, 84}, {62, 74, 137}, {38, 130, 142}, {53, 183, 121}, {180, 210, 40}}};

constexpr std::size_t kStretches = 1000;    // of a thinned curve: more than the pixel columns of a picture
constexpr double kCurveDeviation = 2.5e-4;  // of a channel's range: maximum deviation of a thinned curve from its points
constexpr double kLegendRow = 22;           // [px]
constexpr double kTitleRow = 26;            // [px]
constexpr double kLetter = 7.5;             // [px] approximate width of a letter
constexpr double kSample = 70;              // [px] before a label in the legend

/// In single quotes gnuplot interprets no escapes, substitutes nothing, and a doubled quote is one quote.
std::string literal(const std::string& text) {
  std::string out = "'";
  for (char c : text) {
    if (c == '\'') out += '\'';
    out += static_cast<unsigned char>(c) < ' ' || c == 127 ? ' ' : c;
  }
  return out + "'";
}

/// Colour of the scale at 0 to 1.
std::string colour_at(double shade) {
  const double at = std::clamp(shade, 0.0, 1.0) * static_cast<double>(kScale.size() - 1);
  const std::size_t i = std::min(static_cast<std::size_t>(at), kScale.size() - 2);
  std::string colour = "#";
  for (std::size_t k = 0; k < 3; ++k)
    colour += fmt::format("{:02X}", std::lround(std::lerp(kScale[i][k], kScale[i + 1][k], at - static_cast<double>(i))));
  return colour;
}

std::string axis_label(const PlotAxis& axis) { return axis.unit.empty() ? axis.label : axis.label + " [" + axis.unit + "]"; }

std::string panel_name(const PlotPanel& panel) { return panel.title.empty() ? panel.y.label : panel.title; }

/// First, minimum, maximum and last point of each segment of a long curve over time, in order.
std::vector<std::size_t> extremes_of_stretches(const PlotCurve& curve) {
  const std::size_t n = curve.x.size();
  std::vector<std::size_t> shown;
  for (std::size_t k = 0; k < kStretches; ++k) {
    const std::size_t begin = k * n / kStretches, end = (k + 1) * n / kStretches;
    std::size_t low = begin, high = begin, gap = n;
    for (std::size_t i = begin; i < end; ++i) {
      if (!std::isfinite(curve.y[i])) gap = i;
      if (curve.y[i] < curve.y[low]) low = i;
      if (curve.y[i] > curve.y[high]) high = i;
    }
    std::array<std::size_t, 5> points{begin, low, high, gap < n ? gap : begin, end - 1};
    std::sort(points.begin(), points.end());
    shown.insert(shown.end(), points.begin(), std::unique(points.begin(), points.end()));
  }
  return shown;
}

/// A channel as fractions of its range, on the scale of its axis; not finite where it cannot be drawn.
std::vector<double> shares_of_range(const std::vector<double>& values, bool logarithmic) {
  std::vector<double> shares(values.size());
  double low = kInfinity, high = -kInfinity;
  for (std::size_t i = 0; i < values.size(); ++i) {
    shares[i] = !logarithmic ? values[i] : values[i] > 0 ? std::log(values[i]) : std::nan("");
    if (!std::isfinite(shares[i])) continue;
    low = std::min(low, shares[i]);
    high = std::max(high, shares[i]);
  }
  for (double& share : shares) share = high > low ? (share - low) / (high - low) : 0 * share;
  return shares;
}

/// Points of a curve of any shape such that the lines between them stay within kCurveDeviation of all others (sleeve fitting): points
/// near the line to a later one are omitted as long as the curve does not turn back. Source: Zhao, Saalfeld 1997, Linear-time
/// sleeve-fitting polyline simplification algorithms.
std::vector<std::size_t> within_sleeve(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<std::size_t> shown;
  const std::size_t n = x.size();
  std::size_t i = 0;
  while (i < n) {
    shown.push_back(i);
    if (!std::isfinite(x[i]) || !std::isfinite(y[i])) {
      ++i;
      continue;
    }
    const std::size_t anchor = i;
    std::size_t last = anchor, farthest = anchor;
    double reach = 0, middle = 0, left = kInfinity, right = -kInfinity;  // [rad] the directions allowed, from `middle`
    for (std::size_t k = anchor + 1; k < n && std::isfinite(x[k]) && std::isfinite(y[k]); last = k++) {
      const double dx = x[k] - x[anchor], dy = y[k] - y[anchor], distance = std::hypot(dx, dy);
      if (distance < reach - kCurveDeviation) {  // it turns back
        last = farthest;
        break;
      }
      if (distance > reach) reach = distance, farthest = k;
      if (distance <= kCurveDeviation) continue;
      const double direction = std::atan2(dy, dx);
      if (left == kInfinity) middle = direction;
      const double angle = std::remainder(direction - middle, 2 * std::numbers::pi), half = std::asin(kCurveDeviation / distance);
      if (angle > left || angle < right) break;
      left = std::min(left, angle + half);
      right = std::max(right, angle - half);
    }
    i = last > anchor ? last : anchor + 1;
    if (last == n - 1 && last > anchor) break;
  }
  if (n > 0 && shown.back() != n - 1) shown.push_back(n - 1);
  return shown;
}

/// All points of a short curve; of a long one a sufficient subset.
std::vector<std::size_t> shown_points(const PlotPanel& panel, const PlotCurve& curve) {
  const std::size_t n = curve.x.size();
  if (n <= 4 * kStretches) {
    std::vector<std::size_t> all(n);
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }
  if (std::is_sorted(curve.x.begin(), curve.x.end())) return extremes_of_stretches(curve);
  return within_sleeve(shares_of_range(curve.x, panel.x.logarithmic), shares_of_range(curve.y, panel.y.logarithmic));
}

void append_data(std::string& text, const PlotPanel& panel, const PlotCurve& curve, std::size_t number) {
  text += fmt::format("$curve_{} << END_OF_DATA\n", number);
  for (std::size_t i : shown_points(panel, curve)) {
    const bool shown = std::isfinite(curve.x[i]) && std::isfinite(curve.y[i]);
    text += shown ? fmt::format("{:.9g} {:.9g}\n", curve.x[i], curve.y[i]) : "NaN NaN\n";
  }
  text += "END_OF_DATA\n";
}

void append_axis(std::string& text, const char* name, const PlotAxis& axis) {
  const auto bound = [](const std::optional<double>& value) { return value ? fmt::format("{:.9g}", *value) : std::string("*"); };
  text += fmt::format("set {}label {} noenhanced\n", name, literal(axis_label(axis)));
  text += axis.logarithmic ? fmt::format("set logscale {}\n", name) : fmt::format("unset logscale {}\n", name);
  text += fmt::format("set format {} '{}'\n", name, axis.logarithmic ? "%h" : "%g");
  const bool empty = axis.min && axis.max && !(*axis.min < *axis.max);  // gnuplot draws nothing then
  text += fmt::format("set {}range [{}:{}]\n", name, empty ? "*" : bound(axis.min), empty ? "*" : bound(axis.max));
}

/// A logarithmic axis over a few decades gets labels at 1, 2 and 5 of each; gnuplot's own are at powers of ten.
std::string tics(const char* name, const PlotAxis& axis, double low, double high) {
  constexpr double kFewDecades = 300;
  low = axis.min.value_or(low);
  high = axis.max.value_or(high);
  if (!axis.logarithmic || !(low > 0) || !(high > low) || high / low > kFewDecades) return fmt::format("set {}tics autofreq\n", name);
  std::string list;
  for (double decade = std::pow(10, std::floor(std::log10(low))); decade <= high; decade *= 10)
    for (const double x : {decade, 2 * decade, 5 * decade}) list += fmt::format("{}{:.9g}", list.empty() ? "" : ", ", x);
  return fmt::format("set {}tics ({})\n", name, list);
}

/// Whether any point can be drawn on these axes; gnuplot rejects axes without points.
bool has_points(const PlotPanel& panel, const PlotCurve& curve) {
  for (std::size_t i = 0; i < curve.x.size(); ++i)
    if (std::isfinite(curve.x[i]) && std::isfinite(curve.y[i]) && (!panel.x.logarithmic || curve.x[i] > 0) &&
        (!panel.y.logarithmic || curve.y[i] > 0))
      return true;
  return false;
}

/// Columns and rows of the legend.
struct Legend {
  int columns = 1, rows = 0;
  std::size_t longest = 0;  // letters of the longest label
};

Legend legend_of(const Plot& plot, const PlotPanel& panel) {
  Legend legend;
  int labels = 0;
  for (const PlotCurve& curve : panel.curves) {
    legend.longest = std::max(legend.longest, curve.label.size());
    if (!curve.label.empty()) ++labels;
  }
  const double width = kSample + kLetter * static_cast<double>(legend.longest);
  legend.columns = std::clamp(static_cast<int>(plot.panel_width / width), 1, std::max(labels, 1));
  legend.rows = (labels + legend.columns - 1) / legend.columns;
  return legend;
}

double legend_height(const Plot& plot) {
  int rows = 0;
  for (const PlotPanel& panel : plot.panels) rows = std::max(rows, legend_of(plot, panel).rows);
  return kLegendRow * rows;
}

void append_panel(std::string& text, const Plot& plot, const PlotPanel& panel, std::size_t& number) {
  text += "set title " + literal(panel.title) + " noenhanced\n";
  append_axis(text, "x", panel.x);
  append_axis(text, "y", panel.y);
  double low_x = kInfinity, high_x = 0, low_y = kInfinity, high_y = 0;  // of the positive values
  for (const PlotCurve& curve : panel.curves)
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      if (!std::isfinite(curve.x[i]) || !std::isfinite(curve.y[i])) continue;
      if (curve.x[i] > 0) low_x = std::min(low_x, curve.x[i]);
      if (curve.y[i] > 0) low_y = std::min(low_y, curve.y[i]);
      high_x = std::max(high_x, curve.x[i]);
      high_y = std::max(high_y, curve.y[i]);
    }
  text += tics("x", panel.x, low_x, high_x) + tics("y", panel.y, low_y, high_y);
  const Legend legend = legend_of(plot, panel);
  // gnuplot overestimates the width of letters: `width` compensates for the columns that it would drop
  text += legend.rows > 0
              ? fmt::format(
                    "set key outside below center horizontal Left reverse noenhanced samplen 3.5 spacing 1.1 width {} maxcols {} "
                    "height 0.4\n",
                    -static_cast<int>(legend.longest / 5), legend.columns)
              : std::string("unset key\n");
  std::string curves;
  for (std::size_t k = 0; k < panel.curves.size(); ++k) {
    const PlotCurve& curve = panel.curves[k];
    const std::size_t own = number++;
    if (!has_points(panel, curve)) continue;
    const auto style_of = [&](int number_of, std::size_t other) -> const Style& {
      return kStyles[(number_of >= 0 ? static_cast<std::size_t>(number_of) : other) % kStyles.size()];
    };
    const Style& style = style_of(curve.style, k);
    const char* const dash = style_of(curve.dash >= 0 ? curve.dash : curve.style, k).dash;
    const std::string colour = curve.shade ? colour_at(*curve.shade) : style.colour;
    curves += curves.empty() ? "plot " : ", \\\n     ";
    curves += fmt::format("$curve_{} using 1:2 ", own);
    if (curve.look == CurveLook::points)
      curves += fmt::format("with points pt {} ps 0.7 lc rgb '{}' ", style.mark, colour);
    else
      curves += fmt::format("with {} lw 1.8 lc rgb '{}' dt {} ", curve.look == CurveLook::line ? "lines" : "linespoints", colour,
                            curve.dashed ? dash : "solid");
    if (curve.look == CurveLook::line_and_points) curves += fmt::format("pt {} ps 0.6 ", style.mark);
    curves += curve.label.empty() ? "notitle" : "title " + literal(curve.label);
  }
  if (curves.empty()) {  // empty axes with a note
    const double x = panel.x.logarithmic ? 1 : 0, y = panel.y.logarithmic ? 1 : 0;
    text += fmt::format("set xrange [{}:{}]\nset yrange [{}:{}]\nset label 1 'no data' at graph 0.5,0.5 center\n", x, x + 10, y, y + 10);
    text += "plot NaN notitle\nunset label 1\n";
    return;
  }
  text += curves + "\n";
}

std::string terminal(const Plot& plot, const std::string& picture) {
  const auto columns = static_cast<std::size_t>(std::max(plot.columns, 1));
  const std::size_t full_rows = (std::max<std::size_t>(plot.panels.size(), 1) + columns - 1) / columns;
  const auto rows = static_cast<double>(full_rows);
  const double width = plot.panel_width * static_cast<double>(columns);
  const double height = rows * (plot.panel_height + legend_height(plot)) + (plot.title.empty() ? 0 : kTitleRow);
  const std::string ending = std::filesystem::path(picture).extension().string();
  if (ending == ".svg")
    return fmt::format("set terminal svg size {:.0f},{:.0f} dynamic font 'DejaVu Sans,13' background rgb 'white'\n", width, height);
  if (ending == ".png") {
    const double r = plot.resolution;
    return fmt::format(
        "set terminal pngcairo size {:.0f},{:.0f} font 'DejaVu Sans,10' fontscale {:g} linewidth {:g} pointscale {:g} "
        "dashlength {:g} background rgb 'white'\n",
        r * width, r * height, r, r, r, r);
  }
  constexpr double kInch = 96;  // [px]
  if (ending == ".pdf")
    return fmt::format("set terminal pdfcairo size {:.4g}in,{:.4g}in font 'DejaVu Sans,10' fontscale 1 background rgb 'white'\n",
                       width / kInch, height / kInch);
  throw Error(fmt::format("{}: a picture ends in .svg, .png or .pdf", picture));
}

std::string script_name(const std::string& picture) { return std::filesystem::path(picture).replace_extension(".gp").string(); }

constexpr std::string_view kScriptMark = "# gnuplot ", kScriptMarkEnd = " draws this picture.";  // the first line of its scripts

/// The file that gnuplot writes before it is renamed.
std::string part_of(const std::string& picture) { return picture + ".part"; }

}  // namespace

std::string plot_script(const Plot& plot, const std::string& picture) {
  const std::string name = std::filesystem::path(picture).filename().string();
  std::string text{kScriptMark};
  text += printable(std::filesystem::path(script_name(picture)).filename().string());
  text += kScriptMarkEnd;
  text += "\n";
  text += "picture = " + literal("./" + name) + "\nif (ARGC > 0) picture = ARG1\n";
  text += "set encoding utf8\n" + terminal(plot, picture) + "set output picture\n";
  text += "set datafile missing 'NaN'\nset border 3 lw 1 lc rgb '#444444'\nset tics nomirror out\nset grid lc rgb '#dddddd' lt 1 lw 0.7\n";
  std::size_t number = 0;
  for (const PlotPanel& panel : plot.panels)
    for (const PlotCurve& curve : panel.curves) append_data(text, panel, curve, number++);
  const int columns = std::max(plot.columns, 1);
  const int rows = (static_cast<int>(plot.panels.size()) + columns - 1) / columns;
  text += fmt::format("set multiplot layout {},{} rowsfirst title {} noenhanced\n", std::max(rows, 1), columns, literal(plot.title));
  if (columns == 1 && rows > 1) text += "set lmargin 14\n";  // axes below each other
  number = 0;
  for (const PlotPanel& panel : plot.panels) append_panel(text, plot, panel, number);
  return text + "unset multiplot\nunset output\n";
}

std::string plot_csv(const Plot& plot) {
  std::string text = "panel,curve,x,y\n";
  for (const PlotPanel& panel : plot.panels)
    for (const PlotCurve& curve : panel.curves)
      for (std::size_t i = 0; i < curve.x.size(); ++i) {
        text += quoted(panel_name(panel)) + "," + quoted(curve.label) + ",";
        append_number(text, curve.x[i]);
        append_number(text += ",", curve.y[i]);
        text += "\n";
      }
  return text;
}

namespace {

/// Whether `draw` may write its script there: no file, or an earlier script of its own.
bool is_free_for_script(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) return true;
  try {
    const std::string text = file_text(path, "script");
    return text.starts_with(kScriptMark) && text.substr(0, text.find('\n')).ends_with(kScriptMarkEnd);
  } catch (const InputError&) { return false; }
}

}  // namespace

std::string draw(const Plot& plot, const std::string& picture) {
  const std::filesystem::path path(picture);
  const std::string name = path.filename().string(), folder = path.has_parent_path() ? path.parent_path().string() : ".";
  if (printable(name) != name) return fmt::format("the name of the picture {} has a control character", printable(picture));
  // a script next to the picture, with an unused name
  std::string script = script_name(picture);
  if (!is_free_for_script(script)) script = picture + ".gp";
  if (!is_free_for_script(script)) return fmt::format("the script would overwrite the file {}", script);
  write_text(plot_script(plot, picture), script);
  const std::string drawn = part_of(picture);
  std::error_code ignored;
  std::filesystem::remove(drawn, ignored);  // a link would be followed
  // with ./ gnuplot takes no name as an option, a pipe or a command
  const ProcessResult spoken = run_process(folder, {"gnuplot", "-d", "-c", "./" + std::filesystem::path(script).filename().string(),
                                                    "./" + part_of(name)});  // -d: no user settings
  if (spoken.code == 0 && std::filesystem::file_size(drawn, ignored) > 0 && !ignored) {
    std::filesystem::rename(drawn, picture);
    std::filesystem::remove(script, ignored);
    return "";
  }
  std::filesystem::remove(drawn, ignored);
  const std::string before = std::filesystem::exists(picture, ignored) ? fmt::format("; {} is an earlier one", picture) : "";
  if (spoken.error == ENOENT)
    return fmt::format("gnuplot is not installed (Debian package gnuplot-nox); the script is {}{}", script, before);
  if (spoken.code < 0) return fmt::format("gnuplot cannot be started: {}; the script is {}{}", std::strerror(spoken.error), script, before);
  const std::string said = abridged(spoken.text.substr(0, spoken.text.find_last_not_of(" \n") + 1), 500);
  return fmt::format("gnuplot could not draw {} (exit code {}): {}; the script is {}{}", picture, spoken.code, said, script, before);
}

}  // namespace trunnion
