// A number that tells models of different structure apart.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "description/description.h"

namespace trunnion {

/// Hash of the structure and the names of a machine: its parts, what they are connected to and which kinds they are, its coordinates and
/// coupling. Numbers, signals, the title, records and other settings of the solver do not contribute.
std::uint64_t fingerprint(const Description& description);

}  // namespace trunnion
