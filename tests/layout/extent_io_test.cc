// SPDX-License-Identifier: Apache-2.0
// Scattered extents: what is written to one is read from it, by whoever has its address only; damage is found.
#include "layout/extent_io.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "base/coding.h"
#include "base/random.h"
#include "device/memory_device.h"
#include "layout/seal.h"
#include "support/seed.h"

namespace betr::layout {
namespace {

constexpr UnitRange kArea{16, 2000};
constexpr ExtentOwner kOwner{7, 99};

// Takes every other unit, so that every piece has one.
std::vector<ExtentRef> TakeEveryOther(SpaceMap& space) {
  std::vector<ExtentRef> held;
  for (uint64_t unit = kArea.start; unit < kArea.end(); unit += 2) held.push_back(*space.Claim({unit, 1}));
  return held;
}

std::string RandomBytes(Random& random, Bytes size) {
  std::string bytes(size.value, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random.Next());
  return bytes;
}

// A scattered extent with content, on a device.
class Scattered {
 public:
  explicit Scattered(uint32_t units) : bytes_(RandomBytes(random_, UnitBytes(units))) {
    const auto space = SpaceMap::Create(kArea);
    const auto held = TakeEveryOther(*space);
    const ExtentRef extent = *space->AllocateAnyhow(units);
    address_ = extent->address();
    map_pages_ = extent->map_pages().size();
    REQUIRE(WriteExtent(device_, *extent, Bytes{0}, bytes_).ok());
    REQUIRE(WriteExtentMap(device_, *extent, kOwner).ok());
  }

  absl::StatusOr<ExtentRef> Claim(const ExtentOwner& owner = kOwner) {
    return ClaimExtent(device_, *space_, address_, owner);
  }

  Random random_{TestSeed()};
  MemoryDevice device_{UnitBytes(kArea.end())};
  std::shared_ptr<SpaceMap> space_ = SpaceMap::Create(kArea);
  std::string bytes_;
  ExtentAddress address_;
  size_t map_pages_ = 0;
};

TEST_CASE("a scattered extent is read as it was written", "[layout]") {
  for (const uint32_t units : {2U, 100U, 336U, 337U, 900U}) {
    Scattered scattered(units);
    REQUIRE(scattered.address_.scattered);
    CHECK(scattered.map_pages_ == MaxMapPages(units));
    const auto extent = scattered.Claim();
    REQUIRE(extent.ok());
    CHECK(scattered.space_->Figures().free == UnitBytes(kArea.units) - (*extent)->Space());
    for (int i = 0; i < 50; ++i) {
      const uint64_t from = scattered.random_.Uniform(scattered.bytes_.size());
      const uint64_t count = scattered.random_.Uniform(scattered.bytes_.size() - from + 1);
      std::string part(count, '\0');
      REQUIRE(ReadExtent(scattered.device_, **extent, Bytes{from}, part).ok());
      REQUIRE((part == scattered.bytes_.substr(from, count)));
    }
    CHECK(scattered.Claim().status().code() == absl::StatusCode::kDataLoss);  // in use
  }
}

TEST_CASE("the map of another owner, or a damaged one, is not taken", "[layout]") {
  Scattered scattered(400);
  const auto is_lost = [&](const ExtentOwner& owner) {
    return scattered.Claim(owner).status().code() == absl::StatusCode::kDataLoss;
  };
  CHECK(is_lost({8, 99}));
  CHECK(is_lost({7, 98}));
  std::string page(kUnit.value, '\0');
  const Bytes place = UnitBytes(scattered.address_.start);
  REQUIRE(scattered.device_.Read(place, page).ok());
  for (size_t at = 0; at < 64 + 12 * 336; ++at) {
    std::string damaged = page;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
    REQUIRE(scattered.device_.Write(place, damaged).ok());
    REQUIRE(is_lost(kOwner));
  }
  REQUIRE(scattered.device_.Write(place, page).ok());
  scattered.address_.units -= 1;
  CHECK(is_lost(kOwner));
  scattered.address_.units += 1;
  CHECK(scattered.Claim().ok());
}

TEST_CASE("a page of a map has pieces, and each is somewhere", "[layout]") {
  constexpr size_t kCountAt = 20;  // extent_map.h
  const auto code = [](const std::string& bytes) { return DecodeMapPage(20, kOwner, bytes).status().code(); };
  std::string page = EncodeMapPage({kOwner, 0, {{30, 1}}});
  CHECK(code(page) == absl::StatusCode::kOk);
  StoreFixed(page.data() + kCountAt, uint32_t{0});
  std::fill(page.begin() + kFixedSize, page.end(), '\0');
  Seal(&page);
  CHECK(code(page) == absl::StatusCode::kDataLoss);  // chains of such would not end
  CHECK(code(EncodeMapPage({kOwner, 0, {{30, 0}}})) == absl::StatusCode::kDataLoss);
  CHECK(code(EncodeMapPage({kOwner, 0, {{30, kMaxExtentUnits + 1}}})) == absl::StatusCode::kDataLoss);
}

TEST_CASE("a page of a map lies in the space for extents", "[layout]") {
  MemoryDevice device(UnitBytes(kArea.end()));
  for (const uint64_t unit : {kArea.start - 1, kArea.start}) {
    REQUIRE(device.Write(UnitBytes(unit), EncodeMapPage({kOwner, 0, {{30, 2}}})).ok());
    const bool is_inside = unit == kArea.start;
    CHECK(ReadExtentMap(device, kArea, {unit, 2, true}, kOwner).ok() == is_inside);
  }
}

TEST_CASE("a map that goes in circles ends", "[layout]") {
  MemoryDevice device(UnitBytes(kArea.end()));
  const MapPage page{kOwner, 20, {{30, 1}}};
  REQUIRE(device.Write(UnitBytes(20), EncodeMapPage(page)).ok());
  const auto map = ReadExtentMap(device, kArea, {20, 3, true}, kOwner);
  REQUIRE(map.ok());
  const auto space = SpaceMap::Create(kArea);
  CHECK(ClaimExtent(device, *space, {20, 3, true}, kOwner).status().code() == absl::StatusCode::kDataLoss);
  CHECK(space->Figures().free == UnitBytes(kArea.units));
}

}  // namespace
}  // namespace betr::layout
