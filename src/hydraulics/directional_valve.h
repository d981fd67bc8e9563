// 4/3 directional valve. U: position of its spool (spool.h).
//        A   B
//      +-+-+-+-+       U > 0: P to A, B to T;   U < 0: P to B, A to T;   U = 0: closed
//      | X | | |       Q = C_v |U|_db f(dp) per edge, f the orifice law                                   (17)
//      +-+-+-+-+       |U|_db: opening beyond the dead band, scaled to be unchanged at the nominal signal
//        P   T
// Source: Jaiswal, Sopanen, Mikkola 2021 (friction), section 2.2.1; sides for U < 0 by convention (the paper writes one formula).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hydraulics/orifice.h"

namespace trunnion {

/// Effective opening [signal unit] of spool position U with dead band db, equal to |U| at the nominal signal. Its slope at the edge of
/// the dead band is that of opening, at U = 0 without one towards U > 0.
template <class S>
TR_INLINE S spool_opening(const S& U, double dead_band, double at_signal) {
  const S size = abs(U);
  return select(size < dead_band, S(0), S(size - dead_band)) * at_signal / (at_signal - dead_band);
}

}  // namespace trunnion
