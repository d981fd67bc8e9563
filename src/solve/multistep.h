// Common interface to the variable-step, variable-order backward differentiation formulas of SUNDIALS:
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
  /// Local errors are kept below relative (|x_i| + size_i), size_i the reference size of x_i; steps below `longest` [s]. `algebraic`
  /// entries (ida) have no derivative and no error test.
  Multistep(MultistepKind kind, FirstOrderSystem& system, double longest, double relative, const std::vector<double>& sizes,
            const std::vector<bool>& algebraic);
  ~Multistep();
  Multistep(const Multistep&) = delete;
  Multistep& operator=(const Multistep&) = delete;

  std::size_t size() const { return size_; }
  double* x();
  double* x_dot();  // ida only

  /// Starts at t from x() and, for ida, x_dot(), which must be consistent. Never steps beyond t_stop [s].
  bool start(double t, double t_stop);
  /// Brings x() to time t <= t_stop. False: see failure().
  bool advance(double t);
  /// Estimated local errors, their magnitudes summed over the internal steps since the last clear_errors().
  const double* errors() const;
  void clear_errors();
  /// Linear solves since start().
  long iterations() const;
  /// Result of the last call, for example `CV_CONV_FAILURE`.
  std::string failure() const;

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
  MultistepKind kind_;
  std::size_t size_;
  int flag_ = 0;
};

}  // namespace trunnion
