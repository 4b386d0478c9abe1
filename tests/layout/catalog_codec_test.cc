// SPDX-License-Identifier: Apache-2.0
// The catalog to bytes, to a device, and back.
#include "layout/catalog_codec.h"

#include <catch2/catch.hpp>

#include "device/memory_device.h"
#include "layout/seal.h"
#include "support/layout/forge.h"
#include "support/layout/samples.h"
#include "support/seed.h"

namespace betr::layout {
namespace {

constexpr Generation kGeneration{7};
constexpr UnitRange kArea{32, 224};

TEST_CASE("a catalog is read as it was written", "[layout]") {
  Random random(TestSeed());
  for (int i = 0; i < 200; ++i) {
    const Catalog catalog = RandomCatalog(random, 50);
    REQUIRE(CheckCatalog(catalog) == absl::OkStatus());
    const auto again = DecodeCatalog(EncodeCatalog(catalog, kGeneration));
    REQUIRE(again.status() == absl::OkStatus());
    REQUIRE((*again == catalog));
  }
}

TEST_CASE("a damaged byte of a catalog is found", "[layout]") {
  Random random(TestSeed() + 1);
  const std::string bytes = EncodeCatalog(RandomCatalog(random, 10), kGeneration);
  ForEachDamage(random, bytes, 0, bytes.size(), [](const std::string& damaged) {
    REQUIRE(DecodeCatalog(damaged).status().code() == absl::StatusCode::kDataLoss);
  });
}

TEST_CASE("a forged catalog is found, or is another sound one", "[layout]") {
  Random random(TestSeed() + 2);
  for (int round = 0; round < 20; ++round) {
    const std::string bytes = EncodeCatalog(RandomCatalog(random, 5), kGeneration);
    ForEachDamage(random, bytes, kSealSize, bytes.size(), [](std::string damaged) {
      Seal(&damaged);
      const auto other = DecodeCatalog(damaged);
      if (!other.ok()) {
        REQUIRE(other.status().code() == absl::StatusCode::kDataLoss);
        return;
      }
      std::string again = EncodeCatalog(*other, kGeneration);
      std::copy_n(damaged.begin() + 32, 8, again.begin() + 32);  // any generation will do
      Seal(&again);
      REQUIRE((again == damaged));
    });
  }
}

TEST_CASE("impossible catalogs are neither written nor read", "[layout]") {
  const CatalogTree tree{TreeId{1}, "a", NodeId{1}, {}, false};
  const auto bad = [&](auto change) {
    Catalog catalog{{tree, {TreeId{2}, "b", NodeId{2}, {}, true}}, {{1, "add"}}};
    change(catalog);
    return CheckCatalog(catalog).code() == absl::StatusCode::kDataLoss;
  };
  CHECK_FALSE(bad([](Catalog&) {}));
  CHECK(bad([](Catalog& catalog) { catalog.trees[0].id = {}; }));
  CHECK(bad([](Catalog& catalog) { catalog.trees[1].id = TreeId{1}; }));
  CHECK(bad([](Catalog& catalog) { catalog.trees[1].name = "a"; }));
  CHECK(bad([](Catalog& catalog) { catalog.trees[1].name = ""; }));
  CHECK(bad([](Catalog& catalog) { catalog.trees[1].name.assign(256, 'x'); }));
  CHECK(bad([](Catalog& catalog) { catalog.trees[1].root = kNoNode; }));
  CHECK(bad([](Catalog& catalog) { catalog.trees[1].codec.level = 3; }));
  CHECK(bad([](Catalog& catalog) { catalog.functions[0] = "x"; }));
  CHECK(bad([](Catalog& catalog) { catalog.functions[2] = ""; }));
  MemoryDevice device(MiB(1));
  const auto space = SpaceMap::Create(kArea);
  Catalog catalog{{tree}, {}};
  catalog.trees[0].root = kNoNode;
  CHECK(WriteCatalog(device, *space, kGeneration, catalog).status().code() == absl::StatusCode::kInternal);
}

TEST_CASE("a catalog survives a device, and claims its space", "[layout]") {
  Random random(TestSeed() + 3);
  MemoryDevice device(MiB(1));
  const Catalog catalog = RandomCatalog(random, 300);
  CatalogAddress address;
  CatalogAddress older;
  {
    const auto space = SpaceMap::Create(kArea);
    const auto first = WriteCatalog(device, *space, kGeneration, RandomCatalog(random, 3));
    const auto written = WriteCatalog(device, *space, kGeneration.Next(), catalog);
    REQUIRE(written.ok());
    address = written->address;
    older = first->address;
  }
  const auto space = SpaceMap::Create(kArea);
  const auto read = ReadCatalog(device, *space, address);
  REQUIRE(read.ok());
  CHECK((read->catalog == catalog));
  CHECK(read->Sound());
  for (const ExtentAddress& copy : address.copies) {
    CHECK(space->Claim(copy).status().code() == absl::StatusCode::kDataLoss);
  }
  older.checksum ^= 1;
  CHECK(ReadCatalog(device, *space, older).status().code() == absl::StatusCode::kDataLoss);
  CHECK(ReadCatalog(device, *space, {}).ok());
  CHECK(ReadCatalog(device, *space, {{{{0, 1}, {0, 1}}}, 0}).status().code() == absl::StatusCode::kDataLoss);
}

TEST_CASE("one good copy of a catalog is enough", "[layout]") {
  Random random(TestSeed() + 4);
  MemoryDevice device(MiB(1));
  const Catalog catalog = RandomCatalog(random, 40);
  const CatalogAddress address = WriteCatalog(device, *SpaceMap::Create(kArea), kGeneration, catalog).value().address;
  const auto read = [&] { return ReadCatalog(device, *SpaceMap::Create(kArea), address); };
  const size_t damaged = GENERATE(0U, 1U);
  REQUIRE(device.Patch(address.copies[damaged].Offset() + Bytes{77}, "damage").ok());
  const auto one = read();
  REQUIRE(one.ok());
  CHECK((one->catalog == catalog));
  CHECK(absl::IsDataLoss(one->copies[damaged]));
  CHECK(one->copies[1 - damaged].ok());
  CHECK_FALSE(one->Sound());
  REQUIRE(device.Patch(address.copies[1 - damaged].Offset() + Bytes{77}, "damage").ok());
  CHECK(absl::IsDataLoss(read().status()));
}

TEST_CASE("the copies of a catalog lie apart, as long as there is room", "[layout]") {
  MemoryDevice device(MiB(1));
  const auto space = SpaceMap::Create(kArea);
  const auto catalog = WriteCatalog(device, *space, kGeneration, {});
  REQUIRE(catalog.ok());
  CHECK(catalog->address.copies[0].start == kArea.start);
  CHECK(catalog->address.copies[1].end() == kArea.end());
  const ExtentRef next = space->Allocate(1).value();
  CHECK(next->address().start == catalog->address.copies[0].end());
}

}  // namespace
}  // namespace betr::layout
