// A weight on an upright cylinder, for tests of static solutions, and why there is none.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "machine/equilibrium.h"

namespace trunnion::test {

inline constexpr double kGravity = 9.81;  // [m/s2]

/// Why there is no static solution.
inline std::vector<Diagnostic> refused(const std::shared_ptr<const CompiledModel>& model) {
  try {
    solve_equilibrium(*model);
  } catch (const InputError& error) { return error.diagnostics(); }
  return {};
}
/// Places of findings.
inline std::vector<std::string> paths(const std::vector<Diagnostic>& findings) {
  std::vector<std::string> list;
  for (const Diagnostic& d : findings) list.push_back(d.path);
  return list;
}

/// Upright cylinder of 50 cm2 below and 40 cm2 above, from the ground or another body to a body.
inline std::string cylinder(const std::string& name, const std::string& from, const std::string& to, const std::string& A,
                            const std::string& B, const std::string& more = "") {
  return name + ": {base: {body: " + from + "}, rod_end: {body: " + to + "}, A: " + A + ", B: " + B +
         ", area_A: 50 cm^2, area_B: 40 cm^2, chamber_length_A: 0.4, chamber_length_B: 0.6" + more + "}";
}
/// A volume of 1 L.
inline std::string volume(const std::string& name, const std::string& p) { return name + ": {hose: {volume: 1 L}, pressure: " + p + "}"; }
inline constexpr double kArea_A = 50e-4, kArea_B = 40e-4;  // [m2] of it

/// A weight of 1000 kg on a vertical slide from 1 m on its cylinder.
inline std::string weight(const std::string& p_A, const std::string& p_B, const std::string& rest = "", const std::string& joint = "",
                          const std::string& more = "") {
  return "bodies: {w: {point_mass: {mass: 1000}}}\njoints: {w: {prismatic: {parent: ground, axis: z}, position: 1 m" + joint +
         "}}\nvolumes: {" + volume("a", p_A) + ", " + volume("b", p_B) + "}\ncylinders: {" + cylinder("c", "ground", "w", "a", "b", more) +
         "}\n" + rest;
}
inline constexpr double kWeight = 1000 * kGravity;  // [N]

}  // namespace trunnion::test
