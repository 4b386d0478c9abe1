// SPDX-License-Identifier: Apache-2.0
// What a store says that prefixes take alone comes back when they are erased. What is shared with whom is tested below
// that (tests/dag/footprint_test.cc).
#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/random.h"
#include "support/seed.h"
#include "support/store/memory_store.h"

namespace betr::test {
namespace {

constexpr MemoryStore::Sizes kSizes{.device = MiB(64), .node = KiB(16), .basement = KiB(2), .log = MiB(1)};

std::string Noise(Random& random) {
  std::string value(200, '\0');
  for (char& c : value) c = static_cast<char>(random.Uniform(256));
  return value;
}

// What threads do beside this would be in use, too.
StoreOptions WithoutThreads() {
  StoreOptions options;
  options.background = false;
  return options;
}

void Fill(Store& store, TreeId tree, const std::string& prefix, Random& random) {
  for (int i = 10'000; i < 15'000; ++i) Must(store.Put(tree, prefix + std::to_string(i), Noise(random)));
}

// Closed and opened again, so that all is stored, and nothing is waiting to be given back.
void Restart(MemoryStore& fixture) {
  fixture.Close();
  fixture.Open(WithoutThreads());
}

uint64_t Used(const Store& store) { return (store.Space().total - store.Space().free).value; }

Footprint Of(const Store& store, const std::vector<TreePrefix>& prefixes) {
  return Must(store.FootprintOf(*store.Pin(), prefixes));
}

void CheckAbout(uint64_t found, uint64_t expected, uint64_t tolerance) {
  INFO(found << " instead of " << expected);
  CHECK(found + tolerance >= expected);
  CHECK(found <= expected + tolerance);
}

TEST_CASE("what a clone takes alone comes back when it is erased", "[store][footprint]") {
  Random random(TestSeed());
  MemoryStore fixture(kSizes);
  fixture.Open(WithoutThreads());
  const TreeId tree = Must(fixture.store->CreateTree("tree"));
  Fill(*fixture.store, tree, "a/", random);
  Restart(fixture);
  const uint64_t of_one = Used(*fixture.store);
  CheckAbout(Of(*fixture.store, {{tree, "a/"}}).exclusive.value, of_one, of_one / 20);

  Must(fixture.store->ClonePrefix(tree, "a/", tree, "b/"));
  for (int i = 10'000; i < 11'500; ++i) Must(fixture.store->Put(tree, "b/" + std::to_string(i), Noise(random)));
  Must(fixture.store->Compact(tree));
  Restart(fixture);
  const Footprint clone = Of(*fixture.store, {{tree, "b/"}});
  const Footprint both = Of(*fixture.store, {{tree, "a/"}, {tree, "b/"}});
  const uint64_t of_both = Used(*fixture.store);
  CHECK(clone.stored.value > of_one * 9 / 10);
  CHECK(clone.exclusive.value > of_one / 5);
  CHECK(clone.exclusive.value < of_one / 2);
  CheckAbout(both.exclusive.value, of_both, of_both / 20);

  Must(fixture.store->EraseRange(tree, Range::Prefix("b/")));
  Must(fixture.store->Compact(tree));
  Restart(fixture);
  CheckAbout(clone.exclusive.value, of_both - Used(*fixture.store), of_one / 10);
  Must(fixture.store->EraseRange(tree, Range::All()));
  Must(fixture.store->Compact(tree));
  Restart(fixture);
  CHECK(Of(*fixture.store, {{tree, ""}}).stored <= KiB(16));
}

TEST_CASE("footprints of a tree that a snapshot keeps, of several trees, of nothing", "[store][footprint]") {
  Random random(TestSeed());
  MemoryStore fixture(kSizes);
  fixture.Open(WithoutThreads());
  const TreeId tree = Must(fixture.store->CreateTree("tree"));
  const TreeId other = Must(fixture.store->CreateTree("other"));
  Fill(*fixture.store, tree, "", random);
  Must(fixture.store->ClonePrefix(tree, "", other, "x/"));
  Restart(fixture);
  Store& store = *fixture.store;
  CHECK(Of(store, {{tree, ""}}).exclusive.value < Used(store) / 10);
  CHECK(Of(store, {{tree, ""}, {other, ""}}).exclusive.value > Used(store) * 9 / 10);
  const TreeId snapshot = Must(store.Snapshot(tree, "before"));
  CHECK(Of(store, {{tree, ""}, {other, ""}}).exclusive.value < Used(store) / 10);
  CHECK(Of(store, {{tree, ""}, {other, ""}, {snapshot, ""}}).exclusive.value > Used(store) * 9 / 10);

  CHECK(Of(store, {}).stored == Bytes{0});
  CHECK(Of(store, {{other, "y/"}}).exclusive == Bytes{0});
  CHECK(store.FootprintOf(*store.Pin(), {{TreeId{99}, ""}}).status().code() == absl::StatusCode::kNotFound);
}

TEST_CASE("what is not stored yet has a size, too", "[store][footprint]") {
  Random random(TestSeed());
  MemoryStore fixture(kSizes);
  fixture.Open(WithoutThreads());
  const TreeId tree = Must(fixture.store->CreateTree("tree"));
  Fill(*fixture.store, tree, "a/", random);
  Must(fixture.store->Compact(tree));
  const Footprint before = Of(*fixture.store, {{tree, "a/"}});
  Must(fixture.store->Checkpoint());
  const Footprint after = Of(*fixture.store, {{tree, "a/"}});
  CHECK(before.stored >= after.stored);
  CHECK(before.stored.value < after.stored.value * 2);
}

}  // namespace
}  // namespace betr::test
