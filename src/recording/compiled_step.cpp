// Steps by code that was generated for the model, compiled and loaded.
// The code is made once per model and program, and kept in a private folder, $XDG_CACHE_HOME/trunnion or ~/.cache/trunnion, as KEY.c, KEY.so and
// KEY.model, the text of which KEY is a hash: the compact form of the model, the program, the compiler. It is loaded only if that text is the
// same, and folder and files belong to the user alone.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/compiled_step.h"

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
#include <limits>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "external/process.h"
#include "machine/start.h"
#include "recording/c_source.h"
#include "recording/record_run.h"
#include "recording/recorded_machine.h"
#include "results/files.h"
#include "run/step_loop.h"
#include "schema/compact.h"
#include "schema/parameters.h"
#include "trunnion/version.h"

namespace trunnion {

namespace {

using recording::RecordedMachine;
namespace fs = std::filesystem;

constexpr RecordedPart kRecorded{.most_steps = 20'000, .most_operations = 3e7, .other_ways = false};
constexpr std::size_t kMostOperations = 80'000;  // in the code
constexpr double kSecondsToMake = 20;            // [s] about; `auto` makes it for runs that take longer
constexpr double kSame = 1e-9;                   // largest relative difference from the general step in the first one
// straight-line code: results that do not depend on the compiler's choices
constexpr const char* kFlags[] = {"-std=c99",           "-O1",   "-march=native", "-ffp-contract=off", "-fno-math-errno",
                                  "-fno-trapping-math", "-fPIC", "-shared"};

/// A signal in the order of the function's arguments.
struct SignalPart {
  int signal = 0, derivative = 0;
};

/// Loaded code, or why there is none.
struct Code {
  using Function = int (*)(double* x, double t, double h, const double* s, const double* e, const double* k, double* r);
  using Preparation = int (*)(const double* p, double* k);
  Function step = nullptr;
  Preparation prepare = nullptr;
  std::size_t prepared = 0;                        // numbers that it gives
  std::vector<std::string> parameters;             // paths of p
  std::array<std::vector<SignalPart>, 2> signals;  // at the start, at the end of the step
  std::string remark;
};

// ---------------------------------------------------------------- the cache

/// What the code depends on besides the model: the file that contains this function, and the compiler.
std::string maker(const std::string& compiler) {
  std::string text = fmt::format("trunnion {}\n{}", kVersion, compiler);
  for (const char* flag : kFlags) text += std::string(" ") + flag;
  Dl_info here{};
  struct stat file {};
  if (dladdr(reinterpret_cast<void*>(&compiled_step_factory), &here) != 0 && stat(here.dli_fname, &file) == 0)
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

/// The model whose code has the steps of this one: the one that it is like, if it differs from that in parameters of the code alone.
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

/// The source: the function, and what its caller has to know.
std::string source_of(const RecordedSteps& run) {
  const recording::CFunction step = recording::c_function(run.step, "step",
                                                          {.converged = RecordedMachine::converged(),
                                                           .numbers = run.start.values().size(),
                                                           .others = true,
                                                           .signals = run.inputs,
                                                           .most_operations = kMostOperations});
  return fmt::format(
      "#include <math.h>\n\n{}{}\nint trunnion_prepare(const double *p, double *k)\n{{\n  {}\n}}\n\n"
      "int trunnion_step(double *x, double t, double h, const double *s, const double *e, const double *k, double *r)\n"
      "{{\n  return step(x, t, h, s, e, 0, k, r);\n}}\n\n"
      "/* signals at the start and at the end, of which derivative; ways, operations, numbers prepared */\n"
      "const int trunnion_counts[] = {{{}, {}, {}, {}, {}}};\nconst int trunnion_start[] = {{{}}}, trunnion_end[] = {{{}}};\n",
      step.text, step.preparation, step.preparation.empty() ? "(void)p, (void)k;\n  return 0;" : "return prepare_step(p, k);",
      run.inputs[0].size(), run.inputs[1].size(), step.ways, step.operations, step.prepared, list_of(run.inputs[0]),
      list_of(run.inputs[1]));
}

void* symbol(void* library, const char* name) {
  void* const address = dlsym(library, name);
  if (address == nullptr) throw Error(dlerror());
  return address;
}

/// Throws Error.
void load(const std::string& path, Code& code) {
  check_private(path, S_IFREG);
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);  // stays loaded
  if (library == nullptr) throw Error(dlerror());
  const auto* const counts = static_cast<const int*>(symbol(library, "trunnion_counts"));
  for (const std::size_t side : {0, 1}) {
    const auto* const list = static_cast<const int*>(symbol(library, side == 0 ? "trunnion_start" : "trunnion_end"));
    for (int i = 0; i < counts[side]; ++i) code.signals[side].push_back({list[2 * i], list[2 * i + 1]});
  }
  code.step = reinterpret_cast<Code::Function>(symbol(library, "trunnion_step"));
  code.prepare = reinterpret_cast<Code::Preparation>(symbol(library, "trunnion_prepare"));
  code.prepared = static_cast<std::size_t>(counts[4]);
  code.remark = fmt::format("compiled step: {} ways, {} operations", counts[2], counts[3]);
}

/// Compiles `source` as path.so.
void compile_code(const std::string& compiler, const std::string& folder, const std::string& key, const std::string& source,
                  const std::string& text) {
  const std::string mine = fmt::format("{}.{}", key, getpid()), path = folder + "/" + mine;
  write_text(source, path + ".c");
  std::vector<std::string> words{compiler};
  for (const char* flag : kFlags) words.emplace_back(flag);
  for (const std::string& word : {std::string("-o"), mine + ".so", mine + ".c", std::string("-lm")}) words.push_back(word);
  const ProcessResult result = run_process(folder, words);
  if (result.code == -1) throw Error(fmt::format("the compiler `{}` cannot be started: {}", compiler, std::strerror(result.error)));
  if (result.code != 0) {
    const std::string first = result.text.substr(0, result.text.find('\n'));
    fs::remove(path + ".c");
    throw Error(fmt::format("the compiler `{}` ended with {}: {}", compiler, result.code, first));
  }
  chmod((path + ".so").c_str(), S_IRWXU);
  write_text(text, path + ".model");
  for (const char* ending : {".c", ".so", ".model"}) fs::rename(path + ending, folder + "/" + key + ending);
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

/// The code of a model, from the cache or made now.
Code code_of(const std::shared_ptr<const CompiledModel>& model) {
  Code code;
  try {
    code.parameters = parameters_of_code(*model);
    const char* const cc = std::getenv("CC");
    const std::string compiler = cc == nullptr || *cc == 0 ? "cc" : cc, folder = cache_folder();
    Description description = model->description;
    description.solver.compiled = CompiledKind::off;
    const std::string text = maker(compiler) + "\n" + compact_text(description), key = hash(text), path = folder + "/" + key;
    make_private(folder);
    if (fs::exists(path + ".so") && fs::exists(path + ".model") && content(path + ".model") == text) {
      load(path + ".so", code);
      return code;
    }
    if (model->description.solver.compiled == CompiledKind::automatic) {
      const double seconds = estimated_seconds(model);
      if (seconds < kSecondsToMake) {
        code.remark = "general step: the run takes less time than making a compiled step (`solver.compiled: on` makes it)";
        return code;
      }
    }
    const std::unique_ptr<RecordedSteps> run = record_run(model, kRecorded, {code.parameters, {}});
    compile_code(compiler, folder, key, source_of(*run), text);
    load(path + ".so", code);
  } catch (const std::exception& e) {
    code.step = nullptr;
    code.remark = fmt::format("general step, as there is no compiled one: {}", e.what());
  }
  return code;
}

/// The same for all steppers of a model, and of models like it, in this process.
std::shared_ptr<const Code> shared_code_of(const std::shared_ptr<const CompiledModel>& given) {
  const std::shared_ptr<const CompiledModel> model = model_of_code(given);
  static std::mutex mutex;
  static std::map<std::weak_ptr<const CompiledModel>, std::shared_ptr<const Code>, std::owner_less<>> known;
  const std::lock_guard lock(mutex);
  std::erase_if(known, [](const auto& entry) { return entry.first.expired(); });
  std::shared_ptr<const Code>& code = known[model];
  if (code == nullptr) code = std::make_shared<const Code>(code_of(model));
  return code;
}

// ---------------------------------------------------------------- the stepper

class CompiledStep final : public Stepper {
 public:
  CompiledStep(std::shared_ptr<const CompiledModel> model, std::unique_ptr<Stepper> general)
      : model_(std::move(model)),
        general_(std::move(general)),
        code_(shared_code_of(model_)),
        remark_(code_->remark),
        in_use_(code_->step != nullptr),
        checked_(model_->layout),
        report_(RecordedMachine::report_size) {
    for (const std::size_t side : {0, 1}) signals_[side].resize(code_->signals[side].size() + 1);
    if (in_use_) prepare();
  }

  StepOutcome step(StateVector& state, double h) override {
    if (!in_use_) return general_->step(state, h);
    if (!is_checked_) return first_step(state, h);
    return compiled(state, h) ? report() : general_->step(state, h);
  }
  bool restart(StateVector& state) override { return general_->restart(state); }
  void accept(StateVector& state) override { general_->accept(state); }
  StepOutcome step_oil(StateVector& state, double h, const std::function<void(const StepOutcome&)>& part) override {
    return general_->step_oil(state, h, part);
  }
  const StepErrors* errors() const override { return general_->errors(); }
  std::string remark() const override { return remark_; }
  std::string unknown_name(int unknown) const override { return general_->unknown_name(unknown); }

 private:
  void prepare() {
    std::vector<double> parameters;
    if (!code_->parameters.empty()) parameters = values_of(model_->description, code_->parameters);
    prepared_.resize(code_->prepared);
    if (code_->prepare(parameters.data(), prepared_.data()) == 0) return;
    in_use_ = false;
    remark_ = "general step: values of solver.compiled_parameters change more than numbers of the compiled step";
  }

  /// Whether the code has this step; otherwise the state is unchanged.
  bool compiled(StateVector& state, double h) {
    const Signals signals = signals_at(*model_, state);
    for (const std::size_t side : {0, 1}) {
      SignalValue value;
      int last = -1;
      for (std::size_t i = 0; i < code_->signals[side].size(); ++i) {
        const SignalPart part = code_->signals[side][i];
        if (part.signal != last)
          value = side == 0 ? signals.evaluate(part.signal, state.time, Side::right)
                            : signals.evaluate(part.signal, state.time + h, Side::left);
        last = part.signal;
        signals_[side][i] = part.derivative == 0 ? value.value : part.derivative == 1 ? value.rate : value.acceleration;
      }
    }
    return code_->step(state.values().data(), state.time, h, signals_[0].data(), signals_[1].data(), prepared_.data(), report_.data()) == 0;
  }

  /// Of a step by the code.
  StepOutcome report() const {
    StepOutcome outcome;
    outcome.compiled = true;
    outcome.iterations = static_cast<int>(report_[RecordedMachine::iterations]);
    outcome.position_iterations = static_cast<int>(report_[RecordedMachine::position_iterations]);
    outcome.violation = report_[RecordedMachine::violation];
    outcome.velocity_violation = report_[RecordedMachine::velocity_violation];
    outcome.penalty = report_[RecordedMachine::penalty];
    outcome.penalty_limited = report_[RecordedMachine::penalty_limited] != 0;
    outcome.oil_rule = {report_[RecordedMachine::oil_rho], report_[RecordedMachine::oil_euler] != 0};
    return outcome;
  }

  /// The first step that the code has, by both; the code is left aside if they differ.
  StepOutcome first_step(StateVector& state, double h) {
    checked_ = state;
    const StepOutcome general = general_->step(state, h);
    if (!general.ok() || !compiled(checked_, h)) return general;
    is_checked_ = true;
    const double difference = largest_difference(checked_, state, h);
    if (!(difference < kSame)) {
      in_use_ = false;
      remark_ = fmt::format("general step: the compiled one differs by {:.2g} of the largest values in the first step", difference);
      return general;
    }
    state = checked_;
    return report();
  }

  /// Relative to the largest number of its kind; of velocities and accelerations, which may be rounding errors of rest, their displacements over
  /// a step, relative to the configuration.
  double largest_difference(const StateVector& a, const StateVector& b, double h) const {
    constexpr double kMoved = 1e-3;  // share of the configuration that is a displacement
    const StateLayout& n = model_->layout;
    double largest = 0;
    const auto compare = [&](const double* x, const double* y, int count, double unit, double least) {
      double size = least, difference = 0;
      for (int i = 0; i < count; ++i) {
        if (!std::isfinite(x[i])) difference = std::numeric_limits<double>::infinity();
        size = std::max(size, unit * std::abs(y[i]));
        difference = std::max(difference, unit * std::abs(x[i] - y[i]));
      }
      if (difference > 0) largest = std::max(largest, difference / size);
      return size;
    };
    const double moved = kMoved * compare(a.q(), b.q(), n.nq, 1, 0);
    compare(a.v(), b.v(), n.nv, h, moved);
    compare(a.a(), b.a(), n.nv, h * h, moved);
    compare(a.y(), b.y(), n.ny, 1, 0);
    return largest;
  }

  std::shared_ptr<const CompiledModel> model_;
  std::unique_ptr<Stepper> general_;
  std::shared_ptr<const Code> code_;
  std::string remark_;
  bool in_use_, is_checked_ = false;
  StateVector checked_;
  std::array<std::vector<double>, 2> signals_;  // arguments
  std::vector<double> prepared_;                // what depends on the parameters alone
  std::vector<double> report_;
};

}  // namespace

MakeCompiledStep compiled_step_factory() {
  return [](const std::shared_ptr<const CompiledModel>& model, std::unique_ptr<Stepper> general) -> std::unique_ptr<Stepper> {
    return std::make_unique<CompiledStep>(model, std::move(general));
  };
}

}  // namespace trunnion
