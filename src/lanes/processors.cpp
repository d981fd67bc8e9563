// Which lane machines the processor in use can execute: those for the processors that the build is made for, and, in a build for any
// processor, the same source compiled for newer ones (cmake/lanes_of_processors.cmake).
// SPDX-License-Identifier: BSD-3-Clause
#include "lanes/lane_machine.h"

namespace lanes {

MakeLaneMachine make_lane_machine;
#if defined(LANES_OF_NEWER_PROCESSORS)
MakeLaneMachine make_lane_machine_avx2, make_lane_machine_avx512;
#endif

std::vector<ProcessorLanes> machines_by_processor() {
  std::vector<ProcessorLanes> list;
#if defined(LANES_OF_NEWER_PROCESSORS)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    list.push_back({"AVX-512", make_lane_machine_avx512});
  if (avx2) list.push_back({"AVX2", make_lane_machine_avx2});
#endif
#if defined(__AVX2__) || !defined(NDEBUG)  // shorter vectors are slower than single steps: only for tests
  list.push_back({"those of the build", make_lane_machine});
#endif
  return list;
}

}  // namespace lanes
