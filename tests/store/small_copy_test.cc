// SPDX-License-Identifier: Apache-2.0
// Clones of little are copied key by key: as long as that makes little, too.
#include <catch2/catch.hpp>
#include <string>

#include "betr/store.h"
#include "support/must.h"
#include "support/store/memory_store.h"

namespace betr::test {
namespace {

constexpr Bytes kNode = KiB(64);
constexpr int kKeys = 1000;

class Fixture : public MemoryStore {
 public:
  Fixture() : MemoryStore({.device = MiB(64), .node = kNode, .basement = KiB(4), .log = MiB(4)}) {
    Open();
    tree = Must(store->CreateTree("tree"));
    WriteBatch batch;
    for (int i = 0; i < kKeys; ++i) batch.Put(tree, "a" + std::to_string(1000 + i), "");
    Must(store->Write(batch));
    Must(store->Compact(tree));
    Must(store->Checkpoint());
  }

  void Open() {
    StoreOptions options;
    options.background = false;
    MemoryStore::Open(std::move(options));
  }

  TreeId tree;
};

TEST_CASE("a clone that makes long keys of short ones is not copied", "[store]") {
  Fixture fixture;
  const std::string prefix(KiB(16).value, 'p');
  Must(fixture.store->ClonePrefix(fixture.tree, "", fixture.tree, prefix));
  CHECK(fixture.store->Stats().buffers <= kNode);
  CHECK(fixture.store->Get(fixture.tree, prefix + "a1500").value().has_value());
  CHECK_FALSE(fixture.store->Get(fixture.tree, prefix + "a2000").value().has_value());
  fixture.CheckSound();
}

TEST_CASE("many clones of little in one batch are not all copied", "[store]") {
  constexpr int kClones = 300;
  Fixture fixture;
  WriteBatch batch;
  for (int i = 0; i < kClones; ++i) batch.ClonePrefix(fixture.tree, "a", fixture.tree, "b" + std::to_string(i) + "/");
  Must(fixture.store->Write(batch));
  CHECK(fixture.store->Stats().buffers <= kNode * 3);
  for (int i = 0; i < kClones; ++i) {
    CHECK(fixture.store->Get(fixture.tree, "b" + std::to_string(i) + "/1999").value().has_value());
  }
  fixture.CheckSound();
}

TEST_CASE("a source that is known to be too large to be copied is not read", "[store]") {
  Fixture fixture;
  WriteBatch batch;
  for (int i = 0; i < kKeys; ++i) batch.Put(fixture.tree, "a" + std::to_string(1000 + i), std::string(30, 'v'));
  Must(fixture.store->Write(batch));
  Must(fixture.store->Compact(fixture.tree));
  fixture.Close();
  fixture.Open();
  const uint64_t before = fixture.store->Stats().block_reads;
  Must(fixture.store->ClonePrefix(fixture.tree, "a", fixture.tree, "b"));
  CHECK(fixture.store->Stats().block_reads == before);
  CHECK(fixture.store->Get(fixture.tree, "b1999").value().has_value());
  fixture.CheckSound();
}

TEST_CASE("clones of what is too large to be copied are not all tried", "[store]") {
  Fixture fixture;
  const auto clones_of = [&](int large) {
    WriteBatch batch;
    for (int i = 0; i < large; ++i) {
      batch.ClonePrefix(fixture.tree, "a", fixture.tree, std::to_string(i) + std::string(100, 'b'));
    }
    batch.ClonePrefix(fixture.tree, "a1001", fixture.tree, "c");
    const uint64_t before = fixture.store->Stats().clones;
    Must(fixture.store->Write(batch));
    return fixture.store->Stats().clones - before;
  };
  CHECK(clones_of(3) == 3);
  CHECK(clones_of(4) == 5);
  CHECK(fixture.store->Get(fixture.tree, "c").value().has_value());
  fixture.CheckSound();
}

TEST_CASE("what a batch has written, and renames at once, is copied", "[store]") {
  Fixture fixture;
  const auto get = [&](const std::string& key) { return fixture.store->Get(fixture.tree, key).value().value_or("-"); };
  const uint64_t before = fixture.store->Stats().clones;
  WriteBatch batch;
  batch.Put(fixture.tree, "final/old", "old");
  batch.Put(fixture.tree, "temp/1", "one");
  batch.Put(fixture.tree, "temp/2", "two");
  batch.Put(fixture.tree, "temp/3", "three");
  batch.Erase(fixture.tree, "temp/2");
  batch.EraseRange(fixture.tree, Range::Prefix("a15"));
  batch.RenamePrefix(fixture.tree, "temp/", fixture.tree, "final/");
  batch.Put(fixture.tree, "final/1", "changed");
  batch.ClonePrefix(fixture.tree, "final/", fixture.tree, "copy/");
  batch.ClonePrefix(fixture.tree, "a1", fixture.tree, "b");
  Must(fixture.store->Write(batch));
  CHECK(fixture.store->Stats().clones == before);
  CHECK(get("temp/1") == "-");
  CHECK(get("final/old") == "-");
  CHECK(get("final/1") == "changed");
  CHECK(get("final/2") == "-");
  CHECK(get("final/3") == "three");
  CHECK(get("copy/1") == "changed");
  CHECK(get("copy/3") == "three");
  CHECK(get("b499").empty());
  CHECK(get("b500") == "-");
  CHECK(get("b600").empty());
  fixture.CheckSound();
}

TEST_CASE("what a clone of the same batch has made is cloned", "[store]") {
  Fixture fixture;
  WriteBatch values;
  for (int i = 0; i < kKeys; ++i) values.Put(fixture.tree, "large" + std::to_string(i), std::string(100, 'v'));
  Must(fixture.store->Write(values));
  const uint64_t before = fixture.store->Stats().clones;
  WriteBatch batch;
  batch.ClonePrefix(fixture.tree, "large", fixture.tree, "copy");
  batch.Put(fixture.tree, "copy1", "one");
  batch.ClonePrefix(fixture.tree, "copy1", fixture.tree, "part");
  Must(fixture.store->Write(batch));
  CHECK(fixture.store->Stats().clones == before + 2);
  CHECK(fixture.store->Get(fixture.tree, "part").value() == "one");
  CHECK(fixture.store->Get(fixture.tree, "part99").value() == std::string(100, 'v'));
  fixture.CheckSound();
}

TEST_CASE("where a batch writes more than may be read, what it renames then is not copied", "[store]") {
  Fixture fixture;
  const uint64_t before = fixture.store->Stats().clones;
  WriteBatch batch;
  batch.Put(fixture.tree, "temp", "first");
  batch.Put(fixture.tree, "x", std::string(kNode.value - 100, 'x'));
  batch.Put(fixture.tree, "temp", std::string(100, 'l'));
  batch.RenamePrefix(fixture.tree, "temp", fixture.tree, "final");
  Must(fixture.store->Write(batch));
  CHECK(fixture.store->Stats().clones == before + 1);
  CHECK(fixture.store->Get(fixture.tree, "final").value() == std::string(100, 'l'));
  fixture.CheckSound();
}

}  // namespace
}  // namespace betr::test
