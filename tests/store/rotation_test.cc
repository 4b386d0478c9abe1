// SPDX-License-Identifier: Apache-2.0
// A directory that is written to and cloned all the time, with the last clones kept: what they take is what differs,
// some times over, and not a copy of everything for each.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <iostream>
#include <map>
#include <string>

#include "base/random.h"
#include "betr/store.h"
#include "support/must.h"
#include "support/seed.h"
#include "support/store/memory_store.h"

namespace betr::test {
namespace {

constexpr uint64_t kKeys = 4'000;
constexpr size_t kValue = 100;

std::string Key(uint64_t number) { return fmt::format("{:08}", number); }

Bytes UsedBy(Store& store) {
  Must(store.Checkpoint());
  Must(store.Checkpoint());  // gives back what was in use before the first one
  const SpaceStats space = store.Space();
  return space.total - space.free;
}

// Requires that the clones, after some, hold what was there when they were made, and take at most `times` what differs.
void RequireLittleSpace(Bytes node_size, int kept, uint64_t changes, int rounds, uint64_t times) {
  INFO("nodes of " << node_size.value << " bytes, " << kept << " clones, seed " << TestSeed());
  StoreOptions options;
  options.background = false;  // so that all comes in the same order each time
  options.cache_size = MiB(16);
  MemoryStore fixture({MiB(512), node_size, KiB(64), MiB(16)});
  fixture.Open(options);
  Store& store = *fixture.store;
  const TreeId tree = Must(store.CreateTree("tree"));
  Random random(TestSeed());
  std::map<std::string, std::string> live;
  std::map<int, std::map<std::string, std::string>> clones;
  const auto put = [&](uint64_t number) {
    std::string value;
    for (size_t i = 0; i < kValue; ++i) {
      value += static_cast<char>(random.Uniform(256));
    }
    Must(store.Put(tree, "live/" + Key(number), value));
    live[Key(number)] = value;
  };
  for (uint64_t i = 0; i < kKeys; ++i) {
    put(i);
  }
  Bytes most{0};
  for (int round = 0; round < rounds; ++round) {
    for (uint64_t i = 0; i < changes; ++i) {
      put(random.Uniform(kKeys));
    }
    Must(store.ClonePrefix(tree, "live/", tree, fmt::format("v{:06}/", round)));
    if (round + kept >= rounds && round % 10 == 0) {
      clones[round] = live;
    }
    if (round >= kept) {
      Must(store.EraseRange(tree, Range::Prefix(fmt::format("v{:06}/", round - kept))));
    }
    if (round % 50 == 49) {
      most = std::max(most, UsedBy(store));
    }
  }
  const Bytes differs = Bytes{kValue + Key(0).size()} * (kKeys + static_cast<uint64_t>(kept) * changes);
  std::cout << kept << " clones of " << kKeys << " keys after " << rounds << " rounds: " << most.value / 1024
            << " KiB at most, where " << differs.value / 1024 << " KiB differ\n";
  CHECK(most <= differs * times);
  for (const auto& [round, expected] : clones) {
    const std::string prefix = fmt::format("v{:06}/", round);
    const auto cursor = Must(store.NewCursor(tree));
    cursor->Seek(Bound::At(prefix));
    for (const auto& [key, value] : expected) {
      REQUIRE(cursor->Valid());
      REQUIRE(cursor->Key() == prefix + key);
      REQUIRE(cursor->Value() == value);
      cursor->Next();
    }
  }
  fixture.CheckSound();
}

}  // namespace

TEST_CASE("clones that rotate take some times what differs, however many there were", "[store][clone]") {
  RequireLittleSpace(KiB(256), 100, 10, 400, 48);
}

}  // namespace betr::test
