// SPDX-License-Identifier: Apache-2.0
// What a caller may get wrong without being told by the compiler: an error, and nothing else.
#include <catch2/catch.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "betr/size_limits.h"
#include "betr/upsert.h"
#include "support/store/memory_store.h"

namespace betr::test {
namespace {

constexpr MemoryStore::Sizes kSizes{.device = MiB(16), .node = KiB(64), .basement = KiB(4), .log = MiB(1)};

class Renamed final : public UpsertFunction {
 public:
  explicit Renamed(uint16_t number) : number_(number) {}
  uint16_t Number() const override { return number_; }
  std::string_view Name() const override { return "same"; }
  std::optional<std::string> Apply(std::optional<std::string_view> /*old*/, std::string_view delta) const override {
    return std::string(delta);
  }

 private:
  const uint16_t number_;
};

TEST_CASE("upsert functions have numbers and names of their own", "[store]") {
  UpsertRegistry registry;
  CHECK(absl::IsInvalidArgument(registry.Add(nullptr)));
  CHECK(registry.Add(std::make_shared<Renamed>(3)).ok());
  CHECK(absl::IsAlreadyExists(registry.Add(std::make_shared<Renamed>(4))));
  CHECK(absl::IsAlreadyExists(registry.Add(std::make_shared<Renamed>(3))));
  CHECK(registry.All().size() == 1);
}

TEST_CASE("a view belongs to its store", "[store]") {
  MemoryStore one(kSizes);
  MemoryStore other(kSizes);
  one.Open({});
  other.Open({});
  const TreeId tree = Must(one.store->CreateTree("t"));
  REQUIRE(Must(other.store->CreateTree("t")) == tree);
  Must(one.store->Put(tree, "key", "of one"));
  const std::shared_ptr<const ReadView> view = one.store->Pin();
  CHECK(Must(one.store->Get(*view, tree, "key")) == "of one");
  CHECK(absl::IsInvalidArgument(other.store->Get(*view, tree, "key").status()));
  CHECK(absl::IsInvalidArgument(other.store->FindTree(*view, "t").status()));
  CHECK(absl::IsInvalidArgument(other.store->NewCursor(view, tree).status()));
  CHECK(absl::IsInvalidArgument(other.store->IdOfContent(*view, tree, "").status()));
  CHECK(absl::IsInvalidArgument(one.store->NewCursor(nullptr, tree).status()));
}

TEST_CASE("an error says which of several changes cannot be made", "[store]") {
  MemoryStore fixture(kSizes);
  fixture.Open({});
  Store& store = *fixture.store;
  const TreeId tree = Must(store.CreateTree("t"));
  const TreeId snapshot = Must(store.Snapshot(tree, "s"));
  const auto error = [&](const auto& add) {
    WriteBatch batch;
    batch.Put(tree, "a", "b");
    batch.Put(tree, "b", "c");
    add(batch);
    return std::string(store.Write(batch).message());
  };
  using Catch::Contains;
  CHECK_THAT(error([&](WriteBatch& batch) { batch.Put(snapshot, "a", "b"); }),
             Contains("change 2 (put)") && Contains("\"s\"") && Contains("read-only"));
  CHECK_THAT(error([&](WriteBatch& batch) { batch.Erase(TreeId{99}, "a"); }),
             Contains("change 2 (erase)") && Contains("tree 99"));
  CHECK_THAT(error([&](WriteBatch& batch) { batch.Upsert(tree, "a", 5, "b"); }),
             Contains("change 2 (upsert)") && Contains("function 5"));
  CHECK_THAT(error([&](WriteBatch& batch) { batch.Snapshot(tree, "n", snapshot); }),
             Contains("change 2 (snapshot)") && Contains("tree " + std::to_string(snapshot.value)));
  CHECK_THAT(error([&](WriteBatch& batch) { batch.CreateTree({}, "n", "gzip"); }),
             Contains("\"n\"") && Contains("gzip"));
  CHECK_FALSE(Must(store.Get(tree, "a")));
}

TEST_CASE("a range may end right behind any key, also after a crash", "[store]") {
  MemoryStore fixture(kSizes);
  StoreOptions options;
  options.background = false;
  fixture.Open(options);
  const TreeId tree = Must(fixture.store->CreateTree("t"));
  const std::string longest(kMaxKeySize.value, 'k');
  Must(fixture.store->Put(tree, longest, "value"));
  Must(fixture.store->EraseRange(tree, Range::Only(longest)));
  Must(fixture.store->Sync());
  fixture.Open(options);
  CHECK(!Must(fixture.store->Get(tree, longest)));
  CHECK(absl::IsInvalidArgument(fixture.store->EraseRange(tree, Range::Only(longest + 'k'))));
  fixture.CheckSound();
}

}  // namespace
}  // namespace betr::test
