// A command that a quasistatic circuit cannot follow, found during a run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "base/diagnostic.h"

namespace trunnion {

class CommandError : public Error {
 public:
  /// `place`: path of the commanded element, `quasistatic.circuit.actuators.lift`.
  CommandError(std::string place, const std::string& cause, std::string remedy)
      : Error(place + ": " + cause + "; try " + remedy), place_(std::move(place)), cause_(cause), remedy_(std::move(remedy)) {}
  /// As the end of a run at time t [s].
  SimulationError at(double t) const { return {t, place_, cause_, remedy_}; }

 private:
  std::string place_, cause_, remedy_;
};

}  // namespace trunnion
