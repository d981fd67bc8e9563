// UTF-8 validation and display of texts in messages.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/text.h"

#include <algorithm>

namespace trunnion {

namespace {

unsigned char byte_at(std::string_view text, std::size_t i) { return static_cast<unsigned char>(text[i]); }

bool continues(std::string_view text, std::size_t i) { return i < text.size() && (byte_at(text, i) & 0xc0u) == 0x80u; }

/// Number of bytes of the character at `i`; 0: invalid. (Unicode 15, table 3-7)
std::size_t character_length(std::string_view text, std::size_t i) {
  const unsigned char first = byte_at(text, i);
  if (first < 0x80) return 1;
  const unsigned char second = i + 1 < text.size() ? byte_at(text, i + 1) : 0;
  if (first >= 0xc2 && first <= 0xdf) return continues(text, i + 1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f)) return 0;
    return continues(text, i + 1) && continues(text, i + 2) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    if ((first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f)) return 0;
    return continues(text, i + 1) && continues(text, i + 2) && continues(text, i + 3) ? 4 : 0;
  }
  return 0;
}

/// Whether the valid character of `length` bytes at `i` is a control character: C0, DEL or C1 (which terminals obey in UTF-8, too).
bool is_control(std::string_view text, std::size_t i, std::size_t length) {
  const unsigned char first = byte_at(text, i);
  return length == 1 ? first < 0x20 || first == 0x7f : length == 2 && first == 0xc2 && byte_at(text, i + 1) < 0xa0;
}

std::string escaped(unsigned char byte) {
  constexpr std::string_view kHex = "0123456789abcdef";
  return std::string("\\x") + kHex[byte >> 4] + kHex[byte & 15];
}

}  // namespace

std::size_t find_invalid_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character_length(text, i);
    if (length == 0) return i;
    i += length;
  }
  return std::string_view::npos;
}

std::size_t find_control_character(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned char first = byte_at(text, i);
    if (first >= 0x20 && first != 0x7f && first != 0xc2) continue;  // most bytes
    const std::size_t length = character_length(text, i);
    if (is_control(text, i, length) && first != '\t' && first != '\n' && first != '\r') return i;
  }
  return std::string_view::npos;
}

std::string control_character_at(std::string_view text, std::size_t i) {
  return printable(text.substr(i, std::max<std::size_t>(character_length(text, i), 1)));
}

std::string_view trimmed(std::string_view text, std::string_view blanks) {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character_length(text, i);
    if (length == 0 || is_control(text, i, length))
      for (std::size_t k = 0; k < (length == 0 ? 1 : length); ++k) out += escaped(byte_at(text, i + k));
    else
      out += text.substr(i, length);
    i += length == 0 ? 1 : length;
  }
  return out;
}

bool matches_pattern(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0, star = std::string_view::npos, after = 0;  // the last `*`, and where the text after it was tried
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      after = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p, ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++after;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string abridged(std::string_view text, std::size_t longest) {
  if (text.size() <= longest) return printable(text);
  std::size_t head = longest * 2 / 3, tail = text.size() - (longest - head);
  while (head > 0 && continues(text, head)) --head;
  while (continues(text, tail)) ++tail;
  return printable(text.substr(0, head)) + "...(" + std::to_string(tail - head) + " bytes)..." + printable(text.substr(tail));
}

}  // namespace trunnion
