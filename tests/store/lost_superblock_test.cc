// SPDX-License-Identifier: Apache-2.0
// The newest slot is lost after an unclean end, and its copy is not: nobody goes on from an older state, and a repair
// that loses nothing brings the newest one back.
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "betr/store.h"
#include "device/fault_device.h"
#include "device/recording_device.h"
#include "layout/superblock_copy.h"
#include "layout/superblock_slots.h"
#include "store/borrowed_device.h"
#include "store/offline/repair_image.h"
#include "support/must.h"
#include "support/store/check_image.h"

namespace betr::test {
namespace {

StoreOptions Options(bool read_only = false) {
  StoreOptions options;
  options.background = false;
  options.read_only = read_only;
  options.checkpoint_period = std::chrono::seconds(0);
  return options;
}

FormatOptions Format() {
  FormatOptions format;
  format.node_size = KiB(4);
  format.basement_size = KiB(1);
  format.log_size = KiB(256);
  format.uuid = "8c6f1f0e-5a0b-4c57-9f0e-2b1f7f3f9a10";
  return format;
}

absl::StatusOr<std::unique_ptr<Store>> Open(BlockDevice& device, bool read_only = false) {
  return Store::Open(std::make_unique<store::BorrowedDevice>(device), Options(read_only));
}

bool Contains(const absl::Status& status, absl::string_view text) {
  return status.message().find(text) != absl::string_view::npos;
}

// A store that ended after two checkpoints, without closing.
class Image {
 public:
  Image() : device(MiB(4)) {
    Must(Store::Format(device, Format()));
    const std::unique_ptr<Store> store = Must(Open(device));
    const TreeId tree = Must(store->CreateTree("tree"));
    Must(store->Put(tree, "key", "old"));
    Must(store->Checkpoint());
    Must(store->Put(tree, "key", "new"));
    Must(store->Checkpoint());
  }

  layout::NewestSuperblock Newest() { return Must(layout::ReadNewest(device)); }

  // What a write that is lost leaves: the slot has what it had before.
  void LoseWriteOfNewest() {
    const layout::NewestSuperblock newest = Newest();
    layout::Superblock before = *layout::ReadSlots(device)[1 - newest.slot];
    before.generation = Generation{before.generation.value - 1};
    Must(layout::WriteSuperblock(device, before));
  }

  void ZeroNewest() { Must(device.Write(layout::kSlotOffset[Newest().slot], std::string(layout::kUnit.value, '\0'))); }

  std::string ReadKey() {
    const std::unique_ptr<Store> store = Must(Open(device));
    return *Must(store->Get(Must(store->FindTree("tree")), "key"));
  }

  MemoryDevice device;
};

}  // namespace

TEST_CASE("a state that was durable is not gone back behind", "[store][damage]") {
  Image image;
  const uint64_t generation = image.Newest().superblock.generation.value;
  SECTION("the newest slot was not written") { image.LoseWriteOfNewest(); }
  SECTION("the newest slot is zero") { image.ZeroNewest(); }
  for (const bool read_only : {true, false}) {
    const absl::Status refused = Open(image.device, read_only).status();
    INFO(refused);
    CHECK(absl::IsDataLoss(refused));
    const std::string message(refused.message());
    CHECK(message.find("the copy of the superblock at unit 1023 has generation " + std::to_string(generation)) !=
          std::string::npos);
    CHECK(message.find("fsck.betr -p") != std::string::npos);
  }
  const auto findings = Must(CheckImage(image.device));
  REQUIRE_FALSE(findings.empty());
  CHECK(findings.front().kind == "superblock");
  const store::ImageRepair repair =
      Must(store::RepairImage(image.device, MiB(4), store::RepairDepth::kSafe, findings, [](auto) {}));
  CHECK(repair.left.empty());
  CHECK(repair.actions == 1);
  CHECK(Must(CheckImage(image.device)).empty());
  CHECK(image.ReadKey() == "new");
}

TEST_CASE("a copy that cannot be read, or is older, keeps nobody from opening", "[store][damage]") {
  Image image;
  SECTION("older") {
    layout::Superblock before = image.Newest().superblock;
    before.generation = Generation{before.generation.value - 1};
    Must(layout::WriteCopy(image.device, before));
  }
  SECTION("damaged") {
    Must(image.device.Patch(layout::UnitBytes(image.Newest().superblock.CopyUnit()) + Bytes{130}, "x"));
  }
  SECTION("of another image") {
    layout::Superblock foreign = image.Newest().superblock;
    foreign.uuid = UuidFromSeed(1);
    foreign.generation = Generation{1000};
    Must(layout::WriteCopy(image.device, foreign));
  }
  SECTION("unreadable") {
    FaultDevice faults(image.device);
    const Bytes copy = layout::UnitBytes(image.Newest().superblock.CopyUnit());
    faults.Arm(
        {.on = Fault::On::kRead, .repeat = Fault::Repeat::kFromThenOn, .spared_from = Bytes{0}, .spared_to = copy});
    CHECK(Open(faults).ok());
    CHECK(faults.Hits() == 1);
  }
  CHECK(image.ReadKey() == "new");
}

TEST_CASE("only who may lose something goes on from what may be an older state", "[store][damage]") {
  Image image;
  const layout::NewestSuperblock newest = image.Newest();
  SECTION("the newest slot is lost, and the copy as old as the other one") {
    Must(layout::WriteCopy(image.device, *layout::ReadSlots(image.device)[1 - newest.slot]));
    image.ZeroNewest();
  }
  SECTION("the newest slot and the copy are lost") {
    Must(image.device.Patch(layout::UnitBytes(newest.superblock.CopyUnit()) + Bytes{130}, "x"));
    image.ZeroNewest();
  }
  SECTION("the older slot is lost") {
    Must(image.device.Patch(layout::kSlotOffset[1 - newest.slot] + Bytes{130}, "x"));
  }
  CHECK(Contains(Open(image.device).status(), "fsck.betr -y"));
  const auto findings = Must(CheckImage(image.device));
  REQUIRE_FALSE(findings.empty());
  CHECK(findings.front().repair == store::Finding::Repair::kOlderSuperblock);
  std::vector<store::LostRange> lost;
  const store::RepairOptions options{.limits = {}, .loses = [&](auto ranges) {
                                       lost.assign(ranges.begin(), ranges.end());
                                       CHECK(absl::IsDataLoss(Open(image.device).status()));
                                     }};
  const auto repair = [&](store::RepairDepth depth) {
    return Must(store::RepairImage(
        image.device, MiB(4), depth, findings, [](auto) {}, options));
  };
  const store::ImageRepair refused = repair(store::RepairDepth::kSafe);
  CHECK(refused.left.size() == findings.size());
  CHECK(refused.actions == 0);
  CHECK(lost.empty());
  CHECK(absl::IsDataLoss(Open(image.device).status()));
  const store::ImageRepair repaired = repair(store::RepairDepth::kAll);
  CHECK(repaired.left.empty());
  REQUIRE(lost.size() == 1);
  CHECK(lost.front().why.find("which may be an older one") != std::string::npos);
  CHECK(repaired.salvaged.lost.size() == 1);
  CHECK(Open(image.device).ok());
}

TEST_CASE("after a clean end a slot that is lost is made anew without a loss", "[store][damage]") {
  Image image;
  {
    const std::unique_ptr<Store> store = Must(Open(image.device));
    Must(store->Put(Must(store->FindTree("tree")), "other", "value"));
    Must(store->Close());
  }
  const layout::NewestSuperblock newest = image.Newest();
  REQUIRE(newest.superblock.log_opening != 0);
  std::string expected = "new";
  SECTION("the newest one") { image.ZeroNewest(); }
  SECTION("the other one") { Must(image.device.Patch(layout::kSlotOffset[1 - newest.slot] + Bytes{130}, "x")); }
  SECTION("the one with which the next session begins, and its copy was not written") {
    const std::unique_ptr<Store> store = Must(Open(image.device));
    expected = "newer";
    Must(store->Put(Must(store->FindTree("tree")), "key", expected));
    Must(store->Sync());
    image.ZeroNewest();
    Must(layout::WriteCopy(image.device, newest.superblock));
  }
  CHECK(Contains(Open(image.device).status(), "fsck.betr -p"));
  const auto findings = Must(CheckImage(image.device));
  const store::ImageRepair repair =
      Must(store::RepairImage(image.device, MiB(4), store::RepairDepth::kSafe, findings, [](auto) {}));
  CHECK(repair.left.empty());
  CHECK(image.ReadKey() == expected);
}

TEST_CASE("opening reads the copy once", "[store]") {
  Image image;
  Must(Must(Open(image.device))->Close());
  FaultDevice counting(image.device);
  counting.Arm({.on = Fault::On::kRead,
                .nth = UINT64_MAX,
                .spared_from = Bytes{0},
                .spared_to = layout::UnitBytes(image.Newest().superblock.CopyUnit())});
  const std::unique_ptr<Store> store = Must(Open(counting, true));
  CHECK(counting.Operations() == 1);
}

TEST_CASE("whatever a crash leaves of making an image over an old one, its copy is not the newest", "[store][crash]") {
  Image old;
  RecordingDevice recorder(old.device, old.device.Pages());
  Must(Store::Format(recorder, Format()));
  const WriteHistory& history = recorder.History();
  for (size_t events = 0; events <= history.EventCount(); ++events) {
    const std::vector<size_t> unflushed = history.Unflushed(events);
    REQUIRE(unflushed.size() < 10);
    for (uint64_t mask = 0; mask < (uint64_t{1} << unflushed.size()); ++mask) {
      const auto device = history.CrashImage(history.SubsetPlan(events, mask));
      const auto newest = layout::ReadNewest(*device);
      if (newest.ok() && newest->other.ok()) {
        CHECK_FALSE(Must(layout::ReadNewerCopy(*device, newest->superblock)).has_value());
      }
    }
  }
}

}  // namespace betr::test
