// trunnion: simulate hydraulically actuated multibody machines from the command line.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "base/diagnostic.h"
#include "base/text.h"
#include "commands.h"
#include "results/files.h"
#include "trunnion/version.h"

namespace trunnion::cli {

namespace {

const std::chrono::steady_clock::time_point kStart = std::chrono::steady_clock::now();

std::atomic<int> caught_signal = 0;
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler sets it");

void take_signal(int signal) { caught_signal = signal; }

}  // namespace

std::chrono::steady_clock::time_point program_start() { return kStart; }

double seconds_since_start() { return std::chrono::duration<double>(std::chrono::steady_clock::now() - kStart).count(); }

const std::atomic<int>& catch_signals() {
  struct sigaction action {};
  action.sa_handler = take_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction present {};
    if (sigaction(signal, nullptr, &present) == 0 && present.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);  // as with nohup
  }
  return caught_signal;
}

void add_start(CLI::App& command, StartKind& start, const std::string& then) {
  const auto add = [&](const char* name, StartKind kind, const char* what) {
    return command.add_flag_callback(
        name, [&start, kind] { start = kind; }, fmt::format("{}: {}", what, then));
  };
  CLI::Option* rest = add("--equilibrium", StartKind::equilibrium, "solve for static equilibrium first");
  add("--steady", StartKind::steady, "solve for steady operation first (pumps run, oil flows)")->excludes(rest);
}

namespace {

/// A finite number of type T with `holds(value)`; `expected`: in words.
template <class T, class Holds>
CLI::Validator expected_number(const char* name, const char* expected, Holds holds) {
  return CLI::Validator(
      [expected, holds](const std::string& text) {
        T value = 0;
        const bool good = CLI::detail::lexical_cast(text, value) && std::isfinite(value) && holds(value);
        return good ? std::string() : fmt::format("found `{}`, expected {}", printable(text), expected);
      },
      "", name);
}

}  // namespace

CLI::Validator finite() {
  return expected_number<double>("finite", "a finite number", [](double) { return true; });
}

CLI::Validator positive() {
  return expected_number<double>("positive", "a number above 0", [](double value) { return value > 0; });
}

CLI::Validator not_negative() {
  return expected_number<double>("not_negative", "a number of at least 0", [](double value) { return value >= 0; });
}

CLI::Validator positive_count() {
  return expected_number<int>("positive_count", "a whole number above 0", [](int value) { return value > 0; });
}

CLI::Validator not_negative_count() {
  return expected_number<int>("not_negative_count", "a whole number of at least 0", [](int value) { return value >= 0; });
}

void ModelOptions::add_to(CLI::App& command) {
  command.add_option("MODEL", file, "model file")->required();
  command
      .add_option("--set", set,
                  "set a value of the model, path=value, or limits.NAME=NUMBER of its reader; `*` in the path: every name; may be repeated")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->take_all();
}

std::vector<Override> ModelOptions::overrides() const {
  std::vector<Override> list;
  for (const std::string& text : set) list.push_back(parse_override(text));
  return list;
}

Description ModelOptions::read(const std::vector<Override>& more) const {
  std::vector<Override> all = overrides();
  all.insert(all.end(), more.begin(), more.end());
  return load_model(file, all);
}

std::shared_ptr<const CompiledModel> ModelOptions::load(const std::vector<Override>& more) const {
  std::shared_ptr<const CompiledModel> model = compile(read(more));
  check_recorded_channels(model);
  return model;
}

std::string ModelOptions::stem() const { return std::filesystem::path(file).stem().string(); }

Progress terminal_progress(double duration, bool quiet, const std::string& label) {
  if (quiet || isatty(STDERR_FILENO) == 0) return {};
  return [duration, label](double time) {
    std::fprintf(stderr, "\r\033[K%s%3.0f %%  t = %.4g s", label.c_str(), 100 * time / duration, time);
  };
}

void clear_progress(bool quiet) {
  if (!quiet && isatty(STDERR_FILENO) != 0) std::fputs("\r\033[K", stderr);
}

}  // namespace trunnion::cli

namespace {

/// Whether an argument has a control character: it would be printed. (Names of files from an archive may have such.)
bool refuse_control_characters(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (trunnion::find_control_character(argv[i]) == std::string_view::npos) continue;
    std::fprintf(stderr, "error: the argument `%s` contains a control character\n", trunnion::abridged(argv[i], 200).c_str());
    return true;
  }
  return false;
}

/// Whether the first argument is not the name of a command.
bool refuse_unknown_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return false;
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) known.push_back(command->get_name());
  const std::string name(argv[1]), near = trunnion::nearest_name(name, known);
  if (std::find(known.begin(), known.end(), name) != known.end()) return false;
  std::fprintf(stderr, "error: there is no command `%s`; %s\n", trunnion::abridged(name, 200).c_str(),
               near.empty() ? "`trunnion --help` lists them" : ("did you mean `" + near + "`?").c_str());
  return true;
}

int run_program(int argc, char** argv) {
  using namespace trunnion;
  if (refuse_control_characters(argc, argv)) return cli::kWrongInput;
  CLI::App app("Simulates hydraulically actuated multibody machines from a model file.", "trunnion");
  app.set_version_flag("--version", std::string("trunnion ") + kVersion);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 success, 1 the simulation failed (results until then are saved) or a file could not be written, 2 invalid input,\n130 "
      "and 143 "
      "the run was interrupted (results until then are saved).\nThe model file is described by `trunnion reference`.");
  cli::Action action;
  cli::add_run(app, action);
  cli::add_check(app, action);
  cli::add_equilibrium(app, action);
  cli::add_steady(app, action);
  cli::add_linearize(app, action);
  cli::add_compare(app, action);
  cli::add_sweep(app, action);
  cli::add_friction(app, action);
  cli::add_curve(app, action);
  cli::add_fit(app, action);
  cli::add_sensitivity(app, action);
  cli::add_generate(app, action);
  cli::add_study(app, action);
  cli::add_report(app, action);
  cli::add_import(app, action);
  cli::add_plot(app, action);
  cli::add_new(app, action);
  cli::add_explain(app, action);
  cli::add_reference(app, action);
  if (refuse_unknown_command(app, argc, argv)) return cli::kWrongInput;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) { return app.exit(error) == 0 ? cli::kDone : cli::kWrongInput; }
  try {
    return action();
  } catch (const SimulationError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return cli::kFailed;
  } catch (const InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return cli::kWrongInput;
  } catch (const FileError& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return cli::kFailed;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "error: out of memory\n");
    return cli::kFailed;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return cli::kWrongInput;
  }
}

/// Whether all output was written.
bool output_arrived() {
  std::cout.flush();
  return std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
}

}  // namespace

int main(int argc, char** argv) {
  // files that grow too large and closed pipes are write errors, which are reported
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  const int code = run_program(argc, argv);
  if (output_arrived()) return code;
  std::fprintf(stderr, "error: the output could not be written: %s\n", std::strerror(errno));
  return code == trunnion::cli::kDone ? trunnion::cli::kFailed : code;
}
