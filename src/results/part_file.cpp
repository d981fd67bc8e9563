// Files under a temporary name.
// SPDX-License-Identifier: BSD-3-Clause
#include "results/part_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

namespace trunnion {

void cannot_write(const std::string& path, const std::string& reason) { throw FileError("cannot write " + path + ": " + reason); }

std::string part_name(const std::string& path) { return path + ".part"; }

void clear_part(const std::string& path) {
  if (unlink(part_name(path).c_str()) != 0 && errno != ENOENT) cannot_write(path, std::strerror(errno));
}

int create_part(const std::string& path) {
  return open(part_name(path).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

void move_into_place(const std::string& path) {
  if (std::rename(part_name(path).c_str(), path.c_str()) != 0) cannot_write(path, std::strerror(errno));
}

PartFile::PartFile(const std::string& path) : path_(path) {
  clear_part(path);
  id_ = create_part(path);
  if (id_ < 0) cannot_write(path, std::strerror(errno));
}

PartFile::~PartFile() {
  if (id_ >= 0) close(id_);
}

void PartFile::write(std::string_view text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t some = ::write(id_, text.data() + done, text.size() - done);
    if (some < 0 && errno == EINTR) continue;
    if (some <= 0) {
      const std::string reason = std::strerror(errno);
      const std::size_t end = text.substr(0, done).rfind('\n');
      (void)!ftruncate(id_, size_ + static_cast<off_t>(end == std::string_view::npos ? 0 : end + 1));
      cannot_write(path_, reason);
    }
    done += static_cast<std::size_t>(some);
  }
  size_ += static_cast<off_t>(text.size());
}

void PartFile::finish() {
  if (close(std::exchange(id_, -1)) != 0) cannot_write(path_, std::strerror(errno));
  move_into_place(path_);
}

void write_rows(RowFile& file, const Recording& recording, const std::string& path) {
  std::vector<double> row(recording.columns.size());
  try {
    for (std::size_t i = 0; i < recording.rows(); ++i) {
      for (std::size_t k = 0; k < row.size(); ++k) row[k] = recording.columns[k][i];
      file.add(row.data());
    }
    file.finish();
  } catch (const FileError&) {
    unlink(part_name(path).c_str());
    throw;
  }
}

}  // namespace trunnion
