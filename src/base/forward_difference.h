// Derivatives of a residual by forward differences.
// Source: Jaiswal, Sopanen, Mikkola 2021 (friction), (41), (42).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace trunnion {

/// Increment of an unknown of value x.
inline double difference_size(double x) { return 1e-8 * std::max(1e-2, std::abs(x)); }

/// J, rows x n, row by row, of residual(out), `rows` numbers. `base` receives the residual itself, evaluated before the differences and
/// again after them, so that the scratch of the last evaluation is that of the unknowns; `changed`: scratch of the same size.
///   add(j)      adds an increment to unknown j and returns it; 0: the unknowns cannot be reached
///   restore(j)  takes it back; false: they cannot be reached
template <class Add, class Restore, class Residual>
bool forward_differences(std::size_t rows, std::size_t n, double* J, double* base, double* changed, Add&& add, Restore&& restore,
                         Residual&& residual) {
  residual(base);
  for (std::size_t j = 0; j < n; ++j) {
    const double size = add(j);
    if (size == 0) return false;
    residual(changed);
    for (std::size_t i = 0; i < rows; ++i) J[i * n + j] = (changed[i] - base[i]) / size;
    if (!restore(j)) return false;
  }
  residual(base);
  return true;
}

}  // namespace trunnion
