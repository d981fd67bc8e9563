// Invalid mechanisms: joints with their friction, limits and names, couplings, wheels and blades. One finding per case, in the file of
// support/edited_model.h.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/model.h"
#include "support/edited_model.h"

namespace trunnion {
namespace {

using test::edited_model;
using test::expect_finding;
using test::input_findings;
using test::InputCase;

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
      {std::string(joint) + "limits.restitution", {"found `1`", "at least 0 and below 1"}},
      {std::string(joint) + "limits.restitution", {"at least 0 and below 1"}},
      {std::string(loop) + "limits.maximum", {"up to whole turns only", "less than 360 deg"}},
      {std::string(loop) + "friction.static", {"1 N m is less than the Coulomb friction 2 N m"}},
      {std::string(loop) + "limits", {"up to whole turns only", "`minimum` and `maximum`"}},
      {std::string(loop) + "limits", {"up to whole turns only", "`minimum` and `maximum`"}},
  };
  for (std::size_t i = 0; i < std::size(texts); ++i) {
    const bool of_loop = i > 14;
    expect_finding({(of_loop ? pin : crank).c_str(), texts[i].c_str(), of_loop ? 13 : 9, expected[i].path.c_str(), expected[i].words});
  }
  const std::string floating = edited_model("gravity: [0, -9.81, 0]", "gravity: [0, 0, 0]"), limited = crank + ", limits: {maximum: 2}";
  const std::size_t at = floating.find(crank);
  const std::vector<Diagnostic> all = input_findings(std::string(floating).replace(at, crank.size(), limited));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].path, "joints.crank.limits.stiffness");
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
  const InputCase cases[] = {
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
  for (const InputCase& c : cases) expect_finding(c);
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
    const std::vector<Diagnostic> all = input_findings(machine + item.text + "\n");
    ASSERT_EQ(all.size(), 1u) << (all.empty() ? "" : InputError(all).what());
    EXPECT_EQ(all[0].path, item.path);
    for (const char* words : item.words) EXPECT_NE(all[0].text().find(words), std::string::npos) << all[0].text();
  }
  for (const char* good :
       {"springs: {s: {joint: tube.position, stiffness: 3 N/m, rest: 1 m}, t: {joint: tube.angle, stiffness: 3 N m/rad}}",
        "springs: {s: {joint: lever.angle, damping: 3 N m s/rad}, t: {joint: lever, stiffness: 3 N m/rad}}",
        "forces: {f: {joint: cross.angle_2, load: 3 N m}, g: {joint: bead.position, load: 3 N}}",
        "motions: {m: {joint: plate.y, signal: way}}", "couplings: {c: {joints: [tube.position, tube.angle], ratio: 2 mm/rad}}"})
    EXPECT_TRUE(input_findings(machine + good + "\n").empty()) << good << "\n" << InputError(input_findings(machine + good + "\n")).what();
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
    std::vector<Diagnostic> all = input_findings(machine + item.text + "\n");
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

}  // namespace
}  // namespace trunnion
