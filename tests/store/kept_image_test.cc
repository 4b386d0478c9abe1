// SPDX-License-Identifier: Apache-2.0
// An image of a store as a version of the library has left it, after a crash: it is read, its log replayed, and worked
// on. What it must hold is made again, by the same changes to a fresh store.
#include "support/device/kept_image.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <string>

#include "base/random.h"
#include "support/dag/upserts.h"
#include "support/store/memory_store.h"

namespace betr::test {
namespace {

constexpr const char* kOlderFile = "store/data/format-1.0.img.zst";
constexpr const char* kFile = "store/data/format-1.0-counted.img.zst";
constexpr MemoryStore::Sizes kSizes{
    .device = MiB(4), .node = KiB(16), .basement = KiB(2), .log = KiB(256), .fanout = 8};

StoreOptions Options(bool read_only = false) {
  StoreOptions options;
  options.background = false;
  options.read_only = read_only;
  options.cache_size = MiB(1);
  Must(options.functions.Add(std::make_shared<AppendFunction>()));
  return options;
}

// Letters, so that there is something to compress.
std::string Text(Random& random) {
  std::string text(random.Between(10, 200), '\0');
  for (char& letter : text) letter = static_cast<char>('a' + random.Uniform(6));
  return text;
}

void PutFiles(Store& store, TreeId tree, std::string_view directory, Random& random) {
  WriteBatch batch;
  for (int file = 0; file < 60; ++file) batch.Put(tree, fmt::format("/{}/file{:02}", directory, file), Text(random));
  Must(store.Write(batch));
}

void AppendSomewhere(Store& store, TreeId tree, Random& random) {
  for (int i = 0; i < 300; ++i) {
    const std::string key = fmt::format("key{}", random.Uniform(100));
    Must(store.Upsert(tree, key, AppendFunction::kNumber, fmt::format("{},", i)));
  }
}

// Everything that the format has: nodes of several heights, messages of all kinds on their way, shared nodes, edges
// that translate, snapshots, dead nodes, each compression; and records of all kinds in the log.
void Fill(Store& store) {
  Random random(1);
  const TreeId lists = Must(store.CreateTree("lists", "none"));
  const TreeId paths = Must(store.CreateTree("paths", "zstd:3"));
  const TreeId gone = Must(store.CreateTree("gone"));
  for (const char* directory : {"a", "b", "c", "d", "e", "f", "g", "h"}) PutFiles(store, paths, directory, random);
  AppendSomewhere(store, lists, random);
  PutFiles(store, gone, "a", random);
  Must(store.ClonePrefix(paths, "/a/", paths, "/copy of a/"));
  Must(store.Checkpoint());
  Must(store.Snapshot(paths, "before"));
  Must(store.RenamePrefix(paths, "/b/", paths, "/a name of another length/"));
  Must(store.ClonePrefix(paths, "/c/", lists, "from paths/"));
  Must(store.EraseRange(paths, {Bound::At("/d/file20"), Bound::At("/d/file40")}));
  Must(store.Put(paths, "/copy of a/file05", "changed in the copy"));
  Must(store.Erase(paths, "/a/file06"));
  Must(store.DropTree(gone));
  Must(store.Checkpoint());
  AppendSomewhere(store, lists, random);
  PutFiles(store, paths, "in the log", random);
  Must(store.ClonePrefix(paths, "/copy of a/", paths, "/copy of the copy/"));
  Must(store.RenamePrefix(paths, "/e/", paths, "/copy of the copy/e/"));
  Must(store.EraseRange(paths, Range::Prefix("/f/")));
  Must(store.Erase(paths, "/g/file07"));
  Must(store.Snapshot(lists, "lists before"));
  Must(store.CreateTree("new", "lz4"));
  Must(store.Sync());
}

// By the tree's name, compression and kind.
using Contents = std::map<std::string, std::map<std::string, std::string>>;

Contents ContentsOf(const Store& store) {
  Contents contents;
  for (const TreeInfo& tree : store.Trees()) {
    auto& entries = contents[fmt::format("{} {} {}", tree.name, tree.compression, tree.snapshot)];
    const std::unique_ptr<Cursor> cursor = Must(store.NewCursor(tree.id));
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) entries.emplace(cursor->Key(), cursor->Value());
    Must(cursor->status());
  }
  return contents;
}

}  // namespace

TEST_CASE("an image that was kept is read, replayed and worked on", "[store]") {
  MemoryStore fresh(kSizes);
  fresh.Open(Options());
  Fill(*fresh.store);
  const Contents expected = ContentsOf(*fresh.store);
  REQUIRE(expected.size() == 5);
  if (KeepsImages()) KeepImage(kFile, fresh.device());
  const std::string file = GENERATE(kOlderFile, kFile);
  INFO(file);
  MemoryDevice device(kSizes.device, ReadKeptImage(file, kSizes.device));
  const auto open = [&](bool read_only) {
    return Must(Store::Open(std::make_unique<store::BorrowedDevice>(device), Options(read_only)));
  };
  CHECK(ContentsOf(*open(true)) == expected);
  std::unique_ptr<Store> store = open(false);
  CHECK(ContentsOf(*store) == expected);
  const TreeId paths = Must(store->FindTree("paths"));
  Must(store->ClonePrefix(paths, "/copy of the copy/", paths, "/h/"));
  Must(store->Compact(paths));
  Must(store->RenamePrefix(paths, "/h/", paths, "/copy of the copy/"));
  Must(store->EraseRange(paths, Range::Prefix("/h/")));
  Must(store->Close());
  CHECK(CheckImage(device).value().empty());
  Contents after = expected;
  for (auto& [name, entries] : after) {
    if (name.starts_with("paths ")) {
      std::erase_if(entries, [](const auto& entry) { return entry.first.starts_with("/h/"); });
    }
  }
  CHECK(ContentsOf(*open(true)) == after);
}

}  // namespace betr::test
