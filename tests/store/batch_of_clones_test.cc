// SPDX-License-Identifier: Apache-2.0
// Clones and renames of one batch wait for each other, and arrive at their roots together: nobody sees that but by what
// it costs.
#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "base/random.h"
#include "betr/store.h"
#include "support/must.h"
#include "support/seed.h"
#include "support/store/memory_store.h"

namespace betr::test {
namespace {

using Content = std::map<std::string, std::string>;

class Fixture : public MemoryStore {
 public:
  Fixture() : MemoryStore({.device = MiB(64), .node = KiB(4), .basement = Bytes{512}, .log = MiB(4)}) {
    StoreOptions options;
    options.background = false;
    Open(std::move(options));
  }

  Content ContentOf(TreeId tree) const {
    Content content;
    const std::unique_ptr<Cursor> cursor = Must(store->NewCursor(tree));
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) content.emplace(cursor->Key(), cursor->Value());
    Must(cursor->status());
    return content;
  }

  // More than is copied key by key.
  void Fill(TreeId tree, const std::string& prefix) {
    WriteBatch batch;
    for (int i = 0; i < 40; ++i) batch.Put(tree, prefix + std::to_string(100 + i), std::string(100, 'v'));
    Must(store->Write(batch));
  }
};

// What a batch does, in two trees.
class Changes {
 public:
  explicit Changes(Random& random) : random_(random) {}

  void Add(WriteBatch& batch, TreeId tree) const {
    for (const Change& change : changes_) {
      switch (change.kind) {
        case 0:
        case 1:
          batch.ClonePrefix(tree, change.from, tree, change.to);
          break;
        case 2:
          batch.RenamePrefix(tree, change.from, tree, change.to);
          break;
        case 3:
          batch.EraseRange(tree, Range::Prefix(change.from + "1"));
          break;
        case 4:
          batch.Erase(tree, change.from + change.key);
          break;
        default:
          batch.Put(tree, change.from + change.key, change.key);
      }
    }
  }

  void Make(size_t count) {
    constexpr std::array<const char*, 7> kPrefixes{"a/", "b/", "c/", "a/1", "b/x/", "c/1", "d/"};
    const auto pick = [&] { return std::string(kPrefixes.at(random_.Uniform(kPrefixes.size()))); };
    while (changes_.size() < count) {
      Change change{random_.Uniform(8), pick(), pick(), std::to_string(random_.Uniform(200))};
      if (change.kind != 2 || !change.to.starts_with(change.from)) changes_.push_back(std::move(change));
    }
  }

 private:
  struct Change {
    uint64_t kind;
    std::string from;
    std::string to;
    std::string key;
  };

  Random& random_;
  std::vector<Change> changes_;
};

TEST_CASE("a batch of clones does what they do one by one", "[store]") {
  Fixture fixture;
  Store& store = *fixture.store;
  Random random(TestSeed());
  const TreeId together = Must(store.CreateTree("together"));
  const TreeId apart = Must(store.CreateTree("apart"));
  for (int round = 0; round < 300; ++round) {
    if (round % 5 == 0) {
      for (const TreeId tree : {together, apart}) {
        Must(store.EraseRange(tree, Range::All()));
        fixture.Fill(tree, "a/");
        fixture.Fill(tree, "b/");
      }
    }
    Changes changes(random);
    changes.Make(1 + random.Uniform(12));
    WriteBatch batch;
    changes.Add(batch, together);
    Must(store.Write(batch));
    WriteBatch all;
    changes.Add(all, apart);
    for (const Op& op : all.ops()) {
      WriteBatch one;
      if (op.kind == OpKind::kClonePrefix) one.ClonePrefix(op.tree, op.key, op.to_tree, op.value);
      if (op.kind == OpKind::kRenamePrefix) one.RenamePrefix(op.tree, op.key, op.to_tree, op.value);
      if (op.kind == OpKind::kEraseRange) one.EraseRange(op.tree, op.range);
      if (op.kind == OpKind::kErase) one.Erase(op.tree, op.key);
      if (op.kind == OpKind::kPut) one.Put(op.tree, op.key, op.value);
      Must(store.Write(one));
    }
    INFO("round " << round);
    REQUIRE(fixture.ContentOf(together) == fixture.ContentOf(apart));
  }
  fixture.CheckSound();
}

TEST_CASE("a batch of clones takes a root once", "[store]") {
  constexpr uint64_t kClones = 200;
  Fixture fixture;
  Store& store = *fixture.store;
  const TreeId tree = Must(store.CreateTree("tree"));
  fixture.Fill(tree, "a/");
  Must(store.Compact(tree));
  Must(store.ClonePrefix(tree, "a/", tree, "z/"));
  const auto touched = [&](const WriteBatch& batch) {
    const uint64_t before = store.Stats().nodes_touched;
    Must(store.Write(batch));
    return store.Stats().nodes_touched - before;
  };
  WriteBatch one;
  one.ClonePrefix(tree, "a/", tree, "b/");
  const uint64_t way = touched(one) - 1;  // to the source, and then the root
  WriteBatch clones;
  for (uint64_t i = 0; i < kClones; ++i) {
    const std::string name = std::to_string(kClones + i) + "/";
    clones.ClonePrefix(tree, "a/", tree, "c" + name);
    clones.Put(tree, "c" + name + "own", "value");
  }
  CHECK(touched(clones) <= kClones * way + 3);
  CHECK(Must(store.Get(tree, "c399/own")) == "value");
  CHECK(Must(store.Get(tree, "c200/139")).has_value());
  fixture.CheckSound();
}

}  // namespace
}  // namespace betr::test
