// SPDX-License-Identifier: BSD-3-Clause
#include "results/files.h"

#include <fcntl.h>
#include <hdf5.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>
#include <thread>

#include "base/diagnostic.h"
#include "trunnion/version.h"

namespace trunnion {

namespace {

constexpr int kDigits = 17;            // enough for every double to read back
constexpr std::size_t kBlock = 16384;  // rows formatted at once
constexpr std::size_t kLongest = 25;   // characters of -1.2345678901234567e-308 and a separator

/// Errors of HDF5 are reported here, by exception, and not by the library when the program ends: it would try once more to write what
/// could not be written, and crash.
void take_errors_of_hdf5() {
  static const bool once = [] {
    H5dont_atexit();
    return true;
  }();
  (void)once;
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  errno = 0;
}

[[noreturn]] void hdf5_failed() {
  throw Error(errno != 0 ? std::string("HDF5 reports an error: ") + std::strerror(errno) : "HDF5 reports an error");
}

[[noreturn]] void cannot_write(const std::string& path, const std::string& reason) {
  throw FileError("cannot write " + path + ": " + reason);
}

std::string part_name(const std::string& path) { return path + ".part"; }

/// Takes away what is left of an earlier program at a temporary name; a link there, not what it leads to.
void clear_part(const std::string& path) {
  if (unlink(part_name(path).c_str()) != 0 && errno != ENOENT) cannot_write(path, std::strerror(errno));
}

/// Creates the temporary file anew. Null: errno says why.
std::FILE* create_part(const std::string& path) {
  const int id = open(part_name(path).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (id < 0) return nullptr;
  std::FILE* file = fdopen(id, "wb");
  if (file == nullptr) close(id);
  return file;
}

void move_into_place(const std::string& path) {
  if (std::rename(part_name(path).c_str(), path.c_str()) != 0) cannot_write(path, std::strerror(errno));
}

/// Writes one number at `p`; returns its end. At least kLongest characters must fit.
char* put_number(char* p, double value) {
  if (std::isfinite(value)) return std::to_chars(p, p + kLongest, value, std::chars_format::general, kDigits).ptr;
  const char* word = std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
  const std::size_t n = std::strlen(word);
  std::memcpy(p, word, n);
  return p + n;
}

/// Rows [begin, end) as text.
class RowText {
 public:
  void format(const Recording& recording, std::size_t begin, std::size_t end) {
    const std::size_t columns = recording.columns.size();
    text_ = std::make_unique_for_overwrite<char[]>((end - begin) * columns * kLongest);
    char* p = text_.get();
    for (std::size_t row = begin; row < end; ++row)
      for (std::size_t k = 0; k < columns; ++k) {
        p = put_number(p, recording.columns[k][row]);
        *p++ = k + 1 < columns ? ',' : '\n';
      }
    size_ = static_cast<std::size_t>(p - text_.get());
  }
  std::string_view text() const { return {text_.get(), size_}; }

 private:
  std::unique_ptr<char[]> text_;
  std::size_t size_ = 0;
};

/// Hands the CSV text to `sink` piece by piece; two halves of a block are formatted side by side.
template <class Sink>
void format_csv(const Recording& recording, Sink&& sink) {
  std::string header;
  for (std::size_t k = 0; k < recording.channels.size(); ++k) header += (k > 0 ? "," : "") + recording.channels[k].name;
  sink(std::string_view(header + "\n"));
  std::array<RowText, 2> half;
  for (std::size_t begin = 0; begin < recording.rows(); begin += kBlock) {
    const std::size_t end = std::min(begin + kBlock, recording.rows()), middle = begin + (end - begin) / 2;
    std::thread second([&] { half[1].format(recording, middle, end); });
    half[0].format(recording, begin, middle);
    second.join();
    for (const RowText& rows : half) sink(rows.text());
  }
}

/// A file that appears under its name once it is whole.
class NewFile {
 public:
  explicit NewFile(const std::string& path) : path_(path) {
    clear_part(path);
    file_ = create_part(path);
    if (file_ == nullptr) cannot_write(path, std::strerror(errno));
  }
  ~NewFile() {
    if (file_ == nullptr) return;
    std::fclose(file_);
    std::remove(part_name(path_).c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) cannot_write(path_, std::strerror(errno));
  }
  void finish() {
    std::FILE* file = file_;
    file_ = nullptr;
    if (std::fclose(file) != 0) {
      const std::string reason = std::strerror(errno);
      std::remove(part_name(path_).c_str());
      cannot_write(path_, reason);
    }
    move_into_place(path_);
  }

 private:
  std::string path_;
  std::FILE* file_ = nullptr;
};

/// An HDF5 identifier that closes itself.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {
    if (id_ < 0) hdf5_failed();
  }
  ~Handle() { close_(id_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const { return id_; }  // NOLINT(google-explicit-constructor): stands where HDF5 takes an identifier

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

void check(herr_t status) {
  if (status < 0) hdf5_failed();
}

void write_attribute(hid_t object, const char* name, const std::string& value) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
  check(H5Tset_size(type, value.size() + 1));
  check(H5Tset_cset(type, H5T_CSET_UTF8));
  const Handle attribute(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  check(H5Awrite(attribute, type, value.c_str()));
}

/// Text of any length: attributes hold 64 kB at most.
void write_text_dataset(hid_t file, const char* name, const std::string& value) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
  check(H5Tset_size(type, value.size() + 1));
  check(H5Tset_cset(type, H5T_CSET_UTF8));
  const Handle set(H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
  check(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value.c_str()));
}

void fill_hdf5(const Recording& recording, const std::string& model_text, const std::string& path) {
  const Handle file(H5Fcreate(path.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
  write_attribute(file, "program", std::string("trunnion ") + kVersion);
  write_text_dataset(file, "model", model_text);
  const hsize_t rows = recording.rows();
  const Handle space(H5Screate_simple(1, &rows, nullptr), H5Sclose);
  for (std::size_t k = 0; k < recording.channels.size(); ++k) {
    const Channel& channel = recording.channels[k];
    const Handle set(H5Dcreate2(file, channel.name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
    check(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, recording.columns[k].data()));
    write_attribute(set, "unit", channel.unit);
    write_attribute(set, "description", channel.meaning);
  }
  check(H5Fflush(file, H5F_SCOPE_GLOBAL));
}

}  // namespace

void append_number(std::string& text, double value) {
  std::array<char, kLongest> buffer{};
  text.append(buffer.data(), put_number(buffer.data(), value));
}

std::string csv_text(const Recording& recording) {
  std::string text;
  format_csv(recording, [&](std::string_view piece) { text += piece; });
  return text;
}

void write_csv(const Recording& recording, const std::string& path) {
  NewFile file(path);
  format_csv(recording, [&](std::string_view piece) { file.write(piece); });
  file.finish();
}

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

void write_hdf5(const Recording& recording, const std::string& model_text, const std::string& path) {
  take_errors_of_hdf5();
  write_whole(path, [&](const std::string& temporary) { fill_hdf5(recording, model_text, temporary); });
}

void write_text(const std::string& text, const std::string& path) {
  NewFile file(path);
  file.write(text);
  file.finish();
}

void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw FileError("cannot create the folder " + path + ": " + error.message());
}

ResultFolder::ResultFolder(const std::string& path) : path_(path) {
  const auto refuse = [&](const std::string& found, const std::string& expected) {
    if (id_ >= 0) close(id_);
    if (made_) rmdir(path.c_str());
    throw InputError({Diagnostic{{path, 0, 0}, "", found, expected, ""}});
  };
  const std::string folder = "a folder that can be written, with -o";
  std::error_code error;
  made_ = std::filesystem::create_directories(path, error);
  if (error) refuse("the folder cannot be created: " + error.message(), folder);
  id_ = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (id_ < 0) refuse(std::string("the folder cannot be opened: ") + std::strerror(errno), folder);
  if (flock(id_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)  // file systems without locks go without
    refuse("another run is writing into this folder", "another folder, with -o");
  const std::string probe = path + "/results.lock";
  unlink((probe + ".part").c_str());
  std::FILE* file = create_part(probe);
  if (file == nullptr) refuse(std::string("the folder cannot be written: ") + std::strerror(errno), folder);
  std::fclose(file);
  unlink((probe + ".part").c_str());
}

ResultFolder::~ResultFolder() {
  if (made_) rmdir(path_.c_str());
  close(id_);
}

}  // namespace trunnion
