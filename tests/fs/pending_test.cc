// SPDX-License-Identifier: Apache-2.0
// Operations on a file with gathered writes that the store has no space for any more: some go to the store alone then.
// After a crash a write is there, or it is not; nothing shows a part of it.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/random.h"
#include "support/fs/image.h"
#include "support/must.h"

namespace betr::test {
namespace {

constexpr size_t kOld = 5000;
constexpr size_t kNew = 100'000;
constexpr std::string_view kFile = "d/file";

struct Shape {
  bool is_linked = false;  // the file has a second name
  bool delete_by_key = false;
};

ImageOptions Options(bool delete_by_key) {
  ImageOptions options;
  options.size = MiB(32);
  options.node_size = KiB(64);
  options.basement_size = KiB(4);
  options.log_size = MiB(2);
  options.compression = "none";
  options.experiments.delete_by_key = delete_by_key;
  return options;
}

std::string OldContent() { return Random(1).String(kOld); }
std::string NewContent() { return OldContent() + Random(2).String(kNew - kOld); }

// All that is left, but for what only the smallest operations find.
void TakeSpace(Store* store, TreeId junk) {
  Random random(3);
  int puts = 0;
  for (const size_t size : {60'000, 20'000, 8'000}) {
    for (absl::Status put; put.ok(); ++puts) {
      WriteBatch batch;
      batch.MayUseReserve();
      batch.Put(junk, std::to_string(puts), random.String(size));
      put = store->Write(batch);
    }
  }
}

// A file with a write that was gathered while there was space, which something else has taken since.
class FullImage {
 public:
  explicit FullImage(const Shape& shape) : image_(Options(shape.delete_by_key)) {
    Must(paths().MakeDirectory("d"));
    Must(paths().MakeDirectory("empty"));
    for (const std::string_view path : {kFile, std::string_view("d/other"), std::string_view("d/third")}) {
      Must(paths().WriteFile(path, OldContent()));
      const OpenFile file = Must(paths().Open(path));
      Must(fs().SetXattr(file.inode(), "user.small", "s"));
      Must(fs().SetXattr(file.inode(), "user.large", std::string(3000, 'l')));
    }
    if (shape.is_linked) Must(paths().Link(kFile, "second"));
    Must(fs().Sync());
    junk_ = Must(fs().store().CreateTree("junk"));
    before_ = Must(paths().Stat(kFile));
    image_.Tick();
    const OpenFile file = Must(paths().Open(kFile));
    Must(fs().Write(file.inode(), kOld, NewContent().substr(kOld)).status());
    after_ = Must(paths().Stat(kFile));
    image_.Tick();
    TakeSpace(&fs().store(), junk_);
    REQUIRE(Errno(fs().Flush()) == ENOSPC);
  }

  FileSystem& fs() { return image_.fs(); }
  PathFileSystem& paths() { return image_.paths(); }
  InodeId Id(std::string_view path) { return Must(paths().Open(path)).inode(); }

  void GiveSpace() { Must(fs().store().EraseRange(junk_, Range::All())); }
  void CrashUnflushed() { image_.CrashUnflushed(); }
  void Check() { image_.Check(); }

  // Every file holds what one of them held at some time, with the times of then.
  void RequireWhole() {
    Must(paths().Walk("", [&](const std::string& path, const FileAttributes& attributes) {
      if (attributes.type == FileType::kRegular) RequireWholeFile(path, attributes);
      return absl::OkStatus();
    }));
  }

 private:
  void RequireWholeFile(const std::string& path, const FileAttributes& attributes) {
    INFO(path << " has " << attributes.size << " bytes");
    const std::string content = Must(paths().ReadFile(path));
    REQUIRE(content.size() == attributes.size);
    const bool is_new = attributes.size > kOld;
    REQUIRE((!is_new || content.size() == kNew));
    REQUIRE((NewContent().substr(0, content.size()) == content));
    if (content.size() < kOld) return;  // truncated
    REQUIRE((attributes.modified == (is_new ? after_ : before_).modified || attributes.modified == FileTime{77, 0}));
  }

  Image image_;
  TreeId junk_;
  FileAttributes before_;
  FileAttributes after_;
};

struct Operation {
  std::string_view name;
  std::function<absl::Status(FullImage&)> run;
};

absl::Status Set(FullImage& full, const AttributeChange& change) {
  return full.fs().SetAttributes(full.Id(kFile), change).status();
}

absl::Status Punch(FullImage& full, uint64_t begin, uint64_t end) {
  return full.fs().Allocate(full.Id(kFile), AllocateMode::kPunchHole, begin, end - begin);
}

const Operation kOperations[] = {
    {"nothing", [](FullImage&) { return absl::OkStatus(); }},
    {"remove a small xattr", [](FullImage& f) { return f.fs().RemoveXattr(f.Id(kFile), "user.small"); }},
    {"remove a large xattr", [](FullImage& f) { return f.fs().RemoveXattr(f.Id(kFile), "user.large"); }},
    {"set an xattr", [](FullImage& f) { return f.fs().SetXattr(f.Id(kFile), "user.small", "t"); }},
    {"chmod", [](FullImage& f) { return Set(f, {.permissions = 0600}); }},
    {"chown", [](FullImage& f) { return Set(f, {.uid = 7, .gid = 8}); }},
    {"utimens",
     [](FullImage& f) {
       return Set(f, {.modified = FileTime{77, 0}});
     }},
    {"truncate", [](FullImage& f) { return Set(f, {.size = 100}); }},
    {"punch", [](FullImage& f) { return Punch(f, kNew, kNew + 10); }},
    {"link", [](FullImage& f) { return f.paths().Link(kFile, "third"); }},
    {"unlink the second name",
     [](FullImage& f) { return Must(f.paths().Exists("second")) ? f.paths().Unlink("second") : absl::OkStatus(); }},
    {"unlink another file", [](FullImage& f) { return f.paths().Unlink("d/other"); }},
    {"unlink", [](FullImage& f) { return f.paths().Unlink(kFile); }},
    {"unlink while it is open",
     [](FullImage& f) {
       const OpenFile file = Must(f.paths().Open(kFile));
       return f.paths().Unlink(kFile);
     }},
    {"rename", [](FullImage& f) { return f.paths().Rename(kFile, "renamed"); }},
    {"rename over another", [](FullImage& f) { return f.paths().Rename(kFile, "d/other"); }},
    {"rename another over it", [](FullImage& f) { return f.paths().Rename("d/other", kFile); }},
    {"exchange", [](FullImage& f) { return f.paths().Rename(kFile, "d/other", RenameMode::kExchange); }},
    {"rename the directory", [](FullImage& f) { return f.paths().Rename("d", "e"); }},
    {"rename the directory over another", [](FullImage& f) { return f.paths().Rename("d", "empty"); }},
    {"clone", [](FullImage& f) { return f.paths().Clone(kFile, "clone"); }},
    {"clone the directory", [](FullImage& f) { return f.paths().Clone("d", "clone"); }},
    {"remove a directory", [](FullImage& f) { return f.paths().RemoveDirectory("empty"); }},
    {"remove the tree", [](FullImage& f) { return f.paths().RemoveTree("d"); }},
};

TEST_CASE("a write that has no space is there after a crash, or not at all", "[fs][full]") {
  const Shape shape = GENERATE(Shape{false, false}, Shape{true, false}, Shape{false, true});
  for (const Operation& operation : kOperations) {
    INFO(operation.name << (shape.is_linked ? ", linked" : "") << (shape.delete_by_key ? ", erasing by key" : ""));
    FullImage full(shape);
    const absl::Status done = operation.run(full);
    INFO(done);
    REQUIRE((done.ok() || Errno(done) == ENOSPC));
    full.CrashUnflushed();
    full.RequireWhole();
    full.Check();
  }
}

TEST_CASE("what went to the store before a write that had no space stays as new as it was", "[fs][full]") {
  const Shape shape = GENERATE(Shape{false, false}, Shape{true, false});
  for (const Operation& operation : kOperations) {
    INFO(operation.name << (shape.is_linked ? ", linked" : ""));
    FullImage full(shape);
    const absl::Status done = operation.run(full);
    INFO(done);
    const auto changed = [&] {
      const absl::StatusOr<FileAttributes> attributes = full.paths().Stat(kFile);
      return attributes.ok() ? attributes->changed : FileTime{};
    };
    const FileTime when = changed();
    full.GiveSpace();
    Must(full.fs().Flush());
    const std::string before = Describe(full.paths(), "");  // the attributes are those in memory
    full.CrashUnflushed();
    REQUIRE(Describe(full.paths(), "") == before);
    REQUIRE(changed() == when);
    full.Check();
  }
}

TEST_CASE("a write that has no space can be read", "[fs][full]") {
  FullImage full({});
  CHECK(Must(full.paths().ReadFile(kFile)) == NewContent());
  const InodeId file = full.Id(kFile);
  std::string part(kOld, '?');
  REQUIRE(Must(full.fs().Read(file, kOld / 2, part)) == part.size());
  CHECK(part == NewContent().substr(kOld / 2, kOld));
  CHECK(Must(full.fs().SeekHole(file, 0)) == kNew);
  CHECK(Must(full.fs().SeekData(file, kNew / 2)) == kNew / 2);
  full.GiveSpace();
  full.Check();
}

struct Discard {
  std::string_view name;
  std::function<absl::Status(FullImage&)> run;
  std::string left;
};

std::string WithHole(std::string content, size_t begin, size_t end) {
  return content.replace(begin, end - begin, end - begin, '\0');
}

TEST_CASE("what discards a write that has no space needs none for it", "[fs][full]") {
  const bool crashes = GENERATE(false, true);
  const Discard discards[] = {
      {"truncate to nothing", [](FullImage& f) { return Set(f, {.size = 0}); }, ""},
      {"truncate to less than was there", [](FullImage& f) { return Set(f, {.size = 100}); },
       OldContent().substr(0, 100)},
      {"truncate to what was there", [](FullImage& f) { return Set(f, {.size = kOld}); }, OldContent()},
      {"punch out what was written", [](FullImage& f) { return Punch(f, kOld, kNew); },
       WithHole(NewContent(), kOld, kNew)},
      {"punch out everything", [](FullImage& f) { return Punch(f, 0, 2 * kNew); }, WithHole(NewContent(), 0, kNew)},
  };
  for (const Discard& discard : discards) {
    INFO(discard.name << (crashes ? ", then a crash" : ""));
    FullImage full({});
    Must(discard.run(full));
    CHECK(Must(full.paths().ReadFile(kFile)) == discard.left);
    const std::string before = Describe(full.paths(), "");
    CHECK(full.fs().Flush().ok());
    if (crashes) full.CrashUnflushed();
    CHECK(Describe(full.paths(), "") == before);
    full.Check();
    CHECK(Describe(full.paths(), "") == before);
  }
}

TEST_CASE("a write that has no space is not discarded in part", "[fs][full]") {
  const Operation discards[] = {
      {"truncate", [](FullImage& f) { return Set(f, {.size = kNew / 2}); }},
      {"punch at the end", [](FullImage& f) { return Punch(f, kNew / 2, kNew); }},
      {"punch at the front", [](FullImage& f) { return Punch(f, 0, kNew / 2); }},
  };
  for (const Operation& discard : discards) {
    INFO(discard.name);
    FullImage full({});
    REQUIRE(Errno(discard.run(full)) == ENOSPC);
    CHECK(Must(full.paths().ReadFile(kFile)) == NewContent());
    full.GiveSpace();
    full.Check();
    CHECK(Must(full.paths().ReadFile(kFile)) == NewContent());
    CHECK(discard.run(full).ok());
  }
}

// Something happens between two parts of a write: each takes the time.
class EventfulClock final : public Clock {
 public:
  std::chrono::nanoseconds Now() override {
    if (--times_left == 0) event();
    return std::chrono::nanoseconds{times_left};
  }
  std::chrono::nanoseconds Monotonic() override { return SystemClock().Monotonic(); }

  int times_left = 0;
  std::function<void()> event;
};

TEST_CASE("the part of an append that has no space is taken back", "[fs][full]") {
  Image image(Options(false));
  Must(image.paths().WriteFile("f", OldContent()));
  image.Unmount();
  EventfulClock clock;
  MountOptions mount;
  mount.clock = &clock;
  const std::unique_ptr<FileSystem> fs = Must(FileSystem::Mount(image.OpenStore(), mount));
  PathFileSystem paths(fs.get());
  const std::string before = Describe(paths, "");
  const TreeId junk = Must(fs->store().CreateTree("junk"));
  bool has_taken = false;
  clock.event = [&] {
    TakeSpace(&fs->store(), junk);
    has_taken = true;
  };
  clock.times_left = 2;
  REQUIRE(Errno(fs->Append(Must(paths.Open("f")).inode(), std::string(MiB(1).value, 'x'))) == ENOSPC);
  REQUIRE(has_taken);
  CHECK(Must(paths.Stat("f")).size == kOld);
  CHECK(fs->Flush().ok());
  Must(fs->store().EraseRange(junk, Range::All()));
  Must(fs->Unmount());
  CHECK(Describe(image.paths(), "") == before);
}

}  // namespace
}  // namespace betr::test
