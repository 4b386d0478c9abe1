// SPDX-License-Identifier: Apache-2.0
// What a crash leaves of operations that copy and erase key by key in many batches, or make zones (docs/ablations.md):
// they have happened or not, and nothing that they left is ever seen.
#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <string>

#include "device/fault_device.h"
#include "device/memory_device.h"
#include "fs/check/check.h"
#include "store/borrowed_device.h"
#include "support/fs/image.h"

namespace betr::test {
namespace {

// Files of several sizes, in directories, one with two names inside and one with a name outside.
void MakeTree(PathFileSystem& paths, const std::string& top) {
  REQUIRE(paths.MakeDirectories(top + "/sub/deep").ok());
  for (int i = 0; i < 8; ++i) {
    REQUIRE(paths.WriteFile(top + "/sub/file" + std::to_string(i), std::string(size_t{1} << (2 * i), 'f')).ok());
  }
  REQUIRE(paths.WriteFile(top + "/sub/deep/small", "small").ok());
  REQUIRE(paths.Link(top + "/sub/file5", top + "/second").ok());
  REQUIRE(paths.Link(top + "/sub/file4", top + ".outside").ok());
}

// So many files that their keys do not fit into a batch.
void MakeFiles(PathFileSystem& paths, const std::string& top) {
  for (const char* directory : {"/a", "/b"}) {
    REQUIRE(paths.MakeDirectories(top + directory).ok());
    for (int i = 0; i < 80; ++i) {
      REQUIRE(paths.WriteFile(top + directory + "/file" + std::to_string(100 + i), "content").ok());
    }
  }
}

// An image on a device that fails, where each batch is in the log when it returns.
class Ground {
 public:
  explicit Ground(const Experiments& experiments) : experiments_(experiments), device_(MiB(16)), failing_(device_) {
    FormatOptions format;
    format.node_size = KiB(4);
    format.basement_size = Bytes{512};
    format.fanout = 8;
    format.log_size = KiB(256);
    REQUIRE(Store::Format(device_, format).ok());
    const std::unique_ptr<Store> store = OpenStore();
    REQUIRE(FileSystem::Format(store.get(), {}).ok());
    REQUIRE(store->Close().ok());
  }

  std::unique_ptr<Store> OpenStore() {
    StoreOptions options;
    options.background = false;
    options.cache_size = MiB(16);
    options.checkpoint_period = std::chrono::seconds(0);
    options.experiments = experiments_;
    REQUIRE(FileSystem::RegisterUpserts(&options.functions).ok());
    absl::StatusOr<std::unique_ptr<Store>> store =
        Store::Open(std::make_unique<store::BorrowedDevice>(failing_), std::move(options));
    INFO(store.status());
    REQUIRE(store.ok());
    return *std::move(store);
  }

  std::unique_ptr<FileSystem> Mount() {
    MountOptions options;
    options.write_behind = KiB(4);
    absl::StatusOr<std::unique_ptr<FileSystem>> fs = FileSystem::Mount(OpenStore(), options);
    INFO(fs.status());
    REQUIRE(fs.ok());
    return *std::move(fs);
  }

  void RequireSound() {
    const std::unique_ptr<Store> store = OpenStore();
    std::string findings;
    const auto summary = fs::CheckFileSystem(store.get(), {}, [&](const fs::CheckFinding& finding) {
      findings += finding.path + ": " + finding.what + "\n";
    });
    REQUIRE(summary.ok());
    REQUIRE(findings == "");
  }

  FaultDevice& failing() { return failing_; }

 private:
  Experiments experiments_;
  MemoryDevice device_;
  FaultDevice failing_;
};

// What is made on a sound device, and done on a failing one.
struct Work {
  void (*make)(PathFileSystem& paths, const std::string& top);
  std::function<absl::Status(PathFileSystem&)> act;
  Experiments experiments = {.rename_by_copy = true, .delete_by_key = true, .early_binding = true};
};

// What is there after `work` on a device of which the n-th write and all after it fail, and another mount.
struct Aftermath {
  std::string before;  // of the tree "old"
  std::string old_name;
  std::string new_name;  // "": not there
  bool interrupted = false;
};

std::string DescribeIfThere(PathFileSystem& paths, const std::string& path) {
  return *paths.Exists(path) ? Describe(paths, path) : "";
}

Aftermath CrashAt(uint64_t nth, const Work& work) {
  Ground ground(work.experiments);
  Aftermath found;
  {
    const std::unique_ptr<FileSystem> fs = ground.Mount();
    PathFileSystem paths(fs.get());
    work.make(paths, "old");
    found.before = Describe(paths, "old");
    REQUIRE(fs->Sync().ok());
    ground.failing().Arm({.on = Fault::On::kWrite, .nth = nth, .repeat = Fault::Repeat::kFromThenOn});
    static_cast<void>(work.act(paths));
  }
  found.interrupted = ground.failing().Hits() > 0;
  ground.failing().Disarm();
  {
    const std::unique_ptr<FileSystem> fs = ground.Mount();
    PathFileSystem paths(fs.get());
    found.old_name = DescribeIfThere(paths, "old");
    found.new_name = DescribeIfThere(paths, "new");
    for (const char* name : {"old", "new"}) {
      if (*paths.Exists(name)) continue;
      // Nothing comes back with its name.
      REQUIRE(paths.MakeDirectories(std::string(name) + "/sub").ok());
      REQUIRE(paths.List(std::string(name) + "/sub")->empty());
    }
    REQUIRE(fs->Unmount().ok());
  }
  ground.RequireSound();
  return found;
}

// Crashes at each write. `done`: whether the work has happened.
void CrashEverywhere(const Work& work, const std::function<bool(const Aftermath&)>& done) {
  int undone_count = 0;
  int done_count = 0;
  for (uint64_t nth = 1;; ++nth) {
    INFO("write " << nth << " and all after it fail");
    const Aftermath found = CrashAt(nth, work);
    const bool undone = found.old_name == found.before && found.new_name.empty();
    REQUIRE(undone != done(found));
    if (!found.interrupted) break;
    undone_count += undone ? 1 : 0;
    done_count += undone ? 0 : 1;
  }
  CHECK(undone_count > 0);
  CHECK(done_count > 0);
}

TEST_CASE("a crash in a rename by copying leaves it done or not done", "[fs][ablation]") {
  CrashEverywhere({MakeTree, [](PathFileSystem& paths) { return paths.Rename("old", "new"); }},
                  [](const Aftermath& found) { return found.old_name.empty() && found.new_name == found.before; });
}

TEST_CASE("a crash while a tree is erased key by key leaves all of it or nothing", "[fs][ablation]") {
  CrashEverywhere({MakeFiles, [](PathFileSystem& paths) { return paths.RemoveTree("old"); }},
                  [](const Aftermath& found) { return found.old_name.empty() && found.new_name.empty(); });
}

constexpr Experiments kZones = {.early_binding = true, .zone_size = KiB(4)};

TEST_CASE("a crash in a rename that makes a zone leaves it done or not done", "[fs][ablation]") {
  CrashEverywhere({MakeTree,
                   [](PathFileSystem& paths) {
                     const absl::Status renamed = paths.Rename("old", "new");
                     // The rename is the last write of its own.
                     return renamed.ok() ? paths.MakeDirectory("more") : renamed;
                   },
                   kZones},
                  [](const Aftermath& found) { return found.old_name.empty() && found.new_name == found.before; });
}

TEST_CASE("a crash while a tree with zones is removed leaves all of it or nothing", "[fs][ablation]") {
  CrashEverywhere({MakeTree,
                   [](PathFileSystem& paths) {
                     const absl::Status renamed = paths.Rename("old/sub", "old/zone");
                     return renamed.ok() ? paths.RemoveTree("old") : renamed;
                   },
                   kZones},
                  [](const Aftermath& found) {
                    return found.old_name.empty() || found.old_name.find(" zone/file7\n") != std::string::npos;
                  });
}

TEST_CASE("a crash while a zone is split leaves all that was there", "[fs][ablation]") {
  const Work work = {[](PathFileSystem& paths, const std::string& top) {
                       REQUIRE(paths.MakeDirectories(top + "/sub").ok());
                       REQUIRE(paths.WriteFile(top + "/sub/first", std::string(4000, 'f')).ok());
                     },
                     [](PathFileSystem& paths) {
                       for (int i = 0; i < 8; ++i) {
                         absl::Status made = paths.MakeDirectory("old/sub/more" + std::to_string(i));
                         if (!made.ok()) return made;
                       }
                       return absl::OkStatus();
                     },
                     kZones};
  CrashEverywhere(work, [&](const Aftermath& found) {
    REQUIRE(found.old_name.find(" sub/first\n") != std::string::npos);
    return found.old_name.find(" sub/more") != std::string::npos;
  });
}

}  // namespace
}  // namespace betr::test
