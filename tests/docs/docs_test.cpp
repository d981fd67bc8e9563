// The documentation compared with the program: snippets run, links resolve, every element has its page, named tests exist.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "description/description.h"
#include "file/model_file.h"
#include "model/model.h"
#include "results/run_case.h"
#include "schema/table.h"
#include "support/temporary_folder.h"

namespace trunnion {
namespace {

namespace fs = std::filesystem;
using test::text_of;

const fs::path kRoot = TRUNNION_SOURCE_DIR;

std::vector<fs::path> files_below(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().extension() == extension) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<fs::path> markdown_files() {
  std::vector<fs::path> files = files_below(kRoot / "docs", ".md");
  for (const char* name : {"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}) files.push_back(kRoot / name);
  return files;
}

/// Contents of the fenced blocks of a language, in order.
std::vector<std::string> fenced_blocks(const std::string& text, const std::string& language) {
  std::vector<std::string> blocks;
  std::istringstream lines(text);
  bool inside = false, wanted = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      inside = !inside;
      wanted = inside && line.substr(3) == language;
      if (wanted) blocks.emplace_back();
    } else if (wanted) {
      blocks.back() += line + "\n";
    }
  }
  return blocks;
}

/// Prose only: fenced blocks, indented blocks and code in backticks contain no links.
std::string without_code(const std::string& text) {
  std::string prose;
  std::istringstream lines(text);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```"))
      inside = !inside;
    else if (!inside && !line.starts_with("    "))
      prose += line + "\n";
  }
  return std::regex_replace(prose, std::regex("`[^`\n]*`"), "");
}

/// The anchor of a heading: lower case, blanks to dashes, punctuation dropped.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (char c : heading) {
    if (c == ' ')
      anchor += '-';
    else if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_')
      anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return anchor;
}

std::set<std::string> anchors_in(const fs::path& file) {
  std::set<std::string> anchors;
  std::istringstream lines(text_of(file));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("#") && line.find_first_not_of('#') != std::string::npos && line[line.find_first_not_of('#')] == ' ')
      anchors.insert(anchor_of(line.substr(line.find_first_not_of('#') + 1)));
  return anchors;
}

bool holds_word(const std::string& text, const std::string& word) {
  const std::string code = "`" + word;  // keys are in backticks, alone or with their value
  for (std::size_t at = text.find(code); at != std::string::npos; at = text.find(code, at + 1)) {
    const char after = text[at + code.size()];
    if (std::isalnum(static_cast<unsigned char>(after)) == 0 && after != '_') return true;
  }
  return false;
}

/// A model file of one page, with the keys that identify its elements.
using Page = std::pair<std::string, std::vector<std::string>>;

}  // namespace

// ---------------------------------------------------------------- README

TEST(Readme, ModelIsTheExample) {
  const std::vector<std::string> models = fenced_blocks(text_of(kRoot / "README.md"), "yaml");
  ASSERT_EQ(models.size(), 1u);
  EXPECT_EQ(models.front(), text_of(kRoot / "examples/lever.yaml"));
}

TEST(Readme, ModelRunsAndMovesAsItSays) {
  const CaseResult result = run_case(compile(load_model((kRoot / "examples/lever.yaml").string())));
  ASSERT_FALSE(result.failure) << result.failure->what();
  const Recording& recording = result.recorder->recording();
  const int angle = recording.find("lever.angle"), pressure = recording.find("piston_side.pressure");
  ASSERT_GE(angle, 0);
  ASSERT_GE(pressure, 0);
  constexpr double kDegree = 57.29577951308232;
  const std::vector<double>& angles = recording.columns[static_cast<std::size_t>(angle)];
  EXPECT_NEAR(kDegree * angles.front(), 20, 1e-9);
  EXPECT_NEAR(kDegree * *std::max_element(angles.begin(), angles.end()), 33.7, 0.05);  // the figures' last digit
  EXPECT_NEAR(kDegree * angles.back(), 23.9, 0.06);
  EXPECT_NEAR(recording.columns[static_cast<std::size_t>(pressure)].front(), 2.14e6, 5e3);
}

TEST(Readme, BeginsWithTheTwoCommands) {
  const std::string text = text_of(kRoot / "README.md"), makefile = text_of(kRoot / "Makefile");
  const std::size_t demo = text.find("make demo"), test = text.find("make test"), first_section = text.find("\n## ");
  EXPECT_LT(demo, test);
  EXPECT_LT(test, first_section);
  EXPECT_NE(makefile.find("\ndemo:"), std::string::npos);
  EXPECT_NE(makefile.find("\ntest:"), std::string::npos);
}

TEST(Readme, NamesEveryRoom) {
  const std::string readme = text_of(kRoot / "README.md"), architecture = text_of(kRoot / "docs/architecture.md");
  for (const auto& entry : fs::directory_iterator(kRoot / "src")) {
    if (!entry.is_directory()) continue;
    const std::string room = entry.path().filename().string();
    EXPECT_TRUE(holds_word(readme, room)) << room;
    EXPECT_TRUE(holds_word(architecture, room)) << room;
  }
}

TEST(Readme, NamesEveryCommandOfTheProgram) {
  const std::string readme = text_of(kRoot / "README.md");
  const std::regex command("add_subcommand\\(\"([a-z]+)\"");
  std::size_t commands = 0;
  for (const fs::path& file : files_below(kRoot / "apps", ".cpp")) {
    const std::string source = text_of(file);
    for (std::sregex_iterator it(source.begin(), source.end(), command), end; it != end; ++it, ++commands)
      EXPECT_NE(readme.find("trunnion " + (*it)[1].str()), std::string::npos) << (*it)[1];
  }
  EXPECT_GE(commands, 3u);
}

// ---------------------------------------------------------------- links

TEST(Docs, EveryLocalLinkLeadsSomewhere) {
  const std::regex link("\\[[^\\]\n]*\\]\\(([^)\n]+)\\)");
  std::size_t links = 0;
  for (const fs::path& file : markdown_files()) {
    const std::string text = without_code(text_of(file));
    for (std::sregex_iterator it(text.begin(), text.end(), link), end; it != end; ++it) {
      const std::string target = (*it)[1];
      if (target.find("://") != std::string::npos || target.starts_with("mailto:")) continue;
      ++links;
      const std::size_t hash = target.find('#');
      const std::string name = target.substr(0, hash);
      const fs::path path = name.empty() ? file : file.parent_path() / name;
      ASSERT_TRUE(fs::exists(path)) << file << " links to " << target;
      if (hash == std::string::npos) continue;
      EXPECT_TRUE(anchors_in(path).contains(target.substr(hash + 1))) << file << " links to " << target;
    }
  }
  EXPECT_GT(links, 20u);
}

TEST(Docs, TheIndexListsEveryPage) {
  const std::string index = text_of(kRoot / "docs/README.md");
  for (const fs::path& file : files_below(kRoot / "docs", ".md")) {
    const std::string name = fs::relative(file, kRoot / "docs").generic_string();
    if (name != "README.md") EXPECT_NE(index.find("(" + name + ")"), std::string::npos) << name;
  }
}

// ---------------------------------------------------------------- elements

const std::vector<Page> kPages{
    {"bodies", {"rod", "box", "cylinder", "sphere", "point_mass", "inertia", "shapes", "drawn", "plate", "outline", "orientation"}},
    {"joints",
     {"fixed", "revolute", "prismatic", "cylindrical", "universal", "planar", "spherical", "point_on_line", "free", "hold", "angles",
      "planar.normal", "universal.axes"}},
    {"loops", {"revolute", "prismatic", "cylindrical", "universal", "planar", "spherical", "point_on_line", "distance"}},
    {"motions", {"motions.NAME", "joint", "signal"}},
    {"couplings", {"couplings.NAME", "joints", "ratio", "level"}},
    {"wheels", {"wheels.NAME", "body", "at", "axis", "radius", "plane.body", "plane.at", "plane.normal", "lateral_slip"}},
    {"blades", {"blades.NAME", "body", "at", "across", "on"}},
    {"markers", {"markers.NAME", "body", "at", "frame", "trace"}},
    {"springs", {"springs.NAME", "joint", "between", "stiffness", "damping", "preload", "rest"}},
    {"forces", {"forces.NAME", "joint", "body", "force", "torque", "load", "frame", "signal"}},
    {"signals", {"constant", "steps", "ramps", "table", "sine", "csv", "sum", "product"}},
    {"fluid",
     {"density", "bulk_modulus", "saturation_pressure", "free_air", "stiffening", "viscosity", "second_viscosity.temperature",
      "temperature", "reference_temperature", "thermal_expansion", "modulus_change"}},
    {"volume", {"volumes.NAME", "volume", "hose.volume", "bulk_modulus", "pressure"}},
    {"sources", {"sources.NAME", "pressure", "flow", "to", "from"}},
    {"orifice",
     {"orifice.A", "orifice.diameter", "orifice.area", "orifice.flow", "orifice.discharge", "orifice.laminar_limit", "orifice.opening",
      "orifice.time_constant"}},
    {"check_valve", {"check.A", "check.cracking_pressure", "check.diameter", "check.flow", "check.laminar_limit"}},
    {"relief_valve",
     {"relief.A", "relief.cracking_pressure", "relief.flow", "relief.override", "relief.gradient", "relief.frequency", "relief.damping",
      "relief.time_constant"}},
    {"directional_valve",
     {"directional_4_3", "directional_4_3.flow", "directional_4_3.time_constant", "directional_4_3.dead_band", "directional_4_3.frequency",
      "directional_4_3.rate_limit", "directional.ports", "directional.edges", "opening", "areas", "directional.time_constant"}},
    {"pilot_check_valve", {"pilot_check.A", "pilot_check.pilot_ratio", "pilot_check.cracking_pressure", "pilot_check.range"}},
    {"counterbalance_valve",
     {"counterbalance.A", "counterbalance.drain", "counterbalance.setting", "counterbalance.pilot_ratio", "counterbalance.range",
      "counterbalance.cracking_pressure", "counterbalance.frequency"}},
    {"shuttle_valve", {"shuttle.X", "shuttle.range", "shuttle.diameter"}},
    {"reducing_valve", {"reducing.A", "reducing.setting", "reducing.range", "reducing.relieving", "reducing.overlap"}},
    {"pressure_compensator", {"compensator.kind", "compensator.A", "compensator.LS", "compensator.setting", "compensator.range"}},
    {"flow_divider", {"flow_divider.P", "flow_divider.share", "flow_divider.flow", "flow_divider.range", "flow_divider.time_constant"}},
    {"priority_valve", {"priority.P", "priority.setting", "priority.range", "priority.frequency"}},
    {"resistance",
     {"resistance.A", "resistance.flow", "resistance.at_pressure_drop", "resistance.laminar_share", "laminar.A", "laminar.diameter",
      "laminar.width", "laminar.length"}},
    {"cylinder",
     {"base.body", "rod_end.body", "bore", "rod", "area_A", "chamber_length_A", "viscous", "leakage", "friction", "end_damper.stiffness",
      "plunger", "cushion_A.node", "cushion_A.length", "cushion_A.port", "cushion_A.check"}},
    {"motor",
     {"motors.NAME", "joint", "displacement", "displacement_A", "volume", "chamber_angle_A", "viscous", "leakage", "friction", "end_damper",
      "fraction", "time_constant", "coulomb", "case_drain.node"}},
    {"pump",
     {"pumps.NAME",
      "S",
      "P",
      "displacement",
      "speed",
      "joint",
      "fraction",
      "time_constant",
      "losses.volumetric",
      "losses.leakage",
      "control.pressure",
      "control.load_sensing.LS",
      "control.torque",
      "control.band",
      "control.min_fraction",
      "control.time_constant",
      "prime_mover.inertia",
      "prime_mover.torque",
      "prime_mover.droop",
      "prime_mover.torque_limit"}},
    {"accumulator", {"accumulators.NAME", "gas.volume", "gas.precharge", "gas.exponent", "spring.volume", "neck.diameter"}},
    {"line", {"lines.NAME", "length", "diameter", "segments", "bulk_modulus"}},
    {"quasistatic",
     {"quasistatic.NAME", "tank", "flow", "relief", "bleed", "open_centre", "form", "actuators.NAME.command", "relief_A", "P_A", "B_A",
      "element.stiffness", "element.damping", "settling_time", "line_volume_A"}},
};

TEST(Docs, EveryElementHasAPageThatNamesItsKey) {
  // with these counts a new element fails here until it has its page
  static_assert(std::variant_size_v<ValveDescription> == 14);
  static_assert(std::variant_size_v<SourceDescription> == 2);
  static_assert(std::variant_size_v<SignalDescription> == 8);
  static_assert(std::variant_size_v<ShapeDescription> == 6);
  static_assert(static_cast<int>(JointKind::free) == 8);
  static_assert(static_cast<int>(LoopKind::distance) == 7);
  for (const auto& [name, keys] : kPages) {
    const std::string page = text_of(kRoot / "docs/elements" / (name + ".md"));
    for (const std::string& key : keys) EXPECT_TRUE(holds_word(page, key)) << name << ".md does not name `" << key << "`";
  }
}

TEST(Docs, EveryFrictionLawIsNamedWithItsParameters) {
  const std::string page = text_of(kRoot / "docs/elements/friction.md");
  for (const char* law : friction_words()) EXPECT_TRUE(holds_word(page, law)) << law;
  for (const char* key : {"coulomb", "static", "stribeck_velocity", "viscous", "decay", "viscous_below_stribeck", "viscous_factor",
                          "bristle_stiffness", "bristle_damping", "bristle_damping_velocity", "exponent", "film_velocity", "film_time_up",
                          "film_time_down", "film_time_dwell", "states"})
    EXPECT_TRUE(holds_word(page, key)) << key;
}

TEST(Docs, EveryPageOfAnElementHasTheSameParts) {
  for (const fs::path& file : files_below(kRoot / "docs/elements", ".md")) {
    if (file.stem() == "friction") continue;  // a family of laws with a different layout
    const std::string page = text_of(file);
    for (const char* part : {"\n## Equation", "\n## Parameters", "\n## Channels", "\n## Tests", "\n## Source"})
      EXPECT_NE(page.find(part), std::string::npos) << file.filename() << " lacks" << part;
  }
}

TEST(Docs, EveryNamedTestExists) {
  std::set<std::string> tests;
  const std::regex declared("\\b(?:TEST|TEST_F|TEST_P|TYPED_TEST)\\((\\w+),\\s*(\\w+)\\)");
  for (const fs::path& file : files_below(kRoot / "tests", ".cpp")) {
    const std::string source = text_of(file);
    for (std::sregex_iterator it(source.begin(), source.end(), declared), end; it != end; ++it)
      tests.insert((*it)[1].str() + "." + (*it)[2].str());
  }
  const std::string programs = text_of(kRoot / "tests/CMakeLists.txt");
  const std::regex added("add_test\\(NAME (\\w+\\.\\w+)");
  for (std::sregex_iterator it(programs.begin(), programs.end(), added), end; it != end; ++it) tests.insert((*it)[1].str());
  const std::regex named("`([A-Z]\\w+\\.[A-Z]\\w+)`");
  std::size_t found = 0;
  for (const fs::path& file : files_below(kRoot / "docs", ".md")) {
    const std::string text = text_of(file);
    for (std::sregex_iterator it(text.begin(), text.end(), named), end; it != end; ++it, ++found)
      EXPECT_TRUE(tests.contains((*it)[1])) << file.filename() << " names the test " << (*it)[1];
  }
  EXPECT_GT(found, 30u);
}

TEST(Docs, EveryNamedSourceFileExists) {
  const std::regex named(
      "`((?:src|apps|tests|tools|examples|docs|schema)/[\\w./"
      "]+|(?:base|spatial|description|file|signals|friction|mechanics|hydraulics|model|machine|solve|results)/[\\w.]+\\.(?:h|cpp))[`,]");
  for (const fs::path& file : markdown_files()) {
    const std::string text = text_of(file);
    for (std::sregex_iterator it(text.begin(), text.end(), named), end; it != end; ++it) {
      const std::string name = (*it)[1];
      EXPECT_TRUE(fs::exists(kRoot / name) || fs::exists(kRoot / "src" / name)) << file.filename() << " names " << name;
    }
  }
}

// ---------------------------------------------------------------- examples

TEST(Examples, EveryExampleIsReadAndCompiled) {
  const std::vector<fs::path> examples = files_below(kRoot / "examples", ".yaml");
  EXPECT_GE(examples.size(), 4u);
  for (const fs::path& file : examples) {
    if (file.parent_path().filename() == "parts") continue;  // of models, included by others
    try {
      const auto model = compile(load_model(file.string()));
      EXPECT_FALSE(model->title.empty()) << file;
    } catch (const std::exception& error) { ADD_FAILURE() << file << ": " << error.what(); }
  }
}

}  // namespace trunnion
