// A recording as C99 that needs libm alone: straight-line code between the branches of the tree, no allocation, no memory of its own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <vector>

#include "recording/recorder.h"

namespace recording {

/// What a function takes and gives.
struct FunctionLayout {
  int converged = 0;                                           // the status of an evaluation with results
  std::size_t numbers = 0;                                     // of its results that go to x
  bool others = false;                                         // whether those beyond go to r
  std::array<std::vector<Input>, 2> signals{};                 // in the order of s and of e
  std::size_t most_operations = static_cast<std::size_t>(-1);  // beyond, the ways least taken are left out
  std::size_t most_unvisited = static_cast<std::size_t>(-1);   // operations on ways that no step of the runs took
  bool lanes = false;                                          // a function of lanes
  bool table = false;                                          // whether other ways, within the same limit, follow in a table
};
struct CFunction {
  std::string text;
  int operations = 0, ways = 0;  // in it
  int longest = 0;               // operations of its longest way
  std::vector<bool> blocks;      // of the recording, that it has
  struct Table {
    std::string text;  // the function NAME_by_table; empty: there are no other ways
    int operations = 0, ways = 0, longest = 0;
    std::vector<bool> blocks;
  } table;
  std::string preparation;  // a function of its own; empty without parameters
  int prepared = 0;         // numbers that it gives
};
/// The function of a recorded evaluation, named `name`:
///   static int NAME(double *x, double t, double h, const double *s, const double *e, const double *u, const double *k, double *r)
/// x: numbers of the state, replaced by results; t [s]: time at the start of the step; h [s]: its length; s, e: the signals that are inputs
/// of the recording at its start and at its end (signal_inputs()); u: inputs of the machine; k: what the preparation
/// gave; r: other results. Returns 0; 1 on a way that is not in
/// the function, 2 where the recorded evaluation did not end with the status `converged`, both with x and r unchanged.
/// The preparation computes what depends on the parameters p alone:
///   static int prepare_NAME(const double *p, double *k)
/// Returns 0, or 1 where parameters lead another way than those recorded, with k unchanged.
///
/// Ways beyond `most_operations` may be in a table, which a second function NAME_by_table follows, with the same arguments and results: slower,
/// but compiled in a time in proportion to their number.
///
/// A function of lanes evaluates LANES machines at once, as many as the processor has (8, 4 or 2). Numbers of LANES_IN_ARRAYS machines lie
/// side by side in x, s, e, u, k and r, which point to those of the first one. It follows every way that one of them takes, while the
/// others wait, and gives in each the numbers that it gives alone:
///   static lanes_mask NAME(lanes_number *x, lanes_number t, lanes_number h, const lanes_number *s, ..., lanes_number *r, lanes_mask lanes)
/// Returns those of `lanes` without results: their x and r are unchanged. Before it: lanes_declarations(), for gcc and clang.
CFunction c_function(const Recorder& recording, const std::string& name, const FunctionLayout& layout);

/// Of a file with functions of lanes; needs LANES_IN_ARRAYS, a multiple of 8.
const char* lanes_declarations();

/// The signals that are inputs of a recording at the start, or at the end of a step, in the order of their first use.
std::vector<Input> signal_inputs(const Recorder& recording, bool at_end);

}  // namespace recording
