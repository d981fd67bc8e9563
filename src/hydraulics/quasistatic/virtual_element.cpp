// Stability limits and parameters of the virtual viscoelastic element.
// SPDX-License-Identifier: BSD-3-Clause
#include "hydraulics/quasistatic/virtual_element.h"

#include <cmath>
#include <complex>
#include <limits>

namespace trunnion {

namespace {

constexpr double kRungeKutta = 2.785293563405282;  // end of its stable interval on the negative real axis

/// Classical Runge-Kutta method on l_ddot = -k l - b l_dot.
double runge_kutta_limit(double k, double b) {
  const double square = b * b - 4 * k;
  if (square >= 0) return 2 * kRungeKutta / (b + std::sqrt(square));
  const std::complex<double> direction = std::complex<double>(-b, std::sqrt(-square)) / (2 * std::sqrt(k));  // of length 1
  constexpr double kInside = 2, kOutside = 4;  // |z| that are stable and unstable for all directions in the left half-plane
  const auto growth = [&](double size) {
    const std::complex<double> z = size * direction;
    return std::abs(1.0 + z * (1.0 + z / 2.0 * (1.0 + z / 3.0 * (1.0 + z / 4.0)))) - 1;
  };
  double low = kInside, high = kOutside;
  while (true) {
    const double middle = (low + high) / 2;
    if (!(middle > low && middle < high)) return low / std::sqrt(k);
    (growth(middle) > 0 ? high : low) = middle;
  }
}

}  // namespace

double VirtualElement::longest_stable_step(IntegratorKind integrator, bool discrete, double inverse_mass) const {
  constexpr double kAny = std::numeric_limits<double>::infinity();
  const double k = stiffness * inverse_mass, b = damping * inverse_mass, free = relaxation_time();
  switch (integrator) {
    case IntegratorKind::euler:
      if (discrete) return k > 0 ? b / (k + b * b) : kAny;
      if (!(k > 0)) return 2 * free;
      return b * b <= 4 * k ? free : 4 / (b + std::sqrt(b * b - 4 * k));
    case IntegratorKind::semi_implicit_euler:
      return k > 0 ? 4 / (b + std::sqrt(b * b + 4 * k)) : kAny;
    case IntegratorKind::rk4: {
      if (!discrete) return k > 0 ? std::min(kRungeKutta * free, runge_kutta_limit(k, b)) : kRungeKutta * free;
      const double sum = k + b * b;
      return k > 0 ? 4 * b / (sum + std::sqrt(sum * sum + 4 * b * b * k)) : kAny;
    }
    default:
      return kAny;
  }
}

}  // namespace trunnion
