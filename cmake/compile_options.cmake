# Compiler options shared by everything built here, as the target trunnion_compile_options. It is never exported:
# whoever uses the installed library compiles with his own options.
# SPDX-License-Identifier: BSD-3-Clause

add_library(trunnion_compile_options INTERFACE)

# Nothing reads errno after a mathematical function; without it sqrt is one instruction. No value changes by this.
# -ffast-math and its kin stay out: results would depend on the compiler's mood.
target_compile_options(trunnion_compile_options INTERFACE -fno-math-errno)

# The step works on vectors of two and three numbers; Eigen's packets for them cost a sixth of its speed (measured on the
# four-bar). Everything that sees Eigen types must agree on this, so it stands here.
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
