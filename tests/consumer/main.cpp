// A user program of the installed library: a pendulum released at 90 degrees, with known period.
// SPDX-License-Identifier: BSD-3-Clause
#include <trunnion/trunnion.h>
#include <trunnion/version.h>

#include <cmath>
#include <cstdio>

int main() {
  trunnion::Simulation pendulum = trunnion::Simulation::from_text(
      "trunnion: 1\n"
      "gravity: [0, -9.81, 0]\n"
      "bodies: {bob: {point_mass: {mass: 1 kg, at: [0, -1 m, 0]}}}\n"
      "joints: {bob: {revolute: {parent: ground, axis: z}, angle: 90 deg}}\n"
      "solver: {step: 1 ms, duration: 5 s}\n");
  const double stiffness = pendulum.linearize({"bob.angle"}).A[1][0];  // -g/L cos 90 deg
  pendulum.run_until(4 * 1.8540746773013719 / std::sqrt(9.81));        // 4 K(1/sqrt 2) sqrt(L/g)
  const double missing = pendulum.value("bob.angle") - std::acos(0.0);
  std::printf("trunnion %s\n", trunnion::kVersion);
  return std::abs(missing) < 1e-5 && std::abs(stiffness) < 1e-14 ? 0 : 1;
}
