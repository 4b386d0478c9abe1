// SPDX-License-Identifier: Apache-2.0
// Whoever wrote the newest superblock may have ended before the flush behind it. Then it can be read, and a crash takes
// it back: what the state before it needs must not be written over until it is durable. That it is not is seen to by
// betr-torture --faults.
#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "betr/store.h"
#include "device/fault_device.h"
#include "device/recording_device.h"
#include "layout/superblock.h"
#include "store/borrowed_device.h"
#include "store/offline/repair_image.h"
#include "support/store/check_image.h"

namespace betr::test {
namespace {

class Disk {
 public:
  Disk() : memory_(MiB(4)), recorder_(memory_, memory_.Pages()), faults(recorder_) {
    FormatOptions format;
    format.node_size = KiB(4);
    format.basement_size = Bytes{512};
    format.fanout = 8;
    format.log_size = KiB(256);
    REQUIRE(Store::Format(faults, format).ok());
  }

  absl::StatusOr<std::unique_ptr<Store>> Open() {
    StoreOptions options;
    options.background = false;
    options.checkpoint_period = std::chrono::seconds(0);
    return Store::Open(std::make_unique<store::BorrowedDevice>(faults), options);
  }

  // Leaves a superblock that can be read and is not durable.
  void EndBetweenSuperblockAndFlush() {
    const std::unique_ptr<Store> store = *Open();
    const TreeId tree = *store->CreateTree("tree");
    REQUIRE(store->Put(tree, "key", "a").ok());
    REQUIRE(store->Checkpoint().ok());
    REQUIRE(store->Put(tree, "key", "b").ok());
    faults.Arm({.on = Fault::On::kFlush, .nth = 2});
    REQUIRE_FALSE(store->Checkpoint().ok());
    REQUIRE(store->ReadOnly());
    faults.Disarm();
  }

  const WriteHistory& history() const { return recorder_.History(); }

 private:
  MemoryDevice memory_;
  RecordingDevice recorder_;

 public:
  FaultDevice faults;
};

}  // namespace

TEST_CASE("a superblock that nobody has flushed is made durable before anything else is written", "[store][crash]") {
  Disk disk;
  disk.EndBetweenSuperblockAndFlush();
  const size_t before = disk.history().EventCount();
  REQUIRE(disk.Open().ok());
  REQUIRE(disk.history().EventCount() == before + 2);
  CHECK(disk.history().GetEvent(before).offset < layout::kOwnerOffset);
  CHECK(disk.history().GetEvent(before + 1).kind == WriteHistory::Kind::kFlush);
}

TEST_CASE("a repair makes the superblock durable before it writes anything else", "[store][crash]") {
  Disk disk;
  disk.EndBetweenSuperblockAndFlush();
  // The copy is behind, and damaged: something to repair.
  const Bytes copy = disk.faults.Size() - kBlockSize;
  REQUIRE(disk.faults.Write(copy, std::string(kBlockSize.value, 'x')).ok());
  const size_t before = disk.history().EventCount();
  auto findings = CheckImage(disk.faults, MiB(4));
  REQUIRE(findings.ok());
  REQUIRE_FALSE(findings->empty());
  const auto repair = store::RepairImage(disk.faults, MiB(4), store::RepairDepth::kSafe, *findings, [](auto) {});
  INFO(repair.status());
  REQUIRE(repair.ok());
  REQUIRE(repair->left.empty());
  CHECK(disk.history().GetEvent(before).offset < layout::kOwnerOffset);
  CHECK(disk.history().GetEvent(before + 1).kind == WriteHistory::Kind::kFlush);
}

TEST_CASE("a store does not open for writing on a device that cannot flush", "[store][crash]") {
  Disk disk;
  disk.EndBetweenSuperblockAndFlush();
  const size_t before = disk.history().EventCount();
  disk.faults.Arm({.on = Fault::On::kFlush, .repeat = Fault::Repeat::kFromThenOn});
  const auto refused = disk.Open();
  CHECK(absl::IsUnavailable(refused.status()));
  CHECK(disk.history().EventCount() == before + 1);
}

TEST_CASE("after a clean end there is nothing to make durable", "[store][crash]") {
  Disk disk;
  disk.EndBetweenSuperblockAndFlush();
  REQUIRE((*disk.Open())->Close().ok());
  {
    const std::unique_ptr<Store> store = *disk.Open();
    REQUIRE(store->Put(store->Trees().front().id, "key", "value").ok());
    REQUIRE(store->Close().ok());
  }
  const size_t before = disk.history().EventCount();
  REQUIRE((*disk.Open())->Close().ok());
  CHECK(disk.history().EventCount() == before);
}

}  // namespace betr::test
