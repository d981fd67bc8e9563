// Checks of signals: points, operands, jumps, and dimensions that depend on other items.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_set>

#include "control/block.h"
#include "description/integrators.h"
#include "schema/check.h"
#include "schema/reader.h"

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

}  // namespace

[[gnu::cold]] void check_signals(const Description& d, Findings& out) {
  const NameIndex<SignalDescription> signals(d.signals);
  for (const auto& [name, block] : blocks_of_signals(d))
    if (const std::size_t count = block_inputs(block).size(); count > static_cast<std::size_t>(kMaxBlockInputs))
      add_finding(d, out, "signals." + name, "found a list of " + std::to_string(count) + ", with the value of a control block",
                  "at most " + std::to_string(kMaxBlockInputs) + " signals and blocks", "add or multiply parts of them first");
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

[[gnu::cold]] void check_dimensions(const Description& d, const std::map<std::string, Dimension>& dimensions, Findings& out) {
  DimensionCheck(d, dimensions, out).run();
}

Findings doubtful_units(const Description& d, const std::map<std::string, Dimension>& dimensions) {
  constexpr std::array kDisplacements{".displacement", ".displacement_A", ".displacement_B"};
  Findings out;
  for (const auto& [path, dimension] : dimensions) {
    const bool displaces =
        (path.starts_with("motors.") || path.starts_with("pumps.")) &&
        std::any_of(kDisplacements.begin(), kDisplacements.end(), [&path = path](const char* ending) { return path.ends_with(ending); });
    if (displaces && dimension.angle == 0)
      add_finding(d, out, path, "the unit has no angle and was read as a volume per radian", "a unit such as cm^3/rev or cm^3/rad",
                  "if it is per revolution, the value is too large by 2 pi");
  }
  return out;
}

[[gnu::cold]] static void check_followed(const Description& d, const std::string& name, const std::string& block, Findings& out) {
  const SolverDescription& s = d.solver;
  const auto refuse = [&](const std::string& what, const char* instead) {
    add_finding(d, out, "motions." + name + ".signal", "the motion follows the control block `" + block + "`, which " + what, instead,
                "or let a load on the joint (`forces`) follow a `pid` with this set point");
  };
  if (s.coordinates == CoordinateKind::cartesian) refuse("is not available in cartesian coordinates", "`solver.coordinates: relative`");
  if (s.coupling == CouplingKind::cosimulation) refuse("is not available in a co-simulation", "`solver.coupling: monolithic`");
  if (integrator_of(s).is_implicit() && s.constraints != ConstraintKind::penalty)
    refuse("implicit integrators have with `solver.constraints: penalty` only", "`penalty`, or an explicit integrator such as `rk4`");
  if (s.integrator == IntegratorKind::semi_implicit_euler || s.integrator == IntegratorKind::ida)
    refuse(std::string("the integrator `") + integrator_of(s).word + "` does not have",
           "another integrator, such as `trapezoidal`, `rk4` or `cvode`");
  for (const auto& [other, motion] : d.motions)
    if (other < name && motion.signal == block)
      refuse("`motions." + other + "` follows, too", "a block for each motion: it starts at the coordinate of its joint");
}

void check_motion_signals(const Description& d, Findings& out) {
  const JumpSearch search(d);
  for (const auto& [name, motion] : d.motions)
    if (d.control.find(motion.signal) != nullptr)
      check_followed(d, name, motion.signal, out);
    else if (search.jumps(motion.signal))
      add_finding(d, out, "motions." + name + ".signal", "the signal `" + motion.signal + "` jumps, which a body cannot follow",
                  "a signal without jumps, preferably with a continuous slope",
                  search.is_input(motion.signal) ? "give the input a `rate_limit`" : "use a smooth table or a sine");
}

}  // namespace trunnion
