// SPDX-License-Identifier: Apache-2.0
// What was erased is given back while nobody writes, without a checkpoint that anyone asks for.
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "base/random.h"
#include "betr/store.h"
#include "support/must.h"
#include "support/seed.h"
#include "support/store/memory_store.h"

namespace betr::test {
namespace {

constexpr Bytes kValue = KiB(16);

std::string KeyOf(int i) { return (i % 2 == 0 ? "a" : "b") + std::to_string(i); }

void ComesBack(const std::function<void(Store&, TreeId, int)>& erase_all) {
  MemoryStore fixture({.device = MiB(32), .node = KiB(64), .basement = KiB(4), .log = MiB(4)});
  StoreOptions options;
  options.checkpoint_period = std::chrono::hours(1);
  fixture.Open(std::move(options));
  Store& store = *fixture.store;
  const TreeId tree = Must(store.CreateTree("tree", "none"));
  Must(store.Checkpoint());
  const Bytes empty = store.Space().free;
  Random random{TestSeed()};
  int keys = 0;
  for (; store.Space().available > MiB(1); ++keys) Must(store.Put(tree, KeyOf(keys), random.String(kValue.value)));
  Must(store.Checkpoint());
  REQUIRE(store.Space().free < store.Space().total / 4);
  erase_all(store, tree, keys);
  Must(store.Sync());
  const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (store.Space().free + MiB(1) < empty && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  CHECK(store.Space().free + MiB(1) >= empty);
  fixture.CheckSound();
}

TEST_CASE("the space of what was erased comes back while nobody writes", "[store]") {
  ComesBack([](Store& store, TreeId tree, int) {
    Must(store.EraseRange(tree, Range::Prefix("a")));
    Must(store.EraseRange(tree, Range::Prefix("b")));
  });
}

TEST_CASE("the space of keys that were erased one by one comes back, too, if it is short", "[store]") {
  ComesBack([](Store& store, TreeId tree, int keys) {
    for (int i = 0; i < keys; ++i) Must(store.Erase(tree, KeyOf(i)));
  });
}

}  // namespace
}  // namespace betr::test
