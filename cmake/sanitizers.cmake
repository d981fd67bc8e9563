# The options of the address and undefined-behaviour sanitizers: `sanitizers`, for the tests and for the fuzz targets.
# SPDX-License-Identifier: BSD-3-Clause

# The excluded checks are covered by the address sanitizer, or find nothing in this code, and double the compile time.
set(sanitizers -fsanitize=address,undefined -fno-sanitize=null,alignment,object-size,vptr,pointer-overflow
  -fno-sanitize-recover=all -fno-omit-frame-pointer)

# GCC 12 aligns frames of detect_stack_use_after_return to 32 bytes, but accesses them with aligned AVX-512 instructions that require
# 64 bytes: a spurious crash.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  list(APPEND sanitizers -mno-avx512f)
endif()

# Everything is compiled for libFuzzer: tests/fuzz links the targets.
if(TRUNNION_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "TRUNNION_FUZZ needs clang; `cmake --preset fuzz` chooses it")
  endif()
  add_compile_options(${sanitizers} -fsanitize=fuzzer-no-link)
  add_link_options(${sanitizers})
endif()
