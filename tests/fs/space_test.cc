// SPDX-License-Identifier: Apache-2.0
// What statfs promises can be written and synced: at every fill level, in files of all sizes, beside clones, from
// several threads. And what is accepted on a full store is never refused later.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "base/random.h"
#include "support/fs/image.h"
#include "support/must.h"
#include "support/seed.h"

namespace betr::test {
namespace {

struct SpaceShape {
  Bytes size;
  Bytes node;
  Bytes basement;
  uint32_t fanout;
  Bytes log;
  uint64_t least;  // percent of the image that must be promised, or nobody could use it
};

constexpr SpaceShape kShapes[] = {
    {MiB(3), Bytes{512}, Bytes{512}, 8, KiB(128), 10}, {MiB(8), KiB(4), Bytes{512}, 8, KiB(256), 20},
    {MiB(16), KiB(16), KiB(4), 16, MiB(1), 35},        {MiB(24), KiB(64), KiB(4), 8, MiB(1), 55},
    {MiB(64), KiB(256), KiB(16), 16, MiB(4), 70},
};
constexpr SpaceShape kLargeLog{MiB(64), KiB(4), Bytes{512}, 16, MiB(16), 15};
constexpr SpaceShape kLarge{MiB(256), MiB(4), KiB(64), 16, MiB(16), 55};

enum class Files : uint8_t { kOne, kOneInAnyOrder, kOfABlock, kOfAnySize, kWithLongPaths };
constexpr Files kAllFiles[] = {Files::kOne, Files::kOneInAnyOrder, Files::kOfABlock, Files::kOfAnySize,
                               Files::kWithLongPaths};
constexpr uint64_t kBlock = kFileBlock.value;
constexpr size_t kLongPath = 128;

// Makes new files with random content in a directory of its own.
class Writer {
 public:
  Writer(FileSystem& fs, std::string directory, uint64_t seed)
      : fs_(fs), paths_(&fs), directory_(std::move(directory)), random_(seed) {}

  // So many bytes, each file rounded up to whole blocks.
  absl::Status Write(Files files, uint64_t bytes) {
    absl::Status status = paths_.MakeDirectories(directory_);
    if (files == Files::kOne || files == Files::kOneInAnyOrder) return status.ok() ? WriteOne(files, bytes) : status;
    for (uint64_t left = bytes / kBlock; left > 0 && status.ok();) {
      const uint64_t blocks = files == Files::kOfAnySize ? random_.Between(1, std::min<uint64_t>(left, 30)) : 1;
      const uint64_t spare = files == Files::kOfAnySize ? random_.Uniform(kBlock) : 0;
      status = WriteAt(NewPath(files), 0, blocks * kBlock - spare);
      left -= blocks;
    }
    return status;
  }

 private:
  std::string NewPath(Files files) {
    std::string path = fmt::format("{}/{:016x}", directory_, random_.Next());
    if (files == Files::kWithLongPaths) path.resize(kLongPath, 'x');
    return path;
  }

  absl::Status WriteOne(Files files, uint64_t bytes) {
    const std::string path = NewPath(files);
    const uint64_t piece = files == Files::kOne ? KiB(128).value : kBlock;
    std::vector<uint64_t> offsets;
    for (uint64_t offset = 0; offset + kBlock <= bytes; offset += piece) offsets.push_back(offset);
    if (files == Files::kOneInAnyOrder) random_.Shuffle(std::span(offsets));
    absl::Status status;
    for (auto offset = offsets.begin(); offset != offsets.end() && status.ok(); ++offset) {
      status = WriteAt(path, *offset, std::min(piece, (bytes - *offset) / kBlock * kBlock));
    }
    return status;
  }

  absl::Status WriteAt(const std::string& path, uint64_t offset, uint64_t size) {
    const auto there = paths_.Exists(path);
    if (!there.ok()) return there.status();
    const auto file = *there ? paths_.Open(path) : paths_.Create(path, {});
    return file.ok() ? fs_.Write(file->inode(), offset, random_.String(size)).status() : file.status();
  }

  FileSystem& fs_;
  PathFileSystem paths_;
  const std::string directory_;
  Random random_;
};

ImageOptions OptionsOf(const SpaceShape& shape) {
  ImageOptions options;
  options.size = shape.size;
  options.node_size = shape.node;
  options.basement_size = shape.basement;
  options.fanout = shape.fanout;
  options.log_size = shape.log;
  return options;
}

std::string Describe(const SpaceShape& shape, int variant) {
  return fmt::format("image of {}, nodes of {}, variant {}", shape.size.value, shape.node.value, variant);
}

// Writes what is promised, from so many threads, again and again until nothing is. How much that was.
uint64_t WritePromised(FileSystem& fs, Files files, const std::string& directory, size_t threads = 1) {
  constexpr int kRounds = 8;
  uint64_t all = 0;
  for (int round = 0; round < kRounds && fs.Space().available >= kFileBlock; ++round) {
    const uint64_t promised = fs.Space().available.value;
    std::vector<absl::Status> ends(threads);
    std::vector<std::thread> running;
    for (size_t i = 0; i < threads; ++i) {
      running.emplace_back([&, i] {
        Writer writer(fs, fmt::format("{}{} {}", directory, round, i), TestSeed() + static_cast<uint64_t>(round) + i);
        ends[i] = writer.Write(files, promised / threads);
      });
    }
    for (std::thread& thread : running) thread.join();
    for (const absl::Status& end : ends) {
      INFO("round " << round << ", " << promised << " bytes promised: " << end);
      REQUIRE(end.ok());
    }
    const absl::Status synced = fs.Sync();
    INFO("round " << round << ", " << promised << " bytes promised: " << synced);
    REQUIRE(synced.ok());
    all += promised;
  }
  return all;
}

// Until it is refused, which a sync must never be.
void WriteAll(FileSystem& fs, Files files) {
  Writer writer(fs, "rest", TestSeed());
  const absl::Status end = writer.Write(files, fs.Space().total.value * 2);
  INFO(end);
  REQUIRE(ToErrno(end) == ENOSPC);
  const absl::Status synced = fs.Sync();
  INFO(synced);
  REQUIRE(synced.ok());
}

void KeepsPromise(const SpaceShape& shape, Files files) {
  INFO(Describe(shape, static_cast<int>(files)));
  Image image(OptionsOf(shape));
  const uint64_t promised = WritePromised(image.fs(), files, "d");
  REQUIRE(promised > shape.size.value / 100 * shape.least);
  WriteAll(image.fs(), files);
  image.Check();
}

// The same in what others have used and left, and into clones.
void KeepsPromiseAmongClones(const SpaceShape& shape, Files files) {
  INFO(Describe(shape, static_cast<int>(files)));
  Image image(OptionsOf(shape));
  FileSystem& fs = image.fs();
  const uint64_t quarter = fs.Space().available.value / 4;
  REQUIRE(Writer(fs, "a", TestSeed()).Write(Files::kOfAnySize, quarter).ok());
  REQUIRE(Writer(fs, "removed", TestSeed() + 1).Write(Files::kOfAnySize, quarter).ok());
  for (const char* clone : {"b", "c"}) {
    REQUIRE(image.paths().Clone("a", clone).ok());
    REQUIRE(Writer(fs, clone, TestSeed() + 2).Write(Files::kOfABlock, quarter / 8).ok());
  }
  REQUIRE(image.paths().RemoveTree("removed").ok());
  WritePromised(fs, files, "b/");
  WritePromised(fs, files, "new");
  WriteAll(fs, files);
  image.Check();
}

// Fills what is left beside the file system, in a tree of its own, until nothing is taken any more.
void FillBeside(Store& store) {
  const TreeId tree = store.CreateTree("beside").value();
  Random random{TestSeed()};
  for (const size_t size : {size_t{4000}, size_t{100}}) {
    for (absl::Status put; put.ok();) put = store.Put(tree, random.String(20), random.String(size));
  }
}

// Gathers as much as there may be, on a file system that is about as full as `percent` of what fits, and then lets
// others take all the space.
void KeepsWhatIsGathered(const SpaceShape& shape, int percent) {
  INFO(Describe(shape, percent));
  Image image(OptionsOf(shape));
  FileSystem& fs = image.fs();
  REQUIRE(Writer(fs, "d", TestSeed())
              .Write(Files::kOfABlock, fs.Space().available.value / 100 * static_cast<uint64_t>(percent))
              .ok());
  REQUIRE(fs.Sync().ok());
  const auto file = image.paths().Create("gathered", {});
  REQUIRE(file.ok());
  Random random{TestSeed()};
  std::string content;
  const uint64_t most = std::min(MiB(1).value, shape.log.value / 16);  // with what goes with the content
  while (content.size() + 1000 < most) {
    const std::string piece = random.String(std::min<size_t>(KiB(4).value, most - content.size() - 900));
    REQUIRE(fs.Write(file->inode(), content.size(), piece).ok());
    content += piece;
  }
  FillBeside(fs.store());
  const absl::Status synced = fs.Sync();
  INFO(content.size() << " bytes: " << synced);
  REQUIRE(synced.ok());
  REQUIRE(image.paths().ReadFile("gathered").value() == content);
}

}  // namespace

TEST_CASE("what is promised can be written", "[fs][space]") {
  for (const SpaceShape& shape : kShapes) {
    for (const Files files : kAllFiles) KeepsPromise(shape, files);
  }
}

TEST_CASE("what is promised can be written with nodes as mkfs makes them", "[fs][space]") {
  KeepsPromise(kLarge, Files::kOfABlock);
  KeepsPromise(kLarge, Files::kOneInAnyOrder);
}

TEST_CASE("what is promised can be written among clones", "[fs][space]") {
  for (const SpaceShape& shape : kShapes) {
    for (const Files files : kAllFiles) KeepsPromiseAmongClones(shape, files);
  }
}

TEST_CASE("several threads write what is promised, beside background work", "[fs][space]") {
  for (const SpaceShape& shape : kShapes) {
    for (const Files files : {Files::kOne, Files::kOfABlock, Files::kOfAnySize}) {
      INFO(Describe(shape, static_cast<int>(files)));
      ImageOptions options = OptionsOf(shape);
      options.background = true;
      Image image(options);
      WritePromised(image.fs(), files, "d", 4);
      WriteAll(image.fs(), files);
      image.Check();
    }
  }
}

TEST_CASE("what is gathered is taken in whoever takes the space meanwhile", "[fs][space]") {
  for (const SpaceShape& shape : kShapes) {
    for (const int percent : {0, 50, 80, 90, 95, 98}) KeepsWhatIsGathered(shape, percent);
  }
  KeepsWhatIsGathered(kLargeLog, 80);
}

TEST_CASE("what is gathered counts as written", "[fs][space]") {
  Image image(OptionsOf(kShapes[2]));
  FileSystem& fs = image.fs();
  const auto file = image.paths().Create("f", {});
  const Bytes before = fs.Space().available;
  REQUIRE(fs.Write(file->inode(), 0, std::string(KiB(40).value, 'x')).ok());
  REQUIRE(fs.Space().available + KiB(40) <= before);
}

// Who mounts and writes has asked for nothing: only then is a checkpoint made as soon as all is quiet.
TEST_CASE("what was erased comes back sooner for those who ask for space, not for those who write", "[fs][space]") {
  ImageOptions options;
  options.background = true;
  Image image(options);
  FileSystem& fs = image.fs();
  Must(image.paths().MakeDirectories("directory"));
  Must(image.paths().WriteFile("directory/file", std::string(100'000, 'x')));
  Must(fs.RemoveTree(kRootInode, "directory"));
  const uint64_t before = fs.store().Stats().checkpoints;
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  CHECK(fs.store().Stats().checkpoints == before);
  fs.Space();
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (fs.store().Stats().checkpoints == before && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  CHECK(fs.store().Stats().checkpoints > before);
}

}  // namespace betr::test
