# KLU of SuiteSparse: sparse LU factorisation. Defines the target KLU::KLU. SuiteSparse before version 7 has no CMake files.
# SPDX-License-Identifier: BSD-3-Clause
find_path(KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse)
set(KLU_LIBRARIES_FOUND TRUE)
set(KLU_LIBRARIES)
foreach(part klu btf amd colamd suitesparseconfig)  # a static libklu needs the others
  find_library(KLU_${part}_LIBRARY ${part})
  mark_as_advanced(KLU_${part}_LIBRARY)
  list(APPEND KLU_LIBRARIES ${KLU_${part}_LIBRARY})
  if(NOT KLU_${part}_LIBRARY)
    set(KLU_LIBRARIES_FOUND FALSE)
  endif()
endforeach()
mark_as_advanced(KLU_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(KLU REQUIRED_VARS KLU_klu_LIBRARY KLU_LIBRARIES_FOUND KLU_INCLUDE_DIR)
if(KLU_FOUND AND NOT TARGET KLU::KLU)
  add_library(KLU::KLU INTERFACE IMPORTED)
  set_target_properties(KLU::KLU PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${KLU_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${KLU_LIBRARIES}")
endif()
