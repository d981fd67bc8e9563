// Results as HDF5.
// SPDX-License-Identifier: BSD-3-Clause
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
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "results/files.h"
#include "results/hdf5_handle.h"
#include "results/part_file.h"
#include "trunnion/version.h"

namespace trunnion {

namespace {

constexpr double kPieces = 64;                              // of a channel in a run, approximately
constexpr std::size_t kFewestRows = 256, kMostRows = 8192;  // rows of a chunk
constexpr std::size_t kLine = 8;                            // numbers of a cache line
constexpr int kDeflate = 1;                                 // level: the fastest

/// `values` of `channels` columns in chunks of `piece` rows of one channel.
hid_t create_values(hid_t file, std::size_t channels, std::size_t piece) {
  const hsize_t now[2] = {0, channels}, most[2] = {H5S_UNLIMITED, channels}, chunk[2] = {piece, 1};
  const Hdf5Handle space(H5Screate_simple(2, now, most), H5Sclose), layout(dataset_properties(), H5Pclose);
  check_hdf5(H5Pset_chunk(layout, 2, chunk));
  check_hdf5(H5Pset_shuffle(layout));
  check_hdf5(H5Pset_deflate(layout, kDeflate));
  const double none = std::nan("");
  check_hdf5(H5Pset_fill_value(layout, H5T_NATIVE_DOUBLE, &none));
  return H5Dcreate2(file, "values", H5T_IEEE_F64LE, space, H5P_DEFAULT, layout, H5P_DEFAULT);
}

hid_t create_rows(hid_t file) {
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose), properties(dataset_properties(), H5Pclose);
  return H5Dcreate2(file, "rows", H5T_STD_U64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
}

/// Packs chunks of a channel like the HDF5 filters `shuffle` and `deflate`, several times as fast: the low bytes of changing numbers are
/// noise, which deflate cannot compress; they are stored uncompressed.
class Packer {
 public:
  explicit Packer(std::size_t piece) : piece_(piece), planes_(kBytes * piece), packed_(kBytes * piece + 1024) {
    constexpr int kWindow = 15, kMemory = 5;  // for chunks of some kilobytes
    if (deflateInit2(&stream_, kDeflate, Z_DEFLATED, kWindow, kMemory, Z_RLE) != Z_OK) throw Error("zlib reports an error");
  }
  ~Packer() { deflateEnd(&stream_); }
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  /// `values`: a chunk. Valid until the next call.
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
      stream_.next_in = const_cast<unsigned char*>(plane);  // zlib does not modify it
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
  std::unordered_map<std::uint64_t, std::string> constants_;  // chunks of one constant value, by its bits
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
  /// The rows of the current chunk, which is rewritten when there are more.
  void write() {
    const std::size_t rows = buffer_.size() / channels_;
    if (begin_ + rows == written_) return;
    const hsize_t size[2] = {begin_ + rows, channels_};
    check_hdf5(H5Dset_extent(*values_, size));
    for (std::size_t k = 0; k < channels_; k += kLine) {
      const std::size_t some = std::min(kLine, channels_ - k);
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < some; ++j) columns_[j * piece_ + i] = buffer_[i * channels_ + k + j];
      for (std::size_t j = 0; j < some; ++j) {
        double* column = columns_.data() + j * piece_;
        std::fill(column + rows, column + piece_, std::nan(""));
        const std::string_view packed = packer_.pack(column);
        const hsize_t place[2] = {begin_, k + j};
        check_hdf5(H5Dwrite_chunk(*values_, H5P_DEFAULT, 0, place, packed.size(), packed.data()));
      }
    }
    written_ = begin_ + rows;
    if (rows == piece_) {
      begin_ = written_;
      buffer_.clear();
    }
    check_hdf5(H5Fflush(file_, H5F_SCOPE_GLOBAL));
    count();  // after the values: the counted rows exist, whenever the program is killed
  }

 private:
  void count() {
    const std::uint64_t rows = written_;
    check_hdf5(H5Dwrite(count_, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &rows));
    check_hdf5(H5Fflush(file_, H5F_SCOPE_GLOBAL));
  }

  std::size_t channels_, piece_;
  std::size_t begin_ = 0, written_ = 0;  // rows before the current chunk; in the file
  Hdf5Handle file_, count_;
  std::optional<Hdf5Handle> values_;
  Packer packer_;
  std::vector<double> buffer_, columns_;  // rows of the current chunk; some columns of it
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
      rows_ = std::make_unique<Hdf5Rows>(fresh, channels, model_text, std::max(piece, kFewestRows));
      if (std::rename(fresh.c_str(), part_name(path).c_str()) != 0) throw Error(std::strerror(errno));
    });
  }
  void add(const double* row) override {
    attempt([&] { rows_->add(row); });
  }
  /// Rows are buffered until a chunk is full, for a limited time.
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
  /// Keeps a file open after a write error: closing it would overwrite complete data with incomplete data.
  static void abandon(std::unique_ptr<Hdf5Rows> rows) {
    static auto* all = new std::vector<std::unique_ptr<Hdf5Rows>>;
    if (rows) all->push_back(std::move(rows));
  }

  std::string path_;
  std::unique_ptr<Hdf5Rows> rows_;
  std::chrono::steady_clock::time_point flushed_ = std::chrono::steady_clock::now();
};

}  // namespace

std::unique_ptr<RowFile> new_hdf5(const std::string& path, const std::vector<Channel>& channels, const std::string& model_text,
                                  double rows) {
  return std::make_unique<Hdf5File>(path, channels, model_text, rows);
}

void write_hdf5(const Recording& recording, const std::string& model_text, const std::string& path) {
  write_rows(*new_hdf5(path, recording.channels, model_text, static_cast<double>(recording.rows())), recording, path);
}

}  // namespace trunnion
