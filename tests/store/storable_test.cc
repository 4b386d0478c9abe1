// SPDX-License-Identifier: Apache-2.0
// Whatever is written, a root can be stored: keys that clones make longer and longer, bounds of range erases, values
// that upsert functions make.
#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "betr/store.h"
#include "support/must.h"
#include "support/store/memory_store.h"

namespace betr::test {
namespace {

// Doubles the value.
class DoubleFunction final : public UpsertFunction {
 public:
  static constexpr uint16_t kNumber = 9;
  uint16_t Number() const override { return kNumber; }
  std::string_view Name() const override { return "test.double"; }
  std::optional<std::string> Apply(std::optional<std::string_view> old, std::string_view /*delta*/) const override {
    return std::string(old.value_or("")) + std::string(old.value_or(""));
  }
};

class Fixture : public MemoryStore {
 public:
  explicit Fixture(Bytes node_size, bool background = false)
      : MemoryStore({.device = GiB(2), .node = node_size, .basement = KiB(4), .log = MiB(64)}),
        background_(background) {
    Open();
    tree = Must(store->CreateTree("tree"));
  }

  void Open() {
    StoreOptions options;
    options.background = background_;
    options.checkpoint_period = std::chrono::seconds(0);
    Must(options.functions.Add(std::make_shared<DoubleFunction>()));
    MemoryStore::Open(std::move(options));
  }
  // What was written can be stored, and read again.
  void Reopen() {
    Must(store->Checkpoint());
    CheckSound();
    Open();
  }

  TreeId tree;

 private:
  bool background_;
};

TEST_CASE("clones of all below one more long prefix, again and again", "[store]") {
  constexpr int kClones = 80;  // keys of 1.25 MiB
  const std::string prefix(KiB(16).value, 'p');
  Fixture fixture(GENERATE(KiB(4), MiB(1)));
  Must(fixture.store->Put(fixture.tree, "a", "1"));
  Must(fixture.store->Put(fixture.tree, "b", std::string(3000, 'x')));
  TreeId last = fixture.tree;
  for (int i = 1; i <= kClones; ++i) {
    INFO("clone " << i);
    const TreeId next = Must(fixture.store->CreateTree("tree" + std::to_string(i)));
    Must(fixture.store->ClonePrefix(last, "", next, prefix));
    Must(fixture.store->Put(next, "c" + std::to_string(i), "3"));
    Must(fixture.store->Checkpoint());
    last = next;
  }
  fixture.Reopen();
  const auto cursor = Must(fixture.store->NewCursor(last));
  cursor->SeekToLast();
  REQUIRE(cursor->Valid());
  CHECK(cursor->Key().size() == prefix.size() * kClones + 1);
  CHECK(cursor->Value().size() == 3000);
  size_t keys = 1;  // of each of the "c", what was cloned has all before it
  for (cursor->Prev(); cursor->Valid(); cursor->Prev()) ++keys;
  CHECK(cursor->status().ok());
  CHECK(keys == kClones + 2);
  Must(fixture.store->Compact(last));
  fixture.Reopen();
}

TEST_CASE("renames to longer and longer prefixes", "[store]") {
  constexpr int kRenames = 80;
  const std::string middle(KiB(16).value - 100, 'p');
  Fixture fixture(GENERATE(KiB(4), MiB(1)));
  std::string prefix = "d0/";
  Must(fixture.store->Put(fixture.tree, prefix + "a", "1"));
  Must(fixture.store->Put(fixture.tree, prefix + "b", std::string(3000, 'x')));
  for (int i = 1; i <= kRenames; ++i) {
    INFO("rename " << i);
    const std::string name = "d" + std::to_string(i) + "/";
    Must(fixture.store->RenamePrefix(fixture.tree, prefix, fixture.tree, name + middle + "/"));
    prefix = name;
    if (i % 8 == 0) Must(fixture.store->Checkpoint());
  }
  fixture.Reopen();
  const auto cursor = Must(fixture.store->NewCursor(fixture.tree));
  cursor->SeekToFirst();
  REQUIRE(cursor->Valid());
  CHECK(cursor->Key().size() > middle.size() * kRenames);
  Must(fixture.store->Compact(fixture.tree));
  fixture.Reopen();
}

TEST_CASE("clones of prefixes to the root, again and again", "[store]") {
  constexpr int kClones = 80;
  const std::string prefix(KiB(16).value, 'p');
  Fixture fixture(KiB(64));
  Must(fixture.store->Put(fixture.tree, "a", "1"));
  Must(fixture.store->Compact(fixture.tree));
  fixture.Reopen();  // what lies where is not in memory
  WriteBatch batch;
  for (uint64_t i = 1; i <= kClones; ++i) batch.CreateTree(TreeId{100 + i}, "tree" + std::to_string(i));
  batch.ClonePrefix(fixture.tree, "", TreeId{101}, "");
  for (uint64_t i = 1; i < kClones; ++i) batch.ClonePrefix(TreeId{100 + i}, prefix, TreeId{101 + i}, "");
  Must(fixture.store->Write(batch));
  Must(fixture.store->Put(TreeId{100 + kClones}, "b", "2"));
  fixture.Reopen();
  const auto cursor = Must(fixture.store->NewCursor(TreeId{100 + kClones}));
  cursor->SeekToFirst();
  REQUIRE(cursor->Valid());
  CHECK(cursor->Key() == "b");
  cursor->Next();
  CHECK_FALSE(cursor->Valid());
  CHECK(cursor->status().ok());
  CHECK(Must(fixture.store->Get(TreeId{101}, "a")) == "1");
}

TEST_CASE("a batch has bounds of ranges and prefixes of a few MiB at most", "[store]") {
  constexpr int kMost = 262;  // of 16,000 bytes, twice each
  Fixture fixture(MiB(1));
  const std::string tail(16000, 'x');
  const auto write = [&](bool clones, int count) {
    WriteBatch batch;
    for (int i = 0; i < count; ++i) {
      const std::string prefix = std::to_string(1000 + i) + tail;
      if (clones) {
        batch.ClonePrefix(fixture.tree, "", fixture.tree, prefix);
      } else {
        batch.EraseRange(fixture.tree, Range::Prefix(prefix));
      }
    }
    return fixture.store->Write(batch);
  };
  const bool clones = GENERATE(false, true);
  CHECK(write(clones, kMost - 1).ok());
  const absl::Status refused = write(clones, kMost + 1);
  CHECK(absl::IsInvalidArgument(refused));
  CHECK_THAT(std::string(refused.message()), Catch::Contains("bounds"));
}

TEST_CASE("range erases that clones carry into the root", "[store]") {
  const bool background = GENERATE(false, true);
  Fixture fixture(MiB(1), background);
  WriteBatch puts;
  for (int i = 1000; i < 4000; ++i) puts.Put(fixture.tree, std::to_string(i), std::string(1000, 'v'));
  Must(fixture.store->Write(puts));
  Must(fixture.store->Compact(fixture.tree));
  const std::string tail(16000, 'x');
  for (int round = 0; round < 20; ++round) {
    WriteBatch batch;
    for (int i = 0; i < 200; ++i) {
      const std::string lo = std::to_string(1000 + i) + std::to_string(round) + tail;
      batch.EraseRange(fixture.tree, {Bound::At(lo), Bound::Past(lo + "y")});
    }
    batch.ClonePrefix(fixture.tree, "2", fixture.tree, "5");
    Must(fixture.store->Write(batch));
  }
  fixture.Reopen();
  CHECK(Must(fixture.store->Get(fixture.tree, "5500")).has_value());
}

TEST_CASE("what an upsert function makes is not taken if it is too large", "[store]") {
  constexpr int kDoublings = 24;
  constexpr size_t kLargest = 5 << 17;  // doubled once more it would be above a MiB
  Fixture fixture(GENERATE(KiB(64), MiB(4)));
  const bool in_buffer = GENERATE(true, false);
  CAPTURE(in_buffer);
  Must(fixture.store->Put(fixture.tree, "k", "value"));
  for (int i = 0; i < kDoublings; ++i) {
    Must(fixture.store->Upsert(fixture.tree, "k", DoubleFunction::kNumber, ""));
    if (!in_buffer) Must(fixture.store->Checkpoint());
  }
  CHECK(Must(fixture.store->Get(fixture.tree, "k"))->size() == kLargest);
  fixture.Reopen();
  CHECK(Must(fixture.store->Get(fixture.tree, "k"))->size() == kLargest);
  Must(fixture.store->Compact(fixture.tree));
  CHECK(Must(fixture.store->Get(fixture.tree, "k"))->size() == kLargest);
}

}  // namespace
}  // namespace betr::test
