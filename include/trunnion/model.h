// A model: an immutable compiled machine, shared by any number of simulations and threads.
//
//   const auto model = trunnion::Model::load("excavator.yaml", {"solver.step=1 ms"});
//   const auto boom = model->input("boom");
//   const auto angle = model->channel("boom.angle");
//
// SI and radians throughout.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace trunnion {

/// Version of the binary interface of this library; programs compare it with the number they were compiled with, kAbiVersion.
int abi_version() noexcept;
inline constexpr int kAbiVersion = 1;

/// What is wrong with an input, and what would be right.
struct Finding {
  std::string file;            ///< of the model, or `--set`; empty for descriptions built in code
  int line = 0, column = 0;    ///< from 1; 0: unknown
  std::string path;            ///< name path of the value, `cylinders.lift.bore`
  std::string found;           ///< as a sentence without a full stop
  std::string expected, hint;  ///< may be empty
  std::string text() const;    ///< `file:line:column: error: path: found; expected ...; hint`
};

/// Invalid model, name or value in a call; what() holds every finding, one line each, with its position in the file.
class ModelError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  ModelError(const std::string& what, std::vector<Finding> findings) : std::runtime_error(what), findings_(std::move(findings)) {}
  /// Structured; empty for wrong names and values in calls.
  const std::vector<Finding>& findings() const { return findings_; }

 private:
  std::vector<Finding> findings_;
};

/// The simulation cannot continue; what() gives the time, the equations, and remedies.
class RunError : public std::runtime_error {
 public:
  RunError(const std::string& what, double time, std::string equations = {}, std::string remedy = {})
      : std::runtime_error(what), time_(time), equations_(std::move(equations)), remedy_(std::move(remedy)) {}
  double time() const { return time_; }                        ///< [s] of the last valid state
  const std::string& equations() const { return equations_; }  ///< names of the equations at fault; may be empty
  const std::string& remedy() const { return remedy_; }        ///< may be empty

 private:
  double time_;
  std::string equations_, remedy_;
};

/// A quantity that can be read.
struct ChannelInfo {
  std::string name;     ///< `crank.angle`
  std::string unit;     ///< SI; empty if dimensionless
  std::string meaning;  ///< one line
};

/// A value that is set from outside.
struct InputInfo {
  std::string name, unit;                                       ///< unit: SI; empty if dimensionless
  double initial = 0;                                           ///< until it is set
  double min = -std::numeric_limits<double>::infinity();        ///< values below are limited to it
  double max = std::numeric_limits<double>::infinity();         ///< values above are limited to it
  double rate_limit = std::numeric_limits<double>::infinity();  ///< [1/s] a new value is approached at this rate
};

/// A number of the model that can be changed without changing its structure.
struct ParameterInfo {
  std::string name;     ///< path as of `--set`: `cylinders.lift.bore`, `gravity.2`
  std::string unit;     ///< SI; empty if dimensionless
  std::string meaning;  ///< one line
  double value = 0;     ///< of the model
  double min = -std::numeric_limits<double>::infinity(), max = std::numeric_limits<double>::infinity();
  bool min_excluded = false;  ///< values must be above `min`
};

/// Numbers of a model's channels, inputs and parameters: distinct types, valid for the model that returned them.
struct ChannelIndex {
  int number = -1;
  auto operator<=>(const ChannelIndex&) const = default;
};
struct InputIndex {
  int number = -1;
  auto operator<=>(const InputIndex&) const = default;
};
struct ParameterIndex {
  int number = -1;
  auto operator<=>(const ParameterIndex&) const = default;
};

struct Description;  // trunnion/description.h

/// A description as the YAML text of a model file in SI units, defaults included, signals of CSV files as tables where their points are
/// set. It is not checked: Model::build, or loading the text, does that.
std::string to_yaml(const Description& description);

/// An immutable compiled machine.
class Model : public std::enable_shared_from_this<Model> {
 public:
  struct Content;
  explicit Model(std::unique_ptr<const Content> content);
  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  /// Reads a model file; `overrides` are `path=value` as on the command line. Throws ModelError with all findings.
  static std::shared_ptr<const Model> load(const std::string& file, const std::vector<std::string>& overrides = {});
  /// The same from the text of a model file; `name` replaces the file name in messages.
  static std::shared_ptr<const Model> from_text(const std::string& text, const std::vector<std::string>& overrides = {},
                                                const std::string& name = "model");

  /// From the compact form of a model (compact()), which needs no files: what the core library reads. Throws ModelError.
  static std::shared_ptr<const Model> from_compact(const std::string& text);

  /// From a description (trunnion/description.h): no text, no files. The checks are those of a model file; throws ModelError with all
  /// findings, which name the path that the value has in a file. Signals of CSV files become tables.
  static std::shared_ptr<const Model> build(const Description& description);
  /// What the model was made from, with everything that was included, expanded or read from files; to be copied, changed and built again.
  const Description& description() const;

  const std::string& title() const;
  double step_size() const;  ///< [s] solver.step, in co-simulation the communication step
  double duration() const;   ///< [s] solver.duration
  /// Hash of structure and names: equal for models whose states can be exchanged.
  std::uint64_t fingerprint() const;
  /// The whole model as YAML in SI units, defaults included.
  std::string text() const;
  /// The same as one JSON text with everything that was included, expanded or read from files.
  std::string compact() const;
  /// Doubtful values, one line each.
  std::vector<std::string> warnings() const;

  const std::vector<ChannelInfo>& channels() const;      ///< in the order of results.csv
  const std::vector<InputInfo>& inputs() const;          ///< in the order of the file
  const std::vector<ParameterInfo>& parameters() const;  ///< in the order of the file; `solver` and `record` excepted
  /// Throw ModelError with the nearest name if not found.
  ChannelIndex channel(const std::string& name) const;
  InputIndex input(const std::string& name) const;
  ParameterIndex parameter(const std::string& name) const;

  const Content& content() const { return *content_; }  // for the library

 private:
  std::unique_ptr<const Content> content_;
};

}  // namespace trunnion
