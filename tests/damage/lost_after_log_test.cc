// SPDX-License-Identifier: Apache-2.0
// What fsck.betr -y tells as lost is what the repaired file system shows as damaged, whatever the log did to it after
// the checkpoint that has lost it: renamed, cloned, linked, written anew.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "base/random.h"
#include "betr/path_filesystem.h"
#include "store/borrowed_device.h"
#include "support/damage/bench.h"
#include "support/damage/run_fsck_on.h"
#include "support/must.h"
#include "support/seed.h"

namespace betr::test {
namespace {

constexpr Bytes kSize = MiB(16);
constexpr uint64_t kBlock = 4096;

using Files = std::map<std::string, std::string>;
using Change = std::function<void(PathFileSystem&, Random&)>;

std::unique_ptr<FileSystem> Mount(BlockDevice& device) {
  StoreOptions options = SubjectOptions(false);
  options.cache_size = MiB(32);
  return Must(
      FileSystem::Mount(Must(Store::Open(std::make_unique<store::BorrowedDevice>(device), std::move(options))), {}));
}

std::string Name(std::string_view directory, int i) { return fmt::format("{}/f{:02}", directory, i); }

void WriteFiles(PathFileSystem& paths, std::string_view directory, Random& random) {
  Must(paths.MakeDirectories(directory));
  for (int i = 0; i < 20; ++i) Must(paths.WriteFile(Name(directory, i), random.String(5000 + random.Uniform(12'000))));
}

// Files in /a and /c that a checkpoint has, and in the log what came then; and a crash.
Subject Crashed(const Change& before, const Change& after, Random& random) {
  MemoryDevice device(kSize);
  FormatOptions format;
  format.node_size = KiB(16);
  format.basement_size = KiB(4);
  format.fanout = 4;
  format.log_size = MiB(4);
  format.compression = "none";
  format.uuid = "8c6f1f0e-5a0b-4c57-9f0e-2b1f7f3f9a10";
  Must(Store::Format(device, format));
  {
    const std::unique_ptr<Store> store = Must(OpenSubject(device, false));
    Must(FileSystem::Format(store.get(), {}));
    Must(store->Close());
  }
  std::unique_ptr<FileSystem> fs = Mount(device);
  PathFileSystem paths(fs.get());
  WriteFiles(paths, "a", random);
  WriteFiles(paths, "c", random);
  before(paths, random);
  Must(fs->Unmount());
  fs = Mount(device);
  PathFileSystem later(fs.get());
  after(later, random);
  Must(fs->Sync());
  return {"files", kSize, device.Pages(), {}, {}};
}

Files ReadFiles(MemoryDevice& device) {
  MemoryDevice copy(device.Size(), device.Pages());
  const std::unique_ptr<FileSystem> fs = Mount(copy);
  PathFileSystem paths(fs.get());
  Files files;
  Must(paths.Walk("", [&](const std::string& name, const FileAttributes& attributes) {
    if (attributes.type == FileType::kRegular) files[name] = Must(paths.ReadFile(name));
    return absl::OkStatus();
  }));
  Must(fs->Unmount());
  return files;
}

// The leaves of "data" in the checkpoint.
std::vector<NodeId> LeavesOfData(MemoryDevice& device) {
  const auto image = Must(store::Inspection::Open(device, MiB(4)));
  const dag::NodeTable& table = image->state()->table;
  std::set<NodeId> seen;
  std::vector<NodeId> waiting{image->state()->trees.FindName(kDataTree)->root};
  std::vector<NodeId> leaves;
  while (!waiting.empty()) {
    const NodeId id = waiting.back();
    waiting.pop_back();
    if (id == kNoNode || !seen.insert(id).second) continue;
    const dag::NodePtr node = Must(dag::LoadNode(table, id));
    if (node->Leaf()) leaves.push_back(id);
    for (const dag::Edge& edge : node->edges) {
      waiting.push_back(edge.link.target);
      for (const dag::Goto& message : edge.partition.gotos) waiting.push_back(message.link.target);
    }
  }
  return leaves;
}

// Numbers of blocks, by path.
using Blocks = std::map<std::string, std::set<uint64_t>>;

Blocks ToldOf(const nlohmann::json& document) {
  Blocks told;
  for (const nlohmann::json& loss : document["lost"]) {
    INFO(loss.dump());
    REQUIRE(loss["kind"] == "bytes");
    REQUIRE_FALSE(loss["partial"].get<bool>());
    for (const nlohmann::json& name : loss["names"]) {
      auto& blocks = told[name.get<std::string>().substr(1)];
      for (uint64_t block = loss["first"].get<uint64_t>() / kBlock; block <= loss["last"].get<uint64_t>() / kBlock;
           ++block) {
        blocks.insert(block);
      }
    }
  }
  return told;
}

Blocks Differences(const Files& expected, const Files& found) {
  Blocks differences;
  for (const auto& [path, content] : expected) {
    INFO(path);
    REQUIRE(found.contains(path));
    const std::string& other = found.at(path);
    REQUIRE(other.size() == content.size());
    for (uint64_t at = 0; at < content.size(); at += kBlock) {
      if (content.compare(at, kBlock, other, at, kBlock) != 0) differences[path].insert(at / kBlock);
    }
  }
  CHECK(found.size() == expected.size());
  return differences;
}

std::string ToText(const Blocks& blocks) {
  std::string text;
  for (const auto& [path, numbers] : blocks) {
    text += fmt::format("{}:", path);
    for (const uint64_t number : numbers) text += fmt::format(" {}", number);
    text += "\n";
  }
  return text;
}

// Returns how many files were damaged.
size_t LoseAndRepair(const Subject& subject, NodeId leaf) {
  Bench bench(subject);
  const Files expected = ReadFiles(bench.device());
  bench.Zero(bench.HeaderOf(leaf));
  const FsckRun run = RunFsckOn(bench.device(), {"-y", "--json"});
  INFO(run.out << run.err);
  CHECK(run.exit == 1);
  const nlohmann::json document = nlohmann::json::parse(run.out);
  CHECK(document["all_lost_listed"].get<bool>());
  const Blocks differences = Differences(expected, ReadFiles(bench.device()));
  CHECK(ToText(ToldOf(document)) == ToText(differences));
  CHECK(RunFsckOn(bench.device(), {"-f"}).exit == 0);
  return differences.size();
}

void Nothing(PathFileSystem& /*paths*/, Random& /*random*/) {}

void LoseEach(const Change& after, size_t files) {
  Random random(TestSeed());
  const Subject subject = Crashed(Nothing, after, random);
  MemoryDevice device(subject.size, subject.image);
  size_t damaged = 0;
  for (const NodeId leaf : LeavesOfData(device)) {
    INFO("leaf " << leaf.value);
    damaged += LoseAndRepair(subject, leaf);
  }
  CHECK(damaged >= files);
}

TEST_CASE("what is lost of a renamed directory is told by its new name", "[damage][repair]") {
  LoseEach([](PathFileSystem& paths, Random&) { Must(paths.Rename("a", "b")); }, 40);
}

TEST_CASE("what is lost of a directory that was cloned is told by both names", "[damage][repair]") {
  LoseEach([](PathFileSystem& paths, Random&) { Must(paths.Clone("a", "b")); }, 60);
}

TEST_CASE("what is lost of a file that got another name is told by both", "[damage][repair]") {
  LoseEach([](PathFileSystem& paths, Random&) { Must(paths.Link("a/f05", "second")); }, 41);
}

TEST_CASE("what is lost of a renamed file is told by its new name", "[damage][repair]") {
  LoseEach([](PathFileSystem& paths, Random&) { Must(paths.Rename("a/f05", "other")); }, 40);
}

TEST_CASE("what was written anew where something is lost is not told", "[damage][repair]") {
  LoseEach(
      [](PathFileSystem& paths, Random& random) {
        Must(paths.Rename("a", "b"));
        WriteFiles(paths, "a", random);
        Must(paths.WriteFile("c/f03", random.String(9000)));
        Must(paths.Unlink("c/f07"));
        Must(paths.RemoveTree("b"));
        Must(paths.Clone("c", "b"));
      },
      30);
}

TEST_CASE("what the log shows in more places than are listed is told as not all", "[damage][repair]") {
  Random random(TestSeed());
  const Subject subject = Crashed(
      Nothing, [](PathFileSystem& paths, Random&) { Must(paths.Clone("a", "b")); }, random);
  Bench bench(subject);
  const Files expected = ReadFiles(bench.device());
  bench.Zero(bench.HeaderOf(bench.NodeOf(std::string(kDataTree), 0)));  // the first leaf is of /a
  const FsckRun run = RunFsckOn(bench.device(), {"-y", "--json", "--lost-limit", "1"});
  INFO(run.out << run.err);
  CHECK(run.exit == 9);
  const nlohmann::json document = nlohmann::json::parse(run.out);
  CHECK_FALSE(document["all_lost_listed"].get<bool>());
  const nlohmann::json& lost = document["lost"];
  CHECK(std::any_of(lost.begin(), lost.end(), [](const nlohmann::json& loss) {
    return loss["partial"].get<bool>() && loss["why"] == "stopped in the log after 1 ranges" && loss["from"] == "/b/";
  }));
  CHECK(Differences(expected, ReadFiles(bench.device())).size() == 2);
}

// Some change of a file system with directories and files.
class Changes {
 public:
  Changes(PathFileSystem& paths, FileSystem& fs, Random& random) : paths_(paths), fs_(fs), random_(random) {}

  // Not all are possible; then nothing happens.
  void Make() {
    const std::string from = Directory();
    const std::string to = Directory();
    switch (random_.Uniform(12)) {
      case 0:
        return paths_.Rename(from, to).IgnoreError();
      case 1:
        return paths_.Clone(from, to).IgnoreError();
      case 2:
        return random_.OneIn(4) ? paths_.RemoveTree(from).IgnoreError() : void();
      case 3:
        return paths_.Rename(from, to, RenameMode::kExchange).IgnoreError();
      case 4:
        return paths_.Link(File(), File()).IgnoreError();
      case 5:
      case 6:
        return paths_.Rename(File(), File()).IgnoreError();
      case 7:
        return paths_.Unlink(File()).IgnoreError();
      case 8:
        return paths_.Clone(File(), File()).IgnoreError();
      case 9:
        return paths_.WriteFile(File(), random_.String(random_.Uniform(15'000))).IgnoreError();
      case 10:
        return Overwrite(File());
      default:
        return Cut(File());
    }
  }

 private:
  std::string Directory() { return std::string(1, "abcd"[random_.Uniform(4)]) + (random_.OneIn(4) ? "/e" : ""); }
  std::string File() { return Name(Directory(), static_cast<int>(random_.Uniform(20))); }

  // Within it, or at its end: holes are told, too.
  void Overwrite(const std::string& path) {
    const absl::StatusOr<OpenFile> file = paths_.Open(path);
    if (!file.ok()) return;
    const uint64_t size = Must(paths_.Stat(path)).size;
    Must(fs_.Write(file->inode(), random_.Uniform(size + 1), random_.String(1 + random_.Uniform(9000))).status());
  }

  void Cut(const std::string& path) {
    const absl::StatusOr<FileAttributes> attributes = paths_.Stat(path);
    if (!attributes.ok() || attributes->type != FileType::kRegular) return;
    AttributeChange change;
    change.size = random_.Uniform(attributes->size + 1);
    Must(paths_.SetAttributes(path, change).status());
  }

  PathFileSystem& paths_;
  FileSystem& fs_;
  Random& random_;
};

TEST_CASE("what is lost before random changes is told as they left it", "[damage][repair]") {
  Random random(TestSeed());
  size_t damaged = 0;
  const int rounds = static_cast<int>(12 * TestScale());
  for (int round = 0; round < rounds; ++round) {
    const auto change = [](PathFileSystem& paths, Random& randomly) {
      Changes changes(paths, paths.fs(), randomly);
      for (uint64_t n = 1 + randomly.Uniform(20); n > 0; --n) changes.Make();
    };
    const Subject subject = Crashed(change, change, random);
    MemoryDevice device(subject.size, subject.image);
    const std::vector<NodeId> leaves = LeavesOfData(device);
    for (int i = 0; i < 6 && !leaves.empty(); ++i) {
      const NodeId leaf = leaves[random.Uniform(leaves.size())];
      INFO("round " << round << ", leaf " << leaf.value);
      damaged += LoseAndRepair(subject, leaf);
    }
  }
  std::cout << fmt::format("{} repairs, {} damaged files\n", 6 * rounds, damaged);
  CHECK(damaged > 30);
}

}  // namespace
}  // namespace betr::test
