// SPDX-License-Identifier: Apache-2.0
// Which of the two slots is taken, and what is said about the other one.
#include "layout/superblock_slots.h"

#include <catch2/catch.hpp>
#include <string>

#include "device/fault_device.h"
#include "device/memory_device.h"
#include "layout/format_options.h"
#include "layout/signatures.h"
#include "support/seed.h"

namespace betr::layout {
namespace {

constexpr Bytes kDeviceSize = MiB(1);

Superblock Sample(uint64_t generation) {
  FormatOptions options;
  options.log_size = KiB(64);
  options.uuid = "8c6f1f0e-5a0b-4c57-9f0e-2b1f7f3f9a10";
  Superblock block = *NewSuperblock(options, kDeviceSize, {});
  block.generation = Generation{generation};
  return block;
}

TEST_CASE("the newest superblock is taken", "[layout]") {
  MemoryDevice device(kDeviceSize);
  for (uint64_t generation = 1; generation < 6; ++generation) {
    REQUIRE(WriteSuperblock(device, Sample(generation)).ok());
    const auto newest = ReadNewest(device);
    REQUIRE(newest.ok());
    CHECK((newest->superblock == Sample(generation)));
    CHECK(newest->slot == generation % 2);
    CHECK(newest->other == absl::OkStatus());
  }
}

TEST_CASE("a damaged superblock leaves the one before, and says so", "[layout]") {
  MemoryDevice device(kDeviceSize);
  REQUIRE(WriteSuperblock(device, Sample(6)).ok());
  REQUIRE(WriteSuperblock(device, Sample(7)).ok());
  REQUIRE(device.Patch(kSlotOffset[1] + Bytes{121}, "x").ok());
  const auto newest = ReadNewest(device);
  REQUIRE(newest.ok());
  CHECK(newest->superblock.generation == Generation{6});
  CHECK(newest->other.code() == absl::StatusCode::kDataLoss);
  REQUIRE(device.Patch(kSlotOffset[0] + Bytes{4000}, "x").ok());
  CHECK(ReadNewest(device).status().code() == absl::StatusCode::kDataLoss);
}

TEST_CASE("a superblock that was torn at a sector is the old or the new one", "[layout]") {
  MemoryDevice device(kDeviceSize);
  for (uint64_t generation = 1; generation <= 3; ++generation) {
    REQUIRE(WriteSuperblock(device, Sample(generation)).ok());
  }
  const std::string next = EncodeSuperblock(Sample(4));
  const std::string before = EncodeSuperblock(Sample(2));
  for (unsigned sectors = 0; sectors < 256; ++sectors) {
    std::string torn = before;
    for (size_t i = 0; i < 8; ++i) {
      if ((sectors >> i & 1) != 0) torn.replace(i * 512, 512, next, i * 512, 512);
    }
    REQUIRE(device.Patch(kSlotOffset[0], torn).ok());
    const auto newest = ReadNewest(device);
    REQUIRE(newest.ok());
    CHECK(newest->superblock.generation == Generation{(sectors & 1) != 0 ? 4U : 3U});
    CHECK(newest->other == absl::OkStatus());
  }
}

TEST_CASE("a slot without the generation before is damage", "[layout]") {
  MemoryDevice device(kDeviceSize);
  REQUIRE(WriteSuperblock(device, Sample(7)).ok());
  CHECK(ReadNewest(device)->other.code() == absl::StatusCode::kDataLoss);
  REQUIRE(WriteSuperblock(device, Sample(4)).ok());
  CHECK(ReadNewest(device)->other.code() == absl::StatusCode::kDataLoss);
  REQUIRE(WriteSuperblock(device, Sample(6)).ok());
  CHECK(ReadNewest(device)->other == absl::OkStatus());
}

TEST_CASE("a slot that cannot be read now is not taken for a damaged one", "[layout]") {
  MemoryDevice memory(kDeviceSize);
  REQUIRE(WriteSuperblock(memory, Sample(6)).ok());
  REQUIRE(WriteSuperblock(memory, Sample(7)).ok());
  FaultDevice device(memory);
  for (const uint64_t nth : {1, 2}) {
    device.Arm({Fault::On::kRead, nth});
    CHECK(ReadNewest(device).status().code() == absl::StatusCode::kUnavailable);
  }
  device.Disarm();
  CHECK(ReadNewest(device).ok());
}

TEST_CASE("a superblock in the wrong slot or of another image does not count", "[layout]") {
  MemoryDevice device(kDeviceSize);
  REQUIRE(WriteSuperblock(device, Sample(3)).ok());
  REQUIRE(device.Write(kSlotOffset[0], EncodeSuperblock(Sample(5))).ok());
  auto newest = ReadNewest(device);
  REQUIRE(newest.ok());
  CHECK(newest->superblock.generation == Generation{3});
  CHECK(newest->other.code() == absl::StatusCode::kDataLoss);
  Superblock foreign = Sample(2);
  foreign.uuid = UuidFromSeed(1);
  REQUIRE(WriteSuperblock(device, foreign).ok());
  newest = ReadNewest(device);
  REQUIRE(newest.ok());
  CHECK(newest->other.code() == absl::StatusCode::kDataLoss);
}

TEST_CASE("an image on a device that became smaller is not opened", "[layout]") {
  MemoryDevice device(kDeviceSize);
  REQUIRE(WriteSuperblock(device, Sample(1)).ok());
  MemoryDevice smaller(kDeviceSize - kUnit, device.Pages());
  CHECK(ReadNewest(smaller).status().code() == absl::StatusCode::kDataLoss);
  MemoryDevice larger(kDeviceSize + kUnit, device.Pages());
  CHECK(ReadNewest(larger).ok());
}

TEST_CASE("a device without an image says what it has", "[layout]") {
  MemoryDevice device(kDeviceSize);
  CHECK(ReadNewest(device).status().code() == absl::StatusCode::kInvalidArgument);
  REQUIRE(device.Patch(Bytes{0}, "XFSB").ok());
  const absl::Status status = ReadNewest(device).status();
  CHECK(status.code() == absl::StatusCode::kInvalidArgument);
  CHECK(std::string(status.message()).find("XFS") != std::string::npos);
  MemoryDevice tiny(KiB(4));
  CHECK(ReadNewest(tiny).status().code() == absl::StatusCode::kInvalidArgument);
}

TEST_CASE("a newer superblock that needs unknown features is not passed over", "[layout]") {
  MemoryDevice device(kDeviceSize);
  REQUIRE(WriteSuperblock(device, Sample(4)).ok());
  Superblock newer = Sample(5);
  newer.features.incompatible = 2;
  REQUIRE(WriteSuperblock(device, newer).ok());
  CHECK(ReadNewest(device).status().code() == absl::StatusCode::kUnimplemented);
}

TEST_CASE("options of a new image are bounded, and come back from its superblock", "[layout]") {
  FormatOptions options;
  options.log_size = KiB(128);
  options.node_size = KiB(1);
  options.basement_size = {64};
  options.fanout = 5;
  options.compression = "zstd:9";
  options.label = "backup";
  options.uuid = "8c6f1f0e-5a0b-4c57-9f0e-2b1f7f3f9a10";
  const auto block = NewSuperblock(options, kDeviceSize, std::chrono::seconds(5));
  REQUIRE(block.ok());
  const FormatOptions again = OptionsOf(*block);
  CHECK(again.node_size == options.node_size);
  CHECK(again.basement_size == options.basement_size);
  CHECK(again.fanout == options.fanout);
  CHECK(again.log_size == options.log_size);
  CHECK(again.compression == options.compression);
  CHECK(again.label == options.label);
  CHECK(again.uuid == options.uuid);
  const auto refused = [&](auto change, Bytes size = kDeviceSize) {
    FormatOptions other = options;
    change(other);
    return NewSuperblock(other, size, {}).status().code() == absl::StatusCode::kInvalidArgument;
  };
  CHECK(refused([](FormatOptions& other) { other.node_size = {511}; }));
  CHECK(refused([](FormatOptions& other) { other.node_size = MiB(17); }));
  CHECK(refused([](FormatOptions& other) { other.basement_size = KiB(2); }));
  CHECK(refused([](FormatOptions& other) { other.fanout = 3; }));
  CHECK(refused([](FormatOptions& other) { other.log_size = KiB(60); }));
  CHECK(refused([](FormatOptions& other) { other.log_size = KiB(65); }));
  CHECK(refused([](FormatOptions& other) { other.log_size = MiB(1); }));
  CHECK(refused([](FormatOptions& other) { other.log_size = {UINT64_MAX - 4095}; }));
  CHECK(refused([](FormatOptions& other) { other.compression = "gzip"; }));
  CHECK(refused([](FormatOptions& other) { other.label = std::string(65, 'x'); }));
  CHECK(refused([](FormatOptions& other) { other.uuid = "x"; }));
  CHECK(refused([](FormatOptions&) {}, KiB(440)));
  CHECK_FALSE(refused([](FormatOptions&) {}, KiB(460)));
  const Bytes least = MinDeviceSize(options.node_size, options.log_size);
  CHECK(absl::IsInvalidArgument(CheckRoom(options, least - kUnit)));
  CHECK(CheckRoom(options, least) == absl::OkStatus());
}

}  // namespace
}  // namespace betr::layout
