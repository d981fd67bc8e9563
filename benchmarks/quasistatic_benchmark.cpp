// Quasistatic actuators: ns per solution on load lines, over random circuits without degenerate ones: the mean over all circuits, the
// slowest single circuit (each the best of several repetitions), and the ratio of the mean to that of one actuator in closed form.
// Targets: 150 ns for the closed form, 6000 ns for three actuators with regeneration.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "hydraulics/quasistatic/metering_circuit.h"
#include "support/metering_circuits.h"

namespace {

using namespace trunnion;

constexpr int kCircuits = 500;
constexpr int kBlocks = 41;

struct Prepared {
  test::MeteringCase set;
  MeteringCircuit circuit;
};

double nanoseconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
}

struct Cost {
  double mean = 0, dearest = 0;  // [ns]
};

/// `call` on each circuit.
template <class Call>
Cost measure(const std::vector<Prepared>& all, const Call& call) {
  Cost cost{1e300, 0};
  for (int b = 0; b < kBlocks; ++b) {
    const auto begin = std::chrono::steady_clock::now();
    for (const Prepared& p : all) call(p);
    cost.mean = std::min(cost.mean, nanoseconds_since(begin) / kCircuits);
  }
  for (const Prepared& p : all) {
    double best = 1e300;
    for (int repetition = 0; repetition < 20; ++repetition) {
      const auto begin = std::chrono::steady_clock::now();
      for (int i = 0; i < 20; ++i) call(p);
      best = std::min(best, nanoseconds_since(begin) / 20);
    }
    cost.dearest = std::max(cost.dearest, best);
  }
  return cost;
}

std::vector<Prepared> circuits(int actuators, bool regeneration) {
  test::Random random(7);
  std::vector<Prepared> all;
  while (all.size() < kCircuits) {
    const test::MeteringCase c = test::random_case(random, {actuators, regeneration, false});
    bool open = !regeneration;
    for (const MeteringOpenings& u : c.openings) open = open || u.a > 0;
    if (open) all.push_back({c, c.circuit()});
  }
  return all;
}

}  // namespace

int main() {
  fmt::print("{:<44} {:>8} {:>8}   ratio\n", "", "mean", "dearest");
  double closed_form = 0;
  const auto report = [&](const char* text, const Cost& cost) {
    if (closed_form == 0) closed_form = cost.mean;
    fmt::print("{:<44} {:5.0f} ns {:5.0f} ns {:7.1f}\n", text, cost.mean, cost.dearest, cost.mean / closed_form);
  };
  double sum = 0;  // so that nothing is optimised away
  const auto solve = [&](const char* text, const std::vector<Prepared>& all) {
    MeteringSolution solution(all[0].circuit.size());
    report(text, measure(all, [&](const Prepared& p) {
             p.circuit.solve(p.set.command(), p.set.beta, p.set.fbar, solution);
             sum += solution.v[0];
           }));
  };
  solve("Lambda, closed form", circuits(1, false));
  solve("Lambda_reg", circuits(1, true));
  solve("2 actuators", circuits(2, false));
  solve("3 actuators", circuits(3, false));
  solve("2 actuators with regeneration", circuits(2, true));
  solve("3 actuators with regeneration", circuits(3, true));
  solve("6 actuators with regeneration", circuits(6, true));
  {
    const std::vector<Prepared> all = circuits(3, true);
    MeteringSolution solution(3);
    std::vector<MeteringFlows> flows(3);
    PumpFlows pump;
    report("3 actuators with regeneration, all flows", measure(all, [&](const Prepared& p) {
             p.circuit.recover(p.set.command(), p.set.beta, p.set.fbar, solution, flows, pump);
             sum += flows[0].v;
           }));
  }
  return sum == 0;
}
