// SPDX-License-Identifier: Apache-2.0
// A writer who finds no space makes room within the memory that there is.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "betr/store.h"
#include "device/forwarding_device.h"
#include "device/memory_device.h"
#include "store/impl.h"
#include "support/must.h"
#include "support/seed.h"
#include "support/store/check_image.h"
#include "support/store/small_image.h"

namespace betr::test {
namespace {

// Sees how much is dirty whenever something is written.
class DirtyWatch final : public ForwardingDevice {
 public:
  explicit DirtyWatch(BlockDevice& device) : ForwardingDevice(device) {}
  absl::Status Write(Bytes offset, std::string_view data) override {
    if (cache != nullptr) most = std::max(most, cache->Dirty());
    return ForwardingDevice::Write(offset, data);
  }

  store::Cache* cache = nullptr;
  Bytes most{0};
};

// A store that takes no more, in a tree "t" of incompressible values.
std::unique_ptr<Store> FullStore(MemoryDevice& device) {
  FormatOptions format;
  format.node_size = KiB(64);
  format.log_size = MiB(16);
  format.compression = "none";
  Must(Store::Format(device, format));
  std::unique_ptr<Store> store = OpenOn(device);
  const TreeId tree = Must(store->CreateTree("t"));
  Random random(TestSeed());
  absl::Status end;
  for (int i = 0; end.ok(); ++i) end = store->Put(tree, fmt::format("{:08}", i), random.String(4000));
  CHECK(absl::IsResourceExhausted(end));
  return store;
}

// As long as a tree's name may be.
std::string LongName(int i) { return fmt::format("{:0255}", i); }

}  // namespace

TEST_CASE("a writer makes room within the cache's budget", "[store][full]") {
  MemoryDevice device(MiB(96));
  FormatOptions format;
  format.node_size = KiB(16);
  format.basement_size = KiB(2);
  format.log_size = MiB(8);
  format.compression = "none";
  REQUIRE(Store::Format(device, format).ok());
  auto owned = std::make_unique<DirtyWatch>(device);
  DirtyWatch& watch = *owned;
  StoreOptions options;
  options.cache_size = MiB(1);
  options.background = false;
  const auto store = Must(Store::Open(std::move(owned), options));
  watch.cache = store->impl().core().cache.get();
  const TreeId tree = Must(store->CreateTree("t"));
  Random random(TestSeed());
  absl::Status end;
  while (end.ok()) {
    WriteBatch batch;
    for (int i = 0; i < 20; ++i) {
      batch.Put(tree, fmt::format("{:016x}", random.Next()), random.String(200 + random.Uniform(200)));
    }
    end = store->Write(batch);
  }
  INFO(end << "; dirty at most " << watch.most.value << " bytes");
  CHECK(absl::IsResourceExhausted(end));
  CHECK(watch.most <= options.cache_size);
  watch.cache = nullptr;
  Must(store->Close());
  REQUIRE(CheckImage(device).value().empty());
}

TEST_CASE("a batch of more snapshots than the catalog has space for is refused", "[store][full]") {
  const int snapshots = GENERATE(1'500, 14'000);
  MemoryDevice device(MiB(96));
  auto store = FullStore(device);
  const TreeId tree = Must(store->FindTree("t"));
  WriteBatch batch;
  for (int i = 0; i < snapshots; ++i) batch.Snapshot(tree, LongName(i));
  INFO(snapshots);
  CHECK(absl::IsResourceExhausted(store->Write(batch)));
  Must(store->Erase(tree, "00000000"));
  Must(store->Checkpoint());
  Must(store->EraseRange(tree, Range::All()));
  Must(store->Close());
  store = OpenOn(device);
  CHECK(ContentOf(*store).empty());
  Must(store->Close());
  REQUIRE(CheckImage(device).value().empty());
}

TEST_CASE("a full store drops the snapshots that it has made, and what was erased comes back", "[store][full]") {
  MemoryDevice device(MiB(96));
  auto store = FullStore(device);
  const TreeId tree = Must(store->FindTree("t"));
  std::vector<TreeId> snapshots;
  absl::Status end;
  while (end.ok() && snapshots.size() < 100'000) {
    const absl::StatusOr<TreeId> made = store->Snapshot(tree, LongName(static_cast<int>(snapshots.size())));
    end = made.status();
    if (made.ok()) snapshots.push_back(*made);
  }
  INFO(snapshots.size() << " snapshots; " << end);
  CHECK(absl::IsResourceExhausted(end));
  Must(store->Checkpoint());
  Must(store->Erase(tree, "00000000"));
  for (const TreeId snapshot : snapshots) Must(store->DropTree(snapshot));
  Must(store->EraseRange(tree, Range::All()));
  Must(store->Close());
  REQUIRE(CheckImage(device).value().empty());
}

}  // namespace betr::test
