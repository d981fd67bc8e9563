// Newton's method: the iteration of every implicit step, and how it ends.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <optional>

#include "base/scalar.h"

namespace trunnion {

/// The larger of two scaled increments; NaN if `b` is.
inline double larger(double a, double b) { return select(b <= a, a, b); }

enum class NewtonVerdict {
  converged,    // the last increments were below their tolerances
  capped,       // iteration cap reached
  singular,     // the linear system has no solution
  diverged,     // an unknown became non-finite
  interrupted,  // the unknowns cannot be reached
};

/// What follows when the unknowns are at their new values.
enum class NewtonArrival { accepted, open, unreachable };

/// Iterates until the increments are below their tolerances, or until `iterations`, a count that goes on, is `last`.
///   increment(i)         i-th iteration: solves the linearised equations and adds the increments; the largest over its tolerance,
///                        empty if there is no solution. May count further iterations of its own.
///   arrive(last, capped) moves to the new unknowns; `last`: the increments were small, or `capped`. Open: iterate in spite of `last`.
template <class Increment, class Arrive>
NewtonVerdict newton(int last, int& iterations, Increment&& increment, Arrive&& arrive) {
  for (int i = 1;; ++i) {
    ++iterations;
    const std::optional<double> size = increment(i);
    if (!size) return NewtonVerdict::singular;
    if (!std::isfinite(*size)) return NewtonVerdict::diverged;
    const bool small = *size < 1, capped = iterations >= last;
    const NewtonArrival arrival = arrive(small || capped, capped);
    if (arrival == NewtonArrival::unreachable) return NewtonVerdict::interrupted;
    if ((small || capped) && arrival == NewtonArrival::accepted) return small ? NewtonVerdict::converged : NewtonVerdict::capped;
  }
}

}  // namespace trunnion
