// SPDX-License-Identifier: Apache-2.0
// The checksum is XXH3 as published: images written elsewhere must agree.
#include "base/checksum.h"

#include <catch2/catch.hpp>

#include "base/random.h"
#include "support/seed.h"

namespace betr {
namespace {

TEST_CASE("checksums are the published XXH3 values", "[base]") {
  CHECK(Checksum("") == 0x2d06800538d394c2);
  CHECK(SeededChecksum(0, "betr") == Checksum("betr"));
}

TEST_CASE("any flipped bit and any other seed change the checksum", "[base]") {
  Random random(TestSeed() + 5);
  std::string bytes = random.String(300);
  const uint64_t checksum = Checksum(bytes);
  CHECK(SeededChecksum(1, bytes) != checksum);
  CHECK(SeededChecksum(1, bytes) != SeededChecksum(2, bytes));
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    CHECK(Checksum(bytes) != checksum);
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
  }
}

}  // namespace
}  // namespace betr
