// Checks part 2: signals and their dimensions, hydraulic circuit, friction laws, solver choices.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "description/integrators.h"
#include "schema/check.h"
#include "schema/reader.h"
#include "schema/table.h"

namespace trunnion {

namespace {

const std::vector<std::string>* operands(const SignalDescription& signal) {
  if (const auto* sum = std::get_if<SumSignal>(&signal)) return &sum->of;
  if (const auto* product = std::get_if<ProductSignal>(&signal)) return &product->of;
  return nullptr;
}

/// Whether following operands from `start` leads back to it. (Without recursion, as chains may be long.)
bool leads_back(const NameIndex<SignalDescription>& signals, const std::string& start) {
  std::unordered_set<std::string_view> seen;
  std::vector<std::string_view> open{start};
  while (!open.empty()) {
    const SignalDescription* signal = signals.find(open.back());
    open.pop_back();
    const auto* of = signal == nullptr ? nullptr : operands(*signal);
    if (of == nullptr) continue;
    for (const std::string& name : *of) {
      if (name == start) return true;
      if (seen.insert(name).second) open.push_back(name);
    }
  }
  return false;
}

/// Signals that may refer to themselves: those left after removing, again and again, all without operands among the rest.
std::unordered_set<std::string_view> possible_cycles(const NamedList<SignalDescription>& signals) {
  std::unordered_map<std::string_view, std::vector<std::string_view>> users;
  std::unordered_map<std::string_view, std::size_t> open;  // operands that are left
  for (const auto& [name, signal] : signals)
    if (const auto* of = operands(signal)) {
      open[name] = of->size();
      for (const std::string& operand : *of) users[operand].push_back(name);
    }
  std::vector<std::string_view> free;
  for (const auto& [operand, by] : users)
    if (!open.contains(operand)) free.push_back(operand);
  while (!free.empty()) {
    const auto by = users.find(free.back());
    free.pop_back();
    if (by == users.end()) continue;
    for (const std::string_view user : by->second)
      if (--open[user] == 0) free.push_back(user);
  }
  std::unordered_set<std::string_view> rest;
  for (const auto& [name, left] : open)
    if (left > 0) rest.insert(name);
  return rest;
}

void check_points(const Description& d, Findings& out, const std::string& path, const Points& points, bool strict) {
  if (points.empty()) add_finding(d, out, path, "the signal has no points");
  for (std::size_t i = 1; i < points.size(); ++i)
    if (points[i][0] < points[i - 1][0] || (strict && points[i][0] == points[i - 1][0]))
      return add_finding(d, out, path + "." + std::to_string(i), "the time is not later than the one before",
                         strict ? "strictly increasing times" : "times that do not decrease");
}

/// Dimensions that depend on another item.
class DimensionCheck {
 public:
  DimensionCheck(const Description& d, const std::map<std::string, Dimension>& dimensions, Findings& out)
      : d_(d), dimensions_(dimensions), out_(out), joints_(d.joints), inputs_(d.inputs) {}

  void run() {
    for (const auto& [name, signal] : d_.signals) of_signal(name);
    for (const auto& [name, input] : d_.inputs) of_signal(name);
    for (const auto& [name, spring] : d_.springs)
      if (spring.joint) joint_quantities("springs." + name, *spring.joint);
    for (const auto& [name, force] : d_.forces)
      if (force.joint) joint_quantities("forces." + name, *force.joint);
    for (const auto& [name, motion] : d_.motions)
      if (const auto turning = is_rotary(motion.joint))
        signal_fits("motions." + name + ".signal", motion.signal, *turning ? kAngle : kLength);
    for (const auto& [name, coupling] : d_.couplings) ratio_fits("couplings." + name + ".ratio", coupling);
    sources();
    valves();
    pumps();
  }

 private:
  std::optional<Dimension> of_value(const std::string& path) const {
    const auto it = dimensions_.find(path);
    return it == dimensions_.end() ? std::nullopt : std::optional(it->second);
  }

  /// Whether a joint coordinate is an angle, not a displacement; nullopt if it does not exist.
  std::optional<bool> is_rotary(const std::string& coordinate) const {
    const auto& [joint_name, part] = split_coordinate(coordinate);
    const JointDescription* joint = joints_.find(joint_name);
    const int index = joint == nullptr ? -1 : find_coordinate(joint->kind, part);
    if (index < 0) return std::nullopt;
    return joint_parts(joint->kind)[static_cast<std::size_t>(index)].kind == JointPartKind::angle;
  }

  void joint_quantities(const std::string& path, const std::string& coordinate) {
    const std::optional<bool> turning = is_rotary(coordinate);
    if (!turning) return;
    value_fits(path + ".stiffness", *turning ? kAngularStiffness : kStiffness, coordinate);
    value_fits(path + ".damping", *turning ? kAngularDamping : kDamping, coordinate);
    value_fits(path + ".rest", *turning ? kAngle : kLength, coordinate);
    value_fits(path + ".preload", *turning ? kTorque : kForce, coordinate);
    value_fits(path + ".load", *turning ? kTorque : kForce, coordinate);
  }

  void value_fits(const std::string& path, const Measure& measure, const std::string& coordinate) {
    const auto dimension = of_value(path);
    if (dimension && !fits(*dimension, measure))
      add_finding(d_, out_, path, "the unit does not match the coordinate `" + coordinate + "`", expectation(measure));
  }

  void ratio_fits(const std::string& path, const CouplingDescription& coupling) {
    const auto a = is_rotary(coupling.joints[0]), b = is_rotary(coupling.joints[1]);
    const auto dimension = of_value(path);
    if (!a || !b || !dimension) return;
    const int length = (*a ? 0 : 1) - (*b ? 0 : 1);
    if (*dimension == Dimension{length, 0, 0, 0, 0, dimension->angle}) return;
    add_finding(d_, out_, path, "the unit does not match the coordinates `" + coupling.joints[0] + "` and `" + coupling.joints[1] + "`",
                length == 0  ? "a number"
                : length > 0 ? "a ratio such as 40 mm/rad"
                             : "a ratio such as 25 rad/m");
  }

  // The dimension of a signal's values if any has a unit; they must agree.
  std::optional<Dimension> of_signal(const std::string& name) {
    const InputDescription* const input = inputs_.find(name);
    const std::string prefix = (input != nullptr ? "inputs." : "signals.") + name + ".";
    std::optional<Dimension> found;
    if (input != nullptr) found = of_unit(input->unit);
    for (auto it = dimensions_.lower_bound(prefix); it != dimensions_.end() && it->first.starts_with(prefix); ++it) {
      if (!is_value(it->first.substr(prefix.size()))) continue;
      if (!found) found = it->second;
      if (!same(*found, it->second) && reported_.insert(name).second)
        add_finding(d_, out_, it->first, "the unit disagrees with other values of the signal `" + name + "`", "values of one dimension");
    }
    return found;
  }

  /// The dimension of a unit's name; nullopt: none.
  static std::optional<Dimension> of_unit(const std::string& unit) {
    const QuantityText read = read_quantity("1 " + unit);
    return read.quantity && read.quantity->has_unit ? std::optional(read.quantity->dimension) : std::nullopt;
  }

  // Values of signals, as opposed to times, frequencies and phases, by their path below the signal.
  static bool is_value(const std::string& path) {
    if (path == "constant" || path == "before" || path == "sine.amplitude" || path == "sine.offset" || path == "csv.scale" ||
        path == "default" || path == "min" || path == "max")
      return true;
    const bool points = path.starts_with("steps.") || path.starts_with("ramps.") || path.starts_with("table.");
    return points && path.ends_with(".1") && std::count(path.begin(), path.end(), '.') == 2;
  }

  static bool same(Dimension a, Dimension b) { return fits(a, Measure{"", "", "", b}); }

  void signal_fits(const std::string& path, const std::string& signal, const Measure& measure) {
    const auto dimension = of_signal(signal);
    if (dimension && !fits(*dimension, measure))
      add_finding(d_, out_, path, "the values of the signal `" + signal + "` have a different dimension", expectation(measure));
  }

  void sources() {
    for (const auto& [name, source] : d_.sources) {
      if (const auto* p = std::get_if<PressureSourceDescription>(&source))
        if (const auto* signal = std::get_if<std::string>(&p->pressure)) signal_fits("sources." + name + ".pressure", *signal, kPressure);
      if (const auto* f = std::get_if<FlowSourceDescription>(&source))
        if (const auto* signal = std::get_if<std::string>(&f->flow)) signal_fits("sources." + name + ".flow", *signal, kFlow);
    }
  }

  void pumps() {
    for (const auto& [name, pump] : d_.pumps) {
      const std::string path = "pumps." + name;
      if (const auto* signal = std::get_if<std::string>(&pump.speed)) signal_fits(path + ".speed", *signal, kAngularRate);
      if (const auto* signal = std::get_if<std::string>(&pump.fraction)) signal_fits(path + ".fraction", *signal, kNumber);
      if (!pump.prime_mover) continue;
      for (std::size_t i = 0; i < pump.prime_mover->torque_limit.size(); ++i) {
        const std::string place = path + ".prime_mover.torque_limit." + std::to_string(i) + ".0";
        const auto dimension = of_value(place);
        if (dimension && !fits(*dimension, kAngularRate))
          add_finding(d_, out_, place, "the unit does not match a speed", expectation(kAngularRate));
      }
    }
  }

  void valves() {
    for (const auto& [name, valve] : d_.valves) {
      const std::string path = "valves." + name;
      if (const auto* o = std::get_if<OrificeDescription>(&valve); o != nullptr && o->signal)
        openings(path, *o->signal, {{path + ".orifice.opening", &o->opening}});
      if (const auto* spool = std::get_if<SpoolValveDescription>(&valve)) {
        std::vector<Curve> curves;
        for (const auto& [edge, e] : spool->edges) {
          const std::string at = path + ".directional.edges." + edge;
          curves.push_back(e.areas.empty() ? Curve{at + ".opening", &e.opening} : Curve{at + ".areas", &e.areas});
        }
        openings(path, spool->signal, curves);
      }
      const auto* directional = std::get_if<DirectionalValveDescription>(&valve);
      const auto full = of_value(path + ".directional_4_3.at_signal");
      if (directional == nullptr || !full) continue;
      const Measure command{"values of the dimension of `at_signal`,", "", "10 V", *full};
      signal_fits(path + ".signal", directional->signal, command);
      if (const auto band = of_value(path + ".directional_4_3.dead_band"); band && !fits(*band, command))
        add_finding(d_, out_, path + ".directional_4_3.dead_band", "the unit disagrees with that of `at_signal`");
    }
  }

  using Curve = std::pair<std::string, const Points*>;
  /// The signal values of one command's opening tables must agree with each other and with the command.
  void openings(const std::string& path, const std::string& signal, const std::vector<Curve>& curves) {
    std::optional<Dimension> found;
    for (const auto& [at, points] : curves)
      for (std::size_t i = 0; i < points->size(); ++i) {
        const std::string place = at + "." + std::to_string(i) + ".0";
        const auto dimension = of_value(place);
        if (!dimension) continue;
        if (found && !same(*found, *dimension))
          return add_finding(d_, out_, place, "the unit disagrees with other signals of the opening", "signals of one dimension");
        found = dimension;
      }
    signal_fits(path + ".signal", signal, found ? Measure{"values of the dimension of `opening`,", "", "10 V", *found} : kNumber);
  }

  const Description& d_;
  const std::map<std::string, Dimension>& dimensions_;
  Findings& out_;
  NameIndex<JointDescription> joints_;
  NameIndex<InputDescription> inputs_;
  std::set<std::string> reported_;
};

// ---------------------------------------------------------------- hydraulics

void check_friction(const Description& d, Findings& out, const std::string& path, const FrictionDescription& f, bool is_rotary) {
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
  if (f.model != FrictionKind::modified_lugre) return;
  positive("film_velocity", f.film_velocity);
  positive("film_time_up", f.film_time_up);
  positive("film_time_down", f.film_time_down);
  positive("film_time_dwell", f.film_time_dwell);
}

void check_limits(const Description& d, Findings& out, const std::string& path, const CoordinatePlace& place,
                  const LimitsDescription& limits) {
  if (!limits.minimum && !limits.maximum) add_finding(d, out, path, "the coordinate has no limit", "`minimum`, `maximum` or both");
  if (!limits.stiffness && std::all_of(d.gravity.begin(), d.gravity.end(), [](double g) { return g == 0; }))
    add_finding(d, out, path + ".stiffness", "without gravity the stiffness has no default", "a stiffness");
  if (limits.damping > 0 && !limits.depth)
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
}
void check_valve(const Description& d, Findings& out, const std::string& path, const SpoolValveDescription& v) {
  const std::string at = path + ".directional";
  check_dynamics(d, out, at, v.dynamics);
  std::string ports;
  for (const auto& item : v.ports) ports += (ports.empty() ? "`" : ", `") + item.first + "`";
  if (v.edges.empty()) add_finding(d, out, at + ".edges", "the valve has no edges", "edges between its ports, such as P_A");
  for (const auto& [name, edge] : v.edges) {
    const std::string place = at + ".edges." + name;
    const auto nodes = edge_nodes(v, name);
    if (!nodes)
      add_finding(d, out, place, "`" + name + "` does not name two ports of the valve", "two of " + ports + " joined by `_`, such as P_A");
    if (nodes && nodes->first == nodes->second)
      add_finding(d, out, place, "the edge connects `" + nodes->first + "` with itself", "two different nodes");
    for (std::size_t i = 0; i < edge.areas.size(); ++i)
      if (edge.areas[i][1] < 0)
        add_finding(d, out, place + ".areas." + std::to_string(i) + ".1", "found the area " + number_text(edge.areas[i][1]) + " m^2",
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

// ---------------------------------------------------------------- solver

using Combination = std::array<std::size_t, 3>;  // constraints, integrator, coupling; any coordinates are possible

/// Whether a treatment and an integrator make a monolithic stepper.
constexpr bool fit(ConstraintKind constraints, IntegratorClass integrator) {
  switch (constraints) {
    case ConstraintKind::penalty:
      return integrator == IntegratorClass::implicit;
    case ConstraintKind::double_step:
      return integrator != IntegratorClass::variable_index1;
    case ConstraintKind::baumgarte:
      return integrator != IntegratorClass::variable_ode;
    case ConstraintKind::ali1:
      return integrator == IntegratorClass::explicit_step || integrator == IntegratorClass::variable_ode;
  }
  return false;
}

/// All of them are available for the mechanism of a co-simulation, except the variable-step integrators.
std::vector<Combination> combinations() {
  std::vector<Combination> all;
  for (const CouplingKind coupling : {CouplingKind::monolithic, CouplingKind::cosimulation})
    for (const ConstraintKind constraints :
         {ConstraintKind::penalty, ConstraintKind::double_step, ConstraintKind::baumgarte, ConstraintKind::ali1})
      for (std::size_t i = 0; i < kIntegrators.size(); ++i)
        if (fit(constraints, kIntegrators[i].kind) && (coupling == CouplingKind::monolithic || kIntegrators[i].has_fixed_step()))
          all.push_back({std::size_t(constraints), i, std::size_t(coupling)});
  return all;
}

struct ChoiceName {
  const char* key;
  const std::vector<const char*>& words;
};

std::array<ChoiceName, 3> choice_names() {
  return {{{"constraints", constraint_words()}, {"integrator", integrator_words()}, {"coupling", coupling_words()}}};
}

std::string reason(const SolverDescription& s, std::size_t first_difference) {
  const IntegratorClass kind = integrator_of(s).kind;
  if (s.constraints == ConstraintKind::penalty && kind != IntegratorClass::implicit)
    return "the index-3 penalty formulation solves for positions at the end of a step and provides no accelerations for other integrators";
  if (s.constraints == ConstraintKind::double_step && kind == IntegratorClass::variable_index1)
    return "`ida` integrates differential-algebraic equations of index 1, and `double_step` yields ordinary differential equations";
  if (s.constraints == ConstraintKind::baumgarte && kind == IntegratorClass::variable_ode)
    return "`cvode` integrates ordinary differential equations, and `baumgarte` yields index-1 equations with multipliers";
  if (s.coupling == CouplingKind::cosimulation && !integrator_of(s).has_fixed_step())
    return "co-simulation requires a fixed step of the mechanism, and `cvode` and `ida` use variable steps";
  if (s.constraints == ConstraintKind::ali1)
    return std::string(
        "`ali1` iterates multipliers for given positions and velocities and requires an explicit integrator "
        "(`semi_implicit_euler`, `rk4`, `euler`) or `cvode`; for the same equations with the multipliers as unknowns use "
        "constraints: baumgarte, baumgarte: [xi omega, omega]");
  const ChoiceName name = choice_names()[first_difference];
  const Combination now{std::size_t(s.constraints), std::size_t(s.integrator), std::size_t(s.coupling)};
  return std::string("`") + name.words[now[first_difference]] + "` is not available in this combination";
}

}  // namespace

void check_signals(const Description& d, Findings& out) {
  const NameIndex<SignalDescription> signals(d.signals);
  const std::unordered_set<std::string_view> possible = possible_cycles(d.signals);
  for (const auto& [name, signal] : d.signals) {
    const std::string path = "signals." + name;
    if (const auto* s = std::get_if<StepsSignal>(&signal)) check_points(d, out, path + ".steps", s->steps, true);
    if (const auto* s = std::get_if<RampsSignal>(&signal)) check_points(d, out, path + ".ramps", s->points, false);
    if (const auto* s = std::get_if<TableSignal>(&signal)) check_points(d, out, path + ".table", s->points, s->smooth);
    if (const auto* of = operands(signal); of != nullptr && of->empty())
      add_finding(d, out, path, "the signal has no operands", "names of signals");
    if (possible.contains(name) && leads_back(signals, name))
      add_finding(d, out, path, "the signal `" + name + "` refers to itself", "sums and products without a cycle");
  }
  for (const auto& [name, input] : d.inputs) {
    const std::string path = "inputs." + name;
    if (const QuantityText unit = read_quantity("1 " + input.unit); !unit.quantity || unit.quantity->value != 1)
      add_finding(d, out, path + ".unit", "`" + input.unit + "` is not a unit of the SI",
                  "the SI unit of the value, such as m, rad, Pa or m^3/s", "values may have any unit: `max: 50 bar` with `unit: Pa`");
    if (input.min && input.max && !(*input.min < *input.max))
      add_finding(d, out, path + ".max", "the maximum is not above the minimum", "a value above " + number_text(*input.min));
    else if ((input.min && input.initial < *input.min) || (input.max && input.initial > *input.max))
      add_finding(d, out, path + ".default", "the default is outside the limits", "a value from `min` to `max`");
  }
}

void check_dimensions(const Description& d, const std::map<std::string, Dimension>& dimensions, Findings& out) {
  DimensionCheck(d, dimensions, out).run();
}

bool doubled_time(const Points& points) {
  return std::adjacent_find(points.begin(), points.end(), [](const auto& a, const auto& b) { return a[0] == b[0] && a[1] != b[1]; }) !=
         points.end();
}

/// Which signals jump, by themselves or by an operand.
class JumpSearch {
 public:
  explicit JumpSearch(const Description& d) : courses_(source_of(d).courses), signals_(d.signals), inputs_(d.inputs) {}

  bool jumps(const std::string& name) const {
    std::unordered_set<std::string_view> seen{name};
    std::vector<std::string_view> open{name};
    while (!open.empty()) {
      const std::string_view at = open.back();
      open.pop_back();
      if (const InputDescription* input = inputs_.find(at)) {
        if (jumps_itself(*input, std::string(at))) return true;
        continue;
      }
      const SignalDescription* signal = signals_.find(at);
      if (signal == nullptr) continue;
      if (const auto* of = operands(*signal)) {
        for (const std::string& part : *of)
          if (seen.insert(part).second) open.push_back(part);
      } else if (jumps_itself(*signal)) {
        return true;
      }
    }
    return false;
  }
  bool is_input(const std::string& name) const { return inputs_.find(name) != nullptr; }

 private:
  bool jumps_itself(const InputDescription& input, const std::string& name) const {
    const auto course = courses_.find(name);
    return !input.rate_limit && (course == courses_.end() || doubled_time(course->second));
  }
  static bool jumps_itself(const SignalDescription& signal) {
    if (const auto* steps = std::get_if<StepsSignal>(&signal)) return !steps->steps.empty();
    if (const auto* ramps = std::get_if<RampsSignal>(&signal)) return doubled_time(ramps->points);
    if (const auto* table = std::get_if<TableSignal>(&signal)) return doubled_time(table->points);
    if (const auto* csv = std::get_if<CsvSignal>(&signal)) return doubled_time(csv->points);
    return false;
  }

  const decltype(DescriptionSource::courses)& courses_;
  NameIndex<SignalDescription> signals_;
  NameIndex<InputDescription> inputs_;
};

void check_motion_signals(const Description& d, Findings& out) {
  const JumpSearch search(d);
  for (const auto& [name, motion] : d.motions)
    if (search.jumps(motion.signal))
      add_finding(d, out, "motions." + name + ".signal", "the signal `" + motion.signal + "` jumps, which a body cannot follow",
                  "a signal without jumps, preferably with a continuous slope",
                  search.is_input(motion.signal) ? "give the input a `rate_limit`" : "use a smooth table or a sine");
}

/// Chambers on nodes, or on a quasistatic circuit.
/// `circuits`: how many quasistatic ones have the actuator.
template <class Actuator>
void check_oil_of(const Description& d, Findings& out, const std::string& path, const std::string& name, const Actuator& a, int circuits) {
  const std::string either = "A and B, or its name among the actuators of one `quasistatic` circuit";
  if (circuits > 1) add_finding(d, out, path, "`" + name + "` is in " + std::to_string(circuits) + " quasistatic circuits", "one");
  if (circuits > 0) {
    for (const auto& [key, node] : {std::pair{"A", a.A}, {"B", a.B}})
      if (!node.empty()) add_finding(d, out, path + "." + key, "`" + name + "` is already supplied by a quasistatic circuit", either);
    if (a.leakage > 0)
      add_finding(d, out, path + ".leakage", "quasistatic circuits do not support leakage", "0, or chambers on volumes (A, B)");
    return;
  }
  for (const auto& [key, node] : {std::pair{"A", a.A}, {"B", a.B}}) {
    if constexpr (requires { a.plunger; })
      if (a.plunger && *key == 'B') continue;
    if (node.empty()) add_finding(d, out, path + "." + key, "the chamber has no node", either);
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

void check_hydraulics(const Description& d, Findings& out) {
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
  const OilNames names{NameIndex(d.volumes), NameIndex(d.cylinders), NameIndex(d.motors)};
  for (const auto& [name, q] : d.quasistatic) check_quasistatic(d, names, out, "quasistatic." + name, q);
}

void check_solver(const Description& d, Findings& out) {
  const SolverDescription& s = d.solver;
  if (!(s.step > 0)) add_finding(d, out, "solver.step", "the step is not greater than 0");
  if (!(s.duration > 0)) add_finding(d, out, "solver.duration", "the duration is not greater than 0");
  if (s.integrator == IntegratorKind::hht && s.generalized_alpha.rho < 0.5)
    add_finding(d, out, "solver.generalized_alpha.rho", "`hht` is not stable at this spectral radius",
                "0.5 ... 1, or integrator: generalized_alpha");
  if (s.integrator == IntegratorKind::esdirk3 && s.oil_rule != OilRuleKind::automatic)
    add_finding(d, out, "solver.oil_rule", "the hydraulics of `esdirk3` are integrated by its own stages", "auto");
  const Combination asked{std::size_t(s.constraints), std::size_t(s.integrator), std::size_t(s.coupling)};
  constexpr std::size_t kIntegrator = 1;
  const auto agreement = [&](const Combination& c) {  // of two equally near ones the one with the requested integrator
    std::ptrdiff_t same = c[kIntegrator] == asked[kIntegrator] ? 1 : 0;
    for (std::size_t i = 0; i < c.size(); ++i) same += c[i] == asked[i] ? 2 : 0;
    return same;
  };
  const std::vector<Combination> known = combinations();
  const Combination nearest = *std::max_element(known.begin(), known.end(),
                                                [&](const Combination& a, const Combination& b) { return agreement(a) < agreement(b); });
  if (nearest == asked) return;
  std::string found, better;
  std::size_t first = asked.size();
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const ChoiceName name = choice_names()[i];
    if (asked[i] != nearest[i]) first = std::min(first, i);
    found += (i == 0 ? "`" : ", `") + std::string(name.words[asked[i]]) + "`";
    better += (i == 0 ? "" : ", ") + std::string(name.key) + ": " + name.words[nearest[i]];
  }
  add_finding(d, out, std::string("solver.") + choice_names()[first].key,
              "the combination " + found + " is not supported: " + reason(s, first), "", "nearest supported combination: {" + better + "}");
}

}  // namespace trunnion
