// Entry point for libFuzzer; TRUNNION_FUZZ_TARGET names the target.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <cstdint>

#include "fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  trunnion::fuzz::TRUNNION_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
