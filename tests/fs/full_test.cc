// SPDX-License-Identifier: Apache-2.0
// A file system that is full, by whichever kind of operation: sync and checkpoint go on, nothing is wrong, what statfs
// promises can be written, everything can be deleted one by one, and the space comes back.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <cerrno>
#include <deque>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/status.h"
#include "support/fs/full_files.h"
#include "support/fs/image.h"
#include "support/seed.h"

namespace betr::test {
namespace {

struct FullImageShape {
  Bytes size;
  Bytes node;
  Bytes basement;
  Bytes log;
};

constexpr FullImageShape kSmall[] = {{MiB(2), KiB(4), Bytes{512}, KiB(256)}, {MiB(4), KiB(64), KiB(4), KiB(512)}};
constexpr FullImageShape kLarge[] = {{MiB(3), Bytes{512}, Bytes{512}, KiB(128)},
                                     {MiB(12), KiB(4), Bytes{512}, MiB(1)},
                                     {MiB(32), KiB(64), KiB(4), MiB(1)},
                                     {MiB(64), KiB(256), KiB(16), MiB(4)}};

constexpr FillKind kUnshared[] = {FillKind::kMkdir,      FillKind::kCreate,   FillKind::kSymlink,
                                  FillKind::kLink,       FillKind::kXattr,    FillKind::kSmallWrite,
                                  FillKind::kLargeWrite, FillKind::kRename,   FillKind::kExchange,
                                  FillKind::kMkfifo,     FillKind::kAllocate, FillKind::kCopyRange};

ImageOptions OptionsOf(const FullImageShape& shape, bool background) {
  ImageOptions options;
  options.size = shape.size;
  options.node_size = shape.node;
  options.basement_size = shape.basement;
  options.log_size = shape.log;
  options.compression = "none";
  options.background = background;
  return options;
}

// What is deleted has no content, and so no range that is erased. Erases of single keys wait in buffers on the way to
// what they erase, and that stays as long.
bool ErasesKeys(FillKind kind) {
  return kind == FillKind::kMkdir || kind == FillKind::kCreate || kind == FillKind::kLink || kind == FillKind::kMkfifo;
}

void RequireOk(const absl::Status& status, std::string_view what) {
  INFO(what << ": " << status);
  REQUIRE(status.ok());
}

class FullImage {
 public:
  FullImage(const FullImageShape& shape, FillKind kind, size_t threads, bool background)
      : kind_(kind), node_(shape.node), image_(OptionsOf(shape, background)), threads_(threads) {}

  // From all threads, until each has met ENOSPC. With `deleting`, each then deletes what it made, beside the others.
  void Fill(bool deleting) {
    Renew();
    for (FullFiles& files : files_) RequireOk(files.Prepare(), "prepare");
    std::vector<absl::Status> ends(threads_);
    Run([&](size_t i) {
      while (ends[i].ok()) ends[i] = files_[i].Add();
      if (deleting && ToErrno(ends[i]) == ENOSPC) {
        const absl::Status deleted = Delete(files_[i]);
        if (!deleted.ok()) ends[i] = deleted;
      }
    });
    size_t added = 0;
    for (size_t i = 0; i < threads_; ++i) {
      INFO(files_[i].added() << " operations, then " << ends[i]);
      REQUIRE(ToErrno(ends[i]) == ENOSPC);
      added += files_[i].added();
    }
    REQUIRE(added > 4);
  }

  void RequireLife() {
    RequireOk(fs().Sync(), "sync");
    RequireOk(fs().store().Checkpoint(), "checkpoint");
    REQUIRE_FALSE(fs().store().ReadOnly());
  }

  // Unmounted, looked at, and mounted again, it is what it was.
  void RequireSame() {
    const std::string before = Describe(image_.paths(), "");
    image_.Check();
    REQUIRE(Describe(image_.paths(), "") == before);
  }

  // From all threads. If there are several, beside one that reads all that is there.
  void DeleteAll() {
    Renew();
    in_order_ = !in_order_;
    std::vector<absl::Status> ends(threads_);
    std::atomic<bool> deleted{threads_ == 1};
    std::thread reader([&] {
      while (!deleted) ReadAll();
    });
    Run([&](size_t i) { ends[i] = Delete(files_[i]); });
    deleted = true;
    reader.join();
    for (const absl::Status& end : ends) RequireOk(end, "delete");
  }

  // As much as there is, in one file, which is removed again.
  void WritePromised() {
    const uint64_t promised = fs().Space().available.value / kFileBlock.value * kFileBlock.value;
    if (promised == 0) return;
    INFO(promised << " bytes promised");
    {
      const OpenFile file = image_.paths().Create("promised", {}).value();
      for (uint64_t at = 0; at < promised;) {
        const uint64_t size = std::min(promised - at, KiB(64).value);
        RequireOk(fs().Write(file.inode(), at, random_.String(size)).status(), fmt::format("write at {}", at));
        at += size;
      }
    }
    RequireOk(fs().Sync(), "sync");
    RequireOk(image_.paths().Unlink("promised"), "unlink");
  }

  // What can be written to one file, which is removed again.
  uint64_t WriteAll() {
    uint64_t written = 0;
    absl::Status end;
    {
      const OpenFile file = image_.paths().Create("all", {}).value();
      for (; end.ok(); written += kFileBlock.value) {
        end = fs().Write(file.inode(), written, random_.String(kFileBlock.value)).status();
      }
    }
    INFO(end);
    REQUIRE(ToErrno(end) == ENOSPC);
    RequireOk(fs().Sync(), "sync");
    RequireOk(image_.paths().Unlink("all"), "unlink");
    return written;
  }

  // What is free when all is settled.
  Bytes Free() {
    image_.Check();
    return fs().Space().free;
  }
  // But for what holds no more than erases that wait; and when none waits any more.
  void RequireSpaceBack(Bytes empty) { RequireFree(empty, ErasesKeys(kind_) ? 4 : 32); }
  void RequireAllBack(Bytes empty) {
    for (const TreeInfo& tree : fs().store().Trees()) RequireOk(fs().store().Compact(tree.id), "compact");
    RequireFree(empty, 32);
  }

 private:
  FileSystem& fs() { return image_.fs(); }

  // All that was free when the image was empty, but for so many parts of what there is.
  void RequireFree(Bytes empty, uint64_t part) {
    const Bytes free = Free();
    const Bytes total = fs().Space().total;
    INFO(free.value << " bytes free, " << empty.value << " before, of " << total.value);
    REQUIRE(free + std::max(total / part, node_ * 2) >= empty);
  }

  // As the image is mounted now.
  void Renew() {
    files_.clear();
    for (size_t i = 0; i < threads_; ++i) files_.emplace_back(&fs(), fmt::format("d{}", i), kind_, random_.Next());
  }

  // What is not there any more when it is its turn is passed over.
  void ReadAll() {
    image_.paths()
        .Walk("",
              [&](const std::string& path, const FileAttributes& attributes) {
                if (attributes.type == FileType::kRegular) image_.paths().ReadFile(path).IgnoreError();
                return absl::OkStatus();
              })
        .IgnoreError();
  }

  absl::Status Delete(FullFiles& files) {
    BETR_RETURN_IF_ERROR(files.List());
    if (!Shares(kind_)) return files.DeleteEach();
    return in_order_ ? files.DeleteInOrder() : files.DeleteAtOnce();
  }

  template <class Work>
  void Run(const Work& work) {
    std::vector<std::thread> running;
    for (size_t i = 1; i < threads_; ++i) {
      running.emplace_back([&work, i] { work(i); });
    }
    work(0);
    for (std::thread& thread : running) thread.join();
  }

  const FillKind kind_;
  const Bytes node_;
  Image image_;
  const size_t threads_;
  Random random_{TestSeed()};
  bool in_order_ = false;  // whether what is shared is deleted file by file, this time
  std::deque<FullFiles> files_;
};

void FillAndDelete(const FullImageShape& shape, FillKind kind, size_t threads, bool background, int cycles) {
  INFO(fmt::format("{}: image of {}, nodes of {}, {} threads{}", NameOf(kind), shape.size.value, shape.node.value,
                   threads, background ? " beside the store's own" : ""));
  FullImage full(shape, kind, threads, background);
  const Bytes empty = full.Free();
  for (int cycle = 0; cycle < cycles; ++cycle) {
    INFO("cycle " << cycle);
    full.Fill(false);
    full.RequireLife();
    full.WritePromised();
    if (cycle % 2 == 0) full.RequireSame();
    full.DeleteAll();
    full.RequireLife();
    full.WritePromised();
    full.RequireSpaceBack(empty);
  }
  full.RequireAllBack(empty);
}

template <class Kinds>
void Sweep(std::span<const FullImageShape> shapes, const Kinds& kinds, size_t threads, int cycles) {
  for (const FullImageShape& shape : shapes) {
    for (const FillKind kind : kinds) {
      // What is shared is deleted in both ways.
      FillAndDelete(shape, kind, threads, threads > 1, Shares(kind) ? 2 * cycles : cycles);
    }
  }
}

int Cycles() { return std::max(1, static_cast<int>(TestScale())); }

}  // namespace

TEST_CASE("every kind of operation fills a file system, and all can be deleted", "[fs][full]") {
  Sweep(kSmall, kFillKinds, 1, Cycles());
}

TEST_CASE("several threads fill a file system, and all can be deleted", "[fs][full]") {
  Sweep(kSmall, kFillKinds, 4, Cycles());
}

TEST_CASE("threads delete on a full file system beside others that fill it", "[fs][full]") {
  for (const FillKind kind : kUnshared) {
    INFO(NameOf(kind));
    FullImage full(kSmall[0], kind, 4, true);
    const uint64_t first = full.WriteAll();
    for (int cycle = 0; cycle < Cycles(); ++cycle) {
      full.Fill(true);
      full.RequireLife();
      full.WritePromised();
      const uint64_t again = full.WriteAll();
      INFO(first << " bytes could be written, " << again << " afterwards");
      REQUIRE(again >= (ErasesKeys(kind) ? first / 12 : first / 3));
      full.RequireSame();
    }
  }
}

TEST_CASE("larger file systems are filled by every kind of operation, again and again", "[fs][full][.long]") {
  Sweep(kLarge, kFillKinds, 1, 3 * Cycles());
  Sweep(kLarge, kFillKinds, 4, 3 * Cycles());
}

}  // namespace betr::test
