// Invalid valves and motors, and settings of co-simulation. One finding per case, in the file of support/edited_model.h.
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

TEST(BadInput, WrongValvesAreReported) {
  const char* const orifice = "orifice: {A: v1, B: v2, diameter: 6 mm}}";
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
  };
  for (const Item& item : items) expect_finding({item.from, item.to.c_str(), item.line, item.path, item.words});
}

TEST(BadInput, WrongMotorsAreReported) {
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
  const std::string unused = edited_model(end, std::string(end) + "\ncoupling: {variables: velocity_pressure, friction: hydraulics}");
  EXPECT_TRUE(input_findings(unused).empty()) << "a combination that is not in use is allowed in the file";
}

}  // namespace
}  // namespace trunnion
