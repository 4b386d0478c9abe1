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
