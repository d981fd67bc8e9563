// `--set` and `--vary`: accepted and rejected paths.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <string>

#include "base/units.h"
#include "file/model_file.h"
#include "schema/parameters.h"
#include "schema/schema.h"

namespace trunnion {
namespace {

const std::string kExample = std::string(TRUNNION_SOURCE_DIR) + "/examples/four_bar.yaml";

Description with(const std::vector<std::string>& settings) {
  std::vector<Override> overrides;
  for (const std::string& text : settings) overrides.push_back(parse_override(text));
  return load_model(kExample, overrides);
}

std::string refusal(const std::string& setting) {
  try {
    with({setting});
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics().size(), 1u) << error.what();
    EXPECT_EQ(error.diagnostics()[0].span.file, "--set");
    return error.what();
  }
  return "not refused";
}

TEST(Override, ReachesValuesOfTheFile) {
  EXPECT_EQ(with({"solver.step=2ms"}).solver.step, 0.002);
  EXPECT_EQ(with({"solver.step=2 ms"}).solver.step, 0.002);
  EXPECT_EQ(with({"solver.step=0.002"}).solver.step, 0.002);
  EXPECT_EQ(with({"cylinders.lift.friction.model=lugre"}).cylinders[0].second.friction.model, FrictionKind::lugre);
  EXPECT_EQ(std::get<RodShape>(with({"bodies.crank.rod.mass=17 kg"}).bodies[0].second.shapes[0]).mass, 17);
  EXPECT_EQ(with({"gravity.1=-1.62"}).gravity[1], -1.62);
  EXPECT_EQ(with({"gravity=[0, 0, -9.81 m/s^2]"}).gravity[2], -9.81);
  EXPECT_EQ(std::get<StepsSignal>(with({"signals.command.steps.0.1=5"}).signals[0].second).steps[0][1], 5);
}

TEST(Override, ReachesValuesThatAreNotInTheFile) {
  EXPECT_EQ(with({"record.every=10"}).record.every, 10);
  EXPECT_EQ(with({"record.channels=[lift.force, \"crank.*\"]"}).record.channels.size(), 2u);
  EXPECT_EQ(with({"bodies.crank.rod.diameter=10 cm"}).bodies.size(), 3u);
  EXPECT_EQ(with({"solver.tangent=forward_difference"}).solver.tangent, TangentKind::forward_difference);
  const Description d = with({"cylinders.lift.end_damper.stiffness=1e6", "cylinders.lift.end_damper.length=2 cm"});
  EXPECT_EQ(d.cylinders[0].second.end_damper.value().length, 0.02);
}

/// Elements of lists that the file leaves out are those of the default.
TEST(Override, ReachesElementsOfListsThatAreNotInTheFile) {
  const auto inertia = [](const std::string& of, const std::string& setting) {
    const Description d = parse_model("trunnion: 1\nbodies: {b: {mass: 1 kg, center_of_mass: [1, 0, 0], inertia: " + of +
                                          "}}\njoints: {b: {revolute: {parent: ground, axis: y}}}\n",
                                      "model", {parse_override(setting), parse_override("gravity.2=-1.62")});
    EXPECT_EQ(d.gravity, (Vec3d{0, 0, -1.62}));
    return std::get<InertiaShape>(d.bodies[0].second.shapes[0]);
  };
  const std::string moments = "[1, 2, 2.5]", tensor = "{xx: 1, yy: 2, zz: 2.5, xy: 0.1}", diagonal = "{xx: 1, yy: 2, zz: 2.5}";
  EXPECT_EQ(inertia(moments, "bodies.b.inertia.1=2.2").moments, (Vec3d{1, 2.2, 2.5}));
  EXPECT_EQ(inertia(diagonal, "bodies.b.inertia.1=2.2").moments, (Vec3d{1, 2.2, 2.5}));
  EXPECT_EQ(inertia(diagonal, "bodies.b.inertia.yy=2.2").moments, (Vec3d{1, 2.2, 2.5}));
  EXPECT_EQ(inertia(tensor, "bodies.b.inertia.yy=2.2").products, (Vec3d{0.1, 0, 0}));
  EXPECT_EQ(inertia(tensor, "bodies.b.inertia={xx: 1, yy: 2, zz: 2.5, yz: 0.2}").products, (Vec3d{0, 0, 0.2}));
  EXPECT_THROW(inertia(tensor, "bodies.b.inertia.1=2.2"), InputError);
  // after other overrides, and with patterns of bodies in both notations
  const auto bodies = [](const std::vector<Override>& settings) {
    const Description d = parse_model(R"(
trunnion: 1
bodies: {a: {mass: 1, inertia: [1, 2, 2.5]}, b: {mass: 1, inertia: {xx: 1, yy: 2, zz: 2.5}}}
joints: {a: {revolute: {parent: ground, axis: y}}, b: {revolute: {parent: ground, axis: y}}}
)",
                                      "model", settings);
    return std::array{std::get<InertiaShape>(d.bodies[0].second.shapes[0]).moments,
                      std::get<InertiaShape>(d.bodies[1].second.shapes[0]).moments};
  };
  EXPECT_EQ(bodies({{"bodies.b.inertia.xx", "1.5"}, {"bodies.b.inertia.1", "2.2"}})[1], (Vec3d{1.5, 2.2, 2.5}));
  EXPECT_EQ(bodies({{"bodies.b.inertia", "{xx: 3, yy: 3, zz: 3}"}, {"bodies.b.inertia.1", "2.2"}})[1], (Vec3d{3, 2.2, 3}));
  EXPECT_EQ(bodies({{"bodies.a.inertia", "{xx: 3, yy: 3, zz: 3}"}, {"bodies.a.inertia.1", "2.2"}})[0], (Vec3d{3, 2.2, 3}));
  for (const Vec3d& each : bodies({{"bodies.*.inertia.1", "2.2"}})) EXPECT_EQ(each, (Vec3d{1, 2.2, 2.5}));
}

/// Names of parameters are paths of overrides.
TEST(Override, ReachesEveryParameter) {
  constexpr double kChange = 1 - 1e-9;
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(TRUNNION_SOURCE_DIR) + "/examples")) {
    if (entry.path().extension() != ".yaml") continue;
    Description changed = load_model(entry.path().string());
    std::vector<Override> overrides;
    for (const Parameter& parameter : parameters_of(changed)) {
      *parameter.value *= kChange;
      overrides.push_back({parameter.path, number_text(*parameter.value)});
    }
    count += overrides.size();
    try {
      EXPECT_EQ(write_model(load_model(entry.path().string(), overrides)), write_model(changed)) << entry.path();
    } catch (const InputError& error) { ADD_FAILURE() << entry.path() << ": " << error.what(); }
  }
  EXPECT_GT(count, 1000U);
}

TEST(Override, AnotherFormReplacesThatOfTheFile) {
  EXPECT_EQ(std::get<ConstantSignal>(with({"signals.command=3"}).signals[0].second).value, 3);
  EXPECT_EQ(std::get<SineSignal>(with({"signals.command.sine.amplitude=3"}).signals[0].second).amplitude, 3);
  EXPECT_EQ(std::get<OrificeDescription>(with({"valves.throttle.orifice.area=20 mm^2"}).valves[1].second).area.value(), 2e-5);
}

/// A hose and a volume are notations of the same: one set by an override keeps what the file gives by the other.
TEST(Override, AnotherNotationKeepsTheRest) {
  const auto volume = [](const char* of, const char* setting, const char* more = "title=none") {
    const std::string text = std::string("trunnion: 1\nfluid: {density: 850, bulk_modulus: 1.5 GPa}\nvolumes: {v: {") + of + "}}\n";
    return parse_model(text, "model", {parse_override(setting), parse_override(more)}).volumes[0].second;
  };
  for (const char* of : {"hose: {volume: 2 L, bulk_modulus: 150 MPa}", "volume: 2 L, bulk_modulus: 150 MPa"})
    for (const char* key : {"volumes.v.volume=1 L", "volumes.v.hose.volume=1 L"}) {
      const VolumeDescription v = volume(of, key);
      EXPECT_EQ(v.volume, 1e-3) << of << ' ' << key;
      EXPECT_EQ(v.bulk_modulus, 150e6) << of << ' ' << key;
    }
  EXPECT_EQ(volume("hose: {volume: 2 L, bulk_modulus: 150 MPa}", "volumes.v.bulk_modulus=300 MPa").bulk_modulus, 300e6);
  EXPECT_THROW(volume("hose: {volume: 2 L}, volume: 1 L", "title=none"), InputError);
  EXPECT_THROW(volume("hose: {volume: 2 L}, bulk_modulus: 1 GPa", "title=none"), InputError);
  EXPECT_THROW(volume("hose: {volume: 2 L}", "volumes.v.bulk_modulus=1 GPa", "volumes.v.hose.volume=1 L"), InputError);
}

TEST(Override, TheLastOfSeveralCounts) { EXPECT_EQ(with({"solver.step=2 ms", "solver.step=3 ms"}).solver.step, 0.003); }

TEST(Override, UnknownPathsAreRefusedWithTheNearestOne) {
  EXPECT_NE(refusal("cylinders.lift.frction.model=lugre").find("did you mean `cylinders.lift.friction.model`?"), std::string::npos);
  EXPECT_NE(refusal("cylinder.lift.bore=80 mm").find("did you mean `cylinders.lift.bore`?"), std::string::npos);
  EXPECT_NE(refusal("cylinders.lft.bore=80 mm").find("did you mean `cylinders.lift.bore`?"), std::string::npos);
  EXPECT_NE(refusal("bodies.crank.mass=3").find("did you mean `bodies.crank.rod.mass`?"), std::string::npos);
  EXPECT_NE(refusal("joints.crank.axis=y").find("did you mean `joints.crank.revolute.axis`?"), std::string::npos);
  EXPECT_NE(refusal("signals.wave=3").find("there is no such path; expected one of `command`"), std::string::npos);
  EXPECT_NE(refusal("gravity.3=1").find("no element `3`; expected an index from 0 to 2"), std::string::npos);
  EXPECT_NE(refusal("gravity.x=1").find("no element `x`"), std::string::npos);
  EXPECT_NE(refusal("cylinders.lift.bore.x=1").find("only `cylinders.lift.bore` as a whole can be set"), std::string::npos);
  EXPECT_NE(refusal("solver..step=1").find("the path is incomplete"), std::string::npos);
}

TEST(Override, AStarSetsEveryPlaceThatFits) {
  const std::string excavator = std::string(TRUNNION_SOURCE_DIR) + "/examples/excavator.yaml";
  const Description plain = load_model(excavator), all = load_model(excavator, {{"cylinders.*.viscous", "16"}}),
                    some = load_model(excavator, {{"cylinders.b*.viscous", "17"}});
  ASSERT_GE(plain.cylinders.size(), 3u);
  std::size_t fitting = 0;
  for (std::size_t i = 0; i < plain.cylinders.size(); ++i) {
    EXPECT_NE(plain.cylinders[i].second.viscous, 16);
    EXPECT_EQ(all.cylinders[i].second.viscous, 16);
    const bool fits = plain.cylinders[i].first.starts_with("b");
    fitting += fits ? 1 : 0;
    EXPECT_EQ(some.cylinders[i].second.viscous == 17, fits) << plain.cylinders[i].first;
  }
  EXPECT_GT(fitting, 0u);
  EXPECT_LT(fitting, plain.cylinders.size());
  EXPECT_EQ(with({"gravity.*=2"}).gravity, (Vec3d{2, 2, 2}));
  EXPECT_EQ(with({"cylinders.l*t.bore=7 cm", "cylinders.*.bore=6 cm"}).cylinders[0].second.bore, 0.06);
  EXPECT_NE(refusal("cylinders.x*.bore=80 mm").find("nothing fits `x*`"), std::string::npos);
  EXPECT_NE(refusal("cylinder.*.bore=80 mm").find("there is no `cylinder`"), std::string::npos);
  EXPECT_NE(refusal("cylinders.*.bor=80 mm").find("did you mean `cylinders.lift.bore`?"), std::string::npos);
  EXPECT_EQ(number_at(kExample, {}, "cylinders.*.bore", "--sensitivity"), 0.08);
}

TEST(Override, WrongValuesAreRefusedLikeThoseOfTheFile) {
  EXPECT_EQ(refusal("cylinders.lift.bore=60MPa"),
            "--set: error: cylinders.lift.bore: found `60MPa`, which has a different dimension; expected a length such as 80 mm");
  EXPECT_NE(refusal("cylinders.lift.bore=").find("found nothing"), std::string::npos);
  EXPECT_NE(refusal("cylinders.lift.bore=\"3").find("not valid YAML"), std::string::npos);
  EXPECT_NE(refusal("solver.constraints=ali1").find("nearest supported combination"), std::string::npos);
}

TEST(Override, TextsAreSplitAtTheFirstEqualsSign) {
  EXPECT_EQ(parse_override("a.b=c=d").path, "a.b");
  EXPECT_EQ(parse_override("a.b=c=d").value, "c=d");
  EXPECT_THROW(parse_override("a.b"), InputError);
  EXPECT_THROW(parse_override("=3"), InputError);
}

TEST(NumberAt, IsTheNumberInForceInSI) {
  const auto at = [](const std::string& path, const std::vector<Override>& overrides = {}) {
    return number_at(kExample, overrides, path, "--sensitivity");
  };
  EXPECT_EQ(at("cylinders.lift.bore"), 0.08);
  EXPECT_EQ(at("joints.crank.angle"), 60 * 3.14159265358979323846 / 180);
  EXPECT_EQ(at("gravity.1"), -9.81);
  EXPECT_EQ(at("cylinders.lift.bore", {{"cylinders.lift.bore", "7 cm"}}), 0.07);
  EXPECT_EQ(at("cylinders.lift.friction.exponent"), 2);
  EXPECT_EQ(at("valves.throttle.orifice.laminar_limit"), 2e5);  // not in the file
  const auto refused = [&](const std::string& path) {
    try {
      at(path);
    } catch (const InputError& error) { return std::string(error.what()); }
    return std::string("accepted");
  };
  EXPECT_NE(refused("cylinders.lift.bor").find("did you mean `cylinders.lift.bore`?"), std::string::npos);
  EXPECT_EQ(refused("cylinders.lift.bor").find("--set"), std::string::npos);
  EXPECT_EQ(refused("cylinders.lift.friction.model"),
            "--sensitivity: error: cylinders.lift.friction.model: found `brown_mcphee`; expected a number");
  EXPECT_EQ(refused("solver.max_iterations"),
            "--sensitivity: error: solver.max_iterations: found `20`, which can only be a whole number; expected a number");
  EXPECT_NE(refused("joints.crank.hold").find("found `true`; expected a number"), std::string::npos);
  EXPECT_NE(refused("cylinders.lift").find("found a mapping"), std::string::npos);
  EXPECT_NE(refused("volumes.v1.pressure").find("found `equilibrium`"), std::string::npos);
}

}  // namespace
}  // namespace trunnion
