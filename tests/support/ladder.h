// The ladder of N windows: N + 1 vertical bars on the ground, N horizontal bars on top of them, each 1 m long and of 1 kg. It starts
// upright, its tops at 1 m/s. One degree of freedom for any N, and positions (all bars on one line) with momentarily more.
// Source: IFToMM library of computational benchmark problems, A02 "N four-bar mechanism".
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <string>

namespace trunnion::test {

/// A model file. Vertical `v0` to `vN`, horizontal `h1` to `hN`: h_i is attached to v_(i-1), loop `w_i` closes it with v_i.
inline std::string ladder_model(int windows, const std::string& solver) {
  std::string bodies, joints, loops;
  for (int i = 0; i <= windows; ++i) {
    const std::string vertical = fmt::format("v{}", i), before = fmt::format("v{}", i - 1), bar = fmt::format("h{}", i);
    bodies += fmt::format("  {}: {{rod: {{length: 1 m, mass: 1 kg}}}}\n", vertical);
    joints += fmt::format("  {}: {{revolute: {{parent: ground, at: [{} m, 0, 0], axis: z}}, angle: 90 deg, rate: -1}}\n", vertical, i);
    if (i == 0) continue;
    bodies += fmt::format("  {}: {{rod: {{length: 1 m, mass: 1 kg}}}}\n", bar);
    joints += fmt::format("  {}: {{revolute: {{parent: {}, at: [1 m, 0, 0], axis: z}}, angle: -90 deg, rate: 1}}\n", bar, before);
    loops += fmt::format("  w{}: {{revolute: {{between: [{}, {}], at: [[1 m, 0, 0], [1 m, 0, 0]], axis: z}}}}\n", i, bar, vertical);
  }
  return fmt::format("trunnion: 1\ntitle: Ladder of {} windows\ngravity: [0, -9.81, 0]\nbodies:\n{}joints:\n{}loops:\n{}solver: {{{}}}\n",
                     windows, bodies, joints, loops, solver);
}

}  // namespace trunnion::test
