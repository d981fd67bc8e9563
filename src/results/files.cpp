// SPDX-License-Identifier: BSD-3-Clause
#include "results/files.h"

#include <fcntl.h>
#include <fmt/compile.h>
#include <hdf5.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/diagnostic.h"
#include "trunnion/version.h"

namespace trunnion {

namespace {

constexpr std::size_t kLongest = 25;                      // characters of -1.2345678901234567e-308 and a separator
constexpr std::size_t kText = std::size_t{1} << 18;       // [bytes] of CSV that are written at once
constexpr double kPieces = 64;                            // of a channel in a run, about
constexpr std::size_t kShortest = 256, kMostRows = 8192;  // rows of a piece
constexpr std::size_t kLine = 8;                          // numbers of a cache line
constexpr int kDeflate = 1;                               // level: the fastest

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

/// Creates the temporary file anew. Negative: errno says why.
int create_part(const std::string& path) {
  return open(part_name(path).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

void move_into_place(const std::string& path) {
  if (std::rename(part_name(path).c_str(), path.c_str()) != 0) cannot_write(path, std::strerror(errno));
}

/// Writes one number at `p`; returns its end. At least kLongest characters must fit.
char* put_number(char* p, double value) {
  if (std::isfinite(value)) return fmt::format_to(p, FMT_COMPILE("{}"), value);
  const char* word = std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
  const std::size_t n = std::strlen(word);
  std::memcpy(p, word, n);
  return p + n;
}

/// Rows as text. Many channels keep their value for a while: its digits are kept, too.
class RowText {
 public:
  explicit RowText(const std::vector<Channel>& channels) : last_(channels.size()) {
    for (const Channel& channel : channels) text_ += (text_.empty() ? "" : ",") + channel.name;
    text_ += '\n';
  }
  void add(const double* row) {
    const std::size_t begin = text_.size();
    text_.resize(begin + last_.size() * kLongest);
    char* p = text_.data() + begin;
    for (std::size_t k = 0; k < last_.size(); ++k) {
      Cell& cell = last_[k];
      const auto bits = std::bit_cast<std::uint64_t>(row[k]);
      if (cell.size == 0 || bits != cell.bits) {
        cell.bits = bits;
        cell.size = static_cast<std::uint8_t>(put_number(cell.digits.data(), row[k]) - cell.digits.data());
      }
      std::memcpy(p, cell.digits.data(), kLongest);  // a fixed size is quicker than the right one
      p += cell.size;
      *p++ = ',';
    }
    p[-1] = '\n';
    text_.resize(static_cast<std::size_t>(p - text_.data()));
  }
  const std::string& text() const { return text_; }
  void clear() { text_.clear(); }

 private:
  struct Cell {
    std::uint64_t bits = 0;
    std::uint8_t size = 0;
    std::array<char, kLongest> digits{};
  };
  std::vector<Cell> last_;
  std::string text_;
};

/// A new file under a temporary name, which gets its own once it is whole.
class NewFile {
 public:
  explicit NewFile(const std::string& path) : path_(path) {
    clear_part(path);
    id_ = create_part(path);
    if (id_ < 0) cannot_write(path, std::strerror(errno));
  }
  ~NewFile() {
    if (id_ >= 0) close(id_);
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  /// Of a text that cannot be written whole, whole lines stay.
  void write(std::string_view text) {
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
  void finish() {
    if (close(std::exchange(id_, -1)) != 0) cannot_write(path_, std::strerror(errno));
    move_into_place(path_);
  }

 private:
  std::string path_;
  int id_ = -1;
  off_t size_ = 0;  // [bytes]
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

/// Properties of a new dataset, which does not keep the time of its creation: equal runs give equal bytes.
hid_t new_dataset_properties() {
  const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
  check(H5Pset_obj_track_times(properties, false));
  return properties;
}

/// Text of any length: attributes hold 64 kB at most.
void write_text_dataset(hid_t file, const char* name, const std::string& value) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
  check(H5Tset_size(type, value.size() + 1));
  check(H5Tset_cset(type, H5T_CSET_UTF8));
  const Handle untimed(new_dataset_properties(), H5Pclose);
  const Handle set(H5Dcreate2(file, name, type, space, H5P_DEFAULT, untimed, H5P_DEFAULT), H5Dclose);
  check(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value.c_str()));
}

void write_texts(hid_t file, const char* name, const std::vector<std::string>& values) {
  std::size_t size = 1;
  for (const std::string& value : values) size = std::max(size, value.size());
  std::string all;
  for (std::string value : values) {
    value.resize(size);
    all += value;
  }
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  check(H5Tset_size(type, size));
  check(H5Tset_strpad(type, H5T_STR_NULLPAD));
  check(H5Tset_cset(type, H5T_CSET_UTF8));
  const hsize_t count = values.size();
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  const Handle untimed(new_dataset_properties(), H5Pclose);
  const Handle set(H5Dcreate2(file, name, type, space, H5P_DEFAULT, untimed, H5P_DEFAULT), H5Dclose);
  check(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()));
}

/// Open for a run; readers need no lock.
hid_t create_hdf5(const std::string& path) {
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  check(H5Pset_file_locking(access, false, true));
  return H5Fcreate(path.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, access);
}

/// `values` of `channels` columns in pieces of `piece` rows of one channel.
hid_t create_values(hid_t file, std::size_t channels, std::size_t piece) {
  const hsize_t now[2] = {0, channels}, most[2] = {H5S_UNLIMITED, channels}, chunk[2] = {piece, 1};
  const Handle space(H5Screate_simple(2, now, most), H5Sclose), layout(new_dataset_properties(), H5Pclose);
  check(H5Pset_chunk(layout, 2, chunk));
  check(H5Pset_shuffle(layout));
  check(H5Pset_deflate(layout, kDeflate));
  const double none = std::nan("");
  check(H5Pset_fill_value(layout, H5T_NATIVE_DOUBLE, &none));
  return H5Dcreate2(file, "values", H5T_IEEE_F64LE, space, H5P_DEFAULT, layout, H5P_DEFAULT);
}

hid_t create_rows(hid_t file) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose), untimed(new_dataset_properties(), H5Pclose);
  return H5Dcreate2(file, "rows", H5T_STD_U64LE, space, H5P_DEFAULT, untimed, H5P_DEFAULT);
}

/// Packs pieces of a channel as the filters `shuffle` and `deflate` of HDF5 do, several times as fast: the low bytes of numbers that change
/// are noise, on which deflate finds nothing; they are stored as they are.
class Packer {
 public:
  explicit Packer(std::size_t piece) : piece_(piece), planes_(kBytes * piece), packed_(kBytes * piece + 1024) {
    constexpr int kWindow = 15, kMemory = 5;  // for pieces of some kilobytes
    if (deflateInit2(&stream_, kDeflate, Z_DEFLATED, kWindow, kMemory, Z_RLE) != Z_OK) throw Error("zlib reports an error");
  }
  ~Packer() { deflateEnd(&stream_); }
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  /// `values`: a piece. Valid until the next call.
  std::string_view pack(const double* values) {
    const auto bits = std::bit_cast<std::uint64_t>(*values);
    if (!std::all_of(values, values + piece_, [&](double x) { return std::bit_cast<std::uint64_t>(x) == bits; })) return deflated(values);
    if (constants_.size() > kMostConstants) constants_.clear();
    std::string& packed = constants_[bits];
    if (packed.empty()) packed = deflated(values);
    return packed;
  }

 private:
  std::string_view deflated(const double* values) {
    for (std::size_t i = 0; i < piece_; ++i) {
      const auto bytes = std::bit_cast<std::array<unsigned char, kBytes>>(values[i]);
      for (std::size_t j = 0; j < kBytes; ++j) planes_[j * piece_ + i] = bytes[j];
    }
    bool fine = deflateReset(&stream_) == Z_OK;
    stream_.next_out = packed_.data();
    stream_.avail_out = static_cast<uInt>(packed_.size());
    for (std::size_t j = 0; j < kBytes; ++j) {
      const unsigned char* plane = planes_.data() + j * piece_;
      std::size_t runs = 0;
      for (std::size_t i = 1; i < piece_; ++i) runs += plane[i] == plane[i - 1] ? 1 : 0;
      fine = fine && deflateParams(&stream_, runs > piece_ / kFewRuns ? kDeflate : 0, Z_RLE) == Z_OK;
      stream_.next_in = const_cast<unsigned char*>(plane);  // zlib only reads it
      stream_.avail_in = static_cast<uInt>(piece_);
      const int status = deflate(&stream_, j + 1 < kBytes ? Z_NO_FLUSH : Z_FINISH);
      fine = fine && status == (j + 1 < kBytes ? Z_OK : Z_STREAM_END);
    }
    if (!fine) throw Error("zlib reports an error");
    return {reinterpret_cast<const char*>(packed_.data()), packed_.size() - stream_.avail_out};
  }

  static constexpr std::size_t kBytes = sizeof(double), kFewRuns = 8, kMostConstants = 1000;

  std::size_t piece_;
  std::vector<unsigned char> planes_, packed_;
  std::unordered_map<std::uint64_t, std::string> constants_;  // pieces that hold one value, by its bits
  z_stream stream_{};
};

class Hdf5Rows {
 public:
  Hdf5Rows(const std::string& file, const std::vector<Channel>& channels, const std::string& model_text, std::size_t piece)
      : channels_(channels.size()),
        piece_(piece),
        file_(create_hdf5(file), H5Fclose),
        count_(create_rows(file_), H5Dclose),
        packer_(piece) {
    write_attribute(file_, "program", std::string("trunnion ") + kVersion);
    write_text_dataset(file_, "model", model_text);
    std::vector<std::string> names, units, descriptions;
    for (const Channel& channel : channels) {
      names.push_back(channel.name);
      units.push_back(channel.unit);
      descriptions.push_back(channel.meaning);
    }
    write_texts(file_, "channels", names);
    write_texts(file_, "units", units);
    write_texts(file_, "descriptions", descriptions);
    values_.emplace(create_values(file_, channels_, piece_), H5Dclose);
    buffer_.reserve(channels_ * piece_);
    columns_.resize(kLine * piece_);
    count();
  }
  void add(const double* row) {
    buffer_.insert(buffer_.end(), row, row + channels_);
    if (buffer_.size() == channels_ * piece_) write();
  }
  /// The rows of the present piece, which is written again when there are more.
  void write() {
    const std::size_t rows = buffer_.size() / channels_;
    if (begin_ + rows == written_) return;
    const hsize_t size[2] = {begin_ + rows, channels_};
    check(H5Dset_extent(*values_, size));
    for (std::size_t k = 0; k < channels_; k += kLine) {
      const std::size_t some = std::min(kLine, channels_ - k);
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < some; ++j) columns_[j * piece_ + i] = buffer_[i * channels_ + k + j];
      for (std::size_t j = 0; j < some; ++j) {
        double* column = columns_.data() + j * piece_;
        std::fill(column + rows, column + piece_, std::nan(""));
        const std::string_view packed = packer_.pack(column);
        const hsize_t place[2] = {begin_, k + j};
        check(H5Dwrite_chunk(*values_, H5P_DEFAULT, 0, place, packed.size(), packed.data()));
      }
    }
    written_ = begin_ + rows;
    if (rows == piece_) {
      begin_ = written_;
      buffer_.clear();
    }
    check(H5Fflush(file_, H5F_SCOPE_GLOBAL));
    count();  // after the values: what it counts is there, whenever the program is killed
  }

 private:
  void count() {
    const std::uint64_t rows = written_;
    check(H5Dwrite(count_, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &rows));
    check(H5Fflush(file_, H5F_SCOPE_GLOBAL));
  }

  std::size_t channels_, piece_;
  std::size_t begin_ = 0, written_ = 0;  // rows before the present piece; in the file
  Handle file_, count_;
  std::optional<Handle> values_;
  Packer packer_;
  std::vector<double> buffer_, columns_;  // rows of the present piece; some columns of it
};

class Hdf5File final : public RowFile {
 public:
  Hdf5File(const std::string& path, const std::vector<Channel>& channels, const std::string& model_text, double rows) : path_(path) {
    take_errors_of_hdf5();
    clear_part(path);
    const double pieces = std::max(1.0, rows / kPieces);
    const std::size_t piece = pieces < kMostRows ? std::bit_ceil(static_cast<std::size_t>(pieces)) : kMostRows;
    // under another name until it can be opened
    const std::string fresh = path + ".new";
    unlink(fresh.c_str());
    attempt([&] {
      rows_ = std::make_unique<Hdf5Rows>(fresh, channels, model_text, std::max(piece, kShortest));
      if (std::rename(fresh.c_str(), part_name(path).c_str()) != 0) throw Error(std::strerror(errno));
    });
  }
  void add(const double* row) override {
    attempt([&] { rows_->add(row); });
  }
  /// Rows are kept back until a piece is full; but not for long.
  void flush() override {
    constexpr auto kLong = std::chrono::seconds(10);
    const auto now = std::chrono::steady_clock::now();
    if (now - flushed_ < kLong) return;
    flushed_ = now;
    attempt([&] { rows_->write(); });
  }
  void finish() override {
    attempt([&] { rows_->write(); });
    rows_.reset();
    move_into_place(path_);
  }

 private:
  template <class Write>
  void attempt(Write&& write) {
    try {
      errno = 0;
      write();
    } catch (const Error& e) {
      abandon(std::move(rows_));
      unlink((path_ + ".new").c_str());
      cannot_write(path_, e.what());
    }
  }
  /// Leaves a file open that could not be written on: closing it would write half of what is new over what is whole.
  static void abandon(std::unique_ptr<Hdf5Rows> rows) {
    static auto* all = new std::vector<std::unique_ptr<Hdf5Rows>>;
    if (rows) all->push_back(std::move(rows));
  }

  std::string path_;
  std::unique_ptr<Hdf5Rows> rows_;
  std::chrono::steady_clock::time_point flushed_ = std::chrono::steady_clock::now();
};

class CsvFile final : public RowFile {
 public:
  CsvFile(const std::string& path, const std::vector<Channel>& channels) : file_(path), rows_(channels) { flush(); }

  void add(const double* row) override {
    rows_.add(row);
    if (rows_.text().size() >= kText) flush();
  }
  void flush() override {
    file_.write(rows_.text());
    rows_.clear();
  }
  void finish() override {
    flush();
    file_.finish();
  }

 private:
  NewFile file_;
  RowText rows_;
};

/// All rows of a recording; what could not be written whole goes.
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

}  // namespace

void append_number(std::string& text, double value) {
  std::array<char, kLongest> buffer{};
  text.append(buffer.data(), put_number(buffer.data(), value));
}

std::unique_ptr<RowFile> new_csv(const std::string& path, const std::vector<Channel>& channels) {
  return std::make_unique<CsvFile>(path, channels);
}

std::unique_ptr<RowFile> new_hdf5(const std::string& path, const std::vector<Channel>& channels, const std::string& model_text,
                                  double rows) {
  return std::make_unique<Hdf5File>(path, channels, model_text, rows);
}

void write_csv(const Recording& recording, const std::string& path) { write_rows(*new_csv(path, recording.channels), recording, path); }

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
  write_rows(*new_hdf5(path, recording.channels, model_text, static_cast<double>(recording.rows())), recording, path);
}

void write_text(const std::string& text, const std::string& path) {
  NewFile file(path);
  try {
    file.write(text);
    file.finish();
  } catch (const FileError&) {
    unlink(part_name(path).c_str());
    throw;
  }
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
  const int file = create_part(probe);
  if (file < 0) refuse(std::string("the folder cannot be written: ") + std::strerror(errno), folder);
  close(file);
  unlink((probe + ".part").c_str());
}

ResultFolder::~ResultFolder() {
  if (made_) rmdir(path_.c_str());
  close(id_);
}

}  // namespace trunnion
