// SPDX-License-Identifier: Apache-2.0
// Escaped text: exact forms, round trips, refusals.
#include "base/escape.h"

#include <catch2/catch.hpp>

#include "base/random.h"
#include "support/seed.h"

namespace betr {
namespace {

TEST_CASE("bytes are escaped as documented", "[base]") {
  CHECK(Escape(std::string("a\0b\\c\n\x7f\xff ~", 10)) == "a\\x00b\\\\c\\x0a\\x7f\\xff ~");
  CHECK(Unescape("\\xFF\\xfF\\\\").value() == "\xff\xff\\");
  CHECK(Unescape("\xc3\xa9").value() == "\xc3\xa9");
}

TEST_CASE("letters are legible, and all else is escaped", "[base]") {
  // One to four bytes, and the ends of what there is of each.
  for (const char* text : {"", "a b~", "r\xc3\xa9sum\xc3\xa9", "\\x00", "\xc2\xa0", "\xdf\xbf", "\xe0\xa0\x80",
                           "\xed\x9f\xbf", "\xee\x80\x80", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    INFO(Escape(text));
    CHECK(IsUtf8(text));
    CHECK(Legible(text) == text);
  }
  for (const std::string_view text :
       {std::string_view("a\0b", 3), std::string_view("\n"), std::string_view("\x1b[2J"), std::string_view("\x7f"),
        std::string_view("\xc2\x80"), std::string_view("\xc2\x9f")}) {
    INFO(Escape(text));
    CHECK(IsUtf8(text));
    CHECK(Legible(text) == Escape(text));
  }
  // Half a character, one too few and one too many; longer than need be; a surrogate; beyond the last.
  for (const char* text :
       {"\x80", "a\xc3", "\xe2\x82", "\xe2\x82z", "\xf0\x9f\x98", "\xc3\xa9\xa9", "\xc0\xaf", "\xc1\xbf",
        "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"}) {
    INFO(Escape(text));
    CHECK_FALSE(IsUtf8(text));
    CHECK(Legible(text) == Escape(text));
  }
}

TEST_CASE("any bytes survive escaping", "[base]") {
  Random random(TestSeed() + 11);
  for (int i = 0; i < 1000; ++i) {
    const std::string bytes = random.String(random.Uniform(40));
    const std::string text = Escape(bytes);
    for (const char c : text) REQUIRE((c >= ' ' && c <= '~'));
    CHECK(Unescape(text).value() == bytes);
    CHECK(ParseHex(FormatHex(bytes)).value() == bytes);
  }
}

TEST_CASE("broken escapes are refused", "[base]") {
  for (const char* text : {"\\", "a\\", "\\x", "\\x0", "\\xg0", "\\x0g", "\\n", "\\\\\\"}) {
    INFO(text);
    CHECK(Unescape(text).status().code() == absl::StatusCode::kInvalidArgument);
  }
  for (const char* text : {"0", "0g", "abc", " 00"}) CHECK_FALSE(ParseHex(text).ok());
  CHECK(FormatHex(std::string("\0\xab", 2)) == "00ab");
}

}  // namespace
}  // namespace betr
