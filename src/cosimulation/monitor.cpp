// Power residuals of the coupling and the verdict on its accuracy.
// SPDX-License-Identifier: BSD-3-Clause
#include "cosimulation/monitor.h"

#include <algorithm>
#include <cmath>

#include "model/model.h"

namespace trunnion {

namespace {

constexpr double kMemory = 0.1;  // [s] averaging time constant
constexpr double kFloor = 0.01;  // relative to the largest power so far
constexpr double kRest = 0.01;   // [1/s] rates below this times the length count as rest
constexpr double kLost = 0.5;    // ratio

using Bond = CouplingMemory::Bond;
static_assert(sizeof(Bond) == CouplingMemory::kBond * sizeof(double));

Bond read(const CouplingMemory& layout, const double* memory, int i) {
  const double* b = memory + layout.bond(i);
  return {b[0], b[1], b[2], b[3], b[4]};
}
void write(const CouplingMemory& layout, double* memory, int i, const Bond& bond) {
  const double values[] = {bond.power, bond.residual_power, bond.residual_energy, bond.absolute_energy, bond.work};
  std::copy(std::begin(values), std::end(values), memory + layout.bond(i));
}

/// Its port and chamber, `A` or `B`; empty: a force.
struct BondName {
  std::string port;
  const char* chamber;
};
std::vector<BondName> bond_names(const CompiledModel& model, const CouplingMemory& layout) {
  const std::vector<int> ports = coupling_ports(model.hydraulics);
  std::vector<BondName> names;
  for (int i = 0; i < layout.bonds(); ++i) {
    const int port = layout.port_of(i);
    const Actuator& a = model.hydraulics.actuators[static_cast<std::size_t>(ports[static_cast<std::size_t>(port)])];
    names.push_back({a.name, layout.bonds_of(port) == 1 ? "" : i == layout.first_bond(port) ? "A" : "B"});
    const auto same = [&](const BondName& other) { return other.port == a.name; };
    if (port >= layout.pistons && std::any_of(names.begin(), names.end() - 1, same)) names.back().port.insert(0, "forces.");
  }
  return names;
}

}  // namespace

void begin_monitors(const CouplingMemory& layout, double* memory, const BondSample* bonds) {
  double power = 0;
  for (int i = 0; i < layout.bonds(); ++i) {
    Bond bond = read(layout, memory, i);
    bond.power = bonds[i].effort * bonds[i].rate;
    bond.residual_power = 0;
    power += std::abs(bond.power);
    write(layout, memory, i, bond);
  }
  memory[CouplingMemory::residual_power] = 0;
  memory[CouplingMemory::power_scale] = std::max(memory[CouplingMemory::power_scale], power);
}

void add_to_monitors(const CouplingMemory& layout, double* memory, const BondSample* bonds, double time, double h, ResidualRule rule) {
  double power = 0, rest = 0, residual = 0, magnitude = 0, energy = 0, absolute = 0, work = 0;
  for (int i = 0; i < layout.bonds(); ++i) {
    const BondSample& b = bonds[i];
    Bond bond = read(layout, memory, i);
    const double P = b.effort * b.rate, dP = b.effort * b.rate_used - b.effort_used * b.rate;
    const double before = rule == ResidualRule::rectangular ? dP : bond.residual_power;
    const double dE = h / 2 * (before + dP), dW = h / 2 * (std::abs(bond.power) + std::abs(P));
    power += std::abs(P);
    rest += kRest * std::abs(b.effort) * b.length;
    residual += dP;
    magnitude += std::abs(dP);
    energy += dE;
    absolute += std::abs(dE);
    work += dW;
    write(layout, memory, i, {P, dP, bond.residual_energy + dE, bond.absolute_energy + std::abs(dE), bond.work + dW});
  }
  using M = CouplingMemory;
  memory[M::residual_power] = residual;
  memory[M::residual_energy] += energy;
  memory[M::absolute_energy] += absolute;
  memory[M::work] += work;
  memory[M::power_scale] = std::max(memory[M::power_scale], power);
  const double share = h / (kMemory + h);
  memory[M::recent_residual] += share * (magnitude - memory[M::recent_residual]);
  memory[M::recent_power] += share * (power - memory[M::recent_power]);
  const double scale = memory[M::recent_power] + kFloor * memory[M::power_scale] + rest;
  const double ratio = scale > 0 ? memory[M::recent_residual] / scale : 0;
  memory[M::ratio] = ratio;
  memory[M::worst_ratio] = std::max(memory[M::worst_ratio], ratio);
  if (ratio > kLost && memory[M::lost] == 0) {
    memory[M::lost] = 1;
    memory[M::lost_time] = time;
  }
}

std::vector<Channel> monitor_channels(const CompiledModel& model) {
  if (model.layout.coupling == 0) return {};
  const CouplingMemory layout = coupling_memory(model);
  std::vector<Channel> channels;
  for (const auto& [port, chamber] : bond_names(model, layout)) {
    const std::string stem = port + (*chamber != 0 ? ".coupling_" : ".coupling") + chamber;
    const std::string of = *chamber != 0 ? std::string(" of chamber ") + chamber : "";
    channels.push_back({stem + "_power_residual", "W", "power residual of the coupling's bond" + of + ", at the last communication point"});
    channels.push_back({stem + "_energy_residual", "J", "its integral: energy that the coupling has taken from the mechanism"});
  }
  channels.push_back({"coupling.power_residual", "W", "power residual of all bonds together"});
  channels.push_back({"coupling.energy_residual", "J", "its integral"});
  channels.push_back({"coupling.ratio", "", "recent residuals over recent power of the bonds; above 0.5 the coupling's accuracy is lost"});
  channels.push_back({"coupling.steps", "", "communication steps since the start"});
  return channels;
}

void monitor_values(const CouplingMemory& layout, const double* memory, double* values) {
  for (int i = 0; i < layout.bonds(); ++i) {
    const Bond bond = read(layout, memory, i);
    *values++ = bond.residual_power;
    *values++ = bond.residual_energy;
  }
  using M = CouplingMemory;
  *values++ = memory[M::residual_power];
  *values++ = memory[M::residual_energy];
  *values++ = memory[M::ratio];
  *values = memory[M::steps];
}

std::optional<CouplingReport> coupling_report(const CompiledModel& model, const double* memory) {
  if (model.layout.coupling == 0) return std::nullopt;
  using M = CouplingMemory;
  const CouplingMemory layout = coupling_memory(model);
  CouplingReport report;
  for (int i = 0; const auto& [port, chamber] : bond_names(model, layout)) {
    const Bond bond = read(layout, memory, i++);
    report.bonds.push_back({port + (*chamber != 0 ? "." : "") + chamber, bond.residual_energy, bond.absolute_energy, bond.work});
  }
  report.steps = std::lround(memory[M::steps]);
  report.passes = memory[M::steps] > 0 ? memory[M::passes] / memory[M::steps] : 0;
  report.residual_energy = memory[M::residual_energy];
  report.absolute_energy = memory[M::absolute_energy];
  report.work = memory[M::work];
  report.worst_ratio = memory[M::worst_ratio];
  if (memory[M::lost] != 0) report.lost = memory[M::lost_time];
  return report;
}

}  // namespace trunnion
