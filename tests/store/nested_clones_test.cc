// SPDX-License-Identifier: Apache-2.0
// Clones of everything that a tree holds, earlier clones included: each puts a level above the root, and nobody lowers
// the tree while they are replayed.
#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <string>

#include "betr/store.h"
#include "device/memory_device.h"
#include "store/borrowed_device.h"
#include "support/store/check_image.h"

namespace betr::test {
namespace {

constexpr int kClones = 250;

absl::StatusOr<std::unique_ptr<Store>> Open(BlockDevice& device, bool read_only = false) {
  StoreOptions options;
  options.background = false;
  options.checkpoint_period = std::chrono::seconds(0);
  options.read_only = read_only;
  return Store::Open(std::make_unique<store::BorrowedDevice>(device), options);
}

TEST_CASE("any number of clones of everything can be replayed", "[store][crash][long]") {
  MemoryDevice memory(MiB(128));
  FormatOptions format;
  format.node_size = KiB(4);
  format.basement_size = Bytes{512};
  format.fanout = 8;
  format.log_size = MiB(8);
  REQUIRE(Store::Format(memory, format).ok());
  const auto store = *Open(memory);
  const TreeId tree = *store->CreateTree("tree");
  // More than is copied key by key.
  for (int i = 0; i < 30; ++i) REQUIRE(store->Put(tree, "key" + std::to_string(i), std::string(500, 'x')).ok());
  std::string deepest = "key7";
  for (int i = 0; i < kClones; ++i) {
    const std::string name = std::to_string(i) + "/";
    INFO("clone " << i);
    const absl::Status cloned = store->ClonePrefix(tree, "", tree, name);
    INFO(cloned);
    REQUIRE(cloned.ok());
    deepest = name + deepest;
  }
  REQUIRE(store->Sync().ok());
  for (const bool read_only : {true, false}) {
    MemoryDevice crashed(memory.Size(), memory.Pages());
    const auto again = Open(crashed, read_only);
    INFO(again.status());
    REQUIRE(again.ok());
    CHECK((*again)->Get(tree, deepest).value().has_value());
    CHECK((*again)->Close().ok());
    if (!read_only) CHECK(CheckImage(crashed, MiB(4)).value().empty());
  }
}

}  // namespace
}  // namespace betr::test
