// Result files and folders.
// SPDX-License-Identifier: BSD-3-Clause
#include "results/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/diagnostic.h"
#include "results/part_file.h"

namespace trunnion {

void write_whole(const std::string& path, const std::function<void(const std::string& temporary)>& write) {
  clear_part(path);
  try {
    write(part_name(path));
  } catch (const Error& e) {
    std::remove(part_name(path).c_str());
    cannot_write(path, e.what());
  }
  move_into_place(path);
}

void write_text(const std::string& text, const std::string& path) {
  PartFile file(path);
  try {
    file.write(text);
    file.finish();
  } catch (const FileError&) {
    unlink(part_name(path).c_str());
    throw;
  }
}

namespace {

void settle_file(const std::string& path) {
  const int id = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (id < 0) cannot_write(path, std::strerror(errno));
  const int reason = fsync(id) == 0 ? 0 : errno;
  close(id);
  if (reason != 0 && reason != EINVAL && reason != EROFS) cannot_write(path, std::strerror(reason));  // those: without a disk
}

}  // namespace

void settle_folder(const std::string& path) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(path, error))
    if (entry.is_regular_file(error) && !entry.is_symlink(error)) settle_file(entry.path().string());
  if (error) cannot_write(path, error.message());
  settle_file(path);
}

namespace {

constexpr const char* kWritableFolder = "a folder that can be written";

/// Whether another folder would not help: the device or the machine is exhausted or defective.
bool is_of_the_machine(const std::error_code& error) {
  constexpr std::array kOfTheMachine{ENOSPC, EDQUOT, EIO, EMFILE, ENFILE, ENOMEM};
  return std::find(kOfTheMachine.begin(), kOfTheMachine.end(), error.value()) != kOfTheMachine.end();
}

/// The first part of a path that exists and is no folder; empty: there is none.
std::string file_in_place(const std::filesystem::path& path) {
  std::filesystem::path part;
  for (const std::filesystem::path& name : path) {
    part /= name;
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(part, error);
    if (std::filesystem::exists(status) && !std::filesystem::is_directory(status)) return part.string();
  }
  return "";
}

/// Creates a folder and its parents; whether it was missing.
bool create_folder(const std::string& path) {
  std::error_code error;
  const bool made = std::filesystem::create_directories(path, error);
  if (!error) return made;
  if (is_of_the_machine(error)) throw FileError("cannot create the folder " + path + ": " + error.message());
  const std::string file = file_in_place(path);
  throw InputError({Diagnostic{{path, 0, 0},
                               "",
                               "the folder cannot be created: " + (file.empty() ? error.message() : "`" + file + "` is not a folder"),
                               kWritableFolder,
                               ""}});
}

}  // namespace

void make_folder(const std::string& path) { create_folder(path); }

ResultFolder::ResultFolder(const std::string& path) : path_(path), made_(create_folder(path)) {
  const auto refuse = [&](const std::string& found, const std::string& expected) {
    if (id_ >= 0) close(id_);
    if (made_) rmdir(path.c_str());
    throw InputError({Diagnostic{{path, 0, 0}, "", found, expected, ""}});
  };
  id_ = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (id_ < 0) refuse(std::string("the folder cannot be opened: ") + std::strerror(errno), kWritableFolder);
  if (flock(id_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)  // file systems without locks are accepted
    refuse("another run is writing into this folder", "another folder, with -o");
  const std::string probe = path + "/results.lock";
  unlink((probe + ".part").c_str());
  const int file = create_part(probe);
  if (file < 0) refuse(std::string("the folder cannot be written: ") + std::strerror(errno), kWritableFolder);
  close(file);
  unlink((probe + ".part").c_str());
}

ResultFolder::~ResultFolder() {
  if (made_) rmdir(path_.c_str());
  close(id_);
}

}  // namespace trunnion
