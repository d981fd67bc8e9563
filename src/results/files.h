// Result files: CSV for any tool, HDF5 for large runs.
//   results.csv  a header with the names of channels, then a row per record; the shortest digits that read back to the same number
//   results.h5   `values` [rows x channels], compressed in chunks of rows of one channel; `channels`, `units`, `descriptions` [channels];
//                `rows`: number of complete rows; `model`: text of the model file
// Files are written under a temporary name (NAME.part) and renamed, so that a file that exists is complete. Files of a run grow row by
// row and can be read before they are finished, also after the program was killed. Every write and close is checked, and links at
// temporary names are not followed. Functions throw FileError with the file's name and the system's reason.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "results/recording.h"

namespace trunnion {

/// A file could not be written; the text names it and the reason.
class FileError : public Error {
 public:
  using Error::Error;
};

/// The shortest decimal text that reads back to the same number, independent of locale.
void append_number(std::string& text, double value);

/// A file of rows that grows under its temporary name, and keeps it if it is not finished.
class RowFile {
 public:
  virtual ~RowFile() = default;
  /// Adds a row: a number per channel.
  virtual void add(const double* row) = 0;
  /// Makes the rows readable in the file, except those that its format still buffers.
  virtual void flush() = 0;
  /// Makes all rows readable and renames the file.
  virtual void finish() = 0;
};
/// `path`: the final name. Replaces what an earlier program left under the temporary one.
std::unique_ptr<RowFile> new_csv(const std::string& path, const std::vector<Channel>& channels);
/// `model_text`: the model file in SI with all defaults; `rows`: expected number, for the chunk size.
std::unique_ptr<RowFile> new_hdf5(const std::string& path, const std::vector<Channel>& channels, const std::string& model_text,
                                  double rows);

/// A complete recording, or no file.
void write_csv(const Recording& recording, const std::string& path);
void write_hdf5(const Recording& recording, const std::string& model_text, const std::string& path);

/// Text under `path`, complete or not at all.
void write_text(const std::string& text, const std::string& path);
/// Content written by `write` under a new temporary name, renamed to `path` when complete. An Error of `write` becomes the reason of the
/// FileError.
void write_whole(const std::string& path, const std::function<void(const std::string& temporary)>& write);
/// Until the files in a folder, with their names, are on the disk: a power failure loses nothing of them.
void settle_folder(const std::string& path);
/// Folder `path` and its parents. Throws InputError if they cannot be created, as where a file has that name; FileError for a full disk and
/// other failures of the machine.
void make_folder(const std::string& path);

/// The result folder of a run: created if missing, and locked against other runs until this object or its process ends.
class ResultFolder {
 public:
  /// Throws as make_folder does; InputError if the folder cannot be written, or another run holds it.
  explicit ResultFolder(const std::string& path);
  /// Removes the folder if this object created it and it is empty.
  ~ResultFolder();
  ResultFolder(const ResultFolder&) = delete;
  ResultFolder& operator=(const ResultFolder&) = delete;

 private:
  std::string path_;
  int id_ = -1;  // of the open folder, which holds the lock
  bool made_ = false;
};

}  // namespace trunnion
