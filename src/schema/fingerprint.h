// Hash that distinguishes models of different structure.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "description/description.h"

namespace trunnion {

/// Hash of the structure and names of a machine: its parts, their kinds and connections, coordinates and coupling.
/// Numbers, signals, title, records and other solver settings do not contribute.
std::uint64_t fingerprint(const Description& description);

}  // namespace trunnion
