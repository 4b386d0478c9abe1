// SPDX-License-Identifier: Apache-2.0
// Uuids: form, uniqueness, repeatability.
#include "base/uuid.h"

#include <catch2/catch.hpp>

namespace betr {
namespace {

TEST_CASE("a uuid is read as it is shown", "[base]") {
  const std::string text = "8c6f1f0e-5a0b-4c57-9f0e-2b1f7f3f9a10";
  const absl::StatusOr<Uuid> uuid = ParseUuid(text);
  REQUIRE(uuid.ok());
  CHECK(FormatUuid(*uuid) == text);
  CHECK(ParseUuid("8C6F1F0E-5A0B-4C57-9F0E-2B1F7F3F9A10").value() == *uuid);
  CHECK(uuid->bytes[0] == static_cast<char>(0x8c));
  CHECK(Uuid{}.IsZero());
  CHECK_FALSE(uuid->IsZero());
}

TEST_CASE("what is no uuid is refused", "[base]") {
  for (const char* text : {"", "8c6f1f0e5a0b4c579f0e2b1f7f3f9a10", "8c6f1f0e-5a0b-4c57-9f0e-2b1f7f3f9a1",
                           "8c6f1f0e-5a0b-4c57-9f0e-2b1f7f3f9a1g", "8c6f1f0e-5a0b-4c57-9f0e02b1f7f3f9a10",
                           "8c6f1f0e-5a0b-4c57-9f0e-2b1f7f3f9a10 ", "-c6f1f0e-5a0b-4c57-9f0e-2b1f7f3f9a10"}) {
    CHECK_FALSE(ParseUuid(text).ok());
  }
}

TEST_CASE("random uuids differ, seeded ones repeat", "[base]") {
  CHECK(RandomUuid() != RandomUuid());
  CHECK(UuidFromSeed(1) == UuidFromSeed(1));
  CHECK(UuidFromSeed(1) != UuidFromSeed(2));
  for (const Uuid& uuid : {RandomUuid(), UuidFromSeed(7)}) {
    const std::string text = FormatUuid(uuid);
    CHECK(text[14] == '4');
    CHECK(std::string("89ab").find(text[19]) != std::string::npos);
    CHECK(ParseUuid(text).value() == uuid);
  }
}

}  // namespace
}  // namespace betr
