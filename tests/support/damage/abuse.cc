// SPDX-License-Identifier: Apache-2.0
#include "support/damage/abuse.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "betr/difference_cursor.h"
#include "betr/path_filesystem.h"
#include "betrcp.h"
#include "dump.h"
#include "fs/block_delta.h"
#include "support/damage/run_fsck_on.h"
#include "support/damage/subject.h"
#include "support/device/temp_dir.h"
#include "support/must.h"
#include "support/tools/run_tool.h"

namespace betr::test {
namespace {

constexpr int kEnough = 5000;  // entries, names

std::string SomeKey(const Store& store, TreeId tree, Random& random) {
  const auto cursor = store.NewCursor(tree);
  if (!cursor.ok() || random.OneIn(4)) return random.String(3);
  (*cursor)->Seek(Bound::At(random.OneIn(2) ? random.String(1) : ""));
  for (uint64_t n = random.Uniform(50); n > 0 && (*cursor)->Valid(); --n) (*cursor)->Next();
  return (*cursor)->Valid() ? std::string((*cursor)->Key()) : "k";
}

void Scan(const Store& store, TreeId tree) {
  const auto cursor = store.NewCursor(tree);
  if (!cursor.ok()) return;
  int count = 0;
  for ((*cursor)->SeekToFirst(); (*cursor)->Valid() && count < kEnough; (*cursor)->Next()) {
    if (count++ % 50 == 0) store.Get(tree, (*cursor)->Key()).status().IgnoreError();
  }
  for ((*cursor)->SeekToLast(); (*cursor)->Valid() && count < 2 * kEnough; (*cursor)->Prev()) ++count;
}

void ReadAll(const Store& store, Random& random) {
  const auto view = store.Pin();
  std::vector<TreeInfo> trees = store.Trees();
  if (trees.size() > 6) trees.resize(6);
  for (const TreeInfo& tree : trees) {
    Scan(store, tree.id);
    const std::string key = SomeKey(store, tree.id, random);
    store.Get(tree.id, key).status().IgnoreError();
    store.Estimate(tree.id, Range::Prefix(key.substr(0, key.size() / 2))).status().IgnoreError();
    store.Estimate(tree.id, Range::All()).status().IgnoreError();
    const std::string prefix = random.OneIn(2) ? "" : key.substr(0, random.Uniform(key.size() + 1));
    store.IdOfContent(*view, tree.id, prefix).status().IgnoreError();
    store.FootprintOf(*view, {{tree.id, prefix}}).status().IgnoreError();
    const auto differences = store.NewDifference(view, {tree.id, prefix}, {random.Pick(trees).id, ""});
    if (!differences.ok()) continue;
    int count = 0;
    for ((*differences)->Seek(Bound::At("")); (*differences)->Valid() && count < kEnough; (*differences)->Next()) {
      ++count;
    }
  }
}

void ChangeAny(Store& store, Random& random) {
  const std::vector<TreeInfo> trees = store.Trees();
  if (trees.empty()) return;
  const TreeId tree = random.Pick(trees).id;
  const TreeId other = random.Pick(trees).id;
  const std::string key = SomeKey(store, tree, random);
  const std::string prefix = key.substr(0, random.Uniform(key.size() + 1));
  switch (random.Uniform(13)) {
    case 0:
      return store.Erase(tree, key).IgnoreError();
    case 1:
      return store
          .EraseRange(tree, random.OneIn(3) ? Range::Prefix(prefix) : Range{Bound::At(prefix), Bound::Past(key)})
          .IgnoreError();
    case 2:
    case 3:
      return store.ClonePrefix(tree, prefix, other, "x" + key).IgnoreError();
    case 4:
      return store.RenamePrefix(tree, key, other, "y" + prefix).IgnoreError();
    case 5:
      return store.Upsert(tree, key, fs::kBlockUpsert, fs::EncodeBlockTruncate(2)).IgnoreError();
    case 6:
      return store.Snapshot(tree, fmt::format("snapshot-{}", random.Next())).status().IgnoreError();
    case 7:
      if (random.OneIn(3)) store.DropTree(tree).IgnoreError();
      return store.CreateTree(fmt::format("tree-{}", random.Next())).status().IgnoreError();
    case 8:
      return store.Checkpoint().IgnoreError();
    case 9:
      return store.Compact(tree).IgnoreError();
    default:
      for (int i = 0; i < 20; ++i) {
        store.Put(tree, fmt::format("{}{}", prefix, i), random.String(random.Uniform(90))).IgnoreError();
      }
  }
}

// Whatever is there, by inode and by path.
class Files {
 public:
  Files(FileSystem& fs, Random& random) : paths_(&fs), random_(random) {}

  void Read() {
    int count = 0;
    paths_
        .Walk("",
              [&](const std::string& path, const FileAttributes& attributes) {
                if (names_.size() < 200) names_.push_back(path);
                Look(path, attributes);
                return ++count < kEnough ? absl::OkStatus() : absl::CancelledError("");
              })
        .IgnoreError();
  }

  void Change() {
    for (int i = 0; i < 30; ++i) {
      ChangeOne();
      if (i == 10) paths_.fs().Sync().IgnoreError();
    }
  }

 private:
  std::string Any() { return names_.empty() ? "" : names_[random_.Uniform(names_.size())]; }

  void Look(const std::string& path, const FileAttributes& attributes) {
    if (looked_++ > 300) return;
    const auto file = paths_.Open(path);
    if (!file.ok()) return;
    FileSystem& fs = paths_.fs();
    if (attributes.type == FileType::kRegular) {
      std::string buffer(10000, '\0');
      fs.Read(file->inode(), 0, buffer).status().IgnoreError();
      if (attributes.size > 5000) fs.Read(file->inode(), attributes.size - 5000, buffer).status().IgnoreError();
      fs.SeekData(file->inode(), 1).status().IgnoreError();
      fs.SeekHole(file->inode(), 0).status().IgnoreError();
    }
    fs.ReadLink(file->inode()).status().IgnoreError();
    fs.PathOf(file->inode()).status().IgnoreError();
    if (const auto xattrs = fs.ListXattrs(file->inode()); xattrs.ok()) {
      for (const std::string& name : *xattrs) fs.GetXattr(file->inode(), name).status().IgnoreError();
    }
    if (random_.OneIn(20)) fs.FootprintOf({file->inode()}).status().IgnoreError();
  }

  void ChangeOne() {
    const std::string path = Any();
    const std::string other = Any();
    const std::string name = fmt::format("{}/{}", random_.OneIn(2) ? other : "", random_.Uniform(5));
    switch (random_.Uniform(14)) {
      case 0:
        return paths_.WriteFile(random_.OneIn(2) ? path : name, std::string(random_.Uniform(9000), 'n')).IgnoreError();
      case 1:
        return paths_.MakeDirectories(name).IgnoreError();
      case 2:
        return paths_.Link(path, name).IgnoreError();
      case 3:
        return paths_.Unlink(path).IgnoreError();
      case 4:
        return paths_.RemoveDirectory(path).IgnoreError();
      case 5:
        return random_.OneIn(2) ? paths_.RemoveTree(path).IgnoreError() : void();
      case 6:
        return paths_.Rename(path, random_.OneIn(2) ? other : name).IgnoreError();
      case 7:
        return paths_.Rename(path, other, RenameMode::kExchange).IgnoreError();
      case 8:
      case 9:
        return paths_.Clone(path, name).IgnoreError();
      case 10: {
        int count = 0;
        return paths_
            .FindDifferences(
                path, other,
                [&](const EntryDifference&) { return ++count < kEnough ? absl::OkStatus() : absl::CancelledError(""); })
            .IgnoreError();
      }
      case 11: {
        AttributeChange change;
        change.size = random_.Skewed(44);
        return paths_.SetAttributes(path, change).status().IgnoreError();
      }
      default:
        ChangeOpen(path, other);
    }
  }

  void ChangeOpen(const std::string& path, const std::string& other) {
    const auto file = paths_.Open(path);
    const auto from = paths_.Open(other);
    if (!file.ok() || !from.ok()) return;
    FileSystem& fs = paths_.fs();
    fs.Append(file->inode(), "appended").status().IgnoreError();
    fs.Write(file->inode(), random_.Skewed(44), "written").status().IgnoreError();
    fs.CopyRange(from->inode(), 0, file->inode(), random_.OneIn(2) ? 0 : random_.Skewed(44), 1 << 22)
        .status()
        .IgnoreError();
    fs.Allocate(file->inode(), static_cast<AllocateMode>(random_.Uniform(5)), random_.Skewed(44), random_.Skewed(44))
        .IgnoreError();
    fs.SetXattr(file->inode(), "user.new", std::string(random_.Uniform(4000), 'x')).IgnoreError();
    if (random_.OneIn(2)) paths_.Unlink(path).IgnoreError();
    if (random_.OneIn(2)) fs.SetXattr(file->inode(), "user.other", "x").IgnoreError();
    fs.RemoveXattr(file->inode(), "user.new").IgnoreError();
  }

  PathFileSystem paths_;
  Random& random_;
  std::vector<std::string> names_;
  int looked_ = 0;
};

std::unique_ptr<FileSystem> Mount(MemoryDevice& device, bool read_only) {
  auto store = OpenSubject(device, read_only);
  if (!store.ok()) return nullptr;
  auto fs = FileSystem::Mount(*std::move(store), {});
  return fs.ok() ? *std::move(fs) : nullptr;
}

// What files below a directory of the host have in all, holes included.
Bytes SizeOfFiles(const std::string& directory) {
  Bytes size{0};
  std::error_code error;
  for (auto entry = std::filesystem::recursive_directory_iterator(directory, error); !error && entry != end(entry);
       entry.increment(error)) {
    std::error_code none;
    if (entry->is_regular_file(none) && !entry->is_symlink(none)) size += Bytes{entry->file_size(none)};
  }
  return size;
}

}  // namespace

void AbuseStore(MemoryDevice& device, Random& random) {
  if (const auto store = OpenSubject(device, true); store.ok()) ReadAll(**store, random);
  for (int round = 0; round < 2; ++round) {
    const auto store = OpenSubject(device, false);
    if (!store.ok()) return;
    for (int i = 0; i < 25; ++i) ChangeAny(**store, random);
    ReadAll(**store, random);
    (*store)->Sync().IgnoreError();
    if (round == 1) (*store)->Close().IgnoreError();
  }
}

void AbuseFiles(MemoryDevice& device, Random& random) {
  if (const auto fs = Mount(device, true)) Files(*fs, random).Read();
  for (int round = 0; round < 2; ++round) {
    const auto fs = Mount(device, false);
    if (fs == nullptr) return;
    Files files(*fs, random);
    files.Read();
    files.Change();
    fs->Sync().IgnoreError();
    if (round == 1) fs->Unmount().IgnoreError();
  }
}

void AbuseChecker(MemoryDevice& device, Random& random) {
  RunFsckOn(device, {"-n"});
  RunFsckOn(device, {random.OneIn(2) ? "-y" : "-p", "--dry-run", "--json"});
  RunFsckOn(device, {"-n", "--data"});
  const FsckRun preen = RunFsckOn(device, {"-p", "-f"});
  const FsckRun repair = RunFsckOn(device, {"-y"});
  const FsckRun again = RunFsckOn(device, {"-n", "-f"});
  const FsckRun data = RunFsckOn(device, {"-n", "-f", "--data"});
  INFO("-p " << preen.exit << "\n" << preen.out << preen.err);
  INFO("-y " << repair.exit << "\n" << repair.out << repair.err);
  INFO("again " << again.exit << "\n" << again.out << again.err);
  INFO("data " << data.exit << "\n" << data.out << data.err);
  const bool was_repaired = repair.exit == 0 || repair.exit == 1;
  REQUIRE((!was_repaired || again.exit == 0));
  REQUIRE((!was_repaired || data.exit == 0));
}

void AbuseTools(MemoryDevice& device, Random& random) {
  const TempDir dir;
  const std::string image = dir.File("image");
  const auto save = [&] {
    std::string bytes(device.Size().value, '\0');
    Must(device.Read(Bytes{0}, bytes));
    std::ofstream(image, std::ios::binary | std::ios::trunc) << bytes;
  };
  save();
  const auto dump = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"-i", image});
    if (random.OneIn(3)) arguments.emplace_back("--json");
    if (random.OneIn(4)) arguments.emplace_back("--replay");
    tools::ToolRun run;
    run.Run(tools::DumpMain, arguments);
  };
  dump({"super"});
  dump({"stat"});
  dump({"tree", "--depth", "6"});
  dump({"tree"});
  dump({"dot"});
  dump({"table"});
  dump({"space", "--ranges"});
  dump({"log", "--keys"});
  for (int id = 1; id < 12; ++id) dump({"node", std::to_string(id), "--keys"});
  dump({"path", "meta", "/folk/anna/docs/page-03"});
  dump({"path", "data", "/folk/otto/large"});
  dump({"path", "main", "usr/lib/001"});
  const auto copy = [&](const std::vector<std::string>& arguments) {
    tools::ToolRun run;
    run.Run(tools::BetrcpMain, arguments);
  };
  copy({"-i", image, "--list", "-R", "-l", "/"});
  copy({"-i", image, "--du", "-l", "folk", "/"});
  copy({"-i", image, "--diff", "-l", "folk/anna", "folk/berta"});
  copy({"-a", image + ":/", dir.File("out")});
  // Archives have holes as zeros, and a forged file may be nothing but a hole of terabytes.
  if (SizeOfFiles(dir.File("out")) < MiB(64)) copy({"--tar", image + ":/", dir.File("archive")});
  copy({"-a", "-u", "--delete", image + ":/", dir.File("out")});
  copy({"-i", image, "--clone", "folk", "clone"});
  copy({"-i", image, "--clone", "/", "root"});
  copy({"-i", image, "--rename", "folk/anna", "renamed"});
  copy({"-i", image, "--remove", "folk/berta"});
  copy({"-a", dir.File("out"), image + ":/in"});
}

}  // namespace betr::test
