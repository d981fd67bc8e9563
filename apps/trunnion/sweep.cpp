// trunnion sweep: many runs with other values, their key figures in one file.
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <thread>

#include "commands.h"
#include "studies/sweep.h"

namespace trunnion::cli {

namespace {

struct SweepOptions {
  ModelOptions model;
  SweepRequest request;
  std::string folder, keep = "kpi";
  int threads = 0;
  bool overwrite = false, quiet = false;
};

std::string duration_text(double seconds) {
  const long s = std::lround(seconds);
  char text[64];
  if (s >= 3600)
    std::snprintf(text, sizeof text, "%ld h %ld min", s / 3600, s / 60 % 60);
  else if (s >= 60)
    std::snprintf(text, sizeof text, "%ld min %ld s", s / 60, s % 60);
  else
    std::snprintf(text, sizeof text, "%ld s", s);
  return text;
}

/// A line on a terminal, about ten times a second: a bar, counts, the time left by the mean of the runs so far.
auto sweep_progress() {
  using Clock = std::chrono::steady_clock;
  return [begin = Clock::now(), drawn = Clock::now()](std::size_t done, std::size_t earlier, std::size_t all) mutable {
    constexpr auto kBetweenDrawings = std::chrono::milliseconds(100);
    constexpr std::size_t kBar = 30;
    const auto now = Clock::now();
    if (now - drawn < kBetweenDrawings && done < all) return;
    drawn = now;
    const double passed = std::chrono::duration<double>(now - begin).count();
    const double each = passed / static_cast<double>(std::max<std::size_t>(done - earlier, 1));
    const std::size_t filled = kBar * done / std::max<std::size_t>(all, 1);
    std::fprintf(stderr, "\r\033[K[%s%s] %zu/%zu runs, %s left", std::string(filled, '#').c_str(), std::string(kBar - filled, '.').c_str(),
                 done, all, duration_text(each * static_cast<double>(all - done)).c_str());
    std::fflush(stderr);
  };
}

int sweep(SweepOptions options) {
  SweepRequest& request = options.request;
  request.model_file = options.model.file;
  request.overrides = options.model.overrides();
  request.keep = options.keep == "kpi" ? SweepKeep::kpi : options.keep == "channels" ? SweepKeep::channels : SweepKeep::all;
  const std::string folder = options.folder.empty() ? options.model.stem() + "_sweep" : options.folder;
  std::optional<MpiRanks> ranks;
  if (is_rank_of_many()) ranks.emplace();
  // ranks share the processors of a machine
  const int all = ranks ? 1 : static_cast<int>(std::max(1U, std::thread::hardware_concurrency())),
            threads = options.threads > 0 ? options.threads : all;
  SweepHooks hooks;
  const std::atomic<int>& signal = catch_signals();
  hooks.stop = &signal;
  if (ranks && ranks->rank() > 0) {
    sweep_for_rank_0(request, folder, threads, hooks, *ranks);
    return signal != 0 ? 128 + signal : kDone;
  }
  if (!options.quiet && isatty(STDERR_FILENO) != 0) hooks.progress = sweep_progress();
  const SweepOutcome outcome = sweep_to_folder(request, folder, threads, options.overwrite, hooks, ranks ? &*ranks : nullptr);
  clear_progress(options.quiet);
  if (outcome.done < outcome.runs) {
    std::fprintf(stderr, "interrupted after %zu of %zu runs; the same command goes on with the others\n", outcome.done, outcome.runs);
    return 128 + signal;
  }
  if (outcome.lost > 0) std::fprintf(stderr, "%d of %d ranks were lost; their runs were done by others\n", outcome.lost, ranks->size());
  if (outcome.there && !options.quiet)
    std::printf("%s already holds this sweep of %zu runs; --overwrite repeats it\n", folder.c_str(), outcome.runs);
  if (!outcome.there && !options.quiet) {
    std::fputs(outcome.text.c_str(), stdout);
    if (outcome.earlier > 0) std::printf("%zu of the runs are those of an earlier command\n", outcome.earlier);
    std::printf("files: %s/sweep.h5, sweep.csv, sweep.json, a picture per key figure; time %s\n", folder.c_str(),
                duration_text(seconds_since_start()).c_str());
  }
  if (!outcome.missing.empty()) std::fprintf(stderr, "pictures are missing: %s\n", outcome.missing.c_str());
  if (outcome.completed == 0) std::fprintf(stderr, "no run has completed; see the column `message` of %s/sweep.csv\n", folder.c_str());
  return outcome.completed > 0 ? kDone : kFailed;
}

}  // namespace

void add_sweep(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("sweep", "many runs with other values on several threads: key figures of each, resumable, in one file");
  auto options = std::make_shared<SweepOptions>();
  options->model.add_to(*command);
  const auto repeated = [&](const char* name, auto& values, const char* help, const char* type) {
    command->add_option(name, values, help)->type_name(type)->expected(1)->take_all();
  };
  repeated("--vary", options->request.vary,
           "values to try: path=v1,v2,..., path=a:b:step, with --sample path=a:b; `*` in the path: every name; may be repeated for all "
           "combinations",
           "PATH=VALUES");
  command->add_option("--pairs", options->request.pairs, "values of the runs: a CSV file with a column per path and a row per run")
      ->type_name("FILE.csv");
  command->add_option("--sample", options->request.sample, "N random points of the ranges a:b, a Latin hypercube")->type_name("lhs:N,SEED");
  repeated(
      "--kpi", options->request.kpis,
      "key figure: name=expression of max, min, mean, rms, range, initial, final, integral, at(course, time) of channels; may be repeated",
      "NAME=EXPRESSION");
  command->add_option("--keep", options->keep, "kept of every run: kpi; channels, those of record.channels; all channels [kpi]")
      ->check(CLI::IsMember({"kpi", "channels", "all"}));
  add_start(*command, options->request.start, "start every run there");
  command->add_option("--threads", options->threads, "runs at once; results do not depend on it [all cores]")->check(positive_count());
  command->add_option("-o,--output,--out", options->folder, "folder for the results [MODEL_sweep]")->type_name("DIR");
  command->add_flag("--overwrite", options->overwrite,
                    "replace another sweep, or a finished one, in the folder; an interrupted one goes on");
  command->add_flag("-q,--quiet", options->quiet, "print errors only");
  command->callback([options, &action] { action = [options] { return sweep(*options); }; });
}

}  // namespace trunnion::cli
