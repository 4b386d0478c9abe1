// SPDX-License-Identifier: Apache-2.0
// What coding.h appends: exact bytes, sizes, order of big-endian numbers.
#include "base/coding.h"

#include <catch2/catch.hpp>

#include "base/decoder.h"
#include "base/random.h"
#include "support/seed.h"

namespace betr {
namespace {

TEST_CASE("fixed integers are little-endian", "[base]") {
  std::string out;
  PutFixed8(&out, 0xfe);
  PutFixed16(&out, 0x0102);
  PutFixed32(&out, 0x01020304);
  PutFixed64(&out, 0x0102030405060708);
  CHECK(out == std::string("\xfe\x02\x01\x04\x03\x02\x01\x08\x07\x06\x05\x04\x03\x02\x01"));
  CHECK(LoadFixed<uint16_t>(out.data() + 1) == 0x0102);
  StoreFixed<uint32_t>(out.data() + 3, 0x0a0b0c0d);
  CHECK(LoadFixed<uint32_t>(out.data() + 3) == 0x0a0b0c0d);
  CHECK(out.size() == 15);
}

TEST_CASE("varints have the documented bytes and sizes", "[base]") {
  const auto encode = [](uint64_t value) {
    std::string out;
    PutVarint64(&out, value);
    CHECK(out.size() == VarintSize(value));
    return out;
  };
  CHECK(encode(0) == std::string(1, '\0'));
  CHECK(encode(127) == "\x7f");
  CHECK(encode(128) == "\x80\x01");
  CHECK(encode(300) == "\xac\x02");
  CHECK(encode(UINT64_MAX) == "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
}

TEST_CASE("varints round trip at every power of two and in between", "[base]") {
  Random random(TestSeed() + 1);
  for (unsigned bit = 0; bit < 64; ++bit) {
    const uint64_t power = uint64_t{1} << bit;
    for (const uint64_t value : {power - 1, power, power + 1, power + random.Uniform(power)}) {
      std::string out;
      PutVarint64(&out, value);
      CHECK(out.size() == VarintSize(value));
      Decoder decoder(out);
      CHECK(decoder.Varint64() == value);
      CHECK(decoder.Finish("varint").ok());
    }
  }
}

TEST_CASE("length-prefixed strings carry any bytes", "[base]") {
  Random random(TestSeed() + 2);
  for (const size_t size : {0, 1, 127, 128, 5000}) {
    const std::string bytes = random.String(size);
    std::string out;
    PutLengthPrefixed(&out, bytes);
    CHECK(out.size() == LengthPrefixedSize(bytes));
    Decoder decoder(out);
    CHECK(decoder.LengthPrefixed(5000) == bytes);
    CHECK(decoder.Finish("string").ok());
  }
}

TEST_CASE("big-endian numbers sort as bytes", "[base]") {
  Random random(TestSeed() + 3);
  for (int i = 0; i < 1000; ++i) {
    const uint64_t a = random.Skewed(63);
    const uint64_t b = random.Skewed(63);
    std::string a_bytes, b_bytes;
    PutBigEndian64(&a_bytes, a);
    PutBigEndian64(&b_bytes, b);
    CHECK((a < b) == (a_bytes < b_bytes));
    CHECK(LoadBigEndian64(a_bytes.data()) == a);
  }
}

}  // namespace
}  // namespace betr
