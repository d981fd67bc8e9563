// Curves over axes as pictures: a gnuplot script with its data inside, and SVG, PNG or PDF drawn from it by the program gnuplot.
// Colours are those of Okabe and Ito, which all kinds of colour vision tell apart; dashes and marks tell curves apart in print. Families of
// curves may have the scale viridis (van der Walt and Smith), which grows lighter for all kinds of colour vision.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace trunnion {

/// How a curve is drawn.
enum class CurveLook {
  line,
  points,
  line_and_points,
};

struct PlotCurve {
  std::string label;         // in the legend; empty: no entry
  std::vector<double> x, y;  // in the units of the axes, of equal length; points that are not finite leave a gap
  CurveLook look = CurveLook::line;
  int style = -1;      // colour, dash and mark: curves of one number look alike in all panels; -1: its place among the panel's curves
  bool dashed = true;  // as its style has it
  std::optional<double> shade{};  // 0 to 1, in families of curves: a colour of a scale from dark to light instead of its style's
  int dash = -1;                  // of the style with this number; -1: its own
};

struct PlotAxis {
  std::string label, unit;
  bool logarithmic = false;
  std::optional<double> min, max;  // unset: fitted to the data
};

/// One pair of axes.
struct PlotPanel {
  std::string title;
  PlotAxis x, y;
  std::vector<PlotCurve> curves;
};

struct Plot {
  std::string title;
  std::vector<PlotPanel> panels;  // row by row
  int columns = 1;
  double panel_width = 560, panel_height = 360;  // [px], 96 to the inch
  double resolution = 1;                         // of PNG pictures: their points per px
  std::vector<std::string> notes;                // what is to be said beside the picture
};

/// The picture as a gnuplot script that needs no other file: `gnuplot NAME.gp` draws `picture`, and `gnuplot -c NAME.gp FILE` draws FILE.
/// Texts are taken literally, whatever characters they hold. The ending of `picture`, .svg, .png or .pdf, chooses the format; Error for
/// others. Curves of very many points are thinned to what a picture can show: first, last, lowest and highest of each stretch.
std::string plot_script(const Plot& plot, const std::string& picture);

/// The data as they are, in long form: `panel,curve,x,y`.
std::string plot_csv(const Plot& plot);

/// Draws `picture` (`work_cycle.svg`) by the program gnuplot, found through PATH and started without a shell. Returns an empty text, or
/// why there is no picture; the script is then left beside it, ending in .gp. Throws Error where files cannot be written.
std::string draw(const Plot& plot, const std::string& picture);

}  // namespace trunnion
