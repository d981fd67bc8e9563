// Result files: CSV for every tool, HDF5 for large runs.
// Files are written under a temporary name and renamed, so that a file that exists is complete. Every write and close is checked, and links
// at temporary names are not followed. Functions throw FileError with the file's name and the system's reason.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include "base/diagnostic.h"
#include "results/recording.h"

namespace trunnion {

/// A file could not be written; the text says which and why.
class FileError : public Error {
 public:
  using Error::Error;
};

/// The digits of a number that give it back exactly: 17 significant ones at most, independent of locale.
void append_number(std::string& text, double value);

/// `time,crank.angle,...`, then one row per record; SI, numbers read back to the last bit.
std::string csv_text(const Recording& recording);
void write_csv(const Recording& recording, const std::string& path);

/// One dataset per channel, named like it, with attributes `unit` and `description`; dataset `model`: the model file
/// in SI with all defaults; attribute `program`: this program's version.
void write_hdf5(const Recording& recording, const std::string& model_text, const std::string& path);

/// Text under `path`, whole or not at all.
void write_text(const std::string& text, const std::string& path);
/// What `write` puts under a new temporary name, under `path` once it is whole. An Error of `write` says why a file could not be written.
void write_whole(const std::string& path, const std::function<void(const std::string& temporary)>& write);
/// Folder `path` and its parents.
void make_folder(const std::string& path);

/// A folder for the results of a run: made where it is not there, and locked against other runs until this object or its process ends.
class ResultFolder {
 public:
  /// Throws InputError where the folder cannot be made or written, or another run holds it.
  explicit ResultFolder(const std::string& path);
  /// Removes the folder if this object made it and nothing is in it.
  ~ResultFolder();
  ResultFolder(const ResultFolder&) = delete;
  ResultFolder& operator=(const ResultFolder&) = delete;

 private:
  std::string path_;
  int id_ = -1;  // of the open folder, which carries the lock
  bool made_ = false;
};

}  // namespace trunnion
