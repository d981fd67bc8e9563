// Trunnion as a library: load a model, step it, read its channels, save and restore its state.
//
//   trunnion::Simulation machine("four_bar.yaml", {"cylinders.lift.friction.model=lugre"});
//   const int angle = machine.find("crank.angle");
//   while (machine.time() < machine.duration()) {
//     machine.step();
//     std::printf("%g %g\n", machine.time(), machine.value(angle));
//   }
//
// SI and radians throughout. Objects are independent of each other; each object must be used by one thread at a time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace trunnion {

/// Invalid model or name in a call; what() holds every finding, one line each, with its position in the file.
class ModelError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The simulation cannot continue; what() gives the time, the equations, and remedies.
class RunError : public std::runtime_error {
 public:
  RunError(const std::string& what, double time) : std::runtime_error(what), time_(time) {}
  double time() const { return time_; }  ///< [s] of the last valid state

 private:
  double time_;
};

/// A quantity that can be read.
struct ChannelInfo {
  std::string name;     ///< `crank.angle`
  std::string unit;     ///< SI; empty if dimensionless
  std::string meaning;  ///< one line
};

/// Everything needed to continue a simulation bit for bit, energy ledger included. Cheap to copy.
class Snapshot {
 public:
  double time() const;  ///< [s]

 private:
  friend class Simulation;
  struct Content;
  explicit Snapshot(std::shared_ptr<const Content> content) : content_(std::move(content)) {}
  std::shared_ptr<const Content> content_;
};

/// Start of a simulation.
enum class Start {
  given,        ///< at the assembled start values, pressures marked `equilibrium` solved for them
  equilibrium,  ///< at the static solution: the whole machine is in equilibrium (`trunnion equilibrium`)
  steady        ///< in steady operation: pumps run, oil flows, nothing changes (`trunnion steady`)
};

/// An eigenvalue of a linear model.
struct EigenvalueInfo {
  double re = 0, im = 0;              ///< [1/s]; exactly 0 where a disturbance neither grows nor decays
  double frequency_hz = 0;            ///< |im| / 2 pi
  double damping_ratio = 0;           ///< -re / |eigenvalue|; NaN if null
  std::vector<double> participation;  ///< of each state, the largest 1
};

/// Linear model of a machine about a reference, in deviations from it: x' = drift + A x + B u, y = y0 + C x + D u.
struct LinearSystem {
  double time = 0;                                   ///< [s] of the reference
  std::vector<ChannelInfo> states, inputs, outputs;  ///< positions are increments
  std::vector<double> x0, u0, y0;                    ///< values at the reference
  std::vector<double> drift;                         ///< rates of the states at the reference; zero at an equilibrium
  std::vector<std::vector<double>> A, B, C, D;       ///< by rows
  std::vector<EigenvalueInfo> eigenvalues;           ///< by descending real part
  std::string stability;                             ///< asymptotically_stable, stable_but_null, drifting, undamped, unstable
  bool moving = false;                               ///< the reference moves, the model changes: eigenvalues hold for this instant
  std::vector<std::string> independent;              ///< coordinates with a position and a velocity among the states
  std::vector<std::string> velocity_dependent;       ///< coordinates with a position only
  std::vector<std::string> dependent;                ///< coordinates determined by closed loops
  std::vector<std::string> warnings;
};

/// One machine during a simulation.
class Simulation {
 public:
  /// Reads a model file; `overrides` are `path=value` as on the command line. At time 0, assembled. Throws ModelError, RunError.
  explicit Simulation(const std::string& model_file, const std::vector<std::string>& overrides = {}, Start start = Start::given);
  /// The same from the text of a model file; `name` replaces the file name in messages.
  static Simulation from_text(const std::string& text, const std::vector<std::string>& overrides = {}, const std::string& name = "model",
                              Start start = Start::given);

  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;
  ~Simulation();

  double time() const;       ///< [s]
  double step_size() const;  ///< [s] solver.step of the model
  double duration() const;   ///< [s] solver.duration of the model

  /// Advances to the next point of the time grid. Throws RunError; the state is then the last valid one.
  void step();
  /// Advances to `end` [s], with a shortened last step if necessary; does nothing if `end` has passed. Throws RunError; ModelError if
  /// `end` is not finite.
  void run_until(double end);
  /// Advances to the model's duration. Throws RunError.
  void run() { run_until(duration()); }

  /// All channels, in the order of results.csv.
  const std::vector<ChannelInfo>& channels() const;
  /// Index of a channel. Throws ModelError with the nearest name if not found.
  int find(const std::string& channel) const;
  /// Value at the current state; `channel` from find().
  double value(int channel) const;
  double value(const std::string& channel) const { return value(find(channel)); }
  /// Values of all channels.
  std::vector<double> values() const;

  /// The linear model about the current state; `outputs`: names of channels, all if empty. Throws ModelError for unknown ones, RunError
  /// if the mass matrix is singular.
  LinearSystem linearize(const std::vector<std::string>& outputs = {}) const;

  Snapshot save() const;
  /// Restores a state saved by this simulation, or another of the same model. Throws ModelError for a snapshot of a model with another
  /// structure or other names; numbers and signals may differ.
  void restore(const Snapshot& snapshot);

  long steps() const;           ///< number of steps
  long iterations() const;      ///< of all steps
  double step_seconds() const;  ///< [s] spent in steps

 private:
  struct Content;
  explicit Simulation(std::unique_ptr<Content> content);
  std::unique_ptr<Content> content_;
};

/// `trunnion run`: simulates a model and writes results.csv, results.h5 and summary.json into `folder`. Throws ModelError, or RunError
/// after writing the results until the failure.
void run_to_files(const std::string& model_file, const std::string& folder, const std::vector<std::string>& overrides = {},
                  Start start = Start::given);

/// `trunnion equilibrium`: solves for static equilibrium with signals at `time` [s] and writes equilibrium.json and equilibrium.yaml into
/// `folder`. Throws ModelError if it is undetermined or contradicts locked or given values, RunError if none is found.
void equilibrium_to_files(const std::string& model_file, const std::string& folder, const std::vector<std::string>& overrides = {},
                          double time = 0);

/// `trunnion steady`: solves for steady operation with signals at `time` [s] and writes steady.json and steady.yaml into `folder`. Throws
/// RunError if none exists or is found.
void steady_to_files(const std::string& model_file, const std::string& folder, const std::vector<std::string>& overrides = {},
                     double time = 0);

/// Options of a linearisation, as on the command line.
struct Linearization {
  Start start = Start::given;            ///< location of the reference, or start of the run to it
  std::vector<double> at;                ///< [s] times of a run; none: the start
  std::vector<std::string> outputs;      ///< channels; all if empty
  std::vector<std::string> vary;         ///< root locus: path=v1,v2,...
  std::vector<std::string> sensitivity;  ///< paths of numbers: derivatives of the eigenvalues
  std::optional<double> simulate;        ///< [s] time from which the linear model is simulated, too
};

/// `trunnion linearize`: writes linear.json, linear.csv, eigenvalues.csv and linear.mat into `folder`, and other requested results.
/// Throws ModelError, or RunError after writing the available results.
void linearize_to_files(const std::string& model_file, const std::string& folder, const std::vector<std::string>& overrides = {},
                        const Linearization& what = {});

}  // namespace trunnion
