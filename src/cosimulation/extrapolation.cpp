// Lagrange and Hermite polynomials by divided differences.
// SPDX-License-Identifier: BSD-3-Clause
#include "cosimulation/extrapolation.h"

#include <algorithm>
#include <array>

namespace trunnion {

namespace {

constexpr int kMostNodes = kMostPoints + 1;
using Nodes = std::array<double, kMostNodes>;

/// sum_k d_k (x - t_0) ... (x - t_{k-1}) in powers of x - t_0, by Horner's scheme from the last term.
TimePolynomial in_powers(const Nodes& t, const Nodes& d, int nodes) {
  TimePolynomial course;
  course.begin = t[0];
  course.c[0] = d[nodes - 1];
  for (int k = nodes - 2; k >= 0; --k) {
    const double root = t[k] - t[0];
    for (int j = nodes - 1 - k; j > 0; --j) course.c[j] = course.c[j - 1] - root * course.c[j];
    course.c[0] = d[k] - root * course.c[0];
  }
  return course;
}

}  // namespace

TimePolynomial lagrange(const double* t, const double* x, int points) {
  Nodes time{}, d{};
  std::copy_n(t, points, time.begin());
  std::copy_n(x, points, d.begin());
  for (int level = 1; level < points; ++level)
    for (int i = points - 1; i >= level; --i) d[i] = (d[i] - d[i - 1]) / (time[i] - time[i - level]);
  return in_powers(time, d, points);
}

TimePolynomial hermite(const double* t, const double* x, int points, double rate) {
  Nodes time{}, d{};
  const int nodes = points + 1;
  time[0] = t[0];
  d[0] = x[0];
  std::copy_n(t, points, time.begin() + 1);  // the newest twice
  std::copy_n(x, points, d.begin() + 1);
  for (int level = 1; level < nodes; ++level)
    for (int i = nodes - 1; i >= level; --i) d[i] = level == 1 && i == 1 ? rate : (d[i] - d[i - 1]) / (time[i] - time[i - level]);
  return in_powers(time, d, nodes);
}

TimePolynomial integral(double value, const TimePolynomial& rate) {
  TimePolynomial course;
  course.begin = rate.begin;
  course.c[0] = value;
  for (std::size_t k = 1; k < TimePolynomial::kCoefficients; ++k) course.c[k] = rate.c[k - 1] / static_cast<double>(k);
  return course;
}

}  // namespace trunnion
