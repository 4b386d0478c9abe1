// SPDX-License-Identifier: Apache-2.0
// A write version is used once in the life of an image, whatever becomes of the sessions that write: nodes that look
// alike but are of two sessions could not be told apart where the node table is lost.
#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <set>
#include <string>

#include "base/random.h"
#include "betr/store.h"
#include "device/forwarding_device.h"
#include "device/memory_device.h"
#include "layout/scan.h"
#include "layout/superblock.h"
#include "layout/superblock_slots.h"
#include "store/borrowed_device.h"
#include "support/seed.h"

namespace betr::test {
namespace {

// Looks at each node that is written.
class WatchedDevice final : public ForwardingDevice {
 public:
  explicit WatchedDevice(BlockDevice& inner)
      : ForwardingDevice(inner), area_(layout::ReadNewest(inner)->superblock.ExtentArea()) {}

  absl::Status Write(Bytes offset, std::string_view data) override {
    const auto node = layout::ScanNode(offset.value / layout::kUnit.value, data, area_);
    if (node && !versions_.insert(node->version).second) ++repeated_;
    return ForwardingDevice::Write(offset, data);
  }

  size_t versions() const { return versions_.size(); }
  int repeated() const { return repeated_; }

 private:
  const layout::UnitRange area_;
  std::set<uint64_t> versions_;
  int repeated_ = 0;
};

enum class End { kKilled, kKilledAfterCheckpoint, kClosed };

// One session: writes more than fits into its memory, and ends.
void Work(BlockDevice& device, Logging logging, End end, Random& random) {
  StoreOptions options;
  options.background = false;
  options.checkpoint_period = std::chrono::seconds(0);
  options.cache_size = KiB(32);
  options.logging = logging;
  const std::unique_ptr<Store> store = *Store::Open(std::make_unique<store::BorrowedDevice>(device), options);
  const TreeId tree = store->FindTree("tree").value_or(TreeId{});
  const TreeId used = tree.value != 0 ? tree : store->CreateTree("tree").value();
  for (int i = 0; i < 40; ++i) {
    REQUIRE(store->Put(used, random.String(10), random.String(2000)).ok());
    if (end == End::kKilledAfterCheckpoint && i == 20) REQUIRE(store->Checkpoint().ok());
  }
  if (end == End::kClosed) REQUIRE(store->Close().ok());
}

TEST_CASE("no write version is used by two sessions, however they end", "[store][crash]") {
  Random random(TestSeed());
  for (int round = 0; round < 20; ++round) {
    MemoryDevice memory(MiB(16));
    FormatOptions format;
    format.node_size = KiB(4);
    format.basement_size = Bytes{512};
    format.log_size = MiB(4);
    REQUIRE(Store::Format(memory, format).ok());
    WatchedDevice device(memory);
    for (int session = 0; session < 6; ++session) {
      const size_t before = device.versions();
      const auto end = static_cast<End>(random.Uniform(3));
      INFO("round " << round << ", session " << session << ", end " << static_cast<int>(end));
      Work(device, random.OneIn(2) ? Logging::kFull : Logging::kBulk, end, random);
      CHECK(device.versions() > before);
      REQUIRE(device.repeated() == 0);
    }
  }
}

}  // namespace
}  // namespace betr::test
