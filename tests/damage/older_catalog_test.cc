// SPDX-License-Identifier: Apache-2.0
// Both copies of the catalog are lost, and an older one is found, or none: the live trees are what they were, whatever
// has become of snapshots and trees since; or it is said that what is shown may be older.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>

#include "base/coding.h"
#include "betr/filesystem.h"
#include "betr/path_filesystem.h"
#include "layout/catalog_codec.h"
#include "layout/superblock_slots.h"
#include "store/borrowed_device.h"
#include "store/offline/inspect.h"
#include "store/offline/repair_image.h"
#include "support/damage/run_fsck_on.h"
#include "support/damage/structures.h"
#include "support/damage/subject.h"
#include "support/must.h"
#include "support/store/check_image.h"

namespace betr::test {
namespace {

constexpr int kFiles = 30;
constexpr Bytes kSize = MiB(8);
constexpr Generation kAll{0};
constexpr Generation kNewest{~uint64_t{0}};
constexpr std::string_view kMayBeOlder = "may be older";

// Zeroes both copies of the catalog, and all older ones that were written after that moment.
void ZeroCatalogs(MemoryDevice& device, Generation after) {
  const layout::CatalogAddress newest = Must(layout::ReadNewest(device)).superblock.catalog;
  std::string unit(layout::kUnit.value, '\0');
  for (uint64_t at = 0; at < device.Size() / layout::kUnit; ++at) {
    Must(device.Read(layout::UnitBytes(at), unit));
    const bool is_newest = newest.copies[0].start == at || newest.copies[1].start == at;
    const bool is_catalog = unit.starts_with(layout::kCatalogMagic);
    if (is_newest || (is_catalog && LoadFixed<uint64_t>(unit.data() + 32) > after.value)) {
      Must(device.Write(layout::UnitBytes(at), std::string(unit.size(), '\0')));
    }
  }
}

// A file system of which snapshots are made, and a device to lose its catalogs.
class Files {
 public:
  Files() : device_(kSize) {
    FormatOptions format;
    format.node_size = KiB(4);
    format.basement_size = KiB(1);
    format.log_size = KiB(256);
    Must(Store::Format(device_, format));
    ByStore([](Store& store) { Must(FileSystem::Format(&store, RootOptions())); });
  }

  MemoryDevice& device() { return device_; }

  void Write(char byte) {
    ByFiles([&](PathFileSystem& paths) {
      static_cast<void>(paths.MakeDirectories("a"));
      for (int i = 0; i < kFiles; ++i) Must(paths.WriteFile(fmt::format("a/f{}", i), std::string(6000, byte)));
    });
  }

  // "" if all files are there and have that byte.
  std::string Wrong(char byte) {
    std::string wrong;
    ByFiles([&](PathFileSystem& paths) {
      for (int i = 0; i < kFiles; ++i) {
        const auto content = paths.ReadFile(fmt::format("a/f{}", i));
        if (!content.ok() || *content != std::string(6000, byte)) {
          wrong += fmt::format("a/f{}: {}\n", i, content.ok() ? content->substr(0, 1) : content.status().ToString());
        }
      }
    });
    return wrong;
  }

  void Snapshot(const std::string& name) {
    ByStore([&](Store& store) {
      for (const std::string_view tree : {kMetaTree, kDataTree}) {
        Must(store.Snapshot(Must(store.FindTree(tree)), fmt::format("{}.{}", name, tree)));
      }
    });
  }

  void Drop(const std::string& name) {
    ByStore([&](Store& store) {
      for (const std::string_view tree : {kMetaTree, kDataTree}) {
        Must(store.DropTree(Must(store.FindTree(fmt::format("{}.{}", name, tree)))));
      }
    });
  }

  void ByStore(const std::function<void(Store&)>& act) {
    const std::unique_ptr<Store> store = Must(OpenSubject(device_, false));
    act(*store);
    Must(store->Close());
  }

  Generation Now() { return Must(layout::ReadNewest(device_)).superblock.generation; }

  void LoseCatalogs(Generation after) { ZeroCatalogs(device_, after); }

  void LoseTable() {
    Lose([](const Structure& structure) { return structure.kind == Structure::Kind::kTablePage; });
  }

  void LoseRootOf(std::string_view tree) {
    const NodeId root =
        Must(store::Inspection::Open(device_, MiB(4)))->state()->trees.FindName(std::string(tree))->root;
    Lose([&](const Structure& structure) {
      return structure.kind == Structure::Kind::kNodeHeader && structure.id == root.value;
    });
  }

 private:
  void Lose(const std::function<bool(const Structure&)>& is_lost) {
    for (const Structure& structure : StructuresOf(device_)) {
      if (is_lost(structure)) Must(device_.Write(structure.offset, std::string(structure.extent.value, '\0')));
    }
  }

  void ByFiles(const std::function<void(PathFileSystem&)>& act) {
    StoreOptions options;
    options.background = false;
    Must(FileSystem::RegisterUpserts(&options.functions));
    auto store = Must(Store::Open(std::make_unique<store::BorrowedDevice>(device_), std::move(options)));
    const std::unique_ptr<FileSystem> fs = Must(FileSystem::Mount(std::move(store), MountOptions()));
    {
      PathFileSystem paths(fs.get());
      act(paths);
    }
    Must(fs->Unmount());
  }

  MemoryDevice device_;
};

// Repairs; says whether it was told that what is shown may be older.
bool Repair(Files& files) {
  const FsckRun run = RunFsckOn(files.device(), {"-y"});
  INFO(run.out << run.err);
  CHECK(run.exit == 1);
  CHECK_FALSE(Says(run, ": bytes "));  // nothing is lost
  const FsckRun again = RunFsckOn(files.device(), {"-n", "-f"});
  INFO(again.out << again.err);
  CHECK(again.exit == 0);
  UNSCOPED_INFO(run.out << run.err);
  return Says(run, kMayBeOlder);
}

TEST_CASE("a snapshot's state is not shown as the live one", "[damage][repair]") {
  Files files;
  files.Write('A');
  const Generation before = files.Now();
  files.Snapshot("snap");
  const Generation with_snapshot = files.Now();
  files.Write('B');
  SECTION("the older catalog knows the snapshot") {
    files.LoseCatalogs(kNewest);
    CHECK_FALSE(Repair(files));  // the checksum proves it
  }
  SECTION("the catalog that was written with the snapshot") {
    files.LoseCatalogs(with_snapshot);
    CHECK_FALSE(Repair(files));
  }
  SECTION("it was written before the snapshot") {
    files.LoseCatalogs(before);
    CHECK(Repair(files));
  }
  SECTION("there is none") {
    files.LoseCatalogs(kAll);
    CHECK(Repair(files));
  }
  SECTION("the table is lost as well") {
    files.LoseCatalogs(GENERATE_COPY(kAll, before, with_snapshot, kNewest));
    files.LoseTable();
    Repair(files);
  }
  CHECK(files.Wrong('B') == "");
}

TEST_CASE("of several snapshots none is shown as the live state", "[damage][repair]") {
  Files files;
  files.Write('A');
  files.Snapshot("one");
  const Generation with_one = files.Now();
  files.Write('B');
  files.Snapshot("two");
  const Generation with_two = files.Now();
  files.Write('C');
  const Generation after = GENERATE_COPY(kAll, with_one, with_two, kNewest);
  files.LoseCatalogs(after);
  const bool without_table = GENERATE(false, true);
  if (without_table) files.LoseTable();
  const bool was_told = Repair(files);
  CHECK((was_told || after == with_two || after == kNewest));
  CHECK(files.Wrong('C') == "");
}

TEST_CASE("a snapshot that was dropped since an older catalog keeps nobody from finding the live state",
          "[damage][repair]") {
  Files files;
  files.Write('A');
  files.Snapshot("snap");
  const Generation with_snapshot = files.Now();
  char content = 'A';
  SECTION("nothing else has changed") { files.Drop("snap"); }
  SECTION("changed before") {
    content = 'B';
    files.Write(content);
    files.Drop("snap");
  }
  SECTION("changed after") {
    content = 'B';
    files.Drop("snap");
    files.Write(content);
  }
  SECTION("a tree was made") {
    files.Drop("snap");
    files.ByStore([](Store& store) { Must(store.Put(Must(store.CreateTree("new")), "key", "value")); });
  }
  SECTION("another snapshot was made") {
    content = 'B';
    files.Drop("snap");
    files.Snapshot("second");
    files.Write(content);
  }
  files.LoseCatalogs(with_snapshot);
  Repair(files);
  CHECK(files.Wrong(content) == "");
}

TEST_CASE("a node that is found as it was before, without a page of the table, is said to be one that may be older",
          "[damage][repair]") {
  Files files;
  files.Write('A');
  files.Write('B');
  files.LoseRootOf(kDataTree);
  files.LoseTable();
  const std::string option = GENERATE("--json", "-v");
  const FsckRun run = RunFsckOn(files.device(), {"-y", option});
  INFO(run.out << run.err);
  CHECK(run.exit == 1);
  if (option == "--json") {
    CHECK(Says(run, "\"all_lost_listed\": false"));
    CHECK(Says(run, "\"partial\": true"));
  } else {
    CHECK(Says(run, "\nlost: names all: may be older or missing: node "));
    CHECK(Says(run, "\nlost: tree \"data\": keys all: may be older or missing: node "));
    CHECK_FALSE(Says(run, "lost: /a/"));
    CHECK(Says(run, "0 errors left, some of what is shown may be older"));
  }
  CHECK(RunFsckOn(files.device(), {"-n", "-f"}).exit == 0);
}

// A store without a file system, with trees "main" and "other".
struct Trees {
  MemoryDevice device{kSize};
  Generation made;

  Trees() {
    FormatOptions format;
    format.node_size = Bytes{512};
    format.basement_size = Bytes{128};
    format.log_size = KiB(64);
    Must(Store::Format(device, format));
    Do([&](Store& store) {
      Fill(store, Must(store.CreateTree("main")), 'A');
      Fill(store, Must(store.CreateTree("other")), 'O');
    });
    made = Must(layout::ReadNewest(device)).superblock.generation;
  }

  void Do(const std::function<void(Store&)>& act) {
    const std::unique_ptr<Store> store = Must(OpenSubject(device, false));
    act(*store);
    Must(store->Close());
  }

  static void Fill(Store& store, TreeId tree, char byte) {
    for (int i = 0; i < 50; ++i) {
      Must(store.Put(tree, fmt::format("{}{:03}", byte == 'O' ? "o" : "m", i), std::string(30, byte)));
    }
  }

  void Rewrite(char byte) {
    Do([&](Store& store) { Fill(store, Must(store.FindTree("main")), byte); });
  }

  // The first value of a tree; "" if there is no such tree.
  std::string First(std::string_view tree) {
    std::string value;
    Do([&](Store& store) {
      const auto found = store.FindTree(tree);
      if (found.ok()) {
        const auto cursor = Must(store.NewCursor(*found));
        cursor->SeekToFirst();
        value = cursor->Value();
      }
    });
    return value;
  }

  store::ImageRepair LoseAndRepair(Generation after = kNewest) {
    ZeroCatalogs(device, after);
    store::ImageRepair repair =
        Must(store::RepairImage(device, MiB(4), store::RepairDepth::kAll, Must(CheckImage(device, MiB(4))),
                                [](std::string_view action) { UNSCOPED_INFO(action); }));
    CHECK(repair.left.empty());
    return repair;
  }
};

bool IsTold(const store::ImageRepair& repair) {
  return std::any_of(repair.salvaged.lost.begin(), repair.salvaged.lost.end(),
                     [](const store::LostRange& lost) { return lost.changes_only && lost.is_partial; });
}

TEST_CASE("the catalog of a store is made anew as it was, or it is said that trees may be older", "[damage][repair]") {
  Trees trees;
  SECTION("a snapshot was made and the tree changed: an older catalog has all the names") {
    trees.Do([](Store& store) { Must(store.Snapshot(Must(store.FindTree("main")), "snap")); });
    trees.Rewrite('B');
    const store::ImageRepair repair = trees.LoseAndRepair();
    CHECK(repair.salvaged.lost.empty());
    CHECK(trees.First("main") == std::string(30, 'B'));
    CHECK(trees.First("snap") == std::string(30, 'A'));
  }
  SECTION("the older catalog has not the snapshot") {
    trees.Do([](Store& store) { Must(store.Snapshot(Must(store.FindTree("main")), "snap")); });
    trees.Rewrite('B');
    const store::ImageRepair repair = trees.LoseAndRepair(trees.made);
    CHECK(IsTold(repair));
    CHECK(trees.First("main") == "");  // nobody knows which of them it is
    CHECK(repair.salvaged.lost_trees.size() >= 2);
  }
  SECTION("a tree was dropped: none of its name is left") {
    trees.Do([](Store& store) { Must(store.DropTree(Must(store.FindTree("other")))); });
    const store::ImageRepair repair = trees.LoseAndRepair();
    CHECK(repair.salvaged.lost.empty());
    CHECK(repair.salvaged.lost_trees.empty());
    CHECK(trees.First("main") == std::string(30, 'A'));
    CHECK(trees.First("other") == "");
  }
  SECTION("a tree was made: those that have nothing in common with it keep their names") {
    trees.Do([](Store& store) { Must(store.Put(Must(store.CreateTree("new")), "key", "value")); });
    const store::ImageRepair repair = trees.LoseAndRepair();
    CHECK(IsTold(repair));
    CHECK(repair.salvaged.lost_trees.size() == 1);
    CHECK(trees.First("main") == std::string(30, 'A'));
    CHECK(trees.First("other") == std::string(30, 'O'));
  }
}

}  // namespace
}  // namespace betr::test
