// SPDX-License-Identifier: Apache-2.0
// Gathered writes that the store cannot take in, because something cannot be read on the way, are lost to their file,
// which is told so; everybody else goes on.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "betr/path_filesystem.h"
#include "fs/check/check.h"
#include "fs/key.h"
#include "store/borrowed_device.h"
#include "support/device/bad_sectors.h"
#include "support/fs/image.h"
#include "support/must.h"
#include "support/store/node_place.h"

namespace betr::test {
namespace {

enum class Bad : uint8_t { kDataLeaf, kDataRoot };

std::string NameOf(char directory, int file) { return fmt::format("{}/f{:02}", directory, file); }
std::string ContentOf(const std::string& name, int version) { return fmt::format("{} {} ", name, version); }
std::string LargeContentOf(const std::string& name) {
  std::string content;
  while (content.size() < 3000) content += ContentOf(name, static_cast<int>(content.size()));
  return content;
}

// Directories a to z with ten files each; a node on the way to m/f05 is bad.
class Patient {
 public:
  // Filled without threads, so that the tree has a shape in which other directories are behind other edges of its root.
  explicit Patient(bool background) : memory_(MiB(32)), device_(memory_) {
    FormatOptions format;
    format.node_size = KiB(4);
    format.basement_size = Bytes{512};
    format.fanout = 6;
    format.log_size = MiB(1);
    Must(Store::Format(memory_, format));
    const std::unique_ptr<Store> store = OpenStore(memory_);
    Must(FileSystem::Format(store.get(), {}));
    Must(store->Close());
    Open();
    for (char letter = 'a'; letter <= 'z'; ++letter) {
      Must(paths().MakeDirectory(std::string(1, letter)));
      for (int file = 0; file < 10; ++file) Accept(NameOf(letter, file), LargeContentOf(NameOf(letter, file)));
    }
    Must(fs().Sync());
    for (const std::string_view tree : {kMetaTree, kDataTree}) Must(fs().store().Compact(TreeOf(tree)));
    Must(fs().Unmount());
    Leave();
    background_ = background;
  }

  void Open() { OpenOn(device_); }
  // On a device that is good again.
  void OpenHealed() { OpenOn(memory_); }
  void Leave() {
    paths_.reset();
    fs_.reset();
  }

  // Requires: not mounted.
  void Spoil(Bad bad) {
    const std::string object = fs::key::Entry(fs::key::Content("", "m"), "f05");
    const TreeId tree = OpenStore(memory_)->FindTree(kDataTree).value();
    const NodeId node = NodeOnTheWay(memory_, tree, fs::key::Block(object, 0), bad == Bad::kDataRoot ? 200 : 0);
    const NodePlace place = PlaceOf(memory_, node);
    device_.Spoil(place.begin, place.end - place.begin);
  }

  // Writes a whole file, and remembers it as what must be there.
  void Accept(const std::string& path, const std::string& content) {
    INFO(path);
    Must(paths().WriteFile(path, content));
    expected_[path] = content;
  }
  void Forget(const std::string& path) { expected_.erase(path); }
  void Move(const std::string& from, const std::string& to) {
    INFO(from << " " << to);
    Must(paths().Rename(from, to));
    expected_[to] = expected_.extract(from).mapped();
  }

  // What was accepted is there, but for files in m, which may be unreadable.
  void RequireAll(bool is_healed) {
    for (const auto& [path, content] : expected_) {
      if (!is_healed && path.starts_with("m/")) continue;
      INFO(path);
      REQUIRE(Must(paths().ReadFile(path)) == content);
    }
  }
  void RequireSound() {
    const std::unique_ptr<Store> store = OpenStore(memory_);
    std::string findings;
    Must(fs::CheckFileSystem(store.get(), {}, [&](const fs::CheckFinding& finding) {
           findings += fmt::format("{}: /{}: {}\n", fs::CheckCodeName(finding.code), finding.path, finding.what);
         }).status());
    REQUIRE(findings.empty());
    Must(store->Close());
  }

  FileSystem& fs() { return *fs_; }
  PathFileSystem& paths() { return *paths_; }
  std::map<std::string, std::string>& expected() { return expected_; }

 private:
  TreeId TreeOf(std::string_view name) { return Must(fs().store().FindTree(name)); }

  std::unique_ptr<Store> OpenStore(BlockDevice& device) const {
    StoreOptions options;
    options.background = background_;
    options.cache_size = MiB(1);
    options.checkpoint_period = std::chrono::seconds(0);
    Must(FileSystem::RegisterUpserts(&options.functions));
    return Must(Store::Open(std::make_unique<store::BorrowedDevice>(device), std::move(options)));
  }
  void OpenOn(BlockDevice& device) {
    fs_ = Must(FileSystem::Mount(OpenStore(device), {}));
    paths_ = std::make_unique<PathFileSystem>(fs_.get());
  }

  bool background_ = false;
  MemoryDevice memory_;
  BadSectors device_;
  std::unique_ptr<FileSystem> fs_;
  std::unique_ptr<PathFileSystem> paths_;
  std::map<std::string, std::string> expected_;
};

// A file that is written behind the bad node, block by block, each synced, until that fails. Returns how many blocks
// the store has taken in.
uint64_t WriteUntilLost(Patient& patient, InodeId file) {
  const std::string block(kFileBlock.value, 'x');
  for (uint64_t n = 1; n < 1000; ++n) {
    Must(patient.fs().Write(file, n * kFileBlock.value, block).status());
    const absl::Status synced = patient.fs().SyncFile(file);
    INFO(synced);
    if (synced.ok()) continue;
    REQUIRE(Errno(synced) == EIO);
    REQUIRE_FALSE(patient.fs().store().ReadOnly());
    return n;
  }
  FAIL("everything was taken in");
  return 0;
}

// What has nothing to do with what is bad: all of it works.
void GoOn(Patient& patient, Bad bad) {
  PathFileSystem& paths = patient.paths();
  Must(paths.MakeDirectory("c/new"));
  Must(paths.WriteFile("c/new/empty", ""));
  Must(paths.Rename("c/new/empty", "c/new/moved"));
  Must(paths.Unlink("c/new/moved"));
  if (bad == Bad::kDataRoot) return;
  for (int file = 0; file < 10; ++file) patient.Accept(fmt::format("c/new/{}", file), ContentOf("new", file));
  patient.Accept(NameOf('t', 3), ContentOf("again", 1));
  patient.Move(NameOf('t', 4), "c/new/t4");
  Must(paths.Unlink(NameOf('d', 1)));
  patient.Forget(NameOf('d', 1));
}

}  // namespace

TEST_CASE("what cannot be taken in is lost to its own file only", "[fs][damage]") {
  const bool background = GENERATE(false, true);
  const Bad bad = GENERATE(Bad::kDataLeaf, Bad::kDataRoot);
  INFO("bad: " << static_cast<int>(bad));
  Patient patient(background);
  patient.Spoil(bad);
  patient.Open();
  const InodeId sick = Must(patient.paths().Open("m/f05")).inode();
  Must(patient.fs().Open(sick));
  const uint64_t blocks = WriteUntilLost(patient, sick);
  CHECK((blocks > 1 || bad == Bad::kDataRoot));
  // Told once to the file, and once to who asks for everything.
  CHECK(patient.fs().SyncFile(sick).ok());
  const absl::Status all = patient.fs().Sync();
  INFO(all);
  CHECK(Errno(all) == EIO);
  CHECK(std::string(all.message()).find("m/f05") != std::string::npos);
  CHECK(patient.fs().Sync().ok());
  // The file shows what the store has taken in.
  const uint64_t size = blocks == 1 ? LargeContentOf("m/f05").size() : blocks * kFileBlock.value;
  CHECK(Must(patient.fs().GetAttributes(sick)).size == size);
  GoOn(patient, bad);
  Must(patient.fs().Sync());
  // Writes that are lost while something else is done are not in its way.
  const std::string block(kFileBlock.value, 'y');
  for (int i = 0; i < 3; ++i) {
    Must(patient.fs().Write(sick, (blocks + 1) * kFileBlock.value, block).status());
    Must(patient.paths().MakeDirectory(fmt::format("c/beside {}", i)));
  }
  CHECK(Errno(patient.fs().SyncFile(sick)) == EIO);
  CHECK(Errno(patient.fs().Sync()) == EIO);
  if (bad == Bad::kDataLeaf) patient.RequireAll(false);
  patient.fs().Close(sick);
  Must(patient.fs().Unmount());
  patient.Leave();
  patient.expected().erase("m/f05");
  patient.OpenHealed();
  patient.RequireAll(true);
  Must(patient.paths().Stat("c/beside 2").status());
  Must(patient.fs().Unmount());
  patient.Leave();
  patient.RequireSound();
}

TEST_CASE("a file whose writes were lost can be removed", "[fs][damage]") {
  Patient patient(false);
  patient.Spoil(Bad::kDataLeaf);
  patient.Open();
  const InodeId sick = Must(patient.paths().Open("m/f05")).inode();
  Must(patient.fs().Open(sick));
  const uint64_t blocks = WriteUntilLost(patient, sick);
  Must(patient.fs().Write(sick, (blocks + 1) * kFileBlock.value, "lost before it").status());
  Must(patient.paths().Unlink("m/f05"));
  CHECK(Errno(patient.fs().SyncFile(sick)) == EIO);
  patient.fs().Close(sick);
  const absl::Status unmounted = patient.fs().Unmount();  // tells of what was lost before
  CHECK(Errno(unmounted) == EIO);
  patient.Leave();
  patient.expected().erase("m/f05");
  patient.OpenHealed();
  patient.RequireAll(true);
  CHECK(Errno(patient.paths().Stat("m/f05").status()) == ENOENT);
  Must(patient.fs().Unmount());
  patient.Leave();
  patient.RequireSound();
}

TEST_CASE("a copy that finds writes lost ends where the file ends then", "[fs][damage]") {
  Patient patient(false);
  patient.Spoil(Bad::kDataLeaf);
  patient.Open();
  const InodeId sick = Must(patient.paths().Open("m/f05")).inode();
  Must(patient.fs().Open(sick));
  const uint64_t size = WriteUntilLost(patient, sick) * kFileBlock.value;
  const OpenFile copy = Must(patient.paths().Create("c/copy", {}));
  // As much as is cloned, and not copied.
  const std::string block(kFileBlock.value, 'y');
  Must(patient.fs().Write(sick, MiB(1).value - block.size(), block).status());
  CHECK(Must(patient.fs().CopyRange(sick, 0, copy.inode(), 0, MiB(1).value)) == size);
  CHECK(Must(patient.fs().GetAttributes(sick)).size == size);
  CHECK(Must(patient.fs().GetAttributes(copy.inode())).size == size);
  CHECK(Errno(patient.fs().SyncFile(sick)) == EIO);
  patient.fs().Close(sick);
}

}  // namespace betr::test
