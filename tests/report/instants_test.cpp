// Selection of instants, skeletons and packing. Reference: curves with known corners, brute force over all records, geometry by hand.
// SPDX-License-Identifier: BSD-3-Clause
#include "report/instants.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "report/data_block.h"
#include "report/page.h"
#include "report/skeleton.h"

namespace trunnion {
namespace {

Recording recording(std::size_t rows, const std::vector<std::pair<std::string, double (*)(double)>>& curves) {
  Recording r{{{"time", "s", ""}}, {{}}};
  for (std::size_t i = 0; i < rows; ++i) r.columns[0].push_back(static_cast<double>(i) / static_cast<double>(rows - 1));
  for (const auto& [name, curve] : curves) {
    r.channels.push_back({name, "", ""});
    std::vector<double>& values = r.columns.emplace_back();
    for (const double t : r.columns[0]) values.push_back(curve(t));
  }
  return r;
}

/// Largest distance of a channel's records from the lines between kept ones.
double distance(const Recording& r, std::size_t channel, const std::vector<std::size_t>& kept) {
  double worst = 0;
  for (std::size_t k = 0; k + 1 < kept.size(); ++k)
    for (std::size_t i = kept[k]; i <= kept[k + 1]; ++i) {
      const double t0 = r.columns[0][kept[k]], t1 = r.columns[0][kept[k + 1]], s = (r.columns[0][i] - t0) / (t1 - t0);
      const double line = (1 - s) * r.columns[channel][kept[k]] + s * r.columns[channel][kept[k + 1]];
      worst = std::max(worst, std::abs(r.columns[channel][i] - line));
    }
  return worst;
}

TEST(Instants, AreTheCornersOfACurveOfStraightLines) {
  const Recording r =
      recording(1001, {{"a", [](double t) { return t < 0.25 ? t : 0.25; }}, {"b", [](double t) { return std::abs(t - 0.6); }}});
  const InstantOrder order(r, 1001);
  const std::vector<std::size_t> kept = order.first(order.needed(1e-12));
  EXPECT_TRUE(std::find(kept.begin(), kept.end(), 250U) != kept.end());
  EXPECT_TRUE(std::find(kept.begin(), kept.end(), 600U) != kept.end());
  EXPECT_LT(kept.size(), 200U);  // corners and some at even distances
  EXPECT_LT(order.deviation(kept.size()), 1e-12);
}

TEST(Instants, KeepTheDeviationTheyState) {
  const Recording r =
      recording(2001, {{"a", [](double t) { return 3 * std::sin(20 * t); }}, {"b", [](double t) { return std::exp(-30 * t); }}});
  const InstantOrder order(r, 400);
  double before = 1;
  for (const std::size_t count : {60U, 100U, 200U, 400U}) {
    const std::vector<std::size_t> kept = order.first(count);
    EXPECT_EQ(kept.size(), count);
    EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
    EXPECT_EQ(std::adjacent_find(kept.begin(), kept.end()), kept.end());
    EXPECT_EQ(kept.front(), 0U);
    EXPECT_EQ(kept.back(), 2000U);
    const auto [low, high] = std::minmax_element(r.columns[1].begin(), r.columns[1].end());
    const double worst = std::max(distance(r, 1, kept) / (*high - *low), distance(r, 2, kept) / (1 - std::exp(-30.0)));
    EXPECT_NEAR(worst, order.deviation(count), 1e-12 + 1e-9 * worst) << count;
    EXPECT_LT(worst, before);
    before = worst;
    const std::size_t needed = order.needed(order.deviation(count));
    EXPECT_LE(needed, count);
  }
}

TEST(Instants, KeepASinglePeakAndIgnoreNoiseAndTheSolver) {
  Recording r = recording(5001, {{"load.force", [](double t) { return t; }},
                                 {"load.noise", [](double) { return 0.0; }},
                                 {"solver.iterations", [](double) { return 0.0; }}});
  r.columns[1][3210] = 5;
  std::mt19937 random(1);
  std::normal_distribution<double> noise;
  for (std::size_t i = 0; i < 5001; ++i) {
    r.columns[2][i] = 1e-12 * noise(random);
    r.columns[3][i] = static_cast<double>(i % 2);
  }
  const InstantOrder order(r, 800);
  const std::vector<std::size_t> kept = order.first(800);
  for (const std::size_t i : {3209U, 3210U, 3211U}) EXPECT_TRUE(std::find(kept.begin(), kept.end(), i) != kept.end()) << i;
  EXPECT_LT(order.deviation(110), 1e-6);  // 100 at even distances and the peak
}

TEST(Instants, OfShortRecordingsAreAll) {
  for (const std::size_t rows : {2U, 3U, 5U}) {
    const InstantOrder order(recording(rows, {{"a", [](double t) { return t * t; }}}), 100);
    EXPECT_EQ(order.first(100).size(), rows);
  }
  EXPECT_TRUE(InstantOrder(Recording{}, 10).first(10).empty());
}

TEST(Skeleton, JoinsNeighboursOnly) {
  using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;
  const Vec<3> o(0, 0, 0), x(2, 0, 0), y(0, 2, 0), xy(2, 2, 0), middle(1, 1, 0);
  EXPECT_EQ(skeleton({o, x}), (Pairs{{0, 1}}));
  EXPECT_EQ(skeleton({o, x, {1, 0.1, 0}}), (Pairs{{0, 2}, {1, 2}}));        // nearly collinear: no bar past the middle
  EXPECT_EQ(skeleton({o, x, {1, 2, 0}}), (Pairs{{0, 1}, {0, 2}, {1, 2}}));  // an acute triangle
  EXPECT_EQ(skeleton({o, x, y, xy, middle}), (Pairs{{0, 1}, {0, 2}, {0, 4}, {1, 3}, {1, 4}, {2, 3}, {2, 4}, {3, 4}}));
  EXPECT_TRUE(skeleton({o}).empty());
  EXPECT_EQ(distinct({o, {1e-6, 0, 0}, x}, 1e-3).size(), 2U);
}

TEST(DataBlocks, GiveEveryBitBack) {
  const float nan = std::nanf(""), infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> rough{0.F, -0.F, 1.F, -1e-40F, 3.4e38F, infinity, -infinity, nan, 1.F}, tuples{1, 2, 3, 4, 5, 6};
  const std::vector<double> exact{0.1, -1e300, 5e-324};
  DataBlock block(0);
  const ReportJson a = block.add(rough), b = block.add(exact), c = block.add(tuples, 3), again = block.add(rough),
                   none = block.add(std::vector<float>{});
  EXPECT_EQ(a["offset"], again["offset"]);  // equal arrays are stored once
  EXPECT_EQ(b["offset"].get<int>() % 8, 0);
  const test::Page page("<script id=\"trunnion-data\">{}</script><script id=\"trunnion-block-0\">" + block.packed() + "</script>");
  const auto read = [&](const ReportJson& place) { return page.values(test::PageJson::parse(place.dump())); };
  const std::vector<double> values = read(a);
  for (std::size_t i = 0; i < rough.size(); ++i) {
    if (std::isnan(rough[i]))
      EXPECT_TRUE(std::isnan(values[i]));
    else
      EXPECT_EQ(values[i], static_cast<double>(rough[i]));
    EXPECT_EQ(std::signbit(values[i]), std::signbit(rough[i]));
  }
  EXPECT_EQ(read(b), exact);
  EXPECT_EQ(read(c), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_TRUE(read(none).empty());
  EXPECT_EQ(base64("Man"), "TWFu");
  EXPECT_EQ(base64("Ma"), "TWE=");
  EXPECT_EQ(base64("M"), "TQ==");
}

TEST(ResultFiles, ReadCellsInQuotes) {
  const std::string path = testing::TempDir() + "trunnion_cells.csv";
  std::FILE* file = std::fopen(path.c_str(), "w");
  std::fputs("a,\"b,c\",d\n1,\"say \"\"yes\"\"\",\n,x,nan\n", file);
  std::fclose(file);
  const TextTable table = read_table(path);
  EXPECT_EQ(table.columns, (std::vector<std::string>{"a", "b,c", "d"}));
  EXPECT_EQ(table.rows, (std::vector<std::vector<std::string>>{{"1", "say \"yes\"", ""}, {"", "x", "nan"}}));
  EXPECT_EQ(table_json(table)["rows"].dump(), "[[1.0,\"say \\\"yes\\\"\",null],[null,\"x\",\"nan\"]]");
}

}  // namespace
}  // namespace trunnion
