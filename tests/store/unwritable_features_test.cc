// SPDX-License-Identifier: Apache-2.0
// An image with features that only allow this build to read: it is looked at, but whatever is wrong, nothing is
// written, and so nothing of these features destroyed.
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "betr/store.h"
#include "device/memory_device.h"
#include "layout/superblock_copy.h"
#include "layout/superblock_slots.h"
#include "store/borrowed_device.h"
#include "store/offline/repair_image.h"
#include "store/offline/repair_store.h"
#include "store/offline/salvage.h"
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

// With records in the log.
class Image {
 public:
  Image() : device(MiB(4)) {
    FormatOptions format;
    format.node_size = KiB(4);
    format.basement_size = KiB(1);
    format.log_size = KiB(256);
    Must(Store::Format(device, format));
    const auto store = Must(Store::Open(std::make_unique<store::BorrowedDevice>(device), Options()));
    const TreeId tree = Must(store->CreateTree("tree"));
    Must(store->Put(tree, "key", "old"));
    Must(store->Checkpoint());
    Must(store->Put(tree, "key", "new"));
    Must(store->Checkpoint());
    Must(store->Put(tree, "key", "newest"));
    Must(store->Sync());
  }

  // In both slots and the copy.
  void AddFeature() {
    layout::Superblock newest = Must(layout::ReadNewest(device)).superblock;
    newest.features.read_only_compatible = 0x50;
    Must(layout::WriteCopy(device, newest));
    for (int slot = 0; slot < 2; ++slot) {
      Must(layout::WriteSuperblock(device, newest));
      newest.generation = Generation{newest.generation.value - 1};
    }
  }

  void Damage(Bytes place) { Must(device.Patch(place, "damaged")); }

  std::string Content() {
    std::string content(device.Size().value, '\0');
    Must(device.Read(Bytes{0}, content));
    return content;
  }

  MemoryDevice device;
};

bool IsRefused(const absl::Status& status) {
  INFO(status);
  return absl::IsUnimplemented(status) && status.message().find("0x50") != absl::string_view::npos;
}

}  // namespace

TEST_CASE("what may only be read is not repaired", "[store][damage]") {
  Image image;
  image.AddFeature();
  const layout::NewestSuperblock newest = Must(layout::ReadNewest(image.device));
  const layout::Superblock& superblock = newest.superblock;
  SECTION("a slot") { image.Damage(layout::kSlotOffset[1 - newest.slot] + Bytes{300}); }
  SECTION("a copy of the catalog") { image.Damage(superblock.catalog.copies[1].Offset() + Bytes{70}); }
  SECTION("the node table") { image.Damage(superblock.table.root.extent.Offset() + Bytes{70}); }
  SECTION("nothing") {}
  const std::string before = image.Content();
  const std::vector<store::Finding> findings = Must(CheckImage(image.device));
  for (const auto depth : {store::RepairDepth::kSafe, store::RepairDepth::kAll}) {
    CHECK(IsRefused(store::RepairImage(image.device, MiB(4), depth, findings, [](auto) {}).status()));
  }
  const auto look = Must(store::Inspection::Open(image.device, MiB(4)));
  CHECK(IsRefused(store::SalvageStore(*look).status()));
  if (store::Repairable(findings)) CHECK(IsRefused(store::RepairStore(*look, findings)));
  CHECK((image.Content() == before));
}

TEST_CASE("the log of what may only be read is not cut", "[store][damage]") {
  Image image;
  image.AddFeature();
  const auto look = Must(store::Inspection::Open(image.device, MiB(4)));
  const std::string before = image.Content();
  CHECK(IsRefused(store::MendLog(*look, look->log_start().lsn.Next()).status()));
  CHECK((image.Content() == before));
}

TEST_CASE("slots of what may only be read are not made anew", "[store][damage]") {
  Image image;
  image.AddFeature();
  for (const Bytes slot : layout::kSlotOffset) image.Damage(slot + Bytes{300});
  const std::string before = image.Content();
  CHECK(IsRefused(layout::RestoreSlots(image.device, layout::RestoreFrom::kAnyCopy, {}).status()));
  CHECK((image.Content() == before));
}

TEST_CASE("what may only be read is opened read-only", "[store]") {
  Image image;
  image.AddFeature();
  const std::string before = image.Content();
  CHECK(IsRefused(Store::Open(std::make_unique<store::BorrowedDevice>(image.device), Options()).status()));
  const auto store = Must(Store::Open(std::make_unique<store::BorrowedDevice>(image.device), Options(true)));
  CHECK(Must(store->Get(Must(store->FindTree("tree")), "key")) == "newest");
  CHECK((image.Content() == before));
}

}  // namespace betr::test
