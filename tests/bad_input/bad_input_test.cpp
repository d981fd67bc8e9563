// One invalid file per diagnostic: its line, path and message. Numbers, keys, references and physics of one small model; files as a whole.
// Mechanisms, oil, power and quasistatic circuits: the other tests of this folder.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/edited_model.h"

namespace trunnion {
namespace {

using test::edited_model;
using test::expect_finding;
using test::input_findings;
using test::InputCase;
using test::kEditedModel;

TEST(BadInput, TheModelItselfIsGood) {
  EXPECT_TRUE(input_findings(kEditedModel).empty()) << InputError(input_findings(kEditedModel)).what();
}

TEST(BadInput, WrongNumbersAreReported) {
  const InputCase cases[] = {
      {"mass: 16 kg", "mass: 16 kgs", 5, "bodies.crank.rod.mass", {"`kgs` is not known", "did you mean `kg`"}},
      {"mass: 16 kg", "mass: 16 m", 5, "bodies.crank.rod.mass", {"`16 m`", "different dimension", "a mass such as 16 kg"}},
      {"mass: 16 kg", "mass: 0", 5, "bodies.crank.rod.mass", {"`0`", "a mass greater than 0"}},
      {"mass: 16 kg", "mass: -16 kg", 5, "bodies.crank.rod.mass", {"greater than 0"}},
      {"mass: 16 kg", "mass: heavy", 5, "bodies.crank.rod.mass", {"`heavy` is not a number", "a mass such as"}},
      {"mass: 16 kg", "mass: .nan", 5, "bodies.crank.rod.mass", {"`.nan` is not a number"}},
      {"mass: 16 kg", "mass: .inf", 5, "bodies.crank.rod.mass", {"`.inf` is not a number"}},
      {"mass: 16 kg", "mass: [16, kg]", 5, "bodies.crank.rod.mass", {"found a list", "a mass such as"}},
      {"mass: 16 kg", "mass: {value: 16}", 5, "bodies.crank.rod.mass", {"found a mapping"}},
      {"mass: 16 kg", "mass:", 5, "bodies.crank.rod.mass", {"found nothing", "a mass such as"}},
      {"mass: 16 kg", "mass: 1e400 kg", 5, "bodies.crank.rod.mass", {"outside the range"}},
      {"mass: 16 kg", "mass: 16 kg/m s", 5, "bodies.crank.rod.mass", {"ambiguous", "parentheses"}},
      {"pressure: 3.5 MPa", "pressure: \"3,5 MPa\"", 18, "volumes.v2.pressure", {"decimal comma", "write a decimal point: 3.5 MPa"}},
      {"pressure: equilibrium", "pressure: equilibrum", 17, "volumes.v1.pressure", {"or equilibrium", "did you mean `equilibrium`?"}},
      {"pressure: 7.6 MPa", "pressure: 3 kg", 19, "sources.pump.pressure", {"`3 kg`", "a pressure such as 7.6 MPa"}},
      {"angle: 60 deg", "angle: 60 mm", 9, "joints.crank.angle", {"`60 mm`", "an angle such as 60 deg"}},
      {"bore: 80 mm", "bore: 80 deg", 29, "cylinders.lift.bore", {"`80 deg`", "a length such as 80 mm"}},
      {"frequency: 2 Hz", "frequency: 120 rpm", 36, "signals.wave.sine.frequency", {"`120 rpm`", "a frequency such as 2 Hz"}},
      {"step: 1 ms", "step: 0 ms", 38, "solver.step", {"a time greater than 0"}},
      {"duration: 10 s", "duration: -10 s", 38, "solver.duration", {"a time greater than 0"}},
      {"step: 1 ms", "step: 1 ms, max_iterations: 2.5", 38, "solver.max_iterations", {"`2.5`", "a whole number"}},
      {"step: 1 ms", "step: 1 ms, split_jumps: yes", 38, "solver.split_jumps", {"`yes`", "true or false"}},
      {"between: [rocker, ground]", "between: [rocker, rocker]", 13, "loops.E", {"both points are on `rocker`", "two different bodies"}},
      {"pressure: 3.5 MPa", "pressure: 0", 18, "volumes.v2.pressure", {"a pressure greater than 0"}},
      {"chamber_length_A: 0.73 m", "chamber_length_A: 0", 31, "cylinders.lift.chamber_length_A", {"a length greater than 0"}},
      {"[0, -9.81, 0]", "[0, -9.81]", 3, "gravity", {"found a list of 2", "three numbers"}},
      {"[0, -9.81, 0]", "-9.81", 3, "gravity", {"`-9.81`", "a list of three numbers"}},
      {"[0, -9.81, 0]", "[0, -9.81, down]", 3, "gravity.2", {"`down` is not a number", "an acceleration"}},
      {"diameter: 6 mm", "diameter: 6 mm, discharge: 0", 22, "valves.bypass.orifice.discharge", {"a number greater than 0"}},
  };
  for (const InputCase& c : cases) expect_finding(c);
}

TEST(BadInput, WrongKeysAreReported) {
  const InputCase cases[] = {
      {"bore: 80 mm", "bor: 80 mm", 29, "cylinders.lift.bor", {"the key `bor` is not known", "did you mean `bore`?"}},
      {"chamber_length_A: 0.73 m", "chamber_lenght_A: 0.73 m", 31, "cylinders.lift.chamber_lenght_A", {"did you mean `chamber_length_A`?"}},
      {"    bore: 80 mm\n", "", 25, "cylinders.lift", {"expected one of `bore`, `area_A` or `plunger`"}},
      {"    rod: 35 mm\n", "", 25, "cylinders.lift.rod", {"the key `rod` is missing"}},
      {"bore: 80 mm",
       "bore: 80 mm\n    area_A: 28 cm^2",
       30,
       "cylinders.lift",
       {"`bore` and `area_A` are mutually exclusive", "only one of"}},
      {"{length: 2 m, mass: 16 kg}", "{length: 2 m}", 5, "bodies.crank.rod.mass", {"the key `mass` is missing"}},
      {"crank: {rod: ", "crank: {rood: ", 5, "bodies.crank.rood", {"did you mean `rod`?"}},
      {"{rod: {length: 2 m, mass: 16 kg}}", "{mass: 16 kg}", 5, "bodies.crank", {"expected one of `rod`, `box`"}},
      {"{rod: {length: 2 m, mass: 16 kg}}",
       "{rod: {length: 2 m, mass: 16 kg}, mass: 3}",
       5,
       "bodies.crank.mass",
       {"`mass` cannot be combined with `rod`", "did you mean `bodies.crank.rod.mass`?"}},
      {"{rod: {length: 2 m, mass: 16 kg}}", "16 kg", 5, "bodies.crank", {"found `16 kg`", "a mapping"}},
      {"{rod: {length: 2 m, mass: 16 kg}}", "{shapes: []}", 5, "bodies.crank.shapes", {"an empty list"}},
      {"{rod: {length: 2 m, mass: 16 kg}}",
       "{shapes: [{point_mass: {}}]}",
       5,
       "bodies.crank.shapes.0.point_mass.mass",
       {"`mass` is missing"}},
      {"angle: 60 deg",
       "position: 60 mm",
       9,
       "joints.crank.position",
       {"`position` cannot be combined with `revolute`", "it belongs to `prismatic`"}},
      {"hold: true", "axis: x", 9, "joints.crank.axis", {"is not known", "did you mean `revolute.axis`?"}},
      {"trunnion: 1\n", "", 1, "trunnion", {"`trunnion` is missing"}},
      {"trunnion: 1", "trunnion: 2", 1, "trunnion", {"found version 2"}},
      {"title:", "titel:", 2, "titel", {"did you mean `title`?"}},
      {"return: {joint: crank", "return: {jiont: crank", 15, "springs.return.jiont", {"did you mean `joint`?"}},
      {"pressure: 7.6 MPa", "presure: 7.6 MPa", 19, "sources.pump.presure", {"did you mean `pressure`?"}},
      {"bore: 80 mm", "bore: 80 mm\n    bore: 90 mm", 30, "cylinders.lift.bore", {"is repeated here", "the first one is in line 29"}},
      {"solver: {", "bodies: {}\nsolver: {", 38, "bodies", {"is repeated here", "line 4"}},
      {"  bypass: {", "  by pass: {", 22, "valves.by pass", {"`by pass` cannot be a name", "letters, digits"}},
      {"brown_mcphee",
       "brown_mcpee",
       33,
       "cylinders.lift.friction.model",
       {"`brown_mcpee`", "one of none, coulomb_viscous", "did you mean `brown_mcphee`?"}},
      {"axis: z}, angle: 60", "axis: w}, angle: 60", 9, "joints.crank.revolute.axis", {"`w`", "x, y, z or a vector"}},
      {"axis: z}, angle: 60", "axis: [0, 0, 0]}, angle: 60", 9, "joints.crank.revolute.axis", {"no direction"}},
      {"solver: {", "record: []\nsolver: {", 38, "record", {"found a list", "a mapping"}},
  };
  for (const InputCase& c : cases) expect_finding(c);
}

TEST(BadInput, WrongLooksAreReported) {
  const auto expect_wrong = [](const std::string& drawn, const std::string& path, std::vector<const char*> words) {
    const std::string to = "inertia: [1, 90, 90], drawn: " + drawn + "}";
    const std::string where = "bodies.rocker.drawn" + path;
    expect_finding({"inertia: [1, 90, 90]}", to.c_str(), 7, where.c_str(), std::move(words)});
  };
  const auto plate = [](const std::string& outline) { return "[{plate: {outline: " + outline + ", thickness: 10 mm}}]"; };
  expect_wrong("[]", "", {"an empty list"});
  expect_wrong("[{}]", ".0", {"expected one of `plate`, `box`, `cylinder`, `sphere` or `mesh`"});
  expect_wrong("[{plat: {thickness: 1}}]", ".0.plat", {"did you mean `plate`?"});
  expect_wrong("[{sphere: {radius: 1, mass: 1}}]", ".0.sphere.mass", {"the key `mass` is not known"});
  expect_wrong("[{sphere: {radius: 0}}]", ".0.sphere.radius", {"a length greater than 0"});
  expect_wrong("[{box: {size: [1, 0, 1]}}]", ".0.box.size.1", {"a length greater than 0"});
  expect_wrong("[{box: {size: [1, 1, 1], orientation: [0, 0, 3 m]}}]", ".0.box.orientation.2", {"`3 m`", "an angle"});
  expect_wrong("[{plate: {outline: [[0, 0], [1, 0], [0, 1]]}}]", ".0.plate.thickness", {"`thickness` is missing"});
  expect_wrong("[{plate: {outline: [[0, 0], [1, 0], [0, 1]], thickness: 1, normal: w}}]", ".0.plate.normal", {"one of x, y, z"});
  expect_wrong(plate("[[0, 0], [1, 0]]"), ".0.plate.outline", {"found a list of 2", "three or more corners"});
  expect_wrong(plate("[[0, 0], [1, 0], 3]"), ".0.plate.outline.2", {"`3`", "two numbers"});
  expect_wrong(plate("[[0, 0], [1, 0], [0, 1 kg]]"), ".0.plate.outline.2.1", {"`1 kg`", "a length"});
  const char* const path = ".0.plate.outline";
  expect_wrong(plate("[[0, 0], [1, 1], [1, 0], [0, 1]]"), path, {"intersects itself", "from corner 0", "from corner 2"});
  expect_wrong(plate("[[0, 0], [2, 0], [2, 2], [1, 0], [0, 2]]"), path, {"intersects itself"});  // a corner on another edge
  expect_wrong(plate("[[0, 0], [1, 0], [1, 0], [0, 1]]"), path, {"turns back on itself at corner 1"});
  expect_wrong(plate("[[0, 0], [1, 0], [2, 0]]"), path, {"turns back on itself"});
  EXPECT_TRUE(input_findings(edited_model("90, 90]}", "90, 90], drawn: " + plate("[[0, 0], [1, 0], [2, 0], [2, 2], [1, 1], [0, 2]]") + "}"))
                  .empty());
}

TEST(BadInput, WrongReferencesAreReported) {
  const InputCase cases[] = {
      {"parent: crank",
       "parent: crnak",
       10,
       "joints.coupler.revolute.parent",
       {"`crnak` is not the name of a body", "did you mean `crank`?"}},
      {"between: [rocker, ground]", "between: [rocker, grond]", 13, "loops.E.revolute.between.1", {"`grond`", "did you mean `ground`?"}},
      {"T: tank", "T: tnk", 21, "valves.valve.directional_4_3.T", {"a volume or a pressure source", "did you mean `tank`?"}},
      {"P: pump", "P: feed", 21, "valves.valve.directional_4_3.P", {"`feed` is a flow source, which defines no pressure"}},
      {"to: v1", "to: tank", 19, "sources.feed.to", {"`tank` is not the name of a volume"}},
      {"signal: command", "signal: comand", 21, "valves.valve.signal", {"`comand` is not the name of a signal", "did you mean `command`?"}},
      {"sum: [command, wave]", "sum: [command, wav]", 37, "signals.both.sum.1", {"did you mean `wave`?"}},
      {"sum: [command, wave]", "sum: [command, both]", 37, "signals.both", {"refers to itself"}},
      {"sum: [command, wave]", "sum: []", 37, "signals.both", {"no operands"}},
      {"joint: crank", "joint: wrench", 15, "springs.return.joint", {"`wrench` is not the name of a joint coordinate"}},
      {"pressure: 7.6 MPa", "pressure: presure", 19, "sources.pump.pressure", {"`presure` is not the name of a signal"}},
      {"parent: ground", "parent: rocker", 9, "joints.crank", {"cycle: crank -> rocker -> coupler -> crank", "`loops`"}},
      {"  rocker: {mass",
       "  rack: {point_mass: {mass: 1}}\n  rocker: {mass",
       7,
       "bodies.rack",
       {"the body has no joint", "free: {parent: ground}"}},
      {"loops:\n", "  rack: {fixed: {parent: ground}}\nloops:\n", 12, "joints.rack", {"no body `rack`"}},
      {"  v2: {volume", "  crank: {volume: 1 L}\n  v2: {volume", 18, "volumes.crank", {"already used in `bodies`"}},
      {"  v2: {volume", "  ground: {volume: 1 L}\n  v2: {volume", 18, "volumes.ground", {"reserved"}},
      {"rod_end: {body: crank", "rod_end: {body: ground", 26, "cylinders.lift.rod_end.body", {"both ends"}},
      {"B: v2, diameter", "B: v1, diameter", 22, "valves.bypass.orifice.B", {"connects `v1` with itself"}},
  };
  for (const InputCase& c : cases) expect_finding(c);
}

TEST(BadInput, WrongPhysicsIsReported) {
  const InputCase cases[] = {
      {"rod: 35 mm", "rod: 85 mm", 30, "cylinders.lift.rod", {"(0.085 m) does not fit into the bore (0.08 m)"}},
      {"inertia: [1, 90, 90]", "inertia: [1, 90, 92]", 7, "bodies.rocker.inertia", {"no mass distribution"}},
      {"inertia: [1, 90, 90]", "inertia: {xx: 1, yy: 90, zz: 90, xy: 50}", 7, "bodies.rocker.inertia", {"no mass distribution"}},
      {"inertia: [1, 90, 90]", "inertia: [-1, 90, 90]", 7, "bodies.rocker.inertia.0", {"not less than 0"}},
      {"inertia: [1, 90, 90]", "inertia: {xx: 1, yy: 90}", 7, "bodies.rocker.inertia.zz", {"`zz` is missing"}},
      {"static: 830 N", "static: 83 N", 33, "cylinders.lift.friction.static", {"83 N is less than", "210 N"}},
      {"model: brown_mcphee", "model: lugre", 33, "cylinders.lift.friction.bristle_stiffness", {"`lugre` needs `bristle_stiffness`"}},
      {"model: brown_mcphee", "model: bengisu_akay", 33, "cylinders.lift.friction.decay", {"`bengisu_akay` needs `decay`"}},
      {"stiffness: 40 N m/rad",
       "stiffness: 40 N/m",
       15,
       "springs.return.stiffness",
       {"does not match the coordinate `crank`", "40 N m/rad"}},
      {"[5 s, -10 V]", "[2 s, -10 V]", 35, "signals.command.steps.2", {"`2 s` is not later", "strictly increasing"}},
      {"[5 s, -10 V]", "[2.5 s, -10 V]", 35, "signals.command.steps.2", {"is not later"}},
      {"[5 s, -10 V]", "[5 s, -10 MPa]", 35, "signals.command.steps.2.1", {"disagrees", "one dimension"}},
      {"[5 s, -10 V]", "[5 m, -10 V]", 35, "signals.command.steps.2.0", {"`5 m`", "a time"}},
      {"[5 s, -10 V]", "[5 s]", 35, "signals.command.steps.2", {"a list of 1", "time and value"}},
      {"[[1 s, 10 V], [2.5 s, 0], [5 s, -10 V]]", "[]", 35, "signals.command.steps", {"an empty list"}},
      {"at_signal: 10 V", "at_signal: 10 V, dead_band: 10 V", 21, "valves.valve.directional_4_3.dead_band", {"fully open at 10"}},
      {"at_signal: 10 V", "at_signal: 10 V, dead_band: 12 V", 21, "valves.valve.directional_4_3.dead_band", {"does not open up to 12"}},
      {"at_signal: 10 V", "at_signal: 20 mA", 21, "valves.valve.signal", {"`command` have a different dimension"}},
      {"pressure: 7.6 MPa", "pressure: command", 19, "sources.pump.pressure", {"`command` have a different dimension", "a pressure"}},
      {"step: 1 ms",
       "step: 1 ms, constraints: double_step, multipliers: plain",
       38,
       "solver.multipliers",
       {"`double_step` does not iterate multipliers", "constraints: penalty"}},
      {"step: 1 ms",
       "step: 1 ms, integrator: rk4",
       38,
       "solver.constraints",
       {"`penalty`, `rk4`", "no accelerations", "nearest supported combination", "constraints: double_step, integrator: rk4"}},
      {"step: 1 ms",
       "step: 1 ms, integrator: cvode",
       38,
       "solver.constraints",
       {"`penalty`, `cvode`", "constraints: double_step, integrator: cvode"}},
      {"step: 1 ms",
       "step: 1 ms, constraints: double_step, integrator: ida",
       38,
       "solver.constraints",
       {"`double_step`, `ida`", "index 1", "constraints: baumgarte, integrator: ida"}},
      {"step: 1 ms",
       "step: 1 ms, constraints: baumgarte, integrator: cvode",
       38,
       "solver.constraints",
       {"`baumgarte`, `cvode`", "multipliers", "constraints: double_step, integrator: cvode"}},
      {"step: 1 ms",
       "step: 1 ms, constraints: ali1",
       38,
       "solver.constraints",
       {"`ali1`, `trapezoidal`", "semi_implicit_euler", "constraints: baumgarte, baumgarte: [xi omega, omega]"}},
      {"step: 1 ms",
       "step: 1 ms, constraints: ali1, integrator: ida",
       38,
       "solver.constraints",
       {"`ali1`, `ida`", "constraints: baumgarte, integrator: ida"}},
      {"step: 1 ms", "step: 1 ms, ali1: {omega: -1}", 38, "solver.ali1.omega", {"not less than 0"}},
      {"step: 1 ms", "step: 1 ms, ali1: {alpha: 0}", 38, "solver.ali1.alpha", {"greater than 0"}},
      {"step: 1 ms", "step: 1 ms, ali1: {alpha: 1e7 N}", 38, "solver.ali1.alpha", {"`1e7 N`", "a mass"}},
      {"step: 1 ms", "step: 1 ms, ali1: {zeta: 1}", 38, "solver.ali1.zeta", {"the key `zeta` is not known"}},
      {"step: 1 ms", "step: 1 ms, coordinates: absolute", 38, "solver.coordinates", {"`absolute`", "cartesian"}},
      {"step: 1 ms",
       "step: 1 ms, coordinates: cartesian, constraints: penalty, integrator: ida",
       38,
       "solver.constraints",
       {"`penalty`, `ida`", "constraints: baumgarte, integrator: ida"}},
      {"step: 1 ms", "step: 1 ms, baumgarte: [50]", 38, "solver.baumgarte", {"a list of 1", "two numbers", "1/s"}},
      {"step: 1 ms", "step: 1 ms, baumgarte: [50, -1]", 38, "solver.baumgarte.1", {"not less than 0"}},
      {"step: 1 ms", "step: 1 ms, baumgarte: [50, 1 m]", 38, "solver.baumgarte.1", {"`1 m`", "a rate"}},
      {"step: 1 ms", "step: 1 ms, reference_tolerance: 0", 38, "solver.reference_tolerance", {"greater than 0"}},
  };
  for (const InputCase& c : cases) expect_finding(c);
}

TEST(BadInput, SyntaxErrorsStandAloneWithTheirPlace) {
  const InputCase cases[] = {
      {"hold: true}", "hold: true", 10, "", {"not valid YAML"}},
      {"title: Four-bar", "title: 'Four-bar", 2, "", {"not valid YAML", "a quote after this position is not closed"}},
      {"title: Four-bar", "\ttitle: Four-bar", 2, "", {"not valid YAML"}},
      {"title: Four-bar", "title: *unknown", 2, "", {"not valid YAML"}},
      {"title: Four-bar", "? [a, b]\n: 3", 2, "", {"cannot be a key"}},
      {"title: Four-bar", "title: &a [*a]", 2, "", {"contains it"}},
      {"solver: {", "---\nsolver: {", 39, "", {"a second YAML document"}},
  };
  for (const InputCase& c : cases) {
    SCOPED_TRACE(c.to);
    const std::vector<Diagnostic> all = input_findings(edited_model(c.from, c.to));
    ASSERT_EQ(all.size(), 1u);
    EXPECT_GT(all[0].span.line, 0);
    EXPECT_EQ(all[0].span.line, c.line) << all[0].text();
    for (const char* words : c.words) EXPECT_NE(all[0].text().find(words), std::string::npos) << all[0].text();
  }
}

TEST(BadInput, AliasesThatGrowWithoutBoundAreRefused) {
  std::string text = "a: &a0 [1, 2]\n";
  for (int i = 1; i < 40; ++i)
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + ", *a" + std::to_string(i - 1) + "]\n";
  ASSERT_EQ(input_findings(text).size(), 1u);
  EXPECT_NE(input_findings(text)[0].text().find("the values of the model exceed the limit"), std::string::npos);
}

TEST(BadInput, EmptyFilesAndFilesOfTheWrongKindAreRefused) {
  for (const char* text : {"", "# nothing\n", "just text", "[1, 2]", "null"}) EXPECT_EQ(input_findings(text).size(), 1u) << text;
  EXPECT_THROW(load_model("no/such/file.yaml"), InputError);
  EXPECT_THROW(load_model("/"), InputError);
}

TEST(BadInput, AllFindingsOfAFileComeTogetherInItsOrder) {
  std::string text = kEditedModel;
  const auto edit = [&text](const std::string& from, const std::string& to) { text.replace(text.find(from), from.size(), to); };
  edit("[0, -9.81, 0]", "[0, -9.81 kg, 0]");
  edit("parent: crank", "parent: crnak");
  edit("bore: 80 mm", "bor: 80 mm");
  edit("static: 830 N", "static: 83 N");
  edit("signal: command", "signal: comand");
  edit("step: 1 ms", "stepp: 1 ms");
  const std::vector<Diagnostic> all = input_findings(text);
  const std::vector<std::pair<int, std::string>> expected{
      {3, "gravity.1"},           {10, "joints.coupler.revolute.parent"}, {21, "valves.valve.signal"},
      {29, "cylinders.lift.bor"}, {33, "cylinders.lift.friction.static"}, {38, "solver.stepp"}};
  ASSERT_EQ(all.size(), expected.size()) << InputError(all).what();
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].span.line, expected[i].first) << all[i].text();
    EXPECT_EQ(all[i].path, expected[i].second);
  }
}

}  // namespace
}  // namespace trunnion
