// What the program refuses, and in which words. Reference: the expected texts and exit codes.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "support/program.h"
#include "support/temporary_folder.h"

#ifdef TRUNNION_PROGRAM

namespace {

using trunnion::test::Outcome;
using trunnion::test::text_of;

class Refusals : public trunnion::test::InFolder {
 protected:
  Outcome call(const std::string& arguments) const { return trunnion::test::call_program(folder_, arguments); }
  static std::string example(const std::string& name) { return "'" + std::string(TRUNNION_SOURCE_DIR) + "/examples/" + name + ".yaml'"; }
};

TEST_F(Refusals, NumbersOfOptionsAreRefusedWithWhatIsExpected) {
  const char *const positive_count = "a whole number above 0", *const count = "a whole number of at least 0";
  const struct {
    const char *command, *option, *expected;
    std::vector<const char*> values;
  } cases[] = {
      {"sweep m.yaml", "--threads", positive_count, {"0", "-1", "1.5", "nan", "inf", "few", "1e99"}},
      {"fit m.yaml --parameters a --reference r.csv", "--threads", positive_count, {"0"}},
      {"fit m.yaml --parameters a --reference r.csv", "--max-iterations", positive_count, {"0", "many"}},
      {"sensitivity m.yaml", "--points", positive_count, {"0"}},
      {"sensitivity m.yaml", "--threads", positive_count, {"0"}},
      {"study formulations m.yaml", "--repeats", positive_count, {"0"}},
      {"study formulations m.yaml", "--threads", positive_count, {"0"}},
      {"study cosimulation m.yaml", "--threads", positive_count, {"0"}},
      {"report out", "--every", positive_count, {"0", "-3"}},
      {"linearize m.yaml --find-zero a=1:2", "--mode", positive_count, {"0", "x"}},
      {"generate m.yaml", "--operations", count, {"-1", "x"}},
      {"curve m.yaml", "--points", count, {"-1", "few"}},
      {"import robot.urdf", "--max-size", "a number above 0", {"0", "-1", "nan", "inf", "big"}},
      {"equilibrium m.yaml", "--at", "a number of at least 0", {"-1", "nan", "inf", "soon"}},
      {"steady m.yaml", "--at", "a number of at least 0", {"-0.5", "nan"}},
      {"linearize m.yaml", "--step", "a finite number", {"nan", "x"}},
  };
  for (const auto& c : cases)
    for (const char* value : c.values) {
      const Outcome r = call(std::string(c.command) + " " + c.option + "=" + value);
      EXPECT_EQ(r.code, 2) << r.output;
      EXPECT_TRUE(r.printed(std::string(c.option) + ": found `" + value + "`, expected " + c.expected)) << c.command << "\n" << r.output;
    }
}

TEST_F(Refusals, AFileInPlaceOfTheFolderIsRefused) {
  std::ofstream(folder_ / "file") << "x";
  const std::string four_bar = example("four_bar"), lever = example("lever"), brief = " --set solver.duration=0.01 ",
                    vary = "--vary solver.step=1ms,0.5ms";
  for (const std::string& command : {"run " + four_bar + brief, "equilibrium " + four_bar, "steady " + example("excavator"),
                                     "linearize " + four_bar + " --equilibrium -q", "compare " + four_bar + brief + vary,
                                     "sweep " + four_bar + brief + vary + " --keep channels", "friction " + four_bar,
                                     "curve " + example("arm_quasistatic") + " --actuator lift -q", "generate " + lever + brief + "-q",
                                     "sensitivity " + lever + brief + "--parameters bodies.lever.rod.mass --channels lever.angle",
                                     "study formulations " + four_bar, "study cosimulation " + four_bar + " --quick"})
    for (const char* folder : {"file", "file/out"}) {
      const Outcome r = call(command + " -o " + folder);
      EXPECT_EQ(r.code, 2) << command << "\n" << r.output;
      EXPECT_TRUE(r.printed(std::string(folder) +
                            ": error: the folder cannot be created: `file` is not a folder; expected a folder that can be written"))
          << command << "\n"
          << r.output;
    }
  const Outcome fresh = call("new file/machine");
  EXPECT_EQ(fresh.code, 2);
  EXPECT_TRUE(fresh.printed("`file` is not a folder")) << fresh.output;
  EXPECT_EQ(text_of(folder_ / "file"), "x");
}

TEST_F(Refusals, TimesOfAPlotAreInOrder) {
  const Outcome r = call("plot ./out lift.length --from 3 --to 1");
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(r.printed("--from: error: found `3`, after --to `1`; expected a time below that of --to")) << r.output;
}

TEST_F(Refusals, AnInputBeyondItsLimitsIsNamedWithItsLine) {
  std::ofstream(folder_ / "inputs.csv") << "# a recording\ntime,command\n0,0\n\n0.5,12\n0.6,13\n";
  const Outcome high = call("run " + example("lever_driven") + " --input inputs.csv");
  EXPECT_EQ(high.code, 2);
  EXPECT_TRUE(high.printed("inputs.csv:5: error: inputs.command: the value 12 at 0.5 s is outside the limits; expected at most 10"))
      << high.output;
  std::ofstream(folder_ / "inputs.csv") << "time,command\n0,-10.5\n";
  EXPECT_TRUE(
      call("run " + example("lever_driven") + " --input inputs.csv").printed("inputs.csv:2: error: inputs.command: the value -10.5"));
}

// the step from 1 s, where the valve opens, is the last one and shorter than the others
TEST_F(Refusals, TheStepThatFailedHasItsLength) {
  const Outcome r = call("run " + example("four_bar") +
                         " --set solver.max_iterations=1 --set solver.divisions=0 --set solver.step=1ms --set 'solver.duration=1.0004 s'");
  EXPECT_EQ(r.code, 1) << r.output;
  EXPECT_TRUE(r.printed("failed at t = 1 s")) << r.output;
  EXPECT_TRUE(r.printed("a smaller step (now 0.0004 s)")) << r.output;
}

// A spring of 1000 N/m and a force of 100 N/m of the position at the start, 0.1 m: equilibrium at 0.01 m; with the block solved for, at 0.
TEST_F(Refusals, EquilibriumSaysThatBlocksAreHeld) {
  const std::string machine = R"(trunnion: 1
gravity: [0, -9.81, 0]
bodies: {w: {point_mass: {mass: 10 kg}}}
joints: {w: {prismatic: {parent: ground, axis: x}, position: 0.1 m}}
forces: {push: {joint: w, load: 1 N, signal: share}}
control: {share: {gain: {input: w.position, gain: 100}}}
solver: {step: 1 ms, duration: 1 s}
)";
  std::ofstream(folder_ / "held.yaml") << machine << "springs: {s: {joint: w, stiffness: 1000 N/m, rest: 0}}\n";
  const Outcome r = call("equilibrium held.yaml -o out");
  ASSERT_EQ(r.code, 0) << r.output;
  EXPECT_TRUE(r.printed("held at their starting values")) << r.output;
  const auto rest = nlohmann::json::parse(text_of(folder_ / "out/equilibrium.json"));
  EXPECT_EQ(rest["control_blocks"], "held");
  EXPECT_NEAR(rest["state"]["w.position"], 0.01, 1e-9);
  std::ofstream(folder_ / "pushed.yaml") << machine;
  const Outcome none = call("equilibrium pushed.yaml -o out");
  EXPECT_EQ(none.code, 1) << none.output;
  EXPECT_TRUE(none.printed("control blocks are held at their starting values")) << none.output;
  const Outcome without = call("equilibrium " + example("four_bar") + " -o plain");
  EXPECT_FALSE(without.printed("control blocks")) << without.output;
  EXPECT_FALSE(nlohmann::json::parse(text_of(folder_ / "plain/equilibrium.json")).contains("control_blocks"));
}

}  // namespace

#endif
