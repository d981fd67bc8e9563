// Signals from CSV files: columns by name and number, separators, locations of findings.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "file/model_file.h"
#include "support/temporary_folder.h"

namespace trunnion {
namespace {

class Csv : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = test::temporary_folder();
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::vector<std::array<double, 2>> points(const std::string& csv, const std::string& keys) {
    std::ofstream(folder_ / "data.csv") << csv;
    const std::string text = "trunnion: 1\nsignals:\n  s: {csv: {file: data.csv" + keys + "}}\n";
    return std::get<CsvSignal>(parse_model(text, (folder_ / "model.yaml").string()).signals.at(0).second).points;
  }
  Diagnostic finding(const std::string& csv, const std::string& keys) {
    try {
      points(csv, keys);
    } catch (const InputError& error) {
      EXPECT_EQ(error.diagnostics().size(), 1u) << error.what();
      return error.diagnostics().at(0);
    }
    ADD_FAILURE() << "not refused: " << csv;
    return {};
  }

  std::filesystem::path folder_;
  using Points = std::vector<std::array<double, 2>>;
};

TEST_F(Csv, ColumnsAreFoundByNameAndNumber) {
  const std::string csv = "# measured\n\"time\", current ,pressure\n0, 1, 2\r\n\n0.5,3,4\n";
  EXPECT_EQ(points(csv, ", time: time, value: pressure"), (Points{{0, 2}, {0.5, 4}}));
  EXPECT_EQ(points(csv, ", value: 3, scale: 1 bar"), (Points{{0, 2}, {0.5, 4}})) << "the scale is applied where the signal is evaluated";
  EXPECT_EQ(points(csv, ""), (Points{{0, 1}, {0.5, 3}}));
}

TEST_F(Csv, OtherSeparatorsAndMissingHeadersAreFine) {
  EXPECT_EQ(points("0;1\n1;2\n", ""), (Points{{0, 1}, {1, 2}}));
  EXPECT_EQ(points("t\tx\n0\t1\n1\t2", ", value: x"), (Points{{0, 1}, {1, 2}}));
}

TEST_F(Csv, ByteOrderMarksAndEmptyCellsAtTheEndAreFine) {
  EXPECT_EQ(points("\xEF\xBB\xBF"
                   "time,x\n0,1\n1,2\n",
                   ", value: x"),
            (Points{{0, 1}, {1, 2}}));
  EXPECT_EQ(points("\xEF\xBB\xBF"
                   "0,1\n1,2\n",
                   ""),
            (Points{{0, 1}, {1, 2}}));
  EXPECT_EQ(points("t,x\n0,1,\n1,2,,\n", ""), (Points{{0, 1}, {1, 2}}));
}

TEST_F(Csv, MoreCellsThanColumnsAreRefused) {  // 0,1,5 is 0 and 1.5 where a comma is the decimal separator
  const Diagnostic surplus = finding("time,x\n0,1\n1,2,5\n", "");
  EXPECT_EQ(surplus.span.line, 3);
  EXPECT_NE(surplus.text().find("the line has 3 columns"), std::string::npos) << surplus.text();
  EXPECT_NE(surplus.text().find("decimals have a point"), std::string::npos) << surplus.text();
}

TEST_F(Csv, FindingsStandAtTheirPlaceInTheCsvFile) {
  const Diagnostic comma = finding("t;x\n0;1\n1;2,5\n", "");
  EXPECT_EQ(comma.span.file, (folder_ / "data.csv").string());
  EXPECT_EQ(comma.span.line, 3);
  EXPECT_EQ(comma.path, "signals.s.csv");
  EXPECT_NE(comma.text().find("decimal comma"), std::string::npos);
  EXPECT_EQ(finding("t,x\n0,1\n# note\n1,\n", "").span.line, 4);
  EXPECT_EQ(finding("t,x\n0,1\n1\n", "").span.line, 3);
  EXPECT_NE(finding("t,x\n1,1\n0,2\n", "").text().find("is not later than the one before"), std::string::npos);
  EXPECT_NE(finding("t,x\n1,1\n1,2\n", ", smooth: true").text().find("increasing times"), std::string::npos);
  EXPECT_NE(finding("t,x\n0,3 bar\n", "").text().find("has a unit"), std::string::npos);
  EXPECT_NE(finding("t,x\n", "").text().find("no data"), std::string::npos);
  EXPECT_NE(finding("", "").text().find("no data"), std::string::npos);
}

TEST_F(Csv, WrongColumnsAndFilesAreReportedInTheModelFile) {
  const Diagnostic column = finding("time,presure\n0,1\n", ", value: pressure");
  EXPECT_EQ(column.span.file, (folder_ / "model.yaml").string());
  EXPECT_EQ(column.span.line, 3);
  EXPECT_NE(column.text().find("did you mean `presure`?"), std::string::npos);
  EXPECT_NE(finding("0,1\n", ", value: 3").text().find("a number from 1 to 2"), std::string::npos);
  EXPECT_NE(finding("0,1\n", ", value: 0").text().find("no column `0`"), std::string::npos);
  EXPECT_THROW(parse_model("trunnion: 1\nsignals: {s: {csv: {file: nowhere.csv}}}\n", "model.yaml"), InputError);
}

}  // namespace
}  // namespace trunnion
