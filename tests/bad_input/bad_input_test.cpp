// One invalid file per diagnostic: its line, path and message.
// Each case edits the small model below in one place and must give exactly one finding.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "file/model_file.h"
#include "model/model.h"

namespace trunnion {
namespace {

const std::string kModel = R"(trunnion: 1
title: Four-bar
gravity: [0, -9.81, 0]
bodies:
  crank: {rod: {length: 2 m, mass: 16 kg}}
  coupler: {rod: {length: 8 m, mass: 64 kg}}
  rocker: {mass: 40 kg, center_of_mass: [2.5 m, 0, 0], inertia: [1, 90, 90]}
joints:
  crank: {revolute: {parent: ground, at: [0, 0, 0], axis: z}, angle: 60 deg, hold: true}
  coupler: {revolute: {parent: crank, at: [2 m, 0, 0], axis: z}, angle: -37.90 deg}
  rocker: {revolute: {parent: coupler, at: [8 m, 0, 0], axis: z}, angle: -93.58 deg}
loops:
  E: {revolute: {between: [rocker, ground], at: [[5 m, 0, 0], [10 m, 0, 0]], axis: z}}
springs:
  return: {joint: crank, stiffness: 40 N m/rad, damping: 3 N m s/rad}
volumes:
  v1: {hose: {volume: 3.14e-5 m^3, bulk_modulus: 150 MPa}, pressure: equilibrium}
  v2: {volume: 4.71e-5 m^3, pressure: 3.5 MPa}
sources: {pump: {pressure: 7.6 MPa}, tank: {pressure: 0.1 MPa}, feed: {flow: 1 L/min, to: v1}}
valves:
  valve: {directional_4_3: {P: pump, T: tank, A: v1, B: v2, flow: 24 L/min, at_signal: 10 V}, signal: command}
  bypass: {orifice: {A: v1, B: v2, diameter: 6 mm}}
cylinders:
  lift:
    base: {body: ground, at: [-1 m, 0, 0]}
    rod_end: {body: crank, at: [1 m, 0, 0]}
    A: v1
    B: v2
    bore: 80 mm
    rod: 35 mm
    chamber_length_A: 0.73 m
    chamber_length_B: 0.27 m
    friction: {model: brown_mcphee, coulomb: 210 N, static: 830 N, viscous: 330 N s/m}
signals:
  command: {steps: [[1 s, 10 V], [2.5 s, 0], [5 s, -10 V]]}
  wave: {sine: {amplitude: 10, frequency: 2 Hz}}
  both: {sum: [command, wave]}
solver: {step: 1 ms, duration: 10 s}
)";

struct Case {
  const char* from;  // replaced in the model
  const char* to;
  int line;
  const char* path;
  std::vector<const char*> words;
};

std::string edited(const std::string& from, const std::string& to) {
  std::string text = kModel;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  EXPECT_EQ(text.find(from, at + 1), std::string::npos) << "stands twice: " << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::vector<Diagnostic> findings(const std::string& text) {
  try {
    parse_model(text, "model.yaml");
  } catch (const InputError& error) { return error.diagnostics(); }
  return {};
}

void expect_finding(const Case& c) {
  SCOPED_TRACE(std::string(c.from) + " -> " + c.to);
  const std::vector<Diagnostic> all = findings(edited(c.from, c.to));
  ASSERT_EQ(all.size(), 1u) << (all.empty() ? "" : InputError(all).what());
  EXPECT_EQ(all[0].span.file, "model.yaml");
  EXPECT_EQ(all[0].span.line, c.line) << all[0].text();
  EXPECT_EQ(all[0].path, c.path) << all[0].text();
  for (const char* words : c.words) EXPECT_NE(all[0].text().find(words), std::string::npos) << words << "\n" << all[0].text();
}

TEST(BadInput, TheModelItselfIsGood) { EXPECT_TRUE(findings(kModel).empty()) << InputError(findings(kModel)).what(); }

TEST(BadInput, FrictionAndLimitsOfJointsAreChecked) {
  const std::string crank = "angle: 60 deg, hold: true", pin = "[10 m, 0, 0]], axis: z}";
  const auto on_crank = [&](const std::string& more) { return crank + ", " + more; };
  const auto on_pin = [&](const std::string& more) { return pin + ", " + more; };
  const std::string texts[] = {
      on_crank("friction: {model: lugre, coulomb: 3 N m, static: 2 N m, bristle_stiffness: 100}"),
      on_crank("friction: {model: lugre, coulomb: 3 N m, static: 4 N m}"),
      on_crank("friction: {model: coulomb_viscous, coulomb: 3 N}"),
      on_crank("friction: {angle: {coulomb: 3}}"),
      on_crank("limits: {}"),
      on_crank("limits: {minimum: 1, maximum: 0.5}"),
      on_crank("limits: {maximum: 1, stiffness: 0}"),
      on_crank("limits: {maximum: 1, damping: 3}"),
      on_crank("limits: {maximum: 1 m}"),
      on_crank("limits: {maximum: 1, rigid: true, stiffness: 3}"),
      on_crank("limits: {maximum: 1, rigid: true, damping: 3}"),
      on_crank("limits: {maximum: 1, rigid: true, depth: 3}"),
      on_crank("limits: {maximum: 1, restitution: 0.3}"),
      on_crank("limits: {maximum: 1, rigid: true, restitution: 1}"),
      on_crank("limits: {maximum: 1, rigid: true, restitution: -0.1}"),
      on_pin("limits: {minimum: -200 deg, maximum: 200 deg}"),
      on_pin("friction: {model: brown_mcphee, coulomb: 2, static: 1}"),
      on_pin("limits: {minimum: -150 deg}"),
      on_pin("limits: {maximum: 3}"),
  };
  const char *const joint = "joints.crank.", *const loop = "loops.E.";
  const struct {
    std::string path;
    std::vector<const char*> words;
  } expected[] = {
      {std::string(joint) + "friction.static", {"2 N m is less than the Coulomb friction 3 N m"}},
      {std::string(joint) + "friction.bristle_stiffness", {"`lugre` needs `bristle_stiffness`"}},
      {std::string(joint) + "friction.coulomb", {"different dimension", "a torque"}},
      {std::string(joint) + "friction.angle", {"angle"}},
      {std::string(joint) + "limits", {"has no limit", "`minimum`, `maximum` or both"}},
      {std::string(joint) + "limits.maximum", {"0.5 rad) is not above the least (1 rad)"}},
      {std::string(joint) + "limits.stiffness", {"greater than 0"}},
      {std::string(joint) + "limits.depth", {"damping needs the depth"}},
      {std::string(joint) + "limits.maximum", {"different dimension", "an angle"}},
      {std::string(joint) + "limits.stiffness", {"follow from inertia and step", "no `stiffness`, or no `rigid`"}},
      {std::string(joint) + "limits.damping", {"follow from inertia and step", "no `damping`, or no `rigid`"}},
      {std::string(joint) + "limits.depth", {"follow from inertia and step", "no `depth`, or no `rigid`"}},
      {std::string(joint) + "limits.restitution", {"an elastic limit has no restitution", "`rigid: true`"}},
      {std::string(joint) + "limits.restitution", {"1 is not below 1"}},
      {std::string(joint) + "limits.restitution", {"from 0 to 1"}},
      {std::string(loop) + "limits.maximum", {"up to whole turns only", "less than 360 deg"}},
      {std::string(loop) + "friction.static", {"1 N m is less than the Coulomb friction 2 N m"}},
      {std::string(loop) + "limits", {"up to whole turns only", "`minimum` and `maximum`"}},
      {std::string(loop) + "limits", {"up to whole turns only", "`minimum` and `maximum`"}},
  };
  for (std::size_t i = 0; i < std::size(texts); ++i) {
    const bool of_loop = i > 14;
    expect_finding({(of_loop ? pin : crank).c_str(), texts[i].c_str(), of_loop ? 13 : 9, expected[i].path.c_str(), expected[i].words});
  }
  const std::string floating = edited("gravity: [0, -9.81, 0]", "gravity: [0, 0, 0]"), limited = crank + ", limits: {maximum: 2}";
  const std::size_t at = floating.find(crank);
  const std::vector<Diagnostic> all = findings(std::string(floating).replace(at, crank.size(), limited));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].path, "joints.crank.limits.stiffness");
}

TEST(BadInput, WrongNumbersAreReported) {
  const Case cases[] = {
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
      {"chamber_length_A: 0.73 m", "chamber_length_A: 0", 31, "cylinders.lift.chamber_length_A", {"a length greater than 0"}},
      {"[0, -9.81, 0]", "[0, -9.81]", 3, "gravity", {"found a list of 2", "three numbers"}},
      {"[0, -9.81, 0]", "-9.81", 3, "gravity", {"`-9.81`", "a list of three numbers"}},
      {"[0, -9.81, 0]", "[0, -9.81, down]", 3, "gravity.2", {"`down` is not a number", "an acceleration"}},
      {"diameter: 6 mm", "diameter: 6 mm, discharge: 0", 22, "valves.bypass.orifice.discharge", {"a number greater than 0"}},
  };
  for (const Case& c : cases) expect_finding(c);
}

TEST(BadInput, WrongKeysAreReported) {
  const Case cases[] = {
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
  for (const Case& c : cases) expect_finding(c);
}

TEST(BadInput, WrongLooksAreReported) {
  const auto expect_wrong = [](const std::string& drawn, const std::string& path, std::vector<const char*> words) {
    const std::string to = "inertia: [1, 90, 90], drawn: " + drawn + "}";
    const std::string where = "bodies.rocker.drawn" + path;
    expect_finding({"inertia: [1, 90, 90]}", to.c_str(), 7, where.c_str(), std::move(words)});
  };
  const auto plate = [](const std::string& outline) { return "[{plate: {outline: " + outline + ", thickness: 10 mm}}]"; };
  expect_wrong("[]", "", {"an empty list"});
  expect_wrong("[{}]", ".0", {"expected one of `plate`, `box`, `cylinder` or `sphere`"});
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
  EXPECT_TRUE(findings(edited("90, 90]}", "90, 90], drawn: " + plate("[[0, 0], [1, 0], [2, 0], [2, 2], [1, 1], [0, 2]]") + "}")).empty());
}

TEST(BadInput, WrongReferencesAreReported) {
  const Case cases[] = {
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
  for (const Case& c : cases) expect_finding(c);
}

TEST(BadInput, WrongPhysicsIsReported) {
  const Case cases[] = {
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
  for (const Case& c : cases) expect_finding(c);
}

TEST(BadInput, WrongValvesAndMotorsAreReported) {
  const char* const orifice = "orifice: {A: v1, B: v2, diameter: 6 mm}}";
  const char* const signals = "signals:\n  command";
  const auto motor = [](const char* item) { return std::string("motors:\n  m: {A: v1, B: v2, ") + item + "}\nsignals:\n  command"; };
  struct Item {
    const char* from;
    std::string to;
    int line;
    const char* path;
    std::vector<const char*> words;
  };
  const std::vector<Item> items{
      {orifice, "check: {A: v1, B: v2}}", 22, "valves.bypass.check", {"expected one of `diameter`"}},
      {orifice, "check: {A: v1, B: v1, diameter: 6 mm}}", 22, "valves.bypass.check.B", {"check valve connects `v1` with itself"}},
      {orifice,
       "check: {A: v1, B: v2, cracking_pressure: 3 bar, flow: 1 L/min, at_pressure_drop: 2 bar}}",
       22,
       "valves.bypass.check.at_pressure_drop",
       {"(2e+05 Pa) does not open the valve", "cracking pressure is 3e+05 Pa"}},
      {orifice, "check: {A: v1, B: feed, diameter: 6 mm}}", 22, "valves.bypass.check.B", {"`feed` is a flow source"}},
      {orifice,
       "relief: {A: v1, B: v2, flow: 1 L/min, override: 1 bar}}",
       22,
       "valves.bypass.relief.cracking_pressure",
       {"the key `cracking_pressure` is missing"}},
      {orifice,
       "relief: {A: v1, B: v2, cracking_pressure: 9 bar, flow: 1 L/min}}",
       22,
       "valves.bypass.relief.override",
       {"the key `override` is missing"}},
      {orifice,
       "relief: {A: v1, B: v2, cracking_pressure: 9 bar, gradient: 3 L/min}}",
       22,
       "valves.bypass.relief.gradient",
       {"a flow per pressure such as 3 L/min/bar"}},
      {orifice,
       "relief: {A: v2, B: v2, cracking_pressure: 9 bar, gradient: 1e-9}}",
       22,
       "valves.bypass.relief.B",
       {"relief valve connects `v2` with itself"}},
      {orifice, "relif: {A: v1, B: v2}}", 22, "valves.bypass.relif", {"did you mean `relief`?"}},
      {orifice,
       "orifice: {A: v1, B: v2, diameter: 6 mm, opening: [[-1, 1], [0, 0]]}}",
       22,
       "valves.bypass.orifice.opening",
       {"no command `signal`"}},
      {orifice,
       "orifice: {A: v1, B: v2, diameter: 6 mm, time_constant: 1 ms}}",
       22,
       "valves.bypass.orifice.time_constant",
       {"no command `signal`"}},
      {orifice,
       "orifice: {A: v1, B: v2, diameter: 6 mm, opening: [[0 V, 0], [1 V, 1.5]]}, signal: command}",
       22,
       "valves.bypass.orifice.opening.1.1",
       {"`1.5`", "from 0 to 1"}},
      {orifice,
       "orifice: {A: v1, B: v2, diameter: 6 mm, opening: [[1 V, 0], [0 V, 1]]}, signal: command}",
       22,
       "valves.bypass.orifice.opening.1",
       {"the signal `0 V` is not greater", "strictly increasing signals"}},
      {orifice,
       "orifice: {A: v1, B: v2, diameter: 6 mm, opening: [[0 V, 0], [1 A, 1]]}, signal: command}",
       22,
       "valves.bypass.orifice.opening.1.0",
       {"disagrees"}},
      {orifice, "orifice: {A: v1, B: v2, diameter: 6 mm}, signal: command}", 22, "valves.bypass.signal", {"different dimension"}},
      {orifice,
       "orifice: {A: v1, B: v2, diameter: 6 mm, opening: []}, signal: wave}",
       22,
       "valves.bypass.orifice.opening",
       {"an empty list", "points [signal, value]"}},
      {signals, motor("joint: crnk, displacement: 1 cm^3/rad"), 35, "motors.m.joint", {"did you mean `crank`?"}},
      {signals, motor("joint: crank"), 35, "motors.m", {"expected one of `displacement` or `displacement_A`"}},
      {signals, motor("joint: crank, displacement: 1 cm^2/rad"), 35, "motors.m.displacement", {"500 cm^3/rev"}},
      {signals,
       motor("joint: crank, displacement: 1 cm^3/rad, chamber_angle_A: 1"),
       35,
       "motors.m",
       {"only one of `chamber_angle_A` and `chamber_angle_B`"}},
      {signals,
       motor("joint: crank, displacement: 1 cm^3/rad, volume: 1 L, chamber_angle_A: 1, chamber_angle_B: 1"),
       35,
       "motors.m.volume",
       {"follow from its chamber angles"}},
      {signals,
       motor("joint: crank, displacement: 1 cm^3/rad, end_damper: {length: 1 deg}"),
       35,
       "motors.m.end_damper",
       {"has no end stops"}},
      {signals,
       motor("joint: crank, displacement: 1 cm^3/rad, friction: {model: lugre, coulomb: 1 N, static: 2 N m, bristle_stiffness: 1}"),
       35,
       "motors.m.friction.coulomb",
       {"`1 N`", "a torque"}},
  };
  for (const Item& item : items) expect_finding({item.from, item.to.c_str(), item.line, item.path, item.words});
}

TEST(BadInput, WrongCosimulationIsReported) {
  const char* const end = "solver: {step: 1 ms, duration: 10 s}";
  const auto with = [](const char* coupling, const char* solver = "") {
    return std::string("solver: {step: 1 ms, duration: 10 s, coupling: cosimulation") + solver + "}\ncoupling: " + coupling;
  };
  struct Item {
    std::string to;
    int line;
    const char* path;
    std::vector<const char*> words;
  };
  const std::vector<Item> items{
      {with("{variables: velocity_pressure, friction: hydraulics}"),
       39,
       "coupling.friction",
       {"not the friction it evaluates", "{variables: velocity_force, friction: hydraulics}"}},
      {with("{scheme: iterated_jacobi, prediction: interface_model}"),
       39,
       "coupling.prediction",
       {"no prediction is used", "{scheme: jacobi, prediction: interface_model}"}},
      {with("{scheme: gauss_seidel, order: mechanism_first, prediction: interface_model}"),
       39,
       "coupling.prediction",
       {"no prediction is used", "hydraulics_first"}},
      {with("{scheme: sequential, subsystems: {a: {parts: [lift], step: 1 us}}}"),
       39,
       "coupling.subsystems.a.step",
       {"`sequential` integrates all circuits with the same steps", "coupling.hydraulics.step"}},
      {with("{scheme: parallel}", ", constraints: ali1, integrator: semi_implicit_euler"),
       39,
       "coupling.scheme",
       {"`parallel`", "`ali1`", "{scheme: sequential, constraints: ali1}"}},
      {with("{prediction: interface_model, subsystems: {a: {parts: [lift], integrator: euler}}}"),
       39,
       "coupling.subsystems.a.integrator",
       {"`interface_model`", "coupling.hydraulics.integrator"}},
      {with("{extrapolation: 4}"), 39, "coupling.extrapolation", {"order of extrapolation 4", "0, 1, 2 or 3"}},
      {with("{mechanism: {extrapolation: 5}}"), 39, "coupling.mechanism.extrapolation", {"0, 1, 2 or 3"}},
      {with("{extrapolation: -1}"), 39, "coupling.extrapolation", {"not less than 0"}},
      {with("{hydraulics: {integrator: cvode}}"), 39, "coupling.hydraulics.integrator", {"`cvode`", "euler, rk4 or trapezoidal"}},
      {with("{hydraulics: {integrator: semi_implicit_euler}}"), 39, "coupling.hydraulics.integrator", {"requires positions", "`euler`"}},
      {with("{subsystems: {a: {parts: [lfit]}}}"), 39, "coupling.subsystems.a.parts.0", {"`lfit`", "did you mean `lift`?"}},
      {with("{subsystems: {a: {parts: []}}}"), 39, "coupling.subsystems.a.parts", {"no parts"}},
      {with("{subsystems: {a: {}}}"), 39, "coupling.subsystems.a.parts", {"`parts` is missing"}},
      {with("{schem: jacobi}"), 39, "coupling.schem", {"did you mean `scheme`?"}},
      {with("{scheme: jacoby}"), 39, "coupling.scheme", {"did you mean `jacobi`?"}},
      {with("{step: 1 m}"), 39, "coupling.step", {"`1 m`", "a time"}},
      {with("{control: {min_step: 2 ms}}"), 39, "coupling.control.min_step", {"greater than the maximum"}},
      {with("{threads: 0}"), 39, "coupling.threads", {"greater than 0"}},
      {with("{}", ", constraints: double_step, integrator: cvode"), 38, "solver.coupling", {"requires a fixed step", "monolithic"}},
  };
  for (const Item& item : items) expect_finding({end, item.to.c_str(), item.line, item.path, item.words});
  const std::string unused = edited(end, std::string(end) + "\ncoupling: {variables: velocity_pressure, friction: hydraulics}");
  EXPECT_TRUE(findings(unused).empty()) << "a combination that is not in use may stand in the file";
}

TEST(BadInput, WrongJointsAndCouplingsAreReported) {
  const auto coupling = [](const char* text) { return std::string("couplings: {pair: {") + text + "}}\nsolver: {"; };
  const std::string texts[] = {
      coupling("joints: [crank, rockr], ratio: 2"),
      coupling("joints: [crank, rocker], ratio: 0"),
      coupling("joints: [crank, rocker]"),
      coupling("joints: [crank, crank], ratio: 2"),
      coupling("joints: [crank], ratio: 2"),
      coupling("joints: [crank, rocker], ratio: 40 mm/rad"),
      coupling("joints: [crank, rocker], ratio: 3 kg"),
  };
  const Case cases[] = {
      {"solver: {", texts[0].c_str(), 38, "couplings.pair.joints.1", {"a joint coordinate", "did you mean `rocker`?"}},
      {"solver: {", texts[1].c_str(), 38, "couplings.pair.ratio", {"`0`", "other than 0"}},
      {"solver: {", texts[2].c_str(), 38, "couplings.pair.ratio", {"the key `ratio` is missing"}},
      {"solver: {", texts[3].c_str(), 38, "couplings.pair.joints", {"`crank` is coupled to itself", "two coordinates"}},
      {"solver: {", texts[4].c_str(), 38, "couplings.pair.joints", {"a list of 1", "2 names"}},
      {"solver: {", texts[5].c_str(), 38, "couplings.pair.ratio", {"the unit does not match the coordinates `crank` and `rocker`"}},
      {"solver: {", texts[6].c_str(), 38, "couplings.pair.ratio", {"the unit does not match"}},
      {"revolute: {parent: crank, at: [2 m, 0, 0], axis: z}, angle: -37.90 deg",
       "universal: {parent: crank, axes: [x, [1, 1, 0]]}, angles: [60 deg, 0]",
       10,
       "joints.coupler.universal.axes",
       {"not perpendicular", "[x, y]"}},
      {"revolute: {parent: crank, at: [2 m, 0, 0], axis: z}, angle: -37.90 deg",
       "universal: {parent: crank}, angles: [60 deg]",
       10,
       "joints.coupler.angles",
       {"a list of 1", "two numbers"}},
      {"revolute: {parent: crank, at: [2 m, 0, 0], axis: z}, angle: -37.90 deg",
       "planar: {parent: crank, normal: z}, position: 1 m",
       10,
       "joints.coupler.position",
       {"`1 m`", "two numbers"}},
      {"revolute: {parent: crank, at: [2 m, 0, 0], axis: z}, angle: -37.90 deg",
       "cylindrical: {parent: crank, axis: z}, angles: [1, 2]",
       10,
       "joints.coupler.angles",
       {"`angles` cannot be combined with `cylindrical`", "it belongs to `universal`"}},
  };
  for (const Case& c : cases) expect_finding(c);
}

TEST(BadInput, CoordinatesOfJointsAreNamedAndHaveTheirUnits) {
  const std::string machine = R"(trunnion: 1
bodies:
  tube: {mass: 1, inertia: [1, 1, 1]}
  cross: {mass: 1, inertia: [1, 1, 1]}
  plate: {mass: 1, inertia: [1, 1, 1]}
  ball: {mass: 1, inertia: [1, 1, 1]}
  bead: {mass: 1, inertia: [1, 1, 1]}
  post: {mass: 1, inertia: [1, 1, 1]}
  lever: {mass: 1, inertia: [1, 1, 1]}
joints:
  tube: {cylindrical: {parent: ground}}
  cross: {universal: {parent: ground}}
  plate: {planar: {parent: ground}}
  ball: {spherical: {parent: ground}}
  bead: {point_on_line: {parent: ground}}
  post: {fixed: {parent: ground}}
  lever: {revolute: {parent: ground}}
signals: {way: {ramps: [[0, 0 m], [1 s, 0.1 m]]}, swing: {sine: {amplitude: 0.1 rad, frequency: 1 Hz}}}
)";
  struct Item {
    const char *text, *path;
    std::vector<const char*> words;
  };
  const Item items[] = {
      {"springs: {s: {joint: tube, stiffness: 1}}",
       "springs.s.joint",
       {"`tube` has several coordinates", "one of `tube.position`, `tube.angle`"}},
      {"springs: {s: {joint: plate, stiffness: 1}}", "springs.s.joint", {"one of `plate.x`, `plate.y`, `plate.angle`"}},
      {"springs: {s: {joint: tube.angel, stiffness: 1}}", "springs.s.joint", {"no coordinate `angel`", "did you mean `tube.angle`?"}},
      {"springs: {s: {joint: ball, stiffness: 1}}",
       "springs.s.joint",
       {"`ball` is the rotation of a spherical joint", "quaternion", "springs between points"}},
      {"springs: {s: {joint: bead.q, stiffness: 1}}",
       "springs.s.joint",
       {"`bead.q` is the rotation of a spherical joint", "`bead.position`"}},
      {"springs: {s: {joint: bead, stiffness: 1}}", "springs.s.joint", {"`bead` has several coordinates", "`bead.position`"}},
      {"springs: {s: {joint: post, stiffness: 1}}", "springs.s.joint", {"`post` is fixed"}},
      {"springs: {s: {joint: lever.position, stiffness: 1}}", "springs.s.joint", {"no coordinate `position`", "`lever.angle`"}},
      {"springs: {s: {joint: tubes.angle, stiffness: 1}}",
       "springs.s.joint",
       {"not the name of a joint coordinate", "did you mean `tube.angle`?"}},
      {"springs: {s: {joint: tube.position, stiffness: 3 N m/rad}}",
       "springs.s.stiffness",
       {"does not match the coordinate `tube.position`", "N/m"}},
      {"springs: {s: {joint: tube.angle, stiffness: 3, preload: 4 N}}",
       "springs.s.preload",
       {"does not match the coordinate `tube.angle`"}},
      {"forces: {f: {joint: plate.x, load: 3 N m}}", "forces.f.load", {"does not match the coordinate `plate.x`"}},
      {"motions: {m: {joint: cross.angle_1, signal: way}}", "motions.m.signal", {"`way` have a different dimension", "angle"}},
      {"motions: {m: {joint: tube.position, signal: way}, n: {joint: tube.position, signal: way}}",
       "motions.n.joint",
       {"is already prescribed by `m`"}},
      {"motions: {m: {joint: lever, signal: swing}, n: {joint: lever.angle, signal: swing}}",
       "motions.n.joint",
       {"is already prescribed by `m`"}},
      {"couplings: {c: {joints: [lever, lever.angle], ratio: 2}}", "couplings.c.joints", {"coupled to itself"}},
      {"couplings: {c: {joints: [tube.position, tube.angle], ratio: 2 rad/m}}", "couplings.c.ratio", {"does not match", "40 mm/rad"}},
  };
  for (const Item& item : items) {
    SCOPED_TRACE(item.text);
    const std::vector<Diagnostic> all = findings(machine + item.text + "\n");
    ASSERT_EQ(all.size(), 1u) << (all.empty() ? "" : InputError(all).what());
    EXPECT_EQ(all[0].path, item.path);
    for (const char* words : item.words) EXPECT_NE(all[0].text().find(words), std::string::npos) << all[0].text();
  }
  for (const char* good :
       {"springs: {s: {joint: tube.position, stiffness: 3 N/m, rest: 1 m}, t: {joint: tube.angle, stiffness: 3 N m/rad}}",
        "springs: {s: {joint: lever.angle, damping: 3 N m s/rad}, t: {joint: lever, stiffness: 3 N m/rad}}",
        "forces: {f: {joint: cross.angle_2, load: 3 N m}, g: {joint: bead.position, load: 3 N}}",
        "motions: {m: {joint: plate.y, signal: way}}", "couplings: {c: {joints: [tube.position, tube.angle], ratio: 2 mm/rad}}"})
    EXPECT_TRUE(findings(machine + good + "\n").empty()) << good << "\n" << InputError(findings(machine + good + "\n")).what();
}

TEST(BadInput, WrongWheelsAndBladesAreReported) {
  const std::string machine = R"(trunnion: 1
bodies: {disc: {sphere: {radius: 0.3, mass: 1}}, rim: {sphere: {radius: 0.1, mass: 1}}, post: {point_mass: {mass: 1}}}
joints:
  disc: {free: {parent: ground}, position: [0, 0, 0.3]}
  rim:  {fixed: {parent: disc}}
  post: {fixed: {parent: ground}}
)";
  struct Item {
    const char* text;
    const char* path;
    std::vector<const char*> words;
  };
  const Item items[] = {
      {"wheels: {w: {body: disk, radius: 0.3}}", "wheels.w.body", {"`disk` is not the name of a body", "did you mean `disc`?"}},
      {"wheels: {w: {radius: 0.3}}", "wheels.w.body", {"the key `body` is missing"}},
      {"wheels: {w: {body: disc}}", "wheels.w.radius", {"the key `radius` is missing"}},
      {"wheels: {w: {body: disc, radius: 0}}", "wheels.w.radius", {"greater than 0"}},
      {"wheels: {w: {body: disc, radius: -1}}", "wheels.w.radius", {"greater than 0"}},
      {"wheels: {w: {body: disc, radius: 3 kg}}", "wheels.w.radius", {"a length"}},
      {"wheels: {w: {body: disc, radius: 0.3, axis: [0, 0, 0]}}", "wheels.w.axis", {"the axis has no direction"}},
      {"wheels: {w: {body: disc, radius: 0.3, plane: {normal: [0, 0, 0]}}}", "wheels.w.plane.normal", {"the axis has no direction"}},
      {"wheels: {w: {body: disc, radius: 0.3, plane: {body: grund}}}", "wheels.w.plane.body", {"did you mean `ground`?"}},
      {"wheels: {w: {body: disc, radius: 0.3, plane: {body: disc}}}", "wheels.w.plane.body", {"both on `disc`", "two different bodies"}},
      {"wheels: {w: {body: disc, radius: 0.3, lateral_slip: yes}}", "wheels.w.lateral_slip", {"none", "free"}},
      {"wheels: {w: {body: disc, radius: 0.3, plane: {body: rim}}}", "wheels.w", {"cannot move relative to each other"}},
      {"wheels: {w: {body: post, radius: 0.3}}", "wheels.w", {"`post` and `ground` cannot move relative to each other"}},
      {"wheels: {w: {body: disc, radius: 0.3, axis: z}}", "wheels.w", {"lies flat on its plane", "along the normal"}},
      {"blades: {b: {body: disc, on: disc}}", "blades.b.on", {"both on `disc`"}},
      {"blades: {b: {body: disc, on: rim}}", "blades.b", {"cannot move relative to each other"}},
      {"blades: {b: {body: disk}}", "blades.b.body", {"did you mean `disc`?"}},
      {"blades: {b: {body: disc, across: [0, 0, 0]}}", "blades.b.across", {"the axis has no direction"}},
      {"couplings: {c: {joints: [disc.x, disc.y], ratio: 2, level: rate}}", "couplings.c.level", {"position", "velocity"}},
  };
  for (const Item& item : items) {
    SCOPED_TRACE(item.text);
    std::vector<Diagnostic> all = findings(machine + item.text + "\n");
    if (all.empty()) try {
        compile(parse_model(machine + item.text + "\n", "model.yaml"));
      } catch (const InputError& error) { all = error.diagnostics(); }
    ASSERT_EQ(all.size(), 1u) << (all.empty() ? "" : InputError(all).what());
    EXPECT_EQ(all[0].path, item.path);
    for (const char* words : item.words) EXPECT_NE(all[0].text().find(words), std::string::npos) << all[0].text();
  }
  EXPECT_NO_THROW(
      compile(parse_model(machine + "wheels: {w: {body: disc, radius: 0.3}}\nblades: {b: {body: disc, at: [0, 0, -0.3]}}\n", "m")));
}

TEST(BadInput, SyntaxErrorsStandAloneWithTheirPlace) {
  const Case cases[] = {
      {"hold: true}", "hold: true", 10, "", {"not valid YAML"}},
      {"title: Four-bar", "title: 'Four-bar", 2, "", {"not valid YAML", "a quote after this position is not closed"}},
      {"title: Four-bar", "\ttitle: Four-bar", 2, "", {"not valid YAML"}},
      {"title: Four-bar", "title: *unknown", 2, "", {"not valid YAML"}},
      {"title: Four-bar", "? [a, b]\n: 3", 2, "", {"cannot be a key"}},
      {"title: Four-bar", "title: &a [*a]", 2, "", {"contains it"}},
      {"solver: {", "---\nsolver: {", 39, "", {"a second YAML document"}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.to);
    const std::vector<Diagnostic> all = findings(edited(c.from, c.to));
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
  ASSERT_EQ(findings(text).size(), 1u);
  EXPECT_NE(findings(text)[0].text().find("the values of the model exceed the limit"), std::string::npos);
}

TEST(BadInput, EmptyFilesAndFilesOfTheWrongKindAreRefused) {
  for (const char* text : {"", "# nothing\n", "just text", "[1, 2]", "null"}) EXPECT_EQ(findings(text).size(), 1u) << text;
  EXPECT_THROW(load_model("no/such/file.yaml"), InputError);
  EXPECT_THROW(load_model("/"), InputError);
}

TEST(BadInput, AllFindingsOfAFileComeTogetherInItsOrder) {
  std::string text = kModel;
  const auto edit = [&text](const std::string& from, const std::string& to) { text.replace(text.find(from), from.size(), to); };
  edit("[0, -9.81, 0]", "[0, -9.81 kg, 0]");
  edit("parent: crank", "parent: crnak");
  edit("bore: 80 mm", "bor: 80 mm");
  edit("static: 830 N", "static: 83 N");
  edit("signal: command", "signal: comand");
  edit("step: 1 ms", "stepp: 1 ms");
  const std::vector<Diagnostic> all = findings(text);
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
