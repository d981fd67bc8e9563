// Texts in messages. Reference: table 3-7 of the Unicode standard.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/text.h"

#include <gtest/gtest.h>

namespace trunnion {
namespace {

TEST(Text, Utf8IsWhatTheStandardSays) {
  for (const char* good :
       {"", "plain", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"})
    EXPECT_EQ(find_invalid_utf8(good), std::string::npos) << good;
  for (const char* wrong : {"\x80", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2\x41", "\xe0\x9f\xbf", "\xe1\x80", "\xed\xa0\x80",
                            "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"})
    EXPECT_EQ(find_invalid_utf8(std::string("ab") + wrong), 2u) << wrong;
}

TEST(Text, PrintableTextStandsOnOneLine) {
  EXPECT_EQ(printable("a\nb\x1b[2J\x7f\xc2\x9b\xf6\xc3\xb6"), "a\\x0ab\\x1b[2J\\x7f\\xc2\\x9b\\xf6\xc3\xb6");
}

TEST(Text, TrimmedTextBeginsAndEndsWithoutBlanks) {
  EXPECT_EQ(trimmed(" \ta b\r\n"), "a b");
  EXPECT_EQ(trimmed("\"a\" ", " \""), "a");
  EXPECT_EQ(trimmed("a\n", " \t"), "a\n");
  EXPECT_EQ(trimmed(" \n"), "");
  EXPECT_EQ(trimmed(""), "");
}

TEST(Text, ControlCharactersAreC0AndDelAndC1) {
  EXPECT_EQ(find_control_character("a\tb\r\n\xc3\x9b \xe2\x82\x80 \xc2\xa0"), std::string::npos);
  for (const char* control : {"\x01", "\x1b", "\x1f", "\x7f", "\xc2\x80", "\xc2\x9b", "\xc2\x9f"}) {
    const std::string text = "\xc3\xb6 " + std::string(control) + "31m";
    ASSERT_EQ(find_control_character(text), 3u) << printable(text);
    EXPECT_EQ(control_character_at(text, 3), printable(control));
  }
  EXPECT_EQ(find_control_character(std::string("ab\0", 3)), 2u);
}

TEST(Text, LongTextsAreCutBetweenCharacters) {
  EXPECT_EQ(abridged("short", 10), "short");
  const std::string cut = abridged(std::string(50, 'a') + std::string(50, 'b'), 30);
  EXPECT_EQ(cut, std::string(20, 'a') + "...(70 bytes)..." + std::string(10, 'b'));
  std::string umlauts;
  for (int i = 0; i < 100; ++i) umlauts += "\xc3\xb6";
  for (std::size_t longest = 20; longest < 30; ++longest) EXPECT_EQ(find_invalid_utf8(abridged(umlauts, longest)), std::string::npos);
}

}  // namespace
}  // namespace trunnion
