// Of the preludes with which files of the core are compiled again with another type of numbers for `double` (recording/prelude.h,
// tangents/prelude.h): TRUNNION_NUMBERS is the namespace of that type, `Number`, and all names of the core are in another namespace, so
// that the equations exist once.
// The standard functions of `double` are given to Number, too. Everything of the standard library and of others that the core uses comes
// first, with their own meaning of `double`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <Eigen/Core>
#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cmath>
#include <complex>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <locale>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <nlohmann/json.hpp>
#include <numbers>
#include <numeric>
#include <optional>
#include <random>
#include <ranges>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>
#include <typeindex>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

namespace TRUNNION_NUMBERS {

inline void to_json(nlohmann::json& json, const Number& a) { json = a.value(); }
inline void from_json(const nlohmann::json& json, Number& a) { a = json.get<Real>(); }
template <std::same_as<Number> T>
std::complex<T> operator/(const std::complex<T>& a, Real b) {
  return a / T(b);
}
template <std::same_as<Number> T>
std::complex<T> operator+(Real a, const std::complex<T>& b) {
  return T(a) + b;
}
inline std::ostream& operator<<(std::ostream& out, const Number& a) { return out << a.value(); }

}  // namespace TRUNNION_NUMBERS

// NOLINTBEGIN(cert-dcl58-cpp): the core calls the functions of std by their full names
namespace std {

using TRUNNION_NUMBERS::abs, TRUNNION_NUMBERS::acos, TRUNNION_NUMBERS::asin, TRUNNION_NUMBERS::atan, TRUNNION_NUMBERS::atan2,
    TRUNNION_NUMBERS::cbrt, TRUNNION_NUMBERS::ceil, TRUNNION_NUMBERS::copysign, TRUNNION_NUMBERS::cos, TRUNNION_NUMBERS::fmax,
    TRUNNION_NUMBERS::fmin, TRUNNION_NUMBERS::cosh, TRUNNION_NUMBERS::exp, TRUNNION_NUMBERS::exp2, TRUNNION_NUMBERS::expm1,
    TRUNNION_NUMBERS::fabs, TRUNNION_NUMBERS::floor, TRUNNION_NUMBERS::fmod, TRUNNION_NUMBERS::frexp, TRUNNION_NUMBERS::hypot,
    TRUNNION_NUMBERS::isfinite, TRUNNION_NUMBERS::isinf, TRUNNION_NUMBERS::isnan, TRUNNION_NUMBERS::ldexp, TRUNNION_NUMBERS::llround,
    TRUNNION_NUMBERS::log, TRUNNION_NUMBERS::log10, TRUNNION_NUMBERS::log1p, TRUNNION_NUMBERS::log2, TRUNNION_NUMBERS::lround,
    TRUNNION_NUMBERS::nearbyint, TRUNNION_NUMBERS::nextafter, TRUNNION_NUMBERS::pow, TRUNNION_NUMBERS::round, TRUNNION_NUMBERS::signbit,
    TRUNNION_NUMBERS::sin, TRUNNION_NUMBERS::sinh, TRUNNION_NUMBERS::sqrt, TRUNNION_NUMBERS::tan, TRUNNION_NUMBERS::tanh,
    TRUNNION_NUMBERS::trunc;

inline TRUNNION_NUMBERS::Number max(const TRUNNION_NUMBERS::Number& a, const TRUNNION_NUMBERS::Number& b) { return select(a < b, b, a); }
inline TRUNNION_NUMBERS::Number min(const TRUNNION_NUMBERS::Number& a, const TRUNNION_NUMBERS::Number& b) { return select(b < a, b, a); }
inline TRUNNION_NUMBERS::Number max(TRUNNION_NUMBERS::Real a, const TRUNNION_NUMBERS::Number& b) {
  return max(TRUNNION_NUMBERS::Number(a), b);
}
inline TRUNNION_NUMBERS::Number max(const TRUNNION_NUMBERS::Number& a, TRUNNION_NUMBERS::Real b) {
  return max(a, TRUNNION_NUMBERS::Number(b));
}
inline TRUNNION_NUMBERS::Number min(TRUNNION_NUMBERS::Real a, const TRUNNION_NUMBERS::Number& b) {
  return min(TRUNNION_NUMBERS::Number(a), b);
}
inline TRUNNION_NUMBERS::Number min(const TRUNNION_NUMBERS::Number& a, TRUNNION_NUMBERS::Real b) {
  return min(a, TRUNNION_NUMBERS::Number(b));
}
inline TRUNNION_NUMBERS::Number max(std::initializer_list<TRUNNION_NUMBERS::Number> list) {
  TRUNNION_NUMBERS::Number largest = *list.begin();
  for (const TRUNNION_NUMBERS::Number& x : list) largest = max(largest, x);
  return largest;
}
inline TRUNNION_NUMBERS::Number min(std::initializer_list<TRUNNION_NUMBERS::Number> list) {
  TRUNNION_NUMBERS::Number least = *list.begin();
  for (const TRUNNION_NUMBERS::Number& x : list) least = min(least, x);
  return least;
}
inline TRUNNION_NUMBERS::Number clamp(const TRUNNION_NUMBERS::Number& a, const TRUNNION_NUMBERS::Number& low,
                                      const TRUNNION_NUMBERS::Number& high) {
  return select(a < low, low, select(high < a, high, a));
}

inline from_chars_result from_chars(const char* first, const char* last, TRUNNION_NUMBERS::Number& x) {
  TRUNNION_NUMBERS::Real value = 0;
  const from_chars_result result = from_chars(first, last, value);
  if (result.ec == errc{}) x = value;
  return result;
}
template <class... Format>
to_chars_result to_chars(char* first, char* last, const TRUNNION_NUMBERS::Number& x, Format... format) {
  return to_chars(first, last, x.value(), format...);
}
inline string to_string(const TRUNNION_NUMBERS::Number& x) { return to_string(x.value()); }

template <>
struct numeric_limits<TRUNNION_NUMBERS::Number> : numeric_limits<TRUNNION_NUMBERS::Real> {
  using Plain = numeric_limits<TRUNNION_NUMBERS::Real>;
  static constexpr TRUNNION_NUMBERS::Number min() { return Plain::min(); }
  static constexpr TRUNNION_NUMBERS::Number max() { return Plain::max(); }
  static constexpr TRUNNION_NUMBERS::Number lowest() { return Plain::lowest(); }
  static constexpr TRUNNION_NUMBERS::Number epsilon() { return Plain::epsilon(); }
  static constexpr TRUNNION_NUMBERS::Number infinity() { return Plain::infinity(); }
  static constexpr TRUNNION_NUMBERS::Number quiet_NaN() { return Plain::quiet_NaN(); }
  static constexpr TRUNNION_NUMBERS::Number denorm_min() { return Plain::denorm_min(); }
};

}  // namespace std
// NOLINTEND(cert-dcl58-cpp)

template <>
struct Eigen::NumTraits<TRUNNION_NUMBERS::Number> : Eigen::NumTraits<TRUNNION_NUMBERS::Real> {
  using Real = TRUNNION_NUMBERS::Number;
  using NonInteger = TRUNNION_NUMBERS::Number;
  using Nested = TRUNNION_NUMBERS::Number;
  using Literal = TRUNNION_NUMBERS::Number;
  static TRUNNION_NUMBERS::Number epsilon() { return std::numeric_limits<TRUNNION_NUMBERS::Real>::epsilon(); }
  static TRUNNION_NUMBERS::Number dummy_precision() { return 1e-12; }
  static TRUNNION_NUMBERS::Number highest() { return std::numeric_limits<TRUNNION_NUMBERS::Real>::max(); }
  static TRUNNION_NUMBERS::Number lowest() { return std::numeric_limits<TRUNNION_NUMBERS::Real>::lowest(); }
};

template <>
struct fmt::formatter<TRUNNION_NUMBERS::Number> : fmt::formatter<TRUNNION_NUMBERS::Real> {
  template <class Context>
  auto format(const TRUNNION_NUMBERS::Number& a, Context& context) const {
    return fmt::formatter<TRUNNION_NUMBERS::Real>::format(a.value(), context);
  }
};

#define MatrixXd Matrix<::TRUNNION_NUMBERS::Number, -1, -1>
#define VectorXd Matrix<::TRUNNION_NUMBERS::Number, -1, 1>
#define Vector3d Matrix<::TRUNNION_NUMBERS::Number, 3, 1>
#define Matrix3d Matrix<::TRUNNION_NUMBERS::Number, 3, 3>
#define Quaterniond Quaternion<::TRUNNION_NUMBERS::Number>
#define AngleAxisd AngleAxis<::TRUNNION_NUMBERS::Number>

#define double ::TRUNNION_NUMBERS::Number
