// Lists, ranges, pairs and samples of values.
// SPDX-License-Identifier: BSD-3-Clause
#include "file/variation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>

#include "base/diagnostic.h"
#include "support/temporary_folder.h"

namespace trunnion {
namespace {

using Values = std::vector<std::string>;

std::string refusal(const std::function<void()>& f) {
  try {
    f();
  } catch (const InputError& error) { return error.what(); }
  return "accepted";
}

TEST(Vary, SplitsAtTopLevelCommasOnly) {
  EXPECT_EQ(split_vary("solver.step=1ms,2 ms").first, "solver.step");
  EXPECT_EQ(split_vary("solver.step=1ms,2 ms").second, (Values{"1ms", "2 ms"}));
  EXPECT_EQ(split_vary("gravity=[0, 0, 1],[0, 1, 0]").second, (Values{"[0, 0, 1]", "[0, 1, 0]"}));
  EXPECT_EQ(split_vary("a={x: 1, y: 2},\"b,c\",'d,e'").second, (Values{"{x: 1, y: 2}", "\"b,c\"", "'d,e'"}));
  EXPECT_EQ(split_vary("a=1 m^3/(s Pa)").second.size(), 1u);
  EXPECT_THROW(split_vary("a"), InputError);
  EXPECT_THROW(split_vary("a=1,,2"), InputError);
  EXPECT_THROW(split_vary("a="), InputError);
}

TEST(Vary, CombinesAllValuesTheLastFastest) {
  using Rows = std::vector<std::vector<std::string>>;
  EXPECT_EQ(combinations({{"a", {"1", "2"}}, {"b", {"x", "y"}}}), (Rows{{"1", "x"}, {"1", "y"}, {"2", "x"}, {"2", "y"}}));
  EXPECT_EQ(combinations({}), (Rows{{}}));
}

TEST(Vary, RangesHaveTheirStepsAndTheirEnd) {
  const auto values = [](const std::string& text) { return split_vary("a=" + text).second; };
  EXPECT_EQ(values("50:80:10 mm"), (Values{"50 mm", "60 mm", "70 mm", "80 mm"}));
  EXPECT_EQ(values("50 mm:80 mm:20 mm"), (Values{"50 mm", "70 mm"}));
  EXPECT_EQ(values("0.1:0.5:0.1"), (Values{"0.1", "0.2", "0.3", "0.4", "0.5"}));
  EXPECT_EQ(values("0.3:0:-0.1"), (Values{"0.3", "0.2", "0.1", "0"}));
  EXPECT_EQ(values("1:-1:-0.5"), (Values{"1", "0.5", "0", "-0.5", "-1"}));
  EXPECT_EQ(values("0,1:3:1,10"), (Values{"0", "1", "2", "3", "10"}));
  EXPECT_EQ(values("2:2:1"), (Values{"2"}));
  EXPECT_EQ(values("{x: 1}"), (Values{"{x: 1}"}));  // no range
  EXPECT_EQ(values("\"1:2:3\""), (Values{"\"1:2:3\""}));
}

TEST(Vary, WrongRangesAreRefused) {
  const auto refused = [](const std::string& text) { return refusal([&] { split_vary("a=" + text); }); };
  EXPECT_NE(refused("1:2:0").find("do not lead"), std::string::npos);
  EXPECT_NE(refused("1:2:-1").find("do not lead"), std::string::npos);
  EXPECT_NE(refused("5 cm:80 mm:5 mm").find("mixes units"), std::string::npos);
  EXPECT_NE(refused("0:1:1e-9").find("too many values"), std::string::npos);
  EXPECT_NE(refused("1:2").find("expected a:b:step"), std::string::npos);
  EXPECT_NE(refused("2:1").find("is empty"), std::string::npos);
  EXPECT_NE(refused("1,2:3").find("has no step"), std::string::npos);
}

TEST(Vary, ARangeWithoutAStepIsForSamples) {
  const VariedValues variation = read_variation("a.b=50:80 mm");
  ASSERT_TRUE(variation.range);
  EXPECT_EQ(variation.range->from, 50);
  EXPECT_EQ(variation.range->to, 80);
  EXPECT_EQ(variation.range->unit, "mm");
}

TEST(Sample, HasOneValueInEveryPartOfEveryRange) {
  const std::vector<ValueRange> ranges{{0, 10, ""}, {-1, 1, "mm"}};
  const auto rows = latin_hypercube(ranges, {10, 7});
  ASSERT_EQ(rows.size(), 10U);
  for (std::size_t k = 0; k < 2; ++k) {
    std::vector<int> parts;
    for (const auto& row : rows)
      parts.push_back(static_cast<int>(10 * (std::atof(row[k].c_str()) - ranges[k].from) / (ranges[k].to - ranges[k].from)));
    std::sort(parts.begin(), parts.end());
    for (int i = 0; i < 10; ++i) EXPECT_EQ(parts[static_cast<std::size_t>(i)], i);
  }
  EXPECT_TRUE(rows[0][1].ends_with(" mm"));
  EXPECT_NE(latin_hypercube(ranges, {10, 8}), rows);
  EXPECT_EQ(latin_hypercube(ranges, {10, 7}), rows);
  EXPECT_EQ(latin_hypercube({ranges[0]}, {10, 7})[3][0], rows[3][0]);
}

/// Digits of another program of the same definition (Python's integers), so that no machine gives others.
TEST(Sample, HasTheBitsOfItsDefinition) {
  const auto rows = latin_hypercube({{0, 1, ""}, {50, 80, "mm"}}, {3, 1});
  EXPECT_EQ(rows, (std::vector<Values>{{"0.34841899924579717", "73.2110741219211 mm"},
                                       {"0.2591456394933617", "52.64229156139328 mm"},
                                       {"0.7397050433771396", "60.71437784637973 mm"}}));
}

TEST(Sample, RequestsAreRead) {
  EXPECT_EQ(read_sample("lhs:1000,42").points, 1000U);
  EXPECT_EQ(read_sample("lhs:1000,42").seed, 42U);
  for (const char* wrong : {"lhs:1000", "lhs:0,1", "sobol:10,1", "lhs:10,-1", "lhs:1.5,1", "lhs:,1", "lhs:10,1x"})
    EXPECT_NE(refusal([&] { read_sample(wrong); }).find("lhs:1000,1"), std::string::npos) << wrong;
}

using Pairs = test::InFolder;

TEST_F(Pairs, AreATableOfPathsAndValues) {
  const std::string file = path("pairs.csv");
  const auto read = [&](const std::string& text) {
    std::ofstream(file) << text;
    return read_pairs(file);
  };
  const PairTable table = read("# a design\ncylinders.lift.bore,gravity\n50 mm,\"[0, -9.81, 0]\"\r\n\n63 mm,\"[0, -1.62, 0]\"\n");
  EXPECT_EQ(table.paths, (Values{"cylinders.lift.bore", "gravity"}));
  EXPECT_EQ(table.rows, (std::vector<Values>{{"50 mm", "[0, -9.81, 0]"}, {"63 mm", "[0, -1.62, 0]"}}));
  EXPECT_EQ(read("a;b\n1;2\n").rows, (std::vector<Values>{{"1", "2"}}));
  EXPECT_NE(refusal([&] { read("a,b\n1\n"); }).find(":2:1: error: the line has 1 columns; expected 2"), std::string::npos);
  EXPECT_NE(refusal([&] { read("a,a\n1,2\n"); }).find("occurs twice"), std::string::npos);
  EXPECT_NE(refusal([&] { read("a,b\n1,\n"); }).find("a cell is empty"), std::string::npos);
  EXPECT_NE(refusal([&] { read("a,b\n"); }).find("no rows"), std::string::npos);
  EXPECT_NE(refusal([&] { read_pairs(path("none.csv")); }).find("none.csv"), std::string::npos);
}

TEST_F(Pairs, TimesSampleTimesListsAreRows) {
  std::ofstream(path("pairs.csv")) << "a,b\n1,2\n3,4\n";
  const VariedRows rows = varied_rows(path("pairs.csv"), {{"d", {"x", "y"}}}, {{"c"}, {{"5"}, {"6"}, {"7"}}});
  EXPECT_EQ(rows.paths, (Values{"a", "b", "c", "d"}));
  EXPECT_EQ(rows.sizes, (std::vector<std::size_t>{2, 3, 2}));
  ASSERT_EQ(rows.rows.size(), 12U);
  EXPECT_EQ(rows.rows[0], (Values{"1", "2", "5", "x"}));
  EXPECT_EQ(rows.rows[7], (Values{"3", "4", "5", "y"}));
  EXPECT_EQ(varied_rows("", {}).rows, (std::vector<Values>{{}}));
  EXPECT_NE(refusal([&] { varied_rows(path("pairs.csv"), {{"b", {"1"}}}); }).find("occurs twice"), std::string::npos);
  const Values many(1001, "1");
  EXPECT_NE(refusal([&] { varied_rows("", {{"x", many}, {"y", many}}); }).find("at most 1000000"), std::string::npos);
}

}  // namespace
}  // namespace trunnion
