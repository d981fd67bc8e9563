// Checks of the hydraulic circuit, of friction laws and of forces.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <string_view>
#include <unordered_map>

#include "description/integrators.h"
#include "schema/check.h"
#include "schema/reader.h"
#include "schema/table.h"

namespace trunnion {

namespace {

/// Lists of a generalised Maxwell slip law, of equal lengths.
void check_elements_of(const Description& d, Findings& out, const std::string& path, const FrictionDescription& f) {
  constexpr double kMost = 1e100;  // their sum is finite
  const std::size_t n = f.element_forces.size();
  if (n < 1 || n > kMaxFrictionElements) {
    add_finding(d, out, path + ".element_forces", "found " + std::to_string(n) + " elements", "1 to 8 weights, such as [1, 2, 3]");
    return;
  }
  for (const auto& [key, weights] : {std::pair{"element_forces", &f.element_forces}, {"element_stiffnesses", &f.element_stiffnesses}}) {
    if (weights->size() != n)
      add_finding(d, out, path + "." + key, "found " + std::to_string(weights->size()) + " weights of " + std::to_string(n) + " elements",
                  "one weight for each element of `element_forces`");
    for (std::size_t i = 0; i < weights->size(); ++i)
      if (!((*weights)[i] > 0 && (*weights)[i] <= kMost))
        add_finding(d, out, path + "." + key + "." + std::to_string(i), "found " + number_text((*weights)[i]),
                    "a number greater than 0 and at most 1e100");
  }
  if (!f.start_bristles.empty() && f.start_bristles.size() != n)
    add_finding(d, out, path + ".start_bristles",
                "found " + std::to_string(f.start_bristles.size()) + " deflections of " + std::to_string(n) + " elements",
                "one for each element of `element_forces`");
}

/// The pressures of a cylinder or motor that a quasistatic circuit supplies are no states of the machine.
void check_seal_pressures(const Description& d, Findings& out, const std::string& path, const FrictionDescription& f, bool has_nodes) {
  if (has_nodes) return;
  for (const auto& [key, growth] : {std::pair{"pressure_A", f.pressure_A}, {"pressure_B", f.pressure_B}})
    if (growth > 0)
      add_finding(d, out, path + "." + key, "an actuator without nodes `A` and `B` has friction that does not depend on pressures",
                  "nodes `A` and `B`, or no `" + std::string(key) + "`");
}

[[gnu::cold]] void check_friction(const Description& d, Findings& out, const std::string& path, const FrictionDescription& f,
                                  bool is_rotary) {
  const auto word = std::string(friction_words()[static_cast<std::size_t>(f.model)]);
  const auto positive = [&](const char* key, double value) {
    if (!(value > 0))
      add_finding(d, out, path + "." + key, "the friction model `" + word + "` needs `" + key + "`", "a value greater than 0");
  };
  if (f.model == FrictionKind::none || f.model == FrictionKind::coulomb_viscous) return;
  const char* const unit = is_rotary ? " N m" : " N";
  if (f.static_force < f.coulomb && f.model != FrictionKind::dahl)
    add_finding(
        d, out, path + ".static",
        "the static friction " + number_text(f.static_force) + unit + " is less than the Coulomb friction " + number_text(f.coulomb) + unit,
        "a value not less than that");
  if (f.model == FrictionKind::bengisu_akay) positive("decay", f.decay);
  if (f.model == FrictionKind::bengisu_akay || f.model == FrictionKind::brown_mcphee) return;
  positive("coulomb", f.coulomb);
  positive("bristle_stiffness", f.bristle_stiffness);
  if (f.model == FrictionKind::set_valued || f.model == FrictionKind::maxwell_slip) positive("bristle_damping", f.bristle_damping);
  if (f.model == FrictionKind::maxwell_slip) check_elements_of(d, out, path, f);
  if (f.model != FrictionKind::modified_lugre) return;
  positive("film_velocity", f.film_velocity);
  positive("film_time_up", f.film_time_up);
  positive("film_time_down", f.film_time_down);
  positive("film_time_dwell", f.film_time_dwell);
}

/// Keys of the other kind of limits, and the restitution.
void check_limit_kind(const Description& d, Findings& out, const std::string& path, const LimitsDescription& limits) {
  const auto refuse = [&](bool given, const char* key) {
    if (given && limits.rigid)
      add_finding(d, out, path + "." + key, "stiffness and damping of a rigid limit follow from inertia and step",
                  "no `" + std::string(key) + "`, or no `rigid`");
  };
  refuse(limits.stiffness.has_value(), "stiffness");
  refuse(limits.damping > 0, "damping");
  refuse(limits.depth.has_value(), "depth");
  if (limits.restitution > 0 && !limits.rigid)
    add_finding(d, out, path + ".restitution", "an elastic limit has no restitution", "`rigid: true`, or `damping` and `depth`");
  if (!(limits.restitution < 1))
    add_finding(d, out, path + ".restitution", number_text(limits.restitution) + " is not below 1", "a number of at least 0 and below 1",
                "an elastic limit without `damping` returns the whole energy");
}

/// Friction in proportion to the load of its joint.
void check_nominal_load(const Description& d, Findings& out, const std::string& path, const CoordinatePlace& place) {
  const auto refuse = [&](const std::string& problem, const char* remedy) {
    add_finding(d, out, path + ".nominal_load", problem, "a friction without that key", remedy);
  };
  if (!place.of_loop)
    if (const JointKind kind = d.joints[place.number].second.kind; kind == JointKind::planar || kind == JointKind::free)
      refuse(
          "a joint of this kind has no load that its friction could follow: none of its coordinates turns in a bearing or slides on a "
          "guide",
          "revolute, prismatic, cylindrical, universal and point_on_line joints have one");
  if (d.solver.coupling == CouplingKind::cosimulation)
    refuse("in a co-simulation the friction of a joint does not follow its load", "solver.coupling: monolithic");
  if (!integrator_of(d.solver).is_implicit())
    refuse(std::string("the steps of `") + integrator_of(d.solver).word + "` have no reaction forces until their end",
           "an implicit fixed-step integrator, such as trapezoidal");
}

void check_limits(const Description& d, Findings& out, const std::string& path, const CoordinatePlace& place,
                  const LimitsDescription& limits) {
  if (!limits.minimum && !limits.maximum) add_finding(d, out, path, "the coordinate has no limit", "`minimum`, `maximum` or both");
  check_limit_kind(d, out, path, limits);
  if (!limits.stiffness && !limits.rigid && std::all_of(d.gravity.begin(), d.gravity.end(), [](double g) { return g == 0; }))
    add_finding(d, out, path + ".stiffness", "without gravity the stiffness has no default", "a stiffness");
  if (limits.damping > 0 && !limits.depth && !limits.rigid)
    add_finding(d, out, path + ".depth", "damping needs the depth at which it acts", "a depth beyond the limit, such as that of a strike");
  const bool is_angle = place.name.kind == JointPartKind::angle, up_to_turns = place.of_loop && is_angle;
  if (up_to_turns && limits.minimum.has_value() != limits.maximum.has_value())
    add_finding(d, out, path, "the angle of a loop closure is known up to whole turns only: one limit does not say how far away it is",
                "`minimum` and `maximum`, less than 360 deg apart");
  if (!limits.minimum || !limits.maximum) return;
  if (!(*limits.minimum < *limits.maximum))
    add_finding(d, out, path + ".maximum",
                "the greatest value (" + number_text(*limits.maximum) + (is_angle ? " rad" : " m") + ") is not above the least (" +
                    number_text(*limits.minimum) + (is_angle ? " rad)" : " m)"),
                "minimum < maximum");
  else if (up_to_turns && *limits.maximum - *limits.minimum >= 2 * std::numbers::pi)
    add_finding(d, out, path + ".maximum", "the angle of a loop closure is known up to whole turns only", "limits less than 360 deg apart",
                "limit the angle of a joint of the tree instead");
}

/// Friction and limits of joints and loop closures.
void check_elements(const Description& d, Findings& out) {
  for (const CoordinatePlace& place : coordinates_with_elements(d)) {
    const CoordinateElements& elements = *elements_of(d, place);
    const auto path = [&](const char* key) {
      return std::string(place.of_loop ? "loops." : "joints.") + place.joint + "." + key +
             (place.alone ? std::string() : "." + std::string(place.name.position));
    };
    if (elements.friction) check_friction(d, out, path("friction"), *elements.friction, place.name.kind == JointPartKind::angle);
    if (elements.friction && elements.friction->nominal_load) check_nominal_load(d, out, path("friction"), place);
    if (elements.limits) check_limits(d, out, path("limits"), place, *elements.limits);
  }
}

/// What the chamber B of a plunger would need.
void check_plunger(const Description& d, Findings& out, const std::string& path, const CylinderDescription& c) {
  const auto refuse = [&](const char* key) {
    add_finding(d, out, path + "." + key, "a plunger has no chamber B", "`bore` and `rod`, or no `" + std::string(key) + "`");
  };
  if (!c.B.empty()) refuse("B");
  if (c.leakage > 0) refuse("leakage");
  if (c.cushion_B) refuse("cushion_B");
  if (c.friction.pressure_B > 0) refuse("friction.pressure_B");
  if (c.A.empty())
    add_finding(d, out, path + ".plunger", "the laws of quasistatic circuits require a chamber B", "node `A`, or `bore` and `rod`");
}

/// `chamber`: the node of the chamber.
void check_cushion(const Description& d, Findings& out, const std::string& path, const char* name, const std::string& chamber,
                   const std::optional<CushionDescription>& c) {
  if (!c) return;
  if (!chamber.empty() && chamber == c->node)
    add_finding(d, out, path + ".node", "`" + chamber + "` is the node of the chamber itself", "the node on the other side of the port");
  if (d.volumes.find(chamber) == nullptr)
    add_finding(d, out, path, std::string("chamber ") + name + " is not on a volume", "the name of a volume at `" + std::string(name) + "`",
                "a cushion throttles the oil between the chamber's own volume and `node`");
}

void check_cylinder(const Description& d, Findings& out, const std::string& path, const CylinderDescription& c) {
  if (!(c.bore && c.rod) && !(c.area_A && c.area_B) && !c.plunger)
    add_finding(d, out, path, "the cylinder has no size", "bore and rod, area_A and area_B, or plunger");
  if (c.bore && c.rod && *c.bore <= *c.rod)
    add_finding(d, out, path + ".rod",
                "the rod (" + number_text(*c.rod) + " m) does not fit into the bore (" + number_text(*c.bore) + " m)",
                "a rod thinner than the bore");
  const bool stroke_matters = !c.A.empty() || c.end_damper.has_value() || c.chamber_length_A || c.chamber_length_B;
  for (const auto& [name, length] : {std::pair{"chamber_length_A", c.chamber_length_A}, {"chamber_length_B", c.chamber_length_B}})
    if (stroke_matters && !(length.value_or(0) > 0) && !(c.plunger && std::string_view(name).ends_with('B')))
      add_finding(d, out, path + "." + name, "the chamber has no length", "a length greater than 0");
  if (c.plunger) check_plunger(d, out, path, c);
  check_cushion(d, out, path + ".cushion_A", "A", c.A, c.cushion_A);
  check_cushion(d, out, path + ".cushion_B", "B", c.B, c.cushion_B);
  if (c.base.body == c.rod_end.body && !c.base.body.empty())
    add_finding(d, out, path + ".rod_end.body", "both ends of the cylinder are attached to `" + c.base.body + "`", "two different bodies");
  check_friction(d, out, path + ".friction", c.friction, false);
  check_seal_pressures(d, out, path + ".friction", c.friction, !c.A.empty());
}

/// Displacement fraction and case drain.
void check_variable_motor(const Description& d, Findings& out, const std::string& path, const MotorDescription& m) {
  const double* const number = std::get_if<double>(&m.fraction);
  const bool varies = number != nullptr || !std::get<std::string>(m.fraction).empty();
  if (number != nullptr && !(*number >= -1 && *number <= 1))
    add_finding(d, out, path + ".fraction", "found " + number_text(*number), "a number from -1 to 1");
  if (varies && m.chamber_angle_A)
    add_finding(d, out, path + ".fraction", "the displacement of a vane actuator is constant",
                "`fraction`, or `chamber_angle_A` and `chamber_angle_B`");
  if (!varies && m.time_constant > 0)
    add_finding(d, out, path + ".time_constant", "the displacement is constant", "`fraction` in addition");
  if (m.case_drain && !m.case_drain->node.empty())
    for (const auto& [key, node] : {std::pair{"A", m.A}, {"B", m.B}})
      if (node == m.case_drain->node)
        add_finding(d, out, path + ".case_drain.node", std::string("the motor has `") + node + "` at " + key + " already", "another node");
  if (!m.A.empty() || !m.B.empty()) return;
  const std::string supplied = "the motor is supplied by a quasistatic circuit, whose laws have ";
  if (varies) add_finding(d, out, path + ".fraction", supplied + "a constant displacement", "nodes `A` and `B`");
  if (m.case_drain) add_finding(d, out, path + ".case_drain", supplied + "no case", "nodes `A` and `B`");
  if (m.coulomb > 0)
    add_finding(d, out, path + ".coulomb", supplied + "no friction in proportion to the pressure", "nodes `A` and `B`",
                "the friction law and `viscous` are supported");
}

void check_motor(const Description& d, const NameIndex<JointDescription>& joints, Findings& out, const std::string& path,
                 const MotorDescription& m) {
  const auto& [joint_name, part] = split_coordinate(m.joint);
  if (const JointDescription* joint = joints.find(joint_name)) {
    const int index = find_coordinate(joint->kind, part);
    if (index >= 0 && joint_parts(joint->kind)[static_cast<std::size_t>(index)].kind != JointPartKind::angle)
      add_finding(d, out, path + ".joint", "the coordinate `" + m.joint + "` is a displacement, but a motor drives an angle",
                  "an angle of a joint", "use a cylinder for translation");
  }
  if (!(m.displacement && *m.displacement > 0) && !(m.displacement_A && m.displacement_B))
    add_finding(d, out, path, "the motor has no size", "displacement, or displacement_A and displacement_B");
  if (m.chamber_angle_A.has_value() != m.chamber_angle_B.has_value())
    add_finding(d, out, path, std::string("only one of `chamber_angle_A` and `chamber_angle_B` is given"), "both, or none",
                "without them the rotation is unlimited and either side keeps its `volume`");
  if (m.chamber_angle_A && m.volume > 0)
    add_finding(d, out, path + ".volume", "the volumes of a vane follow from its chamber angles",
                "`volume`, or `chamber_angle_A` and `chamber_angle_B`", "include the oil of the lines in the volumes at A and B");
  if (m.end_damper && !m.chamber_angle_A)
    add_finding(d, out, path + ".end_damper", "a motor without `chamber_angle_A` and `chamber_angle_B` has no end stops", "both angles");
  check_variable_motor(d, out, path, m);
  check_friction(d, out, path + ".friction", m.friction, true);
  check_seal_pressures(d, out, path + ".friction", m.friction, !m.A.empty());
}

/// The two nodes of an element must differ.
void check_ends(const Description& d, Findings& out, const std::string& path, const char* what, const std::string& A,
                const std::string& B) {
  if (A == B && !A.empty())
    add_finding(d, out, path + ".B", std::string("the ") + what + " connects `" + A + "` with itself", "two different nodes");
}

/// The nodes of an element must all differ.
void check_ends(const Description& d, Findings& out, const std::string& path, const char* what,
                const std::vector<std::pair<const char*, const std::string*>>& nodes) {
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (*nodes[i].second == *nodes[k].second && !nodes[i].second->empty())
        return add_finding(d, out, path + "." + nodes[i].first,
                           std::string("the ") + what + " has `" + *nodes[i].second + "` at " + nodes[k].first + " already",
                           "two different nodes");
}
void check_dynamics(const Description& d, Findings& out, const std::string& path, const SpoolDynamics& s) {
  if (s.frequency && s.time_constant > 0)
    add_finding(d, out, path + ".frequency", "a time constant and a natural frequency are mutually exclusive", "only one of them");
  if (s.rate_limit && !s.frequency && !(s.time_constant > 0))
    add_finding(d, out, path + ".rate_limit", "a spool without dynamics has no rate to limit", "time_constant or frequency in addition");
  if (s.start && !s.frequency && !(s.time_constant > 0))
    add_finding(d, out, path + ".start", "a spool without dynamics has no start value", "time_constant or frequency in addition");
}
/// The nominal pressure drop of an element must not be below its opening pressure.
template <class Sized>
void check_opens(const Description& d, Findings& out, const std::string& path, const Sized& size, double pressure,
                 const std::string& what) {
  if (size.at_pressure_drop && *size.at_pressure_drop < pressure)
    add_finding(d, out, path + ".at_pressure_drop",
                "the pressure drop at the nominal flow (" + number_text(*size.at_pressure_drop) + " Pa) is below " + number_text(pressure) +
                    " Pa, at which " + what,
                "a pressure drop not below that");
}

void check_valve(const Description& d, Findings& out, const std::string& path, const OrificeDescription& o) {
  check_ends(d, out, path + ".orifice", "orifice", o.A, o.B);
  check_dynamics(d, out, path + ".orifice", o.dynamics);
  if (o.signal) return;
  const bool curve = o.opening != OrificeDescription().opening, lag = o.dynamics.time_constant > 0;
  if (curve || lag || o.dynamics.frequency || o.dynamics.rate_limit || o.dynamics.start)
    add_finding(d, out,
                path + ".orifice." +
                    (curve                  ? "opening"
                     : lag                  ? "time_constant"
                     : o.dynamics.frequency ? "frequency"
                     : o.dynamics.start     ? "start"
                                            : "rate_limit"),
                "the opening has no command `signal`", "a signal in addition to `orifice`",
                "an orifice without a signal is always fully open");
}
void check_valve(const Description& d, Findings& out, const std::string& path, const CheckValveDescription& c) {
  check_ends(d, out, path + ".check", "check valve", c.A, c.B);
  if (c.at_pressure_drop && *c.at_pressure_drop <= c.cracking_pressure)
    add_finding(d, out, path + ".check.at_pressure_drop",
                "the pressure drop at the nominal flow (" + number_text(*c.at_pressure_drop) +
                    " Pa) does not open the valve, whose cracking pressure is " + number_text(c.cracking_pressure) + " Pa",
                "a pressure drop above the cracking pressure");
}
void check_valve(const Description& d, Findings& out, const std::string& path, const ReliefValveDescription& r) {
  check_ends(d, out, path + ".relief", "relief valve", r.A, r.B);
  const bool lags = r.time_constant > 0;
  if ((r.frequency || lags) && r.gradient)
    add_finding(d, out, path + ".relief.gradient", "a poppet with dynamics requires the pressure at which it is fully open",
                "flow and override",
                std::string("`gradient` is only for a valve without `") + (r.frequency ? "frequency`" : "time_constant`"));
  if (r.frequency && lags)
    add_finding(d, out, path + ".relief.time_constant", "a time constant and a natural frequency are mutually exclusive",
                "only one of them");
}
void check_valve(const Description& d, Findings& out, const std::string& path, const DirectionalValveDescription& v) {
  check_dynamics(d, out, path + ".directional_4_3", v.dynamics);
  if (!(v.dead_band < v.at_signal))
    add_finding(d, out, path + ".directional_4_3.dead_band",
                "the valve does not open up to " + number_text(v.dead_band) + ", and is fully open at " + number_text(v.at_signal),
                "a dead band below `at_signal`");
}
void check_valve(const Description& d, Findings& out, const std::string& path, const SpoolValveDescription& v) {
  const std::string at = path + ".directional";
  check_dynamics(d, out, at, v.dynamics);
  const auto ports = [&v] {
    std::string list;
    for (const auto& item : v.ports) list += (list.empty() ? "`" : ", `") + item.first + "`";
    return list;
  };
  if (v.edges.empty()) add_finding(d, out, at + ".edges", "the valve has no edges", "edges between its ports, such as P_A");
  for (const auto& item : v.edges) {
    const std::string& name = item.first;
    const auto& edge = item.second;
    const auto place = [&] { return at + ".edges." + name; };
    const auto nodes = edge_nodes(v, name);
    if (!nodes)
      add_finding(d, out, place(), "`" + name + "` does not name two ports of the valve",
                  "two of " + ports() + " joined by `_`, such as P_A");
    if (nodes && nodes->first == nodes->second)
      add_finding(d, out, place(), "the edge connects `" + nodes->first + "` with itself", "two different nodes");
    for (std::size_t i = 0; i < edge.areas.size(); ++i)
      if (edge.areas[i][1] < 0)
        add_finding(d, out, place() + ".areas." + std::to_string(i) + ".1", "found the area " + number_text(edge.areas[i][1]) + " m^2",
                    "an area not less than 0");
  }
}
void check_valve(const Description& d, Findings& out, const std::string& path, const PilotCheckValveDescription& c) {
  const std::string at = path + ".pilot_check";
  check_ends(d, out, at, "check valve", c.A, c.B);
  check_opens(d, out, at, c, c.setting + c.range, "the valve is fully open");
}
void check_valve(const Description& d, Findings& out, const std::string& path, const CounterbalanceValveDescription& c) {
  const std::string at = path + ".counterbalance";
  check_ends(d, out, at, "counterbalance valve", c.A, c.B);
  check_opens(d, out, at, c, c.cracking_pressure, "its check valve opens");
}
void check_valve(const Description& d, Findings& out, const std::string& path, const ShuttleValveDescription& s) {
  check_ends(d, out, path + ".shuttle", "shuttle valve", {{"X", &s.X}, {"Y", &s.Y}, {"Z", &s.Z}});
}
void check_valve(const Description& d, Findings& out, const std::string& path, const ReducingValveDescription& r) {
  check_ends(d, out, path + ".reducing", "pressure-reducing valve", {{"A", &r.A}, {"B", &r.B}, {"T", &r.T}});
  if (r.overlap > 0 && !r.relieving)
    add_finding(d, out, path + ".reducing.overlap", "a valve that is not relieving has no edge to T", "relieving: true");
}
void check_valve(const Description& d, Findings& out, const std::string& path, const CompensatorDescription& c) {
  check_ends(d, out, path + ".compensator", "compensator", c.A, c.B);
  const bool pre = c.kind == CompensatorDescription::Kind::pre;
  const std::string& kept = pre ? c.B : c.A;
  if (kept == c.LS && !kept.empty())
    add_finding(d, out, path + ".compensator.LS", "the compensator would control the pressure of `" + kept + "` relative to itself",
                pre ? "the node downstream of the metering edge" : "the node of the highest load");
}
void check_valve(const Description& d, Findings& out, const std::string& path, const FlowDividerDescription& f) {
  check_ends(d, out, path + ".flow_divider", "flow divider", {{"P", &f.P}, {"A", &f.A}, {"B", &f.B}});
  if (!(f.share < 1)) add_finding(d, out, path + ".flow_divider.share", "no flow is left for B", "a share less than 1");
}
void check_valve(const Description& d, Findings& out, const std::string& path, const PriorityValveDescription& p) {
  check_ends(d, out, path + ".priority", "priority valve", {{"P", &p.P}, {"CF", &p.CF}, {"EF", &p.EF}});
  if (p.LS == p.CF && !p.LS.empty())
    add_finding(d, out, path + ".priority.LS", "the valve would control the pressure of `" + p.CF + "` relative to itself",
                "the load node downstream of the metering orifice at CF");
}
void check_valve(const Description& d, Findings& out, const std::string& path, const ResistanceDescription& r) {
  check_ends(d, out, path + ".resistance", "resistance", r.A, r.B);
}
void check_valve(const Description& d, Findings& out, const std::string& path, const LaminarRestrictionDescription& r) {
  check_ends(d, out, path + ".laminar", "restriction", r.A, r.B);
}

/// Chambers on nodes, or on a quasistatic circuit.
/// `circuits`: how many quasistatic ones have the actuator.
template <class Actuator>
void check_oil_of(const Description& d, Findings& out, const std::string& path, const std::string& name, const Actuator& a, int circuits) {
  constexpr const char* kEither = "A and B, or its name among the actuators of one `quasistatic` circuit";
  if (circuits > 1) add_finding(d, out, path, "`" + name + "` is in " + std::to_string(circuits) + " quasistatic circuits", "one");
  if (circuits > 0) {
    for (const auto& [key, node] : {std::pair{"A", &a.A}, {"B", &a.B}})
      if (!node->empty()) add_finding(d, out, path + "." + key, "`" + name + "` is already supplied by a quasistatic circuit", kEither);
    if (a.leakage > 0)
      add_finding(d, out, path + ".leakage", "quasistatic circuits do not support leakage", "0, or chambers on volumes (A, B)");
    return;
  }
  for (const auto& [key, node] : {std::pair{"A", &a.A}, {"B", &a.B}}) {
    if constexpr (requires { a.plunger; })
      if (a.plunger && *key == 'B') continue;
    if (node->empty()) add_finding(d, out, path + "." + key, "the chamber has no node", kEither);
  }
}

/// The parts of a description that quasistatic circuits refer to.
struct OilNames {
  NameIndex<VolumeDescription> volumes;
  NameIndex<CylinderDescription> cylinders;
  NameIndex<MotorDescription> motors;
};

void check_quasistatic(const Description& d, const OilNames& names, Findings& out, const std::string& path,
                       const QuasistaticDescription& q) {
  if (q.actuators.empty()) add_finding(d, out, path + ".actuators", "the circuit has no actuators", "names of cylinders or motors");
  if (names.volumes.find(q.tank) != nullptr)
    add_finding(d, out, path + ".tank", "`" + q.tank + "` is not a pressure source", "the name of a pressure source in `sources`");
  if (!q.open_centre.empty() && !q.bleed)
    add_finding(d, out, path + ".open_centre", "the circuit has no bleed valve", "`bleed` with the size of the sections");
  if (!q.open_centre.empty() && q.bleed && has_command(*q.bleed))
    add_finding(d, out, path + ".bleed.command", "the opening of the bleed valve is already defined by its sections (open_centre)",
                "only one of them");
  for (const auto& [name, m] : q.actuators) {
    const std::string at = path + ".actuators." + name;
    const CylinderDescription* cylinder = names.cylinders.find(name);
    if (cylinder == nullptr && names.motors.find(name) == nullptr)
      add_finding(d, out, at, "there is no cylinder or motor `" + name + "`", "the name of a cylinder or motor");
    if (!m.element.stiffness && !(cylinder != nullptr && cylinder->chamber_length_A && cylinder->chamber_length_B))
      add_finding(d, out, at + ".element.stiffness", "without chamber lengths the stiffness of the oil is undefined", "a stiffness",
                  "or chamber_length_A and chamber_length_B of the cylinder");
    if (m.element.damping.has_value() == m.element.settling_time.has_value())
      add_finding(d, out, at + ".element", "the damping is " + std::string(m.element.damping ? "given twice" : "not given"),
                  "damping, or settling_time");
  }
  const Integrator& integrator = integrator_of(d.solver);
  if (q.form == VirtualElementForm::discrete && d.solver.integrator == IntegratorKind::esdirk3)
    add_finding(d, out, path + ".form", "`esdirk3` has several stages per step and does not support discrete states",
                "`differential`, or another fixed-step integrator");
  if (q.form == VirtualElementForm::discrete && !integrator.has_fixed_step())
    add_finding(d, out, path + ".form", std::string("`") + integrator.word + "` uses variable steps and does not support discrete states",
                "`differential`, or a fixed-step integrator");
}

}  // namespace

[[gnu::cold]] void check_hydraulics(const Description& d, Findings& out) {
  const NameIndex<JointDescription> joints(d.joints);
  std::map<std::string, std::string> moved;
  for (const auto& [name, motion] : d.motions)
    if (const auto [it, fresh] = moved.emplace(full_coordinate_name(joints, motion.joint), name); !fresh)
      add_finding(d, out, "motions." + name + ".joint",
                  "the coordinate `" + motion.joint + "` is already prescribed by `" + it->second + "`", "one motion for each coordinate");
  check_motion_signals(d, out);
  for (const auto& [name, force] : d.forces)
    if (!force.joint && !force.force && !force.torque && !force.soil)
      add_finding(d, out, "forces." + name, "missing `force`, `torque` or `soil`");
  for (const auto& [name, valve] : d.valves)
    std::visit([&, path = "valves." + name](const auto& v) { check_valve(d, out, path, v); }, valve);
  for (const auto& [name, cylinder] : d.cylinders) check_cylinder(d, out, "cylinders." + name, cylinder);
  for (const auto& [name, motor] : d.motors) check_motor(d, joints, out, "motors." + name, motor);
  check_elements(d, out);
  std::unordered_map<std::string_view, int> circuits;  // quasistatic ones of each actuator
  for (const auto& [name, q] : d.quasistatic)
    for (const auto& [actuator, metering] : q.actuators) ++circuits[actuator];
  for (const auto& [name, cylinder] : d.cylinders) check_oil_of(d, out, "cylinders." + name, name, cylinder, circuits[name]);
  for (const auto& [name, motor] : d.motors) check_oil_of(d, out, "motors." + name, name, motor, circuits[name]);
  if (d.quasistatic.empty()) return;
  const OilNames names{NameIndex(d.volumes), NameIndex(d.cylinders), NameIndex(d.motors)};
  for (const auto& [name, q] : d.quasistatic) check_quasistatic(d, names, out, "quasistatic." + name, q);
}

}  // namespace trunnion
