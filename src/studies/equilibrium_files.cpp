// Static solutions and steady operation as tables and files.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/equilibrium_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <optional>

#include "file/model_file.h"
#include "machine/observe.h"
#include "model/description_at.h"
#include "results/files.h"
#include "trunnion/version.h"

namespace trunnion {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kDegree = std::numbers::pi / 180;
constexpr double kMoved = 1e-9;  // [rad, m]

const char* word(Stability stability) {
  constexpr const char* kWords[] = {"fixed", "stable", "neutral", "unstable"};
  return kWords[static_cast<int>(stability)];
}

double frequency(const RestMode& mode) { return std::sqrt(std::abs(mode.stiffness)) / (2 * std::numbers::pi); }

std::vector<std::string> names(const CompiledModel& model, const std::vector<int>& velocities) {
  std::vector<std::string> list;
  list.reserve(velocities.size());
  for (int v : velocities) list.push_back(coordinate_name(model, v));
  return list;
}

/// Whether a volume has the pressure given as its start value.
bool has_given_pressure(const CompiledModel& model, const PressureNode& node, const StateVector& at) {
  return model.y_start[static_cast<std::size_t>(node.state)] == at.y()[node.state];
}

/// State of a cylinder at rest.
struct CylinderAtRest {
  std::string name;
  double length = 0, chamber_A = 0, force = 0, end_dampers = 0;
  std::optional<double> chamber_B{};  // unset: a plunger without an outer end
};
std::vector<CylinderAtRest> cylinders(const CompiledModel& model, const Observer& observer) {
  std::vector<double> values(observer.channels().size());
  observer.values(values.data());
  constexpr double kLongest = 1e100;  // [m]
  std::vector<CylinderAtRest> list;
  for (const Actuator& a : pistons_of(model.hydraulics)) {
    if (a.is_rotary) continue;
    const auto value = [&](const char* quantity) {
      const std::size_t i = channel_of(observer.channels(), "cylinders", a.name, quantity);
      return i < values.size() ? values[i] : 0;
    };
    CylinderAtRest c;
    c.name = a.name;
    c.length = value("length");
    c.chamber_A = a.cylinder.chamber_A(c.length);
    if (const double chamber = a.cylinder.chamber_B(c.length); chamber < kLongest) c.chamber_B = chamber;
    c.force = value("force");
    c.end_dampers = value("end_damper");
    list.push_back(c);
  }
  return list;
}

/// State of a motor at rest.
struct MotorAtRest {
  std::string name;
  double angle = 0, torque = 0, end_dampers = 0;
};
std::vector<MotorAtRest> motors(const CompiledModel& model, const Observer& observer) {
  std::vector<double> values(observer.channels().size());
  observer.values(values.data());
  std::vector<MotorAtRest> list;
  for (const Actuator& a : pistons_of(model.hydraulics)) {
    if (!a.is_rotary) continue;
    const auto value = [&](const char* quantity) {
      const std::size_t i = channel_of(observer.channels(), a.section, a.name, quantity);
      return i < values.size() ? values[i] : 0;
    };
    list.push_back({a.name, value("angle"), value("torque"), value("end_damper")});
  }
  return list;
}

Json stability_json(const CompiledModel& model, const Equilibrium& e) {
  Json modes = Json::array();
  for (const RestMode& mode : e.modes)
    modes.push_back({{"stiffness", mode.stiffness}, {"frequency_hz", frequency(mode)}, {"coordinates", names(model, mode.velocities)}});
  return {{"verdict", word(e.stability)}, {"modes", modes}};
}

void add_line(std::string& text, const std::string& key, const std::string& value) { text += fmt::format("  {:<22} {}\n", key, value); }

/// Common parts. `found`: the origin of pressures that are not given.
Json point_json(const std::shared_ptr<const CompiledModel>& shared, const StateVector& at, const std::vector<double>& moved,
                const char* found, const std::string& model_file) {
  const CompiledModel& model = *shared;
  const auto observer = make_observer(shared);
  observer->observe(at, Side::right);
  std::vector<double> values(observer->channels().size());
  observer->values(values.data());
  Json state = Json::object(), movement = Json::object(), pressures = Json::object(), cylinder = Json::object(), motor = Json::object(),
       multipliers = Json::object();
  for (std::size_t i = 0; i < values.size(); ++i) state[observer->channels()[i].name] = values[i];
  for (int v = 0; v < model.layout.nv; ++v) movement[coordinate_name(model, v)] = moved[static_cast<std::size_t>(v)];
  for (const Volume& volume : model.hydraulics.volumes) {
    const PressureNode& node = model.hydraulics.nodes[static_cast<std::size_t>(volume.node)];
    pressures[node.name] = {{"pressure", at.y()[node.state]}, {"from", has_given_pressure(model, node, at) ? "stated" : found}};
  }
  for (const CylinderAtRest& c : cylinders(model, *observer))
    cylinder[c.name] = {{"length", c.length},
                        {"force", c.force},
                        {"end_damper", c.end_dampers},
                        {"chamber_length_A", c.chamber_A},
                        {"chamber_length_B", c.chamber_B ? Json(*c.chamber_B) : Json()}};
  for (const MotorAtRest& c : motors(model, *observer))
    motor[c.name] = {{"angle", c.angle}, {"torque", c.torque}, {"end_damper", c.end_dampers}};
  for (const ConstraintInfo& info : model.constraints)
    multipliers[info.path] = std::vector<double>(at.multipliers() + info.rows.begin, at.multipliers() + info.rows.end);
  return {{"program", std::string("trunnion ") + kVersion},
          {"model_file", model_file},
          {"title", model.title},
          {"time", at.time},
          {"state", state},
          {"movement", movement},
          {"pressures", pressures},
          {"cylinders", cylinder},
          {"motors", motor},
          {"multipliers", multipliers}};
}

std::string text_of(Json json, const CompiledModel& model) {
  json["settings"] = Json::parse(write_model_json(model.description));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// Coordinates, pressures and actuators: lines for a terminal.
std::string point_text(const std::shared_ptr<const CompiledModel>& shared, const StateVector& at, const std::vector<double>& movement,
                       const std::vector<int>& turning) {
  const CompiledModel& model = *shared;
  const auto observer = make_observer(shared);
  observer->observe(at, Side::right);
  std::string text;
  for (const JointInfo& joint : model.joints)
    for (const JointPart& part : joint.parts) {
      const double* q = at.q() + part.q;
      const bool spherical = part.joint == NodeJoint::spherical, turn = part.joint == NodeJoint::revolute;
      double moved = 0;
      for (int k = 0; k < (spherical ? 3 : 1); ++k)
        moved = std::hypot(moved, movement[static_cast<std::size_t>(part.v) + static_cast<std::size_t>(k)]);
      if (!spherical && movement[static_cast<std::size_t>(part.v)] < 0) moved = -moved;
      std::string value = spherical ? fmt::format("quaternion [{:.6g}, {:.6g}, {:.6g}, {:.6g}]", q[0], q[1], q[2], q[3])
                          : turn    ? fmt::format("{:.6f} deg", q[0] / kDegree)
                                    : fmt::format("{:.9g} m", q[0]);
      if (std::find(turning.begin(), turning.end(), part.v) != turning.end())
        value = part.joint == NodeJoint::prismatic ? fmt::format("moves at {:.9g} m/s", at.v()[part.v])
                                                   : fmt::format("turns at {:.9g} rad/s", at.v()[part.v]);
      else if (std::abs(moved) > kMoved)
        value += part.joint == NodeJoint::prismatic ? fmt::format(", moved by {:.6g} m", moved)
                                                    : fmt::format(", moved by {:.6g} deg", moved / kDegree);
      else if (model.start[static_cast<std::size_t>(part.v)].locked)
        value += ", held";
      add_line(text, joint.name + "." + part.position, value);
    }
  for (const Volume& volume : model.hydraulics.volumes) {
    const PressureNode& node = model.hydraulics.nodes[static_cast<std::size_t>(volume.node)];
    add_line(text, node.name + ".pressure",
             fmt::format("{:.6f} MPa, {}", at.y()[node.state] / 1e6, has_given_pressure(model, node, at) ? "given" : "solved"));
  }
  for (const Component& c : model.hydraulics.components)
    for (std::size_t k = 0; k < c.law->info().states.size(); ++k) {
      const ComponentState& state = c.law->info().states[k];
      add_line(text, c.name + "." + state.name,
               fmt::format("{:.6g}{}{}", at.y()[c.state + static_cast<int>(k)], *state.unit == 0 ? "" : " ", state.unit));
    }
  for (const CylinderAtRest& c : cylinders(model, *observer))
    add_line(text, c.name,
             fmt::format("length {:.6f} m, force {:.6g} N, ", c.length, c.force) +
                 (c.chamber_B ? fmt::format("chambers {:.6f} m and {:.6f} m", c.chamber_A, *c.chamber_B)
                              : fmt::format("chamber {:.6f} m", c.chamber_A)));
  for (const MotorAtRest& c : motors(model, *observer))
    add_line(text, c.name, fmt::format("angle {:.6f} deg, torque {:.6g} N m", c.angle / kDegree, c.torque));
  return text;
}

}  // namespace

std::string equilibrium_json(const std::shared_ptr<const CompiledModel>& shared, const Equilibrium& e, const std::string& model_file) {
  if (shared->relative) return equilibrium_json(shared->relative, e, model_file);
  const CompiledModel& model = *shared;
  Json json = point_json(shared, e.state, e.movement, "rest", model_file);
  json["stability"] = stability_json(model, e);
  json["residual"] = {{"load", e.residual},
                      {"coordinate", e.residual_at < 0 ? "" : coordinate_name(model, e.residual_at)},
                      {"of", e.load},
                      {"violation", e.violation}};
  json["iterations"] = e.iterations;
  if (!model.hydraulics.control.empty()) json["control_blocks"] = "held";
  return text_of(std::move(json), model);
}

std::string equilibrium_text(const std::shared_ptr<const CompiledModel>& shared, const Equilibrium& e) {
  if (shared->relative) return equilibrium_text(shared->relative, e);
  const CompiledModel& model = *shared;
  std::string text = fmt::format("at rest{}\n", e.state.time == 0 ? "" : fmt::format(", signals at {:g} s", e.state.time));
  text += point_text(shared, e.state, e.movement, {});
  if (e.residual_at >= 0)
    add_line(text, "residual",
             fmt::format("{:.2g} N or N m at {}, of loads up to {:.4g}; {} Newton steps", e.residual, coordinate_name(model, e.residual_at),
                         e.load, e.iterations));
  if (!model.hydraulics.control.empty())
    add_line(text, "control blocks", "held at their starting values; `trunnion steady` solves for them");
  std::string verdict = e.stability == Stability::fixed ? "no degree of freedom" : word(e.stability);
  for (const RestMode& mode : e.modes) {
    if (mode.stiffness > 0 && &mode != &e.modes.front()) break;
    const std::string where = fmt::format("{}", fmt::join(names(model, mode.velocities), ", "));
    verdict += mode.stiffness < 0    ? fmt::format("; {} moves away", where)
               : mode.stiffness == 0 ? fmt::format("; no restoring force on {}", where)
                                     : fmt::format("; softest in {}, {:.4g} Hz", where, frequency(mode));
  }
  add_line(text, "stability", verdict);
  return text;
}

void write_equilibrium(const std::shared_ptr<const CompiledModel>& model, const Equilibrium& e, const std::string& model_file,
                       const std::string& folder) {
  if (model->relative) return write_equilibrium(model->relative, e, model_file, folder);
  const Description at_rest = without_csv_files(description_at(*model, e.state));  // CSV paths are relative to the model file
  make_folder(folder);
  write_text(equilibrium_json(model, e, model_file), folder + "/equilibrium.json");
  write_text(write_model(at_rest), folder + "/equilibrium.yaml");
}

// ---------------------------------------------------------------- steady operation

std::string steady_json(const std::shared_ptr<const CompiledModel>& shared, const SteadyOperation& s, const std::string& model_file) {
  if (shared->relative) return steady_json(shared->relative, s, model_file);
  const CompiledModel& model = *shared;
  Json json = point_json(shared, s.state, s.movement, "steady operation", model_file);
  Json turning = Json::object(), open = Json::array();
  for (int v : s.turning) turning[coordinate_name(model, v)] = s.state.v()[v];
  for (const OpenStates& o : s.open) open.push_back({{"states", o.states}, {"why", o.why}});
  Json others = Json::array();
  for (const OtherSteady& other : s.others) {
    Json states = Json::object();
    for (const auto& [state, value] : other.states) states[state] = value;
    others.push_back(states);
  }
  json["others"] = others;
  json["turning"] = turning;
  json["open"] = open;
  const char* const verdict = !s.holds ? "no steady operation" : s.growing.empty() ? "stable" : "unstable";
  json["stability"] = {{"verdict", verdict}, {"largest_real_part", s.growth}, {"growing", s.growing}};
  if (s.continuous || s.sampled) json["stability"]["sampled_blocks"] = s.sampled ? "sampled" : "continuous";
  json["residual"] = {{"rate", s.residual}, {"state", s.residual_at}};
  json["iterations"] = s.iterations;
  return text_of(std::move(json), model);
}

std::string steady_text(const std::shared_ptr<const CompiledModel>& shared, const SteadyOperation& s) {
  if (shared->relative) return steady_text(shared->relative, s);
  std::string text = fmt::format("in steady operation{}\n", s.state.time == 0 ? "" : fmt::format(", signals at {:g} s", s.state.time));
  text += point_text(shared, s.state, s.movement, s.turning);
  for (const OpenStates& o : s.open) add_line(text, "not determined", fmt::format("{}: {}", fmt::join(o.states, ", "), o.why));
  for (const OtherSteady& other : s.others) {
    std::string states;
    for (const auto& [state, value] : other.states) states += fmt::format("{}{} = {:.6g}", states.empty() ? "" : ", ", state, value);
    add_line(text, "another solution", states + " [SI], from other start pressures");
  }
  add_line(text, "residual", fmt::format("{:.2g} units/s at {}; {} linear solves", s.residual, s.residual_at, s.iterations));
  std::string verdict = !s.holds ? "no steady operation"
                        : s.growing.empty()
                            ? "stable"
                            : fmt::format("unstable: {} diverges, e-folding time {:.3g} s", fmt::join(s.growing, ", "), 1 / s.growth);
  if (s.holds && s.continuous) verdict += "; with sampled blocks as continuous ones";
  if (s.holds && s.sampled) verdict += "; with the samples of its blocks";
  add_line(text, "stability", verdict);
  return text;
}

void write_steady(const std::shared_ptr<const CompiledModel>& model, const SteadyOperation& s, const std::string& model_file,
                  const std::string& folder) {
  if (model->relative) return write_steady(model->relative, s, model_file, folder);
  make_folder(folder);
  write_text(steady_json(model, s, model_file), folder + "/steady.json");
  write_text(write_model(without_csv_files(description_at(*model, s.state, s.turning))), folder + "/steady.yaml");
}

}  // namespace trunnion
