// SPDX-License-Identifier: Apache-2.0
// More changes than the background has time for, and more trees than have anything in front of them.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "base/random.h"
#include "betr/store.h"
#include "device/memory_device.h"
#include "store/borrowed_device.h"
#include "store/impl.h"
#include "support/seed.h"
#include "support/store/check_image.h"

namespace betr::test {
namespace {

std::unique_ptr<Store> OpenNew(MemoryDevice& device, Bytes node_size) {
  FormatOptions format;
  format.node_size = node_size;
  format.basement_size = KiB(4);
  format.log_size = MiB(8);
  format.compression = "none";
  REQUIRE(Store::Format(device, format).ok());
  StoreOptions options;
  options.cache_size = MiB(64);
  options.checkpoint_period = std::chrono::seconds(0);
  auto store = Store::Open(std::make_unique<store::BorrowedDevice>(device), options);
  INFO(store.status());
  REQUIRE(store.ok());
  return *std::move(store);
}

dag::Height HeightOf(Store& store, TreeId tree) {
  const store::StatePtr state = store.impl().fronts().state();
  return state->table.Find(state->trees.Find(tree)->root)->height;
}

}  // namespace

TEST_CASE("who clones and renames without a pause does what would lower the tree", "[store]") {
  MemoryDevice device(MiB(256));
  const auto store = OpenNew(device, KiB(16));
  const TreeId tree = store->CreateTree("t").value();
  Random random(TestSeed());
  const auto directory = [&](char kind, uint64_t below) {
    return fmt::format("{}{:03}/", kind, random.Uniform(below));
  };
  for (int i = 0; i < 10'000; ++i) {
    REQUIRE(store->Put(tree, fmt::format("d{:03}/{:06}", i % 100, i), std::string(100, 'v')).ok());
  }
  dag::Height tallest = 0;
  for (int i = 0; i < 6'000; ++i) {
    INFO("change " << i);
    const absl::Status changed =
        random.OneIn(3) ? store->ClonePrefix(tree, directory('d', 100), tree, directory('c', 50))
        : random.OneIn(2)
            ? store->RenamePrefix(tree, directory('c', 50), tree, directory('m', 50))
            : store->Put(tree, directory('d', 100) + std::to_string(random.Uniform(10'000)), std::string(100, 'w'));
    INFO(changed);
    REQUIRE(changed.ok());
    tallest = std::max(tallest, HeightOf(*store, tree));
  }
  CHECK(tallest < 40);
  REQUIRE(store->Close().ok());
  REQUIRE(CheckImage(device, MiB(16)).value().empty());
}

TEST_CASE("trees with nothing in front of them need no space for it", "[store]") {
  MemoryDevice device(MiB(64));
  const auto store = OpenNew(device, KiB(64));
  absl::Status end;
  int trees = 0;
  for (; end.ok(); ++trees) {
    const auto tree = store->CreateTree(fmt::format("{:05}", trees));
    end = tree.status();
    for (int i = 0; end.ok() && i < 50; ++i) end = store->Put(*tree, std::to_string(i), std::string(1000, 'v'));
    if (end.ok() && trees % 50 == 49) end = store->Checkpoint();
  }
  const SpaceStats space = store->Space();
  INFO(trees << " trees: " << end << "; " << space.free.value << " of " << space.total.value << " bytes free");
  REQUIRE(absl::IsResourceExhausted(end));
  CHECK(space.free < space.total / 3);
  REQUIRE(store->Close().ok());
}

}  // namespace betr::test
