// SPDX-License-Identifier: Apache-2.0
// The decoder against bytes that are cut off, too large, not canonical, random.
#include "base/decoder.h"

#include <catch2/catch.hpp>

#include "base/random.h"
#include "support/seed.h"

namespace betr {
namespace {

using Catch::Matchers::Contains;

std::string Message(const absl::Status& status) { return std::string(status.message()); }

// One of each, in a fixed order.
std::string EncodeSample() {
  std::string out;
  PutFixed8(&out, 1);
  PutFixed16(&out, 2);
  PutFixed32(&out, 3);
  PutFixed64(&out, 4);
  PutVarint64(&out, 500);
  PutLengthPrefixed(&out, "seven");
  out.append(3, '\0');
  return out;
}

absl::Status DecodeSample(std::string_view bytes) {
  Decoder decoder(bytes);
  const bool matches = decoder.Fixed8() == 1 && decoder.Fixed16() == 2 && decoder.Fixed32() == 3 &&
                       decoder.Fixed64() == 4 && decoder.Varint64() == 500 && decoder.LengthPrefixed(5) == "seven";
  decoder.Zeros(3);
  CHECK(matches == (bytes.size() >= EncodeSample().size() - 3));
  return decoder.Finish("sample");
}

TEST_CASE("what was written is read", "[base]") { CHECK(DecodeSample(EncodeSample()).ok()); }

TEST_CASE("every cut is noticed and named", "[base]") {
  const std::string sample = EncodeSample();
  for (size_t size = 0; size < sample.size(); ++size) {
    const absl::Status status = DecodeSample(std::string_view(sample).substr(0, size));
    CHECK(status.code() == absl::StatusCode::kDataLoss);
    CHECK_THAT(Message(status), Contains("sample: byte "));
  }
  CHECK_THAT(Message(DecodeSample(sample + "x")), Contains("1 bytes too many"));
}

TEST_CASE("the first error sticks", "[base]") {
  Decoder decoder("abcdef");
  CHECK(decoder.Raw(7).empty());
  CHECK_FALSE(decoder.ok());
  CHECK(decoder.remaining() == 0);
  CHECK(decoder.Fixed8() == 0);
  CHECK(decoder.Varint64() == 0);
  decoder.Fail("something later");
  CHECK(Message(decoder.Finish("thing")) == "thing: byte 0: 7 bytes expected, 6 left");
}

TEST_CASE("sizes near the top of 64 bits do not wrap around", "[base]") {
  for (const uint64_t size : {UINT64_MAX, UINT64_MAX - 3, uint64_t{1} << 63}) {
    std::string bytes;
    PutVarint64(&bytes, size);
    bytes += "payload";
    CHECK(Decoder(bytes).LengthPrefixed(UINT64_MAX).empty());
    CHECK(Decoder(bytes).Raw(size).empty());
    CHECK(Decoder(bytes).Count(UINT64_MAX, 1) == 0);
  }
}

TEST_CASE("varints that are too large or padded are refused", "[base]") {
  const char* const bad[] = {"\x80",
                             "\x81\x80",
                             "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02",
                             "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x03",
                             "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x81",
                             "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"};
  for (const char* bytes : bad) {
    Decoder decoder(bytes);
    CHECK(decoder.Varint64() == 0);
    CHECK(decoder.position() == 0);
    CHECK_FALSE(decoder.ok());
  }
  Decoder padded(std::string_view("\x81\x00", 2));
  padded.Varint64();
  CHECK_THAT(Message(padded.status("x")), Contains("shortest form"));
}

TEST_CASE("limits are limits", "[base]") {
  std::string bytes;
  PutVarint64(&bytes, 1000);
  bytes.append(2000, 'x');
  CHECK(Decoder(bytes).Varint64AtMost(1000) == 1000);
  CHECK(Decoder(bytes).Count(1000, 2) == 1000);
  CHECK(Decoder(bytes).LengthPrefixed(1000).size() == 1000);

  Decoder too_large(bytes);
  CHECK(too_large.Varint64AtMost(999) == 0);
  CHECK(Message(too_large.status("n")) == "n: byte 0: 1000 is larger than the limit 999");
  Decoder too_many(bytes);
  CHECK(too_many.Count(1000, 3) == 0);
  CHECK_THAT(Message(too_many.status("n")), Contains("1000 items of at least 3 bytes cannot be in 2000 bytes"));
  Decoder too_long(bytes);
  CHECK(too_long.LengthPrefixed(999).empty());
  CHECK_FALSE(too_long.ok());
}

TEST_CASE("reserved bytes must be zero", "[base]") {
  Decoder decoder(std::string_view("\0\0\1\0", 4));
  decoder.Zeros(4);
  CHECK(Message(decoder.Finish("pad")) == "pad: byte 2: a reserved byte is not zero");
}

TEST_CASE("random bytes never lead outside the input", "[base]") {
  Random random(TestSeed() + 4);
  for (int round = 0; round < 20000; ++round) {
    const std::string input = random.String(random.Uniform(24));  // exact size: sanitizers see any step outside
    Decoder decoder(input);
    while (decoder.remaining() > 0) {
      const size_t before = decoder.position();
      switch (random.Uniform(6)) {
        case 0:
          decoder.Varint64();
          break;
        case 1:
          decoder.LengthPrefixed(random.Skewed(10));
          break;
        case 2:
          decoder.Fixed64();
          break;
        case 3:
          decoder.Fixed8();
          break;
        case 4:
          decoder.Count(100, 1);
          break;
        default:
          decoder.Raw(1 + random.Uniform(9));
          break;
      }
      REQUIRE(decoder.position() <= input.size());
      REQUIRE((decoder.position() > before || !decoder.ok()));
    }
  }
}

}  // namespace
}  // namespace betr
