# The options of the address and undefined-behaviour sanitizers: `sanitizers`, for the tests and for the fuzz targets.
# SPDX-License-Identifier: BSD-3-Clause

# The checks left out find what the address sanitizer finds too, or nothing in this code, and double the compile time.
set(sanitizers -fsanitize=address,undefined -fno-sanitize=null,alignment,object-size,vptr,pointer-overflow
  -fno-sanitize-recover=all -fno-omit-frame-pointer)

# Everything is compiled for libFuzzer: tests/fuzz links the targets.
if(TRUNNION_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "TRUNNION_FUZZ needs clang; `cmake --preset fuzz` chooses it")
  endif()
  add_compile_options(${sanitizers} -fsanitize=fuzzer-no-link)
  add_link_options(${sanitizers})
endif()
