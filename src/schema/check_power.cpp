// Checks part 4: fluid properties at its temperature, pumps, accumulators, lines.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "schema/check.h"

namespace trunnion {

namespace {

constexpr int kMostSegments = 200;          // of a line; each adds an unknown to the circuit
constexpr double kLeastViscosity = 0.3e-6;  // [m2/s] limit of Walther's law

void check_fluid(const Description& d, Findings& out) {
  const FluidDescription& f = d.fluid;
  const double warmer = f.temperature.value_or(f.reference_temperature) - f.reference_temperature;
  if (!(f.bulk_modulus + f.modulus_change * warmer > 0))
    add_finding(d, out, "fluid.modulus_change",
                "the bulk modulus at the oil temperature is " + number_text(f.bulk_modulus + f.modulus_change * warmer) + " Pa",
                "a bulk modulus greater than 0");
  if (!(1 + f.thermal_expansion * warmer > 0))
    add_finding(d, out, "fluid.thermal_expansion", "the oil volume vanishes at the oil temperature", "an expansion such as 7e-4 1/K");
  if (!f.second_viscosity) return;
  if (f.second_viscosity->temperature == f.reference_temperature)
    add_finding(d, out, "fluid.second_viscosity.temperature", "both viscosities are given at the same temperature",
                "another temperature than `reference_temperature`");
  for (const auto& [path, nu] :
       {std::pair{"fluid.viscosity", f.viscosity}, {"fluid.second_viscosity.viscosity", f.second_viscosity->viscosity}})
    if (!(nu > kLeastViscosity))
      add_finding(d, out, path, "found " + number_text(nu) + " m^2/s", "more than 0.3 mm^2/s, the limit of the viscosity-temperature law");
}

void check_two(const Description& d, Findings& out, const std::string& path, const char* what, const char* first, const std::string& A,
               const std::string& B) {
  if (!A.empty() && A == B)
    add_finding(d, out, path, std::string("the ") + what + " has `" + A + "` at " + first + " already", "two different nodes");
}

/// What a pump on the shaft of a joint does not have.
void check_shaft_pump(const Description& d, Findings& out, const std::string& path, const PumpDescription& p) {
  const CoordinateName name = split_coordinate(p.joint);
  if (const auto* joint = d.joints.find(name.joint)) {
    const int index = find_coordinate(joint->kind, name.part);
    if (index >= 0 && joint_parts(joint->kind)[static_cast<std::size_t>(index)].kind != JointPartKind::angle)
      add_finding(d, out, path + ".joint", "the coordinate `" + p.joint + "` is a displacement, but a pump is driven by an angle",
                  "an angle of a joint");
  }
  if (p.control)
    add_finding(d, out, path + ".control", "a pump on the shaft of a joint has no control of its own", "`fraction`",
                "let a control block set `fraction`: its inputs can be pressures, as in `main_line.pressure`");
  if (p.prime_mover)
    add_finding(d, out, path + ".prime_mover", "the shaft is driven by the joint `" + p.joint + "`", "`speed` instead of `joint`",
                "the engine of a joint is its body, with the torque of `forces` or of a motor");
}

void check_pump(const Description& d, Findings& out, const std::string& path, const PumpDescription& p) {
  check_two(d, out, path + ".P", "pump", "S", p.S, p.P);
  if (const double* fraction = std::get_if<double>(&p.fraction); fraction != nullptr && !(*fraction >= -1 && *fraction <= 1))
    add_finding(d, out, path + ".fraction", "found " + number_text(*fraction), "a number from -1 to 1");
  if (!p.joint.empty()) check_shaft_pump(d, out, path, p);
  if (!p.control) return;
  const PumpControlDescription& c = *p.control;
  if (!c.pressure && !c.load_sensing && !c.torque)
    add_finding(d, out, path + ".control", "the control has no function", "`pressure`, `load_sensing` or `torque`");
  if (c.load_sensing) check_two(d, out, path + ".control.load_sensing.LS", "pump", "P", p.P, c.load_sensing->LS);
  if (const double* fraction = std::get_if<double>(&p.fraction); fraction != nullptr && c.min_fraction > std::max(*fraction, 0.0))
    add_finding(d, out, path + ".control.min_fraction", "found " + number_text(c.min_fraction),
                "at most `fraction`, " + number_text(*fraction));
}

void check_accumulator(const Description& d, Findings& out, const std::string& path, const AccumulatorDescription& a) {
  const auto* spring = std::get_if<SpringChargeDescription>(&a.charge);
  if (spring != nullptr && !(spring->pressure_full > spring->pressure_empty))
    add_finding(d, out, path + ".spring.pressure_full", "found " + number_text(spring->pressure_full) + " Pa",
                "a pressure above that of the empty accumulator, " + number_text(spring->pressure_empty) + " Pa");
}

void check_line(const Description& d, Findings& out, const std::string& path, const LineDescription& l) {
  check_two(d, out, path + ".B", "line", "A", l.A, l.B);
  if (l.segments > kMostSegments)
    add_finding(d, out, path + ".segments", "found " + std::to_string(l.segments), "at most " + std::to_string(kMostSegments),
                "10 segments resolve the lowest frequency to 0.1 %");
}

}  // namespace

[[gnu::cold]] void check_power(const Description& d, Findings& out) {
  check_fluid(d, out);
  for (const auto& [name, pump] : d.pumps) check_pump(d, out, "pumps." + name, pump);
  for (const auto& [name, source] : d.sources)
    if (const auto* flow = std::get_if<FlowSourceDescription>(&source))
      check_two(d, out, "sources." + name + ".from", "flow source", "to", flow->to, flow->from);
  for (const auto& [name, accumulator] : d.accumulators) check_accumulator(d, out, "accumulators." + name, accumulator);
  for (const auto& [name, line] : d.lines) check_line(d, out, "lines." + name, line);
}

}  // namespace trunnion
