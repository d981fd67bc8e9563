// Gradients of sums of a run's channel values: the run is followed backwards, in parts that are computed again from their first states
// (tape.h). The time does not depend on the number of parameters; the memory is that of one part and of a state per part.
// Source: A. Griewank, A. Walther, Evaluating Derivatives (2008), sections 3.2 and 12.2 (checkpoints).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tangents/tangent_run.h"

namespace tangents {

/// Of each sum: the weights of the values of each channel, one per time.
using SumWeights = std::vector<std::vector<std::vector<Real>>>;

/// Runs a model from its start as far as the responses ask for it and writes their values; then `weigh` states the sums, and
/// gradients[j][i] becomes the derivative of sum j with respect to parameter i. `compact`, `parameters`: as for follow_run, but any number
/// of them. Channels that sum over the run (energies) are not followed. Returns why the run ended early, then there are no gradients;
/// empty: it did not. Throws as follow_run.
std::string follow_gradients(const std::string& compact, const std::vector<std::string>& parameters, std::vector<Response>& responses,
                             const std::function<SumWeights()>& weigh, std::vector<std::vector<Real>>& gradients, const Watch& watch = {});

}  // namespace tangents
