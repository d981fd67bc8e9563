// Numeric data of a page: arrays of little-endian floats in sequence, compressed by gzip, as base64 text. Floats of curves are stored as
// differences of their bit patterns with bytes of equal significance grouped, which is lossless and a quarter smaller (`"coding": "planes
// delta32"`: reassemble the bytes first, then accumulate).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "report/result_files.h"

namespace trunnion {

class DataBlock {
 public:
  /// `number`: of the block in its page.
  explicit DataBlock(int number) : number_(number) {}

  /// Adds an array and returns its location: `{"block": 0, "offset": bytes, "count": n, "type": "f32"}`. Equal arrays are stored once.
  /// For a sequence of tuples `stride` is their length: differences are between equal components.
  ReportJson add(const std::vector<float>& values, std::size_t stride = 1);
  ReportJson add(const std::vector<double>& values);

  /// The block as text. Throws Error.
  std::string packed() const;

 private:
  ReportJson add(std::string_view bytes, std::size_t count, const char* type);

  int number_;
  std::string bytes_;
  std::unordered_multimap<std::size_t, std::size_t> places_;  // by the bytes' hash
};

/// Bytes as a gzip stream.
std::string gzip(std::string_view bytes);
std::string base64(std::string_view bytes);

}  // namespace trunnion
