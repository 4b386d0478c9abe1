// SPDX-License-Identifier: Apache-2.0
// Both copies of the catalog are lost, and an older one has very many trees.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "layout/superblock_slots.h"
#include "store/offline/repair_image.h"
#include "support/damage/subject.h"
#include "support/must.h"
#include "support/store/check_image.h"

namespace betr::test {
namespace {

constexpr Bytes kCache = MiB(64);
constexpr int kSnapshots = 100'000;
constexpr int kPerBatch = 10'000;

TEST_CASE("a catalog of very many trees is made anew of an older one", "[damage][repair]") {
  MemoryDevice device(MiB(256));
  FormatOptions format;
  format.log_size = MiB(16);
  Must(Store::Format(device, format));
  {
    const std::unique_ptr<Store> store = Must(OpenSubject(device, false));
    const TreeId tree = Must(store->CreateTree("main"));
    Must(store->Put(tree, "key", "value"));
    for (int i = 0; i < kSnapshots; i += kPerBatch) {
      WriteBatch batch;
      for (int k = i; k < i + kPerBatch; ++k) batch.Snapshot(tree, fmt::format("s{}", k));
      Must(store->Write(batch));
    }
    Must(store->Checkpoint());
    Must(store->DropTree(Must(store->FindTree("s77"))));
    Must(store->Close());
  }
  for (const layout::ExtentAddress& copy : Must(layout::ReadNewest(device)).superblock.catalog.copies) {
    Must(device.Write(copy.Offset(), std::string(layout::kUnit.value, '\0')));
  }
  CHECK(Must(store::RepairImage(device, kCache, store::RepairDepth::kAll, Must(CheckImage(device, kCache)),
                                [](std::string_view) {}))
            .left.empty());
  const std::unique_ptr<Store> store = Must(OpenSubject(device, true));
  CHECK(Must(store->Get(Must(store->FindTree("main")), "key")) == "value");
}

}  // namespace
}  // namespace betr::test
