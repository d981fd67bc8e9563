// Valves in a model file: every form is read, written and read again; errors have their location.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "file/model_file.h"

namespace trunnion {
namespace {

const std::string kModel = R"(trunnion: 1
signals: {u: {steps: [[0.1 s, 1 V]]}}
volumes: {v: {volume: 1 L}, w: {volume: 1 L}, ls: {volume: 1 L}, z: {volume: 1 L}}
sources: {tank: {pressure: 1 bar}, pump: {pressure: 100 bar}}
valves:
  d: {directional: {ports: {P: pump, T: tank, A: v, B: {node: w}, L_1: ls}, edges: {P_A: {flow: 10 L/min, at_pressure_drop: 10 bar, opening: [[0.1 V, 0], [1 V, 1]]}, A_T: {areas: [[-1 V, 10 mm^2], [-0.1 V, 0]]}, A_L_1: {diameter: 1 mm, opening: [[0 V, 0], [1 V, 1]]}}, frequency: 20 Hz, rate_limit: 30 V/s}, signal: u}
  o: {orifice: {A: v, B: w, diameter: 1 mm, opening: [[0 V, 0], [1 V, 1]], frequency: 10 Hz, damping: 0.9}, signal: u}
  r: {relief: {A: v, B: tank, cracking_pressure: 200 bar, flow: 10 L/min, override: 10 bar, frequency: 200 Hz, damping: 0.1}}
  pc: {pilot_check: {A: v, B: w, X: ls, pilot_ratio: 4, flow: 10 L/min, at_pressure_drop: 3 bar, cracking_pressure: 1 bar}}
  cb: {counterbalance: {A: v, B: w, X: ls, setting: 250 bar, pilot_ratio: 4.5, flow: 60 L/min, at_pressure_drop: 20 bar, drain: tank}}
  sh: {shuttle: {X: v, Y: w, Z: ls, diameter: 2 mm}}
  rd: {reducing: {A: pump, B: w, T: tank, setting: 30 bar, relieving: true, overlap: 1 bar, area: 20 mm^2}}
  co: {compensator: {kind: post, A: v, B: w, LS: ls, setting: 5 bar, diameter: 5 mm, frequency: 100 Hz}}
  fd: {flow_divider: {P: v, A: w, B: ls, flow: 30 L/min, at_pressure_drop: 10 bar, share: 0.4}}
  pr: {priority: {P: v, CF: w, EF: ls, LS: z, setting: 7 bar, flow: 60 L/min, at_pressure_drop: 7 bar}}
  re: {resistance: {A: v, B: tank, flow: 60 L/min, at_pressure_drop: 2 bar}}
  la: {laminar: {A: v, B: tank, diameter: 1 mm, length: 20 mm}}
  ga: {laminar: {A: v, B: w, width: 30 mm, height: 20 um, length: 10 mm}}
  rl: {relief: {A: w, B: tank, cracking_pressure: 180 bar, flow: 12 L/min, override: 8 bar, time_constant: 7 ms}}
)";

template <class V>
const V& valve(const Description& d, const std::string& name) {
  for (const auto& [item, v] : d.valves)
    if (item == name) return std::get<V>(v);
  throw std::out_of_range(name);
}

TEST(ValveForms, AreReadWithTheirDefaults) {
  const Description d = parse_model(kModel, "valves.yaml");
  const auto& spool = valve<SpoolValveDescription>(d, "d");
  EXPECT_EQ(spool.ports.size(), 5u);
  EXPECT_EQ(spool.ports[3].second.node, "w");
  EXPECT_EQ(spool.edges[0].first, "P_A");
  EXPECT_EQ(spool.edges[0].second.opening, (std::vector<std::array<double, 2>>{{0.1, 0}, {1, 1}}));
  EXPECT_EQ(spool.edges[1].second.areas, (std::vector<std::array<double, 2>>{{-1, 1e-5}, {-0.1, 0}}));
  EXPECT_EQ(edge_nodes(spool, "A_L_1"), std::pair(std::string("v"), std::string("ls")));
  EXPECT_FALSE(edge_nodes(spool, "A_L"));
  EXPECT_EQ(spool.dynamics.frequency, 20);
  EXPECT_EQ(spool.dynamics.damping, 0.7);
  EXPECT_EQ(spool.dynamics.rate_limit, 30);
  EXPECT_EQ(valve<OrificeDescription>(d, "o").dynamics.damping, 0.9);
  EXPECT_EQ(valve<ReliefValveDescription>(d, "r").frequency, 200);
  EXPECT_EQ(valve<PilotCheckValveDescription>(d, "pc").setting, 1e5);
  EXPECT_EQ(valve<PilotCheckValveDescription>(d, "pc").range, 1e5);
  EXPECT_EQ(valve<CounterbalanceValveDescription>(d, "cb").setting, 250e5);
  EXPECT_EQ(valve<CounterbalanceValveDescription>(d, "cb").range, 20e5);
  EXPECT_FALSE(valve<CounterbalanceValveDescription>(d, "cb").frequency);
  EXPECT_EQ(valve<ShuttleValveDescription>(d, "sh").range, 1e5);
  EXPECT_TRUE(valve<ReducingValveDescription>(d, "rd").relieving);
  EXPECT_EQ(valve<CompensatorDescription>(d, "co").kind, CompensatorDescription::Kind::post);
  EXPECT_TRUE(valve<CompensatorDescription>(d, "co").load_check);
  EXPECT_EQ(valve<FlowDividerDescription>(d, "fd").share, 0.4);
  EXPECT_EQ(valve<PriorityValveDescription>(d, "pr").setting, 7e5);
  EXPECT_EQ(valve<ResistanceDescription>(d, "re").laminar_share, 0.1);
  EXPECT_EQ(valve<LaminarRestrictionDescription>(d, "la").diameter, 1e-3);
  EXPECT_EQ(valve<LaminarRestrictionDescription>(d, "ga").height, 20e-6);
  EXPECT_EQ(valve<ReliefValveDescription>(d, "rl").time_constant, 7e-3);
}

TEST(ValveForms, ReadBackAsTheyWereWritten) {
  const std::string once = write_model(parse_model(kModel, "valves.yaml"));
  EXPECT_EQ(write_model(parse_model(once, "again.yaml")), once);
  EXPECT_NE(once.find("areas: [[-1, 1e-05], [-0.1, 0]]"), std::string::npos) << once;
}

struct Wrong {
  const char *from, *to, *path, *words;
};

TEST(ValveForms, WhatIsWrongIsFoundAtItsPlace) {
  const std::vector<Wrong> cases{
      {"A_L_1: {d", "A_Q: {d", "valves.d.directional.edges.A_Q", "does not name two ports"},
      {"L_1: ls}", "L_1: lz}", "valves.d.directional.ports.L_1.node", "did you mean `ls`?"},
      {"A: v, B: {node: w}", "A: v, B: {node: pump}, Q: v", "", ""},  // ports without edges are allowed
      {"T: tank, A: v, B", "T: v, A: v, B", "valves.d.directional.edges.A_T", "connects `v` with itself"},
      {"frequency: 20 Hz", "frequency: 20 Hz, time_constant: 3 ms", "valves.d.directional.frequency", "only one of them"},
      {"frequency: 20 Hz, rate", "rate", "valves.d.directional.rate_limit", "no rate to limit"},
      {"10 mm^2]", "-10 mm^2]", "valves.d.directional.edges.A_T.areas.0.1", "not less than 0"},
      {"areas: [[-1 V, 10", "areas: [[-1 A, 10", "valves.d.directional.edges.A_T.areas.0.0", "disagrees"},
      {"A_T: {areas", "A_T: {diameter: 1 mm, areas", "valves.d.directional.edges.A_T", "mutually exclusive"},
      {"A_T: {areas", "A_T: {opening: [[0 V, 1]], areas", "valves.d.directional.edges.A_T.opening", "cannot be combined with `areas`"},
      {"30 V/s}, signal: u", "30 V/s}", "valves.d.signal", "missing"},
      {"frequency: 10 Hz, damping: 0.9}, signal: u", "frequency: 10 Hz, damping: 0.9}", "valves.o.orifice.frequency",
       "no command `signal`"},
      {"flow: 10 L/min, override: 10 bar", "gradient: 1e-9", "valves.r.relief.gradient", "flow and override"},
      {"at_pressure_drop: 3 bar", "at_pressure_drop: 1.5 bar", "valves.pc.pilot_check.at_pressure_drop", "fully open"},
      {"drain: tank", "drains: tank", "valves.cb.counterbalance.drains", "did you mean `drain`?"},
      {"B: w, X: ls, setting", "B: v, X: ls, setting", "valves.cb.counterbalance.B", "connects `v` with itself"},
      {"Z: ls", "Z: w", "valves.sh.shuttle.Z", "has `w` at Y already"},
      {"relieving: true, ", "", "valves.rd.reducing.overlap", "relieving: true"},
      {"kind: post", "kind: past", "valves.co.compensator.kind", "did you mean `post`?"},
      {"LS: ls, setting: 5", "LS: v, setting: 5", "valves.co.compensator.LS", "relative to itself"},
      {"share: 0.4", "share: 1", "valves.fd.flow_divider.share", "less than 1"},
      {"LS: z, setting: 7", "LS: w, setting: 7", "valves.pr.priority.LS", "relative to itself"},
      {"flow: 60 L/min, at_pressure_drop: 2 bar", "flow: 60 L/min, at_pressure_drop: 2 bar, laminar_share: 0",
       "valves.re.resistance.laminar_share", "greater than 0"},
      {"diameter: 1 mm, length: 20 mm", "diameter: 1 mm", "valves.la.laminar.length", "missing"},
      {"diameter: 1 mm, length: 20 mm", "diameter: 1 mm, width: 2 mm, length: 20 mm", "valves.la.laminar", "mutually exclusive"},
      {"laminar: {A: v, B: w", "laminar: {A: v, B: v", "valves.ga.laminar.B", "connects `v` with itself"},
      {"height: 20 um", "height: 0 um", "valves.ga.laminar.height", "greater than 0"},
      {"flow: 12 L/min, override: 8 bar", "gradient: 1e-9", "valves.rl.relief.gradient", "without `time_constant`"},
      {"time_constant: 7 ms", "time_constant: 7 ms, frequency: 80 Hz", "valves.rl.relief.time_constant", "mutually exclusive"},
      {"time_constant: 7 ms", "time_constant: -7 ms", "valves.rl.relief.time_constant", "not less than 0"},
      {"counterbalance:", "counterbalanc:", "valves.cb.counterbalanc", "did you mean `counterbalance`?"},
  };
  for (const Wrong& c : cases) {
    std::string text = kModel;
    const std::size_t at = text.find(c.from);
    ASSERT_NE(at, std::string::npos) << c.from;
    text.replace(at, std::string(c.from).size(), c.to);
    std::vector<Diagnostic> found;
    try {
      parse_model(text, "valves.yaml");
    } catch (const InputError& error) { found = error.diagnostics(); }
    if (c.path[0] == '\0') {
      EXPECT_TRUE(found.empty()) << c.to;
      continue;
    }
    ASSERT_EQ(found.size(), 1u) << c.to;
    EXPECT_EQ(found[0].path, c.path);
    EXPECT_NE(found[0].text().find(c.words), std::string::npos) << found[0].text();
    EXPECT_GT(found[0].span.line, 0) << c.to;
  }
}

}  // namespace
}  // namespace trunnion
