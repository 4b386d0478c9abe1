// SPDX-License-Identifier: Apache-2.0
// A salvage makes trees, and the log that is replayed after it makes others: they do not get into each other's way.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "store/offline/repair_image.h"
#include "support/damage/bench.h"
#include "support/must.h"
#include "support/store/check_image.h"

namespace betr::test {
namespace {

constexpr Bytes kCache = MiB(4);

uint64_t CountKeys(const Store& store, TreeId tree) {
  uint64_t count = 0;
  const std::unique_ptr<Cursor> cursor = Must(store.NewCursor(tree));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) ++count;
  Must(cursor->status());
  return count;
}

TEST_CASE("trees that the log makes are not those that a salvage has found", "[damage][repair]") {
  Subject subject = ClosedStore();
  {
    MemoryDevice device(subject.size, subject.image);
    const std::unique_ptr<Store> store = Must(OpenSubject(device, false));
    for (int i = 0; i < 10; ++i) {
      const TreeId late = Must(store->CreateTree(fmt::format("late {}", i)));
      Must(store->Put(late, "key", "value"));
    }
    Must(store->Sync());
    subject.image = device.Pages();  // and a crash
  }
  Bench bench(subject);
  bench.Zero(bench.HeaderOf(bench.NodeOf("main", 1)));
  const store::ImageRepair repair = Must(store::RepairImage(bench.device(), kCache, store::RepairDepth::kAll,
                                                            Must(CheckImage(bench.device(), kCache)), [](auto) {}));
  CHECK(repair.left.empty());
  REQUIRE_FALSE(repair.salvaged.lost_trees.empty());
  CHECK(Must(store::MendReplay(bench.device(), SubjectOptions(true))).cut.frames == 0);
  const std::unique_ptr<Store> store = Must(OpenSubject(bench.device(), false));
  for (const std::string& name : repair.salvaged.lost_trees) {
    INFO(name);
    CHECK(CountKeys(*store, Must(store->FindTree(name))) > 0);
  }
  for (int i = 0; i < 10; ++i) {
    CHECK(Must(store->Get(Must(store->FindTree(fmt::format("late {}", i))), "key")) == "value");
  }
  Must(store->Close());
  CHECK(Must(CheckImage(bench.device(), kCache)).empty());
}

}  // namespace
}  // namespace betr::test
