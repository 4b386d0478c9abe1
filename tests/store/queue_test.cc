// SPDX-License-Identifier: Apache-2.0
// Queues of single keys, and what is erased in any order, much larger than the cache, keep to their size.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "betr/store.h"
#include "support/must.h"
#include "support/seed.h"
#include "support/store/memory_store.h"

namespace betr::test {

TEST_CASE("a queue takes space for what is in it, also through restarts", "[store]") {
  constexpr int kWindow = 8'000;
  const bool restarts = GENERATE(false, true);
  MemoryStore fixture({.device = MiB(64), .node = KiB(16), .basement = KiB(1), .log = MiB(4)});
  StoreOptions options;
  options.cache_size = KiB(256);
  options.background = false;
  fixture.Open(options);
  const TreeId tree = Must(fixture.store->CreateTree("queue", "none"));
  const auto key = [](int number) { return fmt::format("{:08}", number); };
  const auto used = [&] {
    Must(fixture.store->Checkpoint());
    Must(fixture.store->Checkpoint());
    const SpaceStats space = fixture.store->Space();
    return space.total - space.free;
  };
  Bytes first{0};
  for (int round = 0; round < 8; ++round) {
    for (int i = round * kWindow; i < (round + 1) * kWindow; ++i) {
      Must(fixture.store->Put(tree, key(i), std::string(100, 'v')));
      if (round > 0) Must(fixture.store->Erase(tree, key(i - kWindow)));
    }
    first = round == 0 ? used() : first;
    if (restarts) {
      fixture.Close();
      fixture.Open(options);
    }
  }
  INFO("restarts: " << restarts << ", " << first.value << " bytes with one window");
  CHECK(used() < first * 2);
  fixture.CheckSound();
}

TEST_CASE("what of values much larger than erases is erased in any order gives its space back", "[store]") {
  constexpr size_t kWindow = 1'000;
  const bool restarts = GENERATE(false, true);
  const bool background = GENERATE(false, true);
  MemoryStore fixture({.device = MiB(128), .node = KiB(64), .basement = KiB(16), .log = MiB(4)});
  StoreOptions options;
  options.cache_size = MiB(1);
  options.background = background;
  fixture.Open(options);
  const TreeId tree = Must(fixture.store->CreateTree("cache", "none"));
  Random random(TestSeed());
  std::vector<int> held;
  for (int i = 0; i < 20'000; ++i) {
    Must(fixture.store->Put(tree, fmt::format("{:08}", i), std::string(3'000, 'v')));
    held.push_back(i);
    if (held.size() > kWindow) {
      std::swap(held[random.Uniform(held.size())], held.back());
      Must(fixture.store->Erase(tree, fmt::format("{:08}", held.back())));
      held.pop_back();
    }
    if (restarts && i % 2'500 == 0) {
      fixture.Close();
      fixture.Open(options);
    }
  }
  Must(fixture.store->Checkpoint());
  Must(fixture.store->Checkpoint());
  const SpaceStats space = fixture.store->Space();
  INFO("restarts: " << restarts << ", threads: " << background << ", " << kWindow * 3'000 << " bytes are left");
  CHECK(space.total - space.free < Bytes{kWindow * 3'000 * 3});
  fixture.CheckSound();
}

}  // namespace betr::test
