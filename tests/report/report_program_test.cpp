// trunnion report, the program itself: a run's folder becomes a page that needs nothing else; exit codes.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "report/page.h"
#include "support/temporary_folder.h"

#ifdef TRUNNION_PROGRAM

namespace trunnion {
namespace {

namespace fs = std::filesystem;

struct Outcome {
  int code = -1;
  std::string output;
};

/// The program with these arguments in a folder.
Outcome call(const fs::path& folder, const std::string& arguments) {
  const char* const other = std::getenv("TRUNNION_PROGRAM");  // the one built with sanitizers, say
  const std::string command =
      "cd '" + folder.string() + "' && '" + (other != nullptr ? other : TRUNNION_PROGRAM) + "' " + arguments + " 2>&1";
  Outcome outcome;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return outcome;
  std::array<char, 4096> buffer{};
  for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) outcome.output.append(buffer.data(), n);
  const int status = pclose(pipe);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

TEST(ReportProgram, WritesAPageThatNeedsNothingElse) {
  const fs::path folder = test::temporary_folder();
  fs::create_directories(folder);
  const Outcome run = call(folder, "run '" TRUNNION_SOURCE_DIR "/examples/four_bar.yaml' --set solver.duration=0.1 -o a -q");
  ASSERT_EQ(run.code, 0) << run.output;
  const Outcome report = call(folder, "report a");
  if (report.output.find("built without the viewer") != std::string::npos) {
    EXPECT_EQ(report.code, 2);
    fs::remove_all(folder);
    GTEST_SKIP() << "TRUNNION_VIEWER=OFF";
  }
  ASSERT_EQ(report.code, 0) << report.output;
  EXPECT_NE(report.output.find("a: all 101 records"), std::string::npos) << report.output;
  EXPECT_NE(report.output.find("a/report.html"), std::string::npos) << report.output;
  std::stringstream html;
  html << std::ifstream(folder / "a/report.html").rdbuf();
  const test::Page page(html.str());
  EXPECT_EQ(page.channel(page.section("run", "a"), "crank.angle").size(), 101U);
  EXPECT_EQ(html.str().find("src=\"http"), std::string::npos);
  EXPECT_EQ(html.str().find("<!-- TRUNNION_DATA -->"), std::string::npos);

  EXPECT_EQ(call(folder, "report a -o page.html -q").output, "");
  EXPECT_TRUE(fs::exists(folder / "page.html"));
  const Outcome missing = call(folder, "report b");
  EXPECT_EQ(missing.code, 2);
  EXPECT_NE(missing.output.find("b: error: there is no such folder"), std::string::npos) << missing.output;
  EXPECT_EQ(call(folder, "report").code, 2);
  EXPECT_EQ(call(folder, "report a --every 0").code, 2);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace trunnion

#endif
