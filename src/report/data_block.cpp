// Packed numeric data of a report.
// SPDX-License-Identifier: BSD-3-Clause
#include "report/data_block.h"

#include <zlib.h>

#include <bit>
#include <cstdint>
#include <functional>

#include "base/diagnostic.h"

namespace trunnion {

static_assert(std::endian::native == std::endian::little, "arrays are written in memory byte order");

ReportJson DataBlock::add(const std::vector<float>& values, std::size_t stride) {
  std::string planes(values.size() * sizeof(float), '\0');
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto bits = [&](std::size_t k) { return std::bit_cast<std::uint32_t>(values[k]); };
    const std::uint32_t difference = i < stride ? bits(i) : bits(i) - bits(i - stride);
    for (std::size_t k = 0; k < sizeof(float); ++k) planes[k * values.size() + i] = static_cast<char>(difference >> (8 * k) & 0xffU);
  }
  ReportJson place = add(planes, values.size(), "f32");
  place["coding"] = "planes delta32";
  if (stride != 1) place["stride"] = stride;
  return place;
}

ReportJson DataBlock::add(const std::vector<double>& values) {
  return add({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)}, values.size(), "f64");
}

ReportJson DataBlock::add(std::string_view bytes, std::size_t count, const char* type) {
  const std::size_t hash = std::hash<std::string_view>{}(bytes);
  const auto json = [&](std::size_t place) { return ReportJson{{"block", number_}, {"offset", place}, {"count", count}, {"type", type}}; };
  const auto [begin, end] = places_.equal_range(hash);
  for (auto at = begin; at != end; ++at)
    if (bytes_.compare(at->second, bytes.size(), bytes) == 0) return json(at->second);
  constexpr std::size_t kAligned = 8;  // every array may be viewed without copying
  const std::size_t place = (bytes_.size() + kAligned - 1) / kAligned * kAligned;
  bytes_.resize(place);
  bytes_ += bytes;
  places_.emplace(hash, place);
  return json(place);
}

std::string DataBlock::packed() const { return base64(gzip(bytes_)); }

std::string gzip(std::string_view bytes) {
  constexpr int kWindow = 15, kGzip = 16, kMemory = 8;
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kWindow + kGzip, kMemory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw Error("zlib cannot start");
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw Error("zlib cannot pack the data");
  return out;
}

std::string base64(std::string_view bytes) {
  constexpr const char* kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t k) { return k < bytes.size() ? static_cast<unsigned>(static_cast<unsigned char>(bytes[k])) : 0U; };
    const unsigned three = byte(i) << 16U | byte(i + 1) << 8U | byte(i + 2);
    out += kDigits[three >> 18U];
    out += kDigits[three >> 12U & 63U];
    out += i + 1 < bytes.size() ? kDigits[three >> 6U & 63U] : '=';
    out += i + 2 < bytes.size() ? kDigits[three & 63U] : '=';
  }
  return out;
}

}  // namespace trunnion
