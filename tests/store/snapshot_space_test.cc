// SPDX-License-Identifier: Apache-2.0
// What snapshots cost of which each has little that the one before had not: little, however much waits in the root.
#include <catch2/catch.hpp>
#include <iostream>
#include <string>

#include "base/random.h"
#include "betr/store.h"
#include "support/must.h"
#include "support/seed.h"
#include "support/store/memory_store.h"

namespace betr::test {
namespace {

constexpr Bytes kNode = MiB(1);

void PutRandom(Store& store, TreeId tree, Random& random, Bytes value) {
  const std::string content(value.value, static_cast<char>('a' + random.Uniform(26)));
  Must(store.Put(tree, std::to_string(100'000 + random.Uniform(100'000)), content));
}

TEST_CASE("a snapshot after a small change costs little", "[store]") {
  constexpr int kSnapshots = 40;
  for (const bool background : {false, true}) {
    INFO((background ? "threads, seed " : "no threads, seed ") << TestSeed());
    Random random(TestSeed());
    MemoryStore fixture({.device = MiB(256), .node = kNode, .basement = KiB(16), .log = MiB(4)});
    StoreOptions options;
    options.background = background;
    fixture.Open(std::move(options));
    Store& store = *fixture.store;
    const TreeId tree = Must(store.CreateTree("tree", "none"));
    for (int i = 0; i < 3'500; ++i) PutRandom(store, tree, random, KiB(1));
    Must(store.Snapshot(tree, "first"));
    PutRandom(store, tree, random, Bytes{100});
    Must(store.Checkpoint());
    const Bytes before = store.Space().free;
    for (int i = 0; i < kSnapshots; ++i) {
      Must(store.Snapshot(tree, std::to_string(i)));
      PutRandom(store, tree, random, Bytes{100});
      Must(store.Checkpoint());
    }
    const Bytes each = (before - store.Space().free) / kSnapshots;
    std::cout << (background ? "threads, " : "no threads, ") << each.value << " bytes a snapshot\n";
    CHECK(each <= kNode / 16);
    fixture.CheckSound();
  }
}

}  // namespace
}  // namespace betr::test
