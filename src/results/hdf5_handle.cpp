// Handles, errors, texts of HDF5.
// SPDX-License-Identifier: BSD-3-Clause
#include "results/hdf5_handle.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace trunnion {

namespace {

[[noreturn]] void hdf5_failed() {
  throw Hdf5Error(errno != 0 ? std::string("HDF5 reports an error: ") + std::strerror(errno) : "HDF5 reports an error");
}

}  // namespace

void take_errors_of_hdf5() {
  static const bool once = [] {
    H5dont_atexit();
    return true;
  }();
  (void)once;
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  errno = 0;
}

void check_hdf5(herr_t status) {
  if (status < 0) hdf5_failed();
}

Hdf5Handle::Hdf5Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {
  if (id_ < 0) hdf5_failed();
}

hid_t dataset_properties() {
  const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(properties, false);
  return properties;
}

void write_attribute(hid_t object, const char* name, const std::string& value) {
  const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
  check_hdf5(H5Tset_size(type, value.size() + 1));
  check_hdf5(H5Tset_cset(type, H5T_CSET_UTF8));
  const Hdf5Handle attribute(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  check_hdf5(H5Awrite(attribute, type, value.c_str()));
}

void write_text_dataset(hid_t file, const char* name, const std::string& value) {
  const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
  check_hdf5(H5Tset_size(type, value.size() + 1));
  check_hdf5(H5Tset_cset(type, H5T_CSET_UTF8));
  const Hdf5Handle properties(dataset_properties(), H5Pclose),
      set(H5Dcreate2(file, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose);
  check_hdf5(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value.c_str()));
}

void write_texts(hid_t file, const char* name, const std::vector<std::string>& values) {
  std::size_t size = 1;
  for (const std::string& value : values) size = std::max(size, value.size());
  std::string all;
  for (std::string value : values) {
    value.resize(size);
    all += value;
  }
  const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  check_hdf5(H5Tset_size(type, size));
  check_hdf5(H5Tset_strpad(type, H5T_STR_NULLPAD));
  check_hdf5(H5Tset_cset(type, H5T_CSET_UTF8));
  const hsize_t count = values.size();
  const Hdf5Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  const Hdf5Handle properties(dataset_properties(), H5Pclose),
      set(H5Dcreate2(file, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose);
  check_hdf5(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()));
}

hid_t create_hdf5(const std::string& path) {
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  check_hdf5(H5Pset_file_locking(access, false, true));
  return H5Fcreate(path.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, access);
}

}  // namespace trunnion
