// SPDX-License-Identifier: Apache-2.0
// A full store whose threads find no space for what they would do: they rest.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "base/random.h"
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

}  // namespace betr::test
