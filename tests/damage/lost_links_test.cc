// SPDX-License-Identifier: Apache-2.0
// Files with several names, and clones of them, of which a leaf of names is lost: after the repair no name shows
// another file's content nor shares it with names that it did not share it with, and each name that is gone has been
// told.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "betr/path_filesystem.h"
#include "fs/check/check.h"
#include "fs/check/lost_trees.h"
#include "fs/key.h"
#include "store/offline/repair_image.h"
#include "support/damage/bench.h"
#include "support/must.h"
#include "support/seed.h"
#include "support/store/check_image.h"

namespace betr::test {
namespace {

namespace key = fs::key;

constexpr Bytes kCache = MiB(4);

struct File {
  std::string content;
  uint64_t inode_number = 0;
  uint32_t links = 0;
};
using Files = std::map<std::string, File>;

Files FilesIn(PathFileSystem& paths) {
  Files files;
  Must(paths.Walk("", [&](const std::string& path, const FileAttributes& attributes) -> absl::Status {
    if (attributes.type != FileType::kRegular) return absl::OkStatus();
    files[path] = {Must(paths.ReadFile(path)), attributes.inode_number, attributes.links};
    return absl::OkStatus();
  }));
  return files;
}

std::unique_ptr<FileSystem> MountOn(MemoryDevice& device) {
  return Must(FileSystem::Mount(Must(OpenSubject(device, false)), {}));
}

// Directories with files of one to four names.
void FillArea(PathFileSystem& paths, const std::string& area, Random& random) {
  const std::vector<std::string> directories = {area, area + "/one", area + "/two", area + "/two/three"};
  for (const std::string& directory : directories) Must(paths.MakeDirectories(directory));
  const auto any = [&](int file, int name) {
    return fmt::format("{}/file-{:02}-{}", random.Pick(directories), file, name);
  };
  for (int i = 0; i < 12; ++i) {
    const std::string first = any(i, 0);
    Must(paths.WriteFile(first, fmt::format("{} of {}", i, area)));
    for (uint64_t name = random.Uniform(4); name > 0; --name) Must(paths.Link(first, any(i, static_cast<int>(name))));
  }
}

// Gives each file of a clone another content than its original has.
void ChangeAll(PathFileSystem& paths, const std::string& clone) {
  std::set<uint64_t> changed;
  for (const auto& [path, file] : FilesIn(paths)) {
    if (!path.starts_with(clone + "/") || !changed.insert(file.inode_number).second) continue;
    Must(paths.WriteFile(path, fmt::format("{} in {}", path, clone)));
  }
}

Subject FilesAndClones(Random& random) {
  Subject subject;
  subject.name = "links and clones";
  subject.size = MiB(8);
  MemoryDevice device(subject.size);
  FormatOptions format;
  format.node_size = Bytes{512};
  format.basement_size = Bytes{128};
  format.fanout = 4;
  format.log_size = KiB(256);
  Must(Store::Format(device, format));
  {
    const std::unique_ptr<Store> store = Must(OpenSubject(device, false));
    Must(FileSystem::Format(store.get(), {}));
    Must(store->Close());
  }
  const std::unique_ptr<FileSystem> fs = MountOn(device);
  PathFileSystem paths(fs.get());
  for (const char* area : {"a", "k", "x"}) FillArea(paths, area, random);
  const std::vector<std::string> sources = {"a", "k", "x", "k/two"};
  for (const char* clone : {"clone", "k/one/clone", "x/two/clone", "zlone"}) {
    Must(paths.Clone(random.Pick(sources), clone));
    ChangeAll(paths, clone);
    if (random.OneIn(2)) Must(fs->Sync());
  }
  Must(paths.Clone("clone", "of-clone"));
  ChangeAll(paths, "of-clone");
  Must(fs->Unmount());
  subject.image = device.Pages();
  return subject;
}

void AddLeaves(const dag::NodeTable& table, NodeId node, std::set<uint64_t>* leaves) {
  if (table.Find(node)->height == 0) {
    leaves->insert(node.value);
    return;
  }
  for (const dag::Edge& edge : Must(dag::LoadNode(table, node))->edges) {
    if (!edge.link.Null()) AddLeaves(table, edge.link.target, leaves);
  }
}

std::set<uint64_t> LeavesOf(MemoryDevice& device, std::string_view tree) {
  std::set<uint64_t> leaves;
  const auto image = Must(store::Inspection::Open(device, kCache));
  for (const auto& [id, info] : image->state()->trees) {
    if (info.name == tree) AddLeaves(image->state()->table, info.root, &leaves);
  }
  return leaves;
}

// What a repair says is lost.
struct Told {
  std::vector<store::LostRange> ranges;
  std::set<std::string> names;
  std::string report;

  bool Has(const std::string& path) const {
    const size_t slash = path.rfind('/');
    std::string content;
    for (const char byte : slash == std::string::npos ? "" : path.substr(0, slash + 1)) {
      content.push_back(byte == '/' ? '\0' : byte);
    }
    const std::string entry = key::Entry(content, path.substr(slash + 1));
    return names.contains("/" + path) || std::any_of(ranges.begin(), ranges.end(), [&](const auto& lost) {
             return lost.tree == kMetaTree && lost.range.Contains(entry);
           });
  }
};

Told Repair(MemoryDevice& device) {
  Told told;
  const store::ImageRepair repair =
      Must(store::RepairImage(device, kCache, store::RepairDepth::kAll, Must(CheckImage(device, kCache)), [](auto) {},
                              {.limits = {}, .loses = nullptr}));
  CHECK(repair.left.empty());
  told.ranges = repair.salvaged.lost;
  const std::unique_ptr<Store> store = Must(OpenSubject(device, false));
  if (!Must(fs::FindLostTrees(*store)).empty()) Must(fs::AdoptLostTrees(store.get(), [](auto) {}));
  const auto found = [&](const fs::CheckFinding& finding) {
    told.report += finding.path + ": " + finding.what + "\n";
    if (!finding.lost_name.empty()) told.names.insert(finding.lost_name);
  };
  CHECK(Must(fs::RepairFileSystem(store.get(), {}, found)).findings == 0);
  Must(store->Close());
  return told;
}

bool IsLostAndFound(const std::string& path) { return path.starts_with("lost+found"); }

// Names of one file now were names of one file before, and it has no others.
void CheckSharing(const Files& before, const Files& after) {
  std::map<uint64_t, std::vector<std::string>> names;
  for (const auto& [path, file] : after) names[file.inode_number].push_back(path);
  for (const auto& [number, paths] : names) {
    CHECK(after.at(paths.front()).links == paths.size());
    std::set<uint64_t> origins;
    for (const std::string& path : paths) {
      if (before.contains(path)) origins.insert(before.at(path).inode_number);
    }
    CHECK(origins.size() <= 1);
  }
}

void CheckRepaired(const Files& before, const Files& after, const Told& told) {
  for (const auto& [path, file] : before) {
    INFO(path);
    const auto found = after.find(path);
    if (found == after.end()) CHECK(told.Has(path));
    if (found != after.end()) CHECK(found->second.content == file.content);
  }
  for (const auto& [path, file] : after) {
    INFO(path);
    CHECK((IsLostAndFound(path) || before.contains(path)));
    CHECK_FALSE(told.names.contains("/" + path));
  }
  CheckSharing(before, after);
}

TEST_CASE("a leaf of names is lost, and no name shows another file's content", "[damage][links]") {
  Random random(TestSeed());
  for (int round = 0; round < 4 * TestScale(); ++round) {
    const Subject subject = FilesAndClones(random);
    Files before;
    std::set<uint64_t> leaves;
    {
      Bench bench(subject);
      leaves = LeavesOf(bench.device(), kMetaTree);
      const std::unique_ptr<FileSystem> fs = MountOn(bench.device());
      PathFileSystem paths(fs.get());
      before = FilesIn(paths);
      Must(fs->Unmount());
    }
    REQUIRE(leaves.size() > 5);
    for (const uint64_t leaf : leaves) {
      Bench bench(subject);
      bench.Zero(bench.HeaderOf(NodeId{leaf}));
      const Told told = Repair(bench.device());
      INFO("round " << round << ", leaf " << leaf << "\n" << told.report);
      const std::unique_ptr<FileSystem> fs = MountOn(bench.device());
      PathFileSystem paths(fs.get());
      CheckRepaired(before, FilesIn(paths), told);
      Must(fs->Unmount());
    }
  }
}

}  // namespace
}  // namespace betr::test
