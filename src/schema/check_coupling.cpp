// Checks part 3: co-simulation. Numbers and names are checked always, combinations of settings only if co-simulation is used.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "schema/check.h"
#include "schema/parameters.h"
#include "schema/reader.h"
#include "schema/table.h"

namespace trunnion {

namespace {

constexpr int kHighestOrder = 3;

void check_order(const Description& d, Findings& out, const std::string& path, int order) {
  if (order > kHighestOrder)
    add_finding(d, out, path, "the order of extrapolation " + std::to_string(order) + " is not available", "0, 1, 2 or 3");
}

void check_integrator(const Description& d, Findings& out, const std::string& path, IntegratorKind integrator) {
  if (integrator == IntegratorKind::euler || integrator == IntegratorKind::rk4 || integrator == IntegratorKind::trapezoidal) return;
  const std::string word = integrator_words()[std::size_t(integrator)];
  const bool semi_implicit = integrator == IntegratorKind::semi_implicit_euler;
  add_finding(d, out, path,
              "the hydraulics cannot be integrated by `" + word + "`: " +
                  (semi_implicit ? "it requires positions and velocities" : "a fixed step that divides the communication step is required"),
              "euler, rk4 or trapezoidal", std::string("nearest supported integrator: `") + (semi_implicit ? "euler" : "rk4") + "`");
}

template <class T>
void add_names(const NamedList<T>& list, std::vector<std::string>& names) {
  for (const auto& item : list) names.push_back(item.first);
}

void check_parts(const Description& d, Findings& out, const std::string& path, const SubsystemDescription& s) {
  std::vector<std::string> known;
  add_names(d.cylinders, known);
  add_names(d.motors, known);
  add_names(d.volumes, known);
  if (s.parts.empty()) add_finding(d, out, path + ".parts", "the subsystem has no parts", "names of cylinders, motors or volumes");
  for (std::size_t i = 0; i < s.parts.size(); ++i) {
    if (std::find(known.begin(), known.end(), s.parts[i]) != known.end()) continue;
    const std::string near = nearest_name(s.parts[i], known);
    add_finding(d, out, path + ".parts." + std::to_string(i), "`" + s.parts[i] + "` is not the name of a cylinder, motor or volume", "",
                near.empty() ? "" : "did you mean `" + near + "`?");
  }
}

/// The interface model of all ports is integrated together with the circuits.
void check_lockstep(const Description& d, Findings& out, const std::string& who) {
  const CosimulationDescription& c = d.coupling;
  for (const auto& [name, s] : c.subsystems) {
    const std::string path = "coupling.subsystems." + name;
    const std::string reason = who + " integrates all circuits with the same steps, together with the interface model of the mechanism";
    if (s.integrator && *s.integrator != c.integrator)
      add_finding(d, out, path + ".integrator", "the subsystem has an integrator of its own, but " + reason, "the same for all",
                  "set it as coupling.hydraulics.integrator");
    if (s.step && *s.step != c.hydraulic_step)
      add_finding(d, out, path + ".step", "the subsystem has a step of its own, but " + reason, "the same for all",
                  "set it as coupling.hydraulics.step");
  }
}

/// Friction of cylinders and motors, with its path in the file.
std::vector<std::pair<std::string, const FrictionDescription*>> seal_frictions(const Description& d) {
  std::vector<std::pair<std::string, const FrictionDescription*>> list;
  for (const auto& [name, cylinder] : d.cylinders) list.emplace_back("cylinders." + name + ".friction", &cylinder.friction);
  for (const auto& [name, motor] : d.motors) list.emplace_back("motors." + name + ".friction", &motor.friction);
  return list;
}

/// Commands and pressures that only the hydraulic subsystem has.
void check_motors(const Description& d, Findings& out, const std::string& scheme) {
  const CosimulationDescription& c = d.coupling;
  const bool parallel = c.scheme == CouplingScheme::parallel;
  const bool pressures = c.scheme != CouplingScheme::sequential && c.variables == CouplingVariables::velocity_pressure;
  const auto check = [&](const std::string& path, const NumberOrSignal& fraction) {
    if (fraction == NumberOrSignal(std::string()) || fraction == NumberOrSignal(1.0)) return;
    if (parallel)
      add_finding(d, out, "coupling.scheme", scheme + " gives the mechanism the pressures of `" + path + "`, but not its `fraction`", "",
                  "supported are sequential (nearest), jacobi, gauss_seidel and iterated_jacobi");
    else if (pressures)
      add_finding(d, out, "coupling.variables", "the mechanism receives the pressures of `" + path + "`, but not its `fraction`",
                  "`velocity_force`");
  };
  for (const auto& [name, motor] : d.motors) check("motors." + name, motor.fraction);
  for (const auto& [name, pump] : d.pumps)
    if (!pump.joint.empty()) check("pumps." + name, pump.fraction);
}

void check_combination(const Description& d, Findings& out) {
  const CosimulationDescription& c = d.coupling;
  const bool drives = std::any_of(d.forces.begin(), d.forces.end(),
                                  [&](const auto& item) { return item.second.signal && names_block(d, *item.second.signal); });
  if (d.cylinders.empty() && d.motors.empty() && !drives &&
      std::none_of(d.pumps.begin(), d.pumps.end(), [](const auto& item) { return !item.second.joint.empty(); }))
    add_finding(d, out, "solver.coupling",
                "the machine has no cylinder, motor or load by a control block that couples mechanism and hydraulics",
                "a machine with cylinders, motors or such loads, or `monolithic`");
  const std::string scheme = std::string("`") + coupling_scheme_words()[std::size_t(c.scheme)] + "`";
  const bool lockstep = c.scheme == CouplingScheme::sequential || c.scheme == CouplingScheme::parallel;
  if (!d.quasistatic.empty() && !lockstep && c.variables == CouplingVariables::velocity_pressure)
    add_finding(d, out, "coupling.variables", "quasistatic circuits publish forces, not pressures", "`velocity_force`");
  if (!d.quasistatic.empty() && c.scheme == CouplingScheme::parallel)
    add_finding(d, out, "coupling.scheme",
                scheme + " linearises the hydraulics, and the laws of quasistatic circuits are not differentiable", "",
                "supported are sequential (nearest), jacobi, gauss_seidel and iterated_jacobi");
  if (c.scheme == CouplingScheme::parallel && d.solver.constraints == ConstraintKind::ali1)
    add_finding(d, out, "coupling.scheme",
                scheme +
                    " integrates the linearised hydraulics with the mechanism, and the explicit integrators that `ali1` requires are "
                    "unstable with stiff hydraulics",
                "",
                "nearest supported combinations: {scheme: sequential, constraints: ali1}, {scheme: parallel, constraints: penalty, "
                "integrator: trapezoidal}");
  if (!d.control.empty() && c.scheme == CouplingScheme::parallel)
    add_finding(d, out, "coupling.scheme",
                scheme +
                    " linearises the hydraulics at known positions of the spools, and those of valves that follow control blocks depend on "
                    "the motion",
                "", "supported are sequential (nearest), jacobi, gauss_seidel and iterated_jacobi");
  check_motors(d, out, scheme);
  if (lockstep) return check_lockstep(d, out, scheme);
  if (c.variables == CouplingVariables::velocity_pressure && c.friction == FrictionSide::hydraulics)
    add_finding(
        d, out, "coupling.friction",
        "with `velocity_pressure` the hydraulic subsystem publishes only pressures, not the friction it evaluates", "",
        "nearest supported combinations: {variables: velocity_pressure, friction: mechanism}, {variables: velocity_force, friction: "
        "hydraulics}");
  for (const auto& [path, friction] : seal_frictions(d))
    if (c.variables == CouplingVariables::velocity_force && c.friction == FrictionSide::mechanism &&
        (friction->pressure_A > 0 || friction->pressure_B > 0))
      add_finding(d, out, "coupling.friction", "with `velocity_force` the mechanism does not receive the pressures of `" + path + "`",
                  "`hydraulics`");
  if (c.prediction != CouplingPrediction::interface_model) return;
  if (c.scheme == CouplingScheme::iterated_jacobi)
    add_finding(d, out, "coupling.prediction", "`iterated_jacobi` interpolates the mechanism's motion, so no prediction is used",
                "polynomial, or the scheme jacobi or gauss_seidel",
                "nearest supported combination: {scheme: jacobi, prediction: interface_model}");
  if (c.scheme == CouplingScheme::gauss_seidel && c.order == CouplingOrder::mechanism_first)
    add_finding(d, out, "coupling.prediction", "the mechanism is integrated first and its motion is known, so no prediction is used",
                "polynomial", "nearest supported combination: {order: hydraulics_first, prediction: interface_model}");
  check_lockstep(d, out, "`interface_model`");
}

void check_compiled(const Description& d, Findings& out) {
  const std::vector<std::string>& patterns = d.solver.compiled_parameters;
  if (patterns.empty()) return;
  Description copy = d;
  const std::vector<Parameter> parameters = parameters_of(copy);
  std::vector<std::string> paths;
  paths.reserve(parameters.size());
  for (const Parameter& parameter : parameters) paths.push_back(parameter.path);
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    if (std::any_of(paths.begin(), paths.end(), [&](const std::string& path) { return fits_path(patterns[i], path); })) continue;
    const std::string near = nearest_name(patterns[i], paths);
    add_finding(d, out, "solver.compiled_parameters." + std::to_string(i), "`" + patterns[i] + "` is no number of the model",
                near.empty() ? "a path as of --set" : "a path as of --set, such as `" + near + "`");
  }
}

}  // namespace

[[gnu::cold]] void check_coupling(const Description& d, Findings& out) {
  check_compiled(d, out);
  const CosimulationDescription& c = d.coupling;
  check_order(d, out, "coupling.extrapolation", c.extrapolation);
  if (c.mechanism_extrapolation) check_order(d, out, "coupling.mechanism.extrapolation", *c.mechanism_extrapolation);
  if (c.integrator) check_integrator(d, out, "coupling.hydraulics.integrator", *c.integrator);
  for (const auto& [name, s] : c.subsystems) {
    const std::string path = "coupling.subsystems." + name;
    check_parts(d, out, path, s);
    if (s.integrator) check_integrator(d, out, path + ".integrator", *s.integrator);
  }
  if (d.solver.coupling != CouplingKind::cosimulation) return;
  if (d.solver.compiled == CompiledKind::on)
    add_finding(d, out, "solver.compiled", "a co-simulation has no compiled step", "`off` or `auto`, or solver.coupling: monolithic");
  if (c.control && c.control->min_step > grid_step(d))
    add_finding(d, out, "coupling.control.min_step", "the minimum communication step is greater than the maximum, `coupling.step`",
                "at most " + number_text(grid_step(d)) + " s");
  check_combination(d, out);
}

}  // namespace trunnion
