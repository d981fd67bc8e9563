// Many machines of one model, with states, inputs and parameters of their own, on several threads.
//
//   trunnion::Batch fleet(model, 1024, {.threads = 2, .inputs = {boom}, .outputs = {angle}});
//   fleet.set_inputs(u.data());      // 1024 x 1
//   fleet.step(20);
//   fleet.read(y.data());            // 1024 x 1
//
// Each machine's results equal those of a Simulation with the same inputs and parameters bit for bit, whatever the number of threads. They
// agree to rounding errors by lanes, and where parameters of the batch are arguments of compiled steps (`solver.compiled`); they are then
// the same bits whatever the machine's number, its neighbours, the size of the batch and the number of threads.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trunnion/model.h"
#include "trunnion/simulation.h"

namespace trunnion {

/// Whether machines step side by side, in the lanes of the processor's vector instructions.
enum class Lanes : unsigned char {
  off,        ///< one after the other
  automatic,  ///< eight at once: by compiled steps (`solver.compiled`), where the model has them, otherwise by the general step
};

struct BatchOptions {
  int threads = 1;                           ///< 0: as many as processors
  Start start = Start::given;                ///< of every machine
  std::vector<InputIndex> inputs{};          ///< columns of set_inputs
  std::vector<ChannelIndex> outputs{};       ///< columns of read
  std::vector<ParameterIndex> parameters{};  ///< columns of `values`
  std::vector<double> values{};              ///< of the parameters, machine by machine (n x parameters); empty: those of the model
  Lanes lanes = Lanes::off;
};

class Batch {
 public:
  /// Throws ModelError for wrong indices, sizes or values, RunError if a machine has no start; with the machine's number.
  Batch(std::shared_ptr<const Model> model, int machines, BatchOptions options = {});
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;
  ~Batch();

  int size() const;
  const BatchOptions& options() const;
  /// How machines step with Lanes::automatic; empty: without lanes, as asked.
  const std::string& remark() const;
  double time(int machine) const;  ///< [s]
  /// Whether a machine has failed: it keeps its last valid state, and step() passes over it.
  bool failed(int machine) const;
  /// Why; empty: it has not.
  std::string error(int machine) const;

  /// The inputs of all machines from now on, machine by machine (n x options().inputs). Throws ModelError for non-finite numbers. No
  /// allocation.
  void set_inputs(const double* values);
  /// Advances every machine that has not failed by `steps` points of its time grid. Returns the number of machines that have failed so
  /// far. No allocation unless steps are subdivided or fail.
  int step(int steps = 1);
  /// The outputs of all machines, machine by machine (n x options().outputs); of failed ones at their last valid state.
  void read(double* values) const;
  /// Starts machines again at time 0, inputs at their defaults: those whose `mask` is not 0; null: all. Throws RunError, ModelError if one
  /// has no start, with the number of the first; all then stay as they are.
  void reset(const unsigned char* mask = nullptr);
  /// New values of a machine's parameters (options().parameters), which take effect at its reset. Throws ModelError as
  /// Simulation::set_parameter.
  void set_parameters(int machine, const double* values);

  State state(int machine) const;
  void set_state(int machine, const State& state);

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

}  // namespace trunnion
