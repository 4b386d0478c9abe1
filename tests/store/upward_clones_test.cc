// SPDX-License-Identifier: Apache-2.0
// Clones from long prefixes to short ones, each of the one before: what flows down through all of them would get bounds
// that no node can be stored with (dag/storable.h). It stays where it is, and writers are told when that is too much.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <string>

#include "betr/store.h"
#include "support/must.h"
#include "support/store/memory_store.h"

namespace betr::test {
namespace {

constexpr int kClones = 80;  // of prefixes of together 1.25 MiB

// Each tree shows what the one before has below a long prefix: nothing, but nobody has looked. With `beside`, each has
// a clone of its own beside that, whose edge gets the translations of those above.
class Chain : public MemoryStore {
 public:
  Chain(bool background, bool beside)
      : MemoryStore({.device = GiB(1), .node = KiB(64), .basement = KiB(4), .log = MiB(16)}), background_(background) {
    Open();
    tree = Must(store->CreateTree("tree"));
    Must(store->Put(tree, "a", "1"));
    Must(store->Compact(tree));
    Close();
    Open();  // the leaf is not in memory
    WriteBatch batch;
    for (uint64_t i = 0; i <= kClones; ++i) batch.CreateTree(Clone(i), fmt::format("clone{}", i));
    batch.ClonePrefix(tree, "", Clone(0), "");
    for (uint64_t i = 0; i < kClones; ++i) {
      batch.ClonePrefix(Clone(i), std::string(KiB(16).value, 'p'), Clone(i + 1), "");
      if (beside) batch.ClonePrefix(tree, "", Clone(i + 1), "z");
    }
    Must(store->Write(batch));
  }

  void Open() {
    StoreOptions options;
    options.background = background_;
    options.checkpoint_period = std::chrono::seconds(0);
    options.settle_time = std::chrono::seconds(0);  // which would find that there is nothing
    MemoryStore::Open(std::move(options));
  }
  void Reopen() {
    CheckSound();
    Open();
  }

  static TreeId Clone(uint64_t number) { return TreeId{100 + number}; }
  const TreeId last = Clone(kClones);
  TreeId tree;

 private:
  const bool background_;
};

// Other trees, and the store as a whole, do not suffer.
void CheckOthersWork(Chain& chain, const std::string& value) {
  CHECK_FALSE(chain.store->ReadOnly());
  Must(chain.store->Put(chain.tree, "other", value));
  Must(chain.store->Sync());
  Must(chain.store->Checkpoint());
  CHECK(Must(chain.store->Get(chain.tree, "other")) == value);
}

}  // namespace

TEST_CASE("a message for what lies below many clones of long prefixes is compacted as far as it goes", "[store]") {
  Chain chain(false, GENERATE(false, true));
  Must(chain.store->Put(chain.last, "b", "2"));
  Must(chain.store->Compact(chain.last));
  CheckOthersWork(chain, "1");
  CHECK(Must(chain.store->Get(chain.last, "b")) == "2");
  chain.Reopen();
  CHECK(Must(chain.store->Get(chain.last, "b")) == "2");
  Must(chain.store->EraseRange(chain.last, Range::All()));
  Must(chain.store->Compact(chain.last));
  CHECK_FALSE(Must(chain.store->Get(chain.last, "b")).has_value());
  chain.Reopen();
  CHECK_FALSE(Must(chain.store->Get(chain.last, "b")).has_value());
}

TEST_CASE("what waits for what lies below many clones of long prefixes has a limit", "[store]") {
  Chain chain(true, GENERATE(false, true));
  const std::string value(1000, 'v');
  const auto key = [](int i) { return fmt::format("b{:05}", i); };
  int taken = 0;
  absl::Status refused;
  for (; taken < 60'000 && refused.ok(); taken += refused.ok() ? 1 : 0) {
    refused = chain.store->Put(chain.last, key(taken), value);
    if (taken % 100 == 0) Must(chain.store->Checkpoint());
  }
  INFO(taken << " taken, then: " << refused);
  REQUIRE(absl::IsOutOfRange(refused));
  CheckOthersWork(chain, "1");
  // A clone of what waits would be as far down.
  Must(chain.store->ClonePrefix(chain.last, "b", chain.tree, "copy/"));
  CheckOthersWork(chain, "2");
  CHECK(Must(chain.store->Get(chain.tree, "copy/" + key(7).substr(1))) == value);
  chain.Reopen();
  for (int i = 0; i < taken; ++i) REQUIRE(Must(chain.store->Get(chain.last, key(i))) == value);
  CHECK_FALSE(Must(chain.store->Get(chain.last, key(taken))).has_value());
  CheckOthersWork(chain, "3");
  // What supersedes all of it comes in always, and what is new does then.
  Must(chain.store->EraseRange(chain.last, Range::All()));
  Must(chain.store->Checkpoint());
  for (int i = 0; i < 1000; ++i) Must(chain.store->Put(chain.last, key(i), "new"));
  Must(chain.store->Checkpoint());
  chain.Reopen();
  for (int i = 0; i < 1000; ++i) REQUIRE(Must(chain.store->Get(chain.last, key(i))) == "new");
  CHECK_FALSE(Must(chain.store->Get(chain.last, key(1001))).has_value());
}

TEST_CASE("a clone of what waits above many clones of long prefixes does not move it further", "[store]") {
  Chain chain(false, GENERATE(false, true));
  const std::string value(1000, 'v');
  WriteBatch batch;
  for (int i = 0; i < 50; ++i) batch.Put(chain.last, fmt::format("b{:05}", i), value);
  Must(chain.store->Write(batch));
  // Nobody else has what lies below: all of it may be moved.
  for (uint64_t i = 0; i < kClones; ++i) Must(chain.store->DropTree(Chain::Clone(i)));
  Must(chain.store->DropTree(chain.tree));
  Must(chain.store->Checkpoint());
  while (chain.store->Space().dead_nodes > 0) Must(chain.store->Checkpoint());
  const TreeId other = Must(chain.store->CreateTree("other"));
  for (int i = 0; i < 5; ++i) {
    Must(chain.store->Put(chain.last, "b00000", std::to_string(i)));
    Must(chain.store->ClonePrefix(chain.last, "b", other, "c"));
    Must(chain.store->Checkpoint());
    REQUIRE(Must(chain.store->Get(other, "c00000")) == std::to_string(i));
    REQUIRE(Must(chain.store->Get(other, "c00049")) == value);
  }
  chain.Reopen();
  CHECK(Must(chain.store->Get(chain.last, "b00049")) == value);
}

}  // namespace betr::test
