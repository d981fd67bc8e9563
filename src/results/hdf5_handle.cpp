// RAII handles and errors of HDF5.
// SPDX-License-Identifier: BSD-3-Clause
#include "results/hdf5_handle.h"

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

}  // namespace trunnion
