// Common interface to the variable-step, variable-order backward differentiation formulas of SUNDIALS, which the whole library has and the
// core has not:
//   cvode   x' = f(t, x)          ordinary differential equations
//   ida     F(t, x, x') = 0       index-1 differential-algebraic equations
// with a dense Jacobian by difference quotients. A reference, not for large systems: it allocates, and its cost is cubic in the size.
// Source: Hindmarsh et al. 2005, SUNDIALS: Suite of nonlinear and differential/algebraic equation solvers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace trunnion {

class FirstOrderSystem {
 public:
  virtual ~FirstOrderSystem() = default;
  /// cvode: out = f(t, x), x_dot is null; ida: out = F(t, x, x_dot). False: recoverable failure, a smaller step may succeed.
  virtual bool evaluate(double t, const double* x, const double* x_dot, double* out) = 0;
};

enum class MultistepKind { cvode, ida };

class Multistep {
 public:
  virtual ~Multistep() = default;
  Multistep() = default;
  Multistep(const Multistep&) = delete;
  Multistep& operator=(const Multistep&) = delete;

  virtual std::size_t size() const = 0;
  virtual double* x() = 0;
  virtual double* x_dot() = 0;  // ida only

  /// Starts at t from x() and, for ida, x_dot(), which must be consistent. Never steps beyond t_stop [s].
  virtual bool start(double t, double t_stop) = 0;
  /// Brings x() to time t <= t_stop. False: see failure().
  virtual bool advance(double t) = 0;
  /// Estimated local errors, their magnitudes summed over the internal steps since the last clear_errors().
  virtual const double* errors() const = 0;
  virtual void clear_errors() = 0;
  /// Linear solves since start().
  virtual long iterations() const = 0;
  /// Result of the last call, for example `CV_CONV_FAILURE`.
  virtual std::string failure() const = 0;
};

/// Local errors are kept below relative (|x_i| + size_i), size_i the reference size of x_i; steps below `longest` [s]. `algebraic`
/// entries (ida) have no derivative and no error test.
using MakeMultistep = std::unique_ptr<Multistep> (*)(MultistepKind kind, FirstOrderSystem& system, double longest, double relative,
                                                     const std::vector<double>& sizes, const std::vector<bool>& algebraic);

/// That of this build, null if it has none: defined by external/multistep.cpp or by builtin/multistep.cpp, whichever is linked.
MakeMultistep multistep_factory();

}  // namespace trunnion
