// Texts from outside: UTF-8 validation, and display in messages.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace trunnion {

/// Position of the first byte that is not valid UTF-8 (overlong forms and surrogates are not), or npos.
std::size_t find_invalid_utf8(std::string_view text);
/// Position of the first control character (C0, DEL, C1) other than tab and line end, or npos.
std::size_t find_control_character(std::string_view text);
/// The control character at this position as \xNN, for messages.
std::string control_character_at(std::string_view text, std::size_t i);

/// `text` without these characters at both ends.
std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\n");

/// Whether a name matches a pattern, in which each `*` stands for any characters.
bool matches_pattern(std::string_view pattern, std::string_view name);

/// `text` on one line of valid UTF-8: control characters and invalid bytes as \xNN.
std::string printable(std::string_view text);

/// The same, shortened in the middle to about `longest` bytes, with the number of omitted bytes.
std::string abridged(std::string_view text, std::size_t longest);

}  // namespace trunnion
