// SPDX-License-Identifier: Apache-2.0
// What a caller may get wrong without being told by the compiler: an error, and nothing else.
#include <catch2/catch.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "betr/size_limits.h"
#include "betr/upsert.h"
#include "support/dag/upserts.h"
#include "support/store/memory_store.h"

namespace betr::test {
namespace {

constexpr MemoryStore::Sizes kSizes{.device = MiB(16), .node = KiB(64), .basement = KiB(4), .log = MiB(1)};

class Renamed final : public UpsertFunction {
 public:
  explicit Renamed(uint16_t number, std::string name = "same") : number_(number), name_(std::move(name)) {}
  uint16_t Number() const override { return number_; }
  std::string_view Name() const override { return name_; }
  std::optional<std::string> Apply(std::optional<std::string_view> /*old*/, std::string_view delta) const override {
    return std::string(delta);
  }

 private:
  const uint16_t number_;
  const std::string name_;
};

TEST_CASE("upsert functions have numbers and names of their own", "[store]") {
  UpsertRegistry registry;
  CHECK(absl::IsInvalidArgument(registry.Add(nullptr)));
  CHECK(registry.Add(std::make_shared<Renamed>(3)).ok());
  CHECK(absl::IsAlreadyExists(registry.Add(std::make_shared<Renamed>(4))));
  CHECK(absl::IsAlreadyExists(registry.Add(std::make_shared<Renamed>(3))));
  CHECK(registry.All().size() == 1);
  CHECK(absl::IsInvalidArgument(registry.Add(std::make_shared<Renamed>(0, "none"))));
  CHECK(absl::IsInvalidArgument(registry.Add(std::make_shared<Renamed>(5, ""))));
  const std::string longest(kMaxFunctionNameSize.value, 'n');
  CHECK(absl::IsInvalidArgument(registry.Add(std::make_shared<Renamed>(5, longest + "n"))));
  CHECK(registry.Add(std::make_shared<Renamed>(5, longest)).ok());
  CHECK(registry.Find(5)->Name() == longest);
  CHECK(registry.Find(0) == nullptr);
}

TEST_CASE("an upsert that would make too large a value has no effect, wherever it is", "[store][upsert]") {
  for (const bool composes : {false, true}) {
    MemoryStore fixture({.device = MiB(64), .node = KiB(64), .basement = KiB(4), .log = MiB(8)});
    StoreOptions options;
    options.background = false;
    Must(options.functions.Add(std::make_shared<AppendFunction>(composes)));
    fixture.Open(options);
    const TreeId tree = Must(fixture.store->CreateTree("t"));
    const std::string nearly(kMaxValueSize.value - 1, 'v');
    Must(fixture.store->Put(tree, "key", nearly));
    Must(fixture.store->Checkpoint());
    const auto require = [&](const std::string& end) {
      const std::string value = Must(fixture.store->Get(tree, "key")).value();
      REQUIRE(value.size() == nearly.size() + end.size());
      REQUIRE(value.ends_with("v" + end));
    };
    Must(fixture.store->Upsert(tree, "key", AppendFunction::kNumber, "1"));
    require("1");
    Must(fixture.store->Compact(tree));
    Must(fixture.store->Upsert(tree, "key", AppendFunction::kNumber, "2"));
    require("1");
    fixture.Open(options);  // replays it
    require("1");
    Must(fixture.store->Compact(tree));
    require("1");
    fixture.CheckSound();
  }
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
