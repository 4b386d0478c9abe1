// SPDX-License-Identifier: Apache-2.0
// What a call costs beside many trees and snapshots, counted in allocations of the caller's thread; and that hundreds
// of trees are right, through clean and unclean reopening; and how many there may be.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "betr/store.h"
#include "device/memory_device.h"
#include "store/borrowed_device.h"
#include "store/impl.h"
#include "store/offline/check_store.h"
#include "support/seed.h"

namespace {

thread_local uint64_t allocations = 0;
thread_local uint64_t allocated = 0;  // bytes

}  // namespace

void* operator new(size_t size) {
  ++allocations;
  allocated += size;
  void* memory = std::malloc(size > 0 ? size : 1);
  if (memory == nullptr) std::abort();
  return memory;
}
// Calls the one above in the standard library, but not in a sanitizer's.
void* operator new(size_t size, const std::nothrow_t& /*tag*/) noexcept { return operator new(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace betr::test {
namespace {

std::unique_ptr<Store> Open(BlockDevice& device, bool background) {
  StoreOptions options;
  options.background = background;
  options.checkpoint_period = std::chrono::seconds(0);
  options.cache_size = MiB(16);
  auto store = Store::Open(std::make_unique<store::BorrowedDevice>(device), options);
  INFO(store.status());
  REQUIRE(store.ok());
  return *std::move(store);
}

void Format(MemoryDevice& device, Bytes node_size = KiB(4)) {
  FormatOptions format;
  format.node_size = node_size;
  format.basement_size = Bytes{512};
  format.fanout = 8;
  format.log_size = MiB(8);
  format.compression = "none";
  REQUIRE(Store::Format(device, format).ok());
}

// The cheapest of some calls: now and then one pays for what many have saved.
template <class Call>
uint64_t CostOf(Call call) {
  uint64_t least = ~uint64_t{0};
  for (int i = 0; i < 20; ++i) {
    const uint64_t before = allocations;
    const absl::Status status = call();
    least = std::min(least, allocations - before);
    INFO(status);
    REQUIRE(status.ok());
  }
  return least;
}

// By name of the call.
std::map<std::string, uint64_t> CostsIn(Store& store, TreeId tree) {
  static int snapshots = 0;
  std::map<std::string, uint64_t> costs;
  costs["snapshot"] = CostOf([&] { return store.Snapshot(tree, "s " + std::to_string(++snapshots)).status(); });
  costs["put"] = CostOf([&] { return store.Put(tree, "key", "value"); });
  costs["batch"] = CostOf([&] {
    WriteBatch batch;
    batch.Put(tree, "key", "value");
    batch.Put(tree, "another", "value");
    return store.Write(batch);
  });
  costs["cursor"] = CostOf([&] { return store.NewCursor(tree).status(); });
  costs["put, pin and cursor"] = CostOf([&] {
    absl::Status status = store.Put(tree, "key", "value");
    const std::shared_ptr<const ReadView> view = store.Pin();
    status.Update(store.NewCursor(tree).status());
    return status;
  });
  costs["clone"] = CostOf([&] { return store.ClonePrefix(tree, "key", tree, "copy"); });
  costs["create and drop"] = CostOf([&] {
    const absl::StatusOr<TreeId> created = store.CreateTree("created");
    return created.ok() ? store.DropTree(*created) : created.status();
  });
  return costs;
}

void CompareCosts(const std::map<std::string, uint64_t>& few, const std::map<std::string, uint64_t>& many) {
  for (const auto& [call, cost] : few) {
    INFO(call << ": " << cost << " allocations beside few trees, " << many.at(call) << " beside many");
    CHECK(many.at(call) <= 3 * cost / 2 + 60);
  }
}

}  // namespace

TEST_CASE("what a call costs does not grow with the snapshots that there are", "[store]") {
  MemoryDevice device(MiB(64));
  Format(device);
  const auto store = Open(device, true);
  const TreeId tree = store->CreateTree("tree").value();
  const auto few = CostsIn(*store, tree);
  for (int i = 0; i < 2000; ++i) REQUIRE(store->Snapshot(tree, "snapshot " + std::to_string(i)).ok());
  CompareCosts(few, CostsIn(*store, tree));
}

TEST_CASE("what a call costs does not grow with the trees that have something in front of them", "[store]") {
  constexpr size_t kBusy = 1000;
  MemoryDevice device(MiB(256));
  Format(device, KiB(64));
  const auto store = Open(device, true);
  const TreeId tree = store->CreateTree("tree").value();
  const auto few = CostsIn(*store, tree);
  for (size_t i = 0; i < kBusy; ++i) {
    const absl::StatusOr<TreeId> busy = store->CreateTree("busy " + std::to_string(i));
    REQUIRE(busy.ok());
    REQUIRE(store->Put(*busy, "key", "value").ok());
  }
  REQUIRE(store->impl().fronts().Busy().size() >= kBusy);
  CompareCosts(few, CostsIn(*store, tree));
}

// Bytes, as a list of all trees is one allocation.
TEST_CASE("asking for space takes no list of all trees", "[store]") {
  MemoryDevice device(MiB(256));
  Format(device);
  const auto store = Open(device, true);
  const TreeId tree = store->CreateTree("tree").value();
  for (int i = 0; i < 1000; ++i) {
    REQUIRE(store->Snapshot(tree, "snapshot " + std::to_string(i)).ok());
    REQUIRE(store->CreateTree("another " + std::to_string(i)).ok());
  }
  const uint64_t before = allocated;
  const SpaceStats space = store->Space();
  CHECK(allocated - before < 1000);
  CHECK(space.available > Bytes{0});
}

TEST_CASE("background work looks at nodes once, however many trees there are", "[store]") {
  const auto nodes_swept = [](int trees) {
    MemoryDevice device(MiB(64));
    Format(device);
    const auto store = Open(device, false);
    const TreeId large = store->CreateTree("large").value();
    for (int i = 0; i < 20000; ++i) REQUIRE(store->Put(large, std::to_string(i), std::string(100, 'v')).ok());
    TreeId last;
    for (int i = 0; i < trees; ++i) {
      last = store->CreateTree("small " + std::to_string(i)).value();
      REQUIRE(store->Put(last, "key", "value").ok());
    }
    REQUIRE(store->Checkpoint().ok());
    REQUIRE(store->DropTree(store->CreateTree("nothing").value()).ok());
    const uint64_t before = store->Stats().nodes_swept;
    REQUIRE(store->EraseRange(large, Range::Prefix("11")).ok());
    REQUIRE(store->Checkpoint().ok());
    REQUIRE(store->DropTree(last).ok());
    const uint64_t after = store->Stats().nodes_swept;
    REQUIRE(store->Close().ok());
    return after - before;
  };
  const uint64_t few = nodes_swept(2);
  const uint64_t many = nodes_swept(100);
  CAPTURE(few, many);
  CHECK(few > 100);
  CHECK(many < 3 * few);
}

TEST_CASE("each state knows at least what its trees' roots take", "[store]") {
  MemoryDevice device(MiB(64));
  Format(device);
  const auto store = Open(device, false);
  Random random(TestSeed());
  for (int i = 0; i < 4; ++i) REQUIRE(store->CreateTree("tree " + std::to_string(i)).ok());
  int large = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::string tree_name = "tree " + std::to_string(random.Uniform(4));
    const std::string key = std::to_string(random.Uniform(1000));
    const TreeId tree = store->FindTree(tree_name).value();
    REQUIRE(store->Put(tree, key, std::string(random.Uniform(3000), 'v')).ok());
    switch (random.Uniform(20)) {
      case 0:
        // Bounds that are long make a root large.
        for (int copy = 0; copy < 8; ++copy) {
          const std::string to = "copy " + std::string(2000, static_cast<char>('a' + copy)) + key;
          REQUIRE(store->ClonePrefix(tree, key.substr(0, 1), store->FindTree("tree 0").value(), to).ok());
        }
        break;
      case 1:
        REQUIRE(store->DropTree(store->Snapshot(tree, "snapshot").value()).ok());
        break;
      case 2:
        REQUIRE(store->Compact(tree).ok());
        break;
      case 3:
        REQUIRE(store->DropTree(tree).ok());
        REQUIRE(store->CreateTree(tree_name).ok());
        break;
      case 4:
        REQUIRE(store->Checkpoint().ok());
        break;
      default:
        break;
    }
    const store::StatePtr state = store->impl().fronts().state();
    const uint64_t full = store->impl().core().FullRoot();
    for (const auto& [id, known] : state->trees) {
      const uint64_t units = store::RootUnitsBound(*state, id);
      CAPTURE(id.value, units, known.large_root);
      REQUIRE((units <= full || units <= known.large_root));
      REQUIRE((known.large_root == 0 || known.large_root == units));
      large += known.large_root > 0 ? 1 : 0;
    }
  }
  CHECK(large > 0);
}

TEST_CASE("an image has as many snapshots as are allowed, all are there again, and one more is refused", "[store]") {
  MemoryDevice device(GiB(1));
  Format(device);
  auto store = Open(device, false);
  const TreeId tree = store->CreateTree("tree").value();
  size_t trees = 1;
  while (trees < kMaxTrees) {
    WriteBatch batch;
    const size_t end = std::min(kMaxTrees, trees + 20'000);
    for (; trees < end; ++trees) batch.Snapshot(tree, std::to_string(trees));
    const absl::Status written = store->Write(batch);
    INFO(trees << ": " << written);
    REQUIRE(written.ok());
  }
  const absl::Status more = store->Snapshot(tree, "one more").status();
  CHECK(absl::IsResourceExhausted(more));
  CHECK(more.message().find("\"one more\": there are 1048576") != std::string::npos);
  CHECK(absl::IsResourceExhausted(store->CreateTree("one more").status()));
  REQUIRE(store->Close().ok());
  store = Open(device, false);
  CHECK(store->Trees().size() == kMaxTrees);
  REQUIRE(store->DropTree(store->FindTree("77").value()).ok());
  REQUIRE(store->Snapshot(tree, "one more").ok());
  REQUIRE(store->Close().ok());
}

}  // namespace betr::test
