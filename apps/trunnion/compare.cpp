// trunnion compare: one run per combination of varied values.
// SPDX-License-Identifier: BSD-3-Clause
#include <cctype>
#include <cstdio>
#include <set>

#include "commands.h"
#include "results/files.h"
#include "studies/comparison.h"
#include "studies/history.h"

namespace trunnion::cli {

namespace {

struct CompareOptions {
  ModelOptions model;
  std::vector<std::string> vary, final_channels, differences;
  std::string folder, reference;
  bool quiet = false;
};

/// A folder name for a combination, unique among `taken`.
std::string folder_name(const std::vector<std::string>& values, std::set<std::string>& taken) {
  std::string name;
  for (const std::string& value : values) {
    if (!name.empty()) name += "_";
    for (char c : value) name += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '+' || c == '_' ? c : '-';
  }
  std::string unique = name;
  for (int i = 2; !taken.insert(unique).second; ++i) unique = name + "_" + std::to_string(i);
  return unique;
}

int compare(const CompareOptions& options) {
  std::vector<VariedPath> variations;
  std::vector<std::string> paths;
  for (const std::string& text : options.vary) {
    variations.push_back(split_vary(text));
    paths.push_back(variations.back().first);
  }
  const std::string folder = options.folder.empty() ? options.model.stem() + "_comparison" : options.folder;
  Comparison table = make_comparison(paths, options.final_channels, options.differences);
  if (!options.reference.empty()) table.reference = read_reference(options.reference, options.model.stem(), paths);
  // all models are read before the first run, so that invalid input is reported at once
  const auto rows = combinations(variations);
  std::vector<std::shared_ptr<const CompiledModel>> models;
  for (const auto& values : rows) {
    std::vector<Override> overrides;
    for (std::size_t i = 0; i < paths.size(); ++i) overrides.push_back({paths[i], values[i]});
    models.push_back(options.model.load(overrides));
    Recorder recorder(models.back());
    check_channels(table, recorder);
  }
  const ResultFolder lock(folder);
  const std::atomic<int>& signal = catch_signals();
  bool failed = false;
  std::set<std::string> taken;
  std::vector<History> histories;
  for (std::size_t i = 0; i < rows.size() && signal == 0; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const std::string label = std::to_string(i + 1) + "/" + std::to_string(rows.size()) + " ";
    const SolverDescription& solver = models[i]->description.solver;
    histories.emplace_back(folder_name(rows[i], taken), grid_step(models[i]->description));
    CaseFiles files(models[i], options.model.file, folder + "/" + histories.back().label(), start);
    const CaseResult result = run_case(models[i], terminal_progress(solver.duration, options.quiet, label), StartKind::given,
                                       &histories.back(), false, &signal, &files);
    files.finish(result);
    add_row(table, rows[i], result);
    failed = failed || result.failure;
  }
  clear_progress(options.quiet);
  write_text(comparison_csv(table), folder + "/compare.csv");
  write_text(comparison_json(table), folder + "/compare.json");
  write_text(history_csv(histories), folder + "/history.csv");
  write_text(comparison_times_csv(table), folder + "/compare_times.csv");
  write_text(history_times_csv(histories), folder + "/history_times.csv");
  if (!options.quiet) {
    std::fputs(comparison_table(table).c_str(), stdout);
    std::printf(
        "files: %s/compare.csv, compare.json, history.csv, computing times in compare_times.csv and history_times.csv, and the results of "
        "each run in its own folder\n",
        folder.c_str());
  }
  if (signal != 0) {
    std::fflush(stdout);
    std::fprintf(stderr, "interrupted after %zu of %zu runs\n", histories.size(), rows.size());
    return 128 + signal;
  }
  if (failed) std::fprintf(stderr, "at least one simulation failed; see the column `status` of %s/compare.csv\n", folder.c_str());
  return failed ? kFailed : kDone;
}

}  // namespace

void add_compare(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("compare", "simulate every combination of varied values and tabulate them");
  auto options = std::make_shared<CompareOptions>();
  options->model.add_to(*command);
  command->add_option("--vary", options->vary, "values to try, path=v1,v2,...; may be repeated for all combinations")
      ->type_name("PATH=V1,V2,...")
      ->expected(1)
      ->take_all()
      ->required();
  command->add_option("--final", options->final_channels, "show the final value of a channel; may be repeated")
      ->type_name("CHANNEL")
      ->expected(1)
      ->take_all();
  command->add_option("--difference", options->differences, "show the maximum difference of a channel from the first run; may be repeated")
      ->type_name("CHANNEL")
      ->expected(1)
      ->take_all();
  command
      ->add_option("--reference", options->reference,
                   "reference values to print: a CSV with columns named as the varied paths, `model`, and as in compare.csv")
      ->type_name("FILE.csv");
  command->add_option("-o,--output", options->folder, "folder for the results [MODEL_comparison]")->type_name("DIR");
  command->add_flag("-q,--quiet", options->quiet, "print errors only");
  command->callback([options, &action] { action = [options] { return compare(*options); }; });
}

}  // namespace trunnion::cli
