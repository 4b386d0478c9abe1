// SPDX-License-Identifier: Apache-2.0
// A full store that finds no space for what it would do: its threads rest, and without threads the work does.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/random.h"
#include "support/seed.h"
#include "support/store/memory_store.h"

namespace betr::test {

TEST_CASE("threads that find no space for their work do not try again all the time", "[store]") {
  MemoryStore fixture({.device = MiB(16), .node = KiB(4), .basement = KiB(1), .log = MiB(1)});
  StoreOptions options;
  options.cache_size = MiB(32);
  fixture.Open(options);
  Store& store = *fixture.store;
  const TreeId tree = Must(store.CreateTree("t"));
  Random random(1);
  std::vector<std::string> keys;
  absl::Status status;
  while (status.ok()) {
    keys.push_back(fmt::format("{:016x}", random.Next()));
    status = store.Put(tree, keys.back(), random.String(200));
  }
  REQUIRE(absl::IsResourceExhausted(status));
  const auto view = store.Pin();  // what it shows takes space that erases need
  status = absl::OkStatus();
  for (size_t i = 0; i < keys.size() && status.ok(); ++i) status = store.Erase(tree, keys[i]);
  REQUIRE(absl::IsResourceExhausted(status));
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  const uint64_t before = store.Stats().nodes_swept;
  std::this_thread::sleep_for(std::chrono::seconds(2));
  CHECK(store.Stats().nodes_swept - before <= 4 * store.Space().nodes);
}

TEST_CASE("without threads, work for which there is no space does not keep each erase waiting", "[store]") {
  MemoryStore fixture({.device = MiB(16), .node = KiB(8), .basement = KiB(1), .log = MiB(4)});
  StoreOptions options;
  options.cache_size = MiB(16);
  options.background = false;
  fixture.Open(options);
  Store& store = *fixture.store;
  const TreeId tree = Must(store.CreateTree("t"));
  Random random(1);
  const std::string same = random.String(200);  // leaves compress so well that erases free no unit of them for long
  std::vector<std::string> keys;
  for (int refused = 0; refused < 3;) {
    keys.push_back(fmt::format("{:016x}", random.Next()));
    refused += store.Put(tree, keys.back(), same).ok() ? 0 : 1;
  }
  random.Shuffle(std::span(keys));
  constexpr size_t kErases = 200;
  REQUIRE(keys.size() > 2 * kErases);
  const StoreStats before = store.Stats();
  for (size_t i = 0; i < kErases; ++i) Must(store.Erase(tree, keys[i]));
  const StoreStats after = store.Stats();
  CHECK(after.checkpoints - before.checkpoints <= kErases / 10);
  CHECK(after.nodes_swept - before.nodes_swept <= kErases * 20);
  fixture.CheckSound();
}

TEST_CASE("a full store opens after a crash that has left it erases of several trees to replay", "[store]") {
  MemoryStore fixture({.device = MiB(16), .node = KiB(8), .basement = KiB(1), .log = MiB(4)});
  StoreOptions options;
  options.cache_size = KiB(128);
  options.background = false;
  fixture.Open(options);
  const TreeId trees[] = {Must(fixture.store->CreateTree("t")), Must(fixture.store->CreateTree("u"))};
  Random random(TestSeed());
  const std::string same = random.String(200);
  std::vector<std::pair<TreeId, std::string>> keys;
  for (int refused = 0; refused < 3;) {
    keys.emplace_back(trees[random.Uniform(2)], fmt::format("{:016x}", random.Next()));
    refused += fixture.store->Put(keys.back().first, keys.back().second, same).ok() ? 0 : 1;
  }
  random.Shuffle(std::span(keys));
  constexpr size_t kRounds = 36;
  constexpr size_t kErases = 200;
  REQUIRE(keys.size() > kRounds * kErases);
  for (size_t round = 0; round < kRounds; ++round) {
    for (size_t i = round * kErases; i < (round + 1) * kErases; ++i) {
      Must(fixture.store->Erase(keys[i].first, keys[i].second));
    }
    Must(fixture.store->Sync());
    fixture.Open(options);
    const auto& [tree, key] = keys[(round + 1) * kErases - 1];
    CHECK(!Must(fixture.store->Get(tree, key)));
  }
  fixture.CheckSound();
}

}  // namespace betr::test
