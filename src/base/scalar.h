// Scalar functions that equations use on every scalar type: double here, dual numbers in dual.h, packs in pack.h. In a recording
// (recording/prelude.h) `double` is a number that remembers how it was computed, for sensitivities (tangents/prelude.h) one with its
// derivatives, for lanes (lanes/prelude.h) the numbers of several machines. Equations never branch on a scalar; they call select(condition, a, b) with both sides finite.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

/// Small functions of the step's inner loop: without forced inlining g++ loses a third of the speed.
#define TR_INLINE [[gnu::always_inline]] inline
/// Sweeps of the inner loop with everything they call inlined: in a file with many of them g++ reaches its limits and does not inline the
/// spatial vector algebra. Disabled for fast builds from scratch (CMake option TRUNNION_UNITY).
#ifdef TRUNNION_FLATTEN
#define TR_FLATTEN [[gnu::flatten]]
#else
#define TR_FLATTEN
#endif

namespace trunnion {

using std::abs;
using std::atan2;
using std::cos;
using std::exp;
using std::pow;
using std::sin;
using std::sqrt;
using std::tanh;

/// Result of a comparison.
using Mask = decltype(double() < double());

/// `a` if `condition`, otherwise `b`.
#ifdef TRUNNION_NUMBERS
using TRUNNION_NUMBERS::select;
#else
inline double select(bool condition, double a, double b) { return condition ? a : b; }
#endif
#if defined(TRUNNION_RECORDING) || defined(TRUNNION_LANES)
/// In the branches of equations that a recording, and lanes, have as operations, not as branches.
inline constexpr bool kRecording = true;
#else
inline constexpr bool kRecording = false;
#endif
#ifdef TRUNNION_TANGENTS
/// Numbers have derivatives: an iteration that begins at its solution still makes a step, which gives it its derivatives.
inline constexpr bool kTangents = true;
#else
inline constexpr bool kTangents = false;
#endif
inline double max(double a, double b) { return select(a > b, a, b); }
inline double min(double a, double b) { return select(a < b, a, b); }
/// -1, 0 or 1.
inline double sign(double x) { return double(x > 0) - double(x < 0); }
/// The plain number behind a scalar, without its derivatives.
inline double value_of(double x) { return x; }

}  // namespace trunnion
