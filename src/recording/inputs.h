// Inputs of a recording where the machine's equations read what is no number of its state.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "recording/number.h"

namespace recording {

/// Whether the signals are inputs of the recording in progress, or recorded themselves, as functions of time and of the machine's inputs.
bool signals_are_inputs();
void set_signals_are_inputs(bool inputs, Real begin = 0, Real end = 0);
/// Ends the recording if time is not the step's end or its beginning [s]: signals are known there alone.
void expect_end_of_step(Real time, bool at_end);

/// Value (0) or derivative in time of a signal that is an input, at the end of the step or at its start.
Number signal_input(int signal, bool at_end, int derivative, const Number& now);
/// Value of an input of the machine.
Number outside_input(int number, const Number& now);

}  // namespace recording
