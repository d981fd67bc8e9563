// Common code of the fuzz targets.
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/diagnostic.h"
#include "base/text.h"
#include "fuzz/targets.h"

namespace trunnion::fuzz {

namespace {

class ScratchFolder {
 public:
  ScratchFolder() { std::filesystem::create_directories(path); }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string path = (std::filesystem::temp_directory_path() / ("trunnion_fuzz_" + std::to_string(getpid()))).string();
};

}  // namespace

void require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz target: %s\n", what.c_str());
  std::abort();
}

void refused_properly(const std::function<void()>& read) {
  try {
    read();
  } catch (const InputError& error) {
    require(!error.diagnostics().empty(), "an InputError without findings");
    require(find_invalid_utf8(error.what()) == std::string::npos, "a message that is not UTF-8");
  } catch (const Error& error) {
    require(*error.what() != '\0', "an empty message");
    require(find_invalid_utf8(error.what()) == std::string::npos, "a message that is not UTF-8");
  }
}

const std::string& scratch_folder() {
  static const ScratchFolder folder;
  return folder.path;
}

void write_file(const std::string& path, std::string_view text) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  require(file != nullptr, "cannot create " + path);
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  require(std::fclose(file) == 0 && written, "cannot write " + path);
}

}  // namespace trunnion::fuzz
