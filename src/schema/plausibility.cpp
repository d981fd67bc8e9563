// Warnings about implausible values: units, commands, steps, geometry.
// SPDX-License-Identifier: BSD-3-Clause
#include "schema/plausibility.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "schema/name_index.h"
#include "schema/table.h"

namespace trunnion {

namespace {

using Doubts = std::vector<Diagnostic>;

constexpr double kBar = 1e5;  // [Pa]

void add_finding(const Description& d, Doubts& out, const std::string& path, const std::string& found, const std::string& expected,
                 const std::string& hint = "") {
  out.push_back({span_of(d, path), path, found, expected, hint});
}

/// Plausible range of the values of a key; 0 and infinity are always allowed.
struct PlausibleValues {
  const char* measure;   // its name
  std::string_view key;  // empty: every key of this measure
  double least, most;    // [SI]
  const char* expected;
  const char* hint;
};

/// The first entry that matches a key applies.
const std::vector<PlausibleValues>& plausible() {
  constexpr double kAny = std::numeric_limits<double>::infinity();
  static const std::vector<PlausibleValues> list{
      {kPressure.name, "bulk_modulus", 1e6, 1e13, "a modulus such as 1.5 GPa (oil), 150 MPa (hose) or 210 GPa (steel)",
       "a number without a unit is in Pa"},
      {kPressure.name, "tolerance_pressure", 0, kAny, "", ""},
      {kPressure.name, "", 0, 1e4 * kBar, "a pressure of a hydraulic machine, below 10000 bar", "a number without a unit is in Pa"},
      {kLength.name, "bore", 0, 3, "a bore below 3 m", "a number without a unit is in m"},
      {kLength.name, "rod", 0, 3, "a rod diameter below 3 m", "a number without a unit is in m"},
      {kLength.name, "diameter", 0, 0.5, "a diameter of an orifice or line, below 0.5 m", "a number without a unit is in m"},
      {kArea.name, "", 0, 10, "an area below 10 m^2", "a number without a unit is in m^2"},
      {kVolume.name, "", 0, 100, "a volume of oil below 100 m^3", "a number without a unit is in m^3"},
      {kFlow.name, "", 0, 1, "a flow below 1 m^3/s = 60000 L/min", "a number without a unit is in m^3/s"},
      {kDisplacement.name, "", 0, 1, "a displacement below 1 m^3/rad", "a number without a unit is in m^3/rad"},
      {kDensity.name, "", 100, 3e4, "a density such as 850 kg/m^3", "a number without a unit is in kg/m^3"},
  };
  return list;
}

// ---------------------------------------------------------------- signals

struct SignalRange {
  double low = 0, high = 0;
  void add(double value) { low = std::min(low, value), high = std::max(high, value); }
  /// Largest value in either direction.
  double reach() const { return std::max(high, -low); }
};

SignalRange signal_range(const std::vector<std::array<double, 2>>& points, double scale = 1) {
  if (points.empty()) return {};
  SignalRange range{scale * points.front()[1], scale * points.front()[1]};
  for (const auto& point : points) range.add(scale * point[1]);
  return range;
}

/// Ranges of signals; for sums and products bounds of the range. Each is computed once, its operands before it and without recursion, as
/// chains may be long and signals have several users.
class SignalRanges {
 public:
  explicit SignalRanges(const Description& d)
      : courses_(source_of(d).courses), over_time_(signals_over_time(d)), signals_(over_time_), inputs_(d.inputs) {}

  SignalRange of(const std::string& name) {
    std::vector<std::string_view> open{name};
    while (!open.empty()) {
      const std::string_view at = open.back();
      const std::vector<std::string>* operands = known_.contains(at) ? nullptr : operands_of(at);
      const std::size_t before = open.size();
      if (operands != nullptr && entered_.insert(at).second)
        for (const std::string& part : *operands)
          if (!known_.contains(part) && !entered_.contains(part)) open.push_back(part);
      if (open.size() > before) continue;
      open.pop_back();
      if (!known_.contains(at)) known_.emplace(at, computed(at));
    }
    return known_.at(name);
  }

 private:
  const std::vector<std::string>* operands_of(std::string_view name) const {
    const SignalDescription* signal = inputs_.find(name) != nullptr ? nullptr : signals_.find(name);
    if (signal == nullptr) return nullptr;
    if (const auto* s = std::get_if<SumSignal>(signal)) return &s->of;
    if (const auto* s = std::get_if<ProductSignal>(signal)) return &s->of;
    return nullptr;
  }

  SignalRange known(const std::string& name) const {
    const auto range = known_.find(name);
    return range == known_.end() ? SignalRange{} : range->second;
  }

  SignalRange computed(std::string_view name) const {
    if (const InputDescription* input = inputs_.find(name)) {
      const auto course = courses_.find(std::string(name));
      SignalRange range = course == courses_.end() ? SignalRange{input->initial, input->initial} : signal_range(course->second);
      for (const std::optional<double>& limit : {input->min, input->max})
        if (limit) range.add(*limit);
      return range;
    }
    const SignalDescription* signal = signals_.find(name);
    SignalRange range;
    if (signal == nullptr) return range;
    if (const auto* s = std::get_if<ConstantSignal>(signal)) range = {s->value, s->value};
    if (const auto* s = std::get_if<StepsSignal>(signal)) {
      range = signal_range(s->steps);
      range.add(s->before);
    }
    if (const auto* s = std::get_if<RampsSignal>(signal)) range = signal_range(s->points);
    if (const auto* s = std::get_if<TableSignal>(signal)) range = signal_range(s->points);
    if (const auto* s = std::get_if<CsvSignal>(signal)) range = signal_range(s->points, s->scale);
    if (const auto* s = std::get_if<SineSignal>(signal)) range = {s->offset - std::abs(s->amplitude), s->offset + std::abs(s->amplitude)};
    if (const auto* s = std::get_if<SumSignal>(signal))
      for (const std::string& part : s->of) {
        const SignalRange r = known(part);
        range = {range.low + r.low, range.high + r.high};
      }
    if (const auto* s = std::get_if<ProductSignal>(signal)) {
      range = {1, 1};
      for (const std::string& part : s->of) {
        const SignalRange r = known(part);
        const auto [low, high] = std::minmax({range.low * r.low, range.low * r.high, range.high * r.low, range.high * r.high});
        range = {low, high};
      }
    }
    return range;
  }

  const decltype(DescriptionSource::courses)& courses_;
  NamedList<SignalDescription> over_time_;  // values of control blocks are not known
  NameIndex<SignalDescription> signals_;
  NameIndex<InputDescription> inputs_;
  std::unordered_map<std::string_view, SignalRange> known_;
  std::unordered_set<std::string_view> entered_;  // sums and products whose operands are known, or are being computed
};

// ---------------------------------------------------------------- values

/// Compares the values of hydraulic parts with their plausible ranges.
class PlausibilityCheck final : public Visitor {
 public:
  PlausibilityCheck(const Description& d, Doubts& out) : d_(d), out_(out), ranges_(d) {}

  void leaf(const Key& key, const Slot& slot) override {
    look_at_friction(key, slot);
    if (!of_oil_) return;
    look_at_valve(key, slot);
    if (const auto* value = std::get_if<double*>(&slot)) compare(key, **value);
    if (const auto* value = std::get_if<std::optional<double>*>(&slot); value != nullptr && **value) compare(key, ***value);
    if (const auto* value = std::get_if<StartPressure*>(&slot); value != nullptr && !(*value)->equilibrium) compare(key, (*value)->value);
    if (const auto* value = std::get_if<NumberOrSignal*>(&slot)) {
      if (const auto* number = std::get_if<double>(*value)) return compare(key, *number);
      if (const auto& name = std::get<std::string>(**value); !name.empty()) compare(key, ranges_.of(name).reach());
    }
  }
  void group(const Key& key, const Group& group) override {
    if (group.present) within(key.name, [&] { group.describe(*this); });
  }
  void section(const Key& key, const Items& items, const char*) override {
    for (std::size_t i = 0; i < items.size(); ++i) within(key.name + ("." + items.name(i)), [&] { items.describe(*this, i); });
  }
  void list(const Key& key, const Items& items) override {
    for (std::size_t i = 0; i < items.size(); ++i) within(key.name + ("." + std::to_string(i)), [&] { items.describe(*this, i); });
  }
  void alternatives(const std::vector<Alternative>& alternatives, bool) override { describe_active(*this, alternatives); }

 private:
  template <class F>
  void within(const std::string& name, F visit) {
    const std::string outer = path_;
    const bool outside = of_oil_;
    if (path_.empty()) {
      static const std::set<std::string> kOil{"fluid",        "volumes", "sources", "valves",    "pumps",
                                              "accumulators", "lines",   "motors",  "cylinders", "quasistatic"};
      of_oil_ = kOil.contains(name.substr(0, name.find('.')));
    }
    path_ += name + ".";
    visit();
    path_ = outer;
    of_oil_ = outside;
  }

  /// Whether the file gives this key, other than as 0.
  bool is_given(const Key& key, const Slot& slot) const {
    if (const auto* number = std::get_if<double*>(&slot); number != nullptr && **number == 0) return false;
    return source_of(d_).spans.find(path_ + key.name).has_value();
  }

  /// A friction with values, but without a law.
  void look_at_friction(const Key& key, const Slot& slot) {
    if (const auto* choice = std::get_if<Choice>(&slot); choice != nullptr && std::string_view(choice->words[0]) == "none") {
      const SourceMap& spans = source_of(d_).spans;
      const std::string here = path_.substr(0, path_.size() - 1);
      const bool left_out = choice->get() == 0 && spans.find(here) && !spans.find(path_ + key.name);
      lawless_ = left_out ? path_ : "";
      return;
    }
    if (lawless_ != path_ || lawless_.empty() || !is_given(key, slot)) return;
    add_finding(d_, out_, path_ + key.name, "no friction acts without a `model`", "a friction model, such as coulomb_viscous");
    lawless_.clear();
  }

  /// The damping of a spool or poppet whose natural frequency, which comes before it, is omitted.
  void look_at_valve(const Key& key, const Slot& slot) {
    const std::string_view name = key.name;
    if (const auto* frequency = std::get_if<std::optional<double>*>(&slot); frequency != nullptr && name == "frequency")
      massless_ = **frequency ? "" : path_;
    if (name != "damping" || massless_ != path_ || massless_.empty() || !is_given(key, slot)) return;
    add_finding(d_, out_, path_ + key.name, "without a `frequency` there is no inertia to damp: it has no effect",
                "a `frequency` in addition");
  }

  void compare(const Key& key, double value) {
    const double size = std::abs(value);
    for (const PlausibleValues& p : plausible()) {
      if (std::string_view(p.measure) != key.measure.name || (!p.key.empty() && p.key != key.name)) continue;
      if (size != 0 && std::isfinite(size) && !(size >= p.least && size <= p.most))
        add_finding(d_, out_, path_ + key.name, fmt::format("{} {} is implausible", number_text(value), key.measure.unit), p.expected,
                    p.hint);
      return;
    }
  }

  const Description& d_;
  Doubts& out_;
  SignalRanges ranges_;
  std::string path_;
  std::string lawless_;   // path of a friction whose law is left out
  std::string massless_;  // path of the valve visited last, if its frequency is left out
  bool of_oil_ = false;
};

void look_at_commands(const Description& d, Doubts& out) {
  constexpr double kTolerance = 1e-9;
  SignalRanges ranges(d);
  const auto look_at_fraction = [&](const std::string& path, const NumberOrSignal& fraction) {
    const auto* const signal = std::get_if<std::string>(&fraction);
    if (signal == nullptr || signal->empty()) return;
    const double most = ranges.of(*signal).reach();
    if (most > 1 + kTolerance)
      add_finding(d, out, path + ".fraction", fmt::format("the signal `{}` reaches {:g}, and the displacement is full at 1", *signal, most),
                  "a signal from -1 to 1", "the displacement increases beyond the full one: limit the signal");
  };
  for (const auto& [name, motor] : d.motors) look_at_fraction("motors." + name, motor.fraction);
  for (const auto& [name, pump] : d.pumps) look_at_fraction("pumps." + name, pump.fraction);
  for (const auto& [name, valve] : d.valves) {
    const auto* v = std::get_if<DirectionalValveDescription>(&valve);
    if (v == nullptr) continue;
    const double most = ranges.of(v->signal).reach();
    if (most > v->at_signal * (1 + kTolerance))
      add_finding(d, out, "valves." + name + ".signal",
                  fmt::format("the signal `{}` reaches {:g}, and the valve is fully open at {:g}", v->signal, most, v->at_signal),
                  "a signal within at_signal",
                  "the flow increases beyond nominal: limit the signal, or raise at_signal together with the flow");
  }
}

/// Nominal flows within the laminar zone, where the square-root law that they are of does not hold.
void look_at_nominal_flows(const Description& d, Doubts& out) {
  const auto look_at = [&](const std::string& path, const auto& size, double cracking) {
    if (!size.flow || !size.at_pressure_drop || !(size.laminar_limit > (1 + 1e-9) * (*size.at_pressure_drop - cracking))) return;
    add_finding(d, out, path + ".laminar_limit",
                fmt::format("the flow is laminar up to {:g} Pa, and {:g} Pa drive it at the nominal flow, which is not met",
                            size.laminar_limit, *size.at_pressure_drop - cracking),
                "a smaller limit");
  };
  for (const auto& [name, valve] : d.valves) {
    if (const auto* orifice = std::get_if<OrificeDescription>(&valve)) look_at("valves." + name + ".orifice", *orifice, 0);
    if (const auto* check = std::get_if<CheckValveDescription>(&valve))
      look_at("valves." + name + ".check", *check, check->cracking_pressure);
  }
}

void look_at_forces(const Description& d, Doubts& out) {
  const auto add = [&](const std::string& path, const std::string& found, const char* expected) {
    add_finding(d, out, path, found + ": it has no effect", expected);
  };
  for (const auto& [name, spring] : d.springs)
    if (!spring.joint && spring.between[0] == spring.between[1])
      add("springs." + name, "both points are on `" + spring.between[0] + "`", "two different bodies");
  for (const auto& [name, spring] : d.springs)
    if (spring.stiffness == 0 && spring.damping == 0 && spring.preload == 0)
      add("springs." + name, "a spring without stiffness, damping and preload exerts no force", "at least one of them");
  for (const auto& [name, force] : d.forces)
    if (!force.joint && force.body == "ground") add("forces." + name + ".body", "the load acts on the ground", "a body that moves");
}

/// Stops that exert no force, and depths at which no damping acts.
void look_at_stops(const Description& d, Doubts& out) {
  const auto look_at = [&](const std::string& path, const std::optional<EndDamperDescription>& damper) {
    if (damper && damper->stiffness == 0 && damper->damping == 0)
      add_finding(d, out, path + ".end_damper", "an end damper without stiffness and damping exerts no force: it has no effect",
                  "a `stiffness`, a `damping` or both");
  };
  for (const auto& [name, cylinder] : d.cylinders) look_at("cylinders." + name, cylinder.end_damper);
  for (const auto& [name, motor] : d.motors) look_at("motors." + name, motor.end_damper);
  for (const CoordinatePlace& place : coordinates_with_elements(d)) {
    const CoordinateElements& elements = *elements_of(d, place);
    const std::string path = std::string(place.of_loop ? "loops." : "joints.") + place.joint + ".limits" +
                             (place.alone ? std::string() : "." + std::string(place.name.position));
    if (!elements.limits || !elements.limits->depth || elements.limits->damping > 0 || source_of(d).spans.find(path + ".damping")) continue;
    add_finding(d, out, path + ".depth", "it is the depth at which `damping` acts, which is not given: it has no effect",
                "a `damping`, or no `depth`");
  }
}

/// A pulse of a signal that begins and ends within a step.
struct Pulse {
  double begin = 0, end = 0;  // [s] of the step
  double value = 0;           // farthest from the straight line between the step's ends
  double size = 0;            // distance from it
};

/// The largest one between linear points, in steps of h [s] to `duration`. Where the points jump a step ends.
Pulse largest_pulse(const std::vector<std::array<double, 2>>& points, double h, double duration) {
  constexpr double kOnGrid = 1e-6;  // of a step
  Pulse largest;
  const auto value_at = [&](double t, std::size_t near) {
    while (near > 0 && points[near][0] > t) --near;
    while (near + 1 < points.size() && points[near + 1][0] <= t) ++near;
    if (near + 1 == points.size() || t <= points[near][0]) return points[near][1];
    const auto &before = points[near], &after = points[near + 1];
    return before[1] + (after[1] - before[1]) * (t - before[0]) / (after[0] - before[0]);
  };
  for (std::size_t i = 1; i + 1 < points.size() && points[i][0] < duration; ++i) {
    const double t = points[i][0], steps = t / h, begin = std::floor(steps) * h, end = begin + h;
    if (t < 0 || std::abs(steps - std::round(steps)) < kOnGrid) continue;
    bool jumps = false;
    for (std::size_t k = i; k > 0 && points[k][0] >= begin; --k) jumps = jumps || points[k][0] == points[k - 1][0];
    for (std::size_t k = i; k + 1 < points.size() && points[k][0] <= end; ++k) jumps = jumps || points[k][0] == points[k + 1][0];
    if (jumps) continue;
    const double y_0 = value_at(begin, i), line = y_0 + (value_at(end, i) - y_0) * (t - begin) / h, size = std::abs(points[i][1] - line);
    if (size > largest.size) largest = {begin, end, points[i][1], size};
  }
  return largest;
}

void look_at_pulses(const Description& d, Doubts& out) {
  constexpr double kShare = 0.1;  // of the signal's range
  const double h = grid_step(d);
  if (!(h > 0)) return;
  const auto look = [&](const std::string& path, const std::vector<std::array<double, 2>>& points, double scale = 1) {
    if (points.size() < 3) return;
    const auto [low, high] = std::minmax_element(points.begin(), points.end(), [](const auto& a, const auto& b) { return a[1] < b[1]; });
    const Pulse pulse = largest_pulse(points, h, d.solver.duration);
    if (pulse.size > kShare * ((*high)[1] - (*low)[1]))
      add_finding(
          d, out, path,
          fmt::format("from {:g} s to {:g} s, within one step of {:g} s, the signal goes to {:g} and back: ends of steps do not see it",
                      pulse.begin, pulse.end, h, scale * pulse.value),
          "steps shorter than the signal's pulses, or points in which it jumps, where steps end");
  };
  std::unordered_set<std::string_view> followed;  // by motions: steps end at their points
  for (const auto& item : d.motions) followed.insert(item.second.signal);
  for (const auto& [name, signal] : d.signals) {
    if (followed.contains(name)) continue;
    if (const auto* s = std::get_if<RampsSignal>(&signal)) look("signals." + name, s->points);
    if (const auto* s = std::get_if<TableSignal>(&signal)) look("signals." + name, s->points);
    if (const auto* s = std::get_if<CsvSignal>(&signal)) look("signals." + name, s->points, s->scale);
  }
  for (const auto& [name, course] : source_of(d).courses) look("inputs." + name, course);
}

void look_at_run(const Description& d, Doubts& out) {
  constexpr double kFew = 10, kMany = 1e9, kTolerance = 1e-9;
  const double h = grid_step(d), steps = d.solver.duration / h;
  if (!(h > 0) || !(d.solver.duration > 0)) return;
  const bool apart = d.solver.coupling == CouplingKind::cosimulation && d.coupling.step;
  const std::string path = apart ? "coupling.step" : "solver.step", duration = fmt::format("the duration of {:g} s", d.solver.duration);
  if (steps < 1 - kTolerance)
    add_finding(d, out, path, fmt::format("the step of {:g} s is longer than {}", h, duration), "a step well below the duration");
  else if (steps < kFew * (1 - kTolerance))
    add_finding(d, out, path, fmt::format("the step of {:g} s is longer than a tenth of {}", h, duration),
                "a step well below the duration");
  else if (steps > kMany)
    add_finding(d, out, path, fmt::format("{} requires {:.2g} steps of {:g} s", duration, steps, h), "less than 1e9 steps",
                "a number without a unit is in s");
}

}  // namespace

std::vector<Diagnostic> doubtful_values(const Description& d) {
  Doubts out = source_of(d).unit_warnings;
  Description copy = d;  // visitors may write; this one does not
  PlausibilityCheck check(d, out);
  describe(check, copy);
  look_at_commands(d, out);
  look_at_nominal_flows(d, out);
  look_at_forces(d, out);
  look_at_stops(d, out);
  look_at_run(d, out);
  look_at_pulses(d, out);
  return out;
}

std::vector<std::string> plausibility_warnings(const Description& d) {
  std::vector<std::string> warnings;
  for (const Diagnostic& finding : doubtful_values(d)) warnings.push_back(finding.warning_text());
  return warnings;
}

}  // namespace trunnion
