// Radau IIA collocation with five stages (order 9, stiffly accurate), for reference solutions only.
// Independent of the library on purpose, to avoid common errors of reference and library.
//   Z_i = h sum_j a_ij f(t + c_j h, y + Z_j),   y_new = y + Z_5
// Simplified Newton with the Jacobian of the step's start, decoupled by the eigenvectors of A^-1; step size from the
// embedded formula of order 5 (E. Hairer, G. Wanner, Solving ODEs II, IV.8). Every accepted error is far below the tolerance.
// Corners of the right-hand side: a step rejected because of a corner is split at the corner. Jumps: no step crosses one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <vector>

#include "problems/slope.h"

namespace trunnion::problems {

/// y' = f(t, y), its Jacobian, the tolerances, and where f has corners and jumps.
struct OdeSystem {
  using Vector = Eigen::VectorXd;
  std::function<void(double t, const Vector& y, Vector& f)> rate;
  std::function<void(double t, const Vector& y, Eigen::MatrixXd& jacobian)> jacobian;
  Vector absolute_tolerance;      // per component; the error allowed is absolute + relative |y|
  double relative_tolerance = 0;  // [-]
  using Crossings = std::function<void(const Vector& y, std::vector<double>& values)>;
  Crossings corners;  // values that are zero at the corners of f; may be empty
  Crossings jumps;    // values at whose sign changes f jumps; may be empty. f stays on one side until `at_jump`
  std::function<void(const Vector& y)> at_jump;
};

/// Rate and Jacobian of a system of size n from one template `problem(t, const S* y, S* f)`; `problem` must outlive the result.
template <class Problem>
OdeSystem make_ode(const Problem& problem, int n) {
  OdeSystem ode;
  ode.rate = [&problem](double t, const Eigen::VectorXd& y, Eigen::VectorXd& f) { problem(t, y.data(), f.data()); };
  ode.jacobian = [&problem, n, y_slope = std::vector<Slope>(n), f_slope = std::vector<Slope>(n)](double t, const Eigen::VectorXd& y,
                                                                                                 Eigen::MatrixXd& jacobian) mutable {
    for (int j = 0; j < n; ++j) y_slope[j] = y[j];
    for (int j = 0; j < n; ++j) {
      y_slope[j].slope = 1;
      problem(t, y_slope.data(), f_slope.data());
      y_slope[j].slope = 0;
      for (int i = 0; i < n; ++i) jacobian(i, j) = f_slope[i].slope;
    }
  };
  ode.absolute_tolerance = Eigen::VectorXd::Constant(n, 1e-12);
  return ode;
}

class RadauIIA {
 public:
  RadauIIA(OdeSystem system, double t, Eigen::VectorXd y, double first_step);

  /// Integrates to exactly t_end; throws std::runtime_error when the step size vanishes.
  void advance_to(double t_end);

  /// Calls record(t) at the start and then every `output_step` [s], a whole part of a second, to t_end.
  template <class Record>
  void record_to(double t_end, double output_step, Record&& record) {
    record(t_);
    const long count = std::lround(t_end / output_step);
    for (long k = 1; k <= count; ++k) {
      const double t = static_cast<double>(k) / std::round(1 / output_step);
      advance_to(t);
      record(t);
    }
  }

  double time() const { return t_; }
  const Eigen::VectorXd& state() const { return y_; }
  long steps() const { return steps_; }
  long rejected() const { return rejected_; }

 private:
  static constexpr int kStages = 5;
  using Complex = std::complex<double>;
  struct Coefficients;
  static const Coefficients& coefficients();

  bool solve_stages(double h);
  double error_norm(double h);
  double scaled_norm(const Eigen::MatrixXd& z) const;
  Eigen::VectorXd inside(double fraction) const;
  double first_crossing(const OdeSystem::Crossings& crossings, double from);
  void accept(double t_new, double h);

  OdeSystem ode_;
  double t_;
  Eigen::VectorXd y_;
  double step_;
  long steps_ = 0, rejected_ = 0;
  int n_;
  Eigen::VectorXd f0_, weight_, work_;
  Eigen::MatrixXd jacobian_, z_, z_previous_;  // z: one column per stage
  double h_previous_ = 0;                      // 0: no previous polynomial
  std::array<Eigen::PartialPivLU<Eigen::MatrixXcd>, kStages> factors_;
  Eigen::PartialPivLU<Eigen::MatrixXd> real_factor_;
  std::vector<double> before_, after_, values_;
};

}  // namespace trunnion::problems
