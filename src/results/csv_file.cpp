// Results as CSV.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/compile.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "results/files.h"
#include "results/part_file.h"

namespace trunnion {

namespace {

constexpr std::size_t kLongest = 25;                 // characters of -1.2345678901234567e-308 and a separator
constexpr std::size_t kText = std::size_t{1} << 18;  // [bytes] written at once

/// Writes one number at `p`; returns its end. At least kLongest characters must fit.
char* put_number(char* p, double value) {
  if (std::isfinite(value)) return fmt::format_to(p, FMT_COMPILE("{}"), value);
  const char* word = std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
  const std::size_t n = std::strlen(word);
  std::memcpy(p, word, n);
  return p + n;
}

/// Rows as text. Many channels keep their value over several rows: the digits are kept, too.
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
      std::memcpy(p, cell.digits.data(), kLongest);  // a fixed size is faster
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
  PartFile file_;
  RowText rows_;
};

}  // namespace

void append_number(std::string& text, double value) {
  std::array<char, kLongest> buffer{};
  text.append(buffer.data(), put_number(buffer.data(), value));
}

std::unique_ptr<RowFile> new_csv(const std::string& path, const std::vector<Channel>& channels) {
  return std::make_unique<CsvFile>(path, channels);
}

void write_csv(const Recording& recording, const std::string& path) { write_rows(*new_csv(path, recording.channels), recording, path); }

}  // namespace trunnion
