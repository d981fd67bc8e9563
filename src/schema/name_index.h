// Look-up of named items in constant time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>
#include <unordered_map>

#include "description/description.h"

namespace trunnion {

/// The list must outlive the index and stay as it is.
template <class T>
class NameIndex {
 public:
  explicit NameIndex(const NamedList<T>& list) {
    items_.reserve(list.size());
    for (const auto& [name, item] : list) items_.emplace(name, &item);
  }
  /// nullptr: there is none.
  const T* find(std::string_view name) const {
    const auto item = items_.find(name);
    return item == items_.end() ? nullptr : item->second;
  }

 private:
  std::unordered_map<std::string_view, const T*> items_;
};

}  // namespace trunnion
