// SPDX-License-Identifier: Apache-2.0
// Shares as text.
#include "base/percent_text.h"

#include <catch2/catch.hpp>
#include <string>

namespace betr {
namespace {

TEST_CASE("percentages are read", "[base]") {
  const std::pair<const char*, uint32_t> cases[] = {
      {"0", 0}, {"5", 500}, {"5%", 500}, {"5 %", 500}, {"0.25%", 25}, {"1.5", 150}, {"0.01", 1}, {"100", 10'000},
  };
  for (const auto& [text, value] : cases) {
    INFO(text);
    const absl::StatusOr<BasisPoints> read = ParsePercent(text);
    REQUIRE(read.ok());
    CHECK(read->value == value);
  }
}

TEST_CASE("what is no percentage is refused, and named", "[base]") {
  for (const std::string text : {"", "%", ".", "5.", ".5", "-1", "+1", "5 M", "1e1", "0x5", "5%%", "0.125", "5 5",
                                 "5  %", "100.01", "101", "99999999999999999999"}) {
    INFO(text);
    const absl::Status status = ParsePercent(text).status();
    CHECK(absl::IsInvalidArgument(status));
    CHECK(status.message().find('"' + text + '"') != std::string_view::npos);
  }
}

TEST_CASE("percentages are read as they were written", "[base]") {
  for (uint32_t value = 0; value <= 10'000; ++value) {
    const std::string text = FormatPercent(BasisPoints{value});
    INFO(text);
    REQUIRE(ParsePercent(text).value().value == value);
  }
  CHECK(FormatPercent(BasisPoints{500}) == "5 %");
  CHECK(FormatPercent(BasisPoints{150}) == "1.5 %");
  CHECK(FormatPercent(BasisPoints{1}) == "0.01 %");
}

}  // namespace
}  // namespace betr
