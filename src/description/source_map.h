// Positions of values in the file that they were read from, by name path.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace trunnion {

/// Large models have millions: paths are stored contiguously, and names of files once.
class SourceMap {
 public:
  /// Sets or replaces the position of `path`.
  void set(std::string_view path, const std::string& file, int line, int column);
  std::optional<SourceSpan> find(std::string_view path) const;

 private:
  struct Place {
    std::size_t begin = 0;   // of the path in paths_
    std::uint32_t size = 0;  // of the path [bytes]
    std::uint32_t file = 0;  // in files_
    int line = 0, column = 0;
  };

  std::string_view path_of(const Place& place) const { return std::string_view(paths_).substr(place.begin, place.size); }
  /// Index of `path` in slots_, or the free slot where it belongs.
  std::size_t slot_of(std::string_view path) const;
  void grow();
  std::uint32_t file_number(const std::string& file);

  std::string paths_;
  std::vector<Place> places_;
  std::vector<std::uint32_t> slots_;  // open addressing: index in places_ + 1; 0: free. Size a power of two, at most half used
  std::vector<std::string> files_;
  std::uint32_t last_file_ = 0;
};

}  // namespace trunnion
