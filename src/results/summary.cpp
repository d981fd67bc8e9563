// summary.json and its short form for a terminal.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "file/model_file.h"
#include "results/balances.h"
#include "results/run_case.h"
#include "schema/writer.h"
#include "trunnion/version.h"

namespace trunnion {

namespace {

using Json = nlohmann::ordered_json;

/// Adds a member with a new key: operator[] would search all previous ones.
template <class T>
void append(Json& object, const std::string& key, T&& value) {
  object.get_ref<Json::object_t&>().push_back({key, Json(std::forward<T>(value))});
}

/// The extreme with the larger magnitude, and its time.
std::pair<double, double> largest(const Extremes& range) {
  return range.max >= -range.min ? std::pair{range.max, range.max_time} : std::pair{-range.min, range.min_time};
}

double real_time_factor(const CaseResult& r) { return r.statistics.step_seconds > 0 ? r.end_time / r.statistics.step_seconds : 0; }

Json iterations_json(const RunStatistics& s) {
  Json histogram = Json::object();
  for (std::size_t i = 0; i < s.histogram.size(); ++i)
    if (s.histogram[i] > 0) histogram[std::to_string(i)] = s.histogram[i];
  return {
      {"mean", s.mean_iterations()}, {"max", s.max_iterations}, {"position_mean", s.mean_position_iterations()}, {"histogram", histogram}};
}

Json work_json(const Extremes& e) {
  return {{"max_work", e.max}, {"max_work_time", e.max_time}, {"min_work", e.min}, {"min_work_time", e.min_time}};
}

Json optional_json(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json energy_json(const Recorder& recorder, const Description& description) {
  const Ledger& ledger = recorder.ledger();
  const auto [drift, drift_time] = largest(ledger.drift_range());
  const auto [residual, residual_time] = largest(ledger.residual_range());
  Json actuators = Json::object(), channels = Json::object(), elements = Json::object();
  for (std::size_t i = 0; i < ledger.actuator_names().size(); ++i)
    append(actuators, ledger.actuator_names()[i], work_json(ledger.actuator_ranges()[i]));
  std::vector<double> values(energy_channels().size());
  energy_values(ledger, values.data());
  for (std::size_t i = 0; i < values.size(); ++i) channels[energy_channels()[i].name.substr(std::string("energy.").size())] = values[i];
  for (std::size_t i = 0; i < ledger.work().size(); ++i) {
    constexpr const char* kAccounts[] = {"actuator_work", "oil", "supply", "throttling", "friction", "damping", "external"};
    const LedgerEntry& entry = recorder.observer().entries()[i];
    elements[kAccounts[static_cast<int>(entry.account)]][entry.name] = ledger.work()[i];
  }
  const bool judged = balances_are_judged(description);
  return {{"max_drift", drift},
          {"max_drift_time", drift_time},
          {"drift_percent", optional_json(ledger.drift_of_work())},
          {"actuators", actuators},
          {"max_actuator_work", ledger.actuator_range().max},
          {"max_actuator_work_time", ledger.actuator_range().max_time},
          {"min_actuator_work", ledger.actuator_range().min},
          {"min_actuator_work_time", ledger.actuator_range().min_time},
          {"ledger", channels},
          {"elements", elements},
          {"max_residual", residual},
          {"max_residual_time", residual_time},
          {"absolute_work", ledger.absolute_work()},
          {"closed_to_percent", optional_json(ledger.energy_error())},
          {"rule_error_percent", judged ? optional_json(ledger.energy_rule_error()) : Json(nullptr)},
          {"constraint_work", largest(ledger.constraint_work()).first},
          {"constraint_work_percent", optional_json(ledger.constraint_error())},
          {"oil_moved", ledger.oil().moved()},
          {"oil_residual", ledger.oil().worst_residual()},
          {"oil_closed_to_percent", optional_json(ledger.oil_error())},
          {"oil_rule_error_percent", judged ? optional_json(ledger.oil_rule_error()) : Json(nullptr)},
          {"judged", judged}};
}

Json constraints_json(const CaseResult& r) {
  Json redundant = Json::object(), loops = Json::object();
  for (const RedundantRows& rows : r.analysis.redundant) redundant[rows.path] = rows.equations;
  for (std::size_t i = 0; i < r.model->constraints.size(); ++i)
    append(loops, r.model->constraints[i].path, r.recorder->observer().violations()[i]);
  return {{"rows", r.analysis.rows},
          {"rank", r.analysis.rank},
          {"degrees_of_freedom", r.analysis.degrees_of_freedom},
          {"position_degrees_of_freedom", r.analysis.position_degrees_of_freedom},
          {"redundant", redundant},
          {"independent", r.statistics.independent.empty() ? Json(nullptr) : Json(independent_names(r))},
          {"repartitions", r.statistics.repartitions},
          {"repartition_time", r.statistics.repartitions > 0 ? Json(r.statistics.repartition_time) : Json(nullptr)},
          {"max_violation", r.statistics.max_violation},
          {"max_violation_time", r.statistics.max_violation_time},
          {"max_velocity_violation", r.statistics.max_velocity_violation},
          {"max_velocity_violation_time", r.statistics.max_velocity_violation_time},
          {"final_violation", loops}};
}

Json moved_starts_json(const CompiledModel& model) {
  Json moved = Json::object();
  for (const MovedStart& start : model.moved_starts) moved[start.name] = start.change;
  return moved;
}

Json cavitation_json(const CaseResult& r) {
  Json volumes = Json::object();
  bool acted = false;
  for (std::size_t i = 0; i < r.statistics.cavitation.size(); ++i) {
    const CavitationRecord& c = r.statistics.cavitation[i];
    if (c.steps == 0) continue;
    acted = true;
    volumes[r.model->hydraulics.nodes[r.model->hydraulics.volumes[i].node].name] = {
        {"steps", c.steps}, {"first_time", c.first_time}, {"lowest_pressure", c.lowest_pressure}};
  }
  return {{"acted", acted}, {"saturation_pressure", r.model->hydraulics.fluid.saturation_pressure}, {"volumes", volumes}};
}

const std::string& volume_name(const CaseResult& r, std::size_t i) {
  return r.model->hydraulics.nodes[r.model->hydraulics.volumes[i].node].name;
}

Json alternation_json(const CaseResult& r) {
  Json volumes = Json::object();
  for (std::size_t i = 0; i < r.statistics.alternation.size(); ++i) {
    const AlternationRecord& a = r.statistics.alternation[i];
    if (a.steps > 0) volumes[volume_name(r, i)] = {{"steps", a.steps}, {"first_time", a.first_time}, {"largest_change", a.largest}};
  }
  return volumes;
}

Json end_stops_json(const Incidents& incidents) {
  Json json = Json::object();
  for (const EndStopRecord& r : incidents.end_stops)
    if (r.steps > 0)
      json[r.name] = {{"strikes", r.strikes}, {"steps", r.steps},     {"first_time", r.strikes > 0 ? Json(r.first_time) : Json(nullptr)},
                      {"max_speed", r.speed}, {"max_depth", r.depth}, {"max_depth_time", r.depth_time}};
  return json;
}

Json emptied_json(const Incidents& incidents) {
  Json json = Json::object();
  for (const EmptyRecord& r : incidents.accumulators)
    if (r.steps > 0) json[r.name] = {{"steps", r.steps}, {"first_time", r.first_time}};
  return json;
}

Json reliefs_json(const Incidents& incidents) {
  Json json = Json::object();
  for (const ReliefRecord& r : incidents.reliefs)
    if (r.steps > 0)
      json[r.name] = {
          {"openings", r.openings}, {"steps", r.steps}, {"first_time", r.first_time}, {"max_flow", r.flow}, {"max_flow_time", r.flow_time}};
  return json;
}

Json switches_json(const Incidents& incidents) {
  Json json = Json::object();
  for (const SwitchRecord& r : incidents.switches) {
    if (r.events.empty()) continue;
    Json events = Json::array();
    for (const SwitchRecord::Event& e : r.events) events.push_back({{"time", e.time}, {"direction", e.on ? "on" : "off"}});
    json[r.name] = {{"on", r.on}, {"off", r.off}, {"events", events}};
  }
  return json;
}

/// Lines for a terminal on events in the oil, at stroke ends and in the control.
std::string incidents_text(const Incidents& incidents) {
  std::string text;
  const auto times = [](long n) { return n == 1 ? std::string("once") : fmt::format("{} times", n); };
  for (const EndStopRecord& r : incidents.end_stops)
    if (r.strikes > 0)
      text +=
          fmt::format("  end stop     {} struck {}, first at {:g} s, with {:.3g} {}, {:.3g} {} deep at {:g} s\n", r.name, times(r.strikes),
                      r.first_time, r.speed, r.is_rotary ? "rad/s" : "m/s", r.depth, r.is_rotary ? "rad" : "m", r.depth_time);
  for (const ReliefRecord& r : incidents.reliefs)
    if (r.steps > 0)
      text += fmt::format("  relief       {} opened {}, first at {:g} s, at most {:.3g} m^3/s\n", r.name, times(r.openings), r.first_time,
                          r.flow);
  for (const EmptyRecord& r : incidents.accumulators)
    if (r.steps > 0) text += fmt::format("  EMPTY        {} without oil in {} steps, first at {:g} s\n", r.name, r.steps, r.first_time);
  for (const SwitchRecord& r : incidents.switches)
    if (!r.events.empty())
      text += fmt::format("  switched     {} {}, first {} at {:g} s\n", r.name, times(r.on + r.off), r.events[0].on ? "on" : "off",
                          r.events[0].time);
  return text;
}

std::string actuators_text(const Description& d) {
  const bool turns =
      !d.motors.empty() || std::any_of(d.pumps.begin(), d.pumps.end(), [](const auto& item) { return !item.second.joint.empty(); });
  return !turns ? "cylinders" : d.cylinders.empty() ? "motors" : "cylinders and motors";
}

std::string balance_text(const Ledger& ledger, const Description& d) {
  const std::optional<double> energy = ledger.energy_error(), oil = ledger.oil_error();
  std::string text = "  balance      ";
  text += energy ? fmt::format("energy error {:.2g} % of the energy transferred", *energy) : "no energy was transferred";
  if (oil) text += fmt::format(", oil error {:.2g} % of the oil", *oil);
  if (balances_are_judged(d) && energy) {
    text += fmt::format("; rule error {:.2g} %", ledger.energy_rule_error().value_or(0));
    if (const auto by_rule = ledger.oil_rule_error()) text += fmt::format(" and {:.2g} %", *by_rule);
  }
  return text + (balances_are_judged(d) ? "\n" : "; energy at recorded steps only\n");
}

struct UsedStep {
  std::string of;      // mechanism, or a hydraulic subsystem
  double asked, used;  // [s]
};
/// Steps of the subsystems, which divide the communication step.
std::vector<UsedStep> used_steps(const CompiledModel& model) {
  const Description& d = model.description;
  const double H = grid_step(d);
  std::vector<UsedStep> list{
      {"mechanism", d.coupling.mechanism_steps ? H / *d.coupling.mechanism_steps : std::min(H, d.solver.step), H / mechanism_steps_of(d)}};
  for (const HydraulicGroup& group : hydraulic_groups(model)) {
    const double own = group.settings != nullptr && group.settings->step ? *group.settings->step : d.coupling.hydraulic_step;
    list.push_back({group.name, own, H / steps_within(H, own)});
  }
  return list;
}

/// The maximum difference of each length (motors: angle) from the monolithic run, or null.
Json difference_json(const MonolithicBeside* beside) {
  if (beside == nullptr) return nullptr;
  Json json = Json::object();
  for (std::size_t i = 0; i < beside->names().size(); ++i) {
    const auto [size, time] = largest(beside->ranges()[i]);
    const std::string key = beside->channels()[i].unit == "rad" ? "max_angle" : "max_length";
    json[beside->names()[i]] = {{key, size}, {key + "_time", time}};
  }
  if (beside->failure()) json["failure"] = beside->failure()->what();
  return json;
}

Json coupling_json(const CompiledModel& model, const CouplingReport& c, const std::vector<std::string>& faults, const Recorder& recorder) {
  Json bonds = Json::object();
  const auto share = [rounding = recorder.ledger().rounding()](double energy, double work) {
    return work > rounding ? Json(energy / work) : Json(nullptr);
  };
  for (const CouplingReport::Bond& b : c.bonds)
    bonds[b.name] = {{"energy_residual", b.residual_energy},
                     {"absolute_energy_residual", b.absolute_energy},
                     {"work", b.work},
                     {"relative", share(b.absolute_energy, b.work)}};
  Json steps = Json::object();
  for (const UsedStep& step : used_steps(model)) steps[step.of] = step.used;
  return {{"steps", c.steps},
          {"subsystem_steps", steps},
          {"passes_mean", c.passes},
          {"energy_residual", c.residual_energy},
          {"absolute_energy_residual", c.absolute_energy},
          {"work", c.work},
          {"relative", share(c.absolute_energy, c.work)},
          {"max_ratio", c.worst_ratio},
          {"accurate", faults.empty()},
          {"faults", faults},
          {"lost_time", c.lost ? Json(*c.lost) : Json(nullptr)},
          {"difference", difference_json(recorder.beside())},
          {"bonds", bonds}};
}

}  // namespace

std::vector<std::string> independent_names(const CaseResult& r) {
  std::vector<std::string> names;
  for (int v : r.statistics.independent) names.push_back(r.model->coordinate_names[static_cast<std::size_t>(v)]);
  return names;
}

std::string moved_starts_text(const CompiledModel& model) {
  if (model.moved_starts.empty()) return "";
  std::string text;
  for (const MovedStart& start : model.moved_starts)
    text += fmt::format("{}{} by {:.3g} {}", text.empty() ? "" : ", ", start.name, start.change, start.unit);
  return text + ": given start values that did not satisfy the constraints (hold: true keeps a coordinate)";
}

std::string summary_json(const CaseResult& r, const std::string& model_file, double wall_seconds) {
  const RunStatistics& s = r.statistics;
  Json final_state = Json::object();
  const std::vector<std::pair<std::string, double>> last = r.recorder->last_values();
  for (std::size_t i = 0; i <= r.recorder->observer().channels().size(); ++i) append(final_state, last[i].first, last[i].second);
  Json json{
      {"program", std::string("trunnion ") + kVersion},
      {"model_file", model_file},
      {"input_file", source_of(r.model->description).input_file.empty() ? Json(nullptr) : Json(source_of(r.model->description).input_file)},
      {"title", r.model->title},
      {"status", !r.ended    ? "running"
                 : r.failure ? "failed"
                             : "completed"},
      {"message", !r.ended    ? "the run continues, or its program was killed"
                  : r.failure ? r.failure->what()
                              : ""},
      {"warnings", r.warnings},
      {"end_time", r.end_time},
      {"steps", s.steps},
      {"split_steps", s.split_steps},
      {"divided_steps", s.divided_steps},
      {"resolved_steps", s.resolved_steps},
      {"part_iterations", s.part_iterations},
      {"capped_steps", s.capped_steps},
      {"compiled_steps", s.compiled_steps},
      {"compiled", r.compiled.empty() ? Json(nullptr) : Json(r.compiled)},
      {"iterations", iterations_json(s)},
      {"step_seconds", s.step_seconds},
      {"step_cpu_seconds", s.step_cpu_seconds},
      {"step_nanoseconds", s.steps > 0 ? 1e9 * s.step_seconds / static_cast<double>(s.steps) : 0},
      {"wall_seconds", wall_seconds},
      {"real_time_factor", real_time_factor(r)},
      {"energy", energy_json(*r.recorder, r.model->description)},
      {"error_estimate", error_json(accumulated_errors(*r.model, s), r.measured)},
      {"constraints", constraints_json(r)},
      {"moved_start_values", moved_starts_json(*r.model)},
      {"penalty_used", s.penalty > 0 ? Json(s.penalty) : Json(nullptr)},
      {"alternating_pressures", alternation_json(r)},
      {"cavitation", cavitation_json(r)},
      {"end_stops", end_stops_json(s.incidents)},
      {"reliefs", reliefs_json(s.incidents)},
      {"accumulators_emptied", emptied_json(s.incidents)},
      {"switches", switches_json(s.incidents)},
      {"late_switches", s.late_switches},
      {"coupling", r.coupling ? coupling_json(*r.model, *r.coupling, r.coupling_faults, *r.recorder) : Json(nullptr)},
      {"final_state", final_state},
      {"settings", nullptr}};
  std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace);
  constexpr std::string_view kEnd = "null\n}";  // the settings, written directly from the description
  text.resize(text.size() - kEnd.size());
  return text + json_text(write_tree(r.model->description), 2) + "\n}\n";
}

std::string summary_text(const CaseResult& r, double wall_seconds) {
  const RunStatistics& s = r.statistics;
  const Ledger& ledger = r.recorder->ledger();
  const auto [drift, drift_time] = largest(ledger.drift_range());
  const auto [work, work_time] = largest(ledger.actuator_range());
  const auto drift_percent = ledger.drift_of_work();
  std::string text = fmt::format("{}: {:g} s simulated\n", r.failure ? "FAILED" : "done", r.end_time);
  text += fmt::format("  steps        {} of {:g} s, {:.2f} iterations on average, {} at most\n", s.steps, grid_step(r.model->description),
                      s.mean_iterations(), s.max_iterations);
  if (const std::size_t moved = r.model->moved_starts.size(); moved > 0)
    text += fmt::format("  start        {} given value{} moved to satisfy the constraints; trunnion check names them\n", moved,
                        moved > 1 ? "s" : "");
  for (const std::string& warning : r.warnings) text += fmt::format("  WARNING      {}\n", warning);
  if (!r.compiled.empty())
    text += fmt::format("  compiled     {}{}\n",
                        s.compiled_steps > 0 || r.compiled.starts_with("compiled step")
                            ? fmt::format("{} of {} steps by the ", s.compiled_steps, s.steps)
                            : "",
                        r.compiled);
  if (s.split_steps > 0) text += fmt::format("  jumps        {} steps split where a signal jumps\n", s.split_steps);
  if (s.divided_steps > 0) text += fmt::format("  divided      {} steps, converged only after subdividing the step\n", s.divided_steps);
  if (s.capped_steps > 0) text += fmt::format("  CAPPED       {} steps ended at the iteration cap\n", s.capped_steps);
  text += fmt::format(
      "  time         {:.4g} s in steps ({:.0f} ns per step, {:.0f} times faster than real time; {:.4g} s of processor time), {:.3g} s in "
      "total\n",
      s.step_seconds, s.steps > 0 ? 1e9 * s.step_seconds / static_cast<double>(s.steps) : 0.0, real_time_factor(r), s.step_cpu_seconds,
      wall_seconds);
  if (!ledger.actuator_names().empty())
    text += fmt::format("  energy       peak net work of the {} {:.2f} J at {:g} s, drift {:.3g} J at {:g} s{}\n",
                        actuators_text(r.model->description), work, work_time, drift, drift_time,
                        drift_percent ? fmt::format(" ({:.2g} %)", *drift_percent) : "");
  else
    text += fmt::format("  energy       drift {:.3g} J at {:g} s\n", drift, drift_time);
  text += balance_text(ledger, r.model->description);
  text += error_text(accumulated_errors(*r.model, s), r.measured);
  if (r.coupling) {
    const CouplingReport& c = *r.coupling;
    text += fmt::format("  {}     {}: residuals of {}{:.3g} J of {:.4g} J through the bonds, {} communication steps{}\n",
                        r.coupling_faults.empty() ? "coupling" : "COUPLING",
                        r.coupling_faults.empty() ? "good"
                        : c.lost                  ? fmt::format("accuracy lost at {:g} s", *c.lost)
                                                  : "accuracy lost",
                        c.work > ledger.rounding() ? fmt::format("{:.2g} %, ", 100 * c.absolute_energy / c.work) : "", c.absolute_energy,
                        c.work, c.steps, c.passes > 1 ? fmt::format(", {:.2f} passes each", c.passes) : "");
    for (const UsedStep& step : used_steps(*r.model))
      if (std::abs(step.used - step.asked) > 1e-6 * step.asked)
        text += fmt::format("  step         {:g} s of {} instead of {:g} s, to divide the communication step\n", step.used, step.of,
                            step.asked);
    for (const std::string& fault : r.coupling_faults) text += fmt::format("  COUPLING     {}\n", fault);
    if (const MonolithicBeside* beside = r.recorder->beside()) {
      for (std::size_t i = 0; i < beside->names().size(); ++i) {
        const auto [size, time] = largest(beside->ranges()[i]);
        text += fmt::format("  difference   {} {:.2g} {} at {:g} s from the monolithic run\n", beside->names()[i], size,
                            beside->channels()[i].unit, time);
      }
      if (beside->failure()) text += fmt::format("  MONOLITHIC   the monolithic run ended: {}\n", beside->failure()->what());
    }
  }
  if (r.analysis.rows > 0) {
    text += fmt::format("  loops        error at most {:.1g} m at {:g} s, {:.1g} m/s at {:g} s\n", s.max_violation, s.max_violation_time,
                        s.max_velocity_violation, s.max_velocity_violation_time);
    for (const RedundantRows& rows : r.analysis.redundant)
      text += fmt::format("  redundant    {} {} of {} at the start\n", rows.equations.size() == 1 ? "equation" : "equations",
                          fmt::join(rows.equations, ", "), rows.path);
    if (!s.independent.empty())
      text += fmt::format("  independent  {}{}\n", fmt::join(independent_names(r), ", "),
                          s.repartitions == 0 ? " throughout"
                                              : fmt::format(" at the end; others before, {} {}, first at {:g} s", s.repartitions,
                                                            s.repartitions == 1 ? "change" : "changes", s.repartition_time));
  }
  if (s.resolved_steps > 0)
    text += fmt::format("  in parts     {} steps with pressure jumps, {} iterations in total\n", s.resolved_steps, s.part_iterations);
  text += incidents_text(s.incidents);
  for (std::size_t i = 0; i < s.alternation.size(); ++i)
    if (const AlternationRecord& a = s.alternation[i]; a.steps > 0)
      text += fmt::format("  ALTERNATING  {} oscillates from step to step in {} steps, first at {:g} s, by up to {:.3g} Pa\n",
                          volume_name(r, i), a.steps, a.first_time, a.largest);
  for (std::size_t i = 0; i < s.cavitation.size(); ++i)
    if (s.cavitation[i].steps > 0)
      text += fmt::format("  CAVITATION   {} below saturation pressure in {} steps, first at {:g} s, lowest {:.3g} Pa\n", volume_name(r, i),
                          s.cavitation[i].steps, s.cavitation[i].first_time, s.cavitation[i].lowest_pressure);
  return text;
}

}  // namespace trunnion
