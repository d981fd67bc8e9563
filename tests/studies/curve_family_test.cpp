// Force-velocity curves of models. Reference: the values of figures 3(a) and 3(b) of Kikuuwe et al. (nonsmooth quasistatic hydraulics),
// evaluated independently of this program, the source's statements on figures 3(c), 3(d), 8 and 12, and the file formats.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/curve_family.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/diagnostic.h"
#include "results/files.h"
#include "support/temporary_folder.h"

namespace trunnion {
namespace {

using Json = nlohmann::json;

constexpr double kScale = 1008e3 + 480e3;  // [N] F_hM + F_rM
const std::string kArm = std::string(TRUNNION_SOURCE_DIR) + "/examples/arm_quasistatic.yaml";
const std::string kBleed = "quasistatic.circuit.bleed.command";

CurveRequest arm(const std::vector<std::string>& set = {}) {
  CurveRequest request;
  request.model_file = kArm;
  for (const std::string& text : set) request.overrides.push_back(parse_override(text));
  return request;
}

/// Two cylinders and a vane on one pump, and a cylinder with lumped oil.
std::string shared_pump() {
  const std::string metering = R"(
        relief_A: 42 MPa
        relief_B: 40 MPa
        P_A: {area: 1 cm^2, discharge: 0.6}
        B_T: {area: 1 cm^2, discharge: 0.6}
        P_B: {area: 1 cm^2, discharge: 0.6}
        A_T: {area: 1 cm^2, discharge: 0.6}
        element: {stiffness: 5e7, damping: 2.5e6}
)";
  const std::string path = test::temporary_folder() + "_shared_pump.yaml";
  write_text(R"(
trunnion: 1
bodies: {one: {point_mass: {mass: 1000 kg}}, two: {point_mass: {mass: 1000 kg}}, arm: {rod: {length: 2 m, mass: 100 kg}}}
joints:
  one: {prismatic: {parent: ground, axis: x}, position: 2 m}
  two: {prismatic: {parent: ground, axis: x}, position: 2 m}
  arm: {revolute: {parent: ground, axis: z}}
fluid: {density: 850 kg/m^3, bulk_modulus: 1500 MPa}
volumes: {a: {volume: 1 L, pressure: 1 MPa}, b: {volume: 1 L, pressure: 1 MPa}}
sources: {tank: {pressure: 1 bar}}
cylinders:
  boom:  {base: {body: ground}, rod_end: {body: one}, area_A: 0.024 m^2, area_B: 0.012 m^2}
  stick: {base: {body: ground}, rod_end: {body: two}, area_A: 0.024 m^2, area_B: 0.012 m^2}
  aside: {base: {body: ground}, rod_end: {body: two}, A: a, B: b, area_A: 0.024 m^2, area_B: 0.012 m^2, chamber_length_A: 1 m, chamber_length_B: 1 m}
motors: {swing: {joint: arm, displacement: 2 L/rad}}
quasistatic:
  circuit:
    tank: tank
    flow: 500 L/min
    relief: 36 MPa
    bleed: {area: 1 cm^2, discharge: 0.6, command: 0.2}
    actuators:
      boom:
        command: lever)" +
                 metering + R"(
      stick:
        command: lever)" +
                 metering + R"(
      swing:
        command: still)" +
                 metering + R"(
signals: {lever: {steps: [[1 s, 0.5]]}, still: 0}
solver: {step: 1 ms, duration: 2 s}
)",
             path);
  return path;
}

CurveRequest pump(const std::string& actuator) {
  CurveRequest request;
  request.model_file = shared_pump();
  request.actuator = actuator;
  return request;
}

/// Rows of a CSV as text by column.
std::vector<std::map<std::string, std::string>> rows_of(const std::string& csv) {
  std::istringstream lines(csv);
  std::string line;
  const auto cells = [](const std::string& text) {
    std::vector<std::string> list;
    std::istringstream in(text);
    for (std::string cell; std::getline(in, cell, ',');) list.push_back(cell);
    return list;
  };
  std::getline(lines, line);
  const auto header = cells(line);
  std::vector<std::map<std::string, std::string>> rows;
  while (std::getline(lines, line)) {
    if (line.rfind("# ", 0) == 0) continue;
    const auto values = cells(line);
    EXPECT_EQ(values.size(), header.size()) << line;
    auto& row = rows.emplace_back();
    for (std::size_t i = 0; i < header.size(); ++i) row[header[i]] = values[i];
  }
  return rows;
}

/// The force of a curve at a velocity of its grid.
double force_at(const ActuatorCurve& curve, double v) {
  for (const ForceVelocityPoint& p : curve.points)
    if (std::abs(p.at.v - v) < 1e-12) return p.at.f;
  ADD_FAILURE() << v;
  return 0;
}

TEST(CurveFamily, HasTheValuesAndSegmentsOfFigure3) {
  std::ifstream file(std::string(TRUNNION_SOURCE_DIR) + "/tests/data/quasistatic_figure3.csv");
  std::string comment;
  std::getline(file, comment);
  std::stringstream text;
  text << file.rdbuf();
  std::map<std::string, std::vector<std::map<std::string, std::string>>> expected;
  for (const auto& row : rows_of(text.str())) expected[row.at("u_c")].push_back(row);
  ASSERT_EQ(expected.size(), 2U);
  for (const auto& [command, rows] : expected) {
    CurveRequest request = arm({kBleed + "=0.2"});
    request.commands = {command};
    request.velocity = rows.front().at("v") + "," + rows.back().at("v");
    request.points = static_cast<int>(rows.size());
    const CurveFamily family = curve_family(request);
    ASSERT_EQ(family.curves.size(), 1U);
    const auto& points = family.curves[0].points;
    for (const auto& row : rows) {
      const double v = std::stod(row.at("v")), lower = std::stod(row.at("f_lower")), upper = std::stod(row.at("f_upper"));
      const auto at = std::find_if(points.begin(), points.end(), [&](const auto& p) { return std::abs(p.at.v - v) < 1e-12; });
      ASSERT_NE(at, points.end()) << v;
      EXPECT_NEAR(at->force.lower, lower, 1e-11 * kScale) << v;
      EXPECT_NEAR(at->force.upper, upper, 1e-11 * kScale) << v;
      const std::string segment = row.at("segment");
      EXPECT_EQ(name_of(at->at.segment), segment == "set" ? std::string("hold") : segment) << v;
    }
    EXPECT_GT(points.size(), rows.size());  // and breakpoints
  }
}

TEST(CurveFamily, ForceRisesWithTheLever) {  // figure 3(c): at constant force, velocity rises with u_c
  CurveRequest request = arm({kBleed + "=0.2"});
  request.commands = {"-1,-0.6,-0.2,0,0.2,0.6,1"};
  const CurveFamily family = curve_family(request);
  EXPECT_EQ(family.varied, std::vector<std::string>{"command"});
  ASSERT_EQ(family.curves.size(), 7U);
  const double step = (family.upper - family.lower) / 200;
  for (std::size_t k = 1; k < family.curves.size(); ++k) {
    EXPECT_GE(family.curves[k].free_velocity, family.curves[k - 1].free_velocity);
    bool greater = false;
    for (int i = 0; i <= 200; ++i) {
      const double v = family.lower + step * i, below = force_at(family.curves[k - 1], v), above = force_at(family.curves[k], v);
      if (std::abs(v) < 1e-12) continue;
      EXPECT_GE(above, below - 1e-9 * kScale) << v;
      greater = greater || above > below + 1e-3 * kScale;
    }
    EXPECT_TRUE(greater);
  }
  // the default range includes every saturation
  for (const ActuatorCurve& curve : family.curves) {
    EXPECT_LT(family.lower, curve.saturation.lower);
    EXPECT_GT(family.upper, curve.saturation.upper);
    EXPECT_NEAR(curve.points.front().at.f, 1008e3, 1e-6);
    EXPECT_NEAR(curve.points.back().at.f, -480e3, 1e-6);
  }
}

TEST(CurveFamily, ForceFallsWithTheBleedValve) {  // figure 3(d)
  CurveRequest request = arm();
  request.vary = {split_vary(kBleed + "=0,0.1,0.3,0.5,0.8,1")};
  request.commands = {"0.7"};
  const CurveFamily family = curve_family(request);
  EXPECT_EQ(family.varied, (std::vector<std::string>{kBleed, "command"}));
  ASSERT_EQ(family.curves.size(), 6U);
  EXPECT_EQ(family.curves[2].values, (std::vector<std::string>{"0.3", "0.7"}));
  EXPECT_EQ(family.curves[2].bleed, 0.3);
  for (std::size_t k = 1; k < family.curves.size(); ++k) {
    EXPECT_LT(family.curves[k].free_velocity, family.curves[k - 1].free_velocity);
    EXPECT_LE(family.curves[k].at_rest.lower, family.curves[k - 1].at_rest.lower);
    EXPECT_EQ(family.curves[k].at_rest.upper, 1008e3);
  }
  // a closed valve makes it vertical where the cylinder uses all the flow
  const auto& points = family.curves[0].points;
  EXPECT_EQ(std::count_if(points.begin(), points.end(), [](const auto& p) { return std::abs(p.at.v - 0.5 / 60 / 0.024) < 1e-12; }), 2);
}

TEST(CurveFamily, RegenerationPaysWherePulled) {  // figure 8
  const std::string valve = "quasistatic.circuit.actuators.lift.B_A";
  CurveRequest request = arm({kBleed + "=0.2", valve + "={area: 1 cm^2, discharge: 0.6, command: 0}"});
  request.commands = {"0.5"};
  request.vary = {split_vary(valve + ".command=0,0.25,0.5,1")};
  const CurveFamily family = curve_family(request);
  EXPECT_TRUE(family.regenerates);
  const double step = (family.upper - family.lower) / 200;
  for (std::size_t k = 1; k < family.curves.size(); ++k) {
    EXPECT_GT(family.curves[k].saturation.upper, family.curves[k - 1].saturation.upper);
    EXPECT_GT(family.curves[k].points.back().at.Q_a, family.curves[k - 1].points.back().at.Q_a);
    double last = 0;
    for (int i = 0; i <= 200; ++i) {
      const double v = family.lower + step * i;
      if (force_at(family.curves[k - 1], v) < 0) {
        EXPECT_GE(force_at(family.curves[k], v), force_at(family.curves[k - 1], v) - 1e-9 * kScale);
      }
    }
    for (const ForceVelocityPoint& p : family.curves[k].points) {
      EXPECT_GE(p.at.Q_a, last - 1e-12);
      last = p.at.Q_a;
    }
  }
  const Plot plot = curve_plot(family);
  ASSERT_EQ(plot.panels.size(), 2U);
  EXPECT_EQ(plot.panels[1].y.unit, "L/min");
  EXPECT_NE(curve_csv(family).find(",flow_B_A,"), std::string::npos);
}

TEST(CurveFamily, OthersOnThePumpTakeItsFlow) {  // figure 12
  CurveRequest request = pump("boom");
  request.at = "1 s";
  request.moving = {"stick=0,0.1,0.2"};
  request.velocity = "-0.1 m/s,0.8";
  const CurveFamily family = curve_family(request);
  EXPECT_EQ(family.varied, std::vector<std::string>{"stick.velocity"});
  ASSERT_EQ(family.curves.size(), 3U);
  double lowest = 36e6;
  for (std::size_t k = 1; k < family.curves.size(); ++k) {
    const ActuatorCurve &slow = family.curves[k - 1], &fast = family.curves[k];
    EXPECT_LT(fast.free_velocity, slow.free_velocity);
    for (int i = 0; i <= 200; ++i) {
      const double v = -0.1 + 0.9 * i / 200;
      const auto point = [&](const ActuatorCurve& c) {
        return *std::find_if(c.points.begin(), c.points.end(), [&](const auto& p) { return std::abs(p.at.v - v) < 1e-12; });
      };
      if (std::abs(v) < 1e-12) continue;
      EXPECT_LE(point(fast).at.f, point(slow).at.f + 1e-6);
      EXPECT_LE(point(fast).pump.P, point(slow).pump.P + 1e-3);
      EXPECT_LE(point(fast).pump.Q_relief, point(slow).pump.Q_relief + 1e-12);
      lowest = std::min(lowest, point(fast).pump.P);
    }
  }
  EXPECT_LT(lowest, 20e6);
  const ActuatorCurve& curve = family.curves[1];
  ASSERT_EQ(curve.actuators.size(), 3U);
  EXPECT_EQ(curve.actuators[1].velocity, 0.1);
  EXPECT_EQ(curve.actuators[1].openings.ph, 0.5);
  EXPECT_EQ(curve.actuators[2].openings.ph, 0);
  const Plot plot = curve_plot(family);
  ASSERT_EQ(plot.panels.size(), 3U);
  EXPECT_EQ(plot.panels[1].y.unit, "MPa");
}

TEST(CurveFamily, LeversOfOthersMayBeSet) {
  CurveRequest request = pump("boom");
  request.commands = {"0.5", "stick=0.5,-0.5"};
  request.moving = {"stick=0.2"};
  const CurveFamily family = curve_family(request);
  EXPECT_EQ(family.varied, (std::vector<std::string>{"command", "stick.command", "stick.velocity"}));
  ASSERT_EQ(family.curves.size(), 2U);
  EXPECT_EQ(family.curves[1].values, (std::vector<std::string>{"0.5", "-0.5", "0.2"}));
  EXPECT_EQ(family.curves[1].actuators[1].openings.pr, 0.5);
  // pulled out against its lever, the stick draws no oil from the pump
  EXPECT_GT(family.curves[1].free_velocity, family.curves[0].free_velocity);
}

TEST(CurveFamily, SignalsAreReadAtTheirTime) {
  CurveRequest request = pump("boom");
  EXPECT_EQ(curve_family(request).curves[0].actuators[0].command, 0);
  request.at = "1000 ms";  // a jump acts from then on
  EXPECT_EQ(curve_family(request).curves[0].actuators[0].command, 0.5);
}

TEST(CurveFamily, MotorsTurn) {
  CurveRequest request = pump("swing");
  request.commands = {"0.5"};
  request.velocity = "-20 deg/s,2";
  const CurveFamily family = curve_family(request);
  EXPECT_TRUE(family.is_rotary);
  EXPECT_NEAR(family.lower, -20 * std::acos(-1) / 180, 1e-15);
  EXPECT_NEAR(family.curves[0].at_rest.upper, 42e6 * 2e-3, 1e-6);
  EXPECT_EQ(Json::parse(curve_json(family, "m.yaml"))["units"], (Json{{"velocity", "rad/s"}, {"force", "N m"}}));
  EXPECT_EQ(curve_plot(family).panels[0].x.unit, "rad/s");
}

TEST(CurveFamily, FilesHoldTheWholeCurve) {
  CurveRequest request = arm({kBleed + "=0.2", "sources.tank.pressure=1 bar"});
  request.commands = {"0.5"};
  request.velocity = "-0.2,1";
  const CurveFamily family = curve_family(request);
  const auto rows = rows_of(curve_csv(family));
  EXPECT_EQ(rows.size(), family.curves[0].points.size());
  int rest = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto number = [&](const char* column) { return std::stod(rows[i].at(column)); };
    EXPECT_EQ(rows[i].at("command"), "0.5");
    EXPECT_GE(number("pressure_A"), 1e5);  // absolute
    EXPECT_NEAR(number("force"), 0.024 * (number("pressure_A") - 1e5) - 0.012 * (number("pressure_B") - 1e5), 1e-3);
    EXPECT_EQ(rows[i].count("flow_B_A"), 0U);
    EXPECT_NEAR(number("flow_P_A") - number("relief_flow_A"), 0.024 * number("velocity"), 1e-12);
    EXPECT_NEAR(number("flow_P_A") + number("bleed_flow") + number("pump_relief_flow"), 0.5 / 60, 1e-12);
    if (number("velocity") != 0) continue;
    ++rest;
    EXPECT_EQ(number("force_low"), 864e3);
    EXPECT_EQ(number("force_high"), 1008e3);
    EXPECT_EQ(number("force"), rest == 1 ? 1008e3 : 864e3);
    EXPECT_EQ(rows[i].at("segment"), "hold");
  }
  EXPECT_EQ(rest, 2);

  const Json json = Json::parse(curve_json(family, "arm.yaml"));
  EXPECT_EQ(json["model"], "arm.yaml");
  EXPECT_EQ(json["actuator"], "lift");
  EXPECT_EQ(json["circuit"], "circuit");
  const Json& curve = json["curves"][0];
  EXPECT_EQ(curve["values"]["command"], "0.5");
  EXPECT_EQ(curve["tank_pressure"], 1e5);
  EXPECT_EQ(curve["force_at_rest"], (Json{{"low", 864e3}, {"high", 1008e3}}));
  std::string segments;
  for (const Json& s : curve["segments"]) segments += s["segment"].get<std::string>() + " ";
  EXPECT_EQ(segments, "FhM hold +2a +1a +3 -FrM ");
  EXPECT_EQ(curve["segments"][0]["velocity"], (Json{-0.2, 0.0}));
  EXPECT_EQ(curve["segments"][1]["velocity"], (Json{0.0, 0.0}));
  for (std::size_t i = 1; i < 6; ++i) {
    EXPECT_EQ(curve["segments"][i]["velocity"][0], curve["segments"][i - 1]["velocity"][1]);
    EXPECT_EQ(curve["segments"][i]["force"][0], curve["segments"][i - 1]["force"][1]);
  }
  EXPECT_EQ(curve["breakpoints"].size(), 4U);
  const std::string table = curve_text(family);
  for (const char* word : {"lift of circuit", "864 to 1008", "FhM hold +2a +1a +3 -FrM"})
    EXPECT_NE(table.find(word), std::string::npos) << table;

  // the plot of one curve is by segments, which are connected
  const Plot plot = curve_plot(family);
  ASSERT_EQ(plot.panels.size(), 1U);
  const auto& curves = plot.panels[0].curves;
  ASSERT_EQ(curves.size(), 7U);
  for (std::size_t i = 0; i + 1 < 6; ++i) {
    EXPECT_EQ(curves[i].x.back(), curves[i + 1].x.front());
    EXPECT_EQ(curves[i].y.back(), curves[i + 1].y.front());
  }
  EXPECT_EQ(plot.panels[0].y.unit, "kN");
}

TEST(CurveFamily, WrongRequestsAreRefused) {
  struct Wrong {
    const char* what;
    void (*change)(CurveRequest&);
    std::vector<const char*> words;
  };
  const std::vector<Wrong> all{
      {"no name", [](CurveRequest& r) { r.actuator = ""; }, {"--actuator", "several", "boom, stick, swing"}},
      {"misspelt",
       [](CurveRequest& r) { r.actuator = "bom"; },
       {"--actuator", "no actuator `bom`", "boom, stick, swing", "did you mean `boom`?"}},
      {"lumped", [](CurveRequest& r) { r.actuator = "aside"; }, {"--actuator", "`aside` is not quasistatic", "boom, stick, swing"}},
      {"no number", [](CurveRequest& r) { r.commands = {"0.5,half"}; }, {"--command", "found `half`"}},
      {"no value", [](CurveRequest& r) { r.commands = {"0.5,"}; }, {"--command", "found ``"}},
      {"unknown lever", [](CurveRequest& r) { r.commands = {"stik=1"}; }, {"--command", "`stik`", "did you mean `stick`?"}},
      {"lever twice",
       [](CurveRequest& r) {
         r.commands = {"0.5", "boom=1"};
       },
       {"--command", "`boom` is given twice"}},
      {"own velocity",
       [](CurveRequest& r) { r.moving = {"boom=1"}; },
       {"--moving", "the curve is over the velocity of `boom`", "stick, swing"}},
      {"nothing moves", [](CurveRequest& r) { r.moving = {"0.1"}; }, {"--moving", "does not name the moving actuator"}},
      {"unknown moves",
       [](CurveRequest& r) { r.moving = {"aside=1"}; },
       {"--moving", "no actuator `aside` on the pump of `boom`", "stick, swing"}},
      {"wrong unit", [](CurveRequest& r) { r.moving = {"swing=1 m/s"}; }, {"--moving", "an angular rate"}},
      {"not a range", [](CurveRequest& r) { r.velocity = "1"; }, {"--velocity", "two velocities"}},
      {"empty range", [](CurveRequest& r) { r.velocity = "1,-1"; }, {"--velocity", "is empty"}},
      {"range of angles", [](CurveRequest& r) { r.velocity = "-1 rad/s,1"; }, {"--velocity", "a speed"}},
      {"no points", [](CurveRequest& r) { r.points = 1; }, {"--points", "2 to"}},
      {"before the start", [](CurveRequest& r) { r.at = "-1 s"; }, {"--at", "from 0 on"}},
      {"no time", [](CurveRequest& r) { r.at = "1 m"; }, {"--at", "a time"}},
      {"unknown path",
       [](CurveRequest& r) {
         r.vary = {{"quasistatic.circuit.relif", {"1 MPa"}}};
       },
       {"relif"}},
      {"valves that cannot be",
       [](CurveRequest& r) {
         r.overrides = {{"quasistatic.circuit.actuators.stick.A_T.command", "-0.5"}}, r.commands = {"stick=0.3"};
       },
       {"valve openings of `stick` are inconsistent", "stick.command = 0.3", "A_T 0.5"}},
      {"pump that draws",
       [](CurveRequest& r) {
         r.overrides = {{"quasistatic.circuit.flow", "lever"}, {"signals.lever.steps", "[[0, -1]]"}};
       },
       {"the flow of the pump is -1"}},
  };
  for (const Wrong& wrong : all) {
    CurveRequest request = pump("boom");
    wrong.change(request);
    try {
      (void)curve_family(request);
      ADD_FAILURE() << wrong.what;
    } catch (const InputError& error) {
      for (const char* word : wrong.words)
        EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << wrong.what << ": " << word << "\n" << error.what();
    }
  }
  CurveRequest both = pump("boom");  // all findings at once
  both.points = 0;
  both.velocity = "1,0";
  try {
    (void)curve_family(both);
    ADD_FAILURE();
  } catch (const InputError& error) { EXPECT_EQ(error.diagnostics().size(), 2U); }
  CurveRequest none;
  none.model_file = std::string(TRUNNION_SOURCE_DIR) + "/examples/lever.yaml";
  try {
    (void)curve_family(none);
    ADD_FAILURE();
  } catch (const InputError& error) { EXPECT_NE(std::string(error.what()).find("the model has none"), std::string::npos) << error.what(); }
}

}  // namespace
}  // namespace trunnion
