// SPDX-License-Identifier: Apache-2.0
// A directory that is written to and cloned all the time, with the last clones kept: what they take is what differs,
// some times over, and not a copy of everything for each.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <iostream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "base/random.h"
#include "betr/store.h"
#include "support/must.h"
#include "support/seed.h"
#include "support/store/memory_store.h"

namespace betr::test {
namespace {

constexpr size_t kValue = 100;

struct Rotation {
  Bytes node_size;
  uint64_t keys;     // of the directory
  int kept;          // clones
  uint64_t changes;  // between two clones
  int rounds;
  int measured;     // after so many rounds, and so on
  uint64_t times;   // what differs, at most
  bool background;  // without, all comes in the same order each time
};

std::string Key(uint64_t number) { return fmt::format("{:08}", number); }

Bytes UsedBy(Store& store) {
  Must(store.Checkpoint());
  Must(store.Checkpoint());  // gives back what was in use before the first one
  const SpaceStats space = store.Space();
  return space.total - space.free;
}

// Keep the processors busy.
class Hogs {
 public:
  Hogs() : threads_(size_t{2} * std::thread::hardware_concurrency()) {
    for (std::thread& thread : threads_) {
      thread = std::thread([this] {
        while (!done_) {
        }
      });
    }
  }
  ~Hogs() {
    done_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  Hogs(const Hogs&) = delete;
  Hogs& operator=(const Hogs&) = delete;

 private:
  std::atomic<bool> done_ = false;
  std::vector<std::thread> threads_;
};

// Requires that the clones, after some, hold what was there when they were made, and take at most `times` what differs.
void RequireLittleSpace(const Rotation& rotation) {
  const auto& [node_size, keys, kept, changes, rounds, measured, times, background] = rotation;
  INFO("nodes of " << node_size.value << " bytes, " << kept << " clones, seed " << TestSeed());
  StoreOptions options;
  options.background = background;
  options.cache_size = std::max(MiB(16), node_size * 16);
  MemoryStore fixture({GiB(4), node_size, KiB(64), MiB(16)});
  fixture.Open(options);
  Store& store = *fixture.store;
  const TreeId tree = Must(store.CreateTree("tree"));
  Random random(TestSeed());
  std::map<std::string, std::string> live;
  std::map<int, std::map<std::string, std::string>> clones;
  const auto put = [&](uint64_t number) {
    std::string value;
    for (size_t i = 0; i < kValue; ++i) value += static_cast<char>(random.Uniform(256));
    Must(store.Put(tree, "live/" + Key(number), value));
    live[Key(number)] = value;
  };
  for (uint64_t i = 0; i < keys; ++i) put(i);
  Bytes most{0};
  for (int round = 0; round < rounds; ++round) {
    for (uint64_t i = 0; i < changes; ++i) put(random.Uniform(keys));
    Must(store.ClonePrefix(tree, "live/", tree, fmt::format("v{:06}/", round)));
    if (round + kept >= rounds && round % 10 == 0) clones[round] = live;
    if (round >= kept) Must(store.EraseRange(tree, Range::Prefix(fmt::format("v{:06}/", round - kept))));
    if (round % measured == measured - 1) most = std::max(most, UsedBy(store));
  }
  const Bytes differs = Bytes{kValue + Key(0).size()} * (keys + static_cast<uint64_t>(kept) * changes);
  std::cout << kept << " clones of " << keys << " keys after " << rounds << " rounds: " << most.value / 1024
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

// A tree in nodes so small that what is left over is many of them.
struct SmallNodes : MemoryStore {
  SmallNodes() : MemoryStore({GiB(4), KiB(16), KiB(16), MiB(16)}) {
    StoreOptions options;
    options.cache_size = MiB(16);
    Open(options);
    tree = Must(store->CreateTree("tree"));
  }
  TreeId tree{0};
};

}  // namespace

TEST_CASE("clones that rotate take some times what differs, however many there were", "[store][clone]") {
  RequireLittleSpace({.node_size = KiB(256),
                      .keys = 4'000,
                      .kept = 100,
                      .changes = 10,
                      .rounds = 400,
                      .measured = 50,
                      .times = 48,
                      .background = false});
}

TEST_CASE("so do they beside other work that leaves the store's threads little time", "[store][clone][.long]") {
  const Hogs hogs;
  RequireLittleSpace({.node_size = MiB(4),
                      .keys = 50'000,
                      .kept = 100,
                      .changes = 50,
                      .rounds = 1'500,
                      .measured = 300,
                      .times = 50,
                      .background = true});
}

TEST_CASE("snapshots that rotate leave no more dead than nodes are made, however much is pressing",
          "[store][snapshot]") {
  constexpr uint64_t kKeys = 5'000;
  constexpr uint64_t kChanges = kKeys / 10;
  constexpr int kKept = 5;
  SmallNodes fixture;
  Store& store = *fixture.store;
  const TreeId tree = fixture.tree;
  Random random(TestSeed());
  uint64_t most = 0;
  for (int round = 0; round < 100; ++round) {
    for (uint64_t i = 0; i < kChanges; ++i) Must(store.Put(tree, Key(random.Uniform(kKeys)), random.String(1000)));
    Must(store.Snapshot(tree, fmt::format("{}", round)).status());
    if (round >= kKept) Must(store.DropTree(Must(store.FindTree(fmt::format("{}", round - kKept)))));
    most = std::max(most, store.Space().nodes);
  }
  fixture.CheckSound();
  std::cout << kKept << " snapshots of " << kKeys << " keys: " << most << " nodes at most\n";
  CHECK(most <= 4'000);
}

TEST_CASE("clones of the clone before, with the last ones kept, share what was not changed", "[store][clone]") {
  constexpr uint64_t kKeys = 5'000;
  constexpr uint64_t kChanges = kKeys / 100;
  constexpr int kKept = 8;
  SmallNodes fixture;
  Store& store = *fixture.store;
  const TreeId tree = fixture.tree;
  const auto generation = [](int number) { return fmt::format("g{:06}/", number); };
  Random random(TestSeed());
  for (uint64_t i = 0; i < kKeys; ++i) Must(store.Put(tree, generation(0) + Key(i), random.String(1000)));
  uint64_t most = 0;
  for (int round = 1; round < 400; ++round) {
    Must(store.ClonePrefix(tree, generation(round - 1), tree, generation(round)));
    for (uint64_t i = 0; i < kChanges; ++i) {
      const std::string key = generation(round) + Key(random.Uniform(kKeys));
      Must(random.OneIn(4) ? store.Erase(tree, key) : store.Put(tree, key, random.String(1000)));
    }
    if (round > kKept) Must(store.EraseRange(tree, Range::Prefix(generation(round - kKept - 1))));
    most = std::max(most, store.Space().nodes);
  }
  fixture.CheckSound();
  std::cout << kKept << " clones, each of the one before, of " << kKeys << " keys: " << most << " nodes at most\n";
  CHECK(most <= 1'500);
}

}  // namespace betr::test
