// Preloaded library: from write number TRUNNION_FAILING_WRITE to a regular file on, all writes fail as on a full disk.
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

namespace {

bool fails(int file) {
  struct stat about {};
  if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) return false;
  static const char* const number = std::getenv("TRUNNION_FAILING_WRITE");
  static std::atomic<long> count = 0;
  if (number == nullptr || ++count < std::atol(number)) return false;
  errno = ENOSPC;
  return true;
}

template <class Function>
Function* real(const char* name, Function*) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

ssize_t write(int file, const void* data, size_t size) { return fails(file) ? -1 : real("write", write)(file, data, size); }
ssize_t pwrite(int file, const void* data, size_t size, off_t at) {
  return fails(file) ? -1 : real("pwrite", pwrite)(file, data, size, at);
}
ssize_t pwrite64(int file, const void* data, size_t size, off64_t at) {
  return fails(file) ? -1 : real("pwrite64", pwrite64)(file, data, size, at);
}
}
