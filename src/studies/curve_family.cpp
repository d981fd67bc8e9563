// Force-velocity curves of quasistatic actuators.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/curve_family.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/units.h"
#include "machine/start.h"
#include "model/model.h"
#include "results/files.h"
#include "studies/table.h"

namespace trunnion {

namespace {

constexpr double kMargin = 0.1;  // of the range between the saturations, on either side
constexpr int kMostPoints = 1000000;
constexpr std::size_t kDashed = 6;  // maximum number of curves with distinct colours and dashes; more use a colour scale

class Findings {
 public:
  void add(const std::string& option, const std::string& found, const std::string& expected = "", const std::string& hint = "") {
    list_.push_back({{option, 0, 0}, "", found, expected, hint});
  }
  bool any() const { return !list_.empty(); }
  void throw_any() {
    if (any()) throw InputError(std::move(list_));
  }

 private:
  std::vector<Diagnostic> list_;
};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (char c : text)
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

double quantity(const std::string& text, const Measure& measure, const char* option, Findings& findings) {
  const QuantityText read = read_quantity(text);
  if (read.quantity && (!read.quantity->has_unit || fits(read.quantity->dimension, measure))) return read.quantity->value;
  findings.add(option, fmt::format("found `{}`", text), fmt::format("{}, such as {}", measure.name, measure.example), read.hint);
  return 0;
}

// ---------------------------------------------------------------- the actuator in its model

/// An actuator of a quasistatic circuit of a model.
struct Place {
  std::shared_ptr<const CompiledModel> model;
  const QuasistaticCircuit* circuit = nullptr;
  int index = 0;  // in the circuit

  const Hydraulics& hydraulics() const { return model->hydraulics; }
  const Actuator& actuator(int j) const { return hydraulics().actuators[circuit->ports[j].actuator]; }
  std::vector<std::string> names() const {
    std::vector<std::string> list;
    list.reserve(circuit->ports.size());
    for (int j = 0; j < circuit->metering.size(); ++j) list.push_back(actuator(j).name);
    return list;
  }
  const Measure& measure(int j) const { return actuator(j).is_rotary ? kAngularRate : kSpeed; }
};

std::string suggestion(const std::string& name, const std::vector<std::string>& known) {
  const std::string near = nearest_name(name, known);
  return near.empty() ? "" : "did you mean `" + near + "`?";
}

Place find_actuator(const std::shared_ptr<const CompiledModel>& model, const std::string& name) {
  std::vector<Place> places;
  std::vector<std::string> known;
  for (const QuasistaticCircuit& circuit : model->hydraulics.quasistatic)
    for (int j = 0; j < circuit.metering.size(); ++j) {
      places.push_back({model, &circuit, j});
      known.push_back(places.back().actuator(j).name);
      if (known.back() == name) return places.back();
    }
  if (name.empty() && places.size() == 1) return places.front();
  Findings findings;
  const std::string list = known.empty() ? "an actuator of a `quasistatic` circuit, and the model has none"
                                         : fmt::format("one of the quasistatic ones: {}", fmt::join(known, ", "));
  const auto& actuators = model->hydraulics.actuators;
  if (name.empty())
    findings.add("--actuator", known.empty() ? "there is no curve to compute" : "the model has several quasistatic actuators", list);
  else if (std::any_of(actuators.begin(), actuators.end(), [&](const Actuator& a) { return a.name == name; }))
    findings.add("--actuator",
                 fmt::format("the oil of `{}` is not quasistatic: its force depends on pressures, not on its velocity alone", name), list);
  else
    findings.add("--actuator", fmt::format("there is no actuator `{}`", name), list, suggestion(name, known));
  findings.throw_any();
  return {};
}

// ---------------------------------------------------------------- levers and velocities

/// A lever or a velocity and its values.
struct Setting {
  int actuator = 0;
  std::vector<std::string> texts;
  std::vector<double> values;
};

/// `boom=0.5,1` or, for the curve's own actuator, `0.5,1`.
Setting read_setting(const std::string& text, const Place& place, bool velocity, Findings& findings) {
  const char* option = velocity ? "--moving" : "--command";
  Setting setting{place.index, {}, {}};
  const std::size_t equals = text.find('=');
  const std::vector<std::string> names = place.names();
  std::string others;
  for (std::size_t j = 0; j < names.size(); ++j)
    if (static_cast<int>(j) != place.index) others += (others.empty() ? "" : ", ") + names[j];
  if (equals != std::string::npos) {
    const std::string name = text.substr(0, equals);
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) {
      const std::string expected =
          velocity ? others.empty() ? "nothing: there is no other actuator" : others : fmt::format("{}", fmt::join(names, ", "));
      findings.add(option, fmt::format("there is no actuator `{}` on the pump of `{}`", name, names[place.index]), expected,
                   suggestion(name, names));
      return setting;
    }
    setting.actuator = static_cast<int>(at - names.begin());
  }
  if (velocity && setting.actuator == place.index) {
    findings.add(option,
                 equals == std::string::npos ? fmt::format("`{}` does not name the moving actuator", text)
                                             : fmt::format("the curve is over the velocity of `{}`", names[place.index]),
                 others.empty() ? "nothing: there is no other actuator on its pump" : fmt::format("NAME=V1,V2,... with one of {}", others));
    return setting;
  }
  setting.texts = split(equals == std::string::npos ? text : text.substr(equals + 1));
  for (const std::string& value : setting.texts)
    setting.values.push_back(quantity(value, velocity ? place.measure(setting.actuator) : kSignalValue, option, findings));
  return setting;
}

std::vector<Setting> read_settings(const std::vector<std::string>& texts, const Place& place, bool velocity, Findings& findings) {
  std::vector<Setting> settings;
  for (const std::string& text : texts) {
    settings.push_back(read_setting(text, place, velocity, findings));
    const auto same = [&](const Setting& s) { return s.actuator == settings.back().actuator; };
    if (std::count_if(settings.begin(), settings.end(), same) > 1)
      findings.add(velocity ? "--moving" : "--command", fmt::format("`{}` is given twice", place.names()[settings.back().actuator]),
                   "all its values in one option, separated by commas");
  }
  return settings;
}

/// All combinations of the settings' values, the last one fastest.
std::vector<std::vector<std::size_t>> all_choices(const std::vector<Setting>& settings) {
  std::vector<std::vector<std::size_t>> all{{}};
  for (const Setting& setting : settings) {
    std::vector<std::vector<std::size_t>> longer;
    for (const auto& row : all)
      for (std::size_t i = 0; i < setting.values.size(); ++i) {
        longer.push_back(row);
        longer.back().push_back(i);
      }
    all = std::move(longer);
  }
  return all;
}

// ---------------------------------------------------------------- curves

/// A curve and its circuit, before its points are computed.
struct Case {
  Place place;
  MeteringCommand command() const { return {curve.flow, curve.bleed, openings}; }
  ForceVelocityCurve map() const {
    std::vector<double> v;
    for (const CurveActuator& a : curve.actuators) v.push_back(a.velocity);
    return {place.circuit->metering, command(), v, place.index};
  }

  ActuatorCurve curve;
  std::vector<MeteringOpenings> openings;
};

/// Signals at `time`, control blocks at the start of a run, with levers replaced; spools at rest at their commands.
Case make_case(const Place& place, double time, const std::vector<Setting>& settings, std::size_t commands,
               const std::vector<std::size_t>& choice) {
  const Hydraulics& netlist = place.hydraulics();
  const QuasistaticCircuit& circuit = *place.circuit;
  std::vector<double> signal(place.model->signals.size()), spool(netlist.spools.size());
  for (std::size_t i = 0; i < signal.size(); ++i)
    signal[i] = place.model->signals.evaluate(static_cast<SignalIndex>(i), time, Side::right, nullptr).value;
  if (!netlist.control.empty()) {
    const StateVector start = start_state(*place.model);
    for (const ControlBlock& block : netlist.control) signal[block.signal] = start.y()[block.output];
  }
  for (std::size_t i = 0; i < spool.size(); ++i) spool[i] = signal[netlist.spools[i].signal];
  for (std::size_t i = 0; i < commands; ++i) spool[circuit.ports[settings[i].actuator].lever] = settings[i].values[choice[i]];
  QuasistaticWork work(circuit);
  read_command<double>(circuit, signal[circuit.flow], spool.data(), work);

  Case c{place, {}, work.openings};
  c.curve.flow = work.flow;
  c.curve.bleed = work.bleed;
  const PressureNode& tank = netlist.nodes[circuit.tank];
  c.curve.tank = signal[tank.source];
  for (int j = 0; j < circuit.metering.size(); ++j)
    c.curve.actuators.push_back({place.actuator(j).name, spool[circuit.ports[j].lever], work.openings[j], 0});
  for (std::size_t i = commands; i < settings.size(); ++i) c.curve.actuators[settings[i].actuator].velocity = settings[i].values[choice[i]];
  const MeteringActuator& a = circuit.metering.actuator(place.index);
  c.curve.area_A = a.area_h;
  c.curve.area_B = a.area_r;
  c.curve.relief_A = a.relief_h;
  c.curve.relief_B = a.relief_r;
  return c;
}

std::string openings_text(const MeteringOpenings& u) {
  return fmt::format("P_A {:g}, B_T {:g}, P_B {:g}, A_T {:g}, B_A {:g}", u.ph, u.tr, u.pr, u.th, u.a);
}

void check_case(const Case& c, const std::vector<std::string>& varied, Findings& findings) {
  std::string where;
  for (std::size_t i = 0; i < varied.size(); ++i) where += fmt::format("{}{} = {}", i == 0 ? " with " : ", ", varied[i], c.curve.values[i]);
  for (const CurveActuator& a : c.curve.actuators)
    if (const std::string fault = fault_of(a.openings); !fault.empty())
      findings.add("--actuator", fmt::format("the valve openings of `{}` are inconsistent{}: {}", a.name, where, fault),
                   "openings that feed one side at most, and regenerate only while neither P_B nor A_T is open", openings_text(a.openings));
  if (!(c.curve.flow >= 0))
    findings.add("--actuator", fmt::format("the flow of the pump is {:g} m^3/s{}", c.curve.flow, where), "zero or more");
}

/// The range between the saturations of all curves plus a margin, rounded to neat numbers.
Interval default_range(const std::vector<Case>& cases) {
  Interval range{0, 0};
  double reach = 0;  // where valves are closed no velocity is characteristic
  for (const Case& c : cases) {
    range = {std::min(range.lower, c.curve.saturation.lower), std::max(range.upper, c.curve.saturation.upper)};
    reach = std::max(reach, c.curve.flow / c.curve.area_A);
  }
  double span = range.upper - range.lower;
  if (!(span > 0)) span = reach > 0 ? reach : 1;
  // multiples of a tenth of its power of ten
  const double power = std::floor(std::log10(span)) - 1;
  const auto tidy = [&](double (*round)(double), double v) {
    return power < 0 ? round(v * std::pow(10, -power)) / std::pow(10, -power) : round(v / std::pow(10, power)) * std::pow(10, power);
  };
  return {tidy(std::floor, range.lower - kMargin * span), tidy(std::ceil, range.upper + kMargin * span)};
}

std::optional<Interval> stated_range(const CurveRequest& request, const Place& place, Findings& findings) {
  if (!request.velocity) return std::nullopt;
  const std::vector<std::string> ends = split(*request.velocity);
  if (ends.size() != 2) {
    findings.add("--velocity", fmt::format("found `{}`", *request.velocity), "two velocities, such as -0.2,1");
    return std::nullopt;
  }
  const Measure& measure = place.measure(place.index);
  const Interval range{quantity(ends[0], measure, "--velocity", findings), quantity(ends[1], measure, "--velocity", findings)};
  if (!findings.any() && !(range.lower < range.upper))
    findings.add("--velocity", fmt::format("the range from {} to {} is empty", ends[0], ends[1]), "the lower end first");
  return range;
}

// ---------------------------------------------------------------- segments

/// Points of one segment of table 1, `first` to `last`, including those shared with its neighbours.
struct Run {
  MeteringSegment segment;
  std::size_t first, last;
};

std::vector<Run> runs_of(const std::vector<ForceVelocityPoint>& points) {
  std::vector<Run> runs;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const MeteringSegment segment = points[i].at.segment;
    if (runs.empty() || runs.back().segment != segment) {
      const bool here = i > 0 && points[i].breakpoint;  // boundary between segments: here, or at the previous point
      if (here) runs.back().last = i;
      runs.push_back({segment, i > 0 && !here ? i - 1 : i, i});
    }
    runs.back().last = i;
  }
  return runs;
}

const char* velocity_unit(const CurveFamily& family) { return family.is_rotary ? "rad/s" : "m/s"; }

/// The varied values that differ between curves of a family, as indices of `varied`, and the common ones.
std::vector<std::size_t> differing(const CurveFamily& family) {
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < family.varied.size(); ++i)
    if (std::any_of(family.curves.begin(), family.curves.end(),
                    [&](const ActuatorCurve& c) { return c.values[i] != family.curves[0].values[i]; }))
      list.push_back(i);
  return list;
}

/// The maximum magnitude over all curves.
template <class Value>
double greatest(const CurveFamily& family, const Value& value) {
  double most = 0;
  for (const ActuatorCurve& curve : family.curves)
    for (const ForceVelocityPoint& point : curve.points) most = std::max(most, std::abs(value(point)));
  return most;
}

}  // namespace

CurveFamily curve_family(const CurveRequest& request) {
  // all input is read before anything is computed
  std::vector<std::vector<std::string>> rows = combinations(request.vary);
  std::vector<Place> places;
  for (const auto& values : rows) {
    std::vector<Override> overrides = request.overrides;
    for (std::size_t i = 0; i < values.size(); ++i) overrides.push_back({request.vary[i].first, values[i]});
    places.push_back(find_actuator(compile(load_model(request.model_file, overrides)), request.actuator));
  }
  Findings findings;
  const Place& first = places.front();
  std::vector<Setting> settings = read_settings(request.commands, first, false, findings);
  const std::size_t commands = settings.size();
  const std::vector<Setting> moving = read_settings(request.moving, first, true, findings);
  settings.insert(settings.end(), moving.begin(), moving.end());
  const std::optional<Interval> given = stated_range(request, first, findings);
  if (request.points < 2 || request.points > kMostPoints)
    findings.add("--points", fmt::format("found {}", request.points), fmt::format("2 to {}", kMostPoints));
  CurveFamily family;
  family.time = quantity(request.at, kTime, "--at", findings);
  if (family.time < 0) findings.add("--at", fmt::format("found `{}`", request.at), "a time from 0 on");
  findings.throw_any();

  family.actuator = first.actuator(first.index).name;
  family.circuit = first.circuit->name;
  family.is_rotary = first.actuator(first.index).is_rotary;
  for (const VariedPath& path : request.vary) family.varied.push_back(path.first);
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const std::string of = settings[i].actuator == first.index ? "" : first.names()[settings[i].actuator] + ".";
    family.varied.push_back(of + (i < commands ? "command" : "velocity"));
  }
  std::vector<Case> cases;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    family.regenerates = family.regenerates || places[row].circuit->ports[places[row].index].regenerates;
    for (const auto& choice : all_choices(settings)) {
      cases.push_back(make_case(places[row], family.time, settings, commands, choice));
      cases.back().curve.values = rows[row];
      for (std::size_t i = 0; i < settings.size(); ++i) cases.back().curve.values.push_back(settings[i].texts[choice[i]]);
      check_case(cases.back(), family.varied, findings);
    }
  }
  findings.throw_any();
  for (Case& c : cases) {
    ForceVelocityCurve map = c.map();
    c.curve.at_rest = map.force_at_rest();
    c.curve.saturation = map.saturation();
    c.curve.free_velocity = map.free_velocity();
  }
  const Interval range = given ? *given : default_range(cases);
  family.lower = range.lower;
  family.upper = range.upper;
  for (Case& c : cases) {
    c.curve.points = c.map().points(range.lower, range.upper, request.points - 1);
    family.curves.push_back(std::move(c.curve));
  }
  return family;
}

// ---------------------------------------------------------------- files

std::string curve_csv(const CurveFamily& family) {
  std::string text;
  for (const std::string& path : family.varied) text += quoted(path) + ",";
  text += "velocity,force,force_low,force_high,segment,pressure_A,pressure_B,pump_pressure,flow_P_A,flow_P_B,flow_A_T,flow_B_T,";
  text += "relief_flow_A,relief_flow_B,";
  if (family.regenerates) text += "flow_B_A,";
  text += "bleed_flow,pump_relief_flow\n";
  for (const ActuatorCurve& curve : family.curves) {
    std::string start;
    for (const std::string& value : curve.values) start += quoted(value) + ",";
    for (const ForceVelocityPoint& point : curve.points) {
      const MeteringFlows& at = point.at;
      append_number(text += start, at.v);
      for (double x : {at.f, point.force.lower, point.force.upper}) append_number(text += ",", x + 0.0);
      text += std::string(",") + name_of(at.segment);
      for (double p : {at.P_h, at.P_r, point.pump.P}) append_number(text += ",", curve.tank + p);
      for (double Q : {at.Q_ph, at.Q_pr, at.Q_th, at.Q_tr, at.Q_ho, at.Q_ro}) append_number(text += ",", Q + 0.0);
      if (family.regenerates) append_number(text += ",", at.Q_a);
      for (double Q : {point.pump.Q_bleed, point.pump.Q_relief}) append_number(text += ",", Q);
      text += "\n";
    }
  }
  return text;
}

std::string curve_json(const CurveFamily& family, const std::string& model_file) {
  using Json = nlohmann::ordered_json;
  Json curves = Json::array();
  for (const ActuatorCurve& curve : family.curves) {
    Json values = Json::object(), actuators = Json::array(), segments = Json::array(), breakpoints = Json::array();
    for (std::size_t i = 0; i < family.varied.size(); ++i) values[family.varied[i]] = curve.values[i];
    for (const CurveActuator& a : curve.actuators) {
      const MeteringOpenings& u = a.openings;
      actuators.push_back({{"name", a.name},
                           {"command", a.command},
                           {"openings", {{"P_A", u.ph}, {"B_T", u.tr}, {"P_B", u.pr}, {"A_T", u.th}, {"B_A", u.a}}},
                           {"velocity", a.name == family.actuator ? Json(nullptr) : Json(a.velocity)}});
    }
    for (const Run& run : runs_of(curve.points)) {
      const MeteringFlows &from = curve.points[run.first].at, &to = curve.points[run.last].at;
      segments.push_back({{"segment", name_of(run.segment)}, {"velocity", {from.v, to.v}}, {"force", {from.f + 0.0, to.f + 0.0}}});
    }
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
      const ForceVelocityPoint& p = curve.points[i];
      if (p.breakpoint && (i == 0 || curve.points[i - 1].at.v != p.at.v))
        breakpoints.push_back({{"velocity", p.at.v}, {"force_low", p.force.lower + 0.0}, {"force_high", p.force.upper + 0.0}});
    }
    curves.push_back({{"values", values},
                      {"pump_flow", curve.flow},
                      {"bleed_opening", curve.bleed},
                      {"tank_pressure", curve.tank},
                      {"actuators", actuators},
                      {"force_at_rest", {{"low", curve.at_rest.lower + 0.0}, {"high", curve.at_rest.upper + 0.0}}},
                      {"free_velocity", curve.free_velocity},
                      {"saturated", {{"low", curve.saturation.lower}, {"high", curve.saturation.upper}}},
                      {"area_A", curve.area_A},
                      {"area_B", curve.area_B},
                      {"relief_A", curve.relief_A},
                      {"relief_B", curve.relief_B},
                      {"segments", segments},
                      {"breakpoints", breakpoints}});
  }
  return Json{{"model", model_file},       {"actuator", family.actuator},
              {"circuit", family.circuit}, {"units", {{"velocity", velocity_unit(family)}, {"force", family.is_rotary ? "N m" : "N"}}},
              {"at", family.time},         {"velocity", {family.lower, family.upper}},
              {"varied", family.varied},   {"curves", curves}}
             .dump(2, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

std::string curve_text(const CurveFamily& family) {
  const char *force = family.is_rotary ? "kN m" : "kN", *velocity = velocity_unit(family);
  std::vector<std::vector<std::string>> lines(1);
  for (const std::string& path : family.varied) lines[0].push_back(path);
  for (const std::string& title :
       {fmt::format("at rest {}", force), fmt::format("free {}", velocity), fmt::format("saturated {}", velocity), std::string("segments")})
    lines[0].push_back(title);
  for (const ActuatorCurve& curve : family.curves) {
    std::vector<std::string> line = curve.values;
    line.push_back(fmt::format("{:.5g} to {:.5g}", 1e-3 * curve.at_rest.lower, 1e-3 * curve.at_rest.upper));
    line.push_back(fmt::format("{:.5g}", curve.free_velocity));
    line.push_back(fmt::format("{:.5g}, {:.5g}", curve.saturation.lower, curve.saturation.upper));
    std::string segments;
    for (const Run& run : runs_of(curve.points)) segments += (segments.empty() ? "" : " ") + std::string(name_of(run.segment));
    line.push_back(segments);
    lines.push_back(std::move(line));
  }
  return fmt::format("{} of {}: force over velocity from {:g} to {:g} {}\n", family.actuator, family.circuit, family.lower, family.upper,
                     velocity) +
         aligned(lines, family.varied.size());
}

Plot curve_plot(const CurveFamily& family) {
  const std::vector<std::size_t> differ = differing(family);
  const bool single = family.curves.size() == 1;
  Plot plot;
  plot.title = family.actuator;
  std::string parts;
  for (std::size_t i = 0; i < family.varied.size(); ++i)
    if (std::find(differ.begin(), differ.end(), i) == differ.end())
      parts += fmt::format("{}{} = {}", parts.empty() ? ": " : ", ", family.varied[i], family.curves[0].values[i]);
  for (std::size_t i : differ) parts += fmt::format("{}by {}", parts.empty() ? ": " : ", ", family.varied[i]);
  plot.title += parts;
  plot.panel_width = 640;

  const PlotAxis velocity{"velocity", velocity_unit(family), false, family.lower, family.upper};
  const auto add_panel = [&](PlotAxis y, double unit, const auto& value) {
    PlotPanel panel{"", velocity, std::move(y), {}};
    for (std::size_t k = 0; k < family.curves.size(); ++k) {
      const ActuatorCurve& curve = family.curves[k];
      PlotCurve drawn;
      for (std::size_t i : differ) drawn.label += (drawn.label.empty() ? "" : ", ") + curve.values[i];
      drawn.style = static_cast<int>(k);
      drawn.dashed = family.curves.size() <= kDashed;
      if (!drawn.dashed) drawn.shade = static_cast<double>(k) / static_cast<double>(family.curves.size() - 1);
      for (const ForceVelocityPoint& point : curve.points) {
        drawn.x.push_back(point.at.v);
        drawn.y.push_back(value(point) / unit);
      }
      panel.curves.push_back(std::move(drawn));
    }
    plot.panels.push_back(std::move(panel));
  };

  constexpr double kKilo = 1e3, kMega = 1e6, kLitrePerMinute = 1e-3 / 60, kManyNewtons = 1e4;
  const auto force = [](const ForceVelocityPoint& p) { return p.at.f; };
  const bool kilo = greatest(family, force) >= kManyNewtons;
  const std::string newton = family.is_rotary ? "N m" : "N";
  add_panel({family.is_rotary ? "torque" : "force", kilo ? "k" + newton : newton, false, {}, {}}, kilo ? kKilo : 1, force);
  if (single) {  // by segments
    const PlotCurve whole = plot.panels[0].curves[0];
    plot.panels[0].curves.clear();
    for (const Run& run : runs_of(family.curves[0].points)) {
      PlotCurve segment;
      segment.label = name_of(run.segment);
      segment.dashed = false;
      segment.x.assign(whole.x.begin() + static_cast<long>(run.first), whole.x.begin() + static_cast<long>(run.last) + 1);
      segment.y.assign(whole.y.begin() + static_cast<long>(run.first), whole.y.begin() + static_cast<long>(run.last) + 1);
      plot.panels[0].curves.push_back(std::move(segment));
    }
    PlotCurve ends{"", {}, {}, CurveLook::points, 0};
    for (std::size_t i = 0; i < whole.x.size(); ++i)
      if (family.curves[0].points[i].breakpoint) {
        ends.x.push_back(whole.x[i]);
        ends.y.push_back(whole.y[i]);
      }
    plot.panels[0].curves.push_back(std::move(ends));
  }
  if (family.regenerates)
    add_panel({"regeneration flow", "L/min", false, {}, {}}, kLitrePerMinute, [](const ForceVelocityPoint& p) { return p.at.Q_a; });
  if (family.curves[0].actuators.size() > 1) {
    add_panel({"pump pressure", "MPa", false, {}, {}}, kMega, [](const ForceVelocityPoint& p) { return p.pump.P; });
    add_panel({"relief valve flow", "L/min", false, {}, {}}, kLitrePerMinute, [](const ForceVelocityPoint& p) { return p.pump.Q_relief; });
  }
  return plot;
}

}  // namespace trunnion
