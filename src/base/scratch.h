// Arrays of numbers that are written before they are read. A dual number sets itself to zero, which for many takes longer than a short
// evaluation on a few of them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

#include "base/scalar.h"

namespace trunnion {

/// Space for N numbers, not initialised where that leaves nothing undone.
template <class S, int N>
class Scratch {
  static constexpr bool kPlain = std::is_trivially_copyable_v<S> && std::is_trivially_destructible_v<S>;  // the bytes are the objects

 public:
  TR_INLINE S* data() {
    if constexpr (kPlain)
      return std::launder(reinterpret_cast<S*>(storage_));
    else
      return storage_;
  }
  TR_INLINE S& operator[](int i) { return data()[i]; }

 private:
  alignas(S) std::conditional_t<kPlain, std::byte[N * sizeof(S)], S[N]> storage_;
};

}  // namespace trunnion
