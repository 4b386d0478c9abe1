// SPDX-License-Identifier: Apache-2.0
// Differences in an open store: of what waits in front of the roots, of snapshots and trees, beside writers and through
// restarts. What they are is tested below that (tests/dag/difference_test.cc).
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "support/store/memory_store.h"

namespace betr::test {
namespace {

constexpr MemoryStore::Sizes kSizes{.device = MiB(64), .node = KiB(4), .basement = Bytes{512}, .log = MiB(1)};

// "key before after", a dash for what is not there.
std::vector<std::string> Differences(const Store& store, const std::shared_ptr<const ReadView>& view,
                                     const TreePrefix& before, const TreePrefix& after) {
  const std::unique_ptr<DifferenceCursor> cursor = Must(store.NewDifference(view, before, after));
  std::vector<std::string> found;
  for (cursor->Seek(Bound::At("")); cursor->Valid(); cursor->Next()) {
    found.push_back(std::string(cursor->Key()) + " " + std::string(cursor->Before().value_or("-")) + " " +
                    std::string(cursor->After().value_or("-")));
  }
  CHECK(cursor->status().ok());
  return found;
}

TEST_CASE("differences from a snapshot, as of when the view was taken", "[store][difference]") {
  MemoryStore fixture(kSizes);
  fixture.Open({});
  Store& store = *fixture.store;
  const TreeId tree = Must(store.CreateTree("tree"));
  for (int i = 1000; i < 4000; ++i) Must(store.Put(tree, "k" + std::to_string(i), "value"));
  const TreeId snapshot = Must(store.Snapshot(tree, "before"));
  Must(store.Put(tree, "k1500", "changed"));
  Must(store.Erase(tree, "k2500"));
  const std::shared_ptr<const ReadView> view = store.Pin();
  Must(store.Put(tree, "k3500", "later"));
  const std::vector<std::string> expected = {"1500 value changed", "2500 value -"};
  CHECK(Differences(store, view, {snapshot, "k"}, {tree, "k"}) == expected);
  Must(store.Checkpoint());
  Must(store.Compact(tree));
  CHECK(Differences(store, view, {snapshot, "k"}, {tree, "k"}) == expected);
  CHECK(Differences(store, store.Pin(), {snapshot, "k"}, {tree, "k"}).size() == 3);
  CHECK(Differences(store, store.Pin(), {tree, "k35"}, {snapshot, "k35"}) ==
        std::vector<std::string>{"00 later value"});
}

TEST_CASE("differences of clones in other trees, after a crash", "[store][difference]") {
  MemoryStore fixture(kSizes);
  fixture.Open({});
  const TreeId tree = Must(fixture.store->CreateTree("tree"));
  const TreeId other = Must(fixture.store->CreateTree("other"));
  for (int i = 1000; i < 4000; ++i) Must(fixture.store->Put(tree, "a/" + std::to_string(i), "value"));
  Must(fixture.store->ClonePrefix(tree, "a/", other, "some/where/"));
  Must(fixture.store->Put(other, "some/where/new", "value"));
  Must(fixture.store->Sync());
  fixture.Open({});  // without closing
  const Store& store = *fixture.store;
  CHECK(Differences(store, store.Pin(), {tree, "a/"}, {other, "some/where/"}) ==
        std::vector<std::string>{"new - value"});
}

TEST_CASE("a difference of what is not there is an error", "[store][difference]") {
  MemoryStore fixture(kSizes);
  fixture.Open({});
  const Store& store = *fixture.store;
  const TreeId tree = Must(fixture.store->CreateTree("tree"));
  CHECK(absl::IsNotFound(store.NewDifference(store.Pin(), {tree, ""}, {TreeId{77}, ""}).status()));
  CHECK(absl::IsInvalidArgument(store.NewDifference(nullptr, {tree, ""}, {tree, ""}).status()));
  CHECK(Differences(store, store.Pin(), {tree, "a"}, {tree, "b"}).empty());
}

}  // namespace
}  // namespace betr::test
