// SPDX-License-Identifier: Apache-2.0
// A store that is full: every kind of change is refused cleanly; checkpoints, syncs and deletes go on; and what is
// deleted comes back, every time.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "betr/store.h"
#include "device/memory_device.h"
#include "store/borrowed_device.h"
#include "support/dag/upserts.h"
#include "support/seed.h"
#include "support/torture/verify.h"

namespace betr::test {
namespace {

struct Shape {
  Bytes device;
  Bytes node;
  size_t value;
};

enum class Kind : uint8_t { kPut, kUpsert, kClone };

class FullStore {
 public:
  FullStore(const Shape& shape, bool background) : shape_(shape), disk_(shape.device) {
    FormatOptions format;
    format.node_size = shape.node;
    format.basement_size = std::min(shape.node, KiB(4));
    format.fanout = 6;
    format.log_size = KiB(256);
    format.compression = "none";
    REQUIRE(Store::Format(disk_, format).ok());
    options_.cache_size = KiB(512);
    options_.background = background;
    options_.checkpoint_period = std::chrono::seconds(0);
    options_.settle_time = std::chrono::seconds(600);
    REQUIRE(options_.functions.Add(std::make_shared<AppendFunction>()).ok());
    Open();
    tree_ = store_->CreateTree("tree").value();
  }

  Store& store() { return *store_; }
  TreeId tree() const { return tree_; }
  MemoryDevice& disk() { return disk_; }

  void Open() {
    store_.reset();
    auto store = Store::Open(std::make_unique<store::BorrowedDevice>(disk_), options_);
    INFO(store.status());
    REQUIRE(store.ok());
    store_ = *std::move(store);
  }

  // Changes under `prefix` until there is no space; how many were accepted.
  size_t Fill(Kind kind, const std::string& prefix) {
    constexpr size_t kEnough = 1'000'000;
    for (size_t i = 0; i < kEnough; ++i) {
      const absl::Status status = Change(kind, fmt::format("{}{:06}", prefix, i), i);
      if (!status.ok()) {
        INFO(status);
        REQUIRE(absl::IsResourceExhausted(status));
        return i;
      }
    }
    FAIL("the store does not get full");
    return kEnough;
  }

  // What must work however full it is.
  void RequireLife() {
    Require(store_->Sync(), "sync");
    Require(store_->Checkpoint(), "checkpoint");
    REQUIRE_FALSE(store_->ReadOnly());
    Require(CheckOpenStore(*store_), "check");
  }

  // Closing settles: all that was deleted is free afterwards.
  Bytes FreeAfterDeleting(const std::string& prefix) {
    Require(store_->EraseRange(tree_, Range::Prefix(prefix)), "erase_range");
    Require(store_->Close(), "close");
    Require(CheckStored(disk_), "check of the image");
    Open();
    return store_->Space().free;
  }

  static void Require(const absl::Status& status, std::string_view what) {
    INFO(what << ": " << status);
    REQUIRE(status.ok());
  }

 private:
  absl::Status Change(Kind kind, const std::string& key, size_t number) {
    const std::string value(shape_.value, static_cast<char>('a' + number % 26));
    switch (kind) {
      case Kind::kPut:
        return store_->Put(tree_, key, value);
      case Kind::kUpsert:
        return store_->Upsert(tree_, key, AppendFunction::kNumber, value);
      case Kind::kClone:
        break;
    }
    const absl::Status put = store_->Put(tree_, fmt::format("{}s{:03}", key.substr(0, 1), number % 500), value);
    return put.ok() ? store_->ClonePrefix(tree_, key.substr(0, 1) + "s", tree_, "copy" + key) : put;
  }

  const Shape shape_;
  MemoryDevice disk_;
  StoreOptions options_;
  std::unique_ptr<Store> store_;
  TreeId tree_;
};

constexpr Shape kShapes[] = {{MiB(1), Bytes{512}, 100}};

void FillAndDelete(const Shape& shape, Kind kind, bool background, int cycles) {
  FullStore full(shape, background);
  Bytes free{0};
  for (int cycle = 0; cycle < cycles; ++cycle) {
    INFO("node size " << shape.node.value << ", kind " << static_cast<int>(kind) << ", cycle " << cycle);
    const size_t accepted = full.Fill(kind, "f");
    REQUIRE(accepted > 10);
    full.RequireLife();
    FullStore::Require(full.store().EraseRange(full.tree(), Range::Prefix("copy")), "erase_range of clones");
    const Bytes now = full.FreeAfterDeleting("f");
    if (cycle > 0) {
      REQUIRE(now.value + KiB(64).value >= free.value);  // the table's and catalog's pages come and go
    } else {
      free = now;
      REQUIRE(free.value > full.store().Space().total.value * 3 / 4);
    }
  }
}

}  // namespace

TEST_CASE("a full store refuses changes and takes deletes, and space comes back", "[torture][full]") {
  for (const Shape& shape : kShapes) {
    for (const Kind kind : {Kind::kPut, Kind::kUpsert, Kind::kClone}) {
      FillAndDelete(shape, kind, false, static_cast<int>(3 * TestScale()) + 1);
    }
  }
}

TEST_CASE("ten thousand times full and empty again", "[torture][full][.long]") {
  FillAndDelete({KiB(768), Bytes{512}, 1000}, Kind::kPut, false, 10'000);
}

}  // namespace betr::test
