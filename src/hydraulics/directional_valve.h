// 4/3 directional valve with a first-order spool.
//        A   B
//      +-+-+-+-+       U > 0: P to A, B to T;   U < 0: P to B, A to T;   U = 0: closed
//      | X | | |       Q = C_v |U|_db f(dp) per edge, f the orifice law                                   (17)
//      +-+-+-+-+       U_dot = (U_ref - U) / tau                                                          (18)
//        P   T         |U|_db: opening beyond the dead band, scaled to be unchanged at the nominal signal
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
