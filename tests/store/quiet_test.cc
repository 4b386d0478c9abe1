// SPDX-License-Identifier: Apache-2.0
// What was erased is given back while nobody writes, without a checkpoint that anyone asks for.
#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <thread>

#include "betr/store.h"
#include "support/must.h"
#include "support/store/memory_store.h"

namespace betr::test {
namespace {

TEST_CASE("the space of what was erased comes back while nobody writes", "[store]") {
  MemoryStore fixture({.device = MiB(64), .node = KiB(64), .basement = KiB(4), .log = MiB(4)});
  StoreOptions options;
  options.checkpoint_period = std::chrono::hours(1);
  fixture.Open(std::move(options));
  Store& store = *fixture.store;
  const TreeId tree = Must(store.CreateTree("tree", "none"));
  Must(store.Checkpoint());
  const Bytes empty = store.Space().free;
  for (int i = 0; i < 800; ++i) {
    Must(store.Put(tree, (i % 2 == 0 ? "a" : "b") + std::to_string(i),
                   std::string(KiB(16).value, static_cast<char>(i))));
  }
  Must(store.Checkpoint());
  REQUIRE(store.Space().free + MiB(4) < empty);
  Must(store.EraseRange(tree, Range::Prefix("a")));
  Must(store.EraseRange(tree, Range::Prefix("b")));
  Must(store.Sync());
  const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (store.Space().free + MiB(1) < empty && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  CHECK(store.Space().free + MiB(1) >= empty);
  fixture.CheckSound();
}

}  // namespace
}  // namespace betr::test
