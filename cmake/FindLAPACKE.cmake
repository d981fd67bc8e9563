# LAPACKE: the C interface of LAPACK. Defines the target LAPACKE::LAPACKE. Debian's package has no CMake files.
# SPDX-License-Identifier: BSD-3-Clause
find_path(LAPACKE_INCLUDE_DIR lapacke.h PATH_SUFFIXES lapacke)
set(LAPACKE_LIBRARIES_FOUND TRUE)
set(LAPACKE_LIBRARIES)
foreach(part lapacke lapack blas)  # a static liblapacke needs the others
  find_library(LAPACKE_${part}_LIBRARY ${part})
  mark_as_advanced(LAPACKE_${part}_LIBRARY)
  list(APPEND LAPACKE_LIBRARIES ${LAPACKE_${part}_LIBRARY})
  if(NOT LAPACKE_${part}_LIBRARY)
    set(LAPACKE_LIBRARIES_FOUND FALSE)
  endif()
endforeach()
mark_as_advanced(LAPACKE_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LAPACKE REQUIRED_VARS LAPACKE_lapacke_LIBRARY LAPACKE_LIBRARIES_FOUND LAPACKE_INCLUDE_DIR)
if(LAPACKE_FOUND AND NOT TARGET LAPACKE::LAPACKE)
  add_library(LAPACKE::LAPACKE INTERFACE IMPORTED)
  set_target_properties(LAPACKE::LAPACKE PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${LAPACKE_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${LAPACKE_LIBRARIES}")
endif()
