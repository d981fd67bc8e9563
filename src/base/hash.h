// A hash of texts that distinguishes files and models of different content.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

namespace trunnion {

/// FNV-1a, 64 bits (Fowler, Noll, Vo).
class Hash {
 public:
  void add(std::string_view text) {
    for (const char c : text) add(static_cast<unsigned char>(c));
    add(0xff);  // not a byte of UTF-8: end of a text
  }
  void add(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001b3U; }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace trunnion
