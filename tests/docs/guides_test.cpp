// Guides in docs compared with the sources: quoted code is identical, and equations are in the stated files.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "support/temporary_folder.h"

namespace trunnion {
namespace {

namespace fs = std::filesystem;
using test::text_of;

const fs::path kRoot = TRUNNION_SOURCE_DIR;

TEST(Guides, TheCodeOfTheWorkedElementIsThatOfTheSources) {
  std::istringstream lines(text_of(kRoot / "docs/adding_an_element.md"));
  const std::regex names_a_file("^`((?:include|src|tests)/[\\w./]+)`:$");
  std::string file, block;
  std::set<std::string> files;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (!inside && std::regex_match(line, found, names_a_file)) file = found[1];
    if (line.starts_with("```") && inside) {
      EXPECT_NE(text_of(kRoot / file).find(block), std::string::npos) << file << " does not hold\n" << block;
      files.insert(file);
      file.clear();
    }
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) ASSERT_FALSE(file.empty()) << "no file is named before a block of code";
      block.clear();
    } else if (inside) {
      block += line + "\n";
    }
  }
  EXPECT_GE(files.size(), 6u);
}

TEST(Guides, TheNavigationOfTheSiteHasEveryPage) {
  const std::string navigation = text_of(kRoot / "tools/docs/mkdocs.yml");
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "docs")) {
    if (entry.path().extension() != ".md") continue;
    std::string page = fs::relative(entry.path(), kRoot / "docs").generic_string();
    if (page == "README.md") page = "contents.md";
    EXPECT_NE(navigation.find(" " + page + "\n"), std::string::npos) << page;
  }
}

TEST(Guides, TheGalleryHasEveryExample) {
  const std::string gallery = text_of(kRoot / "tools/docs.py");
  for (const auto& entry : fs::directory_iterator(kRoot / "examples"))
    if (entry.path().extension() == ".yaml")
      EXPECT_NE(gallery.find("\n    \"" + entry.path().stem().string() + "\": \""), std::string::npos) << entry.path();
}

}  // namespace
}  // namespace trunnion
