// Sections of a report from tables.
// SPDX-License-Identifier: BSD-3-Clause
#include "report/table_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "base/diagnostic.h"
#include "file/csv.h"
#include "file/model_file.h"
#include "report/instants.h"
#include "results/read_results.h"

namespace trunnion {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHistoryRows = 1000;  // rows of step histories in a page
constexpr std::size_t kSweepRows = 1000;    // runs of a sweep
constexpr std::size_t kBesideRows = 2000;   // rows of a comparison with a linear model
constexpr double kMinParticipation = 0.05;  // minimum participation of a listed state
constexpr std::size_t kStates = 8;          // maximum number of listed states

using Units = std::map<std::string, std::string>;  // of columns, by their names

[[noreturn]] void lacks(const std::string& path, const std::string& column) {
  throw InputError({{{path, 0, 0}, "", "it has no column '" + column + "'", "a file written by `trunnion`", "write the results again"}});
}

/// Index of a required column.
int column_of(const TextTable& table, const std::string& column, const std::string& path) {
  const int index = table.find(column);
  if (index < 0) lacks(path, column);
  return index;
}

/// Names like `iterations_mean` as words.
std::string words(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

ReportJson titled_table(const std::string& path, const std::string& title, const Units& units = {}) {
  ReportJson table = table_json(read_table(path));
  table["title"] = title;
  for (ReportJson& column : table["columns"]) {
    const std::string name = column;
    column = ReportJson{{"name", name}, {"label", words(name)}};
    if (const auto unit = units.find(name); unit != units.end()) column["unit"] = unit->second;
  }
  return table;
}

void add_table(const std::string& folder, const char* file, const char* title, ReportJson& tables, const Units& units = {}) {
  if (const std::string path = folder + "/" + file; fs::exists(path)) tables.push_back(titled_table(path, title, units));
}

/// `arm` of a model file `models/arm.yaml`; if missing, the name of the results.
std::string model_name(const ReportJson& about, const std::string& name) {
  const std::string model = fs::path(about.value("model", "")).stem().string();
  return model.empty() ? name : model;
}

void add_figure(const std::string& path, const std::string& name, const std::string& shows, ReportJson& figures) {
  if (fs::exists(path)) figures.push_back({{"name", name}, {"title", shows}, {"svg", file_text(path, "picture")}});
}

ReportJson channels_at(const Recording& recording, const std::vector<std::size_t>& rows, DataBlock& block) {
  ReportJson all = ReportJson::array();
  std::vector<float> values(rows.size());
  for (std::size_t k = 1; k < recording.channels.size(); ++k) {
    for (std::size_t i = 0; i < rows.size(); ++i) values[i] = static_cast<float>(recording.columns[k][rows[i]]);
    all.push_back({{"name", recording.channels[k].name}, {"unit", recording.channels[k].unit}, {"values", block.add(values)}});
  }
  return all;
}

/// Columns over time at the most important rows of `order`.
ReportJson courses(const Recording& recording, std::size_t most, bool (*follows)(const Channel&), DataBlock& block) {
  const std::vector<std::size_t> rows = InstantOrder(recording, most, follows).first(most);
  std::vector<double> time;
  time.reserve(rows.size());
  for (const std::size_t i : rows) time.push_back(recording.columns.front()[i]);
  return ReportJson{{"time", block.add(time)},
                    {"channels", channels_at(recording, rows, block)},
                    {"instants", {{"records", recording.rows()}, {"kept", rows.size()}}}};
}

/// Adds the columns of `more` missing in `table`, if both have the same rows.
void add_columns(const TextTable& more, TextTable& table) {
  if (more.rows.size() != table.rows.size()) return;
  for (std::size_t k = 0; k < more.columns.size(); ++k) {
    if (table.find(more.columns[k]) >= 0) continue;
    table.columns.push_back(more.columns[k]);
    for (std::size_t i = 0; i < table.rows.size(); ++i) table.rows[i].push_back(more.rows[i][k]);
  }
}

/// The same for recordings.
void add_channels(const Recording& more, Recording& recording) {
  if (more.rows() != recording.rows()) return;
  for (std::size_t k = 0; k < more.channels.size(); ++k) {
    if (recording.find(more.channels[k].name) >= 0) continue;
    recording.channels.push_back(more.channels[k]);
    recording.columns.push_back(more.columns[k]);
  }
}

enum class Naming { values, names_and_values };

/// Points of a table as curves, one for each combination of the values in `by`.
void add_curves(const TextTable& table, const std::vector<int>& by, Naming naming, int x, int y, const std::string& x_label,
                const std::string& y_label, const std::string& name, DataBlock& block, ReportJson& curves) {
  std::vector<std::string> order;
  std::map<std::string, std::pair<std::vector<double>, std::vector<double>>> points;
  for (const auto& row : table.rows) {
    std::string label;
    for (const int column : by) {
      const std::string& path = table.columns[static_cast<std::size_t>(column)];
      if (!label.empty()) label += ", ";
      label += naming == Naming::names_and_values ? path.substr(path.find_last_of('.') + 1) + " " : "";
      label += row[static_cast<std::size_t>(column)];
    }
    if (!points.contains(label)) order.push_back(label);
    points[label].first.push_back(cell_number(row[static_cast<std::size_t>(x)]));
    points[label].second.push_back(cell_number(row[static_cast<std::size_t>(y)]));
  }
  for (const std::string& label : order)
    curves.push_back({{"name", label.empty() ? name : label},
                      {"x", block.add(points[label].first)},
                      {"y", block.add(points[label].second)},
                      {"x_label", x_label},
                      {"y_label", y_label}});
}

/// Results of a fit: parameters, residuals, correlation.
ReportJson fit_tables(const ReportJson& parameters, const ReportJson& channels, const ReportJson& correlation) {
  const auto row = [](const std::string& first, const ReportJson& of, std::initializer_list<const char*> keys) {
    ReportJson cells = ReportJson::array({first});
    for (const char* key : keys) cells.push_back(of.value(key, ReportJson()));
    return cells;
  };
  ReportJson found = ReportJson::array(), differences = ReportJson::array();
  for (const auto& [path, p] : parameters.items()) found.push_back(row(path, p, {"start", "value", "standard_error", "unit"}));
  for (const auto& [channel, c] : channels.items()) differences.push_back(row(channel, c, {"rms_start", "rms", "scale", "unit", "points"}));
  ReportJson tables = ReportJson::array(
      {{{"title", "Parameters"}, {"columns", {"parameter", "start", "value", "standard error", "unit"}}, {"rows", std::move(found)}},
       {{"title", "RMS differences from the recording"},
        {"columns", {"channel", "at the start", "fitted", "scale", "unit", "points"}},
        {"rows", std::move(differences)}}});
  if (correlation.size() < 2) return tables;
  ReportJson columns = ReportJson::array({"parameter"}), rows = ReportJson::array();
  for (const auto& [path, with] : correlation.items()) {
    columns.push_back(path);
    ReportJson cells = ReportJson::array({path});
    for (const ReportJson& value : with) cells.push_back(value);
    rows.push_back(std::move(cells));
  }
  tables.push_back({{"title", "Correlation of the parameters"}, {"columns", std::move(columns)}, {"rows", std::move(rows)}});
  return tables;
}

/// Recorded, at the start and fitted: one plot per channel.
ReportJson fit_curves(const std::string& path, const ReportJson& channels, DataBlock& block) {
  const TextTable points = read_table(path);
  const int channel = points.find("channel"), time = points.find("time");
  ReportJson curves = ReportJson::array();
  for (const char* column : {"recorded", "start", "fitted"}) {
    const int y = points.find(column);
    if (y < 0 || channel < 0 || time < 0) continue;
    ReportJson own = ReportJson::array();
    add_curves(points, {channel}, Naming::values, time, y, "time [s]", "", column, block, own);
    for (ReportJson& curve : own) {
      const std::string name = curve["name"], unit = channels.value(name, ReportJson::object()).value("unit", "");
      curve["panel"] = name;
      curve["name"] = column;
      curve["y_label"] = name + (unit.empty() ? "" : " [" + unit + "]");
      if (curve["name"] == "recorded") curve["style"] = "points";
      curves.push_back(std::move(curve));
    }
  }
  return curves;
}

const Units kEigenvalueUnits{{"re", "1/s"}, {"im", "1/s"}, {"frequency_hz", "Hz"}, {"time_constant", "s"}, {"time", "s"}};
const Units kStepUnits{{"oil_step", "s"},     {"limit", "s"},    {"first_unstable", "s"},    {"step", "s"},     {"end_time", "s"},
                       {"length_error", "m"}, {"residual", "J"}, {"absolute_residual", "J"}, {"max_drift", "J"}};
const Units kCurveUnits{{"pressure_A", "Pa"},       {"pressure_B", "Pa"},       {"pump_pressure", "Pa"}, {"flow_P_A", "m^3/s"},
                        {"flow_P_B", "m^3/s"},      {"flow_A_T", "m^3/s"},      {"flow_B_T", "m^3/s"},   {"flow_B_A", "m^3/s"},
                        {"relief_flow_A", "m^3/s"}, {"relief_flow_B", "m^3/s"}, {"bleed_flow", "m^3/s"}, {"pump_relief_flow", "m^3/s"}};

/// Branches of eigenvalues over the one varied value.
void add_locus(const TextTable& table, ReportJson& section) {
  const int branch = table.find("branch"), re = table.find("re"), im = table.find("im"), status = table.find("status");
  if (branch < 0 || re < 0 || im < 0 || (status >= 0 ? status != 1 : branch != 1)) return;  // several values, or none
  ReportJson points = ReportJson::array();
  for (const auto& row : table.rows) {
    const auto at = [&](int column) { return cell_number(row[static_cast<std::size_t>(column)]); };
    if (!std::isfinite(at(re)) || !std::isfinite(at(im))) continue;
    points.push_back({{"value", row.front()}, {"branch", at(branch)}, {"re", at(re)}, {"im", at(im)}});
  }
  section["locus"] = {{"parameter", table.columns.front()}, {"points", std::move(points)}};
}

/// Gains, margins and zeros from inputs to outputs, and what of every mode they excite and see (frequency.json).
void add_paths(const ReportJson& response, ReportJson& tables) {
  ReportJson paths = ReportJson::array(), modes = ReportJson::array();
  const auto complex = [](const ReportJson& z) {
    const double im = z.value("im", 0.0);
    return fmt::format("{:.5g}", z.value("re", 0.0)) + (im == 0 ? "" : fmt::format(" {} {:.5g} i", im < 0 ? "-" : "+", std::abs(im)));
  };
  const auto least = [](const ReportJson& crossings, const char* key) {
    const auto size = [&](const ReportJson& crossing) { return std::abs(crossing.value(key, 0.0)); };
    const auto it =
        std::min_element(crossings.begin(), crossings.end(), [&](const ReportJson& a, const ReportJson& b) { return size(a) < size(b); });
    return it == crossings.end() ? ReportJson::object() : *it;
  };
  for (const ReportJson& path : response.value("paths", ReportJson::array())) {
    const ReportJson none = ReportJson::array(), phase = least(path.value("phase_margins", none), "margin_deg"),
                     gain = least(path.value("gain_margins", none), "margin_db");
    std::string zeros;
    for (const ReportJson& zero : path.value("zeros", none)) zeros += (zeros.empty() ? "" : ", ") + complex(zero);
    const ReportJson input = path.value("input", ""), output = path.value("output", "");
    const auto entry = [](const ReportJson& of, const char* key) { return of.value(key, ReportJson(nullptr)); };
    paths.push_back(ReportJson::array({input, output, entry(path, "static_gain"), entry(path, "unit"), entry(phase, "margin_deg"),
                                       entry(phase, "frequency_hz"), entry(gain, "margin_db"), entry(gain, "frequency_hz"), zeros}));
    for (const ReportJson& mode : path.value("modes", none))
      modes.push_back(
          ReportJson::array({input, output, complex(mode.value("eigenvalue", ReportJson::object())), entry(mode, "controllability"),
                             entry(mode, "observability"), mode.value("cancelled", false) ? "yes" : "no"}));
  }
  if (paths.empty()) return;
  const auto column = [](const char* name, const char* unit = "") {
    ReportJson c{{"name", name}, {"label", words(name)}};
    if (*unit != '\0') c["unit"] = unit;
    return c;
  };
  tables.push_back({{"title", "Transfer functions"},
                    {"columns",
                     {column("input"), column("output"), column("static_gain"), column("unit"), column("phase_margin_deg"),
                      column("gain_crossing", "Hz"), column("gain_margin_db"), column("phase_crossing", "Hz"), column("zeros")}},
                    {"rows", std::move(paths)}});
  tables.push_back(
      {{"title", "Modes on the transfer functions"},
       {"columns",
        {column("input"), column("output"), column("eigenvalue"), column("controllability"), column("observability"), column("cancelled")}},
       {"rows", std::move(modes)}});
}

}  // namespace

std::vector<std::string> runs_of_comparison(const std::string& folder) {
  constexpr std::string_view kEnding = ".velocity_violation";
  std::vector<std::string> names, found;
  for (const std::string& column : csv_header(folder + "/history.csv"))
    if (column.ends_with(kEnding)) names.push_back(column.substr(0, column.size() - kEnding.size()));
  if (names.empty()) {
    for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
  }
  for (const std::string& name : names) {
    const bool inside = name == fs::path(name).filename().string() && name != "." && name != "..";
    if (inside && !result_file(folder + "/" + name + "/summary.json").empty()) found.push_back(name);
  }
  return found;
}

ReportJson compare_section(const std::string& folder, const std::string& name, const std::vector<std::string>& runs, DataBlock& block) {
  TextTable table = read_table(folder + "/compare.csv");
  if (const std::string path = folder + "/compare_times.csv"; fs::exists(path)) add_columns(read_table(path), table);
  ReportJson columns = ReportJson::array();
  for (const std::string& column : table.columns)
    columns.push_back({{"name", column}, {"label", words(column.substr(column.find_last_of('.') + 1))}});
  ReportJson of_rows = ReportJson::array();  // impossible combinations have no run
  const int status = table.find("status");
  auto next = runs.begin();
  for (const auto& row : table.rows) {
    const bool impossible = status >= 0 && row[static_cast<std::size_t>(status)].starts_with("impossible:");
    of_rows.push_back(impossible || next == runs.end() ? ReportJson(nullptr) : ReportJson(*next++));
  }
  ReportJson section{{"kind", "compare"}, {"name", name}, {"directory", folder}, {"columns", columns}, {"rows", table_json(table)["rows"]},
                     {"runs", of_rows}};
  if (const std::string path = folder + "/history.csv"; fs::exists(path)) {
    Recording history = find_results(path).read({"*"});
    if (const std::string times = folder + "/history_times.csv"; fs::exists(times)) add_channels(find_results(times).read({"*"}), history);
    section["history"] = courses(
        history, kHistoryRows, [](const Channel& c) { return c.name.ends_with("violation"); }, block);
  }
  return section;
}

ReportJson linear_section(const std::string& folder, const std::string& name, DataBlock& block) {
  ReportJson section{{"kind", "linearize"}, {"name", name}, {"directory", folder}};
  if (const std::string path = folder + "/linear.json"; fs::exists(path)) {
    const ReportJson linear = read_json(path);
    for (const char* key : {"title", "states", "inputs", "outputs", "units", "start", "time", "method", "sizes", "partition", "reference",
                            "null", "warnings", "A", "B", "C", "D"})
      if (linear.contains(key)) section[key] = linear[key];
    const ReportJson stability = linear.value("stability", ReportJson::object()), states = linear.value("states", ReportJson::array());
    section["stability"] = stability.value("verdict", "");
    section["message"] = stability.value("text", "");
    ReportJson& eigenvalues = section["eigenvalues"] = ReportJson::array();
    for (const ReportJson& e : linear.value("eigenvalues", ReportJson::array())) {
      std::vector<std::pair<double, std::string>> parts;
      const ReportJson participation = e.value("participation", ReportJson::array());
      for (std::size_t i = 0; i < participation.size() && i < states.size(); ++i)
        if (participation[i].is_number() && participation[i] >= kMinParticipation) parts.emplace_back(participation[i], states[i]);
      std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
      ReportJson entry = ReportJson::object(), named = ReportJson::array();
      for (const char* key : {"re", "im", "frequency_hz", "damping_ratio", "time_constant", "chain", "error"})
        if (e.contains(key)) entry[key] = e[key];
      for (std::size_t i = 0; i < std::min(kStates, parts.size()); ++i) named.push_back({parts[i].second, parts[i].first});
      entry["states"] = std::move(named);
      eigenvalues.push_back(std::move(entry));
    }
    if (linear.contains("settings")) section["model"] = linear["settings"].dump(2);
  }
  ReportJson tables = ReportJson::array(), figures = ReportJson::array();
  if (const std::string path = folder + "/frequency.json"; fs::exists(path)) {
    add_paths(read_json(path), tables);
    add_figure(folder + "/bode.svg", "bode", "Frequency response", figures);
    add_figure(folder + "/nyquist.svg", "nyquist", "Nyquist diagram", figures);
    add_figure(folder + "/step.svg", "step", "Step response", figures);
  }
  if (!figures.empty()) section["figures"] = std::move(figures);
  add_table(folder, "root_locus.csv", "Root locus", tables, kEigenvalueUnits);
  add_table(folder, "over_time.csv", "Eigenvalues over time", tables, kEigenvalueUnits);
  add_table(folder, "sensitivity.csv", "Sensitivities of the eigenvalues", tables);
  for (const char* file : {"root_locus.csv", "over_time.csv"})
    if (const std::string path = folder + "/" + file; fs::exists(path)) add_locus(read_table(path), section);
  if (!tables.empty()) section["tables"] = std::move(tables);
  if (const std::string path = folder + "/simulate.csv"; fs::exists(path))
    section["simulate"] = courses(find_results(path).read({"*"}), kBesideRows, is_followed, block);
  return section;
}

ReportJson curve_section(const std::string& folder, const std::string& name, DataBlock& block) {
  const std::string path = folder + "/curve.csv";
  const TextTable table = read_table(path);
  const int velocity = column_of(table, "velocity", path), force = column_of(table, "force", path);
  std::vector<int> by;  // varied values come first
  by.reserve(static_cast<std::size_t>(velocity));
  for (int i = 0; i < velocity; ++i) by.push_back(i);
  const ReportJson about = fs::exists(folder + "/curve.json") ? read_json(folder + "/curve.json") : ReportJson::object();
  const ReportJson units = about.value("units", ReportJson::object());
  const std::string actuator = about.value("actuator", name);
  ReportJson curves = ReportJson::array(), figures = ReportJson::array();
  add_curves(table, by, Naming::names_and_values, velocity, force, "velocity [" + units.value("velocity", "") + "]",
             "force [" + units.value("force", "") + "]", actuator, block, curves);
  if (curves.empty()) add_figure(folder + "/curve.svg", "curve", "Force over velocity", figures);
  Units of_columns = kCurveUnits;
  for (const char* column : {"velocity", "force"}) of_columns[column] = units.value(column, "");
  for (const char* column : {"force_low", "force_high"}) of_columns[column] = units.value("force", "");
  return ReportJson{{"kind", "curve"},
                    {"name", name},
                    {"directory", folder},
                    {"title", "Force-velocity curve of " + actuator},
                    {"tables", ReportJson::array({titled_table(path, "Points", of_columns)})},
                    {"figures", std::move(figures)},
                    {"curves", std::move(curves)}};
}

ReportJson study_section(const std::string& folder, const std::string& name, DataBlock& block) {
  const ReportJson about = read_json(folder + "/study.json");
  std::string criterion = about.value("criterion", "");
  if (const std::size_t unit = criterion.find(" [ms]"); unit != std::string::npos) criterion.erase(unit, 5);  // tables are in seconds
  ReportJson tables = ReportJson::array(), figures = ReportJson::array(), curves = ReportJson::array();
  add_table(folder, "limits.csv", "Largest stable steps", tables, kStepUnits);
  add_table(folder, "schemes.csv", "Schemes", tables, kStepUnits);
  add_table(folder, "runs.csv", "Runs", tables, kStepUnits);
  if (const std::string list = folder + "/figures/figures.csv"; fs::exists(list))
    for (const auto& row : read_table(list).rows) {
      if (row.size() < 2 || row[0] != fs::path(row[0]).filename().string()) continue;  // only pictures in the same folder
      const std::string stem = row[0].substr(0, row[0].find_last_of('.')), data = folder + "/figures/" + stem + ".csv";
      const std::size_t before = figures.size();
      add_figure(folder + "/figures/" + row[0], stem, row[1], figures);
      if (figures.size() > before || !fs::exists(data)) continue;
      // no picture was drawn: its curves
      const TextTable points = read_table(data);
      const auto column = [&](const char* name_of_column) { return column_of(points, name_of_column, data); };
      add_curves(points, {column("panel"), column("curve")}, Naming::values, column("x"), column("y"), stem + " x", stem + " y", stem,
                 block, curves);
    }
  return ReportJson{{"kind", "study"},
                    {"name", name},
                    {"directory", folder},
                    {"title", about.value("title", "Communication steps of " + model_name(about, name))},
                    {"message", criterion},
                    {"tables", std::move(tables)},
                    {"figures", std::move(figures)},
                    {"curves", std::move(curves)}};
}

ReportJson sweep_section(const std::string& folder, const std::string& name) {
  const ReportJson about = read_json(folder + "/sweep.json"), none = ReportJson::object(), nothing = ReportJson::array();
  ReportJson tables = nothing, figures = nothing, extremes = nothing;
  for (const ReportJson& figure : about.value("figures", nothing)) {
    const std::string file = figure.value("file", "");
    if (file == fs::path(file).filename().string())  // only pictures in the same folder
      add_figure(folder + "/" + file, fs::path(file).stem().string(), figure.value("shows", ""), figures);
  }
  for (const ReportJson& kpi : about.value("kpi", nothing)) {
    const ReportJson low = kpi.value("min", none), high = kpi.value("max", none);
    const auto cell = [](const ReportJson& of, const char* key) { return of.value(key, ReportJson()); };
    extremes.push_back(
        {kpi.value("name", ""), kpi.value("expression", ""), cell(low, "value"), cell(low, "run"), cell(high, "value"), cell(high, "run")});
  }
  if (!extremes.empty())
    tables.push_back(
        {{"title", "Key figures"}, {"columns", {"name", "expression", "min", "in run", "max", "in run "}}, {"rows", std::move(extremes)}});
  if (const std::string path = folder + "/sweep.csv"; fs::exists(path)) {
    Units units;
    ReportJson table = titled_table(path, "Runs", units);
    ReportJson& rows = table["rows"];
    if (const std::size_t all = rows.size(); all > kSweepRows) {
      rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(kSweepRows), rows.end());
      table["title"] = "The first " + std::to_string(kSweepRows) + " of " + std::to_string(all) + " runs; sweep.csv has all";
    }
    tables.push_back(std::move(table));
  }
  std::string message = std::to_string(about.value("runs", 0)) + " runs:";
  const ReportJson status = about.value("status", none);
  for (const auto& [text, n] : status.items())
    if (n != 0) message += (message.ends_with(":") ? " " : ", ") + std::to_string(n.get<long>()) + " " + words(text);
  return ReportJson{{"kind", "study"},
                    {"name", name},
                    {"directory", folder},
                    {"title", "Sweep of " + model_name(about, name)},
                    {"message", message},
                    {"tables", std::move(tables)},
                    {"figures", std::move(figures)}};
}

ReportJson fit_section(const std::string& folder, const std::string& name, DataBlock& block) {
  const ReportJson about = read_json(folder + "/fit.json"), none = ReportJson::object(), channels = about.value("channels", none);
  ReportJson curves = ReportJson::array(), figures = ReportJson::array();
  if (const std::string path = folder + "/fit.csv"; fs::exists(path)) curves = fit_curves(path, channels, block);
  if (curves.empty()) add_figure(folder + "/fit.svg", "fit", "Recorded and fitted", figures);
  ReportJson section{{"kind", "study"}, {"name", name}, {"directory", folder}, {"title", "Fit of " + model_name(about, name)}};
  section["tables"] = fit_tables(about.value("parameters", none), channels, about.value("correlation", none));
  section["figures"] = std::move(figures);
  section["curves"] = std::move(curves);
  const std::string status = about.value("status", "");
  if (!status.empty())
    section["message"] = std::string(about.value("converged", false) ? "Converged: " : "Not converged: ") + status + ". " +
                         std::to_string(about.value("iterations", 0)) + " iterations, " + std::to_string(about.value("runs", 0)) + " runs.";
  if (about.contains("warnings")) section["warnings"] = about["warnings"];
  return section;
}

}  // namespace trunnion
