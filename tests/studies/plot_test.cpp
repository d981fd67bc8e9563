// Plots. Reference: gnuplot's rules for texts, the given data, and gnuplot's output if it is installed.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/plot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/diagnostic.h"
#include "support/temporary_folder.h"

namespace trunnion {
namespace {

namespace fs = std::filesystem;
using test::text_of;

bool has_gnuplot() { return std::system("command -v gnuplot > /dev/null 2>&1") == 0; }

Plot parabola(const std::string& label, const std::string& title = "") {
  Plot plot;
  plot.title = title;
  PlotPanel panel;
  panel.x = {"time", "s", false, {}, {}};
  panel.y = {"height", "m", false, {}, {}};
  PlotCurve curve;
  curve.label = label;
  for (int i = 0; i <= 10; ++i) {
    curve.x.push_back(i);
    curve.y.push_back(i * i);
  }
  panel.curves = {curve};
  plot.panels = {panel};
  return plot;
}

/// Points of the first data block of a script.
std::vector<std::pair<double, double>> points_in(const std::string& script) {
  std::istringstream lines(script.substr(script.find("$curve_0 << END_OF_DATA\n")));
  std::string line;
  std::getline(lines, line);
  std::vector<std::pair<double, double>> points;
  while (std::getline(lines, line) && line != "END_OF_DATA") {
    std::istringstream numbers(line);
    std::string x, y;
    numbers >> x >> y;
    points.emplace_back(std::stod(x), std::stod(y));
  }
  return points;
}

using PlotFiles = test::InFolder;

TEST(Plot, TextsAreLiteral) {
  const std::string label = "it's `date` \"$HOME\" @x\nset output 'other'";
  const std::string script = plot_script(parabola(label, label), "a.svg");
  // one line, quotes doubled: no part of it can become a command
  EXPECT_NE(script.find("title 'it''s `date` \"$HOME\" @x set output ''other'''"), std::string::npos) << script;
  EXPECT_EQ(script.find("\nset output 'other'"), std::string::npos);
}

TEST(Plot, AxesHaveTheirUnitsScalesAndRanges) {
  Plot plot = parabola("");
  plot.panels[0].x = {"frequency", "Hz", true, 0.5, 20};
  plot.panels[0].y = {"ratio", "", false, {}, 3};
  const std::string script = plot_script(plot, "a.svg");
  for (const char* line : {"set xlabel 'frequency [Hz]' noenhanced\n", "set logscale x\n", "set xrange [0.5:20]\n",
                           "set ylabel 'ratio' noenhanced\n", "unset logscale y\n", "set yrange [*:3]\n", "unset key\n"})
    EXPECT_NE(script.find(line), std::string::npos) << line << script;
}

TEST(Plot, ARangeWithoutExtentIsFittedToTheData) {
  Plot plot = parabola("");
  plot.panels[0].x.min = plot.panels[0].x.max = 3;
  EXPECT_NE(plot_script(plot, "a.svg").find("set xrange [*:*]\n"), std::string::npos);
}

TEST(Plot, CurvesOfOneStyleLookAlikeAndNeighboursDiffer) {
  Plot plot = parabola("a");
  plot.panels[0].curves.push_back(plot.panels[0].curves[0]);
  plot.panels.push_back(plot.panels[0]);
  plot.panels[1].curves[0].style = 1;
  const std::string script = plot_script(plot, "a.svg");
  const auto look = [&](int curve) {
    const std::size_t at = script.find(" lc ", script.find("$curve_" + std::to_string(curve) + " using"));
    return script.substr(at, script.find(" title", at) - at);
  };
  EXPECT_NE(look(0), look(1));
  EXPECT_EQ(look(1), look(2));
}

TEST(Plot, FamiliesGrowLighter) {
  Plot plot = parabola("a");
  plot.panels[0].curves.assign(4, plot.panels[0].curves[0]);
  for (int i = 0; i < 3; ++i) {
    plot.panels[0].curves[static_cast<std::size_t>(i)].shade = 0.5 * i;
    plot.panels[0].curves[static_cast<std::size_t>(i)].dashed = false;
  }
  const std::string script = plot_script(plot, "a.svg");
  double last = 0;
  for (int i = 0; i < 3; ++i) {
    const std::size_t at = script.find(" lc rgb '#", script.find("$curve_" + std::to_string(i) + " using")) + 10;
    const auto part = [&](std::size_t k) { return std::stoi(script.substr(at + 2 * k, 2), nullptr, 16); };
    const double lightness = 0.2126 * part(0) + 0.7152 * part(1) + 0.0722 * part(2);
    EXPECT_GT(lightness, last + 20);
    last = lightness;
    EXPECT_EQ(script.substr(at + 6, 10), "' dt solid");
  }
  EXPECT_NE(script.find(" dt (", script.find("$curve_3 using")), std::string::npos);
}

TEST(Plot, LongCurvesKeepTheirExtremesAndEnds) {
  Plot plot = parabola("a");
  PlotCurve& curve = plot.panels[0].curves[0];
  curve.x.clear();
  curve.y.clear();
  constexpr int kPoints = 123457;
  for (int i = 0; i < kPoints; ++i) {
    curve.x.push_back(i);
    curve.y.push_back(i == 70001 ? 5 : i == 100003 ? -7 : std::sin(0.01 * i));
  }
  const auto points = points_in(plot_script(plot, "a.svg"));
  EXPECT_LE(points.size(), 5000U);
  EXPECT_TRUE(std::is_sorted(points.begin(), points.end()));
  const auto has = [&](double x, double y) { return std::find(points.begin(), points.end(), std::pair(x, y)) != points.end(); };
  EXPECT_TRUE(has(70001, 5));
  EXPECT_TRUE(has(100003, -7));
  EXPECT_EQ(points.front().first, 0);
  EXPECT_EQ(points.back().first, kPoints - 1);
  // short curves are unchanged
  EXPECT_EQ(points_in(plot_script(parabola("a"), "a.svg")).size(), 11U);
}

TEST(Plot, DataAreWrittenAsTheyAre) {
  Plot plot = parabola("a, b");
  plot.panels[0].curves[0].x = {0.1, 2};
  plot.panels[0].curves[0].y = {1.0 / 3, std::nan("")};
  EXPECT_EQ(plot_csv(plot), "panel,curve,x,y\nheight,\"a, b\",0.1,0.3333333333333333\nheight,\"a, b\",2,nan\n");
}

TEST(Plot, OtherFormatsAreRefused) {
  EXPECT_THROW((void)plot_script(parabola("a"), "a.gif"), Error);
  EXPECT_THROW((void)draw(parabola("a"), ::testing::TempDir() + "a"), Error);
}

/// Friction loops over a slow stroke: every point must be close to the drawn curve, including omitted ones.
TEST(Plot, LongCurvesOfAnyShapeKeepTheirShape) {
  Plot plot = parabola("a");
  PlotCurve& curve = plot.panels[0].curves[0];
  curve.x.clear(), curve.y.clear();
  constexpr int kPoints = 40000;
  for (int i = 0; i < kPoints; ++i) {
    const double t = 40.0 * i / kPoints, v = std::cos(7 * t);
    curve.x.push_back(std::sin(7 * t) + 0.01 * t);
    curve.y.push_back(417 * std::tanh(50 * v) * (1 + 0.3 * std::exp(-100 * v * v)));
  }
  const auto drawn = points_in(plot_script(plot, "a.svg"));
  EXPECT_LT(drawn.size(), curve.x.size() / 3);
  const double width = *std::max_element(curve.x.begin(), curve.x.end()) - *std::min_element(curve.x.begin(), curve.x.end());
  const double height = *std::max_element(curve.y.begin(), curve.y.end()) - *std::min_element(curve.y.begin(), curve.y.end());
  const auto distance = [&](double x, double y, const auto& a, const auto& b) {  // distance from a segment, relative to the ranges
    const double bx = (b.first - a.first) / width, by = (b.second - a.second) / height;
    const double px = (x - a.first) / width, py = (y - a.second) / height, square = bx * bx + by * by;
    const double along = square > 0 ? std::clamp((px * bx + py * by) / square, 0.0, 1.0) : 0;
    return std::hypot(px - along * bx, py - along * by);
  };
  double worst = 0;
  std::size_t piece = 0;  // both follow the curve in order
  for (int i = 0; i < kPoints; ++i) {
    double nearest = HUGE_VAL;
    for (std::size_t k = piece; k < std::min(piece + 50, drawn.size() - 1); ++k)
      if (const double d = distance(curve.x[i], curve.y[i], drawn[k], drawn[k + 1]); d < nearest) nearest = d;
    worst = std::max(worst, nearest);
    while (piece + 2 < drawn.size() && std::abs(drawn[piece + 1].first - curve.x[i]) < 1e-8 * width &&
           std::abs(drawn[piece + 1].second - curve.y[i]) < 1e-8 * height)
      ++piece;
  }
  EXPECT_LT(worst, 6e-4);
}

TEST_F(PlotFiles, PicturesAreDrawnAndNothingElseIsLeft) {
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  Plot plot = parabola("less < than & it's", "title");
  plot.panels.push_back(plot.panels[0]);
  plot.panels[1].curves[0].y.assign(11, std::nan(""));  // nothing to draw
  plot.panels[1].y.logarithmic = true;
  plot.columns = 2;
  EXPECT_EQ(draw(plot, path("a b.svg")), "");
  const std::string svg = text_of(path("a b.svg"));
  EXPECT_NE(svg.find("</svg>"), std::string::npos);
  EXPECT_NE(svg.find("less &lt; than &amp; it"), std::string::npos) << svg.substr(0, 3000);
  EXPECT_NE(svg.find("no data"), std::string::npos);
  EXPECT_NE(svg.find("height [m]"), std::string::npos);
  EXPECT_EQ(draw(plot, path("b.png")), "");
  EXPECT_EQ(text_of(path("b.png")).substr(1, 3), "PNG");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 2);
}

TEST_F(PlotFiles, WithoutGnuplotTheScriptIsLeft) {
  const char* path_before = std::getenv("PATH");
  const std::string before = path_before == nullptr ? "" : path_before;
  setenv("PATH", path("nowhere").c_str(), 1);
  const std::string reason = draw(parabola("a"), path("a.svg"));
  setenv("PATH", before.c_str(), 1);
  EXPECT_NE(reason.find("gnuplot is not installed"), std::string::npos) << reason;
  EXPECT_NE(reason.find(path("a.gp")), std::string::npos) << reason;
  EXPECT_FALSE(fs::exists(path("a.svg")));
  EXPECT_EQ(text_of(path("a.gp")), plot_script(parabola("a"), "a.svg"));
  if (!has_gnuplot()) return;
  // and draws the plot if gnuplot is installed
  EXPECT_EQ(std::system(("cd '" + folder_.string() + "' && gnuplot a.gp").c_str()), 0);
  EXPECT_NE(text_of(path("a.svg")).find("</svg>"), std::string::npos);
}

TEST_F(PlotFiles, NamesAreNoCommands) {
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  for (const char* name : {"|touch x.svg", "< touch x.svg", "-e.svg", "$(touch x).svg", "`touch x`.svg", "a'b.svg"}) {
    EXPECT_EQ(draw(parabola("a"), name), "") << name;
    EXPECT_TRUE(fs::exists(fs::path(name))) << name;
    fs::remove(fs::path(name));
  }
  EXPECT_NE(draw(parabola("a"), "a\n.svg"), "");
  fs::current_path(before);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(PlotFiles, FilesOfOthersStay) {
  std::ofstream(path("a.gp")) << "my script\n";
  std::ofstream(path("elsewhere")) << "mine";
  fs::create_symlink(path("elsewhere"), path("a.svg.part"));
  const std::string reason = draw(parabola("a"), path("a.svg"));
  EXPECT_EQ(reason.empty(), has_gnuplot());
  EXPECT_EQ(text_of(path("a.gp")), "my script\n");
  EXPECT_EQ(text_of(path("elsewhere")), "mine");
  // nor an older plot where no new one could be drawn
  std::ofstream(path("b.svg")) << "older";
  const char* path_before = std::getenv("PATH");
  const std::string before = path_before == nullptr ? "" : path_before;
  setenv("PATH", path("nowhere").c_str(), 1);
  const std::string missing = draw(parabola("b"), path("b.svg"));
  setenv("PATH", before.c_str(), 1);
  EXPECT_NE(missing.find("b.svg is an earlier one"), std::string::npos) << missing;
  EXPECT_EQ(text_of(path("b.svg")), "older");
}

}  // namespace
}  // namespace trunnion
