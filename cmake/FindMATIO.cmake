# MATIO: MATLAB's .mat files. Defines the target MATIO::MATIO, by pkg-config, because its header needs that of HDF5.
# SPDX-License-Identifier: BSD-3-Clause
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(MATIO QUIET IMPORTED_TARGET matio)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(MATIO REQUIRED_VARS MATIO_LINK_LIBRARIES VERSION_VAR MATIO_VERSION)
if(MATIO_FOUND AND NOT TARGET MATIO::MATIO)
  add_library(MATIO::MATIO INTERFACE IMPORTED)
  target_link_libraries(MATIO::MATIO INTERFACE PkgConfig::MATIO)
endif()
