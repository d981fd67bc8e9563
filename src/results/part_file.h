// Files that have a temporary name, NAME.part, until they are whole: what all writers of results share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "results/files.h"

namespace trunnion {

[[noreturn]] void cannot_write(const std::string& path, const std::string& reason);

std::string part_name(const std::string& path);
/// Takes away what is left of an earlier program at a temporary name; a link there, not what it leads to.
void clear_part(const std::string& path);
/// Creates the temporary file anew. Negative: errno says why.
int create_part(const std::string& path);
void move_into_place(const std::string& path);

/// A new file under a temporary name, which gets its own once it is whole.
class PartFile {
 public:
  explicit PartFile(const std::string& path);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  /// Of a text that cannot be written whole, whole lines stay.
  void write(std::string_view text);
  void finish();

 private:
  std::string path_;
  int id_ = -1;
  off_t size_ = 0;  // [bytes]
};

/// All rows of a recording; what could not be written whole goes.
void write_rows(RowFile& file, const Recording& recording, const std::string& path);

}  // namespace trunnion
