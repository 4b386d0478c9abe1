// SPDX-License-Identifier: Apache-2.0
// Loads like those of a file system on larger trees: full paths with NUL as the separator, files of numbered blocks,
// directories cloned, renamed and removed as a whole. Thousands of keys, checked now and then.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "base/coding.h"
#include "base/random.h"
#include "support/dag/dag_harness.h"
#include "support/seed.h"

namespace betr::test {
namespace {

struct Shapes {
  uint64_t node_size;
  uint64_t basement_size;
  size_t fanout;
};

class PathRun {
 public:
  PathRun(uint64_t seed, const Shapes& shapes) : random_(seed), dag_(SomeShape(shapes), true) {
    directories_ = {Directory("", "src"), Directory("", "home")};
  }

  void Step(int number) {
    const uint64_t dice = random_.Uniform(100);
    if (dice < 45) {
      CreateFile(number);
    } else if (dice < 65) {
      WriteFile(number);
    } else if (dice < 80) {
      RemoveFile();
    } else if (dice < 88) {
      directories_.push_back(Directory(random_.Pick(directories_), Name("dir")));
    } else if (dice < 93) {
      CopyDirectory();
    } else if (dice < 97) {
      RenameDirectory();
    } else if (dice < 99) {
      RemoveDirectory(random_.Uniform(directories_.size()));
    } else {
      TakeOrDropSnapshot();
    }
    while (dag_.Oracle(0).size() > kMostKeys) RemoveDirectory(random_.Uniform(directories_.size()));
    if (random_.OneIn(20)) dag_.Seal(0);
    for (uint64_t steps = random_.Uniform(4); steps > 0 && dag_.Work(0).done; --steps) {
    }
    dag_.ReclaimOne();
  }

  void Verify(int number) {
    if (number % 10 == 0) dag_.VerifyGets({SomeFile(), random_.Pick(directories_), "src"});
    if (number % 200 == 0) dag_.VerifyInvariants();
    if (number % 1'000 == 0) dag_.VerifyContents();
  }

  void Finish() {
    dag_.Settle(0);
    dag_.Verify({SomeFile()});
    dag_.FlushAll(0);
    dag_.Verify({SomeFile()});
    REQUIRE((TestScale() < 1 || dag_.counters().splits > 0));
    REQUIRE((TestScale() < 1 || dag_.counters().unshares > 0));
  }

 private:
  static constexpr size_t kMostKeys = 6'000;

  static dag::Shape SomeShape(const Shapes& shapes) {
    dag::Shape shape;
    shape.node_size = Bytes{shapes.node_size};
    shape.basement_size = Bytes{shapes.basement_size};
    shape.fanout = shapes.fanout;
    return shape;
  }

  // What all keys under a directory begin with.
  static std::string Directory(const std::string& parent, const std::string& name) { return parent + name + '\0'; }

  std::string Name(const char* kind) { return kind + std::to_string(random_.Uniform(40)); }

  std::string BlockKey(const std::string& file, uint64_t block) {
    std::string key = file + '\0';
    PutBigEndian64(&key, block);
    return key;
  }

  // Some existing file or block, if there is any.
  std::string SomeFile() {
    const Contents& oracle = dag_.Oracle(0);
    const auto found = oracle.lower_bound(random_.Pick(directories_) + '\0' + Name("file"));
    return found == oracle.end() ? "src" : found->first;
  }

  void CreateFile(int number) {
    const std::string file = random_.Pick(directories_) + '\0' + Name("file");
    dag_.Put(0, file, "attributes " + std::to_string(number) + std::string(40, '.'));
    for (uint64_t block = 0, blocks = random_.Skewed(5); block < blocks; ++block) {
      dag_.Put(0, BlockKey(file, block), std::string(random_.Uniform(60), 'b'));
    }
  }

  void WriteFile(int number) {
    const std::string file = SomeFile();
    dag_.Append(0, file, "+" + std::to_string(number));
    dag_.Put(0, BlockKey(file, random_.Uniform(8)), std::to_string(number));
  }

  void RemoveFile() {
    const std::string file = SomeFile();
    dag_.Erase(0, file);
    dag_.EraseRange(0, Range::Prefix(file + '\0'));
  }

  void CopyDirectory() {
    const std::string from = random_.Pick(directories_);
    const std::string to = Directory(random_.Pick(directories_), Name("copy"));
    dag_.Clone(0, from, 0, to);
    directories_.push_back(to);
  }

  void RenameDirectory() {
    const std::string from = random_.Pick(directories_);
    const std::string to = Directory(random_.OneIn(3) ? "" : random_.Pick(directories_), Name("moved"));
    if (to.size() < 200 && dag_.Rename(0, from, 0, to)) directories_.push_back(to);
  }

  void RemoveDirectory(size_t index) {
    dag_.EraseRange(0, Range::Prefix(directories_[index]));
    if (directories_.size() > 20) directories_.erase(directories_.begin() + static_cast<ptrdiff_t>(index));
  }

  void TakeOrDropSnapshot() {
    if (dag_.Snapshots() < 2) {
      dag_.Snapshot(0);
    } else {
      dag_.DropSnapshot(random_.Uniform(2));
    }
  }

  Random random_;
  DagHarness dag_;
  std::vector<std::string> directories_;
};

void RunPaths(const Shapes& shapes, uint64_t seed) {
  INFO("seed " << seed);
  PathRun run(seed, shapes);
  const auto steps = static_cast<int>(12'000 * TestScale());
  for (int step = 0; step < steps; ++step) {
    INFO("step " << step);
    run.Step(step);
    run.Verify(step);
  }
  run.Finish();
}

}  // namespace

TEST_CASE("paths: nodes of 1 KiB", "[dag][paths][random]") { RunPaths({1'024, 256, 8}, TestSeed()); }

TEST_CASE("paths: nodes of 4 KiB", "[dag][paths][random]") { RunPaths({4'096, 512, 16}, TestSeed() + 1); }

TEST_CASE("paths: nodes of 16 KiB", "[dag][paths][random]") { RunPaths({16'384, 2'048, 10}, TestSeed() + 2); }

}  // namespace betr::test
