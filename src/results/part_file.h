// Files with a temporary name, NAME.part, until they are complete: used by all writers of results.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "results/files.h"

namespace trunnion {

[[noreturn]] void cannot_write(const std::string& path, const std::string& reason);

std::string part_name(const std::string& path);
/// Removes what an earlier program left at a temporary name; a link itself, not its target.
void clear_part(const std::string& path);
/// Creates a new temporary file. Negative: see errno.
int create_part(const std::string& path);
void move_into_place(const std::string& path);

/// A new file under a temporary name, renamed when complete.
class PartFile {
 public:
  explicit PartFile(const std::string& path);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  /// If a text cannot be written completely, complete lines are kept.
  void write(std::string_view text);
  void finish();

 private:
  std::string path_;
  int id_ = -1;
  off_t size_ = 0;  // [bytes]
};

/// All rows of a recording; an incomplete file is removed.
void write_rows(RowFile& file, const Recording& recording, const std::string& path);

}  // namespace trunnion
