// SPDX-License-Identifier: Apache-2.0
// Sizes in options that are larger than any machine is.
#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>

#include "store/core.h"
#include "store/impl.h"
#include "support/store/memory_store.h"

namespace betr::test {

TEST_CASE("a cache of any size has room for what is dirty", "[store]") {
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  for (const uint64_t size : {kMost, kMost / 2 + 1, kMost / 3 + 1, kMost / 4 + 1}) {
    MemoryStore fixture({.device = MiB(64), .node = KiB(4), .basement = KiB(1), .log = MiB(4)});
    StoreOptions options;
    options.background = false;
    options.cache_size = Bytes{size};
    fixture.Open(options);
    const store::Core& core = fixture.store->impl().core();
    INFO(size);
    CHECK(core.DirtySoftLimit().value >= size / 2 - 1);
    CHECK(core.DirtyHardLimit() > core.DirtySoftLimit());
  }
}

}  // namespace betr::test
