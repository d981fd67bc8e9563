// HDF5 identifiers that close themselves, and its errors as exceptions: for writing and reading results.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hdf5.h>

#include "base/diagnostic.h"

namespace trunnion {

/// HDF5 reports an error; the text has the system's reason where there is one.
class Hdf5Error : public Error {
 public:
  using Error::Error;
};

/// From now on HDF5 reports errors by what its functions return: it prints nothing, and does nothing when the program ends, where it would
/// try once more to write what could not be written, and crash.
void take_errors_of_hdf5();

/// Throws Hdf5Error where `status` is negative.
void check_hdf5(herr_t status);

class Hdf5Handle {
 public:
  /// Throws Hdf5Error where `id` is none.
  Hdf5Handle(hid_t id, herr_t (*close)(hid_t));
  ~Hdf5Handle() { close_(id_); }
  Hdf5Handle(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(const Hdf5Handle&) = delete;
  operator hid_t() const { return id_; }  // NOLINT(google-explicit-constructor): stands where HDF5 takes an identifier

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

}  // namespace trunnion
