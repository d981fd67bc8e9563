// A run as a section of a report.
// SPDX-License-Identifier: BSD-3-Clause
#include "report/run_section.h"

#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "file/model_file.h"
#include "report/instants.h"
#include "report/scene.h"
#include "results/read_results.h"

namespace trunnion {

namespace {

constexpr std::size_t kFirstRows = 4;  // minimum number of instants for an animation
constexpr int kTries = 4;              // to meet the size
constexpr double kEnough = 1e-4;       // deviation, in ranges, that is invisible
constexpr std::size_t kProbe = 500;    // records used to estimate the text size per record

/// The item a channel belongs to: `lift` of `lift.leakage.flow`, `pump` of `sources.pump.flow`.
std::string group_of(const std::string& channel) {
  static const std::set<std::string> kSections{"bodies",       "joints",  "loops",     "motions", "couplings",  "wheels", "blades",
                                               "markers",      "springs", "forces",    "volumes", "sources",    "valves", "pumps",
                                               "accumulators", "lines",   "cylinders", "motors",  "quasistatic"};
  const std::size_t dot = channel.find('.');
  if (dot == std::string::npos || !kSections.contains(channel.substr(0, dot))) return channel.substr(0, dot);
  return channel.substr(dot + 1, channel.find('.', dot + 1) - dot - 1);
}

bool moves(const std::vector<double>& values) {
  return std::any_of(values.begin(), values.end(), [&](double x) { return x != values.front(); });
}

/// Channels of the initial plots: of each kind the first channels that move.
ReportJson default_channels(const Recording& r, const std::vector<std::size_t>& chosen) {
  constexpr double kNoise = 1e-6;         // of the largest range of a unit: smaller motion counts as none
  std::map<std::string, double> largest;  // range by unit
  const auto range = [&](std::size_t k) {
    const auto [low, high] = std::minmax_element(r.columns[k].begin(), r.columns[k].end());
    return low == r.columns[k].end() ? 0 : *high - *low;
  };
  for (const std::size_t k : chosen) largest[r.channels[k].unit] = std::max(largest[r.channels[k].unit], range(k));
  struct Kind {
    std::vector<const char*> endings;
    const char* unit;  // null: any
    double least;      // range [SI]: smaller ones are rounding
  };
  static const std::vector<Kind> kinds{{{".angle"}, "rad", 1e-9},
                                       {{".position"}, "m", 1e-9},
                                       {{".force"}, "N", 1e-6},
                                       {{".torque"}, "N m", 1e-6},
                                       {{".pressure"}, "Pa", 1e-3},
                                       {{".spool"}, nullptr, 1e-9},
                                       {{"solver.iterations", "solver.position_iterations"}, nullptr, 0},
                                       {{"solver.violation"}, nullptr, 0}};
  constexpr std::size_t kCurves = 6;
  ReportJson plots = ReportJson::array();
  for (const Kind& kind : kinds) {
    ReportJson names = ReportJson::array();
    for (const std::size_t k : chosen) {
      const Channel& c = r.channels[k];
      const bool fits = std::any_of(kind.endings.begin(), kind.endings.end(), [&](const char* ending) { return c.name.ends_with(ending); });
      const bool of_unit = kind.unit == nullptr || c.unit.empty() || c.unit == kind.unit;
      if (fits && of_unit && names.size() < kCurves && range(k) > std::max(kNoise * largest[c.unit], kind.least)) names.push_back(c.name);
    }
    if (!names.empty()) plots.push_back(std::move(names));
  }
  return plots;
}

/// Stored and supplied energies, to be stacked; their difference is `energy.residual`; as changes from the start.
ReportJson ledger(const Recording& r, const std::vector<std::size_t>& chosen) {
  struct Term {
    const char *name, *label;
    int sign;
  };
  static const std::vector<Term> kept{{"energy.kinetic", "kinetic energy", 1},
                                      {"energy.potential", "potential energy", 1},
                                      {"energy.spring", "springs", 1},
                                      {"energy.cylinder", "seals and end dampers, stored", 1},
                                      {"energy.oil", "compressed oil", 1},
                                      {"energy.throttling", "heat of valves and leaks", 1},
                                      {"energy.friction", "heat of friction", 1},
                                      {"energy.damping", "heat of dampers", 1}},
      put_in{{"energy.supply", "supplied", 1}, {"energy.tank_return", "returned", -1}, {"energy.external", "loads and motions", 1}};
  const auto recorded = [&](const std::vector<Term>& terms) {
    ReportJson all = ReportJson::array();
    for (const Term& term : terms)
      for (const std::size_t k : chosen)
        if (r.channels[k].name == term.name && moves(r.columns[k]))
          all.push_back({{"name", term.name}, {"label", term.label}, {"sign", term.sign}});
    return all;
  };
  ReportJson json{{"stacked", recorded(kept)}}, balance = recorded(put_in);
  if (json["stacked"].empty()) return nullptr;
  if (!balance.empty()) json["balance"] = std::move(balance);
  return json;
}

/// The text of a finding in one line.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

class SectionOfRun {
 public:
  SectionOfRun(const std::string& folder, const std::string& name, int block, const RunShare& share)
      : share_(share), block_(block), summary_(read_json(result_file(folder + "/summary.json"))), run_(read_run(folder)) {
    if (!summary_.is_object())
      throw InputError({{{folder + "/summary.json", 0, 0}, "", "it is not a summary of a run", "a file written by `trunnion run`", ""}});
    if (run_.model.empty() && summary_.contains("settings")) run_.model = summary_["settings"].dump(2);
    for (std::size_t k = 1; k < recording().channels.size(); ++k) section_.names.push_back(recording().channels[k].name);
    choose_channels();
    read_scene();
    section_.records = recording().rows();
    ReportJson& json = section_.json;
    json = {{"kind", "run"}, {"name", name}, {"directory", folder}};
    for (const char* key : {"title", "status", "message", "warnings"})
      if (summary_.contains(key)) json[key] = summary_[key];
    for (const std::string& why : unread_) json["warnings"].push_back(why);
    summary_.erase("settings");
    json["summary"] = std::move(summary_);
    json["model"] = run_.model;
    fill();
    json["default_channels"] = default_channels(recording(), chosen_);
    json["ledger"] = ledger(recording(), chosen_);
  }
  RunSection section() { return std::move(section_); }

 private:
  const Recording& recording() const { return run_.recording; }

  void choose_channels() {
    for (std::size_t k = 1; k < recording().channels.size(); ++k) {
      bool chosen = share_.channels.empty();
      for (const std::string& pattern : share_.channels)
        if (fnmatch(pattern.c_str(), recording().channels[k].name.c_str(), 0) == 0) {
          chosen = true;
          section_.matched.insert(pattern);
        }
      if (!chosen) continue;
      chosen_.push_back(k);
      names_.insert(recording().channels[k].name);
    }
  }

  void read_scene() {
    if (recording().rows() == 0) {
      scene_missing_ = "the run recorded nothing";
      return;
    }
    if (run_.model.empty()) {
      scene_missing_ = "the model is neither in results.h5 nor in summary.json";
      return;
    }
    try {
      scene_ = make_scene(parse_model(run_.model, summary_.value("model_file", "model")), recording());
      scene_missing_ = scene_->missing();
      for (const std::string& why : scene_->unread()) unread_.push_back(why);
    } catch (const Error& e) { scene_missing_ = "the model stored with the run cannot be read: " + first_line(e.what()); }
  }

  /// Selects instants for the available size.
  void fill() {
    const std::size_t rows = recording().rows();
    if (share_.every > 0) {
      std::vector<std::size_t> kept;
      for (std::size_t i = 0; i < rows; i += static_cast<std::size_t>(share_.every)) kept.push_back(i);
      if (rows > 0 && kept.back() != rows - 1) kept.push_back(rows - 1);
      write(kept);
      section_.json["instants"] = {{"records", rows}, {"kept", kept.size()}, {"chosen", "every " + std::to_string(share_.every)}};
      return;
    }
    const auto bytes = static_cast<double>(share_.bytes), all = static_cast<double>(rows);
    // estimate the text size of a record
    std::vector<std::size_t> some;
    for (std::size_t i = 0; i < rows; i += std::max<std::size_t>(1, rows / kProbe)) some.push_back(i);
    write(some);
    const auto affordable = [&] {
      constexpr double kSafe = 0.97;
      const double count = kSafe * bytes * static_cast<double>(section_.kept) / static_cast<double>(recorded_size());
      return std::clamp(count, std::min(all, 1.0 * kFirstRows), all);
    };
    std::optional<InstantOrder> order;
    for (int i = 0; i < kTries; ++i) {
      const auto count = static_cast<std::size_t>(affordable());
      if (count < rows && !order) order.emplace(recording(), std::min(rows, 2 * count));
      std::vector<std::size_t> instants;
      if (count < rows)
        instants = order->first(std::min(count, order->needed(kEnough)));
      else
        for (std::size_t k = 0; k < rows; ++k) instants.push_back(k);
      write(instants);
      if (recorded_size() <= share_.bytes || section_.kept <= kFirstRows) break;
    }
    ReportJson& json = section_.json["instants"] = {{"records", rows}, {"kept", section_.kept}, {"chosen", "all"}};
    if (section_.kept == rows) return;
    section_.deviation = order->deviation(section_.kept);
    json["chosen"] = "largest deviation";
    json["deviation"] = section_.deviation;
  }

  /// [bytes] of what grows with the records.
  std::size_t recorded_size() const {
    const std::size_t meshes = scene_ != nullptr ? scene_->mesh_size() : 0;
    return section_.block.size() > meshes ? section_.block.size() - meshes : 1;
  }

  void write(const std::vector<std::size_t>& rows) {
    if (written_ == rows) return;  // a short run: the estimate had all records
    written_ = rows;
    DataBlock block(block_);
    ReportJson& json = section_.json;
    section_.kept = rows.size();
    std::vector<double> time;
    time.reserve(rows.size());
    for (const std::size_t i : rows) time.push_back(recording().columns.front()[i]);
    json["time"] = block.add(time);
    ReportJson& channels = json["channels"] = ReportJson::array();
    std::vector<float> values(rows.size());
    for (const std::size_t k : chosen_) {
      const Channel& c = recording().channels[k];
      for (std::size_t i = 0; i < rows.size(); ++i) values[i] = static_cast<float>(recording().columns[k][rows[i]]);
      channels.push_back(
          {{"name", c.name}, {"unit", c.unit}, {"description", c.meaning}, {"group", group_of(c.name)}, {"values", block.add(values)}});
    }
    if (scene_missing_.empty() && !rows.empty()) {
      json["scene"] = scene_->json(rows, names_, block);
    } else {
      json["scene"] = nullptr;
      json["scene_missing"] = scene_missing_;
    }
    section_.block = block.packed();
  }

  const RunShare& share_;
  int block_;
  ReportJson summary_;
  StoredRun run_;
  std::vector<std::size_t> chosen_;  // channels
  std::set<std::string> names_;      // theirs
  std::unique_ptr<Scene> scene_;
  std::string scene_missing_;
  std::vector<std::string> unread_;                  // meshes
  std::optional<std::vector<std::size_t>> written_;  // records in the section
  RunSection section_;
};

}  // namespace

RunSection run_section(const std::string& folder, const std::string& name, int block, const RunShare& share) {
  return SectionOfRun(folder, name, block, share).section();
}

}  // namespace trunnion
