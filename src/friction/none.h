// No friction: F = 0.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

namespace trunnion {

struct NoFriction {
  static constexpr int kStates = 0;

  template <class S>
  S evaluate(const S&, const std::array<S, 0>&, std::array<S, 0>&) const {
    return S(0.0);
  }
};

}  // namespace trunnion
