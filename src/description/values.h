// Value types common to several parts of a description.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace trunnion {

using Vec3d = std::array<double, 3>;
using Vec2d = std::array<double, 2>;

/// Items of one section in file order.
template <class T>
using NamedList = std::vector<std::pair<std::string, T>>;

/// A value that is a number or the name of a signal.
using NumberOrSignal = std::variant<double, std::string>;

/// A start pressure: a number, or from static equilibrium ("equilibrium").
struct StartPressure {
  bool equilibrium = true;
  double value = 0;
};

/// A value chosen by the program (`auto`) unless given.
template <class T>
struct Automatic {
  std::optional<T> value;
};

}  // namespace trunnion
