// Plots: a gnuplot script with its data, and SVG, PNG or PDF drawn from it by gnuplot. The colours of Okabe and Ito suit all kinds of
// colour vision; dashes and marks distinguish curves in print. Families of curves may use the colour scale viridis (van der Walt and
// Smith), whose lightness increases for all kinds of colour vision.
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
  std::vector<double> x, y;  // in the units of the axes, of equal length; non-finite points leave a gap
  CurveLook look = CurveLook::line;
  int style = -1;      // colour, dash and mark: curves of one number look alike in all panels; -1: index among the panel's curves
  bool dashed = true;  // as defined by its style
  std::optional<double> shade{};  // 0 to 1, in families of curves: a colour of the scale from dark to light instead of its style's
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
  double panel_width = 560, panel_height = 360;  // [px], 96 per inch
  double resolution = 1;                         // of PNG pictures: pixels per px
  std::vector<std::string> notes;                // notes for the user about the picture
};

/// The picture as a self-contained gnuplot script: `gnuplot NAME.gp` draws `picture`, and `gnuplot -c NAME.gp FILE` draws FILE. Texts are
/// used literally. The extension of `picture`, .svg, .png or .pdf, selects the format; Error for others. Curves of very many points are
/// thinned: first, last, minimum and maximum of each segment.
std::string plot_script(const Plot& plot, const std::string& picture);

/// The unthinned data in long form: `panel,curve,x,y`.
std::string plot_csv(const Plot& plot);

/// Draws `picture` (`work_cycle.svg`) with gnuplot, found through PATH and started without a shell. Returns an empty text, or why the
/// picture is missing; the script is then kept next to it, ending in .gp. Throws Error if files cannot be written.
std::string draw(const Plot& plot, const std::string& picture);

}  // namespace trunnion
