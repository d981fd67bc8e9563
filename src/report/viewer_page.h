// The viewer page bundled when this program was built.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace trunnion {

/// viewer/ as one HTML text; empty in a build without it (TRUNNION_VIEWER=OFF).
std::string_view viewer_page();

}  // namespace trunnion
