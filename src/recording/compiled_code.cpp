// Code that was generated for a model, compiled and loaded.
// The code is made once per model and program, and kept in a private folder, $XDG_CACHE_HOME/trunnion or ~/.cache/trunnion, as KEY.c,
// KEY.so and KEY.model, the text of which KEY is a hash: the compact form of the model, the program, the compiler, and in a last line a hash
// of KEY.so. It is loaded only if that text and that hash are the same, and folder and files belong to the user alone.
// SPDX-License-Identifier: BSD-3-Clause
#include "recording/compiled_code.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "external/process.h"
#include "machine/start.h"
#include "recording/c_source.h"
#include "recording/generated_files.h"
#include "recording/record_run.h"
#include "recording/recorded_machine.h"
#include "results/files.h"
#include "run/step_loop.h"
#include "schema/compact.h"
#include "schema/parameters.h"
#include "solve/lane_step.h"
#include "trunnion/version.h"

namespace trunnion {

namespace {

using recording::RecordedMachine;
namespace fs = std::filesystem;

constexpr RecordedPart kRecorded{.most_steps = 20'000, .most_operations = 3e7, .other_ways = false};
constexpr RecordedPart kRecordedOfLanes{.most_steps = 20'000, .most_operations = 3e7};  // other machines take other ways
constexpr std::size_t kMostUnvisited = 10'000;                                          // operations in the code; besides kMostOperations
constexpr double kSecondsToMake = 20;  // [s] about; `auto` makes it for runs that take longer
// straight-line code: results that do not depend on the compiler's choices
constexpr const char* kFlags[] = {"-std=c99", "-O1", "-march=native", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-fPIC",
                                  "-shared",  "-s",  "-Wno-psabi"};

// ---------------------------------------------------------------- the cache

/// What the code depends on besides the model: the file that contains this function, and the compiler.
std::string maker(const std::string& compiler) {
  std::string text = fmt::format("trunnion {}\n{}", kVersion, compiler);
  for (const char* flag : kFlags) text += std::string(" ") + flag;
  Dl_info here{};
  struct stat file {};
  if (dladdr(reinterpret_cast<void*>(&code_of), &here) != 0 && stat(here.dli_fname, &file) == 0)
    text += fmt::format("\n{} bytes of {}.{:09}", file.st_size, file.st_mtim.tv_sec, file.st_mtim.tv_nsec);
  return text;
}

/// FNV-1a with two starts.
std::string hash(const std::string& text) {
  std::array<std::uint64_t, 2> sum{14695981039346656037ULL, 1469598103934665603ULL};
  for (std::uint64_t& h : sum)
    for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return fmt::format("{:016x}{:016x}", sum[0], sum[1]);
}

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string cache_folder() {
  const auto variable = [](const char* name) -> std::string {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  if (const std::string cache = variable("XDG_CACHE_HOME"); fs::path(cache).is_absolute()) return cache + "/trunnion";
  if (const std::string home = variable("HOME"); fs::path(home).is_absolute()) return home + "/.cache/trunnion";
  throw Error("there is no cache folder: neither XDG_CACHE_HOME nor HOME is an absolute path");
}

/// Throws Error unless only the user can write there.
void check_private(const std::string& path, mode_t kind) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) throw Error(fmt::format("{}: {}", path, std::strerror(errno)));
  if ((info.st_mode & S_IFMT) != kind || info.st_uid != geteuid() || (info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    throw Error(fmt::format("{} is not a {} that only its user can write to", path, kind == S_IFDIR ? "folder" : "file"));
}

void make_private(const std::string& folder) {
  std::error_code ignored;
  fs::create_directories(fs::path(folder).parent_path(), ignored);
  if (mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST) throw Error(fmt::format("{}: {}", folder, std::strerror(errno)));
  check_private(folder, S_IFDIR);
}

/// KEY.model, with the library that its code was compiled to; it may be damaged since.
std::string text_with_library(const std::string& text, const std::string& library) {
  return fmt::format("{}\nlibrary {:x}\n", text, std::hash<std::string>()(content(library)));
}

/// Removes what compilations of others left that were killed.
void remove_left_files(const std::string& folder) {
  constexpr auto kLongest = std::chrono::hours(1);  // of a compilation
  std::error_code ignored;
  for (fs::directory_iterator file(folder, ignored), end; file != end && !ignored; file.increment(ignored)) {
    std::error_code gone;  // in the meantime
    if (file->path().stem().has_extension() && fs::file_time_type::clock::now() - file->last_write_time(gone) > kLongest)
      fs::remove(file->path(), gone);
  }
}

/// The files of a compilation, KEY.PROCESS and endings; those that are left at its end are removed.
struct FilesOfCompilation {
  std::string path;
  static constexpr const char* kEndings[] = {".c", ".so", ".model"};
  ~FilesOfCompilation() {
    std::error_code ignored;
    for (const char* ending : kEndings) fs::remove(path + ending, ignored);
  }
};

// ---------------------------------------------------------------- the code

std::string list_of(const std::vector<recording::Input>& inputs) {
  std::string text;
  for (const recording::Input& input : inputs) text += fmt::format("{}, {}, ", input.index, input.derivative);
  return text + "0";
}

/// The parameters of the code, in their order in the model.
std::vector<std::string> parameters_of_code(const CompiledModel& model) {
  std::vector<std::string> paths;
  const std::vector<std::string>& patterns = model.description.solver.compiled_parameters;
  if (patterns.empty()) return paths;
  Description description = model.description;
  for (const Parameter& parameter : parameters_of(description))
    if (std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) { return fits_path(pattern, parameter.path); }))
      paths.push_back(parameter.path);
  return paths;
}

/// The source: the function, and what its caller has to know.
std::string source_of(const RecordedSteps& run, CodeKind kind) {
  const bool lanes = kind == CodeKind::lanes;
  const recording::CFunction step = recording::c_function(run.step, "step",
                                                          {.converged = RecordedMachine::converged(),
                                                           .numbers = run.start.values().size(),
                                                           .others = true,
                                                           .signals = run.inputs,
                                                           .most_operations = kMostOperations,
                                                           .most_unvisited = kMostUnvisited,
                                                           .lanes = lanes});
  constexpr const char* kStep =
      "int trunnion_step(double *x, double t, double h, const double *s, const double *e, const double *k, double *r)\n"
      "{\n  return step(x, t, h, s, e, 0, k, r);\n}\n";
  constexpr const char* kStepOfLanes =
      R"(unsigned trunnion_step_of_lanes(double *x, const double *t, double h, const double *s, const double *e,
                                const double *k, double *r, unsigned lanes)
{
  unsigned without = 0;
  for (int part = 0; part < LANES_IN_ARRAYS / LANES; ++part) {
    lanes_mask mask;
    for (int i = 0; i < LANES; ++i) mask[i] = lanes >> (part * LANES + i) & 1 ? -1 : 0;
    if (!lanes_bits(mask)) continue;
    mask = step((lanes_number *)x + part, ((const lanes_number *)t)[part], lanes_all(h), (const lanes_number *)s + part,
                (const lanes_number *)e + part, 0, (const lanes_number *)k + part, (lanes_number *)r + part, mask);
    without |= (unsigned)lanes_bits(mask) << part * LANES;
  }
  return without;
}
)";
  const std::string declarations =
      lanes ? fmt::format("#define LANES_IN_ARRAYS {}\n{}", kLaneCount, recording::lanes_declarations()) : "#include <math.h>\n";
  return fmt::format(
      "{}\n{}{}\nint trunnion_prepare(const double *p, double *k)\n{{\n  {}\n}}\n\n{}\n"
      "/* signals at the start and at the end, of which derivative; ways, operations, numbers prepared */\n"
      "const int trunnion_counts[] = {{{}, {}, {}, {}, {}}};\nconst int trunnion_start[] = {{{}}}, trunnion_end[] = {{{}}};\n",
      declarations, step.text, step.preparation, step.preparation.empty() ? "(void)p, (void)k;\n  return 0;" : "return prepare_step(p, k);",
      lanes ? kStepOfLanes : kStep, run.inputs[0].size(), run.inputs[1].size(), step.ways, step.operations, step.prepared,
      list_of(run.inputs[0]), list_of(run.inputs[1]));
}

void* symbol(void* library, const char* name) {
  void* const address = dlsym(library, name);
  if (address == nullptr) throw Error(dlerror());
  return address;
}

/// Throws Error.
void load(const std::string& path, CodeKind kind, CompiledCode& code) {
  check_private(path, S_IFREG);
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);  // stays loaded
  if (library == nullptr) throw Error(dlerror());
  const auto* const counts = static_cast<const int*>(symbol(library, "trunnion_counts"));
  for (const std::size_t side : {0, 1}) {
    const auto* const list = static_cast<const int*>(symbol(library, side == 0 ? "trunnion_start" : "trunnion_end"));
    for (int i = 0; i < counts[side]; ++i) code.signals[side].push_back({list[2 * i], list[2 * i + 1]});
  }
  if (kind == CodeKind::lanes)
    code.step_of_lanes = reinterpret_cast<CompiledCode::StepOfLanes>(symbol(library, "trunnion_step_of_lanes"));
  else
    code.step = reinterpret_cast<CompiledCode::Step>(symbol(library, "trunnion_step"));
  code.prepare = reinterpret_cast<CompiledCode::Preparation>(symbol(library, "trunnion_prepare"));
  code.prepared = static_cast<std::size_t>(counts[4]);
  code.remark = fmt::format("{}: {} ways, {} operations", kind == CodeKind::lanes ? "lanes" : "compiled step", counts[2], counts[3]);
}

/// Compiles `source` as path.so.
void compile_code(const std::string& compiler, const std::string& folder, const std::string& key, const std::string& source,
                  const std::string& text) {
  const std::string mine = fmt::format("{}.{}", key, getpid()), path = folder + "/" + mine;
  remove_left_files(folder);
  const FilesOfCompilation files{path};
  write_text(source, path + ".c");
  std::vector<std::string> words{compiler};
  for (const char* flag : kFlags) words.emplace_back(flag);
  for (const std::string& word : {std::string("-o"), mine + ".so", mine + ".c", std::string("-lm")}) words.push_back(word);
  const ProcessResult result = run_process(folder, words);
  if (result.code == -1) throw Error(fmt::format("the compiler `{}` cannot be started: {}", compiler, std::strerror(result.error)));
  if (result.code != 0) {
    const std::string first = result.text.substr(0, result.text.find('\n'));
    throw Error(fmt::format("the compiler `{}` ended with {}: {}", compiler, result.code, first));
  }
  chmod((path + ".so").c_str(), S_IRWXU);
  write_text(text_with_library(text, path + ".so"), path + ".model");
  for (const char* ending : FilesOfCompilation::kEndings) fs::rename(path + ending, folder + "/" + key + ending);
}

/// [s] that the run takes by general steps, from its first ones.
double estimated_seconds(const std::shared_ptr<const CompiledModel>& model) {
  constexpr int kSteps = 100;
  const double duration = model->description.solver.duration;
  StepLoop loop(by_general_steps(model), start_state(*model));
  const auto start = std::chrono::steady_clock::now();
  int steps = 0;
  while (steps < kSteps && !loop.schedule().reached(loop.state().time, duration)) {
    if (loop.restart_due() && !loop.restart()) break;
    if (!loop.step(duration, nullptr).ok()) break;
    ++steps;
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return steps == 0 ? 0 : seconds / steps * std::ceil(duration / grid_step(model->description));
}

}  // namespace

std::shared_ptr<const CompiledModel> model_of_code(const std::shared_ptr<const CompiledModel>& model) {
  if (model->like == nullptr || model->like->description.solver.compiled_parameters.empty()) return model;
  const std::vector<std::string>& patterns = model->like->description.solver.compiled_parameters;
  Description mine = model->description, other = model->like->description;
  const std::vector<Parameter> values = parameters_of(mine), others = parameters_of(other);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i < others.size() && values[i].path == others[i].path && *values[i].value == *others[i].value) continue;
    if (std::none_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) { return fits_path(pattern, values[i].path); }))
      return model;
  }
  return model->like;
}

CompiledCode code_of(const std::shared_ptr<const CompiledModel>& model, CodeKind kind) {
  CompiledCode code;
  try {
    code.parameters = parameters_of_code(*model);
    const char* const cc = std::getenv("CC");
    const std::string compiler = cc == nullptr || *cc == 0 ? "cc" : cc, folder = cache_folder();
    Description description = model->description;
    description.solver.compiled = CompiledKind::off;
    const std::string text = maker(compiler) + (kind == CodeKind::lanes ? "\nlanes\n" : "\n") + compact_text(description), key = hash(text),
                      path = folder + "/" + key;
    make_private(folder);
    if (fs::exists(path + ".so") && fs::exists(path + ".model") && content(path + ".model") == text_with_library(text, path + ".so")) {
      load(path + ".so", kind, code);
      return code;
    }
    if (kind == CodeKind::step && model->description.solver.compiled == CompiledKind::automatic) {
      const double seconds = estimated_seconds(model);
      if (seconds < kSecondsToMake) {
        code.remark = "general step: the run takes less time than making a compiled step (`solver.compiled: on` makes it)";
        return code;
      }
    }
    const std::unique_ptr<RecordedSteps> run =
        record_run(model, kind == CodeKind::lanes ? kRecordedOfLanes : kRecorded, {code.parameters, {}});
    compile_code(compiler, folder, key, source_of(*run, kind), text);
    load(path + ".so", kind, code);
  } catch (const std::exception& e) {
    code.step = nullptr;
    code.step_of_lanes = nullptr;
    code.remark = fmt::format("{}: {}", kind == CodeKind::lanes ? "no lanes" : "general step, as there is no compiled one", e.what());
  }
  return code;
}

bool CompiledCode::prepare_for(const CompiledModel& model, std::vector<double>& numbers) const {
  std::vector<double> values;
  if (!parameters.empty()) values = values_of(model.description, parameters);
  numbers.resize(prepared);
  return prepare(values.data(), numbers.data()) == 0;
}

}  // namespace trunnion
