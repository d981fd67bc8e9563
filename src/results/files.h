// Result files: CSV for every tool, HDF5 for large runs.
//   results.csv  a header with the names of channels, then a row per record; the shortest digits that read back to the same number
//   results.h5   `values` [rows x channels], compressed in pieces of many rows of one channel; `channels`, `units`, `descriptions`
//   [channels];
//                `rows`: how many rows are whole; `model`: text of the model file
// Files are written under a temporary name (NAME.part) and renamed, so that a file that exists is complete. Those of a run grow row by row;
// until they are finished what is there can be read, also after the program was killed. Every write and close is checked, and links
// at temporary names are not followed. Functions throw FileError with the file's name and the system's reason.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "results/recording.h"

namespace trunnion {

/// A file could not be written; the text says which and why.
class FileError : public Error {
 public:
  using Error::Error;
};

/// The fewest digits of a number that give it back exactly, independent of locale.
void append_number(std::string& text, double value);

/// A file of rows that grows under its temporary name. One that is not finished stays there.
class RowFile {
 public:
  virtual ~RowFile() = default;
  /// Adds a row: a number per channel.
  virtual void add(const double* row) = 0;
  /// Rows so far can be read in the file, but for those that its format keeps back for a while.
  virtual void flush() = 0;
  /// All rows can be read, and the file gets its name.
  virtual void finish() = 0;
};
/// `path`: the final name. They take the place of what an earlier program left under the temporary one.
std::unique_ptr<RowFile> new_csv(const std::string& path, const std::vector<Channel>& channels);
/// `model_text`: the model file in SI with all defaults; `rows`: how many are expected, for the size of the pieces.
std::unique_ptr<RowFile> new_hdf5(const std::string& path, const std::vector<Channel>& channels, const std::string& model_text,
                                  double rows);

/// A whole recording, or no file.
void write_csv(const Recording& recording, const std::string& path);
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
