// Dense LU factorisation with partial pivoting of small matrices in place, without allocation: the inner loop of the step.
// Row-major, contiguous. Sizes up to 6 are unrolled. Larger systems outside the step use Eigen.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <type_traits>
#include <utility>

#include "base/scalar.h"

namespace trunnion {

namespace lu_detail {

/// Calls body(std::integral_constant<int, n>) for small n, so that loops unroll, body(n) otherwise.
template <class Body>
TR_INLINE auto with_size(int n, Body&& body) {
  switch (n) {
    case 1:
      return body(std::integral_constant<int, 1>());
    case 2:
      return body(std::integral_constant<int, 2>());
    case 3:
      return body(std::integral_constant<int, 3>());
    case 4:
      return body(std::integral_constant<int, 4>());
    case 5:
      return body(std::integral_constant<int, 5>());
    case 6:
      return body(std::integral_constant<int, 6>());
    default:
      return body(n);
  }
}

/// y -= factor x, where x and y do not overlap: for sizes that are not unrolled, in full registers. Larger matrices have many zeros.
TR_INLINE void subtract(int n, double factor, const double* __restrict x, double* __restrict y) {
  if (factor == 0) return;
  for (int j = 0; j < n; ++j) y[j] -= factor * x[j];
}
/// Substitution in rows [i, i + kRows) of a factored matrix at once: a single row is limited by addition latency.
template <int kRows>
TR_INLINE void substitute_forward(const double* A, int n, int i, double* b) {
  double s[kRows];
  for (int r = 0; r < kRows; ++r) s[r] = b[i + r];
  for (int j = 0; j < i; ++j)
    for (int r = 0; r < kRows; ++r) s[r] -= A[(i + r) * n + j] * b[j];
  for (int r = 0; r < kRows; ++r) {
    for (int q = 0; q < r; ++q) s[r] -= A[(i + r) * n + i + q] * s[q];
    b[i + r] = s[r];
  }
}
template <int kRows>
TR_INLINE void substitute_backward(const double* A, int n, int i, double* b) {
  double s[kRows];
  for (int r = 0; r < kRows; ++r) s[r] = b[i + r];
  for (int j = i + kRows; j < n; ++j)
    for (int r = 0; r < kRows; ++r) s[r] -= A[(i + r) * n + j] * b[j];
  for (int r = kRows - 1; r >= 0; --r) {
    for (int q = r + 1; q < kRows; ++q) s[r] -= A[(i + r) * n + i + q] * s[q];
    b[i + r] = s[r] *= A[(i + r) * n + i + r];
  }
}
template <class Size>
constexpr bool kUnrolled = !std::is_same_v<Size, int>;

template <class Size>
TR_INLINE bool factor(double* A, Size n, int* pivot) {
  for (int k = 0; k < n; ++k) {
    int best = k;
    double size = std::abs(A[k * n + k]);
    for (int i = k + 1; i < n; ++i) {
      const double candidate = std::abs(A[i * n + k]);
      if (candidate > size) {
        size = candidate;
        best = i;
      }
    }
    pivot[k] = best;
    if (!(size > 0) || !std::isfinite(size)) return false;
    if (best != k)
      for (int j = 0; j < n; ++j) std::swap(A[k * n + j], A[best * n + j]);
    const double inverse = 1 / A[k * n + k];
    A[k * n + k] = inverse;
    for (int i = k + 1; i < n; ++i) {
      const double ratio = A[i * n + k] *= inverse;
      if constexpr (kUnrolled<Size>)
        for (int j = k + 1; j < n; ++j) A[i * n + j] -= ratio * A[k * n + j];
      else
        subtract(n - k - 1, ratio, A + k * n + k + 1, A + i * n + k + 1);
    }
  }
  return true;
}

template <class Size>
TR_INLINE void solve(const double* A, Size n, const int* pivot, double* b) {
  for (int k = 0; k < n; ++k)
    if (pivot[k] != k) std::swap(b[k], b[pivot[k]]);
  if constexpr (kUnrolled<Size>) {
    for (int i = 1; i < n; ++i) {
      double s = b[i];
      for (int j = 0; j < i; ++j) s -= A[i * n + j] * b[j];
      b[i] = s;
    }
    for (int i = n - 1; i >= 0; --i) {
      double s = b[i];
      for (int j = i + 1; j < n; ++j) s -= A[i * n + j] * b[j];
      b[i] = s * A[i * n + i];
    }
  } else {
    constexpr int kRows = 8;
    int i = 0;  // the incomplete block first: there rows are short
    for (; i < n % kRows; ++i) substitute_forward<1>(A, n, i, b);
    for (; i < n; i += kRows) substitute_forward<kRows>(A, n, i, b);
    for (i = n - 1; i >= n - n % kRows; --i) substitute_backward<1>(A, n, i, b);
    for (i -= kRows - 1; i >= 0; i -= kRows) substitute_backward<kRows>(A, n, i, b);
  }
}

template <class Size>
TR_INLINE void solve_transposed(const double* A, Size n, const int* pivot, double* b) {
  if constexpr (kUnrolled<Size>) {
    for (int i = 0; i < n; ++i) {
      double s = b[i];
      for (int j = 0; j < i; ++j) s -= A[j * n + i] * b[j];
      b[i] = s * A[i * n + i];
    }
    for (int i = n - 2; i >= 0; --i) {
      double s = b[i];
      for (int j = i + 1; j < n; ++j) s -= A[j * n + i] * b[j];
      b[i] = s;
    }
  } else {  // row by row
    for (int i = 0; i < n; ++i) {
      b[i] *= A[i * n + i];
      subtract(n - i - 1, b[i], A + i * n + i + 1, b + i + 1);
    }
    for (int i = n - 1; i > 0; --i) subtract(i, b[i], A + i * n, b);
  }
  for (int k = n - 1; k >= 0; --k)
    if (pivot[k] != k) std::swap(b[k], b[pivot[k]]);
}

}  // namespace lu_detail

/// Factors the n x n matrix A in place (P A = L U, unit L); `pivot` receives n row indices. The diagonal of U is stored
/// inverted. False when a pivot is zero or not finite.
inline bool lu_factor(double* A, int n, int* pivot) {
  return lu_detail::with_size(n, [&](auto size) { return lu_detail::factor(A, size, pivot); });
}

/// Solves A x = b in place for a factored A.
inline void lu_solve(const double* A, int n, const int* pivot, double* b) {
  lu_detail::with_size(n, [&](auto size) { lu_detail::solve(A, size, pivot, b); });
}

/// Solves A^T x = b in place for a factored A.
inline void lu_solve_transposed(const double* A, int n, const int* pivot, double* b) {
  lu_detail::with_size(n, [&](auto size) { lu_detail::solve_transposed(A, size, pivot, b); });
}

}  // namespace trunnion
