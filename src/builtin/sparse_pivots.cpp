// Instead of external/klu_pivots.cpp: without KLU.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/sparse_pivots.h"

namespace trunnion {

std::unique_ptr<SparsePivots> make_sparse_pivots(int n, const int* column_begin, const int* row) {
  return make_own_sparse_pivots(n, column_begin, row);
}

}  // namespace trunnion
