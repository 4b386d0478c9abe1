// SPDX-License-Identifier: Apache-2.0
// Compacting a tree: in memory that is bounded, about a node at a time.
#include <catch2/catch.hpp>
#include <string>

#include "base/random.h"
#include "betr/store.h"
#include "support/must.h"
#include "support/seed.h"
#include "support/store/check_image.h"
#include "support/store/memory_store.h"

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
class Fixture : public MemoryStore {
 public:
  Fixture() : MemoryStore({.device = MiB(64), .node = KiB(16), .basement = KiB(2), .log = MiB(2), .fanout = 8}) {
    Open(Options(false));
    tree = Must(store->CreateTree("tree"));
    Random random(TestSeed());
    for (int i = 0; i < kKeys; ++i) {
      const std::string key = "key" + std::to_string(1'000'000 + random.Uniform(1'000'000));
      Must(store->Put(tree, key, std::string(kValue.value, 'x')));
    }
  }
  ~Fixture() { CHECK(store->Close().ok()); }

  void Reopen(StoreOptions options) {
    Close();
    Open(std::move(options));
  }

  TreeId tree;
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
    f.Reopen(Options(background));
    const Bytes before = f.store->Stats().bytes_eviction;
    REQUIRE(f.store->Compact(f.tree).ok());
    CHECK(f.store->Stats().cache_dirty <= kCache);
    CHECK(f.store->Stats().bytes_eviction > before);
    CHECK(KeysOf(*f.store, f.tree) == keys);
    REQUIRE(f.store->Checkpoint().ok());
    CHECK(CheckImage(f.device(), MiB(4)).value().empty());
  }
}

// Incompressible, so that new values take as much space as the old ones.
std::string Noise(Random& random) {
  std::string value(1000, '\0');
  for (char& c : value) c = static_cast<char>(random.Uniform(256));
  return value;
}

TEST_CASE("a store that is nearly full is compacted in the space that is left", "[store]") {
  MemoryStore fixture({.device = MiB(16), .node = KiB(16), .basement = KiB(2), .log = MiB(1)});
  fixture.Open(Options(false));
  Store& store = *fixture.store;
  const TreeId tree = Must(store.CreateTree("tree"));
  Random random(TestSeed());
  const auto key = [](int i) { return "key" + std::to_string(100'000 + i); };
  int keys = 0;
  while (store.Space().free * 100 > store.Space().total * 18) {
    for (const int end = keys + 100; keys < end; ++keys) Must(store.Put(tree, key(keys), Noise(random)));
    Must(store.Checkpoint());
  }
  Must(store.Compact(tree));
  // So that messages wait all over it, and every leaf will be written again.
  for (int i = 0; i < keys; i += 10) Must(store.Put(tree, key(i), "new"));
  Must(store.Checkpoint());
  CHECK(store.Space().free * 100 < store.Space().total * 25);
  CHECK(store.Compact(tree).ok());
  fixture.CheckSound();
}

TEST_CASE("what cannot be compacted is said", "[store]") {
  Fixture f;
  const TreeId snapshot = *f.store->Snapshot(f.tree, "then");
  CHECK(absl::IsInvalidArgument(f.store->Compact(snapshot)));
  CHECK(absl::IsNotFound(f.store->Compact(TreeId{4711})));
  StoreOptions options = Options(false);
  options.read_only = true;
  f.Reopen(options);
  CHECK(absl::IsFailedPrecondition(f.store->Compact(f.tree)));
}

}  // namespace
}  // namespace betr::test
