// SPDX-License-Identifier: Apache-2.0
// What is written over a device is read, and the device itself does not change.
#include "device/overlay_device.h"

#include <catch2/catch.hpp>

#include "base/random.h"
#include "device/memory_device.h"
#include "support/device/bad_sectors.h"
#include "support/seed.h"

namespace betr {
namespace {

TEST_CASE("an overlay shows what was written, and leaves the device below as it is", "[device]") {
  Random random(TestSeed());
  constexpr Bytes kSize = KiB(64);
  MemoryDevice below(kSize);
  std::string before = random.String(kSize.value);
  REQUIRE(below.Write(Bytes{0}, before).ok());
  OverlayDevice overlay(below);
  std::string expected = before;
  for (int i = 0; i < 200; ++i) {
    const uint64_t first = random.Uniform(16);
    const std::string data = random.String(kBlockSize.value * random.Between(1, 16 - first));
    REQUIRE(overlay.Write(kBlockSize * first, data).ok());
    expected.replace(kBlockSize.value * first, data.size(), data);
    const uint64_t from = random.Uniform(kSize.value);
    std::string read(random.Uniform(kSize.value - from + 1), '\0');
    REQUIRE(overlay.Read(Bytes{from}, read).ok());
    REQUIRE(read == expected.substr(from, read.size()));
  }
  REQUIRE(overlay.Flush().ok());
  REQUIRE(overlay.Discard(Bytes{0}, kSize).ok());
  std::string after(kSize.value, '\0');
  REQUIRE(overlay.Read(Bytes{0}, after).ok());
  CHECK(after == expected);
  REQUIRE(below.Read(Bytes{0}, after).ok());
  CHECK(after == before);
}

TEST_CASE("what was written over a place that cannot be read hides that", "[device]") {
  MemoryDevice memory(KiB(16));
  REQUIRE(memory.Write(Bytes{0}, std::string(KiB(16).value, 'b')).ok());
  test::BadSectors below(memory);
  below.Spoil(KiB(4), KiB(4));
  OverlayDevice overlay(below);
  std::string all(KiB(16).value, '\0');
  CHECK(absl::IsUnavailable(overlay.Read(Bytes{0}, all)));
  REQUIRE(overlay.Write(KiB(4), std::string(kBlockSize.value, 'w')).ok());
  REQUIRE(overlay.Read(Bytes{0}, all).ok());
  const std::string block(kBlockSize.value, 'b');
  CHECK(all == block + std::string(kBlockSize.value, 'w') + block + block);
  std::string part(10, '\0');
  REQUIRE(overlay.Read(Bytes{KiB(8).value - 5}, part).ok());
  CHECK(part == "wwwwwbbbbb");
  below.Spoil(KiB(12), KiB(4));
  CHECK(absl::IsUnavailable(overlay.Read(Bytes{0}, all)));
  CHECK(absl::IsUnavailable(below.Read(KiB(4), part)));
}

TEST_CASE("an overlay refuses what the device would", "[device]") {
  MemoryDevice below(KiB(64));
  OverlayDevice overlay(below);
  CHECK(absl::IsOutOfRange(overlay.Write(KiB(64), std::string(kBlockSize.value, 'x'))));
  CHECK(absl::IsOutOfRange(overlay.Discard(KiB(60), KiB(8))));
  std::string byte(1, '\0');
  CHECK(absl::IsOutOfRange(overlay.Read(KiB(64), byte)));
}

}  // namespace
}  // namespace betr
