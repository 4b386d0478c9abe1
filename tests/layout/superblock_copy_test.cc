// SPDX-License-Identifier: Apache-2.0
// The copy at the end of the image: when it is found, and what is made of it.
#include "layout/superblock_copy.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "device/memory_device.h"
#include "layout/format_options.h"
#include "layout/signatures.h"
#include "layout/superblock_slots.h"
#include "support/device/bad_sectors.h"

namespace betr::layout {
namespace {

constexpr Bytes kDeviceSize = MiB(1);

Superblock Sample(uint64_t generation, Bytes size = kDeviceSize) {
  FormatOptions options;
  options.log_size = KiB(64);
  options.uuid = "8c6f1f0e-5a0b-4c57-9f0e-2b1f7f3f9a10";
  Superblock block = *NewSuperblock(options, size, {});
  block.generation = Generation{generation};
  return block;
}

// Slots and copy as after a clean end.
void Fill(MemoryDevice& device, uint64_t generation) {
  REQUIRE(WriteSuperblock(device, Sample(generation - 1)).ok());
  REQUIRE(WriteSuperblock(device, Sample(generation)).ok());
  REQUIRE(WriteCopy(device, Sample(generation)).ok());
}

void ZeroSlots(MemoryDevice& device) { REQUIRE(device.Write(Bytes{0}, std::string(KiB(8).value, '\0')).ok()); }

TEST_CASE("both slots are made anew from the copy", "[layout]") {
  MemoryDevice device(kDeviceSize);
  Fill(device, 7);
  CHECK(RestoreSlots(device, RestoreFrom::kAnyCopy, {}).value() == "");
  ZeroSlots(device);
  CHECK(absl::IsDataLoss(ReadNewest(device).status()));
  CHECK(RestoreSlots(device, RestoreFrom::kAnyCopy, {}).value().find("of generation 7") != std::string::npos);
  const auto newest = ReadNewest(device);
  REQUIRE(newest.ok());
  CHECK(newest->other == absl::OkStatus());
  const Superblock expected = Sample(8);
  CHECK((newest->superblock == expected));
  CHECK(CheckCopy(device, newest->superblock) == absl::OkStatus());
}

TEST_CASE("slots that are made anew do not say that the log ends where it begins", "[layout]") {
  MemoryDevice device(kDeviceSize);
  Superblock clean = Sample(7);
  clean.log_opening = 5;  // it did when the copy was written; who has lost the slots may have written the log since
  REQUIRE(WriteCopy(device, clean).ok());
  REQUIRE(RestoreSlots(device, RestoreFrom::kAnyCopy, {}).ok());
  for (const auto& slot : ReadSlots(device)) {
    REQUIRE(slot.ok());
    CHECK(slot->log_opening == 0);
  }
}

TEST_CASE("the copy is found on a device that became larger", "[layout]") {
  MemoryDevice device(kDeviceSize);
  Fill(device, 7);
  ZeroSlots(device);
  MemoryDevice larger(kDeviceSize * 3 + kUnit, device.Pages());
  CHECK((FindCopy(larger).value() == Sample(7)));
}

TEST_CASE("the copy is found on a device that became larger and has units that cannot be read", "[layout]") {
  MemoryDevice device(kDeviceSize);
  Fill(device, 7);
  ZeroSlots(device);
  MemoryDevice larger(kDeviceSize * 3 + kUnit, device.Pages());
  test::BadSectors worn(larger);
  worn.Spoil(KiB(300), kUnit);
  CHECK((FindCopy(worn).value() == Sample(7)));
  CHECK(RestoreSlots(worn, RestoreFrom::kAnyCopy, {}).value().find("of generation 7") != std::string::npos);
  worn.Spoil(larger.Size() - kUnit, kUnit);
  CHECK((FindCopy(worn).value() == Sample(7)));
  worn.Spoil(UnitBytes(Sample(7).CopyUnit()), kUnit);
  CHECK(absl::IsUnavailable(FindCopy(worn).status()));
}

TEST_CASE("on a device that became larger slots that are gone are made anew if any copy will do", "[layout]") {
  MemoryDevice device(kDeviceSize);
  Fill(device, 7);
  ZeroSlots(device);
  MemoryDevice larger(kDeviceSize * 3 + kUnit, device.Pages());
  CHECK(absl::IsInvalidArgument(RestoreSlots(larger, RestoreFrom::kNewerCopy, {}).status()));
  CHECK(absl::IsInvalidArgument(ReadNewest(larger).status()));
  SECTION("taken") {
    CHECK(RestoreSlots(larger, RestoreFrom::kAnyCopy, {}).value().find("of generation 7") != std::string::npos);
    CHECK((ReadNewest(larger)->superblock == Sample(8)));
  }
  SECTION("but not if there is something else now") {
    REQUIRE(larger.Patch(Bytes{0}, "XFSB").ok());
    CHECK(absl::IsInvalidArgument(RestoreSlots(larger, RestoreFrom::kAnyCopy, {}).status()));
    CHECK(absl::IsInvalidArgument(ReadNewest(larger).status()));
  }
  SECTION("nor if there is none") {
    REQUIRE(larger.Write(UnitBytes(Sample(7).CopyUnit()), std::string(kUnit.value, 'x')).ok());
    const absl::Status none = RestoreSlots(larger, RestoreFrom::kAnyCopy, {}).status();
    CHECK(absl::IsInvalidArgument(none));
    CHECK(none.message().find("no copy of a superblock") != absl::string_view::npos);
  }
}

TEST_CASE("of the copies of several images that of the youngest image is taken", "[layout]") {
  MemoryDevice device(kDeviceSize * 4);
  Superblock young = Sample(3);
  young.uuid = UuidFromSeed(1);
  young.made_at = std::chrono::seconds(2);
  Superblock old = Sample(9, kDeviceSize * 2);
  old.made_at = std::chrono::seconds(1);
  SECTION("it lies first") {}
  SECTION("it lies last") { std::swap(young.device_units, old.device_units); }
  REQUIRE(WriteCopy(device, young).ok());
  REQUIRE(WriteCopy(device, old).ok());
  CHECK((FindCopy(device).value() == young));
}

TEST_CASE("the copy of an image within this one is not taken", "[layout]") {
  MemoryDevice device(kDeviceSize);
  const Superblock inner = Sample(5, KiB(600));
  REQUIRE(device.Write(KiB(200) + UnitBytes(inner.CopyUnit()), EncodeSuperblock(inner)).ok());
  CHECK(absl::IsNotFound(FindCopy(device).status()));
  CHECK(absl::IsInvalidArgument(RestoreSlots(device, RestoreFrom::kAnyCopy, {}).status()));
}

TEST_CASE("a copy that knows more than the slot that is left is taken, an older one is not", "[layout]") {
  MemoryDevice device(kDeviceSize);
  Fill(device, 7);
  REQUIRE(device.Patch(kSlotOffset[1] + Bytes{121}, "x").ok());
  SECTION("newer") {
    CHECK(RestoreSlots(device, RestoreFrom::kAnyCopy, {}).value().find("of generation 7") != std::string::npos);
    CHECK(ReadNewest(device)->superblock.generation == Generation{8});
    CHECK(ReadNewest(device)->other == absl::OkStatus());
  }
  SECTION("as old as the slot") {
    REQUIRE(WriteCopy(device, Sample(6)).ok());
    CHECK(RestoreSlots(device, RestoreFrom::kAnyCopy, {}).value() == "");
  }
  SECTION("of another image") {
    Superblock foreign = Sample(9);
    foreign.uuid = UuidFromSeed(1);
    REQUIRE(WriteCopy(device, foreign).ok());
    CHECK(RestoreSlots(device, RestoreFrom::kAnyCopy, {}).value() == "");
    CHECK(absl::IsDataLoss(CheckCopy(device, ReadNewest(device)->superblock)));
  }
}

TEST_CASE("a slot whose write was lost is made anew from the copy", "[layout]") {
  MemoryDevice device(kDeviceSize);
  Fill(device, 7);
  CHECK(ReadNewerCopy(device, Sample(7)).value() == std::nullopt);
  REQUIRE(WriteSuperblock(device, Sample(5)).ok());
  const auto stale = ReadNewest(device);
  REQUIRE(stale.ok());
  CHECK(stale->other == absl::OkStatus());
  CHECK(ReadNewerCopy(device, stale->superblock).value() == Sample(7));
  CHECK(RestoreSlots(device, RestoreFrom::kNewerCopy, {}).value().find("of generation 7") != std::string::npos);
  CHECK(ReadNewest(device)->superblock.generation == Generation{8});
  CHECK(ReadNewest(device)->other == absl::OkStatus());
}

TEST_CASE("without a slot that is intact nobody knows whether the copy is the newest", "[layout]") {
  MemoryDevice device(kDeviceSize);
  Fill(device, 7);
  ZeroSlots(device);
  CHECK(absl::IsDataLoss(RestoreSlots(device, RestoreFrom::kNewerCopy, {}).status()));
  CHECK(absl::IsDataLoss(ReadNewest(device).status()));
}

TEST_CASE("of an image whose end is missing nothing is overwritten by another copy", "[layout]") {
  MemoryDevice device(kDeviceSize * 2);
  for (const uint64_t generation : {6, 7}) REQUIRE(WriteSuperblock(device, Sample(generation, kDeviceSize * 2)).ok());
  Superblock other = Sample(9, kDeviceSize);
  SECTION("of another image") { other.uuid = UuidFromSeed(1); }
  SECTION("of the same one, but older") { other.generation = Generation{5}; }
  SECTION("beside one slot") {
    other.uuid = UuidFromSeed(1);
    REQUIRE(device.Patch(kSlotOffset[0] + Bytes{121}, "x").ok());
  }
  REQUIRE(WriteCopy(device, other).ok());
  MemoryDevice cut(kDeviceSize, device.Pages());
  const absl::Status refused = RestoreSlots(cut, RestoreFrom::kAnyCopy, {}).status();
  CHECK(absl::IsDataLoss(refused));
  CHECK(refused.message().find("its end is missing") != absl::string_view::npos);
  CHECK(ReadSlots(device)[1]->uuid == Sample(7).uuid);
  std::string slots(KiB(8).value, '\0');
  std::string before = slots;
  REQUIRE(cut.Read(Bytes{0}, slots).ok());
  REQUIRE(device.Read(Bytes{0}, before).ok());
  CHECK(slots == before);
}

TEST_CASE("a copy that may be older than the slots were is told before it is taken", "[layout]") {
  MemoryDevice device(kDeviceSize);
  Fill(device, 7);
  Superblock copy = Sample(7);
  bool is_older = true;
  SECTION("after a crash") {}
  SECTION("after a clean end") {
    copy.log_opening = 3;
    is_older = false;
  }
  REQUIRE(WriteCopy(device, copy).ok());
  ZeroSlots(device);
  std::string told;
  const auto tell = [&](std::string_view why) {
    told = why;
    CHECK(absl::IsDataLoss(ReadNewest(device).status()));
  };
  CHECK(RestoreSlots(device, RestoreFrom::kAnyCopy, tell).ok());
  CHECK((told.find("has generation 7, which may be an older one") != std::string::npos) == is_older);
}

TEST_CASE("what has become something else is left alone", "[layout]") {
  MemoryDevice device(kDeviceSize);
  Fill(device, 7);
  ZeroSlots(device);
  REQUIRE(device.Patch(Bytes{0}, "XFSB").ok());
  CHECK(absl::IsInvalidArgument(RestoreSlots(device, RestoreFrom::kAnyCopy, {}).status()));
  CHECK(absl::IsInvalidArgument(ReadNewest(device).status()));
}

TEST_CASE("a copy that is damaged or newer than the slots is reported", "[layout]") {
  MemoryDevice device(kDeviceSize);
  Fill(device, 7);
  CHECK(CheckCopy(device, Sample(7)) == absl::OkStatus());
  CHECK(CheckCopy(device, Sample(9)) == absl::OkStatus());
  CHECK(absl::IsDataLoss(CheckCopy(device, Sample(6))));
  REQUIRE(device.Patch(UnitBytes(Sample(7).CopyUnit()) + Bytes{50}, "x").ok());
  CHECK(absl::IsDataLoss(CheckCopy(device, Sample(7))));
}

TEST_CASE("wiping a device wipes the copy", "[layout]") {
  MemoryDevice device(kDeviceSize);
  Fill(device, 7);
  REQUIRE(WipeSignatures(device).ok());
  CHECK(absl::IsNotFound(FindCopy(device).status()));
}

}  // namespace
}  // namespace betr::layout
