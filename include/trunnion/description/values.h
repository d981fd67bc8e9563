// Value types common to several parts of a description.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace trunnion {

/// Components x, y, z.
using Vec3d = std::array<double, 3>;
/// Two components.
using Vec2d = std::array<double, 2>;

/// The named items of a section in the order of the file: pairs of name and item. Names consist of letters, digits, `_` and `-`, and are
/// unique within a list; Model::build reports others.
template <class T>
struct NamedList : std::vector<std::pair<std::string, T>> {
  using std::vector<std::pair<std::string, T>>::vector;

  // In the library, for the lists of descriptions: not compiled again in every file that has a description.
  NamedList();
  NamedList(const NamedList&);
  NamedList(NamedList&&) noexcept;
  NamedList& operator=(const NamedList&);
  NamedList& operator=(NamedList&&) noexcept;
  ~NamedList();

  /// Appends an item. The reference is valid until the next item is added.
  T& add(std::string name, T item = {}) { return this->emplace_back(std::move(name), std::move(item)).second; }
  /// The first item of this name, or null.
  T* find(std::string_view name) {
    for (auto& item : *this)
      if (item.first == name) return &item.second;
    return nullptr;
  }
  const T* find(std::string_view name) const {
    for (const auto& item : *this)
      if (item.first == name) return &item.second;
    return nullptr;
  }
};

/// A value that is a number or the name of a signal.
using NumberOrSignal = std::variant<double, std::string>;

/// A start pressure [Pa], absolute: `value`, or by default that of static equilibrium.
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
