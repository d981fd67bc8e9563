// Reads a report as a browser does: the JSON text of the page, its blocks decompressed by zlib, arrays assembled.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace trunnion::test {

using PageJson = nlohmann::json;

inline const std::string kTemplate = "<!doctype html><html><head></head><body><!-- TRUNNION_DATA -->\n<p>viewer</p></body></html>\n";

inline std::string from_base64(const std::string& text) {
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    int digit = -1;
    if (c >= 'A' && c <= 'Z') digit = c - 'A';
    if (c >= 'a' && c <= 'z') digit = c - 'a' + 26;
    if (c >= '0' && c <= '9') digit = c - '0' + 52;
    if (c == '+') digit = 62;
    if (c == '/') digit = 63;
    if (digit < 0) continue;
    bits = bits << 6U | static_cast<unsigned>(digit);
    if ((count += 6) < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> static_cast<unsigned>(count) & 0xffU);
  }
  return bytes;
}

inline std::string gunzip(std::string packed) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) throw std::runtime_error("zlib");
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string bytes, part(1 << 16, '\0');
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = static_cast<uInt>(part.size());
    status = inflate(&stream, Z_NO_FLUSH);
    bytes.append(part.data(), part.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("not a whole gzip stream");
  return bytes;
}

class Page {
 public:
  explicit Page(const std::string& html) : html_(html), data_(PageJson::parse(element("trunnion-data"))) {
    for (int i = 0; html.find("id=\"trunnion-block-" + std::to_string(i) + "\"") != std::string::npos; ++i)
      blocks_.push_back(gunzip(from_base64(element("trunnion-block-" + std::to_string(i)))));
  }

  const PageJson& data() const { return data_; }
  const PageJson& section(const std::string& kind, const std::string& name = "") const {
    for (const PageJson& s : data_["sections"])
      if (s["kind"] == kind && (name.empty() || s["name"] == name)) return s;
    throw std::runtime_error("no section " + kind + " " + name);
  }
  std::size_t blocks() const { return blocks_.size(); }

  std::vector<double> values(const PageJson& place) const {
    const std::string& block = blocks_.at(place["block"]);
    const std::size_t count = place["count"], offset = place["offset"];
    std::vector<double> out(count);
    if (place["type"] == "f64") {
      if (offset + 8 * count > block.size()) throw std::runtime_error("an array beyond its block");
      if (count > 0) std::memcpy(out.data(), block.data() + offset, 8 * count);
      return out;
    }
    if (offset + 4 * count > block.size()) throw std::runtime_error("an array beyond its block");
    EXPECT_EQ(place["coding"], "planes delta32");
    const std::size_t stride = place.value("stride", 1U);
    std::vector<std::uint32_t> words(count, 0);
    for (std::size_t rank = 0; rank < 4; ++rank)
      for (std::size_t i = 0; i < count; ++i)
        words[i] |= static_cast<std::uint32_t>(static_cast<unsigned char>(block[offset + rank * count + i])) << (8 * rank);
    for (std::size_t i = 0; i < count; ++i) {
      if (i >= stride) words[i] += words[i - stride];
      float value = 0;
      std::memcpy(&value, &words[i], 4);
      out[i] = static_cast<double>(value);
    }
    return out;
  }
  std::vector<double> channel(const PageJson& run, const std::string& name) const {
    for (const PageJson& c : run["channels"])
      if (c["name"] == name) return values(c["values"]);
    throw std::runtime_error("no channel " + name);
  }

 private:
  std::string element(const std::string& id) const {
    const std::size_t at = html_.find("id=\"" + id + "\""), begin = html_.find('>', at) + 1, end = html_.find("</script>", begin);
    if (at == std::string::npos || end == std::string::npos) throw std::runtime_error("no element " + id);
    return html_.substr(begin, end - begin);
  }

  std::string html_;
  PageJson data_;
  std::vector<std::string> blocks_;
};

}  // namespace trunnion::test
