// A signal's value and its time derivatives.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace trunnion {

/// A signal's value and its first two time derivatives.
struct SignalValue {
  double value = 0, rate = 0, acceleration = 0;
};

}  // namespace trunnion
