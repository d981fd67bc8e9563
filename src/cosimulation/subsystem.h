// A part of a machine that integrates itself and exchanges data with the others at communication points only. The semantics are those of
// FMI 3 for co-simulation, so that an FMU can replace it:
//   restore, save     FMUState; the state of the machine is the container
//   set_inputs        polynomials over the next communication step; an FMU reads their values at its beginning
//   do_step           fmi3DoStep
//   get_outputs       at the end of the last step; independent of inputs set after it
// Source: Rahikainen, Gonzalez, Naya, Sopanen, Mikkola 2020 (co-simulation), section 2.3.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "model/state.h"
#include "signals/time_polynomial.h"
#include "solve/stepper.h"

namespace trunnion {

/// An input or output of a subsystem.
struct CouplingVariable {
  std::string name;           // `lift.length`
  std::string unit;           // SI
  bool feed_through = false;  // output: depends directly on an input at the same time
};

class Subsystem {
 public:
  virtual ~Subsystem() = default;
  const std::vector<CouplingVariable>& inputs() const { return inputs_; }
  const std::vector<CouplingVariable>& outputs() const { return outputs_; }

  /// Reads time and its own part of the machine's state. A following step continues from there bit for bit.
  virtual void restore(const StateVector& machine) = 0;
  /// Writes its own part of the machine's state, without the time.
  virtual void save(StateVector& machine) const = 0;
  /// Inputs over the next step, in the order of inputs(). They may be set again before every step.
  virtual void set_inputs(const TimePolynomial* courses) = 0;
  /// Advances by h [s]; with a report that is not ok the state is undefined until restore(). No allocation.
  virtual StepOutcome do_step(double h) = 0;
  /// Outputs at its time, in the order of outputs().
  virtual void get_outputs(double* values) const = 0;
  /// Its signals jump at its time: rates from the right limit, with the inputs set.
  virtual bool restart() = 0;
  /// Name of the worst unknown of a step report, or of another cause; empty: unnamed.
  virtual std::string unknown_name(int /*unknown*/) const { return {}; }

 protected:
  Subsystem() = default;
  Subsystem(const Subsystem&) = default;
  Subsystem& operator=(const Subsystem&) = default;
  std::vector<CouplingVariable> inputs_, outputs_;
};

}  // namespace trunnion
