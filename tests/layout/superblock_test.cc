// SPDX-License-Identifier: Apache-2.0
// Superblocks to bytes and back, damaged, forged, from other versions.
#include "layout/superblock.h"

#include <catch2/catch.hpp>

#include "base/checksum.h"
#include "base/coding.h"
#include "device/memory_device.h"
#include "layout/format_options.h"
#include "layout/superblock_copy.h"
#include "layout/superblock_slots.h"
#include "support/layout/forge.h"
#include "support/layout/samples.h"
#include "support/seed.h"

namespace betr::layout {
namespace {

constexpr size_t kChecksumAt = 504;

std::string WithChecksum(std::string bytes) {
  StoreFixed(bytes.data() + kChecksumAt, Checksum(std::string_view(bytes).substr(0, kChecksumAt)));
  return bytes;
}

TEST_CASE("a superblock is read as it was written", "[layout]") {
  Random random(TestSeed());
  for (int i = 0; i < 1000; ++i) {
    const Superblock block = RandomSuperblock(random);
    REQUIRE(CheckSuperblock(block) == absl::OkStatus());
    const std::string bytes = EncodeSuperblock(block);
    REQUIRE(bytes.size() == kUnit.value);
    const auto again = DecodeSuperblock(bytes);
    REQUIRE(again.status() == absl::OkStatus());
    REQUIRE((*again == block));
  }
}

TEST_CASE("a damaged byte of a superblock is found", "[layout]") {
  Random random(TestSeed() + 1);
  const std::string bytes = EncodeSuperblock(RandomSuperblock(random));
  ForEachDamage(random, bytes, 0, bytes.size(),
                [](const std::string& damaged) { REQUIRE_FALSE(DecodeSuperblock(damaged).ok()); });
}

TEST_CASE("a forged superblock is found, or is another sound one", "[layout]") {
  Random random(TestSeed() + 2);
  for (int round = 0; round < 20; ++round) {
    const Superblock block = RandomSuperblock(random);
    ForEachDamage(random, EncodeSuperblock(block), 0, kChecksumAt, [](const std::string& damaged) {
      const std::string forged = WithChecksum(damaged);
      const auto other = DecodeSuperblock(forged);
      if (other.ok() && other->Writable()) {  // else the rest of the slot is not ours to understand
        REQUIRE(CheckSuperblock(*other) == absl::OkStatus());
        REQUIRE((EncodeSuperblock(*other) == forged));
      }
    });
  }
}

TEST_CASE("superblocks of other formats are told apart from damage", "[layout]") {
  Random random(TestSeed() + 3);
  const Superblock block = RandomSuperblock(random);
  const std::string bytes = EncodeSuperblock(block);
  const auto changed = [&](size_t offset, auto value) {
    std::string other = bytes;
    StoreFixed(other.data() + offset, value);
    return DecodeSuperblock(WithChecksum(other));
  };
  CHECK(changed(0, uint8_t{'X'}).status().code() == absl::StatusCode::kNotFound);
  CHECK(changed(88, uint16_t{2}).status().code() == absl::StatusCode::kUnimplemented);
  CHECK(changed(90, uint16_t{2}).ok());
  CHECK(changed(96, uint64_t{1} << 63)->Writable());
  CHECK_FALSE(changed(104, uint64_t{2} | block.features.read_only_compatible)->Writable());
  CHECK(changed(112, uint64_t{2}).status().code() == absl::StatusCode::kUnimplemented);
  CHECK(changed(1000, uint8_t{1}).status().code() == absl::StatusCode::kDataLoss);
}

TEST_CASE("superblocks from which nobody can count up are found, and not written", "[layout]") {
  Random random(TestSeed() + 5);
  const Superblock sound = RandomSuperblock(random);
  const std::string bytes = EncodeSuperblock(sound);
  // generation, checkpoint LSN, log head, next node id, next tree id, next version, log opening, session version,
  // first version
  for (const size_t offset : {120, 176, 184, 192, 200, 208, 352, 376, 392}) {
    INFO("offset " << offset);
    std::string other = bytes;
    StoreFixed(other.data() + offset, UINT64_MAX - 5);
    CHECK(DecodeSuperblock(WithChecksum(other)).status().code() == absl::StatusCode::kDataLoss);
  }
  MemoryDevice device(MiB(16));
  FormatOptions options;
  options.log_size = MiB(1);
  Superblock last = *NewSuperblock(options, device.Size(), {});
  CHECK(WriteSuperblock(device, last).ok());
  last.generation.value = UINT64_MAX;
  CHECK(WriteSuperblock(device, last).code() == absl::StatusCode::kDataLoss);
  CHECK(WriteCopy(device, last).code() == absl::StatusCode::kDataLoss);
}

TEST_CASE("impossible superblocks are found", "[layout]") {
  Random random(TestSeed() + 4);
  Superblock sound = RandomSuperblock(random);
  while (sound.table.root.extent.Nowhere()) sound = RandomSuperblock(random);
  const auto bad = [&](auto change) {
    Superblock block = sound;
    change(block);
    return CheckSuperblock(block).code() == absl::StatusCode::kDataLoss;
  };
  CHECK_FALSE(bad([](Superblock&) {}));
  CHECK(bad([](Superblock& block) { block.generation = {}; }));
  CHECK(bad([](Superblock& block) { block.uuid = {}; }));
  CHECK(bad([](Superblock& block) { block.label.assign(65, 'x'); }));
  CHECK(bad([](Superblock& block) { block.label.assign(1, '\0'); }));
  CHECK(bad([](Superblock& block) { block.device_units = block.log.end(); }));
  CHECK(bad([](Superblock& block) { block.device_units = UINT64_MAX; }));
  CHECK(bad([](Superblock& block) { block.log.start = 15; }));
  CHECK(bad([](Superblock& block) { block.log.units = 15; }));
  CHECK(bad([](Superblock& block) { block.log.units = UINT64_MAX; }));
  CHECK(bad([](Superblock& block) { block.node_size = {511}; }));
  CHECK(bad([](Superblock& block) { block.node_size = MiB(16) + Bytes{1}; }));
  CHECK(bad([](Superblock& block) { block.basement_size = {63}; }));
  CHECK(bad([](Superblock& block) { block.basement_size = block.node_size + Bytes{1}; }));
  CHECK(bad([](Superblock& block) { block.fanout = 3; }));
  CHECK(bad([](Superblock& block) { block.fanout = 257; }));
  CHECK(bad([](Superblock& block) { block.codec = {Compression::kNone, 1}; }));
  CHECK(bad([](Superblock& block) { block.codec = {Compression{9}, 0}; }));
  CHECK(bad([](Superblock& block) { block.reserve.value = 5001; }));
  CHECK(bad([](Superblock& block) { block.features.read_only_compatible ^= kTuned; }));
  CHECK(bad([](Superblock& block) { block.next_node_id = kNoNode; }));
  CHECK(bad([](Superblock& block) { block.next_version = 0; }));
  CHECK(bad([](Superblock& block) { block.table.level = 11; }));
  CHECK(bad([](Superblock& block) { block.table.nodes = block.next_node_id.value; }));
  CHECK(bad([](Superblock& block) { block.table.nodes = 0; }));
  CHECK(bad([](Superblock& block) { block.table.root.extent.units = 2; }));
  CHECK(bad([](Superblock& block) { block.table.root.extent.units = 0; }));
  CHECK(bad([](Superblock& block) { block.table.root.extent.start = block.log.end() - 1; }));
  for (size_t copy : {0, 1}) {
    CHECK(bad([=](Superblock& block) { block.catalog.copies[copy].start = block.device_units; }));
    CHECK(bad([=](Superblock& block) { block.catalog.copies[copy].start = UINT64_MAX; }));
    CHECK(bad([=](Superblock& block) { block.catalog.copies[copy].units = UINT32_MAX; }));
    CHECK(bad([=](Superblock& block) { ++block.catalog.copies[copy].units; }));
    CHECK(bad([=](Superblock& block) { block.catalog.copies[copy] = {}; }));
  }
}

}  // namespace
}  // namespace betr::layout
