// SPDX-License-Identifier: Apache-2.0
// Upserts of functions that this program does not know: never written, never applied wrongly, never lost.
#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "betr/store.h"
#include "device/memory_device.h"
#include "layout/superblock_slots.h"
#include "store/borrowed_device.h"
#include "store/impl.h"
#include "store/offline/repair_image.h"
#include "support/dag/prepend_function.h"
#include "support/dag/upserts.h"
#include "support/must.h"
#include "support/store/check_image.h"

namespace betr::test {
namespace {

constexpr uint16_t kAppend = AppendFunction::kNumber;

StoreOptions Without() {
  StoreOptions options;
  options.cache_size = MiB(8);
  options.background = false;
  options.checkpoint_period = std::chrono::seconds(0);
  return options;
}

StoreOptions With() {
  StoreOptions options = Without();
  REQUIRE(options.functions.Add(std::make_shared<AppendFunction>()).ok());
  return options;
}

StoreOptions ReadOnly(StoreOptions options) {
  options.read_only = true;
  return options;
}

class Image {
 public:
  Image() : device_(MiB(64)) {
    FormatOptions format;
    format.node_size = KiB(4);
    format.basement_size = Bytes{512};
    format.fanout = 8;
    format.log_size = MiB(1);
    Must(Store::Format(device_, format));
    Session(With(), [&](Store& store) { tree = Must(store.CreateTree("tree")); });
  }

  absl::StatusOr<std::unique_ptr<Store>> Open(StoreOptions options) {
    return Store::Open(std::make_unique<store::BorrowedDevice>(device_), std::move(options));
  }
  // Ends with a checkpoint, or as a crash after the last sync leaves it.
  void Session(StoreOptions options, const std::function<void(Store&)>& act) {
    const auto store = Must(Open(std::move(options)));
    act(*store);
    Must(store->Close());
  }
  void Crash(StoreOptions options, const std::function<void(Store&)>& act) {
    const auto store = Must(Open(std::move(options)));
    act(*store);
    Must(store->Sync());
  }
  std::string Refusal(StoreOptions options) {
    const absl::Status status = Open(std::move(options)).status();
    CHECK(absl::IsFailedPrecondition(status));
    return std::string(status.message());
  }
  MemoryDevice& device() { return device_; }

  TreeId tree;

 private:
  MemoryDevice device_;
};

std::string Get(Store& store, TreeId tree, std::string_view key) {
  return Must(store.Get(tree, key)).value_or("(nothing)");
}

void CheckRefused(const absl::Status& status, std::string_view key, uint16_t function) {
  CHECK(absl::IsFailedPrecondition(status));
  CHECK_THAT(std::string(status.message()), Catch::Contains("\"" + std::string(key) + "\"") &&
                                                Catch::Contains("function " + std::to_string(function)));
}

// "a" and "z" have values; "k", and what is between it and `last`, ones that need the function. By lookup and by cursor
// in both directions.
void CheckReads(Store& store, TreeId tree, std::string_view last = "k") {
  CHECK(Get(store, tree, "a") == "first");
  CHECK(Get(store, tree, "z") == "last");
  CheckRefused(store.Get(tree, "k").status(), "k", kAppend);
  const auto cursor = Must(store.NewCursor(tree));
  cursor->SeekToFirst();
  REQUIRE(cursor->Valid());
  CHECK(cursor->Value() == "first");
  cursor->Next();
  CHECK_FALSE(cursor->Valid());
  CheckRefused(cursor->status(), "k", kAppend);
  cursor->SeekToLast();
  REQUIRE(cursor->Valid());
  CHECK(cursor->Value() == "last");
  cursor->Prev();
  CHECK_FALSE(cursor->Valid());
  CheckRefused(cursor->status(), last, kAppend);
  cursor->Seek(Bound::Past("k"));
  REQUIRE(cursor->Valid());
  CHECK(cursor->Key() == "z");
  CHECK(cursor->status().ok());
}

void PutAround(Store& store, TreeId tree) {
  Must(store.Put(tree, "a", "first"));
  Must(store.Put(tree, "k", "base"));
  Must(store.Put(tree, "z", "last"));
}

}  // namespace

TEST_CASE("an upsert of a function that was not registered is refused before anything happens", "[store][upsert]") {
  Image image;
  image.Session(With(), [&](Store& store) {
    Must(store.Put(image.tree, "k", "base"));
    const absl::Status refused = store.Upsert(image.tree, "k", 77, "delta");
    CHECK(absl::IsInvalidArgument(refused));
    CHECK_THAT(std::string(refused.message()), Catch::Contains("function 77"));
    WriteBatch batch;
    batch.Put(image.tree, "k", "other");
    batch.Upsert(image.tree, "k", kAppend, "+");
    batch.Upsert(image.tree, "k", 77, "delta");
    CHECK(absl::IsInvalidArgument(store.Write(batch)));
    CHECK(absl::IsInvalidArgument(store.Upsert(image.tree, "k", 0, "delta")));
    CHECK(Get(store, image.tree, "k") == "base");
  });
}

TEST_CASE("a log that has upserts of an unknown function is not replayed for writing, and not cut", "[store][upsert]") {
  Image image;
  image.Session(Without(), [&](Store& store) { PutAround(store, image.tree); });
  image.Crash(With(), [&](Store& store) { Must(store.Upsert(image.tree, "k", kAppend, "+synced")); });
  CHECK_THAT(image.Refusal(Without()), Catch::Contains("function 7") && Catch::Contains("read-only"));
  {
    const auto store = Must(image.Open(ReadOnly(Without())));
    CheckReads(*store, image.tree);
    CHECK(store->impl().UnknownFunctions().contains(kAppend));
  }
  const store::MendedLog mended = Must(store::MendReplay(image.device(), Without()));
  CHECK(mended.cut.frames == 0);
  image.Session(With(), [&](Store& store) { CHECK(Get(store, image.tree, "k") == "base+synced"); });
}

TEST_CASE("what is cloned and snapshot behind an unknown function can be read", "[store][upsert]") {
  Image image;
  image.Session(Without(), [&](Store& store) { PutAround(store, image.tree); });
  image.Crash(With(), [&](Store& store) {
    for (int i = 0; i < 50; ++i) {
      Must(store.Upsert(image.tree, "k", kAppend, "+"));
      Must(store.ClonePrefix(image.tree, "k", image.tree, "l" + std::to_string(i)));
      Must(store.Put(image.tree, "a", "first"));
    }
    Must(store.RenamePrefix(image.tree, "l", image.tree, "k/"));
    static_cast<void>(Must(store.Snapshot(image.tree, "snapshot")));
    Must(store.Put(image.tree, "k/7", "put"));
  });
  {
    const auto store = Must(image.Open(ReadOnly(Without())));
    CheckReads(*store, Must(store->FindTree("snapshot")), "k/9");
    CheckReads(*store, image.tree, "k/9");
    CHECK(Get(*store, image.tree, "k/7") == "put");
    CheckRefused(store->Get(image.tree, "k/8").status(), "k/8", kAppend);
  }
  image.Session(With(), [&](Store& store) {
    CHECK(Get(store, image.tree, "k") == "base" + std::string(50, '+'));
    CHECK(Get(store, image.tree, "k/8") == "base" + std::string(9, '+'));
  });
}

TEST_CASE("an image that lists an unknown function is read right where it does not matter", "[store][upsert]") {
  Image image;
  image.Session(With(), [&](Store& store) {
    PutAround(store, image.tree);
    Must(store.Checkpoint());
    Must(store.Upsert(image.tree, "k", kAppend, "+1"));
  });
  CHECK_THAT(image.Refusal(Without()), Catch::Contains("test.append") && Catch::Contains("read-only"));
  for (const bool stale : {false, true}) {
    StoreOptions options = ReadOnly(Without());
    options.stale = stale;
    const auto store = Must(image.Open(options));
    CheckReads(*store, image.tree);
    CHECK(store->impl().UnknownFunctions().at(kAppend) == "test.append");
  }
  image.Session(With(), [&](Store& store) { CHECK(Get(store, image.tree, "k") == "base+1"); });
}

TEST_CASE("a difference shows all that is before a value that is not known", "[store][upsert][difference]") {
  Image image;
  image.Session(With(), [&](Store& store) {
    PutAround(store, image.tree);
    Must(store.Put(image.tree, "b", "second"));
    Must(store.Upsert(image.tree, "k", kAppend, "+"));
    static_cast<void>(Must(store.Snapshot(image.tree, "snapshot")));
    Must(store.Put(image.tree, "a", "changed"));
    Must(store.Erase(image.tree, "b"));
    Must(store.Upsert(image.tree, "k", kAppend, "+"));
    Must(store.Erase(image.tree, "z"));
  });
  const auto store = Must(image.Open(ReadOnly(Without())));
  const auto cursor =
      Must(store->NewDifference(store->Pin(), {Must(store->FindTree("snapshot")), ""}, {image.tree, ""}));
  cursor->Seek(Bound::At(""));
  REQUIRE(cursor->Valid());
  CHECK(cursor->Before() == "first");
  CHECK(cursor->After() == "changed");
  cursor->Next();
  REQUIRE(cursor->Valid());
  CHECK(cursor->Key() == "b");
  CHECK(cursor->Before() == "second");
  CHECK_FALSE(cursor->After());
  cursor->Next();
  CHECK_FALSE(cursor->Valid());
  CheckRefused(cursor->status(), "k", kAppend);
  cursor->Seek(Bound::Past("k"));
  REQUIRE(cursor->Valid());
  CHECK(cursor->Before() == "last");
  CHECK_FALSE(cursor->After());
  cursor->Next();
  CHECK_FALSE(cursor->Valid());
  CHECK(cursor->status().ok());
}

TEST_CASE("the catalog lists functions from their first use on", "[store][upsert]") {
  Image image;
  image.Session(With(), [&](Store& store) { PutAround(store, image.tree); });
  image.Session(Without(), [&](Store& store) { Must(store.Put(image.tree, "b", "by another program")); });
  SECTION("by a batch") {
    image.Crash(With(), [&](Store& store) {
      Must(store.Upsert(image.tree, "k", kAppend, "+"));
      Must(store.Checkpoint());
    });
  }
  SECTION("by a batch with a clone") {
    image.Crash(With(), [&](Store& store) {
      WriteBatch batch;
      batch.ClonePrefix(image.tree, "a", image.tree, "c");
      batch.Upsert(image.tree, "k", kAppend, "+");
      Must(store.Write(batch));
      Must(store.Checkpoint());
    });
  }
  SECTION("by replay") {
    image.Crash(With(), [&](Store& store) { Must(store.Upsert(image.tree, "k", kAppend, "+")); });
    image.Session(With(), [](Store&) {});
  }
  CHECK_THAT(image.Refusal(Without()), Catch::Contains("test.append"));
  // And stay listed with those that come later.
  StoreOptions both = With();
  REQUIRE(both.functions.Add(std::make_shared<PrependFunction>()).ok());
  image.Session(both, [&](Store& store) { Must(store.Upsert(image.tree, "k", PrependFunction::kNumber, "-")); });
  CHECK_THAT(image.Refusal(With()), Catch::Contains("test.prepend"));
  image.Session(both, [&](Store& store) { CHECK(Get(store, image.tree, "k") == "-base+"); });
}

TEST_CASE("a repair keeps the functions that the catalog lists", "[store][upsert]") {
  Image image;
  image.Session(With(), [&](Store& store) { Must(store.Upsert(image.tree, "k", kAppend, "+1")); });
  const Bytes copy = Must(layout::ReadNewest(image.device())).superblock.catalog.copies[1].Offset();
  REQUIRE(image.device().Patch(copy + Bytes{100}, "damaged").ok());
  const std::vector<store::Finding> findings = Must(CheckImage(image.device()));
  REQUIRE(findings.size() == 1);
  Must(store::RepairImage(image.device(), MiB(4), store::RepairDepth::kSafe, findings, [](std::string_view) {}));
  CHECK(Must(CheckImage(image.device())).empty());
  CHECK_THAT(image.Refusal(Without()), Catch::Contains("test.append"));
}

}  // namespace betr::test
