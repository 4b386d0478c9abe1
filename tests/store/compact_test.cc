// SPDX-License-Identifier: Apache-2.0
// Compacting a tree: in memory that is bounded, about a node at a time.
#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "base/random.h"
#include "betr/store.h"
#include "device/memory_device.h"
#include "store/borrowed_device.h"
#include "store/check_store.h"
#include "support/seed.h"

namespace betr::test {
namespace {

constexpr int kKeys = 20'000;
constexpr Bytes kValue{200};
constexpr Bytes kCache = KiB(512);

StoreOptions Options(bool background) {
  StoreOptions options;
  options.cache_size = kCache;
  options.background = background;
  options.checkpoint_period = std::chrono::seconds(0);
  return options;
}

// A tree of some megabytes in random order, so that messages wait all over it.
class Fixture {
 public:
  Fixture() : device_(MiB(64)) {
    FormatOptions format;
    format.node_size = KiB(16);
    format.basement_size = KiB(2);
    format.fanout = 8;
    format.log_size = MiB(2);
    REQUIRE(Store::Format(device_, format).ok());
    Open(Options(false));
    tree = *store->CreateTree("tree");
    Random random(TestSeed());
    for (int i = 0; i < kKeys; ++i) {
      REQUIRE(
          store
              ->Put(tree, "key" + std::to_string(1'000'000 + random.Uniform(1'000'000)), std::string(kValue.value, 'x'))
              .ok());
    }
  }
  ~Fixture() { CHECK(store->Close().ok()); }

  void Open(StoreOptions options) {
    if (store != nullptr) REQUIRE(store->Close().ok());
    store.reset();
    auto opened = Store::Open(std::make_unique<store::BorrowedDevice>(device_), std::move(options));
    INFO(opened.status());
    REQUIRE(opened.ok());
    store = *std::move(opened);
  }

  BlockDevice& device() { return device_; }

  TreeId tree{};
  std::unique_ptr<Store> store;

 private:
  MemoryDevice device_;
};

uint64_t KeysOf(const Store& store, TreeId tree) {
  uint64_t keys = 0;
  const auto cursor = *store.NewCursor(tree, Range::All());
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) ++keys;
  REQUIRE(cursor->status().ok());
  return keys;
}

TEST_CASE("compacting keeps to the memory that there is, and loses nothing", "[store]") {
  for (const bool background : {false, true}) {
    Fixture f;
    const uint64_t keys = KeysOf(*f.store, f.tree);
    f.Open(Options(background));
    const Bytes before = f.store->Stats().bytes_eviction;
    REQUIRE(f.store->Compact(f.tree).ok());
    CHECK(f.store->Stats().cache_dirty <= kCache);
    CHECK(f.store->Stats().bytes_eviction > before);
    CHECK(KeysOf(*f.store, f.tree) == keys);
    REQUIRE(f.store->Checkpoint().ok());
    CHECK(store::CheckImage(f.device(), MiB(4)).value().empty());
  }
}

TEST_CASE("what cannot be compacted is said", "[store]") {
  Fixture f;
  const TreeId snapshot = *f.store->Snapshot(f.tree, "then");
  CHECK(absl::IsInvalidArgument(f.store->Compact(snapshot)));
  CHECK(absl::IsNotFound(f.store->Compact(TreeId{4711})));
  StoreOptions options = Options(false);
  options.read_only = true;
  f.Open(options);
  CHECK(absl::IsFailedPrecondition(f.store->Compact(f.tree)));
}

}  // namespace
}  // namespace betr::test
