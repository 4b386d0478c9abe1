// SPDX-License-Identifier: Apache-2.0
// Removing a tree with open files below: they live on, whatever their number, and a crash meanwhile does no harm.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "device/fault_device.h"
#include "fs/check/check.h"
#include "store/borrowed_device.h"
#include "support/fs/image.h"
#include "support/must.h"

namespace betr::test {
namespace {

// Makes a directory whose path is a little shorter than 3.8 KB.
std::string MakeDeep(PathFileSystem& paths, std::string path) {
  for (int level = 0; level < 15; ++level) {
    path += '/' + std::string(250, static_cast<char>('a' + level));
    Must(paths.MakeDirectory(path));
  }
  return path;
}

// Files below a directory that are open, each with so many names.
std::vector<InodeId> MakeOpenFiles(Image& image, const std::string& directory, int files, int names) {
  std::vector<InodeId> open;
  for (int i = 0; i < files; ++i) {
    const std::string path = fmt::format("{}/f{:05}", directory, i);
    Must(image.paths().WriteFile(path, fmt::format("content {}", i)));
    for (int name = 1; name < names; ++name) Must(image.paths().Link(path, fmt::format("{}-{}", path, name)));
    open.push_back(image.paths().Open(path).value().inode());
    Must(image.fs().Open(open.back()));
  }
  return open;
}

std::string ContentOf(Image& image, InodeId file) {
  std::string content(100, '\0');
  content.resize(image.fs().Read(file, 0, content).value());
  return content;
}

// They hold what they did, and go with the last Close.
void RequireOpenFiles(Image& image, const std::vector<InodeId>& open) {
  for (size_t i = 0; i < open.size(); ++i) {
    REQUIRE(ContentOf(image, open[i]) == fmt::format("content {}", i));
    REQUIRE(image.fs().GetAttributes(open[i])->links == 0);
    image.fs().Close(open[i]);
  }
}

// An image whose device fails from some write on.
class Failing {
 public:
  Failing() : memory_(MiB(16)), device_(memory_) {
    FormatOptions format;
    format.node_size = KiB(4);
    format.basement_size = Bytes{512};
    format.fanout = 8;
    format.log_size = KiB(64);
    Must(Store::Format(memory_, format));
    const std::unique_ptr<Store> store = OpenStore();
    Must(FileSystem::Format(store.get(), {}));
    Must(store->Close());
  }

  FaultDevice& device() { return device_; }

  std::unique_ptr<Store> OpenStore() {
    StoreOptions options;
    options.background = false;
    options.cache_size = MiB(16);
    options.checkpoint_period = std::chrono::seconds(0);
    Must(FileSystem::RegisterUpserts(&options.functions));
    return Must(Store::Open(std::make_unique<store::BorrowedDevice>(device_), std::move(options)));
  }

  std::unique_ptr<FileSystem> Mount() { return Must(FileSystem::Mount(OpenStore(), {})); }

  std::string Findings() {
    const std::unique_ptr<Store> store = OpenStore();
    std::string findings;
    Must(fs::CheckFileSystem(store.get(), {}, [&](const fs::CheckFinding& finding) {
      findings += finding.path + ": " + finding.what + "\n";
    }));
    return findings;
  }

 private:
  MemoryDevice memory_;
  FaultDevice device_;
};

constexpr int kOpenFiles = 150;

std::string OpenName(int i) { return fmt::format("top/sub/f{:03}", i); }

// How many of the open files are still there after a crash at a write while the tree is removed; -1 if the tree is not.
// `interrupted`: there was such a write.
int LeftAfterCrash(uint64_t nth, bool* interrupted) {
  Failing image;
  {
    const std::unique_ptr<FileSystem> fs = image.Mount();
    PathFileSystem paths(fs.get());
    Must(paths.MakeDirectories("top/sub"));
    Must(paths.WriteFile("top/closed", "closed"));
    for (int i = 0; i < kOpenFiles; ++i) {
      Must(paths.WriteFile(OpenName(i), OpenName(i)));
      Must(fs->Open(Must(paths.Open(OpenName(i))).inode()));
    }
    Must(fs->Sync());
    image.device().Arm({.on = Fault::On::kWrite, .nth = nth, .repeat = Fault::Repeat::kFromThenOn});
    absl::Status removed = paths.RemoveTree("top");
    removed.Update(fs->Sync());
    *interrupted = image.device().Hits() > 0;
    REQUIRE(removed.ok() == !*interrupted);
  }
  image.device().Disarm();
  int left = -1;
  {
    const std::unique_ptr<FileSystem> fs = image.Mount();
    PathFileSystem paths(fs.get());
    if (Must(paths.Exists("top"))) {
      left = 0;
      CHECK(Must(paths.ReadFile("top/closed")) == "closed");
      for (int i = 0; i < kOpenFiles; ++i) {
        if (!Must(paths.Exists(OpenName(i)))) continue;
        ++left;
        CHECK(Must(paths.ReadFile(OpenName(i))) == OpenName(i));
      }
    }
    Must(fs->Unmount());
  }
  CHECK(image.Findings() == "");
  return left;
}

}  // namespace

TEST_CASE("a tree is removed whatever number of files below is open", "[fs]") {
  struct Shape {
    const char* what;
    Bytes log;
    bool deep;
    bool clone;
    int files;
    int names;
  };
  const Shape shape = GENERATE(
      Shape{"few, at once", MiB(1), false, false, 50, 1}, Shape{"the smallest log", KiB(64), false, false, 300, 1},
      Shape{"names of a home above", KiB(64), false, false, 200, 3},
      Shape{"names of a home below", KiB(64), false, true, 200, 3}, Shape{"bounds", MiB(256), true, false, 1500, 1});
  INFO(shape.what);
  ImageOptions options;
  options.size = MiB(512);
  options.log_size = shape.log;
  if (shape.deep) options.node_size = MiB(1);
  Image image(options);
  Must(image.paths().MakeDirectory("top"));
  std::string directory = "top";
  if (shape.clone) {
    Must(image.paths().MakeDirectory("source"));
    Must(image.paths().Clone("source", "top/clone"));
    directory = "top/clone";
  }
  if (shape.deep) directory = MakeDeep(image.paths(), directory);
  const std::vector<InodeId> open = MakeOpenFiles(image, directory, shape.files, shape.names);
  const absl::Status removed = image.paths().RemoveTree("top");
  INFO(removed);
  REQUIRE(removed.ok());
  CHECK(image.paths().Exists("top").value() == false);
  RequireOpenFiles(image, open);
  image.Check();
}

TEST_CASE("a crash while open files are set aside leaves some of them, or nothing of the tree", "[fs]") {
  bool interrupted = true;
  bool some = false;
  for (uint64_t nth = 1; interrupted; ++nth) {
    INFO("write " << nth);
    const int left = LeftAfterCrash(nth, &interrupted);
    some = some || (left > 0 && left < kOpenFiles);
    if (!interrupted) CHECK(left == -1);
  }
  CHECK(some);
}

}  // namespace betr::test
