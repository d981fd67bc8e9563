// The program trunnion report: a run's folder becomes a self-contained page; exit codes.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <filesystem>

#include "report/page.h"
#include "support/program.h"
#include "support/temporary_folder.h"

#ifdef TRUNNION_PROGRAM

namespace trunnion {
namespace {

using ReportProgram = test::InFolder;

TEST_F(ReportProgram, WritesAPageThatNeedsNothingElse) {
  const auto call = [&](const std::string& arguments) { return test::call_program(folder_, arguments); };
  const test::Outcome run = call("run '" TRUNNION_SOURCE_DIR "/examples/four_bar.yaml' --set solver.duration=0.1 -o a -q");
  ASSERT_EQ(run.code, 0) << run.output;
  const test::Outcome report = call("report a");
  if (report.output.find("built without the report viewer") != std::string::npos) {
    EXPECT_EQ(report.code, 2);
    GTEST_SKIP() << "TRUNNION_VIEWER=OFF";
  }
  ASSERT_EQ(report.code, 0) << report.output;
  EXPECT_NE(report.output.find("a: all 101 records"), std::string::npos) << report.output;
  EXPECT_NE(report.output.find("a/report.html"), std::string::npos) << report.output;
  const std::string html = test::text_of(folder_ / "a/report.html");
  const test::Page page(html);
  EXPECT_EQ(page.channel(page.section("run", "a"), "crank.angle").size(), 101U);
  EXPECT_EQ(html.find("src=\"http"), std::string::npos);
  EXPECT_EQ(html.find("<!-- TRUNNION_DATA -->"), std::string::npos);

  EXPECT_EQ(call("report a -o page.html -q").output, "");
  EXPECT_TRUE(exists("page.html"));
  const test::Outcome missing = call("report b");
  EXPECT_EQ(missing.code, 2);
  EXPECT_NE(missing.output.find("b: error: there is no such folder"), std::string::npos) << missing.output;
  EXPECT_EQ(call("report").code, 2);
  EXPECT_EQ(call("report a --every 0").code, 2);
}

}  // namespace
}  // namespace trunnion

#endif
