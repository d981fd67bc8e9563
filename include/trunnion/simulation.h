// One machine during a simulation: state, inputs, parameters, steps.
//
//   trunnion::Simulation sim(model);
//   sim.set(boom, 0.4);
//   while (sim.time() < 5) {
//     if (const auto report = sim.try_step(); !report.ok()) break;
//     use(sim.value(angle));
//   }
//
// Objects are independent of each other; each object must be used by one thread at a time, which builds without NDEBUG check.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "trunnion/linear.h"
#include "trunnion/model.h"

namespace trunnion {

struct CompiledModel;  // of the library

/// Steps between two calls of a progress function.
inline constexpr int kStepsBetweenReports = 64;

/// Start of a simulation.
enum class Start {
  given,        ///< at the assembled start values, pressures marked `equilibrium` solved for them
  equilibrium,  ///< at the static solution: the whole machine is in equilibrium (`trunnion equilibrium`)
  steady        ///< in steady operation: pumps run, oil flows, nothing changes (`trunnion steady`)
};

/// Result of a step.
struct [[nodiscard]] StepReport {
  enum class Status : unsigned char {
    completed,
    failed,    ///< the machine cannot continue; Simulation::error() says why
    cancelled  ///< by the progress hook
  };
  Status status = Status::completed;
  int iterations = 0;       ///< linear solves
  double violation = 0;     ///< [m, -] largest constraint error at the end
  bool subdivided = false;  ///< in several parts, because pressures jumped or Newton's method did not converge
  bool ok() const noexcept { return status == Status::completed; }
};

/// The state of a machine: everything needed to continue bit for bit, without the energy ledger. Cheap to copy compared with a step's
/// results; comparable; serialisable.
class State {
 public:
  State();
  ~State();
  State(const State&);
  State(State&&) noexcept;
  State& operator=(const State&);
  State& operator=(State&&) noexcept;
  bool operator==(const State& other) const;

  bool empty() const;                 ///< of no model
  double time() const;                ///< [s]
  std::uint64_t fingerprint() const;  ///< of the model
  /// Its parts by index; names by Simulation::state_names. Sizes: positions of the tree nq, velocities nv, first-order states ny.
  std::vector<double> positions() const, velocities() const, first_order() const;
  /// Binary form, for the same kind of machine and version of the library.
  std::string bytes() const;
  /// Reads bytes(). Throws ModelError for damaged or foreign content.
  static State from_bytes(const std::string& bytes);

  struct Content;
  const Content* content() const { return content_.get(); }  // for the library
  void set_content(Content content);                         // for the library

 private:
  friend class Simulation;
  std::unique_ptr<Content> content_;
};

/// Everything needed to continue a simulation bit for bit, energy ledger included. Cheap to copy.
class Snapshot {
 public:
  Snapshot() = default;  ///< of nothing
  bool empty() const { return content_ == nullptr; }
  double time() const;  ///< [s]

 private:
  friend class Simulation;
  struct Content;
  std::shared_ptr<Content> content_;  // shared by copies, written only where there are none
};

/// A piston that reached its end damper or a joint its limit, a relief valve that opened, an emptied accumulator, a control block whose
/// mode changed (count: changes).
struct Incident {
  enum class Kind : unsigned char { end_stop, relief, accumulator_empty, block_switch } kind;
  std::string name;
  long count = 0, steps = 0;  ///< entries; steps inside
  double first_time = 0;      ///< [s]
};

/// A text for the user. The library itself prints nothing.
struct Message {
  enum class Severity : unsigned char { note, warning } severity = Severity::note;
  double time = 0;  ///< [s]
  std::string text;
};

/// One machine during a simulation.
class Simulation {
 public:
  /// At time 0, at its start. Throws RunError if there is none.
  explicit Simulation(std::shared_ptr<const Model> model, Start start = Start::given);
  /// Reads a model file; `overrides` are `path=value` as on the command line. With the energy ledger. Throws ModelError, RunError.
  explicit Simulation(const std::string& model_file, const std::vector<std::string>& overrides = {}, Start start = Start::given);
  /// The same from the text of a model file; `name` replaces the file name in messages.
  static Simulation from_text(const std::string& text, const std::vector<std::string>& overrides = {}, const std::string& name = "model",
                              Start start = Start::given);

  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;
  ~Simulation();

  const std::shared_ptr<const Model>& model() const;
  double time() const;       ///< [s]
  double step_size() const;  ///< [s] solver.step of the model
  double duration() const;   ///< [s] solver.duration of the model

  // ---- steps

  /// Advances to the next point of the time grid; on failure the state is the last valid one. No allocation unless the step is subdivided
  /// or fails.
  StepReport try_step() noexcept;
  /// Why the last step failed: time, equations, remedies; empty: it did not.
  std::string error() const;
  /// Advances to the next point of the time grid. Throws RunError; the state is then the last valid one.
  void step();
  /// Advances to `end` [s], with a shortened last step if necessary; does nothing if `end` has passed. Throws RunError, also when the
  /// progress hook ends the run; ModelError if `end` is not finite.
  void run_until(double end);
  /// Advances to the model's duration. Throws RunError.
  void run() { run_until(duration()); }
  /// Called with the time [s] every kStepsBetweenReports steps of run_until; false ends the run there. Empty: none.
  void on_progress(std::function<bool(double time)> hook);
  /// Where messages go: at once the warnings of the model and of its start, later those of every restart() and, in the step that brings
  /// them, each of attach_incidents() when it happens first and a penalty factor that had to be limited. Called between two steps by the thread that makes them; what it throws comes out of
  /// run_until(), and fails try_step(). Empty: nowhere.
  void on_message(std::function<void(const Message&)> sink);
  /// Starts again at time 0, with the inputs at their defaults and the parameters as set. Throws RunError.
  void restart(Start start = Start::given);

  // ---- inputs and parameters

  /// From now on `value`, which is limited to the input's range, and approached at its largest rate if it has one. Throws ModelError for a
  /// wrong index or a non-finite number. No allocation.
  void set(InputIndex input, double value);
  /// From now on `value` + `slope` (t - now), `slope` in 1/s; not for inputs with a largest rate.
  void set(InputIndex input, double value, double slope);
  double value(InputIndex input) const;
  /// A parameter takes effect at the next step, set_minimal_state() or linearize(), or at restart() where it defines the start. Loops that it
  /// opens are then closed again, as set_minimal_state() closes them. Throws ModelError for a value outside its limits; the old value is kept. A
  /// value that the machine cannot have, or that changes its structure (a leakage where there was none), fails the next of these, which
  /// leaves the state as it is; it is to be set back.
  void set_parameter(ParameterIndex parameter, double value);
  double value(ParameterIndex parameter) const;

  // ---- reading

  /// Value of a channel at the current state. Channels of the state itself cost nothing, others one evaluation per state. Throws ModelError
  /// for integrals over the run (`energy.*`) without the ledger.
  double value(ChannelIndex channel) const;
  /// The same of several, `out`: one number each. No allocation after the first call.
  void read(const std::vector<ChannelIndex>& channels, double* out) const;
  /// From now on the energy ledger is kept in every step, for the channels `energy.*`.
  void attach_ledger();
  /// From now on steps are watched for incidents.
  void attach_incidents();
  /// Incidents since they are watched, or since restart().
  std::vector<Incident> incidents() const;

  /// All channels, in the order of results.csv.
  const std::vector<ChannelInfo>& channels() const;
  /// Number of a channel. Throws ModelError with the nearest name if not found.
  int find(const std::string& channel) const;
  double value(int channel) const { return value(ChannelIndex{channel}); }
  double value(const std::string& channel) const { return value(find(channel)); }
  /// Values of all channels; those that are not kept are NaN.
  std::vector<double> values() const;

  // ---- state

  State state() const;
  /// The same into an existing one. No allocation after the first call.
  void read_state(State& state) const;
  /// Continues from a state of any simulation of the same kind of machine. Throws ModelError for another model's.
  void set_state(const State& state);
  /// The minimal vector of the state: independent positions and velocities, positions whose velocities follow from velocity-level
  /// constraints, pressures and other first-order states, as in linear models. Its coordinates are those of the first call until
  /// select_coordinates(). Throws RunError at a singular configuration.
  const std::vector<ChannelInfo>& minimal_states() const;
  std::vector<double> minimal_state() const;
  void read_minimal_state(double* x) const;  ///< minimal_states().size() numbers; no allocation after the first call
  /// Moves the machine there, at its time: dependent positions are the nearest to the present ones, velocities, accelerations and rates
  /// consistent. Throws ModelError for a wrong size or non-finite numbers, RunError if the loops do not close; the state is then unchanged.
  void set_minimal_state(const std::vector<double>& x);
  /// Selects the independent coordinates anew, at the present state.
  void select_coordinates();

  Snapshot save() const;
  /// The same into an existing one; copies of it keep what they have. No allocation after the first call, unless there are copies.
  void save(Snapshot& snapshot) const;
  /// Restores a state saved by this simulation, or another of the same model. Throws ModelError for a snapshot of a model with another
  /// structure or other names; numbers and signals may differ.
  void restore(const Snapshot& snapshot);

  /// The linear model about the current state; `outputs`: names of channels, all if empty; `independent`: coordinates that are to be
  /// independent, completed by pivoting. Throws ModelError for unknown ones, RunError if the mass matrix is singular or `independent`
  /// cannot be.
  LinearSystem linearize(const std::vector<std::string>& outputs = {}, const std::vector<std::string>& independent = {}) const;
  /// The same into existing storage, without eigenvalues and `stability`; `moving` is true where A depends on a state that moves. Also in
  /// the core.
  void linearize(const LinearRequest& request, LinearSystem& system) const;

  /// The exact derivative of the last step. Its coordinates are those of the first call. `parameters`: with the derivatives with respect to
  /// these at their values, the minimal vector before the step unchanged; not in the core library, like machines with control blocks,
  /// implicit rules other than the trapezoidal one, and its steps by baumgarte with constraints. Throws ModelError for integrators without
  /// a fixed monolithic step, and where the last step was subdivided or there is none, RunError at a singular configuration.
  Transition transition(const std::vector<ParameterIndex>& parameters = {}) const;

  long steps() const;           ///< number of steps
  long iterations() const;      ///< of all steps
  double step_seconds() const;  ///< [s] spent in step() and run_until()

 private:
  struct Content;
  explicit Simulation(std::unique_ptr<Content> content);
  const std::shared_ptr<const CompiledModel>& compiled() const;  // with its parameters as set
  std::unique_ptr<Content> content_;
};

}  // namespace trunnion
