// Plots of channels. Reference: the written numbers, the definitions of the units, and gnuplot's output if it is installed.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/channel_plot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "base/diagnostic.h"
#include "results/files.h"
#include "support/temporary_folder.h"

namespace trunnion {
namespace {

namespace fs = std::filesystem;

class ChannelPlot : public test::InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    for (const char* run : {"one", "two"}) {
      fs::create_directories(folder_ / run);
      const double factor = run == std::string("one") ? 1 : 2;
      Recording r;
      r.channels = {{"time", "s", "time"},
                    {"lift.length", "m", "distance between the mounts"},
                    {"a.pressure", "Pa", "absolute pressure"},
                    {"b.pressure", "Pa", "absolute pressure"},
                    {"arm.angle", "rad", "joint angle, not wrapped"},
                    {"e.violation", "m or 1", "largest error"}};
      r.columns.resize(6);
      for (int i = 0; i <= 10; ++i) {
        const double t = 0.1 * i;
        const double row[] = {t, factor * t, 1e5 * (1 + t), 2e5, factor * 3.141592653589793 / 180 * i, 0};
        for (std::size_t k = 0; k < 6; ++k) r.columns[k].push_back(row[k]);
      }
      if (factor > 1) r.channels[3].name = "c.pressure";  // a channel missing in the first
      write_hdf5(r, "trunnion: 1\n", (folder_ / run / "results.h5").string());
    }
  }
  ChannelPlotRequest request(std::vector<std::string> channels, std::vector<std::string> runs = {"one"}) const {
    ChannelPlotRequest r;
    for (const std::string& run : runs) r.runs.push_back(path(run));
    r.channels = std::move(channels);
    return r;
  }
  static std::string refusal(const ChannelPlotRequest& r) {
    try {
      (void)channel_plot(r);
    } catch (const InputError& error) { return error.what(); }
    return "accepted";
  }
};

TEST_F(ChannelPlot, HasOnePanelForEachUnitInTheOrderAskedFor) {
  ChannelPlotRequest r = request({"a.pressure", "lift.length", "b.pressure"});
  r.height = 110;
  const Plot plot = channel_plot(r);
  ASSERT_EQ(plot.panels.size(), 2u);
  ASSERT_EQ(plot.panels[0].curves.size(), 2u);
  EXPECT_EQ(plot.panels[0].curves[1].label, "b.pressure");
  EXPECT_EQ(plot.panels[0].y.label, "absolute pressure");
  EXPECT_EQ(plot.panels[0].y.unit, "Pa");
  EXPECT_EQ(plot.panels[1].y.label, "lift.length: distance between the mounts");
  EXPECT_EQ(plot.panels[1].y.unit, "m");
  EXPECT_EQ(plot.panels[1].x.label, "time");
  EXPECT_EQ(plot.panels[0].x.label, "");  // stacked: the lowest one has the label
}

TEST_F(ChannelPlot, LabelsThatAreLongerThanTheirAxisAreShortened) {
  ChannelPlotRequest r = request({"*.pressure", "lift.length"});
  r.height = 40;
  const Plot plot = channel_plot(r);
  EXPECT_EQ(plot.panels[0].y.label, "pressure");
  EXPECT_EQ(plot.panels[1].y.label, "lift.length");
}

TEST_F(ChannelPlot, DrawsInTheUnitsAskedFor) {
  ChannelPlotRequest r = request({"*.pressure", "arm.angle", "lift.length"});
  r.units = {"bar", "deg"};
  const Plot plot = channel_plot(r);
  ASSERT_EQ(plot.panels.size(), 3u);
  EXPECT_EQ(plot.panels[0].y.unit, "bar");
  EXPECT_NEAR(plot.panels[0].curves[0].y.back(), 2, 1e-12);
  EXPECT_EQ(plot.panels[1].y.unit, "deg");
  EXPECT_NEAR(plot.panels[1].curves[0].y.back(), 10, 1e-12);
  EXPECT_EQ(plot.panels[2].y.unit, "m");
}

TEST_F(ChannelPlot, LogarithmicAxesLeaveOutWhatIsNotPositive) {
  ChannelPlotRequest r = request({"lift.length", "a.pressure"});
  r.log_y = true;
  const Plot plot = channel_plot(r);
  EXPECT_TRUE(plot.panels[0].y.logarithmic);
  EXPECT_FALSE(plot.panels[0].x.logarithmic);
  ASSERT_EQ(plot.panels[0].curves[0].y.size(), 11u);
  EXPECT_TRUE(std::isnan(plot.panels[0].curves[0].y[0]));
  EXPECT_DOUBLE_EQ(plot.panels[0].curves[0].y[1], 0.1);
  ASSERT_EQ(plot.notes.size(), 1u);
  EXPECT_EQ(plot.notes[0], "lift.length: 1 of 11 points are not positive and left out");
  EXPECT_NE(plot_script(plot, "a.svg").find("set logscale y"), std::string::npos);
  r.log_y = false, r.log_x = true;
  const Plot over_time = channel_plot(r);
  EXPECT_TRUE(over_time.panels[1].x.logarithmic);
  EXPECT_FALSE(over_time.panels[1].x.min);  // time 0
  EXPECT_EQ(over_time.notes.size(), 2u);
  ChannelPlotRequest none = request({"e.violation"});
  none.log_y = true;
  EXPECT_NE(refusal(none).find("no point is positive"), std::string::npos) << refusal(none);
}

TEST_F(ChannelPlot, TakesTheTimesAskedForWithTheirEnds) {
  ChannelPlotRequest r = request({"lift.length"});
  r.from = "200 ms", r.to = "0.7";
  const Plot plot = channel_plot(r);
  const PlotCurve& curve = plot.panels[0].curves[0];
  ASSERT_EQ(curve.x.size(), 6u);
  EXPECT_DOUBLE_EQ(curve.x.front(), 0.2);
  EXPECT_DOUBLE_EQ(curve.x.back(), 0.1 * 7);
  EXPECT_DOUBLE_EQ(*plot.panels[0].x.min, 0.2);
}

TEST_F(ChannelPlot, RunsLieOverEachOtherWithColoursForChannelsAndDashesForRuns) {
  const Plot plot = channel_plot(request({"lift.length", "arm.angle", "*.pressure"}, {"one", "two"}));
  ASSERT_EQ(plot.panels.size(), 3u);
  ASSERT_EQ(plot.panels[0].curves.size(), 2u);
  EXPECT_EQ(plot.panels[0].curves[0].label, "one");
  EXPECT_EQ(plot.panels[0].curves[1].label, "two");
  EXPECT_DOUBLE_EQ(plot.panels[0].curves[1].y.back(), 2);
  const std::vector<PlotCurve>& pressures = plot.panels[2].curves;
  ASSERT_EQ(pressures.size(), 4u);  // a of both, b of the first, c of the second
  EXPECT_EQ(pressures[0].label, "a.pressure, one");
  EXPECT_EQ(pressures[1].label, "a.pressure, two");
  EXPECT_EQ(pressures[0].style, pressures[1].style);
  EXPECT_NE(pressures[0].dash, pressures[1].dash);
  EXPECT_NE(pressures[0].style, pressures[2].style);
  EXPECT_EQ(pressures[1].dash, pressures[3].dash);
}

TEST_F(ChannelPlot, DrawsChannelsAgainstEachOther) {
  ChannelPlotRequest r = request({"a.pressure"});
  r.against = "lift.length";
  r.units = {"mm"};
  const Plot plot = channel_plot(r);
  EXPECT_EQ(plot.panels[0].x.unit, "mm");
  EXPECT_EQ(plot.panels[0].x.label, "lift.length: distance between the mounts");
  EXPECT_NEAR(plot.panels[0].curves[0].x.back(), 1000, 1e-9);
  EXPECT_FALSE(plot.panels[0].x.min);
  EXPECT_DOUBLE_EQ(plot.panels[0].curves[0].y.back(), 2e5);
}

TEST_F(ChannelPlot, WrongInputIsRefusedWithASuggestion) {
  EXPECT_NE(refusal(request({"lift.lenght"})).find("did you mean `lift.length`?"), std::string::npos);
  EXPECT_NE(refusal(request({"b.pressure"}, {"one", "two"})).find("two"), std::string::npos);
  EXPECT_NE(refusal(request({"lift.length"}, {"three"})).find("there is no such folder"), std::string::npos);
  EXPECT_NE(refusal(request({})).find("no channel is given"), std::string::npos);
  EXPECT_NE(refusal(request({"lift.length"}, {})).find("no run is given"), std::string::npos);
  EXPECT_NE(refusal(request({"time"})), "");
  ChannelPlotRequest r = request({"lift.length"});
  r.units = {"bar"};
  EXPECT_NE(refusal(r).find("none of the channels can be drawn in `bar`"), std::string::npos);
  r.units = {"furlong"};
  EXPECT_NE(refusal(r).find("`furlong` is not a unit"), std::string::npos);
  r = request({"lift.length"});
  r.from = "2 m";
  EXPECT_NE(refusal(r).find("not a time"), std::string::npos);
  r.from = "5 s";
  EXPECT_NE(refusal(r).find("times within 0 s and 1 s"), std::string::npos);
  r.from = "900 ms", r.to = "0.3";
  EXPECT_EQ(refusal(r), "--from: error: found `900 ms`, after --to `0.3`; expected a time below that of --to");
  r = request({"lift.length"});
  r.against = "*.pressure";
  EXPECT_NE(refusal(r).find("matches several channels"), std::string::npos);
}

TEST_F(ChannelPlot, IsDrawnAsVectorsPointsAndPages) {
  if (std::system("command -v gnuplot > /dev/null 2>&1") != 0) GTEST_SKIP() << "gnuplot is not installed";
  ChannelPlotRequest r = request({"*"}, {"one", "two"});
  r.channels = {"lift.length", "a.pressure"};
  r.width = 85, r.height = 60;
  const Plot plot = channel_plot(r);
  const auto beginning = [&](const std::string& name, std::size_t n) {
    const std::string why = draw(plot, path(name));
    EXPECT_EQ(why, "") << name;
    std::ifstream in(path(name), std::ios::binary);
    const std::string all{std::istreambuf_iterator<char>(in), {}};
    return all.substr(0, n);
  };
  EXPECT_EQ(beginning("a.pdf", 5), "%PDF-");
  EXPECT_EQ(beginning("a.svg", 5), "<?xml");
  const std::string png = beginning("a.png", 24);
  ASSERT_EQ(png.size(), 24u);
  EXPECT_EQ(png.substr(1, 3), "PNG");
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(png[i]); };
  // 85 mm at 96 points per inch, doubled
  EXPECT_NEAR(256 * byte(18) + byte(19), 2 * 85 / 25.4 * 96, 1.5);
}

TEST(Plot, ADashOfAnotherStyleKeepsTheColour) {
  Plot plot;
  plot.panels.resize(1);
  for (int dash : {-1, 3}) {
    PlotCurve curve;
    curve.x = curve.y = {0, 1};
    curve.style = 2;
    curve.dash = dash;
    plot.panels[0].curves.push_back(curve);
  }
  const std::string script = plot_script(plot, "a.svg");
  const auto look = [&](int curve, const std::string& word) {
    const std::size_t at = script.find(word, script.find("$curve_" + std::to_string(curve) + " using")) + word.size();
    return script.substr(at, script.find(' ', at) - at);
  };
  EXPECT_EQ(look(0, " lc rgb "), look(1, " lc rgb "));
  EXPECT_NE(look(0, " dt "), look(1, " dt "));
}

}  // namespace
}  // namespace trunnion
