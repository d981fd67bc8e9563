// HDF5, whose names used here stand for those of the shared library where it is loaded on demand (external/on_demand.h).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hdf5.h>

#ifdef TRUNNION_HDF5

#include "external/on_demand.h"

// clang-format off
#define TR_HDF5(X) \
  X(H5Aclose) X(H5Acreate2) X(H5Awrite) X(H5Dclose) X(H5Dcreate2) X(H5Dget_space) X(H5Dget_storage_size) X(H5Dget_type) X(H5Dopen2) X(H5Dread) \
  X(H5Dset_extent) X(H5Dwrite) X(H5Dwrite_chunk) X(H5Eset_auto2) X(H5Fclose) X(H5Fcreate) X(H5Fflush) X(H5Fopen) X(H5Gclose) X(H5Gcreate2) X(H5Lexists) \
  X(H5Pclose) X(H5Pcreate) X(H5Pset_chunk) X(H5Pset_deflate) X(H5Pset_file_locking) X(H5Pset_fill_value) X(H5Pset_obj_track_times) \
  X(H5Pset_shuffle) X(H5Sclose) X(H5Screate) X(H5Screate_simple) X(H5Sget_simple_extent_dims) X(H5Sget_simple_extent_ndims) \
  X(H5Sget_simple_extent_npoints) X(H5Sselect_hyperslab) X(H5Tclose) X(H5Tcopy) X(H5Tget_class) X(H5Tget_size) X(H5Tis_variable_str) \
  X(H5Tset_cset) X(H5Tset_size) X(H5Tset_strpad) X(H5check_version) X(H5dont_atexit) X(H5open) X(H5P_CLS_DATASET_CREATE_ID_g) \
  X(H5P_CLS_FILE_ACCESS_ID_g) X(H5T_C_S1_g) X(H5T_IEEE_F64LE_g) X(H5T_NATIVE_DOUBLE_g) X(H5T_NATIVE_UINT64_g) X(H5T_STD_U64LE_g)
// clang-format on

namespace trunnion {

TR_ON_DEMAND(Hdf5Library, hdf5, TRUNNION_HDF5, TR_HDF5)

}  // namespace trunnion

#define H5Aclose (*trunnion::hdf5().H5Aclose)
#define H5Acreate2 (*trunnion::hdf5().H5Acreate2)
#define H5Awrite (*trunnion::hdf5().H5Awrite)
#define H5Dclose (*trunnion::hdf5().H5Dclose)
#define H5Dcreate2 (*trunnion::hdf5().H5Dcreate2)
#define H5Dget_space (*trunnion::hdf5().H5Dget_space)
#define H5Dget_storage_size (*trunnion::hdf5().H5Dget_storage_size)
#define H5Dget_type (*trunnion::hdf5().H5Dget_type)
#define H5Dopen2 (*trunnion::hdf5().H5Dopen2)
#define H5Dread (*trunnion::hdf5().H5Dread)
#define H5Dset_extent (*trunnion::hdf5().H5Dset_extent)
#define H5Dwrite (*trunnion::hdf5().H5Dwrite)
#define H5Dwrite_chunk (*trunnion::hdf5().H5Dwrite_chunk)
#define H5Eset_auto2 (*trunnion::hdf5().H5Eset_auto2)
#define H5Fclose (*trunnion::hdf5().H5Fclose)
#define H5Fcreate (*trunnion::hdf5().H5Fcreate)
#define H5Fflush (*trunnion::hdf5().H5Fflush)
#define H5Fopen (*trunnion::hdf5().H5Fopen)
#define H5Gclose (*trunnion::hdf5().H5Gclose)
#define H5Gcreate2 (*trunnion::hdf5().H5Gcreate2)
#define H5Lexists (*trunnion::hdf5().H5Lexists)
#define H5Pclose (*trunnion::hdf5().H5Pclose)
#define H5Pcreate (*trunnion::hdf5().H5Pcreate)
#define H5Pset_chunk (*trunnion::hdf5().H5Pset_chunk)
#define H5Pset_deflate (*trunnion::hdf5().H5Pset_deflate)
#define H5Pset_file_locking (*trunnion::hdf5().H5Pset_file_locking)
#define H5Pset_fill_value (*trunnion::hdf5().H5Pset_fill_value)
#define H5Pset_obj_track_times (*trunnion::hdf5().H5Pset_obj_track_times)
#define H5Pset_shuffle (*trunnion::hdf5().H5Pset_shuffle)
#define H5Sclose (*trunnion::hdf5().H5Sclose)
#define H5Screate (*trunnion::hdf5().H5Screate)
#define H5Screate_simple (*trunnion::hdf5().H5Screate_simple)
#define H5Sget_simple_extent_dims (*trunnion::hdf5().H5Sget_simple_extent_dims)
#define H5Sget_simple_extent_ndims (*trunnion::hdf5().H5Sget_simple_extent_ndims)
#define H5Sget_simple_extent_npoints (*trunnion::hdf5().H5Sget_simple_extent_npoints)
#define H5Sselect_hyperslab (*trunnion::hdf5().H5Sselect_hyperslab)
#define H5Tclose (*trunnion::hdf5().H5Tclose)
#define H5Tcopy (*trunnion::hdf5().H5Tcopy)
#define H5Tget_class (*trunnion::hdf5().H5Tget_class)
#define H5Tget_size (*trunnion::hdf5().H5Tget_size)
#define H5Tis_variable_str (*trunnion::hdf5().H5Tis_variable_str)
#define H5Tset_cset (*trunnion::hdf5().H5Tset_cset)
#define H5Tset_size (*trunnion::hdf5().H5Tset_size)
#define H5Tset_strpad (*trunnion::hdf5().H5Tset_strpad)
#define H5check_version (*trunnion::hdf5().H5check_version)
#define H5dont_atexit (*trunnion::hdf5().H5dont_atexit)
#define H5open (*trunnion::hdf5().H5open)
#define H5P_CLS_DATASET_CREATE_ID_g (*trunnion::hdf5().H5P_CLS_DATASET_CREATE_ID_g)
#define H5P_CLS_FILE_ACCESS_ID_g (*trunnion::hdf5().H5P_CLS_FILE_ACCESS_ID_g)
#define H5T_C_S1_g (*trunnion::hdf5().H5T_C_S1_g)
#define H5T_IEEE_F64LE_g (*trunnion::hdf5().H5T_IEEE_F64LE_g)
#define H5T_NATIVE_DOUBLE_g (*trunnion::hdf5().H5T_NATIVE_DOUBLE_g)
#define H5T_NATIVE_UINT64_g (*trunnion::hdf5().H5T_NATIVE_UINT64_g)
#define H5T_STD_U64LE_g (*trunnion::hdf5().H5T_STD_U64LE_g)

#endif
