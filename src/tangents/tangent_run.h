// A run with its derivatives: the core, compiled with tangents::Number (prelude.h).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tangents/number.h"

namespace tangents {

/// A channel at given times [s], in increasing order; values and their derivatives with respect to the parameters, as far as the run
/// reached, SI.
struct Response {
  std::string channel;
  std::vector<Real> times;
  std::vector<Real> values;
  std::vector<std::vector<Real>> derivatives;  // per parameter
};

/// Called with the time [s] every few steps; what it throws ends the run. May be null.
using Watch = std::function<void(Real time)>;

/// Runs a model from its start as far as the responses ask for it. `compact`: its compact form (schema/compact.h); `parameters`: paths of
/// at most kVariables numbers of it (schema/parameters.h). Returns why the run ended early; empty: it did not. Throws std::exception for a
/// model that does not compile, or whose start has no solution.
/// `in_plane`: whether the machine is a planar one, which none of the parameters moves out of its plane.
std::string follow_run(const std::string& compact, const std::vector<std::string>& parameters, std::vector<Response>& responses,
                       bool& in_plane, const Watch& watch = {});

}  // namespace tangents
