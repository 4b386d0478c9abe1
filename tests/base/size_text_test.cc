// SPDX-License-Identifier: Apache-2.0
// Sizes as text, exact at the edges.
#include "base/size_text.h"

#include <catch2/catch.hpp>

#include "base/random.h"
#include "support/seed.h"

namespace betr {
namespace {

TEST_CASE("sizes are read", "[base]") {
  const std::pair<const char*, Bytes> cases[] = {
      {"0", Bytes{0}},
      {"4096", KiB(4)},
      {"4K", KiB(4)},
      {"4k", KiB(4)},
      {"4KiB", KiB(4)},
      {"4 kib", KiB(4)},
      {"1.5G", MiB(1536)},
      {"10T", TiB(10)},
      {"7B", Bytes{7}},
      {"0.5 MiB", KiB(512)},
      {"0.1K", Bytes{102}},
      {"0.9765625K", Bytes{1000}},
      {"15.99E", Bytes{18435214858663483146u}},
      {"18446744073709551615", Bytes{UINT64_MAX}},
      {"1.9", Bytes{1}},
      {"1.000000000000000000000000001G", GiB(1)},
      {"15.999999999999999999999999E", Bytes{UINT64_MAX - 1}},
  };
  for (const auto& [text, size] : cases) {
    INFO(text);
    const absl::StatusOr<Bytes> parsed = ParseSize(text);
    REQUIRE(parsed.ok());
    CHECK(parsed->value == size.value);
  }
}

TEST_CASE("what is no size is refused", "[base]") {
  for (const char* text :
       {"", "K", "-1", "+1", "1,5G", "1.G", ".5G", "1KB", "1Ki", "1 K ", "1  K", "1BiB", "0x10", "1e3", "16E",
        "18446744073709551616", "18446744073709551615K", "99999999999999999999999999999", "4KiBx"}) {
    INFO(text);
    CHECK(ParseSize(text).status().code() == absl::StatusCode::kInvalidArgument);
  }
}

TEST_CASE("sizes are shown", "[base]") {
  CHECK(FormatSize(Bytes{0}) == "0 B");
  CHECK(FormatSize(Bytes{1023}) == "1023 B");
  CHECK(FormatSize(KiB(4)) == "4 KiB");
  CHECK(FormatSize(MiB(1536)) == "1.5 GiB");
  CHECK(FormatSize(Bytes{1234567}) == "1.18 MiB");
  CHECK(FormatSize(KiB(100)) == "100 KiB");
  CHECK(FormatSize(TiB(1 << 20)) == "1 EiB");
  CHECK(FormatSize(GiB(1) - Bytes{1}) == "1 GiB");
  CHECK(FormatSize(GiB(1) - KiB(20)) == "1023.98 MiB");
  CHECK(FormatSize(MiB(1) - Bytes{1}) == "1 MiB");
  CHECK(FormatSize(Bytes{UINT64_MAX}) == "16 EiB");
}

TEST_CASE("a shown size reads as nearly the same", "[base]") {
  Random random(TestSeed() + 10);
  for (int i = 0; i < 2000; ++i) {
    const uint64_t size = random.Skewed(60);
    const absl::StatusOr<Bytes> back = ParseSize(FormatSize(Bytes{size}));
    REQUIRE(back.ok());
    CHECK(static_cast<double>(back->value) == Approx(static_cast<double>(size)).epsilon(0.006));
  }
}

}  // namespace
}  // namespace betr
