// What the parts of the public interface share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "linearise/minimal_state.h"
#include "linearise/step_map.h"
#include "machine/ledger.h"
#include "model/state.h"
#include "run/channel_reader.h"
#include "run/step_loop.h"
#include "schema/parameters.h"
#include "trunnion/simulation.h"

namespace trunnion {

/// Public errors.
ModelError public_error(const Error& error);
RunError public_error(const SimulationError& error);

/// Calls f; converts internal errors to public ones.
template <class F>
auto translated(F&& f) {
  try {
    return f();
  } catch (const SimulationError& error) { throw public_error(error); } catch (const Error& error) {
    throw public_error(error);
  }
}

/// Where the value of a channel is.
struct ChannelPlace {
  enum class Kind : unsigned char { time, state, input, observed, kept } kind = Kind::kept;  // kept: by ChannelReader only
  std::size_t index = 0;  // in StateVector::values(), of the input, among the observer's channels, among the reader's
};

/// Names and numbers of a model's channels, or of its parameters, and its starts; made when first needed.
struct Model::Content {
  explicit Content(std::shared_ptr<const CompiledModel> model);

  struct Channels {
    std::vector<ChannelInfo> infos;
    std::vector<ChannelPlace> places;
    std::unordered_map<std::string, int> numbers;
  };
  struct Parameters {
    std::vector<ParameterInfo> infos;
    std::unordered_map<std::string, int> numbers;
  };
  const Channels& channels() const;
  const Parameters& parameters() const;
  /// The start state of the model, found once, or of a machine with parameters of its own. Throws SimulationError, InputError. `warnings`
  /// (may be null) receives what is doubtful about it.
  StateVector start_of(const std::shared_ptr<const CompiledModel>& machine, Start start,
                       std::vector<std::string>* warnings = nullptr) const;

  std::shared_ptr<const CompiledModel> compiled;
  std::uint64_t fingerprint;
  std::vector<InputInfo> inputs;

 private:
  struct FoundStart {
    StateVector state;
    std::vector<std::string> warnings;
  };
  static FoundStart find_start(const std::shared_ptr<const CompiledModel>& machine, Start start);
  mutable std::once_flag channels_made_, parameters_made_;
  mutable Channels channels_;
  mutable Parameters parameters_;
  mutable std::mutex finding_start_;
  mutable std::array<std::optional<FoundStart>, 3> starts_;  // by Start
};

struct State::Content {
  std::uint64_t model = 0;  // fingerprint
  StateVector state;
};

/// A machine's numbers that differ from its model's.
class OwnParameters {
 public:
  explicit OwnParameters(const Model& model);
  double value(int parameter) const { return *slots_[static_cast<std::size_t>(parameter)].value; }
  /// Throws ModelError for a value outside its limits; infinity is within those of a parameter of which the model has it, as a rigid wall.
  void set(int parameter, double value);
  /// Whether values differ from those in use.
  bool changed() const { return !replaced_.empty(); }
  /// From now on those in use are the present ones.
  void take_into_use() {
    replaced_.clear();
    last_in_use_ = true;
  }
  /// Throws InputError; Error if the numbers change the structure, so that states and channels would be others. What was compiled last is
  /// used for the parts that no change since concerns.
  std::shared_ptr<const CompiledModel> compile();
  /// Whether what was compiled last is in use, and only parameters of the oil differ from it.
  bool same_mechanism() const;

 private:
  std::shared_ptr<const Model> original_;
  std::shared_ptr<const CompiledModel> last_;
  bool last_in_use_ = true;
  std::unique_ptr<Description> description_;
  std::vector<Parameter> slots_;
  std::vector<std::pair<int, double>> replaced_;  // parameters that differ from those in use, and these
};

/// Throws ModelError.
void check_index(int number, std::size_t size, const char* what);

/// Into existing storage, rows of equal length.
void fill_infos(const std::vector<LinearVariable>& from, std::vector<ChannelInfo>& infos);
void fill_rows(const Eigen::MatrixXd& from, std::vector<std::vector<double>>& rows);
/// Without eigenvalues and stability.
void fill_system(const LinearModel& from, LinearSystem& system);

/// Advances a loop to the next point of its time grid, not beyond `end`, which is after the present time. `kept` (may be null) receives the
/// states on the way.
class GridStep {
 public:
  enum class Result : unsigned char { done, failed };
  /// Steps, linear solves and the largest violation since construction; whether the last grid step was subdivided.
  long steps = 0, iterations = 0;
  double violation = 0;
  bool subdivided = false;

  /// Throws nothing but std::bad_alloc; the reason of a failure by error().
  Result advance(StepLoop& loop, double end, RunWatcher* watcher);
  /// Why advance() failed.
  std::string error() const { return failure_ ? failure_->what() : ""; }
  const std::optional<SimulationError>& failure() const { return failure_; }
  void clear() { failure_.reset(); }

 private:
  class Parts;
  std::optional<SimulationError> failure_;
  StateVector valid_;  // the last one that the watcher accepted
};

}  // namespace trunnion
