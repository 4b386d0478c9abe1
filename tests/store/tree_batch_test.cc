// SPDX-License-Identifier: Apache-2.0
// Trees that are made and dropped among other changes of one batch.
#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "betr/store.h"
#include "support/must.h"
#include "support/store/memory_store.h"

namespace betr::test {
namespace {

class Fixture : public MemoryStore {
 public:
  Fixture() : MemoryStore({.device = MiB(16), .node = KiB(4), .basement = Bytes{512}, .log = MiB(1)}) {
    Open();
    old = Must(store->CreateTree("old", "zstd"));
  }

  void Open() {
    StoreOptions options;
    options.cache_size = MiB(8);
    options.background = false;
    MemoryStore::Open(std::move(options));
  }

  // As a crash does, and with what the log has.
  void Crash() {
    Must(store->Sync());
    Open();
  }

  void Fill(int count) {
    WriteBatch batch;
    for (int i = 0; i < count; ++i) batch.Put(old, "key " + std::to_string(i), std::string(50, 'v'));
    Must(store->Write(batch));
  }

  TreeId old;
};

TEST_CASE("a tree is replaced in one batch", "[store]") {
  Fixture fixture;
  const int count = GENERATE(0, 3, 2000);
  fixture.Fill(count);
  WriteBatch batch;
  const TreeId made = fixture.store->UnusedTreeId();
  batch.CreateTree(made, "new");
  batch.ClonePrefix(fixture.old, "", made, "from/");
  batch.Put(made, "own", "value");
  batch.DropTree(fixture.old);
  Must(fixture.store->Write(batch));
  fixture.Crash();
  CHECK(fixture.store->Trees().size() == 1);
  CHECK(Must(fixture.store->FindTree("new")) == made);
  CHECK(Must(fixture.store->Get(made, "own")) == "value");
  CHECK(Must(fixture.store->Get(made, "from/key 0")).has_value() == (count > 0));
  CHECK(Must(fixture.store->Get(made, "from/key " + std::to_string(count - 1))).has_value() == (count > 0));
  fixture.CheckSound();
}

TEST_CASE("a view knows trees by the names that they had", "[store]") {
  Fixture fixture;
  Store& store = *fixture.store;
  fixture.Fill(3);
  const auto view = store.Pin();
  WriteBatch batch;
  batch.DropTree(fixture.old);
  batch.CreateTree(TreeId{}, "old");
  batch.CreateTree(TreeId{}, "other");
  Must(store.Write(batch));
  const TreeId now = Must(store.FindTree("old"));
  CHECK(now != fixture.old);
  CHECK(Must(store.FindTree(*view, "old")) == fixture.old);
  CHECK(absl::IsNotFound(store.FindTree(*view, "other").status()));
  CHECK(Must(store.Get(*view, fixture.old, "key 0")).has_value());
  CHECK(absl::IsNotFound(store.Get(*view, now, "key 0").status()));
}

TEST_CASE("a snapshot has what its tree held at its place in the batch", "[store]") {
  Fixture fixture;
  Store& store = *fixture.store;
  const int count = GENERATE(1, 2000);
  fixture.Fill(count);
  const TreeId copy = store.UnusedTreeId();
  WriteBatch batch;
  batch.Put(fixture.old, "key 0", "before");
  batch.Snapshot(fixture.old, "first", copy.Next());
  batch.Put(fixture.old, "key 0", "between");
  batch.Snapshot(fixture.old, "second");
  batch.CreateTree(copy, "copy");
  batch.ClonePrefix(copy.Next(), "key", copy, "old");
  batch.EraseRange(fixture.old, Range::All());
  Must(store.Write(batch));
  fixture.Crash();
  const auto value = [&](const char* tree, const char* key) {
    return Must(fixture.store->Get(Must(fixture.store->FindTree(tree)), key));
  };
  CHECK(Must(fixture.store->FindTree("first")) == copy.Next());
  CHECK(value("first", "key 0") == "before");
  CHECK(value("second", "key 0") == "between");
  CHECK(value("copy", "old 0") == "before");
  CHECK(value("first", "key 1").has_value() == (count > 1));
  CHECK_FALSE(value("old", "key 0").has_value());
  CHECK(absl::IsInvalidArgument(fixture.store->Put(Must(fixture.store->FindTree("second")), "key", "value")));
  fixture.CheckSound();
}

TEST_CASE("the store chooses ids for trees of a batch that do not say theirs", "[store]") {
  Fixture fixture;
  WriteBatch batch;
  batch.CreateTree(TreeId{}, "one");
  batch.CreateTree(TreeId{}, "two");
  Must(fixture.store->Write(batch));
  const TreeId one = Must(fixture.store->FindTree("one"));
  const TreeId two = Must(fixture.store->FindTree("two"));
  CHECK(std::set{fixture.old, one, two}.size() == 3);
  fixture.Crash();
  CHECK(Must(fixture.store->FindTree("one")) == one);
  CHECK(Must(fixture.store->FindTree("two")) == two);
  fixture.CheckSound();
}

TEST_CASE("a batch that makes or drops trees is refused as a whole", "[store]") {
  Fixture fixture;
  Store& store = *fixture.store;
  WriteBatch batch;
  batch.Put(fixture.old, "a", "b");
  SECTION("a name that is taken") {
    batch.CreateTree(store.UnusedTreeId(), "old");
    CHECK(absl::IsAlreadyExists(store.Write(batch)));
  }
  SECTION("an id that is taken") {
    batch.CreateTree(fixture.old, "new");
    CHECK(absl::IsAlreadyExists(store.Write(batch)));
  }
  SECTION("an id that was given to another one") {
    const TreeId gone = Must(store.CreateTree("gone"));
    Must(store.DropTree(gone));
    batch.CreateTree(gone, "new");
    CHECK(absl::IsAlreadyExists(store.Write(batch)));
  }
  SECTION("one id twice") {
    batch.CreateTree(store.UnusedTreeId(), "new");
    batch.CreateTree(store.UnusedTreeId(), "newer");
    CHECK(absl::IsAlreadyExists(store.Write(batch)));
  }
  SECTION("an id after which there would be none") {
    batch.CreateTree(TreeId{uint64_t{1} << 62}, "new");
    CHECK(absl::IsInvalidArgument(store.Write(batch)));
  }
  SECTION("a snapshot of nothing") {
    batch.Snapshot(TreeId{77}, "snapshot");
    CHECK(absl::IsNotFound(store.Write(batch)));
  }
  SECTION("a snapshot without a name") {
    batch.Snapshot(fixture.old, "");
    CHECK(absl::IsInvalidArgument(store.Write(batch)));
  }
  SECTION("an unknown compression") {
    batch.CreateTree(store.UnusedTreeId(), "new", "no such");
    CHECK(absl::IsInvalidArgument(store.Write(batch)));
  }
  SECTION("a tree that is not there") {
    batch.DropTree(TreeId{77});
    CHECK(absl::IsNotFound(store.Write(batch)));
  }
  SECTION("a tree that was dropped before") {
    batch.DropTree(fixture.old);
    batch.Put(fixture.old, "a", "b");
    CHECK(absl::IsNotFound(store.Write(batch)));
  }
  CHECK(store.Trees().size() == 1);
  CHECK_FALSE(Must(store.Get(fixture.old, "a")).has_value());
  fixture.CheckSound();
}

TEST_CASE("an empty range is erased only where others are", "[store]") {
  Fixture fixture;
  Store& store = *fixture.store;
  fixture.Fill(3);
  const TreeId snapshot = Must(store.Snapshot(fixture.old, "snapshot"));
  for (const Range& range : {Range{Bound::At("b"), Bound::At("b")}, Range{Bound::At("b"), Bound::At("a")}}) {
    CHECK(store.EraseRange(fixture.old, range).ok());
    CHECK(absl::IsNotFound(store.EraseRange(TreeId{77}, range)));
    CHECK(absl::IsNotFound(store.EraseRange(TreeId{}, range)));
    CHECK(absl::IsInvalidArgument(store.EraseRange(snapshot, range)));
  }
  CHECK(Must(store.Get(fixture.old, "key 0")).has_value());
  Must(store.Close());
  CHECK(absl::IsFailedPrecondition(store.EraseRange(fixture.old, Range{Bound::At("b"), Bound::At("a")})));
  fixture.CheckSound();
}

TEST_CASE("changes go to their trees in order, whatever trees are made and dropped between them", "[store]") {
  Fixture fixture;
  Store& store = *fixture.store;
  const TreeId other = Must(store.CreateTree("other"));
  const TreeId gone = Must(store.CreateTree("gone"));
  WriteBatch batch;
  for (int i = 0; i < 10; ++i) {
    for (const TreeId tree : {fixture.old, other, gone}) {
      batch.Put(tree, "key", std::to_string(i));
      batch.Put(tree, std::to_string(i), "value");
    }
    const TreeId made{store.UnusedTreeId().value + static_cast<uint64_t>(i)};
    batch.CreateTree(made, "made " + std::to_string(i));
    batch.DropTree(made);
    if (i == 5) batch.ClonePrefix(other, "key", fixture.old, "copy");
  }
  batch.DropTree(gone);
  Must(store.Write(batch));
  CHECK(Must(store.Get(fixture.old, "copy")) == "5");
  for (const TreeId tree : {fixture.old, other}) {
    CHECK(Must(store.Get(tree, "key")) == "9");
    for (int i = 0; i < 10; ++i) CHECK(Must(store.Get(tree, std::to_string(i))) == "value");
  }
  fixture.CheckSound();
}

TEST_CASE("the last of the ids of trees leaves an image that can be opened", "[store]") {
  Fixture fixture;
  WriteBatch batch;
  batch.CreateTree(TreeId{(uint64_t{1} << 62) - 1}, "last");
  Must(fixture.store->Write(batch));
  CHECK(absl::IsInvalidArgument(fixture.store->CreateTree("none").status()));
  fixture.Close();
  fixture.Open();
  CHECK(fixture.store->Trees().size() == 2);
  CHECK(absl::IsInvalidArgument(fixture.store->CreateTree("none").status()));
  fixture.CheckSound();
}

}  // namespace
}  // namespace betr::test
