// Instead of recording/compiled_step.cpp: without a compiler.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/compiled_step.h"

namespace trunnion {

MakeCompiledStep compiled_step_factory() { return nullptr; }

}  // namespace trunnion
