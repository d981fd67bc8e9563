// The number alone, where `double` is one that carries something beside it: derivatives, a recording, other machines.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace trunnion {

template <class Scalar>
auto plain_number(const Scalar& x) {
  if constexpr (requires { x.value(); })
    return x.value();
  else
    return x;
}

}  // namespace trunnion
