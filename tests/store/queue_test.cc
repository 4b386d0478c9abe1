// SPDX-License-Identifier: Apache-2.0
// A queue of single keys, much larger than the cache, keeps to its size.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>

#include "betr/store.h"
#include "support/must.h"
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
      if (round > 0) {
        Must(fixture.store->Erase(tree, key(i - kWindow)));
      }
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

}  // namespace betr::test
