// RAII handles for HDF5 identifiers, and its errors as exceptions, for writing and reading results.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "external/hdf5.h"

#include <string>
#include <vector>

#include "base/diagnostic.h"

namespace trunnion {

/// HDF5 reports an error; the text contains the system's reason if known.
class Hdf5Error : public Error {
 public:
  using Error::Error;
};

/// Makes HDF5 report errors only by return values: it prints nothing, and does nothing at program exit, where it would retry failed
/// writes and crash.
void take_errors_of_hdf5();

/// Throws Hdf5Error where `status` is negative.
void check_hdf5(herr_t status);

class Hdf5Handle {
 public:
  /// Throws Hdf5Error if `id` is invalid.
  Hdf5Handle(hid_t id, herr_t (*close)(hid_t));
  ~Hdf5Handle() { close_(id_); }
  Hdf5Handle(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(const Hdf5Handle&) = delete;
  operator hid_t() const { return id_; }  // NOLINT(google-explicit-constructor): used as an HDF5 identifier

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// A new file, which must not exist; readers need no lock.
hid_t create_hdf5(const std::string& path);
/// Properties of a dataset. Without its creation time, so that equal runs give equal files.
hid_t dataset_properties();
void write_attribute(hid_t object, const char* name, const std::string& value);
/// Text of any length: attributes hold 64 kB at most.
void write_text_dataset(hid_t file, const char* name, const std::string& value);
/// A list of texts.
void write_texts(hid_t file, const char* name, const std::vector<std::string>& values);

}  // namespace trunnion
