// Radau IIA, order 9: see the header.
// SPDX-License-Identifier: BSD-3-Clause
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"  // by the compiler's own vector headers inside Eigen (GCC bug 105593)
#endif

#include "problems/radau_iia.h"

#include <algorithm>
#include <array>
#include <complex>
#include <stdexcept>

namespace trunnion::problems {
namespace {

constexpr int kMaxNewton = 12;
constexpr double kNewtonTolerance = 1e-3;  // of the error allowed
constexpr double kSmallestStep = 1e-15;    // [s]
constexpr double kAtCorner = 1e-6;         // fraction of a step below which it starts in the corner
constexpr double kAtJump = 1e-8;           // fraction of a step by which it may pass a jump
constexpr double kSafety = 0.85;
constexpr double kLargestGrowth = 5, kLargestCut = 0.1;

/// Legendre polynomial by its three-term recurrence.
long double legendre(int n, long double x) {
  long double p0 = 1, p1 = x;
  if (n == 0) return p0;
  for (int k = 1; k < n; ++k) {
    const long double p2 = ((2 * k + 1) * x * p1 - k * p0) / (k + 1);
    p0 = p1;
    p1 = p2;
  }
  return p1;
}

}  // namespace

struct RadauIIA::Coefficients {
  Eigen::Matrix<double, kStages, 1> c;
  Eigen::Matrix<double, kStages, kStages> a_inverse;
  Eigen::Matrix<Complex, kStages, kStages> t, t_inverse;  // A^-1 = T Lambda T^-1
  Eigen::Matrix<Complex, kStages, 1> lambda;
  double gamma0 = 0;                             // 1 / the real eigenvalue
  Eigen::Matrix<double, kStages, 1> e;           // error = gamma0 h f0 + Z e, before filtering
  Eigen::Matrix<double, kStages + 1, 1> points;  // 0 and c

  Coefficients() {
    // nodes: zeros of P_s(2c-1) - P_(s-1)(2c-1), the last one is 1; found by bisection between sign changes
    auto g = [](long double x) { return legendre(kStages, 2 * x - 1) - legendre(kStages - 1, 2 * x - 1); };
    int found = 0;
    constexpr int kGrid = 997;
    for (int k = 0; k < kGrid && found < kStages - 1; ++k) {
      long double lo = k / static_cast<long double>(kGrid), hi = (k + 1) / static_cast<long double>(kGrid);
      if (g(lo) * g(hi) > 0) continue;
      for (int i = 0; i < 80; ++i) (g(lo) * g((lo + hi) / 2) <= 0 ? hi : lo) = (lo + hi) / 2;
      c[found++] = static_cast<double>((lo + hi) / 2);
    }
    c[kStages - 1] = 1;
    // collocation: A V = W with V_jk = c_j^(k-1), W_ik = c_i^k / k
    using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;  // dynamic: faster to compile
    LongMatrix v(kStages, kStages), w(kStages, kStages);
    for (int j = 0; j < kStages; ++j) {
      long double power = 1;
      for (int k = 0; k < kStages; ++k) {
        v(j, k) = power;
        power *= c[j];
        w(j, k) = power / (k + 1);
      }
    }
    const LongMatrix v_inverse = v.fullPivLu().inverse();
    const LongMatrix a = w * v_inverse;
    const LongMatrix a_inv = a.fullPivLu().inverse();
    a_inverse = a_inv.cast<double>();
    const Eigen::EigenSolver<Eigen::MatrixXd> eigen(a_inverse);
    t = eigen.eigenvectors();
    lambda = eigen.eigenvalues();
    t_inverse = eigen.eigenvectors().inverse();
    for (int k = 0; k < kStages; ++k)
      if (std::abs(lambda[k].imag()) < 1e-9) gamma0 = 1 / lambda[k].real();
    // embedded formula: gamma0 f0 + sum b^_i f_i exact to degree s-1; e^T = (b^ - b)^T A^-1, b^ - b = -gamma0 (first unit vector) V^-1
    const Eigen::Matrix<long double, 1, kStages> db = -static_cast<long double>(gamma0) * v_inverse.row(0);
    e = (db * a_inv).transpose().cast<double>();
    points << 0, c;
  }
};

const RadauIIA::Coefficients& RadauIIA::coefficients() {
  static const Coefficients kCoefficients;
  return kCoefficients;
}

RadauIIA::RadauIIA(OdeSystem system, double t, Eigen::VectorXd y, double first_step)
    : ode_(std::move(system)), t_(t), y_(std::move(y)), step_(first_step), n_(static_cast<int>(y_.size())) {
  f0_ = weight_ = work_ = Eigen::VectorXd::Zero(n_);
  jacobian_ = Eigen::MatrixXd::Zero(n_, n_);
  z_ = z_previous_ = Eigen::MatrixXd::Zero(n_, kStages);
}

double RadauIIA::scaled_norm(const Eigen::MatrixXd& z) const { return (z.array().colwise() / weight_.array()).abs().maxCoeff(); }

/// y at t + fraction h on the collocation polynomial of the stages now in z.
Eigen::VectorXd RadauIIA::inside(double fraction) const {
  const auto& k = coefficients();
  Eigen::VectorXd y = y_;
  for (int i = 1; i <= kStages; ++i) {
    double basis = 1;
    for (int j = 0; j <= kStages; ++j)
      if (j != i) basis *= (fraction - k.points[j]) / (k.points[i] - k.points[j]);
    y += basis * z_.col(i - 1);
  }
  return y;
}

bool RadauIIA::solve_stages(double h) {
  const auto& k = coefficients();
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(n_, n_);
  real_factor_.compute(identity / (k.gamma0 * h) - jacobian_);
  for (int i = 0; i < kStages; ++i)
    if (k.lambda[i].imag() > 0) factors_[i].compute((k.lambda[i] / h) * identity.cast<Complex>() - jacobian_.cast<Complex>());

  // start from the previous step's polynomial if the extrapolation is short
  z_.setZero();
  if (h_previous_ > 0 && h <= 2 * h_previous_) {
    for (int m = 0; m < kStages; ++m) {
      const double x = 1 + k.c[m] * h / h_previous_;
      for (int i = 1; i <= kStages; ++i) {
        double basis = 1;
        for (int j = 0; j <= kStages; ++j)
          if (j != i) basis *= (x - k.points[j]) / (k.points[i] - k.points[j]);
        z_.col(m) += basis * z_previous_.col(i - 1);
      }
      z_.col(m) -= z_previous_.col(kStages - 1);
    }
  }
  Eigen::MatrixXd f(n_, kStages), dz(n_, kStages);
  Eigen::MatrixXcd r(n_, kStages), dw(n_, kStages);
  double previous = 0;
  for (int iteration = 0; iteration < kMaxNewton; ++iteration) {
    for (int i = 0; i < kStages; ++i) {
      const Eigen::VectorXd stage = y_ + z_.col(i);
      ode_.rate(t_ + k.c[i] * h, stage, work_);
      f.col(i) = work_;
    }
    if (!f.allFinite()) return false;
    const Eigen::MatrixXd residual = f - z_ * k.a_inverse.transpose() / h;
    r = residual.cast<Complex>() * k.t_inverse.transpose();
    dz.setZero();
    for (int i = 0; i < kStages; ++i) {
      const double imaginary = k.lambda[i].imag();
      if (imaginary < -1e-9) continue;  // the conjugate twin of another one
      if (imaginary > 1e-9) {
        const Eigen::VectorXcd w = factors_[i].solve(r.col(i));
        for (int m = 0; m < kStages; ++m) dz.col(m) += 2 * (k.t(m, i) * w).real();
      } else {
        const Eigen::VectorXd w = real_factor_.solve(r.col(i).real());
        for (int m = 0; m < kStages; ++m) dz.col(m) += k.t(m, i).real() * w;
      }
    }
    z_ += dz;
    const double norm = scaled_norm(dz);
    if (!std::isfinite(norm)) return false;
    const double contraction = iteration > 0 ? norm / previous : 0.5;
    if (norm == 0 || (contraction < 1 && norm * contraction / (1 - contraction) < kNewtonTolerance)) return true;
    if (iteration > 1 && contraction >= 1) return norm < 1;  // stalled on rounding: accepted if below the allowed error
    previous = norm;
  }
  return false;
}

double RadauIIA::error_norm(double h) {
  const auto& k = coefficients();
  const Eigen::VectorXd combination = z_ * k.e;
  Eigen::VectorXd error = real_factor_.solve(f0_ + combination / (k.gamma0 * h));
  double norm = scaled_norm(error);
  if (norm > 1) {  // filter again: otherwise stiff parts of f0 would be included
    const Eigen::VectorXd shifted = y_ + error;
    ode_.rate(t_, shifted, work_);
    error = real_factor_.solve(work_ + combination / (k.gamma0 * h));
    if (error.allFinite()) norm = std::min(norm, scaled_norm(error));
  }
  return norm;
}

/// Where in the step the first of these values changes its sign, as a fraction; 1: nowhere.
double RadauIIA::first_crossing(const OdeSystem::Crossings& crossings, double from) {
  crossings(y_, before_);
  crossings(inside(1), after_);
  double first = 1;
  for (std::size_t i = 0; i < before_.size(); ++i) {
    const bool positive = before_[i] > 0;
    if ((after_[i] > 0) == positive) continue;
    double lo = 0, hi = 1;
    for (int bisection = 0; bisection < 60; ++bisection) {
      const double middle = (lo + hi) / 2;
      crossings(inside(middle), values_);
      ((values_[i] > 0) == positive ? lo : hi) = middle;
    }
    if (hi > from) first = std::min(first, hi);
  }
  return first;
}

void RadauIIA::accept(double t_new, double h) {
  y_ += z_.col(kStages - 1);
  t_ = t_new;
  z_previous_ = z_;
  h_previous_ = h;
  ++steps_;
}

void RadauIIA::advance_to(double t_end) {
  bool fresh = true;
  double cut = 0;  // length to a corner or jump inside the last attempted step; 0: none
  while (t_ < t_end) {
    double h = cut > 0 ? std::min(cut, step_) : step_;
    const double left = t_end - t_;
    const bool last = h >= left;
    if (last) h = left;
    if (!last && h > 0.7 * left) h = left / 2;
    if (h < kSmallestStep && !last) throw std::runtime_error("RadauIIA: the step size vanishes at t = " + std::to_string(t_));
    if (fresh) {
      weight_ = ode_.absolute_tolerance + ode_.relative_tolerance * y_.cwiseAbs();
      ode_.rate(t_, y_, f0_);
      ode_.jacobian(t_, y_, jacobian_);
      fresh = false;
    }
    if (!solve_stages(h)) {
      ++rejected_;
      h_previous_ = cut = 0;
      step_ = h / 4;
      continue;
    }
    const double error = error_norm(h);
    const double factor = std::clamp(kSafety * std::pow(std::max(error, 1e-12), -1.0 / (kStages + 1)), kLargestCut, kLargestGrowth);
    if (error > 1) {
      ++rejected_;
      step_ = factor * h;
      const double corner = ode_.corners ? first_crossing(ode_.corners, kAtCorner) : 1;
      cut = corner < 1 ? corner * h : 0;
      if (corner * h > step_ && corner < 0.99) step_ = corner * h;  // the corner alone may be the cause
      continue;
    }
    bool jumped = false;
    if (ode_.jumps) {
      const double fraction = first_crossing(ode_.jumps, 0);
      jumped = fraction < 1;
      if (jumped && !(cut > 0 && fraction > 1 - kAtJump)) {  // again, to end just past the jump
        ++rejected_;
        cut = std::max(fraction * (1 + kAtJump / 2) * h, kSmallestStep);
        if (cut < h) continue;
      }
    }
    accept(last ? t_end : t_ + h, h);
    fresh = true;
    if (jumped) {
      ode_.at_jump(y_);
      h_previous_ = 0;
    }
    if ((!last && !(cut > 0)) || factor * h > step_) step_ = factor * h;
    cut = 0;
  }
}

}  // namespace trunnion::problems
