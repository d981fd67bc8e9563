// Included before every file of the core that is compiled a second time, with recording::Number for `double` and all names in namespace
// trunnion_recorded: the equations exist once, and their recording cannot differ from them.
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

#include "recording/inputs.h"
#include "recording/number.h"

#define TRUNNION_RECORDING

namespace recording {

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

}  // namespace recording

// NOLINTBEGIN(cert-dcl58-cpp): the core calls the functions of std by their full names
namespace std {

using recording::abs, recording::acos, recording::asin, recording::atan, recording::atan2, recording::cbrt, recording::ceil,
    recording::copysign, recording::cos, recording::fmax, recording::fmin, recording::cosh, recording::exp, recording::exp2,
    recording::expm1, recording::fabs, recording::floor, recording::fmod, recording::frexp, recording::hypot, recording::isfinite,
    recording::isinf, recording::isnan, recording::ldexp, recording::llround, recording::log, recording::log10, recording::log1p,
    recording::log2, recording::lround, recording::nearbyint, recording::nextafter, recording::pow, recording::round, recording::signbit,
    recording::sin, recording::sinh, recording::sqrt, recording::tan, recording::tanh, recording::trunc;

inline recording::Number max(const recording::Number& a, const recording::Number& b) { return select(a < b, b, a); }
inline recording::Number min(const recording::Number& a, const recording::Number& b) { return select(b < a, b, a); }
inline recording::Number max(recording::Real a, const recording::Number& b) { return max(recording::Number(a), b); }
inline recording::Number max(const recording::Number& a, recording::Real b) { return max(a, recording::Number(b)); }
inline recording::Number min(recording::Real a, const recording::Number& b) { return min(recording::Number(a), b); }
inline recording::Number min(const recording::Number& a, recording::Real b) { return min(a, recording::Number(b)); }
inline recording::Number max(std::initializer_list<recording::Number> list) {
  recording::Number largest = *list.begin();
  for (const recording::Number& x : list) largest = max(largest, x);
  return largest;
}
inline recording::Number min(std::initializer_list<recording::Number> list) {
  recording::Number least = *list.begin();
  for (const recording::Number& x : list) least = min(least, x);
  return least;
}
inline recording::Number clamp(const recording::Number& a, const recording::Number& low, const recording::Number& high) {
  return select(a < low, low, select(high < a, high, a));
}

inline from_chars_result from_chars(const char* first, const char* last, recording::Number& x) {
  recording::Real value = 0;
  const from_chars_result result = from_chars(first, last, value);
  if (result.ec == errc{}) x = value;
  return result;
}
template <class... Format>
to_chars_result to_chars(char* first, char* last, const recording::Number& x, Format... format) {
  return to_chars(first, last, x.value(), format...);
}
inline string to_string(const recording::Number& x) { return to_string(x.value()); }

template <>
struct numeric_limits<recording::Number> : numeric_limits<recording::Real> {
  using Plain = numeric_limits<recording::Real>;
  static constexpr recording::Number min() { return Plain::min(); }
  static constexpr recording::Number max() { return Plain::max(); }
  static constexpr recording::Number lowest() { return Plain::lowest(); }
  static constexpr recording::Number epsilon() { return Plain::epsilon(); }
  static constexpr recording::Number infinity() { return Plain::infinity(); }
  static constexpr recording::Number quiet_NaN() { return Plain::quiet_NaN(); }
  static constexpr recording::Number denorm_min() { return Plain::denorm_min(); }
};

}  // namespace std
// NOLINTEND(cert-dcl58-cpp)

template <>
struct Eigen::NumTraits<recording::Number> : Eigen::NumTraits<recording::Real> {
  using Real = recording::Number;
  using NonInteger = recording::Number;
  using Nested = recording::Number;
  using Literal = recording::Number;
  static recording::Number epsilon() { return std::numeric_limits<recording::Real>::epsilon(); }
  static recording::Number dummy_precision() { return 1e-12; }
  static recording::Number highest() { return std::numeric_limits<recording::Real>::max(); }
  static recording::Number lowest() { return std::numeric_limits<recording::Real>::lowest(); }
};

template <>
struct fmt::formatter<recording::Number> : fmt::formatter<recording::Real> {
  template <class Context>
  auto format(const recording::Number& a, Context& context) const {
    return fmt::formatter<recording::Real>::format(a.value(), context);
  }
};

#define MatrixXd Matrix<::recording::Number, -1, -1>
#define VectorXd Matrix<::recording::Number, -1, 1>
#define Vector3d Matrix<::recording::Number, 3, 1>
#define Matrix3d Matrix<::recording::Number, 3, 3>
#define Quaterniond Quaternion<::recording::Number>
#define AngleAxisd AngleAxis<::recording::Number>
#define double ::recording::Number
#define trunnion trunnion_recorded
