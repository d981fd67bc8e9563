// A co-simulation with a simultaneous monolithic reference run: the coupling error per cylinder.
// Source: Rahikainen, Gonzalez, Naya, Sopanen, Mikkola 2020 (co-simulation), section 4 (reference).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "machine/ledger.h"
#include "run/run.h"

namespace trunnion {

class MonolithicBeside {
 public:
  /// `model` is co-simulated; the reference has its treatment and integrator and steps of solver.step, cut at communication points.
  explicit MonolithicBeside(const std::shared_ptr<const CompiledModel>& model);

  void begin(const StateVector& start);
  /// Advances to the state's time and compares. After a failure of the monolithic run the differences are NaN.
  void at(const StateVector& state);

  /// `lift.coupling_difference`: length [m], of a rotary actuator angle [rad], of the co-simulation minus that of the monolithic run.
  const std::vector<Channel>& channels() const { return channels_; }
  const std::vector<double>& values() const { return values_; }
  /// Per cylinder, with their times.
  const std::vector<Extremes>& ranges() const { return ranges_; }
  const std::vector<std::string>& names() const { return names_; }
  const std::optional<SimulationError>& failure() const { return failure_; }

 private:
  std::shared_ptr<const CompiledModel> monolithic_;
  std::unique_ptr<Runner> runner_;
  std::unique_ptr<Observer> observer_, reference_;
  std::vector<std::size_t> length_;             // per cylinder: its index among the observer's channels
  std::vector<double> lengths_, of_reference_;  // scratch: all channels
  std::vector<std::string> names_;
  std::vector<Channel> channels_;
  std::vector<double> values_;
  std::vector<Extremes> ranges_;
  std::optional<SimulationError> failure_;
};

}  // namespace trunnion
