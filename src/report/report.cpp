// Assembly of a report from result folders.
// SPDX-License-Identifier: BSD-3-Clause
#include "report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>

#include "base/diagnostic.h"
#include "base/text.h"
#include "file/model_file.h"
#include "report/run_section.h"
#include "report/table_sections.h"
#include "results/files.h"
#include "results/read_results.h"
#include "trunnion/version.h"

namespace trunnion {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLeastBytes = 600'000;  // minimum text size of one run's numbers, for any number of runs
constexpr std::string_view kPlace = "<!-- TRUNNION_DATA -->";
constexpr std::string_view kMark = "id=\"trunnion-data\"";

enum class ResultKind { run, compare, linearize, study, sweep, curve, fit };

/// The file that identifies the content of a folder.
struct Sign {
  const char* file;
  ResultKind kind;
};
constexpr Sign kSigns[] = {
    {"compare.json", ResultKind::compare},      {"summary.json", ResultKind::run},         {"linear.json", ResultKind::linearize},
    {"root_locus.json", ResultKind::linearize}, {"over_time.json", ResultKind::linearize}, {"study.json", ResultKind::study},
    {"sweep.json", ResultKind::sweep},          {"curve.json", ResultKind::curve},         {"fit.json", ResultKind::fit}};

/// One item to show.
struct Result {
  ResultKind kind;
  std::string folder, name;
  std::vector<std::size_t> runs;  // of a comparison: indices of its results
};

std::vector<ResultKind> kinds_in(const std::string& folder) {
  std::vector<ResultKind> kinds;
  for (const Sign& sign : kSigns)
    if (!result_file(folder + "/" + sign.file).empty() && std::find(kinds.begin(), kinds.end(), sign.kind) == kinds.end())
      kinds.push_back(sign.kind);
  return kinds;
}

std::vector<std::string> folders_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// Diagnoses a folder without results.
Diagnostic no_results(const std::string& folder) {
  Diagnostic d{{folder, 0, 0},
               "",
               "it holds no results",
               "a folder written by `trunnion run`, `compare`, `linearize`, `study`, `sweep`, `curve` or `fit`",
               ""};
  if (!fs::exists(folder)) {
    d.found = "there is no such folder";
    const fs::path path = fs::path(folder).lexically_normal(), parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
    if (fs::is_directory(parent))
      if (const std::string near = nearest_name(path.filename().string(), folders_in(parent.string())); !near.empty())
        d.hint = "did you mean '" + (path.has_parent_path() ? (parent / near).string() : near) + "'?";
  } else if (!fs::is_directory(folder)) {
    d.found = "it is a file";
    const std::string ending = fs::path(folder).extension().string();
    if (ending == ".yaml" || ending == ".yml")
      d.hint = "`trunnion run " + folder + "` first";
    else if (const fs::path parent = fs::path(folder).parent_path(); !kinds_in(parent.empty() ? "." : parent.string()).empty())
      d.hint = "did you mean its folder '" + (parent.empty() ? "." : parent.string()) + "'?";
  } else if (fs::exists(folder + "/equilibrium.json")) {
    d.found = "it holds a static solution, which reports do not show";
    d.hint = "`trunnion run` on its equilibrium.yaml gives a run that starts in equilibrium";
  } else if (fs::exists(folder + "/steady.json")) {
    d.found = "it holds a steady operation, which reports do not show";
    d.hint = "`trunnion run` on its steady.yaml gives a run that starts there";
  } else {
    for (const std::string& inside : folders_in(folder))
      if (!kinds_in(folder + "/" + inside).empty()) {
        d.hint = "did you mean '" + folder + "/" + inside + "'?";
        break;
      }
  }
  return d;
}

/// The results in the folders, in their order; the runs of a comparison follow it.
std::vector<Result> results_in(const std::vector<std::string>& folders) {
  std::vector<Result> results;
  std::vector<Diagnostic> findings;
  std::map<std::string, std::string> given;
  for (const std::string& text : folders) {
    std::string folder = fs::path(text).lexically_normal().string();
    while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
    if (fs::is_directory(folder)) {
      const auto [at, first] = given.emplace(fs::canonical(folder).string(), text);
      if (!first) {
        findings.push_back({{text, 0, 0},
                            "",
                            "the folder is given twice",
                            "every folder once",
                            at->second == text ? "" : "it is '" + at->second + "', too"});
        continue;
      }
    }
    const std::size_t before = results.size();
    if (fs::is_directory(folder)) {
      for (const ResultKind kind : kinds_in(folder)) {
        results.push_back({kind, folder, "", {}});
        if (kind != ResultKind::compare) continue;
        const std::size_t own = results.size() - 1;
        for (const std::string& run : runs_of_comparison(folder)) {
          results[own].runs.push_back(results.size());
          results.push_back({ResultKind::run, folder + "/" + run, "", {}});
        }
      }
      for (const std::string& inside : folders_in(folder))  // of `linearize` with several times
        if (inside.starts_with("at_") && fs::exists(folder + "/" + inside + "/linear.json"))
          results.push_back({ResultKind::linearize, folder + "/" + inside, "", {}});
    }
    if (results.size() == before) findings.push_back(no_results(text));
  }
  if (!findings.empty()) throw InputError(std::move(findings));
  return results;
}

/// Names every result after its folder, with as many parent folders as necessary to distinguish those of one kind.
void name_results(std::vector<Result>& results) {
  const auto name = [](const std::string& folder, int parts) {
    fs::path path = fs::path(fs::absolute(folder)).lexically_normal(), text;
    for (; parts > 0 && path.has_filename(); --parts, path = path.parent_path())
      text = text.empty() ? path.filename() : path.filename() / text;
    return text.string();
  };
  constexpr int kMost = 32;  // maximum folder depth
  for (Result& r : results)
    for (int parts = 1; parts <= kMost; ++parts) {
      r.name = name(r.folder, parts);
      const bool taken = std::any_of(results.begin(), results.end(), [&](const Result& other) {
        return &other != &r && other.kind == r.kind && other.folder != r.folder && name(other.folder, parts) == r.name;
      });
      if (!taken) break;
    }
}

class PageBuilder {
 public:
  explicit PageBuilder(const ReportRequest& request) : request_(request), results_(results_in(request.folders)) {
    name_results(results_);
    const auto runs = static_cast<std::size_t>(
        std::count_if(results_.begin(), results_.end(), [](const Result& r) { return r.kind == ResultKind::run; }));
    share_ = {std::max(kLeastBytes, request.bytes / std::max<std::size_t>(runs, 1)), request.every, request.channels};
  }

  Report build() {
    ReportJson sections = ReportJson::array();
    for (const Result& result : results_) try {
        sections.push_back(section(result));
      } catch (const ReportJson::exception&) {
        throw InputError({{{result.folder, 0, 0},
                           "",
                           "a JSON file in it is damaged: a value has another type than `trunnion` writes",
                           "files written by `trunnion`",
                           "write the results again"}});
      }
    check_patterns();
    ReportJson page{
        {"format", 1}, {"program", std::string("trunnion ") + kVersion}, {"title", title(sections)}, {"sections", std::move(sections)}};
    report_.data = page.dump(-1, ' ', false, ReportJson::error_handler_t::replace);
    // tags and comments inside a script element must be escaped
    for (std::size_t at = 0; (at = report_.data.find('<', at)) != std::string::npos;) report_.data.replace(at, 1, "\\u003c");
    return std::move(report_);
  }

 private:
  ReportJson section(const Result& r) {
    const int number = static_cast<int>(report_.blocks.size());
    if (r.kind == ResultKind::run) {
      RunSection run = run_section(r.folder, r.name, number, share_);
      report_.blocks.push_back(std::move(run.block));
      report_.notes.push_back(note(r.name, run));
      names_.insert(names_.end(), run.names.begin(), run.names.end());
      matched_.insert(run.matched.begin(), run.matched.end());
      return std::move(run.json);
    }
    DataBlock block(number);
    ReportJson json = of_tables(r, block);
    report_.blocks.push_back(block.packed());
    report_.notes.push_back(printable(r.name) + ": " + json["kind"].get<std::string>());
    return json;
  }
  ReportJson of_tables(const Result& r, DataBlock& block) const {
    switch (r.kind) {
      case ResultKind::compare: {
        std::vector<std::string> runs;
        for (const std::size_t i : r.runs) runs.push_back(results_[i].name);
        return compare_section(r.folder, r.name, runs, block);
      }
      case ResultKind::linearize:
        return linear_section(r.folder, r.name, block);
      case ResultKind::study:
        return study_section(r.folder, r.name, block);
      case ResultKind::sweep:
        return sweep_section(r.folder, r.name);
      case ResultKind::curve:
        return curve_section(r.folder, r.name, block);
      case ResultKind::fit:
      case ResultKind::run:
        break;
    }
    return fit_section(r.folder, r.name, block);
  }

  static std::string note(const std::string& folder, const RunSection& run) {
    const std::string name = printable(folder);
    std::string text = run.kept == run.records ? fmt::format("{}: all {} records", name, run.records)
                                               : fmt::format("{}: {} of {} records", name, run.kept, run.records);
    if (run.deviation > 0) text += fmt::format(", curves within {:.2g} % of their ranges", 100 * run.deviation);
    if (run.json["scene"].is_null()) text += "; no animation: " + run.json["scene_missing"].get<std::string>();
    return text;
  }

  /// Patterns that match no channel of any run.
  void check_patterns() const {
    std::vector<Diagnostic> findings;
    for (const std::string& pattern : request_.channels) {
      if (matched_.contains(pattern)) continue;
      const std::string near = nearest_name(pattern, names_);
      findings.push_back(
          {{},
           "--channels",
           "no run recorded a channel '" + pattern + "'",
           names_.empty() ? "no channels: there is no run" : "a channel such as " + names_.front() + ", or a pattern such as *.pressure",
           near.empty() ? "" : "did you mean '" + near + "'?"});
    }
    if (!findings.empty()) throw InputError(std::move(findings));
  }

  static std::string title(const ReportJson& sections) {
    for (const ReportJson& section : sections)
      if (const auto text = section.find("title"); text != section.end() && text->is_string() && *text != "") return *text;
    return sections.front().value("name", "report");
  }

  const ReportRequest& request_;
  std::vector<Result> results_;
  RunShare share_;
  Report report_;
  std::vector<std::string> names_;  // channels of all runs
  std::set<std::string> matched_;
};

}  // namespace

Report make_report(const ReportRequest& request) { return PageBuilder(request).build(); }

std::string report_page(const Report& report, std::string_view viewer) {
  const std::size_t place = viewer.find(kPlace);
  if (place == std::string_view::npos) throw Error("the viewer has no placeholder for data: " + std::string(kPlace) + " is missing in it");
  std::string page(viewer.substr(0, place));
  page += "<script type=\"application/json\" id=\"trunnion-data\">" + report.data + "</script>\n";
  for (std::size_t i = 0; i < report.blocks.size(); ++i)
    page += "<script type=\"application/octet-stream\" id=\"trunnion-block-" + std::to_string(i) + "\">" + report.blocks[i] + "</script>\n";
  page += viewer.substr(place + kPlace.size());
  return page;
}

void write_report(const std::string& page, const std::string& file) {
  if (fs::exists(file) && (fs::is_directory(file) || file_text(file, "file").find(kMark) == std::string::npos))
    throw InputError(
        {{{file, 0, 0}, "", "it already exists and is not a report", "a new file, or a report to replace", "choose another name with -o"}});
  if (const std::string folder = fs::path(file).parent_path().string(); !folder.empty()) make_folder(folder);
  write_text(page, file);
}

}  // namespace trunnion
