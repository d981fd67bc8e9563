// The commands for new users: new, explain, plot. Reference: the templates in apps/trunnion/templates, which must check without
// warnings and run; the table of channels in docs/results.md.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "file/documentation.h"
#include "file/model_file.h"
#include "model/model.h"
#include "results/monolithic_beside.h"
#include "results/recording.h"
#include "support/program.h"
#include "support/temporary_folder.h"

#ifdef TRUNNION_PROGRAM

namespace trunnion {
namespace {

namespace fs = std::filesystem;
using test::text_of;

const fs::path kRoot = TRUNNION_SOURCE_DIR;
const fs::path kTemplates = kRoot / "apps/trunnion/templates";

class StartingOut : public test::InFolder {
 protected:
  /// Exit code; the output of both streams is in `output_`.
  int call(const std::string& arguments) {
    const test::Outcome outcome = test::call_program(folder_, arguments);
    output_ = outcome.output;
    return outcome.code;
  }
  bool printed(const std::string& text) const { return output_.find(text) != std::string::npos; }

  std::string output_;
};

std::vector<std::string> templates() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kTemplates)) names.push_back(entry.path().stem().string());
  return names;
}

TEST_F(StartingOut, EveryCommandOfTheQuickStartRuns) {
  const bool pictures = std::system("command -v gnuplot > /dev/null 2>&1") == 0;
  std::istringstream lines(text_of(kRoot / "docs/quick_start.md"));
  int commands = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::string begins = "    trunnion ";
    if (!line.starts_with(begins)) continue;
    if (!pictures && line.starts_with(begins + "plot")) continue;
    EXPECT_EQ(call(line.substr(begins.size())), 0) << line << "\n" << output_;
    ++commands;
  }
  EXPECT_GE(commands, 10);
  for (const char* file : {"pendulum_results/summary.json", "wide/results.h5", "steps/compare.csv"})
    EXPECT_TRUE(fs::exists(folder_ / file)) << file;
}

// ---------------------------------------------------------------- new

TEST_F(StartingOut, EveryTemplateChecksWithoutWarningsAndRuns) {
  EXPECT_GE(templates().size(), 2u);
  for (const std::string& name : templates()) {
    ASSERT_EQ(call("new my_machine_" + name + " --template " + name), 0) << output_;
    const std::string file = "my_machine_" + name + ".yaml";
    EXPECT_EQ(call("check " + file), 0) << output_;
    EXPECT_TRUE(printed("the model is ready to run")) << output_;
    EXPECT_FALSE(printed("WARNING")) << output_;
    EXPECT_EQ(call("run " + file), 0) << output_;
    const auto summary = nlohmann::json::parse(text_of(folder_ / ("my_machine_" + name + "_results") / "summary.json"));
    EXPECT_EQ(summary["status"], "completed") << name;
    EXPECT_TRUE(summary["warnings"].empty()) << name;
    EXPECT_LT(summary["energy"]["closed_to_percent"], 0.01) << name;
    EXPECT_EQ(summary["cavitation"]["acted"], false) << name;
  }
}

TEST_F(StartingOut, EveryLineOfATemplateSaysWhatItIsFor) {
  for (const std::string& name : templates()) {
    std::istringstream lines(text_of(kTemplates / (name + ".yaml")));
    int bare = 0, all = 0;
    std::string last;
    for (std::string line; std::getline(lines, line);) {
      if (line.find_first_not_of(' ') == std::string::npos) continue;
      ++all;
      // a key alone above its items is explained by these, a long line by the one above
      if (line.find('#') == std::string::npos && !line.ends_with(":") && last.find('#') == std::string::npos)
        ++bare, std::printf("%s\n", line.c_str());
      last = line;
    }
    EXPECT_GT(all, 25) << name;
    EXPECT_EQ(bare, 0) << name;
  }
}

TEST_F(StartingOut, NewIsTheTemplateUnderItsNameAndSaysWhatToDo) {
  ASSERT_EQ(call("new boom"), 0);
  EXPECT_TRUE(printed("\n  trunnion run boom.yaml\n")) << output_;
  const std::string own = text_of(folder_ / "boom.yaml");
  EXPECT_EQ(std::regex_replace(own, std::regex("boom(\\.yaml|_results)"), "pendulum$1"), text_of(kTemplates / "pendulum.yaml"));
  // its suggestions are valid commands
  std::istringstream lines(output_);
  std::vector<std::string> proposed;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("  trunnion ")) proposed.push_back(line.substr(11));
  for (const std::string& command : proposed) EXPECT_EQ(call(command), 0) << command << output_;
  EXPECT_EQ(proposed.size(), 3u);
  if (std::system("command -v gnuplot > /dev/null 2>&1") == 0) EXPECT_TRUE(fs::exists(folder_ / "plot.svg"));
}

TEST_F(StartingOut, NewOverwritesNothingAndRefusesWhatIsNoName) {
  std::ofstream(folder_ / "mine.yaml") << "mine";
  EXPECT_EQ(call("new mine"), 2);
  EXPECT_TRUE(printed("the file already exists")) << output_;
  EXPECT_EQ(text_of(folder_ / "mine.yaml"), "mine");
  EXPECT_EQ(call("new 'a b'"), 2);
  EXPECT_TRUE(printed("a name of letters")) << output_;
  EXPECT_EQ(call("new other --template pendulm"), 2);
  EXPECT_TRUE(printed("did you mean `pendulum`?")) << output_;
  EXPECT_FALSE(fs::exists(folder_ / "other.yaml"));
}

// ---------------------------------------------------------------- explain

TEST_F(StartingOut, ExplainAloneListsTheSections) {
  EXPECT_EQ(call("explain"), 0);
  for (const auto& key : trunnion::documented_file().keys) EXPECT_TRUE(printed("\n  " + key.name + " ")) << key.name;
}

TEST_F(StartingOut, ExplainSaysWhatThePathsOfTheReferenceMean) {
  EXPECT_EQ(call("explain 'cylinders.*.bore'"), 0);
  for (const char* text : {"cylinders.NAME.bore\n", "Bore diameter.", "number [m], > 0", "bore: 80 mm", "docs/elements/cylinder.md"})
    EXPECT_TRUE(printed(text)) << text;
  EXPECT_EQ(call("explain cylinders.lift.friction.model"), 0);
  for (const char* text : {"cylinders.NAME.friction.model", "brown_mcphee", "docs/elements/friction.md"})
    EXPECT_TRUE(printed(text)) << text;
  EXPECT_EQ(call("explain valves.directional"), 0);
  for (const char* text : {"valves.NAME.directional", "edges", "other keys of this mapping", "signal"}) EXPECT_TRUE(printed(text)) << text;
  EXPECT_EQ(call("explain valves"), 0);
  EXPECT_TRUE(printed("counterbalance")) << output_;
}

TEST_F(StartingOut, ExplainKnowsChannels) {
  EXPECT_EQ(call("explain energy.residual"), 0);
  EXPECT_TRUE(printed("energy.residual [J]")) << output_;
  EXPECT_EQ(call("explain lift.coupling_power_residual"), 0);
  EXPECT_TRUE(printed("coupling_power_residual [W]\n      power residual of the coupling's bond")) << output_;
  EXPECT_EQ(call("explain boom.force"), 0);
  EXPECT_TRUE(printed(" cylinder.force, ")) << output_;
  EXPECT_TRUE(printed("[N]\n      net force on the mechanism, positive when pushing.")) << output_;
}

TEST_F(StartingOut, ExplainShowsValuesAndChannelsOfAModel) {
  ASSERT_EQ(call("new boom"), 0);
  EXPECT_EQ(call("explain 'cylinders.*.bore' --model boom.yaml"), 0);
  EXPECT_TRUE(printed("cylinders.lift.bore: 0.04 m  (boom.yaml:")) << output_;
  EXPECT_EQ(call("explain solver.step --model boom.yaml --set solver.step=2ms"), 0);
  EXPECT_TRUE(printed("solver.step: 0.002 s  (--set)")) << output_;
  EXPECT_EQ(call("explain lift.force --model boom.yaml"), 0);
  EXPECT_TRUE(printed("lift.force [N]")) << output_;
  EXPECT_FALSE(printed("cylinder.force")) << output_;
  EXPECT_EQ(call("explain cylinders.lft.bore --model boom.yaml"), 2);
  EXPECT_TRUE(printed("did you mean `lift`?")) << output_;
}

TEST_F(StartingOut, ExplainSuggestsNearMisses) {
  EXPECT_EQ(call("explain cylindrs.lift.bore"), 2);
  EXPECT_TRUE(printed("did you mean `cylinders.lift.bore`?")) << output_;
  EXPECT_EQ(call("explain lift.forse"), 2);
  EXPECT_TRUE(printed("did you mean `lift.force`?")) << output_;
  EXPECT_EQ(call("explain valves.directonal"), 0);  // it may be the name of an item
  EXPECT_TRUE(printed("did you mean `valves.directional`?")) << output_;
  EXPECT_EQ(call("explain xyzzyx.quux"), 2);
}

TEST(Explain, KnowsEveryChannelOfTheResultsPage) {
  std::set<std::string> known;  // after the name of an item, with numbers as 1
  const auto add = [&](const std::string& file, const std::vector<Override>& overrides) {
    const auto model = compile(load_model((kRoot / "apps/trunnion" / file).string(), overrides));
    std::vector<Channel> channels = ChannelReader(model).channels();
    if (model->description.solver.coupling == CouplingKind::cosimulation) {
      const MonolithicBeside beside(model);
      channels.insert(channels.end(), beside.channels().begin(), beside.channels().end());
    }
    for (const Channel& c : channels) known.insert(c.name), known.insert("." + c.name.substr(c.name.find('.') + 1));
  };
  add("channels.yaml", {});
  add("channels.yaml", {{"solver.coordinates", "cartesian"}});
  add("templates/pendulum.yaml", {});
  add("templates/pendulum.yaml", {{"solver.coordinates", "cartesian"}});
  add("templates/pendulum.yaml", {{"solver.coupling", "cosimulation"}});
  const std::string page = text_of(kRoot / "docs/results.md");
  const std::size_t begin = page.find("\n## Channels"), end = page.find("\n## ", begin + 1);
  const std::string table = page.substr(begin, end - begin);
  const std::regex code("`([^`]+)`"), name("\\.[a-z][A-Za-z0-9_]*(?:\\.[a-z_]+)?");
  std::size_t checked = 0;
  std::istringstream rows(table);
  for (std::string row; std::getline(rows, row);) {
    if (row.find(" | ") == std::string::npos || !row.starts_with("| ") || row.starts_with("| of") || row.starts_with("| energies") ||
        row.starts_with("| solver") || row.starts_with("| co-sim"))
      continue;
    const std::string cell = row.substr(row.find('|', 1));
    for (std::sregex_iterator it(cell.begin(), cell.end(), code), last; it != last; ++it) {
      const std::string inside = (*it)[1];
      if (inside[0] != '.') continue;
      for (std::sregex_iterator k(inside.begin(), inside.end(), name); k != last; ++k, ++checked)
        EXPECT_TRUE(known.contains(k->str())) << k->str() << " of " << row;
    }
  }
  EXPECT_GT(checked, 80u);
}

// ---------------------------------------------------------------- plot

TEST_F(StartingOut, PlotWritesThePictureOrTheDataOfSeveralRuns) {
  ASSERT_EQ(call("new boom"), 0);
  ASSERT_EQ(call("run boom.yaml -q -o a --set solver.duration=0.5"), 0) << output_;
  ASSERT_EQ(call("run boom.yaml -q -o b --set solver.duration=0.5 --set cylinders.lift.bore=50mm"), 0) << output_;
  EXPECT_EQ(call("plot a b lift.length 'side_*.pressure' --unit bar --unit mm --to '100 ms' -o picture.csv"), 0) << output_;
  EXPECT_TRUE(printed("picture.csv: 6 curves in 2 panels")) << output_;
  const std::string data = text_of(folder_ / "picture.csv");
  EXPECT_TRUE(data.starts_with("panel,curve,x,y\nlift.length,a,0,768.")) << data.substr(0, 200);
  EXPECT_EQ(call("plot a lift.lenght"), 2);
  EXPECT_TRUE(printed("did you mean `lift.length`?")) << output_;
  EXPECT_EQ(call("plot a lift.length --size 3x4"), 2);
  EXPECT_TRUE(printed("in millimetres")) << output_;
  EXPECT_EQ(call("plot a lift.length -o picture.gif"), 2);
  EXPECT_TRUE(printed(".svg, .png or .pdf")) << output_;
}

#endif

}  // namespace
}  // namespace trunnion
