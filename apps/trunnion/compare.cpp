// trunnion compare: one run per combination of varied values.
// SPDX-License-Identifier: BSD-3-Clause
#include <cctype>
#include <cstdio>
#include <optional>
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
  std::string folder, reference, pairs;
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

/// A combination and its model.
struct Combination {
  std::vector<std::string> values;
  std::shared_ptr<const CompiledModel> model;  // null: there is none
  std::string why;                             // there is none
};

/// All models, read before the first run, so that invalid input is reported at once. Throws InputError if there is none at all, as where a
/// path is misspelt.
std::vector<Combination> read_combinations(const CompareOptions& options, const VariedRows& varied, const Comparison& table) {
  std::vector<Combination> all;
  std::optional<InputError> first;
  bool possible = false;
  for (const auto& values : varied.rows) {
    Combination& c = all.emplace_back(Combination{values, nullptr, ""});
    std::vector<Override> overrides;
    for (std::size_t i = 0; i < values.size(); ++i) overrides.push_back({varied.paths[i], values[i]});
    try {
      c.model = options.model.load(overrides);
    } catch (const InputError& error) {
      const InputError found = of_varied(error, varied.paths, options.pairs);
      c.why = found.what();
      if (!first) first = found;
      continue;
    }
    possible = true;
    Recorder recorder(c.model);
    check_channels(table, recorder);
  }
  if (!possible && first) throw InputError(*first);
  return all;
}

VariedRows varied(const CompareOptions& options) {
  std::vector<VariedPath> lists;
  for (const std::string& text : options.vary) lists.push_back(split_vary(text));
  VariedRows rows = varied_rows(options.pairs, lists);
  if (rows.paths.empty())
    throw InputError({Diagnostic{{"--vary", 0, 0}, "", "nothing is varied", "--vary PATH=V1,V2,..., or --pairs FILE.csv", ""}});
  return rows;
}

int compare(const CompareOptions& options) {
  const VariedRows all = varied(options);
  const std::string folder = options.folder.empty() ? options.model.stem() + "_comparison" : options.folder;
  Comparison table = make_comparison(all.paths, options.final_channels, options.differences);
  if (!options.reference.empty()) table.reference = read_reference(options.reference, options.model.stem(), all.paths);
  const std::vector<Combination> rows = read_combinations(options, all, table);
  const ResultFolder lock(folder);
  const std::atomic<int>& signal = catch_signals();
  bool failed = false;
  std::set<std::string> taken;
  std::vector<History> histories;
  for (std::size_t i = 0; i < rows.size() && signal == 0; ++i) {
    const std::shared_ptr<const CompiledModel>& model = rows[i].model;
    const std::string own_folder = folder_name(rows[i].values, taken);
    if (!model) {
      add_impossible(table, rows[i].values, rows[i].why);
      continue;
    }
    const auto start = std::chrono::steady_clock::now();
    const std::string label = std::to_string(i + 1) + "/" + std::to_string(rows.size()) + " ";
    const SolverDescription& solver = model->description.solver;
    histories.emplace_back(own_folder, grid_step(model->description));
    CaseFiles files(model, options.model.file, folder + "/" + histories.back().label(), start);
    const CaseResult result = run_case(model, terminal_progress(solver.duration, options.quiet, label), StartKind::given, &histories.back(),
                                       false, &signal, &files);
    files.finish(result);
    add_row(table, rows[i].values, result);
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
    std::fprintf(stderr, "interrupted after %zu of %zu runs\n", histories.size(), rows.size() - impossible_rows(table));
    return 128 + signal;
  }
  if (const std::size_t impossible = impossible_rows(table); impossible > 0 && !options.quiet)
    std::fprintf(stderr, "%zu of %zu combinations are impossible and left out; see the column `status` of %s/compare.csv\n", impossible,
                 rows.size(), folder.c_str());
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
      ->take_all();
  command->add_option("--pairs", options->pairs, "values of the runs: a CSV file with a column per path and a row per run")
      ->type_name("FILE.csv");
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
