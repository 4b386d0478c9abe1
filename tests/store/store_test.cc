// SPDX-License-Identifier: Apache-2.0
// The interface of a store, call by call: what each promises beyond what random operations show.
#include "betr/store.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "device/counting_device.h"
#include "device/memory_device.h"
#include "store/batch_codec.h"
#include "store/borrowed_device.h"
#include "support/dag/upserts.h"

namespace betr::test {
namespace {

// A store with small nodes on a device in memory, without threads.
class Fixture {
 public:
  Fixture() : device_(MiB(64)) {
    FormatOptions format;
    format.node_size = KiB(4);
    format.basement_size = Bytes{512};
    format.fanout = 8;
    format.log_size = MiB(1);
    REQUIRE(Store::Format(device_, format).ok());
    Reopen();
    tree = *store().CreateTree("tree");
  }

  static StoreOptions Options() {
    StoreOptions options;
    options.cache_size = MiB(8);
    options.background = false;
    options.checkpoint_period = std::chrono::seconds(0);
    REQUIRE(options.functions.Add(std::make_shared<AppendFunction>()).ok());
    return options;
  }

  absl::StatusOr<std::unique_ptr<Store>> Open(StoreOptions options) {
    return Store::Open(std::make_unique<store::BorrowedDevice>(device_), std::move(options));
  }
  void Reopen() {
    Close();
    auto opened = Open(Options());
    INFO(opened.status());
    REQUIRE(opened.ok());
    store_ = *std::move(opened);
  }
  void Close() {
    if (store_ != nullptr) {
      REQUIRE(store_->Close().ok());
      store_.reset();
    }
  }
  Store& store() { return *store_; }

  void Fill(std::string_view prefix, int count) {
    for (int i = 0; i < count; ++i) {
      REQUIRE(store().Put(tree, std::string(prefix) + std::to_string(10'000 + i), std::string(80, 'v')).ok());
    }
  }
  std::string Value(std::string_view key) { return (*store().Get(tree, key)).value_or("(nothing)"); }
  std::vector<std::string> Keys(const Range& range) {
    std::vector<std::string> keys;
    const auto cursor = *store().NewCursor(tree, range);
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) keys.emplace_back(cursor->Key());
    REQUIRE(cursor->status().ok());
    return keys;
  }
  Bytes Used() { return store().Space().total - store().Space().free; }

  TreeId tree;

 private:
  MemoryDevice device_;
  std::unique_ptr<Store> store_;
};

TEST_CASE("after a clean end the log need not be searched; what is synced after it is found") {
  MemoryDevice memory(MiB(64));
  CountingDevice device(memory);
  FormatOptions format;
  format.node_size = KiB(16);
  format.basement_size = KiB(2);
  format.log_size = MiB(16);
  REQUIRE(Store::Format(device, format).ok());
  const auto open = [&] {
    auto store = Store::Open(std::make_unique<store::BorrowedDevice>(device), Fixture::Options());
    REQUIRE(store.ok());
    return *std::move(store);
  };
  TreeId tree;
  {
    const auto store = open();
    tree = *store->CreateTree("tree");
    REQUIRE(store->Put(tree, "before", std::string(100, 'v')).ok());
    REQUIRE(store->Sync().ok());
    REQUIRE(store->Close().ok());
  }
  const IoStats closed = device.Stats();
  {
    const auto store = open();
    CHECK(device.Stats().read_bytes - closed.read_bytes < MiB(2));
    REQUIRE(store->Close().ok());
  }
  // Who changes nothing writes nothing.
  CHECK(device.Stats().writes == closed.writes);
  {
    const auto store = open();
    REQUIRE(store->Put(tree, "after", "acknowledged").ok());
    REQUIRE(store->Sync().ok());
  }
  CHECK(*open()->Get(tree, "after") == "acknowledged");
}

}  // namespace

// Each holds too little to be sealed for its own sake, all together more than writers may have in memory.
TEST_CASE("writers of many trees do not wait for ever", "[store]") {
  Fixture fixture;
  fixture.Close();
  StoreOptions options = Fixture::Options();
  options.background = true;
  const std::unique_ptr<Store> store = *fixture.Open(std::move(options));
  std::vector<TreeId> trees;
  for (int i = 0; i < 20; ++i) trees.push_back(*store->CreateTree("tree " + std::to_string(i)));
  for (int i = 0; i < 2'000; ++i) {
    REQUIRE(store->Put(trees[static_cast<size_t>(i) % trees.size()], std::to_string(i), std::string(100, 'v')).ok());
  }
  for (int i = 0; i < 2'000; ++i) {
    REQUIRE((*store->Get(trees[static_cast<size_t>(i) % trees.size()], std::to_string(i))).has_value());
  }
  REQUIRE(store->Close().ok());
}

TEST_CASE("keys, values and batches have limits, and what is refused changes nothing", "[store]") {
  Fixture f;
  const std::string longest(kMaxKeySize.value, 'k');
  CHECK(f.store().Put(f.tree, longest, "value").ok());
  CHECK(f.Value(longest) == "value");
  CHECK(absl::IsInvalidArgument(f.store().Put(f.tree, longest + "k", "value")));
  CHECK(absl::IsInvalidArgument(f.store().Put(f.tree, "k", std::string(kMaxValueSize.value + 1, 'v'))));

  WriteBatch batch;
  batch.Put(f.tree, "a", "1");
  batch.Put(f.tree, "b", std::string(MiB(1).value / 3, 'v'));
  CHECK(absl::IsInvalidArgument(f.store().Write(batch)));
  CHECK(f.Value("a") == "(nothing)");

  batch.Clear();
  batch.Put(f.tree, "a", "1");
  batch.Put(TreeId{99}, "b", "2");
  CHECK(absl::IsNotFound(f.store().Write(batch)));
  CHECK(f.Value("a") == "(nothing)");

  batch.Clear();
  batch.Put(f.tree, "a", "1");
  for (uint64_t i = 0; i <= store::kMaxBatch.ranges; ++i) batch.EraseRange(f.tree, Range::Prefix("x"));
  CHECK(absl::IsInvalidArgument(f.store().Write(batch)));
  CHECK(f.Value("a") == "(nothing)");
}

TEST_CASE("clones may make keys longer than may be written, and these behave", "[store]") {
  Fixture fixture;
  const std::string part(kMaxKeySize.value - 10, 'p');
  fixture.Fill("a/", 300);
  REQUIRE(fixture.store().ClonePrefix(fixture.tree, "a/", fixture.tree, part + "/").ok());
  REQUIRE(fixture.store().ClonePrefix(fixture.tree, part, fixture.tree, "q" + part).ok());
  const std::string once = part + "a/10007";
  const std::string twice = part + part + "/10007";
  REQUIRE(fixture.store().ClonePrefix(fixture.tree, "", fixture.tree, part).ok());
  CHECK(fixture.Value(twice) == std::string(80, 'v'));
  CHECK(fixture.store().Put(fixture.tree, twice, "new").code() == absl::StatusCode::kInvalidArgument);
  REQUIRE(fixture.store().Compact(fixture.tree).ok());
  fixture.Reopen();
  CHECK(fixture.Value(once) == std::string(80, 'v'));
  CHECK(fixture.Value(twice) == std::string(80, 'v'));
  CHECK(fixture.Keys(Range::Prefix(part + part.substr(0, 9))).size() == 300);
  REQUIRE(fixture.store().EraseRange(fixture.tree, Range::Prefix(part)).ok());
  fixture.Reopen();
  CHECK(fixture.Value(twice) == "(nothing)");
  CHECK(fixture.Keys(Range::Prefix("q")).size() == 300);
}

TEST_CASE("trees have names of their own, and are dropped with all they hold", "[store]") {
  Fixture f;
  CHECK(absl::IsAlreadyExists(f.store().CreateTree("tree").status()));
  CHECK(absl::IsInvalidArgument(f.store().CreateTree("").status()));
  CHECK_FALSE(f.store().CreateTree("x", "nonsense").ok());
  CHECK(*f.store().FindTree("tree") == f.tree);
  CHECK(absl::IsNotFound(f.store().FindTree("nothing").status()));

  const TreeId raw = *f.store().CreateTree("raw", "none");
  REQUIRE(f.store().Put(raw, "k", "v").ok());
  f.Reopen();
  REQUIRE(f.store().Trees().size() == 2);
  CHECK(f.store().Trees()[1].compression == "none");
  REQUIRE(f.store().DropTree(raw).ok());
  CHECK(absl::IsNotFound(f.store().Get(raw, "k").status()));
  CHECK(*f.store().CreateTree("raw") != raw);
}

TEST_CASE("a clone touches a node a level and reads next to nothing, however large its source", "[store][cost]") {
  for (const int count : {1'000, 10'000}) {
    Fixture f;
    f.Fill("a/", count);
    f.Fill("b/", 1'000);
    REQUIRE(f.store().Compact(f.tree).ok());
    f.Reopen();
    const auto cost = [&](const std::function<absl::Status()>& change) {
      const StoreStats before = f.store().Stats();
      REQUIRE(change().ok());
      const StoreStats after = f.store().Stats();
      CHECK(after.nodes_touched - before.nodes_touched <= 16);
      return after.block_reads - before.block_reads;
    };
    CHECK(cost([&] { return f.store().ClonePrefix(f.tree, "a/", f.tree, "c/"); }) <= 8);
    CHECK(cost([&] { return f.store().RenamePrefix(f.tree, "c/", f.tree, "d/"); }) <= 8);
    CHECK(cost([&] { return f.store().EraseRange(f.tree, Range::Prefix("d/")); }) <= 8);
    CHECK(f.store().Stats().bytes_log < KiB(16));
  }
}

TEST_CASE("a clone of little is copied, and says what a clone would", "[store]") {
  Fixture f;
  f.Fill("small/", 5);
  const StoreStats before = f.store().Stats();
  REQUIRE(f.store().ClonePrefix(f.tree, "small/", f.tree, "copy/").ok());
  REQUIRE(f.store().RenamePrefix(f.tree, "copy/", f.tree, "moved/").ok());
  CHECK(f.store().Stats().clones == before.clones);
  CHECK(f.Keys(Range::Prefix("copy/")).empty());
  CHECK(f.Keys(Range::Prefix("moved/")).size() == 5);

  // Whatever else is in the batch, before or after.
  WriteBatch batch;
  batch.Put(f.tree, "small/10000", "newer");
  batch.ClonePrefix(f.tree, "small/", f.tree, "x/");
  batch.Put(f.tree, "small/10001", "newest");
  batch.RenamePrefix(f.tree, "x/", f.tree, "y/");
  batch.Erase(f.tree, "y/10004");
  REQUIRE(f.store().Write(batch).ok());
  CHECK(f.Value("y/10000") == "newer");
  CHECK(f.Value("y/10001") == std::string(80, 'v'));
  CHECK(f.Keys(Range::Prefix("y/")).size() == 4);
  CHECK(f.Keys(Range::Prefix("x/")).empty());
}

TEST_CASE("clones into themselves, renames to above, and what is refused", "[store]") {
  for (const int count : {5, 500}) {
    Fixture f;
    f.Fill("a/b/", count);
    REQUIRE(f.store().ClonePrefix(f.tree, "a/", f.tree, "a/b/c/").ok());
    CHECK(f.Keys(Range::All()).size() == static_cast<size_t>(2 * count));
    CHECK(f.Value("a/b/c/b/10000") == std::string(80, 'v'));
    REQUIRE(f.store().RenamePrefix(f.tree, "a/b/", f.tree, "a/").ok());
    CHECK(f.Value("a/10000") == std::string(80, 'v'));
    CHECK(f.Keys(Range::All()).size() == static_cast<size_t>(2 * count));
    CHECK(absl::IsInvalidArgument(f.store().RenamePrefix(f.tree, "a/", f.tree, "a/c/")));
    CHECK(absl::IsInvalidArgument(f.store().RenamePrefix(f.tree, "a/", f.tree, "a/")));
    REQUIRE(f.store().ClonePrefix(f.tree, "nothing/", f.tree, "a/c/").ok());
    CHECK(f.Keys(Range::All()).size() == static_cast<size_t>(count));
  }
}

TEST_CASE("a snapshot stays as it was, through restarts, until it is dropped", "[store]") {
  Fixture f;
  f.Fill("a/", 2'000);
  const TreeId snapshot = *f.store().Snapshot(f.tree, "before");
  REQUIRE(f.store().EraseRange(f.tree, Range::All()).ok());
  f.Reopen();
  CHECK(*f.store().Get(snapshot, "a/10000") == std::string(80, 'v'));
  CHECK(f.Keys(Range::All()).empty());
  CHECK(absl::IsInvalidArgument(f.store().Erase(snapshot, "a/10000")));
  const Bytes with = f.Used();
  REQUIRE(f.store().DropTree(snapshot).ok());
  f.Reopen();
  CHECK(f.Used() * 4 < with);
}

TEST_CASE("what clones and their erasing took comes back", "[store]") {
  Fixture f;
  f.Fill("a/", 3'000);
  REQUIRE(f.store().Compact(f.tree).ok());
  f.Reopen();
  const Bytes before = f.Used();
  for (int i = 0; i < 50; ++i) {
    REQUIRE(f.store().ClonePrefix(f.tree, "a/", f.tree, "clone" + std::to_string(i) + "/").ok());
  }
  f.Reopen();
  CHECK(f.Used() < before * 2);
  for (int i = 0; i < 50; ++i) {
    REQUIRE(f.store().EraseRange(f.tree, Range::Prefix("clone" + std::to_string(i) + "/")).ok());
  }
  f.Reopen();
  f.Reopen();
  CHECK(f.Used() < before + before / 4);
}

TEST_CASE("an image with an unknown upsert function opens read-only, and says why", "[store]") {
  Fixture f;
  REQUIRE(f.store().Upsert(f.tree, "k", AppendFunction::kNumber, "x").ok());
  f.Close();
  StoreOptions without;
  without.background = false;
  const absl::Status refused = f.Open(without).status();
  CHECK(absl::IsFailedPrecondition(refused));
  CHECK_THAT(std::string(refused.message()), Catch::Contains("test.append") && Catch::Contains("read-only"));
  without.read_only = true;
  const auto opened = f.Open(without);
  REQUIRE(opened.ok());
  CHECK_FALSE((*opened)->Put(f.tree, "a", "b").ok());
}

TEST_CASE("a view stays what it was while writing goes on", "[store]") {
  Fixture f;
  f.Fill("a/", 500);
  const auto view = f.store().Pin();
  const auto cursor = *f.store().NewCursor(view, f.tree, Range{Bound::At("a/10100"), Bound::At("a/10110")});
  REQUIRE(f.store().EraseRange(f.tree, Range::All()).ok());
  REQUIRE(f.store().Compact(f.tree).ok());
  int forward = 0;
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) ++forward;
  int backward = 0;
  for (cursor->SeekToLast(); cursor->Valid(); cursor->Prev()) ++backward;
  CHECK(forward == 10);
  CHECK(backward == 10);
  CHECK((*f.store().Get(*view, f.tree, "a/10105")).has_value());
  CHECK(f.Value("a/10105") == "(nothing)");
}

TEST_CASE("an estimate tells keys, bytes and what is shared", "[store]") {
  Fixture f;
  f.Fill("a/", 3'000);
  f.Fill("b/", 300);
  REQUIRE(f.store().Compact(f.tree).ok());
  REQUIRE(f.store().ClonePrefix(f.tree, "a/", f.tree, "c/").ok());
  const RangeEstimate clone = *f.store().Estimate(f.tree, Range::Prefix("c/"));
  CHECK(clone.keys > 2'000);
  CHECK(clone.keys < 4'500);
  CHECK(clone.shared * 2 > clone.bytes);
  const RangeEstimate alone = *f.store().Estimate(f.tree, Range::Prefix("b/"));
  CHECK(alone.keys > 150);
  CHECK(alone.keys < 600);
  REQUIRE(f.store().Put(f.tree, "b/new", "value").ok());
  CHECK(f.store().Estimate(f.tree, Range::Prefix("b/"))->keys == alone.keys + 1);
}

TEST_CASE("an estimate is exact where nothing waits", "[store]") {
  Fixture f;
  f.Fill("a/", 20);
  REQUIRE(f.store().Compact(f.tree).ok());
  const RangeEstimate all = *f.store().Estimate(f.tree, Range::All());
  CHECK(all.exact);
  CHECK(all.keys == 20);
  REQUIRE(f.store().EraseRange(f.tree, Range::Prefix("a/1001")).ok());
  CHECK_FALSE(f.store().Estimate(f.tree, Range::All())->exact);
  CHECK_FALSE(f.store().Estimate(f.tree, Range::Prefix("a/10010"))->exact);
  CHECK(f.store().Estimate(f.tree, Range::Prefix("a/1000"))->exact);
}

TEST_CASE("the ids of contents: equal for clones, none for what is in front of the roots", "[store]") {
  Fixture f;
  f.Fill("a/", 3'000);
  REQUIRE(f.store().ClonePrefix(f.tree, "a/", f.tree, "c/").ok());
  const auto id = [&](std::string_view prefix) { return *f.store().IdOfContent(*f.store().Pin(), f.tree, prefix); };
  REQUIRE(id("a/").has_value());
  CHECK(id("a/")->id == id("c/")->id);
  CHECK(id("a/")->shared);
  REQUIRE(f.store().Put(f.tree, "c/new", "value").ok());
  CHECK_FALSE(id("c/").has_value());
  CHECK(id("a/").has_value());
  REQUIRE(f.store().EraseRange(f.tree, Range{Bound::At("a/5"), Bound::At("b")}).ok());
  CHECK_FALSE(id("a/").has_value());
}

}  // namespace betr::test
