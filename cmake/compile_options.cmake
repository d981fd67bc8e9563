# Compiler options shared by everything built here, as the target trunnion_compile_options. It is never exported:
# users of the installed library compile with their own options.
# SPDX-License-Identifier: BSD-3-Clause

add_library(trunnion_compile_options INTERFACE)

# errno of mathematical functions is not used; without it sqrt is one instruction. Values are unchanged.
# No -ffast-math or similar: results would depend on the compiler.
target_compile_options(trunnion_compile_options INTERFACE -fno-math-errno)

# The step works on vectors of two and three numbers; Eigen's packets for them cost a sixth of its speed (measured on the
# four-bar). All code with Eigen types must agree on this.
target_compile_definitions(trunnion_compile_options INTERFACE EIGEN_DONT_VECTORIZE)

target_compile_options(trunnion_compile_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wdouble-promotion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # These look through inlined code of the standard library, Eigen and the compiler's own vector headers and report what
  # is not there (GCC bugs 105651 and 105593); the sanitizers find what they would.
  target_compile_options(trunnion_compile_options INTERFACE
    -Wno-maybe-uninitialized -Wno-uninitialized -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread -Wno-restrict)
endif()
if(TRUNNION_WERROR)
  target_compile_options(trunnion_compile_options INTERFACE -Werror)
endif()

if(TRUNNION_NATIVE)
  target_compile_options(trunnion_compile_options INTERFACE -march=native)
endif()
