// A recording as C99 that needs libm alone: straight-line code between the branches of the tree, no allocation, no memory of its own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <vector>

#include "recording/recorder.h"

namespace recording {

/// The function of a recorded evaluation, named `name`:
///   static int NAME(double *x, double t, double h, const double *s, const double *e, const double *u)
/// x: numbers of the state, replaced by the results; t [s]: time at the start of the step; h [s]: its length; s, e: the signals that are inputs of
/// the recording at its start and at its end (signal_inputs()), in the order of `signals`; u: inputs of the machine. Returns 0; 1 on a way that was not
/// recorded, 2 where the recorded evaluation did not end with the status `converged`, both with x unchanged.
std::string c_function(const Recorder& recording, const std::string& name, int converged,
                       const std::array<std::vector<Input>, 2>& signals = {});

/// The signals that are inputs of a recording at the start, or at the end of a step, in the order of their first use.
std::vector<Input> signal_inputs(const Recorder& recording, bool at_end);

/// Operations in the function, all ways together.
int operation_count(const Recorder& recording);

}  // namespace recording
